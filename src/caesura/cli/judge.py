"""``caesura judge``: which segmenter is best, and is that luck?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.program import (
    Input,
    MeasureType,
    chosen_measures,
    complain,
    holds_hierarchies,
    holds_trees,
    input_options,
    main,
    output_options,
    show,
)
from caesura.cli.progress import Progress
from caesura.errors import FormatError, OptionError
from caesura.measures.base import Measure
from caesura.model.corpus import Corpus
from caesura.progress import on_progress

if TYPE_CHECKING:
    from caesura.judging.participants import Systems
    from caesura.judging.result import Judgement

__all__ = ["enter", "judge"]


@main.command()
@click.argument("file", metavar="CORPUS", type=click.Path())
@click.option(
    "--system",
    "systems",
    multiple=True,
    required=True,
    help="A coder in CORPUS that is a program, or a file with the output of one. May be repeated.",
)
@click.option(
    "-m",
    "--measure",
    "chosen",
    multiple=True,
    type=MeasureType(),
    help="May be repeated; by default B, S, B-precision and recall, WindowDiff and fuzzy success; for dialogue, or with "
    "--settings, S_f and S_f^B.",
)
@click.option(
    "--interval",
    type=click.Choice(["items", "pairs", "none"]),
    default="items",
    show_default=True,
    help="What an interval is over: items (bootstrap), or for B boundary pairs (as in Fournier 2013, too short).",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
@click.option(
    "--replicates",
    type=click.IntRange(100),
    default=2000,
    show_default=True,
    help="Of the bootstrap, and at least as many for the tests.",
)
@click.option("--draws", type=click.IntRange(1), default=100, show_default=True, help="Of the random bound.")
@click.option(
    "--bounds/--no-bounds",
    default=True,
    show_default=True,
    help="People among themselves, and segmenters that know nothing: random, regular, none, all.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Systems whose corrected p is higher share a letter.",
)
@click.option(
    "--epsilon",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    help="Of the alternative annotator test: .2 for experts, .15 for skilled coders, .1 for crowds.",
)
@click.option("--errors", is_flag=True, help="Where each system goes wrong.")
@click.option("--list-errors", is_flag=True, help="Every miss, false alarm, near miss and confusion, one a line.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Chosen and printed if not given.")
@input_options
@output_options
def judge(
    file: str,
    systems: tuple[str, ...],
    chosen: tuple[Measure, ...],
    interval: str,
    level: float,
    replicates: int,
    draws: int,
    bounds: bool,
    alpha: float,
    epsilon: float,
    errors: bool,
    list_errors: bool,
    seed: int | None,
    asked: Input,
    output: str | None,
) -> None:
    """Which segmenter is best, is that luck, and where does each go wrong?

    CORPUS holds the people's segmentations, and may hold the systems' too. What a system lacks is named, it is judged on
    the rest, and the exit code is 1.
    """
    from caesura.judging.judge import judge as run

    excluded: list[FormatError] = []
    settings = asked.settings
    corpus, theirs = read_with_systems(asked, (file,), systems, excluded)
    bad = [str(problem) for problem in excluded]
    if not len(corpus):
        complain([*bad, "nothing is left to judge"])
    for holds, what in ((holds_hierarchies, "hierarchies"), (holds_trees, "trees")):
        if holds(corpus):
            raise OptionError(f"judge compares boundaries, and {file} holds {what}; `caesura score` compares these")
    people, entered = enter(corpus, systems, theirs)
    measures = chosen_measures(chosen, settings, people) if settings is not None else chosen or None
    with Progress("steps of judging") as progress, on_progress(progress.update):
        found = run(
            people,
            entered,
            measures=measures,
            interval=None if interval == "none" else interval,
            seed=seed,
            bounds=draws if bounds else False,
            level=level,
            replicates=replicates,
            alpha=alpha,
            epsilon=epsilon,
        )
    bad = list(dict.fromkeys([*map(str, excluded), *map(str, found.excluded)]))
    if output == "json":
        data: dict[str, Any] = found.to_dict() | {"excluded": bad}
        if errors or list_errors:
            data["mistakes"] = {name: one.to_dict() for name, one in found.mistakes.items()}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        _show(found, errors, list_errors, output)
    if bad:
        complain(bad)


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


def _show(found: Judgement, errors: bool, list_errors: bool, output: str | None) -> None:
    from caesura.views.judgement import (
        comparison_table,
        drop_table,
        mistake_list,
        mistake_table,
        replacement_table,
        score_notes,
        score_table,
        score_tables,
    )

    if output is None:
        for table in score_tables(found):
            show(table, output)
            click.echo()
        for note in score_notes(found):
            click.echo(note)
        click.echo()
        tables = []
    else:
        tables = [score_table(found)] if output == "csv" else score_tables(found)
    tables += [comparison_table(found.comparisons)] if found.comparisons else []
    tables += [drop_table(found.drops), replacement_table(found.replacements)]
    tables += [mistake_table(found.mistakes.values())] if errors else []
    tables += [mistake_list(one) for one in found.mistakes.values()] if list_errors else []
    for i, table in enumerate(tables):
        if i:
            click.echo()
        if output == "latex":
            click.echo(f"% {table.title}")
        show(table, output)
