"""Spans keep gaps, overlaps, nesting and duplicates, refuse invalid positions by name, and convert to hierarchies."""

from __future__ import annotations

import pickle
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import SpansError
from caesura.model.plain import to_plain

ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 4), st.sampled_from([None, "a", "b"])).map(
        lambda row: (row[0], row[0] + row[1], row[2])
    ),
    max_size=8,
)


def test_spans_are_sorted_and_nothing_is_lost() -> None:
    #         0123456789
    # a        |---|
    # a          |--|
    # none     |---|
    # a twice  |---|
    spans = cz.Spans([(3, 6, "a"), (1, 5, "a"), (1, 5), (1, 5, "a")])
    assert [tuple(span) for span in spans] == [(1, 5, None), (1, 5, "a"), (1, 5, "a"), (3, 6, "a")]
    assert len(spans) == 4
    assert spans.starts.dtype == np.float64
    assert (spans.axis, spans.bounds, spans.extent, spans.length) == ("units", None, (1, 6), 6)


@given(ROWS)
def test_equality_does_not_depend_on_order(rows: list[tuple[int, int, str | None]]) -> None:
    forth, back = cz.Spans(rows), cz.Spans(rows[::-1])
    assert forth == back
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    assert cz.Spans.from_arrays(*columns) == forth


@pytest.mark.parametrize(
    "other",
    [
        cz.Spans([(1, 5, "a")]),
        cz.Spans([(1, 5, "a"), (1, 5, "a")], length=9),
        cz.Spans([(1, 5, "a"), (1, 5)]),
        cz.Spans([(1, 5, "a"), (1, 5, "a")], seconds=True),
        cz.Spans([(1, 5, "a"), (1, 6, "a")]),
    ],
)
def test_fingerprints_and_values_differ(other: cz.Spans) -> None:
    spans = cz.Spans([(1, 5, "a"), (1, 5, "a")])
    assert spans != other
    assert cz.Corpus({"x": {"a": spans}}).fingerprint != cz.Corpus({"x": {"a": other}}).fingerprint


def test_fingerprints_do_not_depend_on_order_words_and_rounding() -> None:
    first = cz.Corpus({"x": {"a": cz.Spans([(0, 2, "n"), (1, 3)], text="abc"), "b": cz.Spans([], text="abc")}})
    second = cz.Corpus({"y": {"b": cz.Spans([], length=3), "a": cz.Spans([(1, 3), (0.0, 2.0, "n")], length=3)}})
    assert first.fingerprint == second.fingerprint
    assert first.kind == "spans"
    times = [cz.Corpus({"x": {"a": cz.Spans([(0, end)], seconds=True)}}).fingerprint for end in (0.3, 0.1 + 0.2)]
    assert times[0] == times[1]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([(0, 2), (5, 4)], {}, r"spans\[1\]: end must not be before start; got 5-4"),
        ([(0, 2), (float("nan"), 4)], {}, r"spans\[1\]: start must be a finite number; got nan"),
        ([(0, float("inf"))], {}, r"spans\[0\]: end must be a finite number; got inf"),
        ([(0, 1), (2, 12, "a")], {"length": 10}, r"spans\[1\]: a span must lie in 0-10; got 2-12 'a'"),
        ([(4, 6)], {"bounds": (5, 9)}, r"spans\[0\]: a span must lie in 5-9; got 4-6"),
        ([(True, 6)], {}, r"spans\[0\]: start must be a finite number; got True"),
        ([(1,)], {}, r"spans\[0\]: expected \(start, end\[, category\]\)"),
        ([(1, 2, ["a"])], {}, r"spans\[0\]: a category must be a string"),
        ([], {"bounds": (9, 5)}, "bounds: an item must not end before it begins; got 9-5"),
        ([], {"bounds": "ab"}, "bounds: expected two finite numbers"),
        ([], {"length": float("nan")}, "length: expected a finite number; got nan"),
        ([], {"length": 3, "bounds": (0, 3)}, "set only one of them"),
        ([], {"text": "abc", "length": 4}, "expected the number of characters or tokens, 3"),
        ([], {"text": "abc", "units": ["abc"]}, "text and units"),
        ([], {"text": "abc", "seconds": True}, "these are in seconds"),
    ],
)
def test_invalid_spans_are_named(rows: list[object], options: dict[str, object], message: str) -> None:
    with pytest.raises(SpansError, match=message):
        cz.Spans(rows, **options)  # type: ignore[arg-type]


def test_invalid_arrays_are_named() -> None:
    with pytest.raises(SpansError, match=r"starts\[1\]: expected a finite number; got inf"):
        cz.Spans.from_arrays([0, np.inf], [1, 2])
    with pytest.raises(SpansError, match="got 2 starts, 1 ends and 2 categories"):
        cz.Spans.from_arrays([0, 1], [1])
    with pytest.raises(SpansError, match=r"starts\[0\]: expected a finite number; got 'x'"):
        cz.Spans.from_arrays(["x"], [1])


def test_zero_length_is_allowed_but_not_in_a_hierarchy() -> None:
    spans = cz.Spans([(3, 3, "here")])
    assert len(spans) == 1
    with pytest.raises(SpansError, match=r"spans\[0\]: a hierarchy needs spans that are longer than 0; got 3-3 'here'"):
        spans.to_hierarchy()


def test_numbers_are_categories() -> None:
    assert cz.Spans([(0, 1, 3), (1, 2, 3.0), (2, 3, 0.5)]).categories == ("3", "3", "0.5")


def test_hierarchy_of_characters_tokens_and_seconds() -> None:
    words = cz.Spans([(0, 3, "S"), (1, 3, "NP")], units=["saw", "the", "moon"]).to_hierarchy()
    assert words == cz.Hierarchy(3, [(1, 3, 1, "S"), (2, 3, 2, "NP")], units=["saw", "the", "moon"])
    times = cz.Spans([(0.5, 9, "A"), (0.5, 2.5, "B")], seconds=True, length=10).to_hierarchy()
    assert times.edges == (0, 0.5, 2.5, 9, 10)
    assert cz.Spans([], length=4).to_hierarchy() == cz.Hierarchy(4, [])
    with pytest.raises(SpansError, match="set it with length="):
        cz.Spans([]).to_hierarchy()
    with pytest.raises(SpansError, match=r"whole positions, or seconds; got 0\.5-2"):
        cz.Spans([(0.5, 2)]).to_hierarchy()


@given(ROWS)
def test_crossing_spans_are_found(rows: list[tuple[int, int, str | None]]) -> None:
    spans = cz.Spans([row for row in rows if row[0] < row[1]], length=20)
    crossing = [
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(spans), 2)
        if a.start < b.start < a.end < b.end or b.start < a.start < b.end < a.end
    ]
    pair = spans.first_crossing()
    assert (pair is None) == (not crossing)
    if pair is None:
        assert spans.to_hierarchy().flat == {(span.start + 1, span.end) for span in spans}
    else:
        assert pair in crossing
        with pytest.raises(SpansError, match=rf"spans\[{pair[0]}\] .* and spans\[{pair[1]}\] .* cross"):
            spans.to_hierarchy()


def test_overlaps_and_selection() -> None:
    spans = cz.Spans([(0, 4, "a"), (4, 6, "b"), (5, 6, "a")], length=8)
    assert spans.has_overlaps
    assert not spans.select(["a"]).has_overlaps
    assert spans.select(["b"]) == cz.Spans([(4, 6, "b")], length=8)


def test_plain_form() -> None:
    spans = cz.Spans([(0, 1.5, "a")], seconds=True, length=3)
    assert to_plain(spans) == {"axis": "seconds", "bounds": [0, 3], "spans": [[0, 1.5, "a"]]}
    assert repr(spans) == "Spans(1 span in 3 seconds: 0-1.5 'a')"
    assert repr(cz.Spans([])) == "Spans(0 spans)"


@given(ROWS)
def test_layers_hold_spans_that_cross(rows: list[tuple[int, int, str | None]]) -> None:
    spans = cz.Spans([row for row in rows if row[0] < row[1]], length=60)
    layers = spans.to_hierarchy(layers=True)
    assert {(s.start - 1, s.end, s.label) for s in layers.spans} == {(s.start, s.end, s.category) for s in spans.spans}
    by_level: dict[int, list[tuple[int, int]]] = {}
    for span in layers.spans:
        by_level.setdefault(span.level, []).append((span.start, span.end))
    for level, places in by_level.items():
        places.sort()
        assert all(before[1] < after[0] for before, after in pairwise(places))
        # A span is on a lower level only if every higher level is taken where it starts.
        for start, _ in places:
            assert all(any(a <= start <= b for a, b in by_level[above]) for above in range(1, level))


def test_many_coders_from_one_table() -> None:
    starts, ends = np.array([5.0, 0, -0.0, 2, 2]), np.array([9.0, 5, 1, 3, 3])
    parts = [*cz.Spans.split(starts, ends, ["b", "a", None, "b", None], np.array([2, 0, 3]), seconds=True)]
    expected = [[(0, 5, "a"), (5, 9, "b")], [], [(0, 1), (2, 3), (2, 3, "b")]]
    assert parts == [cz.Spans(rows, seconds=True) for rows in expected]
    assert [part.codes.tolist() for part in parts] == [[0, 1], [], [0, 0, 1]]
    assert not parts[0].starts.flags.writeable
    assert pickle.loads(pickle.dumps(parts[2])) == parts[2]


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(1, 5), st.sampled_from(["X", "Y", None])).map(
            lambda row: (row[0], row[0] + row[1], row[2])
        ),
        max_size=6,
    )
)
def test_hierarchy_of_spans_is_that_of_checked_spans(rows):
    spans = cz.Spans(rows, length=12)
    if any(a < c < b < d or c < a < d < b for (a, b, _), (c, d, _) in combinations(rows, 2)):
        with pytest.raises(SpansError, match="cross"):
            spans.to_hierarchy()
        return
    hierarchy = spans.to_hierarchy()
    assert hierarchy == cz.Hierarchy(12, [(start + 1, end, None, label) for start, end, label in rows])
    places = {(start, end) for start, end, _ in rows}
    for span in hierarchy:  # 1 + the number of distinct spans that strictly contain it
        inside = [
            (a, b) for a, b in places if a < span.start and span.end <= b and (a, b) != (span.start - 1, span.end)
        ]
        assert span.level == 1 + len(inside)
    start, end, level, _ = hierarchy.columns.rows
    assert [*zip((start + 1).tolist(), end.tolist(), level.tolist(), strict=True)] == [span[:3] for span in hierarchy]
    assert not hierarchy.columns.rows.flags.writeable
