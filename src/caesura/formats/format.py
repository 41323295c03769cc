"""What a format is, and how text comes out of a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from caesura.errors import CaesuraError, FormatError
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation

__all__ = ["Format", "Problems", "Reading", "load", "table_text"]

Problems = list[FormatError]

LARGEST = 2**31  # bytes; what is larger belongs into pieces


@dataclass
class Reading:
    """One file on its way into a corpus."""

    path: str
    text: str
    types: tuple[str, ...] | None = None
    problems: Problems | None = None
    cells: dict[str, dict[str, Segmentation]] = field(default_factory=dict)

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
            if self.problems is None:
                raise said from None
            self.problems.append(said)

    def add(self, item: str, coder: str, segmentation: Segmentation) -> None:
        """Put a segmentation into the corpus; the same item and coder twice is an error."""
        by_coder = self.cells.setdefault(item, {})
        if coder in by_coder:
            raise self.error(None, f"item {item!r} has coder {coder!r} twice")
        by_coder[coder] = segmentation

    def corpus(self) -> Corpus:
        """What was read."""
        return Corpus(self.cells)


def _no_write(corpus: Corpus, path: str) -> str:
    raise FormatError(path, None, "this format can be read but not written")


@dataclass(frozen=True)
class Format:
    """One entry of the registry."""

    name: str
    suffixes: tuple[str, ...]
    says: str
    """What it is, in a line."""
    read: Callable[[Reading], Corpus]
    looks_like: Callable[[str], bool]
    """Whether a text seems to be in this format."""
    write: Callable[[Corpus, str], str] = _no_write
    """The text of a corpus; the path is for error messages and names."""


def table_text(rows: Iterable[Sequence[object]], delimiter: str) -> str:
    """Rows as delimited text that reads back the same, carriage returns in cells included."""
    out = io.StringIO()
    minimal = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        # The csv module of Python 3.11 leaves a carriage return unquoted unless it is part of the line terminator.
        (quoted if any("\r" in str(cell) for cell in row) else minimal).writerow(row)
    return out.getvalue()


def load(path: str | PathLike[str]) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
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
    if not data.strip():
        raise FormatError(path, 1, "the file is empty")
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
