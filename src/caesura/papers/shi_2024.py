"""Shi, Gimpel & Livescu (2024): Struct-IoU."""

from __future__ import annotations

from itertools import pairwise

from caesura.formats.ptb import read_trees
from caesura.measures.structiou import struct_iou
from caesura.measures.treebank import struct_iou_corpus
from caesura.model.tree import Tree
from caesura.model.value import Floats
from caesura.papers.ambiguity import ambiguity, plausible_trees
from caesura.papers.data import NATURAL_STORIES, TWO_PARSERS, Data
from caesura.papers.entry import NOT_FREE, REFUTED, REPRODUCED, Computation, Paper, Picture, Row, statement
from caesura.simulation.trees import by_length, correlation, perturbation_curve

PAPER = Paper(
    "shi2024",
    "Shi, Gimpel & Livescu (2024)",
    "Shi, F., Gimpel, K., & Livescu, K. (2024). Structured tree alignment for evaluation of (speech) "
    "constituency parsing. ACL.",
)
_DELTAS = (0.1, 0.4, 0.7, 1.0)


def _table_1(_: Data) -> Computation:
    result = ambiguity(8, random_trees=5, seed=1)
    rows = [
        Row("lowest PARSEVAL F1 of another plausible parse", "12.5", 100 * float(result.lowest_f1.min())),
        Row("lowest Struct-IoU of another plausible parse", "63.6", 100 * float(result.lowest_iou.min())),
        statement("some ground truth has F1 27.3 with random trees", _contains(result.random_f1, 0.273)),
        statement("some ground truth has Struct-IoU 61.9 with random trees", _contains(result.random_iou, 0.619)),
        statement("plausible parses always score higher", bool((result.lowest_iou > result.random_iou).all())),
    ]
    return Computation(rows, signatures=(result.signature,))


def _contains(values: Floats, value: float) -> bool:
    return bool(values.min() <= value <= values.max())


def _figure_8(_: Data) -> Computation:
    """Both parses of the sentence: the telescope belongs to the cat, or to the seeing."""
    first, second = (
        Tree.from_brackets(text)
        for text in (
            "(S (NP (DT The) (NN girl)) (VP (VBD saw) (NP (NP (DT a) (NN cat)) (PP (IN with) (NP (DT a) (NN "
            "telescope))))))",
            "(S (NP (DT The) (NN girl)) (VP (VBD saw) (NP (DT a) (NN cat)) (PP (IN with) (NP (DT a) (NN telescope)))))",
        )
    )
    return Computation(
        [statement("the parses differ and Struct-IoU tolerates it", 0.8 < struct_iou(first, second).value < 1)]
    )


def _figure_9(_: Data) -> Computation:
    return Computation([Row("plausible parses of N (P N){2}", "2", float(len(plausible_trees(2))))])


def _spoken(data: Data) -> list[Tree]:
    return [Tree.from_brackets(record["tree"], record["times"]) for record in data.json(NATURAL_STORIES)]


def _figure_5(data: Data) -> Computation:
    curve = perturbation_curve(_spoken(data), deltas=_DELTAS, repeats=2, seed=1)
    means = {kind: [point.mean for point in curve.of_kind(kind)] for kind in ("noise", "insert", "delete")}
    falls = all(later <= earlier for values in means.values() for earlier, later in pairwise(values))
    rows = [
        statement("more perturbation lowers Struct-IoU", falls),
        statement("deletion lowers it most", min(means, key=lambda kind: means[kind][-1]) == "delete"),
        statement("noise lowers it least", max(means, key=lambda kind: means[kind][-1]) == "noise"),
    ]
    return Computation(rows, Picture("perturbation", (curve,)))


def _parsers(data: Data) -> tuple[list[Tree], list[Tree]]:
    folder = data.path(TWO_PARSERS)
    new, old = (
        [tree for path in sorted(folder.glob(f"*.{which}.ptb")) for tree in read_trees(path) if tree is not None]
        for which in ("new", "old")
    )
    return new, old


def _figure_6(data: Data) -> Computation:
    rows_by_length = by_length(struct_iou_corpus(*_parsers(data)))
    compared = [(row.mean, row.corpus) for row in rows_by_length if row.mean is not None and row.corpus is not None]
    rows = [
        statement("the corpus level lies below the sentence level", all(low <= high for high, low in compared[-5:])),
        statement("more so for long sentences", compared[-1][0] - compared[-1][1] > compared[0][0] - compared[0][1]),
    ]
    return Computation(rows, Picture("by_length", (rows_by_length,)))


def _figure_7(data: Data) -> Computation:
    result = correlation(*_parsers(data), samples=None, size=10, seed=1)
    rows = [statement("Struct-IoU and PARSEVAL F1 correlate strongly (rho above .5)", result.rho > 0.5)]
    return Computation(rows, Picture("correlation", (result,)))


# All displays of the paper.
ENTRIES = (
    PAPER.entry(
        "table-1",
        "Table 1",
        "section 5.2.2",
        "Plausible parses against random trees.",
        REFUTED,
        _table_1,
        reason="The lowest Struct-IoU is 19/33 = 57.6 for every ground truth, and the program of the paper gives the"
        " same. It lies below the mean of random trees, so the conclusion of the section does not hold.",
    ),
    PAPER.entry("figure-8", "Figure 8", "section 5.2.2", "Two parses of an ambiguous sentence.", REPRODUCED, _figure_8),
    PAPER.entry("figure-9", "Figure 9", "section 5.2.2", "The parses of N (P N){2}.", REPRODUCED, _figure_9),
    PAPER.entry(
        "figure-5",
        "Figure 5",
        "section 5.1.3",
        "Struct-IoU of perturbed word boundaries, on free sentences.",
        REFUTED,
        _figure_5,
        needs=(NATURAL_STORIES,),
        reason="On these sentences noise does not lower the score least. The order belongs to the corpus, not to the measure: "
        "40 % of the paper's sentences have one word, which noise cannot change.",
    ),
    PAPER.entry(
        "figure-6",
        "Figure 6",
        "section 5.1.4",
        "Sentence and corpus level by length, on two parsers of GUM.",
        REPRODUCED,
        _figure_6,
        needs=(TWO_PARSERS,),
    ),
    PAPER.entry(
        "figure-7",
        "Figures 3 and 7",
        "sections 5.1.2 and 5.2.1",
        "Struct-IoU against PARSEVAL, on two parsers of GUM.",
        REPRODUCED,
        _figure_7,
        needs=(TWO_PARSERS,),
        reason="The treebanks of the paper need a licence; the statement is tested on free ones.",
    ),
    PAPER.entry(
        "correlations",
        "Figures 3 and 7",
        "sections 5.1.2 and 5.2.1",
        "Spearman's rho .689 on NXT Switchboard and .821 on the Penn Treebank.",
        NOT_FREE,
        None,
        reason="Both treebanks and the models need a licence.",
    ),
)
