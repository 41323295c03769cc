"""The score of randomly placed boundaries, against enumeration of all texts and against agreement."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import caesura as cz
from caesura.agreement.chance_scores import chance_scores, supports_chance
from caesura.data import stargazer
from caesura.measures.registry import measures, parse
from oracle.placement import texts

# reference   ---|--|---      ----|----
# hypothesis  --|---|---      --|---|--
PAIRS = [
    (cz.Segmentation.from_masses([3, 2, 3]), cz.Segmentation.from_masses([2, 3, 3])),
    (cz.Segmentation.from_masses([4, 4]), cz.Segmentation.from_masses([2, 4, 2])),
]


def enumerated(measure: str, positions: int, p_a: float, p_b: float) -> np.ndarray:
    """Return the expected parts over all pairs of texts with this number of positions."""
    all_texts = [[i for i, entry in enumerate(text, 1) if not entry] for text in texts(positions, [(0,)])]
    segmentations = [cz.Segmentation.from_positions(positions + 1, text) for text in all_texts]
    weights = [[p ** len(text) * (1 - p) ** (positions - len(text)) for text in all_texts] for p in (p_a, p_b)]
    return np.outer(*weights).reshape(-1) @ cz.score_many(itertools.product(segmentations, repeat=2), measure).counts


@pytest.mark.parametrize(
    ("measure", "fixed"),
    [
        ("pk", "pk(window={})"),
        ("window_diff", "window_diff(window={})"),
        ("win_pr", "win_pr(window={})"),
        ("pk(window=3)", "pk(window=3)"),
        ("crisp(tolerance=1)", "crisp(tolerance=1)"),
        ("unit_error", "unit_error"),
        ("boundary_similarity(n_t=2)", "boundary_similarity(n_t=2)"),
        ("crisp", "crisp"),
    ],
)
def test_enumeration(measure: str, fixed: str) -> None:
    scores = cz.score_many(PAIRS, measure)
    total, by_pair = chance_scores(PAIRS, scores, draws=8000)
    p_a, p_b = 3 / 14, 4 / 14
    parts = []
    for place in range(2):
        window = scores.resolved["window"][place] if "window" in scores.resolved else None
        parts.append(enumerated(fixed.format(window), 7, p_a, p_b))
    expected = float(parse(measure).finish(np.sum(parts, axis=0)[None], ("boundary",))[0])
    assert abs(total.value - expected) <= 4 * total.error + 1e-12
    assert total.error < 0.01
    assert total.draws == (0 if total.method == "placement, exact" else 8000)
    best = parse(measure).best
    assert total.beyond == pytest.approx((scores.total.value - total.value) / (best - total.value))
    assert set(by_pair) == {0, 1}
    window = scores.resolved["window"][0] if "window" in scores.resolved else None
    alone = parse(measure).finish(enumerated(fixed.format(window), 7, 2 / 7, 2 / 7)[None], ("boundary",))[0]
    assert abs(by_pair[0].value - alone) <= 4 * by_pair[0].error + 1e-12


@pytest.mark.parametrize("name", [name for name in measures() if supports_chance(parse(name))])
def test_every_measure_of_segmentations(name: str) -> None:
    corpus = stargazer()
    pairs = [(corpus["stargazer", "1"], corpus["stargazer", coder]) for coder in "234567"]
    scores = cz.score_many(pairs, name)
    results = [chance_scores(pairs, scores, draws=100, seed=seed)[0] for seed in (0, 0, 1)]
    assert results[0] == results[1]
    assert (results[0] == results[2]) == (results[0].error == 0)
    assert all(math.isfinite(result.value) for result in results)
    if parse(name).best is None:
        assert results[0].beyond is None
    else:
        assert 0 < results[0].beyond < 1  # readers of the same text agree better than chance


def test_as_for_kappa() -> None:
    corpus = stargazer().select(coders=("1", "4"))
    pairs = [(corpus["stargazer", "1"], corpus["stargazer", "4"])]
    total, by_pair = chance_scores(pairs, cz.score_many(pairs, "boundary_similarity(n_t=2)"))
    kappa = cz.agreement(corpus, coefficient="kappa", chance="placement")
    assert total.value == pytest.approx(kappa.expected)
    assert total.beyond == pytest.approx(kappa.value)
    assert by_pair[0] == total


def test_excluded_pairs_and_pairs_without_boundaries() -> None:
    empty = cz.Segmentation.from_masses([8])
    pairs = [*PAIRS, (empty, cz.Segmentation.from_masses([9])), (empty, empty)]
    scores = cz.score_many(pairs, "boundary_similarity(n_t=2)")
    total, by_pair = chance_scores(pairs, scores)
    assert set(by_pair) == {0, 1}
    assert 0 < total.value < 1


def test_typed_and_streams() -> None:
    def typed(*marks: tuple[int, str]) -> cz.Segmentation:
        return cz.Segmentation.from_positions(9, [p for p, _ in marks], marks=[t for _, t in marks], types=["x", "y"])

    pairs = [(typed((2, "x"), (5, "y")), typed((2, "y"), (6, "x")))]
    for measure in ("boundary_similarity(n_t=2)", "boundary_confusion(n_t=2)", "flexible_similarity", "pk"):
        total, _ = chance_scores(pairs, cz.score_many(pairs, measure), draws=50)
        assert 0 < total.value < 1
    talk = {"F": cz.Segmentation.from_masses([2, 3]), "M": cz.Segmentation.from_masses([3, 1])}
    dialogues = [(talk, talk)]
    total, _ = chance_scores(dialogues, cz.score_many(dialogues, "flexible_similarity"), draws=50)
    assert 0 < total.value < 1


def test_streams_of_dialogues_are_pooled() -> None:
    # Streams of different density have different windows.
    def talk(first: list[int], second: list[int]) -> cz.Dialogue:
        return cz.Dialogue({"F": cz.Segmentation.from_masses(first), "M": cz.Segmentation.from_masses(second)})

    dialogues = [(talk([9, 11, 10], [1, 2, 3, 2]), talk([8, 22], [2, 2, 2, 2]))]
    streams = [(dialogues[0][0][name], dialogues[0][1][name]) for name in "FM"]
    for measure in ("pk", "win_pr", "boundary_similarity(n_t=2)", "crisp"):
        pooled, by_dialogue = chance_scores(dialogues, cz.score_many(dialogues, measure), draws=200)
        flat, _ = chance_scores(streams, cz.score_many(streams, measure), draws=200)
        assert pooled == by_dialogue[0] == flat


def test_measures_of_hierarchies_have_no_placement() -> None:
    assert not supports_chance(parse("struct_iou"))
    assert not supports_chance(parse("hierarchy_kappa"))
    assert not supports_chance(parse("pairwise_f"))  # it compares labels
