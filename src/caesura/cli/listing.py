"""``caesura measures``: what there is."""

from __future__ import annotations

import json

import click

from caesura.cli.program import main, output_options, show
from caesura.measures.registry import measures

__all__ = ["list_measures"]


@main.command(name="measures")
@output_options
def list_measures(output: str | None) -> None:
    """List the measures, their options and presets."""
    from caesura.reporting.table import Table

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
    show(Table(("measure", "option", "what it is"), tuple(rows)), output)
