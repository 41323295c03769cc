"""The formats, by name, by suffix, and by the content of a file; and writing with them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, OptionError
from caesura.files import write_file
from caesura.formats import folders
from caesura.formats.content import decode, decode_text, load, unpacked_path
from caesura.formats.format import Format, Writing
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue, kind_name
from caesura.options import normalize_name, suggest

# If the content matches several formats, the first one in this order is used.
_MODULES = {
    "masses-json": "masses.JSON",
    "masses-tsv": "masses.TSV",
    "subtitle-breaks": "subtitle_breaks.FORMAT",
    "rttm": "rttm.FORMAT",
    "boris": "boris.FORMAT",
    "table-parquet": "table.PARQUET",
    "documents-parquet": "documents_parquet.FORMAT",
    "prodigy": "span_lines.PRODIGY",
    "doccano": "span_lines.DOCCANO",
    "documents-json": "documents_json.FORMAT",
    "bits": "bits.FORMAT",
    "segsimflex": "segsimflex.FORMAT",
    "rez": "rez.FORMAT",
    "spans-json": "spans_json.FORMAT",
    "rs3": "rs3.FORMAT",
    "dis": "dis.FORMAT",
    "rsd": "rsd.FORMAT",
    "lab": "lab.LAB",
    "salami": "lab.SALAMI",
    "audacity": "audacity.FORMAT",
    "elan-text": "elan_export.FORMAT",
    "ptb": "ptb.FORMAT",
    "textgrid": "textgrid.FORMAT",
    "eaf": "eaf.FORMAT",
    "ctm": "ctm.FORMAT",
    "brat": "brat.FORMAT",
    "webanno-tsv": "webanno.FORMAT",
    "xmi": "xmi.FORMAT",
    "label-studio": "label_studio.FORMAT",
    "jams": "jams.FORMAT",
    "bio": "bio.FORMAT",
    "wiki-sections": "wiki_sections.FORMAT",
    "choi": "choi.CHOI",
    "marked-text": "choi.MARKED",
    "segment-lines": "choi.SEGMENT_LINES",
    "srt": "subtitles.SRT",
    "vtt": "subtitles.VTT",
    "conllu": "conllu.FORMAT",
    "chat": "chat.FORMAT",
    "json": "json_fields.FORMAT",
    "table-csv": "table.CSV",
    "table-tsv": "table.TSV",
    "table-excel": "table.EXCEL",
    "table-r": "r_data.FORMAT",
    "spans-csv": "table.SPANS",
}


# Names of all formats.
NAMES = tuple(_MODULES)


def formats() -> dict[str, Format]:
    return dict(_registry())


def companions(path: str | PathLike[str]) -> list[str]:
    names = folders.companion_names([fspath(path)], list(_registry().values()))
    return sorted(name for name in names if os.path.isfile(name))


@cache
def _registry() -> dict[str, Format]:
    """Import the modules of all formats when the first file is read, which keeps the start-up fast."""
    result = {}
    for name, place in _MODULES.items():
        module, _, attribute = place.partition(".")
        result[name] = getattr(import_module(f"caesura.formats.{module}"), attribute)
    return result


def find_format(name: str) -> Format:
    registered = formats()
    names = {normalize_name(known): known for known in registered}
    if normalize_name(name) in names:
        return registered[names[normalize_name(name)]]
    suffix = f".{name.casefold().lstrip('.')}"
    having = [entry for entry in registered.values() if suffix in (*entry.suffixes, *entry.other_suffixes)]
    if len(having) > 1:
        raise OptionError(
            f"{name!r} is a suffix of several formats; choose {', '.join(entry.name for entry in having)}"
        )
    return having[0] if having else format_by_name(name)


def format_by_name(name: str) -> Format:
    if name not in NAMES:
        raise OptionError(suggest("no format", name, NAMES))
    return _registry()[name]


def formats_by_suffix(path: str | PathLike[str]) -> list[Format]:
    suffix = Path(path).suffix.lower()
    return [format for format in _registry().values() if suffix in format.suffixes]


def looks_like_any(path: str, candidates: Sequence[Format]) -> bool:
    suffix = unpacked_path(path).suffix.lower()
    try:
        text = decode(path, load(path))
    except FormatError:
        return False
    return any(format.looks_like(text) for format in candidates if suffix in (*format.suffixes, *format.other_suffixes))


def detect(path: str | PathLike[str], format: str | None = None) -> Format:
    return format_by_name(format) if format is not None else load_with_format(path, format)[0]


def load_with_format(path: str | PathLike[str], name: str | None, encoding: str | None = None) -> tuple[Format, bytes]:
    candidates = formats_by_suffix(unpacked_path(path)) if name is None else [format_by_name(name)]
    data = load(path, may_be_empty=any(format.may_be_empty for format in candidates))
    return _detect(path, data, candidates, encoding) if name is None else candidates[0], data


def _detect(path: str | PathLike[str], data: bytes, candidates: Sequence[Format], encoding: str | None) -> Format:
    for format in formats().values():
        if _matches_bytes(format, data):
            return format
    if candidates and (candidates[0].decode is not None or candidates[0].magic):  # no other format has this encoding
        return candidates[0]
    guess = any(format.guesses_encoding for format in candidates)
    return _detect_text(path, decode_text(path, data, encoding, guess=guess)[0], candidates)


def _detect_text(path: str | PathLike[str], text: str, candidates: Sequence[Format]) -> Format:
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
    plain = "marked-text for blank lines between segments, segment-lines for one segment per line, or "
    return f"{plain if suffix in ('', '.txt') else ''}one of {', '.join(names)}"


def _matches_bytes(format: Format, data: bytes) -> bool:
    if not format.magic or not data.startswith(format.magic):
        return False
    return format.matches_bytes is None or format.matches_bytes(data)


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
