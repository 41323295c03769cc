"""Reading files into corpora and writing corpora to files.

Each format has its own module. A reader never repairs or drops data silently. An
invalid file raises a ``FormatError`` whose message begins with ``path:line:``. If only some items of a file are invalid,
their errors can be collected, and the other items are still read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import AmbiguousFileError, FormatError, OptionError, own_errors
from caesura.files import write_file
from caesura.formats import folders, layout, timed
from caesura.formats.content import decode, decode_text, load, unpacked_path
from caesura.formats.folders import InputFile, NamingScheme
from caesura.formats.format import Format, Reading, Writing
from caesura.formats.sample import first_rows
from caesura.formats.settings import Settings, read_settings
from caesura.formats.tier_layout import name_tier_files
from caesura.model.common_units import are_transcription, convert_together, labels_of_tiers
from caesura.model.corpus import Corpus, Source
from caesura.model.dialogue import Dialogue, kind_name, tiers_of
from caesura.model.projection import ALIGNMENTS, check_same_tokens
from caesura.model.segmentation import check_types
from caesura.model.tier import Tier
from caesura.model.value import count_of
from caesura.notices import warn
from caesura.options import choice, flag, normalize_name, optional, suggest, text

__all__ = [
    "NAMES",
    "Settings",
    "check_same_tokens",
    "detect",
    "find",
    "format_for_writing",
    "formats",
    "is_collection",
    "list_tiers",
    "read",
    "read_beginning",
    "read_coders",
    "read_files",
    "read_settings",
    "read_together",
    "write",
]


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
    "segment-lines": "segment_lines.FORMAT",
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

_MAX_LOSSES = 5  # items whose losses are reported

NAMES = tuple(_MODULES)
"""Names of all formats."""


def formats() -> dict[str, Format]:
    """Return all formats.

    Returns
    -------
    dict
        Name -> format.
    """
    return dict(_registry())


def companions(path: str | PathLike[str]) -> list[str]:
    """Return the files that are read together with a file, such as the text of a brat annotation.

    Parameters
    ----------
    path : path-like
        Path of the file.

    Returns
    -------
    list of str
        Paths of the files that exist.
    """
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


# -- reading ----------------------------------------------------------------------------------------------------------


def read(
    path: Any,
    format: str | None = None,
    *,
    pattern: str | None = None,
    align: str | None = None,
    align_all: bool = False,
    types: Iterable[str | int] | None = None,
    excluded: list[FormatError] | None = None,
    **options: Any,
) -> Corpus:
    """Read a corpus from a file, a folder or a glob.

    Parameters
    ----------
    path : path-like or data frame
        A file, a folder or a glob such as ``"corpus/*/*.rs3"``. In a folder, every file with a known suffix is read. For a
        glob, every matching file is read. A data frame of pandas, polars or Arrow is read like a table.
    format : str, optional
        Name of the format; by default it is detected from suffix and content.
    pattern : str, optional
        Pattern that finds item and coder in the paths of the files, such as ``"{coder}/{item}.TextGrid"`` or
        ``"{item}_{coder}.eaf"``. The module :mod:`caesura.formats.folders` describes patterns and the default.
    align : {"tokens", "characters", "edit", "positions"}, optional
        How to align coders whose tokens differ: by the edit distance of tokens (:func:`~caesura.over_tokens`), by the
        characters of a common text (:func:`~caesura.over_characters`), by the edit distance of characters
        (:func:`~caesura.over_edits`), or by position without regard to spelling (:func:`~caesura.over_positions`). Items
        whose coders have the same tokens do not change. A warning reports what is lost.
    align_all : bool, default False
        Whether ``align`` also converts items whose coders have the same tokens, so that all items have the same units.
    types : iterable of str or int, optional
        Boundary types in ordinal order, if the file does not declare them.
    excluded : list of FormatError, optional
        List to which the errors of invalid items are appended; the other items are read. If None, the first error is
        raised.
    **options
        Options of the format (``formats()[name].options``), such as ``symbols`` and ``unclassified`` for transcripts.

    Returns
    -------
    Corpus
        All annotations that were read.

    Raises
    ------
    FormatError
        If a file cannot be read.
    OptionError
        If an option does not exist or has an invalid value.

    Notes
    -----
    Tiers (TextGrid, EAF, CTM and others) are projected onto the words of the recording if there is a word tier, or onto the
    units that the option ``units`` chooses (see :func:`~caesura.over_units`). Otherwise they stay in seconds. With
    ``units="times"`` they always do.
    """
    if not isinstance(path, (str, PathLike)):
        corpus: Corpus = import_module("caesura.formats.frames").read(path, types=types, excluded=excluded, **options)
        return corpus
    (corpus,) = read_together(
        [path], format, pattern=pattern, align=align, align_all=align_all, types=types, excluded=excluded, **options
    )
    return corpus


def read_together(
    paths: Sequence[str | PathLike[str]],
    format: str | None = None,
    *,
    pattern: str | None = None,
    align: str | None = None,
    align_all: bool = False,
    types: Iterable[str | int] | None = None,
    excluded: list[FormatError] | None = None,
    **options: Any,
) -> list[Corpus]:
    """Read several corpora over the same units, such as a reference and a hypothesis.

    For each item, the annotations of all corpora are projected or aligned together: tiers in seconds, and texts if
    ``align`` is set. Therefore all corpora have the same units.

    Parameters
    ----------
    paths : sequence of path-like
        Files, folders or globs.
    format, pattern, align, align_all, types, excluded, **options
        As for :func:`read`.

    Returns
    -------
    list of Corpus
        One corpus per path.
    """
    inputs = [_Input(fspath(path), is_collection(path)) for path in paths]
    for entry in inputs:
        entry.files = find(entry.path, format, pattern, entry.ignored)
    reader = _Reader(
        format, types, excluded, options, align, align_all, mixed=sum(len(entry.files) for entry in inputs) > 1
    )
    for entry in inputs:
        entry.read(reader)
    corpora = [entry.corpus([other for other in inputs if other is not entry], excluded) for entry in inputs]
    reader.check_options()
    if len(corpora) == 1:
        corpora = [reader.finish(corpora[0], fspath(paths[0]))]
    elif align is not None or any(corpus.holds(Tier) for corpus in corpora):
        names = [fspath(path) for path in paths]
        corpora = convert_together(corpora, lambda corpus: reader.finish(corpus, names[0]), names)
    return [
        reader.with_source(corpus, [file.path for file in entry.files], entry.ignored, entry.notes)
        for corpus, entry in zip(corpora, inputs, strict=True)
    ]


def read_beginning(
    path: str | PathLike[str], format: str | None = None, *, types: Iterable[str | int] | None = None, **options: Any
) -> Corpus | None:
    """Read the first rows of a large table, to describe it in less than a second.

    Parameters
    ----------
    path : path-like
        Path of a file.
    format, types, **options
        As for :func:`read`.

    Returns
    -------
    Corpus or None
        The items in the first rows, without the last one, which may be incomplete; a note in its source tells how many
        rows were read. None if the file is small, its format has no rows, or the first rows cannot be read.
    """
    if is_collection(path):
        return None
    errors: list[FormatError] = []
    reader = _Reader(format, types, errors, options)
    try:
        chosen, data = _load(path, format, reader.encoding)
        beginning = first_rows(fspath(path), chosen.name, data)
        if beginning is None:
            return None
        note = f"the counts are of the first {beginning.rows:,} of {beginning.total:,} rows"
        corpus = reader.parse(fspath(path), chosen, beginning.data, errors, note)
    except FormatError:
        return None  # reading the whole file reports the error
    if errors or corpus.holds(Tier) or not corpus:
        return None
    source = replace(reader.sources[fspath(path)], rows=(beginning.rows, beginning.total))
    items = corpus.item_names
    return (corpus.select(items=items[:-1]) if len(items) > 1 else corpus).with_source(source)


@dataclass
class _Input:
    """A file, folder or glob that is read, perhaps together with others."""

    path: str
    is_folder: bool
    files: list[InputFile] = field(default_factory=list)
    loaded: list[layout.LoadedFile] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, reader: _Reader) -> None:
        """Read all files, and keep those in the format of most files. The errors of a folder are raised later."""
        if not self.is_folder:
            corpus = reader.read(self.path, reader.excluded)
            self.loaded = [layout.LoadedFile(self.files[0], corpus, None, ())]
            return
        self.loaded = layout.load_files(self.files, reader.read, reader.formats_by_path.get, reader.excluded)
        if reader.format is None and self.files[0].root is not None:  # without a pattern
            self.loaded = layout.without_strays(self.path, self.loaded, self.ignored)
        self.files = [entry.file for entry in self.loaded]

    @property
    def names(self) -> set[str]:
        """Items in the files, and paths of files without suffix."""
        items = {item for entry in self.loaded if entry.corpus is not None for item in entry.corpus.item_names}
        return items | {file.relative for file in self.files} if self.is_folder else items

    def corpus(self, others: Sequence[_Input], excluded: list[FormatError] | None) -> Corpus:
        """Return the corpus of all files, with names that fit those of the other inputs."""
        if not self.is_folder:
            corpus = self.loaded[0].corpus
            assert corpus is not None
            return corpus
        errors = [error for entry in self.loaded for error in entry.errors]
        ambiguous = [error for error in errors if isinstance(error, AmbiguousFileError)]
        if ambiguous and not any(entry.corpus for entry in self.loaded):
            raise ambiguous[0]  # the same option is needed for all files
        if excluded is None and errors:
            raise errors[0]
        if excluded is not None:
            excluded += errors
        elsewhere = set[str]().union(*(entry.names for entry in others)) if others else None
        pairs = layout.with_names(self.loaded, elsewhere, self.notes)
        return folders.merge(pairs, NamingScheme.infer([file for file, _ in pairs]), file_errors=excluded)


def read_files(
    files: Sequence[InputFile],
    naming: NamingScheme,
    format: str | None = None,
    *,
    align: str | None = None,
    align_all: bool = False,
    types: Iterable[str | int] | None = None,
    excluded: list[FormatError] | None = None,
    **options: Any,
) -> Corpus:
    """Read some of the files that :func:`find` returned, in the same way as :func:`read` reads all of them.

    Parameters
    ----------
    files : sequence of InputFile
        The files.
    naming : NamingScheme
        How to derive items and coders from the names of all files.
    format, align, align_all, types, excluded, **options
        As for :func:`read`. Options that only other files of the corpus need are allowed.

    Returns
    -------
    Corpus
        The annotations in these files.
    """
    # A decision about labels needs all files, and these are only some of them.
    reader = _Reader(format, types, excluded, options, align, align_all, mixed=True, labels="types")
    rename = name_tier_files if naming.automatic else None
    corpus = folders.read_all(files, reader.read, same_material=False, excluded=excluded, naming=naming, rename=rename)
    finished = reader.finish(corpus, str(Path(files[0].path).parent))
    return reader.with_source(finished, [file.path for file in files])


def read_coders(
    files: Mapping[str, str | PathLike[str]] | Iterable[str | PathLike[str]],
    format: str | None = None,
    *,
    item: str | None = None,
    align: str | None = None,
    align_all: bool = False,
    types: Iterable[str | int] | None = None,
    excluded: list[FormatError] | None = None,
    **options: Any,
) -> Corpus:
    """Read one corpus from several files, one file per coder.

    Parameters
    ----------
    files : mapping or iterable
        Coder -> path; or paths, if the names of the files are the names of the coders.
    format : str, optional
        Name of the format; by default it is detected from suffix and content.
    item : str, optional
        Item of the files that do not name an item. The default is the common beginning of the file names (``t001`` for
        ``t001_ann.csv`` and ``t001_bo.csv``), or ``1`` if there is none.
    align, align_all, types, excluded, **options
        As for :func:`read`.

    Returns
    -------
    Corpus
        All annotations. Items with the same name in several files are the same item.

    Notes
    -----
    If a list has files of the same name in several folders (``ann/t001.rs3``, ``bo/t001.rs3``), the files are the items and
    the folders are the coders. Tiers in seconds are projected onto units after all files are read, so that the coders of an
    item share their units.
    """
    inputs = folders.list_files(files)
    reader = _Reader(format, types, excluded, options, align, align_all, mixed=len(inputs) > 1)
    corpus = folders.read_all(inputs, reader.read, item=item, same_material=True, excluded=excluded)
    reader.check_options()
    finished = reader.finish(corpus, str(Path(inputs[0].path).parent) if inputs else "")
    return reader.with_source(finished, [file.path for file in inputs])


def find(
    path: str | PathLike[str], format: str | None = None, pattern: str | None = None, ignored: list[str] | None = None
) -> list[InputFile]:
    """Return the files that :func:`read` would read.

    Parameters
    ----------
    path : path-like
        A file, a folder or a glob.
    format : str, optional
        Name of the format.
    pattern : str, optional
        Pattern that finds item and coder in the paths of the files, as for :func:`read`.
    ignored : list of str, optional
        List to which the files of a folder that are left out are appended.

    Returns
    -------
    list of InputFile
        The files, with the items and coders that the pattern finds in their paths.
    """
    if not is_collection(path):
        if pattern is not None:
            raise OptionError(f"a pattern is for a folder or a glob; {fspath(path)} is neither")
        return [InputFile(fspath(path))]
    candidates = [_by_name(format)] if format is not None else [*_registry().values()]
    return folders.find_files(path, pattern, candidates, lambda name: _looks_like_any(name, candidates), ignored)


def is_collection(path: str | PathLike[str]) -> bool:
    """Return whether a path is a folder or a glob. A file whose name contains wildcards is neither.

    Parameters
    ----------
    path : path-like
        Path of a file or a folder, or a glob.

    Returns
    -------
    bool
        False for a file.
    """
    text = fspath(path)
    if "\0" in text or os.path.isfile(text):
        return False
    return os.path.isdir(text) or bool(folders.WILDCARD.search(text))


def _looks_like_any(path: str, candidates: Sequence[Format]) -> bool:
    """Return whether a file looks like one of the candidates; only formats with its suffix are tried."""
    suffix = unpacked_path(path).suffix.lower()
    try:
        text = decode(path, load(path))
    except FormatError:
        return False
    return any(format.looks_like(text) for format in candidates if suffix in (*format.suffixes, *format.other_suffixes))


@dataclass
class _Reader:
    """Reads the files of one call with the same options."""

    format: str | None
    type_names: InitVar[Iterable[str | int] | None]
    excluded: list[FormatError] | None
    options: Mapping[str, Any]
    align: str | None = None
    align_all: bool = False
    mixed: bool = False  # the files may have different formats; each format gets only the options that it knows
    labels: str | None = None  # whether labels of tiers are types if the options do not say so; None: by their number
    tier_options: dict[str, Any] = field(default_factory=dict)
    formats: dict[str, Format] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)  # by path
    formats_by_path: dict[str, Format] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # about all files together
    in_time: bool = False  # whether tiers stay in seconds
    tier_units: dict[str, Any] = field(default_factory=dict)
    aligned: tuple[int, int] = (0, 0)  # number of items that the alignment changed, and of all items

    def __post_init__(self, type_names: Iterable[str | int] | None) -> None:
        self.types = None if type_names is None else check_types(type_names)
        self.options = dict(self.options)
        self.encoding: str | None = optional(text)("encoding", self.options.pop("encoding", None))

    def read(self, path: str, excluded: list[FormatError] | None) -> Corpus:
        """Return the corpus of a file. Tiers remain in seconds."""
        return self.parse(path, *_load(path, self.format, self.encoding), excluded)

    def parse(
        self, path: str, format: Format, data: bytes, excluded: list[FormatError] | None, note: str | None = None
    ) -> Corpus:
        """Return the corpus in the content of a file."""
        self.formats[format.name] = self.formats_by_path[path] = format
        names = {option.name for option in format.options}
        options = {name: value for name, value in self.options.items() if name in names or not self.mixed}
        resolved = format.resolve(options)
        content, encoding_note = format.text(path, data, self.encoding)
        reading = Reading(path, content, self.types, excluded, resolved, data if format.magic else b"")
        reading.notes += [entry for entry in (note, encoding_note) if entry]
        with own_errors(path):
            corpus = format.read(reading)
        self.sources[path] = reading.source(format)
        reading.log.emit()
        if not len(corpus) and not excluded:
            raise FormatError(path, None, f"no annotation was found; expected {format.description}")
        if corpus.holds(Tier):
            self.tier_options = resolved if "units" in resolved else {"units": "times"}
        return corpus.with_source(self.sources[path])

    def with_source(
        self, corpus: Corpus, paths: Iterable[str], ignored: Iterable[str] = (), notes: Iterable[str] = ()
    ) -> Corpus:
        """Return the corpus with the sources of the files at these paths, and with notes on the folder."""
        sources = [self.sources[path] for path in paths if path in self.sources]
        if not sources:
            return corpus
        source = Source.merge(sources)
        if self.align is not None:
            changed, total = self.aligned
            notes = [*notes, f"{changed} of {count_of(total, 'item')} aligned by {self.align}"]
            source = replace(source, alignment=(self.align, changed))
        return corpus.with_source(
            replace(
                source,
                ignored=(*source.ignored, *ignored),
                notes=(*source.notes, *self.notes, *notes),
                tier_options=self.tier_units if self.in_time else {},
            )
        )

    def check_options(self) -> None:
        """Raise an error for an option that none of the formats has."""
        names = dict.fromkeys(option.name for format in self.formats.values() for option in format.options)
        for name in self.options if self.formats else ():
            if name not in names:
                owners = f"format{'s' if len(self.formats) > 1 else ''} {', '.join(self.formats)}"
                raise OptionError(suggest(f"{owners}: no option", name, names))

    def finish(self, corpus: Corpus, path: str) -> Corpus:
        """Return the corpus after projecting its tiers onto units and aligning its texts."""
        if corpus.holds(Tier):
            corpus = self.convert_tiers(corpus, path)
        return corpus if self.align is None else self._align(corpus, path, self.align)

    def convert_tiers(self, corpus: Corpus, path: str) -> Corpus:
        """Return the corpus with its tiers over units, or in seconds if there are no words and no units were chosen."""
        options = {"labels": None} | self.tier_options
        if options["labels"] is None:
            labels = labels_of_tiers(corpus)
            ignored = self.labels is None and are_transcription(labels)
            options["labels"] = "ignore" if ignored else "types"
            if ignored:
                number = "1 label" if len(labels) == 1 else f"{len(labels)} different labels"
                note = f"{number}: a transcription, so boundaries have no types"
                self.notes.append(f"{note} (--labels types keeps them)")
        units = options["units"]
        has_words = any(tier.words is not None for entry in corpus.values() for tier in tiers_of(entry).values())
        self.in_time = units == "times" or (units is None and not has_words)
        self.tier_units = {name: options[name] for name in ("tolerance", "labels") if name in options}
        self.tier_units |= {} if self.types is None else {"types": self.types}
        if self.in_time:
            return corpus
        return timed.convert_tiers(corpus, path, options, types=self.types, excluded=self.excluded)

    def _align(self, corpus: Corpus, path: str, align: str) -> Corpus:
        """Return the corpus after aligning its texts, and remember which items changed."""
        project = ALIGNMENTS[choice(*ALIGNMENTS)("align", align)]
        project = partial(project, only_differing=not flag("align_all", self.align_all))
        aligned, notes = timed.collect_errors(project, corpus, path, self.excluded)
        changed = sum(aligned.of_item(item) != corpus.of_item(item) for item in aligned.item_names)
        self.aligned = (changed, len(aligned.item_names))
        _warn_alignment(path, notes)
        return aligned


def _warn_alignment(path: str, notes: Mapping[str, Any]) -> None:
    """Warn about the first items whose alignment lost or changed something, and once about all other items."""
    lossy = [f"item {item!r}: {note}" for item, note in notes.items() if note.lossy]
    lossless = [f"item {item!r}: {note}" for item, note in notes.items() if not note.lossy]
    for message in lossy[:_MAX_LOSSES]:
        warn(f"{path}: {message}")
    if len(lossy) > _MAX_LOSSES:
        warn(f"{path}: the texts of {len(lossy) - _MAX_LOSSES} more items differ too")
    if lossless:
        more = f"; {len(lossless) - 1} more items have different tokens too" if len(lossless) > 1 else ""
        warn(f"{path}: {lossless[0]}{more}")


def list_tiers(path: str | PathLike[str], format: str | None = None) -> list[timed.FileTier]:
    """Return all tiers of a file.

    Parameters
    ----------
    path : path-like
        Path of the file.
    format : str, optional
        Name of the format; by default it is detected.

    Returns
    -------
    list of FileTier
        The tiers; empty if the format has none.
    """
    chosen, data = _load(path, format)
    if chosen.tiers is None:
        return []
    return list(chosen.tiers(Reading(fspath(path), chosen.text(path, data)[0], options=chosen.resolve({}))))


# -- writing ----------------------------------------------------------------------------------------------------------


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
    """Return the content of the file that :func:`write` would write.

    Parameters
    ----------
    corpus : Corpus
        Corpus to write.
    path : path-like
        Path of the file, for its suffix and for error messages.
    format : str, optional
        Name of the format; by default the suffix decides.
    **options
        Options of the format.

    Returns
    -------
    bytes
        Content of the file.

    Raises
    ------
    FormatError
        If the format cannot represent everything in the corpus.
    """
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
    """Return the format in which :func:`write` would write a corpus.

    Parameters
    ----------
    path : path-like
        Path of the file.
    corpus : Corpus
        Corpus to write. If several formats have the same suffix, the first one that can store the corpus is chosen.
    format : str, optional
        Name of the format.

    Returns
    -------
    Format
        The format.

    Raises
    ------
    FormatError
        If no format uses the suffix of the file.
    """
    if format is not None:
        return _by_name(format)
    kinds = {type(corpus[key]) for key in corpus}
    candidates = sorted(_by_suffix(path), key=lambda format: format.write is None)
    if candidates:
        return next((format for format in candidates if format.write and format.can_hold(kinds)), candidates[0])
    suffixes = ", ".join(dict.fromkeys(suffix for format in _writable(kinds) for suffix in format.suffixes))
    suffix = Path(path).suffix.lower()
    raise FormatError(path, None, f"the suffix must name the format: one of {suffixes}; got {suffix or 'none'}")


def _writable(kinds: Iterable[type]) -> list[Format]:
    kinds = list(kinds)
    return [format for format in _registry().values() if format.write and format.can_hold(kinds)]


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


# -- choosing a format ------------------------------------------------------------------------------------------------


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
    return _by_name(format) if format is not None else _load(path, format)[0]


def find_format(name: str) -> Format:
    """Return the format with a name.

    Parameters
    ----------
    name : str
        Name of a format, or a suffix that only one format has. Case does not matter, and ``_`` equals ``-``.

    Returns
    -------
    Format
        The format.

    Raises
    ------
    OptionError
        If there is no such format, or several have the suffix.
    """
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
    return having[0] if having else _by_name(name)


def _by_name(name: str) -> Format:
    if name not in NAMES:
        raise OptionError(suggest("no format", name, NAMES))
    return _registry()[name]


def _by_suffix(path: str | PathLike[str]) -> list[Format]:
    suffix = Path(path).suffix.lower()
    return [format for format in _registry().values() if suffix in format.suffixes]


def _load(path: str | PathLike[str], name: str | None, encoding: str | None = None) -> tuple[Format, bytes]:
    """Return the format and the bytes of a file. An empty file is allowed if a candidate format allows it."""
    candidates = _by_suffix(unpacked_path(path)) if name is None else [_by_name(name)]
    data = load(path, may_be_empty=any(format.may_be_empty for format in candidates))
    return _detect(path, data, encoding) if name is None else candidates[0], data


def _detect(path: str | PathLike[str], data: bytes, encoding: str | None = None) -> Format:
    for format in _registry().values():
        if _matches_bytes(format, data):
            return format
    candidates = _by_suffix(unpacked_path(path))
    if candidates and (candidates[0].decode is not None or candidates[0].magic):  # no other format has this encoding
        return candidates[0]
    guess = any(format.guesses_encoding for format in candidates)
    return _detect_text(path, decode_text(path, data, encoding, guess=guess)[0], candidates)


def _detect_text(path: str | PathLike[str], text: str, candidates: Sequence[Format]) -> Format:
    """Return the format that a text looks like; ``candidates`` are the formats with the suffix of the file."""
    suffix = unpacked_path(path).suffix.lower()
    by_content = [format for format in _registry().values() if suffix in format.other_suffixes]
    for format in (*by_content, *candidates):
        if format.looks_like(text):
            return format
    if candidates and suffix not in folders.AMBIGUOUS_SUFFIXES:
        return next(
            (format for format in candidates if suffix in format.fallback), candidates[0]
        )  # its reader reports the error
    for format in _registry().values():
        if format.looks_like(text):
            return format
    names = [format.name for format in (*by_content, *candidates)] or NAMES
    plain = "marked-text for blank lines between segments, segment-lines for one segment per line, or "
    hint = f"{plain if suffix in ('', '.txt') else ''}one of {', '.join(names)}"
    raise FormatError(path, 1, f"the format was not recognised; choose it with format: {hint}")


def _matches_bytes(format: Format, data: bytes) -> bool:
    if not format.magic or not data.startswith(format.magic):
        return False
    return format.matches_bytes is None or format.matches_bytes(data)
