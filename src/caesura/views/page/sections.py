"""The sections of the page, with tables and figures of the analyses."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat
from caesura.errors import CaesuraError
from caesura.gold.result import Gold
from caesura.model.hierarchy import Hierarchy
from caesura.model.tree import Tree
from caesura.tasks.agree import Outcome
from caesura.tasks.report import CorpusReport, ParserScore
from caesura.views import figures as plot
from caesura.views.agreement import (
    THRESHOLDS,
    agreement_table,
    cluster_table,
    coder_table,
    item_table,
    pairwise_table,
    placed_table,
)
from caesura.views.gold import dropped_table, unified_table
from caesura.views.judgement import (
    comparison_table,
    drop_table,
    mistake_table,
    replacement_table,
    score_notes,
    score_tables,
)
from caesura.views.results import operations_view
from caesura.views.table import Table, extra_figures, interval_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE_WIDTH = 7.0
"""Width in inches of figures that are as wide as the page."""
MAX_FIGURES = 12
MAX_CHARACTERS = 1_000_000
"""Limits of a section with one figure per item; further figures are not drawn."""
MAX_HEAT_LINES = 40
"""Lines of the heat map; further items show theirs above their text."""
MAX_TREE_WORDS = 25
MAX_TREES = 3


@dataclass(frozen=True)
class Picture:
    """A figure as a data URI, or the reason why it could not be drawn.

    Parameters
    ----------
    caption : str
        Caption below the figure.
    source : str or None
        Data URI; None if the figure could not be drawn.
    reason : str or None
        Why the figure could not be drawn.
    """

    caption: str
    source: str | None
    reason: str | None = None


@dataclass(frozen=True)
class Section:
    """One section of the page: a heading, an introductory sentence, tables and figures.

    Parameters
    ----------
    id : str
        Anchor in the page.
    title : str
        Heading.
    lead : str
        Sentence below the heading.
    tables : tuple of Table
        Tables.
    pictures : tuple of Picture
        Figures.
    reason : str or None
        Why there is nothing to show.
    folded : tuple of Table
        Long tables, which open on a click.
    notes : tuple of str
        Lines at the end.
    """

    id: str
    title: str
    lead: str = ""
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    reason: str | None = None
    folded: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


def page_sections(report: CorpusReport) -> list[Section]:
    """Return the sections of the page, in order.

    Parameters
    ----------
    report : CorpusReport
        The analyses of a corpus.

    Returns
    -------
    list of Section
        The sections that apply to the kind of data.
    """
    sections = (
        _agreement(report),
        _pairs(report),
        _coders(report),
        _heat(report),
        _precision_recall(report),
        _systems(report),
        _parsers(report),
        _clusters(report),
        _operations(report),
        _gold(report),
        _trees(report),
    )
    return [section for section in sections if section is not None]


def _draw(caption: str, draw: Callable[[], Figure]) -> Picture:
    """Return the picture, or the reason why it cannot be drawn, such as too many coders."""
    try:
        figure = draw()
    except CaesuraError as error:
        return Picture(caption, None, str(error))
    # An image needs no ids of its own in the page, and cannot run anything.
    return Picture(caption, "data:image/svg+xml;base64," + base64.b64encode(plot.svg(figure).encode()).decode())


def _first(pictures: Iterator[Picture]) -> tuple[Picture, ...]:
    """Return the first pictures, up to the limit of a section; the rest are not drawn."""
    first: list[Picture] = []
    for picture in pictures:
        first.append(picture)
        if len(first) == MAX_FIGURES or sum(len(entry.source or "") for entry in first) >= MAX_CHARACTERS:
            break
    return tuple(first)


def _more(number: int, what: str) -> tuple[str, ...]:
    return (f"{number} more {what} are not drawn.",) if number else ()


def _agreement(report: CorpusReport) -> Section:
    lead = "Agreement of the coders beyond chance: 1 is full agreement, 0 is agreement by chance."
    section = partial(Section, "agreement", "Agreement", lead)
    outcomes = report.agreement.result
    if outcomes is None:
        return section(reason=report.agreement.reason)
    tables = [agreement_table(outcomes)]
    if all(outcome.result is None for outcome in outcomes):
        return section(tuple(tables))
    if report.placed is not None and report.placed.result is not None:
        tables.append(coder_table(outcomes, report.placed.result))
    return section(tuple(tables), folded=(item_table(outcomes),), notes=THRESHOLDS)


def _pairs(report: CorpusReport) -> Section:
    lead = "Scores of all pairs of coders, systems included, over all items that both annotated."
    section = partial(Section, "pairs", "Pairs", lead)
    if report.pairs.result is None:
        return section(reason=report.pairs.reason)
    first = report.pairs.result[0]
    width = min(PAGE_WIDTH, max(3.3, 0.45 * len(first.coders) + 1.2))
    picture = _draw(f"{first.measure.label} of all pairs of coders", lambda: plot.pairwise(first, width=width))
    return section(pictures=(picture,), folded=tuple(map(pairwise_table, report.pairs.result)))


def _coders(report: CorpusReport) -> Section | None:
    if report.clustering is None or report.placed is None:
        return None
    pictures, tables, notes = [], [], []
    clustering, placed = report.clustering.result, report.placed.result
    if clustering is None:
        notes.append(f"No dendrogram: {report.clustering.reason}")
    else:
        caption = f"Clusters of coders, with {clustering.coefficient} inside each cluster"
        pictures.append(_draw(caption, partial(plot.dendrogram, clustering, width=4.5)))
        tables.append(cluster_table(clustering))
    if placed is not None:
        pictures.append(_draw("Boundaries of each coder", partial(plot.boundaries_per_coder, placed, width=4.5)))
        tables.append(placed_table(placed))
    lead = "Clusters of coders with similar segmentations, and the number of boundaries of each coder."
    return Section("coders", "Coders", lead, pictures=tuple(pictures), folded=tuple(tables), notes=tuple(notes))


def _heat(report: CorpusReport) -> Section | None:
    if report.heat is None:
        return None
    lead = "Number of coders who placed a boundary at each position."
    section = partial(Section, "heat", "Boundaries by position", lead)
    if report.heat.result is None:
        return section(reason=report.heat.reason)
    strips = _fitting_strips(report.heat.result)
    more = len({strip.item for strip in report.heat.result}) - len({strip.item for strip in strips})
    notes = (f"{more} more items: each has its strip above its text.",) if more else ()
    caption = "Coders who placed a boundary, by position"
    picture = _draw(caption, lambda: plot.boundary_heat(strips, width=PAGE_WIDTH))
    return section(pictures=(picture,), notes=notes)


def _fitting_strips(strips: Sequence[Heat]) -> list[Heat]:
    """Return as many strips as the figure has space for, at least one."""
    lines, fitting = 0.0, list[Heat]()
    for strip in strips:
        lines += -(-len(strip.counts) // (36 * PAGE_WIDTH)) or 1
        if fitting and lines > MAX_HEAT_LINES:
            break
        fitting.append(strip)
    return fitting


def _precision_recall(report: CorpusReport) -> Section | None:
    if report.precision_recall is None:
        return None
    lead = "B-precision against B-recall: a segmenter with high precision and low recall omits boundaries."
    section = partial(Section, "precision-recall", "Precision and recall", lead)
    scores = report.precision_recall.result
    if scores is None:
        return section(reason=report.precision_recall.reason)
    sides = "each coder against all others" if isinstance(scores, Pairwise) else "systems and bounds against the coders"
    picture = _draw(f"B-precision against B-recall, {sides}", lambda: plot.precision_recall(scores, width=4.5))
    return section(pictures=(picture,))


def _system_section(lead: str, outcome: Outcome[Any]) -> partial[Section]:
    return partial(Section, "systems", "Systems", lead, reason=outcome.reason)


def _systems(report: CorpusReport) -> Section | None:
    if report.judgement is None:
        return None
    lead = "Which system is best, is the difference significant, and could it replace a coder? Bounds are in brackets."
    section = _system_section(lead, report.judgement)
    judgement = report.judgement.result
    if judgement is None:
        return section()
    caption = "Each system with its interval, beside the human coders"
    folded = [mistake_table(judgement.mistakes.values())]
    folded += [comparison_table(judgement.comparisons)] if judgement.comparisons else []
    return section(
        tables=(*score_tables(judgement), drop_table(judgement.drops), replacement_table(judgement.replacements)),
        pictures=(_draw(caption, lambda: plot.systems(judgement, width=5.0)),),
        folded=tuple(folded),
        notes=score_notes(judgement),
    )


def _parsers(report: CorpusReport) -> Section | None:
    if report.parsers is None:
        return None
    lead = "Scores of every parser against every treebank, from counts summed over sentences."
    section = _system_section(lead, report.parsers)
    return section() if report.parsers.result is None else section(tables=(_parser_table(report.parsers.result),))


def _parser_table(scores: Sequence[ParserScore]) -> Table:
    figures = extra_figures(entry.score for entry in scores)
    records = [
        {"measure": entry.score.measure.label, "system": entry.system, "against": entry.coder}
        | {"value": entry.score.value, **interval_cells(entry.interval)}
        | {name: entry.score.figures.get(name) for name in figures}
        | {"sentences": entry.score.documents}
        for entry in scores
    ]
    return Table.from_records(records, group=1, notes=("low, high: .95 percentile bootstrap over sentences",))


def _clusters(report: CorpusReport) -> Section | None:
    if report.fuzzy is None:
        return None
    lead = (
        "Marks of coders that are close together form a cluster. A system's boundary inside a cluster is rewarded; one "
        "outside is a phantom."
    )
    section = partial(Section, "clusters", "Clusters and phantoms", lead)
    entries = report.fuzzy.result
    if entries is None:
        return section(reason=report.fuzzy.reason)
    pictures = _first(
        _draw(
            f"{entry.item}, {entry.system}: {entry.score.value:.4f}",
            partial(plot.clusters, entry.score, width=PAGE_WIDTH),
        )
        for entry in entries
    )
    signature = tuple(entry.score.signature for entry in entries[:1])
    notes = (*signature, *_more(len(entries) - len(pictures), "pairs of item and system"))
    return section(pictures=pictures, notes=notes)


def _operations(report: CorpusReport) -> Section | None:
    if report.subject.kind == "trees":
        return None
    lead = "Operations on the boundaries of each type over all pairs of coders, both sides together. Rows add up to 1."
    section = partial(Section, "operations", "Operations by type", lead)
    operations = report.alignments.operations
    if operations is None or not len(operations):
        return section(reason="no two coders placed boundaries in the same item")
    picture = _draw("Operations by type", lambda: plot.operations(operations, width=5.0))
    signature = report.alignments.signature
    return section((operations_view(operations),), (picture,), notes=() if signature is None else (signature,))


def _gold(report: CorpusReport) -> Section | None:
    golds = report.golds
    if golds is None:
        return None
    lead = (
        "The conflict-free union of the coders' spans, as nested bars; dropped spans are grey. The hierarchy of each coder "
        "is below."
    )
    section = partial(Section, "gold", "Gold hierarchy", lead)
    if not golds:
        return section(reason="no item has two coders whose hierarchies can be united")
    pictures = _first(
        _draw(item, partial(plot.gold, gold, _sources(report, item, gold), width=PAGE_WIDTH))
        for item, gold in golds.items()
    )
    notes = _more(len(golds) - len(pictures), "gold standards")
    return section((unified_table(golds),), pictures, folded=(dropped_table(golds),), notes=notes)


def _sources(report: CorpusReport, item: str, gold: Gold) -> dict[str, Hierarchy]:
    """Return the hierarchies that a gold standard was made from."""
    by_coder = report.subject.corpus.of_item(item)
    return {
        coder: hierarchy
        for coder, hierarchy in by_coder.items()
        if coder in gold.coders and isinstance(hierarchy, Hierarchy)
    }


def _trees(report: CorpusReport) -> Section | None:
    """Show the sentences that differ most, among those that fit the page."""
    if report.subject.kind != "trees":
        return None
    lead = "Two parses of a sentence with the nodes that Struct-IoU aligns; all sentences are under Texts."
    corpus = report.subject.corpus
    pictures: list[Picture] = []
    for alignment in sorted(report.alignments.trees, key=lambda alignment: alignment.score.value):
        first, second = alignment.coders
        gold, predicted = corpus[alignment.item, first], corpus[alignment.item, second]
        assert isinstance(gold, Tree)
        assert isinstance(predicted, Tree)
        if gold.length <= MAX_TREE_WORDS and len(pictures) < MAX_TREES:
            score = alignment.score
            caption = f"{alignment.item}: {first} above, {second} below, Struct-IoU {score.value:.4f}"
            pictures.append(_draw(caption, partial(plot.tree_alignment, gold, predicted, score)))
    reason = None if pictures else f"no two parses of a sentence of up to {MAX_TREE_WORDS} words could be aligned"
    return Section("trees", "Trees", lead, pictures=tuple(pictures), reason=reason)
