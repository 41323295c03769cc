"""``caesura score``: a hypothesis against a reference."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.program import (
    Input,
    chosen_measures,
    complain,
    console_for_tables,
    input_options,
    main,
    measure_option,
    output_options,
    same_units,
    show,
    warn_emptied,
)
from caesura.errors import FormatError
from caesura.measures.base import Measure
from caesura.measures.batch import Pair, Text
from caesura.measures.many import score_many
from caesura.model.hierarchy import Hierarchy
from caesura.model.tree import Tree
from caesura.tasks.pairing import pair_up

if TYPE_CHECKING:
    from caesura.model.score import Score
    from caesura.views.table import Table

__all__ = ["score"]


@main.command()
@click.argument("reference", type=click.Path())
@click.argument("hypothesis", type=click.Path(), required=False)
@measure_option
@click.option("--reference-coder", help="Which coder of REFERENCE, where there are several.")
@click.option("--hypothesis-coder", help="Which coder of HYPOTHESIS, where there are several.")
@click.option("--items", "by_item", is_flag=True, help="A row for each item beside the total.")
@click.option("--edits", is_flag=True, help="What happened to every boundary of both sides, item by item.")
@click.option("--operations", is_flag=True, help="What became of the boundaries of each type, over all items.")
@input_options
@output_options
def score(
    reference: str,
    hypothesis: str | None,
    chosen: tuple[Measure, ...],
    reference_coder: str | None,
    hypothesis_coder: str | None,
    by_item: bool,
    edits: bool,
    operations: bool,
    asked: Input,
    output: str | None,
) -> None:
    """Compare HYPOTHESIS with REFERENCE, item by item, and print the scores of all items together.

    Items go together by name. Without HYPOTHESIS both coders are taken from REFERENCE. Items that cannot be scored are
    listed, the others are scored, and the exit code is 1.
    """
    from caesura.measures.operations import operations_table
    from caesura.views.results import operations_view, score_json, score_table

    excluded: list[FormatError] = []
    settings = asked.settings
    first, *others = asked.read_together([reference, *filter(None, [hypothesis])], excluded)
    second = others[0] if others else first
    chosen = chosen_measures(chosen, settings, first)
    if hypothesis is None and len(first.coders) == 2 and not reference_coder and not hypothesis_coder:
        reference_coder, hypothesis_coder = first.coders
    bad = [str(problem) for problem in excluded]
    if not len(first) or not len(second):
        complain([*bad, "nothing is left to score"])
    paired = pair_up(first, second, reference_coder=reference_coder, hypothesis_coder=hypothesis_coder)
    bad += paired.excluded
    if not paired.pairs:
        complain([*bad, "the two sides have no item in common"])
    rows: list[tuple[str | None, Score]] = []
    became: list[tuple[Measure, Table]] = []
    for measure in chosen:
        scores = score_many(_over_common_units(paired.pairs, measure), measure)
        if operations and scores.scored.size and not any(measure.aligns_like(other) for other, _ in became):
            became.append((measure, operations_view(operations_table(scores))))
        bad += [f"item {paired.items[i]!r}: {measure!r}: {why}" for i, why in scores.errors.items()]
        if by_item or edits or output == "json":
            rows += [(paired.items[i], scores[i]) for i in scores.scored.tolist()]
        if scores.scored.size:
            rows.append((None, scores.total))
    bad = list(dict.fromkeys(bad))
    if not rows:
        complain(bad)
    if output == "json":
        data: dict[str, Any] = {"scores": score_json(rows, edits=edits), "errors": bad}
        if operations:
            data["operations"] = {
                repr(m): [dict(zip(t.columns, row, strict=True)) for row in t.rows] for m, t in became
            }
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        shown = [row for row in rows if by_item or row[0] is None]
        table = score_table(shown, by_item=by_item, excluded=len(bad))
        show(table, output)
        for measure, each in became:
            click.echo(f"\n{measure.label}: what became of the boundaries of each type, both sides together")
            show(each, output)
        if edits and output is None:
            _print_edits(dict(zip(paired.items, paired.pairs, strict=True)), rows)
    if bad:
        complain(bad)


def _over_common_units(pairs: list[Pair], measure: Measure) -> list[Pair]:
    """Hierarchies in time over the same units; t_measure and l_measure take times as they are."""
    if measure.kind != "hierarchy" or measure.time_aware:
        return pairs
    laid: list[Pair] = []
    emptied = 0
    for a, b in pairs:
        if isinstance(a, Hierarchy) and isinstance(b, Hierarchy):
            merged, lost = same_units({"reference": a, "hypothesis": b})
            emptied += lost
            a, b = merged["reference"], merged["hypothesis"]
        laid.append((a, b))
    warn_emptied(emptied)
    return laid


def _text(one: Text | Hierarchy | Tree) -> Text:
    """What has edits is no hierarchy and no tree."""
    assert not isinstance(one, (Hierarchy, Tree))
    return one


def _print_edits(pairs: dict[str, Pair], rows: list[tuple[str | None, Score]]) -> None:
    from caesura.views.alignment import LEGEND, draw_text, edit_table

    console = console_for_tables()
    for item, one in rows:
        if item is None or one.edits is None:
            continue
        click.echo(f"\n{item}: {one.measure.label} = {one.value:.4f}")
        click.echo(draw_text(_text(pairs[item][0]), _text(pairs[item][1]), one.edits, width=min(console.width, 100)))
        edit_table(one.edits, ("reference", "hypothesis")).print(console)
    if any(one.edits is not None for item, one in rows if item is not None):
        click.echo(LEGEND)
    else:
        click.echo("None of these measures aligns boundaries; boundary_similarity does.", err=True)
