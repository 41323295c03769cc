"""Spans: what one coder marked in a text or recording. They may leave gaps, overlap, nest and have categories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from heapq import heappop, heappush
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from caesura.errors import SpansError
from caesura.model import checks
from caesura.model.annotation import Annotation, Axis, Range, Shape, cut_rows
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import lexsort, repeat
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.model.value import MAX_UNITS, Displayed, Floats, Ints, count_of, frozen_array, read_only

_MAX_SHOWN = 8
_FEW = 50  # numbers of which Python finds the largest faster than numpy


class MarkedSpan(NamedTuple):
    """A span from ``start`` (included) to ``end`` (excluded), with its category.

    Parameters
    ----------
    start, end : float
        Positions, counted from 0, or times in seconds.
    category : str, optional
        Category of the span.
    """

    start: float
    end: float
    category: str | None = None

    def __str__(self) -> str:
        category = "" if self.category is None else f" {self.category[:40]!r}"
        return f"{self.start:.10g}-{self.end:.10g}{category}"


class Spans(Annotation, Displayed):
    """The spans that one coder marked in one item. They may leave gaps, overlap, nest, and occur twice.

    Parameters
    ----------
    spans : iterable of sequences
        ``(start, end)`` or ``(start, end, category)``: positions counted from 0, the start included and the end excluded,
        or times in seconds. A category is a string, a number or None.
    length : float, optional
        Length of the item: number of characters or tokens, or seconds. The same as ``bounds=(0, length)``.
    bounds : tuple of (float, float), optional
        Beginning and end of the item (default: unknown).
    seconds : bool, default False
        Whether positions are seconds instead of characters or tokens.
    text : str, optional
        The text, if positions count its characters.
    units : iterable of str, optional
        The tokens, if positions count tokens.

    Attributes
    ----------
    starts, ends : numpy.ndarray of float64
        Start and end of each span. Spans are sorted by start, end and category; arrays are read-only.
    categories : tuple of str or None
        Category of each span.
    category_names : tuple of str or None
        The distinct categories in ascending order; None comes first.
    codes : numpy.ndarray of int64
        Place of each span's category in ``category_names``.
    bounds : tuple of (float, float) or None
        Beginning and end of the item; None if they are unknown.
    axis : {"units", "seconds"}
        What positions count.
    text : str or None
        The text, if it is known.
    units : tuple of str or None
        The tokens, if they are known.

    Raises
    ------
    SpansError
        If a position is not a finite number, a span ends before it starts or lies outside the bounds, or the text does
        not have the given length. The message names the span by its place in the argument.

    Notes
    -----
    A span may have length 0; coefficients that cannot use it raise an error. A coder who looked at an item and marked
    nothing has ``Spans([])``, which is not the same as a coder who did not look at it.

    Examples
    --------
    >>> names = Spans([(4, 8, "PER"), (15, 22, "WORK"), (4, 22)], length=23)
    >>> names
    Spans(3 spans in 23 units: 4-8 'PER'; 4-22; 15-22 'WORK')
    >>> names.spans[0].category, names.starts.tolist()
    ('PER', [4.0, 4.0, 15.0])
    >>> Spans([(0.5, 1.25, "laugh")], seconds=True, bounds=(0, 60)).axis
    'seconds'
    """

    __slots__ = ("_seconds", "bounds", "categories", "ends", "starts", "text", "units")

    starts: Floats
    ends: Floats
    categories: tuple[str | None, ...]
    bounds: tuple[float, float] | None
    _seconds: bool
    text: str | None
    units: tuple[str, ...] | None

    def __init__(
        self,
        spans: Iterable[Sequence[Any]] = (),
        *,
        length: float | None = None,
        bounds: Sequence[float] | None = None,
        seconds: bool = False,
        text: str | None = None,
        units: Iterable[str] | None = None,
    ) -> None:
        form = "(start, end[, category])"
        rows = checks.rows(spans, "spans", form, SpansError, checks.finite_number, "a finite number")
        starts, ends, categories = zip(*rows, strict=True) if rows else ((), (), ())
        item = _check_item(length, bounds, seconds, text, units)
        self._set(np.array(starts, np.float64), np.array(ends, np.float64), categories, item)

    @classmethod
    def from_arrays(
        cls, starts: ArrayLike, ends: ArrayLike, categories: Iterable[str | float | None] | None = None, **item: Any
    ) -> Spans:
        """Return spans from one array per column, which is faster for many spans.

        Parameters
        ----------
        starts, ends : array_like of float
            Start and end of each span.
        categories : iterable of str, float or None, optional
            Category of each span (default: none has a category).
        **item
            ``length``, ``bounds``, ``seconds``, ``text`` and ``units``; see the class.

        Returns
        -------
        Spans

        Raises
        ------
        SpansError
            As the class; also if the numbers of starts, ends and categories differ.

        Examples
        --------
        >>> Spans.from_arrays([5, 0], [9, 5], ["b", "a"])
        Spans(2 spans: 0-5 'a'; 5-9 'b')
        """
        first, last = (checks.finite_numbers(*side, SpansError) for side in ((starts, "starts"), (ends, "ends")))
        number = len(first)
        listed = [None] * number
        if categories is not None:
            listed = checks.as_list(categories, "categories", error=SpansError)
        if len(last) != number or len(listed) != number:
            sizes = f"{number} starts, {len(last)} ends and {len(listed)} categories"
            raise SpansError(f"expected one start, one end and one category per span; got {sizes}")
        self = cls.__new__(cls)
        self._set(first, last, listed, _check_item(**item))
        return self

    @classmethod
    def split(
        cls, starts: Floats, ends: Floats, categories: Sequence[str | None], sizes: Ints, *, seconds: bool = False
    ) -> Iterator[Spans]:
        """Yield the spans of many coders or items, from one table of spans whose positions were checked before.

        Parameters
        ----------
        starts, ends : numpy.ndarray of float64
            Finite positions; no end is before its start.
        categories : sequence of str or None
            Category of each span.
        sizes : numpy.ndarray of int64
            Number of spans of each object; they follow each other in the table.
        seconds : bool, default False
            Whether positions are seconds.

        Yields
        ------
        Spans
            One object per size, without bounds.

        Examples
        --------
        >>> starts, ends = np.array([5.0, 0, 2]), np.array([9.0, 5, 3])
        >>> first, second = Spans.split(starts, ends, ["b", "a", None], np.array([2, 1]))
        >>> first, second
        (Spans(2 spans: 0-5 'a'; 5-9 'b'), Spans(1 span: 2-3))
        """
        ranks = _codes(categories)[1]
        order = lexsort((ranks, ends, starts, repeat(np.arange(len(sizes)), sizes)))
        starts, ends = starts[order] + 0.0, ends[order] + 0.0
        listed = [categories[i] for i in order.tolist()]
        coded = lru_cache(2**12)(_codes)
        item = {"bounds": None, "_seconds": seconds, "text": None, "units": None}
        last = 0
        for size in sizes.tolist():
            first, last = last, last + size
            labels = tuple(listed[first:last])
            part = cls._trusted(starts=starts[first:last], ends=ends[first:last], categories=labels, **item)
            part.__dict__["_coded"] = coded(labels)
            yield part

    def _set(self, starts: Floats, ends: Floats, categories: Sequence[Any], item: dict[str, Any]) -> None:
        labels: list[str | None] = []
        for place, category in enumerate(categories):
            if category is None or isinstance(category, str):
                labels.append(category)
            elif (number := checks.finite_number(category)) is not None:
                labels.append(f"{number:.15g}")
            else:
                raise SpansError(f"spans[{place}]: a category must be a string, a number or None; got {category!r:.80}")
        rules = [(ends < starts, "end must not be before start")]
        if (bounds := item["bounds"]) is not None:
            outside = (starts < bounds[0]) | (ends > bounds[1])
            rules.append((outside, f"a span must lie in {bounds[0]:.10g}-{bounds[1]:.10g}"))
        for is_wrong, rule in rules:
            if (i := checks.first_true(is_wrong)) is not None:
                span = MarkedSpan(float(starts[i]), float(ends[i]), labels[i])
                raise SpansError(f"spans[{i}]: {rule}; got {span}")
        names, codes = _codes(labels)
        order = lexsort((codes, ends, starts))
        sorted_labels = tuple(labels[i] for i in order.tolist())
        # A negative zero is 0.
        self._fill(starts=starts[order] + 0.0, ends=ends[order] + 0.0, categories=sorted_labels, **item)
        self.__dict__["_coded"] = names, read_only(codes[order])

    @cached_property
    def _coded(self) -> tuple[tuple[str | None, ...], Ints]:
        return _codes(self.categories)

    @property
    def category_names(self) -> tuple[str | None, ...]:
        """The distinct categories in ascending order; None comes first."""
        return self._coded[0]

    @property
    def codes(self) -> Ints:
        """Place of each span's category in ``category_names``."""
        return self._coded[1]

    @property
    def axis(self) -> Axis:
        tokens = self.units if self.text is None else self.text
        return Axis(*self.extent, self._seconds, tokens, known=self.bounds is not None)

    def _cut(self, axis: Axis) -> Spans:
        return Spans(cut_rows(self.spans, axis), bounds=axis.extent, seconds=self._seconds)

    @property
    def shape(self) -> Shape:
        return Shape.FREE

    @property
    def ranges(self) -> list[Range]:
        return [(*span, 1) for span in self.spans]

    @cached_property
    def spans(self) -> tuple[MarkedSpan, ...]:
        """The spans, sorted by start, end and category."""
        return tuple(map(MarkedSpan, self.starts.tolist(), self.ends.tolist(), self.categories))

    @property
    def extent(self) -> tuple[float, float]:
        """The bounds; if they are unknown, the first start and the last end; (0, 0) without spans."""
        if self.bounds is not None:
            return self.bounds
        if not len(self):
            return 0.0, 0.0
        last = self.ends.max() if len(self) > _FEW else max(self.ends.tolist())
        return float(self.starts[0]), float(last)

    @property
    def length(self) -> float:
        """Length of the item in units or seconds, from its beginning or 0, whichever is first, to its end."""
        first, last = self.extent
        return last - min(first, 0.0) if self.bounds is None else last - first

    @property
    def has_overlaps(self) -> bool:
        """Whether two spans have a part in common."""
        return bool((self.starts[1:] < np.maximum.accumulate(self.ends)[:-1]).any())

    def first_crossing(self) -> tuple[int, int] | None:
        """Return the first two spans that cross: they overlap, and neither contains the other.

        Returns
        -------
        tuple of (int, int) or None
            Their places in ``spans``; None if all spans nest.

        Examples
        --------
        >>> Spans([(0, 4), (2, 6), (3, 4)]).first_crossing()
        (0, 1)
        """
        if len(self) < 2:
            return None
        starts, ends = self.starts.tolist(), self.ends.tolist()
        around: list[int] = []  # the spans that contain the current one, the largest first
        for i in sorted(range(len(self)), key=lambda i: (starts[i], -ends[i])):
            while around and ends[around[-1]] <= starts[i]:
                around.pop()
            if around and ends[around[-1]] < ends[i]:
                first, second = sorted((around[-1], i))
                return first, second
            around.append(i)
        return None

    def to_hierarchy(self, length: float | None = None, *, layers: bool = False) -> Hierarchy:
        """Return the spans as a hierarchy: categories become labels, and nesting determines levels.

        Parameters
        ----------
        length : float, optional
            Number of units, or seconds, if the bounds are unknown (default: the last end).
        layers : bool, default False
            Whether spans may cross. Every span is then on the first level where it overlaps no other, and measures of nested
            spans refuse the hierarchy.

        Returns
        -------
        Hierarchy
            A hierarchy over the same characters or tokens, or over the times that occur. A span that occurs twice with the
            same category becomes one span.

        Raises
        ------
        SpansError
            If two spans cross without ``layers``, a span has length 0, positions are not whole numbers, or the length is
            unknown.

        Examples
        --------
        >>> Spans([(0, 6, "S"), (0, 2, "NP")]).to_hierarchy()
        Hierarchy(6 units, 2 spans: ((1 2) 3 4 5 6))
        """
        is_inside_unit = ((self.starts % 1 != 0) | (self.ends % 1 != 0)) & (not self._seconds)
        for is_wrong, rule in (
            (self.starts == self.ends, "spans that are longer than 0"),
            (is_inside_unit, "whole positions, or seconds"),
        ):
            if (i := checks.first_true(is_wrong)) is not None:
                raise SpansError(f"spans[{i}]: a hierarchy needs {rule}; got {self.spans[i]}")
        if not layers and (crossing := self.first_crossing()) is not None:
            pair = " and ".join(f"spans[{i}] ({self.spans[i]})" for i in crossing)
            raise SpansError(
                f"{pair} cross; a hierarchy needs spans that nest; gamma and u_alpha compare spans as they are"
            )
        levels = self._layers() if layers else [None] * len(self)
        if self._seconds:
            duration = length if self.bounds is None else None if self.bounds[0] else self.bounds[1]
            if not len(self) and not duration:
                raise SpansError("without spans, a hierarchy needs the duration; set it with length=")
            rows = [(s.start, s.end, level, s.category) for s, level in zip(self.spans, levels, strict=True)]
            return Hierarchy.from_times(rows, duration=duration, nested=not layers)
        offset = min(self.extent[0], 0.0)
        number = self.extent[1] - offset if self.bounds is not None or length is None else length
        if not 1 <= number <= MAX_UNITS:
            raise SpansError(f"a hierarchy needs from 1 to {MAX_UNITS} units; got {number:.10g}; set it with length=")
        units = tuple(self.text) if self.text is not None else self.units
        starts = [int(start - offset) + 1 for start in self.starts.tolist()]
        ends = [int(end - offset) for end in self.ends.tolist()]
        spans = zip(starts, ends, levels, self.categories, strict=True)
        return Hierarchy(int(number), [*spans], units=units, nested=not layers)

    def _layers(self) -> list[int | None]:
        """Return the first level on which each span overlaps no other; of two spans, the one that starts first is above."""
        levels: list[int | None] = [None] * len(self)
        order = lexsort((-self.ends, self.starts)).tolist()
        free: list[int] = []  # levels that have no span here
        used: list[tuple[float, int]] = []  # where the last span of each other level ends
        for place in order:
            while used and used[0][0] <= self.starts[place]:
                heappush(free, heappop(used)[1])
            level = heappop(free) if free else len(used) + 1
            levels[place] = level
            heappush(used, (float(self.ends[place]), level))
        return levels

    def select(self, categories: Iterable[str | None]) -> Self:
        """Return only the spans with these categories.

        Parameters
        ----------
        categories : iterable of str or None
            The categories.

        Returns
        -------
        Spans
            The same item with fewer spans.
        """
        wanted = set(categories)
        kept = np.array([category in wanted for category in self.categories], bool)
        labels = tuple(category for category in self.categories if category in wanted)
        return self._with(starts=self.starts[kept], ends=self.ends[kept], categories=labels)

    def __iter__(self) -> Iterator[MarkedSpan]:
        return iter(self.spans)

    def __len__(self) -> int:
        return len(self.categories)

    def __json__(self) -> dict[str, Any]:
        spans = [[_plain(span.start), _plain(span.end), span.category] for span in self.spans]
        return {"axis": str(self.axis), "bounds": self.bounds and [*map(_plain, self.bounds)], "spans": spans}

    def __repr__(self) -> str:
        listed = "; ".join(str(span) for span in self.spans[:_MAX_SHOWN]) + (" …" if len(self) > _MAX_SHOWN else "")
        length = "" if self.bounds is None else f" in {self.length:.10g}"
        axis = f" {self.axis}" if self.bounds is not None else " in seconds" if self._seconds else ""
        return f"Spans({count_of(len(self), 'span')}{length}{axis}{': ' if listed else ''}{listed})"


def _check_item(
    length: float | None = None,
    bounds: Sequence[float] | None = None,
    seconds: bool = False,
    text: str | None = None,
    units: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Return the slots that say what the spans lie in."""
    words = None if units is None else tuple(map(str, checks.as_list(units, "units", error=SpansError)))
    slots = {"text": text, "units": words, "_seconds": checks.flag(seconds, "seconds", SpansError)}
    if text is not None and not isinstance(text, str):
        raise SpansError(f"text: expected a string; got {text!r:.80}")
    if text is not None and words is not None:
        raise SpansError("text and units: set text if positions count characters, or units if they count tokens")
    content = words if text is None else text
    if seconds and content is not None:
        raise SpansError("text and units belong to spans in characters or tokens; these are in seconds")
    if length is not None and bounds is not None:
        raise SpansError("length and bounds: set only one of them")
    name, values = ("bounds", bounds) if length is None else ("length", (0.0, length))
    extent = None
    if values is not None:
        pair = tuple(values) if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) else ()
        begin, end = [*map(checks.finite_number, pair), None, None][:2]
        if len(pair) != 2 or begin is None or end is None:
            expected = "a finite number" if name == "length" else "two finite numbers, beginning and end"
            raise SpansError(f"{name}: expected {expected}; got {length if name == 'length' else bounds!r}")
        if begin > end:
            raise SpansError(f"{name}: an item must not end before it begins; got {begin:.10g}-{end:.10g}")
        extent = begin + 0.0, end + 0.0
    if content is None:
        return {**slots, "bounds": extent}
    whole = (0.0, float(len(content)))
    if extent not in (None, whole):
        raise SpansError(f"length: expected the number of characters or tokens, {len(content)}; got {extent}")
    return {**slots, "bounds": whole}


def _codes(categories: Sequence[str | None]) -> tuple[tuple[str | None, ...], Ints]:
    """Return the distinct categories, None first, and the place of each span's category among them."""
    names = tuple(sorted(set(categories), key=lambda name: (name is not None, name)))
    place = {name: i for i, name in enumerate(names)}
    return names, frozen_array([place[category] for category in categories])


def _plain(position: float) -> float:
    """Return a position as an integer if it is whole, for JSON."""
    return int(position) if position.is_integer() else position


def to_spans(annotation: object) -> Spans:
    """Return the intervals of a tier, the spans of a hierarchy, or the segments of a segmentation as spans."""
    if isinstance(annotation, Spans):
        return annotation
    if not isinstance(annotation, (Tier, Hierarchy, Segmentation)):
        raise SpansError(f"expected spans, a tier, a hierarchy or a segmentation; got {type(annotation).__name__}")
    rows, axis = [row[:3] for row in annotation.ranges], annotation.axis
    return Spans(rows, bounds=axis.extent, seconds=axis.seconds, units=None if axis.seconds else axis.tokens)
