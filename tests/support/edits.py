"""Edits of a score in the form of the oracle, and the costs that both compute."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import strategies as st

import caesura as cz
from oracle.boundary import Rules


def cost(score: cz.Score) -> float:
    """Return the edit distance as the sum of the costs of the edits."""
    return sum(edit.cost for edit in score.edits)


def explained(score: cz.Score) -> tuple[set, tuple, set, set]:
    """Return the edits of a score in the form of the oracle: matches, pairs (left, right), unpaired boundaries."""
    code = {name: i for i, name in enumerate(score.types)}
    matches, shifted, a_alone, b_alone = set(), [], set(), set()
    for edit in score.edits:
        a = None if edit.a_position is None else (edit.a_position, code[edit.a_type])
        b = None if edit.b_position is None else (edit.b_position, code[edit.b_type])
        match edit.kind:
            case "match":
                assert a == b
                matches.add(a)
            case "deletion":
                assert b is None
                a_alone.add(a)
            case "insertion":
                assert a is None
                b_alone.add(b)
            case "transposition" | "substitution" as kind:
                assert (kind == "transposition") == (a[1] == b[1])
                shifted.append((min(a, b), max(a, b)))
            case kind:
                pytest.fail(f"an edit of an unknown kind: {kind}")
    return matches, tuple(shifted), a_alone, b_alone


def near(x: float, y: Fraction | float) -> bool:
    """Return whether numbers are equal except for the last bits. (pytest.approx would take half of the time of a test.)"""
    return abs(x - float(y)) < 1e-12


COSTS = st.sampled_from(
    [
        ("scaled", "scaled", "0", "0"),
        ("printed", "scaled", "0", "0"),
        ("unit", "unit", "0", "0"),
        ("te", "scaled", "0", "0"),
        ("te", "unit", "0", "0"),
        ("scaled", "printed", "0", "0"),
        ("scaled", "scaled", "0.3", "0.1"),
        ("printed", "printed", "0.25", "0.7"),
        ("scaled", "scaled", "1", "1"),
        ("printed", "printed", "1", "1"),
    ]
)


def rules_and_options(n_t: int, number: int, costs: tuple[str, str, str, str]) -> tuple[Rules, dict]:
    transposition, substitution, wt, ws = costs
    options = {"n_t": n_t, "transposition": transposition, "substitution": substitution}
    options |= {"wt": float(wt), "ws": float(ws)}
    if number == 1 and substitution == "printed":
        substitution = "scaled"  # there is nothing to substitute, and nothing to divide by
    return Rules(n_t, number, transposition, substitution, Fraction(wt), Fraction(ws)), options
