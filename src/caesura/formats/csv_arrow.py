"""Parse large delimited tables with pyarrow, many rows at a time (see ``columns.py``).

pyarrow is several times as fast as the module ``csv`` of the standard library. It gets only text that both read alike:
cells are quoted as a whole or not at all, contain no line break, and no row is empty. All other text is left to ``csv``, which
also reports the errors.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.formats import arrow
from caesura.formats.arrow import pa

# Number of characters that are parsed at a time, apart from the rest of the last line.
BLOCK_SIZE = 2**23
# Number of characters of a table from which on pyarrow is used; its import takes as long as parsing this much.
MIN_SIZE = 2**20
_MAX_WIDTH = 1000  # every column of a block takes time, even if it has few rows

# For each column, the distinct cells in order of appearance, and the index of the cell of each row.
Block = list[tuple[list[str], NDArray[np.int64]]]


def is_useful(size: int, width: int) -> bool:
    """Return whether pyarrow is installed and a table is so large that it saves time."""
    return size >= MIN_SIZE and 0 < width <= _MAX_WIDTH and _is_installed()


@cache
def _is_installed() -> bool:
    return find_spec("pyarrow") is not None


def parse_block(block: str, delimiter: str, width: int) -> Block | None:
    if not _is_plain(block, delimiter):
        return None
    from pyarrow import csv as arrow_csv

    names = [str(i) for i in range(width)]
    kind = pa.dictionary(pa.int32(), pa.string())
    try:
        data = block.encode()
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, quote_char='"' if '"' in block else False),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, kind), strings_can_be_null=False
            ),
        )
    except (pa.ArrowException, ValueError):  # such as a row with too many cells, or half a surrogate pair
        return None
    if table.num_rows != block.count("\n") + (not block.endswith("\n")):
        return None
    return [_cells(table.column(name)) for name in names]


def _cells(column: Any) -> tuple[list[str], NDArray[np.int64]]:
    cells = arrow.combined(column)
    return cells.dictionary.to_pylist(), arrow.to_int64(cells.indices)


def _is_plain(block: str, delimiter: str) -> bool:
    """Return whether both parsers read a block in the same way, unless a row has the wrong number of cells."""
    if block.startswith(("\n", "\r")) or "\n\n" in block or "\n\r" in block:
        return False
    if block.count("\r") != block.count("\r\n"):
        return False
    if _has_long_line(block, csv.field_size_limit()):
        return False
    return '"' not in block or '"' not in _quoted_cell(delimiter).sub("", block)


def _has_long_line(block: str, limit: int) -> bool:
    start = 0
    while len(block) - start > limit:
        end = block.rfind("\n", start, start + limit)
        if end < 0:
            return True
        start = end + 1
    return False


@cache
def _quoted_cell(delimiter: str) -> re.Pattern[str]:
    edge = re.escape(delimiter)
    return re.compile(rf'(?:^|(?<=[{edge}\n]))"(?:[^"\n\r]++|"")*+"(?=[{edge}\n\r]|\Z)')
