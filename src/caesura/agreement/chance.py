"""Chance agreement for flexible similarity: texts drawn position by position (Lai & Li 2023, section 3.3).

Each coder's whole annotation of an item gives a distribution over the boundary types and "no boundary", streams pooled.
Chance is the expected similarity of two texts with the streams and lengths of the item, drawn from these distributions,
every position by itself and the last one included. (The R package draws from the last participant's distribution only.)

    kappa        each coder's own distribution (Cohen)
    pi           both coders pooled (Scott)
    s            uniform over the declared types and none (Bennett)
    s_modified   P(none) pooled from both, the declared types uniform

**Simulated**: draws are scored by the kernel; counts and summed costs of shared, a-only and b-only positions have known
means, and regressing on them (control variates) takes out most of the variance. **Exact**, for S_f with the exact
alignment: the expected cost is that of a Markov chain (``kernels/frontier.pyx``); for S_f^B, a ratio, it serves as one more
control variate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.exact import expected_cost
from caesura.errors import TooManyStates
from caesura.measures.flexible import FlexibleSimilarity

__all__ = ["COEFFICIENTS", "Chance", "Draft", "Estimate", "distributions", "exact_costs", "simulate"]

Floats = NDArray[np.float64]

COEFFICIENTS = ("kappa", "pi", "s", "s_modified")

BLOCK = 500
"""Draws that are made together. Random streams belong to draws, so the number of threads changes nothing."""

Progress = Callable[[int], None]


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
    cost = 1 - measure.prices(types).similarity
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


class _Moments:
    """Running sums of one quantity and its control variates, centred on the variates' known means."""

    def __init__(self, means: Floats) -> None:
        self.means = means
        k = len(means) + 2  # one, the variates, the quantity
        self.sums = np.zeros((k, k))

    def of(self, variates: Floats, quantity: Floats) -> Floats:
        """What these draws add to ``sums``."""
        rows = np.column_stack([np.ones(len(quantity)), variates - self.means, quantity])
        return rows.T @ rows

    def estimate(self) -> Estimate:
        """The intercept of the regression on the centred variates, and its standard error."""
        normal, right, square = self.sums[:-1, :-1], self.sums[:-1, -1], self.sums[-1, -1]
        # Variates may be constant or depend on each other; scale them, and leave such directions out.
        size = np.sqrt(np.maximum(np.diag(normal), 1e-300))
        inverse = np.linalg.pinv(normal / np.outer(size, size), rcond=1e-9, hermitian=True) / np.outer(size, size)
        beta = inverse @ right
        n = self.sums[0, 0]
        rest = max(float(square - beta @ right), 0.0) / max(n - len(beta), 1)
        return Estimate(float(beta[0]), float(np.sqrt(rest * inverse[0, 0])))


def simulate(
    measure: FlexibleSimilarity,
    types: tuple[str, ...],
    drafts: Sequence[Draft],
    *,
    seed: int,
    most: int,
    enough: Callable[[Estimate], bool],
    threads: int,
    exact_costs: Sequence[float] | None = None,
    progress: Progress | None = None,
) -> Chance:
    """Expected similarity by drawing, until ``enough`` says so or ``most`` draws are made.

    All items are drawn together; costs, positions and objects are summed before the ratio is taken, as in the observed
    similarity. ``exact_costs``, where known, are the expected costs of the items: one more control variate.
    """
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    seeds = [_seed(seed, draft.key) for draft in drafts]
    means = [known_means(measure, types, draft) for draft in drafts]
    if exact_costs is not None:
        means = [np.append(one, cost) for one, cost in zip(means, exact_costs, strict=True)]
    total = _Moments(np.sum(means, axis=0))
    apart = [_Moments(one) for one in means] if len(drafts) > 1 else []
    objects = np.zeros(len(drafts))
    made = 0
    with ThreadPoolExecutor(threads) as pool:
        while made < most:
            # A fixed schedule, so that the moment at which it is enough does not depend on the threads.
            blocks = [(first, min(BLOCK, most - first)) for first in range(made, min(made + 8 * BLOCK, most), BLOCK)]
            for drawn, items, placed in pool.map(partial(_block, measure, types, drafts, seeds, apart), blocks):
                for moments, sums in zip(apart, items, strict=True):
                    moments.sums += sums
                total.sums += total.of(*_variates(measure, types, drawn, len(total.means)))
                objects += placed
                made += len(drawn)
                if progress is not None:
                    progress(made)
            if enough(total.estimate()):
                break
    whole = total.estimate()
    positions = np.array([draft.positions for draft in drafts], float)
    sizes = positions if measure["normalize"] == "positions" else objects / made
    return Chance(whole, tuple(one.estimate() for one in apart) or (whole,), made, sizes)


def _block(
    measure: FlexibleSimilarity,
    types: tuple[str, ...],
    drafts: Sequence[Draft],
    seeds: Sequence[int],
    apart: Sequence[_Moments],
    block: tuple[int, int],
) -> tuple[Floats, list[Floats], Floats]:
    """Draws summed over items, the moments of each item, and its objects: what is kept does not grow with the items'
    draws, so that ten thousand items fit into memory."""
    first, draws = block
    total: Floats | None = None
    items: list[Floats] = []
    objects = np.zeros(len(drafts))
    for i, (one, seed) in enumerate(zip(drafts, seeds, strict=True)):
        drawn = measure.draw(types, one.p_a, one.p_b, one.lengths, draws=draws, seed=seed, first=first)
        if apart:
            items.append(apart[i].of(*_variates(measure, types, drawn, len(apart[i].means))))
        objects[i] = drawn[:, 2].sum()
        total = drawn if total is None else total + drawn
    assert total is not None
    return total, items, objects


def _variates(measure: FlexibleSimilarity, types: tuple[str, ...], drawn: Floats, number: int) -> tuple[Floats, Floats]:
    """The control variates, the cost last where there are seven of them, and the similarity."""
    variates = np.column_stack([drawn[:, 3:9], drawn[:, :1]]) if number > 6 else drawn[:, 3:9]
    return variates, measure.finish(drawn[:, :3], types)


def _seed(seed: int, key: str) -> int:
    """A seed for one item of one pair of coders that does not depend on what else is in the corpus, or in which order."""
    import hashlib  # slow to import

    words = np.frombuffer(hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest(), np.uint32)
    return int(np.random.SeedSequence(seed, spawn_key=tuple(words.tolist())).generate_state(1, np.uint64)[0])


def exact_costs(
    measure: FlexibleSimilarity, types: tuple[str, ...], drafts: Sequence[Draft], max_states: int
) -> list[float] | None:
    """The expected cost of each item, or None if the chain behind it would need more than ``max_states`` states."""
    prices = measure.prices(types)
    try:
        return [
            expected_cost(
                one.p_a, one.p_b, one.lengths.tolist(), prices.similarity, prices.transposition, max_states=max_states
            )
            for one in drafts
        ]
    except TooManyStates:
        return None
