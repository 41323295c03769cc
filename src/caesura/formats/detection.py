"""Detecting the format of a file from its suffix and its content."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike

from caesura.errors import FormatError
from caesura.formats import folders
from caesura.formats.content import decode, decode_text, load, unpacked_path
from caesura.formats.format import Format
from caesura.formats.registry import NAMES, format_by_name, formats, formats_by_suffix


def looks_like_any(path: str, candidates: Sequence[Format]) -> bool:
    """Return whether a file looks like one of the candidates; only formats with its suffix are tried.

    Parameters
    ----------
    path : str
        Path of the file.
    candidates : sequence of Format
        The formats.

    Returns
    -------
    bool
        False also if the file cannot be read as text.
    """
    suffix = unpacked_path(path).suffix.lower()
    try:
        text = decode(path, load(path))
    except FormatError:
        return False
    return any(format.looks_like(text) for format in candidates if suffix in (*format.suffixes, *format.other_suffixes))


def detect(path: str | PathLike[str], format: str | None = None) -> Format:
    """Return the format in which :func:`read` would read a file.

    Parameters
    ----------
    path : path-like
        Path of the file.
    format : str, optional
        Name of the format; by default it is detected from suffix and content.

    Returns
    -------
    Format
        The format.

    Raises
    ------
    FormatError
        If the format is not recognised.
    """
    return format_by_name(format) if format is not None else load_with_format(path, format)[0]


def load_with_format(path: str | PathLike[str], name: str | None, encoding: str | None = None) -> tuple[Format, bytes]:
    """Return the format and the bytes of a file. An empty file is allowed if a candidate format allows it.

    Parameters
    ----------
    path : path-like
        Path of the file.
    name : str or None
        Name of the format; None detects it.
    encoding : str, optional
        Encoding of the text.

    Returns
    -------
    format : Format
        The format.
    data : bytes
        Content of the file, unpacked.
    """
    candidates = formats_by_suffix(unpacked_path(path)) if name is None else [format_by_name(name)]
    data = load(path, may_be_empty=any(format.may_be_empty for format in candidates))
    return _detect(path, data, encoding) if name is None else candidates[0], data


def _detect(path: str | PathLike[str], data: bytes, encoding: str | None = None) -> Format:
    for format in formats().values():
        if _matches_bytes(format, data):
            return format
    candidates = formats_by_suffix(unpacked_path(path))
    if candidates and (candidates[0].decode is not None or candidates[0].magic):  # no other format has this encoding
        return candidates[0]
    guess = any(format.guesses_encoding for format in candidates)
    return _detect_text(path, decode_text(path, data, encoding, guess=guess)[0], candidates)


def _detect_text(path: str | PathLike[str], text: str, candidates: Sequence[Format]) -> Format:
    """Return the format that a text looks like; ``candidates`` are the formats with the suffix of the file."""
    suffix = unpacked_path(path).suffix.lower()
    probable = [*(format for format in formats().values() if suffix in format.other_suffixes), *candidates]
    format = _first_that_matches(text, probable)
    if format is None and candidates and suffix not in folders.AMBIGUOUS_SUFFIXES:
        # The reader of this format reports the error.
        return next((format for format in candidates if suffix in format.fallback), candidates[0])
    format = format or _first_that_matches(text, formats().values())
    if format is None:
        hint = _hint_of_formats(suffix, [format.name for format in probable] or NAMES)
        raise FormatError(path, 1, f"the format was not recognised; choose it with format: {hint}")
    return format


def _first_that_matches(text: str, candidates: Iterable[Format]) -> Format | None:
    return next((format for format in candidates if format.looks_like(text)), None)


def _hint_of_formats(suffix: str, names: Iterable[str]) -> str:
    """Return the formats that a user may choose, with an explanation of those for plain text."""
    plain = "marked-text for blank lines between segments, segment-lines for one segment per line, or "
    return f"{plain if suffix in ('', '.txt') else ''}one of {', '.join(names)}"


def _matches_bytes(format: Format, data: bytes) -> bool:
    if not format.magic or not data.startswith(format.magic):
        return False
    return format.matches_bytes is None or format.matches_bytes(data)
