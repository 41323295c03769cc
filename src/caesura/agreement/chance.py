"""Chance agreement for flexible similarity: texts drawn position by position (Lai & Li 2023, section 3.3).

Each coder's whole annotation of an item gives a distribution over the boundary types and "no boundary", streams pooled.
Chance is the expected similarity of two texts with the streams and lengths of the item, drawn from these distributions,
every position by itself and the last one included. (The R package draws from the last participant's distribution only.)

    kappa        each coder's own distribution (Cohen)
    pi           both coders pooled (Scott)
    s            uniform over the declared types and none (Bennett)
    s_modified   P(none) pooled from both, the declared types uniform

**Simulated** (``simulated.py``): draws are scored by the kernel; counts and summed costs of shared, a-only and b-only
positions have known means, and regressing on them (control variates) takes out most of the variance. **Exact**, for S_f
with the exact alignment: the expected cost is that of a Markov chain (``kernels/frontier.pyx``); for S_f^B, a ratio, it
serves as one more control variate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.exact import expected_cost
from caesura.errors import TooManyStates
from caesura.measures.flexible import FlexibleSimilarity

__all__ = ["COEFFICIENTS", "Chance", "Draft", "Estimate", "distributions", "exact_costs", "known_means"]

Floats = NDArray[np.float64]

COEFFICIENTS = ("kappa", "pi", "s", "s_modified")


@dataclass(frozen=True)
class Draft:
    """One item of one pair of coders, ready to be drawn: distributions over types and none, stream lengths."""

    key: str
    p_a: Floats
    p_b: Floats
    lengths: NDArray[np.int64]

    @property
    def positions(self) -> int:
        """N."""
        return int(self.lengths.sum())


@dataclass(frozen=True)
class Estimate:
    """An expected value and its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Chance:
    """Expected similarity of one pair: all items together, and each."""

    total: Estimate
    items: tuple[Estimate, ...]
    draws: int
    sizes: Floats
    """What the cost of each item is divided by: its positions, or the objects expected."""


def distributions(coefficient: str, count_a: Floats, count_b: Floats) -> tuple[Floats, Floats]:
    """The two distributions of a coefficient, from counts of the types and (last) of empty positions."""
    T = len(count_a) - 1  # noqa: N806 - the paper's symbol
    if coefficient == "kappa":
        return count_a / count_a.sum(), count_b / count_b.sum()
    both = (count_a + count_b) / (count_a + count_b).sum()
    if coefficient == "s":
        both = np.full(T + 1, 1 / (T + 1))
    elif coefficient == "s_modified" and T:
        both = np.append(np.full(T, (1 - both[T]) / T), both[T])
    return both, both


def known_means(measure: FlexibleSimilarity, types: tuple[str, ...], draft: Draft) -> Floats:
    """Expected shared, a-only and b-only positions, and their expected summed costs: columns 3 to 8 of a draw."""
    cost = 1 - measure.costs(types).similarity
    T = len(types)  # noqa: N806
    p, q = draft.p_a, draft.p_b
    none_a, none_b = p[T], q[T]
    each = [
        (1 - none_a) * (1 - none_b),
        (1 - none_a) * none_b,
        none_a * (1 - none_b),
        p[:T] @ cost[:T, :T] @ q[:T],
        p[:T] @ cost[:T, T] * none_b,
        q[:T] @ cost[T, :T] * none_a,
    ]
    return draft.positions * np.array(each, float)


def exact_costs(
    measure: FlexibleSimilarity, types: tuple[str, ...], drafts: Sequence[Draft], max_states: int
) -> list[float] | None:
    """The expected cost of each item, or None if the chain behind it would need more than ``max_states`` states."""
    costs = measure.costs(types)
    try:
        return [
            expected_cost(
                one.p_a, one.p_b, one.lengths.tolist(), costs.similarity, costs.transposition, max_states=max_states
            )
            for one in drafts
        ]
    except TooManyStates:
        return None
