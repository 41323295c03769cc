"""Declared options: names, defaults and allowed values of all settings.

Measures, formats, coefficients, engines, gold standards, judging, simulation and the command line all declare their
settings as :class:`Option` and check them with the validators of this module. A validator takes the name of the option
and a value, and returns the value to use or raises an :class:`~caesura.errors.OptionError` that names the option.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import partial
from os import PathLike, fspath
from typing import Any, ClassVar

from caesura.errors import OptionError

Check = Callable[[str, Any], Any]


@dataclass(frozen=True, slots=True)
class Option:
    name: str  # as in Python
    default: Any
    check: Check  # ``check(name, value)`` returns the value to use or raises ``OptionError``
    description: str  # one sentence that says what the option does
    always_shown: bool = False  # whether the ``repr`` of a measure names the option even at its default
    aliases: tuple[str, ...] = ()  # other names of the option, such as ``k`` for the window of Pk
    omitted_at_default: bool = False  # whether parameters and signatures omit the option at its default


def setting(default: Any, check: Check, description: str, *, flags: tuple[str, ...] = (), needs: str = "") -> Any:
    """Return a field of an ``OptionSet``."""
    check = optional(check) if default is None else check
    metadata = {"check": check, "description": description, "flags": flags, "multiple": default == (), "needs": needs}
    return field(default=default, metadata=metadata)


def switch(description: str, *, flags: tuple[str, ...] = ()) -> Any:
    """Return a field of an ``OptionSet`` that is False by default."""
    return setting(False, flag, description, flags=flags)


class OptionSet:
    """Base of frozen dataclasses whose fields are options, created with ``setting``."""

    # Every value is checked when an object is created. The descriptions become the ``Parameters`` section of the class and the
    # help texts of the command line. Other fields than options are allowed, and are not checked.

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        """Add the Parameters section to the docstring, from the descriptions of the fields."""
        entries = dict(getattr(cls, "__dataclass_fields__", {}))  # of the base classes
        own = inspect.get_annotations(cls)
        entries |= {name: cls.__dict__.get(name) for name in own}
        lines = []
        for name, entry in entries.items():
            if getattr(entry, "metadata", None):
                lines += [f"{name} : {own.get(name, entry.type)}", f"    {entry.metadata['description']}"]
        cls.__doc__ = "\n".join([inspect.cleandoc(cls.__doc__ or ""), "", "Parameters", "----------", *lines, ""])

    @classmethod
    def declared(cls) -> tuple[Field[Any], ...]:
        """Return the fields that are options, in the order of declaration."""
        return tuple(entry for entry in fields(cls) if "check" in entry.metadata)

    def select(self, *names: str) -> dict[str, Any]:
        """Return the values of some options by name."""
        return {name: getattr(self, name) for name in names}

    def __post_init__(self) -> None:
        for entry in self.declared():
            value, check = getattr(self, entry.name), entry.metadata["check"]
            if entry.metadata["multiple"]:
                value = tuple(check(entry.name, part) for part in value)
            else:
                value = check(entry.name, value)
            object.__setattr__(self, entry.name, value)


def resolve_options(
    owner: str, options: Iterable[Option], values: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the values of all options, in the order of declaration."""
    declared = {option.name: option for option in options}
    for name in values:
        if name not in declared:
            raise OptionError(suggest(f"{owner} has no option", name, declared))
    resolved = {name: option.default for name, option in declared.items()} | dict(defaults or {})
    return resolved | {name: declared[name].check(name, value) for name, value in values.items() if value is not None}


def without_aliases(options: Iterable[Option], values: dict[str, Any]) -> dict[str, Any]:
    """Return the values by the names of the options, if some stand under an alias of the option."""
    names = {alias: option.name for option in options for alias in option.aliases if alias in values}
    for alias, name in names.items():
        if values.get(name) is not None and values[alias] is not None:
            raise OptionError(f"{alias} and {name} are the same option; set only one of them")
    aliased = {name: values[alias] for alias, name in names.items() if values[alias] is not None}
    return {name: value for name, value in values.items() if name not in names} | aliased if names else values


def normalize_name(name: str) -> str:
    """Return a name as names are compared: case does not matter, and spaces and hyphens equal underscores."""
    return "_".join(name.casefold().replace("-", " ").split())


_OPTION_NAME = re.compile(r"[^\W\d][\w-]*")
_WORD = re.compile(r"""(?:[^\W\d]|[./~])[^\s'"()\[\]{},=]*""")
_AMOUNT = re.compile(r"[0-9.]+(?:s|ms|%)")  # 0.5s, 500ms, 5%
# A text in quotes, which may not be closed, or a character that matters outside quotes.
_SPECIAL = re.compile(r"""(['"])(?:(?!\1)[^\\]|\\.)*+(\1)?|[][(){},]""", re.DOTALL)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_CONSTANTS = {"inf": math.inf, "true": True, "false": False}


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the options of a text such as ``pk(k=5, compat=nltk)``. Nothing is executed."""
    name, parenthesis, rest = text.strip().partition("(")
    if not parenthesis:
        return name.strip(), {}
    if not rest.endswith(")"):
        raise ValueError("no closing parenthesis")
    options: dict[str, Any] = {}
    for entry in _split_entries(rest[:-1]):
        key, _, value = entry.partition("=")
        option = normalize_name(key)
        if not _OPTION_NAME.fullmatch(key.strip()) or option in options:
            raise ValueError(f"invalid or repeated option {key!r}")
        options[option] = _parse_value(value.strip())
    return name.strip(), options


def _split_entries(text: str) -> list[str]:
    """Return the parts of a text between commas that are in neither quotes nor brackets."""
    entries, start, closing = [], 0, []
    for match in _SPECIAL.finditer(text):
        special, quote, closing_quote = match.group(0, 1, 2)
        if quote:
            if not closing_quote:
                raise ValueError("a quotation mark is open")
        elif special in _BRACKETS:
            closing.append(_BRACKETS[special])
        elif special in ")]}":
            if not closing or closing.pop() != special:
                raise ValueError("a bracket is closed that is not open")
        elif special == "," and not closing:
            entries.append(text[start : match.start()])
            start = match.end()
    if closing:
        raise ValueError("a bracket is open")
    last = text[start:]
    return [*entries, last] if last.strip() else entries


def _parse_value(text: str) -> Any:
    """Return a literal, a constant, or a word without quotes as a string."""
    if text.casefold() in _CONSTANTS:
        return _CONSTANTS[text.casefold()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        if _WORD.fullmatch(text) or _AMOUNT.fullmatch(text):
            return text
        raise


def suggest(problem: str, name: str, known: Iterable[str]) -> str:
    """Return an error message for an unknown name that suggests the closest known name, or lists all names."""
    listed = list(known)
    close = difflib.get_close_matches(name, listed, 1)
    if not close:
        by_normalized_name = {normalize_name(entry): entry for entry in listed}
        normalized = difflib.get_close_matches(normalize_name(name), by_normalized_name, 1)
        close = [by_normalized_name[entry] for entry in normalized]
    choices = f"choose from {', '.join(map(repr, listed))}" if listed else "it has none"
    hint = f"did you mean {close[0]!r}?" if close else choices
    return f"{problem} {name!r}; {hint}"


def _described(check: Check, value_type: type, choices: tuple[str, ...] = ()) -> Check:
    """Return the validator with two attributes that the command line reads: value type and allowed words."""
    check.value_type, check.choices = value_type, choices  # type: ignore[attr-defined]
    return check


def whole(minimum: int, maximum: int = 2**31 - 1) -> Check:
    def check(name: str, value: Any) -> int:
        try:
            if _is_bool(value):
                raise TypeError
            result = operator.index(value)
        except TypeError:
            raise OptionError(f"{name} must be a whole number; got {value!r}") from None
        if not minimum <= result <= maximum:
            limit = f"at least {minimum}" if result < minimum else f"at most {maximum}"
            raise OptionError(f"{name} must be a whole number of {limit}; got {result}")
        return result

    return _described(check, int)


def number(minimum: float, maximum: float, *, below: bool = False) -> Check:
    """Return a validator for numbers from ``minimum`` to ``maximum``, or below it."""

    def fits(value: float) -> bool:
        return minimum <= value < maximum or (value == maximum and not below)

    expected = f"a number from {minimum:g} to {'below ' if below else ''}{maximum:g}"
    return _described(partial(_check_number, expected, fits), float)


def non_negative(*, infinite: bool = False) -> Check:
    """Return a validator for numbers from 0 up, finite unless ``infinite`` allows infinity."""

    def fits(value: float) -> bool:
        return 0 <= value < math.inf or (infinite and value == math.inf)

    return _described(partial(_check_number, f"a number from 0 up{', or inf' if infinite else ''}", fits), float)


def positive(name: str, value: Any) -> float:
    """Check for a finite number above 0."""
    return _check_number("a number above 0", lambda number: 0 < number < math.inf, name, value)


def finite(name: str, value: Any) -> float:
    return _check_number("a finite number", math.isfinite, name, value)


def fraction(name: str, value: Any) -> float:
    """Check for a number between 0 and 1 (both excluded), such as a confidence level or a significance level."""
    return _check_number("a number between 0 and 1", lambda number: 0 < number < 1, name, value)


def _check_number(expected: str, fits: Callable[[float], bool], name: str, value: Any) -> float:
    """Return a number if it fits; ``expected`` describes such numbers in the error message."""
    try:
        result = math.nan if isinstance(value, str) or _is_bool(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if math.isnan(result):
        raise OptionError(f"{name} must be a number; got {value!r}")
    if not fits(result):
        raise OptionError(f"{name} must be {expected}; got {value!r}")
    return int(result) if result.is_integer() else result  # 2.0 and 2 are the same option


def choice(*allowed: str) -> Check:
    """Return a validator that accepts only the listed strings."""

    def check(name: str, value: Any) -> str:
        if isinstance(value, str) and value in allowed:
            return str(value)
        raise OptionError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")

    return _described(check, str, allowed)


def preset_check(presets: Iterable[str]) -> Check:
    """Return a validator for the name of a preset; the help does not list the presets, which are many."""
    names = {normalize_name(preset): preset for preset in presets}

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or normalize_name(value) not in names:
            raise OptionError(suggest("there is no preset", str(value), names.values()))
        return names[normalize_name(value)]

    return _described(check, str)


def flag(name: str, value: Any) -> bool:
    if _is_bool(value):
        return bool(value)
    raise OptionError(f"{name} must be True or False; got {value!r}")


def text(name: str, value: Any) -> str:
    """Check for a non-empty string."""
    if isinstance(value, str) and value.strip():
        return value
    raise OptionError(f"{name} must be a text that is not empty; got {value!r}")


def names(name: str, value: Any) -> tuple[str, ...]:
    listed = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (list, tuple)) else ()
    if not listed or not all(isinstance(entry, str) and entry for entry in listed):
        raise OptionError(f"{name} must be a name or a list of names; got {value!r}")
    return listed


def path(name: str, value: Any) -> str:
    if isinstance(value, (str, PathLike)) and fspath(value):
        return str(fspath(value))
    raise OptionError(f"{name} must be a path; got {value!r}")


def optional(check: Check, *none_words: str) -> Check:
    """Return a validator that also accepts None."""

    def checked(name: str, value: Any) -> Any:
        return None if value is None or (isinstance(value, str) and value in none_words) else check(name, value)

    choices = getattr(check, "choices", ())
    return _described(checked, getattr(check, "value_type", str), (*choices, *none_words) if choices else ())


def seed(name: str, value: Any) -> int:
    """Check for a random seed, a whole number from 0 to 2^63 - 1."""
    if value is None:
        import numpy as np  # imported here: the command line reads this module before it needs numpy

        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    return int(whole(0, 2**63 - 1)(name, value))


def _is_bool(value: object) -> bool:
    """Return whether ``value`` is a truth value of Python or of numpy."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


_TYPES = {positive: float, finite: float, fraction: float, seed: int, flag: bool, text: str, names: str}
for _check, _type in _TYPES.items():
    _described(_check, _type)
