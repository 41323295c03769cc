"""The command ``caesura agree``: agreement of coders beyond chance, and their differences."""

from __future__ import annotations

import click

from caesura.cli.options import EngineOptions, checkpoint_option, output_options, reading_options, with_options
from caesura.cli.program import Progress, console, main, print_result
from caesura.tasks.agree import AgreeOptions
from caesura.tasks.agree import agree as agree_task
from caesura.tasks.prepare import ReadingOptions
from caesura.views.agreement import AgreeTables, agreement_blocks


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@with_options(AgreeOptions, "options")
@with_options(AgreeTables, "tables")
@with_options(EngineOptions, "engine")
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
    output: str | None,
) -> None:
    """Show how far coders agree beyond chance, and where they differ.

    CORPUS is one file with all coders, a folder or glob, or one file per coder. A coefficient is (observed - expected)
    / (1 - expected): 1 is full agreement, 0 is chance. Items that cannot be used are listed, the rest are used, and the
    exit code is 1.
    """
    corpus = reading.read(files)
    reading.require(corpus, "compare")
    with engine.open() as opened, Progress("draws"):
        study = agree_task(corpus, options, settings=reading.settings, engine=opened, checkpoint=checkpoint)
    blocks = agreement_blocks(study, tables, output=output, width=console().width)
    print_result("agree", study, blocks, output=output, reading=reading)
