"""Plans from pilot studies: widths of intervals and power, compared with what larger or other studies find."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraWarning, OptionError
from caesura.judging.planning import (
    ErrorRates,
    error_rates,
    plan_study,
    simulate_system,
    smallest_difference,
    system_parts,
)
from caesura.simulation import pseudo_coders
from caesura.statistics import randomisation
from support.commands import invoke
from support.shared_data import DataFolder

MASSES = [3, 5, 8, 12]
pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")


def pilot(items: int = 12, coders: int = 3, seed: int = 1) -> cz.Corpus:
    return pseudo_coders([60] * items, MASSES, coders=coders, near=0.1, miss=0.25, seed=seed)


def test_widths_fall_with_the_square_root_of_the_number_of_items() -> None:
    plan = plan_study(pilot(), items=[25, 100], coders=[3])
    small, large = (row.width for row in plan.widths)
    assert small / large == pytest.approx(2 * math.sqrt((24 / 25) / (99 / 100)))


def test_more_coders_never_widen_the_interval() -> None:
    plan = plan_study(pilot(30, 4), items=[20])
    widths = [row.width for row in plan.widths]
    assert [row.coders for row in plan.widths] == [2, 3, 4, 5, 6]
    assert [row.extrapolated for row in plan.widths] == [False, False, False, True, True]
    assert widths[2] >= widths[3] >= widths[4]
    assert widths[0] > widths[2]


@pytest.mark.slow
def test_predicted_widths_are_those_of_a_larger_study() -> None:
    """Twelve items predict the width over forty further items of the same coders."""
    ratios = []
    for seed in range(6):
        corpus = pilot(52, 4, seed)
        first, rest = corpus.item_names[:12], corpus.item_names[12:]
        plan = plan_study(corpus.select(items=first), items=[40], coders=[4])
        low, high = cz.agreement(corpus.select(items=rest), seed=seed).interval
        ratios.append(plan.widths[0].width / (high - low))
    assert 0.8 < np.mean(ratios) < 1.25


def halves_of(corpus: cz.Corpus, seed: int) -> list[tuple[float, float]]:
    """Return predicted and actual widths: each half of the items predicts the other."""
    items = list(corpus.item_names)
    np.random.default_rng(seed).shuffle(items)
    parts = [corpus.select(items=items[: len(items) // 2]), corpus.select(items=items[len(items) // 2 :])]
    widths = []
    for first, second in (parts, parts[::-1]):
        plan = plan_study(first, items=[len(second.item_names)], coders=[2])
        low, high = cz.agreement(second, seed=seed).interval
        widths.append((plan.widths[0].width, high - low))
    return widths


@pytest.mark.slow
def test_half_of_ten_conversations_predicts_the_other(shared: DataFolder) -> None:
    """Speakers of the Santa Barbara Corpus with 200 words or more, by people and by a program."""
    path = shared / "data/auto_vs_human/sbc_iu_boundaries_10docs.json"
    documents = json.loads(Path(path).read_text(encoding="utf-8"))["docs"]
    corpus = cz.Corpus(
        {
            f"{name} {speaker}": {coder: segmentation(sides[coder][speaker]) for coder in ("human", "auto")}
            for name, sides in documents.items()
            for speaker, text in sides["human"].items()
            if text["n"] >= 200 and speaker in sides["auto"]
        }
    )
    assert len(corpus.item_names) == 25
    widths = np.array([pair for seed in range(4) for pair in halves_of(corpus, seed)])
    predicted, found = widths.mean(axis=0)
    assert predicted / found == pytest.approx(1, abs=0.25)


def segmentation(text: dict) -> cz.Segmentation:
    return cz.Segmentation.from_positions(text["n"], [place for place, _ in text["b"] if place < text["n"]])


def test_error_rates_by_hand() -> None:
    """The median of three coders has boundaries at 5 and 10; one coder misses 10, moves 5 and adds 15.

    ann  ·····|·····|··········
    bo   ·····|·····|··········
    cy   ······|········|······
    """
    masses = {"ann": [5, 5, 10], "bo": [5, 5, 10], "cy": [6, 9, 5]}
    corpus = cz.Corpus({"text": {coder: cz.Segmentation.from_masses(entry) for coder, entry in masses.items()}})
    annotations = {key: entry for key, entry in corpus.items() if isinstance(entry, cz.Segmentation)}
    assert error_rates(annotations, corpus) == ErrorRates(near=1 / 6, miss=1 / 6, false_alarm=1 / 9)


def test_simulated_systems_make_errors_at_the_rates() -> None:
    reference = cz.Segmentation.from_masses([8] * 2000)
    rates = ErrorRates(near=0.1, miss=0.2, false_alarm=0.3)
    system = simulate_system(reference, rates, np.random.default_rng(3))
    parts = cz.boundary_similarity(reference, system).parts
    boundaries = len(reference.inner)
    # A false alarm beside a missed boundary counts as a near miss, so the rates are met roughly.
    assert parts["transpositions"] / boundaries == pytest.approx(0.1, abs=0.03)
    assert parts["matches"] / boundaries == pytest.approx(0.7, abs=0.03)


@pytest.mark.slow
def test_power_is_that_of_simulated_studies() -> None:
    """Studies of 20 items with a true difference as large as the plan says find it in 80 % of all cases."""
    corpus, items = pilot(20, 3), 20
    measure = cz.parse("boundary_similarity(n_t=2)")
    plan = plan_study(corpus, items=[items], coders=[3])
    annotations = {key: entry for key, entry in corpus.items() if isinstance(entry, cz.Segmentation)}
    gold = cz.gold(corpus, ignore_types=True).corpus
    references = {item: cz.Segmentation.from_positions(60, entry.inner) for (item, _), entry in gold.items()}
    rng = np.random.default_rng(5)
    studies = 200

    def parts(extra: float) -> tuple[np.ndarray, tuple[str, ...]]:
        miss = min(1.0, plan.rates.miss + extra)
        near = plan.rates.near * (1 - miss) / (1 - plan.rates.miss)  # the same proportion of what is not missed
        rates = replace(plan.rates, miss=miss, near=near)
        systems = [
            {item: simulate_system(text, rates, rng) for item, text in references.items()} for _ in range(studies)
        ]
        return system_parts(annotations, references, measure, systems)

    first, types = parts(0.0)
    base = measure.finish(first.sum(axis=(0, 1))[None], types)[0]
    # The additional misses that lower the score by the difference of the plan, by bisection over the expected score.
    low, high = 0.0, 0.7
    for _ in range(7):
        extra = (low + high) / 2
        second, _ = parts(extra)
        difference = base - measure.finish(second.sum(axis=(0, 1))[None], types)[0]
        low, high = (extra, high) if difference < plan.differences[0].difference else (low, extra)
    found = 0
    for study in range(studies):
        chosen = rng.integers(items, size=items)
        test = randomisation(
            first[study, chosen],
            second[study, chosen],
            lambda sums: measure.finish(sums, types),
            draws=1000,
            seed=study,
        )
        found += test.p < 0.05
    assert found / studies == pytest.approx(0.8, abs=0.05 + 2 * math.sqrt(0.8 * 0.2 / studies))


def test_a_pilot_of_two_coders_says_nothing_about_more() -> None:
    two = pilot(12, 2)
    assert {row.coders for row in plan_study(two, items=[20]).widths} == {2}
    with pytest.raises(OptionError, match="a pilot of two coders does not say"):
        plan_study(two, coders=[3])


def test_smallest_difference_by_the_formula() -> None:
    """Five per cent two-sided and 80 % power: 1.96 + .84 standard deviations for many items."""
    assert smallest_difference(1, 10**6, 0.8) == pytest.approx(1.959964 + 0.841621, abs=1e-4)


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (pilot(1), "the pilot has 1 item; a plan needs at least 3"),
        (pilot(5).select(coders=pilot(5).coders[:1]), "the pilot has one coder"),
    ],
)
def test_pilots_that_are_too_small(corpus: cz.Corpus, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        plan_study(corpus)


def test_command(tmp_path: Path) -> None:
    cz.write(pilot(6), tmp_path / "pilot.json")
    result = invoke(
        ["plan", str(tmp_path / "pilot.json"), "--items", "20", "--coders", "3", "-o", str(tmp_path / "w.svg")]
    )
    assert result.exit_code == 0, result.output
    assert "With 20 items and 3 coders, expect pi over B" in result.stdout.replace("\n", " ")
    assert (tmp_path / "w.svg").is_file()
    document = json.loads(invoke(["plan", str(tmp_path / "pilot.json"), "--items", "20", "--json"]).stdout)
    assert {row["items"] for row in document["results"]["widths"]} == {20}
    cz.write(pilot(1), tmp_path / "one.json")
    wrong = invoke(["plan", str(tmp_path / "one.json")])
    assert (wrong.exit_code, "needs at least 3" in wrong.stderr) == (1, True)


def test_items_of_one_coder_say_nothing() -> None:
    masses = {"ann": [2, 3, 4], "bo": [3, 2, 4], "cy": [2, 4, 3]}
    items = {
        f"x{i}": {coder: cz.Segmentation.from_masses([i + 1, *own]) for coder, own in masses.items()} for i in range(6)
    }
    del items["x1"]["cy"], items["x2"]["ann"]  # not every coder annotated every item
    alone = {"y": {"bo": cz.Segmentation.from_masses([4, 5])}}
    with pytest.warns(CaesuraWarning, match="1 item of the pilot with only one coder is left out"):
        plan = plan_study(cz.Corpus(items | alone))
    assert plan.widths == plan_study(cz.Corpus(items)).widths
    assert plan.value == cz.agreement(cz.Corpus(items), interval=None).value
