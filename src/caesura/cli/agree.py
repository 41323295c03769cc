"""The commands about coders: ``caesura agree``, ``disagreements``, ``pairwise`` and ``similarity``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from caesura.cli.options import EngineOptions, checkpoint_option, grouped_option, reading_options, with_options
from caesura.cli.output import OutputOptions, output_options, print_result, table_options
from caesura.cli.program import main, print_message
from caesura.cli.progress import Progress
from caesura.tasks.agree import AgreeOptions
from caesura.tasks.agree import agree as agree_task
from caesura.tasks.disagreements import DisagreementOptions, find_disagreements, write_disagreements
from caesura.tasks.pairwise import PairwiseOptions, compare_pairs
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.similarity import SimilarityOptions, expert_similarity
from caesura.views.agreement import AgreeTables, agreement_view
from caesura.views.disagreements import DisagreementTables, disagreements_view, left_out
from caesura.views.pairwise import pairwise_view
from caesura.views.similarity import similarity_view

_TARGET = (
    "Write the tiers with the disagreements as an additional tier, to a .TextGrid or .eaf file; {item} stands for the name "
    "of the item. A folder receives every table, one file each."
)


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
    with engine.open() as opened, Progress():
        study = agree_task(corpus, options, settings=reading.settings, engine=opened, checkpoint=checkpoint)
    answer = agreement_view(study, tables, width=output.width)
    print_result("agree", study, answer, output=output, reading=reading)


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@with_options(DisagreementOptions, "options", "Measures")
@with_options(DisagreementTables, "tables", "Output")
@grouped_option("Output", "-o", "--output", "target", metavar="FILE", type=click.Path(), help=_TARGET)
@reading_options
@table_options
def disagreements(
    files: tuple[str, ...],
    options: DisagreementOptions,
    tables: DisagreementTables,
    target: str | None,
    reading: ReadingOptions,
    output: OutputOptions,
) -> None:
    """Say where coders disagree, and which disagreements matter most.

    CORPUS is one file with all coders, a folder or glob, or one file per coder. A place on which many pairs of coders
    disagree comes first. Items that cannot be used are listed, the rest are used, and the exit code is 1.

    \b
    Example:
      caesura disagreements ann.csv bo.csv cy.csv
      caesura disagreements people.json --against majority
    """
    corpus = reading.require(reading.read_in_seconds(files), "compare")
    with Progress():
        result = find_disagreements(corpus, options, settings=reading.settings)
    if target is not None and (os.path.isdir(target) or not Path(target).suffix):
        output = replace(output, folder=target)
    elif target is not None:
        for path in write_disagreements(result, corpus, target):
            click.echo(path, err=True)
    listed = tables.shorten(result)
    if output.format is not None and left_out(listed):
        print_message(left_out(listed))
    print_result("disagreements", listed, disagreements_view(listed, tables), output=output, reading=reading)


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@with_options(PairwiseOptions, "options", "Measures")
@with_options(EngineOptions, "engine", "Large data")
@reading_options
@output_options
def pairwise(
    files: tuple[str, ...],
    options: PairwiseOptions,
    engine: EngineOptions,
    reading: ReadingOptions,
    output: OutputOptions,
) -> None:
    """Compare every coder with every coder, under any measure.

    CORPUS is one file with all coders, a folder or glob, or one file per coder. The table `items` has the mean and the
    deviation over pairs for every item, with full and near misses. Items that cannot be used are listed, the rest are
    used, and the exit code is 1.

    \b
    Example:
      caesura pairwise people.json
      caesura pairwise people.json -m window_diff --table items
    """
    corpus = reading.require(reading.read(files), "compare")
    with engine.open() as opened, Progress():
        study = compare_pairs(corpus, options, settings=reading.settings, engine=opened)
    print_result("pairwise", study, pairwise_view(study), output=output, reading=reading)


@main.command()
@click.argument("files", metavar="EXPERTS...", nargs=-1, required=True, type=click.Path())
@with_options(SimilarityOptions, "options", "Similarity")
@reading_options
@output_options
def similarity(
    files: tuple[str, ...], options: SimilarityOptions, reading: ReadingOptions, output: OutputOptions
) -> None:
    """Say which boundary types experts confuse, as a matrix for S_f.

    EXPERTS is one file with all experts, a folder or glob, or one file per expert. Their confusions are counted position
    by position. The settings file that --write makes is for --settings of the other commands.

    \b
    Example:
      caesura similarity talk.csv --smoothing 0.5 --write experts.toml
    """
    corpus = reading.require(reading.read(files), "compare")
    result = expert_similarity(corpus, options)
    print_result("similarity", result, similarity_view(result, options.write), output=output, reading=reading)
