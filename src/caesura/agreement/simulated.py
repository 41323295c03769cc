"""Chance agreement by drawing: blocks of random texts whose sums add up in any order, so that any engine may draw them.

Every block of every item has a random stream of its own, which follows from the seed, the item and the number of the block.
What a task gives back are sums of products, in whole multiples of 2^-106 and formed without a library whose rounding is up to
the processor. So the estimate is the same to the last bit whoever draws which block, in whatever order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.chance import Chance, Draft, Estimate, known_means
from caesura.engines import Checkpoint, Engine
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.sums import as_float, exact_sums

__all__ = ["BLOCK", "Lot", "Progress", "digest", "simulate"]

Floats = NDArray[np.float64]
Sums = list[tuple[int, ...]]
"""Of all items together, then, where there are several, of each: products of one, the centred control variates and the
similarity, each two of them once (so the first is the number of draws); last the objects. In units of 2^-106."""

BLOCK = 500
"""Draws that follow one another in one random stream."""
_ROUND = 8  # blocks after which it is asked whether they are enough
_TASK = 4_000_000  # positions that a task draws: about a tenth of a second
_PER_TEXT = 20  # what a text costs besides its positions, in positions
_VARIATES = (3, 4, 5, 6, 7, 8, 0)
"""Columns of a draw that are control variates; the last, the cost, where its mean is known."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Lot:
    """What is drawn for one pair of coders: a draft an item, and the known means of the control variates."""

    drafts: tuple[Draft, ...]
    means: Floats
    """A row an item, a column a variate; no columns where there are no variates."""
    whole: Floats
    """Of all items together."""

    @classmethod
    def of(
        cls,
        measure: FlexibleSimilarity,
        types: tuple[str, ...],
        drafts: tuple[Draft, ...],
        *,
        costs: Sequence[float] | None = None,
        variates: bool = True,
    ) -> Lot:
        """``costs``, where known, are the expected costs of the items: one more control variate."""
        means = np.array([known_means(measure, types, draft) for draft in drafts])
        if costs is not None:
            means = np.column_stack([means, costs])
        if not variates:
            means = means[:, :0]
        return cls(drafts, means, means.sum(axis=0))

    @property
    def effort(self) -> int:
        """Of one draw of all items, in positions."""
        return sum(draft.positions + _PER_TEXT for draft in self.drafts)

    def chance(self, measure: FlexibleSimilarity, sums: Sums) -> Chance:
        """What all draws say."""
        each = sums[1:] or sums
        draws = as_float(sums[0][0])
        if measure["normalize"] == "positions":
            sizes = np.array([draft.positions for draft in self.drafts], float)
        else:
            sizes = np.array([as_float(row[-1]) for row in each]) / draws
        return Chance(_estimate(sums[0]), tuple(map(_estimate, each)), int(draws), sizes)


@dataclass(frozen=True, slots=True)
class _Task:
    """Blocks first .. last-1 of one pair of coders."""

    pair: int
    lot: Lot
    first: int
    last: int

    @property
    def key(self) -> str:
        """Its name in a checkpoint."""
        return f"{self.pair}-{self.first}-{self.last}"

    def draws(self, most: int) -> int:
        return min(self.last * BLOCK, most) - self.first * BLOCK


def simulate(
    measure: FlexibleSimilarity,
    types: tuple[str, ...],
    lots: Sequence[Lot],
    *,
    seed: int,
    most: int,
    engine: Engine,
    enough: Callable[[int, Estimate], bool] | None = None,
    checkpoint: Checkpoint | None = None,
    progress: Progress | None = None,
) -> list[Chance]:
    """Expected similarity of each pair of coders, from ``most`` draws, or fewer if ``enough`` says so of a pair.

    All items are drawn together; costs, positions and objects are summed before the ratio is taken, as in the observed
    similarity. Without ``enough`` no task waits for another.
    """
    draw = partial(_draw, measure, types, seed, most)
    blocks = -(-most // BLOCK)
    sums: list[Sums] = [[] for _ in lots]
    going = list(range(len(lots)))
    made = first = 0
    while going:
        # A fixed schedule, so that the moment at which it is enough does not depend on the workers.
        last = blocks if enough is None else min(first + _ROUND, blocks)
        tasks = (task for pair in going for task in _tasks(pair, lots[pair], first, last))
        for task, found in _finished(engine, draw, tasks, checkpoint):
            sums[task.pair] = _added(sums[task.pair], found)
            made += task.draws(most)
            if progress is not None:
                progress(made, len(lots) * most)
        first = last
        left = [pair for pair in going if last < blocks and enough and not enough(pair, _estimate(sums[pair][0]))]
        if progress is not None and last < blocks and len(left) < len(going):  # of these no more will be drawn
            made += (len(going) - len(left)) * (most - last * BLOCK)
            progress(made, len(lots) * most)
        going = left
    return [lot.chance(measure, one) for lot, one in zip(lots, sums, strict=True)]


def _tasks(pair: int, lot: Lot, first: int, last: int) -> Iterator[_Task]:
    """As many blocks a task as are worth sending; that depends on the texts alone, so that a checkpoint fits any engine."""
    step = max(1, _TASK // (BLOCK * lot.effort))
    for start in range(first, last, step):
        yield _Task(pair, lot, start, min(start + step, last))


def _finished(
    engine: Engine, draw: Callable[[_Task], Sums], tasks: Iterable[_Task], checkpoint: Checkpoint | None
) -> Iterator[tuple[_Task, Sums]]:
    """Each task with its sums: first those that are recorded, then others as they are done."""
    missing = []
    for task in tasks:
        found = None if checkpoint is None else _recorded(checkpoint, task)
        if found is None:
            missing.append(task)
        else:
            yield task, found
    for done in engine.run(draw, missing):
        task, found = missing[done.index], done.unwrap()
        if checkpoint is not None:
            checkpoint.put(task.key, found)
        yield task, found


def _recorded(checkpoint: Checkpoint, task: _Task) -> Sums | None:
    """What was recorded; None where that is nothing, or damaged."""
    found = checkpoint.get(task.key)
    items = len(task.lot.drafts)
    k = len(task.lot.whole) + 2
    shape = [k * (k + 1) // 2 + 1] * (1 + items * (items > 1))
    sound = isinstance(found, list) and all(isinstance(row, list) for row in found)
    if not sound or [len(row) for row in found] != shape or not all(type(x) is int for row in found for x in row):
        return None
    return [tuple(row) for row in found]


def _added(one: Sums, other: Sums) -> Sums:
    return [tuple(map(add, a, b)) for a, b in zip(one, other, strict=True)] if one else other


def _draw(measure: FlexibleSimilarity, types: tuple[str, ...], seed: int, most: int, task: _Task) -> Sums:
    """The sums of a task. Item by item, so that what is kept does not grow with the items' draws."""
    lot = task.lot
    together: Floats | None = None
    each: Sums = []
    for draft, means in zip(lot.drafts, lot.means, strict=True):
        drawn = np.concatenate(
            [
                measure.draw(
                    types,
                    draft.p_a,
                    draft.p_b,
                    draft.lengths,
                    draws=min(BLOCK, most - block * BLOCK),
                    state=_stream(seed, draft.key, block),
                )
                for block in range(task.first, task.last)
            ]
        )
        if len(lot.drafts) > 1:
            each.append(_sums(measure, types, drawn, means))
        together = drawn if together is None else together + drawn
    assert together is not None
    return [_sums(measure, types, together, lot.whole), *each]


def _stream(seed: int, key: str, block: int) -> NDArray[np.uint64]:
    """Where the random stream of a block begins, whatever else is in the corpus, and in which order."""
    spawned = np.random.SeedSequence(seed, spawn_key=(*_words(key), block))
    return spawned.generate_state(4, np.uint64).astype(np.uint64, copy=False)


@lru_cache(10_000)
def _words(key: str) -> tuple[int, ...]:
    import hashlib  # slow to import

    hashed = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16)
    return tuple(np.frombuffer(hashed.digest(), "<u4").tolist())


def _sums(measure: FlexibleSimilarity, types: tuple[str, ...], drawn: Floats, means: Floats) -> tuple[int, ...]:
    """See ``Sums``. Products are formed one by one and added as integers."""
    k = len(means)
    columns = np.empty((k + 2, len(drawn)))
    columns[0] = 1
    np.subtract(drawn[:, _VARIATES[:k]].T, means[:, None], out=columns[1:-1])
    columns[-1] = measure.finish(drawn[:, :3], types)
    one, other = _pairs(k + 2)
    out = np.empty((len(one) + 1, len(drawn)))
    np.multiply(columns[one], columns[other], out=out[:-1])
    out[-1] = drawn[:, 2]
    return exact_sums(out.T)


@lru_cache
def _pairs(k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.triu_indices(k)


def _estimate(sums: Sequence[int]) -> Estimate:
    """The intercept of the regression on the centred variates, and its standard error.

    Without variates that is the mean, and the standard deviation over the root of the number of draws.
    """
    k = int((8 * (len(sums) - 1) + 1) ** 0.5 - 1) // 2
    one, other = _pairs(k)
    products = np.empty((k, k))
    products[one, other] = products[other, one] = [as_float(x) for x in sums[:-1]]
    normal, right, square = products[:-1, :-1], products[:-1, -1], products[-1, -1]
    # Variates may be constant or depend on each other; scale them, and leave such directions out.
    size = np.sqrt(np.maximum(np.diag(normal), 1e-300))
    inverse = np.linalg.pinv(normal / np.outer(size, size), rcond=1e-9, hermitian=True) / np.outer(size, size)
    beta = inverse @ right
    rest = max(float(square - beta @ right), 0.0) / max(products[0, 0] - len(beta), 1)
    return Estimate(float(beta[0]), float(np.sqrt(rest * inverse[0, 0])))


def digest(types: tuple[str, ...], lots: Sequence[Lot]) -> str:
    """What the draws depend on, for a checkpoint: types, items and coders, distributions and lengths."""
    import hashlib  # slow to import

    hashed = hashlib.blake2b(repr(types).encode(), digest_size=16)
    for lot in lots:
        for draft in lot.drafts:
            parts: list[Any] = [draft.key.encode("utf-8", "surrogatepass"), draft.p_a, draft.p_b, draft.lengths]
            for part in parts:
                data = bytes(part)
                hashed.update(len(data).to_bytes(8, "little"))
                hashed.update(data)
        hashed.update(b"\0" * 8)
    return hashed.hexdigest()
