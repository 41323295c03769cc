"""The sections of the page: results in, tables and figures out. Nothing is computed here."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat, Placed
from caesura.gold.result import Gold
from caesura.judging.result import Judgement
from caesura.model.hierarchy import Hierarchy
from caesura.model.tree import Tree
from caesura.views import results as scores
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
from caesura.views.page.results import Results
from caesura.views.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

__all__ = ["Figure", "Section", "sections_of"]

WIDE = 7.0
"""Inches: of figures that are as wide as the page."""
FIGURES = 12
ROOM = 1_000_000
"""Of figures that stand for an item each, so many are drawn, and no more than take so many characters."""
STRIPS = 40
"""Lines of a heat map; further items show theirs with their text."""


@dataclass(frozen=True)
class Figure:
    """A picture as a data URI, or why there is none."""

    caption: str
    source: str | None
    why: str | None = None


@dataclass(frozen=True)
class Section:
    """A heading, a sentence that says what is to be seen, and what is under it."""

    id: str
    title: str
    lead: str = ""
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    why: str | None = None
    """Why there is nothing to see."""
    folded: tuple[Table, ...] = ()
    """Long tables, which open when asked for."""
    notes: tuple[str, ...] = ()


def sections_of(found: Results) -> list[Section]:
    """In the order of the page."""
    made = [
        _agreement(found),
        _pairs(found),
        _coders(found),
        _heat(found),
        _precision_recall(found),
        _systems(found),
        _parsers(found),
        _clusters(found),
        _operations(found),
        _gold(found),
        _trees(found),
    ]
    return [one for one in made if one is not None]


def _figure(caption: str, draw: Callable[[], Drawn]) -> Figure:
    """A figure that cannot be drawn must not cost the page: whatever is wrong with it is said in its place."""
    from caesura import plot

    try:
        data = plot.svg(draw())
    except Exception as problem:
        return Figure(caption, None, f"{problem}" or type(problem).__name__)
    # As an image it needs no names of its own in the page, and cannot run anything.
    return Figure(caption, "data:image/svg+xml;base64," + base64.b64encode(data.encode()).decode())


def _first(figures: Iterator[Figure]) -> tuple[Figure, ...]:
    """As many as there is room for; the others are not even drawn."""
    out: list[Figure] = []
    taken = 0
    while len(out) < FIGURES and taken < ROOM and (one := next(figures, None)) is not None:
        out.append(one)
        taken += len(one.source or "")
    return tuple(out)


def _agreement(found: Results) -> Section:
    title, lead = "Agreement", "How far the coders agree beyond chance: 1 is full agreement, 0 what chance gives."
    if isinstance(found.agreement, str):
        return Section("agreement", title, lead, why=found.agreement)
    tables = [agreement_table(found.agreement)]
    if all(one.result is None for one in found.agreement):
        return Section("agreement", title, lead, tuple(tables))
    if not isinstance(found.placed, str):
        tables.append(coder_table(found.agreement, found.placed))
    return Section("agreement", title, lead, tuple(tables), folded=(item_table(found.agreement),), notes=THRESHOLDS)


def _pairs(found: Results) -> Section:
    from caesura import plot

    title, lead = "Pairs", "Every coder against every other, over all items both have; programs among them."
    if isinstance(found.pairs, str):
        return Section("pairs", title, lead, why=found.pairs)
    first = found.pairs[0]
    size = min(WIDE, max(3.3, 0.45 * len(first.coders) + 1.2))
    drawn = _figure(f"{first.measure.label} of every two coders", lambda: plot.pairwise(first, width=size))
    return Section("pairs", title, lead, figures=(drawn,), folded=tuple(map(pairwise_table, found.pairs)))


def _coders(found: Results) -> Section | None:
    from caesura import plot

    if found.subject.kind == "trees":
        return None
    figures, tables, notes = [], [], []
    clustering, placed = found.clustering, found.placed
    if isinstance(clustering, str):
        notes.append(f"No dendrogram: {clustering}")
    else:
        said = f"Who segments like whom, with {clustering.coefficient} inside each cluster"
        figures.append(_figure(said, lambda: plot.dendrogram(clustering, width=4.5)))
        tables.append(cluster_table(clustering))
    if isinstance(placed, Placed):
        figures.append(_figure("Boundaries of each coder", lambda: plot.boundaries_per_coder(placed, width=4.5)))
        tables.append(placed_table(placed))
    lead = "Who segments like whom, and who cuts finely or coarsely."
    return Section("coders", "Coders", lead, figures=tuple(figures), folded=tuple(tables), notes=tuple(notes))


def _heat(found: Results) -> Section | None:
    from caesura import plot

    if found.subject.kind == "trees":
        return None
    lead = "How many coders put a boundary at each position: where the text itself falls apart."
    if isinstance(found.heat, str):
        return Section("heat", "Boundaries by position", lead, why=found.heat)
    shown = _that_fit(found.heat)
    left = len({one.item for one in found.heat}) - len({one.item for one in shown})
    notes = (f"{left} more items: each has its strip above its text.",) if left else ()
    drawn = _figure("Coders who placed a boundary, by position", lambda: plot.boundary_heat(shown, width=WIDE))
    return Section("heat", "Boundaries by position", lead, figures=(drawn,), notes=notes)


def _that_fit(heat: Sequence[Heat]) -> list[Heat]:
    """As many as a figure has room for, the first in any case."""
    per_line = 36 * WIDE
    lines, out = 0.0, list[Heat]()
    for one in heat:
        lines += -(-len(one.counts) // per_line) or 1
        if out and lines > STRIPS:
            break
        out.append(one)
    return out


def _precision_recall(found: Results) -> Section | None:
    from caesura import plot

    if found.subject.kind in ("dialogues", "trees"):
        return None
    lead = "B-precision against B-recall: high precision with low recall is a segmenter that leaves boundaries out."
    if isinstance(found.precision_recall, str):
        return Section("precision-recall", "Precision and recall", lead, why=found.precision_recall)
    points = found.precision_recall
    who = "each coder against all others" if isinstance(points, Pairwise) else "programs and bounds against the coders"
    drawn = _figure(f"B-precision against B-recall, {who}", lambda: plot.precision_recall(points, width=4.5))
    return Section("precision-recall", "Precision and recall", lead, figures=(drawn,))


def _systems(found: Results) -> Section | None:
    from caesura import plot

    if found.judgement is None:
        return None
    lead = "Which program is best, is that luck, and could it stand in for a person? Bounds stand in brackets."
    judged = found.judgement
    if not isinstance(judged, Judgement):
        return Section("systems", "Programs", lead, why=judged)
    drawn = _figure("Each program with its interval, beside people", lambda: plot.systems(judged, width=5.0))
    tables = [*score_tables(judged), drop_table(judged.drops), replacement_table(judged.replacements)]
    folded = [mistake_table(judged.mistakes.values())]
    folded += [comparison_table(judged.comparisons)] if judged.comparisons else []
    return Section(
        "systems", "Programs", lead, tuple(tables), (drawn,), folded=tuple(folded), notes=score_notes(judged)
    )


def _parsers(found: Results) -> Section | None:
    if found.parsers is None:
        return None
    lead = "Every parser against every treebank, from counts summed over sentences."
    if isinstance(found.parsers, str):
        return Section("systems", "Programs", lead, why=found.parsers)
    figures = list(dict.fromkeys(name for one in found.parsers for name in one.score.figures if name != "f"))
    rows = [
        (
            one.score.measure.label,
            one.system,
            one.coder,
            one.score.value,
            *(one.interval or (None, None)),
            *(one.score.figures.get(name) for name in figures),
            one.score.documents,
        )
        for one in found.parsers
    ]
    columns = ("measure", "program", "against", "value", "low", "high", *figures, "sentences")
    notes = ("low, high: .95 percentile bootstrap over sentences",)
    return Section("systems", "Programs", lead, (Table(columns, tuple(rows), group=1, notes=notes),))


def _clusters(found: Results) -> Section | None:
    from caesura import plot

    if found.fuzzy is None:
        return None
    lead = (
        "Marks of coders that stand together form a cluster; a program's boundary inside one is rewarded, one outside is a "
        "phantom."
    )
    if isinstance(found.fuzzy, str):
        return Section("clusters", "Clusters and phantoms", lead, why=found.fuzzy)
    figures = _first(
        _figure(f"{item}, {system}: {score.value:.4f}", partial(plot.clusters, score, width=WIDE))
        for item, system, score in found.fuzzy
    )
    more = len(found.fuzzy) - len(figures)
    notes = [score.signature for _, _, score in found.fuzzy[:1]]
    notes += [f"{more} more of item and program are not drawn."] if more else []
    return Section("clusters", "Clusters and phantoms", lead, figures=figures, notes=tuple(notes))


def _operations(found: Results) -> Section | None:
    from caesura import plot

    if found.subject.kind == "trees":
        return None
    lead = (
        "What became of the boundaries of each type between every two coders, both sides together; shares add up to 1."
    )
    operations = found.texts.operations
    if operations is None or not len(operations):
        return Section("operations", "Operations by type", lead, why="no two coders placed boundaries on one item")
    drawn = _figure("Operations by type", lambda: plot.operations(operations, width=5.0))
    notes = () if found.texts.signature is None else (found.texts.signature,)
    return Section(
        "operations", "Operations by type", lead, (scores.operations_view(operations),), (drawn,), notes=notes
    )


def _gold(found: Results) -> Section | None:
    from caesura import plot

    if found.golds is None:
        return None
    lead = (
        "The union without conflicts of what the coders drew, as nested bars; spans that had to be dropped are grey. Each "
        "coder's own stand below."
    )
    if not found.golds:
        return Section("gold", "Gold hierarchy", lead, why="no item has two coders whose hierarchies can be united")
    figures = _first(
        _figure(item, partial(plot.gold, gold, _drawn_by(found, item, gold), width=WIDE))
        for item, gold in found.golds.items()
    )
    more = len(found.golds) - len(figures)
    notes = (f"{more} more golds are not drawn.",) if more else ()
    tables = (unified_table(found.golds),)
    return Section("gold", "Gold hierarchy", lead, tables, figures, folded=(dropped_table(found.golds),), notes=notes)


def _drawn_by(found: Results, item: str, gold: Gold) -> dict[str, Hierarchy]:
    """What the gold was made from."""
    by_coder = found.subject.corpus.of_item(item)
    return {coder: one for coder, one in by_coder.items() if coder in gold.coders and isinstance(one, Hierarchy)}


def _trees(found: Results) -> Section | None:
    from caesura import plot

    if found.subject.kind != "trees":
        return None
    lead = "Two parses of a sentence with the nodes that Struct-IoU aligns; every sentence stands under Texts."
    corpus = found.subject.corpus
    figures: list[Figure] = []
    # The sentences that differ most, of a length that fits on a page.
    for item, a, b, score in found.texts.trees:
        gold, predicted = corpus[item, a], corpus[item, b]
        assert isinstance(gold, Tree)
        assert isinstance(predicted, Tree)
        if gold.length <= 25 and len(figures) < 3:
            said = f"{item}: {a} above, {b} below, Struct-IoU {score.value:.4f}"
            figures.append(_figure(said, partial(plot.tree_alignment, gold, predicted, score)))
    why = None if figures else "no two parses of a sentence of up to 25 words could be aligned"
    return Section("trees", "Trees", lead, figures=tuple(figures), why=why)
