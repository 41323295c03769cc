"""Comparison of systems, test by test, from arrays computed in plain loops."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraWarning
from caesura.simulation import pseudo_coders
from caesura.statistics import blocked_kruskal_wallis, friedman, holm, paired_bootstrap, randomisation
from support.judged import B, people_and_systems

MEASURES = [B, "window_diff", "fuzzy_success"]


@pytest.fixture(scope="module")
def compared():
    corpus, systems = people_and_systems(items=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        return (
            corpus,
            systems,
            cz.judge(corpus, systems, measures=MEASURES, seed=7, bounds=False, level=0.9, replicates=300),
        )


def references(corpus, item, measure):
    by_coder = corpus.of_item(item)
    if measure.name == "fuzzy_success":
        return {"all": cz.Marks.of(list(by_coder.values()))}
    return by_coder


def scores(corpus, by_item, measure):
    """(item, coder) -> score."""
    return {
        (item, coder): measure.score(reference, by_item[item])
        for item in sorted(by_item)
        for coder, reference in references(corpus, item, measure).items()
    }


def parts(by_pair, items):
    return np.array(
        [
            [
                sum(column)
                for column in zip(
                    *(tuple(score.parts.values()) for key, score in by_pair.items() if key[0] == item), strict=True
                )
            ]
            for item in items
        ],
        float,
    )


@pytest.mark.parametrize("place", range(3), ids=MEASURES)
def test_all_tests(compared, place):
    corpus, systems, judgement = compared
    comparison = judgement.comparisons[place]
    measure = comparison.measure
    by_system = {name: scores(corpus, by_item, measure) for name, by_item in systems.items()}
    assert (comparison.replicates, comparison.draws) == (300, 100_000)
    swaps, boots = [], []
    for pair in comparison.pairs:
        a, b = (by_system[name] for name in pair.systems)
        items = sorted({item for item, _ in a} & {item for item, _ in b})
        tables = parts(a, items), parts(b, items)

        def finish(sums, measure=measure):
            return measure.finish(sums, ("boundary",))

        swapped = randomisation(*tables, finish)
        resampled = paired_bootstrap(*tables, finish, replicates=300, level=0.9, seed=7)
        swaps.append(swapped.p)
        boots.append(resampled.p)
        totals = [sum(score for key, score in by_pair.items() if key[0] in items).value for by_pair in (a, b)]
        assert pair.difference == pytest.approx(totals[0] - totals[1], abs=1e-12)
        assert pair.interval == pytest.approx((resampled.low, resampled.high))
        values = [finish(table) for table in tables]
        better = values[0] - values[1] if measure.higher_is_better else values[1] - values[0]
        expected = ((better > 1e-12).sum(), (np.abs(better) <= 1e-12).sum(), (better < -1e-12).sum())
        assert (pair.wins, pair.ties, pair.losses) == expected
        assert pair.items == len(items)
    assert [pair.randomisation for pair in comparison.pairs] == pytest.approx(holm(swaps).tolist())
    assert [pair.bootstrap for pair in comparison.pairs] == pytest.approx(holm(boots).tolist())
    names = list(systems)
    means = [
        [
            np.mean([score.value for key, score in by_system[n].items() if key[0] == item])
            if item in systems[n]
            else np.nan
            for n in names
        ]
        for item in sorted(corpus.item_names)
    ]
    in_blocks, by_rank = friedman(np.round(means, 12)), blocked_kruskal_wallis(np.round(means, 12))
    assert comparison.friedman.statistic == pytest.approx(in_blocks.statistic)
    assert comparison.friedman.incomplete == in_blocks.incomplete == comparison.kruskal_wallis.incomplete == 1
    assert comparison.kruskal_wallis.statistic == pytest.approx(by_rank.statistic)
    for pair in comparison.pairs:
        a, b = (names.index(name) for name in pair.systems)
        assert pair.friedman == pytest.approx(in_blocks.pairs[a, b])
        assert pair.kruskal_wallis == pytest.approx(by_rank.pairs[a, b])


def test_letters_match_the_randomisation_tests(compared):
    _, _, judgement = compared
    for comparison in judgement.comparisons:
        letters = comparison.letters
        for pair in comparison.pairs:
            shared = set(letters[pair.systems[0]]) & set(letters[pair.systems[1]])
            assert bool(shared) == (pair.randomisation > comparison.alpha)


def test_two_equal_systems_do_not_differ(compared):
    corpus, systems, _ = compared
    judgement = cz.judge(
        corpus, {"a": systems["alpha"], "b": systems["alpha"]}, measures=B, seed=1, interval=None, bounds=False
    )
    (comparison,) = judgement.comparisons
    (pair,) = comparison.pairs
    assert (pair.difference, pair.wins, pair.ties, pair.losses) == (0, 0, 8, 0)
    assert (pair.bootstrap, pair.randomisation, pair.friedman, pair.kruskal_wallis) == (1, 1, 1, 1)
    assert comparison.letters == {"a": "a", "b": "a"}


@pytest.mark.slow
def test_enough_replicates_for_many_pairs():
    """12 systems have 66 pairs. The smallest possible p after Holm is 66 / (replicates + 1) and must be below alpha."""
    corpus, systems = people_and_systems(items=20)
    many = {f"s{k}": systems["alpha"] for k in range(11)} | {
        "none": {i: cz.Segmentation.from_masses([text.length]) for i, text in systems["alpha"].items()}
    }
    judgement = cz.judge(corpus, many, measures=B, seed=1, interval=None, bounds=False, replicates=100)
    (comparison,) = judgement.comparisons
    assert (comparison.replicates, comparison.draws) == (5280, 100_000)
    assert comparison.pairs[10].systems == ("s0", "none")
    assert comparison.pairs[10].randomisation < 0.02
    assert comparison.letters["none"] == "b"


def test_the_seed_changes_only_what_is_random():
    """With six to eight items, all tests except the bootstrap are exact. Intervals and the random bound are drawn."""
    corpus, systems = people_and_systems(items=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        first, again, other = (cz.judge(corpus, systems, measures=MEASURES, seed=seed) for seed in (0, 0, 1))
    assert first.to_dict() == again.to_dict()
    for a, b in zip(first.rows, other.rows, strict=True):
        assert (a.value == b.value and a.macro == b.macro) or (a.bound and a.segmenter in ("random", "placement"))
    assert [row.interval for row in first.rows] != [row.interval for row in other.rows]
    for a, b in zip(first.comparisons, other.comparisons, strict=True):
        assert a.letters == b.letters
        for p, q in zip(a.pairs, b.pairs, strict=True):
            assert p.exact
            exact = ("difference", "randomisation", "friedman", "wins", "ties", "losses", "items")
            assert [getattr(p, name) for name in exact] == [getattr(q, name) for name in exact]
    assert [drop.value for drop in first.drops] == [drop.value for drop in other.drops]
    assert [entry.test for entry in first.replacements] == [entry.test for entry in other.replacements]


def test_a_p_value_near_the_level_is_borderline():
    """With 30 items the swaps are drawn. The level is set to p, where half of all seeds would decide differently."""
    corpus, _ = people_and_systems(items=30)
    two = ["coder 1", "coder 2"]
    (pair,) = cz.judge(corpus, two, measures=B, bounds=False, interval=None, replicates=100).comparisons[0].pairs
    assert not pair.exact
    at_level = cz.judge(corpus, two, measures=B, bounds=False, interval=None, replicates=100, alpha=pair.randomisation)
    far = cz.judge(corpus, two, measures=B, bounds=False, interval=None, replicates=100, alpha=0.9)
    assert "randomisation" in at_level.comparisons[0].pairs[0].borderline
    assert far.comparisons[0].pairs[0].borderline == ()


@pytest.mark.slow
@pytest.mark.parametrize("items", [6, 20])
def test_rank_tests_keep_their_level_with_six_coders(items):
    """200 comparisons of two equal systems with six coders. With every (item, coder) as a block, a third differ."""
    corpus = pseudo_coders([40] * 200, [4, 6, 9], coders=8, near=0.15, miss=0.25, seed=items)
    pairs = [
        (corpus[i, c], corpus[i, s]) for s in corpus.coders[6:] for i in corpus.item_names for c in corpus.coders[:6]
    ]
    values = cz.score_many(pairs, B).values.reshape(2, 200, 6)
    rng = np.random.default_rng(items)
    rejected = np.zeros(3)
    for _ in range(200):
        drawn = values[:, rng.integers(200, size=items)]
        swap = rng.random(items) < 0.5
        drawn[:, swap] = drawn[::-1, swap]
        means = drawn.mean(axis=2).T.round(12)
        rejected += [
            friedman(means).p <= 0.05,
            blocked_kruskal_wallis(means).p <= 0.05,
            friedman(drawn.reshape(2, -1).T, method="asymptotic").p <= 0.05,
        ]
    assert (rejected[:2] <= 0.065 * 200).all()
    assert rejected[2] > 0.2 * 200
