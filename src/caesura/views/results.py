"""Tables of scores, and drawings of the boundaries of both sides with their edits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any

from caesura.errors import OptionConflictError
from caesura.evaluation.result import Evaluation
from caesura.measures.confusion import ConfusionScore
from caesura.measures.operations import OperationsTable
from caesura.measures.registry import short_signature
from caesura.model.result import Edit, Score
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.tasks.score import ItemScore, Scoring
from caesura.views.answer import Answer, Section
from caesura.views.answers.scores import evaluation_answer, score_answer
from caesura.views.table import ALL_ROWS, Cell, Table, cells, clean, extra_figures, pad, text_width
from caesura.views.text_table import MAX_TEXT_ROWS

# Units of the texts that are drawn; beyond it, no further item is drawn.
MAX_DRAWN_UNITS = 20_000


def _score_record(entry: ItemScore, names: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a score by column, with further figures of these names."""
    beyond, chance = {}, entry.chance
    if chance is not None:
        beyond = {"chance": chance.value, "chance error": chance.error, "beyond chance": chance.beyond}
    all_references = "mean" if entry.score.params.get("references") == "each" else "all"
    return {
        "measure": entry.score.measure.label,
        "item": "all" if entry.item is None else entry.item,
        "reference": entry.coder or all_references,
        "value": entry.score.value,
        "plain": entry.plain,
        **beyond,
        **{name: entry.score.figures.get(name) for name in names},
        "items": entry.score.documents,
    }


_COLUMNS = ("measure", "item", "reference", "value", "plain", "chance", "chance error", "beyond chance")


def score_table(scores: Sequence[ItemScore], *, by_item: bool, excluded: int = 0) -> Table:
    """Return one row per score, with further figures such as precision and recall."""
    names = _new_figures(scores)
    records = [_score_record(entry, names) for entry in scores]
    has_chance = any(entry.chance for entry in scores)
    optional = {
        "item": by_item,
        "reference": any(entry.coder for entry in scores),
        "plain": any(entry.plain is not None for entry in scores),
        **dict.fromkeys(("chance", "chance error", "beyond chance"), has_chance),
    }
    columns = [name for name in (*_COLUMNS, *names, "items") if optional.get(name, True)]
    notes = [short_signature(entry.score) for entry in scores if entry.item is None and entry.coder is None]
    if excluded:
        notes.append(f"excluded: {excluded} (reasons on standard error)")
    return Table.from_records(records, columns=columns, notes=tuple(notes), group=1)


def _new_figures(scores: Sequence[ItemScore]) -> list[str]:
    """Return the figures that are not the value of another measure in the same table, such as S_f^B beside S_f."""
    values: dict[str | None, set[float]] = {}
    for entry in scores:
        values.setdefault(entry.item, set()).add(entry.score.value)
    return [
        name
        for name in extra_figures(entry.score for entry in scores)
        if any(entry.score.figures.get(name, entry.score.value) not in values[entry.item] for entry in scores)
    ]


def evaluation_table(evaluation: Evaluation) -> Table:
    table = score_table([ItemScore(None, score) for score in evaluation.scores.values()], by_item=False)
    partial = ("partial: documents that could not be read or scored are missing",) if evaluation.partial else ()
    return replace(table.renamed({"items": "documents"}), notes=(*partial, *table.notes))


def operations_view(operations: OperationsTable) -> Table:
    """Return one row per boundary type: the proportions of its boundaries that were matched, substituted, moved."""
    records = [
        cells(row, "type", "boundaries", "match")
        | {f"as {name}": row.substitution.get(name) for name in operations.types}
        | {"unpaired": row.unpaired, "moved": row.transposition}
        | {"moved, different type": row.transposition_with_substitution}
        for row in operations
    ]
    return Table.from_records(records, digits=3)


def type_table(confusion: ConfusionScore) -> Table:
    """Return one row per boundary type: B-precision, B-recall and B-F, and the numbers they are computed from."""
    records = [
        {"type": "all" if row.type is None else row.type}
        | cells(row, "precision", "recall")
        | {"F": row.f}
        | cells(row, "correct", "hypothesis", "reference")
        for row in confusion.by_type
    ]
    notes = ("correct: matches, and near misses by their correctness; hypothesis and reference: boundaries",)
    return Table.from_records(records, title="Rates of each boundary type", notes=notes)


def confusion_table(confusion: ConfusionScore) -> Table:
    """Return the confusion matrix: one row per type of the hypothesis, one column per type of the reference."""
    names = (*confusion.types, "none")
    rows = tuple((name, *row) for name, row in zip(names, confusion.matrix.tolist(), strict=True))
    notes = (
        "rows: hypothesis; columns: reference; none: no boundary. A pair counts 1 minus its cost.",
        short_signature(confusion),
    )
    return Table(("hypothesis", *names), rows, title="Confusion matrix", notes=notes, digits=2)


def _type_sections(scoring: Scoring) -> Iterator[Section]:
    """Yield the tables by boundary type: rates, confusions and, if requested, operations."""
    if scoring.confusion is not None:
        yield Section("types", partial(type_table, scoring.confusion))
        yield Section("confusion", partial(confusion_table, scoring.confusion))
    for i, entry in enumerate(scoring.operations, 1):
        title = f"{entry.measure.label}: edits of the boundaries of each type, both sides together"
        yield Section(f"operations-{i}", replace(operations_view(entry.table), title=title), shown=True)


def scoring_view(scoring: Scoring, *, by_item: bool = False, edits: bool = False, width: int = 80) -> Answer:
    totals = [entry for entry in scoring.scores if entry.item is None]
    items = [entry for entry in scoring.scores if entry.item is not None]
    sections = [
        Section("scores", score_table(totals, by_item=False, excluded=len(scoring.excluded))),
        Section("items", partial(score_table, items, by_item=True), by_item, excerpt=partial(_first_scores, items)),
        *_type_sections(scoring),
    ]
    aligned = any(entry.score.source is not None for entry in items)
    if aligned:
        sections.append(Section("edits", partial(_edits_table, items), excerpt=partial(_first_edits, items)))
        sections.append(Section("drawing", partial(_drawings, scoring, items, width), edits, drawing=True))
    elif edits:
        raise OptionConflictError("--edits: none of these measures aligns boundaries; add -m B")
    more = ("--edits draws every boundary",) if aligned and not edits else ()
    return Answer(score_answer(scoring), tuple(sections), more)


def evaluation_view(evaluation: Evaluation) -> Answer:
    table = evaluation_table(evaluation)
    return Answer(evaluation_answer(evaluation), (Section("scores", table),), ("--scores DIR for every document",))


def _first_scores(items: Sequence[ItemScore]) -> Table:
    """Return the scores by item as far as a terminal shows them."""
    table = score_table(items[:MAX_TEXT_ROWS], by_item=True)
    hidden = max(0, len(items) - MAX_TEXT_ROWS)
    return replace(table, notes=(*[f"and {hidden:,} more; {ALL_ROWS}"] * bool(hidden), *table.notes))


def _aligned(items: Iterable[ItemScore]) -> Iterator[ItemScore]:
    """Yield the scores with an alignment. Measures with the same alignment of an item are listed once."""
    seen: dict[str | None, list[tuple[Edit, ...]]] = {}
    for entry in items:
        edits = entry.score.edits
        if edits is not None and edits not in (known := seen.setdefault(entry.item, [])):
            known.append(edits)
            yield entry


def _edit_records(entry: ItemScore) -> list[dict[str, Cell]]:
    names: dict[str, Cell] = {"item": entry.item, "measure": entry.score.measure.label}
    return [names | record for record in edit_records(entry.score.edits or ())]


def _edits_table(items: Sequence[ItemScore]) -> Table:
    entries = [entry for entry in _aligned(items) if entry.score.edits]
    edits = [edit for entry in entries for edit in entry.score.edits or ()]
    if _has_types(edits) or _has_streams(edits) or not edits:
        return Table.from_records(chain.from_iterable(map(_edit_records, entries)), group=2)
    rows = tuple(
        (entry.item, label, edit.kind, edit.a_position, edit.b_position, float(edit.cost))
        for entry in entries
        for label in (entry.score.measure.label,)
        for edit in entry.score.edits or ()
    )
    return Table(("item", "measure", "edit", "reference", "hypothesis", "cost"), rows, group=2)


def _first_edits(items: Sequence[ItemScore]) -> Table:
    """Return the edits as far as a terminal shows them."""
    records = list(islice(chain.from_iterable(map(_edit_records, _aligned(items))), MAX_TEXT_ROWS + 1))
    notes = (f"and more; {ALL_ROWS}",) if len(records) > MAX_TEXT_ROWS else ()
    return Table.from_records(records[:MAX_TEXT_ROWS], group=2, notes=notes)


def _drawings(scoring: Scoring, items: Sequence[ItemScore], width: int) -> str:
    drawings, units, hidden = [], 0, False
    for entry in _aligned(items):
        streams = list(map(_streams, scoring.pairs[str(entry.item)]))
        if not all(isinstance(text, Segmentation) for side in streams for text in side.values()):
            continue  # boundaries in seconds and spans cannot be drawn
        if hidden := units >= MAX_DRAWN_UNITS:
            break
        drawings.append(_drawing(str(entry.item), entry.score, scoring, width))
        length = sum(text.length for text in streams[0].values())
        hidden, units = length > MAX_DRAWN_UNITS, units + length
    if hidden:
        drawings.append(f"Only the first {MAX_DRAWN_UNITS:,} units are drawn; --table edits lists all edits.")
    if not drawings:
        return "Only texts with units are drawn; --table edits lists all edits."
    return "\n\n".join([*drawings, LEGEND])


def _drawing(item: str, score: Score, scoring: Scoring, width: int) -> str:
    """Return the drawing of a text or, stream by stream, of a dialogue."""
    lines = [f"{clean(item)}: {score.measure.label} = {score.value:.4f}"]
    reference, hypothesis = map(_streams, scoring.pairs[item])
    for i, (stream, text) in enumerate(reference.items()):
        lines += [*([""] if i else []), *([clean(stream)] if stream else [])]
        edits = [edit for edit in score.edits or () if (edit.stream or "") == stream]
        lines.append(draw(text, hypothesis[stream], edits, width=width, units=MAX_DRAWN_UNITS))
    return "\n".join(lines)


def _streams(side: Any) -> Mapping[str, Segmentation]:
    return side if isinstance(side, Mapping) else {"": side}


# -- two segmentations one below the other ---------------------------------------------------------------------------

LEGEND = "= match  - only in the first  + only in the second  > moved from  < moved to\n~ different type"

_SIGN = {"match": "=", "deletion": "-", "insertion": "+", "substitution": "~"}
_Column = tuple[str, ...]  # the texts of the three lines at one place


def _column(*texts: str) -> _Column:
    width = max(map(text_width, texts))
    return tuple(pad(text, width) for text in texts)


def draw(a: Segmentation, b: Segmentation, edits: Sequence[Edit], *, width: int = 78, units: int | None = None) -> str:
    """Return three lines: the first side, the second side, and a sign below every boundary of either."""
    words = a.units if a.units is not None else b.units
    length = a.length if units is None else min(units, a.length)
    marks = (boundary_marks(a.boundaries), boundary_marks(b.boundaries))
    return draw_marks(length, marks, edits, units=words and words[:length], width=width)


def draw_rows(texts: Mapping[str, Segmentation]) -> str:
    """Return one line per segmentation of the same units. Equal positions are below each other."""
    marked = {position for text in texts.values() for position in text.inner.tolist()}
    name_width = max(map(text_width, texts))
    lines = []
    for name, text in texts.items():
        inner = set(text.inner.tolist())
        gaps = ("|" if position in inner else " " * (position in marked) for position in range(1, text.length + 1))
        lines.append(f"{pad(name, name_width)}  {''.join('·' + gap for gap in gaps)}")
    return "\n".join(lines)


def draw_marks(
    length: int,
    marks: tuple[Mapping[int, str], Mapping[int, str]],
    edits: Sequence[Edit],
    *,
    units: Sequence[str] | None = None,
    width: int = 78,
) -> str:
    """Return the same three lines as ``draw``, from the marks of both sides."""
    labels = ("REF  ", "HYP  ", "     ")
    line_width = max(20, width - len(labels[0]))
    lines: list[list[_Column]] = [[]]
    occupied = 0
    for column in _columns(units or "·" * length, marks, edits, "" if units is None else " "):
        column_width = text_width(column[0])
        if lines[-1] and occupied + column_width > line_width:
            lines.append([])
            occupied = 0
        lines[-1].append(column)
        occupied += column_width
    paragraphs = []
    for line in lines:
        rows = zip(labels, zip(*line, strict=True), strict=True)
        paragraphs.append("\n".join((label + "".join(texts)).rstrip() for label, texts in rows))
    return "\n\n".join(paragraphs).rstrip("\n")


def _columns(
    units: Sequence[str], marks: tuple[Mapping[int, str], Mapping[int, str]], edits: Sequence[Edit], space: str
) -> Iterator[_Column]:
    """Yield the units with spaces between them, and a column for each position with an edit."""
    signs = _signs(edits)
    for position, unit in enumerate(map(clean, units), 1):
        yield _column(unit, unit, "")
        if position in signs:
            first, second = (space + side.get(position, "") + space for side in marks)
            yield _column(first, second, space + signs[position])
        elif space and position < len(units):
            yield _column(space, space, "")


def _signs(edits: Sequence[Edit]) -> dict[int, str]:
    """Return position -> the signs of the edits there; a move has a sign at each end."""
    signs: dict[int, str] = defaultdict(str)
    for edit in edits:
        move = [(edit.a_position or 0, ">"), (edit.b_position or 0, "<")]
        for position, sign in [(edit.position, _SIGN[edit.kind])] if edit.kind in _SIGN else move:
            signs[position] += sign
    return signs


def boundary_marks(boundaries: Iterable[tuple[int | None, str | None]]) -> dict[int, str]:
    """Return position -> the mark of its boundary: a bar, or its types in braces."""
    types: dict[int, list[str]] = {}
    for position, name in boundaries:
        if position is not None and name is not None:
            types.setdefault(position, []).append(clean(name))
    return {
        position: "|" if tuple(names) == UNTYPED else "{" + "+".join(names) + "}" for position, names in types.items()
    }


def edit_records(edits: Sequence[Edit]) -> list[dict[str, Cell]]:
    """Return one record per edit, with its types and stream if there are any."""
    typed, streams = _has_types(edits), _has_streams(edits)
    return [
        ({"stream": edit.stream} if streams else {})
        | {"edit": edit.kind, "reference": edit.a_position, "hypothesis": edit.b_position}
        | ({"reference type": edit.a_type, "hypothesis type": edit.b_type} if typed else {})
        | {"cost": float(edit.cost)}
        for edit in edits
    ]


_NO_TYPE = (None, *UNTYPED)


def _has_types(edits: Iterable[Edit]) -> bool:
    return any(edit.a_type not in _NO_TYPE or edit.b_type not in _NO_TYPE for edit in edits)


def _has_streams(edits: Iterable[Edit]) -> bool:
    return any(edit.stream is not None for edit in edits)
