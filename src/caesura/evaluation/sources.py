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
from caesura.formats import documents_json, find, folders, read_files
from caesura.formats.documents import sides_of
from caesura.formats.folders import Naming
from caesura.formats.folders import Source as File
from caesura.formats.format import Problems
from caesura.model.corpus import Corpus
from caesura.model.documents import Pairs
from caesura.model.segmentation import Segmentation

__all__ = ["Asked", "Source", "open_source"]

AT_ONCE = 1000
"""Pairs of an iterator, and items of a corpus, that make a partition."""
_FILES = 50  # of one item each, or each with items of its own, that make a partition


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

    def as_dict(self) -> dict[str, str]:
        """What was given, for a checkpoint."""
        named = ("format", "pattern", "align", "reference", "hypothesis")
        given = {name: getattr(self, name) for name in named if getattr(self, name) is not None}
        return {name: repr(value) for name, value in (given | dict(self.options)).items()}

    def of_files(self) -> str | None:
        """The first option that was given and is for files in which coders have names."""
        named = ("format", "pattern", "align", "reference", "hypothesis")
        return next((name for name in named if getattr(self, name) is not None), next(iter(self.options), None))


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
        return Source(list(_given(_of_corpus(source, asked))))
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise OptionError(
            "source: a path, a Corpus or an iterable of pairs (reference, hypothesis) is needed; got "
            f"{type(source).__name__}"
        )
    if (name := asked.of_files()) is not None:
        raise OptionError(f"{name} has no place with pairs; leave it out")
    return Source(_given(source))


# -- files ------------------------------------------------------------------------------------------------------------


def _of_path(path: str, asked: Asked, types: tuple[str, ...] | None) -> Source:
    files = find(path, asked.format, asked.pattern)
    if len(files) == 1:
        _stamp(files[0].path, ".")  # an error, if it is not there
    root = path if os.path.isdir(path) else os.path.dirname(path) or "."
    paths = [one.path for one in files]
    kind = asked.format or _kind(paths)
    if kind in ("documents-parquet", "documents-json"):
        if (name := next((n for n in ("pattern", "align", "reference", "hypothesis") if getattr(asked, n) is not None),
                         next(iter(asked.options), None))) is not None:  # fmt: skip
            raise OptionError(f"{name} has no place with documents, whose columns say it; leave it out")
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
class FileGroup:
    """Some files that belong together: those of one item, or each with items of its own."""

    files: tuple[File, ...]
    naming: Naming
    asked: Asked
    declared: tuple[str, ...] | None
    root: str

    @property
    def place(self) -> str:
        """How messages call it."""
        first, last = self.files[0].path, self.files[-1].path
        return first if len(self.files) == 1 else f"{first} to {last}"

    @property
    def path(self) -> str:
        """Where a document is said to be."""
        return self.files[0].path if len(self.files) == 1 else self.root

    @cached_property
    def fingerprint(self) -> list[Any]:
        """What a checkpoint knows it by."""
        return [_stamp(one.path, self.root) for one in self.files]

    def chunks(self) -> Iterator[Chunk]:
        """All their items, as one batch."""
        problems: Problems = []
        corpus = read_files(
            self.files, self.naming, self.asked.format, align=self.asked.align, types=self.declared, problems=problems,
            **self.asked.options,
        )  # fmt: skip
        yield _chunk(corpus, self.asked, self.root, problems)

    def types(self) -> set[str]:
        """The types that occur."""
        return {name for chunk in self.chunks() if isinstance(chunk, Pairs) for name in _types(chunk.pairs)}


def _stamp(path: str, root: str) -> list[Any]:
    try:
        said = os.stat(path)
    except OSError as problem:
        raise FormatError(path, None, f"cannot be read: {problem.strerror}") from None
    return [os.path.relpath(path, root), said.st_size, said.st_mtime_ns]


def _groups(files: list[File], asked: Asked, types: tuple[str, ...] | None, root: str) -> list[FileGroup]:
    """Files that can be read apart from the others: item by item, or file by file where each has both coders."""
    naming = Naming.of(files)
    groups = folders.by_item(files, naming)
    if groups is None:
        groups = [[one] for one in files] if _has_both(files, naming, asked, types) else [files]
    step = _FILES if len(groups) > 1 else 1
    together = [groups[i : i + step] for i in range(0, len(groups), step)]
    return [FileGroup(tuple(one for group in some for one in group), naming, asked, types, root) for some in together]


def _has_both(files: list[File], naming: Naming, asked: Asked, types: tuple[str, ...] | None) -> bool:
    """Whether the first file that can be read has both coders."""
    if len(files) == 1:
        return True
    for one in files:
        try:
            corpus = read_files([one], naming, asked.format, types=types, problems=[], **asked.options)
            sides_of(corpus.coders, asked.sides, one.path)
        except CaesuraError:
            continue
        return True
    return False


def _chunk(corpus: Corpus, asked: Asked, place: str, problems: Problems) -> Pairs:
    """What both coders made of every item; and what could not be read, as documents that are wrong."""
    items: list[str] = []
    pairs: list[Any] = []
    wrong: dict[int, str] = {}
    if len(corpus):
        one, other = sides_of(corpus.coders, asked.sides, place)
        for item in corpus.items:
            by_coder = corpus.of_item(item)
            missing = [who for who in (one, other) if who not in by_coder]
            if missing:
                wrong[len(items)] = f"coder {missing[0]!r} is missing"
            items.append(item)
            pairs.append(None if missing else (by_coder[one], by_coder[other]))
    for problem in problems:
        wrong[len(items)] = str(problem)
        items.append(Path(problem.path).name)
        pairs.append(None)
    return Pairs(items, [0] * len(items), pairs, wrong)


# -- pairs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """Pairs that are there already."""

    first: int
    """The number of the first, from 1 on."""
    items: tuple[str, ...]
    pairs: tuple[Any, ...]

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
        yield Pairs(self.items, range(self.first, self.first + len(self.items)), self.pairs)

    def types(self) -> set[str]:
        """The types that occur."""
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
    if isinstance(one, tuple) and len(one) == 3:
        return str(one[0]), one[1:]
    return str(number), one


def _of_corpus(corpus: Corpus, asked: Asked) -> Iterator[tuple[str, Any, Any]]:
    if (name := next((n for n in ("format", "pattern", "align") if getattr(asked, n) is not None),
                     next(iter(asked.options), None))) is not None:  # fmt: skip
        raise OptionError(f"{name} is for files; a Corpus has been read already")
    try:
        one, other = sides_of(corpus.coders, asked.sides, "corpus")
    except FormatError as problem:
        raise OptionError(problem.problem) from None
    for item in corpus.items:
        by_coder = corpus.of_item(item)
        yield item, by_coder.get(one), by_coder.get(other)


def _types(pairs: Iterable[Any]) -> set[str]:
    sides = (side for pair in pairs if isinstance(pair, tuple) for side in pair)
    return {name for one in sides if isinstance(one, Segmentation) for _, name in one.boundaries}
