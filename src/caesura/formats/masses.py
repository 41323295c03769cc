"""Segment masses, in the two formats of segeval: JSON, ``{"items": {item: {coder: [2, 3, 6]}}}``, and tab-separated rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from caesura.errors import SegmentationError
from caesura.formats.columns import parse_table
from caesura.formats.content import cut_notes, describe_value, json_text
from caesura.formats.format import RAW, Format, Reading, Writing
from caesura.formats.totals import is_word_for_total
from caesura.formats.values import check_list, check_object, check_strings, json_entry
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.index import repeat
from caesura.model.segmentation import Segmentation
from caesura.model.value import MAX_UNITS
from caesura.options import Option, flag

_WHOLE = re.compile(r"[+-]?[0-9]{1,99}")


def _read_json(reading: Reading) -> Corpus:
    data = reading.json("masses")
    if not isinstance(data, dict) or not isinstance(data.get("items"), dict):
        raise reading.error(1, 'expected an object with "items": {item: {coder: [masses]}}')
    kind = data.get("segmentation_type", "linear")
    if kind != "linear":
        line = reading.line_of_key("segmentation_type")
        raise reading.error(line, f"segmentation_type must be linear; got {describe_value(kind)}")
    labels = _read_labels(reading, data) if reading.options["labels"] else {}
    if not labels and (segmentations := _valid_segmentations(data["items"])) is not None:
        reading.annotations.update(segmentations)
        return reading.corpus()
    for item, by_coder in data["items"].items():
        with json_entry(reading, f"item {item!r}: ", "items", item):
            for coder, masses in check_object("{coder: [masses]}", by_coder).items():
                with json_entry(reading, f"item {item!r}, coder {coder!r}: ", "items", item, coder):
                    coder_labels = labels.get(item, {}).get(coder)
                    masses = check_list("a list of masses", masses)
                    reading.add(item, coder, Segmentation.from_masses(masses, labels=coder_labels))
    return reading.corpus()


def _valid_segmentations(items: dict[str, Any]) -> dict[str, dict[str, Annotation]] | None:
    """Return the segmentations of all items, whose masses are checked together; None if any of them is invalid."""
    if not items or not all(type(by_coder) is dict and by_coder for by_coder in items.values()):
        return None
    lists = [masses for by_coder in items.values() for masses in by_coder.values()]
    if not all(type(masses) is list and masses for masses in lists):
        return None
    if set(map(type, chain.from_iterable(lists))) != {int}:
        return None
    if min(map(min, lists)) < 1 or max(map(max, lists)) > MAX_UNITS:
        return None
    ends = np.cumsum(np.fromiter(chain.from_iterable(lists), np.int64))
    last = np.cumsum(np.fromiter(map(len, lists), np.int64)) - 1
    lengths = np.diff(ends[last], prepend=0)
    if lengths.max() > MAX_UNITS:
        return None
    positions = ends - repeat(ends[last] - lengths, np.diff(last, prepend=-1))
    bounds = zip(lengths.tolist(), [0, *(last + 1).tolist()], last.tolist(), strict=False)
    segmentations = (Segmentation.from_valid_entries(n, positions[first:end]) for n, first, end in bounds)
    return {item: dict(zip(by_coder, segmentations, strict=False)) for item, by_coder in items.items()}


def _read_labels(reading: Reading, data: dict[str, Any]) -> dict[str, dict[str, tuple[str, ...]]]:
    items, by_item = data["items"], data.get("segment_labels")
    if by_item is None:
        return {}
    # The labels may have no item level: {coder: [labels]}.
    flat = isinstance(by_item, dict) and bool(by_item) and all(isinstance(value, list) for value in by_item.values())
    if not isinstance(by_item, dict) or (flat and len(items) != 1):
        got = f"{{coder: [labels]}} for {len(items)} items" if flat else describe_value(by_item)
        problem = f"segment_labels: expected {{item: {{coder: [labels]}}}}; got {got}"
        raise reading.error(reading.line_of_key("segment_labels"), problem)
    labels: dict[str, dict[str, tuple[str, ...]]] = {}
    for item, by_coder in (dict.fromkeys(items, by_item) if flat else by_item).items():
        keys = ["segment_labels"] if flat else ["segment_labels", item]
        place = f"segment_labels, item {item!r}"
        with json_entry(reading, f"{place}: ", *keys):
            for coder, names in check_object("{coder: [labels]}", by_coder).items():
                with json_entry(reading, f"{place}, coder {coder!r}: ", *keys, coder):
                    if not isinstance(items.get(item), dict) or coder not in items[item]:
                        raise SegmentationError("this item and coder have no masses")
                    labels.setdefault(item, {})[coder] = check_strings("labels", names)
    return labels


def _write_json(writing: Writing) -> str:
    """Return the JSON text, one line per item and coder, so that a diff of two files is easy to read."""
    masses: dict[str, dict[str, list[int]]] = {}
    labels: dict[str, dict[str, list[str]]] = {}
    for item, coder in writing.corpus:
        segmentation = writing.segmentation(item, coder, stores=("labels",))
        masses.setdefault(item, {})[coder] = list(segmentation.masses)
        if segmentation.labels is not None and writing.options["labels"]:
            starts = (0, *segmentation.inner.tolist())
            labels.setdefault(item, {})[coder] = [segmentation.labels[start] for start in starts]
    body = _json_block("items", masses) + (",\n" + _json_block("segment_labels", labels) if labels else "")
    return f'{{\n  "segmentation_type": "linear",\n{body}\n}}\n'


def _json_block(name: str, by_item: Mapping[str, Mapping[str, list[Any]]]) -> str:
    items = []
    for item, by_coder in by_item.items():
        coders = ",\n".join(f"      {json_text(coder)}: {json_text(values)}" for coder, values in by_coder.items())
        items.append(f"    {json_text(item)}: {{\n{coders}\n    }}")
    body = ",\n".join(items)
    return f'  "{name}": {{\n{body}\n  }}'


JSON = Format(
    name="masses-json",
    suffixes=(".json",),
    description="segment masses as JSON, {item: {coder: [masses]}}",
    read=_read_json,
    looks_like=lambda text: text.lstrip().startswith("{") and re.search(r'"items"\s*:', text) is not None,
    write=_write_json,
    options=(Option("labels", True, flag, "whether to read and write segment labels"),),
)


def _read_tsv(reading: Reading) -> Corpus:
    table = parse_table(reading, "\t")
    line, header = next(table, (1, [""]))
    column = 1 if header[0].strip().lower() == "item" else 0  # index of the coder column
    if [cell.strip().lower() for cell in header[column : column + 1]] != ["coder"]:
        raise reading.error(
            line, f"the header must begin with Coder, or Item and Coder; got {describe_value(header[0])}"
        )
    reading.notes += cut_notes(reading.text)
    for line, row in table:
        if row == header:
            raise reading.error(line, "the header must occur once; got it again; were two files joined?")
        with reading.item(line, f"coder {row[min(column, len(row) - 1)]!r}: "):
            if len(row) < column + 2:
                raise reading.error(line, f"expected a name and at least one mass; got {len(row)} cell(s)")
            coder = row[column]
            if is_word_for_total(coder or "".join(row[:column])):
                name = coder or row[0]
                raise reading.error(line, f"{name!r} may be a total and no coder; remove the row, or rename the coder")
            if column and not coder.strip():
                raise reading.error(line, "the name of the coder is missing")
            masses = [_mass(reading, line, i, cell) for i, cell in enumerate(row[column + 1 :], 1)]
            item = row[0] if column else reading.stem
            reading.add(item, coder, Segmentation.from_masses(masses), line)
    return reading.corpus()


def _mass(reading: Reading, line: int, i: int, cell: str) -> int:
    if _WHOLE.fullmatch(cell.strip()):  # int() alone would read 2_0 as 20
        return int(cell)
    raise reading.error(line, f"mass {i}: expected a whole number; got {cell[:40]!r}")


def _write_tsv(writing: Writing) -> str:
    """Return a segeval table if the file name is the item name; otherwise add a column Item."""
    has_items = writing.corpus.item_names != (writing.stem,)
    rows: list[list[object]] = [["Item", "Coder", "Masses"] if has_items else ["Coder", "Masses"]]
    for item, coder in writing.corpus:
        if is_word_for_total(coder) or (has_items and not coder.strip()):
            raise writing.error(f"a coder cannot be named {coder!r} in this format; write .json", item)
        rows.append([*([item] if has_items else []), coder, *writing.segmentation(item, coder).masses])
    return writing.table_text(rows, "\t")


def _looks_like_tsv(text: str) -> bool:
    """Return whether the header names the coder first and has no columns of other tables, such as start and end."""
    header = [cell.strip() for cell in text.split("\n", 1)[0].lower().split("\t")]
    others = {"start", "end", "start_time", "end_time", "time", "unit", "text", "boundary", "mark", "label", "score"}
    return (header[0] == "coder" or header[:2] == ["item", "coder"]) and not others & {*header}


TSV = Format(
    name="masses-tsv",
    suffixes=(".tsv",),
    description="segment masses as tab-separated rows, coder and masses",
    read=_read_tsv,
    looks_like=_looks_like_tsv,
    write=_write_tsv,
    options=(RAW,),
)
