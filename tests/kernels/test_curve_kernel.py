"""The kernel of boundary curves against a full maximum matching per threshold."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura.kernels import curve as kernel
from oracle.curve import kuhn, peaks
from support.examples import examples


def gains(reference, marks, order, tolerance):
    out = np.zeros(len(order), np.uint8)
    kernel.add_marks(
        np.array(reference, float),
        np.array([0, len(reference)]),
        np.array(marks, float),
        np.array([0, len(marks)]),
        np.array(order, np.int64),
        np.array([tolerance], float),
        out,
    )
    return out.cumsum().tolist()


def sizes(reference, marks, order, tolerance):
    """The sizes of maximum matchings of the first mark, the first two marks, ..."""
    return [kuhn(reference, sorted(marks[i] for i in order[: k + 1]), tolerance) for k in range(len(order))]


def test_every_order_of_every_small_set_of_marks():
    places = range(1, 7)
    for bits in product((0, 1), repeat=6):
        reference = [place for place, bit in zip(places, bits, strict=True) if bit]
        for order in permutations(range(4)):
            for tolerance in (0, 1, 2):
                for marks in ([1, 2, 3, 4], [1, 3, 4, 6]):
                    assert gains(reference, marks, order, tolerance) == sizes(reference, marks, order, tolerance)


@examples(400)
@given(
    st.sets(st.integers(1, 40), max_size=14),
    st.permutations(range(1, 25)),
    st.sampled_from([0, 1, 2, 3, 5, 9, 30]),
    st.integers(1, 3),
)
def test_any_order_of_marks_on_a_line(reference, order, tolerance, step):
    reference = sorted(reference)
    marks = [step * (i + 1) for i in range(len(order))]
    ranks = [i - 1 for i in order]
    assert gains(reference, marks, ranks, tolerance) == sizes(reference, marks, ranks, tolerance)


@given(
    st.lists(
        st.tuples(st.sets(st.floats(0, 20), max_size=6), st.sets(st.floats(0, 20), max_size=8), st.floats(0, 5)),
        max_size=4,
    )
)
def test_documents_do_not_touch_each_other(documents):
    references, marks = ([sorted(document[i]) for document in documents] for i in (0, 1))
    r_off, h_off = (np.cumsum([0, *map(len, sides)]) for sides in (references, marks))
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in pairwise(h_off)] or [[]])
    gain = np.zeros(len(order), np.uint8)
    kernel.add_marks(
        np.array([x for side in references for x in side], float),
        r_off,
        np.array([x for side in marks for x in side], float),
        h_off,
        order.astype(np.int64),
        np.array([document[2] for document in documents], float),
        gain,
    )
    for d, (_, _, tolerance) in enumerate(documents):
        expected = sizes(references[d], marks[d], range(len(marks[d]))[::-1], tolerance)
        assert gain[h_off[d] : h_off[d + 1]].cumsum().tolist() == expected


@given(st.dictionaries(st.integers(0, 30), st.integers(0, 4), max_size=20), st.integers(0, 7))
def test_peaks(scores, distance):
    places = sorted(scores)
    order = np.array(sorted(range(len(places)), key=lambda i: (-scores[places[i]], i)), np.int64)
    kernel.keep_peaks(np.array(places, float), np.array([0, len(places)]), order, np.array([distance], float))
    assert {places[i] for i in order.tolist() if i >= 0} == set(peaks(scores, distance))
