"""How measures react to known errors, compared with values that follow from their definitions."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.data import stargazer
from caesura.errors import CaesuraWarning, OptionError
from caesura.judging import reactions
from caesura.judging.reactions import DEGRADATIONS, LEVELS, Reactions, linear_measures, measure_reactions
from caesura.measures.registry import measures
from support.commands import invoke


@pytest.fixture(scope="module")
def result() -> Reactions:
    return measure_reactions(stargazer())


def reaction(result: Reactions, name: str):
    return next(entry for entry in result.reactions if entry.measure.name == name)


@pytest.mark.slow
def test_every_measure_of_segmentations_takes_part(result: Reactions) -> None:
    """All but the one that compares nothing but labels, which the texts do not have."""
    linear = {name for name, kind in measures().items() if "linear" in kind.kinds and not kind.accepts_marks}
    assert {measure.name for measure in linear_measures()} == linear - {"label_share"}
    assert {entry.measure.name for entry in result.reactions} == linear - {"label_share"}
    assert result.excluded == ()


def test_without_errors_every_value_is_the_best(result: Reactions) -> None:
    for entry in result.reactions:
        for kind in DEGRADATIONS:
            assert entry.curves[kind][0] == pytest.approx(entry.measure.best), entry.measure


def test_curves_that_follow_from_the_definitions(result: Reactions) -> None:
    """Joining a share p of all boundaries leaves B = 1 - p; splitting all n segments of n - 1 boundaries about halves it."""
    b = reaction(result, "boundary_similarity")
    assert b.curves["joins"] == pytest.approx([1 - level for level in LEVELS], abs=0.03)
    assert b.curves["splits"][-1] == pytest.approx(0.5, abs=0.02)
    assert b.curves["near misses"][-1] == pytest.approx(0.5, abs=0.01)  # n_t = 2: one position off is half right
    assert b.credit == pytest.approx(0.5, abs=0.01)
    f = reaction(result, "boundary_f")
    assert f.curves["near misses"][-1] == pytest.approx(0, abs=0.02)
    assert f.credit == pytest.approx(0, abs=0.02)


def test_all_measures_fall_with_more_errors(result: Reactions) -> None:
    assert [entry.measure for entry in result.reactions if not all(entry.monotone.values())] == []


def test_error_rates_reward_silence(result: Reactions) -> None:
    """A known bias: a segmenter that ignores the text has the lowest Pk and WindowDiff, and the highest S, if it says nothing."""
    for name in ("pk", "window_diff", "segmentation_similarity"):
        assert reaction(result, name).best_density == 0
    assert reaction(result, "boundary_similarity").best_density > 1


def test_reversal_changes_nothing_unless_a_measure_says_so(result: Reactions) -> None:
    for entry in result.reactions:
        if type(entry.measure).reversible:
            assert entry.reversal == pytest.approx(0, abs=1e-12), entry.measure


def test_rank_agreement_by_hand() -> None:
    """S and B rank three pairs of readers in the same order, Pk in another one or not."""
    corpus = stargazer().select(coders=["1", "2", "3"])
    result = measure_reactions(corpus, ["boundary_similarity", "pk"])
    pairs = [(corpus["stargazer", a], corpus["stargazer", b]) for a, b in (("1", "2"), ("1", "3"), ("2", "3"))]
    b = [cz.boundary_similarity(*pair).value for pair in pairs]
    pk = [-cz.pk(*pair).value for pair in pairs]
    concordant = sum(np.sign(b[i] - b[j]) * np.sign(pk[i] - pk[j]) for i in range(3) for j in range(i))
    assert result.pairs == 3
    assert result.ranks[0].tau == pytest.approx(concordant / 3)


def test_pairs_have_the_order_of_combinations() -> None:
    for number in range(2, 12):
        pairs = list(combinations(range(number), 2))
        assert [reactions._pair_at(place, number) for place in range(len(pairs))] == pairs


def test_many_pairs_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reactions, "_RANKED_PAIRS", 6)
    with pytest.warns(CaesuraWarning, match=r"the ranks rest on a random sample of 6 of 21 pairs of coders"):
        first = measure_reactions(stargazer(), ["boundary_similarity", "pk"])
    assert first.pairs == 6
    with pytest.warns(CaesuraWarning):
        assert measure_reactions(stargazer(), ["boundary_similarity", "pk"]).ranks == first.ranks


def test_reactions_need_segmentations() -> None:
    dialogue = cz.Dialogue({"A": cz.Segmentation.from_masses([2, 3])})
    with pytest.raises(OptionError, match="reactions need segmentations"):
        measure_reactions(cz.Corpus({"x": {"a": dialogue, "b": dialogue}}), ["pk"])


def test_command(tmp_path: Path) -> None:
    figure = tmp_path / "reactions.svg"
    result = invoke(["reactions", "-m", "B", "-m", "WD", "-o", str(figure)])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("2 of 2 measures never improve when errors are added")
    assert "near misses" in figure.read_text(encoding="utf-8")
    document = json.loads(invoke(["reactions", "-m", "B", "--json"]).stdout)
    assert document["results"]["reactions"][0]["best_density"] > 1
