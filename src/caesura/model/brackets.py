"""Parse bracket strings of the Penn Treebank into lists of nodes, and format nodes as brackets, without recursion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from caesura.errors import TreeError

# Matches a whole preterminal (groups 1 and 2: label and word), an opening bracket with its label (groups 3 and 4), a closing
# bracket, or (group 5) a word outside a preterminal. A word may contain any character except brackets and ASCII white space;
# a no-break space is part of the word.
_TOKEN = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)|(\()\s*([^\s()]*)|\)|([^\s()]+)", re.ASCII)


class Nodes(NamedTuple):
    """Nodes of one sentence in preorder, with one node per bracket."""

    labels: list[str]  # label of each node; empty for a bracket without a label
    parent: list[int]  # index of the parent of each node; -1 for a root
    start: list[int]  # first word of each node, counted from 0, and the index after its last word
    end: list[int]
    words: list[str]


def parse_brackets(text: str, *, line: int = 1, column: int = 1) -> Nodes:
    tokens = _TOKEN.findall(text)
    nodes = Nodes([], [], [], [], [])
    labels, parent, start, end, words = nodes
    stack = [-1]  # the open brackets; -1 is the parent of the roots
    for at, (preterminal, word, bracket, label, lone_word) in enumerate(tokens):
        if word:
            parent.append(stack[-1])
            labels.append(preterminal)
            start.append(len(words))
            words.append(word)
            end.append(len(words))
        elif bracket:
            parent.append(stack[-1])
            stack.append(len(labels))
            labels.append(label)
            start.append(len(words))
            end.append(0)
        elif lone_word or len(stack) == 1 or start[stack[-1]] == len(words):
            raise _error(text, line, column, *_problem(tokens, at, nodes, stack))
        else:
            end[stack.pop()] = len(words)
    if len(stack) > 1:
        raise _error(text, line, column, *_unclosed(tokens, nodes, stack))
    if not labels:
        raise TreeError("a tree has at least one word; got nothing", line, column)
    return nodes


def _problem(tokens: list[tuple[str, ...]], at: int, nodes: Nodes, stack: list[int]) -> tuple[int, str]:
    """Return what is wrong with a closing bracket or with a word outside a preterminal, and the number of the token."""
    word = tokens[at][-1]
    if len(stack) == 1:
        return at, f"a tree begins with a bracket; got {word[:40]!r}" if word else "this bracket has no opening bracket"
    name = _bracket(nodes.labels[stack[-1]])
    if not word:
        return at, f"a bracket must contain a word or brackets; {name} is empty"
    if nodes.start[stack[-1]] == len(nodes.words):  # the word is the first in its bracket; the next token is wrong
        at += 1
        if at == len(tokens):
            return _unclosed(tokens, nodes, stack)
        if not tokens[at][-1]:
            return at, f"a word must be alone in its bracket; {word!r} has a bracket beside it"
        word = tokens[at][-1]
    return at, f"a word must be alone in its bracket; {word[:40]!r} shares {name}"


def _unclosed(tokens: list[tuple[str, ...]], nodes: Nodes, stack: list[int]) -> tuple[int, str]:
    """Return the number of the first opening bracket that is never closed, and the message."""
    at = [i for i, (_, word, bracket, *_) in enumerate(tokens) if word or bracket][stack[1]]
    return at, f"this bracket, {_bracket(nodes.labels[stack[1]])}, is never closed"


def _bracket(label: str) -> str:
    return f"({label[:40]} ...)" if label else "( ...) without a label"


def _error(text: str, line: int, column: int, at: int, problem: str) -> TreeError:
    before = text[: next(islice(_TOKEN.finditer(text), at, None)).start()]
    last_break = before.rfind("\n")
    place = len(before) - last_break if last_break >= 0 else len(before) + column
    return TreeError(problem, line + before.count("\n"), place)


def format_brackets(labels: Sequence[str], start: Sequence[int], end: Sequence[int], words: Sequence[str]) -> str:
    pieces: list[str] = []
    open_nodes: list[int] = []
    last = len(labels) - 1
    for node, label in enumerate(labels):
        while open_nodes and end[open_nodes[-1]] <= start[node]:
            open_nodes.pop()
            pieces.append(")")
        pieces.append(f"{' ' if pieces else ''}({label}")
        open_nodes.append(node)
        # A node is a preterminal if it does not contain the next node.
        if node == last or start[node + 1] >= end[node]:
            pieces.append(f" {words[start[node]]}")
    pieces.append(")" * len(open_nodes))
    return "".join(pieces)
