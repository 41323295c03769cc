"""Tables in files of R: one object in an .rds file, several named objects in an .rda or .RData file.

The library ``rdata`` parses the file; no R code is run. :mod:`caesura.formats.table` reads the data frame.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from caesura.errors import AmbiguousFileError
from caesura.formats.columns import from_frame
from caesura.formats.format import Format, Reading
from caesura.formats.table import PARQUET, read_table
from caesura.model.corpus import Corpus
from caesura.model.value import list_few
from caesura.notices import silence
from caesura.options import Option, optional, text

_MAX_BYTES = 2**29  # of the content, without compression
_MAX_ROWS = 2**26
_MAX_DEPTH = 3  # of lists inside lists
_GZIP = b"\x1f\x8b"
_MODULES: dict[bytes, Any] = {_GZIP: gzip, b"BZh": bz2, b"\xfd7zXZ": lzma}  # by the first bytes
_ERRORS = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)  # of damaged compression
_HEADS = (b"X\n", b"A\n", b"B\n", b"RDX", b"RDA", b"RDB")  # of a file without compression


def _read(reading: Reading) -> Corpus:
    frames = dict(_frames(reading, _parse(reading)))
    name = _choose(reading, frames)
    frame = frames[name]
    if name:
        reading.notes.append(f"data frame {name}")
    if [str(row) for row in frame.index[:2]] not in (["0", "1"], ["1", "2"], ["0"], ["1"], []):
        reading.ignored.append("row names (not needed)")
    return read_table(reading, from_frame(frame, reading.path))


def _choose(reading: Reading, frames: Mapping[str, Any]) -> str:
    requested = reading.options["object"]
    if requested in frames:
        return str(requested)
    if requested is not None:
        names = list_few(list(frames), 20) or "none"
        raise reading.error(None, f"no data frame has the name {requested[:60]!r}; the data frames are {names}")
    if not frames:
        raise reading.error(None, "expected a data frame; got none; convert the data with as.data.frame() in R")
    if len(frames) > 1:
        choices = [
            (f"{name or 'the object'}, with the columns {list_few([str(column) for column in frame.columns])}", name)
            for name, frame in list(frames.items())[:20]
        ]
        problem = f"the file contains {len(frames)} data frames"
        raise AmbiguousFileError(reading.path, problem, [(about, {"object": name}) for about, name in choices])
    return next(iter(frames))


def _frames(reading: Reading, value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    if hasattr(value, "iloc") and hasattr(value, "columns"):
        yield name, value
    elif isinstance(value, (dict, list)) and depth < _MAX_DEPTH:
        entries = value.items() if isinstance(value, dict) else ((i, entry) for i, entry in enumerate(value, 1))
        for key, entry in entries:
            yield from _frames(reading, entry, f"{name}${key}" if name else str(key), depth + 1)
    elif len(reading.ignored) < 20:
        reading.ignored.append(f"{name or 'an object'} (not a data frame)")


def _parse(reading: Reading) -> Any:
    try:
        import rdata
    except ImportError:
        raise reading.error(None, "reading this needs rdata; run pip install 'caesura[r]'") from None
    try:
        content = _decompress(reading.data)
    except _ERRORS as problem:
        raise reading.error(None, f"the compressed file is damaged: {str(problem)[:200]}") from None
    if len(content) > _MAX_BYTES:
        raise reading.error(None, f"expected at most {_MAX_BYTES} bytes without compression; this has more")
    if not content.startswith(_HEADS):
        raise reading.error(None, f"expected a file of R (.rds, .rda or .RData); it begins with {content[:10]!r}")
    try:
        silence(module="rdata")  # about R classes that the library does not know
        constructors = {name: _bounded(build) for name, build in rdata.parser.DEFAULT_ALTREP_MAP.items()}
        return rdata.conversion.convert(rdata.parser.parse_data(content, altrep_constructor_dict=constructors))
    except Exception as problem:  # the library raises many kinds of errors for damaged files
        reason = f"{type(problem).__name__}: {problem}"[:200]
        raise reading.error(None, f"not a valid file of R, or with objects that rdata cannot read: {reason}") from None


def _bounded(build: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a constructor of compact vectors that refuses a vector such as 1:1000000000, which needs only a few bytes."""

    def checked(state: Any) -> Any:
        numbers: Any = state.value if hasattr(state.value, "dtype") else ()
        if len(numbers) and not 0 <= numbers[0] <= _MAX_ROWS:
            raise ValueError(f"a vector may have {_MAX_ROWS} elements; this has {numbers[0]}")
        return build(state)

    return checked


def _decompress(data: bytes, size: int = _MAX_BYTES + 1) -> bytes:
    """Return at most ``size`` bytes of the content without compression."""
    for magic, module in _MODULES.items():
        if data.startswith(magic):
            with module.open(io.BytesIO(data)) as stream:
                return bytes(stream.read(size))
    return data[:size]


def _is_r(data: bytes) -> bool:
    try:
        return _decompress(data, size=3).startswith(_HEADS)
    except _ERRORS:
        return False


FORMAT = Format(
    name="table-r",
    suffixes=(".rds", ".rda", ".rdata"),
    description="table of units in a file of R: a data frame with one row per unit, one column per coder, and other shapes",
    read=_read,
    looks_like=lambda content: False,
    extra="r",
    options=(*PARQUET.options, Option("object", None, optional(text), "name of the data frame, if there are several")),
    magic=_GZIP,
    matches_bytes=_is_r,
    part="column",
    hint="--fields",
)
