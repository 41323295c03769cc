"""Files into corpora and back: one module per format, and the registry that finds the right one.

A format never repairs and never drops anything in silence. What is wrong with a file is a ``FormatError`` that begins
``path:line:``; what is wrong with one item of a sound file can be collected, so that the other items are still read.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path

from caesura.errors import FormatError, OptionError
from caesura.formats import bits, masses_json, masses_tsv, unit_table
from caesura.formats.format import Format, Problems, Reading, load
from caesura.model.corpus import Corpus
from caesura.model.segmentation import declare

__all__ = ["formats", "read", "write"]

_REGISTRY: dict[str, Format] = {
    one.name: one for one in (masses_json.FORMAT, masses_tsv.FORMAT, unit_table.CSV, unit_table.TSV, bits.FORMAT)
}


def formats() -> dict[str, Format]:
    """Name -> format, for every format there is."""
    return dict(_REGISTRY)


def read(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    types: Iterable[str | int] | None = None,
    problems: Problems | None = None,
) -> Corpus:
    """A corpus from a file.

    The format is found by suffix and content unless it is named. ``types`` declares the boundary types in ordinal order,
    where the file does not. Given a list as ``problems``, items that cannot be are reported there and the others read;
    without it the first one raises.
    """
    text = load(path)
    chosen = _named(format) if format is not None else _detect(path, text)
    scale = None if types is None else declare(types)
    reading = Reading(fspath(path), text, scale, problems)
    corpus = chosen.read(reading)
    if not len(corpus) and not problems:
        raise FormatError(path, None, f"no segmentation was found ({chosen.says})")
    return corpus


def write(corpus: Corpus, path: str | PathLike[str], format: str | None = None) -> None:
    """Write a corpus, in the format that the suffix or ``format`` names.

    What the format cannot hold is an error, and nothing is written.
    """
    chosen = _named(format) if format is not None else _by_suffix(path)
    text = chosen.write(corpus, fspath(path))
    try:
        Path(path).write_text(text, encoding="utf-8", newline="")
    except OSError as problem:
        raise FormatError(path, None, f"cannot be written: {problem.strerror}") from None


def _named(name: str) -> Format:
    if name not in _REGISTRY:
        raise OptionError(f"no format {name!r}; there are {', '.join(_REGISTRY)}")
    return _REGISTRY[name]


def _detect(path: str | PathLike[str], text: str) -> Format:
    suffix = Path(path).suffix.lower()
    likely = [one for one in _REGISTRY.values() if suffix in one.suffixes]
    for one in likely:
        if one.looks_like(text):
            return one
    if likely:  # let the format of the suffix say what is wrong
        return likely[0]
    for one in _REGISTRY.values():
        if one.looks_like(text):
            return one
    raise FormatError(path, 1, f"the format was not recognised; name it, one of {', '.join(_REGISTRY)}")


def _by_suffix(path: str | PathLike[str]) -> Format:
    suffix = Path(path).suffix.lower()
    for one in _REGISTRY.values():
        if suffix in one.suffixes:
            return one
    known = ", ".join(dict.fromkeys(suffix for one in _REGISTRY.values() for suffix in one.suffixes))
    raise FormatError(path, None, f"the suffix must say the format, one of {known}; got {suffix or 'none'}")
