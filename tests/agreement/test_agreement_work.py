"""Limits of agreement, and computations that are shared or summarized, compared with their definitions."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest

import caesura as cz
from caesura.agreement import bootstrap, chance_simulation, coefficients, counts, placement, random_texts
from caesura.agreement.bootstrap import Bootstrap
from caesura.agreement.chance import AgreementArrays
from caesura.agreement.coder_pairs import CoderPairs, score_coder_pairs
from caesura.agreement.coefficients import SharedScores, agreement_with_placement
from caesura.agreement.families import resolve_coefficient
from caesura.engines import use_engine
from caesura.errors import CaesuraWarning, LimitError
from caesura.measures.many import score_many
from caesura.measures.registry import parse
from caesura.products import pseudo_inverses
from caesura.statistics.intervals import item_weights

pytestmark = pytest.mark.filterwarnings("ignore:an interval from")

B, S, WD, S_F = (parse(name) for name in ("B", "S", "WD", "S_f"))


def corpus(items: int = 6, coders: int = 4, *, missing: float = 0.0, seed: int = 0) -> cz.Corpus:
    rng = np.random.default_rng(seed)
    table = {}
    for i in range(items):
        length = int(rng.integers(6, 20))
        present = [j for j in range(coders) if j < 2 or rng.random() >= missing]
        table[f"x{i}"] = {
            f"c{j}": cz.Segmentation.from_bits((rng.random(length - 1) < 0.4).astype(int).tolist()) for j in present
        }
    return cz.Corpus(table)


def observe(data: cz.Corpus, measure: str = "WD") -> CoderPairs:
    return score_coder_pairs(data, parse(measure))


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_sums_by_pair(missing: float) -> None:
    pairs = observe(corpus(8, 5, missing=missing))
    weights = np.random.default_rng(1).integers(0, 3, (7, len(pairs.items))).astype(float)
    sums, counted = pairs.sum_by_pair(weights, pairs.scores.counts)
    for k in range(len(pairs.pairs)):
        rows = np.flatnonzero(pairs.pair_index == k)
        own = weights[:, pairs.item_index[rows]]
        assert sums[:, k].tolist() == (own @ pairs.scores.counts[rows]).tolist()
        assert counted[:, k].tolist() == own.any(axis=1).tolist()


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_mean_over_pairs_of_each_item_and_pair(missing: float) -> None:
    data = corpus(8, 5, missing=missing)
    result = cz.agreement(data, WD, coefficient="mean", interval=None)
    for row in result.items:
        coders = data.of_item(row.item)
        scores = score_many([(coders[a], coders[b]) for a, b in permutations(coders, 2)], WD)
        assert row.value == pytest.approx(scores.values.mean())
    for pair in result.pairs:
        shared = [item for item in data.item_names if set(pair.coders) <= set(data.of_item(item))]
        assert pair.items == len(shared)


def test_bootstrap_computes_each_sample_of_few_items_once() -> None:
    rows: list[int] = []

    def compute(weights: np.ndarray) -> np.ndarray:
        rows.append(len(weights))
        return weights @ np.arange(1.0, 5.0)

    ends, _ = Bootstrap().run(4, 0, compute)
    assert rows == [35]
    drawn = next(item_weights(4, 2000, np.random.default_rng([0, 4])))
    assert ends == tuple(np.quantile(drawn @ np.arange(1.0, 5.0), [0.025, 0.975]))


def test_bootstrap_keeps_its_samples() -> None:
    drawn: list[np.ndarray] = []

    def compute(weights: np.ndarray) -> np.ndarray:
        drawn.append(weights)
        return weights[:, 0]

    shared: bootstrap.Samples = {}
    first, second = (Bootstrap().run(300, 3, compute, shared) for _ in range(2))
    assert first == second
    blocks = list(item_weights(300, 2000, np.random.default_rng([3, 300])))
    assert np.concatenate(drawn).tolist() == np.concatenate(blocks + blocks).tolist()


def test_fewer_replicates_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    data = corpus(9, 4)
    monkeypatch.setattr(bootstrap, "MAX_REPLICATE_WORK", 40 * 6 * 150)  # 40 for each pair of coders
    with pytest.warns(CaesuraWarning, match="150 bootstrap replicates instead of 2000.*--replicates 2000"):
        result = cz.agreement(data, B, coefficient="multi_kappa")
    assert "150 replicates" in result.interval_note
    assert "replicates:150" in result.signature
    assert cz.agreement(data, B, coefficient="multi_kappa", replicates=2000).interval_note.count("2000 replicates")


def test_fewer_replicates_of_coders_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    data = corpus(3, 9)
    monkeypatch.setattr(bootstrap, "MAX_REPLICATE_WORK", 8 * 36 * 150)  # 8 for each pair of coders
    with pytest.warns(CaesuraWarning, match="150 bootstrap replicates instead of 2000"):
        result = cz.agreement(data, B, coefficient="multi_pi", interval="coders")
    assert "replicates:150" in result.signature


def test_few_samples_need_no_fewer_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "MAX_REPLICATE_WORK", 40 * 6 * 150)  # five items have 126 different samples
    assert "2000 replicates" in cz.agreement(corpus(5, 4), B, coefficient="multi_kappa").interval_note


def test_coefficients_share_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    data = corpus(7, 4)
    scored: list[str] = []
    original = coefficients.score_coder_pairs

    def count(*args: object, **options: object) -> CoderPairs:
        scored.append(repr(args[1]))
        return original(*args, **options)

    monkeypatch.setattr(coefficients, "score_coder_pairs", count)
    shared = SharedScores()
    for measure, name in ((B, "multi_kappa"), (B, "bias"), (B, "alpha"), (S, "multi_pi")):
        together = agreement_with_placement(data, measure, coefficient=name, shared=shared)
        assert together == agreement_with_placement(data, measure, coefficient=name)
    assert len(scored) == 1 + 4  # one for all, and one for each alone


def test_items_that_one_measure_excludes_are_scored_by_the_next() -> None:
    empty = cz.Segmentation.from_masses([8])
    data = cz.Corpus(
        {**{item: dict(corpus().of_item(item)) for item in ("x0", "x1")}, "empty": {"c0": empty, "c1": empty}}
    )
    shared = SharedScores()
    over = [agreement_with_placement(data, m, coefficient="multi_pi", shared=shared)[0] for m in (B, S)]
    alone = [agreement_with_placement(data, m, coefficient="multi_pi")[0] for m in (B, S)]
    assert [len(result.items) for result in over] == [len(result.items) for result in alone]


@pytest.mark.parametrize("name", ["multi_kappa", "bias"])
def test_limit_of_kappa(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MAX_KAPPA_CELLS", 23)
    with pytest.raises(LimitError, match=r"coders times pairs of coders: 24, more than 23; .*-c pi"):
        cz.agreement(corpus(3, 4), B, coefficient=name)
    assert cz.agreement(corpus(3, 4), B).value is not None


def test_limit_of_placement_with_rates_of_each_coder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "MAX_KAPPA_CELLS", 23)
    with pytest.raises(LimitError, match="coders times pairs of coders"):
        cz.agreement(corpus(3, 4), B, coefficient="multi_kappa", chance="placement")


def test_expected_counts_of_pairs_are_those_of_each_row() -> None:
    data = corpus(6, 4)
    resolved = resolve_coefficient(B, "multi_kappa", chance="placement")
    with use_engine("threads") as engine:
        model = placement.PlacementChance(observe(data, "B"), resolved, engine)
    rows = model.by_coder()
    boundaries, positions = model._counts.boundaries.sum(axis=0), model._positions.sum(axis=0)
    ones = np.ones((4, 4))
    repeated = [np.broadcast_to(sums, (4, *sums.shape)) for sums in (boundaries, positions)]
    streams = model._summed_streams(np.ones((4, 6)))
    pairs = model.observed.pairs_of(np.arange(4))
    again = model._beyond(model.observed.coder_parts, *repeated, ones, pairs, streams)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(rows, again, strict=True))


def test_too_many_random_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_texts, "MAX_CHANCE_TEXTS", 35)
    for chance in ("simulate", "exact"):
        with pytest.raises(LimitError, match=r"pairs of coders on all items: 36, more than 35; .*another measure"):
            cz.agreement(corpus(6, 4), S_F, chance=chance)


def test_fewer_draws_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    data = corpus(3, 2)
    positions = sum(data[item, "c0"].length for item in data.item_names)
    work = 3 * chance_simulation._PER_ITEM + 50 * (positions + 3 * chance_simulation._PER_DRAW)
    monkeypatch.setattr(chance_simulation, "MAX_DRAWN_WORK", work)
    with pytest.warns(CaesuraWarning, match="rests on 50 draws .* instead of 10000.*--draws 10000"):
        result = cz.agreement(data, S_F, chance="simulate")
    assert result.draws == 50
    assert result.expected == cz.agreement(data, S_F, chance=cz.Simulate(draws=50)).expected
    assert cz.agreement(data, S_F, chance=cz.Simulate(draws=60)).draws == 60
    monkeypatch.setattr(chance_simulation, "MAX_DRAWN_WORK", 0)
    with pytest.warns(CaesuraWarning, match=f"rests on {chance_simulation.MIN_DRAWS} draws"):
        assert cz.agreement(data, S_F, chance="simulate").draws == chance_simulation.MIN_DRAWS
    monkeypatch.setattr(chance_simulation, "MAX_CHANCE_WORK", work // 10)
    with pytest.raises(LimitError, match=r"positions of random texts .*--draws sets the number"):
        cz.agreement(data, S_F, chance="simulate")
    assert cz.agreement(data, S_F, chance=cz.Simulate(draws=60)).draws == 60


def test_exact_chance_that_takes_too_long_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    data = corpus(6, 2)
    assert cz.agreement(data, S_F, chance="exact").method == "exact"
    monkeypatch.setattr(random_texts, "MAX_EXACT_WORK", 500)
    method = cz.agreement(data, S_F, chance="exact").method
    assert (
        method
        == "simulated, 6 control variates; exact chance would take too much work for all pairs of coders and items"
    )


def test_exact_chance_of_equal_items_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = corpus(4, 2)
    twice = cz.Corpus({f"{item}{k}": dict(data.of_item(item)) for item in data.item_names for k in "ab"})
    calls = []
    original = random_texts.expectation
    monkeypatch.setattr(random_texts, "expectation", lambda *a, **o: calls.append(a) or original(*a, **o))
    result = cz.agreement(twice, S_F, chance="exact")
    assert len(calls) == 4
    single = {row.item: row.expected for row in cz.agreement(data, S_F, chance="exact").items}
    assert {row.item: row.expected for row in result.items} == {f"{i}{k}": x for i, x in single.items() for k in "ab"}


def test_estimates_do_not_depend_on_their_company() -> None:
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(9, 20, 5))
    factors[3, :, 4] = factors[3, :, 0]  # linearly dependent
    matrices = np.einsum("nik,nil->nkl", factors, factors)
    together = pseudo_inverses(matrices, 1e-9)
    assert all(np.array_equal(pseudo_inverses(matrices[i : i + 1], 1e-9)[0], together[i]) for i in range(9))


def test_rates_are_whole_numbers_unless_they_are_averaged() -> None:
    with use_engine("threads") as engine:
        for compat, whole in ((None, True), ("fournier2013", False)):
            resolved = resolve_coefficient(B, "multi_pi", compat=compat)
            model = counts.CountChance(observe(corpus(), "B"), resolved, engine)
            assert np.array_equal(model._cells, np.rint(model._cells)) == whole
            assert isinstance(model.total(), AgreementArrays)


def test_clusters_use_the_simulation_of_the_coefficient(monkeypatch: pytest.MonkeyPatch) -> None:
    from caesura.tasks.agree import AgreeOptions, agree

    simulated = []
    original = chance_simulation.simulate
    monkeypatch.setattr(chance_simulation, "simulate", lambda *a, **o: simulated.append(a) or original(*a, **o))
    data = corpus(3, 3)
    study = agree(data, AgreeOptions(measures=(S_F,), draws=30, clusters=True))
    assert len(simulated) == 1
    clusters = study.analyses["clusters"].result
    again = cz.cluster_coders(data, S_F, chance=cz.Simulate(draws=30))
    assert json.dumps(clusters.to_dict()) == json.dumps(again.to_dict())
