"""``caesura convert``: one format into another."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli.program import Input, input_options, main
from caesura.formats import detect, find, format_for_writing, formats, write
from caesura.formats.format import Format
from caesura.formats.registry import NAMES
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier

__all__ = ["convert"]


@main.command()
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@click.option("--to", type=click.Choice(NAMES), help="Format of OUT; by default by its suffix.")
@click.option("--coder", "coders", multiple=True, help="Only this coder. May be repeated.")
@click.option("--item", "items", multiple=True, help="Only this item. May be repeated.")
@click.option("--reference", help="Of documents: which coder is the reference.")
@click.option("--hypothesis", help="Of documents: which coder is the hypothesis.")
@click.option("--drop-labels", is_flag=True, help="Leave the labels of segments out, for formats that have none.")
@input_options
def convert(
    source: str,
    target: str,
    to: str | None,
    coders: tuple[str, ...],
    items: tuple[str, ...],
    reference: str | None,
    hypothesis: str | None,
    drop_labels: bool,
    asked: Input,
) -> None:
    """Write the corpus in IN, a file, a folder or a glob, to OUT, in another format.

    Some formats hold one coder (bit strings, brackets) or one item (subtitles, TextGrids) and name it by the file, so the one
    chosen for them takes the name of OUT. Documents hold two coders, whom --reference and --hypothesis choose. Tiers go to a
    format of tiers as they are, and to others over units.
    """
    suffix = Path(target).suffix.lower()
    able = [one for one in formats().values() if (one.name == to if to else suffix in one.suffixes)]
    if _keeps_times(able) and _has_tiers(source, asked):
        asked = asked.with_options(units="times")
    corpus = asked.read(source).select(coders=coders or None, items=items or None)
    if drop_labels:
        corpus = Corpus({item: _unlabelled(corpus.of_item(item)) for item in corpus.item_names})
    stem = Path(target).stem
    for kind in format_for_writing(target, corpus, to).names_from_file:
        (name, *others) = corpus.coders if kind == "coder" else corpus.item_names
        if name != stem and not others:
            click.echo(f"{kind} {name!r} is called {stem!r} in {target}", err=True)
            corpus = _renamed(corpus, kind, stem)
    sides = {"reference": reference, "hypothesis": hypothesis}
    write(corpus, target, to, **{side: name for side, name in sides.items() if name is not None})
    if reference is not None and hypothesis is not None:
        corpus = corpus.select(coders=(reference, hypothesis))
    click.echo(f"{target}: {corpus!r}")


def _renamed(corpus: Corpus, kind: str, name: str) -> Corpus:
    """With another name for the only coder or item."""
    if kind == "item":
        return Corpus({name: corpus.of_item(corpus.item_names[0])})
    return Corpus({item: {name: corpus[item, corpus.coders[0]]} for item in corpus.item_names})


def _keeps_times(able: list[Format]) -> bool:
    return any(Tier in one.annotation_types for one in able)


def _has_tiers(source: str, asked: Input) -> bool:
    """Whether the first file is in a format of tiers."""
    first = find(source, asked.format, asked.pattern)[0].path
    return Tier in detect(first, asked.format).annotation_types


def _unlabelled(by_coder: dict[str, Annotation]) -> dict[str, Annotation]:
    return {coder: one.without_labels() if isinstance(one, Segmentation) else one for coder, one in by_coder.items()}
