"""How measures react to known errors: sentences, tables and a figure."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import TYPE_CHECKING

from caesura.judging.reactions import LEVELS, Reactions
from caesura.model.value import count_of
from caesura.views.answer import Answer, Section
from caesura.views.answers.words import join
from caesura.views.figures.canvas import COLOURS, FONT_SIZE, MARKERS, new_figure
from caesura.views.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = 4


def reactions_view(result: Reactions) -> Answer:
    sections = (
        Section("properties", _properties(result)),
        Section("curves", _curves(result)),
        Section("ranks", _ranks(result)),
    )
    return Answer(_sentences(result), sections, ("-o FILE.svg for a figure",))


def _properties(result: Reactions) -> Table:
    return Table(
        ("measure", "rises with errors", "credit", "best density", "reversal"),
        tuple(
            (
                reaction.measure.label,
                ", ".join(kind for kind, holds in reaction.monotone.items() if not holds),
                reaction.credit,
                reaction.best_density,
                reaction.reversal,
            )
            for reaction in result.reactions
        ),
        digits=2,
        notes=(
            "credit: share of the loss of a miss that a near miss avoids",
            "best density: boundaries, relative to the reference, with which random placement scores best",
            "reversal: largest change if texts are read backwards",
        ),
    )


def _curves(result: Reactions) -> Table:
    return Table(
        ("measure", "error", *(f"{level:.1f}" for level in LEVELS)),
        tuple(
            (reaction.measure.label, kind, *(None if math.isnan(value) else value for value in values))
            for reaction in result.reactions
            for kind, values in reaction.curves.items()
        ),
        group=1,
        digits=3,
    )


def _ranks(result: Reactions) -> Table:
    return Table(
        ("first", "second", "tau"),
        tuple(
            (row.first, row.second, row.tau)
            for row in sorted(result.ranks, key=lambda row: 2 if row.tau is None else row.tau)
        ),
        title=f"Kendall's tau over {result.pairs} pairs of real annotations, the least alike first",
        digits=2,
    )


def _sentences(result: Reactions) -> str:
    sparse = [reaction.measure.label for reaction in result.reactions if reaction.best_density < 1]
    dense = [reaction.measure.label for reaction in result.reactions if reaction.best_density > 1]
    rising = [reaction.measure.label for reaction in result.reactions if not all(reaction.monotone.values())]
    steady = len(result.reactions) - len(rising)
    text = (
        f"{steady} of {count_of(len(result.reactions), 'measure')} never improve when errors are added, apart from changes "
        "below 1 % of their range."
    )
    for names, comparison in ((sparse, "fewer"), (dense, "more")):
        if names:
            reward = "rewards" if len(names) == 1 else "reward"
            text += f" If a system ignores the text, {join(names)} {reward} {comparison} boundaries than people place."
    taus = [(row.tau, row.first, row.second) for row in result.ranks if row.tau is not None]
    if len(taus) > 1:
        tau, first, second = min(taus, key=itemgetter(0))
        text += f" {first} and {second} rank real pairs least alike (tau {tau:.2f})."
    return text


def reactions_figure(result: Reactions, *, width: float = 7.0) -> Figure:
    rows = math.ceil(len(result.reactions) / _COLUMNS)
    with new_figure(width, 1.5 * rows + 0.4, None) as figure:
        panels = figure.subplots(rows, _COLUMNS, squeeze=False).ravel()
        for axes, reaction in zip(panels, result.reactions, strict=False):
            for i, (kind, values) in enumerate(reaction.curves.items()):
                colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
                axes.plot(LEVELS, values, color=colour, marker=marker, markevery=5, markersize=3, label=kind)
            axes.set_title(reaction.measure.label)
        for axes in panels[len(result.reactions) :]:
            axes.set_visible(False)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
        figure.supxlabel("share of boundaries with the error; shifts: of four units", fontsize=FONT_SIZE)
        return figure
