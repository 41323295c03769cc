"""Read tiers of timed intervals. The formats for TextGrids, ELAN files and word times share this code.

Each file is read into a corpus of tiers in seconds. :func:`convert_tiers` then converts the tiers to segmentations over
units. ``read`` does both steps. ``read_coders`` reads all files before it converts them, so that all coders of an item have
the same units even if their tiers are in different files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from caesura.errors import FormatError, InputError, MismatchError, OptionError, TierError
from caesura.formats.format import ITEM, Reading, Writing
from caesura.model.common_units import DEFAULT_TOLERANCE, over_units
from caesura.model.corpus import Corpus
from caesura.model.spans import Spans
from caesura.model.tier import Interval, Point, Tier
from caesura.notices import warn
from caesura.options import Option, choice, names, non_negative, positive, text

Errors = list[FormatError] | None
# Words with their start and end.
WordTimes = list[tuple[str, float, float]]


class IntervalRow(NamedTuple):
    start: float  # in seconds
    end: float
    label: str  # empty if there is none
    line: int | None


@dataclass(frozen=True)
class FileTier:
    name: str
    line: int | None
    begin: float  # in seconds
    end: float
    rows: list[IntervalRow]  # intervals, labelled or not
    points: tuple[Point, ...] | None = None  # None if the tier has intervals


def add_tiers(reading: Reading, tiers: Sequence[FileTier], word_tier: FileTier | None, coders: Sequence[str]) -> None:
    item = reading.item_name
    words = None
    if word_tier is not None:
        words = _segments(reading, word_tier)
        if not words:
            raise reading.error(word_tier.line, f"tier {word_tier.name!r} must have words; all intervals are silence")
    for tier, coder in zip(tiers, coders, strict=True):
        if coder in reading.annotations.get(item, ()):
            raise reading.error(tier.line, f"a coder must have one tier; got {coder!r} again; choose with tiers=...")
        if word_tier is not None:  # in Praat all tiers have the bounds of the file; other programs may differ
            tier = replace(tier, begin=min(tier.begin, word_tier.begin), end=max(tier.end, word_tier.end))
        add_tier(reading, item, coder, tier, words)


def add_tier(reading: Reading, item: str, coder: str, tier: FileTier, words: Sequence[Interval] | None = None) -> None:
    with reading.item(tier.line, f"item {item!r}, coder {coder!r}: "):
        if reading.options.get("as_") == "spans":
            reading.add(item, coder, build_spans(reading, tier))
        else:
            reading.add(item, coder, build_tier(reading, tier, words))


def build_spans(reading: Reading, tier: FileTier) -> Spans:
    silence = reading.options["silence"]
    labelled = [row for row in tier.rows if row.label.strip() and row.label not in silence]
    for row in labelled:
        if row.end < row.start:
            raise reading.error(row.line, f"interval end must be > start; got {row.end:.10g} <= {row.start:.10g}")
    rows = [row[:3] for row in labelled] + [(point.time, point.time, point.label) for point in tier.points or ()]
    return Spans(rows, bounds=(tier.begin, tier.end), seconds=True)


def build_tier(reading: Reading, tier: FileTier, words: Sequence[Interval] | None = None) -> Tier:
    """Return the tier of a file without its silences. Small gaps between intervals are closed."""
    return Tier(_segments(reading, tier), tier.begin, tier.end, tier.points, words)


def shared_words(writing: Writing, tiers: Mapping[str, Tier], file: str) -> tuple[str, tuple[Interval, ...]] | None:
    first, words = next((coder, tier.words) for coder, tier in tiers.items())
    for coder, tier in tiers.items():
        if tier.words != words:
            raise writing.error(f"{file} has one word tier; {first!r} and {coder!r} have different words")
    if words is None:
        return None
    name = writing.options["words"] or "words"
    if name in tiers:
        raise writing.error(f"a coder has the name of the word tier, {name!r}; choose another with words=...")
    return name, words


def _segments(reading: Reading, tier: FileTier) -> list[Interval]:
    """Return the labelled intervals. Intervals with an empty label or a label for silence are not segments."""
    snap, silence = reading.options["snap"], reading.options["silence"]
    rows, moved = snap_intervals(reading, tier.rows, snap, close_gaps=True)
    if moved:
        edges = "1 edge" if moved == 1 else f"{moved} edges"
        change = f"{edges} between neighbours differed by {snap:g} s or less and moved to the middle"
        reading.warn(f"tier {tier.name[:40]!r}: {change}")
    return [Interval(*row[:3]) for row in rows if row.label.strip() and row.label not in silence]


def snap_intervals(
    reading: Reading, rows: Sequence[IntervalRow], snap: float, *, close_gaps: bool = False, allow_empty: bool = False
) -> tuple[list[IntervalRow], int]:
    """Remove overlaps of at most ``snap`` between neighbouring intervals by moving both edges to the middle."""
    result: list[IntervalRow] = []
    moved = 0
    for row in rows:
        if not row.start < row.end and not (allow_empty and row.start == row.end):
            raise reading.error(row.line, f"interval end must be > start; got {row.end:.10g} <= {row.start:.10g}")
        gap = row.start - result[-1].end if result else 0.0
        if gap < 0 or (gap and close_gaps):
            edge = _common_edge(reading, result[-1], row, snap)
            if edge is not None:
                result[-1] = result[-1]._replace(end=edge)
                row = row._replace(start=edge)
                moved += 1
        result.append(row)
    return result, moved


def snap_words(
    reading: Reading, recordings: Mapping[str, Sequence[IntervalRow]], snap: float, *, allow_empty: bool = False
) -> tuple[dict[str, WordTimes], int]:
    words: dict[str, WordTimes] = {}
    moved = 0
    for name, rows in recordings.items():
        snapped, count = snap_intervals(reading, rows, snap, allow_empty=allow_empty)
        words[name] = [(row.label, row.start, row.end) for row in snapped]
        moved += count
    return words, moved


def _common_edge(reading: Reading, previous: IntervalRow, row: IntervalRow, snap: float) -> float | None:
    """Return the middle of a small overlap or gap, or None if the gap is larger than ``snap``."""
    if row.start < previous.end - snap:
        start = f"{row.label[:40]!r} starts at {row.start:.10g} s"
        end = f"{previous.label[:40]!r} ends at {previous.end:.10g} s"
        raise reading.error(row.line, f"intervals must follow each other; {start}, before {end}")
    if abs(row.start - previous.end) > snap:
        return None
    middle = (row.start + previous.end) / 2
    if not previous.start < middle < row.end:
        raise reading.error(row.line, f"an interval must be longer than snap, {snap:g} s, to be moved by it")
    return middle


def convert_tiers(
    corpus: Corpus, path: str, options: Mapping[str, Any], *, types: Sequence[str] | None, excluded: Errors
) -> Corpus:
    names = ("units", "tolerance", "labels")
    project = partial(over_units, **{name: options[name] for name in names}, types=types)
    converted, notes = collect_errors(project, corpus, path, excluded)
    for item, note in notes.items():
        warn(f"{path}: item {item!r}: {note}")
    return converted


def collect_errors(
    project: Callable[..., tuple[Corpus, Mapping[str, Any]]], corpus: Corpus, path: str, excluded: Errors
) -> tuple[Corpus, Mapping[str, Any]]:
    errors: list[InputError] | None = None if excluded is None else []
    try:
        converted, notes = project(corpus, excluded=errors)
    except (MismatchError, TierError) as error:
        raise FormatError(path, None, str(error)) from None
    if excluded is not None:
        excluded += [FormatError(path, None, str(error)) for error in errors or ()]
    return converted, notes


def _check_units(name: str, value: Any) -> str | float:
    if isinstance(value, str) and value in ("words", "union", "times"):
        return value
    try:
        return positive(name, value)
    except OptionError:
        message = f"{name} must be 'words', 'union', 'times' or a number of seconds above 0; got {value!r}"
        raise OptionError(message) from None


AS_SPANS = Option("as_", None, choice("tiers", "spans"), "read tiers, or spans in seconds (default: tiers)")
SNAP = Option("snap", 1e-4, non_negative(), "largest gap or overlap of neighbours, in seconds, to close in the middle")
UNIT_OPTIONS = (
    Option(
        "units", None, _check_units, "words, union, a step in seconds, or times (default: words if any, else times)"
    ),
    Option(
        "tolerance", DEFAULT_TOLERANCE, non_negative(), "for union: equal times differ by at most this many seconds"
    ),
    Option("silence", (), names, "labels of intervals that are not segments, such as sil and sp"),
    Option("labels", None, choice("types", "ignore"), "types or ignore: whether labels are types (default: by number)"),
    SNAP,
)
TIER_OPTIONS = (
    ITEM,
    Option("coder", None, text, "name of the coder if one tier is chosen (default: the name of the tier)"),
    Option("tiers", None, names, "names or patterns of the tiers that are coders (default: found by their names)"),
    Option("words", None, text, "name of the tier with the words (default: found by its content)"),
    AS_SPANS,
    *UNIT_OPTIONS,
)
