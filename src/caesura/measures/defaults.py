"""The measures that are used when nobody asks for one, by task and kind of data. This is the only place that lists them."""

from __future__ import annotations

from caesura.measures.base import Measure
from caesura.measures.registry import parse

_BOUNDARIES = ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)")
_DIALOGUE = ("flexible_similarity(normalize='positions')", "flexible_similarity(normalize='boundaries')")
_TREES = ("struct_iou", "parseval")

DEFAULT_MEASURES = {
    "score": {
        "linear": (*_BOUNDARIES, "window_diff", "pk"),
        "dialogue": _DIALOGUE,
        "hierarchy": ("hierarchy_kappa", "hierarchy_overlap", "non_crossing", "t_measure", "l_measure"),
        "trees": _TREES,
    },
    "agree": {"linear": _BOUNDARIES, "dialogue": _DIALOGUE, "hierarchy": ("hierarchy_kappa",)},
    "judge": {
        "linear": (*_BOUNDARIES, "boundary_confusion(n_t=2)", "window_diff", "fuzzy_success"),
        "dialogue": _DIALOGUE,
    },
    "report": {"linear": _BOUNDARIES, "dialogue": _DIALOGUE, "hierarchy": ("hierarchy_kappa",), "trees": _TREES},
}
"""Task -> kind of data -> measures. A kind that is missing has no default, because the task is not defined for it."""


def default_measures(task: str, kind: str) -> tuple[Measure, ...]:
    """Return the default measures of a task for a kind of data.

    Parameters
    ----------
    task : str
        ``"score"``, ``"agree"``, ``"judge"`` or ``"report"``.
    kind : str
        Kind of data: ``"linear"``, ``"dialogue"``, ``"hierarchy"`` or ``"trees"``.

    Returns
    -------
    tuple of Measure
        The measures, the most important one first; empty if the task is not defined for this kind of data.
    """
    return tuple(map(parse, DEFAULT_MEASURES[task].get(kind, ())))
