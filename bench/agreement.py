"""Time agreement of many coders and the bootstrap, and compare with segeval on a smaller corpus."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.agreement.coefficients import agreement_with_placement
from caesura.views.table import Table


def simulate_corpus(coders: int, items: int, units: int, seed: int = 1) -> cz.Corpus:
    """Return coders who delete, move and add boundaries of texts with one boundary per ten units."""
    rng = np.random.default_rng(seed)
    texts: dict[str, dict[str, cz.Segmentation]] = {}
    for i in range(items):
        base = np.flatnonzero(rng.random(units - 2) < 0.1) + 1
        segmentations = {}
        for j in range(coders):
            matches = base[rng.random(len(base)) < 0.8]
            moved = matches + (rng.random(len(matches)) < 0.1)
            additions = np.flatnonzero(rng.random(units - 1) < 0.01) + 1
            segmentations[f"c{j:02}"] = cz.Segmentation.from_positions(units, np.union1d(moved, additions))
        texts[f"i{i:03}"] = segmentations
    return cz.Corpus(texts)


def tables() -> Iterator[Table]:
    corpus = simulate_corpus(20, 200, 1000)
    without_interval = shortest_time(lambda: cz.agreement(corpus, interval=None), min_runs=3)
    over_items = shortest_time(lambda: cz.agreement(corpus, seed=1, replicates=2000), min_runs=3)
    over_coders = shortest_time(lambda: cz.agreement(corpus, seed=1, replicates=2000, interval="coders"), min_runs=3)
    kappa = shortest_time(lambda: cz.agreement(corpus, coefficient="multi_kappa", interval=None), min_runs=3)
    alpha = shortest_time(lambda: cz.agreement(corpus, coefficient="alpha", interval=None), min_runs=3)
    rows: list[tuple[str, float, str]] = [
        ("multi_pi, with all tables", without_interval, "2"),
        ("additional time for 2,000 bootstrap replicates over items", over_items - without_interval, "2"),
        ("additional time for 2,000 bootstrap replicates over coders", over_coders - without_interval, ""),
        ("multi_kappa", kappa, ""),
        ("alpha", alpha, ""),
    ]
    title = "Agreement over B, 20 coders x 200 items x 1,000 units, all cores"
    yield Table(("coefficient", "s", "goal, s"), tuple(rows), title=title, digits=3)
    yield _against_segeval()


def placement_tables() -> Iterator[Table]:
    """Time what chance agreement of random placement adds to agreement, with 2,000 bootstrap replicates."""
    corpus = simulate_corpus(20, 200, 1000)
    rows: list[tuple[str, str, float, float, str]] = []
    for measure in ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)", "boundary_similarity(n_t=3)"):
        for name in ("multi_pi", "multi_kappa"):
            published = shortest_time(partial(cz.agreement, corpus, measure, coefficient=name), min_runs=3)
            both = shortest_time(partial(agreement_with_placement, corpus, measure, coefficient=name), min_runs=3)
            rows.append((measure, name, published, both - published, "1" if "n_t=2" in measure else ""))
    title = "Chance agreement of random placement, 20 coders x 200 items x 1,000 units"
    columns = ("measure", "coefficient", "published, s", "placement in addition, s", "goal, s")
    yield Table(columns, tuple(rows), title=title, digits=3)


def _against_segeval() -> Table:
    """Compare Fleiss' pi with segeval's, for ten coders of twenty items."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import segeval
    corpus = simulate_corpus(10, 20, 1000, seed=2)
    data = {
        item: {coder: tuple(segmentation.masses) for coder, segmentation in corpus.of_item(item).items()}  # type: ignore[union-attr]
        for item in corpus.item_names
    }
    options = {"measure": "boundary_similarity(n_t=2)", "compat": "segeval-2.0.11", "interval": None}
    segeval_time = shortest_time(
        lambda: segeval.fleiss_pi_linear(data, fnc_compare=segeval.boundary_similarity), seconds=0, min_runs=2
    )
    caesura_time = shortest_time(lambda: cz.agreement(corpus, **options))  # type: ignore[arg-type]
    expected = float(segeval.fleiss_pi_linear(data, fnc_compare=segeval.boundary_similarity))
    assert abs(cz.agreement(corpus, **options).value - expected) < 1e-10  # type: ignore[arg-type]
    row = (
        "10 coders x 20 items x 1,000 units",
        caesura_time * 1e3,
        segeval_time * 1e3,
        segeval_time / caesura_time,
        "500",
    )
    return Table(("pi* over B, with all tables", "caesura, ms", "segeval, ms", "ratio", "goal"), (row,), digits=2)


def coverage(items: int, runs: int = 500, *, seed: int = 1) -> tuple[float, float]:
    """Return the coefficient of a population, and how often the 95 % interval over a sample of items covers it.

    The population has 4,000 items of 20 to 200 units and of different difficulty, with five pseudo-coders. Each run draws
    a sample of items from it.
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
    texts: dict[str, dict[str, cz.Segmentation]] = {}
    for i in range(items):
        units = int(rng.integers(20, 201))
        p_match, p_move, p_add = rng.beta(8, 2), rng.beta(1, 9), rng.beta(1, 60)
        base = np.flatnonzero(rng.random(units - 2) < rng.uniform(0.05, 0.2)) + 1
        segmentations = {}
        for j in range(5):
            matches = base[rng.random(len(base)) < p_match]
            moved = matches + (rng.random(len(matches)) < p_move)
            additions = np.flatnonzero(rng.random(units - 1) < p_add) + 1
            segmentations[f"c{j}"] = cz.Segmentation.from_positions(units, np.union1d(moved, additions))
        texts[f"i{i}"] = segmentations
    return cz.Corpus(texts)


def coverage_tables(runs: int = 500) -> Iterator[Table]:
    rows = []
    for items in (20, 50, 100):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cz.errors.CaesuraWarning)
            truth, proportion = coverage(items, runs)
        rows.append((items, runs, truth, proportion, "0.92 to 0.98" if items >= 50 else ""))
    title = "Coverage of the 95 % percentile interval over items, multi_pi over B"
    yield Table(("items", "runs", "population", "covered", "goal"), tuple(rows), title=title)
