"""``caesura score``: a hypothesis against a reference."""

from __future__ import annotations

from dataclasses import replace

import click

from caesura.cli.options import output_options, reading_options, with_options
from caesura.cli.program import console, main, print_result
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.score import ScoreOptions, score_corpora
from caesura.views.results import scoring_blocks


@main.command()
@click.argument("reference", type=click.Path())
@click.argument("hypothesis", type=click.Path(), required=False)
@with_options(ScoreOptions, "options")
@reading_options
@output_options
def score(
    reference: str, hypothesis: str | None, options: ScoreOptions, reading: ReadingOptions, output: str | None
) -> None:
    """Compare HYPOTHESIS with REFERENCE and print the scores over all items.

    Items are paired by name. Without HYPOTHESIS, both coders are taken from REFERENCE. Items that cannot be scored are
    listed, the rest are scored, and the exit code is 1.
    """
    corpora = reading.read_separately([reference, *filter(None, [hypothesis])])
    for corpus in corpora:
        reading.require(corpus, "score")
    chosen = replace(options, by_item=True) if output == "json" else options
    first, second = corpora if len(corpora) == 2 else (corpora[0], None)
    result = score_corpora(first, second, chosen, settings=reading.settings)
    width = min(console().width, 100)
    blocks = scoring_blocks(result, by_item=options.by_item, edits=options.edits and output is None, width=width)
    print_result("score", result, blocks, output=output, reading=reading)
