"""Dialogues under measures of boundaries: the counts of a dialogue are the sums over its streams."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import MismatchError, OptionError
from caesura.measures.base import Measure

MEASURES = [
    "B",
    "S(n_t=3)",
    "S(transposition=te, n_t=4)",
    "B(n_t=3, w_trp=0.5)",
    "boundary_confusion",
    "Pk",
    "WD(padded=True)",
    "WD(k=1)",
    "WinPR",
    "F1",
    "F1@2",
    "unit_error",
]


TYPES = st.sampled_from([None, ["weak", "strong"]])


@st.composite
def dialogues(draw: st.DrawFn, types: list[str] | None) -> tuple[cz.Dialogue, cz.Dialogue]:
    """Two annotations of a conversation of one to four speakers."""
    lengths = draw(st.lists(st.integers(2, 12), min_size=1, max_size=4))

    def text(length: int) -> cz.Segmentation:
        if types is None:
            return cz.Segmentation.from_positions(length, sorted(draw(st.sets(st.integers(1, length - 1)))))
        marks = draw(st.lists(st.sampled_from(["", "", *types]), min_size=length, max_size=length))
        return cz.Segmentation.from_marks(marks, types=types)

    a, b = ({f"speaker {i}": text(length) for i, length in enumerate(lengths)} for _ in range(2))
    return cz.Dialogue(a), cz.Dialogue(b)


@pytest.mark.parametrize("text", MEASURES)
@given(pair=TYPES.flatmap(dialogues))
def test_counts_are_sums_over_streams(text: str, pair: tuple[cz.Dialogue, cz.Dialogue]):
    measure = cz.parse(text)
    a, b = pair
    score = measure.score(a, b)
    streams = {name: measure.score(a[name], b[name]) for name in a}
    total = measure.total(list(streams.values()))
    assert dict(score.parts) == dict(total.parts)
    assert score.value == total.value
    assert dict(score.parts.figures) == dict(total.parts.figures)
    assert score.documents == 1
    if score.edits is not None:
        expected = [(name, edit) for name, part in streams.items() for edit in part.edits]
        assert [(edit.stream, edit.kind, edit.a_position, edit.b_position, edit.cost) for edit in score.edits] == [
            (name, edit.kind, edit.a_position, edit.b_position, edit.cost) for name, edit in expected
        ]


@pytest.mark.parametrize("text", MEASURES)
@given(pairs=TYPES.flatmap(lambda types: st.lists(dialogues(types), min_size=1, max_size=3)))
def test_many_dialogues_at_once(text: str, pairs: list[tuple[cz.Dialogue, cz.Dialogue]]):
    """In one batch with texts that are no dialogues, over several workers, and in pieces."""
    measure = cz.parse(text)
    single = [(a[name], b[name]) for a, b in pairs[:1] for name in list(a)[:1]]
    everything = [*pairs, *single]
    scores = cz.score_many(everything, measure)
    assert [scores[i] for i in range(len(everything))] == [measure.score(a, b) for a, b in everything]
    assert scores.total == measure.total([measure.score(a, b) for a, b in everything])
    batch, places, errors = measure.pack(everything)
    assert not errors
    assert places.tolist() == list(range(len(everything)))
    for piece in (
        batch.slice(1, len(everything)),
        batch.take(places[1:]),
        pickle.loads(pickle.dumps(batch.slice(1, 2))),
    ):
        result = measure.documents(piece)
        assert result.counts.tolist() == scores.counts[1 : 1 + len(piece)].tolist()
        for name, column in result.resolved.items():
            assert column.tolist() == scores.resolved[name][1 : 1 + len(piece)].tolist()


def two(first: list[int], second: list[int]) -> dict[str, cz.Segmentation]:
    return {"F": cz.Segmentation.from_masses(first), "G": cz.Segmentation.from_masses(second)}


def test_figures_by_hand():
    #  F  ··|···     ··|···     G  ····|·|·    ···|··|·      one match; one near miss and one match
    a, b = two([2, 3], [4, 1, 1]), two([2, 3], [3, 2, 1])
    score = cz.boundary_similarity(a, b)
    assert score.value == pytest.approx(1 - 0.5 / 3)
    expected = [("F", "match"), ("G", "transposition"), ("G", "match")]
    assert [(edit.stream, edit.kind) for edit in score.edits] == expected
    assert cz.segmentation_similarity(a, b).value == pytest.approx(1 - 0.5 / (4 + 5))  # inner positions of both streams
    crisp = cz.crisp(a, b)
    assert (crisp.precision(), crisp.recall()) == (2 / 3, 2 / 3)


def test_window_of_each_stream():
    """Every stream has a window of its own; the signature says which there are."""
    a, b = two([10, 10], [2, 2, 2]), two([9, 11], [2, 2, 2])
    score = cz.window_diff(a, b)
    assert score.params["window"] == "2..5"
    assert "|window:2..5|" in score.signature
    assert cz.window_diff(a, b, k=3).params["window"] == 3
    assert cz.score_many([(a, b)], "WD").total.params["window"] == "2..5"
    equal = two([4, 4], [4, 4])
    assert cz.pk(equal, equal).params["window"] == 2


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (two([2, 3], [2]), {"F": cz.Segmentation.from_masses([2, 3])}, "b: no stream 'G', which the other side has"),
        (two([2, 3], [2]), cz.Segmentation.from_masses([2, 3]), "b: expected a mapping from streams to segmentations"),
        (two([2, 3], [2]), two([2, 2], [2]), "stream 'F': both sides must have the same units; a has 5, b has 4"),
    ],
)
def test_dialogues_that_differ(a, b, message):
    for measure in ("B", "S"):
        with pytest.raises(MismatchError, match=message):
            cz.parse(measure).score(a, b)
    fine = two([2, 3], [4]), two([2, 3], [4])
    scores = cz.score_many([fine, (a, b), fine], "B")
    assert list(scores.errors) == [1]
    assert scores.values[[0, 2]].tolist() == [1, 1]


def test_stream_that_is_too_short_for_the_window():
    a = two([2, 3], [2, 1])
    with pytest.raises(OptionError, match=r"^stream 'G': window must lie in 1\.\.2 for a text of 3 units; got 4$"):
        cz.pk(a, a, k=4)


def test_stream_with_other_types():
    typed = cz.Segmentation.from_marks(["", "x", ""], types=["x", "y"])
    odd = cz.Segmentation.from_marks(["", "z", ""], types=["z"])
    good, bad = {"F": typed, "G": typed}, {"F": typed, "G": odd}
    scores = cz.score_many([(good, good), (bad, bad), (good, good)], "B")
    assert str(scores.errors[1]).startswith("stream 'G': both sides must declare the same types in the same order")
    assert scores.values[[0, 2]].tolist() == [1, 1]
    assert len(scores[2].edits) == 2


@pytest.mark.parametrize("name", [name for name, kind in cz.measures().items() if "dialogue" in kind.kinds])
def test_every_measure_of_dialogues_scores_one_stream_like_a_text(name):
    measure: Measure = cz.parse(name)
    a, b = (cz.Segmentation.from_masses(masses, labels="xyx") for masses in ([2, 3, 4], [3, 2, 4]))
    assert measure.score({"F": a}, {"F": b}).value == measure.score(a, b).value
