"""Segment masses as JSON, the format of segeval: ``{"items": {item: {coder: [2, 3, 6]}}}``."""

from __future__ import annotations

import json
import re
from typing import Any

from caesura.errors import FormatError
from caesura.formats.format import Format, Reading
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.segmentation import UNTYPED, Segmentation

__all__ = ["FORMAT"]


def read(reading: Reading) -> Corpus:
    """Every item and coder; the line in an error is that of the coder's key."""
    data = _parse(reading)
    if not isinstance(data, dict) or not isinstance(data.get("items"), dict):
        raise reading.error(1, 'an object with "items": {item: {coder: [masses]}} is needed')
    kind = data.get("segmentation_type", "linear")
    if kind != "linear":
        raise reading.error(_line(reading.text, "segmentation_type"), f"segmentation_type must be linear; got {kind!r}")
    for item, by_coder in data["items"].items():
        if not isinstance(by_coder, dict):
            with reading.item(_line(reading.text, "items", item)):
                raise reading.error(_line(reading.text, "items", item), f"item {item!r}: {{coder: [masses]}} is needed")
            continue
        for coder, masses in by_coder.items():
            line = _line(reading.text, "items", item, coder)
            with reading.item(line, f"item {item!r}, coder {coder!r}: "):
                if not isinstance(masses, list):
                    raise reading.error(
                        line, f"item {item!r}, coder {coder!r}: a list of masses is needed; got {masses!r}"
                    )
                reading.add(item, coder, Segmentation.from_masses(masses))
    return reading.corpus()


def _parse(reading: Reading) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise reading.error(None, f"the key {key!r} stands twice in one object")
            found[key] = value
        return found

    try:
        return json.loads(reading.text, object_pairs_hook=unique)
    except json.JSONDecodeError as problem:
        raise reading.error(problem.lineno, f"not valid JSON: {problem.msg} at column {problem.colno}") from None
    except RecursionError:
        raise reading.error(1, "not valid masses: nested too deeply") from None
    except FormatError:
        raise
    except ValueError as problem:  # a number with more digits than Python converts
        raise reading.error(None, f"not valid JSON: {problem}") from None


def _line(text: str, *keys: str) -> int | None:
    """The line on which the last of these nested keys stands."""
    at = 0
    for key in keys:
        found = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(text, at)
        if found is None:
            return None
        at = found.end()
    return text.count("\n", 0, at) + 1


def write(corpus: Corpus, path: str) -> str:
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
