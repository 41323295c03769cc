"""The registry of measures, and the parser of their text form."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from caesura.errors import OptionError
from caesura.measures.average_precision import AveragePrecision
from caesura.measures.axis import amount
from caesura.measures.base import Measure
from caesura.measures.boundary import BoundarySimilarity, SegmentationSimilarity
from caesura.measures.boundary_f import BoundaryF
from caesura.measures.classes import AdjustedRandIndex, NormalizedConditionalEntropy, PairwiseF, RandIndex, VMeasure
from caesura.measures.confusion import BoundaryConfusion
from caesura.measures.distances import BoundaryDeviation, GeneralizedHamming, Hausdorff
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.fuzzy import FuzzySuccess
from caesura.measures.hierarchy import HierarchyKappa, HierarchyOverlap, NonCrossing
from caesura.measures.label_share import LabelShare
from caesura.measures.meet import LMeasure, TMeasure
from caesura.measures.overlaps import AlignmentIndex, Covering, PurityCoverage, UnitError
from caesura.measures.parseval import Parseval
from caesura.measures.sigma import Sigma
from caesura.measures.span_f import SpanF, TokenF
from caesura.measures.structiou import StructIoU
from caesura.measures.window import Pk, SegmentationScore, WindowDiff, WinPR
from caesura.model.result import is_signature
from caesura.options import parse_call, suggest, without_aliases

_REGISTRY: dict[str, type[Measure]] = {
    measure_class.name: measure_class
    for measure_class in (
        Pk,
        WindowDiff,
        WinPR,
        SegmentationScore,
        BoundaryF,
        BoundaryDeviation,
        Hausdorff,
        GeneralizedHamming,
        AveragePrecision,
        UnitError,
        PurityCoverage,
        Covering,
        AlignmentIndex,
        RandIndex,
        AdjustedRandIndex,
        PairwiseF,
        VMeasure,
        NormalizedConditionalEntropy,
        LabelShare,
        SegmentationSimilarity,
        BoundarySimilarity,
        BoundaryConfusion,
        FlexibleSimilarity,
        FuzzySuccess,
        Sigma,
        HierarchyKappa,
        HierarchyOverlap,
        NonCrossing,
        SpanF,
        TokenF,
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
        A name or an alias, with options in parentheses: ``"window_diff(window=5)"``, ``"WD(k=5)"``, ``"pk(compat=nltk)"``.
        Case does not matter, and ``-`` equals ``_``. A signature, long or short, is
        read too. A measure is returned unchanged.

    Returns
    -------
    Measure
        The measure with its options.

    Raises
    ------
    OptionError
        If there is no such measure, if an alias means several measures, or if an option is unknown or invalid.

    Examples
    --------
    >>> parse("window_diff(window=5)")
    window_diff(window=5)
    >>> parse("WD(k=5)")
    window_diff(window=5)
    >>> parse("F1@2")
    boundary_f(tolerance=2)
    >>> parse("F1@0.5s")
    boundary_f(tolerance='0.5s')
    >>> parse("boundary_similarity") == parse("boundary_similarity(n_t=2)")
    True
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise OptionError(f"expected the name of a measure; got {type(text).__name__}")
    if is_signature(text):
        from caesura.measures.signatures import measure_of  # it needs the registry

        return measure_of(text)
    if len(text) > _MAX_LENGTH:
        raise OptionError(f"the text of a measure may have at most {_MAX_LENGTH} characters; got {len(text)}")
    name = text.partition("(")[0].strip()
    measure_class, alias_options = _find(name)
    try:
        _, options = parse_call(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise OptionError(f"{text!r}: options are written as {name}(option=value, ...)") from None
    options = without_aliases(measure_class.options, options)
    for option, value in alias_options.items():
        if options.get(option, value) != value:
            raise OptionError(f"{name} means {option}={value!r}; remove {option}={options[option]!r}")
    compat = options.get("compat")
    if isinstance(compat, str):  # case does not matter
        compat = next((preset for preset in measure_class.presets if _key(preset) == _key(compat)), compat)
    return measure_class(**{**options, **alias_options, "compat": compat})


def is_called(measure: Measure, name: str) -> bool:
    """Return whether a person may mean a measure by a name."""
    if name in (measure.name, measure.label, repr(measure)):
        return True
    try:
        if "(" in name:
            return parse(name) == measure
        measure_class, options = _find(name.strip())
    except OptionError:
        return False
    return isinstance(measure, measure_class) and all(measure[option] == value for option, value in options.items())


def find_measure(name: str) -> type[Measure]:
    return _find(name.partition("(")[0].strip())[0]


_IGNORED = re.compile(r"[\s_^-]")


def _key(name: str) -> str:
    """Return a name as names are looked up: ``S_f^B``, ``s-f-b`` and ``SFB`` are the same."""
    return _IGNORED.sub("", name.casefold())


# The measure that a name means, and the options that it sets.
Meaning = tuple[type[Measure], Mapping[str, Any]]


def _names() -> dict[str, dict[str, Meaning]]:
    """Return name, short name and aliases of all measures, as they are looked up -> name of the measure -> meaning."""
    table: dict[str, dict[str, Meaning]] = {}
    for name, measure_class in _REGISTRY.items():
        for alias, options in aliases_of(measure_class).items():
            table.setdefault(_key(alias), {})[name] = measure_class, options
        table.setdefault(_key(name), {})[name] = measure_class, {}  # the name itself sets no option
    return table


def aliases_of(measure_class: type[Measure]) -> dict[str, Mapping[str, Any]]:
    """Return the other names of a measure: its name in the papers and its aliases."""
    short_name = measure_class().short_name
    options = {name: measure_class()[name] for name in measure_class.options_in_short_name}
    return {short_name: options, **measure_class.aliases}


_NAMES = _names()
_COEFFICIENT_KEYS = {
    "pi",
    "kappa",
    "alpha",
    "bias",
    "fleiss",
    "krippendorff",
    "cohen",
    "scott",
    "multipi",
    "multikappa",
}
# Aliases with several meanings, which ``parse`` refuses.
AMBIGUOUS = {alias for entry in _REGISTRY.values() for alias in entry.aliases if len(_NAMES[_key(alias)]) > 1} | {
    "kappa"
}
_UNAVAILABLE = {
    "gamma": "gamma is a coefficient, not a measure; use agreement(corpus, coefficient='gamma'), or agree -c gamma"
}


def _find(name: str) -> Meaning:
    """Return the measure that a name means, and the options that the name sets."""
    base, at, number = name.partition("@")
    key = _key(base)
    meanings = _NAMES.get(key, {})
    if at and len(meanings) > 1:  # F@2: only one of the measures called F has a tolerance
        meanings = {entry: meaning for entry, meaning in meanings.items() if meaning[0].at_option is not None}
    if not meanings or len(meanings) > 1 or key in _COEFFICIENT_KEYS:
        raise OptionError(_problem(name, key, list(meanings)))
    measure_class, options = next(iter(meanings.values()))
    return measure_class, {**options, **_after_at(name, measure_class, number)} if at else options


def _problem(name: str, key: str, meanings: list[str]) -> str:
    quoted = " or ".join(map(repr, meanings))
    if key in _COEFFICIENT_KEYS:
        corrected = "a measure that the coefficient corrects for chance, such as 'B'"
        return (
            f"{name!r} has several meanings; choose {quoted}, or {corrected}"
            if meanings
            else f"{name!r} is not a measure; choose {corrected}"
        )
    if meanings:
        return f"{name!r} has several meanings; choose {quoted}"
    if key in _UNAVAILABLE:
        return _UNAVAILABLE[key]
    aliases = {_key(alias): alias for entry in _REGISTRY.values() for alias in aliases_of(entry)}
    close = difflib.get_close_matches(key, [*map(_key, _REGISTRY), *aliases], 1)
    if close and close[0] in aliases and aliases[close[0]] not in AMBIGUOUS:
        return f"there is no measure {name!r}; did you mean {aliases[close[0]]!r}?"
    return suggest("there is no measure", name, _REGISTRY)


def _after_at(name: str, measure_class: type[Measure], text: str) -> dict[str, Any]:
    """Return the option that a number after ``@`` sets."""
    option = measure_class.at_option
    if option is None:
        raise OptionError(f"{name!r}: {measure_class.name} has no tolerance; remove '@{text}'")
    if not _AMOUNT.fullmatch(text):
        problem = f"{text!r} is not a {option}" if text else f"there is no {option} after '@'"
        raise OptionError(f"{name!r}: {problem}; write positions, seconds or per cent: F1@2, F1@0.5s, F1@500ms, F1@5%")
    return {option: amount(option, text if text[-1] in "s%" else float(text))}


_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?(s|ms|%)?")


def parse_measures(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return one or several measures without duplicates."""
    if not isinstance(measures, str | Measure | Iterable):
        raise OptionError(f"measures must be names or measures; got {measures!r}")
    parsed = tuple(dict.fromkeys(map(parse, [measures] if isinstance(measures, str | Measure) else measures)))
    if not parsed:
        raise OptionError("measures: expected at least one; got none")
    return parsed


_BOUNDARIES = ("boundary_similarity(n_t=2)", "segmentation_similarity(n_t=2)")
_DIALOGUE = ("flexible_similarity(normalize='positions')", "flexible_similarity(normalize='boundaries')")
_SECONDS = ("boundary_f(tolerance='0.5s')", "boundary_similarity(n_t='0.5s')", "purity_coverage")
_LABELS = ("label_share", *_SECONDS)
_SPANS = ("span_f", "token_f")
_TREES = ("struct_iou", "parseval")

_USUAL: dict[str, tuple[str, ...]] = {
    "linear": _BOUNDARIES,
    "dialogue": _DIALOGUE,
    "hierarchy": ("hierarchy_kappa",),
    "spans": _SPANS,
    "timed spans": _SPANS[:1],
    "trees": _TREES,
    "timed": _SECONDS,
    "timed labels": _LABELS,
}
_HIERARCHY = ("hierarchy_kappa", "hierarchy_overlap", "non_crossing", "t_measure", "l_measure")
_JUDGED = (*_BOUNDARIES, "boundary_confusion(n_t=2)", "window_diff", "fuzzy_success")
_LISTED = {"hierarchy": ("hierarchy_overlap",), "timed": (_SECONDS[1], _SECONDS[0])}
# Task -> kind of data -> measures. If a kind is missing, the task is not defined for it.
DEFAULT_MEASURES = {
    "score": _USUAL | {"linear": (*_BOUNDARIES, "window_diff", "pk"), "hierarchy": _HIERARCHY},
    "agree": {kind: _USUAL[kind] for kind in ("linear", "dialogue", "hierarchy", "timed", "timed labels")},
    "judge": {kind: names for kind, names in _USUAL.items() if kind != "trees"}
    | {"linear": _JUDGED, "hierarchy": _HIERARCHY[:4]},
    "disagreements": {"linear": _BOUNDARIES[:1], "dialogue": _DIALOGUE[:1], **_LISTED},
    "pairwise": _USUAL | {"linear": _BOUNDARIES[:1], "dialogue": _DIALOGUE[:1], "trees": _TREES[:1]},
    "report": _USUAL,
}


def default_measures(task: str, kind: str) -> tuple[Measure, ...]:
    return tuple(map(parse, DEFAULT_MEASURES[task].get(kind, ())))
