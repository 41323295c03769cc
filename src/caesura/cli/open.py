"""The command ``caesura open``: the page of a report, live in the browser."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import click

from caesura.cli.options import reading_options, systems_option, with_options
from caesura.cli.program import main, print_messages
from caesura.cli.progress import Progress
from caesura.errors import OptionError
from caesura.judging.participants import Systems
from caesura.options import OptionSet, setting, switch, text, whole
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.report_subject import ReportOptions
from caesura.tasks.systems import split_systems
from caesura.tasks.workbench import Material, Workbench
from caesura.views.answers.files import excluded_lines


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

    with Progress("steps of the analysis"):
        workbench = Workbench(load, options, title=server.title, paths=files)
    excluded = (*workbench.material.excluded, *workbench.report.excluded)
    print_messages(excluded_lines(excluded), workbench.report.details_note)
    serve(workbench, port=server.port, browser=not server.no_browser, announce=click.echo)
    click.echo("the server has ended")
    if excluded:
        click.get_current_context().exit(1)
