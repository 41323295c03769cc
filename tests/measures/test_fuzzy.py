"""The fuzzy success criterion: clusters of marks, rewards inside them, punishment elsewhere."""

from __future__ import annotations

import json
import math
import pickle
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import MismatchError, OptionError, SegmentationError, Undefined
from caesura.measures.fuzzy import FuzzyScore, inverse_powers
from oracle import fuzzy as oracle
from support.corpora import ALIGN_HINT
from support.examples import examples

positions = cz.Segmentation.from_positions


def success(h: list[int], c: list[int], coders: int, **options: Any) -> FuzzyScore:
    return cz.fuzzy_success(h, positions(len(h) + 1, c), coders=coders, **options)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "chain_strength": st.integers(1, 4),
        "minimal_peak": st.integers(1, 3),
        "min_count": st.integers(1, 3),
        "alpha": st.sampled_from([1, 1.25, 1.5, 2]),
        "beta": st.sampled_from([0, 0.5, 1, 1.5, 3, math.inf]),
        "p_min": st.sampled_from([0, 0.25]),
        "p_max": st.sampled_from([0.25, 0.5, 1, 3]),
        "per_cluster": st.sampled_from(["sum", "best"]),
        "edges": st.sampled_from(["linear", "ignore"]),
    },
)


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    """Counts, with empty stretches between them, boundaries, and the number of coders."""
    coders = draw(st.integers(3, 7))
    count = st.integers(0, coders)
    h = draw(st.lists(st.one_of(st.just(0), count), min_size=1, max_size=24))
    c = draw(st.sets(st.integers(1, len(h))))
    return h, sorted(c), coders


@examples(900)
@given(texts(), OPTIONS)
def test_matches_the_definition(text, options):
    h, c, coders = text
    expected = oracle.success(h, c, coders, **options)
    if expected is None:
        with pytest.raises(Undefined, match="there is no cluster: the highest count is"):
            success(h, c, coders, **options)
        return
    if options.get("p_min") and "p_max" not in options and len(expected.clusters) > 4:
        with pytest.raises(OptionError, match="p_min must not be above p_max, by default 1 / clusters"):
            success(h, c, coders, **options)
        return
    score = success(h, c, coders, **options)
    near = {"abs": 1e-9, "rel": 1e-12}
    assert score.parts["reward"] == pytest.approx(expected.reward, **near)
    assert score.parts["weight"] == expected.weight
    assert score.parts["punishment"] == pytest.approx(expected.punishment, **near)
    assert score.parts["items"] == 1
    assert score.value == pytest.approx(expected.reward / expected.weight - expected.punishment, **near)
    assert score.value == pytest.approx(score.p - score.n, **near)
    assert [(k.lower, k.upper, k.low, k.up) for k in score.clusters] == [
        (k.lower, k.upper, k.low, k.up) for k in expected.clusters
    ]
    assert [(b.position, b.cluster) for b in score.boundaries] == list(zip(c, expected.homes, strict=True))
    if options.get("per_cluster") != "best":
        assert [b.contribution for b in score.boundaries] == pytest.approx(expected.contributions, **near)
    assert math.fsum(b.success for b in score.boundaries) == pytest.approx(score.value, **near)
    assert score.best == pytest.approx(expected.best, **near)


@given(texts(), OPTIONS)
def test_cluster_attributes(text, options):
    h, c, coders = text
    try:
        score = success(h, c, coders, **options)
    except (Undefined, OptionError):
        return
    for cluster in score.clusters:
        inside = [(i, h[i - 1]) for i in range(cluster.lower, cluster.upper + 1) if h[i - 1]]
        assert list(zip(cluster.positions, cluster.marks, strict=True)) == inside
        assert cluster.peak == max(cluster.marks) >= score.params["minimal_peak"]
        marks = sum(cluster.marks)
        mu = Fraction(sum(i * n for i, n in inside), marks)
        assert cluster.mu == pytest.approx(float(mu))
        assert cluster.sigma == pytest.approx(math.sqrt(sum(n * (i - mu) ** 2 for i, n in inside) / marks), abs=1e-9)
        k = oracle.Cluster(cluster.lower, cluster.upper, cluster.low, cluster.up)
        earned = {q: float(oracle.reward(h, k, q, score.params["alpha"])) for q in range(cluster.low, cluster.up + 1)}
        assert cluster.reward == pytest.approx(max(earned.values()))
        assert cluster.low <= cluster.best <= cluster.up
        assert cluster.best == min(q for q, x in earned.items() if x > cluster.reward - 1e-9)


@given(texts(), OPTIONS)
def test_reversed_text(text, options):
    h, c, coders = text
    measure = cz.measures()["fuzzy_success"](**options)
    n = len(h) + 1
    pairs = [
        (cz.Marks(h, coders), positions(n, c)),
        (cz.Marks(h[::-1], coders), positions(n, sorted(n - q for q in c))),
    ]
    forward, backward = cz.score_many(pairs, measure).values
    assert forward == pytest.approx(backward, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("alpha", [1, 1.5, 2])
@pytest.mark.parametrize("beta", [0, 2, math.inf])
def test_all_coders_and_the_program_at_the_same_position(alpha, beta):
    """h  ····7·····
    c  ····|·····
    """
    score = success([0, 0, 0, 7, 0, 0, 0, 0], [4], 7, alpha=alpha, beta=beta)
    assert (score.value, score.p, score.n, score.best) == (1, 1, 0, 1)
    assert score.clusters[0].low == score.clusters[0].up == score.clusters[0].mu == 4
    assert score.clusters[0].sigma == 0


@pytest.mark.parametrize("alpha", [1, 1.5, 2])
def test_contribution_of_a_mark(alpha):
    """h(s) / (|s - q| + 1)^alpha, for one boundary at each place of a cluster in turn.

    h  ·3·2·4·
    """
    h = [3, 2, 4]
    for q in (1, 2, 3):
        score = success(h, [q], 5, alpha=alpha, beta=math.inf)
        expected = sum(n / (abs(s - q) + 1) ** alpha for s, n in enumerate(h, 1))
        assert score.boundaries[0].contribution == pytest.approx(expected)
        assert score.parts["reward"] == pytest.approx(expected)


def test_infinity_is_the_whole_cluster():
    """h  ·1·1·9·1·1·1·1·    narrowed to 1 and up by beta, whole for infinity"""
    h = [1, 1, 9, 1, 1, 1, 1]
    narrow, whole = (success(h, [3], 9, beta=beta).clusters[0] for beta in (0.5, math.inf))
    assert (narrow.low, narrow.up) == (2, 5)
    assert (whole.low, whole.up) == (whole.lower, whole.upper) == (1, 7)


@pytest.mark.parametrize("gap", [2, 3, 4, 5, 10])
def test_nearest_phantom(gap):
    """p_min + 2 (p_max - p_min) / gap, which in a gap of two is p_max.

    h  ··5·…·5··
    """
    h = [0, 5, *[0] * (gap - 1), 5, 0]
    for q in (3, gap + 1):
        score = success(h, [q], 5, p_min=0.1, p_max=0.7)
        assert score.n == pytest.approx(0.7 if gap == 2 else 0.1 + 2 * 0.6 / gap)


def test_in_the_middle_of_a_gap_and_at_the_edges():
    """h  ···5······5····     a phantom costs p_max at 6 (mid-gap), 1 and 12 (edges), and nothing beside a cluster if near

    Between 3 and 9 the cost rises by a third a position from p_min, outside by a half on the left and a third on the right.
    """
    h = [0] * 12
    h[2] = h[8] = 5
    costs = {q: success(h, [q], 5, p_min=0, p_max=1).n for q in range(1, 13)}
    expected = {1: 1, 2: 1 / 2, 3: 0, 4: 1 / 3, 5: 2 / 3, 6: 1, 7: 2 / 3, 8: 1 / 3, 9: 0, 10: 1 / 3, 11: 2 / 3, 12: 1}
    assert costs == pytest.approx(expected)
    ignored = {q: success(h, [q], 5, p_min=0, p_max=1, edges="ignore").n for q in range(1, 13)}
    assert ignored == pytest.approx({q: x if 3 < q < 9 else 0 for q, x in expected.items()})


def test_clusters_at_both_ends_have_no_edge_region():
    """h  ·3···3·     position 1 and position N-1 are clusters, so nothing lies before or after them"""
    score = success([3, 0, 0, 3], [1, 2, 3, 4], 3)
    assert [b.cluster for b in score.boundaries] == [0, "phantom", "phantom", 1]
    # gap 3: both phantoms stand one position from a cluster and cost 2/3 of p_max = 1/2
    assert score.n == pytest.approx(2 * 2 / 3 * 1 / 2)


def test_two_neighbours_and_beta_zero():
    """h  ·········· 4 · 3 ··     mu = 10.43: as whole numbers 10 and 11, as fractions no position at all"""
    h = [0] * 9 + [4, 3] + [0] * 5
    score = success(h, [10], 7, beta=0)
    assert score.p == pytest.approx(0.7857, abs=5e-5)
    assert score.p == pytest.approx((4 + 3 / 2) / 7)
    assert (score.clusters[0].low, score.clusters[0].up) == (10, 11)


def test_p_can_exceed_one():
    """h  ·2·3·5·3·     of seven coders, some of whom marked it twice"""
    assert success([2, 3, 5, 3], [3], 7).p == pytest.approx(1.238, abs=5e-4)
    assert success([2, 3, 5, 3], [3], 7).best == pytest.approx(1.238, abs=5e-4)
    both = success([4, 3], [1, 2], 7)
    assert both.p == pytest.approx((4 + 3 / 2 + 3 + 4 / 2) / 7)
    assert success([4, 3], [1, 2], 7, per_cluster="best").p == pytest.approx((4 + 3 / 2) / 7) == both.best


def test_whole_means_have_no_neighbours():
    """mu is 2 and sigma a fraction that does not end: with beta = 0 rounding must not let 1 or 3 in.

    h  ·1·5·1·
    """
    for h in ([1, 5, 1], [3, 1, 3], [2, 2, 2]):
        cluster = success(h, [2], 7, beta=0, minimal_peak=1).clusters[0]
        assert (cluster.low, cluster.up, cluster.mu) == (2, 2, 2)
    # sigma = 1 and beta = 1 exactly reach the ends; sigma = sqrt(2/3) and beta = sqrt(3/2) do so up to rounding
    assert [(k.low, k.up) for k in success([1, 0, 1], [2], 1, chain_strength=2, beta=1).clusters] == [(1, 3)]
    cluster = success([1, 1, 1, 0, 0], [2], 1, beta=math.sqrt(3 / 2)).clusters[0]
    assert (cluster.low, cluster.up) == (1, 3)
    cluster = success([1, 2, 2, 2, 1], [3], 2, beta=1 / math.sqrt(1.5)).clusters[0]
    assert (cluster.low, cluster.up) == (2, 4)


def test_narrow_reach_between_two_marks():
    """h  ·1···1·    beta = 0 leaves 2 and 3, where nobody marked anything: nothing to earn, and 1 and 4 are phantoms"""
    score = success([1, 0, 0, 1], [1, 2, 4], 1, chain_strength=3, beta=0)
    assert [(b.cluster, b.contribution) for b in score.boundaries] == [("phantom", -1), (0, 0), ("phantom", -1)]
    assert (score.best, score.clusters[0].best, score.clusters[0].reward) == (0, 2, 0)


def test_phantoms_inside_a_cluster_and_on_stray_marks():
    """h  ·1·1·9·1·1···2··     5 lies in the cluster's range but out of reach, 8 on marks that formed no cluster"""
    score = success([1, 1, 9, 1, 1, 0, 0, 2, 0], [3, 5, 8], 9, beta=0.5)
    assert len(score.clusters) == 1
    assert (score.clusters[0].up, score.clusters[0].upper) == (4, 5)
    assert [b.cluster for b in score.boundaries] == [0, "phantom", "phantom"]
    # after the last cluster: q - 4 over 9 - 4
    assert [b.contribution for b in score.boundaries[1:]] == pytest.approx([-1 / 5, -4 / 5])


def chains(h: list[int], coders: int, **options: Any) -> list[tuple[int, int]]:
    return [(k.lower, k.upper) for k in success(h, [], coders, **options).clusters]


def test_chain_strength():
    """h  ·3·0·3·0·0·3·    steps of 2 and 3"""
    h = [3, 0, 3, 0, 0, 3]
    assert chains(h, 3) == [(1, 1), (3, 3), (6, 6)]
    assert chains(h, 3, chain_strength=2) == [(1, 3), (6, 6)]
    assert chains(h, 3, chain_strength=3) == [(1, 6)]


def test_minimal_peak_is_half_the_coders_rounded_up():
    h = [2, 0, 3, 0, 4]
    assert chains(h, 5) == [(3, 3), (5, 5)]
    assert chains(h, 6) == [(3, 3), (5, 5)]
    assert chains(h, 7) == [(5, 5)]
    assert chains(h, 7, minimal_peak=2) == [(1, 1), (3, 3), (5, 5)]
    assert success(h, [], 7).params["minimal_peak"] == 4


def test_min_count_two_is_the_test_of_the_pseudo_code():
    """h  ·1·2·5·1·5·    single marks chain by default; with 2 they do not, and the one between the ends stays inside

    With chain_strength 2 the 1 at position 4 lies between two marked positions, and is a mark of the cluster.
    """
    h = [1, 2, 5, 1, 5]
    assert chains(h, 5) == [(1, 5)]
    assert chains(h, 5, min_count=2) == [(2, 3), (5, 5)]
    assert chains(h, 5, min_count=2, chain_strength=2) == [(2, 5)]
    (cluster,) = success(h, [4], 5, min_count=2, chain_strength=2, beta=math.inf).clusters
    assert (cluster.positions, cluster.marks) == ((2, 3, 4, 5), (2, 5, 1, 5))


# The paper's ill-treated cases, Figures 1 to 4


def test_figure_1_more_support_nearby_scores_higher():
    """(a) h  ··2·3·5·3···      (b) h  ····5·····      the same peak at position 4, hit in both

    A threshold of 5 sees one and the same boundary.
    """
    a = success([0, 2, 3, 5, 3, 0, 0, 0], [4], 7)
    b = success([0, 0, 0, 5, 0, 0, 0, 0], [4], 7)
    assert a.value > b.value > 0
    assert b.value == pytest.approx(5 / 7)
    assert a.value == pytest.approx((2 / 3 + 3 / 2 + 5 + 3 / 2) / 7)


def test_figure_2_two_neighbouring_peaks_are_one_cluster():
    """h  ···4·4···     both pass a threshold of 4, but there is one boundary, and the group split over it"""
    h = [0, 0, 4, 4, 0, 0]
    first, second = success(h, [3], 8), success(h, [4], 8)
    assert len(first.clusters) == 1
    assert first.value == second.value == pytest.approx((4 + 4 / 2) / 8) == first.best
    assert first.clusters[0].mu == 3.5


def test_figure_3_weak_and_strong_disagreement():
    """h  ···1·2·6·1·······     c (a) at 3, where one coder put a mark; (b) at 9, (c) at 12, where nobody did"""
    h = [0, 0, 1, 2, 6, 1, 0, 0, 0, 0, 0, 0, 0]
    a, b, c = (success(h, [q], 7, beta=math.inf) for q in (3, 9, 12))
    assert a.value > 0 > b.value > c.value
    assert (a.n, b.p, c.p) == (0, 0, 0)
    # punished by the distance from the cluster: 3 and 6 of 7 positions up to the edge
    assert (b.n, c.n) == (pytest.approx(3 / 7), pytest.approx(6 / 7))


def test_figure_4_problematic_cases():
    """Two boundaries, the first of which the coders do not quite agree on (a).

    h      ···2·4·1·····7·····
    right  ··· ·|· ·····|·····
    (b)    ···|· · ·····|·····     not quite at the peak
    (c)    ··· ·|· ···|··|·····    one too many
    (d)    ··· ·|· ····· ·····     one missing
    """
    h = [0, 0, 2, 4, 1, 0, 0, 0, 0, 7, 0, 0, 0, 0]
    right, near, phantom, omission = (success(h, c, 7).value for c in ([4, 10], [3, 10], [4, 8, 10], [4]))
    assert right == success(h, [4, 10], 7).best
    assert right > near > omission
    assert right > phantom
    # A missed boundary takes its reward, a phantom in mid-gap at most the reward of one sharp cluster.
    assert right - omission == pytest.approx(7 / 14)
    assert 0 < right - phantom <= 0.5
    assert near == pytest.approx(((2 + 4 / 2 + 1 / 3) + 7) / 14)


@pytest.mark.parametrize("alpha", [1, 1.37, 2])
def test_powers_as_sums_of_exponentials(alpha):
    near, rate, weight = inverse_powers(alpha)
    assert len(rate) == len(weight) <= 256  # size of the kernel's table
    d = np.unique(np.geomspace(1, 2**31, 5000).astype(np.int64)) - 1
    exact = (d + 1.0) ** -alpha
    assert np.exp(-np.outer(d, rate)) @ weight == pytest.approx(exact, rel=1e-12)
    assert near == pytest.approx(np.arange(1.0, 1025) ** -alpha)


@pytest.mark.parametrize("alpha", [1, 1.5, 2])
@pytest.mark.parametrize(("step", "per_cluster"), [(1, "sum"), (1, "best"), (40, "sum"), (10**5, "sum")])
def test_large_cluster_is_summed_like_a_small_one(alpha, step, per_cluster):
    """3,000 marks and as many boundaries at other places of one cluster, steps of up to 10^5, against the plain sum."""
    rng = np.random.default_rng(step)
    at = np.cumsum(rng.integers(1, step + 1, 6000))
    s, q = (np.sort(rng.choice(at, 3000, replace=False)) for _ in range(2))
    q = q[(q >= s[0]) & (q <= s[-1])]
    h = rng.integers(1, 8, 3000)
    n = int(at[-1]) + 7
    marks = cz.Marks.of([positions(n, s[h > coder]) for coder in range(7)])
    options = {"alpha": alpha, "beta": math.inf, "chain_strength": 10**9, "per_cluster": per_cluster}
    score = cz.fuzzy_success(marks, positions(n, q), **options)
    gain = (h / (np.abs(np.subtract.outer(q, s)) + 1.0) ** alpha).sum(axis=1)
    expected = gain.max() if per_cluster == "best" else gain.sum()
    assert score.parts["reward"] == pytest.approx(expected, rel=1e-9)
    if per_cluster == "sum":
        assert [b.contribution for b in score.boundaries] == pytest.approx(gain.tolist(), rel=1e-9)
    # the same boundaries one at a time go the other way
    alone = [cz.fuzzy_success(marks, positions(n, [int(x)]), **options).parts["reward"] for x in q[::300]]
    assert alone == pytest.approx(gain[::300].tolist(), rel=1e-9)


def test_one_million_marks_in_one_cluster():
    """With h = c = 1 everywhere a pair d apart occurs 2 (n - d) times: n + 2 sum of (n - d) / (d + 1)."""
    n = 10**6
    full = positions(n + 1, np.arange(1, n + 1))
    score = cz.fuzzy_success(full, full)
    d = np.arange(1, n)
    assert score.value == pytest.approx(n + 2 * math.fsum((n - d) / (d + 1)), rel=1e-9)
    assert len(score.clusters) == 1


def test_text_of_two_billion_units():
    far = 2**31 - 2
    score = cz.fuzzy_success(positions(far + 1, [5, far]), positions(far + 1, [5, far - 1]))
    assert score.p == 0.5
    assert score.n == pytest.approx(0.5 * 2 / (far - 5))
    score = cz.fuzzy_success(positions(far + 1, [5, far]), positions(far + 1, [5]), chain_strength=far, alpha=2)
    assert score.p == pytest.approx(1 + 1 / (far - 4) ** 2)


def test_counts_marks_and_segmentations():
    h, hypothesis = [0, 4, 3, 0], positions(5, [2])
    score = cz.fuzzy_success(h, hypothesis, coders=7)
    for counts in (tuple(h), np.array(h), np.array(h, np.uint8)):
        assert cz.fuzzy_success(counts, hypothesis, coders=7) == score
    marks = cz.Marks(h, 7)
    assert cz.fuzzy_success(marks, hypothesis) == cz.fuzzy_success(marks, hypothesis, coders=7) == score
    assert cz.parse("fuzzy_success").score(marks, hypothesis) == score
    reference = positions(5, [2, 3])
    assert cz.fuzzy_success(reference, hypothesis) == cz.fuzzy_success([0, 1, 1, 0], hypothesis, coders=1)
    assert cz.fuzzy_success(reference, hypothesis) == cz.fuzzy_success(reference, hypothesis, coders=1)


def test_signature_and_params():
    score = success([0, 4, 0, 0, 4, 0], [2], 7, beta=math.inf)
    assert score.signature == (
        "fuzzy_success|chain_strength:1|minimal_peak:4|min_count:1|alpha:1|beta:inf|p_min:0|p_max:0.5|per_cluster:sum"
        f"|edges:linear|coders:7|auto:minimal_peak,p_max|caesura:{cz.__version__}"
    )
    assert success([0, 4], [2], 7, minimal_peak=3, p_max=0.5).params["p_max"] == 0.5
    assert repr(score.measure) == "fuzzy_success(beta=inf)"
    assert cz.parse("fuzzy_success(beta=inf)") == cz.parse("fuzzy_success(beta=1e999)") == score.measure


def test_json_and_pickle():
    score = success([0, 4, 0, 0, 4, 0], [2, 3], 7, beta=math.inf)
    data = json.loads(json.dumps(score.to_dict(), allow_nan=False))
    assert data["params"]["beta"] == "inf"
    assert data["figures"] == {"p": 4 / 14, "n": pytest.approx(1 / 3)}
    assert [k["lower"] for k in data["clusters"]] == [2, 5]
    assert [b["cluster"] for b in data["boundaries"]] == [0, "phantom"]
    assert data["best"] == pytest.approx(8 / 14)
    again = pickle.loads(pickle.dumps(score))
    expected = (score, score.clusters, score.boundaries, score.best)
    assert (again, again.clusters, again.boundaries, again.best) == expected


def test_many_documents():
    """The reward over summed clusters * S, less the mean punishment; the coders may differ from text to text."""
    texts = [
        (cz.Marks([0, 4, 3, 0, 0], 7), positions(6, [2, 5])),
        (cz.Marks([0, 2, 0, 2], 3), positions(5, [2])),
        (positions(9, [4]), positions(9, [4, 6])),
    ]
    scores = cz.score_many(texts, "fuzzy_success")
    single = [cz.fuzzy_success(*pair) for pair in texts]
    assert scores.values.tolist() == [score.value for score in single]
    total = scores.total
    assert dict(total.parts) == pytest.approx(
        {"reward": 5.5 + 2 + 1, "weight": 7 + 6 + 1, "punishment": 1 + 0 + 0.5, "items": 3}
    )
    assert total.value == pytest.approx(8.5 / 14 - 1.5 / 3)
    assert (total.p, total.n) == (pytest.approx(8.5 / 14), 0.5)
    assert total.value == sum(single).value
    assert (total.clusters, total.boundaries, total.best) == (None, None, None)
    assert {"clusters", "best"}.isdisjoint(total.to_dict())
    assert (total.params["coders"], total.params["minimal_peak"], total.params["p_max"]) == ("1..7", "1..4", "0.5..1.0")
    left, right = (single[0] + single[1]) + single[2], single[0] + (single[1] + single[2])
    assert left.signature == right.signature == total.signature
    assert scores[1].clusters == single[1].clusters


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_many_random_documents(workers):
    rng = np.random.default_rng(8)
    texts = []
    for _ in range(300):
        n = int(rng.integers(2, 60))
        h = rng.integers(0, 6, n - 1) * (rng.random(n - 1) < 0.4)
        texts.append((cz.Marks(h, 5), positions(n, np.flatnonzero(rng.random(n - 1) < 0.2) + 1)))
    for text in ("fuzzy_success", "fuzzy_success(chain_strength=3, alpha=1.5, per_cluster='best', p_max=1)"):
        scores = cz.score_many(texts, text, workers=workers)
        assert 0 < len(scores.errors) < 60
        for i in scores.scored.tolist():
            assert scores.values[i] == cz.parse(text).score(*texts[i]).value
        assert scores.total.documents == len(texts) - len(scores.errors)
        assert scores.total.parts["items"] == scores.total.documents


def test_no_cluster():
    for h, options, message in (
        ([0, 2, 0, 3], {}, "there is no cluster: the highest count is 3, minimal_peak is 4"),
        ([0, 0], {}, "there is no cluster: the highest count is 0, minimal_peak is 4"),
        ([], {"minimal_peak": 1}, "there is no cluster: the highest count is 0, minimal_peak is 1"),
        ([5], {"min_count": 6}, "there is no cluster: the highest count is 5, minimal_peak is 4 and min_count 6"),
    ):
        with pytest.raises(Undefined, match=f"^{message}$"):
            success(h, [], 7, **options)


NO_DIALOGUE = "this measure cannot score a dialogue; got 1 speaker; use boundary_similarity or flexible_similarity"


def test_invalid_documents_are_listed_and_the_rest_are_scored():
    good = (cz.Marks([0, 4, 0], 7), positions(4, [2]))
    texts = [
        good,
        (cz.Marks([0, 3, 0], 7), positions(4, [2])),
        (cz.Marks([0, 4, 0], 7), positions(5, [2])),
        (cz.Marks([0, 4], 7, units=["to", "be", "or"]), positions(3, [2], units=["to", "do", "or"])),
        ([0, 4, 0], positions(4, [2])),
        (positions(4, [2]), cz.Marks([0, 4, 0], 7)),
        ({"F": positions(4, [2])}, positions(4, [2])),
        5,
        (cz.Marks([4, 0, 4, 0, 4], 7), positions(6, [2])),
        (positions(4, [2]), positions(4, [2])),
        good,
    ]
    scores = cz.score_many(texts, "fuzzy_success(p_min=0.4, minimal_peak=4)")
    assert {place: (type(why), str(why)) for place, why in scores.errors.items()} == {
        1: (Undefined, "there is no cluster: the highest count is 3, minimal_peak is 4"),
        2: (MismatchError, "both sides must have the same units; counts has 4, hypothesis has 5"),
        3: (MismatchError, "unit 2 differs: counts has 'be', hypothesis has 'do'" + ALIGN_HINT),
        4: (MismatchError, "counts: expected Marks or a Segmentation; got list"),
        5: (MismatchError, "hypothesis: expected a Segmentation; got Marks"),
        6: (MismatchError, f"counts: {NO_DIALOGUE}"),
        7: (MismatchError, "expected a pair of annotations; got int"),
        8: (OptionError, "p_min must not be above p_max, by default 1 / clusters = 0.333333; got 0.4; set p_max too"),
        9: (OptionError, "minimal_peak must lie in 1..1, the number of coders; got 4"),
    }
    assert scores.values[[0, 10]].tolist() == [4 / 7, 4 / 7]
    assert scores.total.documents == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.99}, "alpha must be a number from 1 to 2; got 0.99"),
        ({"alpha": 2.5}, "alpha must be a number from 1 to 2; got 2.5"),
        ({"alpha": math.nan}, "alpha must be a number; got nan"),
        ({"alpha": "1"}, "alpha must be a number; got '1'"),
        ({"beta": -0.5}, "beta must be a number from 0 up, or inf; got -0.5"),
        ({"beta": -math.inf}, "beta must be a number from 0 up, or inf; got -inf"),
        ({"beta": math.nan}, "beta must be a number; got nan"),
        ({"beta": "inf"}, "beta must be a number; got 'inf'"),
        ({"p_min": -1}, "p_min must be a number from 0 up; got -1"),
        ({"p_max": -1}, "p_max must be a number from 0 up; got -1"),
        ({"p_max": math.inf}, "p_max must be a number from 0 up; got inf"),
        ({"p_max": 10**400}, f"p_max must be a number; got 1{'0' * 400}"),
        ({"p_min": 0.5, "p_max": 0.25}, "p_min must not be above p_max; got 0.5 and 0.25"),
        ({"p_min": 2}, "p_min must not be above p_max, by default 1 / clusters = 1; got 2; set p_max too"),
        ({"chain_strength": 0}, "chain_strength must be a whole number of at least 1; got 0"),
        ({"chain_strength": 1.5}, "chain_strength must be a whole number; got 1.5"),
        ({"minimal_peak": 0}, "minimal_peak must be a whole number of at least 1; got 0"),
        ({"minimal_peak": 8}, "minimal_peak must lie in 1..7, the number of coders; got 8"),
        ({"min_count": 0}, "min_count must be a whole number of at least 1; got 0"),
        ({"per_cluster": "mean"}, "per_cluster must be one of 'sum', 'best'; got 'mean'"),
        ({"edges": "wrap"}, "edges must be one of 'linear', 'ignore'; got 'wrap'"),
        ({"coders": None}, "coders is missing: set it to the number of coders behind the counts, or use Marks"),
    ],
)
def test_invalid_options(options, message):
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        cz.fuzzy_success([0, 4, 0], positions(4, [2]), **{"coders": 7} | options)


def test_invalid_counts():
    hypothesis = positions(4, [2])
    for counts, coders, kind, message in (
        ([0, 8, 0], 7, SegmentationError, "counts[1]: expected a number of coders from 0 to 7; got 8"),
        ([0, 4, 0], 0, SegmentationError, "coders: the number of coders must be a whole number from 1 to"),
        ([0, 4], 7, MismatchError, "both sides must have the same units; counts has 3, hypothesis has 4"),
        (cz.Marks([0, 4, 0], 7), 5, OptionError, "coders must be 7, the number of coders who made the marks; got 5"),
        (positions(4, [2]), 5, OptionError, "coders must be 1, the number of coders who made the marks; got 5"),
        ({"F": hypothesis}, 5, MismatchError, f"counts: {NO_DIALOGUE}"),
    ):
        with pytest.raises(kind, match=f"^{re.escape(message)}"):
            cz.fuzzy_success(counts, hypothesis, coders=coders)


def test_other_measures_reject_marks():
    with pytest.raises(
        MismatchError, match="reference: expected a Segmentation, a Tier or a level of a Hierarchy; got Marks"
    ):
        cz.pk(cz.Marks([0, 4, 0], 7), positions(4, [2]))
    with pytest.raises(MismatchError, match="a: expected a Segmentation; got Marks"):
        cz.flexible_similarity(cz.Marks([0, 4, 0], 7), positions(4, [2]))
