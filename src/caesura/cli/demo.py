"""``caesura demo``: every part on data that ships with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caesura.cli.program import console_for_tables, main
from caesura.measures.registry import measures, parse
from caesura.model.segmentation import Segmentation

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["demo"]


@main.command()
def demo() -> None:
    """Every part on data that ships with the package."""
    from caesura.agreement.clusters import cluster_coders
    from caesura.agreement.coefficients import agreement
    from caesura.agreement.pairwise import pairwise
    from caesura.agreement.placed import boundaries_placed
    from caesura.data import STARGAZER_SOURCE, stargazer
    from caesura.judging.judge import judge
    from caesura.tasks.agree import AgreementOutcome
    from caesura.views.agreement import THRESHOLDS, agreement_table, coder_table
    from caesura.views.alignment import LEGEND, draw
    from caesura.views.dendrogram import draw_dendrogram
    from caesura.views.judgement import drop_table, score_tables
    from caesura.views.table import Table

    corpus = stargazer()
    (item,) = corpus.item_names
    coders = {coder: one for coder, one in corpus.of_item(item).items() if isinstance(one, Segmentation)}
    console = console_for_tables()
    click.echo(f"{STARGAZER_SOURCE}\n")
    for coder, one in coders.items():
        click.echo(f"reader {coder}  {one.draw()}")
    click.echo("\nReader 1 against reader 3, boundary by boundary:\n")
    pair = coders["1"], coders["3"]
    similarity = parse("boundary_similarity(n_t=2)")
    click.echo(draw(*pair, similarity.score(*pair).edits or (), sides=("reader 1", "reader 3")))
    click.echo(f"\n{LEGEND}\n")
    flat = {name: kind for name, kind in measures().items() if kind.view not in ("spans", "trees")}
    rows = [(name, kind.title, float(kind().score(*pair))) for name, kind in flat.items()]
    Table(("measure", "what it is", "value"), tuple(rows), title="The same two readers under every measure").print(
        console
    )
    click.echo()
    table = pairwise(corpus, similarity)
    grid = [
        (f"reader {a}", *(None if a == b else float(value) for b, value in zip(coders, row, strict=True)))
        for a, row in zip(coders, table.matrix, strict=True)
    ]
    Table(("B", *coders), tuple(grid), title="Every reader against every other", digits=2).print(console)
    click.echo("Agreement of all seven beyond chance: over B, over S, by position, and over flexible similarity S_f")
    flexible = parse("flexible_similarity")
    found = [
        AgreementOutcome("multi_pi", similarity, agreement(corpus)),
        AgreementOutcome("multi_pi", other := parse("segmentation_similarity"), agreement(corpus, measure=other)),
        AgreementOutcome("alpha", similarity, agreement(corpus, coefficient="alpha")),
        AgreementOutcome("kappa", flexible, agreement(corpus, measure=flexible, chance="exact")),
    ]
    agreement_table(found).print(console)
    click.echo()
    coder_table(found[:1], boundaries_placed(corpus)).print(console)
    click.echo("\nWho reads like whom, with multi_pi inside each group:\n")
    click.echo(draw_dendrogram(cluster_coders(corpus, similarity)))
    click.echo(
        "\nIf reader 7 were a program: how good is it, against the other six, people among themselves and no skill at all?\n"
    )
    others = corpus.select(coders=[coder for coder in coders if coder != "7"])
    judgement = judge(others, {"reader 7": {item: coders["7"]}}, measures=similarity, interval=None, seed=1)
    score_tables(judgement)[0].print(console)
    drop_table(judgement.drops).print(console)
    click.echo("\n" + "\n".join(THRESHOLDS))
    _hierarchies(console)
    _trees(console)


def _hierarchies(console: Console) -> None:
    """Three annotators of Figure 4 of Carbone et al. (2004): compared, and made into one."""
    from caesura.gold.unify import unify
    from caesura.model.hierarchy import Hierarchy
    from caesura.views.gold import dropped_table
    from caesura.views.table import Table

    drawn = {
        "annotator 1": [(1, 8), (1, 2), (3, 6), (7, 8)],
        "annotator 2": [(1, 8), (1, 4), (5, 8)],
        "annotator 3": [(1, 8), (1, 2), (3, 6)],
    }
    trees = {
        coder: Hierarchy(8, [(start, end, 1 if end - start == 7 else 2, f"{start}-{end}") for start, end in spans])
        for coder, spans in drawn.items()
    }
    click.echo("\nSpans inside spans: three annotators (after Carbone et al. 2004, Figure 4)\n")
    for coder, tree in trees.items():
        click.echo(f"{coder}  {tree.brackets()}")
    pair = trees["annotator 1"], trees["annotator 2"]
    rows = [(name, kind.title, float(kind().score(*pair))) for name, kind in measures().items() if kind.view == "spans"]
    Table(("measure", "what it is", "value"), tuple(rows), title="Annotator 1 and annotator 2").print(console)
    gold = unify(trees)
    click.echo(f"the union without conflicts:  {gold.hierarchy.brackets()}")
    dropped_table({"discourse": gold}).print(console)


def _trees(console: Console) -> None:
    """Where does "with a telescope" belong? Two parses under every measure of trees."""
    from caesura.model.tree import Tree
    from caesura.views.table import Table

    parts = ("(PRP I)", "(VBD saw)", "(NP (DT the) (NN man))", "(PP (IN with) (NP (DT a) (NN telescope)))")
    gold, predicted = (
        Tree.from_brackets("(S (NP {}) (VP {} {} {}) (. .))".format(*parts)),
        Tree.from_brackets("(S (NP {}) (VP {} (NP {} {})) (. .))".format(*parts)),
    )
    click.echo(f"\nParses of a sentence\n\ngold       {gold}\npredicted  {predicted}\n")
    rows = [
        (name, kind.title, float(kind().score(gold, predicted)))
        for name, kind in measures().items()
        if kind.view == "trees"
    ]
    Table(("measure", "what it is", "value"), tuple(rows), title="Gold and predicted parse").print(console)
