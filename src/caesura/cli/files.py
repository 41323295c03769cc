"""The commands ``caesura info`` (show the contents of files) and ``caesura convert`` (write another format)."""

from __future__ import annotations

import click

from caesura.cli.options import reading_options, with_options
from caesura.cli.output import OutputOptions, output_options, print_answer, print_result
from caesura.cli.program import main
from caesura.tasks.files import ConvertOptions, convert_files, file_info
from caesura.tasks.reading import ReadingOptions
from caesura.views.answers.files import written_answer
from caesura.views.contents import first_lines, info_view
from caesura.views.table import clean


@main.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--exact", is_flag=True, help="Read large tables completely, not only their first rows.")
@reading_options
@output_options
def info(files: tuple[str, ...], exact: bool, reading: ReadingOptions, output: OutputOptions) -> None:
    """Show what is in the files, how they were understood, and which command comes next.

    FILE is one file with all coders, a folder or glob, or one file per coder. Tiers are shown as they are, in seconds. Of large
    tables, only the first rows are read, and a sentence says how many. Files that cannot be read are listed, and the
    exit code is 1.

    \b
    Example:
      caesura info people.json
    """
    result = file_info(files, reading, exact=exact)
    if not result.corpus and output == OutputOptions():
        print_answer(info_view(result), output)
    reading.require(result.corpus, "show")
    lines = first_lines(result.corpus.of_item(result.corpus.item_names[0]))
    answer = info_view(result)
    print_result("info", result, answer, output=output, reading=reading, extra={"first": dict(lines)})


@main.command()
@click.argument("sources", metavar="IN...", nargs=-1, required=True, type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@with_options(ConvertOptions, "options")
@reading_options
def convert(sources: tuple[str, ...], target: str, options: ConvertOptions, reading: ReadingOptions) -> None:
    """Write the corpus in IN, a file, a folder or a glob, to OUT in another format.

    IN may also be one file or folder per coder. Some formats store only one coder (bit strings, brackets) or one item
    (subtitles, TextGrids). The coder or item then gets the name of OUT. Documents contain two coders; choose them with
    --reference and --hypothesis. Formats with tiers keep tiers; for other formats, tiers are converted to units.

    \b
    Example:
      caesura convert people.json people.csv
    """
    corpus, notes = convert_files(sources, target, options, reading)
    for note in notes:
        click.echo(clean(note), err=True)
    click.echo(clean(written_answer(corpus, target)))
