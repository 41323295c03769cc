"""The command ``caesura demo``: every part of the toolkit on data that ships with the package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from caesura.agreement.clusters import cluster_coders
from caesura.cli.output import OutputOptions, print_blocks
from caesura.cli.program import main
from caesura.data import STARGAZER_SOURCE, stargazer
from caesura.errors import MismatchError
from caesura.measures.registry import measures
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.tree import Tree
from caesura.tasks.agree import AgreeOptions, agree
from caesura.tasks.disagreements import find_disagreements
from caesura.tasks.gold import make_gold
from caesura.tasks.judge import judge_systems
from caesura.tasks.score import ScoreOptions, score_corpora
from caesura.tasks.systems import human_coders
from caesura.views.agreement import AgreeTables, agreement_view, draw_dendrogram
from caesura.views.answer import Answer
from caesura.views.disagreements import disagreements_view
from caesura.views.gold import gold_view
from caesura.views.judgement import JudgeTables, judgement_view
from caesura.views.results import draw_rows, scoring_view
from caesura.views.table import Block, Table
from caesura.views.text_table import wrap

_ROWS = 7  # rows of the longer tables


@main.command()
def demo() -> None:
    """Show every part of the toolkit on data that ships with the package.

    \b
    Example:
      caesura demo
    """
    width = OutputOptions().width
    blocks = [*_readers(stargazer(), width), *_hierarchies(), *_trees()]
    blocks.append("Your own data: `caesura info FILE` shows what is in a file and which command comes next.")
    for i, block in enumerate(blocks):
        if isinstance(block, str) and "\n" not in block:  # a sentence, not a drawing
            blocks[i] = "\n".join(wrap(block, width))
    print_blocks(blocks, width)


def _readers(corpus: Corpus, width: int) -> Iterator[Block]:
    """Ask every question about seven readers of one article."""
    (item,) = corpus.item_names
    yield f"Seven readers marked where the topic of an article changes. {STARGAZER_SOURCE}"
    readers = {f"reader {coder}": _segmentation(corpus, item, coder) for coder in corpus.coders}
    yield draw_rows(readers)
    yield _question("How close are readers 1 and 3?")
    scoring = score_corpora(corpus, options=ScoreOptions(reference_coder="1", hypothesis_coder="3"))
    yield from _answer(scoring_view(scoring, edits=True, width=width), 1, drawings=True)
    first = corpus.of_item(item)
    yield _all_measures("linear", (first["1"], first["3"]))
    yield _question("Do the readers agree?")
    yield from _answer(agreement_view(agree(corpus, AgreeOptions()), AgreeTables(by_coder=True), width=width), 2)
    yield draw_dendrogram(cluster_coders(corpus), width=width - 22)
    yield _question("Where do they disagree?")
    yield from _answer(disagreements_view(find_disagreements(corpus)), 1)
    yield _question("What is the gold standard?")
    gold = make_gold(corpus)
    yield from _answer(gold_view(gold), 1)
    yield draw_rows({**readers, "gold": _segmentation(gold.corpus, item, "gold")})
    yield _question("If reader 7 were a program, would it be as good as people?")
    people = corpus.select(coders=human_coders(corpus, ("7",)))
    yield from _answer(judgement_view(judge_systems(people, {"reader 7": {item: first["7"]}}), JudgeTables()), 1)


def _segmentation(corpus: Corpus, item: str, coder: str) -> Segmentation:
    annotation = corpus[item, coder]
    assert isinstance(annotation, Segmentation)
    return annotation


def _question(text: str) -> str:
    return f"{text}\n{'=' * len(text)}"


def _answer(answer: Answer, number: int, *, drawings: bool = False) -> Iterator[Block]:
    """Yield the sentences and the first tables of an answer, and its drawings if they are wanted."""
    yield answer.text
    tables = [block for block in answer.blocks() if isinstance(block, Table)]
    yield from (replace(table, limit=_ROWS) for table in tables[:number])
    if drawings:
        yield from (block for block in answer.blocks() if isinstance(block, str))


def _hierarchies() -> Iterator[Block]:
    """Compare and unify the hierarchies of three annotators, after Figure 4 of Carbone et al. (2004)."""
    spans_by_annotator = {
        "ann": [(1, 8), (1, 2), (3, 6), (7, 8)],
        "bo": [(1, 8), (1, 4), (5, 8)],
        "cy": [(1, 8), (1, 2), (3, 6)],
    }
    hierarchies = {
        name: Hierarchy(8, [(start, end, 1 if end - start == 7 else 2, f"{start}-{end}") for start, end in spans])
        for name, spans in spans_by_annotator.items()
    }
    yield _question("And if segments contain segments?")
    yield "Nested spans of three annotators, after Figure 4 of Carbone et al. (2004)."
    yield "\n".join(f"{name:4}  {hierarchy.brackets()}" for name, hierarchy in hierarchies.items())
    yield _all_measures("hierarchy", (hierarchies["ann"], hierarchies["bo"]))
    yield from _answer(gold_view(make_gold(Corpus({"discourse": hierarchies})), dropped=True), 2)


def _trees() -> Iterator[Block]:
    """Compare two attachments of "with a telescope" under every measure for trees."""
    parts = ("(PRP I)", "(VBD saw)", "(NP (DT the) (NN man))", "(PP (IN with) (NP (DT a) (NN telescope)))")
    gold = Tree.from_brackets("(S (NP {}) (VP {} {} {}) (. .))".format(*parts))
    predicted = Tree.from_brackets("(S (NP {}) (VP {} (NP {} {})) (. .))".format(*parts))
    yield _question("And if the segments are the phrases of a sentence?")
    yield "I saw [the man] [with a telescope], parsed as I saw [the man [with a telescope]]:"
    yield _all_measures("trees", (gold, predicted))


def _all_measures(kind: str, pair: tuple[Any, Any]) -> Table:
    """Return a table with the scores of a pair under every measure for this kind of data."""
    rows = []
    for measure in (measure() for measure in measures().values() if kind in measure.kinds):
        with suppress(MismatchError):  # measures of labels, for segments without labels
            rows.append((measure.label, measure.title, float(measure.score(*pair))))
    return Table(("measure", "description", "value"), tuple(rows), title="The same two under every measure")
