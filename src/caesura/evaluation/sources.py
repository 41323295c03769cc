"""Where documents come from: a Parquet data set, JSON lines, files of any format, a corpus, an iterator."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, FormatError, OptionError
from caesura.evaluation.partition import Chunk, Partition
from caesura.formats import detect, documents_json, find, folders, read_files
from caesura.formats.documents import SIDES, sides_of
from caesura.formats.folders import InputFile, NamingScheme
from caesura.formats.format import Format
from caesura.model.corpus import Corpus
from caesura.model.documents import DocumentPairs
from caesura.model.segmentation import UNTYPED, Segmentation

__all__ = ["Asked", "Source", "open_source"]

AT_ONCE = 1000
"""Pairs of an iterator, and items of a corpus, that make a partition."""
_FILES = 50  # files with items of their own, or items with files of their own, that make a partition


@dataclass(frozen=True)
class Asked:
    """How files are to be read: what ``read`` takes, and which coders are compared."""

    format: str | None = None
    pattern: str | None = None
    align: str | None = None
    reference: str | None = None
    hypothesis: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sides(self) -> dict[str, str | None]:
        """The coders by what they are."""
        return {"reference": self.reference, "hypothesis": self.hypothesis}

    def to_dict(self) -> dict[str, str]:
        """What was given, for a checkpoint."""
        named = ("format", "pattern", "align", "reference", "hypothesis")
        given = {name: getattr(self, name) for name in named if getattr(self, name) is not None}
        return {name: repr(value) for name, value in (given | dict(self.options)).items()}

    def refuse(self, *names: str, why: str) -> None:
        """None of these options may be given, and none of a format; the first that is, is an error."""
        given = [name for name in names if getattr(self, name) is not None]
        for name in (*given, *self.options):
            raise OptionError(f"{name} has no place {why}; leave it out")


@dataclass(frozen=True)
class Source:
    """Partitions, in order: a list, or an iterator that gives them once."""

    partitions: Iterable[Partition]
    types: tuple[str, ...] | None = None
    """The boundary types that the source declares, in order."""

    @property
    def total(self) -> int | None:
        """How many there are, if that is known."""
        return len(self.partitions) if isinstance(self.partitions, Sequence) else None

    @property
    def fingerprint(self) -> str | None:
        """What a checkpoint knows the data by; None where they are not known before they come."""
        if not isinstance(self.partitions, Sequence):
            return None
        made = blake2b(digest_size=16)
        for one in self.partitions:
            made.update(repr(one.fingerprint).encode("utf-8", "backslashreplace"))
        return made.hexdigest()


def open_source(source: object, asked: Asked, types: tuple[str, ...] | None) -> Source:
    """The partitions of whatever was given."""
    if isinstance(source, str | PathLike):
        return _of_path(fspath(source), asked, types)
    if isinstance(source, Corpus):
        return Source(list(_of_corpus(source, asked)))
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise OptionError(
            "source: a path, a Corpus or an iterable of pairs (reference, hypothesis) is needed; got "
            f"{type(source).__name__}"
        )
    asked.refuse("format", "pattern", "align", "reference", "hypothesis", why="with pairs")
    return Source(_given(source))


# -- files ------------------------------------------------------------------------------------------------------------


def _of_path(path: str, asked: Asked, types: tuple[str, ...] | None) -> Source:
    files = find(path, asked.format, asked.pattern)
    root = path if os.path.isdir(path) else os.path.dirname(path) or "."
    paths = [one.path for one in files]
    if not folders.is_collection(path):
        _stamp(path, root)  # the only file must be there
    kind = asked.format or _kind(paths)
    if kind in ("documents-parquet", "documents-json"):
        asked.refuse("pattern", "align", "reference", "hypothesis", why="with documents, whose columns say it")
        if kind == "documents-json":
            return Source(documents_json.partitions(paths, root))
        from caesura.formats import documents_parquet

        return Source(documents_parquet.partitions(paths, root), _declared(paths) if types is None else None)
    return Source(_groups(files, asked, types, root))


def _kind(paths: Sequence[str]) -> str | None:
    """The format of documents that all files are in; None where they are something else."""
    suffixes = {Path(path).suffix.lower() for path in paths}
    if suffixes <= {".jsonl", ".ndjson"}:
        return "documents-json"
    if suffixes == {".parquet"}:
        from caesura.formats.documents_parquet import is_documents, is_readable

        first = next((path for path in paths if is_readable(path)), None)
        return "documents-parquet" if first is None or is_documents(first) else None
    return None


def _declared(paths: Sequence[str]) -> tuple[str, ...] | None:
    """The types that the first file declares, of those that can be read."""
    from caesura.formats.documents_parquet import declared_types

    for path in paths:
        try:
            return declared_types(path)
        except FormatError:  # whoever reads it will say so
            continue
    return None


@dataclass(frozen=True)
class FileGroups:
    """Some groups of files, each read by itself: the files of one item, or one file with items of its own."""

    groups: tuple[tuple[InputFile, ...], ...]
    naming: NamingScheme
    asked: Asked
    declared: tuple[str, ...] | None
    root: str
    alone: bool
    """Whether this is all there is."""

    @property
    def files(self) -> list[InputFile]:
        """All of them."""
        return [one for group in self.groups for one in group]

    @property
    def place(self) -> str:
        """How messages call it."""
        first, last = self.files[0].path, self.files[-1].path
        return first if first == last else f"{first} to {last}"

    @property
    def path(self) -> str:
        """Where a document is said to be."""
        return self.files[0].path if len(self.files) == 1 else self.root

    @cached_property
    def fingerprint(self) -> list[Any]:
        """What a checkpoint knows it by."""
        return [_stamp(one.path, self.root) for one in self.files]

    def chunks(self) -> Iterator[Chunk]:
        """The items of each group, as one batch. So nothing depends on which groups came together."""
        for group in self.groups:
            excluded: list[FormatError] = []
            corpus = _read(group, self.naming, self.asked, self.declared, excluded)
            if self.alone and len(corpus):
                sides_of(corpus.coders, self.asked.sides)
            yield _chunk(corpus, self.asked, excluded)

    def types(self) -> set[str] | tuple[str, ...]:
        """The types that occur, or that are declared."""
        return _types(pair for chunk in self.chunks() if isinstance(chunk, DocumentPairs) for pair in chunk.pairs)


def _read(
    files: Sequence[InputFile],
    naming: NamingScheme,
    asked: Asked,
    types: tuple[str, ...] | None,
    excluded: list[FormatError],
) -> Corpus:
    return read_files(files, naming, asked.format, align=asked.align, types=types, excluded=excluded, **asked.options)


def _stamp(path: str, root: str) -> list[Any]:
    try:
        said = os.stat(path)
    except OSError as problem:
        raise FormatError(path, None, f"cannot be read: {problem.strerror}") from None
    return [os.path.relpath(path, root), said.st_size, said.st_mtime_ns]


def _groups(files: list[InputFile], asked: Asked, types: tuple[str, ...] | None, root: str) -> list[FileGroups]:
    """Files that can be read apart from the others: item by item, or file by file where each has both coders."""
    naming = NamingScheme.infer(files)
    _check_options(files, asked)
    groups = folders.group_by_item(files, naming)
    if groups is None:
        groups = [[one] for one in files] if _has_both(files, naming, asked, types) else [files]
    if len(groups) > 1:
        _check_sides(groups, naming, asked, types)
    together = [groups[i : i + _FILES] for i in range(0, len(groups), _FILES)]
    return [
        FileGroups(tuple(map(tuple, some)), naming, asked, types, root, alone=len(groups) == 1) for some in together
    ]


def _check_options(files: list[InputFile], asked: Asked) -> None:
    """An option that the format of no file has is an error, before any is read. Most often the first file has them all."""
    unknown = set(asked.options)
    last: Format | None = None
    for one in files if unknown else ():
        try:
            last = detect(one.path, asked.format)
        except FormatError:  # whoever reads it will say so
            continue
        unknown -= {option.name for option in last.options}
        if not unknown:
            return
    if last is not None:
        last.resolve({name: asked.options[name] for name in asked.options if name in unknown})


def _has_both(files: list[InputFile], naming: NamingScheme, asked: Asked, types: tuple[str, ...] | None) -> bool:
    """Whether the first file that can be read has both coders."""
    for one in files if len(files) > 1 else ():
        try:
            sides_of(_read([one], naming, asked, types, []).coders, asked.sides)
        except OptionError:
            return False
        except CaesuraError:
            continue
        return True
    return len(files) == 1


def _check_sides(
    groups: list[list[InputFile]], naming: NamingScheme, asked: Asked, types: tuple[str, ...] | None
) -> None:
    """A coder who stands nowhere is an error, before all is read. Most often the first group has both."""
    named = dict.fromkeys(one.coder for group in groups for one in group)
    coders = [name for name in named if name is not None]
    if len(coders) < len(named):
        for group in groups:
            try:
                coders += _read(group, naming, asked, types, []).coders
            except FormatError:  # whoever scores it will say so
                continue
            if {asked.reference or SIDES[0], asked.hypothesis or SIDES[1]} <= set(coders):
                break
    if coders:
        sides_of(list(dict.fromkeys(coders)), asked.sides)


def _chunk(corpus: Corpus, asked: Asked, excluded: list[FormatError]) -> DocumentPairs:
    """What both coders made of every item; and what could not be read, as documents that are wrong."""
    items: list[str] = []
    pairs: list[Any] = []
    wrong: dict[int, str | FormatError] = {}
    names = [asked.reference or SIDES[0], asked.hypothesis or SIDES[1]]
    unread = list(excluded)
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        missing = [who for who in names if who not in by_coder]
        if len(missing) == len(names):
            continue  # of other coders
        if missing:
            # The file of the one who is missing may be what could not be read.
            alone = unread and len(corpus.item_names) == 1
            wrong[len(items)] = unread.pop(0) if alone else f"coder {missing[0]!r} is missing"
        items.append(item)
        pairs.append(None if missing else tuple(by_coder[who] for who in names))
    for problem in unread:
        wrong[len(items)] = problem
        items.append(Path(problem.path).name)
        pairs.append(None)
    return DocumentPairs(items, [0] * len(items), pairs, wrong)


# -- pairs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """Pairs that are there already."""

    first: int
    """The number of the first, from 1 on."""
    items: tuple[str, ...]
    pairs: tuple[Any, ...]
    excluded: Mapping[int, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """How messages call it."""
        return f"pairs {self.first} to {self.first + len(self.pairs) - 1}"

    @property
    def path(self) -> str:
        """Where a document is said to be."""
        return "pairs"

    @cached_property
    def fingerprint(self) -> list[Any]:
        """What a checkpoint knows it by."""
        made = blake2b(digest_size=16)
        for item, pair in zip(self.items, self.pairs, strict=True):
            made.update(pickle.dumps((item, pair), protocol=5))
        return [self.first, len(self.pairs), made.hexdigest()]

    def chunks(self) -> Iterator[Chunk]:
        """As one batch."""
        yield DocumentPairs(self.items, range(self.first, self.first + len(self.items)), self.pairs, self.excluded)

    def types(self) -> set[str] | tuple[str, ...]:
        """The types that occur, or that are declared."""
        return _types(self.pairs)


def _given(pairs: Iterable[Any]) -> Iterator[Given]:
    coming = iter(pairs)
    first = 1
    while some := list(islice(coming, AT_ONCE)):
        named = [_named(one, first + i) for i, one in enumerate(some)]
        yield Given(first, tuple(item for item, _ in named), tuple(pair for _, pair in named))
        first += len(some)


def _named(one: Any, number: int) -> tuple[str, Any]:
    """(item, reference, hypothesis), or a pair whose name is its number."""
    if isinstance(one, tuple | list) and len(one) == 3:
        return str(one[0]), tuple(one[1:])
    return str(number), one


def _of_corpus(corpus: Corpus, asked: Asked) -> Iterator[Given]:
    """The items of a corpus, of those that one of the two coders segmented."""
    asked.refuse("format", "pattern", "align", why="with a Corpus, which has been read already")
    sides_of(corpus.coders, asked.sides)
    whole = _chunk(corpus, asked, [])
    for first in range(0, len(whole), AT_ONCE):
        last = min(first + AT_ONCE, len(whole))
        wrong = {d - first: str(why) for d, why in whole.excluded.items() if first <= d < last}
        yield Given(first + 1, tuple(whole.items[first:last]), tuple(whole.pairs[first:last]), wrong)


def _types(pairs: Iterable[Any]) -> set[str] | tuple[str, ...]:
    """The scale that is declared first; where none is, the types that occur."""
    occurring: set[str] = set()
    for pair in pairs:
        for one in pair if isinstance(pair, tuple | list) else ():
            if isinstance(one, Segmentation):
                if one.types_declared and one.types != UNTYPED:
                    return one.types
                occurring.update(name for _, name in one.boundaries)
    return occurring
