"""Batches of pairs of hierarchies or of trees, many documents at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from caesura.errors import CaesuraError
from caesura.measures.batch import (
    EMPTY,
    Batch,
    Comparison,
    Packed,
    join_arrays,
    offsets_of,
    rows_of,
    select_pairs,
    units_difference,
)
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import bincount, lexsort, repeat
from caesura.model.spans import Spans
from caesura.model.tree import Tree
from caesura.model.value import Floats, Ints

UNLABELLED = -1
NO_TIMES = np.empty(0)


@dataclass(frozen=True, slots=True)
class DistinctSpans:
    """Distinct (start, end) spans without levels, sorted by document and start, larger spans first."""

    document: Ints
    # First and last unit.
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.document)

    def count(self, documents: int, where: Any = None) -> Ints:
        chosen = self.document if where is None else self.document[where]
        return bincount(chosen, minlength=documents)


@dataclass(frozen=True, slots=True)
class SpanArrays:
    """The spans of one side: those of document d are the rows ``off[d] .. off[d + 1] - 1``."""

    # Rows are sorted by start, larger spans first, then by level.

    # First unit, last unit and level of each span.
    start: Ints
    end: Ints
    level: Ints
    label: Ints  # A code for each label of a document; -1 if the span has no label
    off: Ints  # offset of each document in the spans
    edges: Floats  # Times between units, ``edge_off[d] .. edge_off[d + 1] - 1``; empty for texts.
    edge_off: Ints  # offset of each document in the edges
    extent: Ints  # N for expected agreement, per document

    def take(self, documents: Ints) -> SpanArrays:
        rows, off = rows_of(self.off, documents)
        times, edge_off = rows_of(self.edge_off, documents)
        start, end, level, label = (column[rows] for column in (self.start, self.end, self.level, self.label))
        return SpanArrays(start, end, level, label, off, self.edges[times], edge_off, self.extent[documents])

    def slice(self, start: int, stop: int) -> SpanArrays:
        """Return consecutive documents without copying their spans."""
        (off, rows), (edge_off, times) = (_cut(offsets, start, stop) for offsets in (self.off, self.edge_off))
        start_of, end, level, label = (column[rows] for column in (self.start, self.end, self.level, self.label))
        return SpanArrays(start_of, end, level, label, off, self.edges[times], edge_off, self.extent[start:stop])

    @property
    def document(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), np.diff(self.off))

    @property
    def distinct(self) -> DistinctSpans:
        """The distinct (start, end) pairs of all levels."""
        d = self.document
        is_new = np.ones(len(d), bool)
        is_new[1:] = (np.diff(d) != 0) | (np.diff(self.start) != 0) | (np.diff(self.end) != 0)
        return DistinctSpans(d[is_new], self.start[is_new], self.end[is_new])


@dataclass(frozen=True, slots=True)
class HierarchyBatch(Batch):
    """A batch of hierarchies. The positions of ``Batch`` are starts of spans, and its codes are labels."""

    a: SpanArrays = field(kw_only=True)
    b: SpanArrays = field(kw_only=True)

    @classmethod
    def of(cls, length: Ints, a: SpanArrays, b: SpanArrays) -> HierarchyBatch:
        return cls(length, a.start, a.label, a.off, b.start, b.label, b.off, a=a, b=b)

    def slice(self, start: int, stop: int) -> HierarchyBatch:
        return HierarchyBatch.of(self.length[start:stop], self.a.slice(start, stop), self.b.slice(start, stop))

    def take(self, documents: Ints) -> HierarchyBatch:
        return HierarchyBatch.of(self.length[documents], self.a.take(documents), self.b.take(documents))


def pack_spans(pairs: Sequence[Comparison], sides: tuple[str, str], *, same_units: bool) -> Packed[HierarchyBatch]:
    nested = [tuple(map(_as_hierarchy, pair)) if _has_spans(pair) else pair for pair in pairs]
    chosen, places, errors = select_pairs(
        nested, lambda a, b: _hierarchy_problem(a, b, sides, same_units), expected="hierarchies"
    )
    a, b = (_span_arrays([pair[k] for pair in chosen]) for k in (0, 1))
    length = np.array([hierarchy.length for hierarchy, _ in chosen], np.int64)
    return HierarchyBatch.of(length, a, b), places, errors


def distinct_rows(rows: Ints) -> Ints:
    """Return the rows of a table without repetition, in ascending order."""
    rows = rows[lexsort(rows.T[::-1])]
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return np.asarray(rows[is_new])


def count_common(a: Ints, b: Ints, documents: int) -> Floats:
    """Return how many keys both sides of each document have, and how many each side has."""
    both = np.concatenate([a, b])
    columns = [np.ascontiguousarray(column) for column in both.T]  # long stretches of each are sorted already
    order = lexsort(columns[::-1])
    is_common = np.ones(max(len(order) - 1, 0), bool)
    for column in columns:
        ordered = column[order]
        is_common &= ordered[1:] == ordered[:-1]
    common = columns[0][order][1:][is_common]  # equal neighbors belong to different sides
    numbers = [bincount(document, minlength=documents) for document in (common, a[:, 0], b[:, 0])]
    return np.column_stack(numbers).astype(float)


def _cut(off: Ints, start: int, stop: int) -> tuple[Ints, slice]:
    """Return the offsets of consecutive documents, counted from the first of them, and where their entries are."""
    return off[start : stop + 1] - off[start], slice(off[start], off[stop])


def _has_spans(pair: Any) -> bool:
    return isinstance(pair, tuple) and any(isinstance(text, Spans) for text in pair)


def _as_hierarchy(text: Any) -> Any:
    """Return spans as a hierarchy; spans that cross stay, and ``_hierarchy_problem`` says why they cannot be compared."""
    if not isinstance(text, Spans):
        return text
    try:
        return text.to_hierarchy()
    except CaesuraError:
        return text


def _span_arrays(hierarchies: list[Hierarchy]) -> SpanArrays:
    columns = [hierarchy.columns for hierarchy in hierarchies]
    rows: list[list[Ints]] = [[spans.start, spans.end, spans.level, spans.label] for spans in columns]
    start, end, level, label = (join_arrays([arrays[k] for arrays in rows]) for k in range(4))
    times = [spans.edges for spans in columns]
    extent = np.array([hierarchy.extent for hierarchy in hierarchies], np.int64)
    off, edge_off = offsets_of([spans.start for spans in columns]), offsets_of(times)
    return SpanArrays(start, end, level, label, off, np.concatenate([NO_TIMES, *times]), edge_off, extent)


def _hierarchy_problem(a: Any, b: Any, sides: tuple[str, str], same_units: bool) -> str | None:
    for side, text in zip(sides, (a, b), strict=True):
        if isinstance(text, Spans):
            return f"{side}: the spans cross, so they are no hierarchy; use span_f, or gamma with caesura agree"
        if not isinstance(text, Hierarchy):
            return f"{side}: expected a Hierarchy; got {'a dialogue' if isinstance(text, Mapping) else type(text).__name__}"
        if same_units and not text.nested:
            return f"{side}: the spans do not nest; use t_measure or l_measure, or leave out spans with repair=True"
    if (a.edges is None) != (b.edges is None):
        return _times_problem("sides", a.edges, sides)
    if a.edges is None:
        return units_difference(a, b, sides)
    if same_units and a.edges != b.edges:
        units = ", ".join(f"{side} has {_time_range(text)}" for side, text in zip(sides, (a, b), strict=True))
        return f"both sides must have the same units; {units}; put them on the same units with common_units"
    return None


def _time_range(hierarchy: Hierarchy) -> str:
    edges = hierarchy.edges or (0.0, 0.0)
    return f"{hierarchy.length} from {edges[0]:g} to {edges[-1]:g} s"


@dataclass(frozen=True, slots=True)
class TreeBatch(Batch):
    """A batch of pairs of trees. The offsets of ``Batch`` count nodes, and its length counts words."""

    pairs: tuple[tuple[Tree, Tree], ...] = field(kw_only=True)
    document_fields: ClassVar[tuple[str, ...]] = ("pairs",)

    @classmethod
    def of(cls, pairs: Sequence[tuple[Tree, Tree]]) -> TreeBatch:
        a_off, b_off = (offsets_of([pair[side] for pair in pairs]) for side in (0, 1))
        length = np.array([gold.length for gold, _ in pairs], np.int64)
        return cls(length, EMPTY, EMPTY, a_off, EMPTY, EMPTY, b_off, pairs=tuple(pairs))

    def slice(self, start: int, stop: int) -> Self:
        return self.take(np.arange(start, stop))


def pack_trees(pairs: Sequence[Comparison], sides: tuple[str, str], *, same_times: bool = False) -> Packed[TreeBatch]:
    chosen, places, errors = select_pairs(pairs, lambda a, b: _tree_problem(a, b, sides, same_times), expected="trees")
    return TreeBatch.of(chosen), places, errors


def _tree_problem(a: Any, b: Any, sides: tuple[str, str], same_times: bool) -> str | None:
    for side, tree in zip(sides, (a, b), strict=True):
        if tree is None:
            return f"{side}: there is no tree"
        if not isinstance(tree, Tree):
            return f"{side}: expected a Tree; got {type(tree).__name__}"
    return _times_problem("trees", a.times, sides) if same_times and (a.times is None) != (b.times is None) else None


def _times_problem(noun: str, a_times: Any, sides: tuple[str, str]) -> str:
    timed, untimed = sides if a_times is not None else sides[::-1]
    return f"both {noun} must have times, or neither; {timed} has times, {untimed} has none"
