"""Repair of annotations that do not nest, and error messages with times."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import Hierarchy
from caesura.errors import HierarchyError

RawSpans = list[tuple[int, ...]]


@st.composite
def raw_spans(draw: st.DrawFn) -> tuple[int, RawSpans]:
    """Return spans that may cross and whose levels may contradict each other."""
    length = draw(st.integers(1, 8))
    leveled = draw(st.booleans())
    spans = []
    for _ in range(draw(st.integers(0, 7))):
        start = draw(st.integers(1, length))
        pair = (start, draw(st.integers(start, length)))
        spans.append((*pair, draw(st.integers(1, 4))) if leveled else pair)
    return length, spans


def _levels(spans: RawSpans) -> list[int]:
    pairs = {(s[0], s[1]) for s in spans}
    return [s[2] if len(s) > 2 else 1 + sum(a <= s[0] and s[1] <= b and (a, b) != s for a, b in pairs) for s in spans]


def naive_repair(spans: RawSpans) -> RawSpans:
    """From the coarsest and longest span on, keep a span if it fits all that were kept."""
    levels = _levels(spans)
    order = sorted(range(len(spans)), key=lambda i: (levels[i], spans[i][0] - spans[i][1], spans[i][0], i))
    remaining: list[int] = []
    first: dict[tuple[int, int], int] = {}

    def agree(i: int, j: int) -> bool:
        (a, b), (c, d) = spans[i][:2], spans[j][:2]
        if (a, b) == (c, d) or b < c or d < a:
            return True
        if c <= a and b <= d:
            return first[c, d] < levels[i]
        return a <= c and d <= b and first.get((a, b), levels[i]) < levels[j]

    for i in order:
        if all(agree(i, j) for j in remaining):
            remaining.append(i)
            first.setdefault((spans[i][0], spans[i][1]), levels[i])
    return [spans[i] for i in sorted(remaining)]


@given(raw_spans())
def test_repair_matches_a_naive_implementation(case: tuple[int, RawSpans]) -> None:
    length, spans = case
    assert Hierarchy(length, spans, repair=True) == Hierarchy(length, naive_repair(spans))


def test_of_two_crossing_spans_the_deeper_then_the_shorter_then_the_later_is_dropped() -> None:
    # |-----|      level 1
    #     |-----|  level 2
    assert Hierarchy(8, [(1, 4, 1), (3, 6, 2)], repair=True).full == {(1, 4, 1)}
    assert Hierarchy(8, [(1, 4, 1), (3, 8, 1)], repair=True).full == {(3, 8, 1)}
    assert Hierarchy(8, [(3, 6, 1), (1, 4, 1)], repair=True).full == {(1, 4, 1)}
    assert Hierarchy(8, [(1, 4, 2), (2, 3, 2)], repair=True).full == {(1, 4, 2)}


def test_error_messages_name_the_times() -> None:
    with pytest.raises(HierarchyError, match=r"0-10\.5 s on level 1 and 8\.25-12 s on level 2 cross"):
        Hierarchy.from_times([(0, 10.5, 1), (8.25, 12, 2), (10.5, 12, 1)])
    with pytest.raises(HierarchyError, match=r"1\.5-3 s on level 1 lies inside 0-9 s on level 1"):
        Hierarchy.from_times([(0, 9, 1), (1.5, 3, 1)])
    with pytest.raises(HierarchyError, match="2-5 on level 1 and 4-6 on level 2 cross"):
        Hierarchy(6, [(2, 5, 1), (4, 6, 2)])


@pytest.mark.parametrize("repair", [False, True])
def test_time_is_linear_in_the_depth(repair: bool) -> None:
    began = time.process_time()
    deep = Hierarchy(60_000, [(i, 60_001 - i, i) for i in range(1, 30_001)], repair=repair)
    assert deep.depth == 30_000
    assert time.process_time() - began < 5
