"""The command line's frame: the group, options that commands share, reading and printing."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from caesura.cli.program import CHECKPOINT, ERRORS
from caesura.engines import ENGINES
from caesura.errors import CaesuraWarning, FormatError, HierarchyError, OptionError
from caesura.formats import detect, find, read_coders, read_together
from caesura.formats.registry import NAMES
from caesura.measures.base import Measure
from caesura.measures.registry import measures, parse
from caesura.model import hierarchies
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.hierarchy import Hierarchy, Span, common_units
from caesura.model.projection import ALIGNMENTS
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree
from caesura.views.table import clean

if TYPE_CHECKING:
    from rich.console import Console

    from caesura.formats.settings import Settings
    from caesura.judging.participants import Systems
    from caesura.views.table import Table

__all__ = [
    "DEFAULT_MEASURES",
    "DIALOGUE_MEASURES",
    "Input",
    "MeasureType",
    "checkpoint_option",
    "chosen_measures",
    "complain",
    "console_for_tables",
    "engine_options",
    "enter",
    "holds_hierarchies",
    "holds_trees",
    "input_options",
    "measure_option",
    "output_options",
    "over_common_units",
    "read_with_systems",
    "same_units",
    "show",
    "span_measures",
    "warn_emptied",
    "with_settings",
]

DIALOGUE_MEASURES = ("flexible_similarity(normalize='positions')", "flexible_similarity(normalize='boundaries')")
DEFAULT_MEASURES = ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)", "window_diff", "pk")

_UNREAD, _CHECKPOINT = ERRORS, CHECKPOINT

F = TypeVar("F", bound=Callable[..., Any])


class MeasureType(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    """A measure with its options, as ``parse`` reads it."""

    name = "measure"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Measure:
        """Read it, or fail as click wants it."""
        try:
            return parse(value)
        except OptionError as problem:
            self.fail(str(problem), param, ctx)


def output_options(command: F) -> F:
    """The ways every command can print its table."""
    for name, says in (
        ("latex", "a LaTeX table"),
        ("markdown", "a Markdown table"),
        ("csv", "comma-separated values"),
        ("json", "JSON, with everything"),
    ):
        command = click.option(f"--{name}", "output", flag_value=name, help=f"Print {says}.")(command)
    return command


@dataclass(frozen=True)
class Input:
    """How the command line wants files to be read."""

    format: str | None
    types: list[str] | None
    settings: Settings | None
    pattern: str | None
    align: str | None
    options: dict[str, Any]

    def read(self, path: str, excluded: list[FormatError] | None = None) -> Corpus:
        """A file, a folder or a glob."""
        return self.read_together([path], excluded)[0]

    def read_together(self, paths: Sequence[str], excluded: list[FormatError] | None = None) -> list[Corpus]:
        """Several, each a corpus of its own, over the same units."""
        _remember(excluded)
        return read_together(
            paths, self.format, pattern=self.pattern, align=self.align, excluded=excluded, **self._told(paths)
        )

    def read_files(self, paths: Sequence[str], excluded: list[FormatError]) -> Corpus:
        """One file with all coders, a folder or a glob; or a file for each coder."""
        if len(paths) == 1:
            return self.read(paths[0], excluded)
        if self.pattern is not None:
            raise click.UsageError("--pattern is for one folder or glob; several files were given")
        _remember(excluded)
        return read_coders(paths, self.format, align=self.align, excluded=excluded, **self._told(paths))

    def with_options(self, **options: Any) -> Input:
        """The same with more options of the format."""
        return replace(self, options={**options, **self.options})

    def _told(self, paths: Sequence[str]) -> dict[str, Any]:
        """Types and options: those of the command line, and what the settings say about the format of the first file."""
        told: dict[str, Any] = {}
        if self.settings is not None:
            first = find(paths[0], self.format, self.pattern)[0].path
            told = self.settings.reading_options(detect(first, self.format).name)
        told |= self.options
        return told if self.types is None else {**told, "types": self.types}


def _remember(excluded: list[FormatError] | None) -> None:
    click.get_current_context().meta[_UNREAD] = () if excluded is None else excluded


def input_options(command: F) -> F:
    """How files are read: the command gets it as ``asked``, an :class:`Input`."""

    @wraps(command)
    def told(
        *args: Any,
        format_: str | None,
        types: str | None,
        settings_file: str | None,
        pattern: str | None,
        align: str | None,
        given: tuple[str, ...],
        **others: Any,
    ) -> Any:
        asked = Input(format_, _types(types), _load_settings(settings_file), pattern, align, _options(given))
        return command(*args, asked=asked, **others)

    made: Any = told
    for option in (
        click.option(
            "--settings",
            "settings_file",
            type=click.Path(),
            help="A .toml or .json file with symbols, similarity matrix and costs.",
        ),
        click.option(
            "--reading",
            "given",
            metavar="NAME=VALUE",
            multiple=True,
            help="An option of the format, such as tiers=ann or units=0.01. May be repeated; `caesura formats` lists them.",
        ),
        click.option(
            "--align",
            type=click.Choice(list(ALIGNMENTS)),
            help="Where coders have other tokens: over the characters of the text, or, where texts differ too, by the "
            "fewest edits.",
        ),
        click.option(
            "--pattern", help='Of a folder or glob: which files, and whose they are: "{coder}/{item}.TextGrid".'
        ),
        click.option("--types", help='Boundary types in ordinal order, comma-separated or a JSON list: "scene,act".'),
        click.option(
            "--format", "format_", type=click.Choice(NAMES), help="Format of the input; by default found out."
        ),
    ):
        made = option(made)
    return cast(F, made)


def measure_option(command: F) -> F:
    """``-m``, any number of measures: the command gets them as ``chosen``."""
    says = 'A measure, with options: "window_diff(window=5)". May be repeated; `caesura measures` lists them.'
    return click.option("-m", "--measure", "chosen", multiple=True, type=MeasureType(), help=says)(command)


def engine_options(command: F) -> F:
    """Where the work is done: the command gets ``engine``, ``workers`` and ``scheduler``."""
    for option in (
        click.option(
            "--scheduler", help="Of a Dask cluster: its address, such as tcp://host:8786. With --engine dask."
        ),
        click.option(
            "--workers",
            type=click.IntRange(1, 10_000),
            help="How many threads or processes; by default one a processor. With --scheduler: how many to wait for.",
        ),
        click.option(
            "--engine",
            type=click.Choice(ENGINES),
            default="threads",
            show_default=True,
            help="Where the work is done. Numbers are the same everywhere.",
        ),
    ):
        command = option(command)
    return command


def checkpoint_option(command: F) -> F:
    """``--checkpoint``, where work can go on after it was ended; whoever ends it is told so."""

    def remember(ctx: click.Context, _param: click.Parameter, folder: str | None) -> str | None:
        ctx.meta[_CHECKPOINT] = folder
        return folder

    says = "A folder in which finished work is kept, so that the same command goes on after an interruption."
    return click.option("--checkpoint", type=click.Path(file_okay=False), callback=remember, help=says)(command)


def _options(given: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE: a JSON value, or else the text itself. A name that is repeated has a list of values."""
    found: dict[str, list[Any]] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"an option is NAME=VALUE; got {one!r}", param_hint="--reading")
        found.setdefault(name.strip(), []).append(_value(text))
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if value == value else text  # NaN is no number


def _load_settings(path: str | None) -> Settings | None:
    """The settings file, if one was given."""
    if path is None:
        return None
    from caesura.formats.settings import read_settings

    return read_settings(path)


def holds_hierarchies(corpus: Corpus) -> bool:
    """Whether there are spans inside spans, which boundaries do not say."""
    return any(isinstance(corpus[key], Hierarchy) for key in corpus)


def holds_trees(corpus: Corpus) -> bool:
    """Whether there are parses."""
    return any(isinstance(corpus[key], Tree) for key in corpus)


def over_common_units(corpus: Corpus) -> tuple[Corpus, Corpus]:
    """Hierarchies in time over units that the coders of an item share; and flattened to boundaries, levels as types."""
    shared, notes = hierarchies.over_common_units(corpus)
    for item, why in notes.items():
        warnings.warn(f"item {item!r}: {why}", CaesuraWarning, stacklevel=2)
    return shared, hierarchies.levels_as_types(shared)


def same_units(by_coder: dict[str, Hierarchy]) -> tuple[dict[str, Hierarchy], int]:
    """Over common units, and how many spans were lost; as they are where that cannot be, the measure says why."""
    try:
        return common_units(by_coder)
    except HierarchyError:
        return by_coder, 0


def warn_emptied(number: int) -> None:
    """Spans that were lost to common units."""
    if number:
        said = "1 span is" if number == 1 else f"{number} spans are"
        warnings.warn(
            f"{said} shorter than 0.5 s, within which times are one, and left out", CaesuraWarning, stacklevel=2
        )


def span_measures(chosen: tuple[Measure, ...], *names: str) -> tuple[Measure, ...]:
    """What was asked for, or all measures between hierarchies, or those of these names."""
    return _measures_of("spans", "hierarchies", chosen, names)


def _measures_of(view: str, what: str, chosen: tuple[Measure, ...], names: tuple[str, ...] = ()) -> tuple[Measure, ...]:
    known = [name for name, kind in measures().items() if kind.view == view and (not names or name in names)]
    there = ", ".join(known)
    for one in chosen:
        if one.name not in known:
            raise OptionError(f"{one.name} does not apply: this corpus holds {what}, for which there is {there}")
    return chosen or tuple(map(parse, known))


def _spans(one: Annotation) -> tuple[Span, ...]:
    return one.spans if isinstance(one, Hierarchy) else ()


def chosen_measures(chosen: tuple[Measure, ...], settings: Settings | None, corpus: Corpus) -> tuple[Measure, ...]:
    """What was asked for, or what suits the corpus; flexible similarity with the matrix and costs of the settings."""
    if holds_trees(corpus):
        return _measures_of("trees", "trees", chosen)
    if holds_hierarchies(corpus):
        every = span_measures(chosen)
        labelled = all(span.label is not None for key in corpus for span in _spans(corpus[key]))
        return every if chosen or labelled else tuple(one for one in every if one.name != "l_measure")
    if not chosen:
        dialogue = any(not isinstance(corpus[key], Segmentation) for key in corpus)
        chosen = tuple(map(parse, DIALOGUE_MEASURES if dialogue or settings is not None else DEFAULT_MEASURES))
    return with_settings(chosen, settings)


def with_settings(chosen: tuple[Measure, ...], settings: Settings | None) -> tuple[Measure, ...]:
    """Flexible similarity with the matrix and costs of the settings."""
    if settings is None:
        return chosen
    found = {name: value for name, value in settings.measure_options().items() if name != "normalize"}
    if settings.normalize is not None and len(chosen) > 1:
        chosen = tuple(one for one in chosen if one.settings.get("normalize") in (None, settings.normalize))
    return tuple(measure.with_settings(found) for measure in chosen)


def read_with_systems(
    asked: Input, files: Sequence[str], systems: Sequence[str], excluded: list[FormatError]
) -> tuple[Corpus, dict[str, Corpus]]:
    """The corpus, and path -> corpus for systems that are files; with one file of people, all over the same units."""
    named = [path for path in dict.fromkeys(systems) if Path(path).exists()]
    if len(files) == 1:
        corpus, *theirs = asked.read_together([*files, *named], excluded)
    else:
        corpus = asked.read_files(files, excluded)
        theirs = asked.read_together(named, excluded) if named else []
    return corpus, dict(zip(named, theirs, strict=True))


def enter(corpus: Corpus, systems: tuple[str, ...], files: dict[str, Corpus]) -> tuple[Corpus, Systems]:
    """Names of coders, or files: either way a corpus of people and a corpus of systems."""
    inside = [name for name in systems if name in corpus.coders]
    made: dict[str, dict[str, Any]] = {name: corpus.of_coder(name) for name in inside}
    for path in systems:
        if path in inside:
            continue
        if path not in files:
            there = ", ".join(map(repr, corpus.coders))
            raise OptionError(f"system {path!r} is neither a coder of the corpus ({there}) nor a file")
        theirs = files[path]
        for name in theirs.coders:
            if name in made:
                raise OptionError(f"system {name!r} is given twice, the second time in {path}; rename one of them")
            made[name] = _items(theirs.of_coder(name), corpus)
    people = [coder for coder in corpus.coders if coder not in inside]
    if not people:
        raise OptionError("at least one coder is needed to judge against; all of the corpus are systems")
    return corpus.select(coders=people), made


def _items(mine: dict[str, Any], corpus: Corpus) -> dict[str, Any]:
    """Two files of one item each go together whatever the names."""
    if len(mine) == len(corpus.item_names) == 1:
        return dict(zip(corpus.item_names, mine.values(), strict=True))
    return mine


def complain(excluded: Sequence[str]) -> None:
    """A line on standard error for each that is new, and exit code 1."""
    for problem in dict.fromkeys(excluded):
        click.echo(f"caesura: {clean(problem)}", err=True)
    click.get_current_context().exit(1)


def _types(given: str | None) -> list[str] | None:
    if given is None:
        return None
    if given.lstrip().startswith("["):
        try:
            names = json.loads(given)
        except ValueError:
            names = None
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise click.BadParameter(f"not a JSON list of names: {given}", param_hint="--types")
        return names
    return [name.strip() for name in given.split(",")]


def show(table: Table, output: str | None) -> None:
    """As a table, or in a format for machines and papers."""
    if output == "csv":
        click.echo(table.csv(), nl=False)
    elif output == "latex":
        click.echo(table.latex(), nl=False)
    elif output == "markdown":
        click.echo(table.markdown(), nl=False)
    else:
        table.print(console_for_tables())


def console_for_tables() -> Console:
    """As wide as the terminal; into a file wide enough for most tables."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)
