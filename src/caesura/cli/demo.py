"""The command ``caesura demo``: every part of the toolkit on data that ships with the package."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura.agreement.clusters import cluster_coders
from caesura.agreement.pairwise import pairwise
from caesura.cli.output import OutputOptions, print_blocks
from caesura.cli.program import main
from caesura.data import STARGAZER_SOURCE, stargazer
from caesura.gold.unify import unify
from caesura.judging.judge import judge
from caesura.measures.registry import measures, parse
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree
from caesura.tasks.agree import AgreeOptions, agree
from caesura.tasks.prepare import human_coders
from caesura.views.agreement import agreement_table, coder_table, draw_dendrogram
from caesura.views.answers import STRENGTH_NOTE
from caesura.views.gold import dropped_table
from caesura.views.judgement import drop_table, score_tables
from caesura.views.results import LEGEND, draw
from caesura.views.table import Block, Table

READER_MEASURES = ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)", "flexible_similarity")


@main.command()
def demo() -> None:
    """Show every part of the toolkit on data that ships with the package.

    \b
    Example:
      caesura demo
    """
    print_blocks([*_readers(stargazer()), *_hierarchies(), *_trees()], OutputOptions().width)


def _readers(corpus: Corpus) -> Iterator[Block]:
    """Compare seven readers of one article: two in detail, all with coefficients, and one as if it were a program."""
    (item,) = corpus.item_names
    readers = {name: text for name, text in corpus.of_item(item).items() if isinstance(text, Segmentation)}
    yield STARGAZER_SOURCE
    yield "\n".join(f"reader {name}  {text.draw()}" for name, text in readers.items())
    yield "Reader 1 against reader 3, boundary by boundary:"
    pair = readers["1"], readers["3"]
    similarity = parse(READER_MEASURES[0])
    yield draw(*pair, similarity.score(*pair).edits or (), sides=("reader 1", "reader 3"))
    yield LEGEND
    yield _all_measures("linear", pair, "The same two readers under every measure")
    matrix = pairwise(corpus, similarity).matrix.astype(object)
    np.fill_diagonal(matrix, None)
    rows = tuple((f"reader {name}", *row) for name, row in zip(readers, matrix.tolist(), strict=True))
    yield Table(("B", *readers), rows, title="All pairs of readers", digits=2)
    yield "Agreement of all seven beyond chance: over B, over S, by position, and over flexible similarity S_f"
    options = AgreeOptions(
        measures=tuple(map(parse, READER_MEASURES)), coefficients=("multi_pi", "alpha", "kappa"), chance="exact"
    )
    study = agree(corpus, options)
    outcomes = [entry for entry in study.agreement if entry.coefficient != "kappa" or entry.measure.kind == "dialogue"]
    yield agreement_table(outcomes)
    yield coder_table(outcomes[:1], study.placed)
    yield "Readers with similar segmentations, with multi_pi inside each group:"
    yield draw_dendrogram(cluster_coders(corpus, similarity))
    yield "Reader 7 judged as if it were a program, with the agreement of the other six readers and simple baselines as bounds:"
    human_corpus = corpus.select(coders=human_coders(corpus, ("7",)))
    judgement = judge(human_corpus, {"reader 7": {item: readers["7"]}}, measures=similarity, interval=None, seed=1)
    yield score_tables(judgement)[0]
    yield drop_table(judgement.drops)
    yield STRENGTH_NOTE


def _hierarchies() -> Iterator[Block]:
    """Compare and unify the hierarchies of three annotators, after Figure 4 of Carbone et al. (2004)."""
    spans_by_annotator = {
        "annotator 1": [(1, 8), (1, 2), (3, 6), (7, 8)],
        "annotator 2": [(1, 8), (1, 4), (5, 8)],
        "annotator 3": [(1, 8), (1, 2), (3, 6)],
    }
    hierarchies = {
        name: Hierarchy(8, [(start, end, 1 if end - start == 7 else 2, f"{start}-{end}") for start, end in spans])
        for name, spans in spans_by_annotator.items()
    }
    yield "Nested spans of three annotators (after Carbone et al. 2004, Figure 4)"
    yield "\n".join(f"{name}  {hierarchy.brackets()}" for name, hierarchy in hierarchies.items())
    pair = hierarchies["annotator 1"], hierarchies["annotator 2"]
    yield _all_measures("hierarchy", pair, "Annotator 1 and annotator 2")
    gold = unify(hierarchies)
    yield f"The union without conflicts:  {gold.hierarchy.brackets()}"
    yield dropped_table({"discourse": gold})


def _trees() -> Iterator[Block]:
    """Compare two attachments of "with a telescope" under every measure for trees."""
    parts = ("(PRP I)", "(VBD saw)", "(NP (DT the) (NN man))", "(PP (IN with) (NP (DT a) (NN telescope)))")
    gold = Tree.from_brackets("(S (NP {}) (VP {} {} {}) (. .))".format(*parts))
    predicted = Tree.from_brackets("(S (NP {}) (VP {} (NP {} {})) (. .))".format(*parts))
    yield f"Parses of a sentence\n\ngold       {gold}\npredicted  {predicted}"
    yield _all_measures("trees", (gold, predicted), "Gold and predicted parse")


def _all_measures(kind: str, pair: tuple, title: str) -> Block:  # type: ignore[type-arg]
    """Return a table with the scores of a pair under every measure for this kind of data."""
    chosen = {name: measure for name, measure in measures().items() if kind in measure.kinds}
    rows = [(name, measure.title, float(measure().score(*pair))) for name, measure in chosen.items()]
    return Table(("measure", "description", "value"), tuple(rows), title=title)
