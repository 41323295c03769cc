"""Random segmentations for hypothesis: as plain data, which oracles take, and as the package's objects.

Boundaries of the second side are drawn alone, or as those of the first moved a little: near misses are what the
measures are about, and independent draws seldom make chains of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

import caesura as cz

NAMES = ("comma", "line", "stanza", "canto", "book")


@dataclass(frozen=True)
class Pair:
    """Two segmentations of one text of ``length`` units; boundaries are positions."""

    length: int
    a: frozenset[int]
    b: frozenset[int]

    @property
    def segmentations(self) -> tuple[cz.Segmentation, cz.Segmentation]:
        return segmentation(self.length, self.a), segmentation(self.length, self.b)

    @property
    def cells(self) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
        return {(p, 0) for p in self.a}, {(p, 0) for p in self.b}

    @property
    def swapped(self) -> Pair:
        return Pair(self.length, self.b, self.a)


@dataclass(frozen=True)
class TypedPair:
    """The same with types: boundaries are cells (position, place of the type on the scale)."""

    length: int
    types: tuple[str, ...]
    a: frozenset[tuple[int, int]]
    b: frozenset[tuple[int, int]]

    @property
    def segmentations(self) -> tuple[cz.Segmentation, cz.Segmentation]:
        return typed(self.length, self.types, self.a), typed(self.length, self.types, self.b)

    @property
    def swapped(self) -> TypedPair:
        return TypedPair(self.length, self.types, self.b, self.a)

    @property
    def scale_reversed(self) -> TypedPair:
        """The same boundaries over the types in reversed order."""
        last = len(self.types) - 1
        a, b = (frozenset((p, last - t) for p, t in side) for side in (self.a, self.b))
        return TypedPair(self.length, self.types[::-1], a, b)


def segmentation(length: int, positions: frozenset[int]) -> cz.Segmentation:
    return cz.Segmentation.from_positions(length, sorted(positions))


def typed(length: int, types: tuple[str, ...], cells: frozenset[tuple[int, int]]) -> cz.Segmentation:
    sets: list[set[str]] = [set() for _ in range(length - 1)]
    for position, kind in cells:
        sets[position - 1].add(types[kind])
    return cz.Segmentation.from_sets(sets, types)


@st.composite
def pairs(draw: st.DrawFn, *, min_units: int = 1, max_units: int = 30, max_boundaries: int | None = None) -> Pair:
    length = draw(st.integers(min_units, max_units))
    if length == 1:
        return Pair(1, frozenset(), frozenset())
    position = st.integers(1, length - 1)
    a = draw(st.frozensets(position, max_size=max_boundaries))
    if draw(st.booleans()):
        b = draw(st.frozensets(position, max_size=max_boundaries))
    else:
        moves = draw(st.lists(st.integers(-4, 4), min_size=len(a), max_size=len(a)))
        b = frozenset(p + m for p, m in zip(sorted(a), moves, strict=True) if 1 <= p + m < length)
    return Pair(length, a, b)


@st.composite
def typed_pairs(
    draw: st.DrawFn,
    *,
    min_types: int = 1,
    max_types: int = 4,
    min_units: int = 1,
    max_units: int = 12,
    max_boundaries: int | None = None,
) -> TypedPair:
    length = draw(st.integers(min_units, max_units))
    types = NAMES[: draw(st.integers(min_types, max_types))]
    if length == 1:
        return TypedPair(1, types, frozenset(), frozenset())
    cell = st.tuples(st.integers(1, length - 1), st.integers(0, len(types) - 1))
    a = draw(st.frozensets(cell, max_size=max_boundaries))
    if draw(st.booleans()):
        b = draw(st.frozensets(cell, max_size=max_boundaries))
    else:
        step = st.tuples(st.integers(-2, 2), st.integers(-1, 1))
        moves = draw(st.lists(step, min_size=len(a), max_size=len(a)))
        moved = ((p + dp, t + dt) for (p, t), (dp, dt) in zip(sorted(a), moves, strict=True))
        b = frozenset((p, t) for p, t in moved if 1 <= p < length and 0 <= t < len(types))
    return TypedPair(length, types, a, b)


def corpora(*, max_documents: int = 6, max_units: int = 20) -> st.SearchStrategy[list[Pair]]:
    """Several documents with one pair each."""
    return st.lists(pairs(max_units=max_units), min_size=1, max_size=max_documents)


@st.composite
def typed_corpora(draw: st.DrawFn, *, max_documents: int = 6, max_units: int = 8) -> list[TypedPair]:
    """Several documents over one scale of types."""
    number = draw(st.integers(1, 4))
    one = typed_pairs(min_types=number, max_types=number, max_units=max_units)
    return draw(st.lists(one, min_size=1, max_size=max_documents))
