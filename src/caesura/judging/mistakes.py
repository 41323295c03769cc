"""Find the mistakes of a system: misses, false alarms, near misses with distance and direction, confusions of types."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from caesura.judging.participants import Participants
from caesura.measures.base import Measure
from caesura.measures.edit_columns import EDIT_KINDS, MATCH, NONE, EditColumns
from caesura.measures.many import score_many
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.index import bincount, flatnonzero
from caesura.model.result import HIDDEN, Result
from caesura.model.value import Ints, OnDemand

MAX_OFFSET = 5  # largest systematic offset to search for, in positions

MISTAKE_KINDS = ("miss", "false alarm", "near miss", "confusion")
_KINDS = {
    "deletion": "miss",
    "insertion": "false alarm",
    "transposition": "near miss",
    "transposition with substitution": "near miss",
    "substitution": "confusion",
}
# The kind of mistake of each kind of edit; a match is none.
_KIND_OF_EDIT = np.array([MISTAKE_KINDS.index(_KINDS[edit]) if edit in _KINDS else NONE for edit in EDIT_KINDS])


@dataclass(frozen=True, slots=True)
class Mistake(Result):
    """A boundary on which a system and a coder differ."""

    json_properties: ClassVar[tuple[str, ...]] = ("offset",)

    # ``"miss"`` (only the coder has it), ``"false alarm"`` (only the system), ``"near miss"``, or ``"confusion"`` of types.
    kind: str
    item: str
    coder: str
    position: int | None  # position of the coder's boundary
    system_position: int | None
    type: str | None  # type of the coder's boundary
    system_type: str | None
    stream: str | None  # name of the speaker in a dialogue

    @property
    def offset(self) -> int:
        """Number of positions by which the system is late; negative if it is early."""
        if self.position is None or self.system_position is None:
            return 0
        return self.system_position - self.position


@dataclass(frozen=True, slots=True)
class TypeConfusion:
    """A pair of boundary types: the type that the coders chose and the type that the system chose instead."""

    type: str
    system_type: str
    count: int  # number of such confusions, including near misses


@dataclass(frozen=True, eq=False, slots=True)
class MistakeColumns:
    """Mistakes as edits that are no matches, because there may be hundreds of thousands of them."""

    keys: Sequence[tuple[str, str]]  # item and coder of each document
    edits: EditColumns
    rows: Ints  # the edits that are mistakes

    @property
    def kind(self) -> Ints:
        """Kind of each mistake, as index into ``MISTAKE_KINDS``."""
        kind: Ints = _KIND_OF_EDIT[self.edits.kind[self.rows]]
        return kind

    def mistake(self, number: int) -> Mistake:
        edits, row = self.edits, self.rows[number]
        item, coder = self.keys[edits.document[row]]
        a, b, a_type, b_type = (
            None if column[row] == NONE else column.item(row)
            for column in (edits.a_position, edits.b_position, edits.a_type, edits.b_type)
        )
        return Mistake(
            MISTAKE_KINDS[_KIND_OF_EDIT[edits.kind[row]]],
            item,
            coder,
            a,
            b,
            None if a_type is None else edits.types[a_type],
            None if b_type is None else edits.types[b_type],
            None if edits.stream is None else edits.streams[edits.stream[row]],
        )

    @property
    def offsets_of_near_misses(self) -> Ints:
        """Number of positions by which the system is late, for each near miss; negative if it is early."""
        late_by: Ints = self.edits.shift[self.rows[self.kind == MISTAKE_KINDS.index("near miss")]]
        return late_by

    @property
    def confusions(self) -> tuple[TypeConfusion, ...]:
        """Confusions of boundary types, the most frequent first."""
        types, (a, b) = self.edits.types, (self.edits.a_type[self.rows], self.edits.b_type[self.rows])
        differ = (a != NONE) & (b != NONE) & (a != b)
        counts = Counter(zip(a[differ].tolist(), b[differ].tolist(), strict=True)).most_common()
        return tuple(TypeConfusion(types[of_coder], types[of_system], count) for (of_coder, of_system), count in counts)


@dataclass(frozen=True, eq=False)
class Mistakes(Result):
    """All mistakes of a system, compared with every coder on every item."""

    frame_field: ClassVar[str] = "mistakes"
    json_properties: ClassVar[tuple[str, ...]] = ("counts", "late", "early", "offset", "systematic", "by_item")

    system: str
    mistakes: Sequence[Mistake] = field(repr=False)  # every mistake; entries are built when they are looked at
    matches: int  # number of boundaries on which system and coder agree
    confusions: tuple[TypeConfusion, ...]
    # Offset from -5 to 5 -> number of the coders' boundaries that the system places that many positions later.
    offsets: Mapping[int, int]
    density: float  # boundaries of the system per inner position
    # Boundaries of the coders per inner position of the same items, averaged over the coders of each item.
    coders_density: float
    coders_per_item: float
    columns: MistakeColumns = field(repr=False, metadata=HIDDEN)

    @property
    def counts(self) -> dict[str, int]:
        counts = bincount(self.columns.kind, minlength=len(MISTAKE_KINDS))
        return dict(zip(MISTAKE_KINDS, counts.tolist(), strict=True))

    @property
    def by_item(self) -> dict[str, dict[str, int]]:
        items = [item for item, _ in self.columns.keys]
        counts: dict[str, Counter[str]] = {}
        documents = self.columns.edits.document[self.columns.rows]
        for document, kind in zip(documents.tolist(), self.columns.kind.tolist(), strict=True):
            counts.setdefault(items[document], Counter())[MISTAKE_KINDS[kind]] += 1
        return {item: dict(by_kind) for item, by_kind in counts.items()}

    @property
    def late(self) -> int:
        """Number of near misses after the coder's boundary."""
        return int((self.columns.offsets_of_near_misses > 0).sum())

    @property
    def early(self) -> int:
        """Number of near misses before the coder's boundary."""
        return int((self.columns.offsets_of_near_misses < 0).sum())

    @property
    def offset(self) -> int:
        """The offset at which most boundaries coincide, positive if the system is late; the smallest if several tie."""
        maximum = max(self.offsets.values())
        return min((d for d, n in self.offsets.items() if n == maximum), key=lambda d: (abs(d), d))

    @property
    def systematic(self) -> bool:
        """Whether significantly more boundaries coincide at ``offset`` than at offset 0."""
        # A test is needed because even a system that is rarely right has a best offset. Let n and n_0 be the number of
        # boundaries per coder that coincide at ``offset`` and at 0. By chance both would be about equal. The property is true
        # if n - n_0 exceeds 2.58 sqrt(n + n_0), which happens by chance with probability 1/200 for each of the ten offsets.
        n, n_0 = (self.offsets[d] / self.coders_per_item for d in (self.offset, 0))
        return n - n_0 > 2.58 * math.sqrt(n + n_0)


def find_mistakes(participants: Participants, system: str, measure: Measure) -> Mistakes:
    by_item = participants.systems[system]
    items = [item for item in participants.items if item in by_item]
    keys = [(item, coder) for item in items for coder in participants.coders[item]]
    pairs: list[tuple[Any, Any]] = [(participants.coders[item][coder], by_item[item]) for item, coder in keys]
    scores = score_many(pairs, measure)
    edits = measure.edit_columns(scores.batch)
    assert edits is not None, "measures that align boundaries list the edits of all pairs at once"
    scored = [keys[place] for place in scores.places.tolist()]
    columns = MistakeColumns(scored, edits, flatnonzero(edits.kind != MATCH))
    return Mistakes(
        system=system,
        mistakes=OnDemand(columns.mistake, range(len(columns.rows))),
        matches=len(edits) - len(columns.rows),
        confusions=columns.confusions,
        offsets=_offsets(pairs),
        density=_density([by_item[item]] for item in items),
        coders_density=_density(participants.coders[item].values() for item in items),
        coders_per_item=len(keys) / len(items),
        columns=columns,
    )


def _offsets(pairs: Iterable[tuple[Annotation, Annotation]]) -> dict[int, int]:
    """Return offset -> number of reference boundaries that the hypothesis has at this offset."""
    texts = [
        (text, texts_of(hypothesis)[name])
        for reference, hypothesis in pairs
        for name, text in texts_of(reference).items()
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
        total = sum(text.inner.size for annotation in copies for text in texts_of(annotation).values())
        boundaries += total / len(copies)
        positions += sum(text.length - 1 for text in texts_of(next(iter(copies))).values())
    return boundaries / positions if positions else 0.0
