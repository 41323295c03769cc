"""Time Pk, WindowDiff, S and B, compare them with segeval and NLTK, and measure how their time grows."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

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
# The functions that people call in loops, and how many times faster than the library they should be. That is 15 µs or less on
# the machine on which segeval needs 1,600 µs for B and for S, and NLTK 300 µs for WindowDiff and 220 µs for Pk.
CALLS: dict[str, tuple[Callable[[cz.Segmentation, cz.Segmentation], object], int | None]] = {
    "boundary_similarity(n_t=2)": (cz.boundary_similarity, 107),
    "segmentation_similarity(n_t=2)": (cz.segmentation_similarity, 107),
    "window_diff": (cz.window_diff, 20),
    "pk": (cz.pk, 15),
    "boundary_f": (cz.boundary_f, None),
}


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


def mean_time(calls: Iterable[Callable[[], object]]) -> float:
    """Return the mean over some calls of their shortest time; short runs are fair to a library on a busy machine."""
    times = [shortest_time(call, seconds=0.1) for call in calls]
    return sum(times) / len(times)


def against_libraries() -> Table:
    documents = texts(DOCUMENTS)
    masses = [(a.masses, b.masses) for a, b in documents[:20]]
    bits = [(a.bits(), b.bits()) for a, b in documents[:50]]
    windows = [cz.pk(a, b, compat="nltk").params["window"] for a, b in documents[:50]]
    libraries = {
        "boundary_similarity(n_t=2)": (
            "segeval",
            mean_time(partial(segeval.boundary_similarity, *pair, n_t=2) for pair in masses),
            2000,
        ),
        "segmentation_similarity(n_t=2)": (
            "segeval",
            mean_time(partial(segeval.segmentation_similarity, *pair, n_t=2) for pair in masses),
            None,
        ),
        "window_diff": (
            "NLTK",
            mean_time(partial(nltk_windowdiff, *pair, k) for pair, k in zip(bits, windows, strict=True)),
            100,
        ),
        "pk": ("NLTK", mean_time(partial(nltk_pk, *pair) for pair in bits), 60),
    }
    rows: list[tuple[str | float | None, ...]] = []
    for measure, (library, library_time, goal) in libraries.items():
        seconds = batch_time(documents, measure) / len(documents)
        rows.append((measure, "batch", seconds * 1e6, library, library_time * 1e6, library_time / seconds, goal))
    for measure, (call, goal) in CALLS.items():
        seconds = call_time(documents[:100], call)
        row = (measure, "one pair per call", seconds * 1e6)
        if measure in libraries:
            library, library_time, _ = libraries[measure]
            rows.append((*row, library, library_time * 1e6, library_time / seconds, goal))
        else:
            rows.append((*row, "", None, None, goal))
    return Table(
        ("measure", "call", "caesura, µs", "library", "library, µs", "times faster", "goal"),
        tuple(rows),
        title=f"{UNITS} units, {DENSITY:.0%} boundaries, per document (goal of one pair per call: 15 µs)",
        digits=1,
    )


def call_time(pairs: list[Pair], call: Callable[[cz.Segmentation, cz.Segmentation], object]) -> float:
    """Return the time of a call with one pair."""
    return shortest_time(lambda: [call(a, b) for a, b in pairs]) / len(pairs)


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
