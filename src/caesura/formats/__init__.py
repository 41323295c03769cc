"""Files into corpora and back: one module per format, and the registry that finds the right one.

A format never repairs and never drops anything in silence. What is wrong with a file is a ``FormatError`` that begins
``path:line:``; what is wrong with one item of a sound file can be collected, so that the other items are still read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, InputError, MismatchError, OptionError
from caesura.formats import folders, timed
from caesura.formats.format import Format, Reading, decode, load, warn
from caesura.formats.registry import NAMES, registry
from caesura.formats.settings import Settings, read_settings
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, kind_name
from caesura.model.projection import ALIGNMENTS
from caesura.model.segmentation import check_types
from caesura.model.tokens import check_same_tokens

__all__ = [
    "Settings",
    "check_same_tokens",
    "detect",
    "find",
    "formats",
    "list_tiers",
    "read",
    "read_coders",
    "read_files",
    "read_settings",
    "read_together",
    "write",
]


def formats() -> dict[str, Format]:
    """Name -> format, for every format there is."""
    return dict(registry())


def read(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    pattern: str | None = None,
    align: str | None = None,
    types: Iterable[str | int] | None = None,
    excluded: list[FormatError] | None = None,
    **options: Any,
) -> Corpus:
    """A corpus from a file, a folder or a glob.

    The format is found by suffix and content unless it is named. ``types`` declares the boundary types in ordinal order,
    where the file does not. Given a list as ``problems``, items that cannot be are reported there and the others read;
    without it the first one raises. ``options`` are those of the format (``formats()[name].options``), such as
    ``symbols`` and ``unclassified`` for transcripts.

    Of a folder, every file with a known suffix is read, of a glob (``"corpus/*/*.rs3"``) every file that it matches. A
    ``pattern`` such as ``"{coder}/{item}.TextGrid"`` or ``"{item}_{coder}.eaf"`` says what the path from the folder on means;
    without it, see :mod:`caesura.formats.folders`.

    Tiers in seconds (TextGrid, EAF, CTM) are laid over units, which the options ``words``, ``units`` and ``tolerance``
    choose, see :func:`~caesura.over_units`; ``units="times"`` gives them as they are.

    Coders of one text may have other tokens: ``align="characters"`` lays all over its characters, see
    :func:`~caesura.over_characters`; ``align="edit"`` does so where texts differ too, with a loss that a warning states, see
    :func:`~caesura.over_edits`.
    """
    (corpus,) = read_together([path], format, pattern=pattern, align=align, types=types, excluded=excluded, **options)
    return corpus


def read_together(
    paths: Sequence[str | PathLike[str]],
    format: str | None = None,
    *,
    pattern: str | None = None,
    align: str | None = None,
    types: Iterable[str | int] | None = None,
    excluded: list[FormatError] | None = None,
    **options: Any,
) -> list[Corpus]:
    """A corpus from each of several files, folders or globs, all over the same units: a reference and a hypothesis, say.

    What needs units or an alignment (see :func:`read`) is laid over them together, item by item.
    """
    sources = [find(path, format, pattern) for path in paths]
    reader = _Reader(format, types, excluded, options, loose=sum(map(len, sources)) > 1)
    found = []
    for path, files in zip(paths, sources, strict=True):
        if folders.is_collection(path):
            found.append(folders.join(files, reader.read, together=False, excluded=excluded))
        else:
            found.append(reader.read(fspath(path), excluded))
    reader.check_used()
    if len(found) == 1:
        return [reader.finish(found[0], fspath(paths[0]), align)]
    if align is None and not any(map(timed.holds_tiers, found)):
        return found
    return _apart(found, [fspath(path) for path in paths], lambda whole: reader.finish(whole, fspath(paths[0]), align))


def read_files(
    sources: Sequence[folders.InputFile],
    naming: folders.NamingScheme,
    format: str | None = None,
    *,
    align: str | None = None,
    types: Iterable[str | int] | None = None,
    excluded: list[FormatError] | None = None,
    **options: Any,
) -> Corpus:
    """Some of the files that :func:`find` gave, as :func:`read` would read all of them; ``naming`` is that of all.

    An option that these files have no use for may be one of the others.
    """
    reader = _Reader(format, types, excluded, options, loose=True)
    corpus = folders.join(sources, reader.read, together=False, excluded=excluded, naming=naming)
    return reader.finish(corpus, str(Path(sources[0].path).parent), align)


def find(path: str | PathLike[str], format: str | None = None, pattern: str | None = None) -> list[folders.InputFile]:
    """The files that ``read`` would take, with what a pattern says about each."""
    if not folders.is_collection(path):
        if pattern is not None:
            raise OptionError(f"a pattern is for a folder or a glob; {fspath(path)} is neither")
        return [folders.InputFile(fspath(path))]
    able = [_named(format)] if format is not None else [*registry().values()]
    return folders.find_files(path, pattern, able, lambda name: _is_recognised(name, able))


def _is_recognised(path: str, able: Sequence[Format]) -> bool:
    """Whether the content of a file looks like one of these formats, of those that its suffix allows."""
    suffix = Path(path).suffix.lower()
    try:
        text = decode(path, load(path))
    except FormatError:
        return False
    return any(one.looks_like(text) for one in able if suffix in (*one.suffixes, *one.other_suffixes))


def _apart(found: list[Corpus], paths: list[str], finish: Callable[[Corpus], Corpus]) -> list[Corpus]:
    """Several corpora finished as one, and taken apart again. Corpora of one item each go together whatever its name."""
    alone = all(len(one.item_names) == 1 for one in found)
    cells: dict[str, dict[str, Annotation]] = {}
    places: dict[tuple[str, str], tuple[int, str, str]] = {}
    for i, corpus in enumerate(found):
        for item, coder in corpus:
            named = found[0].item_names[0] if alone else item
            who = coder if coder not in cells.get(named, ()) else f"{coder} ({paths[i]}, {i + 1})"
            cells.setdefault(named, {})[who] = corpus[item, coder]
            places[named, who] = i, item, coder
    finished = finish(Corpus(cells))
    parts: list[dict[str, dict[str, Annotation]]] = [{} for _ in found]
    for key in finished:
        i, item, coder = places[key]
        parts[i].setdefault(item, {})[coder] = finished[key]
    return [Corpus(part) for part in parts]


@dataclass
class _Reader:
    """What a call says about all its files; and of the options, which were of use."""

    format: str | None
    given_types: InitVar[Iterable[str | int] | None]
    excluded: list[FormatError] | None
    options: Mapping[str, Any]
    loose: bool = False
    """Whether a file may be in a format that does not have all options, since others do."""
    timing: dict[str, Any] = field(default_factory=dict)
    formats: dict[str, Format] = field(default_factory=dict)

    def __post_init__(self, given_types: Iterable[str | int] | None) -> None:
        self.types = None if given_types is None else check_types(given_types)

    def read(self, path: str, excluded: list[FormatError] | None) -> Corpus:
        """What is in a file, tiers still in seconds."""
        options = self.options
        if self.loose and options:
            chosen = detect(path, self.format)
            self.formats[chosen.name] = chosen
            known = {option.name for option in chosen.options}
            options = {name: value for name, value in options.items() if name in known}
        corpus, resolved = _read_file(path, self.format, self.types, excluded, options)
        self.timing = resolved if timed.holds_tiers(corpus) else self.timing
        return corpus

    def check_used(self) -> None:
        """An option that no format of several files has is an error."""
        known = {option.name for one in self.formats.values() for option in one.options}
        unused = {name: value for name, value in self.options.items() if name not in known}
        if unused and self.formats:
            next(iter(self.formats.values())).resolve(unused)

    def finish(self, corpus: Corpus, path: str, align: str | None) -> Corpus:
        """Tiers over units, then texts over characters."""
        laid = timed.lay(corpus, path, self.timing, types=self.types, excluded=self.excluded)
        return laid if align is None else _aligned(laid, path, align, self.excluded)


def _aligned(corpus: Corpus, path: str, align: str, excluded: list[FormatError] | None) -> Corpus:
    if align not in ALIGNMENTS:
        raise OptionError(f"align must be one of {', '.join(ALIGNMENTS)}; got {align!r}")
    bad: list[InputError] | None = None if excluded is None else []
    try:
        laid, notes = ALIGNMENTS[align](corpus, excluded=bad)
    except MismatchError as error:
        raise FormatError(path, None, str(error)) from None
    if excluded is not None:
        excluded += [FormatError(path, None, str(error)) for error in bad or ()]
    for item, note in notes.items():
        if note.lossy:
            warn(f"{path}: item {item!r}: {note}")
    whole = [f"item {item!r}: {note}" for item, note in notes.items() if not note.lossy]
    if whole:
        more = f"; other tokens in {len(whole) - 1} more items too" if len(whole) > 1 else ""
        warn(f"{path}: {whole[0]}{more}")
    return laid


def _read_file(
    path: str | PathLike[str],
    format: str | None,
    types: tuple[str, ...] | None,
    excluded: list[FormatError] | None,
    options: Mapping[str, Any],
) -> tuple[Corpus, dict[str, Any]]:
    """What is in a file, tiers still in seconds; and every option of its format."""
    data = _load(path, format)
    chosen = _named(format) if format is not None else _detect(path, data)
    resolved = chosen.resolve(options)
    reading = Reading(fspath(path), chosen.text(path, data), types, excluded, resolved, data if chosen.magic else b"")
    corpus = chosen.read(reading)
    if not len(corpus) and not excluded:
        raise FormatError(path, None, f"no segmentation was found ({chosen.description})")
    return corpus, resolved


def read_coders(
    files: Mapping[str, str | PathLike[str]] | Iterable[str | PathLike[str]],
    format: str | None = None,
    *,
    item: str | None = None,
    align: str | None = None,
    types: Iterable[str | int] | None = None,
    excluded: list[FormatError] | None = None,
    **options: Any,
) -> Corpus:
    """One corpus from several files, each what one coder made of the same material.

    ``files`` maps coders to files; in a list of files each is its own coder, named by the file. Items go together by
    name. An item that is named by nothing but its file (``t001_ann.csv``, ``t001_bo.csv``) is ``item``, or else what the
    names of the files begin with in common (``t001``), or else ``1``. Where a list has files of the same name in several
    folders (``ann/t001.rs3``, ``bo/t001.rs3``), the file names the item and the folder the coder. Tiers in seconds are
    laid over units when all files are read, so that the coders of an item share them; ``align`` is that of :func:`read`.
    """
    sources = folders.list_files(files)
    reader = _Reader(format, types, excluded, options, loose=len(sources) > 1)
    corpus = folders.join(sources, reader.read, item=item, together=True, excluded=excluded)
    reader.check_used()
    return reader.finish(corpus, str(Path(sources[0].path).parent) if sources else "", align)


def write(corpus: Corpus, path: str | PathLike[str], format: str | None = None, **options: Any) -> None:
    """Write a corpus, in the format that the suffix or ``format`` names.

    What the format cannot hold is an error, and nothing is written.
    """
    chosen = format_for_writing(path, corpus, format)
    resolved = chosen.resolve(options)
    if chosen.write is None:
        raise FormatError(path, None, f"this format ({chosen.name}) can be read but not written")
    for item, coder in corpus:
        one = corpus[item, coder]
        if not isinstance(one, chosen.annotation_types):
            able = [
                other.name for other in registry().values() if other.write and isinstance(one, other.annotation_types)
            ]
            raise FormatError(
                path,
                None,
                f"item {item!r}, coder {coder!r}: this format ({chosen.name}) cannot hold a {kind_name(one)}; "
                f"it can be written as {', '.join(able)}",
            )
    made = chosen.write(corpus, fspath(path), resolved)
    data = made if isinstance(made, bytes) else _encoded(made, path)
    try:
        Path(path).write_bytes(data)
    except OSError as problem:
        raise FormatError(path, None, f"cannot be written: {problem.strerror}") from None


def format_for_writing(path: str | PathLike[str], corpus: Corpus, format: str | None = None) -> Format:
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
    if name not in NAMES:
        raise OptionError(f"no format {name!r}; there are {', '.join(NAMES)}")
    return registry()[name]


def detect(path: str | PathLike[str], format: str | None = None) -> Format:
    """The format that ``read`` would take: the one named, or what suffix and content say."""
    return _named(format) if format is not None else _detect(path, _load(path, format))


def list_tiers(path: str | PathLike[str], format: str | None = None) -> list[timed.TierRead]:
    """The tiers in a file, all of them, before any is chosen; none where the format has no tiers."""
    chosen = detect(path, format)
    if chosen.tiers is None:
        return []
    reading = Reading(fspath(path), chosen.text(path, _load(path, format)), options=chosen.resolve({}))
    return list(chosen.tiers(reading))


def _load(path: str | PathLike[str], format: str | None) -> bytes:
    """The bytes; none at all, where the format that is named or that the suffix says may be empty."""
    known = _of_suffix(path) if format is None else [_named(format)]
    return load(path, empty=any(one.may_be_empty for one in known))


def _of_suffix(path: str | PathLike[str]) -> list[Format]:
    suffix = Path(path).suffix.lower()
    return [one for one in registry().values() if suffix in one.suffixes]


def _detect(path: str | PathLike[str], data: bytes) -> Format:
    suffix = Path(path).suffix.lower()
    likely = _of_suffix(path)
    for one in registry().values():
        if one.magic and data.startswith(one.magic) and (one.matches_bytes is None or one.matches_bytes(data)):
            return one
    if likely and (likely[0].decode is not None or likely[0].magic):  # its own decoding tells it from all others
        return likely[0]
    text = decode(path, data)
    for one in [*(one for one in registry().values() if suffix in one.other_suffixes), *likely]:
        if one.looks_like(text):
            return one
    if likely:  # let the format of the suffix say what is wrong
        return likely[0]
    for one in registry().values():
        if one.looks_like(text):
            return one
    raise FormatError(path, 1, f"the format was not recognised; name it, one of {', '.join(NAMES)}")


def _by_suffix(path: str | PathLike[str], corpus: Corpus) -> Format:
    suffix = Path(path).suffix.lower()
    likely = _of_suffix(path)
    kinds = {type(corpus[key]) for key in corpus}
    likely.sort(key=lambda one: not all(issubclass(kind, one.annotation_types) for kind in kinds))
    if likely:
        return likely[0]
    able = [
        one
        for one in registry().values()
        if one.write and all(issubclass(kind, one.annotation_types) for kind in kinds)
    ]
    known = ", ".join(dict.fromkeys(suffix for one in able for suffix in one.suffixes))
    raise FormatError(path, None, f"the suffix must say the format, one of {known}; got {suffix or 'none'}")
