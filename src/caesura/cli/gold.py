"""The commands ``caesura gold`` and ``caesura unify``: one gold standard from several coders."""

from __future__ import annotations

from dataclasses import dataclass

import click

from caesura.cli.options import reading_options, with_options
from caesura.cli.output import OutputOptions, print_result, table_options
from caesura.cli.program import main, print_message
from caesura.cli.progress import Progress
from caesura.gold.gold import GOLD_CODER, Gold
from caesura.model.corpus import Corpus
from caesura.model.value import count_of
from caesura.options import OptionSet, setting, switch, text
from caesura.tasks.gold import GoldOptions, UnifyOptions, make_gold, unify_hierarchies, write_gold
from caesura.tasks.reading import ReadingOptions
from caesura.views.gold import gold_view, unification_view

_TARGET = "Write the gold standard to this file; its suffix names the format."


@dataclass(frozen=True)
class GoldInput(OptionSet):
    """Options of both commands: items, and repair of hierarchies."""

    items: tuple[str, ...] = setting((), text, "Use only this item. May be repeated.", flags=("--item",))
    repair: bool = switch(
        "Hierarchies: drop spans that cross other spans of the same coder: the deeper span, then the shorter, then the later "
        "one."
    )

    def read(self, reading: ReadingOptions, paths: tuple[str, ...], purpose: str) -> Corpus:
        """Read the annotations of the coders; tiers stay in seconds."""
        if self.repair:
            reading = reading.with_options(repair=True)
        return reading.require(reading.read_in_seconds(paths), purpose).select(items=self.items or None)


@dataclass(frozen=True)
class GoldTables(OptionSet):
    """Tables that ``caesura gold`` adds."""

    kept: bool = switch("List every boundary of the gold standard with the coders who placed it and their near misses.")
    dropped: bool = switch("List every boundary that is not in the gold standard with its coders.")
    target: str | None = setting(None, text, _TARGET, flags=("-o", "--output"))


@main.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@with_options(GoldOptions, "options", "Gold standard")
@with_options(GoldTables, "tables", "Output")
@with_options(GoldInput, "source", "Reading")
@reading_options
@table_options
def gold(
    paths: tuple[str, ...],
    options: GoldOptions,
    tables: GoldTables,
    source: GoldInput,
    reading: ReadingOptions,
    output: OutputOptions,
) -> None:
    """Make one reference from several coders.

    FILE is one file with all coders, a folder or glob, or one file per coder: segmentations, with or without types,
    dialogues or hierarchies. The median is the segmentation with the smallest total boundary edit distance to all
    coders, so that near misses vote together. Items that cannot be used are listed, the rest are used, and the exit code
    is 1.

    \b
    Example:
      caesura gold people.json
      caesura gold people.json --method majority --dropped -o gold.json
    """
    corpus = source.read(reading, paths, "make a gold standard from")
    with Progress():
        result = make_gold(corpus, options)
    if tables.target is not None:
        _write(result, tables.target)
    answer = gold_view(result, kept=tables.kept, dropped=tables.dropped)
    print_result("gold", result, answer, output=output, reading=reading)


@dataclass(frozen=True)
class UnifyTables(OptionSet):
    """Tables that ``caesura unify`` adds."""

    why: bool = switch(
        "List every span that is not in the gold standard, with its coders and the spans that it crosses."
    )
    evaluate: bool = switch("Compare every method with every annotation: kappa, recall, precision, non-crossing.")
    target: str | None = setting(None, text, _TARGET, flags=("-o", "--output"))


@main.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@with_options(UnifyOptions, "options", "Gold standard")
@with_options(UnifyTables, "tables", "Output")
@with_options(GoldInput, "source", "Reading")
@reading_options
@table_options
def unify(
    paths: tuple[str, ...],
    options: UnifyOptions,
    tables: UnifyTables,
    source: GoldInput,
    reading: ReadingOptions,
    output: OutputOptions,
) -> None:
    """Make one hierarchy from those of several coders, item by item.

    FILE is one file with all coders, a folder or glob, or one file per coder: spans JSON or CSV, .rs3 and .rs4, .lab.
    Annotations and items that cannot be used are listed, the rest are used, and the exit code is 1.

    \b
    Example:
      caesura unify annotators.json
    """
    corpus = source.read(reading, paths, "unify")
    with Progress():
        study = unify_hierarchies(corpus, options, evaluate=tables.evaluate)
    if tables.target is not None:
        _write(study.gold, tables.target)
    answer = unification_view(study, kept=tables.target is None, dropped=tables.why)
    print_result("unify", study, answer, output=output, reading=reading)


def _write(result: Gold, target: str) -> None:
    for note in write_gold(result, target):
        print_message(f"warning: {note}")
    print_message(f"{target}: {count_of(len(result.corpus.item_names), 'item')}, coder {GOLD_CODER!r}")
