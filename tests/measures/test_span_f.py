"""F of spans and tokens: the oracle file, all placements of small texts, corpora, and bad input."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura import memory
from caesura.measures import span_f
from caesura.measures.span_f import start_probabilities
from oracle import span_chance as oracle
from support.oracles import read_oracle

CASES = read_oracle("span_chance.jsonl")[1:]
MEASURES = {"span": "span_f", "span_unlabelled": "span_f(labels=False)", "token": "token_f"}


@pytest.mark.parametrize("key", MEASURES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_span_chance_oracle(case, key):
    right, measure = case["right"][key], cz.parse(MEASURES[key])
    a, b = (cz.Spans(case[side], length=case["n"]) for side in "ab")
    corpus = cz.Corpus({"text": {"a": a, "b": b}})
    assert measure.score(a, b).value == pytest.approx(float(Fraction(right["observed"])), abs=1e-9)
    if right["coefficient"] == "undefined":
        with pytest.raises(cz.errors.Undefined):
            measure.replace(chance="li2024").score(a, b)
        with pytest.raises(cz.errors.Undefined):
            cz.agreement(corpus, measure, chance="li2024")
        return
    score = measure.replace(chance="li2024").score(a, b)
    assert score.value == pytest.approx(right["coefficient"], abs=1e-9)
    assert score.parts["expected_f"] == pytest.approx(float(Fraction(right["expected"])), abs=1e-9)
    result = cz.agreement(corpus, measure, chance="li2024")
    assert result.value == pytest.approx(right["coefficient"], abs=1e-9)
    assert result.expected == pytest.approx(float(Fraction(right["expected"])), abs=1e-9)
    assert result.method == "spans at random places, exact"


@st.composite
def spans(draw: st.DrawFn, tokens: int) -> list[oracle.Span]:
    """A few spans without overlaps."""
    edges = sorted(draw(st.sets(st.integers(0, tokens), max_size=6)))
    pairs = list(zip(edges[::2], edges[1::2], strict=False))
    return [(start, end, draw(st.sampled_from("XY"))) for start, end in pairs]


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(st.just(n), spans(n), spans(n))), st.booleans())
def test_expected_f_by_enumeration(case, of_tokens):
    tokens, first, second = case
    if not first and not second:
        return
    a, b = (cz.Spans(side, length=tokens) for side in (first, second))
    score = (cz.token_f if of_tokens else cz.span_f)(a, b, chance="expected")
    right = oracle.expected_f(first, second, tokens, of_tokens=of_tokens)
    assert score.parts["expected_f"] == pytest.approx(float(right), abs=1e-12)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.integers(0, 30))
def test_starts_are_a_distribution(lengths, free):
    """The probabilities of each length add up to 1, and a text read backwards has the same law."""
    tokens = sum(lengths) + free
    for length, starts in start_probabilities(lengths, tokens).items():
        assert starts.sum() == pytest.approx(1)
        size = tokens - length + 1
        assert starts[:size] == pytest.approx(starts[:size][::-1])
        assert not starts[size:].any()


def test_number_of_placements():
    """k! C(n - a + k, k), as the model says."""
    marked = [(0, 2, "X"), (2, 3, "X"), (3, 4, "Y")]
    assert sum(1 for _ in oracle.placements(marked, 7)) == factorial(3) * comb(7 - 4 + 3, 3)


def test_long_texts_by_transform(monkeypatch):
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 6, 60).tolist()
    direct = start_probabilities(lengths, 2_000)
    monkeypatch.setattr(span_f, "_LARGE", 0)
    for length, starts in start_probabilities(lengths, 2_000).items():
        assert starts == pytest.approx(direct[length], abs=1e-14)


def test_corpus_sums():
    """Two items by hand: matches 1 + 0, spans 2 + 2; expected matches 1/4 + 1/3."""
    one = {"a": cz.Spans([(0, 1)], length=4), "b": cz.Spans([(0, 1)], length=4)}
    two = {"a": cz.Spans([(0, 1)], length=3), "b": cz.Spans([(2, 3)], length=3)}
    result = cz.agreement(cz.Corpus({"one": one, "two": two}), "span_f", chance="li2024", interval=None)
    observed, expected = Fraction(2, 4), 2 * (Fraction(1, 4) + Fraction(1, 3)) / 4
    assert result.observed == pytest.approx(float(observed))
    assert result.expected == pytest.approx(float(expected))
    assert result.value == pytest.approx(float((observed - expected) / (1 - expected)))
    assert [row.value for row in result.items] == pytest.approx([1, -1 / 2])
    assert cz.agreement(cz.Corpus({"one": one, "two": two}), "li2024", interval=None).value == result.value


def test_hierarchies_of_one_level():
    a = cz.Hierarchy(8, [(1, 2, 1, "PER"), (6, 6, 1, "ORG")])
    b = cz.Hierarchy(8, [(1, 2, 1, "PER"), (5, 6, 1, "ORG")])
    flat = [cz.Spans([(s.start - 1, s.end, s.label) for s in side], length=8) for side in (a, b)]
    for function in (cz.span_f, cz.token_f):
        for chance in ("none", "li2024"):
            assert function(a, b, chance=chance).value == pytest.approx(function(*flat, chance=chance).value)


def test_nested_and_overlapping_spans():
    nested, crossing = cz.Spans([(0, 4), (1, 2)], length=6), cz.Spans([(0, 3), (2, 5)], length=6)
    assert cz.span_f(nested, nested).value == 1
    for side in (nested, crossing):
        with pytest.raises(cz.errors.MismatchError, match=r"overlap or nest; the exact chance .* use gamma"):
            cz.span_f(side, side, chance="li2024")
    fine = cz.Spans([(0, 1)], length=6)
    items = {"good": {"a": fine, "b": cz.Spans([(1, 2)], length=6)}, "bad": {"a": nested, "b": fine}}
    result = cz.agreement(cz.Corpus(items), "token_f", chance="li2024", interval=None)
    assert [row.item for row in result.items] == ["good"]
    assert "use gamma" in result.excluded[0].reason


FINE = cz.Spans([(0, 1)], length=6)


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        (FINE, cz.Spans([(0, 1)], length=7), {}, "reference has 6, hypothesis has 7"),
        (cz.Spans([(0, 1)]), cz.Spans([(0, 1)]), {"chance": "li2024"}, "needs the number of tokens"),
        (cz.Spans([(0, 1)], seconds=True), FINE, {}, "reference has times, hypothesis has none"),
        (cz.Spans([(0, 1)], seconds=True), FINE, {"chance": "li2024"}, "these are in seconds; use gamma"),
        (cz.Segmentation.from_masses([2, 4]), FINE, {}, "expected Spans or a Hierarchy; got Segmentation"),
    ],
)
def test_bad_input(a, b, options, message):
    with pytest.raises(cz.errors.MismatchError, match=message):
        cz.span_f(a, b, **options)


def test_other_bad_input():
    with pytest.raises(cz.errors.MismatchError, match=r"spans\[0\] must begin and end at whole positions"):
        cz.token_f(cz.Spans([(0, 1.5)], length=6), FINE)
    corpus = cz.Corpus({"x": {c: cz.Segmentation.from_masses([2, 4]) for c in "ab"}})
    with pytest.raises(cz.errors.OptionError, match="chance='li2024' is for spans"):
        cz.agreement(corpus, "purity_coverage", chance="li2024")
    with pytest.raises(cz.errors.OptionError, match=r"is not defined over|has no coefficient"):
        cz.agreement(cz.Corpus({"x": {"a": FINE, "b": FINE}}), "span_f", coefficient="pi", chance="li2024")


def test_too_much_memory_for_chance_costs_the_item(monkeypatch):
    monkeypatch.setattr(
        memory, "memory_size", lambda: 60_000
    )  # 10 spans on 50 units take 20,000 bytes, on 100 twice as many
    spans = [(k, k + 2) for k in range(0, 40, 4)]
    small, large = (cz.Spans(spans, bounds=(0, size)) for size in (50, 100))
    corpus = cz.Corpus({"small": {"a": small, "b": small}, "large": {"a": large, "b": large}})
    result = cz.agreement(corpus, "span_f", chance="li2024", interval=None)
    assert result.value == 1
    assert [(entry.item, "exact chance of spans: about" in entry.reason) for entry in result.excluded] == [
        ("large", True)
    ]


crossing_spans = st.lists(
    st.tuples(st.integers(0, 8), st.integers(1, 6), st.sampled_from(["X", "Y", None])).map(
        lambda row: (row[0], row[0] + row[1], row[2])
    ),
    max_size=6,
)


@pytest.mark.parametrize(("name", "counted"), [("token_f", oracle.tokens_of), ("span_f", frozenset)])
@given(st.lists(st.tuples(crossing_spans, crossing_spans), max_size=4), st.booleans())
def test_spans_that_overlap_count_every_token_or_span_once(name, counted, documents, labels):
    measure = cz.parse(f"{name}(labels={labels})")
    scores = cz.score_many([tuple(map(cz.Spans, pair)) for pair in documents], measure)
    for pair, parts in zip(documents, scores.counts, strict=True):
        sides = [[(start, end, label if labels else None) for start, end, label in side] for side in pair]
        a, b = (counted(frozenset(side)) for side in sides)
        assert list(parts) == [len(a & b), len(a), len(b)]


def test_token_f_of_long_spans_takes_no_memory_per_token():
    a, b = cz.Spans([(0, 10**15, "X")]), cz.Spans([(5, 10**15 + 5, "X"), (7, 9, "X")])
    parts = cz.token_f(a, b).parts
    assert parts == {"matches": 10**15 - 5, "reference": 10**15, "hypothesis": 10**15}


def test_annotations_that_occur_in_many_pairs_keep_their_own_problems():
    #            0    5
    # good       |--- |
    # half       |-½  |     half a token: no pair with it can be compared
    # longer     |---    |
    # timed      |--- |     seconds
    good, half = cz.Spans([(0, 3, "X")], length=5), cz.Spans([(0, 1.5, "X")], length=5)
    longer, timed = cz.Spans([(0, 3, "X")], length=8), cz.Spans([(0, 3, "X")], seconds=True)
    nested = cz.Hierarchy(5, [(1, 3, 1, "X")])
    pairs = [(good, good), (half, good), (good, half), (good, longer), (timed, timed), (good, timed), (nested, good), 1]
    scores = cz.score_many([*pairs, (timed, half), (nested, longer), (nested, nested)], "span_f")
    problems = {place: str(error) for place, error in scores.errors.items()}
    assert [scores.counts[place].tolist() for place in (0, 4, 6, 10)] == [[1, 1, 1]] * 4
    whole = "spans[0] must begin and end at whole positions and be longer than 0; got 0-1.5 'X'"
    same = "both sides must have the same units; "
    seconds = "both sides must have times, or neither; "
    assert problems == {
        1: f"reference: {whole}",
        2: f"hypothesis: {whole}",
        3: f"{same}reference has 5, hypothesis has 8",
        5: f"{seconds}hypothesis has times, reference has none",
        7: "expected a pair of annotations; got int",
        8: f"{seconds}reference has times, hypothesis has none",
        9: f"{same}reference has 5, hypothesis has 8",
    }
