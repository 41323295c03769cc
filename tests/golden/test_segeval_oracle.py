"""What segeval 2.0.11 prints for 1,000 pairs with one boundary type and 250 pairs with several.

``compat="segeval-2.0.11"`` must reproduce its output. The minimum never costs more than segeval's greedy pairing. If segeval
crashes (no boundary on either side, or no window), caesura still has a number.
"""

from __future__ import annotations

from decimal import Decimal

import pytest

import caesura as cz
from support.oracles import read_oracle

SEGEVAL = "segeval-2.0.11"


@pytest.fixture(scope="module")
def cases() -> dict[str, list[dict]]:
    by_kind: dict[str, list[dict]] = {}
    for case in read_oracle("segeval.jsonl"):
        by_kind.setdefault(case["kind"], []).append(case)
    return by_kind


@pytest.fixture(scope="module")
def single(cases) -> list[tuple[dict, cz.Segmentation, cz.Segmentation]]:
    """(case, reference, hypothesis)"""
    pairs = [(c, cz.Segmentation.from_masses(c["r"]), cz.Segmentation.from_masses(c["h"])) for c in cases["single"]]
    assert len(pairs) == 1000
    return pairs


@pytest.fixture(scope="module")
def multi(cases) -> list[tuple[dict, cz.Segmentation, cz.Segmentation]]:
    """(case, hypothesis, reference). segeval's types are numbers. All from the smallest to the largest are declared."""
    pairs = []
    for case in cases["multi"]:
        numbers = {t for side in (case["h"], case["r"]) for marks in side for t in marks} or {1}
        types = [str(t) for t in range(min(numbers), max(numbers) + 1)]
        pairs.append((case, *(cz.Segmentation.from_sets(case[side], types=types) for side in ("h", "r"))))
    assert len(pairs) == 250
    return pairs


def crashed(field) -> bool:
    return isinstance(field, dict) and "error" in field


def parts_of(text: str) -> tuple[int, int]:
    errors, windows = text.split("/")
    return int(errors), int(windows)


@pytest.mark.parametrize(
    ("field", "measure", "padded"),
    [("pk", cz.pk, False), ("wd", cz.window_diff, False), ("wd_lam", cz.window_diff, True)],
)
def test_window_measures(single, field, measure, padded):
    checked = 0
    for case, reference, hypothesis in single:
        score = measure(reference, hypothesis, compat=SEGEVAL, padded=padded)
        assert score.params["window"] == case["k"], case["id"]
        if crashed(case[field]):
            assert score.value == 0, case["id"]
        else:
            errors, windows = parts_of(case[field])
            assert (score.parts["errors"], score.parts["windows"]) == (errors, windows), case["id"]
            assert score.value == (errors / windows if windows else 0), case["id"]
            checked += 1
    assert checked > 950


def test_one_minus_window_diff(single):
    for case, reference, hypothesis in single:
        if not crashed(case["wd"]):
            expected = float(Decimal(case["1-wd"]))
            assert 1 - cz.window_diff(reference, hypothesis, compat=SEGEVAL).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("field", "measure"), [("S", cz.segmentation_similarity), ("B", cz.boundary_similarity)])
def test_similarities(single, field, measure):
    checked = 0
    for case, reference, hypothesis in single:
        value = measure(reference, hypothesis, n_t=case["n_t"], compat=SEGEVAL).value
        if crashed(case[field]):
            assert value == 1, case["id"]
            assert measure(reference, hypothesis, n_t=case["n_t"]).value == 1, case["id"]
        else:
            assert value == pytest.approx(float(Decimal(case[field])), abs=1e-12), case["id"]
            checked += 1
    assert checked > 900


@pytest.mark.parametrize(("field", "measure"), [("S", cz.segmentation_similarity), ("B", cz.boundary_similarity)])
def test_defaults_agree_at_two(single, field, measure):
    checked = 0
    for case, reference, hypothesis in single:
        if case["n_t"] == 2 and not crashed(case[field]):
            value = measure(reference, hypothesis).value
            assert value == pytest.approx(float(Decimal(case[field])), abs=1e-12), case["id"]
            checked += 1
    assert checked > 50


@pytest.mark.parametrize(("field", "name"), [("S_unw", "segmentation_similarity"), ("B_unw", "boundary_similarity")])
def test_unweighted(single, field, name):
    """Every transposition costs 1."""
    measure = cz.measures()[name]
    checked = 0
    for case, reference, hypothesis in single:
        if not crashed(case[field]):
            unweighted = measure(n_t=case["n_t"], compat=SEGEVAL, transposition="unit", substitution="unit")
            value = unweighted.score(reference, hypothesis).value
            assert value == pytest.approx(float(Decimal(case[field])), abs=1e-11), case["id"]
            checked += 1
    assert checked > 900


def test_edits(single):
    """Additions, transpositions and matches equal segeval's lists, not only their cost."""
    checked = 0
    for case, reference, hypothesis in single:
        stats = case["stats"]
        if crashed(stats):
            continue
        score = cz.boundary_similarity(hypothesis, reference, n_t=case["n_t"], compat=SEGEVAL)
        moved = [(e.position, e.position + e.distance) for e in score.edits if e.kind == "transposition"]
        assert sorted(moved) == sorted((i + 1, j + 1) for i, j, _ in stats["T"]), case["id"]  # segeval counts from 0
        sides = [
            {"deletion": "a", "insertion": "b"}[e.kind] for e in score.edits if e.kind in ("deletion", "insertion")
        ]
        assert sorted(sides) == sorted(side for _, side in stats["A"]), case["id"]
        assert score.parts["matches"] == stats["M"], case["id"]
        checked += 1
    assert checked > 900


def cost(score: cz.Score) -> float:
    return sum(edit.cost for edit in score.edits)


def test_the_minimum_never_costs_more(single):
    cheaper = 0
    for case, reference, hypothesis in single:
        stats = case["stats"]
        if crashed(stats):
            continue
        ours = cost(cz.boundary_similarity(reference, hypothesis, n_t=case["n_t"]))
        theirs = float(Decimal(stats["edits"]))
        assert ours <= theirs + 1e-9, case["id"]
        if case["n_t"] <= 2:
            assert ours == pytest.approx(theirs), case["id"]
        cheaper += ours < theirs - 1e-9
    assert cheaper > 0


def test_several_types(multi):
    checked = 0
    for case, hypothesis, reference in multi:
        score = cz.boundary_similarity(hypothesis, reference, n_t=case["n_t"], compat=SEGEVAL)
        if crashed(case["B"]):
            assert score.value == 1, case["id"]
            assert cz.boundary_similarity(hypothesis, reference, n_t=case["n_t"]).value == 1, case["id"]
            continue
        assert score.value == pytest.approx(float(Decimal(case["B"])), abs=1e-12), case["id"]
        assert cost(score) == pytest.approx(float(Decimal(case["stats"]["edits"]))), case["id"]
        checked += 1
    assert checked > 200


def test_s_of_several_types_divides_twice(multi):
    """segeval's |T| counts the types that occur in the pair. It equals ours if all declared types occur."""
    checked = 0
    for case, hypothesis, reference in multi:
        if crashed(case["S"]) or len(case["stats"]["types"]) != len(hypothesis.types):
            continue
        score = cz.segmentation_similarity(hypothesis, reference, n_t=case["n_t"], compat=SEGEVAL)
        assert score.value == pytest.approx(float(Decimal(case["S"])), abs=1e-12), case["id"]
        checked += 1
    assert checked > 100


def test_the_minimum_of_several_types_never_costs_more(multi):
    cheaper = 0
    for case, hypothesis, reference in multi:
        if crashed(case["B"]):
            continue
        ours = cost(cz.boundary_similarity(hypothesis, reference, n_t=case["n_t"]))
        theirs = float(Decimal(case["stats"]["edits"]))
        assert ours <= theirs + 1e-9, case["id"]
        cheaper += ours < theirs - 1e-9
    assert cheaper > 0
