"""Flexible similarity of dialogue: one conversation, chance by drawing and exactly, long runs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

import caesura as cz
from bench.timing import best
from caesura.model.dialogue import streams_of
from caesura.views.table import Table

# How often each type follows a word in the first of the conversations of Lai & Li (2023), to two digits.
SHARES = {".": 0.11, ",": 0.07, "?": 0.01, "--": 0.02, ";": 0.02}


def conversation(units: int = 4000, seed: int = 1) -> cz.Corpus:
    """Two speakers; the second coder keeps most boundaries of the first, changes some types and moves a few."""
    rng = np.random.default_rng(seed)
    types = list(SHARES)
    odds = [*SHARES.values(), 1 - sum(SHARES.values())]

    def stream(n: int) -> tuple[cz.Segmentation, cz.Segmentation]:
        first = rng.choice([*types, ""], n, p=odds)
        second = first.copy()
        other = rng.random(n) < 0.3
        second[other & (first != "")] = rng.choice(types, int((other & (first != "")).sum()))
        for i in np.flatnonzero((first != "") & (rng.random(n) < 0.05)):
            if i + 1 < n and not second[i + 1]:
                second[i], second[i + 1] = "", second[i]
        marks = (cz.Segmentation.from_marks(side.tolist(), types=types) for side in (first, second))
        return next(marks), next(marks)

    streams = {"F": stream(units // 2), "M": stream(units - units // 2)}
    coders = {who: {name: pair[i] for name, pair in streams.items()} for i, who in enumerate("AB")}
    return cz.Corpus({"talk": coders})


def run(boundaries: int, seed: int = 2) -> tuple[cz.Segmentation, cz.Segmentation]:
    """One run: boundaries of both sides, none of them shared."""
    marks = np.random.default_rng(seed).permutation(np.repeat([0, 1], boundaries))
    sides = ([names[m] for m in marks] for names in ((".", ""), ("", ".")))
    return cz.Segmentation.from_marks(next(sides), types=["."]), cz.Segmentation.from_marks(next(sides), types=["."])


def tables() -> Iterator[Table]:
    corpus = conversation()
    a, b = (streams_of(corpus["talk", coder]) for coder in "AB")
    cores = os.cpu_count() or 1
    flexible = cz.parse("flexible_similarity")
    rows: list[tuple[str, float, str]] = [
        ("one conversation of 4,000 units", best(lambda: cz.flexible_similarity(a, b)) * 1e3, "0.2"),
        ("the same, from a measure", best(lambda: flexible.score(a, b)) * 1e3, "0.2"),
        ("its edits too", best(lambda: cz.flexible_similarity(a, b).edits) * 1e3, ""),
        (
            f"kappa, 10,000 draws, {cores} threads",
            best(lambda: cz.agreement(corpus, measure=flexible, seed=1, chance=cz.Simulate(draws=10_000)), least=3)
            * 1e3,
            "3000",
        ),
        (
            "kappa, exact chance, identity",
            best(lambda: cz.agreement(corpus, measure=flexible, chance="exact"), least=2) * 1e3,
            "1000",
        ),
    ]
    for n in (5000, 10_000, 20_000):
        one, other = run(n)
        seconds = best(lambda x=one, y=other: cz.flexible_similarity(x, y))  # type: ignore[misc]
        rows.append((f"a run of 2 x {n:,} boundaries", seconds * 1e3, "200" if n == 5000 else ""))
    one, other = run(5000)
    for options in ({"transposition": 0.05}, {"algorithm": "pardist"}, {"transposition": 0}):
        seconds = best(lambda o=options: cz.flexible_similarity(one, other, **o), least=2)  # type: ignore[misc]
        said = ", ".join(f"{name}={value!r}" for name, value in options.items())
        rows.append((f"a run of 2 x 5,000 boundaries, {said}", seconds * 1e3, "200"))
    yield Table(("flexible similarity", "ms", "goal, ms"), tuple(rows), title="Dialogue", digits=2)
