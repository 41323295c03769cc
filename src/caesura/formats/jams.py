"""Segment annotations in JAMS files, a JSON format for annotated music::

    {"annotations": [{"namespace": "multi_segment", "annotation_metadata": {"annotator": {"name": "ann"}},
                      "data": [{"time": 0, "duration": 9.5, "value": {"label": "A", "level": 0}}]}],
     "file_metadata": {"duration": 9.5}}

JAMS stores a time and a duration, and their sum is rarely equal to the start of the next segment: if both are rounded to a
microsecond, the ends of two segments may differ by two. Therefore times of a coder that differ by at most two microseconds
are treated as equal (option ``snap``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from caesura.errors import HierarchyError
from caesura.formats.content import is_json_of
from caesura.formats.format import NAME_OPTIONS, Format, Reading
from caesura.formats.spans import BEYOND, DURATION, REPAIR, ROUNDING, SNAP, Continuum, SpanRow, add_spans, last_end
from caesura.formats.values import check_label, check_list, check_object, check_time, check_whole, list_names
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.options import Option, choice

# Kind -> namespace -> level; None if each segment has its own level.
_LEVELS: dict[str, dict[str, int | None]] = {
    "multi_segment": {"multi_segment": None},
    "segment_salami": {"segment_salami_upper": 1, "segment_salami_lower": 2},
    "segment_open": {"segment_open": 1},
}


def _read(reading: Reading) -> Corpus:
    data = reading.json("JAMS")
    if not _is_jams(data):
        raise reading.error(1, 'expected an object with "annotations": [...] and "file_metadata": {...}')
    levels = _LEVELS[_kind(reading, data["annotations"])]
    item = reading.item_name
    by_coder = _by_coder(reading, item, data["annotations"], levels)
    last = max(map(last_end, by_coder.values()), default=0.0)
    continuum = Continuum(seconds=True, duration=_duration(reading, data, last))
    for coder, rows in by_coder.items():
        with reading.item(None, f"item {item!r}, coder {coder!r}: "):
            add_spans(reading, item, coder, rows, continuum, last=last)
    return reading.corpus()


def _is_jams(data: object) -> bool:
    return isinstance(data, dict) and isinstance(data.get("annotations"), list) and "file_metadata" in data


def _kind(reading: Reading, annotations: list[Any]) -> str:
    for i, annotation in enumerate(annotations):
        with reading.at_line(None, f"annotations[{i}]: "):
            if not isinstance(check_object("an object", annotation).get("namespace"), str):
                raise HierarchyError("an object must have a namespace; it has none")
    namespaces = dict.fromkeys(annotation["namespace"] for annotation in annotations)
    requested = reading.options["namespace"]
    kinds = [kind for kind in _LEVELS if not namespaces.keys().isdisjoint(_LEVELS[kind]) and requested in (None, kind)]
    if not kinds:
        expected = requested or "multi_segment, segment_salami_upper, segment_salami_lower or segment_open"
        actual = f"the namespaces are {list_names(namespaces)}"
        raise reading.error(None, f"expected an annotation in the namespace {expected}; {actual}")
    if len(kinds) > 1:
        raise reading.error(None, f"several kinds of segments; choose one with namespace=: {', '.join(kinds)}")
    return kinds[0]


def _by_coder(
    reading: Reading, item: str, annotations: list[Any], levels: Mapping[str, int | None]
) -> dict[str, list[SpanRow]]:
    rows: dict[str, list[SpanRow]] = {}
    coders: dict[str, list[str]] = {namespace: [] for namespace in levels}
    invalid: set[tuple[str, str]] = set()
    for i, annotation in enumerate(annotations):
        namespace = annotation["namespace"]
        if namespace not in levels:
            continue
        coder = reading.options["coder"] or _annotator(annotation) or str(len(coders[namespace]) + 1)
        invalid.add((namespace, coder))
        with reading.item(None, f"item {item!r}, coder {coder!r}: annotations[{i}]: "):
            if coder in coders[namespace]:
                raise HierarchyError(f"a coder has one annotation in {namespace}; this is a second one")
            rows.setdefault(coder, []).extend(_rows(annotation.get("data"), levels[namespace]))
            invalid.remove((namespace, coder))
        coders[namespace].append(coder)
    for _, coder in invalid:
        rows.pop(coder, None)
    if None not in levels.values():
        return rows
    shift = any(row.level == 0 for segments in rows.values() for row in segments)  # levels may begin at 0
    return {
        coder: [row._replace(level=(row.level or 0) + shift) for row in segments] for coder, segments in rows.items()
    }


def _annotator(annotation: Mapping[str, Any]) -> str | None:
    metadata = annotation.get("annotation_metadata")
    annotator = metadata.get("annotator") if isinstance(metadata, dict) else None
    name = annotator.get("name") if isinstance(annotator, dict) else None
    return name.strip() or None if isinstance(name, str) else None


def _rows(data: object, level_of_all: int | None) -> Iterator[SpanRow]:
    for i, segment in enumerate(check_list('[{"time": ..., "duration": ..., "value": ...}]', data, "data")):
        place, level = f"data[{i}]", level_of_all
        fields = check_object("an object with time, duration and value", segment, place)
        start, duration = (check_time(f"{place}: {name}", fields.get(name)) for name in ("time", "duration"))
        label = fields.get("value")
        if level is None:
            value = check_object("a value with label and level", label, place)
            level, label = check_whole(f"{place}: level", value.get("level"), 0), value.get("label")
        yield SpanRow(start, start + duration, level, check_label(f"{place}: label", label))


def _duration(reading: Reading, data: Mapping[str, Any], last: float) -> float | None:
    # If it differs from the end of the last segment only by a rounding error, return that end instead.
    metadata = data["file_metadata"]
    duration = reading.options["duration"]
    if duration is None and isinstance(metadata, dict) and metadata.get("duration") is not None:
        with reading.at_line(None):
            duration = check_time("file_metadata: duration", metadata["duration"])
    if duration is None:
        return None
    return last if abs(duration - last) <= reading.options["snap"] + ROUNDING else float(duration)


FORMAT = Format(
    name="jams",
    suffixes=(".jams",),
    other_suffixes=(".json",),
    description="JAMS, music: annotations in multi_segment, segment_salami_upper and _lower, or segment_open",
    read=_read,
    looks_like=lambda text: is_json_of(text, "file_metadata", _is_jams),
    options=(
        *NAME_OPTIONS,
        Option("namespace", None, choice(*_LEVELS), "kind of segments to read if a file has several"),
        DURATION,
        REPAIR,
        replace(SNAP, default=2e-6),
        BEYOND,
    ),
    annotation_types=(Hierarchy,),
)
