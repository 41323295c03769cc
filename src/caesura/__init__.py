"""caesura: how well do two or more segmentations of the same thing agree?

>>> import caesura as cz
>>> reference = cz.Segmentation.from_masses([2, 3, 6])
>>> hypothesis = cz.Segmentation.from_masses([2, 2, 7])
>>> cz.boundary_similarity(reference, hypothesis).value
0.75
"""

from caesura import errors, simulation
from caesura.agreement.clusters import Clustering, cluster_coders
from caesura.agreement.cochran import CochranQ, PercentageAgreement, cochran_q, percentage_agreement
from caesura.agreement.coefficients import agreement
from caesura.agreement.labels import LabelAgreement, label_agreement
from caesura.agreement.pairwise import Pairwise, pairwise
from caesura.agreement.placed import Heat, Placed, boundaries_placed, boundary_heat
from caesura.agreement.result import Agreement
from caesura.formats import check_same_tokens, read, read_coders, write
from caesura.measures.base import Measure
from caesura.measures.boundary import boundary_confusion, boundary_similarity, segmentation_similarity
from caesura.measures.crisp import crisp, unit_error
from caesura.measures.flexible import flexible_similarity
from caesura.measures.many import Scores, score_many
from caesura.measures.registry import measures, parse
from caesura.measures.similarity import similarity_from_confusion
from caesura.measures.window import pk, win_pr, window_diff
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue
from caesura.model.score import Edit, Score
from caesura.model.segmentation import Segmentation
from caesura.operations import OperationsTable, operations_table
from caesura.version import __version__

__all__ = [
    "Agreement",
    "Clustering",
    "CochranQ",
    "Corpus",
    "Dialogue",
    "Edit",
    "Heat",
    "LabelAgreement",
    "Measure",
    "OperationsTable",
    "Pairwise",
    "PercentageAgreement",
    "Placed",
    "Score",
    "Scores",
    "Segmentation",
    "__version__",
    "agreement",
    "boundaries_placed",
    "boundary_confusion",
    "boundary_heat",
    "boundary_similarity",
    "check_same_tokens",
    "cluster_coders",
    "cochran_q",
    "crisp",
    "errors",
    "flexible_similarity",
    "label_agreement",
    "measures",
    "operations_table",
    "pairwise",
    "parse",
    "percentage_agreement",
    "pk",
    "read",
    "read_coders",
    "score_many",
    "segmentation_similarity",
    "similarity_from_confusion",
    "simulation",
    "unit_error",
    "win_pr",
    "window_diff",
    "write",
]
