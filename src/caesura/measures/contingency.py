"""The contingency table of two annotations: the lengths that their classes of segments have in common, and sums over it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from caesura.kernels import classes as kernel
from caesura.measures.edges import Cells, EdgeBatch
from caesura.measures.old_base import divide
from caesura.model.index import argsort, bincount, flatnonzero, reduceat, repeat
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints

_MAX_TABLE = 1_000_000  # entries of a dense table
_SMALL_TABLE = 4096  # for one pair; batches have a table of at least this size


class _Table(NamedTuple):
    """The contingency table of all documents: lengths common to a class of either side, and the totals."""

    # Lengths, and the document of each.
    cells: tuple[Floats, Ints]  # common lengths
    rows: tuple[Floats, Ints]  # classes of the reference
    columns: tuple[Floats, Ints]  # classes of the hypothesis
    row: Ints  # the class of the reference of each common length
    column: Ints  # the class of the hypothesis
    total: Floats  # length of each document

    def sum(self, part: str, values: Floats) -> Floats:
        return _sum_by_document(values, getattr(self, part)[1], len(self.total))

    def products(self) -> list[Floats]:
        """Return the products of every two lengths: common ones of a row, of a column; of rows, and of columns."""
        sums = []
        for (length, document), group in (
            (self.cells, self.row),
            (self.cells, self.column),
            (self.rows, self.rows[1]),
            (self.columns, self.columns[1]),
        ):
            out, before = np.zeros(len(self.total)), np.zeros(int(group.max(initial=-1)) + 1)
            groups, documents = np.ascontiguousarray(group), np.ascontiguousarray(document)
            kernel.products_in_groups(np.ascontiguousarray(length), groups, documents, before, out)
            sums.append(out)
        return sums


def _table(cells: Cells, a_class: Ints | None, b_class: Ints | None) -> _Table:
    """Return the contingency table; without classes, every segment is a class."""
    width, document = cells.width, cells.document
    n = len(cells.off) - 1
    row, column = cells.a_seg, cells.b_seg
    if a_class is not None and b_class is not None:
        row, column = a_class[row], b_class[column]
        width, row, column, document = _join_classes(width, row, column, document)
    rows, columns = _margin(width, row, document), _margin(width, column, document)
    return _Table((width, document), rows, columns, row, column, _sum_by_document(width, document, n))


def _sum_by_document(values: Floats, document: Ints, documents: int) -> Floats:
    return bincount(document, values, documents)


def _margin(width: Floats, index: Ints, document: Ints) -> tuple[Floats, Ints]:
    size = int(index.max(initial=-1)) + 1
    of_class = np.zeros(size, np.int64)
    of_class[index] = document
    return bincount(index, width, size), of_class


def _join_classes(width: Floats, row: Ints, column: Ints, document: Ints) -> tuple[Floats, Ints, Ints, Ints]:
    """Return the common length of each pair of classes that meet, their numbers over all documents, and the document."""
    n = int(document.max(initial=-1)) + 1
    rows, columns = np.zeros(n, np.int64), np.zeros(n, np.int64)
    starts = flatnonzero(np.diff(document, prepend=-1))
    rows[document[starts]] = reduceat(np.maximum, row, starts) + 1
    columns[document[starts]] = reduceat(np.maximum, column, starts) + 1
    first = np.concatenate([[0], np.cumsum(rows * columns)])
    key = first[document] + row * columns[document] + column
    if first[-1] <= 4 * len(key) + 1000:  # most classes meet: count in a table
        table = bincount(key, width, int(first[-1]))
        key = flatnonzero(table)
        width, document = table[key], repeat(np.arange(n), rows * columns)[key]
    else:
        order = argsort(key, kind="stable")
        groups = flatnonzero(np.diff(key[order], prepend=-1))
        width = reduceat(np.add, width[order], groups)
        key, document = key[order[groups]], document[order[groups]]
    row, column = np.divmod(key - first[document], columns[document])
    first_row, first_column = (np.concatenate([[0], np.cumsum(sizes)])[document] for sizes in (rows, columns))
    return np.asarray(width, np.float64), row + first_row, column + first_column, document


class ClassSums(NamedTuple):
    """Sums over the contingency table of each document, one array per sum; or those of one document, as numbers."""

    # Squares of the common lengths, and of the lengths of the classes of the reference and of the hypothesis.
    cells: Any
    rows: Any
    columns: Any
    # Conditional entropies times the whole length, in bits: x log2(row / x) and x log2(column / x).
    cells_in_rows: Any
    cells_in_columns: Any
    # Entropies times the whole length.
    row_entropy: Any
    column_entropy: Any
    # Number of classes of either side.
    row_number: Any
    column_number: Any
    total: Any  # whole length
    # Only without entropies: products of every two different common lengths of the same class, and of the lengths of every two
    # classes.
    in_rows: Any
    in_columns: Any
    of_rows: Any
    of_columns: Any


def dense_sums(cells: Cells, a_class: Ints, b_class: Ints, *, entropies: bool) -> ClassSums | None:
    """Return the sums from one dense table per document; None if a document has too many classes for it."""
    rows, columns = int(a_class.max(initial=0)) + 1, int(b_class.max(initial=0)) + 1
    size = min(rows * columns, _MAX_TABLE, 4 * len(cells.width) + 4096)
    memory = np.empty(size), np.empty(rows), np.empty(columns)
    out = np.empty((len(cells.off) - 1, len(ClassSums.__annotations__)))
    segments = np.ascontiguousarray(cells.a_seg), np.ascontiguousarray(cells.b_seg)
    arrays = (*segments, np.ascontiguousarray(cells.off), np.ascontiguousarray(a_class), np.ascontiguousarray(b_class))
    if kernel.class_sums(np.ascontiguousarray(cells.width), *arrays, entropies, *memory, out) >= 0:
        return None
    return ClassSums(*out.T)


def sums_of_labels(batch: EdgeBatch, *, entropies: bool) -> ClassSums | None:
    """Return the sums if all cells count and labels are the classes; None if a document has too many for a dense table."""
    boundaries = int(batch.a_off[-1] - batch.a_off[0] + batch.b_off[-1] - batch.b_off[0])
    max_table = min(_MAX_TABLE, 4 * (boundaries + len(batch)) + _SMALL_TABLE)
    out = np.empty((len(batch), len(ClassSums.__annotations__)))
    a = batch.a_places, batch.a_off, batch.a_code, batch.a_last
    b = batch.b_places, batch.b_off, batch.b_code, batch.b_last
    fits = kernel.class_sums_of_batch(batch.begin, batch.end, *a, *b, entropies, max_table, out)
    return ClassSums(*out.T) if fits else None


def sums_of_tiers(a: Tier, b: Tier, *, entropies: bool) -> ClassSums | None:
    """Return the sums of one pair, as numbers, under the same conditions."""
    sums = kernel.class_sums_of_pair(a.packed_edges, b.packed_edges, entropies, _SMALL_TABLE)
    return None if sums is None else ClassSums(*sums)


def sparse_sums(cells: Cells, a_class: Ints | None, b_class: Ints | None, *, entropies: bool) -> ClassSums:
    """Return the sums from the classes that meet; logarithms are slow and computed only if they are needed."""
    table = _table(cells, a_class, b_class)
    (width, _), (rows, of_rows), (columns, of_columns), total = table.cells, table.rows, table.columns, table.total
    squares = table.sum("cells", width * width), table.sum("rows", rows * rows), table.sum("columns", columns * columns)
    none = np.zeros(len(total))
    if not entropies:
        return ClassSums(*squares, none, none, none, none, none, none, total, *table.products())
    return ClassSums(
        *squares,
        table.sum("cells", _bits(width, rows[table.row])),
        table.sum("cells", _bits(width, columns[table.column])),
        table.sum("rows", _bits(rows, total[of_rows])),
        table.sum("columns", _bits(columns, total[of_columns])),
        table.sum("rows", (rows > 0).astype(np.float64)),
        table.sum("columns", (columns > 0).astype(np.float64)),
        total,
        *(none, none, none, none),
    )


def _bits(x: Floats, whole: Floats) -> Floats:
    """Return x log2(whole / x), which is 0 for x = 0."""
    return x * np.log2(divide(whole, x, empty=1.0))
