"""Yöndem & Üçoluk: a success criterion for programs that segment discourse."""

from __future__ import annotations

import math

from caesura.agreement.cochran import cochran_q
from caesura.measures.fuzzy import fuzzy_success
from caesura.model.marks import Marks
from caesura.model.segmentation import Segmentation
from caesura.papers.data import Data
from caesura.papers.entry import NOT_FREE, REPRODUCED, Computation, Paper, Row, statement

PAPER = Paper(
    "yondem", "Yöndem & Üçoluk", "Yöndem, M. T., & Üçoluk, G. A realistic success criterion for discourse segmentation."
)
# Subjects who marked a boundary before each of the 14 sentences of the extract, except the first.
_EXTRACT = (0, 4, 0, 0, 4, 1, 1, 0, 0, 0, 7, 1, 0)


def _success(counts: tuple[int, ...], positions: list[int], coders: int, beta: float = 2.0) -> float:
    marks = Marks(list(counts), coders=coders)
    return fuzzy_success(marks, Segmentation.from_positions(len(counts) + 1, positions), beta=beta).value


def _extract(_: Data) -> Computation:
    """The extract with the seven subjects whom its largest count implies."""
    marks = Marks(list(_EXTRACT), coders=7)
    score = fuzzy_success(marks, Segmentation.from_positions(14, [2, 5, 11]))
    rows = [
        Row("sentences", "14", float(len(_EXTRACT) + 1)),
        Row("subjects at the strongest boundary", "7", float(max(_EXTRACT))),
        statement("the marks form islands: three clusters", len(score.clusters or ()) == 3),
        statement(
            "a program that hits every island has the best success",
            score.best is not None and math.isclose(score.value, score.best),
        ),
    ]
    return Computation(rows, signatures=(score.signature,))


def _figure_1(_: Data) -> Computation:
    supported = _success((0, 2, 3, 5, 3, 0, 0, 0), [4], 7)
    alone = _success((0, 0, 0, 5, 0, 0, 0, 0), [4], 7)
    return Computation([statement("a hit counts more where subjects marked the vicinity too", supported > alone)])


def _figure_2(_: Data) -> Computation:
    counts = (0, 0, 4, 4, 0, 0)
    clusters = fuzzy_success(Marks(list(counts), coders=8), Segmentation.from_positions(7, [3])).clusters
    equal = _success(counts, [3], 8) == _success(counts, [4], 8)
    return Computation(
        [
            statement("two neighbouring peaks are one boundary", len(clusters or ()) == 1),
            statement("either peak counts the same", equal),
        ]
    )


def _figure_3(_: Data) -> Computation:
    counts = (0, 0, 1, 2, 6, 1, 0, 0, 0, 0, 0, 0, 0)
    weak, strong = (_success(counts, [at], 7, beta=math.inf) for at in (3, 9))
    return Computation(
        [statement("a boundary where nobody marked one is worse than where one subject did", weak > 0 > strong)]
    )


def _figure_4(_: Data) -> Computation:
    counts = (0, 0, 2, 4, 1, 0, 0, 0, 0, 7, 0, 0, 0, 0)
    right, near, phantom, omission = (_success(counts, at, 7) for at in ([4, 10], [3, 10], [4, 8, 10], [4]))
    return Computation(
        [
            statement("a boundary that is slightly off is better than none", right > near > omission),
            statement("an additional boundary is punished", phantom < right),
        ]
    )


def _cochran(_: Data) -> Computation:
    """Cochran's Q of the extract: the printed equation has a sum inside the square."""
    coders = [[1 if subject < count else 0 for count in _EXTRACT] for subject in range(7)]
    annotations = [Segmentation.from_positions(14, [i + 1 for i, mark in enumerate(line) if mark]) for line in coders]
    result = cochran_q(annotations)
    totals, k = _EXTRACT, len(_EXTRACT)
    rows_sum = [sum(line) for line in coders]
    mean = sum(totals) / k
    by_hand = k * (k - 1) * sum((g - mean) ** 2 for g in totals) / (k * sum(rows_sum) - sum(x * x for x in rows_sum))
    return Computation(
        [statement("Q is the textbook's, with the sum of squares outside", math.isclose(result.q, by_hand))]
    )


# All displays of the paper. Its figures have no numbers, so their statements are tested on counts like those drawn.
ENTRIES = (
    PAPER.entry(
        "extract",
        "Extract",
        "section 2",
        "Fourteen sentences of a Turkish story with the marks of the subjects.",
        REPRODUCED,
        _extract,
        reason="The paper does not say how many subjects there were; its largest count is seven.",
    ),
    PAPER.entry(
        "figure-1", "Figure 1", "section 3.2", "More support in the vicinity of a boundary.", REPRODUCED, _figure_1
    ),
    PAPER.entry("figure-2", "Figure 2", "section 3.2", "Two peaks in the same vicinity.", REPRODUCED, _figure_2),
    PAPER.entry(
        "figure-3",
        "Figure 3",
        "section 3.2",
        "Weak and strong disagreement of people and program.",
        REPRODUCED,
        _figure_3,
    ),
    PAPER.entry(
        "figure-4",
        "Figure 4",
        "section 3.2",
        "Boundaries that are slightly off, too many or too few.",
        REPRODUCED,
        _figure_4,
    ),
    PAPER.entry(
        "equation-1",
        "Equation 1",
        "section 3.1",
        "Cochran's Q.",
        REPRODUCED,
        _cochran,
        reason="The printed equation has a sum inside the square by mistake.",
    ),
    PAPER.entry(
        "q-of-the-corpus",
        "Q of the corpus",
        "section 3.1",
        "Q = 16931 over 3,691 sentences.",
        NOT_FREE,
        None,
        reason="The marks of the corpus were never published.",
    ),
)
