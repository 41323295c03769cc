"""Judging: every value is computed again in a slow and obvious way."""

from __future__ import annotations

import json
import math
import re
import warnings
from itertools import permutations

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraWarning, OptionError
from caesura.measures.registry import DEFAULT_MEASURES
from caesura.model.result import Excluded
from caesura.simulation import pseudo_coders, random_segmentation, shifts
from caesura.statistics import alternative_annotator
from support.compared import compared
from support.corpora import ALIGN_HINT
from support.judged import SYSTEMS, B, people_and_systems

pytestmark = pytest.mark.filterwarnings("ignore:an interval from")

LINEAR = DEFAULT_MEASURES["judge"]["linear"]
NO_CLUSTER = "fuzzy success: there is no cluster: the highest count is 1, minimal_peak is 2"


@pytest.fixture(scope="module")
def judged():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        corpus, systems = people_and_systems()
        return corpus, systems, cz.judge(corpus, systems, seed=3, bounds=20, replicates=200)


def pooled(measure, pairs):
    """Return the value over all pairs, each scored separately."""
    parsed = cz.parse(measure)
    return sum(parsed.score(*pair) for pair in pairs)


def against_coders(corpus, by_item, measure):
    """Return item -> pairs (reference, hypothesis). For fuzzy success all coders are one reference."""
    pairs = {}
    for item, segmentation in by_item.items():
        by_coder = corpus.of_item(item)
        if measure.startswith("fuzzy"):
            pairs[item] = [(cz.Marks.of(list(by_coder.values())), segmentation)]
        else:
            pairs[item] = [(by_coder[coder], segmentation) for coder in by_coder]
    return pairs


@pytest.mark.parametrize("measure", LINEAR)
@pytest.mark.parametrize("system", SYSTEMS)
def test_micro_and_macro(judged, system, measure):
    corpus, systems, judgement = judged
    row = judgement.row(system, measure)
    pairs = against_coders(corpus, systems[system], measure)
    total = pooled(measure, [pair for item_pairs in pairs.values() for pair in item_pairs])
    assert row.value == pytest.approx(total.value, abs=1e-12)
    assert dict(row.score.parts) == pytest.approx(dict(total.parts))
    assert row.score.figures == pytest.approx(total.figures)
    macro = np.mean([pooled(measure, item_pairs).value for item_pairs in pairs.values()])
    assert row.macro == pytest.approx(macro, abs=1e-12)
    assert row.items == len(systems[system]) == (5 if system == "gamma" else 6)
    assert not row.bound


@pytest.mark.parametrize("measure", LINEAR)
def test_against_each_coder(judged, measure):
    corpus, systems, judgement = judged
    expected = {}
    for coder in corpus.coders if not measure.startswith("fuzzy") else ():
        system, texts = systems["gamma"], corpus.of_coder(coder)
        expected[coder] = pooled(measure, [(texts[item], system[item]) for item in texts if item in system]).value
    assert judgement.row("gamma", measure).by_coder == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", LINEAR)
def test_human_bound(judged, measure):
    """All ordered pairs of coders. For fuzzy success, each coder is compared with the marks of the others."""
    corpus, _, judgement = judged
    pairs = []
    for item in corpus.item_names:
        by_coder = corpus.of_item(item)
        if measure.startswith("fuzzy"):
            for coder, text in by_coder.items():
                others = [by_coder[author] for author in by_coder if author != coder]
                pairs.append((cz.Marks.of(others), text))
        else:
            pairs += [(by_coder[a], by_coder[b]) for a, b in permutations(by_coder, 2)]
    row = judgement.row("human", measure)
    assert row.value == pytest.approx(pooled(measure, pairs).value, abs=1e-12)
    assert row.bound


@pytest.mark.parametrize("measure", [B, "window_diff"])
def test_interval_over_items(judged, measure):
    """Items are drawn with replacement and their parts summed, with the same seed."""
    corpus, systems, judgement = judged
    parsed = cz.parse(measure)
    pairs = against_coders(corpus, systems["gamma"], measure)
    scores = [sum(parsed.score(*pair) for pair in pairs[item]) for item in sorted(pairs)]
    resampled = np.random.default_rng(3).integers(len(scores), size=(200, len(scores)))
    values = [sum(scores[i] for i in row).value for row in resampled]
    low, high = np.quantile(values, [0.025, 0.975])
    row = judgement.row("gamma", measure)
    assert row.interval == pytest.approx((low, high), abs=1e-9)
    assert row.interval_note == "0.95 percentile bootstrap over 5 items, 200 replicates"


def test_drop(judged):
    """Agreement of the coders, and of coders and system, from two separate corpora."""
    corpus, systems, judgement = judged
    for drop in judgement.drops:
        by_item = systems[drop.system]
        items = [item for item in corpus.item_names if item in by_item]
        alone = cz.Corpus({item: corpus.of_item(item) for item in items})
        joined = cz.Corpus({item: {**corpus.of_item(item), "the system": by_item[item]} for item in items})
        values = [cz.agreement(group, interval=None).value for group in (alone, joined)]
        assert (drop.without_system, drop.with_system) == pytest.approx(values, abs=1e-12)
        assert drop.value == pytest.approx(values[0] - values[1], abs=1e-12)
        assert (drop.coefficient, drop.items, drop.reason) == ("multi_pi", len(items), None)


def test_drop_is_over_the_same_items_before_and_after():
    """An item with one coder has no agreement of coders, so it must not count when the system is added."""
    corpus, systems = people_and_systems()
    lonely = random_segmentation(200, [2, 3], seed=1)
    more = cz.Corpus({**{i: corpus.of_item(i) for i in corpus.item_names}, "lonely": {"coder 1": lonely}})
    with_lonely = {"alpha": {**systems["alpha"], "lonely": random_segmentation(200, [2, 3], seed=2)}}
    plain = cz.judge(corpus, {"alpha": systems["alpha"]}, measures=B, bounds=False, interval=None, seed=1)
    judgement = cz.judge(more, with_lonely, measures=B, bounds=False, interval=None, seed=1)
    assert judgement.drops[0].value == pytest.approx(plain.drops[0].value, abs=1e-12)
    assert judgement.drops[0].items == 6


def similarities(corpus, by_item):
    """Return S_f and S_h by loops: similarity of the system and of coder j to the coders other than j."""
    coders = sorted(corpus.coders)
    system, human = (np.full((len(coders), len(corpus.item_names)), np.nan) for _ in range(2))
    for j, coder in enumerate(coders):
        for i, item in enumerate(sorted(corpus.item_names)):
            by_coder = corpus.of_item(item)
            references = [by_coder[reference] for reference in by_coder if reference != coder]
            if coder in by_coder and references and item in by_item:
                for table, text in ((system, by_item[item]), (human, by_coder[coder])):
                    table[j, i] = np.mean([cz.boundary_similarity(reference, text).value for reference in references])
    return system, human


def test_alternative_annotator(judged):
    corpus, systems, judgement = judged
    for replacement in judgement.replacements:
        expected = alternative_annotator(*similarities(corpus, systems[replacement.system]))
        assert replacement.coders == tuple(sorted(corpus.coders))
        assert replacement.reason is None
        assert (replacement.test.winning_rate, replacement.test.passed) == (expected.winning_rate, expected.passed)
        for actual, expected_test in zip(replacement.test.coders, expected.coders, strict=True):
            for name in ("items", "test", "rejected"):
                assert getattr(actual, name) == getattr(expected_test, name)
            for name in ("p", "mean_difference"):
                assert getattr(actual, name) == pytest.approx(getattr(expected_test, name), abs=1e-12)


def test_ranking_and_rows(judged):
    _, _, judgement = judged
    for measure in LINEAR:
        values = {name: judgement.row(name, measure).value for name in SYSTEMS}
        error = measure == "window_diff"
        assert judgement.ranking(measure) == tuple(sorted(values, key=values.get, reverse=not error))
    assert [(row.segmenter, row.bound) for row in judgement.rows[:9]] == [
        *((name, False) for name in SYSTEMS),
        *((name, True) for name in ("human", "random", "placement", "regular", "none", "all")),
    ]
    with pytest.raises(KeyError):
        judgement.row("delta", B)


def test_missing_item_is_listed(judged):
    _, _, judgement = judged
    assert judgement.excluded == (Excluded("item 3", "gamma", "the system did not annotate this item"),)
    assert judgement.undefined == {}


def same(a, b):
    """Return whether two judgements have the same numbers, whatever the order of items, coders and systems."""
    of_b = {(row.segmenter, row.bound, row.measure): row for row in b.rows}
    assert len(of_b) == len(a.rows)
    for row in a.rows:
        match = of_b[row.segmenter, row.bound, row.measure]
        assert (row.value, row.macro) == pytest.approx((match.value, match.macro), abs=1e-12)
        assert row.interval == pytest.approx(match.interval, abs=1e-12)
    for first, second in zip(a.comparisons, b.comparisons, strict=True):
        of_two = {frozenset(pair.systems): pair for pair in second.pairs}
        for pair in first.pairs:
            match = of_two[frozenset(pair.systems)]
            assert (pair.bootstrap, pair.randomisation) == pytest.approx((match.bootstrap, match.randomisation))
            assert (pair.friedman, pair.kruskal_wallis) == pytest.approx((match.friedman, match.kruskal_wallis))
    assert {d.system: d.value for d in a.drops} == pytest.approx({d.system: d.value for d in b.drops}, abs=1e-12)
    assert {r.system: r.test.advantage for r in a.replacements} == {r.system: r.test.advantage for r in b.replacements}


def test_order_of_items_coders_and_systems_does_not_matter(judged):
    corpus, systems, judgement = judged
    reordered = cz.Corpus({i: dict(reversed(corpus.of_item(i).items())) for i in reversed(corpus.item_names)})
    backwards = {name: dict(reversed(systems[name].items())) for name in reversed(SYSTEMS)}
    same(judgement, cz.judge(reordered, backwards, seed=3, bounds=20, replicates=200))


def test_systems_as_names_mapping_or_corpus(judged):
    corpus, systems, judgement = judged
    together = cz.Corpus(
        {i: {**corpus.of_item(i), **{s: systems[s][i] for s in SYSTEMS if i in systems[s]}} for i in corpus.item_names}
    )
    separate = cz.Corpus({i: {s: systems[s][i] for s in SYSTEMS if i in systems[s]} for i in corpus.item_names})
    for arguments in ((together, SYSTEMS), (corpus, separate)):
        again = cz.judge(*arguments, seed=3, bounds=20, replicates=200)
        assert json.dumps(again.to_dict()) == json.dumps(judgement.to_dict())


def test_seed():
    corpus, systems = people_and_systems(items=3)
    first, repeat, different = (cz.judge(corpus, systems, measures=B, bounds=5, seed=s) for s in (1, 1, 2))
    assert first.to_dict() == repeat.to_dict()
    assert first.row("random", B).value != different.row("random", B).value
    assert first.row("alpha", B).value == different.row("alpha", B).value
    free = cz.judge(corpus, systems, measures=B, bounds=5)
    repeated = cz.judge(corpus, systems, measures=B, bounds=5, seed=free.seed)
    assert free.to_dict() == repeated.to_dict()
    assert f"|seed:{free.seed}|" in free.signature


def plain(judgement):
    """Return standard JSON, without NaN and infinity."""
    data = judgement.to_dict() | {
        "mistakes": {name: mistakes.to_dict() for name, mistakes in judgement.mistakes.items()}
    }
    return json.loads(json.dumps(data, allow_nan=False))


def test_json(judged):
    _, _, judgement = judged
    data = plain(judgement)
    assert [row["segmenter"] for row in data["rows"][:4]] == ["alpha", "beta", "gamma", "human"]
    assert data["rows"][0]["value"] == judgement.rows[0].value
    assert data["rows"][0]["measure"] == B
    assert {"score", "macro", "interval", "by_coder"} <= set(data["rows"][0])
    assert {"parts", "params"} <= set(data["rows"][0]["score"])
    assert data["excluded"] == [{"item": "item 3", "coder": "gamma", "reason": "the system did not annotate this item"}]


def test_one_item():
    """There is no interval, bootstrap or alternative annotator test. Each has a reason; everything else is computed."""
    corpus, systems = people_and_systems()
    single = {name: {"item 1": systems[name]["item 1"]} for name in SYSTEMS}
    judgement = cz.judge(corpus.select(items=["item 1"]), single, seed=1, bounds=5)
    row = judgement.row("alpha", B)
    assert row.interval is None
    assert row.interval_note == "no interval: an interval over items needs at least 2 items; got 1"
    assert judgement.replacements[0].reason.endswith("share at least 2 items with the system and another coder; got 1")
    pair = judgement.comparisons[0].pairs[0]
    assert (pair.bootstrap, pair.interval, pair.randomisation) == (None, None, 1.0)
    assert "alpha and beta: a bootstrap over items needs at least 2 items; got 1" in judgement.comparisons[0].notes
    assert judgement.drops[0].value is not None
    plain(judgement)


def test_an_infinite_interval_is_text_in_json():
    """With 2 items that differ, the studentised interval is infinite."""
    corpus, systems = people_and_systems(items=2)
    judgement = cz.judge(corpus, {name: systems[name] for name in ("alpha", "beta")}, measures=B, seed=1, bounds=2)
    low, high = judgement.comparisons[0].pairs[0].interval
    assert (low, high) == (-math.inf, math.inf)
    assert plain(judgement)["comparisons"][0]["pairs"][0]["interval"] == ["-inf", "inf"]


def test_systems_that_share_no_item():
    corpus, systems = people_and_systems()
    apart = {"a": {"item 1": systems["alpha"]["item 1"]}, "b": {"item 2": systems["beta"]["item 2"]}}
    judgement = cz.judge(corpus, apart, measures=B, seed=1, bounds=2)
    (comparison,) = judgement.comparisons
    assert comparison.pairs[0].difference is None
    assert comparison.pairs[0].items == 0
    assert comparison.letters is None
    expected = ("no block is complete: each of the 2 blocks lacks the value of a system", "a and b share no item")
    assert comparison.notes == expected
    plain(judgement)


@pytest.mark.parametrize("coders", [1, 2, 3])
def test_few_coders(coders):
    undefined = {"comparison": "expected at least two systems; got one"}
    if coders < 3:
        undefined["replacement"] = f"the alternative annotator test needs at least 3 coders; got {coders}"
    if coders < 2:
        undefined["human"] = undefined["drop"] = "expected at least two coders; got one"
    corpus, systems = people_and_systems()
    selected = corpus.select(coders=corpus.coders[:coders])
    judgement = cz.judge(selected, {"alpha": systems["alpha"]}, seed=1, bounds=3)
    assert judgement.undefined == undefined
    assert ("human" in {row.segmenter for row in judgement.rows}) == (coders > 1)
    assert (judgement.drops[0].value is None) == (coders < 2)
    assert (judgement.replacements[0].test is None) == (coders < 3)
    if coders < 2:
        assert judgement.drops[0].reason == "expected at least two coders; got one"
    if coders < 3:
        assert judgement.replacements[0].reason == undefined["replacement"]
    assert judgement.comparisons == ()
    assert judgement.row("alpha", B).value > 0
    plain(judgement)


def test_coders_who_share_no_item():
    corpus, systems = people_and_systems()
    apart = cz.Corpus({f"item {k}": {f"coder {k}": corpus[f"item {k}", f"coder {k}"]} for k in (1, 2, 3)})
    by_item = {item: systems["alpha"][item] for item in apart.item_names}
    judgement = cz.judge(apart, {"alpha": by_item}, seed=1, bounds=3, measures=B)
    assert judgement.undefined["human"] == judgement.undefined["drop"] == "no two coders share an item"
    assert judgement.drops[0].reason == "no item of alpha has two coders"
    assert judgement.replacements[0].reason.endswith("share at least 2 items with the system and another coder; got 0")


def test_a_system_with_the_name_of_a_bound():
    corpus, systems = people_and_systems()
    judgement = cz.judge(corpus, {"random": systems["alpha"], "human": systems["beta"]}, measures=B, seed=1, bounds=3)
    assert not judgement.row("random", B).bound
    assert judgement.row("random", B, bound=True).bound
    assert judgement.row("human", B).value != judgement.row("human", B, bound=True).value
    assert judgement.systems == ("random", "human")


def test_interval_pairs():
    """Mean and standard error over the correctness of boundary pairs. Other measures give a reason."""
    corpus, systems = people_and_systems()
    judgement = cz.judge(corpus, systems, measures=[B, "pk"], interval="pairs", seed=1, bounds=2, level=0.9)
    row = judgement.row("gamma", B)
    pairs = [pair for row in against_coders(corpus, systems["gamma"], B).values() for pair in row]
    correctness = [1 - edit.cost for pair in pairs for edit in cz.boundary_similarity(*pair).edits]
    error = np.std(correctness) / math.sqrt(len(correctness))
    assert row.value == pytest.approx(np.mean(correctness))
    assert (row.pairs, row.standard_error) == (len(correctness), pytest.approx(error))
    assert row.interval == pytest.approx((row.value - 1.6449 * error, row.value + 1.6449 * error), abs=1e-4)
    assert judgement.row("gamma", "pk").interval is None
    assert judgement.row("gamma", "pk").interval_note.startswith("no interval: pk is not a mean over boundary pairs")


def test_no_boundary_pairs():
    flat = cz.Corpus({"x": {"ann": cz.Segmentation.from_masses([9])}, "y": {"ann": cz.Segmentation.from_masses([7])}})
    by_item = {item: flat[item, "ann"] for item in flat.item_names}
    judgement = cz.judge(flat, {"flat": by_item}, measures=B, interval="pairs", seed=1, bounds=2)
    assert judgement.row("flat", B).value == 1
    assert judgement.row("flat", B).interval_note == "no interval: there are no boundary pairs"
    plain(judgement)


def test_no_interval():
    corpus, systems = people_and_systems()
    judgement = cz.judge(corpus, systems, measures=B, interval=None, seed=1, bounds=2)
    assert judgement.row("alpha", B).interval is None
    assert judgement.row("alpha", B).interval_note == "no interval was requested"
    assert not any(row.bound for row in cz.judge(corpus, systems, measures=B, seed=1, bounds=False).rows)


def test_few_items_warn():
    corpus, systems = people_and_systems()
    with pytest.warns(CaesuraWarning, match="an interval from 5 items .* covers about 84 % of cases") as caught:
        cz.judge(corpus, systems, measures=B, seed=1, bounds=2)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "name", sorted(n for n, kind in cz.measures().items() if compared(kind) not in ("spans", "trees"))
)
def test_every_measure_of_the_registry(name):
    corpus, systems = people_and_systems(items=2)
    options = {option.name for option in cz.measures()[name].options}
    if cz.measures()[name].needs_labels and "over" not in options:
        return  # nothing to compare without labels
    measure = f"{name}(over='segments')" if "over" in options else name  # these segments have no labels
    judgement = cz.judge(corpus, systems, measures=measure, seed=1, bounds=2, replicates=100)
    # A text without boundaries has no distance to one with boundaries.
    none = set() if name in ("hausdorff", "boundary_deviation") else {"none"}
    expected = {*SYSTEMS, "human", "random", "placement", "regular", "all"} | none
    assert {row.segmenter for row in judgement.rows} == expected
    plain(judgement)


def test_items_without_a_cluster_are_listed_and_the_rest_are_scored():
    # x: three coders without a common boundary: the highest count is 1, and half of three is 2
    apart = {f"c{k}": cz.Segmentation.from_positions(12, [3 * k]) for k in (1, 2, 3)}
    near = {f"c{k}": cz.Segmentation.from_positions(12, [5]) for k in (1, 2, 3)}
    corpus = cz.Corpus({"x": apart, "y": near, "z": near})
    by_item = {item: cz.Segmentation.from_positions(12, [5]) for item in corpus.item_names}
    judgement = cz.judge(corpus, {"a": by_item, "b": by_item}, measures=["fuzzy_success", B], seed=1, bounds=3)
    assert judgement.excluded == (Excluded("x", None, NO_CLUSTER),)
    assert judgement.row("a", "fuzzy_success").items == 2
    assert judgement.row("a", "fuzzy_success").value == 1
    assert judgement.row("a", B).items == 3


def test_no_cluster_anywhere():
    apart = {f"c{k}": cz.Segmentation.from_positions(12, [3 * k]) for k in (1, 2, 3)}
    by_item = {"x": cz.Segmentation.from_positions(12, [5])}
    with pytest.raises(OptionError, match=f"^nothing could be scored: {NO_CLUSTER}$"):
        cz.judge(cz.Corpus({"x": apart}), {"a": by_item}, measures="fuzzy_success", seed=1, bounds=3)
    judgement = cz.judge(cz.Corpus({"x": apart}), {"a": by_item}, measures=["fuzzy_success", B], seed=1, bounds=3)
    assert judgement.excluded == (Excluded(None, None, NO_CLUSTER),)
    assert {row.measure.name for row in judgement.rows} == {"boundary_similarity"}


def test_human_bound_without_a_cluster_is_reported():
    # x: without c2 no two coders share a position, so fuzzy success of c2 has no cluster
    marks = {"c1": [4], "c2": [4], "c3": [8], "c4": [2]}
    x = {coder: cz.Segmentation.from_positions(12, at) for coder, at in marks.items()}
    y = dict.fromkeys(marks, cz.Segmentation.from_positions(12, [6]))
    by_item = {"x": x["c1"], "y": y["c1"]}
    judgement = cz.judge(cz.Corpus({"x": x, "y": y}), {"a": by_item}, measures="fuzzy_success", seed=1, bounds=3)
    assert judgement.excluded == (Excluded("x", "(human)", NO_CLUSTER),)


def test_item_shorter_than_the_window_is_listed():
    corpus, systems = people_and_systems()
    judgement = cz.judge(corpus, systems, measures="pk(window=20)", seed=1, bounds=2)
    assert judgement.excluded == (
        Excluded("item 3", "gamma", "the system did not annotate this item"),
        Excluded("item 1", None, "Pk(window=20): window must lie in 1..19 for a text of 20 units; got 20"),
    )
    assert judgement.row("alpha", "pk").items == 5


def test_a_measure_that_scores_no_dialogue_listed_first():
    """Drop, test and mistakes use the first measure that can score. This once raised a KeyError."""
    corpus, systems = talk()
    judgement = cz.judge(corpus, systems, measures=["fuzzy_success", "flexible_similarity"], seed=1, bounds=3)
    assert judgement.aligner == cz.parse("flexible_similarity")
    assert [entry.reason.split(":")[0] for entry in judgement.excluded] == ["fuzzy success"]
    assert judgement.drops[0].value is not None


def test_boundary_measures_score_dialogues():
    corpus, systems = talk()
    judgement = cz.judge(corpus, systems, measures=[B, "F1", "B-F"], seed=1, bounds=3)
    assert judgement.excluded == ()
    name = next(iter(systems))
    pairs = [(corpus[item, coder], systems[name][item]) for item, coder in corpus]
    for measure in (B, "F1", "B-F"):
        expected = cz.score_many(pairs, measure).total
        assert judgement.row(name, cz.parse(measure).name).value == pytest.approx(expected.value)


def talk(items=3, coders=3, seed=1):
    """Two speakers and exclusive types. The ends of some texts are marked."""
    rng = np.random.default_rng(seed)

    def utterance(units):
        marks = rng.choice(["", "", "", ".", ","], units).tolist()
        marks[-1] = rng.choice([".", ""])
        return cz.Segmentation.from_marks(marks, types=[".", ",", "?"])

    people = {f"t{i}": {f"c{k}": {"F": utterance(9), "M": utterance(14)} for k in range(coders)} for i in range(items)}
    return cz.Corpus(people), {"bot": {f"t{i}": {"F": utterance(9), "M": utterance(14)} for i in range(items)}}


def test_dialogue():
    corpus, systems = talk()
    judgement = cz.judge(corpus, systems, seed=1, bounds=3)
    expected = {"flexible_similarity(normalize='positions')", "flexible_similarity(normalize='boundaries')"}
    assert {repr(row.measure) for row in judgement.rows} == expected
    pairs = [(corpus[i, c], systems["bot"][i]) for i in corpus.item_names for c in corpus.coders]
    for row in judgement.rows:
        if row.segmenter == "bot":
            assert row.value == pytest.approx(pooled(row.measure, pairs).value, abs=1e-12)
    drop = judgement.drops[0]
    joined = cz.Corpus({i: {**corpus.of_item(i), "bot": systems["bot"][i]} for i in corpus.item_names})
    measure = "flexible_similarity(normalize='positions')"
    values = [cz.agreement(group, measure=measure, interval=None, seed=1).value for group in (corpus, joined)]
    expected = ("kappa", *(pytest.approx(v, abs=1e-12) for v in values))
    assert (drop.coefficient, drop.without_system, drop.with_system) == expected
    assert judgement.replacements[0].test is not None
    plain(judgement)


def sets(items=3, coders=3, seed=1, declared=True):
    """Sets of types at inner positions."""
    rng = np.random.default_rng(seed)
    kinds = [set(), set(), set(), {"scene"}, {"act", "scene"}]

    def annotate():
        types = ["scene", "act"] if declared else None
        return cz.Segmentation.from_sets([kinds[k] for k in rng.integers(0, 5, 19)], types=types)

    people = cz.Corpus({f"p{i}": {f"c{k}": annotate() for k in range(coders)} for i in range(items)})
    return people, {"bot": {f"p{i}": annotate() for i in range(items)}}


@pytest.mark.parametrize("declared", [True, False])
def test_sets_of_types(declared):
    corpus, systems = sets(declared=declared)
    judgement = cz.judge(corpus, systems, seed=1, bounds=3)
    pairs = [(corpus[i, c], systems["bot"][i]) for i in corpus.item_names for c in corpus.coders]
    for measure in LINEAR[:3]:
        assert judgement.row("bot", measure).value == pytest.approx(pooled(measure, pairs).value, abs=1e-12)
    assert judgement.excluded == ()
    plain(judgement)


def test_bounds_do_not_change_the_scores_of_a_system():
    """Only the system uses one of the types. This once failed because the bounds declared the types of the coders."""
    corpus, systems = sets(declared=False)
    odd = cz.Segmentation.from_sets([{"page"} if k == 4 else set() for k in range(19)])
    more = {"bot": {**systems["bot"], "p0": odd}}
    with pytest.warns(CaesuraWarning, match="the order of the types was not declared; act < page < scene is assumed"):
        judgement = cz.judge(corpus, more, measures=[B, "segmentation_similarity"], seed=1, bounds=3)
    with pytest.warns(CaesuraWarning, match="order of the types"):
        without_bounds = cz.judge(corpus, more, measures=[B, "segmentation_similarity"], seed=1, bounds=False)
    assert judgement.excluded == without_bounds.excluded == ()
    for measure in (B, "segmentation_similarity"):
        assert judgement.row("bot", measure).value == without_bounds.row("bot", measure).value


ANN = cz.Corpus({"x": {"ann": cz.Segmentation.from_masses([2, 3, 6]), "bo": cz.Segmentation.from_masses([5, 6])}})
FINE = {"bot": {"x": cz.Segmentation.from_masses([2, 9])}}


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({}, "systems: expected at least one; got none"),
        ([], "systems: expected at least one; got none"),
        ("ann", "systems must be names of coders in the corpus, a mapping system -> item -> segmentation"),
        (3, "systems must be names of coders in the corpus, a mapping system -> item -> segmentation, or a Corpus"),
        ([3], "systems: a name must be a string; got int"),
        (["zoe"], "the corpus has no coder 'zoe'; it has 'ann', 'bo'"),
        (["ann", "bo"], "coders: expected at least one to judge against; all coders of the corpus are systems"),
        ({"ann": FINE["bot"]}, "system 'ann': a coder has the same name; rename one of them"),
        ({"bot": {}}, "system 'bot' has no item in common with the coders, who have 'x'; got none"),
        ({"bot": {"y": FINE["bot"]["x"]}}, "system 'bot' has no item in common with the coders, who have 'x'; got 'y'"),
        (
            {"bot": {"x": cz.Segmentation.from_masses([2, 8])}},
            "differs from the coders: 11 tokens for ann and 10 for bot",
        ),
        ({"bot": {"x": [2, 9]}}, "system 'bot', item 'x': expected a Segmentation; got list"),
        ({"bot": FINE["bot"]["x"]}, "system 'bot': expected a mapping from items to segmentations; got Segmentation"),
        ({"1": FINE["bot"], 1: FINE["bot"]}, "system 1: the names of two systems are the same string"),
    ],
)
def test_invalid_systems(systems, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        cz.judge(ANN, systems, seed=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": "coders"}, "interval must be one of 'items', 'pairs'; got 'coders'"),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1"),
        ({"bounds": 0}, "bounds must be a whole number of at least 1; got 0"),
        ({"replicates": 10}, "replicates must be a whole number of at least 100; got 10"),
        ({"level": 95}, "level must be a number between 0 and 1; got 95"),
        ({"alpha": 0}, "alpha must be a number between 0 and 1; got 0"),
        ({"epsilon": 1}, "epsilon must be a number from 0 to below 1; got 1"),
        ({"epsilon": "low"}, "epsilon must be a number; got 'low'"),
        ({"measures": []}, "measures: expected at least one; got none"),
        ({"measures": 7}, "measures must be names or measures; got 7"),
        ({"measures": "bounary_similarity"}, "there is no measure 'bounary_similarity'"),
        ({"measures": "fuzzy_success(alpha=3)"}, "alpha must be a number from 1 to 2; got 3"),
        ({"measures": "fuzzy_success(p_min=2, p_max=1)"}, "p_min must not be above p_max; got 2 and 1"),
    ],
)
def test_invalid_options(options, message):
    with pytest.raises(OptionError, match=f"^{re.escape(message)}"):
        cz.judge(ANN, FINE, **{"seed": 1, **options})


def test_lengths_that_differ_are_listed_and_the_rest_is_scored():
    corpus, systems = people_and_systems()
    wrong = {**systems["alpha"], "item 2": cz.Segmentation.from_masses([5])}
    judgement = cz.judge(corpus, {"alpha": wrong, "beta": systems["beta"]}, measures=B, seed=1, bounds=2)
    reason = "the system differs from the coders: 27 tokens for coder 1 and 5 for alpha"
    assert judgement.excluded == (Excluded("item 2", "alpha", reason),)
    assert [judgement.row(name, B).items for name in ("alpha", "beta")] == [5, 6]
    assert judgement.comparisons[0].pairs[0].items == 5


def test_coders_that_differ_are_listed_and_the_rest_is_scored():
    corpus, systems = people_and_systems()
    by_item = {item: corpus.of_item(item) for item in corpus.item_names}
    by_item["item 4"]["coder 2"] = cz.Segmentation.from_masses([5])
    judgement = cz.judge(cz.Corpus(by_item), {"alpha": systems["alpha"]}, measures=B, seed=1, bounds=2)
    assert judgement.excluded == (
        Excluded("item 4", None, "coders differ: 41 tokens for coder 1 and 5 for coder 2"),
        Excluded("item 4", "alpha", "no coder annotated this item"),
    )
    only = cz.Corpus({"item 4": by_item["item 4"]})
    with pytest.raises(OptionError, match=r"^no item is left to judge on: item 'item 4': coders differ: 41"):
        cz.judge(only, {"alpha": {"item 4": systems["alpha"]["item 4"]}}, seed=1)


def test_units_that_only_the_second_coder_has_are_checked():
    bare, texted = cz.Segmentation.from_masses([1, 2]), cz.Segmentation.from_masses([1, 2], units=["so", "it", "goes"])
    corpus = cz.Corpus({"x": {"ann": bare, "bo": texted}, "y": {"ann": bare, "bo": bare}})
    by_item = {"x": cz.Segmentation.from_masses([2, 1], units=["so", "it", "went"]), "y": bare}
    judgement = cz.judge(corpus, {"bot": by_item}, measures=B, seed=1, bounds=2)
    reason = "the system differs from the coders: token 3 is 'goes' for bo and 'went' for bot" + ALIGN_HINT
    assert judgement.excluded == (Excluded("x", "bot", reason),)


@pytest.fixture(scope="module")
def field_of_known_quality():
    simulated = pseudo_coders([60] * 60, [4, 6, 9, 14], coders=6, near=0.1, miss=0.15, seed=5)
    people = simulated.select(coders=[f"coder {k}" for k in range(1, 6)])
    rng = np.random.default_rng(1)
    systems = {
        "copy": simulated.of_coder("coder 1"),
        "sixth": simulated.of_coder("coder 6"),
        "late": {item: late(people[item, "coder 1"]) for item in people.item_names},
        "random": {item: random_segmentation(60, [4, 6, 9, 14], seed=rng) for item in people.item_names},
    }
    return people, systems, cz.judge(people, systems, measures=B, seed=1, replicates=500, bounds=10)


def late(segmentation):
    """Move every boundary one position later. A boundary before the last unit would leave the text."""
    return shifts(cz.Segmentation.from_positions(60, segmentation.inner[segmentation.inner < 59]), 1)


def test_a_coder_can_replace_another_and_a_random_segmenter_cannot(field_of_known_quality):
    _, _, judgement = field_of_known_quality
    drop = {entry.system: entry.value for entry in judgement.drops}
    assert abs(drop["sixth"]) < 0.02
    assert 0.1 < drop["late"] < drop["random"]
    test = {entry.system: entry.test for entry in judgement.replacements}
    assert test["copy"].passed  # it has coder 1 among those it is compared with
    assert -0.1 < drop["copy"] < 0.01
    assert 0.35 < test["sixth"].advantage < 0.65
    assert not test["random"].passed
    assert test["random"].winning_rate == 0
    assert judgement.row("random", B).value == pytest.approx(judgement.row("random", B, bound=True).value, abs=0.03)
    low, high = judgement.row("sixth", B).interval
    assert low < judgement.row("human", B).value < high


def test_letters_separate_systems_of_known_quality(field_of_known_quality):
    _, _, judgement = field_of_known_quality
    (comparison,) = judgement.comparisons
    assert comparison.letters == {"copy": "a", "sixth": "b", "late": "c", "random": "d"}
    assert judgement.ranking(B) == ("copy", "sixth", "late", "random")
