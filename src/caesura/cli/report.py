"""``caesura report``: one page with everything, to read in a browser."""

from __future__ import annotations

from typing import cast

import click

from caesura.cli.options import reading_options, systems_option, with_options
from caesura.cli.program import all_excluded, fail, main
from caesura.cli.progress import Progress
from caesura.judging.participants import Systems
from caesura.tasks.prepare import split_systems
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.report import ReportOptions


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(),
    default="report.html",
    show_default=True,
    help="File to write the page to.",
)
@systems_option(required=False)
@click.option("--title", help="Heading of the page.")
@with_options(ReportOptions, "options")
@reading_options
def report(
    files: tuple[str, ...],
    target: str,
    systems: tuple[str, ...],
    title: str | None,
    options: ReportOptions,
    reading: ReadingOptions,
) -> None:
    """Write one HTML page about CORPUS: agreement, figures, and the texts with the boundaries of every coder.

    CORPUS is one file with all coders, or one file per coder. The page is a single file that needs no network. Items that
    cannot be used are listed in the page and on standard error, the rest are used, and the exit code is 1.
    """
    from caesura.views.page.build import build_report, write_page

    corpus, system_files = reading.read_with_systems(files, systems)
    reading.require(corpus, "report on")
    people, annotations = split_systems(corpus, systems, system_files) if systems else (corpus, None)
    with Progress("steps of the report"):
        analyses, page = build_report(
            people, options, systems=cast(Systems | None, annotations), settings=reading.settings, title=title
        )
    write_page(page, target)
    click.echo(f"{target}: {len(page.encode()) / 1e6:.2f} MB", err=True)
    excluded = all_excluded(analyses, reading)
    if excluded:
        fail([str(entry) for entry in excluded])
