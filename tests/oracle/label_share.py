"""Agreement of labels over time from its definition: time in equal steps, on a grid that contains every boundary."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Grid = list[str | None]
"""The label of each step; None without label."""


def coefficients(coders: Sequence[Grid], *, ignore_gaps: bool = False) -> dict[str, Fraction | None]:
    """Return observed agreement, and kappa and pi of any number of coders; None if undefined."""
    steps = [step for step in zip(*coders, strict=True) if not ignore_gaps or None not in step]
    if not steps:
        return {"observed": None, "kappa": None, "pi": None}
    pairs = list(combinations(range(len(coders)), 2))
    observed = Fraction(sum(step[a] == step[b] for step in steps for a, b in pairs), len(steps) * len(pairs))
    labels = {label for step in steps for label in step}
    share = [{x: Fraction(sum(step[c] == x for step in steps), len(steps)) for x in labels} for c in range(len(coders))]
    kappa = sum((share[a][x] * share[b][x] for a, b in pairs for x in labels), Fraction(0)) / len(pairs)
    pi = sum(((sum(own[x] for own in share) / len(coders)) ** 2 for x in labels), Fraction(0))
    beyond = {name: None if e == 1 else (observed - e) / (1 - e) for name, e in (("kappa", kappa), ("pi", pi))}
    return {"observed": observed, **beyond}


def near_kappa(base: Grid, other: Grid, steps: int) -> Fraction | None:
    """Return kappa of the table in which a label of the base agrees if the other side has it within some steps.

    Times are the middles of steps, so that a step further away than the tolerance is never reached.
    """
    n = len(base)
    tallied = [label if label in other[max(0, t - steps) : t + steps + 1] else other[t] for t, label in enumerate(base)]
    observed = Fraction(sum(x == y for x, y in zip(base, tallied, strict=True)), n)
    expected = sum(Fraction(base.count(x) * tallied.count(x), n * n) for x in {*base, *tallied})
    return None if expected == 1 else (observed - expected) / (1 - expected)
