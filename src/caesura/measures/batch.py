"""From pairs of segmentations to the flat arrays that the kernels take, many documents at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, CaesuraWarning, MismatchError
from caesura.model.dialogue import kind_name
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.projection import alignment_hint
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.tree import Tree

T = TypeVar("T")
Ints = NDArray[np.int64]
Text = Segmentation | Mapping[str, Segmentation]
"""What can be scored: a segmentation, or the streams of a dialogue."""
Pair = tuple[Text | Hierarchy | Tree, Text | Hierarchy | Tree]
Comparison = tuple[Text | Marks | Hierarchy | Tree, Text | Hierarchy | Tree]
"""A pair, or the marks of several coders and what is compared with them."""
SegmentationPair = tuple[Segmentation, Segmentation]
View = Literal["inner", "typed", "streams", "spans", "trees"]
"""What a measure looks at: inner positions, each once; inner positions with their types; all N positions with their
types, stream by stream (which ``streams.py`` packs); the spans of hierarchies (``spans.py``); the nodes of trees
(``trees.py``)."""

EMPTY = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents side by side: a's boundaries of document d are ``a_pos[a_off[d]:a_off[d + 1]]``."""

    length: Ints
    a_pos: Ints
    a_code: Ints
    a_off: Ints
    b_pos: Ints
    b_code: Ints
    b_off: Ints
    types: tuple[str, ...] = UNTYPED
    cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.length)

    def cached(self, key: Any, make: Callable[[], T]) -> T:
        """What several measures need of these documents, made for the first of them."""
        if key not in self.cache:
            self.cache[key] = make()
        return cast(T, self.cache[key])

    def slice(self, start: int, stop: int) -> Batch:
        """Documents start .. stop-1. Nothing is copied: offsets stay those of the whole."""
        return Batch(
            self.length[start:stop],
            self.a_pos,
            self.a_code,
            self.a_off[start : stop + 1],
            self.b_pos,
            self.b_code,
            self.b_off[start : stop + 1],
            self.types,
        )

    def take(self, documents: Ints) -> Batch:
        """Only these documents, copied together."""
        a_pos, a_code, a_off = _take(documents, self.a_pos, self.a_code, self.a_off)
        b_pos, b_code, b_off = _take(documents, self.b_pos, self.b_code, self.b_off)
        return Batch(self.length[documents], a_pos, a_code, a_off, b_pos, b_code, b_off, self.types)

    @property
    def a_count(self) -> Ints:
        """Boundaries of a, per document."""
        return np.diff(self.a_off)

    @property
    def b_count(self) -> Ints:
        """Boundaries of b, per document."""
        return np.diff(self.b_off)


def _take(documents: Ints, pos: Ints, code: Ints, off: Ints) -> tuple[Ints, Ints, Ints]:
    rows, offsets = rows_of(off, documents)
    return pos[rows], code[rows] if code.size else EMPTY, offsets


def rows_of(off: Ints, documents: Ints) -> tuple[Ints, Ints]:
    """The rows of these documents, and where each begins among them."""
    sizes = np.diff(off)[documents]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return np.repeat(off[documents] - ends[:-1], sizes) + np.arange(ends[-1]), ends


def pack(
    texts: Sequence[Comparison], view: View, sides: tuple[str, str]
) -> tuple[Batch, Ints, dict[int, CaesuraError]]:
    """The batch of all pairs that can be compared, their places in ``texts``, and what is wrong with the others."""
    errors: dict[int, CaesuraError] = {}
    sound = _comparable(texts, sides, errors)
    pairs = cast(Sequence[SegmentationPair], texts)  # those that are sound
    types: tuple[str, ...] = UNTYPED
    if view == "typed":
        types, sound = _common_types([pairs[i] for i in sound] if errors else pairs, sound, sides, errors)
    chosen = [pairs[i] for i in sound] if errors else pairs
    length = np.array([a.length for a, _ in chosen], np.int64)
    if len(types) == 1:
        a = [a.inner for a, _ in chosen]
        b = [b.inner for _, b in chosen]
        batch = Batch(length, join_arrays(a), EMPTY, offsets_of(a), join_arrays(b), EMPTY, offsets_of(b), types)
    else:
        sides_of = [[inner_boundaries(one, types) for one in side] for side in zip(*chosen, strict=True)] or [[], []]
        (a, a_code), (b, b_code) = ([[p for p, _ in side], [c for _, c in side]] for side in sides_of)
        batch = Batch(
            length,
            join_arrays(a),
            join_arrays(a_code),
            offsets_of(a),
            join_arrays(b),
            join_arrays(b_code),
            offsets_of(b),
            types,
        )
    return batch, np.array(sound, np.int64), errors


def join_arrays(arrays: list[Ints]) -> Ints:
    """Return the arrays one after the other; a single array is not copied."""
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else EMPTY


def offsets_of(arrays: list[Ints]) -> Ints:
    """Return where each array begins in the joined one, and where the last ends."""
    if len(arrays) == 1:
        return np.array((0, arrays[0].size))
    out = np.zeros(len(arrays) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, arrays), np.int64, len(arrays)), out=out[1:])
    return out


def _comparable(pairs: Sequence[Any], sides: tuple[str, str], errors: dict[int, CaesuraError]) -> list[int]:
    try:
        fine = [  # in one pass, because most batches have nothing wrong
            type(a) is Segmentation
            and type(b) is Segmentation
            and a.length == b.length
            and (a.units is None or b.units is None or a.units is b.units)
            for a, b in pairs
        ]
    except (TypeError, ValueError):
        fine = [False] * len(pairs)
    if all(fine):
        return list(range(len(fine)))
    sound = []
    for i, good in enumerate(fine):
        problem = None if good else pair_problem(pairs[i], sides)
        if problem is None:
            sound.append(i)
        else:
            errors[i] = MismatchError(problem)
    return sound


def pair_problem(pair: Any, sides: tuple[str, str], *, marks: bool = False) -> str | None:
    """Why the two cannot be compared, or None. With ``marks`` the first side may be the marks of several coders."""
    try:
        a, b = pair
    except (TypeError, ValueError):
        return f"a pair of segmentations is needed; got {type(pair).__name__}"
    for side, one in zip(sides, (a, b), strict=True):
        if isinstance(one, Mapping):
            return f"{side}: a dialogue, whose streams only flexible_similarity scores; got {len(one)} stream(s)"
        counted = marks and side == sides[0]
        if not isinstance(one, Segmentation) and not (counted and isinstance(one, Marks)):
            return f"{side}: {'Marks or ' * counted}a Segmentation is needed; got {kind_name(one)}"
    return units_difference(a, b, sides)


def units_difference(a: Any, b: Any, sides: tuple[str, str]) -> str | None:
    """How the units of the two differ, or None."""
    if a.length != b.length:
        said = f"both sides must have the same units; {sides[0]} has {a.length}, {sides[1]} has {b.length}"
        return said + alignment_hint(a.units, b.units)
    if a.units is not None and b.units is not None and a.units is not b.units:
        for i, (one, other) in enumerate(zip(a.units, b.units, strict=True), 1):
            if one != other:
                said = f"unit {i} differs: {sides[0]} has {one!r}, {sides[1]} has {other!r}"
                return said + alignment_hint(a.units, b.units)
    return None


def _common_types(
    pairs: Sequence[SegmentationPair], places: list[int], sides: tuple[str, str], errors: dict[int, CaesuraError]
) -> tuple[tuple[str, ...], list[int]]:
    """One scale for everything that is scored together.

    Declared types rule: the first declared scale is the scale, and a pair that declares another is an error. Where
    nobody declared any, it is what occurs, in alphabetical order.
    """
    first = pairs[0][0].types if pairs else UNTYPED
    if all(a.types is first and b.types is first for a, b in pairs):
        same = True
        declared = any(one.types_declared for one in pairs[0]) if pairs else True
    else:
        same = False
        declared = False
    if same and (declared or len(first) < 3):
        return first, places
    scales = dict.fromkeys(
        one.types
        for pair in pairs
        for one in pair
        if one.types_declared and (one.boundary_positions.size or one.types != UNTYPED)
    )
    if scales:
        scale = next(iter(scales))
    else:
        occurring = {name for pair in pairs for one in pair for _, name in one.boundaries}
        scale = sort_types(occurring) or UNTYPED
        warn_about_type_order(scale, stacklevel=8)
    good = []
    for i, pair in zip(places, pairs, strict=True):
        problem = _strange_type(pair, scale, sides)
        if problem is None:
            good.append(i)
        else:
            errors[i] = MismatchError(problem)
    return scale, good


def warn_about_type_order(scale: tuple[str, ...], *, stacklevel: int) -> None:
    """Where nobody declared an order it is the alphabet's, and with three types or more that decides about costs."""
    if len(scale) > 2:
        warnings.warn(
            f"the order of the types was not declared; taken as {' < '.join(scale)}, which decides what a substitution "
            "costs. Declare types=[...] in order",
            CaesuraWarning,
            stacklevel=stacklevel,
        )


def _strange_type(pair: SegmentationPair, scale: tuple[str, ...], sides: tuple[str, str]) -> str | None:
    for side, one in zip(sides, pair, strict=True):
        if one.types == scale or (one.types == UNTYPED and not one.boundary_positions.size):
            continue
        if one.types_declared:
            return (
                f"both sides must declare the same types in the same order; {side} has {', '.join(one.types)}, "
                f"elsewhere {', '.join(scale)}"
            )
        for position, name in one.boundaries:
            if name not in scale:
                return f"{side}: type {name!r} at position {position} is not declared; declared are {', '.join(scale)}"
    return None


def over_common_types(
    pairs: Sequence[Any], scale: tuple[str, ...], sides: tuple[str, str]
) -> tuple[list[Any], dict[int, CaesuraError]]:
    """Pairs over one scale; and by their places those that cannot be, which are left out. What is no pair stays as it is."""
    found: list[Any] = []
    errors: dict[int, CaesuraError] = {}
    for i, pair in enumerate(pairs):
        plain = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(type(one) is Segmentation for one in pair)
        problem = _strange_type(cast(SegmentationPair, pair), scale, sides) if plain else None
        if problem is not None:
            errors[i] = MismatchError(problem)
        else:
            found.append(tuple(_moved(one, scale) for one in pair) if plain else pair)
    return found, errors


def _moved(one: Segmentation, scale: tuple[str, ...]) -> Segmentation:
    return one if one.types == scale and one.types_declared else one.with_types(scale)


def inner_boundaries(one: Segmentation, scale: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Inner positions and codes over the common scale; codes empty where the scale has one type."""
    if one.types is not scale and one.types != scale and one.boundary_positions.size:
        one = one.with_types(scale)
    positions = one.boundary_positions
    codes = one.codes if len(one.types) > 1 else EMPTY
    if positions.size and positions[-1] == one.length:
        inner = int(np.searchsorted(positions, one.length))
        positions, codes = positions[:inner], codes[:inner]
    return positions, codes
