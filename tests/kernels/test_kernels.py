"""Types and shapes of the arrays that kernels accept."""

from __future__ import annotations

import math
import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.kernels import boundary, cells, classes, crossing, fuzzy, marked, meet, nested, segments, sums, window

EMPTY = np.empty(0, np.int64)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@pytest.mark.skipif(os.environ.get("CAESURA_CHECKED") != "1", reason="needs kernels built with bounds checks (.ci/run)")
def test_a_build_with_bounds_checks_raises_index_errors() -> None:
    # The offsets promise a boundary that the array does not have.
    with pytest.raises(IndexError):
        segments.pair_within(EMPTY, ints(0, 1), ints(1), ints(0, 1), ints(0), ints(-1))
    flags = dict.fromkeys(("half_even", "clamp", "in_units", "padded", "more_windows"), False)
    windows = window.Rule(2, 2, window.SEGMENTS, **flags)
    with pytest.raises(IndexError):
        window.sweep(
            ints(9), ints(1), ints(0, 2), EMPTY, ints(0, 0), windows, np.empty((1, 6)), ints(0), np.zeros(1, np.uint8)
        )
    rule = boundary.Gains(ints(0, 1), ints(2), boundary.ORDERED)
    with pytest.raises(IndexError):
        boundary.align(ints(1), EMPTY, ints(0, 2), ints(2), EMPTY, ints(0, 1), rule, ints(-1, -1))
    bounds, moments = np.empty((1, 5), np.int64), np.empty((1, 2))
    with pytest.raises(IndexError):
        fuzzy.cluster(ints(1), ints(1), ints(0, 2), 1, ints(1), 1, 2.0, bounds, moments, ints(0, 0))
    with pytest.raises(IndexError):
        nested.conflict_free(ints(1), ints(1), ints(0), ints(0, 2), ints(0), ints(0), 7, None)
    with pytest.raises(IndexError):
        crossing.cut_at_end(ints(1), ints(2), ints(0, 2), ints(1), ints(3), ints(0, 1), ints(0), ints(0))
    side = (ints(0), ints(1), ints(1), ints(0), ints(0, 1))
    room = np.empty((2, 1), np.int64), np.empty(4, np.int64), np.empty(2), np.empty((1, 4))
    with pytest.raises(IndexError):
        meet.triples(np.ones(1), ints(1), ints(0, 2), ints(1), *side, *side, *room)
    spans, empty = (ints(1), ints(2), ints(0), ints(0, 2)), (EMPTY, EMPTY, EMPTY, ints(0, 0))
    with pytest.raises(IndexError):
        marked.common_spans(*spans, *empty, np.empty((1, 3)))
    with pytest.raises(IndexError):
        marked.common_tokens(*empty, *spans, ints(-1), np.empty((1, 2), np.int64), np.empty((1, 3)))


@pytest.mark.parametrize(
    "call", [segments.pair_within, segments.unit_overlap, window.sweep, boundary.align, nested.conflict_free]
)
def test_none_is_rejected(call: object) -> None:
    with pytest.raises(TypeError):
        call(*[None] * 12)  # type: ignore[operator]


def test_pairs_and_labels_are_checked() -> None:
    side, extent = (ints(3), ints(0, 1), EMPTY), (ints(0), ints(9))
    with pytest.raises(IndexError, match="beyond the boundaries"):
        cells.Pairs(*extent, ints(3), ints(0, 2), EMPTY, *side, cells.EVERY)
    with pytest.raises(IndexError, match="beyond the labels"):
        cells.Pairs(*extent, *side, *side, cells.BY_BOTH)
    with pytest.raises(IndexError, match="too few extents"):
        cells.Pairs(EMPTY, EMPTY, *side, *side, cells.EVERY)
    pairs = cells.Pairs(*extent, *side, *side, cells.EVERY)
    with pytest.raises(IndexError, match="too few sums or labels"):
        cells.label_lengths(pairs, 1, np.empty((1, 4)))
    with pytest.raises(ValueError, match="no labels"):
        classes.class_sums(pairs, True, False, np.empty((1, 14)))


def test_the_gil_is_released() -> None:
    """While one thread runs the kernel, another one runs Python."""
    n = 300_000
    a, b = np.arange(1, 2 * n, 2), np.arange(2, 2 * n + 1, 2)
    one_type, off = np.zeros(n, np.int64), ints(0, n)
    mate = np.full(n, -1)
    ticks = 0
    # One stretch of 2 x 300,000 boundaries in the matching solver keeps the kernel busy.
    gains = boundary.Gains(ints(0, 3), ints(2), boundary.MATCHING)
    arguments = (a, one_type, off, b, one_type, off, gains, mate)
    thread = threading.Thread(target=boundary.align, args=arguments)
    thread.start()
    while thread.is_alive():
        ticks += 1
    thread.join()
    assert (mate >= 0).all()
    assert ticks > 1000


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-1e200, 1e200)), max_size=40))
def test_sums_of_groups_are_those_of_fsum(terms: list[tuple[int, float]]) -> None:
    terms.sort(key=lambda term: term[0])
    values, groups = np.array([value for _, value in terms]), ints(*(group for group, _ in terms))
    expected = [math.fsum(value for group, value in terms if group == k) for k in range(6)]
    assert sums.sum_groups(values, groups, 6).tolist() == expected


def test_a_sum_halfway_between_two_numbers_is_rounded_by_the_rest() -> None:
    values = [1.0, 2.0**-53, 2.0**-110]
    assert sums.sum_groups(np.array(values), ints(0, 0, 0), 1)[0] == 1 + 2.0**-52
