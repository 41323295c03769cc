"""The registry of measures, and the parser of their text form."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import Any

from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.boundary import BoundaryConfusion, BoundarySimilarity, SegmentationSimilarity
from caesura.measures.crisp import Crisp, UnitError
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.fuzzy import FuzzySuccess
from caesura.measures.hierarchy import HierarchyKappa, HierarchyOverlap, NonCrossing
from caesura.measures.meet import LMeasure, TMeasure
from caesura.measures.parseval import Parseval
from caesura.measures.structiou import StructIoU
from caesura.measures.window import Pk, WindowDiff, WinPR
from caesura.options import suggest

_REGISTRY: dict[str, type[Measure]] = {
    measure_class.name: measure_class
    for measure_class in (
        Pk,
        WindowDiff,
        WinPR,
        Crisp,
        UnitError,
        SegmentationSimilarity,
        BoundarySimilarity,
        BoundaryConfusion,
        FlexibleSimilarity,
        FuzzySuccess,
        HierarchyKappa,
        HierarchyOverlap,
        NonCrossing,
        TMeasure,
        LMeasure,
        Parseval,
        StructIoU,
    )
}

_MAX_LENGTH = 20_000  # characters; a similarity matrix is written out in full


def measures() -> dict[str, type[Measure]]:
    """Return all measures by name.

    Returns
    -------
    dict
        Name -> class of the measure.
    """
    return dict(_REGISTRY)


def parse(text: str | Measure) -> Measure:
    """Return the measure that a string describes.

    Parameters
    ----------
    text : str or Measure
        A name, with options in parentheses: ``"window_diff(window=5)"``. A measure is returned unchanged.

    Returns
    -------
    Measure
        The measure with its options.

    Raises
    ------
    OptionError
        If there is no such measure, or if an option is unknown or invalid.

    Examples
    --------
    >>> parse("window_diff(window=5)")
    window_diff(window=5)
    >>> parse("boundary_similarity") == parse("boundary_similarity(n_t=2)")
    True
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise OptionError(f"expected the name of a measure; got {type(text).__name__}")
    if len(text) > _MAX_LENGTH:
        raise OptionError(f"the text of a measure may have at most {_MAX_LENGTH} characters; got {len(text)}")
    name, parenthesis, _ = text.strip().partition("(")
    name = name.strip()
    if name not in _REGISTRY:
        raise OptionError(suggest("there is no measure", name, _REGISTRY))
    try:
        options = _parse_options(text.strip()) if parenthesis else {}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise OptionError(f"{text!r}: options are written as {name}(option=value, ...)") from None
    compat = options.pop("compat", None)
    return _REGISTRY[name](compat=compat, **options)


def parse_measures(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return one or several measures without duplicates.

    Parameters
    ----------
    measures : str, Measure, or iterable of them
        Measures, or texts such as ``"window_diff(window=5)"``.

    Returns
    -------
    tuple of Measure
        The measures, at least one.

    Raises
    ------
    OptionError
        If there is no measure, or a measure is unknown.
    """
    if not isinstance(measures, str | Measure | Iterable):
        raise OptionError(f"measures must be names or measures; got {measures!r}")
    parsed = tuple(dict.fromkeys(map(parse, [measures] if isinstance(measures, str | Measure) else measures)))
    if not parsed:
        raise OptionError("measures: expected at least one; got none")
    return parsed


def _parse_options(text: str) -> dict[str, Any]:
    """Return the keyword arguments of a call with literal values."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise ValueError
    options: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in options:
            raise ValueError
        options[keyword.arg] = _parse_value(keyword.value)
    return options


def _parse_value(node: ast.expr) -> Any:
    """Return a literal. Infinity, which has no literal in Python, is written as its ``repr``."""
    if isinstance(node, ast.Name) and node.id == "inf":
        return math.inf
    return ast.literal_eval(node)


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
    "disagreements": {"linear": _BOUNDARIES[:1], "dialogue": _DIALOGUE[:1], "hierarchy": ("hierarchy_overlap",)},
    "pairwise": {
        "linear": _BOUNDARIES[:1],
        "dialogue": _DIALOGUE[:1],
        "hierarchy": ("hierarchy_kappa",),
        "trees": _TREES[:1],
    },
    "report": {"linear": _BOUNDARIES, "dialogue": _DIALOGUE, "hierarchy": ("hierarchy_kappa",), "trees": _TREES},
}
"""Task -> kind of data -> measures. If a kind is missing, the task is not defined for it."""


def default_measures(task: str, kind: str) -> tuple[Measure, ...]:
    """Return the default measures of a task for a kind of data.

    Parameters
    ----------
    task : str
        ``"score"``, ``"agree"``, ``"disagreements"``, ``"pairwise"``, ``"judge"`` or ``"report"``.
    kind : str
        Kind of data: ``"linear"``, ``"dialogue"``, ``"hierarchy"`` or ``"trees"``.

    Returns
    -------
    tuple of Measure
        The measures, the most important one first; empty if the task is not defined for this kind of data.
    """
    return tuple(map(parse, DEFAULT_MEASURES[task].get(kind, ())))
