"""Every measure under its name, and the text form of a measure."""

from __future__ import annotations

import ast
import math
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
    kind.name: kind
    for kind in (
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

_LONGEST = 20_000  # a similarity matrix is written out in full


def measures() -> dict[str, type[Measure]]:
    """Name -> measure, for every measure there is."""
    return dict(_REGISTRY)


def parse(text: str | Measure) -> Measure:
    """A measure from its text form: a name, and options in brackets.

    >>> parse("window_diff(window=5)")
    window_diff(window=5)
    >>> parse("boundary_similarity") == parse("boundary_similarity(n_t=2)")
    True
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise OptionError(f"a measure is named by a string; got {type(text).__name__}")
    if len(text) > _LONGEST:
        raise OptionError(f"a measure takes at most {_LONGEST} characters; got {len(text)}")
    name, bracket, _ = text.strip().partition("(")
    name = name.strip()
    if name not in _REGISTRY:
        raise OptionError(suggest("there is no measure", name, _REGISTRY))
    options = {}
    if bracket:
        complaint = f"{text!r}: options are written as {name}(option=value, ...)"
        try:
            call = ast.parse(text.strip(), mode="eval").body
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
                raise ValueError
            for keyword in call.keywords:
                if keyword.arg is None or keyword.arg in options:
                    raise ValueError
                options[keyword.arg] = _value(keyword.value)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            raise OptionError(complaint) from None
    compat = options.pop("compat", None)
    return _REGISTRY[name](compat=compat, **options)


def _value(node: ast.expr) -> Any:
    """A literal; infinity, which Python has no literal for, is written as its repr is."""
    if isinstance(node, ast.Name) and node.id == "inf":
        return math.inf
    return ast.literal_eval(node)
