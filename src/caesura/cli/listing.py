"""``caesura measures`` and ``caesura formats``: what there is."""

from __future__ import annotations

import json

import click

from caesura.cli.program import main, output_options, show
from caesura.formats import formats
from caesura.measures.registry import measures

__all__ = ["list_formats", "list_measures"]


@main.command(name="measures")
@output_options
def list_measures(output: str | None) -> None:
    """List the measures, their options and presets."""
    from caesura.views.table import Table

    if output == "json":
        listed = {
            name: {
                "title": kind.title,
                "options": {
                    option.name: {"default": option.default, "says": option.description} for option in kind.options
                },
                "presets": {preset: dict(values) for preset, values in kind.presets.items()},
            }
            for name, kind in measures().items()
        }
        click.echo(json.dumps(listed, indent=2))
        return
    rows = []
    for name, kind in measures().items():
        rows.append((name, "", kind.title))
        rows += [("", f"{option.name}={option.default!r}", option.description) for option in kind.options]
        if kind.presets:
            rows.append(("", "compat=None", "preset: " + ", ".join(kind.presets)))
    show(Table(("measure", "option", "what it is"), tuple(rows)), output)


@main.command(name="formats")
@output_options
def list_formats(output: str | None) -> None:
    """List the formats, their suffixes, and their options for --reading."""
    from caesura.views.table import Table

    if output == "json":
        listed = {
            name: {
                "says": one.description,
                "suffixes": list(one.suffixes),
                "found_by_content": list(one.other_suffixes),
                "reads": True,
                "writes": one.write is not None,
                "holds": [kind.__name__ for kind in one.annotation_types],
                "extra": one.extra or None,
                "options": {
                    option.name: {"default": option.default, "says": option.description} for option in one.options
                },
            }
            for name, one in formats().items()
        }
        click.echo(json.dumps(listed, indent=2))
        return
    rows: list[tuple[str, ...]] = []
    for name, one in formats().items():
        suffixes = " ".join(
            (*one.suffixes, *(f"({suffix})" for suffix in one.other_suffixes if suffix not in one.suffixes))
        )
        needs = f"; needs caesura[{one.extra}]" if one.extra else ""
        rows.append((name, suffixes, "read, write" if one.write else "read", "", one.description + needs))
        rows += [("", "", "", f"{option.name}={option.default!r}", option.description) for option in one.options]
    notes = ("A suffix in brackets belongs to other formats too: there the content decides.",)
    show(Table(("format", "suffixes", "can", "option", "what it is"), tuple(rows), notes=notes), output)
