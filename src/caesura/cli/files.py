"""The commands ``caesura info`` (show the contents of files) and ``caesura convert`` (write another format)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from caesura.cli.options import output_options, reading_options, with_options
from caesura.cli.program import main, print_blocks, print_result
from caesura.model.value import count_of
from caesura.tasks.files import ConvertOptions, FileInfo, convert_file, file_info
from caesura.tasks.prepare import ReadingOptions
from caesura.views.contents import contents_table, first_lines
from caesura.views.table import Block, Table, clean


@main.command()
@click.argument("path", metavar="FILE", type=click.Path())
@click.option("--exact", is_flag=True, help="Read large tables completely, not only their first rows.")
@reading_options
@output_options
def info(path: str, exact: bool, reading: ReadingOptions, output: str | None) -> None:
    """Show what is in FILE, a file, a folder or a glob: formats, items, coders, units, boundaries, types, tiers.

    Tiers are shown as they are, in seconds. Of large tables, only the first rows are read, and a line tells how many.
    Files that cannot be read are listed, and the exit code is 1.
    """
    result = file_info(path, reading, exact=exact)
    if not result.corpus and output is None:
        print_blocks(_tier_blocks(result), output)
    reading.require(result.corpus, "show")
    lines = first_lines(result.corpus.of_item(result.corpus.item_names[0]))
    blocks = _blocks(result, lines, output)
    print_result("info", result, blocks, output=output, reading=reading, extra={"first": dict(lines)})


def _blocks(result: FileInfo, lines: list[tuple[str, str]], output: str | None) -> Iterator[Block]:
    items = result.corpus.item_names
    names = ", ".join(map(clean, items[:10])) + (", …" if len(items) > 10 else "")
    formats = ", ".join(f"{name} ({n})" if result.files > 1 else name for name, n in result.formats.items())
    yield f"{clean(result.path)}: {formats}\n{count_of(len(items), 'item')}: {names}"
    if result.rows is not None:
        rows, total = result.rows
        yield f"These are estimates from the first {rows:,} of {total:,} rows; --exact reads all of them."
    yield contents_table(result.contents)
    if output is None:
        yield from _tier_blocks(result)
        yield f"Beginning of {clean(items[0])}"
        yield Table(("coder", "first line"), tuple(lines))
        yield "\n".join(["Next:", *(f"  {clean(command)}" for command in result.next_commands)])


def _tier_blocks(result: FileInfo) -> list[Table]:
    rows = [
        (Path(path).name, tier.name, tier.kind, tier.number, tier.labelled, tier.begin, tier.end)
        for path, tiers in result.tiers.items()
        for tier in tiers
    ]
    columns = ("file", "tier", "kind", "number", "labelled", "from", "to")
    title = "Tiers in seconds; choose one with --tier NAME"
    return [Table(columns, tuple(rows), title=title, digits=3, group=1)] if rows else []


@main.command()
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@with_options(ConvertOptions, "options")
@reading_options
def convert(source: str, target: str, options: ConvertOptions, reading: ReadingOptions) -> None:
    """Write the corpus in IN, a file, a folder or a glob, to OUT in another format.

    Some formats store only one coder (bit strings, brackets) or one item (subtitles, TextGrids). The coder or item then
    gets the name of OUT. Documents contain two coders; choose them with --reference and --hypothesis. Formats with tiers
    keep tiers; for other formats, tiers are converted to units.
    """
    corpus, notes = convert_file(source, target, options, reading)
    for note in notes:
        click.echo(note, err=True)
    click.echo(f"{target}: {corpus!r}")
