"""Spans as JSON: who drew which span over which text.

    {"items": {"poem": {"length": 6, "units": ["In", "Xanadu", "did", "Kubla", "Khan", "decree"],
                        "coders": {"ann": [[1, 6, 1, "S"], [1, 2, 2], [3, 6, 2]],
                                   "bo": [[1, 6], [3, 6]]}}}}

A span is ``[start, end, level, label]``, counted from 1, both ends included; level 1 is the largest. Levels may be left
out by a coder, for all spans or none: they are then derived from nesting. ``units`` may be left out, and ``length`` where
units are given. In time, ``"unit": "seconds"`` stands at the top, ``start`` and ``end`` are seconds from 0, and units lie
between the times that occur:

    {"unit": "seconds", "items": {"song": {"duration": 9.5, "coders": {"ann": [[0, 9.5, 1, "A"], [0, 4.25, 2, "a"]]}}}}

``duration`` may be left out. ``edges`` (the times between units, where those of the spans and the duration are not all)
and ``extent`` (what N is for chance) may stand in an item too; and where coders differ in any of these, a coder is an
object ``{"length": 6, "spans": [[1, 6]]}``.

Three other shapes are read: annotations of music in two layers as SPAM has them, ``{"tracks": {track: {"duration": 40.8,
"annotators": {coder: {"upper": [[start, end, label]], "lower": [...]}}}}}``, and as SALAMI, ``{"songs": {song: {coder:
{"upper": ..., "lower": ..., "functions": ...}}}}``: upper is level 1, lower is level 2, functions are no level and are not
read. And discourse trees, ``{document: {coder: {"n_edus": 3, "edus": [...], "spans": [[0, 2, role, relation, ...]]}}}``,
counted from 0 and without the end: spans of one EDU are not read, and a span that stands there several times is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from caesura.errors import CaesuraError, FormatError, HierarchyError
from caesura.formats.format import Format, Reading, describe_value, line_of_key, parse_json
from caesura.formats.spans import (
    BEYOND,
    REPAIR,
    SNAP,
    UNITS,
    Frame,
    LeftOut,
    Row,
    beyond_of,
    check_edges,
    check_row,
    check_time,
    check_whole,
    frame_of,
    hierarchy,
    last_end,
    rows_of,
    spans_of,
    within,
)
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation

__all__ = ["FORMAT"]

_FRAME = ("length", "units", "duration", "edges", "extent")
_LAYERS = {"upper": 1, "lower": 2}
_NO_LEVEL = ("functions",)
_ROUNDING = 0.001
"""Seconds: SPAM's times have four decimals, its durations more."""


def read(reading: Reading) -> Corpus:
    """Every item and coder; the line in an error is that of the coder's key."""
    data = parse_json(reading.path, reading.text, "spans")
    file = _File(reading)
    shape = _shape(data)
    if shape is None:
        raise reading.error(
            1, 'an object with "items": {item: {"length": N, "coders": {coder: [[start, end]]}}} is needed'
        )
    {"items": file.own, "tracks": file.tracks, "songs": file.songs, "": file.discourse}[shape](data)
    file.left_out.warn()
    return reading.corpus()


def _shape(data: object) -> str | None:
    """The key under which items stand: ``items``, ``tracks``, ``songs`` or none of them."""
    if not isinstance(data, dict):
        return None
    items = data.get("items")
    if isinstance(items, dict) and any(_own(item) for item in items.values()):
        return "items"
    for name in ("tracks", "songs"):
        if isinstance(data.get(name), dict) and "items" not in data:
            return name
    coders = [one for item in data.values() if isinstance(item, dict) for one in item.values()]
    if any(isinstance(one, dict) and {"spans", "edus"} <= one.keys() for one in coders):
        return ""
    return None


def _own(item: object) -> bool:
    """Whether an item is spans: in masses a coder named ``coders`` has a list, and nobody has a number."""
    if not isinstance(item, dict) or "coders" not in item:
        return False
    return isinstance(item["coders"], dict) or any(name in item for name in ("length", "duration", "edges"))


class _File:
    """One file on its way, shape by shape."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.left_out = LeftOut(reading.path)
        self.searched = 0

    # -- the toolkit's own ------------------------------------------------------------------------------------------

    def own(self, data: dict[str, Any]) -> None:
        for item, given in data["items"].items():
            with self.part(f"item {item!r}: ", "items", item):
                inside = self.mapping(given, '{"length": N, "coders": {coder: [[start, end]]}}')
                coders = self.mapping(inside.get("coders"), '"coders": {coder: [[start, end]]}')
                rows: dict[str, list[Row]] = {}
                frames: dict[str, Frame] = {}
                for coder, one in coders.items():
                    keys = ("items", item, "coders", coder)
                    with self.part(f"item {item!r}, coder {coder!r}: ", *keys):
                        mine = one if isinstance(one, dict) else {"spans": one}
                        frame = _frame({"unit": data.get("unit"), **inside, **mine})
                        rows[coder] = self.rows(mine.get("spans"), frame.seconds)
                        frames[coder] = frame
                for coder, frame in frames.items():
                    place = f"item {item!r}, coder {coder!r}"
                    with self.part(f"{place}: ", "items", item, "coders", coder):
                        shared = [rows[c] for c, other in frames.items() if other.duration == frame.duration]
                        until = max(map(last_end, shared)) if frame.seconds else 0.0
                        spans, duration = rows[coder], frame.duration
                        if frame.seconds and frame.edges is None:
                            spans, duration = within(
                                spans,
                                duration,
                                beyond=beyond_of(self.reading.options),
                                until=until,
                                item=item,
                                left_out=self.left_out,
                            )
                        self.add(item, coder, spans, _with(frame, duration))

    # -- others' ----------------------------------------------------------------------------------------------------

    def tracks(self, data: dict[str, Any]) -> None:
        """SPAM: a duration, which is that of another recording for some tracks."""
        for item, given in data["tracks"].items():
            with self.part(f"item {item!r}: ", "tracks", item):
                track = self.mapping(
                    given, '{"duration": seconds, "annotators": {coder: {"upper": ..., "lower": ...}}}'
                )
                coders = self.mapping(track.get("annotators"), '"annotators": {coder: {"upper": ..., "lower": ...}}')
                duration = None if track.get("duration") is None else check_time("duration", track["duration"])
                rows: dict[str, list[Row]] = {}
                for coder, layers in coders.items():
                    with self.part(f"item {item!r}, coder {coder!r}: ", "tracks", item, "annotators", coder):
                        rows[coder] = self.layers(layers)
                until = max(map(last_end, rows.values()), default=0.0)
                if duration is not None and abs(until - duration) < _ROUNDING:
                    duration = until
                for coder, mine in rows.items():
                    place = f"item {item!r}, coder {coder!r}"
                    with self.part(f"{place}: ", "tracks", item, "annotators", coder):
                        spans, ends = within(
                            mine,
                            duration,
                            beyond=beyond_of(self.reading.options, "extend"),
                            until=until,
                            item=item,
                            left_out=self.left_out,
                        )
                        self.add(item, coder, spans, Frame(seconds=True, duration=ends))

    def songs(self, data: dict[str, Any]) -> None:
        """SALAMI: two layers, and functions beside them."""
        for item, given in data["songs"].items():
            with self.part(f"item {item!r}: ", "songs", item):
                for coder, layers in self.mapping(given, '{coder: {"upper": ..., "lower": ...}}').items():
                    with self.part(f"item {item!r}, coder {coder!r}: ", "songs", item, coder):
                        self.add(item, coder, self.layers(layers), Frame(seconds=True))

    def layers(self, given: object) -> list[Row]:
        rows = []
        for name, spans in self.mapping(given, '{"upper": [[start, end, label]], "lower": ...}').items():
            if name in _NO_LEVEL:
                continue
            if name not in _LAYERS:
                raise HierarchyError(
                    f"a layer is one of {', '.join((*_LAYERS, *_NO_LEVEL))}; got {describe_value(name)}"
                )
            for i, row in enumerate(self.list(spans, f"{name}: [[start, end, label]]")):
                if not isinstance(row, list) or not 2 <= len(row) <= 3:
                    raise HierarchyError(f"{name}[{i}]: a span is [start, end, label]; got {describe_value(row)}")
                try:
                    rows.append(check_row(i, [*row[:2], _LAYERS[name], *row[2:]], seconds=True))
                except HierarchyError as problem:
                    raise HierarchyError(str(problem).replace("spans[", f"{name}[", 1)) from None
        return rows

    def discourse(self, data: dict[str, Any]) -> None:
        """Discourse trees as spans from 0, without the end."""
        for item, given in data.items():
            with self.part(f"item {item!r}: ", item):
                for coder, one in self.mapping(given, '{coder: {"edus": [...], "spans": [...]}}').items():
                    with self.part(f"item {item!r}, coder {coder!r}: ", item, coder):
                        tree = self.mapping(one, '{"edus": [...], "spans": [[start, end, role, relation]]}')
                        units = _strings("edus", tree.get("edus"))
                        if tree.get("n_edus", len(units)) != len(units):
                            raise HierarchyError(
                                f"n_edus must be the number of edus, {len(units)}; got {describe_value(tree['n_edus'])}"
                            )
                        self.add(item, coder, self.yields(tree.get("spans")), Frame(units=units))

    def yields(self, given: object) -> list[Row]:
        """Distinct spans of two or more EDUs, with the first relation that is one."""
        found: dict[tuple[int, int], str | None] = {}
        for i, row in enumerate(self.list(given, '"spans": [[start, end, role, relation]]')):
            if not isinstance(row, list) or len(row) < 2:
                raise HierarchyError(f"spans[{i}]: a span is [start, end, role, relation]; got {describe_value(row)}")
            start = check_whole(f"spans[{i}]: start", row[0], 0) + 1
            end = check_whole(f"spans[{i}]: end", row[1], 0)
            if start > end:
                raise HierarchyError(f"spans[{i}]: start must be before end; got {start - 1} and {end}")
            if start == end:
                continue
            relation = row[3] if len(row) > 3 and isinstance(row[3], str) and row[3] not in ("", "span") else None
            found[start, end] = found.get((start, end)) or relation
        return [Row(start, end, None, label) for (start, end), label in found.items()]

    # -- parts of strangers' files: everything may be missing or of another kind -----------------------------------

    def add(self, item: str, coder: str, rows: list[Row], frame: Frame) -> None:
        place = f"item {item!r}, coder {coder!r}"
        made = hierarchy(rows, frame, place=place, options=self.reading.options, left_out=self.left_out)
        self.reading.add(item, coder, made)

    def rows(self, given: object, seconds: bool) -> list[Row]:
        return [check_row(i, row, seconds) for i, row in enumerate(self.list(given, "[[start, end, level, label]]"))]

    @staticmethod
    def mapping(given: object, what: str) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise HierarchyError(f"{what} is needed; got {describe_value(given)}")
        return given

    @staticmethod
    def list(given: object, what: str) -> list[Any]:
        if not isinstance(given, list):
            raise HierarchyError(f"{what} is needed; got {describe_value(given)}")
        return given

    @contextmanager
    def part(self, place: str, *keys: str) -> Iterator[None]:
        """What is wrong inside concerns one annotation. Its line is looked for only then, and not a thousand times."""
        try:
            yield
        except CaesuraError as problem:
            line = None
            if self.searched < 100:
                line = line_of_key(self.reading.text, *keys)
                self.searched += 1
            with self.reading.item(line, place):
                raise problem from None


def _with(frame: Frame, duration: float | None) -> Frame:
    return Frame(frame.seconds, frame.length, frame.units, duration, frame.edges, frame.extent)


def _frame(given: Mapping[str, Any]) -> Frame:
    """What the spans lie in, from file, item and coder, the nearest first."""
    unit = given.get("unit") or "units"
    if unit not in UNITS:
        raise HierarchyError(f"unit must be one of {', '.join(UNITS)}; got {describe_value(unit)}")
    length, duration, extent = (given.get(name) for name in ("length", "duration", "extent"))
    edges = given.get("edges")
    if edges is not None:
        if not isinstance(edges, list):
            raise HierarchyError(f"edges: a list of times is needed; got {describe_value(edges)}")
        edges = check_edges(edges)
    seconds = unit == "seconds"
    for name, there in (("length", not seconds), ("units", not seconds), ("duration", seconds), ("edges", seconds)):
        if not there and given.get(name) is not None:
            raise HierarchyError(f"{name} is for spans in {UNITS[not seconds]}; these are in {unit}")
    return Frame(
        seconds=seconds,
        length=None if length is None else check_whole("length", length),
        units=None if given.get("units") is None else _strings("units", given["units"]),
        duration=None if duration is None else check_time("duration", duration),
        edges=edges,
        extent=None if extent is None else check_whole("extent", extent),
    )


def _strings(name: str, given: object) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise HierarchyError(f"{name}: a list of strings is needed; got {describe_value(given)}")
    for i, one in enumerate(given):
        if not isinstance(one, str):
            raise HierarchyError(f"{name}[{i}]: a string is needed; got {describe_value(one)}")
    if not given:
        raise HierarchyError(f"{name}: at least one is needed; got none")
    return tuple(given)


# -- writing ----------------------------------------------------------------------------------------------------------


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """A line a coder, so that differences can be read."""
    frames = {}
    rows = {}
    for item, coder in corpus:
        one = spans_of(corpus[item, coder], path, item, coder)
        frames[item, coder] = frame_of(one, path, f"item {item!r}, coder {coder!r}")
        rows[item, coder] = [list(row if row.label is not None else row[:3]) for row in rows_of(one)]
    kinds = {frame.seconds for frame in frames.values()}
    top = '  "unit": "seconds",\n' if kinds == {True} else ""
    items = []
    for item in corpus.item_names:
        coders = [coder for coder in corpus.coders if (item, coder) in frames]
        mine = {coder: _plain(frames[item, coder], mixed=len(kinds) > 1) for coder in coders}
        shared = mine[coders[0]] if all(one == mine[coders[0]] for one in mine.values()) else {}
        lines = [f"      {_json(name)}: {_json(value)},\n" for name, value in shared.items()]
        spans = [
            f"        {_json(coder)}: "
            + (
                _json(rows[item, coder])
                if shared == mine[coder]
                else _json({**mine[coder], "spans": rows[item, coder]})
            )
            for coder in coders
        ]
        body = ",\n".join(spans)
        items.append(f'    {_json(item)}: {{\n{"".join(lines)}      "coders": {{\n{body}\n      }}\n    }}')
    body = ",\n".join(items)
    return f'{{\n{top}  "items": {{\n{body}\n  }}\n}}\n'


def _plain(frame: Frame, mixed: bool) -> dict[str, Any]:
    said = {"unit": UNITS[frame.seconds]} if mixed else {}
    return said | {name: value for name in _FRAME if (value := getattr(frame, name)) is not None}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_HINT = re.compile(r'"(?:coders|tracks|songs|edus)"\s*:')


def _looks_like(text: str) -> bool:
    if not text.lstrip().startswith("{") or not _HINT.search(text):
        return False
    try:
        return _shape(parse_json("", text, "spans")) is not None
    except FormatError:
        return False


FORMAT = Format(
    name="spans-json",
    suffixes=(".json",),
    other_suffixes=(".json",),
    description="spans as JSON, {item: {length, coders: {coder: [[start, end, level, label]]}}}",
    read=read,
    looks_like=_looks_like,
    write=write,
    options=(REPAIR, SNAP, BEYOND),
    annotation_types=(Hierarchy, Segmentation, Dialogue),
)
