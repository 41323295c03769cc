"""What a format is, and how text comes out of a file."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, CaesuraWarning, FormatError
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.segmentation import Segmentation
from caesura.options import Option, resolve_options

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A decimal number, as people write it."""
LARGEST = 2**31  # bytes; what is larger belongs into pieces


@dataclass
class Reading:
    """One file on its way into a corpus."""

    path: str
    text: str
    """What it says; empty for a format that is no text."""
    types: tuple[str, ...] | None = None
    excluded: list[FormatError] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the format was told, every option it has."""
    data: bytes = b""
    """The bytes, for a format that is no text."""
    annotations: dict[str, dict[str, Annotation]] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The file's name without folder and suffix."""
        return Path(self.path).stem

    def error(self, line: int | None, problem: str) -> FormatError:
        """An error at a line of this file."""
        return FormatError(self.path, line, problem)

    @contextmanager
    def item(self, line: int | None, place: str = "") -> Iterator[None]:
        """Whatever is wrong inside concerns one item: collected if the caller asked for it, else raised."""
        try:
            yield
        except CaesuraError as problem:
            said = problem if isinstance(problem, FormatError) else self.error(line, f"{place}{problem}")
            if self.excluded is None:
                raise said from None
            self.excluded.append(said)

    def add(self, item: str, coder: str, segmentation: Annotation) -> None:
        """Put a segmentation into the corpus; the same item and coder twice is an error."""
        by_coder = self.annotations.setdefault(item, {})
        if coder in by_coder:
            raise self.error(None, f"item {item!r} has coder {coder!r} twice")
        by_coder[coder] = segmentation

    def corpus(self) -> Corpus:
        """What was read."""
        return Corpus(self.annotations)


Write = Callable[[Corpus, str, Mapping[str, Any]], str | bytes]


@dataclass(frozen=True)
class Format:
    """One entry of the registry."""

    name: str
    suffixes: tuple[str, ...]
    description: str
    """What it is, in a line."""
    read: Callable[[Reading], Corpus]
    looks_like: Callable[[str], bool]
    """Whether a text seems to be in this format."""
    write: Write | None = None
    """The text of a corpus, or the bytes; the path is for error messages and names. None: a format that is only read."""
    options: tuple[Option, ...] = ()
    """What can be said about a file that does not say it itself, in reading and in writing."""
    other_suffixes: tuple[str, ...] = ()
    """Suffixes of other formats under which it is found by its content."""
    decode: Callable[[str | PathLike[str], bytes], str] | None = None
    """The text of the bytes, where it is not plain UTF-8."""
    annotation_types: tuple[type, ...] = (Segmentation, Dialogue)
    """What it can hold; under a suffix that several formats have, a corpus goes to one that holds what is in it."""
    may_be_empty: bool = False
    """Whether a file without a character says something: that nobody drew anything."""
    magic: bytes = b""
    """What the bytes begin with, where the format is no text."""
    matches_bytes: Callable[[bytes], bool] | None = None
    """Of several formats whose bytes begin alike: whether these are in this one."""
    names_from_file: tuple[str, ...] = ()
    """Which names the file gives, ``item`` or ``coder``, because there is no room for them inside."""
    companions: tuple[str, ...] = ()
    """Suffixes or names of files beside it that belong to it, and are not read by themselves."""
    extra: str = ""
    """The optional part of the package that it needs, as in ``caesura[xml]``."""
    tiers: Callable[[Reading], Sequence[Any]] | None = None
    """The tiers of a file, all of them, before any is chosen."""

    def text(self, path: str | PathLike[str], data: bytes) -> str:
        """The text in a file of this format."""
        return "" if self.magic else (self.decode or decode)(path, data)

    def resolve(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option with its value; an option that the format does not have is an error."""
        return resolve_options(f"format {self.name}", self.options, values)


def warn(message: str) -> None:
    """A warning about the line outside the package that reads, from however deep inside."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "caesura":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, CaesuraWarning, stacklevel=level)


def table_text(rows: Iterable[Sequence[object]], delimiter: str) -> str:
    """Rows as delimited text that reads back the same, carriage returns in cells included."""
    out = io.StringIO()
    minimal = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        # The csv module of Python 3.11 leaves a carriage return unquoted unless it is part of the line terminator.
        (quoted if any("\r" in str(cell) for cell in row) else minimal).writerow(row)
    return out.getvalue()


def lines_of(text: str) -> list[str]:
    """Lines as editors count them, which end in a line feed, a carriage return or both; a last empty one is none."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def parse_json(path: str, text: str, what: str) -> Any:
    """JSON from strangers: keys that stand twice, nesting without end and numbers without end are errors."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise FormatError(path, None, f"the key {key!r} stands twice in one object")
            found[key] = value
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as problem:
        raise FormatError(path, problem.lineno, f"not valid JSON: {problem.msg} at column {problem.colno}") from None
    except RecursionError:
        raise FormatError(path, 1, f"not valid {what}: nested too deeply") from None
    except FormatError:
        raise
    except ValueError as problem:  # a number with more digits than Python converts
        raise FormatError(path, None, f"not valid JSON: {problem}") from None


def describe_value(value: object) -> str:
    """A value of a stranger's file for a message: short, and never walked into."""
    if isinstance(value, int) and value.bit_length() > 200:
        return "a very large number"
    if isinstance(value, (str, int, float)) or value is None:
        said = repr(value[:60] if isinstance(value, str) else value)
        return said if len(said) <= 80 else said[:80] + "…"
    return {"dict": "an object", "list": "a list"}.get(type(value).__name__, type(value).__name__)


def line_of_key(text: str, *keys: str) -> int | None:
    """The line of a JSON text on which the last of these nested keys stands."""
    at = 0
    for key in keys:
        found = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(text, at)
        if found is None:
            return None
        at = found.end()
    return text.count("\n", 0, at) + 1


def load(path: str | PathLike[str], *, empty: bool = False) -> bytes:
    """The bytes of a file that is there, is a file, and is neither empty (unless it may be) nor beyond measure."""
    place = Path(path)
    try:
        if "\0" in str(path):
            raise FormatError(path, None, "cannot be read: a NUL character in the name")
        if place.is_dir():
            raise FormatError(path, None, "a file is needed; this is a directory")
        if place.exists() and not place.is_file():
            raise FormatError(path, None, "a regular file is needed")
        if place.stat().st_size > LARGEST:
            raise FormatError(
                path, None, f"a file of at most {LARGEST} bytes is needed; this has {place.stat().st_size}"
            )
        data = place.read_bytes()
    except OSError as problem:
        raise FormatError(path, None, f"cannot be read: {problem.strerror}") from None
    if not empty and not data.strip():
        raise FormatError(path, 1, "the file is empty")
    return data


def decode(path: str | PathLike[str], data: bytes) -> str:
    """Text in UTF-8, with or without a byte order mark."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        byte = data[problem.start]
        raise FormatError(
            path, line, f"text in UTF-8 is needed; got byte 0x{byte:02x}, is this a binary file?"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError(path, line, "text is needed; got a NUL character, is this a binary file?")
    return text
