"""Chance-corrected agreement over flexible similarity."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

import caesura as cz
from caesura.agreement import drawn
from caesura.agreement.chance import distributions
from caesura.errors import OptionError, Undefined

TYPES = [".", ","]


def agreement(corpus: cz.Corpus, **options: object) -> cz.Agreement:
    return cz.agreement(corpus, **{"measure": "flexible_similarity", "interval": None, **options})  # type: ignore[arg-type]


def text(marks: str, types: list[str] = TYPES) -> cz.Segmentation:
    return cz.Segmentation.from_marks(["" if mark == " " else mark for mark in marks], types=types)


def corpus(**items: dict[str, str]) -> cz.Corpus:
    return cz.Corpus({item: {coder: text(marks) for coder, marks in by.items()} for item, by in items.items()})


#  ann  ··, ···. ·, ·.        bo  ··, ···. ·· ·,
TALK = {"ann": " ,  . ,.", "bo": " ,  .  ,"}


def enumerated(p_a: list[float], p_b: list[float], n: int, normalize: str) -> float:
    """Expected similarity by scoring every pair of texts of n units."""
    marks = [*TYPES, ""]
    whole = 0.0
    for a in product(range(3), repeat=n):
        for b in product(range(3), repeat=n):
            weight = math.prod(p_a[x] for x in a) * math.prod(p_b[y] for y in b)
            if weight:
                one, other = (cz.Segmentation.from_marks([marks[x] for x in side], types=TYPES) for side in (a, b))
                whole += weight * cz.flexible_similarity(one, other, normalize=normalize).value
    return whole


@pytest.mark.parametrize("normalize", ["positions", "boundaries"])
@pytest.mark.parametrize("coefficient", ["kappa", "pi", "s", "s_modified"])
def test_simulation_is_the_mean_over_all_texts(coefficient: str, normalize: str) -> None:
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
    result = agreement(
        corpus(talk=marks), measure=f"flexible_similarity(normalize='{normalize}')", coefficient=coefficient, seed=1,
        draws=40_000,
    )  # fmt: skip
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


def test_control_variates_take_out_variance() -> None:
    rng = np.random.default_rng(3)
    a, b = ("".join(rng.choice([" ", " ", " ", ",", "."], 200)) for _ in "ab")
    measure = cz.parse("flexible_similarity")
    drawn = measure.draw((",", "."), [0.2, 0.2, 0.6], [0.2, 0.2, 0.6], [200], draws=4000, seed=1)
    plain = np.std(measure.finish(drawn[:, :3], (",", ".")), ddof=1) / math.sqrt(4000)
    with_variates = agreement(corpus(talk={"a": a, "b": b}), seed=1, draws=4000, coefficient="s").expected_error
    assert with_variates < plain / 1.5


@pytest.mark.parametrize("normalize", ["positions", "boundaries"])
def test_same_seed_same_number_whatever_threads_and_order(normalize: str) -> None:
    items = {"x": {**TALK, "cy": ", . . ."[:8].ljust(8)}, "y": {"ann": ". .", "bo": "  ."}}
    first = agreement(corpus(**items), seed=5, draws=2000, normalize=normalize, threads=1)
    turned = {item: dict(reversed(by.items())) for item, by in reversed(items.items())}
    for again in (
        agreement(corpus(**items), seed=5, draws=2000, normalize=normalize, threads=3),
        agreement(corpus(**turned), seed=5, draws=2000, normalize=normalize, threads=2),
    ):
        assert (again.value, again.expected, again.standard_error) == (
            first.value,
            first.expected,
            first.standard_error,
        )
        assert {row.name: row.expected for row in again.items} == {row.name: row.expected for row in first.items}
    assert agreement(corpus(**items), seed=6, draws=2000, normalize=normalize).expected != first.expected


def test_seed_is_told_when_it_was_not_given() -> None:
    result = agreement(corpus(talk=TALK), draws=100)
    assert agreement(corpus(talk=TALK), draws=100, seed=result.seed).value == result.value
    assert f"|draws:100|seed:{result.seed}|" in result.signature


def test_draws_until_the_tolerance() -> None:
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
        drawn = agreement(corpus(talk=marks), measure=measure, seed=trial, draws=4000)
        assert (exact.method, exact.draws, exact.seed, exact.standard_error) == ("exact", 0, None, 0.0)
        assert abs(exact.expected - drawn.expected) < 4.5 * drawn.expected_error, trial


def test_exact_cost_helps_the_ratio() -> None:
    rng = np.random.default_rng(2)
    marks = {coder: "".join(rng.choice([" ", " ", ",", "."], 300)) for coder in ("a", "b")}
    plain = agreement(corpus(talk=marks), normalize="boundaries", seed=1, draws=2000)
    helped = agreement(corpus(talk=marks), normalize="boundaries", seed=1, draws=2000, chance="exact")
    assert helped.method == "simulated, 6 control variates and the exact cost"
    assert helped.expected_error < plain.expected_error
    assert abs(helped.expected - plain.expected) < 4 * plain.expected_error


def test_too_many_states_fall_back_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "MOST_STATES", 1)
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
    assert [(row.name, row.items) for row in result.items] == [(("x",), 1), (("y",), 1)]
    assert {row.name[0]: row.expected for row in result.items} == pytest.approx(chances)


def test_more_than_two_coders_is_the_mean_over_pairs() -> None:
    three = {**TALK, "cy": ". . . ,."}
    result = agreement(corpus(talk=three), chance="exact")
    assert [row.name for row in result.pairs] == [("ann", "bo"), ("ann", "cy"), ("bo", "cy")]
    pairs = [
        agreement(corpus(talk={one: three[one] for one in pair}), chance="exact")
        for pair in (("ann", "bo"), ("ann", "cy"), ("bo", "cy"))
    ]
    observed, expected = (sum(getattr(p, name) for p in pairs) / 3 for name in ("observed", "expected"))
    assert (result.observed, result.expected) == pytest.approx((observed, expected))
    assert result.value == pytest.approx((observed - expected) / (1 - expected))
    assert [row.value for row in result.pairs] == pytest.approx([p.value for p in pairs])


def test_missing_coders_and_bad_items_are_named() -> None:
    items = {"x": TALK, "alone": {"ann": ", ."}, "torn": {"ann": ", .", "bo": ", ."[:2]}}
    result = agreement(corpus(**items), chance="exact")
    assert result.dropped == {
        "alone": "coded by ann only",
        "torn": "a is ann, b is bo: both sides must have the same units; a has 3, b has 2",
    }
    assert result.value == agreement(corpus(x=TALK), chance="exact").value


def test_streams_are_pooled_for_the_distribution_and_apart_in_the_draws() -> None:
    whole = {"ann": {"F": text(" ,. "), "M": text(", ")}, "bo": {"F": text(" ,  "), "M": text(",.")}}
    result = agreement(cz.Corpus({"talk": whole}), chance="exact")
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
    with pytest.raises(OptionError, match="chance='exact' is for the exact alignment"):
        agreement(corpus(talk=TALK), compat="segsimflex", chance="exact")


@pytest.mark.parametrize(
    ("items", "options", "error", "message"),
    [
        ({"x": {"ann": ", ."}}, {}, OptionError, "agreement needs at least two coders; got ann"),
        ({"x": {"ann": ", ."}, "y": {"bo": ", ."}}, {}, OptionError,
         "no item is left that two coders share: item 'x': coded by ann only; item 'y': coded by bo only"),
        ({"x": {"ann": "   ", "bo": "   "}}, {}, Undefined,
         "nobody placed a boundary, so agreement beyond chance has no meaning"),
        ({"x": {"ann": "...", "bo": "..."}}, {"chance": "exact"}, Undefined,
         "chance agreement is 1, so agreement beyond chance has no meaning"),
        ({"x": TALK}, {"coefficient": "multi_pi"}, OptionError,
         "coefficient must be one of kappa, pi, s, s_modified, alpha over flexible_similarity; got 'multi_pi'"),
        ({"x": TALK}, {"chance": "guess"}, OptionError, "chance must be 'simulate' or 'exact'; got 'guess'"),
        ({"x": TALK}, {"draws": 0}, OptionError, "draws must be a whole number of at least 1; got 0"),
        ({"x": TALK}, {"draws": 5}, OptionError, "draws must be at least 20, or there is no standard error; got 5"),
        ({"x": TALK}, {"tolerance": 2}, OptionError, "tolerance must lie between 0 and 1; got 2"),
        ({"x": TALK}, {"seed": -1}, OptionError, "seed must be a whole number from 0 to 2^63 - 1; got -1"),
        ({"x": TALK}, {"threads": 0}, OptionError, "threads must be a whole number of at least 1; got 0"),
        ({"x": TALK}, {"normalize": "units"}, OptionError,
         "normalize must be one of 'positions', 'boundaries'; got 'units'"),
    ],
)  # fmt: skip
def test_what_cannot_be(items: dict, options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        agreement(corpus(**items), **options)
    assert str(caught.value) == message


def test_as_dict_is_json() -> None:
    data = json.loads(json.dumps(agreement(corpus(talk=TALK), seed=1, draws=100).as_dict()))
    assert data["coefficient"] == "kappa"
    assert data["pairs"][0]["coders"] == ["ann", "bo"]
    assert data["items"][0]["item"] == "talk"


def test_distributions_add_up_to_one() -> None:
    for name in ("kappa", "pi", "s", "s_modified"):
        for p in distributions(name, np.array([3.0, 0, 7]), np.array([1.0, 1, 8])):
            assert p.sum() == pytest.approx(1)
