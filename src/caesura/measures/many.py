"""The one loop over documents: pack, cut into pieces, score the pieces on an engine, put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.engines import Engine, check_engine, use_engine
from caesura.errors import CaesuraError, OptionError
from caesura.measures.base import BatchCounts, Measure
from caesura.measures.batch import Batch, Comparison
from caesura.measures.partial import Partial
from caesura.measures.registry import parse
from caesura.model.score import Score

_SMALL = 50_000  # boundaries and documents below which a second thread costs more than it saves
_PIECE = 16_000  # of them in what is sent to another process: 1 MB at most, of trees, whose nodes are largest


@dataclass(frozen=True, eq=False)
class Scores:
    """What :func:`score_many` returns."""

    measure: Measure
    values: NDArray[np.float64]
    """One a pair, in order; NaN where ``errors`` says why."""
    errors: dict[int, CaesuraError]
    """Place of a pair -> why it could not be scored."""
    types: tuple[str, ...]
    counts: NDArray[np.float64] = field(repr=False)
    """A row of additive parts a pair (columns ``part_names``); zeros where there was an error."""
    resolved: dict[str, NDArray[np.generic]] = field(repr=False)
    batch: Batch = field(repr=False)
    places: NDArray[np.int64] = field(repr=False)
    """Place in ``values`` of each document of the batch."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of the columns of ``counts``."""
        return self.measure.part_names(self.types)

    @property
    def scored(self) -> NDArray[np.int64]:
        """Places of the pairs that were scored."""
        return np.array([i for i in range(len(self)) if i not in self.errors], np.int64)

    @cached_property
    def total(self) -> Score:
        """One score for all pairs that could be scored, from summed parts."""
        scored = self.scored
        if not scored.size:
            raise OptionError(
                f"none of {len(self)} pairs could be scored" if len(self) else "there are no pairs to score"
            )
        return self.over(scored)

    def over(self, places: NDArray[np.int64]) -> Score:
        """One score for these pairs, from summed parts; they must have been scored."""
        chosen = BatchCounts(self.counts[places], {name: column[places] for name, column in self.resolved.items()})
        return Partial.of(self.measure, chosen, self.types).score(self.measure)

    def __getitem__(self, place: int) -> Score:
        """The full score of one pair, edits included; raises what was wrong with it."""
        if not -len(self) <= place < len(self):
            raise IndexError(f"there are {len(self)} pairs; got {place}")
        place %= len(self)
        if place in self.errors:
            raise self.errors[place]
        document = np.searchsorted(self.places, [place])
        resolved = self.measure.resolved_at(self.resolved, place)
        return self.measure.build_score(self.counts[place], self.types, resolved, batch=self.batch.take(document))


def score_many(
    pairs: Iterable[Comparison],
    measure: str | Measure,
    *,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
) -> Scores:
    """Score many pairs of segmentations at once.

    The documents cross into compiled code together, without the GIL. ``engine``: on ``"threads"``, in ``"processes"`` or
    on a ``"dask"`` cluster, or an engine that is open already. ``workers``: how many, by default one a processor, and
    none where there is little to do; ``scheduler``: of Dask, its address or a ``distributed.Client``. The numbers are the
    same to the last bit on all of them. Pairs that cannot be scored are listed in ``.errors``, and all others are scored.

    >>> from caesura import Segmentation
    >>> a, b, c = (Segmentation.from_masses(m) for m in ([2, 3, 6], [2, 2, 7], [5, 5]))
    >>> scores = score_many([(a, b), (a, a), (a, c)], "boundary_similarity(n_t=2)")
    >>> scores.values
    array([0.75, 1.  ,  nan])
    >>> print(scores.errors[2])
    both sides must have the same units; a has 11, b has 10
    >>> scores.total
    Score(0.875, boundary_similarity(n_t=2), parts={'additions': 0, 'transpositions': 1, 'span': 1, \
'substitutions': 0, 'distance': 0, 'matches': 3})
    """
    made = parse(measure)
    check_engine(engine, workers, scheduler)
    listed = list(pairs)
    batch, places, errors = made.pack(listed)
    computed = compute(made, batch, engine, workers, scheduler)
    n, columns = len(listed), len(made.part_names(batch.types))
    if len(places) == n:
        counts, resolved = computed.counts, dict(computed.resolved)
        values = made.finish(counts, batch.types)
    else:
        counts = np.zeros((n, columns))
        counts[places] = computed.counts
        values = np.full(n, np.nan)
        values[places] = made.finish(computed.counts, batch.types)
        resolved = {}
        for name, column in computed.resolved.items():
            resolved[name] = np.zeros(n, column.dtype)
            resolved[name][places] = column
    return Scores(made, values, errors, batch.types, counts, resolved, batch, places)


def compute(
    measure: Measure, batch: Batch, engine: str | Engine = "threads", workers: int | None = None, scheduler: Any = None
) -> BatchCounts:
    """Counts for a batch, its documents spread over workers. They are counted one by one, so nothing depends on these."""
    work = batch.a_off + batch.b_off + np.arange(len(batch) + 1)
    if len(batch) < 2 or (workers is None and work[-1] - work[0] < _SMALL):
        return measure.compute(batch)
    with use_engine(engine, workers, scheduler) as opened:
        if opened.workers == 1 and not opened.remote:
            return measure.compute(batch)
        # Pieces of about equal work, a few a worker, so that one long document does not leave the others waiting.
        pieces = 4 * opened.workers
        if opened.remote:
            pieces = max(pieces, int((work[-1] - work[0]) // _PIECE))
        cuts = np.searchsorted(work, np.linspace(work[0], work[-1], pieces + 1)[1:-1])
        edges = pairwise(np.unique(np.concatenate([[0], cuts, [len(batch)]])).tolist())
        # What goes to another process is copied out of the whole, piece by piece as they are wanted.
        cut = (batch.take(np.arange(*ends)) if opened.remote else batch.slice(*ends) for ends in edges)
        done = list(opened.map(measure.compute, cut))
    counts = np.concatenate([one.counts for one in done])
    resolved = {name: np.concatenate([one.resolved[name] for one in done]) for name in done[0].resolved}
    return BatchCounts(counts, resolved)
