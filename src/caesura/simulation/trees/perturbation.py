"""Word boundaries moved, added and taken away: how far does a measure of trees fall?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError, OptionError
from caesura.measures.base import Measure
from caesura.measures.many import score_many
from caesura.measures.registry import parse
from caesura.model.rewording import join_words, split_words
from caesura.model.tree import Tree
from caesura.options import choice, number, whole
from caesura.options import seed as check_seed
from caesura.simulation.drawing import Seed, generator
from caesura.version import __version__

__all__ = ["CurvePoint", "PerturbationCurve", "delete", "insert", "noise", "perturbation_curve", "without_silence"]

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

_share = number(0, 1)


# -- one tree -----------------------------------------------------------------------------------------------------


def without_silence(tree: Tree) -> Tree:
    """The tree with the gaps between its words closed: every word keeps its length and begins where the one before ends.

    The first word stays where it is. (Footnote 4: "if any interword silence exists, we remove it".) What is compared must
    have lost the same silence: two trees over the same times.

        |the|   |man|  |ate|            |the|man|ate|
        1   2   4   5  6   7            1   2   3   4

    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(1, 2), (4, 5), (6, 7)])
    >>> without_silence(tree).times.tolist()
    [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]
    """
    times = _times(tree)
    if (times[1:, 0] == times[:-1, 1]).all():
        return tree
    edges = np.cumsum([times[0, 0], *(times[:, 1] - times[:, 0])])
    return tree.with_times(np.column_stack([edges[:-1], edges[1:]]))


def noise(tree: Tree, delta: float, *, seed: Seed) -> Tree:
    """The tree with every boundary between two words moved, by a share of at most ``delta`` of the way to a neighbour.

    From left to right, boundary b_i moves by |r| (b_(i+1) - b_i) to the right, or by |r| (b_i - b_(i-1)) to the left, where
    b_(i-1) has moved already: r ~ U(-delta, delta), and its sign is the direction. The first and the last boundary stay.
    Every word keeps some length. There must be no silence between words (:func:`without_silence`).

    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> noise(tree, 0.5, seed=1).times.round(2).tolist()
    [[0.0, 1.01], [1.01, 2.45], [2.45, 3.0]]
    """
    times, delta = _times(tree), _share("delta", delta)
    gaps = np.flatnonzero(times[1:, 0] != times[:-1, 1])
    if gaps.size:
        i = int(gaps[0])
        raise OptionError(
            f"words must follow each other without silence; word {i + 1} {tree.words[i][:40]!r} ends at {times[i, 1]:g} s, "
            f"the next begins at {times[i + 1, 0]:g} s. Take without_silence(tree)"
        )
    edges = [*times[:, 0].tolist(), float(times[-1, 1])]
    for i, r in enumerate(generator(seed).uniform(-delta, delta, tree.length - 1).tolist(), 1):
        left, here, right = edges[i - 1 : i + 2]
        moved = here + abs(r) * ((right if r >= 0 else left) - here)
        # Rounding may put it onto its neighbour, and that word would be gone.
        edges[i] = min(max(moved, math.nextafter(left, right)), math.nextafter(right, left))
    return tree.with_times(np.column_stack([edges[:-1], edges[1:]]))


def insert(tree: Tree, delta: float, *, seed: Seed) -> Tree:
    """The tree with words cut in two: each with probability ``delta``, anywhere inside.

    Its preterminal becomes two of the same label, side by side; if it is the root, they get it as their parent.

    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> insert(tree, 0.5, seed=0).brackets
    '(S (NP (DT the) (NN man_1) (NN man_2)) (VP (VBD ate_1) (VBD ate_2)))'
    """
    times, delta, rng = _times(tree), _share("delta", delta), generator(seed)
    begin, end = times.T
    cut = rng.random(tree.length) < delta
    first, last = np.nextafter(begin, end), np.nextafter(end, begin)
    place = np.clip(begin + rng.random(tree.length) * (end - begin), first, last)
    cut &= first < end  # or there is no number inside the word
    return split_words(tree, [(i, float(place[i])) for i in np.flatnonzero(cut).tolist()])


def delete(tree: Tree, delta: float, *, seed: Seed) -> Tree:
    """The tree with boundaries between words taken away, each with probability ``delta``.

    Words that are not parted any more become one: :func:`~caesura.model.rewording.join_words` says what becomes of the tree.
    The paper asks its parser for a new tree instead; here there is no parser, and what is left of the tree stays.

    >>> tree = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> delete(tree, 0.5, seed=0).brackets
    '(S (NP (DT the)) (NN man_ate))'
    """
    _times(tree)
    gone = generator(seed).random(tree.length - 1) < _share("delta", delta)
    return join_words(tree, (np.flatnonzero(gone) + 1).tolist())


_KINDS: dict[str, Callable[..., Tree]] = {"noise": noise, "insert": insert, "delete": delete}
_TENTHS = tuple(tenth / 10 for tenth in range(11))


# -- the curve ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One kind of perturbation at one level."""

    kind: str
    delta: float
    mean: float
    """At the level of sentences: the mean of their scores, and then of the repeats."""
    deviation: float
    """Of that mean over repeats, divided by their number."""
    corpus: float
    """At the level of the corpus, from summed parts: the mean of the repeats."""
    corpus_deviation: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class PerturbationCurve:
    """What :func:`perturbation_curve` returns."""

    points: tuple[CurvePoint, ...]
    """Kind by kind, in the order they were asked for."""
    measure: Measure
    sentences: int
    repeats: int
    seed: int
    signature: str = field(repr=False)

    def of(self, kind: str) -> tuple[CurvePoint, ...]:
        """The points of one kind."""
        found = tuple(point for point in self.points if point.kind == kind)
        if not found:
            kinds = ", ".join(dict.fromkeys(point.kind for point in self.points))
            raise OptionError(f"no kind {kind!r}; there are {kinds}")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "points": [point.to_dict() for point in self.points],
            "measure": repr(self.measure),
            "sentences": self.sentences,
            "repeats": self.repeats,
            "seed": self.seed,
            "signature": self.signature,
        }


def perturbation_curve(
    gold: Iterable[Tree],
    predicted: Iterable[Tree] | None = None,
    *,
    kinds: Iterable[str] = tuple(_KINDS),
    deltas: Iterable[float] = _TENTHS,
    repeats: int = 5,
    seed: int | None = None,
    measure: str | Measure = "struct_iou",
    progress: Progress | None = None,
) -> PerturbationCurve:
    """How far does the score fall as word boundaries get worse? (Section 5.1.3, Figure 5.)

    The ``predicted`` trees, over the same word times as ``gold``, are perturbed by :func:`noise`, :func:`insert` or
    :func:`delete` at each level ``delta`` and held against the gold trees as they are; silence between words is removed
    first on both. Without ``predicted`` the gold trees themselves are perturbed, so that all starts at 1. Each is done
    ``repeats`` times; the curve has mean and deviation over these, for sentences and for the corpus.

    Every draw has its own stream, from ``seed``, kind, delta, repeat and place of the tree: other kinds or deltas in the same
    call, and their order, change nothing. Without a seed one is drawn and told. ``progress`` is called with the number of
    repeats done and of all.

    All three curves fall, and deletion falls most, since no other takes nodes away. In the paper noise falls least; **over
    sentences of many words it falls more than insertion**. There noise moves nearly every edge of every node, while insertion
    leaves all old edges where they are and costs no more than new preterminals. But 39.7 % of the paper's utterances are one
    word, which has no inner boundary that noise could move, and can be cut in two: with as many of these the curves cross.

    >>> spoken = Tree.from_brackets("(S (NP (DT the) (NN man)) (VP (VBD ate)))", [(0, 1), (1, 2), (2, 3)])
    >>> curve = perturbation_curve([spoken], deltas=[0, 0.5, 1], repeats=20, seed=1)
    >>> for kind in ("noise", "insert", "delete"):
    ...     print(f"{kind:7}", *(f"{point.mean:.2f} ± {point.deviation:.2f}" for point in curve.of(kind)))
    noise   1.00 ± 0.00 0.83 ± 0.06 0.69 ± 0.13
    insert  1.00 ± 0.00 0.85 ± 0.08 0.71 ± 0.04
    delete  1.00 ± 0.00 0.74 ± 0.26 0.33 ± 0.00
    """
    made = parse(measure)
    if made.view != "trees":
        raise OptionError(f"measure: one of trees is needed; got {made!r}")
    golds, copies = _sides(gold, predicted)
    chosen = _listed("kinds", kinds, choice(*_KINDS))
    levels = [float(delta) for delta in _listed("deltas", deltas, _share)]
    repeats = whole(1)("repeats", repeats)
    root = check_seed("seed", seed)
    steps = len(chosen) * len(levels) * repeats
    points: list[CurvePoint] = []
    for kind in chosen:
        for delta in levels:
            found = np.empty((repeats, 2))
            for repeat in range(repeats):
                drawn = _perturbed(copies, kind, delta, (root, repeat))
                found[repeat] = _both_levels(golds, drawn, made)
                if progress is not None:
                    progress(len(points) * repeats + repeat + 1, steps)
            (mean, corpus), (deviation, corpus_deviation) = found.mean(axis=0).tolist(), found.std(axis=0).tolist()
            points.append(CurvePoint(kind, delta, mean, deviation, corpus, corpus_deviation))
    signature = "|".join(
        [
            "perturbation_curve",
            f"measure:{made!r}",
            f"kinds:{'+'.join(chosen)}",
            f"deltas:{','.join(f'{d:g}' for d in levels)}",
            f"sentences:{len(golds)}",
            f"repeats:{repeats}",
            f"seed:{root}",
            f"caesura:{__version__}",
        ]
    )
    return PerturbationCurve(tuple(points), made, len(golds), repeats, root, signature)


def _perturbed(trees: list[Tree], kind: str, delta: float, drawn: tuple[int, int]) -> list[Tree]:
    """All trees, each with a stream of its own; ``drawn`` is the seed and the number of the repeat."""
    seed, repeat = drawn
    place = list(_KINDS).index(kind)
    # The level as the bits of its number: as good a key as any, and no list of levels is needed to have it.
    bits = int(np.float64(delta).view(np.uint64))
    streams = (np.random.SeedSequence(seed, spawn_key=(place, bits, repeat, i)) for i in range(len(trees)))
    change = _KINDS[kind]
    return [change(one, delta, seed=np.random.default_rng(own)) for one, own in zip(trees, streams, strict=True)]


def _both_levels(golds: list[Tree], drawn: list[Tree], measure: Measure) -> tuple[float, float]:
    """The mean over sentences, and the score of the corpus."""
    scores = score_many(zip(golds, drawn, strict=True), measure)
    for place, problem in scores.errors.items():
        raise type(problem)(f"sentence {place + 1}: {problem}")
    return float(scores.values.mean()), scores.total.value


# -- what may be given --------------------------------------------------------------------------------------------


def _times(tree: object) -> Floats:
    if not isinstance(tree, Tree):
        raise OptionError(f"a Tree is needed; got {type(tree).__name__}")
    if tree.times is None:
        raise OptionError("a tree with times is needed; this one has none. Give it some: tree.with_times(...)")
    return tree.times


def _sides(gold: Iterable[Tree], predicted: Iterable[Tree] | None) -> tuple[list[Tree], list[Tree]]:
    """Both sides without silence."""
    a = list(gold)
    golds = _quiet("gold", a)
    if not golds:
        raise OptionError("gold: at least one tree is needed; got none")
    if predicted is None:
        return golds, golds
    b = list(predicted)
    if len(b) != len(a):
        raise MismatchError(f"both sides must have the same sentences; gold has {len(a)}, predicted {len(b)}")
    copies = _quiet("predicted", b)
    for place, (one, other) in enumerate(zip(a, b, strict=True), 1):
        if not np.array_equal(_times(one), _times(other)):
            raise MismatchError(
                f"sentence {place}: both trees must stand over the same word times, since silence is removed from both; "
                "perturb trees that share them"
            )
    return golds, copies


def _quiet(side: str, trees: list[Tree]) -> list[Tree]:
    quiet = []
    for place, tree in enumerate(trees, 1):
        try:
            quiet.append(without_silence(tree))
        except CaesuraError as problem:
            raise type(problem)(f"{side}, sentence {place}: {problem}") from None
    return quiet


def _listed(name: str, given: Any, check: Callable[[str, object], Any]) -> list[Any]:
    """Each once, in order."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise OptionError(f"{name} must be a list; got {given!r}")
    listed = list(dict.fromkeys(check(name, one) for one in given))
    if not listed:
        raise OptionError(f"{name}: at least one is needed; got none")
    return listed
