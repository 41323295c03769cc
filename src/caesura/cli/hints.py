"""Hints in messages in the form of the command line: ``--reading text=...`` for ``text=``.

Messages of the library name options as Python does, such as ``align='tokens'``. On the command line the same option is
``--align tokens``.
"""

from __future__ import annotations

import re
import shlex
from functools import cache
from typing import Any

# Options of reading that have a flag of their own; the others are values of ``--reading``.
OWN_FLAGS = ("fields", "recipe", "encoding", "words", "labels", "types", "format", "pattern", "align")
_OF_COEFFICIENTS = {"atom": "SIZE", "bounds": "(FIRST,LAST)"}
_WORDS = {"True": "yes", "False": "no", "": "...", "''": ""}
_HINT = re.compile(r"\b(with|use|set|choose|or|and|larger) (\w+)=('[^'\s]*'|[\w.]*\w|\.{3})?(?! \(--)(?![\w('\[{])")
_EXAMPLE = "set atom= to the length of an atom, such as atom=0.01"


def flags(name: str, value: Any) -> list[str]:
    """Return the arguments that set one option of reading."""
    if name == "tiers":
        tiers = [value] if isinstance(value, str) else value
        return [word for tier in tiers for word in ("--tier", tier)]
    return [f"--{name}", str(value)] if name in OWN_FLAGS else ["--reading", f"{name}={value}"]


def for_command_line(message: str) -> str:
    """Return a message whose hints name the options of commands instead of those of functions."""
    if "=" not in message:
        return message
    return _HINT.sub(_translate, message.replace(_EXAMPLE, "set atom=0.01, the length of an atom"))


def _translate(match: re.Match[str]) -> str:
    verb, name, value = match[1], match[2], match[3] or ""
    if name in _OF_COEFFICIENTS:
        return f"{verb.replace('set', 'use')} -c 'COEFFICIENT({name}={value or _OF_COEFFICIENTS[name]})'"
    if name not in _reading_options():
        return match[0]
    arguments = flags(name, _WORDS.get(value, value.strip("'")))
    return " ".join([verb, *map(shlex.quote, arguments)])


@cache
def _reading_options() -> frozenset[str]:
    from caesura.formats.registry import formats  # imported here because ``caesura --help`` must be fast

    options = (option.name for format in formats().values() for option in format.options)
    return frozenset({*OWN_FLAGS, "tiers", *options})
