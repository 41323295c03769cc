"""The commands ``caesura agree`` (coders compared with each other) and ``caesura judge`` (systems compared with coders)."""

from __future__ import annotations

import click

from caesura.cli.options import (
    EngineOptions,
    checkpoint_option,
    output_options,
    reading_options,
    systems_option,
    with_options,
)
from caesura.cli.program import Progress, console, main, print_result
from caesura.tasks.agree import AgreeOptions
from caesura.tasks.agree import agree as agree_task
from caesura.tasks.judge import JudgeOptions, judge_systems
from caesura.tasks.prepare import ReadingOptions, split_systems
from caesura.views.agreement import AgreeTables, agreement_blocks
from caesura.views.judgement import JudgeTables, judgement_blocks


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
    corpus = reading.require(reading.read(files), "compare")
    with engine.open() as opened, Progress("draws"):
        study = agree_task(corpus, options, settings=reading.settings, engine=opened, checkpoint=checkpoint)
    blocks = agreement_blocks(study, tables, output=output, width=console().width)
    print_result("agree", study, blocks, output=output, reading=reading)


@main.command()
@click.argument("file", metavar="CORPUS", type=click.Path())
@systems_option(required=True)
@with_options(JudgeOptions, "options")
@with_options(JudgeTables, "tables")
@reading_options
@output_options
def judge(
    file: str,
    systems: tuple[str, ...],
    options: JudgeOptions,
    tables: JudgeTables,
    reading: ReadingOptions,
    output: str | None,
) -> None:
    """Compare segmenters with human coders and with each other, with significance tests.

    CORPUS contains the segmentations of human coders and may contain those of the systems too. A system is judged on the
    items that it has segmented; missing items are listed, and the exit code is 1.
    """
    corpus, system_files = reading.read_with_systems((file,), systems)
    reading.require(corpus, "judge")
    human_corpus, annotations = split_systems(corpus, systems, system_files)
    with Progress("steps of judging"):
        result = judge_systems(human_corpus, annotations, options, settings=reading.settings)
    mistakes = {"mistakes": result.mistakes} if tables.errors or tables.list_errors else {}
    blocks = judgement_blocks(result, tables, output)
    print_result("judge", result, blocks, output=output, reading=reading, extra=mistakes)
