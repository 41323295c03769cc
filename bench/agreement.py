"""Agreement of many coders: against segeval on a part that it can do, and the bootstrap."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import best
from caesura.views.table import Table


def codings(coders: int, items: int, units: int, seed: int = 1) -> cz.Corpus:
    """Coders who drop, move and add some of the boundaries of a text that has one in ten units."""
    rng = np.random.default_rng(seed)
    made: dict[str, dict[str, cz.Segmentation]] = {}
    for i in range(items):
        base = np.flatnonzero(rng.random(units - 2) < 0.1) + 1
        by = {}
        for j in range(coders):
            kept = base[rng.random(len(base)) < 0.8]
            kept = kept + (rng.random(len(kept)) < 0.1)
            added = np.flatnonzero(rng.random(units - 1) < 0.01) + 1
            by[f"c{j:02}"] = cz.Segmentation.from_positions(units, np.union1d(kept, added))
        made[f"i{i:03}"] = by
    return cz.Corpus(made)


def tables() -> Iterator[Table]:
    corpus = codings(20, 200, 1000)
    plain = best(lambda: cz.agreement(corpus, interval=None), least=3)
    whole = best(lambda: cz.agreement(corpus, seed=1, replicates=2000), least=3)
    over_coders = best(lambda: cz.agreement(corpus, seed=1, replicates=2000, interval="coders"), least=3)
    kappa = best(lambda: cz.agreement(corpus, coefficient="multi_kappa", interval=None), least=3)
    alpha = best(lambda: cz.agreement(corpus, coefficient="alpha", interval=None), least=3)
    rows: list[tuple[str, float, str]] = [
        ("multi_pi, with all tables", plain, "2"),
        ("2,000 bootstrap replicates over items, more", whole - plain, "2"),
        ("2,000 bootstrap replicates over coders, more", over_coders - plain, ""),
        ("multi_kappa", kappa, ""),
        ("alpha", alpha, ""),
    ]
    title = "Agreement over B, 20 coders x 200 items x 1,000 units, all cores"
    yield Table(("what", "s", "goal, s"), tuple(rows), title=title, digits=3)
    yield _peer()


def _peer() -> Table:
    """segeval's Fleiss' pi on ten coders of twenty items, in the same run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import segeval
    corpus = codings(10, 20, 1000, seed=2)
    data = {i: {c: tuple(one.masses) for c, one in corpus.of_item(i).items()} for i in corpus.item_names}  # type: ignore[union-attr]
    options = {"measure": "boundary_similarity(n_t=2)", "compat": "segeval-2.0.11", "interval": None}
    theirs = best(lambda: segeval.fleiss_pi_linear(data, fnc_compare=segeval.boundary_similarity), seconds=0, least=2)
    ours = best(lambda: cz.agreement(corpus, **options))  # type: ignore[arg-type]
    same = float(segeval.fleiss_pi_linear(data, fnc_compare=segeval.boundary_similarity))
    assert abs(cz.agreement(corpus, **options).value - same) < 1e-10  # type: ignore[arg-type]
    row = ("10 coders x 20 items x 1,000 units", ours * 1e3, theirs * 1e3, theirs / ours, "500")
    return Table(("pi* over B, with all tables", "ours, ms", "segeval, ms", "ratio", "goal"), (row,), digits=2)


def coverage(items: int, runs: int = 500, *, seed: int = 1) -> tuple[float, float]:
    """How often the 95 % interval over items covers the coefficient of the population the items come from.

    The population is 4,000 items of pseudo-coders: five of them, items of 20 to 200 units and of different difficulty.
    A run draws items from it without looking at the rest.
    """
    population = _population(4000, seed)
    truth = cz.agreement(population, interval=None).value
    rng = np.random.default_rng(seed + 1)
    hits = 0
    for run in range(runs):
        sample = population.select(items=rng.choice(population.item_names, items, replace=False).tolist())
        low, high = cz.agreement(sample, seed=run).interval or (np.nan, np.nan)
        hits += low <= truth <= high
    return truth, hits / runs


def _population(items: int, seed: int) -> cz.Corpus:
    rng = np.random.default_rng(seed)
    made: dict[str, dict[str, cz.Segmentation]] = {}
    for i in range(items):
        units = int(rng.integers(20, 201))
        keep, move, add = rng.beta(8, 2), rng.beta(1, 9), rng.beta(1, 60)
        base = np.flatnonzero(rng.random(units - 2) < rng.uniform(0.05, 0.2)) + 1
        by = {}
        for j in range(5):
            kept = base[rng.random(len(base)) < keep]
            kept = kept + (rng.random(len(kept)) < move)
            added = np.flatnonzero(rng.random(units - 1) < add) + 1
            by[f"c{j}"] = cz.Segmentation.from_positions(units, np.union1d(kept, added))
        made[f"i{i}"] = by
    return cz.Corpus(made)


def coverage_tables(runs: int = 500) -> Iterator[Table]:
    rows = []
    for items in (20, 50, 100):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cz.errors.CaesuraWarning)
            truth, share = coverage(items, runs)
        rows.append((items, runs, truth, share, "0.92 to 0.98" if items >= 50 else ""))
    title = "Coverage of the 95 % percentile interval over items, multi_pi over B"
    yield Table(("items", "runs", "population", "covered", "goal"), tuple(rows), title=title)
