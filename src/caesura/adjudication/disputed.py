"""The annotations of a corpus as marks: what coders agree on, and what they dispute.

The marks of the coders of an item are put into groups: marks that mean the same boundary or span. A place is one or several
groups that a disagreement links, or groups in which coders differ although the measure does not see it. What is in no place
is agreed. :mod:`caesura.adjudication.kinds` says what groups and marks are for boundaries, tiers, spans and hierarchies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import combinations
from typing import Any, Self

from caesura.agreement.disagreement_rows import Disagreement, DisagreementPlace, Disagreements, sum_by_name
from caesura.errors import OptionError
from caesura.model import checks
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.fingerprint import fingerprint_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.plain import canonical_json
from caesura.model.result import Excluded
from caesura.model.spans import Spans

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

    # 16 hexadecimal digits that identify the place: item, stream, and what every coder has there; see ``with_key``.
    key: str = field(default="", kw_only=True)
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
    # The text around the place, if it is known.
    before: str = ""
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


def _key(place: DisputedPlace) -> str:
    """Return the key that the content of a place determines."""
    marks = {coder: [mark.__json__() for mark in entries] for coder, entries in sorted(place.marks.items())}
    return blake2b(canonical_json([place.item, place.stream, place.about, marks]), digest_size=8).hexdigest()


def in_order(places: Iterable[DisputedPlace]) -> tuple[DisputedPlace, ...]:
    """Return places in the order of the queue, each with its own key."""

    def rank(place: DisputedPlace) -> tuple[float, int, str, str, float, float]:
        return -place.cost, -place.pairs, place.item, place.stream or "", place.start, place.end

    counts: Counter[str] = Counter()
    result = []
    for place in sorted(places, key=rank):
        key = _key(place)
        counts[key] += 1
        result.append(replace(place, key=key if counts[key] == 1 else f"{key}-{counts[key]}"))
    return tuple(result)


# Stream -> its marks; the name of the stream is empty outside dialogues.
Streams = Mapping[str, PlacedMarks]


# Stream and key of a group. Groups of a stream whose keys begin alike are at the same place, if the measure sees none of them.
GroupKey = tuple[str, tuple[Any, ...]]
# Key -> coder -> the coder's marks in this group; all coders of the item are listed. Groups are sorted.
Groups = Mapping[GroupKey, Mapping[str, PlacedMarks]]


class DisputedCorpus(ABC):
    """A corpus whose disagreements are adjudicated."""

    about = SPAN
    unmeasured_kind = ""  # kind of a difference that the measure does not see
    # Boundary types, categories or labels that an adjudicator can choose; empty if there are none.
    types: tuple[str, ...] = ()

    def __init__(self, corpus: Corpus, result: Disagreements) -> None:
        self.corpus = corpus
        self.result = result
        self._groups: dict[str, Groups] = {}
        single = {item for item in corpus.item_names if len(corpus.of_item(item)) == 1}
        excluded = [entry for entry in result.excluded if entry.item not in single]
        usable = single | {*result.items}
        named = {entry.item for entry in excluded}
        rest = [item for item in corpus.item_names if item not in usable and item not in named]
        self.excluded = (*excluded, *(Excluded(item, None, "its annotations cannot be compared") for item in rest))
        self.items = tuple(item for item in corpus.item_names if item in usable)

    @cached_property
    def places(self) -> tuple[DisputedPlace, ...]:
        return in_order(self._found[0])

    @cached_property
    def places_of_items(self) -> Mapping[str, Sequence[DisputedPlace]]:
        by_item: dict[str, list[DisputedPlace]] = {item: [] for item in self.items}
        for place in self.places:
            by_item[place.item].append(place)
        return by_item

    @cached_property
    def _found(self) -> tuple[list[DisputedPlace], dict[str, set[GroupKey]]]:
        """All places, in any order and without keys, and the groups in them by item."""
        disputed: dict[str, set[GroupKey]] = {item: set() for item in self.items}
        places = []
        numbers: Counter[str] = Counter()
        for place in self.result.places:
            number = numbers[place.item]
            numbers[place.item] += 1
            for rows in self.divided(place):
                keys = [(place.stream or "", key) for key in self.keys(place, rows, number)]
                disputed[place.item].update(keys)
                kinds, cost = place.kinds, place.cost
                if rows is not place.rows:
                    costs = sum_by_name((), ((row.kind, row.cost) for row in rows))
                    kinds, cost = tuple(costs), sum(costs.values())
                text = place if len(rows) == len(place.rows) else rows[0]
                facts = self.around(place.item, keys[0]) | {"before": text.before, "between": text.between}
                facts |= {"after": text.after, "kinds": kinds, "cost": cost, "pairs": len(rows)}
                places.append(self._place(place.item, keys, **facts))
        for item in self.result.items:
            rest: dict[tuple[str, Any], list[GroupKey]] = {}
            for key, marks in self.groups(item).items():
                if key not in disputed[item] and len({tuple(mark.type for mark in own) for own in marks.values()}) > 1:
                    rest.setdefault((key[0], key[1][0]), []).append(key)
            for keys in rest.values():
                disputed[item].update(keys)
                unseen = self._place(item, keys, kinds=(), cost=0.0, pairs=0, **self.around(item, keys[0]))
                variants = [[(mark.start, mark.type) for mark in own] for own in unseen.marks.values()]
                kinds = ("miss" if [] in variants else self.unmeasured_kind,)
                places.append(replace(unseen, kinds=kinds, pairs=sum(a != b for a, b in combinations(variants, 2))))
        return places, disputed

    def _place(self, item: str, keys: Sequence[GroupKey], **facts: Any) -> DisputedPlace:
        groups = [self.groups(item)[key] for key in keys]
        return DisputedPlace(
            item=item,
            stream=keys[0][0] or None,
            about=self.about,
            seconds=self.in_seconds(item),
            marks={coder: tuple(mark for group in groups for mark in group[coder]) for coder in groups[0]},
            majority=tuple(mark for key in keys for mark in self.majority_of(item, key)),
            **facts,
        )

    def agreed(self, item: str) -> Streams:
        """Return what the coders of an item agree on: what most of them have in the groups without a place."""
        streams: dict[str, PlacedMarks] = {}
        for key in self.groups(item):
            if key not in self._found[1][item]:
                streams[key[0]] = streams.get(key[0], ()) + self.majority_of(item, key)
        return streams

    def groups(self, item: str) -> Groups:
        if item not in self._groups:
            self._groups[item] = self.find_groups(item)
        return self._groups[item]

    def in_seconds(self, item: str) -> bool:
        return False

    @abstractmethod
    def find_groups(self, item: str) -> Groups: ...

    def divided(self, place: DisagreementPlace) -> Iterable[Sequence[Disagreement]]:
        """Return the disagreements of a place, divided into those that are decided together."""
        return (place.rows,)

    @abstractmethod
    def keys(self, place: DisagreementPlace, rows: Sequence[Disagreement], number: int) -> Iterable[tuple[Any, ...]]:
        """Return the keys of the groups of some disagreements of a place, which is number 0, 1, ... of its item."""

    def around(self, item: str, key: GroupKey) -> dict[str, Any]:
        """Return facts about a place that the measure does not tell."""
        return {}

    @abstractmethod
    def majority_of(self, item: str, key: GroupKey) -> PlacedMarks:
        """Return what more than half of the coders have in a group; nothing if there is no such mark."""

    @abstractmethod
    def build(self, item: str, marks: Streams) -> Annotation:
        """Return the annotation that marks make."""

    @abstractmethod
    def check_mark(self, place: DisputedPlace, mark: PlacedMark) -> PlacedMark:
        """Return a mark that an adjudicator placed by hand, rounded, if it fits the item."""

    def retyped(self, marks: PlacedMarks, name: str | None) -> PlacedMarks:
        if name is None:
            return marks
        self.check_type(name)
        return tuple(dict.fromkeys(PlacedMark(mark.start, mark.end, name, mark.level) for mark in marks))

    def check_type(self, name: str | None, *, required: bool = False) -> None:
        listed = ", ".join(self.types[:20])
        if name is not None and name not in self.types:
            expected = f"one of {listed}" if self.types else "none, because marks have no types here"
            raise OptionError(f"type: expected {expected}; got {name[:80]!r}")
        if name is None and required and self.types:
            raise OptionError(f"type: choose one of {listed}")

    def fingerprint(self, item: str) -> str:
        by_coder = self.corpus.of_item(item)
        # A second, empty item makes the name of the item count.
        parts = [item, fingerprint_of([(item, by_coder)]), *sorted(by_coder)]
        parts += [text for coder in sorted(by_coder) for text in _texts(by_coder[coder])]
        digest = blake2b(digest_size=8)
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()


def _texts(annotation: Annotation) -> Iterable[str]:
    if isinstance(annotation, Spans):
        return (annotation.text,) if annotation.text is not None else annotation.units or ()
    if isinstance(annotation, Hierarchy):
        return annotation.units or ()
    if tiers := tiers_of(annotation):
        return [word.label for tier in tiers.values() for word in tier.words or ()]
    return [unit for text in texts_of(annotation).values() for unit in text.units or ()]
