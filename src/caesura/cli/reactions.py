"""The command ``caesura reactions``: how do the measures react to known errors?"""

from __future__ import annotations

import click

from caesura.cli.options import reading_options, with_options
from caesura.cli.output import OutputOptions, print_result, table_options
from caesura.cli.program import main
from caesura.errors import OptionConflictError
from caesura.tasks.reactions import ReactionOptions
from caesura.tasks.reactions import reactions as compute_reactions
from caesura.tasks.reading import ReadingOptions
from caesura.views.reactions import reactions_figure, reactions_view


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
    result = compute_reactions(corpus, options)
    if options.figure is not None:
        from caesura.views.figures.canvas import save

        save(reactions_figure(result), options.figure)
        click.echo(options.figure, err=True)
    print_result("reactions", result, reactions_view(result), output=output, reading=reading)
