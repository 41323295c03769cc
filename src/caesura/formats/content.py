"""The content of files: bytes, text, lines and JSON, with limits on their size, and delimited text for writers."""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from caesura.errors import FormatError, OptionError
from caesura.files import register_input
from caesura.limits import MAX_BYTES, MAX_UNPACKED
from caesura.memory import check_memory

T = TypeVar("T")

# A decimal number, with an optional sign and exponent.
NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_MAX_CELL = 131_072  # characters; Python and spreadsheets do not read beyond them
_MEMORY_PER_BYTE = 3  # at least: the bytes, the text, and its parts
_GZIP = ".gz"
_ZIP = b"PK\x03\x04"  # first bytes of a zip archive


def table_text(rows: Iterable[Sequence[object]], delimiter: str, texts: Sequence[str] | None = None) -> str:
    """Return rows as delimited text. Reading this text gives the same cells, even if they contain carriage returns."""
    table = list(rows)
    texts = texts_of(table) if texts is None else texts
    if max(map(len, texts), default=0) > _MAX_CELL:
        limit = f"a cell of a table may have {_MAX_CELL:,} characters"
        raise FormatError("the table", None, f"{limit}; this has more; write .json or .parquet")
    out = io.StringIO()
    minimal = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    if not any("\r" in text for text in texts):
        minimal.writerows(table)
        return out.getvalue()
    # The csv module of Python 3.11 leaves a carriage return unquoted unless it is part of the line terminator.
    quoted = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in table:
        (quoted if any("\r" in str(cell) for cell in row) else minimal).writerow(row)
    return out.getvalue()


def texts_of(rows: Iterable[Sequence[object]]) -> list[str]:
    return [cell for cell in set(chain.from_iterable(rows)) if isinstance(cell, str)]


def as_text_cell(cell: str | float | None) -> str | float | None:
    """Return a cell that no spreadsheet runs as a formula."""
    if not isinstance(cell, str) or not cell or cell == "-":
        return cell
    return f"'{cell}" if cell[0] in "=+-@" or cell[0] < " " else cell


_FORMULA = re.compile(r"'*+[=+\-@\x00-\x1f]")  # after the apostrophes of earlier protections
_NEGATIVE = re.compile(r"-[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")


def protect_cell(cell: T) -> T | str:
    """Return a cell of a file that no spreadsheet runs as a formula; ``unprotect_cell`` gives the cell back."""
    if not isinstance(cell, str) or not _FORMULA.match(cell) or cell == "-" or _NEGATIVE.fullmatch(cell):
        return cell
    return f"'{cell}"


def protected_texts(texts: Iterable[str]) -> dict[str, str]:
    cells = {text: protect_cell(text) for text in texts if _FORMULA.match(text)}
    return {text: cell for text, cell in cells.items() if cell != text}


def unprotect_cell(cell: str) -> str:
    """Return the text of a cell that ``protect_cell`` protected; other cells stay as they are."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell


def lines_of(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def parse_json(path: str, text: str, content: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            twice = next(key for key, number in Counter(key for key, _ in pairs).items() if number > 1)
            raise FormatError(path, None, f"the key {twice!r} occurs twice in one object")
        return result

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as problem:
        raise FormatError(path, problem.lineno, f"not valid JSON: {problem.msg} at column {problem.colno}") from None
    except RecursionError:
        raise FormatError(path, 1, f"not valid {content}: nested too deeply") from None
    except FormatError:
        raise
    except ValueError as problem:  # a number with more digits than Python converts
        raise FormatError(path, None, f"not valid JSON: {problem}") from None


def json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def is_json_of(text: str, keys: str, matches: Callable[[Any], bool]) -> bool:
    """Return whether a text is JSON of a certain shape."""
    if not text.lstrip().startswith(("{", "[")) or not re.search(rf'"(?:{keys})"\s*:', text):
        return False
    try:
        return matches(parse_json("", text, "JSON"))
    except FormatError:
        return False


def cut_notes(text: str) -> list[str]:
    """Return a note if the last of several lines has no line end, as in a file of which the rest is missing."""
    has_lines = "\n" in text or "\r" in text
    if not has_lines or text.endswith(("\n", "\r")):
        return []
    return ["the last line has no line end; if the file was cut off, data are missing"]


def describe_value(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 200:
        return "a very large number"
    if isinstance(value, (str, int, float)) or value is None:
        text = repr(value[:60] if isinstance(value, str) else value)
        return text if len(text) <= 80 else text[:80] + "…"
    return {"dict": "an object", "list": "a list"}.get(type(value).__name__, type(value).__name__)


def unpacked_path(path: str | PathLike[str]) -> Path:
    place = Path(path)
    return place.with_suffix("") if place.suffix.lower() == _GZIP and Path(place.stem).suffix else place


def load(path: str | PathLike[str], *, may_be_empty: bool = False) -> bytes:
    place = Path(path)
    try:
        if "\0" in str(path):
            raise FormatError(path, None, "cannot be read: a NUL character in the name")
        if place.is_dir():
            raise FormatError(path, None, "expected a file; this is a directory")
        if place.exists() and not place.is_file():
            raise FormatError(path, None, "expected a regular file")
        size = place.stat().st_size
        if size > MAX_BYTES:
            raise FormatError(path, None, f"expected a file of at most {MAX_BYTES} bytes; this has {size}")
        check_memory(f"{path}: {size:,} bytes to read", size * _MEMORY_PER_BYTE, "split the file, or write .parquet")
        data = place.read_bytes()
    except OSError as problem:
        raise FormatError(path, None, f"cannot be read: {problem.strerror}") from None
    register_input(path)
    if place.suffix.lower() == _GZIP:
        data = _unpack(path, data)
    if not may_be_empty and not data.strip():
        raise FormatError(path, 1, "the file is empty")
    return data


def _unpack(path: str | PathLike[str], data: bytes) -> bytes:
    content = bytearray()
    while data:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            content += unpacker.decompress(data, MAX_UNPACKED + 1 - len(content))
        except zlib.error as problem:
            raise FormatError(path, None, f"not a valid gzip file: {problem}") from None
        if len(content) > MAX_UNPACKED:
            limit = f"a compressed file may unpack to {MAX_UNPACKED // 2**20} MB; this unpacks to more"
            raise FormatError(path, None, f"{limit}; unpack it first: gunzip -k {path}")
        if not unpacker.eof:
            raise FormatError(path, None, "not a valid gzip file: it ends too early")
        data = unpacker.unused_data.lstrip(b"\0")
    return bytes(content)


def decode(path: str | PathLike[str], data: bytes) -> str:
    """Decode bytes as UTF-8, with or without a byte order mark, or as UTF-16 with one."""
    return decode_text(path, data)[0]


def decode_text(
    path: str | PathLike[str], data: bytes, encoding: str | None = None, *, guess: bool = False
) -> tuple[str, str]:
    if data.startswith(_ZIP):
        raise FormatError(path, None, "expected text; this is a zip archive; unpack it and read the files in it")
    chosen, note = _encoding(data, encoding)
    try:
        text = data.decode(chosen)
    except LookupError:
        raise OptionError(f"encoding: Python has no encoding {encoding!r}; try utf-8, cp1252 or utf-16") from None
    except UnicodeDecodeError as problem:
        if not guess or encoding is not None or b"\0" in data:
            line = data.count(b"\n", 0, problem.start) + 1
            actual = f"byte 0x{data[problem.start]:02x}"
            expected = "UTF-8" if encoding is None else encoding
            hint = "is this a binary file, or text in another encoding (--encoding)?"
            raise FormatError(path, line, f"expected text in {expected}; got {actual}; {hint}") from None
        text, note = data.decode("cp1252", errors="replace"), "read as Windows-1252, because it is not UTF-8"
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError(path, line, "expected text; got a NUL character; is this a binary file?")
    return text, note


def _encoding(data: bytes, encoding: str | None) -> tuple[str, str]:
    if encoding is not None:
        return encoding, f"read as {encoding}"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", "read as UTF-16"
    return "utf-8-sig", ""
