"""Pairs of annotations as two columns of row numbers, which is what a measure counts.

A pair is two rows of a table (:mod:`caesura.model.columns`). The streams of a dialogue are rows whose counts are added. Below
the class are the ways from loose annotations to a batch, and the scale of boundary types that all pairs share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np

from caesura.errors import CaesuraError, MismatchError, OptionError
from caesura.model.annotation import HAS_CODES, HAS_NO_TYPES, HAS_UNITS, HEADER, IN_SECONDS
from caesura.model.columns import (
    COLUMNS,
    EMPTY,
    PLACES,
    TYPED,
    Boundaries,
    Names,
    Segments,
    Table,
    Weights,
    distinct,
    offsets,
    rows_of,
    take,
)
from caesura.model.index import searchsorted
from caesura.model.segmentation import UNTYPED, sort_types
from caesura.model.value import Floats, Ints
from caesura.notices import warn

T = TypeVar("T")
Pair = tuple[Any, Any]
_SAMPLE = 100

# A batch, the places of its items among all pairs, and the errors of the other pairs by place.
Packed = tuple["Batch", Ints, dict[int, CaesuraError]]


@dataclass(eq=False)
class Batch:
    """Pairs of annotations of a table, which a measure counts.

    A pair is a row of ``first`` and ``second``. The rows ``streams[d]:streams[d + 1]`` are the streams of document d, whose
    counts are added; the documents ``references[i]:references[i + 1]`` compare item i with one reference each.
    """

    table: Table
    first: Ints
    second: Ints
    types: Names = UNTYPED  # the scale of the boundary types, for measures that look at them
    streams: Ints | None = None  # None if every document is one row
    names: tuple[str | None, ...] | None = None  # the stream of each row; None for a text that is no dialogue
    references: Ints | None = None  # None if every item is one document
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of_sides(cls, length: Ints, a: Boundaries, b: Boundaries, types: Names = UNTYPED) -> Batch:
        """Return pairs of texts in units that are known to be valid, from the inner boundaries of both sides."""
        table = Table.of_texts(np.concatenate([length, length]), np.concatenate([a.count, b.count]))
        rows = np.arange(len(length))
        batch = cls(table, rows, rows + len(length), types)
        batch.set_sides(a, b)
        return batch

    def set_sides(self, a: Boundaries, b: Boundaries) -> None:
        """Let all columns of boundaries be these, none of which is at the end of a text."""
        inner = a, b
        self.cache["inner", self.types] = inner
        self.cache["marked", self.types] = tuple(
            side if side.code.size else side._replace(code=np.zeros_like(side.place)) for side in inner
        )
        places = tuple(distinct(side) if side.code.size else side for side in inner)
        self.cache.update(dict.fromkeys(PLACES, places))
        self.cache["weighted"] = tuple(Weights(side.place, np.ones(len(side.place)), side.off) for side in places)

    @cached_property
    def item(self) -> Ints:
        """The item of each row."""
        item = np.arange(self.pairs)
        for off in (self.streams, self.references):
            item = item if off is None else searchsorted(off, item, side="right") - 1
        return item

    def __len__(self) -> int:
        return self.documents if self.references is None else len(self.references) - 1

    @property
    def documents(self) -> int:
        return len(self.first) if self.streams is None else len(self.streams) - 1

    @property
    def pairs(self) -> int:
        return len(self.first)

    def sides(self, column: str = "places") -> tuple[Any, Any]:
        """Return a column of the table for both sides of each pair: ``places``, ``inner``, ``segments`` and so on."""
        key = (column, self.types) if column in TYPED else column
        sides = self.cache.get(key)
        if sides is None:
            columns = self.table.column(column, self.types)
            sides = self.cache[key] = take(columns, self.first), take(columns, self.second)
        return sides

    def boundaries(self) -> tuple[Boundaries, Boundaries]:
        """Return the inner boundaries of both sides with their types."""
        return self.sides("inner")

    def shared(self, key: Any, compute: Callable[[], T]) -> T:
        """Return what several measures share; compute it at the first call."""
        if key not in self.cache:
            self.cache[key] = compute()
        return cast(T, self.cache[key])

    @cached_property
    def begin(self) -> Ints:
        return np.asarray(self.table.begin[self.first], np.int64)

    @cached_property
    def length(self) -> Ints:
        """Length of the extent of each pair in ticks."""
        return np.asarray(self.table.end[self.first] - self.begin, np.int64)

    @property
    def seconds(self) -> bool:
        return self.table.seconds

    @property
    def ticks(self) -> int:
        return self.table.ticks

    @cached_property
    def work(self) -> Ints:
        """Number of rows of both sides and of items before each item, and of all of them."""
        sizes = self.table.size[self.first] + self.table.size[self.second]
        work = offsets(sizes)
        for off in (self.streams, self.references):
            work = work if off is None else work[off]
        return work + np.arange(len(work))

    @property
    def extent_change(self) -> Floats:
        """Seconds by which the extent of a side was changed, for each pair."""
        return np.zeros(self.pairs) if self.table.change is None else self.table.change[self.first]

    def on(self, table: Table, first: Ints | None = None, second: Ints | None = None) -> Batch:
        """Return the same pairs as rows of another table."""
        if table is self.table and first is None and second is None:
            return self
        return replace(
            self,
            table=table,
            first=self.first if first is None else first,
            second=self.second if second is None else second,
            cache={},
        )

    def over(self, types: Names) -> Batch:
        """Return the same pairs with a scale of boundary types."""
        return self if types == self.types else replace(self, types=types)

    def take(self, items: Ints) -> Batch:
        """Return some of the items, with the columns of their sides that are known already."""
        documents, references = (items, None) if self.references is None else _parts_of(self.references, items)
        rows, streams = (documents, None) if self.streams is None else _parts_of(self.streams, documents)
        names = self.names and tuple(self.names[row] for row in rows.tolist())
        return Batch(
            self.table,
            self.first[rows],
            self.second[rows],
            self.types,
            streams,
            names,
            references,
            self._columns_of(rows),
        )

    def _columns_of(self, rows: Ints) -> dict[Any, Any]:
        """Return the columns of the sides of some pairs that are known already."""
        return {
            key: (take(sides[0], rows), take(sides[1], rows))
            for key, sides in self.cache.items()
            if isinstance(sides, tuple) and len(sides) == 2 and isinstance(sides[0], COLUMNS)
        }

    def slice(self, start: int, stop: int) -> Batch:
        """Return items ``start`` to ``stop - 1``."""
        return self.take(np.arange(start, stop))

    def drop(self, errors: Mapping[int, CaesuraError], places: Ints) -> Packed:
        """Return the batch without some items, the places of its items, and the errors by place."""
        if not errors:
            return self, places, {}
        rest = np.delete(np.arange(len(self)), list(errors))
        return self.take(rest), places[rest], {int(places[i]): error for i, error in errors.items()}

    def item_errors(self, errors: Mapping[int, CaesuraError]) -> dict[int, CaesuraError]:
        """Return the errors of rows as errors of items: the first of each item, with the name of its stream."""
        result: dict[int, CaesuraError] = {}
        for row, error in sorted(errors.items()):
            if self.names is not None and (name := self.names[row]) is not None:
                error = type(error)(f"stream {name!r}: {error}")
            result.setdefault(int(self.item[row]), error)
        return result

    def stream_ranges(self) -> Iterator[tuple[int, int]]:
        assert self.streams is not None
        return pairwise(self.streams.tolist())

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the annotations of these pairs, or the columns of texts that are no objects."""
        rows, places = np.unique(np.concatenate([self.first, self.second]), return_inverse=True)
        first, second = np.split(places.astype(np.int64), 2)
        state = {name: getattr(self, name) for name in ("types", "streams", "names", "references")}
        cache = {} if self.table.annotations else self._columns_of(np.arange(self.pairs))
        return state | {"table": self.table.take(rows), "first": first, "second": second, "cache": cache}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


@dataclass(frozen=True, eq=False)
class Texts:
    """Annotations that occur in many pairs, each in the table once; a dialogue has a row per stream."""

    table: Table
    off: Ints | None = None  # first row of each annotation, followed by the number of all rows; None if each is one row
    names: tuple[str | None, ...] | None = None  # the stream of each row

    @classmethod
    def of(cls, annotations: Sequence[Any]) -> Texts | None:
        """Return the table of annotations; None if one of them is none, such as a list of references."""
        try:
            return cls(Table.of(annotations))
        except AttributeError:
            pass
        streams = [dict(text) if isinstance(text, Mapping) else {None: text} for text in annotations]
        try:
            table = Table.of([stream for text in streams for stream in text.values()])
        except AttributeError:
            return None
        off = offsets(np.array([len(text) for text in streams], np.int64))
        return cls(table, off, tuple(name if name is None else str(name) for text in streams for name in text))

    def pairs(self, first: Ints, second: Ints) -> Batch | None:
        """Return a batch of pairs; None if the two sides of a pair have different streams, or in a different order."""
        if self.off is None:
            return Batch(self.table, first, second)
        (a, streams), (b, others) = (_parts_of(self.off, side) for side in (first, second))
        assert self.names is not None
        names = np.array(self.names, object)
        if len(a) != len(b) or (streams != others).any() or (names[a] != names[b]).any():
            return None
        return Batch(self.table, a, b, UNTYPED, streams, tuple(names[a]))


def _parts_of(off: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    rows, ends = rows_of(off, chosen)
    return (np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows), ends


# -- pairs of loose annotations ---------------------------------------------------------------------------------------


def plain_pair(a: Any, b: Any, forbidden: int, required: int) -> Batch | None:
    """Return the batch of two texts or tiers with the same extent, by their traits alone; None if that is not enough.

    To build and check a table takes longer than to compare two short texts.
    """
    try:
        first, second = a.packed, b.packed
    except AttributeError:
        return None
    a_begin, a_end, a_traits, a_size = HEADER.unpack_from(first)
    b_begin, b_end, b_traits, b_size = HEADER.unpack_from(second)
    some, every = a_traits | b_traits, a_traits & b_traits
    if a_begin != b_begin or a_end != b_end or some & forbidden or ~every & required or (some ^ every) & IN_SECONDS:
        return None
    if every & HAS_UNITS and a.units is not b.units:
        return None
    places = (
        Boundaries(np.frombuffer(first, np.int64, a_size, _START), EMPTY, _numbers(0, a_size)),
        Boundaries(np.frombuffer(second, np.int64, b_size, _START), EMPTY, _numbers(0, b_size)),
    )
    cache: dict[Any, Any] = dict.fromkeys(_EQUAL_IF_PLAIN, places)
    if every & HAS_CODES:
        cache["segments"] = tuple(
            Segments(np.frombuffer(text, np.int64, size + 1, _START + 8 * size), _numbers(0, size + 1))
            for text, size in ((first, a_size), (second, b_size))
        )
    table = Table((a, b), [first, second])
    batch = Batch(table, _FIRST, _SECOND, cache=cache)
    table.seconds, batch.length = bool(every & IN_SECONDS), _numbers(a_end - a_begin)
    return batch


_START = HEADER.size
_EQUAL_IF_PLAIN = (*PLACES, ("inner", UNTYPED))
_FIRST, _SECOND = np.array([0]), np.array([1])


@lru_cache(1024)
def _numbers(*numbers: int) -> Ints:
    """Return a short array, which calls for a single pair share."""
    array = np.array(numbers)
    array.flags.writeable = False
    return array


def pair_up(
    pairs: Sequence[Any],
    sides: tuple[str, str],
    union: Callable[[list[Any]], Any] | None = None,
    *,
    streams: bool = True,
    references: bool = False,
) -> Packed:
    """Return the batch of pairs of loose annotations, the places of its items, and the errors of the other pairs.

    With ``streams``, a side may be a mapping of streams. The first side may be a list of references; ``union`` makes one more
    reference of them.
    """
    try:
        table, rows = (None, EMPTY) if union is not None else _table_of_pairs(pairs)
    except (AttributeError, TypeError, ValueError):  # streams, references, or what is no annotation
        table = None
    if table is None:
        several = (isinstance(pair, (tuple, list)) and len(pair) == 2 and has_references(pair[0]) for pair in pairs)
        if not references and any(several):
            raise OptionError(
                "the hypothesis has several references; choose references='each' (the mean over coders), 'best' or 'union'"
            )
        return _pair_up_parts(pairs, sides, union, stream_pairs if streams else single_pair)
    return Batch(table, rows[: len(pairs)], rows[len(pairs) :]), np.arange(len(pairs)), {}


def _table_of_pairs(pairs: Sequence[Any]) -> tuple[Table, Ints]:
    """Return a table of all first and then all second sides, and their rows in it; what occurs in many pairs is there once."""
    sample = [id(side) for a, b in pairs[:_SAMPLE] for side in (a, b)]
    if len(set(sample)) == len(sample):  # to look at all of them would take as long as to score them
        packed = [a.packed for a, _ in pairs]
        packed += [b.packed for _, b in pairs]
        return Table.of(_Sides(pairs), packed=packed), np.arange(len(packed))
    place: dict[int, int] = {}
    annotations = [*(a for a, _ in pairs), *(b for _, b in pairs)]
    rows = np.array([place.setdefault(id(text), len(place)) for text in annotations], np.int64)
    return Table.of(list({id(text): text for text in annotations}.values())), rows


class _Sides(Sequence[Any]):
    """All first and then all second sides of pairs, which are only looked at if something is wrong with them."""

    def __init__(self, pairs: Sequence[Any]) -> None:
        self._pairs = pairs

    def __len__(self) -> int:
        return 2 * len(self._pairs)

    def __getitem__(self, place: Any) -> Any:
        side, row = divmod(int(place), len(self._pairs))
        return self._pairs[row][side]

    def __iter__(self) -> Iterator[Any]:
        return (pair[side] for side in (0, 1) for pair in self._pairs)


def _pair_up_parts(pairs: Sequence[Any], sides: tuple[str, str], union: Any, divide: Any) -> Packed:
    rows: list[tuple[Any, Any]] = []
    names: list[str | None] = []
    streams, references, places = [0], [0], []
    errors: dict[int, CaesuraError] = {}
    for place, pair in enumerate(pairs):
        start = len(rows), len(streams)
        try:
            for a, b in _comparisons(pair, union):
                for name, *both in divide(a, b, sides):
                    names.append(name)
                    rows.append((both[0], both[1]))
                streams.append(len(rows))
        except CaesuraError as error:
            errors[place] = error
            del rows[start[0] :], names[start[0] :], streams[start[1] :]
            continue
        places.append(place)
        references.append(len(streams) - 1)
    table = Table.of([*(a for a, _ in rows), *(b for _, b in rows)])
    first = np.arange(len(rows))
    several = None if len(references) == len(streams) else np.array(references, np.int64)
    parts = None if all(name is None for name in names) else np.array(streams, np.int64)
    batch = Batch(table, first, first + len(rows), UNTYPED, parts, None if parts is None else tuple(names), several)
    return batch, np.array(places, np.int64), errors


def _comparisons(pair: Any, union: Callable[[list[Any]], Any] | None) -> list[tuple[Any, Any]]:
    """Return the pair, or one pair per reference if the first side has several."""
    try:
        first, second = pair
    except (TypeError, ValueError):
        raise MismatchError(f"expected a pair of annotations; got {type(pair).__name__}") from None
    if union is None and not has_references(first):
        return [(first, second)]
    references = list(first) if has_references(first) else [first]
    return [(reference, second) for reference in (references if union is None else [*references, union(references)])]


def has_references(side: Any) -> bool:
    """Return whether a side is a list of annotations."""
    return (
        isinstance(side, (tuple, list))
        and bool(side)
        and all(hasattr(entry, "packed") or isinstance(entry, Mapping) for entry in side)
    )


def stream_pairs(a: Any, b: Any, sides: tuple[str, str]) -> Iterator[tuple[str | None, Any, Any]]:
    """Yield the name and both sides of each stream; the name is None for texts that are no dialogues."""
    if not isinstance(a, Mapping) and not isinstance(b, Mapping):
        yield from single_pair(a, b, sides)
        return
    for side, text, other in ((sides[0], a, b), (sides[1], b, a)):
        if not isinstance(text, Mapping):
            raise MismatchError(
                f"{side}: expected a mapping from streams to segmentations, because the other side has "
                f"{_quoted(other)}; got {type(text).__name__}"
            )
        if not text:
            raise MismatchError(f"{side}: a dialogue must have at least one stream; got none")
    for side, text, other in ((sides[0], a, b), (sides[1], b, a)):
        missing = [name for name in other if name not in text]
        if missing:
            raise MismatchError(
                f"{side}: no stream {_quoted(missing)}, which the other side has; it has {_quoted(text)}"
            )
    for name in a:
        yield from single_pair(a[name], b[name], sides, str(name))


def single_pair(
    a: Any, b: Any, sides: tuple[str, str], name: str | None = None
) -> Iterator[tuple[str | None, Any, Any]]:
    """Yield the name of the stream, if there is one, and both sides, which must be annotations."""
    for side, text in zip(sides, (a, b), strict=True):
        if not hasattr(text, "packed"):
            raise NoAnnotationError(side, text, name)
    yield name, a, b


def _quoted(names: Any) -> str:
    return ", ".join(repr(str(name)) for name in names) or "none"


class NoAnnotationError(MismatchError):
    """A side that is no annotation; the measure says what it needs instead."""

    def __init__(self, side: str, value: Any, stream: str | None = None) -> None:
        super().__init__(f"{side}: expected an annotation; got {type(value).__name__}")
        self.side, self.value, self.stream = side, value, stream


# -- one scale of boundary types --------------------------------------------------------------------------------------


def common_types(
    batch: Batch, sides: tuple[str, str], types: Names | None = None
) -> tuple[Names, dict[int, CaesuraError]]:
    """Return one list of types for all pairs of texts, unless it is given, and errors for the rows that do not fit it."""
    table = batch.table
    if not table.annotations or (types in (None, UNTYPED) and table.has(HAS_NO_TYPES).all()):
        return batch.types, {}
    rows = zip(batch.first.tolist(), batch.second.tolist(), strict=True)
    texts = [(table.annotations[a], table.annotations[b]) for a, b in rows]
    if types is None:
        first = texts[0][0].types if texts else UNTYPED
        is_common = all(a.types is first and b.types is first for a, b in texts)
        # The order of one or two types has no effect; the order of more types must be declared.
        if is_common and (len(first) < 3 or any(text.types_declared for text in texts[0])):
            return first, {}
        types = _choose_types(texts)
    problems = enumerate(type_problem(pair, types, sides) for pair in texts)
    return types, {row: MismatchError(problem) for row, problem in problems if problem is not None}


def _choose_types(texts: Sequence[tuple[Any, Any]]) -> Names:
    """Return the types that were declared first; if none were declared, the types that occur, in alphabetical order."""
    for pair in texts:
        for text in pair:
            if text.types_declared and (text.boundary_positions.size or text.types != UNTYPED):
                return cast(Names, text.types)
    types = sort_types({name for pair in texts for text in pair for _, name in text.boundaries}) or UNTYPED
    warn_about_type_order(types)
    return types


def warn_about_type_order(types: Names) -> None:
    """Warn if costs depend on the alphabetical order of three or more types."""
    if len(types) > 2:
        warn(
            f"the order of the types was not declared; {' < '.join(types)} is assumed, and the costs of substitutions "
            "depend on it. Declare the order with --types, or types=[...] in Python"
        )


def type_problem(pair: Sequence[Any], types: Names, sides: tuple[str, str]) -> str | None:
    """Return why the types of a pair of texts do not fit a list of types."""
    for side, text in zip(sides, pair, strict=True):
        if text.types == types or (text.types == UNTYPED and not text.boundary_positions.size):
            continue
        if text.types_declared:
            return (
                f"both sides must declare the same types in the same order; {side} has {', '.join(text.types)}, "
                f"elsewhere {', '.join(types)}"
            )
        for position, name in text.boundaries:
            if name not in types:
                known = ", ".join(types)
                return f"{side}: type {name!r} at position {position} is not declared; the declared types are {known}"
    return None
