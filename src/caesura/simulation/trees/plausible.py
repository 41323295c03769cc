"""A sentence with many parses: do measures tell plausible parses from random ones?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError
from caesura.measures.many import score_many
from caesura.model.result import Result, signature_line
from caesura.model.tree import Tree
from caesura.options import seed as check_seed
from caesura.options import whole
from caesura.simulation.sampling import Seed, random_generator

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_MEASURE = "struct_iou(unlabelled=True)"
MAX_PHRASES = 10
"""Largest n of ``N (P N){n}``: 16,796 trees, some minutes."""


def plausible_trees(n: int) -> tuple[Tree, ...]:
    """Return all trees of ``N (P N){n}`` by the grammar NP -> N | NP PP, PP -> P NP.

    Parameters
    ----------
    n : int
        Number of prepositional phrases, at most 10.

    Returns
    -------
    tuple of Tree
        As many as the Catalan number of n. An NP over a single N is that N's preterminal and no second node, so that every
        tree is binary: 2n + 1 words, 2n brackets above them.

    Examples
    --------
    >>> for tree in plausible_trees(2):
    ...     print(tree)
    (NP (N N) (PP (P P) (NP (N N) (PP (P P) (N N)))))
    (NP (NP (N N) (PP (P P) (N N))) (PP (P P) (N N)))
    """
    n = whole(1, MAX_PHRASES)("n", n)
    by_size: list[list[Any]] = [[("N", "N")]]
    for size in range(1, n + 1):
        by_size.append(
            [
                ("NP", left, ("PP", ("P", "P"), right))
                for left_size in range(size)
                for left in by_size[left_size]
                for right in by_size[size - 1 - left_size]
            ]
        )
    return tuple(map(Tree.from_nested, by_size[n]))


def random_tree(words: Iterable[str], *, seed: Seed = 0) -> Tree:
    """Return a random binary tree: two random neighbours become one group until one group is left.

    Parameters
    ----------
    words : iterable of str
        The words.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.

    Returns
    -------
    Tree
        All labels are ``X``. Trees are not equally likely: balanced ones are more frequent than those that branch to one side.

    Examples
    --------
    >>> print(random_tree("abcd", seed=1))
    (X (X a) (X (X (X b) (X c)) (X d)))
    """
    groups: list[Any] = [("X", word) for word in words]
    if not groups:
        raise OptionError("words: at least one is needed; got none")
    rng = random_generator(seed)
    while len(groups) > 1:
        i = int(rng.integers(len(groups) - 1))
        groups[i : i + 2] = [("X", groups[i], groups[i + 1])]
    return Tree.from_nested(groups[0])


@dataclass(frozen=True, eq=False)
class Ambiguity(Result):
    """Result of :func:`ambiguity`. Every array has one value per plausible tree as ground truth, in their order.

    Attributes
    ----------
    n : int
        Number of prepositional phrases.
    trees, random_trees : int
        Number of plausible and of random trees.
    seed : int
        Random seed.
    lowest_f1, lowest_iou : numpy.ndarray
        Lowest unlabelled PARSEVAL F1, and lowest unlabelled Struct-IoU, against another plausible tree.
    random_f1 : numpy.ndarray
        Expected F1 against a random tree; exact.
    random_iou : numpy.ndarray
        Mean Struct-IoU against the random trees.
    signature : str
        One line to reproduce the result.
    """

    n: int
    trees: int
    random_trees: int
    seed: int
    lowest_f1: Floats = field(repr=False)
    lowest_iou: Floats = field(repr=False)
    random_f1: Floats = field(repr=False)
    random_iou: Floats = field(repr=False)
    signature: str = field(repr=False)


def ambiguity(n: int = 8, *, random_trees: int = 100, seed: int | None = 0) -> Ambiguity:
    """Score every plausible parse of ``N (P N){n}`` against the others and against random trees (section 5.2.2, Table 1).

    Parameters
    ----------
    n : int, default 8
        Number of prepositional phrases: "a girl with a cat in a house on ...", from 2 to 10.
    random_trees : int, default 100
        Number of random trees; see :func:`random_tree`.
    seed : int or None, default 0
        Random seed; None draws one.

    Returns
    -------
    Ambiguity
        For each of the :func:`plausible_trees` as ground truth the lowest scores against the others, and the scores against
        random trees.

    Notes
    -----
    Labels are ignored. PARSEVAL counts brackets of two or more words, the whole sentence included; Struct-IoU counts
    preterminals too.

    For every ground truth the lowest F1 is 1 / n and the lowest Struct-IoU (2n + 3) / (4n + 1), for n from 2 to 8 at least: for
    n = 8, 2/16 = 12.5 %, as printed, and 19/33 = 57.6 %. The paper prints 63.6 there, above its 61.9 for random trees, and
    concludes that Struct-IoU puts plausible trees above random ones. This does not hold for the worst of them: the paper's own
    program gives 57.6 too, which is below what random trees get from any ground truth.

    Only the last column is estimated. A bracket of k words is in a random tree if the gaps inside it close before those at its
    edges do, and gaps close in random order: with probability 1 if it is the sentence, 1 / k at an end of it, and
    2 / (k (k + 1)) inside. For the lowest Struct-IoU, trees that share few brackets are tried first: all preterminals and all
    shared brackets can be aligned, so no score is below (words + shared) / nodes, and most trees need not be tried.

    Examples
    --------
    >>> result = ambiguity(4, random_trees=1, seed=1)
    >>> result.trees, set(result.lowest_f1.tolist()), set((17 * result.lowest_iou).tolist())
    (14, {0.25}, {11.0})
    """
    n = whole(2, MAX_PHRASES)("n", n)
    random_trees = whole(1)("random_trees", random_trees)
    root = check_seed("seed", seed)
    trees = plausible_trees(n)
    brackets = _brackets(trees)
    lowest_f1, lowest_iou = np.empty(len(trees)), np.empty(len(trees))
    for truth in range(len(trees)):
        shared = brackets[brackets[:, truth]].sum(axis=0)
        others = np.delete(np.arange(len(trees)), truth)
        lowest_f1[truth] = shared[others].min() / (2 * n)
        lowest_iou[truth] = _lowest_iou(trees, truth, others, shared[others])
    rng = np.random.default_rng(root)
    sample = [random_tree(trees[0].words, seed=rng) for _ in range(random_trees)]
    random_f1 = _bracket_probabilities(2 * n + 1) @ brackets / (2 * n)
    random_iou = _mean_iou(trees, sample)
    for array in (lowest_f1, lowest_iou, random_f1, random_iou):
        array.setflags(write=False)
    signature = signature_line("ambiguity", n=n, random_trees=random_trees, seed=root)
    return Ambiguity(n, len(trees), random_trees, root, lowest_f1, lowest_iou, random_f1, random_iou, signature)


def _brackets(trees: Sequence[Tree]) -> NDArray[np.bool_]:
    """Return whether each bracket of two or more words is in each tree: one row per (start, end), one column per tree."""
    width = trees[0].length + 1
    contained = np.zeros((width * width, len(trees)), bool)
    for column, tree in enumerate(trees):
        inner = ~tree.preterminal
        contained[tree.start[inner] * width + tree.end[inner], column] = True
    return contained


def _bracket_probabilities(words: int) -> Floats:
    """Return the probability of each bracket in a random tree, in the same order."""
    width = words + 1
    probabilities = np.zeros((width, width))
    for start in range(words):
        for end in range(start + 2, width):
            k = end - start
            edges = (start > 0) + (end < words)
            probabilities[start, end] = (1, 1 / k, 2 / (k * (k + 1)))[edges]
    return probabilities.ravel()


def _lowest_iou(trees: Sequence[Tree], truth: int, others: Ints, shared: Ints) -> float:
    """Return the lowest Struct-IoU of one tree and others with which it shares so many brackets."""
    words, nodes = trees[truth].length, len(trees[truth])
    order = np.argsort(shared, kind="stable")
    lowest = np.inf
    start, size = 0, 4
    while start < len(order) and lowest > words + shared[order[start]]:
        block = others[order[start : start + size]].tolist()
        scores = score_many([(trees[truth], trees[place]) for place in block], _MEASURE)
        lowest = min(lowest, float(scores.counts[:, 0].min()))
        start, size = start + size, 2 * size
    return lowest / nodes


def _mean_iou(trees: Sequence[Tree], sample: Sequence[Tree]) -> Floats:
    """Return the mean Struct-IoU of each tree against all trees of a sample."""
    total = np.zeros(len(trees))
    for random in sample:
        total += score_many([(tree, random) for tree in trees], _MEASURE).values
    return total / len(sample)
