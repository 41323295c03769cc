"""Convert the cells of one coder to segmentations: marks, boundary types, or labels of segments.

A mark is a boundary after its unit, unless the option ``marks`` or the name of the column (``new_topic``, ``segment_start``)
says that it is at the first unit of a segment. If the first unit of every item is marked and the last one never is, both
readings are plausible, and the user must choose. One item is not enough for that; then a note says what was assumed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.errors import AmbiguousFileError
from caesura.formats.bio import spans_of_tags
from caesura.formats.coder_columns import CoderColumns
from caesura.formats.column_names import normalize
from caesura.formats.columns import Column
from caesura.formats.format import Reading
from caesura.formats.marks import ABSENT, EMPTY, MARK, OTHER, ZERO, Groups, kind_of_cell, type_names
from caesura.model.checks import UNTYPED, check_types, sort_types
from caesura.model.index import flatnonzero, reduceat, repeat, searchsorted
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.options import Option, choice, optional

# Option of all formats with marks.
MARKS = Option(
    "marks", None, optional(choice("start", "end")), "whether a 1 is at the first or the last unit of a segment"
)
# Possible readings, with their options.
CHOICES = (
    ("a 1 is at the first unit of a segment", {"marks": "start"}),
    ("a 1 is at the last unit of a segment", {"marks": "end"}),
)
_SEGMENT = "(?:topic|segment|seg|section|scene|story|paragraph|part|unit|chapter|event|edu|episode|block|iu)"
_START_NAME = re.compile(
    rf"(?:is_|has_)?(?:new_?{_SEGMENT}|{_SEGMENT}_?(?:starts?|begins?|beginning|initial|shift|onset)|(?:starts?|begins?)_?(?:of_)?{_SEGMENT})"
    "|is_(?:new|start|beginning|initial)|starts|begins"
)
_MIN_UNITS = 3
_MIN_ITEMS = 2


class Texts:
    def __init__(self, column: Column) -> None:
        self._values = np.array(column.values, object)
        self._codes = column.codes

    def texts(self, rows: NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(self._values[self._codes[rows]].tolist())

    def by_group(self, groups: Groups) -> Callable[[int], tuple[str, ...]]:
        texts = self._values[self._codes[groups.order]].tolist()
        bounds = groups.bounds.tolist()
        return lambda i: tuple(texts[bounds[i] : bounds[i + 1]])


class MarkColumn:
    def __init__(self, coders: CoderColumns, column: Column, typed: bool, at_start: bool = False) -> None:
        self._reading = coders.reading
        self._lines = coders.table.lines
        self._column = column
        self._types = coders.types
        self._declared = frozenset(coders.types or ())
        self.typed = typed
        self.at_start = at_start
        kinds = [kind_of_cell(value) for value in column.values]
        if typed:
            kinds = [
                OTHER if self._is_type(value, kind) else kind for value, kind in zip(column.values, kinds, strict=True)
            ]
        self._kinds = np.array(kinds, np.int8)
        self._writes_zero = bool(np.any(self._kinds == ZERO))
        self._names_by_code: dict[int, tuple[str, ...]] = {}

    def _is_type(self, value: str, kind: int) -> bool:
        """Return whether a cell with a word such as ``x`` is a type: if the type is declared, or it is a JSON list."""
        return kind not in (EMPTY, OTHER) and value.strip() in self._declared

    def segmentation(self, rows: NDArray[np.int64], units: tuple[str, ...] | None, place: str) -> Segmentation | None:
        if not self.typed:
            positions = self.positions(rows, place)
            return None if positions is None else Segmentation.from_positions(len(rows), positions, units=units)
        kinds = self._coded(rows, place)
        if kinds is None:
            return None
        marked = flatnonzero((kinds == OTHER) | (kinds == MARK))
        if self.at_start:
            marked = marked[marked > 0]
        return self.with_types(len(rows), marked + (not self.at_start), rows[marked], units)

    def with_types(
        self, length: int, positions: NDArray[np.int64], rows: NDArray[np.int64], units: tuple[str, ...] | None
    ) -> Segmentation:
        codes = self._column.codes[rows].tolist()
        names = {code: self._names(code) for code in sorted(set(codes))}
        if not all(len(types) == 1 and types[0] for types in names.values()):
            marks = [names[code] for code in codes]
            return Segmentation.from_positions(length, positions, marks=marks, types=self._types, units=units)
        declared = self._types is not None
        scale = sort_types({name for (name,) in names.values()}) if self._types is None else check_types(self._types)
        place = {code: scale.index(name) for code, (name,) in names.items()}
        types = np.array([place[code] for code in codes], np.int64)
        return Segmentation.from_valid_entries(
            length, positions, types, scale or UNTYPED, types_declared=declared, units=units
        )

    def positions(self, rows: NDArray[np.int64], place: str, *, last: bool = False) -> NDArray[np.int64] | None:
        kinds = self._coded(rows, place)
        if kinds is None:
            return None
        marked = flatnonzero(kinds == MARK)
        if self.at_start and not last:
            return marked[marked > 0]
        positions = marked + 1
        return positions if last or not len(positions) or positions[-1] < len(rows) else positions[:-1]

    def kinds_of(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        return self._kinds[self._column.codes[rows]]

    def states(
        self, kinds: NDArray[np.int8], is_edge: NDArray[np.bool_], starts: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        # A group is not coded if all its cells are NA, or if all are empty and the column writes 0 elsewhere. A coded group is
        # invalid if some cells are NA, or if it has 0 and an empty cell that is not at the edge.

        def some(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
            return reduceat(np.logical_or, cells, starts)

        absent = kinds == ABSENT
        coded, invalid = some(~absent), some(absent)
        if self._writes_zero:
            empty = kinds == EMPTY
            coded &= some(~empty)
            invalid |= some(empty & ~is_edge) & some(kinds == ZERO)
        return coded, invalid & coded

    def _coded(self, rows: NDArray[np.int64], place: str) -> NDArray[np.int8] | None:
        """Return the kinds of the cells; None if the coder did not code these rows, and an error if only half of them."""
        kinds = self.kinds_of(rows)
        is_edge = np.arange(len(rows)) == (0 if self.at_start else len(rows) - 1)
        ((coded,), (invalid,)) = self.states(kinds, is_edge, np.zeros(1, np.int64))
        if not coded:
            return None
        if not invalid:
            return kinds
        absent = kinds == ABSENT
        problem, wrong = "NA must be in all cells or in none", absent
        if not absent.any():
            problem = "the cell is empty, but other cells of this coder and item are 0; write 0, or NA in all cells"
            wrong = kinds == EMPTY
        raise self._reading.error(int(self._lines[rows[np.argmax(wrong)]]), f"{place}: {problem}")

    def _names(self, code: int) -> tuple[str, ...]:
        if code not in self._names_by_code:
            self._names_by_code[code] = self._read_names(code)
        return self._names_by_code[code]

    def _read_names(self, code: int) -> tuple[str, ...]:
        cell = self._column.stripped[code]
        names = type_names(cell)
        if names is None:
            problem = f'several types are written as a JSON list like ["scene", "act"]; got {cell[:80]!r}'
            raise self._reading.error(self._first_line(code), problem)
        for name in names:
            if self._types is not None and name not in self._declared:
                problem = f"type {name!r} is not declared; the declared types are {', '.join(map(repr, self._types))}"
                raise self._reading.error(self._first_line(code), problem)
        return tuple(names)

    def _first_line(self, code: int) -> int:
        return int(self._lines[np.argmax(self._column.codes == code)])


class MarkPositions:
    def __init__(self, column: MarkColumn, groups: Groups) -> None:
        self._column, self._groups = column, groups
        self._bounds = groups.bounds.tolist()
        kinds = column.kinds_of(groups.order)
        is_edge = np.zeros(len(kinds), bool)
        is_edge[groups.bounds[:-1] if column.at_start else groups.bounds[1:] - 1] = True
        coded, invalid = column.states(kinds, is_edge, groups.bounds[:-1])
        self.is_coded: list[bool] = coded.tolist()
        self.is_invalid: list[bool] = invalid.tolist()
        if column.typed:
            is_mark = (kinds == OTHER) | (kinds == MARK)
            marked = flatnonzero(is_mark & ~is_edge if column.at_start else is_mark)
            self._rows = groups.order[marked]
        else:
            marked = flatnonzero((kinds == MARK) & ~is_edge)
        offsets = searchsorted(marked, groups.bounds)
        self._positions = marked + int(not column.at_start) - repeat(groups.bounds[:-1], np.diff(offsets))
        self._offsets = offsets.tolist()

    def segmentation(self, i: int, units: tuple[str, ...] | None) -> Segmentation:
        length = self._bounds[i + 1] - self._bounds[i]
        marks = slice(self._offsets[i], self._offsets[i + 1])
        if self._column.typed:
            return self._column.with_types(length, self._positions[marks], self._rows[marks], units)
        return Segmentation.from_valid_entries(length, self._positions[marks], units=units)

    def raise_error(self, i: int, place: str) -> None:
        self._column.positions(self._groups.rows(i), place)

    def annotation(self, i: int, units: tuple[str, ...] | None, place: str) -> Segmentation | None:
        if self.is_invalid[i]:
            self.raise_error(i, place)
        return self.segmentation(i, units) if self.is_coded[i] else None


class TagColumn:
    """A column with tags of spans, such as ``B-PER`` and ``O``."""

    def __init__(self, coders: CoderColumns, column: Column, as_segments: bool) -> None:
        self._reading = coders.reading
        self._lines = coders.table.lines
        self._column = column
        self._as_segments = as_segments

    def segmentation(self, rows: NDArray[np.int64], units: tuple[str, ...] | None, place: str) -> Segmentation | Spans:
        values = self._column.stripped
        cells = [values[code] for code in self._column.codes[rows].tolist()]
        if self._as_segments:
            return Segmentation.from_starts([int(cell.startswith("B")) for cell in cells], units=units)
        return spans_of_tags(self._reading, cells, self._lines[rows].tolist(), units, place)


def are_segments(columns: Sequence[Column], groups: Groups) -> bool:
    """Return whether tags divide texts into segments: every text begins with B, and the tags are B and I, or B and O."""
    first = groups.order[groups.bounds[:-1]]
    for column in columns:
        labels = {cell[2:] for cell in column.stripped if cell != "O"}
        prefixes = "".join(sorted({cell[0] for cell in column.stripped}))
        begins = np.array([cell.startswith("B") for cell in column.stripped], bool)[column.codes[first]]
        if len(labels) != 1 or prefixes not in ("B", "BI", "BO") or not begins.all():
            return False
    return True


class LabelColumn:
    """A column with the label or number of the segment of each unit."""

    def __init__(self, coders: CoderColumns, column: Column) -> None:
        self._reading = coders.reading
        self._lines = coders.table.lines
        self._column = column
        self._absent = np.array([kind_of_cell(value) in (EMPTY, ABSENT) for value in column.values], bool)
        self._numbers = all(value.replace(".", "").isdigit() for value in column.stripped if value)
        # 1 and 1.0 are the same number.
        keys = column.stripped
        if self._numbers:
            keys = [value.rstrip("0").rstrip(".") if "." in value else value for value in keys]
        first: dict[str, int] = {}
        self._label_codes = np.array([first.setdefault(key, i) for i, key in enumerate(keys)], np.int64)

    def segmentation(self, rows: NDArray[np.int64], units: tuple[str, ...] | None, place: str) -> Segmentation | None:
        codes = self._column.codes[rows]
        absent = self._absent[codes]
        if absent.all():
            return None
        if absent.any():
            line = int(self._lines[rows[np.argmax(absent)]])
            raise self._reading.error(line, f"{place}: every unit must have a label; this cell has none")
        changes = flatnonzero(np.diff(self._label_codes[codes])) + 1
        if self._numbers:
            return Segmentation.from_positions(len(rows), changes, units=units)
        labels = tuple(map(self._column.stripped.__getitem__, codes.tolist()))
        return Segmentation.from_valid_entries(len(rows), changes, units=units, labels=labels)


def marks_at_start(
    reading: Reading, columns: Sequence[Column], groups: Groups, *, by_name: bool, typed: bool = False
) -> bool:
    option = reading.options.get("marks")
    if option is not None:
        return bool(option == "start")
    if by_name and all(_START_NAME.fullmatch(normalize(column.name)) for column in columns):
        names = ", ".join(column.name for column in columns)
        reading.notes.append(f"a mark in {names} is at the first unit of a segment (--reading marks=end changes this)")
        return True
    if typed and _are_lists(columns):
        return False  # a program wrote them
    texts, last_unit = _texts_that_begin_with_a_mark(columns, groups, (MARK, OTHER) if typed else (MARK,))
    if len(texts if typed else {item for item, _ in texts}) >= _MIN_ITEMS:
        mark = "a word" if typed else "a 1"
        problem = f"the first unit of every text is marked, and the last one never is: {mark} may be at the first or at"
        choices = [(text.replace("a 1", mark), options) for text, options in CHOICES]
        raise AmbiguousFileError(reading.path, f"{problem} the last unit of a segment", choices)
    if texts:
        reading.notes.append("a mark is a boundary after its unit (--reading marks=start if it is at the first unit)")
    elif last_unit:
        note = "some texts have a mark at the last unit, which is no boundary between segments"
        reading.notes.append(f"{note} (--reading marks=start if marks are at the first unit)")
    return False


def _are_lists(columns: Sequence[Column]) -> bool:
    return all(value.startswith("[") for column in columns for value in column.stripped if value)


def _texts_that_begin_with_a_mark(
    columns: Sequence[Column], groups: Groups, kinds: tuple[int, ...]
) -> tuple[set[tuple[str, str]], bool]:
    """Return the texts, by item and column or coder, if all of them begin with a mark and none ends with one."""
    # The set is empty if this is not the case. Texts without a mark, texts of one or two units, and texts in which all units
    # but the last are marked are not in it. The second value says whether some texts end with a mark and others do not.
    first, last = groups.order[groups.bounds[:-1]], groups.order[groups.bounds[1:] - 1]
    sizes = np.diff(groups.bounds)
    texts: set[tuple[str, str]] = set()
    begins, ends = [], []
    for column in columns:
        marked = np.array([kind_of_cell(value) in kinds for value in column.values], bool)[column.codes]
        has_mark = reduceat(np.logical_or, marked[groups.order], groups.bounds[:-1])
        begins.append(marked[first[has_mark]])
        ends.append(marked[last[has_mark & (sizes > 1)]])
        numbers = reduceat(np.add, marked[groups.order].astype(np.int64), groups.bounds[:-1])
        for i in flatnonzero(has_mark & (sizes >= _MIN_UNITS) & (numbers < sizes - 1)).tolist():
            item, *rest = groups.keys[i]
            texts.add((item, " ".join([column.name, *rest])))
    any_ends = any(map(np.any, ends))
    return (texts if all(map(np.all, begins)) and not any_ends else set()), any_ends and not all(map(np.all, ends))
