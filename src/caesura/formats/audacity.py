"""Labels of Audacity, exported as text: start, end and label, separated by tabs.

A line that begins with a backslash is the frequency range of the label before it. In some languages Audacity writes decimal
commas.
"""

from __future__ import annotations

import re

from caesura.formats.content import lines_of
from caesura.formats.format import NAME_OPTIONS, Format, Reading, Writing
from caesura.formats.spans import DURATION
from caesura.formats.timed import UNIT_OPTIONS, FileTier, IntervalRow, add_tier
from caesura.formats.values import check_time, parse_number
from caesura.model.corpus import Corpus
from caesura.model.segmentation import UNTYPED
from caesura.model.tier import Interval, Point, Tier
from caesura.model.value import count_of

_MAX_LINES = 200  # that are examined to recognise the format
_LABEL = re.compile(r"-?[0-9]{1,12}[.,][0-9]+\t-?[0-9]{1,12}[.,][0-9]+\t[^\t]*")
_FREQUENCIES = re.compile(r"\\\t-?[0-9.,]+\t-?[0-9.,]+")


def _read(reading: Reading) -> Corpus:
    reading.roles |= {"1": "start", "2": "end", "3": "labels"}
    rows = _rows(reading)
    if not rows:
        raise reading.error(None, "expected at least one label; got none")
    rows.sort(key=lambda row: row[:2])
    intervals = [row for row in rows if row.start < row.end]
    points = tuple(Point(row.start, row.label) for row in rows if row.start == row.end)
    if points:
        _report_points(reading, has_intervals=bool(intervals))
    end = reading.options["duration"] or max(row.end for row in rows)
    if not all(row.label.strip() for row in intervals):
        reading.notes.append(f"intervals without a label have the type {UNTYPED[0]!r}")
    intervals = [row if row.label.strip() else row._replace(label=UNTYPED[0]) for row in intervals]
    tier = FileTier(reading.stem, None, 0.0, end, intervals, points or None)
    add_tier(reading, reading.item_name, reading.coder_name, tier)
    return reading.corpus()


def _report_points(reading: Reading, *, has_intervals: bool) -> None:
    if has_intervals:
        reading.notes.append("points are not boundaries, because there are intervals")
    elif reading.options["duration"] is None:
        problem = "the recording is assumed to end at the last point, which is then no inner boundary"
        reading.log.add(f"the file has no intervals: {problem}; set its length with duration=")


def _rows(reading: Reading) -> list[IntervalRow]:
    rows: list[IntervalRow] = []
    frequency_ranges = 0
    for number, line in enumerate(lines_of(reading.text), 1):
        if line.startswith("\\") and rows:
            frequency_ranges += 1
            continue
        if not line.strip():
            continue
        cells = line.split("\t", 2)
        if len(cells) < 2:
            raise reading.error(number, f"a line is start, end and label, with tabs between them; got {line[:60]!r}")
        start, end = _time(reading, number, "start", cells[0]), _time(reading, number, "end", cells[1])
        if end < start:
            raise reading.error(number, f"end must not be before start; got {cells[1][:40]} < {cells[0][:40]}")
        rows.append(IntervalRow(start, end, cells[2] if len(cells) > 2 else "", number))
    if frequency_ranges:
        reading.ignored.append(f"{count_of(frequency_ranges, 'frequency range')} (caesura compares times only)")
    return rows


def _time(reading: Reading, number: int, name: str, cell: str) -> float:
    if "," in cell:
        reading.notes.append("decimal commas were read as decimal points")
    with reading.at_line(number):
        return check_time(name, parse_number(cell.strip().replace(",", ".")))


def _write(writing: Writing) -> str:
    item, coder = writing.only_item(), writing.only_coder()
    tier = writing.corpus[item, coder]
    assert isinstance(tier, Tier)
    rows = [*tier.intervals, *(Interval(point.time, point.time, point.label) for point in tier.points or ())]
    rows.sort(key=lambda row: row[:2])
    if tier.begin or tier.words is not None:
        raise writing.error("this format cannot store words, or a recording that does not begin at 0", item, coder)
    if tier.end != (writing.options["duration"] or max((row.end for row in rows), default=0.0)):
        hint = f"read and write it with duration={tier.end!r}"
        raise writing.error(f"this format cannot store the end of the recording, {tier.end!r} s; {hint}", item, coder)
    content = "".join(f"{start!r}\t{end!r}\t{label}\n" for start, end, label in rows)
    return writing.check_round_trip(content, _read)


def _looks_like(text: str) -> bool:
    lines = [line for line in lines_of(text[: _MAX_LINES * 1000])[:_MAX_LINES] if line.strip()]
    if len(text) > _MAX_LINES * 1000:
        lines = lines[:-1]  # the last line may be cut
    if not lines or not _LABEL.fullmatch(lines[0]):
        return False
    return all(_LABEL.fullmatch(line) or _FREQUENCIES.fullmatch(line) for line in lines)


FORMAT = Format(
    name="audacity",
    other_suffixes=(".txt",),
    description="labels of Audacity, one per line: start, end, label, with tabs, in seconds",
    read=_read,
    looks_like=_looks_like,
    write=_write,
    options=(*NAME_OPTIONS, DURATION, *UNIT_OPTIONS),
    annotation_types=(Tier,),
    stores_points=True,
    names_from_file=("item", "coder"),
    part="column",
    hint="--reading labels=ignore",
)
