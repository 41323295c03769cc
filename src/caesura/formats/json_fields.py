"""JSON and JSON lines by the names of their fields.

A file contains one document, a list of documents, an object of documents by name, or one document per line. A *recipe* tells
which field of a document contains the units, and which one the masses, marks, positions, times or spans. The recipes of
well-known data sets are in ``data/recipes.toml``; they are used by themselves if a file has their fields. The option
``fields`` makes a recipe for other files: ``fields="units=sentences,marks=labels"``. Fields that no recipe names are ignored.

One mark per unit is at the first or at the last unit of a segment. If neither the recipe nor the option ``marks`` says so,
the reader stops and shows both possibilities. The option ``positions`` says what positions count: ``"ends"`` is the number of
the last unit of a segment, ``"starts"`` that of the first, both counted from 1; ``"0-based"`` is the number of the first unit,
counted from 0.

A file with one flat object per row, such as pandas writes with ``to_json``, is a table; :mod:`caesura.formats.table` reads it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import AmbiguousFileError, FormatError, InputError, OptionError
from caesura.formats.columns import Column, Table, cell_text
from caesura.formats.content import describe_value, lines_of, parse_json, unpacked_path
from caesura.formats.documents import FIELDS as DOCUMENT_FIELDS
from caesura.formats.events import read_lengths
from caesura.formats.format import Format, Reading
from caesura.formats.mark_places import CHOICES
from caesura.formats.roles import FIELDS
from caesura.formats.scores import score_field, scores_of_list
from caesura.formats.spans import Continuum, SpanRow, add_spans
from caesura.formats.table import ROW_OPTIONS, read_table
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier
from caesura.options import Option, choice, suggest, text, whole

ALIASES: dict[str, tuple[str, ...]] = {
    "item": ("item", "id", "doc", "document", "doc_id", "dial_id", "dialogue_id", "video_id", "file", "name"),
    "coder": ("coder", "annotator", "rater", "worker"),
    "units": ("units", "sentences", "utterances", "tokens", "words", "turns", "texts", "paragraphs"),
    "masses": ("masses", "segments", "segment_lengths"),
    "marks": ("marks", "boundaries", "targets", "labels", "bits"),
    "positions": ("positions", "boundary_positions"),
}
"""Role -> names of fields that have it, in files without a recipe."""
_CONTENT = ("masses", "marks", "positions", "times", "spans")
_ROLES = (*ALIASES, "stream", "times", "duration", "spans", "labels", "text", "documents", "length")
_CONVENTIONS = {"ends": 0, "starts": -1, "0-based": 0}
_MIN_DOCUMENTS = 2  # that must agree about the place of marks
_MAX_KEYS = 100_000
_MAX_CELLS = 2**26


@cache
def recipes() -> dict[str, dict[str, Any]]:
    """Return the recipes that ship with the package.

    Returns
    -------
    dict
        Name -> recipe.
    """
    return tomllib.loads(files("caesura.data").joinpath("recipes.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Document:
    """A document of a JSON file.

    Attributes
    ----------
    value : object
        The JSON value.
    name : str
        Key of the document in its object, or its number, counted from 1.
    line : int or None
        Line of the document in a file with one document per line.
    """

    value: Any
    name: str
    line: int | None = None


def _read(reading: Reading) -> Corpus:
    documents = _documents(reading)
    if reading.options["recipe"] is None and (rows := _rows(documents)):
        reading.options = {**reading.options, "header": True}
        return read_table(reading, _table(reading, rows))
    name, recipe = _recipe(reading, documents)
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
    """Return the top level of a file: its lines, the entries of its list, or its only value."""
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
    """Return whether the first line is a complete JSON object."""
    try:
        return isinstance(parse_json("", content.split("\n", 1)[0], "JSON"), dict)
    except FormatError:
        return False


# -- rows of a table ---------------------------------------------------------------------------------------------------


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
    """Return the rows of an object of columns, each an object of cells by the number of the row."""
    first = next(iter(columns.values()), None)
    if len(columns) < 2 or not isinstance(first, dict) or not all(key.isdigit() for key in first):
        return []
    if not all(_is_flat(column) and column.keys() == first.keys() for column in columns.values()):
        return []
    return [Document({name: column[key] for name, column in columns.items()}, key) for key in first]


def _is_flat(value: object) -> bool:
    """Return whether a value is an object without lists and objects in it."""
    return (
        isinstance(value, dict) and bool(value) and not any(isinstance(entry, (list, dict)) for entry in value.values())
    )


def _table(reading: Reading, rows: Sequence[Document]) -> Table:
    """Return rows as a table; fields that a row does not have are empty cells."""
    names = list(dict.fromkeys(name for row in rows for name in row.value))
    if len(names) * len(rows) > _MAX_CELLS:
        raise reading.error(None, f"a table may have {_MAX_CELLS} cells; this has {len(names)} times {len(rows)}")
    columns = {name: Column.of(name, [cell_text(row.value.get(name)) for row in rows]) for name in names}
    lines = np.array([row.line or 1 for row in rows], np.int64)
    return Table(columns, lines, notes=["each object is a row of a table"])


# -- recipes ----------------------------------------------------------------------------------------------------------


def _recipe(reading: Reading, documents: Sequence[Document]) -> tuple[str, Mapping[str, Any]]:
    """Return the recipe of a file and its name; the name is empty if the recipe comes from fields."""
    name = reading.options["recipe"]
    fields = _fields(reading)
    if name is not None:
        return name, {**_named_recipe(name), **fields}
    for known, recipe in recipes().items():
        for path in dict.fromkeys(
            (recipe.get("documents", ""), "")
        ):  # the documents of a data set may be in lines, too
            if recipe.get("match") and _matches({**recipe, "documents": path}, documents):
                return known, {**recipe, "documents": path, **fields}
    if not fields and _is_nested_lists(documents):
        return "", _nested_recipe(reading, documents)
    if not fields and _is_pairs(documents):
        return "tiage", recipes()["tiage"]
    return "", {**_guess_fields(reading, documents), **fields}


def _fields(reading: Reading) -> dict[str, Any]:
    fields = {}
    for role, names in (reading.options["fields"] or {}).items():
        if role not in _ROLES:
            raise OptionError(suggest("fields: no role", role, _ROLES))
        names = tuple(part for name in names for part in name.split("+")) if role in _CONTENT else names
        fields[role] = list(names) if role == "times" or len(names) > 1 else names[0]
    return fields


def _named_recipe(name: str) -> Mapping[str, Any]:
    if name in recipes():
        return recipes()[name]
    if not name.endswith(".toml"):
        raise OptionError(suggest("no recipe", name, recipes()))
    try:
        content = tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise FormatError(name, None, f"cannot be read as a recipe: {problem}") from None
    tables = [value for value in content.values() if isinstance(value, dict)]
    if len(tables) == 1 and len(content) == 1:
        content = tables[0]
    for key in content:
        if key not in (*_ROLES, "match", "marks_at", "span_label", "span_range", "start", "size"):
            raise FormatError(name, None, suggest("no key", key, _ROLES))
    return content


def _matches(recipe: Mapping[str, Any], documents: Sequence[Document]) -> bool:
    """Return whether the first documents have all fields that a recipe requires."""
    try:
        first = next(iter(_select(documents, str(recipe.get("documents", "")))), None)
    except InputError:
        return False
    if first is None or not isinstance(first.value, dict):
        return False
    return all(name in first.value for name in recipe["match"])


def _is_nested_lists(documents: Sequence[Document]) -> bool:
    """Return whether the file is an object of objects of lists of whole numbers: item, coder, positions or masses."""
    if len(documents) != 1 or not isinstance(documents[0].value, dict) or not documents[0].value:
        return False
    return all(
        isinstance(by_coder, dict) and by_coder and all(_is_whole_list(numbers) for numbers in by_coder.values())
        for by_coder in documents[0].value.values()
    )


def _is_whole_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, int) and not isinstance(entry, bool) for entry in value)


def _is_pairs(documents: Sequence[Document]) -> bool:
    """Return whether the file is an object of lists of pairs of text and mark -1, 0 or 1, as in TIAGE."""
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or not value:
        return False
    return all(
        isinstance(turns, list)
        and turns
        and all(isinstance(turn, list) and len(turn) == 2 and str(turn[1]) in ("-1", "0", "1") for turn in turns)
        for turns in value.values()
    )


def _nested_recipe(reading: Reading, documents: Sequence[Document]) -> dict[str, Any]:
    """Decide whether the numbers of an object of coders are positions or masses."""
    says_positions = any(reading.options[name] is not None for name in ("positions", "length", "lengths"))
    if not says_positions and all(map(_may_be_masses, documents[0].value.values())):
        reading.notes.append("the lists of numbers are masses: the lengths of segments")
        return {"documents": "*", "item": "@key", "masses": "*"}
    reading.notes.append("the lists of numbers are positions of boundaries: i is the end of unit i")
    return recipes()["tcpd"]


def _may_be_masses(by_coder: Mapping[str, Sequence[int]]) -> bool:
    """Return whether the numbers of all coders are positive and have the same sum."""
    positive = all(numbers and min(numbers) > 0 for numbers in by_coder.values())
    return positive and len({sum(numbers) for numbers in by_coder.values()}) == 1


def _guess_fields(reading: Reading, documents: Sequence[Document]) -> dict[str, Any]:
    """Return the fields of the first document by their names."""
    first = _first_object(reading, documents)
    recipe = _known_fields(first)
    content = [role for role in _CONTENT if role in recipe]
    if any(role in _CONTENT for role in reading.options["fields"] or ()):
        return {role: name for role, name in recipe.items() if role not in content}
    if not content and _has_scores(reading, first):
        return recipe
    if len(content) == 1:
        _report_similar(reading, first, content[0], recipe[content[0]])
        return recipe
    raise _unclear_fields(reading, documents[0], recipe, content)


def _has_scores(reading: Reading, first: Mapping[str, Any]) -> bool:
    return reading.options["scores"] and score_field(first) is not None


def _first_object(reading: Reading, documents: Sequence[Document]) -> Mapping[str, Any]:
    first = documents[0].value if documents else None
    if not isinstance(first, dict):
        raise reading.error(1, f"expected objects with fields; got {describe_value(first)}")
    return first


def _unclear_fields(
    reading: Reading, document: Document, recipe: Mapping[str, Any], content: Sequence[str]
) -> FormatError:
    """Return the error for a document in which no field, or several fields, may contain boundaries."""
    first = document.value
    problem = "no field is known to contain boundaries" if not content else "several fields may contain boundaries"
    problem += f"; the fields are {', '.join(map(_field_text, list(first.items())[:20]))}"
    choices = [(_reading_text(fields), {"fields": fields}) for fields in _possible_fields(first, recipe)]
    if choices:
        return AmbiguousFileError(reading.path, problem, choices)
    hint = "name the fields with fields, such as --fields units=sentences,marks=labels, or use a recipe"
    return reading.error(document.line or 1, f"{problem}; {hint}")


def _known_fields(first: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a document whose names are known, by role."""
    recipe: dict[str, Any] = {}
    for role, names in ALIASES.items():
        field_name = next((name for key in names for name in first if name.lower() == key), None)
        if field_name is not None and field_name not in recipe.values():
            recipe[role] = field_name
    return recipe


def _report_similar(reading: Reading, first: Mapping[str, Any], role: str, name: str) -> None:
    """Note which fields look like the field with the boundaries; they may be further coders."""
    form = _form(first.get(name), None)
    others = [other for other, value in first.items() if other != name and form and _form(value, None) == form]
    if others and role in ("marks", "masses") and all(len(first[other]) == len(first[name]) for other in others):
        fields = "+".join([name, *others])
        reading.notes.append(
            f"{', '.join(others)} may contain boundaries too; to read all, use --fields {role}={fields}"
        )


def _form(value: object, length: int | None) -> str | None:
    """Return the role that a list of numbers may have: marks, masses or positions; None for other values."""
    if not isinstance(value, list) or not value:
        return None
    if _are_marks(value) and (length is None or len(value) in (length, length - 1)):
        return "marks"
    if not _is_whole_list(value) or min(value) < 0:
        return None
    return "masses" if min(value) > 0 and length in (None, sum(value)) else "positions"


def _are_marks(values: Iterable[object]) -> bool:
    return all(str(value).lower() in _MARK_VALUES for value in values)


def _possible_fields(first: Mapping[str, Any], recipe: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the possible readings of a document whose fields have other names."""
    texts = [name for name, value in first.items() if _is_text_list(value)]
    units = recipe.get("units", texts[0] if len(texts) == 1 else None)
    common = {"units": units} if units in texts else {}
    if "item" not in recipe:
        common |= _item_field(first)
    by_form = _fields_by_form(first, units, len(first[units]) if units in texts else None)
    return [{**common, form: names[0] if len(names) == 1 else names} for form, names in by_form.items()]


def _fields_by_form(first: Mapping[str, Any], units: str | None, length: int | None) -> dict[str, list[str]]:
    """Return the fields other than the units that may be marks, masses or positions, by that form."""
    by_form: dict[str, list[str]] = {}
    for name, value in first.items():
        if name != units and (form := _form(value, length)) is not None:
            by_form.setdefault(form, []).append(name)
    if "positions" in by_form:  # numbers that could be masses are more likely positions as well
        numbers = {*by_form["positions"], *by_form.get("masses", ())}
        by_form["positions"] = [name for name in first if name in numbers]
    return by_form


def _item_field(first: Mapping[str, Any]) -> dict[str, Any]:
    """Return the only field whose name ends in id or name, as the item."""
    names = [
        name for name, value in first.items() if isinstance(value, (str, int)) and re.search("(?i)(id|name)$", name)
    ]
    return {"item": names[0]} if len(names) == 1 else {}


def _is_nested_text(value: object) -> bool:
    """Return whether a value is a list of segments, each a list of the texts of its units."""
    return isinstance(value, list) and bool(value) and all(map(_is_text_list, value))


def _is_text_list(value: object) -> bool:
    """Return whether a value is a list of texts, and not empty."""
    return isinstance(value, list) and bool(value) and all(isinstance(entry, str) for entry in value)


def _reading_text(fields: Mapping[str, Any]) -> str:
    listed = ((role, [names] if isinstance(names, str) else names) for role, names in fields.items())
    return ", ".join(f"{role} in {' and '.join(names)}" for role, names in listed)


def _field_text(entry: tuple[str, Any]) -> str:
    """Return the name of a field, with the fields of its objects if it contains a list of objects."""
    name, value = entry
    inner = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else None
    return name if inner is None else f"{name} (objects with {', '.join(list(inner)[:8])})"


# -- paths ------------------------------------------------------------------------------------------------------------


def _select(documents: Sequence[Document], path: str) -> Iterator[Document]:
    """Yield the documents at a path, such as ``dial_data.*[]``."""
    steps = path.replace("[]", ".[]").strip(".").split(".") if path else []
    for document in documents:
        yield from _walk(document, steps)


def _walk(document: Document, steps: Sequence[str]) -> Iterator[Document]:
    if not steps:
        yield document
        return
    step, *rest = steps
    for key, value in _step(document.value, step):
        yield from _walk(Document(value, document.name if key is None else key, document.line), rest)


def _step(value: Any, step: str) -> Iterator[tuple[str | None, Any]]:
    """Yield the values that a step of a path reaches, with their keys if it reaches all of a list or an object."""
    if step == "[]":
        if not isinstance(value, list):
            raise InputError(f"expected a list; got {describe_value(value)}")
        yield from zip(map(str, count(1)), value, strict=False)
    elif step == "*":
        if not isinstance(value, dict):
            raise InputError(f"expected an object; got {describe_value(value)}")
        yield from value.items()
    else:
        yield None, _member(value, step)


def _member(value: Any, name: str) -> Any:
    """Return a field of an object, or an entry of a list by its number."""
    if isinstance(value, dict) and name in value:
        return value[name]
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    raise InputError(f"expected a field {name!r}; got {describe_value(value)}")


def _values(document: Document, path: str) -> Any:
    """Return the value at a path in a document: a list if the path goes through a list."""
    steps = path.replace("[]", ".[]").strip(".").split(".")
    values = [entry.value for entry in _walk(document, steps)]
    return values if "[]" in steps or "*" in steps else values[0]


# -- documents --------------------------------------------------------------------------------------------------------


def _check_whole_list(role: str, values: Any) -> None:
    if not isinstance(values, list) or not _is_whole_list(values):
        raise InputError(f"{role}: expected a list of whole numbers; got {describe_value(values)}")


def _from_masses(values: Any, units: tuple[str, ...] | None) -> Segmentation:
    """Return the segmentation for masses, or for one list of units per segment."""
    if _is_nested_text(values):
        units = tuple(text for segment in values for text in segment)
        values = [len(segment) for segment in values]
    _check_whole_list("masses", values)
    if units is not None and sum(values) != len(units):
        raise InputError(f"the masses sum to {sum(values)}; there are {len(units)} units")
    return Segmentation.from_masses(values, units=units)


@dataclass
class _DocumentReader:
    """Reads the documents of a file with one recipe."""

    reading: Reading
    recipe: Mapping[str, Any]
    lengths: dict[str, float] | None = None
    fields: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        file = self.reading.options["lengths"]
        self.lengths = None if file is None else read_lengths(file)

    def select(self, documents: Sequence[Document]) -> Iterator[Document]:
        try:
            selected = list(_select(documents, str(self.recipe.get("documents", ""))))
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
        """Return the first and the last mark of every document that has one mark per unit."""
        edges = []
        for document in documents:
            with suppress(InputError, KeyError, TypeError):
                marks, units = self._marks(_values(document, path)), self._units(document)
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
        """Add the annotations of a document."""
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
        """Return the role of the field with the boundaries."""
        return next((role for role in _CONTENT if role in self.recipe), None)

    def _segmentations(
        self, document: Document, role: str, item: str, units: tuple[str, ...] | None
    ) -> Iterator[tuple[str, Segmentation]]:
        """Yield coder and segmentation: one per field, one per key of an object, or the only one."""
        fields = self.recipe[role]
        if fields == "*":
            for coder, numbers in document.value.items():
                yield coder, self._from_numbers(role, numbers, item, units)
            return
        coders = [(name, name) for name in fields] if isinstance(fields, list) else [(self._coder(document), fields)]
        for coder, name in coders:
            yield coder, self._segmentation(role, _values(document, name), item, units, document)

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
        values = _values(document, self.recipe["units"])
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
        """Return the segmentation with one label per segment, if the document has them."""
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
        if entries is None or not _are_marks(entries):
            wrong = describe_value(values) if entries is None else _first_wrong(entries)
            raise InputError(f"{self.recipe['marks']}: expected 0 and 1; got {wrong}")
        return [_MARK_VALUES[str(entry).lower()] for entry in entries]

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
        """Add one tier of points per coder."""
        fields = self.recipe["times"]
        duration = _values(document, self.recipe["duration"]) if "duration" in self.recipe else None
        for coder in [fields] if isinstance(fields, str) else fields:
            times = _checked_times(coder, _values(document, coder), duration)
            inner = sorted({float(time) for time in times if time != 0 and time != duration})
            tier = Tier(end=duration, points=[(time, "") for time in inner], open_end=duration is None)
            self.reading.add(item, coder, tier, document.line)

    def _add_spans(self, document: Document, item: str, units: tuple[str, ...] | None) -> None:
        """Add labelled spans as a hierarchy."""
        content = document.value.get(self.recipe["text"]) if "text" in self.recipe else None
        if units is None and not isinstance(content, str):
            raise InputError("spans need the units or the text of the document")
        rows: list[SpanRow] = []
        for entry in _walk(document, self.recipe["spans"].replace("[]", ".[]").strip(".").split(".")):
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
        """Describe the roles of the fields, and list the fields that were not used."""
        used = self._role_of_path()
        self.reading.roles |= used
        if "*" in (self.recipe.get(role) for role in _CONTENT):
            return  # the fields are the coders
        names = {path.replace("[]", "").split(".")[0] for path in used}
        self.reading.ignored += sorted(name for name in self.fields - names if "item" not in name)[:20]

    def _role_of_path(self) -> dict[str, str]:
        """Return the paths of fields in the recipe, each with its role."""
        roles = {}
        for role in _ROLES:
            paths = self.recipe.get(role) if role != "documents" else None
            for path in [paths] if isinstance(paths, str) else paths or []:
                if path not in ("*", "@key", ""):
                    roles[path] = role
        return roles


class _Undecided(Exception):  # noqa: N818 - a signal rather than an error
    """Raised when marks may be at the first or at the last unit of a segment."""


_MARK_VALUES = {"0": False, "1": True, "-1": False, "true": True, "false": False}


def _first_wrong(entries: Sequence[Any]) -> str:
    return describe_value(next(entry for entry in entries if str(entry).lower() not in _MARK_VALUES))


def _checked_times(name: str, times: Any, duration: float | None) -> list[float]:
    """Return a list of times, unless it has other values or times outside the recording."""
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
    """Read the file, or raise an error with the possible readings if the meaning of its marks is not clear."""
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
        _recipe(reading, documents[:1] if len(documents) > 1 else documents)
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
