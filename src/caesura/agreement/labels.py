"""Agreement on the labels of segments, compared unit by unit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

import numpy as np

from caesura.agreement.coder_pairs import check_corpus
from caesura.errors import OptionError, Undefined
from caesura.model.corpus import Corpus
from caesura.model.dialogue import reason_not_linear
from caesura.model.projection import text_difference
from caesura.model.result import Excluded, Result, keep_warnings, signature_line
from caesura.model.segmentation import Segmentation
from caesura.options import optional, text
from caesura.progress import report_progress

# Number of times that each similarity occurred. Tallies can be added, and give means and deviations.
Tally = Counter[float]
# Coder -> the label of each unit.
Labels = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PairLabels:
    """Label similarity of one pair of coders."""

    coders: tuple[str, str]
    value: float | None  # mean similarity; None if no unit could be compared
    deviation: float | None
    comparisons: int


@dataclass(frozen=True, slots=True)
class ItemLabels:
    """Label similarity on one item."""

    item: str
    value: float | None  # mean similarity; None if no unit could be compared
    deviation: float | None
    comparisons: int


@dataclass(frozen=True)
class LabelAgreement(Result):
    """Result of :func:`label_agreement`; ``float(result)`` is ``.value``.

    Attributes
    ----------
    value : float
        Mean Jaccard similarity over all comparisons.
    deviation : float
        Population standard deviation of these similarities.
    comparisons : int
        Number of comparisons between the labels of two coders on one unit.
    empty : int
        Number of comparisons skipped because neither coder gave the unit a label.
    coders : tuple of str
        The coders.
    pairs : tuple of PairLabels
        One row per pair of coders.
    items : tuple of ItemLabels
        One row per item.
    units : dict
        Item -> the mean similarity of each unit over the pairs of coders, the curve of Figure 1c; None for a unit that
        was not compared.
    separator : str or None
        Text that separates several labels in one string.
    excluded : tuple of Excluded
        Items that were excluded, and segmentations without labels, which count as missing.
    """

    json_properties = ("signature",)
    frame_field = "pairs"

    value: float
    deviation: float
    comparisons: int
    empty: int
    coders: tuple[str, ...]
    pairs: tuple[PairLabels, ...]
    items: tuple[ItemLabels, ...]
    units: dict[str, tuple[float | None, ...]] = field(repr=False)
    separator: str | None
    excluded: tuple[Excluded, ...]

    def __float__(self) -> float:
        return self.value

    @property
    def signature(self) -> str:
        """One line with everything needed to reproduce the number."""
        separator = "none" if self.separator is None else self.separator
        sizes: dict[str, Any] = {"coders": len(self.coders), "items": len(self.items), "comparisons": self.comparisons}
        return signature_line("label_agreement", separator=separator, **sizes)


@keep_warnings
def label_agreement(corpus: Corpus, *, separator: str | None = "/") -> LabelAgreement:
    """Compute the similarity of segment labels: the mean Jaccard similarity per unit, from 0 to 1.

    Parameters
    ----------
    corpus : Corpus
        Segmentations with labels.
    separator : str or None, default "/"
        Text that separates several labels in one string, as in "Sound/Person". Spaces around labels are ignored. If None,
        every string is one label.

    Returns
    -------
    LabelAgreement
        The mean, with tables of pairs, items and units. ``.excluded`` lists items with fewer than two labelled coders,
        items whose coders segmented different texts, dialogues, and segmentations without labels.

    Raises
    ------
    Undefined
        If no coder gave any unit a label.

    Notes
    -----
    Coders with different segments cannot be compared segment by segment. But every unit lies in one segment of each coder
    and has the labels of that segment, A for one coder and B for the other::

        J = |A and B| / |A or B|

    The value is the mean over all comparisons, pooled over items, pairs of coders and units, so long items and items with
    many coders have more weight. The poetry study calls it "overall": .5330 ± .4567 for nine coders of Kubla Khan. It
    is not corrected for chance: it is high if one label is used nearly everywhere.

    An empty label counts as no label. If one coder has no label, J is 0. If both have none, J would be 0/0; the unit is
    skipped and counted in ``.empty``.

    References
    ----------
    Fournier, C. (2013). An initial study of topical poetry segmentation. Computational Linguistics for Literature, Figure 1c
    and Table 1. The paper specifies neither the averaging nor the units without labels; this averaging reproduces every
    value printed there.

    Examples
    --------
    >>> ann = Segmentation.from_masses([2, 2], labels=["Scenery", "Sound/Person"])
    >>> bo = Segmentation.from_masses([3, 1], labels=["Scenery", "Sound"])
    >>> result = label_agreement(Corpus({"poem": {"Ann": ann, "Bo": bo}}))
    >>> result.value, result.units["poem"]
    (0.625, (1.0, 1.0, 0.0, 0.5))
    """
    separator = optional(text)("separator", separator)
    check_corpus(corpus)
    labels, excluded = _labels_by_item(corpus)
    if not labels:
        reasons = "; ".join(str(entry) for entry in excluded if entry.coder is None)
        raise OptionError(f"no item has labels from two coders: {reasons}".removesuffix(": "))
    total: Tally = Counter()
    by_pair: dict[tuple[str, str], Tally] = {}
    by_item: dict[str, Tally] = {}
    units: dict[str, tuple[float | None, ...]] = {}
    pairs_of_units = 0
    for number, (item, by_coder) in enumerate(labels.items(), 1):
        tallies, units[item] = _compare(by_coder, separator)
        for pair, tally in tallies.items():
            for sums in (total, by_item.setdefault(item, Counter()), by_pair.setdefault(pair, Counter())):
                sums.update(tally)
        pairs_of_units += len(tallies) * len(units[item])
        report_progress(number, len(labels))
    value, deviation = _mean(total)
    if value is None or deviation is None:
        raise Undefined("no coder gave any unit a label, so their similarity is 0/0")
    labelled_coders: set[str] = set().union(*labels.values())
    comparisons = total.total()
    return LabelAgreement(
        value=value,
        deviation=deviation,
        comparisons=comparisons,
        empty=pairs_of_units - comparisons,
        coders=tuple(coder for coder in corpus.coders if coder in labelled_coders),
        pairs=tuple(PairLabels(pair, *_mean(tally), tally.total()) for pair, tally in sorted(by_pair.items())),
        items=tuple(ItemLabels(item, *_mean(tally), tally.total()) for item, tally in by_item.items()),
        units=units,
        separator=separator,
        excluded=excluded,
    )


def _compare(by_coder: Labels, separator: str | None) -> tuple[dict[tuple[str, str], Tally], tuple[float | None, ...]]:
    """Return the similarities of each pair of coders of an item, and the mean of each unit, None if nobody labelled it."""
    sets: dict[frozenset[str], int] = {frozenset(): 0}
    code_of: dict[str, int] = {}
    for label in dict.fromkeys(chain.from_iterable(by_coder.values())):
        parts = [label] if separator is None else label.split(separator)
        code_of[label] = sets.setdefault(frozenset(part.strip() for part in parts) - {""}, len(sets))
    names = [*sets]
    codes = {coder: np.array([code_of[label] for label in labels], np.int64) for coder, labels in by_coder.items()}
    tallies: dict[tuple[str, str], Tally] = {}
    sums, compared = (np.zeros(len(next(iter(codes.values())))) for _ in range(2))
    for pair in combinations(codes, 2):
        both, cell, times = np.unique(
            codes[pair[0]] * len(names) + codes[pair[1]], return_inverse=True, return_counts=True
        )
        tally = tallies[pair] = Counter()
        similarities = np.zeros(len(both))
        for number, (code, count) in enumerate(zip(both.tolist(), times.tolist(), strict=True)):
            a, b = (names[side] for side in divmod(code, len(names)))
            if a or b:
                similarities[number] = J = len(a & b) / len(a | b)  # noqa: N806 - the symbol of the study
                tally[J] += count
        sums += similarities[cell]
        compared += (both > 0)[cell]
    return tallies, tuple(value / n if n else None for value, n in zip(sums.tolist(), compared.tolist(), strict=True))


def _mean(tally: Tally) -> tuple[float | None, float | None]:
    """Return mean and standard deviation. The order of the tally does not change the last digit."""
    n = tally.total()
    if not n:
        return None, None
    mean = math.fsum(times * J for J, times in tally.items()) / n
    return mean, math.sqrt(math.fsum(times * (J - mean) ** 2 for J, times in tally.items()) / n)


def _labels_by_item(corpus: Corpus) -> tuple[dict[str, Labels], tuple[Excluded, ...]]:
    """Return item -> coder -> labels, in a fixed order of coders, and the excluded items and annotations."""
    items: dict[str, Labels] = {}
    excluded: list[Excluded] = []
    for item in corpus.item_names:
        by_coder = dict(sorted(corpus.of_item(item).items()))
        reason = reason_not_linear(by_coder)
        if reason is None:
            texts = {coder: entry for coder, entry in by_coder.items() if isinstance(entry, Segmentation)}
            labels = {coder: text.labels for coder, text in texts.items() if text.labels is not None}
            excluded += [Excluded(item, coder, "no labels") for coder in by_coder if coder not in labels]
            if len(labels) < 2:
                reason = f"labelled by {next(iter(labels))} only" if labels else "not labelled by any coder"
            else:
                difference = text_difference({coder: texts[coder] for coder in labels})
                reason = (difference or "").removeprefix(": ") or None
        if reason is None:
            items[item] = labels
        else:
            excluded.append(Excluded(item, None, reason))
    return items, tuple(excluded)
