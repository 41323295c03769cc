"""Krippendorff's alphas for unitizing: published examples, figures of other programs, definitions, laws and bad input."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import memory
from caesura.agreement.unitizing_scores import UnitizingAgreement
from caesura.errors import InputError, LimitError, OptionConflictError, OptionError, SpansError, Undefined
from oracle.unitizing import Sums, Unit, alpha_u_2004
from support.examples import examples
from support.oracles import read_oracle

NAMES = ("u_alpha", "bar_u_alpha", "cu_alpha", "ku_alpha", "alpha_u_2004")
CASES = {case["id"]: case for case in read_oracle("alpha_u.jsonl")}


def corpus_of(*items: tuple[Mapping[str, Sequence[Sequence[Any]]], int, int]) -> cz.Corpus:
    return cz.Corpus(
        {
            f"item {i}": {coder: cz.Spans(units, bounds=(begin, end)) for coder, units in annotators.items()}
            for i, (annotators, begin, end) in enumerate(items)
        }
    )


def compute(corpus: cz.Corpus, coefficient: str, **options: Any) -> UnitizingAgreement:
    result = cz.agreement(corpus, coefficient=coefficient, **{"interval": None} | options)
    assert isinstance(result, UnitizingAgreement)
    return result


def value_of(corpus: cz.Corpus, coefficient: str, **options: Any) -> float | None:
    try:
        return compute(corpus, coefficient, **options).value
    except Undefined:
        return None


def assert_close(actual: float | None, expected: float | Fraction | None) -> None:
    if expected is None:
        assert actual is None
    else:
        assert actual == pytest.approx(float(expected), abs=1e-9)


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case.get("krippendorff2016")], ids=lambda c: c["id"]
)
def test_figures_of_2016(case: dict[str, Any]) -> None:
    figures = case["krippendorff2016"]
    corpus = corpus_of((case["annotators"], case["begin"], case["end"]))
    for name, key in (("u_alpha", "u"), ("bar_u_alpha", "bar_u"), ("cu_alpha", "cu")):
        if key in figures:
            assert_close(value_of(corpus, name), figures[key])
        if figures.get("exact", {}).get(key) is not None:
            assert_close(value_of(corpus, name), Fraction(figures["exact"][key]))
    for category, value in figures["ku"].items():
        assert_close(value_of(corpus, "ku_alpha", category=category), value)
    if figures["cu"] is not None:
        result = compute(corpus, "cu_alpha")
        assert {row.category for row in result.categories} == figures["ku"].keys()
        assert_close(result.coverage, figures.get("cu_coverage", result.coverage))
        for row in result.categories:
            assert_close(row.value, figures["ku"][row.category])
            assert_close(row.coverage, figures["ku_coverage"][row.category])


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case.get("krippendorff2004")], ids=lambda c: c["id"]
)
def test_figures_of_2004(case: dict[str, Any]) -> None:
    figures = case["krippendorff2004"]
    corpus = corpus_of((case["annotators"], case["begin"], case["end"]))
    if "alpha" in figures:
        assert_close(value_of(corpus, "alpha_u_2004"), figures["alpha"])
    if value_of(corpus, "alpha_u_2004") is not None:
        for row in compute(corpus, "alpha_u_2004").categories:
            assert_close(row.value, figures["per_category"][row.category]["alpha"])


def test_published_examples() -> None:
    case = CASES["p_aps2016"]
    corpus = corpus_of((case["annotators"], 0, 60))
    printed = {name: f"{compute(corpus, name).value:.3f}" for name in NAMES[:3]}
    assert printed == {"u_alpha": "0.510", "bar_u_alpha": "0.413", "cu_alpha": "0.724"}
    book = CASES["p_2004"]
    result = compute(corpus_of((book["annotators"], 150, 450)), "alpha_u_2004")
    # The book prints .8591, from disagreements rounded to four digits.
    assert f"{result.value:.4f}" == "0.8587"
    assert {row.category: round(row.value or 0, 4) for row in result.categories} == {"c": 0.7286, "k": 1.0}


def test_scale_of_atoms() -> None:
    """The example of 2016 with finer atoms: u moves, cu does not."""
    fine = {
        coder: [(start * 10, end * 10, name) for start, end, name in units]
        for coder, units in CASES["p_aps2016"]["annotators"].items()
    }
    corpus = corpus_of((fine, 0, 600))
    assert f"{compute(corpus, 'u_alpha').value:.5f}" == "0.50867"
    assert compute(corpus, "cu_alpha").value == compute(corpus, "cu_alpha", atom=10).value
    assert f"{compute(corpus, 'u_alpha', atom=10).value:.5f}" == "0.50967"


@st.composite
def lines(draw: st.DrawFn, categories: str = "ab1") -> list[Unit]:
    """Return spans in 0-14 that do not overlap."""
    cuts = sorted(draw(st.sets(st.integers(0, 14), max_size=8)))
    pairs = list(pairwise(cuts))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return [(*pair, draw(st.sampled_from(categories))) for pair, keep in zip(pairs, kept, strict=True) if keep]


def items(categories: str = "ab1") -> st.SearchStrategy[list[dict[str, list[Unit]]]]:
    item = st.integers(2, 4).flatmap(lambda m: st.fixed_dictionaries({f"c{i}": lines(categories) for i in range(m)}))
    return st.lists(item, min_size=1, max_size=3)


@examples(300)
@given(items())
def test_definition_of_2016(annotations: list[dict[str, list[Unit]]]) -> None:
    corpus = corpus_of(*((item, 0, 14) for item in annotations))
    sums = Sums()
    for item in annotations:
        sums.add(item, 0, 14)
    assert_close(value_of(corpus, "u_alpha"), sums.u_alpha())
    assert_close(value_of(corpus, "bar_u_alpha"), sums.bar_u_alpha())
    assert_close(value_of(corpus, "cu_alpha"), sums.cu_alpha())
    for category in sums.marked:
        assert_close(value_of(corpus, "ku_alpha", category=category), sums.ku_alpha(category))
    if sums.u_alpha() is not None:
        for row in compute(corpus, "u_alpha").categories:
            assert_close(row.coverage, sums.coverage(str(row.category)))


@examples(100)
@given(items("1359"), st.sampled_from(["interval", "ratio"]))
def test_numeric_values(annotations: list[dict[str, list[Unit]]], metric: str) -> None:
    corpus = corpus_of(*((item, 0, 14) for item in annotations))
    sums = Sums()
    for item in annotations:
        sums.add(item, 0, 14)
    assert_close(value_of(corpus, "cu_alpha", metric=metric), sums.cu_alpha(metric))
    for category in sums.marked:
        assert_close(value_of(corpus, "ku_alpha", metric=metric, category=category), sums.ku_alpha(category, metric))


@examples(200)
@given(items().map(lambda annotations: annotations[:1]))
def test_definition_of_2004(annotations: list[dict[str, list[Unit]]]) -> None:
    corpus = corpus_of((annotations[0], 0, 14))
    assert_close(value_of(corpus, "alpha_u_2004"), alpha_u_2004(annotations[0], 0, 14))


@given(items(), st.randoms())
def test_order_and_names_do_not_matter(annotations: list[dict[str, list[Unit]]], random: Any) -> None:
    corpus = corpus_of(*((item, 0, 14) for item in annotations))
    shuffled = {}
    for name in random.sample(corpus.item_names, len(corpus.item_names)):
        entries = list(corpus.of_item(name).items())
        shuffled[name] = {
            coder: cz.Spans(random.sample(spans.spans, len(spans)), bounds=(0, 14))
            for coder, spans in random.sample(entries, len(entries))
        }
    moved = cz.Corpus(
        {
            item: {
                coder: cz.Spans([(s.start + 1000, s.end + 1000, f"z{s.category}") for s in spans], bounds=(1000, 1014))
                for coder, spans in corpus.of_item(item).items()
            }
            for item in corpus.item_names
        }
    )
    for name in NAMES:
        value = value_of(corpus, name)
        assert value_of(cz.Corpus(shuffled), name) == value  # to the last bit
        assert_close(value_of(moved, name), value)


@given(lines(), st.integers(2, 4))
def test_identical_coders_agree(line: list[Unit], coders: int) -> None:
    corpus = corpus_of(({f"c{i}": line for i in range(coders)}, 0, 14))
    for name in NAMES:
        assert value_of(corpus, name) in (1, None)


@given(items())
def test_tables_are_those_of_parts_of_the_corpus(annotations: list[dict[str, list[Unit]]]) -> None:
    corpus = corpus_of(*((item, 0, 14) for item in annotations))
    for name in ("u_alpha", "alpha_u_2004"):
        if value_of(corpus, name) is None:
            continue
        result = compute(corpus, name)
        for pair in result.pairs:
            assert pair.value == value_of(corpus.select(coders=pair.coders), name)
        for item in result.items:
            assert item.value == value_of(corpus.select(items=[item.item]), name)
            assert (item.reason is None) == (item.value is not None)
        for coder in result.coders:
            others = [other for other in corpus.coders if other != coder.coder]
            shared = any(
                len(corpus.select(coders=others).of_item(i)) > 1 for i in corpus.select(coders=others).item_names
            )
            if len(others) > 1 and shared:
                assert coder.without == value_of(corpus.select(coders=others), name)


def test_identical_to_the_last_bit_on_every_engine() -> None:
    rng = np.random.default_rng(3)
    starts = [[range(int(rng.integers(4)), 90, 7) for _ in range(3)] for _ in range(6)]
    corpus = corpus_of(
        *(
            ({f"c{i}": [(s, s + 3, str(rng.integers(3))) for s in line] for i, line in enumerate(lines)}, 0, 99)
            for lines in starts
        )
    )
    results = [compute(corpus, "u_alpha", engine=engine) for engine in ("threads", "processes")]
    assert results[0] == results[1]


def two_items() -> cz.Corpus:
    return corpus_of(
        ({"ann": [(0, 4, "a"), (6, 9, "b")], "bo": [(0, 5, "a"), (6, 8, "b")], "cy": [(1, 4, "a")]}, 0, 12),
        ({"ann": [(2, 4, "a")], "bo": [(2, 4, "b"), (5, 9, "a")], "cy": []}, 0, 10),
    )


def test_result_and_bootstrap() -> None:
    with pytest.warns(cz.errors.CaesuraWarning, match="an interval from 2 items is too narrow"):
        result = cz.agreement(two_items(), coefficient="u_alpha")
    assert isinstance(result, UnitizingAgreement)
    assert result.value == pytest.approx(1 - result.observed_disorder / result.expected_disorder)
    assert result.value == pytest.approx((result.observed - result.expected) / (1 - result.expected))
    low, high = result.interval or (9, 9)
    assert low <= result.value <= high
    # The resamples are the first item twice, both items, and the second item twice.
    twice = [cz.Corpus({name: two_items().of_item(item) for name in "xy"}) for item in two_items().item_names]
    assert [high, low] == pytest.approx([compute(corpus, "u_alpha").value for corpus in twice])
    assert [row.coder for row in result.outliers]
    assert result.signature.startswith("u_alpha|average:micro|coders:3|items:2|")
    plain = result.to_dict()
    assert plain["categories"][0].keys() == {"category", "value", "spans", "coverage"}
    assert plain["measure"] is None
    assert len(result.to_frame()) == 3
    assert repr(result).count("\n") < 10


def test_mean_over_items() -> None:
    corpus = two_items()
    result = compute(corpus, "u_alpha", average="items")
    assert result.value == pytest.approx(np.mean([item.value for item in result.items]))
    nothing = {"item 9": {"ann": cz.Spans([], length=3), "bo": cz.Spans([], length=3)}}
    more = cz.Corpus({item: corpus.of_item(item) for item in corpus.item_names} | nothing)
    with pytest.raises(Undefined, match="undefined for an item: nobody marked anything"):
        compute(more, "u_alpha", average="items")
    assert compute(more, "u_alpha").excluded == ()


def test_coefficients_as_values_and_texts() -> None:
    corpus = two_items()
    forms = [cz.CuAlpha(metric="nominal", bounds=(0, 12)), "CU-alpha(bounds=(0, 12))"]
    results = [cz.agreement(corpus, coefficient=form, interval=None) for form in forms]
    results.append(cz.agreement(corpus, coefficient="cu_alpha", bounds=(0, 12), interval=None))
    assert results[0] == results[1] == results[2]
    assert results[0].params["bounds"] == (0, 12)


def test_other_kinds_become_spans() -> None:
    tiers = {"ann": cz.Tier([(0.5, 2, "a"), (2, 3, "b")], end=4), "bo": cz.Tier([(0.5, 2.5, "a")], end=4)}
    spans = pair([(0.5, 2, "a"), (2, 3, "b")], [(0.5, 2.5, "a")], seconds=True, length=4)
    values = [compute(corpus, "u_alpha", atom=0.1).value for corpus in (cz.Corpus({"x": tiers}), spans)]
    assert values[0] == values[1]
    segments = {"ann": cz.Segmentation.from_labels(list("aabb")), "bo": cz.Segmentation.from_labels(list("abbb"))}
    plain = pair([(0, 2, "a"), (2, 4, "b")], [(0, 1, "a"), (1, 4, "b")], length=4)
    assert compute(cz.Corpus({"x": segments}), "u_alpha").value == compute(plain, "u_alpha").value


def test_unknown_bounds_are_the_first_start_and_the_last_end() -> None:
    units = CASES["p_aps2016"]["annotators"]
    unknown = cz.Corpus({"x": {coder: cz.Spans(rows) for coder, rows in units.items()}})
    assert compute(unknown, "u_alpha").value == compute(corpus_of((units, 2, 60)), "u_alpha").value
    assert f"{compute(unknown, 'u_alpha', bounds=(0, 60)).value:.3f}" == "0.510"


def pair(ann: Sequence[Sequence[Any]], bo: Sequence[Sequence[Any]], **options: Any) -> cz.Corpus:
    return cz.Corpus({"x": {"ann": cz.Spans(ann, **options), "bo": cz.Spans(bo, **options)}})


def test_one_coder_marked_nothing() -> None:
    """Its line is one gap: with 4 of 10 atoms marked, D_o = .4 and D_e = 2 * .2 * .8 * 400 / (400 - 16 - 16)."""
    result = compute(pair([(2, 6, "a")], [], length=10), "u_alpha")
    assert result.observed_disorder == pytest.approx(0.4)
    assert result.value == pytest.approx(1 - 0.4 / (2 * 4 * 16 / (400 - 16 - 16)))
    with pytest.raises(Undefined, match="no place was marked by two coders"):
        compute(pair([(2, 6, "a")], [], length=10), "cu_alpha")


def test_expected_disagreement_of_zero() -> None:
    full = pair([(0, 9, "a")], [(0, 4, "a"), (4, 9, "a")], length=9)
    for name, message in (
        ("u_alpha", "all coders marked everything with the same category"),
        ("bar_u_alpha", "there is no gap"),
        ("cu_alpha", "have the same category"),
    ):
        with pytest.raises(Undefined, match=message):
            compute(full, name)


def test_denominator_of_expected_disagreement_is_not_positive() -> None:
    """With m = 3: l*_a = l*_b = 2 / 2 = 1, so l*..^2 = 4; q*_a = q*_b = 2^2 / 2, so Q* = 4, and nothing is left."""
    spans = {"x": [], "y": [(2, 4, "b")], "z": [(0, 4, "a")]}
    corpus = cz.Corpus({"text": {coder: cz.Spans(rows, length=9) for coder, rows in spans.items()}})
    with pytest.raises(Undefined, match="too few spans were marked by two coders"):
        compute(corpus, "cu_alpha")


def test_some_coders_of_an_item_marked_nothing() -> None:
    """The pair ann and bo has no spans and no length here; it adds nothing to the other items."""
    second = {"ann": cz.Spans([(0, 3, "a")]), "bo": cz.Spans([(1, 3, "a")]), "cy": cz.Spans([(0, 3, "a")])}
    corpus = cz.Corpus({"1": {"ann": cz.Spans([]), "bo": cz.Spans([]), "cy": cz.Spans([(0, 2, "a")])}, "2": second})
    alone = cz.Corpus({"2": {coder: second[coder] for coder in ("ann", "bo")}})
    for name in ("alpha_u_2004", "u_alpha"):
        pairs = {row.coders: row.value for row in compute(corpus, name).pairs}
        assert pairs["ann", "bo"] == pytest.approx(compute(alone, name).value)


def test_category_that_nobody_else_marked() -> None:
    corpus = pair([(0, 3, "a"), (5, 7, "b")], [(0, 3, "a")], length=9)
    with pytest.raises(Undefined, match=r"category 'b': no other coder marked anything .*coverage 0"):
        compute(corpus, "ku_alpha", category="b")
    row = next(row for row in compute(corpus, "u_alpha").categories if row.category == "b")
    assert (row.value, row.coverage) == (None, 0)
    assert "coverage 0" in str(row.reason)
    with pytest.raises(OptionError, match="there is no category 'z'; the categories are 'a', 'b'"):
        compute(corpus, "ku_alpha", category="z")


@pytest.mark.parametrize("name", NAMES)
def test_span_of_length_zero(name: str) -> None:
    with pytest.raises(SpansError, match=r"coder 'bo': spans\[1\] \(4-4 'a'\) has no atoms"):
        compute(pair([(0, 3, "a")], [(0, 3, "a"), (4, 4, "a")]), name)


@pytest.mark.parametrize("name", NAMES)
def test_outside_the_bounds(name: str) -> None:
    with pytest.raises(InputError, match=r"coder 'bo': spans\[0\] must lie in 0-8; got 5-9 'a'"):
        compute(pair([(0, 3, "a")], [(5, 9, "a")]), name, bounds=(0, 8))
    with pytest.raises(OptionError, match="bounds must be two numbers"):
        compute(pair([(0, 3)], [(5, 9)]), name, bounds=(8, 0))


@pytest.mark.parametrize("name", NAMES)
def test_overlap(name: str) -> None:
    same = pair([(0, 3, "a"), (2, 4, "a")], [(0, 3, "a")])
    with pytest.raises(SpansError, match=r"coder 'ann': spans\[0\] \(0-3 'a'\) and spans\[1\] \(2-4 'a'\) overlap"):
        compute(same, name)
    twice = pair([(0, 3, "a")], [(1, 2, "b"), (1, 2, "b")])
    with pytest.raises(SpansError, match=r"coder 'bo': spans\[0\] \(1-2 'b'\) and spans\[1\] \(1-2 'b'\) overlap"):
        compute(twice, name)
    different = pair([(0, 3, "a"), (2, 4, "b")], [(0, 3, "a")])
    if name == "alpha_u_2004":
        assert compute(different, name).value < 1
    else:
        with pytest.raises(SpansError, match="overlap"):
            compute(different, name)


@pytest.mark.parametrize("name", NAMES)
def test_times_need_atoms(name: str) -> None:
    corpus = pair([(0, 1.25, "a"), (2, 3, "b")], [(0, 1.5, "a"), (2, 2.5, "a")], seconds=True, length=5)
    with pytest.raises(SpansError, match=r"coder 'ann': spans\[0\] \(0-1.25 'a'\) must have whole positions"):
        compute(corpus, name)
    assert isinstance(compute(corpus, name, atom=0.25), UnitizingAgreement)
    with pytest.raises(SpansError, match=r"has no atoms of 4"):
        compute(corpus, name, atom=4)
    with pytest.raises(OptionError, match="atom must be a number above 0"):
        compute(corpus, name, atom=0)


def test_missing_coders_and_bad_items_are_listed() -> None:
    good = {"ann": cz.Spans([(0, 2, "a")], length=6), "bo": cz.Spans([(0, 3, "a")], length=6)}
    bad = good | {"bo": cz.Spans([(0, 3), (2, 4)], length=6)}
    items = {f"item {i}": dict(good) for i in range(9)} | {"bad": bad, "alone": {"ann": good["ann"]}}
    items["three"] = good | {"cy": cz.Spans([(0, 3, "a")], length=6)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = compute(cz.Corpus(items), "u_alpha")
    assert len(result.items) == 10
    expected = {"alone": "only 'ann' annotated it; at leas", "bad": "coder 'bo': spans[0] (0-3) and s"}
    assert {entry.item: entry.reason[:32] for entry in result.excluded} == expected
    assert {row.coder: row.items for row in result.coders} == {"ann": 10, "bo": 10, "cy": 1}


def test_different_items() -> None:
    for other, message in (
        (cz.Spans([(0, 2)], length=7), "different extent, 0-6 and 0-7"),
        (cz.Spans([(0, 2)], seconds=True), "one has spans in units, the other in seconds"),
        (cz.Spans([(0, 2)], text="abcdeX"), "they differ at character 5: 'f' and 'X'"),
    ):
        with pytest.raises(InputError, match=message):
            compute(cz.Corpus({"x": {"ann": cz.Spans([(0, 2)], text="abcdef"), "bo": other}}), "u_alpha")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coefficient": "u_alpha", "atoms": 2}, "u_alpha has no option 'atoms'; did you mean 'atom'"),
        ({"coefficient": "u_alpha", "compat": "pygamma"}, "u_alpha has no preset 'pygamma'"),
        ({"coefficient": "u_alpha", "chance": "placement"}, "u_alpha has no option 'chance'"),
        ({"coefficient": "u_alpha", "interval": "coders"}, "interval='coders' is not defined for u_alpha"),
        ({"coefficient": "u_alpha(atom=)"}, "expected a coefficient such as"),
        ({"coefficient": "cu_alpha", "metric": "interval"}, "metric='interval' needs numbers as categories; got 'a'"),
        ({"coefficient": "u_alpha", "measure": "pk"}, "leave out the measure"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        cz.agreement(pair([(0, 3, "a")], [(1, 3, "a")]), **options)


def test_options_twice() -> None:
    with pytest.raises(OptionConflictError, match="atom is set twice"):
        compute(two_items(), "u_alpha(atom=2)", atom=1)
    with pytest.raises(OptionConflictError, match=r"set options in UAlpha\(...\)"):
        cz.agreement(two_items(), coefficient=cz.UAlpha(), atom=1)


def test_too_many_categories_for_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = cz.Spans([(0, 2, "A"), (3, 4, "B")], length=9)
    corpus = cz.Corpus({"x": {"ann": spans, "bo": spans}})
    assert cz.agreement(corpus, coefficient="alpha_u_2004", interval=None).value == 1
    monkeypatch.setattr(memory, "memory_size", lambda: 300)
    for name in ("u_alpha", "alpha_u_2004"):
        with pytest.raises(LimitError, match=f"{name} of 2 categories in 1 items: about 0 MB of memory"):
            cz.agreement(corpus, coefficient=name, interval=None)
