"""Annotations of ELAN, exported as tab-delimited text: one line per annotation, or one column per tier::

    IU_ann		00:00:00.500	0.500	00:00:03.000	3.000	00:00:02.500	2.500	so we went

    Begin Time - hh:mm:ss.ms	End Time - hh:mm:ss.ms	IU_ann	IU_bo
    00:00:00.500	00:00:03.000	so we went

The tiers have the same meaning as in .eaf files (:mod:`caesura.formats.eaf`), and the options are the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from caesura.formats.content import lines_of
from caesura.formats.format import Format, Reading
from caesura.formats.tier_roles import choose_tiers
from caesura.formats.timed import TIER_OPTIONS, FileTier, IntervalRow, add_tiers
from caesura.model.corpus import Corpus
from caesura.model.tier import Tier

_CLOCK = re.compile(r"([0-9]{1,4}):([0-5]?[0-9]):([0-5]?[0-9][.,][0-9]{1,6})")
_SECONDS = re.compile(r"[0-9]{1,9}[.,][0-9]{1,6}")
_MILLISECONDS = re.compile(r"[0-9]{1,12}")
_HEADER = re.compile(r"(begin|end|duration)( time)?( - (?P<unit>hh:mm:ss\.ms|ss\.msec|msec))?", re.IGNORECASE)
_TIER, _FIRST_TIME = 0, 2  # columns
_MAX_FORMATS = 3  # of a time
_TOLERANCE = 0.002  # seconds; the formats of a time are rounded
_MAX_LINES = 200  # that are examined to recognise the format


class _Columns(NamedTuple):
    """Numbers of the columns with times and annotations; with one column per tier, ``tiers`` contains their names."""

    begin: int
    end: int
    label: int
    tiers: dict[int, str]


class _Row(NamedTuple):
    line: int
    cells: list[str]


def _read(reading: Reading) -> Corpus:
    tiers, word_tier = choose_tiers(reading, _file_tiers(reading))
    empty = sum(not row.label.strip() for tier in tiers for row in tier.rows)
    if empty:
        reading.warn(f"annotations without a text, which are not segments: {empty}")
    name = reading.options["coder"]
    add_tiers(reading, tiers, word_tier, [name or tier.name for tier in tiers])
    return reading.corpus()


def _rows(text: str) -> list[_Row]:
    cells = ((number, line.split("\t")) for number, line in enumerate(lines_of(text), 1) if line.strip())
    return [_Row(number, row) for number, row in cells]


def _file_tiers(reading: Reading) -> list[FileTier]:
    rows = _rows(reading.text)
    columns = _columns(rows)
    if columns is None:
        expected = "expected tier, participant, begin, end, duration and annotation, with tabs between them"
        raise reading.error(rows[0].line if rows else None, f"{expected}; the times of all lines must agree")
    intervals: dict[str, list[IntervalRow]] = {name: [] for name in columns.tiers.values()}
    last = 0.0
    for row in rows[1:] if columns.tiers else rows:
        begin, end = _time(reading, row, columns.begin), _time(reading, row, columns.end)
        if end < begin:
            raise reading.error(row.line, f"an annotation must not end before it begins; got {begin:g} to {end:g} s")
        for name, label in _labels(reading, row, columns):
            intervals.setdefault(name, []).append(IntervalRow(begin, end, label, row.line))
            last = max(last, end)
    return [
        FileTier(name, listed[0].line, 0.0, last, sorted(listed, key=lambda entry: entry[:2]))
        for name, listed in intervals.items()
        if listed
    ]


def _labels(reading: Reading, row: _Row, columns: _Columns) -> list[tuple[str, str]]:
    if columns.tiers:
        return [
            (name, row.cells[i]) for i, name in columns.tiers.items() if i < len(row.cells) and row.cells[i].strip()
        ]
    if not row.cells[_TIER].strip():
        raise reading.error(row.line, "the first column must name the tier; it is empty")
    return [(row.cells[_TIER].strip(), row.cells[columns.label] if columns.label < len(row.cells) else "")]


def _time(reading: Reading, row: _Row, index: int) -> float:
    time = _seconds(row.cells[index]) if index < len(row.cells) else None
    if time is None:
        cell = row.cells[index][:40] if index < len(row.cells) else ""
        raise reading.error(row.line, f"column {index + 1}: expected a time such as 00:00:01.500; got {cell!r}")
    return time


def _seconds(cell: str) -> float | None:
    """Return a time in seconds; None if the cell is not a time. Whole numbers are milliseconds."""
    text = cell.strip().replace(",", ".")
    if match := _CLOCK.fullmatch(text):
        return round(int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3]), 6)
    if _SECONDS.fullmatch(text):
        return float(text)
    return int(text) / 1000 if _MILLISECONDS.fullmatch(text) else None


def _columns(rows: Sequence[_Row]) -> _Columns | None:
    if not rows:
        return None
    return _named_columns(rows[0].cells) or _unnamed_columns(rows[:_MAX_LINES])


def _named_columns(cells: Sequence[str]) -> _Columns | None:
    times = {i: match for i, cell in enumerate(cells) if (match := _HEADER.fullmatch(cell.strip()))}
    first: dict[str, int] = {}
    for i, match in times.items():
        first.setdefault(match[1].lower(), i)
    tiers = {i: cell.strip() for i, cell in enumerate(cells) if i not in times and cell.strip()}
    has_unit = any(match["unit"] for match in times.values())
    if not tiers or not has_unit or not {"begin", "end"} <= first.keys():
        return None
    return _Columns(first["begin"], first["end"], -1, tiers)


def _unnamed_columns(rows: Sequence[_Row]) -> _Columns | None:
    width = min(len(row.cells) for row in rows)
    number = 0
    while _FIRST_TIME + number < width and all(_is_time(row.cells[_FIRST_TIME + number]) for row in rows):
        number += 1
    for formats in range(_MAX_FORMATS, 0, -1):
        for times in (3, 2):  # begin, end and perhaps the duration; an annotation may be a number
            if formats * times in (number, number - 1) and all(_fits(row.cells, formats, times) for row in rows):
                label = _FIRST_TIME + formats * times
                return _Columns(_FIRST_TIME, _FIRST_TIME + formats, label, {})
    return None


def _is_time(cell: str) -> bool:
    return _seconds(cell) is not None


def _is_precise(cell: str) -> bool:
    return _CLOCK.fullmatch(cell.strip()) is not None or re.fullmatch(r"[0-9]+[.,][0-9]{3}", cell.strip()) is not None


def _fits(cells: Sequence[str], formats: int, times: int) -> bool:
    """Return whether the formats of each time agree, and the duration is the difference of end and begin."""
    values = []
    for i in range(times):
        first = _FIRST_TIME + i * formats
        group = [_seconds(cell) or 0.0 for cell in cells[first : first + formats]]
        if max(group) - min(group) > _TOLERANCE:
            return False
        values.append(group[0])
    begin, end, *duration = values
    if formats == 1 and not duration and not all(map(_is_precise, cells[_FIRST_TIME : _FIRST_TIME + 2])):
        return False  # two numbers may be anything
    return begin <= end and all(abs(end - begin - value) <= _TOLERANCE for value in duration)


def _looks_like(text: str) -> bool:
    rows = _rows(text[: _MAX_LINES * 500])
    if len(text) > _MAX_LINES * 500:
        rows = rows[:-1]  # the last line may be cut
    columns = _columns(rows)
    if columns is None:
        return False
    named = all(row.cells[_TIER].strip() and not _is_time(row.cells[_TIER]) for row in rows)
    return bool(columns.tiers) or (named and all(len(row.cells) > columns.label for row in rows))


FORMAT = Format(
    name="elan-text",
    other_suffixes=(".txt", ".tsv", ".csv"),
    description="annotations of ELAN as tab-delimited text: tier, participant, begin, end, duration, annotation",
    read=_read,
    looks_like=_looks_like,
    tiers=_file_tiers,
    options=TIER_OPTIONS,
    annotation_types=(Tier,),
    part="tier",
    hint="--tier or --labels",
)
