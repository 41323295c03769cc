"""The command ``caesura agree``: coders compared with each other."""

from __future__ import annotations

import click

from caesura.cli.options import EngineOptions, checkpoint_option, reading_options, with_options
from caesura.cli.output import OutputOptions, output_options, print_result
from caesura.cli.program import main
from caesura.cli.progress import Progress
from caesura.tasks.agree import AgreeOptions
from caesura.tasks.agree import agree as agree_task
from caesura.tasks.reading import ReadingOptions
from caesura.views.agreement import AgreeTables, agreement_view


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@with_options(AgreeOptions, "options", "Measures")
@with_options(AgreeTables, "tables", "Output")
@with_options(EngineOptions, "engine", "Large data")
@checkpoint_option
@reading_options
@output_options
def agree(
    files: tuple[str, ...],
    options: AgreeOptions,
    tables: AgreeTables,
    engine: EngineOptions,
    checkpoint: str | None,
    reading: ReadingOptions,
    output: OutputOptions,
) -> None:
    """Say how far coders agree beyond chance.

    CORPUS is one file with all coders, a folder or glob, or one file per coder. A coefficient is (observed - expected)
    / (1 - expected): 1 is full agreement, 0 is chance. Items that cannot be used are listed, the rest are used, and the
    exit code is 1.

    \b
    Example:
      caesura agree people.json
    """
    corpus = reading.require(reading.read(files), "compare")
    with engine.open() as opened, Progress("draws"):
        study = agree_task(corpus, options, settings=reading.settings, engine=opened, checkpoint=checkpoint)
    answer = agreement_view(study, tables, width=output.width)
    print_result("agree", study, answer, output=output, reading=reading)
