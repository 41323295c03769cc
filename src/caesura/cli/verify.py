"""The command ``caesura verify``: a number computed again from its signature."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from caesura.cli.options import reading_options, systems_option
from caesura.cli.output import OutputOptions, output_options, print_result
from caesura.cli.program import main
from caesura.cli.progress import Progress
from caesura.errors import FormatError
from caesura.model.result import UNKNOWN_DATA
from caesura.tasks.reading import ReadingOptions
from caesura.tasks.systems import split_systems
from caesura.tasks.verify import first_signature, is_about_two_sides, verify_all
from caesura.tasks.verify import verify as verify_number
from caesura.views.verify import verification_view


@main.command()
@click.argument("signature", metavar="SIGNATURE")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@systems_option(required=False)
@reading_options
@output_options
def verify(
    signature: str, files: tuple[str, ...], systems: tuple[str, ...], reading: ReadingOptions, output: OutputOptions
) -> None:
    """Say whether a number is right: recompute it from its signature.

    SIGNATURE is the line below a table, in its short or long form, or a file with the JSON of a result, whose numbers are all
    verified. FILE is the data: the files that score, agree, pairwise, judge or evaluate read, in any format and order. The
    answer is "verified", "different value", "different data" or "different version: same value"; the exit code is 0 if value
    and data are the same, and 1 otherwise. Numbers of judge need the same --system as judge, unless the system is the only
    coder in FILE that is not human.

    \b
    Example:
      caesura verify "B = .6667 · caesura 0.3.0 · data ec30bb89" documents.jsonl
    """
    if os.path.isfile(signature) or signature.lower().endswith(".json"):
        document = _read_result(signature)
        arguments, options = _data(first_signature(document), files, systems, reading)
        with Progress():
            result: Any = verify_all(document, *arguments, **options)
    else:
        arguments, options = _data(signature, files, systems, reading)
        with Progress():
            result = verify_number(signature, *arguments, **options)
    try:
        print_result("verify", result, verification_view(result), output=output, reading=reading)
    except click.exceptions.Exit:  # items that cannot be read were excluded when the number was computed, too
        if result.excluded or not result.same:
            raise
    if not result.same:
        click.get_current_context().exit(1)


def _read_result(path: str) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problem = "expected the JSON of a result, as --json prints it, or a signature"
        raise FormatError(path, None, f"{problem}; {error}") from None


def _data(
    text: str, files: Sequence[str], systems: Sequence[str], reading: ReadingOptions
) -> tuple[list[Any], dict[str, Any]]:
    """Read the files as the command that printed the signature does."""
    if systems:
        corpus, system_files = reading.read_with_systems(files, systems)
        people, annotations = split_systems(corpus, systems, system_files)
        return [people], {"systems": annotations}
    two_sides = is_about_two_sides(text)
    if two_sides and len(files) == 1 and f"|data:{UNKNOWN_DATA}|" in text:
        return [files[0]], {}
    corpora = reading.read_separately(files) if two_sides and len(files) == 2 else [reading.read(files)]
    return [reading.require(corpus, "verify") for corpus in corpora], {}
