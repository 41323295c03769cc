"""Measures between two hierarchies: against their definitions, the figures of the papers, and mir_eval."""

from __future__ import annotations

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import MismatchError, OptionError, Undefined
from caesura.model.result import f_measure
from oracle import hierarchy as oracle
from support.corpora import ALIGN_HINT
from support.examples import examples
from support.excluded import reasons
from support.mir_eval_levels import check_mir_eval_on_times, our_value, value_of_mir_eval
from support.strategies import hierarchies, hierarchy_pairs

Hierarchy = cz.Hierarchy

#   left   (((1 2) (3 4)) (5 6))
#   right  ((1 2) ((3 4) (5 6)))
LEFT = Hierarchy(6, [(1, 6), (1, 4), (1, 2), (3, 4), (5, 6)])
RIGHT = Hierarchy(6, [(1, 6), (3, 6), (1, 2), (3, 4), (5, 6)])
NOTHING = Hierarchy(6, [])


def test_figure_6():
    """Carbone et al.: two trees that differ, and every segment of which is matched."""
    score = cz.hierarchy_kappa(LEFT, RIGHT)
    assert (score.value, score.parts["p_o"], score.parts["p_c"]) == (1.0, 1.0, 0.140625)
    assert dict(score.parts) == {"matched": 10, "segments": 10, "chance": 1.40625}
    assert score.params["extent"] == 6


@given(hierarchy_pairs())
def test_kappa_matches_its_definition(pair):
    a, b = pair
    if not a.flat and not b.flat:
        with pytest.raises(Undefined, match=r"^neither side has a span"):
            cz.hierarchy_kappa(a, b)
        return
    p_o, p_c = oracle.flammia_zue(set(a.flat), set(b.flat), a.length)
    if p_c == 1:
        with pytest.raises(Undefined, match=r"^chance agreement is 1, because every unit begins and ends a span"):
            cz.hierarchy_kappa(a, b)
        return
    score = cz.hierarchy_kappa(a, b)
    assert score.parts["p_o"] == float(p_o)
    assert score.parts["p_c"] == pytest.approx(float(p_c), abs=1e-15)
    assert score.value == pytest.approx(float((p_o - p_c) / (1 - p_c)), abs=1e-12)
    assert cz.hierarchy_kappa(b, a) == score


@examples(60)
@given(hierarchy_pairs())
def test_kappa_of_a_hierarchy_and_itself(pair):
    a, _ = pair
    if a.flat and oracle.flammia_zue(set(a.flat), set(a.flat), a.length)[1] < 1:
        assert cz.hierarchy_kappa(a, a).value == 1.0


def test_kappa_of_an_empty_side_is_zero():
    assert cz.hierarchy_kappa(LEFT, NOTHING).value == cz.hierarchy_kappa(NOTHING, LEFT).value == 0.0


def test_kappa_uses_the_extent_as_n():
    a, b = (Hierarchy(6, [tuple(s)[:3] for s in hierarchy], extent=60) for hierarchy in (LEFT, RIGHT))
    score = cz.hierarchy_kappa(a, b)
    assert score.parts["p_c"] == pytest.approx(float(oracle.flammia_zue(set(a.flat), set(b.flat), 60)[1]), rel=1e-14)
    assert "extent:60" in score.signature.split("|")


def test_kappa_has_no_worst_value():
    """A chain of spans from one place, which the other side does not have: the more units, the nearer chance agreement is to 1."""
    values = []
    for n in (8, 16, 32, 64):
        ones = [(i, i) for i in range(1, n + 1)]
        a = Hierarchy(n, [*ones, *((3, i) for i in range(4, n + 1))])
        b = Hierarchy(n, [span for span in ones if span[0] not in (2, 3)] + [(2, 3)])
        values.append(cz.hierarchy_kappa(a, b).value)
    assert all(y < 1.5 * x < 0 for x, y in itertools.pairwise(values))


@examples(100)
@given(hierarchy_pairs())
def test_overlap_matches_its_definition(pair):
    a, b = pair
    for level, x, y in (("flat", a.flat, b.flat), ("full", a.full, b.full)):
        score = cz.hierarchy_overlap(a, b, level=level)
        assert dict(score.parts) == {"relevant": len(x & y), "reference": len(x), "hypothesis": len(y)}
        empty = float(not x and not y)
        assert score.recall() == (len(x & y) / len(x) if x else empty)
        assert score.precision() == (len(x & y) / len(y) if y else empty)
        assert score.value == pytest.approx(score.f(), abs=1e-15)


def test_overlap_ignores_labels():
    a = Hierarchy(4, [(1, 4, 1, "x"), (1, 4, 1, "y"), (1, 4, 2, "y"), (1, 2, 2, "z")])
    assert dict(cz.hierarchy_overlap(a, a, level="full").parts) == {"relevant": 3, "reference": 3, "hypothesis": 3}
    assert dict(cz.hierarchy_overlap(a, a).parts) == {"relevant": 2, "reference": 2, "hypothesis": 2}


@examples(100)
@given(hierarchy_pairs())
def test_non_crossing_matches_its_definition(pair):
    a, b = pair
    expected = {"uncrossed": oracle.uncrossed(set(a.flat), set(b.flat)), "spans": len(a.flat)}
    assert dict(cz.non_crossing(a, b).parts) == expected


@examples(80)
@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)).map(sorted), max_size=14), hierarchies(units=12))
def test_gold_may_contain_crossing_spans(spans, annotation):
    """A union of several coders keeps conflicts, and may not be sorted."""
    union = annotation.with_spans(cz.Span(a, b, 1, "x") for a, b in spans)
    flat = {(a, b) for a, b in spans}
    assert cz.non_crossing(annotation, union).parts["uncrossed"] == oracle.uncrossed(set(annotation.flat), flat)
    assert cz.non_crossing(union, annotation).parts["uncrossed"] == oracle.uncrossed(flat, set(annotation.flat))
    assert cz.hierarchy_overlap(annotation, union).parts["relevant"] == len(annotation.flat & flat)
    assert meets(cz.l_measure, annotation, union) == pytest.approx(triples(oracle.meet_by_label, annotation, union))


def test_non_crossing_of_thousands_of_spans_is_fast():
    """A comb against a comb shifted by one: every pair of neighbours crosses. Pairs would be 10^9."""
    n = 30_000
    a = Hierarchy(2 * n + 2, [(2 * i + 1, 2 * i + 2, 1) for i in range(n)])
    b = Hierarchy(2 * n + 2, [(2 * i + 2, 2 * i + 3, 1) for i in range(n)])
    assert cz.non_crossing(a, b).value == 0
    assert cz.non_crossing(a, a).value == 1


def meets(measure, a, b):
    score = measure(a, b)
    return score.precision(), score.recall(), score.value


def triples(by, a, b, *, without_query=True):
    x, y = (by([tuple(s) for s in value.spans]) for value in (a, b))
    n = a.length
    recall, precision = (oracle.recall(*pair, n, without_query=without_query) for pair in ((x, y), (y, x)))
    nothing = Fraction(recall is None and precision is None)
    recall, precision = (float(nothing if value is None else value) for value in (recall, precision))
    return precision, recall, f_measure(precision, recall)


@examples(100)
@given(hierarchy_pairs(max_units=8))
def test_t_and_l_match_their_definition(pair):
    for measure, by in ((cz.t_measure, oracle.meet_by_span), (cz.l_measure, oracle.meet_by_label)):
        assert meets(measure, *pair) == pytest.approx(triples(by, *pair), abs=1e-12)


@examples(60)
@given(hierarchy_pairs(max_units=8))
def test_t_and_l_over_times_match_their_definition(pair):
    """Units of a second: over times a query is a point, and its own atom counts in full."""
    a, b = (Hierarchy(hierarchy.length, map(tuple, hierarchy), edges=range(hierarchy.length + 1)) for hierarchy in pair)
    for measure, by in ((cz.t_measure, oracle.meet_by_span), (cz.l_measure, oracle.meet_by_label)):
        assert meets(measure, a, b) == pytest.approx(triples(by, a, b, without_query=False), abs=1e-12)


@examples(60)
@given(hierarchy_pairs(max_units=8), st.integers(0, 5), st.integers(1, 3))
def test_time_units_do_not_matter(pair, shift, stretch):
    """Cut into other units on either side, later, or slower: the same spans at the same times say the same."""
    a, b = (Hierarchy(hierarchy.length, map(tuple, hierarchy), edges=range(hierarchy.length + 1)) for hierarchy in pair)
    if not b.spans:
        return
    finer = Hierarchy(
        2 * a.length,
        [(2 * s.start - 1, 2 * s.end, s.level, s.label) for s in a],
        edges=[shift + stretch * t / 2 for t in range(2 * a.length + 1)],
    )
    coarser = Hierarchy.from_times(
        [(shift + stretch * (s.start - 1), shift + stretch * s.end, s.level, s.label) for s in b]
    )
    for measure in (cz.t_measure, cz.l_measure):
        assert meets(measure, finer, coarser) == pytest.approx(meets(measure, a, b), abs=1e-12)


def random_spans(rng, n, levels, labels, *, overlap):
    """Labelled spans on some levels: segments with gaps or, with ``overlap``, spans that may overlap on their level."""
    rows = []
    for level in levels:
        if overlap:
            starts = rng.integers(1, n + 1, n // 8)
            ends = np.minimum(starts + rng.integers(0, n // 3, len(starts)), n)
        else:
            ends = np.unique(rng.integers(1, n + 1, n // 2))
            starts = np.concatenate([[1], ends[:-1] + 1])
        rows += [
            cz.Span(int(start), int(end), level, str(rng.integers(labels)))
            for start, end in zip(starts, ends, strict=True)
            if overlap or rng.random() < 0.9
        ]
    return rows


@pytest.mark.parametrize("levels", [(1,), (1, 2), (2, 5, 7), range(1, 8)], ids=str)
@pytest.mark.parametrize("labels", [2, 5, 40])
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("timed", [False, True])
def test_l_of_long_texts_matches_its_definition(levels, labels, overlap, timed):
    """On few levels the kernel adds up sets of levels, on many it compares all pairs."""
    rng = np.random.default_rng([len(levels), labels, overlap, timed])
    n = 150
    edges = np.round(np.cumsum(np.concatenate([[3.7], rng.exponential(2.3, n)])), 9).tolist() if timed else None
    a, b = (
        Hierarchy(n, [], edges=edges).with_spans(random_spans(rng, n, side, labels, overlap=overlap))
        for side in (levels, (1, 3))
    )
    weights = np.diff(edges) if timed else np.ones(n)
    x, y = (oracle.meets_by_label(map(tuple, side.spans), n) for side in (a, b))
    score = cz.l_measure(a, b)
    own = float(not timed)
    assert score.recall() == pytest.approx(oracle.recall_of_many(x, y, weights, own), abs=1e-12)
    assert score.precision() == pytest.approx(oracle.recall_of_many(y, x, weights, own), abs=1e-12)
    assert cz.l_measure(b, a).value == pytest.approx(score.value, abs=1e-15)
    assert cz.l_measure(a, a).value == pytest.approx(1, abs=1e-15)


def test_the_arrays_of_a_hierarchy_are_not_part_of_its_value():
    fresh, used = (Hierarchy(6, [(1, 6, 1, "x"), (1, 4, 2, "y"), (5, 6, 2, "x")]) for _ in range(2))
    assert used.columns.rows[3].tolist() == [1, 2, 1]
    assert used.columns is used.columns
    assert used == fresh
    assert pickle.dumps(used) == pickle.dumps(fresh)
    changed = used.with_spans(used.spans[:2])
    assert changed.columns.rows[0].tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        used.columns.rows[0, 0] = 2


def test_reference_determines_the_text_length():
    """
    a  |----A----|----B----|
    b  |---A---|-----B-----|---C---|
    """
    a = Hierarchy.from_times([(0, 5, 1, "A"), (5, 10, 1, "B")])
    b = Hierarchy.from_times([(0, 4, 1, "A"), (4, 10, 1, "B"), (10, 14, 1, "C")])
    cut = Hierarchy.from_times([(0, 4, 1, "A"), (4, 10, 1, "B")])
    for measure in (cz.t_measure, cz.l_measure):
        assert meets(measure, a, b) == meets(measure, a, cut)
        assert measure(b, a).value < measure(a, b).value  # there C has nothing to stand against
        assert measure(a, cut).value == pytest.approx(measure(cut, a).value, abs=1e-15)
    assert cz.t_measure(a, Hierarchy.from_times([(20, 30)])).value == 0


def test_t_equals_l_with_unique_labels():
    a = Hierarchy(6, [(s.start, s.end, s.level, str(i)) for i, s in enumerate(LEFT)])
    b = Hierarchy(6, [(s.start, s.end, s.level, str(i)) for i, s in enumerate(RIGHT)])
    assert meets(cz.l_measure, a, b) == meets(cz.t_measure, LEFT, RIGHT)


def test_only_the_order_of_levels_matters():
    deep = Hierarchy(6, [(s.start, s.end, 10 * s.level) for s in LEFT])
    assert cz.t_measure(LEFT, deep).value == 1
    assert cz.t_measure(deep, RIGHT).value == cz.t_measure(LEFT, RIGHT).value


@pytest.mark.parametrize("measure", [cz.t_measure, cz.l_measure])
def test_no_triples_to_order(measure):
    """No span, or one that covers all: 1 on both sides, 0 on one."""
    whole, halves = Hierarchy(6, [(1, 6, 1, "x")]), Hierarchy(6, [(1, 3, 1, "x"), (4, 6, 1, "y")])
    assert (
        meets(measure, whole, whole) == meets(measure, whole, NOTHING) == meets(measure, NOTHING, NOTHING) == (1, 1, 1)
    )
    assert meets(measure, whole, halves) == meets(measure, halves, NOTHING) == (0, 0, 0)
    assert dict(measure(whole, NOTHING).parts) == dict.fromkeys(("recalled", "reference", "confirmed", "hypothesis"), 0)


def random_levels(rng: np.random.Generator, n: int, levels: int) -> list[list[tuple[int, int, str]]]:
    """Segments of 0..n, level by level, each a refinement of the one above."""
    cuts: set[int] = {0, n}
    out = []
    for _ in range(levels):
        cuts |= set(rng.integers(1, n, rng.integers(1, 5)).tolist())
        ends = sorted(cuts)
        out.append([(a, b, str(rng.choice(list("abc")))) for a, b in itertools.pairwise(ends)])
    return out


def free_levels(rng: np.random.Generator, n: int, levels: int) -> list[list[tuple[int, int, str]]]:
    """Segments of 0..n, level by level, independent of each other."""
    return [random_levels(rng, n, 1)[0] for _ in range(levels)]


def spans_of(levels, times):
    return [(times[s], times[e], k, label) for k, level in enumerate(levels, 1) for s, e, label in level]


@pytest.mark.parametrize("nested", [True, False])
def test_mir_eval_on_text(nested):
    rng = np.random.default_rng(3 if nested else 5)
    draw, fewest = (random_levels, 1) if nested else (free_levels, 2)
    crossing = 0
    for _ in range(12):
        n = int(rng.integers(5, 40))
        sides = [draw(rng, n, int(rng.integers(fewest, 4))) for _ in "ab"]
        rows = [[(s + 1, e, k, label) for s, e, k, label in spans_of(side, range(n + 1))] for side in sides]
        a, b = (Hierarchy(n, side, nested=nested) for side in rows)
        crossing += not a.nested
        for name in ("t", "l"):
            assert our_value(name, a, b) == pytest.approx(value_of_mir_eval(name, *sides, 1), abs=1e-9)
    assert (crossing == 0) if nested else (crossing > 6)


@pytest.mark.parametrize("nested", [True, False])
def test_mir_eval_on_times(nested):
    rng = np.random.default_rng(4 if nested else 6)
    draw = random_levels if nested else free_levels
    for name in ("t", "l"):
        times = [0.0, *np.round(np.sort(rng.uniform(1, 40, 9)), 1).tolist(), 41.0]
        sides = [draw(rng, len(times) - 1, 2) for _ in "ab"]
        a, b = (Hierarchy.from_times(spans_of(side, times), nested=nested) for side in sides)
        assert a.nested == nested
        check_mir_eval_on_times(a, b, name)


TIMED = Hierarchy.from_times([(0, 10, 1, "x"), (0, 5, 2, "y")])
LATER = Hierarchy.from_times([(0, 10.5, 1, "x"), (0, 5, 2, "y"), (5, 6, 2, "z")])
FLAT = cz.Segmentation.from_masses([2, 4])
ALL = ["hierarchy_kappa", "hierarchy_overlap", "non_crossing", "t_measure", "l_measure"]


@pytest.mark.parametrize("name", ALL)
def test_incomparable_annotations(name):
    measure = cz.measures()[name]()
    first, second = measure.sides
    labelled = Hierarchy(6, [(1, 6, 1, "x")])
    pairs = [
        (FLAT, FLAT),
        (labelled, FLAT),
        (labelled, {"s": FLAT}),
        (labelled, Hierarchy(7, [(1, 7, 1, "x")])),
        (labelled, TIMED),
        (TIMED, labelled),
        (Hierarchy(2, [(1, 2, 1, "x")], units="ab"), Hierarchy(2, [(1, 2, 1, "x")], units="ac")),
        labelled,
        (labelled, labelled),
    ]
    scores = cz.score_many(pairs, measure)
    assert {place: str(error) for place, error in scores.errors.items()} == {
        0: f"{first}: expected a Hierarchy; got Segmentation",
        1: f"{second}: expected a Hierarchy; got Segmentation",
        2: f"{second}: this measure cannot score a dialogue; got 1 speaker; use boundary_similarity or flexible_similarity",
        3: f"both sides must have the same units; {first} has 6, {second} has 7",
        4: f"both sides must have times, or neither; {second} has times, {first} has none",
        5: f"both sides must have times, or neither; {first} has times, {second} has none",
        6: f"unit 2 differs: {first} has 'b', {second} has 'c'" + ALIGN_HINT,
        7: "expected a pair of annotations; got Hierarchy",
    }
    assert scores.values[8] == 1
    with pytest.raises(MismatchError):
        measure.score(FLAT, FLAT)


@pytest.mark.parametrize("name", ALL[:3])
def test_times_need_the_same_units(name):
    measure = cz.measures()[name]()
    first, second = measure.sides
    with pytest.raises(MismatchError, match=f"{first} has 2 from 0 to 10 s, {second} has 3 from 0 to 10.5 s"):
        measure.score(TIMED, LATER)
    merged, _ = cz.common_units({"a": TIMED, "b": LATER})
    assert 0 < measure.score(merged["a"], merged["b"]).value <= 1


def test_other_messages():
    with pytest.raises(
        MismatchError, match="hypothesis: l_measure needs a label on every span; 3-4 on level 2 has none"
    ):
        cz.l_measure(Hierarchy(4, [(1, 4, 1, "x")]), Hierarchy(4, [(1, 4, 1, "x"), (3, 4, 2)]))
    with pytest.raises(MismatchError, match=r"both sides must have the same extent, .* a has 6, b has 12"):
        cz.hierarchy_kappa(LEFT, Hierarchy(6, [(1, 6)], extent=12))
    with pytest.raises(OptionError, match="level must be one of 'flat', 'full'; got 'deep'"):
        cz.hierarchy_overlap(LEFT, RIGHT, level="deep")
    ones = Hierarchy(2, [(1, 1), (2, 2)])
    with pytest.raises(
        Undefined, match="chance agreement is 1, because every unit begins and ends a span on both sides"
    ):
        cz.hierarchy_kappa(ones, ones)
    with pytest.raises(MismatchError, match=r"^a: the hierarchy has the levels 1, 2, 3; choose one with level=1$"):
        cz.boundary_similarity(LEFT, RIGHT)


@examples(30)
@given(st.lists(hierarchy_pairs(max_units=7), max_size=6))
def test_batch_equals_single_documents(documents):
    """Alone, together, on threads, or taken out of a batch again; times and text side by side."""
    timed = [
        tuple(
            Hierarchy(hierarchy.length, map(tuple, hierarchy), edges=range(3, hierarchy.length + 4))
            for hierarchy in pair
        )
        for pair in documents[::2]
    ]
    pairs = [*documents, *timed]
    for name in ALL:
        measure = cz.measures()[name]()
        many = cz.score_many(pairs, measure)
        threaded = cz.score_many(pairs, measure, workers=3)
        assert np.array_equal(many.counts, threaded.counts)
        for i, pair in enumerate(pairs):
            if i in many.errors:
                assert isinstance(many.errors[i], Undefined)
                continue
            alone = measure.score(*pair)
            assert (many[i], many.values[i], threaded.values[i]) == (alone, alone.value, alone.value)
            assert pickle.loads(pickle.dumps(alone)) == alone


@pytest.fixture
def corpus():
    return cz.Corpus(
        {
            "one": {"ann": LEFT, "bo": RIGHT, "cy": Hierarchy(6, [(1, 6), (1, 3), (4, 6)])},
            "two": {"ann": LEFT, "bo": Hierarchy(6, [(1, 6), (2, 3)]), "cy": LEFT},
        }
    )


def test_pairwise(corpus):
    table = cz.pairwise(corpus, "hierarchy_kappa")
    by_coders = {row.coders: row for row in table.rows}
    assert set(by_coders) == {("ann", "bo"), ("ann", "cy"), ("bo", "cy")}
    alone = [cz.hierarchy_kappa(corpus[item, "ann"], corpus[item, "bo"]) for item in corpus.item_names]
    assert by_coders["ann", "bo"].score == sum(alone)
    assert by_coders["ann", "bo"].items == {"one": 1.0, "two": alone[1].value}
    assert cz.pairwise(corpus, "non_crossing", ordered=True).matrix.shape == (3, 3)


def test_pairwise_of_times_names_common_units():
    corpus = cz.Corpus({"song": {"ann": TIMED, "bo": LATER}})
    with pytest.raises(OptionError, match="put them on the same units with common_units"):
        cz.pairwise(corpus, "hierarchy_kappa")
    merged, notes = cz.over_common_units(corpus)
    assert notes == {}
    expected = cz.hierarchy_kappa(merged["song", "ann"], merged["song", "bo"]).value
    assert cz.pairwise(merged, "hierarchy_kappa").rows[0].value == pytest.approx(expected)
    assert cz.pairwise(corpus, "t_measure").rows[0].value == cz.t_measure(TIMED, LATER).value


def test_agreement_pools_observed_and_chance(corpus):
    with pytest.warns(cz.errors.CaesuraWarning, match="an interval from 2 items"):
        result = cz.agreement(corpus, measure="hierarchy_kappa", seed=1)
    pairs = [("ann", "bo"), ("ann", "cy"), ("bo", "cy")]
    keys = [(item, a, b) for item in corpus.item_names for a, b in pairs]
    scores = {(item, a, b): cz.hierarchy_kappa(corpus[item, a], corpus[item, b]) for item, a, b in keys}
    whole = sum(scores.values())
    assert (result.coefficient, result.method) == ("kappa", "counted")
    assert (result.value, result.observed, result.expected) == pytest.approx(
        (whole.value, whole.parts["p_o"], whole.parts["p_c"])
    )
    assert {row.coders: row.value for row in result.pairs} == pytest.approx(
        {(a, b): sum(scores[item, a, b] for item in corpus.item_names).value for a, b in pairs}
    )
    assert {row.item: row.value for row in result.items} == pytest.approx(
        {item: sum(scores[item, a, b] for a, b in pairs).value for item in corpus.item_names}
    )
    for row in result.coders:
        mine = sum(score for (_, a, b), score in scores.items() if row.coder in (a, b))
        without = sum(score for (_, a, b), score in scores.items() if row.coder not in (a, b))
        assert (row.value, row.without) == pytest.approx((mine.value, without.value))
    low, high = result.interval
    assert low <= result.value <= high
    assert result.bias is None
    assert "hierarchy_kappa" in result.signature
    coders = cz.agreement(corpus, measure="hierarchy_kappa", coefficient="kappa", interval="coders", seed=1)
    assert coders.value == result.value


def test_clusters_of_coders(corpus):
    clustering = cz.cluster_coders(corpus, "hierarchy_kappa")
    assert clustering.coefficient == "kappa"
    expected = cz.agreement(corpus, measure="hierarchy_kappa", interval=None).value
    assert clustering.clusters[-1].value == pytest.approx(expected)
    with pytest.raises(OptionError, match="hierarchy_kappa has no coefficient 'multi_pi'; choose from 'kappa'"):
        cz.cluster_coders(corpus, "hierarchy_kappa", coefficient="multi_pi")


def test_agreement_excludes_undefined_pairs(corpus):
    items = {item: corpus.of_item(item) for item in corpus.item_names} | {"none": {"ann": NOTHING, "bo": NOTHING}}
    result = cz.agreement(cz.Corpus(items), measure="hierarchy_kappa", interval=None)
    assert list(reasons(result)) == ["none"]
    assert reasons(result)["none"].startswith("a is ann, b is bo: neither side has a span")


def test_measures_without_chance_give_the_mean_over_pairs(corpus):
    for name, ordered in (("hierarchy_overlap", False), ("t_measure", True)):
        result = cz.agreement(corpus, measure=name, interval=None)
        assert (result.coefficient, result.expected) == ("mean", None)
        assert result.value == pytest.approx(cz.pairwise(corpus, name, ordered=ordered).mean)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "hierarchy_kappa", "coefficient": "multi_pi"}, "hierarchy_kappa has no coefficient 'multi_pi'"),
        ({"measure": "hierarchy_kappa", "chance": "exact"}, "chance has no effect on kappa over hierarchy_kappa"),
        ({"measure": "hierarchy_kappa", "counted": "segments"}, "kappa over hierarchy_kappa has no option 'counted'"),
        ({"measure": "hierarchy_kappa", "compat": "fournier2013"}, "hierarchy_kappa has no preset 'fournier2013'"),
    ],
)
def test_invalid_agreement(corpus, options, message):
    with pytest.raises(OptionError) as caught:
        cz.agreement(corpus, **options)
    assert str(caught.value).startswith(message)


def test_levels_as_types(corpus):
    flat = cz.levels_as_types(corpus)
    assert flat.item_names == corpus.item_names
    assert flat.coders == corpus.coders
    assert all(flat[key].types == ("1", "2", "3") for key in flat)
    assert flat["one", "cy"].boundaries == ((3, "2"),)
    assert cz.boundary_similarity(flat["two", "ann"], flat["two", "cy"]).value == 1
    assert 0 < cz.agreement(flat, interval=None).value < 1
    with pytest.raises(OptionError, match="item 'poem', coder 'ann': expected a Hierarchy; got Segmentation"):
        cz.levels_as_types(cz.Corpus({"poem": {"ann": FLAT}}))


def test_unmergeable_items_are_listed():
    corpus = cz.Corpus(
        {"song": {"ann": TIMED, "bo": LATER}, "mixed": {"ann": TIMED, "bo": LEFT}, "text": {"ann": LEFT}}
    )
    merged, notes = cz.over_common_units(corpus, tolerance=1)
    assert notes == {
        "song": "1 span is shorter than the tolerance of 1 s and was dropped",
        "mixed": "some coders have times and some have none; they cannot be compared",
    }
    assert merged["text", "ann"] is LEFT
    assert merged["mixed", "ann"] is TIMED
    with pytest.raises(OptionError, match="item 'poem', coder 'ann': expected a Hierarchy; got Segmentation"):
        cz.over_common_units(cz.Corpus({"poem": {"ann": FLAT}}))
