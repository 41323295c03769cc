"""Parse trees of sentences: labelled brackets over words, which may have times, and changes of their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import TreeError
from caesura.model import checks
from caesura.model.annotation import IN_SECONDS, IS_TREE, Annotation, Axis, Shape
from caesura.model.index import flatnonzero, lexsort, repeat
from caesura.model.value import Displayed, Floats, Ints, Numbers, Texts, count_of, frozen_array

Times = Iterable[Sequence[float]] | Floats
# Matches a whole preterminal (groups 1 and 2: label and word), an opening bracket with its label (groups 3 and 4), a closing
# bracket, or (group 5) a word outside a preterminal. A word may contain any character except brackets and ASCII white space;
# a no-break space is part of the word.
_TOKEN = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)|(\()\s*([^\s()]*)|\)|([^\s()]+)", re.ASCII)


class Node(NamedTuple):
    """One bracket of a tree.

    Parameters
    ----------
    label : str
        Label of the bracket; may be empty.
    start, end : int
        First word, counted from 0, and the index after the last word.
    begins, ends : float
        Beginning and end in seconds, or in words if the tree has no times.
    """

    label: str
    start: int
    end: int
    begins: float
    ends: float


class Tree(Annotation, Displayed):
    """Parse tree of one sentence: its brackets in preorder, and its words.

    Use the constructors ``from_brackets`` and ``from_nested`` unless you have nodes in preorder.

    Parameters
    ----------
    labels : iterable of str
        Label of each node.
    parent : sequence of int
        Index of the parent of each node; -1 for a root.
    start, end : sequence of int
        First word of each node, counted from 0, and the index after its last word.
    words : iterable of str
        Words of the sentence.
    times : iterable of (begin, end), optional
        Times in seconds at which each word begins and ends. They must ascend, and words must not overlap.

    Attributes
    ----------
    labels : tuple of str
        Label of each node.
    parent : ndarray of int64
        Index of the parent of each node; -1 for a root.
    start, end : ndarray of int64
        First word of each node, counted from 0, and the index after its last word.
    words : tuple of str
        Words of the sentence.
    times : ndarray of float64 or None
        Beginning and end of each word, one row per word, if they are known.

    Raises
    ------
    TreeError
        If nodes are not in preorder, a word has no preterminal, or times are invalid.

    Notes
    -----
    Every bracket is a node, including preterminals. Words are not nodes; each word is the only child of its preterminal. In
    a tree without times, word i extends from i to i + 1, so that trees over the same words can be compared. A sentence may
    have several roots.

    Examples
    --------
    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))")
    >>> tree
    Tree(3 words, 6 nodes: (S (NP (DT the) (NN man)) (VP (VBD ate))))
    >>> tree.nodes[1]
    Node(label='NP', start=0, end=2, begins=0.0, ends=2.0)
    >>> spoken = tree.with_times([(0.1, 0.3), (0.3, 0.7), (0.9, 1.2)])
    >>> spoken.nodes[0]
    Node(label='S', start=0, end=3, begins=0.1, ends=1.2)
    """

    __slots__ = ("end", "labels", "parent", "start", "times", "words")

    labels: tuple[str, ...]
    parent: Ints
    start: Ints
    end: Ints
    words: tuple[str, ...]
    times: Floats | None

    def __init__(
        self, labels: Texts, parent: Numbers, start: Numbers, end: Numbers, words: Texts, times: Times | None = None
    ) -> None:
        label_texts, word_texts = (
            tuple(checks.as_list(texts, name, " of strings", TreeError))
            for name, texts in (("labels", labels), ("words", words))
        )
        columns = (("parent", parent), ("start", start), ("end", end))
        parents, starts, ends = (checks.whole_numbers(column, name, TreeError) for name, column in columns)
        _check_nodes(label_texts, parents, starts, ends, word_texts)
        checked = None if times is None else _check_times(times, word_texts)
        self._fill(labels=label_texts, parent=parents, start=starts, end=ends, words=word_texts, times=checked)

    @classmethod
    def from_nodes(cls, nodes: Nodes, times: Floats | None = None) -> Tree:
        """Return the tree for nodes in preorder. The nodes are not checked.

        Parameters
        ----------
        nodes : Nodes
            Valid nodes.
        times : ndarray of float64, optional
            Beginning and end of each word.

        Returns
        -------
        Tree
        """
        parent, start, end = map(frozen_array, (_parents(nodes.start, nodes.end), nodes.start, nodes.end))
        labels, words = tuple(nodes.labels), tuple(nodes.words)
        return cls._trusted(labels=labels, parent=parent, start=start, end=end, words=words, times=times)

    @classmethod
    def from_brackets(cls, text: str, times: Times | None = None, *, zero_length: str = "error") -> Tree:
        """Return the tree for a bracket string of the Penn Treebank.

        Parameters
        ----------
        text : str
            Brackets. The outer bracket of ``( (S ...))`` is a node without a label.
        times : iterable of (begin, end), optional
            Times in seconds at which each word begins and ends.
        zero_length : {"error", "merge"}, default "error"
            See :meth:`with_times`.

        Returns
        -------
        Tree

        Raises
        ------
        TreeError
            If the brackets or the times are invalid.
        """
        if not isinstance(text, str):
            raise TreeError(f"brackets: expected a string; got {type(text).__name__}")
        return cls.from_nodes(_parse_brackets(text)).with_times(times, zero_length=zero_length)

    @classmethod
    def from_nested(cls, tree: Sequence[Any], times: Times | None = None, *, zero_length: str = "error") -> Tree:
        """Return the tree for nested tuples or lists.

        Parameters
        ----------
        tree : sequence
            ``(label, child, ...)``; a preterminal is ``(label, word)``.
        times : iterable of (begin, end), optional
            Times in seconds at which each word begins and ends.
        zero_length : {"error", "merge"}, default "error"
            See :meth:`with_times`.

        Returns
        -------
        Tree

        Raises
        ------
        TreeError
            If a bracket or a time is invalid.

        Examples
        --------
        >>> Tree.from_nested(("S", ("NP", ("PRP", "he")), ("VP", ("VBD", "slept"))))
        Tree(2 words, 5 nodes: (S (NP (PRP he)) (VP (VBD slept))))
        """
        nodes = Nodes([], [], [], [])
        pending: list[tuple[bool, Any]] = [(False, tree)]  # brackets to visit, and nodes that have been visited
        while pending:
            is_visited, bracket = pending.pop()
            if is_visited:
                nodes.end[bracket] = len(nodes.words)
                continue
            place = f"bracket {len(nodes.labels) + 1}"
            if isinstance(bracket, str) or not isinstance(bracket, Sequence):
                form = "(label, child, ...), or (label, word) for a word"
                raise TreeError(f"{place}: expected {form}; got {bracket!r:.80}")
            if len(bracket) < 2 or not isinstance(bracket[0], str):
                size = (
                    f"a {type(bracket).__name__} of {len(bracket)}"  # the repr of a deep tree would exhaust the stack
                )
                raise TreeError(f"{place}: expected (label, child, ...) with a string as label; got {size}")
            label, *children = bracket
            pending.append((True, len(nodes.labels)))
            nodes.labels.append(label)
            nodes.start.append(len(nodes.words))
            nodes.end.append(0)
            if len(children) == 1 and isinstance(children[0], str):
                nodes.words.append(children[0])
            else:
                pending += [(False, child) for child in reversed(children)]
        return cls.from_nodes(nodes).with_times(times, zero_length=zero_length)

    def with_times(self, times: Times | None, *, zero_length: str = "error") -> Tree:
        """Return the same tree with different times, or without times.

        Parameters
        ----------
        times : iterable of (begin, end) or None
            Times in seconds at which each word begins and ends.
        zero_length : {"error", "merge"}, default "error"
            Treatment of words that take no time. ``"merge"`` joins such a word to its right neighbour (the last word to its
            left neighbour), see :func:`~caesura.model.tree.join_words`.

        Returns
        -------
        Tree

        Raises
        ------
        TreeError
            If the number of times does not match the number of words, or the times do not ascend.
        """
        if zero_length not in ("error", "merge"):
            raise TreeError(f"zero_length must be 'error' or 'merge'; got {zero_length!r}")
        if times is None:
            return self if self.times is None else self._with(times=None)
        return join_empty_words(self._with(times=_check_times(times, self.words, zero_length=zero_length)))

    def without_labels(self) -> Tree:
        """Return the same brackets with empty labels.

        Returns
        -------
        Tree
        """
        return self._with(labels=("",) * len(self))

    def without_functions(self) -> Tree:
        """Return the tree with all labels cut at the first ``-`` or ``=``, except those of preterminals.

        Returns
        -------
        Tree

        Examples
        --------
        >>> Tree.from_brackets("(S (NP-SBJ (-NONE- *T*-1)) (VP=2 (VBD ate)))").without_functions().brackets
        '(S (NP (-NONE- *T*-1)) (VP (VBD ate)))'
        """
        # A label that begins with a hyphen, such as -LRB-, is not cut.
        short = [label[:1] + re.split("[-=]", label[1:], maxsplit=1)[0] for label in self.labels]
        leaf = self.preterminal.tolist()
        labels = (old if is_leaf else new for old, new, is_leaf in zip(self.labels, short, leaf, strict=True))
        return self._with(labels=tuple(labels))

    @property
    def packed(self) -> bytes:
        """The header of :mod:`caesura.model.annotation`; a tree with times is in seconds, but its extent is in words."""
        return self._pack(len(self.labels), IS_TREE | IN_SECONDS * (self.times is not None))

    @property
    def axis(self) -> Axis:
        return Axis(0, len(self.words), tokens=self.words, times=self.times)

    @property
    def shape(self) -> Shape:
        return Shape.NESTED

    @property
    def length(self) -> int:
        """Number of words."""
        return len(self.words)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def preterminal(self) -> NDArray[np.bool_]:
        """Whether each node is a preterminal."""
        has_child = np.zeros(len(self), bool)
        has_child[self.parent[self.parent >= 0]] = True
        return ~has_child

    @property
    def spans(self) -> Floats:
        """Beginning and end of each node, in seconds, or in words if the tree has no times."""
        if self.times is None:
            return np.column_stack([self.start, self.end]).astype(np.float64)
        return np.column_stack([self.times[self.start, 0], self.times[self.end - 1, 1]])

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes in preorder."""
        columns = (self.start.tolist(), self.end.tolist(), *self.spans.T.tolist())
        return tuple(Node(*row) for row in zip(self.labels, *columns, strict=True))

    @property
    def depth(self) -> Ints:
        """Number of ancestors of each node."""
        depth = np.zeros(len(self), np.int64)
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                depth[node] = depth[parent] + 1
        return depth

    @property
    def brackets(self) -> str:
        """The tree as a Penn Treebank bracket string on one line."""
        return _format_brackets(self.labels, self.start.tolist(), self.end.tolist(), self.words)

    def __str__(self) -> str:
        return self.brackets

    def __repr__(self) -> str:
        size = f"{count_of(self.length, 'word')}, {count_of(len(self), 'node')}"
        drawing = self.brackets if len(self) <= 100 else _format_brackets(self.labels[:1], [0], [1], ["…"])
        times = "" if self.times is None else f" from {self.times[0, 0]:g} to {self.times[-1, 1]:g} s"
        return f"Tree({size}{times}: {drawing if len(drawing) <= 200 else drawing[:199] + '…'})"


def _check_nodes(labels: tuple[str, ...], parent: Ints, start: Ints, end: Ints, words: tuple[str, ...]) -> None:
    """Raise an error unless the nodes are in preorder, nest, and cover every word with one preterminal."""
    n = len(labels)
    if not n:
        raise TreeError("a tree has at least one word; got nothing")
    counts = len(parent), len(start), len(end)
    if set(counts) != {n}:
        raise TreeError(f"expected one parent, start and end per node; got {', '.join(map(str, counts))} for {n}")
    checks.strings(labels, "labels", TreeError)
    checks.strings(words, "words", TreeError)
    expected = np.array(_parents(start.tolist(), end.tolist()))
    is_leaf = np.append(parent[1:] != np.arange(n - 1), True)  # the first child follows its parent
    number = np.cumsum(is_leaf) - is_leaf  # of preterminals before each node, which is the word that begins there
    wrong = (parent != expected) | (start != number) | (end <= start)
    wrong |= end > np.where(expected < 0, len(words), end[expected])
    if (i := checks.first_true(wrong)) is not None:
        raise TreeError(f"node {i}: nodes must be in preorder and inside their parents, over all words in order")
    if (i := checks.first_true(is_leaf & (end != start + 1))) is not None:
        raise TreeError(f"node {i}: a preterminal has one word; got {end[i] - start[i]}")
    if is_leaf.sum() != len(words):
        raise TreeError(f"every word needs a preterminal; got {is_leaf.sum()} for {len(words)} words")


def _parents(start: Sequence[int], end: Sequence[int]) -> list[int]:
    """Return the parent of each node in preorder, the last one that has not ended; -1 for a root."""
    parents: list[int] = []
    around = [-1]
    for node, first in enumerate(start):
        while len(around) > 1 and end[around[-1]] <= first:
            around.pop()
        parents.append(around[-1])
        around.append(node)
    return parents


def _check_times(times: Times, words: tuple[str, ...], *, zero_length: str = "error") -> Floats:
    problem = "times: expected one pair (begin, end) per word, in seconds"
    try:
        array = np.array(list(times) if not isinstance(times, np.ndarray) else times, np.float64)
    except (TypeError, ValueError):
        raise TreeError(problem) from None
    if array.shape[1:] != (2,):
        raise TreeError(problem)
    if len(array) != len(words):
        raise TreeError(f"times: expected one pair per word; got {len(array)} for {len(words)} words")
    begin, end = array.T
    bad = ~np.isfinite(array).all(axis=1) | (begin > end) | ((begin == end) & (zero_length != "merge"))
    bad[1:] |= begin[1:] < end[:-1]
    if (i := checks.first_true(bad)) is None:
        return array
    place, (start, stop) = f"word {i + 1} {words[i][:40]!r}", array[i].tolist()
    if not np.isfinite(array[i]).all():
        raise TreeError(f"{place}: times must be numbers; got {start} to {stop}")
    if start > stop:
        raise TreeError(f"{place}: must not end before it begins; got {start:.10g} to {stop:.10g} s")
    if i and start < end[i - 1]:
        before = f"word {i} {words[i - 1][:40]!r}"
        raise TreeError(f"{place}: must not begin before {before} ends; got {start:.10g} < {end[i - 1]:.10g} s")
    raise TreeError(f"{place}: must take time; it begins and ends at {start:.10g} s (or use zero_length='merge')")


def join_words(tree: Tree, boundaries: Iterable[int]) -> Tree:
    """Return the tree without some boundaries between words."""
    # Each run of joined words becomes one word. Its preterminal has the label of the first word's preterminal. It is attached
    # to the lowest node that covers the run, between the remaining children before and after it. Nodes that lose all their
    # words are removed. All other nodes keep their label and their remaining words.
    n = tree.length
    removed = np.zeros(n, bool)
    for boundary in boundaries:
        number = checks.whole_number(boundary)
        if number is None or not 1 <= number < n:
            raise TreeError(f"a boundary between {n} words is a number from 1 to {n - 1}; got {boundary!r}")
        removed[number] = True
    return _join(tree, removed)


def join_empty_words(tree: Tree) -> Tree:
    """Join words of zero duration to their right neighbours, or to the left neighbour at the end of the sentence."""
    if tree.times is None:
        return tree
    empty = tree.times[:, 0] == tree.times[:, 1]
    if empty.all():
        raise TreeError("all words have zero duration; a tree needs at least one word with a duration")
    removed = np.zeros(tree.length, bool)
    removed[1:] = empty[:-1]
    # The words after the last word with a duration have no right neighbour to join.
    removed[flatnonzero(~empty)[-1] + 1 :] = True
    return _join(tree, removed)


def _join(tree: Tree, removed: NDArray[np.bool_]) -> Tree:
    """Remove the boundary before each word i, counted from 0, for which ``removed[i]`` is true."""
    if not removed.any():
        return tree
    new = np.cumsum(~removed) - 1  # new number of each word
    first = flatnonzero(~removed)
    last = np.append(first[1:], tree.length) - 1
    joined = last > first
    # A node keeps a run that lies inside it, and loses every word of a run that extends beyond it.
    start = new[tree.start] + (first[new[tree.start]] < tree.start)
    end = new[tree.end - 1] + (last[new[tree.end - 1]] < tree.end)
    depth, leaf = tree.depth, tree.preterminal
    remains = (start < end) & ~(leaf & joined[new[tree.start]])
    runs, leaves = flatnonzero(joined), flatnonzero(leaf)
    # The lowest node that covers a run is the last such node in preorder; -1 if there is none.
    covers = (tree.start <= first[runs, None]) & (tree.end > last[runs, None])
    below = np.where(covers, np.arange(len(tree)), -1).max(axis=1)
    words = ["_".join(tree.words[a : b + 1]) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    times = None if tree.times is None else np.column_stack([tree.times[first, 0], tree.times[last, 1]])
    labels = [tree.labels[node] for node in flatnonzero(remains)] + [tree.labels[leaves[first[run]]] for run in runs]
    spans = np.column_stack([start, end, depth])[remains]
    new_spans = np.column_stack([runs, runs + 1, np.where(below >= 0, depth[below] + 1, 0)])
    return _from_spans(labels, np.concatenate([spans, new_spans]), words, times)


def split_words(tree: Tree, cuts: Sequence[tuple[int, float]]) -> Tree:
    """Return the tree with some words split in two."""
    if tree.times is None:
        raise TreeError("expected a tree with times; this one has none")
    cut = np.zeros(tree.length, np.int64)
    at = np.zeros(tree.length)
    for word, time in cuts:
        if not 0 <= word < tree.length or not tree.times[word, 0] < time < tree.times[word, 1]:
            raise TreeError(f"a cut lies inside a word; got word {word} at {time}")
        cut[word], at[word] = 1, time
    if not cut.any():
        return tree
    place = np.concatenate([[0], np.cumsum(1 + cut)])
    twice = flatnonzero(cut)
    halves = repeat(tree.times, 1 + cut, axis=0)
    halves[place[twice], 1] = at[twice]
    halves[place[twice] + 1, 0] = at[twice]
    words: list[str] = []
    for text, split in zip(tree.words, cut.tolist(), strict=True):
        words += [f"{text}_1", f"{text}_2"] if split else [text]
    divided = tree.preterminal & (cut[tree.start] > 0)
    # A root becomes the parent of its halves.
    remains = ~divided | (tree.parent < 0)
    spans = np.column_stack([place[tree.start], place[tree.end], tree.depth])
    below = flatnonzero(divided)
    first, depth = spans[below, 0], spans[below, 2] + (tree.parent[below] < 0)
    left, right = (np.column_stack([start, start + 1, depth]) for start in (first, first + 1))
    labels = [tree.labels[node] for node in flatnonzero(remains)] + 2 * [tree.labels[node] for node in below]
    return _from_spans(labels, np.concatenate([spans[remains], left, right]), words, halves)


def _from_spans(labels: list[str], spans: Ints, words: list[str], times: Floats | None) -> Tree:
    """Return the tree of nodes in any order, with a row (start, end, depth) per node; of equal spans, the higher is first."""
    start, end, depth = spans.T
    order = lexsort((depth, -end, start)).tolist()
    return Tree.from_nodes(Nodes([labels[i] for i in order], start[order].tolist(), end[order].tolist(), words), times)


class Nodes(NamedTuple):
    """Nodes of one sentence in preorder, with one node per bracket."""

    labels: list[str]  # label of each node; empty for a bracket without a label
    start: list[int]  # first word of each node, counted from 0, and the index after its last word
    end: list[int]
    words: list[str]


def _parse_brackets(text: str) -> Nodes:
    tokens = _TOKEN.findall(text)
    nodes = Nodes([], [], [], [])
    labels, start, end, words = nodes
    stack: list[int] = []  # the open brackets
    for at, (preterminal, word, bracket, label, lone_word) in enumerate(tokens):
        if word:
            labels.append(preterminal)
            start.append(len(words))
            words.append(word)
            end.append(len(words))
        elif bracket:
            stack.append(len(labels))
            labels.append(label)
            start.append(len(words))
            end.append(0)
        elif lone_word or not stack or start[stack[-1]] == len(words):
            raise _bracket_error(text, at, nodes, stack)
        else:
            end[stack.pop()] = len(words)
    if stack:
        raise _bracket_error(text, len(tokens), nodes, stack)
    if not labels:
        raise TreeError("a tree has at least one word; got nothing", 1, 1)
    return nodes


def _bracket_error(text: str, at: int, nodes: Nodes, stack: list[int]) -> TreeError:
    """Return the error for a token, a closing bracket or a word, that cannot stand here, or for the end of the text."""
    tokens = list(_TOKEN.finditer(text))
    word = tokens[at][5] if at < len(tokens) else None
    alone = None
    if (
        word and stack and nodes.start[stack[-1]] == len(nodes.words)
    ):  # the first in its bracket; the next token is wrong
        at, alone = at + 1, word
        word = tokens[at][5] if at < len(tokens) else None
    is_end = at == len(tokens)
    label = nodes.labels[stack[0 if is_end else -1]] if stack else ""
    name = f"({label[:40]} ...)" if label else "( ...) without a label"
    if not stack:
        problem = f"a tree begins with a bracket; got {word[:40]!r}" if word else "this bracket has no opening bracket"
    elif is_end:
        at = [i for i, token in enumerate(tokens) if token[2] or token[3]][stack[0]]
        problem = f"this bracket, {name}, is never closed"
    elif word:
        problem = f"a word must be alone in its bracket; {word[:40]!r} shares {name}"
    elif alone:
        problem = f"a word must be alone in its bracket; {alone!r} has a bracket beside it"
    else:
        problem = f"a bracket must contain a word or brackets; {name} is empty"
    before = text[: tokens[at].start()]
    return TreeError(problem, 1 + before.count("\n"), len(before) - before.rfind("\n"))


def _format_brackets(labels: Sequence[str], start: Sequence[int], end: Sequence[int], words: Sequence[str]) -> str:
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
