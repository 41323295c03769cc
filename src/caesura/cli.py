"""The command line: one function per subcommand."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from caesura import __version__, measures, parse
from caesura.errors import CaesuraError, FormatError, OptionError
from caesura.formats import formats, read, write
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.study import pair_up, score_many

if TYPE_CHECKING:
    from rich.console import Console

    from caesura.model.score import Score
    from caesura.model.segmentation import Segmentation
    from caesura.report.table import Table

__all__ = ["main"]

DEFAULT_MEASURES = ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)", "window_diff", "pk")

F = TypeVar("F", bound=Callable[..., Any])


class _Program(click.Group):
    """Bad input is one line on stderr and exit code 1; a traceback would be a fault of ours."""

    def invoke(self, ctx: click.Context) -> Any:
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
    "-m", "--measure", "chosen", multiple=True, type=_MeasureType(), default=DEFAULT_MEASURES,
    help='A measure, with options: "window_diff(window=5)". May be repeated; `caesura measures` lists them.',
)  # fmt: skip
@click.option("--reference-coder", help="Which coder of REFERENCE, where there are several.")
@click.option("--hypothesis-coder", help="Which coder of HYPOTHESIS, where there are several.")
@click.option("--items", "by_item", is_flag=True, help="A row for each item beside the total.")
@click.option("--edits", is_flag=True, help="What happened to every boundary of both sides, item by item.")
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
    format_: str | None,
    types: str | None,
    output: str | None,
) -> None:
    """Compare HYPOTHESIS with REFERENCE, item by item, and print the scores of all items together.

    Items go together by name. Without HYPOTHESIS both coders are taken from REFERENCE. Items that cannot be scored are
    listed, the others are scored, and the exit code is 1.
    """
    problems: list[FormatError] = []
    first = read(reference, format_, types=_types(types), problems=problems)
    second = first if hypothesis is None else read(hypothesis, format_, types=_types(types), problems=problems)
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
    for measure in chosen:
        scores = score_many(paired.pairs, measure)
        bad += [f"item {paired.items[i]!r}: {measure!r}: {why}" for i, why in scores.errors.items()]
        if by_item or edits or output == "json":
            rows += [(paired.items[i], scores[i]) for i in scores.scored.tolist()]
        if scores.scored.size:
            rows.append((None, scores.total))
    bad = list(dict.fromkeys(bad))
    if not rows:
        _complain(bad)
    if output == "json":
        click.echo(json.dumps(_score_json(rows, bad, edits), ensure_ascii=False, indent=2))
    else:
        table = _score_table([row for row in rows if by_item or row[0] is None], bad, by_item)
        _print(table, output)
        if edits and output is None:
            _print_edits(dict(zip(paired.items, paired.pairs, strict=True)), rows)
    if bad:
        _complain(bad)


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


def _score_json(rows: list[tuple[str | None, Score]], bad: list[str], edits: bool) -> dict[str, Any]:
    from dataclasses import asdict

    listed = []
    for item, one in rows:
        entry = {"item": item} | one.as_dict()
        if edits and item is not None and one.edits is not None:
            entry["edits"] = [asdict(edit) for edit in one.edits]
        listed.append(entry)
    return {"scores": listed, "errors": bad}


def _score_table(rows: list[tuple[str | None, Score]], bad: list[str], by_item: bool) -> Table:
    from caesura.report.table import Table

    figures = [one.figures for _, one in rows]
    names = [name for name in dict.fromkeys(name for each in figures for name in each) if name != "f"]
    columns = ["measure", *(["item"] if by_item else []), "value", *names]
    body = [
        (
            repr(one.measure),
            *(["all" if item is None else item] if by_item else []),
            one.value,
            *(each.get(name) for name in names),
            one.documents,
        )
        for (item, one), each in zip(rows, figures, strict=True)
    ]
    notes = [one.signature for item, one in rows if item is None]
    if bad:
        notes.append(f"{len(bad)} problem(s), listed on standard error")
    return Table((*columns, "items"), tuple(body), notes=tuple(notes), group=0)


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


def _print_edits(pairs: dict[str, tuple[Segmentation, Segmentation]], rows: list[tuple[str | None, Score]]) -> None:
    from caesura.report.alignment import LEGEND, draw, edit_table

    console = _console()
    for item, one in rows:
        if item is None or one.edits is None:
            continue
        click.echo(f"\n{item}: {one.measure!r} = {one.value:.4f}")
        click.echo(draw(*pairs[item], one.edits, width=min(console.width, 100)))
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
) -> None:
    """Write the corpus in IN to OUT, in another format.

    Bit strings hold one coder and name it by the file, so the coder chosen for them takes the name of OUT.
    """
    from pathlib import Path

    corpus = read(source, format_, types=_types(types)).select(coders=coders or None, items=items or None)
    stem = Path(target).stem
    bits = to == "bits" or (to is None and Path(target).suffix.lower() in formats()["bits"].suffixes)
    if bits and len(corpus.coders) == 1 and corpus.coders != (stem,):
        click.echo(f"coder {corpus.coders[0]!r} is called {stem!r} in {target}", err=True)
        corpus = Corpus({item: {stem: corpus[item, corpus.coders[0]]} for item in corpus.items})
    write(corpus, target, to)
    click.echo(f"{target}: {corpus!r}")


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

    from caesura.data import STARGAZER_SOURCE, stargazer
    from caesura.report.alignment import LEGEND, draw
    from caesura.report.table import Table

    corpus = stargazer()
    (item,) = corpus.items
    coders = corpus.of_item(item)
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


if __name__ == "__main__":
    main()
