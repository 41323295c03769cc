"""Exact chance for S_f: against all pairs of texts, against simulation, and against the values of two conversations."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.agreement.expected_cost import Expectation, expectation
from caesura.errors import CaesuraError, OptionError, TooManyStates
from oracle.chance import Rules, mean_by_runs, table_cost
from support.examples import examples
from support.oracles import read_oracle

F = Fraction


def expected_cost(*arguments: object, **options: object) -> float:
    return expectation(*arguments, **options).cost  # type: ignore[arg-type]


def floats(rows: object) -> NDArray[np.float64]:
    return np.array(rows, np.float64)


def matrix(rows: list[list[str]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(F(x) for x in row) for row in rows)


def identity(types: int) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(F(int(x == y)) for y in range(types + 1)) for x in range(types + 1))


ASYMMETRIC = matrix([["1", "1/2", "1/4"], ["3/4", "1", "0"], ["0", "1/2", "1"]])
FREE_TYPE = matrix([["1", "1", "0"], ["1", "1", "1"], ["0", "1", "1"]])  # the second type is as good as none
DEAR_PAIR = matrix([["1", "0", "3/4"], ["0", "1", "3/4"], ["3/4", "3/4", "1"]])  # 1 - s exceeds deletion and insertion
ODD = matrix([["1", "0.37", "0.11"], ["0.37", "1", "0.293"], ["0.11", "0.293", "1"]])

ONE_A, ONE_B = (F(2, 5), F(3, 5)), (F(1, 3), F(2, 3))
TWO_A, TWO_B = (F(1, 4), F(1, 3), F(5, 12)), (F(1, 5), F(2, 5), F(2, 5))


@pytest.mark.parametrize(
    ("S", "c", "p_a", "p_b", "length"),
    [
        (identity(1), ["1/2"], ONE_A, ONE_B, 7),
        pytest.param(identity(1), ["1/4"], ONE_A, ONE_B, 7, marks=pytest.mark.slow),
        pytest.param(identity(1), ["1/10"], ONE_A, ONE_B, 7, marks=pytest.mark.slow),
        (identity(1), ["1/3"], ONE_A, ONE_B, 6),
        (identity(1), ["0"], ONE_A, ONE_B, 6),
        (identity(1), ["5"], ONE_A, ONE_B, 4),
        (identity(1), ["1/4"], ONE_A, ONE_A, 6),
        (identity(1), ["1/4"], (F(0), F(1)), ONE_B, 4),
        (identity(1), ["1/4"], (F(1), F(0)), ONE_B, 4),
        (matrix([["1", "1/3"], ["1/7", "1"]]), ["1/6"], ONE_A, ONE_B, 6),
        pytest.param(identity(2), ["1/2", "1/2"], TWO_A, TWO_B, 5, marks=pytest.mark.slow),
        pytest.param(identity(2), ["1/5", "2/5"], TWO_A, TWO_B, 5, marks=pytest.mark.slow),
        (identity(2), ["1/2", "1/2"], TWO_A, (F(0), F(1, 2), F(1, 2)), 4),
        (ASYMMETRIC, ["1/4", "3/8"], TWO_A, TWO_B, 4),
        pytest.param(ASYMMETRIC, ["1/4", "3/8"], TWO_A, TWO_B, 5, marks=pytest.mark.slow),
        (ASYMMETRIC, ["0", "1/8"], TWO_A, TWO_B, 4),
        pytest.param(FREE_TYPE, ["1/2", "0"], TWO_A, TWO_B, 5, marks=pytest.mark.slow),
        pytest.param(DEAR_PAIR, ["1/8", "1/8"], TWO_A, TWO_A, 5, marks=pytest.mark.slow),
        (ODD, ["0.17", "0.1"], TWO_A, TWO_A, 4),
    ],
)
def test_equals_enumeration(
    S: tuple[tuple[Fraction, ...], ...],  # noqa: N803
    c: list[str],
    p_a: tuple[Fraction, ...],
    p_b: tuple[Fraction, ...],
    length: int,
) -> None:
    rules = Rules(S, tuple(F(x) for x in c))
    p, q, s, moves = map(floats, (p_a, p_b, S, rules.c))
    short = [rules.mean(p_a, p_b, n) for n in range(1, min(length, 4) + 1)]
    long = rules.mean(p_a, p_b, length)
    for n, mean in [*enumerate(short, 1), (length, long)]:
        assert expected_cost(p, q, [n], s, moves) == pytest.approx(float(mean), rel=1e-11, abs=1e-13)
    # Seen from the states of a longer text.
    total = expected_cost(p, q, [length, 8, 1, 0], s, moves) - expected_cost(p, q, [8, 1], s, moves)
    assert total == pytest.approx(float(long), rel=1e-10, abs=1e-12)


quarters = st.integers(0, 4).map(lambda k: F(k, 4))
eighths = st.integers(0, 9).map(lambda k: F(k, 8))


@st.composite
def laws(draw: st.DrawFn) -> tuple[Rules, list[Fraction], list[Fraction]]:
    types = draw(st.integers(1, 2))
    rows = [[F(1) if x == y else draw(quarters) for y in range(types + 1)] for x in range(types + 1)]
    weights = [[*draw(st.lists(st.integers(0, 3), min_size=types, max_size=types)), 1] for _ in range(2)]
    p_a, p_b = ([F(w, sum(ws)) for w in ws] for ws in weights)
    return Rules(tuple(map(tuple, rows)), tuple(draw(eighths) for _ in range(types))), p_a, p_b


@pytest.mark.slow
@examples(40)
@given(laws())
def test_equals_enumeration_at_random(law: tuple[Rules, list[Fraction], list[Fraction]]) -> None:
    rules, p_a, p_b = law
    length = 6 if rules.none == 1 else 4
    p, q, s, c = map(floats, (p_a, p_b, rules.S, rules.c))
    mean = float(rules.mean(p_a, p_b, length))
    assert expected_cost(p, q, [length], s, c) == pytest.approx(mean, rel=1e-11, abs=1e-13)
    result = expectation(p, q, [length], s, c, tolerance=0.01)
    assert mean - 1e-11 <= result.cost <= mean + result.error + 1e-11
    assert result.error <= 0.01 * length


def any_setting(number: int) -> tuple[NDArray[np.float64], ...]:
    """P_a, P_b, S and c, now and then with a trap: a missing type, moves for nothing, equal coders, odd fractions."""
    rng = np.random.default_rng(number)
    types = 1 + number % 3
    parts = rng.choice([2, 4, 5, 10, 100])
    s = rng.integers(0, parts + 1, (types + 1, types + 1)) / parts
    np.fill_diagonal(s, 1)
    if rng.random() < 0.3:
        s = (s + s.T) / 2
    if rng.random() < 0.3:
        s = np.eye(types + 1)
    c = rng.choice([0, 0.05, 0.1, 0.125, 0.2, 0.25, 1 / 3, 0.4, 0.5, 1], types)
    p, q = rng.dirichlet(np.ones(types + 1), 2)
    if rng.random() < 0.3:
        q = p
    elif types > 1 and rng.random() < 0.3:
        q = np.append(0, q[1:]) / q[1:].sum()
    return p, q, s, c


@pytest.mark.parametrize("number", range(24))
def test_discarding_states_loses_no_probability(number: int) -> None:
    """Runs long enough for several pending boundaries on both sides, against tables that keep everything."""
    p, q, s, c = any_setting(number)
    length = {1: 9, 2: 7, 3: 5}[len(c)]
    means = mean_by_runs(p, q, length, s, c)
    for n in (length - 1, length):
        assert expected_cost(p, q, [n], s, c) == pytest.approx(means[n], rel=1e-11, abs=1e-12)
    result = expectation(p, q, [length], s, c, tolerance=1e-3)
    assert means[length] - 1e-11 <= result.cost <= means[length] + result.error + 1e-11
    assert result.error <= 1e-3 * length


@pytest.mark.parametrize(
    ("p", "q", "length"), [([0.14, 0.78, 0.08], [0.01, 0.62, 0.37], 8), ([0.65, 0.35], [0.08, 0.92], 10)]
)
def test_free_moves(p: list[float], q: list[float], length: int) -> None:
    """c = 0: a boundary that has gone by stays worth what it was, and three or more of them add up."""
    law = floats(p), floats(q), np.eye(len(p)), np.zeros(len(p) - 1)
    mean = mean_by_runs(law[0], law[1], length, *law[2:])[-1]
    assert expected_cost(*law[:2], [length], *law[2:]) == pytest.approx(mean, rel=1e-11)
    result = expectation(*law[:2], [length], *law[2:], tolerance=1e-3)
    assert mean <= result.cost + 1e-11 <= mean + result.error + 2e-11


def settings_of(number: int) -> tuple[NDArray[np.float64], ...]:
    """P_a, P_b, S and c of a setting that exact chance can handle: 1 to 3 types, costs in tenths."""
    rng = np.random.default_rng(number)
    types = 1 + number % 3
    p, q = (np.append(x * rng.uniform(0.2, 0.7), 0) for x in rng.dirichlet(np.ones(types), 2))
    p[-1], q[-1] = 1 - p.sum(), 1 - q.sum()
    s = rng.integers(0, 10, (types + 1, types + 1)) / 10
    np.fill_diagonal(s, 1)
    return p, q, s, rng.integers(2, 6, types) / 10


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
def test_equals_simulation(number: int) -> None:
    p, q, s, c = settings_of(number)
    rng = np.random.default_rng(1000 + number)
    draws, length = 2000, 40
    a, b = (rng.choice(len(x), (draws, length), p=x) for x in (p, q))
    costs = np.array([table_cost(x, y, s, c) for x, y in zip(a.tolist(), b.tolist(), strict=True)])
    try:
        result = expectation(p, q, [length], s, c, max_states=300_000)
    except TooManyStates:
        result = expectation(p, q, [length], s, c, tolerance=1e-5, max_states=300_000)
    error = costs.std(ddof=1) / np.sqrt(draws)
    assert abs(costs.mean() - result.cost) < 4 * error + result.error


def test_streams_add_up() -> None:
    p, q, s, c = settings_of(1)
    costs = [expected_cost(p, q, [n], s, c) for n in (3, 40, 900)]
    assert expected_cost(p, q, [900, 3, 40, 0, 3], s, c) == pytest.approx(sum(costs) + costs[0], rel=1e-13)


def test_length_costs_nothing() -> None:
    """The product beyond the last step that was computed, against steps without end."""
    p, q, s, c = settings_of(4)
    per = [expected_cost(p, q, [n], s, c) - expected_cost(p, q, [n - 1], s, c) for n in (200, 1000, 100_000)]
    assert per == pytest.approx([per[0]] * 3, abs=1e-9)


@pytest.mark.parametrize("number", range(3))
def test_swap(number: int) -> None:
    """Swapping the coders transposes the matrix; equal laws make mirror images one state and change nothing."""
    p, q, s, c = settings_of(number)
    assert expected_cost(q, p, [60], s.T, c) == pytest.approx(expected_cost(p, q, [60], s, c), rel=1e-12)
    s = (s + s.T) / 2
    nudged = np.append(p[0] + 1e-14, p[1:])
    mirrored, plain = expectation(p, p, [60], s, c), expectation(p, nudged, [60], s, c)
    assert plain.cost == pytest.approx(mirrored.cost, rel=1e-11)
    assert mirrored.states < plain.states


def test_thirds_need_no_additional_states() -> None:
    """c = 1/3 has no finite decimal; as a multiple of 1/3 it needs no more states than round numbers do."""
    p = [0.2, 0.2, 0.6]
    assert expectation(p, p, [500], np.eye(3), [1 / 3, 1 / 3]).states < 20_000


def test_tolerance_is_respected() -> None:
    p, q, s, c = settings_of(5)
    with pytest.raises(TooManyStates):
        expectation(p, q, [500], s + np.pi * 1e-3 * (s < 1), c, max_states=50_000)
    coarse, fine = (expectation(p, q, [500], s, c, tolerance=t, max_states=10**6) for t in (1e-4, 1e-6))
    assert coarse.states < fine.states
    assert 0 < fine.error <= 1e-6 * 500 < coarse.error <= 1e-4 * 500
    assert fine.cost - fine.error <= coarse.cost <= fine.cost + coarse.error


def test_too_many_states() -> None:
    with pytest.raises(TooManyStates, match="use chance='simulate'") as caught:
        expected_cost([0.5, 0.5], [0.5, 0.5], [5000], np.eye(2), [0.01], max_states=20_000)
    assert isinstance(caught.value, CaesuraError)
    with pytest.raises(TooManyStates):  # pairs without limit
        expected_cost([0.5, 0.5], [0.5, 0.5], [5000], np.eye(2), [0.0])
    with pytest.raises(TooManyStates):  # beyond the longest reach
        expected_cost([0.5, 0.5], [0.5, 0.5], [5000], np.eye(2), [1e-6])


def test_expected_cost_without_boundaries() -> None:
    assert expectation([1.0], [1.0], [7], [[1.0]], []) == Expectation(0.0, 0.0, 1)
    assert expected_cost([0.5, 0.5], [0.5, 0.5], [], np.eye(2), [0.5]) == 0
    assert expected_cost([0, 1], [0, 1], [10], np.eye(2), [0.5]) == 0


@pytest.mark.parametrize(
    ("change", "description"),
    [
        ({"P_a": [0.5, 0.4]}, "P_a must be 2 probabilities"),
        ({"P_b": [0.5, 0.5, 0.0]}, "P_b must be 2 probabilities"),
        ({"P_b": [np.nan, 0.5]}, "P_b must be"),
        ({"P_a": [-0.5, 1.5]}, "P_a must be"),
        ({"S": np.eye(3)}, "one row more"),
        ({"S": [[1, 2], [0, 1]]}, "from 0 to 1"),
        ({"S": [[1, np.nan], [0, 1]]}, "from 0 to 1"),
        ({"c": [-1]}, "0 or more"),
        ({"c": [np.inf]}, "finite"),
        ({"c": 0.5}, "one row more"),
        ({"lengths": [3, -1]}, "got -1"),
        ({"tolerance": -1}, "tolerance"),
        ({"tolerance": np.nan}, "tolerance"),
        ({"max_states": 0}, "max_states"),
    ],
)
def test_invalid_input(change: dict[str, object], description: str) -> None:
    arguments = {"P_a": [0.5, 0.5], "P_b": [0.5, 0.5], "lengths": [3], "S": np.eye(2), "c": [0.5]} | change
    with pytest.raises(OptionError, match=description):
        expected_cost(**arguments)  # type: ignore[arg-type]


# Two conversations of the NCCU corpus, as annotated for the case study that introduces S_f. The figures were
# found independently, with another set of states.

TYPES = ".,?\u2013; "
WORDED = floats(
    [
        [1, 0.5, 0.25, 0.25, 1, 0],
        [0.5, 1, 0.5, 0.5, 1, 0.25],
        [0.25, 0.5, 1, 0.25, 1, 0],
        [0.25, 0.5, 0.25, 1, 1, 0.25],
        [1, 1, 1, 1, 1, 1],
        [0, 0.25, 0, 0.25, 1, 1],
    ]
)
MATRICES = {"identity": np.eye(6), "worded": WORDED}


@cache
def conversation(text: str) -> list[list[list[int]]]:
    """The streams of both coders."""
    row = next(row for row in read_oracle("nccu.jsonl") if row["text"] == text)
    return [[[TYPES.index(mark) for mark in stream] for stream in row[side]] for side in ("lists1", "lists2")]


def distributions(coefficient: str, shares: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    pooled = (shares[0] + shares[1]) / 2
    return {
        "kappa": shares,
        "pi": [pooled] * 2,
        "s": [np.full(6, 1 / 6)] * 2,
        "s_modified": [np.append(np.full(5, (1 - pooled[-1]) / 5), pooled[-1])] * 2,
    }[coefficient]


@pytest.mark.parametrize(
    ("text", "name", "coefficient", "value"),
    [
        ("t001", "identity", "kappa", 0.688796),
        ("t001", "worded", "kappa", 0.787934),
        ("t004", "identity", "kappa", 0.734660),
        ("t004", "worded", "kappa", 0.804697),
        ("t001", "identity", "pi", 0.687894),
        ("t001", "identity", "s", 0.875818),
        ("t001", "identity", "s_modified", 0.704490),
        ("t004", "identity", "pi", 0.734441),
        ("t004", "identity", "s", 0.907973),
        ("t004", "identity", "s_modified", 0.756526),
    ],
)
def test_figures(text: str, name: str, coefficient: str, value: float) -> None:
    a, b = conversation(text)
    s = MATRICES[name]
    c = (1 - s[:5, 5]) / 2
    lengths = [len(stream) for stream in a]
    observed = 1 - sum(table_cost(x, y, s, c) for x, y in zip(a, b, strict=True)) / sum(lengths)
    shares = [np.bincount(np.concatenate(side), minlength=6) / sum(lengths) for side in (a, b)]
    for tolerance in (0, 1e-9):
        result = expectation(*distributions(coefficient, shares), lengths, s, c, tolerance=tolerance)
        chance = 1 - result.cost / sum(lengths)
        assert (observed - chance) / (1 - chance) == pytest.approx(value, abs=5.1e-7)
        assert result.states < 100_000


def test_figures_by_simulation() -> None:
    """One conversation in full length, drawn a few times."""
    a, b = conversation("t001")
    s, c = WORDED, (1 - WORDED[:5, 5]) / 2
    shares = [np.bincount(np.concatenate(side), minlength=6) / sum(map(len, side)) for side in (a, b)]
    random = Random(0)
    samples = [[random.choices(range(6), p.tolist(), k=2000) for p in shares] for _ in range(40)]
    costs = np.array([table_cost(x, y, s, c) for x, y in samples])
    error = costs.std(ddof=1) / np.sqrt(len(costs))
    assert abs(costs.mean() - expected_cost(*shares, [2000], s, c)) < 4 * error
