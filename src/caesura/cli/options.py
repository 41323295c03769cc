"""Create command-line options from option sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import Field, dataclass, replace
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar, cast

import click

from caesura.cli.program import CHECKPOINT, ERRORS, PROGRESS, GroupedOption, print_reading
from caesura.cli.progress import Progress
from caesura.engines import ENGINES, Engine, use_engine
from caesura.errors import OptionConflictError, OptionError
from caesura.model.corpus import Corpus
from caesura.options import OptionSet, choice, flag, setting, suggest, text, whole
from caesura.tasks.reading import ReadingOptions

F = TypeVar("F", bound=Callable[..., Any])

# Number of words of an option that the help lists.
MAX_CHOICES = 8


class SuggestingChoice(click.Choice):  # type: ignore[type-arg]  # generic only since click 8.2
    """Type of a command-line value that is one of some words; if there are many, the error names the closest one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        known = [str(word) for word in self.choices]
        if len(known) > MAX_CHOICES and value not in known and get_close_matches(str(value), known, 1):
            self.fail(suggest("there is no", str(value), known), param, ctx)
        return super().convert(value, param, ctx)


class CheckedType(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    """Type of a command-line value that a validator of ``options.py`` checks."""

    def __init__(self, check: Callable[[str, Any], Any]) -> None:
        self.check = check
        self.value_type = getattr(check, "value_type", str)
        self.name = {int: "number", float: "number"}.get(self.value_type, "text")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and self.value_type in (int, float):
            with suppress(ValueError):
                value = self.value_type(value)
        try:
            return self.check(param.name or "value" if param else "value", value)
        except OptionError as error:
            self.fail(str(error), param, ctx)


def with_options(option_set: type[OptionSet], name: str, group: str = "Options") -> Callable[[F], F]:
    """Return a decorator that gives a command the options of an ``OptionSet``."""
    entries = option_set.declared()

    def decorate(command: F) -> F:
        @wraps(command)
        def wrapped(*args: Any, **values: Any) -> Any:
            own = {entry.name: values.pop(entry.name) for entry in entries}
            _check_needs(entries, own)
            return command(*args, **{name: option_set(**own)}, **values)

        result: Any = wrapped
        for entry in reversed(entries):
            result = _click_option(entry, group)(result)
        return cast(F, result)

    return decorate


def _flags(entry: Field[Any]) -> tuple[str, ...]:
    return entry.metadata["flags"] or (f"--{entry.name.replace('_', '-')}",)


def _check_needs(entries: Sequence[Field[Any]], values: Mapping[str, Any]) -> None:
    """Refuse an option on the command line that has no effect without another option."""
    longest_flag = {entry.name: max(_flags(entry), key=len) for entry in entries}
    context = click.get_current_context()
    for entry in entries:
        needed = entry.metadata["needs"]
        given = context.get_parameter_source(entry.name) is click.core.ParameterSource.COMMANDLINE
        if needed and given and not values[needed]:
            raise OptionConflictError(
                f"{longest_flag[entry.name]} has no effect without {longest_flag[needed]}; add it"
            )


def _click_option(entry: Field[Any], group: str) -> Callable[[F], F]:
    check, description = entry.metadata["check"], entry.metadata["description"]
    if check is flag:
        return grouped_option(group, *_flags(entry), entry.name, is_flag=True, default=entry.default, help=description)
    choices = getattr(check, "choices", ())
    kind: click.ParamType = SuggestingChoice(choices) if choices else CheckedType(check)  # type: ignore[type-arg]
    multiple = entry.metadata["multiple"]
    default = None if multiple else entry.default
    metavar = "NAME" if len(choices) > MAX_CHOICES else None
    look = {"metavar": metavar, "multiple": multiple, "show_default": default is not None, "help": description}
    return grouped_option(group, *_flags(entry), entry.name, type=kind, default=default, **look)


def grouped_option(group: str, *names: str, **attributes: Any) -> Callable[[F], F]:
    """Return a decorator that adds an option under a heading of the help."""
    return click.option(*names, cls=GroupedOption, group=group, **attributes)


@dataclass(frozen=True)
class EngineOptions(OptionSet):
    engine: str = setting("threads", choice(*ENGINES), "Engine for the computation. All engines give the same numbers.")
    workers: int | None = setting(
        None,
        whole(1, 10_000),
        "Number of threads or processes (default: one per processor). With --scheduler, number of workers to wait for.",
    )
    scheduler: str | None = setting(
        None, text, "Address of a Dask cluster, such as tcp://host:8786. Needs --engine dask."
    )

    def open(self) -> AbstractContextManager[Engine]:
        return use_engine(self.engine, self.workers, self.scheduler)


def checkpoint_option(command: F) -> F:
    """Add ``--checkpoint``, and store the folder for the message after an interruption."""

    def remember(ctx: click.Context, _param: click.Parameter, folder: str | None) -> str | None:
        ctx.meta[CHECKPOINT] = folder
        return folder

    description = "Folder for finished work, so that the same command can continue after an interruption."
    folder = click.Path(file_okay=False)
    return grouped_option("Large data", "--checkpoint", type=folder, callback=remember, help=description)(command)


def systems_option(*, required: bool) -> Callable[[F], F]:
    description = "A coder in CORPUS that is a program, or a file with the output of one. May be repeated."
    return grouped_option("Systems", "--system", "systems", multiple=True, required=required, help=description)


def reading_options(command: F) -> F:
    """Add the options for reading files, and store the reading errors for the message after a failure."""

    @with_options(ReadingOptions, "reading", "Reading")
    @wraps(command)
    def wrapped(*args: Any, reading: ReadingOptions, **values: Any) -> Any:
        context = click.get_current_context()
        context.meta[ERRORS] = reading.errors
        with Progress("files") as progress:

            def announce(corpus: Corpus) -> None:
                progress.clear()
                context.meta.pop(PROGRESS, None)
                if not reading.quiet:
                    print_reading(corpus)

            return command(*args, reading=replace(reading, announce=announce), **values)

    return cast(F, wrapped)
