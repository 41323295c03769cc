"""Where a system goes wrong."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraWarning
from caesura.judging.mistakes import Mistake, TypeConfusion, find_mistakes
from caesura.judging.participants import collect_participants
from caesura.simulation import pseudo_coders, random_segmentation, shifts

B = "boundary_similarity(n_t=2)"


@pytest.fixture(autouse=True)
def _few_items():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "an interval from", CaesuraWarning)
        yield


def mistakes(corpus, systems, **options):
    return cz.judge(corpus, systems, seed=1, bounds=False, interval=None, **options).mistakes


# x  ann ··|···|···|····      bot ··|··|······|·|·     a match, an early near miss, a miss, two false alarms
X = {"ann": cz.Segmentation.from_positions(12, [2, 5, 8])}
BOT = {"x": cz.Segmentation.from_positions(12, [2, 4, 10, 11])}


def test_every_mistake_by_hand():
    found = mistakes(cz.Corpus({"x": X}), {"bot": BOT})["bot"]
    assert found.matches == 1
    assert found.mistakes == (
        Mistake("near miss", "x", "ann", 5, 4, "boundary", "boundary", None),
        Mistake("miss", "x", "ann", 8, None, "boundary", None, None),
        Mistake("false alarm", "x", "ann", None, 10, None, "boundary", None),
        Mistake("false alarm", "x", "ann", None, 11, None, "boundary", None),
    )
    assert [one.offset for one in found.mistakes] == [-1, 0, 0, 0]
    assert found.counts == {"miss": 1, "false alarm": 2, "near miss": 1, "confusion": 0}
    assert (found.early, found.late) == (1, 0)
    assert found.by_item == {"x": {"near miss": 1, "miss": 1, "false alarm": 2}}
    assert (found.density, found.coders_density) == (4 / 11, 3 / 11)
    # differences bot - ann: 0 2 8 9, -3 -1 5 6, -6 -4 2 3
    assert found.offsets == {-5: 0, -4: 1, -3: 1, -2: 0, -1: 1, 0: 1, 1: 0, 2: 2, 3: 1, 4: 0, 5: 1}
    assert found.offset == 2
    assert not found.systematic  # two boundaries are no evidence


def test_further_near_misses_with_a_wider_measure():
    found = mistakes(cz.Corpus({"x": X}), {"bot": BOT}, measures="boundary_similarity(n_t=4)")["bot"]
    assert [(one.kind, one.offset) for one in found.mistakes if one.kind == "near miss"] == [
        ("near miss", -1),
        ("near miss", 2),
    ]


def test_types_confused():
    types = ["scene", "act"]
    ann = cz.Segmentation.from_positions(9, [2, 4, 6], marks=["scene", "act", "act"], types=types)
    bot = cz.Segmentation.from_positions(9, [2, 4, 7], marks=["act", "act", "act"], types=types)
    found = mistakes(cz.Corpus({"x": {"ann": ann}}), {"bot": {"x": bot}})["bot"]
    assert found.confusions == (TypeConfusion("scene", "act", 1),)
    assert found.counts == {"miss": 0, "false alarm": 0, "near miss": 1, "confusion": 1}
    assert found.late == 1
    assert found.to_dict()["confusions"] == [{"type": "scene", "system_type": "act", "count": 1}]


def test_dialogue_names_the_stream():
    def said(*marks):
        return cz.Segmentation.from_marks(marks, types=[",", "."])

    ann = {"F": said("", ",", ""), "M": said("", ".")}
    bot = {"F": said("", ".", ""), "M": said("", "")}
    found = mistakes(cz.Corpus({"x": {"ann": ann}}), {"bot": {"x": bot}})["bot"]
    assert [(one.stream, one.kind, one.position) for one in found.mistakes] == [("F", "confusion", 2), ("M", "miss", 2)]
    assert found.confusions == (TypeConfusion(",", ".", 1),)
    assert found.density == found.coders_density == 1 / 3


def test_every_item_counts_once_in_the_densities():
    """One coder on a dense text, three on an empty one: a system like them has their density."""
    dense, empty = cz.Segmentation.from_masses([1] * 10), cz.Segmentation.from_masses([10])
    corpus = cz.Corpus({"x": {"a": dense}, "y": {"a": empty, "b": empty, "c": empty}})
    found = mistakes(corpus, {"bot": {"x": dense, "y": empty}})["bot"]
    assert found.density == found.coders_density == 0.5


def test_one_unit_has_no_density():
    one = cz.Segmentation.from_masses([1])
    found = mistakes(cz.Corpus({"x": {"a": one}}), {"bot": {"x": one}})["bot"]
    assert (found.density, found.matches, found.mistakes, found.offset) == (0, 0, (), 0)


@pytest.mark.parametrize("distance", [1, -1, 3])
def test_a_system_that_is_always_late(distance):
    people = pseudo_coders([80] * 10, [6, 8, 11], coders=3, near=0.05, miss=0.1, seed=2)
    moved = {}
    for item, one in people.of_coder("coder 1").items():
        there = one.inner[(one.inner + distance >= 1) & (one.inner + distance < 80)]
        moved[item] = shifts(cz.Segmentation.from_positions(80, there), distance)
    found = mistakes(people, {"bot": moved})["bot"]
    assert found.offset == distance
    assert found.systematic
    alone = mistakes(people.select(coders=["coder 1"]), {"bot": moved})["bot"]
    if distance == 1:
        assert alone.late == alone.counts["near miss"] > 50
        assert alone.early == 0


def test_a_random_system_is_not_called_late():
    people = pseudo_coders([80] * 10, [6, 8, 11], coders=3, near=0.05, miss=0.1, seed=2)
    rng = np.random.default_rng(1)
    systems = {
        f"r{k}": {item: random_segmentation(80, [6, 8, 11], seed=rng) for item in people.item_names} for k in range(30)
    }
    participants = collect_participants(people, systems)
    found = {name: find_mistakes(participants, name, cz.parse(B)) for name in systems}
    assert sum(one.offset != 0 for one in found.values()) > 10
    assert sum(one.systematic for one in found.values()) <= 1


def test_counts_are_those_of_single_scores():
    people = pseudo_coders([40, 30], [3, 5], coders=3, near=0.2, miss=0.3, seed=4)
    bot = {item: random_segmentation(people[item, "coder 1"].length, [3, 5], seed=7) for item in people.item_names}
    found = mistakes(people, {"bot": bot}, measures=B)["bot"]
    kinds = {"deletion": "miss", "insertion": "false alarm", "transposition": "near miss"}
    expected = dict.fromkeys((*kinds.values(), "confusion"), 0)
    matches = 0
    for item, coder in people:
        for edit in cz.boundary_similarity(people[item, coder], bot[item]).edits:
            if edit.kind == "match":
                matches += 1
            else:
                expected[kinds[edit.kind]] += 1
    assert (found.matches, found.counts) == (matches, expected)
    by_item = found.by_item
    assert sum(sum(each.values()) for each in by_item.values()) == len(found.mistakes)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(data["mistakes"]) == len(found.mistakes)
    assert {"late", "early", "offset", "offsets", "systematic", "density", "coders_density"} <= set(data)
