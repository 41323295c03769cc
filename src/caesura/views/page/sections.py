"""The sections of the page, with tables and figures of the analyses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat
from caesura.errors import CaesuraError
from caesura.judging.judge import Judgement
from caesura.model.tree import Tree
from caesura.tasks.agree import Outcome
from caesura.tasks.report_results import CorpusReport, FuzzyItem, ParserScore
from caesura.tasks.report_subject import MAX_FIGURES, check_coders
from caesura.views import agreement as agreement_view
from caesura.views import figures as plot
from caesura.views import judgement as judgement_view
from caesura.views.answers.words import STRENGTH_NOTE
from caesura.views.figures.canvas import data_uri
from caesura.views.gold import dropped_table, unified_table
from caesura.views.results import operations_view
from caesura.views.table import Table, extra_figures, interval_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Width in inches of figures that are as wide as the page.
PAGE_WIDTH = 7.0
# Rows of a table on the page.
MAX_ROWS = 1000
_MORE_ROWS = "{:,} more rows are not shown; the commands print them with --csv."
# Lines of the heat map; further items show theirs above their text.
MAX_HEAT_LINES = 40
MAX_TREE_WORDS = 25
MAX_TREES = 3


@dataclass(frozen=True)
class Picture:
    """A figure as a data URI, or the reason why it could not be drawn."""

    caption: str
    source: str | None  # data URI; None if the figure could not be drawn
    reason: str | None = None
    shaded: bool = False  # whether shades carry meaning, so that the dark theme must not invert them


@dataclass(frozen=True)
class Section:
    """One section of the page: a heading, an introductory sentence, tables and figures."""

    id: str
    title: str
    lead: str = ""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    reason: str | None = None
    folded: Sequence[Table] = ()  # long tables, which open on a click
    notes: Sequence[str] = ()


def page_sections(report: CorpusReport) -> list[Section]:
    sections = (section(report) for section in _SECTIONS)
    return [section for section in sections if section is not None]


_Contents = dict[str, Any]  # further fields of a Section
_Show = Callable[[Any], _Contents | None]
_SECTIONS: list[Callable[[CorpusReport], Section | None]] = []


def _section(id: str, title: str, lead: str, analysis: str | None = None) -> Callable[[_Show], _Show]:
    """Register a function that returns the contents of a section, or None if the page has no such section."""
    # The function gets the result of the named analysis, if there is one; by default it gets the report.

    def register(show: _Show) -> _Show:
        def section(report: CorpusReport) -> Section | None:
            outcome = Outcome(report) if analysis is None else getattr(report, analysis)
            if outcome is None:
                return None
            if outcome.result is None:
                return Section(id, title, lead, reason=outcome.reason)
            contents = show(outcome.result)
            if contents is None:
                return None
            for key in {"tables", "folded"} & contents.keys():
                contents[key] = [*map(short_table, contents[key])]
            return Section(id, title, lead, **contents)

        _SECTIONS.append(section)
        return show

    return register


def short_table(table: Table) -> Table:
    """Return the table, or its first rows with a note if it is too long for a page."""
    if len(table.rows) <= MAX_ROWS:
        return table
    notes = (*table.notes, _MORE_ROWS.format(len(table.rows) - MAX_ROWS))
    return replace(table, rows=table.rows[:MAX_ROWS], notes=notes)


def _draw(
    caption: str, draw: Callable[..., Figure], *results: Any, coders: Collection[object] = (), **options: Any
) -> Picture:
    """Return the figure of the results, or the reason why it cannot be drawn, such as too many coders."""
    try:
        check_coders(coders)
        figure = draw(*results, **options)
    except CaesuraError as error:
        return Picture(caption, None, str(error))
    return Picture(caption, data_uri(figure))


def _first(pictures: Iterator[Picture]) -> list[Picture]:
    """Return the pictures of a section with one per item; those above the limit are not drawn."""
    return list(islice(pictures, MAX_FIGURES))


def _more(number: int, noun: str) -> list[str]:
    return [f"{number} more {noun} are not drawn."] if number else []


@_section("agreement", "Agreement", "Agreement beyond chance: 1 is full agreement, 0 is agreement by chance.")
def _agreement(report: CorpusReport) -> _Contents:
    outcomes = report.agreement.result
    if outcomes is None:
        return {"reason": report.agreement.reason}
    tables = [agreement_view.agreement_table(outcomes)]
    if all(outcome.result is None for outcome in outcomes):
        return {"tables": tables}
    if report.placed is not None and report.placed.result is not None:
        tables.append(agreement_view.coder_table(outcomes, report.placed.result))
    return {"tables": tables, "folded": [agreement_view.item_table(outcomes)], "notes": (STRENGTH_NOTE,)}


@_section("pairs", "Pairs", "Scores of all pairs of coders, systems included, over their common items.", "pairs")
def _pairs(tables: Sequence[Pairwise]) -> _Contents:
    first = tables[0]
    width = min(PAGE_WIDTH, max(3.3, 0.45 * len(first.coders) + 1.2))
    picture = _draw(
        f"{first.measure.label} of all pairs of coders", plot.pairwise, first, coders=first.coders, width=width
    )
    return {"pictures": [replace(picture, shaded=True)], "folded": [*map(agreement_view.pairwise_table, tables)]}


@_section("coders", "Coders", "Clusters of coders with similar segmentations, and boundaries of each coder.")
def _coders(report: CorpusReport) -> _Contents | None:
    if report.clustering is None or report.placed is None:
        return None
    pictures, tables, notes = [], [], []
    clustering, placed = report.clustering.result, report.placed.result
    if clustering is None:
        notes.append(f"No dendrogram: {report.clustering.reason}")
    else:
        caption = f"Clusters of coders, with {clustering.coefficient} inside each cluster"
        pictures.append(_draw(caption, plot.dendrogram, clustering, width=4.5))
        tables.append(agreement_view.cluster_table(clustering))
    if placed is not None:
        caption = "Boundaries of each coder"
        pictures.append(_draw(caption, plot.boundaries_per_coder, placed, coders=placed.rows, width=4.5))
        tables.append(agreement_view.placed_table(placed))
    return {"pictures": pictures, "folded": tables, "notes": notes}


@_section("heat", "Boundaries by position", "Number of coders who placed a boundary at each position.", "heat")
def _heat(strips: Sequence[Heat]) -> _Contents:
    fitting = _fitting_strips(strips)
    more = len({strip.item for strip in strips}) - len({strip.item for strip in fitting})
    notes = [f"{more} more items: each has its strip above its text."] if more else []
    caption = "Coders who placed a boundary, by position"
    picture = _draw(caption, plot.boundary_heat, fitting, width=PAGE_WIDTH)
    return {"pictures": [replace(picture, shaded=True)], "notes": notes}


def _fitting_strips(strips: Sequence[Heat]) -> list[Heat]:
    """Return as many strips as the figure has space for, at least one."""
    lines = accumulate(-(-len(strip.counts) // (36 * PAGE_WIDTH)) or 1 for strip in strips)
    return [strip for strip, total in zip(strips, lines, strict=True) if total <= MAX_HEAT_LINES] or [strips[0]]


@_section(
    "precision-recall",
    "Precision and recall",
    "B-precision against B-recall: a segmenter with high precision and low recall omits boundaries.",
    "precision_recall",
)
def _precision_recall(scores: Pairwise | Judgement) -> _Contents:
    sides = "each coder against all others" if isinstance(scores, Pairwise) else "systems and bounds against the coders"
    caption = f"B-precision against B-recall, {sides}"
    return {"pictures": [_draw(caption, plot.precision_recall, scores, width=4.5)]}


@_section(
    "systems", "Systems", "Scores of the systems with significance tests; bounds, if there are any, are in brackets."
)
def _systems(report: CorpusReport) -> _Contents | None:
    if report.judgement is None:
        return None
    judgement = report.judgement.result
    if judgement is None:
        return {"reason": report.judgement.reason}
    caption = "Each system with its interval, beside the human coders"
    tables = judgement_view.score_tables(judgement)
    tables += [judgement_view.drop_table(judgement.drops), judgement_view.replacement_table(judgement.replacements)]
    folded = [judgement_view.mistake_table(judgement.mistakes.values())]
    folded += [judgement_view.comparison_table(judgement.comparisons)] if judgement.comparisons else []
    pictures = [_draw(caption, plot.systems, judgement, width=5.0)]
    return {"tables": tables, "pictures": pictures, "folded": folded, "notes": judgement_view.score_notes(judgement)}


@_section("systems", "Systems", "Scores of every parser against every treebank, over all sentences.", "parsers")
def _parsers(scores: Sequence[ParserScore]) -> _Contents:
    figures = extra_figures(entry.score for entry in scores)
    records = [
        {"measure": entry.score.measure.label, "system": entry.system, "against": entry.coder}
        | {"value": entry.score.value, **interval_cells(entry.interval)}
        | {name: entry.score.figures.get(name) for name in figures}
        | {"sentences": entry.score.documents}
        for entry in scores
    ]
    note = "low, high: .95 percentile bootstrap over sentences"
    return {"tables": [Table.from_records(records, group=1, notes=(note,))]}


@_section(
    "clusters",
    "Clusters and phantoms",
    "Close marks of coders form a cluster. A system's boundary inside a cluster is rewarded; one outside is a phantom.",
    "fuzzy",
)
def _clusters(entries: Sequence[FuzzyItem]) -> _Contents:
    pictures = _first(
        _draw(f"{entry.item}, {entry.system}: {entry.score.value:.4f}", plot.clusters, entry.score, width=PAGE_WIDTH)
        for entry in entries
    )
    notes = [entry.score.signature for entry in entries[:1]]
    notes += _more(len(entries) - len(pictures), "pairs of item and system")
    return {"pictures": pictures, "notes": notes}


@_section(
    "operations", "Operations by type", "Edits of the boundaries of each type in all pairs of coders. Rows add up to 1."
)
def _operations(report: CorpusReport) -> _Contents | None:
    if report.subject.kind == "trees":
        return None
    if report.operations is None or report.operations.result is None or not len(report.operations.result):
        reason = None if report.operations is None else report.operations.reason
        return {"reason": reason or "no two coders placed boundaries in the same item"}
    operations, signature = report.operations.result, report.alignments.signature
    picture = _draw("Operations by type", plot.operations, operations, width=5.0)
    # The signature is that of the items in detail, and the table is about all items.
    notes = [] if signature is None or report.other_items else [signature]
    return {"tables": [operations_view(operations)], "pictures": [picture], "notes": notes}


@_section(
    "gold", "Gold hierarchy", "Conflict-free union of all spans, above the spans of each coder; dropped spans are grey."
)
def _gold(report: CorpusReport) -> _Contents | None:
    golds = None if report.golds is None else report.golds.result
    if golds is None:
        return None
    if not golds:
        return {"reason": "no item has two coders whose hierarchies can be united"}
    corpus = report.subject.corpus
    by_item = {item: {coder: corpus[item, coder] for coder in gold.coders} for item, gold in golds.items()}
    pictures = _first(_draw(item, plot.gold, gold, by_item[item], width=PAGE_WIDTH) for item, gold in golds.items())
    notes = _more(len(golds) - len(pictures), "gold standards")
    without = len(corpus.item_names) - len(golds)
    notes += [f"{without} items are not here; the command gold makes their gold standards."] if without else []
    return {"tables": [unified_table(golds)], "pictures": pictures, "folded": [dropped_table(golds)], "notes": notes}


@_section(
    "spans",
    "Alignment of spans",
    "Spans that gamma puts together, the items with the least agreement first. A span with a dashed frame stands alone.",
)
def _spans(report: CorpusReport) -> _Contents | None:
    if report.spans is None:
        return None
    alignments = report.spans.result
    if alignments is None:
        return {"reason": report.spans.reason}
    pictures = [
        _draw(f"{item}: disorder {entry.disorder:.4f}", plot.alignment, entry, width=PAGE_WIDTH)
        for item, entry in alignments.items()
    ]
    return {"pictures": pictures, "notes": _more(len(report.subject.corpus.item_names) - len(pictures), "items")}


@_section("trees", "Trees", "Parses that differ most, with the nodes that Struct-IoU aligns; see Texts for the others.")
def _trees(report: CorpusReport) -> _Contents | None:
    """Show the sentences that differ most, among those that fit the page."""
    if report.subject.kind != "trees":
        return None
    pictures: list[Picture] = []
    for alignment in sorted(report.alignments.trees, key=lambda alignment: alignment.score.value):
        first, second = alignment.coders
        gold, predicted = (report.subject.corpus[alignment.item, coder] for coder in alignment.coders)
        assert isinstance(gold, Tree)
        if gold.length <= MAX_TREE_WORDS and len(pictures) < MAX_TREES:
            score = alignment.score
            caption = f"{alignment.item}: {first} above, {second} below, Struct-IoU {score.value:.4f}"
            pictures.append(_draw(caption, plot.tree_alignment, gold, predicted, score))
    reason = None if pictures else f"no two parses of a sentence of up to {MAX_TREE_WORDS} words could be aligned"
    return {"pictures": pictures, "reason": reason}
