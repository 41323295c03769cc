"""Intervals as columns: the spans of hierarchies and of coders, and the nodes of trees.

Places are whole ticks: counted from the start of the item in units, from 0 in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.model.annotation import IN_SECONDS, IS_TREE, SHAPE_BIT, TICKS, Shape, to_ticks
from caesura.model.index import flatnonzero, lexsort, repeat, searchsorted
from caesura.model.value import Floats, Ints

UNLABELLED = -1
Columns = tuple[Any, Any, Ints, Ints]
_EMPTY = np.empty(0, np.int64)
_NOTHING: Columns = (_EMPTY, _EMPTY, _EMPTY, _EMPTY)
_LARGEST = 2.0**62


class Intervals(NamedTuple):
    """Intervals, sorted by start, larger ones first; those of annotation k are the rows ``off[k]:off[k + 1]``."""

    start: Ints
    end: Ints
    level: Ints
    label: Ints  # equal labels have equal numbers; -1 without a label
    off: Ints

    @property
    def count(self) -> Ints:
        return np.diff(self.off)

    @property
    def owner(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), self.count)


class Nodes(NamedTuple):
    """Nodes of trees in preorder; those of tree k are the rows ``off[k]:off[k + 1]``."""

    start: Ints
    end: Ints
    parent: Ints  # place in the own tree; -1 for a root
    label: Ints
    off: Ints

    @property
    def count(self) -> Ints:
        return np.diff(self.off)

    @property
    def owner(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), self.count)


class IntervalColumns:
    """The columns of a table that hold intervals."""

    annotations: Sequence[Any]
    traits: Ints

    @cached_property
    def rows(self) -> Intervals:
        """Spans, and the spans of hierarchies."""
        number: dict[str | None, int] = {None: UNLABELLED}
        known: dict[tuple[str | None, ...], Ints] = {}

        def columns_of(k: int) -> Columns:
            start, end, level, code, names = (_of_spans if is_free[k] else _of_hierarchy)(self.annotations[k])
            if names not in known:
                known[names] = np.array([number.setdefault(name, len(number) - 1) for name in names], np.int64)
            return start, end, level, known[names][code]

        is_free = self._has_shape(Shape.FREE)
        is_marked = is_free | self._is_hierarchy
        columns = [columns_of(k) if marked else _NOTHING for k, marked in enumerate(is_marked.tolist())]
        off = _offsets([len(column[0]) for column in columns])
        start, end, level, label = (_join([column[k] for column in columns]) for k in range(4))
        owner = repeat(np.arange(len(columns)), np.diff(off))
        if start.dtype != np.int64:
            start, end = (_whole(places * np.where(self._in_seconds, TICKS, 1)[owner]) for places in (start, end))
        if is_free.any():  # spans are sorted by end, smaller ones first
            order = lexsort((label, level, -end, start, owner))
            start, end, level, label = (column[order] for column in (start, end, level, label))
        return Intervals(start, end, level, label, off)

    @cached_property
    def units(self) -> Intervals:
        """Units of hierarchies in seconds."""
        times = [_NOTHING[0]] * len(self.annotations)
        for k in flatnonzero(self._is_hierarchy & self._in_seconds).tolist():
            times[k] = to_ticks(self.annotations[k].columns.edges)
        start, end = _join([edges[:-1] for edges in times]), _join([edges[1:] for edges in times])
        return Intervals(start, end, start, start, _offsets([len(edges[1:]) for edges in times]))

    @cached_property
    def chance_units(self) -> Ints:
        """Number of units for the chance agreement of hierarchies; in seconds it depends on a tolerance."""
        pairs = zip(self.annotations, self._is_hierarchy.tolist(), strict=True)
        return np.array([text.extent if known else 1 for text, known in pairs], np.int64)

    @cached_property
    def nodes(self) -> Nodes:
        """Nodes of trees."""
        is_tree = ((self.traits & IS_TREE) != 0).tolist()
        trees = [tree if known else None for tree, known in zip(self.annotations, is_tree, strict=True)]
        off, known = _offsets([0 if tree is None else len(tree) for tree in trees]), [tree for tree in trees if tree]
        number: dict[str, int] = {}
        label = [number.setdefault(name, len(number)) for tree in known for name in tree.labels]
        places = [tree.spans if tree.times is None else tree.spans * TICKS for tree in known]
        start, end = _whole(np.concatenate([np.empty((0, 2)), *places])).T
        return Nodes(start, end, _join([tree.parent for tree in known]), np.array(label, np.int64), off)

    @cached_property
    def misplaced(self) -> dict[int, str]:
        """Annotations with spans that are empty or begin or end inside a unit, and the reason."""
        free = flatnonzero(self._has_shape(Shape.FREE) & ~self._in_seconds).tolist()
        problems = misplaced_spans([self.annotations[k] for k in free])
        return {free[k]: problem for k, problem in problems.items()}

    @property
    def _in_seconds(self) -> NDArray[np.bool_]:
        return (self.traits & IN_SECONDS) != 0

    @property
    def _is_hierarchy(self) -> NDArray[np.bool_]:
        is_nested = self._has_shape(Shape.NESTED) | self._has_shape(Shape.LAYERED)
        return is_nested & ((self.traits & IS_TREE) == 0)

    def _has_shape(self, shape: Shape) -> NDArray[np.bool_]:
        return self.traits >> SHAPE_BIT == shape


def _of_hierarchy(hierarchy: Any) -> tuple[Any, Any, Ints, Ints, tuple[str | None, ...]]:
    start, end, level, label, times, names = hierarchy.columns
    start = start - 1
    if times.size:
        start, end = times[start], times[end]
    return start, end, level, label + 1, names


def _of_spans(spans: Any) -> tuple[Any, Any, Ints, Ints, tuple[str | None, ...]]:
    start, end = spans.starts, spans.ends
    if spans.axis == "units" and spans.bounds is not None and spans.bounds[0]:
        start, end = start - spans.bounds[0], end - spans.bounds[0]
    return start, end, np.ones(len(spans), np.int64), spans.codes, spans.category_names


def misplaced_spans(annotations: Sequence[Any]) -> dict[int, str]:
    """Return the spans that begin or end inside a unit, or are empty: one message per annotation."""
    starts, ends = (_join([getattr(spans, name) for spans in annotations]) for name in ("starts", "ends"))
    off = _offsets([len(spans) for spans in annotations])
    problems: dict[int, str] = {}
    for row in flatnonzero((starts % 1 != 0) | (ends % 1 != 0) | (starts == ends)).tolist():
        k = int(searchsorted(off, row, side="right")) - 1
        place = row - int(off[k])
        rule = "must begin and end at whole positions and be longer than 0"
        problems.setdefault(k, f"spans[{place}] {rule}; got {annotations[k].spans[place]}")
    return problems


def _whole(places: Floats) -> Ints:
    return np.rint(np.clip(places, -_LARGEST, _LARGEST)).astype(np.int64)


def _join(columns: Sequence[Any]) -> Any:
    return np.concatenate(columns) if columns else _EMPTY


def _offsets(sizes: Sequence[int]) -> Ints:
    off = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=off[1:])
    return off
