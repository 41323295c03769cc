"""Hierarchies: nested spans over the units of a text, on several levels."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import HierarchyError
from caesura.limits import MAX_LEVELS
from caesura.model import checks
from caesura.model.annotation import Annotation, Axis, Range, Shape, cut_rows, to_ticks
from caesura.model.segmentation import Segmentation
from caesura.model.value import MAX_UNITS, Displayed, Ints, Numbers, count_of, frozen_array, read_only

# Spans before they are checked: ``(start, end[, level[, label]])``.
Rows = Iterable[Sequence[Any]]
_MAX_DRAWN_UNITS = 30


class Span(NamedTuple):
    """Units ``start`` to ``end``, both included and counted from 1.

    Parameters
    ----------
    start, end : int
        First and last unit.
    level : int
        Level of the span; level 1 contains the largest spans.
    label : str, optional
        Name of the span.
    """

    start: int
    end: int
    level: int
    label: str | None = None

    def __str__(self) -> str:
        label = "" if self.label is None else f" {self.label!r}"
        return f"{self.start}-{self.end} on level {self.level}{label}"


class SpanColumns(NamedTuple):
    """The spans of a hierarchy in ticks, sorted by start, then from largest to smallest, then by level and label."""

    rows: Ints  # start, end, level and label of each span: one line each; a label is a place in ``names``
    names: tuple[str | None, ...]  # None, and the labels in the order of first occurrence
    times: Ints  # the times that delimit the units; empty for texts


_NO_TIMES = read_only(np.empty(0, np.int64))
_NO_LEVEL = 0  # level of a span whose level is still unknown


class Hierarchy(Annotation, Displayed):
    """Nested spans over N units. Two spans never cross: they are disjoint, or one contains the other.

    Parameters
    ----------
    length : int
        Number of units, N.
    spans : iterable of sequences
        ``(start, end)``, ``(start, end, level)`` or ``(start, end, level, label)``, counted from 1, both ends included.
        Either all spans have a level, or none has.
    units : iterable of str, optional
        Text of each unit.
    edges : iterable of float, optional
        The N+1 times that delimit the units, if units have a duration (music, speech).
    extent : int, optional
        Number of units used to compute chance agreement (default: ``length``). For timed hierarchies it is the number of
        time steps.
    repair : bool, default False
        Drop spans that cross, or whose levels contradict their nesting, instead of raising an error. Of two conflicting
        spans the one on the deeper level is dropped, then the shorter one, then the later one.
    nested : bool, default True
        Whether spans must nest. With False, spans of different levels may cross if all spans have levels. Only
        ``t_measure`` and ``l_measure`` can compare such hierarchies.

    Attributes
    ----------
    length : int
        Number of units, N.
    spans : tuple of Span
        The spans, sorted by start, then from largest to smallest, then by level.
    units : tuple of str or None
        Text of each unit, if it is known.
    edges : tuple of float or None
        The N+1 times that delimit the units, if units have a duration.
    extent : int
        Number of units used to compute chance agreement.
    nested : bool
        Whether the spans nest.

    Raises
    ------
    HierarchyError
        If a span is invalid, two spans cross, or a span lies inside another span of the same or a deeper level.

    Notes
    -----
    If spans have no levels, the level of a span is 1 + the number of distinct spans that strictly contain it. The same
    span may occur on two levels. An inner span must be on a deeper level than the first level of the span that contains
    it.

    Examples
    --------
    >>> tree = Hierarchy(6, [(1, 6), (1, 4), (5, 6), (1, 2)])
    >>> tree.spans
    (Span(start=1, end=6, level=1, label=None), Span(start=1, end=4, level=2, label=None), \
Span(start=1, end=2, level=3, label=None), Span(start=5, end=6, level=2, label=None))
    >>> tree
    Hierarchy(6 units, 4 spans: (((1 2) 3 4) (5 6)))
    """

    __slots__ = ("edges", "extent", "length", "nested", "spans", "units")

    length: int
    spans: tuple[Span, ...]
    units: tuple[str, ...] | None
    edges: tuple[float, ...] | None
    extent: int
    nested: bool

    def __init__(
        self,
        length: int,
        spans: Rows,
        *,
        units: Iterable[str] | None = None,
        edges: Iterable[float] | None = None,
        extent: int | None = None,
        repair: bool = False,
        nested: bool = True,
    ) -> None:
        n = checks.count(length, error=HierarchyError)
        raw = []
        for i, (start, end, level, label) in enumerate(_check_rows(spans, checks.whole_number, "a whole number")):
            if start < 1 or end > n:
                raise HierarchyError(f"spans[{i}]: a span must lie in 1..{n}; got {start}-{end}")
            number = _NO_LEVEL if level is None else checks.whole_number(level)
            if number is None or (level is not None and number < 1):
                raise HierarchyError(f"spans[{i}]: level must be a whole number from 1 up; got {level!r}")
            raw.append(Span(start, end, number, None if label is None else str(label)))
        without_level = [i for i, span in enumerate(raw) if span.level == _NO_LEVEL]
        if without_level and len(without_level) < len(raw):
            place = f"spans[{without_level[0]}]"
            raise HierarchyError(f"{place}: either all spans must have a level or none; this span has none")
        times = None
        if edges is not None:
            listed = checks.finite_numbers(edges, "edges", HierarchyError, "a time in seconds").tolist()
            if len(listed) != n + 1:
                raise HierarchyError(f"edges: expected {n + 1} times for {n} units; got {len(listed)}")
            for i, (before, after) in enumerate(pairwise(listed), 1):
                if not before < after:
                    raise HierarchyError(f"edges[{i}]: times must ascend; got {after:g} after {before:g}")
            times = tuple(listed)
        must_nest = checks.flag(nested, "nested", HierarchyError)
        if without_level:
            raw = _with_levels(raw)
        rows = raw
        if checks.flag(repair, "repair", HierarchyError):
            rows = _without_conflicts(raw)
            rows = _with_levels(rows) if without_level else rows
        conflict = _conflict(rows, times, has_levels=not without_level)
        if conflict is not None and (must_nest or without_level):
            raise HierarchyError(conflict)
        words = None if units is None else tuple(map(str, checks.as_list(units, "units", error=HierarchyError)))
        texts = checks.unit_texts(words, n, HierarchyError)
        steps = n if extent is None else checks.whole_number(extent)
        if steps is None or steps < 1:
            raise HierarchyError(f"extent: expected a whole number from 1 up; got {extent!r:.80}")
        ordered = tuple(dict.fromkeys(_in_order(rows)))
        self._fill(length=n, spans=ordered, units=texts, edges=times, extent=steps, nested=conflict is None)

    @classmethod
    def from_segmentations(
        cls, levels: Iterable[Segmentation], *, repair: bool = False, nested: bool = True
    ) -> Hierarchy:
        """Return the hierarchy whose levels are segmentations of the same text.

        Parameters
        ----------
        levels : iterable of Segmentation
            Segmentations from coarse to fine. The segments of each segmentation are the spans of its level.
        repair, nested : bool
            See the class.

        Returns
        -------
        Hierarchy

        Raises
        ------
        HierarchyError
            If there is no segmentation, the lengths differ, or segments cross.

        Examples
        --------
        >>> coarse, fine = Segmentation.from_masses([4, 2]), Segmentation.from_masses([2, 2, 2])
        >>> [str(span) for span in Hierarchy.from_segmentations([coarse, fine]).spans]
        ['1-4 on level 1', '1-2 on level 2', '3-4 on level 2', '5-6 on level 1', '5-6 on level 2']
        """
        listed = list(levels)
        if not listed:
            raise HierarchyError("levels: expected at least one segmentation; got none")
        if len({segmentation.length for segmentation in listed}) > 1:
            lengths = ", ".join(str(segmentation.length) for segmentation in listed)
            raise HierarchyError(f"levels: all must segment the same text; got {lengths} units")
        spans = []
        for level, segmentation in enumerate(listed, 1):
            spans += [(start + 1, end, level) for start, end, *_ in segmentation.ranges]
        units = next((segmentation.units for segmentation in listed if segmentation.units is not None), None)
        return cls(listed[0].length, spans, units=units, repair=repair, nested=nested)

    @classmethod
    def from_brackets(cls, text: str) -> Hierarchy:
        """Return the hierarchy for a bracketed text: every pair of brackets is a span, and every word is a unit.

        Parameters
        ----------
        text : str
            Words and brackets.

        Returns
        -------
        Hierarchy

        Raises
        ------
        HierarchyError
            If brackets do not match, a pair of brackets contains no word, or there is no word.

        Examples
        --------
        >>> Hierarchy.from_brackets("((good night) moon)").spans[1]
        Span(start=1, end=2, level=2, label=None)
        """
        if not isinstance(text, str):
            raise HierarchyError(f"brackets: expected a string; got {type(text).__name__}")
        words: list[str] = []
        opened: list[tuple[int, int]] = []
        spans: list[tuple[int, int]] = []
        for match in re.finditer(r"[()]|[^()\s]+", text):
            token = match.group()
            if token == "(":
                opened.append((len(words) + 1, match.start()))
            elif token == ")":
                if not opened:
                    raise HierarchyError(f"brackets: ')' at character {match.start() + 1} has no opening bracket")
                start, at = opened.pop()
                if start > len(words):
                    raise HierarchyError(f"brackets: '(' at character {at + 1} contains no word")
                spans.append((start, len(words)))
            else:
                words.append(token)
        if opened:
            raise HierarchyError(f"brackets: '(' at character {opened[-1][1] + 1} is never closed")
        if not words:
            raise HierarchyError("brackets: expected at least one word; got none")
        return cls(len(words), dict.fromkeys(spans), units=words)

    @classmethod
    def from_times(
        cls, spans: Rows, *, duration: float | None = None, repair: bool = False, nested: bool = True
    ) -> Hierarchy:
        """Return the hierarchy of spans given in seconds; the units lie between the times that occur.

        Parameters
        ----------
        spans : iterable of sequences
            ``(start, end[, level[, label]])`` with times in seconds. Spans of zero length are dropped.
        duration : float, optional
            End of the recording, which begins at 0.
        repair, nested : bool
            See the class.

        Returns
        -------
        Hierarchy

        Raises
        ------
        HierarchyError
            If a time is invalid, all spans have zero length, or spans cross.

        Notes
        -----
        Before you compare timed hierarchies, convert them to the same units with :func:`common_units`. ``t_measure`` and
        ``l_measure`` use the times directly.

        Examples
        --------
        >>> Hierarchy.from_times([(0, 9.5, 1, "A"), (0, 4.25, 2, "a"), (4.25, 9.5, 2, "b")]).edges
        (0.0, 4.25, 9.5)
        """
        rows = [row for row in _check_rows(spans, checks.finite_number, "a time in seconds") if row[1] > row[0]]
        times = sorted({time for row in rows for time in row[:2]} | ({0.0, float(duration)} if duration else set()))
        if len(times) < 2:
            raise HierarchyError("times: expected at least one span longer than 0 s; got none")
        place = {time: i for i, time in enumerate(times)}
        units = [(place[row[0]] + 1, place[row[1]], *row[2:]) for row in rows]
        return cls(len(times) - 1, units, edges=times, repair=repair, nested=nested)

    @property
    def axis(self) -> Axis:
        edges = self.edges
        if edges is None:
            return Axis(0, self.length, tokens=self.units)
        return Axis(edges[0], edges[-1], True, self.units, edges)

    def _cut(self, axis: Axis) -> Hierarchy:
        rows = cut_rows(self.ranges, axis)
        times = sorted({*axis.extent, *(time for row in rows for time in row[:2])})
        place = {time: i for i, time in enumerate(times)} if axis.seconds else range(int(axis.end) + 1)
        spans = [(place[start] + 1, place[end], level, label) for start, end, label, level in rows]
        return Hierarchy(len(place) - 1, spans, edges=times if axis.seconds else None, nested=self.nested)

    def _over_units(self, axis: Axis) -> Hierarchy:
        places = [axis.place(time) for time in self.edges or ()]
        return Hierarchy(int(axis.end), self.move_spans(places, places), units=axis.tokens, nested=self.nested)

    @property
    def ranges(self) -> list[Range]:
        edges = self.edges or range(self.length + 1)
        return [(edges[start - 1], edges[end], label, level) for start, end, level, label in self.spans]

    @property
    def shape(self) -> Shape:
        return Shape.NESTED if self.nested else Shape.LAYERED

    @property
    def flat(self) -> frozenset[tuple[int, int]]:
        """The distinct (start, end) pairs."""
        return frozenset((span.start, span.end) for span in self.spans)

    @property
    def full(self) -> frozenset[tuple[int, int, int]]:
        """The distinct (start, end, level) triples."""
        return frozenset((span.start, span.end, span.level) for span in self.spans)

    @cached_property
    def columns(self) -> SpanColumns:
        """The spans as arrays."""
        numbers: dict[str | None, int] = {None: 0}
        for span in self.spans:
            if span[3] not in numbers:
                numbers[span[3]] = len(numbers)
        # The spans of a hierarchy are sorted; those of a gold standard that keeps conflicts may not be.
        rows = sorted((start - 1, -end, level, numbers[label]) for start, end, level, label in self.spans)
        table = np.array([*zip(*rows, strict=True)], np.int64).reshape(4, -1)
        np.negative(table[1], out=table[1])
        times = read_only(to_ticks(self.edges)) if self.edges else _NO_TIMES
        if self.edges:
            table[:2] = times[table[:2]]
        return SpanColumns(read_only(table), tuple(numbers), times)

    @property
    def depth(self) -> int:
        """The deepest level, or 0 if there are no spans."""
        return max((span.level for span in self.spans), default=0)

    def segmentation(self, levels: int | None = None) -> Segmentation:
        """Return the boundaries of all spans, with levels as types.

        Parameters
        ----------
        levels : int, optional
            Number of types to declare, at least the depth (default: the depth). Hierarchies can only be compared if they
            declare the same number.

        Returns
        -------
        Segmentation
            A segmentation with a boundary of type ``"2"`` at every inner position where a span of level 2 begins or ends.

        Raises
        ------
        HierarchyError
            If ``levels`` is smaller than the depth, or above 10,000.
        """
        number = max(1, self.depth if levels is None else levels)
        if number < self.depth:
            raise HierarchyError(f"levels must be at least the depth, {self.depth}; got {levels}")
        if number > MAX_LEVELS:  # a file of a few bytes can declare 2^31 levels, and each becomes a type
            raise HierarchyError(f"at most {MAX_LEVELS:,} levels become types; got level {number:,}; renumber them")
        # A valid hierarchy has valid boundaries, which need no further check.
        ends = {(position, level) for start, end, level, _ in self.spans for position in (start - 1, end)}
        entries = sorted((position, level - 1) for position, level in ends if 1 <= position < self.length)
        positions, codes = zip(*entries, strict=True) if entries else ((), ())
        types = tuple(map(str, range(1, number + 1)))
        return Segmentation.from_valid_entries(
            self.length, frozen_array(positions), frozen_array(codes), types, units=self.units
        )

    def at_level(self, level: int) -> Segmentation:
        """Return the linear segmentation of one level.

        Parameters
        ----------
        level : int
            Level from 1, the highest.

        Returns
        -------
        Segmentation
            A boundary wherever a span of this level or a higher one begins or ends inside the text: a higher span that
            is not divided on this level stays one segment.

        Examples
        --------
        >>> talk = Hierarchy(6, [(1, 6), (1, 4), (5, 6), (1, 2), (3, 4)])
        >>> [talk.at_level(level).masses for level in (1, 2, 3)]
        [(6,), (4, 2), (2, 2, 2)]
        """
        ends = {place for span in self.spans if span.level <= level for place in (span.start - 1, span.end)}
        positions = sorted(place for place in ends if 0 < place < self.length)
        return Segmentation.from_positions(self.length, positions, units=self.units)

    def with_spans(self, spans: Iterable[Span]) -> Hierarchy:
        """Return a hierarchy over the same units with different spans, which may cross.

        Parameters
        ----------
        spans : iterable of Span
            Spans sorted by start, then from largest to smallest, then by level. They are not checked.

        Returns
        -------
        Hierarchy
            A hierarchy with the same length, units, times and extent.

        Notes
        -----
        The union of several coders' hierarchies may contain spans that cross. The hierarchy of a single coder may not.
        """
        return self._with(spans=tuple(spans))

    def move_spans(self, starts: Numbers, ends: Numbers) -> list[Span]:
        """Return the spans over different units, without spans that become empty.

        Parameters
        ----------
        starts, ends : sequence of int
            For each of the N+1 edges of the present units, the new edge (counted from 0) of spans that start there and
            of spans that end there.

        Returns
        -------
        list of Span
        """
        moved = [Span(int(starts[s.start - 1]) + 1, int(ends[s.end]), s.level, s.label) for s in self.spans]
        return [span for span in moved if span.start <= span.end]

    def brackets(self) -> str:
        """Return a bracket string with the texts of the units, or with their numbers. Each distinct span appears once.

        Returns
        -------
        str
        """
        opening = Counter(start for start, _ in self.flat)
        closing = Counter(end for _, end in self.flat)
        words = self.units or [str(i) for i in range(1, self.length + 1)]
        return " ".join("(" * opening[i] + word + ")" * closing[i] for i, word in enumerate(words, 1))

    def __iter__(self) -> Iterator[Span]:
        return iter(self.spans)

    def __len__(self) -> int:
        return len(self.spans)

    def __json__(self) -> dict[str, Any]:
        spans = [span._asdict() for span in self.spans]
        return {"length": self.length, "edges": self.edges and list(self.edges), "spans": spans}

    def __repr__(self) -> str:
        drawing = f": {self.brackets()}" if self.length <= _MAX_DRAWN_UNITS and self.spans else ""
        return f"Hierarchy({count_of(self.length, 'unit')}, {count_of(len(self.spans), 'span')}{drawing})"


def common_units(by_coder: Mapping[str, Hierarchy], *, tolerance: float = 0.5) -> tuple[dict[str, Hierarchy], int]:
    """Return timed hierarchies over the same units, and the number of spans that became empty and were dropped.

    Parameters
    ----------
    by_coder : mapping of str to Hierarchy
        Hierarchies of one item.
    tolerance : float, default 0.5
        Times at most this many seconds apart are merged.

    Returns
    -------
    hierarchies : dict of str to Hierarchy
        The hierarchies over common units. Hierarchies over text are returned unchanged.
    dropped : int
        Number of spans that became empty.

    Raises
    ------
    HierarchyError
        If only some coders have times, all times lie within the tolerance, or the tolerance is not positive.

    Notes
    -----
    The times of all coders are sorted. A time within ``tolerance`` of the *first* time of a group joins the group. The
    number of units used to compute chance agreement is round(duration / tolerance), not the number of merged units.
    Otherwise kappa would depend on the other coders.

    Examples
    --------
    >>> ann = Hierarchy.from_times([(0, 10), (0, 5)])
    >>> bo = Hierarchy.from_times([(0, 10), (0, 5.25)])
    >>> merged, dropped = common_units({"ann": ann, "bo": bo})
    >>> merged["bo"].spans == merged["ann"].spans, merged["ann"].extent, dropped
    (True, 20, 0)
    """
    with_times = {hierarchy.edges is not None for hierarchy in by_coder.values()}
    if with_times == {True, False}:
        raise HierarchyError("some coders have times and some have none; they cannot be compared")
    if True not in with_times:
        return dict(by_coder), 0
    seconds = checks.finite_number(tolerance)
    if seconds is None or seconds <= 0:
        raise HierarchyError(f"tolerance must be a number of seconds above 0; got {tolerance!r}")
    times = sorted({time for hierarchy in by_coder.values() for time in hierarchy.edges or ()})
    first_times: list[float] = []
    group: dict[float, int] = {}
    for time in times:
        if not first_times or time > first_times[-1] + seconds:
            first_times.append(time)
        group[time] = len(first_times) - 1
    if len(first_times) < 2:
        raise HierarchyError(f"all times lie within the tolerance of {seconds:g} s; choose a smaller tolerance")
    ratio = (times[-1] - times[0]) / seconds
    if not ratio < checks.MAX_NUMBER:
        raise HierarchyError(
            f"times from {times[0]:g} to {times[-1]:g} s are too far apart for a tolerance of {seconds:g} s"
        )
    extent = max(1, round(ratio))
    merged = {}
    dropped = 0
    for coder, hierarchy in by_coder.items():
        edges = [group[time] for time in hierarchy.edges or ()]
        spans = hierarchy.move_spans(edges, edges)
        dropped += len(hierarchy.spans) - len(spans)
        merged[coder] = Hierarchy(len(first_times) - 1, dict.fromkeys(spans), edges=first_times, extent=extent)
    return merged, dropped


def _check_rows(spans: Rows, number: Callable[[Any], float | None], expected: str) -> list[list[Any]]:
    """Return start, end, level and label of spans; the last two are not checked and may be None."""
    rows = checks.rows(spans, "spans", "(start, end[, level[, label]])", HierarchyError, number, expected)
    for i, (start, end, *_) in enumerate(rows):
        if start > end:
            raise HierarchyError(f"spans[{i}]: start must not be after end; got {start:.10g} > {end:.10g}")
    return rows


def _in_order(spans: Iterable[Span]) -> list[Span]:
    """Sort spans by start, then from largest to smallest, then by level and label."""
    return sorted(spans, key=lambda span: (span.start, -span.end, span.level, span.label or ""))


def _conflict(spans: Iterable[Span], edges: tuple[float, ...] | None, *, has_levels: bool) -> str | None:
    """Return which spans cross or are not on a deeper level than the span around them, if there are any."""

    def place(span: Span) -> str:
        units = (
            f"{span.start}-{span.end}" if edges is None else f"{edges[span.start - 1]:.10g}-{edges[span.end]:.10g} s"
        )
        return f"{units} on level {span.level}" if has_levels else units

    around: list[Span] = []  # the distinct spans that contain the current one, the largest first
    too_high = None
    for span in _in_order(spans):  # of equal spans, the highest level comes first
        while around and around[-1].end < span.start:
            around.pop()
        if around and around[-1][:2] == span[:2]:
            continue
        if around and around[-1].end < span.end:
            hint = " (for t_measure and l_measure alone, nested=False allows this)" if has_levels else ""
            return f"{place(around[-1])} and {place(span)} cross; each coder's own spans must nest{hint}"
        if around and span.level <= around[-1].level and too_high is None:
            too_high = f"{place(span)} lies inside {place(around[-1])}; an inner span must be deeper"
        around.append(span)
    return too_high


def spans_nest(spans: Iterable[Span]) -> bool:
    """Return whether spans nest, and inner spans are on deeper levels, as those of a hierarchy must."""
    return _conflict(spans, None, has_levels=True) is None


def _without_conflicts(raw: list[Span]) -> list[Span]:
    # Of two conflicting spans the one on the deeper level is dropped, then the shorter one, then the later one. Therefore spans
    # are added from coarse to fine and from long to short. A span fits if every span that overlaps it contains it and is on a
    # higher level: no span begins or ends inside it, and no span on the same level contains it.
    fitting: set[int] = set()
    known: set[tuple[int, int]] = set()
    starts: list[int] = []
    ends: list[int] = []
    by_level: dict[int, list[tuple[int, int]]] = {}
    for i in sorted(range(len(raw)), key=lambda i: (raw[i].level, raw[i].start - raw[i].end, raw[i].start, i)):
        start, end, level, _ = raw[i]
        if (start, end) not in known:
            after, inside = bisect_right(starts, start), bisect_left(ends, start)
            begins_inside = after < len(starts) and starts[after] <= end
            ends_inside = inside < len(ends) and ends[inside] < end
            same_level = by_level.setdefault(level, [])
            at = bisect_right(same_level, (start, MAX_UNITS))
            if begins_inside or ends_inside or (at and same_level[at - 1][1] >= end):
                continue
            same_level.insert(at, (start, end))
            starts.insert(after, start)
            insort(ends, end)
            known.add((start, end))
        fitting.add(i)
    return [raw[i] for i in sorted(fitting)]


def _with_levels(raw: list[Span]) -> list[Span]:
    """Set the level of each span to 1 + the number of distinct spans that strictly contain it, even if spans cross."""
    pairs = sorted({(span.start, span.end) for span in raw}, key=lambda pair: (pair[0], -pair[1]))
    ends: list[int] = []  # ends of the spans that begin earlier, or begin at the same unit and are longer
    depth = {}
    for pair in pairs:
        at = bisect_left(ends, pair[1])
        depth[pair] = len(ends) - at + 1
        ends.insert(at, pair[1])
    return [span._replace(level=depth[span.start, span.end]) for span in raw]
