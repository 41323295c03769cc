"""The command ``caesura reproduce``: the tables and figures of the papers behind the measures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from caesura.cli.options import with_options
from caesura.cli.output import OutputOptions, print_result, table_options
from caesura.cli.program import main
from caesura.cli.progress import Progress
from caesura.errors import OptionConflictError
from caesura.options import OptionSet, path, setting, switch
from caesura.tasks.reproduce import ReproduceOptions, Reproductions, list_displays
from caesura.tasks.reproduce import reproduce as reproduce_displays
from caesura.views.figures.canvas import save, write_file
from caesura.views.reproduce import display, list_view, reproductions_page, reproductions_view


@dataclass(frozen=True)
class ReproduceCommand(OptionSet):
    """What to compute and where to write it."""

    everything: bool = switch("Compute every table and figure.", flags=("--all",))
    target: str | None = setting(
        None,
        path,
        "Folder for a page with all of them; or, with one NAME, file for its figure (.svg, .pdf, .png).",
        flags=("-o", "--output"),
    )


@main.command()
@click.argument("names", metavar="NAME...", nargs=-1)
@with_options(ReproduceCommand, "command", "Output")
@with_options(ReproduceOptions, "options", "Data")
@table_options
def reproduce(
    names: tuple[str, ...], command: ReproduceCommand, options: ReproduceOptions, output: OutputOptions
) -> None:
    """Say whether the papers behind the measures were right: recompute their tables and figures.

    Without NAME, list all of them with the verdict. NAME is one of the list, or a paper. Every printed number is
    compared with ours by the definition and, if the paper used another convention, under the preset that stands for it.

    \b
    Example:
      caesura reproduce fournier2013-stargazer
      caesura reproduce --all -o record
    """
    if names and command.everything:
        raise OptionConflictError(f"--all computes everything; leave it out, or leave out {names[0]}")
    if not names and not command.everything:
        if command.target is not None:
            raise OptionConflictError("-o needs --all or a NAME")
        listed = list_displays(options)
        print_result("reproduce", listed, list_view(listed), output=output)
        return
    with Progress():
        result = reproduce_displays(names, options)
    if command.target is not None:
        _write(result, command.target)
    print_result("reproduce", result, reproductions_view(result), output=output)


def _write(result: Reproductions, target: str) -> None:
    """Write a page with all displays to a folder, or the figure of one display to a file."""
    if Path(target).suffix.lower() in (".svg", ".pdf", ".png"):
        figure = result.displays[0].figure if len(result.displays) == 1 else None
        if figure is None:
            raise OptionConflictError(f"-o {target}: there is not one figure; name a display that has one, or a folder")
        save(display(figure), target)
    else:
        Path(target).mkdir(parents=True, exist_ok=True)
        target = str(Path(target, "index.html"))
        write_file(reproductions_page(result).encode(), target)
    click.echo(target, err=True)
