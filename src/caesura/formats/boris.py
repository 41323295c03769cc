"""Events of BORIS, exported as a table: aggregated (one row per event) or tabular (a START and a STOP row per state event).

Unknown columns are ignored, because their number depends on the version and the project. Tabular exports may have rows with
metadata above the header.

References
----------
Friard, O., & Gamba, M. (2016). BORIS: a free, versatile open-source event-logging software for video/audio coding and live
observations. Methods in Ecology and Evolution, 7(11).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from caesura.errors import OptionError
from caesura.formats.columns import parse_table
from caesura.formats.content import NUMBER, lines_of
from caesura.formats.format import CODER, Format, Reading
from caesura.formats.spans import DURATION
from caesura.formats.timed import UNIT_OPTIONS, FileTier, IntervalRow, build_tier
from caesura.formats.values import matches
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.tier import Point, Tier
from caesura.model.value import list_few
from caesura.options import Option, choice, names

_COLUMNS = {
    "observation id": "observation",
    "subject": "subject",
    "behavior": "behavior",
    "behaviour": "behavior",
    "behavioral category": "category",
    "behavioural category": "category",
    "behavior type": "type",
    "behaviour type": "type",
    "status": "type",
    "start (s)": "start",
    "stop (s)": "stop",
    "time": "time",
    "time (s)": "time",
    "total length": "length",
    "media duration (s)": "length",
}
_ROLES = {
    "observation": "item",
    "subject": "stream",
    "behavior": "labels",
    "category": "category",
    "type": "kind of event",
    "start": "start",
    "stop": "end",
    "time": "time",
    "length": "length of the item",
}
_REQUIRED = ({"subject", "behavior", "type", "start", "stop"}, {"subject", "behavior", "type", "time"})
_DELIMITERS = (",", "\t", ";", "|")
_MAX_HEADER_LINES = 100  # lines of metadata above the header
_MAX_ID = 200  # characters of an observation id that a pattern can match
_CLOCK = re.compile(r"(?:([0-9]{1,6}):)?([0-9]{1,4}):([0-9]{1,2}(?:\.[0-9]{1,12})?)")


class _Row(NamedTuple):
    line: int
    cells: Mapping[str, str]


class _Event(NamedTuple):
    """Event of one stream; start and end of a point event are equal."""

    stream: str
    label: str
    start: float
    end: float
    is_point: bool
    line: int


@dataclass
class _Observation:
    """Rows of an observation, and the item and coder that its id contains."""

    item: str
    coder: str
    line: int
    rows: list[_Row] = field(default_factory=list)
    length: float | None = None
    events: list[_Event] = field(default_factory=list)

    @property
    def place(self) -> str:
        return f"item {self.item!r}, coder {self.coder!r}"


def _read(reading: Reading) -> Corpus:
    observations = _observations(reading)
    if reading.options["observation"] is None and len(observations) > 1:
        hint = "--reading observation={item}_{coder} finds item and coder in the ids"
        reading.notes.append(f"each observation is an item ({hint})")
    valid: list[_Observation] = []
    for name, observation in observations.items():
        with reading.item(observation.line, f"observation {name[:60]!r}: "):
            _parse_events(reading, observation)
            valid.append(observation)
    streams: dict[str, dict[str, None]] = {}
    for observation in valid:
        streams.setdefault(observation.item, {}).update(dict.fromkeys(event.stream for event in observation.events))
    has_streams = len({stream for names_of_item in streams.values() for stream in names_of_item}) > 1
    for observation in valid:
        with reading.item(observation.line, f"{observation.place}: "):
            annotation = _annotation(reading, observation, list(streams[observation.item]), has_streams)
            reading.add(observation.item, observation.coder, annotation, observation.line)
    return reading.corpus()


def _observations(reading: Reading) -> dict[str, _Observation]:
    observations: dict[str, _Observation] = {}
    invalid: set[str] = set()
    for name, row in _rows(reading):
        if name not in observations and name not in invalid:
            invalid.add(name)  # unless the id matches the pattern
            with reading.item(row.line):
                observations[name] = _Observation(*_names(reading, name, row.line), row.line)
                invalid.remove(name)
        if name in observations:
            observations[name].rows.append(row)
    if not observations and not invalid:
        raise reading.error(None, "expected at least one event; got none")
    return observations


def _rows(reading: Reading) -> Iterator[tuple[str, _Row]]:
    rows = (
        (line, [cell.strip() for cell in cells])
        for line, cells in parse_table(reading, _delimiter(reading.text) or ",")
    )
    header, observation = _header(reading, rows)
    for line, cells in rows:
        if any(cells[len(header) :]):
            raise reading.error(line, f"a row must have {len(header)} cells like the header; got {len(cells)}")
        if any(cells):
            row = {role: cell for role, cell in zip(header, cells, strict=False) if role is not None}
            yield row.get("observation") or observation, _Row(line, row)


def _header(reading: Reading, rows: Iterator[tuple[int, list[str]]]) -> tuple[list[str | None], str]:
    observation = reading.stem
    for line, cells in rows:
        if _is_header(cells):
            roles = _roles(reading, line, cells)
            if "observation" not in roles:
                reading.notes.append(f"the table has no observation id; it is {observation!r}")
            return roles, observation
        if len(cells) > 1 and cells[0].lower() == "observation id":
            observation = cells[1] or observation
    expected = "Subject, Behavior, Behavior type, and Start (s) and Stop (s) or Time"
    raise reading.error(None, f"expected a header with the columns {expected}; got none")


def _roles(reading: Reading, line: int, cells: Sequence[str]) -> list[str | None]:
    roles: list[str | None] = []
    unused: list[str] = []
    descriptions = dict(_ROLES)  # of the roles that the options need
    if reading.options["observation"] is not None:
        descriptions["observation"] = "item and coder"
    if reading.options["streams"] == "subject":
        del descriptions["category"]
    for cell in cells:
        role = _COLUMNS.get(cell.lower())
        role = role if role in descriptions else None
        if role in roles:
            if role not in (None, "length"):
                raise reading.error(line, f"a column must occur once; got {cell[:40]!r} again")
            role = None
        roles.append(role)
        if role is None:
            unused.append(cell or "without a name")
        else:
            reading.roles[cell] = descriptions[role]
    if unused:
        reading.ignored.append(f"columns {list_few(unused)} (not needed)")
    return roles


def _is_header(cells: Sequence[str]) -> bool:
    roles = {_COLUMNS.get(cell.strip().lower()) for cell in cells}
    return any(required <= roles for required in _REQUIRED)


def _delimiter(text: str) -> str | None:
    """Return the delimiter of the header; None if there is no header of BORIS."""
    for line in lines_of(text[: _MAX_HEADER_LINES * 5000])[:_MAX_HEADER_LINES]:
        if "subject" in line[:5000].lower():
            for delimiter in _DELIMITERS:
                if _is_header(next(csv.reader([line[:5000]], delimiter=delimiter), [])):
                    return delimiter
    return None


def _names(reading: Reading, observation: str, line: int) -> tuple[str, str]:
    pattern = reading.options["observation"]
    if pattern is None:
        return observation, reading.coder_name
    pieces = re.split(r"(\{item\}|\{coder\}|\*)", pattern)
    expressions = {"{item}": "(?P<item>.+)", "{coder}": "(?P<coder>.+)", "*": ".*"}
    expression = "".join(expressions.get(piece, re.escape(piece)) for piece in pieces)
    match = re.fullmatch(expression, observation, re.DOTALL) if len(observation) <= _MAX_ID else None
    if match is None:
        hint = "change --reading observation=..."
        raise reading.error(line, f"the observation {observation[:60]!r} must match {pattern!r}; {hint}")
    groups = match.groupdict()
    return groups.get("item") or reading.stem, groups.get("coder") or reading.coder_name


def _check_pattern(name: str, value: Any) -> str:
    if not isinstance(value, str) or value.count("{item}") > 1 or value.count("{coder}") > 1 or value.count("*") > 2:
        raise OptionError(f"{name} must be a pattern such as '{{item}}_{{coder}}'; got {value!r}")
    if "{item}" not in value and "{coder}" not in value:
        raise OptionError(f"{name} must contain {{item}} or {{coder}}; got {value!r}")
    return value


def _parse_events(reading: Reading, observation: _Observation) -> None:
    started: dict[tuple[str, str], _Event] = {}
    for row in observation.rows:
        kind, event = _event(reading, row)
        if kind in ("START", "STOP"):
            _pair(reading, observation, event, started, is_start=kind == "START")
        else:
            observation.events.append(event)
        cell = row.cells.get("length", "")
        length = _parse_seconds(cell)
        if length is None and cell not in ("", "NA"):
            reading.notes.append(f"the length {cell[:40]!r} is not a number and was ignored")
        observation.length = length if observation.length is None else max(observation.length, length or 0.0)
    for event in started.values():
        place = f"{event.label[:40]!r} of {event.stream[:40]!r}"
        raise reading.error(
            event.line, f"every START needs a STOP; {place} starts at {event.start:.10g} s and never stops"
        )
    patterns = reading.options["behaviors"]
    if patterns is not None:
        observation.events = [event for event in observation.events if matches(event.label, patterns)]


def _event(reading: Reading, row: _Row) -> tuple[str, _Event]:
    is_aggregated = "start" in row.cells
    kinds = ("STATE", "POINT") if is_aggregated else ("START", "STOP", "POINT")
    kind = row.cells.get("type", "").upper()
    if kind not in kinds:
        raise reading.error(row.line, f"the kind of an event must be one of {', '.join(kinds)}; got {kind[:40]!r}")
    label = row.cells.get("behavior", "")
    if not label:
        raise reading.error(row.line, "an event must have a behavior; the cell is empty")
    start, end = (_seconds(reading, row, role) for role in (("start", "stop") if is_aggregated else ("time", "time")))
    if end < start:
        raise reading.error(row.line, f"an event must not stop before it starts; got {start:.10g}-{end:.10g} s")
    if kind == "POINT" and end > start:
        raise reading.error(row.line, f"a POINT must start and stop at the same time; got {start:.10g}-{end:.10g} s")
    subject, category = row.cells.get("subject") or "No focal subject", row.cells.get("category") or "No category"
    streams = {"subject": subject, "category": category, "both": f"{subject}/{category}"}
    return kind, _Event(streams[reading.options["streams"]], label, start, end, kind == "POINT", row.line)


def _pair(
    reading: Reading,
    observation: _Observation,
    event: _Event,
    started: dict[tuple[str, str], _Event],
    *,
    is_start: bool,
) -> None:
    """Store a START, or combine a STOP with its START."""
    key, place = (event.stream, event.label), f"{event.label[:40]!r} of {event.stream[:40]!r}"
    if is_start == (key in started):
        problem = "starts twice without a STOP" if is_start else "stops without a START"
        raise reading.error(event.line, f"START and STOP must alternate; {place} {problem} at {event.start:.10g} s")
    if is_start:
        started[key] = event
        return
    start = started.pop(key)
    if event.end < start.start:
        raise reading.error(event.line, f"{place} must not stop before it starts; got {event.end:.10g} s")
    observation.events.append(start._replace(end=event.end))


def _seconds(reading: Reading, row: _Row, role: str) -> float:
    """Return the time in a cell, in seconds or as hours, minutes and seconds."""
    seconds = _parse_seconds(row.cells.get(role, ""))
    if seconds is None:
        actual = row.cells.get(role, "")[:40]
        raise reading.error(row.line, f"{role} must be a time such as 12.5 or 0:00:12.5; got {actual!r}")
    if "," in row.cells[role]:
        reading.notes.append("decimal commas were read as decimal points")
    return seconds


def _parse_seconds(cell: str) -> float | None:
    cell = cell.replace(",", ".")
    if len(cell) <= 40 and NUMBER.fullmatch(cell):
        seconds = float(cell)
        return seconds if 0 <= seconds < 1e9 else None
    match = _CLOCK.fullmatch(cell[:40])
    if match is None:
        return None
    hours, minutes, rest = match.groups()
    if float(rest) >= 60 or (hours and int(minutes) >= 60):
        return None
    return round(int(hours or 0) * 3600 + int(minutes) * 60 + float(rest), 6)


def _annotation(reading: Reading, observation: _Observation, streams: Sequence[str], has_streams: bool) -> Annotation:
    if not streams:
        raise reading.error(observation.line, "expected an event; no event has one of the selected behaviors")
    length = reading.options["duration"] or _length(reading, observation)
    tiers = {stream: _tier(reading, observation, stream, length) for stream in streams}
    if any(not tier.rows for tier in tiers.values()):
        reading.notes.append("streams without events are read as empty")
    return Dialogue(tiers) if has_streams else tiers[streams[0]]


def _length(reading: Reading, observation: _Observation) -> float:
    """Return the length of the media, or the end of the last event."""
    last = max((event.end for event in observation.events), default=0.0)
    if observation.length is None:
        reading.notes.append("the file has no media length; an item ends with its last event (duration= sets the end)")
    elif last > observation.length:
        times = f"{last:.10g} s, after the media ({observation.length:.10g} s)"
        reading.log.add(f"{observation.place}: the last event ends at {times}")
    return max(last, observation.length or 0.0)


def _tier(reading: Reading, observation: _Observation, stream: str, length: float) -> Tier:
    events = sorted((event for event in observation.events if event.stream == stream), key=lambda event: event[2:4])
    states = _states(reading, observation, events)
    points = tuple(Point(event.start, event.label) for event in events if event.is_point)
    if points and states:
        reading.notes.append("point events are not boundaries in a stream that has state events")
    rows = [IntervalRow(event.start, event.end, event.label, event.line) for event in states]
    return build_tier(reading, FileTier(stream, observation.line, 0.0, length, rows, points or None))


def _states(reading: Reading, observation: _Observation, events: Sequence[_Event]) -> list[_Event]:
    """Return the state events of a stream, which must not overlap."""
    all_states = [event for event in events if not event.is_point]
    states = [event for event in all_states if event.start < event.end]
    reading.log.count("state events of zero length left out", observation.place, len(all_states) - len(states))
    for i, event in enumerate(states[1:]):
        previous = states[i]
        if event.start < previous.end - reading.options["snap"]:
            times = f"{event.start:.10g}-{min(event.end, previous.end):.10g} s"
            behaviors = f"{previous.label[:40]!r} and {event.label[:40]!r} of {event.stream[:40]!r} at {times}"
            hint = "read one stream per category with --reading streams=both, or select behaviors with --reading behaviors=..."
            raise reading.error(event.line, f"behaviors must not overlap in one stream; {behaviors}; {hint}")
    return states


FORMAT = Format(
    name="boris",
    other_suffixes=(".csv", ".tsv", ".txt"),
    description="events of BORIS, aggregated or tabular: observation, subject, behavior, start and stop",
    read=_read,
    looks_like=lambda text: _delimiter(text) is not None,
    options=(
        CODER,
        Option("observation", None, _check_pattern, "parts of the observation id, such as {item}_{coder}"),
        Option("streams", "subject", choice("subject", "category", "both"), "what the streams are"),
        Option("behaviors", None, names, "behaviors to read, a pattern or a list of patterns (default: all)"),
        DURATION,
        *UNIT_OPTIONS,
    ),
    annotation_types=(Tier, Dialogue),
    part="column",
    hint="--reading observation={item}_{coder}",
)
