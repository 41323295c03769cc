"""Random texts: the distributions of each coefficient, and the simulation of their expected similarity.

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

Texts are drawn in blocks. Any engine may draw the blocks, in any order. Every block of every item has its own random
stream, which depends on the seed, the item and the number of the block. A task returns sums of products as integers, in
units of 2^-106. The computation does not use any library whose rounding depends on the processor. The estimate is
therefore identical to the last bit, regardless of the workers and the order of the blocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice
from operator import add
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.engines import Checkpoint, Engine
from caesura.measures.sums import as_float, exact_sums
from caesura.model.value import Floats, Ints
from caesura.products import product, pseudo_inverses
from caesura.progress import report_progress

# Sums of all items together, then, if there are several, of each item: products of 1, the centred control variates and the
# similarity, each two of them once (so the first is the number of draws); last the objects. In units of 2^-106.
Sums = list[tuple[int, ...]]
# Function that returns whether the estimate of a pair is precise enough.
Enough = Callable[[int, "Estimate"], bool]

# Number of consecutive draws from one random stream.
BLOCK_DRAWS = 500
_ROUND = 8  # number of blocks between checks of the precision
_TASK = 4_000_000  # number of positions per task, which take about a tenth of a second
_PER_TEXT = 20  # fixed cost of a text, expressed in positions
# Columns of a draw that are control variates. The last, the cost, is one only if its mean is known.
_VARIATES = (3, 4, 5, 6, 7, 8, 0)


class DrawnMeasure(Protocol):
    """A measure of the family ``"random_texts"``, which can score random texts and has known costs."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Values of its options; ``"normalize"`` is ``"positions"`` or ``"boundaries"``."""

    def costs(self, types: tuple[str, ...]) -> Any:
        """Return the similarity of types and the cost of moving them."""

    def finish(self, counts: Floats, types: tuple[str, ...]) -> Floats:
        """Return the similarity of each row."""

    def draw(
        self, types: tuple[str, ...], p_a: Floats, p_b: Floats, lengths: Ints, *, draws: int, state: NDArray[np.uint64]
    ) -> Floats:
        """Return the parts of random pairs of texts, and their control variates."""


@dataclass(frozen=True)
class RandomItem:
    key: str  # item and coders, which identify the random stream
    # Distributions over types and none, of either side.
    p_a: Floats
    p_b: Floats
    lengths: Ints  # units of each stream

    @property
    def positions(self) -> int:
        """N: number of positions in all streams."""
        return int(self.lengths.sum())


@dataclass(frozen=True)
class Estimate:
    """An expected value and its standard error."""

    value: float
    error: float  # its standard error; 0 if it is exact


@dataclass(frozen=True)
class ExpectedSimilarity:
    total: Estimate  # estimate for all items together
    items: tuple[Estimate, ...]
    draws: int  # number of draws; 0 if chance is exact
    sizes: Floats  # denominator of each item: its positions, or the expected number of objects


def distributions(coefficient: str, count_a: Floats, count_b: Floats) -> tuple[Floats, Floats]:
    """Return the two distributions of a coefficient."""
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
    """Return the means of the control variates: columns 3 to 8 of a draw."""
    cost = 1 - measure.costs(types).similarity
    T = len(types)  # noqa: N806
    p, q = item.p_a, item.p_b
    none_a, none_b = p[T], q[T]
    means = [
        (1 - none_a) * (1 - none_b),
        (1 - none_a) * none_b,
        none_a * (1 - none_b),
        product(product(p[:T], cost[:T, :T]), q[:T]),
        product(p[:T], cost[:T, T]) * none_b,
        product(q[:T], cost[T, :T]) * none_a,
    ]
    return item.positions * np.array(means, float)


@dataclass(frozen=True)
class PairSimulation:
    items: tuple[RandomItem, ...]  # the random texts of each item
    means: Floats  # known means of the control variates; no columns if there are no variates

    def expected(self, measure: DrawnMeasure, sums: Sums, estimates: Sequence[Estimate]) -> ExpectedSimilarity:
        item_sums = sums[1:] or sums
        draws = as_float(sums[0][0])
        if measure.settings["normalize"] == "positions":
            sizes = np.array([item.positions for item in self.items], float)
        else:
            sizes = np.array([as_float(row[-1]) for row in item_sums]) / draws
        total, *items = estimates
        return ExpectedSimilarity(total, tuple(items or estimates), int(draws), sizes)


@dataclass(frozen=True, slots=True)
class _Task:
    """A task that draws the blocks first .. last-1 of one pair of coders."""

    pair: int
    simulation: PairSimulation
    first: int
    last: int

    @property
    def key(self) -> str:
        return f"{self.pair}-{self.first}-{self.last}"

    def draws(self, max_draws: int) -> int:
        return min(self.last * BLOCK_DRAWS, max_draws) - self.first * BLOCK_DRAWS


def simulate(
    measure: DrawnMeasure,
    types: tuple[str, ...],
    simulations: Sequence[PairSimulation],
    *,
    seed: int,
    max_draws: int,
    engine: Engine,
    enough: Enough | None = None,
    checkpoint: Checkpoint | None = None,
) -> list[ExpectedSimilarity]:
    # All items are drawn together. As in the observed similarity, costs, positions and objects are summed before the ratio is
    # computed.
    draw = partial(_draw, measure, types, seed, max_draws)
    blocks = -(-max_draws // BLOCK_DRAWS)
    sums: defaultdict[int, Sums] = defaultdict(list)
    total, drawn = len(simulations) * max_draws, 0
    active = list(range(len(simulations)))
    first = 0
    while active:
        # The schedule is fixed, so that the number of draws does not depend on the workers.
        last = blocks if enough is None else min(first + _ROUND, blocks)
        tasks = chain.from_iterable(_tasks(pair, simulations[pair], first, last) for pair in active)
        for task, task_sums in _finished(engine, draw, tasks, checkpoint):
            sums[task.pair] = _add(sums[task.pair], task_sums)
            drawn += task.draws(max_draws)
            report_progress(drawn, total)
        first = last
        if enough is None or last == blocks:
            break
        estimates = _estimates([sums[pair][0] for pair in active])
        imprecise = [pair for pair, estimate in zip(active, estimates, strict=True) if not enough(pair, estimate)]
        drawn += (len(active) - len(imprecise)) * (max_draws - last * BLOCK_DRAWS)
        report_progress(drawn, total)
        active = imprecise
    all_estimates = iter(_estimates([row for pair in range(len(simulations)) for row in sums[pair]]))
    return [
        simulation.expected(measure, sums[pair], list(islice(all_estimates, len(sums[pair]))))
        for pair, simulation in enumerate(simulations)
    ]


def _tasks(pair: int, simulation: PairSimulation, first: int, last: int) -> Iterator[_Task]:
    """Yield tasks with a suitable number of blocks."""
    # The number depends only on the texts, so that a checkpoint works with any engine.
    effort = sum(item.positions + _PER_TEXT for item in simulation.items)  # of one draw, in positions
    step = max(1, _TASK // (BLOCK_DRAWS * effort))
    for start in range(first, last, step):
        yield _Task(pair, simulation, start, min(start + step, last))


def _finished(
    engine: Engine, draw: Callable[[_Task], Sums], tasks: Iterable[_Task], checkpoint: Checkpoint | None
) -> Iterator[tuple[_Task, Sums]]:
    """Yield each task with its sums: first the recorded tasks, then the others when they finish."""
    missing = []
    for task in tasks:
        sums = None if checkpoint is None else _recorded(checkpoint, task)
        if sums is None:
            missing.append(task)
        else:
            yield task, sums
    for outcome in engine.run(draw, missing):
        task, sums = missing[outcome.index], outcome.unwrap()
        if checkpoint is not None:
            checkpoint.put(task.key, sums)
        yield task, sums


def _recorded(checkpoint: Checkpoint, task: _Task) -> Sums | None:
    """Return the recorded sums of a task; None if they are missing or damaged."""
    record = checkpoint.get(task.key)
    items = len(task.simulation.items)
    k = task.simulation.means.shape[1] + 2
    shape = [k * (k + 1) // 2 + 1] * (1 + items * (items > 1))
    sound = isinstance(record, list) and all(isinstance(row, list) for row in record)
    if not sound or [len(row) for row in record] != shape or not all(type(x) is int for row in record for x in row):
        return None
    return [tuple(row) for row in record]


def _add(sums: Sums, more: Sums) -> Sums:
    return [tuple(map(add, a, b)) for a, b in zip(sums, more, strict=True)] if sums else more


def _draw(measure: DrawnMeasure, types: tuple[str, ...], seed: int, max_draws: int, task: _Task) -> Sums:
    """Return the sums of a task. Items are drawn one after the other, to limit memory."""
    simulation = task.simulation
    total = np.zeros((task.draws(max_draws), 9))
    item_sums: Sums = []
    for item, means in zip(simulation.items, simulation.means, strict=True):
        blocks = []
        for block in range(task.first, task.last):
            draws, state = min(BLOCK_DRAWS, max_draws - block * BLOCK_DRAWS), _stream(seed, item.key, block)
            blocks.append(measure.draw(types, item.p_a, item.p_b, item.lengths, draws=draws, state=state))
        rows = np.concatenate(blocks)
        if len(simulation.items) > 1:
            item_sums.append(_sums(measure, types, rows, means))
        total += rows
    return [_sums(measure, types, total, simulation.means.sum(axis=0)), *item_sums]


def _stream(seed: int, key: str, block: int) -> NDArray[np.uint64]:
    """Return the start of the random stream of a block. It does not depend on the rest of the corpus or its order."""
    spawned = np.random.SeedSequence(seed, spawn_key=(*_key_words(key), block))
    return spawned.generate_state(4, np.uint64).astype(np.uint64, copy=False)


@lru_cache(10_000)
def _key_words(key: str) -> tuple[int, ...]:
    import hashlib  # slow to import

    hashed = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16)
    return tuple(np.frombuffer(hashed.digest(), "<u4").tolist())


def _sums(measure: DrawnMeasure, types: tuple[str, ...], rows: Floats, means: Floats) -> tuple[int, ...]:
    """Return one entry of ``Sums``. Each product is computed separately and added as an integer."""
    k = len(means)
    columns = np.empty((k + 2, len(rows)))
    columns[0] = 1
    np.subtract(rows[:, _VARIATES[:k]].T, means[:, None], out=columns[1:-1])
    columns[-1] = measure.finish(rows[:, :3], types)
    first, second = np.triu_indices(k + 2)
    products = np.empty((len(first) + 1, len(rows)))
    np.multiply(columns[first], columns[second], out=products[:-1])
    products[-1] = rows[:, 2]
    return exact_sums(products.T)


def _estimates(sums: Sequence[Sequence[int]]) -> list[Estimate]:
    """Return the intercepts of the regressions on the centred variates, and their standard errors."""
    # Without variates, these are the mean and the standard deviation divided by the root of the number of draws.
    k = int((8 * (len(sums[0]) - 1) + 1) ** 0.5 - 1) // 2
    first, second = np.triu_indices(k)
    products = np.empty((len(sums), k, k))
    products[:, first, second] = products[:, second, first] = [[as_float(x) for x in row[:-1]] for row in sums]
    normal, right, square = products[:, :-1, :-1], products[:, :-1, -1], products[:, -1, -1]
    # Variates may be constant or linearly dependent; scale them and ignore such directions.
    size = np.sqrt(np.maximum(np.diagonal(normal, axis1=1, axis2=2), 1e-300))
    sizes = size[:, :, None] * size[:, None, :]
    inverse = pseudo_inverses(normal / sizes, 1e-9) / sizes
    beta, explained = np.zeros_like(right), np.zeros_like(square)
    for j in range(k - 1):  # one term after the other, as in ``product``
        beta += inverse[:, :, j] * right[:, j, None]
    for j in range(k - 1):
        explained += beta[:, j] * right[:, j]
    rest = np.maximum(square - explained, 0.0) / np.maximum(products[:, 0, 0] - (k - 1), 1)
    errors = np.sqrt(rest * inverse[:, 0, 0])
    return [Estimate(value, error) for value, error in zip(beta[:, 0].tolist(), errors.tolist(), strict=True)]


def digest(types: tuple[str, ...], simulations: Sequence[PairSimulation]) -> str:
    """Return a hash of everything the draws depend on, for a checkpoint."""
    import hashlib  # slow to import

    arrays = [
        [(item.key, item.p_a.tolist(), item.p_b.tolist(), item.lengths.tolist()) for item in simulation.items]
        for simulation in simulations
    ]
    return hashlib.blake2b(repr((types, arrays)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
