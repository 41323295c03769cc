"""Random segmentations for hypothesis: as plain data, which oracles take, and as the package's objects.

Boundaries of the second side are independent, or those of the first moved a little. Independent boundaries seldom give
chains of near misses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

import caesura as cz
from caesura.measures.base import Measure
from support.compared import compared

NAMES = ("comma", "line", "stanza", "canto", "book")


@dataclass(frozen=True)
class Pair:
    """Two segmentations of a text of ``length`` units. Boundaries are positions."""

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
        """Return the same boundaries with the types in reversed order."""
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
    pair = typed_pairs(min_types=number, max_types=number, max_units=max_units)
    return draw(st.lists(pair, min_size=1, max_size=max_documents))


# Hierarchies


def spans_of(text: cz.Segmentation) -> cz.Hierarchy:
    """Return the segmentation as a hierarchy: the text, its segments at the highest type, at the next, and so on.

    Labels differ for segments of odd and even length.
    """
    cuts: set[int] = set()
    levels = [[(1, text.length)]]
    for name in reversed(text.types):
        cuts |= {p for p, kind in text.boundaries if kind == name and p < text.length}
        ends = [*sorted(cuts), text.length]
        levels.append([(start + 1, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)])
    spans = [
        (start, end, level, "odd" if (end - start) % 2 else "even")
        for level, segments in enumerate(levels, 1)
        for start, end in segments
    ]
    return cz.Hierarchy(text.length, spans)


def inputs_for(kind: type[Measure] | Measure, *texts: cz.Segmentation) -> tuple[Any, ...]:
    """Return what the measure takes: the texts, hierarchies or trees with the same boundaries, or texts with labels."""
    convert = {"spans": spans_of, "trees": tree_of, "edges": labelled}.get(compared(kind))
    return texts if convert is None else tuple(map(convert, texts))


def labelled(text: cz.Segmentation) -> cz.Segmentation:
    """Return the segmentation with labels: long segments share two labels, each segment of one unit has its own."""
    starts = [0, *text.inner.tolist()]
    masses = [end - start for start, end in zip(starts, [*starts[1:], text.length], strict=True)]
    labels = [f"{start}" if mass == 1 else "xy"[mass % 2] for start, mass in zip(starts, masses, strict=True)]
    return cz.Segmentation.from_masses(masses, labels=labels)


def defined(kind: type[Measure] | Measure, a: Any, b: Any) -> bool:
    """Return whether the measure is defined for these two. It may need boundaries or spans of several units."""
    if compared(kind) == "edges":
        return not (kind() if isinstance(kind, type) else kind).pack([(a, b)])[2]
    if kind.needs_boundaries:
        return bool(a.inner.size)
    if kind.chance_corrected:
        ends = [(hierarchy, {getattr(s, end) for s in hierarchy}) for hierarchy in (a, b) for end in ("start", "end")]
        return any(len(places) < hierarchy.length for hierarchy, places in ends)
    return True


def backwards(annotation: Any) -> Any:
    """Return the annotation of the text read from its end."""
    if isinstance(annotation, cz.Segmentation):
        return annotation.reversed()
    n = annotation.length
    if isinstance(annotation, cz.Tree):
        return tree_from_brackets(
            annotation.words[::-1], [(n - node.end, n - node.start, node.label) for node in annotation.nodes]
        )
    edges = None if annotation.edges is None else [-t for t in reversed(annotation.edges)]
    spans = [(n + 1 - s.end, n + 1 - s.start, s.level, s.label) for s in annotation.spans]
    return cz.Hierarchy(n, spans, edges=edges, extent=annotation.extent)


@st.composite
def hierarchies(draw: st.DrawFn, *, units: int, max_levels: int = 4, max_spans: int = 10) -> cz.Hierarchy:
    """Draw spans with any levels and labels that neither cross nor contradict each other, possibly none."""
    span = st.tuples(
        st.integers(1, units), st.integers(1, units), st.integers(1, max_levels), st.sampled_from("ABC")
    ).map(lambda s: (min(s[:2]), max(s[:2]), *s[2:]))
    return cz.Hierarchy(units, draw(st.lists(span, max_size=max_spans)), repair=True)


@st.composite
def hierarchy_pairs(draw: st.DrawFn, *, max_units: int = 9) -> tuple[cz.Hierarchy, cz.Hierarchy]:
    """Draw two independent hierarchies, or make the second of spans of the first, some of them moved."""
    units = draw(st.integers(1, max_units))
    a = draw(hierarchies(units=units))
    if draw(st.booleans()):
        return a, draw(hierarchies(units=units))
    moves = draw(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=len(a), max_size=len(a)))
    moved = [(max(1, s.start + x), min(units, s.end + y), s.level, s.label) for s, (x, y) in zip(a, moves, strict=True)]
    return a, cz.Hierarchy(units, [s for s in moved if s[0] <= s[1]], repair=True)


# Trees


def tree_from_brackets(words: Sequence[str], brackets: Iterable[tuple[int, int, str]]) -> cz.Tree:
    """Return the tree with brackets (first word, word after the last). Of two over the same words, the upper is first."""
    nodes = sorted(brackets, key=lambda node: (node[0], -node[1]))
    parent: list[int] = []
    open_: list[int] = []
    for i, (start, _, _) in enumerate(nodes):
        while open_ and nodes[open_[-1]][1] <= start:
            open_.pop()
        parent.append(open_[-1] if open_ else -1)
        open_.append(i)
    start, end, labels = zip(*nodes, strict=True)
    return cz.Tree(labels, parent, start, end, words)


def tree_of(text: cz.Segmentation) -> cz.Tree:
    """Return the segmentation as a tree: its units are words, and the spans of ``spans_of`` are brackets."""
    spans = sorted(spans_of(text).spans, key=lambda span: span.level)
    brackets = [(span.start - 1, span.end, span.label) for span in spans]
    words = [f"w{i}" for i in range(text.length)]
    return tree_from_brackets(words, [*brackets, *((i, i + 1, "word") for i in range(text.length))])


@st.composite
def trees(
    draw: st.DrawFn, words: Sequence[str], *, labels: Sequence[str], tags: Sequence[str], max_brackets: int = 8
) -> cz.Tree:
    """Draw brackets that do not cross, including unary chains and several roots."""
    n = len(words)
    candidates = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(1, n)), max_size=max_brackets))
    spans: list[tuple[int, int]] = []
    for s, e in candidates:
        if s < e and not any(a < s < b < e or s < a < e < b for a, b in spans):
            spans.append((s, e))
    brackets = [(s, e, draw(st.sampled_from(labels))) for s, e in spans]
    return tree_from_brackets(words, [*brackets, *((i, i + 1, draw(st.sampled_from(tags))) for i in range(n))])
