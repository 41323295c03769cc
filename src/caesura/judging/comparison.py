"""Is the better system better, or lucky? All tests of one measure, over all pairs of systems."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError, Undefined
from caesura.judging.trials import Trials
from caesura.measures.base import Measure
from caesura.statistics import RankTest, friedman, holm, kruskal_wallis, letters, paired_bootstrap, randomisation, wins

__all__ = ["Comparison", "PairOfSystems", "compare"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairOfSystems:
    """Two systems on the items both have."""

    systems: tuple[str, str]
    difference: float | None
    """The value of the first less that of the second, from summed parts; None if they share no item."""
    interval: tuple[float, float] | None
    """Of the difference, by the studentised bootstrap; infinite where so few items say nothing (null in JSON)."""
    bootstrap: float | None
    """p-value of the studentised paired bootstrap over items, corrected by Holm over all pairs."""
    randomisation: float | None
    """p-value of approximate randomisation over items, corrected by Holm over all pairs."""
    kruskal_wallis: float | None
    """p-value by mean ranks over (item, coder), corrected for all pairs (Siegel & Castellan)."""
    friedman: float | None
    """p-value by ranks inside (item, coder), corrected for all pairs (Wilcoxon-Nemenyi-McDonald-Thompson)."""
    wins: int
    """Items on which the first has the better value, over the coders that both were scored against."""
    ties: int
    losses: int
    items: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "systems": list(self.systems),
            "difference": self.difference,
            "interval": None if self.interval is None else [x if math.isfinite(x) else None for x in self.interval],
            "p": {
                "bootstrap": self.bootstrap,
                "randomisation": self.randomisation,
                "kruskal_wallis": self.kruskal_wallis,
                "friedman": self.friedman,
            },
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "items": self.items,
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems compared under one measure."""

    measure: Measure
    systems: tuple[str, ...]
    alpha: float
    kruskal_wallis: RankTest | None
    friedman: RankTest | None
    pairs: tuple[PairOfSystems, ...]
    letters: tuple[str, ...] | None
    """One string a system: two that share a letter do not differ, by randomisation. None without scikit-posthocs."""
    notes: tuple[str, ...] = field(default=())
    """What could not be computed, and why."""
    draws: int = 0
    """How many replicates and swaps the paired tests took."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "measure": repr(self.measure),
            "systems": list(self.systems),
            "alpha": self.alpha,
            "kruskal_wallis": _plain(self.kruskal_wallis),
            "friedman": _plain(self.friedman),
            "pairs": [one.to_dict() for one in self.pairs],
            "letters": None if self.letters is None else dict(zip(self.systems, self.letters, strict=True)),
            "draws": self.draws,
            "notes": list(self.notes),
        }


def _plain(test: RankTest | None) -> dict[str, Any] | None:
    if test is None:
        return None
    return {
        "statistic": test.statistic,
        "df": test.df,
        "p": test.p,
        "mean_ranks": test.mean_ranks.tolist(),
        "observations": test.sizes.tolist(),
        "incomplete": test.incomplete,
    }


def compare(
    trials: Trials,
    systems: tuple[str, ...],
    *,
    alpha: float,
    level: float,
    replicates: int,
    seed: int,
    paired_only: bool = False,
) -> Comparison:
    """All tests that can be made; ``paired_only``: those over pairs of systems, without rank tests and letters.

    Observations of the rank tests are (item, coder); the paired tests resample and swap items, from summed parts. Of
    ``replicates`` there are more where many pairs need it: the smallest p-value, 1 in so many, is multiplied by the number
    of pairs and must still be far below alpha.
    """
    notes: list[str] = []
    draws = max(replicates, math.ceil(4 * math.comb(len(systems), 2) / alpha))
    by_rank = in_blocks = None
    if not paired_only:
        seen = trials.observations(systems)
        by_rank = _try(lambda: kruskal_wallis([column[~np.isnan(column)] for column in seen.T], alpha=alpha), notes)
        in_blocks = _try(lambda: friedman(seen, alpha=alpha), notes)
    found = list(combinations(range(len(systems)), 2))
    tests = [_paired(trials, systems[a], systems[b], draws, level, seed, notes) for a, b in found]
    boot = _holm([one.bootstrap for one in tests])
    swap = _holm([one.randomisation for one in tests])
    pairs = tuple(
        PairOfSystems(
            systems=(systems[a], systems[b]),
            difference=one.difference,
            interval=one.interval,
            bootstrap=boot[k],
            randomisation=swap[k],
            kruskal_wallis=None if by_rank is None else float(by_rank.pairs[a, b]),
            friedman=None if in_blocks is None else float(in_blocks.pairs[a, b]),
            wins=one.wins[0],
            ties=one.wins[1],
            losses=one.wins[2],
            items=sum(one.wins),
        )
        for k, ((a, b), one) in enumerate(zip(found, tests, strict=True))
    )
    values = [trials.score(name).value for name in systems]
    better = trials.measure.higher_is_better
    shown = None if paired_only else _letters(pairs, systems, values, better, alpha, notes)
    said = tuple(dict.fromkeys(notes))
    return Comparison(trials.measure, systems, alpha, by_rank, in_blocks, pairs, shown, said, draws)


@dataclass(frozen=True, slots=True)
class _Paired:
    """What the tests over items say of two systems, not yet corrected for the number of pairs."""

    bootstrap: float | None = None
    randomisation: float | None = None
    interval: tuple[float, float] | None = None
    difference: float | None = None
    wins: tuple[int, int, int] = (0, 0, 0)
    """Wins, ties, losses of the first."""


def _paired(trials: Trials, a: str, b: str, draws: int, level: float, seed: int, notes: list[str]) -> _Paired:
    mine, theirs = trials.common(a, b)
    if not len(mine):
        notes.append(f"{a} and {b} share no item")
        return _Paired()
    swapped = randomisation(mine, theirs, trials.finish, draws=draws, seed=seed)
    won = wins(np.column_stack([trials.finish(mine), trials.finish(theirs)]))
    order = (won.wins, won.ties, won.losses) if trials.measure.higher_is_better else (won.losses, won.ties, won.wins)
    counts = tuple(int(table[0, 1]) for table in order)
    found = _Paired(None, swapped.p, None, swapped.difference, (counts[0], counts[1], counts[2]))
    try:
        drawn = paired_bootstrap(mine, theirs, trials.finish, replicates=draws, level=level, seed=seed)
    except Undefined as problem:
        notes.append(f"{a} and {b}: {problem}")
        return found
    return replace(found, bootstrap=drawn.p, interval=(drawn.low, drawn.high))


def _try(test: Any, notes: list[str]) -> RankTest | None:
    try:
        found: RankTest = test()
    except (Undefined, OptionError) as problem:
        notes.append(str(problem))
        return None
    return found


def _holm(p: list[float | None]) -> list[float | None]:
    """Corrected over the pairs that could be tested."""
    there = [one for one in p if one is not None]
    after = iter(holm(there).tolist() if there else [])
    return [None if one is None else next(after) for one in p]


def _letters(
    pairs: tuple[PairOfSystems, ...],
    systems: tuple[str, ...],
    values: list[float],
    higher_is_better: bool,
    alpha: float,
    notes: list[str],
) -> tuple[str, ...] | None:
    table = np.ones((len(systems), len(systems)))
    place = {name: i for i, name in enumerate(systems)}
    for one in pairs:
        if one.randomisation is None:
            return None
        a, b = (place[name] for name in one.systems)
        table[a, b] = table[b, a] = one.randomisation
    try:
        return letters(table, values, alpha=alpha, higher_is_better=higher_is_better)
    except OptionError as problem:
        notes.append(str(problem))
        return None
