"""Scales of boundary types: checks, order and codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

import numpy as np

from caesura.errors import SegmentationError
from caesura.model import checks

# Boundary types, before they are checked.
Types = Iterable[str | int]

# Types of a segmentation whose boundaries are all of one unnamed type.
UNTYPED = ("boundary",)

_NUMBER = re.compile("-?[0-9]{1,18}")


def check_types(types: Types) -> tuple[str, ...]:
    if isinstance(types, str):
        raise SegmentationError(f"types: expected a sequence of names; got the string {types!r}")
    if type(types) is tuple and set(map(type, types)) == {str} and all(types):
        scale = types  # texts that share a scale have the same object, which is fast to compare
    else:
        scale = tuple(_type_name(name, f"types[{i}]") for i, name in enumerate(checks.as_list(types, "types")))
    if not scale:
        raise SegmentationError("types: at least one type must be declared; got none")
    seen: set[str] = set()
    for i, name in enumerate(scale):
        if name in seen:
            raise SegmentationError(f"types[{i}]: a type may be declared only once; got {name!r} again")
        seen.add(name)
    return scale


def sort_types(names: Iterable[str]) -> tuple[str, ...]:
    """Sort types without a declared order: numbers first, in numeric order, then names in alphabetical order."""
    return tuple(sorted(names, key=lambda name: (0, int(name), name) if _NUMBER.fullmatch(name) else (1, 0, name)))


def _type_name(mark: object, place: str) -> str:
    if (isinstance(mark, str) and mark) or (isinstance(mark, (int, np.integer)) and not isinstance(mark, bool)):
        return str(mark)
    raise SegmentationError(f"{place}: a type must be a name that is not empty; got {mark!r}")


def type_names(marks: Collection[str | int], place: Callable[[int], str], i: int) -> list[str]:
    return [mark if type(mark) is str and mark else _type_name(mark, place(i)) for mark in marks]


def encode_sets(
    positions: list[int], sets: list[list[str]], code_of: dict[str, int], place: Callable[[int], str]
) -> tuple[list[int], list[int]]:
    at: list[int] = []
    codes: list[int] = []
    for i, (position, names) in enumerate(zip(positions, sets, strict=True)):
        unknown = next((name for name in names if name not in code_of), None)
        if unknown is not None:
            raise SegmentationError(f"{place(i)}: {not_declared(unknown, code_of)}")
        codes_here = sorted({code_of[name] for name in names})
        if len(codes_here) < len(names):
            raise SegmentationError(f"{place(i)}: a type may occur only once at a position; got {tuple(names)!r}")
        at += [position] * len(codes_here)
        codes += codes_here
    return at, codes


def not_declared(name: str, scale: Iterable[str]) -> str:
    return f"type {name!r} is not declared; the declared types are {', '.join(map(repr, scale))}"


def check_set(names: object, i: int) -> Collection[str | int]:
    if names is None:
        return ()
    if not isinstance(names, Collection) or (isinstance(names, str) and names):
        raise SegmentationError(f"sets[{i}]: expected a set of types; got {names!r}")
    return names
