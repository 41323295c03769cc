"""Time Pk, WindowDiff, S and B, compare them with segeval and NLTK, and measure how their time grows."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

import caesura as cz
from bench.timing import shortest_time
from caesura.engines import open_engine
from caesura.views.table import Table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # segeval compares ints with `is`
    import segeval
    from nltk.metrics.segmentation import pk as nltk_pk
    from nltk.metrics.segmentation import windowdiff as nltk_windowdiff

Pair = tuple[cz.Segmentation, cz.Segmentation]

UNITS, DENSITY, DOCUMENTS = 1000, 0.05, 2000


def texts(count: int, units: int = UNITS, density: float = DENSITY, seed: int = 1) -> list[Pair]:
    """Return pairs of random segmentations."""
    rng = np.random.default_rng(seed)

    def simulate() -> cz.Segmentation:
        return cz.Segmentation.from_positions(units, np.flatnonzero(rng.random(units - 1) < density) + 1)

    return [(simulate(), simulate()) for _ in range(count)]


def typed_texts(count: int, units: int, types: int, density: float = DENSITY, seed: int = 1) -> list[Pair]:
    """Return pairs in which each position has each type with probability ``density``, so positions have sets of types."""
    rng = np.random.default_rng(seed)
    names = [f"t{i}" for i in range(types)]

    def simulate() -> cz.Segmentation:
        marks = rng.random((units - 1, types)) < density
        return cz.Segmentation.from_sets([{names[t] for t in np.flatnonzero(row)} for row in marks], names)

    return [(simulate(), simulate()) for _ in range(count)]


def tables() -> Iterator[Table]:
    yield against_libraries()
    yield window_width()
    yield text_length()
    yield transposition_distance()
    yield number_of_types()
    yield one_position()


def batch_time(documents: list[Pair], measure: str) -> float:
    """Return the time of scoring all documents in one thread."""
    with open_engine("threads", 1) as engine:
        return shortest_time(lambda: cz.score_many(documents, measure, engine=engine))


def against_libraries() -> Table:
    documents = texts(DOCUMENTS)
    masses = [(a.masses, b.masses) for a, b in documents[:20]]
    bits = [(a.bits(), b.bits()) for a, b in documents[:50]]
    windows = [cz.pk(a, b, compat="nltk").params["window"] for a, b in documents[:50]]
    libraries = {
        "boundary_similarity(n_t=2)": (
            "segeval",
            shortest_time(lambda: [segeval.boundary_similarity(a, b, n_t=2) for a, b in masses]) / len(masses),
            500,
        ),
        "segmentation_similarity(n_t=2)": (
            "segeval",
            shortest_time(lambda: [segeval.segmentation_similarity(a, b, n_t=2) for a, b in masses]) / len(masses),
            None,
        ),
        "window_diff": (
            "NLTK",
            shortest_time(lambda: [nltk_windowdiff(a, b, k) for (a, b), k in zip(bits, windows, strict=True)])
            / len(bits),
            100,
        ),
        "pk": ("NLTK", shortest_time(lambda: [nltk_pk(a, b) for a, b in bits]) / len(bits), 60),
    }
    rows = []
    for measure, (library, library_time, goal) in libraries.items():
        seconds = batch_time(documents, measure) / len(documents)
        rows.append((measure, "batch", seconds * 1e6, library, library_time * 1e6, library_time / seconds, goal))
    pairs = documents[:500]
    seconds = shortest_time(lambda: [cz.boundary_similarity(a, b, n_t=2) for a, b in pairs]) / len(pairs)
    measure = "boundary_similarity(n_t=2)"
    library, library_time, _ = libraries[measure]
    rows.append((measure, "one pair per call", seconds * 1e6, library, library_time * 1e6, library_time / seconds, 40))
    return Table(
        ("measure", "call", "caesura, µs", "library", "library, µs", "times faster", "goal"),
        tuple(rows),
        title=f"{UNITS} units, {DENSITY:.0%} boundaries, per document",
        digits=1,
    )


def _growth_table(title: str, parameter: str, rows: Sequence[tuple[str, object, float, float]]) -> Table:
    """Return a table of rows (measure, value of the parameter, seconds, seconds for its first value)."""
    body = tuple((measure, str(value), seconds * 1e3, seconds / first) for measure, value, seconds, first in rows)
    return Table(("measure", parameter, "ms", "times the first"), body, title=title, digits=2, group=0)


def window_width() -> Table:
    documents = texts(1000)
    rows = []
    for name in ("pk", "window_diff", "win_pr"):
        first = 0.0
        for k in (5, 50, 250):
            seconds = batch_time(documents, f"{name}(window={k})")
            first = first or seconds
            rows.append((name, k, seconds, first))
    return _growth_table("Growth with the window k, 1,000 documents (goal: k = 250 within 1.5 times k = 5)", "k", rows)


def text_length() -> Table:
    rows = []
    short, long = texts(1, 100_000), texts(1, 1_000_000)
    for name in ("pk", "window_diff", "segmentation_similarity(n_t=2)", "boundary_similarity(n_t=2)"):
        measure = cz.parse(name)
        first = shortest_time(lambda m=measure: m.score(*short[0]))  # type: ignore[misc]
        rows.append((name, 100_000, first, first))
        rows.append((name, 1_000_000, shortest_time(lambda m=measure: m.score(*long[0])), first))  # type: ignore[misc]
    return _growth_table(
        "Growth with the text, one document (goal: ten times the units within 13 times the time)", "units", rows
    )


def transposition_distance() -> Table:
    documents = texts(1000)
    rows = []
    first = 0.0
    for n_t in (2, 5, 10, 50):
        seconds = batch_time(documents, f"boundary_similarity(n_t={n_t})")
        first = first or seconds
        rows.append(("boundary_similarity", n_t, seconds, first))
    return _growth_table("Growth with n_t, 1,000 documents (goal: n_t = 10 within 3 times n_t = 2)", "n_t", rows)


def number_of_types() -> Table:
    rows = []
    first = 0.0
    for types in (1, 2, 4, 7):
        documents = typed_texts(100, UNITS, types)
        seconds = batch_time(documents, "boundary_similarity(n_t=2)")
        first = first or seconds
        rows.append(("boundary_similarity(n_t=2)", types, seconds, first))
    return _growth_table("Growth with the number of types, 5% boundaries per type, 100 documents", "types", rows)


def one_position() -> Table:
    """Compare up to seven types per side at one position; segeval tries all permutations of both sides."""
    rows = []
    for types in (3, 4, 5, 7):
        names = list(range(1, 2 * types + 1))
        a = cz.Segmentation.from_sets([set(names[::2])], names)
        b = cz.Segmentation.from_sets([set(names[1::2])], names)
        seconds = shortest_time(lambda a=a, b=b: cz.boundary_similarity(a, b), seconds=0.3)  # type: ignore[misc]
        segeval_time = None
        if types <= 5:
            sets = (({*names[::2]},), ({*names[1::2]},))
            segeval_time = shortest_time(
                lambda s=sets: segeval.boundary_similarity(*s, boundary_format=segeval.BoundaryFormat.sets),  # type: ignore[misc]
                seconds=0.3,
                min_runs=1,
            )
        rows.append(
            (types, seconds * 1e6, segeval_time and segeval_time * 1e6, segeval_time and segeval_time / seconds)
        )
    return Table(
        ("types per side", "caesura, µs", "segeval, µs", "times faster"),
        tuple(rows),
        title="Substitutions at one position (segeval at seven types: about two minutes)",
        digits=1,
    )


if __name__ == "__main__":
    sys.exit("run: python -m bench")
