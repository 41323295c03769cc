"""Where a system goes wrong: misses, false alarms, near misses with distance and direction, types confused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from caesura.judging.field import Field
from caesura.measures.base import Measure
from caesura.measures.many import score_many
from caesura.model.dialogue import Annotation, streams_of
from caesura.model.score import Edit

__all__ = ["Mistake", "Mistakes", "mistakes_of"]

REACH = 5
"""How far a systematic offset is looked for."""

_KINDS = {
    "deletion": "miss",
    "insertion": "false alarm",
    "transposition": "near miss",
    "transposition with substitution": "near miss",
    "substitution": "confusion",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """One boundary that system and coder do not share."""

    kind: str
    """``miss`` (the coder's alone), ``false alarm`` (the system's alone), ``near miss`` or ``confusion`` of types."""
    item: str
    coder: str
    position: int | None
    """Where the coder has it."""
    system_position: int | None
    """Where the system has it."""
    type: str | None
    system_type: str | None
    stream: str | None

    @property
    def offset(self) -> int:
        """How many positions late the system is; below 0 it is early."""
        if self.position is None or self.system_position is None:
            return 0
        return self.system_position - self.position


@dataclass(frozen=True, eq=False)
class Mistakes:
    """All mistakes of one system, against every coder on every item."""

    system: str
    mistakes: tuple[Mistake, ...] = field(repr=False)
    matches: int
    confused: Mapping[tuple[str, str], int]
    """(type of the coder, type of the system) -> how often, near misses of another type included."""
    offsets: Mapping[int, int]
    """How many boundaries of coders the system has so many positions later (below 0: earlier), for -5 to 5."""
    density: float
    """The system's boundaries per inner position."""
    coders_density: float
    """The coders' on the same items, each item by the mean of its coders."""
    rivals: float = 1.0
    """How many coders there are an item, on average."""

    @property
    def counts(self) -> dict[str, int]:
        """How many mistakes of each kind."""
        found = Counter(one.kind for one in self.mistakes)
        return {kind: found[kind] for kind in ("miss", "false alarm", "near miss", "confusion")}

    def by_item(self) -> dict[str, dict[str, int]]:
        """Item -> how many mistakes of each kind."""
        out: dict[str, Counter[str]] = {}
        for one in self.mistakes:
            out.setdefault(one.item, Counter())[one.kind] += 1
        return {item: dict(found) for item, found in out.items()}

    @property
    def late(self) -> int:
        """Near misses behind the coder's boundary."""
        return sum(one.offset > 0 for one in self.mistakes if one.kind == "near miss")

    @property
    def early(self) -> int:
        """Near misses before the coder's boundary."""
        return sum(one.offset < 0 for one in self.mistakes if one.kind == "near miss")

    @property
    def offset(self) -> int:
        """The shift under which most boundaries coincide, late above 0; 0 where no other is better."""
        most = max(self.offsets.values())
        return min((d for d, n in self.offsets.items() if n == most), key=lambda d: (abs(d), d))

    @property
    def systematic(self) -> bool:
        """Whether so many more boundaries coincide under ``offset`` than without that it is hardly chance.

        Of those that coincide under either, n and n_0 for each coder, half would fall to each side; n - n_0 must exceed
        2.58 sqrt(n + n_0), one chance in 200 for each of the ten shifts. A program that is seldom right anywhere has a
        best shift too.
        """
        n, n_0 = (self.offsets[d] / self.rivals for d in (self.offset, 0))
        return n - n_0 > 2.58 * math.sqrt(n + n_0)

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "system": self.system,
            "matches": self.matches,
            "counts": self.counts,
            "late": self.late,
            "early": self.early,
            "offset": self.offset,
            "systematic": self.systematic,
            "offsets": {str(d): n for d, n in self.offsets.items()},
            "density": self.density,
            "coders_density": self.coders_density,
            "confused": [{"type": a, "system_type": b, "times": n} for (a, b), n in self.confused.items()],
            "by_item": self.by_item(),
            "mistakes": [asdict(one) | {"offset": one.offset} for one in self.mistakes],
        }


def mistakes_of(field: Field, system: str, measure: Measure) -> Mistakes:
    """Every boundary on which the system and a coder differ, by the alignment of ``measure``."""
    items = [item for item in field.items if item in field.systems[system]]
    keys = [(item, coder) for item in items for coder in field.coders[item]]
    pairs: list[tuple[Any, Any]] = [(field.coders[item][coder], field.systems[system][item]) for item, coder in keys]
    scores = score_many(pairs, measure)
    found: list[Mistake] = []
    matches = 0
    confused: Counter[tuple[str, str]] = Counter()
    for i in scores.scored.tolist():
        for edit in scores[i].edits or ():
            if edit.kind == "match":
                matches += 1
                continue
            found.append(_mistake(edit, *keys[i]))
            if edit.a_type is not None and edit.b_type is not None and edit.a_type != edit.b_type:
                confused[edit.a_type, edit.b_type] += 1
    return Mistakes(
        system=system,
        mistakes=tuple(found),
        matches=matches,
        confused=dict(confused.most_common()),
        offsets=_offsets(pairs),
        density=_density([field.systems[system][item]] for item in items),
        coders_density=_density(field.coders[item].values() for item in items),
        rivals=len(keys) / len(items),
    )


def _mistake(edit: Edit, item: str, coder: str) -> Mistake:
    return Mistake(
        _KINDS[edit.kind], item, coder, edit.a_position, edit.b_position, edit.a_type, edit.b_type, edit.stream
    )


def _offsets(pairs: list[tuple[Annotation, Annotation]]) -> dict[int, int]:
    out = dict.fromkeys(range(-REACH, REACH + 1), 0)
    for reference, hypothesis in pairs:
        theirs = streams_of(hypothesis)
        for name, text in streams_of(reference).items():
            for d in out:
                out[d] += int(np.isin(text.inner + d, theirs[name].inner, assume_unique=True).sum())
    return out


def _density(items: Iterable[Collection[Annotation]]) -> float:
    """Boundaries over inner positions, every item once, whether one coder has it or many."""
    placed, positions = 0.0, 0
    for by in items:
        placed += sum(text.inner.size for one in by for text in streams_of(one).values()) / len(by)
        positions += sum(text.length - 1 for text in streams_of(next(iter(by))).values())
    return placed / positions if positions else 0.0
