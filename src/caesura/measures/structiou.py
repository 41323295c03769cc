"""Struct-IoU, which measures the overlap of two trees in time or in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np

from caesura.errors import CaesuraError, MismatchError, OptionError
from caesura.kernels import structiou as kernel
from caesura.limits import MAX_NODE_PAIRS, MAX_TREE_STEPS
from caesura.measures.base import BatchCounts, OverlapMeasure, option
from caesura.measures.needs import Needs
from caesura.model.annotation import IN_SECONDS, Shape
from caesura.model.batch import Batch, Packed
from caesura.model.columns import Names
from caesura.model.index import flatnonzero, searchsorted
from caesura.model.interval_columns import Nodes
from caesura.model.result import Score, f_measure
from caesura.model.tree import Tree
from caesura.model.value import Floats, Ints
from caesura.notices import warn
from caesura.options import flag, number

_SAFE_PAIRS = 100_000  # this many pairs of nodes never need more than _MIN_STEPS steps
_MIN_STEPS = 10**8


class NodePair(NamedTuple):
    """Two aligned nodes: their numbers in preorder, from 0, and their IoU."""

    gold: int
    predicted: int
    iou: float


class LabelIoU(NamedTuple):
    """Number of nodes and summed IoU of a label."""

    # ``gold_iou`` and ``predicted_iou`` are the IoU of its nodes on each side. They differ only if a preterminal may pair with
    # a different label.

    label: str
    gold: int
    predicted: int
    gold_iou: float
    predicted_iou: float

    @property
    def precision(self) -> float | None:
        """IoU per predicted node; None if there is none."""
        return self.predicted_iou / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """IoU per gold node; None if there is none."""
        return self.gold_iou / self.gold if self.gold else None

    @property
    def f(self) -> float:
        """Struct-IoU of this label in the alignment of the whole trees: the harmonic mean of precision and recall."""
        return f_measure(self.precision or 0.0, self.recall or 0.0)


class StructIoUScore(Score):
    """A score with its alignment."""

    measure: StructIoU

    @cached_property
    def alignment(self) -> tuple[NodePair, ...]:
        """The pairs of nodes, in the order of the gold tree; one of the best alignments if there are several."""
        (alignment,) = self.measure.alignments(self._batch)
        return alignment

    @cached_property
    def labels(self) -> tuple[LabelIoU, ...]:
        """Nodes and IoU of each label, the most frequent first."""
        return iou_by_label(self._batch, [self.alignment])

    @property
    def trees(self) -> tuple[Tree, Tree]:
        """The two trees."""
        table = self._batch.table
        return table.annotations[self._batch.first[0]], table.annotations[self._batch.second[0]]

    @property
    def _batch(self) -> Batch:
        if self.source is None:
            raise AttributeError(
                "a sum over several sentences has no alignment; use the sentences, or struct_iou_corpus"
            )
        return cast(Batch, self.source)


def _check_threshold(name: str, value: object) -> float:
    threshold = number(0, 1)(name, value)
    if threshold == 1:
        raise OptionError(f"{name} must be below 1, because an IoU counts only above it; got {value!r}")
    return float(threshold) if threshold else 0


class StructIoU(OverlapMeasure):
    name = "struct_iou"
    title = "Struct-IoU of two trees (Shi, Gimpel & Livescu)"
    summary = "time that aligned nodes share"
    presets = MappingProxyType({"struct-iou": {"flexible_terminals": True, "threshold": 0}})
    short_name = "Struct-IoU"
    kinds = ("trees",)
    places_boundaries = False
    needs = Needs(
        Shape.NESTED,
        least=Shape.NESTED,
        extent=False,
        texts=False,
        streams=False,
        tree=True,
        axis="pair",
        noun="a Tree",
    )
    sides = ("gold", "predicted")
    symmetric = True  # only the value is symmetric; precision and recall are swapped
    aligns = True
    score_class = StructIoUScore
    parts = ("iou", "gold", "predicted")

    unlabelled: bool = option(False, flag, "whether labels are ignored")
    flexible_terminals: bool = option(False, flag, "whether a preterminal may pair with any label")
    threshold: float = option(0, _check_threshold, "IoU above which a pair counts")
    max_steps: float = option(
        MAX_TREE_STEPS,
        number(_MIN_STEPS, 10**15),
        "steps of the alignment of two trees; larger trees are refused",
        omitted_at_default=True,
    )

    def pack(self, pairs: Sequence[Any], types: Names | None = None) -> Packed:
        batch, places, errors = super().pack(pairs, types)
        words = [batch.table.end[rows] for rows in (batch.first, batch.second)]
        untimed = ~batch.table.has(IN_SECONDS)[batch.first]
        unequal = flatnonzero(untimed & (words[0] != words[1]))
        if len(unequal):
            gold, predicted = (side[unequal[0]] for side in words)
            first = int(places[unequal[0]]) + 1
            prefix = "" if len(pairs) == 1 else f"{len(unequal)} of {len(pairs)} pairs, the first number {first}: "
            warn(
                f"{prefix}gold has {gold} words, predicted {predicted}, and neither has times: word 1 is compared with "
                "word 1, word 2 with word 2. Add times, or read with align='characters'"
            )
        return batch, places, errors

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        # Trees of up to a few hundred words may have any shape; larger trees fail only if they zigzag everywhere.
        nodes = [batch.table.size[rows] for rows in (batch.first, batch.second)]
        if np.sum(nodes[0] * nodes[1]) <= _SAFE_PAIRS:
            return {}
        _, steps, _ = self._align(batch, max_steps=0.0)
        errors: dict[int, CaesuraError] = {}
        for d in flatnonzero(steps > self.max_steps).tolist():
            reason, hint = f"more than {MAX_NODE_PAIRS} pairs of nodes overlap", "score smaller pieces"
            if steps[d] < np.inf:
                reason = f"{steps[d]:.2g} steps are needed and {self.max_steps:.2g} allowed"
                hint += f", or set max_steps={10 ** math.ceil(math.log10(steps[d])):.0e}"
            sizes = f"trees of {nodes[0][d]} and {nodes[1][d]} nodes of this shape"
            errors[d] = MismatchError(f"{sizes} are too large: {reason}; {hint}")
        return errors

    def count(self, batch: Batch) -> BatchCounts:
        gain, _, _ = self._align(batch, max_steps=float(self.max_steps))
        return BatchCounts(np.column_stack([gain, *(side.sizes for side in batch.sides("nodes"))]), {})

    def _align(
        self, batch: Batch, *, max_steps: float, with_partners: bool = False
    ) -> tuple[Floats, Floats, Ints | None]:
        """Return the kernel's results: gain, steps, and the partner of each gold node."""
        gold, predicted = (self._columns(side) for side in batch.sides("nodes"))
        gain, steps = np.empty((2, batch.pairs))
        partners = np.empty(len(gold[0]), np.int64) if with_partners else None
        rules = self.flexible_terminals, float(self.threshold)
        kernel.align(*gold, *predicted, *rules, MAX_NODE_PAIRS, max_steps, gain, steps, partners)
        return gain, steps, partners

    def _columns(self, side: Nodes) -> tuple[Ints, Ints, Floats, Ints]:
        label = np.zeros_like(side.label) if self.unlabelled else side.label
        return side.parent, label, np.column_stack([side.start, side.end]).astype(np.float64), side.off

    def alignments(self, batch: Batch) -> list[tuple[NodePair, ...]]:
        """Return the aligned nodes of each pair, in the order of the gold tree."""
        _, _, partners = self._align(batch, max_steps=float(self.max_steps), with_partners=True)
        assert partners is not None
        gold, predicted = batch.sides("nodes")
        paired = flatnonzero(partners >= 0)
        pair = gold.owner[paired]
        other = partners[paired] + predicted.off[pair]
        iou = _iou(gold.start[paired], gold.end[paired], predicted.start[other], predicted.end[other])
        place = (paired - gold.off[pair]).tolist()
        nodes = list(map(NodePair, place, partners[paired].tolist(), iou.tolist()))
        ends = searchsorted(pair, np.arange(batch.pairs + 1)).tolist()
        return [tuple(nodes[start:end]) for start, end in pairwise(ends)]

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        iou, gold, predicted = counts["iou"], counts["gold"], counts["predicted"]
        return {"precision": iou / predicted, "recall": iou / gold}


def _iou(start: Ints, end: Ints, other_start: Ints, other_end: Ints) -> Floats:
    overlap = np.minimum(end, other_end) - np.maximum(start, other_start)
    return np.asarray(overlap / ((end - start) + (other_end - other_start) - overlap), np.float64)


def iou_by_label(batch: Batch, alignments: Sequence[Sequence[NodePair]]) -> tuple[LabelIoU, ...]:
    """Return the nodes and the IoU of each label, the most frequent first."""
    rows: dict[str, list[float]] = {}
    for pair, alignment in enumerate(alignments):
        sides = [batch.table.annotations[k].labels for k in (batch.first[pair], batch.second[pair])]
        for side, labels in enumerate(sides):
            for label in labels:
                rows.setdefault(label, [0, 0, 0.0, 0.0])[side] += 1
        for nodes in alignment:
            rows[sides[0][nodes.gold]][2] += nodes.iou
            rows[sides[1][nodes.predicted]][3] += nodes.iou
    entries = (LabelIoU(label, int(row[0]), int(row[1]), row[2], row[3]) for label, row in rows.items())
    return tuple(sorted(entries, key=lambda entry: (-entry.gold, -entry.predicted, entry.label)))


def struct_iou(
    gold: Tree,
    predicted: Tree,
    *,
    unlabelled: bool | None = None,
    flexible_terminals: bool | None = None,
    threshold: float | None = None,
    max_steps: float | None = None,
    compat: str | None = None,
) -> StructIoUScore:
    """Compute Struct-IoU, the structured average intersection over union of two trees.

    Parameters
    ----------
    gold, predicted : Tree
        The two trees. Both must have times, or neither; without times each word has length 1. Their words may differ.
    unlabelled : bool, optional
        Ignore labels (default: labels must be equal; ``NP`` and ``NP-SBJ`` are not).
    flexible_terminals : bool, optional
        Let a preterminal pair with any node (default: no).
    threshold : float, optional
        A pair counts only if its IoU is above the threshold (default: 0).
    max_steps : float, optional
        Steps of the alignment, above which trees are refused (default: 6e8, about two seconds). Trees of a few hundred words
        reach it only if they zigzag everywhere.
    compat : {"struct-iou"}, optional
        Preset: the authors' program, with flexible terminals.

    Returns
    -------
    StructIoUScore
        From 0 to 1. ``score.alignment`` contains the pairs of nodes, ``score.labels`` the IoU per label;
        ``score.precision()`` and ``score.recall()`` are soft precision and recall.

    Raises
    ------
    MismatchError
        If only one tree has times, or the trees are too large.

    Notes
    -----
    Nodes of the two trees with the same label are aligned one to one, such that ancestors are aligned with ancestors: a
    node is an ancestor of another on one side if and only if its partner is on the other side. With IoU(u, v) the
    overlap of their spans divided by their union, and n and m the numbers of nodes::

        score = 2 * max over alignments of (sum of IoU of the aligned pairs) / (n + m)

    It is the harmonic mean of soft precision, sum / m, and soft recall, sum / n. All brackets are nodes, including
    preterminals and an outer bracket without a label. Words are not nodes.

    The alignment is exact. Two overlapping pairs keep their order, so an alignment is the mapping of a tree edit distance with
    costs 1, 1 and 2 - 2 IoU, and score = 1 - distance / (n + m); see ``kernels/structiou.pyx``. Sums are kept in whole
    multiples of 2^-52 (fewer bits above 1,023 nodes), so neither the order of computation nor swapping the trees
    changes a digit.

    A sentence of one word always scores high; for a corpus see :func:`~caesura.struct_iou_corpus`. Struct-IoU does not
    measure whether words were recognised correctly.

    References
    ----------
    Shi, F., Gimpel, K., & Livescu, K. (2024). Structured tree alignment for evaluation of (speech) constituency parsing.
    ACL. Definition 12 prints no factor 2; the paper's own figures need it.

    Examples
    --------
    >>> gold = Tree.from_brackets("(S (NP (DT the) (NN girl)) (VP (VBD slept)))", [(0, 0.25), (0.25, 0.5), (0.5, 1)])
    >>> predicted = gold.with_times([(0, 0.125), (0.125, 0.5), (0.5, 1)])
    >>> score = struct_iou(gold, predicted)
    >>> round(score.value, 4), round(score.parts["iou"], 4)              # four nodes in place, 1/2 and 2/3
    (0.8611, 5.1667)
    >>> score.alignment[2]
    NodePair(gold=2, predicted=2, iou=0.5)
    """
    rules = {"unlabelled": unlabelled, "flexible_terminals": flexible_terminals, "threshold": threshold}
    rules |= {"max_steps": max_steps}
    return cast(StructIoUScore, StructIoU.cached(compat, **rules).score(gold, predicted))
