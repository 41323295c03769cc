"""Annotations as columns, and pairs of annotations as two columns of row numbers.

``Table`` holds any number of annotations: a few numbers per annotation, and one array per field of their boundaries, segments
or intervals, which is made when a measure first asks for it. Everything is in whole ticks (1 per unit, 10^9 per second), so
that measures need no second path for seconds: equal places are equal numbers, and sums are exact. ``Batch`` is what a measure
counts: pairs of rows of a table. The streams of a dialogue are rows whose counts are added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, reduce
from itertools import pairwise
from operator import and_, itemgetter, or_
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError
from caesura.kernels.gather import gather, gather_codes, read_headers
from caesura.model.annotation import (
    HAS_CODES,
    HAS_COUNTS,
    HAS_END_POINTS,
    HAS_LABELS,
    HAS_NO_TYPES,
    HAS_SCORES,
    IN_SECONDS,
    OPEN_END,
    SHAPE_BIT,
    TICKS,
    Axis,
    Divided,
    Edges,
    Shape,
    edges_of_intervals,
    to_ticks,
)
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import EMPTY as EMPTY
from caesura.model.index import flatnonzero, join_arrays, lexsort, repeat, searchsorted
from caesura.model.index import offsets as offsets
from caesura.model.interval_columns import IntervalColumns, Intervals, Nodes
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.value import Floats, Ints

Names = tuple[str, ...]
_FEW = 100  # rows up to which a loop is faster than numpy


class Boundaries(NamedTuple):
    """Places and types of boundaries; those of annotation k are the rows ``off[k]:off[k + 1]``."""

    place: Ints
    code: Ints  # index into the types; empty if there is one type only
    off: Ints

    @property
    def count(self) -> Ints:  # type: ignore[override]  # nobody counts the entries of the tuple
        return np.asarray(self.off[1:] - self.off[:-1], np.int64)  # np.diff takes longer than counting a short text

    @property
    def owner(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), self.count)


class Weights(NamedTuple):
    """Boundaries with numbers; those of annotation k are the rows ``off[k]:off[k + 1]``."""

    place: Ints
    weight: Floats  # number of coders who marked it, or its score; 1 in an annotation without such numbers
    off: Ints

    @property
    def owner(self) -> Ints:
        return repeat(np.arange(len(self.off) - 1), np.diff(self.off))


class Segments(NamedTuple):
    """Segments between inner boundaries; those of annotation k are the rows ``off[k]:off[k + 1]``."""

    label: Ints  # 0 without a label; equal labels of an annotation have the same number
    off: Ints


class Table(IntervalColumns):
    """Annotations in flat arrays, in ticks.

    ``begin`` and ``end`` are the extents, ``traits`` the bits of :mod:`caesura.model.annotation`, ``size`` the numbers of rows.
    """

    change: Floats | None = None  # seconds by which the extent of each annotation was changed

    def __init__(self, annotations: Sequence[Any], packed: list[bytes] | None = None) -> None:
        self.annotations = annotations
        self._packed = packed  # where the boundaries of each annotation come from; None if they are in columns already

    @classmethod
    def of(cls, annotations: Sequence[Any], packed: list[bytes] | None = None) -> Table:
        """Return the table of loose annotations; AttributeError if one of them is none."""
        return cls(annotations, [text.packed for text in annotations] if packed is None else packed)

    @classmethod
    def of_texts(cls, length: Ints, count: Ints) -> Table:
        """Return the table of texts in units that are known to be valid; its columns come from elsewhere."""
        table = cls(())
        table.headers = np.zeros_like(length), length, np.full(len(length), HAS_NO_TYPES), count
        return table

    def __len__(self) -> int:
        return len(self.headers[0])

    # A single pair, for which measures are called in loops, has headers and their columns when somebody asks for them.

    @cached_property
    def _read(self) -> tuple[Ints, Ints]:
        """Begin, end, traits and size, which are four rows, and where the boundaries of each annotation begin."""
        return read_headers(self._packed)  # type: ignore[arg-type]

    @cached_property
    def headers(self) -> tuple[Ints, ...]:
        return tuple(self._read[0])

    @property
    def begin(self) -> Ints:
        return self.headers[0]

    @property
    def end(self) -> Ints:
        return self.headers[1]

    @property
    def traits(self) -> Ints:
        return self.headers[2]

    @property
    def size(self) -> Ints:
        return self.headers[3]

    @cached_property
    def seconds(self) -> bool:
        return bool(len(self) and int(self.traits[0]) & IN_SECONDS)

    @property
    def ticks(self) -> int:
        return TICKS if self.seconds else 1

    @cached_property
    def _typed(self) -> dict[tuple[str, Names], Any]:
        """Columns by name and scale of types."""
        return {}

    @cached_property
    def summary(self) -> tuple[int, int, int, int]:
        """The traits that all annotations have, those that some have, and the simplest and the most complex shape."""
        traits = self.traits
        if len(traits) > _FEW:
            every, some = np.bitwise_and.reduce(traits), np.bitwise_or.reduce(traits)
            return int(every), int(some), int(traits.min()) >> SHAPE_BIT, int(traits.max()) >> SHAPE_BIT
        listed = traits.tolist() or [0]
        return reduce(and_, listed), reduce(or_, listed), min(listed) >> SHAPE_BIT, max(listed) >> SHAPE_BIT

    @property
    def shape(self) -> Ints:
        return np.asarray(self.traits >> SHAPE_BIT, np.int64)

    def has(self, trait: int) -> NDArray[np.bool_]:
        return np.asarray((self.traits & trait) != 0, bool)

    @cached_property
    def places(self) -> Boundaries:
        """Inner boundaries without their types; two types at one place are one boundary."""
        assert self._packed is not None
        off = self._read[1]
        return Boundaries(gather(self._packed, off), EMPTY, off)

    @cached_property
    def end_places(self) -> Boundaries:
        """Boundaries of which points may be at the end of the extent; they separate no segments there."""
        return self._with_end_points(at_begin=False)

    @cached_property
    def all_places(self) -> Boundaries:
        """Boundaries of which points may be at both ends of the extent."""
        return self._with_end_points(at_begin=True)

    def _with_end_points(self, *, at_begin: bool) -> Boundaries:
        points = {}
        for k in flatnonzero(self.has(HAS_END_POINTS)).tolist():
            ticks = to_ticks(self.annotations[k].edges.points)
            points[k] = ticks if at_begin else ticks[ticks > self.begin[k]]
        return replace_rows(self.places, points) if points else self.places

    def inner(self, types: Names) -> Boundaries:
        """Inner boundaries with their types as indices into a scale, which has all of them."""
        if len(types) == 1:
            return self.places
        place, code, off = self.column("marked", types)
        owner = repeat(np.arange(len(self)), np.diff(off))
        inside = (code >= 0) & (place < self.end[owner])  # a pair with types that are not in the scale is excluded
        place, code, owner = place[inside], code[inside], owner[inside]
        if ((place[1:] == place[:-1]) & (owner[1:] == owner[:-1]) & (code[1:] < code[:-1])).any():
            code = code[lexsort((code, place, owner))]
        return Boundaries(place, code, np.concatenate([[0], np.cumsum(inside)])[off])

    @cached_property
    def weighted(self) -> Weights:
        """Boundaries with the number of coders who marked them, or with scores."""
        place, _, off = self.all_places
        weight = np.ones(len(place))
        for k in flatnonzero(self.has(HAS_COUNTS)).tolist():
            weight[off[k] : off[k + 1]] = self.annotations[k].position_counts
        for k in flatnonzero(self.has(HAS_SCORES)).tolist():
            weight[off[k] : off[k + 1]] = self.annotations[k].scores
        return Weights(place, weight, off)

    @cached_property
    def coders(self) -> Ints:
        """Number of coders for whom each annotation stands."""
        coders = np.ones(len(self), np.int64)
        for k in flatnonzero(self.has(HAS_COUNTS)).tolist():
            coders[k] = self.annotations[k].coders
        return coders

    @cached_property
    def _types(self) -> tuple[list[tuple[str, ...]], Ints]:
        """The distinct lists of types of the texts, and the number of the list of each annotation."""
        if not self.annotations or self.has(HAS_NO_TYPES).all():
            return [UNTYPED], np.zeros(len(self), np.int64)
        numbers: dict[tuple[str, ...], int] = {}
        lists = [numbers.setdefault(getattr(text, "types", UNTYPED), len(numbers)) for text in self.annotations]
        return list(numbers), np.array(lists, np.int64)

    @cached_property
    def _marked(self) -> Boundaries:
        """All boundaries, those at the ends of texts too, with their types as indices into the own types of each text."""
        listed = self.annotations
        texts = [getattr(text, "boundary_positions", EMPTY) for text in listed]
        off, place = offsets([*map(len, texts)]), join_arrays(texts)
        is_typed = any(len(types) > 1 for types in self._types[0])
        codes = (
            [text.codes if len(places) else EMPTY for text, places in zip(listed, texts, strict=True)]
            if is_typed
            else ()
        )
        return Boundaries(place, join_arrays(codes) if is_typed else np.zeros_like(place), off)

    def marked(self, types: tuple[str, ...]) -> Boundaries:
        """All boundaries, those at the ends of texts too, with their types as indices into a scale; -1 for other types."""
        (place, code, off), (lists, number) = self._marked, self._types
        if lists == [types]:
            return self._marked
        new_codes = [np.array([types.index(name) if name in types else -1 for name in own]) for own in lists]
        if len(lists) == 1:
            return Boundaries(place, new_codes[0][code], off)
        first = offsets([*map(len, lists)])[number]  # place of the first code of each text among all codes
        return Boundaries(place, np.concatenate(new_codes)[code + repeat(first, np.diff(off))], off)

    def types_of(self, rows: Ints) -> set[str]:
        """Return the types that some texts declare, or have by default and use."""
        lists, number = self._types
        untyped, off = lists.index(UNTYPED) if UNTYPED in lists else -1, self._marked.off
        used = number[rows][(off[rows + 1] > off[rows]) | (number[rows] != untyped)]
        return {name for k in set(used.tolist()) for name in lists[k]}

    @cached_property
    def segments(self) -> Segments:
        """Segments between inner boundaries with the numbers of their labels; 1 if an annotation has no labels."""
        off = self.places.off + np.arange(len(self) + 1)  # one segment more than boundaries
        label = np.ones(off[-1], np.int64) if self._packed is None else gather_codes(self._packed, off)
        of_texts = self.has(HAS_LABELS) & ~self.has(HAS_CODES) & (self.shape <= Shape.PARTITION)
        for k in flatnonzero(of_texts).tolist():
            label[off[k] : off[k + 1]] = self._segment_labels[k][0]
        return Segments(label, off)

    def labels(self, names: Names) -> Segments:
        """Segments whose labels have one numbering: 1 + the index into a list of names, 0 without a label."""
        numbers: dict[str | None, int] = {name: number for number, name in enumerate(names, 1)}
        listed = [(None, *(labels or ("",))) for _, labels in self._segment_labels]  # an unlabelled text has number 1
        start = offsets(np.array([len(labels) for labels in listed], np.int64))
        shared = np.array([numbers.get(name, 0) for labels in listed for name in labels], np.int64)
        label, off = self.segments
        return Segments(shared[label + repeat(start[:-1], np.diff(off))], off)

    def label_names(self, rows: Ints) -> Names:
        """Return the labels of the segments of some annotations, in alphabetical order."""
        return tuple(sorted({name for row in rows.tolist() for name in self._segment_labels[row][1] if name}))

    @cached_property
    def _segment_labels(self) -> list[tuple[Ints, Names]]:
        none: tuple[Ints, Names] = EMPTY, ()
        labelled = (self.has(HAS_LABELS) & (self.shape <= Shape.PARTITION)).tolist()
        known: dict[int, tuple[Ints, Names]] = {}  # a coder is in many pairs
        for annotation, has_labels in zip(self.annotations, labelled, strict=True):
            if id(annotation) not in known:
                known[id(annotation)] = segment_labels(annotation) if has_labels else none
        return [known[id(annotation)] for annotation in self.annotations]

    def column(self, name: str, types: Names = UNTYPED) -> Any:
        """Return a column by name; ``inner`` is over a scale of types, and ``labels`` over a list of labels."""
        if name not in TYPED:
            return getattr(self, name)
        if (name, types) not in self._typed:
            self._typed[name, types] = getattr(self, name)(types)
        return self._typed[name, types]

    def take(self, rows: Ints) -> Table:
        """Return some of the annotations, with the columns that they have already."""
        chosen = rows.tolist()
        annotations = [self.annotations[k] for k in chosen] if len(self.annotations) else ()
        table = Table(annotations, None if self._packed is None else [self._packed[k] for k in chosen])
        table.headers = tuple(column[rows] for column in self.headers)
        columns = {name: take(column, rows) for name, column in self.__dict__.items() if isinstance(column, COLUMNS)}
        table.__dict__.update(columns)
        if self.change is not None:
            table.change = self.change[rows]
        return table


COLUMNS = (Boundaries, Weights, Segments, Intervals, Nodes)
TYPED = ("inner", "marked", "labels")  # columns that depend on the types of a batch
PLACES = ("places", "end_places", "all_places")  # columns that differ only for points at the ends of the extent


class ExtendedTable(Table):
    """A table with more texts after its annotations, which are no objects: ``more`` returns a column of them."""

    def __init__(self, table: Table, length: Ints, count: Ints, more: Callable[[str, Names], Any]) -> None:
        super().__init__(table.annotations)
        texts = Table.of_texts(length, count)
        self.headers = tuple(map(np.concatenate, zip(table.headers, texts.headers, strict=True)))
        self._base, self._more = table, more

    def column(self, name: str, types: Names = UNTYPED) -> Any:
        if (name, types) not in self._typed:
            columns, more = self._base.column(name, types), self._more(name, types)
            joined = (np.concatenate(pair) for pair in zip(columns[:-1], more[:-1], strict=True))
            off = np.concatenate([columns.off, more.off[1:] - more.off[0] + columns.off[-1]])
            self._typed[name, types] = type(columns)(*joined, off)
        return self._typed[name, types]


def nest(table: Table) -> Table:
    """Return the table with spans as hierarchies; spans that cross stay as they are."""
    free = flatnonzero(table.shape == Shape.FREE).tolist()
    if not free:
        return table
    annotations = list(table.annotations)
    for k in free:
        with suppress(CaesuraError):
            annotations[k] = annotations[k].to_hierarchy()
    return Table.of(annotations)


class Partition(Divided):
    """Boundaries and segments of one annotation that was converted: a level of a hierarchy, or another extent."""

    __slots__ = ("axis", "boundary_positions", "codes", "edges", "length", "types", "types_declared", "units")

    shape = Shape.PARTITION
    boundary_positions: Ints

    def __init__(self, edges: Edges, *, seconds: bool, units: Names | None = None) -> None:
        positions = np.asarray(edges.inner).astype(np.int64)  # for texts, which have one type
        axis = Axis(edges.begin, edges.end, seconds, units, known=not edges.open_end)
        self._fill(edges=edges, axis=axis, units=units, length=edges.end, types=UNTYPED, types_declared=False)
        self._fill(boundary_positions=positions, codes=np.zeros_like(positions))

    @property
    def boundaries(self) -> list[tuple[int, str]]:
        return [(position, UNTYPED[0]) for position in self.boundary_positions.tolist()]


def at_level(table: Table, level: int | None) -> tuple[Table, dict[int, str]]:
    """Return the table with hierarchies as one of their levels, and why some have none, by row."""
    annotations, problems = list(table.annotations), {}
    for k in flatnonzero(table.shape > Shape.PARTITION).tolist():
        if isinstance(annotations[k], Hierarchy):
            try:
                annotations[k] = level_of(annotations[k], level)
            except MismatchError as error:
                problems[k] = str(error)
    return Table.of(annotations), problems


def union_of(annotations: Sequence[Any]) -> Any:
    """Return an annotation with the boundaries of all coders; boundaries at the same place are one."""
    if all(isinstance(annotation, Mapping) for annotation in annotations):
        if len({frozenset(annotation) for annotation in annotations}) > 1:
            raise MismatchError("references='union': all coders must have the same streams")
        return {name: union_of([annotation[name] for annotation in annotations]) for name in annotations[0]}
    table = Table.of([annotation for annotation in annotations if not isinstance(annotation, Mapping)])
    if (
        len(table) < len(annotations)
        or (table.shape > Shape.PARTITION).any()
        or len(np.unique(table.has(IN_SECONDS))) > 1
    ):
        kinds = ", ".join(sorted({type(annotation).__name__ for annotation in annotations}))
        raise MismatchError(
            f"references='union': only segmentations and tiers have boundaries that can be joined; got {kinds}"
        )
    if not table.seconds and len(set(table.end.tolist())) > 1:
        lengths = ", ".join(map(str, sorted(set(table.end.tolist()))))
        raise MismatchError(f"references='union': all coders must have the same units; got {lengths} units")
    begin, end, places = int(table.begin.min()), int(table.end.max()), np.unique(table.all_places.place)
    inner = places[(places > begin) & (places < end)]
    points = places / table.ticks if len(inner) < len(places) else None
    open_end = bool(table.has(OPEN_END).any())
    edges = Edges(begin / table.ticks, end / table.ticks, inner / table.ticks, points=points, open_end=open_end)
    return Partition(edges, seconds=table.seconds)


def level_of(text: Hierarchy, level: int | None) -> Partition:
    """Return one level of a hierarchy; it may have gaps."""
    levels = {span.level for span in text.spans}
    listed = ", ".join(map(str, sorted(levels))) or "none"
    if level is None and len(levels) > 1:
        raise MismatchError(f"the hierarchy has the levels {listed}; choose one with level={min(levels)}")
    if level is not None and level not in levels:
        raise MismatchError(f"the hierarchy has no level {level}; its levels are {listed}")
    spans = sorted((row for row in text.ranges if level is None or row[3] == level), key=itemgetter(0))
    labelled = any(label is not None for _, _, label, _ in spans)
    rows = [(start, end, label if labelled else "") for start, end, label, _ in spans]
    if overlap := next(((before, after) for before, after in pairwise(rows) if after[0] < before[1]), None):
        listed = " and ".join(f"{start:.10g}-{end:.10g}" for start, end, _ in overlap)
        raise MismatchError(
            f"two spans of level {spans[0][3]} overlap, {listed}; put spans that may overlap into one stream each"
        )
    axis = text.axis
    edges = edges_of_intervals(rows, *map(float, axis.extent))
    return Partition(edges if labelled else edges._replace(labels=()), seconds=axis.seconds, units=text.units)


def segment_labels(annotation: Any) -> tuple[Ints, Names]:
    """Return the number of the label of each segment, 0 without one, and the labels in the order of these numbers."""
    if not isinstance(annotation, Segmentation):
        return annotation.edges.codes, annotation.edges.labels
    if annotation.labels is None:
        return EMPTY, ()
    names = list(map(annotation.labels.__getitem__, (0, *annotation.inner.tolist())))
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names), 1)}
    return np.array(list(map(numbers.__getitem__, names)), np.int64), tuple(numbers)


def typed_inner(text: Any, types: Names) -> tuple[Ints, Ints]:
    """Return the inner positions of a text and the codes of their types, as indices into a scale that has all of them."""
    if text.types is not types and text.types != types and text.boundary_positions.size:
        text = text.with_types(types)
    positions = text.boundary_positions
    codes = text.codes if len(text.types) > 1 else np.zeros(len(positions), np.int64)
    if positions.size and positions[-1] == text.length:
        inner = int(searchsorted(positions, text.length))
        positions, codes = positions[:inner], codes[:inner]
    return positions, codes


def distinct(boundaries: Boundaries) -> Boundaries:
    """Return each place once per annotation, without types."""
    place, _, off = boundaries
    is_new = np.ones(len(place), bool)
    is_new[1:] = place[1:] != place[:-1]
    is_new[off[:-1][off[:-1] < len(place)]] = True
    return Boundaries(place[is_new], EMPTY, np.concatenate([[0], np.cumsum(is_new)])[off])


def replace_rows(boundaries: Boundaries, rows: Mapping[int, Ints]) -> Boundaries:
    """Return untyped boundaries in which some annotations have other places."""
    parts = [boundaries.place[start:end] for start, end in pairwise(boundaries.off.tolist())]
    for k, places in rows.items():
        parts[k] = places
    return Boundaries(np.concatenate([EMPTY, *parts]), EMPTY, offsets(np.array([*map(len, parts)], np.int64)))


def rows_of(off: Ints, chosen: Ints) -> tuple[Any, Ints]:
    """Return the rows of some parts and their new offsets; rows that follow each other are a slice."""
    if len(chosen) and chosen[-1] - chosen[0] == len(chosen) - 1 and (chosen[1:] > chosen[:-1]).all():
        first, last = int(chosen[0]), int(chosen[-1]) + 1
        return slice(off[first], off[last]), off[first : last + 1] - off[first]
    ends = offsets(off[chosen + 1] - off[chosen])
    return repeat(off[chosen] - ends[:-1], np.diff(ends)) + np.arange(ends[-1]), ends


Columns = TypeVar("Columns", bound=tuple[Any, ...])


def take(columns: Columns, chosen: Ints) -> Columns:
    """Return the boundaries, segments or intervals of some annotations."""
    rows, off = rows_of(columns[-1], chosen)
    parts: Any = (column[rows] if column.size else column for column in columns[:-1])
    return type(columns)(*parts, off)  # type: ignore[call-arg]
