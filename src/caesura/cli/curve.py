"""The command ``caesura curve``: boundary scores at every threshold."""

from __future__ import annotations

from dataclasses import dataclass

import click

from caesura.cli.options import reading_options, with_options
from caesura.cli.output import OutputOptions, output_options, print_result
from caesura.cli.program import main
from caesura.options import OptionSet, number, path, setting, text
from caesura.tasks.curve import CurveOptions, CurveStudy, read_scored, score_thresholds
from caesura.tasks.reading import ReadingOptions
from caesura.views.curve import curve_view


@dataclass(frozen=True)
class FigureFile(OptionSet):
    """File and appearance of the figure."""

    plot: str | None = setting(
        None, path, "Write a figure to this file, ending in .svg, .pdf or .png.", flags=("-o", "--plot")
    )
    width: float | None = setting(
        None, number(1, 40), "Width of the figure in inches (default: a column of a paper).", needs="plot"
    )
    title: str | None = setting(None, text, "Title above the figure.", needs="plot")


@main.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@with_options(CurveOptions, "options", "Scores")
@with_options(FigureFile, "figure", "Output")
@reading_options
@output_options
def curve(
    paths: tuple[str, ...], options: CurveOptions, figure: FigureFile, reading: ReadingOptions, output: OutputOptions
) -> None:
    """Say how good boundary scores are at every threshold, and which threshold is best.

    FILE is one table with the columns score and 0/1 marks, or files with the reference and files with scores. A text of N units
    has N-1 scores, one per inner position; scores in seconds have a column time. Items that cannot be used are listed, the rest
    are used, and the exit code is 1.

    \b
    Example:
      caesura curve scores.csv --tolerance 1
      caesura curve scores.csv --threshold-from development.csv --plot curve.svg
    """
    if figure.plot is not None:
        from caesura.views.figures.canvas import format_of

        format_of(figure.plot)
    corpus = read_scored(reading, paths)
    others = read_scored(reading, options.threshold_from) if options.threshold_from else None
    study = score_thresholds(corpus, options, threshold_corpus=others)
    if figure.plot is not None:
        _draw(study, figure)
    print_result("curve", study, curve_view(study, figure.plot), output=output, reading=reading)


def _draw(study: CurveStudy, figure: FigureFile) -> None:
    from caesura.views.figures.canvas import save
    from caesura.views.figures.curves import curves

    style = {} if figure.width is None else {"width": figure.width}
    save(curves(study, title=figure.title, **style), figure.plot or "")
    click.echo(figure.plot, err=True)
