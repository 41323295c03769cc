"""Read and write the settings that all files of a study share (symbols, type similarities, costs) from a TOML or JSON file.

docs/flexible.md describes the file. ``fields`` names columns and fields of the formats ``segsimflex`` and ``rez``.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

from caesura.errors import FormatError, InputError, OptionError
from caesura.files import write_file
from caesura.formats import chat, rez, segsimflex
from caesura.formats.content import decode, load, parse_json
from caesura.formats.symbols import OPTIONS
from caesura.formats.values import check_list, check_object
from caesura.model.similarity import NONE, Matrix, Pairs, check_matrix, check_pairs, is_full_matrix
from caesura.options import Check, choice, non_negative, suggest, text

_MAX_KEY_PARTS = 100  # of a dotted key
_TRANSCRIPTS = {format.name: format for format in (segsimflex.FORMAT, rez.FORMAT, chat.FORMAT)}
_CHECKS = {option.name: option.check for format in _TRANSCRIPTS.values() for option in format.options}
_FIELDS = tuple(name for name in _CHECKS if name not in {option.name for option in OPTIONS} | {"attached", "streams"})
_CHECKS["normalize"] = choice("positions", "boundaries")
_GROUP_COLUMNS = ("coder", "group")
_PLAIN_KEYS = ("normalize", "symbols", "unclassified", "attached", "streams")
_KEYS = ("similarity", "transposition", *_PLAIN_KEYS, "fields")


@dataclass(frozen=True)
class Settings:
    """Content of a settings file. Keys that the file does not have are None."""

    path: str
    # Path of a file; unordered pairs (type, type, similarity); or the types and the matrix.
    similarity: str | Pairs | Matrix | None = None
    # Cost of a transposition, for all types or as pairs (type, cost).
    transposition: float | tuple[tuple[str, float], ...] | None = None
    normalize: str | None = None  # quantity by which flexible similarity is normalized
    symbols: tuple[tuple[str, str], ...] | None = None  # pairs (symbol, type)
    unclassified: str | None = None  # type of a segment end without a symbol
    attached: bool | None = None  # whether a symbol may be attached to the last word
    streams: bool | None = None
    fields: tuple[tuple[str, str], ...] = ()  # pairs (option, name of the column or field) for transcripts

    @property
    def types(self) -> tuple[str, ...] | None:
        return self.similarity[0] if is_full_matrix(self.similarity) else None

    def reading_options(self, format_name: str) -> dict[str, Any]:
        values = {key: getattr(self, key) for key in _PLAIN_KEYS} | dict(self.fields)
        if self.symbols is not None:
            values["symbols"] = dict(self.symbols)
        format = _TRANSCRIPTS.get(format_name)
        names = [option.name for option in format.options] if format is not None else []
        options = {name: value for name, value in values.items() if name in names and value is not None}
        return options if self.types is None else {"types": list(self.types), **options}

    def measure_options(self) -> dict[str, Any]:
        similarity: Any = self.similarity
        transposition: Any = self.transposition
        if is_full_matrix(self.similarity):
            types, matrix = self.similarity
            similarity = {"types": list(types), "matrix": [list(row) for row in matrix]}
        elif isinstance(self.similarity, tuple):
            similarity = {(x, y): s for x, y, s in cast(Pairs, self.similarity)}
        if isinstance(transposition, tuple):
            transposition = dict(transposition)
        options = {"similarity": similarity, "transposition": transposition, "normalize": self.normalize}
        return {name: value for name, value in options.items() if value is not None}


def read_settings(path: str | PathLike[str]) -> Settings:
    place = fspath(path)
    data = _load(place)
    try:
        return _settings(place, data)
    except InputError as error:  # the message begins with the key
        raise FormatError(place, None, str(error)) from None


def write_settings(path: str | PathLike[str], similarity: Mapping[str, Any], *, comment: str = "") -> None:
    place = fspath(path)
    suffix = Path(place).suffix.lower()
    if suffix not in (".json", ".toml"):
        raise FormatError(place, None, f"settings are a .toml or .json file; got {suffix or 'no suffix'}")
    if suffix == ".json":
        content = json.dumps({"similarity": dict(similarity)}, ensure_ascii=False, indent=1)
    else:
        # A JSON string is a TOML string, and a list of numbers is written alike in both.
        types = json.dumps(list(similarity["types"]), ensure_ascii=False)
        rows = [f"  {json.dumps(list(row))}," for row in similarity["matrix"]]
        head = [f"# {' '.join(comment.split())}"] if comment else []
        content = "\n".join([*head, "[similarity]", f"types = {types}", "matrix = [", *rows, "]"])
    try:
        write_file(place, f"{content}\n".encode())
    except OSError as error:
        raise FormatError(place, None, f"cannot be written: {error.strerror}") from None


def _load(path: str) -> dict[str, Any]:
    suffix = Path(path).suffix.lower()
    if suffix not in (".json", ".toml"):
        raise FormatError(path, None, f"settings are a .toml or .json file; got {suffix or 'no suffix'}")
    content = decode(path, load(path))
    data = parse_json(path, content, "settings") if suffix == ".json" else _parse_toml(path, content)
    if not isinstance(data, dict):
        raise FormatError(path, 1, "expected an object with settings")
    return data


def _parse_toml(path: str, content: str) -> Any:
    import tomllib  # imported here because most callers do not need it

    for number, row in enumerate(content.split("\n"), 1):
        # The time of tomllib grows with the square of the number of parts of a key.
        if row.count(".") > _MAX_KEY_PARTS and any(
            key.count(".") > _MAX_KEY_PARTS for key in (row.partition("=")[0], *row.split("=")[:-1])
        ):
            raise FormatError(path, number, f"a key may have {_MAX_KEY_PARTS} parts; this line has more")
    try:
        return tomllib.loads(content)
    except RecursionError:
        raise FormatError(path, 1, "not valid settings: nested too deeply") from None
    except ValueError as problem:
        line = re.search(r"at line (\d+)", str(problem))
        raise FormatError(path, int(line[1]) if line else None, f"not valid TOML: {problem}") from None


def _settings(path: str, data: Mapping[str, Any]) -> Settings:
    _check_keys(data, _KEYS)
    fields = check_object("a table", data.get("fields", {}), "fields")
    _check_keys(fields, _FIELDS, "fields.")
    values = {key: _value(key, _CHECKS[key], data[key]) for key in _PLAIN_KEYS if data.get(key) is not None}
    if "symbols" in values:
        values["symbols"] = tuple(values["symbols"].items())
    settings = Settings(
        path,
        _similarity(path, data.get("similarity")),
        _transposition(data.get("transposition")),
        fields=tuple((name, _value(f"fields.{name}", _CHECKS[name], value)) for name, value in fields.items()),
        **values,
    )
    _check_types(settings)
    return settings


def _check_keys(table: Mapping[str, Any], allowed: tuple[str, ...], prefix: str = "") -> None:
    for key in table:
        if key not in allowed:
            raise OptionError(f"{prefix}{key[:40]}: {suggest('no key', key[:40], allowed)}")


def _value(key: str, check: Check, value: Any) -> Any:
    try:
        return check(key, value)
    except OptionError:
        raise
    except (RecursionError, ValueError):  # the value nests too deeply or is too large to be printed
        raise OptionError(f"{key}: invalid value") from None


def _transposition(value: Any) -> float | tuple[tuple[str, float], ...] | None:
    if not isinstance(value, dict):
        return None if value is None else cast(float, _value("transposition", non_negative(), value))
    return tuple(
        (_value("transposition", text, name), _value(f"transposition.{name}", non_negative(), cost))
        for name, cost in value.items()
    )


def _similarity(path: str, value: Any) -> str | Pairs | Matrix | None:
    if value is None:
        return None
    if isinstance(value, str):
        if not value.strip() or "\0" in value:
            raise OptionError(f"similarity: expected the path of a CSV or JSON file; got {value!r}")
        return str(Path(path).parent / value)
    table = check_object("a table", value, "similarity")
    _check_keys(table, ("pairs", "types", "matrix"), "similarity.")
    if set(table) == {"pairs"}:
        pairs = check_list("a list", table["pairs"], "similarity.pairs")
        _value("similarity.pairs", check_pairs, pairs)
        return tuple(map(tuple, pairs))
    if set(table) == {"types", "matrix"}:
        return cast(Matrix, _value("similarity", lambda name, form: check_matrix(name, **form), table))
    raise OptionError(f"similarity: expected either pairs, or types and matrix; got {', '.join(table) or 'none'}")


def _check_types(settings: Settings) -> None:
    names = [("symbols", name) for _, name in settings.symbols or ()]
    if settings.unclassified is not None:
        names.append(("unclassified", settings.unclassified))
    if isinstance(settings.transposition, tuple):
        names += [(f"transposition.{name}", name) for name, _ in settings.transposition]
    for key, name in names:
        if name == NONE:
            raise OptionError(f"{key}: {NONE!r} means no boundary and cannot be a boundary type")
        if settings.types is not None and name not in settings.types:
            declared = ", ".join(map(repr, settings.types))
            raise OptionError(f"{key}: type {name!r} is not in similarity.types: {declared}")


def read_groups(path: str | PathLike[str]) -> dict[str, tuple[str, ...]]:
    """Return group -> coders, from a CSV file with the columns ``coder`` and ``group``."""
    file = Path(fspath(path))
    lines = decode(file, load(file)).splitlines()
    delimiter = max(",;\t", key=lines[0].count) if lines else ","
    reader = csv.reader(lines, delimiter=delimiter)
    names = [cell.strip().lower() for cell in next(reader, [])]
    missing = [name for name in _GROUP_COLUMNS if name not in names]
    if missing:
        columns = ", ".join(names) or "none"
        raise FormatError(file, 1, f"expected the columns coder and group; there is no {missing[0]!r}, only: {columns}")
    places = [names.index(name) for name in _GROUP_COLUMNS]
    groups: dict[str, dict[str, None]] = {}  # the keys of the inner dict are an ordered set of coders
    for row in reader:
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        coder, group = (cells[place] if place < len(cells) else "" for place in places)
        if not coder or not group:
            raise FormatError(file, reader.line_num, "expected a coder and a group; a cell is empty or missing")
        groups.setdefault(group, {})[coder] = None
    return {name: tuple(coders) for name, coders in groups.items()}
