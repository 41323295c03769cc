"""``caesura convert``: one format into another."""

from __future__ import annotations

import click

from caesura.cli.program import input_options, load_settings, main, read_corpus
from caesura.formats import formats, write, writing
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.segmentation import Segmentation

__all__ = ["convert"]


@main.command()
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@click.option("--to", type=click.Choice(list(formats())), help="Format of OUT; by default by its suffix.")
@click.option("--coder", "coders", multiple=True, help="Only this coder. May be repeated.")
@click.option("--item", "items", multiple=True, help="Only this item. May be repeated.")
@click.option("--drop-labels", is_flag=True, help="Leave the labels of segments out, for formats that have none.")
@input_options
def convert(
    source: str,
    target: str,
    to: str | None,
    coders: tuple[str, ...],
    items: tuple[str, ...],
    drop_labels: bool,
    format_: str | None,
    types: str | None,
    settings_file: str | None,
) -> None:
    """Write the corpus in IN to OUT, in another format.

    Bit strings hold one coder and name it by the file, so the coder chosen for them takes the name of OUT. The same goes
    for the item of a format that holds one text, such as subtitles.
    """
    from pathlib import Path

    corpus = read_corpus(source, format_, types, load_settings(settings_file)).select(
        coders=coders or None, items=items or None
    )
    if drop_labels:
        corpus = Corpus({item: _unlabelled(corpus.of_item(item)) for item in corpus.items})
    stem = Path(target).stem
    for kind in writing(target, corpus, to).named_by_file:
        (name, *others) = corpus.coders if kind == "coder" else corpus.items
        if name != stem and not others:
            click.echo(f"{kind} {name!r} is called {stem!r} in {target}", err=True)
            corpus = _renamed(corpus, kind, stem)
    write(corpus, target, to)
    click.echo(f"{target}: {corpus!r}")


def _renamed(corpus: Corpus, kind: str, name: str) -> Corpus:
    """With another name for the only coder or item."""
    if kind == "item":
        return Corpus({name: corpus.of_item(corpus.items[0])})
    return Corpus({item: {name: corpus[item, corpus.coders[0]]} for item in corpus.items})


def _unlabelled(by_coder: dict[str, Annotation]) -> dict[str, Annotation]:
    return {coder: one.without_labels() if isinstance(one, Segmentation) else one for coder, one in by_coder.items()}
