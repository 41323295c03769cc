"""Spans as JSON, by item and coder::

    {"items": {"poem": {"length": 6, "units": ["In", "Xanadu", "did", "Kubla", "Khan", "decree"],
                        "coders": {"ann": [[1, 6, 1, "S"], [1, 2, 2], [3, 6, 2]],
                                   "bo": [[1, 6], [3, 6]]}}}}

A span is ``[start, end, level, label]``. ``start`` and ``end`` are the first and the last unit, counted from 1. Level 1 is
the top of the hierarchy. If all spans of a coder have no level, the levels are derived from nesting. ``units`` is optional,
and ``length`` is optional if there are units. If the top of the file has ``"unit": "seconds"``, ``start`` and ``end`` are
seconds from 0, and the units lie between the times that occur::

    {"unit": "seconds", "items": {"song": {"duration": 9.5, "coders": {"ann": [[0, 9.5, 1, "A"], [0, 4.25, 2, "a"]]}}}}

``duration`` is optional. An item may also have ``edges`` (the times between units, if there are more of them than the times
of the spans and the duration) and ``extent`` (the value of N in the chance model). If coders differ in any of these fields,
the value of a coder is an object such as ``{"length": 6, "spans": [[1, 6]]}``.

The reader accepts three more shapes. Two are music annotations in two layers: SPAM, ``{"tracks": {track: {"duration": 40.8,
"annotators": {coder: {"upper": [[start, end, label]], "lower": [...]}}}}}``, and SALAMI, ``{"songs": {song: {coder:
{"upper": ..., "lower": ..., "functions": ...}}}}``. The upper layer is level 1 and the lower layer is level 2; functions are
not a level and are not read. The third is discourse trees, ``{document: {coder: {"n_edus": 3, "edus": [...], "spans":
[[0, 2, role, relation, ...]]}}}``. Their spans count from 0 and exclude the end. Spans of one EDU are not read, and equal
spans are merged into one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from caesura.errors import CaesuraError, HierarchyError
from caesura.formats.format import Format, Reading, Writing, describe_value, is_json_of, json_text
from caesura.formats.spans import (
    ANNOTATION_TYPES,
    CONTINUUM_FIELDS,
    OPTIONS,
    UNITS,
    Continuum,
    SpanRow,
    add_spans,
    check_continuum,
    check_row,
    last_end,
    span_rows,
    spans_of,
)
from caesura.formats.values import check_list, check_object, check_strings, check_whole
from caesura.model.corpus import Corpus

_LAYERS = {"upper": 1, "lower": 2}
_SKIPPED_LAYERS = ("functions",)
_MAX_LINE_SEARCHES = 100

Spans = tuple[list[SpanRow], Continuum]


# -- the four shapes: each function gets the file, the item and the coder, and returns the spans ---------------------


def _native_spans(data: Mapping[str, Any], item: Mapping[str, Any], coder: object) -> Spans:
    fields = coder if isinstance(coder, dict) else {"spans": coder}
    values = {"unit": data.get("unit"), **item, **fields}  # coder before item before file
    unit = values.get("unit") or "units"
    if unit not in UNITS:
        raise HierarchyError(f"unit must be one of {', '.join(UNITS)}; got {describe_value(unit)}")
    continuum = check_continuum(values, unit == "seconds")
    spans = check_list("[[start, end, level, label]]", fields.get("spans"))
    return [check_row(f"spans[{i}]", row, continuum.seconds) for i, row in enumerate(spans)], continuum


def _track_spans(_: Mapping[str, Any], item: Mapping[str, Any], coder: object) -> Spans:
    """Return the spans of a SPAM track. For some tracks, the duration is that of a different recording."""
    return _layer_rows(coder), check_continuum({"duration": item.get("duration")}, seconds=True)


def _song_spans(_: Mapping[str, Any], item: Mapping[str, Any], coder: object) -> Spans:
    """Return the spans of the two layers of a SALAMI song."""
    return _layer_rows(coder), Continuum(seconds=True)


def _layer_rows(coder: object) -> list[SpanRow]:
    rows = []
    for name, spans in check_object('{"upper": [[start, end, label]], "lower": ...}', coder).items():
        if name in _SKIPPED_LAYERS:
            continue
        if name not in _LAYERS:
            layers = ", ".join((*_LAYERS, *_SKIPPED_LAYERS))
            raise HierarchyError(f"a layer is one of {layers}; got {describe_value(name)}")
        for i, row in enumerate(check_list("[[start, end, label]]", spans, name)):
            place = f"{name}[{i}]"
            if not isinstance(row, list) or not 2 <= len(row) <= 3:
                raise HierarchyError(f"{place}: a span is [start, end, label]; got {describe_value(row)}")
            rows.append(check_row(place, [*row[:2], _LAYERS[name], *row[2:]], seconds=True))
    return rows


def _discourse_spans(_: Mapping[str, Any], item: Mapping[str, Any], coder: object) -> Spans:
    """Return the spans of a discourse tree; the file counts from 0 and excludes the end."""
    tree = check_object('{"edus": [...], "spans": [[start, end, role, relation]]}', coder)
    edus = check_strings("edus", tree.get("edus"))
    if tree.get("n_edus", len(edus)) != len(edus):
        raise HierarchyError(f"n_edus must be the number of edus, {len(edus)}; got {describe_value(tree['n_edus'])}")
    labels: dict[tuple[int, int], str | None] = {}
    for i, row in enumerate(check_list('"spans": [[start, end, role, relation]]', tree.get("spans"))):
        start, end, relation = _discourse_span(f"spans[{i}]", row)
        if start < end:
            labels[start, end] = labels.get((start, end)) or relation
    return [SpanRow(start, end, None, label) for (start, end), label in labels.items()], Continuum(units=edus)


def _discourse_span(place: str, row: object) -> tuple[int, int, str | None]:
    """Return the first and the last EDU, counted from 1, and the relation (None if it is ``span``)."""
    if not isinstance(row, list) or len(row) < 2:
        raise HierarchyError(f"{place}: a span is [start, end, role, relation]; got {describe_value(row)}")
    start, end = check_whole(f"{place}: start", row[0], 0) + 1, check_whole(f"{place}: end", row[1], 0)
    if start > end:
        raise HierarchyError(f"{place}: start must be before end; got {start - 1} and {end}")
    relation = row[3] if len(row) > 3 else None
    return start, end, relation if isinstance(relation, str) and relation not in ("", "span") else None


@dataclass(frozen=True)
class _Shape:
    """Description of how a file nests items and coders, with the function that parses a coder's value."""

    items_key: str
    coders_key: str
    item_example: str
    coders_example: str
    parse: Callable[[Mapping[str, Any], Mapping[str, Any], object], Spans]
    beyond: str = "error"
    rounding: float = 0.0  # a duration that differs from the last end by less is set to it, in seconds


_NATIVE = _Shape(
    "items",
    "coders",
    '{"length": N, "coders": {coder: [[start, end]]}}',
    '"coders": {coder: [[start, end]]}',
    _native_spans,
)
_SPAM = _Shape(
    "tracks",
    "annotators",
    '{"duration": seconds, "annotators": {coder: {"upper": ..., "lower": ...}}}',
    '"annotators": {coder: {"upper": ..., "lower": ...}}',
    _track_spans,
    beyond="extend",
    rounding=0.001,  # SPAM's times have four decimals, its durations more
)
_SALAMI = _Shape("songs", "", '{coder: {"upper": ..., "lower": ...}}', "", _song_spans)
_DISCOURSE = _Shape("", "", '{coder: {"edus": [...], "spans": [...]}}', "", _discourse_spans)


def _shape(data: object) -> _Shape | None:
    """Return the shape of a file, or None if the file has no spans."""
    if not isinstance(data, dict):
        return None
    items = data.get("items")
    if isinstance(items, dict) and any(map(_has_spans, items.values())):
        return _NATIVE
    for shape in (_SPAM, _SALAMI):
        if isinstance(data.get(shape.items_key), dict) and "items" not in data:
            return shape
    return _DISCOURSE if any(map(_has_discourse, data.values())) else None


def _has_spans(item: object) -> bool:
    """Return whether an item has spans. In a file of masses, a coder may be named ``coders``, with a list."""
    if not isinstance(item, dict) or "coders" not in item:
        return False
    return isinstance(item["coders"], dict) or any(name in item for name in ("length", "duration", "edges"))


def _has_discourse(item: object) -> bool:
    coders = item.values() if isinstance(item, dict) else ()
    return any(isinstance(coder, dict) and {"spans", "edus"} <= coder.keys() for coder in coders)


# -- reading ----------------------------------------------------------------------------------------------------------


def _read(reading: Reading) -> Corpus:
    """Return the corpus; error messages give the line of the coder's key."""
    data = reading.json("spans")
    shape = _shape(data)
    if shape is None:
        raise reading.error(1, 'expected {"items": {item: {"length": N, "coders": {coder: [[start, end]]}}}}')
    reader = _SpansReader(reading, data, shape)
    for item, value in (data[shape.items_key] if shape.items_key else data).items():
        reader.add_item(item, value)
    return reading.corpus()


class _SpansReader:
    """Reader that adds the items of a file to the corpus."""

    def __init__(self, reading: Reading, data: dict[str, Any], shape: _Shape) -> None:
        self.reading = reading
        self.data = data
        self.shape = shape
        self.line_searches = 0

    def add_item(self, item: str, value: object) -> None:
        shape = self.shape
        with self.entry(item):
            fields = coders = check_object(shape.item_example, value)
            if shape.coders_key:
                coders = check_object(shape.coders_example, fields.get(shape.coders_key))
            annotations: dict[str, Spans] = {}
            for coder, spans in coders.items():
                with self.entry(item, coder):
                    annotations[coder] = shape.parse(self.data, fields, spans)
            for coder, (rows, continuum) in annotations.items():
                duration = continuum.duration
                last = max(last_end(spans) for spans, c in annotations.values() if c.duration == duration)
                if duration is not None and abs(last - duration) < shape.rounding:
                    continuum = replace(continuum, duration=last)
                with self.entry(item, coder):
                    add_spans(self.reading, item, coder, rows, continuum, last=last, beyond=shape.beyond)

    @contextmanager
    def entry(self, item: str, coder: str | None = None) -> Iterator[None]:
        """Add the line of the item or coder to errors. To save time, only the first errors look up their line."""
        try:
            yield
        except CaesuraError as error:
            shape, line = self.shape, None
            if self.line_searches < _MAX_LINE_SEARCHES:
                self.line_searches += 1
                keys = (shape.items_key, item, *(() if coder is None else (shape.coders_key, coder)))
                line = self.reading.line_of_key(*filter(None, keys))
            place = f"item {item!r}: " if coder is None else f"item {item!r}, coder {coder!r}: "
            with self.reading.item(line, place):
                raise error from None


# -- writing ----------------------------------------------------------------------------------------------------------


def _write(writing: Writing) -> str:
    """Return the JSON text, one line per coder, so that a diff of two files is easy to read."""
    spans = spans_of(writing)
    kinds = {continuum.seconds for _, continuum in spans.values()}
    items: dict[str, dict[str, tuple[dict[str, Any], list[Any]]]] = {item: {} for item in writing.corpus.item_names}
    for (item, coder), (hierarchy, continuum) in spans.items():
        rows = [row if row.label is not None else row[:3] for row in span_rows(hierarchy)]
        items[item][coder] = _fields(continuum, mixed=len(kinds) > 1), rows
    top = '  "unit": "seconds",\n' if kinds == {True} else ""
    body = ",\n".join(f"    {json_text(item)}: {_item_text(coders)}" for item, coders in items.items())
    return f'{{\n{top}  "items": {{\n{body}\n  }}\n}}\n'


def _item_text(coders: Mapping[str, tuple[dict[str, Any], list[Any]]]) -> str:
    """Return the JSON text of an item. Fields that are the same for all coders are written once."""
    first, _ = next(iter(coders.values()))
    shared = first if all(fields == first for fields, _ in coders.values()) else {}
    lines = [f"      {json_text(name)}: {json_text(value)},\n" for name, value in shared.items()]
    body = ",\n".join(
        f"        {json_text(coder)}: {json_text(rows if fields == shared else {**fields, 'spans': rows})}"
        for coder, (fields, rows) in coders.items()
    )
    return f'{{\n{"".join(lines)}      "coders": {{\n{body}\n      }}\n    }}'


def _fields(continuum: Continuum, mixed: bool) -> dict[str, Any]:
    """Return the fields that are set, and the unit if the file mixes spans in units and in seconds."""
    unit = {"unit": UNITS[continuum.seconds]} if mixed else {}
    return unit | {name: value for name in CONTINUUM_FIELDS if (value := getattr(continuum, name)) is not None}


FORMAT = Format(
    name="spans-json",
    suffixes=(".json",),
    other_suffixes=(".json",),
    description="spans as JSON, {item: {length, coders: {coder: [[start, end, level, label]]}}}",
    read=_read,
    looks_like=lambda text: is_json_of(text, "coders|tracks|songs|edus", lambda data: _shape(data) is not None),
    write=_write,
    options=OPTIONS,
    annotation_types=ANNOTATION_TYPES,
)
