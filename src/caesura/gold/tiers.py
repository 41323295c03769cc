"""Tiers in seconds that the boundaries of a gold standard make."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import attrgetter

from caesura.model.segmentation import UNTYPED
from caesura.model.tier import Interval, Point, Tier

# Label of intervals between boundaries without types; readers ignore intervals without a label.
SEGMENT = "segment"
# Times of boundaries with their types, in ascending order; the type is empty if there is none.
TimedMarks = Sequence[tuple[float, str]]


def recording_of(tiers: Sequence[Tier]) -> Tier:
    """Return an empty tier for a recording that several coders annotated."""
    words = next((tier.words for tier in tiers if tier.words is not None), None)
    begin, end = min(tier.begin for tier in tiers), max(tier.end for tier in tiers)
    if words:
        begin, end = min(begin, words[0].start), max(end, words[-1].end)
    return Tier((), begin, end, None, words)


def tier_of_marks(recording: Tier, marks: TimedMarks, *, points: bool, typed: bool) -> Tier:
    if points:
        events = [Point(time, label) for time, label in marks]
        return Tier((), recording.begin, recording.end, events, recording.words)
    intervals = [
        Interval(start, end, label if typed else SEGMENT)
        for start, end, label in _stretches(recording, marks)
        if label or not typed
    ]
    return Tier(intervals, recording.begin, recording.end, None, recording.words)


def tier_of_decisions(recording: Tier, marks: TimedMarks, tiers: Sequence[Tier], *, typed: bool) -> Tier:
    """Return the intervals between boundaries, with labels from the types or from the coders; no boundary is lost."""
    rows = []
    for start, end, label in _stretches(recording, marks):
        if not typed:  # the label that most coders have for most of the time; empty if most have a gap
            labels = Counter(_longest_label(tier, start, end) for tier in tiers)
            label = max(labels, key=labels.__getitem__)
        rows.append((start, end, "" if typed and label in UNTYPED else label))
    intervals = []
    for i, (start, end, label) in enumerate(rows):
        is_gap_before_gap = not label and i + 1 < len(rows) and not rows[i + 1][2]
        if label or is_gap_before_gap:
            intervals.append(Interval(start, end, label or SEGMENT))
    return Tier(intervals, recording.begin, recording.end, None, recording.words)


def _stretches(recording: Tier, marks: TimedMarks) -> Iterable[Interval]:
    """Yield the stretches between boundaries, each with the type of the boundary at its end."""
    start = recording.begin
    for time, label in [*marks, (recording.end, "")]:
        if time > start:
            yield Interval(start, time, label)
        start = time


def _longest_label(tier: Tier, start: float, end: float) -> str:
    """Return the label with the most time between two times; empty for a gap."""
    seconds: dict[str, float] = {"": end - start}
    first = bisect_right(tier.intervals, start, key=attrgetter("end"))
    last = bisect_left(tier.intervals, end, key=attrgetter("start"))
    for interval in tier.intervals[first:last]:
        shared = min(interval.end, end) - max(interval.start, start)
        seconds[interval.label] = seconds.get(interval.label, 0.0) + shared
        seconds[""] -= shared
    return max(seconds, key=lambda label: (seconds[label], label != ""))
