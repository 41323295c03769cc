"""The exact expected cost of two random texts, which makes the chance agreement of S_f exact.

Two coders who place boundaries at random, position by position and each from a distribution of their own, differ by a
cost C, and 1 - E[C] / N is the similarity expected by chance. ``kernels/frontier.pyx`` says how E[C] is found without
drawing, and why it is exact.

The number of states does not depend on the length of the text, nor on the distributions but for the types that can
occur. It grows with the reach of pairs and with the number of different sums that costs can have. Costs that are round
numbers, such as quarters, need few. Arbitrary costs, such as those estimated from a confusion matrix, need no end of
them: there a ``tolerance`` helps, with which states that hardly ever occur are forgotten, and the most that this can
have added to E[C] is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import OptionError, TooManyStates
from caesura.kernels.frontier import Frontier, increments, visits

__all__ = ["Expectation", "expectation", "expected_cost"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CLOSE = 1e-14
"""Mean changes of C per position that differ by no more are equal."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """E[C], and how it was found."""

    cost: float
    error: float
    """By how much ``cost`` can be too large: 0 without a tolerance. It is never too small."""
    states: int


def expected_cost(
    P_a: ArrayLike,  # noqa: N803 - P, S and c are the paper's
    P_b: ArrayLike,  # noqa: N803
    lengths: Sequence[int],
    S: ArrayLike,  # noqa: N803
    c: ArrayLike,
    *,
    tolerance: float = 0.0,
    max_states: int = 1_000_000,
) -> float:
    """E[C] summed over streams; see :func:`expectation`.

    One type, as likely as none, two positions: 1 for either position, less 1.5 for a pair in 2 of 16 cases.

    >>> expected_cost([0.5, 0.5], [0.5, 0.5], [2], [[1, 0], [0, 1]], [0.5])
    0.8125
    """
    return expectation(P_a, P_b, lengths, S, c, tolerance=tolerance, max_states=max_states).cost


def expectation(
    P_a: ArrayLike,  # noqa: N803
    P_b: ArrayLike,  # noqa: N803
    lengths: Sequence[int],
    S: ArrayLike,  # noqa: N803
    c: ArrayLike,
    *,
    tolerance: float = 0.0,
    max_states: int = 1_000_000,
) -> Expectation:
    """The mean of the least cost C of turning one random text into the other, summed over streams of the given lengths.

    Texts are drawn position by position and independently: type x with probability P_a[x] and P_b[x], no boundary with
    P_a[T] and P_b[T]. Similarities S are (T+1) x (T+1), rows a and columns b, none last; c[x] is the cost of moving x
    by one position. Costs that are multiples of a common 1 / q, q <= 10,000, are taken so, others rounded to 1e-12.

    ``tolerance``: how much E[C] per position of the longest stream may be overestimated. 0 is exact, and 1e-9 is exact
    to any digit that is printed. ``TooManyStates`` where more than ``max_states``, of some 300 bytes each, are needed.

    >>> found = expectation([0.2, 0.1, 0.7], [0.1, 0.2, 0.7], [5000], np.eye(3), [0.5, 0.5])
    >>> found.states, found.error, round(1 - found.cost / 5000, 9)
    (81, 0.0, 0.622187555)
    """
    p_a, p_b, matrix, moves = _checked(P_a, P_b, S, c)
    if any(n < 0 for n in lengths):
        raise OptionError(f"lengths must be 0 or more; got {min(lengths)}")
    if not 0 <= tolerance < np.inf:
        raise OptionError(f"tolerance must be 0 or more; got {tolerance}")
    if not 1 <= max_states < 2**30:
        raise OptionError(f"max_states must be from 1 to {2**30 - 1}; got {max_states}")
    longest = max(lengths, default=0)
    if longest == 0:
        return Expectation(0.0, 0.0, 1)
    chain = _Chain(p_a, p_b, matrix, moves, longest)
    chain.find(tolerance, max_states)
    cost = chain.total(chain.change, lengths)
    error = chain.total(chain.forgotten, lengths) if chain.open.any() else 0.0
    return Expectation(cost, error, len(chain.frontier))


class _Chain:
    """The frontier as a Markov chain with probabilities."""

    def __init__(self, p_a: Floats, p_b: Floats, matrix: Floats, moves: Floats, longest: int) -> None:
        T = len(moves)  # noqa: N806
        # A move that costs 2 or more is worth no pair, however much more it costs.
        step = np.minimum((moves[:, None] + moves[None, :]) / 2, 2.0)
        self.scale = _scale(np.concatenate([(1 - matrix).ravel(), step.ravel()]))
        cost, move = (np.rint(x * self.scale).astype(np.int64) for x in (1 - matrix, step))
        change, alone = cost[:T, :T], np.stack([cost[:T, T], cost[T, :T]])
        gain = alone[0][:, None] + alone[1][None, :] - change
        kinds = [np.flatnonzero(p[:T] > 0) for p in (p_a, p_b)]
        mirror = bool(np.array_equal(p_a, p_b) and np.array_equal(cost, cost.T))
        self.frontier = Frontier(
            gain, move, alone, np.repeat([0, 1], [len(k) for k in kinds]), np.concatenate(kinds), longest, mirror
        )
        self.probability = np.concatenate(
            [[p_a[T] * p_b[T]], p_a[kinds[0]] * p_b[T], p_b[kinds[1]] * p_a[T]], dtype=np.float64
        )
        self.shared = float(p_a[:T].sum() * p_b[:T].sum())
        self.shared_cost = float(p_a[:T] @ change @ p_b[:T]) / self.scale
        self.longest = longest
        self.open = np.ones(1, bool)  # which states have not been expanded, and can be reached

    def find(self, tolerance: float, max_states: int) -> None:
        """Expand states: all, or those that matter."""
        position = 0
        which = np.zeros(1, np.int64)
        while len(which):
            self.frontier.expand(which, max_states)
            if not self.frontier.fits:
                raise TooManyStates("pairs reach too far for exact chance (c is small); draw at random")
            if len(self.frontier) > max_states:
                raise TooManyStates(
                    f"exact chance needs more than {max_states:,} states here; raise max_states, allow a tolerance, "
                    "or draw at random"
                )
            self.open[which] = False
            self.open = np.append(self.open, np.ones(len(self.frontier) - len(self.open), bool))
            position += 1
            if tolerance > 0:
                which = self._worst(tolerance)
            elif position < self.longest:
                which = np.flatnonzero(self.open)
            else:
                self.open[:] = False  # what remains is reached at the end of the longest stream, or not at all
                break

    def _worst(self, tolerance: float) -> Ints:
        """The states whose expansion brings the error well below ``tolerance``; none if it is there."""
        for close in (tolerance / 100, CLOSE):  # roughly, and again before it is believed
            often = visits(self.frontier.successor, self.probability, self.shared, self.longest, close)
            error = often * self.forgotten / self.longest
            if error.sum() > tolerance:
                break
        else:
            return np.empty(0, np.int64)
        order = np.argsort(-error)
        enough = int(np.searchsorted(np.cumsum(error[order]), error.sum() - tolerance / 2)) + 1
        return np.sort(order[:enough][error[order[:enough]] > 0])

    @property
    def change(self) -> Floats:
        """The mean change of C at the next position, from every state."""
        mean: Floats = self.frontier.cost @ self.probability / self.scale + self.shared_cost
        return mean

    @property
    def forgotten(self) -> Floats:
        """The most that is lost where a state is treated as if nothing were pending."""
        return np.where(self.open, self.frontier.potential, 0.0) / self.scale

    def total(self, reward: Floats, lengths: Sequence[int]) -> float:
        """The mean sum of a reward over positions, over all streams."""
        each = increments(self.frontier.successor, reward, self.probability, self.shared, self.longest, CLOSE)
        sums = np.append(0.0, np.cumsum(each))
        return float(sum(sums[min(n, len(each))] + max(0, n - len(each)) * each[-1] for n in lengths))


def _scale(costs: Floats) -> int:
    """The least q <= 10,000 for which all costs are multiples of 1 / q to 12 digits; else 10^12."""
    distinct = np.unique(costs)
    q = np.arange(1, 10_001)
    whole = np.ones(len(q), bool)
    for cost in distinct:
        whole &= np.abs(np.rint(cost * q) / q - cost) <= 5e-13
    return int(q[whole.argmax()]) if whole.any() else 10**12


def _checked(P_a: ArrayLike, P_b: ArrayLike, S: ArrayLike, c: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:  # noqa: N803
    matrix, moves = np.asarray(S, np.float64), np.asarray(c, np.float64)
    T = len(moves) if moves.ndim == 1 else -1  # noqa: N806
    if matrix.shape != (T + 1, T + 1):
        raise OptionError(f"S must be square with one row more than c is long; got {matrix.shape} and {moves.shape}")
    if not ((matrix >= 0) & (matrix <= 1)).all():
        raise OptionError("S must have entries from 0 to 1")
    if not ((moves >= 0) & np.isfinite(moves)).all():
        raise OptionError("c must be 0 or more, and finite")
    both = []
    for name, given in (("P_a", P_a), ("P_b", P_b)):
        p = np.asarray(given, np.float64)
        if p.shape != (T + 1,) or not (p >= 0).all() or not abs(p.sum() - 1) <= 1e-9:
            raise OptionError(f"{name} must be {T + 1} probabilities that add up to 1; got {p.tolist()}")
        both.append(p / p.sum())
    return both[0], both[1], matrix, moves
