"""What the R package segsimflex 0.1.3 printed: 300 random dialogues, and three conversations of the case study."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.measures.flexible import FlexibleSimilarity
from oracle.flexible import Oracle, runs
from support.oracles import read_oracle
from support.random_states import state

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")  # the case study's ";" is a trap

Dialogue = dict[str, cz.Segmentation]


def options(case: dict[str, Any]) -> dict[str, Any]:
    """Return the matrix and costs of a case. "order" contains the types, and none at the end."""
    types = case["order"][:-1]
    matrix = case["m"] or np.eye(len(types) + 1)
    cost = case["transCost"]
    return {
        "similarity": {"types": types, "matrix": matrix},
        "transposition": cost if isinstance(cost, float) else dict(zip(types, cost, strict=False)),
    }


def sides(case: dict[str, Any]) -> tuple[Dialogue, Dialogue]:
    types = case["order"][:-1]
    if "participants" in case:
        names, texts = case["participants"], (case["bounds1"], case["bounds2"])
    else:  # one character a unit
        names = case["speakers"]
        texts = tuple(
            [["--" if mark == "\N{EN DASH}" else mark.strip() for mark in text] for text in side]
            for side in (case["lists1"], case["lists2"])
        )
    a, b = (
        {name: cz.Segmentation.from_marks(text, types=types) for name, text in zip(names, side, strict=True)}
        for side in texts
    )
    return a, b


def test_random_dialogues() -> None:
    cases = read_oracle("segsimflex.jsonl")
    assert len(cases) == 300
    for case in cases:
        a, b = sides(case)
        score = cz.flexible_similarity(a, b, **options(case), compat="segsimflex")
        R = case["R"]  # noqa: N806
        assert score.parts["cost"] == pytest.approx(R["cost"], abs=1e-9), case["id"]
        assert (score.parts["objects"], score.parts["positions"]) == (R["actions"], R["N"]), case["id"]
        assert score.value == pytest.approx(R["S_f"], abs=1e-12)
        assert score.parts["s_f_b"] == pytest.approx(R["S_f_B"], abs=1e-12)
        assert math.fsum(edit.cost for edit in score.edits) == pytest.approx(R["cost"], abs=1e-9)


def test_the_recursion_as_printed() -> None:
    for case in read_oracle("segsimflex.jsonl"):
        score = cz.flexible_similarity(*sides(case), **options(case), algorithm="pardist")
        assert score.parts["cost"] == pytest.approx(case["py"]["pardist_paper_ct_rule_cost"], abs=1e-9), case["id"]


def test_the_minimum() -> None:
    """Under the R package's rule for c always; under ours if all c are equal, else by exhaustive search."""
    equal = searched = 0
    for case in read_oracle("segsimflex.jsonl"):
        a, b = sides(case)
        case_options = options(case)
        minimum = pytest.approx(case["py"]["optimal_cost"], abs=1e-9)
        assert cz.flexible_similarity(a, b, **case_options, mover="right").parts["cost"] == minimum, case["id"]
        score = cz.flexible_similarity(a, b, **case_options)
        c = case_options["transposition"]
        if isinstance(c, float) or len(set(c.values())) == 1:
            assert score.parts["cost"] == minimum, case["id"]
            equal += 1
            continue
        streams = zip(case["bounds1"], case["bounds2"], strict=True)
        texts = [tuple([mark or None for mark in text] for text in pair) for pair in streams]
        ways = max(math.comb(len(x) + len(y), len(x)) for pair in texts for x, y in runs(*pair))
        if ways <= 2000:
            oracle = Oracle(case["order"][:-1], case["m"], c)
            cost, objects = (sum(column) for column in zip(*(oracle.score(*pair) for pair in texts), strict=True))
            assert score.parts["cost"] == pytest.approx(cost, abs=1e-9), case["id"]
            assert score.parts["objects"] == objects, case["id"]
            searched += 1
    assert equal == 186
    assert searched > 80


def test_conversations_of_the_case_study() -> None:
    """Texts 001, 004 and 016 under the identity matrix, the matrix described in the text, and with comma and period swapped."""
    compared = set()
    for case in read_oracle("nccu.jsonl"):
        a, b = sides(case)
        for normalize, figure in (("positions", "S_f"), ("boundaries", "S_f_B")):
            score = cz.flexible_similarity(a, b, **options(case), normalize=normalize, compat="segsimflex")
            assert score.value == pytest.approx(case[figure], abs=5e-8)
        assert score.parts == {"cost": case["cost"], "positions": case["N"], "objects": case["actions"]}
        compared.add((case["text"], case["config"]))
    assert len(compared) == 9


def test_conversations_by_the_definition() -> None:
    """Under the identity matrix and the matrix described in the text, the R package finds the minimum and counts no pair twice."""
    for case in read_oracle("nccu.jsonl"):
        if case["config"] != "M_vignette_order":
            parts = cz.flexible_similarity(*sides(case), **options(case)).parts
            assert (parts["s_f"], parts["s_f_b"]) == pytest.approx((case["S_f"], case["S_f_B"]), abs=5e-8)


def distribution(side: Dialogue, types: tuple[str, ...]) -> np.ndarray:
    """Return the shares of each type and of none in all streams together."""
    counts = Counter(kind for stream in side.values() for _, kind in stream.boundaries)
    positions = sum(stream.length for stream in side.values())
    return np.array([*(counts[name] for name in types), positions - counts.total()]) / positions


CHANCE = {
    ("t001", "identity"): ((0.688796, 0.55086), (0.68983, 0.54543)),
    ("t001", "M_paper_order"): ((0.787934, 0.70844), (0.78509, 0.69842)),
    ("t004", "identity"): ((0.734660, 0.61877), (0.73549, 0.61575)),
    ("t004", "M_paper_order"): ((0.804697, 0.73040), (0.80329, 0.72583)),
}
"""kappa of S_f (exact) and S_f^B (10,000 draws), by the definition and by the R package's alignment and counting."""


@pytest.mark.slow
@pytest.mark.parametrize("compat", [None, "segsimflex"])
def test_kappa_by_simulation(compat: str | None) -> None:
    for case in read_oracle("nccu.jsonl"):
        figures = CHANCE.get((case["text"], case["config"]))
        if figures is None:
            continue
        a, b = sides(case)
        measure = FlexibleSimilarity(**options(case), compat=compat)
        types = tuple(case["order"][:-1])
        lengths = [stream.length for stream in a.values()]
        p_a, p_b = (distribution(side, types) for side in (a, b))
        rows = measure.draw(types, p_a, p_b, lengths, draws=4000, state=state(3))
        observed = measure.score(a, b).parts
        for figure, expected, column in zip(("s_f", "s_f_b"), figures[compat is not None], (1, 2), strict=True):
            similarities = 1 - rows[:, 0] / rows[:, column]
            chance, standard_error = similarities.mean(), similarities.std() / math.sqrt(len(rows))
            kappa = (observed[figure] - chance) / (1 - chance)
            se = (1 - observed[figure]) / (1 - chance) ** 2 * standard_error
            assert abs(kappa - expected) < 4 * se + 1e-4, (case["text"], case["config"], figure)
