"""No regular expression of the package takes more than linear time, whatever the text.

Every pattern in the source is tried on long strings that almost match: the shortest text before each of its repetitions,
then one character many times, then a character that cannot follow. A pattern that tries each way to divide the repeated
characters takes seconds for such a string; a linear one takes less than a millisecond.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from support.syntax import nodes

SOURCE = Path(__file__).parents[2] / "src"
METHODS = ("match", "search", "sub", "split", "findall", "fullmatch", "finditer")
LENGTH = 10_000
SECONDS = 0.1  # a quadratic pattern takes 0.3 s or more
LOCAL = {  # pattern that depends on local variables -> an example
    r'rf\'"(?:{keys})"\s*:\'': r'"(?:coders|tracks)"\s*+:'
}


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def calls(path: Path) -> Iterator[ast.Call]:
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node


@cache
def uses() -> dict[str, frozenset[str]]:
    """Name of a compiled pattern -> the methods called on it anywhere; a private name begins with its file."""
    result: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in calls(path):
            assert isinstance(node.func, ast.Attribute)
            value = node.func.value
            name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
            if node.func.attr in METHODS and name != "re":
                result.setdefault(qualified(path, name), set()).add(node.func.attr)
    return {name: frozenset(methods) for name, methods in result.items()}


def qualified(path: Path, name: str) -> str:
    return f"{path}:{name}" if name.startswith("_") else name


def patterns(path: Path) -> Iterator[tuple[str, Any, str]]:
    """Yield the places of a file, each with a pattern and the method that it is used with."""
    names = {
        id(node.value): node.targets[0].id
        for node in nodes(path)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in calls(path):
        assert isinstance(node.func, ast.Attribute)
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re"):
            continue
        place = f"{path.relative_to(SOURCE)}:{node.lineno}"
        if node.func.attr in METHODS:
            pattern = evaluate(path, ast.unparse(node.args[0]))
            yield f"{place} {node.func.attr}", pattern, node.func.attr
        elif node.func.attr == "compile":
            name = names.get(id(node), "")
            pattern = evaluate(path, ast.unparse(node)) if name else None
            for method in sorted(uses().get(qualified(path, name), ["match"])):
                yield f"{place} {method}", pattern, method


def evaluate(path: Path, expression: str) -> Any:
    """Return the value of an expression in its module; None if it has local variables."""
    if expression in LOCAL:
        return LOCAL[expression]
    module = import_module(module_name(path))
    try:
        return eval(expression, dict(vars(module)))
    except NameError:
        return None


def pieces(parsed: Any) -> Iterator[tuple[str, set[str]]]:
    """Yield, for each repetition in a parsed pattern, a text before it and the characters that it may repeat."""
    before = ""
    for code, argument in parsed:
        for inner, letters in nested(str(code), argument):
            yield before + inner, letters
        before += shortest([(code, argument)])


def nested(code: str, argument: Any) -> Iterator[tuple[str, set[str]]]:
    if code in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        _, maximum, body = argument
        if int(maximum) > 10:
            yield "", alphabet(body)
        yield from pieces(body)
    elif code == "SUBPATTERN":
        yield from pieces(argument[-1])
    elif code == "ATOMIC_GROUP":
        yield from pieces(argument)
    elif code == "BRANCH":
        for branch in argument[1]:
            yield from pieces(branch)
    elif code in ("ASSERT", "ASSERT_NOT"):
        yield from pieces(argument[1])


CATEGORIES = {
    "CATEGORY_DIGIT": "7",
    "CATEGORY_SPACE": " \n\t",
    "CATEGORY_WORD": "a7_",
    "CATEGORY_NOT_SPACE": "a7(-",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_NOT_WORD": " -",
}


def alphabet(parsed: Any) -> set[str]:
    """Return a few characters of each set in a parsed pattern."""
    letters: set[str] = set()
    for code, argument in parsed:
        name = str(code)
        if name == "LITERAL":
            letters.add(chr(argument))
        elif name in ("NOT_LITERAL", "ANY"):
            letters |= set('a7 \\"([<,.-')
        elif name == "IN":
            letters |= in_set(argument)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            letters |= alphabet(argument[2])
        elif name == "SUBPATTERN":
            letters |= alphabet(argument[-1])
        elif name == "ATOMIC_GROUP":
            letters |= alphabet(argument)
        elif name == "BRANCH":
            letters = letters.union(*map(alphabet, argument[1]))
    return letters


def in_set(argument: Any) -> set[str]:
    letters: set[str] = set()
    if str(argument[0][0]) == "NEGATE":
        excluded = {chr(value) for code, value in argument[1:] if str(code) == "LITERAL"}
        return set('a7 \\"([<,.-') - excluded
    for code, value in argument:
        if str(code) == "LITERAL":
            letters.add(chr(value))
        elif str(code) == "RANGE":
            letters.add(chr(value[0]))
        elif str(code) == "CATEGORY":
            letters |= set(CATEGORIES[str(value)])
    return letters


def shortest(parsed: Any) -> str:
    """Return a short text that a parsed pattern matches, roughly."""
    text = ""
    for code, argument in parsed:
        name = str(code)
        if name == "LITERAL":
            text += chr(argument)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            text += shortest(argument[2]) * int(argument[0])
        elif name == "SUBPATTERN":
            text += shortest(argument[-1])
        elif name == "ATOMIC_GROUP":
            text += shortest(argument)
        elif name == "BRANCH":
            text += shortest(argument[1][0])
        elif name not in ("AT", "ASSERT", "ASSERT_NOT", "GROUPREF"):
            text += min(alphabet([(code, argument)]), default="")
    return text


def hard_strings(pattern: re.Pattern[Any]) -> Iterator[str]:
    parsed = re._parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)  # type: ignore[attr-defined]
    for before, letters in dict.fromkeys((before, frozenset(letters)) for before, letters in pieces(parsed)):
        for letter in sorted(letters):
            yield before + letter * LENGTH + "\0"
            yield (before + letter * 3) * (LENGTH // (len(before) + 3)) + "\0"


def seconds(pattern: re.Pattern[Any], method: str, text: str) -> float:
    data: Any = text.encode() if isinstance(pattern.pattern, bytes) else text
    started = time.process_time()
    if method == "sub":
        pattern.sub(lambda match: "", data)
    elif method in ("findall", "finditer", "split"):
        list(getattr(pattern, method)(data))
    else:
        getattr(pattern, method)(data)
    return time.process_time() - started


def longest(pattern: Any, method: str) -> tuple[float, str]:
    """Return the longest time for any of the hard strings, and this string in short."""
    compiled = pattern if isinstance(pattern, re.Pattern) else re.compile(pattern)
    worst = (0.0, "")
    for text in hard_strings(compiled):
        taken = seconds(compiled, method, text)
        if taken > SECONDS:  # once more, in case the machine was busy
            taken = min(taken, seconds(compiled, method, text))
        worst = max(worst, (taken, f"{text[:20]!r}..."))
        if taken > SECONDS:
            break
    return worst


FILES = [path for path in sorted(SOURCE.rglob("*.py")) if re.search(r"^import re$", path.read_text(), re.MULTILINE)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_linear_time(path: Path) -> None:
    for place, pattern, method in patterns(path):
        if pattern is None:  # built from local variables; its parts are constants that are timed
            continue
        taken, text = longest(pattern, method)
        assert taken < SECONDS, f"{place}: {taken:.1f} s for {LENGTH} characters such as {text}"


@pytest.mark.parametrize(("pattern", "method"), [(r"[0-9]+\.?[0-9]*", "fullmatch"), (r"\s+$", "search")])
def test_quadratic_patterns_are_noticed(pattern: str, method: str) -> None:
    assert longest(pattern, method)[0] > SECONDS
