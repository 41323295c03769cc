"""Decisions of adjudicators about places, as the journal stores them, and the gold standard that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, Self, get_args

from caesura.adjudication.disputed import DisputedPlace, PlacedMark, PlacedMarks, describe_marks
from caesura.errors import OptionError
from caesura.model.corpus import Corpus
from caesura.model.result import HIDDEN, Excluded, Result
from caesura.model.value import count_of

# How a place is decided: like a coder, like the majority, without marks, by hand, or as before the item changed.
Choice = Literal["coder", "majority", "none", "hand", "earlier"]
CHOICES: tuple[Choice, ...] = get_args(Choice)
# Maximum number of characters of a note or a name.
MAX_TEXT = 10_000


@dataclass(frozen=True, slots=True)
class Decision:
    place: str  # key of the place
    item: str
    stream: str | None  # stream of a dialogue
    choice: str  # ``"coder"``, ``"majority"``, ``"none"``, ``"hand"`` or ``"earlier"``
    coder: str | None  # the coder whose marks were accepted
    marks: PlacedMarks  # what the gold standard has at the place
    note: str  # note of the adjudicator
    adjudicator: str
    time: str  # time in UTC, such as ``"2026-03-01T12:00:00Z"``
    revision: int  # number of decisions and withdrawals at this place so far, including this one
    data: str  # fingerprint of the item when it was decided
    number: int  # place of the record in the journal, from 1

    def __str__(self) -> str:
        adjudicator = self.adjudicator or "somebody"
        method = {"coder": f" as {self.coder}", "hand": " by hand"}.get(self.choice, "")
        return f"{adjudicator} decided {describe_marks(self.marks)}{method} at {self.time}"

    def to_record(self) -> dict[str, Any]:
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return plain | {"version": 1, "action": "decide", "marks": [mark.__json__() for mark in self.marks]}

    @classmethod
    def from_record(cls, record: Mapping[str, Any], number: int) -> Self:
        texts = {name: record.get(name) for name in ("place", "item", "choice", "note", "adjudicator", "time", "data")}
        for name, value in texts.items():
            if not isinstance(value, str):
                raise OptionError(f"record {number}: {name} must be a text; got {str(value)[:40]}")
        marks, revision = record.get("marks"), record.get("revision")
        if not isinstance(marks, list) or not isinstance(revision, int):
            raise OptionError(f"record {number}: marks must be a list, and the revision a whole number")
        return cls(
            **texts,  # type: ignore[arg-type]
            stream=record.get("stream"),
            coder=record.get("coder"),
            marks=tuple(map(PlacedMark.from_json, marks)),
            revision=revision,
            number=number,
        )


@dataclass(frozen=True, slots=True)
class PlaceState:
    """A place of the queue and what was decided about it."""

    place: DisputedPlace
    decision: Decision | None = None  # the current decision; None if the place is open
    earlier: Decision | None = None  # a decision that is no longer valid, because the item has changed
    revision: int = 0  # number of decisions and withdrawals so far

    @property
    def status(self) -> str:
        """``"decided"``, ``"changed"`` (decided before the item changed) or ``"open"``."""
        if self.decision is not None:
            return "decided"
        return "open" if self.earlier is None else "changed"


@dataclass(frozen=True)
class Progress:
    """How far an adjudication is."""

    places: int
    decided: int
    open: int
    changed: int  # the open ones that were decided before their item changed
    cost: float  # of all disagreements
    open_cost: float  # of those at open places
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
