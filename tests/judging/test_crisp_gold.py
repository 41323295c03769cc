"""Crisp evaluation against a gold standard beside fuzzy evaluation against all coders."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.errors import OptionError
from caesura.judging.crisp_gold import compare_crisp_and_fuzzy
from caesura.judging.participants import Participants, collect_participants

# position  1 2 3 4 5 6 7 8
# a         . . | . . . | .
# b         . . | . . . | .
# c         . . . | . . | .
# hit       . . | . . . | .
# near      . . . | . | . .
# far       | . . . . . . .
CODERS = {"a": [3, 7], "b": [3, 7], "c": [4, 7]}
SYSTEMS = {"far": [1], "near": [4, 6], "hit": [3, 7]}


def _participants(items: int = 1) -> Participants:
    def text(positions: list[int]) -> cz.Segmentation:
        return cz.Segmentation.from_positions(9, positions)

    names = [str(i) for i in range(items)]
    corpus = cz.Corpus({name: {coder: text(at) for coder, at in CODERS.items()} for name in names})
    return collect_participants(corpus, {system: dict.fromkeys(names, text(at)) for system, at in SYSTEMS.items()})


@pytest.mark.parametrize("items", [1, 3])
def test_crisp_is_against_the_gold_and_fuzzy_against_the_marks(items: int) -> None:
    result = compare_crisp_and_fuzzy(_participants(items), "majority")
    assert [row.system for row in result.rows] == ["hit", "far", "near"] or result.rows[0].system == "hit"
    rows = {row.system: row for row in result.rows}
    assert (rows["hit"].precision, rows["hit"].recall, rows["hit"].f) == (1, 1, 1)
    assert rows["near"].f == rows["far"].f == 0  # equal under crisp evaluation
    assert rows["near"].fuzzy > rows["far"].fuzzy  # but not under fuzzy evaluation
    marks = cz.Marks([0, 0, 2, 1, 0, 0, 3, 0], 3)
    for system, positions in SYSTEMS.items():
        score = cz.fuzzy_success(marks, cz.Segmentation.from_positions(9, positions))
        row = rows[system]
        assert (row.fuzzy, row.reward, row.punishment) == pytest.approx((score.value, score.p, score.n))
        assert row.items == items
    assert result.boundaries == 2 * items
    assert result.signature.startswith("crisp_and_fuzzy|crisp:boundary_f|fuzzy:fuzzy_success|gold|method:majority|")


def test_gold_depends_on_the_method() -> None:
    rows = {row.system: row for row in compare_crisp_and_fuzzy(_participants(), "any").rows}
    assert rows["near"].recall == pytest.approx(1 / 3)  # of 3, 4 and 7
    threshold = compare_crisp_and_fuzzy(_participants(), "threshold", threshold=3)
    assert threshold.boundaries == 1


def test_bad_input() -> None:
    with pytest.raises(OptionError, match="threshold must be at most 3"):
        compare_crisp_and_fuzzy(_participants(), "threshold", threshold=4)
    text = cz.Segmentation.from_positions(4, [2])
    talk = cz.Corpus({"t": {coder: cz.Dialogue({"A": text}) for coder in "ab"}})
    with pytest.raises(OptionError, match="without streams"):
        compare_crisp_and_fuzzy(collect_participants(talk, {"s": {"t": cz.Dialogue({"A": text})}}))
    alone = cz.Corpus({"t": {"a": text}})
    with pytest.raises(OptionError, match="a gold standard needs at least two coders; got 'a'"):
        compare_crisp_and_fuzzy(collect_participants(alone, {"s": {"t": text}}))
