"""The commands that score: ``caesura score`` (two coders), ``evaluate`` (any collection), ``curve`` (every threshold)."""

from __future__ import annotations

from dataclasses import dataclass

import click

from caesura.cli.options import EngineOptions, checkpoint_option, reading_options, with_options
from caesura.cli.output import OutputOptions, output_options, print_result
from caesura.cli.program import main
from caesura.cli.progress import Progress
from caesura.evaluation.sources import check_outputs
from caesura.options import OptionSet, number, path, setting, text
from caesura.tasks.curve import CurveOptions, read_scored, score_thresholds
from caesura.tasks.evaluate import EvaluateOptions
from caesura.tasks.evaluate import evaluate as evaluate_collection
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.score import ScoreOptions, score_corpora
from caesura.views.curve import curve_view
from caesura.views.results import evaluation_view, scoring_view


@main.command()
@click.argument("reference", type=click.Path())
@click.argument("hypothesis", type=click.Path(), required=False)
@with_options(ScoreOptions, "options", "Measures")
@reading_options
@output_options
def score(
    reference: str, hypothesis: str | None, options: ScoreOptions, reading: ReadingOptions, output: OutputOptions
) -> None:
    """Say how close HYPOTHESIS is to REFERENCE.

    Each is a file, a folder or a glob. Items are paired by name. Without HYPOTHESIS, both coders are taken from
    REFERENCE. Items that cannot be scored are listed, the rest are scored, and the exit code is 1.

    \b
    Example:
      caesura score reference.bits hypothesis.bits -m B -m Pk --edits
    """
    files = [reference, *filter(None, [hypothesis])]
    reading = reading.for_presets(files, options.measures, options.compat)
    corpora = [reading.require(corpus, "score") for corpus in reading.read_separately(files)]
    first, second = corpora if len(corpora) == 2 else (corpora[0], None)
    with Progress():
        result = score_corpora(first, second, options, settings=reading.settings)
    answer = scoring_view(result, by_item=options.by_item, edits=options.edits, width=min(output.width, 100))
    print_result("score", result, answer, output=output, reading=reading)


@main.command()
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True, type=click.Path())
@with_options(EvaluateOptions, "options", "Measures")
@with_options(EngineOptions, "engine_options", "Large data")
@checkpoint_option
@reading_options
@output_options
def evaluate(
    sources: tuple[str, ...],
    options: EvaluateOptions,
    engine_options: EngineOptions,
    checkpoint: str | None,
    reading: ReadingOptions,
    output: OutputOptions,
) -> None:
    """Score a collection of any size: SOURCE is a Parquet data set, JSON lines, or files of any format.

    Each row or line is a document with the fields item, length, reference and hypothesis; the last two are lists of
    positions. `caesura convert` writes them from any corpus. Documents that cannot be scored, and partitions that cannot
    be read, are listed, the rest are scored, and the exit code is 1.

    \b
    Example:
      caesura evaluate documents.jsonl -m B -m Pk
    """
    check_outputs(list(sources), output=output.folder)
    reading = reading.for_presets(sources, options.measures)
    with engine_options.open() as engine, Progress("partitions"):
        result = evaluate_collection(
            list(sources),
            options.all_measures or None,
            engine=engine,
            checkpoint=checkpoint,
            **options.select("reference", "hypothesis", "scores", "strict"),
            **reading.select("settings", "format", "pattern", "types"),
            **reading.alignment,
            **reading.options,
        )
    missing = []
    if result.excluded_documents:
        missing.append(f"{result.excluded_documents} document(s) excluded")
    if result.excluded_partitions:
        missing.append(f"{result.excluded_partitions} of {result.partitions} partition(s) not read")
    summary = f"the result is partial: {' and '.join(missing)}"
    print_result("evaluate", result, evaluation_view(result), output=output, reading=reading, summary=summary)


@dataclass(frozen=True)
class FigureFile(OptionSet):
    """File and appearance of the figure."""

    plot: str | None = setting(
        None, path, "Write a figure to this file, ending in .svg, .pdf or .png.", flags=("-o", "--plot")
    )
    width: float | None = setting(
        None, number(1, 40), "Width of the figure in inches (default: a column of a paper).", needs="plot"
    )
    title: str | None = setting(None, text, "Title above the figure.", needs="plot")


@main.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@with_options(CurveOptions, "options", "Scores")
@with_options(FigureFile, "figure", "Output")
@reading_options
@output_options
def curve(
    paths: tuple[str, ...], options: CurveOptions, figure: FigureFile, reading: ReadingOptions, output: OutputOptions
) -> None:
    """Say how good boundary scores are at every threshold, and which threshold is best.

    FILE is one table with the columns score and 0/1 marks, or files with the reference and files with scores. A text of N units
    has N-1 scores, one per inner position; scores in seconds have a column time. Items that cannot be used are listed, the rest
    are used, and the exit code is 1.

    \b
    Example:
      caesura curve scores.csv --tolerance 1
      caesura curve scores.csv --threshold-from development.csv --plot curve.svg
    """
    if figure.plot is not None:
        from caesura.views.figures.canvas import format_of, save
        from caesura.views.figures.curves import curves

        format_of(figure.plot)
    corpus = read_scored(reading, paths)
    others = read_scored(reading, options.threshold_from) if options.threshold_from else None
    with Progress():
        study = score_thresholds(corpus, options, threshold_corpus=others)
    if figure.plot is not None:
        style = {} if figure.width is None else {"width": figure.width}
        save(curves(study, title=figure.title, **style), figure.plot)
        click.echo(figure.plot, err=True)
    print_result("curve", study, curve_view(study, figure.plot), output=output, reading=reading)
