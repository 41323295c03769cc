"""``caesura trees``: parses against a treebank, by Struct-IoU and PARSEVAL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.program import complain, console_for_tables, engine_options, main, output_options, show
from caesura.engines import use_engine
from caesura.errors import FormatError
from caesura.model.tree import Tree

if TYPE_CHECKING:
    from caesura.parsing.corpus import ParsevalResult
    from caesura.parsing.structiou import StructIoUCorpus

__all__ = ["trees"]


@main.command()
@click.argument("gold", type=click.Path())
@click.argument("predicted", type=click.Path())
@click.option(
    "--gold-times", type=click.Path(), help="Times of the gold words: CTM (first column: sentence) or TextGrid."
)
@click.option("--predicted-times", type=click.Path(), help="Times of the predicted words.")
@click.option("--tier", help="The tier with the words, where times are in a TextGrid with several.")
@click.option(
    "--snap",
    type=click.FloatRange(0, 1),
    default=1e-4,
    show_default=True,
    help="Seconds by which words may overlap; they then meet in the middle.",
)
@click.option(
    "--zero-length",
    type=click.Choice(["error", "merge"]),
    default="error",
    show_default=True,
    help="Words that take no time: an error, or joined to a neighbour.",
)
@click.option("--param", type=click.Path(), help="An EVALB parameter file; by default what COLLINS.prm says.")
@click.option("--unlabelled", is_flag=True, help="Struct-IoU without labels. (PARSEVAL always shows both.)")
@click.option("--flexible-terminals", is_flag=True, help="Struct-IoU: a preterminal may pair with any label.")
@click.option("--threshold", type=float, help="Struct-IoU: the IoU above which a pair counts.")
@click.option("--compat", type=click.Choice(["struct-iou"]), help="Struct-IoU as the authors' program computes it.")
@click.option("--strip-functions", is_flag=True, help="Struct-IoU: cut NP-SBJ to NP first. (PARSEVAL always does.)")
@click.option("--versus", type=click.Path(), help="Trees of a second parser: is one better, or lucky?")
@click.option("--versus-times", type=click.Path(), help="Times of the second parser's words.")
@click.option("--seed", type=int, help="For --versus: the seed of its draws.")
@click.option("--by-sentence", is_flag=True, help="A row for each sentence too.")
@click.option("--labels", is_flag=True, help="A row for each label too.")
@click.option("--align", is_flag=True, help="Both trees side by side, with the pairs marked.")
@click.option(
    "--sentence",
    "wanted",
    type=click.IntRange(1),
    multiple=True,
    help="Only this sentence in --by-sentence and --align. May be repeated.",
)
@click.option(
    "--layout",
    type=click.Choice(["lines", "brackets"]),
    help="A sentence a line, or trees over several lines; by default found out.",
)
@engine_options
@output_options
def trees(
    gold: str,
    predicted: str,
    gold_times: str | None,
    predicted_times: str | None,
    tier: str | None,
    snap: float,
    zero_length: str,
    param: str | None,
    unlabelled: bool,
    flexible_terminals: bool,
    threshold: float | None,
    compat: str | None,
    strip_functions: bool,
    versus: str | None,
    versus_times: str | None,
    seed: int | None,
    by_sentence: bool,
    labels: bool,
    align: bool,
    wanted: tuple[int, ...],
    layout: str | None,
    engine: str,
    workers: int | None,
    scheduler: str | None,
    output: str | None,
) -> None:
    """Compare the trees in PREDICTED with those in GOLD, sentence by sentence.

    Both are files of brackets as in the Penn Treebank; an empty line is a sentence without a parse. PARSEVAL's figures are
    EVALB's. Struct-IoU looks at times, where they are given, and otherwise at words.
    """
    from caesura.formats.ptb import read_trees
    from caesura.parsing.corpus import parseval_corpus
    from caesura.parsing.structiou import struct_iou_corpus

    if versus_times is not None and versus is None:
        raise click.UsageError("--versus-times needs --versus")
    excluded: list[FormatError] = []

    def load(path: str, times: str | None) -> list[Tree | None]:
        return read_trees(
            path, times=times, tier=tier, snap=snap, zero_length=zero_length, layout=layout, excluded=excluded
        )

    sides = {"gold": load(gold, gold_times), "predicted": load(predicted, predicted_times)}
    if versus is not None:
        sides["versus"] = load(versus, versus_times)
    beyond = [one for one in wanted if one > len(sides["gold"])]
    if beyond:
        raise click.BadParameter(f"there are {len(sides['gold'])} sentences; got {beyond[0]}", param_hint="--sentence")
    options: dict[str, Any] = {
        "unlabelled": unlabelled or None,
        "flexible_terminals": flexible_terminals or None,
        "threshold": threshold,
        "compat": compat,
    }
    plain = {name: [_plain(one, strip_functions) for one in every] for name, every in sides.items()}
    with use_engine(engine, workers, scheduler) as opened:
        parsed = parseval_corpus(sides["gold"], sides["predicted"], param=param, engine=opened)
        scored = struct_iou_corpus(plain["gold"], plain["predicted"], engine=opened, **options)
    chosen = [number - 1 for number in wanted] or list(range(len(scored)))
    compared = _compare(sides, plain, parsed, scored, seed) if versus is not None else []
    bad = [str(problem) for problem in excluded]
    if output == "json":
        click.echo(json.dumps(_as_json(parsed, scored, compared, bad, align), ensure_ascii=False, indent=2))
    else:
        _print(parsed, scored, output, chosen if by_sentence else None, labels)
        for each in compared:
            from caesura.views.trees import parser_table

            click.echo()
            show(parser_table(each), output)
        if align and output is None:
            _draw(plain, scored, chosen)
    if bad:
        complain(bad)


def _plain(tree: Tree | None, strip_functions: bool) -> Tree | None:
    return tree.without_functions() if strip_functions and tree is not None else tree


def _compare(
    sides: dict[str, list[Tree | None]],
    plain: dict[str, list[Tree | None]],
    parsed: ParsevalResult,
    scored: StructIoUCorpus,
    seed: int | None,
) -> list[Any]:
    """The two parsers under both measures."""
    from caesura.judging.parsers import compare_parsers

    return [
        compare_parsers(
            every["gold"], {name: every[name] for name in ("predicted", "versus")}, measure=measure, seed=seed
        )
        for every, measure in ((sides, parsed.measure), (plain, scored.scores.measure))
    ]


def _print(
    parsed: ParsevalResult, scored: StructIoUCorpus, output: str | None, chosen: list[int] | None, labels: bool
) -> None:
    from caesura.views import trees as tables

    blocks = [tables.struct_iou_table(scored), tables.summary_table(parsed)]
    if chosen is not None:
        blocks += [tables.struct_iou_sentences(scored, chosen), tables.sentence_table(parsed, chosen)]
    if labels:
        blocks += [tables.struct_iou_labels(scored.labels), tables.label_table(parsed.labels)]
    for i, table in enumerate(blocks):
        if i:
            click.echo()
        show(table, output)


def _draw(plain: dict[str, list[Tree | None]], scored: StructIoUCorpus, chosen: list[int]) -> None:
    from caesura.views.tree_alignment import TREE_LEGEND, draw_tree_alignment

    width = min(console_for_tables().width, 120)
    for place in chosen:
        click.echo(f"\nSentence {place + 1}: ", nl=False)
        if place in scored.errors:
            click.echo(str(scored.errors[place]))
            continue
        click.echo(f"Struct-IoU {scored.values[place]:.4f}, gold on the left")
        one, other = plain["gold"][place], plain["predicted"][place]
        assert one is not None
        assert other is not None
        click.echo(draw_tree_alignment(one, other, scored.alignments[place], width=width))
    click.echo(f"\n{TREE_LEGEND}")


def _as_json(
    parsed: ParsevalResult, scored: StructIoUCorpus, compared: list[Any], bad: list[str], align: bool
) -> dict[str, Any]:
    found: dict[str, Any] = {"struct_iou": scored.to_dict(align=align), "parseval": parsed.to_dict()}
    if compared:
        found["versus"] = [one.to_dict() for one in compared]
    return found | {"errors": bad}
