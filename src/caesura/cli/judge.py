"""The command ``caesura judge``: systems compared with human coders and with each other."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli.options import reading_options, systems_option, with_options
from caesura.cli.output import OutputOptions, output_options, print_result
from caesura.cli.program import main
from caesura.cli.progress import Progress
from caesura.tasks.judge import CrispOptions, JudgeOptions, crisp_and_fuzzy, judge_systems
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.systems import split_systems
from caesura.views.judgement import JudgeTables, judgement_view


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@systems_option(required=True)
@with_options(JudgeOptions, "options", "Measures")
@with_options(CrispOptions, "crisp_options", "Measures")
@with_options(JudgeTables, "tables", "Output")
@reading_options
@output_options
def judge(
    files: tuple[str, ...],
    systems: tuple[str, ...],
    options: JudgeOptions,
    crisp_options: CrispOptions,
    tables: JudgeTables,
    reading: ReadingOptions,
    output: OutputOptions,
) -> None:
    """Say which segmenter is best, whether it is luck, and whether it is as good as people.

    CORPUS contains the segmentations of human coders and may contain those of the systems too. A system is judged on the
    items that it has segmented; missing items are listed, and the exit code is 1.

    \b
    Example:
      caesura judge people.json --system mine.json --system theirs.json
    """
    reading = reading.for_presets(files, options.measures)
    corpus, system_files = reading.read_with_systems(files, systems)
    reading.require(corpus, "judge")
    human_corpus, annotations = split_systems(corpus, systems, system_files)
    with Progress():
        result = judge_systems(human_corpus, annotations, options, settings=reading.settings, crisp=crisp_options)
        result, crisp = crisp_and_fuzzy(result, crisp_options)
    extra: dict[str, Any] = {"mistakes": result.mistakes} if tables.errors or tables.list_errors else {}
    answer = judgement_view(result, tables)
    if crisp is not None:
        from caesura.views.gold import with_crisp  # imports everything about gold standards

        extra["crisp"] = crisp
        answer = with_crisp(answer, crisp)
    print_result("judge", result, answer, output=output, reading=reading, extra=extra)
