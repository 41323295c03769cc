"""The commands before a study: ``caesura plan`` (how many items and coders) and ``caesura reactions`` (which measure)."""

from __future__ import annotations

import click

from caesura.cli.options import reading_options, with_options
from caesura.cli.output import OutputOptions, print_result, table_options
from caesura.cli.program import main
from caesura.cli.progress import Progress
from caesura.errors import OptionConflictError
from caesura.tasks.plan import PlanOptions
from caesura.tasks.plan import plan as plan_from_pilot
from caesura.tasks.reactions import ReactionOptions
from caesura.tasks.reactions import reactions as compute_reactions
from caesura.tasks.reading import ReadingOptions
from caesura.views.figures.canvas import save
from caesura.views.plan import plan_figure, plan_view
from caesura.views.reactions import reactions_figure, reactions_view


@main.command()
@click.argument("files", metavar="PILOT...", nargs=-1, required=True, type=click.Path())
@with_options(PlanOptions, "options", "Study")
@reading_options
@table_options
def plan(files: tuple[str, ...], options: PlanOptions, reading: ReadingOptions, output: OutputOptions) -> None:
    """Say how many items and coders a study needs, from a pilot study.

    PILOT is one file with all coders, a folder or glob, or one file per coder: at least three items by at least two
    coders. The first table has the expected width of the interval of agreement for several sizes of the study, the
    second the smallest difference between two systems that such a study finds.

    \b
    Example:
      caesura plan people.json --items 20 --items 50
    """
    corpus = reading.require(reading.read(files), "plan from")
    with Progress():
        result = plan_from_pilot(corpus, options)
    if options.figure is not None:
        save(plan_figure(result), options.figure)
        click.echo(options.figure, err=True)
    print_result("plan", result, plan_view(result), output=output, reading=reading)


@main.command()
@click.argument("files", metavar="[FILE...]", nargs=-1, type=click.Path())
@with_options(ReactionOptions, "options", "Measures")
@reading_options
@table_options
def reactions(files: tuple[str, ...], options: ReactionOptions, reading: ReadingOptions, output: OutputOptions) -> None:
    """Say how the measures react to known errors, so that you can choose one.

    Artificial texts are degraded step by step: misses, false alarms, near misses, shifts, joins and splits. FILE is a corpus
    whose segment lengths the texts have, and whose pairs of coders the measures rank (default: seven readers of an article).

    \b
    Example:
      caesura reactions -m B -m WD -m Pk
    """
    if not files and reading.flags:
        raise OptionConflictError(f"{reading.flags[0]} has no effect without FILE; add a corpus")
    corpus = reading.require(reading.read(files), "rank") if files else None
    with Progress():
        result = compute_reactions(corpus, options)
    if options.figure is not None:
        save(reactions_figure(result), options.figure)
        click.echo(options.figure, err=True)
    print_result("reactions", result, reactions_view(result), output=output, reading=reading)
