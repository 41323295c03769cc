"""The figures of docs/comparison.md: how often the numbers of other programs are those of the definitions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import caesura as cz
from golden.test_segsimflex_oracle import options, sides
from support.oracles import read_oracle

PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"
# The number of the other program, or None if it fails, and the number by the definition.
Pairs = Iterator[tuple[float | None, float]]
masses = cz.Segmentation.from_masses


def segeval_numbers(name: str, measure: Callable[..., cz.Score], largest: int = 99) -> Pairs:
    """Yield the numbers of one measure for all cases with n_t up to the largest."""
    for case in read_oracle("segeval.jsonl"):
        if case["kind"] == "single" and case["n_t"] <= largest:
            windows = name in ("pk", "wd")
            score = measure(masses(case["r"]), masses(case["h"]), **({} if windows else {"n_t": case["n_t"]}))
            yield fraction(case[name]), score.value


def fraction(text: str | dict[str, str]) -> float | None:
    """Return the value of ``7/20`` or ``0.35``; an error of the program, and 0/0, are None."""
    if isinstance(text, dict):
        return None
    numerator, _, denominator = text.partition("/")
    return None if denominator == "0" else float(numerator) / float(denominator or 1)


def nltk_numbers() -> Pairs:
    nltk = pytest.importorskip("nltk.metrics.segmentation", reason="NLTK is not installed: pip install caesura[test]")
    for case in read_oracle("segeval.jsonl"):
        if case["kind"] == "single":
            reference, hypothesis = masses(case["r"]), masses(case["h"])
            bits = [
                "".join("1" if p in set(side.inner) else "0" for p in range(1, side.length))
                for side in (reference, hypothesis)
            ]
            try:
                value = nltk.pk(*bits)
            except (ValueError, ZeroDivisionError):
                value = None
            yield value, cz.pk(reference, hypothesis).value


def segsimflex_numbers() -> Pairs:
    for case in read_oracle("segsimflex.jsonl"):
        yield case["R"]["S_f"], cz.flexible_similarity(*sides(case), **options(case)).value


def mir_eval_numbers(tolerance: float) -> Pairs:
    """Yield F of the boundaries inside; the file has the largest matching, which ``boundary_f`` is tested to give."""
    for case in read_oracle("mir_eval.jsonl")[1:]:
        yield case["peer"][f"detection@{tolerance} trim"][2], case["right"][f"detection@{tolerance} trim"][2]


def pyannote_numbers() -> Pairs:
    for case in read_oracle("pyannote.jsonl")[1:]:
        if case["kind"] == "partition":
            reference, hypothesis = (
                cz.Segmentation.from_times(times[1:-1], begin=times[0], duration=times[-1])
                for times in (case["ref"], case["hyp"])
            )
            score = cz.boundary_f(reference, hypothesis, tolerance=f"{case['tolerance']}s")
            yield case["peer"]["recall"], score.recall()


def chunkseg_numbers() -> Pairs:
    for case in read_oracle("chunkseg.jsonl")[1:]:
        reference, hypothesis = (
            cz.Segmentation.from_times(case[side], duration=case["duration"]) for side in ("reference", "hypothesis")
        )
        yield case["peer"].get("collar_f1"), cz.boundary_f(reference, hypothesis, tolerance="3s").value


def pygamma_numbers(name: str) -> Pairs:
    for case in read_oracle("gamma.jsonl"):
        exact = case.get("exact" if name == "disorder" else "fixed_alignment")
        if case["kind"] in ("published", "random") and exact and exact[name] is not None:
            yield case["pygamma"][name], exact[name]


COMPARISONS = {
    "segeval, Pk": lambda: segeval_numbers("pk", cz.pk),
    "segeval, WindowDiff": lambda: segeval_numbers("wd", cz.window_diff),
    "segeval, S": lambda: segeval_numbers("S", cz.segmentation_similarity),
    "segeval, B": lambda: segeval_numbers("B", cz.boundary_similarity),
    "segeval, B at n_t = 2": lambda: segeval_numbers("B", cz.boundary_similarity, largest=2),
    "NLTK, Pk": nltk_numbers,
    "segsimflex, S_f": segsimflex_numbers,
    "mir_eval, F at 0.5 s": lambda: mir_eval_numbers(0.5),
    "mir_eval, F at 3 s": lambda: mir_eval_numbers(3.0),
    "pyannote.metrics, recall": pyannote_numbers,
    "chunkseg, collar F": chunkseg_numbers,
    "pygamma-agreement, disorder of gamma": lambda: pygamma_numbers("disorder"),
    "pygamma-agreement, disorder of gamma-cat": lambda: pygamma_numbers("gamma_cat_disorder"),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_rows_of_the_comparison(name: str) -> None:
    pairs = list(COMPARISONS[name]())
    values = [(theirs, ours) for theirs, ours in pairs if theirs is not None and not math.isnan(theirs)]
    differences = [abs(theirs - ours) for theirs, ours in values]
    equal = sum(difference < 1e-6 for difference in differences)
    row = f"| {name} | {len(pairs)} | {equal} | {len(pairs) - len(values)} | {max(differences):.2f} |"
    rows = re.findall(rf"^\| {re.escape(name)} \|.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [row]
