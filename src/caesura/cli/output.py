"""The output of commands: on a terminal, as JSON, as one table, or as files in a folder."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from caesura.cli.options import grouped_option
from caesura.cli.program import print_message, print_messages
from caesura.errors import FormatError, OptionConflictError
from caesura.files import write_files
from caesura.model.plain import json_entries, json_pieces
from caesura.model.result import UNKNOWN_DATA, Result
from caesura.version import __version__
from caesura.views.answer import Answer
from caesura.views.answers.files import excluded_lines
from caesura.views.table import Block, Table, clean
from caesura.views.text_table import plain, table_text, wrap

if TYPE_CHECKING:
    from caesura.tasks.reading import ReadingOptions

F = TypeVar("F", bound=Any)

# Columns of output that does not go to a terminal, and of the narrowest terminal for which tables are laid out.
DEFAULT_WIDTH, MIN_WIDTH = 80, 20
# Format of a table -> suffix of its file.
SUFFIXES = {"csv": "csv", "latex": "tex", "markdown": "md"}

_option = partial(grouped_option, "Output")


@dataclass(frozen=True)
class OutputOptions:
    format: str | None = None  # ``"json"``, ``"csv"``, ``"latex"`` or ``"markdown"``; None for text
    table: str | None = None  # name of the only table to print
    folder: str | None = None  # folder for one file per table
    details: bool = False  # whether to print every table and drawing
    raw: bool = False  # whether CSV has cells as they are, even if a spreadsheet would run them as formulas

    @property
    def width(self) -> int:
        """Columns of the terminal; of a pipe or file, what ``COLUMNS`` says, or 80."""
        if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit():
            return max(MIN_WIDTH, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns)
        return DEFAULT_WIDTH


def output_options(command: F) -> F:
    """Add the options that choose how a command prints its result."""
    description = "Write every table to this folder, one file each."
    folder = _option("--output", "folder", metavar="DIR", type=click.Path(file_okay=False), help=description)
    return folder(table_options(command))


def table_options(command: F) -> F:
    """Add the options of ``output_options`` except ``--output``, for commands whose output is a file."""

    @_option("--json", "output_format", flag_value="json", help="Print JSON with everything.")
    @_option("--csv", "output_format", flag_value="csv", help="Print one table as comma-separated values.")
    @_option("--markdown", "output_format", flag_value="markdown", help="Print one table in Markdown.")
    @_option("--latex", "output_format", flag_value="latex", help="Print one table in LaTeX.")
    @_option("--table", metavar="NAME", help="Print only this table.")
    @_option("--raw", is_flag=True, help="Do not mark text in CSV that a spreadsheet would run as a formula.")
    @_option("--details", is_flag=True, help="Print every table and drawing.")
    @wraps(command)
    def wrapped(*args: Any, output_format: str | None, folder: str | None = None, **values: Any) -> Any:
        own = {name: values.pop(name) for name in ("table", "details", "raw")}
        return command(*args, output=OutputOptions(output_format, folder=folder, **own), **values)

    return cast(F, wrapped)


def print_result(
    command: str,
    result: Result | dict[str, Any],
    answer: Answer,
    *,
    output: OutputOptions,
    reading: ReadingOptions | None = None,
    extra: Mapping[str, Any] | None = None,
    summary: str = "",
) -> None:
    """Print a result, and list the excluded items; the exit code is 1 if there are any."""
    unread = () if reading is None else reading.excluded
    excluded = tuple(dict.fromkeys((*unread, *getattr(result, "excluded", ()))))
    if output.format == "json":
        entries = dict(result) if isinstance(result, dict) else json_entries(result)
        entries.pop("excluded", None)  # the envelope contains it
        envelope = {
            "command": command,
            "version": __version__,
            "data": _fingerprint(result, reading),
            "reading": [] if reading is None else reading.reports,
            "results": {**entries, **(extra or {})},
            "excluded": excluded,
            "signature": getattr(result, "signature", None),
        }
        pieces = chain(json_pieces(envelope), "\n")
        if output.folder:
            _write_files({f"{command}.json": pieces}, output.folder)
        else:
            for piece in pieces:
                click.echo(piece, nl=False)
    elif output.folder is not None:
        print_text(answer.text, output.width)
        tables = {output.table: answer.table(output.table)} if output.table else answer.tables()
        suffix = SUFFIXES[output.format or "csv"]
        _write_files({f"{name}.{suffix}": [_encoded(table, output)] for name, table in tables.items()}, output.folder)
    elif output.format is not None:
        click.echo(_encoded(answer.table(output.table), output), nl=False)
        others = [section.name for section in answer.sections[1:] if section.shown and not section.is_drawing]
        if others and output.table is None:
            print_message(f"--{output.format} prints one table; for another, add --table {' or '.join(others)}")
    elif output.table is not None:
        print_blocks([replace(answer.table(output.table), limit=None)], output.width)
    else:
        print_answer(answer, output)
    list_excluded(excluded, summary)


def _fingerprint(result: Result | dict[str, Any], reading: ReadingOptions | None) -> str | None:
    """Return the fingerprint of the data: that of the result, or of the only corpus, if all of it was read."""
    if isinstance(result, Result) and result.data is not None:
        return result.data if result.data != UNKNOWN_DATA else None
    corpora = () if reading is None else [corpus for corpus in reading.corpora if len(corpus)]
    if len(corpora) != 1 or (corpora[0].source is not None and corpora[0].source.rows is not None):
        return None
    return corpora[0].fingerprint


def print_answer(answer: Answer, output: OutputOptions) -> None:
    """Print sentences, main table, requested sections, and a line about what else can be had."""
    if answer.text:
        print_text(answer.text + "\n", output.width)
    print_blocks(answer.blocks(details=output.details), output.width)
    more = answer.last_line(details=output.details)
    if more:
        print_text("\n" + more, output.width)


def print_text(text: str, width: int) -> None:
    """Print paragraphs, broken between words."""
    for line in text.split("\n"):
        click.echo("\n".join(wrap(clean(line), width)))


def print_blocks(blocks: Iterable[Block], width: int) -> None:
    """Print tables and texts with an empty line between them."""
    style = (lambda text, name: click.style(text, **{name: True})) if sys.stdout.isatty() else plain
    for i, block in enumerate(blocks):
        if i:
            click.echo()
        click.echo(block if isinstance(block, str) else table_text(block, width, style))


def _encoded(table: Table, output: OutputOptions) -> str:
    if output.format in ("latex", "markdown"):
        return {"latex": table.latex, "markdown": table.markdown}[output.format]()
    return table.csv(raw=output.raw)


def _write_files(files: Mapping[str, Iterable[str]], folder: str) -> None:
    """Write the pieces of every file completely or not at all, and name it on standard error."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        write_files(
            {Path(folder, name): (text.encode("utf-8", "replace") for text in texts) for name, texts in files.items()}
        )
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):  # no wrong usage
            raise FormatError(folder, None, f"cannot be written: {error.strerror}") from None
        raise OptionConflictError(
            f"--output: {folder}: {error.strerror}; choose a folder that can be written"
        ) from None
    for name in files:
        click.echo(str(Path(folder, name)), err=True)


def list_excluded(entries: Sequence[object], summary: str = "") -> None:
    """List what was excluded on standard error; then end the command with exit code 1."""
    if entries:
        print_messages(excluded_lines(entries), summary)
        click.get_current_context().exit(1)
