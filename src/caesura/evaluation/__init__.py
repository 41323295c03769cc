"""Any number of documents against their references: read in parts, scored in parts, merged, finished once."""

from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.result import Evaluation, Problem

__all__ = ["Evaluation", "Problem", "evaluate"]
