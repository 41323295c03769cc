"""``caesura convert``: one format into another."""

from __future__ import annotations

import click

from caesura.cli.options import reading_options, with_options
from caesura.cli.program import main
from caesura.tasks.files import ConvertOptions, convert_file
from caesura.tasks.reading import ReadingOptions


@main.command()
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@with_options(ConvertOptions, "options")
@reading_options
def convert(source: str, target: str, options: ConvertOptions, reading: ReadingOptions) -> None:
    """Write the corpus in IN, a file, a folder or a glob, to OUT in another format.

    Formats that hold one coder (bit strings, brackets) or one item (subtitles, TextGrids) name it by the file, so it gets
    the name of OUT. Documents hold two coders, chosen with --reference and --hypothesis. Tiers stay tiers in a format of
    tiers; other formats get them over units.
    """
    conversion = convert_file(source, target, options, reading)
    for note in conversion.notes:
        click.echo(note, err=True)
    click.echo(f"{target}: {conversion.corpus!r}")
