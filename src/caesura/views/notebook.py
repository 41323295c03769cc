"""Results as HTML for a notebook: plain elements that need no script, no style sheet and no library.

Every text that came from a file or a person is escaped by :func:`_text`. Colours are those of the notebook, light or dark, and
shades of them.
"""

from __future__ import annotations

import html
from collections import Counter
from functools import singledispatch
from itertools import islice

from caesura.agreement.result import Agreement
from caesura.evaluation.result import Evaluation
from caesura.judging.result import Judgement
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, streams_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.score import Edit, Score
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.views.alignment import LEGEND, draw
from caesura.views.judgement import score_notes, score_tables
from caesura.views.results import evaluation_table
from caesura.views.table import Cell, Table, clean, shorten, text_width

__all__ = ["view"]

MOST_UNITS = 500
MOST_ROWS = 100
MOST_CODERS = 20
MOST_NODES = 300
_SMALL = 'style="opacity:0.7;font-size:85%"'


@singledispatch
def view(one: object) -> str:
    """The object as HTML.

    >>> from caesura import Segmentation
    >>> view(Segmentation.from_masses([1, 2]))
    '<div><code>·|··</code></div>'
    """
    return f"<pre>{_text(repr(one))}</pre>"


def _text(given: object) -> str:
    return html.escape(clean(str(given)))


def _lines(given: str) -> str:
    """Text in lines of its own."""
    return "\n".join(map(_text, given.split("\n")))


# -- tables ---------------------------------------------------------------------------------------------------------


@view.register
def _table(one: Table) -> str:
    notes = "".join(f"<div {_SMALL}>{_text(note)}</div>" for note in one.notes)
    return f"<div>{''.join(map(_grid, one.grids))}{notes}</div>"


def _grid(one: Table) -> str:
    align = ["right" if number else "left" for number in one.numeric_columns]
    caption = f'<caption style="text-align:left"><b>{_text(one.title)}</b></caption>' if one.title else ""
    head = "".join(f'<th style="text-align:{a}">{_text(c)}</th>' for a, c in zip(align, one.columns, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:{a}">{_text(c)}</td>' for a, c in zip(align, row, strict=True))
        + "</tr>"
        for row in one.text_rows[:MOST_ROWS]
    )
    left = len(one.rows) - MOST_ROWS
    more = f'<tr><td colspan="{len(align)}">… {left} more</td></tr>' if left > 0 else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}{more}</tbody></table>"


# -- texts ----------------------------------------------------------------------------------------------------------


@view.register
def _segmentation(one: Segmentation) -> str:
    if one.units is None and one.length <= MOST_UNITS:
        return f"<div><code>{_text(one.draw())}</code></div>"
    at: dict[int, list[str]] = {}
    for position, name in one.boundaries:
        if position > MOST_UNITS:
            break
        at.setdefault(position, []).append(name)
    units = one.units or ("·",) * min(one.length, MOST_UNITS)
    shown = []
    for i, unit in enumerate(islice(units, MOST_UNITS), 1):
        shown.append(_text(unit))
        if i in at:
            shown.append(_mark(i, [] if one.types == UNTYPED else at[i]))
    more = f" <i>… {one.length - MOST_UNITS} units more</i>" if one.length > MOST_UNITS else ""
    return f'<div style="line-height:1.7">{" ".join(shown)}{more}</div>'


def _mark(position: int, types: list[str]) -> str:
    """A bar where a boundary stands, with its types if it has any."""
    named = f"<sub>{_text('+'.join(types))}</sub>" if types else ""
    return f'<b title="position {position}" style="color:#D55E00">|{named}</b>'


@view.register
def _corpus(one: Corpus) -> str:
    coders = one.coders[:MOST_CODERS]
    rows: list[tuple[Cell, ...]] = []
    for item in one.item_names[:MOST_ROWS]:
        by_coder = one.of_item(item)
        rows.append((item, *(_size(by_coder[coder]) if coder in by_coder else None for coder in coders)))
    notes = ["boundaries of each coder, or what else there is"]
    for what, all_, most in (("items", one.item_names, MOST_ROWS), ("coders", one.coders, MOST_CODERS)):
        if len(all_) > most:
            notes.append(f"{len(all_) - most} {what} more")
    return _table(Table(("item", *coders), tuple(rows), title=repr(one).partition(":")[0] + ")", notes=tuple(notes)))


def _size(one: Annotation) -> Cell:
    if isinstance(one, Hierarchy):
        return f"{len(one.spans)} span{'' if len(one.spans) == 1 else 's'}"
    if isinstance(one, Tree):
        return f"{len(one)} node{'' if len(one) == 1 else 's'}"
    if isinstance(one, Tier):
        return "a tier"
    return sum(text.inner.size for text in streams_of(one).values())


# -- numbers --------------------------------------------------------------------------------------------------------


@view.register
def _score(one: Score) -> str:
    figures = " &nbsp; ".join(f"{_text(name)} {value:.4f}" for name, value in one.figures.items())
    pieces = [f"<div><b>{_text(one.measure.label)} = {one.value:.4f}</b></div>", f"<div>{figures}</div>"]
    if one.edits:
        pieces.append(_edits(one, one.edits))
    pieces.append(f"<div {_SMALL}>{_text(one.signature)}</div>")
    return f"<div>{''.join(pieces)}</div>"


def _edits(score: Score, edits: tuple[Edit, ...]) -> str:
    counts = ", ".join(f"{number} {kind}" for kind, number in Counter(edit.kind for edit in edits).items())
    drawn = ""
    length = int(score.source.length[0])
    if length <= MOST_UNITS and all(edit.stream is None for edit in edits):
        a, b = (
            _from_edits(length, [(edit.a_position, edit.a_type) for edit in edits]),
            _from_edits(length, [(edit.b_position, edit.b_type) for edit in edits]),
        )
        drawn = f"<pre>{_lines(draw(a, b, edits))}</pre><div {_SMALL}>{_text(LEGEND)}</div>"
    return f"<div>{_text(counts)}</div>{drawn}"


def _from_edits(length: int, placed: list[tuple[int | None, str | None]]) -> Segmentation:
    """One side: every boundary of it is in one edit. (The score itself keeps no text.)"""
    sets: list[set[str]] = [set() for _ in range(length)]
    for position, name in placed:
        if position is not None and name is not None:
            sets[position - 1].add(name)
    types = {name for each in sets for name in each}
    if types <= {*UNTYPED}:
        return Segmentation.from_positions(length, [i for i, each in enumerate(sets, 1) if each and i < length])
    if all(len(each) <= 1 for each in sets):
        return Segmentation.from_marks([next(iter(each), "") for each in sets])
    return Segmentation.from_sets(sets[:-1])  # several types at one place, and nothing at the end: that is of S and B


@view.register
def _agreement(one: Agreement) -> str:
    low, high = one.interval or (None, None)
    over = "positions" if one.measure is None else one.measure.label
    row = (one.coefficient, over, one.value, low, high, one.observed, one.expected)
    columns = ("coefficient", "over", "value", "low", "high", "observed", "expected")
    note = one.interval_note if one.interval is None else f"interval: {one.interval_note}"
    whole = Table(columns, (row,), notes=(note, one.signature))
    rows = tuple((each.name, each.value, each.without, each.gain) for each in one.coders)
    coders = Table(("coder", "with all others", "others without", "gain"), rows)
    return f"<div>{_table(whole)}{_table(coders) if len(rows) > 2 else ''}</div>"


@view.register
def _evaluation(one: Evaluation) -> str:
    return _table(evaluation_table(one))


@view.register
def _judgement(one: Judgement) -> str:
    notes = "".join(f"<div {_SMALL}>{_text(note)}</div>" for note in (*score_notes(one), *one.excluded))
    return f"<div>{''.join(map(_table, score_tables(one)))}{notes}</div>"


# -- trees ----------------------------------------------------------------------------------------------------------


@view.register
def _tree(one: Tree) -> str:
    """Drawn, each word below its node; a tree of very many nodes in brackets."""
    if len(one) > MOST_NODES:
        return f"<pre style='white-space:pre-wrap'>{_text(shorten(one.brackets, 5000))}</pre>"
    leaf = one.preterminal.tolist()
    names = [shorten(clean(label or "()"), 12) for label in one.labels]
    words = [shorten(clean(word), 16) for word in one.words]
    # A column a word, as wide as the word and the label above it.
    widths = [8.0 * text_width(word) + 16 for word in words]
    for node, start in enumerate(one.start.tolist()):
        if leaf[node]:
            widths[start] = max(widths[start], 8.0 * text_width(names[node]) + 16)
    edges = [0.0]
    for width in widths:
        edges.append(edges[-1] + width)
    deepest = int(one.depth.max())
    x = [(edges[s] + edges[e]) / 2 for s, e in zip(one.start.tolist(), one.end.tolist(), strict=True)]
    y = [depth * 36 + 16 for depth in one.depth.tolist()]
    lines, texts = [], []
    for node, above in enumerate(one.parent.tolist()):
        if above >= 0:
            lines.append(f'<line x1="{x[above]:g}" y1="{y[above] + 4:g}" x2="{x[node]:g}" y2="{y[node] - 12:g}"/>')
    for node, name in enumerate(names):
        texts.append(f'<text x="{x[node]:g}" y="{y[node]:g}">{_text(name)}</text>')
        if leaf[node]:
            word = words[int(one.start[node])]
            texts.append(f'<text x="{x[node]:g}" y="{y[node] + 18:g}" font-style="italic">{_text(word)}</text>')
    wide, high = edges[-1], deepest * 36 + 44
    look = 'font-family="sans-serif" font-size="13" text-anchor="middle" fill="currentColor" stroke="none"'
    return (
        f'<div style="overflow-x:auto"><svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{high:g}">'
        f'<g stroke="currentColor" stroke-opacity="0.5">{"".join(lines)}</g><g {look}>{"".join(texts)}</g></svg></div>'
    )
