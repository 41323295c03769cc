"""The table reader, for CSV, TSV, Excel and Parquet files and for data frames.

The page docs/formats/table-csv.md describes the table: one row per unit, one column per coder, and the other shapes, which are
recognised by the names (:mod:`caesura.formats.roles`) and the cells of the columns. If the cells fit several shapes, the reader
raises an :class:`~caesura.errors.AmbiguousFileError` that names the option for each of them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import AmbiguousFileError
from caesura.formats import spans_csv
from caesura.formats.coder_columns import DESCRIPTIONS, CoderColumns
from caesura.formats.column_names import PERSON, RESERVED, ROLE_OF_NAME, normalize, split_unit
from caesura.formats.columns import Column, Table, from_parquet, parse_delimited
from caesura.formats.content import NUMBER
from caesura.formats.counts import COUNT_OPTIONS, read_counts
from caesura.formats.documents_parquet import is_documents
from caesura.formats.events import ALL_CODERS, LENGTHS, read_events
from caesura.formats.excel import from_excel
from caesura.formats.format import RAW, Format, Reading
from caesura.formats.header import declared_delimiter, find_delimiter, rows_above_header
from caesura.formats.mark_columns import (
    MARKS,
    LabelColumn,
    MarkColumn,
    MarkPositions,
    TagColumn,
    Texts,
    are_segments,
    marks_at_start,
)
from caesura.formats.marks import Groups
from caesura.formats.roles import FIELDS, THOUSANDS, Roles, assign_roles, check_speaker, describe_roles, whole_numbers
from caesura.formats.scores import SCORES, add_marks_of_positions, add_scores
from caesura.formats.span_columns import add_end, add_label, duration_column, possible_spans
from caesura.formats.spans import ANNOTATION_TYPES
from caesura.formats.totals import TOTALS, check_totals
from caesura.formats.unit_table import share_types, write_excel, write_parquet, write_text
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue
from caesura.model.index import argsort, flatnonzero
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.model.value import count_of, list_few
from caesura.notices import warn
from caesura.options import Option, choice, flag, optional, text, whole

_SAMPLE = 10_000  # characters
_SAMPLE_ROWS = 20
_DATA_WORDS = ("0", "1", "0_0", "1_0", "true", "false")  # in the first row, they are data rather than names
_MAX_CHOICES = 6
_MIN_REPETITION = 3  # different texts or times that occur again
_UNIT_ROLES = ("item", "stream", "coder", "unit", "text", "types")  # roles that a table of units uses
_SHAPES = ("marks", "labels", "segments", "events", "scores")

_MAX_NAME = 100  # characters of the name of a column in a message

# Returns the annotation in a group of rows, from the index of the group, the texts of its units and its place.
GroupReader = Callable[[int, tuple[str, ...] | None, str], Segmentation | Spans | None]
_Builder = MarkColumn | LabelColumn | TagColumn


def read_table(reading: Reading, table: Table) -> Corpus:
    reading.ignored += table.ignored
    reading.notes += table.notes
    if not table.columns or not len(table):
        raise reading.error(1, "the table has no rows" if table.columns else "the table has no columns")
    if {"unit1_toks", "unit2_toks"} <= {*table.columns}:
        hint = "the segments are in the .tok and .conllu files of the same corpus"
        raise reading.error(1, f"a .rels file of DISRPT contains relations, not segments; {hint}")
    check_totals(reading, table)
    roles = assign_roles(reading, table, reading.options["fields"])
    _warn_of_repetition(reading, table, roles)
    if (corpus := read_counts(reading, table, roles)) is not None:
        return corpus
    reader = _TableReader(reading, table, roles)
    if reading.text:
        reader.check_header()
    return reader.read()


def _warn_of_repetition(reading: Reading, table: Table, roles: Roles) -> None:
    """Warn if the second half of a table repeats the first half, as when a file was joined with a copy of itself."""
    half, odd = divmod(len(table), 2)
    names = [roles.columns[role] for role in ("text", "start", "time") if role in roles]
    if odd or not any(len(np.unique(table.columns[name].codes[:half])) >= _MIN_REPETITION for name in names):
        return
    if all(np.array_equal(column.codes[:half], column.codes[half:]) for column in table.columns.values()):
        line = int(table.lines[half])
        warn(f"{reading.path}:{line}: the rows from here on repeat all rows above; was the file joined with its copy?")


@dataclass
class _TableReader:
    reading: Reading
    table: Table
    roles: Roles
    columns: CoderColumns = field(init=False)

    def __post_init__(self) -> None:
        self.columns = CoderColumns(self.reading, self.table, self.roles)

    def check_header(self) -> None:
        if self.roles.columns or self.roles.coders or self.reading.options["header"] is not None:
            return
        if any(normalize(name) in _DATA_WORDS or NUMBER.fullmatch(name) for name in self.table.columns):
            names = ", ".join(self.table.columns)[:80]
            problem = f"the first row must contain the names of the columns; got {names}"
            raise self.reading.error(1, f"{problem}; add them, or read with header=no and name the columns with fields")

    def read(self) -> Corpus:
        shape = self.reading.options["shape"] or self._shape()
        return {
            "marks": self._read_marks,
            "labels": self._read_labels,
            "segments": self._read_segments,
            "events": self._read_events,
            "scores": self._read_scores,
        }[shape]()

    def _shape(self) -> str:
        roles = self.roles
        if "score" in roles and self.reading.options["scores"]:
            return "scores"
        if (named := self._named_shape()) is not None:
            return named
        if roles.coders is not None:
            return "marks"
        if self._has_wide_marks():
            return "scores" if self._rows_are_positions() else "marks"
        if ("start" in roles and "end" in roles) or duration_column(self.reading, self.table, roles) is not None:
            return "segments"
        return "scores" if self._rows_are_positions() else self._shape_of_rows()

    def _shape_of_rows(self) -> str:
        roles = self.roles
        if "mark" in roles:
            self._person_is_coder()
            return "marks"
        if "time" in roles:
            self._person_is_coder()
            return "events"
        self._check_times()
        self._check_spans()
        return "labels" if "label" in roles and "coder" in roles else "marks"

    def _check_times(self) -> None:
        unused = {ROLE_OF_NAME.get(split_unit(name)[0]): name for name in self.roles.rest}
        if not {"start", "end"} <= {*unused, *self.roles.columns}:
            return
        name = unused.get("start") or unused["end"]
        column = self.table.columns[name]
        wrong = next((cell for cell in column.values if cell.strip() and not NUMBER.fullmatch(cell.strip())), "")
        line = int(self.table.lines[column.first_row(wrong)]) if wrong else 1
        hint = f"correct the cells, or leave the column out with --fields ignore={name}"
        raise self.reading.error(line, f"column {name!r}: expected a number or a time; got {wrong[:40]!r}; {hint}")

    def _check_spans(self) -> None:
        """Raise an error if two columns with unknown names beside a label may be the start and the end of spans."""
        roles = self.roles
        if not {"label", "coder"} & {*roles.columns}:
            return
        groups = self._long_groups() if "coder" in roles else self.columns.item_groups()
        pairs = [
            pair
            for pair in possible_spans(self.table, roles, self.columns.candidates())
            if all(self.columns.content(name, groups).shape == "none" for name in pair)
        ]
        if not pairs:
            return
        problem = f"{' and '.join(pairs[0])} may be the start and the end of spans; their names are not known"
        choices: list[tuple[str, dict[str, Any]]] = [
            (f"spans from {start} to {end}", {"fields": {"start": start, "end": end}})
            for start, end in pairs[:_MAX_CHOICES]
        ]
        if "label" in roles:
            names = list(dict.fromkeys(name for pair in pairs for name in pair))
            choices.append(
                (f"one row per unit, with its label in {roles.columns['label']}", {"fields": {"ignore": names}})
            )
        raise AmbiguousFileError(self.reading.path, problem, choices)

    def _named_shape(self) -> str | None:
        """Return the shape if the option ``fields`` names the columns of times; None otherwise."""
        fields = self.reading.options["fields"] or {}
        if "time" in fields:
            self._person_is_coder()
            return "events"
        named = "duration" in fields or ("start" in fields and "end" in self.roles)
        return "segments" if named else None

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
        groups = self.columns.item_groups()
        contents = [self.columns.content(name, groups) for name in self.columns.candidates()]
        return any(content.shape in ("marks", "error") and not content.always for content in contents)

    def _read_marks(self) -> Corpus:
        return self._read_coders(self.columns.wide_coders)

    def _read_labels(self) -> Corpus:
        return self._read_coders(self._columns_of_labels)

    def _read_coders(self, choose: Callable[[Groups], tuple[list[str], str]]) -> Corpus:
        check_speaker(self.reading, self.table, self.roles)
        if "coder" in self.roles:
            return self._read_long()
        groups = self.columns.item_groups()
        self._check_order(groups)
        coders, shape = choose(groups)
        describe_roles(self.reading, self.roles, {DESCRIPTIONS[shape]: coders}, _UNIT_ROLES)
        self.columns.ignore_others(coders)
        # A column that only says what its cells are has the name of the file as its coder.
        nameless = (self.roles.columns.get("mark"), self.roles.columns.get("label"))
        names = {name: self.reading.stem if name in nameless else name for name in coders}
        corpus = self._build(groups, names, shape)
        annotated = {*corpus.item_names}
        items = dict.fromkeys(self._item_name(key[0]) for key in groups.keys)
        missing = [item for item in items if item not in annotated]
        if missing and not self.reading.excluded:
            listed = list_few([repr(item[:_MAX_NAME]) for item in missing])
            self.reading.notes.append(f"{count_of(len(missing), 'item')} without any annotation left out: {listed}")
        return corpus

    def _columns_of_labels(self, groups: Groups) -> tuple[list[str], str]:
        coders = self.roles.coders
        if coders is None:
            coders = [self.roles.columns["label"]] if "label" in self.roles else []
            fitting = ("labels", "numbers", "marks")
            coders += [
                name for name in self.columns.candidates() if self.columns.content(name, groups).shape in fitting
            ]
        if not coders:
            raise self.columns.no_coder(groups)
        return coders, "labels"

    def _check_groups(self, role: str) -> None:
        """Raise an error if times fall within a coder, and a column that is not used may be the item or the coder."""
        missing = [name for name in ("coder", "item") if name not in self.roles]
        names = self._columns_that_order(role) if missing else []
        if not names:
            return
        names = [name if len(name) <= _MAX_NAME else f"{name[:_MAX_NAME]}…" for name in names]
        choices: list[tuple[str, dict[str, Any]]] = [
            (", ".join(f"{kind} in {name}" for kind, name in fields.items()), {"fields": fields})
            for fields in _possible_groupings(missing, names)
        ]
        choices.append(("one item and one coder", {"fields": {"ignore": names}}))
        listed = ", ".join(names[:8])
        problem = f"the times overlap or are not in order, and no column is the {' or the '.join(missing)}; it may be {listed}"
        raise AmbiguousFileError(self.reading.path, problem, choices)

    def _columns_that_order(self, role: str) -> list[str]:
        """Return the columns without a role whose groups have fewer times that fall than the groups so far."""
        times = self.table.columns[self.roles.columns[role]].numbers
        ends = self.table.columns[self.roles.columns["end"]].numbers if role == "start" else times
        used = [self.roles.columns.get(name) for name in ("item", "coder", "stream")]
        falls = _falls(times, ends, Groups.of(self.table, used))
        if not falls:
            return []
        columns = {name: self.table.columns[name] for name in self.columns.candidates()}
        repeated = [name for name, column in columns.items() if 1 < len(column.values) < len(column.codes)]
        grouping = [name for name in repeated if all(len(value) <= 60 for value in columns[name].values)]
        return [name for name in grouping if _falls(times, ends, Groups.of(self.table, [*used, name])) < falls]

    def _check_order(self, groups: Groups) -> None:
        numbers = self._unit_numbers()
        if numbers is None:
            self._check_unnumbered()
            return
        item = self.roles.columns.get("item")
        by_item = groups if "stream" not in self.roles else Groups.of(self.table, [item])
        failures = [_first_wrong_step(numbers, candidate) for candidate in (by_item, groups)]
        if all(row is not None for row in failures):
            row = failures[1] or 0
            previous = groups.order[flatnonzero(groups.order == row)[0] - 1]
            place = "" if item is None else f"item {self.table.columns[item].cells()[row]!r}: "
            problem = f"{place}units must be numbered in order; got {numbers[row]} after {numbers[previous]}"
            raise self.reading.error(int(self.table.lines[row]), problem)

    def _check_unnumbered(self) -> None:
        """Raise an error if a row has no number and all other rows have one; such a row may be a total."""
        column = self.table.columns[self.roles.columns["unit"]] if "unit" in self.roles else None
        if column is None or not any(column.filled):
            return
        if column.filled.all() or np.isnan(column.numbers[column.filled]).any():
            self._note_odd_number(column)
            return
        line = int(self.table.lines[flatnonzero(~column.filled)[0]])
        problem = f"the number of the unit is missing in column {column.name}, and other rows have one"
        raise self.reading.error(line, f"{problem}; remove the row if it is no unit, such as a total")

    def _note_odd_number(self, column: Column) -> None:
        """Note a cell that is no whole number in a column that numbers most units: their order is not checked then."""
        is_whole = np.array([re.fullmatch(r"[0-9]+(\.0*)?", value) is not None for value in column.stripped], bool)
        rows = is_whole[column.codes]
        if 2 * np.count_nonzero(rows) > len(rows) and not rows.all():
            row = int(np.argmin(rows))
            cell = column.stripped[column.codes[row]]
            problem = f"{cell[:40]!r} in {column.name} (line {self.table.lines[row]}) is no whole number"
            self.reading.notes.append(f"{problem}, so that the order of units is not checked")

    def _builders(self, names: Collection[str], shape: str, groups: Groups) -> dict[str, _Builder]:
        """Return the columns of coders, as objects that build annotations from their cells."""
        columns = {name: self.table.columns[name] for name in names}
        if shape in ("labels", "numbers"):
            return {name: LabelColumn(self.columns, column) for name, column in columns.items()}
        if shape == "tags":
            as_segments = are_segments([*columns.values()], groups)
            if as_segments:
                self.reading.notes.append("a tag B begins a segment, and all other tokens continue it")
            return {name: TagColumn(self.columns, column, as_segments) for name, column in columns.items()}
        typed, at_start = shape == "types", self.reading.options["marks"] == "start"
        if not typed or self.columns.types is None:
            by_name = len(names) == 1
            at_start = marks_at_start(self.reading, [*columns.values()], groups, by_name=by_name, typed=typed)
        return {name: MarkColumn(self.columns, column, typed, at_start) for name, column in columns.items()}

    def _build(self, groups: Groups, coders: Mapping[str, str], shape: str) -> Corpus:
        columns = self._builders(coders, shape, groups)
        if shape == "marks" and "stream" not in self.roles:
            return self._build_marks(groups, {coders[name]: column for name, column in columns.items()})
        builders = {name: _group_reader(column, groups) for name, column in columns.items()}
        units = self._units()
        units_of = (lambda i: None) if units is None else units.by_group(groups)
        groups_of_item: dict[str, list[int]] = {}  # one group per stream
        for i, (name, _) in enumerate(groups.keys):
            groups_of_item.setdefault(self._item_name(name), []).append(i)
        for item, members in groups_of_item.items():
            first = int(self.table.lines[groups.rows(members[0])[0]])
            with self.reading.item(first):
                self._check_streams(item, groups, members)
                texts = {i: units_of(i) for i in members}
                for name, coder in coders.items():
                    with self.reading.item(first, f"item {item!r}, coder {coder!r}: "):
                        self._add_coder(item, coder, builders[name], groups, members, texts)
        return self._corpus(shape == "types")

    def _corpus(self, typed: bool) -> Corpus:
        """Return the corpus; boundary types that nobody declared are the same for all items."""
        corpus = self.reading.corpus()
        return share_types(corpus) if typed and self.columns.types is None else corpus

    def _item_name(self, cell: str) -> str:
        return cell if "item" in self.roles else self.reading.stem

    def _build_marks(self, groups: Groups, builders: Mapping[str, _Builder]) -> Corpus:
        columns = {
            coder: MarkPositions(column, groups) for coder, column in builders.items() if isinstance(column, MarkColumn)
        }
        texts = self._units()
        units_of = (lambda i: None) if texts is None else texts.by_group(groups)
        for i, (item, _) in enumerate(groups.keys):
            item = self._item_name(item)
            units = units_of(i)
            for coder, column in columns.items():
                if column.is_invalid[i]:
                    with self.reading.item(None):
                        column.raise_error(i, f"item {item!r}, coder {coder!r}")
                elif column.is_coded[i]:
                    self.reading.add(item, coder, column.segmentation(i, units))
        return self.reading.corpus()

    def _units(self) -> Texts | None:
        return Texts(self.table.columns[self.roles.columns["text"]]) if "text" in self.roles else None

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
        annotation: GroupReader,
        groups: Groups,
        members: Sequence[int],
        texts: Mapping[int, tuple[str, ...] | None],
    ) -> None:
        streams: dict[str, Any] = {}
        for i in members:
            stream = groups.keys[i][1]
            place = f"item {item!r}, coder {coder!r}" + (f", stream {stream!r}" if stream else "")
            segmentation = annotation(i, texts[i], place)
            if segmentation is not None:
                streams[stream] = segmentation
        if streams:
            self.reading.add(item, coder, streams[""] if "" in streams else Dialogue(streams))

    def _read_long(self) -> Corpus:
        groups = self._long_groups()
        name, shape = self.columns.value_column(groups)
        describe_roles(self.reading, self.roles, {DESCRIPTIONS[shape]: [name]}, _UNIT_ROLES)
        self.columns.ignore_others([name])
        builder = self._builders([name], shape, groups)[name]
        units, numbers = self._units(), self._unit_numbers()
        if numbers is None:
            self._check_unnumbered()
        numbering: dict[tuple[str, str], tuple[str, Any]] = {}
        streams: dict[tuple[str, str], dict[str, Any]] = {}
        for i, (item, stream, coder) in enumerate(groups.keys):
            item = self._item_name(item)
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
        return self._corpus(shape == "types")

    def _unit_numbers(self) -> NDArray[np.int64] | None:
        return whole_numbers(self.table.columns[self.roles.columns["unit"]]) if "unit" in self.roles else None

    def _long_groups(self) -> Groups:
        columns = self.roles.columns
        return Groups.of(self.table, [columns.get("item"), columns.get("stream"), columns.get("coder")])

    def _sorted_rows(self, rows: NDArray[np.int64], numbers: NDArray[np.int64] | None, place: str) -> NDArray[np.int64]:
        if numbers is None:
            return rows
        rows = rows[argsort(numbers[rows], kind="stable")]
        steps = np.diff(numbers[rows])
        if np.any(steps != 1):
            i = int(np.argmax(steps != 1)) + 1
            unit = int(numbers[rows[i]])
            problem = f"unit {unit} occurs twice" if steps[i - 1] == 0 else f"unit {unit - 1} is missing"
            raise self.reading.error(int(self.table.lines[rows[i]]), f"{place}: {problem}")
        return rows

    def _read_segments(self) -> Corpus:
        add_end(self.reading, self.table, self.roles)
        if not {"start", "end"} <= self.roles.columns.keys():
            columns = ", ".join(self.table.columns)[:200]
            expected = "expected columns start and end (in units) or start_time and end_time (in seconds)"
            raise self.reading.error(1, f"{expected}; got {columns}; name them with --fields start=A,end=B")
        add_label(self.roles)
        self._person_is_coder()
        speaker = self.roles.columns.get("stream") if "coder" not in self.roles else None
        if speaker is not None:
            self.roles.release("stream")
        spans_csv.trim_names(self.reading, self.table, self.roles)
        self._check_groups("start")
        if speaker in self.roles.rest and "label" not in self.roles:  # who speaks is what a segment is about
            self.roles.rest.remove(speaker)
            self.roles.columns["label"] = speaker
        describe_roles(self.reading, self.roles, {})
        if "duration" in self.roles:  # the end is no column of the file
            self.reading.roles.pop(self.roles.columns["end"])
        self.columns.ignore_others([])
        return spans_csv.read_segments(self.reading, self.table, self.roles)

    def _read_events(self) -> Corpus:
        self._check_groups("time")
        describe_roles(self.reading, self.roles, {})
        self.columns.ignore_others([])
        return read_events(self.reading, self.table, self.roles)

    def _read_scores(self) -> Corpus:
        per_unit, with_scores = "text" in self.roles, self.reading.options["scores"]
        groups = self.columns.item_groups()
        if "time" not in self.roles and "coder" not in self.roles:
            self._check_order(groups)
        score = self.roles.columns["score"]
        coders = [name for name in self.columns.candidates() if self.columns.content(name, groups).shape == "marks"]
        if "mark" in self.roles:
            coders = [self.roles.columns["mark"], *coders]
        if not coders and not with_scores:
            problem = "a table of scores needs a column with 0/1 marks to compare them with"
            raise self.reading.error(1, f"{problem}; for scores alone, use caesura curve REFERENCE {self.reading.path}")
        if per_unit and coders:
            self._read_marks()
            self.reading.ignored = [entry for entry in self.reading.ignored if not entry.startswith(f"{score} (score,")]
            self.reading.roles[score] = "score"
        else:
            describe_roles(self.reading, self.roles, {"1/0 marks": coders} if coders else {})
            self.columns.ignore_others(coders)
            columns = {name: MarkColumn(self.columns, self.table.columns[name], False) for name in coders}
            add_marks_of_positions(self.reading, self.table, self.roles, groups, columns)
        if with_scores:
            rows = self._long_groups() if "coder" in self.roles else groups
            add_scores(self.reading, self.table, self.roles, rows, per_unit=per_unit, named=bool(coders))
        row = "a unit" if per_unit else "a time" if "time" in self.roles else "a position between two units"
        kept = "are those of a program" if with_scores else "are not marks"
        self.reading.notes.append(f"each row is {row}; the scores in {score} {kept}")
        return self.reading.corpus()


def _group_reader(column: _Builder, groups: Groups) -> GroupReader:
    if isinstance(column, MarkColumn):
        return MarkPositions(column, groups).annotation
    return lambda i, units, place: column.segmentation(groups.rows(i), units, place)


def _possible_groupings(roles: Sequence[str], names: Sequence[str]) -> list[dict[str, str]]:
    """Return the ways to give columns the roles; each role alone if there are fewer columns than roles."""
    if len(roles) > len(names):
        ways = [{role: name} for role in roles for name in names]
    else:
        ways = [dict(zip(roles, way, strict=True)) for way in permutations(names[:_MAX_CHOICES], len(roles))]
    return ways[:_MAX_CHOICES]


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
    steps = np.diff(numbers[groups.order])
    wrong = flatnonzero((steps != 1) & groups.inner())
    return int(groups.order[wrong[0] + 1]) if len(wrong) else None


# Options of all formats whose files are tables.
ROW_OPTIONS = (
    FIELDS,
    Option(
        "shape",
        None,
        optional(choice(*_SHAPES)),
        "shape of the table, if it is not clear: marks, labels, segments, ...",
    ),
    Option("header", None, optional(flag), "whether the first row contains the names of the columns (default: yes)"),
    Option("skip", None, optional(whole(0)), "number of lines above the header (default: titles are recognised)"),
    TOTALS,
    THOUSANDS,
    MARKS,
    SCORES,
    LENGTHS,
    ALL_CODERS,
    *spans_csv.SEGMENT_OPTIONS,
    *COUNT_OPTIONS,
)


def _read_delimited(reading: Reading, *, delimiter: str | None) -> Corpus:
    separator = spans_csv.delimiter_without_header(reading.text) if reading.options["header"] is None else None
    if separator is not None:
        reading.notes.append("no header: the columns are coder, label, start and end in seconds")
        return spans_csv.read_without_header(reading, separator)
    header = reading.options["header"] is not False
    skip = reading.options["skip"]
    return read_table(reading, parse_delimited(reading, delimiter=delimiter, header=header, skip=skip))


def _read_spans(reading: Reading) -> Corpus:
    """Read a table of spans, whatever its other columns look like."""
    reading.options = {**reading.options, "shape": "segments"}
    return _read_delimited(reading, delimiter=None)


def _read_excel(reading: Reading) -> Corpus:
    names = ("sheet", "skip", "sheets", "hidden")
    return read_table(reading, from_excel(reading, **{name: reading.options[name] for name in names}))


def _looks_like(text: str) -> bool:
    delimiter = find_delimiter(text[:_SAMPLE])
    try:
        lines = io.StringIO(text[declared_delimiter(text)[1] :][:_SAMPLE], newline="")
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if row][:_SAMPLE_ROWS]
    except csv.Error:
        return False
    rows = rows[rows_above_header(rows) :]
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
        write=partial(write_text, read=read_table, delimiter=delimiter),
        options=(*ROW_OPTIONS, RAW),
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
    options=(*ROW_OPTIONS, RAW),
    annotation_types=ANNOTATION_TYPES,
    guesses_encoding=True,
    part="column",
    hint="--fields",
)
PARQUET = Format(
    name="table-parquet",
    suffixes=(".parquet",),
    description="table of units in Parquet: one row per unit, one column per coder",
    read=lambda reading: read_table(reading, from_parquet(reading)),
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
    write=partial(write_excel, read=read_table),
    options=(
        *ROW_OPTIONS,
        Option("sheet", None, optional(text), "name of the sheet (default: the only one with content)"),
        Option("sheets", None, optional(choice("coder", "item")), "whether each sheet is one coder or one item"),
        Option("hidden", "read", choice("read", "skip"), "whether hidden rows and columns are read"),
    ),
    magic=b"PK",
    matches_bytes=lambda data: b"xl/" in data[:4096] or b"xl/workbook.xml" in data,
    part="column",
    hint="--fields",
)
