"""caesura measures how well two or more segmentations of the same text agree.

>>> import caesura as cz
>>> reference = cz.Segmentation.from_masses([2, 3, 6])
>>> hypothesis = cz.Segmentation.from_masses([2, 2, 7])
>>> cz.boundary_similarity(reference, hypothesis).value
0.75
"""

import importlib as _importlib
import sys as _sys
import types as _types
import typing as _typing

from caesura import errors
from caesura.model.hooks import register_frames as _register_frames
from caesura.model.hooks import register_renderer as _register_renderer
from caesura.notices import collect_warnings
from caesura.progress import on_progress
from caesura.version import __version__

if _typing.TYPE_CHECKING:
    from caesura import simulation, statistics
    from caesura.adjudication.decisions import AdjudicatedGold
    from caesura.adjudication.session import Adjudication
    from caesura.agreement.chance import Exact, Placement, Simulate
    from caesura.agreement.clusters import Clustering, cluster_coders
    from caesura.agreement.cochran import CochranQ, PercentageAgreement, cochran_q, percentage_agreement
    from caesura.agreement.coefficients import agreement
    from caesura.agreement.disagreement_rows import Disagreements
    from caesura.agreement.disagreements import disagreements
    from caesura.agreement.experts import ExpertSimilarity, similarity_from_experts
    from caesura.agreement.gamma import Gamma, GammaCat, GammaK, best_span_alignment
    from caesura.agreement.gamma_alignment import ItemAlignment, UnitaryAlignment
    from caesura.agreement.gamma_chance import gamma_from_disorders
    from caesura.agreement.groups import GroupedAgreement, group_agreement
    from caesura.agreement.labels import LabelAgreement, label_agreement
    from caesura.agreement.pairwise import Pairwise, pairwise
    from caesura.agreement.placed import Heat, Placed, boundaries_placed, boundary_heat
    from caesura.agreement.result import Agreement
    from caesura.agreement.unitized_alpha import AlphaU2004, BarUAlpha, CuAlpha, KuAlpha, UAlpha
    from caesura.agreement.unitizing_scores import CategoryAgreement, UnitizingAgreement
    from caesura.engines.engine import open_engine
    from caesura.evaluation.result import Evaluation
    from caesura.formats import check_same_tokens, read, read_coders, write
    from caesura.formats.counts import read_marks
    from caesura.formats.ptb import read_trees
    from caesura.gold.experiment import Unification, evaluate_unification
    from caesura.gold.gold import Gold, gold
    from caesura.gold.unify import UnifiedHierarchy, unify
    from caesura.judging.comparison import ParserComparison, compare_parsers
    from caesura.judging.judge import Judgement, judge
    from caesura.measures.base import Measure
    from caesura.measures.boundary import boundary_similarity, segmentation_similarity
    from caesura.measures.boundary_f import boundary_f, crisp
    from caesura.measures.classes import adjusted_rand_index, nce, pairwise_f, rand_index, v_measure
    from caesura.measures.confusion import boundary_confusion
    from caesura.measures.curve import BoundaryCurve, CurvePoint, average_precision, boundary_curve
    from caesura.measures.distances import boundary_deviation, generalized_hamming, hausdorff
    from caesura.measures.flexible import flexible_similarity, similarity_from_confusion
    from caesura.measures.fuzzy import fuzzy_success
    from caesura.measures.hierarchy import hierarchy_kappa, hierarchy_overlap, l_measure, non_crossing, t_measure
    from caesura.measures.label_share import label_share
    from caesura.measures.many import Scores, Tally, score_many
    from caesura.measures.operations import OperationsTable, operations_table
    from caesura.measures.overlaps import alignment_index, covering, purity_coverage, unit_error
    from caesura.measures.parseval import parseval
    from caesura.measures.registry import measures, parse, short_signature
    from caesura.measures.sigma import sigma
    from caesura.measures.span_f import span_f, token_f
    from caesura.measures.structiou import struct_iou
    from caesura.measures.treebank import ParsevalResult, parseval_corpus, struct_iou_corpus
    from caesura.measures.window import pk, segmentation_score, win_pr, window_diff
    from caesura.model.common_units import levels_as_types, over_common_units, over_units
    from caesura.model.corpus import Corpus
    from caesura.model.dialogue import Dialogue
    from caesura.model.hierarchy import Hierarchy, Span, common_units
    from caesura.model.marks import Marks
    from caesura.model.projection import over_characters, over_edits, over_positions, over_tokens
    from caesura.model.result import Edit, Score
    from caesura.model.scores import BoundaryScores
    from caesura.model.segmentation import Segmentation
    from caesura.model.spans import MarkedSpan, Spans
    from caesura.model.tier import Interval, Point, Tier
    from caesura.model.tree import Node, Tree
    from caesura.tasks.adjudicate import ExportedGold, adjudicate, export_gold
    from caesura.tasks.evaluate import evaluate
    from caesura.tasks.verify import Verification, Verifications, verify
    from caesura.views import figures as plot
    from caesura.views.page.build import report

__all__ = [
    "AdjudicatedGold",
    "Adjudication",
    "Agreement",
    "AlphaU2004",
    "BarUAlpha",
    "BoundaryCurve",
    "BoundaryScores",
    "CategoryAgreement",
    "Clustering",
    "CochranQ",
    "Corpus",
    "CuAlpha",
    "CurvePoint",
    "Dialogue",
    "Disagreements",
    "Edit",
    "Evaluation",
    "Exact",
    "ExpertSimilarity",
    "ExportedGold",
    "Gamma",
    "GammaCat",
    "GammaK",
    "Gold",
    "GroupedAgreement",
    "Heat",
    "Hierarchy",
    "Interval",
    "ItemAlignment",
    "Judgement",
    "KuAlpha",
    "LabelAgreement",
    "MarkedSpan",
    "Marks",
    "Measure",
    "Node",
    "OperationsTable",
    "Pairwise",
    "ParserComparison",
    "ParsevalResult",
    "PercentageAgreement",
    "Placed",
    "Placement",
    "Point",
    "Score",
    "Scores",
    "Segmentation",
    "Simulate",
    "Span",
    "Spans",
    "Tally",
    "Tier",
    "Tree",
    "UAlpha",
    "Unification",
    "UnifiedHierarchy",
    "UnitaryAlignment",
    "UnitizingAgreement",
    "Verification",
    "Verifications",
    "__version__",
    "adjudicate",
    "adjusted_rand_index",
    "agreement",
    "alignment_index",
    "average_precision",
    "best_span_alignment",
    "boundaries_placed",
    "boundary_confusion",
    "boundary_curve",
    "boundary_deviation",
    "boundary_f",
    "boundary_heat",
    "boundary_similarity",
    "check_same_tokens",
    "cluster_coders",
    "cochran_q",
    "collect_warnings",
    "common_units",
    "compare_parsers",
    "covering",
    "crisp",
    "disagreements",
    "errors",
    "evaluate",
    "evaluate_unification",
    "export_gold",
    "flexible_similarity",
    "fuzzy_success",
    "gamma_from_disorders",
    "generalized_hamming",
    "gold",
    "group_agreement",
    "hausdorff",
    "hierarchy_kappa",
    "hierarchy_overlap",
    "judge",
    "l_measure",
    "label_agreement",
    "label_share",
    "levels_as_types",
    "measures",
    "nce",
    "non_crossing",
    "on_progress",
    "open_engine",
    "operations_table",
    "over_characters",
    "over_common_units",
    "over_edits",
    "over_positions",
    "over_tokens",
    "over_units",
    "pairwise",
    "pairwise_f",
    "parse",
    "parseval",
    "parseval_corpus",
    "percentage_agreement",
    "pk",
    "plot",
    "purity_coverage",
    "rand_index",
    "read",
    "read_coders",
    "read_marks",
    "read_trees",
    "report",
    "score_many",
    "segmentation_score",
    "segmentation_similarity",
    "short_signature",
    "sigma",
    "similarity_from_confusion",
    "similarity_from_experts",
    "simulation",
    "span_f",
    "statistics",
    "struct_iou",
    "struct_iou_corpus",
    "t_measure",
    "token_f",
    "unify",
    "unit_error",
    "v_measure",
    "verify",
    "win_pr",
    "window_diff",
    "write",
]

# Public names are imported when first used, so that `caesura --help` stays fast: module -> names.
_LAZY = {
    "caesura.adjudication.decisions": ("AdjudicatedGold",),
    "caesura.adjudication.session": ("Adjudication",),
    "caesura.agreement.chance": ("Exact", "Placement", "Simulate"),
    "caesura.agreement.clusters": ("cluster_coders", "Clustering"),
    "caesura.agreement.cochran": ("cochran_q", "CochranQ", "percentage_agreement", "PercentageAgreement"),
    "caesura.agreement.coefficients": ("agreement",),
    "caesura.agreement.result": ("Agreement",),
    "caesura.agreement.gamma": ("Gamma", "GammaCat", "GammaK", "best_span_alignment"),
    "caesura.agreement.gamma_alignment": ("ItemAlignment", "UnitaryAlignment"),
    "caesura.agreement.gamma_chance": ("gamma_from_disorders",),
    "caesura.agreement.unitized_alpha": ("AlphaU2004", "BarUAlpha", "CuAlpha", "KuAlpha", "UAlpha"),
    "caesura.agreement.unitizing_scores": ("CategoryAgreement", "UnitizingAgreement"),
    "caesura.agreement.disagreement_rows": ("Disagreements",),
    "caesura.agreement.disagreements": ("disagreements",),
    "caesura.agreement.experts": ("ExpertSimilarity", "similarity_from_experts"),
    "caesura.agreement.groups": ("group_agreement", "GroupedAgreement"),
    "caesura.agreement.labels": ("label_agreement", "LabelAgreement"),
    "caesura.agreement.pairwise": ("Pairwise", "pairwise"),
    "caesura.agreement.placed": ("boundaries_placed", "boundary_heat", "Heat", "Placed"),
    "caesura.engines.engine": ("open_engine",),
    "caesura.evaluation.result": ("Evaluation",),
    "caesura.formats": ("check_same_tokens", "read", "read_coders", "write"),
    "caesura.formats.counts": ("read_marks",),
    "caesura.formats.ptb": ("read_trees",),
    "caesura.gold.experiment": ("evaluate_unification", "Unification"),
    "caesura.gold.gold": ("gold", "Gold"),
    "caesura.gold.unify": ("UnifiedHierarchy", "unify"),
    "caesura.judging.comparison": ("compare_parsers", "ParserComparison"),
    "caesura.judging.judge": ("judge", "Judgement"),
    "caesura.measures.base": ("Measure",),
    "caesura.measures.boundary": ("boundary_similarity", "segmentation_similarity"),
    "caesura.measures.confusion": ("boundary_confusion",),
    "caesura.measures.boundary_f": ("boundary_f", "crisp"),
    "caesura.measures.curve": ("average_precision", "boundary_curve", "BoundaryCurve", "CurvePoint"),
    "caesura.measures.distances": ("boundary_deviation", "generalized_hamming", "hausdorff"),
    "caesura.measures.flexible": ("flexible_similarity", "similarity_from_confusion"),
    "caesura.measures.fuzzy": ("fuzzy_success",),
    "caesura.measures.hierarchy": ("hierarchy_kappa", "hierarchy_overlap", "l_measure", "non_crossing", "t_measure"),
    "caesura.measures.label_share": ("label_share",),
    "caesura.measures.many": ("score_many", "Scores", "Tally"),
    "caesura.measures.operations": ("operations_table", "OperationsTable"),
    "caesura.measures.parseval": ("parseval",),
    "caesura.measures.registry": ("measures", "parse", "short_signature"),
    "caesura.measures.classes": ("adjusted_rand_index", "nce", "pairwise_f", "rand_index", "v_measure"),
    "caesura.measures.overlaps": ("alignment_index", "covering", "purity_coverage", "unit_error"),
    "caesura.measures.sigma": ("sigma",),
    "caesura.measures.span_f": ("span_f", "token_f"),
    "caesura.measures.structiou": ("struct_iou",),
    "caesura.measures.treebank": ("parseval_corpus", "ParsevalResult", "struct_iou_corpus"),
    "caesura.measures.window": ("pk", "segmentation_score", "win_pr", "window_diff"),
    "caesura.model.common_units": ("levels_as_types", "over_common_units", "over_units"),
    "caesura.model.corpus": ("Corpus",),
    "caesura.model.dialogue": ("Dialogue",),
    "caesura.model.hierarchy": ("common_units", "Hierarchy", "Span"),
    "caesura.model.marks": ("Marks",),
    "caesura.model.projection": ("over_characters", "over_edits", "over_positions", "over_tokens"),
    "caesura.model.result": ("Edit", "Score"),
    "caesura.model.scores": ("BoundaryScores",),
    "caesura.model.segmentation": ("Segmentation",),
    "caesura.model.spans": ("MarkedSpan", "Spans"),
    "caesura.model.tier": ("Interval", "Point", "Tier"),
    "caesura.model.tree": ("Node", "Tree"),
    "caesura.simulation": ("simulation",),
    "caesura.statistics": ("statistics",),
    "caesura.tasks.adjudicate": ("adjudicate", "export_gold", "ExportedGold"),
    "caesura.tasks.evaluate": ("evaluate",),
    "caesura.tasks.verify": ("Verification", "Verifications", "verify"),
    "caesura.views.figures": ("plot",),
    "caesura.views.page.build": ("report",),
}


_HOMES = {name: module for module, names in _LAZY.items() for name in names}


class _Package(_types.ModuleType):
    """The package, in which ``agreement`` and ``measures`` are functions although there are folders with these names."""

    def __setattr__(self, name: str, value: object) -> None:
        folder = f"{__name__}.{name}"
        if isinstance(value, _types.ModuleType) and value.__name__ == folder and _HOMES.get(name, folder) != folder:
            return  # the import of a folder does not hide the function
        super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package

# The converter of data frames and the renderer of notebooks are imported when they are first used.
_register_frames(lambda: _importlib.import_module("caesura.formats.frames"))
_register_renderer(lambda value: _importlib.import_module("caesura.views.notebook").to_html(value))


def __getattr__(name: str) -> _typing.Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'caesura' has no attribute {name!r}")
    module = _importlib.import_module(_HOMES[name])
    globals()[name] = getattr(module, name, module)  # plot, simulation and statistics are modules
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
