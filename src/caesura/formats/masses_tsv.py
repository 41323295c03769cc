"""Segment masses as tab-separated rows, the format of segeval: a header, then ``coder  2  3  6``.

segeval's file is one item, named by the file. With a first column ``Item`` a file holds several.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caesura.formats.format import Format, Reading, table_text
from caesura.formats.masses_json import plain
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation


def read(reading: Reading) -> Corpus:
    """A row a coder. Rows differ in length, as coders differ in the number of segments."""
    rows = csv.reader(io.StringIO(reading.text, newline=""), delimiter="\t", strict=True)
    try:
        header = next((row for row in rows if row), [""])
        named = 1 if header[0].strip().lower() == "item" else 0
        if [cell.strip().lower() for cell in header[named : named + 1]] != ["coder"]:
            raise reading.error(
                rows.line_num, f"the header must begin with Coder, or Item and Coder; got {header[0]!r}"
            )
        for row in rows:
            if not row:
                continue
            line = rows.line_num
            with reading.item(line, f"coder {row[min(named, len(row) - 1)]!r}: "):
                if len(row) < named + 2:
                    raise reading.error(line, f"a name and at least one mass are needed; got {len(row)} cell(s)")
                item, coder = row[0] if named else reading.stem, row[named]
                if coder in reading.annotations.get(item, {}):
                    raise reading.error(line, f"item {item!r} has coder {coder!r} twice")
                masses = [_mass(reading, line, i, cell) for i, cell in enumerate(row[named + 1 :])]
                reading.add(item, coder, Segmentation.from_masses(masses))
    except csv.Error as problem:
        raise reading.error(rows.line_num, f"not a valid table: {problem}") from None
    return reading.corpus()


def _mass(reading: Reading, line: int, i: int, cell: str) -> int:
    try:
        if len(cell) < 100:
            return int(cell)
    except ValueError:
        pass
    raise reading.error(line, f"mass {i + 1}: a whole number is needed; got {cell[:40]!r}")


def write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """segeval's own form where the file's name says the item, else with a column Item."""
    named = corpus.item_names != (Path(path).stem,)
    rows: list[list[object]] = [["Item", "Coder", "Masses"] if named else ["Coder", "Masses"]]
    for item, coder in corpus:
        one = plain(corpus[item, coder], path, item, coder)
        rows.append([*([item] if named else []), coder, *one.masses])
    return table_text(rows, "\t")


def _looks_like(text: str) -> bool:
    header = text.split("\n", 1)[0].lower().split("\t")
    return header[0].strip() == "coder" or [cell.strip() for cell in header[:2]] == ["item", "coder"]


FORMAT = Format(
    name="masses-tsv",
    suffixes=(".tsv",),
    description="segment masses as tab-separated rows, coder and masses",
    read=read,
    looks_like=_looks_like,
    write=write,
)
