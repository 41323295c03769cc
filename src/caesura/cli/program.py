"""The main program: the list of commands, the output of results and progress, and the handling of errors."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import cache
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

import click

from caesura.errors import AmbiguousFileError, CaesuraError, CaesuraWarning, FormatError, OptionConflictError
from caesura.formats.roles import check_fields, fields_text
from caesura.model.result import Result, to_json, to_plain
from caesura.progress import on_progress
from caesura.version import __version__

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress

    from caesura.evaluation.result import EvaluationProgress
    from caesura.model.corpus import Corpus
    from caesura.tasks.prepare import ReadingOptions
    from caesura.views.table import Table

CHECKPOINT = "caesura.checkpoint"
"""Key of the click context under which a command stores its checkpoint folder."""
ERRORS = "caesura.errors"
"""Key of the click context under which a command stores its reading errors."""
_OWN_FLAGS = ("fields", "recipe", "encoding", "words", "labels", "types", "format", "pattern", "align")
PROGRESS = "caesura.progress"
"""Key of the click context under which a command stores its progress."""
MAX_MESSAGES = 20
"""Maximum number of excluded items that a command lists on standard error."""

COMMANDS = {
    "agree": ("agree", "Show how far coders agree beyond chance, and where they differ."),
    "convert": ("files", "Write the corpus in IN, a file, a folder or a glob, to OUT in another format."),
    "demo": ("demo", "Show every part of the toolkit on data that ships with the package."),
    "evaluate": ("score", "Score a collection of any size."),
    "formats": ("listing", "List the formats with their suffixes and their options for --reading."),
    "info": ("files", "Show what is in FILE, a file, a folder or a glob."),
    "judge": ("agree", "Compare segmenters with human coders and with each other, with significance tests."),
    "measures": ("listing", "List the measures with their options and presets."),
    "plot": ("pictures", "Draw a figure from the files."),
    "report": ("pictures", "Write one HTML page about CORPUS."),
    "score": ("score", "Compare HYPOTHESIS with REFERENCE and print the scores over all items."),
    "trees": ("trees", "Compare the trees in PREDICTED with those in GOLD, sentence by sentence."),
    "unify": ("trees", "Make one hierarchy from those of several coders, item by item."),
}
"""Command -> its module in this folder, and the line that ``caesura --help`` shows. Modules are imported when used."""


class Program(click.Group):
    """The group of all commands. Invalid input leads to a one-line message on standard error and exit code 1."""

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
        """Import and return a command.

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
            The formatter that receives the list.
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
            The return value of the command.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("always", CaesuraWarning)
            print_once = cache(_print_message)
            warnings.showwarning = lambda message, *_, **__: print_once(f"warning: {message}")
            try:
                return super().invoke(ctx)
            except OptionConflictError as error:
                raise click.UsageError(str(error)) from None
            except CaesuraError as error:
                # Reading errors may explain why the rest could not be used.
                lines = _commands(error) if isinstance(error, AmbiguousFileError) else str(error).splitlines() or [""]
                others = [other for other in ctx.meta.get(ERRORS, ()) if other is not error]
                _print_messages([*others, *lines[:-1]], lines[-1])
                ctx.exit(1)
            except KeyboardInterrupt:
                _print_message(_interruption(ctx.meta))
                ctx.exit(130)


def _commands(error: AmbiguousFileError) -> list[str]:
    """Return the problem and, for each possible reading, the command that chooses it."""
    arguments, fields = _split_fields(sys.argv[1:])
    lines = [FormatError.__str__(error)]
    for description, options in error.choices:
        command = ["caesura", *arguments]
        if fields and not isinstance(options.get("fields"), Mapping):
            command += ["--fields", fields_text(fields)]
        for name, value in options.items():
            if isinstance(value, Mapping):
                value = fields_text({**fields, **value})
            if name == "tiers":
                command += [
                    word for tier in ([value] if isinstance(value, str) else value) for word in ("--tier", tier)
                ]
            else:
                command += [f"--{name}", str(value)] if name in _OWN_FLAGS else ["--reading", f"{name}={value}"]
        lines.append(f"{description}: {shlex.join(command)}")
    return lines


def _split_fields(arguments: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Return the arguments of a command without its options ``--fields``, and the fields."""
    others: list[str] = list(arguments)
    fields: dict[str, Any] = {}
    while "--fields" in others[:-1]:
        i = others.index("--fields")
        fields |= check_fields("fields", others[i + 1])
        del others[i : i + 2]
    return others, fields


def print_reading(corpus: Corpus) -> None:
    """Print how a corpus was read, and warnings about implausible data, on standard error.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    """
    from caesura.views.table import clean

    report = corpus.reading
    if report is not None and len(corpus):
        click.echo(clean(str(report)), err=True)
        for warning in report.warnings:
            _print_message(f"warning: {warning}")


def _print_message(message: str) -> None:
    from caesura.views.table import clean

    click.echo(f"caesura: {clean(message)}", err=True)


def _print_messages(messages: Sequence[object], last: str) -> None:
    """Print each message once, but only the first ones if there are many; always print the last one."""
    distinct = [text for text in dict.fromkeys(map(str, messages)) if text != last]
    hidden = len(distinct) - MAX_MESSAGES
    more = [f"and {hidden:,} more"] if hidden > 0 else []
    for message in [*distinct[:MAX_MESSAGES], *more, *filter(None, [last])]:
        _print_message(message)


def _interruption(meta: Mapping[str, Any]) -> str:
    """Return the message for an interrupted command."""
    status = f"stopped after {meta[PROGRESS]}" if PROGRESS in meta else "stopped"
    if CHECKPOINT not in meta:
        return status
    if meta[CHECKPOINT] is None:
        return f"{status}; no work was saved; use --checkpoint DIR so that the same command can continue after an interruption"
    return f"{status}; finished work is saved in {meta[CHECKPOINT]}; run the same command again to continue"


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="caesura")
def main() -> None:
    """Measure how well two or more segmentations of the same material agree."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def print_result(
    command: str,
    result: Result | dict[str, Any],
    blocks: Iterable[Table | str],
    *,
    output: str | None,
    reading: ReadingOptions | None = None,
    extra: Mapping[str, Any] | None = None,
    summary: str = "",
) -> None:
    """Print a result, with ``--json`` in an envelope, and list the excluded items; the exit code is 1 if there are any.

    Parameters
    ----------
    command : str
        Name of the command.
    result : Result or dict
        The result, for JSON.
    blocks : iterable of Table or str
        The result as tables and text. Text is printed on a terminal only, not with ``--csv`` or similar options.
    output : str or None
        ``"json"``, ``"csv"``, ``"latex"``, ``"markdown"``, or None for tables on a terminal.
    reading : ReadingOptions, optional
        Options of reading, and the reading errors.
    extra : mapping, optional
        Further results, for JSON.
    summary : str, optional
        Message after the list of excluded items.
    """
    unread = () if reading is None else reading.excluded
    excluded = tuple(dict.fromkeys((*unread, *getattr(result, "excluded", ()))))
    if output == "json":
        plain = to_plain(result)
        if isinstance(result, Result):
            plain.pop("excluded", None)  # the envelope contains it
        envelope = {
            "command": command,
            "version": __version__,
            "data": None,
            "reading": [] if reading is None else reading.reports,
            "results": plain | (extra or {}),
            "excluded": excluded,
            "signature": getattr(result, "signature", None),
        }
        click.echo(to_json(envelope))
    else:
        print_blocks(blocks, output)
    list_excluded(excluded, summary)


def print_blocks(blocks: Iterable[Table | str], output: str | None) -> None:
    """Print tables and texts with an empty line between them.

    Parameters
    ----------
    blocks : iterable of Table or str
        The tables and texts.
    output : str or None
        ``"csv"``, ``"latex"``, ``"markdown"``, or None for a terminal. Texts are printed on a terminal only.
    """
    chosen = [block for block in blocks if output is None or not isinstance(block, str)]
    for i, block in enumerate(chosen):
        if i:
            click.echo()
        if isinstance(block, str):
            click.echo(block)
        elif output is None:
            block.print(console())
        else:
            if output == "latex" and block.title:
                click.echo(f"% {block.title}")
            click.echo({"csv": block.csv, "latex": block.latex, "markdown": block.markdown}[output](), nl=False)


def console() -> Console:
    """Return a console with the width of the terminal, or with a fixed width if the output is a file.

    Returns
    -------
    rich.console.Console
        The console.
    """
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def list_excluded(entries: Sequence[object], summary: str = "") -> None:
    """List what was excluded on standard error; then end the command with exit code 1.

    Parameters
    ----------
    entries : sequence
        Excluded items. Duplicates are listed once. If there are many, only the first ones are listed, with the number of
        the others. If there are none, this function does nothing.
    summary : str, optional
        A last message.
    """
    if entries:
        _print_messages(entries, summary)
        click.get_current_context().exit(1)


# -- progress ---------------------------------------------------------------------------------------------------------

LINE_INTERVAL = 5.0
"""Seconds between two lines of progress if there is no terminal."""


class Progress:
    """Progress on standard error, as reported by ``report_progress`` inside the ``with`` block of this object.

    A terminal shows a bar; without a terminal, there is a line every few seconds. The first step starts the display, so
    work without steps shows nothing.

    Parameters
    ----------
    steps : str
        Name of the steps, in the plural.
    """

    def __init__(self, steps: str) -> None:
        self.steps = steps
        self.finished = 0
        self.started = self.last_step = self.last_line = monotonic()
        self._on_terminal = sys.stderr.isatty()
        self._bar: RichProgress | None = None
        self._subscription = on_progress(self.update, with_detail=True)

    def __enter__(self) -> Self:
        self._subscription.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._subscription.__exit__(*error)
        if self._bar is not None:
            self._bar.stop()

    def update(self, finished: int, total: int | None, detail: EvaluationProgress | None = None) -> None:
        """Show the number of finished steps. If the number decreases, a new run has begun.

        Parameters
        ----------
        finished : int
            Number of finished steps.
        total : int or None
            Total number of steps, if it is known.
        detail : EvaluationProgress, optional
            Number and speed of documents, if the steps are partitions of a collection.
        """
        if finished < self.finished:
            self.started = self.last_step
        self.finished, self.last_step = finished, monotonic()
        if detail is not None:
            speed = _pace(detail.documents - detail.resumed_documents, detail.seconds, detail.seconds_left)
            speed = f"{detail.documents:,} documents, {speed}"
        else:
            seconds = self.last_step - self.started
            remaining = seconds / finished * (total - finished) if finished and total is not None else None
            speed = _pace(finished, seconds, remaining)
        status = f"{finished:,}{'' if total is None else f' of {total:,}'} {self.steps}"
        click.get_current_context().meta[PROGRESS] = status
        if self._on_terminal:
            self._bar = self._bar or self._new_bar()
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=finished, total=total, description=f"{status}, {speed}")
        elif monotonic() - self.last_line >= LINE_INTERVAL:
            self.last_line = monotonic()
            click.echo(f"caesura: {status}, {speed}", err=True)

    def _new_bar(self) -> RichProgress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        description = TextColumn("{task.description}")
        bar = Progress(BarColumn(), description, console=Console(stderr=True), transient=True)
        bar.add_task("", total=None)
        bar.start()
        return bar


def _pace(finished: int, seconds: float, remaining: float | None) -> str:
    """Return speed and remaining time as text: ``"1,200 per second, 0:01:10 left"``."""
    rate = finished / seconds if seconds > 0 else 0.0
    speed = f"{rate:,.0f} per second" if rate >= 10 else f"{rate:.1f} per second"
    return speed if remaining is None else f"{speed}, {timedelta(seconds=round(remaining))} left"
