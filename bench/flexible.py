"""Time flexible similarity: one conversation, simulated and exact chance agreement, and long runs of boundaries."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.model.dialogue import texts_of
from caesura.views.table import Table

# Relative frequency of each type after a word in the first conversation of Lai, Li & Zhang (2023).
FREQUENCIES = {".": 0.11, ",": 0.07, "?": 0.01, "--": 0.02, ";": 0.02}


def conversation(units: int = 4000, seed: int = 1) -> cz.Corpus:
    """Return a dialogue of two speakers. The second coder changes types and positions of some boundaries of the first."""
    rng = np.random.default_rng(seed)
    types = list(FREQUENCIES)
    probabilities = [*FREQUENCIES.values(), 1 - sum(FREQUENCIES.values())]

    def simulate_stream(n: int) -> tuple[cz.Segmentation, cz.Segmentation]:
        first = rng.choice([*types, ""], n, p=probabilities)
        second = first.copy()
        retyped = (rng.random(n) < 0.3) & (first != "")
        second[retyped] = rng.choice(types, int(retyped.sum()))
        for i in np.flatnonzero((first != "") & (rng.random(n) < 0.05)):
            if i + 1 < n and not second[i + 1]:
                second[i], second[i + 1] = "", second[i]
        marks = (cz.Segmentation.from_marks(side.tolist(), types=types) for side in (first, second))
        return next(marks), next(marks)

    streams = {"F": simulate_stream(units // 2), "M": simulate_stream(units - units // 2)}
    coders = {coder: {speaker: pair[i] for speaker, pair in streams.items()} for i, coder in enumerate("AB")}
    return cz.Corpus({"talk": coders})


def boundary_run(boundaries: int, seed: int = 2) -> tuple[cz.Segmentation, cz.Segmentation]:
    """Return two segmentations without common boundaries, in which every unit has a boundary of one of them."""
    marks = np.random.default_rng(seed).permutation(np.repeat([0, 1], boundaries))
    first, second = ([symbols[mark] for mark in marks] for symbols in ((".", ""), ("", ".")))
    return cz.Segmentation.from_marks(first, types=["."]), cz.Segmentation.from_marks(second, types=["."])


def tables() -> Iterator[Table]:
    corpus = conversation()
    a, b = (texts_of(corpus["talk", coder]) for coder in "AB")
    cores = os.cpu_count() or 1
    flexible = cz.parse("flexible_similarity")
    rows: list[tuple[str, float, str]] = [
        ("one conversation of 4,000 units", shortest_time(lambda: cz.flexible_similarity(a, b)) * 1e3, "0.2"),
        ("the same, by a measure object", shortest_time(lambda: flexible.score(a, b)) * 1e3, "0.2"),
        ("the same, with edits", shortest_time(lambda: cz.flexible_similarity(a, b).edits) * 1e3, ""),
        (
            f"kappa, 10,000 draws, {cores} threads",
            shortest_time(
                lambda: cz.agreement(corpus, measure=flexible, seed=1, chance=cz.Simulate(draws=10_000)), min_runs=3
            )
            * 1e3,
            "3000",
        ),
        (
            "kappa, exact chance, identity",
            shortest_time(lambda: cz.agreement(corpus, measure=flexible, chance="exact"), min_runs=2) * 1e3,
            "1000",
        ),
    ]
    for n in (5000, 10_000, 20_000):
        pair = boundary_run(n)
        seconds = shortest_time(lambda p=pair: cz.flexible_similarity(*p))  # type: ignore[misc]
        rows.append((f"a run of 2 x {n:,} boundaries", seconds * 1e3, "200" if n == 5000 else ""))
    pair = boundary_run(5000)
    for options in ({"transposition": 0.05}, {"algorithm": "pardist"}, {"transposition": 0}):
        seconds = shortest_time(lambda o=options: cz.flexible_similarity(*pair, **o), min_runs=2)  # type: ignore[misc]
        description = ", ".join(f"{name}={value!r}" for name, value in options.items())
        rows.append((f"a run of 2 x 5,000 boundaries, {description}", seconds * 1e3, "200"))
    yield Table(("flexible similarity", "ms", "goal, ms"), tuple(rows), title="Dialogue", digits=2)
