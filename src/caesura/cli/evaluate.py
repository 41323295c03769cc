"""``caesura evaluate``: a collection of any size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from caesura.cli.program import (
    DEFAULT_MEASURES,
    Input,
    checkpoint_option,
    complain,
    engine_options,
    input_options,
    main,
    measure_option,
    output_options,
    show,
    with_settings,
)
from caesura.cli.progress import ProgressDisplay, pace
from caesura.measures.base import Measure
from caesura.measures.registry import parse

if TYPE_CHECKING:
    from caesura.evaluation.evaluate import Advance
    from caesura.evaluation.result import Evaluation

__all__ = ["evaluate"]

_TOLD = 20  # problems that are listed


@main.command()
@click.argument("source", type=click.Path())
@measure_option
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
    with _Watching() as watched:
        found = run(
            source,
            measures,
            engine=engine,
            workers=workers,
            scheduler=scheduler,
            checkpoint=checkpoint,
            types=asked.types,
            reference=reference,
            hypothesis=hypothesis,
            format=asked.format,
            pattern=asked.pattern,
            align=asked.align,
            scores=scores,
            strict=strict,
            progress=watched.update,
            **asked.options,
        )
    if output == "json":
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
    else:
        from caesura.views.results import evaluation_table

        show(evaluation_table(found), output)
    if found.partial:
        complain(_listed(found))


def _listed(found: Evaluation) -> list[str]:
    told = [str(one) for one in found.excluded[:_TOLD]]
    parts = [f"{found.left_out} document(s) left out"] * bool(found.left_out)
    parts += [f"{found.failed} of {found.partitions} partition(s) not read"] * bool(found.failed)
    return [*told, f"the result is partial: {' and '.join(parts)}"]


class _Watching(ProgressDisplay):
    """Partitions are what is counted, documents what takes time."""

    def update(self, now: Advance) -> None:
        """A partition is done."""
        so_far = f"{now.partitions}{'' if now.total is None else f' of {now.total}'} partitions"
        rest = f"{now.documents:,} documents, {pace(now.documents - now.resumed, now.seconds, now.left)}"
        self.show(so_far, rest, now.partitions, now.total)
