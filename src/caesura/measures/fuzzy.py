"""The fuzzy success criterion of Yöndem & Üçoluk: a program's boundaries against the marks of many coders.

Coders who mean the same boundary do not always put it at the same place. Their marks form islands, *clusters*, and what
a program puts into a cluster is rewarded by how many marks stand there and how near; what it puts elsewhere, a
*phantom*, is punished by how far it is from the clusters. No threshold turns the marks into one crisp reference first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, OptionError, Undefined
from caesura.kernels import fuzzy as kernel
from caesura.measures.base import BatchCounts, Counts, Measure, divide
from caesura.measures.batch import Batch, Comparison, Text, join_arrays, offsets_of, pair_problem
from caesura.model.marks import Marks
from caesura.model.score import Score
from caesura.model.segmentation import Segmentation
from caesura.options import Option, choice, non_negative, number, optional, whole

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MarkCluster:
    """Marks that stand together."""

    lower: int
    """Its first position."""
    upper: int
    """Its last position."""
    low: int
    """The first position where a boundary is rewarded: ``lower``, or a later one where ``beta`` narrows the cluster."""
    up: int
    """The last position where a boundary is rewarded."""
    mu: float
    """Mean position of its marks."""
    sigma: float
    """Standard deviation of the positions of its marks."""
    peak: int
    """The largest count in it."""
    positions: tuple[int, ...]
    """Its marked positions."""
    marks: tuple[int, ...]
    """How many coders marked each of them."""
    best: int
    """Where one boundary is rewarded most; the first such place if there are several."""
    reward: float
    """What it is rewarded there."""


@dataclass(frozen=True, slots=True)
class BoundaryCredit:
    """A boundary of the program and what became of it."""

    position: int
    cluster: int | Literal["phantom"]
    """The place of its cluster in ``score.clusters``, or ``"phantom"``."""
    contribution: float
    """What it adds to the reward, or as a negative number to the punishment."""
    divide: float
    """What it adds to the success: all shares together are the value."""


class FuzzyScore(Score):
    """A ``Score`` that knows the clusters. The value is the success, P - N."""

    measure: FuzzySuccess

    @property
    def p(self) -> float:
        """P, the reward for boundaries inside clusters."""
        return float(self.parts["p"])

    @property
    def n(self) -> float:
        """N, the punishment for phantoms."""
        return float(self.parts["n"])

    @cached_property
    def clusters(self) -> tuple[MarkCluster, ...] | None:
        """The clusters of the marks, from left to right; None if it is the score of several documents."""
        return None if self.source is None else self.measure.clusters(self.source)

    @cached_property
    def boundaries(self) -> tuple[BoundaryCredit, ...] | None:
        """What became of each boundary of the program; None if it is the score of several documents."""
        return None if self.source is None else self.measure.boundaries(self.source)

    @property
    def best(self) -> float | None:
        """The largest P reachable with one boundary per cluster; None if it is the score of several documents."""
        if self.clusters is None:
            return None
        return math.fsum(one.reward for one in self.clusters) / float(self.parts["weight"])

    def to_dict(self) -> dict[str, Any]:
        """As of every score, with clusters and boundaries where it is the score of one document."""
        found = super().to_dict()
        if self.clusters is not None and self.boundaries is not None:
            found["best"] = self.best
            found["clusters"] = [asdict(one) for one in self.clusters]
            found["boundaries"] = [asdict(one) for one in self.boundaries]
        return found


@dataclass(frozen=True, slots=True)
class MarkBatch(Batch):
    """A batch whose first side are marks: ``a_code`` says how many coders marked ``a_pos``, of how many ``coders``."""

    coders: Ints = field(kw_only=True)

    def slice(self, start: int, stop: int) -> MarkBatch:
        """Documents start .. stop-1. Nothing is copied: offsets stay those of the whole."""
        return self._with(Batch.slice(self, start, stop), self.coders[start:stop])

    def take(self, documents: Ints) -> MarkBatch:
        """Only these documents, copied together."""
        return self._with(Batch.take(self, documents), self.coders[documents])

    @staticmethod
    def _with(b: Batch, coders: Ints) -> MarkBatch:
        return MarkBatch(b.length, b.a_pos, b.a_code, b.a_off, b.b_pos, b.b_code, b.b_off, b.types, coders=coders)


def pack_marks(pairs: Sequence[Comparison], sides: tuple[str, str]) -> tuple[MarkBatch, Ints, dict[int, CaesuraError]]:
    """The batch of all pairs that can be compared, their places in ``pairs``, and what is wrong with the others."""
    errors: dict[int, CaesuraError] = {}
    sound: list[int] = []
    chosen: list[tuple[Any, Any]] = []
    for i, pair in enumerate(pairs):
        problem = pair_problem(pair, sides, marks=True)
        if problem is None:
            sound.append(i)
            chosen.append(pair)
        else:
            errors[i] = MismatchError(problem)
    # A segmentation is the marks of one coder.
    a = [one.positions if isinstance(one, Marks) else one.inner for one, _ in chosen]
    h = [one.position_counts if isinstance(one, Marks) else np.ones(one.inner.size, np.int64) for one, _ in chosen]
    b = [one.inner for _, one in chosen]
    length = np.array([one.length for one, _ in chosen], np.int64)
    coders = np.array([one.coders if isinstance(one, Marks) else 1 for one, _ in chosen], np.int64)
    none = np.empty(0, np.int64)
    batch = MarkBatch(
        length, join_arrays(a), join_arrays(h), offsets_of(a), join_arrays(b), none, offsets_of(b), coders=coders
    )
    return batch, np.array(sound, np.int64), errors


class _Clusters(NamedTuple):
    """Those of document d are the rows ``off[d] .. off[d + 1] - 1``."""

    bounds: Ints  # first and last mark, low, up, peak
    moments: NDArray[np.float64]  # mu, sigma
    off: Ints


class FuzzySuccess(Measure):
    """See :func:`fuzzy_success`."""

    __slots__ = ()
    name = "fuzzy_success"
    title = "Fuzzy success against the marks of many coders (Yöndem & Üçoluk)"
    short_name = "fuzzy success"
    accepts_marks = True
    options = (
        Option("chain_strength", 1, whole(1), "how far apart marked positions of one cluster may be"),
        Option("minimal_peak", None, optional(whole(1)), "the count a cluster must reach; by default half the coders"),
        Option("min_count", 1, whole(1), "how many coders make a position a marked one"),
        Option("alpha", 1, number(1, 2), "hardness: how fast the reward falls with the distance"),
        Option(
            "beta", 2, non_negative(infinite=True), "a cluster reaches this many standard deviations; inf: all of it"
        ),
        Option("p_min", 0, non_negative(), "what a phantom costs beside a cluster"),
        Option("p_max", None, non_negative(), "what a phantom costs far from clusters; by default 1 / clusters"),
        Option("per_cluster", "sum", choice("sum", "best"), "whether all boundaries in a cluster are rewarded"),
        Option(
            "edges",
            "linear",
            choice("linear", "ignore"),
            "whether phantoms before the first and after the last cluster cost",
        ),
    )
    sides = ("counts", "hypothesis")
    best = None  # a run of boundaries is one cluster, and all boundaries in it are rewarded
    worst = None  # every phantom costs
    needs_boundaries = True
    aligns: ClassVar[bool] = True
    score_class = FuzzyScore

    def validate(self) -> None:
        o = self.settings
        if o["p_max"] is not None and o["p_min"] > o["p_max"]:
            raise OptionError(f"p_min must not be above p_max; got {o['p_min']} and {o['p_max']}")

    def to_batch(self, pairs: Sequence[Comparison]) -> tuple[Batch, Ints, dict[int, CaesuraError]]:
        return pack_marks(pairs, self.sides)

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """There must be a cluster, a peak that coders can reach, and room between p_min and p_max."""
        assert isinstance(batch, MarkBatch)
        coders, peak = batch.coders, self._minimal_peak(batch)
        clusters = np.diff(self._clusters(batch).off)
        p_max = self._p_max(clusters)
        errors: dict[int, CaesuraError] = {}
        for d in np.flatnonzero((peak > coders) | (clusters == 0) | (self["p_min"] > p_max)).tolist():
            if peak[d] > coders[d]:
                errors[d] = OptionError(f"minimal_peak must lie in 1..{coders[d]}, the number of coders; got {peak[d]}")
            elif clusters[d] == 0:
                errors[d] = Undefined(self._no_cluster(batch, d, int(peak[d])))
            else:
                errors[d] = OptionError(
                    f"p_min must not be above p_max, by default 1 / clusters = {p_max[d]:g}; got {self['p_min']}; "
                    "give p_max too"
                )
        return errors

    def _no_cluster(self, batch: Batch, d: int, peak: int) -> str:
        highest = int(batch.a_code[batch.a_off[d] : batch.a_off[d + 1]].max(initial=0))
        needed = f"minimal_peak is {peak}"
        if peak <= highest:
            needed += f" and min_count {self['min_count']}"
        return f"there is no cluster: the highest count is {highest}, {needed}"

    def _minimal_peak(self, batch: MarkBatch) -> Ints:
        given = self["minimal_peak"]
        return (batch.coders + 1) // 2 if given is None else np.full(len(batch), given, np.int64)

    def _p_max(self, clusters: Ints) -> NDArray[np.float64]:
        given = self["p_max"]
        return 1 / np.maximum(clusters, 1) if given is None else np.full(len(clusters), given, np.float64)

    def _clusters(self, batch: MarkBatch) -> _Clusters:
        room = int(batch.a_off[-1] - batch.a_off[0])
        bounds, moments = np.empty((room, 5), np.int64), np.empty((room, 2))
        off = np.zeros(len(batch) + 1, np.int64)
        o = self.settings
        kernel.cluster(
            batch.a_pos,
            batch.a_code,
            batch.a_off,
            o["chain_strength"],
            self._minimal_peak(batch),
            o["min_count"],
            o["beta"],
            bounds,
            moments,
            off,
        )
        return _Clusters(bounds[: off[-1]], moments[: off[-1]], off)

    def _award(
        self, batch: MarkBatch, found: _Clusters, pos: Ints, off: Ints, per_cluster: str
    ) -> tuple[Counts, Ints, NDArray[np.float64]]:
        """Reward and punishment a document for boundaries at ``pos``; the cluster of each, and what it earns or costs."""
        home, gain, out = np.empty(len(pos), np.int64), np.empty(len(pos)), np.empty((len(batch), 2))
        o = self.settings
        kernel.award(
            batch.length,
            batch.a_pos,
            batch.a_code,
            pos,
            off,
            found.bounds,
            found.off,
            o["alpha"],
            *_powers(o["alpha"]),
            o["p_min"],
            self._p_max(np.diff(found.off)),
            per_cluster == "best",
            o["edges"] == "linear",
            home,
            gain,
            out,
        )
        return out, home, gain

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return ("reward", "weight", "punishment", "items")

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, MarkBatch)
        found = self._clusters(batch)
        out, _, _ = self._award(batch, found, batch.b_pos, batch.b_off, self["per_cluster"])
        clusters = np.diff(found.off)
        counts = np.column_stack([out[:, 0], clusters * batch.coders, out[:, 1], np.ones(len(batch))])
        resolved = {"minimal_peak": self._minimal_peak(batch), "p_max": self._p_max(clusters), "coders": batch.coders}
        return BatchCounts(counts, resolved)

    def finish(self, counts: Counts, types: tuple[str, ...]) -> NDArray[np.float64]:
        reward, weight, punishment, items = counts.T
        return divide(reward, weight) - divide(punishment, items)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        return {"p": counts["reward"] / counts["weight"], "n": counts["punishment"] / counts["items"]}

    def clusters(self, batch: MarkBatch) -> tuple[MarkCluster, ...]:
        """The clusters of the one document in the batch."""
        found = self._clusters(batch)
        # The reward is convex between two marks, so one boundary does best at a mark: let every mark be a boundary.
        _, home, gain = self._award(batch, found, batch.a_pos, batch.a_off, "best")
        winners = _winners(home, gain)
        best, reward = found.bounds[:, 2].copy(), np.zeros(len(found.bounds))
        best[home[winners]] = batch.a_pos[winners]
        reward[home[winners]] = gain[winners]  # a narrow reach may lie between two marks and hold none
        rows = zip(found.bounds.tolist(), found.moments.tolist(), best.tolist(), reward.tolist(), strict=True)
        clusters = []
        for (first, last, low, up, peak), (mu, sigma), at, earned in rows:
            positions = tuple(batch.a_pos[first : last + 1].tolist())
            marks = tuple(batch.a_code[first : last + 1].tolist())
            clusters.append(
                MarkCluster(positions[0], positions[-1], low, up, mu, sigma, peak, positions, marks, at, earned)
            )
        return tuple(clusters)

    def boundaries(self, batch: MarkBatch) -> tuple[BoundaryCredit, ...]:
        """What became of each boundary of the program in the one document of the batch."""
        found = self._clusters(batch)
        _, home, gain = self._award(batch, found, batch.b_pos, batch.b_off, self["per_cluster"])
        if self["per_cluster"] == "best":
            others = home >= 0
            others[_winners(home, gain)] = False
            gain[others] = 0
        weight = len(found.bounds) * int(batch.coders[0])
        return tuple(
            BoundaryCredit(position, "phantom" if k < 0 else k, earned, earned if k < 0 else earned / weight)
            for position, k, earned in zip(batch.b_pos.tolist(), home.tolist(), gain.tolist(), strict=True)
        )


def _winners(home: Ints, gain: NDArray[np.float64]) -> Ints:
    """Which boundary earns most in each cluster that has any, the first of equals; ``home`` rises, but for its -1."""
    inside = np.flatnonzero(home >= 0)
    if not inside.size:
        return inside
    starts = np.flatnonzero(np.diff(home[inside], prepend=-1))
    most = np.repeat(np.maximum.reduceat(gain[inside], starts), np.diff(starts, append=inside.size))
    # Sums of the same fractions in another order may differ in their last digits.
    equals = inside[gain[inside] >= most * (1 - 1e-12)]
    return equals[np.unique(home[equals], return_index=True)[1]]


_LONGEST = 2.0**31  # no two positions are further apart
_TABLE = 1024


@lru_cache(64)
def _powers(alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(d + 1)^-alpha for small d, and as a sum of share * exp(-rate * d) for any: rates and shares.

    The integral over u of exp(alpha u - x e^u) is Gamma(alpha) x^-alpha, and the trapezoidal rule takes it to one part in
    10^12 at this step. It starts where exp(-x e^u) is nothing even for x = 1 and ends where it is 1 even for the largest
    x; what lies beyond is a geometric series, and one more term of rate 0.
    """
    step, small = 0.27, 1e-7
    rate = np.exp(np.arange(math.log(40), math.log(small / _LONGEST), -step))
    divide = step / math.gamma(alpha) * rate**alpha
    shrinks = math.exp(-step * alpha)
    rest = divide[-1] * shrinks / (1 - shrinks)
    made = np.arange(1, _TABLE + 1.0) ** -alpha, np.append(rate, 0), np.append(divide * np.exp(-rate), rest)
    for array in made:
        array.flags.writeable = False
    return made


def fuzzy_success(
    counts: Marks | Segmentation | Sequence[int] | NDArray[Any],
    hypothesis: Segmentation,
    *,
    coders: int | None = None,
    chain_strength: int = 1,
    minimal_peak: int | None = None,
    min_count: int = 1,
    alpha: float = 1,
    beta: float = 2,
    p_min: float = 0,
    p_max: float | None = None,
    per_cluster: str = "sum",
    edges: str = "linear",
) -> FuzzyScore:
    """Fuzzy success: a program's boundaries against how many coders marked each place.

    ``counts`` are the N-1 numbers h(i) of coders, of ``coders`` in all (S), who marked position i, or a ``Marks``, which
    knows its coders; a ``Segmentation`` is the marks of one coder. Positions that at least ``min_count`` coders marked
    are chained while at most ``chain_strength`` apart; a chain is a *cluster* if some h in it reaches ``minimal_peak``
    (by default half the coders, rounded up), and all marks between its ends are its own. Other marks are ignored. With
    mu and sigma the mean and standard deviation of the positions of a cluster's marks, boundaries are rewarded from
    low = floor(mu - beta sigma) to up = ceil(mu + beta sigma), within the cluster:

        P = 1 / (clusters * S) * sum over clusters, over s and q in low..up, of h(s) c(q) / (|s - q| + 1)^alpha

    with c(q) = 1 where the program put a boundary. Every other boundary is a phantom, and N is the sum of their costs:

        between two clusters    p_max + (p_min - p_max) * |2q - low(k+1) - up(k)| / (low(k+1) - up(k))
        before the first        p_min + (p_max - p_min) * (low(1) - q) / (low(1) - 1)
        after the last          p_min + (p_max - p_min) * (q - up(K)) / (N - 1 - up(K))

    p_max in mid-gap or at the edge of the text, falling towards p_min at a cluster. The value is P - N. All coders at one
    place and the program there is 1, nothing found is 0; with phantoms it is negative, without limit. P can exceed 1:
    several boundaries in a cluster are all rewarded (``per_cluster="best"`` rewards the best of them only), and so are
    several marks of one coder in it. ``score.best`` is the largest P that one boundary per cluster can reach. Over
    several documents it is summed reward / summed clusters * S, less the mean punishment. ``Undefined`` without a cluster.

    ``score.p`` and ``score.n`` are P and N, ``score.clusters`` the clusters, ``score.boundaries`` what each boundary of
    the program fell into and contributed. It is not symmetric, and says little for one coder: use B there.

    Departures from the print, which contradicts itself: |s - q| + 1 for |s - q + 1|, which is 0 for a miss by one; clusters
    by the definition of the two parameters (section 4.2), since the pseudo-code never ends one, and from one mark up, where
    the pseudo-code asks for two (``min_count=2``); low and up as whole numbers, since a beta of 0 could leave no position
    between them; phantoms outside the clusters, where the printed sum runs inside, over the width of the gap, and
    at the edges of the text too (``edges="ignore"`` leaves those out, as the printed sum does). ``p_max`` is 1 / clusters
    unless given: at 1 a single phantom could cancel the whole reward.

    Yöndem, M. T., & Üçoluk, G. A realistic success criterion for discourse segmentation. Section 4.

    >>> program = Segmentation.from_positions(12, [3, 9])
    >>> score = fuzzy_success([0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0], program, coders=7)
    >>> f"{score.value:.4f} = {score.p:.4f} - {score.n:.4f}, at best {score.best:.4f}"
    '0.0714 = 0.7857 - 0.7143, at best 0.7857'
    >>> [(one.position, one.cluster, round(one.contribution, 4)) for one in score.boundaries]
    [(3, 0, 5.5), (9, 'phantom', -0.7143)]
    """
    measure = FuzzySuccess.cached(
        None,
        chain_strength=chain_strength,
        minimal_peak=minimal_peak,
        min_count=min_count,
        alpha=alpha,
        beta=beta,
        p_min=p_min,
        p_max=p_max,
        per_cluster=per_cluster,
        edges=edges,
    )
    score = measure.score(_marks(counts, coders), hypothesis)
    assert isinstance(score, FuzzyScore)
    return score


def _marks(counts: Any, coders: int | None) -> Text | Marks:
    if isinstance(counts, (Marks, Segmentation)):
        known = counts.coders if isinstance(counts, Marks) else 1
        if coders is not None and coders != known:
            raise OptionError(f"coders: the marks are those of {known}; got {coders!r}")
        return counts
    if isinstance(counts, Mapping):
        return counts  # a dialogue, which the batch refuses
    if coders is None:
        raise OptionError("coders: counts do not say how many coders there were; give coders, or Marks")
    return Marks(counts, coders)
