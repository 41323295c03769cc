"""Spans inside spans: what one coder made of a text, on several levels."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import HierarchyError
from caesura.model.segmentation import MAX_UNITS, Segmentation


class Span(NamedTuple):
    """Units ``start`` to ``end``, both included and counted from 1; level 1 is the largest."""

    start: int
    end: int
    level: int
    label: str | None = None

    def __str__(self) -> str:
        label = "" if self.label is None else f" {self.label!r}"
        return f"{self.start}-{self.end} on level {self.level}{label}"


@dataclass(frozen=True, eq=False)
class _Given:
    """A span as it came, before levels are known."""

    start: int
    end: int
    level: int | None
    label: str | None


class Hierarchy:
    """Spans over N units, none of which cross: two of them are apart, or one contains the other.

    ``spans`` are ``(start, end)``, ``(start, end, level)`` or ``(start, end, level, label)``, counted from 1, both ends
    included. Without levels they are derived: 1 + the number of distinct spans that strictly contain it. The same span
    may stand on two levels. A span inside another must be deeper than that one's first level.

    ``edges``, where units have a duration (music, speech), are the N+1 times between which they lie. ``extent`` is what
    stands for N where chance is counted over time; by default the number of units.

    >>> tree = Hierarchy(6, [(1, 6), (1, 4), (5, 6), (1, 2)])
    >>> tree.spans
    (Span(start=1, end=6, level=1, label=None), Span(start=1, end=4, level=2, label=None), \
Span(start=1, end=2, level=3, label=None), Span(start=5, end=6, level=2, label=None))
    >>> tree
    Hierarchy(6 units, 4 spans: (((1 2) 3 4) (5 6)))
    """

    __slots__ = ("_hash", "edges", "extent", "length", "spans", "units")

    length: int
    """Number of units, N."""
    spans: tuple[Span, ...]
    """By start, the larger first, then by level."""
    units: tuple[str, ...] | None
    """The text, a string a unit, where it is known."""
    edges: tuple[float, ...] | None
    """The times between units, N+1 of them, where units have a duration."""
    extent: int
    """What N is for chance: the number of units, or of steps in time."""
    _hash: int | None

    def __init__(
        self,
        length: int,
        spans: Iterable[Sequence[Any]],
        *,
        units: Iterable[str] | None = None,
        edges: Iterable[float] | None = None,
        extent: int | None = None,
        repair: bool = False,
    ) -> None:
        """``repair``: of two spans that cross, or whose levels contradict their nesting, drop the one on the deeper level,
        then the shorter, then the later."""
        if isinstance(length, bool) or not isinstance(length, (int, np.integer)) or not 1 <= length <= MAX_UNITS:
            raise HierarchyError(f"length: a text has from 1 to {MAX_UNITS} units; got {length!r}")
        n = int(length)
        given = [_check(i, span, n) for i, span in enumerate(spans)]
        times = _check_edges(edges, n)
        leveled = _level(given, repair, times)
        _check_nesting(leveled, times)
        self._put(n, leveled, _check_units(units, n), times, n if extent is None else max(1, int(extent)))

    def _put(
        self,
        length: int,
        spans: tuple[Span, ...],
        units: tuple[str, ...] | None,
        edges: tuple[float, ...] | None,
        extent: int,
    ) -> None:
        """What is trusted to be right; a union of several coders may cross."""
        put = object.__setattr__
        put(self, "length", length)
        put(self, "spans", spans)
        put(self, "units", units)
        put(self, "edges", edges)
        put(self, "extent", extent)
        put(self, "_hash", None)

    # -- constructors ---------------------------------------------------------------------------------------------

    @classmethod
    def from_segmentations(cls, levels: Iterable[Segmentation], *, repair: bool = False) -> Hierarchy:
        """Segmentations of one text, the coarsest first: the segments of each are spans of its level.

        >>> coarse, fine = Segmentation.from_masses([4, 2]), Segmentation.from_masses([2, 2, 2])
        >>> [str(span) for span in Hierarchy.from_segmentations([coarse, fine]).spans]
        ['1-4 on level 1', '1-2 on level 2', '3-4 on level 2', '5-6 on level 1', '5-6 on level 2']
        """
        listed = list(levels)
        if not listed:
            raise HierarchyError("levels: at least one segmentation is needed; got none")
        lengths = {one.length for one in listed}
        if len(lengths) > 1:
            said = ", ".join(str(one.length) for one in listed)
            raise HierarchyError(f"levels: all must be of one text; got {said} units")
        spans = []
        for level, one in enumerate(listed, 1):
            ends = [*one.inner.tolist(), one.length]
            spans += [(start + 1, end, level) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        text = next((one.units for one in listed if one.units is not None), None)
        return cls(listed[0].length, spans, units=text, repair=repair)

    @classmethod
    def from_brackets(cls, text: str) -> Hierarchy:
        """Brackets around words: every pair is a span, every word a unit.

        >>> Hierarchy.from_brackets("((good night) moon)").spans[1]
        Span(start=1, end=2, level=2, label=None)
        """
        if not isinstance(text, str):
            raise HierarchyError(f"brackets: a string is needed; got {type(text).__name__}")
        words: list[str] = []
        open_at: list[tuple[int, int]] = []
        spans: list[tuple[int, int]] = []
        for found in re.finditer(r"[()]|[^()\s]+", text):
            token = found.group()
            if token == "(":
                open_at.append((len(words) + 1, found.start()))
            elif token == ")":
                if not open_at:
                    raise HierarchyError(f"brackets: ')' at character {found.start() + 1} closes nothing")
                start, at = open_at.pop()
                if start > len(words):
                    raise HierarchyError(f"brackets: '(' at character {at + 1} holds no word")
                spans.append((start, len(words)))
            else:
                words.append(token)
        if open_at:
            raise HierarchyError(f"brackets: '(' at character {open_at[-1][1] + 1} is never closed")
        if not words:
            raise HierarchyError("brackets: at least one word is needed; got none")
        return cls(len(words), dict.fromkeys(spans), units=words)

    @classmethod
    def from_times(
        cls, spans: Iterable[Sequence[Any]], *, duration: float | None = None, repair: bool = False
    ) -> Hierarchy:
        """Spans in seconds, ``(start, end[, level[, label]])``: units lie between the times that occur.

        Spans of no length are left out. Compare hierarchies over the same units by :func:`common_units`; ``t_measure``
        and ``l_measure`` take the times as they are.

        >>> Hierarchy.from_times([(0, 9.5, 1, "A"), (0, 4.25, 2, "a"), (4.25, 9.5, 2, "b")]).edges
        (0.0, 4.25, 9.5)
        """
        rows = [_check_time(i, span) for i, span in enumerate(spans)]
        rows = [row for row in rows if row[1] > row[0]]
        times = sorted({t for row in rows for t in row[:2]} | ({0.0, float(duration)} if duration else set()))
        if len(times) < 2:
            raise HierarchyError("times: at least one span that lasts is needed; got none")
        place = {t: i for i, t in enumerate(times)}
        made = [(place[row[0]] + 1, place[row[1]], *row[2:]) for row in rows]
        return cls(len(times) - 1, made, edges=times, repair=repair)

    # -- views ----------------------------------------------------------------------------------------------------

    @property
    def flat(self) -> frozenset[tuple[int, int]]:
        """The distinct (start, end)."""
        return frozenset((span.start, span.end) for span in self.spans)

    @property
    def full(self) -> frozenset[tuple[int, int, int]]:
        """The distinct (start, end, level)."""
        return frozenset((span.start, span.end, span.level) for span in self.spans)

    @property
    def depth(self) -> int:
        """The deepest level; 0 without spans."""
        return max((span.level for span in self.spans), default=0)

    @property
    def durations(self) -> tuple[float, ...]:
        """How long each unit lasts: 1 for text."""
        if self.edges is None:
            return (1.0,) * self.length
        return tuple(b - a for a, b in zip(self.edges, self.edges[1:], strict=False))

    def segmentation(self, levels: int | None = None) -> Segmentation:
        """Flattened: a boundary of type ``level`` wherever a span of that level begins or ends inside the text.

        S and B then apply, with levels as types. ``levels`` is how many types are declared, at least the depth: two
        hierarchies to be compared must declare the same.
        """
        most = max(1, self.depth if levels is None else levels)
        if most < self.depth:
            raise HierarchyError(f"levels must be at least the depth, {self.depth}; got {levels}")
        sets: dict[int, set[str]] = {}
        for span in self.spans:
            for position in (span.start - 1, span.end):
                if 1 <= position < self.length:
                    sets.setdefault(position, set()).add(str(span.level))
        at = sorted(sets)
        return Segmentation.from_positions(
            self.length,
            at,
            marks=[sets[p] for p in at],
            types=[str(level) for level in range(1, most + 1)],
            units=self.units,
        )

    def with_spans(self, spans: Iterable[Span]) -> Hierarchy:
        """Return a hierarchy over the same units with different spans, which may cross.

        Parameters
        ----------
        spans : iterable of Span
            Spans in order: by start, the larger first, then by level. They are not checked.

        Returns
        -------
        Hierarchy
            Same length, units, times and extent.

        Notes
        -----
        A union of several coders may hold spans that cross, which no coder's own hierarchy may.
        """
        return _restore(self.length, spans, self.units, self.edges, self.extent)

    def __iter__(self) -> Iterator[Span]:
        return iter(self.spans)

    def __len__(self) -> int:
        return len(self.spans)

    # -- value semantics ------------------------------------------------------------------------------------------

    def _key(self) -> tuple[Any, ...]:
        return (self.length, self.spans, self.units, self.edges, self.extent)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Hierarchy) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(self._key()))
        return self._hash  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Hierarchy is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Hierarchy is immutable; cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.length, tuple(map(tuple, self.spans)), self.units, self.edges, self.extent)

    def __json__(self) -> dict[str, Any]:
        """Return the plain form: number of units, times between units (if any) and spans."""
        return {
            "length": self.length,
            "edges": self.edges and list(self.edges),
            "spans": [span._asdict() for span in self.spans],
        }

    def __repr__(self) -> str:
        drawn = f": {self.brackets()}" if self.length <= 30 and self.spans else ""
        units = f"{self.length} unit{'' if self.length == 1 else 's'}"
        spans = f"{len(self.spans)} span{'' if len(self.spans) == 1 else 's'}"
        return f"Hierarchy({units}, {spans}{drawn})"

    def brackets(self) -> str:
        """As a bracket string, with the text of the units where it is known; each distinct span once."""
        opening: dict[int, int] = {}
        closing: dict[int, int] = {}
        for start, end in self.flat:
            opening[start] = opening.get(start, 0) + 1
            closing[end] = closing.get(end, 0) + 1
        words = self.units or [str(i) for i in range(1, self.length + 1)]
        return " ".join("(" * opening.get(i, 0) + word + ")" * closing.get(i, 0) for i, word in enumerate(words, 1))


def _restore(
    length: int,
    spans: Iterable[Sequence[Any]],
    units: tuple[str, ...] | None,
    edges: tuple[float, ...] | None,
    extent: int,
) -> Hierarchy:
    """Return a hierarchy from values that were checked before."""
    hierarchy = Hierarchy.__new__(Hierarchy)
    hierarchy._put(length, tuple(Span(*span) for span in spans), units, edges, extent)
    return hierarchy


def common_units(by_coder: Mapping[str, Hierarchy], *, tolerance: float = 0.5) -> tuple[dict[str, Hierarchy], int]:
    """Hierarchies in time over the same units, and how many spans became empty and were dropped.

    Times of all coders are sorted; one within ``tolerance`` seconds of the *first* time of an open group joins it. N for
    chance is round(duration / tolerance), not the number of merged units: otherwise kappa would depend on who else
    annotated. Hierarchies over text are given back as they are, if they have the same length.

    >>> ann = Hierarchy.from_times([(0, 10), (0, 5)])
    >>> bo = Hierarchy.from_times([(0, 10), (0, 5.25)])
    >>> merged, dropped = common_units({"ann": ann, "bo": bo})
    >>> merged["bo"].spans == merged["ann"].spans, merged["ann"].extent, dropped
    (True, 20, 0)
    """
    timed = [one.edges is not None for one in by_coder.values()]
    if not all(timed):
        if any(timed):
            raise HierarchyError("some coders have times and some have none; they cannot be compared")
        return dict(by_coder), 0
    if not 0 < tolerance < np.inf:
        raise HierarchyError(f"tolerance must be a number of seconds above 0; got {tolerance!r}")
    times = sorted({t for one in by_coder.values() for t in one.edges or ()})
    group: dict[float, int] = {}
    firsts: list[float] = []
    for t in times:
        if not firsts or t > firsts[-1] + tolerance:
            firsts.append(t)
        group[t] = len(firsts) - 1
    if len(firsts) < 2:
        raise HierarchyError(f"all times lie within the tolerance of {tolerance:g} s; nothing is left to compare")
    extent = max(1, round((times[-1] - times[0]) / tolerance))
    dropped = 0
    merged = {}
    for coder, one in by_coder.items():
        edges = one.edges or ()
        moved = [(group[edges[s.start - 1]] + 1, group[edges[s.end]], s.level, s.label) for s in one.spans]
        kept = [span for span in moved if span[1] >= span[0]]
        dropped += len(moved) - len(kept)
        merged[coder] = Hierarchy(len(firsts) - 1, dict.fromkeys(kept), edges=firsts, extent=extent)
    return merged, dropped


# -- checks -----------------------------------------------------------------------------------------------------------


def _check(i: int, span: Sequence[Any], n: int) -> _Given:
    if isinstance(span, str) or not isinstance(span, Sequence) or not 2 <= len(span) <= 4:
        raise HierarchyError(f"spans[{i}]: a span is (start, end[, level[, label]]); got {span!r}")
    start, end, level, label = (*span, None, None)[:4]
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise HierarchyError(f"spans[{i}]: {name} must be a whole number; got {value!r}")
    if start > end:
        raise HierarchyError(f"spans[{i}]: start must not be after end; got {start} > {end}")
    if start < 1 or end > n:
        raise HierarchyError(f"spans[{i}]: a span must lie in 1..{n}; got {start}-{end}")
    if level is not None and (isinstance(level, bool) or not isinstance(level, (int, np.integer)) or level < 1):
        raise HierarchyError(f"spans[{i}]: level must be a whole number from 1 up; got {level!r}")
    return _Given(int(start), int(end), None if level is None else int(level), None if label is None else str(label))


def _check_time(i: int, span: Sequence[Any]) -> tuple[Any, ...]:
    if isinstance(span, str) or not isinstance(span, Sequence) or not 2 <= len(span) <= 4:
        raise HierarchyError(f"spans[{i}]: a span is (start, end[, level[, label]]); got {span!r}")
    for name, value in (("start", span[0]), ("end", span[1])):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
            raise HierarchyError(f"spans[{i}]: {name} must be a time in seconds; got {value!r}")
    start, end = float(span[0]), float(span[1])
    if start > end:
        raise HierarchyError(f"spans[{i}]: start must not be after end; got {start:g} > {end:g}")
    return (start, end, *span[2:])


def _check_units(units: Iterable[str] | None, n: int) -> tuple[str, ...] | None:
    if units is None:
        return None
    listed = tuple(map(str, units))
    if len(listed) != n:
        raise HierarchyError(f"units: one string a unit is needed; got {len(listed)} for {n} units")
    return listed


def _check_edges(edges: Iterable[float] | None, n: int) -> tuple[float, ...] | None:
    if edges is None:
        return None
    listed = tuple(map(float, edges))
    if len(listed) != n + 1:
        raise HierarchyError(f"edges: {n + 1} times are needed for {n} units; got {len(listed)}")
    for i in range(n):
        if not listed[i] < listed[i + 1]:
            raise HierarchyError(f"edges[{i + 1}]: times must rise; got {listed[i + 1]:g} after {listed[i]:g}")
    return listed


def _level(given: list[_Given], repair: bool, edges: tuple[float, ...] | None) -> tuple[Span, ...]:
    """Spans with levels, sorted; of spans that cross, one is dropped or both are named."""
    without = [i for i, one in enumerate(given) if one.level is None]
    if without and len(without) < len(given):
        raise HierarchyError(f"spans[{without[0]}]: all spans have a level, or none; this one has none")
    if repair:
        given = _repaired(given)
    order = sorted(given, key=lambda one: (one.start, -one.end, one.level or 0, one.label or ""))
    open_: list[_Given] = []
    depth: dict[tuple[int, int], int] = {}
    spans = []
    for one in order:
        while open_ and open_[-1].end < one.start:
            open_.pop()
        if open_ and open_[-1].end < one.end:
            both = f"{_named(open_[-1], edges)} and {_named(one, edges)}"
            raise HierarchyError(f"{both} cross; each coder's own spans must nest")
        key = (one.start, one.end)
        if key not in depth:
            depth[key] = len(open_) + 1
            open_.append(one)
        spans.append(Span(one.start, one.end, depth[key] if one.level is None else one.level, one.label))
    return tuple(dict.fromkeys(spans))


def _named(one: _Given, edges: tuple[float, ...] | None) -> str:
    level = "" if one.level is None else f" on level {one.level}"
    return f"{_place(one.start, one.end, edges)}{level}"


def _place(start: int, end: int, edges: tuple[float, ...] | None) -> str:
    """A span for a message: by its units, or by the times that its coder gave."""
    return f"{start}-{end}" if edges is None else f"{edges[start - 1]:.10g}-{edges[end]:.10g} s"


def _repaired(given: list[_Given]) -> list[_Given]:
    """Without spans that cross or contradict: of two, the deeper level goes, then the shorter, then the later.

    The coarser and longer come first, so a span may be kept if all kept ones that it touches contain it, on a level
    above its own: none of them begins or ends inside it, and none on its own level is around it.
    """
    levels = [one.level for one in given if one.level is not None]
    if len(levels) < len(given):
        levels = _depths(given)
    best_first = sorted(
        range(len(given)), key=lambda i: (levels[i], -(given[i].end - given[i].start), given[i].start, i)
    )
    kept: list[int] = []
    known: set[tuple[int, int]] = set()
    starts: list[int] = []
    ends: list[int] = []
    of_level: dict[int, list[tuple[int, int]]] = {}
    for i in best_first:
        start, end, level = given[i].start, given[i].end, levels[i]
        if (start, end) not in known:
            after, inside = bisect_right(starts, start), bisect_left(ends, start)
            if (after < len(starts) and starts[after] <= end) or (inside < len(ends) and ends[inside] < end):
                continue
            beside = of_level.setdefault(level, [])
            at = bisect_right(beside, (start, MAX_UNITS))
            if at and beside[at - 1][1] >= end:
                continue
            beside.insert(at, (start, end))
            starts.insert(after, start)
            insort(ends, end)
            known.add((start, end))
        kept.append(i)
    return [given[i] for i in sorted(kept)]


def _depths(given: list[_Given]) -> list[int]:
    """1 + how many distinct spans strictly contain each, whether or not they cross others."""
    pairs = sorted({(one.start, one.end) for one in given}, key=lambda pair: (pair[0], -pair[1]))
    ends: list[int] = []  # of those that begin before, or here and are longer
    depth = {}
    for pair in pairs:
        at = bisect_left(ends, pair[1])
        depth[pair] = len(ends) - at + 1
        ends.insert(at, pair[1])
    return [depth[one.start, one.end] for one in given]


def _check_nesting(spans: tuple[Span, ...], edges: tuple[float, ...] | None) -> None:
    """A span inside another is deeper than the first level on which that one stands."""
    first: dict[tuple[int, int], int] = {}
    for span in spans:
        key = (span.start, span.end)
        first[key] = min(first.get(key, span.level), span.level)
    open_: list[tuple[int, int]] = []
    for span in spans:
        key = (span.start, span.end)
        while open_ and (open_[-1][1] < span.start or open_[-1] == key):
            open_.pop()
        if open_ and first[open_[-1]] >= span.level:
            raise HierarchyError(
                f"{_place(*key, edges)} on level {span.level} lies inside {_place(*open_[-1], edges)} on level "
                f"{first[open_[-1]]}; an inner span must be deeper"
            )
        open_.append(key)
