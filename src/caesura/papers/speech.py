"""Two papers on speech: S_f of intonation units (Lai & Li 2023), and Struct-IoU of trees (Shi, Gimpel & Livescu 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from caesura.agreement.chance import Exact, Simulate
from caesura.agreement.coefficients import agreement
from caesura.formats.ptb import read_trees
from caesura.measures.flexible import flexible_similarity
from caesura.measures.operations import operations_table
from caesura.measures.registry import parse
from caesura.measures.structiou import struct_iou
from caesura.measures.treebank import struct_iou_corpus
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree
from caesura.papers.ambiguity import ambiguity, plausible_trees
from caesura.papers.data import Data
from caesura.papers.entry import Both, Computation, Curves, Displays, Picture, Values
from caesura.simulation.trees import by_length, correlation, perturbation_curve

DISPLAYS = Displays()

# -- Lai & Li (2023) --------------------------------------------------------------------------------------------------

Dialogue = dict[str, Segmentation]
_TYPES = [".", ",", "?", "--", ";"]
_MATRIX: list[list[float]] = [  # section 4.2; the last row and column are for no boundary
    [1, 0.5, 0.25, 0.25, 1, 0],
    [0.5, 1, 0.5, 0.5, 1, 0.25],
    [0.25, 0.5, 1, 0.25, 1, 0],
    [0.25, 0.5, 0.25, 1, 1, 0.25],
    [1, 1, 1, 1, 1, 1],
    [0, 0.25, 0, 0.25, 1, 1],
]
_COSTS = {".": 0.5, ",": 0.375, "?": 0.5, "--": 0.375, ";": 0.0}
_OPTIONS: dict[str, Any] = {"similarity": {"types": _TYPES, "matrix": _MATRIX}, "transposition": _COSTS}
# The figures exchange comma and period.
_ORDER = [1, 0, 2, 3, 4, 5]
_EXCHANGED: dict[str, Any] = {
    "similarity": {"types": _TYPES, "matrix": [[_MATRIX[i][j] for j in _ORDER] for i in _ORDER]},
    "transposition": {**_COSTS, ".": 0.375, ",": 0.5},
    "compat": "segsimflex",
}
_TEXTS = ("t001", "t004", "t016")


def _streams(case: Mapping[str, Any], side: str) -> Dialogue:
    return {
        speaker: Segmentation.from_marks(
            ["--" if mark == "\N{EN DASH}" else mark.strip() for mark in line], types=_TYPES
        )
        for speaker, line in zip(case["speakers"], case[side], strict=True)
    }


def _conversations(data: Data) -> dict[str, tuple[Dialogue, Dialogue]]:
    cases = [case for case in data.json("conversations") if case.get("config") == "identity"]
    return {case["text"]: (_streams(case, "lists1"), _streams(case, "lists2")) for case in cases}


@DISPLAYS.add("lai2023-figure-2")
def minimum_cost(_: Data) -> Computation:
    """Compare the texts of the caption: two substitutions around an r that may move right and a p that may move left."""
    a = Segmentation.from_marks(["p", "", "r", "", "q"], types=["p", "q", "r"])
    b = Segmentation.from_marks(["q", "r", "", "p", "p"], types=["p", "q", "r"])
    score = flexible_similarity(a, b, transposition=0.5)
    return Computation({"minimum cost": score.parts["cost"]}, signatures=(score.signature,))


@DISPLAYS.add("lai2023-figure-4-identity", {}, None)
@DISPLAYS.add("lai2023-figure-4-matrix", _OPTIONS, _EXCHANGED)
def similarity_by_text(data: Data, options: dict[str, Any], preset: dict[str, Any] | None) -> Computation:
    values: Values = {}
    curves: dict[str, list[float]] = {"S_f": [], "S_f^B": []}
    conversations = _conversations(data)
    for text in _TEXTS:
        own = flexible_similarity(*conversations[text], **options).parts
        old = None if preset is None else flexible_similarity(*conversations[text], **preset).parts
        for name, part in (("S_f", "s_f"), ("S_f^B", "s_f_b")):
            values[f"{text} {name}"] = own[part] if old is None else Both(own[part], old[part])
            curves[name].append(own[part])
    return Computation(values, _curves("similarity", curves))


def _curves(y_label: str, curves: Mapping[str, list[float]]) -> Curves:
    places = list(range(1, len(_TEXTS) + 1))
    return Curves("text (001, 004, 016)", y_label, {name: (places, values) for name, values in curves.items()})


@DISPLAYS.add("lai2023-figure-5")
def kappa_by_text(data: Data) -> Computation:
    """Compute kappa of S_f exactly, and kappa of S_f^B from simulated texts."""
    values: Values = {}
    curves: dict[str, list[float]] = {}
    for text, (a, b) in _conversations(data).items():
        corpus = Corpus({text: {"A": a, "B": b}})
        kappa = {}
        for matrix, options in (("identity", {}), ("matrix", _OPTIONS)):
            for name, normalize, chance in (
                ("S_f", "positions", Exact()),
                ("S_f^B", "boundaries", Simulate(draws=200)),
            ):
                measure = parse("flexible_similarity").replace(**options, normalize=normalize)
                kappa[name, matrix] = agreement(corpus, measure=measure, chance=chance, interval=None).value
                curves.setdefault(f"{name}, {matrix}", []).append(kappa[name, matrix])
        values |= {
            f"{text}: kappa over S_f^B is lower than over S_f": kappa["S_f^B", "matrix"] < kappa["S_f", "matrix"],
            f"{text}: the matrix raises kappa": kappa["S_f", "identity"] < kappa["S_f", "matrix"],
        }
    return Computation(values, _curves("kappa", curves))


@DISPLAYS.add("lai2023-figure-6")
def operations(data: Data) -> Computation:
    table = operations_table([flexible_similarity(*sides) for sides in _conversations(data).values()])
    contours = [row for row in table if row.type != ";"]
    appeals = table["?"].substitution
    values = {
        "falls are fully matched in less than 50 % of all cases": table["."].match < 0.5,
        "deletions are rare: below 20 % for every contour": all(row.unpaired < 0.2 for row in contours),
        "transpositions are rarer than deletions": all(row.transposition < row.unpaired for row in contours),
        "appeals often correspond to falls": max(appeals, key=lambda other: appeals[other]) == ".",
    }
    return Computation(values, Picture("operations", (table,)))


# -- Shi, Gimpel & Livescu (2024) -------------------------------------------------------------------------------------


@DISPLAYS.add("shi2024-table-1")
def plausible_and_random_trees(_: Data) -> Computation:
    result = ambiguity(8, random_trees=5, seed=1)
    f1, iou = result.random_f1, result.random_iou
    values = {
        "lowest PARSEVAL F1 of another plausible parse": 100 * result.lowest_f1.min(),
        "lowest Struct-IoU of another plausible parse": 100 * result.lowest_iou.min(),
        "some ground truth has F1 27.3 with random trees": bool(f1.min() <= 0.273 <= f1.max()),
        "some ground truth has Struct-IoU 61.9 with random trees": bool(iou.min() <= 0.619 <= iou.max()),
        "plausible parses always score higher": bool((result.lowest_iou > iou).all()),
    }
    return Computation(values, signatures=(result.signature,))


@DISPLAYS.add("shi2024-figure-8")
def two_parses(_: Data) -> Computation:
    """Compare both parses of the sentence: the telescope belongs to the cat, or to the seeing."""
    girl, telescope = "(NP (DT The) (NN girl))", "(PP (IN with) (NP (DT a) (NN telescope)))"
    cat = "(NP (DT a) (NN cat))"
    first = Tree.from_brackets(f"(S {girl} (VP (VBD saw) (NP {cat} {telescope})))")
    second = Tree.from_brackets(f"(S {girl} (VP (VBD saw) {cat} {telescope}))")
    return Computation({"the parses differ and Struct-IoU tolerates it": 0.8 < struct_iou(first, second).value < 1})


@DISPLAYS.add("shi2024-figure-9")
def number_of_parses(_: Data) -> Computation:
    return Computation({"plausible parses of N (P N){2}": len(plausible_trees(2))})


@DISPLAYS.add("shi2024-figure-5")
def perturbed_times(data: Data) -> Computation:
    trees = [Tree.from_brackets(record["tree"], record["times"]) for record in data.json("natural-stories")]
    curve = perturbation_curve(trees, deltas=(0.1, 0.4, 0.7, 1.0), repeats=2, seed=1)
    means = {kind: [point.mean for point in curve.of_kind(kind)] for kind in ("noise", "insert", "delete")}
    last = {kind: values[-1] for kind, values in means.items()}
    falls = all(later <= earlier for values in means.values() for earlier, later in pairwise(values))
    values = {
        "more perturbation lowers Struct-IoU": falls,
        "deletion lowers it most": min(last, key=lambda kind: last[kind]) == "delete",
        "noise lowers it least": max(last, key=lambda kind: last[kind]) == "noise",
    }
    return Computation(values, Picture("perturbation", (curve,)))


def _two_parsers(data: Data) -> tuple[list[Tree], list[Tree]]:
    folder = data.path("two-parsers")
    new, old = (
        [tree for path in sorted(folder.glob(f"*.{which}.ptb")) for tree in read_trees(path) if tree is not None]
        for which in ("new", "old")
    )
    return new, old


@DISPLAYS.add("shi2024-figure-6")
def scores_by_length(data: Data) -> Computation:
    rows = by_length(struct_iou_corpus(*_two_parsers(data)))
    compared = [(row.mean, row.corpus) for row in rows if row.mean is not None and row.corpus is not None]
    differences = [mean - corpus for mean, corpus in compared]
    values = {
        "the corpus level lies below the sentence level": all(low <= high for high, low in compared[-5:]),
        "more so for long sentences": differences[-1] > differences[0],
    }
    return Computation(values, Picture("by_length", (rows,)))


@DISPLAYS.add("shi2024-figure-7")
def correlation_with_parseval(data: Data) -> Computation:
    result = correlation(*_two_parsers(data), samples=None, size=10, seed=1)
    values = {"Struct-IoU and PARSEVAL F1 correlate strongly (rho above .5)": result.rho > 0.5}
    return Computation(values, Picture("correlation", (result,)))
