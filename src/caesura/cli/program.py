"""The main program: the list of commands, their help, and the handling of errors.

``caesura --help`` must be fast. This module therefore imports neither numpy nor any other part of the package that does.
"""

from __future__ import annotations

import gc
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from caesura.errors import AmbiguousFileError, CaesuraError, FormatError, OptionConflictError, own_errors
from caesura.notices import on_warning
from caesura.version import __version__

if TYPE_CHECKING:
    from caesura.model.corpus import Corpus

# Keys of the click context under which a command stores its checkpoint folder, its reading errors and its progress.
CHECKPOINT, ERRORS, PROGRESS = "caesura.checkpoint", "caesura.errors", "caesura.progress"
# Maximum number of excluded items that a command lists on standard error.
MAX_MESSAGES = 20
# For small matrices, the threads of BLAS only wait for each other.
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# A command makes many objects and few cycles, and the search for cycles took a sixth of its time.
_COLLECTION = (100_000, 50, 100)
# Options of reading that have a flag of their own; the others are values of ``--reading``.
_OWN_FLAGS = ("fields", "recipe", "encoding", "words", "labels", "types", "format", "pattern", "align")
# Options of coefficients -> their values in a hint that names none.
_OF_COEFFICIENTS = {"atom": "SIZE", "bounds": "(FIRST,LAST)"}
# Values in Python -> on the command line.
_VALUES = {"True": "yes", "False": "no", "": "...", "''": ""}
# A hint of the library, which names an option as Python does: ``read with align='tokens'``.
_HINT = re.compile(r"\b(with|use|set|choose|or|and|larger) (\w+)=('[^'\s]*'|[\w.]*\w|\.{3})?(?! \(--)(?![\w('\[{])")
_EXAMPLE = "set atom= to the length of an atom, such as atom=0.01"


class Entry(NamedTuple):
    """A command in the list of ``caesura --help``."""

    group: str  # heading above the command
    module: str  # module in this folder that defines the command; it is imported when the command is used
    summary: str  # line beside the name of the command


_FILES, _TWO, _CODERS = "What is in my files?", "How close are two segmentations?", "Do my coders agree?"
_SYSTEMS, _SHOW, _TRUST, _MORE = "Which segmenter is best?", "Show me", "Is this number right?", "More"

# Name -> command, in the order of ``caesura --help``.
COMMANDS = {
    "info": Entry(
        _FILES, "files", "Show what is in the files, how they were understood, and which command comes next."
    ),
    "score": Entry(_TWO, "score", "Say how close HYPOTHESIS is to REFERENCE."),
    "agree": Entry(_CODERS, "agree", "Say how far coders agree beyond chance."),
    "disagreements": Entry(_CODERS, "agree", "Say where coders disagree, and which disagreements matter most."),
    "pairwise": Entry(_CODERS, "agree", "Compare every coder with every coder, under any measure."),
    "gold": Entry(_CODERS, "gold", "Make one reference from several coders."),
    "similarity": Entry(_CODERS, "agree", "Say which boundary types experts confuse, as a matrix for S_f."),
    "plan": Entry(_CODERS, "study", "Say how many items and coders a study needs, from a pilot study."),
    "judge": Entry(
        _SYSTEMS, "judge", "Say which segmenter is best, whether it is luck, and whether it is as good as people."
    ),
    "curve": Entry(
        _SYSTEMS, "score", "Say how good boundary scores are at every threshold, and which threshold is best."
    ),
    "report": Entry(_SHOW, "pictures", "Write one HTML page about the corpus."),
    "open": Entry(_SHOW, "pictures", "Open the corpus in the browser, with parameters that you can change."),
    "plot": Entry(_SHOW, "pictures", "Draw a figure from the files."),
    "verify": Entry(_TRUST, "verify", "Say whether a number is right: recompute it from its signature."),
    "reproduce": Entry(
        _TRUST, "reproduce", "Say whether the papers behind the measures were right: recompute their tables."
    ),
    "reactions": Entry(_MORE, "study", "Say how the measures react to known errors, so that you can choose one."),
    "trees": Entry(_MORE, "trees", "Compare the trees in PREDICTED with those in GOLD, sentence by sentence."),
    "unify": Entry(_MORE, "gold", "Make one hierarchy from those of several coders, item by item."),
    "evaluate": Entry(_MORE, "score", "Score a collection of any size."),
    "convert": Entry(_MORE, "files", "Write the corpus in IN, a file, a folder or a glob, to OUT in another format."),
    "measures": Entry(_MORE, "listing", "List the measures, or describe one with its options and presets."),
    "formats": Entry(_MORE, "listing", "List the formats, or describe one with its options for --reading."),
    "demo": Entry(_MORE, "demo", "Show every part of the toolkit on data that ships with the package."),
}


_LAST_GROUPS = ("Reading", "Output", "Large data", "Options")  # groups of options that many commands have


class Command(click.Command):
    """A command whose help shows its options under the headings of their groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, click.Option):
                groups.setdefault(getattr(option, "group", "Options"), []).append(record)
        own = [heading for heading in groups if heading not in _LAST_GROUPS]
        for heading in (*own, *filter(groups.__contains__, _LAST_GROUPS)):
            with formatter.section(heading):
                formatter.write_dl(groups[heading])


class GroupedOption(click.Option):
    def __init__(self, *args: Any, group: str = "Options", **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.group = group


class Program(click.Group):
    """The group of all commands. Invalid input leads to a one-line message on standard error and exit code 1."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            import_module(f"caesura.cli.{COMMANDS[cmd_name].module}")
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name; suggest one for a misspelt name."""
        from difflib import get_close_matches

        close = get_close_matches(args[0], COMMANDS, 1)
        if args[0] not in COMMANDS and close:
            ctx.fail(f"there is no command {args[0]!r}; did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        for heading, entries in groupby(COMMANDS.items(), key=lambda entry: entry[1].group):
            formatter.write(f"\n{heading}\n")
            with formatter.indentation():
                formatter.write_dl([(name, entry.summary) for name, entry in entries], col_max=20)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the program. If the output cannot be written, one line on standard error says so."""
        for name in _BLAS_THREADS:  # before numpy is imported
            os.environ.setdefault(name, "1")
        threshold = gc.get_threshold()
        gc.set_threshold(*_COLLECTION)
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # the caller closed it: writing to it is an error, as to a full device
                setattr(sys, name, open(os.devnull))  # noqa: SIM115 - until the process ends
        try:
            try:
                return super().main(*args, **extra)
            finally:
                gc.set_threshold(*threshold)
                sys.stdout.flush()
        except _OutputError as error:
            _end_without_output(str(error))
        except OSError as error:
            _end_without_output(_reason(error))

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments, and print the help or the version if they ask for it."""
        with _writing():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and turn errors, warnings and interruptions into messages."""
        from caesura.files import protect_inputs

        print_once = cache(print_message)
        with on_warning(lambda message: print_once(f"warning: {message}")):
            try:
                with _writing(), own_errors("this command"), protect_inputs():
                    return super().invoke(ctx)
            except OptionConflictError as error:
                raise click.UsageError(str(error)) from None
            except CaesuraError as error:
                # Reading errors may explain why the rest could not be used.
                lines = _commands(error) if isinstance(error, AmbiguousFileError) else str(error).splitlines() or [""]
                others = [other for other in ctx.meta.get(ERRORS, ()) if other is not error]
                print_messages([*others, *lines[:-1]], lines[-1])
                ctx.exit(1)
            except KeyboardInterrupt:
                print_message(_interruption(ctx.meta))
                ctx.exit(130)


class _OutputError(Exception):
    """Raised when the output cannot be written. It is no ``OSError``, of which click hides some."""


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        raise _OutputError(_reason(error)) from None


def _reason(error: OSError) -> str:
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, BrokenPipeError):
        return "the output cannot be written: the program that reads it has ended"
    return f"the output cannot be written: {error.strerror or 'it is closed'}"


def _end_without_output(reason: str) -> NoReturn:
    # What could not be written is still in the buffer, and Python would try again at the end.
    sys.stdout = open(os.devnull, "r+")  # noqa: SIM115 - until the process ends
    try:
        click.echo(f"caesura: {reason}", err=True)
    except OSError:
        sys.stderr = open(os.devnull, "r+")  # noqa: SIM115 - until the process ends
    sys.exit(1)


def _interruption(meta: Mapping[str, Any]) -> str:
    status = f"stopped after {meta[PROGRESS]}" if PROGRESS in meta else "stopped"
    if CHECKPOINT not in meta:
        return status
    if meta[CHECKPOINT] is None:
        return f"{status}; no work was saved; use --checkpoint DIR so that the same command can continue after an interruption"
    return f"{status}; finished work is saved in {meta[CHECKPOINT]}; run the same command again to continue"


def _commands(error: AmbiguousFileError) -> list[str]:
    """Return the problem and, for each possible reading, the command that chooses it."""
    from caesura.formats.roles import check_fields, fields_text

    arguments: list[str] = []
    for argument in sys.argv[1:]:
        arguments += argument.split("=", 1) if argument.startswith("--fields=") else [argument]
    fields: dict[str, Any] = {}  # of all options ``--fields``, which become one
    while "--fields" in arguments[:-1]:
        i = arguments.index("--fields")
        fields |= check_fields("fields", arguments[i + 1])
        del arguments[i : i + 2]
    lines = [FormatError.__str__(error)]
    for description, options in error.choices:
        command = ["caesura", *arguments]
        if fields and not isinstance(options.get("fields"), Mapping):
            command += ["--fields", fields_text(fields)]
        for name, value in options.items():
            command += _reading_arguments(
                name, fields_text({**fields, **value}) if isinstance(value, Mapping) else value
            )
        lines.append(f"{description}: {shlex.join(command)}")
    return lines


def print_reading(corpus: Corpus) -> None:
    """Print how a corpus was read, and warnings about implausible data, on standard error."""
    from caesura.views.table import clean

    report = corpus.reading
    if report is not None and len(corpus):
        click.echo(clean(str(report)), err=True)
        for warning in report.warnings:
            print_message(f"warning: {warning}")


def print_message(message: str) -> None:
    from caesura.views.table import clean

    click.echo(f"caesura: {clean(for_command_line(message))}", err=True)


def print_messages(messages: Sequence[object], last: str) -> None:
    """Print each message once on standard error, but only the first ones if there are many."""
    distinct = [text for text in dict.fromkeys(map(str, messages)) if text != last]
    hidden = len(distinct) - MAX_MESSAGES
    more = [f"and {hidden:,} more"] if hidden > 0 else []
    for message in [*distinct[:MAX_MESSAGES], *more, *filter(None, [last])]:
        print_message(message)


def _reading_arguments(name: str, value: Any) -> list[str]:
    """Return the arguments that set one option of reading."""
    if name == "tiers":
        tiers = [value] if isinstance(value, str) else value
        return [word for tier in tiers for word in ("--tier", tier)]
    return [f"--{name}", str(value)] if name in _OWN_FLAGS else ["--reading", f"{name}={value}"]


def for_command_line(message: str) -> str:
    """Return a message whose hints name the options of commands instead of those of functions."""
    if "=" not in message:
        return message
    return _HINT.sub(_translate, message.replace(_EXAMPLE, "set atom=0.01, the length of an atom"))


def _translate(match: re.Match[str]) -> str:
    verb, name, value = match[1], match[2], match[3] or ""
    if name in _OF_COEFFICIENTS:
        return f"{verb.replace('set', 'use')} -c 'COEFFICIENT({name}={value or _OF_COEFFICIENTS[name]})'"
    if name not in _reading_options():
        return match[0]
    arguments = _reading_arguments(name, _VALUES.get(value, value.strip("'")))
    return " ".join([verb, *map(shlex.quote, arguments)])


@cache
def _reading_options() -> frozenset[str]:
    from caesura.formats.registry import formats  # imported here because ``caesura --help`` must be fast

    options = (option.name for format in formats().values() for option in format.options)
    return frozenset({*_OWN_FLAGS, "tiers", *options})


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="caesura")
def main() -> None:
    """Measure how well two or more segmentations of the same material agree.

    \b
    caesura info FILE shows what is in a file and which command comes next.
    caesura COMMAND --help explains a command with an example.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
