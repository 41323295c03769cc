"""Read signatures: which task, coefficient, measure and options a number was computed with, and on which data.

:mod:`caesura.model.result` describes the grammar. This module knows the measures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.registry import measures, parse
from caesura.model.result import (
    Result,
    Score,
    SignatureParts,
    format_short,
    option_text,
    option_value,
    signature_value,
    split_signature,
)
from caesura.options import parse_call

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
    entries, registered = parts.entries, measures()
    place = next((i for i, (name, value) in enumerate(entries) if not value and name in registered), len(entries))
    head = entries[:place]
    words = tuple(name for name, value in head if not value)
    facts = {name: value for name, value in head if value}
    measure: Measure | None = None
    resolved: dict[str, str] = {}
    if place < len(entries):
        measure, resolved = _with_options(registered[entries[place][0]], entries[place + 1 :], missing)
    return Signature(words, facts, measure, resolved, parts.value, parts.data, parts.version or "")


def _with_options(
    measure_class: type[Measure], entries: Sequence[tuple[str, str]], missing: list[str]
) -> tuple[Measure | None, dict[str, str]]:
    """Return the measure, and the entries that are not options; add the names of absent options to ``missing``."""
    texts = dict(entries)
    _check_complete(measure_class, texts, missing)
    _check_former_options(measure_class, texts)
    compat, auto = texts.pop("compat", None), texts.pop("auto", "").split(",")
    options = {}
    for option in measure_class.options:
        if option.name in texts:
            text = texts.pop(option.name)
            options[option.name] = None if option.name in auto else option_value(text)
        elif compat in measure_class.presets:  # an option that is not written has its default, whatever the preset sets
            options[option.name] = option.default
    return measure_class(compat=compat, **options), texts


def _check_complete(measure_class: type[Measure], texts: Mapping[str, str], missing: list[str]) -> None:
    """Raise an error if a signature lacks options, because a part of it is missing."""
    needed = [option.name for option in measure_class.options if not option.omitted_at_default]
    absent = ", ".join(f"{name}:..." for name in needed if name not in texts)
    if absent:
        listed = "; ".join([absent, *missing])
        raise OptionError(
            f"the signature is cut off or incomplete; {measure_class.name} lacks {listed}. Copy the whole line"
        )


def _check_former_options(measure_class: type[Measure], texts: dict[str, str]) -> None:
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
