"""A plan for a study, as sentences, tables and a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.agreement.bootstrap import MIN_ITEMS
from caesura.agreement.families import coefficient_label
from caesura.judging.planning import Plan
from caesura.model.value import count_of
from caesura.papers.entry import Curves
from caesura.views.answer import Answer, Section
from caesura.views.answers.words import short
from caesura.views.figures.canvas import draw_lines
from caesura.views.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _widths_table(result: Plan) -> Table:
    sizes = sorted({row.items for row in result.widths})
    coders = sorted({row.coders for row in result.widths})
    width = {(row.items, row.coders): row.width for row in result.widths}
    rows = tuple((size, *(width[size, number] for number in coders)) for size in sizes)
    columns = ("items", *(f"{number} coders" for number in coders))
    extrapolated = [str(number) for number in coders if number > result.coders]
    notes = [f"{', '.join(extrapolated)} coders: extrapolated from {result.coders}"] if extrapolated else []
    if result.items < MIN_ITEMS:
        notes.append(
            f"a pilot of {count_of(result.items, 'item')} can be off by a third or more; {MIN_ITEMS} are safer"
        )
    return Table(columns, rows, title="Expected width of the 95 % interval", digits=3, notes=tuple(notes))


def plan_view(result: Plan) -> Answer:
    differences = Table(
        ("items", "spread", "smallest difference"),
        tuple((row.items, row.spread, row.difference) for row in result.differences),
        title=f"Smallest difference between two systems that is found with {100 * result.power:g} % power",
        digits=3,
        notes=(result.signature,),
    )
    rates = Table(
        ("near misses", "misses", "false alarms per segment"),
        ((result.rates.near, result.rates.miss, result.rates.false_alarm),),
        title="Errors of the pilot's coders against their median gold standard, with which systems are simulated",
        digits=3,
    )
    sections = (
        Section("widths", _widths_table(result)),
        Section("differences", differences, shown=True),
        Section("rates", rates),
    )
    return Answer(_sentences(result), sections, ("-o FILE.svg for a figure",))


def _sentences(result: Plan) -> str:
    label = f"{coefficient_label(result.coefficient)} over {result.measure.short_name}"
    count = min(result.coders, max(row.coders for row in result.widths))
    row = next((row for row in reversed(result.widths) if row.coders == count), result.widths[-1])
    last = result.differences[-1]
    return (
        f"With {row.items} items and {row.coders} coders, expect {label} with an interval about {short(row.width)} wide "
        f"(the pilot: {short(result.value)} over {count_of(result.items, 'item')}). With {last.items} items, a difference of "
        f"{short(last.difference)} between two systems is found with {100 * result.power:g} % power."
    )


def plan_figure(result: Plan) -> Figure:
    """Draw the expected width of the interval against the number of items, one line per number of coders."""
    lines = {}
    for number in sorted({row.coders for row in result.widths}):
        rows = [row for row in result.widths if row.coders == number]
        lines[f"{number} coders"] = ([row.items for row in rows], [row.width for row in rows])
    return draw_lines(Curves("items", "width of the 95 % interval", lines))
