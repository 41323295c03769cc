"""``caesura unify``: one gold standard from several annotated hierarchies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.program import Input, complain, input_options, main, output_options, show
from caesura.errors import CaesuraError, FormatError, HierarchyError, OptionError
from caesura.formats import write
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy

if TYPE_CHECKING:
    from caesura.gold.result import Gold
    from caesura.views.table import Table

__all__ = ["unify"]

METHODS = ("consensus", "majority", "conflict_free_union", "union", "best_annotator")
CODER = "gold"
"""Who the gold is by, in the file that is written."""


@main.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--method", type=click.Choice(METHODS), default="conflict_free_union", show_default=True)
@click.option(
    "--level",
    type=click.Choice(["flat", "full"]),
    default="flat",
    show_default=True,
    help="Whether coders must agree on spans, or on their levels too.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.5,
    show_default=True,
    help="A majority is more than this share of the coders.",
)
@click.option(
    "--weights",
    type=click.Choice(["coders", "unique"]),
    default="coders",
    show_default=True,
    help="Whether a conflict-free union counts every coder's copy of a span, or each distinct span once.",
)
@click.option(
    "--min-support",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Spans of fewer coders are left out of a union.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, min_open=True),
    default=0.5,
    show_default=True,
    help="Seconds: times this near to each other are one.",
)
@click.option(
    "--repair",
    is_flag=True,
    help="Annotations whose own spans cross lose spans until they do not, the deeper, shorter, later first.",
)
@click.option("-o", "--output", "target", type=click.Path(), help="Write the gold; .json, .csv or .tsv.")
@click.option("--why", is_flag=True, help="Every span that is not in the gold: who drew it, what it crosses.")
@click.option(
    "--evaluate",
    is_flag=True,
    help="Every method against every annotation: mean and deviation of kappa, recall, precision, non-crossing.",
)
@click.option("--item", "items", multiple=True, help="Only this item. May be repeated.")
@input_options
@output_options
def unify(
    files: tuple[str, ...],
    method: str,
    level: str,
    threshold: float,
    weights: str,
    min_support: int,
    tolerance: float,
    repair: bool,
    target: str | None,
    why: bool,
    evaluate: bool,
    items: tuple[str, ...],
    asked: Input,
    output: str | None,
) -> None:
    """Make one hierarchy from those of several coders, item by item.

    FILE is one file with all coders, a folder or glob, or a file for each: spans JSON or CSV, .rs3 and .rs4, .lab.
    Annotations and items that cannot be used are named, the others are used, and the exit code is 1.
    """
    from caesura.gold.unify import check_method

    excluded: list[FormatError] = []
    corpus = (asked.with_options(repair=True) if repair else asked).read_files(files, excluded)
    bad = [str(problem) for problem in excluded]
    if not len(corpus):
        complain([*bad, *(["nothing is left to unify"] if len(bad) > 1 else [])])
    corpus = corpus.select(items=items or None)
    _only_hierarchies(corpus)
    given: dict[str, Any] = {"threshold": threshold, "weights": weights, "min_support": min_support}
    check_method(method, level, **given)
    given["tolerance"] = tolerance
    if evaluate and target is None:
        bad += _evaluate(corpus, given, output)
    else:
        golds, lost = _golds(corpus, {"method": method, "level": level, **given})
        bad += [why for item, why in lost.items() if not _follows(item, corpus, bad)]
        if not golds:
            complain(bad)
        if target is not None:
            _write(golds, target)
        if evaluate:
            bad += _evaluate(corpus, given, output)
        elif output == "json":
            data = {"golds": {item: gold.to_dict() for item, gold in golds.items()}, "errors": bad}
            click.echo(json.dumps(data, ensure_ascii=False, indent=2))
        else:
            _show(_tables(golds, why, target is None), output)
    if bad:
        complain(bad)


def _only_hierarchies(corpus: Corpus) -> None:
    for item, coder in corpus:
        one = corpus[item, coder]
        if not isinstance(one, Hierarchy):
            raise OptionError(
                f"item {item!r}, coder {coder!r}: unify needs spans; this is a {type(one).__name__}; "
                "`caesura convert IN OUT.json --to spans-json` makes spans of its segments"
            )


def _follows(item: str, corpus: Corpus, bad: list[str]) -> bool:
    """Whether an item is lost because annotations of it are, which has been said."""
    said = len(corpus.item_names) == 1 or any(f"item {item!r}" in one for one in bad)
    return bool(bad) and said and len(corpus.of_item(item)) < 2


def _golds(corpus: Corpus, options: dict[str, Any]) -> tuple[dict[str, Gold], dict[str, str]]:
    """Item -> gold, and what is wrong with the others."""
    from caesura.gold.unify import unify as run

    golds: dict[str, Gold] = {}
    lost = {}
    for item in corpus.item_names:
        drawn = {coder: one for coder, one in corpus.of_item(item).items() if isinstance(one, Hierarchy)}
        try:
            golds[item] = run(drawn, **options)
        except CaesuraError as problem:
            lost[item] = f"item {item!r}: {problem}"
    return golds, lost


def _write(golds: dict[str, Gold], target: str) -> None:
    """With the levels that coders agreed on where these nest, else with levels by nesting; what was done is said."""
    made: dict[str, dict[str, Hierarchy]] = {}
    for item, gold in golds.items():
        one = gold.hierarchy
        if gold.conflicts:
            click.echo(
                f"caesura: warning: item {item!r}: spans of the gold cross; it can be read again only with repair",
                err=True,
            )
        elif not _nested(gold):
            one = gold.nested_hierarchy()
            click.echo(
                f"caesura: warning: item {item!r}: levels of the gold contradict nesting; written with levels by nesting",
                err=True,
            )
        made[item] = {CODER: one}
    write(Corpus(made), target)
    click.echo(f"{target}: {len(made)} item{'' if len(made) == 1 else 's'}, coder {CODER!r}", err=True)


def _nested(gold: Gold) -> bool:
    try:
        Hierarchy(gold.hierarchy.length, gold.hierarchy.spans)
    except HierarchyError:
        return False
    return True


def _evaluate(corpus: Corpus, options: dict[str, Any], output: str | None) -> list[str]:
    """The experiment's table; what could not be used."""
    from caesura.gold.experiment import evaluate_unification
    from caesura.views.gold import unification_table

    found = evaluate_unification(corpus, **options)
    bad = [str(entry) for entry in found.excluded]
    if output == "json":
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
    else:
        show(unification_table(found), output)
    return bad


def _tables(golds: dict[str, Gold], why: bool, spans: bool) -> list[Table]:
    from caesura.views.gold import dropped_table, span_table, unified_table

    tables = [unified_table(golds)]
    tables += [span_table(golds)] if spans else []
    return [*tables, dropped_table(golds)] if why else tables


def _show(tables: list[Table], output: str | None) -> None:
    for i, table in enumerate(tables):
        if i:
            click.echo()
        show(table, output)
