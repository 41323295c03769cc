"""Sentence level and corpus level, Struct-IoU and PARSEVAL: do they agree?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError, Undefined
from caesura.measures.many import score_many
from caesura.measures.parseval import Parseval
from caesura.model.result import Excluded, Result, signature_line
from caesura.model.tree import Tree
from caesura.options import flag, optional, whole
from caesura.options import seed as check_seed
from caesura.parsing.corpus import StructIoUResult, struct_iou_corpus

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LengthRow(Result):
    """Struct-IoU of all sentences up to one length.

    Attributes
    ----------
    length : int
        Largest number of words of the gold tree.
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
        Largest numbers of words (default: every length that occurs).

    Returns
    -------
    tuple of LengthRow
        One row per length. Sentences that could not be scored are excluded.

    Notes
    -----
    Short sentences have high scores and few nodes, so the mean of sentences lies above the score of the corpus, and more so the
    longer the other sentences are.

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
    order = np.argsort(scores.batch.length, kind="stable")
    words, places = scores.batch.length[order], scores.places[order]
    limits = np.unique(words).tolist() if lengths is None else [whole(1)("lengths", length) for length in lengths]
    sums = np.cumsum(scores.values[places])
    corpus_values = scores.measure.finish(np.cumsum(scores.counts[places], axis=0), scores.types)
    rows = []
    for length in limits:
        n = int(np.searchsorted(words, length, side="right"))
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
        Two-sided p-value of no correlation.
    struct_iou : numpy.ndarray
        Mean Struct-IoU of the sentences of each sample.
    f1 : numpy.ndarray
        F1 of the brackets of all sentences of each sample.
    size : int
        Number of sentences per sample.
    sentences : int
        Number of sentences that could be scored.
    excluded : tuple of Excluded
        Sentences that could not be scored, by number.
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
    gold: Iterable[Tree | None],
    predicted: Iterable[Tree | None],
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
        Trees sentence by sentence, over the same words.
    samples : int, optional
        Number of samples to draw, each of different sentences (default: each sentence is in one sample).
    size : int, default 10
        Number of sentences per sample.
    seed : int or None, default 0
        Random seed; None draws one.
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
    The Struct-IoU of a sample is the mean of its sentences, its F1 that of all their brackets together, by
    :func:`~caesura.parseval` with its defaults.

    By default the sentences are shuffled and cut into samples; sentences that do not fill the last sample are unused. The
    paper seems to do this: its p-values fit 378 and 170 dots, and 170 is a tenth of the 1,700 sentences of its second corpus.
    With ``samples`` p is too small, because it assumes independent samples.

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
    return Correlation(
        rho=float(result.statistic),
        p=float(result.pvalue),
        struct_iou=iou,
        f1=f1,
        size=size,
        sentences=len(valid),
        excluded=tuple(Excluded(str(place + 1), None, str(errors[place])) for place in sorted(errors)),
        seed=root,
        signature=signature_line(
            "correlation", labels=not unlabelled, sentences=len(valid), samples=len(chosen), size=size, seed=root
        ),
    )


def _samples(valid: Ints, samples: int | None, size: int, rng: np.random.Generator) -> Ints:
    """Return places of sentences, one row per sample."""
    if samples is None:
        samples = len(valid) // size
        if samples < 3:
            raise OptionError(
                f"at least 3 samples are needed; {len(valid)} sentences make {samples} of {size}. Use a smaller size"
            )
        return rng.permutation(valid)[: samples * size].reshape(samples, size)
    if size > len(valid):
        raise OptionError(f"size must be at most the number of sentences, {len(valid)}; got {size}")
    return np.array([rng.choice(valid, size, replace=False) for _ in range(samples)])
