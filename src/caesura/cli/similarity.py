"""The command ``caesura similarity``: a similarity matrix from the annotations of experts."""

from __future__ import annotations

import click

from caesura.cli.options import reading_options, with_options
from caesura.cli.output import OutputOptions, output_options, print_result
from caesura.cli.program import main
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.similarity import SimilarityOptions, expert_similarity
from caesura.views.similarity import similarity_view


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
