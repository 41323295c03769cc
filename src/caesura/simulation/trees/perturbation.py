"""Word boundaries moved, added and removed: how far does a measure of trees fall?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, OptionError
from caesura.measures.base import Measure
from caesura.measures.many import score_many
from caesura.measures.registry import parse
from caesura.model.result import Result, signature_line
from caesura.model.rewording import join_words, split_words
from caesura.model.tree import Tree
from caesura.options import Check, choice, number, suggest, whole
from caesura.options import seed as check_seed
from caesura.progress import report_progress
from caesura.simulation.sampling import Seed, random_generator

Floats = NDArray[np.float64]

_probability = number(0, 1)


def without_silence(tree: Tree) -> Tree:
    """Return a tree without the gaps between its words: every word keeps its length and begins where the previous one ends.

    Parameters
    ----------
    tree : Tree
        A tree with times.

    Returns
    -------
    Tree
        The first word stays where it is.

    Notes
    -----
    Footnote 4 of the paper: "if any interword silence exists, we remove it". Two trees that are compared must have lost the
    same silence, so they must have the same times::

        |the|   |man|  |ate|            |the|man|ate|
        1   2   4   5  6   7            1   2   3   4

    Examples
    --------
    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(1, 2), (4, 5), (6, 7)])
    >>> without_silence(tree).times.tolist()
    [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]
    """
    times = _times(tree)
    if (times[1:, 0] == times[:-1, 1]).all():
        return tree
    edges = np.cumsum([times[0, 0], *(times[:, 1] - times[:, 0])])
    return tree.with_times(np.column_stack([edges[:-1], edges[1:]]))


def noise(tree: Tree, delta: float, *, seed: Seed = 0) -> Tree:
    """Return a tree with every boundary between two words moved towards a neighbour.

    Parameters
    ----------
    tree : Tree
        A tree with times, without silence between words (:func:`without_silence`).
    delta : float
        Largest ratio of the way to the neighbour, from 0 to 1.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.

    Returns
    -------
    Tree
        The first and the last boundary stay, and every word keeps some length.

    Notes
    -----
    From left to right, boundary b_i moves by abs(r) (b_(i+1) - b_i) to the right, or by abs(r) (b_i - b_(i-1)) to the left;
    b_(i-1) has moved already. r ~ U(-delta, delta), and its sign is the direction.

    Examples
    --------
    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> noise(tree, 0.5, seed=1).times.round(2).tolist()
    [[0.0, 1.01], [1.01, 2.45], [2.45, 3.0]]
    """
    times, delta = _times(tree), _probability("delta", delta)
    gaps = np.flatnonzero(times[1:, 0] != times[:-1, 1])
    if gaps.size:
        i = int(gaps[0])
        raise OptionError(
            f"words must follow each other without silence; word {i + 1} {tree.words[i][:40]!r} ends at {times[i, 1]:g} s, "
            f"the next begins at {times[i + 1, 0]:g} s. Use without_silence(tree)"
        )
    edges = [*times[:, 0].tolist(), float(times[-1, 1])]
    for i, r in enumerate(random_generator(seed).uniform(-delta, delta, tree.length - 1).tolist(), 1):
        left, here, right = edges[i - 1 : i + 2]
        target = here + abs(r) * ((right if r >= 0 else left) - here)
        # Rounding may put it onto its neighbour, and that word would vanish.
        edges[i] = min(max(target, math.nextafter(left, right)), math.nextafter(right, left))
    return tree.with_times(np.column_stack([edges[:-1], edges[1:]]))


def insert(tree: Tree, delta: float, *, seed: Seed = 0) -> Tree:
    """Return a tree with some words cut in two, anywhere inside.

    Parameters
    ----------
    tree : Tree
        A tree with times.
    delta : float
        Probability that a word is cut.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.

    Returns
    -------
    Tree
        The preterminal of a cut word becomes two of the same label, side by side; if it is the root, it becomes their parent.

    Examples
    --------
    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> insert(tree, 0.5, seed=0).brackets
    '(S (NP (DT the) (NN man_1) (NN man_2)) (VP (VBD ate_1) (VBD ate_2)))'
    """
    times, delta, rng = _times(tree), _probability("delta", delta), random_generator(seed)
    begin, end = times.T
    cut = rng.random(tree.length) < delta
    first, last = np.nextafter(begin, end), np.nextafter(end, begin)
    place = np.clip(begin + rng.random(tree.length) * (end - begin), first, last)
    cut &= first < end  # or there is no number inside the word
    return split_words(tree, [(i, float(place[i])) for i in np.flatnonzero(cut).tolist()])


def delete(tree: Tree, delta: float, *, seed: Seed = 0) -> Tree:
    """Return a tree without some of the boundaries between its words.

    Parameters
    ----------
    tree : Tree
        A tree with times.
    delta : float
        Probability that a boundary is removed.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.

    Returns
    -------
    Tree
        Words without a boundary between them become one; see :func:`~caesura.model.rewording.join_words`.

    Notes
    -----
    The paper parses the new words again. Here there is no parser, and the rest of the tree stays.

    Examples
    --------
    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> delete(tree, 0.5, seed=0).brackets
    '(S (NP (DT the)) (NN man_ate))'
    """
    _times(tree)
    removed = random_generator(seed).random(tree.length - 1) < _probability("delta", delta)
    return join_words(tree, (np.flatnonzero(removed) + 1).tolist())


_KINDS: dict[str, Callable[..., Tree]] = {"noise": noise, "insert": insert, "delete": delete}
_TENTHS = tuple(tenth / 10 for tenth in range(11))


@dataclass(frozen=True, slots=True)
class CurvePoint(Result):
    """One kind of perturbation at one level.

    Attributes
    ----------
    kind : str
        ``"noise"``, ``"insert"`` or ``"delete"``.
    delta : float
        Level of the perturbation.
    mean : float
        Sentence level: mean of the sentences' scores, then of the repeats.
    deviation : float
        Standard deviation of that mean over repeats, of the population.
    corpus : float
        Corpus level, from summed parts: mean of the repeats.
    corpus_deviation : float
        Standard deviation of ``corpus`` over repeats, of the population.
    """

    kind: str
    delta: float
    mean: float
    deviation: float
    corpus: float
    corpus_deviation: float


@dataclass(frozen=True)
class PerturbationCurve(Result):
    """Result of :func:`perturbation_curve`.

    Attributes
    ----------
    points : tuple of CurvePoint
        Kind by kind, in the order of the request.
    measure : Measure
        The measure of trees.
    sentences : int
        Number of sentences.
    repeats : int
        Number of repeats per point.
    seed : int
        Random seed.
    signature : str
        One line to reproduce the result.
    """

    frame_field: ClassVar[str] = "points"

    points: tuple[CurvePoint, ...]
    measure: Measure
    sentences: int
    repeats: int
    seed: int
    signature: str = field(repr=False)

    def of_kind(self, kind: str) -> tuple[CurvePoint, ...]:
        """Return the points of one kind.

        Parameters
        ----------
        kind : str
            ``"noise"``, ``"insert"`` or ``"delete"``.

        Returns
        -------
        tuple of CurvePoint
            By level.

        Raises
        ------
        OptionError
            If the curve has no such kind.
        """
        points = tuple(point for point in self.points if point.kind == kind)
        if not points:
            raise OptionError(suggest("no kind", kind, dict.fromkeys(point.kind for point in self.points)))
        return points


def perturbation_curve(
    gold: Iterable[Tree],
    predicted: Iterable[Tree] | None = None,
    *,
    kinds: Iterable[str] = tuple(_KINDS),
    deltas: Iterable[float] = _TENTHS,
    repeats: int = 5,
    seed: int | None = 0,
    measure: str | Measure = "struct_iou",
) -> PerturbationCurve:
    """Compute how far a score falls as word boundaries get worse (section 5.1.3, Figure 5).

    Parameters
    ----------
    gold : iterable of Tree
        Gold trees with times.
    predicted : iterable of Tree, optional
        Predicted trees over the same word times (default: the gold trees, so that all curves start at 1).
    kinds : iterable of str
        Perturbations (default: ``noise``, ``insert`` and ``delete``).
    deltas : iterable of float
        Levels of perturbation (default: 0, 0.1, ... 1).
    repeats : int, default 5
        Number of repeats per kind and level.
    seed : int or None, default 0
        Random seed; None draws one.
    measure : str or Measure, default "struct_iou"
        A measure of trees.

    Returns
    -------
    PerturbationCurve
        Mean and deviation over repeats, at sentence level and at corpus level.

    Notes
    -----
    The predicted trees are perturbed by :func:`noise`, :func:`insert` or :func:`delete` and compared with the gold trees;
    silence between words is removed first on both sides. Progress is reported per repeat.

    Every draw has its own random stream, from seed, kind, delta, repeat and place of the tree, so it does not depend on the
    other kinds and deltas of a call, nor on their order.

    All three curves fall, and deletion falls most, since only deletion removes nodes. In the paper noise falls least; **over
    sentences of many words it falls more than insertion**. There noise moves nearly every edge of every node, while insertion
    keeps all old edges and costs only the new preterminals. But 39.7 % of the paper's utterances have one word, which has no
    inner boundary for noise and can be cut in two: with as many of these the curves cross.

    Examples
    --------
    >>> spoken = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> curve = perturbation_curve([spoken], deltas=[0, 0.5, 1], repeats=20, seed=1)
    >>> for kind in ("noise", "insert", "delete"):
    ...     print(f"{kind:7}", *(f"{point.mean:.2f} ± {point.deviation:.2f}" for point in curve.of_kind(kind)))
    noise   1.00 ± 0.00 0.83 ± 0.06 0.69 ± 0.13
    insert  1.00 ± 0.00 0.85 ± 0.08 0.71 ± 0.04
    delete  1.00 ± 0.00 0.74 ± 0.26 0.33 ± 0.00
    """
    tree_measure = parse(measure)
    if tree_measure.kind != "trees":
        raise OptionError(f"measure must compare trees, like struct_iou; got {tree_measure!r}")
    gold_trees, predicted_trees = _sides(gold, predicted)
    chosen = _distinct("kinds", kinds, choice(*_KINDS))
    levels = [float(delta) for delta in _distinct("deltas", deltas, _probability)]
    repeats = whole(1)("repeats", repeats)
    root = check_seed("seed", seed)
    steps = len(chosen) * len(levels) * repeats
    points: list[CurvePoint] = []
    for kind in chosen:
        for delta in levels:
            values = np.empty((repeats, 2))
            for repeat in range(repeats):
                perturbed = _perturb(predicted_trees, kind, delta, root, repeat)
                values[repeat] = _both_levels(gold_trees, perturbed, tree_measure)
                report_progress(len(points) * repeats + repeat + 1, steps)
            (mean, corpus), (deviation, corpus_deviation) = values.mean(axis=0).tolist(), values.std(axis=0).tolist()
            points.append(CurvePoint(kind, delta, mean, deviation, corpus, corpus_deviation))
    signature = signature_line(
        "perturbation_curve",
        measure=repr(tree_measure),
        kinds="+".join(chosen),
        deltas=",".join(f"{delta:g}" for delta in levels),
        sentences=len(gold_trees),
        repeats=repeats,
        seed=root,
    )
    return PerturbationCurve(tuple(points), tree_measure, len(gold_trees), repeats, root, signature)


def _perturb(trees: list[Tree], kind: str, delta: float, seed: int, repeat: int) -> list[Tree]:
    """Return all trees perturbed, each with a random stream of its own."""
    place = list(_KINDS).index(kind)
    # The bits of the level as key: they need no list of levels.
    bits = int(np.float64(delta).view(np.uint64))
    perturb = _KINDS[kind]
    perturbed = []
    for i, tree in enumerate(trees):
        stream = np.random.SeedSequence(seed, spawn_key=(place, bits, repeat, i))
        perturbed.append(perturb(tree, delta, seed=np.random.default_rng(stream)))
    return perturbed


def _both_levels(gold: list[Tree], predicted: list[Tree], measure: Measure) -> tuple[float, float]:
    """Return the mean over sentences, and the score of the corpus."""
    scores = score_many(zip(gold, predicted, strict=True), measure)
    for place, error in scores.errors.items():
        raise type(error)(f"sentence {place + 1}: {error}")
    return float(scores.values.mean()), scores.total.value


def _times(tree: object) -> Floats:
    if not isinstance(tree, Tree):
        raise OptionError(f"expected a Tree; got {type(tree).__name__}")
    if tree.times is None:
        raise OptionError("expected a tree with times; this one has none. Add them with tree.with_times(...)")
    return tree.times


def _sides(gold: Iterable[Tree], predicted: Iterable[Tree] | None) -> tuple[list[Tree], list[Tree]]:
    """Return both sides without silence."""
    gold_trees = list(gold)
    gapless_gold = _without_silences("gold", gold_trees)
    if not gapless_gold:
        raise OptionError("gold: at least one tree is needed; got none")
    if predicted is None:
        return gapless_gold, gapless_gold
    predicted_trees = list(predicted)
    if len(predicted_trees) != len(gold_trees):
        raise MismatchError(
            f"both sides must have the same sentences; gold has {len(gold_trees)}, predicted {len(predicted_trees)}"
        )
    gapless_predicted = _without_silences("predicted", predicted_trees)
    for place, (a, b) in enumerate(zip(gold_trees, predicted_trees, strict=True), 1):
        if not np.array_equal(_times(a), _times(b)):
            raise MismatchError(
                f"sentence {place}: both trees must have the same word times, because silence is removed from both; "
                "perturb trees that share them"
            )
    return gapless_gold, gapless_predicted


def _without_silences(side: str, trees: list[Tree]) -> list[Tree]:
    result = []
    for place, tree in enumerate(trees, 1):
        try:
            result.append(without_silence(tree))
        except CaesuraError as error:
            raise type(error)(f"{side}, sentence {place}: {error}") from None
    return result


def _distinct(name: str, values: Any, check: Check) -> list[Any]:
    """Return the checked values, each once, in order."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise OptionError(f"{name} must be a list; got {values!r}")
    listed = list(dict.fromkeys(check(name, value) for value in values))
    if not listed:
        raise OptionError(f"{name}: at least one is needed; got none")
    return listed
