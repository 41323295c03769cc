"""A sentence with many parses, compared with each other and with random trees (Shi, Gimpel & Livescu 2024, section 5.2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError
from caesura.measures.many import score_many
from caesura.model.index import argsort
from caesura.model.result import Result, signature_line
from caesura.model.tree import Tree
from caesura.model.value import Floats, Ints
from caesura.options import seed as check_seed
from caesura.options import whole
from caesura.simulation.segmentations import Seed, random_generator

_MEASURE = "struct_iou(unlabelled=True)"
# Largest n of ``N (P N){n}``; for n = 10 there are 16,796 trees, which take some minutes.
MAX_PHRASES = 10


def plausible_trees(n: int) -> tuple[Tree, ...]:
    """Return all trees of ``N (P N){n}`` by the grammar NP -> N | NP PP, PP -> P NP."""
    n = whole(1, MAX_PHRASES)("n", n)
    by_size: list[list[Any]] = [[("N", "N")]]  # the trees with 0, 1, ... phrases
    for size in range(1, n + 1):
        splits = (product(by_size[left], by_size[size - 1 - left]) for left in range(size))
        by_size.append([("NP", left, ("PP", ("P", "P"), right)) for left, right in chain.from_iterable(splits)])
    return tuple(map(Tree.from_nested, by_size[n]))


def random_tree(words: Iterable[str], *, seed: Seed = 0) -> Tree:
    """Return a random binary tree: two random neighbours are joined until one group is left."""
    groups: list[Any] = [("X", word) for word in words]
    if not groups:
        raise OptionError("words: expected at least one; got none")
    rng = random_generator(seed)
    while len(groups) > 1:
        i = int(rng.integers(len(groups) - 1))
        groups[i : i + 2] = [("X", groups[i], groups[i + 1])]
    return Tree.from_nested(groups[0])


@dataclass(frozen=True, eq=False)
class Ambiguity(Result):
    """Result of ``ambiguity``. Every array has one value per plausible tree, which is the ground truth of that value."""

    n: int  # number of prepositional phrases
    trees: int  # number of plausible trees
    random_trees: int
    seed: int
    lowest_f1: Floats = field(repr=False)  # unlabelled PARSEVAL F1 against another plausible tree
    lowest_iou: Floats = field(repr=False)  # unlabelled Struct-IoU against another plausible tree
    random_f1: Floats = field(repr=False)  # expected F1 against a random tree; exact
    random_iou: Floats = field(repr=False)  # mean Struct-IoU against the random trees
    signature: str = field(repr=False)


def ambiguity(n: int = 8, *, random_trees: int = 100, seed: int | None = 0) -> Ambiguity:
    """Score every plausible parse of ``N (P N){n}`` against the others and against random trees (section 5.2.2, Table 1)."""
    # Labels are ignored. PARSEVAL counts brackets of two or more words, the whole sentence included; Struct-IoU counts
    # preterminals too.
    #
    # For every ground truth the lowest F1 is 1 / n and the lowest Struct-IoU (2n + 3) / (4n + 1), for n from 2 to 8 at least:
    # for n = 8, 2/16 = 12.5 %, as printed, and 19/33 = 57.6 %. The paper prints 63.6 there, above its 61.9 for random trees,
    # and concludes that Struct-IoU ranks plausible trees above random ones. This is not true of the worst plausible trees: the
    # paper's own program gives 57.6 too, which is below the score of random trees for every ground truth.
    #
    # Only the last column of the table is estimated. A bracket of k words is in a random tree if the gaps inside it close
    # before the gaps at its edges, and gaps close in random order. So its probability is 1 if it is the whole sentence, 1 / k
    # if it is at one end of the sentence, and 2 / (k (k + 1)) otherwise. To find the lowest Struct-IoU, trees that share few
    # brackets are tried first. All preterminals and all shared brackets can be aligned, so no score is below (words + shared) /
    # nodes, and most trees need not be tried.
    n = whole(2, MAX_PHRASES)("n", n)
    random_trees = whole(1)("random_trees", random_trees)
    root = check_seed("seed", seed)
    trees = plausible_trees(n)
    brackets = _brackets(trees)
    lowest_f1, lowest_iou = np.empty((2, len(trees)))
    for truth in range(len(trees)):
        shared = brackets[brackets[:, truth]].sum(axis=0)
        others = np.delete(np.arange(len(trees)), truth)
        lowest_f1[truth] = shared[others].min() / (2 * n)
        lowest_iou[truth] = _lowest_iou(trees, truth, others, shared[others])
    rng = np.random.default_rng(root)
    sample = [random_tree(trees[0].words, seed=rng) for _ in range(random_trees)]
    random_f1 = _bracket_probabilities(2 * n + 1) @ brackets / (2 * n)
    by_random = (score_many([(tree, random) for tree in trees], _MEASURE).values for random in sample)
    random_iou = np.asarray(sum(by_random) / len(sample))
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
    """Return the probability that a random tree contains each bracket, in the same order."""
    start, end = np.indices((words + 1, words + 1)).reshape(2, -1)
    k = np.maximum(end - start, 1)
    inner_edges = np.add(start > 0, end < words, dtype=np.int64)
    return np.where(end - start < 2, 0.0, np.choose(inner_edges, [np.ones(k.shape), 1 / k, 2 / (k * (k + 1))]))


def _lowest_iou(trees: Sequence[Tree], truth: int, others: Ints, shared: Ints) -> float:
    """Return the lowest Struct-IoU of a tree against others; ``shared`` has the number of brackets it shares with each."""
    words, nodes = trees[truth].length, len(trees[truth])
    order = argsort(shared, kind="stable")
    lowest = np.inf
    start, size = 0, 4
    while start < len(order) and lowest > words + shared[order[start]]:
        block = others[order[start : start + size]].tolist()
        scores = score_many([(trees[truth], trees[place]) for place in block], _MEASURE)
        lowest = min(lowest, float(scores.counts[:, 0].min()))
        start, size = start + size, 2 * size
    return lowest / nodes
