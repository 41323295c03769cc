"""The commands ``caesura measures`` and ``caesura formats``, which list all measures and formats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from caesura.cli.output import OutputOptions, output_options, print_result
from caesura.cli.program import main
from caesura.formats import formats
from caesura.formats.format import Format
from caesura.measures.registry import measures
from caesura.options import Option
from caesura.views.answer import Answer, Section
from caesura.views.table import Table


@main.command(name="measures")
@output_options
def list_measures(output: OutputOptions) -> None:
    """List the measures with their options and presets."""
    listed = {
        name: {
            "title": measure.title,
            "options": _options(measure.options),
            "presets": {preset: dict(values) for preset, values in measure.presets.items()},
        }
        for name, measure in measures().items()
    }
    rows: list[tuple[str, ...]] = []
    for name, measure in measures().items():
        rows.append((name, "", measure.title))
        rows += [("", f"{option.name}={option.default!r}", option.description) for option in measure.options]
        if measure.presets:
            rows.append(("", "compat=None", "preset: " + ", ".join(measure.presets)))
    table = Table(("measure", "option", "description"), tuple(rows))
    print_result("measures", listed, Answer("", (Section("measures", table),)), output=output)


@main.command(name="formats")
@output_options
def list_formats(output: OutputOptions) -> None:
    """List the formats with their suffixes and their options for --reading."""
    listed = {
        name: {
            "description": entry.description,
            "suffixes": entry.suffixes,
            "other_suffixes": entry.other_suffixes,
            "reads": True,
            "writes": entry.write is not None,
            "holds": [kind.__name__ for kind in entry.annotation_types],
            "extra": entry.extra or None,
            "options": _options(entry.options),
        }
        for name, entry in formats().items()
    }
    rows: list[tuple[str, ...]] = []
    for name, entry in formats().items():
        rows.append(_format_row(name, entry))
        rows += [("", "", "", f"{option.name}={option.default!r}", option.description) for option in entry.options]
    notes = ("A suffix in brackets belongs to several formats; the content of the file determines the format.",)
    table = Table(("format", "suffixes", "access", "option", "description"), tuple(rows), notes=notes)
    print_result("formats", listed, Answer("", (Section("formats", table),)), output=output)


def _format_row(name: str, entry: Format) -> tuple[str, ...]:
    others = (f"({suffix})" for suffix in entry.other_suffixes if suffix not in entry.suffixes)
    needs = f"; needs caesura[{entry.extra}]" if entry.extra else ""
    access = "read, write" if entry.write else "read"
    return name, " ".join((*entry.suffixes, *others)), access, "", entry.description + needs


def _options(options: Iterable[Option]) -> dict[str, Any]:
    return {option.name: {"default": option.default, "description": option.description} for option in options}
