"""Scores: one number, and everything that says where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

from caesura.model.result import HIDDEN, Result
from caesura.options import non_negative

_check_beta = non_negative()


@dataclass(frozen=True, slots=True)
class Edit:
    """What happened to one boundary, or to a pair of boundaries.

    Parameters
    ----------
    kind : str
        ``match``, ``substitution``, ``transposition``, ``transposition with substitution``, ``deletion`` (only the first
        side has the boundary) or ``insertion`` (only the second side has it).
    a_position, b_position : int or None
        Positions on both sides; None on the side without a boundary. In a dialogue they are positions of the stream.
    a_type, b_type : str or None
        Boundary types on both sides.
    cost : float
        Cost of the edit.
    stream : str, optional
        Name of the stream, in a dialogue.
    """

    kind: str
    a_position: int | None
    b_position: int | None
    a_type: str | None
    b_type: str | None
    cost: float
    stream: str | None = None

    @property
    def position(self) -> int:
        """The leftmost position that the edit touches."""
        return min(position for position in (self.a_position, self.b_position) if position is not None)

    @property
    def distance(self) -> int:
        """Number of positions between both sides; 0 if only one side has a boundary."""
        return 0 if self.a_position is None or self.b_position is None else abs(self.a_position - self.b_position)


class Parts(Mapping[str, Any]):
    """The additive counts that a score is computed from, in a fixed order.

    Iteration, length and equality are over the counts alone, so that they can be summed. Figures that follow from the counts
    (precision, recall, f) can be looked up too: ``score.parts["precision"]``.

    Parameters
    ----------
    counts : mapping of str to float
        The counts.
    figures : mapping of str to float, optional
        Figures that follow from the counts.
    """

    __slots__ = ("_counts", "_figures")

    def __init__(self, counts: Mapping[str, float], figures: Mapping[str, float] | None = None) -> None:
        self._counts = dict(counts)
        self._figures = dict(figures or {})

    def __getitem__(self, name: str) -> Any:
        return self._counts[name] if name in self._counts else self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __hash__(self) -> int:
        return hash(tuple(self._counts.items()))

    def __repr__(self) -> str:
        return repr(self._counts)

    @property
    def figures(self) -> Mapping[str, float]:
        """Figures that follow from the counts."""
        return MappingProxyType(self._figures)


class _Measure(Protocol):
    """What a ``Score`` needs from the measure that computed it."""

    @property
    def name(self) -> str:
        """Name in the registry."""
        ...

    @property
    def label(self) -> str:
        """Short text form, for tables."""
        ...

    def total(self, scores: list[Score]) -> Score:
        """Return the score of all documents together."""
        ...

    def align(self, source: Any) -> tuple[Edit, ...] | None:
        """Return what happened to every boundary."""
        ...

    def signature(self, params: Mapping[str, Any], types: tuple[str, ...], documents: int) -> str:
        """Return the name and every resolved option in one line."""
        ...


@dataclass(frozen=True, eq=False)
class Score(Result):
    """The result of a measure.

    ``float(score)`` is ``score.value``. Scores of the same measure add up: ``a + b`` is the score of both documents together,
    computed from the summed ``parts``, and so is ``sum(scores)``.

    Parameters
    ----------
    measure : Measure
        The measure with its options: a value that ``parse`` reads back from its ``repr``.
    value : float
        The score.
    parts : Parts
        The additive counts.
    params : mapping
        Every option as it was resolved.
    types : tuple of str
        Boundary types over which the score was computed.
    documents : int, default 1
        Number of documents.
    source : object, optional
        What the measure aligned; edits are computed from it on request.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("figures", "signature")

    measure: _Measure
    value: float
    parts: Parts
    params: Mapping[str, Any]
    types: tuple[str, ...] = field(metadata=HIDDEN)
    documents: int = 1
    source: Any = field(default=None, repr=False, metadata=HIDDEN)

    def __float__(self) -> float:
        return self.value

    @cached_property
    def signature(self) -> str:
        """One line that lets someone else reproduce the number."""
        return self.measure.signature(self.params, self.types, self.documents)

    @cached_property
    def edits(self) -> tuple[Edit, ...] | None:
        """What happened to every boundary, from left to right; None if the measure aligns nothing."""
        return None if self.source is None else self.measure.align(self.source)

    @property
    def figures(self) -> dict[str, float]:
        """Further figures beside the value, such as precision and recall."""
        return dict(self.parts.figures)

    def __add__(self, other: object) -> Score:
        if isinstance(other, Score):
            return self.measure.total([self, other])
        return self if other == 0 else NotImplemented

    __radd__ = __add__

    def _key(self) -> tuple[Any, ...]:
        return (self.measure, self.value, self.parts, self.signature, self.documents)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Score) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return _restore, (type(self), values | {"params": dict(self.params)})

    def __repr__(self) -> str:
        return f"Score({self.value:.6g}, {self.measure!r}, parts={self.parts!r})"

    def precision(self) -> float:
        """Return the precision.

        Returns
        -------
        float

        Raises
        ------
        AttributeError
            If the measure has no precision.
        """
        return self._figure("precision")

    def recall(self) -> float:
        """Return the recall.

        Returns
        -------
        float

        Raises
        ------
        AttributeError
            If the measure has no recall.
        """
        return self._figure("recall")

    def f(self, *, beta: float = 1.0) -> float:
        """Return F-beta.

        Parameters
        ----------
        beta : float, default 1
            Weight of recall against precision.

        Returns
        -------
        float

        Raises
        ------
        AttributeError
            If the measure has no precision and recall.
        """
        return f_measure(self.precision(), self.recall(), beta)

    def _figure(self, name: str) -> float:
        if name not in self.parts.figures:
            raise AttributeError(f"{self.measure.name} has no {name}")
        return self.parts.figures[name]


def _restore(kind: type[Score], values: dict[str, Any]) -> Score:
    return kind(**values | {"params": MappingProxyType(values["params"])})


def ratio(part: float, whole: float, boundaries: float) -> float:
    """Return precision or recall, also if there is nothing to divide by.

    Parameters
    ----------
    part, whole : float
        Numerator and denominator.
    boundaries : float
        Number of boundaries of both sides.

    Returns
    -------
    float
        ``part / whole``; if ``whole`` is 0, 1 if neither side has boundaries and else 0.
    """
    if whole > 0:
        return part / whole
    return 0.0 if boundaries > 0 else 1.0


def f_measure(precision: float, recall: float, beta: float = 1.0) -> float:
    """Return the weighted harmonic mean of precision and recall.

    Parameters
    ----------
    precision, recall : float
        Numbers from 0 to 1.
    beta : float, default 1
        Weight of recall against precision, from 0 up.

    Returns
    -------
    float
        0 if both are 0.

    Raises
    ------
    OptionError
        If ``beta`` is negative, infinite or no number.
    """
    checked = _check_beta("beta", beta)
    weight = checked * checked
    weighted = weight * precision + recall
    return (1 + weight) * precision * recall / weighted if weighted > 0 else 0.0
