"""What an evaluation found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from caesura.errors import OptionError, Undefined
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.model.display import Displayed
from caesura.model.score import Score

__all__ = ["Evaluation", "Problem", "Shares"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What could not be counted: a document, or a whole partition."""

    place: str
    """The file, and the row or line; or the partition."""
    why: str
    item: str | None = None
    """The document; None where it is a file or a whole partition."""
    measure: str | None = None
    """The measure that cannot be computed for it; None where none can."""

    def __str__(self) -> str:
        item = "" if self.item is None else f"item {self.item!r}: "
        measure = "" if self.measure is None else f"{self.measure}: "
        return f"{self.place}: {item}{measure}{self.why}"


@dataclass(frozen=True, slots=True)
class Shares:
    """Seconds of all workers together, by what they were spent on."""

    reading: float = 0.0
    computing: float = 0.0
    merging: float = 0.0
    """Of the one process that asked, while the others work."""

    def __add__(self, other: Shares) -> Shares:
        return Shares(self.reading + other.reading, self.computing + other.computing, self.merging + other.merging)


@dataclass(frozen=True, eq=False)
class Evaluation(Mapping[str, Score], Displayed):
    """A score for each measure, over all documents; ``result["pk"]``.

    Keys are the names of the measures, or their whole text where several have the same name. ``result[...]`` takes either.
    """

    scores: Mapping[str, Score]
    measures: tuple[Measure, ...]
    documents: int
    """How many were read and could be compared."""
    partitions: int
    """How many the source has; those that could not be read are among ``problems``."""
    excluded: tuple[Problem, ...]
    """What was left out: the first of them, at most a few for each partition."""
    left_out: int
    """How many documents were left out, under one measure at least; those of unreadable partitions are not known."""
    failed: int
    """How many partitions could not be read."""
    resumed: int = 0
    """How many partitions were taken from a checkpoint."""
    seconds: float = field(default=0.0, compare=False)
    shares: Shares = field(default_factory=Shares, compare=False)

    @property
    def partial(self) -> bool:
        """Whether something is missing: then the scores are of the rest."""
        return bool(self.excluded)

    def __getitem__(self, measure: str | Measure) -> Score:
        if isinstance(measure, str) and measure in self.scores:
            return self.scores[measure]
        for made in self.measures:
            if measure in (made, repr(made), made.name):
                if self._key(made) in self.scores:
                    return self.scores[self._key(made)]
                raise Undefined(f"{made!r}: no document could be scored{self._first(made)}")
        try:
            wanted = parse(measure)
        except OptionError:
            raise KeyError(measure) from None
        if wanted in self.measures:
            return self[wanted]
        raise KeyError(measure)

    def _key(self, measure: Measure) -> str:
        return key_of(measure, self.measures)

    def _first(self, measure: Measure) -> str:
        return next((f"; {one}" for one in self.excluded if one.measure in (None, repr(measure))), "")

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {score.value:.6g}" for name, score in self.scores.items())
        rest = ", partial" if self.partial else ""
        return f"Evaluation({self.documents} documents{rest}: {values or 'nothing could be scored'})"

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "documents": self.documents,
            "partitions": self.partitions,
            "partial": self.partial,
            "left_out": self.left_out,
            "failed": self.failed,
            "excluded": [asdict(one) for one in self.excluded],
            "scores": [score.to_dict() | {"partial": self.partial} for score in self.scores.values()],
        }


def key_of(measure: Measure, measures: tuple[Measure, ...]) -> str:
    """The name of a measure, or its whole text where another has the same name."""
    same = [one for one in measures if one.name == measure.name]
    return measure.name if len(same) == 1 else repr(measure)
