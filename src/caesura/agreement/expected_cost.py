"""Compute the exact expected cost of two random texts, and with it the exact chance agreement of S_f.

Two coders place boundaries at random, each from a separate distribution and independently at every position. Their texts
differ by a cost C, and 1 - E[C] / N is the similarity expected by chance. ``kernels/frontier.pyx`` explains how E[C] is
computed without sampling, and why the result is exact.

The number of states does not depend on the length of the text or on the probabilities, only on which types can occur. It
grows with the distance over which boundaries can be paired and with the number of distinct sums of costs. Round costs, such
as quarters, need few states. Arbitrary costs, such as those estimated from a confusion matrix, need very many states.
For such costs, set a ``tolerance``: very unlikely states are then dropped, and an upper bound of the error in E[C] is
reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from caesura.errors import OptionError, TooManyStates
from caesura.kernels.frontier import Frontier, increments, visits
from caesura.limits import MAX_CHANCE_CELLS
from caesura.model.index import argsort, flatnonzero, repeat, searchsorted
from caesura.model.value import Floats, Ints
from caesura.options import non_negative, whole
from caesura.products import product

_EQUAL = 1e-14  # mean changes of C per position count as equal if they differ by at most this much


@dataclass(frozen=True, slots=True)
class Expectation:
    """E[C], with its error bound."""

    cost: float  # the expected cost
    # Upper bound on the amount by which ``cost`` is too large; 0 without a tolerance. ``cost`` is never too small.
    error: float
    states: int  # number of states of the Markov chain


def expectation(
    P_a: ArrayLike,  # noqa: N803 - P, S and c are the paper's
    P_b: ArrayLike,  # noqa: N803
    lengths: Sequence[int],
    S: ArrayLike,  # noqa: N803
    c: ArrayLike,
    *,
    tolerance: float = 0.0,
    max_states: int = 1_000_000,
) -> Expectation:
    """Compute the mean of the minimum cost C of converting one random text into the other."""
    # Costs that are all multiples of some 1 / q with q <= 10,000 are represented exactly; other costs are rounded to 1e-12.
    p_a, p_b, matrix, moves = _checked(P_a, P_b, S, c)
    if any(n < 0 for n in lengths):
        raise OptionError(f"lengths must be 0 or more; got {min(lengths)}")
    tolerance = non_negative()("tolerance", tolerance)
    max_states = whole(1, 2**30 - 1)("max_states", max_states)
    longest = max(lengths, default=0)
    if longest == 0:
        return Expectation(0.0, 0.0, 1)
    chain = _Chain(p_a, p_b, matrix, moves, longest)
    chain.expand(tolerance, max_states)
    cost = chain.total(chain.change, lengths)
    error = chain.total(chain.truncation_bound, lengths) if chain.open.any() else 0.0
    return Expectation(cost, error, len(chain.frontier))


class _Chain:
    """The frontier as a Markov chain with probabilities."""

    def __init__(self, p_a: Floats, p_b: Floats, matrix: Floats, moves: Floats, longest: int) -> None:
        T = len(moves)  # noqa: N806
        # A pair whose move costs 2 or more never pays off, so larger costs need not be distinguished.
        step = np.minimum((moves[:, None] + moves[None, :]) / 2, 2.0)
        self.scale = _scale(np.concatenate([(1 - matrix).ravel(), step.ravel()]))
        cost, move = (np.rint(x * self.scale).astype(np.int64) for x in (1 - matrix, step))
        change, alone = cost[:T, :T], np.stack([cost[:T, T], cost[T, :T]])
        gain = alone[0][:, None] + alone[1][None, :] - change
        kinds = [flatnonzero(p[:T] > 0) for p in (p_a, p_b)]
        mirror = bool(np.array_equal(p_a, p_b) and np.array_equal(cost, cost.T))
        self.frontier = Frontier(
            gain, move, alone, repeat([0, 1], [len(k) for k in kinds]), np.concatenate(kinds), longest, mirror
        )
        self.probability = np.concatenate(
            [[p_a[T] * p_b[T]], p_a[kinds[0]] * p_b[T], p_b[kinds[1]] * p_a[T]], dtype=np.float64
        )
        self.shared = float(p_a[:T].sum() * p_b[:T].sum())
        self.shared_cost = product(product(p_a[:T], change), p_b[:T]) / self.scale
        self.longest = longest
        self.open = np.ones(1, bool)  # states that can be reached and have not been expanded

    def expand(self, tolerance: float, max_states: int) -> None:
        """Expand all reachable states, or with a tolerance only the likely ones."""
        max_states = min(max_states, MAX_CHANCE_CELLS // len(self.probability))  # each state has a successor per type
        position = 0
        unexpanded = np.zeros(1, np.int64)
        while len(unexpanded):
            self.frontier.expand(unexpanded, max_states)
            if not self.frontier.fits:
                raise TooManyStates(
                    "boundaries can be paired over too large distances for exact chance (c is small); use chance='simulate'"
                )
            if len(self.frontier) > max_states:
                raise TooManyStates(
                    f"exact chance needs more than {max_states:,} states here; increase max_states, set a tolerance, "
                    "or use chance='simulate'"
                )
            self.open[unexpanded] = False
            self.open = np.append(self.open, np.ones(len(self.frontier) - len(self.open), bool))
            position += 1
            if tolerance > 0:
                unexpanded = self._worst(tolerance)
            elif position < self.longest:
                unexpanded = flatnonzero(self.open)
            else:
                self.open[:] = False  # the remaining states occur only at the end of the longest stream, or not at all
                break

    def _worst(self, tolerance: float) -> Ints:
        """Return the states whose expansion brings the error well below ``tolerance``; none if it is already below."""
        for precision in (tolerance / 100, _EQUAL):  # a rough pass, then a precise one to confirm
            visit_counts = visits(self.frontier.successor, self.probability, self.shared, self.longest, precision)
            error = visit_counts * self.truncation_bound / self.longest
            if error.sum() > tolerance:
                break
        else:
            return np.empty(0, np.int64)
        order = argsort(-error)
        enough = int(searchsorted(np.cumsum(error[order]), error.sum() - tolerance / 2)) + 1
        return np.sort(order[:enough][error[order[:enough]] > 0])

    @property
    def change(self) -> Floats:
        mean: Floats = product(self.frontier.cost, self.probability) / self.scale + self.shared_cost
        return mean

    @property
    def truncation_bound(self) -> Floats:
        """Upper bound of the error from treating a state as if no boundary were pending."""
        return np.where(self.open, self.frontier.potential, 0.0) / self.scale

    def total(self, reward: Floats, lengths: Sequence[int]) -> float:
        steps = increments(self.frontier.successor, reward, self.probability, self.shared, self.longest, _EQUAL)
        sums = np.append(0.0, np.cumsum(steps))
        return float(sum(sums[min(n, len(steps))] + max(0, n - len(steps)) * steps[-1] for n in lengths))


def _scale(costs: Floats) -> int:
    """Return the least q <= 10,000 for which all costs are multiples of 1 / q to 12 digits; else 10^12."""
    q = np.arange(1, 10_001)
    divides = np.ones(len(q), bool)
    for cost in np.unique(costs):
        divides &= np.abs(np.rint(cost * q) / q - cost) <= 5e-13
    return int(q[divides.argmax()]) if divides.any() else 10**12


def _checked(P_a: ArrayLike, P_b: ArrayLike, S: ArrayLike, c: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:  # noqa: N803
    matrix, moves = np.asarray(S, np.float64), np.asarray(c, np.float64)
    T = len(moves) if moves.ndim == 1 else -1  # noqa: N806
    if matrix.shape != (T + 1, T + 1):
        raise OptionError(
            f"S must be square, with one row more than c has entries; got {matrix.shape} and {moves.shape}"
        )
    if not ((matrix >= 0) & (matrix <= 1)).all():
        raise OptionError("S must have entries from 0 to 1")
    if not ((moves >= 0) & np.isfinite(moves)).all():
        raise OptionError("c must be 0 or more, and finite")
    probabilities = []
    for name, values in (("P_a", P_a), ("P_b", P_b)):
        p = np.asarray(values, np.float64)
        if p.shape != (T + 1,) or not (p >= 0).all() or not abs(p.sum() - 1) <= 1e-9:
            raise OptionError(f"{name} must be {T + 1} probabilities that add up to 1; got {p.tolist()}")
        probabilities.append(p / p.sum())
    return probabilities[0], probabilities[1], matrix, moves
