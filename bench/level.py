"""Measure how often each significance test rejects the hypothesis that equal systems are equal.

Each test compares equal systems 2,000 times at the 5 % level, on 6, 20 and 100 items. A valid test rejects in about 5 % of
the cases, and never in many more. Items differ in size and difficulty, but not between the systems, so the outputs of the
systems are exchangeable. This takes about a quarter of an hour.

- Two systems: all tests, with counts of boundary pairs, with few boundaries, with normal scores, and with pseudo-coders as
  systems that are compared with six other pseudo-coders. The rank tests take items as blocks. For comparison, the first
  table also has the percentile bootstrap and the rank tests with every (item, coder) as a block, which reject too often.
- Three and five systems: the tests of all systems at once, and at least one pair.
- The alternative annotator test, for a program that is worse than the coder by exactly the margin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import caesura as cz
from caesura.simulation import pseudo_coders
from caesura.statistics import (
    alternative_annotator,
    blocked_kruskal_wallis,
    bootstrap,
    friedman,
    kruskal_wallis,
    paired_bootstrap,
    randomisation,
)
from caesura.statistics.arrays import Finish, Floats
from caesura.views.table import Table

ALPHA = 0.05
ITEMS = (6, 20, 100)
COMPARISONS = 2000
REPLICATES = 999
MAX_REJECTIONS = 0.065
CODERS = 6


@dataclass(frozen=True)
class Sample:
    """Additive parts of equal systems, as systems x items x coders x parts."""

    parts: Floats
    finish: Finish

    @property
    def by_item(self) -> Floats:
        """Parts summed over coders, as systems x items x parts."""
        sums: Floats = self.parts.sum(axis=2)
        return sums

    @property
    def values(self) -> Floats:
        """Values as items x coders x systems."""
        systems, items, coders, parts = self.parts.shape
        values = self.finish(self.parts.reshape(-1, parts)).reshape(systems, items, coders)
        return np.moveaxis(values, 0, 2).round(12)

    @property
    def means(self) -> Floats:
        """Mean values over coders, as items x systems."""
        means: Floats = self.values.mean(axis=1).round(12)
        return means


Case = Callable[[np.random.Generator, int, int], Sample]
Test = Callable[[Sample, int], bool]


def boundaries(rng: np.random.Generator, items: int, systems: int) -> Sample:
    """Return matches, near misses and additions, as in boundary similarity, for texts of different size and difficulty."""
    size, ease = rng.integers(4, 40, items), rng.normal(0, 0.8, items)
    p_match = 1 / (1 + np.exp(-(ease + rng.normal(0, 0.6, (systems, items)))))
    matches = rng.binomial(size, p_match)
    near = rng.binomial(size - matches, 0.3)
    additions = size - matches - near + rng.poisson(3.0, (systems, items))
    return Sample(np.stack([matches, near, additions], axis=-1)[:, :, None].astype(np.float64), correctness)


def short(rng: np.random.Generator, items: int, systems: int) -> Sample:
    """Return counts of texts with up to three boundaries, most of them matched: many ties, and texts without boundaries."""
    size = np.broadcast_to(rng.integers(0, 4, items), (systems, items))
    matches = rng.binomial(size, 0.8)
    parts = np.stack([matches, np.zeros_like(matches), size - matches], axis=-1)
    return Sample(parts[:, :, None].astype(np.float64), correctness)


def correctness(sums: Floats) -> Floats:
    """Return B: matches and half of the near misses over all boundary pairs; 1 if there are no pairs."""
    pairs = sums.sum(axis=1)
    return np.where(pairs > 0, (sums[:, 0] + sums[:, 1] / 2) / np.maximum(pairs, 1), 1.0)


def normal(rng: np.random.Generator, items: int, systems: int) -> Sample:
    """Return one score per text, normally distributed around the mean of the text."""
    scores = rng.normal(0.6, 0.2, items) + rng.normal(0, 0.1, (systems, items))
    return Sample(np.stack([scores, np.ones_like(scores)], axis=-1)[:, :, None], average)


def sizes(rng: np.random.Generator, items: int, systems: int) -> Sample:
    """Return found and all boundaries of texts of very different size: a few texts decide."""
    size = np.exp(rng.normal(3, 1.5, items)).astype(np.int64) + 2
    found = rng.binomial(size, rng.beta(2, 2, items), (systems, items))
    parts = np.stack([found, np.broadcast_to(size, found.shape)], axis=-1)
    return Sample(parts[:, :, None].astype(np.float64), average)


def average(sums: Floats) -> Floats:
    """Return the mean score."""
    return sums[:, 0] / sums[:, 1]


@cache
def _pool(texts: int = 1500, systems: int = 5) -> Floats:
    """Return the parts of pseudo-coders as systems, compared with six other pseudo-coders: systems x texts x coders x parts."""
    corpus = pseudo_coders([60] * texts, [5, 8, 12], coders=CODERS + systems, near=0.15, miss=0.25, seed=1)
    coders = corpus.coders
    pairs: list[Any] = [
        (corpus[item, coder], corpus[item, system])
        for system in coders[CODERS:]
        for item in corpus.item_names
        for coder in coders[:CODERS]
    ]
    return cz.score_many(pairs, "boundary_similarity").counts.reshape(systems, texts, CODERS, -1)


def six_coders(rng: np.random.Generator, items: int, systems: int) -> Sample:
    """Return texts of pseudo-coders with the systems in random order, so that they are exactly exchangeable."""
    pool = _pool()
    texts = rng.integers(pool.shape[1], size=items)
    order = rng.permuted(np.tile(np.arange(pool.shape[0]), (items, 1)), axis=1)[:, :systems]
    measure = cz.parse("boundary_similarity")
    return Sample(pool[order.T, texts], lambda sums: measure.finish(sums, ("boundary",)))


CASES: dict[str, Case] = {
    "boundary pairs": boundaries,
    "few boundaries": short,
    "normal scores": normal,
    "very different sizes": sizes,
    "six coders": six_coders,
}


def randomisation_test(sample: Sample, seed: int) -> bool:
    a, b = sample.by_item
    return randomisation(a, b, sample.finish, draws=REPLICATES, seed=seed).p <= ALPHA


def studentised_bootstrap(sample: Sample, seed: int) -> bool:
    a, b = sample.by_item
    swapped = randomisation(a, b, sample.finish, draws=REPLICATES, seed=seed)
    return paired_bootstrap(a, b, sample.finish, replicates=REPLICATES, seed=seed, randomised=swapped).p <= ALPHA


def friedman_test(sample: Sample, seed: int) -> bool:
    return friedman(sample.means, draws=REPLICATES, seed=seed).p <= ALPHA


def friedman_pairs(sample: Sample, seed: int) -> bool:
    return bool(friedman(sample.means, draws=REPLICATES, seed=seed).pairs.min() <= ALPHA)


def kruskal_test(sample: Sample, seed: int) -> bool:
    return blocked_kruskal_wallis(sample.means, draws=REPLICATES, seed=seed).p <= ALPHA


def kruskal_pairs(sample: Sample, seed: int) -> bool:
    return bool(blocked_kruskal_wallis(sample.means, draws=REPLICATES, seed=seed).pairs.min() <= ALPHA)


def percentile_bootstrap(sample: Sample, seed: int) -> bool:
    a, b = sample.by_item
    columns = a.shape[1]
    estimate = bootstrap(
        np.hstack([a, b]),
        lambda sums: sample.finish(sums[:, :columns]) - sample.finish(sums[:, columns:]),
        replicates=REPLICATES,
        level=1 - ALPHA,
        seed=seed,
    )
    return estimate.low > 0 or estimate.high < 0


def friedman_over_coders(sample: Sample, seed: int) -> bool:
    values = sample.values
    return friedman(values.reshape(-1, values.shape[2]), method="asymptotic").p <= ALPHA


def kruskal_over_coders(sample: Sample, seed: int) -> bool:
    values = sample.values
    return kruskal_wallis(list(values.reshape(-1, values.shape[2]).T)).p <= ALPHA


PAIRED: dict[str, Test] = {
    "randomisation": randomisation_test,
    "studentised bootstrap": studentised_bootstrap,
    "Friedman": friedman_test,
    "Kruskal-Wallis": kruskal_test,
}
SEVERAL: dict[str, Test] = {
    "Friedman": friedman_test,
    "Friedman pairs": friedman_pairs,
    "Kruskal-Wallis": kruskal_test,
    "Kruskal-Wallis pairs": kruskal_pairs,
}
INVALID: dict[str, Test] = {
    "percentile bootstrap": percentile_bootstrap,
    "Friedman over coders": friedman_over_coders,
    "Kruskal-Wallis over coders": kruskal_over_coders,
}


def rejection_rates(
    case: str, items: int, tests: dict[str, Test], comparisons: int, *, systems: int = 2, seed: int = 1
) -> dict[str, float]:
    """Return the proportion of comparisons of equal systems that each test rejects."""
    rng = np.random.default_rng([seed, items, systems, len(case)])
    counts = dict.fromkeys(tests, 0)
    for trial in range(comparisons):
        sample = CASES[case](rng, items, systems)
        for name, test in tests.items():
            counts[name] += test(sample, trial)
    return {name: count / comparisons for name, count in counts.items()}


def replacement_rate(ties: float, items: int, comparisons: int, *, margin: float = 0.2, seed: int = 1) -> float:
    """Return how often the alternative annotator test rejects if a coder is better by exactly the margin, per coder."""
    rng = np.random.default_rng([seed, items])
    d = rng.choice(
        [-1.0, 0.0, 1.0], p=[(1 - ties - margin) / 2, ties, (1 - ties + margin) / 2], size=(comparisons, items)
    )
    tests = alternative_annotator(np.zeros_like(d), d, epsilon=margin).coders
    return sum(coder.p <= ALPHA for coder in tests) / comparisons


def tables(comparisons: int = COMPARISONS) -> Iterator[Table]:
    title = f"Rejections for equal systems, % of {comparisons:,} comparisons at {100 * ALPHA:g} %"
    note = f"The goal is at most {100 * MAX_REJECTIONS:g} %."
    yield _table(
        f"{title}: two systems", 2, PAIRED | INVALID, comparisons, f"{note} The last three tests are not used."
    )
    yield _table(f"{title}: three systems", 3, SEVERAL, comparisons, note)
    yield _table(f"{title}: five systems", 5, SEVERAL, comparisons, note)
    rows = [
        (f"{ties:g}", items, 100 * replacement_rate(ties, items, comparisons))
        for ties in (0, 0.3, 0.6)
        for items in ITEMS
    ]
    columns = ("proportion of ties", "items", "alternative annotator test")
    yield Table(
        columns, tuple(rows), title=f"{title}: a coder is better by the margin", notes=(note,), digits=2, group=0
    )


def _table(title: str, systems: int, tests: dict[str, Test], comparisons: int, note: str) -> Table:
    rows: list[tuple[str | int | float, ...]] = []
    for case in CASES:
        for items in ITEMS:
            rates = rejection_rates(case, items, tests, comparisons, systems=systems)
            rows.append((case, items, *(100 * rate for rate in rates.values())))
    return Table(("scores", "items", *tests), tuple(rows), title=title, notes=(note,), digits=2, group=0)
