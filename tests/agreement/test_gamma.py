"""Gamma, gamma-cat and gamma-k: figures of other programs, laws, chance, engines and bad input."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.agreement.gamma import Gamma
from caesura.agreement.gamma_alignment import category_terms
from caesura.agreement.gamma_chance import (
    Continuum,
    Piece,
    Sampler,
    Shift,
    Statistical,
    generator,
    samples_needed,
    uniform_rows,
)
from caesura.agreement.unitary import Alignments
from caesura.agreement.unitizing_scores import UnitizingAgreement
from caesura.engines import use_engine
from caesura.errors import CaesuraWarning, MismatchError, OptionError, Undefined
from oracle.unitizing_gamma import Definition
from support.continua import align
from support.oracles import read_oracle

CASES = {case["id"]: case for case in read_oracle("gamma.jsonl") if "annotators" in case}
WITH_SAMPLES = [case for case in CASES.values() if "given_samples" in case]
pytestmark = pytest.mark.filterwarnings("ignore:there are fewer than 5 spans:caesura.errors.CaesuraWarning")

TEXT = {
    "ann": [(0, 12, "a"), (15, 20, "b"), (22, 40, "a"), (41, 50, "c"), (60, 70, "b"), (75, 90, "a")],
    "ben": [(1, 12, "a"), (14, 20, "b"), (25, 39, "a"), (60, 71, "c"), (75, 88, "a")],
    "cas": [(0, 11, "b"), (15, 21, "b"), (22, 40, "a"), (43, 50, "c"), (61, 70, "b")],
}
"""
ann |---a----| |-b-| |----a----||--c--|   |--b--| |---a---|
ben |---a----| |-b-|   |---a---|          |--c--| |---a---|
cas |---b---|  |-b-| |----a----| |-c--|   |--b--|
"""


def corpus_of(*items: Mapping[str, Sequence[Sequence[Any]]], **options: Any) -> cz.Corpus:
    return cz.Corpus(
        {
            f"item {i}": {name: cz.Spans(units, **options) for name, units in item.items()}
            for i, item in enumerate(items)
        }
    )


def compute(*items: Any, coefficient: Any = "gamma", **options: Any) -> UnitizingAgreement:
    corpus = items[0] if isinstance(items[0], cz.Corpus) else corpus_of(*items)
    if isinstance(coefficient, str) and not {"samples", "precision", "compat"} & set(options):
        options["samples"] = 30
    result = cz.agreement(corpus, coefficient=coefficient, **{"interval": None} | options)
    assert isinstance(result, UnitizingAgreement)
    return result


def _categories(case: dict[str, Any]) -> list[str]:
    return case["params"].get("categories") or sorted({u[2] for units in case["annotators"].values() for u in units})


def _stored(annotators: Mapping[str, Any], rows: Sequence[Sequence[int | None]], case: dict[str, Any]) -> Alignments:
    """The alignment that the file has, which may be one of several best ones."""
    names, params = sorted(annotators), case["params"]
    best = align(annotators, params["alpha"], params["beta"], params.get("matrix"), _categories(case))
    index = {int(place): unit for unit, place in enumerate(best.table.index)}
    first = np.cumsum([0, *(len(annotators[name]) for name in names)])
    label = best.label.copy()
    for row in rows:
        units = [index[first[a] + k] for a, k in enumerate(row) if k is not None]
        label[units] = min(units)
    return replace(best, label=label)


def _terms(alignment: Alignments, categories: int, delta_empty: float = 1.0, **options: bool) -> list[float]:
    (terms,) = category_terms(alignment, categories, delta_empty, **options).tolist()
    return terms


def _ratio(terms: Sequence[float], k: int = -1) -> float:
    numerator, weight = terms[2 * k + 2 : 2 * k + 4]
    return numerator / weight if weight > 0 else math.nan


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if "fixed_alignment" in case], ids=lambda case: case["id"]
)
def test_category_disorder_of_stored_alignments(case: dict[str, Any]) -> None:
    categories, expected = _categories(case), case["fixed_alignment"]
    alignment = _stored(case["annotators"], case["pygamma"]["alignment"], case)
    terms = _terms(alignment, len(categories))
    for k, value in [(-1, expected["gamma_cat_disorder"])] + [
        (categories.index(name), value) for name, value in expected["gamma_k_disorder"].items()
    ]:
        assert _ratio(terms, k) == pytest.approx(math.nan if value is None else value, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("case", WITH_SAMPLES, ids=lambda case: case["id"])
def test_gamma_and_gamma_cat_from_given_samples(case: dict[str, Any]) -> None:
    observed = _ratio(_terms(_stored(case["annotators"], case["pygamma"]["alignment"], case), len(_categories(case))))
    for sampler, expected in case["given_samples"].items():
        samples = [sample for sample in case["samples"] if sample["sampler"] == sampler]
        estimate = cz.gamma_from_disorders(case["exact"]["disorder"], [sample["disorder_exact"] for sample in samples])
        assert estimate.expected == pytest.approx(expected["expected"], abs=1e-9)
        assert estimate.value == pytest.approx(expected["gamma"], abs=1e-9)
        stored = [_stored(sample["annotators"], sample["alignment"], case) for sample in samples]
        terms = [_terms(alignment, len(_categories(case))) for alignment in stored]
        for sample, entry in zip(samples, terms, strict=True):
            disorder = sample["gamma_cat_disorder"]
            assert _ratio(entry) == pytest.approx(math.nan if disorder is None else disorder, abs=1e-9, nan_ok=True)
        if not math.isnan(observed):
            value = cz.gamma_from_disorders(observed, [_ratio(entry) for entry in terms]).value
            gamma_cat = math.nan if expected["gamma_cat"] is None else expected["gamma_cat"]
            assert value == pytest.approx(gamma_cat, abs=1e-9, nan_ok=True)


def _pygamma_disorder(alignment: Alignments, case: dict[str, Any]) -> float:
    terms = _terms(alignment, len(_categories(case)), case["params"]["delta_empty"], unaligned=True)
    return terms[0] / terms[1] if terms[1] else 0.0


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if "gamma_cat_disorder" in case["pygamma"]], ids=lambda case: case["id"]
)
def test_category_disorder_of_pygamma(case: dict[str, Any]) -> None:
    alignment = _stored(case["annotators"], case["pygamma"]["alignment"], case)
    assert _pygamma_disorder(alignment, case) == pytest.approx(case["pygamma"]["gamma_cat_disorder"], abs=2e-6)
    for sample in case.get("samples", []):
        stored = _stored(sample["annotators"], sample["alignment"], case)
        assert _pygamma_disorder(stored, case) == pytest.approx(sample["gamma_cat_disorder_pygamma"], abs=2e-6)


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if "gamma_k_disorder" in case["pygamma"]], ids=lambda case: case["id"]
)
def test_disorder_of_each_category_of_pygamma(case: dict[str, Any]) -> None:
    """All figures agree. For a category of the matrix that no unit has, it prints 1: nothing can be compared."""
    categories, delta_empty = _categories(case), case["params"]["delta_empty"]
    alignment = _stored(case["annotators"], case["pygamma"]["alignment"], case)
    terms = _terms(alignment, len(categories), delta_empty, unaligned=True)
    used = {category for units in case["annotators"].values() for _, _, category in units}
    for name, expected in case["pygamma"]["gamma_k_disorder"].items():
        numerator, weight = terms[2 * categories.index(name) + 2 :][:2]
        if name not in used:
            assert (numerator, weight, expected) == (0, 0, 1)
        else:
            assert (numerator / weight if weight else 0.0) == pytest.approx(expected, abs=2e-6)


def test_a_category_that_no_unit_has_is_refused() -> None:
    matrix = {"categories": ["a", "b", "c", "d"], "matrix": (1 - np.eye(4)).tolist()}
    for compat in (None, "pygamma"):
        with pytest.raises(OptionError, match="there is no category 'd'"):
            compute(TEXT, coefficient="gamma_k", category="d", categories=matrix, compat=compat)


@pytest.mark.parametrize("case", WITH_SAMPLES, ids=lambda case: case["id"])
def test_preset_pygamma_finishes_as_pygamma(case: dict[str, Any]) -> None:
    """Its conventions for undefined coefficients, on its own samples."""
    preset = Gamma(compat="pygamma")
    for sampler, expected in case["given_samples"].items():
        samples = [s for s in case["samples"] if s["sampler"] == sampler]
        observed = _pygamma_disorder(_stored(case["annotators"], case["pygamma"]["alignment"], case), case)
        chance = np.mean([_pygamma_disorder(_stored(s["annotators"], s["alignment"], case), case) for s in samples])
        result = preset._finish(np.array([observed]), np.ones(1), np.array([chance])).values[0]
        assert result == pytest.approx(expected["gamma_cat_pygamma"], abs=2e-6)


def test_published_gamma_of_krippendorffs_example() -> None:
    """AlexPaulSuzan of pygamma's tests: gamma .44 to .47 with alpha 3, set to agree with the authors' program."""
    case = CASES["p_aps_a3"]
    low, high = case["published"]["gamma_range"]
    result = compute(case["annotators"], alpha=3, samples=400)
    assert low - 0.01 <= result.value <= high + 0.01
    assert result.observed_disorder == pytest.approx(case["published"]["disorder"], abs=0.005)


def test_worked_example_by_hand() -> None:
    """Two coders: one pair that differs in its category, and two units that are too far apart to be aligned."""
    result = compute({"a": [(0, 10, "x"), (20, 30, "x")], "b": [(0, 10, "y"), (40, 50, "x")]}, samples=30)
    (item,) = result.alignment.values()
    # 0-10 x with 0-10 y: d_pos 0, d_cat 1; 20-30 and 40-50: d_pos ((20 + 20) / 20)^2 = 4 > 2, so each stands alone.
    assert [unitary.disorder for unitary in item.unitary] == [1.0, 1.0, 1.0]
    assert result.observed_disorder == pytest.approx(3 / 2)
    assert item.disorder == pytest.approx(3 / 2)
    assert item.proved
    assert item.unitary[0].units == (cz.Spans([(0, 10, "x")]).spans[0], cz.Spans([(0, 10, "y")]).spans[0])


def test_alignment_contains_every_unit_once() -> None:
    result = compute(TEXT)
    (item,) = result.alignment.values()
    for k, coder in enumerate(item.coders):
        units = [unitary.units[k] for unitary in item.unitary if unitary.units[k] is not None]
        assert sorted(units) == sorted(cz.Spans(TEXT[coder]).spans)
    assert sum(unitary.disorder for unitary in item.unitary) / (16 / 3) == pytest.approx(result.observed_disorder)
    assert item.disorder == pytest.approx(float(Definition(TEXT).best_cost()) / (16 / 3))


def test_result_has_tables_intervals_and_json() -> None:
    items = [TEXT | {"ann": TEXT["ann"][k:]} for k in range(4)]
    with pytest.warns(CaesuraWarning, match="an interval from 4 items"):
        result = compute(*items, interval="items", replicates=200)
    assert result.interval is not None
    assert result.sampling_interval is not None
    assert result.sampling_interval[0] < result.value < result.sampling_interval[1]
    assert result.sampling_interval[1] - result.sampling_interval[0] < result.interval[1] - result.interval[0]
    assert len(result.pairs) == 3
    assert len(result.items) == 4
    assert [row.coder for row in result.coders] == ["ann", "ben", "cas"]
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["alignment"]["item 0"]["unitary"][0]["disorder"] >= 0
    assert "chance:shift" in result.signature
    assert "seed:0" in result.signature


def test_corpus_is_pooled_by_units_and_averaged_on_request() -> None:
    first, second = TEXT, {coder: units[:2] for coder, units in TEXT.items()}
    together, mean = compute(first, second), compute(first, second, average="items")
    rows = {row.item: row for row in together.items}
    weights = {"item 0": 16 / 3, "item 1": 2.0}
    observed = sum(weights[name] * (1 - rows[name].observed) for name in weights) / sum(weights.values())
    assert together.observed_disorder == pytest.approx(observed)
    assert mean.value == pytest.approx(np.mean([row.value for row in mean.items]))


def test_concatenated_chance_moves_units_into_other_items() -> None:
    items = [{coder: units[k : k + 2] for coder, units in TEXT.items()} for k in range(4)]
    apart, joined = compute(*items), compute(*items, chance="concatenated")
    assert joined.observed_disorder == apart.observed_disorder
    assert joined.expected_disorder > apart.expected_disorder


@pytest.mark.parametrize("coefficient", ["gamma", "gamma_cat"])
@pytest.mark.parametrize("chance", ["shift", "statistical"])
def test_order_of_coders_items_and_units_changes_no_bit(coefficient: str, chance: str) -> None:
    items = {"x": TEXT, "y": {coder: units[1:] for coder, units in TEXT.items()}}
    turned = {name: {coder: items[name][coder][::-1] for coder in reversed(items[name])} for name in reversed(items)}
    values = {
        compute(
            cz.Corpus({name: {coder: cz.Spans(units) for coder, units in item.items()} for name, item in form.items()}),
            coefficient=coefficient,
            chance=chance,
        ).value
        for form in (items, turned)
    }
    assert len(values) == 1


@pytest.mark.parametrize("factor", [2.0, 0.001, 1000.0])
@pytest.mark.parametrize("offset", [0.0, 512.0, -3.5])
@pytest.mark.parametrize("coefficient", ["gamma", "gamma_cat"])
def test_moved_and_scaled_positions_change_nothing(factor: float, offset: float, coefficient: str) -> None:
    moved = {c: [(s * factor + offset, e * factor + offset, k) for s, e, k in units] for c, units in TEXT.items()}
    expected = compute(TEXT, coefficient=coefficient).value
    assert compute(moved, coefficient=coefficient).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("coefficient", ["gamma", "gamma_cat"])
def test_renamed_categories_change_nothing(coefficient: str) -> None:
    names = {"a": "z", "b": "y", "c": "x"}
    renamed = {coder: [(s, e, names[k]) for s, e, k in units] for coder, units in TEXT.items()}
    assert compute(renamed, coefficient=coefficient).value == compute(TEXT, coefficient=coefficient).value


def test_delta_empty_changes_disorders_only() -> None:
    base, half = compute(TEXT), compute(TEXT, delta_empty=0.5)
    assert half.value == pytest.approx(base.value, abs=1e-12)
    assert half.observed_disorder == pytest.approx(base.observed_disorder / 2)


@pytest.mark.parametrize("coefficient", ["gamma", "gamma_cat"])
def test_identical_coders_agree_completely(coefficient: str) -> None:
    result = compute(dict.fromkeys("abcd", TEXT["ann"]), coefficient=coefficient)
    assert result.value == 1
    assert result.observed_disorder == 0


def test_a_coder_without_units_has_empty_places() -> None:
    base, more = compute(TEXT), compute(TEXT | {"dan": []})
    # four coders instead of three: a full unitary alignment has 3 of 6 pairs with an empty place
    assert more.observed_disorder == pytest.approx(float(Definition(TEXT | {"dan": []}).best_cost()) / 4)
    assert more.value < base.value


def _continuum() -> Continuum:
    units = list(TEXT.values())
    starts, ends, names = zip(*(unit for line in units for unit in sorted(line)), strict=True)
    codes = np.array(["abc".index(name) for name in names], np.int32)
    return Continuum(np.array(starts, float), np.array(ends, float), codes, tuple(map(len, units)), (0.0, 90.0))


@pytest.mark.parametrize("pivots", ["real", "lattice"])
def test_shifts_keep_their_distance_and_move_whole_units(pivots: str) -> None:
    continuum, sampler = _continuum(), Shift(pivots=pivots)
    distance, cut = sampler.smallest_distance(continuum)
    assert not cut
    assert distance == pytest.approx(np.mean([e - s for units in TEXT.values() for s, e, _ in units]))
    for sample in range(50):
        uniform = np.random.default_rng(sample).random((1, 3))
        shifts = np.sort(sampler._shifts([Piece(continuum, 0, 0, 1)], np.array([0]), uniform)[0])
        around = np.diff(np.concatenate((shifts, [shifts[0] + 90])))
        assert around.min() >= distance - 1e-9
        table = sampler.draw(continuum, 1, 0, sample)
        assert table.start.min() >= 0
        assert table.start.max() < 90
        lengths = {float(e - s) for units in TEXT.values() for s, e, _ in units}
        assert {round(length, 9) for length in table.end - table.start} <= lengths


def test_distance_is_cut_if_the_shifts_do_not_fit() -> None:
    one = {"a": [(0, 10, "x")], "b": [(0, 9, "x")]}
    assert compute(one).params["distance_cut"]
    assert not compute(TEXT).params["distance_cut"]


def test_statistical_samples_have_the_statistics_of_the_units() -> None:
    tables = [Statistical().draw(_continuum(), 0, 0, sample) for sample in range(400)]
    lengths = np.concatenate([table.end - table.start for table in tables])
    units = [(s, e) for part in TEXT.values() for s, e, _ in part]
    assert np.mean([len(table) / table.annotators for table in tables]) == pytest.approx(16 / 3, abs=0.1)
    assert lengths.mean() == pytest.approx(np.mean([e - s for s, e in units]), rel=0.05)


def test_more_samples_extend_the_list() -> None:
    sampler = Shift()
    first = [sampler.draw(_continuum(), 7, 0, sample).start.tolist() for sample in range(30)]
    second = [sampler.draw(_continuum(), 7, 0, sample).start.tolist() for sample in range(60)]
    assert second[:30] == first
    assert sampler.draw(_continuum(), 8, 0, 0).start.tolist() != first[0]


@pytest.mark.parametrize("sampler", [Shift(), Shift(pivots="lattice"), Statistical()])
def test_samples_are_the_same_together_as_alone(sampler: Sampler) -> None:
    other = Continuum(np.array([2.0, 40.0]), np.array([30.0, 44.0]), np.zeros(2, np.int32), (1, 0, 1), (1.0, 50.0))
    pieces = [Piece(_continuum(), 3, 20, 45), Piece(other, 5, 0, 7), Piece(_continuum(), 4, 2, 3)]
    table = sampler.columns(pieces, 7).table(3)
    samples = [(piece, sample) for piece in pieces for sample in range(piece.first, piece.last)]
    for number, (piece, sample) in enumerate(samples):
        alone, part = sampler.draw(piece.continuum, 7, piece.place, sample), table.sample(number)
        for column in ("start", "end", "category", "annotator"):
            assert getattr(part, column).tolist() == getattr(alone, column).tolist()


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**64 - 1, 2**140 + 5])
def test_uniform_numbers_are_those_of_the_generator(seed: int) -> None:
    rows = uniform_rows(seed, [Piece(_continuum(), 3, 10, 15), Piece(_continuum(), 1, 0, 2)], 9)
    keys = [*((3, sample) for sample in range(10, 15)), (1, 0), (1, 1)]
    assert rows.tolist() == [generator(seed, *key).random(9).tolist() for key in keys]


def test_number_of_samples_follows_the_precision() -> None:
    """Mathet et al. 2015, section 5.3: (1.96 CV / p)^2."""
    assert samples_needed(1.96 * 0.18 / math.sqrt(30), 0.02) == math.ceil((1.96 * 0.18 / 0.02) ** 2)
    assert samples_needed(1.96 * 0.03 / math.sqrt(30), 0.02) == 30
    rough, fine = compute(TEXT, precision=0.05), compute(TEXT, precision=0.01)
    assert rough.draws == 30 < fine.draws
    assert fine.expected_error * 1.96 / fine.expected_disorder < 0.012
    assert compute(TEXT, samples=77).draws == 77


@pytest.mark.parametrize("coefficient", ["gamma", "gamma_cat"])
def test_same_bits_on_threads_and_processes(coefficient: str) -> None:
    items = [TEXT, {coder: units[1:] for coder, units in TEXT.items()}]
    results = [compute(*items, coefficient=coefficient, engine=engine) for engine in ("threads", "processes")]
    assert results[0].value == results[1].value
    assert results[0].expected_disorder == results[1].expected_disorder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:an interval from 2 items")
def test_same_bits_on_dask() -> None:
    pytest.importorskip("distributed")
    corpus = corpus_of(TEXT, {coder: units[1:] for coder, units in TEXT.items()})
    with use_engine("dask") as dask, use_engine("processes") as processes:
        for coefficient in ("gamma", "gamma_cat", "gamma_k", "u_alpha", "bar_u_alpha", "cu_alpha", "alpha_u_2004"):
            options = {"samples": 40} if coefficient.startswith("gamma") else {}
            values = set()
            for engine in ("threads", processes, dask):
                result = cz.agreement(corpus, coefficient=coefficient, engine=engine, **options)
                values.add((result.value, result.interval, result.expected_disorder))
            assert len(values) == 1


def test_values_and_names_are_the_same_coefficient() -> None:
    assert compute(TEXT, coefficient=cz.Gamma(alpha=2.0, samples=30)).value == compute(TEXT, alpha=2).value
    assert compute(TEXT, coefficient="gamma(alpha=2)", samples=30).value == compute(TEXT, alpha=2).value


def test_gamma_k_is_the_row_of_its_category() -> None:
    table = {row.category: row.value for row in compute(TEXT, coefficient="gamma_cat", samples=40).categories}
    assert compute(TEXT, coefficient="gamma_k", category="b", samples=40).value == table["b"]
    values = [compute(TEXT, coefficient=name, samples=40).value for name in ("gamma_k", "gamma_cat")]
    assert values[0] == values[1]


def test_presets_set_options() -> None:
    software = compute(TEXT, compat="gamma-software")
    assert software.params["alpha"] == 3
    assert software.params["pivots"] == "whole"
    pygamma = compute(TEXT, compat="pygamma")
    assert pygamma.draws == 30
    assert pygamma.params["chance"] == "statistical"
    with pytest.raises(OptionError, match="no preset"):
        compute(TEXT, compat="dkpro")


MATRIX = {"categories": ["a", "b", "c"], "matrix": [[0, 0.5, 1], [0.5, 0, 0.25], [1, 0.25, 0]]}


def test_category_distances_from_matrix_and_files(tmp_path: Path) -> None:
    value = compute(TEXT, categories=MATRIX).value
    table, rows = tmp_path / "distances.csv", tmp_path / "distances.json"
    table.write_text(",a,b,c\na,0,.5,1\nb,.5,0,.25\nc,1,.25,0\n")
    rows.write_text(json.dumps(MATRIX))
    assert compute(TEXT, categories=str(table)).value == value
    assert compute(TEXT, categories=rows).value == value
    assert value != compute(TEXT).value


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 0.5, 1], [0.4, 0, 0.25], [1, 0.25, 0]], "'a' and 'b' must be the same both ways; got 0.5 and 0.4"),
        ([[0.1, 0.5, 1], [0.5, 0, 0.25], [1, 0.25, 0]], "distance of a category from itself must be 0; got 0.1"),
        ([[0, 1.5, 1], [1.5, 0, 0.25], [1, 0.25, 0]], "must be a number from 0 to 1; got 1.5"),
        ([[0, 0.5], [0.5, 0]], "expected 3 rows of 3 numbers"),
    ],
)
def test_bad_category_distances(matrix: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        compute(TEXT, categories=MATRIX | {"matrix": matrix})


def test_category_without_distances() -> None:
    with pytest.raises(OptionError, match="spans of category 'c', but the matrix has only 'a', 'b'"):
        compute(TEXT, categories={"categories": ["a", "b"], "matrix": [[0, 1], [1, 0]]})


FAR = {"a": [(0, 5, "x"), (90, 95, "y")], "b": [(40, 45, "x")]}


@pytest.mark.parametrize(
    ("units", "coefficient", "message"),
    [
        ({"a": [(0, 0, "x")], "b": [(0, 0, "x")]}, "gamma", "expected disorder is 0"),
        (FAR, "gamma_cat", "no span is aligned"),
        (FAR, "gamma_k(category=y)", "y"),
        ({"a": [(0, 5, "x"), (9, 15, "x")], "b": [(0, 5, "x")]}, "gamma_cat", "only one category"),
    ],
)
def test_undefined_cases_say_why(units: Any, coefficient: str, message: str) -> None:
    with pytest.raises(Undefined, match=message):
        compute(units, coefficient=coefficient)


def test_degenerate_values_of_pygamma() -> None:
    assert compute({"a": [(0, 5, "x")], "b": [(0, 5, "x")]}, coefficient="gamma_cat", compat="pygamma").value == 1


@pytest.mark.filterwarnings("default")
def test_odd_units_are_counted_and_named() -> None:
    with pytest.warns(CaesuraWarning, match="2 spans have length 0"):
        compute(TEXT | {"ann": [*TEXT["ann"], (95, 95, "a"), (96, 96, "a")]})
    with pytest.warns(CaesuraWarning, match="1 span occurs twice"):
        compute(TEXT | {"ann": [*TEXT["ann"], TEXT["ann"][0]]})
    with pytest.warns(CaesuraWarning, match="fewer than 5 spans per coder"):
        compute({"a": [(0, 5, "x")], "b": [(1, 5, "x")]})


def test_units_outside_the_bounds_and_bad_items() -> None:
    with pytest.raises(MismatchError, match=r"coder 'ann': spans\[5\] must lie in 0-80"):
        compute(TEXT, bounds=(0, 80))
    good = [TEXT] * 9
    bad = TEXT | {"ann": [*TEXT["ann"], (200, 300, "a")]}
    result = compute(corpus_of(*good, bad), bounds=(0, 100))
    assert len(result.items) == 9
    assert [entry.item for entry in result.excluded] == ["item 9"]
    assert "spans[6]" in result.excluded[0].reason


def test_twenty_coders_give_an_answer_and_a_warning() -> None:
    rng = np.random.default_rng(0)
    coders = {
        f"c{k:02}": [(s + float(rng.integers(0, 3)), e + float(rng.integers(3, 6)), c) for s, e, c in TEXT["ann"]]
        for k in range(20)
    }
    corpus = corpus_of(coders)
    scored = Gamma(samples=2)
    from caesura.agreement.unitizing_scores import score_items

    with use_engine("threads") as engine:
        parts = score_items(corpus, scored, seed=0, engine=engine, tables=False)
        extras = scored.extras(parts.items, parts.item_parts, parts.plan, engine)
    (message,) = scored.search_warnings(parts.item_parts)
    assert "alignments are not proved to be the best" in message
    (alignment,) = extras["alignment"].values()
    assert alignment.bound <= alignment.disorder
    assert not extras["params"]["proved"]
