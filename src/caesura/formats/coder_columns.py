"""Choose the columns of a table that contain the marks, boundary types or labels of coders.

The cells of a column decide whether it is a coder (:mod:`caesura.formats.marks`). If two choices are plausible, reading
stops with an error that names the option for each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caesura.errors import AmbiguousFileError, FormatError
from caesura.formats.column_names import COMMENTS, PERSON, normalize
from caesura.formats.columns import Column, Table
from caesura.formats.content import NUMBER
from caesura.formats.format import Reading
from caesura.formats.marks import (
    ABSENT,
    DENSE_NUMBERS,
    EMPTY,
    UNEVEN_NUMBERS,
    UNREPEATED,
    ZERO,
    Content,
    Groups,
    content_of,
    kind_of_cell,
    type_names,
    word_for_none,
)
from caesura.formats.roles import Roles
from caesura.formats.span_columns import possible_spans
from caesura.model.index import flatnonzero
from caesura.model.segmentation import check_types

# Shape of a column -> its description in the reading report.
DESCRIPTIONS = {
    "marks": "1/0 marks",
    "types": "boundary types",
    "labels": "segment labels",
    "numbers": "segment numbers",
    "tags": "tags of spans",
}
_BLANK = frozenset(("empty", "not coded"))  # reasons why a column without a filled cell fits no shape
_FLAG = re.compile(r"(is|has|was|had|contains)_(?!.*(bound|break|segment|split|topic|shift|start|end|mark|cut))")
_NUMBERED_CODER = re.compile(r"(coder|annotator|annotation|rater|observer|worker|judge|expert|kodierer)_?[a-z0-9]+")
_OTHER_CODER = re.compile(r"(gold|ref|hyp|truth|system|model|pred|auto|baseline|human|consensus|majority).*")


@dataclass
class CoderColumns:
    reading: Reading
    table: Table
    roles: Roles
    types: tuple[str, ...] | None = field(init=False)  # boundary types that the caller or the column ``types`` declares
    contents: dict[str, Content] = field(default_factory=dict)  # content of the columns that were examined
    groups: dict[tuple[str | None, ...], Groups] = field(default_factory=dict)  # rows grouped by the columns in the key

    def __post_init__(self) -> None:
        self.types = self.reading.types or self._declared_types()

    def content(self, name: str, groups: Groups) -> Content:
        if name not in self.contents:
            word = word_for_none(self.table.columns[name], groups)
            if word is not None:
                column = self.table.columns[name]
                cells = ["" if value.strip() == word else value for value in column.values]
                self.table.columns[name] = Column(name, cells, column.codes)
                self.reading.notes.append(f"{word} in {name} means that there is no boundary")
            content = content_of(self.table.columns[name], groups)
            self.contents[name] = self._with_declared_types(name, content)
        return self.contents[name]

    def _with_declared_types(self, name: str, content: Content) -> Content:
        """Return types if most filled cells contain types that the user declared; other cells are then errors."""
        if self.types is None:
            return content
        column = self.table.columns[name]
        declared, undeclared, first = _count_declared(column, {*self.types})
        if first is None:
            return Content("types")
        if "types" not in self.roles and declared < undeclared and content.shape in ("none", "labels", "numbers"):
            return content
        problem = f"type {first[:40]!r} is not declared; the declared types are {', '.join(map(repr, self.types))}"
        if first.startswith("["):
            problem = f'several types are written as a JSON list like ["scene", "act"]; got {first[:80]!r}'
        return Content("error", problem, column.first_row(column.values[column.stripped.index(first)]))

    def _declared_types(self) -> tuple[str, ...] | None:
        """Return the types in the column ``types``, which must be a JSON list in the first row."""
        if "types" not in self.roles:
            return None
        column = self.table.columns[self.roles.columns["types"]]
        filled = [i for i, value in enumerate(column.stripped) if value]
        rows = flatnonzero(np.isin(column.codes, filled))
        if not len(rows):
            return None
        line = int(self.table.lines[rows[-1]])
        if len(rows) > 1:
            raise self.reading.error(line, "types must be declared once, in the first row; got them again")
        cell = column.values[filled[0]]
        names = type_names(cell) if cell.startswith("[") else None
        if names is None:
            problem = f'types must be a JSON list of names like ["scene", "act"]; got {cell[:80]!r}'
            raise self.reading.error(line, problem)
        with self.reading.at_line(line):
            return check_types(names)

    def candidates(self) -> list[str]:
        return [name for name in self.roles.rest if normalize(name) not in (*PERSON, *COMMENTS)]

    def item_groups(self) -> Groups:
        names = (self.roles.columns.get("item"), self.roles.columns.get("stream"))
        if names not in self.groups:
            self.groups[names] = Groups.of(self.table, names)
        return self.groups[names]

    def wide_coders(self, groups: Groups) -> tuple[list[str], str]:
        names = self._possible_coders()
        by_shape: dict[str, list[str]] = {}
        contents = self._valid_contents(names, groups)
        for name in names:
            by_shape.setdefault(contents[name].shape, []).append(name)
        unfit = by_shape.pop("none", [])
        if self.roles.coders is not None and unfit:
            return self._declared_coders(groups, by_shape)
        if self.roles.coders is None and self.reading.options["shape"] is None:
            self._leave_out_flags(by_shape)
        self._adopt(by_shape, names, groups)
        if not by_shape:
            if "label" in self.roles:
                name, shape = self._label_column(groups)
                return [name], shape
            raise self.no_coder(groups)
        return self._one_shape(by_shape, groups)

    def _possible_coders(self) -> list[str]:
        if self.roles.coders is not None:
            return self.roles.coders
        marks = [self.roles.columns["mark"]] if "mark" in self.roles else []
        return marks + self.candidates()

    def _valid_contents(self, names: Iterable[str], groups: Groups) -> dict[str, Content]:
        contents = {name: self.content(name, groups) for name in names}
        for name, content in contents.items():
            if content.shape == "error":
                raise self._cell_error(name, content)
        return contents

    def _leave_out_flags(self, by_shape: dict[str, list[str]]) -> None:
        """Leave out columns of 0 and 1 that are other data; raise an error if it is not clear whether they are coders."""
        marks = by_shape.get("marks", [])
        flags = [name for name in marks if _FLAG.match(normalize(name)) and name not in self.roles.columns.values()]
        coders = [name for name in marks if name not in flags]
        if not coders:
            return
        for name in flags:
            self.contents[name] = Content("none", "0/1 flags")
        by_shape["marks"] = coders
        self._check_constant_marks(by_shape, coders)
        self._check_other_names(by_shape)

    def _check_constant_marks(self, by_shape: dict[str, list[str]], coders: Sequence[str]) -> None:
        """Leave out columns that are 1 in every row, or raise an error if only some columns are, or only in some items."""
        by_item = [name for name in coders if self.contents[name].by_item]
        if 0 < len(by_item) < len(coders):
            raise self._ask_for_coders(coders, by_item, "1 in every row of some items, and 0 in all other items")
        always = [name for name in coders if self.contents[name].always]
        if 0 < len(always) < len(coders):
            raise self._ask_for_coders(coders, always, "1 in every row")
        if always and not {"text", "unit", "mark"} & {*self.roles.columns}:
            self.contents |= {name: Content("none", "1 in every row") for name in always}
            del by_shape["marks"]

    def _check_other_names(self, by_shape: Mapping[str, list[str]]) -> None:
        """Raise an error for columns of marks that are not named like the numbered coders beside them."""
        coders = by_shape.get("marks", [])
        numbered = [name for name in coders if _NUMBERED_CODER.fullmatch(normalize(name))]
        unclear = [name for name in coders if name not in numbered and not _OTHER_CODER.fullmatch(normalize(name))]
        if len(numbered) > 1 and unclear and "mark" not in self.roles:
            raise self._ask_for_coders(coders, unclear, f"0 and 1, but not named like {numbered[0]}")

    def _ask_for_coders(self, coders: Sequence[str], unclear: Sequence[str], reason: str) -> AmbiguousFileError:
        single = len(unclear) == 1
        listed = f"{'column' if single else 'columns'} {', '.join(unclear[:8])}: the cells are {reason}"
        problem = f"{listed}; it is not clear whether {'this is a coder' if single else 'these are coders'}"
        others = [name for name in coders if name not in unclear]
        choices = [
            ("not a coder" if single else "not coders", {"fields": {"coders": others}}),
            ("a coder" if single else "coders", {"fields": {"coders": [*coders]}}),
        ]
        return AmbiguousFileError(self.reading.path, problem, choices)

    def _label_column(self, groups: Groups) -> tuple[str, str]:
        name = self.roles.columns["label"]
        if self.content(name, groups).shape == "tags":
            return name, "tags"
        named_by_user = "label" in (self.reading.options["fields"] or ())
        if self.content(name, groups).has_marks and not named_by_user and self.reading.options["shape"] is None:
            problem = f"the cells of {name!r} are marks or labels of segments"
            choices: list[tuple[str, dict[str, Any]]] = [
                ("marks, where 1 is a boundary after the unit", {"fields": {"mark": name}}),
                ("labels, with a boundary at every change", {"shape": "labels"}),
            ]
            raise AmbiguousFileError(self.reading.path, problem, choices)
        return name, "labels"

    def _declared_coders(self, groups: Groups, by_shape: Mapping[str, list[str]]) -> tuple[list[str], str]:
        """Return the coders that the user named, if some of their columns fit no shape on their own."""
        coders = self.roles.coders or []
        contents = {name: self.content(name, groups) for name in coders}
        reasons = {name: content.reason for name, content in contents.items() if content.shape == "none"}
        shape = _shape_of_unfit({*reasons.values()}, [*by_shape])
        if shape is not None:
            return coders, shape
        filled = {name: reason for name, reason in reasons.items() if reason not in _BLANK}
        if not filled:
            raise self._different_shapes(by_shape)
        name, reason = next(iter(filled.items()))
        problem = f"column {name!r}: expected marks, boundary types or labels; got {reason}"
        raise self.reading.error(None, f"{problem}; if the cells are boundary types, declare them (--types A,B)")

    def _cell_error(self, name: str, content: Content) -> FormatError:
        line = None if content.row is None else int(self.table.lines[content.row])
        hint = "correct the cell, declare boundary types with types, or leave the column out with fields"
        return self.reading.error(line, f"column {name!r}: {content.reason}; {hint}")

    def _adopt(self, by_shape: dict[str, list[str]], names: Sequence[str], groups: Groups) -> None:
        """Add columns that fit a shape only together with the others, such as a coder with one segment per item."""
        self._adopt_empty(by_shape, names)
        self._adopt_unrepeated(by_shape, names)
        self._adopt_numbers(by_shape, names)
        if "types" in by_shape and not any(self.contents[name].has_marks for name in by_shape.get("marks", ())):
            by_shape["types"] += by_shape.pop("marks", [])
        for shape in ("labels", "types"):
            if shape in by_shape:
                by_shape[shape] += self._with_same_cells(by_shape[shape], names, groups)
        for shape, listed in by_shape.items():
            chosen = {*listed}
            by_shape[shape] = [name for name in names if name in chosen]

    def _with_same_cells(self, coders: Sequence[str], names: Sequence[str], groups: Groups) -> list[str]:
        """Return the columns that fit no shape on their own, but have no other cells than those of some coders."""
        # A label that is missing in one cell is an error that the reader of labels reports.
        known = {"", *(value for name in coders for value in self.table.columns[name].stripped)}
        unfit = [name for name in names if self.content(name, groups).shape == "none"]
        filled = [name for name in unfit if self.contents[name].reason not in _BLANK]
        return [name for name in filled if known.issuperset(self.table.columns[name].stripped)]

    def _adopt_empty(self, by_shape: dict[str, list[str]], names: Sequence[str]) -> None:
        """Add empty columns as coders without a boundary; if the other columns write 0, it is not clear what they are."""
        empty = [name for name in names if self.contents[name].reason == "empty" and normalize(name) not in COMMENTS]
        if not empty or (not by_shape and "label" in self.roles):
            return
        if not {*by_shape} <= {"marks", "types"} or any(map(self._writes_zero, by_shape.get("marks", ()))):
            raise self._ask_for_empty(by_shape, names, empty)
        by_shape.setdefault("types" if {*by_shape} == {"types"} else "marks", []).extend(empty)

    def _writes_zero(self, name: str) -> bool:
        return ZERO in map(kind_of_cell, self.table.columns[name].values)

    def _ask_for_empty(
        self, by_shape: Mapping[str, list[str]], names: Sequence[str], empty: list[str]
    ) -> AmbiguousFileError:
        coders = [name for name in names if any(name in fitting for fitting in by_shape.values())]
        listed = f"{'columns' if len(empty) > 1 else 'column'} {', '.join(empty[:8])}"
        problem = f"{listed}: all cells are empty; it is not clear whether this is a coder without a boundary"
        choices = [
            ("not a coder", {"fields": {"coders": coders}}),
            ("a coder without a boundary", {"fields": {"coders": [*coders, *empty]}}),
        ]
        return AmbiguousFileError(self.reading.path, problem, choices)

    def _adopt_numbers(self, by_shape: dict[str, list[str]], names: Sequence[str]) -> None:
        """Add columns that number segments if those of the other coders do."""
        if "numbers" in by_shape:
            by_shape["numbers"] += [name for name in names if self.contents[name].reason == DENSE_NUMBERS]
            if all(self.contents[name].never_falls for name in by_shape.get("marks", ())):
                by_shape["numbers"] += by_shape.pop("marks", [])
            unclear = [name for name in names if self.contents[name].reason == UNEVEN_NUMBERS]
            if unclear and self.roles.coders is None:
                reason = "numbers in runs, as in the columns of segment numbers, but they fall or leave out a number"
                raise self._ask_for_coders([*by_shape["numbers"], *unclear], unclear, reason)

    def _adopt_unrepeated(self, by_shape: dict[str, list[str]], names: Sequence[str]) -> None:
        """Add columns of words that repeat only in other columns, if no column fits on its own."""
        single = [name for name in names if self.contents[name].reason == UNREPEATED]
        words = [value for name in single for value in self.table.columns[name].stripped if value]
        if not by_shape and len({*words}) < len(words):
            by_shape["types"] = single

    def _one_shape(self, by_shape: Mapping[str, list[str]], groups: Groups) -> tuple[list[str], str]:
        marks = by_shape.get("marks", [])
        if marks and "types" not in by_shape:
            self._check_marks(marks, groups)
            return marks, "marks"
        if len(by_shape) == 1:
            ((shape, names),) = by_shape.items()
            self._check_times(shape, names)
            self._check_tags(shape, names)
            return names, shape
        raise self._different_shapes(by_shape)

    def _different_shapes(self, by_shape: Mapping[str, list[str]]) -> AmbiguousFileError:
        problem = "the columns fit different shapes, so that it is not clear which of them are coders"
        choices = [
            (f"{DESCRIPTIONS[shape]} in {', '.join(names[:8])}", {"fields": {"coders": names}})
            for shape, names in by_shape.items()
        ]
        return AmbiguousFileError(self.reading.path, problem, choices)

    def _check_marks(self, names: Sequence[str], groups: Groups) -> None:
        """Raise an error if 0 and 1 may be marks or segment numbers, and the user has not said which."""
        contents = [self.content(name, groups) for name in names]
        may_be_numbers = all(content.never_falls for content in contents) and any(
            content.has_marks for content in contents
        )
        if not may_be_numbers or self.reading.options["shape"] is not None:
            return
        where = f"column{'s' if len(names) > 1 else ''} {', '.join(names[:8])}"
        problem = f"{where}: the cells are 0 and 1 and never fall within an item: they may be marks or segment numbers"
        choices: list[tuple[str, dict[str, Any]]] = [
            ("marks (1 is a boundary after the unit)", {"shape": "marks"}),
            ("segment numbers (a boundary where the number changes)", {"shape": "labels"}),
        ]
        raise AmbiguousFileError(self.reading.path, problem, choices)

    def _check_tags(self, shape: str, names: Sequence[str]) -> None:
        """Raise an error if columns of tags have different labels: they are different annotations of one coder."""
        if shape != "tags" or self.roles.coders is not None:
            return
        labels = [{cell[1:] for cell in self.table.columns[name].stripped if cell != "O"} for name in names]
        if any(not (labels[0] & other) for other in labels[1:]):
            problem = f"columns {', '.join(names[:8])} contain tags of spans with different labels"
            choices = [(f"the tags in {name}", {"fields": {"coders": [name]}}) for name in names[:8]]
            choices.append(("one coder per column", {"fields": {"coders": [*names]}}))
            raise AmbiguousFileError(self.reading.path, problem, choices)

    def _check_times(self, shape: str, names: Sequence[str]) -> None:
        """Raise an error if words that look like labels may be the items and coders of a table of times."""
        decimals = self._decimals()
        if (
            shape != "labels"
            or not decimals
            or self.roles.coders is not None
            or {"text", "unit"} & {*self.roles.columns}
        ):
            return
        problem = (
            f"{', '.join(names[:8])} may be labels of segments, or {', '.join(decimals[:8])} may be times of events"
        )
        choices: list[tuple[str, dict[str, Any]]] = [("labels, one row per unit", {"fields": {"coders": [*names]}})]
        choices += [(f"times in {name}, one row per event", {"fields": {"time": name}}) for name in decimals[:2]]
        raise AmbiguousFileError(self.reading.path, problem, choices)

    def _decimals(self) -> list[str]:
        return [name for name in self.candidates() if _has_decimals(self.table.columns[name])]

    def no_coder(self, groups: Groups) -> FormatError:
        if not self.candidates():
            columns = ", ".join(self.table.columns)
            return self.reading.error(1, f"expected one column per coder besides {columns}; got none")
        reasons = [
            f"{name} ({self.content(name, groups).reason or self.content(name, groups).shape})"
            for name in self.candidates()
        ]
        roles = [f"{column} ({role})" for role, column in self.roles.columns.items()]
        roles += [f"{name} (not used)" for name in self.roles.rest if name not in self.candidates()]
        columns = ", ".join([*roles, *reasons][:20]) or "none"
        problem = f"no column contains marks, boundary types or labels; the columns are {columns}"
        if spans := possible_spans(self.table, self.roles, self.candidates()):
            start, end = spans[0]
            hint = (
                f"if {start} and {end} are the start and the end of spans, say so with --fields start={start},end={end}"
            )
        elif decimals := self._decimals():
            hint = f"if {decimals[0]} contains times of events, say so with --fields time={decimals[0]}"
        else:
            hint = "name the coders with --fields coders=A+B, or declare the boundary types with --types A,B"
        return self.reading.error(1, f"{problem}; {hint}")

    def ignore_others(self, coders: Sequence[str]) -> None:
        used = {*coders}
        for name in (*self.roles.ignored, *self.roles.rest):
            if name not in used:
                content = self.contents.get(name)
                reason = content.reason or content.shape if content is not None else "not used"
                reason = "comments" if normalize(name) in COMMENTS else reason
                self.reading.ignored.append(f"{name} ({reason})")

    def value_column(self, groups: Groups) -> tuple[str, str]:
        if self.reading.options["shape"] == "labels" and "label" in self.roles:
            return self.roles.columns["label"], "labels"
        if "mark" in self.roles:
            return self._mark_column(groups)
        fitting = self._valid_contents(self.roles.coders or self.candidates(), groups)
        marks = {name: content for name, content in fitting.items() if content.shape in ("marks", "types")}
        if len(marks) == 1:
            ((name, content),) = marks.items()
            return self._checked_long(name, content.shape, content)
        if not marks and "label" in self.roles:
            return self._label_column(groups)
        return self._only_column(marks or fitting, groups)

    def _mark_column(self, groups: Groups) -> tuple[str, str]:
        name = self.roles.columns["mark"]
        content = self.content(name, groups)
        if content.shape in ("error", "none") and content.reason not in ("empty", "not coded"):
            raise self._cell_error(name, content)
        shape = "marks" if content.shape == "none" else content.shape
        return self._checked_long(name, shape, content)

    def _only_column(self, contents: Mapping[str, Content], groups: Groups) -> tuple[str, str]:
        fitting = {name: content for name, content in contents.items() if content.shape != "none"}
        if not fitting:
            raise self.no_coder(groups)
        if len(fitting) == 1:
            ((name, content),) = fitting.items()
            return name, content.shape
        choices = [
            (f"{DESCRIPTIONS[content.shape]} in {name}", {"fields": {"mark": name}})
            for name, content in fitting.items()
        ]
        raise AmbiguousFileError(self.reading.path, "several columns may contain the marks", choices)

    def _checked_long(self, name: str, shape: str, content: Content) -> tuple[str, str]:
        """Return the column and shape, unless 0 and 1 may be marks or segment numbers."""
        by_name = self.roles.columns.get("mark") == name
        unclear = content.never_falls and content.has_marks and self.reading.options["shape"] is None
        if shape == "marks" and unclear and not by_name:
            problem = f"the cells of {name!r} are 0 and 1 and never fall: they may be marks or segment numbers"
            choices: list[tuple[str, dict[str, Any]]] = [
                ("marks", {"shape": "marks"}),
                ("numbers of segments", {"fields": {"label": name}}),
            ]
            raise AmbiguousFileError(self.reading.path, problem, choices)
        return name, shape


def _count_declared(column: Column, types: set[str]) -> tuple[int, int, str | None]:
    """Return the number of cells with declared types and with other content, and the first of the latter."""
    declared, undeclared, first = 0, 0, None
    for value, number in zip(column.stripped, column.counts.tolist(), strict=True):
        names = type_names(value) if value else None
        if names and types.issuperset(names):
            declared += number
        elif kind_of_cell(value) not in (EMPTY, ZERO, ABSENT):
            undeclared, first = undeclared + number, first or value
    return declared, undeclared, first


def _shape_of_unfit(reasons: set[str], shapes: Sequence[str]) -> str | None:
    """Return the shape that columns can have beside columns of some shapes, by the reasons why they fit none alone."""
    if reasons <= _BLANK and len(shapes) <= 1:
        return shapes[0] if shapes else "marks"
    if reasons <= {DENSE_NUMBERS, UNEVEN_NUMBERS} and {*shapes} <= {"numbers"}:
        return "numbers"
    if all("constant" in reason for reason in reasons) and {*shapes} <= {"labels"}:
        return "labels"
    return None


def _has_decimals(column: Column) -> bool:
    return all(NUMBER.fullmatch(value) for value in column.stripped) and any("." in value for value in column.stripped)
