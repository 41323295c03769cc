"""Disagreements of coders: the rows of two coders, the places at which they meet, and the whole list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from caesura.agreement.unitizing import UnitizingCoefficient
from caesura.measures.base import Measure
from caesura.model.result import HIDDEN, Excluded, Result
from caesura.model.spans import MarkedSpan

# Value of ``against`` that compares every coder with what more than half of the coders marked.
MAJORITY = "majority"
# Kind of disagreement about a span of a hierarchy.
SPAN = "span"
# Position and type of a boundary; the type is None if boundaries have no types.
Mark = tuple[int, str | None]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One disagreement of two coders."""

    json_properties: ClassVar[tuple[str, ...]] = ("position", "time", "has", "has_not")

    item: str
    stream: str | None  # stream of a dialogue
    coders: tuple[str, str]  # the two coders; with ``against``, the reference first
    # ``"miss"`` (only one coder has the boundary), ``"near miss"`` (their boundaries are a few positions apart), ``"different
    # type"``, ``"near miss, different type"``, or ``"span"`` (only one coder has the span of a hierarchy). For spans:
    # ``"unaligned"`` (the span of one coder has no counterpart), ``"shift"`` (aligned spans begin or end at different
    # positions), ``"category"``, or ``"shift and category"``.
    kind: str
    # Position of each coder's boundary; None for the coder who has none. For a span of a hierarchy, the position before it; for
    # other spans, the start.
    positions: tuple[int | None, int | None]
    times: tuple[float | None, float | None]  # time of each coder's boundary in seconds, if it is known
    # Type of each coder's boundary, if there are types; the level, label or category of a span.
    types: tuple[str | None, str | None]
    cost: float  # cost under the measure
    # Text before the first position, between the two positions or inside the span, and after the last
    # position; empty if the text is not known.
    before: str = ""
    between: str = ""
    after: str = ""
    span: tuple[int, int] | None = None  # first and last unit of a span of a hierarchy
    # The span of each coder, in a corpus of spans; None for the coder who has none.
    units: tuple[MarkedSpan | None, MarkedSpan | None] = (None, None)

    @property
    def position(self) -> int:
        """The leftmost position."""
        return min(position for position in self.positions if position is not None)

    @property
    def time(self) -> float | None:
        """The earliest time; None if times are not known."""
        return min((time for time in self.times if time is not None), default=None)

    @property
    def has(self) -> tuple[str, ...]:
        """The coders who have a boundary, or the span."""
        return tuple(coder for coder, at in zip(self.coders, self.positions, strict=True) if at is not None)

    @property
    def has_not(self) -> tuple[str, ...]:
        """The coder who has none."""
        return tuple(coder for coder, at in zip(self.coders, self.positions, strict=True) if at is None)


@dataclass(frozen=True, slots=True)
class DisagreementPlace:
    """A place at which coders disagree: the disagreements of all pairs at the same or linked positions."""

    item: str
    stream: str | None  # stream of a dialogue
    # The positions, in ascending order; several if near misses link them. For a span, the position before it.
    positions: tuple[int, ...]
    # Times of the boundaries there, in seconds and ascending order; empty if they are not known.
    times: tuple[float, ...]
    kinds: tuple[str, ...]  # kinds of the disagreements, the costliest first
    marks: Mapping[str, tuple[Mark, ...]]  # coder -> positions and types of the coder's boundaries here
    # Coder -> times of these boundaries, in seconds; empty if they are not known.
    mark_times: Mapping[str, tuple[float, ...]]
    # Coders of the item who have a boundary here, and those who have none.
    has: tuple[str, ...]
    has_not: tuple[str, ...]
    pairs: int  # number of disagreements between two coders
    cost: float  # sum of the costs of these disagreements
    # Text before the first position, between the positions (with ``|`` at those inside) or inside the
    # span, and after the last position.
    before: str
    between: str
    after: str
    span: tuple[int, int] | None  # first and last unit of a span of a hierarchy
    rows: Sequence[Disagreement] = field(repr=False, metadata=HIDDEN)
    # Coder -> the coder's span here, in a corpus of spans.
    units: Mapping[str, MarkedSpan] = field(default_factory=dict)

    @property
    def position(self) -> int:
        """The leftmost position."""
        return self.positions[0]

    @property
    def time(self) -> float | None:
        """The earliest time; None if times are not known."""
        return self.times[0] if self.times else None

    @property
    def kind(self) -> str:
        """The kind of disagreement that costs most here."""
        return self.kinds[0]

    @property
    def label(self) -> str:
        """Who has a boundary here and who has none, in a few words for a tier: ``ann, cy | not bo``."""
        moved = next((f"{kind}: " for kind in self.kinds if kind not in ("miss", SPAN)), "")
        has_not = f" | not {', '.join(self.has_not)}" if self.has_not else ""
        return moved + ", ".join(map(self.coder_label, self.has)) + has_not

    def coder_label(self, coder: str) -> str:
        """Return a coder with the types of the coder's boundaries here, if coders differ in them."""
        names = {name: tuple(entry for _, entry in marks if entry is not None) for name, marks in self.marks.items()}
        return f"{coder} ({' '.join(names[coder])})" if len(set(names.values())) > 1 else coder


@dataclass(frozen=True)
class DisagreementTotals:
    """Sums over all disagreements."""

    # Number of disagreements of two coders, and of places.
    rows: int
    places: int
    cost: float  # sum of all costs
    # Sums of the costs, the largest first.
    by_item: Mapping[str, float]
    by_coder: Mapping[str, float]
    by_kind: Mapping[str, float]
    rows_by_item: Mapping[str, int]
    rows_by_kind: Mapping[str, int]
    places_by_item: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Disagreements(Result):
    """All disagreements of the coders of a corpus, the costliest place first.

    Attributes
    ----------
    measure : Measure or UnitizingCoefficient
        Measure that aligns the coders and sets the costs; gamma for spans.
    against : str or None
        ``"majority"`` or the coder with whom every coder is compared; None if all pairs are compared.
    coders, items : tuple of str
        The coders, and the items that were compared.
    compared : int
        Number of comparisons of two coders on an item.
    rows : sequence of Disagreement
        One row per disagreement of two coders, in the order of the places. Rows and places are built whenever they are asked
        for; a tuple of them may take much memory.
    places : sequence of DisagreementPlace
        Disagreements of all pairs at one place together, the costliest place first.
    excluded : tuple of Excluded
        Items that could not be compared.
    signature : str
        One line with everything needed to reproduce the list.
    totals : DisagreementTotals
        Costs and numbers of all disagreements, also if only some are listed.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("row_count", "place_count", "cost", "by_item", "by_coder", "by_kind")
    frame_field: ClassVar[str] = "rows"

    measure: Measure | UnitizingCoefficient
    against: str | None
    coders: tuple[str, ...]
    items: tuple[str, ...]
    compared: int
    rows: Sequence[Disagreement] = field(repr=False)
    places: Sequence[DisagreementPlace] = field(repr=False)
    excluded: tuple[Excluded, ...]
    signature: str
    totals: DisagreementTotals = field(repr=False, metadata=HIDDEN)

    def __len__(self) -> int:
        return self.totals.rows

    @property
    def row_count(self) -> int:
        """Number of all disagreements of two coders, also if only some are listed."""
        return self.totals.rows

    @property
    def place_count(self) -> int:
        """Number of all places, also if only some are listed."""
        return self.totals.places

    @property
    def cost(self) -> float:
        """Sum of all costs."""
        return self.totals.cost

    @property
    def by_item(self) -> Mapping[str, float]:
        """Item -> sum of its costs, the costliest first; items without disagreements cost 0."""
        return self.totals.by_item

    @property
    def by_coder(self) -> Mapping[str, float]:
        """Coder -> sum of the costs of the disagreements in which the coder takes part, the largest first."""
        return self.totals.by_coder

    @property
    def by_kind(self) -> Mapping[str, float]:
        """Kind -> sum of its costs, the costliest first."""
        return self.totals.by_kind

    def costliest(self, rows: int, places: int) -> Self:
        """Return the same result with a shorter list; all sums stay as they are.

        Parameters
        ----------
        rows, places : int
            Number of disagreements of two coders, and of places, that remain.

        Returns
        -------
        Disagreements
            The first rows and places.
        """
        return replace(self, rows=self.rows[:rows], places=self.places[:places])


def sum_by_name(names: Iterable[str], costs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the sum of the costs with each name, the largest first."""
    sums = dict.fromkeys(names, 0.0)
    for name, cost in costs:
        sums[name] = sums.get(name, 0.0) + cost
    return dict(sorted(sums.items(), key=lambda entry: -entry[1]))
