"""What each command prints: the tables and drawings of its result, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caesura.options import OptionSet, flag, setting
from caesura.views import agreement as agreement_views
from caesura.views import gold as gold_views
from caesura.views import judgement as judgement_views
from caesura.views import trees as tree_views
from caesura.views.agreement import draw_dendrogram
from caesura.views.table import Table, text_width
from caesura.views.trees import TREE_LEGEND, draw_tree_alignment

if TYPE_CHECKING:
    from caesura.agreement.clusters import Clustering
    from caesura.judging.result import Judgement
    from caesura.tasks.agree import AgreementStudy, Analysis
    from caesura.tasks.gold import GoldStandards
    from caesura.tasks.trees import TreeStudy

Block = Table | str
"""A table, or text that only a terminal shows."""


@dataclass(frozen=True)
class AgreeTables(OptionSet):
    """Which tables to add to the coefficients."""

    by_coder: bool = setting(
        False,
        flag,
        "Add each coder's agreement with the others, and the others' without the coder.",
        flags=("--coders",),
    )
    by_pair: bool = setting(False, flag, "Add one row per pair of coders.", flags=("--pairs",))
    by_item: bool = setting(False, flag, "Add one row per item.", flags=("--items",))


def agreement_blocks(study: AgreementStudy, tables: AgreeTables, *, output: str | None, width: int) -> list[Block]:
    """Return what ``caesura agree`` prints.

    Parameters
    ----------
    study : AgreementStudy
        The result.
    tables : AgreeTables
        Which tables to add.
    output : str or None
        Form of the output; a terminal also shows each coder if there are more than two.
    width : int
        Characters per line.

    Returns
    -------
    list of Table or str
        Coefficients, tables by coder, pair and item, additional analyses, and conventional thresholds.
    """
    blocks: list[Block] = [agreement_views.agreement_table(study.agreement)]
    if study.defined:
        blocks += _agreement_details(study, tables, on_terminal=output is None)
    for analysis in study.analyses.values():
        blocks += _analysis_blocks(analysis, output, width)
    if any(entry.coefficient != "bias" for entry, _ in study.defined):
        blocks.append("\n".join(agreement_views.THRESHOLDS))
    return blocks


def _agreement_details(study: AgreementStudy, tables: AgreeTables, *, on_terminal: bool) -> Iterator[Table]:
    several = any(len(result.coders) > 2 for _, result in study.defined)
    if tables.by_coder or (several and on_terminal):
        yield agreement_views.coder_table(study.agreement, study.placed)
    if tables.by_pair:
        yield agreement_views.pair_table(study.agreement)
    if tables.by_item:
        yield agreement_views.item_table(study.agreement)


def _analysis_blocks(analysis: Analysis, output: str | None, width: int) -> list[Block]:
    result: object = analysis.result
    if result is None:
        return [Table((analysis.name, "reason"), (("undefined", analysis.reason),))]
    if analysis.name == "clusters":
        return [agreement_views.cluster_table(result), _dendrogram(result, width)]  # type: ignore[arg-type]
    if analysis.name == "cochran":
        return [agreement_views.cochran_table(result)]  # type: ignore[arg-type]
    if analysis.name == "labels":
        return [agreement_views.label_table(result)]  # type: ignore[arg-type]
    drawing = "Boundaries by position\n\n" + agreement_views.draw_heat(result)  # type: ignore[arg-type]
    return [drawing] if output is None else [agreement_views.heat_table(result)]  # type: ignore[arg-type]


def _dendrogram(clustering: Clustering, width: int) -> str:
    names = max(map(text_width, clustering.coders))
    return draw_dendrogram(clustering, width=max(20, min(width - names - 16, 60)))


def judgement_blocks(judgement: Judgement, *, errors: bool, list_errors: bool, output: str | None) -> list[Block]:
    """Return what ``caesura judge`` prints.

    Parameters
    ----------
    judgement : Judgement
        The result.
    errors : bool
        Whether to add where each system goes wrong.
    list_errors : bool
        Whether to add every single error.
    output : str or None
        Form of the output; CSV has all measures in one table.

    Returns
    -------
    list of Table or str
        Scores, tests, drop in agreement, the alternative annotator test, errors.
    """
    views = judgement_views
    blocks: list[Block] = [views.score_table(judgement)] if output == "csv" else list(views.score_tables(judgement))
    blocks.append("\n".join(views.score_notes(judgement)))
    blocks += [views.comparison_table(judgement.comparisons)] if judgement.comparisons else []
    blocks += [views.drop_table(judgement.drops), views.replacement_table(judgement.replacements)]
    blocks += [views.mistake_table(judgement.mistakes.values())] if errors else []
    blocks += [views.mistake_list(mistakes) for mistakes in judgement.mistakes.values()] if list_errors else []
    return blocks


def gold_blocks(result: GoldStandards, *, why: bool, spans: bool) -> list[Block]:
    """Return what ``caesura unify`` prints.

    Parameters
    ----------
    result : GoldStandards
        The result.
    why : bool
        Whether to list the spans that are not in the gold standards.
    spans : bool
        Whether to list the spans that are.

    Returns
    -------
    list of Table
        The evaluation of all methods if there is one, else the gold standards.
    """
    if result.evaluation is not None:
        return [gold_views.unification_table(result.evaluation)]
    blocks: list[Block] = [gold_views.unified_table(result.golds)]
    blocks += [gold_views.span_table(result.golds)] if spans else []
    return [*blocks, gold_views.dropped_table(result.golds)] if why else blocks


def tree_blocks(
    study: TreeStudy, *, sentences: Sequence[int], by_sentence: bool, labels: bool, align: bool, width: int
) -> list[Block]:
    """Return what ``caesura trees`` prints.

    Parameters
    ----------
    study : TreeStudy
        The result.
    sentences : sequence of int
        Places of the sentences to show.
    by_sentence, labels, align : bool
        Whether to add one row per sentence, one row per label, and the trees side by side.
    width : int
        Characters per line of the trees.

    Returns
    -------
    list of Table or str
        Both measures, sentences, labels, the comparison of parsers, and the trees.
    """
    views = tree_views
    blocks: list[Block] = [views.struct_iou_table(study.struct_iou), views.summary_table(study.parseval)]
    if by_sentence:
        blocks += [views.struct_iou_sentences(study.struct_iou, sentences)]
        blocks += [views.sentence_table(study.parseval, sentences)]
    if labels:
        blocks += [views.struct_iou_labels(study.struct_iou.labels), views.label_table(study.parseval.labels)]
    blocks += [views.parser_table(comparison) for comparison in study.versus]
    return [*blocks, *_tree_drawings(study, sentences, width)] if align else blocks


def _tree_drawings(study: TreeStudy, sentences: Sequence[int], width: int) -> Iterator[str]:
    scores, trees = study.struct_iou, study.trees
    for place in sentences:
        heading = f"Sentence {place + 1}: "
        gold, predicted = (None, None) if trees is None else (trees.gold[place], trees.predicted[place])
        if place in scores.errors or gold is None or predicted is None:
            yield heading + str(scores.errors.get(place, "no tree"))
            continue
        picture = draw_tree_alignment(gold, predicted, scores.alignments[place], width=width)
        yield f"{heading}Struct-IoU {scores.values[place]:.4f}, gold on the left\n{picture}"
    yield TREE_LEGEND
