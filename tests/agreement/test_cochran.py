"""Cochran's Q, percentage agreement and the gold standards: against statsmodels, against enumeration, by hand."""

from __future__ import annotations

import json
import math
import pickle
import random
import re
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import caesura as cz
from caesura.agreement.cochran import chance_tail
from caesura.data import stargazer
from caesura.errors import CaesuraError, MismatchError, OptionError, Undefined
from support.corpora import ALIGN_HINT
from support.excluded import reasons

Rows = list[str]
"""A string of 0 and 1 for each coder, a character an inner position."""


@st.composite
def tables(draw: st.DrawFn, *, min_positions: int = 2, max_positions: int = 12, max_coders: int = 6) -> Rows:
    k = draw(st.integers(min_positions, max_positions))
    row = st.text("01", min_size=k, max_size=k) | st.just("0" * k) | st.just("1" * k)
    return draw(st.lists(row, min_size=2, max_size=max_coders))


def coded(rows: Rows) -> list[cz.Segmentation]:
    return [cz.Segmentation.from_bits(row) for row in rows]


def undefined(rows: Rows) -> bool:
    return all(len(set(row)) == 1 for row in rows)


def columns(rows: Rows) -> list[int]:
    return [column.count("1") for column in zip(*rows, strict=True)]


def q_by_definition(rows: Rows) -> Fraction:
    counts, marks = columns(rows), [row.count("1") for row in rows]
    k = len(counts)
    mean = Fraction(sum(counts), k)
    below = k * sum(marks) - sum(n * n for n in marks)
    return k * (k - 1) * sum((g - mean) ** 2 for g in counts) / below


@given(rows=tables())
def test_q_equals_statsmodels(rows: Rows) -> None:
    from statsmodels.stats.contingency_tables import cochrans_q

    assume(not undefined(rows))
    result = cz.cochran_q(coded(rows))
    theirs = cochrans_q(np.array([[int(bit) for bit in row] for row in rows]))
    assert result.q == pytest.approx(theirs.statistic, rel=1e-12, abs=1e-12)
    assert result.p == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)
    assert result.df == theirs.df == len(rows[0]) - 1
    assert result.q == pytest.approx(float(q_by_definition(rows)), rel=1e-15)


@given(rows=tables())
def test_parts_add_up_to_q(rows: Rows) -> None:
    from scipy.stats import chi2

    assume(not undefined(rows))
    result = cz.cochran_q(coded(rows), alpha=0.05)
    assert math.fsum(row.q for row in result.partial) == result.q
    counts = columns(rows)
    assert [(row.g, row.positions, row.df) for row in result.partial] == [
        (g, n, n) for g, n in sorted(Counter(counts).items())
    ]
    marks = [row.count("1") for row in rows]
    k, mean = len(counts), sum(counts) / len(counts)
    below = k * sum(marks) - sum(n * n for n in marks)
    for row in result.partial:
        assert row.q == pytest.approx(row.positions * (row.g - mean) ** 2 * k * (k - 1) / below)
        assert row.p == pytest.approx(chi2.sf(row.q, row.positions))
        assert row.significant == (row.p <= 0.05)
    # the smallest count above the mean that is significant together with all larger ones, read off the rows
    candidates = [
        row.g
        for row in result.partial
        if row.g > mean and all(larger.significant for larger in result.partial if larger.g >= row.g)
    ]
    assert result.threshold == min(candidates, default=None)


def test_by_hand() -> None:
    #  1 |··|··      G = 2 3 0 1, mean 3/2, L = 3 2 1
    #  2 |··|····
    #  3  ··|····    D = 4 * 6 - (9 + 4 + 1) = 10
    result = cz.cochran_q(coded(["1101", "1100", "0100"]))
    # sum of squares 1/4 + 9/4 + 9/4 + 1/4 = 5, times 4 * 3 / 10
    assert result.q == 6
    assert float(result) == 6
    assert {row.g: row.q for row in result.partial} == pytest.approx({0: 2.7, 1: 0.3, 2: 0.3, 3: 2.7})
    assert result.counts == (2, 3, 0, 1)
    assert result.marks == (3, 2, 1)
    assert (result.df, result.positions, result.coders) == (3, 4, ("coder 1", "coder 2", "coder 3"))
    assert (result.threshold, result.chance_threshold) == (None, None)
    assert result.percentage == (2 + 3 + 3 + 2) / 12
    assert result.signature == f"cochran_q|alpha:0.01|coders:3|items:1|positions:4|caesura:{cz.__version__}"


@given(rows=tables(), seed=st.integers(0, 1000))
def test_order_of_coders_does_not_matter(rows: Rows, seed: int) -> None:
    assume(not undefined(rows))
    shuffled = random.Random(seed).sample(rows, len(rows))
    first, second = (cz.cochran_q(coded(table_rows)) for table_rows in (rows, shuffled))
    skip = {"marks"}
    assert {k: v for k, v in first.to_dict().items() if k not in skip} == {
        k: v for k, v in second.to_dict().items() if k not in skip
    }
    assert first.percentage == second.percentage


@given(rows=tables(), cut=st.integers(1, 11))
def test_corpus_equals_its_concatenated_items(rows: Rows, cut: int) -> None:
    assume(not undefined(rows) and cut < len(rows[0]))
    halves = {"a": [row[:cut] for row in rows], "b": [row[cut:] for row in rows]}
    corpus = cz.Corpus(
        {item: {str(i): segmentation for i, segmentation in enumerate(coded(half))} for item, half in halves.items()}
    )
    joined, result = cz.cochran_q(coded(rows)), cz.cochran_q(corpus)
    assert (result.q, result.p, result.partial) == (joined.q, joined.p, joined.partial)
    assert (result.threshold, result.chance_threshold) == (joined.threshold, joined.chance_threshold)
    assert result.percentage == joined.percentage == float(cz.percentage_agreement(corpus))
    assert result.counts == {item: tuple(columns(half)) for item, half in halves.items()}
    assert result.positions == joined.positions
    gold = result.gold(2)
    assert isinstance(gold, dict)
    assert gold["a"].bits() + gold["b"].bits() == joined.gold(2).bits()


def test_only_inner_positions_count_and_types_are_ignored() -> None:
    double = cz.Segmentation.from_positions(4, [1, 2], marks=[{",", "?"}, "."])
    typed = [cz.Segmentation.from_marks(["", ",", "", "."]), double]
    assert cz.cochran_q(typed).counts == (1, 2, 0)
    assert cz.cochran_q(typed).q == cz.cochran_q(coded(["010", "110"])).q


def test_stargazer() -> None:
    by_coder = stargazer().of_item("stargazer")
    table = np.array([[int(bit) for bit in segmentation.bits()] for segmentation in by_coder.values()])
    result = cz.cochran_q(stargazer())
    assert result.q == pytest.approx(float(q_by_definition([s.bits() for s in by_coder.values()])))
    assert result.coders == tuple(by_coder)
    assert result.counts == {"stargazer": tuple(table.sum(axis=0).tolist())}
    assert cz.cochran_q(by_coder).q == result.q  # a mapping


def test_large_counts_stay_exact_integers() -> None:
    """k D goes past 2^53, where floating point no longer counts."""
    k = 2_000_000
    result = cz.cochran_q([cz.Segmentation.from_positions(k + 1, range(1, n)) for n in (k, k // 2, 3)])
    marks = [k - 1, k // 2 - 1, 2]
    n = Counter({3: 2, 2: k // 2 - 3, 1: k // 2, 0: 1})
    assert Counter({row.g: row.positions for row in result.partial}) == n
    mean = Fraction(sum(marks), k)
    below = k * sum(marks) - sum(x * x for x in marks)
    exact = k * (k - 1) * sum(times * (g - mean) ** 2 for g, times in n.items()) / below
    assert result.q == pytest.approx(float(exact), rel=1e-15)


@given(marks=st.lists(st.integers(0, 9), max_size=6))
def test_chance_tail_equals_enumeration(marks: list[int]) -> None:
    k = 9
    exact = [Fraction(0)] * (len(marks) + 1)
    for outcome in product((0, 1), repeat=len(marks)):
        share = math.prod(Fraction(n if hit else k - n, k) for n, hit in zip(marks, outcome, strict=True))
        for g in range(sum(outcome) + 1):
            exact[g] += share
    assert chance_tail(marks, k) == pytest.approx([float(probability) for probability in exact], rel=1e-13, abs=0)


def test_small_tails_keep_their_digits() -> None:
    assert chance_tail([1] * 30, 1000)[-1] == pytest.approx(1e-90, rel=1e-13)


@given(rows=tables(max_coders=8), alpha=st.sampled_from([0.01, 0.05, 0.3, 0.9]))
def test_chance_threshold_is_the_smallest_significant_count(rows: Rows, alpha: float) -> None:
    assume(not undefined(rows))
    result = cz.cochran_q(coded(rows), alpha=alpha)
    tail = chance_tail([row.count("1") for row in rows], len(rows[0]))
    enough = [g for g in range(len(rows) + 1) if len(rows[0]) * tail[g] <= alpha]
    assert result.chance_threshold == min(enough, default=None)


def random_coders(seed: int) -> list[cz.Segmentation]:
    rng = np.random.default_rng(seed)
    return [cz.Segmentation.from_positions(101, np.sort(rng.choice(100, 15, replace=False)) + 1) for _ in range(7)]


def test_chance_alone_gives_a_partial_threshold_of_three() -> None:
    """The example of the docstring: 7 random coders, 15 marks each, 100 positions."""
    result = [cz.cochran_q(random_coders(seed), alpha=alpha) for seed in range(50) for alpha in (0.01, 0.05)]
    assert Counter(entry.threshold for entry in result)[3] > 90
    assert {entry.chance_threshold for entry in result} == {6}
    # and the inflation that percentage_agreement's docstring speaks of
    assert np.mean([entry.percentage for entry in result]) == pytest.approx(0.852, abs=0.005)


#                    1         2         3
#           123456789012345678901234567890123456789
READERS = [
    "000000001000000000010000000000100000000",
    "000000001000000000010000000000000000000",
    "000000001000000000001000000000100000000",
    "000000001000000000010000000000000010000",
]


def test_gold() -> None:
    result = cz.cochran_q(iter(coded(READERS)))
    assert (result.threshold, result.chance_threshold) == (2, 4)
    assert result.gold() == cz.Segmentation.from_positions(40, [9, 20, 31])
    assert result.gold(rule="chance") == cz.Segmentation.from_positions(40, [9])
    assert result.gold(3) == cz.Segmentation.from_positions(40, [9, 20])
    assert result.gold(1) == cz.Segmentation.from_positions(40, [9, 20, 21, 31, 35])
    head = "cochran_q|alpha:0.01|coders:4|items:1|positions:39"
    assert result.gold_signature() == f"{head}|gold:partial|threshold:2|caesura:{cz.__version__}"
    assert result.gold_signature(rule="chance") == f"{head}|gold:chance|threshold:4|caesura:{cz.__version__}"
    assert result.gold_signature(3) == f"{head}|gold:given|threshold:3|caesura:{cz.__version__}"


def test_gold_carries_the_text() -> None:
    units = ["in", "Xanadu", "did"]
    silent, spoken = cz.Segmentation.from_bits("01"), cz.Segmentation.from_bits("01", units=units)
    result = cz.cochran_q({"Ann": silent, "Bo": spoken})
    assert result.gold(2) == spoken
    with pytest.raises(MismatchError):
        cz.crisp(result.gold(2), cz.Segmentation.from_bits("01", units=["in", "Xanadu", "died"]))


@given(rows=tables(), threshold=st.integers(1, 6))
def test_gold_has_positions_with_enough_coders(rows: Rows, threshold: int) -> None:
    assume(not undefined(rows) and threshold <= len(rows))
    expected = "".join("1" if g >= threshold else "0" for g in columns(rows))
    assert cz.cochran_q(coded(rows)).gold(threshold).bits() == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": 0}, "threshold must be a whole number of at least 1; got 0"),
        ({"threshold": 5}, "threshold must be a whole number of at most 4; got 5"),
        ({"threshold": True}, "threshold must be a whole number; got True"),
        ({"threshold": 2.0}, "threshold must be a whole number; got 2.0"),
        ({"rule": "best"}, "rule must be one of 'partial', 'chance'; got 'best'"),
        ({"threshold": 2, "rule": "chance"}, "set threshold or rule='chance', not both; got threshold=2"),
    ],
)
def test_invalid_gold(arguments: dict[str, Any], message: str) -> None:
    for method in (cz.cochran_q(coded(READERS)).gold, cz.cochran_q(coded(READERS)).gold_signature):
        with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
            method(**arguments)


def test_no_gold_without_a_threshold() -> None:
    result = cz.cochran_q(coded(["01", "10"]), alpha=0.05)  # equal counts
    assert (result.q, result.p, result.threshold) == (0, 1, None)
    with pytest.raises(Undefined, match=r"^no count above the mean is significant at alpha=0\.05"):
        result.gold()
    with pytest.raises(Undefined, match=r"^even marks of all coders may coincide by chance at alpha=0\.05"):
        result.gold(rule="chance")
    assert result.gold(1).bits() == "11"


@given(rows=tables(min_positions=1))
def test_percentage_is_the_share_of_majority_coders(rows: Rows) -> None:
    agreeing = 0
    for column in zip(*rows, strict=True):
        majority = "1" if column.count("1") > len(column) / 2 else "0"
        for mark in column:
            agreeing += mark == majority
    result = cz.percentage_agreement(coded(rows))
    assert result.value == agreeing / (len(rows) * len(rows[0]))
    assert 0.5 <= float(result) <= 1


def test_percentage_result() -> None:
    result = cz.percentage_agreement(
        {"Ann": cz.Segmentation.from_bits("0100"), "Bo": cz.Segmentation.from_bits("0110")}
    )
    signature = f"percentage_agreement|coders:2|items:1|positions:4|caesura:{cz.__version__}"
    counted = {"value": 7 / 8, "coders": ["Ann", "Bo"], "positions": 4}
    assert result.to_dict() == {**counted, "excluded": [], "signature": signature}


def test_unusable_items_are_listed() -> None:
    segmentation = cz.Segmentation.from_bits
    corpus = cz.Corpus(
        {
            "good": {"Ann": segmentation("0100"), "Bo": segmentation("0110")},
            "half": {"Bo": segmentation("01")},
            "long": {"Ann": segmentation("01"), "Bo": segmentation("011")},
            "talk": {"Ann": {"A": segmentation("01")}, "Bo": {"A": segmentation("01")}},
            "word": {"Ann": segmentation("1", units=["in", "Xanadu"]), "Bo": segmentation("1", units=["in", "Canada"])},
            "short": {"Ann": cz.Segmentation.from_masses([1]), "Bo": cz.Segmentation.from_masses([1])},
        }
    )
    result = cz.cochran_q(corpus)
    assert reasons(result) == {
        "half": "not coded by Ann",
        "long": "3 tokens for Ann and 4 for Bo",
        "talk": "it has streams, which are not supported here",
        "word": "token 2 is 'Xanadu' for Ann and 'Canada' for Bo" + ALIGN_HINT,
    }
    assert cz.percentage_agreement(corpus).excluded == result.excluded
    assert result.counts == {"good": (0, 2, 1, 0), "short": ()}
    assert result.q == cz.cochran_q([segmentation("0100"), segmentation("0110")]).q
    gold = result.gold(1)
    assert isinstance(gold, dict)
    assert {item: segmentation.masses for item, segmentation in gold.items()} == {"good": (2, 1, 2), "short": (1,)}


def test_result_round_trip() -> None:
    result = cz.cochran_q(stargazer())
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()
    assert pickle.loads(pickle.dumps(result)) == result
    keys = {"q", "df", "p", "alpha", "coders", "marks", "positions", "counts", "partial"}
    keys |= {"threshold", "chance_threshold", "percentage", "excluded", "signature"}
    assert set(result.to_dict()) == keys
    assert set(result.to_dict()["partial"][0]) == {"g", "positions", "q", "df", "p", "significant"}
    assert isinstance(cz.cochran_q(coded(READERS)).to_dict()["counts"], list)
    with pytest.raises(AttributeError):
        result.q = 1.0  # type: ignore[misc]


ONE = cz.Segmentation.from_bits("01")
SAME_TEXT = "all coders must segment the same text"
NEEDED = "segmentations: expected a sequence of Segmentation or a mapping coder -> Segmentation"

BAD: list[tuple[Any, type[CaesuraError], str]] = [
    ([], OptionError, "agreement needs at least two coders; got none"),
    ([ONE], OptionError, "agreement needs at least two coders; got coder 1"),
    ({"Ann": ONE}, OptionError, "agreement needs at least two coders; got Ann"),
    (cz.Corpus({"x": {"Ann": ONE}}), OptionError, "agreement needs at least two coders; got Ann"),
    (cz.Corpus({}), OptionError, "agreement needs at least two coders; got none"),
    ([ONE, cz.Segmentation.from_bits("010")], MismatchError, f"{SAME_TEXT}: 3 tokens for coder 1 and 4 for coder 2"),
    (
        {"Ann": cz.Segmentation.from_bits("1", units="ab"), "Bo": cz.Segmentation.from_bits("1", units="ac")},
        MismatchError,
        f"{SAME_TEXT}: token 2 is 'b' for Ann and 'c' for Bo" + ALIGN_HINT,
    ),
    (ONE, OptionError, f"{NEEDED}; got Segmentation"),
    (None, OptionError, f"{NEEDED}; got NoneType"),
    (7, OptionError, f"{NEEDED}; got int"),
    (cz.Dialogue({"A": ONE, "B": ONE}), OptionError, f"{NEEDED}; got Dialogue"),
    ("01", OptionError, f"{NEEDED}; got str"),
    ([ONE, [0, 1]], OptionError, "coder 'coder 2': expected a Segmentation; got list"),
    ({"Ann": ONE, "Bo": None}, OptionError, "coder 'Bo': expected a Segmentation; got NoneType"),
    ({"Ann": ONE, "Bo": {"A": ONE}}, OptionError, "coder 'Bo': expected a Segmentation; got dict"),
    ({1: ONE, "1": ONE}, OptionError, "segmentations: the names of two coders are the same string; rename one of them"),
    (
        cz.Corpus({"x": {"Ann": ONE}, "y": {"Bo": ONE}}),
        OptionError,
        "no item was annotated by every coder: item 'x': not coded by Bo; item 'y': not coded by Ann",
    ),
]


@pytest.mark.parametrize(("segmentations", "kind", "message"), BAD, ids=[message for _, _, message in BAD])
def test_invalid_input(segmentations: Any, kind: type[CaesuraError], message: str) -> None:
    for function in (cz.cochran_q, cz.percentage_agreement):
        with pytest.raises(kind) as caught:
            function(segmentations)
        assert type(caught.value) is kind
        assert str(caught.value) == message


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 2.0, math.nan, True, None, "0.01"])
def test_invalid_alpha(alpha: Any) -> None:
    with pytest.raises(OptionError) as caught:
        cz.cochran_q(coded(READERS), alpha=alpha)
    assert str(caught.value).startswith("alpha must be a number")
    assert str(caught.value).endswith(f"got {alpha!r}")


def test_too_few_positions() -> None:
    with pytest.raises(OptionError, match=r"^Cochran's Q needs at least two inner positions; got 1$"):
        cz.cochran_q(coded(["1", "0"]))
    with pytest.raises(OptionError, match=r"^percentage agreement needs at least one inner position; got none$"):
        cz.percentage_agreement([cz.Segmentation.from_masses([1])] * 2)


@pytest.mark.parametrize("rows", [["000", "000"], ["111", "111"], ["111", "000"]])
def test_q_is_undefined_if_no_coder_discriminates(rows: Rows) -> None:
    with pytest.raises(Undefined, match=r"^every coder marked all positions or none, so Q is 0/0$"):
        cz.cochran_q(coded(rows))
    assert cz.percentage_agreement(coded(rows)).value == (0.5 if rows[0] != rows[1] else 1)
