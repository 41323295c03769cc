"""Declared options: what a measure can be told, and what each may be."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from caesura.errors import OptionError

__all__ = ["Option", "choice", "flag", "from_zero", "number", "whole"]

Check = Callable[[str, object], Any]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a measure. ``check`` returns the value to use, or raises an error that names the option."""

    name: str
    default: Any
    check: Check
    says: str
    always: bool = False
    """Whether a measure's repr names it even at its default."""


def whole(minimum: int, maximum: int = 2**31 - 1, *, automatic: bool = False) -> Check:
    """A whole number within bounds; None too where the measure can choose one itself."""

    def check(name: str, value: object) -> int | None:
        if value is None and automatic:
            return None
        try:
            if isinstance(value, bool):
                raise TypeError
            result = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            raise OptionError(f"{name} must be a whole number; got {value!r}") from None
        if result < minimum:
            raise OptionError(f"{name} must be a whole number of at least {minimum}; got {result}")
        if result > maximum:
            raise OptionError(f"{name} must be a whole number of at most {maximum}; got {result}")
        return result

    return check


def number(minimum: float, maximum: float) -> Check:
    """A finite number between two bounds, both allowed."""

    def check(name: str, value: object) -> float:
        result = _number(name, value)
        if math.isnan(result) or not minimum <= result <= maximum:
            raise OptionError(f"{name} must lie between {minimum:g} and {maximum:g}; got {value!r}")
        return int(result) if result.is_integer() else result

    return check


def from_zero(*, infinite: bool = False) -> Check:
    """A number that is not negative, and finite unless ``infinite`` is allowed."""

    def check(name: str, value: object) -> float:
        result = _number(name, value)
        if not 0 <= result < math.inf and not (infinite and result == math.inf):
            raise OptionError(f"{name} must be a number from 0 up{', or inf' if infinite else ''}; got {value!r}")
        return int(result) if result.is_integer() else result

    return check


def _number(name: str, value: object) -> float:
    try:
        if isinstance(value, (bool, str)):
            raise TypeError
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"{name} must be a number; got {value!r}") from None


def choice(*allowed: str) -> Check:
    """One of a few words."""

    def check(name: str, value: object) -> str:
        if value in allowed:
            return str(value)
        raise OptionError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")

    return check


def flag(name: str, value: object) -> bool:
    """True or False."""
    if isinstance(value, bool):
        return value
    raise OptionError(f"{name} must be True or False; got {value!r}")
