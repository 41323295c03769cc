"""The command line: one function per subcommand."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from caesura import __version__, measures, parse
from caesura.errors import CaesuraError, CaesuraWarning, FormatError, OptionError
from caesura.formats import detect, formats, read, read_coders, write
from caesura.measures.base import Measure
from caesura.measures.batch import Pair
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.many import score_many
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.study import pair_up

if TYPE_CHECKING:
    from rich.console import Console

    from caesura.agreement.result import Agreement
    from caesura.formats.settings import Settings
    from caesura.model.score import Score
    from caesura.report.table import Table

__all__ = ["main"]

DIALOGUE_MEASURES = ("flexible_similarity(normalize='positions')", "flexible_similarity(normalize='boundaries')")
DEFAULT_MEASURES = ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)", "window_diff", "pk")

F = TypeVar("F", bound=Callable[..., Any])


def _warner() -> Callable[..., None]:
    """Warnings in our own words, each once."""
    told: set[str] = set()

    def warn(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in told:
            told.add(str(message))
            click.echo(f"caesura: warning: {message}", err=True)

    return warn


class _Program(click.Group):
    """Bad input is one line on stderr and exit code 1; a traceback would be a fault of ours."""

    def invoke(self, ctx: click.Context) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("always", CaesuraWarning)
            warnings.showwarning = _warner()
            try:
                return super().invoke(ctx)
            except CaesuraError as problem:
                click.echo(f"caesura: {problem}", err=True)
                ctx.exit(1)


class _MeasureType(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    """A measure with its options, as ``parse`` reads it."""

    name = "measure"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Measure:
        try:
            return parse(value)
        except OptionError as problem:
            self.fail(str(problem), param, ctx)


def _as(command: F) -> F:
    """The ways every command can print its table."""
    for name, says in (
        ("latex", "a LaTeX table"),
        ("csv", "comma-separated values"),
        ("json", "JSON, with everything"),
    ):
        command = click.option(f"--{name}", "output", flag_value=name, help=f"Print {says}.")(command)
    return command


def _input(command: F) -> F:
    """How files are read."""
    command = click.option(
        "--settings",
        "settings_file",
        type=click.Path(),
        help="A .toml or .json file with symbols, similarity matrix and costs.",
    )(command)
    command = click.option(
        "--types", help='Boundary types in ordinal order, comma-separated or a JSON list: "scene,act".'
    )(command)
    return click.option(
        "--format", "format_", type=click.Choice(list(formats())), help="Format of the input; by default found out."
    )(command)


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="caesura")
def main() -> None:
    """How well do two or more segmentations of the same thing agree?"""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


@main.command()
@click.argument("reference", type=click.Path())
@click.argument("hypothesis", type=click.Path(), required=False)
@click.option(
    "-m", "--measure", "chosen", multiple=True, type=_MeasureType(),
    help='A measure, with options: "window_diff(window=5)". May be repeated; `caesura measures` lists them.',
)  # fmt: skip
@click.option("--reference-coder", help="Which coder of REFERENCE, where there are several.")
@click.option("--hypothesis-coder", help="Which coder of HYPOTHESIS, where there are several.")
@click.option("--items", "by_item", is_flag=True, help="A row for each item beside the total.")
@click.option("--edits", is_flag=True, help="What happened to every boundary of both sides, item by item.")
@click.option("--operations", is_flag=True, help="What became of the boundaries of each type, over all items.")
@_input
@_as
def score(
    reference: str,
    hypothesis: str | None,
    chosen: tuple[Measure, ...],
    reference_coder: str | None,
    hypothesis_coder: str | None,
    by_item: bool,
    edits: bool,
    operations: bool,
    format_: str | None,
    types: str | None,
    settings_file: str | None,
    output: str | None,
) -> None:
    """Compare HYPOTHESIS with REFERENCE, item by item, and print the scores of all items together.

    Items go together by name. Without HYPOTHESIS both coders are taken from REFERENCE. Items that cannot be scored are
    listed, the others are scored, and the exit code is 1.
    """
    from caesura.operations import operations_table
    from caesura.report.results import operations as operations_shown
    from caesura.report.results import score_json, score_table

    problems: list[FormatError] = []
    settings = _settings(settings_file)
    first = _read(reference, format_, types, settings, problems)
    second = first if hypothesis is None else _read(hypothesis, format_, types, settings, problems)
    chosen = _measures(chosen, settings, first)
    if hypothesis is None and len(first.coders) == 2 and not reference_coder and not hypothesis_coder:
        reference_coder, hypothesis_coder = first.coders
    bad = [str(problem) for problem in problems]
    if not len(first) or not len(second):
        _complain([*bad, "nothing is left to score"])
    paired = pair_up(first, second, reference_coder=reference_coder, hypothesis_coder=hypothesis_coder)
    bad += paired.problems
    if not paired.pairs:
        _complain([*bad, "the two sides have no item in common"])
    rows: list[tuple[str | None, Score]] = []
    became: list[tuple[Measure, Table]] = []
    for measure in chosen:
        scores = score_many(paired.pairs, measure)
        if operations and scores.scored.size and not any(_alike(measure, other) for other, _ in became):
            became.append((measure, operations_shown(operations_table(scores))))
        bad += [f"item {paired.items[i]!r}: {measure!r}: {why}" for i, why in scores.errors.items()]
        if by_item or edits or output == "json":
            rows += [(paired.items[i], scores[i]) for i in scores.scored.tolist()]
        if scores.scored.size:
            rows.append((None, scores.total))
    bad = list(dict.fromkeys(bad))
    if not rows:
        _complain(bad)
    if output == "json":
        data: dict[str, Any] = {"scores": score_json(rows, edits=edits), "errors": bad}
        if operations:
            data["operations"] = {
                repr(m): [dict(zip(t.columns, row, strict=True)) for row in t.rows] for m, t in became
            }
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        shown = [row for row in rows if by_item or row[0] is None]
        table = score_table(shown, by_item=by_item, problems=len(bad))
        _print(table, output)
        for measure, each in became:
            click.echo(f"\n{measure.label}: what became of the boundaries of each type, both sides together")
            _print(each, output)
        if edits and output is None:
            _print_edits(dict(zip(paired.items, paired.pairs, strict=True)), rows)
    if bad:
        _complain(bad)


def _settings(path: str | None) -> Settings | None:
    if path is None:
        return None
    from caesura.formats.settings import read_settings

    return read_settings(path)


def _options(path: str, format_: str | None, types: str | None, settings: Settings | None) -> dict[str, Any]:
    """What ``read`` is told: the types of the command line, and what the settings say about the format."""
    options = {} if settings is None else settings.reading(detect(path, format_).name)
    return options if types is None else {**options, "types": _types(types)}


def _read(
    path: str,
    format_: str | None,
    types: str | None,
    settings: Settings | None,
    problems: list[FormatError] | None = None,
) -> Corpus:
    return read(path, format_, problems=problems, **_options(path, format_, types, settings))


def _measures(chosen: tuple[Measure, ...], settings: Settings | None, corpus: Corpus) -> tuple[Measure, ...]:
    """What was asked for, or what suits the corpus; flexible similarity with the matrix and costs of the settings."""
    if not chosen:
        dialogue = any(not isinstance(corpus[key], Segmentation) for key in corpus)
        chosen = tuple(map(parse, DIALOGUE_MEASURES if dialogue or settings is not None else DEFAULT_MEASURES))
    if settings is None:
        return chosen
    found = {name: value for name, value in settings.measure().items() if name != "normalize"}
    if settings.normalize is not None and len(chosen) > 1:
        chosen = tuple(one for one in chosen if one.settings.get("normalize") in (None, settings.normalize))
    return tuple(
        one.replace(**{name: value for name, value in found.items() if one[name] is None})
        if isinstance(one, FlexibleSimilarity)
        else one
        for one in chosen
    )


def _alike(one: Measure, other: Measure) -> bool:
    """Whether two measures align alike: S_f and S_f^B do, they only divide by different things."""
    return one == other or (
        "normalize" in one.settings and one.replace(normalize=other.settings.get("normalize")) == other
    )


def _complain(problems: Sequence[str]) -> None:
    for problem in problems:
        click.echo(f"caesura: {problem}", err=True)
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


def _print(table: Table, output: str | None) -> None:
    if output == "csv":
        click.echo(table.csv(), nl=False)
    elif output == "latex":
        click.echo(table.latex(), nl=False)
    else:
        table.print(_console())


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def _print_edits(pairs: dict[str, Pair], rows: list[tuple[str | None, Score]]) -> None:
    from caesura.report.alignment import LEGEND, draw_text, edit_table

    console = _console()
    for item, one in rows:
        if item is None or one.edits is None:
            continue
        click.echo(f"\n{item}: {one.measure.label} = {one.value:.4f}")
        click.echo(draw_text(*pairs[item], one.edits, width=min(console.width, 100)))
        edit_table(one.edits, ("reference", "hypothesis")).print(console)
    if any(one.edits is not None for item, one in rows if item is not None):
        click.echo(LEGEND)
    else:
        click.echo("None of these measures aligns boundaries; boundary_similarity does.", err=True)


@main.command()
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@click.option("--to", type=click.Choice(list(formats())), help="Format of OUT; by default by its suffix.")
@click.option("--coder", "coders", multiple=True, help="Only this coder. May be repeated.")
@click.option("--item", "items", multiple=True, help="Only this item. May be repeated.")
@_input
def convert(
    source: str,
    target: str,
    to: str | None,
    coders: tuple[str, ...],
    items: tuple[str, ...],
    format_: str | None,
    types: str | None,
    settings_file: str | None,
) -> None:
    """Write the corpus in IN to OUT, in another format.

    Bit strings hold one coder and name it by the file, so the coder chosen for them takes the name of OUT.
    """
    from pathlib import Path

    corpus = _read(source, format_, types, _settings(settings_file)).select(coders=coders or None, items=items or None)
    stem = Path(target).stem
    bits = to == "bits" or (to is None and Path(target).suffix.lower() in formats()["bits"].suffixes)
    if bits and len(corpus.coders) == 1 and corpus.coders != (stem,):
        click.echo(f"coder {corpus.coders[0]!r} is called {stem!r} in {target}", err=True)
        corpus = Corpus({item: {stem: corpus[item, corpus.coders[0]]} for item in corpus.items})
    write(corpus, target, to)
    click.echo(f"{target}: {corpus!r}")


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m", "--measure", "chosen", multiple=True, type=_MeasureType(),
    help="flexible_similarity with its options; by default S_f and S_f^B.",
)  # fmt: skip
@click.option(
    "-c", "--coefficient", "coefficients", multiple=True, default=("kappa",), show_default=True,
    type=click.Choice(["kappa", "pi", "s", "s_modified"]), help="May be repeated.",
)  # fmt: skip
@click.option("--chance", type=click.Choice(["simulate", "exact"]), default="simulate", show_default=True)
@click.option("--draws", type=click.IntRange(20), help="Simulated pairs of texts; 10000 by default.")
@click.option("--tolerance", type=float, help="Draw until the standard error of the coefficient is below this.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="For the simulation; chosen and printed if not given.")
@click.option("--compat", help="A preset of the measure, such as segsimflex.")
@_input
@_as
def agree(
    files: tuple[str, ...],
    chosen: tuple[Measure, ...],
    coefficients: tuple[str, ...],
    chance: str,
    draws: int | None,
    tolerance: float | None,
    seed: int | None,
    compat: str | None,
    format_: str | None,
    types: str | None,
    settings_file: str | None,
    output: str | None,
) -> None:
    """How far coders agree beyond chance. CORPUS is one file with all coders, or a file for each."""
    from caesura.agreement.coefficients import agreement
    from caesura.errors import Undefined
    from caesura.report.results import agreement_tables

    problems: list[FormatError] = []
    settings = _settings(settings_file)
    options = _options(files[0], format_, types, settings)
    if len(files) == 1:
        corpus = read(files[0], format_, problems=problems, **options)
    else:
        corpus = read_coders(files, format_, problems=problems, **options)
    bad = [str(problem) for problem in problems]
    chosen = _measures(chosen or tuple(map(parse, DIALOGUE_MEASURES)), settings, corpus)
    found: list[tuple[str, Measure, Agreement | str]] = []
    with _Progress(output is None) as progress:
        for measure in chosen:
            for coefficient in coefficients:
                try:
                    result: Agreement | str = agreement(
                        corpus, measure=measure, coefficient=coefficient, compat=compat, seed=seed, chance=chance,
                        draws=draws, tolerance=tolerance, progress=progress,
                    )  # fmt: skip
                except Undefined as problem:
                    result = str(problem)
                found.append((coefficient, measure, result))
    results = [one for _, _, one in found if not isinstance(one, str)]
    dropped = {item: why for one in results for item, why in one.dropped.items()}
    bad += [f"item {item!r} left out: {why}" for item, why in dropped.items()]
    if output == "json":
        listed = [
            {"coefficient": name, "measure": repr(measure), "value": None, "undefined": one} if isinstance(one, str)
            else one.as_dict()
            for name, measure, one in found
        ]  # fmt: skip
        click.echo(json.dumps({"agreement": listed, "errors": bad}, ensure_ascii=False, indent=2))
    else:
        for table in agreement_tables(found):
            _print(table, output)
    if bad:
        _complain(bad)


class _Progress:
    """A bar on standard error while chance is drawn, on a terminal only."""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted and sys.stderr.isatty()

    def __enter__(self) -> Callable[[int, int], None] | None:
        if not self.wanted:
            return None
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("drawing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task("drawing", total=None)
        self.bar.start()
        return lambda made, total: self.bar.update(self.task, completed=made, total=total)

    def __exit__(self, *_: object) -> None:
        if self.wanted:
            self.bar.stop()


@main.command(name="measures")
@_as
def list_measures(output: str | None) -> None:
    """List the measures, their options and presets."""
    from caesura.report.table import Table

    if output == "json":
        listed = {
            name: {
                "title": kind.title,
                "options": {option.name: {"default": option.default, "says": option.says} for option in kind.options},
                "presets": {preset: dict(values) for preset, values in kind.presets.items()},
            }
            for name, kind in measures().items()
        }
        click.echo(json.dumps(listed, indent=2))
        return
    rows = []
    for name, kind in measures().items():
        rows.append((name, "", kind.title))
        rows += [("", f"{option.name}={option.default!r}", option.says) for option in kind.options]
        if kind.presets:
            rows.append(("", "compat=None", "preset: " + ", ".join(kind.presets)))
    _print(Table(("measure", "option", "what it is"), tuple(rows)), output)


@main.command()
def demo() -> None:
    """Every part on data that ships with the package."""
    from itertools import combinations

    from caesura.agreement.coefficients import agreement
    from caesura.data import STARGAZER_SOURCE, stargazer
    from caesura.report.alignment import LEGEND, draw
    from caesura.report.results import agreement_tables
    from caesura.report.table import Table

    corpus = stargazer()
    (item,) = corpus.items
    coders = {coder: one for coder, one in corpus.of_item(item).items() if isinstance(one, Segmentation)}
    console = _console()
    click.echo(f"{STARGAZER_SOURCE}\n")
    for coder, one in coders.items():
        click.echo(f"reader {coder}  {one.draw()}")
    click.echo("\nReader 1 against reader 3, boundary by boundary:\n")
    pair = coders["1"], coders["3"]
    similarity = parse("boundary_similarity(n_t=2)")
    click.echo(draw(*pair, similarity.score(*pair).edits or (), sides=("reader 1", "reader 3")))
    click.echo(f"\n{LEGEND}\n")
    rows = [(name, kind.title, float(kind().score(*pair))) for name, kind in measures().items()]
    Table(("measure", "what it is", "value"), tuple(rows), title="The same two readers under every measure").print(
        console
    )
    click.echo()
    pairs = list(combinations(coders, 2))
    scores = score_many([(coders[a], coders[b]) for a, b in pairs], similarity)
    value = {pair: float(v) for pair, v in zip(pairs, scores.values, strict=True)}
    grid = [(f"reader {a}", *(value.get((min(a, b), max(a, b))) if a != b else None for b in coders)) for a in coders]
    notes = (f"mean over all boundary pairs: {scores.total.value:.4f}", scores.total.signature)
    Table(("B", *coders), tuple(grid), title="Every reader against every other", notes=notes, digits=2).print(console)
    flexible = parse("flexible_similarity")
    agreed = agreement(corpus, measure=flexible, coefficient="kappa", chance="exact")
    tables = agreement_tables([("kappa", flexible, agreed)])
    click.echo("\nAgreement of all seven beyond chance, over flexible similarity S_f:")
    tables[-1].print(console)


if __name__ == "__main__":
    main()
