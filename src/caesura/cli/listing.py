"""The commands ``caesura measures`` and ``caesura formats``, which list all measures and formats, or describe one."""

from __future__ import annotations

import click

from caesura.agreement.unitizing_registry import UNITIZING
from caesura.cli.output import OutputOptions, output_options, print_result
from caesura.cli.program import main
from caesura.formats import find_format, formats
from caesura.measures.registry import find_measure, measures
from caesura.options import normalize_name
from caesura.views.listing import (
    coefficient_facts,
    coefficient_view,
    format_facts,
    format_view,
    formats_view,
    measure_facts,
    measure_view,
    measures_view,
)


@main.command(name="measures")
@click.argument("name", required=False)
@output_options
def list_measures(name: str | None, output: OutputOptions) -> None:
    """List the measures, or describe one with its options and presets.

    NAME is a name in Python or in the papers, or a coefficient for spans such as gamma.

    \b
    Example:
      caesura measures pk
    """
    coefficient = UNITIZING.get(normalize_name(name or ""))
    if coefficient is not None:
        facts = {coefficient.name: coefficient_facts(coefficient)}
        print_result("measures", facts, coefficient_view(coefficient), output=output)
        return
    listed = measures() if name is None else {(entry := find_measure(name)).name: entry}
    answer = measures_view(listed) if name is None else measure_view(entry)
    print_result("measures", {key: measure_facts(entry) for key, entry in listed.items()}, answer, output=output)


@main.command(name="formats")
@click.argument("name", required=False)
@output_options
def list_formats(name: str | None, output: OutputOptions) -> None:
    """List the formats, or describe one with its options for --reading.

    NAME is the name of a format or a suffix of its files.

    \b
    Example:
      caesura formats textgrid
    """
    listed = formats() if name is None else {(entry := find_format(name)).name: entry}
    answer = formats_view(listed) if name is None else format_view(entry)
    print_result("formats", {key: format_facts(entry) for key, entry in listed.items()}, answer, output=output)
