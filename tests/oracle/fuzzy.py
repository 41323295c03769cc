"""Fuzzy success by definition, position by position, in fractions if alpha is an integer."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Cluster:
    lower: int
    upper: int
    low: int
    up: int


def chains(h: Sequence[int], chain_strength: int, min_count: int) -> list[tuple[int, int]]:
    """Return the ends of the longest runs of marked positions whose gaps are at most ``chain_strength``."""
    marked = [i for i, count in enumerate(h, 1) if count >= min_count]
    starts = [i for i in marked if not any(i - chain_strength <= marked_position < i for marked_position in marked)]
    ends = [i for i in marked if not any(i < marked_position <= i + chain_strength for marked_position in marked)]
    return list(zip(starts, ends, strict=True))


def reach(h: Sequence[int], lower: int, upper: int, beta: float) -> tuple[int, int]:
    """Return the lower and upper end of the reach."""
    marks = sum(h[i - 1] for i in range(lower, upper + 1))
    mu = Fraction(sum(i * h[i - 1] for i in range(lower, upper + 1)), marks)
    variance = sum(h[i - 1] * (i - mu) ** 2 for i in range(lower, upper + 1)) / marks
    if variance == 0:
        return lower, upper
    away = beta * math.sqrt(variance)
    if math.isinf(away):
        return lower, upper
    return max(math.floor(float(mu) - away + 1e-9), lower), min(math.ceil(float(mu) + away - 1e-9), upper)


def clusters(h: Sequence[int], *, chain_strength: int, minimal_peak: int, min_count: int, beta: float) -> list[Cluster]:
    islands = []
    for lower, upper in chains(h, chain_strength, min_count):
        if any(h[i - 1] >= minimal_peak for i in range(lower, upper + 1)):
            islands.append(Cluster(lower, upper, *reach(h, lower, upper, beta)))
    return islands


def reward(h: Sequence[int], cluster: Cluster, q: int, alpha: float) -> Fraction | float:
    """Return the reward of a boundary at q in its cluster."""
    total: Fraction | float = Fraction(0)
    for s in range(cluster.low, cluster.up + 1):
        if alpha in (1, 2):
            total += Fraction(h[s - 1], (abs(s - q) + 1) ** int(alpha))
        else:
            total += h[s - 1] / (abs(s - q) + 1) ** alpha
    return total


def cost(h: Sequence[int], islands: list[Cluster], q: int, p_min: Fraction, p_max: Fraction, edges: str) -> Fraction:
    """Return the cost of a phantom at q."""
    before = [cluster for cluster in islands if cluster.up < q]
    after = [cluster for cluster in islands if cluster.low > q]
    if before and after:
        up, low = before[-1].up, after[0].low
        return p_max + (p_min - p_max) * Fraction(abs(2 * q - low - up), low - up)
    if edges == "ignore":
        return Fraction(0)
    if after:
        return p_min + (p_max - p_min) * Fraction(after[0].low - q, after[0].low - 1)
    return p_min + (p_max - p_min) * Fraction(q - before[-1].up, len(h) - before[-1].up)


@dataclass(frozen=True)
class Success:
    reward: float
    weight: int
    punishment: float
    clusters: list[Cluster]
    homes: list[int | str]
    contributions: list[float]
    best: float


def success(
    h: Sequence[int],
    c: Collection[int],
    coders: int,
    *,
    chain_strength: int = 1,
    minimal_peak: int | None = None,
    min_count: int = 1,
    alpha: float = 1,
    beta: float = 2,
    p_min: float = 0,
    p_max: float | None = None,
    per_cluster: str = "sum",
    edges: str = "linear",
) -> Success | None:
    """Return the fuzzy success, or None if there is no cluster."""
    peak = math.ceil(coders / 2) if minimal_peak is None else minimal_peak
    islands = clusters(h, chain_strength=chain_strength, minimal_peak=peak, min_count=min_count, beta=beta)
    if not islands:
        return None
    low_cost = Fraction(p_min)
    high_cost = Fraction(1, len(islands)) if p_max is None else Fraction(p_max)
    homes: list[int | str] = []
    contributions: list[Fraction | float] = []
    for q in sorted(c):
        inside = [k for k, cluster in enumerate(islands) if cluster.low <= q <= cluster.up]
        homes.append(inside[0] if inside else "phantom")
        contributions.append(
            reward(h, islands[inside[0]], q, alpha) if inside else -cost(h, islands, q, low_cost, high_cost, edges)
        )
    total: Fraction | float = Fraction(0)
    for k in range(len(islands)):
        mine = [earned for home, earned in zip(homes, contributions, strict=True) if home == k]
        total += max(mine, default=0) if per_cluster == "best" else sum(mine)
    most = sum(max(reward(h, cluster, q, alpha) for q in range(cluster.low, cluster.up + 1)) for cluster in islands)
    return Success(
        float(total),
        len(islands) * coders,
        float(-sum(x for home, x in zip(homes, contributions, strict=True) if home == "phantom")),
        islands,
        homes,
        [float(x) for x in contributions],
        float(most) / (len(islands) * coders),
    )
