"""Decisions of adjudicators about places, as the journal stores them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from caesura.adjudication.places import DisputedPlace, PlacedMark, PlacedMarks, describe_marks
from caesura.errors import OptionError

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
        return {
            "version": 1,
            "number": self.number,
            "action": "decide",
            "item": self.item,
            "stream": self.stream,
            "place": self.place,
            "choice": self.choice,
            "coder": self.coder,
            "marks": [mark.__json__() for mark in self.marks],
            "note": self.note,
            "adjudicator": self.adjudicator,
            "time": self.time,
            "revision": self.revision,
            "data": self.data,
        }

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
    earlier: Decision | None = None  # A decision that is no longer valid, because the item has changed
    revision: int = 0  # number of decisions and withdrawals so far

    @property
    def status(self) -> str:
        """``"decided"``, ``"changed"`` (decided before the item changed) or ``"open"``."""
        if self.decision is not None:
            return "decided"
        return "open" if self.earlier is None else "changed"
