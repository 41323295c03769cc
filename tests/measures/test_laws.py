"""Laws that every registered measure obeys, or is shown to break where it says that it does.

A measure joins the registry by being classified here: ``LAWS`` names what it claims, the class must claim the same, and
each claim is tested in both directions. A measure that says it is symmetric is held to it on random pairs; one that says
it is not must come with a pair that shows it. So a default that was merely inherited cannot pass.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.measures.base import Measure
from support.compared import compared
from support.examples import examples
from support.strategies import Pair, TypedPair, defined, inputs_for, pairs, typed, typed_corpora, typed_pairs
from support.strategies import backwards as from_the_end
from support.variants import KINDS, VARIANTS, variants


@dataclass(frozen=True)
class Laws:
    best: float | None  # of two identical segmentations; None: no such value, and no limit
    worst: float | None  # the other end of the range; None: no limit
    symmetric: bool  # the sides may be swapped
    reversible: bool  # the text may be read backwards
    scale_reversible: bool  # the declared types may be listed in reversed order
    needs_boundaries: bool = False  # undefined for a reference without boundaries
    chance_corrected: bool = False  # undefined where chance agreement is 1


LAWS = {
    "pk": Laws(0, 1, symmetric=False, reversible=True, scale_reversible=True),
    "window_diff": Laws(0, 1, symmetric=False, reversible=True, scale_reversible=True),
    "win_pr": Laws(1, 0, symmetric=False, reversible=True, scale_reversible=True),
    "boundary_f": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    # No limit: boundaries can be as far apart as the text is long, and costs grow with their number.
    "segmentation_score": Laws(1, 0, symmetric=False, reversible=True, scale_reversible=True),
    "boundary_deviation": Laws(0, None, symmetric=True, reversible=True, scale_reversible=True),
    "hausdorff": Laws(0, None, symmetric=True, reversible=True, scale_reversible=True),
    "generalized_hamming": Laws(0, None, symmetric=True, reversible=True, scale_reversible=True),
    # Marks without scores have precision times recall; a reference without boundaries has no value.
    "average_precision": Laws(1, 0, symmetric=False, reversible=True, scale_reversible=True, needs_boundaries=True),
    "unit_error": Laws(0, 1, symmetric=True, reversible=True, scale_reversible=True),
    "purity_coverage": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    "covering": Laws(1, 0, symmetric=False, reversible=True, scale_reversible=True),
    # Of equal overlaps, the left one counts.
    "alignment_index": Laws(1, 0, symmetric=True, reversible=False, scale_reversible=True),
    "rand_index": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    # Below 0 if worse than chance.
    "adjusted_rand_index": Laws(1, None, symmetric=True, reversible=True, scale_reversible=True),
    "pairwise_f": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    "v_measure": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    "nce": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    "label_share": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    "segmentation_similarity": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    "boundary_similarity": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    # Of equally good explanations the smallest list is taken, which may be another one seen from the other end; cost and
    # number of edits stay, but correctness falls on other types.
    "boundary_confusion": Laws(1, 0, symmetric=True, reversible=False, scale_reversible=False),
    "flexible_similarity": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    # A run of boundaries is one cluster, in which each is rewarded for all; every boundary elsewhere costs.
    "fuzzy_success": Laws(None, None, symmetric=False, reversible=True, scale_reversible=True, needs_boundaries=True),
    # Only the hypothesis has precisions; the value is in per cent.
    "sigma": Laws(100, 0, symmetric=False, reversible=True, scale_reversible=True),
    # The more units, the nearer chance can come to 1, and the less room there is above it.
    "hierarchy_kappa": Laws(1, None, symmetric=True, reversible=True, scale_reversible=True, chance_corrected=True),
    "hierarchy_overlap": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    "non_crossing": Laws(1, 0, symmetric=False, reversible=True, scale_reversible=True),
    "span_f": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    "token_f": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    # Not symmetric in time: the reference says how long the text is.
    "t_measure": Laws(1, 0, symmetric=False, reversible=True, scale_reversible=True),
    "l_measure": Laws(1, 0, symmetric=False, reversible=True, scale_reversible=True),
    # Symmetric as long as no quotes come back; test_parseval has a pair that shows it.
    "parseval": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
    "struct_iou": Laws(1, 0, symmetric=True, reversible=True, scale_reversible=True),
}


def laws(measure: Measure) -> Laws:
    """What the measure claims; segeval's greedy pairing has no claim to reversal."""
    claimed = LAWS[measure.name]
    if measure.compat in ("mir_eval", "ruptures", "tcpd", "pyannote", "gebd") and measure.name == "boundary_f":
        # Their greedy pairing depends on the side and the direction, and some give 0 if both sides are empty.
        return replace(claimed, best=None, worst=None, symmetric=False, reversible=False)
    if measure.settings.get("min_distance") is not None:  # marks that are near to each other are left out
        return replace(claimed, best=None, worst=None, reversible=False)
    if measure.compat == "mir_eval":  # two identical annotations with one label have V = 0
        return replace(claimed, best=None, worst=None, symmetric=measure.symmetric)
    if measure.name == "generalized_hamming":
        return replace(claimed, symmetric=measure.symmetric)
    if measure.compat == "pyannote":  # joins neighbouring segments with the same label, but only in the reference
        return replace(claimed, best=None, worst=None, symmetric=False)
    if measure.settings.get("coefficient", "none") != "none":  # below 0 if worse than chance
        return replace(claimed, worst=None, chance_corrected=True)
    if compared(measure) == "edges":
        return replace(claimed, symmetric=measure.symmetric, reversible=measure.reversible)
    if measure.settings.get("alignment") == "greedy":
        return Laws(claimed.best, claimed.worst, claimed.symmetric, reversible=False, scale_reversible=False)
    if measure.settings.get("algorithm") == "pardist":
        return Laws(claimed.best, claimed.worst, symmetric=False, reversible=False, scale_reversible=True)
    if measure.settings.get("normalize") == "boundaries":  # a pair moved far costs more than 1
        return replace(claimed, worst=-1)
    return claimed


@dataclass(frozen=True)
class NestedPair(TypedPair):
    """The pair as two hierarchies or trees, in which the highest type divides the text and the others its parts."""

    kind: type[Measure] | Measure

    @property
    def segmentations(self) -> tuple:
        return inputs_for(self.kind, *super().segmentations)

    @property
    def swapped(self) -> NestedPair:
        return replace(self, a=self.b, b=self.a)

    @property
    def scale_reversed(self) -> NestedPair:
        """Levels are no scale: which one is the largest is what a hierarchy says."""
        return self


def suited(measure: Measure, pair: TypedPair) -> TypedPair:
    """The pair, as the measure takes it: hierarchies, trees, or exclusive types with the lowest type of each position."""
    if compared(measure) in ("spans", "trees", "edges"):
        return NestedPair(pair.length, pair.types, pair.a, pair.b, measure)
    if compared(measure) != "streams":
        return pair
    a, b = (frozenset({p: (p, t) for p, t in sorted(side, reverse=True)}.values()) for side in (pair.a, pair.b))
    return TypedPair(pair.length, pair.types, a, b)


# Classification


def test_every_measure_is_classified():
    assert set(LAWS) == set(KINDS), "a measure joins the registry by being classified in LAWS"


@pytest.mark.parametrize("name", KINDS)
def test_classes_claim_the_laws_listed_here(name):
    kind, claimed = KINDS[name], LAWS[name]
    assert issubclass(kind, Measure)
    for law in ("best", "worst"):
        assert type(getattr(kind, law)) in (int, float, type(None)), law
    measure = kind()
    for law in ("symmetric", "reversible", "needs_boundaries", "chance_corrected"):
        assert type(getattr(measure, law)) is bool, law
    for law in ("best", "worst", "symmetric", "reversible", "needs_boundaries", "chance_corrected"):
        assert getattr(measure, law) == getattr(claimed, law), law
    assert kind.best != kind.worst or kind.best is None
    first = "counts" if name == "fuzzy_success" else "reference"
    second = "scores" if name == "average_precision" else "hypothesis"
    equal = "similarity" in name or name == "hierarchy_kappa"
    if compared(kind) == "trees":
        assert kind.sides == ("gold", "predicted")
    else:
        assert kind.sides == (("a", "b") if equal else (first, second))


# Every pair of two types over three positions: small enough to look at all of them, rich enough to break every law.
CELLS = list(product(range(1, 4), range(2)))
SIDES = [frozenset(c for i, c in enumerate(CELLS) if bits >> i & 1) for bits in range(2 ** len(CELLS))]


# One pair that only the order of the types decides, of four types at n_t = 4. Over position 3 there are two explanations
# of the cost 3/4: x-x one apart and y-z two steps apart, or z-z two apart and x-y one step apart.
#
#   a  ···{y}·x·z··
#   b  ···{x+z}····
DECIDED_BY_TYPE = TypedPair(7, ("x", "y", "-", "z"), frozenset({(3, 1), (4, 0), (5, 3)}), frozenset({(3, 0), (3, 3)}))


# A pair in which only the place decides: the middle segment of a overlaps equally with two segments of b.
#
#   a  ·|··|···
#   b  ··|··|··
DECIDED_BY_PLACE = TypedPair(6, ("x",), frozenset({(1, 0), (3, 0)}), frozenset({(2, 0), (4, 0)}))


# Two annotations of a song, one of which ends before it does.
SONG = cz.Hierarchy.from_times([(0, 30, 1, "A"), (30, 60, 1, "B"), (60, 90, 1, "A")])
CUT_OFF = cz.Hierarchy.from_times([(0, 32, 1, "A"), (32, 60, 1, "B")])


def witness(measure: Measure, change) -> bool:
    """Whether some pair has another value after ``change``. Looks at a few long pairs and all small ones."""
    if measure.name in ("t_measure", "l_measure"):
        changed = {swapped: (CUT_OFF, SONG)}[change]
        return abs(measure.score(SONG, CUT_OFF).value - measure.score(*changed).value) > 1e-9
    small = [TypedPair(4, ("x", "y"), a, b) for a, b in product(SIDES, repeat=2)]
    long = [
        TypedPair(21, ("x", "y"), frozenset((p, 0) for p in a), frozenset((p, 0) for p in b))
        for a, b in product([{2, 5}, {1, 3}, {1, 2}, {3, 4}, {1}, set(range(1, 7)), {3, 9, 15}, {10}], repeat=2)
    ]
    for same_scale in (long, [DECIDED_BY_TYPE], [DECIDED_BY_PLACE], small):
        suited_pairs = [suited(measure, pair) for pair in same_scale]
        before = cz.score_many([pair.segmentations for pair in suited_pairs], measure)
        after = cz.score_many([change(pair) for pair in suited_pairs], measure)
        if (np.abs(before.values - after.values) > 1e-9).any():
            return True
    return False


def swapped(pair: TypedPair) -> tuple:
    return pair.swapped.segmentations


def backwards(pair: TypedPair) -> tuple:
    return tuple(from_the_end(text) for text in pair.segmentations)


def other_scale(pair: TypedPair) -> tuple:
    return pair.scale_reversed.segmentations


@pytest.mark.parametrize("name", KINDS)
def test_agreement_declarations_are_consistent(name):
    measure = KINDS[name]()
    assert measure.kinds
    assert set(measure.kinds) <= {"linear", "dialogue", "timed", "hierarchy", "spans", "trees"}
    assert measure.kind == measure.kinds[-1]
    assert measure.short_name
    assert measure.short_name != measure.name
    assert bool(measure.coefficients) == bool(measure.chance_family) == (measure.default_coefficient is not None)
    if measure.coefficients:
        assert measure.symmetric
        assert measure.default_coefficient in measure.coefficients
    else:
        assert not measure.symmetric or measure.kind in ("hierarchy", "spans", "trees") or compared(measure) == "edges"
    assert measure.needs_common_units != (name in ("t_measure", "l_measure") or compared(measure) == "edges")


def test_symmetry_depends_on_options():
    flexible, parseval = KINDS["flexible_similarity"], KINDS["parseval"]
    lopsided = {"types": ["p"], "matrix": [[1, 0.5], [0.25, 1]]}
    assert flexible().symmetric
    assert flexible(similarity={("p", "none"): 0.5}).symmetric
    assert not flexible(similarity=lopsided).symmetric
    assert not flexible(algorithm="pardist").symmetric
    assert not flexible(algorithm="pardist").supports_exact_chance
    assert parseval().symmetric
    assert not parseval(quote_labels=["``"]).symmetric


def test_settings_fill_only_unset_options():
    flexible = KINDS["flexible_similarity"]
    settings = {"similarity": {("p", "q"): 0.5}, "transposition": 0.25, "normalize": "boundaries"}
    assert flexible(transposition=1).with_settings(settings) == flexible(similarity={("p", "q"): 0.5}, transposition=1)
    assert KINDS["pk"]().with_settings(settings) == KINDS["pk"]()


@pytest.mark.parametrize("name", KINDS)
def test_unclaimed_laws_have_a_counterexample(name):
    """Otherwise it should be claimed. Several options are tried, because at n_t = 2 little can go wrong."""
    claimed = LAWS[name]
    tried = [measure for measure in variants(name) if measure.settings.get("alignment") != "greedy"]
    for law, change in (("symmetric", swapped), ("reversible", backwards), ("scale_reversible", other_scale)):
        if not getattr(claimed, law):
            assert any(witness(measure, change) for measure in tried), f"{name} is {law} after all"


@pytest.mark.parametrize("name", ["segmentation_similarity", "boundary_similarity"])
def test_greedy_is_not_reversible(name):
    assert any(witness(KINDS[name](compat="segeval-2.0.11", n_t=n_t), backwards) for n_t in (2, 3, 4))


# The laws

anything = typed_pairs(max_types=3, max_units=12)


def same(first: cz.Score, second: cz.Score) -> bool:
    return abs(first.value - second.value) < 1e-12


@given(anything)
def test_identity_gives_the_best_value(pair: TypedPair):
    for measure in VARIANTS:
        for text in suited(measure, pair).segmentations:
            if laws(measure).best is not None and defined(measure, text, text):
                assert measure.score(text, text).value == laws(measure).best, measure


@given(anything)
def test_range(pair: TypedPair):
    for measure in VARIANTS:
        a, b = suited(measure, pair).segmentations
        if laws(measure).best is not None and laws(measure).worst is not None and defined(measure, a, b):
            low, high = sorted([laws(measure).best, laws(measure).worst])
            assert low <= measure.score(a, b).value <= high, measure


@given(anything)
def test_symmetry(pair: TypedPair):
    for measure in VARIANTS:
        a, b = suited(measure, pair).segmentations
        if laws(measure).symmetric and defined(measure, a, b):
            assert same(measure.score(a, b), measure.score(b, a)), measure


@given(anything)
def test_reversal_of_the_text(pair: TypedPair):
    for measure in VARIANTS:
        forward, backward = suited(measure, pair).segmentations, backwards(suited(measure, pair))
        if laws(measure).reversible and defined(measure, *forward):
            assert same(measure.score(*forward), measure.score(*backward)), measure


@given(anything)
def test_reversal_of_the_scale(pair: TypedPair):
    for measure in VARIANTS:
        upward, downward = suited(measure, pair).segmentations, other_scale(suited(measure, pair))
        if laws(measure).scale_reversible and defined(measure, *upward):
            assert same(measure.score(*upward), measure.score(*downward)), measure


@pytest.mark.parametrize("name", [name for name in KINDS if LAWS[name].best is None])
def test_measures_without_a_claimed_best_value_have_none(name):
    """Longer runs of boundaries against themselves give ever larger values."""
    texts = [cz.Segmentation.from_positions(2 * n, list(range(1, n + 1))) for n in (1, 2, 4, 8, 16)]
    values = [KINDS[name]().score(text, text).value for text in texts]
    assert all(y > 1.5 * x for x, y in pairwise(values))


def chained(n: int) -> tuple[cz.Hierarchy, cz.Hierarchy]:
    """Every unit a span of its own, and a chain of spans that all begin where the other side has nothing.

    a  (1) (2) (((3) (4)) (5)) ...
    b  (1) (2   3) (4) (5) ...
    """
    ones = [(i, i) for i in range(1, n + 1)]
    a = [*ones, *((3, i) for i in range(4, n + 1))]
    return cz.Hierarchy(n, a), cz.Hierarchy(n, [(2, 3), *(span for span in ones if span[0] not in (2, 3))])


@pytest.mark.parametrize("name", [name for name in KINDS if LAWS[name].worst is None])
def test_measures_without_a_claimed_worst_value_have_none(name):
    """One boundary at the beginning, and ever more of them where none should be."""
    texts = [(n, range(n // 2, n)) for n in (8, 16, 32, 64)]
    pairs = [[cz.Segmentation.from_positions(n, p) for p in ([1], list(wrong))] for n, wrong in texts]
    if name == "hierarchy_kappa":
        pairs = [chained(n) for n, _ in texts]
    if KINDS[name].best == 0:  # distances grow with the text
        values = [
            -KINDS[name]().score(*(cz.Segmentation.from_positions(n, [p]) for p in (1, n - 1))).value for n in (4, 99)
        ]
        assert values[1] < values[0] < 0
        return
    if name == "adjusted_rand_index":  # pairs of units, then ever more units between two of them
        assert KINDS[name]().score(*(cz.Segmentation.from_masses(m) for m in ([2, 2], [1, 2, 1]))).value < 0
        return
    values = [KINDS[name]().score(*pair).value for pair in pairs]
    assert all(y < 1.5 * x < 0 for x, y in pairwise(values))


@pytest.mark.parametrize("name", KINDS)
def test_reference_without_boundaries(name):
    """Every pair has a value, or the measure says that it needs a reference with boundaries."""
    (none,) = inputs_for(KINDS[name], cz.Segmentation.from_masses([10]))
    if LAWS[name].needs_boundaries:
        with pytest.raises(cz.errors.Undefined):
            KINDS[name]().score(none, none)
    else:
        assert np.isfinite(KINDS[name]().score(none, none).value)


@pytest.mark.parametrize("name", [name for name in KINDS if LAWS[name].worst is not None])
def test_worst_value_is_reached(name):
    """The range is no wider than it need be: everything apart against everything together, or one boundary missed."""
    full, none = (cz.Segmentation.from_masses(m) for m in ([1] * 10, [10]))
    pairs_to_score = ((full, none),) if KINDS[name].needs_boundaries else ((full, none), (none, full))
    values = [KINDS[name]().score(*inputs_for(KINDS[name], *pair)).value for pair in pairs_to_score]
    if compared(KINDS[name]) == "spans":  # those two share the whole text; these share nothing
        a, b = (cz.Hierarchy(6, spans) for spans in ([(1, 2, 1, "x"), (5, 6, 1, "y")], [(2, 5, 1, "z")]))
        assert KINDS[name]().score(a, b).value == 0
    elif compared(KINDS[name]) == "trees":  # no label in common
        a, b = (cz.Tree.from_brackets(text) for text in ("(x (v he) (v slept))", "(y (z (w he)) (w slept))"))
        assert KINDS[name]().score(a, b).value == 0
    elif name == "unit_error":  # half of 1 - 1/N, the mean of R_FN and R_FP; 1 is a bound and not reached
        assert values == pytest.approx([0.45, 0.45])
    elif name in (
        "purity_coverage",
        "covering",
        "alignment_index",
    ):  # every segment overlaps with another; 0 is a bound
        assert values == pytest.approx([2 / 11, 2 / 11] if name == "purity_coverage" else [0.1, 0.1])
    elif name == "flexible_similarity":  # nine deletions over ten positions: at the end both have nothing
        assert values == pytest.approx([0.1, 0.1])
    else:
        assert LAWS[name].worst in values


@examples(80)
@given(typed_corpora(max_documents=4))
def test_parts_add_up(documents: list[TypedPair]):
    """The score of several documents is finished from the sum of their parts, in any order, one by one or together."""
    for measure in VARIANTS:
        texts = [suited(measure, document).segmentations for document in documents]
        texts = [pair for pair in texts if defined(measure, *pair)]
        if not texts:
            continue
        scored = [measure.score(a, b) for a, b in texts]
        together = cz.score_many(texts, measure)
        forward, backward = sum(scored), sum(scored[::-1])
        assert all(abs(forward.parts[name] - backward.parts[name]) < 1e-9 for name in forward.parts), measure
        assert same(forward, backward), measure
        assert same(forward, together.total), measure
        assert together.values.tolist() == [score.value for score in scored], measure
        row = np.array([list(forward.parts.values())], float)
        assert forward.value == measure.values(row, scored[0].types)[0], measure


@given(anything, st.integers(2, 5))
def test_copies_of_a_document_keep_the_ratio(pair: TypedPair, copies):
    for measure in VARIANTS:
        a, b = suited(measure, pair).segmentations
        if not defined(measure, a, b):
            continue
        score = measure.score(a, b)
        if measure.settings.get("normalize") == "none":  # costs add up
            assert sum([score] * copies).value == pytest.approx(copies * score.value)
            continue
        if measure.settings.get("smooth") == "exp":  # half a match of more n-grams is a smaller share
            continue
        assert same(score, sum([score] * copies)), measure


@examples(80)
@given(anything)
def test_repeated_calls_give_equal_results(pair: TypedPair):
    for measure in VARIANTS:
        a, b = suited(measure, pair).segmentations
        if not defined(measure, a, b):
            continue
        first = measure.score(a, b)
        again = KINDS[measure.name](compat=measure.compat, **measure.settings).score(a, b)
        assert (again, again.edits, again.signature) == (first, first.edits, first.signature), measure


@examples(80)
@given(pairs(max_units=12))
def test_text_and_final_boundary_are_ignored(pair: Pair):
    """Units are only compared, labels are only kept, and position N is nobody's in this family."""
    words = [f"w{i}" for i in range(pair.length)]
    with_units = [cz.Segmentation.from_positions(pair.length, sorted(side), units=words) for side in (pair.a, pair.b)]
    ended = [
        cz.Segmentation.from_positions(
            pair.length, [*sorted(side), pair.length], marks=["boundary"] * (len(side) + 1), types=["boundary"]
        )
        for side in (pair.a, pair.b)
    ]
    a, b = pair.segmentations
    for measure in VARIANTS:
        if compared(measure) in (
            "spans",
            "trees",
            "words",
        ):  # which have no positions, or compare words and the end of the text
            continue
        if compared(measure) == "streams":  # where position N is scored
            assert measure.score(*ended).parts["objects"] == measure.score(a, b).parts["objects"] + 1
            continue
        if not defined(measure, a, b):
            continue
        parts = measure.score(a, b).parts
        for x, y in (with_units, ended, (ended[0], b), (a, ended[1])):
            assert measure.score(x, y).parts == parts, measure


SCRIPT = """
import caesura as cz
from itertools import product
names = ["line", "stanza", "canto", "book"]
def make(seed):
    sets = [{n for i, n in enumerate(names) if (seed * (p + 3) >> i + p) & 1} for p in range(8)]
    return cz.Segmentation.from_sets(sets, types=names)
def tree(text):
    cuts = [p for p, name in text.boundaries if name == "book"]
    upper = [(a + 1, b, 1, "xy"[a % 2]) for a, b in zip([0, *cuts], [*cuts, text.length])]
    cuts = sorted({p for p, name in text.boundaries if name in ("book", "canto")})
    return cz.Hierarchy(text.length, upper + [(a + 1, b, 2, "xy"[b % 2]) for a, b in zip([0, *cuts], [*cuts, text.length])])
def parse(text):
    cuts = sorted({p for p, name in text.boundaries if name in ("book", "canto")})
    ends = list(zip([0, *cuts], [*cuts, text.length]))
    return cz.Tree.from_nested(("S", *(("XY"[b % 2], *(("N", f"w{i}") for i in range(a, b))) for a, b in ends)))
texts = [make(s) for s in (5, 77, 1234, 99991)]
for a, b in product(texts, repeat=2):
    for kind in cz.measures().values():
        if COMPARED[kind.name] == "edges":
            x, y = (cz.Segmentation.from_labels([str(sum(p < i for p in t.inner.tolist()) % 3) for i in range(1, 10)]) for t in (a, b))
            score = kind().score(x, y)
            print(repr(score.value), dict(score.parts), score.edits, score.signature)
            continue
        if COMPARED[kind.name] in ("spans", "trees"):
            x, y = ((tree if COMPARED[kind.name] == "spans" else parse)(text) for text in (a, b))
            score = kind().score(x, y)
            print(repr(score.value), dict(score.parts), score.edits, score.signature)
            continue
        if COMPARED[kind.name] == "streams":
            a, b = (cz.Segmentation.from_sets([sorted(s)[:1] for s in x.sets()[:-1]], types=names) for x in (a, b))
        score = kind().score(a, b)
        print(repr(score.value), dict(score.parts), score.edits, score.signature)
"""


def test_another_process_gives_the_same_result():
    """Sets of names are walked in another order in every process, unless somebody sorted them."""
    outputs = set()
    for seed in ("0", "1", "424242"):
        process = subprocess.run(
            [sys.executable, "-c", f"COMPARED = { {name: compared(kind) for name, kind in KINDS.items()} }\n{SCRIPT}"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        outputs.add(process.stdout)
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 16 * len(KINDS)


def test_witness_sides_are_all_different():
    """The search for counterexamples is only as good as its pairs: all 64 sides are different segmentations."""
    assert len({typed(4, ("x", "y"), side) for side in SIDES}) == 64
