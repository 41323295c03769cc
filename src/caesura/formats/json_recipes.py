"""Recipes for JSON files: which field of a document contains the units, and which one the boundaries.

The recipe is the one that the user names, the first one whose fields a file has, or a guess by the names of the fields. Its
fields are paths, such as ``dial_data.*[]``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any

from caesura.errors import AmbiguousFileError, FormatError, InputError, OptionError
from caesura.formats.content import describe_value
from caesura.formats.format import Reading
from caesura.formats.scores import score_field
from caesura.options import suggest

# Role -> names of fields that have it, in files without a recipe.
ALIASES: dict[str, tuple[str, ...]] = {
    "item": ("item", "id", "doc", "document", "doc_id", "dial_id", "dialogue_id", "video_id", "file", "name"),
    "coder": ("coder", "annotator", "rater", "worker"),
    "units": ("units", "sentences", "utterances", "tokens", "words", "turns", "texts", "paragraphs"),
    "masses": ("masses", "segments", "segment_lengths"),
    "marks": ("marks", "boundaries", "targets", "labels", "bits"),
    "positions": ("positions", "boundary_positions"),
}
# Text of a value in lower case -> whether it marks a boundary.
MARK_VALUES = {"0": False, "1": True, "-1": False, "true": True, "false": False}
# Roles of fields that contain boundaries.
CONTENT_ROLES = ("masses", "marks", "positions", "times", "spans")
# Roles that a recipe can give to fields.
ROLES = (*ALIASES, "stream", "times", "duration", "spans", "labels", "text", "documents", "length")


@cache
def recipes() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("caesura.formats").joinpath("recipes.toml").read_text(encoding="utf-8"))


def choose_recipe(reading: Reading, documents: Sequence[Document]) -> tuple[str, Mapping[str, Any]]:
    name = reading.options["recipe"]
    fields = _fields(reading)
    if name is not None:
        return name, {**_named_recipe(name), **fields}
    for known, recipe in recipes().items():
        for path in dict.fromkeys((recipe.get("documents", ""), "")):  # the documents may be in lines, too
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
        if role not in ROLES:
            raise OptionError(suggest("fields: no role", role, ROLES))
        names = tuple(part for name in names for part in name.split("+")) if role in CONTENT_ROLES else names
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
        if key not in (*ROLES, "match", "marks_at", "span_label", "span_range", "start", "size"):
            raise FormatError(name, None, suggest("no key", key, ROLES))
    return content


def _matches(recipe: Mapping[str, Any], documents: Sequence[Document]) -> bool:
    try:
        first = next(iter(select_documents(documents, str(recipe.get("documents", "")))), None)
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
        isinstance(by_coder, dict) and by_coder and all(is_whole_list(numbers) for numbers in by_coder.values())
        for by_coder in documents[0].value.values()
    )


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
    first = documents[0].value if documents else None
    if not isinstance(first, dict):
        raise reading.error(1, f"expected objects with fields; got {describe_value(first)}")
    recipe = _known_fields(first)
    content = [role for role in CONTENT_ROLES if role in recipe]
    if any(role in CONTENT_ROLES for role in reading.options["fields"] or ()):
        return {role: name for role, name in recipe.items() if role not in content}
    if not content and reading.options["scores"] and score_field(first) is not None:
        return recipe
    if len(content) == 1:
        _report_similar(reading, first, content[0], recipe[content[0]])
        return recipe
    raise _unclear_fields(reading, documents[0], recipe, content)


def _unclear_fields(
    reading: Reading, document: Document, recipe: Mapping[str, Any], content: Sequence[str]
) -> FormatError:
    first = document.value
    problem = "no field is known to contain boundaries" if not content else "several fields may contain boundaries"
    problem += f"; the fields are {', '.join(map(_field_text, list(first.items())[:20]))}"
    choices = [(_reading_text(fields), {"fields": fields}) for fields in _possible_fields(first, recipe)]
    if choices:
        return AmbiguousFileError(reading.path, problem, choices)
    hint = "name the fields with fields, such as --fields units=sentences,marks=labels, or use a recipe"
    return reading.error(document.line or 1, f"{problem}; {hint}")


def _known_fields(first: Mapping[str, Any]) -> dict[str, Any]:
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
    if are_marks(value) and (length is None or len(value) in (length, length - 1)):
        return "marks"
    if not is_whole_list(value) or min(value) < 0:
        return None
    return "masses" if min(value) > 0 and length in (None, sum(value)) else "positions"


def _possible_fields(first: Mapping[str, Any], recipe: Mapping[str, Any]) -> list[dict[str, Any]]:
    texts = [name for name, value in first.items() if is_text_list(value)]
    units = recipe.get("units", texts[0] if len(texts) == 1 else None)
    common = {"units": units} if units in texts else {}
    if "item" not in recipe:
        common |= _item_field(first)
    by_form = _fields_by_form(first, units, len(first[units]) if units in texts else None)
    return [{**common, form: names[0] if len(names) == 1 else names} for form, names in by_form.items()]


def _fields_by_form(first: Mapping[str, Any], units: str | None, length: int | None) -> dict[str, list[str]]:
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


def _reading_text(fields: Mapping[str, Any]) -> str:
    listed = ((role, [names] if isinstance(names, str) else names) for role, names in fields.items())
    return ", ".join(f"{role} in {' and '.join(names)}" for role, names in listed)


def _field_text(entry: tuple[str, Any]) -> str:
    """Return the name of a field, with the fields of its objects if it contains a list of objects."""
    name, value = entry
    inner = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else None
    return name if inner is None else f"{name} (objects with {', '.join(list(inner)[:8])})"


@dataclass(frozen=True)
class Document:
    value: Any
    name: str  # key of the document in its object, or its number, counted from 1
    line: int | None = None  # line of the document in a file with one document per line


def select_documents(documents: Sequence[Document], path: str) -> Iterator[Document]:
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


def values_at(document: Document, path: str) -> Any:
    steps = path.replace("[]", ".[]").strip(".").split(".")
    values = [entry.value for entry in _walk(document, steps)]
    return values if "[]" in steps or "*" in steps else values[0]


def is_whole_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, int) and not isinstance(entry, bool) for entry in value)


def are_marks(values: Iterable[object]) -> bool:
    return all(str(value).lower() in MARK_VALUES for value in values)


def is_nested_text(value: object) -> bool:
    """Return whether a value is a list of segments, each a list of the texts of its units."""
    return isinstance(value, list) and bool(value) and all(map(is_text_list, value))


def is_text_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, str) for entry in value)
