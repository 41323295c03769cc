"""Read and score partitions, the parts into which a collection is divided, and write the scores of their documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from hashlib import blake2b
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol, Self

import numpy as np

from caesura.engines import has_begun
from caesura.errors import RESOURCE_ERRORS, CaesuraError, FormatError, MismatchError, OptionError, own_errors
from caesura.evaluation.result import ExcludedDocument, WorkTime
from caesura.files import delete_drafts, file_digest, is_draft, new_file
from caesura.formats.arrow import CONTENT_KEY
from caesura.measures.base import Measure
from caesura.measures.columns import CheckedColumns, supports_columns
from caesura.measures.many import count_separately
from caesura.measures.sums import Partial
from caesura.model.batch import Packed
from caesura.model.common_units import pair_over_common_units
from caesura.model.documents import DocumentPairs, Documents
from caesura.model.fingerprint import DigestSum, column_digests, pair_digests
from caesura.model.index import flatnonzero
from caesura.model.result import HIDDEN
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats

_MAX_LISTED = 20  # number of excluded documents listed per partition; all are counted
_MAX_IGNORED_FIELDS = 20

Chunk = Documents | DocumentPairs


class Partition(Protocol):
    """Description of a part of a source. It is small enough to be sent to a worker, which then reads the documents."""

    @property
    def place(self) -> str:
        """Name of the partition in messages."""

    @property
    def path(self) -> str:
        """The file, to which messages add a row; ``place`` if there is no file."""

    @property
    def fingerprint(self) -> list[Any]:
        """JSON values that identify the partition in a checkpoint, without its content."""

    def digest(self) -> str:
        """Return a hash of the content, so that a checkpoint notices changed data."""

    def chunks(self) -> Iterator[Chunk]:
        """Read the documents, in batches of bounded size."""

    def types(self) -> set[str] | tuple[str, ...]:
        """Read the boundary types."""


@dataclass(frozen=True)
class Job:
    measures: tuple[Measure, ...]
    # Boundary types in order; None if boundaries have none, or if the documents declare theirs.
    types: tuple[str, ...] | None
    scores: str | None = None  # folder for the scores of every document
    strict: bool = False  # whether to stop at the first document that cannot be scored
    # Whether the caller declared the types; they then replace the types that files declare.
    types_from_caller: bool = False
    # Largest number of documents in a partition for which the fingerprint of the data is computed.
    digest_limit: int = 0
    # Whether results go to a checkpoint, which needs hashes of the data and of the files with scores.
    recorded: bool = False

    @property
    def typed(self) -> bool:
        """Whether a measure depends on the order of types."""
        return any(measure.typed for measure in self.measures)

    def empty_sums(self) -> list[Partial]:
        return [Partial.empty(measure, self.types or UNTYPED) for measure in self.measures]


class Verdict(Enum):
    """Whether the record of an earlier run still holds."""

    VALID = "valid"
    CHANGED = "the data are different"


@dataclass(frozen=True)
class PartitionTask:
    """A partition to score or, if an earlier run recorded it, to check."""

    number: int  # number of the partition, from 0
    partition: Partition
    content: str | None = None  # hash of the data that the earlier run scored; None if there is no record
    score_file: str | None = None  # hash of the file with scores that the earlier run wrote; None if it wrote none


@dataclass
class PartitionResult:
    sums: list[Partial]  # one per measure
    documents: int = 0  # number of documents that could be compared
    excluded_documents: int = 0  # number of documents left out by at least one measure
    excluded: list[ExcludedDocument] = field(default_factory=list)  # the first of these documents
    short_spans: int = 0  # number of hierarchy spans that were dropped because they are too short for common units
    ignored_fields: list[str] = field(default_factory=list)  # the first unknown fields of the documents
    # Whether the partition could not be read to its end; if so, none of its documents count.
    unreadable: bool = field(default=False, metadata=HIDDEN)
    # Whether memory did not suffice for some documents. Another run may have more, so that this result is not recorded.
    too_large: bool = field(default=False, metadata=HIDDEN)
    work: WorkTime = field(default_factory=WorkTime, metadata=HIDDEN)
    # Digests of the documents, for the fingerprint of the data; None if there are too many documents.
    digests: DigestSum | None = field(default_factory=DigestSum)
    # Names that several documents of the partition have, if the documents have digests.
    repeated: list[str] = field(default_factory=list)
    names: str | None = None  # digest of the names of the documents; None if they have only numbers
    content: str | None = None  # hash of the data, for the checkpoint
    # Hash of the file with the scores of the documents, for the checkpoint; None if there is no file.
    score_file: str | None = None

    @classmethod
    def of_unreadable(cls, job: Job, partition: Partition, reason: str) -> Self:
        """Return the result of a partition that could not be read to its end."""
        excluded = ExcludedDocument(None, None, reason, partition.place)
        return cls(job.empty_sums(), excluded=[excluded], unreadable=True)

    @classmethod
    def from_record(cls, record: Any) -> Self:
        sums = [Partial.from_dict(entry) for entry in record["sums"]]
        excluded = [ExcludedDocument(**entry) for entry in record["excluded"]]
        documents, omitted, short = (int(record[name]) for name in ("documents", "excluded_documents", "short_spans"))
        digests = None if record["digests"] is None else DigestSum(**record["digests"])
        ignored, repeated = ([*map(str, record[name])] for name in ("ignored_fields", "repeated"))
        hashes = {name: record[name] for name in ("names", "score_file")} | {"content": str(record["content"])}
        return cls(sums, documents, omitted, excluded, short, ignored, digests=digests, repeated=repeated, **hashes)


def score_partitions(job: Job, tasks: Sequence[PartitionTask]) -> list[PartitionResult | Verdict]:
    """Read and score partitions, one after the other; check those that an earlier run recorded."""
    results: list[PartitionResult | Verdict] = []
    for task in tasks:
        result = _check_record(job, task) or _score(job, task)
        results.append(result)
        if job.strict and isinstance(result, PartitionResult) and result.excluded:
            break
    return results


def _check_record(job: Job, task: PartitionTask) -> Verdict | PartitionResult | None:
    """Return whether the record of a partition holds; None if the partition must be scored."""
    if task.content is None:
        return None
    try:
        if task.partition.digest() != task.content:
            return Verdict.CHANGED
    except CaesuraError as error:
        return PartitionResult.of_unreadable(job, task.partition, str(error))
    if job.scores is not None and ScoreFile(job.scores, (), task.number).digest() != task.score_file:
        return None
    return Verdict.VALID


def _score(job: Job, task: PartitionTask) -> PartitionResult:
    """Read, score and sum. An invalid document is excluded alone; a read error excludes the whole partition."""
    partition = task.partition
    scoring = _Scoring(job, task)
    started = perf_counter()
    try:
        if job.recorded:
            scoring.result.content = partition.digest()
        chunks = iter(partition.chunks())
        while True:
            with own_errors(partition.place):
                chunk = next(chunks, None)
            if chunk is None:
                break
            after_reading = perf_counter()
            with own_errors(f"item {chunk.items[0]!r}" if len(chunk) == 1 else partition.place):
                scoring.add(chunk)
            if job.strict and scoring.result.excluded:
                break
            after_scoring = perf_counter()
            scoring.result.work += WorkTime(after_reading - started, after_scoring - after_reading)
            started = after_scoring
        if job.scores is not None:
            scoring.score_file.close()
            scoring.result.score_file = scoring.score_file.digest() if job.recorded else None
    except OptionError:  # an error of the whole run, not of this partition
        raise
    except CaesuraError as error:
        return PartitionResult.of_unreadable(
            job, partition, error.problem if isinstance(error, FormatError) else str(error)
        )
    finally:
        scoring.score_file.discard()
    return scoring.result


class _Scoring:
    def __init__(self, job: Job, task: PartitionTask) -> None:
        self.job, self.partition = job, task.partition
        self.result = PartitionResult(job.empty_sums())
        self.names: Counter[str] = Counter()
        self.score_file = ScoreFile(job.scores or "", job.measures, task.number)  # written only if scores are requested

    def add(self, chunk: Chunk) -> None:
        result = self.result
        packer = _ColumnPacker(chunk, self.job) if isinstance(chunk, Documents) else _PairPacker(chunk, self.job)
        excluded_places = set(packer.excluded)
        ignored = dict.fromkeys([*result.ignored_fields, *chunk.ignored_fields[:_MAX_IGNORED_FIELDS]])
        result.ignored_fields = list(ignored)[:_MAX_IGNORED_FIELDS]
        for place, reason in sorted(packer.excluded.items()):
            self._exclude(chunk, place, reason, None)
        columns = [np.full(len(chunk), np.nan) for _ in self.job.measures]
        for i, measure in enumerate(self.job.measures):
            batch, places, errors = packer.pack(measure)
            excluded_places |= set(errors)
            for place, error in errors.items():
                self._exclude(chunk, place, str(error), measure)
            if not len(batch):
                continue
            try:
                computed = measure.documents(batch)
            except RESOURCE_ERRORS:  # some documents are too large to be counted
                computed, batch, places, too_large = count_separately(measure, batch, places)
                excluded_places |= set(too_large)
                result.too_large |= bool(too_large)
                for place, error in too_large.items():
                    self._exclude(chunk, place, str(error), measure)
            if len(batch):
                result.sums[i] = result.sums[i].merge(Partial.of(measure, computed, batch.types), measure)
                if self.job.scores is not None:
                    columns[i][places] = measure.values(computed.counts, batch.types)
        self._add_digests(chunk, packer.excluded)
        result.documents += len(chunk) - len(packer.excluded)
        result.excluded_documents += len(excluded_places)
        result.short_spans += packer.short_spans
        if self.job.scores is not None:
            self.score_file.add(chunk, columns)

    def _add_digests(self, chunk: Chunk, excluded: Mapping[int, object]) -> None:
        """Add the documents to the fingerprint, unless the partition has too many."""
        digests = self.result.digests
        converted = isinstance(chunk, DocumentPairs) and chunk.converted
        if digests is None or converted or digests.items + len(chunk) > self.job.digest_limit:
            self.result.digests = None
            return
        places = [place for place in range(len(chunk)) if place not in excluded]
        if isinstance(chunk, Documents):
            self.result.digests = digests + column_digests(chunk, places)
            self._add_names(chunk, places)
            return
        for place in places:
            with suppress(TypeError, ValueError):  # no measure can score what is not a pair of annotations
                digests += pair_digests([(chunk.items[place], chunk.pairs[place])])
        self.result.digests = digests

    def _add_names(self, chunk: Documents, places: Sequence[int]) -> None:
        """Note names that occur twice, and a digest of all names unless they are the numbers of the rows."""
        names = [chunk.items[place] for place in places]
        self.names.update(names)
        self.result.repeated = [name for name, number in self.names.items() if number > 1]
        if any(name != str(chunk.rows[place]) for name, place in zip(names, places, strict=True)):
            text = "\n".join([self.result.names or "", *names])
            self.result.names = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def _exclude(self, chunk: Chunk, place: int, reason: str | FormatError, measure: Measure | None) -> None:
        if len(self.result.excluded) >= _MAX_LISTED:
            return
        if isinstance(reason, FormatError):
            where = reason.path if reason.line is None else f"{reason.path}:{reason.line}"
            entry = ExcludedDocument(None, None, reason.problem, where)
        else:
            row = chunk.rows[place]
            where = f"{self.partition.path}:{row}" if row else self.partition.path
            name = None if measure is None else repr(measure)
            entry = ExcludedDocument(chunk.items[place], None, reason, where, name)
        self.result.excluded.append(entry)


class _ColumnPacker:
    """Prepares documents for each measure if they were read as columns."""

    short_spans = 0

    def __init__(self, chunk: Documents, job: Job) -> None:
        self.types = job.types
        self.columns = CheckedColumns(*_with_types(chunk, job))
        self.excluded = self.columns.excluded

    def pack(self, measure: Measure) -> Packed:
        places = self.columns.places
        if not supports_columns(measure):
            batch, packed, errors = measure.pack(self.columns.pairs(self.types))
            return batch, places[packed], {int(places[d]): error for d, error in errors.items()}
        batch = self.columns.batch if measure.typed else self.columns.untyped
        return measure.pack_batch(batch, places)


def _with_types(chunk: Documents, job: Job) -> tuple[Documents, tuple[str, ...]]:
    """Return the documents with the types used to score them; documents without types may be excluded."""
    types = job.types
    if chunk.typed:
        if job.typed and types is None:
            raise MismatchError("boundaries have types here, but not in the rest of the collection")
        if job.typed and not job.types_from_caller and chunk.declared_types not in (None, types):
            here, elsewhere = ", ".join(chunk.declared_types or ()), ", ".join(types or ())
            raise MismatchError(
                f"all files must declare the same types in the same order; this file declares {here}, but others {elsewhere}"
            )
        # If no order is declared, no measure depends on it.
        return chunk, types or tuple(sorted(chunk.types)) or UNTYPED
    if types is None or not job.typed:
        return chunk, UNTYPED
    boundaries = np.diff(chunk.reference.offsets) + np.diff(chunk.hypothesis.offsets)
    reason = f"boundaries have no types; the declared types are {', '.join(types)}"
    untyped = dict.fromkeys(flatnonzero(boundaries).tolist(), reason)
    return replace(chunk, excluded={**untyped, **chunk.excluded}), types


class _PairPacker:
    """Prepares documents for each measure if they are pairs of objects."""

    def __init__(self, chunk: DocumentPairs, job: Job) -> None:
        self.types = job.types
        self.excluded = chunk.excluded
        self.places = [place for place in range(len(chunk)) if place not in chunk.excluded]
        self.pairs = [chunk.pairs[place] for place in self.places]
        self.short_spans = 0
        self._common: list[Any] | None = None

    def pack(self, measure: Measure) -> Packed:
        types = self.types if measure.typed else None
        pairs = self.pairs
        if types is None and measure.kind == "hierarchy" and measure.needs_common_units:
            pairs = self._over_common_units()
        where = np.array(self.places, np.int64)
        batch, packed, errors = measure.pack(pairs, types)
        return batch, where[packed], {int(where[i]): error for i, error in errors.items()}

    def _over_common_units(self) -> list[Any]:
        """Return the pairs with timed hierarchies converted to common units, on first use by a measure."""
        if self._common is None:
            self._common = []
            for pair in self.pairs:
                shared, short_spans = pair_over_common_units(pair)
                self._common.append(shared)
                self.short_spans += short_spans
        return self._common


def prepare_score_folder(folder: str, checkpoint: str | PathLike[str] | None, partitions: int | None) -> None:
    """Make an empty folder for the scores, or clean the folder that an earlier run began."""
    path = Path(folder)
    if find_spec("pyarrow") is None:
        raise OptionError("scores: writing them needs pyarrow; run pip install 'caesura[parquet]'")
    try:
        path.mkdir(parents=True, exist_ok=True)
        delete_drafts(path)
        names = sorted(entry.name for entry in path.iterdir() if not is_draft(entry.name))
    except OSError as error:
        raise OptionError(f"scores: {folder} cannot be used: {error.strerror}") from None
    # In this order: another run with the same checkpoint begins it before it writes scores.
    if names and not (checkpoint is not None and has_begun(checkpoint)):
        raise OptionError(f"scores: the folder must be empty; {folder} contains {names[0]}")
    foreign = [] if partitions is None else sorted({*names} - {*map(_file_name, range(partitions))})
    if foreign:
        raise OptionError(f"scores: {folder} contains {foreign[0]}, which the earlier run did not write; remove it")


def _file_name(number: int) -> str:
    return f"part-{number:05}.parquet"


class _Unfinished(Exception):  # noqa: N818 - never leaves this module
    """Ends the writing of a file so that its draft is deleted."""


class ScoreFile:
    """Writer of the document scores of one partition, batch by batch, to a Parquet file that is complete or absent."""

    # The columns are ``item``, ``row`` (its row in the file), and one column per measure (null if there is no value).

    def __init__(self, folder: str, measures: tuple[Measure, ...], number: int) -> None:
        self.folder = Path(folder)
        self.path = self.folder / _file_name(number)
        self.names = [repr(measure) for measure in measures]
        self._writer: Any = None
        self._stack = ExitStack()

    def add(self, chunk: Documents | DocumentPairs, columns: list[Floats]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        values = {
            name: pa.array(column, mask=np.isnan(column)) for name, column in zip(self.names, columns, strict=True)
        }
        rows = pa.array(np.array(chunk.rows, np.int64))
        items = [item.encode("utf-8", "backslashreplace").decode() for item in chunk.items]  # half a surrogate pair
        table = pa.table({"item": pa.array(items, pa.string()), "row": rows, **values})
        table = table.replace_schema_metadata({CONTENT_KEY: b"scores"})
        with self._writing():
            if self._writer is None:
                draft = self._stack.enter_context(new_file(self.path))
                self._writer = pq.ParquetWriter(draft, table.schema, write_page_checksum=True)
            self._writer.write_table(table)

    def close(self) -> None:
        with self._writing():
            if self._writer is None:  # nothing to write: a file of an earlier run would be wrong
                self.path.unlink(missing_ok=True)
            else:
                self._writer.close()
                self._writer = None
                self._stack.close()

    def discard(self) -> None:
        """Delete the file of a partition that could not be read to its end."""
        if self._writer is not None:
            with suppress(OSError):
                self._writer.close()
            with suppress(OSError, _Unfinished), self._stack:
                raise _Unfinished

    def digest(self) -> str | None:
        try:
            return file_digest(self.path)
        except OSError:
            return None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OptionError(f"scores: {self.folder} cannot be written: {error.strerror or error}") from None
