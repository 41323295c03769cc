"""Find the mistakes of a system: misses, false alarms, near misses with distance and direction, confusions of types."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from caesura.judging.participants import Participants
from caesura.measures.base import Measure
from caesura.measures.edit_columns import EDIT_KINDS, MATCH, NONE, EditColumns
from caesura.measures.many import score_many
from caesura.model.dialogue import Annotation, streams_of
from caesura.model.result import Result

MAX_OFFSET = 5
"""Largest systematic offset to search for, in positions."""

_KINDS = {
    "deletion": "miss",
    "insertion": "false alarm",
    "transposition": "near miss",
    "transposition with substitution": "near miss",
    "substitution": "confusion",
}


@dataclass(frozen=True, slots=True)
class Mistake(Result):
    """A boundary on which a system and a coder differ.

    Attributes
    ----------
    kind : str
        ``"miss"`` (only the coder has it), ``"false alarm"`` (only the system), ``"near miss"``, or ``"confusion"`` of types.
    item : str
        Name of the item.
    coder : str
        Name of the coder.
    position, system_position : int or None
        Position of the coder's and of the system's boundary.
    type, system_type : str or None
        Boundary type of the coder and of the system.
    stream : str or None
        Name of the speaker in a dialogue.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("offset",)

    kind: str
    item: str
    coder: str
    position: int | None
    system_position: int | None
    type: str | None
    system_type: str | None
    stream: str | None

    @property
    def offset(self) -> int:
        """Number of positions by which the system is late; negative if it is early."""
        if self.position is None or self.system_position is None:
            return 0
        return self.system_position - self.position


@dataclass(frozen=True, slots=True)
class TypeConfusion:
    """A pair of boundary types: the type that the coders chose and the type that the system chose instead.

    Attributes
    ----------
    type, system_type : str
        Boundary type of the coder and of the system.
    count : int
        Number of such confusions, including near misses.
    """

    type: str
    system_type: str
    count: int


@dataclass(frozen=True, eq=False)
class Mistakes(Result):
    """All mistakes of a system, compared with every coder on every item.

    Attributes
    ----------
    system : str
        Name of the system.
    mistakes : tuple of Mistake
        Every mistake.
    matches : int
        Number of boundaries on which system and coder agree.
    confusions : tuple of TypeConfusion
        Confusions of boundary types, the most frequent first.
    offsets : mapping of int to int
        Offset from -5 to 5 -> number of the coders' boundaries that the system places that many positions later.
    density : float
        Boundaries of the system per inner position.
    coders_density : float
        Boundaries of the coders per inner position of the same items, averaged over the coders of each item.
    coders_per_item : float
        Mean number of coders per item.
    """

    frame_field: ClassVar[str] = "mistakes"
    json_properties: ClassVar[tuple[str, ...]] = ("counts", "late", "early", "offset", "systematic", "by_item")

    system: str
    mistakes: tuple[Mistake, ...] = field(repr=False)
    matches: int
    confusions: tuple[TypeConfusion, ...]
    offsets: Mapping[int, int]
    density: float
    coders_density: float
    coders_per_item: float = 1.0

    @property
    def counts(self) -> dict[str, int]:
        """Number of mistakes by kind."""
        counts = Counter(mistake.kind for mistake in self.mistakes)
        return {kind: counts[kind] for kind in ("miss", "false alarm", "near miss", "confusion")}

    @property
    def by_item(self) -> dict[str, dict[str, int]]:
        """Number of mistakes by item and kind."""
        counts: dict[str, Counter[str]] = {}
        for mistake in self.mistakes:
            counts.setdefault(mistake.item, Counter())[mistake.kind] += 1
        return {item: dict(by_kind) for item, by_kind in counts.items()}

    @property
    def late(self) -> int:
        """Number of near misses after the coder's boundary."""
        return sum(mistake.offset > 0 for mistake in self.mistakes if mistake.kind == "near miss")

    @property
    def early(self) -> int:
        """Number of near misses before the coder's boundary."""
        return sum(mistake.offset < 0 for mistake in self.mistakes if mistake.kind == "near miss")

    @property
    def offset(self) -> int:
        """The offset at which most boundaries coincide, positive if the system is late; the smallest if several tie."""
        maximum = max(self.offsets.values())
        return min((d for d, n in self.offsets.items() if n == maximum), key=lambda d: (abs(d), d))

    @property
    def systematic(self) -> bool:
        """Whether significantly more boundaries coincide at ``offset`` than at offset 0.

        A test is needed because even a system that is rarely right has a best offset. Let n and n_0 be the number of
        boundaries per coder that coincide at ``offset`` and at 0. By chance both would be about equal. The property is
        true if n - n_0 exceeds 2.58 sqrt(n + n_0), which happens by chance with probability 1/200 for each of the ten
        offsets.
        """
        n, n_0 = (self.offsets[d] / self.coders_per_item for d in (self.offset, 0))
        return n - n_0 > 2.58 * math.sqrt(n + n_0)


def find_mistakes(participants: Participants, system: str, measure: Measure) -> Mistakes:
    """Return every boundary on which a system and a coder differ.

    Parameters
    ----------
    participants : Participants
        Coders and systems.
    system : str
        Name of the system.
    measure : Measure
        A measure that aligns boundaries.

    Returns
    -------
    Mistakes
        Mistakes according to the alignment of the measure.
    """
    by_item = participants.systems[system]
    items = [item for item in participants.items if item in by_item]
    keys = [(item, coder) for item in items for coder in participants.coders[item]]
    pairs: list[tuple[Any, Any]] = [(participants.coders[item][coder], by_item[item]) for item, coder in keys]
    mistakes, matches = _mistakes_and_matches(pairs, keys, measure)
    return Mistakes(
        system=system,
        mistakes=mistakes,
        matches=matches,
        confusions=_confusions(mistakes),
        offsets=_offsets(pairs),
        density=_density([by_item[item]] for item in items),
        coders_density=_density(participants.coders[item].values() for item in items),
        coders_per_item=len(keys) / len(items),
    )


def _mistakes_and_matches(
    pairs: list[tuple[Any, Any]], keys: list[tuple[str, str]], measure: Measure
) -> tuple[tuple[Mistake, ...], int]:
    """Return the mistakes in all pairs that can be scored, and the number of matches; ``keys`` are (item, coder)."""
    scores = score_many(pairs, measure)
    columns = measure.edit_columns(scores.batch)
    if columns is not None:
        return _from_columns(columns, [keys[place] for place in scores.places.tolist()])
    mistakes: list[Mistake] = []
    matches = 0
    for place in scores.scored.tolist():
        for edit in scores[place].edits or ():
            if edit.kind == "match":
                matches += 1
            else:
                kind, (item, coder), (a, b) = _KINDS[edit.kind], keys[place], (edit.a_position, edit.b_position)
                mistakes.append(Mistake(kind, item, coder, a, b, edit.a_type, edit.b_type, edit.stream))
    return tuple(mistakes), matches


def _from_columns(columns: EditColumns, keys: list[tuple[str, str]]) -> tuple[tuple[Mistake, ...], int]:
    """Return mistakes and matches from the edits of all pairs, which the kernel listed at once."""
    wrong = columns.kind != MATCH
    names: dict[int, str | None] = {NONE: None, **dict(enumerate(columns.types))}
    streams = [None] * int(wrong.sum()) if columns.stream is None else columns.stream[wrong].tolist()
    stream_names: dict[int | None, str | None] = {None: None, **dict(enumerate(columns.streams))}
    numbers = (columns.document, columns.kind, columns.a_position, columns.b_position, columns.a_type, columns.b_type)
    mistakes = [
        Mistake(
            _KINDS[EDIT_KINDS[kind]],
            keys[document][0],
            keys[document][1],
            None if a == NONE else a,
            None if b == NONE else b,
            names[a_type],
            names[b_type],
            stream_names[stream],
        )
        for document, kind, a, b, a_type, b_type, stream in zip(
            *(column[wrong].tolist() for column in numbers), streams, strict=True
        )
    ]
    return tuple(mistakes), len(columns) - len(mistakes)


def _confusions(mistakes: Iterable[Mistake]) -> tuple[TypeConfusion, ...]:
    pairs = ((mistake.type, mistake.system_type) for mistake in mistakes)
    counts = Counter((a, b) for a, b in pairs if a is not None and b is not None and a != b)
    return tuple(TypeConfusion(a, b, count) for (a, b), count in counts.most_common())


def _offsets(pairs: Iterable[tuple[Annotation, Annotation]]) -> dict[int, int]:
    """Return offset -> number of reference boundaries that the hypothesis has at this offset."""
    texts = [
        (text, streams_of(hypothesis)[name])
        for reference, hypothesis in pairs
        for name, text in streams_of(reference).items()
    ]
    # All texts one after the other, so far apart that no offset leads into the next one.
    lengths = [max(text.length, other.length) + 2 * MAX_OFFSET for text, other in texts]
    starts = np.concatenate([[0], np.cumsum(np.array(lengths, np.int64))])
    reference, hypothesis = (
        np.concatenate(
            [np.empty(0, np.int64), *(pair[side].inner + start for pair, start in zip(texts, starts, strict=False))]
        )
        for side in (0, 1)
    )
    return {
        d: int(np.isin(reference + d, hypothesis, assume_unique=True).sum()) for d in range(-MAX_OFFSET, MAX_OFFSET + 1)
    }


def _density(items: Iterable[Collection[Annotation]]) -> float:
    """Return boundaries per inner position; every item has the same weight, regardless of its number of annotations."""
    boundaries, positions = 0.0, 0
    for copies in items:
        total = sum(text.inner.size for annotation in copies for text in streams_of(annotation).values())
        boundaries += total / len(copies)
        positions += sum(text.length - 1 for text in streams_of(next(iter(copies))).values())
    return boundaries / positions if positions else 0.0
