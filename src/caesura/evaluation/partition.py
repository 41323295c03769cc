"""A share of the documents that one worker reads and scores by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError, MismatchError, OptionError
from caesura.evaluation.result import Problem, Shares
from caesura.evaluation.scores import ScoreFile
from caesura.measures.base import Measure
from caesura.measures.batch import Batch, over_common_types
from caesura.measures.columns import CheckedColumns, supports_columns
from caesura.measures.partial import Partial
from caesura.model.documents import DocumentPairs, Documents
from caesura.model.segmentation import UNTYPED

__all__ = ["Job", "Partition", "Piece", "score_partitions"]

_NAMED = 20  # problems of a partition that are told in full

Floats = NDArray[np.float64]
Chunk = Documents | DocumentPairs


class Partition(Protocol):
    """What a source is cut into. Small, and can be sent to a worker, who reads what it stands for."""

    @property
    def place(self) -> str:
        """How messages call it."""
        ...

    @property
    def path(self) -> str:
        """The file, which messages name together with a row; the place where there is none."""
        ...

    @property
    def fingerprint(self) -> list[Any]:
        """What a checkpoint knows it by: the same documents have the same one."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """Its documents, in batches of bounded size."""
        ...

    def types(self) -> set[str] | tuple[str, ...]:
        """The boundary types that occur; a tuple, in order, where the documents declare them."""
        ...


@dataclass(frozen=True)
class Job:
    """What is to be done with every partition."""

    measures: tuple[Measure, ...]
    types: tuple[str, ...] | None
    """The scale of boundary types; None where boundaries have none, or where the documents declare theirs."""
    scores: str | None = None
    """A folder for the scores of every document."""
    strict: bool = False
    overruled: bool = False
    """Whether the caller declared the types, whatever files say."""

    @property
    def typed(self) -> bool:
        """Whether a measure looks at the order of types."""
        return any(one.view == "typed" for one in self.measures)

    def nothing(self) -> list[Partial]:
        """What the measures know of no document."""
        return [Partial.empty(one, self.types or UNTYPED) for one in self.measures]


@dataclass(frozen=True)
class Piece:
    """What a partition adds to the whole."""

    partials: tuple[Partial, ...]
    """One a measure."""
    documents: int
    left_out: int
    excluded: tuple[Problem, ...]
    failed: bool = False
    shares: Shares = field(default_factory=Shares)

    @classmethod
    def of_nothing(cls, job: Job, partition: Partition, why: str) -> Self:
        """Whatever was read of a partition that breaks off does not count."""
        return cls(tuple(job.nothing()), 0, 0, (Problem(partition.place, why),), failed=True)

    def to_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            "partials": [one.to_dict() for one in self.partials],
            "documents": self.documents,
            "left_out": self.left_out,
            "excluded": [[one.place, one.why, one.item, one.measure] for one in self.excluded],
        }

    @classmethod
    def from_dict(cls, given: Any) -> Self:
        """From a checkpoint; ``KeyError``, ``TypeError`` or ``ValueError`` if it is none."""
        return cls(
            tuple(map(Partial.from_dict, given["partials"])),
            int(given["documents"]),
            int(given["left_out"]),
            tuple(Problem(*one) for one in given["excluded"]),
        )


def score_partitions(job: Job, numbered: Sequence[tuple[int, Partition]]) -> list[Piece]:
    """A piece for each; with ``strict`` none after the first in which something is wrong."""
    pieces = []
    for number, partition in numbered:
        pieces.append(_score(job, number, partition))
        if job.strict and pieces[-1].excluded:
            break
    return pieces


def _score(job: Job, number: int, partition: Partition) -> Piece:
    """Read, score and add up. What is wrong with a document costs that document; what cannot be read, the partition."""
    scoring = _Scoring(job, partition)
    started = perf_counter()
    try:
        for chunk in partition.chunks():
            read = perf_counter()
            scoring.reading += read - started
            scoring.add(chunk)
            if job.strict and scoring.excluded:
                break
            started = perf_counter()
            scoring.computing += started - read
        if scoring.rows is not None:
            scoring.rows.close(number)
    except OptionError:  # of the whole run, not of this partition
        raise
    except CaesuraError as problem:
        return Piece.of_nothing(job, partition, problem.problem if isinstance(problem, FormatError) else str(problem))
    finally:
        if scoring.rows is not None:
            scoring.rows.discard()
    return scoring.piece()


class _Scoring:
    """The running sums of one partition."""

    def __init__(self, job: Job, partition: Partition) -> None:
        self.job, self.partition = job, partition
        self.partials = job.nothing()
        self.documents = self.left_out = 0
        self.excluded: list[Problem] = []
        self.reading = self.computing = 0.0
        self.rows = ScoreFile(job.scores, job.measures) if job.scores is not None else None

    def add(self, chunk: Chunk) -> None:
        """Score a batch."""
        laid = self._laid(chunk) if isinstance(chunk, Documents) else None
        bad: dict[int, str | FormatError] = dict(chunk.excluded if laid is None else laid.excluded)
        gone = set(bad)
        for d, why in sorted(bad.items()):
            self._note(chunk, d, why, None)
        columns: list[Floats] = []
        for i, measure in enumerate(self.job.measures):
            batch, places, errors = self._packed(measure, chunk, laid, bad)
            for d, problem in errors.items():
                self._note(chunk, d, str(problem), measure)
            gone |= set(errors)
            if self.rows is not None:
                columns.append(np.full(len(chunk), np.nan))
            if not len(batch):
                continue
            computed = measure.compute(batch)
            self.partials[i] = self.partials[i].merge(Partial.of(measure, computed, batch.types), measure)
            if self.rows is not None:
                columns[-1][places] = measure.finish(computed.counts, batch.types)
        self.documents += len(chunk) - len(bad)
        self.left_out += len(gone)
        if self.rows is not None:
            self.rows.add(chunk, columns)

    def _laid(self, chunk: Documents) -> CheckedColumns:
        types = self.job.types
        if chunk.typed:
            if self.job.typed:
                self._check_order(chunk)
            # Where nobody declared an order, no measure looks at it.
            return CheckedColumns(chunk, types or tuple(sorted(chunk.types)) or UNTYPED)
        if types is None or not self.job.typed:
            return CheckedColumns(chunk, UNTYPED)
        drawn = np.diff(chunk.reference.offsets) + np.diff(chunk.hypothesis.offsets)
        why = f"boundaries have no types; declared are {', '.join(types)}"
        untyped = dict.fromkeys(np.flatnonzero(drawn).tolist(), why)
        return CheckedColumns(replace(chunk, excluded={**untyped, **chunk.excluded}), types)

    def _check_order(self, chunk: Documents) -> None:
        types = self.job.types
        if types is None:
            raise MismatchError("boundaries have types here, and elsewhere they have none")
        if not self.job.overruled and chunk.declared_types not in (None, types):
            here, elsewhere = ", ".join(chunk.declared_types or ()), ", ".join(types)
            raise MismatchError(
                f"all files must declare the same types in the same order; this declares {here}, elsewhere {elsewhere}"
            )

    def _note(self, chunk: Chunk, document: int, why: str | FormatError, measure: Measure | None) -> None:
        if len(self.excluded) >= _NAMED:
            return
        if isinstance(why, FormatError):
            self.excluded.append(Problem(why.path if why.line is None else f"{why.path}:{why.line}", why.problem))
            return
        place = f"{self.partition.path}:{chunk.rows[document]}" if chunk.rows[document] else self.partition.path
        self.excluded.append(Problem(place, why, chunk.items[document], None if measure is None else repr(measure)))

    def _packed(
        self, measure: Measure, chunk: Chunk, laid: CheckedColumns | None, bad: dict[int, str | FormatError]
    ) -> tuple[Batch, NDArray[np.int64], dict[int, CaesuraError]]:
        """The documents that the measure can score, their places in the chunk, and what is wrong with others."""
        if laid is not None and supports_columns(measure):
            batch, places = laid.batch(measure.view), laid.places
            wrong = measure.check(batch)
            if not wrong:
                return batch, places, {}
            good = np.array([d for d in range(len(batch)) if d not in wrong], np.int64)
            return batch.take(good), places[good], {int(places[d]): problem for d, problem in wrong.items()}
        strange: dict[int, CaesuraError] = {}
        if laid is not None:
            where, pairs = laid.places, laid.pairs(self.job.types)
        else:
            assert isinstance(chunk, DocumentPairs)
            there = [d for d in range(len(chunk)) if d not in bad]
            pairs = [chunk.pairs[d] for d in there]
            if measure.view == "typed" and self.job.types is not None:
                pairs, strange = over_common_types(pairs, self.job.types, measure.sides)
                strange = {there[i]: problem for i, problem in strange.items()}
                there = [d for d in there if d not in strange]
            where = np.array(there, np.int64)
        batch, places, errors = measure.pack(pairs)
        return batch, where[places], strange | {int(where[d]): problem for d, problem in errors.items()}

    def piece(self) -> Piece:
        """All of it."""
        shares = Shares(self.reading, self.computing)
        return Piece(tuple(self.partials), self.documents, self.left_out, tuple(self.excluded), shares=shares)
