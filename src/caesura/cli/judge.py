"""The command ``caesura judge``: a comparison of segmenters with tests of significance."""

from __future__ import annotations

import click

from caesura.cli.options import output_options, reading_options, systems_option, with_options
from caesura.cli.program import Progress, main, print_result
from caesura.tasks.judge import JudgeOptions, judge_systems
from caesura.tasks.prepare import ReadingOptions, split_systems
from caesura.views.judgement import JudgeTables, judgement_blocks


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
    """Compare segmenters with human coders and with each other, and list their errors.

    CORPUS contains the segmentations of human coders and may contain those of the systems too. A system is judged on the
    items that it has segmented; missing items are listed, and the exit code is 1.
    """
    corpus, system_files = reading.read_with_systems((file,), systems)
    reading.require(corpus, "judge")
    people, annotations = split_systems(corpus, systems, system_files)
    with Progress("steps of judging"):
        result = judge_systems(people, annotations, options, settings=reading.settings)
    mistakes = {"mistakes": result.mistakes} if tables.errors or tables.list_errors else {}
    blocks = judgement_blocks(result, tables, output)
    print_result("judge", result, blocks, output=output, reading=reading, extra=mistakes)
