"""``caesura plot``: figures of files, as SVG, PDF or PNG."""

from __future__ import annotations

from dataclasses import dataclass

import click

from caesura.cli.options import reading_options, with_options
from caesura.cli.program import fail, main, print_table
from caesura.options import OptionSet, flag, number, optional, path, setting, text
from caesura.tasks.figures import KINDS, FigureOptions, figure_kind, read_figure_source
from caesura.tasks.reading import ReadingOptions
from caesura.views.table import Table


@dataclass(frozen=True)
class PlotCommand(OptionSet):
    """What the command writes, and how the figure looks."""

    target: str | None = setting(
        None,
        optional(path),
        "File to write, ending in .svg, .pdf or .png (default: KIND.svg).",
        flags=("-o", "--output"),
    )
    list_kinds: bool = setting(
        False, flag, "List the kinds of figures, what each needs and which options it takes.", flags=("--list",)
    )
    width: float | None = setting(
        None, optional(number(1, 40)), "Width in inches (default: a column of a paper, in most figures)."
    )
    title: str | None = setting(None, optional(text), "Title above the figure (default: none; papers have captions).")


@main.command()
@click.argument("kind", metavar="KIND", required=False)
@click.argument("files", metavar="CORPUS...", nargs=-1, type=click.Path())
@with_options(PlotCommand, "command")
@with_options(FigureOptions, "options")
@reading_options
def plot(
    kind: str | None, files: tuple[str, ...], command: PlotCommand, options: FigureOptions, reading: ReadingOptions
) -> None:
    """Make a figure of the files, in the format of the suffix.

    `caesura plot --list` shows the kinds of figures and what each needs. Items that cannot be used are listed, the figure
    shows the rest, and the exit code is 1.
    """
    from caesura.views import figures
    from caesura.views.figures.canvas import format_of, save

    if command.list_kinds:
        print_table(_kind_table(), None)
        return
    figure = figure_kind(kind)
    figure.check(files, options)
    target = command.target or f"{figure.name}.svg"
    format_of(target)
    source = read_figure_source(figure.source, files, options, reading)
    data = figure.compute(source, options)
    look = {"title": command.title} | ({} if command.width is None else {"width": command.width})
    save(getattr(figures, figure.name)(*data.arguments, **look), target)
    click.echo(target, err=True)
    excluded = (*reading.excluded, *data.excluded)
    if excluded:
        fail([str(entry) for entry in excluded])


def _kind_table() -> Table:
    """Return one row per kind: what it shows, what it needs, and which options it takes."""
    columns = ("kind", "what it shows", "needs", "options")
    return Table(columns, tuple((kind.name, kind.description, kind.needs, kind.flags) for kind in KINDS.values()))
