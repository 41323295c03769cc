"""The command ``caesura trees``: parses compared with a treebank."""

from __future__ import annotations

import click

from caesura.cli.options import EngineOptions, with_options
from caesura.cli.output import OutputOptions, output_options, print_result
from caesura.cli.program import main
from caesura.cli.progress import Progress
from caesura.tasks.trees import TreeFileOptions, TreeOptions, compare_trees, read_treebanks
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

    Both are files of brackets as in the Penn Treebank, folders or globs; an empty line is a sentence without a parse. PARSEVAL
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
    with engine.open() as opened, Progress():
        result = compare_trees(banks, options, engine=opened)
    answer = trees_view(result, tables, width=min(output.width, 120))
    print_result("trees", result, answer, output=output, reading=banks.reading)
