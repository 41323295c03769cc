"""The contents of a corpus as a table, and the first line of an item as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from caesura.model.dialogue import Annotation, Dialogue
from caesura.model.hierarchy import Hierarchy
from caesura.model.scores import BoundaryScores
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.model.value import list_few
from caesura.tasks.files import CoderContents, Contents, FileInfo
from caesura.views.answer import Answer, Section
from caesura.views.answers.files import info_answer
from caesura.views.results import boundary_marks
from caesura.views.table import Cell, Table, cells, clean, span_text

_MAX_NAMES = 20  # types and labels in a cell
_LINE_WIDTH = 110  # characters of a first line


def info_view(info: FileInfo) -> Answer:
    if not info.corpus:
        return Answer("", (*_tier_sections(info),))
    item = info.corpus.item_names[0]
    rows = tuple(first_lines(info.corpus.of_item(item)))
    beginning = Table(("coder", "first line"), rows, title=f"Beginning of {item}")
    sections = [Section("coders", contents_table(info.contents)), *_tier_sections(info)]
    sections.append(Section("beginning", beginning, shown=True))
    commands = "\n".join(["Next:", *(f"  {clean(command)}" for command in info.next_commands)])
    return Answer(info_answer(info), (*sections, Section("next", commands, shown=True)))


def _tier_sections(info: FileInfo) -> list[Section]:
    rows = [
        (Path(path).name, tier.name, tier.kind, tier.number, tier.labelled, tier.begin, tier.end)
        for path, tiers in info.tiers.items()
        for tier in tiers
    ]
    columns = ("file", "tier", "kind", "number", "labelled", "from", "to")
    title = "Tiers in seconds; choose one with --tier NAME"
    return [Section("tiers", Table(columns, tuple(rows), title=title, digits=3, group=1), shown=True)] if rows else []


def contents_table(contents: Contents) -> Table:
    # The kind of annotation and the kind of mark are cells only if coders differ in them.
    kind = len({row.kind for row in contents.coders}) > 1
    mark_name = len({row.mark_name for row in contents.coders}) > 1
    return Table.from_records([_record(row, kind=kind, mark_name=mark_name) for row in contents.coders])


def _record(row: CoderContents, *, kind: bool, mark_name: bool) -> dict[str, Cell]:
    timed = row.seconds is not None
    sizes = str(row.shortest) if row.shortest == row.longest else f"{row.shortest}-{row.longest}"
    marks: dict[str, Cell] = {"marks": f"{row.mark_name}: {row.marks}"} if mark_name else {row.mark_name: row.marks}
    return cells(row, "coder", *(["kind"] if kind else []), "items") | {
        "seconds": row.seconds if row.seconds is None else f"{row.seconds:g}",
        "units": None if timed else row.units,
        "per item": None if timed else sizes,
        **marks,
        "types and labels": list_few(row.types, _MAX_NAMES) or None,
        "streams": list_few(row.streams, _MAX_NAMES) or None,
        "text": _proportion(row.items_with_text, row.items),
        "labels": _proportion(row.items_with_labels, row.items),
    }


def _proportion(number: int, total: int) -> str:
    return "yes" if number == total else f"{number} of {total}" if number else "no"


def first_lines(annotations: Mapping[str, Annotation], limit: int = 5) -> list[tuple[str, str]]:
    """Return the beginning of an item for each coder, as text with its boundaries if the text is known."""
    lines: list[tuple[str, str]] = []
    for coder, annotation in list(annotations.items())[:limit]:
        if isinstance(annotation, Dialogue):
            streams = list(annotation.items())[:limit]
            lines += [(f"{coder}, {stream}", _first_line(_pieces(entry))) for stream, entry in streams]
        else:
            lines.append((coder, _first_line(_pieces(annotation))))
    return lines


def _first_line(pieces: Iterator[str]) -> str:
    """Join the pieces that fit on one line; later pieces are not computed."""
    line = ""
    for piece in pieces:
        if len(line) + len(piece) + 1 > _LINE_WIDTH:
            return f"{line} {piece[: max(0, _LINE_WIDTH - len(line) - 2)]}…".strip()
        line = f"{line} {piece}" if line else piece
    return line


def _pieces(annotation: Annotation) -> Iterator[str]:
    if isinstance(annotation, Segmentation):
        return _units_and_marks(annotation)
    if isinstance(annotation, Hierarchy):
        return (
            f"{span_text(annotation, span.start, span.end)} {span.label or ''}".rstrip() + ";"
            for span in annotation.spans
        )
    if isinstance(annotation, Spans):
        return (f"{span};" for span in annotation.spans[:_LINE_WIDTH])
    if isinstance(annotation, Tree):
        return iter(annotation.brackets.split())
    if isinstance(annotation, BoundaryScores):
        return (f"{score:.3g}" for score in annotation.scores[:_LINE_WIDTH].tolist())
    assert isinstance(annotation, Tier)
    return (f"{row};" for row in (*annotation.intervals, *(annotation.points or ())))


def _units_and_marks(segmentation: Segmentation) -> Iterator[str]:
    """Yield the units, each followed by its boundary: a bar, or the types in braces."""
    units = segmentation.units or ("·",) * min(segmentation.length, _LINE_WIDTH)
    marks = boundary_marks(segmentation.boundaries[: 4 * _LINE_WIDTH])
    for position, unit in enumerate(units, 1):
        yield unit
        if position in marks:
            yield marks[position]
