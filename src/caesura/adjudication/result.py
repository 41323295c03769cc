"""Progress of an adjudication, and the gold standard that follows from the decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from caesura.adjudication.decisions import PlaceState
from caesura.adjudication.places import describe_marks
from caesura.model.corpus import Corpus
from caesura.model.result import HIDDEN, Excluded, Result
from caesura.model.value import count_of


@dataclass(frozen=True)
class Progress:
    """How far an adjudication is."""

    # places, decided, open, changed: Number of places, of those decided, of those open, and of the open ones that were decided
    # before their item changed.
    places: int
    decided: int
    open: int
    changed: int
    cost: float  # cost, open_cost: Cost of all disagreements, and of those at open places
    open_cost: float
    adjudicators: Mapping[str, int]  # adjudicator -> number of places that the adjudicator decided
    outdated: int  # number of decisions about places that no longer exist

    def __str__(self) -> str:
        share = 1 - self.open_cost / self.cost if self.cost else 1.0
        changed = f", {self.changed} of them decided before the item changed" if self.changed else ""
        decided = f"{self.decided} of {count_of(self.places, 'place')} decided ({share:.0%} of the cost)"
        return f"{decided}, {self.open} open{changed}"


@dataclass(frozen=True, eq=False)
class AdjudicatedGold(Result):
    """A gold standard that people decided.

    Attributes
    ----------
    corpus : Corpus
        The gold standard of every item; the name of its coder is ``"gold"``.
    rows : tuple of dict
        One row per place: item, stream, what each coder has, what was decided, by whom and when.
    progress : Progress
        Number of decided and open places.
    undecided : {"refuse", "majority"}
        What was done with open places.
    excluded : tuple of Excluded
        Items without a gold standard.
    notes : tuple of str
        Remarks for the reader.
    signature : str
        One line with the data and the number of decisions.
    """

    frame_field: ClassVar[str] = "rows"

    corpus: Corpus = field(metadata=HIDDEN)
    rows: tuple[dict[str, Any], ...] = field(repr=False)
    progress: Progress
    undecided: str
    excluded: tuple[Excluded, ...]
    notes: tuple[str, ...]
    signature: str


def record_row(state: PlaceState) -> dict[str, Any]:
    place, decision = state.place, state.decision
    return {
        "item": place.item,
        "stream": place.stream,
        "place": place.key,
        "about": place.about,
        "start": place.start,
        "end": place.end,
        "unit": "seconds" if place.seconds else "units",
        "kind": place.kinds[0] if place.kinds else None,
        "cost": place.cost,
        "coders": place.label,
        "majority": describe_marks(place.majority),
        "status": state.status,
        "choice": None if decision is None else decision.choice,
        "coder": None if decision is None else decision.coder,
        "decided": None if decision is None else describe_marks(decision.marks),
        "note": None if decision is None else decision.note,
        "adjudicator": None if decision is None else decision.adjudicator,
        "time": None if decision is None else decision.time,
        "revision": state.revision,
    }
