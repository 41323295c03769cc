"""Carbone, Gal, Shieber & Grosz (2004): one gold standard from several discourse hierarchies."""

from __future__ import annotations

from collections.abc import Iterable

from caesura.formats import read
from caesura.gold.experiment import evaluate_unification
from caesura.gold.unify import kappa_or_none, unify
from caesura.model.hierarchy import Hierarchy
from caesura.papers.data import SPAM, Data
from caesura.papers.entry import NOT_FREE, REFUTED, REPRODUCED, Computation, Curves, Paper, Row, statement

PAPER = Paper(
    "carbone2004",
    "Carbone et al. (2004)",
    "Carbone, M., Gal, Y., Shieber, S., & Grosz, B. (2004). Unifying annotated discourse hierarchies to "
    "create a gold standard. SIGdial.",
)
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


def _letters(candidates: Iterable[object]) -> str:
    return "".join(sorted(label for candidate in candidates for label in candidate.labels))  # type: ignore[attr-defined]


def _included(annotations: dict[str, Hierarchy], method: str, level: str) -> str:
    return _letters(unify(annotations, method=method, level=level).included)


def _figure_1(_: Data) -> Computation:
    return Computation(
        [
            Row("segments that FullCNS keeps", "AEH", _included(_FIGURE_1, "consensus", "full")),
            Row("segments that FlatCNS keeps", "AEH", _included(_FIGURE_1, "consensus", "flat")),
        ]
    )


def _figure_2(_: Data) -> Computation:
    return Computation(
        [
            Row("segments that FullCNS keeps", "ADEGJM", _included(_FIGURE_2, "consensus", "full")),
            Row("segments that FlatCNS keeps", "ABCDEGHIJKLM", _included(_FIGURE_2, "consensus", "flat")),
        ]
    )


def _figure_3(_: Data) -> Computation:
    return Computation([Row("segments that FullMCNS keeps", "ABCEHIJ", _included(_FIGURE_1, "majority", "full"))])


def _figure_4(_: Data) -> Computation:
    gold = unify(_FIGURE_1)
    return Computation(
        [
            Row("segments that CFU drops", "FG", _letters(gold.dropped)),
            Row("equally good answers", "2", str(gold.optima)),
        ]
    )


def _figure_5(_: Data) -> Computation:
    return Computation([Row("segments that FullUNI keeps", "ABCDEFGHIJ", _included(_FIGURE_1, "union", "full"))])


def _figure_6(_: Data) -> Computation:
    a = Hierarchy(6, [(1, 6), (1, 4), (1, 2), (3, 4), (5, 6)])
    b = Hierarchy(6, [(1, 6), (3, 6), (1, 2), (3, 4), (5, 6)])
    kappa = kappa_or_none(a, b)
    return Computation(
        [
            Row("kappa of two different hierarchies", "1", float("nan") if kappa is None else kappa),
            statement("they differ", a.flat != b.flat),
        ]
    )


def _table_1(_: Data) -> Computation:
    """What the printed table says against what the definitions allow."""
    return Computation(
        [
            Row("recall of FlatUNI, which contains every segment", "0.98", 1.0),
            Row("precision of FlatCNS, which contains only common segments", "0.81", 1.0),
            Row("largest possible deviation of a proportion (FlatMCNS precision)", "0.89", 0.5),
            Row("largest possible deviation of a proportion (CFU recall)", "0.89", 0.5),
            Row("non-crossing brackets of FullUNI: table, against the text", "0.53", 0.47),
            Row("non-crossing brackets of FlatUNI: table, against the text", "0.46", 0.54),
        ]
    )


def _table_1_on_music(data: Data) -> Computation:
    """The statements of section 4.3 on twelve pieces of music with five annotators each."""
    study = evaluate_unification(read(data.path(SPAM), excluded=[]))  # levels of a few annotations cross
    rows = {row.name: row for row in study.rows}

    def mean(method: str, figure: str) -> float:
        return float(getattr(rows[method], figure).mean)

    rows_of_statements = [
        statement("consensus has precision 1", mean("FullCNS", "precision") == 1),
        statement("consensus never crosses an annotation", mean("FullCNS", "non_crossing") == 1),
        statement("the union has recall 1", mean("FullUNI", "recall") == 1),
        statement("consensus has the lowest recall", mean("FullCNS", "recall") == min(mean(m, "recall") for m in rows)),
        statement(
            "the conflict-free union has a higher recall than majority",
            mean("CFU", "recall") > mean("FlatMCNS", "recall"),
        ),
        statement(
            "majority crosses less than the unions", mean("FlatMCNS", "non_crossing") > mean("FlatUNI", "non_crossing")
        ),
    ]
    points = {name: ([mean(name, "recall")], [mean(name, "precision")]) for name in rows}
    return Computation(rows_of_statements, Curves("recall", "precision", points), (study.signature,))  # Figure 7


# All displays of the paper.
ENTRIES = (
    PAPER.entry("figure-1", "Figure 1", "section 2", "Consensus.", REPRODUCED, _figure_1),
    PAPER.entry("figure-2", "Figure 2", "section 2", "Full against flat consensus.", REPRODUCED, _figure_2),
    PAPER.entry("figure-3", "Figure 3", "section 2", "Majority consensus.", REPRODUCED, _figure_3),
    PAPER.entry(
        "figure-4",
        "Figure 4",
        "section 2",
        "Conflict-free union.",
        REPRODUCED,
        _figure_4,
        reason="Two answers are equally good and the paper has no rule for ties; ours chooses the one in the figure.",
    ),
    PAPER.entry("figure-5", "Figure 5", "section 2", "Union.", REPRODUCED, _figure_5),
    PAPER.entry(
        "figure-6", "Figure 6", "section 3.1", "Two hierarchies that kappa cannot tell apart.", REPRODUCED, _figure_6
    ),
    PAPER.entry(
        "table-1",
        "Table 1 and Figure 7",
        "section 4.3",
        "Eight ways to unify annotations, on the Boston Directions Corpus.",
        REFUTED,
        _table_1,
        reason="Two values contradict the definitions, two deviations exceed what a proportion can have, and two "
        "values differ from the text.",
    ),
    PAPER.entry(
        "table-1-on-music",
        "Table 1",
        "section 4.3",
        "What the text says about the eight ways, on the SPAM corpus of music.",
        REPRODUCED,
        _table_1_on_music,
        needs=(SPAM,),
    ),
    PAPER.entry(
        "table-1-corpus",
        "Table 1",
        "section 4.3",
        "The same on the corpus of the paper.",
        NOT_FREE,
        None,
        reason="The annotations of the Boston Directions Corpus need a licence.",
    ),
)
