"""Two annotations that certainly can be compared skip the checks of a batch; every bit of the score is the same."""

from __future__ import annotations

import pickle
import struct

import numpy as np
import pytest
from hypothesis import given, settings

import caesura as cz
from caesura.errors import CaesuraError
from caesura.kernels import gather
from caesura.measures.base import Measure
from support.strategies import Pair, pairs, typed_pairs
from support.variants import VARIANTS

MORE = [
    "pk(window=1)",
    "pk(compat=fournier2012)",
    "window_diff(window=3, padded=True)",
    "window_diff(compat='segeval-2.0.11', padded=True)",
    "pk(compat=nltk)",
    "boundary_similarity(n_t=9)",
    "boundary_similarity(n_t=3, wt=0.3)",
    "boundary_similarity(n_t=3, w_trp=0)",
    "segmentation_similarity(n_t=5, transposition='te')",
    "segmentation_similarity(n_t=3, alignment='greedy')",
    "boundary_f(tolerance=1, strict=True)",
    "boundary_f(tolerance=0, strict=True)",
    "boundary_f(tolerance=2.5, ends='both')",
    "boundary_f(tolerance='20%')",
    "boundary_f(average='items')",
]
MEASURES = [*VARIANTS, *map(cz.parse, MORE)]


def outcome(compute: object) -> tuple:
    """Everything that a score says, with the types of its numbers; or the error."""
    try:
        score = compute()  # type: ignore[operator]
    except CaesuraError as error:
        return type(error), str(error)
    numbers = [(name, type(number), number) for name, number in score.parts.items()]
    facts = (score.value.hex(), numbers, dict(score.params), score.types, score.documents, score.figures)
    return (*facts, score.signature, score.edits, type(score), repr(score))


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@given(pair=pairs(max_units=40))
@settings(max_examples=60)
def test_a_pair_has_the_score_of_a_batch(measure: Measure, pair: Pair) -> None:
    a, b = pair.segmentations
    assert outcome(lambda: measure.score(a, b)) == outcome(lambda: cz.score_many([(a, b)], measure)[0])


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@given(pair=typed_pairs())
@settings(max_examples=20)
def test_a_pair_with_types_has_the_score_of_a_batch(measure: Measure, pair: Pair) -> None:
    a, b = pair.segmentations
    assert outcome(lambda: measure.score(a, b)) == outcome(lambda: cz.score_many([(a, b)], measure)[0])


def long_pair(seed: int, units: int = 1000, density: float = 0.05) -> tuple[cz.Segmentation, cz.Segmentation]:
    rng = np.random.default_rng(seed)
    sides = [np.flatnonzero(rng.random(units - 1) < density) + 1 for _ in range(2)]
    return cz.Segmentation.from_positions(units, sides[0]), cz.Segmentation.from_positions(units, sides[1])


@pytest.mark.parametrize("measure", [entry for entry in MEASURES if entry.fixed_types], ids=repr)
def test_long_pairs_have_the_scores_of_a_batch(measure: Measure) -> None:
    long = [long_pair(seed, density=density) for seed, density in enumerate((0.05, 0.2, 0.6, 0.0))]
    scores = cz.score_many(long, measure)
    for place, (a, b) in enumerate(long):
        assert outcome(lambda a=a, b=b: measure.score(a, b)) == outcome(lambda place=place: scores[place])  # type: ignore[misc]


def test_a_window_that_is_too_long_has_the_error_of_the_batch() -> None:
    a, b = (cz.Segmentation.from_masses(masses) for masses in ([2, 3], [1, 4]))
    measure = cz.parse("pk(window=5)")
    assert outcome(lambda: measure.score(a, b)) == outcome(lambda: cz.score_many([(a, b)], measure)[0])
    assert "window must lie in 1..4" in outcome(lambda: measure.score(a, b))[1]


def test_a_score_of_a_pair_survives_pickling_with_its_edits() -> None:
    a, b = (cz.Segmentation.from_masses(masses) for masses in ([2, 3, 6], [2, 2, 7]))
    score = cz.boundary_similarity(a, b)
    again = pickle.loads(pickle.dumps(score))
    assert again == score
    assert again.edits == score.edits
    assert [edit.kind for edit in again.edits] == ["match", "transposition"]


def test_packed_is_the_length_two_bits_and_the_inner_positions() -> None:
    plain = cz.Segmentation.from_masses([2, 3, 6])
    assert struct.unpack("6q", plain.packed) == (0, 11, 1, 2, 2, 5)
    with_units = cz.Segmentation.from_masses([1, 2], units="abc")
    assert struct.unpack("5q", with_units.packed) == (0, 3, 3, 1, 1)
    marked = cz.Segmentation.from_marks(["", ",", "", "."], types=[",", "."])
    assert struct.unpack("5q", marked.packed) == (0, 4, 0, 1, 2)  # the mark at the end of the text is no inner position
    assert struct.unpack("5q", marked.with_types([",", ".", ";"]).packed) == (0, 4, 0, 1, 2)
    sets = cz.Segmentation.from_sets([{"a", "b"}, set(), {"a"}], ["a", "b"])
    assert struct.unpack("6q", sets.packed) == (0, 4, 0, 2, 1, 3)


@pytest.mark.parametrize(
    "text", ["from_masses([2, 3, 6])", "from_sets([{'a', 'b'}, set()], ['a', 'b'])", "from_bits('')"]
)
def test_packed_follows_from_the_other_fields(text: str) -> None:
    segmentation = eval(f"cz.Segmentation.{text}")
    again = pickle.loads(pickle.dumps(segmentation))
    expected = (segmentation, segmentation.packed, segmentation.inner.tolist())
    assert (again, again.packed, again.inner.tolist()) == expected
    assert not again.inner.flags.writeable
    assert not again.boundary_positions.flags.writeable


@pytest.mark.parametrize(
    "pair", [(1, 2), ([0, 1], [0, 1]), "ab", (np.zeros(3), np.zeros(3)), None, ({}, {}), ()], ids=repr
)
def test_what_is_no_pair_of_annotations_costs_only_itself(pair: object) -> None:
    plain = cz.Segmentation.from_bits("010")
    scores = cz.score_many([(plain, plain), pair], "pk")  # type: ignore[list-item]
    assert scores.values[0] == 0
    with pytest.raises(CaesuraError):
        raise scores.errors[1]


def test_kernels_refuse_what_is_not_bytes() -> None:
    for call in (
        lambda: gather.read_headers([1]),  # type: ignore[list-item]
        lambda: gather.gather([1], np.array([0, 1])),  # type: ignore[list-item]
        lambda: gather.gather_codes([1], np.array([0, 1])),  # type: ignore[list-item]
    ):
        with pytest.raises(TypeError):
            call()
