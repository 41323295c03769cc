"""Segment masses as JSON, the format of segeval: ``{"items": {item: {coder: [2, 3, 6]}}}``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from caesura.errors import FormatError
from caesura.formats.format import Format, Reading, key_line, parse_json, shown
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.segmentation import UNTYPED, Segmentation

__all__ = ["FORMAT"]


def read(reading: Reading) -> Corpus:
    """Every item and coder; the line in an error is that of the coder's key."""
    data = parse_json(reading.path, reading.text, "masses")
    if not isinstance(data, dict) or not isinstance(data.get("items"), dict):
        raise reading.error(1, 'an object with "items": {item: {coder: [masses]}} is needed')
    kind = data.get("segmentation_type", "linear")
    if kind != "linear":
        raise reading.error(
            key_line(reading.text, "segmentation_type"), f"segmentation_type must be linear; got {shown(kind)}"
        )
    for item, by_coder in data["items"].items():
        if not isinstance(by_coder, dict):
            with reading.item(key_line(reading.text, "items", item)):
                raise reading.error(
                    key_line(reading.text, "items", item), f"item {item!r}: {{coder: [masses]}} is needed"
                )
            continue
        for coder, masses in by_coder.items():
            line = key_line(reading.text, "items", item, coder)
            with reading.item(line, f"item {item!r}, coder {coder!r}: "):
                if not isinstance(masses, list):
                    raise reading.error(
                        line, f"item {item!r}, coder {coder!r}: a list of masses is needed; got {shown(masses)}"
                    )
                reading.add(item, coder, Segmentation.from_masses(masses))
    return reading.corpus()


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """Indented by item and coder, a line each, so that differences can be read."""
    items = []
    for item in corpus.items:
        coders = ",\n".join(
            f"      {json.dumps(coder, ensure_ascii=False)}: {json.dumps(list(plain(one, path, item, coder).masses))}"
            for coder, one in corpus.of_item(item).items()
        )
        items.append(f"    {json.dumps(item, ensure_ascii=False)}: {{\n{coders}\n    }}")
    body = ",\n".join(items)
    return f'{{\n  "segmentation_type": "linear",\n  "items": {{\n{body}\n  }}\n}}\n'


def plain(one: Annotation, path: str, item: str, coder: str) -> Segmentation:
    """The segmentation, if masses and bits can hold it."""
    if isinstance(one, Dialogue):
        raise FormatError(
            path, None, f"item {item!r}, coder {coder!r}: this format cannot hold streams; write a .csv table"
        )
    lost = next(
        (
            what
            for what, there in (
                ("boundary types", one.types != UNTYPED),
                ("the text of the units", one.units is not None),
                ("segment labels", one.labels is not None),
            )
            if there
        ),
        None,
    )
    if lost is not None:
        raise FormatError(
            path, None, f"item {item!r}, coder {coder!r}: this format cannot hold {lost}; write a .csv table"
        )
    return one


FORMAT = Format(
    name="masses-json",
    suffixes=(".json",),
    says="segment masses as JSON, {item: {coder: [masses]}}",
    read=read,
    looks_like=lambda text: text.lstrip().startswith("{"),
    write=write,
)
