"""Coefficients whose chance agreement is counted, and alpha: against the definitions in tests/oracle."""

from __future__ import annotations

import json
import math
import random
import re
import warnings
from fractions import Fraction
from operator import eq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.agreement.chance import ChanceModel
from caesura.agreement.coder_pairs import score_coder_pairs
from caesura.agreement.families import CHANCE_FAMILIES, POSITION_COEFFICIENTS, resolve_coefficient
from caesura.engines import open_engine
from caesura.errors import CaesuraWarning, OptionError, Undefined
from caesura.measures.boundary_f import BoundaryF
from oracle import coefficients as oracle
from oracle.boundary import Rules, explain
from support.corpora import random_corpus
from support.excluded import reasons

TYPES = ["scene", "act"]
QUIET = {"interval": None}


def similarity_parts(name: str, n_t: int, types: int):
    """Numerator and denominator of S or B from the exhaustive search."""
    rules = Rules(n_t=n_t, types=types)
    scale = {name: i for i, name in enumerate(TYPES)}

    def parts(a: oracle.Text, b: oracle.Text) -> tuple[Fraction, Fraction]:
        cells = [{(p, scale[t]) for p, t in side[1]} for side in (a, b)]
        result = explain(*cells, rules)
        if name == "segmentation_similarity":
            total = Fraction((a[0] - 1) * types)
        else:
            alone = len(result.a_alone) + len(result.b_alone)
            total = Fraction(alone + len(result.pairs) + len(result.matches))
        return total - result.cost, total

    return parts


def corpus_of(items: oracle.Items, types: list[str]) -> cz.Corpus:
    def text(coded: oracle.Text) -> cz.Segmentation:
        sets: list[set[str]] = [set() for _ in range(coded[0] - 1)]
        for position, kind in coded[1]:
            sets[position - 1].add(kind)
        return cz.Segmentation.from_sets(sets, types)

    return cz.Corpus({item: {coder: text(coded) for coder, coded in by.items()} for item, by in items.items()})


@st.composite
def codings(draw: st.DrawFn, *, types: int = 1) -> oracle.Items:
    """A few items with two to four of the coders a to d; some may be coded by one only."""
    items = {}
    for i in range(draw(st.integers(1, 4))):
        length = draw(st.integers(2, 7))
        coders = draw(st.sets(st.sampled_from("abcd"), min_size=1))
        cell = st.tuples(st.integers(1, length - 1), st.sampled_from(TYPES[:types]))
        items[f"i{i}"] = {coder: (length, draw(st.frozensets(cell, max_size=4))) for coder in sorted(coders)}
    return items


def outcome(items: oracle.Items, name: str, measure: str, types: int) -> float | str:
    """What the definition gives, or why it is undefined."""
    usable = oracle.shared_items(items)
    if not usable:
        return "no item was annotated by two coders"
    if not any(text[1] for by in usable.values() for text in by.values()):
        return "no coder placed a boundary"
    if name == "alpha":
        result = oracle.alpha(items)
        return "chance agreement is 1" if result is None else float(result)
    e_pi, e_kappa = (f(items, TYPES[:types]) for f in (oracle.expected_pi, oracle.expected_kappa))
    if name == "bias":
        return float(e_pi - e_kappa)
    e = e_pi if name == "multi_pi" else e_kappa
    if e >= 1:
        return "chance agreement is"
    return float(oracle.corrected(oracle.observed(items, similarity_parts(measure, 2, types)), e))


@pytest.mark.parametrize("types", [1, 2])
@pytest.mark.parametrize("measure", ["boundary_similarity", "segmentation_similarity"])
@given(data=st.data())
def test_equals_the_definition_with_missing_coders(measure: str, types: int, data: st.DataObject) -> None:
    items = data.draw(codings(types=types))
    if len({coder for by in items.values() for coder in by}) < 2:
        return
    corpus = corpus_of(items, TYPES[:types])
    for name in ("multi_pi", "multi_kappa", "bias", "alpha"):
        expected = outcome(items, name, measure, types)
        try:
            actual: float | str = cz.agreement(corpus, measure=measure, coefficient=name, **QUIET).value
        except (Undefined, OptionError) as problem:
            actual = str(problem)
        if isinstance(expected, str):
            assert str(actual).startswith(expected)
        else:
            assert actual == pytest.approx(expected, abs=1e-12)


def test_one_coder_missing_on_half_the_items_by_hand() -> None:
    """cy coded x only.

    x   ann ··|··|··   bo ··|···|·   cy ··|··|··      N = 6
    y   ann ·|···      bo ·|···                       N = 4
    """
    x = {"ann": [2, 2, 2], "bo": [2, 3, 1], "cy": [2, 2, 2]}
    y = {"ann": [1, 3], "bo": [1, 3]}
    segmentations = {
        item: {coder: cz.Segmentation.from_masses(m) for coder, m in by.items()} for item, by in (("x", x), ("y", y))
    }
    # Pairs of x: ann-bo and bo-cy one match and one near miss (1.5 of 2), ann-cy two matches; of y one match: 6 of 7.
    A = Fraction(6, 7)  # noqa: N806
    # Boundaries: 2 + 2 + 2 of 15 positions in x, 1 + 1 of 6 in y.
    pi = Fraction(8, 21) ** 2
    # ann and bo 3 of 8, cy 2 of 5; all three pairs share an item.
    kappa = (Fraction(3, 8) ** 2 + 2 * Fraction(3, 8) * Fraction(2, 5)) / 3
    result = cz.agreement(cz.Corpus(segmentations), **QUIET)
    assert (result.observed, result.expected) == pytest.approx((float(A), float(pi)), abs=1e-15)
    assert result.value == pytest.approx(float((A - pi) / (1 - pi)), abs=1e-15)
    assert result.bias == pytest.approx(float(pi - kappa), abs=1e-15)
    kappa_result = cz.agreement(cz.Corpus(segmentations), coefficient="multi_kappa", **QUIET)
    assert kappa_result.value == pytest.approx(float((A - kappa) / (1 - kappa)), abs=1e-15)
    assert [(row.coder, row.items) for row in result.coders] == [("ann", 2), ("bo", 2), ("cy", 1)]
    expected = [(("ann", "bo"), 2), (("ann", "cy"), 1), (("bo", "cy"), 1)]
    assert [(row.coders, row.items) for row in result.pairs] == expected


MEASURES = ["boundary_similarity(n_t=3)", "segmentation_similarity(n_t=2)", "crisp(tolerance=1)", "unit_error"]
COEFFICIENTS = ["multi_pi", "multi_kappa", "bias", "alpha"]


@pytest.mark.parametrize("compat", [None, "fournier2013", "segeval-2.0.11"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_order_of_coders_and_items_does_not_matter(missing: float, coefficient: str, compat: str | None) -> None:
    if compat is not None and coefficient == "alpha":
        compat = None
    corpus = random_corpus(4, missing=missing)
    options = {"coefficient": coefficient, "compat": compat, "seed": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        first = cz.agreement(corpus, **options)
        rng = random.Random(9)
        for _ in range(5):
            items = rng.sample(corpus.item_names, len(corpus.item_names))
            entries = {item: sorted(corpus.of_item(item).items()) for item in items}
            turned = cz.Corpus({item: dict(rng.sample(rows, len(rows))) for item, rows in entries.items()})
            again = cz.agreement(turned, **options)
            assert (again.value, again.observed, again.expected) == (first.value, first.observed, first.expected)
            assert again.interval == first.interval
            assert {row.item: row for row in again.items} == {row.item: row for row in first.items}
            pairs = [{frozenset(row.coders): row.value for row in result.pairs} for result in (again, first)]
            assert pairs[0] == pairs[1]
            assert {row.coder: row for row in again.coders} == {row.coder: row for row in first.coders}
            assert [row.item for row in again.items] == [i for i in items if i not in reasons(again)]


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("measure", MEASURES)
def test_table_row_is_the_coefficient_of_that_subset(measure: str, coefficient: str, missing: float) -> None:
    corpus = random_corpus(7, missing=missing)
    options = {"measure": measure, "coefficient": coefficient, **QUIET}
    total = cz.agreement(corpus, **options)
    for row in total.pairs:
        alone = cz.agreement(corpus.select(coders=row.coders), **options)
        assert (row.value, row.observed, row.expected) == pytest.approx((alone.value, alone.observed, alone.expected))
        assert row.items == len(alone.items)
    for row in total.items:
        alone = cz.agreement(corpus.select(items=[row.item]), **options)
        assert (row.value, row.observed, row.expected) == pytest.approx((alone.value, alone.observed, alone.expected))
    for row in total.coders:
        without = cz.agreement(corpus.select(coders=[c for c in corpus.coders if c != row.coder]), **options)
        assert row.without == pytest.approx(without.value)
        assert row.gain == pytest.approx(without.value - total.value)
    if missing == 0 and coefficient in ("multi_pi", "multi_kappa"):
        # Everybody's pairs, twice over, are all pairs.
        mean = sum(row.expected or 0 for row in total.coders) / len(total.coders)
        assert mean == pytest.approx(total.expected)
    gains = [row.gain for row in total.outliers]
    better = () if coefficient == "bias" else [row.gain for row in total.coders if row.gain > 0]
    assert gains == sorted(better, reverse=True)


@pytest.mark.parametrize("measure", MEASURES)
def test_two_coders(measure: str) -> None:
    corpus = random_corpus(3, coders="ab")
    pi, kappa = (cz.agreement(corpus, measure=measure, coefficient=name, **QUIET) for name in ("pi", "kappa"))
    assert pi.value == cz.agreement(corpus, measure=measure, coefficient="multi_pi", **QUIET).value
    assert kappa.value == cz.agreement(corpus, measure=measure, coefficient="multi_kappa", **QUIET).value
    assert pi.bias == kappa.bias == pytest.approx(pi.expected - kappa.expected)
    assert pi.bias > 0
    assert [row.without for row in pi.coders] == [None, None]


@given(st.data())
def test_identical_coders_have_no_bias_and_agree_fully(data: st.DataObject) -> None:
    masses = data.draw(st.lists(st.lists(st.integers(1, 50), min_size=2, max_size=9), min_size=1, max_size=4))
    coders = "abcdefg"[: data.draw(st.integers(2, 7))]
    corpus = cz.Corpus(
        {f"i{i}": {c: cz.Segmentation.from_masses(item_masses) for c in coders} for i, item_masses in enumerate(masses)}
    )
    if all(len(item_masses) == sum(item_masses) for item_masses in masses):
        return  # every position is marked, so chance agreement is 1
    for measure in ("boundary_similarity", "segmentation_similarity"):
        result = cz.agreement(corpus, measure=measure, **QUIET)
        assert result.bias == 0
        assert result.value == 1
        assert cz.agreement(corpus, measure=measure, coefficient="multi_kappa", **QUIET).expected == result.expected
    assert cz.agreement(corpus, coefficient="bias", **QUIET).value == 0


@given(st.integers(0, 10_000))
def test_bias_is_not_negative_if_no_coder_is_missing(seed: int) -> None:
    assert cz.agreement(random_corpus(seed, items=3), coefficient="bias", **QUIET).value >= -1e-15


def test_alpha_equals_nltk() -> None:
    """Against NLTK's AnnotationTask, which takes (coder, item, label) triples, with coders missing."""
    agreement = pytest.importorskip("nltk.metrics.agreement", reason="NLTK is not installed: pip install caesura[test]")
    for seed in range(10):
        corpus = random_corpus(seed, items=4, missing=0.25 if seed % 2 else 0.0)
        triples = [
            (coder, f"{item}/{p}", "1" if p in set(corpus[item, coder].inner.tolist()) else "0")
            for item, coder in corpus
            for p in range(1, corpus[item, coder].length)
            if len(corpus.of_item(item)) > 1
        ]
        ours = cz.agreement(corpus, coefficient="alpha", **QUIET)
        assert ours.value == pytest.approx(agreement.AnnotationTask(data=triples).alpha(), abs=1e-12)
        assert ours.measure is None


def test_type_that_one_coder_never_uses() -> None:
    a = cz.Segmentation.from_sets([{"act"}, set(), {"scene"}, set()], TYPES)
    b = cz.Segmentation.from_sets([{"scene"}, set(), {"scene"}, set()], TYPES)
    result = cz.agreement(cz.Corpus({"x": {"a": a, "b": b}}), **QUIET)
    # P(scene) = 3/8, P(act) = 1/8; a match and a substitution by one of two steps: 1.5 of 2
    assert result.expected == pytest.approx(10 / 64)
    assert result.observed == 0.75
    kappa = cz.agreement(cz.Corpus({"x": {"a": a, "b": b}}), coefficient="kappa", **QUIET)
    assert kappa.expected == pytest.approx(1 / 4 * 2 / 4)


def test_lumped_types() -> None:
    """segeval divides boundaries of all types by positions times types."""
    a = cz.Segmentation.from_sets([{"act"}, set(), {"scene", "act"}, set()], TYPES)
    b = cz.Segmentation.from_sets([{"scene"}, set(), {"scene"}, set()], TYPES)
    result = cz.agreement(cz.Corpus({"x": {"a": a, "b": b}}), compat="segeval-2.0.11", **QUIET)
    assert result.expected == pytest.approx((5 / 16) ** 2)
    same = cz.agreement(cz.Corpus({"x": {"a": a, "b": b}}), types="together", **QUIET)
    assert same.expected == result.expected
    assert "|types:together|" in same.signature


def test_presets_set_several_options() -> None:
    corpus = random_corpus(11)
    for compat, options in {
        "fournier2013": {"counted": "segments", "rates": "mean", "types": "together"},
        "segeval-2.0.11": {"rates": "mean", "types": "together"},
    }.items():
        measure = cz.parse("boundary_similarity").replace(compat=compat)
        preset = cz.agreement(corpus, compat=compat, **QUIET)
        assert preset.expected == cz.agreement(corpus, measure=measure, **options, **QUIET).expected
        assert f"compat:{compat}" in preset.signature
    s = cz.agreement(corpus, measure="segmentation_similarity", compat="fournier2012", **QUIET)
    assert s.observed == cz.agreement(corpus, measure="segmentation_similarity(transposition='unit')", **QUIET).observed
    n = sum(corpus[key].length - 1 for key in corpus)
    placed = sum(corpus[key].inner.size + 1 for key in corpus)
    assert s.expected == pytest.approx((placed / n) ** 2)


def test_error_rates_are_converted_to_similarities() -> None:
    corpus = random_corpus(2)
    pairs = cz.pairwise(corpus, "unit_error")
    units = {row.coders: row.score.parts["units"] for row in pairs.rows}
    error = sum(row.value * units[row.coders] for row in pairs.rows) / sum(units.values())
    assert cz.agreement(corpus, measure="unit_error", **QUIET).observed == pytest.approx(1 - error)


def chance_model(corpus: cz.Corpus, coefficient: str) -> ChanceModel:
    resolved = resolve_coefficient("boundary_similarity", coefficient)
    with open_engine() as engine:
        return resolved.model_class(score_coder_pairs(corpus, resolved.measure), resolved, engine)


def resampled(corpus: cz.Corpus, chosen: list[str]) -> cz.Corpus:
    """The items of a bootstrap sample as a corpus of their own."""
    return cz.Corpus({f"{k}": corpus.of_item(item) for k, item in enumerate(chosen)})


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_bootstrap_over_items_is_the_coefficient_of_the_resampled_corpus(coefficient: str, missing: float) -> None:
    corpus = random_corpus(5, missing=missing)
    model = chance_model(corpus, coefficient)
    rng = np.random.default_rng(1)
    items = model.observed.items
    weights = np.array([np.bincount(rng.integers(0, len(items), len(items)), minlength=len(items)) for _ in range(20)])
    values = model.parts.resampled(weights.astype(float)).values
    for row, value in zip(weights, values, strict=True):
        chosen = [item for item, times in zip(items, row, strict=True) for _ in range(times)]
        assert value == pytest.approx(cz.agreement(resampled(corpus, chosen), coefficient=coefficient, **QUIET).value)


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("coefficient", ["multi_pi", "multi_kappa", "alpha"])
def test_bootstrap_over_coders_by_definition(coefficient: str, missing: float) -> None:
    """A coder drawn twice makes no pair with itself: weight w_c w_d for c != d."""
    corpus = random_corpus(6, missing=missing)
    model = chance_model(corpus, coefficient)
    coders, items = model.observed.coders, model.observed.items
    weights = np.array([[2, 1, 1, 0, 1], [0, 2, 3, 0, 0], [1, 1, 1, 1, 1], [0, 0, 1, 3, 1]], float)
    arrays = model.parts.of_coders(weights)
    for k, row in enumerate(weights):
        w = dict(zip(coders, row, strict=True))
        coders_of = {i: [c for c in coders if (i, c) in corpus and w[c]] for i in items}
        coders_of = {i: present for i, present in coders_of.items() if len(present) > 1}
        pairs = [(i, c, d) for i, present in coders_of.items() for n, c in enumerate(present) for d in present[n + 1 :]]
        if coefficient == "alpha":
            agree = total = 0.0
            counts = {0: 0.0, 1: 0.0}
            for i, present in coders_of.items():
                marks = {c: corpus[i, c].bits() for c in present}
                n = corpus[i, present[0]].length - 1
                m = sum(w[c] for c in present)
                item_pairs = [(c, d) for a, c in enumerate(present) for d in present[a + 1 :]]
                equal = {(c, d): sum(map(eq, marks[c], marks[d])) for c, d in item_pairs}
                same = sum(w[c] * w[d] * equal[c, d] for c, d in item_pairs)
                agree += m * same / sum(w[c] * w[d] for c, d in item_pairs)
                total += m * n
                for c in present:
                    placed = corpus[i, c].inner.size
                    counts[1] += w[c] * placed
                    counts[0] += w[c] * (n - placed)
            expected = sum(v * (v - 1) for v in counts.values()) / (total * (total - 1))
            assert arrays.observed[k] == pytest.approx(agree / total)
        else:
            scores = {(i, c, d): cz.boundary_similarity(corpus[i, c], corpus[i, d]) for i, c, d in pairs}
            below = above = 0.0
            for (_, c, d), score in scores.items():
                p = score.parts
                size = p["additions"] + p["transpositions"] + p["matches"]
                below += w[c] * w[d] * size
                above += w[c] * w[d] * size * score.value if size else 0
            assert arrays.observed[k] == pytest.approx(above / below)
            texts = {c: [corpus[i, c] for i, present in coders_of.items() if c in present] for c in coders}
            placed = {c: sum(text.inner.size for text in texts[c]) for c in coders}
            size = {c: sum(text.length - 1 for text in texts[c]) for c in coders}
            if coefficient == "multi_pi":
                expected = (sum(w[c] * placed[c] for c in coders) / sum(w[c] * size[c] for c in coders)) ** 2
            else:
                both = {(c, d) for _, c, d in pairs}
                products = [(w[c] * w[d], placed[c] / size[c] * placed[d] / size[d]) for c, d in both]
                expected = sum(a * b for a, b in products) / sum(a for a, _ in products)
        assert arrays.expected[k] == pytest.approx(expected)


def test_interval_over_items() -> None:
    corpus = random_corpus(8, items=30)
    result = cz.agreement(corpus, seed=1)
    low, high = result.interval
    assert low < result.value < high
    assert result.interval_note == "0.95 percentile bootstrap over 30 items, 2000 replicates"
    assert "|interval:items|level:0.95|replicates:2000|seed:1|" in result.signature
    assert cz.agreement(corpus, seed=1).interval == (low, high)
    assert cz.agreement(corpus, seed=2).interval != (low, high)
    wider = cz.agreement(corpus, seed=1, level=0.99).interval
    assert wider[0] < low
    assert wider[1] > high
    default = cz.agreement(corpus)
    assert cz.agreement(corpus, seed=default.seed).interval == default.interval


def test_percentiles_of_the_replicates() -> None:
    """The interval is the percentiles of coefficients of corpora made of resampled items."""
    corpus = random_corpus(8, items=25, coders="abc")
    rng = np.random.default_rng(0)
    values = [
        cz.agreement(resampled(corpus, list(rng.choice(corpus.item_names, 25))), **QUIET).value for _ in range(400)
    ]
    low, high = np.quantile(values, [0.025, 0.975])
    ours = cz.agreement(corpus, seed=3, replicates=4000).interval
    spread = (high - low) / 10  # a percentile of 400 draws is itself uncertain
    assert ours == (pytest.approx(low, abs=spread), pytest.approx(high, abs=spread))


def test_few_items_cause_a_warning_and_one_item_has_no_interval() -> None:
    corpus = random_corpus(8, items=5)
    with pytest.warns(CaesuraWarning, match="an interval from 5 items is too narrow: .* covers about 84 % of cases"):
        assert cz.agreement(corpus).interval is not None
    single = cz.agreement(corpus.select(items=corpus.item_names[:1]))
    assert single.interval is None
    assert single.interval_note == "no interval: it needs at least two items to resample; there is one"
    assert single.seed is None
    assert "seed" not in single.signature
    assert cz.agreement(corpus, interval=None).interval_note == "no interval was requested"
    assert cz.agreement(corpus, interval="none") == cz.agreement(corpus, interval=None)


def test_interval_over_coders() -> None:
    corpus = random_corpus(8, items=6, coders="abcdefgh")
    result = cz.agreement(corpus, interval="coders", seed=1)
    low, high = result.interval
    assert low < result.value < high
    assert result.interval_note == "0.95 percentile bootstrap over 8 coders, 2000 replicates"
    two = cz.agreement(corpus.select(coders="ab"), interval="coders")
    assert two.interval is None
    assert two.interval_note == "no interval: every resample of two coders has the same pair"


def test_undefined_replicates_are_excluded_and_counted() -> None:
    blank = cz.Segmentation.from_masses([5])
    marked = cz.Segmentation.from_masses([2, 3])
    corpus = cz.Corpus({str(i): dict.fromkeys("ab", blank if i else marked) for i in range(20)})
    result = cz.agreement(corpus, seed=1)
    # A sample misses the one marked item with probability (19/20)^20 = .3585.
    left_out = int(result.interval_note.split("2000 replicates, ")[1].split()[0])
    assert abs(left_out - 2000 * 0.95**20) < 4 * math.sqrt(2000 * 0.36 * 0.64)
    assert result.interval == (1.0, 1.0)


def test_unusable_items_are_listed() -> None:
    masses = cz.Segmentation.from_masses
    corpus = cz.Corpus(
        {
            "good": {"ann": masses([2, 3]), "bo": masses([2, 3]), "cy": masses([1, 4])},
            "lonely": {"ann": masses([4, 4])},
            "unequal": {"ann": masses([2, 3]), "bo": masses([2, 4])},
        }
    )
    result = cz.agreement(corpus)
    assert reasons(result) == {
        "lonely": "coded by ann only",
        "unequal": "a is ann, b is bo: both sides must have the same units; a has 5, b has 6",
    }
    assert result.value == cz.agreement(corpus.select(items=["good"])).value


BLANK = {"a": [5], "b": [5]}
FULL = {"a": [1, 1], "b": [1, 1]}
FINE = {"a": [2, 3], "b": [1, 4], "c": [2, 3]}


@pytest.mark.parametrize(
    ("items", "options", "error", "message"),
    [
        ({}, {}, OptionError, "agreement needs at least two coders; got none"),
        ({"x": {"a": [2, 3]}}, {}, OptionError, "agreement needs at least two coders; got a"),
        (
            {"x": {"a": [2, 3]}, "y": {"b": [2, 3]}},
            {},
            OptionError,
            "item 'x': coded by a only; item 'y': coded by b only",
        ),
        ({"x": {"a": [2, 3], "b": [5, 3]}}, {}, OptionError, "both sides must have the same units; a has 5, b has 8"),
        ({"x": BLANK}, {}, Undefined, "no coder placed a boundary, so agreement beyond chance is undefined"),
        ({"x": BLANK}, {"coefficient": "alpha"}, Undefined, "no coder placed a boundary, so agreement beyond chance"),
        ({"x": FULL}, {}, Undefined, "chance agreement is 1, so agreement beyond chance is undefined"),
        ({"x": FULL}, {"coefficient": "multi_kappa"}, Undefined, "chance agreement is 1, so agreement beyond chance"),
        ({"x": FULL}, {"coefficient": "alpha"}, Undefined, "chance agreement is 1, so agreement beyond chance"),
        ({"x": FINE}, {"coefficient": "pi"}, OptionError, "pi is for two coders; use multi_pi for 3 coders"),
        ({"x": FINE}, {"coefficient": "kappa"}, OptionError, "kappa is for two coders; use multi_kappa for 3 coders"),
        ({"x": FINE}, {"coefficient": "s"}, OptionError, "boundary_similarity has no coefficient 's'"),
        (
            {"x": FINE},
            {"measure": "window_diff", "coefficient": "pi"},
            OptionError,
            "pi is not defined over window_diff, which has no published chance model; leave the coefficient out for "
            "the mean over pairs of coders, with chance='placement' to correct it for chance",
        ),
        ({"x": FINE}, {"compat": "fournier2012"}, OptionError, "boundary_similarity has no preset 'fournier2012'"),
        ({"x": FINE}, {"compat": "nltk"}, OptionError, "agreement has no preset 'nltk'"),
        (
            {"x": FINE},
            {"compat": "fournier2013", "measure": "boundary_similarity(compat='segeval-2.0.11')"},
            OptionError,
            "the measure has compat='segeval-2.0.11', which contradicts compat='fournier2013'; set only one",
        ),
        (
            {"x": FINE},
            {"compat": "fournier2013", "coefficient": "alpha"},
            OptionError,
            "alpha has no preset; got compat",
        ),
        ({"x": FINE}, {"draws": 100}, OptionError, "draws is an option of the simulation"),
        ({"x": FINE}, {"chance": "exact"}, OptionError, "chance has no effect on multi_pi over boundary_similarity"),
        (
            {"x": FINE},
            {"counted": "segments", "measure": "flexible_similarity"},
            OptionError,
            "kappa over flexible_similarity has no option 'counted'; it has none",
        ),
        ({"x": FINE}, {"rates": "mean", "coefficient": "alpha"}, OptionError, "alpha has no option 'rates'"),
        ({"x": FINE}, {"counted": "units"}, OptionError, "counted must be one of 'boundaries', 'segments'"),
        ({"x": FINE}, {"interval": "units"}, OptionError, "interval must be one of 'items', 'coders'; got 'units'"),
        ({"x": FINE}, {"level": 95}, OptionError, "level must be a number between 0 and 1; got 95"),
        ({"x": FINE}, {"replicates": 10}, OptionError, "replicates must be a whole number of at least 100; got 10"),
        ({"x": FINE}, {"seed": 1.5}, OptionError, "seed must be a whole number; got 1.5"),
    ],
)
def test_invalid_input(items: dict, options: dict, error: type[Exception], message: str) -> None:
    segmentations = {i: {c: cz.Segmentation.from_masses(m) for c, m in by.items()} for i, by in items.items()}
    with pytest.raises(error, match=re.escape(message)):
        cz.agreement(cz.Corpus(segmentations), **options)


def test_sets_of_types_can_push_chance_above_one() -> None:
    full = cz.Segmentation.from_sets([{"act", "scene"}] * 3, TYPES)
    with pytest.raises(Undefined, match="chance agreement is 2, so agreement beyond chance is undefined"):
        cz.agreement(cz.Corpus({"x": {"a": full, "b": full}}))


def test_items_of_one_unit_are_ignored() -> None:
    corpus = random_corpus(1, items=3)
    single_unit = cz.Segmentation.from_masses([1])
    items = {i: corpus.of_item(i) for i in corpus.item_names}
    longer = cz.Corpus({**items, "word": dict.fromkeys("abcde", single_unit)})
    for compat in (None, "fournier2013", "segeval-2.0.11"):
        for name in ("multi_pi", "multi_kappa"):
            options = {"coefficient": name, "compat": compat, **QUIET}
            assert cz.agreement(longer, **options).observed == cz.agreement(corpus, **options).observed
            if compat != "fournier2013" or name == "multi_pi":  # a text of one unit is one segment more
                assert cz.agreement(longer, **options).value == cz.agreement(corpus, **options).value


def test_as_dict_is_json() -> None:
    corpus = random_corpus(1, items=25, missing=0.2)
    for name in COEFFICIENTS:
        result = cz.agreement(corpus, coefficient=name, seed=1)
        data = json.loads(json.dumps(result.to_dict()))
        assert data["value"] == result.value == float(result)
        assert data["interval"] == list(result.interval)
        assert len(data["items"]) == len(result.items)
        assert data["pairs"][0]["coders"] == list(result.pairs[0].coders)
        assert [row["coder"] for row in data["outliers"]] == [row.coder for row in result.outliers]


def test_numpy_numbers_are_accepted_and_strings_are_not() -> None:
    corpus = random_corpus(1, items=25)
    result = cz.agreement(corpus, seed=np.int64(4), replicates=np.int32(200))
    assert result.interval == cz.agreement(corpus, seed=4, replicates=200).interval
    json.dumps(result.to_dict())
    for options, message in (
        ({"level": "high"}, "level must be a number; got 'high'"),
        ({"level": float("nan")}, "level must be a number; got nan"),
        ({"seed": True}, "seed must be a whole number; got True"),
        ({"seed": "1"}, "seed must be a whole number; got '1'"),
    ):
        with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
            cz.agreement(corpus, **options)
    with pytest.raises(OptionError, match=r"^corpus: expected a Corpus; got dict$"):
        cz.agreement({"x": {}})


def test_undeclared_types() -> None:
    """Their order decides what a substitution costs in B, and nothing in alpha, crisp and S_f."""
    a = cz.Segmentation.from_sets([{"x"}, {"y"}, {"z"}, set()])
    b = cz.Segmentation.from_sets([{"x"}, {"z"}, set(), {"y"}])
    corpus = cz.Corpus({"t": {"a": a, "b": b}})
    with pytest.warns(CaesuraWarning) as caught:
        cz.agreement(corpus)
    assert [str(warning.message) for warning in caught] == [
        "the order of the types was not declared; x < y < z is assumed, and the costs of substitutions depend on it. "
        "Declare the order with --types, or types=[...] in Python"
    ]
    # one position of four agrees; x 2, y 2, z 2, none 2 of eight values
    alpha = cz.agreement(corpus, coefficient="alpha")
    assert (alpha.observed, alpha.expected) == pytest.approx((1 / 4, 4 * 2 / (8 * 7)))
    cz.agreement(corpus, measure="crisp")
    cz.agreement(corpus, measure="flexible_similarity", chance="exact")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"measure": "segmentation_similarity", "coefficient": "multi_kappa"},
        {"measure": "crisp", "coefficient": "bias"},
        {"coefficient": "alpha"},
        {"compat": "fournier2012", "measure": "segmentation_similarity"},
        {"chance": "placement"},
    ],
)
def test_streams_of_a_dialogue_count_like_items(options: dict) -> None:
    """Counts of the streams are added, so a dialogue gives the same agreement as its streams as separate items."""
    masses = {"a": ([2, 3], [4, 1, 1], [6]), "b": ([1, 4], [3, 1, 2], [3, 3]), "c": ([2, 3], [1, 5], [2, 4])}
    texts = {coder: [cz.Segmentation.from_masses(m) for m in lists] for coder, lists in masses.items()}
    dialogues = cz.Corpus(
        {
            "talk": {coder: {"F": streams[0], "G": streams[1]} for coder, streams in texts.items()},
            "text": {coder: streams[2] for coder, streams in texts.items()},
        }
    )
    items = cz.Corpus({str(i): {coder: streams[i] for coder, streams in texts.items()} for i in range(3)})
    result = cz.agreement(dialogues, **options, **QUIET)
    expected = cz.agreement(items, **options, **QUIET)
    for name in ("value", "observed", "expected"):
        assert getattr(result, name) == pytest.approx(getattr(expected, name))
    assert result.excluded == ()


def test_streams_of_a_dialogue_need_not_be_in_the_same_order() -> None:
    one, two = cz.Segmentation.from_masses([2, 3]), cz.Segmentation.from_masses([4, 1, 1])
    three, four = cz.Segmentation.from_masses([1, 4]), cz.Segmentation.from_masses([4, 2])
    same = cz.Corpus({"talk": {"a": {"F": one, "G": two}, "b": {"F": three, "G": four}}})
    swapped = cz.Corpus({"talk": {"a": {"F": one, "G": two}, "b": {"G": four, "F": three}}})
    for coefficient in ("multi_pi", "alpha"):
        first, second = (cz.agreement(corpus, coefficient=coefficient, **QUIET) for corpus in (same, swapped))
        assert first.value == second.value


@pytest.mark.slow
def test_ten_thousand_items() -> None:
    """Weights of 2,000 replicates at once would take 160 MB; blocks keep what is held at a time below that."""
    import tracemalloc

    first, second = cz.Segmentation.from_masses([2, 3, 2]), cz.Segmentation.from_masses([2, 2, 3])
    third = cz.Segmentation.from_masses([3, 4])
    corpus = cz.Corpus({f"i{i}": {"a": first, "b": second if i % 2 else first, "c": third} for i in range(10_000)})
    tracemalloc.start()
    try:
        result = cz.agreement(corpus, seed=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 150e6
    low, high = result.interval
    assert low < result.value < high
    few = cz.agreement(corpus.select(items=["i0", "i1"]), **QUIET)  # of which all others are copies
    assert result.value == pytest.approx(few.value, abs=1e-12)


def test_sixty_coders() -> None:
    coders = [f"c{i:02}" for i in range(60)]
    corpus = random_corpus(1, items=5, coders=coders)
    result = cz.agreement(corpus, interval="coders", seed=1, replicates=200)
    assert (len(result.pairs), len(result.coders), len(result.items)) == (1770, 60, 5)
    A = np.array([row.observed for row in result.pairs])  # noqa: N806
    assert A.min() <= result.observed <= A.max()
    row = result.coders[7]
    remaining = corpus.select(coders=[coder for coder in coders if coder != row.coder])
    assert row.without == pytest.approx(cz.agreement(remaining, **QUIET).value)


def test_alpha_needs_no_type_order_and_keeps_warning_filters() -> None:
    """Threads share the filters of warnings, so that changing them for one computation would change them for all."""
    a = cz.Segmentation.from_sets([{"x"}, {"y"}, {"z"}, set()])
    b = cz.Segmentation.from_sets([{"x"}, {"z"}, set(), {"y"}])
    corpus = cz.Corpus({"t": {"a": a, "b": b}})
    with warnings.catch_warnings():
        warnings.simplefilter("error", CaesuraWarning)
        filters = list(warnings.filters)
        cz.agreement(corpus, coefficient="alpha", **QUIET)
        assert warnings.filters == filters


def test_alpha_ignores_the_declared_order_of_types() -> None:
    sets = [{"x"}, {"y"}, set(), {"y"}], [{"x"}, {"y"}, {"x"}, set()]
    same, reordered = (
        cz.Corpus(
            {"t": {coder: cz.Segmentation.from_sets(s, list(t)) for coder, s, t in zip("ab", sets, types, strict=True)}}
        )
        for types in (["xy", "xy"], ["xy", "yx"])
    )
    values = {cz.agreement(corpus, coefficient="alpha", **QUIET).value for corpus in (same, reordered)}
    assert len(values) == 1


@pytest.mark.parametrize("measure", ["pk", "window_diff", "fuzzy_success", "flexible_similarity", "boundary_confusion"])
def test_alpha_exists_for_every_segmentation_measure(measure: str) -> None:
    corpus = random_corpus(3, items=4)
    expected = cz.agreement(corpus, coefficient="alpha", **QUIET)
    assert cz.agreement(corpus, measure, coefficient="alpha", **QUIET) == expected


def test_default_seed_is_0() -> None:
    corpus = random_corpus(8, items=25)
    assert cz.agreement(corpus) == cz.agreement(corpus, seed=0)
    drawn = cz.agreement(corpus, seed=None)
    assert drawn == cz.agreement(corpus, seed=drawn.seed)


def test_every_measure_has_its_declared_chance_model() -> None:
    for name, measure in cz.measures().items():
        if measure.coefficients:
            model = CHANCE_FAMILIES[measure.chance_family]
            positions = [c for c in measure.coefficients if c not in model.coefficients]
            assert set(positions) <= set(POSITION_COEFFICIENTS), name
            assert measure.default_coefficient in model.coefficients


def test_result_to_frame() -> None:
    corpus = random_corpus(1, items=3)
    result = cz.agreement(corpus, **QUIET)
    frame = result.to_frame()
    assert frame["value"].tolist() == [row.value for row in result.pairs]
    assert set(frame.columns) == {"coders", "value", "observed", "expected", "expected_error", "items"}


class _HalfCredit(BoundaryF):
    """A measure that nobody registered, with an existing chance family."""

    __slots__ = ()
    name = "half_credit"

    def finish(self, counts: np.ndarray, types: tuple[str, ...]) -> np.ndarray:
        return super().finish(counts, types) / 2


def test_new_measure_of_an_existing_family_works() -> None:
    corpus = random_corpus(3, items=4)
    new, known = (cz.agreement(corpus, measure, **QUIET) for measure in (_HalfCredit(), "crisp"))
    assert new.observed == pytest.approx(known.observed / 2)
    assert (new.expected, new.coefficient) == (known.expected, "multi_pi")
    assert cz.cluster_coders(corpus, _HalfCredit()).measure == _HalfCredit()
