"""Measure how often each significance test rejects the hypothesis that two equal systems are equal.

Each test compares 2,000 pairs of equal systems at the 5 % level, on 6, 20 and 100 items. A valid test rejects in about 5 % of
the cases, and never in many more. Items differ in size and difficulty, but not between the two systems, so the outputs of the
systems are exchangeable. This takes a few minutes.

A second table does the same for all tests of ``judge``, with one coder and with six coders. Tests over (item, coder) assume
that coders of one item are independent, and reject too often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import caesura as cz
from caesura.simulation import pseudo_coders
from caesura.statistics import bootstrap, paired_bootstrap, randomisation
from caesura.statistics.arrays import Finish, Floats
from caesura.views.table import Table

Case = Callable[[np.random.Generator, int], tuple[Floats, Floats]]
Test = Callable[[Floats, Floats, Finish, int], bool]

ALPHA = 0.05
ITEMS = (6, 20, 100)
COMPARISONS = 2000
REPLICATES = 999
MAX_REJECTIONS = 0.065


def boundaries(
    rng: np.random.Generator, items: int, *, mean_ease: float = 0.0, false_alarms: float = 3.0
) -> tuple[Floats, Floats]:
    """Return matches, near misses and additions, as in boundary similarity, for texts of different size and difficulty."""
    size, ease = rng.integers(4, 40, items), mean_ease + rng.normal(0, 0.8, items)

    def system() -> Floats:
        p_match = 1 / (1 + np.exp(-(ease + rng.normal(0, 0.6, items))))
        matches = rng.binomial(size, p_match)
        near = rng.binomial(size - matches, 0.3)
        additions = size - matches - near + rng.poisson(false_alarms, items)
        return np.column_stack([matches, near, additions]).astype(np.float64)

    return system(), system()


def short(rng: np.random.Generator, items: int) -> tuple[Floats, Floats]:
    """Return counts of texts with up to three boundaries, most of them matched: many ties, and texts without boundaries."""
    size = rng.integers(0, 4, items)

    def system() -> Floats:
        matches = rng.binomial(size, 0.8)
        return np.column_stack([matches, np.zeros(items), size - matches]).astype(np.float64)

    return system(), system()


def correctness(sums: Floats) -> Floats:
    """Return B: matches and half of the near misses over all boundary pairs; 1 if there are no pairs."""
    pairs = sums.sum(axis=1)
    return np.where(pairs > 0, (sums[:, 0] + sums[:, 1] / 2) / np.maximum(pairs, 1), 1.0)


def normal(rng: np.random.Generator, items: int) -> tuple[Floats, Floats]:
    """Return one score per text, normally distributed around the mean of the text."""
    mean = rng.normal(0.6, 0.2, items)

    def system() -> Floats:
        return np.column_stack([mean + rng.normal(0, 0.1, items), np.ones(items)])

    return system(), system()


def average(sums: Floats) -> Floats:
    """Return the mean score."""
    return sums[:, 0] / sums[:, 1]


CASES: dict[str, tuple[Case, Finish]] = {
    "boundary pairs": (boundaries, correctness),
    "few boundaries": (short, correctness),
    "normal scores": (normal, average),
}


def percentile_bootstrap(a: Floats, b: Floats, finish: Finish, seed: int) -> bool:
    """Return whether the percentile bootstrap of the difference rejects; for comparison, since it rejects too often."""
    columns = a.shape[1]
    estimate = bootstrap(
        np.hstack([a, b]),
        lambda sums: finish(sums[:, :columns]) - finish(sums[:, columns:]),
        replicates=REPLICATES,
        level=1 - ALPHA,
        seed=seed,
    )
    return estimate.low > 0 or estimate.high < 0


def studentised_bootstrap(a: Floats, b: Floats, finish: Finish, seed: int) -> bool:
    return paired_bootstrap(a, b, finish, replicates=REPLICATES, seed=seed).p <= ALPHA


def randomisation_test(a: Floats, b: Floats, finish: Finish, seed: int) -> bool:
    return randomisation(a, b, finish, draws=REPLICATES, seed=seed).p <= ALPHA


TESTS: dict[str, Test] = {
    "percentile bootstrap": percentile_bootstrap,
    "studentised bootstrap": studentised_bootstrap,
    "randomisation": randomisation_test,
}


def rejection_rates(case: str, items: int, tests: dict[str, Test], comparisons: int, seed: int = 1) -> dict[str, float]:
    """Return the proportion of comparisons of equal systems that each test rejects."""
    simulate, finish = CASES[case]
    rng = np.random.default_rng([seed, items, len(case)])
    counts = dict.fromkeys(tests, 0)
    for trial in range(comparisons):
        a, b = simulate(rng, items)
        for name, test in tests.items():
            counts[name] += test(a, b, finish, trial)
    return {name: count / comparisons for name, count in counts.items()}


def tables() -> Iterator[Table]:
    rows: list[tuple[str | int | float, ...]] = []
    for case in CASES:
        for items in ITEMS:
            rates = rejection_rates(case, items, TESTS, COMPARISONS)
            rows.append((case, items, *(100 * rate for rate in rates.values())))
    yield Table(
        ("scores", "items", *TESTS),
        tuple(rows),
        title=f"Rejections for equal systems, % of {COMPARISONS:,} comparisons at {100 * ALPHA:g} %",
        notes=(f"The goal for the studentised bootstrap and for randomisation is at most {100 * MAX_REJECTIONS:g} %.",),
        digits=2,
        group=0,
    )
    yield judge_table()


def judge_table(comparisons: int = 300, items: int = 20) -> Table:
    """Judge two pseudo-coders as systems against other pseudo-coders."""
    names = ("randomisation", "bootstrap", "friedman", "kruskal_wallis")
    rows: list[tuple[int | float, ...]] = []
    for coders in (1, 6):
        rejections = dict.fromkeys(names, 0)
        for seed in range(comparisons):
            corpus = pseudo_coders([60] * items, [5, 8, 12], coders=coders + 2, near=0.15, miss=0.25, seed=seed)
            judgement = cz.judge(
                corpus,
                corpus.coders[coders:],
                measures="boundary_similarity",
                bounds=False,
                interval=None,
                replicates=400,
                seed=seed,
            )
            for name in names:
                rejections[name] += getattr(judgement.comparisons[0].pairs[0], name) <= ALPHA
        rows.append((coders, *(100 * count / comparisons for count in rejections.values())))
    title = f"Rejections for equal systems by judge, % of {comparisons} comparisons over {items} items"
    return Table(("coders", *names), tuple(rows), title=title, digits=2)
