"""Segment masses as JSON, the format of segeval: ``{"items": {item: {coder: [2, 3, 6]}}}``.

The file may also have ``"segment_labels": {item: {coder: ["Scenery", "Event/Person", "Event"]}}``, one label per segment;
with a single item, ``{coder: [labels]}`` is enough.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from caesura.formats.format import Format, Reading, describe_value, line_of_key, parse_json, require_segmentation
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.options import Option, flag


def _read(reading: Reading) -> Corpus:
    """Return all items and coders; errors name the line of the coder's key."""
    data = parse_json(reading.path, reading.text, "masses")
    if not isinstance(data, dict) or not isinstance(data.get("items"), dict):
        raise reading.error(1, 'an object with "items": {item: {coder: [masses]}} is needed')
    kind = data.get("segmentation_type", "linear")
    if kind != "linear":
        line = line_of_key(reading.text, "segmentation_type")
        raise reading.error(line, f"segmentation_type must be linear; got {describe_value(kind)}")
    labels = _read_labels(reading, data) if reading.options["labels"] else {}
    for item, by_coder in data["items"].items():
        if not isinstance(by_coder, dict):
            line = line_of_key(reading.text, "items", item)
            with reading.item(line):
                raise reading.error(line, f"item {item!r}: {{coder: [masses]}} is needed")
            continue
        for coder, masses in by_coder.items():
            line, place = line_of_key(reading.text, "items", item, coder), f"item {item!r}, coder {coder!r}: "
            with reading.item(line, place):
                if not isinstance(masses, list):
                    raise reading.error(line, f"{place}a list of masses is needed; got {describe_value(masses)}")
                segmentation = Segmentation.from_masses(masses, labels=labels.get(item, {}).get(coder))
                reading.add(item, coder, segmentation)
    return reading.corpus()


def _read_labels(reading: Reading, data: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    """Return item -> coder -> labels."""
    by_item = data.get("segment_labels")
    if by_item is None:
        return {}
    items, line = data["items"], line_of_key(reading.text, "segment_labels")
    if not isinstance(by_item, dict):
        got = describe_value(by_item)
        raise reading.error(line, f"segment_labels: {{item: {{coder: [labels]}}}} is needed; got {got}")
    keys: tuple[str, ...] = ("segment_labels",)
    if by_item and all(isinstance(value, list) for value in by_item.values()):  # {coder: [labels]}
        if len(items) != 1:
            expected = f"with {len(items)} items {{item: {{coder: [labels]}}}} is needed"
            raise reading.error(line, f"segment_labels: {expected}; got {{coder: [labels]}}")
        (item,) = items
        return {item: _read_labels_of_item(reading, item, items[item], by_item, keys)}
    return {
        item: _read_labels_of_item(reading, item, items.get(item), by_coder, (*keys, item))
        for item, by_coder in by_item.items()
    }


def _read_labels_of_item(
    reading: Reading, item: str, masses: object, by_coder: object, keys: tuple[str, ...]
) -> dict[str, list[str]]:
    """Return coder -> labels, for coders who have masses."""
    result: dict[str, list[str]] = {}
    if not isinstance(by_coder, dict):
        line = line_of_key(reading.text, *keys)
        with reading.item(line):
            problem = f"{{coder: [labels]}} is needed; got {describe_value(by_coder)}"
            raise reading.error(line, f"segment_labels, item {item!r}: {problem}")
        return result
    for coder, labels in by_coder.items():
        line = line_of_key(reading.text, *keys, coder)
        place = f"segment_labels, item {item!r}, coder {coder!r}"
        with reading.item(line):
            if not isinstance(masses, dict) or coder not in masses:
                raise reading.error(line, f"{place}: this item and coder have no masses")
            if not isinstance(labels, list):
                raise reading.error(line, f"{place}: a list of labels is needed; got {describe_value(labels)}")
            for i, label in enumerate(labels, 1):
                if not isinstance(label, str):
                    raise reading.error(line, f"{place}, label {i}: a string is needed; got {describe_value(label)}")
            result[coder] = labels
    return result


def _write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """Return one line per item and coder, so that differences between files are easy to read."""
    masses: dict[str, dict[str, list[int]]] = {}
    labels: dict[str, dict[str, list[str]]] = {}
    for (item, coder), annotation in corpus.items():
        place = f"item {item!r}, coder {coder!r}"
        segmentation = require_segmentation(annotation, path, place, holds=("labels",))
        masses.setdefault(item, {})[coder] = list(segmentation.masses)
        if segmentation.labels is not None and options["labels"]:
            starts = (0, *segmentation.inner.tolist())
            labels.setdefault(item, {})[coder] = [segmentation.labels[start] for start in starts]
    body = _json_block("items", masses) + (",\n" + _json_block("segment_labels", labels) if labels else "")
    return f'{{\n  "segmentation_type": "linear",\n{body}\n}}\n'


def _json_block(name: str, by_item: Mapping[str, Mapping[str, list[Any]]]) -> str:
    items = []
    for item, by_coder in by_item.items():
        coders = ",\n".join(f"      {_json(coder)}: {_json(values)}" for coder, values in by_coder.items())
        items.append(f"    {_json(item)}: {{\n{coders}\n    }}")
    body = ",\n".join(items)
    return f'  "{name}": {{\n{body}\n  }}'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


FORMAT = Format(
    name="masses-json",
    suffixes=(".json",),
    description="segment masses as JSON, {item: {coder: [masses]}}",
    read=_read,
    looks_like=lambda text: text.lstrip().startswith("{"),
    write=_write,
    options=(Option("labels", True, flag, "whether to read and write segment labels"),),
)
