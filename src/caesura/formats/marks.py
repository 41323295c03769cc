"""Content of the columns of coders in a table: marks, boundary types, or labels of segments.

Every column is examined on its own, so that one odd column never changes how the others are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.formats.columns import Column, Table
from caesura.formats.content import NUMBER
from caesura.model.index import argsort, bincount, flatnonzero, searchsorted

YES = frozenset({"1", "true", "yes", "y", "x", "wahr", "ja", "vrai", "oui"})
NO = frozenset({"0", "false", "no", "n", "falsch", "nein", "faux", "non"})
MISSING = frozenset({"na", "nan", "none", "null", "n/a", "<na>"})
# Kinds of cells: empty, no boundary, boundary, not coded, anything else.
EMPTY, ZERO, MARK, ABSENT, OTHER = range(5)
# Largest number of boundary types that are recognised without being declared.
MAX_TYPES = 20
# Reason why a column is not a coder on its own, although it could be one together with others.
UNREPEATED = "words that do not repeat"
# Reason why a column is not a coder on its own, although it could be one beside other columns of segment numbers.
DENSE_NUMBERS = "numbers that rise at more than half of the units"
# Reason why a column is not a coder on its own, although it may be one beside other columns of segment numbers.
UNEVEN_NUMBERS = "numbers that are not marks; they fall or leave out a number"
_MAX_TYPE_LENGTH = 20  # characters
_MAX_LABEL_LENGTH = 60  # characters
_WIDE_DIGITS = str.maketrans("０１", "01")  # as Japanese and Chinese keyboards write them
_TAG = re.compile(r"O|[BIESLUM]-\S+")
_NOTHING = ("none", "-", "–", "—", "nb", "no boundary", "no_boundary", "keine")
_NEARLY = 0.8  # share of marks above which other cells are errors


def kind_of_cell(cell: str) -> int:
    word = cell.strip().lower().translate(_WIDE_DIGITS)
    if not word:
        return EMPTY
    if re.fullmatch(r"[01]\.0*", word):
        word = word[0]
    return MARK if word in YES else ZERO if word in NO else ABSENT if word in MISSING else OTHER


def type_names(cell: str) -> list[str] | None:
    """Return the boundary types in a cell: one type, or several as a JSON list."""
    if not cell.startswith("["):
        return [cell]
    try:
        names = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return names if isinstance(names, list) and names and all(isinstance(name, str) for name in names) else None


@dataclass(frozen=True)
class Groups:
    """Rows of a table that belong together, such as the rows of an item, in the order of the table."""

    keys: list[tuple[str, ...]]  # cells of the grouping columns, in order of appearance
    order: NDArray[np.int64]  # rows sorted by group
    bounds: NDArray[np.int64]  # group ``i`` consists of the rows ``order[bounds[i]:bounds[i + 1]]``

    @classmethod
    def of(cls, table: Table, names: Sequence[str | None]) -> Groups:
        group = np.zeros(len(table), np.int64)
        for name in names:
            if name is not None:
                column = table.columns[name]
                group = group * max(len(column.values), 1) + column.codes
                if name != names[0]:  # the product of many columns could be too large
                    _, group = np.unique(group, return_inverse=True)
        if np.all(group[1:] >= group[:-1]):  # each group is one stretch of rows
            first = flatnonzero(np.diff(group, prepend=-1))
            bounds = np.append(first, len(group))
            return cls(_keys(table, names, first), np.arange(len(group)), bounds)
        distinct, first, sizes = np.unique(group, return_index=True, return_counts=True)
        appearance = argsort(first, kind="stable")
        rank = np.empty(len(distinct), np.int64)
        rank[appearance] = np.arange(len(distinct))
        bounds = np.concatenate([[0], np.cumsum(sizes[appearance])]).astype(np.int64)
        order = argsort(rank[searchsorted(distinct, group)], kind="stable")
        return cls(_keys(table, names, first[appearance]), order, bounds)

    def rows(self, i: int) -> NDArray[np.int64]:
        return self.order[self.bounds[i] : self.bounds[i + 1]]

    def inner(self) -> NDArray[np.bool_]:
        """Return, for each pair of neighbouring rows in ``order``, whether both belong to the same group."""
        inside = np.ones(max(len(self.order) - 1, 0), bool)
        inside[self.bounds[1:-1] - 1] = False
        return inside


def _keys(table: Table, names: Sequence[str | None], rows: NDArray[np.int64]) -> list[tuple[str, ...]]:
    columns = [None if name is None else table.columns[name] for name in names]
    cells = [
        [""] * len(rows) if column is None else [column.values[code] for code in column.codes[rows].tolist()]
        for column in columns
    ]
    return list(zip(*cells, strict=True))


@dataclass(frozen=True)
class Content:
    # ``"marks"``, ``"types"``, ``"labels"``, ``"numbers"`` (of segments), ``"tags"`` (such as ``B-PER``), ``"error"`` or
    # ``"none"``.
    shape: str
    reason: str = ""  # why the column is not a coder, or what is wrong with it
    row: int | None = None  # row of the cell that is wrong
    # Whether the cells are 0 and 1 throughout and never fall within an item, as segment numbers would.
    never_falls: bool = False
    has_marks: bool = False  # whether at least one cell is a mark
    always: bool = False  # whether every cell is a mark
    by_item: bool = False  # whether some texts have a mark at every unit, and all others have none


def content_of(column: Column, groups: Groups) -> Content:
    kinds = np.array([kind_of_cell(value) for value in column.values], np.int8)
    numbers = bincount(kinds, weights=column.counts, minlength=5) if len(kinds) else np.zeros(5)
    if not numbers[ZERO] + numbers[MARK] + numbers[OTHER]:
        return Content("none", "empty" if numbers[EMPTY] else "not coded")
    if not numbers[OTHER]:
        return _marks(column, groups, numbers)
    if are_tags(column.stripped):
        return Content("tags")
    if _only_lists(column, kinds):
        return Content("types")
    mixed = _mixed(column, kinds, numbers, groups) if numbers[MARK] + numbers[ZERO] else None
    return mixed or _words(column, kinds, numbers, groups)


def word_for_none(column: Column, groups: Groups) -> str | None:
    """Return the word or sign for no boundary in a column of boundary types, such as ``none`` or ``-``."""
    words = [value for value in column.stripped if value.lower() in _NOTHING]
    others = [value for value in column.stripped if value.lower() not in _NOTHING]
    if len(words) != 1 or not 0 < len(others) <= MAX_TYPES or not all(map(_is_like_a_type, others)):
        return None
    return words[0] if _is_for_none(words[0], column, groups) else None


def _is_for_none(word: str, column: Column, groups: Groups) -> bool:
    """Return whether a word is in at least half of the cells, and equal cells with other words rarely follow each other."""
    is_none = np.array([value == word for value in column.stripped], bool)[column.codes[groups.order]]
    number = int(np.count_nonzero(~is_none))
    repeated = int(np.count_nonzero(~is_none[1:] & groups.inner() & ~_changes(column, groups)))
    return 2 * number <= len(is_none) and 5 * repeated <= number


def _is_like_a_type(value: str) -> bool:
    return kind_of_cell(value) == OTHER and len(value) <= _MAX_TYPE_LENGTH


def _marks(column: Column, groups: Groups, numbers: NDArray[Any]) -> Content:
    always = bool(numbers[MARK] == numbers.sum() > 1)
    if numbers[EMPTY] or numbers[ABSENT] or any(not re.fullmatch(r"[01](\.0*)?", value) for value in column.stripped):
        return Content("marks", has_marks=bool(numbers[MARK]), always=always)
    never_falls = not np.any(_steps(column, groups) < 0)
    has_marks = bool(numbers[MARK])
    by_item = has_marks and bool(numbers[ZERO]) and _is_constant_by_item(column, groups)
    return Content("marks", never_falls=never_falls, has_marks=has_marks, always=always, by_item=by_item)


def _is_constant_by_item(column: Column, groups: Groups) -> bool:
    """Return whether the cells of each text are the same, and a text of three or more units has a mark everywhere."""
    if len(groups.keys) < 2 or np.any(_changes(column, groups)):
        return False
    marked = np.array([kind_of_cell(value) == MARK for value in column.values], bool)
    long = np.diff(groups.bounds) > 2
    return bool(np.any(marked[column.codes[groups.order[groups.bounds[:-1]]]] & long))


def _mixed(column: Column, kinds: NDArray[np.int8], numbers: NDArray[Any], groups: Groups) -> Content | None:
    """Return the content of a column with marks and other cells; None if it may still be types or labels."""
    total = numbers.sum()
    numeric = _are_numbers(_other_cells(column, kinds))
    if numeric and not numbers[EMPTY]:
        numbering = _segment_numbers(column, groups)
        if numbering is not None or not numbers[ZERO]:
            return numbering or _other_numbers(column, groups)
    if not numbers[MARK] and _fits_types(column, kinds, numbers):
        return Content("types")
    if numbers[ZERO] + numbers[MARK] + numbers[EMPTY] >= _NEARLY * total:
        return _invalid_mark(column, kinds)
    if numeric:
        return _other_numbers(column, groups)
    return None


def _other_cells(column: Column, kinds: NDArray[np.int8]) -> list[str]:
    return [value for value, kind in zip(column.stripped, kinds, strict=True) if kind == OTHER]


def _are_numbers(cells: Iterable[str]) -> bool:
    return all(map(NUMBER.fullmatch, cells))


def _invalid_mark(column: Column, kinds: NDArray[np.int8]) -> Content:
    value = next(value for value, kind in zip(column.values, kinds, strict=True) if kind == OTHER)
    return Content("error", f"expected 0/1, true/false, yes/no or x; got {value[:40]!r}", column.first_row(value))


def _words(column: Column, kinds: NDArray[np.int8], numbers: NDArray[Any], groups: Groups) -> Content:
    if _are_numbers(_other_cells(column, kinds)):
        numbering = None if numbers[EMPTY] or numbers[ABSENT] else _segment_numbers(column, groups)
        return numbering or _other_numbers(column, groups)
    if numbers[EMPTY] + numbers[ZERO]:
        return _types(column, kinds, numbers)
    return _labels(column, groups)


def _types(column: Column, kinds: NDArray[np.int8], numbers: NDArray[Any]) -> Content:
    if _fits_types(column, kinds, numbers):
        return Content("types")
    damaged = next(
        (value for value in column.values if value.strip()[:1] == "[" and not type_names(value.strip())), None
    )
    if damaged is not None and numbers[EMPTY] + numbers[ZERO] >= _NEARLY * numbers.sum():
        problem = f'several types are written as a JSON list like ["scene", "act"]; got {damaged[:80]!r}'
        return Content("error", problem, column.first_row(damaged))
    if _fits_types(column, kinds, numbers, may_be_single=True):
        return Content("none", UNREPEATED)
    return Content("none", "free text")


def _fits_types(column: Column, kinds: NDArray[np.int8], numbers: NDArray[Any], *, may_be_single: bool = False) -> bool:
    """Return whether at most 20 short types repeat or are symbols, and half of the coded cells are empty or 0."""
    cells = _other_cells(column, kinds)
    types = _distinct_types(cells)
    if types is None:
        return False
    short = len(types) <= MAX_TYPES and all(len(name) <= _MAX_TYPE_LENGTH for name in types)
    symbols = not any(map(str.isalnum, "".join(types)))
    repeats = may_be_single or symbols or numbers[OTHER] > len(cells)
    sparse = 2 * (numbers[EMPTY] + numbers[ZERO]) >= numbers.sum() - numbers[ABSENT]
    return bool(short and repeats and sparse)


def _distinct_types(cells: Iterable[str]) -> set[str] | None:
    """Return the types in some cells; None if a cell is a damaged list of types."""
    types: set[str] = set()
    for cell in cells:
        names = type_names(cell)
        if names is None:
            return None
        types.update(names)
    return types


def _only_lists(column: Column, kinds: NDArray[np.int8]) -> bool:
    cells = [value for value, kind in zip(column.stripped, kinds, strict=True) if kind in (OTHER, MARK)]
    return all(value.startswith("[") and type_names(value) is not None for value in cells)


def are_tags(cells: Sequence[str]) -> bool:
    """Return whether cells are tags of spans such as ``B-PER``, ``I-PER`` and ``O``, or ``B``, ``I`` and ``O``."""
    if all(cell in ("B", "I", "O") for cell in cells):
        return {"B", "I"} <= {*cells}
    return all(_TAG.fullmatch(cell) for cell in cells) and any(cell[0] in "BSU" for cell in cells)


def _labels(column: Column, groups: Groups) -> Content:
    if any(len(value) > _MAX_LABEL_LENGTH for value in column.stripped):
        return Content("none", "free text")
    inner = groups.inner()
    changes = int(np.count_nonzero(_changes(column, groups)))
    if not changes:
        return Content("none", "constant within every item")
    if 2 * changes > np.count_nonzero(inner):
        return Content("none", "cells that change from row to row")
    return Content("labels")


def _segment_numbers(column: Column, groups: Groups) -> Content | None:
    """Return the content if the cells number the segments: they never fall within an item and go up by one."""
    # Numbers that go up at most units may number something else. Numbers that go up at every unit number the units.
    if not all(re.fullmatch(r"[0-9]{1,9}(\.0*)?", value) for value in column.stripped):
        return None
    steps = _steps(column, groups)
    if np.any(steps < 0) or np.any(steps > 1) or not np.any(steps) or np.all(steps):
        return None
    return Content("none", DENSE_NUMBERS) if 2 * np.count_nonzero(steps) > len(steps) else Content("numbers")


def _other_numbers(column: Column, groups: Groups) -> Content:
    if all(re.fullmatch(r"[0-9]{1,9}(\.0*)?", value) for value in column.stripped):
        changes = np.count_nonzero(_steps(column, groups))
        if 0 < 2 * changes <= np.count_nonzero(groups.inner()):
            return Content("none", UNEVEN_NUMBERS)
    return Content("none", "numbers that are not marks")


def _steps(column: Column, groups: Groups) -> NDArray[np.float64]:
    numbers = np.array([float(value) if NUMBER.fullmatch(value) else np.nan for value in column.stripped])
    ordered = numbers[column.codes[groups.order]]
    return np.diff(ordered)[groups.inner()]


def _changes(column: Column, groups: Groups) -> NDArray[np.bool_]:
    ordered = column.codes[groups.order]
    return np.asarray((ordered[1:] != ordered[:-1]) & groups.inner())
