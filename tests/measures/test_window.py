"""Pk, WindowDiff and WinPR: published values, all small pairs, two reference implementations, and edge cases."""

from __future__ import annotations

import random
from collections.abc import Collection
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import OptionError
from oracle import window as oracle
from support.strategies import Pair, pairs, segmentation

masses = cz.Segmentation.from_masses


# Fournier 2013, Figures 5 to 8. The manual segmentation is always
#
#   m  |··|···|······|
#
#   5  |·····|······|          false negative
#   6  |··|··|·······|         near miss
#   7  |··|···|···|···|        false positive
#   8  |·|·|·|··|······|       cluster of false positives
MANUAL = [2, 3, 6]
FIGURES_2013 = {5: [5, 6], 6: [2, 2, 7], 7: [2, 3, 3, 3], 8: [1, 1, 1, 2, 6]}


# Fournier & Inkpen 2012
#
#   3  |·|··|··|···|···|·|··|       6  |··············|
#      |·|··|·|··|······|··|           |·|·|·|·|·|·|·|·|·|·|·|·|·|·|
#
#   7  |·|··|··|··|····|··|·|       8  |······|········|
#      |·|··|········|··|·|            |·······|·······|
@pytest.mark.parametrize(
    ("reference", "hypothesis", "compat", "published"),
    [
        # 2013, section 4: printed are 0.777 and 0.666 with a bar over the last digit, and k = 2
        *((MANUAL, FIGURES_2013[figure], None, 0.7778) for figure in (5, 6, 7)),
        (MANUAL, FIGURES_2013[8], None, 0.6667),
        ([1, 2, 2, 3, 3, 1, 2], [1, 2, 1, 2, 6, 2], "fournier2012", 0.6154),  # section 3.3, on Figure 3
        ([14], [1] * 14, "fournier2012", 0),  # section 4.1, Figure 6
        ([1, 2, 2, 2, 4, 2, 1], [1, 2, 8, 2, 1], "fournier2012", 0.8462),  # section 4.1, Figure 7
        ([6, 8], [7, 7], "fournier2012", 0.8182),  # section 4.1, Figure 8
    ],
)
def test_published_window_diff(reference, hypothesis, compat, published):
    score = cz.window_diff(masses(reference), masses(hypothesis), compat=compat)
    assert round(1 - score.value, 4) == published
    assert compat or score.params["window"] == 2


@pytest.mark.parametrize(("figure", "tp", "fp", "fn"), [(5, 1, 0, 1), (6, 1.5, 0.5, 0.5), (7, 2, 1, 0), (8, 2, 2, 0)])
def test_win_pr_of_the_figures_of_2013(figure, tp, fp, fn):
    """The counts of a worked example with k = 2."""
    score = cz.win_pr(masses(MANUAL), masses(FIGURES_2013[figure]), window=2)
    assert dict(score.parts) == {"tp": tp, "fp": fp, "fn": fn, "tn": 10 - tp - fp - fn}
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    assert score.precision() == precision
    assert score.recall() == recall
    assert score.value == pytest.approx(2 * precision * recall / (precision + recall))


def subsets(length: int) -> list[frozenset[int]]:
    return [frozenset(p for p in range(1, length) if bits >> p & 1) for bits in range(0, 2**length, 2)]


def win_pr(length: int, r: Collection[int], h: Collection[int], k: int) -> list[float]:
    expected = oracle.win_pr(length, r, h, k)
    return [float(expected[name]) for name in ("tp", "fp", "fn", "tn")]


COUNTED = [
    ("pk", {}, oracle.pk),
    ("window_diff", {}, oracle.window_diff),
    ("pk", {"padded": True}, oracle.padded_pk),
    ("window_diff", {"padded": True}, oracle.padded_window_diff),
    ("window_diff", {"padded": True, "compat": "segeval-2.0.11"}, oracle.padded_window_diff_segeval),
    ("win_pr", {}, win_pr),
]


@pytest.mark.parametrize("length", range(2, 7))
@pytest.mark.parametrize(
    ("name", "options", "slow"),
    COUNTED,
    ids=["pk", "window_diff", "pk padded", "window_diff padded", "segeval padded", "win_pr"],
)
def test_every_pair_of_a_short_text_at_every_window(length, name, options, slow):
    sides = list(product(subsets(length), repeat=2))
    texts = {side: segmentation(length, side) for side in subsets(length)}
    for k in range(1, length):
        measure = cz.measures()[name](window=k, **options)
        scores = cz.score_many([(texts[r], texts[h]) for r, h in sides], measure)
        assert not scores.errors
        for (r, h), counts, value in zip(sides, scores.counts.tolist(), scores.values.tolist(), strict=True):
            assert counts == list(slow(length, r, h, k)), (length, sorted(r), sorted(h), k)
            assert name == "win_pr" or value == counts[0] / counts[1]


@given(pairs(min_units=2, max_units=40), st.data())
def test_every_window_is_checked(pair: Pair, data):
    k = data.draw(st.integers(1, pair.length - 1))
    for name, options, slow in COUNTED:
        score = cz.measures()[name](window=k, **options).score(*pair.segmentations)
        counts = list(slow(pair.length, pair.a, pair.b, k))
        assert list(score.parts.values()) == pytest.approx(counts, abs=1e-12 if name == "win_pr" else 0, rel=0)
        assert (score.params["window"], score.params["window_from"]) == (k, "given")
    # The two sums that the definition of WinPR promises.
    assert score.parts["tp"] + score.parts["fn"] == pytest.approx(len(pair.a))
    assert score.parts["tp"] + score.parts["fp"] == pytest.approx(len(pair.b))


@given(pairs(min_units=2, max_units=30))
def test_window_of_2012_is_k_units_wide(pair: Pair):
    """k units, k-1 positions between them, N-k+1 windows: that is a window of k-1 by the usual count."""
    k = oracle.window_fournier2012(pair.length, pair.a)
    for name, slow in (("pk", oracle.pk), ("window_diff", oracle.window_diff)):
        score = cz.measures()[name](compat="fournier2012").score(*pair.segmentations)
        errors, windows = slow(pair.length, pair.a, pair.b, k - 1)
        assert windows == pair.length - k + 1
        assert dict(score.parts) == {"errors": errors, "windows": windows}
        assert score.params["window"] == k


# Lengths no enumeration reaches: cost must not grow with k, and long integers must not be cut off.


def test_text_of_two_billion_units():
    """Windows can be counted without looking at each.

    One boundary against none: k windows hold it, wherever it stands, if it is k or more from both ends.
    """
    length, k = 2_000_000_000, 500_000_000
    single, none = cz.Segmentation.from_positions(length, [10**9]), cz.Segmentation.from_positions(length, [])
    for measure in (cz.pk, cz.window_diff):
        score = measure(single, none, window=k)
        assert dict(score.parts) == {"errors": k, "windows": length - k}
    near = cz.Segmentation.from_positions(length, [10**9 + 3])
    counts = dict(cz.win_pr(single, near, window=k).parts)
    assert counts["fp"] == counts["fn"] == pytest.approx(3 / k)
    assert counts["tp"] == pytest.approx(1 - 3 / k)


def test_dense_random_texts_at_wide_windows():
    rng = random.Random(7)
    for length in (200, 301):
        for density in (0.05, 0.5, 0.95, 1):
            r, h = ({p for p in range(1, length) if rng.random() < density} for _ in range(2))
            a, b = segmentation(length, r), segmentation(length, h)
            for k in (1, 2, 17, length // 2, length - 2, length - 1):
                for name, options, slow in COUNTED:
                    score = cz.measures()[name](window=k, **options).score(a, b)
                    assert list(score.parts.values()) == pytest.approx(slow(length, r, h, k), abs=1e-9)


@given(pairs(min_units=1, max_units=60))
@example(Pair(1, frozenset(), frozenset()))
@example(Pair(2, frozenset({1}), frozenset()))
def test_automatic_window(pair: Pair):
    """Half the mean reference segment, rounded half up, at least 2, then at most N-1."""
    for measure in (cz.pk, cz.window_diff, cz.win_pr):
        params = measure(*pair.segmentations).params
        assert params["window"] == oracle.window(pair.length, pair.a)
        unclamped = max(2, oracle.half_up(oracle.half_mean_mass(pair.length, pair.a)))
        clamped = unclamped > pair.length - 1
        assert params["window_from"] == ("auto, clamped to the text" if clamped else "auto")


@pytest.mark.parametrize(
    ("reference", "k"),
    [
        ([5, 5], 3),  # mean 5, half 2.5: half-even would say 2
        ([9], 5),  # half 4.5: half-even would say 4
        ([13], 7),  # half 6.5, where both roundings say 7 and 6
        ([7, 7], 4),  # half 3.5: both say 4
        ([1, 1, 1, 1], 2),  # half 0.5: the minimum
        ([3, 3, 4], 2),  # half 1.67
        ([5, 4, 4], 2),  # half 2.17
    ],
)
def test_rounding_of_the_automatic_window(reference, k):
    text = masses(reference)
    assert cz.pk(text, text).params["window"] == k


def test_window_depends_only_on_the_reference():
    few, many = masses([10, 10]), masses([2] * 10)
    assert cz.window_diff(few, many).params["window"] == 5
    assert cz.window_diff(many, few).params["window"] == 2


def test_clamped_window():
    """To N - 1, and to N units as in 2012."""
    one, two = masses([1]), masses([2])
    score = cz.pk(two, two)
    assert (score.params["window"], score.params["window_from"]) == (1, "auto, clamped to the text")
    assert {"window:1", "window_from:auto, clamped to the text"} <= set(score.signature.split("|"))
    params = cz.window_diff(one, one, compat="fournier2012").params
    assert (params["window"], params["window_from"]) == (1, "auto, clamped to the text")
    assert cz.window_diff(two, two, compat="fournier2012").params["window"] == 2


@pytest.mark.parametrize("measure", [cz.pk, cz.window_diff, cz.win_pr])
@pytest.mark.parametrize(
    ("units", "k", "message"),
    [
        (11, 11, "window must lie in 1..10 for a text of 11 units; got 11"),
        (11, 10**9, "window must lie in 1..10 for a text of 11 units; got 1000000000"),
        (2, 2, "window must lie in 1..1 for a text of 2 units; got 2"),
        (1, 1, "window must not be set for a text of one unit, which has no inner position; got 1"),
        (11, 0, "window must be a whole number of at least 1; got 0"),
        (11, -3, "window must be a whole number of at least 1; got -3"),
        (11, 2.0, "window must be a whole number; got 2.0"),
        (11, 2.5, "window must be a whole number; got 2.5"),
        (11, True, "window must be a whole number; got True"),
        (11, float("nan"), "window must be a whole number; got nan"),
        (11, 2**31, "window must be a whole number of at most 2147483647; got 2147483648"),
    ],
)
def test_invalid_window_is_an_error(measure, units, k, message):
    text = masses([units])
    with pytest.raises(OptionError) as caught:
        measure(text, text, window=k)
    assert str(caught.value) == message


def test_widest_valid_window():
    a, b = masses([2, 3]), masses([1, 4])
    assert dict(cz.pk(a, b, window=4).parts) == {"errors": 0, "windows": 1}
    with pytest.raises(OptionError, match=r"window must lie in 1\.\.5 for a text of 5 units"):
        cz.pk(a, b, window=6, compat="fournier2012")
    assert dict(cz.pk(a, b, window=5, compat="fournier2012").parts) == {"errors": 0, "windows": 1}


# the cases of "Numbers that must always exist"


@pytest.mark.parametrize("units", [1, 2, 3, 10, 11])
@pytest.mark.parametrize("measure", [cz.pk, cz.window_diff])
def test_neither_side_has_a_boundary(measure, units):
    """Pk = WindowDiff = 0, and the windows count."""
    text = masses([units])
    score = measure(text, text)
    assert score.value == 0
    assert dict(score.parts) == {"errors": 0, "windows": units - oracle.window(units, ())}
    for compat, padded in product(["fournier2012", "segeval-2.0.11", "nltk"], [False, True]):
        score = measure(text, text, compat=compat, padded=padded)
        assert (score.value, score.parts["errors"]) == (0, 0)
        assert score.parts["windows"] >= 0


@pytest.mark.parametrize("units", [1, 2, 3, 10])
def test_win_pr_without_boundaries(units):
    score = cz.win_pr(masses([units]), masses([units]))
    assert dict(score.parts) == {"tp": 0, "fp": 0, "fn": 0, "tn": units - 1}
    assert (score.value, score.precision(), score.recall(), score.f()) == (1, 1, 1, 1)


def test_win_pr_with_one_empty_side():
    divided, undivided = masses([2, 3, 6]), masses([11])
    missed, invented = cz.win_pr(divided, undivided), cz.win_pr(undivided, divided)
    assert dict(missed.parts) == {"tp": 0, "fp": 0, "fn": 2, "tn": 8}
    assert (missed.value, missed.precision(), missed.recall(), missed.f()) == (0, 0, 0, 0)
    assert (invented.parts["fp"], invented.value, invented.precision(), invented.recall()) == (2, 0, 0, 0)


@pytest.mark.parametrize("units", [2, 3, 5])
def test_win_pr_has_no_windows_of_width_zero(units):
    """k = 0 would count nothing and call everything right, where every boundary was missed."""
    full, none = masses([1] * units), masses([units])
    score = cz.win_pr(full, none)
    assert score.value == 0
    assert score.parts["fn"] == units - 1


def test_micro_average_ignores_an_empty_document_in_win_pr_and_counts_it_in_pk():
    full, empty = (masses([2, 3]), masses([1, 4])), (masses([5]), masses([5]))
    assert (cz.win_pr(*full) + cz.win_pr(*empty)).value == cz.win_pr(*full).value
    alone, both = cz.pk(*full), cz.pk(*full) + cz.pk(*empty)
    assert both.parts["errors"] == alone.parts["errors"] == 1
    assert both.value == alone.value * alone.parts["windows"] / both.parts["windows"]


def test_position_n_and_types_are_ignored():
    plain = cz.Segmentation.from_positions(6, [2, 4])
    marked = cz.Segmentation.from_marks(["", ",", "", ".", "", "."])
    double = cz.Segmentation.from_sets([set(), {"x", "y"}, set(), {"y"}, set()], types=["x", "y"])
    hypothesis = cz.Segmentation.from_positions(6, [1, 4])
    for measure in (cz.pk, cz.window_diff, cz.win_pr):
        expected = measure(plain, hypothesis)
        for same in (marked, double):
            assert measure(same, hypothesis).parts == expected.parts
            assert measure(same, hypothesis).params["window"] == expected.params["window"]


def random_texts(seed: int, number: int, longest: int = 80) -> list[tuple[str, str]]:
    rng = random.Random(seed)
    texts = []
    for _ in range(number):
        units, density = rng.randint(1, longest), rng.choice([0, 0.02, 0.1, 0.3, 0.6, 1])
        texts.append(tuple("".join("01"[rng.random() < density] for _ in range(units - 1)) for _ in range(2)))
    return texts


def test_nltk(nltk_segmentation):
    """pk with NLTK's own k, and windowdiff, which has no default, at the same k; on 1,000 random texts."""
    bits = cz.Segmentation.from_bits
    for reference, hypothesis in random_texts(1, 1000):
        k = oracle.window_nltk(len(reference) + 1, [i for i, bit in enumerate(reference) if bit == "1"])
        score = cz.pk(bits(reference), bits(hypothesis), compat="nltk")
        assert score.value == nltk_segmentation.pk(reference, hypothesis)
        assert score.params["window"] == k
        score = cz.window_diff(bits(reference), bits(hypothesis), compat="nltk")
        assert score.value == nltk_segmentation.windowdiff(reference, hypothesis, k)
        assert score.params["window"] == k


@given(pairs(min_units=2, max_units=40), st.data())
def test_nltk_at_a_fixed_window(nltk_segmentation, pair: Pair, data):
    """With k given there is nothing left to differ in, so the defaults agree too."""
    k = data.draw(st.integers(1, pair.length - 1))
    a, b = pair.segmentations
    for compat in (None, "nltk"):
        assert cz.pk(a, b, window=k, compat=compat).value == nltk_segmentation.pk(a.bits(), b.bits(), k)
        assert cz.window_diff(a, b, window=k, compat=compat).value == nltk_segmentation.windowdiff(
            a.bits(), b.bits(), k
        )


@pytest.mark.parametrize(
    ("measure", "first", "second", "k", "printed"),
    [
        (cz.window_diff, "000100000010", "000100000010", 3, "0.00"),
        (cz.window_diff, "000100000010", "000010000100", 3, "0.30"),
        (cz.window_diff, "000010000100", "100000010000", 3, "0.80"),
        (cz.pk, "0100" * 100, "1" * 400, 2, "0.50"),
        (cz.pk, "0100" * 100, "0" * 400, 2, "0.50"),
        (cz.pk, "0100" * 100, "0100" * 100, 2, "0.00"),
    ],
)
def test_docstrings_of_nltk(measure, first, second, k, printed):
    bits = cz.Segmentation.from_bits
    assert f"{measure(bits(first), bits(second), window=k).value:.2f}" == printed


@given(pairs(min_units=1, max_units=40))
def test_segeval(segeval, pair: Pair):
    """Numerators and denominators, also where segeval divides nothing by nothing."""
    a, b = pair.segmentations
    compat = "segeval-2.0.11"
    k = oracle.window_segeval(pair.length, pair.a)
    assert segeval.compute_window_size(list(a.masses)) == k

    errors, windows = segeval.pk(list(b.masses), list(a.masses), return_parts=True)
    score = cz.pk(a, b, compat=compat)
    assert (score.parts["errors"], score.parts["windows"], score.params["window"]) == (errors, windows, k)

    errors, windows = segeval.window_diff(
        list(b.masses), list(a.masses), return_parts=True, lamprier_et_al_2007_fix=True
    )
    score = cz.window_diff(a, b, compat=compat, padded=True)
    assert (score.parts["errors"], score.parts["windows"]) == (errors, windows)

    score = cz.window_diff(a, b, compat=compat)
    if k < pair.length:
        errors, windows = segeval.window_diff(list(b.masses), list(a.masses), return_parts=True)
        assert (score.parts["errors"], score.parts["windows"]) == (errors, windows)
    else:  # there segeval divides by zero or less
        assert (score.value, score.parts["windows"]) == (0, 0)


@given(pairs(min_units=2, max_units=40), st.data())
def test_segeval_at_a_fixed_window(segeval, pair: Pair, data):
    """Once more nothing left to differ in."""
    k = data.draw(st.integers(1, pair.length - 1))
    a, b = pair.segmentations
    for measure, theirs in ((cz.pk, segeval.pk), (cz.window_diff, segeval.window_diff)):
        errors, windows = theirs(list(b.masses), list(a.masses), window_size=k, return_parts=True)
        assert dict(measure(a, b, window=k).parts) == {"errors": errors, "windows": windows}


@given(pairs(min_units=3, max_units=30), st.data())
def test_padded_windows_inspect_every_position_equally_often(pair: Pair, data):
    """One boundary against none is seen by exactly k windows, wherever it stands."""
    k = data.draw(st.integers(1, pair.length - 1))
    none = segmentation(pair.length, frozenset())
    for p in range(1, pair.length):
        single = segmentation(pair.length, frozenset({p}))
        expected = {"errors": k, "windows": pair.length + k - 2}
        assert dict(cz.window_diff(single, none, window=k, padded=True).parts) == expected


@given(pairs(min_units=2, max_units=30), st.data())
def test_pk_never_exceeds_window_diff(pair: Pair, data):
    """One side empty and the other not is a difference in number as well."""
    k = data.draw(st.integers(1, pair.length - 1))
    a, b = pair.segmentations
    pk, wd = cz.pk(a, b, window=k), cz.window_diff(a, b, window=k)
    assert pk.parts["errors"] <= wd.parts["errors"]
    if k == 1:
        assert pk.parts == wd.parts


@given(pairs(min_units=2, max_units=30))
def test_win_pr_at_one_position_is_crisp(pair: Pair):
    """At k = 1 a window is a position, and TP the boundaries both sides have."""
    score = cz.win_pr(*pair.segmentations, window=1)
    assert score.parts["tp"] == len(pair.a & pair.b)
    assert score.value == cz.crisp(*pair.segmentations).value
