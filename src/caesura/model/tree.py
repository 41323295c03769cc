"""A parse of a sentence: labelled brackets over words, which may have times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from caesura.errors import TreeError
from caesura.model.brackets import Nodes, format_brackets, parse_brackets
from caesura.model.display import Displayed

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Node(NamedTuple):
    """One bracket: its label, its words ``start .. end - 1``, counted from 0, and where they begin and end in time."""

    label: str
    start: int
    end: int
    begins: float
    ends: float


class Tree(Displayed):
    """The brackets of one sentence, in preorder, and its words.

    Every bracket is a node, the preterminals among them; words are not nodes, and each stands alone under its
    preterminal. ``times`` are a pair a word, in seconds: they rise, and no two words overlap. Without times word i lies
    from i to i + 1, so that trees over the same words lie over the same grid. A sentence may have several roots.

    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))")
    >>> tree
    Tree(3 words, 6 nodes: (S (NP (DT the) (NN man)) (VP (VBD ate))))
    >>> tree.nodes[1]
    Node(label='NP', start=0, end=2, begins=0.0, ends=2.0)
    >>> spoken = tree.with_times([(0.1, 0.3), (0.3, 0.7), (0.9, 1.2)])
    >>> spoken.nodes[0]
    Node(label='S', start=0, end=3, begins=0.1, ends=1.2)
    """

    __slots__ = ("_hash", "end", "labels", "parent", "start", "times", "words")

    labels: tuple[str, ...]
    """The label of each node."""
    parent: Ints
    """The number of each node's parent; -1 for a root."""
    start: Ints
    """The first word of each node, counted from 0."""
    end: Ints
    """The word after the last of each node."""
    words: tuple[str, ...]
    times: Floats | None
    """Where each word begins and ends, a row a word, where it is known."""
    _hash: int | None

    def __init__(
        self,
        labels: Iterable[str],
        parent: Sequence[int] | Ints,
        start: Sequence[int] | Ints,
        end: Sequence[int] | Ints,
        words: Iterable[str],
        times: Iterable[Sequence[float]] | Floats | None = None,
    ) -> None:
        """From nodes in preorder. ``from_brackets`` and ``from_nested`` are what most will want."""
        names, texts = tuple(labels), tuple(words)
        above, first, last = (np.array(one, np.int64).reshape(-1) for one in (parent, start, end))
        _check_nodes(names, above, first, last, texts)
        self._put(names, above, first, last, texts, None if times is None else _check_times(times, texts))

    def _put(
        self,
        labels: tuple[str, ...],
        parent: Ints,
        start: Ints,
        end: Ints,
        words: tuple[str, ...],
        times: Floats | None,
    ) -> None:
        put = object.__setattr__
        for name, array in (("parent", parent), ("start", start), ("end", end), ("times", times)):
            if array is not None:
                array.setflags(write=False)
            put(self, name, array)
        put(self, "labels", labels)
        put(self, "words", words)
        put(self, "_hash", None)

    @classmethod
    def _of(cls, nodes: Nodes, times: Floats | None = None) -> Tree:
        """From nodes that are trusted to be right."""
        made = cls.__new__(cls)
        parent, start, end = np.array((nodes.parent, nodes.start, nodes.end), np.int64)
        made._put(tuple(nodes.labels), parent, start, end, tuple(nodes.words), times)
        return made

    # -- constructors ---------------------------------------------------------------------------------------------

    @classmethod
    def from_brackets(
        cls, text: str, times: Iterable[Sequence[float]] | Floats | None = None, *, zero_length: str = "error"
    ) -> Tree:
        """A tree as in the Penn Treebank, ``( (S ...))`` included: there the outer bracket is a node without a label.

        ``times`` and ``zero_length`` are those of :meth:`with_times`.
        """
        if not isinstance(text, str):
            raise TreeError(f"brackets are a string; got {type(text).__name__}")
        made = cls._of(parse_brackets(text))
        return made if times is None else made.with_times(times, zero_length=zero_length)

    @classmethod
    def from_nested(
        cls, tree: Sequence[Any], times: Iterable[Sequence[float]] | Floats | None = None, *, zero_length: str = "error"
    ) -> Tree:
        """From tuples or lists, ``(label, child, ...)``; a preterminal is ``(label, word)``.

        >>> Tree.from_nested(("S", ("NP", ("PRP", "he")), ("VP", ("VBD", "slept"))))
        Tree(2 words, 5 nodes: (S (NP (PRP he)) (VP (VBD slept))))
        """
        nodes = Nodes([], [], [], [], [])
        # Each entry is what is still to be seen of one bracket.
        stack: list[tuple[int, list[Any]]] = []
        given: Any = tree
        while True:
            label, *children = _bracket(given, nodes)
            nodes.labels.append(label)
            nodes.parent.append(stack[-1][0] if stack else -1)
            nodes.start.append(len(nodes.words))
            nodes.end.append(0)
            if len(children) == 1 and isinstance(children[0], str):
                nodes.words.append(children[0])
                children = []
            stack.append((len(nodes.labels) - 1, children[::-1]))
            while stack and not stack[-1][1]:
                nodes.end[stack.pop()[0]] = len(nodes.words)
            if not stack:
                break
            given = stack[-1][1].pop()
        made = cls._of(nodes)
        return made if times is None else made.with_times(times, zero_length=zero_length)

    def with_times(self, times: Iterable[Sequence[float]] | Floats | None, *, zero_length: str = "error") -> Tree:
        """The same tree with other times, or with none.

        ``zero_length="merge"``: a word that takes no time is joined to its right neighbour (the last to its left), as
        :func:`~caesura.model.rewording.join_words` does it.
        """
        if zero_length not in ("error", "merge"):
            raise TreeError(f"zero_length must be 'error' or 'merge'; got {zero_length!r}")
        made = Tree.__new__(Tree)
        if times is None:
            made._put(self.labels, self.parent, self.start, self.end, self.words, None)
            return made
        checked = _check_times(times, self.words, zero_length=zero_length)
        made._put(self.labels, self.parent, self.start, self.end, self.words, checked)
        if zero_length == "merge":
            from caesura.model.rewording import join_empty_words  # which makes trees itself

            return join_empty_words(made)
        return made

    # -- views ----------------------------------------------------------------------------------------------------

    @property
    def length(self) -> int:
        """Number of words."""
        return len(self.words)

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @property
    def preterminal(self) -> NDArray[np.bool_]:
        """Whether each node stands above a word and nothing else."""
        inner = np.zeros(len(self), bool)
        inner[self.parent[self.parent >= 0]] = True
        return ~inner

    @property
    def spans(self) -> Floats:
        """Where each node begins and ends, in seconds, or in words where there are no times."""
        if self.times is None:
            return np.column_stack([self.start, self.end]).astype(np.float64)
        return np.column_stack([self.times[self.start, 0], self.times[self.end - 1, 1]])

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes in preorder."""
        columns = (self.start.tolist(), self.end.tolist(), *self.spans.T.tolist())
        return tuple(Node(*one) for one in zip(self.labels, *columns, strict=True))

    @property
    def depth(self) -> Ints:
        """How many nodes stand above each."""
        depth = np.zeros(len(self), np.int64)
        for node, above in enumerate(self.parent.tolist()):
            if above >= 0:
                depth[node] = depth[above] + 1
        return depth

    @property
    def brackets(self) -> str:
        """The tree as the Penn Treebank writes it, on one line."""
        return format_brackets(self.labels, self.start.tolist(), self.end.tolist(), self.words)

    def without_labels(self) -> Tree:
        """The same brackets, all with an empty label."""
        made = Tree.__new__(Tree)
        made._put(("",) * len(self), self.parent, self.start, self.end, self.words, self.times)
        return made

    def without_functions(self) -> Tree:
        """Labels above preterminals cut at the first ``-`` or ``=``: ``NP-SBJ-1`` becomes ``NP``.

        >>> Tree.from_brackets("(S (NP-SBJ (-NONE- *T*-1)) (VP=2 (VBD ate)))").without_functions().brackets
        '(S (NP (-NONE- *T*-1)) (VP (VBD ate)))'
        """
        # A label that begins with one, such as -LRB-, is a name of its own.
        plain = [name[:1] + re.split("[-=]", name[1:], maxsplit=1)[0] for name in self.labels]
        leaf = self.preterminal.tolist()
        labels = tuple(old if word else new for old, new, word in zip(self.labels, plain, leaf, strict=True))
        made = Tree.__new__(Tree)
        made._put(labels, self.parent, self.start, self.end, self.words, self.times)
        return made

    # -- a value --------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self._key() == other._key()

    def _key(self) -> tuple[Any, ...]:
        times = None if self.times is None else self.times.tobytes()
        return self.labels, self.parent.tobytes(), self.start.tobytes(), self.words, times

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(self._key()))
        return self._hash  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Tree is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Tree is immutable; cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree, (self.labels, self.parent, self.start, self.end, self.words, self.times)

    def __str__(self) -> str:
        return self.brackets

    def __repr__(self) -> str:
        words = f"{self.length} word{'' if self.length == 1 else 's'}"
        nodes = f"{len(self)} node{'' if len(self) == 1 else 's'}"
        drawn = self.brackets if len(self) <= 100 else format_brackets(self.labels[:1], [0], [1], ["…"])
        times = "" if self.times is None else f" from {self.times[0, 0]:g} to {self.times[-1, 1]:g} s"
        return f"Tree({words}, {nodes}{times}: {drawn if len(drawn) <= 200 else drawn[:199] + '…'})"


# -- checks -----------------------------------------------------------------------------------------------------------


def _bracket(given: Any, nodes: Nodes) -> Sequence[Any]:
    place = f"bracket {len(nodes.labels) + 1}"
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise TreeError(
            f"{place}: a bracket is (label, child, ...), and a word stands alone in its own; got {given!r:.80}"
        )
    if len(given) < 2 or not isinstance(given[0], str):
        raise TreeError(f"{place}: a bracket is (label, child, ...) with a string as label; got {_short(given)}")
    return given


def _short(given: Sequence[Any]) -> str:
    """A nested value for a message; its repr would recurse."""
    return f"a {type(given).__name__} of {len(given)}"


def _check_nodes(labels: tuple[str, ...], parent: Ints, start: Ints, end: Ints, words: tuple[str, ...]) -> None:
    n = len(labels)
    if not n:
        raise TreeError("a tree has at least one word; got nothing")
    if not len(parent) == len(start) == len(end) == n:
        raise TreeError(
            f"a parent, a start and an end a node are needed; got {len(parent)}, {len(start)}, {len(end)} for {n}"
        )
    for what, texts in (("labels", labels), ("words", words)):
        for i, one in enumerate(texts):
            if not isinstance(one, str):
                raise TreeError(f"{what}[{i}]: a string is needed; got {one!r:.80}")
    word = 0
    open_: list[int] = []
    for node, (above, first, last) in enumerate(zip(parent.tolist(), start.tolist(), end.tolist(), strict=True)):
        while open_ and word == end[open_[-1]]:
            open_.pop()
        if (
            above != (open_[-1] if open_ else -1)
            or first != word
            or not first < last <= (end[above] if open_ else len(words))
        ):
            raise TreeError(
                f"node {node}: nodes must stand in preorder and inside their parents, over all words in order"
            )
        open_.append(node)
        if node + 1 == n or parent[node + 1] != node:
            if last != first + 1:
                raise TreeError(f"node {node}: a preterminal has one word; got {last - first}")
            word += 1
    if word != len(words):
        raise TreeError(f"every word needs a preterminal; got {word} for {len(words)} words")


def _check_times(
    times: Iterable[Sequence[float]] | Floats, words: tuple[str, ...], *, zero_length: str = "error"
) -> Floats:
    try:
        listed = np.array(list(times) if not isinstance(times, np.ndarray) else times, np.float64)
    except (TypeError, ValueError):
        raise TreeError("times: a pair (begin, end) a word is needed, in seconds") from None
    if listed.size == 0:
        listed = listed.reshape(0, 2)
    if listed.ndim != 2 or listed.shape[1] != 2:
        raise TreeError("times: a pair (begin, end) a word is needed, in seconds")
    if len(listed) != len(words):
        raise TreeError(f"times: a pair a word is needed; got {len(listed)} for {len(words)} words")
    begin, end = listed.T
    lazy = zero_length == "merge"
    bad = ~np.isfinite(listed).all(axis=1) | (begin > end) | ((begin == end) & (not lazy))
    bad[1:] |= begin[1:] < end[:-1]
    if bad.any():
        raise TreeError(_bad_time(int(np.argmax(bad)), listed, words))
    return np.ascontiguousarray(listed)


def _bad_time(i: int, times: Floats, words: tuple[str, ...]) -> str:
    begin, end = times[i].tolist()
    place = f"word {i + 1} {words[i][:40]!r}"
    if not (np.isfinite(begin) and np.isfinite(end)):
        return f"{place}: times must be numbers; got {begin} to {end}"
    if begin > end:
        return f"{place}: must not end before it begins; got {begin:.10g} to {end:.10g} s"
    if i and begin < times[i - 1, 1]:
        before = f"word {i} {words[i - 1][:40]!r}"
        return f"{place}: must not begin before {before} ends; got {begin:.10g} < {times[i - 1, 1]:.10g} s"
    return f"{place}: must take time; it begins and ends at {begin:.10g} s (or give zero_length='merge')"
