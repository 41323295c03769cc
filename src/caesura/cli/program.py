"""The command line as a whole: its commands, and what it does about errors, warnings and interruptions."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import click

from caesura.errors import CaesuraError, CaesuraWarning, OptionConflictError
from caesura.version import __version__

CHECKPOINT = "caesura.checkpoint"
"""Key of the click context under which a command keeps its checkpoint folder."""
ERRORS = "caesura.errors"
"""Key of the click context under which a command keeps what could not be read."""
PROGRESS = "caesura.progress"
"""Key of the click context under which a command keeps how far it is."""

COMMANDS = {
    "agree": ("agree", "Show how far coders agree beyond chance, and where they differ."),
    "convert": ("convert", "Write the corpus in IN, a file, a folder or a glob, to OUT in another format."),
    "demo": ("demo", "Show every part of the toolkit on data that ships with the package."),
    "evaluate": ("evaluate", "Score a collection of any size."),
    "formats": ("listing", "List the formats with their suffixes and their options for --reading."),
    "info": ("info", "Show what is in FILE, a file, a folder or a glob."),
    "judge": ("judge", "Judge segmenters: which is best, is the difference luck, and where does each go wrong?"),
    "measures": ("listing", "List the measures with their options and presets."),
    "plot": ("plot", "Make a figure of the files."),
    "report": ("report", "Write one HTML page about CORPUS."),
    "score": ("score", "Compare HYPOTHESIS with REFERENCE and print the scores over all items."),
    "trees": ("trees", "Compare the trees in PREDICTED with those in GOLD, sentence by sentence."),
    "unify": ("unify", "Make one hierarchy from those of several coders, item by item."),
}
"""Command -> its module in this folder, and the line that ``caesura --help`` shows. Modules are imported when used."""


class Program(click.Group):
    """The group of all commands. Bad input is one line on standard error and exit code 1, never a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands.

        Parameters
        ----------
        ctx : click.Context
            The context of the program.

        Returns
        -------
        list of str
            The names in alphabetical order.
        """
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command.

        Parameters
        ----------
        ctx : click.Context
            The context of the program.
        cmd_name : str
            Name of the command.

        Returns
        -------
        click.Command or None
            The command; None if there is no such command.
        """
        if cmd_name in COMMANDS:
            import_module(f"caesura.cli.{COMMANDS[cmd_name][0]}")
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them.

        Parameters
        ----------
        ctx : click.Context
            The context of the program.
        formatter : click.HelpFormatter
            Where to write.
        """
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and turn errors, warnings and interruptions into messages.

        Parameters
        ----------
        ctx : click.Context
            The context of the program.

        Returns
        -------
        object
            What the command returns.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("always", CaesuraWarning)
            warnings.showwarning = _warning_printer()
            try:
                return super().invoke(ctx)
            except OptionConflictError as error:
                raise click.UsageError(str(error)) from None
            except CaesuraError as error:
                # What could not be read may be the reason why the rest could not be used.
                for message in dict.fromkeys([*map(str, ctx.meta.get(ERRORS, ())), *str(error).splitlines()]):
                    _print_message(message)
                ctx.exit(1)
            except KeyboardInterrupt:
                _print_message(_interruption(ctx.meta))
                ctx.exit(130)


def _print_message(message: str) -> None:
    from caesura.views.table import clean

    click.echo(f"caesura: {clean(message)}", err=True)


def _warning_printer() -> Callable[..., None]:
    """Return a function that prints each warning once, in one line."""
    printed: set[str] = set()

    def print_warning(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in printed:
            printed.add(str(message))
            _print_message(f"warning: {message}")

    return print_warning


def _interruption(meta: Mapping[str, Any]) -> str:
    """Return the message for a command that was stopped."""
    status = f"stopped after {meta[PROGRESS]}" if PROGRESS in meta else "stopped"
    if CHECKPOINT not in meta:
        return status
    if meta[CHECKPOINT] is None:
        return f"{status}; nothing is kept; with --checkpoint DIR the same command would continue from here"
    return f"{status}; finished work is kept in {meta[CHECKPOINT]}, and the same command continues from there"


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="caesura")
def main() -> None:
    """How well do two or more segmentations of the same thing agree?"""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
