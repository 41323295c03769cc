"""Two papers on discourse: fuzzy success (Yöndem & Üçoluk), and one gold standard from hierarchies (Carbone et al. 2004)."""

from __future__ import annotations

import math
from collections.abc import Iterable

from caesura.agreement.cochran import cochran_q
from caesura.formats import read
from caesura.gold.experiment import evaluate_unification
from caesura.gold.unify import kappas_or_none, unify
from caesura.measures.fuzzy import fuzzy_success
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import Marks
from caesura.model.segmentation import Segmentation
from caesura.papers.data import Data
from caesura.papers.entry import Computation, Curves, Displays

DISPLAYS = Displays()

# -- Yöndem & Üçoluk: its figures have no numbers, so their statements are tested on counts like those drawn ----------

# Subjects who marked a boundary before each of the 14 sentences of the extract, except the first; the largest count implies
# seven subjects.
_EXTRACT = (0, 4, 0, 0, 4, 1, 1, 0, 0, 0, 7, 1, 0)


def _success(counts: tuple[int, ...], positions: list[int], coders: int, beta: float = 2.0) -> float:
    marks = Marks(list(counts), coders=coders)
    return fuzzy_success(marks, Segmentation.from_positions(len(counts) + 1, positions), beta=beta).value


@DISPLAYS.add("yondem-extract")
def extract(_: Data) -> Computation:
    score = fuzzy_success(Marks(list(_EXTRACT), coders=7), Segmentation.from_positions(14, [2, 5, 11]))
    is_best = score.best is not None and math.isclose(score.value, score.best)
    values = {
        "sentences": len(_EXTRACT) + 1,
        "subjects at the strongest boundary": max(_EXTRACT),
        "the marks form islands: three clusters": len(score.clusters or ()) == 3,
        "a program that hits every island has the best success": is_best,
    }
    return Computation(values, signatures=(score.signature,))


@DISPLAYS.add("yondem-figure-1")
def support_in_the_vicinity(_: Data) -> Computation:
    supported = _success((0, 2, 3, 5, 3, 0, 0, 0), [4], 7)
    alone = _success((0, 0, 0, 5, 0, 0, 0, 0), [4], 7)
    return Computation({"a hit counts more where subjects marked the vicinity too": supported > alone})


@DISPLAYS.add("yondem-figure-2")
def two_peaks(_: Data) -> Computation:
    counts = (0, 0, 4, 4, 0, 0)
    clusters = fuzzy_success(Marks(list(counts), coders=8), Segmentation.from_positions(7, [3])).clusters
    return Computation(
        {
            "two neighbouring peaks are one boundary": len(clusters or ()) == 1,
            "either peak counts the same": _success(counts, [3], 8) == _success(counts, [4], 8),
        }
    )


@DISPLAYS.add("yondem-figure-3")
def weak_and_strong_disagreement(_: Data) -> Computation:
    counts = (0, 0, 1, 2, 6, 1, 0, 0, 0, 0, 0, 0, 0)
    weak, strong = (_success(counts, [at], 7, beta=math.inf) for at in (3, 9))
    return Computation({"a boundary where nobody marked one is worse than where one subject did": weak > 0 > strong})


@DISPLAYS.add("yondem-figure-4")
def kinds_of_errors(_: Data) -> Computation:
    counts = (0, 0, 2, 4, 1, 0, 0, 0, 0, 7, 0, 0, 0, 0)
    right, near, phantom, omission = (_success(counts, at, 7) for at in ([4, 10], [3, 10], [4, 8, 10], [4]))
    return Computation(
        {
            "a boundary that is slightly off is better than none": right > near > omission,
            "an additional boundary is punished": phantom < right,
        }
    )


@DISPLAYS.add("yondem-equation-1")
def cochran(_: Data) -> Computation:
    """Compute Cochran's Q of the extract, also by the textbook's equation: the printed one has a sum inside the square."""
    coders = [[1 if subject < count else 0 for count in _EXTRACT] for subject in range(7)]
    annotations = [Segmentation.from_positions(14, [i + 1 for i, mark in enumerate(line) if mark]) for line in coders]
    totals, k = _EXTRACT, len(_EXTRACT)
    rows = [sum(line) for line in coders]
    mean = sum(totals) / k
    q = k * (k - 1) * sum((g - mean) ** 2 for g in totals) / (k * sum(rows) - sum(x * x for x in rows))
    is_equal = math.isclose(cochran_q(annotations).q, q)
    return Computation({"Q is the textbook's, with the sum of squares outside": is_equal})


# -- Carbone, Gal, Shieber & Grosz (2004) -----------------------------------------------------------------------------

# The drawings are not in the text of the paper: which segments coincide, contain and cross each other is, and unit numbers
# are chosen to fit it.
_FIGURE_1 = {
    "annotation 1": Hierarchy(8, [(1, 8, 1, "A"), (1, 2, 2, "B"), (3, 6, 2, "C"), (7, 8, 2, "D")]),
    "annotation 2": Hierarchy(8, [(1, 8, 1, "E"), (1, 4, 2, "F"), (5, 8, 2, "G")]),
    "annotation 3": Hierarchy(8, [(1, 8, 1, "H"), (1, 2, 2, "I"), (3, 6, 2, "J")]),
}
_FIGURE_2 = {
    "annotation 1": Hierarchy(8, [(1, 8, 1, "A"), (1, 2, 2, "B"), (3, 6, 2, "C"), (7, 8, 2, "D")]),
    "annotation 2": Hierarchy(8, [(1, 8, 1, "E"), (1, 6, 2, "F"), (7, 8, 2, "G"), (1, 2, 3, "H"), (3, 6, 3, "I")]),
    "annotation 3": Hierarchy(8, [(1, 8, 1, "J"), (1, 2, 2, "K"), (3, 6, 2, "L"), (7, 8, 2, "M")]),
}
_METHODS = {
    "FullCNS": ("consensus", "full"),
    "FlatCNS": ("consensus", "flat"),
    "FullMCNS": ("majority", "full"),
    "FullUNI": ("union", "full"),
}


def _letters(candidates: Iterable[object]) -> str:
    return "".join(sorted(label for candidate in candidates for label in candidate.labels))  # type: ignore[attr-defined]


@DISPLAYS.add("carbone2004-figure-1", _FIGURE_1, "FullCNS", "FlatCNS")
@DISPLAYS.add("carbone2004-figure-2", _FIGURE_2, "FullCNS", "FlatCNS")
@DISPLAYS.add("carbone2004-figure-3", _FIGURE_1, "FullMCNS")
@DISPLAYS.add("carbone2004-figure-5", _FIGURE_1, "FullUNI")
def kept_segments(_: Data, annotations: dict[str, Hierarchy], *names: str) -> Computation:
    values = {}
    for name in names:
        method, level = _METHODS[name]
        values[f"segments that {name} keeps"] = _letters(unify(annotations, method=method, level=level).included)
    return Computation(values)


@DISPLAYS.add("carbone2004-figure-4")
def conflict_free_union(_: Data) -> Computation:
    gold = unify(_FIGURE_1)
    return Computation({"segments that CFU drops": _letters(gold.dropped), "equally good answers": str(gold.optima)})


@DISPLAYS.add("carbone2004-figure-6")
def same_kappa(_: Data) -> Computation:
    a = Hierarchy(6, [(1, 6), (1, 4), (1, 2), (3, 4), (5, 6)])
    b = Hierarchy(6, [(1, 6), (3, 6), (1, 2), (3, 4), (5, 6)])
    (kappa,) = kappas_or_none([(a, b)])
    values = {
        "kappa of two different hierarchies": math.nan if kappa is None else kappa,
        "they differ": a.flat != b.flat,
    }
    return Computation(values)


@DISPLAYS.add("carbone2004-table-1")
def possible_values(_: Data) -> Computation:
    """Compare the printed table with what the definitions allow, and with the text."""
    return Computation(
        {
            "recall of FlatUNI, which contains every segment": 1.0,
            "precision of FlatCNS, which contains only common segments": 1.0,
            "largest possible deviation of a proportion (FlatMCNS precision)": 0.5,
            "largest possible deviation of a proportion (CFU recall)": 0.5,
            "non-crossing brackets of FullUNI: table, against the text": 0.47,
            "non-crossing brackets of FlatUNI: table, against the text": 0.54,
        }
    )


@DISPLAYS.add("carbone2004-table-1-on-music")
def unified_music(data: Data) -> Computation:
    """Test the statements of section 4.3 on twelve pieces of music with five annotators each."""
    study = evaluate_unification(read(data.path("spam"), excluded=[]))  # levels of a few annotations cross
    recall, precision, non_crossing = (
        {row.name: float(getattr(row, figure).mean) for row in study.rows}
        for figure in ("recall", "precision", "non_crossing")
    )
    values = {
        "consensus has precision 1": precision["FullCNS"] == 1,
        "consensus never crosses an annotation": non_crossing["FullCNS"] == 1,
        "the union has recall 1": recall["FullUNI"] == 1,
        "consensus has the lowest recall": recall["FullCNS"] == min(recall.values()),
        "the conflict-free union has a higher recall than majority": recall["CFU"] > recall["FlatMCNS"],
        "majority crosses less than the unions": non_crossing["FlatMCNS"] > non_crossing["FlatUNI"],
    }
    points = {name: ([recall[name]], [precision[name]]) for name in recall}
    return Computation(values, Curves("recall", "precision", points), (study.signature,))  # Figure 7
