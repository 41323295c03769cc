"""The one loop over a collection of any size."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from os import PathLike, fspath
from time import perf_counter
from typing import Any

from caesura.engines import Checkpoint, Engine, check_engine, use_engine
from caesura.errors import CaesuraError, CheckpointError, InputError, OptionError
from caesura.evaluation.partition import Job, Partition, Piece, score_partitions
from caesura.evaluation.result import Evaluation, Problem, Shares, key_of
from caesura.evaluation.scores import make_folder
from caesura.evaluation.sources import Asked, Source, open_source
from caesura.measures.base import Measure
from caesura.measures.batch import warn_about_type_order
from caesura.measures.registry import parse
from caesura.model.segmentation import UNTYPED, check_types, sort_types
from caesura.version import __version__

__all__ = ["Advance", "evaluate", "together"]

Numbered = tuple[int, Partition]

_TOLD = 1000  # problems that a result lists
_TASKS_EACH = 4
_MOST_TOGETHER = 16


@dataclass(frozen=True, slots=True)
class Advance:
    """How far an evaluation has come."""

    partitions: int
    total: int | None
    """How many partitions there are; None where nobody knows."""
    documents: int
    resumed: int
    """How many of the documents were counted by an earlier run."""
    seconds: float
    left: float | None
    """Seconds that the rest will take, if it goes on like this; None where nobody knows."""


def evaluate(
    source: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    types: Iterable[str | int] | None = None,
    reference: str | None = None,
    hypothesis: str | None = None,
    format: str | None = None,
    pattern: str | None = None,
    align: str | None = None,
    scores: str | PathLike[str] | None = None,
    strict: bool = False,
    progress: Callable[[Advance], None] | None = None,
    **options: Any,
) -> Evaluation:
    """Score a collection of any size against its references: one score a measure, over all documents.

    ``source`` is a Parquet data set (a file, a folder or a glob; a row a document, see :mod:`caesura.formats.documents`), JSON
    lines of the same fields, files of any other format, a ``Corpus``, or an iterable of pairs ``(reference, hypothesis)`` or
    ``(item, reference, hypothesis)``. Of files in which coders have names, ``reference`` and ``hypothesis`` name the two; the
    remaining options are those of :func:`~caesura.read`.

    The source is cut into partitions. Each is read, scored and summed by one worker, in batches, so that memory does not grow
    with the collection; sums are merged, and scores are made from them once. Sums are exact, so the result is the same to the
    last bit on every ``engine``, for any number of ``workers`` and any partitions:

    ``"threads"``    of this process; enough where files are Parquet, because kernels leave the GIL alone
    ``"processes"``  of this machine, for files that Python parses
    ``"dask"``       a Dask cluster: that of ``scheduler``, an address, or else one of ``workers`` local processes. Workers need
                     the same version of caesura, and must see the files under the same paths

    ``checkpoint``: a folder in which finished partitions are recorded. The same call after an interruption does the rest. A
    checkpoint of other arguments or other data is a ``CheckpointError``.

    ``types`` declares the boundary types in order, where the source does not. ``scores``: a folder for the score of every
    document, a Parquet file a partition.

    A document that is no segmentation, or that a measure cannot be computed for, is left out and named in ``.problems``; so is
    a partition that cannot be read. Then ``.partial`` is true, and the scores are of the rest. ``strict=True`` raises instead,
    at the first.

    ``progress`` is called with an :class:`Advance` whenever a partition is done.

    >>> from caesura import Segmentation
    >>> def documents():
    ...     for mass in range(1, 6):
    ...         yield Segmentation.from_masses([5, 5]), Segmentation.from_masses([mass, 10 - mass])
    >>> result = evaluate(documents(), ["boundary_similarity(n_t=2)", "pk"])
    >>> result
    Evaluation(5 documents: boundary_similarity 0.1875, pk 0.428571)
    >>> result["pk"].parts
    {'errors': 15, 'windows': 35}
    """
    chosen = _chosen(measures)
    check_engine(engine, workers, scheduler)
    asked = Asked(format, pattern, align, reference, hypothesis, options)
    declared = None if types is None else check_types(types)
    started = perf_counter()
    opened = open_source(source, asked, declared)
    with use_engine(engine, workers, scheduler) as pool:
        folder = None if scores is None else fspath(scores)
        job = Job(chosen, declared or opened.types, folder, strict, overruled=declared is not None)
        if job.types is None and job.typed:
            job = replace(job, types=_surveyed(opened, pool))
        run = _Run(job, opened, asked.to_dict(), checkpoint, progress, started)
        run.through(pool)
    return run.result()


def _chosen(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    made = tuple(dict.fromkeys(map(parse, given)))
    if not made:
        raise OptionError("measures: at least one is needed; got none")
    return made


def _surveyed(source: Source, engine: Engine) -> tuple[str, ...] | None:
    """The types that occur, where nobody declared them. A source that comes once is not looked at before."""
    if not isinstance(source.partitions, Sequence):
        return None
    found = set(UNTYPED)
    for names in engine.map(_types_of, source.partitions):
        if isinstance(names, tuple):
            return names  # declared; documents that declare others are named
        found |= names
    if found == set(UNTYPED):
        return None
    scale = sort_types(found - set(UNTYPED))
    warn_about_type_order(scale, stacklevel=4)
    return scale


def _types_of(partition: Partition) -> set[str] | tuple[str, ...]:
    try:
        return partition.types()
    except CaesuraError:  # whoever scores it will say so
        return set()


@dataclass
class _Run:
    """What is known so far."""

    job: Job
    source: Source
    reading: dict[str, str]
    folder: str | PathLike[str] | None
    progress: Callable[[Advance], None] | None
    started: float
    done: int = 0
    documents: int = 0
    resumed: int = 0
    resumed_documents: int = 0
    left_out: int = 0
    failed: int = 0
    shares: Shares = field(default_factory=Shares)
    excluded: dict[int, tuple[Problem, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.totals = self.job.nothing()
        self.checkpoint = None if self.folder is None else Checkpoint(self.folder, self._about())
        if self.job.scores is not None:
            make_folder(self.job.scores, resumed=self.checkpoint is not None and self.checkpoint.resumed)

    def _about(self) -> dict[str, Any]:
        """What makes this run what it is."""
        return {
            "what": "evaluate",
            "caesura": __version__,
            "measures": [repr(one) for one in self.job.measures],
            "reading": self.reading,
            "types": None if self.job.types is None else list(self.job.types),
            "scores": None if self.job.scores is None else os.path.abspath(self.job.scores),
            "partitions": self.source.total,
            "data": self.source.fingerprint,
        }

    def through(self, engine: Engine) -> None:
        """Every partition, each once."""
        number = together(self.source.total, engine.workers) if engine.remote else 1
        lost = list(self._run(engine, _grouped(self._waiting(), number)))
        # What came with a partition that kills its workers may be sound: each by itself.
        again = [[one] for group, _ in lost if len(group) > 1 for one in group]
        alone = [(group, why) for group, why in lost if len(group) == 1]
        for (one,), why in [*alone, *self._run(engine, again)]:
            self._take(one, Piece.of_nothing(self.job, one[1], why))

    def _run(self, engine: Engine, groups: Iterable[list[Numbered]]) -> Iterator[tuple[list[Numbered], str]]:
        """Score groups of partitions and take what comes back; give those back that were lost, and why."""
        sent: dict[int, list[Numbered]] = {}

        def sending() -> Iterator[list[Numbered]]:
            for place, group in enumerate(groups):
                sent[place] = group
                yield group

        for done in engine.run(partial(score_partitions, self.job), sending()):
            group = sent.pop(done.index)
            if done.value is None:
                yield group, done.failure or "it was lost"
            for one, piece in zip(group, done.value or (), strict=False):
                self._take(one, piece)

    def _take(self, one: Numbered, piece: Piece) -> None:
        """What one partition adds."""
        began = perf_counter()
        number, partition = one
        if piece.excluded and self.job.strict:
            raise InputError(str(piece.excluded[0]))
        if self.checkpoint is not None and not piece.failed:
            self.checkpoint.put(_key(number), {"data": partition.fingerprint, **piece.to_dict()})
        self._merge(number, piece)
        self.shares += Shares(merging=perf_counter() - began)
        self._tell()

    def _waiting(self) -> Iterator[Numbered]:
        """Partitions that are not done yet; those that are, are merged on the way."""
        for number, partition in enumerate(self.source.partitions):
            known = self._known(number, partition)
            if known is None:
                yield number, partition
                continue
            self.resumed += 1
            self.resumed_documents += known.documents
            self._merge(number, known)
            self._tell()

    def _known(self, number: int, partition: Partition) -> Piece | None:
        found = None if self.checkpoint is None else self.checkpoint.get(_key(number))
        if found is None:
            return None
        try:
            there = found["data"]
            piece = Piece.from_dict(found)
            shape = [len(one.part_names(p.types)) for one, p in zip(self.job.measures, piece.partials, strict=True)]
            fits = shape == [len(p.sums) for p in piece.partials]
        except (KeyError, TypeError, ValueError, AttributeError):
            return None  # not written by a run of this kind: do it again
        if there != json.loads(json.dumps(partition.fingerprint)):
            raise CheckpointError(
                f"checkpoint {self.folder}: it is of other data: {partition.place} has changed. Take another folder, or delete "
                "this one"
            )
        return piece if fits else None

    def _merge(self, number: int, piece: Piece) -> None:
        for i, (measure, found) in enumerate(zip(self.job.measures, piece.partials, strict=True)):
            self.totals[i] = self.totals[i].merge(found, measure)
        self.done += 1
        self.documents += piece.documents
        self.left_out += piece.left_out
        self.failed += piece.failed
        self.shares += piece.shares
        if piece.excluded and len(self.excluded) < _TOLD:
            self.excluded[number] = piece.excluded

    def _tell(self) -> None:
        if self.progress is not None:
            seconds = perf_counter() - self.started
            total, mine = self.source.total, self.done - self.resumed
            left = None if total is None or not mine else seconds / mine * (total - self.done)
            self.progress(Advance(self.done, total, self.documents, self.resumed_documents, seconds, left))

    def result(self) -> Evaluation:
        """Everything, finished once."""
        excluded = tuple(one for number in sorted(self.excluded) for one in self.excluded[number])[:_TOLD]
        found = {
            key_of(measure, self.job.measures): total.score(measure)
            for measure, total in zip(self.job.measures, self.totals, strict=True)
            if total.documents
        }
        if not found:
            why = f"; {excluded[0]}" if excluded else "; the source is empty"
            raise InputError(f"no document could be scored{why}")
        return Evaluation(
            found,
            self.job.measures,
            self.documents,
            self.done,
            excluded,
            self.left_out,
            self.failed,
            self.resumed,
            perf_counter() - self.started,
            self.shares,
        )


def together(partitions: int | None, workers: int) -> int:
    """Partitions in a task that is sent elsewhere: few tasks, which one scheduler can send to many workers, and still several
    for each of these."""
    return 1 if partitions is None else max(1, min(_MOST_TOGETHER, partitions // (_TASKS_EACH * workers)))


def _grouped(coming: Iterator[Numbered], number: int) -> Iterator[list[Numbered]]:
    while some := list(islice(coming, number)):
        yield some


def _key(number: int) -> str:
    return f"{number:07}"
