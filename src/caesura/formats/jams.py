"""JAMS, annotations of music as JSON: those of them that are segments.

    {"annotations": [{"namespace": "multi_segment", "annotation_metadata": {"annotator": {"name": "ann"}},
                      "data": [{"time": 0, "duration": 9.5, "value": {"label": "A", "level": 0}}]}],
     "file_metadata": {"duration": 9.5}}

Three kinds of annotation are read. ``multi_segment`` has a level in each value, counted from 0 as a rule and from 1 by some:
where one is 0, all go up by one. ``segment_salami_upper`` and ``segment_salami_lower`` are levels 1 and 2 of one annotator;
functions are no level and are not read. ``segment_open`` is a single level. A file that has several kinds is an error until
``namespace`` names one, ``multi_segment``, ``segment_salami`` or ``segment_open``. Other namespaces hold no segments.

The item is named by the file, a coder by the annotator's name; where it is missing, by a number, the first annotation of a
namespace being 1. What becomes of spans in time is said in ``lab``. A JAMS gives a time and a duration, and their sum is seldom
exactly the time at which the next begins: times of a coder within a microsecond are one, ``snap`` says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from caesura.errors import CaesuraError, FormatError, HierarchyError
from caesura.formats.format import Format, Reading, describe_value, parse_json
from caesura.formats.spans import (
    BEYOND,
    DURATION,
    REPAIR,
    SNAP,
    LeftOut,
    Row,
    add_timed,
    check_time,
    check_whole,
    choice,
    last_end,
)
from caesura.formats.symbols import CODER, ITEM
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.options import Option

__all__ = ["FORMAT"]

_LEVELS: dict[str, dict[str, int | None]] = {
    "multi_segment": {"multi_segment": None},
    "segment_salami": {"segment_salami_upper": 1, "segment_salami_lower": 2},
    "segment_open": {"segment_open": 1},
}
"""Kind -> its namespaces, each with its level; None where each segment has its own."""


def read(reading: Reading) -> Corpus:
    """A hierarchy in time for each annotator."""
    data = parse_json(reading.path, reading.text, "JAMS")
    if not _is_jams(data):
        raise reading.error(1, 'an object with "annotations": [...] and "file_metadata": {...} is needed')
    kind = _kind(reading, data["annotations"])
    item = reading.options["item"] or reading.stem
    by_coder = _by_coder(reading, item, data["annotations"], _LEVELS[kind])
    until = max(map(last_end, by_coder.values()), default=0.0)
    duration = _duration(reading, data, until)
    left_out = LeftOut(reading.path)
    for coder, rows in by_coder.items():
        add_timed(reading, rows, item, coder, duration=duration, until=until, left_out=left_out)
    left_out.warn()
    return reading.corpus()


def _is_jams(data: object) -> bool:
    return isinstance(data, dict) and isinstance(data.get("annotations"), list) and "file_metadata" in data


def _kind(reading: Reading, annotations: list[Any]) -> str:
    """The kind that was named, or the only one there is."""
    for i, one in enumerate(annotations):
        if not isinstance(one, dict) or not isinstance(one.get("namespace"), str):
            raise reading.error(
                None, f"annotations[{i}]: an object with a namespace is needed; got {describe_value(one)}"
            )
    there = dict.fromkeys(one["namespace"] for one in annotations)
    found = [kind for kind, names in _LEVELS.items() if any(name in there for name in names)]
    asked = reading.options["namespace"]
    if asked is not None:
        found = [kind for kind in found if kind == asked]
    if not found:
        wanted = asked or "multi_segment, segment_salami_upper, segment_salami_lower or segment_open"
        listed = ", ".join(name[:40] for name in [*there][:20]) or "none"
        raise reading.error(None, f"an annotation in the namespace {wanted} is needed; there are {listed}")
    if len(found) > 1:
        raise reading.error(None, f"there are several kinds of segments, name one by namespace=: {', '.join(found)}")
    return found[0]


def _by_coder(
    reading: Reading, item: str, annotations: list[Any], levels: Mapping[str, int | None]
) -> dict[str, list[Row]]:
    """Coder -> rows of all the levels; an annotation that is wrong takes its coder with it."""
    rows: dict[str, list[Row]] = {}
    seen: dict[str, list[str]] = {name: [] for name in levels}
    wrong = set()
    for i, one in enumerate(annotations):
        namespace = one["namespace"]
        if namespace not in levels:
            continue
        coder = reading.options["coder"] or _annotator(one) or str(len(seen[namespace]) + 1)
        with reading.item(None, f"item {item!r}, coder {coder!r}: annotations[{i}]: "):
            try:
                if coder in seen[namespace]:
                    raise HierarchyError(f"a coder has one annotation in {namespace}; this is another")
                rows.setdefault(coder, []).extend(_rows(one.get("data"), levels[namespace]))
            except CaesuraError:
                wrong.add(coder)
                raise
            finally:
                seen[namespace].append(coder)
    found = {coder: mine for coder, mine in rows.items() if coder not in wrong}
    if None in levels.values():
        from_0 = any(row.level == 0 for mine in found.values() for row in mine)
        found = {c: [row._replace(level=(row.level or 0) + from_0) for row in mine] for c, mine in found.items()}
    return found


def _annotator(one: Mapping[str, Any]) -> str | None:
    metadata = one.get("annotation_metadata")
    annotator = metadata.get("annotator") if isinstance(metadata, dict) else None
    name = annotator.get("name") if isinstance(annotator, dict) else None
    return name.strip() or None if isinstance(name, str) else None


def _rows(data: object, level: int | None) -> list[Row]:
    if not isinstance(data, list):
        raise HierarchyError(
            f'data: [{{"time": ..., "duration": ..., "value": ...}}] is needed; got {describe_value(data)}'
        )
    rows = []
    for i, one in enumerate(data):
        place = f"data[{i}]"
        if not isinstance(one, dict):
            raise HierarchyError(
                f"{place}: an object with time, duration and value is needed; got {describe_value(one)}"
            )
        start = check_time(f"{place}: time", one.get("time"))
        lasts = check_time(f"{place}: duration", one.get("duration"))
        label, deep = one.get("value"), level
        if level is None:
            if not isinstance(label, dict):
                raise HierarchyError(
                    f"{place}: value must be an object with label and level; got {describe_value(label)}"
                )
            deep = check_whole(f"{place}: level", label.get("level"), 0)
            label = label.get("label")
        if label is not None and not isinstance(label, str):
            raise HierarchyError(f"{place}: a label must be a string; got {describe_value(label)}")
        rows.append(Row(start, start + lasts, deep, label))
    return rows


def _duration(reading: Reading, data: Mapping[str, Any], until: float) -> float | None:
    """As the option or the file says; what differs from the last end by the rounding of a sum is that end."""
    metadata = data["file_metadata"]
    said = reading.options["duration"]
    if said is None and isinstance(metadata, dict) and metadata.get("duration") is not None:
        try:
            said = check_time("file_metadata: duration", metadata["duration"])
        except HierarchyError as problem:
            raise reading.error(None, str(problem)) from None
    if said is not None and abs(said - until) <= reading.options["snap"]:
        return until
    return None if said is None else float(said)


def _looks_like(text: str) -> bool:
    if not text.lstrip().startswith("{") or '"file_metadata"' not in text:
        return False
    try:
        return _is_jams(parse_json("", text, "JAMS"))
    except FormatError:
        return False


FORMAT = Format(
    name="jams",
    suffixes=(".jams",),
    other_suffixes=(".json",),
    description="JAMS, music: annotations in multi_segment, segment_salami_upper and _lower, or segment_open",
    read=read,
    looks_like=_looks_like,
    options=(
        ITEM,
        CODER,
        Option("namespace", None, choice(*_LEVELS), "which kind of segments, where a file has several"),
        DURATION,
        REPAIR,
        replace(SNAP, default=1e-6),
        BEYOND,
    ),
    annotation_types=(Hierarchy,),
)
