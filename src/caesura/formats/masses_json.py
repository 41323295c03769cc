"""Segment masses as JSON, the format of segeval: ``{"items": {item: {coder: [2, 3, 6]}}}``.

Beside it may stand ``"segment_labels": {item: {coder: ["Scenery", "Event/Person", "Event"]}}``, a label a segment; with
one item ``{coder: [labels]}`` will do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from caesura.errors import FormatError
from caesura.formats.format import Format, Reading, describe_value, line_of_key, parse_json
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import Option, flag


def read(reading: Reading) -> Corpus:
    """Every item and coder; the line in an error is that of the coder's key."""
    data = parse_json(reading.path, reading.text, "masses")
    if not isinstance(data, dict) or not isinstance(data.get("items"), dict):
        raise reading.error(1, 'an object with "items": {item: {coder: [masses]}} is needed')
    kind = data.get("segmentation_type", "linear")
    if kind != "linear":
        raise reading.error(
            line_of_key(reading.text, "segmentation_type"),
            f"segmentation_type must be linear; got {describe_value(kind)}",
        )
    labels = _labels(reading, data) if reading.options["labels"] else {}
    for item, by_coder in data["items"].items():
        if not isinstance(by_coder, dict):
            with reading.item(line_of_key(reading.text, "items", item)):
                raise reading.error(
                    line_of_key(reading.text, "items", item), f"item {item!r}: {{coder: [masses]}} is needed"
                )
            continue
        for coder, masses in by_coder.items():
            line = line_of_key(reading.text, "items", item, coder)
            with reading.item(line, f"item {item!r}, coder {coder!r}: "):
                if not isinstance(masses, list):
                    raise reading.error(
                        line,
                        f"item {item!r}, coder {coder!r}: a list of masses is needed; got {describe_value(masses)}",
                    )
                names = labels.get(item, {}).get(coder)
                reading.add(item, coder, Segmentation.from_masses(masses, labels=names))
    return reading.corpus()


def _labels(reading: Reading, data: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    """Item -> coder -> labels, for the masses that are there."""
    given = data.get("segment_labels")
    if given is None:
        return {}
    line = line_of_key(reading.text, "segment_labels")
    if not isinstance(given, dict):
        raise reading.error(
            line, f"segment_labels: {{item: {{coder: [labels]}}}} is needed; got {describe_value(given)}"
        )
    items = data["items"]
    of_coders = bool(given) and all(isinstance(one, list) for one in given.values())
    if of_coders and len(items) != 1:
        raise reading.error(
            line,
            f"segment_labels: with {len(items)} items {{item: {{coder: [labels]}}}} is needed; got {{coder: [labels]}}",
        )
    found: dict[str, dict[str, list[str]]] = {}
    for item, by_coder in ({next(iter(items)): given} if of_coders else given).items():
        keys = ("segment_labels",) if of_coders else ("segment_labels", item)
        line = line_of_key(reading.text, *keys)
        if not isinstance(by_coder, dict):
            with reading.item(line):
                raise reading.error(
                    line,
                    f"segment_labels, item {item!r}: {{coder: [labels]}} is needed; got {describe_value(by_coder)}",
                )
            continue
        for coder, labels in by_coder.items():
            line = line_of_key(reading.text, *keys, coder)
            place = f"segment_labels, item {item!r}, coder {coder!r}"
            with reading.item(line):
                masses = items.get(item)
                if not isinstance(masses, dict) or coder not in masses:
                    raise reading.error(line, f"{place}: there are no masses of this item and coder")
                if not isinstance(labels, list):
                    raise reading.error(line, f"{place}: a list of labels is needed; got {describe_value(labels)}")
                for i, label in enumerate(labels):
                    if not isinstance(label, str):
                        raise reading.error(
                            line, f"{place}, label {i + 1}: a string is needed; got {describe_value(label)}"
                        )
                found.setdefault(item, {})[coder] = labels
    return found


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """Indented by item and coder, a line each, so that differences can be read."""
    masses: dict[str, dict[str, list[int]]] = {}
    labels: dict[str, dict[str, list[str]]] = {}
    for item, coder in corpus:
        one = plain(corpus[item, coder], path, item, coder, labels=True)
        masses.setdefault(item, {})[coder] = list(one.masses)
        if one.labels is not None and options["labels"]:
            firsts = [one.labels[start] for start in (0, *one.inner.tolist())]
            labels.setdefault(item, {})[coder] = firsts
    body = _block("items", masses) + (",\n" + _block("segment_labels", labels) if labels else "")
    return f'{{\n  "segmentation_type": "linear",\n{body}\n}}\n'


def _block(name: str, by_item: Mapping[str, Mapping[str, list[Any]]]) -> str:
    items = []
    for item, by_coder in by_item.items():
        coders = ",\n".join(f"      {_json(coder)}: {_json(one)}" for coder, one in by_coder.items())
        items.append(f"    {_json(item)}: {{\n{coders}\n    }}")
    body = ",\n".join(items)
    return f'  "{name}": {{\n{body}\n  }}'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def plain(one: Annotation, path: str, item: str, coder: str, *, labels: bool = False) -> Segmentation:
    """The segmentation, if masses and bits can hold it; ``labels`` says whether the format holds those too."""
    place = f"item {item!r}, coder {coder!r}"
    if isinstance(one, Dialogue):
        raise FormatError(path, None, f"{place}: this format cannot hold streams; write a .csv table")
    if not isinstance(one, Segmentation):
        raise FormatError(
            path, None, f"{place}: this format cannot hold a {type(one).__name__}; write spans JSON or CSV"
        )
    for lost, there, way_out in (
        ("boundary types", one.types != UNTYPED, "write a .csv table"),
        ("the text of the units", one.units is not None, "write a .csv table"),
        (
            "segment labels",
            one.labels is not None and not labels,
            "write .json, or leave them out (convert --drop-labels)",
        ),
    ):
        if there:
            raise FormatError(path, None, f"{place}: this format cannot hold {lost}; {way_out}")
    return one


FORMAT = Format(
    name="masses-json",
    suffixes=(".json",),
    description="segment masses as JSON, {item: {coder: [masses]}}",
    read=read,
    looks_like=lambda text: text.lstrip().startswith("{"),
    write=write,
    options=(Option("labels", True, flag, "whether segment labels are read and written"),),
)
