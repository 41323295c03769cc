"""What a study says once for all its files: symbols, similarity of types, costs. A small TOML or JSON file.

    symbols = [".", ",", "?", "--"]
    unclassified = ";"
    transposition = 0.5
    normalize = "boundaries"

    [similarity]
    pairs = [[".", ",", 0.5], [",", "none", 0.25]]

    [fields]
    speaker = "participant"

``similarity`` may also be ``types`` and a ``matrix`` whose last row and column mean no boundary, or the path of a CSV or
JSON file, seen from the settings. ``transposition`` may be a table, type -> number; ``symbols`` one too, symbol -> type.
``fields`` are the columns and fields of the formats ``segsimflex`` and ``rez``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeGuard, cast

from caesura.errors import CaesuraError, FormatError, SegmentationError
from caesura.formats import chat, rez, segsimflex
from caesura.formats.format import decode, describe_value, load, parse_json
from caesura.formats.symbols import OPTIONS
from caesura.model.segmentation import check_types

Pairs = tuple[tuple[str, str, float], ...]
Matrix = tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]

_NONE = "none"
_TRANSCRIPTS = {one.name: one for one in (segsimflex.FORMAT, rez.FORMAT, chat.FORMAT)}
_CHECKS = {option.name: option.check for one in _TRANSCRIPTS.values() for option in one.options}
_FIELDS = tuple(name for name in _CHECKS if name not in {option.name for option in OPTIONS} | {"attached", "streams"})
_KEYS = ("similarity", "transposition", "normalize", "symbols", "unclassified", "attached", "streams", "fields")


@dataclass(frozen=True)
class Settings:
    """What the file says; None where it says nothing."""

    path: str
    similarity: str | Pairs | Matrix | None = None
    """The path of a file, unordered pairs (x, y, s), or the types and the matrix."""
    transposition: float | tuple[tuple[str, float], ...] | None = None
    normalize: str | None = None
    symbols: tuple[tuple[str, str], ...] | None = None
    """Each symbol with its type."""
    unclassified: str | None = None
    attached: bool | None = None
    streams: bool | None = None
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def types(self) -> tuple[str, ...] | None:
        """The scale that the matrix declares, if there is one."""
        return self.similarity[0] if _is_matrix(self.similarity) else None

    def reading_options(self, format: str) -> dict[str, Any]:
        """Keyword arguments for ``cz.read(path, format, ...)``: those that this format knows."""
        given: dict[str, Any] = {
            "symbols": None if self.symbols is None else dict(self.symbols),
            "unclassified": self.unclassified,
            "attached": self.attached,
            "streams": self.streams,
            **dict(self.fields),
        }
        known = {option.name for option in _TRANSCRIPTS[format].options} if format in _TRANSCRIPTS else set()
        found = {name: value for name, value in given.items() if name in known and value is not None}
        return found if self.types is None else {"types": list(self.types), **found}

    def measure_options(self) -> dict[str, Any]:
        """Keyword arguments for ``cz.flexible_similarity(a, b, ...)``."""
        found: dict[str, Any] = {}
        if _is_matrix(self.similarity):
            types, matrix = self.similarity
            found["similarity"] = {"types": list(types), "matrix": [list(row) for row in matrix]}
        elif isinstance(self.similarity, tuple):
            found["similarity"] = {(x, y): s for x, y, s in cast(Pairs, self.similarity)}
        elif self.similarity is not None:
            found["similarity"] = self.similarity
        if self.transposition is not None:
            costs = self.transposition
            found["transposition"] = dict(costs) if isinstance(costs, tuple) else costs
        if self.normalize is not None:
            found["normalize"] = self.normalize
        return found


def read_settings(path: str | PathLike[str]) -> Settings:
    """The settings in a ``.toml`` or ``.json`` file; whatever is wrong is an error ``path: key: ...``."""
    return _Checked(fspath(path), _load(fspath(path))).settings()


def _load(path: str) -> dict[str, Any]:
    suffix = Path(path).suffix.lower()
    if suffix not in (".json", ".toml"):
        raise FormatError(path, None, f"settings are a .toml or .json file; got {suffix or 'no suffix'}")
    text = decode(path, load(path))
    data = parse_json(path, text, "settings") if suffix == ".json" else _toml(path, text)
    if not isinstance(data, dict):
        raise FormatError(path, 1, "an object with settings is needed")
    return data


def _toml(path: str, text: str) -> Any:
    import tomllib  # here, since most readers never need it

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FormatError(path, 1, "not valid settings: nested too deeply") from None
    except ValueError as problem:
        at = re.search(r"at line (\d+)", str(problem))
        raise FormatError(path, int(at[1]) if at else None, f"not valid TOML: {problem}") from None


class _Checked:
    def __init__(self, path: str, data: dict[str, Any]) -> None:
        self.path = path
        self.data = data

    def error(self, key: str, problem: str) -> FormatError:
        return FormatError(self.path, None, f"{key}: {problem}")

    def settings(self) -> Settings:
        data = self.data
        self.only(data, _KEYS, "")
        fields = self.table("fields", data.get("fields", {}))
        self.only(fields, _FIELDS, "fields.")
        symbols = self.option("symbols", data.get("symbols"))
        made = Settings(
            path=self.path,
            similarity=self.similarity(data.get("similarity")),
            transposition=self.transposition(data.get("transposition")),
            normalize=self.normalize(data.get("normalize")),
            symbols=None if symbols is None else tuple(symbols.items()),
            unclassified=self.option("unclassified", data.get("unclassified")),
            attached=self.option("attached", data.get("attached")),
            streams=self.option("streams", data.get("streams")),
            fields=tuple((name, self.option(name, value, f"fields.{name}")) for name, value in fields.items()),
        )
        self.together(made)
        return made

    def only(self, data: Mapping[str, Any], known: tuple[str, ...], before: str) -> None:
        for key in data:
            if key not in known:
                from difflib import get_close_matches

                near = get_close_matches(key, known, 1)
                way = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
                raise self.error(f"{before}{key[:40]}", f"no such key; {way}")

    def table(self, key: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.error(key, f"a table is needed; got {describe_value(value)}")
        return value

    def option(self, name: str, value: Any, key: str | None = None) -> Any:
        """A value as the format's own option takes it."""
        if value is None:
            return None
        try:
            return _CHECKS[name](name, value)
        except CaesuraError as problem:
            raise self.error(key or name, str(problem).removeprefix(name).lstrip(": ")) from None
        except (RecursionError, ValueError):  # a value too deep or too large to be printed
            raise self.error(key or name, "this value cannot be") from None

    def number(self, key: str, value: Any, most: float = math.inf) -> float:
        """A finite number from 0 on."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(key, f"a number is needed; got {describe_value(value)}")
        if isinstance(value, int) and value.bit_length() > 60:
            raise self.error(key, "a number this large cannot be")
        if not (math.isfinite(value) and 0 <= value <= most):
            bounds = f"between 0 and {most:g}" if math.isfinite(most) else "finite and not negative"
            raise self.error(key, f"a number must be {bounds}; got {value}")
        return value

    def name(self, key: str, value: Any) -> str:
        if not isinstance(value, str) or not value:
            raise self.error(key, f"a type must be a name that is not empty; got {describe_value(value)}")
        return value

    def normalize(self, value: Any) -> str | None:
        if value is None or value in ("positions", "boundaries"):
            return str(value) if value is not None else None
        raise self.error("normalize", f"must be 'positions' or 'boundaries'; got {describe_value(value)}")

    def transposition(self, value: Any) -> float | tuple[tuple[str, float], ...] | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            return self.number("transposition", value)
        return tuple((self.name("transposition", k), self.number(f"transposition.{k}", v)) for k, v in value.items())

    def similarity(self, value: Any) -> str | Pairs | Matrix | None:
        if value is None:
            return None
        if isinstance(value, str):
            if not value.strip() or "\0" in value:
                raise self.error("similarity", f"the path of a CSV or JSON file is needed; got {value!r}")
            return str(Path(self.path).parent / value)
        kinds: dict[frozenset[str], Callable[[dict[str, Any]], Pairs | Matrix]] = {
            frozenset({"pairs"}): self.pairs,
            frozenset({"types", "matrix"}): self.matrix,
        }
        table = self.table("similarity", value)
        self.only(table, ("pairs", "types", "matrix"), "similarity.")
        if frozenset(table) not in kinds:
            raise self.error(
                "similarity", f"either pairs, or types and matrix, are needed; got {', '.join(table) or 'none'}"
            )
        return kinds[frozenset(table)](table)

    def pairs(self, table: dict[str, Any]) -> Pairs:
        found: dict[tuple[str, str], float] = {}
        for i, triple in enumerate(self.sequence("similarity.pairs", table["pairs"])):
            key = f"similarity.pairs[{i}]"
            if not isinstance(triple, list) or len(triple) != 3:
                raise self.error(key, f'a pair is written ["type", "type", number]; got {describe_value(triple)}')
            x, y = self.name(key, triple[0]), self.name(key, triple[1])
            s = self.number(key, triple[2], 1)
            if x == y and s != 1:
                raise self.error(key, f"a type is alike to itself by exactly 1; got {s}")
            if (x, y) in found or (y, x) in found:
                raise self.error(key, f"a pair may be named only once; got {x!r}, {y!r} again")
            found[x, y] = s
        return tuple((x, y, s) for (x, y), s in found.items())

    def matrix(self, table: dict[str, Any]) -> Matrix:
        names = self.sequence("similarity.types", table["types"])
        rows = self.sequence("similarity.matrix", table["matrix"])
        if len(names) == len(rows) and names[-1:] == [_NONE]:
            names = names[:-1]
        try:
            types = check_types([self.name(f"similarity.types[{i}]", one) for i, one in enumerate(names)])
        except SegmentationError as problem:
            raise self.error("similarity", str(problem)) from None
        if _NONE in types:
            raise self.error("similarity.types", f"{_NONE!r} stands for no boundary and comes last")
        size = len(types) + 1
        if len(rows) != size:
            raise self.error(
                "similarity.matrix", f"{size} rows are needed, a row a type and one for {_NONE!r}; got {len(rows)}"
            )
        for i, row in enumerate(rows):
            key = f"similarity.matrix[{i}]"
            if len(self.sequence(key, row)) != size:
                raise self.error(key, f"a row must have {size} numbers, as there are rows; got {len(row)}")
            for j, s in enumerate(row):
                self.number(f"{key}[{j}]", s, 1)
            if row[i] != 1:
                raise self.error(f"{key}[{i}]", f"the diagonal must be exactly 1; got {row[i]}")
        return types, tuple(tuple(row) for row in rows)

    def sequence(self, key: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.error(key, f"a list is needed; got {describe_value(value)}")
        return value

    def together(self, made: Settings) -> None:
        """Types that one key names and another does not know."""
        for key, name in (*(("symbols", kind) for _, kind in made.symbols or ()), ("unclassified", made.unclassified)):
            if name == _NONE:
                raise self.error(key, f"{_NONE!r} stands for no boundary and cannot be a type of boundary")
            if made.types is not None and name is not None and name not in made.types:
                raise self.error(
                    key, f"type {name!r} is not among similarity.types: {', '.join(map(repr, made.types))}"
                )
        for name, _ in made.transposition if isinstance(made.transposition, tuple) else ():
            if made.types is not None and name not in made.types:
                raise self.error(
                    f"transposition.{name}", f"not among similarity.types: {', '.join(map(repr, made.types))}"
                )


def _is_matrix(similarity: str | Pairs | Matrix | None) -> TypeGuard[Matrix]:
    """Pairs are triples of two names and a number; a matrix has rows of numbers."""
    return isinstance(similarity, tuple) and len(similarity) == 2 and isinstance(similarity[1][0], tuple)
