"""Writing corpora to files."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import FormatError
from caesura.files import write_file
from caesura.formats.format import Format, Writing
from caesura.formats.registry import format_by_name, formats, formats_by_suffix
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue, kind_name, tiers_of


def write(corpus: Corpus, path: str | PathLike[str], format: str | None = None, **options: Any) -> None:
    """Write a corpus to a file.

    Parameters
    ----------
    corpus : Corpus
        Corpus to write.
    path : path-like
        Path of the file.
    format : str, optional
        Name of the format; by default the suffix decides.
    **options
        Options of the format.

    Raises
    ------
    FormatError
        If the format cannot represent everything in the corpus. In this case no file is written.
    """
    data = encode(corpus, path, format, **options)
    try:
        write_file(path, data)
    except OSError as problem:
        raise FormatError(path, None, f"cannot be written: {problem.strerror}") from None


def encode(corpus: Corpus, path: str | PathLike[str], format: str | None = None, **options: Any) -> bytes:
    chosen = format_for_writing(path, corpus, format)
    writing = Writing(corpus, fspath(path), chosen.resolve(options))
    if chosen.write is None:
        raise writing.error(f"this format ({chosen.name}) can be read but not written")
    for item, coder in corpus:
        kind = type(corpus[item, coder])
        if kind is Dialogue and tiers_of(corpus[item, coder]):
            raise writing.error("no format can store streams in seconds; read them over units", item, coder)
        if not chosen.can_hold([kind]):
            alternatives = ", ".join(format.name for format in _writable([kind]))
            problem = f"this format ({chosen.name}) cannot store a {kind_name(corpus[item, coder])}"
            raise writing.error(f"{problem}; it can be written as {alternatives}", item, coder)
    content = chosen.write(writing)
    return content if isinstance(content, bytes) else _encode(content, path)


def format_for_writing(path: str | PathLike[str], corpus: Corpus, format: str | None = None) -> Format:
    if format is not None:
        return format_by_name(format)
    kinds = {type(corpus[key]) for key in corpus}
    candidates = sorted(formats_by_suffix(path), key=lambda format: format.write is None)
    if candidates:
        return next((format for format in candidates if format.write and format.can_hold(kinds)), candidates[0])
    suffixes = ", ".join(dict.fromkeys(suffix for format in _writable(kinds) for suffix in format.suffixes))
    suffix = Path(path).suffix.lower()
    raise FormatError(path, None, f"the suffix must name the format: one of {suffixes}; got {suffix or 'none'}")


def _writable(kinds: Iterable[type]) -> list[Format]:
    kinds = list(kinds)
    return [format for format in formats().values() if format.write and format.can_hold(kinds)]


def _encode(text: str, path: str | PathLike[str]) -> bytes:
    """Encode text as UTF-8. Raise an error for a lone surrogate or a NUL character, which could not be read again."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as problem:
        character = problem.object[problem.start]
        raise FormatError(
            path, None, f"text in UTF-8 cannot contain half a surrogate pair; got {character!r}"
        ) from None
    if b"\0" in data:
        raise FormatError(path, None, "text cannot contain a NUL character; leave it out")
    return data
