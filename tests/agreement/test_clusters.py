"""Clusters of coders: against the definition in tests/oracle, against scipy, and against agreement of the members."""

from __future__ import annotations

import json
import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import caesura as cz
from caesura.errors import OptionError
from oracle.linkage import Group, Joint, clusters, nearest
from support.corpora import of_masses, random_corpus, shuffled
from support.excluded import reasons

QUIET = {"interval": None}
METHODS = ["average", "complete", "single", "weighted"]


def apart(corpus: cz.Corpus, measure: str = "boundary_similarity(n_t=2)") -> dict[Group, float]:
    """1 - similarity of every two coders, over all items both coded."""
    result = {}
    for a, b in combinations(corpus.coders, 2):
        both = [(corpus[i, a], corpus[i, b]) for i in corpus.item_names if (i, a) in corpus and (i, b) in corpus]
        result[frozenset((a, b))] = 1 - cz.score_many(both, measure).total.value
    return result


def test_three_coders_by_hand() -> None:
    """
    ann ··|··|··
    bo  ··|···|·     one match, one near miss with ann: B = 3/4
    cy  ·····|·      one match with bo and one boundary alone: 1/2; near miss with ann, one alone: 1/4
    """
    corpus = of_masses(x={"ann": [2, 2, 2], "bo": [2, 3, 1], "cy": [5, 1]})
    result = cz.cluster_coders(corpus)
    assert result.coders == ("ann", "bo", "cy")
    assert result.distances.tolist() == [[0, 0.25, 0.75], [0.25, 0, 0.5], [0.75, 0.5, 0]]
    expected = [({"ann", "bo"}, 0.25), ({"ann", "bo", "cy"}, 0.625)]
    assert [(set(cluster.coders), cluster.height) for cluster in result.clusters] == expected
    assert [cluster.height for cluster in cz.cluster_coders(corpus, linkage="complete").clusters] == [0.25, 0.75]
    assert [cluster.height for cluster in cz.cluster_coders(corpus, linkage="single").clusters] == [0.25, 0.5]
    # ann and bo: 4 boundaries in 10 positions, observed 3/4
    first, last = result.clusters
    assert (first.observed, first.expected) == pytest.approx((0.75, 0.16))
    assert first.value == pytest.approx((0.75 - 0.16) / 0.84)
    # all three: 1.5 of 2, 1 of 2 and .5 of 2 are 3 of 6; 5 boundaries in 15 positions
    assert (last.observed, last.expected) == pytest.approx((0.5, 1 / 9))
    assert [set(half) for half in last.halves] in ([{"ann", "bo"}, {"cy"}], [{"cy"}, {"ann", "bo"}])
    assert result.leaves == last.coders == last.halves[0] + last.halves[1]
    assert result.leaves[1] == "bo"  # who is between the others


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5))
def test_equals_the_definition(method: str, seed: int) -> None:
    corpus = random_corpus(seed, items=30, coders="abcdefgh", missing=0.2)  # many items, no ties
    result = cz.cluster_coders(corpus, linkage=method)  # type: ignore[arg-type]
    expected = clusters(apart(corpus), method)
    assert [frozenset(cluster.coders) for cluster in result.clusters] == [group for group, _ in expected]
    heights = [height for _, height in expected]
    assert [cluster.height for cluster in result.clusters] == pytest.approx(heights, abs=1e-12)


@given(st.data())
def test_every_merge_joins_a_nearest_pair(data: st.DataObject) -> None:
    """With ties there is more than one tree, and each joint must be of two groups as near as any."""
    n = data.draw(st.integers(2, 7))
    length = data.draw(st.integers(2, 5))
    bits = st.text("01", min_size=length - 1, max_size=length - 1)
    segmentations = {f"c{i}": cz.Segmentation.from_bits(data.draw(bits)) for i in range(n)}
    method = data.draw(st.sampled_from(METHODS))
    corpus = cz.Corpus({"x": segmentations})
    result = cz.cluster_coders(corpus, linkage=method)
    distances = apart(corpus)
    groups: list[Group] = [frozenset((coder,)) for coder in corpus.coders]
    joined: dict[Group, Joint] = {}
    for cluster in result.clusters:
        a, b = map(frozenset, cluster.halves)
        options = nearest(distances, groups, method, joined)
        here = options.get((a, b), options.get((b, a)))
        assert here is not None
        assert here == pytest.approx(next(iter(options.values())), abs=1e-12)
        assert cluster.height == pytest.approx(here, abs=1e-12)
        assert cluster.coders == cluster.halves[0] + cluster.halves[1]
        joined[a | b] = (a, b)
        groups = [group for group in groups if group not in (a, b)] + [a | b]
    assert groups == [frozenset(corpus.coders)]
    assert [cluster.height for cluster in result.clusters] == sorted(cluster.height for cluster in result.clusters)


@pytest.mark.parametrize("method", METHODS)
def test_linkage_equals_scipy(method: str) -> None:
    corpus = random_corpus(12, coders="hgfedcba")
    result = cz.cluster_coders(corpus, linkage=method)  # type: ignore[arg-type]
    distances = apart(corpus)
    square = np.zeros((8, 8))
    for i, j in combinations(range(8), 2):
        square[i, j] = square[j, i] = distances[frozenset((result.coders[i], result.coders[j]))]
    assert result.distances == pytest.approx(square, abs=1e-12)
    theirs = linkage(squareform(square), method)
    assert result.joins[:, 2:] == pytest.approx(theirs[:, 2:])
    assert np.sort(result.joins[:, :2], axis=1).tolist() == np.sort(theirs[:, :2], axis=1).tolist()


@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_order_of_coders_and_items_does_not_matter(missing: float) -> None:
    corpus = random_corpus(3, coders="abcdef", missing=missing)
    first = cz.cluster_coders(corpus)
    for seed in range(4):
        again = cz.cluster_coders(shuffled(corpus, seed))
        assert again.clusters == first.clusters
        assert again.coders == first.coders
        assert again.distances.tolist() == first.distances.tolist()
        assert again.signature == first.signature


def test_two_coders_and_equal_coders() -> None:
    corpus = of_masses(x={"bo": [2, 3], "ann": [1, 4]})
    result = cz.cluster_coders(corpus)
    (only,) = result.clusters
    assert (set(only.coders), only.height, only.value) == ({"ann", "bo"}, 0.5, cz.agreement(corpus, **QUIET).value)
    assert result.cut(clusters=2) in ((("ann",), ("bo",)), (("bo",), ("ann",)))
    equal = cz.cluster_coders(of_masses(x={coder: [2, 3] for coder in "abcd"}))
    assert [(cluster.height, cluster.value) for cluster in equal.clusters] == [(0, 1)] * 3
    assert sorted(equal.leaves) == list("abcd")


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize(
    ("coefficient", "measure", "compat"),
    [
        ("multi_pi", "boundary_similarity(n_t=2)", None),
        ("multi_kappa", "segmentation_similarity(n_t=3)", None),
        ("multi_pi", "boundary_similarity(n_t=2)", "segeval-2.0.11"),
        ("multi_kappa", "segmentation_similarity(n_t=2)", "fournier2012"),
        ("multi_pi", "unit_error", None),
        ("alpha", "boundary_similarity(n_t=2)", None),
    ],
)
def test_cluster_value_is_the_agreement_of_its_coders(
    coefficient: str, measure: str, compat: str | None, missing: float
) -> None:
    corpus = random_corpus(21, coders="abcdef", missing=missing)
    result = cz.cluster_coders(corpus, measure, coefficient=coefficient, compat=compat)
    options = {} if coefficient == "alpha" else {"measure": measure, "compat": compat}
    for cluster in result.clusters:
        alone = cz.agreement(corpus.select(coders=cluster.coders), coefficient=coefficient, **options, **QUIET)
        expected = (alone.value, alone.observed, alone.expected)
        assert (cluster.value, cluster.observed, cluster.expected) == pytest.approx(expected)


def test_alpha_uses_types_even_if_the_measure_does_not() -> None:
    a = cz.Segmentation.from_sets([{"act"}, {"scene"}, set(), set()])
    b = cz.Segmentation.from_sets([{"scene"}, {"scene"}, set(), set()])
    corpus = cz.Corpus({"x": {"a": a, "b": b}})
    (cluster,) = cz.cluster_coders(corpus, "crisp", coefficient="alpha").clusters
    # values: act 1, scene 3, none 4 of 8; one position of four differs
    expected = (3 * 2 + 4 * 3) / (8 * 7)
    assert (cluster.observed, cluster.expected) == pytest.approx((0.75, expected))
    assert cluster.value == pytest.approx(cz.agreement(corpus, coefficient="alpha").value)


def test_undefined_agreement_inside_a_cluster() -> None:
    """a and b placed nothing, c did."""
    result = cz.cluster_coders(of_masses(x={"a": [4], "b": [4], "c": [2, 2]}))
    first, last = result.clusters
    assert (set(first.coders), first.value, first.expected) == ({"a", "b"}, None, None)
    assert first.observed == 1
    assert last.value is not None
    assert json.loads(json.dumps(result.to_dict()))["clusters"][0]["value"] is None


TYPES = [".", ","]


def dialogue(*streams: str) -> dict[str, cz.Segmentation]:
    return {
        f"S{i}": cz.Segmentation.from_marks(["" if mark == " " else mark for mark in stream], types=TYPES)
        for i, stream in enumerate(streams)
    }


def test_flexible_similarity_of_dialogues() -> None:
    one = {"ann": (" ,  . ,.", ". ,"), "bo": (" ,  .  ,", ". ,"), "cy": (". .  , .", " , ")}
    two = {"ann": (", .",), "bo": (", ,",), "cy": ("  .",)}
    texts = {"one": one, "two": two}
    corpus = cz.Corpus({i: {c: dialogue(*streams) for c, streams in by.items()} for i, by in texts.items()})
    exact = cz.cluster_coders(corpus, "flexible_similarity", coefficient="pi", chance="exact")
    assert [frozenset(cluster.coders) for cluster in exact.clusters] == [
        group for group, _ in clusters(apart(corpus, "flexible_similarity"), "average")
    ]
    assert "|chance:exact|" in exact.signature
    assert "seed" not in exact.signature
    drawn = {"chance": cz.Simulate(draws=300), "seed": 4}
    simulated = cz.cluster_coders(corpus, "flexible_similarity", coefficient="pi", **drawn)
    assert "|draws:300|seed:4|" in simulated.signature
    for result, options in ((exact, {"chance": "exact"}), (simulated, drawn)):
        for cluster in result.clusters:
            part = corpus.select(coders=cluster.coders)
            alone = cz.agreement(part, "flexible_similarity", coefficient="pi", **options, **QUIET)
            expected = (alone.value, alone.observed, alone.expected)
            assert (cluster.value, cluster.observed, cluster.expected) == pytest.approx(expected, abs=1e-12)


def test_cut() -> None:
    corpus = random_corpus(5, coders="abcdef")
    result = cz.cluster_coders(corpus)
    heights = [cluster.height for cluster in result.clusters]
    for k in range(1, 7):
        groups = result.cut(clusters=k)
        assert len(groups) == k
        assert tuple(coder for group in groups for coder in group) == result.leaves
        if k < 6:
            assert result.cut(height=heights[5 - k]) == groups
    assert result.cut(height=0) == tuple((coder,) for coder in result.leaves)
    assert result.cut(height=1) == (result.leaves,)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "cut needs either a height or a number of clusters"),
        ({"height": 0.5, "clusters": 2}, "cut needs either a height or a number of clusters"),
        ({"clusters": 0}, "clusters must be a whole number of at least 1; got 0"),
        ({"clusters": 3}, "clusters must be a whole number of at most 2; got 3"),
    ],
)
def test_cut_with_invalid_arguments(options: dict, message: str) -> None:
    result = cz.cluster_coders(of_masses(x={"a": [2, 3], "b": [1, 4]}))
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        result.cut(**options)


SAME = {"a": [2, 3], "b": [1, 4]}
ASYMMETRIC = cz.parse("flexible_similarity").replace(
    similarity={"types": TYPES, "matrix": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}
)


@pytest.mark.parametrize(
    ("items", "options", "message"),
    [
        ([], {}, "corpus: expected a Corpus; got list"),
        ({}, {}, "agreement needs at least two coders; got none"),
        ({"x": {"a": [2, 3]}}, {}, "agreement needs at least two coders; got a"),
        ({"x": SAME, "y": {"b": [5], "c": [5]}}, {}, "coders 'a' and 'c' share no item, so they have no distance"),
        ({"x": SAME}, {"measure": "window_diff"}, "clusters need a symmetric measure with a coefficient"),
        ({"x": SAME}, {"linkage": "ward"}, "linkage must be one of 'average', 'single', 'complete', 'weighted'"),
        ({"x": SAME}, {"coefficient": "pi"}, "clusters over boundary_similarity have no coefficient 'pi'"),
        (
            {"x": SAME},
            {"measure": "S_f", "coefficient": "multi_pi"},
            "flexible_similarity has no coefficient 'multi_pi'",
        ),
        ({"x": SAME}, {"compat": "nltk"}, "agreement has no preset 'nltk'"),
        ({"x": SAME}, {"chance": "exact"}, "chance has no effect on multi_pi over boundary_similarity, which"),
        ({"x": SAME}, {"measure": "flexible_similarity", "chance": "guess"}, "chance must be 'published', 'placement'"),
        ({"x": SAME}, {"measure": "flexible_similarity", "seed": -1}, "seed must be a whole number of at least 0"),
        (
            {"x": SAME},
            {"measure": "S_f", "compat": "segsimflex"},
            "clusters need a symmetric similarity: algorithm='exact'",
        ),
        ({"x": SAME}, {"measure": ASYMMETRIC}, "clusters need a symmetric similarity: algorithm='exact'"),
    ],
)
def test_invalid_input(items: dict, options: dict, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(message)}"):
        cz.cluster_coders(of_masses(**items) if isinstance(items, dict) else items, **options)


def test_unusable_items_are_listed() -> None:
    result = cz.cluster_coders(of_masses(x=SAME, y={"a": [3]}, z={"a": [3], "b": [4]}))
    expected = {"y": "coded by a only", "z": "a is a, b is b: both sides must have the same units; a has 3, b has 4"}
    assert reasons(result) == expected


def test_signature_and_json() -> None:
    result = cz.cluster_coders(random_corpus(1), compat="fournier2013")
    assert result.signature.startswith(
        "cluster_coders|linkage:complete|multi_pi|coders:5|items:8|chance:counted|counted:segments|rates:mean|types:together|"
        "boundary_similarity|"
    )
    data = json.loads(json.dumps(result.to_dict()))
    assert (data["linkage"], data["coefficient"], data["coders"]) == ("complete", "multi_pi", list("abcde"))
    assert data["distances"] == result.distances.tolist()
    assert [cluster["coders"] for cluster in data["clusters"]] == [list(cluster.coders) for cluster in result.clusters]


def test_default_seed_is_0() -> None:
    chance = cz.Simulate(draws=100)
    corpus = random_corpus(1, items=3, coders="abc")
    first, again = (cz.cluster_coders(corpus, "flexible_similarity", chance=chance, **s) for s in ({}, {"seed": 0}))
    assert "|draws:100|seed:0|" in first.signature
    assert first.to_dict() == again.to_dict()
    assert "|seed:" in cz.cluster_coders(corpus, "flexible_similarity", chance=chance, seed=None).signature
