"""A sentence with many parses: what do measures say of those that are as good, and of those that mean nothing?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError
from caesura.measures.many import score_many
from caesura.model.tree import Tree
from caesura.options import seed as check_seed
from caesura.options import whole
from caesura.simulation.drawing import Seed, generator
from caesura.version import __version__

__all__ = ["Ambiguity", "ambiguity", "plausible_trees", "random_tree"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_MEASURE = "struct_iou(unlabelled=True)"
_pairs = whole(1, 10)  # 16,796 trees, some minutes


def plausible_trees(n: int) -> tuple[Tree, ...]:
    """All trees of ``N (P N){n}`` by NP -> N | NP PP, PP -> P NP; as many as the Catalan number of n.

    An NP over a single N is that N's preterminal and no second node, so that every tree is binary: 2n + 1 words, 2n brackets
    above them.

    >>> for tree in plausible_trees(2):
    ...     print(tree)
    (NP (N N) (PP (P P) (NP (N N) (PP (P P) (N N)))))
    (NP (NP (N N) (PP (P P) (N N))) (PP (P P) (N N)))
    """
    n = _pairs("n", n)
    grown: list[list[Any]] = [[("N", "N")]]
    for size in range(1, n + 1):
        grown.append(
            [
                ("NP", left, ("PP", ("P", "P"), right))
                for taken in range(size)
                for left in grown[taken]
                for right in grown[size - 1 - taken]
            ]
        )
    return tuple(Tree.from_nested(one) for one in grown[n])


def random_tree(words: Iterable[str], *, seed: Seed) -> Tree:
    """A binary tree of no meaning: two neighbours at random become one group, until one is left. All labels are ``X``.

    This is not every tree alike: balanced ones come out more often than those that branch to one side.

    >>> print(random_tree("abcd", seed=1))
    (X (X a) (X (X (X b) (X c)) (X d)))
    """
    groups: list[Any] = [("X", word) for word in words]
    if not groups:
        raise OptionError("words: at least one is needed; got none")
    rng = generator(seed)
    while len(groups) > 1:
        i = int(rng.integers(len(groups) - 1))
        groups[i : i + 2] = [("X", groups[i], groups[i + 1])]
    return Tree.from_nested(groups[0])


@dataclass(frozen=True, eq=False)
class Ambiguity:
    """What :func:`ambiguity` returns. Every array has a value for each plausible tree as ground truth, in their order."""

    n: int
    trees: int
    """Plausible trees."""
    random_trees: int
    seed: int
    lowest_f1: Floats = field(repr=False)
    """Unlabelled PARSEVAL F1 against that other plausible tree which has the least."""
    lowest_iou: Floats = field(repr=False)
    """Unlabelled Struct-IoU against that other plausible tree which has the least."""
    random_f1: Floats = field(repr=False)
    """F1 that is expected against a random tree; exact."""
    random_iou: Floats = field(repr=False)
    """The mean Struct-IoU against the random trees that were drawn."""
    signature: str = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {name: getattr(self, name) for name in ("n", "trees", "random_trees", "seed", "signature")}
        arrays = ("lowest_f1", "lowest_iou", "random_f1", "random_iou")
        return plain | {name: getattr(self, name).tolist() for name in arrays}


def ambiguity(n: int = 8, *, random_trees: int = 100, seed: int | None = None) -> Ambiguity:
    """``N (P N){n}``, "a girl with a cat in a house on ...": every plausible parse as ground truth (section 5.2.2, Table 1).

    Each of the :func:`plausible_trees` is held against all others, of which the lowest score is kept, and against random
    trees (:func:`random_tree`). Labels are not looked at. PARSEVAL counts brackets of two or more words, the whole sentence
    among them; Struct-IoU counts preterminals too.

    Whatever the ground truth, the lowest F1 is 1 / n and the lowest Struct-IoU (2n + 3) / (4n + 1), for n of 2 to 8 at least:
    for n = 8 2/16 = 12.5 %, as printed, and 19/33 = 57.6 %. The paper has 63.6 there, above its 61.9 for random trees, and
    concludes that Struct-IoU puts plausible trees above random ones. Not the worst of them: the paper's own program gives
    57.6 too, which is below what random trees get from any ground truth.

    Nothing is estimated but the last column. A bracket of k words is in a random tree if the gaps inside it close before
    those at its edges do, and gaps close in random order: with probability 1 if it is the sentence, 1 / k at an end of it,
    2 / (k (k + 1)) inside. For the lowest Struct-IoU trees that share few brackets are tried first: all preterminals and
    all shared brackets can be aligned, so no score is below (words + shared) / nodes, and most need no trying.

    >>> found = ambiguity(4, random_trees=1, seed=1)
    >>> found.trees, set(found.lowest_f1.tolist()), set((17 * found.lowest_iou).tolist())
    (14, {0.25}, {11.0})
    """
    if _pairs("n", n) < 2:
        raise OptionError(f"n must be at least 2, or there is no other plausible tree; got {n}")
    random_trees = whole(1)("random_trees", random_trees)
    root = check_seed("seed", seed)
    trees = plausible_trees(n)
    brackets = _brackets(trees)
    f1 = np.empty(len(trees))
    iou = np.empty(len(trees))
    for truth in range(len(trees)):
        shared = brackets[brackets[:, truth]].sum(axis=0)
        others = np.delete(np.arange(len(trees)), truth)
        f1[truth] = shared[others].min() / (2 * n)
        iou[truth] = _lowest(trees, truth, others, shared[others])
    rng = np.random.default_rng(root)
    drawn = [random_tree(trees[0].words, seed=rng) for _ in range(random_trees)]
    expected = _probable(2 * n + 1) @ brackets / (2 * n)
    means = _means(trees, drawn)
    for array in (f1, iou, expected, means):
        array.setflags(write=False)
    signature = f"ambiguity|n:{n}|random_trees:{random_trees}|seed:{root}|caesura:{__version__}"
    return Ambiguity(n, len(trees), random_trees, root, f1, iou, expected, means, signature)


def _brackets(trees: Sequence[Tree]) -> NDArray[np.bool_]:
    """Whether each bracket of two or more words is in each tree: a row a start and end, a column a tree."""
    width = trees[0].length + 1
    found = np.zeros((width * width, len(trees)), bool)
    for column, tree in enumerate(trees):
        inner = ~tree.preterminal
        found[tree.start[inner] * width + tree.end[inner], column] = True
    return found


def _probable(words: int) -> Floats:
    """The probability of each bracket in a random tree, in the same order."""
    width = words + 1
    found = np.zeros((width, width))
    for start in range(words):
        for end in range(start + 2, width):
            k = end - start
            edges = (start > 0) + (end < words)
            found[start, end] = (1, 1 / k, 2 / (k * (k + 1)))[edges]
    return found.ravel()


def _lowest(trees: Sequence[Tree], truth: int, others: Ints, shared: Ints) -> float:
    """The lowest Struct-IoU of one tree and others with which it shares so many brackets."""
    words, nodes = trees[truth].length, len(trees[truth])
    order = np.argsort(shared, kind="stable")
    best = np.inf
    tried, size = 0, 4
    while tried < len(order) and best > words + shared[order[tried]]:
        next_ = order[tried : tried + size]
        scores = score_many([(trees[truth], trees[one]) for one in others[next_].tolist()], _MEASURE)
        best = min(best, float(scores.counts[:, 0].min()))
        tried, size = tried + size, 2 * size
    return best / nodes


def _means(trees: Sequence[Tree], drawn: Sequence[Tree]) -> Floats:
    """The mean Struct-IoU of each tree against all that were drawn."""
    total = np.zeros(len(trees))
    for one in drawn:
        total += score_many([(tree, one) for tree in trees], _MEASURE).values
    return total / len(drawn)
