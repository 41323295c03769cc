"""What every annotation has: an axis, a shape, a header, the semantics of a value, and the conversion to another axis."""

from __future__ import annotations

import pickle
from copy import copy, deepcopy
from struct import unpack_from

import numpy as np
import pytest

from caesura import BoundaryScores, Corpus, Dialogue, Hierarchy, Marks, Segmentation, Spans, Tier, Tree
from caesura.errors import MismatchError
from caesura.model.annotation import IN_SECONDS, SHAPE_BIT, TICKS, Annotation, Axis, Shape
from caesura.model.common_units import common_axis

TREE = "(S (DT the) (NN man))"
ANNOTATIONS = [
    (Segmentation.from_masses([2, 3]), Shape.MARKS, (0, 5), False),
    (Segmentation.from_labels("aab"), Shape.PARTITION, (0, 3), False),
    (Tier([(1, 2, "A")], end=3), Shape.PARTITION, (0, 3), True),
    (Tier(points=[(1, "")], end=3), Shape.MARKS, (0, 3), True),
    (Hierarchy(4, [(1, 4), (1, 2)]), Shape.NESTED, (0, 4), False),
    (Hierarchy.from_times([(0, 4.5, 1), (0, 2, 2)]), Shape.NESTED, (0, 4.5), True),
    (Hierarchy(4, [(1, 3, 1), (2, 4, 2)], nested=False), Shape.LAYERED, (0, 4), False),
    (Spans([(0, 3), (2, 5)], length=9), Shape.FREE, (0, 9), False),
    (Spans([(0.5, 3)], seconds=True), Shape.FREE, (0.5, 3), True),
    (Tree.from_brackets(TREE), Shape.NESTED, (0, 2), False),
    (Marks([0, 2], 3), Shape.MARKS, (0, 3), False),
    (BoundaryScores([0.5], [1.5]), Shape.MARKS, (0, 1.5), True),
]


@pytest.mark.parametrize(
    ("annotation", "shape", "extent", "seconds"), ANNOTATIONS, ids=lambda value: type(value).__name__
)
def test_axis_shape_and_header(
    annotation: Annotation, shape: Shape, extent: tuple[float, float], seconds: bool
) -> None:
    axis = annotation.axis
    assert (annotation.shape, axis.extent, axis.seconds) == (shape, extent, seconds)
    begin, end, traits, _ = unpack_from("=qqqq", annotation.packed)
    scale = TICKS if seconds else 1
    assert (begin, end) == (extent[0] * scale, extent[1] * scale)
    assert (traits >> SHAPE_BIT, bool(traits & IN_SECONDS)) == (shape, seconds)


UNITS = ["a", "b", "c", "d", "e"]
VALUES = [
    *(annotation for annotation, *_ in ANNOTATIONS),
    Segmentation.from_masses([1]),
    Segmentation.from_masses([2, 3], units=UNITS),
    Segmentation.from_marks(["", ",", "", "", "."]),
    Segmentation.from_marks(["", ",", "", "", "."], types=[",", "."]),
    Segmentation.from_sets([{"x"}, {"x", "y"}, set(), set()], types=["x", "y"]),
    Tier([(1, 2, "A")], end=3, words=[(1, 3, "w")]),
    Hierarchy(4, [(1, 4), (1, 2)], edges=[0, 1, 2.5, 3, 4], extent=14),
    Hierarchy(4, [(1, 4), (1, 2)], units="abcd"),
    Spans([(0, 3), (2, 5)], text="abcdefghi"),
    Spans([(0, 3, "A"), (0, 3, "A")]),
    Tree.from_brackets(TREE, [(0, 1), (1, 2.5)]),
    Marks([0, 1, 0, 1], 1, units=UNITS),
    Dialogue({"F": Segmentation.from_masses([2, 3])}),
    Dialogue({"F": Tier([(1, 2, "A")], end=3), "M": Tier(end=3)}),
    Corpus({"x": {"ann": Segmentation.from_masses([2, 3])}}),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_can_be_copied_but_not_changed(value: Annotation) -> None:
    pickled = (pickle.loads(pickle.dumps(value, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1))
    slots = type(value).__slots__
    for again in (*pickled, copy(value), deepcopy(value)):
        assert again == value
        assert hash(again) == hash(value)
        assert repr(again) == repr(value)
        assert [str(getattr(again, name)) for name in slots] == [str(getattr(value, name)) for name in slots]
    assert value != "text"
    for name in (*slots, "new"):
        with pytest.raises(
            AttributeError, match=f"^{type(value).__name__} objects are immutable; cannot set '{name}'$"
        ):
            setattr(value, name, 5)
        with pytest.raises(AttributeError, match=f"cannot delete '{name}'$"):
            delattr(value, name)


def test_values_with_different_content_differ() -> None:
    assert len({*VALUES}) == len(VALUES)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_arrays_cannot_change_a_value(value: Annotation) -> None:
    """An array is read-only, or a copy."""
    names = {"inner", "positions", "codes", "boundary_positions", "counts", "spans", "places", *type(value).__slots__}
    for name in names:
        array = getattr(value, name, None)
        if not isinstance(array, np.ndarray) or not array.size:
            continue
        before = array.tolist()
        if array.flags.writeable:
            array.flat[0] += 1
        else:
            with pytest.raises(ValueError, match="read-only"):
                array.flat[0] = 99
        assert getattr(value, name).tolist() == before, name


def test_shapes_include_the_ones_before() -> None:
    assert sorted(Shape) == [Shape.MARKS, Shape.PARTITION, Shape.NESTED, Shape.LAYERED, Shape.FREE]


def test_axis_equals_its_word() -> None:
    axis = Spans([(0, 3, "A")], length=5, text="abcde").axis
    assert (axis, axis.extent, axis.tokens, axis.known) == ("units", (0, 5), "abcde", True)
    for again in (copy(axis), pickle.loads(pickle.dumps(axis))):
        assert (again, again.extent, again.tokens) == (axis, axis.extent, axis.tokens)


# ref    |--A--|  |--B--|      on 0-4:  |--A--|  |--B-|
#        0     2  3     5               0     2  3    4
def test_cut_to_another_extent() -> None:
    seconds = Axis(0, 4, True)
    assert Tier([(0, 2, "A"), (3, 5, "B")], end=6).on(seconds) == Tier([(0, 2, "A"), (3, 4, "B")], end=4)
    assert Tier(points=[(1, "a"), (5, "b")], end=6).on(seconds) == Tier(points=[(1, "a")], end=4)
    marked = Spans([(0, 2, "A"), (3, 5, "B"), (5, 6)], seconds=True)
    assert marked.on(seconds) == Spans([(0, 2, "A"), (3, 4, "B")], seconds=True, bounds=(0, 4))
    timed = Hierarchy.from_times([(0, 6, 1), (0, 2, 2), (5, 6, 2)]).on(seconds)
    assert (timed.edges, len(timed)) == ((0, 2, 4), 2)
    units = Axis(0, 4)
    assert Segmentation.from_positions(6, [1, 3, 5]).on(units) == Segmentation.from_positions(4, [1, 3])
    assert Segmentation.from_positions(3, [1]).on(units) == Segmentation.from_positions(4, [1])
    assert Hierarchy(6, [(1, 6), (3, 5), (6, 6)]).on(units).flat == {(1, 4), (3, 4)}


def test_same_axis_is_no_conversion() -> None:
    for annotation, *_ in ANNOTATIONS:
        assert annotation.on(annotation.axis) is annotation


# words      |good|night|  |moon|
#            0   .4    .9 1.2  1.6
def test_seconds_on_words() -> None:
    words = [(0, 0.4, "good"), (0.4, 0.9, "night"), (1.2, 1.6, "moon")]
    tier = Tier([(0, 1.0, "phrase"), (1.2, 1.6, "call")], words=words)
    axis = common_axis({"ann": tier}, "words")["ann"]
    assert tier.on(axis).boundaries == ((2, "phrase"), (3, "call"))
    assert Hierarchy.from_times([(0, 1.6, 1), (0, 0.5, 2), (1, 1.6, 2)]).on(axis).flat == {(1, 3), (1, 1), (3, 3)}


def test_units_without_times_are_no_seconds() -> None:
    with pytest.raises(MismatchError, match="times of the units are not known"):
        Segmentation.from_masses([2, 3]).on(Axis(0, 4, True))
    with pytest.raises(MismatchError, match="Tree cannot have a different extent"):
        Tree.from_brackets(TREE).on(Axis(0, 4))
