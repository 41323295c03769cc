"""What a measure returns: one number, and everything that says where it comes from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol

from caesura.errors import OptionError
from caesura.model.display import Displayed


@dataclass(frozen=True, slots=True)
class Edit:
    """What happened to one boundary, or to a pair of them.

    ``kind`` is ``match``, ``substitution``, ``transposition``, ``transposition with substitution``, ``deletion`` (on
    the first side only) or ``insertion`` (on the second side only); the side that has nothing carries ``None``. In a
    dialogue, positions are those of the ``stream``.
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
        """The leftmost position it touches."""
        return min(p for p in (self.a_position, self.b_position) if p is not None)

    @property
    def distance(self) -> int:
        """How many positions apart the two sides are."""
        return 0 if self.a_position is None or self.b_position is None else abs(self.a_position - self.b_position)


class Parts(Mapping[str, Any]):
    """The additive counts a score is made from, in a fixed order.

    Iteration, length and equality are over the counts alone, so that they can be summed. Figures that follow from the
    counts (precision, recall, f) are answered on request: ``score.parts["precision"]``.
    """

    __slots__ = ("_counts", "_derived")

    def __init__(self, counts: Mapping[str, float], derived: Mapping[str, float] | None = None) -> None:
        self._counts = dict(counts)
        self._derived = dict(derived or {})

    def __getitem__(self, name: str) -> Any:
        return self._counts[name] if name in self._counts else self._derived[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __hash__(self) -> int:
        return hash(tuple(self._counts.items()))

    def __repr__(self) -> str:
        return repr(self._counts)

    @property
    def derived(self) -> Mapping[str, float]:
        """Figures that follow from the counts."""
        return MappingProxyType(self._derived)


class MeasureProtocol(Protocol):
    """What a ``Score`` knows of the measure that made it."""

    @property
    def name(self) -> str:
        """The name in the registry."""
        ...

    @property
    def label(self) -> str:
        """A short text form, for tables."""
        ...

    def total(self, scores: list[Score]) -> Score:
        """The score of all these documents together."""
        ...

    def align(self, source: Any) -> tuple[Edit, ...] | None:
        """What happened to every boundary."""
        ...

    def signature(self, params: Mapping[str, Any], types: tuple[str, ...], documents: int) -> str:
        """Name and every resolved option in one line."""
        ...


@dataclass(frozen=True, eq=False)
class Score(Displayed):
    """The result of a measure, whatever its options.

    ``float(score)`` is ``score.value``. Scores of the same measure add up: ``a + b`` is the score of both documents
    together, from summed ``parts``, and so is ``sum(scores)``.
    """

    measure: MeasureProtocol
    """The measure with its options: a value that ``parse`` reads back from its repr."""
    value: float
    parts: Parts
    """The additive counts; see :class:`Parts`."""
    params: Mapping[str, Any]
    """Every option as it was resolved."""
    types: tuple[str, ...]
    """The boundary types it was computed over."""
    documents: int = 1
    """How many documents it covers."""
    source: Any = field(default=None, repr=False)
    """What the measure aligned, from which the edits are made when first asked for."""

    def __float__(self) -> float:
        return self.value

    @cached_property
    def signature(self) -> str:
        """One line that lets someone else reproduce the number."""
        return self.measure.signature(self.params, self.types, self.documents)

    @cached_property
    def edits(self) -> tuple[Edit, ...] | None:
        """What happened to every boundary, from left to right; None where the measure aligns nothing."""
        return None if self.source is None else self.measure.align(self.source)

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
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return _restore, (type(self), values | {"params": dict(self.params)})

    def __repr__(self) -> str:
        return f"Score({self.value:.6g}, {self.measure!r}, parts={self.parts!r})"

    def precision(self) -> float:
        """Precision, for measures that have one."""
        return self._derived("precision")

    def recall(self) -> float:
        """Recall, for measures that have one."""
        return self._derived("recall")

    def f(self, *, beta: float = 1.0) -> float:
        """F-beta, for measures that have precision and recall."""
        return f_measure(self.precision(), self.recall(), beta)

    def _derived(self, name: str) -> float:
        if name not in self.parts.derived:
            raise AttributeError(f"{self.measure.name} has no {name}")
        return self.parts.derived[name]

    @property
    def figures(self) -> dict[str, float]:
        """Further figures beside the value, such as precision and recall."""
        return dict(self.parts.derived)

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints: measure, value, parts, further figures, params, signature."""
        return {
            "measure": repr(self.measure),
            "value": self.value,
            "parts": dict(self.parts),
            "figures": self.figures,
            # JSON has no infinity; the word is what ``float`` and ``parse`` read.
            "params": {name: "inf" if value == math.inf else value for name, value in self.params.items()},
            "documents": self.documents,
            "signature": self.signature,
        }


def _restore(kind: type[Score], values: dict[str, Any]) -> Score:
    return kind(**values | {"params": MappingProxyType(values["params"])})


def ratio(part: float, whole: float, boundaries: float) -> float:
    """Precision or recall: with nothing to divide by, 1 if neither side has boundaries and 0 if one has."""
    if whole > 0:
        return part / whole
    return 0.0 if boundaries > 0 else 1.0


def f_measure(precision: float, recall: float, beta: float = 1.0) -> float:
    """The weighted harmonic mean; 0 when both are 0."""
    if not 0 <= beta < math.inf:
        raise OptionError(f"beta must be a number from 0 up; got {beta!r}")
    weighted = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / weighted if weighted > 0 else 0.0
