"""How a command prints its result: tables, or JSON in one envelope; what was excluded goes to standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from caesura.model.result import Excluded, Result, to_json, to_plain
from caesura.tasks.reading import ReadingOptions
from caesura.version import __version__
from caesura.views.table import Table, clean

if TYPE_CHECKING:
    from rich.console import Console

Block = Table | str
"""What a command prints: a table, or text that only a terminal shows."""


def print_result(
    command: str,
    result: Result | dict[str, Any] | None,
    blocks: Iterable[Block],
    *,
    output: str | None,
    reading: ReadingOptions | None = None,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Print a result, list what was excluded, and end with exit code 1 if anything was.

    Parameters
    ----------
    command : str
        Name of the command.
    result : Result, dict or None
        The result, for JSON.
    blocks : iterable of Table or str
        The result for people. Text is printed on a terminal only, not with ``--csv`` and the like.
    output : str or None
        ``"json"``, ``"csv"``, ``"latex"``, ``"markdown"``, or None for tables on a terminal.
    reading : ReadingOptions, optional
        How the files were read, with what could not be read.
    extra : mapping, optional
        Further results, for JSON.
    """
    excluded = all_excluded(result, reading)
    if output == "json":
        whole = envelope(command, result, reading=reading, excluded=excluded)
        whole["results"] |= extra or {}
        click.echo(to_json(whole))
    else:
        print_blocks(blocks, output)
    if excluded:
        fail([str(entry) for entry in excluded])


def all_excluded(result: Result | dict[str, Any] | None, reading: ReadingOptions | None) -> tuple[Excluded, ...]:
    """Return what could not be read and what the result excludes, each once.

    Parameters
    ----------
    result : Result, dict or None
        The result.
    reading : ReadingOptions or None
        How the files were read.

    Returns
    -------
    tuple of Excluded
        Everything that is missing from the result.
    """
    unread = () if reading is None else reading.excluded
    return tuple(dict.fromkeys((*unread, *getattr(result, "excluded", ()))))


def envelope(
    command: str,
    result: Result | dict[str, Any] | None,
    *,
    reading: ReadingOptions | None = None,
    excluded: Sequence[Excluded] = (),
) -> dict[str, Any]:
    """Return the JSON envelope that every command prints with ``--json``.

    Parameters
    ----------
    command : str
        Name of the command.
    result : Result, dict or None
        The result.
    reading : ReadingOptions, optional
        How the files were read.
    excluded : sequence of Excluded
        What is missing from the result.

    Returns
    -------
    dict
        ``command``, ``version``, ``data``, ``reading``, ``results``, ``excluded``, ``signature``.
    """
    return {
        "command": command,
        "version": __version__,
        "data": None,
        "reading": [] if reading is None else reading.summaries,
        "results": _without_repetition(result),
        "excluded": excluded,
        "signature": getattr(result, "signature", None),
    }


def _without_repetition(result: Result | dict[str, Any] | None) -> Any:
    """Return the result as plain data, without what the envelope says already."""
    plain = to_plain(result)
    return {name: value for name, value in plain.items() if name != "excluded"} if isinstance(result, Result) else plain


def print_blocks(blocks: Iterable[Block], output: str | None) -> None:
    """Print tables and texts with an empty line between them.

    Parameters
    ----------
    blocks : iterable of Table or str
        What to print.
    output : str or None
        Form of the tables. Texts are printed on a terminal only.
    """
    chosen = [block for block in blocks if output is None or isinstance(block, Table)]
    for i, block in enumerate(chosen):
        if i:
            click.echo()
        if isinstance(block, str):
            click.echo(block)
        else:
            print_table(block, output)


def print_table(table: Table, output: str | None) -> None:
    """Print one table.

    Parameters
    ----------
    table : Table
        The table.
    output : str or None
        ``"csv"``, ``"latex"``, ``"markdown"``, or None for a terminal.
    """
    if output is None:
        table.print(console())
        return
    if output == "latex" and table.title:
        click.echo(f"% {table.title}")
    click.echo({"csv": table.csv, "latex": table.latex, "markdown": table.markdown}[output](), nl=False)


def console() -> Console:
    """Return a console as wide as the terminal, or wide enough for most tables if the output is a file.

    Returns
    -------
    rich.console.Console
        The console.
    """
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def fail(messages: Sequence[str]) -> None:
    """Print each message once on standard error, and end the command with exit code 1.

    Parameters
    ----------
    messages : sequence of str
        What is wrong.
    """
    for message in dict.fromkeys(messages):
        click.echo(f"caesura: {clean(message)}", err=True)
    click.get_current_context().exit(1)
