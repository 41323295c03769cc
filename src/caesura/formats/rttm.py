"""Speech of speakers in .rttm files, as written by diarization systems and for the evaluations of NIST.

Speakers are not boundary types by default, because a system does not know the names of the speakers.

References
----------
NIST (2009). The 2009 (RT-09) Rich Transcription meeting recognition evaluation plan, appendix A.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from caesura.formats.content import NUMBER, describe_value, lines_of
from caesura.formats.ctm import end_time, parse_decimal
from caesura.formats.format import CODER, Format, Reading, Writing
from caesura.formats.spans import DURATION
from caesura.formats.timed import AS_SPANS, UNIT_OPTIONS, FileTier, IntervalRow, add_tier
from caesura.model.corpus import Corpus
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.notices import warn
from caesura.options import Option, choice

_SPEAKER = "SPEAKER"
_TYPE = re.compile(r"[A-Z][A-Z0-9/_-]*")
_MAX_FIELDS = 10  # a time with a blank in it would move the fields after it
_MIN_FIELDS = 8  # up to the speaker; some programs leave out the fields after it
_Speech = tuple[float, float, str | None]  # start, end and speaker


def _read(reading: Reading) -> Corpus:
    reading.roles |= {"recording": "item", "speaker": "labels"}
    reading.notes.append("ends are start plus duration")
    if reading.options["labels"] == "ignore":
        reading.notes.append("speakers are not boundary types (labels=types makes them types)")
    by_item = _by_item(reading, _rows(reading))
    if not by_item and not reading.excluded:
        raise reading.error(None, "expected at least one line of type SPEAKER; got none")
    by_item = {name: sorted(rows, key=lambda row: (row.start, row.end)) for name, rows in by_item.items()}
    for name, rows in by_item.items():
        with reading.item(rows[0].line, f"item {name!r}: "):
            _add_item(reading, name, rows)
    return reading.corpus()


def _rows(reading: Reading) -> dict[tuple[str, str], list[IntervalRow]]:
    rows: dict[tuple[str, str], list[IntervalRow]] = {}
    invalid: set[tuple[str, str]] = set()
    other_types: Counter[str] = Counter()
    for number, cells in _lines(reading):
        if cells[0] != _SPEAKER:
            other_types[cells[0]] += 1
            continue
        key = cells[1], cells[2]
        if key not in invalid:
            invalid.add(key)  # unless the line is valid
            with reading.item(number):
                rows.setdefault(key, []).append(_row(reading, number, cells))
                invalid.remove(key)
    reading.ignored += [f"{number} {name} line{'s' * (number > 1)}" for name, number in other_types.items()]
    return {key: speech for key, speech in rows.items() if key not in invalid}


def _lines(reading: Reading) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(lines_of(reading.text), 1):
        cells = line.split()
        if cells and not line.startswith(";"):
            is_speech = cells[0] == _SPEAKER
            if not _MIN_FIELDS <= len(cells) <= _MAX_FIELDS if is_speech else not _TYPE.fullmatch(cells[0][:40]):
                fields = "SPEAKER, recording, channel, start, duration, two more, speaker"
                raise reading.error(number, f"a line has the fields {fields}; got {line.strip()[:60]!r}")
            yield number, cells


def _row(reading: Reading, number: int, cells: Sequence[str]) -> IntervalRow:
    start, duration = (
        parse_decimal(reading, number, name, cell) for name, cell in zip(("start", "duration"), cells[3:5], strict=True)
    )
    if start < 0:
        raise reading.error(number, f"start must not be negative; got {cells[3]}")
    if duration <= 0:
        raise reading.error(number, f"duration must be positive; got {cells[4]}; the fifth field is not the end")
    return IntervalRow(float(start), end_time(start, duration), cells[7], number)


def _by_item(reading: Reading, rows: dict[tuple[str, str], list[IntervalRow]]) -> dict[str, list[IntervalRow]]:
    """Return item -> speech. A recording with several channels is several items."""
    channels = Counter(recording for recording, _ in rows)
    by_item: dict[str, list[IntervalRow]] = {}
    for (recording, channel), speech in rows.items():
        name = recording if channels[recording] == 1 else f"{recording}/{channel}"
        if name in by_item:
            raise reading.error(speech[0].line, f"recordings must differ in name; got {name[:60]!r} again")
        by_item[name] = speech
    if any(number > 1 for number in channels.values()):
        reading.notes.append("each channel is an item")
    return by_item


def _add_item(reading: Reading, name: str, rows: list[IntervalRow]) -> None:
    if reading.options["streams"] == "ignore":
        rows = _join(rows, reading.options["snap"])
        reading.notes.append("speakers are joined into one stream of speech")
    elif reading.options["as_"] != "spans":
        _check_overlap(reading, name, rows)
    end = reading.options["duration"] or max(row.end for row in rows)
    add_tier(reading, name, reading.coder_name, FileTier(name, rows[0].line, 0.0, end, rows))


def _join(rows: Sequence[IntervalRow], snap: float) -> list[IntervalRow]:
    """Return the stretches of speech; intervals that overlap or touch are joined."""
    joined: list[IntervalRow] = []
    for row in rows:
        if joined and row.start <= joined[-1].end + snap:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, row.end))
        else:
            joined.append(row._replace(label="speech"))
    return joined


def _check_overlap(reading: Reading, name: str, rows: Sequence[IntervalRow]) -> None:
    last = rows[0]
    for row in rows[1:]:
        if row.start < last.end - reading.options["snap"]:
            end = min(row.end, last.end)
            speakers = (
                f"{last.label[:40]!r} and {row.label[:40]!r}"
                if row.label != last.label
                else f"{row.label[:40]!r} twice"
            )
            problem = f"speakers must not overlap in one stream; {speakers} at {row.start:.10g}-{end:.10g} s"
            hint = "join all speakers into one stream of speech with --reading streams=ignore"
            raise reading.error(row.line, f"item {name!r}: {problem}; {hint}, or read spans with --reading as_=spans")
        last = max(row, last, key=lambda entry: entry.end)


def _looks_like(text: str) -> bool:
    lines = (line for line in text.split("\n", 50)[:50] if line.strip() and not line.startswith(";"))
    cells = next(lines, "")[:1000].split()
    if len(cells) not in range(_MIN_FIELDS, _MAX_FIELDS + 1) or not _TYPE.fullmatch(cells[0]):
        return False
    has_times = all(cell == "<NA>" or NUMBER.fullmatch(cell[:40]) for cell in cells[3:5])
    return has_times and (cells[0] == _SPEAKER or "<NA>" in cells)


def _write(writing: Writing) -> str:
    """Return the lines of one coder: one line per interval, with the label or category as the speaker."""
    coder = writing.only_coder()
    lines: list[str] = []
    for item in writing.corpus.item_names:
        _check_name(writing, item, "a recording", item)
        rows = list(_intervals(writing, item, coder))
        if not rows:
            raise writing.error("this format cannot store a recording without speech", item, coder)
        lines += [_line(writing, item, coder, row) for row in rows]
        _check_extent(writing, item, coder, max(end for _, end, _ in rows))
    return "".join(lines)


def _intervals(writing: Writing, item: str, coder: str) -> Iterable[_Speech]:
    annotation = writing.corpus[item, coder]
    if isinstance(annotation, Spans):
        if annotation.axis != "seconds":
            raise writing.error("this format stores seconds; the spans count characters or tokens", item, coder)
        return annotation.spans
    assert isinstance(annotation, Tier)
    for name, present in (("points", annotation.points is not None), ("words", annotation.words is not None)):
        if present:
            raise writing.error(f"this format cannot store {name}; write a TextGrid", item, coder)
    return annotation.intervals


def _line(writing: Writing, item: str, coder: str, row: _Speech) -> str:
    start, end, speaker = row
    if speaker is None:
        raise writing.error(
            f"a speaker must have a name; the span {start:.10g}-{end:.10g} has no category", item, coder
        )
    _check_name(writing, speaker, "a speaker", item)
    if start < 0 or end <= start:
        raise writing.error(f"speech starts at 0 or later and has a duration; got {start:.10g}-{end:.10g}", item, coder)
    first, last = Decimal(repr(start)), Decimal(repr(end))
    return f"SPEAKER {item} 1 {first:f} {last - first:f} <NA> <NA> {speaker} <NA> <NA>\n"


def _check_name(writing: Writing, name: str, what: str, item: str) -> None:
    if len(name.split()) != 1 or name.split()[0] != name or (what == "a recording" and name.startswith(";")):
        raise writing.error(f"{what} must have a name without spaces; got {describe_value(name)}", item)


def _check_extent(writing: Writing, item: str, coder: str, last: float) -> None:
    annotation = writing.corpus[item, coder]
    if isinstance(annotation, Tier):
        end: float | None = annotation.end
    else:
        assert isinstance(annotation, Spans)
        end = None if annotation.bounds is None else annotation.bounds[1]
    if end is not None and end != last and writing.options["duration"] != end:
        problem = f"item {item!r}: the recording ends at {end:.10g} s, which this format does not store"
        warn(f"{writing.path}: {problem}; it will be read with the end {last:.10g} s unless duration={end:.10g} is set")


FORMAT = Format(
    name="rttm",
    suffixes=(".rttm",),
    other_suffixes=(".txt",),
    description="speech of speakers, one interval per line: SPEAKER, recording, channel, start, duration, speaker",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    options=(
        CODER,
        Option(
            "streams",
            "separate",
            choice("separate", "ignore"),
            "overlapping speakers: an error, or ignore who speaks and join all speech",
        ),
        DURATION,
        AS_SPANS,
        *(replace(option, default="ignore") if option.name == "labels" else option for option in UNIT_OPTIONS),
    ),
    annotation_types=(Tier, Spans),
    names_from_file=("coder",),
    hint="--reading streams=ignore",
)
