"""The sentences and the main table of ``caesura judge``, from results with known properties."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraWarning
from caesura.model.result import Excluded
from caesura.simulation import misses, pseudo_coders, random_segmentation
from caesura.views.answers.files import excluded_lines
from caesura.views.answers.systems import judgement_answer
from caesura.views.judgement import systems_table

B = "boundary_similarity"


@pytest.fixture(scope="module")
def people():
    return pseudo_coders([60] * 8, [4, 6, 9], coders=4, near=0.1, miss=0.1, seed=1)


@pytest.fixture(scope="module")
def systems(people):
    rng = np.random.default_rng(1)
    good = people.of_coder("coder 4")
    return {
        "good": good,
        "fair": {item: misses(text, 0.4, seed=rng) for item, text in good.items()},
        "poor": {item: random_segmentation(text.length, [4, 6, 9], seed=rng) for item, text in good.items()},
    }


def judged(people, systems, measures=B, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        coders = ["coder 1", "coder 2", "coder 3"]
        return cz.judge(people.select(coders=coders), systems, measures=measures, replicates=200, bounds=9, **options)


def with_p(judgement, p, borderline=()):
    """Return the judgement with this p-value for every pair."""
    changed = [
        replace(entry, pairs=tuple(replace(pair, randomisation=p, borderline=borderline) for pair in entry.pairs))
        for entry in judgement.comparisons
    ]
    return replace(judgement, comparisons=tuple(changed))


def figures(judgement, *names):
    return [f"{judgement.row(name, judgement.rows[0].measure).value:.2f}"[1:] for name in names]


def test_two_systems_that_differ(people, systems):
    judgement = judged(people, {name: systems[name] for name in ("poor", "good")})
    good, poor, human = figures(judgement, "good", "poor", "human")
    text = judgement_answer(judgement)
    assert text.startswith(f"good (B {good}) is better than poor ({poor}), p = .008 over 8 items, and ")
    assert f"people ({human}). 8 items are few: the interval is [" in text


def test_a_lead_that_may_be_chance(people, systems):
    judgement = with_p(judged(people, {name: systems[name] for name in ("fair", "good")}), 0.31)
    good, fair = figures(judgement, "good", "fair")
    expected = f"good (B {good}) is ahead of fair ({fair}), but that may be chance (p = .31 over 8 items)"
    assert expected in judgement_answer(judgement)


def test_a_borderline_p_value(people, systems):
    judgement = judged(people, {name: systems[name] for name in ("fair", "good")})
    text = judgement_answer(with_p(judgement, 0.0492, ("randomisation",)))
    assert f"is better than fair ({figures(judgement, 'fair')[0]}), p = .049 over 8 items, borderline" in text
    message = "borderline, another --seed may change the letters: fair - good"
    assert message in " ".join(systems_table(with_p(judgement, 0.0492, ("randomisation",))).notes)


def test_equal_systems(people, systems):
    judgement = judged(people, {"one": systems["good"], "two": systems["good"]})
    (value,) = figures(judgement, "one")
    assert judgement_answer(judgement).startswith(f"one (B {value}) and two ({value}) are equal over 8 items, and ")


def test_several_systems(people, systems):
    judgement = judged(people, systems)
    good, fair, poor = figures(judgement, "good", "fair", "poor")
    text = judgement_answer(judgement)
    assert text.startswith(f"good (B {good}) is best of 3 systems: better than fair ({fair}) and poor ({poor})")
    assert "(largest p = ." in text
    many = {f"copy {i}": systems["good"] for i in range(6)}
    assert "its lead over 5 others may be chance (smallest p = 1.00)" in judgement_answer(judged(people, many))


def test_one_system_and_no_better_than_chance(people, systems):
    text = judgement_answer(judged(people, {"poor": systems["poor"]}))
    assert text.startswith("poor has B .")
    assert "worse than people (." in text
    assert "It is not clearly better than random segments (" in text


def test_an_error_rate(people, systems):
    text = judgement_answer(judged(people, {name: systems[name] for name in ("poor", "good")}, "window_diff"))
    assert text.startswith("good (WD .")
    assert ", an error rate) is better than poor (" in text


def test_one_coder_has_no_human_bound(people, systems):
    judgement = cz.judge(
        people.select(coders=["coder 1"]), {"good": systems["good"]}, measures=B, interval=None, bounds=5
    )
    assert "people" not in judgement_answer(judgement)
    assert "(human) is undefined: expected at least two coders; got one" in systems_table(judgement).notes


def test_systems_without_a_common_item(people, systems):
    first, second = people.item_names[:2]
    judgement = judged(people, {"a": {first: systems["good"][first]}, "b": {second: systems["poor"][second]}})
    assert "but they share no item, so there is no test" in judgement_answer(judgement)
    assert systems_table(judgement).latex().count("$^") == 0


def test_the_table_with_one_measure_has_intervals(people, systems):
    table = systems_table(judged(people, systems))
    assert table.columns == ("segmenter", "B", "low", "high", "macro", "items")
    expected = [*("good", "fair", "poor"), *("(human)", "(random)", "(placement)", "(regular)", "(none)", "(all)")]
    assert [row[0] for row in table.rows] == expected


def test_excluded_items_with_one_reason_are_one_line():
    few = [Excluded(f"i{k}", "bot", "missing") for k in range(3)]
    assert excluded_lines(few) == [str(entry) for entry in few]
    many = [Excluded(f"i{k}", "bot", "missing") for k in range(4)] + [
        Excluded("x", None, "empty"),
        Excluded(None, None, "a file"),
    ]
    assert excluded_lines(many) == ["coder 'bot', 4 items (i0, i1, i2, ...): missing", "item 'x': empty", "a file"]
