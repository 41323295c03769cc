"""The commands that show a corpus: ``caesura plot`` (figures), ``report`` (one HTML page), ``open`` (the page, live)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import click

from caesura.cli.options import reading_options, systems_option, with_options
from caesura.cli.output import OutputOptions, list_excluded, print_blocks
from caesura.cli.program import main, print_messages
from caesura.cli.progress import Progress
from caesura.errors import OptionError
from caesura.judging.participants import Systems
from caesura.options import OptionSet, number, path, setting, switch, text, whole
from caesura.tasks.figures import KINDS, FigureOptions, figure_kind, read_figure_source
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.report_subject import ReportOptions
from caesura.tasks.systems import split_systems
from caesura.views.answers.files import excluded_lines
from caesura.views.table import Table


@dataclass(frozen=True)
class PlotCommand(OptionSet):
    """Output file and appearance of the figure."""

    target: str | None = setting(
        None, path, "File to write, ending in .svg, .pdf or .png (default: KIND.svg).", flags=("-o", "--output")
    )
    list_kinds: bool = switch(
        "List the kinds of figures, what each needs and which options it takes.", flags=("--list",)
    )
    width: float | None = setting(
        None, number(1, 40), "Width in inches (default: a column of a paper, in most figures)."
    )
    title: str | None = setting(None, text, "Title above the figure (default: none; papers have captions).")


@main.command()
@click.argument("kind", metavar="KIND", required=False)
@click.argument("files", metavar="CORPUS...", nargs=-1, type=click.Path())
@with_options(PlotCommand, "command", "Output")
@with_options(FigureOptions, "options", "Measures")
@reading_options
def plot(
    kind: str | None, files: tuple[str, ...], command: PlotCommand, options: FigureOptions, reading: ReadingOptions
) -> None:
    """Draw a figure from the files. The suffix of the output file determines its format.

    `caesura plot --list` shows the kinds of figures and what each needs. Items that cannot be used are listed, the figure
    shows the rest, and the exit code is 1.

    \b
    Example:
      caesura plot pairwise people.json -o pairwise.svg
    """
    from caesura.views import figures
    from caesura.views.figures.canvas import format_of, save

    if command.list_kinds:
        rows = tuple((kind.name, kind.description, kind.needs, kind.flags) for kind in KINDS.values())
        print_blocks([Table(("kind", "what it shows", "needs", "options"), rows)], OutputOptions().width)
        return
    figure = figure_kind(kind)
    figure.check(files, options)
    target = command.target or f"{figure.name}.svg"
    format_of(target)
    source = read_figure_source(figure.source, files, options, reading)
    with Progress():
        arguments, excluded = figure.compute(source, options)
    style = {"title": command.title} | ({} if command.width is None else {"width": command.width})
    save(getattr(figures, figure.name)(*arguments, **style), target)
    click.echo(target, err=True)
    list_excluded((*reading.excluded, *excluded))


@dataclass(frozen=True)
class PageOptions(OptionSet):
    """Output file and heading of the page."""

    target: str = setting("report.html", path, "File to write the page to.", flags=("-o", "--output"))
    title: str | None = setting(None, text, "Heading of the page.")


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@with_options(PageOptions, "page_options", "Output")
@systems_option(required=False)
@with_options(ReportOptions, "options", "Measures")
@reading_options
def report(
    files: tuple[str, ...],
    page_options: PageOptions,
    systems: tuple[str, ...],
    options: ReportOptions,
    reading: ReadingOptions,
) -> None:
    """Write one HTML page about the corpus: agreement, figures, and the texts with the boundaries of every coder.

    CORPUS is one file with all coders, or one file per coder. The page is a single file that needs no network. Items that
    cannot be used are listed in the page and on standard error, the rest are used, and the exit code is 1.

    \b
    Example:
      caesura report people.json -o report.html
    """
    from caesura.views.figures.canvas import write_file
    from caesura.views.page.build import build_report

    corpus, system_files = reading.read_with_systems(files, systems)
    reading.require(corpus, "report on")
    human_corpus, annotations = split_systems(corpus, systems, system_files) if systems else (corpus, None)
    with Progress():
        analyses, page = build_report(
            human_corpus,
            options,
            systems=cast(Systems | None, annotations),
            settings=reading.settings,
            title=page_options.title,
        )
    write_file(page.encode(), page_options.target)
    click.echo(f"wrote {page_options.target} ({len(page.encode()) / 1e6:.2f} MB); open it in a browser", err=True)
    print_messages([], analyses.details_note)
    list_excluded((*reading.excluded, *analyses.excluded))


@dataclass(frozen=True)
class ServerOptions(OptionSet):
    """Address and heading of the page."""

    port: int = setting(0, whole(0, 65535), "Port of the server on this machine (default: any free port).")
    no_browser: bool = switch("Print the address, and do not open it in the browser.")
    title: str | None = setting(None, text, "Heading of the page.")


@main.command("open")
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@with_options(ServerOptions, "server", "Server")
@systems_option(required=False)
@with_options(ReportOptions, "options", "Measures")
@reading_options
def open_corpus(
    files: tuple[str, ...],
    server: ServerOptions,
    systems: tuple[str, ...],
    options: ReportOptions,
    reading: ReadingOptions,
) -> None:
    """Open the corpus in the browser, with parameters that you can change.

    CORPUS is one file with all coders, a folder or glob, or one file per coder. The page is that of `caesura report`. It
    comes from a small server that only this machine can reach; nothing is sent anywhere else. Ctrl-C ends it.

    \b
    Examples:
      caesura open people.json
      caesura open people.json --no-browser --port 8765
    """
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise OptionError(f"`caesura open` needs {package}, which is not installed; pip install 'caesura[open]'")
    from caesura.server.run import serve
    from caesura.tasks.workbench import Material, Workbench

    def load() -> Material:
        fresh = replace(reading, errors=[], corpora=[])
        if any(Path(name).exists() for name in systems):
            corpus, system_files = fresh.read_with_systems(files, systems)
        else:  # times are kept, so that the page has an axis of seconds and sound
            corpus, system_files = fresh.read_in_seconds(files), {}
        fresh.require(corpus, "open")
        people, annotations = split_systems(corpus, systems, system_files) if systems else (corpus, None)
        names = [name for entry in fresh.corpora if entry.source is not None for name in entry.source.files]
        names += [] if fresh.settings_file is None else [fresh.settings_file]
        return Material(people, cast(Systems | None, annotations), fresh.settings, fresh.excluded, tuple(names))

    with Progress():
        workbench = Workbench(load, options, title=server.title, paths=files)
    excluded = (*workbench.material.excluded, *workbench.report.excluded)
    print_messages(excluded_lines(excluded), workbench.report.details_note)
    serve(workbench, port=server.port, browser=not server.no_browser, announce=click.echo)
    click.echo("the server has ended")
    if excluded:
        click.get_current_context().exit(1)
