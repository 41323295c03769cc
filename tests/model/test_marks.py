"""The number of coders who marked each position."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import SegmentationError

masses = cz.Segmentation.from_masses


@st.composite
def some(draw: st.DrawFn) -> tuple[list[int], int]:
    coders = draw(st.integers(1, 9))
    return draw(st.lists(st.integers(0, coders), max_size=30)), coders


@given(some())
def test_round_trip_of_values(copied):
    counts, coders = copied
    for values in (counts, tuple(counts), np.array(counts, np.int64), np.array(counts, np.uint8)):
        marks = cz.Marks(values, coders)
        assert marks.counts.tolist() == counts
        assert (marks.coders, marks.length, len(marks)) == (coders, len(counts) + 1, len(counts) + 1)
        assert marks.positions.tolist() == [i for i, count in enumerate(counts, 1) if count]
        assert marks.position_counts.tolist() == [count for count in counts if count]


@given(some(), some())
def test_equal_marks_have_equal_counts(marks, different):
    a, b = cz.Marks(*marks), cz.Marks(*different)
    assert (a == b) == (marks == different)
    assert a == cz.Marks(*marks)


@given(st.integers(1, 20), st.data())
def test_of_segmentations(length, data):
    position = st.integers(1, length - 1) if length > 1 else st.nothing()
    sides = data.draw(st.lists(st.frozensets(position), min_size=1, max_size=6))
    marks = cz.Marks.of(cz.Segmentation.from_positions(length, sorted(side)) for side in sides)
    assert marks.counts.tolist() == [sum(p in side for side in sides) for p in range(1, length)]
    assert (marks.coders, marks.length) == (len(sides), length)
    assert marks == cz.Marks(marks.counts, len(sides))


def test_of_types_and_ends():
    """A position counts once per coder, whatever its types. The end of the text never counts.

    1  ··{x+y}···     2  ··,···.     3  ······
    """
    typed = cz.Segmentation.from_sets([set(), {"x", "y"}, set(), set()], types=["x", "y"])
    ended = cz.Segmentation.from_marks(["", ",", "", "", "."])
    assert cz.Marks.of([typed, ended, masses([5])]).counts.tolist() == [0, 2, 0, 0]


def test_a_long_text_with_few_marks_is_small():
    long = cz.Segmentation.from_positions(2**31 - 1, [5, 10**9])
    marks = cz.Marks.of([long, long, masses([2**31 - 1])])
    assert (marks.positions.tolist(), marks.position_counts.tolist()) == ([5, 10**9], [2, 2])
    assert repr(marks) == "Marks(3 coders, 2147483647 units, 2 marked positions, highest 2)"


def test_units():
    segmentations = [masses([1, 1], units=["to", "be"]), masses([2]), masses([2], units=["to", "be"])]
    assert cz.Marks.of(segmentations).units == ("to", "be")
    assert cz.Marks.of(segmentations[::-1]).units == ("to", "be")
    assert cz.Marks.of([masses([2])]).units is None
    assert cz.Marks([1], 3, units=["to", "be"]) != cz.Marks([1], 3)
    message = r"token 2 is 'be' for segmentations\[0\] and 'do' for segmentations\[3\]; to align them, read with align="
    with pytest.raises(SegmentationError, match=message):
        cz.Marks.of([*segmentations, masses([2], units=["to", "do"])])
    with pytest.raises(SegmentationError, match=r"^units: expected one string per unit; got 1 for 2 units$"):
        cz.Marks([1], 3, units=["to"])


def test_repr():
    assert repr(cz.Marks([0, 4, 0], 7)) == "Marks(7 coders, 4 units: ··4··)"
    assert repr(cz.Marks([], 1)) == "Marks(1 coder, 1 unit: ·)"
    assert repr(cz.Marks([1] + [0] * 60, 2)) == "Marks(2 coders, 62 units, 1 marked position, highest 1)"


def test_counts_of_the_caller_are_copied():
    counts = np.array([0, 4, 0])
    marks = cz.Marks(counts, 7)
    counts[0] = 5
    assert marks.counts.tolist() == [0, 4, 0]


@pytest.mark.parametrize(
    ("counts", "coders", "message"),
    [
        ([0, 8, 9], 7, "counts[1]: expected a number of coders from 0 to 7; got 8"),
        ([0, 1, -1], 7, "counts[2]: expected a number of coders from 0 to 7; got -1"),
        (np.array([2]), 1, "counts[0]: expected a number of coders from 0 to 1; got 2"),
        ([0, 1.5], 7, "counts[1]: expected a whole number; got 1.5"),
        ([0, float("nan")], 7, "counts[1]: expected a whole number; got nan"),
        ([True], 7, "counts[0]: expected a whole number; got True"),
        ("0101", 7, "counts: expected a sequence of whole numbers; got the string '0101'"),
        (5, 7, "counts: expected a sequence of whole numbers; got 5"),
        ([0], 0, "coders: the number of coders must be a whole number from 1 to 2147483647; got 0"),
        ([0], 2**31, "coders: the number of coders must be a whole number from 1 to 2147483647; got 2147483648"),
        ([0], 2.5, "coders: the number of coders must be a whole number from 1 to 2147483647; got 2.5"),
        ([0], True, "coders: the number of coders must be a whole number from 1 to 2147483647; got True"),
        ([0], None, "coders: the number of coders must be a whole number from 1 to 2147483647; got None"),
    ],
)
def test_invalid_input(counts, coders, message):
    with pytest.raises(SegmentationError, match=f"^{re.escape(message)}$"):
        cz.Marks(counts, coders)


@pytest.mark.parametrize(
    ("segmentations", "message"),
    [
        ([], "segmentations: expected at least one; got none"),
        ([masses([2]), "01"], "segmentations[1]: expected a Segmentation; got str"),
        ([masses([2, 3]), masses([2, 2])], "the same text: 5 tokens for segmentations[0] and 4 for segmentations[1]"),
        ({"ann": masses([2])}, "segmentations[0]: expected a Segmentation; got str"),
        (5, "segmentations: expected a sequence; got 5"),
    ],
)
def test_annotations_without_marks(segmentations, message):
    with pytest.raises(SegmentationError, match=re.escape(message)):
        cz.Marks.of(segmentations)


def test_the_marks_of_one_coder():
    units = ["a", "b", "c", "d", "e"]
    marks = cz.Marks.of([cz.Segmentation.from_masses([2, 2, 1], units=units)])
    assert marks == cz.Marks([0, 1, 0, 1], 1, units=units)
