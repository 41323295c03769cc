"""Read signatures: which task, coefficient, measure and options a number was computed with, and on which data.

:mod:`caesura.model.signature` describes the grammar. This module knows the measures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.registry import measures, parse
from caesura.model.signature import SignatureParts, option_text, option_value, split_signature

_SHORT_CALL = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<options>.*)\))?", re.DOTALL)


@dataclass(frozen=True)
class Signature:
    """A signature that was read.

    Attributes
    ----------
    words : tuple of str
        Words before the measure: a coefficient, ``pairwise``, ``judge`` or ``evaluate``; empty for a score.
    facts : mapping
        Entries before the measure, such as ``chance`` and ``seed``, as text.
    measure : Measure or None
        The measure with its options; None if the signature has none, such as that of ``alpha``.
    resolved : mapping
        Entries after the measure that are not options, such as ``documents``.
    value : str or None
        The number, as it is written.
    data : str or None
        Fingerprint of the data, or its beginning.
    version : str
        The version.
    short : bool
        Whether it is a short signature.
    """

    words: tuple[str, ...]
    facts: Mapping[str, str]
    measure: Measure | None
    resolved: Mapping[str, str] = field(default_factory=dict)
    value: str | None = None
    data: str | None = None
    version: str = ""
    short: bool = False


def read_signature(text: str, *, complete: bool = True) -> Signature:
    """Read a signature, long or short.

    Parameters
    ----------
    text : str
        The signature.
    complete : bool, default True
        Whether value, data and version are required.

    Returns
    -------
    Signature
        Task, measure, value, data and version.

    Raises
    ------
    OptionError
        If the text is not a signature, or is cut off; the message says what is missing.
    """
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
    """Return the measure that a signature names.

    Parameters
    ----------
    text : str
        A long or short signature.

    Returns
    -------
    Measure
        The measure with its options.

    Raises
    ------
    OptionError
        If the text is not a signature, names no measure, or lacks options.

    Examples
    --------
    >>> measure_of("B(n_t=3) = .7500 · caesura 0.1.0 · data 84fe092b")
    boundary_similarity(n_t=3)
    """
    measure = read_signature(text, complete=False).measure
    if measure is None:
        raise OptionError(f"the signature names no measure; got {text[:60]!r}")
    return measure


def short_text(measure: Measure) -> str:
    """Return the name of a measure in the papers with its options, as short signatures have it.

    Parameters
    ----------
    measure : Measure
        The measure.

    Returns
    -------
    str
        The label, with the options that a ``repr`` always shows.

    Examples
    --------
    >>> short_text(parse("boundary_similarity"))
    'B(n_t=2)'
    """
    label, hidden = measure.label, measure.options_in_short_name
    always = [option.name for option in measure.options if option.always_shown and option.name not in hidden]
    shown = [f"{name}={option_text(measure[name])}" for name in always if f"{name}=" not in label]
    name, parenthesis, rest = label.partition("(")
    entries = [*shown, *([rest[:-1]] if parenthesis else [])]
    return f"{name}({', '.join(entries)})" if entries else name


# -- the long form ----------------------------------------------------------------------------------------------------


def _read_long(parts: SignatureParts, missing: list[str]) -> Signature:
    entries, registered = parts.entries, measures()
    place = next((i for i, (name, value) in enumerate(entries) if not value and name in registered), len(entries))
    head = entries[:place]
    words = tuple(name for name, value in head if not value)
    facts = {name: value for name, value in head if value}
    measure, resolved = None, {}
    if place < len(entries):
        measure, resolved = _with_options(registered[entries[place][0]], entries[place + 1 :], missing)
    return Signature(words, facts, measure, resolved, parts.value, parts.data, parts.version or "")


def _with_options(
    measure_class: type[Measure], entries: Sequence[tuple[str, str]], missing: list[str]
) -> tuple[Measure | None, dict[str, str]]:
    """Return the measure, and the entries that are not options; add the names of absent options to ``missing``."""
    texts = dict(entries)
    declared = [option.name for option in measure_class.options]
    absent = [name for name in declared if name not in texts]
    if absent:
        options = ", ".join(f"{name}:..." for name in absent)
        raise OptionError(
            f"the signature is cut off or incomplete; {measure_class.name} lacks {options}"
            f"{''.join(f'; {entry}' for entry in missing)}. Copy the whole line"
        )
    compat, auto = texts.get("compat"), texts.get("auto", "").split(",")
    options = {name: None if name in auto else option_value(texts[name]) for name in declared}
    resolved = {name: value for name, value in texts.items() if name not in (*declared, "compat", "auto")}
    return measure_class(compat=compat, **options), resolved


# -- the short form ---------------------------------------------------------------------------------------------------


def _read_short(parts: SignatureParts) -> Signature:
    label = parts.entries[0][0]
    head, over, measure_text = label.rpartition(" over ")
    words, facts = _read_head(head) if over else ((), {})
    measure: Measure | None = None
    if over or label != "alpha":
        measure = _measure_of_label(measure_text if over else label)
    else:
        words = ("alpha",)
    return Signature(words, facts, measure, {}, parts.value, parts.data, parts.version or "", short=True)


def _read_head(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the words and facts of ``multi_pi(chance=placement)`` or ``judge(system=mine)``."""
    match = _SHORT_CALL.fullmatch(text.strip())
    if match is None:
        raise OptionError(f"expected a coefficient or a task before 'over'; got {text!r}")
    facts = dict(_split_options(match["options"] or ""))
    return tuple(match["name"].split()), {name: str(option_value(value)) for name, value in facts.items()}


def _measure_of_label(label: str) -> Measure:
    match = _SHORT_CALL.fullmatch(label.strip())
    if match is None or "…" in label:
        problem = "its options are abbreviated" if "…" in label else "it names no measure"
        raise OptionError(f"{label!r} cannot be read: {problem}; use the long signature, which --json prints")
    options = {name: option_value(value) for name, value in _split_options(match["options"] or "")}
    name = match["name"].strip()
    if name not in _short_names():
        found = parse(name)
        return found.replace(**options) if options else found
    measure_class, implied = _short_names()[name]
    return measure_class(**{**implied, **options})


@cache
def _short_names() -> dict[str, tuple[type[Measure], dict[str, Any]]]:
    """Return the short name of every measure, with the options that the short name stands for."""
    names: dict[str, tuple[type[Measure], dict[str, Any]]] = {}
    for measure_class in measures().values():
        names.setdefault(measure_class().short_name, (measure_class, {}))
        for option in measure_class.options:
            if option.name in measure_class.options_in_short_name:
                for value in getattr(option.check, "choices", ()):
                    implied = {option.name: value}
                    names.setdefault(measure_class(**implied).short_name, (measure_class, implied))
    return names


def _split_options(text: str) -> list[tuple[str, str]]:
    """Split ``a=1, b=(2, 3)`` at the commas outside of brackets and quotes."""
    pieces, depth, quote, piece = [], 0, "", ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        depth += 0 if quote else (character in "([{") - (character in ")]}")
        if character == "," and not depth and not quote:
            pieces.append(piece)
            piece = ""
        else:
            piece += character
    pairs = [entry.partition("=") for entry in [*pieces, piece] if entry.strip()]
    for name, sign, value in pairs:
        if not sign or not value.strip():
            raise OptionError(f"options are written as name=value; got {name.strip()!r}; copy the whole signature")
    return [(name.strip(), value.strip()) for name, _, value in pairs]
