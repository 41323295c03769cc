"""Columns of documents against objects: the same batches, scores and error messages."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import CaesuraError
from caesura.evaluation.partition import Job, PartitionTask, score_partitions
from caesura.measures.columns import CheckedColumns, supports_columns
from caesura.model.batch import Batch, pair_up
from caesura.model.columns import Boundaries
from caesura.model.documents import BoundaryColumn, DocumentPairs, Documents
from support.collected import SCALE, Row, pair_of, sound
from support.compared import compared

PLAIN = [name for name, kind in cz.measures().items() if compared(kind) in ("inner", "typed", "streams")]


@st.composite
def strange(draw: st.DrawFn, typed: bool) -> Row:
    """Numbers and names that seldom make a document."""
    row: Row = {"length": draw(st.integers(-1, 6) | st.sampled_from([2**31, 2**62 - 1]))}
    for side in ("reference", "hypothesis"):
        row[side] = draw(st.lists(st.integers(-1, 7) | st.sampled_from([2**62, -(2**63)]), max_size=5))
        if typed:
            number = len(row[side]) + draw(st.sampled_from([0, 0, 0, 1, -1]))
            name = st.sampled_from([*SCALE, "", "verse"])
            row[f"{side}_types"] = draw(st.lists(name, min_size=max(number, 0), max_size=max(number, 0)))
    return row


def is_sound(row: Row, declared: bool) -> bool:
    """The definition, word for word."""
    if not 1 <= row["length"] < 2**31:
        return False
    for side in ("reference", "hypothesis"):
        positions, types = row[side], row.get(f"{side}_types")
        if types is None:
            if not all(1 <= p < row["length"] for p in positions) or sorted(set(positions)) != positions:
                return False
            continue
        cells = list(zip(positions, types, strict=False))
        if len(types) != len(positions) or not all(1 <= p <= row["length"] for p in positions):
            return False
        if sorted(positions) != positions or len(set(cells)) < len(cells):
            return False
        if not all(name in SCALE if declared else name for name in types):
            return False
    return True


def columns(rows: Sequence[Row], typed: bool, shift: int) -> Documents:
    """Rows laid end to end. What stands before and behind them, as in a part of a larger column, belongs to others."""
    names: dict[str, int] = {}

    def flatten(lists: Sequence[Sequence[int]], around: int) -> tuple[Any, Any]:
        flat = [around] * shift + [value for row in lists for value in row] + [around] * shift
        return np.array(flat, np.int64), shift + np.cumsum([0, *map(len, lists)])

    sides = []
    for side in ("reference", "hypothesis"):
        positions = flatten([row[side] for row in rows], 3)
        if typed:
            codes = [[names.setdefault(name, len(names)) for name in row[f"{side}_types"]] for row in rows]
            sides.append(BoundaryColumn(*positions, *flatten(codes, 0)))
        else:
            sides.append(BoundaryColumn(*positions))
    length = np.array([row["length"] for row in rows], np.int64)
    return Documents([f"i{d}" for d in range(len(rows))], range(1, len(rows) + 1), length, *sides, tuple(names))


def by_document(batch: Batch) -> list[Any]:
    """A batch without its offsets."""
    column = "inner" if len(batch.types) > 1 else "places"
    sides = batch.sides(column)
    documents = []
    for d in range(len(batch)):
        rows = [slice(*side.off[d : d + 2]) for side in sides]
        arrays = [array[row] for side, row in zip(sides, rows, strict=True) for array in (side.place, side.code)]
        documents.append((int(batch.length[d]), *(array.tolist() for array in arrays)))
    return documents


@dataclass
class Held:
    """A partition of one chunk."""

    chunk: Documents | DocumentPairs
    place = path = "held"

    def chunks(self) -> Iterator[Documents | DocumentPairs]:
        yield self.chunk


@st.composite
def collections(draw: st.DrawFn) -> tuple[list[Row], bool]:
    typed = draw(st.booleans())
    return draw(st.lists(sound(typed) | sound(typed) | strange(typed), min_size=1, max_size=6)), typed


@given(collections(), st.booleans(), st.sampled_from([0, 2]))
def test_columns_equal_objects(collection: tuple[list[Row], bool], declared: bool, shift: int) -> None:
    rows, typed = collection
    documents = columns(rows, typed, shift)
    right = [d for d, row in enumerate(rows) if is_sound(row, declared)]
    pairs = [pair_of(rows[d], declared) for d in right]
    for name in PLAIN:
        measure = cz.parse(name)
        if typed and compared(measure) == "typed" and not declared:
            continue  # somebody has to say the order
        types = SCALE if typed and declared else None
        if supports_columns(measure):
            checked = CheckedColumns(documents, types or tuple(sorted(documents.types)) or ("boundary",))
            assert checked.places.tolist() == right
            for d, why in checked.excluded.items():
                with pytest.raises(CaesuraError) as caught:
                    documents.pair(d, checked.types)
                assert why == str(caught.value)
            batch = checked.batch if measure.typed else checked.untyped
            expected_batch = pair_up(pairs, measure.sides)[0].over(batch.types)
            assert by_document(batch) == by_document(expected_batch)
        (piece,) = score_partitions(Job((measure,), types), [PartitionTask(0, Held(documents))])
        assert (piece.unreadable, piece.documents) == (False, len(right))
        expected = cz.score_many(pairs, measure)
        wrong = {f"i{right[place]}": str(problem) for place, problem in expected.errors.items()}
        assert {entry.item: entry.reason for entry in piece.excluded if entry.measure} == wrong
        assert {entry.item for entry in piece.excluded if not entry.measure} == {
            f"i{d}" for d in range(len(rows)) if d not in right
        }
        if len(expected.scored):
            score = piece.sums[0].score(measure)
            assert (score.value, score.parts, score.signature) == (
                expected.total.value,
                expected.total.parts,
                expected.total.signature,
            )


def broken(**given: Any) -> Row:
    return {"length": 5, "reference": [], "hypothesis": []} | given


WRONG = [
    (broken(length=0), "length: the number of units must be a whole number from 1 to 2147483647; got 0"),
    (broken(length=2**31), "length: the number of units must be a whole number from 1 to 2147483647; got 2147483648"),
    (broken(reference=[0]), "reference: positions[0]: a position must lie in 1..4 for 5 units; got 0"),
    (broken(reference=[-3]), "reference: positions[0]: a position must lie in 1..4 for 5 units; got -3"),
    (broken(hypothesis=[2, 5]), "hypothesis: positions[1]: a position must lie in 1..4 for 5 units; got 5"),
    (broken(length=1, hypothesis=[1]), "hypothesis: positions[0]: a text of one unit has no inner position; got 1"),
    (broken(reference=[3, 2]), "reference: positions[1]: positions must ascend; got 2 after 3"),
    (broken(reference=[2, 2]), "reference: positions[1]: a position may occur only once; got 2 again"),
]
WRONG_TYPES = [
    (([6], ["act"]), "reference: positions[0]: a position must lie in 1..5 for 5 units; got 6"),
    (([-3], ["act"]), "reference: positions[0]: a position must lie in 1..5 for 5 units; got -3"),
    (([3, 2], ["act", "act"]), "reference: positions[1]: positions must ascend; got 2 after 3"),
    (([2, 2], ["act", "act"]), "reference: marks[0]: a type may occur only once at a position; got ('act', 'act')"),
    (([2, 3], ["act"]), "reference: expected one type per position; got 1 for 2 positions"),
    (([2], ["act", "act"]), "reference: expected one type per position; got 2 for 1 positions"),
    (
        ([2, 3], ["act", "verse"]),
        "reference: marks[1]: type 'verse' is not declared; the declared types are 'scene', 'act', 'book'",
    ),
    (([2], [""]), "reference: marks[0]: a type must be a name that is not empty; got ''"),
]


@pytest.mark.parametrize(("row", "why"), WRONG)
def test_invalid_documents_are_described(row: Row, why: str) -> None:
    good = broken(reference=[1], hypothesis=[4])
    checked = CheckedColumns(columns([good, row, good], False, 0), ("boundary",))
    assert (checked.excluded, checked.places.tolist()) == ({1: why}, [0, 2])


@pytest.mark.parametrize(("reference", "why"), WRONG_TYPES)
def test_invalid_types_are_described(reference: tuple[list[int], list[str]], why: str) -> None:
    good = broken(reference=[5], reference_types=["act"], hypothesis=[], hypothesis_types=[])
    row = good | {"reference": reference[0], "reference_types": reference[1]}
    checked = CheckedColumns(columns([good, row, good], True, 0), SCALE)
    assert (checked.excluded, checked.places.tolist()) == ({1: why}, [0, 2])


def test_unnamed_type_is_none_if_no_types_are_declared() -> None:
    row = broken(reference=[2], reference_types=[""], hypothesis=[2], hypothesis_types=["act"])
    (piece,) = score_partitions(Job((cz.parse("pk"),), None), [PartitionTask(0, Held(columns([row], True, 0)))])
    assert [entry.reason for entry in piece.excluded] == [
        "reference: marks[0]: a type must be a name that is not empty; got ''"
    ]


@pytest.mark.parametrize("name", ["boundary_similarity", "pk", "boundary_f", "flexible_similarity"])
def test_texts_that_are_no_objects_reach_another_process(name: str) -> None:
    sides = [
        Boundaries(np.array(place), np.empty(0, np.int64), np.array([0, 2, 3])) for place in ([2, 5, 4], [2, 4, 4])
    ]
    batch = Batch.of_sides(np.array([11, 9]), *sides)
    measure = cz.parse(name)
    again = pickle.loads(pickle.dumps(batch))
    assert measure.documents(again).counts.tolist() == measure.documents(batch).counts.tolist()
