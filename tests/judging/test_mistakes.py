"""Mistakes of a system."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caesura as cz
from caesura.judging.mistakes import Mistake, MistakeColumns, TypeConfusion, find_mistakes
from caesura.judging.participants import collect_participants
from caesura.simulation import pseudo_coders, random_segmentation, shifts
from caesura.views.judgement import JudgeTables, judgement_view, mistake_list
from caesura.views.text_table import table_text

pytestmark = pytest.mark.filterwarnings("ignore:an interval from")

B = "boundary_similarity(n_t=2)"


def mistakes(corpus, systems, **options):
    return cz.judge(corpus, systems, seed=1, bounds=False, interval=None, **options).mistakes


# x  ann ··|···|···|····      bot ··|··|······|·|·     a match, an early near miss, a miss, two false alarms
X = {"ann": cz.Segmentation.from_positions(12, [2, 5, 8])}
BOT = {"x": cz.Segmentation.from_positions(12, [2, 4, 10, 11])}


def test_every_mistake_by_hand():
    result = mistakes(cz.Corpus({"x": X}), {"bot": BOT})["bot"]
    assert result.matches == 1
    assert result.mistakes == (
        Mistake("near miss", "x", "ann", 5, 4, "boundary", "boundary", None),
        Mistake("miss", "x", "ann", 8, None, "boundary", None, None),
        Mistake("false alarm", "x", "ann", None, 10, None, "boundary", None),
        Mistake("false alarm", "x", "ann", None, 11, None, "boundary", None),
    )
    assert [mistake.offset for mistake in result.mistakes] == [-1, 0, 0, 0]
    assert result.counts == {"miss": 1, "false alarm": 2, "near miss": 1, "confusion": 0}
    assert (result.early, result.late) == (1, 0)
    assert result.by_item == {"x": {"near miss": 1, "miss": 1, "false alarm": 2}}
    assert (result.density, result.coders_density) == (4 / 11, 3 / 11)
    # differences bot - ann: 0 2 8 9, -3 -1 5 6, -6 -4 2 3
    assert result.offsets == {-5: 0, -4: 1, -3: 1, -2: 0, -1: 1, 0: 1, 1: 0, 2: 2, 3: 1, 4: 0, 5: 1}
    assert result.offset == 2
    assert not result.systematic  # two boundaries are no evidence


def test_more_near_misses_with_a_larger_n_t():
    result = mistakes(cz.Corpus({"x": X}), {"bot": BOT}, measures="boundary_similarity(n_t=4)")["bot"]
    expected = [("near miss", -1), ("near miss", 2)]
    assert [(mistake.kind, mistake.offset) for mistake in result.mistakes if mistake.kind == "near miss"] == expected


def test_types_confused():
    types = ["scene", "act"]
    ann = cz.Segmentation.from_positions(9, [2, 4, 6], marks=["scene", "act", "act"], types=types)
    bot = cz.Segmentation.from_positions(9, [2, 4, 7], marks=["act", "act", "act"], types=types)
    result = mistakes(cz.Corpus({"x": {"ann": ann}}), {"bot": {"x": bot}})["bot"]
    assert result.confusions == (TypeConfusion("scene", "act", 1),)
    assert result.counts == {"miss": 0, "false alarm": 0, "near miss": 1, "confusion": 1}
    assert result.late == 1
    assert result.to_dict()["confusions"] == [{"type": "scene", "system_type": "act", "count": 1}]


def test_dialogue_names_the_stream():
    def utterance(*marks):
        return cz.Segmentation.from_marks(marks, types=[",", "."])

    ann = {"F": utterance("", ",", ""), "M": utterance("", ".")}
    bot = {"F": utterance("", ".", ""), "M": utterance("", "")}
    result = mistakes(cz.Corpus({"x": {"ann": ann}}), {"bot": {"x": bot}})["bot"]
    expected = [("F", "confusion", 2), ("M", "miss", 2)]
    assert [(mistake.stream, mistake.kind, mistake.position) for mistake in result.mistakes] == expected
    assert result.confusions == (TypeConfusion(",", ".", 1),)
    assert result.density == result.coders_density == 1 / 3


def test_every_item_counts_once_in_the_densities():
    """One coder has a dense text and three an empty one. A system with the same boundaries has the same density."""
    dense, empty = cz.Segmentation.from_masses([1] * 10), cz.Segmentation.from_masses([10])
    corpus = cz.Corpus({"x": {"a": dense}, "y": {"a": empty, "b": empty, "c": empty}})
    result = mistakes(corpus, {"bot": {"x": dense, "y": empty}})["bot"]
    assert result.density == result.coders_density == 0.5


def test_one_unit_has_no_density():
    text = cz.Segmentation.from_masses([1])
    result = mistakes(cz.Corpus({"x": {"a": text}}), {"bot": {"x": text}})["bot"]
    assert (result.density, result.matches, result.mistakes, result.offset) == (0, 0, (), 0)


@pytest.mark.parametrize("distance", [1, -1, 3])
def test_a_system_that_is_always_late(distance):
    people = pseudo_coders([80] * 10, [6, 8, 11], coders=3, near=0.05, miss=0.1, seed=2)
    late = {}
    for item, text in people.of_coder("coder 1").items():
        inside = text.inner[(text.inner + distance >= 1) & (text.inner + distance < 80)]
        late[item] = shifts(cz.Segmentation.from_positions(80, inside), distance)
    result = mistakes(people, {"bot": late})["bot"]
    assert result.offset == distance
    assert result.systematic
    single = mistakes(people.select(coders=["coder 1"]), {"bot": late})["bot"]
    if distance == 1:
        assert single.late == single.counts["near miss"] > 50
        assert single.early == 0


def test_a_random_system_is_not_called_late():
    people = pseudo_coders([80] * 10, [6, 8, 11], coders=3, near=0.05, miss=0.1, seed=2)
    rng = np.random.default_rng(1)
    systems = {
        f"r{k}": {item: random_segmentation(80, [6, 8, 11], seed=rng) for item in people.item_names} for k in range(30)
    }
    participants = collect_participants(people, systems)
    by_system = {name: find_mistakes(participants, name, cz.parse(B)) for name in systems}
    assert sum(mistakes.offset != 0 for mistakes in by_system.values()) > 10
    assert sum(mistakes.systematic for mistakes in by_system.values()) <= 1


def test_counts_are_those_of_single_scores():
    people = pseudo_coders([40, 30], [3, 5], coders=3, near=0.2, miss=0.3, seed=4)
    bot = {item: random_segmentation(people[item, "coder 1"].length, [3, 5], seed=7) for item in people.item_names}
    result = mistakes(people, {"bot": bot}, measures=B)["bot"]
    kinds = {"deletion": "miss", "insertion": "false alarm", "transposition": "near miss"}
    expected = dict.fromkeys((*kinds.values(), "confusion"), 0)
    matches = 0
    for item, coder in people:
        for edit in cz.boundary_similarity(people[item, coder], bot[item]).edits:
            if edit.kind == "match":
                matches += 1
            else:
                expected[kinds[edit.kind]] += 1
    assert (result.matches, result.counts) == (matches, expected)
    by_item = result.by_item
    assert sum(sum(counts.values()) for counts in by_item.values()) == len(result.mistakes)
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert len(data["mistakes"]) == len(result.mistakes)
    assert {"late", "early", "offset", "offsets", "systematic", "density", "coders_density"} <= set(data)


def test_mistakes_are_built_when_they_are_looked_at(monkeypatch):
    """Counts, and the beginning of the list on a terminal, do not build hundreds of thousands of mistakes."""
    # ann, bo  ··|·|·|·|·|·|   bot  ·····|·····|: two boundaries of three are missed, the third is a position away
    people = cz.Corpus({"x": {c: cz.Segmentation.from_positions(9000, range(2, 9000, 2)) for c in ("ann", "bo")}})
    bot = {"bot": {"x": cz.Segmentation.from_positions(9000, range(5, 9000, 6))}}
    judgement = cz.judge(people, bot, bounds=False, interval=None, measures=B)
    built = []
    build = MistakeColumns.mistake
    monkeypatch.setattr(MistakeColumns, "mistake", lambda self, number: built.append(number) or build(self, number))
    result = judgement.mistakes["bot"]
    assert result.counts == {"miss": 5998, "false alarm": 0, "near miss": 3000, "confusion": 0}
    assert result.by_item == {"x": {kind: count for kind, count in result.counts.items() if count}}
    assert result.late + result.early == 3000
    assert len(result.mistakes) == 8998
    assert not built
    *_, table = judgement_view(judgement, JudgeTables(list_errors=True)).blocks()
    assert built == list(range(1000))
    lines = table_text(table, 100).splitlines()
    complete = mistake_list(judgement.mistakes.values())
    assert len(complete.rows) == 8998
    assert lines == table_text(complete, 100).splitlines()
    assert lines[-1].startswith("and 7,998 more; ")
