"""Struct-IoU: how much of two trees over time, or over words, lies in the same places."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, CaesuraWarning, MismatchError, OptionError
from caesura.kernels import structiou as kernel
from caesura.measures.base import BatchCounts, Counts, Measure, divide
from caesura.measures.batch import Batch, Comparison
from caesura.measures.trees import TreeBatch, pack_trees
from caesura.model.score import Score, f_measure
from caesura.model.tree import Tree
from caesura.options import Option, flag, number

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_CELLS = 2**24  # pairs of nodes that overlap, at about 40 bytes each
MOST_STEPS = 3e10  # about two minutes
_SURE = 100_000  # so few pairs of nodes never need that many steps


class NodePair(NamedTuple):
    """Two nodes that are aligned: their numbers in preorder, from 0, and their IoU."""

    gold: int
    predicted: int
    iou: float


class LabelIoU(NamedTuple):
    """What became of the nodes of one label.

    ``gold_iou`` and ``predicted_iou`` are the IoU gained by its nodes on either side. They differ only where a preterminal
    may pair with another label.
    """

    label: str
    gold: int
    predicted: int
    gold_iou: float
    predicted_iou: float

    @property
    def precision(self) -> float | None:
        """IoU gained a predicted node; None if there is none."""
        return self.predicted_iou / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """IoU gained a gold node; None if there is none."""
        return self.gold_iou / self.gold if self.gold else None

    @property
    def f(self) -> float:
        """Struct-IoU of this label alone, in the alignment of the whole: their harmonic mean."""
        return f_measure(self.precision or 0.0, self.recall or 0.0)


class StructIoUScore(Score):
    """A score with its alignment."""

    @cached_property
    def alignment(self) -> tuple[NodePair, ...]:
        """The pairs of nodes, in the order of the gold tree; one alignment of several that may gain as much."""
        measure = self._aligned()
        (found,) = measure.alignments(self.source)
        return found

    @cached_property
    def labels(self) -> tuple[LabelIoU, ...]:
        """What became of the nodes of each label, the most frequent first."""
        self._aligned()
        return iou_by_label(self.source.pairs, [self.alignment])

    def _aligned(self) -> StructIoU:
        if self.source is None:
            raise AttributeError(
                "a sum over several sentences has no alignment; ask each of them, or struct_iou_corpus"
            )
        assert isinstance(self.measure, StructIoU)
        return self.measure


def _threshold(name: str, value: object) -> float:
    found = number(0, 1)(name, value)
    if found == 1:
        raise OptionError(f"{name} must be below 1, since an IoU counts only above it; got {value!r}")
    return float(found) if found else 0


class StructIoU(Measure):
    """See :func:`struct_iou`."""

    __slots__ = ()
    name = "struct_iou"
    title = "Struct-IoU of two trees (Shi, Gimpel & Livescu)"
    options = (
        Option("unlabelled", False, flag, "whether labels are not looked at"),
        Option("flexible_terminals", False, flag, "whether a preterminal may pair with any label"),
        Option("threshold", 0, _threshold, "the IoU above which a pair counts"),
    )
    presets = MappingProxyType({"struct-iou": {"flexible_terminals": True, "threshold": 0}})
    short_name = "Struct-IoU"
    kinds = ("trees",)
    view = "trees"
    sides = ("gold", "predicted")
    symmetric = True  # the value; precision and recall change places
    aligns = True
    score_class = StructIoUScore

    def to_batch(self, pairs: Sequence[Comparison]) -> tuple[Batch, Ints, dict[int, CaesuraError]]:
        batch, places, errors = pack_trees(pairs, self.sides)
        mixed = [d for d, (a, b) in enumerate(batch.pairs) if (a.times is None) != (b.times is None)]
        for d in mixed:
            timed, other = self.sides if batch.pairs[d][1].times is None else self.sides[::-1]
            errors[int(places[d])] = MismatchError(
                f"both trees must have times, or neither; {timed} has times, {other} has none"
            )
        if mixed:
            kept = np.setdiff1d(np.arange(len(batch)), mixed)
            batch, places = batch.take(kept), places[kept]
        unlike = [int(places[d]) for d, (a, b) in enumerate(batch.pairs) if a.times is None and a.length != b.length]
        if unlike:
            a, b = batch.pairs[int(np.searchsorted(places, unlike[0]))]
            more = "" if len(pairs) == 1 else f"{len(unlike)} of {len(pairs)} pairs, the first number {unlike[0] + 1}: "
            warnings.warn(
                f"{more}gold has {a.length} words, predicted {b.length}, and neither has times: word 1 is compared with "
                "word 1, word 2 with word 2. Give times, or read with align='characters'",
                CaesuraWarning,
                stacklevel=5,
            )
        return batch, places, errors

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """Trees of any shape up to some hundred words; longer ones unless they are all zig-zag."""
        assert isinstance(batch, TreeBatch)
        large = np.flatnonzero(batch.a_count * batch.b_count > _SURE)
        if not large.size:
            return {}
        _, steps, _ = self._align(batch.take(large), most_steps=0.0)
        errors: dict[int, CaesuraError] = {}
        for d, needed in zip(large.tolist(), steps.tolist(), strict=True):
            if needed > MOST_STEPS:
                wanted = f"{needed:.2g} steps are needed and {MOST_STEPS:.2g} allowed"
                if needed == np.inf:
                    wanted = f"more than {MOST_CELLS} pairs of nodes overlap"
                errors[d] = MismatchError(
                    f"trees of {batch.a_count[d]} and {batch.b_count[d]} nodes of this shape are too large: {wanted}; "
                    "score smaller pieces"
                )
        return errors

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("iou", "gold", "predicted")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, TreeBatch)
        gain, _, _ = self._align(batch, most_steps=MOST_STEPS)
        return BatchCounts(np.column_stack([gain, batch.a_count, batch.b_count]), {})

    def _align(
        self, batch: TreeBatch, *, most_steps: float, partners: bool = False
    ) -> tuple[Floats, Floats, Ints | None]:
        """What the kernel gives: gain, steps, and the partner of each gold node."""
        codes: dict[str, int] = {}
        sides = [_flat([pair[side] for pair in batch.pairs], codes, unlabelled=self["unlabelled"]) for side in (0, 1)]
        gain, steps = np.empty((2, len(batch)))
        partner = np.empty(int(batch.a_off[-1]), np.int64) if partners else None
        kernel.align(
            *sides[0],
            batch.a_off,
            *sides[1],
            batch.b_off,
            self["flexible_terminals"],
            float(self["threshold"]),
            MOST_CELLS,
            most_steps,
            gain,
            steps,
            partner,
        )
        return gain, steps, partner

    def alignments(self, batch: TreeBatch) -> list[tuple[NodePair, ...]]:
        """The aligned pairs of each sentence of a batch that has passed ``check``."""
        _, _, partner = self._align(batch, most_steps=MOST_STEPS, partners=True)
        assert partner is not None
        found = []
        for d, (gold, predicted) in enumerate(batch.pairs):
            mine = partner[batch.a_off[d] : batch.a_off[d + 1]]
            paired = np.flatnonzero(mine >= 0)
            iou = _iou(gold.spans[paired], predicted.spans[mine[paired]])
            found.append(tuple(map(NodePair, paired.tolist(), mine[paired].tolist(), iou.tolist())))
        return found

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        iou, gold, predicted = counts.T
        return divide(2 * iou, gold + predicted)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        iou, gold, predicted = counts["iou"], counts["gold"], counts["predicted"]
        return {"precision": iou / predicted, "recall": iou / gold}


def _flat(trees: list[Tree], codes: dict[str, int], *, unlabelled: bool) -> tuple[Ints, Ints, Floats]:
    """Parents, labels as numbers, and spans of all nodes, one sentence after the other."""
    parent = np.concatenate([np.empty(0, np.int64), *(one.parent for one in trees)])
    if unlabelled:
        code = np.zeros(len(parent), np.int64)
    else:
        names = [name for one in trees for name in one.labels]
        code = np.array([codes.setdefault(name, len(codes)) for name in names], np.int64)
    return parent, code, np.concatenate([np.empty((0, 2)), *(one.spans for one in trees)])


def _iou(a: Floats, b: Floats) -> Floats:
    """The IoU of spans that overlap, row by row."""
    both = np.minimum(a[:, 1], b[:, 1]) - np.maximum(a[:, 0], b[:, 0])
    return np.asarray(both / ((a[:, 1] - a[:, 0]) + (b[:, 1] - b[:, 0]) - both), np.float64)


def iou_by_label(pairs: Sequence[tuple[Tree, Tree]], alignments: Sequence[Sequence[NodePair]]) -> tuple[LabelIoU, ...]:
    """What became of the nodes of each label, over all these sentences; the most frequent first, then by name."""
    rows: dict[str, list[float]] = {}
    for (gold, predicted), aligned in zip(pairs, alignments, strict=True):
        for side, tree in enumerate((gold, predicted)):
            for label in tree.labels:
                rows.setdefault(label, [0, 0, 0.0, 0.0])[side] += 1
        for pair in aligned:
            rows[gold.labels[pair.gold]][2] += pair.iou
            rows[predicted.labels[pair.predicted]][3] += pair.iou
    made = (LabelIoU(label, int(row[0]), int(row[1]), row[2], row[3]) for label, row in rows.items())
    return tuple(sorted(made, key=lambda one: (-one.gold, -one.predicted, one.label)))


def struct_iou(
    gold: Tree,
    predicted: Tree,
    *,
    unlabelled: bool | None = None,
    flexible_terminals: bool | None = None,
    threshold: float | None = None,
    compat: str | None = None,
) -> StructIoUScore:
    """The structured average intersection over union: how much of two trees lies in the same places.

    From 0 to 1. Nodes of the two trees with the same label are aligned one to one, such that one is an ancestor of another
    on one side exactly if it is on the other side. With IoU(u, v) the overlap of their spans over their union, and n and m
    the numbers of nodes,

        score = 2 * max over alignments of (sum of IoU of the aligned pairs) / (n + m)

    It is the harmonic mean of soft precision, sum / m, and soft recall, sum / n: ``score.precision()``,
    ``score.recall()``. ``score.alignment`` has the pairs, ``score.labels`` what became of each label.

    All brackets are nodes, preterminals and an outer bracket without label among them; words are not. Words may differ
    between the two sides: times are what is compared, and both trees must have them, or neither. Without times each word
    has length 1. Labels must be equal, ``NP`` and ``NP-SBJ`` are not. ``unlabelled`` does not look at them.
    ``flexible_terminals`` lets a preterminal pair with any node; with ``compat="struct-iou"`` scores are those of the
    authors' program, which does that by default. A pair counts only if its IoU is above ``threshold``.

    The alignment is exact. Two pairs that overlap keep their order, so an alignment is the mapping of a tree edit distance
    with costs 1, 1 and 2 - 2 IoU, and score = 1 - distance / (n + m); see ``kernels/structiou.pyx``. Sums are kept in whole
    multiples of 2^-52 (fewer bits above 1,023 nodes), so that no order of computation, and no exchange of the trees,
    changes a digit.

    A sentence of one word scores high whatever its parse; over a corpus see :func:`~caesura.struct_iou_corpus`. It says
    nothing of which words were recognised.

    Shi, F., Gimpel, K., & Livescu, K. (2024). Structured tree alignment for evaluation of (speech) constituency parsing.
    ACL. Definition 12 prints no factor 2; the paper's own figures need it.

    >>> gold = Tree.from_brackets("(S (NP (DT the) (NN girl)) (VP (VBD slept)))", [(0, 0.25), (0.25, 0.5), (0.5, 1)])
    >>> predicted = gold.with_times([(0, 0.125), (0.125, 0.5), (0.5, 1)])
    >>> score = struct_iou(gold, predicted)
    >>> round(score.value, 4), round(score.parts["iou"], 4)              # four nodes in place, 1/2 and 2/3
    (0.8611, 5.1667)
    >>> score.alignment[2]
    NodePair(gold=2, predicted=2, iou=0.5)
    """
    made = StructIoU.cached(compat, unlabelled=unlabelled, flexible_terminals=flexible_terminals, threshold=threshold)
    score = made.score(gold, predicted)
    assert isinstance(score, StructIoUScore)
    return score
