"""Segment masses as tab-separated rows, the format of segeval: a header, then ``coder  2  3  6``.

A file of segeval holds one item, which the file names. With a first column ``Item`` a file holds several.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caesura.formats.format import Format, Reading, parse_table, require_segmentation, table_text
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation


def _read(reading: Reading) -> Corpus:
    """Return the masses of each row. Rows differ in length, as coders differ in the number of segments."""
    table = parse_table(reading, "\t")
    line, header = next(table, (1, [""]))
    column = 1 if header[0].strip().lower() == "item" else 0  # of the coder
    if [cell.strip().lower() for cell in header[column : column + 1]] != ["coder"]:
        raise reading.error(line, f"the header must begin with Coder, or Item and Coder; got {header[0]!r}")
    for line, row in table:
        with reading.item(line, f"coder {row[min(column, len(row) - 1)]!r}: "):
            if len(row) < column + 2:
                raise reading.error(line, f"a name and at least one mass are needed; got {len(row)} cell(s)")
            masses = [_mass(reading, line, i, cell) for i, cell in enumerate(row[column + 1 :], 1)]
            item = row[0] if column else reading.stem
            reading.add(item, row[column], Segmentation.from_masses(masses), line)
    return reading.corpus()


def _mass(reading: Reading, line: int, i: int, cell: str) -> int:
    try:
        if len(cell) < 100:
            return int(cell)
    except ValueError:
        pass
    raise reading.error(line, f"mass {i}: a whole number is needed; got {cell[:40]!r}")


def _write(corpus: Corpus, path: str, options: Mapping[str, Any]) -> str:
    """Return the form of segeval if the name of the file is the item, else one with a column Item."""
    has_items = corpus.item_names != (Path(path).stem,)
    rows: list[list[object]] = [["Item", "Coder", "Masses"] if has_items else ["Coder", "Masses"]]
    for (item, coder), annotation in corpus.items():
        segmentation = require_segmentation(annotation, path, f"item {item!r}, coder {coder!r}")
        rows.append([*([item] if has_items else []), coder, *segmentation.masses])
    return table_text(rows, "\t")


def _looks_like(text: str) -> bool:
    header = text.split("\n", 1)[0].lower().split("\t")
    return header[0].strip() == "coder" or [cell.strip() for cell in header[:2]] == ["item", "coder"]


FORMAT = Format(
    name="masses-tsv",
    suffixes=(".tsv",),
    description="segment masses as tab-separated rows, coder and masses",
    read=_read,
    looks_like=_looks_like,
    write=_write,
)
