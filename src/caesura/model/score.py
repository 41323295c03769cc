"""Scores of measures: the value, the counts it is computed from, and the options that were used."""

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
    """One edit: a matched pair of boundaries, or a boundary that was changed, moved, deleted or inserted.

    Parameters
    ----------
    kind : str
        ``match``, ``substitution``, ``transposition``, ``transposition with substitution``, ``deletion`` (only the first
        side has the boundary) or ``insertion`` (only the second side has it).
    a_position, b_position : int or None
        Positions on both sides; None on the side without a boundary. In a dialogue, positions are counted in the stream.
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
        """The leftmost position of the edit."""
        return min(position for position in (self.a_position, self.b_position) if position is not None)

    @property
    def distance(self) -> int:
        """Number of positions between both sides; 0 if only one side has a boundary."""
        return 0 if self.a_position is None or self.b_position is None else abs(self.a_position - self.b_position)


class Parts(Mapping[str, Any]):
    """The additive counts from which a score is computed, in a fixed order.

    Iteration, length and equality use only the counts, so that counts can be summed. Figures derived from the counts
    (precision, recall, f) can also be looked up: ``score.parts["precision"]``.

    Parameters
    ----------
    counts : mapping of str to float
        The counts.
    figures : mapping of str to float, optional
        Figures derived from the counts.
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
        """Figures derived from the counts."""
        return MappingProxyType(self._figures)


class _Measure(Protocol):
    """Attributes and methods that ``Score`` uses of its measure."""

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
        """Return the edits that align both sides."""
        ...

    def signature(self, params: Mapping[str, Any], types: tuple[str, ...], documents: int) -> str:
        """Return the name and every resolved option in one line."""
        ...


@dataclass(frozen=True, eq=False)
class Score(Result):
    """The result of a measure.

    ``float(score)`` is ``score.value``. Scores of the same measure can be added: ``a + b`` is the score of both documents
    together, computed from the summed ``parts``. ``sum(scores)`` works in the same way.

    Parameters
    ----------
    measure : Measure
        The measure with its options; ``parse`` restores it from its ``repr``.
    value : float
        The score.
    parts : Parts
        The additive counts.
    params : mapping
        Every option with its resolved value.
    types : tuple of str
        Boundary types that the score distinguishes.
    documents : int, default 1
        Number of documents.
    source : object, optional
        Input of the alignment; edits are computed from it when needed.
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
        """One line with everything needed to reproduce the score."""
        return self.measure.signature(self.params, self.types, self.documents)

    @cached_property
    def edits(self) -> tuple[Edit, ...] | None:
        """All edits from left to right; None if the measure does not align boundaries."""
        return None if self.source is None else self.measure.align(self.source)

    @property
    def figures(self) -> dict[str, float]:
        """Additional figures such as precision and recall."""
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
            Weight of recall relative to precision.

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
    """Return precision or recall, which is also defined if the denominator is 0.

    Parameters
    ----------
    part, whole : float
        Numerator and denominator.
    boundaries : float
        Total number of boundaries on both sides.

    Returns
    -------
    float
        ``part / whole``. If ``whole`` is 0, the result is 1 if neither side has boundaries, and 0 otherwise.
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
        Weight of recall relative to precision, at least 0.

    Returns
    -------
    float
        0 if both are 0.

    Raises
    ------
    OptionError
        If ``beta`` is negative, infinite or not a number.
    """
    checked = _check_beta("beta", beta)
    weight = checked * checked
    weighted = weight * precision + recall
    return (1 + weight) * precision * recall / weighted if weighted > 0 else 0.0
