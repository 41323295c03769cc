"""Trees written as brackets, as in the Penn Treebank: text into flat lists and back, without recursion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from caesura.errors import TreeError

# Words may hold any character but brackets and the blanks of ASCII: a no-break space is part of a word.
_TOKEN = re.compile(r"[()]|[^\s()]+", re.ASCII)

_OPENED, _INSIDE, _WORD = range(3)  # what stood before: an opening bracket, a label or a whole bracket, a word


class Nodes(NamedTuple):
    """The nodes of one sentence in preorder: a bracket each. Word ranges are half open and count from 0."""

    labels: list[str]
    parent: list[int]
    start: list[int]
    end: list[int]
    words: list[str]


def parse_brackets(text: str, *, line: int = 1, column: int = 1) -> Nodes:
    """The brackets of one sentence, which may have several roots; ``line`` and ``column``: where the text begins.

    Every word stands alone under its preterminal: ``(NN dog)``. A bracket without a label, as around ``( (S ...))``, is a
    node whose label is empty.
    """
    tokens = _TOKEN.findall(text)
    nodes = Nodes([], [], [], [], [])
    labels, parent, start, end, words = nodes
    stack: list[int] = []
    state = _INSIDE
    for at, token in enumerate(tokens):
        if token == "(":
            if state == _WORD:
                raise _error(
                    text, at, f"a word stands alone in its bracket; {words[-1]!r} has a bracket beside it", line, column
                )
            labels.append("")
            parent.append(stack[-1] if stack else -1)
            start.append(len(words))
            end.append(0)
            stack.append(len(labels) - 1)
            state = _OPENED
        elif token == ")":
            if not stack:
                raise _error(text, at, "this bracket closes nothing", line, column)
            node = stack.pop()
            if start[node] == len(words):
                raise _error(
                    text, at, f"a bracket holds a word or brackets; {_named(labels[node])} is empty", line, column
                )
            end[node] = len(words)
            state = _INSIDE
        elif state == _OPENED:
            labels[-1] = token
            state = _INSIDE
        elif not stack:
            raise _error(text, at, f"a tree begins with a bracket; got {token[:40]!r}", line, column)
        elif state == _WORD or start[stack[-1]] != len(words):
            raise _error(
                text,
                at,
                f"a word stands alone in its bracket; {token[:40]!r} shares {_named(labels[stack[-1]])}",
                line,
                column,
            )
        else:
            words.append(token)
            state = _WORD
    if stack:
        opened = [at for at, token in enumerate(tokens) if token == "("][stack[0]]
        raise _error(text, opened, f"this bracket, {_named(labels[stack[0]])}, is never closed", line, column)
    if not labels:
        raise TreeError("a tree has at least one word; got nothing", line, column)
    return nodes


def _named(label: str) -> str:
    return f"({label[:40]} ...)" if label else "( ...) without a label"


def _error(text: str, at: int, problem: str, line: int, column: int) -> TreeError:
    """The problem at the token of this number, which is looked up only now."""
    before = text[: next(islice(_TOKEN.finditer(text), at, None)).start()]
    last = before.rfind("\n")
    here = len(before) - last if last >= 0 else len(before) + column
    return TreeError(problem, line + before.count("\n"), here)


def format_brackets(labels: Sequence[str], start: Sequence[int], end: Sequence[int], words: Sequence[str]) -> str:
    """The text of brackets in preorder, on one line."""
    pieces: list[str] = []
    open_: list[int] = []
    last = len(labels) - 1
    for node, label in enumerate(labels):
        while open_ and end[open_[-1]] <= start[node]:
            open_.pop()
            pieces.append(")")
        pieces.append(f"{' ' if pieces else ''}({label}")
        open_.append(node)
        # A preterminal is whatever the next node does not stand inside.
        if node == last or start[node + 1] >= end[node]:
            pieces.append(f" {words[start[node]]}")
    pieces.append(")" * len(open_))
    return "".join(pieces)
