"""Limits of agreement, and computations that are shared or summarized, compared with their definitions."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest

import caesura as cz
from caesura.agreement import bootstrap, chance_simulation, coefficients, counts, random_texts
from caesura.agreement.bootstrap import Bootstrap
from caesura.agreement.coder_pairs import CoderPairs, score_coder_pairs
from caesura.agreement.coefficients import SharedScores, agreement_with_placement
from caesura.agreement.families import resolve_coefficient
from caesura.engines import use_engine
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
        return weights @ np.arange(300.0)

    shared: bootstrap.Samples = {}
    first, second = (Bootstrap().run(300, 3, compute, shared) for _ in range(2))
    assert first == second
    blocks = list(item_weights(300, 2000, np.random.default_rng([3, 300])))
    assert np.concatenate(drawn).tolist() == np.concatenate(blocks + blocks).tolist()
    assert first[0] == tuple(np.quantile(np.concatenate(blocks) @ np.arange(300.0), [0.025, 0.975]).tolist())


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
            margins = model.parts.margins.values
            assert np.array_equal(margins, np.rint(margins)) == whole


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
