"""Whether coders say the same about a text: the labels of their segments, unit by unit."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError, Undefined
from caesura.model.corpus import Corpus
from caesura.model.dialogue import reason_not_linear
from caesura.model.segmentation import Segmentation
from caesura.model.tokens import text_difference
from caesura.version import __version__

__all__ = ["LabelAgreement", "LabelRow", "label_agreement"]

Tally = Counter[float]
"""How often each similarity occurred. Tallies add up, and means and deviations follow from them."""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """Label similarity of one pair of coders, or on one item."""

    name: tuple[str, ...]
    """The two coders, or the item."""
    value: float | None
    """The mean, or None where no unit could be compared."""
    deviation: float | None
    comparisons: int


@dataclass(frozen=True)
class LabelAgreement:
    """What :func:`label_agreement` found; ``float(result)`` is ``.value``."""

    value: float
    """Mean Jaccard similarity over all comparisons."""
    deviation: float
    """Their standard deviation (of the population)."""
    comparisons: int
    """How many times the labels of two coders on a unit were compared."""
    empty: int
    """How many times they were not, because neither coder gave the unit a label."""
    pairs: tuple[LabelRow, ...]
    items: tuple[LabelRow, ...]
    units: dict[str, tuple[float | None, ...]] = field(repr=False)
    """Item -> the mean of each unit over the pairs of coders: the curve of Figure 1c. None where nothing was compared."""
    coders: tuple[str, ...]
    separator: str | None
    unlabelled: tuple[tuple[str, str], ...]
    """(item, coder) of the segmentations without labels, which count as missing."""
    dropped: dict[str, str]
    """Items left out, and why."""

    def __float__(self) -> float:
        return self.value

    @property
    def signature(self) -> str:
        """One line that lets someone else reproduce the number."""
        separator = "none" if self.separator is None else self.separator.replace("|", "¦").replace("\n", " ")
        return "|".join(
            [
                "label_agreement",
                f"separator:{separator}",
                f"coders:{len(self.coders)}",
                f"items:{len(self.items)}",
                f"comparisons:{self.comparisons}",
                f"caesura:{__version__}",
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""

        def rows(which: tuple[LabelRow, ...], name: str) -> list[dict[str, Any]]:
            return [
                {
                    name: list(row.name) if len(row.name) > 1 else row.name[0],
                    "value": row.value,
                    "deviation": row.deviation,
                    "comparisons": row.comparisons,
                }
                for row in which
            ]

        return {
            "value": self.value,
            "deviation": self.deviation,
            "comparisons": self.comparisons,
            "empty": self.empty,
            "coders": list(self.coders),
            "pairs": rows(self.pairs, "coders"),
            "items": rows(self.items, "item"),
            "units": {item: list(curve) for item, curve in self.units.items()},
            "separator": self.separator,
            "unlabelled": [list(cell) for cell in self.unlabelled],
            "dropped": dict(self.dropped),
            "signature": self.signature,
        }


def label_agreement(corpus: Corpus, *, separator: str | None = "/") -> LabelAgreement:
    """How alike the labels are that coders give to segments: mean Jaccard similarity per unit, from 0 to 1.

    Coders whose segments differ cannot be compared segment by segment, but every unit lies in one segment of each
    coder and carries its labels, A for one and B for the other:

        J = |A and B| / |A or B|

    The value is the mean over all comparisons, that is over items, pairs of coders and units alike, so that a long item
    and an item with many coders weigh more; ``.deviation`` is the standard deviation of the same (of the population).
    This is what the poetry study calls overall: .5330 ± .4567 for nine coders of Kubla Khan. It is not corrected for
    chance: where one label is used nearly everywhere, it is high.

    A label is a string; ``separator`` stands between several in one ("Sound/Person"; space around them does not count),
    None takes every string as one label. A label of nothing is none at all: where one coder has none J is 0, where
    both have none it would be 0/0 and the unit is not compared, but counted in ``.empty``. ``Undefined`` is raised if
    nothing is left.

    A segmentation without labels counts as missing and is named in ``.unlabelled``. Items with fewer than two labelled
    coders, items whose coders segmented different texts, and dialogues are left out and named in ``.dropped``.

    Reference: Fournier (2013), An initial study of topical poetry segmentation, Figure 1c and Table 1, which leave the
    averaging and the unit without labels open; this averaging gives every figure printed there.

    >>> ann = Segmentation.from_masses([2, 2], labels=["Scenery", "Sound/Person"])
    >>> bo = Segmentation.from_masses([3, 1], labels=["Scenery", "Sound"])
    >>> found = label_agreement(Corpus({"poem": {"Ann": ann, "Bo": bo}}))
    >>> found.value, found.units["poem"]
    (0.625, (1.0, 1.0, 0.0, 0.5))
    """
    if separator is not None and (not isinstance(separator, str) or not separator):
        raise OptionError(f"separator must be a string that is not empty, or None; got {separator!r}")
    if not isinstance(corpus, Corpus):
        raise OptionError(f"corpus: a Corpus is needed; got {type(corpus).__name__}")
    texts, unlabelled, dropped = _labelled(corpus)
    if not texts:
        why = "; ".join(f"item {item!r}: {reason}" for item, reason in dropped.items())
        raise OptionError(f"no item is left that two coders labelled{': ' if why else ''}{why}")
    codes = _Codes(separator)
    by_pair: dict[tuple[str, str], Tally] = {}
    by_item: dict[str, Tally] = {}
    units: dict[str, tuple[float | None, ...]] = {}
    asked = 0
    for item, by_coder in texts.items():
        coded = {coder: codes.of(labels) for coder, labels in by_coder.items()}
        length = len(next(iter(coded.values())))
        sums, counts = np.zeros(length), np.zeros(length, np.int64)
        by_item[item] = Counter()
        for a, b in combinations(coded, 2):
            # one comparison for each two sets that meet, however many units they meet on
            met, where = np.unique(coded[a] * len(codes.sets) + coded[b], return_inverse=True)
            J = np.array([codes.jaccard(*divmod(one, len(codes.sets))) for one in met.tolist()])[where]  # noqa: N806
            there = ~np.isnan(J)  # NaN stands for 0/0, and is neither summed nor counted
            sums[there] += J[there]
            counts += there
            tally = Counter(J[there].tolist())
            by_pair.setdefault((a, b), Counter()).update(tally)
            by_item[item].update(tally)
            asked += length
        units[item] = tuple(s / n if n else None for s, n in zip(sums.tolist(), counts.tolist(), strict=True))
    whole: Tally = sum(by_item.values(), Counter())
    value, deviation = _mean(whole)
    if value is None or deviation is None:
        raise Undefined("no coder gave any unit a label, so their similarity is 0/0")
    return LabelAgreement(
        value=value,
        deviation=deviation,
        comparisons=whole.total(),
        empty=asked - whole.total(),
        pairs=tuple(LabelRow(pair, *_mean(tally), tally.total()) for pair, tally in sorted(by_pair.items())),
        items=tuple(LabelRow((item,), *_mean(tally), tally.total()) for item, tally in by_item.items()),
        units=units,
        coders=tuple(coder for coder in corpus.coders if any(coder in by_coder for by_coder in texts.values())),
        separator=separator,
        unlabelled=unlabelled,
        dropped=dropped,
    )


class _Codes:
    """Sets of labels, numbered as they come."""

    def __init__(self, separator: str | None) -> None:
        self.separator = separator
        self.numbers: dict[frozenset[str], int] = {}
        self.sets: list[frozenset[str]] = []

    def of(self, labels: tuple[str, ...]) -> NDArray[np.int64]:
        """The number of the set that each string stands for."""
        known = {label: self._number(label) for label in dict.fromkeys(labels)}
        return np.array([known[label] for label in labels], np.int64)

    def _number(self, label: str) -> int:
        several = [label] if self.separator is None else label.split(self.separator)
        labels = frozenset(one.strip() for one in several) - {""}
        if labels not in self.numbers:
            self.numbers[labels] = len(self.sets)
            self.sets.append(labels)
        return self.numbers[labels]

    def jaccard(self, x: int, y: int) -> float:
        """Similarity of two sets; NaN if both are empty."""
        a, b = self.sets[x], self.sets[y]
        return len(a & b) / len(a | b) if a or b else math.nan


def _mean(tally: Tally) -> tuple[float | None, float | None]:
    """Mean and standard deviation, exact to the last digit whatever the order."""
    n = tally.total()
    if not n:
        return None, None
    mean = math.fsum(times * J for J, times in tally.items()) / n
    return mean, math.sqrt(math.fsum(times * (J - mean) ** 2 for J, times in tally.items()) / n)


def _labelled(
    corpus: Corpus,
) -> tuple[dict[str, dict[str, tuple[str, ...]]], tuple[tuple[str, str], ...], dict[str, str]]:
    """Item -> coder -> labels, in a fixed order of coders; the segmentations without labels; and items left out."""
    texts: dict[str, dict[str, tuple[str, ...]]] = {}
    unlabelled: list[tuple[str, str]] = []
    dropped: dict[str, str] = {}
    for item in corpus.item_names:
        by_coder = dict(sorted(corpus.of_item(item).items()))
        plain = {coder: one for coder, one in by_coder.items() if isinstance(one, Segmentation)}
        if strange := reason_not_linear(by_coder):
            dropped[item] = strange
            continue
        labels = {coder: one.labels for coder, one in plain.items() if one.labels is not None}
        unlabelled += [(item, coder) for coder in plain if coder not in labels]
        said = text_difference({coder: plain[coder] for coder in labels}) if labels else None
        if len(labels) < 2:
            dropped[item] = f"labelled by {', '.join(labels) or 'nobody'}" + (" only" if labels else "")
        elif said is not None:
            dropped[item] = said.removeprefix(": ")
        else:
            texts[item] = labels
    return texts, tuple(unlabelled), dropped
