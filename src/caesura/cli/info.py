"""``caesura info``: what is in a file or a folder."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.program import Input, complain, input_options, main, output_options, show
from caesura.errors import FormatError
from caesura.formats import detect, find, list_tiers
from caesura.model.tier import Tier

if TYPE_CHECKING:
    from caesura.formats.timed import TierRead
    from caesura.model.corpus import Corpus

__all__ = ["info"]

_FEW = 10  # files whose tiers are listed


@main.command()
@click.argument("path", metavar="FILE", type=click.Path())
@input_options
@output_options
def info(path: str, asked: Input, output: str | None) -> None:
    """What is in FILE, a file, a folder or a glob: formats, items, coders, units, boundaries, types, tiers.

    Tiers are shown as they are, in seconds. What cannot be read is named; the exit code is 1 if nothing could be.
    """
    from caesura.tasks.contents import describe
    from caesura.views.contents import contents_table, first_lines
    from caesura.views.table import Table, clean

    files = [source.path for source in find(path, asked.format, asked.pattern)]
    used = _formats(files, asked)
    if any(Tier in one.annotation_types for one in used.values()):
        asked = asked.with_options(units="times")
    excluded: list[FormatError] = []
    try:
        corpus = asked.read(path, excluded)
    except FormatError as problem:
        excluded.append(problem)
        corpus = None
    bad = [str(problem) for problem in excluded]
    tiers = _tiers(files, asked)
    if corpus is None or not len(corpus):
        if tiers:
            _show_tiers(tiers, output)
        complain([*bad, "nothing could be read"] if len(bad) != 1 else bad)
        return
    counted = Counter(one.name for one in used.values())
    contents = describe(corpus)
    lines = first_lines(corpus.of_item(corpus.item_names[0]))
    if output == "json":
        data = {
            "path": path,
            "formats": dict(counted),
            "files": len(files),
            "items": list(corpus.item_names),
            "coders": contents.to_dict()["coders"],
            "tiers": {name: [_tier(one) for one in every] for name, every in tiers.items()},
            "first": dict(lines),
            "excluded": bad,
        }
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    if output is None:
        kinds = ", ".join(f"{name} ({number})" if len(files) > 1 else name for name, number in counted.items())
        click.echo(f"{clean(path)}: {kinds}")
        click.echo(f"{_items(corpus)}\n")
    show(contents_table(contents), output)
    if output is None:
        _show_tiers(tiers, output)
        click.echo(f"\n{clean(corpus.item_names[0])} begins")
        show(Table(("coder", "first line"), tuple(lines)), output)
        for said in dict.fromkeys(bad):
            click.echo(f"caesura: {clean(said)}", err=True)


def _items(corpus: Corpus) -> str:
    from caesura.views.table import clean

    names = ", ".join(map(clean, corpus.item_names[:10])) + (", …" if len(corpus.item_names) > 10 else "")
    return f"{len(corpus.item_names)} item{'' if len(corpus.item_names) == 1 else 's'}: {names}"


def _formats(files: list[str], asked: Input) -> dict[str, Any]:
    """File -> format, of those that have one; what is wrong with the others is said when they are read."""
    found = {}
    for path in files:
        try:
            found[path] = detect(path, asked.format)
        except FormatError:
            continue
    return found


def _tiers(files: list[str], asked: Input) -> dict[str, list[TierRead]]:
    """File -> its tiers, before any is chosen."""
    found: dict[str, list[TierRead]] = {}
    for path in files[:_FEW]:
        try:
            every = list_tiers(path, asked.format)
        except FormatError:
            continue
        if every:
            found[path] = every
    return found


def _tier(one: TierRead) -> dict[str, Any]:
    points = one.points is not None
    return {
        "name": one.name,
        "kind": "points" if points else "intervals",
        "number": len(one.points or ()) if points else len(one.rows),
        "labelled": sum(bool(row.label.strip()) for row in (one.points if one.points is not None else one.rows)),
        "begin": float(one.begin),
        "end": float(one.end),
    }


def _show_tiers(tiers: dict[str, list[TierRead]], output: str | None) -> None:
    from pathlib import Path

    from caesura.views.table import Table

    rows = [(Path(path).name, *_tier(one).values()) for path, every in tiers.items() for one in every]
    if rows:
        click.echo()
        columns = ("file", "tier", "of", "number", "labelled", "from", "to")
        show(
            Table(columns, tuple(rows), title="Tiers in seconds; --reading tiers=NAME chooses", digits=3, group=1),
            output,
        )
