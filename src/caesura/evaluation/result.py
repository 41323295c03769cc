"""Classes for the result and the progress of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from caesura.errors import OptionError, Undefined
from caesura.measures.base import Measure
from caesura.measures.registry import is_called, parse
from caesura.model.result import HIDDEN, Excluded, Result, Score, signature_line


@dataclass(frozen=True, slots=True)
class ExcludedDocument(Excluded):
    """A document, or a whole partition, that was left out of an evaluation."""

    place: str = ""  # the file, with its row or line if known; or the partition
    measure: str | None = None  # the measure that cannot score the document; None if no measure can

    def __str__(self) -> str:
        parts = [self.place, "" if self.item is None else f"item {self.item!r}", self.measure or "", self.reason]
        return ": ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class WorkTime:
    reading: float = 0.0
    computing: float = 0.0
    merging: float = 0.0  # merging sums, in the process that called ``evaluate``; it overlaps with the other two

    def __add__(self, other: WorkTime) -> WorkTime:
        return WorkTime(self.reading + other.reading, self.computing + other.computing, self.merging + other.merging)


@dataclass(frozen=True, slots=True)
class EvaluationProgress:
    """Progress of an evaluation: the detail of ``on_progress(callback, with_detail=True)``."""

    partitions: int
    total: int | None  # number of all partitions; None if the source does not know it
    documents: int  # number of documents scored so far
    resumed_documents: int  # number of these documents that an earlier run scored
    seconds: float  # time since the evaluation began
    seconds_left: float | None  # estimated time remaining; None if it cannot be estimated


@dataclass(frozen=True, eq=False)
class Evaluation(Mapping[str, Score], Result):
    """One score per measure, over all documents of a collection: ``result["pk"]``.

    Keys are the names of the measures, or their ``repr`` if several have the same name. ``result[...]`` accepts both.

    Attributes
    ----------
    scores : mapping
        Key -> score.
    measures : tuple of Measure
        The measures.
    documents : int
        Number of documents that were read and could be compared.
    partitions : int
        Number of partitions of the source, unreadable ones included.
    excluded : tuple of ExcludedDocument
        Documents and partitions that were left out; at most 1000 in total and 20 per partition are listed.
    excluded_documents : int
        Number of documents that at least one measure left out, not counting unreadable partitions.
    excluded_partitions : int
        Number of partitions that could not be read.
    resumed : int
        Number of partitions taken from a checkpoint.
    seconds : float
        Duration of the evaluation.
    work : WorkTime
        Work of all workers.
    """

    scores: Mapping[str, Score]
    measures: tuple[Measure, ...] = field(metadata=HIDDEN)
    documents: int
    partitions: int
    excluded: tuple[ExcludedDocument, ...]
    excluded_documents: int
    excluded_partitions: int
    resumed: int = 0
    seconds: float = field(default=0.0, metadata=HIDDEN)
    work: WorkTime = field(default_factory=WorkTime, metadata=HIDDEN)

    json_properties = ("partial",)
    frame_field = "score_rows"

    @property
    def partial(self) -> bool:
        """Whether anything was left out of the scores."""
        return bool(self.excluded)

    @property
    def score_rows(self) -> tuple[Score, ...]:
        """The scores, one per row of the data frame."""
        return tuple(self.scores.values())

    @property
    def signature(self) -> str:
        """One line of text with everything that is needed to reproduce the evaluation."""
        data = next(iter(self.scores.values())).data
        return signature_line("evaluate", *map(repr, self.measures), documents=self.documents, data=data)

    def __getitem__(self, measure: str | Measure) -> Score:
        if isinstance(measure, str) and measure in self.scores:
            return self.scores[measure]
        chosen = self._find(measure)
        key = key_of(chosen, self.measures)
        if key in self.scores:
            return self.scores[key]
        first = next((f"; {entry}" for entry in self.excluded if entry.measure in (None, repr(chosen))), "")
        raise Undefined(f"{chosen!r}: no document could be scored{first}")

    def _find(self, measure: str | Measure) -> Measure:
        """Return a measure of the evaluation by its name, its ``repr``, or in any other form."""
        named = [entry for entry in self.measures if isinstance(measure, str) and is_called(entry, measure)]
        with suppress(OptionError):
            chosen = named[0] if named else parse(measure)
            if chosen in self.measures:
                return chosen
        raise KeyError(measure)

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {score.value:.6g}" for name, score in self.scores.items())
        partial = ", partial" if self.partial else ""
        return f"Evaluation({self.documents} documents{partial}: {values})"


def key_of(measure: Measure, measures: tuple[Measure, ...]) -> str:
    same_name = [candidate for candidate in measures if candidate.name == measure.name]
    return measure.name if len(same_name) == 1 else repr(measure)
