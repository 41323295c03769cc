"""What each measure compares, for the choice of random annotations."""

from __future__ import annotations

from typing import Any

_NAMES = {
    "inner": "pk window_diff win_pr segmentation_score boundary_f unit_error fuzzy_success",
    "edges": "boundary_deviation hausdorff generalized_hamming average_precision purity_coverage covering alignment_index rand_index adjusted_rand_index pairwise_f v_measure nce label_share",
    "typed": "segmentation_similarity boundary_similarity boundary_confusion",
    "streams": "flexible_similarity",
    "words": "sigma",
    "spans": "hierarchy_kappa hierarchy_overlap non_crossing span_f token_f t_measure l_measure",
    "trees": "parseval struct_iou",
}
_COMPARED = {name: word for word, names in _NAMES.items() for name in names.split()}


def compared(measure: Any) -> str:
    """Return a word for what a measure, or a class of measures, compares; measures of a test are like boundary similarity."""
    return _COMPARED.get(measure.name, "inner")
