"""The commands ``caesura score`` (two coders) and ``caesura evaluate`` (a collection of any size)."""

from __future__ import annotations

from dataclasses import replace

import click

from caesura.cli.options import EngineOptions, checkpoint_option, output_options, reading_options, with_options
from caesura.cli.program import console, envelope, fail, main, print_blocks, print_result
from caesura.cli.progress import ProgressDisplay, pace
from caesura.engines import use_engine
from caesura.evaluation.result import Evaluation, EvaluationProgress
from caesura.model.result import to_json
from caesura.progress import on_progress
from caesura.tasks.evaluate import EvaluateOptions
from caesura.tasks.evaluate import evaluate as evaluate_collection
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.score import ScoreOptions, score_corpora
from caesura.views.results import evaluation_table, scoring_blocks


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


_MAX_LISTED = 20  # maximum number of excluded documents that are listed


@main.command()
@click.argument("source", type=click.Path())
@with_options(EvaluateOptions, "options")
@with_options(EngineOptions, "engine_options")
@checkpoint_option
@reading_options
@output_options
def evaluate(
    source: str,
    options: EvaluateOptions,
    engine_options: EngineOptions,
    checkpoint: str | None,
    reading: ReadingOptions,
    output: str | None,
) -> None:
    """Score a collection of any size: SOURCE is a Parquet data set, JSON lines, or files of any format.

    Each row or line is a document with the fields item, length, reference and hypothesis; the last two are lists of
    positions. `caesura convert` writes them from any corpus. Documents that cannot be scored, and partitions that cannot
    be read, are listed, the rest are scored, and the exit code is 1.
    """
    with (
        use_engine(engine_options.engine, engine_options.workers, engine_options.scheduler) as engine,
        _EvaluationDisplay() as display,
        on_progress(display.update, with_detail=True),
    ):
        result = evaluate_collection(
            source,
            options.measures or None,
            reference=options.reference,
            hypothesis=options.hypothesis,
            engine=engine,
            checkpoint=checkpoint,
            scores=options.scores,
            strict=options.strict,
            settings=reading.settings,
            format=reading.format,
            pattern=reading.pattern,
            align=reading.align,
            types=reading.types,
            **reading.options,
        )
    if output == "json":
        click.echo(to_json(envelope("evaluate", result, reading=reading, excluded=result.excluded)))
    else:
        print_blocks([evaluation_table(result)], output)
    if result.partial:
        fail(_list_excluded(result))


def _list_excluded(result: Evaluation) -> list[str]:
    parts = [f"{result.excluded_documents} document(s) excluded"] * bool(result.excluded_documents)
    unread = f"{result.excluded_partitions} of {result.partitions} partition(s) not read"
    parts += [unread] * bool(result.excluded_partitions)
    return [*map(str, result.excluded[:_MAX_LISTED]), f"the result is partial: {' and '.join(parts)}"]


class _EvaluationDisplay(ProgressDisplay):
    """Display of finished partitions and of documents per second."""

    def update(self, done: int, total: int | None, progress: EvaluationProgress) -> None:
        so_far = f"{done}{'' if total is None else f' of {total}'} partitions"
        rate = pace(progress.documents - progress.resumed_documents, progress.seconds, progress.seconds_left)
        self.show(so_far, f"{progress.documents:,} documents, {rate}", done, total)
