"""Two segmentations are counted without a batch; the kernel is the same, and so is every bit of the score."""

from __future__ import annotations

import pickle
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraError
from caesura.kernels import boundary, gather, segments, window
from caesura.measures.base import Measure
from caesura.measures.batch import Batch, gather_plain, pack
from support.compared import compared
from support.strategies import Pair, pairs, typed_pairs
from support.variants import VARIANTS

DIRECT = [measure for measure in VARIANTS if type(measure).count_pair is not Measure.count_pair]
MORE = [
    "pk(window=1)",
    "pk(width='units')",
    "window_diff(window=3, padded=True)",
    "window_diff(padding='segeval', padded=True)",
    "pk(minimum=0, mean='positions', rounding='half_even')",
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
MEASURES = [*DIRECT, *map(cz.parse, MORE)]


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


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_long_pairs_have_the_scores_of_a_batch(measure: Measure) -> None:
    long = [long_pair(seed, density=density) for seed, density in enumerate((0.05, 0.2, 0.6, 0.0))]
    scores = cz.score_many(long, measure)
    for place, (a, b) in enumerate(long):
        assert outcome(lambda a=a, b=b: measure.score(a, b)) == outcome(lambda place=place: scores[place])  # type: ignore[misc]


@pytest.mark.parametrize("name", ["boundary_similarity", "segmentation_similarity", "pk", "window_diff", "boundary_f"])
def test_the_measures_that_are_called_in_loops_need_no_batch(name: str) -> None:
    a, b = long_pair(1)
    assert cz.parse(name).count_pair(a, b) is not None


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


@st.composite
def lists_of_pairs(draw: st.DrawFn) -> list[tuple[cz.Segmentation, cz.Segmentation]]:
    plain = draw(st.lists(pairs(max_units=12), max_size=5))
    texts = [pair.segmentations for pair in plain]
    if draw(st.booleans()):
        texts += [pair.segmentations for pair in draw(st.lists(typed_pairs(max_units=6), max_size=2))]
    if draw(st.booleans()):
        units = [f"u{i}" for i in range(4)]
        other = list(units) if draw(st.booleans()) else None
        a, b = cz.Segmentation.from_bits("010", units=units), cz.Segmentation.from_bits("011", units=other)
        texts.append((a, b))
    if draw(st.booleans()):
        texts.append((cz.Segmentation.from_bits("01"), cz.Segmentation.from_bits("010")))
    return draw(st.permutations(texts))


@given(texts=lists_of_pairs())
def test_gathered_arrays_are_those_of_the_pairs_joined_in_python(texts: list) -> None:
    for view in ("inner", "typed"):
        batch = gather_plain(texts, view)
        if batch is None:
            assert any(
                a.length != b.length
                or (a.units and b.units)
                or (view == "typed" and {a.types, b.types} != {("boundary",)})
                for a, b in texts
            )
            continue
        joined, places, errors = pack(texts, view, ("a", "b"))
        assert not errors
        assert places.tolist() == list(range(len(texts)))
        assert batch.types == joined.types
        for name in ("length", "a_pos", "a_code", "a_off", "b_pos", "b_code", "b_off"):
            array, expected = getattr(batch, name), getattr(joined, name)
            assert array.dtype == expected.dtype
            assert array.tolist() == expected.tolist()


def arrays_of(batch: Batch) -> list[list]:
    return [
        getattr(batch, name).tolist() for name in ("length", "a_pos", "a_code", "a_off", "b_pos", "b_code", "b_off")
    ]


@pytest.mark.parametrize("measure", [*MEASURES, cz.parse("win_pr")], ids=repr)
@given(plain=st.lists(pairs(max_units=40), min_size=2, max_size=6))
@settings(max_examples=20)
def test_positions_are_counted_where_they_are_or_from_a_copy(measure: Measure, plain: list[Pair]) -> None:
    texts = [pair.segmentations for pair in plain]
    batch, *_ = measure.pack(texts)
    copied = (
        pack(texts, compared(measure), measure.sides)[0] if type(batch) is Batch and len(batch) == len(texts) else batch
    )
    counts, expected = measure.count(batch), measure.count(copied)
    assert counts.counts.tobytes() == expected.counts.tobytes()
    assert {name: column.tolist() for name, column in counts.resolved.items()} == {
        name: column.tolist() for name, column in expected.resolved.items()
    }


def test_positions_are_copied_when_they_are_needed() -> None:
    texts = [long_pair(seed, units=60) for seed in range(4)]
    batch = cz.score_many(texts, "boundary_similarity").batch
    assert batch.packed == ([a.packed for a, _ in texts], [b.packed for _, b in texts])
    copied, *_ = pack(texts, "typed", ("a", "b"))
    assert arrays_of(pickle.loads(pickle.dumps(batch.slice(1, 3)))) == arrays_of(copied.take(np.array([1, 2])))
    assert arrays_of(batch.slice(1, 1)) == arrays_of(copied.take(np.array([], np.int64)))
    assert batch.packed is not None
    assert arrays_of(batch.take(np.array([3, 0]))) == arrays_of(copied.take(np.array([3, 0])))
    assert batch.packed is not None  # the documents that were taken have been copied, not these
    assert arrays_of(batch) == arrays_of(copied)
    assert batch.packed is None
    assert arrays_of(batch.slice(1, 3))[1] == copied.a_pos.tolist()
    with pytest.raises(AttributeError, match="positions"):
        batch.positions  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    "pair", [(1, 2), ([0, 1], [0, 1]), "ab", (np.zeros(3), np.zeros(3)), None, ({}, {}), ()], ids=repr
)
def test_other_objects_are_not_gathered(pair: object) -> None:
    plain = cz.Segmentation.from_bits("010")
    assert gather_plain([(plain, plain), pair], "inner") is None
    with pytest.raises(CaesuraError):
        raise cz.score_many([(plain, plain), pair], "pk").errors[1]  # type: ignore[list-item]


def test_kernels_refuse_what_is_not_bytes() -> None:
    gains = cz.parse("boundary_similarity").gains(("boundary",))  # type: ignore[attr-defined]
    rule = cz.parse("pk").rule  # type: ignore[attr-defined]
    packed = cz.Segmentation.from_bits("010").packed
    columns = np.empty((1, 6)), np.empty(1, np.int64), np.empty(1, np.uint8)
    for call in (
        lambda: gather.survey([1], [2]),  # type: ignore[list-item]
        lambda: gather.gather([1], np.array([0, 1])),  # type: ignore[list-item]
        lambda: boundary.count_packed([packed, 1], [packed, 1], gains, np.empty((2, 6))),  # type: ignore[list-item]
        lambda: window.sweep_packed([packed], [1], rule, *columns),  # type: ignore[list-item]
        lambda: boundary.count_pair("a", "b", gains),  # type: ignore[arg-type]
        lambda: window.sweep_pair(None, None, rule),  # type: ignore[arg-type]
        lambda: segments.count_within_pair([], [], 1),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError):
            call()
