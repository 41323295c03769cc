"""Places about which coders disagree, as an adjudicator decides them: what each coder has there, and what most have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Self

from caesura.errors import OptionError
from caesura.model import checks
from caesura.model.json_text import canonical_json

# What a place is about.
BOUNDARY, SPAN = "boundary", "span"


@dataclass(frozen=True, slots=True, order=True)
class PlacedMark:
    """A boundary or a span at a place, of a coder or of the gold standard."""

    # Position of a boundary, its time in seconds, or the start of a span. The first unit of a span of a hierarchy.
    start: float
    end: float | None = None  # End of a span; None for a boundary. The last unit of a span of a hierarchy.
    type: str | None = None  # boundary type, category or label
    level: int | None = None  # level of a span of a hierarchy

    def __json__(self) -> dict[str, Any]:
        """Return the fields that are set."""
        plain = {"start": plain_number(self.start), "end": plain_number(self.end), "type": self.type}
        return {name: value for name, value in (*plain.items(), ("level", self.level)) if value is not None}

    def __str__(self) -> str:
        place = f"{self.start:.10g}" if self.end is None else f"{self.start:.10g}-{self.end:.10g}"
        return place if self.type is None else f"{place} {self.type}"

    @classmethod
    def from_json(cls, value: Any) -> Self:
        fields = ("start", "end", "type", "level")
        if not isinstance(value, Mapping) or "start" not in value or not set(value) <= set(fields):
            raise OptionError(f"a mark has a start, and may have an end, a type and a level; got {str(value)[:80]}")
        numbers = [None if value.get(name) is None else checks.finite_number(value[name]) for name in fields[:2]]
        if numbers[0] is None or (numbers[1] is None) != (value.get("end") is None):
            raise OptionError(f"the start and the end of a mark are numbers; got {str(value)[:80]}")
        name, level = value.get("type"), value.get("level")
        if name is not None and not isinstance(name, str):
            raise OptionError(f"the type of a mark is a text; got {str(name)[:80]}")
        if level is not None and (checks.whole_number(level) or 0) < 1:
            raise OptionError(f"the level of a mark is a whole number from 1 up; got {str(level)[:80]}")
        return cls(numbers[0], numbers[1], name, level)


PlacedMarks = tuple[PlacedMark, ...]


@dataclass(frozen=True, slots=True)
class DisputedPlace:
    """A place about which the coders of an item disagree."""

    key: str  # 16 hexadecimal digits that identify the place: item, stream, and what every coder has there
    item: str
    stream: str | None  # stream of a dialogue
    about: str  # what the coders disagree about
    seconds: bool  # whether marks are in seconds; otherwise they are positions or units
    # Coder -> what the coder has here; empty if the coder has nothing. All coders of the item are listed.
    marks: Mapping[str, PlacedMarks]
    majority: PlacedMarks  # what more than half of the coders have here; empty if there is no such mark
    kinds: tuple[str, ...]  # kinds of the disagreements, the costliest first
    cost: float  # sum of the costs of the disagreements of all pairs; 0 if the measure does not count the difference
    pairs: int  # number of disagreements of pairs of coders
    before: str = ""  # before, between, after: The text around the place, if it is known
    between: str = ""
    after: str = ""
    times: tuple[float, float] | None = None  # start and end in seconds of a span of a hierarchy whose units have times

    @property
    def start(self) -> float:
        return min(mark.start for marks in self.marks.values() for mark in marks)

    @property
    def end(self) -> float:
        ends = (mark.start if mark.end is None else mark.end for marks in self.marks.values() for mark in marks)
        return max(ends)

    @property
    def label(self) -> str:
        """Who has what here, in a few words: ``3: ann, bo; 4: cy; none: dan``."""
        groups: dict[str, list[str]] = {}
        for coder, marks in self.marks.items():
            groups.setdefault(describe_marks(marks), []).append(coder)
        return "; ".join(f"{name}: {', '.join(coders)}" for name, coders in groups.items())


def plain_number(value: float | None) -> float | None:
    """Return a number without a fraction as a whole number, for JSON."""
    return int(value) if value is not None and value == int(value) else value


def describe_marks(marks: Sequence[PlacedMark]) -> str:
    return ", ".join(map(str, marks)) or "none"


def with_key(place: DisputedPlace) -> DisputedPlace:
    """Return the place with the key that its content determines."""
    marks = {coder: [mark.__json__() for mark in entries] for coder, entries in sorted(place.marks.items())}
    content = canonical_json([place.item, place.stream, place.about, marks])
    return replace(place, key=blake2b(content, digest_size=8).hexdigest())


def in_order(places: Iterable[DisputedPlace]) -> tuple[DisputedPlace, ...]:
    """Return places in the order of the queue, each with its own key."""

    def rank(place: DisputedPlace) -> tuple[float, int, str, str, float, float]:
        return -place.cost, -place.pairs, place.item, place.stream or "", place.start, place.end

    counts: Counter[str] = Counter()
    result = []
    for place in sorted(map(with_key, places), key=rank):
        counts[place.key] += 1
        number = counts[place.key]
        result.append(place if number == 1 else replace(place, key=f"{place.key}-{number}"))
    return tuple(result)
