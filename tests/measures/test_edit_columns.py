"""Edits of many documents as columns are those that are listed one document at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.measures.edit_columns import EDIT_KINDS
from caesura.measures.many import score_many
from support.examples import examples

TYPES = ["x", "y", "z"]
SETS = st.sets(st.sampled_from(TYPES), max_size=2)


@st.composite
def pairs(draw: st.DrawFn) -> list[tuple[cz.Segmentation, cz.Segmentation]]:
    """Return pairs of texts of up to 12 units, all with sets of types or all with one type."""
    typed = draw(st.booleans())
    result = []
    for _ in range(draw(st.integers(1, 4))):
        inner = draw(st.integers(0, 11))
        if typed:
            sides = [draw(st.lists(SETS, min_size=inner, max_size=inner)) for _ in range(2)]
            result.append(tuple(cz.Segmentation.from_sets(side, types=TYPES) for side in sides))
        else:
            bits = [draw(st.text("01", min_size=inner, max_size=inner)) for _ in range(2)]
            result.append(tuple(cz.Segmentation.from_bits(side) for side in bits))
    return result


@pytest.mark.parametrize(
    "measure", ["boundary_similarity(n_t=2)", "boundary_similarity(n_t=5, wt=0.1)", "segmentation_similarity(n_t=3)"]
)
@given(pairs())
@examples(60)
def test_columns_are_the_listed_edits(measure: str, texts: list[tuple[cz.Segmentation, cz.Segmentation]]) -> None:
    scores = score_many(texts, measure)
    columns = scores.measure.edit_columns(scores.batch)
    assert columns is not None
    listed = [(d, edit) for d in range(len(texts)) for edit in scores[d].edits or ()]
    assert columns.document.tolist() == [d for d, _ in listed]
    assert [EDIT_KINDS[kind] for kind in columns.kind.tolist()] == [edit.kind for _, edit in listed]
    for side in ("a", "b"):
        positions = [getattr(edit, f"{side}_position") for _, edit in listed]
        assert getattr(columns, f"{side}_position").tolist() == [-1 if at is None else at for at in positions]
        types = [getattr(edit, f"{side}_type") for _, edit in listed]
        codes = [-1 if name is None else columns.types.index(name) for name in types]
        assert getattr(columns, f"{side}_type").tolist() == codes
    assert columns.cost.tolist() == [edit.cost for _, edit in listed]
    assert columns.position.tolist() == [edit.position for _, edit in listed]
    different = [sum(edit.kind != "match" for d, edit in listed if d == number) for number in range(len(texts))]
    assert columns.disagreements.tolist() == different
    assert columns.by_document() == [tuple(edit for d, edit in listed if d == number) for number in range(len(texts))]


@st.composite
def dialogues(draw: st.DrawFn) -> list[tuple[object, object]]:
    """Return pairs of dialogues with one to three streams, and of texts."""
    pairs: list[tuple[object, object]] = []
    for _ in range(draw(st.integers(1, 4))):
        names = draw(st.lists(st.sampled_from("ABCD"), unique=True, max_size=3))
        lengths = [draw(st.integers(1, 9)) for _ in names or "x"]
        marks = [[draw(st.lists(st.sampled_from(["", *TYPES]), min_size=n, max_size=n)) for n in lengths] for _ in "ab"]
        sides = [[cz.Segmentation.from_marks(stream, types=TYPES) for stream in side] for side in marks]
        a, b = (dict(zip(names, side, strict=True)) if names else side[0] for side in sides)
        pairs.append((a, b))
    return pairs


@pytest.mark.parametrize(
    "measure",
    [
        "flexible_similarity",
        "flexible_similarity(transposition=0.3)",
        "flexible_similarity(algorithm='pardist')",
        "flexible_similarity(similarity={('x', 'y'): 0.25})",
        "boundary_similarity(n_t=3)",
    ],
)
@given(dialogues())
@examples(60)
def test_columns_of_dialogues_are_the_listed_edits(measure: str, texts: list[tuple[object, object]]) -> None:
    scores = score_many(texts, measure)  # type: ignore[arg-type]
    columns = scores.measure.edit_columns(scores.batch)
    assert columns is not None
    assert (columns.stream is None) == all(isinstance(a, cz.Segmentation) for a, _ in texts)
    streams = [0] * len(columns) if columns.stream is None else columns.stream.tolist()
    entries = zip(columns.document, columns.kind, columns.a_position, columns.b_position, strict=True)
    types = zip(columns.a_type.tolist(), columns.b_type.tolist(), columns.cost.tolist(), streams, strict=True)
    names = (*columns.types, None)  # -1 is none
    actual = [
        (d, EDIT_KINDS[kind], a, b, names[x], names[y], cost, columns.streams[stream])
        for (d, kind, a, b), (x, y, cost, stream) in zip(entries, types, strict=True)
    ]
    assert actual == [
        (
            d,
            edit.kind,
            -1 if edit.a_position is None else edit.a_position,
            -1 if edit.b_position is None else edit.b_position,
            edit.a_type,
            edit.b_type,
            edit.cost,
            edit.stream,
        )
        for d in range(len(texts))
        for edit in scores[d].edits or ()
    ]
