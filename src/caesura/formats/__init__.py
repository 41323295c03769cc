"""Files into corpora and back: one module per format, and the registry that finds the right one.

A format never repairs and never drops anything in silence. What is wrong with a file is a ``FormatError`` that begins
``path:line:``; what is wrong with one item of a sound file can be collected, so that the other items are still read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, OptionError
from caesura.formats import (
    bits,
    chat,
    choi,
    conllu,
    lab,
    masses_json,
    masses_tsv,
    parquet,
    rez,
    rs3,
    segsimflex,
    spans_csv,
    spans_json,
    subtitles,
    unit_table,
)
from caesura.formats.format import Format, Problems, Reading, decode, load
from caesura.formats.settings import Settings, read_settings
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import declare
from caesura.model.tokens import check_same_tokens

__all__ = ["Settings", "check_same_tokens", "formats", "read", "read_coders", "read_settings", "write"]

_REGISTRY: dict[str, Format] = {
    one.name: one
    for one in (
        masses_json.FORMAT,
        masses_tsv.FORMAT,
        unit_table.CSV,
        unit_table.TSV,
        parquet.FORMAT,
        bits.FORMAT,
        segsimflex.FORMAT,
        rez.FORMAT,
        spans_json.FORMAT,
        spans_csv.FORMAT,
        rs3.FORMAT,
        lab.LAB,
        lab.SALAMI,
        choi.CHOI,
        choi.MARKED,
        subtitles.SRT,
        subtitles.VTT,
        conllu.FORMAT,
        chat.FORMAT,
    )
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
    **options: Any,
) -> Corpus:
    """A corpus from a file.

    The format is found by suffix and content unless it is named. ``types`` declares the boundary types in ordinal order,
    where the file does not. Given a list as ``problems``, items that cannot be are reported there and the others read;
    without it the first one raises. ``options`` are those of the format (``formats()[name].options``), such as
    ``symbols`` and ``unclassified`` for transcripts.
    """
    data = load(path)
    chosen = _named(format) if format is not None else _detect(path, data)
    resolved = chosen.resolve(options)
    scale = None if types is None else declare(types)
    reading = Reading(fspath(path), chosen.text(path, data), scale, problems, resolved, data if chosen.magic else b"")
    corpus = chosen.read(reading)
    if not len(corpus) and not problems:
        raise FormatError(path, None, f"no segmentation was found ({chosen.says})")
    return corpus


def read_coders(
    files: Mapping[str, str | PathLike[str]] | Iterable[str | PathLike[str]],
    format: str | None = None,
    *,
    item: str | None = None,
    types: Iterable[str | int] | None = None,
    problems: Problems | None = None,
    **options: Any,
) -> Corpus:
    """One corpus from several files, each what one coder made of the same material.

    ``files`` maps coders to files; in a list of files each is its own coder, named by the file. Items go together by
    name. An item that is named by nothing but its file (``t001_ann.csv``, ``t001_bo.csv``) is ``item``, or else what the
    names of the files begin with in common (``t001``), or else ``1``. Where a list has files of the same name in several
    folders (``ann/t001.rs3``, ``bo/t001.rs3``), the file names the item and the folder the coder.
    """
    if isinstance(files, (str, PathLike)):
        raise OptionError(f"files must be a mapping from coders to files, or a list of files; got {fspath(files)!r}")
    paths = [*files.values()] if isinstance(files, Mapping) else [*files]
    coders = [*files] if isinstance(files, Mapping) else [None] * len(paths)
    if types is not None:
        types = declare(types)
    stems = [Path(path).stem for path in paths]
    shared = item or _beginning(stems) or "1"
    places = {(Path(path).absolute().parent, stem) for path, stem in zip(paths, stems, strict=True)}
    by_folder = not isinstance(files, Mapping) and len(set(stems)) < len(stems) == len(places)
    cells: dict[str, dict[str, Annotation]] = {}
    for coder, path in zip(coders, paths, strict=True):
        corpus = read(path, format, types=types, problems=problems, **options)
        if coder is not None and len(corpus.coders) > 1:
            raise FormatError(path, None, f"one coder is needed, {coder!r}; got {', '.join(corpus.coders)}")
        for name, who in corpus:
            one = corpus[name, who]
            named = shared if corpus.items == (Path(path).stem,) and not by_folder else name
            if by_folder and corpus.coders == (Path(path).stem,):
                who = Path(path).absolute().parent.name
            by_coder = cells.setdefault(named, {})
            if (coder or who) in by_coder:
                raise FormatError(path, None, f"item {named!r} has coder {coder or who!r} in another file too")
            by_coder[coder or who] = one
    return Corpus(cells)


def _beginning(names: list[str]) -> str:
    """What names have in common up to a separator: ``t001`` for ``t001_ann`` and ``t001_anna``."""
    parts = zip(*(re.split(r"([ _.-]+)", name) for name in names), strict=False)
    common = ""
    for first, *others in parts:
        if any(other != first for other in others):
            break
        common += first
    return common.rstrip(" _-.")


def write(corpus: Corpus, path: str | PathLike[str], format: str | None = None, **options: Any) -> None:
    """Write a corpus, in the format that the suffix or ``format`` names.

    What the format cannot hold is an error, and nothing is written.
    """
    chosen = writing(path, corpus, format)
    resolved = chosen.resolve(options)
    if chosen.write is None:
        raise FormatError(path, None, f"this format ({chosen.name}) can be read but not written")
    for item, coder in () if chosen.hierarchies else corpus:
        if isinstance(corpus[item, coder], Hierarchy):
            place = f"item {item!r}, coder {coder!r}"
            raise FormatError(
                path, None, f"{place}: this format ({chosen.name}) cannot hold a Hierarchy; write spans JSON or CSV"
            )
    made = chosen.write(corpus, fspath(path), resolved)
    data = made if isinstance(made, bytes) else _encoded(made, path)
    try:
        Path(path).write_bytes(data)
    except OSError as problem:
        raise FormatError(path, None, f"cannot be written: {problem.strerror}") from None


def writing(path: str | PathLike[str], corpus: Corpus, format: str | None = None) -> Format:
    """The format that ``write`` would take: the one named, or what the suffix says."""
    return _named(format) if format is not None else _by_suffix(path, corpus)


def _encoded(text: str, path: str | PathLike[str]) -> bytes:
    """In UTF-8, if it can be read again: half a surrogate pair cannot be written, a NUL is taken for a binary file."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise FormatError(
            path, None, f"text in UTF-8 cannot hold half a surrogate pair; got {problem.object[problem.start]!r}"
        ) from None
    if b"\0" in data:
        raise FormatError(path, None, "text cannot hold a NUL character; leave it out")
    return data


def _named(name: str) -> Format:
    if name not in _REGISTRY:
        raise OptionError(f"no format {name!r}; there are {', '.join(_REGISTRY)}")
    return _REGISTRY[name]


def detect(path: str | PathLike[str], format: str | None = None) -> Format:
    """The format that ``read`` would take: the one named, or what suffix and content say."""
    return _named(format) if format is not None else _detect(path, load(path))


def _detect(path: str | PathLike[str], data: bytes) -> Format:
    suffix = Path(path).suffix.lower()
    likely = [one for one in _REGISTRY.values() if suffix in one.suffixes]
    for one in _REGISTRY.values():
        if one.magic and data.startswith(one.magic):
            return one
    if likely and (likely[0].decode is not None or likely[0].magic):  # its own decoding tells it from all others
        return likely[0]
    text = decode(path, data)
    for one in [*(one for one in _REGISTRY.values() if suffix in one.guessed), *likely]:
        if one.looks_like(text):
            return one
    if likely:  # let the format of the suffix say what is wrong
        return likely[0]
    for one in _REGISTRY.values():
        if one.looks_like(text):
            return one
    raise FormatError(path, 1, f"the format was not recognised; name it, one of {', '.join(_REGISTRY)}")


def _by_suffix(path: str | PathLike[str], corpus: Corpus) -> Format:
    suffix = Path(path).suffix.lower()
    likely = [one for one in _REGISTRY.values() if suffix in one.suffixes]
    if any(isinstance(corpus[key], Hierarchy) for key in corpus):
        likely.sort(key=lambda one: not one.hierarchies)
    if likely:
        return likely[0]
    writable = [one for one in _REGISTRY.values() if one.write is not None]
    known = ", ".join(dict.fromkeys(suffix for one in writable for suffix in one.suffixes))
    raise FormatError(path, None, f"the suffix must say the format, one of {known}; got {suffix or 'none'}")
