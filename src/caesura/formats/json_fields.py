"""JSON and JSON lines by the names of their fields.

A *recipe* (:mod:`caesura.formats.json_recipes`) tells which field of a document contains the units, and which one the masses,
marks, positions, times or spans. The recipes of well-known data sets are in ``recipes.toml``. A file with one flat object per
row, such as pandas writes with ``to_json``, is a table; :mod:`caesura.formats.table` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caesura.errors import AmbiguousFileError, FormatError, InputError
from caesura.formats.columns import Column, Table, cell_text
from caesura.formats.content import describe_value, lines_of, parse_json, unpacked_path
from caesura.formats.documents import FIELDS as DOCUMENT_FIELDS
from caesura.formats.events import read_lengths
from caesura.formats.format import Format, Reading
from caesura.formats.json_recipes import (
    ALIASES,
    CONTENT_ROLES,
    MARK_VALUES,
    ROLES,
    Document,
    are_marks,
    choose_recipe,
    is_nested_text,
    is_whole_list,
    select_documents,
    values_at,
)
from caesura.formats.mark_columns import CHOICES
from caesura.formats.roles import FIELDS
from caesura.formats.scores import score_field, scores_of_list
from caesura.formats.spans import Continuum, SpanRow, add_spans
from caesura.formats.table import ROW_OPTIONS, read_table
from caesura.limits import declared_cells
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.options import Option, choice, text, whole

_CONVENTIONS = {"ends": 0, "starts": -1, "0-based": 0}
_MIN_DOCUMENTS = 2  # that must agree about the place of marks
_MAX_KEYS = 100_000


def _read(reading: Reading) -> Corpus:
    documents = _documents(reading)
    if reading.options["recipe"] is None and (rows := _rows(documents)):
        reading.options = {**reading.options, "header": True}
        return read_table(reading, _table(reading, rows))
    name, recipe = choose_recipe(reading, documents)
    if name:
        reading.notes.append(f"recipe {name}")
    reader = _DocumentReader(reading, recipe)
    selected = list(reader.select(documents))
    reader.find_place_of_marks(selected)
    for document in selected:
        with reading.item(document.line, reader.place(document)):
            reader.read(document)
    reader.finish()
    return reading.corpus()


def _documents(reading: Reading) -> list[Document]:
    content = reading.text.lstrip()
    several = "\n" in content.strip() or unpacked_path(reading.path).suffix.lower() in (".jsonl", ".ndjson")
    if several and content.startswith("{") and _is_lines(content):
        return [
            Document(parse_json(reading.path, line, "JSON"), str(number), place)
            for number, (place, line) in enumerate(_lines(reading), 1)
        ]
    value = reading.json("documents")
    if isinstance(value, list):
        return [Document(entry, str(i)) for i, entry in enumerate(value, 1)]
    return [Document(value, reading.stem)]


def _lines(reading: Reading) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines_of(reading.text), 1):
        if line.strip():
            yield number, line


def _is_lines(content: str) -> bool:
    try:
        return isinstance(parse_json("", content.split("\n", 1)[0], "JSON"), dict)
    except FormatError:
        return False


def _rows(documents: Sequence[Document]) -> list[Document]:
    """Return the rows if the file is a table: a list of flat objects, or an object of columns as pandas writes it."""
    if len(documents) == 1 and isinstance(documents[0].value, dict):
        return _rows_of_columns(documents[0].value)
    if len(documents) < 2 or not all(_is_flat(document.value) for document in documents):
        return []
    return [] if _has_marks_as_text(documents[0].value) else list(documents)


def _has_marks_as_text(fields: Mapping[str, Any]) -> bool:
    """Return whether a field contains all marks of a document as text, such as ``"00101"``."""
    marks = [value for name, value in fields.items() if name.lower() in ALIASES["marks"]]
    return any(isinstance(value, str) and re.fullmatch("[01]{2,}", value) for value in marks)


def _rows_of_columns(columns: Mapping[str, Any]) -> list[Document]:
    first = next(iter(columns.values()), None)
    if len(columns) < 2 or not isinstance(first, dict) or not all(key.isdigit() for key in first):
        return []
    if not all(_is_flat(column) and column.keys() == first.keys() for column in columns.values()):
        return []
    return [Document({name: column[key] for name, column in columns.items()}, key) for key in first]


def _is_flat(value: object) -> bool:
    return (
        isinstance(value, dict) and bool(value) and not any(isinstance(entry, (list, dict)) for entry in value.values())
    )


def _table(reading: Reading, rows: Sequence[Document]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row.value))
    limit = declared_cells(len(reading.data))
    if len(names) * len(rows) > limit:
        raise reading.error(None, f"a table may have {limit:,} cells; this has {len(names)} times {len(rows)}")
    columns = {name: Column.of(name, [cell_text(row.value.get(name)) for row in rows]) for name in names}
    lines = np.array([row.line or 1 for row in rows], np.int64)
    return Table(columns, lines, notes=["each object is a row of a table"])


def _check_whole_list(role: str, values: Any) -> None:
    if not isinstance(values, list) or not is_whole_list(values):
        raise InputError(f"{role}: expected a list of whole numbers; got {describe_value(values)}")


def _from_masses(values: Any, units: tuple[str, ...] | None) -> Segmentation:
    if is_nested_text(values):
        units = tuple(text for segment in values for text in segment)
        values = [len(segment) for segment in values]
    _check_whole_list("masses", values)
    if units is not None and sum(values) != len(units):
        raise InputError(f"the masses sum to {sum(values)}; there are {len(units)} units")
    return Segmentation.from_masses(values, units=units)


@dataclass
class _DocumentReader:
    reading: Reading
    recipe: Mapping[str, Any]
    lengths: dict[str, float] | None = None
    fields: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        file = self.reading.options["lengths"]
        self.lengths = None if file is None else read_lengths(file)

    def select(self, documents: Sequence[Document]) -> Iterator[Document]:
        try:
            selected = list(select_documents(documents, str(self.recipe.get("documents", ""))))
        except InputError as error:
            raise self.reading.error(None, str(error)) from None
        if self.recipe.get("documents", "") == "" and len(selected) > 1 and "item" not in self.recipe:
            self.reading.notes.append("the documents are numbered")
        yield from selected

    def find_place_of_marks(self, documents: Sequence[Document]) -> None:
        """Find out whether a mark is at the first or at the last unit of a segment, if all documents agree."""
        path = self.recipe.get("marks")
        if not isinstance(path, str) or "marks_at" in self.recipe or self.reading.options["marks"] is not None:
            return
        edges = self._first_and_last_marks(documents, path)
        begin, end = (all(edge[i] for edge in edges) for i in (0, 1))
        if len(edges) < _MIN_DOCUMENTS or begin == end:
            return
        place, edge = ("start", "begins") if begin else ("end", "ends")
        self.recipe = {**self.recipe, "marks_at": place}
        where = "first" if begin else "last"
        self.reading.notes.append(
            f"every document {edge} with a mark, so a mark is at the {where} unit of a segment (--reading marks={place})"
        )

    def _first_and_last_marks(self, documents: Sequence[Document], path: str) -> list[tuple[bool, bool]]:
        edges = []
        for document in documents:
            with suppress(InputError, KeyError, TypeError):
                marks, units = self._marks(values_at(document, path)), self._units(document)
                if marks and (units is None or len(units) == len(marks)):
                    edges.append((marks[0], marks[-1]))
        return edges

    def place(self, document: Document) -> str:
        return f"item {self._item(document)!r}: "

    def _item(self, document: Document) -> str:
        name = self.recipe.get("item")
        if name in (None, "@key") or not isinstance(document.value, dict):
            return document.name
        value = document.value.get(name, document.name)
        return str(value) if isinstance(value, (str, int)) else document.name

    def _coder(self, document: Document) -> str:
        name = self.recipe.get("coder")
        if name is None or not isinstance(document.value, dict) or name not in document.value:
            return self.reading.stem
        return str(document.value[name])

    def read(self, document: Document) -> None:
        if isinstance(document.value, dict):
            self.fields.update(list(document.value)[:_MAX_KEYS])
        role = self._content_role()
        if self.reading.options["scores"] and self._add_scores(document, named=role is not None) and role is None:
            return
        if role is None:
            raise InputError("the recipe names no field with boundaries: masses, marks, positions, times or spans")
        item, units = self._item(document), self._units(document)
        if role == "times":
            self._add_times(document, item)
        elif role == "spans":
            self._add_spans(document, item, units)
        else:
            for coder, segmentation in self._segmentations(document, role, item, units):
                self.reading.add(item, coder, segmentation, document.line)

    def _content_role(self) -> str | None:
        return next((role for role in CONTENT_ROLES if role in self.recipe), None)

    def _segmentations(
        self, document: Document, role: str, item: str, units: tuple[str, ...] | None
    ) -> Iterator[tuple[str, Segmentation]]:
        fields = self.recipe[role]
        if fields == "*":
            for coder, numbers in document.value.items():
                yield coder, self._from_numbers(role, numbers, item, units)
            return
        coders = [(name, name) for name in fields] if isinstance(fields, list) else [(self._coder(document), fields)]
        for coder, name in coders:
            yield coder, self._segmentation(role, values_at(document, name), item, units, document)

    def _add_scores(self, document: Document, *, named: bool) -> bool:
        """Add the boundary scores of a document, and return whether there are any."""
        name = score_field(document.value)
        if name is None:
            return False
        coder = name if named else self._coder(document)
        self.reading.roles[name] = "score"
        self.fields.discard(name)
        self.reading.add(self._item(document), coder, scores_of_list(name, document.value[name]), document.line)
        return True

    def _units(self, document: Document) -> tuple[str, ...] | None:
        if "units" not in self.recipe:
            return None
        values = values_at(document, self.recipe["units"])
        if not isinstance(values, list) or not all(isinstance(entry, (str, dict)) for entry in values):
            raise InputError(f"{self.recipe['units']}: expected a list of texts; got {describe_value(values)}")
        return tuple(entry if isinstance(entry, str) else str(entry.get("text", "")) for entry in values)

    def _segmentation(
        self, role: str, values: Any, item: str, units: tuple[str, ...] | None, document: Document
    ) -> Segmentation:
        if role != "marks":
            return self._from_numbers(role, values, item, units)
        marks = self._marks(values)
        segmentation = self._from_marks(marks, units)
        return segmentation if "labels" not in self.recipe else self._with_labels(segmentation, units, document)

    def _with_labels(
        self, segmentation: Segmentation, units: tuple[str, ...] | None, document: Document
    ) -> Segmentation:
        labels = document.value.get(self.recipe["labels"]) if isinstance(document.value, dict) else None
        if labels is None:
            return segmentation
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise InputError(f"{self.recipe['labels']}: expected a list of texts; got {describe_value(labels)}")
        return Segmentation.from_masses(segmentation.masses, labels=labels, units=units)

    def _from_numbers(self, role: str, values: Any, item: str, units: tuple[str, ...] | None) -> Segmentation:
        if role == "masses":
            return _from_masses(values, units)
        _check_whole_list(role, values)
        length = len(units) if units is not None else self._length(item)
        convention = self.reading.options["positions"] or "ends"
        note = "position i is the end of unit i, counted from 1 (--reading positions=starts or 0-based changes this)"
        unsaid = self.reading.options["positions"] is None and not {"match", "documents"} & self.recipe.keys()
        if unsaid and note not in self.reading.notes:
            self.reading.notes.append(note)
        positions = [value + _CONVENTIONS[convention] for value in values]
        inner = [position for position in positions if position not in (0, length)]  # the ends say nothing
        return Segmentation.from_positions(length, inner, units=units)

    def _length(self, item: str) -> int:
        length = self.reading.options["length"]
        if self.lengths is not None and item in self.lengths:
            length = int(self.lengths[item])
        if length is None:
            problem = "positions need the number of units of the text"
            raise InputError(f"{problem}; give it with length=N, or lengths=FILE (--reading lengths=FILE)")
        return int(length)

    def _marks(self, values: Any) -> list[bool]:
        entries = list(values) if isinstance(values, (str, list)) else None
        if entries is None or not are_marks(entries):
            wrong = describe_value(values) if entries is None else _first_wrong(entries)
            raise InputError(f"{self.recipe['marks']}: expected 0 and 1; got {wrong}")
        return [MARK_VALUES[str(entry).lower()] for entry in entries]

    def _from_marks(self, marks: Sequence[bool], units: tuple[str, ...] | None) -> Segmentation:
        if units is not None and len(marks) == len(units) - 1:
            return Segmentation.from_bits([int(mark) for mark in marks], units=units)
        if units is not None and len(marks) != len(units):
            raise InputError(f"expected one mark per unit; got {len(marks)} marks and {len(units)} units")
        place = self.reading.options["marks"] or self.recipe.get("marks_at")
        if place is None:
            raise _Undecided
        constructor = Segmentation.from_starts if place == "start" else Segmentation.from_ends
        return constructor([int(mark) for mark in marks], units=units)

    def _add_times(self, document: Document, item: str) -> None:
        fields = self.recipe["times"]
        duration = values_at(document, self.recipe["duration"]) if "duration" in self.recipe else None
        for coder in [fields] if isinstance(fields, str) else fields:
            times = _checked_times(coder, values_at(document, coder), duration)
            inner = sorted({float(time) for time in times if time != 0 and time != duration})
            tier = Tier(end=duration, points=[(time, "") for time in inner], open_end=duration is None)
            self.reading.add(item, coder, tier, document.line)

    def _add_spans(self, document: Document, item: str, units: tuple[str, ...] | None) -> None:
        content = document.value.get(self.recipe["text"]) if "text" in self.recipe else None
        if units is None and not isinstance(content, str):
            raise InputError("spans need the units or the text of the document")
        rows: list[SpanRow] = []
        for entry in select_documents([document], self.recipe["spans"]):
            if not isinstance(entry.value, dict):
                raise InputError(f"expected an object for a span; got {describe_value(entry.value)}")
            rows += self._span_rows(entry.value)
        length = len(units) if units is not None else len(content or "")
        for row in rows:
            if not 1 <= row.start <= row.end <= length:
                raise InputError(f"a span must lie in 1..{length}; got {row.start}-{row.end}")
        self._report_coverage(rows, length)
        add_spans(self.reading, item, self._coder(document), rows, Continuum(False, length, units), last=length)

    def _span_rows(self, value: Mapping[str, Any]) -> list[SpanRow]:
        label = value.get(self.recipe.get("span_label", "label"))
        label = None if label is None else str(label)
        if "start" in self.recipe:
            start, size = (_whole(value, self.recipe[name]) for name in ("start", "size"))
            return [SpanRow(start + 1, start + size, None, label)]
        ranges = value.get(self.recipe.get("span_range", "range"))
        if not isinstance(ranges, list):
            raise InputError(f"expected a list of [first, last]; got {describe_value(ranges)}")
        return [_row_of_range(entry, label) for entry in ranges]

    def _report_coverage(self, rows: Sequence[SpanRow], length: int) -> None:
        covered: dict[int, int] = {}
        for row in rows:
            for unit in range(row.start, row.end + 1):
                covered[unit] = covered.get(unit, 0) + 1
        overlaps = sum(number > 1 for number in covered.values())
        if overlaps:
            self.reading.notes.append(f"{overlaps} units are in several spans")
        if len(covered) < length:
            self.reading.notes.append(f"{length - len(covered)} of {length} units are in no span")

    def finish(self) -> None:
        used = self._role_of_path()
        self.reading.roles |= used
        if "*" in (self.recipe.get(role) for role in CONTENT_ROLES):
            return  # the fields are the coders
        names = {path.replace("[]", "").split(".")[0] for path in used}
        self.reading.ignored += sorted(name for name in self.fields - names if "item" not in name)[:20]

    def _role_of_path(self) -> dict[str, str]:
        roles = {}
        for role in ROLES:
            paths = self.recipe.get(role) if role != "documents" else None
            for path in [paths] if isinstance(paths, str) else paths or []:
                if path not in ("*", "@key", ""):
                    roles[path] = role
        return roles


class _Undecided(Exception):  # noqa: N818 - a signal rather than an error
    """Raised when marks may be at the first or at the last unit of a segment."""


def _first_wrong(entries: Sequence[Any]) -> str:
    return describe_value(next(entry for entry in entries if str(entry).lower() not in MARK_VALUES))


def _checked_times(name: str, times: Any, duration: float | None) -> list[float]:
    if not isinstance(times, list) or not all(isinstance(time, (int, float)) for time in times):
        raise InputError(f"{name}: expected a list of times in seconds; got {describe_value(times)}")
    outside = [time for time in times if duration is not None and not 0 <= time <= duration]
    if outside:
        raise InputError(f"{name}: {outside[0]} lies outside 0..{duration:g}")
    return times


def _row_of_range(entry: Any, label: str | None) -> SpanRow:
    """Return the span of the units ``[first, last]``, counted from 0."""
    if not isinstance(entry, list) or len(entry) != 2 or not all(str(edge).strip().isdigit() for edge in entry):
        raise InputError(f"expected [first, last], counted from 0; got {describe_value(entry)}")
    first, last = (int(edge) for edge in entry)
    return SpanRow(first + 1, last + 1, None, label)


def _whole(value: Mapping[str, Any], name: str) -> int:
    number = value.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise InputError(f"{name}: expected a whole number; got {describe_value(number)}")
    return number


def _read_or_ask(reading: Reading) -> Corpus:
    try:
        return _read(reading)
    except _Undecided:
        problem = "one mark per unit: a 1 may be at the first or at the last unit of a segment"
        raise AmbiguousFileError(reading.path, problem, CHOICES) from None


def _looks_like(text: str) -> bool:
    """Return whether a text is JSON that a recipe or the names of its fields explain, or lines with lists of other names."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    reading = Reading("", text, options={option.name: option.default for option in FORMAT.options})
    try:
        documents = _documents(reading)
        if _rows(documents):
            return True
        choose_recipe(reading, documents[:1] if len(documents) > 1 else documents)
    except AmbiguousFileError:
        return True
    except (FormatError, InputError):
        return _has_unknown_lists(text)
    return True


def _has_unknown_lists(text: str) -> bool:
    """Return whether the first line is an object with lists of objects, and not a document of caesura."""
    try:
        first = parse_json("", text.lstrip().split("\n", 1)[0], "JSON")
    except FormatError:
        return False
    if not isinstance(first, dict) or first.keys() <= {*DOCUMENT_FIELDS}:
        return False
    return any(isinstance(value, list) and value and isinstance(value[0], dict) for value in first.values())


FORMAT = Format(
    name="json",
    suffixes=(".json", ".jsonl"),
    description="JSON or JSON lines by the names of the fields, with recipes for well-known data sets",
    read=_read_or_ask,
    looks_like=_looks_like,
    options=(
        FIELDS,
        Option("recipe", None, text, "name of a recipe, or a .toml file with one (default: by the fields)"),
        Option("positions", None, choice(*_CONVENTIONS), "what positions count (default: ends)"),
        Option("length", None, whole(1), "number of units of every text, for positions"),
        *(option for option in ROW_OPTIONS if option.name not in ("fields", "header", "skip", "length")),
    ),
    annotation_types=(Segmentation, Hierarchy, Tier),
    fallback=(".json",),
    hint="--fields",
)
