"""Spans as JSON, by item and coder: the formats of :class:`~caesura.Hierarchy` and :class:`~caesura.Spans`.

The reader accepts three more shapes. Two are music annotations in two layers: SPAM, ``{"tracks": {track: {"duration": 40.8,
"annotators": {coder: {"upper": [[start, end, label]], "lower": [...]}}}}}``, and SALAMI, ``{"songs": {song: {coder:
{"upper": ..., "lower": ..., "functions": ...}}}}``. The upper layer is level 1 and the lower layer is level 2; functions are
not a level and are not read. The third is discourse trees, ``{document: {coder: {"n_edus": 3, "edus": [...], "spans":
[[0, 2, role, relation, ...]]}}}``. Their spans count from 0 and exclude the end. Spans of one EDU are not read, and equal
spans are merged into one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from caesura.errors import HierarchyError
from caesura.formats import spans
from caesura.formats.content import describe_value, is_json_of, json_text
from caesura.formats.format import Format, Reading, Writing
from caesura.formats.spans import UNITS, Continuum, SpanRow, check_continuum, check_row
from caesura.formats.values import check_label, check_list, check_object, check_strings, check_whole, json_entry
from caesura.model.corpus import Corpus
from caesura.model.plain import to_plain
from caesura.model.spans import Spans

_KINDS = ("spans", "hierarchy")
_LAYERS = {"upper": 1, "lower": 2}
_SKIPPED_LAYERS = ("functions",)

# Rows of a hierarchy with their continuum, or spans.
Entry = tuple[list[SpanRow], Continuum] | Spans


# The four shapes: each function gets the file, the item and the coder, and returns the spans.


def _native_spans(data: Mapping[str, Any], item: Mapping[str, Any], coder: object) -> Entry:
    fields = coder if isinstance(coder, dict) else {"spans": coder}
    values = {"unit": data.get("unit"), "kind": data.get("kind"), **item, **fields}  # coder before item before file
    unit = values.get("unit") or "units"
    if unit not in UNITS:
        raise HierarchyError(f"unit must be one of {', '.join(UNITS)}; got {describe_value(unit)}")
    rows = check_list("[[start, end, level, label]]", fields.get("spans"))
    if _has_categories(values.get("kind"), rows):
        return _marked_spans(values, rows, unit == "seconds")
    continuum = check_continuum(values, unit == "seconds")
    return [check_row(f"spans[{i}]", row, continuum.seconds) for i, row in enumerate(rows)], continuum


def _has_categories(kind: object, rows: list[Any]) -> bool:
    if kind is not None and kind not in _KINDS:
        raise HierarchyError(f"kind must be one of {', '.join(_KINDS)}; got {describe_value(kind)}")
    return kind == "spans" or (
        kind is None and any(isinstance(row, list) and len(row) == 3 and isinstance(row[2], str) for row in rows)
    )


def _marked_spans(values: Mapping[str, Any], rows: list[Any], seconds: bool) -> Spans:
    """Return spans from ``[start, end]`` or ``[start, end, category]``."""
    marked = []
    for i, row in enumerate(rows):
        if not isinstance(row, list) or not 2 <= len(row) <= 3:
            raise HierarchyError(f"spans[{i}]: a span is [start, end, category]; got {describe_value(row)}")
        marked.append((*row[:2], check_label(f"spans[{i}]: category", row[2] if len(row) > 2 else None)))
    units = None if values.get("units") is None else check_strings("units", values["units"])
    text = check_label("text", values.get("text"))
    length = values.get("duration" if seconds else "length")
    bounds = values.get("bounds")
    if text is not None or units is not None:
        length = bounds = None if seconds else bounds
    return Spans(marked, length=length, bounds=bounds, seconds=seconds, text=text, units=units)


def _track_spans(_: Mapping[str, Any], item: Mapping[str, Any], coder: object) -> Entry:
    """Return the spans of a SPAM track. For some tracks, the duration is that of a different recording."""
    return _layer_rows(coder), check_continuum({"duration": item.get("duration")}, seconds=True)


def _song_spans(_: Mapping[str, Any], item: Mapping[str, Any], coder: object) -> Entry:
    return _layer_rows(coder), Continuum(seconds=True)


def _layer_rows(coder: object) -> list[SpanRow]:
    rows = []
    for name, layer in check_object('{"upper": [[start, end, label]], "lower": ...}', coder).items():
        if name in _SKIPPED_LAYERS:
            continue
        if name not in _LAYERS:
            layers = ", ".join((*_LAYERS, *_SKIPPED_LAYERS))
            raise HierarchyError(f"a layer is one of {layers}; got {describe_value(name)}")
        for i, row in enumerate(check_list("[[start, end, label]]", layer, name)):
            place = f"{name}[{i}]"
            if not isinstance(row, list) or not 2 <= len(row) <= 3:
                raise HierarchyError(f"{place}: a span is [start, end, label]; got {describe_value(row)}")
            rows.append(check_row(place, [*row[:2], _LAYERS[name], *row[2:]], seconds=True))
    return rows


def _discourse_spans(_: Mapping[str, Any], item: Mapping[str, Any], coder: object) -> Entry:
    """Return the spans of a discourse tree; the file counts from 0 and excludes the end."""
    tree = check_object('{"edus": [...], "spans": [[start, end, role, relation]]}', coder)
    edus = check_strings("edus", tree.get("edus"))
    if tree.get("n_edus", len(edus)) != len(edus):
        raise HierarchyError(f"n_edus must be the number of edus, {len(edus)}; got {describe_value(tree['n_edus'])}")
    labels: dict[tuple[int, int], str | None] = {}
    for i, row in enumerate(check_list('"spans": [[start, end, role, relation]]', tree.get("spans"))):
        place = f"spans[{i}]"
        if not isinstance(row, list) or len(row) < 2:
            raise HierarchyError(f"{place}: a span is [start, end, role, relation]; got {describe_value(row)}")
        start, end = check_whole(f"{place}: start", row[0], 0) + 1, check_whole(f"{place}: end", row[1], 0)
        if start > end:
            raise HierarchyError(f"{place}: start must be before end; got {start - 1} and {end}")
        relation = row[3] if len(row) > 3 else None
        label = relation if isinstance(relation, str) and relation not in ("", "span") else None
        if start < end:
            labels[start, end] = labels.get((start, end)) or label
    return [SpanRow(start, end, None, label) for (start, end), label in labels.items()], Continuum(units=edus)


@dataclass(frozen=True)
class _Shape:
    """Description of how a file nests items and coders, with the function that parses a coder's value."""

    items_key: str
    coders_key: str
    item_example: str  # fields of an item other than its coders
    coder_example: str
    parse: Callable[[Mapping[str, Any], Mapping[str, Any], object], Entry]
    beyond: str = "error"
    rounding: float = 0.0  # a duration that differs from the last end by less is set to it, in seconds

    def check_item(self, value: object) -> tuple[dict[str, Any], dict[str, Any]]:
        example = f"{{coder: {self.coder_example}}}"
        if not self.coders_key:
            coders = check_object(example, value)
            return coders, coders
        example = f'"{self.coders_key}": {example}'
        fields = check_object(f"{{{self.item_example}, {example}}}", value)
        return fields, check_object(example, fields.get(self.coders_key))


_TWO_LAYERS = '{"upper": ..., "lower": ...}'
_NATIVE = _Shape("items", "coders", '"length": N', "[[start, end]]", _native_spans)
# The times of SPAM have four decimals, its durations more.
_SPAM = _Shape("tracks", "annotators", '"duration": seconds', _TWO_LAYERS, _track_spans, "extend", 0.001)
_SALAMI = _Shape("songs", "", "", _TWO_LAYERS, _song_spans)
_DISCOURSE = _Shape("", "", "", '{"edus": [...], "spans": [...]}', _discourse_spans)


def _shape(data: object) -> _Shape | None:
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
    return isinstance(item["coders"], dict) or any(name in item for name in ("length", "duration", "edges", "text"))


def _has_discourse(item: object) -> bool:
    coders = item.values() if isinstance(item, dict) else ()
    return any(isinstance(coder, dict) and {"spans", "edus"} <= coder.keys() for coder in coders)


def _read(reading: Reading) -> Corpus:
    data = reading.json("spans")
    shape = _shape(data)
    if shape is None:
        raise reading.error(1, 'expected {"items": {item: {"length": N, "coders": {coder: [[start, end]]}}}}')
    for item, value in (data[shape.items_key] if shape.items_key else data).items():
        with json_entry(reading, f"item {item!r}: ", shape.items_key, item):
            _add_item(reading, shape, item, data, *shape.check_item(value))
    return reading.corpus()


def _add_item(
    reading: Reading, shape: _Shape, item: str, data: Mapping[str, Any], fields: dict[str, Any], coders: dict[str, Any]
) -> None:
    def entry(coder: str) -> AbstractContextManager[None]:
        place = f"item {item!r}, coder {coder!r}: "
        return json_entry(reading, place, shape.items_key, item, shape.coders_key, coder)

    annotations: dict[str, tuple[list[SpanRow], Continuum]] = {}
    for coder, value in coders.items():
        with entry(coder):
            parsed = shape.parse(data, fields, value)
            if isinstance(parsed, Spans):
                reading.add(item, coder, parsed)
            else:
                annotations[coder] = parsed
    last_ends: dict[float | None, float] = {}  # by duration
    for rows, continuum in annotations.values():
        end = spans.last_end(rows)
        last_ends[continuum.duration] = max(last_ends.get(continuum.duration, end), end)
    for coder, (rows, continuum) in annotations.items():
        duration = continuum.duration
        last = last_ends[duration]
        if duration is not None and abs(last - duration) < shape.rounding:
            continuum = replace(continuum, duration=last)
        with entry(coder):
            spans.add_spans(reading, item, coder, rows, continuum, last=last, beyond=shape.beyond)


def _write(writing: Writing) -> str:
    if all(isinstance(annotation, Spans) for annotation in writing.corpus.values()):
        return _write_spans(writing.corpus)
    hierarchies = spans.spans_of(writing)
    kinds = {continuum.seconds for _, continuum in hierarchies.values()}
    items: dict[str, dict[str, tuple[dict[str, Any], list[Any]]]] = {item: {} for item in writing.corpus.item_names}
    for (item, coder), (hierarchy, continuum) in hierarchies.items():
        rows = [row if row.label is not None else row[:3] for row in spans.span_rows(hierarchy)]
        unit = {"unit": UNITS[continuum.seconds]} if len(kinds) > 1 else {}
        values = {name: getattr(continuum, name) for name in spans.CONTINUUM_FIELDS}
        items[item][coder] = unit | {name: value for name, value in values.items() if value is not None}, rows
    return _file_text('  "unit": "seconds",\n' if kinds == {True} else "", items)


def _file_text(top: str, items: Mapping[str, Mapping[str, tuple[dict[str, Any], list[Any]]]]) -> str:
    body = ",\n".join(f"    {json_text(item)}: {_item_text(coders)}" for item, coders in items.items())
    return f'{{\n{top}  "items": {{\n{body}\n  }}\n}}\n'


def _write_spans(corpus: Corpus) -> str:
    entries = {key: annotation for key, annotation in corpus.items() if isinstance(annotation, Spans)}
    axes = {entry.axis for entry in entries.values()}
    items: dict[str, dict[str, tuple[dict[str, Any], list[Any]]]] = {item: {} for item in corpus.item_names}
    for (item, coder), entry in entries.items():
        rows = [row if row[2] is not None else row[:2] for row in to_plain(entry)["spans"]]
        items[item][coder] = _spans_fields(entry, mixed=len(axes) > 1), rows
    top = '  "kind": "spans",\n' + ('  "unit": "seconds",\n' if axes == {"seconds"} else "")
    return _file_text(top, items)


def _spans_fields(entry: Spans, mixed: bool) -> dict[str, Any]:
    """Return text or tokens; without them the length, or the bounds if they do not begin at 0."""
    unit = {"unit": entry.axis} if mixed else {}
    if entry.text is not None or entry.units is not None:
        return unit | ({"text": entry.text} if entry.text is not None else {"units": entry.units})
    bounds = to_plain(entry)["bounds"]
    if bounds is None:
        return unit
    length = {"duration" if entry.axis == "seconds" else "length": bounds[1]}
    return unit | ({"bounds": bounds} if bounds[0] else length)


def _item_text(coders: Mapping[str, tuple[dict[str, Any], list[Any]]]) -> str:
    first, _ = next(iter(coders.values()))
    shared = first if all(fields == first for fields, _ in coders.values()) else {}
    lines = [f"      {json_text(name)}: {json_text(value)},\n" for name, value in shared.items()]
    body = ",\n".join(
        f"        {json_text(coder)}: {json_text(rows if fields == shared else {**fields, 'spans': rows})}"
        for coder, (fields, rows) in coders.items()
    )
    return f'{{\n{"".join(lines)}      "coders": {{\n{body}\n      }}\n    }}'


FORMAT = Format(
    name="spans-json",
    suffixes=(".json",),
    other_suffixes=(".json",),
    description="spans as JSON, {item: {length, coders: {coder: [[start, end, level, label]]}}}",
    read=_read,
    looks_like=lambda text: is_json_of(text, "coders|tracks|songs|edus", lambda data: _shape(data) is not None),
    write=_write,
    options=spans.OPTIONS,
    annotation_types=spans.ANNOTATION_TYPES,
)
