"""A corpus of tiers, in seconds, made into one of segmentations: every item over units that its coders share.

A measure needs units and positions between them. Where a recording has words, these are the units. Otherwise time is cut
into equal steps, or at the times that the coders marked.
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from caesura.errors import CaesuraWarning, InputError, OptionError, TierError
from caesura.model.corpus import Corpus, collect_errors
from caesura.model.dialogue import Annotation
from caesura.model.segmentation import UNTYPED, Segmentation, check_types, sort_types
from caesura.model.tier import Interval, Point, Tier

DEFAULT_TOLERANCE = 0.05
"""Seconds within which the marks of several coders are one, where the union of their times makes the units."""

_PLAIN = UNTYPED[0]
_NOISE = 1e-9  # seconds: what the sums of binary fractions are off by

Units = str | float | None


def over_units(
    corpus: Corpus,
    units: Units = None,
    *,
    tolerance: float = DEFAULT_TOLERANCE,
    labels: str = "types",
    types: Iterable[str | int] | None = None,
    excluded: list[InputError] | None = None,
) -> tuple[Corpus, dict[str, str]]:
    """Every item's tiers as segmentations over the same units, and item -> what had to be moved.

    ``units`` are

    - ``"words"``: the words of the tiers. The edge of an interval goes to the gap between words in which it lies (a
      silence belongs to its gap), else to the nearest gap; the notes say how far one was moved at most.
    - a number of seconds, such as ``0.01``: equal steps; an edge goes to the nearest.
    - ``"union"``: the times that the coders marked. Sorted, a group starts at a time t and takes the times up to
      t + ``tolerance``, never two of one coder; every group is a position. No position is then empty for all, and one
      more coder changes the score of the others, so S, Pk, WindowDiff and all that corrects for chance are to be read
      with care: a warning says so. The text of a unit is when it was, so that segmentations over other times are not
      compared by mistake: lay everybody over units together.
    - None: words where the tiers have them, else the union.

    Both edges of an interval are boundaries. The label is the type of the boundary at its end; an edge at which an interval
    starts and none ends has the plain type ``"boundary"``, and none at the very beginning. A point is a boundary of the
    type of its label, plain if it has none. With ``labels="ignore"`` all boundaries are plain: that is for coders who mark
    segments and do not tell kinds apart. ``types`` declares the order of the types; the plain one comes before them unless
    it is among them. Two ends of one coder at one position are an error.

    Each item by itself, all its coders together; items without tiers are left as they are. Given a list as ``problems``,
    items that cannot be laid over units are reported there and left out; without it the first one raises.

    >>> words = [(0, 0.4, "good"), (0.4, 0.9, "night"), (1.2, 1.6, "moon")]
    >>> ann = Tier([(0, 1.0, "phrase"), (1.2, 1.6, "call")], words=words)
    >>> corpus, notes = over_units(Corpus({"song": {"ann": ann}}), "words")
    >>> corpus["song", "ann"].boundaries, corpus["song", "ann"].units
    (((2, 'phrase'), (3, 'call')), ('good', 'night', 'moon'))
    """
    way, near = check_units("units", units), check_tolerance("tolerance", tolerance)
    typed = check_labels("labels", labels) == "types"
    given: dict[str, dict[str, Tier]] = {}
    for item in corpus.item_names:
        with collect_errors(item, excluded, TierError):
            given[item] = _tiers(corpus.of_item(item))
    if way is None:
        spoken = any(tier.words is not None for by_coder in given.values() for tier in by_coder.values())
        way = "words" if spoken else "union"
    if way == "union" and any(given.values()):
        warnings.warn(
            "the units are the union of the coders' times: no position is empty for all, and a further coder changes the "
            "score of the others. Do not trust S, Pk, WindowDiff or anything corrected for chance here; name a word "
            "tier, or take equal steps with units=0.01",
            CaesuraWarning,
            stacklevel=2,
        )
    laid: dict[str, _Laid] = {}
    for item, tiers in given.items():
        with collect_errors(item, excluded, TierError):
            if tiers:
                laid[item] = _lay(tiers, way, near)
    scale = _scale(types, laid) if typed else None
    made: dict[str, dict[str, Annotation]] = {}
    for item, tiers in given.items():
        with collect_errors(item, excluded, TierError):
            if item in laid:
                made[item] = {coder: laid[item].segmentation(coder, scale, types is not None) for coder in tiers}
            elif not tiers:
                made[item] = corpus.of_item(item)
    return Corpus(made), {item: one.note for item, one in laid.items() if one.note and item in made}


def _tiers(every: Mapping[str, Annotation]) -> dict[str, Tier]:
    """The tiers of an item, empty if it has none."""
    tiers = {coder: one for coder, one in every.items() if isinstance(one, Tier)}
    if tiers and len(tiers) < len(every):
        other = next(coder for coder in every if coder not in tiers)
        raise TierError(f"all coders must have tiers, or none; {other!r} has a {type(every[other]).__name__}")
    return tiers


def _scale(types: Iterable[str | int] | None, laid: Mapping[str, _Laid]) -> tuple[str, ...]:
    """One scale for all: what was declared, else what occurs."""
    occur = {mark for one in laid.values() for marks in one.marks.values() for mark in marks.values()}
    if types is None:
        return sort_types(occur) or UNTYPED
    scale = check_types(types)
    return (_PLAIN, *scale) if _PLAIN in occur and _PLAIN not in scale else scale


# -- one item ---------------------------------------------------------------------------------------------------------


@dataclass
class _Laid:
    """An item over its units: coder -> position -> type, and what had to be done for it."""

    length: int
    units: tuple[str, ...] | None = None
    marks: dict[str, dict[int, str]] = field(default_factory=dict)
    moved: float = 0.0
    moved_at: str = ""
    emptied: int = 0

    @property
    def note(self) -> str:
        said = []
        if self.moved > _NOISE:
            said.append(f"edges were moved to the nearest gap between words, {self.moved_at} by {self.moved:.3g} s")
        if self.emptied:
            were = "1 interval holds" if self.emptied == 1 else f"{self.emptied} intervals hold"
            said.append(f"{were} no unit and {'is' if self.emptied == 1 else 'are'} one boundary only")
        return "; ".join(said)

    def segmentation(self, coder: str, scale: tuple[str, ...] | None, declared: bool) -> Segmentation:
        """What the coder marked; plain boundaries where there is no scale of types."""
        marks = self.marks[coder]
        at = sorted(marks)
        if scale is None:
            return Segmentation.from_positions(self.length, [p for p in at if p < self.length], units=self.units)
        try:
            typed = Segmentation.from_positions(self.length, at, marks=[marks[p] for p in at], units=self.units)
            return typed.with_types(scale, types_declared=declared)
        except InputError as error:
            raise TierError(f"coder {coder!r}: {error}") from None


Place = Callable[[str, float], int]
"""From a coder's time to a position, 0 before the first unit."""


def _lay(tiers: Mapping[str, Tier], units: str | float, tolerance: float) -> _Laid:
    if units == "words":
        item, place = _over_words(tiers)
    elif units == "union":
        item, place = _over_union(tiers, tolerance)
    else:
        item, place = _over_steps(tiers, float(units))
    for coder, tier in tiers.items():
        item.marks[coder] = _marks(item, coder, tier, place)
    return item


def _marks(item: _Laid, coder: str, tier: Tier, place: Place) -> dict[int, str]:
    """Position -> type, of one coder: first all ends, then the starts where nothing ends."""
    marks: dict[int, str] = {}
    before: dict[int, object] = {}
    ended: Sequence[Interval | Point] = tier.intervals or tier.points or ()
    for one in ended:
        at = place(coder, one.end if isinstance(one, Interval) else one.time)
        if at == 0:
            raise TierError(f"coder {coder!r}: {one} lies before the first unit, where no boundary can be")
        if at in marks:
            raise TierError(
                f"coder {coder!r}: two ends must not fall on one position; {before[at]} and {one} both end at {at}; "
                "join them, or take finer units"
            )
        marks[at], before[at] = one.label if one.label.strip() else _PLAIN, one
    for interval in tier.intervals:
        at = place(coder, interval.start)
        item.emptied += before.get(at) is interval
        if at:
            marks.setdefault(at, _PLAIN)
    return marks


def _over_words(tiers: Mapping[str, Tier]) -> tuple[_Laid, Place]:
    """Each coder by the times of the own words; all must have the same words."""
    spoken = {coder: tier.words for coder, tier in tiers.items() if tier.words}
    if not spoken:
        raise TierError("words are needed as units; the tiers have none; name the word tier, or take other units")
    first, words = next(iter(spoken.items()))
    for coder, others in spoken.items():
        _check_same_words(first, words, coder, others)
    starts = {coder: [word.start for word in spoken.get(coder, words)] for coder in tiers}
    ends = {coder: [word.end for word in spoken.get(coder, words)] for coder in tiers}
    item = _Laid(len(words), tuple(word.label for word in words))

    def place(coder: str, time: float) -> int:
        gap = bisect_right(ends[coder], time)
        if gap == len(words) or time <= starts[coder][gap]:
            return gap
        since, until = time - starts[coder][gap], ends[coder][gap] - time
        if min(since, until) > item.moved:
            item.moved, item.moved_at = min(since, until), f"that of coder {coder!r} at {time:.10g} s"
        return gap if since < until else gap + 1

    return item, place


def _check_same_words(a: str, words: Sequence[Interval], b: str, others: Sequence[Interval]) -> None:
    for i, (one, other) in enumerate(zip(words, others, strict=False), 1):
        if one.label != other.label:
            raise TierError(
                f"coders must have the same words; word {i} is {one.label!r} for {a} and {other.label!r} for {b}"
            )
    if len(words) != len(others):
        raise TierError(f"coders must have the same words; {len(words)} for {a} and {len(others)} for {b}")


def _bounds(tiers: Mapping[str, Tier]) -> tuple[float, float]:
    return min(tier.begin for tier in tiers.values()), max(tier.end for tier in tiers.values())


def _over_steps(tiers: Mapping[str, Tier], step: float) -> tuple[_Laid, Place]:
    begin, end = _bounds(tiers)

    def place(_: str, time: float) -> int:
        return math.floor((time - begin) / step + 0.5 + _NOISE)

    steps = (end - begin) / step
    if steps < 1:
        raise TierError(f"a step must not be longer than the recording, {end - begin:.10g} s; got {step:.10g} s")
    if steps > 2**31:
        raise TierError(f"a step this short makes too many units; got {step:.10g} s in {end - begin:.10g} s")
    return _Laid(place("", end)), place


def _over_union(tiers: Mapping[str, Tier], tolerance: float) -> tuple[_Laid, Place]:
    begin, end = _bounds(tiers)
    if end - begin <= tolerance:
        raise TierError(f"tolerance must be shorter than the recording, {end - begin:.10g} s; got {tolerance:.10g} s")
    times: set[tuple[float, str]] = set()
    for coder, tier in tiers.items():
        times |= {(time, coder) for one in tier.intervals for time in one[:2]}
        times |= {(point.time, coder) for point in tier.points or ()}
    group: dict[tuple[str, float], int] = {}
    firsts = [begin]
    # An interval may start where the recording does; a point near the beginning is a boundary nevertheless.
    inside = {coder for coder, tier in tiers.items() if tier.points}
    for time, coder in sorted(times):
        if time > firsts[-1] + tolerance + _NOISE or coder in inside:
            firsts.append(time)
            inside.clear()
        inside.add(coder)
        group[coder, time] = len(firsts) - 1
    # The end of the recording is nobody's time: it joins the last group, or closes one unit more.
    if len(firsts) == 1 or end > firsts[-1] + tolerance + _NOISE:
        firsts.append(end)
    # Units that say when they are: what was laid over other times cannot be compared by mistake.
    units = tuple(f"{a:.10g}-{b:.10g} s" for a, b in pairwise(firsts))
    return _Laid(len(units), units), lambda coder, time: group[coder, time] if time > begin else 0


# -- options ----------------------------------------------------------------------------------------------------------


def check_units(name: str, value: object) -> Units:
    """Words, union, or a number of seconds."""
    if value is None or (isinstance(value, str) and value in ("words", "union")):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
        return float(value)
    raise OptionError(f"{name} must be 'words', 'union' or a number of seconds above 0; got {value!r}")


def check_tolerance(name: str, value: object) -> float:
    """A number of seconds from 0 up."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf:
        return float(value)
    raise OptionError(f"{name} must be a number of seconds from 0 up; got {value!r}")


def check_labels(name: str, value: object) -> str:
    """What labels are for."""
    if value in ("types", "ignore"):
        return str(value)
    raise OptionError(f"{name} must be 'types' or 'ignore'; got {value!r}")
