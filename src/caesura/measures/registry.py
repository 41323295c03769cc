"""The registry of measures, the parser of their text form, and what signatures say.

:mod:`caesura.model.result` describes the grammar of signatures. This module knows the measures.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from caesura.errors import OptionError
from caesura.measures.axis import amount
from caesura.measures.base import Measure
from caesura.measures.boundary import BoundarySimilarity, SegmentationSimilarity
from caesura.measures.boundary_f import BoundaryF
from caesura.measures.classes import AdjustedRandIndex, NormalizedConditionalEntropy, PairwiseF, RandIndex, VMeasure
from caesura.measures.confusion import BoundaryConfusion
from caesura.measures.curve import AveragePrecision
from caesura.measures.distances import BoundaryDeviation, GeneralizedHamming, Hausdorff
from caesura.measures.flexible import FlexibleSimilarity
from caesura.measures.fuzzy import FuzzySuccess
from caesura.measures.hierarchy import HierarchyKappa, HierarchyOverlap, LMeasure, NonCrossing, TMeasure
from caesura.measures.label_share import LabelShare
from caesura.measures.overlaps import AlignmentIndex, Covering, PurityCoverage, UnitError
from caesura.measures.parseval import Parseval
from caesura.measures.sigma import Sigma
from caesura.measures.span_f import SpanF, TokenF
from caesura.measures.structiou import StructIoU
from caesura.measures.window import Pk, SegmentationScore, WindowDiff, WinPR
from caesura.model.result import (
    Result,
    Score,
    SignatureParts,
    format_short,
    is_signature,
    option_text,
    option_value,
    signature_value,
    split_signature,
)
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


# Names of coefficients that rest on no measure; the registry of coefficients for unitizing adds its own.
WITHOUT_MEASURE = {"alpha"}
_PLAIN = re.compile(r"[\w.+-]+")
_NOT_COMPARED = {"coders", "items", "interval", "level", "replicates", "pairs"}  # facts that a short signature omits
# Facts that a short signature omits if they have this value; registries add the defaults of their options.
DEFAULT_FACTS = {"seed": "0", "draws": "10000", "against": "pairs"}
_SEGEVAL = ("segeval-2.0.11", "chunkseg", "evalsubtitle")
# Options of version 0.2 that a measure has no more: the value without a preset, and the values that presets set.
_FORMER_OPTIONS: Mapping[str, tuple[Any, Mapping[str, Any]]] = {
    "chunk": (None, {"chunkseg": 6}),
    "last_position": (False, {"superdialseg": True}),
    "first_token": (False, {"disrpt-2025": True}),
    "conventions": ("plain", {"superdialseg": "superdialseg"}),
    "width": ("positions", {"fournier2012": "units"}),
    "rounding": ("half_up", dict.fromkeys((*_SEGEVAL, "nltk", "superdialseg"), "half_even")),
    "mean": ("segments", {"nltk": "marks", "superdialseg": "positions"}),
    "minimum": (2, {"nltk": 0}),
    "clamp": (True, dict.fromkeys((*_SEGEVAL, "nltk", "superdialseg"), False)),
    "padding": ("inner", dict.fromkeys(_SEGEVAL, "segeval")),
}
_CHANCE_WORDS = {"simulated": "simulate", "exact": "exact", "placement": "placement"}


@dataclass(frozen=True)
class Signature:
    # Words before the measure: a coefficient, ``pairwise``, ``judge`` or ``evaluate``; empty for a score.
    words: tuple[str, ...]
    facts: Mapping[str, str]  # entries before the measure, such as ``chance`` and ``seed``, as text
    measure: Measure | None  # the measure with its options; None if the signature has none, such as that of ``alpha``
    # Entries after the measure that are not options, such as ``documents``.
    resolved: Mapping[str, str] = field(default_factory=dict)
    value: str | None = None  # the number, as it is written
    data: str | None = None  # fingerprint of the data, or its beginning
    version: str = ""
    short: bool = False  # whether it is a short signature


def read_signature(text: str, *, complete: bool = True) -> Signature:
    """Read a signature, long or short."""
    parts = split_signature(text)
    missing = list(parts.missing)
    if not parts.short:
        missing += [f"{name}:..." for name in ("data", "value") if getattr(parts, name) is None]
    read = _read_short(parts) if parts.short else _read_long(parts, missing)
    if missing and complete:
        raise OptionError(
            f"the signature is cut off or incomplete; it lacks {'; '.join(missing)}. Copy the whole line. Signatures with "
            "data and value are printed by score, agree, pairwise, judge and evaluate"
        )
    return read


def measure_of(text: str) -> Measure:
    measure = read_signature(text, complete=False).measure
    if measure is None:
        raise OptionError(f"the signature names no measure; got {text[:60]!r}")
    return measure


def short_text(measure: Measure) -> str:
    """Return the name of a measure in the papers with its options, as short signatures have it."""
    label, hidden = measure.label, measure.options_in_short_name
    always = [option.name for option in measure.options if option.always_shown and option.name not in hidden]
    shown = [f"{name}={option_text(measure[name])}" for name in always if f"{name}=" not in label]
    name, parenthesis, rest = label.partition("(")
    entries = [*shown, *([rest[:-1]] if parenthesis else [])]
    return f"{name}({', '.join(entries)})" if entries else name


def signature_text(signature: str | Result) -> str:
    text = getattr(signature, "signature", signature)
    if not isinstance(text, str):
        raise OptionError(f"expected a signature, or a result that has one; got {type(signature).__name__}")
    return text


def read_number(text: str) -> Signature:
    """Read the signature of a number: it must have data, value and version."""
    first = text.partition("|")[0].strip()
    if "|" in text and first in ("judge", "evaluate") and "|value:" not in text and "|caesura:" in text:
        rows = "rows[].score" if first == "judge" else "scores"
        raise OptionError(
            f"the signature of a whole result of {first} has no single value; use the signature of one of its numbers "
            f"(results.{rows}.signature in the JSON), or the JSON file itself"
        )
    return read_signature(text)


def short_signature(result: str | Result) -> str:
    """Return the short form of a signature, for the screen.

    Parameters
    ----------
    result : str or Result
        A long signature, or a result that has one, such as a score or an agreement.

    Returns
    -------
    str
        Such as ``B(n_t=2) = .7500 · caesura 0.3.0.dev0 · data 3f9c2a71``. The score of a single function call has no data.

    Raises
    ------
    OptionError
        If the signature has no single value.

    Examples
    --------
    >>> from caesura import Segmentation, boundary_similarity
    >>> score = boundary_similarity(Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([2, 2, 7]))
    >>> short_signature(score).partition(" · ")[0]
    'B(n_t=2) = .7500'
    """
    if isinstance(result, Score) and not result.origin:
        return format_short(short_text(result.measure), result.value, result.data)  # type: ignore[arg-type]
    claim = read_number(signature_text(result))
    label = "" if claim.measure is None else short_text(claim.measure)
    head = _short_head(claim)
    return format_short(" over ".join(filter(None, [head, label])), float(claim.value or math.nan), claim.data)


def _short_head(claim: Signature) -> str:
    """Return what stands before the measure: the coefficient or the task, with the facts that change the value."""
    if not claim.words:
        return ""
    facts = {name: value for name, value in claim.facts.items() if name not in _NOT_COMPARED}
    facts = {name: value for name, value in facts.items() if value != DEFAULT_FACTS.get(name)}
    chance = facts.pop("chance", "")
    word = chance_word(chance)
    if word == "simulate":  # simulation with control variates is the default, and has no name
        word = chance if "no control" in chance else ""
    if word:
        facts["chance"] = word
    if "ordered" in claim.words:
        facts["ordered"] = "yes"
    if not chance_word(chance):
        facts.pop("seed", None)  # without simulation it belongs to the interval
    texts = {name: value if _PLAIN.fullmatch(value) else option_text(value) for name, value in facts.items()}
    options = ", ".join(f"{name}={text}" for name, text in texts.items())
    return f"{claim.words[0]}({options})" if options else claim.words[0]


def chance_word(text: str) -> str:
    """Return the word for ``chance=`` that the entry of a signature stands for."""
    exact = "exact" if "exact" in text else ""
    return exact or next((word for start, word in _CHANCE_WORDS.items() if text.startswith((start, word))), "")


def _read_long(parts: SignatureParts, missing: list[str]) -> Signature:
    """Return a long signature; add the names of absent options to ``missing``."""
    entries, registered = parts.entries, measures()
    place = next((i for i, (name, value) in enumerate(entries) if not value and name in registered), len(entries))
    head, texts = entries[:place], dict(entries[place + 1 :])
    measure: Measure | None = None
    if place < len(entries):
        measure_class = registered[entries[place][0]]
        needed = [option.name for option in measure_class.options if not option.omitted_at_default]
        absent = ", ".join(f"{name}:..." for name in needed if name not in texts)
        if absent:
            listed = "; ".join([absent, *missing])
            raise OptionError(
                f"the signature is cut off or incomplete; {measure_class.name} lacks {listed}. Copy the whole line"
            )
        _remove_former_options(measure_class, texts)
        compat, auto = texts.pop("compat", None), texts.pop("auto", "").split(",")
        options = {}
        for option in measure_class.options:
            if option.name in texts:
                text = texts.pop(option.name)
                options[option.name] = None if option.name in auto else option_value(text)
            elif (
                compat in measure_class.presets
            ):  # an option that is not written has its default, whatever the preset sets
                options[option.name] = option.default
        measure = measure_class(compat=compat, **options)
    words, facts = tuple(name for name, value in head if not value), {name: value for name, value in head if value}
    return Signature(words, facts, measure, texts, parts.value, parts.data, parts.version or "")


def _remove_former_options(measure_class: type[Measure], texts: dict[str, str]) -> None:
    """Remove the former options that mean what the preset of the signature means now; the others are an error."""
    names = {option.name for option in measure_class.options}
    for name, (unset, values) in _FORMER_OPTIONS.items():
        if name in names or name not in texts:
            continue
        text = texts.pop(name)
        if option_value(text) != values.get(texts.get("compat", ""), unset):
            presets = " or ".join(f"compat={preset}" for preset in values)
            now = f"only {presets} has now" if presets else "is gone"
            raise OptionError(
                f"the signature has {name}:{text}, an option of version 0.2 that {now}; compute the number again"
            )


def _read_short(parts: SignatureParts) -> Signature:
    label = parts.entries[0][0]
    head, over, measure_text = label.rpartition(" over ")
    words, facts = _read_head(head) if over else ((), {})
    measure: Measure | None = None
    if not over and label.partition("(")[0] in WITHOUT_MEASURE:
        words, facts = _read_head(label)
    elif "…" in (text := measure_text if over else label):
        raise OptionError(f"the options of {text!r} are abbreviated; use the long signature, which --json prints")
    else:
        measure = parse(text)
    return Signature(words, facts, measure, {}, parts.value, parts.data, parts.version or "", short=True)


def _read_head(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the words and facts of ``multi_pi(chance=placement)`` or ``judge(system=mine)``."""
    try:
        name, facts = parse_call(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise OptionError(f"expected a coefficient or a task before 'over'; got {text!r}") from None
    return (name,), {fact: signature_value(value) for fact, value in facts.items()}
