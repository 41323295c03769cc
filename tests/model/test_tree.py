"""Trees: brackets, nested tuples, times and invalid input."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import TreeError
from caesura.model.tree import Node, Tree
from support.treebanks import random_nested, random_times

MAN = "(S (NP (DT the) (NN man)) (VP (VBD ate) (NP (NN rice))))"


def naive(nested: tuple[object, ...]) -> str:
    """Return the brackets, by simple recursion."""
    label, *below = nested
    if len(below) == 1 and isinstance(below[0], str):
        return f"({label} {below[0]})"
    return f"({label} {' '.join(naive(tree) for tree in below)})"  # type: ignore[arg-type]


def test_nodes_in_preorder() -> None:
    tree = Tree.from_brackets(MAN)
    #  the   man   ate   rice
    # 0S---------------------|
    # 1NP--------|4VP--------|
    # 2DT--|3NN--|5VBD-|6NP--|
    #                  |7NN--|
    assert tree.labels == ("S", "NP", "DT", "NN", "VP", "VBD", "NP", "NN")
    assert tree.words == ("the", "man", "ate", "rice")
    assert tree.parent.tolist() == [-1, 0, 1, 1, 0, 4, 4, 6]
    expected = [(0, 4), (0, 2), (0, 1), (1, 2), (2, 4), (2, 3), (3, 4), (3, 4)]
    assert [(tree.start, tree.end) for tree in tree.nodes] == expected
    assert tree.depth.tolist() == [0, 1, 2, 2, 1, 2, 2, 3]
    assert np.flatnonzero(tree.preterminal).tolist() == [2, 3, 5, 7]
    assert (tree.length, len(tree)) == (4, 8)
    assert tree.nodes[4] == Node("VP", 2, 4, 2.0, 4.0)
    assert str(tree) == MAN
    assert repr(Tree.from_brackets("(S a)", [(0, 1)])) == "Tree(1 word, 1 node from 0 to 1 s: (S a))"


@given(st.integers(0, 10**9))
def test_brackets_and_nested_tuples_give_equal_trees(seed: int) -> None:
    rng = Random(seed)
    nested = random_nested(rng, rng.randint(1, 30), "ABC")
    tree = Tree.from_nested(nested)
    assert tree.brackets == naive(nested)
    assert Tree.from_brackets(tree.brackets) == tree
    timed = tree.with_times(random_times(rng, tree.length))
    # The constructor with full validation accepts trees of the fast ones.
    assert Tree(timed.labels, timed.parent, timed.start, timed.end, timed.words, timed.times) == timed
    assert timed != tree
    assert timed.with_times(None) == tree


@given(st.text(alphabet="() \n\tAb\u00a0-", max_size=40))
def test_any_brackets_are_a_tree_or_an_error(text: str) -> None:
    tree: Tree | None
    try:
        tree = Tree.from_brackets(text)
    except TreeError as problem:
        place = (problem.line or 0, problem.column or 0)
        tree = None
    if tree is None:
        lines = text.split("\n")
        assert 1 <= place[0] <= len(lines)
        assert 1 <= place[1] <= len(lines[place[0] - 1]) + 1
        return
    assert Tree(tree.labels, tree.parent, tree.start, tree.end, tree.words) == tree
    assert Tree.from_brackets(tree.brackets) == tree


def test_wrapper_and_several_roots() -> None:
    wrapped = Tree.from_brackets("( (S (NP (PRP he)) (VP (VBD slept))) )")
    assert wrapped.labels[0] == ""
    assert len(wrapped) == 6
    assert wrapped.brackets == "( (S (NP (PRP he)) (VP (VBD slept))))"
    two = Tree.from_brackets("(S (PRP he)) (X (UH oh))")
    assert two.parent.tolist() == [-1, 0, -1, 2]
    assert two.brackets == "(S (PRP he)) (X (UH oh))"
    assert Tree.from_brackets("(NN a\u00a0b)").words == ("a\u00a0b",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP a)", r"line 1, column 1: this bracket, \(S ...\), is never closed"),
        ("(S\n (NP a)))", r"line 2, column 9: this bracket has no opening bracket"),
        ("(NP a b)", r"line 1, column 7: a word must be alone in its bracket; 'b' shares \(NP ...\)"),
        ("(NP the (NN dog))", r"line 1, column 9: a word must be alone in its bracket; 'the' has a bracket beside it"),
        ("(NP (NN dog) the)", r"line 1, column 14: a word must be alone in its bracket; 'the' shares \(NP ...\)"),
        ("(S (NP) (NN a))", r"line 1, column 7: a bracket must contain a word or brackets; \(NP ...\) is empty"),
        ("()", r"line 1, column 2: a bracket must contain a word or brackets; \( ...\) without a label is empty"),
        ("S (NN a)", "line 1, column 1: a tree begins with a bracket; got 'S'"),
        (" \n ", "line 1, column 1: a tree has at least one word; got nothing"),
    ],
)
def test_invalid_brackets(text: str, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        Tree.from_brackets(text)


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ("S", "bracket 1: expected .*; got 'S'"),
        (("S",), "bracket 1: expected .* with a string as label; got a tuple of 1"),
        (("S", ("A", "a"), "b"), "bracket 3: expected .*, or .label, word. for a word; got 'b'"),
        ((1, "a"), "bracket 1: .* with a string as label"),
    ],
)
def test_invalid_tuples(nested: tuple[object, ...], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        Tree.from_nested(nested)


def test_invalid_arrays() -> None:
    for parent, start, end in (
        ([-1, 0, 1], [0, 0, 1], [2, 1, 2]),  # the third inside the second, which ended
        ([-1, 0, 0], [0, 0, 1], [2, 1, 3]),  # beyond its parent
        ([-1, 0, 0], [0, 0, 0], [2, 1, 1]),  # the same word twice
        ([0, 0, 0], [0, 0, 1], [2, 1, 2]),
    ):
        with pytest.raises(TreeError, match="must be in preorder"):
            Tree("SAB", parent, start, end, ("a", "b"))
    for arguments, message in (
        (("S", [-1], [0], [2], ("a", "b")), "node 0: a preterminal has one word; got 2"),
        (("S", [-1], [0], [1], ("a", "b")), "every word needs a preterminal; got 1 for 2 words"),
        (((), [], [], [], ()), "a tree has at least one word; got nothing"),
        (("S", [-1, 0], [0], [1], ("a",)), "expected one parent, start and end per node"),
        (("S", [-1], [0], [1], (1,)), r"words\[0\]: expected a string; got 1"),
    ):
        with pytest.raises(TreeError, match=message):
            Tree(*arguments)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([(0, 1)] * 3, "times: expected one pair per word; got 3 for 4 words"),
        ([(0, 1), (1, 2), (2, 3), (3, math.nan)], "word 4 'rice': times must be numbers; got 3.0 to nan"),
        ([(0, 1), (1, 2), (2, 3), (3, math.inf)], "word 4 'rice': times must be numbers; got 3.0 to inf"),
        ([(0, 1), (1, 2), (3, 2), (3, 4)], "word 3 'ate': must not end before it begins; got 3 to 2 s"),
        ([(0, 1), (0.5, 2), (2, 3), (3, 4)], "word 2 'man': must not begin before word 1 'the' ends; got 0.5 < 1 s"),
        ([(0, 1), (1, 1), (2, 3), (3, 4)], r"word 2 'man': must take time; it begins and ends at 1 s \(or use zero"),
        ([1, 2, 3, 4], r"times: expected one pair \(begin, end\) per word"),
        ([(0, "x")] * 4, r"times: expected one pair \(begin, end\) per word"),
        ([], r"times: expected one pair \(begin, end\) per word"),
    ],
)
def test_invalid_times(times: list[tuple[float, float]], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        Tree.from_brackets(MAN, times)


@pytest.mark.parametrize(
    ("times", "brackets", "remaining"),
    [
        # No word has zero length
        ([(0, 1), (1, 2), (2, 3), (3, 4)], MAN, [(0, 1), (1, 2), (2, 3), (3, 4)]),
        # the | man ate: the run crosses NP and VP, so S becomes its parent
        (
            [(0, 1), (1, 1), (1, 3), (3, 4)],
            "(S (NP (DT the)) (NN man_ate) (VP (NP (NN rice))))",
            [(0, 1), (1, 3), (3, 4)],
        ),
        # The last is merged with its left neighbour
        ([(0, 1), (1, 2), (2, 3), (3, 3)], "(S (NP (DT the) (NN man)) (VP (VBD ate_rice)))", [(0, 1), (1, 2), (2, 3)]),
        # Two in a row, both merged to the right
        ([(1, 1), (1, 1), (1, 3), (3, 4)], "(S (DT the_man_ate) (VP (NP (NN rice))))", [(1, 3), (3, 4)]),
        # Two at the end, both merged to the left
        ([(0, 1), (1, 2), (2, 2), (2, 2)], "(S (NP (DT the)) (NN man_ate_rice))", [(0, 1), (1, 2)]),
    ],
)
def test_words_of_zero_length_are_merged(
    times: list[tuple[float, float]], brackets: str, remaining: list[tuple[float, float]]
) -> None:
    tree = Tree.from_brackets(MAN, times, zero_length="merge")
    assert tree.brackets == brackets
    assert tree.times is not None
    assert tree.times.tolist() == [list(tree) for tree in remaining]


def test_trees_whose_words_all_have_zero_length() -> None:
    with pytest.raises(TreeError, match="all words have zero duration"):
        Tree.from_brackets("(S (A a) (B b))", [(1, 1), (1, 1)], zero_length="merge")
    with pytest.raises(TreeError, match="zero_length must be 'error' or 'merge'; got 'drop'"):
        Tree.from_brackets("(S (A a))", [(0, 1)], zero_length="drop")


def test_deep_trees() -> None:
    text = "(X (A a) " * 50_000 + "(A a)" + ")" * 50_000
    tree = Tree.from_brackets(text)
    assert (tree.length, len(tree), int(tree.depth.max())) == (50_001, 100_001, 50_000)
    assert tree.brackets == text.replace("  ", " ")
    assert len(repr(tree)) < 300
    nested: tuple[object, ...] = ("A", "a")
    for _ in range(50_000):
        nested = ("X", ("A", "a"), nested)
    assert Tree.from_nested(nested) == tree


def test_a_corpus_of_trees() -> None:
    tree = Tree.from_brackets(MAN)
    corpus = cz.Corpus({"1": {"gold": tree, "parser": tree.without_labels()}})
    assert corpus["1", "gold"] is tree
    assert set(corpus["1", "parser"].labels) == {""}  # type: ignore[union-attr]


def test_arrays_of_the_caller_stay_writeable() -> None:
    parent, start, end = np.array([-1, 0, 0]), np.array([0, 0, 1]), np.array([2, 1, 2])
    times = np.array([[0.0, 1.0], [1.0, 2.0]])
    tree = Tree(["S", "A", "B"], parent, start, end, ["a", "b"], times)
    again = tree.with_times(times)
    parent[0], start[0], end[0], times[0, 0] = 5, 5, 5, 0.5
    assert (tree.parent[0], tree.start[0], tree.end[0], tree.times[0, 0]) == (-1, 0, 2, 0.0)
    assert again == tree
    assert not any(array.flags.writeable for array in (tree.parent, tree.start, tree.end, tree.times))
