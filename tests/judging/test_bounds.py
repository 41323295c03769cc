"""Baselines and the human bound, computed from the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import caesura as cz
from caesura.judging.bounds import Baselines
from caesura.judging.participants import collect_participants
from oracle.random_texts import draw_texts

pytestmark = pytest.mark.filterwarnings("ignore:an interval from")

B = "boundary_similarity(n_t=2)"

# ann ··|···|······      bo ·····|······
PEOPLE = cz.Corpus(
    {
        "x": {"ann": cz.Segmentation.from_masses([2, 3, 6]), "bo": cz.Segmentation.from_masses([5, 6])},
        "y": {"ann": cz.Segmentation.from_masses([4, 4])},
    }
)
BOT = {"bot": {item: PEOPLE[item, "ann"] for item in PEOPLE.item_names}}


def bounds(corpus, systems=BOT):
    return Baselines(collect_participants(corpus, systems))


def test_lengths_are_those_of_all_segments_of_all_coders():
    baselines = bounds(PEOPLE)
    assert baselines.lengths.tolist() == sorted([2, 3, 6, 5, 6, 4, 4])
    assert baselines.lengths.mean() == 30 / 7


def test_regular_none_and_all():
    baselines = bounds(PEOPLE)
    assert baselines.fixed()["regular"]["x"].masses == (4, 4, 3)  # 30 / 7 = 4.29
    assert baselines.fixed()["none"]["x"].masses == (11,)
    assert baselines.fixed()["all"]["y"].masses == (1,) * 8


@pytest.mark.parametrize(("masses", "step"), [([2, 3], 3), ([1, 1, 2], 1), ([3, 4, 4], 4)])
def test_regular_rounds_half_up(masses, step):
    segmentation = cz.Segmentation.from_masses(masses)
    mean = sum(masses) / len(masses)
    assert math.floor(mean + 0.5) == step
    baselines = bounds(cz.Corpus({"x": {"ann": segmentation}}), {"bot": {"x": segmentation}})
    inner = baselines.fixed()["regular"]["x"].inner.tolist()
    assert inner == list(range(step, segmentation.length, step))


def test_random_draws_segments_with_replacement_until_the_text_is_full():
    """Every segment except the last has the length of a coder's segment, with the same frequency. The last is truncated."""
    baselines = bounds(PEOPLE)
    rng = np.random.default_rng(1)
    first = []
    for _ in range(4000):
        *whole, last = draw_texts(baselines, rng, "random")["x"].masses
        assert set(whole) <= {2, 3, 4, 5, 6}
        assert last <= 6
        assert sum(whole) + last == 11
        first.append(whole[0])
    shares = {mass: first.count(mass) / len(first) for mass in (2, 3, 4, 5, 6)}
    assert shares == pytest.approx({2: 1 / 7, 3: 1 / 7, 4: 2 / 7, 5: 1 / 7, 6: 2 / 7}, abs=0.03)


@pytest.mark.parametrize(("bound", "stream"), [("random", 1), ("placement", 2)])
def test_random_is_the_mean_of_pooled_values(bound: str, stream: int):
    """Each draw is pooled over items and coders separately."""
    judgement = cz.judge(PEOPLE, BOT, seed=9, bounds=12)
    rng = np.random.default_rng([9, stream])
    baselines = bounds(PEOPLE)
    measures = [cz.parse(name) for name in (B, "window_diff", "boundary_confusion(n_t=2)")]
    values = {measure: [] for measure in measures}
    macro = {measure: [] for measure in measures}
    for _ in range(12):
        random = draw_texts(baselines, rng, bound)
        for measure in measures:
            scores = {
                item: sum(measure.score(score, random[item]) for score in PEOPLE.of_item(item).values())
                for item in PEOPLE.item_names
            }
            values[measure].append(sum(scores.values()).value)
            macro[measure].append(np.mean([score.value for score in scores.values()]))
    for measure in measures:
        row = judgement.row(bound, measure)
        assert row.value == pytest.approx(np.mean(values[measure]), abs=1e-12)
        assert row.macro == pytest.approx(np.mean(macro[measure]), abs=1e-12)
        assert row.interval == pytest.approx(tuple(np.quantile(values[measure], [0.025, 0.975])), abs=1e-12)
        assert row.interval_note == "0.95 percentiles of 12 draws"


@pytest.mark.parametrize("name", ["regular", "none", "all"])
def test_fixed_bounds_are_scored_like_a_system(name):
    judgement = cz.judge(PEOPLE, BOT, seed=1, bounds=2)
    annotations = bounds(PEOPLE).fixed()[name]
    for measure in (B, "window_diff"):
        pairs = [(PEOPLE[key], annotations[key[0]]) for key in PEOPLE]
        assert judgement.row(name, measure).value == cz.score_many(pairs, measure).total.value


def typed(declared):
    types = ["scene", "act"] if declared else None
    ann = [set(), {"scene"}, set(), {"act", "scene"}, set(), {"scene"}, set()]
    bo = [set(), {"scene"}, set(), set(), {"scene"}, set(), set()]
    corpus = cz.Corpus({"x": {c: cz.Segmentation.from_sets(s, types=types) for c, s in (("ann", ann), ("bo", bo))}})
    return corpus, {"bot": {"x": corpus["x", "bo"]}}


@pytest.mark.parametrize("declared", [True, False])
def test_types_are_those_of_the_coders(declared):
    """Four of five boundaries are scenes. So regular boundaries are scenes, and a fifth of the random ones are both."""
    corpus, systems = typed(declared)
    baselines = bounds(corpus, systems)
    assert set(baselines.fixed()["all"]["x"].boundaries) == {(position, "scene") for position in range(1, 8)}
    rng = np.random.default_rng(1)
    kinds = []
    for _ in range(1500):
        at = {}
        for position, name in draw_texts(baselines, rng, "random")["x"].boundaries:
            at.setdefault(position, set()).add(name)
        kinds += [frozenset(names) for names in at.values()]
    assert set(kinds) == {frozenset({"scene"}), frozenset({"act", "scene"})}
    assert kinds.count(frozenset({"act", "scene"})) / len(kinds) == pytest.approx(0.2, abs=0.03)
    assert baselines.fixed()["none"]["x"].boundaries == ()


def ends(marks, **options):
    segmentation = cz.Segmentation.from_marks(marks, **options)
    return cz.Corpus({"x": {"ann": {"F": segmentation}}}), {"bot": {"x": {"F": segmentation}}}


def test_ends_of_texts_are_marked_as_the_coders_do():
    corpus, systems = ends(["", ",", "", ",", "."])
    baselines = bounds(corpus, systems)
    assert baselines.fixed()["regular"]["x"]["F"].boundaries == ((2, ","), (4, ","), (5, "."))
    assert baselines.fixed()["all"]["x"]["F"].boundaries == ((1, ","), (2, ","), (3, ","), (4, ","), (5, "."))
    assert draw_texts(baselines, np.random.default_rng(1), "random")["x"]["F"].boundaries[-1] == (5, ".")
    assert baselines.fixed()["none"]["x"]["F"].boundaries == ()


def test_boundaries_only_at_the_ends_of_texts():
    """No coder has an inner boundary, so the bounds have none either: its type would be unknown."""
    corpus, systems = ends(["", "", "."], types=[",", "."])
    baselines = bounds(corpus, systems)
    for by_item in (
        draw_texts(baselines, np.random.default_rng(1), "random"),
        baselines.fixed()["regular"],
        baselines.fixed()["all"],
    ):
        assert by_item["x"]["F"].boundaries == ((3, "."),)
    assert cz.judge(corpus, systems, seed=1, bounds=2).row("regular", "flexible_similarity").value == 1


def test_ends_of_one_unnamed_kind():
    corpus, systems = ends(["", "boundary", "", "boundary"])
    baselines = bounds(corpus, systems)
    assert baselines.fixed()["regular"]["x"]["F"].boundaries == ((2, "boundary"), (4, "boundary"))


def test_a_bound_carries_no_units():
    segmentation = cz.Segmentation.from_masses([1, 2], units=["so", "it", "goes"])
    assert (
        bounds(cz.Corpus({"x": {"ann": segmentation}}), {"bot": {"x": segmentation}}).fixed()["all"]["x"].units is None
    )


def test_rate_of_placement() -> None:
    baselines = bounds(PEOPLE)
    texts = [text for item in PEOPLE.item_names for text in PEOPLE.of_item(item).values()]
    assert baselines.rate == sum(text.inner.size for text in texts) / sum(text.length - 1 for text in texts)
    rng = np.random.default_rng(4)
    drawn = [text for _ in range(300) for text in draw_texts(baselines, rng, "placement").values()]
    positions = sum(text.length - 1 for text in drawn)
    error = (baselines.rate * (1 - baselines.rate) / positions) ** 0.5
    assert abs(sum(text.inner.size for text in drawn) / positions - baselines.rate) < 4 * error
