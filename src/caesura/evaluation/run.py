"""Run an evaluation: the loop over the partitions of a collection."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from os import PathLike
from time import perf_counter
from typing import Any

from caesura.engines import Checkpoint, Engine
from caesura.errors import CaesuraError, CheckpointError, InputError
from caesura.evaluation.partition import (
    Job,
    Partition,
    PartitionResult,
    PartitionTask,
    Verdict,
    prepare_score_folder,
    score_partitions,
)
from caesura.evaluation.result import Evaluation, EvaluationProgress, ExcludedDocument, WorkTime, key_of
from caesura.evaluation.sources import DocumentSource
from caesura.model.batch import warn_about_type_order
from caesura.model.common_units import short_spans_note
from caesura.model.fingerprint import DigestSum
from caesura.model.plain import to_plain
from caesura.model.result import UNKNOWN_DATA
from caesura.model.segmentation import UNTYPED, sort_types
from caesura.model.value import list_few
from caesura.notices import warn
from caesura.progress import report_progress
from caesura.version import __version__

MAX_FINGERPRINT = 10_000  # documents; the fingerprint of more would take longer than scoring
_MAX_LISTED = 1000  # excluded documents that a result lists
_TASKS_PER_WORKER = 4
_MAX_PARTITIONS_PER_TASK = 16


class EvaluationRun:
    def __init__(
        self, job: Job, source: DocumentSource, reading: dict[str, str], folder: str | PathLike[str] | None = None
    ) -> None:
        self.job, self.source, self.reading, self.folder = job, source, reading, folder
        self.started = perf_counter()
        self.finished = self.documents = self.resumed = self.resumed_documents = 0
        self.excluded_documents = self.excluded_partitions = self.short_spans = 0
        self.excluded: dict[int, list[ExcludedDocument]] = {}
        self.ignored_fields: dict[str, None] = {}
        self.work = WorkTime()
        self.digests: DigestSum | None = DigestSum()
        self.repeated: dict[str, None] = {}
        self.places: dict[tuple[str, str], dict[int, str]] = {}  # digests -> the partitions with these documents
        self.records: dict[int, PartitionResult] = {}  # of an earlier run, until a worker has checked the data

    def run(self, engine: Engine) -> Evaluation:
        if self.job.types is None and self.job.typed:
            self.job = replace(self.job, types=_survey_types(self.source, engine))
        limit = 0 if not self.source.total else MAX_FINGERPRINT // self.source.total
        self.job = replace(self.job, digest_limit=limit, recorded=self.folder is not None)
        self.sums = self.job.empty_sums()
        if self.job.scores is not None:
            prepare_score_folder(self.job.scores, self.folder, self.source.total)
        self.checkpoint = None if self.folder is None else Checkpoint(self.folder, self._description())
        size = partitions_per_task(self.source.total, engine.workers) if engine.remote else 1
        failures = list(self._score(engine, _groups(self._tasks(), size)))
        # If partitions were sent together and their worker died, only one may be at fault: send each alone.
        singles = [[task] for group, _ in failures if len(group) > 1 for task in group]
        alone = [(group, reason) for group, reason in failures if len(group) == 1]
        for (task,), reason in [*alone, *self._score(engine, singles)]:
            self._record(task, PartitionResult.of_unreadable(self.job, task.partition, reason))
        return self._result()

    def _description(self) -> dict[str, Any]:
        """Return everything that the results of this run depend on."""
        return {
            "what": "evaluate",
            "caesura": __version__,
            "measures": [repr(measure) for measure in self.job.measures],
            "reading": self.reading,
            "types": None if self.job.types is None else list(self.job.types),
            "scores": None if self.job.scores is None else os.path.abspath(self.job.scores),
            "partitions": self.source.total,
            "data": self.source.fingerprint,
        }

    def _score(
        self, engine: Engine, groups: Iterable[list[PartitionTask]]
    ) -> Iterator[tuple[list[PartitionTask], str]]:
        """Score groups of partitions and record the results; yield the groups whose worker died, with the reason."""
        sent: dict[int, list[PartitionTask]] = {}

        def remember() -> Iterator[list[PartitionTask]]:
            for index, group in enumerate(groups):
                sent[index] = group
                yield group

        for outcome in engine.run(partial(score_partitions, self.job), remember()):
            group = sent.pop(outcome.index)
            if outcome.failure is not None:
                yield group, outcome.failure
            for task, result in zip(group, outcome.value or (), strict=False):
                self._record(task, result)

    def _record(self, task: PartitionTask, result: PartitionResult | Verdict) -> None:
        started = perf_counter()
        if result is Verdict.CHANGED:
            raise self._changed(task.partition)
        resumed = isinstance(result, Verdict)
        if isinstance(result, Verdict):
            result = self.records[task.number]
        self.records.pop(task.number, None)
        if result.excluded and self.job.strict:
            raise InputError(str(result.excluded[0]))
        if resumed:
            self.resumed += 1
            self.resumed_documents += result.documents
        elif self.checkpoint is not None and not (result.unreadable or result.too_large):
            self.checkpoint.put(_key(task.number), {"data": task.partition.fingerprint, **to_plain(result)})
        self._merge(task, result)
        self.work += WorkTime(merging=perf_counter() - started)
        self._report()

    def _tasks(self) -> Iterator[PartitionTask]:
        """Yield every partition: those in the checkpoint are checked, the others are scored."""
        for number, partition in enumerate(self.source.partitions):
            record = self._recorded(number, partition)
            if record is None:
                yield PartitionTask(number, partition)
            else:
                self.records[number] = record
                yield PartitionTask(number, partition, record.content, record.score_file)

    def _recorded(self, number: int, partition: Partition) -> PartitionResult | None:
        record = None if self.checkpoint is None else self.checkpoint.get(_key(number))
        if record is None:
            return None
        try:
            data = record["data"]
            result = PartitionResult.from_record(record)
            sizes = [len(m.columns(s.types)) for m, s in zip(self.job.measures, result.sums, strict=True)]
            fits = sizes == [len(entry.sums) for entry in result.sums]
        except (KeyError, TypeError, ValueError, AttributeError):
            return None  # not written by this program: do it again
        if data != to_plain(partition.fingerprint):
            raise self._changed(partition)
        return result if fits else None

    def _changed(self, partition: Partition) -> CheckpointError:
        return CheckpointError(
            f"checkpoint {self.folder}: it belongs to different data: {partition.place} has changed. Choose a different "
            "folder, or delete this one"
        )

    def _merge(self, task: PartitionTask, result: PartitionResult) -> None:
        for i, (measure, sums) in enumerate(zip(self.job.measures, result.sums, strict=True)):
            self.sums[i] = self.sums[i].merge(sums, measure)
        self.finished += 1
        self.documents += result.documents
        self.excluded_documents += result.excluded_documents
        self.excluded_partitions += result.unreadable
        self.short_spans += result.short_spans
        self.ignored_fields |= dict.fromkeys(result.ignored_fields)
        self.work += result.work
        self.digests = None if self.digests is None or result.digests is None else self.digests + result.digests
        self.repeated |= dict.fromkeys(result.repeated)
        if result.digests is not None and result.names is not None:
            key = result.digests.fingerprint, result.names
            self.places.setdefault(key, {})[task.number] = task.partition.place
        if result.excluded and len(self.excluded) < _MAX_LISTED:
            self.excluded[task.number] = result.excluded

    def _report(self) -> None:
        seconds = perf_counter() - self.started
        total, scored_now = self.source.total, self.finished - self.resumed
        remaining = None if total is None or not scored_now else seconds / scored_now * (total - self.finished)
        detail = EvaluationProgress(self.finished, total, self.documents, self.resumed_documents, seconds, remaining)
        report_progress(self.finished, total, detail)

    def _result(self) -> Evaluation:
        excluded = tuple(entry for number in sorted(self.excluded) for entry in self.excluded[number])[:_MAX_LISTED]
        data = UNKNOWN_DATA if self.digests is None else self.digests.fingerprint
        scores = {
            key_of(measure, self.job.measures): replace(sums.score(measure), data=data)
            for measure, sums in zip(self.job.measures, self.sums, strict=True)
            if sums.documents
        }
        if not scores:
            reason = str(excluded[0]) if excluded else "the source is empty"
            raise InputError(f"no document could be scored; {reason}")
        if self.short_spans:
            warn(short_spans_note(self.short_spans))
        if self.repeated:
            warn(f"several documents have the same name, and each of them counts: {list_few(list(self.repeated))}")
        for places in self.places.values():
            if len(places) > 1:
                names = [place for _, place in sorted(places.items())]
                warn(f"the same documents are in {list_few(names)}, and each of them counts")
        if self.ignored_fields:
            warn(f"unknown fields of the documents are ignored: {list_few(list(self.ignored_fields))}")
        return Evaluation(
            scores,
            self.job.measures,
            self.documents,
            self.finished,
            excluded,
            self.excluded_documents,
            self.excluded_partitions,
            self.resumed,
            perf_counter() - self.started,
            self.work,
        )


def partitions_per_task(partitions: int | None, workers: int) -> int:
    """Return how many partitions to send together to another process."""
    if partitions is None:
        return 1
    return max(1, min(_MAX_PARTITIONS_PER_TASK, partitions // (_TASKS_PER_WORKER * workers)))


def _survey_types(source: DocumentSource, engine: Engine) -> tuple[str, ...] | None:
    """Return the types that occur, if none are declared. A source that can be read only once is not searched."""
    if not isinstance(source.partitions, Sequence):
        return None
    occurring: set[str] = set()
    for names in engine.map(_types_of, source.partitions):
        if isinstance(names, tuple):
            return names  # declared; documents that declare different types are excluded
        occurring |= names
    occurring -= set(UNTYPED)
    if not occurring:
        return None
    scale = sort_types(occurring)
    warn_about_type_order(scale)
    return scale


def _types_of(partition: Partition) -> set[str] | tuple[str, ...]:
    try:
        return partition.types()
    except CaesuraError:  # scoring it reports the error
        return set()


def _groups(tasks: Iterator[PartitionTask], size: int) -> Iterator[list[PartitionTask]]:
    while group := list(islice(tasks, size)):
        yield group


def _key(number: int) -> str:
    return f"{number:07}"
