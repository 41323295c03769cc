"""``caesura report``: one page with everything, to read in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caesura.cli.legacy import Input, MeasureType, complain, enter, input_options, read_with_systems
from caesura.cli.program import main
from caesura.cli.progress import Progress
from caesura.errors import FormatError, OptionError
from caesura.measures.base import Measure
from caesura.measures.registry import parse

if TYPE_CHECKING:
    from caesura.formats.settings import Settings

__all__ = ["report"]


@main.command()
@click.argument("files", metavar="CORPUS...", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", "target", type=click.Path(), default="report.html", show_default=True)
@click.option(
    "--system",
    "systems",
    multiple=True,
    help="A coder in CORPUS that is a program, or a file with the output of one. May be repeated.",
)
@click.option(
    "-m",
    "--measure",
    "chosen",
    type=MeasureType(),
    help="What coders are compared by; by default B and S, for dialogue S_f and S_f^B, for hierarchies kappa, for trees "
    "Struct-IoU and PARSEVAL.",
)
@click.option("--title", help="The heading of the page.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Of bootstrap and draws.")
@input_options
def report(
    files: tuple[str, ...],
    target: str,
    systems: tuple[str, ...],
    chosen: Measure | None,
    title: str | None,
    seed: int,
    asked: Input,
) -> None:
    """Write one HTML page about CORPUS: agreement, figures, and the texts with every boundary of every coder.

    CORPUS is one file with all coders, or a file for each. The page is a single file that asks the network for nothing.
    What was left out is named there and here, and the exit code is 1.
    """
    from caesura.views.page.build import report as build

    found: list[FormatError] = []
    corpus, theirs = read_with_systems(asked, files, systems, found)
    bad = [str(problem) for problem in found]
    if not len(corpus):
        complain([*bad, "nothing is left to report on"])
    made: Any = None
    if systems:
        corpus, made = enter(corpus, systems, theirs)
    with Progress("steps of the report") as progress:
        page = build(
            corpus,
            systems=made,
            path=target,
            title=title,
            measure=_measure(chosen, asked.settings),
            seed=seed,
            excluded=bad,
            progress=progress.update,
        )
    click.echo(f"{target}: {len(page.encode()) / 1e6:.2f} MB", err=True)
    if bad:
        complain(bad)


def _measure(chosen: Measure | None, settings: Settings | None) -> Measure | None:
    """What was asked for; settings are of flexible similarity, and fill in what it leaves open."""
    if settings is None:
        return chosen
    found = settings.measure_options()
    if chosen is None:
        return parse("flexible_similarity").replace(**found)
    if not chosen.accepts_settings:
        raise OptionError(f"settings are of flexible_similarity; got {chosen.name}")
    return chosen.with_settings(found)
