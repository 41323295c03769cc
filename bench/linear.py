"""Pk, WindowDiff, S and B against segeval and NLTK, and how their time grows."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

import caesura as cz
from bench.timing import best
from caesura.views.table import Table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # segeval compares ints with `is`
    import segeval
    from nltk.metrics.segmentation import pk as nltk_pk
    from nltk.metrics.segmentation import windowdiff as nltk_windowdiff

Pair = tuple[cz.Segmentation, cz.Segmentation]

UNITS, DENSITY, DOCUMENTS = 1000, 0.05, 2000


def texts(count: int, units: int = UNITS, density: float = DENSITY, seed: int = 1) -> list[Pair]:
    """Pairs of random segmentations."""
    rng = np.random.default_rng(seed)

    def one() -> cz.Segmentation:
        return cz.Segmentation.from_positions(units, np.flatnonzero(rng.random(units - 1) < density) + 1)

    return [(one(), one()) for _ in range(count)]


def typed_texts(count: int, units: int, types: int, density: float = DENSITY, seed: int = 1) -> list[Pair]:
    """Pairs in which every type stands at every position with the given probability, so positions carry sets."""
    rng = np.random.default_rng(seed)
    names = [f"t{i}" for i in range(types)]

    def one() -> cz.Segmentation:
        drawn = rng.random((units - 1, types)) < density
        return cz.Segmentation.from_sets([{names[t] for t in np.flatnonzero(row)} for row in drawn], names)

    return [(one(), one()) for _ in range(count)]


def tables() -> Iterator[Table]:
    yield against_peers()
    yield window_width()
    yield text_length()
    yield reach()
    yield number_of_types()
    yield one_position()


def against_peers() -> Table:
    documents = texts(DOCUMENTS)
    masses = [(a.masses, b.masses) for a, b in documents[:20]]
    bits = [(a.bits(), b.bits()) for a, b in documents[:50]]
    windows = [cz.pk(a, b, compat="nltk").params["window"] for a, b in documents[:50]]
    peers = {
        "boundary_similarity(n_t=2)": (
            "segeval",
            best(lambda: [segeval.boundary_similarity(a, b, n_t=2) for a, b in masses]) / len(masses),
            500,
        ),
        "segmentation_similarity(n_t=2)": (
            "segeval",
            best(lambda: [segeval.segmentation_similarity(a, b, n_t=2) for a, b in masses]) / len(masses),
            None,
        ),
        "window_diff": (
            "NLTK",
            best(lambda: [nltk_windowdiff(a, b, k) for (a, b), k in zip(bits, windows, strict=True)]) / len(bits),
            100,
        ),
        "pk": ("NLTK", best(lambda: [nltk_pk(a, b) for a, b in bits]) / len(bits), 60),
    }
    rows = []
    for measure, (peer, theirs, goal) in peers.items():
        ours = best(lambda m=measure: cz.score_many(documents, m, workers=1)) / len(documents)  # type: ignore[misc]
        rows.append((measure, "batch", ours * 1e6, peer, theirs * 1e6, theirs / ours, goal))
    single = documents[:500]
    ours = best(lambda: [cz.boundary_similarity(a, b, n_t=2) for a, b in single]) / len(single)
    peer, theirs, _ = peers["boundary_similarity(n_t=2)"]
    rows.append(("boundary_similarity(n_t=2)", "one pair a call", ours * 1e6, peer, theirs * 1e6, theirs / ours, 40))
    return Table(
        ("measure", "call", "ours, µs", "peer", "peer, µs", "times faster", "goal"),
        tuple(rows),
        title=f"{UNITS} units, {DENSITY:.0%} boundaries, per document",
        digits=1,
    )


def _growth(title: str, what: str, rows: Sequence[tuple[str, object, float, float]]) -> Table:
    """Rows of (measure, value of the thing that grows, seconds, seconds at the start)."""
    body = tuple((measure, str(at), seconds * 1e3, seconds / first) for measure, at, seconds, first in rows)
    return Table(("measure", what, "ms", "times the first"), body, title=title, digits=2, group=0)


def window_width() -> Table:
    documents = texts(1000)
    rows = []
    for name in ("pk", "window_diff", "win_pr"):
        first = 0.0
        for k in (5, 50, 250):
            seconds = best(lambda m=f"{name}(window={k})": cz.score_many(documents, m, workers=1))  # type: ignore[misc]
            first = first or seconds
            rows.append((name, k, seconds, first))
    return _growth("Growth with the window k, 1,000 documents (goal: k = 250 within 1.5 of k = 5)", "k", rows)


def text_length() -> Table:
    rows = []
    short, long = texts(1, 100_000), texts(1, 1_000_000)
    for name in ("pk", "window_diff", "segmentation_similarity(n_t=2)", "boundary_similarity(n_t=2)"):
        measure = cz.parse(name)
        first = best(lambda m=measure: m.score(*short[0]))  # type: ignore[misc]
        rows.append((name, 100_000, first, first))
        rows.append((name, 1_000_000, best(lambda m=measure: m.score(*long[0])), first))  # type: ignore[misc]
    return _growth("Growth with the text, one document (goal: ten times the units within 13 times)", "units", rows)


def reach() -> Table:
    documents = texts(1000)
    rows = []
    first = 0.0
    for n_t in (2, 5, 10, 50):
        seconds = best(lambda m=f"boundary_similarity(n_t={n_t})": cz.score_many(documents, m, workers=1))  # type: ignore[misc]
        first = first or seconds
        rows.append(("boundary_similarity", n_t, seconds, first))
    return _growth("Growth with n_t, 1,000 documents (goal: n_t = 10 within 3 of n_t = 2)", "n_t", rows)


def number_of_types() -> Table:
    rows = []
    first = 0.0
    for types in (1, 2, 4, 7):
        documents = typed_texts(100, UNITS, types)
        seconds = best(lambda d=documents: cz.score_many(d, "boundary_similarity(n_t=2)", workers=1))  # type: ignore[misc]
        first = first or seconds
        rows.append(("boundary_similarity(n_t=2)", types, seconds, first))
    return _growth("Growth with the number of types, 5% boundaries of each, 100 documents", "types", rows)


def one_position() -> Table:
    """Up to seven types a side at one position; segeval tries every permutation of both sides."""
    rows = []
    for types in (3, 4, 5, 7):
        names = list(range(1, 2 * types + 1))
        a = cz.Segmentation.from_sets([set(names[::2])], names)
        b = cz.Segmentation.from_sets([set(names[1::2])], names)
        ours = best(lambda a=a, b=b: cz.boundary_similarity(a, b), seconds=0.3)  # type: ignore[misc]
        theirs = None
        if types <= 5:
            sets = (({*names[::2]},), ({*names[1::2]},))
            theirs = best(
                lambda s=sets: segeval.boundary_similarity(*s, boundary_format=segeval.BoundaryFormat.sets),  # type: ignore[misc]
                seconds=0.3,
                least=1,
            )
        rows.append((types, ours * 1e6, theirs and theirs * 1e6, theirs and theirs / ours))
    return Table(
        ("types a side", "ours, µs", "segeval, µs", "times faster"),
        tuple(rows),
        title="Substitutions at one position (segeval at seven types: about two minutes)",
        digits=1,
    )


if __name__ == "__main__":
    sys.exit("run: python -m bench")
