"""Perturbed trees, and comparisons of Struct-IoU with PARSEVAL, after Shi, Gimpel & Livescu (2024).

- Perturbation: word boundaries are moved, added and removed (section 5.1.3, Figures 4 and 5).
- Comparison of sentence and corpus level (section 5.1.4, Figure 6) and of Struct-IoU and PARSEVAL (Figures 3 and 7).

All random functions take a ``seed``, as in :mod:`caesura.simulation`.

Shi, F., Gimpel, K., & Livescu, K. (2024). Structured tree alignment for evaluation of (speech) constituency parsing. ACL.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from caesura.errors import CaesuraError, MismatchError, OptionError, Undefined
from caesura.measures.base import Measure
from caesura.measures.many import score_many
from caesura.measures.parseval import Parseval
from caesura.measures.registry import parse
from caesura.measures.treebank import StructIoUResult, Trees, pair_trees, struct_iou_corpus
from caesura.model import checks
from caesura.model.index import argsort, flatnonzero, searchsorted
from caesura.model.result import Excluded, Result, signature_line
from caesura.model.tree import Tree, join_words, split_words
from caesura.model.value import Floats, Ints
from caesura.options import Check, choice, flag, number, optional, suggest, whole
from caesura.options import seed as check_seed
from caesura.progress import report_progress
from caesura.simulation.segmentations import Seed, random_generator

_probability = number(0, 1)


def without_silence(tree: Tree) -> Tree:
    """Return a tree without gaps between words: every word keeps its length and begins at the end of the previous word.

    Parameters
    ----------
    tree : Tree
        A tree with times.

    Returns
    -------
    Tree
        The tree with new times; the first word does not move.

    Notes
    -----
    Footnote 4 of the paper: "if any interword silence exists, we remove it". If two trees are compared, the same silence
    must be removed from both, so they must have the same times::

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
    """Return a tree in which every boundary between two words is moved towards a neighbouring boundary.

    Parameters
    ----------
    tree : Tree
        A tree with times, without silence between words (:func:`without_silence`).
    delta : float
        Largest move, as a fraction of the distance to the neighbouring boundary, from 0 to 1.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.

    Returns
    -------
    Tree
        The tree with new times. The first and the last boundary do not move, and no word becomes empty.

    Notes
    -----
    From left to right, boundary b_i moves by abs(r) (b_(i+1) - b_i) to the right, or by abs(r) (b_i - b_(i-1)) to the left;
    b_(i-1) has already moved. r is drawn from U(-delta, delta), and its sign determines the direction.

    Examples
    --------
    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> noise(tree, 0.5, seed=1).times.round(2).tolist()
    [[0.0, 1.01], [1.01, 2.45], [2.45, 3.0]]
    """
    times, delta = _times(tree), _probability("delta", delta)
    if (i := checks.first_true(times[1:, 0] != times[:-1, 1])) is not None:
        raise OptionError(
            f"words must follow each other without silence; word {i + 1} {tree.words[i][:40]!r} ends at {times[i, 1]:g} s, "
            f"the next begins at {times[i + 1, 0]:g} s. Use without_silence(tree)"
        )
    edges = [*times[:, 0].tolist(), float(times[-1, 1])]
    for i, r in enumerate(random_generator(seed).uniform(-delta, delta, tree.length - 1).tolist(), 1):
        left, here, right = edges[i - 1 : i + 2]
        target = here + abs(r) * ((right if r >= 0 else left) - here)
        # Rounding may move the boundary onto its neighbour, and the word between them would vanish.
        edges[i] = min(max(target, math.nextafter(left, right)), math.nextafter(right, left))
    return tree.with_times(np.column_stack([edges[:-1], edges[1:]]))


def insert(tree: Tree, delta: float, *, seed: Seed = 0) -> Tree:
    """Return a tree in which some words are cut in two, at a random time.

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
        The preterminal of a cut word becomes two sister preterminals with the same label. If it is the root, it becomes
        their parent.

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
    cut &= first < end  # otherwise there is no number inside the word
    return split_words(tree, [(i, float(place[i])) for i in flatnonzero(cut).tolist()])


def delete(tree: Tree, delta: float, *, seed: Seed = 0) -> Tree:
    """Return a tree in which some boundaries between words are removed.

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
        Words without a boundary between them become one word; see :func:`~caesura.model.tree.join_words`.

    Notes
    -----
    The paper parses the new words again. caesura has no parser, so the rest of the tree does not change.

    Examples
    --------
    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> delete(tree, 0.5, seed=0).brackets
    '(S (NP (DT the)) (NN man_ate))'
    """
    _times(tree)
    removed = random_generator(seed).random(tree.length - 1) < _probability("delta", delta)
    return join_words(tree, (flatnonzero(removed) + 1).tolist())


_KINDS: dict[str, Callable[..., Tree]] = {"noise": noise, "insert": insert, "delete": delete}
_TENTHS = tuple(tenth / 10 for tenth in range(11))


@dataclass(frozen=True, slots=True)
class CurvePoint(Result):
    """Scores for one kind of perturbation at one level.

    Attributes
    ----------
    kind : str
        ``"noise"``, ``"insert"`` or ``"delete"``.
    delta : float
        Level of the perturbation.
    mean : float
        Sentence level: mean over repeats of the mean score of the sentences.
    deviation : float
        Population standard deviation of the mean score over repeats.
    corpus : float
        Corpus level: mean over repeats of the score from summed parts.
    corpus_deviation : float
        Population standard deviation of the corpus score over repeats.
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
        The points, grouped by kind in the order in which the kinds were requested.
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
            The points, in the order of the levels.

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
        Random seed; None chooses a random one.
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

    Every draw has its own random stream, determined by seed, kind, delta, repeat and index of the tree. So it does not
    depend on the other kinds and deltas of a call, or on their order.

    All three curves fall. The curve of deletion falls most, since only deletion removes nodes. In the paper noise falls
    least, but **for sentences of many words it falls more than insertion**: noise moves nearly every edge of every node,
    while insertion keeps all old edges and costs only the new preterminals. The difference is due to the 39.7 % of the
    paper's utterances that have one word. Such a word can be cut in two, but it has no inner boundary that noise could
    move. With the same proportion of one-word sentences the curves cross.

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
                scores = score_many(zip(gold_trees, perturbed, strict=True), tree_measure)
                for place, error in scores.errors.items():
                    raise type(error)(f"sentence {place + 1}: {error}")
                values[repeat] = scores.values.mean(), scores.total.value
                report_progress(len(points) * repeats + repeat + 1, steps)
            (mean, corpus), (deviation, corpus_deviation) = values.mean(axis=0).tolist(), values.std(axis=0).tolist()
            points.append(CurvePoint(kind, delta, mean, deviation, corpus, corpus_deviation))
    n, level_list = len(gold_trees), ",".join(f"{delta:g}" for delta in levels)
    design: dict[str, Any] = {"measure": repr(tree_measure), "kinds": "+".join(chosen), "deltas": level_list}
    signature = signature_line("perturbation_curve", **design, sentences=n, repeats=repeats, seed=root)
    return PerturbationCurve(tuple(points), tree_measure, n, repeats, root, signature)


def _perturb(trees: list[Tree], kind: str, delta: float, seed: int, repeat: int) -> list[Tree]:
    # The bits of the level are part of the key, so that the stream does not depend on the other levels.
    key = (list(_KINDS).index(kind), int(np.float64(delta).view(np.uint64)), repeat)
    streams = (np.random.SeedSequence(seed, spawn_key=(*key, i)) for i in range(len(trees)))
    generators = map(np.random.default_rng, streams)
    return [_KINDS[kind](tree, delta, seed=rng) for tree, rng in zip(trees, generators, strict=True)]


def _times(tree: object) -> Floats:
    if not isinstance(tree, Tree):
        raise OptionError(f"expected a Tree; got {type(tree).__name__}")
    if tree.times is None:
        raise OptionError("expected a tree with times; this one has none. Add them with tree.with_times(...)")
    return tree.times


def _sides(gold: Iterable[Tree], predicted: Iterable[Tree] | None) -> tuple[list[Tree], list[Tree]]:
    """Return gold and predicted trees without silence."""
    gold_trees = list(gold)
    if not gold_trees:
        raise OptionError("gold: expected at least one tree; got none")
    pairs: list[Any] = pair_trees(gold_trees, gold_trees if predicted is None else predicted, "predicted")
    sides: tuple[list[Tree], list[Tree]] = [], []
    for place, (a, b) in enumerate(pairs, 1):
        for side, trees, tree in zip(("gold", "predicted"), sides, (a, b), strict=True):
            try:
                trees.append(without_silence(tree))
            except CaesuraError as error:
                raise type(error)(f"{side}, sentence {place}: {error}") from None
        if not np.array_equal(a.times, b.times):
            raise MismatchError(
                f"sentence {place}: both trees must have the same word times, because silence is removed from both; "
                "perturb trees that share them"
            )
    return sides


def _distinct(name: str, values: Any, check: Check) -> list[Any]:
    """Return the checked values in order, without duplicates."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise OptionError(f"{name} must be a list; got {values!r}")
    listed = list(dict.fromkeys(check(name, value) for value in values))
    if not listed:
        raise OptionError(f"{name}: expected at least one; got none")
    return listed


@dataclass(frozen=True, slots=True)
class LengthRow(Result):
    """Struct-IoU of all sentences up to a given length.

    Attributes
    ----------
    length : int
        Largest number of words in a gold tree.
    sentences : int
        Number of sentences.
    mean : float or None
        Sentence level: mean of the sentences' scores; None if there are none.
    corpus : float or None
        Corpus level: from summed parts; None if there are none.
    """

    length: int
    sentences: int
    mean: float | None
    corpus: float | None


def by_length(corpus: StructIoUResult, lengths: Iterable[int] | None = None) -> tuple[LengthRow, ...]:
    """Compare sentence level and corpus level, over sentences of limited length (section 5.1.4, Figure 6).

    Parameters
    ----------
    corpus : StructIoUResult
        Result of :func:`struct_iou_corpus`.
    lengths : iterable of int, optional
        Largest numbers of words, one per row (default: every length that occurs).

    Returns
    -------
    tuple of LengthRow
        One row per length. Sentences that could not be scored are excluded.

    Notes
    -----
    Short sentences have high scores and few nodes, so the mean of the sentences is higher than the score of the corpus.
    The difference grows with the length of the other sentences.

    Examples
    --------
    >>> gold = [Tree.from_brackets(text) for text in ("(X (UH yes))", "(S (NP (PRP he)) (VP (VBD slept)))")]
    >>> predicted = [gold[0], Tree.from_brackets("(S (PRP he) (VP (VBD slept)))")]
    >>> for row in by_length(struct_iou_corpus(gold, predicted)):
    ...     print(row.length, row.sentences, round(row.mean, 4), round(row.corpus, 4))
    1 1 1.0 1.0
    2 2 0.9444 0.9231
    """
    if not isinstance(corpus, StructIoUResult):
        raise OptionError(f"corpus: expected the result of struct_iou_corpus; got {type(corpus).__name__}")
    scores = corpus.scores
    order = argsort(scores.batch.length, kind="stable")
    words, places = scores.batch.length[order], scores.places[order]
    limits = np.unique(words).tolist() if lengths is None else [whole(1)("lengths", length) for length in lengths]
    sums = np.cumsum(scores.values[places])
    corpus_values = scores.measure.finish(np.cumsum(scores.counts[places], axis=0), scores.types)
    rows = []
    for length in limits:
        n = int(searchsorted(words, length, side="right"))
        mean, total = (float(sums[n - 1]) / n, float(corpus_values[n - 1])) if n else (None, None)
        rows.append(LengthRow(length, n, mean, total))
    return tuple(rows)


@dataclass(frozen=True, eq=False)
class Correlation(Result):
    """Spearman's correlation of Struct-IoU with PARSEVAL F1 over samples of sentences.

    Attributes
    ----------
    rho : float
        Spearman's rank correlation.
    p : float
        Two-sided p-value for the hypothesis of no correlation.
    struct_iou : numpy.ndarray
        Mean Struct-IoU of the sentences of each sample.
    f1 : numpy.ndarray
        F1 of the brackets of all sentences of each sample.
    size : int
        Number of sentences per sample.
    sentences : int
        Number of sentences that could be scored.
    excluded : tuple of Excluded
        Sentences that could not be scored; ``item`` is the number of the sentence.
    seed : int
        Random seed.
    signature : str
        One line to reproduce the result.
    """

    rho: float
    p: float
    struct_iou: Floats = field(repr=False)
    f1: Floats = field(repr=False)
    size: int
    sentences: int
    excluded: tuple[Excluded, ...] = field(repr=False)
    seed: int
    signature: str = field(repr=False)


def correlation(
    gold: Trees,
    predicted: Trees,
    *,
    samples: int | None = None,
    size: int = 10,
    seed: int | None = 0,
    unlabelled: bool = False,
) -> Correlation:
    """Compute Spearman's rho of Struct-IoU and PARSEVAL F1 over samples of sentences (Figures 3 and 7).

    Parameters
    ----------
    gold, predicted : iterable of Tree or None
        Trees of the same sentences, with the same words.
    samples : int, optional
        Number of samples to draw, each without repeated sentences (default: every sentence is in one sample only).
    size : int, default 10
        Number of sentences per sample.
    seed : int or None, default 0
        Random seed; None chooses a random one.
    unlabelled : bool, default False
        Whether to ignore labels.

    Returns
    -------
    Correlation
        Rho, its p-value and the values of all samples.

    Raises
    ------
    Undefined
        If Struct-IoU or F1 is the same in all samples.

    Notes
    -----
    The Struct-IoU of a sample is the mean of its sentences. Its F1 is computed from the brackets of all its sentences by
    :func:`~caesura.parseval` with default options.

    By default the sentences are shuffled and divided into samples; sentences that do not fill the last sample are not
    used. The paper seems to do the same: its p-values are consistent with 378 and 170 dots, and 170 is a tenth of the
    1,700 sentences of its second corpus. With ``samples`` the p-value is too small, because it assumes independent
    samples.

    Examples
    --------
    >>> gold = [Tree.from_brackets(f"(S (NP {'(N a) ' * n}) (VP (V b)))") for n in range(1, 5)]
    >>> predicted = [Tree.from_brackets(f"(S (NP (N a)) {'(N a) ' * (n - 1)} (VP (V b)))") for n in range(1, 5)]
    >>> result = correlation(gold, predicted, size=1, seed=1)
    >>> round(result.rho, 3), result.struct_iou.round(3).tolist(), result.f1.round(3).tolist()
    (0.775, [1.0, 0.833, 0.857, 0.875], [1.0, 0.667, 0.667, 0.667])
    """
    size = whole(1)("size", size)
    samples = optional(whole(3))("samples", samples)
    flag("unlabelled", unlabelled)
    root = check_seed("seed", seed)
    gold_trees, predicted_trees = list(gold), list(predicted)
    iou_scores = struct_iou_corpus(gold_trees, predicted_trees, unlabelled=unlabelled)
    pairs: list[Any] = list(zip(gold_trees, predicted_trees, strict=True))
    bracket_scores = score_many(pairs, Parseval(labelled=not unlabelled))
    errors = iou_scores.errors | bracket_scores.errors
    valid = np.array([place for place in range(len(pairs)) if place not in errors], np.int64)
    chosen = _samples(valid, samples, size, np.random.default_rng(root))
    iou = iou_scores.values[chosen].mean(axis=1)
    f1 = bracket_scores.measure.finish(bracket_scores.counts[chosen].sum(axis=1), bracket_scores.types)
    for name, values in (("Struct-IoU", iou), ("F1", f1)):
        if (values == values[0]).all():
            raise Undefined(f"{name} is the same in all {len(values)} samples, so its correlation is undefined")
    from scipy.stats import spearmanr  # slow to import

    result = spearmanr(iou, f1)
    rho, p, n = float(result.statistic), float(result.pvalue), len(valid)
    excluded = tuple(Excluded(str(place + 1), None, str(errors[place])) for place in sorted(errors))
    signature = signature_line("correlation", labels=not unlabelled, sentences=n, samples=len(f1), size=size, seed=root)
    return Correlation(rho, p, iou, f1, size, n, excluded, root, signature)


def _samples(valid: Ints, samples: int | None, size: int, rng: np.random.Generator) -> Ints:
    n = len(valid)
    if samples is None:
        samples = n // size
        if samples < 3:
            raise OptionError(
                f"expected at least 3 samples; {n} sentences make {samples} of {size}. Use a smaller size"
            )
        return rng.permutation(valid)[: samples * size].reshape(samples, size)
    if size > n:
        raise OptionError(f"size must be at most the number of sentences, {n}; got {size}")
    return np.array([rng.choice(valid, size, replace=False) for _ in range(samples)])
