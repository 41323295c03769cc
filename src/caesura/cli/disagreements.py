"""The commands ``caesura disagreements`` (where coders differ) and ``caesura pairwise`` (every coder against every coder)."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from caesura.cli.options import EngineOptions, grouped_option, reading_options, with_options
from caesura.cli.output import OutputOptions, output_options, print_result, table_options
from caesura.cli.program import main, print_message
from caesura.tasks.disagreements import DisagreementOptions, find_disagreements, write_disagreements
from caesura.tasks.pairwise import PairwiseOptions, compare_pairs
from caesura.tasks.reading import ReadingOptions
from caesura.views.disagreements import DisagreementTables, disagreements_view, left_out
from caesura.views.pairwise import pairwise_view

_TARGET = (
    "Write the tiers with the disagreements as an additional tier, to a .TextGrid or .eaf file; {item} stands for the name "
    "of the item. A folder receives every table, one file each."
)


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
    with engine.open() as opened:
        study = compare_pairs(corpus, options, settings=reading.settings, engine=opened)
    print_result("pairwise", study, pairwise_view(study), output=output, reading=reading)
