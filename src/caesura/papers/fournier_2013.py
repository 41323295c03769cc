"""Fournier (2013): boundary similarity (B), and the thesis behind it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.agreement.coefficients import agreement
from caesura.agreement.placed import boundaries_placed
from caesura.data import stargazer
from caesura.measures.boundary import boundary_similarity, segmentation_similarity
from caesura.measures.confusion import boundary_confusion
from caesura.measures.many import score_many
from caesura.measures.window import window_diff
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.papers.data import MOONSTONE, Data, moonstone, segmentations_of
from caesura.papers.entry import (
    NOT_FREE,
    PRESET,
    REFUTED,
    REPRODUCED,
    Computation,
    Curves,
    Paper,
    Picture,
    Row,
    statement,
)
from caesura.simulation import pseudo_coders, random_coders
from caesura.statistics import mean_interval

PAPER = Paper(
    "fournier2013",
    "Fournier (2013)",
    "Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL, 1702-1712.",
)
THESIS = Paper(
    "fournier2013",
    "Fournier (2013, thesis)",
    "Fournier, C. (2013). Evaluating text segmentation. Master's thesis, University of Ottawa.",
)
COMPAT = "fournier2013"
S, B = "segmentation_similarity(n_t=2)", "boundary_similarity(n_t=2)"


def _figure(hypothesis: Sequence[int], s: str, b: str, one_minus_wd: str) -> Computation:
    """Compare a segmentation of eleven lines with the manual one (Figure 4: 2, 3 and 6 lines)."""
    manual, automatic = Segmentation.from_masses((2, 3, 6)), Segmentation.from_masses(hypothesis)
    unweighted = segmentation_similarity(manual, automatic, compat="fournier2012").value
    score = boundary_similarity(manual, automatic)
    rows = [
        Row("S", s, segmentation_similarity(manual, automatic).value, unweighted, exact=True),
        Row("B", b, score.value),
        Row("1 - WD", one_minus_wd, 1 - window_diff(manual, automatic).value),
        Row("window k", "2", float(window_diff(manual, automatic).params["window"])),
    ]
    return Computation(rows, signatures=(score.signature,))


def _figure_1(_: Data) -> Computation:
    parts = boundary_similarity(Segmentation.from_masses((2, 4, 4, 4)), Segmentation.from_masses((3, 3, 6, 2))).parts
    return Computation(
        [
            Row("transpositions", "1", float(parts["transpositions"])),
            Row("matches", "1", float(parts["matches"])),
            Row("additions and deletions", "2", float(parts["additions"])),
        ]
    )


def _pi(corpus: Corpus, measure: str, compat: str | None = None) -> float:
    return agreement(corpus, measure=measure, coefficient="multi_pi", compat=compat, interval=None).value


def _both(corpus: Corpus, s: str, b: str, name: str) -> list[Row]:
    return [
        Row(f"{name}, pi* over {letter}", printed, _pi(corpus, measure), _pi(corpus, measure, COMPAT))
        for letter, measure, printed in (("S", S, s), ("B", B, b))
    ]


def _stargazer(_: Data) -> Computation:
    corpus = stargazer()
    signature = agreement(corpus, measure=B, compat=COMPAT, interval=None).signature
    return Computation(_both(corpus, "0.7562", "0.4405", "Stargazer"), signatures=(signature,))


def _moonstone(data: Data) -> Computation:
    groups = moonstone(data)
    rows = [*_both(groups["G2"], "0.90", "0.40", "third group"), *_both(groups["G5"], "0.83", "0.23", "fifth group")]
    return Computation(rows)


_NEAR = 0.0921
_MISSES = tuple(np.round(np.arange(0, 0.9, 0.1), 1).tolist())
_UNITS = [100] * 20


def _segment_lengths(data: Data) -> list[int]:
    """Return the lengths of all coders' segments in the free chapters of The Moonstone."""
    return [
        mass
        for corpus in moonstone(data).values()
        for annotation in segmentations_of(corpus).values()
        for mass in annotation.masses
    ]


def _pseudo(data: Data, measure: str, coders: Sequence[int]) -> dict[int, list[float]]:
    """Return pi* of pseudo-coders for each number of coders, by rising probability of a miss."""
    masses = _segment_lengths(data)
    return {
        n: [_pi(pseudo_coders(_UNITS, masses, coders=n, near=_NEAR, miss=miss, seed=9), measure) for miss in _MISSES]
        for n in coders
    }


def _curves(by_coders: dict[int, list[float]], letter: str) -> Curves:
    lines = {f"{n} coders": (_MISSES, values) for n, values in by_coders.items()}
    return Curves("P(miss) while P(near) = .0921", f"pi* over {letter}", lines)


def _figure_9a(data: Data) -> Computation:
    by_coders = _pseudo(data, S, (2, 5, 10))
    rises = all(values[-1] > values[0] for values in by_coders.values())
    above = all(min(values) > 0.75 for values in by_coders.values())
    rows = [
        statement("pi* over S rises with the number of misses", rises),
        statement("pi* over S stays above .75", above),
    ]
    return Computation(rows, _curves(by_coders, "S"))


def _figure_9b(data: Data) -> Computation:
    by_coders = _pseudo(data, B, (2, 5, 10))
    falls = all(values[::2] == sorted(values[::2], reverse=True) for values in by_coders.values())
    spread = max(max(column) - min(column) for column in zip(*by_coders.values(), strict=True))
    rows = [
        statement("pi* over B falls with the number of misses", falls),
        statement("it falls by more than .4", all(values[0] - values[-1] > 0.4 for values in by_coders.values())),
        statement("the number of coders hardly matters (less than .1)", spread < 0.1),
    ]
    return Computation(rows, _curves(by_coders, "B"))


def _figure_9c(data: Data) -> Computation:
    everyone = random_coders(_UNITS, _segment_lengths(data), coders=10, seed=2)
    coders = list(range(2, 11))
    values = {
        letter: [_pi(everyone.select(coders=everyone.coders[:n]), measure) for n in coders]
        for letter, measure in (("S", S), ("B", B))
    }
    rows = [
        statement("pi* over B of random segmentations is low (below .25)", max(values["B"]) < 0.25),
        statement("pi* over S of random segmentations is high (above .7)", min(values["S"]) > 0.7),
    ]
    lines = {f"pi* over {letter}": (coders, curve) for letter, curve in values.items()}
    return Computation(rows, Curves("coders", "pi*", lines))


def _figure_11(data: Data) -> Computation:
    placed = {name: boundaries_placed(corpus) for name, corpus in moonstone(data).items()}
    rates = [row.per_unit for table in placed.values() for row in table.rows]
    rows = [
        Row("coders of the two free groups", "10", float(len(rates))),
        statement("some coders place more than twice as many boundaries as others", max(rates) > 2 * min(rates)),
        statement("all rates lie between 0 and .25", 0 <= min(rates) <= max(rates) <= 0.25),
    ]
    return Computation(rows, Picture("boundaries_per_coder", (placed["G5"],)))


# B, its standard error, boundary pairs, TP, FP, FN, TN, and B-precision, B-recall, B-F1
_TABLE_2 = {
    "Random": ("0.2640", "0.0129", 1057, 279.0, 420, 318, "0.3991", "0.4673", "0.4306"),
    "Human": ("0.5285", "0.0164", 841, 444.5, 204, 153, "0.6854", "0.7439", "0.7135"),
    "BayesSeg": ("0.3745", "0.0146", 964, 361.0, 327, 219, "0.5247", "0.6224", "0.5694"),
    "APS": ("0.2873", "0.0163", 738, 212.0, 101, 411, "0.6773", "0.3403", "0.4530"),
    "MinCut": ("0.2468", "0.0141", 871, 215.0, 234, 400, "0.4788", "0.3496", "0.4041"),
}


def _counts(segmenter: str) -> tuple[int, int, int, int]:
    """Return matches, near misses, false positives and false negatives, which follow from the printed columns."""
    _, _, pairs, tp, fp, fn, *_ = _TABLE_2[segmenter]
    near = round(2 * (pairs - fp - fn - tp))
    return pairs - fp - fn - near, near, fp, fn


def _texts(segmenter: str) -> tuple[Segmentation, Segmentation]:
    """Return one text per side with exactly these boundary pairs, each in six units of its own."""
    matches, near, fp, fn = _counts(segmenter)
    kinds = [((3,), (3,))] * matches + [((3,), (4,))] * near + [((), (3,))] * fp + [((3,), ())] * fn
    first, second = (
        Segmentation.from_positions(6 * len(kinds), [6 * i + at for i, kind in enumerate(kinds) for at in kind[side]])
        for side in (0, 1)
    )
    return first, second


def _table_2(data: Data) -> Computation:
    rows: list[Row] = []
    points: dict[str, tuple[list[float], list[float]]] = {}
    for segmenter, (b, error, _, _, fp, fn, *printed) in _TABLE_2.items():
        matches, near, _, _ = _counts(segmenter)
        interval = mean_interval([1, 0.5, 0], [matches, near, fp + fn])
        pair = _texts(segmenter)
        own, old = boundary_confusion(*pair), boundary_confusion(*pair, compat=COMPAT)
        rows += [
            Row(f"{segmenter} B", b, boundary_similarity(*pair).value),
            Row(f"{segmenter} standard error", error, interval.standard_error),
            Row(f"{segmenter} B-precision", printed[0], own.precision(), old.precision()),
            Row(f"{segmenter} B-recall", printed[1], own.recall(), old.recall()),
            Row(f"{segmenter} B-F1", printed[2], own.f(), old.f()),
        ]
        points[segmenter] = [old.recall()], [old.precision()]
    return Computation(rows, Curves("B-recall", "B-precision", points))  # Figure 12


def _section_6(_: Data) -> Computation:
    """Compare the intervals that follow from Table 2 with the sentences about them."""
    intervals = {}
    for segmenter in _TABLE_2:
        matches, near, fp, fn = _counts(segmenter)
        intervals[segmenter] = mean_interval([1, 0.5, 0], [matches, near, fp + fn])
    bayes, human, random = (intervals[name] for name in ("BayesSeg", "Human", "Random"))
    rows = [
        statement(
            "BayesSeg lies between the bounds, intervals apart", random.high < bayes.low < bayes.high < human.low
        ),
        statement("MinCut lies significantly below random", intervals["MinCut"].high < random.low),
        statement("APS lies significantly below random", intervals["APS"].high < random.low),
    ]
    return Computation(rows)


def _table_5_3b(_: Data) -> Computation:
    corpus = stargazer()
    annotations = list(segmentations_of(corpus).values())
    pairs = [(a, b) for i, a in enumerate(annotations) for b in annotations[i + 1 :]]
    parts = score_many(pairs, B).total.parts
    rows = [
        Row("full misses", "72", float(parts["additions"])),
        Row("near misses", "28", float(parts["transpositions"])),
        Row("matches", "125", float(parts["matches"]), float(parts["matches"] + 2 * len(pairs))),
    ]
    return Computation(rows)


_SEGMENTS = "The printed values count segments where the equation says boundaries; the program was corrected later."
# All displays of the paper.
ENTRIES = (
    PAPER.entry(
        "figure-1",
        "Figure 1",
        "section 3.1, page 1704",
        "The three kinds of edits between two segmentations.",
        REPRODUCED,
        _figure_1,
    ),
    PAPER.entry(
        "figure-5",
        "Figure 5",
        "section 4, page 1707",
        "A false negative.",
        REPRODUCED,
        lambda _: _figure((5, 6), "0.9", "0.5", "0.777"),
    ),
    PAPER.entry(
        "figure-6",
        "Figure 6",
        "section 4, page 1707",
        "A near miss.",
        PRESET,
        lambda _: _figure((2, 2, 7), "0.9", "0.75", "0.777"),
        preset="segmentation_similarity(compat='fournier2012')",
        reason="S is printed with whole transpositions. B = .75 shows that a transposition costs d / n_t, not d / "
        "(n_t - 1) as equation 5 has it.",
    ),
    PAPER.entry(
        "figure-7",
        "Figure 7",
        "section 4, page 1707",
        "A false positive.",
        REPRODUCED,
        lambda _: _figure((2, 3, 3, 3), "0.9", "0.666", "0.777"),
    ),
    PAPER.entry(
        "figure-8",
        "Figure 8",
        "section 4, page 1707",
        "A cluster of false positives.",
        REPRODUCED,
        lambda _: _figure((1, 1, 1, 2, 6), "0.8", "0.5", "0.666"),
        reason="The drawing is not in the text of the paper; these masses are one of four that give all three "
        "printed values.",
    ),
    PAPER.entry(
        "stargazer",
        "Section 5, Stargazer",
        "page 1708",
        "Agreement of seven readers.",
        PRESET,
        _stargazer,
        preset="compat='fournier2013'",
        reason=_SEGMENTS,
    ),
    PAPER.entry(
        "moonstone",
        "Section 5, The Moonstone",
        "page 1708",
        "Agreement of two groups of coders.",
        PRESET,
        _moonstone,
        needs=(MOONSTONE,),
        preset="compat='fournier2013'",
        reason=_SEGMENTS,
    ),
    PAPER.entry(
        "moonstone-others",
        "Section 5, The Moonstone",
        "page 1708",
        "Agreement of the other three groups: .91, .92, .94 over S, .20, .18, .38 over B.",
        NOT_FREE,
        None,
        reason="Three of the five groups of coders were never published.",
    ),
    PAPER.entry(
        "figure-9a",
        "Figure 9a",
        "section 5, page 1708",
        "Agreement over S as coders miss more boundaries.",
        REFUTED,
        _figure_9a,
        needs=(MOONSTONE,),
        reason="Agreement over S falls with the number of misses under every natural reading of the paper. Only if coders omit "
        "boundaries and never add any does it rise, above P(miss) = .6.",
    ),
    PAPER.entry(
        "figure-9b",
        "Figure 9b",
        "section 5, page 1708",
        "Agreement over B as coders miss more boundaries.",
        REPRODUCED,
        _figure_9b,
        needs=(MOONSTONE,),
    ),
    PAPER.entry(
        "figure-9c",
        "Figure 9c",
        "section 5, page 1708",
        "Agreement of random segmentations.",
        REPRODUCED,
        _figure_9c,
        needs=(MOONSTONE,),
    ),
    PAPER.entry(
        "figure-10",
        "Figure 10",
        "section 6, page 1709",
        "Five segmenters under S, B and 1 - WD.",
        NOT_FREE,
        None,
        reason="The output of the segmenters was never published.",
    ),
    PAPER.entry(
        "figure-11",
        "Figure 11",
        "section 5, page 1708",
        "How often each coder of The Moonstone places a boundary.",
        REPRODUCED,
        _figure_11,
        needs=(MOONSTONE,),
        reason="Ten of 27 coders are free; the picture shows one group.",
    ),
    PAPER.entry(
        "table-2",
        "Table 2 and Figure 12",
        "section 6, page 1710",
        "Five segmenters: B, precision, recall and F.",
        PRESET,
        _table_2,
        preset="boundary_confusion(compat='fournier2013')",
        reason="Texts with the printed counts give all printed values. Precision and recall divide by full misses "
        "only, so a boundary that is far off can be fully right.",
    ),
    PAPER.entry(
        "section-6",
        "Section 6",
        "page 1709",
        "What the text says about Table 2.",
        REFUTED,
        _section_6,
        reason="By the table, APS scores above the random baseline, not below it, and neither difference from it is "
        "significant as printed.",
    ),
    THESIS.entry(
        "thesis-table-5.3b",
        "Table 5.3b",
        "chapter 5",
        "Full and near misses of the readers of Stargazer.",
        PRESET,
        _table_5_3b,
        preset="matches + 2 per pair",
        reason="The program of that time counted the beginning and the end of the text as matches: 2 for each of 21 "
        "pairs.",
    ),
)
