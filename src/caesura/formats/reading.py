"""Reading files, folders and globs into corpora."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from caesura.errors import AmbiguousFileError, FormatError, OptionError
from caesura.formats import arrow, folders, layout, timed
from caesura.formats.folders import InputFile, NamingScheme
from caesura.formats.format import Reading
from caesura.formats.parquet_pages import PageChecker
from caesura.formats.reader import FileReader
from caesura.formats.registry import format_by_name, formats, load_with_format, looks_like_any
from caesura.formats.tier_layout import name_tier_files
from caesura.model.common_units import convert_together
from caesura.model.corpus import Corpus
from caesura.model.tier import Tier

# ``read_beginning`` reads so many rows of a large Parquet file, and so many bytes of a large file of lines.
MAX_SAMPLE_ROWS, MAX_SAMPLE_BYTES = 50_000, 2**21
# Files with fewer rows or bytes are read completely.
MIN_SAMPLED_ROWS, MIN_SAMPLED_BYTES = 4 * MAX_SAMPLE_ROWS, 4 * MAX_SAMPLE_BYTES
_LINES = ("table-csv", "table-tsv", "documents-json")


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
    # For each item, the annotations of all corpora are projected or aligned together: tiers in seconds, and texts if ``align``
    # is set. Therefore all corpora have the same units.
    inputs = [_Input(fspath(path), is_collection(path)) for path in paths]
    for entry in inputs:
        entry.files = find(entry.path, format, pattern, entry.ignored)
    number = sum(len(entry.files) for entry in inputs)
    reader = FileReader(format, types, excluded, options, align, align_all, mixed=number > 1)
    for entry in inputs:
        entry.read(reader)
    corpora = [entry.corpus([other for other in inputs if other is not entry], excluded) for entry in inputs]
    reader.check_options()
    corpora = _finish_together(reader, corpora, [entry.path for entry in inputs])
    return [
        reader.with_source(corpus, [file.path for file in entry.files], entry.ignored, entry.notes)
        for corpus, entry in zip(corpora, inputs, strict=True)
    ]


def _finish_together(reader: FileReader, corpora: list[Corpus], paths: list[str]) -> list[Corpus]:
    if len(corpora) == 1:
        return [reader.finish(corpora[0], paths[0])]
    if reader.align is None and not reader.open_spans and not any(corpus.holds(Tier) for corpus in corpora):
        return corpora
    return convert_together(corpora, lambda corpus: reader.finish(corpus, paths[0]), paths)


def read_beginning(
    path: str | PathLike[str], format: str | None = None, *, types: Iterable[str | int] | None = None, **options: Any
) -> Corpus | None:
    """Read the first rows of a large table, to describe it in less than a second."""
    if is_collection(path):
        return None
    errors: list[FormatError] = []
    reader = FileReader(format, types, errors, options)
    try:
        chosen, data = load_with_format(path, format, reader.encoding)
        beginning = _first_rows(fspath(path), chosen.name, data)
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


class _Sample(NamedTuple):
    data: bytes  # a file with these rows
    rows: int
    total: int  # number of rows of the whole file


def _first_rows(path: str, format: str, data: bytes) -> _Sample | None:
    if format.endswith("-parquet"):
        return _first_rows_of_parquet(path, data)
    return _first_lines(data) if format in _LINES and len(data) >= MIN_SAMPLED_BYTES else None


def _first_rows_of_parquet(path: str, data: bytes) -> _Sample | None:
    arrow.require_pyarrow(path, "reading")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with arrow.reading_errors(path):
            source = pa.BufferReader(data)
            file = pq.ParquetFile(source)
            total = file.metadata.num_rows
            if total < MIN_SAMPLED_ROWS:
                return None
            pages = PageChecker(path, source, file)
            for group in range(file.num_row_groups):
                pages.check(group)
            batch = next(file.iter_batches(MAX_SAMPLE_ROWS, use_threads=False), None)
            if batch is None:
                return None
            buffer = io.BytesIO()
            pq.write_table(pa.Table.from_batches([batch]).replace_schema_metadata(file.schema_arrow.metadata), buffer)
    except FormatError:
        return None  # the reader reports the error
    return _Sample(buffer.getvalue(), batch.num_rows, total)


def _first_lines(data: bytes) -> _Sample | None:
    """Return the lines up to the first line break after ``MAX_SAMPLE_BYTES`` that is not inside quotes."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return None  # two bytes per character
    end = data.find(b"\n", MAX_SAMPLE_BYTES) + 1
    while end and data.count(b'"', 0, end) % 2 and end < MIN_SAMPLED_BYTES:
        end = data.find(b"\n", end) + 1
    if not 0 < end < MIN_SAMPLED_BYTES:
        return None
    first = data[:end]
    return _Sample(first, first.count(b"\n"), data.count(b"\n") + (not data.endswith(b"\n")))


@dataclass
class _Input:
    path: str
    is_folder: bool
    files: list[InputFile] = field(default_factory=list)
    loaded: list[layout.LoadedFile] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, reader: FileReader) -> None:
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
        items = {item for entry in self.loaded if entry.corpus is not None for item in entry.corpus.item_names}
        return items | {file.relative for file in self.files} if self.is_folder else items

    def corpus(self, others: Sequence[_Input], excluded: list[FormatError] | None) -> Corpus:
        if not self.is_folder:
            corpus = self.loaded[0].corpus
            assert corpus is not None
            return corpus
        self._report_errors(excluded)
        elsewhere = set[str]().union(*(entry.names for entry in others)) if others else None
        pairs = layout.with_names(self.loaded, elsewhere, self.notes)
        return folders.merge(pairs, NamingScheme.infer([file for file, _ in pairs]), file_errors=excluded)

    def _report_errors(self, excluded: list[FormatError] | None) -> None:
        errors = [error for entry in self.loaded for error in entry.errors]
        ambiguous = [error for error in errors if isinstance(error, AmbiguousFileError)]
        if ambiguous and not any(entry.corpus for entry in self.loaded):
            raise ambiguous[0]  # the same option is needed for all files
        if excluded is None and errors:
            raise errors[0]
        if excluded is not None:
            excluded += errors


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
    # A decision about labels needs all files, and these are only some of them.
    reader = FileReader(format, types, excluded, options, align, align_all, mixed=True, labels="types")
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
    reader = FileReader(format, types, excluded, options, align, align_all, mixed=len(inputs) > 1)
    corpus = folders.read_all(inputs, reader.read, item=item, same_material=True, excluded=excluded)
    reader.check_options()
    finished = reader.finish(corpus, str(Path(inputs[0].path).parent) if inputs else "")
    return reader.with_source(finished, [file.path for file in inputs])


def find(
    path: str | PathLike[str], format: str | None = None, pattern: str | None = None, ignored: list[str] | None = None
) -> list[InputFile]:
    if not is_collection(path):
        if pattern is not None:
            raise OptionError(f"a pattern is for a folder or a glob; {fspath(path)} is neither")
        return [InputFile(fspath(path))]
    candidates = [format_by_name(format)] if format is not None else [*formats().values()]
    return folders.find_files(path, pattern, candidates, lambda name: looks_like_any(name, candidates), ignored)


def is_collection(path: str | PathLike[str]) -> bool:
    """Return whether a path is a folder or a glob. A file whose name contains wildcards is neither."""
    text = fspath(path)
    if "\0" in text or os.path.isfile(text):
        return False
    return os.path.isdir(text) or bool(folders.WILDCARD.search(text))


def list_tiers(path: str | PathLike[str], format: str | None = None) -> list[timed.FileTier]:
    chosen, data = load_with_format(path, format)
    if chosen.tiers is None:
        return []
    return list(chosen.tiers(Reading(fspath(path), chosen.text(path, data)[0], options=chosen.resolve({}))))
