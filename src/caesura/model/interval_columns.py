"""Intervals as columns: the spans of hierarchies and of coders, and the nodes of trees.

Places are whole ticks: counted from the start of the item in units, from 0 in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.model.annotation import IN_SECONDS, IS_TREE, SHAPE_BIT, TICKS, Shape
from caesura.model.index import EMPTY, bincount, flatnonzero, lexsort, offsets, repeat, searchsorted
from caesura.model.value import Floats, Ints

UNLABELLED = -1
_LARGEST = 2.0**62
_NESTED, _FREE = Shape.NESTED.value, Shape.FREE.value  # attributes of an enumeration take long


class Intervals(NamedTuple):
    """Intervals, sorted by start, larger ones first; those of annotation k are the rows ``off[k]:off[k + 1]``."""

    start: Ints
    end: Ints
    level: Ints
    label: Ints  # equal labels have equal numbers; -1 without a label
    off: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.off)

    @property
    def owner(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), self.sizes)


class Nodes(NamedTuple):
    """Nodes of trees in preorder; those of tree k are the rows ``off[k]:off[k + 1]``."""

    start: Ints
    end: Ints
    parent: Ints  # place in the own tree; -1 for a root
    label: Ints
    off: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.off)

    @property
    def owner(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), self.sizes)


class IntervalColumns:
    """The columns of a table that hold intervals."""

    annotations: Sequence[Any]

    @property
    def traits(self) -> Ints:
        raise NotImplementedError  # the table defines it

    @cached_property
    def rows(self) -> Intervals:
        """Spans, and the spans of hierarchies."""
        nested, free = flatnonzero(self._is_hierarchy), flatnonzero(self._is_free)
        hierarchies = [self.annotations[k].columns for k in nested.tolist()]
        columns = np.concatenate([np.empty((4, 0), np.int64), *(part.rows for part in hierarchies)], axis=1)
        sizes, names = [part.rows.shape[1] for part in hierarchies], [part.names for part in hierarchies]
        if len(free):
            spans = [self.annotations[k] for k in free.tolist()]
            sizes += [len(part) for part in spans]
            names += [part.category_names for part in spans]
            columns = np.concatenate([columns, _columns_of_spans(spans, self._in_seconds[free])], axis=1)
        owner = repeat(np.concatenate([nested, free]), sizes)
        start, end, level, code = columns
        label = _label_numbers(names, sizes, code)
        off = np.append(0, np.cumsum(bincount(owner, minlength=len(self.annotations))))
        if len(free):  # spans are sorted by end, smaller ones first
            order = lexsort((label, level, -end, start, owner))
            start, end, level, label = (column[order] for column in (start, end, level, label))
        return Intervals(start, end, level, label, off)

    @cached_property
    def units(self) -> Intervals:
        """Units of hierarchies in seconds."""
        times = [EMPTY] * len(self.annotations)
        for k in flatnonzero(self._is_hierarchy & self._in_seconds).tolist():
            times[k] = self.annotations[k].columns.times
        start, end = _join([places[:-1] for places in times]), _join([places[1:] for places in times])
        return Intervals(start, end, start, start, offsets([len(places[1:]) for places in times]))

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
        off, known = offsets([0 if tree is None else len(tree) for tree in trees]), [tree for tree in trees if tree]
        number: dict[str, int] = {}
        label = [number.setdefault(name, len(number)) for tree in known for name in tree.labels]
        places = [tree.spans if tree.times is None else tree.spans * TICKS for tree in known]
        start, end = _whole(np.concatenate([np.empty((0, 2)), *places])).T
        return Nodes(start, end, _join([tree.parent for tree in known]), np.array(label, np.int64), off)

    @cached_property
    def misplaced(self) -> dict[int, str]:
        """Annotations with spans that are empty or begin or end inside a unit, and the reason."""
        free = flatnonzero(self._is_free & ~self._in_seconds).tolist()
        problems = misplaced_spans([self.annotations[k] for k in free])
        return {free[k]: problem for k, problem in problems.items()}

    @property
    def _in_seconds(self) -> NDArray[np.bool_]:
        return np.asarray((self.traits & IN_SECONDS) != 0)

    @property
    def _is_hierarchy(self) -> NDArray[np.bool_]:
        shape = self.traits >> SHAPE_BIT
        return np.asarray((shape >= _NESTED) & (shape < _FREE) & ((self.traits & IS_TREE) == 0))

    @property
    def _is_free(self) -> NDArray[np.bool_]:
        return np.asarray(self.traits >> SHAPE_BIT == _FREE)


def _columns_of_spans(spans: Sequence[Any], in_seconds: NDArray[np.bool_]) -> Ints:
    """Return start, end, level and number of the category of many spans."""
    sizes = [len(part) for part in spans]
    scale = repeat(np.where(in_seconds, TICKS, 1), sizes)
    known = [0.0 if part.bounds is None else part.bounds[0] for part in spans]
    origin = repeat(np.where(in_seconds, 0.0, known), sizes)
    start, end = (_join([getattr(part, name) for part in spans]) for name in ("starts", "ends"))
    places = [_whole((column - origin) * scale) for column in (start, end)]
    return np.array([*places, np.ones(len(start), np.int64), _join([part.codes for part in spans])])


def _label_numbers(names: Sequence[tuple[str | None, ...]], sizes: Sequence[int], code: Ints) -> Ints:
    """Return the numbers of labels, which are equal if the labels are; ``code`` is a place in the names of an annotation."""
    number: dict[str | None, int] = {None: UNLABELLED}
    first: dict[tuple[str | None, ...], int] = {}
    numbers: list[int] = []
    for own in names:
        if own not in first:
            first[own] = len(numbers)
            numbers += [number.setdefault(name, len(number) - 1) for name in own]
    offset = repeat(np.array([first[own] for own in names], np.int64), sizes)
    return np.asarray(np.array(numbers, np.int64)[code + offset])


def misplaced_spans(annotations: Sequence[Any]) -> dict[int, str]:
    """Return the spans that begin or end inside a unit, or are empty: one message per annotation."""
    starts, ends = (_join([getattr(spans, name) for spans in annotations]) for name in ("starts", "ends"))
    off = offsets([len(spans) for spans in annotations])
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
    return np.concatenate(columns) if columns else EMPTY
