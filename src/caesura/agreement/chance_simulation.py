"""Simulate chance agreement in blocks of random texts; any engine may draw the blocks, in any order.

Every block of every item has its own random stream, which depends on the seed, the item and the number of the block. A
task returns sums of products as integers, in units of 2^-106. The computation does not use any library whose rounding
depends on the processor. The estimate is therefore identical to the last bit, regardless of the workers and the order of
the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.random_items import DrawnMeasure, Estimate, ExpectedSimilarity, Floats, RandomItem, known_means
from caesura.engines import Checkpoint, Engine
from caesura.measures.sums import as_float, exact_sums
from caesura.progress import report_progress

Sums = list[tuple[int, ...]]
"""Sums of all items together, then, if there are several, of each item: products of 1, the centred control variates and the
similarity, each two of them once (so the first is the number of draws); last the objects. In units of 2^-106."""
Enough = Callable[[int, Estimate], bool]
"""Function that returns whether the estimate of a pair is precise enough."""

BLOCK_DRAWS = 500
"""Number of consecutive draws from one random stream."""
_ROUND = 8  # number of blocks between checks of the precision
_TASK = 4_000_000  # number of positions per task, which take about a tenth of a second
_PER_TEXT = 20  # fixed cost of a text, expressed in positions
_VARIATES = (
    3,
    4,
    5,
    6,
    7,
    8,
    0,
)  # columns of a draw that are control variates; the last, the cost, if its mean is known


@dataclass(frozen=True)
class PairSimulation:
    """The simulation of one pair of coders.

    Attributes
    ----------
    items : tuple of RandomItem
        The random texts of each item.
    means : numpy.ndarray, items x variates
        Known means of the control variates; no columns if there are no variates.
    total_means : numpy.ndarray
        Means of the control variates for all items together.
    """

    items: tuple[RandomItem, ...]
    means: Floats
    total_means: Floats

    @classmethod
    def of(
        cls,
        measure: DrawnMeasure,
        types: tuple[str, ...],
        items: tuple[RandomItem, ...],
        *,
        costs: Sequence[float] | None = None,
        variates: bool = True,
    ) -> PairSimulation:
        """Return the simulation of these random texts.

        Parameters
        ----------
        measure : DrawnMeasure
            The measure.
        types : tuple of str
            The boundary types.
        items : tuple of RandomItem
            The random texts of each item.
        costs : sequence of float, optional
            Expected costs of the items, if known; they become an additional control variate.
        variates : bool, default True
            Whether to use control variates.

        Returns
        -------
        PairSimulation
            The simulation.
        """
        means = np.array([known_means(measure, types, item) for item in items])
        if costs is not None:
            means = np.column_stack([means, costs])
        if not variates:
            means = means[:, :0]
        return cls(items, means, means.sum(axis=0))

    @property
    def effort(self) -> int:
        """Cost of one draw of all items, in positions."""
        return sum(item.positions + _PER_TEXT for item in self.items)

    def expected(self, measure: DrawnMeasure, sums: Sums) -> ExpectedSimilarity:
        """Compute the expected similarity from the sums.

        Parameters
        ----------
        measure : DrawnMeasure
            The measure.
        sums : list of tuple of int
            The sums of all draws.

        Returns
        -------
        ExpectedSimilarity
            Estimates for all items together and for each item.
        """
        item_sums = sums[1:] or sums
        draws = as_float(sums[0][0])
        if measure.settings["normalize"] == "positions":
            sizes = np.array([item.positions for item in self.items], float)
        else:
            sizes = np.array([as_float(row[-1]) for row in item_sums]) / draws
        return ExpectedSimilarity(_estimate(sums[0]), tuple(map(_estimate, item_sums)), int(draws), sizes)


@dataclass(frozen=True, slots=True)
class _Task:
    """A task that draws the blocks first .. last-1 of one pair of coders."""

    pair: int
    simulation: PairSimulation
    first: int
    last: int

    @property
    def key(self) -> str:
        """Name of the task in a checkpoint."""
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
    """Compute the expected similarity of each pair of coders by simulation.

    Parameters
    ----------
    measure : DrawnMeasure
        The measure.
    types : tuple of str
        The boundary types.
    simulations : sequence of PairSimulation
        One simulation per pair of coders.
    seed : int
        Random seed.
    max_draws : int
        Maximum number of draws per pair.
    engine : Engine
        Engine that draws the texts.
    enough : callable, optional
        Stops the draws of a pair when its estimate is precise enough. Without it, no task waits for another task.
    checkpoint : Checkpoint, optional
        Record of finished tasks.

    Returns
    -------
    list of ExpectedSimilarity
        One entry per pair.

    Notes
    -----
    All items are drawn together. As in the observed similarity, costs, positions and objects are summed before the ratio is
    computed.
    """
    draw = partial(_draw, measure, types, seed, max_draws)
    blocks = -(-max_draws // BLOCK_DRAWS)
    sums: list[Sums] = [[] for _ in simulations]
    progress = _DrawProgress(len(simulations) * max_draws)
    active = list(range(len(simulations)))
    first = 0
    while active:
        # The schedule is fixed, so that the number of draws does not depend on the workers.
        last = blocks if enough is None else min(first + _ROUND, blocks)
        tasks = (task for pair in active for task in _tasks(pair, simulations[pair], first, last))
        for task, task_sums in _finished(engine, draw, tasks, checkpoint):
            sums[task.pair] = _add(sums[task.pair], task_sums)
            progress.advance(task.draws(max_draws))
        first = last
        if enough is None or last == blocks:
            break
        imprecise = [pair for pair in active if not enough(pair, _estimate(sums[pair][0]))]
        progress.advance((len(active) - len(imprecise)) * (max_draws - last * BLOCK_DRAWS))
        active = imprecise
    return [simulation.expected(measure, rows) for simulation, rows in zip(simulations, sums, strict=True)]


class _DrawProgress:
    """Reports the number of draws that are finished or no longer needed."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.draws = 0

    def advance(self, draws: int) -> None:
        if draws:
            self.draws += draws
            report_progress(self.draws, self.total)


def _tasks(pair: int, simulation: PairSimulation, first: int, last: int) -> Iterator[_Task]:
    """Yield tasks with a suitable number of blocks.

    The number depends only on the texts, so that a checkpoint works with any engine.
    """
    step = max(1, _TASK // (BLOCK_DRAWS * simulation.effort))
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
    k = len(task.simulation.total_means) + 2
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
    total: Floats | None = None
    item_sums: Sums = []
    for item, means in zip(simulation.items, simulation.means, strict=True):
        rows = np.concatenate(
            [
                measure.draw(
                    types,
                    item.p_a,
                    item.p_b,
                    item.lengths,
                    draws=min(BLOCK_DRAWS, max_draws - block * BLOCK_DRAWS),
                    state=_stream(seed, item.key, block),
                )
                for block in range(task.first, task.last)
            ]
        )
        if len(simulation.items) > 1:
            item_sums.append(_sums(measure, types, rows, means))
        total = rows if total is None else total + rows
    assert total is not None
    return [_sums(measure, types, total, simulation.total_means), *item_sums]


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
    first, second = _products(k + 2)
    products = np.empty((len(first) + 1, len(rows)))
    np.multiply(columns[first], columns[second], out=products[:-1])
    products[-1] = rows[:, 2]
    return exact_sums(products.T)


@lru_cache
def _products(k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the indices of the two factors of each product of k columns."""
    return np.triu_indices(k)


def _estimate(sums: Sequence[int]) -> Estimate:
    """Return the intercept of the regression on the centred variates, and its standard error.

    Without variates, these are the mean and the standard deviation divided by the root of the number of draws.
    """
    k = int((8 * (len(sums) - 1) + 1) ** 0.5 - 1) // 2
    first, second = _products(k)
    products = np.empty((k, k))
    products[first, second] = products[second, first] = [as_float(x) for x in sums[:-1]]
    normal, right, square = products[:-1, :-1], products[:-1, -1], products[-1, -1]
    # Variates may be constant or linearly dependent; scale them and ignore such directions.
    size = np.sqrt(np.maximum(np.diag(normal), 1e-300))
    inverse = np.linalg.pinv(normal / np.outer(size, size), rcond=1e-9, hermitian=True) / np.outer(size, size)
    beta = inverse @ right
    rest = max(float(square - beta @ right), 0.0) / max(products[0, 0] - len(beta), 1)
    return Estimate(float(beta[0]), float(np.sqrt(rest * inverse[0, 0])))


def digest(types: tuple[str, ...], simulations: Sequence[PairSimulation]) -> str:
    """Return a hash of everything the draws depend on, for a checkpoint.

    Parameters
    ----------
    types : tuple of str
        The boundary types.
    simulations : sequence of PairSimulation
        Items and coders, distributions and lengths.

    Returns
    -------
    str
        Hexadecimal digits.
    """
    import hashlib  # slow to import

    hashed = hashlib.blake2b(repr(types).encode(), digest_size=16)
    for simulation in simulations:
        for item in simulation.items:
            parts: list[Any] = [item.key.encode("utf-8", "surrogatepass"), item.p_a, item.p_b, item.lengths]
            for part in parts:
                data = bytes(part)
                hashed.update(len(data).to_bytes(8, "little"))
                hashed.update(data)
        hashed.update(b"\0" * 8)
    return hashed.hexdigest()
