"""Convert pairs of segmentations into arrays for the kernels, many documents at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, cast

import numpy as np

from caesura.errors import CaesuraError, MismatchError
from caesura.kernels.gather import gather, survey
from caesura.model.annotation import HAS_NO_TYPES, HAS_UNITS
from caesura.model.dialogue import kind_name
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import repeat, searchsorted
from caesura.model.marks import Marks
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import UNTYPED, Segmentation, constructors_for, sort_types
from caesura.model.spans import Spans
from caesura.model.text_difference import alignment_hint
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.model.value import Ints
from caesura.notices import warn

T = TypeVar("T")
# A segmentation, or the streams of a dialogue.
Text = Segmentation | Mapping[str, Segmentation]
Second = Text | Tier | Hierarchy | Spans | Tree | BoundaryScores
Pair = tuple[Second, Second]
# A pair of annotations, or the marks of several coders and an annotation.
Comparison = tuple[Second | Marks, Second]
SegmentationPair = tuple[Segmentation, Segmentation]
# Arrays that a measure needs: inner positions without duplicates; inner positions with their types; all N positions with their
# types, stream by stream (``streams.py``); the spans of hierarchies and the nodes of trees (``spans.py``); boundaries on an
# axis of units or seconds (``edges.py``); words with their boundaries (``sigma.py``).
View = Literal["inner", "typed", "streams", "spans", "trees", "edges", "words"]

EMPTY = np.empty(0, np.int64)
PackedSides = tuple[list[bytes], list[bytes]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents in flat arrays: the boundaries of a in document d are ``a_pos[a_off[d]:a_off[d + 1]]``."""

    length: Ints  # number of units of each document
    a_pos: Ints  # positions of boundaries
    a_code: Ints  # types of boundaries as indices into ``types``; empty if there is only one type
    a_off: Ints  # the start of each document, followed by the end of the last one
    b_pos: Ints
    b_code: Ints
    b_off: Ints
    types: tuple[str, ...] = UNTYPED  # the boundary types, in order
    cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    # The ``Segmentation.packed`` of both sides of each document, until ``a_pos`` and ``b_pos`` are needed. Copying the
    # positions of many documents can take as long as counting: the memory is new, and the system provides it page by page.
    packed: PackedSides | None = field(default=None, init=False, repr=False, compare=False)
    document_fields: ClassVar[tuple[str, ...]] = ()  # fields of a subclass with one entry per document

    @classmethod
    def from_packed(cls, packed: PackedSides, length: Ints, a_off: Ints, b_off: Ints) -> Self:
        """Return the batch of pairs of segmentations of one type; their positions are copied when they are needed."""
        batch = object.__new__(cls)
        sizes = {"length": length, "a_code": EMPTY, "a_off": a_off, "b_code": EMPTY, "b_off": b_off, "types": UNTYPED}
        for name, value in {**sizes, "cache": {}, "packed": packed}.items():
            object.__setattr__(batch, name, value)
        return batch

    if not TYPE_CHECKING:  # for mypy, a class with this method has every attribute

        def __getattr__(self, name: str) -> Any:
            """Fill the positions of a batch that does not have them yet; other attributes are never missing."""
            packed = object.__getattribute__(self, "packed")
            if packed is not None and name in ("a_pos", "b_pos"):
                object.__setattr__(self, "a_pos", gather(packed[0], self.a_off))
                object.__setattr__(self, "b_pos", gather(packed[1], self.b_off))
                object.__setattr__(self, "packed", None)
            return object.__getattribute__(self, name)

    def __len__(self) -> int:
        return len(self.length)

    @property
    def work(self) -> Ints:
        return self.a_off + self.b_off + np.arange(len(self) + 1)

    def cached(self, key: Any, compute: Callable[[], T]) -> T:
        """Return a result that several measures share; compute it at the first call."""
        if key not in self.cache:
            self.cache[key] = compute()
        return cast(T, self.cache[key])

    shared = cached

    def slice(self, start: int, stop: int) -> Self:
        """Return documents ``start`` to ``stop - 1`` without copying positions; offsets refer to the positions of the view."""
        a_off, b_off = self.a_off[start : stop + 1], self.b_off[start : stop + 1]
        if self.packed is not None:
            packed = self.packed[0][start:stop], self.packed[1][start:stop]
            return self.from_packed(packed, self.length[start:stop], a_off - a_off[0], b_off - b_off[0])
        changes = {name: getattr(self, name)[start:stop] for name in ("length", *self.document_fields)}
        return replace(self, a_off=a_off, b_off=b_off, **changes)

    def drop(self, errors: Mapping[int, CaesuraError], places: Ints) -> Packed[Self]:
        """Return the batch without some documents, the places of its documents, and the errors by index."""
        if not errors:
            return self, places, {}
        rest = np.delete(np.arange(len(self)), list(errors))
        return self.take(rest), places[rest], {int(places[d]): error for d, error in errors.items()}

    def take(self, documents: Ints) -> Self:
        if self.packed is not None:
            chosen = documents.tolist()
            packed = [self.packed[0][d] for d in chosen], [self.packed[1][d] for d in chosen]
            off = (_offsets_at(side, documents) for side in (self.a_off, self.b_off))
            return self.from_packed(packed, self.length[documents], *off)
        a_rows, a_off = rows_of(self.a_off, documents)
        b_rows, b_off = rows_of(self.b_off, documents)
        changes = {"a_pos": a_rows, "a_code": a_rows, "b_pos": b_rows, "b_code": b_rows}
        changes |= dict.fromkeys(("length", *self.document_fields), documents)
        entries = {name: entries_at(getattr(self, name), places) for name, places in changes.items()}
        return replace(self, a_off=a_off, b_off=b_off, **entries)

    @property
    def arrays(self) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
        """Positions, codes and offsets of both sides, in the order of the kernels' parameters."""
        return self.a_pos, self.a_code, self.a_off, self.b_pos, self.b_code, self.b_off

    @property
    def a_count(self) -> Ints:
        return self.a_off[1:] - self.a_off[:-1]

    @property
    def b_count(self) -> Ints:
        return self.b_off[1:] - self.b_off[:-1]


def entries_at(column: Any, places: Ints) -> Any:
    """Return the entries of an array or a tuple at some places; a column without entries has none."""
    if isinstance(column, tuple):
        return tuple(column[place] for place in places.tolist())
    return column[places] if column.size else column


B = TypeVar("B", bound=Batch)
# A batch, the places of its documents among all pairs, and the errors of the other pairs by place.
Packed = tuple[B, Ints, dict[int, CaesuraError]]


def rows_of(off: Ints, documents: Ints) -> tuple[Ints, Ints]:
    """Return the row indices of some documents, and the offset of each document in these rows."""
    ends = _offsets_at(off, documents)
    return repeat(off[documents] - ends[:-1], ends[1:] - ends[:-1]) + np.arange(ends[-1]), ends


def _offsets_at(off: Ints, documents: Ints) -> Ints:
    """Return the offsets of some documents if nothing else is between them."""
    ends = np.zeros(len(documents) + 1, np.int64)
    np.cumsum(off[documents + 1] - off[documents], out=ends[1:])
    return ends


def pack(
    texts: Sequence[Comparison], view: View, sides: tuple[str, str], *, plain: bool | None = None
) -> Packed[Batch]:
    pairs: Sequence[Any] = texts
    places = np.arange(len(texts))
    errors: dict[int, CaesuraError] = {}
    if not (are_plain(texts) if plain is None else plain):
        pairs, places, errors = select_pairs(texts, lambda a, b: pair_problem(a, b, sides))
    types, misfits = _common_types(pairs, sides) if view == "typed" else (UNTYPED, {})
    if misfits:
        errors |= {int(places[i]): error for i, error in misfits.items()}
        pairs = [pair for i, pair in enumerate(pairs) if i not in misfits]
        places = np.delete(places, list(misfits))
    length = np.array([a.length for a, _ in pairs], np.int64)
    return Batch(length, *_pack_side(pairs, 0, types), *_pack_side(pairs, 1, types), types), places, errors


def gather_plain(pairs: Sequence[Any], view: View) -> Batch | None:
    """Return the batch of pairs of segmentations that are certainly comparable and need no list of types, or None."""
    try:
        if {type(text) for pair in pairs for text in pair} != {Segmentation}:
            return None
        packed = [a.packed for a, _ in pairs], [b.packed for _, b in pairs]
        sizes = survey(*packed)
    except (AttributeError, TypeError, ValueError):  # other annotations, or no pairs
        return None
    if sizes is None:
        return None
    length, a_off, b_off, in_all, in_a_pair = sizes
    if in_a_pair & HAS_UNITS and not all(a.units is None or b.units is None or a.units is b.units for a, b in pairs):
        return None
    if view == "typed" and not in_all & HAS_NO_TYPES:
        return None
    return Batch.from_packed(packed, length, a_off, b_off)


def is_plain(a: Any, b: Any) -> bool:
    """Return whether two annotations are certainly comparable: segmentations with the same units."""
    return (
        type(a) is Segmentation
        and type(b) is Segmentation
        and a.length == b.length
        and (a.units is None or b.units is None or a.units is b.units)
    )


def _pack_side(pairs: Sequence[SegmentationPair], side: int, types: tuple[str, ...]) -> tuple[Ints, Ints, Ints]:
    if len(types) == 1:
        return join_positions([pair[side].inner for pair in pairs])
    return join_boundaries([inner_boundaries(pair[side], types) for pair in pairs])


def join_positions(positions: list[Ints]) -> tuple[Ints, Ints, Ints]:
    """Return the positions, empty codes and offsets of all documents of a side."""
    return join_arrays(positions), EMPTY, offsets_of(positions)


def join_boundaries(documents: Sequence[tuple[Ints, Ints]]) -> tuple[Ints, Ints, Ints]:
    positions = [p for p, _ in documents]
    return join_arrays(positions), join_arrays([c for _, c in documents]), offsets_of(positions)


def join_arrays(arrays: list[Ints]) -> Ints:
    """Return the arrays one after another; a single array is not copied."""
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else EMPTY


def offsets_of(arrays: Sequence[Sized]) -> Ints:
    """Return the start of each array in the joined array, followed by the end of the last one."""
    if len(arrays) == 1:
        return _offsets_of_one(len(arrays[0]))
    out = np.zeros(len(arrays) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, arrays), np.int64, len(arrays)), out=out[1:])
    return out


@lru_cache(1024)
def _offsets_of_one(size: int) -> Ints:
    """Return the offsets of one array; calls for a single pair share them."""
    offsets = np.array((0, size))
    offsets.flags.writeable = False
    return offsets


def select_pairs(
    pairs: Sequence[Any], find_problem: Callable[[Any, Any], str | None], expected: str = "segmentations"
) -> tuple[list[Any], Ints, dict[int, CaesuraError]]:
    """Return the pairs that can be compared, their indices in ``pairs``, and errors by index."""
    errors: dict[int, CaesuraError] = {}
    for place, pair in enumerate(pairs):
        try:
            a, b = pair
        except (TypeError, ValueError):
            problem: str | None = f"expected a pair of {expected}; got {type(pair).__name__}"
        else:
            problem = find_problem(a, b)
        if problem is not None:
            errors[place] = MismatchError(problem)
    places = [place for place in range(len(pairs)) if place not in errors]
    return [pairs[place] for place in places], np.array(places, np.int64), errors


def are_plain(pairs: Sequence[Any]) -> bool:
    """Return whether all pairs are certainly comparable; in one pass, because most batches have no problem."""
    try:
        return all(is_plain(a, b) for a, b in pairs)
    except (TypeError, ValueError):
        return False


def pair_problem(a: Any, b: Any, sides: tuple[str, str], *, marks: bool = False, same_words: bool = True) -> str | None:
    for side, text in zip(sides, (a, b), strict=True):
        if isinstance(text, Segmentation):
            continue
        if isinstance(text, Mapping):
            count = f"{len(text)} speaker{'s' * (len(text) != 1)}"
            return f"{side}: this measure cannot score a dialogue; got {count}; use boundary_similarity or flexible_similarity"
        may_be_marks = marks and side == sides[0]
        if not (may_be_marks and isinstance(text, Marks)):
            got = kind_name(text) + ("" if may_be_marks else constructors_for(text))
            return f"{side}: expected {'Marks or ' * may_be_marks}a Segmentation; got {got}"
    return None if a.units and b.units and not same_words else units_difference(a, b, sides)


def units_difference(a: Any, b: Any, sides: tuple[str, str]) -> str | None:
    if a.length != b.length:
        message = f"both sides must have the same units; {sides[0]} has {a.length}, {sides[1]} has {b.length}"
        return message + alignment_hint(a.units, b.units)
    if a.units is not None and b.units is not None and a.units is not b.units:
        for i, (a_unit, b_unit) in enumerate(zip(a.units, b.units, strict=True), 1):
            if a_unit != b_unit:
                message = f"unit {i} differs: {sides[0]} has {a_unit!r}, {sides[1]} has {b_unit!r}"
                return message + alignment_hint(a.units, b.units)
    return None


def _common_types(
    pairs: Sequence[SegmentationPair], sides: tuple[str, str]
) -> tuple[tuple[str, ...], dict[int, CaesuraError]]:
    """Return one list of types for all pairs, and errors for the pairs that do not fit it."""
    first = pairs[0][0].types if pairs else UNTYPED
    is_common = all(a.types is first and b.types is first for a, b in pairs)
    # The order of one or two types has no effect; the order of more types must be declared.
    if is_common and (len(first) < 3 or any(text.types_declared for text in pairs[0])):
        return first, {}
    types = _choose_types(pairs)
    problems = enumerate(_type_problem(pair, types, sides) for pair in pairs)
    return types, {i: MismatchError(problem) for i, problem in problems if problem is not None}


def _choose_types(pairs: Sequence[SegmentationPair]) -> tuple[str, ...]:
    """Return the types that were declared first; if none were declared, the types that occur, in alphabetical order."""
    for pair in pairs:
        for text in pair:
            if text.types_declared and (text.boundary_positions.size or text.types != UNTYPED):
                return text.types
    types = sort_types({name for pair in pairs for text in pair for _, name in text.boundaries}) or UNTYPED
    warn_about_type_order(types)
    return types


def warn_about_type_order(types: tuple[str, ...]) -> None:
    """Warn if costs depend on the alphabetical order of three or more types."""
    if len(types) > 2:
        warn(
            f"the order of the types was not declared; {' < '.join(types)} is assumed, and the costs of substitutions "
            "depend on it. Declare the order with --types, or types=[...] in Python"
        )


def _type_problem(pair: SegmentationPair, types: tuple[str, ...], sides: tuple[str, str]) -> str | None:
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


def over_common_types(
    pairs: Sequence[Any], types: tuple[str, ...], sides: tuple[str, str]
) -> tuple[list[Any], dict[int, CaesuraError]]:
    """Return the pairs that fit the types, with these types declared, and errors by index."""
    typed_pairs: list[Any] = []
    errors: dict[int, CaesuraError] = {}
    for i, pair in enumerate(pairs):
        if _is_dialogue_pair(pair):
            streams, stream_errors = over_common_types(
                [(pair[0][name], pair[1][name]) for name in pair[0]], types, sides
            )
            if stream_errors:
                errors[i] = next(iter(stream_errors.values()))
            else:
                typed_pairs.append(tuple(dict(zip(pair[0], side, strict=True)) for side in zip(*streams, strict=True)))
        elif not _is_segmentation_pair(pair):
            typed_pairs.append(pair)
        elif (problem := _type_problem(pair, types, sides)) is not None:
            errors[i] = MismatchError(problem)
        else:
            typed_pairs.append(
                tuple(text if text.types == types and text.types_declared else text.with_types(types) for text in pair)
            )
    return typed_pairs, errors


def _is_dialogue_pair(pair: Any) -> bool:
    """Return whether both sides are dialogues with the same streams."""
    return (
        isinstance(pair, (tuple, list))
        and len(pair) == 2
        and all(isinstance(text, Mapping) for text in pair)
        and 0 < len(pair[0]) == len(pair[1])
        and all(name in pair[1] for name in pair[0])
    )


def _is_segmentation_pair(pair: Any) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2 and all(type(text) is Segmentation for text in pair)


def inner_boundaries(text: Segmentation, types: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Return inner positions and the codes of their types; codes are empty if there is only one type."""
    if text.types is not types and text.types != types and text.boundary_positions.size:
        text = text.with_types(types)
    positions = text.boundary_positions
    codes = text.codes if len(text.types) > 1 else EMPTY
    if positions.size and positions[-1] == text.length:
        inner = int(searchsorted(positions, text.length))
        positions, codes = positions[:inner], codes[:inner]
    return positions, codes
