"""Unifying several hierarchies: against exhaustive search, and the guarantees of every method."""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import HierarchyError, MismatchError, OptionError, Undefined
from caesura.gold.candidates import crossing_places, heaviest_conflict_free_set
from caesura.gold.unify import METHODS, kappas_or_none
from oracle import unify as oracle
from support.examples import examples
from support.hierarchies import coders

Hierarchy = cz.Hierarchy
EVERY = [(method, level) for method, levels in METHODS.items() for level in levels]


def support(by_coder: dict[str, Hierarchy]) -> Counter[tuple[int, int]]:
    return Counter(span for hierarchy in by_coder.values() for span in hierarchy.flat)


@examples(240)
@given(
    st.dictionaries(
        st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda pair: (min(pair), max(pair))),
        st.integers(1, 4),
        min_size=1,
        max_size=12,
    )
)
def test_exhaustive_search(weight):
    best_set = heaviest_conflict_free_set(list(weight), list(weight.values()))
    selected = {span for span, member in zip(weight, best_set.members, strict=True) if member}
    best = oracle.optima(weight)
    assert selected in best
    assert best_set.weight == oracle.rank(selected, weight)[0]
    assert oracle.rank(selected, weight) == max(oracle.rank(optimum, weight) for optimum in best)
    assert best_set.optima == len(best)


@examples(90)
@given(coders(max_units=9, max_spans=4), st.sampled_from(["coders", "unique"]))
def test_conflict_free_union_of_coders(by_coder, weights):
    weight = dict(support(by_coder))
    if weights == "unique":
        weight = dict.fromkeys(weight, 1)
    gold = cz.unify(by_coder, weights=weights)
    selected = gold.hierarchy.flat
    if len(weight) <= 12:
        best = oracle.optima(weight)
        assert selected in best
        assert gold.optima == len(best)
        assert oracle.rank(selected, weight) == max(oracle.rank(optimum, weight) for optimum in best)
    assert sum(weight[span] for span in selected) == oracle.keep(weight, gold.hierarchy.length)
    assert not any(oracle.cross(a, b) for a, b in combinations(selected, 2))
    assert {(span.start, span.end): span.weight for span in (*gold.included, *gold.dropped)} == weight
    for dropped in gold.dropped:
        across = {span for span in selected if oracle.cross(span, (dropped.start, dropped.end))}
        assert {(crossed.start, crossed.end) for crossed in dropped.crossed_spans} == across
        assert across
        assert set(dropped.crossed_coders) == {coder for coder in by_coder if by_coder[coder].flat & across}


@examples(60)
@given(coders(max_units=25, max_spans=14))
def test_longer_texts_by_the_recurrence_over_cuts(by_coder):
    gold = cz.unify(by_coder)
    weight = support(by_coder)
    assert sum(weight[span] for span in gold.hierarchy.flat) == oracle.keep(weight, gold.hierarchy.length)


@examples(100)
@given(coders())
def test_order_of_coders_does_not_matter(by_coder):
    reordered = dict(reversed(by_coder.items()))
    assert cz.unify(reordered).hierarchy.flat == cz.unify(by_coder).hierarchy.flat


@examples(100)
@given(coders(max_coders=2))
def test_nothing_is_dropped_if_nothing_conflicts(by_coder):
    spans = support(by_coder)
    if not any(oracle.cross(a, b) for a, b in combinations(spans, 2)):
        gold = cz.unify(by_coder)
        assert (gold.hierarchy.flat, gold.dropped, gold.optima, gold.notes) == (set(spans), (), 1, ())


# |---A---|        one of A and B in each block
#    |---B---|
@pytest.mark.parametrize("blocks", [1, 29, 31, 62, 63, 200])
def test_the_number_of_optima_is_exact_however_large(blocks):
    spans = [(start, start + 4) for b in range(blocks) for start in (10 * b + 1, 10 * b + 3)]
    best_set = heaviest_conflict_free_set(spans, [1] * len(spans))
    assert (best_set.weight, best_set.optima) == (blocks, 2**blocks)
    assert best_set.members == (True, False) * blocks  # the earlier stays


def test_three_to_the_power_of_100_optima():
    spans = [(start, start + 4) for b in range(100) for start in (10 * b + 1, 10 * b + 3, 10 * b + 5)]
    assert heaviest_conflict_free_set(spans, [7] * len(spans)).optima == 3**100
    nested = [*spans, (1, 1000)]
    assert heaviest_conflict_free_set(nested, [7] * len(nested)).optima == 3**100


def test_large_weights_do_not_overflow():
    spans = [(i, 5000) for i in range(1, 5001)]
    best_set = heaviest_conflict_free_set(spans, [1_000_000] * 5000)
    assert (best_set.weight, best_set.optima, all(best_set.members)) == (5_000_000_000, 1, True)


@examples(100)
@given(coders())
def test_consensus_majority_and_union_are_sets(by_coder):
    n = len(by_coder)
    for level in ("flat", "full"):
        counts = Counter(span for hierarchy in by_coder.values() for span in getattr(hierarchy, level))
        golds = {name: cz.unify(by_coder, method=name, level=level) for name in ("consensus", "majority", "union")}
        views = {name: getattr(gold.hierarchy, level) for name, gold in golds.items()}
        assert views["consensus"] == {span for span, times in counts.items() if times == n}
        assert views["majority"] == {span for span, times in counts.items() if 2 * times > n}
        assert views["union"] == set(counts)
        if n == 2:
            assert views["majority"] == views["consensus"]


@examples(100)
@given(coders(), st.sampled_from(EVERY))
def test_every_candidate_is_included_or_dropped(by_coder, which):
    method, level = which
    try:
        gold = cz.unify(by_coder, method=method, level=level)
    except Undefined:
        assert method == "best_annotator"
        return
    candidates = [*gold.included, *gold.dropped]
    keys = [tuple(candidate.span)[: 3 if level == "full" else 2] for candidate in candidates]
    assert len(set(keys)) == len(keys)
    assert set(keys) == {span for candidate in by_coder.values() for span in getattr(candidate, level)}
    for candidate, key in zip(candidates, keys, strict=True):
        assert candidate.coders == tuple(coder for coder in by_coder if key in getattr(by_coder[coder], level))
    assert {(candidate.start, candidate.end) for candidate in gold.included} == gold.hierarchy.flat
    pairs = sum(oracle.cross(a, b) for a, b in combinations(gold.hierarchy.flat, 2))
    assert gold.conflicts == pairs
    assert all(candidate.reason for candidate in gold.dropped)
    assert isinstance(gold.hierarchy, Hierarchy)
    restored = pickle.loads(pickle.dumps(gold))
    assert (restored, restored.to_dict(), hash(restored)) == (gold, gold.to_dict(), hash(gold))
    spans = [span._asdict() for span in gold.hierarchy.spans]
    assert json.loads(json.dumps(gold.to_dict()))["hierarchy"]["spans"] == spans
    assert gold.coders == tuple(by_coder)


@examples(100)
@given(coders(), st.sampled_from([0, 0.2, 0.25, 0.4, 0.49, 0.5, 0.6, 0.99]), st.sampled_from(["flat", "full"]))
def test_thresholds(by_coder, threshold, level):
    gold = cz.unify(by_coder, method="majority", level=level, threshold=threshold)
    counts = Counter(span for hierarchy in by_coder.values() for span in getattr(hierarchy, level))
    assert getattr(gold.hierarchy, level) == {span for span in counts if counts[span] > threshold * len(by_coder)}
    pairs = sum(oracle.cross(a, b) for a, b in combinations(gold.hierarchy.flat, 2))
    assert gold.conflicts == pairs
    assert any("below a threshold of .5 spans may conflict" in note for note in gold.notes) == (pairs > 0)
    if threshold >= 0.5:
        assert pairs == 0


@examples(100)
@given(coders(), st.integers(1, 6))
def test_min_support(by_coder, least):
    enough = {span: times for span, times in support(by_coder).items() if times >= least}
    gold = cz.unify(by_coder, min_support=least)
    assert sum(enough[span] for span in gold.hierarchy.flat) == oracle.keep(enough, gold.hierarchy.length)
    assert cz.unify(by_coder, method="union", min_support=least).hierarchy.flat == set(enough)
    for span in gold.dropped:
        reason = f"marked by {len(span.coders)} of {len(by_coder)} coders, fewer than {least}"
        assert (span.reason == reason) == (len(span.coders) < least)
    if not enough:
        assert (gold.optima, gold.notes) == (1, ("the gold standard has no spans",))


def test_a_threshold_is_used_as_written():
    hundred = [Hierarchy(4, [(1, 2)] if i < 29 else [(3, 4)]) for i in range(100)]
    assert cz.unify(hundred, method="majority", threshold=0.29).hierarchy.flat == {(3, 4)}
    third = [Hierarchy(4, [(1, 2)]), Hierarchy(4, [(3, 4)]), Hierarchy(4, [(1, 4)])]
    assert cz.unify(third, method="majority", threshold=1 / 3).hierarchy.flat == set()


# c1 |1-------|     c2 |1-------|     c3 |1-------|     1-2 is on level 2, as for two coders; 3-4 is on level 2,
#    |2--|            |2--||2---|       |2------|       the smaller of two
#                                       |3--||3--|
def test_levels_and_labels():
    gold = cz.unify(
        {
            "c1": Hierarchy(4, [(1, 4, 1), (1, 2, 2, "b")]),
            "c2": Hierarchy(4, [(1, 4, 1, "A"), (1, 2, 2, "a"), (3, 4, 2, "y")]),
            "c3": Hierarchy(4, [(1, 4, 1, "B"), (1, 4, 2, "A"), (1, 2, 3, "a"), (3, 4, 3, "x")]),
        }
    )
    assert [tuple(span) for span in gold.hierarchy.spans] == [(1, 4, 1, "A"), (1, 2, 2, "b"), (3, 4, 2, "y")]
    expected = [((1, 2), ("A", "B")), ((2, 3), ("b", "a")), ((2, 3), ("y", "x"))]
    assert [(candidate.levels, candidate.labels) for candidate in gold.included] == expected
    assert [(candidate.span.level, candidate.weight) for candidate in gold.included] == [(1, 3), (2, 3), (2, 2)]
    two = [Hierarchy(4, [(1, 4, 1), (1, 4, 2, "q")]), Hierarchy(4, [(1, 4, 2, "q")])]
    full = cz.unify(two, method="union", level="full")
    assert [tuple(span) for span in full.hierarchy.spans] == [(1, 4, 1, None), (1, 4, 2, "q")]


def test_nested_hierarchy_of_a_gold():
    gold = cz.unify([Hierarchy(4, [(1, 4), (1, 2)]), Hierarchy(4, [(1, 3), (1, 2)])])
    with pytest.raises(HierarchyError, match="an inner span must be deeper"):
        Hierarchy(4, gold.hierarchy.spans)
    assert gold.nested_hierarchy() == Hierarchy(4, [(1, 4), (1, 3), (1, 2)])
    union = cz.unify([Hierarchy(4, [(1, 3)]), Hierarchy(4, [(2, 4)])], method="union")
    with pytest.raises(HierarchyError, match="1-3 and 2-4 cross"):
        union.nested_hierarchy()
    assert union.notes == ("a union keeps conflicts: 1 pair crosses, 1-3 and 2-4",)
    assert repr(union) == "UnifiedHierarchy(union, flat: 4 units, 2 spans, 1 pair crosses)"


def test_attributes_of_a_gold():
    hierarchies = [Hierarchy(4, [(1, 2)], units="abcd"), Hierarchy(4, [(1, 2)])]
    gold = cz.unify(hierarchies)
    assert gold.hierarchy == hierarchies[0] == cz.unify(reversed(hierarchies)).hierarchy
    assert gold.hierarchy.units == ("a", "b", "c", "d")
    assert repr(gold) == "UnifiedHierarchy(conflict_free_union, flat: 4 units, 1 span: (a b) c d)"
    assert gold.coders == ("coder 1", "coder 2")
    with pytest.raises(AttributeError, match="cannot assign"):
        gold.method = "union"
    assert cz.unify(hierarchies, method="union", min_support=2).signature == (
        f"unify|method:union|level:flat|min_support:2|coders:2|caesura:{cz.__version__}"
    )


@examples(100)
@given(coders())
def test_kappa_and_the_best_annotator(by_coder):
    n = next(iter(by_coder.values())).length
    kappas = {(a, b): oracle.kappa(by_coder[a].flat, by_coder[b].flat, n) for a, b in combinations(by_coder, 2)}
    for (a, b), expected in kappas.items():
        forward, backward = kappas_or_none([(by_coder[a], by_coder[b]), (by_coder[b], by_coder[a])])
        if expected is None:
            assert forward is backward is None
        else:
            assert forward == pytest.approx(float(expected), abs=1e-12)
            assert backward == pytest.approx(float(expected), abs=1e-12)
            assert by_coder[a].flat != by_coder[b].flat or forward == 1
    values = {coder: [k for pair, k in kappas.items() if coder in pair and k is not None] for coder in by_coder}
    means = {coder: sum(own) / len(own) for coder, own in values.items() if own}
    if not means:
        with pytest.raises(Undefined, match="best_annotator: kappa is undefined for every pair of coders"):
            cz.unify(by_coder, method="best_annotator")
        return
    gold = cz.unify(by_coder, method="best_annotator")
    first = max(means, key=means.__getitem__)
    assert gold.best_annotator == first
    assert gold.hierarchy.spans == by_coder[first].spans
    expected = {coder: float(means[coder]) if coder in means else None for coder in by_coder}
    assert gold.mean_kappas == pytest.approx(expected)
    tied = [coder for coder, mean in means.items() if mean == means[first]]
    assert gold.tied == (len(tied) > 1)
    if len(by_coder) == 2:
        assert gold.notes[0] == f"two coders always tie as best annotator; {first}, the first, was chosen"
    elif len(tied) > 1:
        assert gold.notes[0] == f"{', '.join(tied)} tie as best annotator; {first}, the first, was chosen"
    assert all(span.reason == f"not marked by {first}" for span in gold.dropped)


def test_undefined_kappas_are_left_out_of_the_means():
    full = [(1, 1), (2, 2)]
    gold = cz.unify([Hierarchy(2, full), Hierarchy(2, full), Hierarchy(2, [(1, 2)])], method="best_annotator")
    assert gold.notes[-1] == "kappa is undefined for 1 pair of coders and excluded from the means"


def test_times_are_merged_first():
    #        0    5    10        0   5.25   10   20
    ann = Hierarchy.from_times([(0, 20, 1), (0, 5, 2), (5, 10, 2), (10, 10.25, 2)])
    bo = Hierarchy.from_times([(0, 20, 1), (0, 5.25, 2), (5.25, 10, 2)])
    gold = cz.unify({"ann": ann, "bo": bo}, method="consensus", level="full")
    assert gold.hierarchy.edges == (0, 5, 10, 20)
    assert gold.hierarchy.extent == 40
    assert gold.hierarchy.full == {(1, 3, 1), (1, 1, 2), (2, 2, 2)}
    assert gold.notes == ("1 span dropped, because nothing was left after times within 0.5 s were merged",)
    assert gold.signature == f"unify|method:consensus|level:full|coders:2|tolerance:0.5|caesura:{cz.__version__}"
    finer = cz.unify({"ann": ann, "bo": bo}, tolerance=0.1)
    assert finer.hierarchy.edges == (0, 5, 5.25, 10, 10.25, 20)
    assert [(span.start, span.end) for span in finer.dropped] == [(2, 3)]  # equal in all: the earlier end stays


SMALL = Hierarchy(4, [(1, 2)])
TIMED = Hierarchy.from_times([(0, 4)])


@pytest.mark.parametrize(
    ("hierarchies", "options", "kind", "message"),
    [
        ([], {}, OptionError, "expected at least two coders to unify; got none"),
        ({"Ann": SMALL}, {}, OptionError, "expected at least two coders to unify; got 'Ann'"),
        ([Hierarchy(4, [])] * 2, {}, OptionError, "one span to unify; none of the 2 coders marked any"),
        ([Hierarchy.from_times([(0, 0.25)], duration=9)] * 2, {}, OptionError, "all 2 are shorter than the tolerance"),
        ({"Ann": SMALL, "Bo": Hierarchy(6, [(1, 2)])}, {}, MismatchError, "the same units; 'Ann' has 4, 'Bo' has 6"),
        (
            {"Ann": SMALL, "Bo": Hierarchy(4, [(1, 2)], units="abcd"), "Cy": Hierarchy(4, [(1, 2)], units="abxd")},
            {},
            MismatchError,
            "unit 3 differs: 'Bo' has 'c', 'Cy' has 'x'",
        ),
        (
            {"Ann": SMALL, "Bo": Hierarchy(4, [(1, 2)], extent=9)},
            {},
            MismatchError,
            "all coders must have the same extent; 'Ann' has 4, 'Bo' has 9",
        ),
        ({"Ann": SMALL, "Bo": TIMED}, {}, MismatchError, "times, or none; 'Bo' has them, 'Ann' has 4 units"),
        ([SMALL, "x"], {}, OptionError, "coder 'coder 2': expected a Hierarchy; got str"),
        ({1: SMALL, "1": SMALL}, {}, OptionError, "hierarchies: the names of two coders are the same string"),
        (SMALL, {}, OptionError, "hierarchies: expected a sequence of Hierarchy or a mapping coder -> Hierarchy"),
        ([SMALL] * 2, {"method": "vote"}, OptionError, "no method 'vote'; choose from 'consensus', 'majority'"),
        ([SMALL] * 2, {"level": "full"}, OptionError, "level of conflict_free_union must be one of 'flat'; got 'full'"),
        ([SMALL] * 2, {"method": "union", "level": "deep"}, OptionError, "must be one of 'flat', 'full'; got 'deep'"),
        ([SMALL] * 2, {"threshold": 0.6}, OptionError, "threshold is an option of majority only"),
        (
            [SMALL] * 2,
            {"method": "consensus", "min_support": 2},
            OptionError,
            "min_support is an option of conflict_free_union and union only; got 2 for consensus",
        ),
        ([SMALL] * 2, {"method": "majority", "threshold": 1}, OptionError, "a number from 0 to below 1; got 1"),
        (
            [SMALL] * 2,
            {"method": "majority", "threshold": float("nan")},
            OptionError,
            "threshold must be a number; got nan",
        ),
        ([SMALL] * 2, {"weights": "heavy"}, OptionError, "weights must be one of 'coders', 'unique'; got 'heavy'"),
        ([SMALL] * 2, {"min_support": 0}, OptionError, "min_support must be a whole number of at least 1; got 0"),
        ([SMALL] * 2, {"min_support": 1.5}, OptionError, "min_support must be a whole number; got 1.5"),
        ([TIMED] * 2, {"tolerance": 0}, OptionError, "tolerance must be a number above 0; got 0"),
        ([TIMED] * 2, {"tolerance": "0.5"}, OptionError, "tolerance must be a number; got '0.5'"),
    ],
)
def test_invalid_input(hierarchies: Any, options: dict[str, Any], kind: type[Exception], message: str):
    with pytest.raises(kind, match=re.escape(message)):
        cz.unify(hierarchies, **options)


@given(*[st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5)).map(lambda row: (row[0], sum(row))), max_size=6)] * 2)
def test_crossing_places(spans, against):
    places = [found.tolist() for found in crossing_places(spans, against)]
    overlap = [[{*range(a, b + 1)} for a, b in side] for side in (spans, against)]
    assert places == [
        [k for k, other in enumerate(overlap[1]) if units & other and units - other and other - units]
        for units in overlap[0]
    ]
