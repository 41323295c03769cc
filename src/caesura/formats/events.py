"""Tables of events, such as key presses: one row per item, coder and time in seconds.

A table of events cannot say that a coder saw an item without pressing the key, and it does not contain the length of the
items. The option ``all_coders`` adds the coders without events, and ``lengths`` names a second table with the columns
``item`` and ``length``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from caesura.errors import FormatError
from caesura.formats.columns import Column, Table, parse_delimited
from caesura.formats.content import NUMBER, decode_text, load
from caesura.formats.format import Reading
from caesura.formats.marks import Groups
from caesura.formats.roles import Roles, assign_roles
from caesura.model.corpus import Corpus
from caesura.model.index import argsort
from caesura.model.tier import Point, Tier
from caesura.options import Option, flag, optional, path

LENGTHS = Option("lengths", None, optional(path), "table with the length of each item, in the columns item and length")
ALL_CODERS = Option("all_coders", False, flag, "whether a coder without rows in an item saw it and marked nothing")


def read_lengths(file: str) -> dict[str, float]:
    """Return the lengths of items from a table with the columns ``item`` and ``length``."""
    text, _ = decode_text(file, load(file), guess=True)
    reading = Reading(file, text)
    table = parse_delimited(reading, delimiter=None)
    columns = assign_roles(reading, table, None).columns
    if "item" not in columns or "length" not in columns:
        raise reading.error(1, f"expected the columns item and length; got {', '.join(table.columns)}")
    items, lengths = (table.columns[columns[role]].cells() for role in ("item", "length"))
    result: dict[str, float] = {}
    for line, item, cell in zip(table.lines.tolist(), items, lengths, strict=True):
        if not NUMBER.fullmatch(cell.strip()) or not 0 < float(cell) < float("inf"):
            raise reading.error(line, f"a length must be a number above 0; got {cell[:40]!r}")
        if result.setdefault(item, float(cell)) != float(cell):
            raise reading.error(line, f"item {item!r} has two lengths, {result[item]:g} and {cell.strip()}")
    return result


def read_events(reading: Reading, table: Table, roles: Roles) -> Corpus:
    lengths = None if reading.options["lengths"] is None else read_lengths(reading.options["lengths"])
    columns = roles.columns
    times = read_times(reading, table, table.columns[columns["time"]])
    labels = table.columns[columns["label"]].cells() if "label" in columns else None
    groups = Groups.of(table, [columns.get("item"), columns.get("coder")])
    events: dict[str, dict[str, tuple[int, list[Point]]]] = {}
    for i, (item, coder) in enumerate(groups.keys):
        rows = groups.rows(i)
        rows = rows[argsort(times[rows], kind="stable")]
        points = [Point(float(times[row]), "" if labels is None else labels[row]) for row in rows.tolist()]
        item = item if "item" in columns else reading.stem
        name = coder if "coder" in columns else reading.stem
        events.setdefault(item, {})[name] = int(table.lines[rows[0]]), points
    if reading.options["all_coders"]:
        _add_absent_coders(events)
    _add_tiers(reading, events, lengths)
    return reading.corpus()


def read_times(reading: Reading, table: Table, column: Column) -> np.ndarray[Any, np.dtype[np.float64]]:
    for code, value in enumerate(column.stripped):
        if not NUMBER.fullmatch(value) or len(value) > 40:
            line = int(table.lines[np.argmax(column.codes == code)])
            raise reading.error(line, f"{column.name} must be a time in seconds; got {value[:40]!r}")
    return np.array([float(value) for value in column.stripped])[column.codes]


def _add_absent_coders(events: dict[str, dict[str, tuple[int, list[Point]]]]) -> None:
    coders = list(dict.fromkeys(coder for by_coder in events.values() for coder in by_coder))
    for by_coder in events.values():
        line = next(iter(by_coder.values()))[0]
        for coder in coders:
            by_coder.setdefault(coder, (line, []))


def _add_tiers(
    reading: Reading, events: Mapping[str, Mapping[str, tuple[int, list[Point]]]], lengths: Mapping[str, float] | None
) -> None:
    for item, by_coder in events.items():
        last = max((points[-1].time for _, points in by_coder.values() if points), default=0.0)
        for coder, (line, points) in by_coder.items():
            with reading.item(line, f"item {item!r}, coder {coder!r}: "):
                end = last if lengths is None else _length(reading, item, lengths)
                reading.add(item, coder, Tier(end=end, points=points, open_end=lengths is None))
    if lengths is None:
        reading.notes.append("the length of the items is not known; give it with lengths=FILE (--reading lengths=FILE)")


def _length(reading: Reading, item: str, lengths: Mapping[str, float]) -> float:
    if item not in lengths:
        raise FormatError(reading.options["lengths"], None, f"item {item!r} has no length")
    return lengths[item]
