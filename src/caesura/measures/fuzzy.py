"""The fuzzy success criterion of Yöndem & Üçoluk, which compares a program's boundaries with the marks of many coders.

Coders who mean the same boundary do not always mark the same place. Their marks form *clusters*. A boundary in a
cluster is rewarded according to the number and the distance of the marks. A boundary elsewhere, a *phantom*, is
penalized according to its distance from the clusters. The marks are not reduced to a crisp reference by a threshold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.kernels import fuzzy as kernel
from caesura.measures.base import BatchCounts, Counts, Measure, divide, option
from caesura.measures.needs import Needs
from caesura.model.batch import Batch
from caesura.model.index import flatnonzero, reduceat, repeat
from caesura.model.marks import Marks
from caesura.model.plain import entries_of
from caesura.model.result import Score
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats, Ints
from caesura.options import choice, non_negative, number, optional, whole


@dataclass(frozen=True, slots=True)
class MarkCluster:
    """A group of neighboring marks."""

    # First and last marked position.
    lower: int
    upper: int
    # First and last position where a boundary is rewarded; ``beta`` may make them narrower than the cluster.
    low: int
    up: int
    # Mean and standard deviation of the positions of the marks.
    mu: float
    sigma: float
    peak: int  # largest number of coders at a position
    positions: tuple[int, ...]  # marked positions
    marks: tuple[int, ...]  # number of coders who marked each position
    best: int  # position with the largest reward for one boundary; the first of several
    reward: float  # the reward at this position


@dataclass(frozen=True, slots=True)
class BoundaryCredit:
    """A boundary of the program with its reward or punishment."""

    position: int  # position of the boundary
    # Index of its cluster in ``score.clusters``, or ``"phantom"`` if it is in no cluster.
    cluster: int | Literal["phantom"]
    contribution: float  # contribution to the reward or, if negative, to the punishment
    success: float  # Contribution to the value. The value is the sum of all contributions.


class FuzzyScore(Score):
    """A score with its clusters. The value is the success, P - N."""

    measure: FuzzySuccess

    @property
    def p(self) -> float:
        """P, the reward for boundaries in clusters."""
        return float(self.parts["p"])

    @property
    def n(self) -> float:
        """N, the punishment for phantoms."""
        return float(self.parts["n"])

    @property
    def counts(self) -> dict[int, int] | None:
        """The number of coders who marked each marked position; None for several documents."""
        if self.source is None:
            return None
        marks = self.source.sides("weighted")[0]
        return dict(zip(marks.place.tolist(), marks.weight.astype(int).tolist(), strict=True))

    @cached_property
    def clusters(self) -> tuple[MarkCluster, ...] | None:
        """The clusters of the marks, from left to right; None for several documents."""
        return None if self.source is None else self.measure.clusters(self.source)

    @cached_property
    def boundaries(self) -> tuple[BoundaryCredit, ...] | None:
        """Reward or punishment of each boundary of the program; None for several documents."""
        return None if self.source is None else self.measure.boundaries(self.source)

    @property
    def best(self) -> float | None:
        """The largest P that one boundary per cluster can reach; None for several documents."""
        if self.clusters is None:
            return None
        return math.fsum(cluster.reward for cluster in self.clusters) / float(self.parts["weight"])

    def __json__(self) -> dict[str, Any]:
        names = ("best", "clusters", "boundaries") if self.source is not None else ()
        return entries_of(self) | {name: getattr(self, name) for name in names}


class _ClusterArrays(NamedTuple):
    """Clusters of all documents: those of document d are the rows ``off[d] .. off[d + 1] - 1``."""

    bounds: Ints  # first and last mark, low, up, peak
    moments: Floats  # mu, sigma
    off: Ints


class FuzzySuccess(Measure):
    name = "fuzzy_success"
    title = "Fuzzy success against the marks of many coders (Yöndem & Üçoluk)"
    summary = "boundaries against marks of many"
    short_name = "fuzzy success"
    accepts_marks = True
    needs = Needs(units=True, counts=True, streams=False)
    places_boundaries = False
    chain_strength: int = option(1, whole(1), "largest distance between marked positions of a cluster")
    minimal_peak: int | None = option(
        None, optional(whole(1)), "count that a cluster must reach (default: half the coders)"
    )
    min_count: int = option(1, whole(1), "minimum number of coders for a marked position")
    alpha: float = option(1, number(1, 2), "hardness: how fast the reward falls with the distance")
    beta: float = option(2, non_negative(infinite=True), "reach of a cluster in standard deviations; inf: all of it")
    p_min: float = option(0, non_negative(), "cost of a phantom beside a cluster")
    p_max: float | None = option(None, non_negative(), "cost of a phantom far from clusters (default: 1 / clusters)")
    per_cluster: str = option("sum", choice("sum", "best"), "reward all boundaries in a cluster, or the best one")
    edges: str = option("linear", choice("linear", "ignore"), "cost of phantoms outside the first and last cluster")
    sides = ("counts", "hypothesis")
    best = None  # no upper limit, because all boundaries in a cluster are rewarded
    worst = None  # no lower limit, because every phantom lowers the value
    needs_boundaries = True
    aligns = True
    score_class = FuzzyScore
    parts = ("reward", "weight", "punishment", "items")

    def validate(self) -> None:
        if self.p_max is not None and self.p_min > self.p_max:
            raise OptionError(f"p_min must not be above p_max; got {self.p_min} and {self.p_max}")

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        # There must be a cluster, minimal_peak must not exceed the number of coders, and p_min must not exceed p_max.
        coders, peak = self._coders(batch), self._minimal_peak(batch)
        clusters = np.diff(self._clusters(batch).off)
        p_max = self._p_max(clusters)
        errors: dict[int, CaesuraError] = {}
        for d in flatnonzero((peak > coders) | (clusters == 0) | (self.p_min > p_max)).tolist():
            if peak[d] > coders[d]:
                errors[d] = OptionError(f"minimal_peak must lie in 1..{coders[d]}, the number of coders; got {peak[d]}")
            elif clusters[d] == 0:
                _, counts, off = _marks(batch)
                highest = int(counts[off[d] : off[d + 1]].max(initial=0))
                limits = f"minimal_peak is {peak[d]}"
                if peak[d] <= highest:
                    limits += f" and min_count {self.min_count}"
                errors[d] = Undefined(f"there is no cluster: the highest count is {highest}, {limits}")
            else:
                errors[d] = OptionError(
                    f"p_min must not be above p_max, by default 1 / clusters = {p_max[d]:g}; got {self.p_min}; "
                    "set p_max too"
                )
        return errors

    def _coders(self, batch: Batch) -> Ints:
        return batch.table.coders[batch.first]

    def _minimal_peak(self, batch: Batch) -> Ints:
        peak = self.minimal_peak
        return (self._coders(batch) + 1) // 2 if peak is None else np.full(batch.pairs, peak, np.int64)

    def _p_max(self, clusters: Ints) -> Floats:
        p_max = self.p_max
        return 1 / np.maximum(clusters, 1) if p_max is None else np.full(len(clusters), p_max, np.float64)

    def _clusters(self, batch: Batch) -> _ClusterArrays:
        marks = _marks(batch)
        bounds, moments = np.empty((len(marks[0]), 5), np.int64), np.empty((len(marks[0]), 2))
        off = np.zeros(batch.pairs + 1, np.int64)
        peak = self._minimal_peak(batch)
        kernel.cluster(*marks, self.chain_strength, peak, self.min_count, self.beta, bounds, moments, off)
        return _ClusterArrays(bounds[: off[-1]], moments[: off[-1]], off)

    def _credit(
        self, batch: Batch, clusters: _ClusterArrays, pos: Ints, off: Ints, per_cluster: str
    ) -> tuple[Counts, Ints, Floats]:
        """Return reward and punishment per pair, and the cluster (-1: none) and credit of each boundary at ``pos``."""
        cluster_of, credit, out = np.empty(len(pos), np.int64), np.empty(len(pos)), np.empty((batch.pairs, 2))
        marks, counts, _ = _marks(batch)
        rules: list[Any] = [self.alpha, *inverse_powers(self.alpha), self.p_min, self._p_max(np.diff(clusters.off))]
        rules += [per_cluster == "best", self.edges == "linear", cluster_of, credit, out]
        kernel.award(batch.length, marks, counts, pos, off, clusters.bounds, clusters.off, *rules)
        return out, cluster_of, credit

    def count(self, batch: Batch) -> BatchCounts:
        arrays, hypothesis, coders = self._clusters(batch), batch.sides()[1], self._coders(batch)
        out, _, _ = self._credit(batch, arrays, hypothesis.place, hypothesis.off, self.per_cluster)
        clusters = np.diff(arrays.off)
        counts = np.column_stack([out[:, 0], clusters * coders, out[:, 1], np.ones(batch.pairs)])
        resolved = {"minimal_peak": self._minimal_peak(batch), "p_max": self._p_max(clusters), "coders": coders}
        return BatchCounts(counts, resolved)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        reward, weight, punishment, items = counts.T
        return divide(reward, weight) - divide(punishment, items)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return {"p": counts["reward"] / counts["weight"], "n": counts["punishment"] / counts["items"]}

    def clusters(self, batch: Batch) -> tuple[MarkCluster, ...]:
        """Return the clusters of a document."""
        arrays, (place, count, off) = self._clusters(batch), _marks(batch)
        # The reward is convex between two marks, so a mark is the best place for a boundary: compute the reward at all marks.
        _, cluster_of, credit = self._credit(batch, arrays, place, off, "best")
        winners = _best_boundaries(cluster_of, credit)
        best, reward = arrays.bounds[:, 2].copy(), np.zeros(len(arrays.bounds))
        best[cluster_of[winners]] = place[winners]
        reward[cluster_of[winners]] = credit[winners]  # a narrow reach may be between two marks and contain no mark
        rows = zip(arrays.bounds.tolist(), arrays.moments.tolist(), best.tolist(), reward.tolist(), strict=True)
        clusters = []
        for (first, last, low, up, peak), (mu, sigma), best_position, largest in rows:
            positions, marks = (tuple(column[first : last + 1].tolist()) for column in (place, count))
            ends = positions[0], positions[-1]
            clusters.append(MarkCluster(*ends, low, up, mu, sigma, peak, positions, marks, best_position, largest))
        return tuple(clusters)

    def boundaries(self, batch: Batch) -> tuple[BoundaryCredit, ...]:
        """Return the credit of each boundary of the program in a document."""
        arrays, hypothesis = self._clusters(batch), batch.sides()[1]
        _, cluster_of, credit = self._credit(batch, arrays, hypothesis.place, hypothesis.off, self.per_cluster)
        if self.per_cluster == "best":
            unrewarded = cluster_of >= 0
            unrewarded[_best_boundaries(cluster_of, credit)] = False
            credit[unrewarded] = 0
        weight = len(arrays.bounds) * int(self._coders(batch)[0])
        return tuple(
            BoundaryCredit(position, "phantom" if k < 0 else k, gain, gain if k < 0 else gain / weight)
            for position, k, gain in zip(hypothesis.place.tolist(), cluster_of.tolist(), credit.tolist(), strict=True)
        )


def _marks(batch: Batch) -> tuple[Ints, Ints, Ints]:
    """Return the marked positions of the first side, the number of coders who marked each, and the offsets."""
    marks = batch.sides("weighted")[0]
    return marks.place, marks.weight.astype(np.int64), marks.off


def _best_boundaries(cluster_of: Ints, credit: Floats) -> Ints:
    """Return the boundary with the largest credit in each cluster, the first if tied; clusters are sorted except for -1."""
    inside = flatnonzero(cluster_of >= 0)
    if not inside.size:
        return inside
    starts = flatnonzero(np.diff(cluster_of[inside], prepend=-1))
    largest = repeat(reduceat(np.maximum, credit[inside], starts), np.diff(starts, append=inside.size))
    # Sums of the same fractions in a different order may differ in their last digits.
    equals = inside[credit[inside] >= largest * (1 - 1e-12)]
    return equals[np.unique(cluster_of[equals], return_index=True)[1]]


_MAX_DISTANCE = 2.0**31  # no two positions are further apart
_TABLE_SIZE = 1024


@lru_cache(64)
def inverse_powers(alpha: float) -> tuple[Floats, Floats, Floats]:
    """Return (d + 1)^-alpha as a table for small d, and as a sum of exponentials for any d."""
    # The integral over u of exp(alpha u - x e^u) is Gamma(alpha) x^-alpha. The trapezoidal rule with this step computes it to
    # one part in 10^12. It starts where exp(-x e^u) vanishes even for x = 1, and ends where it is 1 even for the largest x. The
    # rest is a geometric series: one more term of rate 0.
    step, small = 0.27, 1e-7
    rate = np.exp(np.arange(math.log(40), math.log(small / _MAX_DISTANCE), -step))
    weight = step / math.gamma(alpha) * rate**alpha
    decay = math.exp(-step * alpha)
    rest = weight[-1] * decay / (1 - decay)
    arrays = np.arange(1, _TABLE_SIZE + 1.0) ** -alpha, np.append(rate, 0), np.append(weight * np.exp(-rate), rest)
    for array in arrays:
        array.flags.writeable = False
    return arrays


def fuzzy_success(
    counts: Marks | Segmentation | Sequence[int] | NDArray[Any],
    hypothesis: Segmentation,
    *,
    coders: int | None = None,
    chain_strength: int = 1,
    minimal_peak: int | None = None,
    alpha: float = 1,
    beta: float = 2,
    **options: Any,
) -> FuzzyScore:
    r"""Compute fuzzy success, which compares a program's boundaries with the number of coders who marked each position.

    Parameters
    ----------
    counts : Marks, Segmentation or sequence of int
        The N-1 numbers h(i) of coders who marked position i, or ``Marks``, which include the number of coders. A
        ``Segmentation`` is treated as the marks of one coder.
    hypothesis : Segmentation
        The program's boundaries.
    coders : int, optional
        Number of coders S; needed if ``counts`` are numbers.
    chain_strength : int, default 1
        Largest distance between neighboring marked positions of a cluster.
    minimal_peak : int, optional
        Count that at least one h in a cluster must reach (default: half the coders, rounded up).
    alpha : float, default 1
        Hardness, from 1 to 2: how fast the reward falls with the distance.
    beta : float, default 2
        Reach of a cluster in standard deviations; infinity for the whole cluster.
    **options : object
        ``min_count`` (1): number of coders who must mark a position. ``p_min`` (0) and ``p_max`` (1 / clusters): cost
        of a phantom beside a cluster and far from clusters. ``per_cluster`` ("sum"): reward all boundaries in a
        cluster, or only the "best". ``edges`` ("linear"): cost of phantoms before the first and after the last cluster,
        or "ignore" them.

    Returns
    -------
    FuzzyScore
        P - N. ``score.p`` and ``score.n`` are P and N, ``score.clusters`` the clusters, ``score.boundaries`` the cluster
        and contribution of each boundary of the program, ``score.best`` the largest P with one boundary per cluster.

    Raises
    ------
    OptionError
        If an option is unknown or invalid.
    Undefined
        If there is no cluster.

    Notes
    -----
    Positions that at least ``min_count`` coders marked are chained while they are at most ``chain_strength`` apart. A chain
    is a *cluster* if some h in it reaches ``minimal_peak``; all marks between its ends belong to it. Other marks are
    ignored. With mu and sigma the mean and standard deviation of the positions of a cluster's marks, boundaries are rewarded
    from low = floor(mu - beta sigma) to up = ceil(mu + beta sigma), within the cluster::

        P = 1 / (clusters * S) * sum over clusters, over s and q in low..up, of h(s) c(q) / (|s - q| + 1)^alpha

    with c(q) = 1 if the program put a boundary at q. Every other boundary is a phantom, and N is the sum of their costs::

        between two clusters    p_max + (p_min - p_max) * |2q - low(k+1) - up(k)| / (low(k+1) - up(k))
        before the first        p_min + (p_max - p_min) * (low(1) - q) / (low(1) - 1)
        after the last          p_min + (p_max - p_min) * (q - up(K)) / (N - 1 - up(K))

    The cost is p_max in the middle of a gap or at the edge of the text, and falls to p_min at a cluster.

    The value is 1 if all coders and the program mark the same single position, and 0 if the program finds no boundary.
    Phantoms can make it negative, without a lower limit. P can exceed 1, because all boundaries in a cluster are
    rewarded, and so are several marks of one coder. For several documents, the value is summed reward / summed
    (clusters * S), minus the mean punishment. The measure is not symmetric. It says little if there is only one coder;
    use B instead.

    The printed text contradicts itself, so this implementation differs from it in four ways:

    1. The distance is \|s - q\| + 1. The printed \|s - q + 1\| is 0 for a miss by one.
    2. Clusters follow the definition of the two parameters in section 4.2, because the pseudo-code never ends a cluster. One
       mark is enough for a cluster. The pseudo-code needs two; use ``min_count=2`` for this rule.
    3. low and up are whole numbers. Otherwise a beta of 0 could leave no position between them.
    4. Phantoms are boundaries outside the clusters, although the printed sum runs inside them. Their cost is divided by the
       width of the gap. Phantoms at the edges of the text count too; the printed sum excludes them, as ``edges="ignore"`` does.

    ``p_max`` is 1 / clusters by default. If it were 1, a single phantom could cancel the whole reward.

    References
    ----------
    Yöndem, M. T., & Üçoluk, G. A realistic success criterion for discourse segmentation. Section 4.

    Examples
    --------
    >>> program = Segmentation.from_positions(12, [3, 9])
    >>> score = fuzzy_success([0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0], program, coders=7)
    >>> f"{score.value:.4f} = {score.p:.4f} - {score.n:.4f}, at best {score.best:.4f}"
    '0.0714 = 0.7857 - 0.7143, at best 0.7857'
    >>> [(boundary.position, boundary.cluster, round(boundary.contribution, 4)) for boundary in score.boundaries]
    [(3, 0, 5.5), (9, 'phantom', -0.7143)]
    """
    clusters = {"chain_strength": chain_strength, "minimal_peak": minimal_peak, "alpha": alpha, "beta": beta}
    measure = FuzzySuccess.cached(None, **clusters, **options)
    marks: Any = counts  # a dialogue is rejected later by the batch
    if isinstance(counts, (Marks, Segmentation)):
        actual = counts.coders if isinstance(counts, Marks) else 1
        if coders is not None and coders != actual:
            raise OptionError(f"coders must be {actual}, the number of coders who made the marks; got {coders!r}")
    elif not isinstance(counts, Mapping):
        if coders is None:
            raise OptionError("coders is missing: set it to the number of coders behind the counts, or use Marks")
        marks = Marks(counts, coders)
    return cast(FuzzyScore, measure.score(marks, hypothesis))
