"""``caesura evaluate``: a collection of any size."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING

import click

from caesura.cli.program import (
    DEFAULT_MEASURES,
    SO_FAR,
    Input,
    MeasureType,
    checkpoint_option,
    complain,
    engine_options,
    input_options,
    main,
    output_options,
    show,
    with_settings,
)
from caesura.measures.base import Measure
from caesura.measures.registry import parse

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from caesura.evaluation.evaluate import Advance
    from caesura.evaluation.result import Evaluation

__all__ = ["evaluate"]

_TOLD = 20  # problems that are listed


@main.command()
@click.argument("source", type=click.Path())
@click.option(
    "-m", "--measure", "chosen", multiple=True, type=MeasureType(),
    help='A measure, with options: "window_diff(window=5)". May be repeated; `caesura measures` lists them.',
)  # fmt: skip
@click.option("--reference", help="Which coder is the reference, of files in which coders have names.")
@click.option("--hypothesis", help="Which coder is the hypothesis.")
@engine_options
@checkpoint_option
@click.option("--scores", type=click.Path(), help="A folder for the score of every document, as Parquet.")
@click.option("--strict", is_flag=True, help="Stop at the first document or partition that cannot be scored.")
@input_options
@output_options
def evaluate(
    source: str,
    chosen: tuple[Measure, ...],
    reference: str | None,
    hypothesis: str | None,
    engine: str,
    workers: int | None,
    scheduler: str | None,
    checkpoint: str | None,
    scores: str | None,
    strict: bool,
    asked: Input,
    output: str | None,
) -> None:
    """Score a collection of any size: SOURCE is a Parquet data set, JSON lines, or files of any format.

    A row or line is a document: item, length, reference and hypothesis, which are lists of positions. `caesura convert` writes
    it from any corpus. Documents that cannot be scored, and partitions that cannot be read, are listed, the others are scored,
    and the exit code is 1.
    """
    from caesura.evaluation import evaluate as run

    measures = with_settings(chosen or tuple(map(parse, DEFAULT_MEASURES)), asked.settings)
    with _Watched() as watched:
        found = run(
            source, measures, engine=engine, workers=workers, scheduler=scheduler, checkpoint=checkpoint,
            types=asked.types, reference=reference, hypothesis=hypothesis, format=asked.format, pattern=asked.pattern,
            align=asked.align, scores=scores, strict=strict, progress=watched.told, **asked.options,
        )  # fmt: skip
    if output == "json":
        click.echo(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))
    else:
        from caesura.reporting.results import evaluation_table

        show(evaluation_table(found), output)
    if found.partial:
        complain(_listed(found))


def _listed(found: Evaluation) -> list[str]:
    told = [str(one) for one in found.problems[:_TOLD]]
    parts = [f"{found.left_out} document(s) left out"] * bool(found.left_out)
    parts += [f"{found.failed} of {found.partitions} partition(s) not read"] * bool(found.failed)
    return [*told, f"the result is partial: {' and '.join(parts)}"]


class _Watched:
    """How far it has come, with rate and time left: a bar on a terminal, a line now and then elsewhere."""

    every = 5.0  # seconds between two lines

    def __init__(self) -> None:
        self.bar: RichProgress | None = None
        self.on_terminal = sys.stderr.isatty()
        self._said = monotonic()

    def __enter__(self) -> _Watched:
        return self

    def told(self, now: Advance) -> None:
        """Something is done."""
        click.get_current_context().meta[SO_FAR] = _of(now)
        if self.on_terminal:
            self._draw(now)
        elif monotonic() - self._said >= self.every:
            self._said = monotonic()
            click.echo(f"caesura: {_sentence(now)}", err=True)

    def _draw(self, now: Advance) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self.bar = Progress(
                BarColumn(), TextColumn("{task.description}"), console=Console(stderr=True), transient=True
            )
            self.bar.add_task("", total=None)
            self.bar.start()
        self.bar.update(self.bar.task_ids[0], completed=now.partitions, total=now.total, description=_sentence(now))

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()


def _of(now: Advance) -> str:
    return f"{now.partitions}{'' if now.total is None else f' of {now.total}'} partitions"


def _sentence(now: Advance) -> str:
    rate = (now.documents - now.resumed) / now.seconds if now.seconds > 0 else 0.0
    said = f"{_of(now)}, {now.documents:,} documents, {rate:,.0f} a second"
    if now.left is None:
        return said
    return f"{said}, {timedelta(seconds=round(now.left))} left"
