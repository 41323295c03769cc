"""Decide whether a mark stands at the last unit of a segment or at the first unit of the next one.

A mark is a boundary after its unit, unless the option ``marks`` or the name of the column (``new_topic``, ``segment_start``)
says that it is at the first unit of a segment. If the first unit of every item is marked and the last one never is, both
readings are plausible, and the user must choose. One item is not enough for that; then a note says what was assumed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from caesura.errors import AmbiguousFileError
from caesura.formats.column_names import normalize
from caesura.formats.columns import Column
from caesura.formats.format import Reading
from caesura.formats.marks import MARK, OTHER, Groups, kind_of_cell
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
_PART = "(?:topic|segment|seg|section|scene|story|paragraph|part|unit|chapter|event|edu|episode|block|iu)"
_START = re.compile(
    rf"(?:is_|has_)?(?:new_?{_PART}|{_PART}_?(?:starts?|begins?|beginning|initial|shift|onset)|(?:starts?|begins?)_?(?:of_)?{_PART})"
    "|is_(?:new|start|beginning|initial)|starts|begins"
)
_MIN_UNITS = 3
_MIN_ITEMS = 2


def marks_at_start(
    reading: Reading, columns: Sequence[Column], groups: Groups, *, by_name: bool, typed: bool = False
) -> bool:
    option = reading.options.get("marks")
    if option is not None:
        return bool(option == "start")
    if by_name and all(_START.fullmatch(normalize(column.name)) for column in columns):
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
        has_mark = np.logical_or.reduceat(marked[groups.order], groups.bounds[:-1])
        begins.append(marked[first[has_mark]])
        ends.append(marked[last[has_mark & (sizes > 1)]])
        numbers = np.add.reduceat(marked[groups.order].astype(np.int64), groups.bounds[:-1])
        for i in np.flatnonzero(has_mark & (sizes >= _MIN_UNITS) & (numbers < sizes - 1)).tolist():
            item, *rest = groups.keys[i]
            texts.add((item, " ".join([column.name, *rest])))
    any_ends = any(map(np.any, ends))
    return (texts if all(map(np.all, begins)) and not any_ends else set()), any_ends and not all(map(np.all, ends))
