"""Chance agreement of randomly placed boundaries: against enumeration of all texts, a chain in fractions, and shuffles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.agreement.coder_pairs import score_coder_pairs
from caesura.agreement.coefficients import agreement_with_placement
from caesura.agreement.families import resolve_coefficient
from caesura.agreement.placement import BoundaryCounts
from caesura.data import stargazer
from caesura.engines import use_engine
from caesura.errors import OptionError, Undefined
from caesura.measures.expected import ChainEdits, ExpectedCounts, RandomStreams, SimulatedCounts, edit_chain
from caesura.measures.registry import parse
from caesura.model.value import Floats
from oracle.boundary import Rules
from oracle.placement import chance_agreement, expected_parts, texts, three_state_chain
from support.corpora import of_masses, random_corpus, shuffled
from support.shared_data import DataFolder

B, S = "boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)"
QUIET = {"interval": None}
ONE = ((0,),)
UNTYPED = ("boundary",)


def similarity_b(parts: dict[str, Fraction]) -> Fraction:
    cost = parts["additions"] + parts["transpositions"] / 2
    pairs = parts["additions"] + parts["transpositions"] + parts["matches"]
    return 1 - cost / pairs if pairs else Fraction(1)


def similarity_s(parts: dict[str, Fraction]) -> Fraction:
    cost = parts["additions"] + parts["transpositions"] / 2
    return 1 - cost / parts["positions"] if parts["positions"] else Fraction(1)


def expected_row(
    formula: ExpectedCounts, rates_a: list[float], rates_b: list[float], lengths: dict[int, float]
) -> Floats:
    """Return the expected counts of streams: inner positions -> number of streams."""
    positions = np.array(sorted(lengths), np.int64)
    streams = RandomStreams(positions, np.array([[lengths[n] for n in positions.tolist()]]))
    return formula.moments(np.array([rates_a]), np.array([rates_b]), streams, np.zeros(1, np.int64)).counts


def formula_of(
    measure: str, types: tuple[str, ...] = UNTYPED, sets: tuple[tuple[int, ...], ...] = ONE
) -> ExpectedCounts:
    formula = parse(measure).expected_counts(types, sets)
    assert formula is not None
    assert formula.method.startswith("placement, exact")
    return formula


def by_scoring_all_texts(
    measure: str,
    types: tuple[str, ...],
    sets: tuple[tuple[int, ...], ...],
    positions: int,
    a: list[float],
    b: list[float],
) -> Floats:
    """Return the expected parts, from the parts of all pairs of texts."""
    all_texts = texts(positions, sets)
    probabilities = [[math.prod([*p, 1 - sum(p)][entry] for entry in text) for text in all_texts] for p in (a, b)]
    segmentations = []
    for text in all_texts:
        marks = {i: [types[t] for t in sets[entry]] for i, entry in enumerate(text, 1) if entry < len(sets)}
        typed = {} if len(types) == 1 else {"marks": list(marks.values()), "types": types}
        segmentations.append(cz.Segmentation.from_positions(positions + 1, list(marks), **typed))
    scores = cz.score_many(itertools.product(segmentations, repeat=2), measure)
    return np.outer(*probabilities).reshape(1, -1) @ scores.counts


@pytest.mark.parametrize("n_t", [1, 2, 3])
@pytest.mark.parametrize("name", ["boundary_similarity", "segmentation_similarity", "boundary_confusion"])
def test_all_texts_of_one_type(name: str, n_t: int) -> None:
    measure = f"{name}(n_t={n_t})"
    for positions in range(1, 9):
        rates = [0.35], [0.2] if positions % 2 else [0.6]
        enumerated = by_scoring_all_texts(measure, UNTYPED, ONE, positions, *rates)
        assert expected_row(formula_of(measure), *rates, {positions: 1.0}) == pytest.approx(enumerated, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "types", "sets"),
    [
        ("boundary_similarity(n_t=4)", 1, ONE),
        ("boundary_similarity(n_t=3, wt=0.25)", 1, ONE),
        ("segmentation_similarity(n_t=3, transposition='te')", 1, ONE),
        ("segmentation_similarity(n_t=3, transposition='unit')", 1, ONE),
        (B, 2, ((0,), (1,))),
        (B, 2, ((0,), (1,), (0, 1))),
        (S, 2, ((0,), (1,), (0, 1))),
        (B, 3, ((0,), (1,), (2,))),
        ("segmentation_similarity(n_t=2, transposition='unit', substitution='unit')", 2, ((0,), (1,))),
        ("segmentation_similarity(n_t=2, transposition='unit', ws=0.25)", 2, ((0,), (1,))),
        ("segmentation_similarity(n_t=2, transposition='te')", 2, ((0,), (1,))),
        ("segmentation_similarity(n_t=3, w_trp=0.5)", 1, ONE),
        ("segmentation_similarity(n_t=3, w_trp=0)", 1, ONE),
        ("segmentation_similarity(n_t=2, w_trp=0, w_sub=0.5)", 2, ((0,), (1,))),
        ("segmentation_similarity(n_t=2, w_trp=0, w_sub=0)", 2, ((0,), (1,))),
        ("segmentation_similarity(n_t=2, divisor='types_squared')", 2, ((0,), (1,))),
    ],
)
def test_all_texts_with_types_and_other_costs(measure: str, types: int, sets: tuple[tuple[int, ...], ...]) -> None:
    names = UNTYPED if types == 1 else tuple("xyz"[:types])
    rates = [0.3 / (k + 1) for k in range(len(sets))], [0.5 / (k + 2) for k in range(len(sets))]
    for positions in (1, 2, 3, 6 if types == 1 else 4 if len(sets) == 2 else 3):
        enumerated = by_scoring_all_texts(measure, names, sets, positions, *rates)
        computed = expected_row(formula_of(measure, names, sets), *rates, {positions: 1.0})
        finish = parse(measure).finish
        # With several types, which of several optimal alignments is counted does not matter to the value.
        assert finish(computed, names) == pytest.approx(finish(enumerated, names), abs=1e-12)


@pytest.mark.parametrize(
    ("rules", "types", "sets", "positions"),
    [
        (Rules(n_t=2), UNTYPED, ONE, 5),
        (Rules(n_t=3), UNTYPED, ONE, 5),
        (Rules(n_t=2, types=2), ("x", "y"), ((0,), (1,), (0, 1)), 3),
    ],
)
def test_exhaustive_alignment(
    rules: Rules, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...], positions: int
) -> None:
    rates_a = [Fraction(1, k + 4) for k in range(len(sets))]
    rates_b = [Fraction(2, k + 7) for k in range(len(sets))]
    parts = expected_parts(positions, sets, rates_a, rates_b, rules)
    measure = parse(f"boundary_similarity(n_t={rules.n_t})")
    formula = formula_of(repr(measure), types, sets)
    computed = expected_row(formula, list(map(float, rates_a)), list(map(float, rates_b)), {positions: 1.0})
    assert measure.finish(computed, types)[0] == pytest.approx(float(1 - parts["cost"] / parts["pairs"]), abs=1e-13)
    if len(sets) == 1:
        named = dict(zip(measure.part_names(types), computed[0].tolist(), strict=True))
        assert named == pytest.approx({name: float(parts[name]) for name in named}, abs=1e-13)


rates = st.fractions(0, 1, max_denominator=60)


@given(p_a=rates, p_b=rates, lengths=st.dictionaries(st.integers(0, 90), st.integers(1, 3), min_size=1, max_size=5))
def test_chain_of_three_states(p_a: Fraction, p_b: Fraction, lengths: dict[int, int]) -> None:
    expected: dict[str, Fraction] = {}
    for positions, number in lengths.items():
        for name, value in three_state_chain(p_a, p_b, positions).items():
            expected[name] = expected.get(name, Fraction(0)) + number * value
    weights = {positions: float(number) for positions, number in lengths.items()}
    computed = expected_row(formula_of(B), [float(p_a)], [float(p_b)], weights)[0]
    names = parse(B).part_names(UNTYPED)
    named = dict(zip(names, computed.tolist(), strict=True))
    for name, value in expected.items():
        assert named[name] == pytest.approx(float(value), rel=1e-12, abs=1e-12), name


@given(p_a=rates, p_b=rates, positions=st.integers(0, 200))
def test_the_automaton_for_n_t_2_is_the_chain(p_a: Fraction, p_b: Fraction, positions: int) -> None:
    measure = parse(B)
    chain = edit_chain(*measure.costs(UNTYPED).gains, ONE)
    assert chain is not None
    assert len(chain.successor) == 3
    automaton = ChainEdits(chain, ONE, lambda edits: measure.expected_parts(UNTYPED, edits))
    row = [float(p_a)], [float(p_b)], {positions: 1.0}
    assert expected_row(automaton, *row) == pytest.approx(expected_row(formula_of(B), *row), rel=1e-11, abs=1e-11)


@given(p_a=rates, p_b=rates, length=st.integers(1, 40))
def test_swapping_coders_and_complete_agreement(p_a: Fraction, p_b: Fraction, length: int) -> None:
    for measure in (B, "boundary_similarity(n_t=3)"):
        formula = formula_of(measure)
        forth = expected_row(formula, [float(p_a)], [float(p_b)], {length: 1.0})
        back = expected_row(formula, [float(p_b)], [float(p_a)], {length: 1.0})
        assert forth == pytest.approx(back, abs=1e-9)
        certain = expected_row(formula, [1.0], [1.0], {length: 1.0})
        assert parse(measure).finish(certain, UNTYPED)[0] == pytest.approx(1)


def test_too_many_states() -> None:
    assert parse("boundary_similarity(n_t=12)").expected_counts(UNTYPED, ONE) is None
    sets = tuple((k,) for k in range(12))
    assert parse(B).expected_counts(tuple("abcdefghijkl"), sets) is None
    assert parse("boundary_similarity(n_t=3, alignment='greedy')").expected_counts(UNTYPED, ONE) is None


@pytest.mark.parametrize(
    ("measure", "types", "sets"),
    [
        (B, UNTYPED, ONE),
        (S, ("x", "y"), ((0,), (1,), (0, 1))),
        ("crisp", UNTYPED, ONE),
        ("boundary_confusion(n_t=3)", UNTYPED, ONE),
    ],
)
def test_simulation_agrees_with_the_formula(
    measure: str, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]
) -> None:
    simulated = SimulatedCounts(parse(measure), types, sets, draws=4000, seed=3)
    positions = np.array([0, 7, 40], np.int64)
    streams = RandomStreams(positions, np.array([[1.0, 3.0, 2.0], [0.0, 0.0, 5.0]]))
    p_a = np.array([[0.3, 0.1, 0.05][: len(sets)]] * 2)
    p_b = np.array([[0.2, 0.2, 0.1][: len(sets)]] * 2)
    group = np.array([0, 1], np.int64)
    estimate = simulated.moments(p_a, p_b, streams, group)
    assert estimate.covariance is not None
    assert simulated.draws >= 4000
    finish = parse(measure).finish
    exact = finish(formula_of(measure, types, sets).moments(p_a, p_b, streams, group).counts, types)
    assert finish(estimate.counts, types) == pytest.approx(exact, abs=0.02)
    again = SimulatedCounts(parse(measure), types, sets, draws=4000, seed=3).moments(p_a, p_b, streams, group)
    assert (again.counts == estimate.counts).all()


def test_stargazer() -> None:
    result = cz.agreement(stargazer(), chance="placement")
    assert round(result.expected, 4) == 0.3281
    assert round(result.value, 2) == 0.30
    assert result.method == "placement, exact"
    assert (result.draws, result.seed, result.expected_error, result.standard_error) == (0, None, 0.0, 0.0)
    assert "|chance:placement|" in result.signature
    by_s = cz.agreement(stargazer(), S, chance="placement")
    assert (round(by_s.expected, 2), round(by_s.value, 2)) == (0.67, 0.39)


def numbers(corpus: cz.Corpus) -> dict[str, dict[str, tuple[int, int]]]:
    items = {item: sorted(corpus.of_item(item).items()) for item in corpus.item_names}
    return {item: {coder: (text.length - 1, text.inner.size) for coder, text in by} for item, by in items.items()}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("measure", "similarity"), [(B, similarity_b), (S, similarity_s)])
@pytest.mark.parametrize("coefficient", ["multi_pi", "multi_kappa"])
def test_definition_with_missing_coders(
    coefficient: str, measure: str, similarity: Callable[[dict[str, Fraction]], Fraction], seed: int
) -> None:
    corpus = random_corpus(seed, missing=0.3 * (seed % 2))
    own = coefficient == "multi_kappa"
    result = cz.agreement(corpus, measure, coefficient=coefficient, chance="placement", **QUIET)
    assert result.expected == pytest.approx(float(chance_agreement(numbers(corpus), similarity, own_rates=own)))
    published = cz.agreement(corpus, measure, coefficient=coefficient, **QUIET)
    assert result.observed == published.observed
    for row in result.pairs:
        alone = numbers(corpus.select(coders=row.coders))
        assert row.expected == pytest.approx(float(chance_agreement(alone, similarity, own_rates=own)))
    for item in result.items:
        alone = numbers(corpus.select(items=[item.item]))
        if item.expected is not None:
            assert item.expected == pytest.approx(float(chance_agreement(alone, similarity, own_rates=own)))
    for row in result.coders:
        others = numbers(corpus.select(coders=[coder for coder in corpus.coders if coder != row.coder]))
        without = chance_agreement(others, similarity, own_rates=own)
        observed = cz.agreement(corpus.select(coders=[c for c in corpus.coders if c != row.coder]), measure, **QUIET)
        assert row.without == pytest.approx((observed.observed - float(without)) / (1 - float(without)))
    changed = cz.agreement(shuffled(corpus, seed), measure, coefficient=coefficient, chance="placement", **QUIET)
    assert changed.value == pytest.approx(result.value, rel=1e-12)


@pytest.mark.parametrize("coefficient", ["multi_pi", "multi_kappa"])
def test_many_lengths(coefficient: str) -> None:
    """Streams beyond the length at which the chain has forgotten its start are merged into two columns."""
    rng = np.random.default_rng(7)

    def text(length: int) -> cz.Segmentation:
        return cz.Segmentation.from_positions(length, np.flatnonzero(rng.random(length - 1) < 0.2) + 1)

    corpus = cz.Corpus(
        {f"{n:03}": {coder: text(n) for coder in "abc" if coder != "b" or n % 5} for n in [*range(1, 60), 90, 150, 151]}
    )
    own = coefficient == "multi_kappa"
    result = cz.agreement(corpus, coefficient=coefficient, chance="placement", replicates=100)
    assert result.expected == pytest.approx(float(chance_agreement(numbers(corpus), similarity_b, own_rates=own)))
    for row in result.items[50:]:
        alone = numbers(corpus.select(items=[row.item]))
        assert row.expected == pytest.approx(float(chance_agreement(alone, similarity_b, own_rates=own)))
    assert result.interval is not None
    assert result.interval[0] < result.value < result.interval[1]


def test_pi_and_kappa_for_two_coders() -> None:
    # a  --|--|----     b  -|-|-|-|--
    corpus = of_masses(x={"a": [2, 2, 4], "b": [1, 2, 2, 2, 1]}, y={"a": [3, 3], "b": [3, 1, 2]})
    pi, kappa = (cz.agreement(corpus, coefficient=name, chance="placement", **QUIET) for name in ("pi", "kappa"))
    assert pi.expected == pytest.approx(float(chance_agreement(numbers(corpus), similarity_b, own_rates=False)))
    assert kappa.expected == pytest.approx(float(chance_agreement(numbers(corpus), similarity_b, own_rates=True)))
    assert pi.expected != kappa.expected
    assert pi.value == cz.agreement(corpus, coefficient="multi_pi", chance="placement", **QUIET).value


def test_streams_of_a_dialogue_are_pooled() -> None:
    first = cz.Dialogue({"F": cz.Segmentation.from_masses([2, 3]), "M": cz.Segmentation.from_masses([1, 1, 1])})
    second = cz.Dialogue({"F": cz.Segmentation.from_masses([5]), "M": cz.Segmentation.from_masses([3])})
    counts = BoundaryCounts([[first, second, None]], UNTYPED)
    assert counts.sets == ((0,),)
    assert counts.boundaries.tolist() == [[[3.0], [0.0], [0.0]]]
    assert counts.lengths.tolist() == [2, 4]
    assert counts.streams.tolist() == [[1.0, 1.0]]


def test_boundaries_of_texts_are_counted_by_coder() -> None:
    items = [[[2, 3], [1, 1, 3]], [[4, 4], [8]], [[1, 1, 1, 2], [5]]]
    counts = BoundaryCounts([[cz.Segmentation.from_masses(masses) for masses in item] for item in items], UNTYPED)
    assert counts.sets == ((0,),)
    assert counts.boundaries.tolist() == [[[1.0], [2.0]], [[1.0], [0.0]], [[3.0], [0.0]]]
    assert counts.lengths.tolist() == [4, 7]
    assert counts.streams.tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize("coefficient", ["multi_pi", "multi_kappa"])
@pytest.mark.parametrize("measure", [B, S, "boundary_similarity(n_t=3)", "crisp", "unit_error"])
def test_dialogues_are_the_sum_of_their_streams(measure: str, coefficient: str) -> None:
    rng = np.random.default_rng(3)

    def talk() -> cz.Dialogue:
        lengths = {"F": 12, "M": 30}
        marks = {name: np.flatnonzero(rng.random(n - 1) < 0.3) + 1 for name, n in lengths.items()}
        return cz.Dialogue({name: cz.Segmentation.from_positions(lengths[name], marks[name]) for name in lengths})

    talks = cz.Corpus({f"talk {i}": {coder: talk() for coder in "abc"} for i in range(3)})
    keys = itertools.product(talks.item_names, "FM")
    streams = cz.Corpus({f"{i} {name}": {coder: talks[i, coder][name] for coder in "abc"} for i, name in keys})
    arguments = {"measure": measure, "coefficient": coefficient, "chance": cz.Placement(draws=100), **QUIET}
    assert cz.agreement(talks, **arguments).expected == pytest.approx(cz.agreement(streams, **arguments).expected)
    assert cz.agreement(talks, **arguments).value == pytest.approx(cz.agreement(streams, **arguments).value)


def test_items_of_one_unit_do_not_matter() -> None:
    items = {"x": {"a": [2, 2, 4], "b": [1, 3, 4]}}
    small = cz.agreement(of_masses(**items), chance="placement", **QUIET)
    large = cz.agreement(of_masses(**items, y={"a": [1], "b": [1]}), chance="placement", **QUIET)
    assert large.value == small.value
    assert large.items[1].value is None


def test_coders_without_boundaries() -> None:
    with pytest.raises(Undefined, match="no coder placed a boundary"):
        cz.agreement(of_masses(x={"a": [4], "b": [4]}), chance="placement", **QUIET)
    corpus = of_masses(x={"a": [4, 4], "b": [8]})
    result = cz.agreement(corpus, coefficient="kappa", chance="placement", **QUIET)
    assert result.expected == cz.agreement(corpus, coefficient="kappa", **QUIET).expected == 0
    full = of_masses(x={"a": [1, 1, 1], "b": [1, 1, 1]})
    with pytest.raises(Undefined, match="chance agreement is 1"):
        cz.agreement(full, chance="placement", **QUIET)


def test_typed_corpus() -> None:
    def typed(positions: list[int], marks: list[str]) -> cz.Segmentation:
        return cz.Segmentation.from_positions(30, positions, marks=marks, types=["x", "y"])

    marks = {"a": ([3, 9, 20], ["x", "y", "x"]), "b": ([4, 9, 22], ["x", "x", "y"]), "c": ([9], ["y"])}
    corpus = cz.Corpus({"i": {coder: typed(*entry) for coder, entry in marks.items()}})
    result = cz.agreement(corpus, chance="placement", **QUIET)
    rates = [4 / 87, 3 / 87]
    parts = expected_row(formula_of(B, ("x", "y"), ((0,), (1,))), rates, rates, {29: 1.0})
    assert result.expected == pytest.approx(parse(B).finish(parts, ("x", "y"))[0])
    assert "states" in result.method


def test_bootstrap_of_all_coefficients() -> None:
    corpus = random_corpus(8, items=25, missing=0.1)
    for measure, coefficient in itertools.product((B, "boundary_similarity(n_t=3)"), ("multi_pi", "multi_kappa")):
        result = cz.agreement(corpus, measure, coefficient=coefficient, chance="placement", replicates=200)
        assert result.interval is not None
        assert result.interval[0] < result.value < result.interval[1]
    coders = cz.agreement(corpus, chance="placement", replicates=200, interval="coders")
    assert coders.interval is not None


def test_simulated_measures() -> None:
    corpus = random_corpus(1, items=4)
    chance = cz.Placement(draws=400)
    results = [cz.agreement(corpus, "unit_error", chance=chance, seed=seed, **QUIET) for seed in (0, 0, 1)]
    assert results[0] == results[1]
    assert results[0].expected != results[2].expected
    assert abs(results[0].expected - results[2].expected) < 5 * math.hypot(*(r.expected_error for r in results[1:]))
    assert results[0].method == "placement, simulated"
    assert results[0].draws >= 400
    assert results[0].seed == 0
    assert "|draws:" in results[0].signature


def test_flexible_similarity() -> None:
    one_item = cz.agreement(stargazer(), "flexible_similarity", chance="placement")
    assert one_item.expected == cz.agreement(stargazer(), "flexible_similarity", chance="exact").expected
    assert one_item.method == "placement, exact"
    ratio = "flexible_similarity(normalize='boundaries')"
    by_boundaries = cz.agreement(stargazer(), ratio, chance=cz.Placement(draws=500))
    assert by_boundaries.method.startswith("placement, simulated")
    assert by_boundaries.draws == 500
    two = of_masses(x={"a": [2, 2, 4], "b": [1, 2, 2, 2, 1]}, y={"a": [6], "b": [3, 1, 2]})
    pooled = cz.agreement(two, "flexible_similarity", chance="placement", **QUIET)
    published = cz.agreement(two, "flexible_similarity", chance="exact", **QUIET)
    assert pooled.expected != published.expected
    assert cz.verify(pooled.signature, two).status == "verified"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compat": "fournier2013"}, "reproduces published figures, which do not use chance='placement'"),
        ({"measure": "boundary_similarity(compat='fournier2013')"}, "reproduces published figures"),
        ({"coefficient": "alpha"}, "chance='placement' is not defined for alpha over boundary_similarity"),
        ({"coefficient": "bias"}, "chance='placement' is not defined for bias over boundary_similarity"),
        ({"counted": "segments"}, "has no option 'counted'"),
        ({"coefficient": "pi"}, "pi is for two coders; use multi_pi for 7 coders"),
        ({"measure": "flexible_similarity", "coefficient": "s"}, "chance='placement' is not defined for s over"),
    ],
)
def test_invalid_options(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        cz.agreement(stargazer(), chance="placement", **options)


def test_words_for_chance() -> None:
    published = cz.agreement(stargazer())
    assert cz.agreement(stargazer(), chance="published") == published
    values = {cz.agreement(stargazer(), "S_f", chance=word).value for word in ("published", "simulate")}
    assert len(values) == 1
    with pytest.raises(OptionError, match="chance must be 'published', 'placement', 'simulate', 'exact'"):
        cz.agreement(stargazer(), chance="random")


def test_placement_beside_the_published_value() -> None:
    published, placement = agreement_with_placement(stargazer(), B, coefficient="multi_pi", **QUIET)
    assert published == cz.agreement(stargazer(), B, **QUIET)
    assert placement == cz.agreement(stargazer(), B, chance="placement", **QUIET)
    for arguments in ({"coefficient": "multi_pi", "compat": "fournier2013"}, {"coefficient": "alpha"}):
        assert agreement_with_placement(stargazer(), B, **arguments)[1] is None
    random_texts = agreement_with_placement(stargazer(), "flexible_similarity", coefficient="kappa", chance="exact")
    assert random_texts[1] is None
    certain = of_masses(x={"a": [1, 1, 2], "b": [1, 1, 2]})
    assert agreement_with_placement(certain, B, coefficient="multi_pi", **QUIET)[1] is not None


def pooled_parts(corpus: cz.Corpus, positions: dict[tuple[str, str], list[int]]) -> Floats:
    """Return the summed parts of all pairs of coders, with boundaries at these positions."""
    pairs: list[tuple[cz.Segmentation, ...]] = []
    for item in corpus.item_names:
        keys = [(item, coder) for coder in sorted(corpus.of_item(item))]
        texts = [cz.Segmentation.from_positions(corpus[key].length, positions[key]) for key in keys]
        pairs += itertools.combinations(texts, 2)
    return cz.score_many(pairs, S).counts.sum(axis=0)


def shuffled_marks(
    corpus: cz.Corpus, rng: np.random.Generator, *, own: bool, replace: bool
) -> dict[tuple[str, str], list[int]]:
    """Return boundaries that are shuffled over all positions of all items, of all coders or of each coder.

    Placement is independent only if marks are drawn with replacement. In a short text, a fixed number of marks
    is slightly different: two marks cannot fall on the same position.
    """
    keys = [(item, coder) for item in corpus.item_names for coder in sorted(corpus.of_item(item))]
    positions: dict[tuple[str, str], list[int]] = {}
    for chosen in [[key for key in keys if key[1] == coder] for coder in corpus.coders] if own else [keys]:
        marks = np.concatenate([np.isin(np.arange(1, corpus[key].length), corpus[key].inner) for key in chosen])
        marks = rng.choice(marks, len(marks), replace=replace)
        ends = np.cumsum([corpus[key].length - 1 for key in chosen])[:-1]
        for key, part in zip(chosen, np.split(marks, ends), strict=True):
            positions[key] = (np.flatnonzero(part) + 1).tolist()
    return positions


def real_corpus(name: str, shared: DataFolder, segeval: ModuleType) -> cz.Corpus:
    if name == "stargazer":
        return stargazer()
    if name == "kubla_khan":
        return cz.read(shared / "data/linear/kubla_khan_fournier2013.json")
    masses = segeval.data.samples.KAZANTSEVA2012_G2
    return cz.Corpus({i: {c: cz.Segmentation.from_masses(m) for c, m in by.items()} for i, by in masses.items()})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stargazer", "kubla_khan", "moonstone"])
def test_shuffled_corpora(name: str, shared: DataFolder, segeval: ModuleType, subtests: pytest.Subtests) -> None:
    corpus = real_corpus(name, shared, segeval)
    for coefficient, replace, draws in (("multi_pi", True, 150), ("multi_kappa", True, 150), ("multi_pi", False, 50)):
        with subtests.test(coefficient=coefficient, replace=replace):
            check_shuffled_corpus(corpus, coefficient, replace=replace, draws=draws)


def check_shuffled_corpus(corpus: cz.Corpus, coefficient: str, *, replace: bool, draws: int) -> None:
    """Compare expected agreement with the mean over shuffled corpora."""
    rng = np.random.default_rng(18)
    own = coefficient == "multi_kappa"
    marks = (shuffled_marks(corpus, rng, own=own, replace=replace) for _ in range(draws))
    parts = np.array([pooled_parts(corpus, positions) for positions in marks])
    for measure, columns in ((B, slice(0, 6)), (S, slice(0, 7))):
        finish = parse(measure).finish
        values = finish(parts[:, columns], UNTYPED)
        mean = finish(parts[:, columns].mean(axis=0, keepdims=True), UNTYPED)[0]
        error = values.std(ddof=1) / math.sqrt(draws)
        result = cz.agreement(corpus, measure, coefficient=coefficient, chance="placement", **QUIET)
        assert abs(result.expected - mean) < 3 * error, measure


def test_resolved_coefficient_names_the_method() -> None:
    resolved = resolve_coefficient(B, chance="placement")
    assert isinstance(resolved.chance, cz.Placement)
    assert resolved.model_class.family == "placement"


@pytest.mark.parametrize("coefficient", ["multi_pi", "multi_kappa"])
def test_many_rates_are_those_of_all_items(coefficient: str) -> None:
    """If a formula is too slow for the rates of each item, items of equal length have the same expected agreement."""
    texts = {"x": ([3, 7], [5, 5]), "y": ([1, 1, 8], [2, 2, 6]), "z": ([5, 3, 1, 1], [1] * 10)}
    corpus = cz.Corpus(
        {x: dict(zip("ab", map(cz.Segmentation.from_masses, own), strict=True)) for x, own in texts.items()}
    )
    resolved = resolve_coefficient(cz.parse("B"), coefficient, chance="placement")
    with use_engine("threads") as engine:
        model = resolved.model_class(score_coder_pairs(corpus, cz.parse("B")), resolved, engine)
    assert len(set(model.parts.by_item().expected.tolist())) == 3
    model._expected.max_rates = 2
    assert len(set(model.parts.by_item().expected.round(12).tolist())) == 1
