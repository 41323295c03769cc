"""Tables and figures of papers beside ours: the list, one display, and a page with all of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from caesura.model.value import count_of
from caesura.papers.entry import (
    NOT_FREE,
    NOT_RUN,
    PRESET,
    REFUTED,
    REPRODUCED,
    Curves,
    Paper,
    Picture,
    Reproduction,
    Row,
)
from caesura.tasks.reproduce import DisplayList, Reproductions
from caesura.version import __version__
from caesura.views.answer import Answer, Section
from caesura.views.figures import agreement, judging, trees
from caesura.views.figures.canvas import COLUMN_WIDTH, data_uri, draw_lines
from caesura.views.page.build import asset, environment
from caesura.views.table import Cell, Table, cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
_DIGITS = 4


def list_view(display_list: DisplayList) -> Answer:
    rows = tuple(
        (row.name, row.verdict, "" if row.available or row.verdict == NOT_FREE else "not found here")
        for row in display_list.displays
    )
    papers = len({row.paper for row in display_list.displays})
    text = f"{len(display_list.displays)} tables and figures of {papers} papers: {_counted(display_list.counts)}."
    missing = sum(bool(row[2]) for row in rows)
    if missing:
        text += f" {count_of(missing, 'display')} cannot be computed here, because corpora are missing."
    details = Table.from_records(
        [cells(row, "name", "display", "place", "about", "needs") for row in display_list.displays]
    )
    sections = (
        Section("displays", Table(("name", "verdict", "data"), rows).without_empty_columns()),
        Section("details", details),
        Section("data", Table(("file", "what it is"), tuple(display_list.corpora.items()))),
    )
    more = ("NAME for one of them", "--all -o DIR for a page with all", "--data DIR for further corpora")
    return Answer(text, sections, more)


def reproductions_view(result: Reproductions) -> Answer:
    if len(result.displays) == 1:
        return _single_view(result.displays[0])
    columns = ("name", "display", "verdict", "largest difference", "reason")
    table = Table.from_records([cells(entry, *columns) for entry in result.displays], columns=columns, digits=5)
    text = f"Of {count_of(len(result.displays), 'display')}: {_counted(result.counts)}."
    sections = [
        Section(reproduction.name, partial(number_table, reproduction))
        for reproduction in result.displays
        if reproduction.rows
    ]
    return Answer(text, (Section("displays", table), *sections))


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def _single_view(reproduction: Reproduction) -> Answer:
    sections = [Section("numbers", number_table(reproduction))] if reproduction.rows else []
    signatures = Table(("signature",), tuple((signature,) for signature in reproduction.signatures))
    sections += [Section("signatures", signatures)] if reproduction.signatures else []
    return Answer(verdict_sentence(reproduction), tuple(sections))


def verdict_sentence(reproduction: Reproduction) -> str:
    subject = f"{reproduction.display} of {reproduction.entry.paper.short}"
    largest = reproduction.largest_difference
    numbers = "" if largest is None else f" The largest difference from print is {largest:.2g}."
    sentences = {
        REPRODUCED: f"{subject} is reproduced.{numbers}",
        PRESET: f"{subject} is reproduced under a preset: {reproduction.preset}.{numbers}",
        REFUTED: f"{subject} is refuted.",
        NOT_FREE: f"{subject} cannot be computed, because its data are not free.",
        NOT_RUN: f"{subject} was not computed. It needs {'; '.join(reproduction.missing)}. Name the folder with --data.",
    }
    reason = "" if reproduction.verdict == NOT_RUN else f" {reproduction.reason}"
    return f"{sentences[reproduction.verdict]}{reason}".rstrip()


def number_table(reproduction: Reproduction) -> Table:
    columns = ("what", "printed", "ours", "under the preset", "chance", "agrees")
    rows = []
    for row in reproduction.rows:
        ours, preset = (_as_printed(row, value) for value in (row.ours, row.preset))
        agrees = "under the preset" if row.preset is not None and row.agrees_under_preset else "no"
        agrees = "yes" if row.agrees else agrees
        rows.append((row.label, row.printed, ours, preset, row.error or None, agrees))
    table = Table(columns, tuple(rows), digits=_DIGITS).without_empty_columns(("under the preset", "chance"))
    note = "chance: largest difference that the random draws of both sides explain"
    return replace(table, notes=(note,)) if "chance" in table.columns else table


def _as_printed(row: Row, value: Cell) -> Cell:
    """Return our number without decimals if the printed number has none."""
    return int(value) if row.printed.isdigit() and isinstance(value, float) and value.is_integer() else value


def reproductions_page(result: Reproductions) -> str:
    """Return one HTML page with all displays, tables side by side and figures redrawn."""
    papers: dict[Paper, list[dict[str, Any]]] = {}
    for reproduction in result.displays:
        papers.setdefault(reproduction.entry.paper, []).append(_page_entry(reproduction))
    template = environment().get_template("reproduce.html")
    return template.render(
        policy=_POLICY,
        style=asset("report.css"),
        title="The published record",
        lead=reproductions_view(result).text,
        papers=papers,
        version=__version__,
    )


def _page_entry(reproduction: Reproduction) -> dict[str, Any]:
    return cells(reproduction, "name", "display", "place", "about", "verdict", "signatures") | {
        "sentence": verdict_sentence(reproduction).removeprefix(
            f"{reproduction.display} of {reproduction.entry.paper.short} "
        ),
        "table": number_table(reproduction) if reproduction.rows else None,
        "picture": None if reproduction.figure is None else data_uri(display(reproduction.figure, width=4.5)),
    }


def display(figure: Curves | Picture, *, width: float = COLUMN_WIDTH) -> Figure:
    """Draw the figure of a display again, from our numbers."""
    if isinstance(figure, Curves):
        return draw_lines(figure, width=width)
    modules = (agreement, judging, trees)
    draw = next(getattr(module, figure.kind) for module in modules if hasattr(module, figure.kind))
    drawn: Figure = draw(*figure.arguments, width=width, title=None)
    return drawn
