"""Parse bracket strings of the Penn Treebank into lists of nodes, and format nodes as brackets, without recursion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from caesura.errors import TreeError

# Matches an opening bracket with its label, a closing bracket, or a word. A word may contain any character except
# brackets and ASCII white space; a no-break space is part of the word.
_TOKEN = re.compile(r"\(\s*[^\s()]*|\)|[^\s()]+", re.ASCII)
_ASCII_SPACE = " \t\n\r\f\v"


class Nodes(NamedTuple):
    """Nodes of one sentence in preorder, with one node per bracket.

    Parameters
    ----------
    labels : list of str
        Label of each node; empty for a bracket without a label.
    parent : list of int
        Index of the parent of each node; -1 for a root.
    start, end : list of int
        First word of each node, counted from 0, and the index after its last word.
    words : list of str
        Words of the sentence.
    """

    labels: list[str]
    parent: list[int]
    start: list[int]
    end: list[int]
    words: list[str]

    @classmethod
    def empty(cls) -> Nodes:
        """Return empty lists of nodes.

        Returns
        -------
        Nodes
        """
        return cls([], [], [], [], [])


def parse_brackets(text: str, *, line: int = 1, column: int = 1) -> Nodes:
    """Return the nodes of one sentence, which may have several roots.

    Parameters
    ----------
    text : str
        Brackets. Each word has its own preterminal and no sibling: ``(NN dog)``. A bracket without a label, such as the
        outer one in ``( (S ...))``, becomes a node with an empty label.
    line, column : int, default 1
        Position of the text in its file, for error messages.

    Returns
    -------
    Nodes

    Raises
    ------
    TreeError
        If brackets do not match, a bracket is empty, or a word is not alone in its bracket. The message gives line and
        column.
    """
    parser = _Parser(text, line, column)
    open_bracket, close_bracket, add_word = parser.open_bracket, parser.close_bracket, parser.add_word
    for at, token in enumerate(_TOKEN.findall(text)):
        if token == ")":
            close_bracket(at)
        elif token[0] == "(":
            open_bracket(at, token[1:].lstrip(_ASCII_SPACE))
        else:
            add_word(at, token)
    parser.finish()
    return parser.nodes


@dataclass(slots=True)
class _Parser:
    text: str
    line: int
    column: int
    nodes: Nodes = field(default_factory=Nodes.empty)
    stack: list[int] = field(default_factory=list)
    after_word: bool = False

    def open_bracket(self, at: int, label: str) -> None:
        labels, parent, start, end, words = self.nodes
        if self.after_word:
            raise self.error(at, f"a word must be alone in its bracket; {words[-1]!r} has a bracket beside it")
        parent.append(self.stack[-1] if self.stack else -1)
        self.stack.append(len(labels))
        labels.append(label)
        start.append(len(words))
        end.append(0)

    def close_bracket(self, at: int) -> None:
        if not self.stack:
            raise self.error(at, "this bracket has no opening bracket")
        node = self.stack.pop()
        if self.nodes.start[node] == len(self.nodes.words):
            raise self.error(at, f"a bracket must contain a word or brackets; {self.bracket(node)} is empty")
        self.nodes.end[node] = len(self.nodes.words)
        self.after_word = False

    def add_word(self, at: int, word: str) -> None:
        if not self.stack:
            raise self.error(at, f"a tree begins with a bracket; got {word[:40]!r}")
        node, words = self.stack[-1], self.nodes.words
        if self.nodes.start[node] != len(words):
            raise self.error(at, f"a word must be alone in its bracket; {word[:40]!r} shares {self.bracket(node)}")
        words.append(word)
        self.after_word = True

    def finish(self) -> None:
        """Raise an error unless all brackets are closed and there is a tree."""
        if self.stack:
            node = self.stack[0]
            at = [i for i, token in enumerate(_TOKEN.findall(self.text)) if token[0] == "("][node]
            raise self.error(at, f"this bracket, {self.bracket(node)}, is never closed")
        if not self.nodes.labels:
            raise TreeError("a tree has at least one word; got nothing", self.line, self.column)

    def bracket(self, node: int) -> str:
        label = self.nodes.labels[node]
        return f"({label[:40]} ...)" if label else "( ...) without a label"

    def error(self, at: int, problem: str) -> TreeError:
        """Return an error at the token with this number. The line and column are computed only here."""
        before = self.text[: next(islice(_TOKEN.finditer(self.text), at, None)).start()]
        last_break = before.rfind("\n")
        column = len(before) - last_break if last_break >= 0 else len(before) + self.column
        return TreeError(problem, self.line + before.count("\n"), column)


def format_brackets(labels: Sequence[str], start: Sequence[int], end: Sequence[int], words: Sequence[str]) -> str:
    """Return nodes in preorder as a bracket string on one line.

    Parameters
    ----------
    labels : sequence of str
        Label of each node.
    start, end : sequence of int
        First word of each node, counted from 0, and the index after its last word.
    words : sequence of str
        Words of the sentence.

    Returns
    -------
    str
    """
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
