"""The commands ``caesura trees`` (parses compared with a treebank) and ``caesura unify`` (one hierarchy from several)."""

from __future__ import annotations

from dataclasses import dataclass

import click

from caesura.cli.options import EngineOptions, reading_options, with_options
from caesura.cli.output import OutputOptions, list_excluded, output_options, print_result, table_options
from caesura.cli.program import main
from caesura.formats import write
from caesura.model.value import count_of
from caesura.options import OptionSet, setting, switch, text
from caesura.tasks.gold import GOLD_CODER, GoldOptions, GoldStandards, corpus_of_golds, make_gold
from caesura.tasks.prepare import ReadingOptions
from caesura.tasks.trees import TreeFileOptions, TreeOptions, compare_trees, read_treebanks
from caesura.views.gold import gold_view
from caesura.views.table import clean
from caesura.views.trees import TreeTables, trees_view


@main.command()
@click.argument("gold", type=click.Path())
@click.argument("predicted", type=click.Path())
@with_options(TreeFileOptions, "files", "Reading")
@with_options(TreeOptions, "options", "Measures")
@with_options(TreeTables, "tables", "Output")
@with_options(EngineOptions, "engine", "Large data")
@output_options
def trees(
    gold: str,
    predicted: str,
    files: TreeFileOptions,
    options: TreeOptions,
    tables: TreeTables,
    engine: EngineOptions,
    output: OutputOptions,
) -> None:
    """Compare the trees in PREDICTED with those in GOLD, sentence by sentence.

    Both are files of brackets as in the Penn Treebank; an empty line is a sentence without a parse. PARSEVAL
    scores equal those of EVALB. Struct-IoU compares times if they are known, and words otherwise.

    \b
    Example:
      caesura trees gold.ptb parser.ptb
    """
    if files.versus_times is not None and files.versus is None:
        raise click.UsageError("--versus-times needs --versus")
    banks = read_treebanks(gold, predicted, files)
    number, last = len(banks.gold), max(tables.sentences, default=0)
    if last > number:
        raise click.BadParameter(f"there are {number} sentences; got {last}", param_hint="--sentence")
    with engine.open() as opened:
        result = compare_trees(banks, options, engine=opened)
    answer = trees_view(result, tables, width=min(output.width, 120))
    print_result("trees", result, answer, output=output, reading=banks.reading)


@dataclass(frozen=True)
class UnifyCommand(OptionSet):
    """Options of the command: repair, output file, printed tables and items."""

    repair: bool = switch(
        "Drop spans that cross other spans of the same coder: the deeper span, then the shorter, then the later one."
    )
    target: str | None = setting(
        None, text, "Write the gold standard to this .json, .csv or .tsv file.", flags=("-o", "--output")
    )
    why: bool = switch(
        "List every span that is not in the gold standard, with its coders and the spans that it crosses."
    )
    evaluate: bool = switch("Compare every method with every annotation: kappa, recall, precision, non-crossing.")
    items: tuple[str, ...] = setting((), text, "Use only this item. May be repeated.", flags=("--item",))


@main.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@with_options(GoldOptions, "options")
@with_options(UnifyCommand, "command")
@reading_options
@table_options
def unify(
    files: tuple[str, ...], options: GoldOptions, command: UnifyCommand, reading: ReadingOptions, output: OutputOptions
) -> None:
    """Make one hierarchy from those of several coders, item by item.

    FILE is one file with all coders, a folder or glob, or one file per coder: spans JSON or CSV, .rs3 and .rs4, .lab.
    Annotations and items that cannot be used are listed, the rest are used, and the exit code is 1.

    \b
    Example:
      caesura unify annotators.json
    """
    if command.repair:
        reading = reading.with_options(repair=True)
    corpus = reading.require(reading.read(files), "unify").select(items=command.items or None)
    only_evaluate = command.evaluate and command.target is None
    result = make_gold(corpus, options, golds=not only_evaluate, evaluate=command.evaluate)
    if not result.golds and not only_evaluate:
        list_excluded(reading.excluded or result.excluded)
    if command.target is not None:
        _write(result, command.target)
    answer = gold_view(result, why=command.why, spans=command.target is None)
    print_result("unify", result, answer, output=output, reading=reading)


def _write(result: GoldStandards, target: str) -> None:
    corpus, notes = corpus_of_golds(result.golds)
    for note in notes:
        click.echo(f"caesura: warning: {clean(note)}", err=True)
    write(corpus, target)
    click.echo(f"{target}: {count_of(len(corpus.item_names), 'item')}, coder {GOLD_CODER!r}", err=True)
