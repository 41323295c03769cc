"""Chance-corrected agreement over flexible similarity."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

import caesura as cz
from caesura.agreement import random_texts
from caesura.agreement.chance import ChanceModel
from caesura.agreement.chance_simulation import distributions
from caesura.agreement.coder_pairs import score_coder_pairs
from caesura.agreement.families import resolve_coefficient
from caesura.engines import open_engine
from caesura.errors import OptionError, Undefined
from support.excluded import reasons
from support.random_states import state
from support.simulated import flexible_agreement as agreement

TYPES = [".", ","]


def text(marks: str, types: list[str] = TYPES) -> cz.Segmentation:
    return cz.Segmentation.from_marks(["" if mark == " " else mark for mark in marks], types=types)


def corpus(**items: dict[str, str]) -> cz.Corpus:
    return cz.Corpus({item: {coder: text(marks) for coder, marks in by.items()} for item, by in items.items()})


#  ann  ··, ···. ·, ·.        bo  ··, ···. ·· ·,
TALK = {"ann": " ,  . ,.", "bo": " ,  .  ,"}


def enumerated(p_a: list[float], p_b: list[float], n: int, normalize: str) -> float:
    """Expected similarity by scoring every pair of texts of n units."""
    marks = [*TYPES, ""]
    total = 0.0
    for a in product(range(3), repeat=n):
        for b in product(range(3), repeat=n):
            weight = math.prod(p_a[x] for x in a) * math.prod(p_b[y] for y in b)
            if weight:
                first, second = (cz.Segmentation.from_marks([marks[x] for x in side], types=TYPES) for side in (a, b))
                total += weight * cz.flexible_similarity(first, second, normalize=normalize).value
    return total


@pytest.mark.parametrize("normalize", ["positions", "boundaries"])
@pytest.mark.parametrize("coefficient", ["kappa", "pi", "s", "s_modified"])
def test_simulation_converges_to_the_mean_over_all_texts(coefficient: str, normalize: str) -> None:
    marks = {"ann": " ,.", "bo": ". ."}
    counts = {coder: [m.count("."), m.count(","), m.count(" ")] for coder, m in marks.items()}
    a, b = counts["ann"], counts["bo"]
    pooled = [(x + y) / 6 for x, y in zip(a, b, strict=True)]
    p = {
        "kappa": ([x / 3 for x in a], [x / 3 for x in b]),
        "pi": (pooled, pooled),
        "s": ([1 / 3] * 3, [1 / 3] * 3),
        "s_modified": ([(1 - pooled[2]) / 2] * 2 + pooled[2:], [(1 - pooled[2]) / 2] * 2 + pooled[2:]),
    }[coefficient]
    expected = enumerated(*p, 3, normalize)
    measure = f"flexible_similarity(normalize='{normalize}')"
    result = agreement(corpus(talk=marks), measure=measure, coefficient=coefficient, seed=1, draws=40_000)
    assert 0 < result.expected_error < 0.01
    assert abs(result.expected - expected) < 4 * result.expected_error
    assert result.value == pytest.approx((result.observed - result.expected) / (1 - result.expected))
    error = (1 - result.observed) / (1 - result.expected) ** 2 * result.expected_error
    assert result.standard_error == pytest.approx(error)


def test_standard_error_is_the_spread_over_seeds() -> None:
    runs = [agreement(corpus(talk=TALK), seed=seed, draws=500) for seed in range(60)]
    spread = np.std([run.expected for run in runs], ddof=1)
    # the standard deviation of 60 values is known to about a tenth
    assert 0.7 < spread / np.mean([run.expected_error for run in runs]) < 1.4


def test_control_variates_reduce_variance() -> None:
    rng = np.random.default_rng(3)
    a, b = ("".join(rng.choice([" ", " ", " ", ",", "."], 200)) for _ in "ab")
    measure = cz.parse("flexible_similarity")
    rows = measure.draw((",", "."), [0.2, 0.2, 0.6], [0.2, 0.2, 0.6], [200], draws=4000, state=state(1))
    plain = np.std(measure.finish(rows[:, :3], (",", ".")), ddof=1) / math.sqrt(4000)
    with_variates = agreement(corpus(talk={"a": a, "b": b}), seed=1, draws=4000, coefficient="s").expected_error
    assert with_variates < plain / 1.5


@pytest.mark.parametrize("normalize", ["positions", "boundaries"])
def test_same_seed_gives_same_number_for_any_workers_and_order(normalize: str) -> None:
    items = {"x": {**TALK, "cy": ", . . ."[:8].ljust(8)}, "y": {"ann": ". .", "bo": "  ."}}

    def with_workers(workers: int, items: dict[str, dict[str, str]]) -> cz.Agreement:
        with open_engine("threads", workers) as engine:
            return agreement(corpus(**items), seed=5, draws=2000, normalize=normalize, engine=engine)

    first = with_workers(1, items)
    turned = {item: dict(reversed(by.items())) for item, by in reversed(items.items())}
    for again in (with_workers(3, items), with_workers(2, turned)):
        expected = (first.value, first.expected, first.standard_error)
        assert (again.value, again.expected, again.standard_error) == expected
        assert {row.item: row.expected for row in again.items} == {row.item: row.expected for row in first.items}
    assert agreement(corpus(**items), seed=6, draws=2000, normalize=normalize).expected != first.expected


def test_seed_is_reported_when_it_was_not_set() -> None:
    result = agreement(corpus(talk=TALK), draws=100, seed=None)
    assert agreement(corpus(talk=TALK), draws=100, seed=result.seed).value == result.value
    assert f"|draws:100|seed:{result.seed}|" in result.signature


def test_simulation_draws_until_the_tolerance_is_reached() -> None:
    loose = agreement(corpus(talk=TALK), seed=1, tolerance=0.01)
    tight = agreement(corpus(talk=TALK), seed=1, tolerance=0.001)
    assert loose.standard_error <= 0.01
    assert tight.standard_error <= 0.001
    assert loose.draws < tight.draws
    assert agreement(corpus(talk=TALK), seed=1, tolerance=1e-9, draws=4500).draws == 4500


def test_exact_and_simulated_agree_on_random_texts() -> None:
    rng = np.random.default_rng(8)
    for trial in range(20):
        n = int(rng.integers(5, 40))
        marks = {coder: "".join(rng.choice([" ", " ", ",", "."], n)) for coder in ("a", "b")}
        measure = cz.parse("flexible_similarity(similarity={(',', '.'): 0.5})" if trial % 2 else "flexible_similarity")
        exact = agreement(corpus(talk=marks), measure=measure, chance="exact")
        simulated = agreement(corpus(talk=marks), measure=measure, seed=trial, draws=4000)
        assert (exact.method, exact.draws, exact.seed, exact.standard_error) == ("exact", 0, None, 0.0)
        assert abs(exact.expected - simulated.expected) < 4.5 * simulated.expected_error, trial


def test_exact_cost_reduces_the_error_of_the_ratio() -> None:
    rng = np.random.default_rng(2)
    marks = {coder: "".join(rng.choice([" ", " ", ",", "."], 300)) for coder in ("a", "b")}
    plain = agreement(corpus(talk=marks), normalize="boundaries", seed=1, draws=2000)
    helped = agreement(corpus(talk=marks), normalize="boundaries", seed=1, draws=2000, chance="exact")
    assert helped.method == "simulated, 6 control variates and the exact cost"
    assert helped.expected_error < plain.expected_error
    assert abs(helped.expected - plain.expected) < 4 * plain.expected_error


def test_too_many_states_fall_back_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_texts, "MAX_STATES", 1)
    result = agreement(corpus(talk=TALK), chance="exact", seed=1, draws=200)
    assert result.method == "simulated, 6 control variates; exact chance would need more than 1 states"
    assert result.draws == 200


def test_several_items_are_summed_before_the_ratio() -> None:
    items = {"x": TALK, "y": {"ann": ". .", "bo": "  ."}}
    result = agreement(corpus(**items), chance="exact")
    parts = [cz.flexible_similarity(text(by["ann"]), text(by["bo"])).parts for by in items.values()]
    assert result.observed == pytest.approx(1 - sum(p["cost"] for p in parts) / sum(p["positions"] for p in parts))
    chances = {item: agreement(corpus(**{item: by}), chance="exact").expected for item, by in items.items()}
    assert result.expected == pytest.approx((8 * chances["x"] + 3 * chances["y"]) / 11)
    assert [row.item for row in result.items] == ["x", "y"]
    assert {row.item: row.expected for row in result.items} == pytest.approx(chances)


def test_more_than_two_coders_is_the_mean_over_pairs() -> None:
    three = {**TALK, "cy": ". . . ,."}
    result = agreement(corpus(talk=three), chance="exact")
    assert [row.coders for row in result.pairs] == [("ann", "bo"), ("ann", "cy"), ("bo", "cy")]
    pairs = [agreement(corpus(talk={c: three[c] for c in row.coders}), chance="exact") for row in result.pairs]
    observed, expected = (sum(getattr(p, name) for p in pairs) / 3 for name in ("observed", "expected"))
    assert (result.observed, result.expected) == pytest.approx((observed, expected))
    assert result.value == pytest.approx((observed - expected) / (1 - expected))
    assert [row.value for row in result.pairs] == pytest.approx([p.value for p in pairs])


def test_missing_coders_and_invalid_items_are_listed() -> None:
    items = {"x": TALK, "alone": {"ann": ", ."}, "torn": {"ann": ", .", "bo": ", ."[:2]}}
    result = agreement(corpus(**items), chance="exact")
    assert reasons(result) == {
        "alone": "coded by ann only",
        "torn": "a is ann, b is bo: both sides must have the same units; a has 3, b has 2",
    }
    assert result.value == agreement(corpus(x=TALK), chance="exact").value


def test_streams_share_a_distribution_and_are_drawn_separately() -> None:
    annotations = {"ann": {"F": text(" ,. "), "M": text(", ")}, "bo": {"F": text(" ,  "), "M": text(",.")}}
    result = agreement(cz.Corpus({"talk": annotations}), chance="exact")
    assert result.observed == pytest.approx(1 - 2 / 6)  # one deletion in F, one insertion in M
    # Two streams cut the text, so chance differs from that of one stream of six units.
    joined = agreement(corpus(talk={"ann": " ,. , ", "bo": " ,  ,."}), chance="exact")
    assert joined.observed == result.observed
    assert joined.expected != result.expected


def test_identical_coders_agree_fully() -> None:
    assert agreement(corpus(talk={"ann": TALK["ann"], "bo": TALK["ann"]}), chance="exact").value == 1


def test_compat_of_the_r_package() -> None:
    result = agreement(corpus(talk=TALK), compat="segsimflex", seed=1, draws=500)
    assert result.measure.compat == "segsimflex"
    assert "compat:segsimflex" in result.signature
    with pytest.raises(OptionError, match="chance='exact' needs the exact alignment"):
        agreement(corpus(talk=TALK), compat="segsimflex", chance="exact")


@pytest.mark.parametrize(
    ("items", "options", "error", "message"),
    [
        ({"x": {"ann": ", ."}}, {}, OptionError, "agreement needs at least two coders; got ann"),
        ({"x": {"ann": ", ."}, "y": {"bo": ", ."}}, {}, OptionError, "coded by ann only; item 'y': coded by bo only"),
        ({"x": {"ann": "   ", "bo": "   "}}, {}, Undefined, "no coder placed a boundary, so agreement beyond chance"),
        ({"x": {"ann": "...", "bo": "..."}}, {"chance": "exact"}, Undefined, "chance agreement is 1"),
        ({"x": TALK}, {"coefficient": "multi_pi"}, OptionError, "flexible_similarity has no coefficient 'multi_pi'"),
        ({"x": TALK}, {"chance": "guess"}, OptionError, "chance must be 'published', 'placement', 'simulate'"),
        ({"x": TALK}, {"draws": 0}, OptionError, "draws must be a whole number of at least 20; got 0"),
        ({"x": TALK}, {"draws": 5}, OptionError, "draws must be a whole number of at least 20; got 5"),
        ({"x": TALK}, {"tolerance": 2}, OptionError, "tolerance must be a number between 0 and 1; got 2"),
        ({"x": TALK}, {"seed": -1}, OptionError, "seed must be a whole number of at least 0; got -1"),
        ({"x": TALK}, {"tolerance": "x"}, OptionError, "tolerance must be a number; got 'x'"),
        ({"x": TALK}, {"checkpoint": 5}, OptionError, "checkpoint must be a path; got 5"),
        ({"x": TALK}, {"workers": 0}, OptionError, "kappa over flexible_similarity has no option 'workers'"),
        ({"x": TALK}, {"variates": 6}, OptionError, "variates must be True or False; got 6"),
        ({"x": TALK}, {"normalize": "units"}, OptionError, "normalize must be one of 'positions', 'boundaries'"),
    ],
)
def test_invalid_input(items: dict, options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        agreement(corpus(**items), **options)
    assert message in str(caught.value)


def test_as_dict_is_json() -> None:
    data = json.loads(json.dumps(agreement(corpus(talk=TALK), seed=1, draws=100).to_dict()))
    assert data["coefficient"] == "kappa"
    assert data["pairs"][0]["coders"] == ["ann", "bo"]
    assert data["items"][0]["item"] == "talk"


def test_distributions_add_up_to_one() -> None:
    for name in ("kappa", "pi", "s", "s_modified"):
        for p in distributions(name, np.array([3.0, 0, 7]), np.array([1.0, 1, 8])):
            assert p.sum() == pytest.approx(1)


def random_talks(seed: int, *, items: int = 6, coders: str = "abc", missing: float = 0.0) -> cz.Corpus:
    """Dialogues of one or two streams; coders share most marks, and one may be missing."""
    rng = np.random.default_rng(seed)
    annotations: dict[str, dict[str, dict[str, cz.Segmentation]]] = {}
    for i in range(items):
        lengths = [int(n) for n in rng.integers(3, 12, rng.integers(1, 3))]
        base = [rng.choice([" ", " ", ",", "."], n) for n in lengths]
        by = {}
        for coder in coders:
            streams = [np.where(rng.random(len(b)) < 0.7, b, rng.choice([" ", ",", "."], len(b))) for b in base]
            by[coder] = {f"S{k}": text("".join(stream)) for k, stream in enumerate(streams)}
        absent = rng.choice(list(coders)) if rng.random() < missing else None
        annotations[f"i{i}"] = {coder: talk for coder, talk in by.items() if coder != absent}
    return cz.Corpus(annotations)  # type: ignore[arg-type]


def chance_model(
    corpus: cz.Corpus, coefficient: str, chance: cz.Simulate | cz.Exact, measure: str = "flexible_similarity"
) -> ChanceModel:
    resolved = resolve_coefficient(measure, coefficient, chance=chance, seed=1)
    with open_engine() as engine:
        return resolved.model_class(score_coder_pairs(corpus, resolved.measure), resolved, engine)


WEIGHTS = np.array([[1, 1, 1, 1, 1, 1], [2, 0, 1, 3, 0, 0], [0, 0, 6, 0, 0, 0], [1, 2, 0, 0, 2, 1]], float)


def resampled(corpus: cz.Corpus, items: tuple[str, ...], weights: np.ndarray) -> cz.Corpus:
    chosen = [item for item, times in zip(items, weights, strict=True) for _ in range(int(times))]
    return cz.Corpus({str(k): corpus.of_item(item) for k, item in enumerate(chosen)})


@pytest.mark.parametrize("missing", [0.0, 0.6])
@pytest.mark.parametrize("coefficient", ["kappa", "pi", "s", "s_modified"])
def test_bootstrap_over_items_is_agreement_on_the_resampled_corpus(coefficient: str, missing: float) -> None:
    corpus = random_talks(5, missing=missing)
    model = chance_model(corpus, coefficient, cz.Exact())
    assert len(model.observed.items) == 6
    arrays = model.parts.resampled(WEIGHTS)
    for k, weights in enumerate(WEIGHTS):
        alone = agreement(resampled(corpus, model.observed.items, weights), coefficient=coefficient, chance="exact")
        assert arrays.observed[k] == pytest.approx(alone.observed, abs=1e-9)
        assert arrays.expected[k] == pytest.approx(alone.expected, abs=1e-9)
        assert arrays.values[k] == pytest.approx(alone.value, abs=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_bootstrap_over_items_of_s_f_b_is_close_to_resampling(missing: float) -> None:
    """The expectation of a ratio of sums is not the ratio of expectations, but near."""
    measure = "flexible_similarity(normalize='boundaries')"
    corpus = random_talks(5, missing=missing)
    model = chance_model(corpus, "kappa", cz.Simulate(draws=4000), measure)
    arrays = model.parts.resampled(WEIGHTS)
    for k, weights in enumerate(WEIGHTS):
        alone = agreement(resampled(corpus, model.observed.items, weights), measure=measure, seed=2, draws=8000)
        assert arrays.observed[k] == pytest.approx(alone.observed, abs=1e-9)
        assert arrays.expected[k] == pytest.approx(alone.expected, abs=0.03)


@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_bootstrap_over_coders(missing: float) -> None:
    """Pairs weigh w_c w_d, and a coder drawn twice makes no pair with itself."""
    corpus = random_talks(7, coders="abcd", missing=missing)
    model = chance_model(corpus, "kappa", cz.Exact())
    alone = {row.coders: row for row in agreement(corpus, chance="exact").pairs}
    weights = np.array([[1, 1, 1, 1], [2, 1, 1, 0], [0, 3, 1, 0], [1, 0, 2, 1]], float)
    arrays = model.parts.of_coders(weights)
    for k, row in enumerate(weights):
        w = dict(zip(model.observed.coders, row, strict=True))
        weighted = [(w[a] * w[b], alone[a, b]) for a, b in alone]
        total = sum(weight for weight, _ in weighted)
        a = sum(weight * pair.observed for weight, pair in weighted) / total
        e = sum(weight * pair.expected for weight, pair in weighted) / total
        assert (arrays.observed[k], arrays.expected[k]) == pytest.approx((a, e), abs=1e-12)
        assert arrays.values[k] == pytest.approx((a - e) / (1 - e), abs=1e-12)
        if set(row) <= {0, 1}:
            present = [c for c in w if w[c]]
            expected = agreement(corpus.select(coders=present), chance="exact").value
            assert arrays.values[k] == pytest.approx(expected)


@pytest.mark.slow
def test_percentiles_of_the_replicates() -> None:
    """The interval is that of coefficients of corpora made of resampled items."""
    corpus = random_talks(9, items=20, coders="ab")
    rng = np.random.default_rng(0)
    values = []
    for _ in range(200):
        times = np.bincount(rng.integers(0, 20, 20), minlength=20)
        values.append(agreement(resampled(corpus, corpus.item_names, times), chance="exact").value)
    low, high = np.quantile(values, [0.025, 0.975])
    ours = agreement(corpus, chance="exact", interval="items", seed=3).interval
    assert ours is not None
    spread = (high - low) / 8  # a percentile of 200 draws is itself uncertain
    assert ours == (pytest.approx(low, abs=spread), pytest.approx(high, abs=spread))


def test_pairs_of_a_coder_without_items_in_the_sample() -> None:
    """Only the first item has cy; a sample without it is agreement of ann and bo."""
    three_coders = corpus(x={**TALK, "cy": ". ,  . "[:7].ljust(8)}, y={"ann": ". .", "bo": "  ."})
    arrays = chance_model(three_coders, "pi", cz.Exact()).parts.resampled(np.array([[0.0, 2.0]]))
    alone = agreement(corpus(y={"ann": ". .", "bo": "  ."}), coefficient="pi", chance="exact")
    assert arrays.values[0] == pytest.approx(alone.value, abs=1e-12)


def test_asymmetric_similarity_uses_the_first_coder_as_first_side() -> None:
    matrix = {"types": TYPES, "matrix": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}
    measure = cz.parse("flexible_similarity(transposition=1)").replace(similarity=matrix)
    segmentations = {"z": text(".. "), "a": text(",, ")}
    forth = agreement(cz.Corpus({"x": segmentations}), measure=measure, chance="exact")
    back = agreement(cz.Corpus({"x": dict(reversed(segmentations.items()))}), measure=measure, chance="exact")
    assert (forth.observed, back.observed) == pytest.approx((1 - 1 / 3, 1 - 2 / 3))


@pytest.mark.slow
def test_ten_thousand_items_fit_into_memory() -> None:
    """Draws of all items at once would be 72 MB for each block of 500."""
    import tracemalloc

    rng = np.random.default_rng(1)
    talks = {f"i{i}": {c: text("".join(rng.choice([" ", " ", "."], 6))) for c in "ab"} for i in range(2000)}
    many_items = cz.Corpus(talks)
    tracemalloc.start()
    try:
        result = agreement(many_items, draws=1000, seed=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40e6
    exact = agreement(many_items, chance="exact")
    assert abs(result.value - exact.value) < 4 * result.standard_error


@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_table_row_is_the_coefficient_of_that_subset(missing: float) -> None:
    corpus = random_talks(11, coders="abcd", missing=missing)
    total = agreement(corpus, chance="exact")
    for row in total.pairs:
        alone = agreement(corpus.select(coders=row.coders), chance="exact")
        assert (row.value, row.observed, row.expected) == pytest.approx((alone.value, alone.observed, alone.expected))
        assert row.items == len(alone.items)
    for row in total.items:
        alone = agreement(corpus.select(items=[row.item]), chance="exact")
        assert (row.value, row.observed, row.expected) == pytest.approx((alone.value, alone.observed, alone.expected))
    for row in total.coders:
        without = agreement(corpus.select(coders=[c for c in corpus.coders if c != row.coder]), chance="exact")
        assert (row.without, row.gain) == pytest.approx((without.value, without.value - total.value))
        own_pairs = [pair for pair in total.pairs if row.coder in pair.coders]
        assert row.observed == pytest.approx(sum(pair.observed for pair in own_pairs) / len(own_pairs))
        assert row.expected == pytest.approx(sum(pair.expected or 0 for pair in own_pairs) / len(own_pairs))
        assert row.items == len([i for i in corpus.item_names if (i, row.coder) in corpus])


def test_simulation_options_belong_to_the_chance_object() -> None:
    talk = corpus(talk=TALK)
    for draws in (100, np.int64(100)):
        assert cz.Simulate(draws=draws) == cz.Simulate(draws=100)
        assert agreement(talk, draws=draws).draws == 100
    for chance_class in (cz.Simulate, cz.Exact):
        for value in ("x", 2, True, math.nan):
            with pytest.raises(OptionError, match=rf"^tolerance must be a number.*; got {value!r}$"):
                chance_class(tolerance=value)
    assert agreement(talk, chance="simulate") == agreement(talk) == agreement(talk, chance=cz.Simulate())
    assert agreement(talk, chance="exact") == agreement(talk, chance=cz.Exact())
