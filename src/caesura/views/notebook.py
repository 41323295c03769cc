"""HTML of objects in a notebook: plain elements without script, style sheet or library.

:func:`_text` escapes every text that comes from a file or a user. The HTML takes its colours from the theme of the
notebook, light or dark. Annotations are drawn as in the report: coders as rows, segments as blocks.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import singledispatch
from itertools import accumulate
from typing import Any

from caesura.agreement.clusters import Clustering
from caesura.agreement.cochran import CochranQ
from caesura.agreement.disagreement_rows import Disagreements
from caesura.agreement.experts import ExpertSimilarity
from caesura.agreement.labels import LabelAgreement
from caesura.agreement.pairwise import Pairwise
from caesura.agreement.placed import Heat, Placed
from caesura.agreement.result import Agreement
from caesura.evaluation.result import Evaluation
from caesura.gold.experiment import Unification
from caesura.gold.gold import Gold
from caesura.judging.crisp_gold import CrispAndFuzzy
from caesura.judging.judge import Judgement
from caesura.judging.planning import Plan
from caesura.judging.reactions import Reactions
from caesura.measures.operations import OperationsTable
from caesura.model.annotation import tiers_of
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Dialogue, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import nonzero
from caesura.model.result import Edit, Result, Score
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.model.value import count_of
from caesura.tasks.curve import CurveStudy
from caesura.tasks.pairwise import PairwiseStudy
from caesura.tasks.verify import Verification, Verifications
from caesura.views.agreement import (
    agreement_notes,
    cluster_table,
    cochran_table,
    draw_dendrogram,
    draw_heat,
    label_table,
    placed_table,
)
from caesura.views.answer import Answer
from caesura.views.answers.coders import disagreements_answer
from caesura.views.curve import curve_view
from caesura.views.disagreements import places_table
from caesura.views.gold import crisp_table, gold_view, unification_table
from caesura.views.judgement import score_notes, score_tables
from caesura.views.pairwise import matrix_table, pairwise_view
from caesura.views.plan import plan_view
from caesura.views.reactions import reactions_view
from caesura.views.results import LEGEND, boundary_marks, draw_marks, evaluation_table, operations_view
from caesura.views.similarity import similarity_view
from caesura.views.table import Cell, Table, cells, clean, interval_cells, shorten, text_width
from caesura.views.timeline import Row, rows_of, timeline_svg
from caesura.views.verify import verification_view

MAX_UNITS = 500
MAX_ROWS = 100
MAX_CODERS = 20
MAX_NODES = 300
# Items of a corpus that are drawn, and of an agreement that are listed.
MAX_ITEMS = 10
MAX_CELL = 60
# Characters of a cell, and of the text below a drawing.
MAX_TEXT = 300
_SMALL = 'style="opacity:0.7;font-size:85%"'


@singledispatch
def to_html(value: object) -> str:
    """Return the HTML that a notebook shows for an object."""
    return _drawing(repr(value))


def _text(value: object) -> str:
    return html.escape(clean(str(value)))


def _drawing(text: str) -> str:
    lines = "\n".join(map(_text, text.splitlines()))
    return f"<pre>{lines}</pre>"


def _notes(notes: Iterable[str]) -> str:
    return "".join(f"<div {_SMALL}>{_text(note)}</div>" for note in notes)


# -- tables ---------------------------------------------------------------------------------------------------------


@to_html.register
def _table(table: Table) -> str:
    return f"<div>{''.join(map(_grid, table.grids))}{_notes(table.notes)}</div>"


def _grid(table: Table) -> str:
    alignment = ["right" if numeric else "left" for numeric in table.numeric_columns]
    caption = f'<caption style="text-align:left"><b>{_text(table.title)}</b></caption>' if table.title else ""
    body = "".join(f"<tr>{_cells('td', row, alignment)}</tr>" for row in table.text_rows[:MAX_ROWS])
    more = len(table.rows) - MAX_ROWS
    footer = f'<tr><td colspan="{len(alignment)}">… {more} more</td></tr>' if more > 0 else ""
    head = _cells("th", table.columns, alignment)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}{footer}</tbody></table>"


def _cells(tag: str, texts: Iterable[str], alignment: list[str]) -> str:
    return "".join(
        f'<{tag} style="text-align:{side}">{_text(text)}</{tag}>' for side, text in zip(alignment, texts, strict=True)
    )


@to_html.register
def _disagreements(result: Disagreements) -> str:
    return f"<div>{_text(disagreements_answer(result))}{_table(places_table(result))}</div>"


def _answer(answer: Answer) -> str:
    return f"<div>{_text(answer.text)}{_table(answer.table())}</div>"


@to_html.register
def _gold(result: Gold) -> str:
    return f"<div>{_answer(gold_view(result))}{_items(result.corpus)}</div>"


@to_html.register
def _clustering(clustering: Clustering) -> str:
    return f"<div>{_drawing(draw_dendrogram(clustering))}{_table(cluster_table(clustering))}</div>"


@to_html.register
def _heat(strip: Heat) -> str:
    return f"<div>{_drawing(draw_heat([strip]))}</div>"


# Result -> the view that makes its table.
_TABLES: Mapping[type[Result], Callable[[Any], Table]] = {
    Placed: placed_table,
    Pairwise: matrix_table,
    CochranQ: cochran_table,
    LabelAgreement: label_table,
    OperationsTable: operations_view,
    Evaluation: evaluation_table,
    CrispAndFuzzy: crisp_table,
    Unification: unification_table,
}

# Result -> the view that makes its answer.
_ANSWERS: Mapping[type[Result], Callable[[Any], Answer]] = {
    CurveStudy: curve_view,
    Plan: plan_view,
    Reactions: reactions_view,
    PairwiseStudy: pairwise_view,
    ExpertSimilarity: similarity_view,
    Verification: verification_view,
    Verifications: verification_view,
}


@to_html.register
def _result(result: Result) -> str:
    """Return the view of a result, or else its main table; a result of one row has one line per field."""
    for kind in type(result).__mro__:
        if kind in _TABLES:
            return _table(_TABLES[kind](result))
        if kind in _ANSWERS:
            return _answer(_ANSWERS[kind](result))
    rows = result.frame_rows()
    signature = getattr(result, "signature", None)
    notes = () if signature is None else (str(signature),)
    title = type(result).__name__
    if result.frame_field is None:
        lines = tuple((name, _cell(value)) for name, value in rows[0].items())
        return _table(Table(("", "value"), lines, title=title, notes=notes))
    if not rows:
        return f"<div>{_text(repr(result))}</div>"
    records = [{name: _cell(value) for name, value in row.items()} for row in rows]
    return _table(Table.from_records(records, title=title, notes=notes))


def _cell(value: Any) -> Cell:
    return value if value is None or isinstance(value, int | float) else shorten(str(value), MAX_CELL)


# -- texts ----------------------------------------------------------------------------------------------------------


@to_html.register
def _segmentation(segmentation: Segmentation) -> str:
    drawing = timeline_svg(rows_of({"": segmentation}))
    if segmentation.units is None and segmentation.length <= MAX_UNITS:
        return f"<div>{drawing}<br/><code>{_text(segmentation.draw())}</code></div>"
    marks = boundary_marks(segmentation.boundaries)
    pieces = []
    units = segmentation.units or ("·",) * min(segmentation.length, MAX_UNITS)
    for position, unit in enumerate(units[:MAX_UNITS], 1):
        pieces.append(_text(unit))
        if position in marks:
            pieces.append(f'<b title="position {position}" style="color:#D55E00">{_text(marks[position])}</b>')
    more = segmentation.length - MAX_UNITS
    ending = f" <i>… {more} units more</i>" if more > 0 else ""
    return f'<div>{drawing}<div style="line-height:1.7">{" ".join(pieces)}{ending}</div></div>'


@to_html.register(Dialogue)
@to_html.register(Hierarchy)
@to_html.register(Spans)
@to_html.register(Tier)
def _annotation(annotation: Dialogue | Hierarchy | Spans | Tier) -> str:
    drawing = timeline_svg(rows_of({"": annotation}))
    return f"<div>{drawing}{_notes([shorten(repr(annotation), MAX_TEXT)])}</div>"


def _items(corpus: Corpus) -> str:
    """Return the drawings of the first items, coders as rows; the first one is open."""
    parts = []
    for number, item in enumerate(corpus.item_names[:MAX_ITEMS]):
        annotations = dict(list(corpus.of_item(item).items())[:MAX_CODERS])
        if drawing := timeline_svg(rows_of(annotations)):
            state = " open" if not number else ""
            parts.append(f"<details{state}><summary>{_text(item)}</summary>{drawing}</details>")
    return "".join(parts)


@to_html.register
def _corpus(corpus: Corpus) -> str:
    coders = corpus.coders[:MAX_CODERS]
    rows: list[tuple[Cell, ...]] = []
    for item in corpus.item_names[:MAX_ROWS]:
        annotations = corpus.of_item(item)
        rows.append((item, *(_size(annotations[coder]) if coder in annotations else None for coder in coders)))
    notes = ["number of boundaries per coder, or of spans or nodes"]
    excess = {"items": len(corpus.item_names) - MAX_ROWS, "coders": len(corpus.coders) - MAX_CODERS}
    notes += [f"{number} {noun} more" for noun, number in excess.items() if number > 0]
    title = repr(corpus).partition(":")[0] + ")"
    table = Table(("item", *coders), tuple(rows), title=title, notes=tuple(notes))
    return f"<div>{_table(table)}{_items(corpus)}</div>"


def _size(annotation: Annotation) -> Cell:
    if isinstance(annotation, Hierarchy | Spans):
        return count_of(len(annotation), "span")
    if isinstance(annotation, Tree):
        return count_of(len(annotation), "node")
    if tiers := tiers_of(annotation):
        return "a tier" if len(tiers) == 1 else f"{len(tiers)} tiers"
    return sum(text.inner.size for text in texts_of(annotation).values())


# -- numbers --------------------------------------------------------------------------------------------------------


@to_html.register
def _score(score: Score) -> str:
    figures = " &nbsp; ".join(f"{_text(name)} {value:.4f}" for name, value in score.figures.items())
    pieces = [f"<div><b>{_text(score.measure.label)} = {score.value:.4f}</b></div>", f"<div>{figures}</div>"]
    if score.edits:
        pieces.append(_edits(score, score.edits))
    return f"<div>{''.join(pieces)}{_notes([score.signature])}</div>"


def _edits(score: Score, edits: tuple[Edit, ...]) -> str:
    counts = ", ".join(f"{number} {kind}" for kind, number in Counter(edit.kind for edit in edits).items())
    # The source is the pair of segmentations, or a batch of one document.
    length = score.source[0].length if isinstance(score.source, tuple) else int(score.source.length[0])
    if length > MAX_UNITS or any(edit.stream is not None for edit in edits):
        return f"<div>{_text(counts)}</div>"
    # A score keeps no text, but each boundary of its two sides is in exactly one edit.
    first = boundary_marks((edit.a_position, edit.a_type) for edit in edits)
    second = boundary_marks((edit.b_position, edit.b_type) for edit in edits)
    drawing = _drawing(draw_marks(length, (first, second), edits))
    rows = [_marked_row("REF", first, length), _marked_row("HYP", second, length)]
    return f"<div>{_text(counts)}</div>{timeline_svg(rows)}{drawing}{_notes(LEGEND.splitlines())}"


def _marked_row(name: str, marks: Mapping[int, str], length: int) -> Row:
    """Return the row of one side of a score; its marks are labels if they are more than a line."""
    ends = sorted({position for position in marks if position < length} | {length})
    labels = (marks.get(end, "|") for end in ends)
    bars = (
        (start, end, 1, "" if label == "|" else label.strip("{}"))
        for start, end, label in zip((0, *ends), ends, labels, strict=False)
    )
    return Row(name, tuple(bars), (0, length))


@to_html.register
def _agreement(agreement: Agreement) -> str:
    over = "positions" if agreement.measure is None else agreement.measure.label
    record = {"coefficient": agreement.coefficient, "over": over, "value": agreement.value}
    record |= interval_cells(agreement.interval) | cells(agreement, "observed", "expected")
    total = Table.from_records([record], notes=agreement_notes([agreement]))
    rows = tuple((row.coder, row.value, row.without, row.gain) for row in agreement.coders)
    coders = Table(("coder", "with all others", "others without", "gain"), rows)
    values = [(row.item, row.value) for row in agreement.items if row.value is not None]
    least = tuple(sorted(values, key=lambda row: row[1])[:MAX_ITEMS])
    items = Table(("item", "value"), least, title="items with the least agreement")
    tables = [total, *([coders] if len(rows) > 2 else []), *([items] if len(values) > 1 else [])]
    return f"<div>{''.join(map(_table, tables))}</div>"


@to_html.register
def _judgement(judgement: Judgement) -> str:
    tables = "".join(map(_table, score_tables(judgement)))
    return f"<div>{tables}{_notes((*score_notes(judgement), *map(str, judgement.excluded)))}</div>"


# -- trees ----------------------------------------------------------------------------------------------------------


@to_html.register
def _tree(tree: Tree) -> str:
    """Return a drawing with each word below its node, or brackets for a tree of very many nodes."""
    if len(tree) > MAX_NODES:
        return f"<pre style='white-space:pre-wrap'>{_text(shorten(tree.brackets, 5000))}</pre>"
    labels = [shorten(clean(label or "()"), 12) for label in tree.labels]
    words = [shorten(clean(word), 16) for word in tree.words]
    widths = [8.0 * text_width(word) + 16 for word in words]  # one column per word, as wide as the label above it too
    for node in nonzero(tree.preterminal)[0].tolist():
        start = int(tree.start[node])
        widths[start] = max(widths[start], 8.0 * text_width(labels[node]) + 16)
    edges = list(accumulate(widths, initial=0.0))
    x = [(edges[s] + edges[e]) / 2 for s, e in zip(tree.start.tolist(), tree.end.tolist(), strict=True)]
    y = [depth * 36 + 16 for depth in tree.depth.tolist()]
    lines = [
        f'<line x1="{x[parent]:g}" y1="{y[parent] + 4:g}" x2="{x[node]:g}" y2="{y[node] - 12:g}"/>'
        for node, parent in enumerate(tree.parent.tolist())
        if parent >= 0
    ]
    texts = []
    for node, label in enumerate(labels):
        texts.append(f'<text x="{x[node]:g}" y="{y[node]:g}">{_text(label)}</text>')
        if tree.preterminal[node]:
            word = words[int(tree.start[node])]
            texts.append(f'<text x="{x[node]:g}" y="{y[node] + 18:g}" font-style="italic">{_text(word)}</text>')
    width, height = edges[-1], int(tree.depth.max()) * 36 + 44
    style = 'font-family="sans-serif" font-size="13" text-anchor="middle" fill="currentColor" stroke="none"'
    return (
        f'<div style="overflow-x:auto"><svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}">'
        f'<g stroke="currentColor" stroke-opacity="0.5">{"".join(lines)}</g><g {style}>{"".join(texts)}</g></svg></div>'
    )
