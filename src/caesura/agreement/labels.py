"""Agreement on the labels of segments, compared unit by unit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any

from caesura.agreement.coder_pairs import check_corpus
from caesura.errors import OptionError, Undefined
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, reason_not_linear
from caesura.model.projection import text_difference
from caesura.model.result import Excluded, Result, keep_warnings, signature_line
from caesura.model.segmentation import Segmentation
from caesura.options import optional, text

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
    tallies = _Tallies(separator)
    for item, by_coder in labels.items():
        tallies.compare(item, by_coder)
    value, deviation = _mean(tallies.total)
    if value is None or deviation is None:
        raise Undefined("no coder gave any unit a label, so their similarity is 0/0")
    labelled_coders: set[str] = set().union(*labels.values())
    comparisons = tallies.total.total()
    return LabelAgreement(
        value=value,
        deviation=deviation,
        comparisons=comparisons,
        empty=tallies.pairs_of_units - comparisons,
        coders=tuple(coder for coder in corpus.coders if coder in labelled_coders),
        pairs=tuple(PairLabels(pair, *_mean(tally), tally.total()) for pair, tally in sorted(tallies.by_pair.items())),
        items=tuple(ItemLabels(item, *_mean(tally), tally.total()) for item, tally in tallies.by_item.items()),
        units=tallies.units,
        separator=separator,
        excluded=excluded,
    )


class _Tallies:
    """Similarities of pairs of coders, counted item by item."""

    def __init__(self, separator: str | None) -> None:
        self.separator = separator
        self.total: Tally = Counter()
        self.by_pair: dict[tuple[str, str], Tally] = {}
        self.by_item: dict[str, Tally] = {}
        self.units: dict[str, tuple[float | None, ...]] = {}
        self.pairs_of_units = 0

    def compare(self, item: str, by_coder: Labels) -> None:
        sets = {coder: self._sets(labels) for coder, labels in by_coder.items()}
        self.by_item[item] = Counter()
        similarities = []
        for pair in combinations(sets, 2):
            row = list(map(_jaccard, *(sets[coder] for coder in pair)))
            similarities.append(row)
            self.pairs_of_units += len(row)
            compared = _defined(row)
            for tally in (self.total, self.by_item[item], self.by_pair.setdefault(pair, Counter())):
                tally.update(compared)
        units = map(_defined, zip(*similarities, strict=True))
        self.units[item] = tuple(sum(values) / len(values) if values else None for values in units)

    def _sets(self, labels: tuple[str, ...]) -> list[frozenset[str]]:
        sets = {}
        for label in set(labels):
            parts = [label] if self.separator is None else label.split(self.separator)
            sets[label] = frozenset(part.strip() for part in parts) - {""}
        return [sets[label] for label in labels]


@lru_cache(100_000)
def _jaccard(a: frozenset[str], b: frozenset[str]) -> float | None:
    """Return the similarity of two sets; None if both are empty."""
    return len(a & b) / len(a | b) if a or b else None


def _defined(similarities: Iterable[float | None]) -> list[float]:
    return [similarity for similarity in similarities if similarity is not None]


def _mean(tally: Tally) -> tuple[float | None, float | None]:
    """Return mean and standard deviation. The order of the tally does not change the last digit."""
    n = tally.total()
    if not n:
        return None, None
    mean = math.fsum(times * J for J, times in tally.items()) / n
    return mean, math.sqrt(math.fsum(times * (J - mean) ** 2 for J, times in tally.items()) / n)


def _labels_by_item(corpus: Corpus) -> tuple[dict[str, Labels], tuple[Excluded, ...]]:
    """Return item -> coder -> labels, in a fixed order of coders, and the excluded items and annotations."""
    labels: dict[str, Labels] = {}
    excluded: list[Excluded] = []
    for item in corpus.item_names:
        by_coder = dict(sorted(corpus.of_item(item).items()))
        reason = reason_not_linear(by_coder)
        labelled = _labelled(by_coder)
        if reason is None:
            excluded += [Excluded(item, coder, "no labels") for coder in by_coder if coder not in labelled]
            reason = _reason_not_comparable(labelled)
        if reason is not None:
            excluded.append(Excluded(item, None, reason))
        else:
            labels[item] = {coder: entry.labels or () for coder, entry in labelled.items()}
    return labels, tuple(excluded)


def _labelled(by_coder: Mapping[str, Annotation]) -> dict[str, Segmentation]:
    segmentations = {coder: entry for coder, entry in by_coder.items() if isinstance(entry, Segmentation)}
    return {coder: entry for coder, entry in segmentations.items() if entry.labels is not None}


def _reason_not_comparable(labelled: Mapping[str, Segmentation]) -> str | None:
    if len(labelled) < 2:
        return f"labelled by {next(iter(labelled))} only" if labelled else "not labelled by any coder"
    return (text_difference(labelled) or "").removeprefix(": ") or None
