"""How often each test calls two equal systems different.

2,000 pairs of systems that are alike are compared at 5 %, for 6, 20 and 100 items; a test that keeps its level does so in
about 5 % of them, and never much more. Every item has its own size and difficulty, and both systems meet it in the same
way, so that their outputs could change places. Takes a few minutes.

Then the same of all tests of ``judge``, with one coder and with six: those over (item, coder) take coders of one item for
independent, and do not keep their level.
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
MOST = 0.065


def boundaries(
    rng: np.random.Generator, items: int, *, usual: float = 0.0, spurious: float = 3.0
) -> tuple[Floats, Floats]:
    """Matches, near misses and additions, as of boundary similarity: few or many a text, easy or hard to find."""
    size, ease = rng.integers(4, 40, items), usual + rng.normal(0, 0.8, items)

    def system() -> Floats:
        found = 1 / (1 + np.exp(-(ease + rng.normal(0, 0.6, items))))
        matches = rng.binomial(size, found)
        near = rng.binomial(size - matches, 0.3)
        additions = size - matches - near + rng.poisson(spurious, items)
        return np.column_stack([matches, near, additions]).astype(np.float64)

    return system(), system()


def short(rng: np.random.Generator, items: int) -> tuple[Floats, Floats]:
    """Texts with none to three boundaries that are mostly found: many ties, and texts that count for nothing."""
    size = rng.integers(0, 4, items)

    def system() -> Floats:
        matches = rng.binomial(size, 0.8)
        return np.column_stack([matches, np.zeros(items), size - matches]).astype(np.float64)

    return system(), system()


def correctness(sums: Floats) -> Floats:
    """B: matches and half of the near misses over all boundary pairs; 1 where there are none."""
    pairs = sums.sum(axis=1)
    return np.where(pairs > 0, (sums[:, 0] + sums[:, 1] / 2) / np.maximum(pairs, 1), 1.0)


def normal(rng: np.random.Generator, items: int) -> tuple[Floats, Floats]:
    """A score a text, normally distributed around what the text is worth."""
    worth = rng.normal(0.6, 0.2, items)

    def system() -> Floats:
        return np.column_stack([worth + rng.normal(0, 0.1, items), np.ones(items)])

    return system(), system()


def average(sums: Floats) -> Floats:
    """The mean score."""
    return sums[:, 0] / sums[:, 1]


CASES: dict[str, tuple[Case, Finish]] = {
    "boundary pairs": (boundaries, correctness),
    "few boundaries": (short, correctness),
    "normal scores": (normal, average),
}


def plain(a: Floats, b: Floats, finish: Finish, seed: int) -> bool:
    """The percentile bootstrap of the difference, for comparison: it does not keep its level."""
    columns = a.shape[1]
    both = np.hstack([a, b])
    found = bootstrap(
        both,
        lambda sums: finish(sums[:, :columns]) - finish(sums[:, columns:]),
        replicates=REPLICATES,
        level=1 - ALPHA,
        seed=seed,
    )
    return found.low > 0 or found.high < 0


def studentised(a: Floats, b: Floats, finish: Finish, seed: int) -> bool:
    return paired_bootstrap(a, b, finish, replicates=REPLICATES, seed=seed).p <= ALPHA


def swapped(a: Floats, b: Floats, finish: Finish, seed: int) -> bool:
    return randomisation(a, b, finish, draws=REPLICATES, seed=seed).p <= ALPHA


TESTS: dict[str, Test] = {"plain bootstrap": plain, "studentised bootstrap": studentised, "randomisation": swapped}


def rejected(case: str, items: int, tests: dict[str, Test], comparisons: int, seed: int = 1) -> dict[str, float]:
    """The share of comparisons of equal systems that each test calls different."""
    draw, finish = CASES[case]
    rng = np.random.default_rng([seed, items, len(case)])
    counts = dict.fromkeys(tests, 0)
    for trial in range(comparisons):
        a, b = draw(rng, items)
        for name, test in tests.items():
            counts[name] += test(a, b, finish, trial)
    return {name: count / comparisons for name, count in counts.items()}


def tables() -> Iterator[Table]:
    rows: list[tuple[str | int | float, ...]] = []
    for case in CASES:
        for items in ITEMS:
            shares = rejected(case, items, TESTS, COMPARISONS)
            rows.append((case, items, *(100 * share for share in shares.values())))
    yield Table(
        ("parts", "items", *TESTS),
        tuple(rows),
        title=f"Equal systems called different, % of {COMPARISONS:,} comparisons at {100 * ALPHA:g} %",
        notes=(f"The goal for the studentised bootstrap and for randomisation is at most {100 * MOST:g} %.",),
        digits=2,
        group=0,
    )
    yield judged()


def judged(comparisons: int = 300, items: int = 20) -> Table:
    """Two pseudo-coders as systems, against others of their kind."""
    names = ("randomisation", "bootstrap", "friedman", "kruskal_wallis")
    rows: list[tuple[int | float, ...]] = []
    for coders in (1, 6):
        called = dict.fromkeys(names, 0)
        for seed in range(comparisons):
            made = pseudo_coders([60] * items, [5, 8, 12], coders=coders + 2, near=0.15, miss=0.25, seed=seed)
            found = cz.judge(
                made,
                made.coders[coders:],
                measures="boundary_similarity",
                bounds=False,
                interval=None,
                replicates=400,
                seed=seed,
            )
            for name in names:
                called[name] += getattr(found.comparisons[0].pairs[0], name) <= ALPHA
        rows.append((coders, *(100 * times / comparisons for times in called.values())))
    title = f"Equal systems called different by judge, % of {comparisons} comparisons over {items} items"
    return Table(("coders", *names), tuple(rows), title=title, digits=2)
