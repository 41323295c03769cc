"""Distributions of random texts for each coefficient, and quantities that are known without drawing texts.

Each coder's annotation of an item, with all streams pooled, gives a distribution over the boundary types and "no
boundary". Chance is the expected similarity of two texts with the same streams and lengths as the item. Every position,
including the last, is drawn independently from these distributions. (The R package uses only the last participant's
distribution.)

============== ==============================================================
coefficient    distributions
============== ==============================================================
``kappa``      each coder's own (Cohen)
``pi``         both coders pooled (Scott)
``s``          uniform over the declared types and none (Bennett)
``s_modified`` P(none) pooled from both, the declared types uniform
============== ==============================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.expected_cost import expected_cost
from caesura.errors import TooManyStates

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class DrawnMeasure(Protocol):
    """A measure of the family ``"random_texts"``, which can score random texts and has known costs."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Values of its options; ``"normalize"`` is ``"positions"`` or ``"boundaries"``."""

    def costs(self, types: tuple[str, ...]) -> Any:
        """Return the similarity of types and the cost of moving them.

        Parameters
        ----------
        types : tuple of str
            The boundary types.

        Returns
        -------
        object
            An object with the arrays ``similarity`` and ``transposition``.
        """

    def finish(self, counts: Floats, types: tuple[str, ...]) -> Floats:
        """Return the similarity of each row.

        Parameters
        ----------
        counts : numpy.ndarray
            Rows of cost, positions and objects.
        types : tuple of str
            The boundary types.

        Returns
        -------
        numpy.ndarray
            One similarity per row.
        """

    def draw(
        self, types: tuple[str, ...], p_a: Floats, p_b: Floats, lengths: Ints, *, draws: int, state: NDArray[np.uint64]
    ) -> Floats:
        """Return the parts of random pairs of texts, and their control variates.

        Parameters
        ----------
        types : tuple of str
            The boundary types.
        p_a, p_b : numpy.ndarray
            Distributions over types and none.
        lengths : numpy.ndarray
            Units of each stream.
        draws : int
            Number of pairs of texts.
        state : numpy.ndarray
            Start of the random stream.

        Returns
        -------
        numpy.ndarray
            One row per draw: cost, positions, objects, and six control variates.
        """


@dataclass(frozen=True)
class RandomItem:
    """The random texts of one item, for one pair of coders.

    Attributes
    ----------
    key : str
        Item and coders, which identify the random stream.
    p_a, p_b : numpy.ndarray
        Distributions over types and none, of either side.
    lengths : numpy.ndarray
        Units of each stream.
    """

    key: str
    p_a: Floats
    p_b: Floats
    lengths: Ints

    @property
    def positions(self) -> int:
        """N: number of positions in all streams."""
        return int(self.lengths.sum())


@dataclass(frozen=True)
class Estimate:
    """An expected value and its standard error.

    Attributes
    ----------
    value : float
        The expected value.
    error : float
        Its standard error; 0 if it is exact.
    """

    value: float
    error: float


@dataclass(frozen=True)
class ExpectedSimilarity:
    """Expected similarity of one pair of coders.

    Attributes
    ----------
    total : Estimate
        Estimate for all items together.
    items : tuple of Estimate
        Estimate for each item.
    draws : int
        Number of draws; 0 if chance is exact.
    sizes : numpy.ndarray
        Denominator of each item: its positions, or the expected number of objects.
    """

    total: Estimate
    items: tuple[Estimate, ...]
    draws: int
    sizes: Floats


def distributions(coefficient: str, count_a: Floats, count_b: Floats) -> tuple[Floats, Floats]:
    """Return the two distributions of a coefficient.

    Parameters
    ----------
    coefficient : str
        Name of the coefficient.
    count_a, count_b : numpy.ndarray
        Number of times that each coder placed each type, and (last) no boundary.

    Returns
    -------
    tuple of numpy.ndarray
        Probabilities of the types and of no boundary, for either side.
    """
    T = len(count_a) - 1  # noqa: N806 - the paper's symbol
    if coefficient == "kappa":
        return count_a / count_a.sum(), count_b / count_b.sum()
    pooled = (count_a + count_b) / (count_a + count_b).sum()
    if coefficient == "s":
        pooled = np.full(T + 1, 1 / (T + 1))
    elif coefficient == "s_modified" and T:
        pooled = np.append(np.full(T, (1 - pooled[T]) / T), pooled[T])
    return pooled, pooled


def known_means(measure: DrawnMeasure, types: tuple[str, ...], item: RandomItem) -> Floats:
    """Return the means of the control variates: columns 3 to 8 of a draw.

    Parameters
    ----------
    measure : DrawnMeasure
        The measure.
    types : tuple of str
        The boundary types.
    item : RandomItem
        The random texts.

    Returns
    -------
    numpy.ndarray
        Expected numbers of shared, a-only and b-only positions, and their expected summed costs.
    """
    cost = 1 - measure.costs(types).similarity
    T = len(types)  # noqa: N806
    p, q = item.p_a, item.p_b
    none_a, none_b = p[T], q[T]
    means = [
        (1 - none_a) * (1 - none_b),
        (1 - none_a) * none_b,
        none_a * (1 - none_b),
        p[:T] @ cost[:T, :T] @ q[:T],
        p[:T] @ cost[:T, T] * none_b,
        q[:T] @ cost[T, :T] * none_a,
    ]
    return item.positions * np.array(means, float)


def exact_costs(
    measure: DrawnMeasure, types: tuple[str, ...], items: Sequence[RandomItem], max_states: int
) -> list[float] | None:
    """Return the exact expected cost of each item.

    Parameters
    ----------
    measure : DrawnMeasure
        The measure.
    types : tuple of str
        The boundary types.
    items : sequence of RandomItem
        The random texts.
    max_states : int
        Maximum number of states of the Markov chain.

    Returns
    -------
    list of float or None
        One cost per item; None if the chain needs more states.
    """
    costs = measure.costs(types)
    try:
        return [
            expected_cost(
                item.p_a, item.p_b, item.lengths.tolist(), costs.similarity, costs.transposition, max_states=max_states
            )
            for item in items
        ]
    except TooManyStates:
        return None
