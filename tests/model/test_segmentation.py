"""Segmentations: constructors, invalid input, immutability and equality."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraError, SegmentationError
from support.strategies import Pair, TypedPair, pairs, typed_pairs

Segmentation = cz.Segmentation
from_masses, from_positions, from_bits = Segmentation.from_masses, Segmentation.from_positions, Segmentation.from_bits
from_marks, from_sets, from_labels = Segmentation.from_marks, Segmentation.from_sets, Segmentation.from_labels
NAN, INF = float("nan"), float("inf")


# |··|···|······| by every constructor

ELEVEN = from_masses([2, 3, 6])


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda x: np.array(x, np.uint8), lambda x: np.array(x, float)])
def test_from_masses(kind):
    result = from_masses(kind([2, 3, 6]))
    assert result.length == len(result) == 11
    assert result.positions.tolist() == result.inner.tolist() == [2, 5]
    assert result.masses == (2, 3, 6)
    assert result == ELEVEN


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda x: np.array(x, np.int32), lambda x: iter(x), range])
def test_from_positions(kind):
    assert from_positions(11, range(2, 6, 3) if kind is range else kind([2, 5])) == ELEVEN


@pytest.mark.parametrize(
    "bits",
    [
        "0100100000",
        [0, 1, 0, 0, 1, 0, 0, 0, 0, 0],
        (False, True, False, False, True, False, False, False, False, False),
        list("0100100000"),
        np.array([0, 1, 0, 0, 1, 0, 0, 0, 0, 0]),
        np.array([0, 1, 0, 0, 1, 0, 0, 0, 0, 0], bool),
        np.array([0, 1, 0, 0, 1, 0, 0, 0, 0, 0], float),
        np.array(list("0100100000")),
    ],
    ids=["str", "list", "bools", "characters", "array", "bool array", "float array", "str array"],
)
def test_from_bits(bits):
    result = from_bits(bits)
    assert result == ELEVEN
    assert result.bits() == "0100100000"


def test_from_labels():
    result = from_labels(["A", "A", "B", "B", "B", "A"])
    assert result.masses == (2, 3, 1)
    assert result.labels == ("A", "A", "B", "B", "B", "A")
    assert result.types == ("boundary",)
    assert result == from_labels(np.array(["A", "A", "B", "B", "B", "A"]))
    assert from_labels([1, 1, 2]).labels == ("1", "1", "2")
    assert from_labels("AAB").masses == (2, 1)
    assert result != from_masses([2, 3, 1])  # labels are part of it
    assert result == from_masses([2, 3, 1], labels=["A", "B", "A"])


def test_from_masses_with_labels():
    result = from_masses([2, 1, 2], labels=["A", "A", ""])
    assert result.masses == (2, 1, 2)  # a segment ends though the label stays the same
    assert result.labels == ("A", "A", "A", "", "")
    assert from_masses([1, 1], labels="AB").labels == ("A", "B")


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_from_marks(kind):
    """|·· , ··· . |: the end of the text also has a mark."""
    result = from_marks(kind(["", ",", "", "", "."]))
    assert result.length == 5
    assert result.positions.tolist() == [2, 5]
    assert result.inner.tolist() == [2]
    assert result.masses == (2, 3)
    assert result.boundaries == ((2, ","), (5, "."))
    assert result.types == (",", ".")
    assert not result.types_declared
    assert result == from_marks([None, ",", None, None, "."])


def test_from_marks_with_declared_types():
    result = from_marks(["x", "", "z", ""], types=["z", "y", "x"])
    assert result.types == ("z", "y", "x")
    assert result.types_declared
    assert result.boundaries == ((1, "x"), (3, "z"))
    assert result.codes.tolist() == [2, 0]
    assert result == from_positions(4, [1, 3], marks=["x", "z"], types=["z", "y", "x"])


def test_from_sets():
    """|··{scene+act}··|"""
    result = from_sets([set(), {"act", "scene"}, set()], types=["scene", "act"])
    assert result.length == 4
    assert result.boundaries == ((2, "scene"), (2, "act"))
    assert result.positions.tolist() == result.inner.tolist() == [2]
    assert result.codes.tolist() == [0, 1]
    assert not result.exclusive
    assert result.sets() == (frozenset(), frozenset({"scene", "act"}), frozenset(), frozenset())
    for sets in (
        [[], ["act", "scene"], []],
        ((), ("scene", "act"), ()),
        [None, frozenset({"act", "scene"}), ""],
        [np.array([], str), np.array(["act", "scene"]), np.array([], str)],
    ):
        assert from_sets(sets, types=["scene", "act"]) == result


def test_from_positions_with_sets_of_types():
    result = from_positions(4, [2], marks=[{"act", "scene"}], types=["scene", "act"])
    assert result == from_sets([set(), {"act", "scene"}, set()], types=["scene", "act"])
    assert from_positions(4, [4], marks=["x"]).positions.tolist() == [4]


def test_collected_types_are_sorted():
    """Numbers in their own order, then names in alphabetical order; 1 and "1" have the same name and are one type."""
    assert from_marks(["b", 10, 9, "a"]).types == ("9", "10", "a", "b")
    assert from_sets([{2}, {1, 10}]).types == ("1", "2", "10")
    assert from_sets([set(), set()]).types == ("boundary",)
    assert from_marks(np.array([3, 1])).types == ("1", "3")
    assert from_marks([1, "1"]).types == ("1",)


@pytest.mark.parametrize("segmentation", [from_masses([1]), from_positions(1, [])])
def test_one_unit(segmentation):
    assert segmentation == from_bits("") == from_bits([]) == from_sets([])
    assert (segmentation.length, segmentation.masses, segmentation.bits()) == (1, (1,), "")
    assert segmentation.positions.tolist() == []
    assert segmentation.exclusive
    assert segmentation.reversed() == segmentation
    assert repr(segmentation) == "Segmentation(1 unit: ·)"


def test_units():
    result = from_masses([1, 2], units=["To", "be", "or"])
    assert result.units == ("To", "be", "or")
    assert from_bits("01", units=iter("abc")).units == ("a", "b", "c")
    assert ELEVEN.units is None
    assert result != from_masses([1, 2])
    for build in (
        lambda **u: from_positions(3, [1], **u),
        lambda **u: from_bits("10", **u),
        lambda **u: from_marks(["x", "", ""], **u),
        lambda **u: from_sets([{"x"}, ()], **u),
        lambda **u: from_labels("ABB", **u),
    ):
        assert build(units=["To", "be", "or"]).units == ("To", "be", "or")


def test_the_longest_text():
    longest = 2**31 - 1
    assert from_masses([longest]).length == longest
    assert from_masses([longest - 1, 1]).masses == (longest - 1, 1)
    assert from_positions(longest, [longest - 1]).inner.tolist() == [longest - 1]


@given(pairs(max_units=70))
def test_the_constructors_agree(pair: Pair):
    segmentation = from_positions(pair.length, sorted(pair.a))
    assert from_masses(segmentation.masses) == segmentation
    assert from_bits(segmentation.bits()) == segmentation
    assert sum(segmentation.masses) == segmentation.length
    assert len(segmentation.masses) == len(pair.a) + 1
    assert segmentation.bits().count("1") == len(pair.a)
    assert segmentation.boundaries == tuple((p, "boundary") for p in sorted(pair.a))
    assert segmentation.exclusive


@given(typed_pairs(max_units=12))
def test_typed_constructors_agree(pair: TypedPair):
    segmentation, _ = pair.segmentations
    assert segmentation.boundaries == tuple((p, pair.types[t]) for p, t in sorted(pair.a))
    assert segmentation.inner.tolist() == sorted({p for p, _ in pair.a})
    assert from_sets(segmentation.sets()[:-1], types=pair.types) == segmentation
    assert segmentation.exclusive == (len({p for p, _ in pair.a}) == len(pair.a))
    at = sorted({p for p, _ in pair.a})
    marks = [{pair.types[t] for q, t in pair.a if q == p} for p in at]
    assert from_positions(pair.length, at, marks=marks, types=pair.types) == segmentation


@given(typed_pairs(max_units=12))
def test_reversed(pair: TypedPair):
    segmentation, _ = pair.segmentations
    back = segmentation.reversed()
    assert set(back.boundaries) == {(pair.length - p, pair.types[t]) for p, t in pair.a}
    assert back.reversed() == segmentation
    assert back.types == segmentation.types
    assert back.masses == segmentation.masses[::-1]


def test_reversed_keeps_text_and_labels_without_the_end():
    segmentation = from_labels("ABB", units=["x", "y", "z"])
    assert segmentation.reversed().labels == ("B", "B", "A")
    assert segmentation.reversed().units == ("z", "y", "x")
    ended = from_marks(["a", "", "b"])
    assert ended.reversed().boundaries == ((2, "a"),)
    assert ended.reversed().types == ("a", "b")


def test_with_types():
    segmentation = from_marks(["x", "", "y"], units=["a", "b", "c"])
    changed = segmentation.with_types(["z", "y", "x"])
    assert changed.types == ("z", "y", "x")
    assert changed.types_declared
    assert changed.boundaries == segmentation.boundaries
    assert changed.codes.tolist() == [2, 1]
    assert changed.units == segmentation.units
    labelled = from_labels("AAB").with_types(["topic", "boundary"])
    assert labelled.labels == ("A", "A", "B")
    double = from_sets([{"x", "y"}], types=["x", "y"]).with_types(["y", "x"])
    assert double.boundaries == ((1, "y"), (1, "x"))
    with pytest.raises(SegmentationError, match=r"^boundaries\[1\]: type 'y' is not declared"):
        segmentation.with_types(["x"])


# Invalid input with the exact messages, which name the place if there is one.

MAX_UNITS = 2**31 - 1
RANGE = f"a whole number from 1 to {MAX_UNITS}"
LENGTH = f"length: the number of units must be {RANGE}"
NO_NAME = "a type must be a name that is not empty"
UNDECLARED = "is not declared; the declared types are"
BAD = [
    # masses
    (lambda: from_masses([]), "masses: a text has at least one segment; got none"),
    (lambda: from_masses([2, 0, 3]), f"masses[1]: a mass must be {RANGE}; got 0"),
    (lambda: from_masses([-1]), f"masses[0]: a mass must be {RANGE}; got -1"),
    (lambda: from_masses(np.array([1, -4])), f"masses[1]: a mass must be {RANGE}; got -4"),
    (lambda: from_masses([2**31]), f"masses[0]: a mass must be {RANGE}; got 2147483648"),
    (lambda: from_masses([MAX_UNITS, 1]), f"{LENGTH}; got 2147483648"),
    (lambda: from_masses([2, 2.5]), "masses[1]: expected a whole number; got 2.5"),
    (lambda: from_masses([2, NAN]), "masses[1]: expected a whole number; got nan"),
    (lambda: from_masses([INF]), "masses[0]: expected a whole number; got inf"),
    (lambda: from_masses([True]), "masses[0]: expected a whole number; got True"),
    (lambda: from_masses(["2"]), "masses[0]: expected a whole number; got '2'"),
    (lambda: from_masses([None]), "masses[0]: expected a whole number; got None"),
    (lambda: from_masses([[2, 3]]), "masses[0]: expected a whole number; got [2, 3]"),
    (lambda: from_masses("23"), "masses: expected a sequence of whole numbers; got the string '23'"),
    (lambda: from_masses(5), "masses: expected a sequence of whole numbers; got 5"),
    (lambda: from_masses(None), "masses: expected a sequence of whole numbers; got None"),
    (lambda: from_masses([2**62]), f"masses[0]: number too large; got {2**62}"),
    (lambda: from_masses([10**30]), f"masses[0]: number too large; got {10**30}"),
    (lambda: from_masses([1e300]), f"masses[0]: number too large; got {int(1e300)}"),
    (lambda: from_masses(np.array([2**63 + 5], np.uint64)), f"masses: number too large; got {2**63 + 5}"),
    # length
    (lambda: from_positions(0, []), f"{LENGTH}; got 0"),
    (lambda: from_positions(-3, []), f"{LENGTH}; got -3"),
    (lambda: from_positions(2**31, []), f"{LENGTH}; got 2147483648"),
    (lambda: from_positions(2.5, []), f"{LENGTH}; got 2.5"),
    (lambda: from_positions(NAN, []), f"{LENGTH}; got nan"),
    (lambda: from_positions("5", []), f"{LENGTH}; got '5'"),
    (lambda: from_positions(None, []), f"{LENGTH}; got None"),
    (lambda: from_marks([]), f"{LENGTH}; got 0"),
    (lambda: from_masses([2, 1], labels=["A"]), "labels: expected one label per segment; got 1 for 2 segments"),
    (lambda: from_masses([2, 1], labels=["A", 7]), "labels[1]: expected a string; got 7"),
    (lambda: from_masses([2], labels=7), "labels: expected a sequence; got 7"),
    (
        lambda: from_masses([2**24, 1], labels="AB"),
        "labels: a text with labels has at most 16777216 units; got 16777217",
    ),
    (lambda: from_labels([]), f"{LENGTH}; got 0"),
    # positions
    (lambda: from_positions(5, [0]), "positions[0]: a position must lie in 1..4 for 5 units; got 0"),
    (lambda: from_positions(5, [2, 5]), "positions[1]: a position must lie in 1..4 for 5 units; got 5"),
    (lambda: from_positions(5, [-2]), "positions[0]: a position must lie in 1..4 for 5 units; got -2"),
    (lambda: from_positions(5, [6], marks=["x"]), "positions[0]: a position must lie in 1..5 for 5 units; got 6"),
    (lambda: from_positions(1, [1]), "positions[0]: a text of one unit has no inner position; got 1"),
    (lambda: from_positions(5, [1, 3, 2]), "positions[2]: positions must ascend; got 2 after 3"),
    (lambda: from_positions(5, [1, 3, 3]), "positions[2]: a position may occur only once; got 3 again"),
    (lambda: from_positions(5, [1.5]), "positions[0]: expected a whole number; got 1.5"),
    (lambda: from_positions(5, [NAN]), "positions[0]: expected a whole number; got nan"),
    (lambda: from_positions(5, [-(2**62)]), f"positions[0]: number too large; got {-(2**62)}"),
    (lambda: from_positions(5, "12"), "positions: expected a sequence of whole numbers; got the string '12'"),
    (lambda: from_positions(5, [1], types=["x"]), "types require marks, one for each position; got no marks"),
    (lambda: from_positions(5, [1, 2], marks=["x"]), "marks: expected one per position; got 1 for 2 positions"),
    (
        lambda: from_positions(5, [1, 2], marks=["x", "z"], types=["x", "y"]),
        f"marks[1]: type 'z' {UNDECLARED} 'x', 'y'",
    ),
    # bits
    (lambda: from_bits("012"), "bits[2]: expected 0 or 1; got '2'"),
    (lambda: from_bits("0 1"), "bits[1]: expected 0 or 1; got ' '"),
    (lambda: from_bits("0𝟏"), "bits[1]: expected 0 or 1; got '𝟏'"),
    (lambda: from_bits([0, 2]), "bits[1]: expected 0 or 1; got 2"),
    (lambda: from_bits([0, -1]), "bits[1]: expected 0 or 1; got -1"),
    (lambda: from_bits([NAN]), "bits[0]: expected 0 or 1; got nan"),
    (lambda: from_bits([0, None]), "bits[1]: expected 0 or 1; got None"),
    (lambda: from_bits([0.5]), "bits[0]: expected 0 or 1; got 0.5"),
    # marks
    (lambda: from_marks("a.b"), "marks: expected a sequence with one mark per unit; got one string"),
    (lambda: from_marks(["", "", "!"], types=[",", "."]), f"marks[2]: type '!' {UNDECLARED} ',', '.'"),
    (lambda: from_marks(["", NAN], types=["x"]), f"marks[1]: {NO_NAME}; got nan"),
    (lambda: from_marks(["", True], types=["x"]), f"marks[1]: {NO_NAME}; got True"),
    (lambda: from_marks(["", NAN]), f"marks[1]: {NO_NAME}; got nan"),
    (lambda: from_marks(["x", 1.5]), f"marks[1]: {NO_NAME}; got 1.5"),
    (lambda: from_positions(5, [1, 2], marks=["x", ""]), f"marks[1]: {NO_NAME}; got ''"),
    # sets
    (lambda: from_sets(["ab", ""]), "sets[0]: expected a set of types; got 'ab'"),
    (lambda: from_sets([set(), {"z"}], types=["x"]), f"sets[1]: type 'z' {UNDECLARED} 'x'"),
    (
        lambda: from_sets([("x", "x")], types=["x", "y"]),
        "sets[0]: a type may occur only once at a position; got ('x', 'x')",
    ),
    (lambda: from_sets([set(), {""}], types=["x"]), f"sets[1]: {NO_NAME}; got ''"),
    (lambda: from_sets([set(), {""}]), f"sets[1]: {NO_NAME}; got ''"),
    # types
    (lambda: from_sets([set()], types=["x", "y", "x"]), "types[2]: a type may be declared only once; got 'x' again"),
    (lambda: from_sets([set()], types=["1", 1]), "types[1]: a type may be declared only once; got '1' again"),
    (lambda: from_sets([set()], types=[]), "types: at least one type must be declared; got none"),
    (lambda: from_sets([set()], types="xy"), "types: expected a sequence of names; got the string 'xy'"),
    (lambda: from_sets([set()], types=["x", ""]), f"types[1]: {NO_NAME}; got ''"),
    (lambda: from_marks([""], types=[None]), f"types[0]: {NO_NAME}; got None"),
    (lambda: ELEVEN.with_types([]), "types: at least one type must be declared; got none"),
    # units
    (lambda: from_masses([3], units=["a"]), "units: expected one string per unit; got 1 for 3 units"),
    (lambda: from_bits("0", units="abc"), "units: expected one string per unit; got 3 for 2 units"),
    (lambda: from_masses([2], units=["a", 5]), "units[1]: expected a string; got 5"),
]


@pytest.mark.parametrize(("build", "message"), BAD, ids=[message for _, message in BAD])
def test_invalid_input(build, message):
    with pytest.raises(SegmentationError) as caught:
        build()
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)


STRANGE = {
    "bits: None": lambda: from_bits(None),
    "bits: a number": lambda: from_bits(5),
    "bits: two dimensions": lambda: from_bits(np.array([[0, 1], [1, 0]])),
    "bits: half a surrogate pair": lambda: from_bits("0\ud800"),
    "marks: None": lambda: from_marks(None),
    "marks: a list among them": lambda: from_marks(["", ["x"]]),
    "marks: None for a position": lambda: from_positions(5, [1, 2], marks=["x", None]),
    "marks: NaN for a position": lambda: from_positions(5, [1, 2], marks=["x", NAN]),
    "sets: None": lambda: from_sets(None),
    "sets: a number among them": lambda: from_sets([1, 0]),
    "labels: None": lambda: from_labels(None),
    "labels: NaN, which differs from itself": lambda: from_labels([NAN, NAN]),
    "types: a number": lambda: from_sets([{"x"}], types=5),
    "units: a number": lambda: from_masses([2], units=5),
    "masses: two dimensions": lambda: from_masses(np.array([[1, 2], [3, 4]])),
    "masses: no dimension": lambda: from_masses(np.array(3)),
    "masses: complex numbers": lambda: from_masses([2j]),
    "positions: a dictionary of names": lambda: from_positions(5, {"a": 1}),
}


@pytest.mark.parametrize("build", STRANGE.values(), ids=STRANGE.keys())
def test_any_invalid_input_raises_our_error(build):
    """Every problem with the content of a file is a CaesuraError."""
    with pytest.raises(CaesuraError) as caught:
        build()
    assert str(caught.value)


TYPED = from_sets([{"x"}, {"x", "y"}, set()], types=["x", "y"], units=["a", "b", "c", "d"])
LABELLED = from_labels("AAB")
MARKED = from_marks(["", ",", "", "."])


def test_equality_and_hash():
    same = from_positions(11, [2, 5])
    assert same == ELEVEN
    assert hash(same) == hash(ELEVEN)
    assert len({same, ELEVEN}) == 1
    different = [
        from_positions(12, [2, 5]),
        from_positions(11, [2]),
        from_positions(11, [2, 6]),
        from_positions(11, [2, 5], marks=["x", "x"]),
        from_positions(11, [2, 5], units=list("abcdefghijk")),
        from_labels("AABBBCCCCCC"),
        (2, 3, 6),
        None,
    ]
    for changed in different:
        assert changed != ELEVEN
    assert len({ELEVEN, *different}) == len(different) + 1
    segmentation = from_sets([{"x"}], types=["x", "y"])
    assert segmentation != from_sets([{"x"}], types=["y", "x"])
    assert segmentation == from_sets([["x"]], types=("x", "y"))


@given(pairs(max_units=8), pairs(max_units=8))
def test_segmentations_are_equal_exactly_if_their_boundaries_are(first: Pair, second: Pair):
    same = first.length == second.length and first.a == second.a
    assert (first.segmentations[0] == second.segmentations[0]) == same
    if same:
        assert hash(first.segmentations[0]) == hash(second.segmentations[0])


@pytest.mark.parametrize(
    ("segmentation", "drawing"),
    [
        (ELEVEN, "··|···|······"),
        (from_masses([4]), "····"),
        (from_masses([1] * 5), "·|·|·|·|·"),
        (MARKED, "··,··."),
        (TYPED, "·x·{x+y}··"),
        (from_sets([{"act"}, {"scene"}], types=["scene", "act"]), "·{act}·{scene}·"),
        (from_marks(["", "", ""], types=["a", "b"]), "···"),
    ],
)
def test_draw_and_repr(segmentation, drawing):
    assert segmentation.draw() == drawing
    assert repr(segmentation) == f"Segmentation({segmentation.length} units: {drawing})"


def test_repr_of_a_long_text():
    assert repr(from_masses([20, 40])) == f"Segmentation(60 units: {'·' * 20}|{'·' * 40})"
    assert repr(from_masses([20, 41])) == "Segmentation(61 units, 2 segments: 20|41)"
    assert repr(from_masses([10] * 7)) == "Segmentation(70 units, 7 segments: 10|10|10|10|10|10|…)"
    typed = from_positions(70, [30], marks=["x"], types=["x", "y"])
    assert repr(typed) == "Segmentation(70 units, 2 segments: 30|40, types x < y)"


@given(st.lists(st.sampled_from(["", ",", "."]), min_size=1, max_size=60))
def test_draw_shows_every_mark(marks):
    segmentation = from_marks(marks, types=[",", "."])
    assert segmentation.draw() == "".join("·" + mark for mark in marks)


def test_declared_types_differ_from_collected_ones():
    #       ··x·y·     order of the types: x < y, declared or not
    collected = from_marks(["", "x", "y", ""])
    declared = from_marks(["", "x", "y", ""], types=["x", "y"])
    assert (collected.types, collected.boundaries) == (declared.types, declared.boundaries)
    assert collected != declared
    assert len({collected, declared}) == 2
    assert collected.with_types(["x", "y"]) == declared
    assert collected.with_types(["x", "y"], types_declared=False) == collected


@given(typed_pairs(max_units=8), st.booleans(), st.booleans())
def test_equal_segmentations_score_alike(pair: TypedPair, first_declared: bool, second_declared: bool):
    segmentation, changed = pair.segmentations
    scale = list(segmentation.types)[::-1]
    a = segmentation.with_types(scale, types_declared=first_declared)
    b = segmentation.with_types(scale, types_declared=second_declared)
    assert (a == b) == (hash(a) == hash(b))
    if a == b:
        for against in (changed, segmentation.reversed(), segmentation):
            assert outcome(a, against) == outcome(b, against)


def outcome(a: cz.Segmentation, b: cz.Segmentation) -> object:
    try:
        return cz.boundary_similarity(a, b, n_t=2)
    except CaesuraError as error:
        return str(error)


def test_texts_without_boundaries_are_equal_however_they_were_made():
    empty = from_masses([3])
    assert empty == from_marks(["", "", ""]) == from_sets([set(), set()])
    assert hash(empty) == hash(from_marks(["", "", ""]))


def test_arrays_of_the_caller_stay_writeable():
    positions, codes = np.array([2, 5]), np.array([1, 0])
    result = Segmentation(11, positions, codes, ("x", "y"))
    positions[0], codes[0] = 3, 0
    assert result.boundaries == ((2, "y"), (5, "x"))
    for build in (
        lambda array: from_positions(11, array),
        lambda array: from_masses(array),
        lambda array: from_bits(array % 2),
        lambda array: cz.Marks(array, 7),
    ):
        array = np.array([2, 5])
        before = build(array)
        array[0] = 1
        assert before == build(np.array([2, 5]))
    base = np.array([2, 5])
    view = base[:]
    view.flags.writeable = False
    result = Segmentation(11, view, np.empty(0, np.int64), ("boundary",))
    base[0] = 4
    assert result.positions.tolist() == [2, 5]


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.float32, np.float64])
def test_numpy_numbers_are_accepted(kind):
    assert from_masses([kind(2), kind(3), kind(6)]) == ELEVEN
    assert from_positions(11, [kind(2), kind(5)]) == ELEVEN
    if issubclass(kind, np.integer):
        assert from_positions(kind(11), [2, 5]) == ELEVEN
        assert cz.Marks([kind(1)], kind(2)) == cz.Marks([1], 2)
        assert from_marks([kind(1), ""]) == from_marks([1, ""])
