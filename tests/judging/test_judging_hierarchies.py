"""Systems that produce hierarchies, judged against people; and hierarchies compared level by level."""

from __future__ import annotations

import warnings
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraWarning, OptionError
from caesura.model.hierarchy import Hierarchy
from caesura.statistics import friedman, randomisation
from support.commands import invoke
from support.envelope import results_of

# talk        1 2 3 4 5 6 7 8
# ann         [             ]   [1 2] [3 4 5 6] [7 8]
# bo          [             ]   [1 2 3 4] [5 6 7 8]
DATA = Path(__file__).parents[2] / "examples" / "data"


def random_hierarchy(rng, length=12):
    """Return the whole text, divided into two to four parts, some of which are divided again."""
    spans = [(1, length)]
    cuts = [0, *sorted(rng.choice(np.arange(2, length - 1), rng.integers(1, 4), replace=False).tolist()), length]
    for start, end in pairwise(cuts):
        spans.append((start + 1, end))
        if end - start > 3 and rng.random() < 0.6:
            middle = start + int(rng.integers(1, end - start))
            spans += [(start + 1, middle), (middle + 1, end)]
    return Hierarchy(length, spans)


@pytest.fixture(scope="module")
def corpora():
    rng = np.random.default_rng(4)
    items = [f"talk {i}" for i in range(7)]
    people = {item: {coder: random_hierarchy(rng) for coder in ("ann", "bo", "cy")} for item in items}
    systems = {
        "copy": {item: people[item]["ann"] for item in items},
        "other": {item: random_hierarchy(rng) for item in items},
    }
    return cz.Corpus(people), systems


@pytest.fixture(scope="module")
def judgement(corpora):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        return cz.judge(*corpora, replicates=200)


def test_values_are_those_of_the_measures(corpora, judgement):
    people, systems = corpora
    assert [row.measure.name for row in judgement.rows if row.segmenter == "copy"] == [
        "hierarchy_kappa",
        "hierarchy_overlap",
        "non_crossing",
        "t_measure",
    ]
    for name, by_item in systems.items():
        for measure in ("hierarchy_kappa", "hierarchy_overlap", "non_crossing"):
            pairs = [(people[item, coder], by_item[item]) for item, coder in people]
            assert judgement.row(name, measure).value == pytest.approx(cz.score_many(pairs, measure).total.value)
    human = [
        (people[item, a], people[item, b])
        for item in people.item_names
        for a, b in permutations(("ann", "bo", "cy"), 2)
    ]
    expected = cz.score_many(human, "hierarchy_overlap").total.value
    assert judgement.row("human", "hierarchy_overlap", bound=True).value == pytest.approx(expected)


def test_tests_drop_and_replacement(corpora, judgement):
    people, systems = corpora
    comparison = next(entry for entry in judgement.comparisons if entry.measure.name == "hierarchy_overlap")
    (pair,) = comparison.pairs
    measure = cz.parse("hierarchy_overlap")
    parts, means = [], []
    for by_item in systems.values():
        scored = [
            [measure.score(people[item, coder], by_item[item]) for coder in ("ann", "bo", "cy")]
            for item in people.item_names
        ]
        part_names = measure.part_names(())
        parts.append([[sum(score.parts[name] for score in scores) for name in part_names] for scores in scored])
        means.append([np.mean([score.value for score in scores]) for scores in scored])
    expected = randomisation(*np.array(parts, float), lambda sums: measure.finish(sums, ()))
    assert (pair.exact, pair.randomisation) == (True, pytest.approx(expected.p))
    assert pair.friedman == pytest.approx(friedman(np.array(means).T.round(12)).pairs[0, 1])
    assert judgement.drops[0].value is not None
    assert judgement.drops[0].coefficient == "kappa"
    assert judgement.replacements[0].test is not None
    assert judgement.replacements[0].test.advantage > judgement.replacements[1].test.advantage


def test_what_is_undefined_says_why(judgement):
    assert judgement.undefined == {
        "baselines": "random, regular, none and all are defined for segmentations only",
        "errors": "misses and false alarms are defined for boundaries of segmentations only",
    }
    assert judgement.mistakes == {}
    assert {row.segmenter for row in judgement.rows if row.bound} == {"human"}


def test_timed_hierarchies_share_units():
    """Times that are .2 s apart are equal; a system with a single wrong time differs in one span."""
    people = {
        f"song {i}": {
            "one": Hierarchy.from_times([(0, 100), (0, 40 + i), (40 + i, 100)]),
            "two": Hierarchy.from_times([(0, 100), (0, 40.2 + i), (40.2 + i, 100)]),
        }
        for i in range(3)
    }
    bot = {f"song {i}": Hierarchy.from_times([(0, 100), (0, 40.1 + i), (40.1 + i, 100)]) for i in range(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        judgement = cz.judge(cz.Corpus(people), {"bot": bot}, measures="hierarchy_overlap")
    assert judgement.row("bot", "hierarchy_overlap").value == 1
    assert judgement.row("human", "hierarchy_overlap", bound=True).value == 1


def test_hierarchies_over_different_units_are_excluded():
    people = cz.Corpus({item: {c: Hierarchy(6, [(1, 6), (1, 3)]) for c in ("ann", "bo")} for item in ("x", "y")})
    short = {"x": Hierarchy(5, [(1, 5)]), "y": Hierarchy(6, [(1, 6), (1, 4)])}
    judgement = cz.judge(people, {"bot": short}, measures="hierarchy_overlap", interval=None)
    assert [str(entry) for entry in judgement.excluded] == [
        "item 'x', coder 'bot': the system differs from the coders: 6 units for ann and 5 for bot"
    ]
    with pytest.raises(OptionError, match="ann has a hierarchy and bot has a segmentation"):
        cz.judge(people, {"bot": dict.fromkeys("xy", cz.Segmentation.from_masses([3, 3]))}, interval=None)


def test_the_segmentation_of_a_level():
    """A part that is not divided further stays a segment of the deeper level."""
    talk = Hierarchy(8, [(1, 8), (1, 4), (5, 8), (5, 6), (7, 8)])
    assert [talk.at_level(level).masses for level in (1, 2, 3, 4)] == [(8,), (4, 4), (4, 2, 2), (4, 2, 2)]


@pytest.fixture
def in_data(monkeypatch):
    monkeypatch.chdir(DATA)


@pytest.mark.usefixtures("in_data")
def test_score_agree_and_judge_one_level():
    level = 2
    corpus = cz.read("annotators.json")
    flat = cz.Corpus({"talk": {coder: entry.at_level(level) for coder, entry in corpus.of_item("talk").items()}})
    options = ("--hierarchy-level", str(level), "-m", "B", "-m", "S", "--json")
    scored = results_of(invoke(["score", "annotators.json", "--reference", "ann", "--hypothesis", "bo", *options]))
    expected = cz.boundary_similarity(flat["talk", "ann"], flat["talk", "bo"]).value
    assert scored["scores"][0]["value"] == expected
    agreed = results_of(invoke(["agree", "annotators.json", *options]))
    assert agreed["agreement"][1]["value"] == pytest.approx(cz.agreement(flat, "S").value)
    judged = results_of(invoke(["judge", "annotators.json", "--system", "cy", *options]))
    rows = {(row["segmenter"], row["measure"]): row["value"] for row in judged["rows"]}
    assert rows["cy", "boundary_similarity(n_t=2)"] == pytest.approx(
        cz.score_many([(flat["talk", c], flat["talk", "cy"]) for c in ("ann", "bo")], "B").total.value
    )


@pytest.mark.usefixtures("in_data")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["people.json"], "--hierarchy-level applies to hierarchies; got segmentations; remove the option"),
        (["annotators.json"], "--hierarchy-level 3: the deepest hierarchy has 2 levels"),
    ],
)
def test_levels_that_do_not_exist(arguments, message):
    result = invoke(["agree", *arguments, "--hierarchy-level", "3", "--quiet"])
    assert (result.exit_code, result.stderr) == (1, f"caesura: {message}\n")


@pytest.mark.usefixtures("in_data")
def test_judge_hierarchies_on_the_command_line():
    result = invoke(["judge", "annotators.json", "--system", "cy", "--errors", "--quiet"])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("cy has hierarchy kappa .68 over 1 item")
    output = " ".join(result.stdout.split())
    assert "baselines are undefined: random, regular, none and all are defined for segmentations only" in output
    assert "--errors are undefined: misses and false alarms are defined for boundaries of segmentations only" in output
