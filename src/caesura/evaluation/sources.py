"""Divide a source of documents into partitions: Parquet, JSON lines, files of any format, a corpus or an iterator."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import chain, islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import AmbiguousFileError, CaesuraError, FormatError, InputError, OptionConflictError, OptionError
from caesura.evaluation.partition import Chunk, Partition
from caesura.files import RECORDS, RUN_FILE, file_digest, register_input
from caesura.formats import companions, detect, documents_json, find, folders, is_collection, read_files
from caesura.formats.documents import SIDES, choose_sides
from caesura.formats.folders import InputFile, NamingScheme
from caesura.formats.format import Format
from caesura.formats.settings import Settings
from caesura.model.common_units import tiers_over_units
from caesura.model.corpus import Corpus
from caesura.model.documents import DocumentPairs, Documents
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tier import Tier
from caesura.model.value import count_of, list_few
from caesura.notices import warn

Types = tuple[str, ...] | None

PAIRS_PER_PARTITION = 1000  # or items of a corpus
_GROUPS_PER_PARTITION = 50  # a group is one file with whole items, or all files of one item
_MAX_BLANKS = 2**10  # bytes: a larger file is not looked into to see whether it is blank


@dataclass(frozen=True)
class SourceOptions:
    format: str | None = None  # name of the format; None detects it
    # Which files of a folder to read and what their paths mean, such as ``"{coder}/{item}.TextGrid"``.
    pattern: str | None = None
    align: str | None = None
    align_all: bool = False  # whether to align coders whose tokens are the same too
    reference: str | None = None  # name of the coder who is the reference; None for ``"reference"``
    hypothesis: str | None = None  # name of the coder who is the hypothesis; None for ``"hypothesis"``
    options: Mapping[str, Any] = field(default_factory=dict)
    # Whether the measures compare tiers in seconds, so that tiers get no units; None if only some of them do.
    in_seconds: bool | None = False

    @property
    def sides(self) -> dict[str, str | None]:
        """Side -> the coder that the caller chose for it."""
        return {"reference": self.reference, "hypothesis": self.hypothesis}

    @property
    def coders(self) -> tuple[str, str]:
        return self.reference or SIDES[0], self.hypothesis or SIDES[1]

    def to_record(self) -> dict[str, str]:
        """Return the options that are set, for a checkpoint."""
        names = ("format", "pattern", "align", "reference", "hypothesis")
        values = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        values |= {"align_all": True} if self.align_all else {}
        return {name: _option_record(value) for name, value in (values | dict(self.options)).items()}

    def refuse(self, *names: str, reason: str) -> None:
        """Raise an error if one of these options, or any option of a format, is set."""
        for name in (*(name for name in names if getattr(self, name) is not None), *self.options):
            raise OptionError(f"{name} has no effect {reason}; leave it out")

    def with_settings(self, source: object, settings: Settings) -> SourceOptions:
        """Return the options together with those that a settings file has for the format of the source."""
        paths = _paths(source)
        if not paths:
            return self
        first = find(paths[0], self.format, self.pattern)[0].path
        options = settings.reading_options(detect(first, self.format).name)
        options.pop("types", None)
        return replace(self, options={**options, **self.options})


def _option_record(value: object) -> str:
    if isinstance(value, str | PathLike) and os.path.isfile(value):
        return f"{value!r} {_content_digest(fspath(value))}"
    return repr(value)


@dataclass(frozen=True)
class DocumentSource:
    """The partitions of a collection, in order."""

    partitions: Iterable[Partition]  # a sequence, or an iterator that can be read once
    types: Types = None  # the boundary types that the source declares, in order

    @property
    def total(self) -> int | None:
        return len(self.partitions) if isinstance(self.partitions, Sequence) else None

    @property
    def fingerprint(self) -> str | None:
        """Hash by which a checkpoint recognizes the data; None if the data are not known in advance."""
        if not isinstance(self.partitions, Sequence):
            return None
        digest = blake2b(digest_size=16)
        for partition in self.partitions:
            digest.update(repr(partition.fingerprint).encode("utf-8", "backslashreplace"))
        return digest.hexdigest()

    def sample(self) -> tuple[DocumentSource, Corpus]:
        """Read the first documents, to detect the kind of data in the source."""
        partitions: Iterable[Partition] = self.partitions
        if not isinstance(partitions, Sequence):
            iterator = iter(partitions)
            start = list(islice(iterator, 1))
            partitions = chain(start, iterator)
        else:
            start = list(partitions)
        return replace(self, partitions=partitions), next(filter(len, map(_sample_of, start)), Corpus({}))


def _sample_of(partition: Partition) -> Corpus:
    """Return the first documents of a partition as a corpus; an empty one if there are none or they cannot be read."""
    try:
        for chunk in partition.chunks():
            readable = [place for place in range(len(chunk)) if place not in chunk.excluded]
            if isinstance(chunk, Documents):  # in arrays: the first suffices
                pairs = {chunk.items[place]: chunk.pair(place) for place in readable[:1]}
            else:
                pairs = {chunk.items[place]: chunk.pairs[place] for place in readable}
            if pairs:
                return Corpus({item: dict(zip(SIDES, pair, strict=True)) for item, pair in pairs.items()})
    except AmbiguousFileError:
        raise
    except (CaesuraError, TypeError, ValueError):  # scoring reports the error
        pass
    return Corpus({})


def open_source(source: object, options: SourceOptions, types: Types) -> DocumentSource:
    if paths := _paths(source):
        return _open_paths(paths, options, types)
    if isinstance(source, Corpus):
        return DocumentSource(list(_corpus_partitions(source, options)))
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise OptionError(
            f"source must be a path, a Corpus or an iterable of pairs (reference, hypothesis); got {type(source).__name__}"
        )
    options.refuse("format", "pattern", "align", "reference", "hypothesis", reason="with pairs")
    return DocumentSource(_pair_partitions(source))


def may_hold_tiers(source: object, options: SourceOptions) -> bool:
    """Return whether a source may contain tiers in seconds, by its objects or by the format of its first file."""
    if isinstance(source, Corpus):
        return source.holds(Tier)
    try:
        first = [file.path for path in _paths(source) for file in find(path, options.format, options.pattern)][:1]
        return any(Tier in detect(path, options.format).annotation_types for path in first)
    except FormatError:  # opening the source reports it
        return False


def _paths(source: object) -> list[str]:
    """Return the paths of a source; empty if it does not consist of files."""
    if isinstance(source, str | PathLike):
        return [fspath(source)]
    if isinstance(source, list | tuple) and all(isinstance(entry, str | PathLike) for entry in source):
        return [fspath(entry) for entry in source]
    return []


_WRITTEN = {
    "checkpoint": (RUN_FILE, f"{RECORDS}/0000000.json"),
    "scores": ("part-00000.parquet",),
    "output": ("evaluate.json", "scores.csv"),
}  # option with the name of a folder -> files like those in it


def check_outputs(source: object, **outputs: str | PathLike[str] | None) -> None:
    """Raise an error if a folder that is written lies among the files that are read: the next run would read it."""
    for name, folder in outputs.items():
        for path in _paths(source) if folder is not None else ():
            if any(folders.may_read(path, os.path.join(fspath(folder or ""), file)) for file in _WRITTEN[name]):
                problem = f"{name}: {fspath(folder or '')} is inside {path}, so that the next run would read its files"
                raise OptionConflictError(f"{problem}; choose a folder elsewhere")


def _open_paths(sources: Sequence[str], options: SourceOptions, types: Types) -> DocumentSource:
    files = [file for path in sources for file in find(path, options.format, options.pattern)]
    roots = [path if os.path.isdir(path) else os.path.dirname(path) or "." for path in sources]
    root = roots[0] if len(set(roots)) == 1 else os.path.commonpath(map(os.path.abspath, roots))
    paths = [file.path for file in files]
    for path in paths:
        register_input(path)
    for path in sources:
        if not is_collection(path):
            _file_stamp(path, root)  # the file must exist
    document_format = options.format or _document_format(paths)
    if document_format not in ("documents-parquet", "documents-json"):
        return DocumentSource(_file_partitions(files, options, types, root))
    reason = "with a table of documents, whose columns are named reference and hypothesis"
    options.refuse("pattern", "align", "reference", "hypothesis", reason=reason)
    if document_format == "documents-json":
        blank = [path for path in paths if os.path.getsize(path) <= _MAX_BLANKS and not Path(path).read_bytes().strip()]
        if blank:
            warn(f"{count_of(len(blank), 'file')} without any document: {list_few(blank)}")
        return DocumentSource(documents_json.partitions(paths, root))
    from caesura.formats import documents_parquet

    declared = documents_parquet.inspect_files(paths)[1] if types is None else None
    return DocumentSource(documents_parquet.partitions(paths, root), declared)


def _document_format(paths: Sequence[str]) -> str | None:
    """Return the format of documents that all files have; None if they are something else."""
    suffixes = {Path(path).suffix.lower() for path in paths}
    if suffixes <= {".jsonl", ".ndjson"}:
        return "documents-json" if all(map(documents_json.are_documents, paths[:1])) else None
    if suffixes == {".parquet"}:
        from caesura.formats.documents_parquet import inspect_files

        return "documents-parquet" if inspect_files(paths)[0] else None
    return None


@dataclass(frozen=True)
class FileReader:
    """Reads groups of files, and searches them for the two coders."""

    naming: NamingScheme  # scheme that interprets the names of all files
    options: SourceOptions
    types: Types  # boundary types that the caller declares

    def read(self, files: Sequence[InputFile], excluded: list[FormatError]) -> Corpus:
        """Read files that belong together, and convert tiers to segmentations."""
        options = self.options
        corpus = read_files(
            files,
            self.naming,
            options.format,
            align=options.align,
            align_all=options.align_all,
            types=self.types,
            excluded=excluded,
            **options.options,
        )
        return _with_units(corpus, files[0].path, excluded, options)

    def finds_both_coders(self, files: list[InputFile]) -> bool:
        for file in files if len(files) > 1 else ():
            try:
                choose_sides(self.read([file], []).coders, self.options.sides)
            except OptionError:
                return False
            except CaesuraError:
                continue
            return True
        return len(files) == 1

    def check_coders(self, groups: list[list[InputFile]]) -> None:
        """Raise an error early, before all files are read, if one of the two coders does not exist."""
        by_file = dict.fromkeys(file.coder for group in groups for file in group)
        coders = [coder for coder in by_file if coder is not None]
        if None in by_file:
            coders += self._coders_in(groups)
        if coders:
            choose_sides(list(dict.fromkeys(coders)), self.options.sides)

    def _coders_in(self, groups: list[list[InputFile]]) -> list[str]:
        """Return the coders in the groups; stop reading when both coders have been seen, usually after the first group."""
        coders: list[str] = []
        errors: list[FormatError] = []
        for group in groups:
            try:
                coders += self.read(group, errors).coders
            except FormatError:  # scoring it reports the error
                continue
            _raise_ambiguity(errors)
            if set(self.options.coders) <= set(coders):
                break
        return coders


@dataclass(frozen=True)
class FilePartition:
    """Groups of files, each read separately: all files of one item, or one file with whole items."""

    groups: tuple[tuple[InputFile, ...], ...]
    reader: FileReader
    root: str  # the folder that paths are relative to
    is_only: bool

    @property
    def files(self) -> list[InputFile]:
        return [file for group in self.groups for file in group]

    @property
    def place(self) -> str:
        first, last = self.files[0].path, self.files[-1].path
        return first if first == last else f"{first} to {last}"

    @property
    def path(self) -> str:
        return self.files[0].path if len(self.files) == 1 else self.root

    @cached_property
    def fingerprint(self) -> list[Any]:
        return [_file_stamp(file.path, self.root) for file in self.files]

    def digest(self) -> str:
        """Return a hash of the content of all files, and of the files that are read with them."""
        digest = blake2b(digest_size=16)
        for file in self.files:
            for path in (file.path, *companions(file.path)):
                digest.update(_content_digest(path).encode())
        return digest.hexdigest()

    def chunks(self) -> Iterator[Chunk]:
        """Read each group as one batch, so that nothing depends on which groups are in one partition."""
        for group in self.groups:
            excluded: list[FormatError] = []
            corpus = self.reader.read(group, excluded)
            if self.is_only:
                _raise_ambiguity(excluded)
            if self.is_only and len(corpus):
                choose_sides(corpus.coders, self.reader.options.sides)
            yield _pairs_of(corpus, self.reader.options, excluded)

    def types(self) -> set[str] | tuple[str, ...]:
        return _types_of(pair for chunk in self.chunks() if isinstance(chunk, DocumentPairs) for pair in chunk.pairs)


def _with_units(corpus: Corpus, place: str, excluded: list[FormatError], options: SourceOptions) -> Corpus:
    """Return the corpus with tiers converted to segmentations, unless all measures compare seconds."""
    if not corpus.holds(Tier) or options.in_seconds:
        return corpus
    if options.in_seconds is None:
        raise OptionError(
            "these recordings have no units: some of the measures compare seconds and others need units; evaluate them "
            "separately"
        )
    errors: list[InputError] = []
    (converted,), _ = tiers_over_units([corpus], excluded=errors)
    excluded += [FormatError(place, None, str(error)) for error in errors]
    return converted


def _file_stamp(path: str, root: str) -> list[Any]:
    try:
        status = os.stat(path)
    except OSError as error:
        raise FormatError(path, None, f"cannot be read: {error.strerror}") from None
    return [os.path.relpath(path, root), status.st_size]


def _content_digest(path: str) -> str:
    try:
        return file_digest(path)
    except OSError as error:
        raise FormatError(path, None, f"cannot be read: {error.strerror}") from None


def _file_partitions(files: list[InputFile], options: SourceOptions, types: Types, root: str) -> list[FilePartition]:
    """Divide files into groups that can be read separately: by item, or by file if each file has both coders."""
    reader = FileReader(NamingScheme.infer(files), options, types)
    _check_format_options(files, options)
    groups = folders.group_by_item(files, reader.naming)
    if groups is None:
        groups = [[file] for file in files] if reader.finds_both_coders(files) else [files]
    if len(groups) > 1:
        reader.check_coders(groups)
    is_only = len(groups) == 1
    blocks = [groups[i : i + _GROUPS_PER_PARTITION] for i in range(0, len(groups), _GROUPS_PER_PARTITION)]
    return [FilePartition(tuple(map(tuple, block)), reader, root, is_only) for block in blocks]


def _raise_ambiguity(errors: Sequence[FormatError]) -> None:
    """Raise the error of a file that can be read in several ways, because the user must choose for all files."""
    for error in errors:
        if isinstance(error, AmbiguousFileError):
            raise error


def _check_format_options(files: list[InputFile], options: SourceOptions) -> None:
    """Raise an error, before anything is read, if no format of the files has an option that is set."""
    unknown = set(options.options)
    last: Format | None = None
    for file in files if unknown else ():
        try:
            last = detect(file.path, options.format)
        except FormatError:  # scoring it reports the error
            continue
        unknown -= {option.name for option in last.options}
        if not unknown:  # usually after the first file
            return
    if last is not None:
        last.resolve({name: options.options[name] for name in options.options if name in unknown})


def _pairs_of(corpus: Corpus, options: SourceOptions, errors: list[FormatError]) -> DocumentPairs:
    """Return the annotations of both coders, item by item; unreadable files become excluded documents."""
    by_item = {item: corpus.of_item(item) for item in corpus.item_names}
    annotated = {item: entry for item, entry in by_item.items() if not entry.keys().isdisjoint(options.coders)}
    pairs: list[Any] = []
    excluded: dict[int, str | FormatError] = {}
    for place, by_coder in enumerate(annotated.values()):
        missing = [coder for coder in options.coders if coder not in by_coder]
        if missing:
            excluded[place] = f"coder {missing[0]!r} is missing"
        pairs.append(None if missing else tuple(map(by_coder.get, options.coders)))
    unread = list(errors)
    if unread and excluded and len(corpus.item_names) == 1:  # the missing coder's file could not be read
        excluded[0] = unread.pop(0)
    items = [*annotated, *(Path(error.path).name for error in unread)]
    excluded |= dict(enumerate(unread, len(pairs)))
    rows, converted = [0] * len(items), corpus.origin is not None
    return DocumentPairs(items, rows, pairs + [None] * len(unread), excluded, converted=converted)


@dataclass(frozen=True)
class PairPartition:
    first: int  # number of the first pair, from 1
    items: tuple[str, ...]
    pairs: tuple[Any, ...]  # (reference, hypothesis)
    excluded: Mapping[int, str] = field(default_factory=dict)  # index -> reason why a pair is missing
    path: str = "pairs"  # name of the source in messages
    converted: bool = False  # whether the pairs were converted to common units

    @property
    def place(self) -> str:
        return f"pairs {self.first} to {self.first + len(self.pairs) - 1}"

    @cached_property
    def fingerprint(self) -> list[Any]:
        digest = blake2b(digest_size=16)
        for item, pair in zip(self.items, self.pairs, strict=True):
            digest.update(pickle.dumps((item, pair), protocol=5))
        return [self.first, len(self.pairs), digest.hexdigest()]

    def digest(self) -> str:
        return str(self.fingerprint[-1])

    def chunks(self) -> Iterator[Chunk]:
        rows = range(self.first, self.first + len(self.items))
        yield DocumentPairs(self.items, rows, self.pairs, self.excluded, converted=self.converted)

    def types(self) -> set[str] | tuple[str, ...]:
        return _types_of(self.pairs)


def _pair_partitions(source: Iterable[Any]) -> Iterator[PairPartition]:
    iterator = iter(source)
    first = 1
    while block := list(islice(iterator, PAIRS_PER_PARTITION)):
        items, pairs = [], []
        for number, entry in enumerate(block, first):
            has_name = isinstance(entry, tuple | list) and len(entry) == 3
            items.append(str(entry[0]) if has_name else str(number))
            pairs.append(tuple(entry[1:]) if has_name else entry)
        yield PairPartition(first, tuple(items), tuple(pairs))
        first += len(block)


def _corpus_partitions(corpus: Corpus, options: SourceOptions) -> Iterator[PairPartition]:
    options.refuse("format", "pattern", "align", reason="with a Corpus, which has been read already")
    choose_sides(corpus.coders, options.sides)
    errors: list[FormatError] = []
    whole = _pairs_of(_with_units(corpus, "corpus", errors, options), options, errors)
    for first in range(0, len(whole), PAIRS_PER_PARTITION):
        last = min(first + PAIRS_PER_PARTITION, len(whole))
        excluded = {place - first: str(why) for place, why in whole.excluded.items() if first <= place < last}
        items, pairs = tuple(whole.items[first:last]), tuple(whole.pairs[first:last])
        yield PairPartition(first + 1, items, pairs, excluded, converted=whole.converted)


def _types_of(pairs: Iterable[Any]) -> set[str] | tuple[str, ...]:
    """Return the first declared types; if none are declared, the types that occur."""
    occurring: set[str] = set()
    for pair in pairs:
        for text in pair if isinstance(pair, tuple | list) else ():
            if isinstance(text, Segmentation):
                if text.types_declared and text.types != UNTYPED:
                    return text.types
                occurring.update(name for _, name in text.boundaries)
    return occurring
