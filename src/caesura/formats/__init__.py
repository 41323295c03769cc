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
    brat,
    chat,
    choi,
    conllu,
    ctm,
    eaf,
    jams,
    lab,
    label_studio,
    masses_json,
    masses_tsv,
    parquet,
    ptb,
    rez,
    rs3,
    segsimflex,
    spans_csv,
    spans_json,
    subtitles,
    textgrid,
    timed,
    unit_table,
    webanno,
    xmi,
)
from caesura.formats.format import Format, Problems, Reading, decode, load
from caesura.formats.ptb import read_trees
from caesura.formats.settings import Settings, read_settings
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, came
from caesura.model.segmentation import declare
from caesura.model.tokens import check_same_tokens

__all__ = ["Settings", "check_same_tokens", "formats", "read", "read_coders", "read_settings", "read_trees",
           "write"]  # fmt: skip

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
        ptb.FORMAT,
        textgrid.FORMAT,
        eaf.FORMAT,
        ctm.FORMAT,
        brat.FORMAT,
        webanno.FORMAT,
        xmi.FORMAT,
        label_studio.FORMAT,
        jams.FORMAT,
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

    Tiers in seconds (TextGrid, EAF, CTM) are laid over units, which the options ``words``, ``units`` and ``tolerance``
    choose, see :func:`~caesura.over_units`; ``units="times"`` gives them as they are.
    """
    scale = None if types is None else declare(types)
    corpus, resolved = _read_file(path, format, scale, problems, options)
    return timed.lay(corpus, fspath(path), resolved, types=scale, problems=problems)


def _read_file(
    path: str | PathLike[str],
    format: str | None,
    types: tuple[str, ...] | None,
    problems: Problems | None,
    options: Mapping[str, Any],
) -> tuple[Corpus, dict[str, Any]]:
    """What is in a file, tiers still in seconds; and every option of its format."""
    data = _load(path, format)
    chosen = _named(format) if format is not None else _detect(path, data)
    resolved = chosen.resolve(options)
    reading = Reading(fspath(path), chosen.text(path, data), types, problems, resolved, data if chosen.magic else b"")
    corpus = chosen.read(reading)
    if not len(corpus) and not problems:
        raise FormatError(path, None, f"no segmentation was found ({chosen.says})")
    return corpus, resolved


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
    folders (``ann/t001.rs3``, ``bo/t001.rs3``), the file names the item and the folder the coder. Tiers in seconds are
    laid over units when all files are read, so that the coders of an item share them.
    """
    if isinstance(files, (str, PathLike)):
        raise OptionError(f"files must be a mapping from coders to files, or a list of files; got {fspath(files)!r}")
    paths = [*files.values()] if isinstance(files, Mapping) else [*files]
    coders = [*files] if isinstance(files, Mapping) else [None] * len(paths)
    scale = None if types is None else declare(types)
    stems = [Path(path).stem for path in paths]
    shared = item or _beginning(stems) or "1"
    places = {(Path(path).absolute().parent, stem) for path, stem in zip(paths, stems, strict=True)}
    by_folder = not isinstance(files, Mapping) and len(set(stems)) < len(stems) == len(places)
    cells: dict[str, dict[str, Annotation]] = {}
    timing: dict[str, Any] = {}
    for coder, path in zip(coders, paths, strict=True):
        corpus, resolved = _read_file(path, format, scale, problems, options)
        timing = resolved if timed.holds_tiers(corpus) else timing
        if coder is not None and len(corpus.coders) > 1:
            raise FormatError(path, None, f"one coder is needed, {coder!r}; got {', '.join(corpus.coders)}")
        # The only tier of a file says what it holds ("IU"), not who made it; that is up to the file.
        by_file = corpus.coders == (Path(path).stem,) or (timed.holds_tiers(corpus) and len(corpus.coders) == 1)
        for name, who in corpus:
            one = corpus[name, who]
            named = shared if corpus.items == (Path(path).stem,) and not by_folder else name
            if by_file:
                who = Path(path).absolute().parent.name if by_folder else Path(path).stem
            by_coder = cells.setdefault(named, {})
            if (coder or who) in by_coder:
                raise FormatError(path, None, f"item {named!r} has coder {coder or who!r} in another file too")
            by_coder[coder or who] = one
    folder = str(Path(paths[0]).parent) if paths else ""
    return timed.lay(Corpus(cells), folder, timing, types=scale, problems=problems)


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
    for item, coder in corpus:
        one = corpus[item, coder]
        if not isinstance(one, chosen.holds):
            able = [other.name for other in _REGISTRY.values() if other.write and isinstance(one, other.holds)]
            raise FormatError(
                path,
                None,
                f"item {item!r}, coder {coder!r}: this format ({chosen.name}) cannot hold a {came(one)}; "
                f"it can be written as {', '.join(able)}",
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
    return _named(format) if format is not None else _detect(path, _load(path, format))


def _load(path: str | PathLike[str], format: str | None) -> bytes:
    """The bytes; none at all, where the format that is named or that the suffix says may be empty."""
    known = _of_suffix(path) if format is None else [_named(format)]
    return load(path, empty=any(one.may_be_empty for one in known))


def _of_suffix(path: str | PathLike[str]) -> list[Format]:
    suffix = Path(path).suffix.lower()
    return [one for one in _REGISTRY.values() if suffix in one.suffixes]


def _detect(path: str | PathLike[str], data: bytes) -> Format:
    suffix = Path(path).suffix.lower()
    likely = _of_suffix(path)
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
    likely = _of_suffix(path)
    kinds = {type(corpus[key]) for key in corpus}
    likely.sort(key=lambda one: not all(issubclass(kind, one.holds) for kind in kinds))
    if likely:
        return likely[0]
    able = [one for one in _REGISTRY.values() if one.write and all(issubclass(kind, one.holds) for kind in kinds)]
    known = ", ".join(dict.fromkeys(suffix for one in able for suffix in one.suffixes))
    raise FormatError(path, None, f"the suffix must say the format, one of {known}; got {suffix or 'none'}")
