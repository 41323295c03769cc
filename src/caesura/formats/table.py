"""The table reader, for CSV, TSV, Excel and Parquet files and for data frames.

A table has one row per unit and one column per coder::

    item,unit,text,ann,bo
    poem,1,In Xanadu,,
    poem,2,did Kubla Khan,1,
    poem,3,a stately,,1

A cell contains the boundary after the unit: 0/1, true/false, yes/no, x or nothing in any case, or a boundary type; several
types are a JSON list (``["scene", "act"]``). If all cells of a coder in an item are ``NA``, the coder did not code this
item. Other shapes are recognised by the names and the cells of the columns:

- long marks: one row per item, coder and unit, with the columns ``coder`` and ``boundary``;
- labels: the cells are the labels or numbers of segments, which stay the same from unit to unit;
- segments: one row per segment, with the columns ``start`` and ``end`` (:mod:`caesura.formats.spans_csv`);
- events: one row per event, with the columns ``coder`` and ``time``;
- scores: one row per position between units, with a column ``score``.

The columns ``item``, ``stream``, ``unit``, ``text`` and ``types`` are optional; :mod:`caesura.formats.roles` lists other
names for them. The first row of ``types`` is a JSON list that declares the boundary types in ordinal order. If a table has
a column ``stream``, each item is a dialogue, and the rows of each stream form one text. If the cells fit several shapes, the
reader raises an :class:`~caesura.errors.AmbiguousFileError` that names the option for each of them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import AmbiguousFileError, FormatError
from caesura.formats import spans_csv
from caesura.formats.columns import Column, Table, find_delimiter, from_excel, from_parquet, parse_delimited
from caesura.formats.counts import counts_error
from caesura.formats.documents_parquet import is_documents
from caesura.formats.events import ALL_CODERS, LENGTHS, read_events
from caesura.formats.format import NUMBER, Format, Reading
from caesura.formats.marks import (
    ABSENT,
    EMPTY,
    MARK,
    OTHER,
    UNREPEATED,
    ZERO,
    Content,
    Groups,
    content_of,
    kind_of_cell,
    type_names,
)
from caesura.formats.roles import (
    COMMENTS,
    FIELDS,
    PERSON,
    RESERVED,
    Roles,
    assign_roles,
    describe_roles,
    normalize,
    whole_numbers,
)
from caesura.formats.spans import ANNOTATION_TYPES
from caesura.formats.unit_table import share_types, write_parquet, write_text
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue
from caesura.model.segmentation import Segmentation, check_types
from caesura.options import Option, choice, flag, optional, text

_SAMPLE = 10_000  # characters
_SAMPLE_ROWS = 20
_DATA_WORDS = ("0", "1", "0_0", "1_0", "true", "false")  # in the first row, they are data rather than names
_FLAG = re.compile(r"(is|has|was|had|contains)_(?!.*(bound|break|segment|split|topic|shift|start|end|mark|cut))")
_NUMBERED_CODER = re.compile(r"(coder|annotator|annotation|rater|observer|worker|judge|expert|kodierer)_?[a-z0-9]+")
_OTHER_CODER = re.compile(r"(gold|ref|hyp|truth|system|model|pred|auto|baseline|human|consensus|majority).*")
_MAX_CHOICES = 6
_UNIT_ROLES = ("item", "stream", "coder", "unit", "text", "types")  # roles that a table of units uses
_SHAPES = ("marks", "labels", "segments", "events", "scores")
_DESCRIPTIONS = {
    "marks": "1/0 marks",
    "types": "boundary types",
    "labels": "segment labels",
    "numbers": "segment numbers",
}


def read_table(reading: Reading, table: Table) -> Corpus:
    """Return the corpus of a table.

    Parameters
    ----------
    reading : Reading
        File that is being read, with the options of this module.
    table : Table
        Its cells.

    Returns
    -------
    Corpus
        The annotations.

    Raises
    ------
    FormatError
        If the table has no column for a coder, or a cell is invalid.
    AmbiguousFileError
        If the table can be read in several ways.
    """
    reading.ignored += table.ignored
    reading.notes += table.notes
    if not table.columns or not len(table):
        raise reading.error(1, "the table has no rows" if table.columns else "the table has no columns")
    roles = assign_roles(reading, table, reading.options["fields"])
    if (error := counts_error(reading, table, roles)) is not None:
        raise error
    reader = _TableReader(reading, table, roles)
    if reading.text:
        reader.check_header()
    return reader.read()


@dataclass
class _TableReader:
    """Reads one table."""

    reading: Reading
    table: Table
    roles: Roles
    types: tuple[str, ...] | None = None
    contents: dict[str, Content] = field(default_factory=dict)
    groups: dict[tuple[str | None, ...], Groups] = field(default_factory=dict)

    def check_header(self) -> None:
        """Raise an error if the first row looks like data instead of names."""
        if self.roles.columns or self.roles.coders or self.reading.options["header"] is not None:
            return
        if any(normalize(name) in _DATA_WORDS or NUMBER.fullmatch(name) for name in self.table.columns):
            names = ", ".join(self.table.columns)[:80]
            problem = f"the first row must contain the names of the columns; got {names}"
            raise self.reading.error(1, f"{problem}; add them, or read with header=no and name the columns with fields")

    def read(self) -> Corpus:
        self.types = self.reading.types or self._declared_types()
        shape = self.reading.options["shape"] or self._shape()
        return {
            "marks": self._read_marks,
            "labels": self._read_labels,
            "segments": self._read_segments,
            "events": self._read_events,
            "scores": self._read_scores,
        }[shape]()

    def _declared_types(self) -> tuple[str, ...] | None:
        """Return the types in the column ``types``, which must be a JSON list in the first row."""
        if "types" not in self.roles:
            return None
        column = self.table.columns[self.roles.columns["types"]]
        filled = [i for i, value in enumerate(column.stripped) if value]
        rows = np.flatnonzero(np.isin(column.codes, filled))
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

    # -- which shape -------------------------------------------------------------------------------------------------

    def _shape(self) -> str:
        """Return the shape of the table by the roles of its columns."""
        roles = self.roles
        if (named := self._named_shape()) is not None:
            return named
        if roles.coders is not None or self._has_wide_marks():
            return "scores" if self._rows_are_positions() and roles.coders is None else "marks"
        if "start" in roles and "end" in roles:
            return "segments"
        if self._rows_are_positions():
            return "scores"
        if "mark" in roles:
            self._person_is_coder()
            return "marks"
        if "time" in roles:
            self._person_is_coder()
            return "events"
        return "labels" if "label" in roles and "coder" in roles else "marks"

    def _named_shape(self) -> str | None:
        """Return the shape if the option ``fields`` names the columns of times; None otherwise."""
        fields = self.reading.options["fields"] or {}
        if "time" in fields:
            self._person_is_coder()
            return "events"
        return "segments" if "start" in fields and "end" in self.roles else None

    def _rows_are_positions(self) -> bool:
        """Return whether a table of scores has one row per position between units, rather than one per unit."""
        return "score" in self.roles and "text" not in self.roles

    def _person_is_coder(self) -> None:
        """Take the column ``participant`` or ``subject`` as the coder if no other column is."""
        name = next((name for name in self.roles.rest if normalize(name) in PERSON), None)
        if name is not None:
            role = "stream" if "coder" in self.roles else "coder"
            if role not in self.roles:
                self.roles.columns[role] = name
                self.roles.rest.remove(name)

    def _has_wide_marks(self) -> bool:
        """Return whether a column without a role contains marks, and no column names the coder."""
        if "coder" in self.roles:
            return False
        groups = self._item_groups()
        contents = [self._content(name, groups) for name in self._candidates()]
        return any(content.shape in ("marks", "error") and not content.always for content in contents)

    def _candidates(self) -> list[str]:
        return [name for name in self.roles.rest if normalize(name) not in (*PERSON, *COMMENTS)]

    def _item_groups(self) -> Groups:
        names = (self.roles.columns.get("item"), self.roles.columns.get("stream"))
        if names not in self.groups:
            self.groups[names] = Groups.of(self.table, names)
        return self.groups[names]

    def _content(self, name: str, groups: Groups) -> Content:
        if name not in self.contents:
            content = content_of(self.table.columns[name], groups)
            self.contents[name] = self._with_declared_types(name, content)
        return self.contents[name]

    def _with_declared_types(self, name: str, content: Content) -> Content:
        """Return types if most filled cells contain types that the user declared; other cells are then errors."""
        if self.types is None:
            return content
        column = self.table.columns[name]
        declared, undeclared, first = 0, 0, None
        for value, number in zip(column.stripped, column.counts.tolist(), strict=True):
            names = type_names(value) if value else []
            if names is not None and names and set(names) <= {*self.types}:
                declared += number
            elif kind_of_cell(value) not in (EMPTY, ZERO, ABSENT):
                undeclared, first = undeclared + number, first or value
        if first is None:
            return Content("types")
        if "types" not in self.roles and declared < undeclared and content.shape in ("none", "labels", "numbers"):
            return content
        problem = f"type {first[:40]!r} is not declared; the declared types are {', '.join(map(repr, self.types))}"
        if first.startswith("["):
            problem = f'several types are written as a JSON list like ["scene", "act"]; got {first[:80]!r}'
        return Content("error", problem, column.first_row(column.values[column.stripped.index(first)]))

    # -- marks and labels --------------------------------------------------------------------------------------------

    def _read_marks(self) -> Corpus:
        if "coder" in self.roles:
            return self._read_long()
        groups = self._item_groups()
        self._check_order(groups)
        coders, shape = self._wide_coders(groups)
        describe_roles(self.reading, self.roles, {_DESCRIPTIONS[shape]: coders}, _UNIT_ROLES)
        self._ignore_others(coders)
        typed = shape == "types"
        return self._build(groups, {name: self._coder_name(name) for name in coders}, shape, typed)

    def _read_labels(self) -> Corpus:
        if "coder" in self.roles:
            return self._read_long()
        groups = self._item_groups()
        self._check_order(groups)
        coders = self.roles.coders
        if coders is None:
            coders = [self.roles.columns["label"]] if "label" in self.roles else []
            fitting = ("labels", "numbers", "marks")
            coders += [name for name in self._candidates() if self._content(name, groups).shape in fitting]
        if not coders:
            raise self._no_coder(groups)
        describe_roles(self.reading, self.roles, {_DESCRIPTIONS["labels"]: coders}, _UNIT_ROLES)
        self._ignore_others(coders)
        return self._build(groups, {name: self._coder_name(name) for name in coders}, "labels", False)

    def _coder_name(self, column: str) -> str:
        """Return the name of a coder: a column that only says what its cells are has the name of the file."""
        if column in (self.roles.columns.get("mark"), self.roles.columns.get("label")):
            return self.reading.stem
        return column

    def _wide_coders(self, groups: Groups) -> tuple[list[str], str]:
        """Return the columns of the coders and their shape; raise an error if several shapes fit."""
        names = self.roles.coders if self.roles.coders is not None else self._candidates()
        if self.roles.coders is None and "mark" in self.roles:
            names = [self.roles.columns["mark"], *names]
        by_shape: dict[str, list[str]] = {}
        for name in names:
            content = self._content(name, groups)
            if content.shape == "error":
                raise self._cell_error(name, content)
            by_shape.setdefault(content.shape, []).append(name)
        unfit = by_shape.pop("none", [])
        if self.roles.coders is not None and unfit:
            return self._declared_coders(groups, by_shape)
        if self.roles.coders is None and self.reading.options["shape"] is None:
            self._leave_out_flags(by_shape)
        self._adopt(by_shape, names, groups)
        if not by_shape:
            if "label" in self.roles:
                return [self._label_column(groups)], "labels"
            raise self._no_coder(groups)
        return self._one_shape(by_shape, groups)

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
        """Leave out columns that are 1 in every row, or raise an error if only some columns are."""
        always = [name for name in coders if self.contents[name].always]
        if always and len(always) < len(coders):
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
        one = len(unclear) == 1
        listed = f"{'column' if one else 'columns'} {', '.join(unclear[:8])}: the cells are {reason}"
        problem = f"{listed}; it is not clear whether {'this is a coder' if one else 'these are coders'}"
        others = [name for name in coders if name not in unclear]
        choices = [
            ("not a coder" if one else "not coders", {"fields": {"coders": others}}),
            ("a coder" if one else "coders", {"fields": {"coders": [*coders]}}),
        ]
        return AmbiguousFileError(self.reading.path, problem, choices)

    def _label_column(self, groups: Groups) -> str:
        """Return the column with the role label; cells of 0 and 1 may be marks instead."""
        name = self.roles.columns["label"]
        named_by_user = "label" in (self.reading.options["fields"] or ())
        if self._content(name, groups).has_marks and not named_by_user and self.reading.options["shape"] is None:
            problem = f"the cells of {name!r} are marks or labels of segments"
            choices: list[tuple[str, dict[str, Any]]] = [
                ("marks, where 1 is a boundary after the unit", {"fields": {"mark": name}}),
                ("labels, with a boundary at every change", {"shape": "labels"}),
            ]
            raise AmbiguousFileError(self.reading.path, problem, choices)
        return name

    def _declared_coders(self, groups: Groups, by_shape: Mapping[str, list[str]]) -> tuple[list[str], str]:
        """Return the coders that the user named, if some of their columns fit no shape on their own."""
        coders = self.roles.coders or []
        unfit = {name: self._content(name, groups) for name in coders if self._content(name, groups).shape == "none"}
        blank = ("empty", "not coded")
        if all(content.reason in blank for content in unfit.values()) and len(by_shape) <= 1:
            return coders, next(iter(by_shape), "marks")
        if all("constant" in content.reason for content in unfit.values()) and {*by_shape} <= {"labels"}:
            return coders, "labels"
        name, content = next((name, content) for name, content in unfit.items() if content.reason not in blank)
        problem = f"column {name!r}: expected marks, boundary types or labels; got {content.reason}"
        raise self.reading.error(None, f"{problem}; if the cells are boundary types, declare them (--types A,B)")

    def _cell_error(self, name: str, content: Content) -> FormatError:
        line = None if content.row is None else int(self.table.lines[content.row])
        hint = "correct the cell, declare boundary types with types, or leave the column out with fields"
        return self.reading.error(line, f"column {name!r}: {content.reason}; {hint}")

    def _adopt(self, by_shape: dict[str, list[str]], names: Sequence[str], groups: Groups) -> None:
        """Add columns that fit a shape only together with the others, such as a coder with one segment per item."""
        self._adopt_empty(by_shape, names)
        self._adopt_unrepeated(by_shape, names)
        if "numbers" in by_shape and all(self.contents[name].never_falls for name in by_shape.get("marks", ())):
            by_shape["numbers"] += by_shape.pop("marks", [])
        if "types" in by_shape and not any(self.contents[name].has_marks for name in by_shape.get("marks", ())):
            by_shape["types"] += by_shape.pop("marks", [])
        for shape in ("labels", "types"):
            if shape in by_shape:
                known = {value for name in by_shape[shape] for value in self.table.columns[name].stripped}
                for name in names:
                    content = self._content(name, groups)
                    fits = content.shape == "none" and content.reason not in ("empty", "not coded", "free text")
                    if fits and known.issuperset(self.table.columns[name].stripped):
                        by_shape[shape].append(name)
        for shape, listed in by_shape.items():
            chosen = {*listed}
            by_shape[shape] = [name for name in names if name in chosen]

    def _adopt_empty(self, by_shape: dict[str, list[str]], names: Sequence[str]) -> None:
        """Add empty columns as coders without a boundary; if the other columns write 0, it is not clear what they are."""
        empty = [name for name in names if self.contents[name].reason == "empty" and normalize(name) not in COMMENTS]
        if not empty or (not by_shape and "label" in self.roles):
            return
        marks = by_shape.get("marks", [])
        writes_zero = any(ZERO in map(kind_of_cell, self.table.columns[name].values) for name in marks)
        if writes_zero or not {*by_shape} <= {"marks", "types"}:
            problem = (
                f"the column{'s' if len(empty) > 1 else ''} {', '.join(empty[:8])} may be empty or without a boundary"
            )
            coders = [name for name in names if any(name in listed for listed in by_shape.values())]
            choices = [
                ("not a coder", {"fields": {"coders": coders}}),
                ("a coder without a boundary", {"fields": {"coders": [*coders, *empty]}}),
            ]
            raise AmbiguousFileError(self.reading.path, problem, choices)
        by_shape.setdefault("types" if "types" in by_shape and not marks else "marks", []).extend(empty)

    def _adopt_unrepeated(self, by_shape: dict[str, list[str]], names: Sequence[str]) -> None:
        """Add columns of words that repeat only in other columns, if no column fits on its own."""
        single = [name for name in names if self.contents[name].reason == UNREPEATED]
        words = [value for name in single for value in self.table.columns[name].stripped if value]
        if not by_shape and len({*words}) < len(words):
            by_shape["types"] = single

    def _one_shape(self, by_shape: Mapping[str, list[str]], groups: Groups) -> tuple[list[str], str]:
        marks = by_shape.get("marks", [])
        if marks and "types" not in by_shape:
            contents = [self._content(name, groups) for name in marks]
            if all(content.never_falls for content in contents) and any(content.has_marks for content in contents):
                where = f"column{'s' if len(marks) > 1 else ''} {', '.join(marks[:8])}"
                problem = f"{where}: the cells are 0 and 1 and never fall within an item"
                problem += ": they may be marks or segment numbers"
                choices: list[tuple[str, dict[str, Any]]] = [
                    ("marks (1 is a boundary after the unit)", {"shape": "marks"}),
                    ("segment numbers (a boundary where the number changes)", {"shape": "labels"}),
                ]
                if self.reading.options["shape"] is None:
                    raise AmbiguousFileError(self.reading.path, problem, choices)
            return marks, "marks"
        if len(by_shape) == 1:
            ((shape, names),) = by_shape.items()
            self._check_times(shape, names)
            return names, shape
        problem = "the columns fit different shapes, so that it is not clear which of them are coders"
        choices = [
            (f"{_DESCRIPTIONS[shape]} in {', '.join(names[:8])}", {"fields": {"coders": names}})
            for shape, names in by_shape.items()
        ]
        raise AmbiguousFileError(self.reading.path, problem, choices)

    def _decimals(self) -> list[str]:
        """Return the columns without a role that contain numbers with decimals, such as times."""
        return [name for name in self._candidates() if _has_decimals(self.table.columns[name])]

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

    def _check_groups(self, role: str) -> None:
        """Raise an error if times fall within a coder, and a column that is not used may be the item or the coder."""
        missing = [name for name in ("coder", "item") if name not in self.roles]
        times = _numbers(self.table.columns[self.roles.columns[role]])
        ends = _numbers(self.table.columns[self.roles.columns["end"]]) if role == "start" else times
        used = [self.roles.columns.get("item"), self.roles.columns.get("coder"), self.roles.columns.get("stream")]
        falls = _falls(times, ends, Groups.of(self.table, used))
        names = [
            name
            for name in self._candidates()
            if _is_grouping(self.table.columns[name])
            and _falls(times, ends, Groups.of(self.table, [*used, name])) < falls
        ]
        if not falls or not missing or not names:
            return
        size = min(len(missing), len(names))
        readings = [dict(zip(missing, listed, strict=False)) for listed in permutations(names[:_MAX_CHOICES], size)]
        if len(missing) > size:
            readings = [{missing_role: name} for missing_role in missing for name in names]
        choices: list[tuple[str, dict[str, Any]]] = [
            (", ".join(f"{kind} in {name}" for kind, name in fields.items()), {"fields": fields})
            for fields in readings[:_MAX_CHOICES]
        ]
        choices.append(("one item and one coder", {"fields": {"ignore": names}}))
        listed = ", ".join(names[:8])
        problem = f"the times overlap or are not in order, and no column is the {' or the '.join(missing)}; it may be {listed}"
        raise AmbiguousFileError(self.reading.path, problem, choices)

    def _no_coder(self, groups: Groups) -> FormatError:
        """Return the error for a table in which no column fits."""
        if not self._candidates():
            columns = ", ".join(self.table.columns)
            return self.reading.error(1, f"expected one column per coder besides {columns}; got none")
        reasons = [
            f"{name} ({self._content(name, groups).reason or self._content(name, groups).shape})"
            for name in self._candidates()
        ]
        roles = [f"{column} ({role})" for role, column in self.roles.columns.items()]
        roles += [f"{name} (not used)" for name in self.roles.rest if name not in self._candidates()]
        found = ", ".join([*roles, *reasons][:20]) or "none"
        problem = f"no column contains marks, boundary types or labels; the columns are {found}"
        if any(self._content(name, groups).reason == "tags of spans" for name in self._candidates()):
            hint = "write one file per coder with the columns token and tag, and read it with --format bio"
        elif decimals := self._decimals():
            hint = f"if {decimals[0]} contains times of events, say so with --fields time={decimals[0]}"
        else:
            hint = "name the coders with --fields coders=A+B, or declare the boundary types with --types A,B"
        return self.reading.error(1, f"{problem}; {hint}")

    def _ignore_others(self, coders: Sequence[str]) -> None:
        used = {*coders}
        for name in (*self.roles.ignored, *self.roles.rest):
            if name not in used:
                content = self.contents.get(name)
                reason = content.reason or content.shape if content is not None else "not used"
                reason = "comments" if normalize(name) in COMMENTS else reason
                self.reading.ignored.append(f"{name} ({reason})")

    def _check_order(self, groups: Groups) -> None:
        """Raise an error if the units of an item are numbered but not in order."""
        if "unit" not in self.roles:
            return
        numbers = whole_numbers(self.table.columns[self.roles.columns["unit"]])
        if numbers is None:
            return
        item = self.roles.columns.get("item")
        by_item = groups if "stream" not in self.roles else Groups.of(self.table, [item])
        failures = [_first_wrong_step(numbers, candidate) for candidate in (by_item, groups)]
        if all(row is not None for row in failures):
            row = failures[1] or 0
            previous = groups.order[np.flatnonzero(groups.order == row)[0] - 1]
            place = "" if item is None else f"item {self.table.columns[item].cells()[row]!r}: "
            problem = f"{place}units must be numbered in order; got {numbers[row]} after {numbers[previous]}"
            raise self.reading.error(int(self.table.lines[row]), problem)

    def _build(self, groups: Groups, coders: Mapping[str, str], shape: str, typed: bool) -> Corpus:
        """Build the annotations of a wide table."""
        if shape == "marks" and "stream" not in self.roles:
            return self._build_marks(groups, coders)
        builders: Mapping[str, _MarkColumn | _LabelColumn]
        if shape in ("labels", "numbers"):
            builders = {name: _LabelColumn(self, self.table.columns[name]) for name in coders}
        else:
            builders = {name: _MarkColumn(self, self.table.columns[name], typed) for name in coders}
        units = self._units()
        items: dict[str, list[int]] = {}
        for i, (item, _) in enumerate(groups.keys):
            items.setdefault(item if "item" in self.roles else self.reading.stem, []).append(i)
        for item, members in items.items():
            first = int(self.table.lines[groups.rows(members[0])[0]])
            with self.reading.item(first):
                self._check_streams(item, groups, members)
                texts = {i: None if units is None else units.texts(groups.rows(i)) for i in members}
                for name, coder in coders.items():
                    with self.reading.item(first, f"item {item!r}, coder {coder!r}: "):
                        self._add_coder(item, coder, builders[name], groups, members, texts)
        corpus = self.reading.corpus()
        return share_types(corpus) if typed and self.types is None else corpus

    def _build_marks(self, groups: Groups, coders: Mapping[str, str]) -> Corpus:
        """Build segmentations without types and streams, for many items at once."""
        columns = {
            coder: _MarkPositions(_MarkColumn(self, self.table.columns[name], False), groups)
            for name, coder in coders.items()
        }
        texts = self._units()
        units_of = (lambda i: None) if texts is None else texts.by_group(groups)
        for i, (item, _) in enumerate(groups.keys):
            item = item if "item" in self.roles else self.reading.stem
            units = units_of(i)
            for coder, column in columns.items():
                if column.is_invalid[i]:
                    with self.reading.item(None):
                        column.raise_error(i, f"item {item!r}, coder {coder!r}")
                elif column.is_coded[i]:
                    self.reading.add(item, coder, column.segmentation(i, units))
        return self.reading.corpus()

    def _units(self) -> _Texts | None:
        return _Texts(self.table.columns[self.roles.columns["text"]]) if "text" in self.roles else None

    def _check_streams(self, item: str, groups: Groups, members: Sequence[int]) -> None:
        unnamed = [i for i in members if not groups.keys[i][1]]
        if unnamed and len(members) > 1:
            line = int(self.table.lines[groups.rows(unnamed[0])[0]])
            problem = "a stream must be named in all rows or in none; got none here"
            raise self.reading.error(line, f"item {item!r}: {problem}")

    def _add_coder(
        self,
        item: str,
        coder: str,
        column: _MarkColumn | _LabelColumn,
        groups: Groups,
        members: Sequence[int],
        texts: Mapping[int, tuple[str, ...] | None],
    ) -> None:
        streams: dict[str, Segmentation] = {}
        for i in members:
            stream = groups.keys[i][1]
            place = f"item {item!r}, coder {coder!r}" + (f", stream {stream!r}" if stream else "")
            segmentation = column.segmentation(groups.rows(i), texts[i], place)
            if segmentation is not None:
                streams[stream] = segmentation
        if streams:
            self.reading.add(item, coder, streams[""] if "" in streams else Dialogue(streams))

    # -- long tables -------------------------------------------------------------------------------------------------

    def _read_long(self) -> Corpus:
        """Read a table with one row per item, coder and unit."""
        groups, columns = self._long_groups(), self.roles.columns
        name, shape = self._value_column(groups)
        describe_roles(self.reading, self.roles, {_DESCRIPTIONS[shape]: [name]}, _UNIT_ROLES)
        self._ignore_others([name])
        typed = shape == "types"
        column = self.table.columns[name]
        builder = _LabelColumn(self, column) if shape in ("labels", "numbers") else _MarkColumn(self, column, typed)
        units = self._units()
        numbers = None
        if "unit" in columns:
            numbers = whole_numbers(self.table.columns[columns["unit"]])
        numbering: dict[tuple[str, str], tuple[str, Any]] = {}
        streams: dict[tuple[str, str], dict[str, Segmentation]] = {}
        for i, (item, stream, coder) in enumerate(groups.keys):
            item = item if "item" in columns else self.reading.stem
            rows = groups.rows(i)
            line = int(self.table.lines[rows[0]])
            place = f"item {item!r}, coder {coder!r}"
            with self.reading.item(line, f"{place}: "):
                rows = self._sorted_rows(rows, numbers, place)
                expected = (coder, len(rows) if numbers is None else numbers[rows].tolist())
                first = numbering.setdefault((item, stream), expected)
                if first[1] != expected[1]:
                    raise self.reading.error(line, f"{place}: {_different_units(first, expected)}")
                segmentation = builder.segmentation(rows, None if units is None else units.texts(rows), place)
                if segmentation is not None:
                    streams.setdefault((item, coder), {})[stream] = segmentation
        for (item, coder), by_stream in streams.items():
            self.reading.add(item, coder, by_stream[""] if "" in by_stream else Dialogue(by_stream))
        corpus = self.reading.corpus()
        return share_types(corpus) if typed and self.types is None else corpus

    def _long_groups(self) -> Groups:
        columns = self.roles.columns
        return Groups.of(self.table, [columns.get("item"), columns.get("stream"), columns.get("coder")])

    def _value_column(self, groups: Groups) -> tuple[str, str]:
        """Return the column of a long table that contains the marks or labels, and its shape."""
        if self.reading.options["shape"] == "labels" and "label" in self.roles:
            return self.roles.columns["label"], "labels"
        if "mark" in self.roles:
            return self._mark_column(groups)
        fitting = {name: self._content(name, groups) for name in self.roles.coders or self._candidates()}
        for name, content in fitting.items():
            if content.shape == "error":
                raise self._cell_error(name, content)
        marks = {name: content for name, content in fitting.items() if content.shape in ("marks", "types")}
        if len(marks) == 1:
            ((name, content),) = marks.items()
            return self._checked_long(name, content.shape, content)
        if not marks and "label" in self.roles:
            return self._label_column(groups), "labels"
        return self._only_column(marks or fitting, groups)

    def _mark_column(self, groups: Groups) -> tuple[str, str]:
        """Return the column with the role mark, and its shape."""
        name = self.roles.columns["mark"]
        content = self._content(name, groups)
        if content.shape in ("error", "none") and content.reason not in ("empty", "not coded"):
            raise self._cell_error(name, content)
        shape = "marks" if content.shape == "none" else content.shape
        return self._checked_long(name, shape, content)

    def _only_column(self, contents: Mapping[str, Content], groups: Groups) -> tuple[str, str]:
        """Return the only column that fits a shape, and its shape; several are an error."""
        fitting = {name: content for name, content in contents.items() if content.shape != "none"}
        if not fitting:
            raise self._no_coder(groups)
        if len(fitting) == 1:
            ((name, content),) = fitting.items()
            return name, content.shape
        choices = [
            (f"{_DESCRIPTIONS[content.shape]} in {name}", {"fields": {"mark": name}})
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

    def _sorted_rows(self, rows: NDArray[np.int64], numbers: NDArray[np.int64] | None, place: str) -> NDArray[np.int64]:
        """Return the rows in the order of their unit numbers; raise an error for a number that occurs twice."""
        if numbers is None:
            return rows
        rows = rows[np.argsort(numbers[rows], kind="stable")]
        steps = np.diff(numbers[rows])
        if np.any(steps != 1):
            i = int(np.argmax(steps != 1)) + 1
            unit = int(numbers[rows[i]])
            problem = f"unit {unit} occurs twice" if steps[i - 1] == 0 else f"unit {unit - 1} is missing"
            raise self.reading.error(int(self.table.lines[rows[i]]), f"{place}: {problem}")
        return rows

    # -- segments, events and scores ----------------------------------------------------------------------------------

    def _read_segments(self) -> Corpus:
        if not {"start", "end"} <= self.roles.columns.keys():
            columns = ", ".join(self.table.columns)[:200]
            expected = "expected columns start and end (in units) or start_time and end_time (in seconds)"
            raise self.reading.error(1, f"{expected}; got {columns}")
        self._person_is_coder()
        if "coder" not in self.roles and "stream" in self.roles:
            self.roles.release("stream")
        self._check_groups("start")
        describe_roles(self.reading, self.roles, {})
        self._ignore_others([])
        return spans_csv.read_segments(self.reading, self.table, self.roles)

    def _read_events(self) -> Corpus:
        self._check_groups("time")
        describe_roles(self.reading, self.roles, {})
        self._ignore_others([])
        return read_events(self.reading, self.table, self.roles)

    def _read_scores(self) -> Corpus:
        """Read a table of scores: the rows are the positions between units."""
        groups = self._item_groups()
        self._check_order(groups)
        score = self.roles.columns["score"]
        coders = [name for name in self._candidates() if self._content(name, groups).shape == "marks"]
        if "mark" in self.roles:
            coders = [self.roles.columns["mark"], *coders]
        describe_roles(self.reading, self.roles, {"1/0 marks": coders})
        self._ignore_others(coders)
        self.reading.notes.append(f"each row is a position between two units; the scores in {score} are not marks")
        if not coders:
            raise self.reading.error(1, "a table of scores needs a column with 0/1 marks to compare them with")
        for i, (item, _) in enumerate(groups.keys):
            rows = groups.rows(i)
            item = item if "item" in self.roles else self.reading.stem
            for name in coders:
                place = f"item {item!r}, coder {name!r}"
                with self.reading.item(int(self.table.lines[rows[0]]), f"{place}: "):
                    positions = _MarkColumn(self, self.table.columns[name], False).positions(rows, place, last=True)
                    if positions is not None:
                        self.reading.add(item, name, Segmentation.from_positions(len(rows) + 1, positions))
        return self.reading.corpus()


def _numbers(column: Column) -> NDArray[np.float64]:
    """Return the numbers of a column; NaN for other cells."""
    values = [float(value) if NUMBER.fullmatch(value) and len(value) < 40 else np.nan for value in column.stripped]
    return np.array(values, np.float64)[column.codes]


def _has_decimals(column: Column) -> bool:
    return all(NUMBER.fullmatch(value) for value in column.stripped) and any("." in value for value in column.stripped)


def _is_grouping(column: Column) -> bool:
    """Return whether the cells are short names that repeat."""
    return all(len(value) <= 60 for value in column.values) and 1 < len(column.values) < len(column.codes)


def _falls(starts: NDArray[np.float64], ends: NDArray[np.float64], groups: Groups) -> int:
    """Return how often a segment or event begins before the end of the one before it in the same group."""
    steps = starts[groups.order][1:] - ends[groups.order][:-1]
    return int(np.count_nonzero((steps < 0) & groups.inner()))


def _different_units(first: tuple[str, Any], other: tuple[str, Any]) -> str:
    if isinstance(first[1], int):
        return f"all coders must have the same units; {first[0]!r} has {first[1]}, {other[0]!r} has {other[1]}"
    missing = sorted(set(first[1]) ^ set(other[1]))
    return f"all coders must have the same units as {first[0]!r}; unit {missing[0]} is only in one of them"


def _first_wrong_step(numbers: NDArray[np.int64], groups: Groups) -> int | None:
    """Return the first row whose number does not follow the number before it in the same group."""
    steps = np.diff(numbers[groups.order])
    wrong = np.flatnonzero((steps != 1) & groups.inner())
    return int(groups.order[wrong[0] + 1]) if len(wrong) else None


class _Texts:
    """The text of the units."""

    def __init__(self, column: Column) -> None:
        self._values = np.array(column.values, object)
        self._codes = column.codes

    def texts(self, rows: NDArray[np.int64]) -> tuple[str, ...]:
        """Return the text of some rows."""
        return tuple(self._values[self._codes[rows]].tolist())

    def by_group(self, groups: Groups) -> Callable[[int], tuple[str, ...]]:
        """Return a function that returns the text of a group."""
        texts = self._values[self._codes[groups.order]].tolist()
        bounds = groups.bounds.tolist()
        return lambda i: tuple(texts[bounds[i] : bounds[i + 1]])


class _MarkColumn:
    """A column of marks or boundary types."""

    def __init__(self, reader: _TableReader, column: Column, typed: bool) -> None:
        self._reading = reader.reading
        self._lines = reader.table.lines
        self._column = column
        self._types = reader.types
        self._typed = typed
        kinds = [kind_of_cell(value) for value in column.values]
        if typed:
            kinds = [
                OTHER if self._is_type(value, kind) else kind for value, kind in zip(column.values, kinds, strict=True)
            ]
        self._kinds = np.array(kinds, np.int8)
        self._writes_zero = bool(np.any(self._kinds == ZERO))

    def _is_type(self, value: str, kind: int) -> bool:
        """Return whether a cell with a word such as ``x`` is a type: if the type is declared, or it is a JSON list."""
        return kind not in (EMPTY, OTHER) and self._types is not None and value.strip() in self._types

    def segmentation(self, rows: NDArray[np.int64], units: tuple[str, ...] | None, place: str) -> Segmentation | None:
        """Return the segmentation in some rows, or None if the coder did not code them."""
        if not self._typed:
            positions = self.positions(rows, place)
            return None if positions is None else Segmentation.from_positions(len(rows), positions, units=units)
        kinds = self._coded(rows, place)
        if kinds is None:
            return None
        marked = np.flatnonzero((kinds == OTHER) | (kinds == MARK))
        codes = self._column.codes[rows[marked]]
        names = {int(code): self._names(int(code)) for code in np.unique(codes)}
        return Segmentation.from_positions(
            len(rows), marked + 1, marks=[names[code] for code in codes.tolist()], types=self._types, units=units
        )

    def positions(self, rows: NDArray[np.int64], place: str, *, last: bool = False) -> NDArray[np.int64] | None:
        """Return the positions of the marks, without the end of the text unless ``last``; None if not coded."""
        kinds = self._coded(rows, place)
        if kinds is None:
            return None
        positions = np.flatnonzero(kinds == MARK) + 1
        return positions if last or not len(positions) or positions[-1] < len(rows) else positions[:-1]

    def kinds_of(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the kinds of the cells in some rows."""
        return self._kinds[self._column.codes[rows]]

    def states(
        self, kinds: NDArray[np.int8], is_last: NDArray[np.bool_], starts: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which groups of cells are coded, and in which of them :meth:`_coded` finds an error."""

        def some(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
            return np.logical_or.reduceat(cells, starts)

        absent = kinds == ABSENT
        coded, invalid = some(~absent), some(absent)
        if self._writes_zero:
            empty = kinds == EMPTY
            coded &= some(~empty)
            invalid |= some(empty & ~is_last) & some(kinds == ZERO)
        return coded, invalid & coded

    def _coded(self, rows: NDArray[np.int64], place: str) -> NDArray[np.int8] | None:
        """Return the kinds of the cells; None if the coder did not code these rows, and an error if only half of them."""
        kinds = self._kinds[self._column.codes[rows]]
        absent = kinds == ABSENT
        if absent.all() or (self._writes_zero and (kinds == EMPTY).all()):
            return None
        if absent.any():
            line = int(self._lines[rows[np.argmax(absent)]])
            raise self._reading.error(line, f"{place}: NA must be in all cells or in none")
        empty = kinds[:-1] == EMPTY
        if empty.any() and np.any(kinds == ZERO):
            line = int(self._lines[rows[np.argmax(empty)]])
            problem = "the cell is empty, but other cells of this coder and item are 0; write 0, or NA in all cells"
            raise self._reading.error(line, f"{place}: {problem}")
        return kinds

    def _names(self, code: int) -> tuple[str, ...]:
        cell = self._column.stripped[code]
        line = int(self._lines[np.argmax(self._column.codes == code)])
        names = type_names(cell)
        if names is None:
            problem = f'several types are written as a JSON list like ["scene", "act"]; got {cell[:80]!r}'
            raise self._reading.error(line, problem)
        for name in names:
            if self._types is not None and name not in self._types:
                declared = ", ".join(map(repr, self._types))
                raise self._reading.error(line, f"type {name!r} is not declared; the declared types are {declared}")
        return tuple(names)


class _MarkPositions:
    """The marks of a column without types, for all groups of rows.

    Attributes
    ----------
    is_coded : list of bool
        Whether the coder coded the group.
    is_invalid : list of bool
        Whether a cell of the group is invalid.
    """

    def __init__(self, column: _MarkColumn, groups: Groups) -> None:
        self._column, self._groups = column, groups
        self._bounds = groups.bounds.tolist()
        kinds = column.kinds_of(groups.order)
        is_last = np.zeros(len(kinds), bool)
        is_last[groups.bounds[1:] - 1] = True
        coded, invalid = column.states(kinds, is_last, groups.bounds[:-1])
        self.is_coded: list[bool] = coded.tolist()
        self.is_invalid: list[bool] = invalid.tolist()
        marked = np.flatnonzero((kinds == MARK) & ~is_last)
        offsets = np.searchsorted(marked, groups.bounds)
        self._positions = marked + 1 - np.repeat(groups.bounds[:-1], np.diff(offsets))
        self._offsets = offsets.tolist()

    def segmentation(self, i: int, units: tuple[str, ...] | None) -> Segmentation:
        """Return the segmentation in a group that is coded and valid."""
        length = self._bounds[i + 1] - self._bounds[i]
        positions = self._positions[self._offsets[i] : self._offsets[i + 1]]
        return Segmentation.from_valid_positions(length, positions, units)

    def raise_error(self, i: int, place: str) -> None:
        """Raise the error of a group that is invalid."""
        self._column.positions(self._groups.rows(i), place)


class _LabelColumn:
    """A column with the label or number of the segment of each unit."""

    def __init__(self, reader: _TableReader, column: Column) -> None:
        self._reading = reader.reading
        self._lines = reader.table.lines
        self._column = column
        self._absent = np.array([kind_of_cell(value) in (EMPTY, ABSENT) for value in column.values], bool)
        self._numbers = all(value.replace(".", "").isdigit() for value in column.stripped if value)

    def segmentation(self, rows: NDArray[np.int64], units: tuple[str, ...] | None, place: str) -> Segmentation | None:
        """Return the segmentation in some rows, or None if the coder did not code them."""
        codes = self._column.codes[rows]
        absent = self._absent[codes]
        if absent.all():
            return None
        if absent.any():
            line = int(self._lines[rows[np.argmax(absent)]])
            raise self._reading.error(line, f"{place}: every unit must have a label; this cell has none")
        if self._numbers:
            changes = np.flatnonzero(np.diff(codes)) + 1
            return Segmentation.from_positions(len(rows), changes, units=units)
        values = self._column.stripped
        return Segmentation.from_labels([values[code] for code in codes.tolist()], units=units)


# -- formats ----------------------------------------------------------------------------------------------------------

ROW_OPTIONS = (
    FIELDS,
    Option(
        "shape",
        None,
        optional(choice(*_SHAPES)),
        "shape of the table, if it is not clear: marks, labels, segments, ...",
    ),
    Option("header", None, optional(flag), "whether the first row contains the names of the columns (default: yes)"),
    LENGTHS,
    ALL_CODERS,
    *spans_csv.SEGMENT_OPTIONS,
)
"""Options of all formats whose files are tables."""


def _read_delimited(reading: Reading, *, delimiter: str | None) -> Corpus:
    """Read a delimited table; a table of segments may have no header."""
    if reading.options["header"] is None and spans_csv.has_no_header(reading.text):
        reading.notes.append("no header: the columns are coder, label, start and end in seconds")
        return spans_csv.read_without_header(reading)
    header = reading.options["header"] is not False
    return read_table(reading, parse_delimited(reading, delimiter=delimiter, header=header))


def _read_spans(reading: Reading) -> Corpus:
    """Read a table of spans, whatever its other columns look like."""
    reading.options = {**reading.options, "shape": "segments"}
    return _read_delimited(reading, delimiter=None)


def _read_excel(reading: Reading) -> Corpus:
    return read_table(reading, from_excel(reading, reading.options["sheet"]))


def _read_parquet(reading: Reading) -> Corpus:
    return read_table(reading, from_parquet(reading))


def _looks_like(text: str) -> bool:
    """Return whether the first row names columns with known roles, and the next rows have as many cells."""
    delimiter = find_delimiter(text[:_SAMPLE])
    try:
        lines = io.StringIO(text[:_SAMPLE], newline="")
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if row][:_SAMPLE_ROWS]
    except csv.Error:
        return False
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    names = {normalize(name) for name in rows[0]}
    return bool(names & RESERVED) and all(len(row) == len(rows[0]) for row in rows[1:-1])


def _format(name: str, suffix: str, delimiter: str | None, description: str) -> Format:
    return Format(
        name=name,
        suffixes=(suffix,),
        description=description,
        read=partial(_read_delimited, delimiter=delimiter),
        looks_like=_looks_like,
        other_suffixes=(".txt",) if delimiter is None else (),
        write=partial(write_text, read=read_table),
        options=ROW_OPTIONS,
        guesses_encoding=True,
        fallback=(suffix,),
        part="column",
        hint="--fields",
    )


CSV = _format(
    "table-csv", ".csv", None, "table of units, CSV: one row per unit, one column per coder, and other shapes"
)
TSV = _format("table-tsv", ".tsv", "\t", "table of units, tab-separated: one row per unit, one column per coder")
SPANS = Format(
    name="spans-csv",
    suffixes=(".csv", ".tsv"),
    description="spans as a table, CSV or TSV: item, coder, start, end, level, label",
    read=_read_spans,
    looks_like=lambda text: False,  # the table reader recognises spans
    write=spans_csv.write,
    options=ROW_OPTIONS,
    annotation_types=ANNOTATION_TYPES,
    guesses_encoding=True,
    part="column",
    hint="--fields",
)
PARQUET = Format(
    name="table-parquet",
    suffixes=(".parquet",),
    description="table of units in Parquet: one row per unit, one column per coder",
    read=_read_parquet,
    looks_like=lambda text: False,
    extra="parquet",
    write=partial(write_parquet, read=read_table),
    options=ROW_OPTIONS,
    magic=b"PAR1",
    matches_bytes=lambda data: not is_documents(data),
    part="column",
    hint="--fields",
)
EXCEL = Format(
    name="table-excel",
    suffixes=(".xlsx",),
    description="table of units in an Excel workbook: one row per unit, one column per coder",
    read=_read_excel,
    looks_like=lambda text: False,
    extra="excel",
    options=(
        *ROW_OPTIONS,
        Option("sheet", None, optional(text), "name of the sheet (default: the only one with content)"),
    ),
    magic=b"PK",
    matches_bytes=lambda data: b"xl/" in data[:4096] or b"xl/workbook.xml" in data,
    part="column",
    hint="--fields",
)
