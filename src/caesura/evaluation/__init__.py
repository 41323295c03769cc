"""Score collections of any size: partitions are read and scored separately, and their sums are merged."""

from caesura.evaluation.result import Evaluation, EvaluationProgress, ExcludedDocument
from caesura.evaluation.run import EvaluationRun, partitions_per_task
from caesura.evaluation.sources import DocumentSource, SourceOptions, open_source

__all__ = [
    "DocumentSource",
    "Evaluation",
    "EvaluationProgress",
    "EvaluationRun",
    "ExcludedDocument",
    "SourceOptions",
    "open_source",
    "partitions_per_task",
]
