"""The command ``caesura trees``, which compares parses with a treebank by Struct-IoU and PARSEVAL."""

from __future__ import annotations

import click

from caesura.cli.options import EngineOptions, output_options, with_options
from caesura.cli.program import console, main, print_result
from caesura.tasks.trees import TreeFileOptions, TreeOptions, compare_trees, read_treebanks
from caesura.views.trees import TreeTables, tree_blocks


@main.command()
@click.argument("gold", type=click.Path())
@click.argument("predicted", type=click.Path())
@with_options(TreeFileOptions, "files")
@with_options(TreeOptions, "options")
@with_options(TreeTables, "tables")
@with_options(EngineOptions, "engine")
@output_options
def trees(
    gold: str,
    predicted: str,
    files: TreeFileOptions,
    options: TreeOptions,
    tables: TreeTables,
    engine: EngineOptions,
    output: str | None,
) -> None:
    """Compare the trees in PREDICTED with those in GOLD, sentence by sentence.

    Both are files of brackets as in the Penn Treebank; an empty line is a sentence without a parse. PARSEVAL
    scores equal those of EVALB. Struct-IoU compares times if they are known, and words otherwise.
    """
    if files.versus_times is not None and files.versus is None:
        raise click.UsageError("--versus-times needs --versus")
    banks = read_treebanks(gold, predicted, files)
    number, last = len(banks.gold), max(tables.sentences, default=0)
    if last > number:
        raise click.BadParameter(f"there are {number} sentences; got {last}", param_hint="--sentence")
    with engine.open() as opened:
        result = compare_trees(banks, options, engine=opened)
    blocks = tree_blocks(result, tables, width=min(console().width, 120))
    print_result("trees", result, blocks, output=output, reading=banks.reading)
