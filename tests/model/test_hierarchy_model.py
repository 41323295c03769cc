"""Hierarchies: valid and invalid spans of one coder, and times converted to common units."""

from __future__ import annotations

import itertools
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import HierarchyError, MismatchError, OptionError
from oracle.hierarchy import cross
from support.examples import examples
from support.strategies import hierarchies

Hierarchy, Span = cz.Hierarchy, cz.Span

#   1 2 3 4 5 6
#   (         )    level 1
#   (     )        level 2
#   ( )     ( )    level 3 and 2
TREE = Hierarchy(6, [(1, 6), (1, 4), (5, 6), (1, 2)])


def test_levels_are_derived():
    assert TREE.spans == (Span(1, 6, 1), Span(1, 4, 2), Span(1, 2, 3), Span(5, 6, 2))
    assert (TREE.length, TREE.extent, TREE.depth, len(TREE), list(TREE)) == (6, 6, 3, 4, list(TREE.spans))
    assert TREE.flat == {(1, 6), (1, 4), (1, 2), (5, 6)}
    assert TREE.full == {(1, 6, 1), (1, 4, 2), (1, 2, 3), (5, 6, 2)}
    # the same span twice is one and does not deepen others
    assert Hierarchy(4, [(1, 4), (1, 4), (1, 2)]).spans == (Span(1, 4, 1), Span(1, 2, 2))


def test_a_span_may_be_on_two_levels():
    hierarchy = Hierarchy(4, [(1, 4, 1), (1, 4, 2), (1, 2, 2)])
    assert hierarchy.full == {(1, 4, 1), (1, 4, 2), (1, 2, 2)}
    assert hierarchy.flat == {(1, 4), (1, 2)}


def test_order_does_not_matter():
    spans = [(1, 6, 1, "a"), (1, 4, 2, None), (5, 6, 2, "b"), (1, 2, 3, "c")]
    assert Hierarchy(6, spans) == Hierarchy(6, spans[::-1])


def test_no_spans():
    empty = Hierarchy(3, [])
    assert (empty.spans, empty.depth, empty.flat, repr(empty)) == ((), 0, frozenset(), "Hierarchy(3 units, 0 spans)")
    assert empty.segmentation().boundaries == ()


def test_kinds_of_numbers_and_sequences():
    assert Hierarchy(np.int64(6), np.array([(1, 6), (1, 2)]).tolist()) == Hierarchy(6, [[1, 6], (1, 2)])
    hierarchy = Hierarchy(2, [(np.int64(1), np.int64(2), np.int64(1), 5)])
    assert [type(x) for x in hierarchy.spans[0]] == [int, int, int, str]


def test_repr():
    assert [str(s) for s in (Span(1, 6, 1), Span(2, 3, 2, "verse"))] == ["1-6 on level 1", "2-3 on level 2 'verse'"]
    assert repr(TREE) == "Hierarchy(6 units, 4 spans: (((1 2) 3 4) (5 6)))"
    assert repr(Hierarchy(1, [(1, 1)])) == "Hierarchy(1 unit, 1 span: (1))"
    assert repr(Hierarchy(31, [(1, 31)])) == "Hierarchy(31 units, 1 span)"


def test_from_segmentations():
    coarse, fine = cz.Segmentation.from_masses([4, 2]), cz.Segmentation.from_masses([2, 2, 2])
    hierarchy = Hierarchy.from_segmentations([coarse, fine])
    assert hierarchy.full == {(1, 4, 1), (5, 6, 1), (1, 2, 2), (3, 4, 2), (5, 6, 2)}
    with_units = Hierarchy.from_segmentations([cz.Segmentation.from_positions(3, [1], units=["a", "b", "c"])])
    assert with_units.units == ("a", "b", "c")
    crossed = [coarse, cz.Segmentation.from_masses([3, 3])]
    with pytest.raises(HierarchyError, match=r"^1-4 on level 1 and 4-6 on level 2 cross"):
        Hierarchy.from_segmentations(crossed)
    assert Hierarchy.from_segmentations(crossed, repair=True).full == {(1, 4, 1), (5, 6, 1), (1, 3, 2)}


@examples(60)
@given(hierarchies(units=6))
def test_brackets_round_trip(hierarchy):
    again = Hierarchy.from_brackets(hierarchy.brackets())
    assert again.flat == hierarchy.flat
    assert again.units == ("1", "2", "3", "4", "5", "6")
    assert Hierarchy.from_brackets(again.brackets()) == again


def test_brackets_twice_around_the_same_are_one_span():
    assert Hierarchy.from_brackets("((good night) (moon))((x))").flat == {(1, 2), (3, 3), (1, 3), (4, 4)}


def test_from_times():
    hierarchy = Hierarchy.from_times([(0, 9.5, 1, "A"), (0, 4.25, 2, "a"), (4.25, 9.5, 2, "b"), (3, 3, 2, "nothing")])
    assert hierarchy.edges == (0.0, 4.25, 9.5)
    assert hierarchy.full == {(1, 2, 1), (1, 1, 2), (2, 2, 2)}
    assert Hierarchy.from_times([(1, 2)], duration=5).edges == (0.0, 1.0, 2.0, 5.0)


def test_segmentation():
    flat = TREE.segmentation()
    assert flat.types == ("1", "2", "3")
    assert flat.boundaries == ((2, "3"), (4, "2"))
    assert TREE.segmentation(5).types == ("1", "2", "3", "4", "5")
    assert Hierarchy(4, [(2, 3)]).segmentation().boundaries == ((1, "1"), (3, "1"))
    with pytest.raises(HierarchyError, match=r"^levels must be at least the depth, 3; got 2$"):
        TREE.segmentation(2)
    # A file of a few bytes can declare 2^31 levels.
    with pytest.raises(HierarchyError, match="at most 10,000 levels become types; got level 2,147,483,647"):
        Hierarchy(6, [(1, 6, 1), (4, 6, 2**31 - 1)]).segmentation()


@pytest.mark.parametrize(
    ("length", "spans", "options", "message"),
    [
        (0, [], {}, "length: the number of units must be a whole number from 1 to 2147483647; got 0"),
        (True, [], {}, "length: the number of units must be a whole number from 1 to 2147483647; got True"),
        ("6", [], {}, "length: the number of units must be a whole number from 1 to 2147483647; got '6'"),
        (6, [(1,)], {}, "spans[0]: expected (start, end[, level[, label]]); got (1,)"),
        (6, [(1, 2), "12"], {}, "spans[1]: expected (start, end[, level[, label]]); got '12'"),
        (6, [(1, 2, 1, "a", 5)], {}, "spans[0]: expected (start, end[, level[, label]]); got (1, 2, 1, 'a', 5)"),
        (6, [(1.0, 2)], {}, "spans[0]: start must be a whole number; got 1.0"),
        (6, [(1, True)], {}, "spans[0]: end must be a whole number; got True"),
        (6, [(3, 2)], {}, "spans[0]: start must not be after end; got 3 > 2"),
        (6, [(0, 2)], {}, "spans[0]: a span must lie in 1..6; got 0-2"),
        (6, [(1, 7)], {}, "spans[0]: a span must lie in 1..6; got 1-7"),
        (6, [(1, 6, 0)], {}, "spans[0]: level must be a whole number from 1 up; got 0"),
        (6, [(1, 6, 1.5)], {}, "spans[0]: level must be a whole number from 1 up; got 1.5"),
        (6, [(1, 6, 1), (1, 2)], {}, "spans[1]: either all spans must have a level or none; this span has none"),
        (6, [(1, 4), (3, 6)], {}, "1-4 and 3-6 cross; each coder's own spans must nest"),
        (6, [(1, 4, 1), (3, 6, 2)], {}, "1-4 on level 1 and 3-6 on level 2 cross"),
        (6, [(1, 4), (3, 6)], {"nested": False}, "1-4 and 3-6 cross; each coder's own spans must nest"),
        (6, [(1, 6, 2), (1, 2, 2)], {}, "1-2 on level 2 lies inside 1-6 on level 2; an inner span must be deeper"),
        (6, [(1, 6, 3), (1, 2, 1)], {}, "1-2 on level 1 lies inside 1-6 on level 3; an inner span must be deeper"),
        (3, [], {"units": ["a"]}, "units: expected one string per unit; got 1 for 3 units"),
        (2, [], {"edges": [0, 1]}, "edges: expected 3 times for 2 units; got 2"),
        (2, [], {"edges": [0, 2, 2]}, "edges[2]: times must ascend; got 2 after 2"),
        (2, [], {"edges": [0, float("nan"), 2]}, "edges[1]: expected a time in seconds; got nan"),
    ],
)
def test_invalid_hierarchies(length, spans, options, message):
    with pytest.raises(HierarchyError, match=f"^{re.escape(message)}"):
        Hierarchy(length, spans, **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (5, "brackets: expected a string; got int"),
        ("", "brackets: expected at least one word; got none"),
        ("(a))", "brackets: ')' at character 4 has no opening bracket"),
        ("(a ())", "brackets: '(' at character 4 contains no word"),
        ("((a b)", "brackets: '(' at character 1 is never closed"),
    ],
)
def test_invalid_brackets(text, message):
    with pytest.raises(HierarchyError, match=f"^{re.escape(message)}$"):
        Hierarchy.from_brackets(text)


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([], "times: expected at least one span longer than 0 s; got none"),
        ([(3, 3)], "times: expected at least one span longer than 0 s; got none"),
        ([(0, "5")], "spans[0]: end must be a time in seconds; got '5'"),
        ([(0, float("inf"))], "spans[0]: end must be a time in seconds; got inf"),
        ([(0, 5), (2, 1.5)], "spans[1]: start must not be after end; got 2 > 1.5"),
        ([5], "spans[0]: expected (start, end[, level[, label]]); got 5"),
    ],
)
def test_invalid_times(spans, message):
    with pytest.raises(HierarchyError, match=f"^{re.escape(message)}$"):
        Hierarchy.from_times(spans)


def test_invalid_levels():
    with pytest.raises(HierarchyError, match=r"^levels: expected at least one segmentation; got none$"):
        Hierarchy.from_segmentations([])
    with pytest.raises(HierarchyError, match=r"^levels: all must segment the same text; got 2, 3 units$"):
        Hierarchy.from_segmentations([cz.Segmentation.from_masses([n]) for n in (2, 3)])


def test_repair_drops_the_deeper_then_the_shorter_then_the_later():
    def remaining(*spans):
        return {tuple(s)[:3] for s in Hierarchy(9, spans, repair=True)}

    assert remaining((1, 4, 2), (3, 5, 1)) == {(3, 5, 1)}
    assert remaining((1, 4, 1), (3, 5, 1)) == {(1, 4, 1)}
    assert remaining((3, 5, 1), (1, 3, 1)) == {(1, 3, 1)}
    assert remaining((1, 6, 2), (2, 3, 1)) == {(2, 3, 1)}  # contradicts: the inner one is not deeper
    assert remaining((1, 4), (3, 6)) == {(1, 4, 1)}
    assert remaining((1, 4), (3, 6), (3, 4)) == {(1, 4, 1), (3, 4, 2)}  # levels are those of what remains


any_spans = st.lists(
    st.tuples(st.integers(1, 8), st.integers(1, 8), st.integers(1, 3)).map(lambda s: (min(s[:2]), max(s[:2]), s[2])),
    max_size=8,
)


@given(any_spans)
def test_repair_gives_a_valid_hierarchy_and_drops_no_more_than_needed(spans):
    repaired = Hierarchy(8, spans, repair=True)
    assert repaired.full <= set(spans)
    assert not any(cross(x, y) for x in repaired.flat for y in repaired.flat)
    assert Hierarchy(8, map(tuple, repaired), repair=True) == repaired
    for extra in set(spans) - repaired.full:
        with pytest.raises(HierarchyError):
            Hierarchy(8, [*(tuple(s)[:3] for s in repaired), extra])
    try:
        assert Hierarchy(8, spans) == repaired
    except HierarchyError:
        assert repaired.full < set(spans)


def test_common_units():
    """
    ann  |---------|---------|
    bo   |----------|--------|
    """
    ann = Hierarchy.from_times([(0, 20, 1, "x"), (0, 10, 2, "a"), (10, 20, 2, "b")])
    bo = Hierarchy.from_times([(0, 20.3, 1, "y"), (0, 10.4, 2, "c"), (10.4, 20.3, 2, "d"), (10.4, 10.45, 3, "short")])
    merged, dropped = cz.common_units({"ann": ann, "bo": bo})
    assert dropped == 1
    assert merged["ann"].edges == merged["bo"].edges == (0.0, 10.0, 20.0)
    assert merged["bo"].spans == (Span(1, 2, 1, "y"), Span(1, 1, 2, "c"), Span(2, 2, 2, "d"))
    assert merged["ann"].extent == merged["bo"].extent == round(20.3 / 0.5)


def test_a_group_is_measured_from_its_first_time():
    """Of 0, .4 and .8, the third is close to the second but too far from the first."""
    hierarchy = Hierarchy.from_times([(0, 9), (0.4, 9), (0.8, 9)])
    merged, _ = cz.common_units({"one": hierarchy})
    assert merged["one"].edges == (0.0, 0.8, 9.0)
    assert merged["one"].flat == {(1, 2), (2, 2)}


def test_text_is_restored():
    unchanged, dropped = cz.common_units({"a": TREE})
    assert (unchanged["a"] is TREE, dropped) == (True, 0)


def test_corpora_without_common_units():
    timed = Hierarchy.from_times([(0, 0.3)])
    with pytest.raises(HierarchyError, match=r"^some coders have times and some have none; they cannot be compared$"):
        cz.common_units({"a": TREE, "b": timed})
    with pytest.raises(HierarchyError) as caught:
        cz.common_units({"b": timed})
    assert str(caught.value) == "all times lie within the tolerance of 0.5 s; choose a smaller tolerance"
    for tolerance in (0, -1, float("nan"), float("inf")):
        with pytest.raises(HierarchyError) as caught:
            cz.common_units({"b": timed}, tolerance=tolerance)
        assert str(caught.value) == f"tolerance must be a number of seconds above 0; got {tolerance!r}"


times = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(1, 3)).map(
        lambda s: (s[0] / 4, (s[0] + s[1]) / 4, s[2])
    ),
    min_size=1,
    max_size=8,
)


@examples(100)
@given(times, times, st.sampled_from([0.25, 0.5, 1.3]))
def test_merged_times_stay_in_order_and_nest(ann, bo, tolerance):
    coders = {name: Hierarchy.from_times(spans, repair=True) for name, spans in (("ann", ann), ("bo", bo))}
    every = [t for hierarchy in coders.values() for t in hierarchy.edges]
    if max(every) - min(every) <= tolerance:
        with pytest.raises(HierarchyError, match="choose a smaller tolerance"):
            cz.common_units(coders, tolerance=tolerance)
        return
    merged, dropped = cz.common_units(coders, tolerance=tolerance)
    edges = merged["ann"].edges
    assert edges == merged["bo"].edges
    assert all(later - earlier > tolerance for earlier, later in itertools.pairwise(edges))
    assert merged["ann"].extent >= merged["ann"].length
    n_dropped = sum(len(coders[who]) - len(merged[who]) for who in coders)
    assert n_dropped >= dropped  # two spans may have become one
    again, more = cz.common_units(merged, tolerance=tolerance)
    assert {who: again[who].spans for who in again} == {who: merged[who].spans for who in merged}
    assert more == 0


def test_a_corpus_of_hierarchies():
    corpus = cz.Corpus({"talk": {"ann": TREE, "bo": Hierarchy(6, [(1, 6)])}})
    assert corpus["talk", "ann"] is TREE
    with pytest.raises(MismatchError, match="expected a Segmentation or a Dialogue; got Hierarchy"):
        cz.boundaries_placed(corpus)
    with pytest.raises(OptionError, match="a: the hierarchy has the levels 1, 2, 3; choose one with level=1"):
        cz.agreement(corpus)


@pytest.mark.parametrize("kind", [np.int8, np.uint32, np.int64])
def test_numpy_integers_are_accepted(kind):
    spans = [(kind(1), kind(6), kind(1)), (kind(1), kind(4), kind(2))]
    repaired = Hierarchy(kind(6), spans, extent=kind(9))
    assert repaired == Hierarchy(6, [(1, 6, 1), (1, 4, 2)], extent=9)
    assert repaired.segmentation(kind(3)).types == ("1", "2", "3")


@pytest.mark.parametrize("kind", [np.int16, np.float32, np.float64])
def test_numpy_times_are_accepted(kind):
    repaired = Hierarchy.from_times([(kind(0), kind(4)), (kind(0), kind(2))], duration=kind(5))
    assert repaired == Hierarchy.from_times([(0, 4), (0, 2)], duration=5)
    assert cz.common_units({"a": repaired}, tolerance=kind(1)) == cz.common_units({"a": repaired}, tolerance=1)


def test_arrays_of_the_caller_stay_writeable():
    edges = np.array([0.0, 1.0, 2.0])
    repaired = Hierarchy(2, np.array([[1, 2], [1, 1]]).tolist(), edges=edges)
    edges[0] = 0.5
    assert repaired.edges == (0.0, 1.0, 2.0)


def test_levels_that_do_not_nest():
    crossing = Hierarchy(6, [(1, 4, 1), (5, 6, 1), (1, 2, 2), (3, 6, 2)], nested=False)
    assert not crossing.nested
    assert Hierarchy(6, [(1, 6, 1), (1, 2, 2)], nested=False).nested
    assert Hierarchy(6, [(1, 6, 1), (1, 2, 2)], nested=False) == Hierarchy(6, [(1, 6, 1), (1, 2, 2)])
    assert pickle.loads(pickle.dumps(crossing)) == crossing
    assert not pickle.loads(pickle.dumps(crossing)).nested
    assert repr(crossing) == "Hierarchy(6 units, 4 spans: ((1 2) (3 4) (5 6)))"
    levels = [cz.Segmentation.from_masses(masses) for masses in ([4, 2], [2, 4])]
    assert Hierarchy.from_segmentations(levels, nested=False) == crossing
    for name in ("hierarchy_kappa", "hierarchy_overlap", "non_crossing"):
        with pytest.raises(MismatchError, match=": the spans do not nest; use t_measure or l_measure"):
            cz.measures()[name]().score(crossing, crossing)
