"""Sums of counts: exact, in any order and any grouping."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import OptionError
from caesura.kernels import sums as kernel
from caesura.measures.base import BatchCounts
from caesura.measures.sums import Partial, as_float, exact_sum, exact_sums
from caesura.model.plain import to_plain
from support.collected import documents, pairs

UNIT = 2**106
numbers = st.one_of(
    st.integers(-(2**40), 2**40).map(float),
    st.floats(-1e6, 1e6),
    st.floats(-1, 1),
    st.sampled_from([0.1, 1 / 3, 5e-324]),
)


def by_definition(column: list[float]) -> int:
    """Each number rounded to a multiple of 2^-106, half to even, and added without any rounding."""
    return sum(round(Fraction(number) * UNIT) for number in column)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=40))
def test_against_fractions(rows: list[tuple[float, float]]) -> None:
    counts = np.array(rows)
    assert exact_sums(counts) == tuple(map(by_definition, counts.T.tolist()))
    assert exact_sum(counts[:, 0]) == by_definition(counts[:, 0].tolist()) / UNIT


@given(st.lists(numbers, min_size=2, max_size=60), st.randoms(use_true_random=False))
def test_any_order_and_any_grouping(column: list[float], rng: random.Random) -> None:
    whole = exact_sums(np.array(column)[:, None])
    rng.shuffle(column)
    cut = rng.randrange(1, len(column))
    parts = [exact_sums(np.array(part)[:, None])[0] for part in (column[:cut], column[cut:])]
    assert (sum(parts),) == whole


def test_plain_sums_would_depend_on_the_order() -> None:
    """What this is for: sums of sums of the same numbers differ in the last bit."""
    a, b, c = 0.1, 0.2, 0.3
    assert (a + b) + c != a + (b + c)
    assert exact_sum([a, b, c]) == exact_sum([c, b, a]) == 0.6


@pytest.mark.parametrize("large", [2.0**46, 2.0**52, 2.0**62, 1e300, -(2.0**60)])
def test_numbers_beyond_64_bits(large: float) -> None:
    """The kernel says that they are large, and they are added otherwise."""
    column = [large, large, 0.25, -1.0] * 3
    assert exact_sums(np.array(column)[:, None]) == (by_definition(column),)


def test_more_rows_than_the_block_size() -> None:
    counts = np.full((2**16 + 5, 2), [2.0**45, 1 / 3])
    assert exact_sums(counts) == (len(counts) * 2**45 * UNIT, len(counts) * round(Fraction(1 / 3) * UNIT))


def test_strided_columns() -> None:
    wide = np.arange(24, dtype=float).reshape(6, 4) / 7
    assert exact_sums(wide[:, 1:3]) == exact_sums(np.ascontiguousarray(wide[:, 1:3]))
    assert kernel.add(wide[::2, ::3], np.zeros((2, 3), np.int64)) == 0 | 2 | 1 | 2


def test_result_is_the_nearest_float() -> None:
    assert as_float(UNIT) == 1.0
    assert as_float(1) == 2.0**-106
    assert as_float(3 * UNIT + 1) == 3.0
    assert exact_sum([0.1] * 10) == 1.0  # of ten numbers that are a little more than a tenth


@pytest.mark.parametrize("name", ["win_pr", "unit_error", "flexible_similarity", "boundary_similarity(n_t=3)", "pk"])
def test_totals_do_not_depend_on_the_order(name: str) -> None:
    given = pairs(documents(200))
    whole = cz.score_many(given, name)
    assert cz.score_many(given[::-1], name).total == whole.total
    assert whole.measure.total([whole[i] for i in range(199, -1, -1)]) == whole.total
    rng = np.random.default_rng(2)
    order = rng.permutation(200)
    pieces = [
        Partial.of(
            whole.measure,
            BatchCounts(whole.counts[rows], {key: column[rows] for key, column in whole.resolved.items()}),
            whole.types,
        )
        for rows in np.array_split(order, 7)
    ]
    restored = [Partial.from_dict(to_plain(piece)) for piece in pieces]
    assert restored == pieces
    total = reduce(lambda piece, second: piece.merge(second, whole.measure), restored)
    assert total.score(whole.measure) == whole.total


def test_counts_over_different_types_do_not_add_up() -> None:
    measure = cz.parse("boundary_similarity(n_t=2)")
    first, second = (cz.Segmentation.from_marks(["", name, "", ""], types=[name, "x"]) for name in ("a", "b"))
    parts = []
    for text in (first, second):
        scores = cz.score_many([(text, text)], measure)
        parts.append(Partial.of(measure, BatchCounts(scores.counts, {}), scores.types))
    with pytest.raises(OptionError, match=r"some documents have a, x, others b, x. Declare types"):
        parts[0].merge(parts[1], measure)
    nothing = Partial.empty(measure, ("boundary",))
    assert nothing.merge(parts[0], measure) == parts[0].merge(nothing, measure) == parts[0]
