"""Segment masses as JSON, the format of segeval: ``{"items": {item: {coder: [2, 3, 6]}}}``.

The file may also have ``"segment_labels": {item: {coder: ["Scenery", "Event/Person", "Event"]}}``, one label per segment;
with a single item, ``{coder: [labels]}`` is enough.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from caesura.errors import SegmentationError
from caesura.formats.format import Format, Reading, describe_value, line_of_key, parse_json, require_segmentation
from caesura.formats.values import check_list, check_object
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
        with reading.item(line_of_key(reading.text, "items", item), f"item {item!r}: "):
            for coder, masses in check_object("{coder: [masses]}", by_coder).items():
                line = line_of_key(reading.text, "items", item, coder)
                with reading.item(line, f"item {item!r}, coder {coder!r}: "):
                    coder_labels = labels.get(item, {}).get(coder)
                    masses = check_list("a list of masses", masses)
                    reading.add(item, coder, Segmentation.from_masses(masses, labels=coder_labels))
    return reading.corpus()


def _read_labels(reading: Reading, data: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    """Return item -> coder -> labels."""
    items, by_item = data["items"], data.get("segment_labels")
    if by_item is None:
        return {}
    flat = _is_flat(by_item)
    if not isinstance(by_item, dict) or (flat and len(items) != 1):
        got = f"{{coder: [labels]}} for {len(items)} items" if flat else describe_value(by_item)
        problem = f"segment_labels: {{item: {{coder: [labels]}}}} is needed; got {got}"
        raise reading.error(line_of_key(reading.text, "segment_labels"), problem)
    labels: dict[str, dict[str, list[str]]] = {}
    for item, by_coder in (dict.fromkeys(items, by_item) if flat else by_item).items():
        keys = ["segment_labels"] if flat else ["segment_labels", item]
        place = f"segment_labels, item {item!r}"
        with reading.item(line_of_key(reading.text, *keys), f"{place}: "):
            for coder, names in check_object("{coder: [labels]}", by_coder).items():
                with reading.item(line_of_key(reading.text, *keys, coder), f"{place}, coder {coder!r}: "):
                    labels.setdefault(item, {})[coder] = _check_labels(items.get(item), coder, names)
    return labels


def _is_flat(by_item: object) -> bool:
    """Return whether labels are written without the item: ``{coder: [labels]}``."""
    return isinstance(by_item, dict) and bool(by_item) and all(isinstance(value, list) for value in by_item.values())


def _check_labels(masses: object, coder: str, labels: object) -> list[str]:
    if not isinstance(masses, dict) or coder not in masses:
        raise SegmentationError("this item and coder have no masses")
    names = check_list("a list of labels", labels)
    for i, name in enumerate(names, 1):
        if not isinstance(name, str):
            raise SegmentationError(f"label {i}: a string is needed; got {describe_value(name)}")
    return names


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
