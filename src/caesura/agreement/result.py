"""The result of an agreement study: a coefficient with one table each of pairs, items and coders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from caesura.agreement.parts import GroupParts, Parts, Rows, or_none
from caesura.measures.base import Measure
from caesura.model.index import lexsort
from caesura.model.result import HIDDEN, Excluded, Reasoned, Result
from caesura.model.value import Ints, OnDemand


class _AgreementRow(Reasoned):
    """A row with a coefficient, which is undefined without boundaries or if chance agreement is 1."""

    __slots__ = ()

    value: float | None
    expected: float | None
    undefined: str | None

    @property
    def reason(self) -> str | None:
        """Why the coefficient is undefined; None if it is defined."""
        if self.value is not None or self.undefined is not None:
            return self.undefined
        if self.expected is None:
            return "no coder placed a boundary"
        return f"chance agreement is {self.expected:.6g}"


@dataclass(frozen=True, slots=True)
class PairAgreement(_AgreementRow):
    """Agreement of one pair of coders, computed without the other coders."""

    coders: tuple[str, str]
    value: float | None  # the coefficient; None if it is undefined
    observed: float
    expected: float | None  # agreement by chance; None if no coder placed a boundary
    expected_error: float  # standard error of ``expected``; 0 if it was not simulated
    items: int  # number of items that both coded
    # Why the coefficient is undefined, if that is not one of the usual reasons.
    undefined: str | None = field(default=None, metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class ItemAgreement(_AgreementRow):
    """Agreement on one item, computed without the other items."""

    item: str
    value: float | None  # the coefficient; None if it is undefined
    observed: float
    expected: float | None  # agreement by chance; None if no coder placed a boundary
    expected_error: float  # standard error of ``expected``; 0 if it was not simulated
    # Why the coefficient is undefined, if that is not one of the usual reasons.
    undefined: str | None = field(default=None, metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class CoderAgreement(_AgreementRow):
    """Agreement of one coder with all others."""

    coder: str
    value: float | None  # the coefficient over the pairs with this coder; None if it is undefined
    observed: float
    expected: float | None  # agreement by chance; None if no coder placed a boundary
    without: float | None  # the coefficient of all others, without this coder; None if it is undefined
    # ``without`` minus the coefficient of all coders; above 0 if the other coders agree better among themselves.
    gain: float | None
    items: int  # number of items that the coder annotated
    # Why the coefficient is undefined, if that is not one of the usual reasons.
    undefined: str | None = field(default=None, metadata=HIDDEN)


@dataclass(frozen=True)
class Agreement(Result):
    """A chance-corrected coefficient with its tables; ``float(agreement)`` is ``.value``.

    Attributes
    ----------
    coefficient : str
        Name of the coefficient.
    measure : Measure or None
        The measure; None for ``alpha``, which only uses positions.
    value : float
        The coefficient.
    standard_error : float
        Standard error of the coefficient due to the simulation of chance; 0 if chance was not simulated.
    observed : float
        Observed agreement.
    expected : float or None
        Agreement by chance; None for the mean over pairs, which is not corrected for chance.
    expected_error : float
        Standard error of ``expected``.
    bias : float or None
        A_e(pi) - A_e(kappa), if chance is computed from counts: a measure of how much the coders' boundary counts differ.
    method : str
        Method by which chance agreement was computed.
    draws : int
        Number of simulated pairs of texts.
    seed : int or None
        Random seed of simulation and bootstrap; None if there was neither.
    interval : tuple of float or None
        Ends of the bootstrap interval; None if there is none.
    interval_note : str
        Description of the interval, or the reason why there is none.
    pairs : sequence of PairAgreement
        One row per pair of coders.
    items : tuple of ItemAgreement
        One row per item.
    coders : tuple of CoderAgreement
        One row per coder.
    excluded : tuple of Excluded
        Items that were excluded.
    signature : str
        One line with everything needed to reproduce the number.
    """

    json_properties = ("outliers",)
    frame_field = "pairs"

    coefficient: str
    measure: Measure | None
    value: float
    standard_error: float
    observed: float
    expected: float | None
    expected_error: float
    bias: float | None
    method: str
    draws: int
    seed: int | None
    interval: tuple[float, float] | None
    interval_note: str
    pairs: Sequence[PairAgreement]
    items: tuple[ItemAgreement, ...]
    coders: tuple[CoderAgreement, ...]
    excluded: tuple[Excluded, ...]
    signature: str

    def __float__(self) -> float:
        return self.value

    @property
    def outliers(self) -> tuple[CoderAgreement, ...]:
        """Coders whose removal increases agreement, starting with the largest increase.

        The list is empty for ``bias``, because a larger bias is not better.
        """
        if self.coefficient == "bias":
            return ()
        outliers = [row for row in self.coders if row.gain is not None and row.gain > 0]
        return tuple(sorted(outliers, key=lambda row: (-(row.gain or 0), row.coder)))


def pair_rows(order: Sequence[str], parts: Parts | GroupParts, *, ordered: bool = False) -> Sequence[PairAgreement]:
    """Return the agreement of every pair, in the order of the coders in the corpus; there may be millions of pairs."""
    place = {coder: i for i, coder in enumerate(order)}
    places = np.array([place[coder] for coder in parts.coders], np.int64)
    first, second = places[parts.first], places[parts.second]
    if not ordered:
        first, second = np.minimum(first, second), np.maximum(first, second)
    rows = lexsort((second, first))
    build = partial(_pair_row, order, parts.by_pair(), parts.items_of_pairs, np.stack([first, second], axis=1), rows)
    return OnDemand(build, range(len(rows)))


def _pair_row(order: Sequence[str], results: Rows, items: Ints, coders: Ints, rows: Ints, place: int) -> PairAgreement:
    row = int(rows[place])
    first, second = coders[row].tolist()
    value, observed, expected, error = (float(column[row]) for column in results[:4])
    return PairAgreement(
        (order[first], order[second]),
        None if math.isnan(value) else value,
        observed,
        None if math.isnan(expected) else expected,
        error,
        int(items[row]),
        None if results.reasons is None else results.reasons[row],
    )


def item_rows(order: Sequence[str], parts: Parts | GroupParts) -> tuple[ItemAgreement, ...]:
    results = parts.by_item()
    columns = zip(parts.items, *results.columns(), results.reasons or [None] * len(parts.items), strict=True)
    rows = {item: ItemAgreement(item, *own) for item, *own in columns}
    return tuple(rows[item] for item in order if item in rows)


def coder_rows(
    order: Sequence[str], parts: Parts | GroupParts, value: float, *, sign: int = 1
) -> tuple[CoderAgreement, ...]:
    """Return the agreement of each coder with all others, and of all others without the coder."""
    n, results = len(parts.coders), parts.by_coder()
    without = parts.without().values if n > 2 else np.full(n, np.nan)
    others, gains = or_none(without), or_none(sign * (without - value))
    columns = *results.columns()[:3], others, gains, parts.items_of_coders.tolist(), results.reasons or [None] * n
    rows = {coder: CoderAgreement(coder, *own) for coder, *own in zip(parts.coders, *columns, strict=True)}
    return tuple(rows[coder] for coder in order if coder in rows)
