"""Sentences and corpora, Struct-IoU and PARSEVAL: does one say what the other says?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.measures.many import score_many
from caesura.measures.parseval import Parseval
from caesura.model.tree import Tree
from caesura.options import flag, optional, whole
from caesura.options import seed as check_seed
from caesura.parsing.structiou import StructIoUResult, struct_iou_corpus
from caesura.version import __version__

__all__ = ["Correlation", "LengthRow", "by_length", "correlation"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LengthRow:
    """Struct-IoU of all sentences up to one length."""

    length: int
    """Words of the gold tree, at most."""
    sentences: int
    mean: float | None
    """At the level of sentences; None if there are none."""
    corpus: float | None
    """At the level of the corpus."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def by_length(corpus: StructIoUResult, lengths: Iterable[int] | None = None) -> tuple[LengthRow, ...]:
    """Sentence level against corpus level, over sentences of at most so many words (section 5.1.4, Figure 6).

    A row for each of ``lengths``; by default for every length that a sentence has. Short sentences have high scores and few
    nodes, so the mean of sentences lies above the score of the corpus, and the more so the longer the others are. Sentences
    that could not be scored are left out.

    >>> gold = [Tree.from_brackets(text) for text in ("(X (UH yes))", "(S (NP (PRP he)) (VP (VBD slept)))")]
    >>> predicted = [gold[0], Tree.from_brackets("(S (PRP he) (VP (VBD slept)))")]
    >>> for row in by_length(struct_iou_corpus(gold, predicted)):
    ...     print(row.length, row.sentences, round(row.mean, 4), round(row.corpus, 4))
    1 1 1.0 1.0
    2 2 0.9444 0.9231
    """
    if not isinstance(corpus, StructIoUResult):
        raise OptionError(f"corpus: what struct_iou_corpus returns is needed; got {type(corpus).__name__}")
    scores = corpus.scores
    order = np.argsort(scores.batch.length, kind="stable")
    words, places = scores.batch.length[order], scores.places[order]
    asked = np.unique(words).tolist() if lengths is None else [whole(1)("lengths", one) for one in lengths]
    value = np.cumsum(scores.values[places])
    finished = scores.measure.finish(np.cumsum(scores.counts[places], axis=0), scores.types)
    rows = []
    for length in asked:
        n = int(np.searchsorted(words, length, side="right"))
        mean, total = (float(value[n - 1]) / n, float(finished[n - 1])) if n else (None, None)
        rows.append(LengthRow(length, n, mean, total))
    return tuple(rows)


@dataclass(frozen=True, eq=False)
class Correlation:
    """Spearman's correlation of Struct-IoU with PARSEVAL F1 over samples of sentences."""

    rho: float
    p: float
    """Two-sided, of no correlation."""
    struct_iou: Floats = field(repr=False)
    """The mean Struct-IoU of the sentences of each sample."""
    f1: Floats = field(repr=False)
    """F1 of the brackets of all sentences of each sample."""
    size: int
    """Sentences a sample."""
    sentences: int
    """Those that could be scored, and sampled from."""
    errors: dict[int, CaesuraError] = field(repr=False)
    """Place of a sentence, from 0 -> why it was left out."""
    seed: int
    signature: str = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {name: getattr(self, name) for name in ("rho", "p", "size", "sentences", "seed", "signature")}
        arrays = {name: getattr(self, name).tolist() for name in ("struct_iou", "f1")}
        return plain | arrays | {"errors": {place: str(problem) for place, problem in self.errors.items()}}


def correlation(
    gold: Iterable[Tree | None],
    predicted: Iterable[Tree | None],
    *,
    samples: int | None = None,
    size: int = 10,
    seed: int | None = None,
    unlabelled: bool = False,
) -> Correlation:
    """Does Struct-IoU order samples of sentences as PARSEVAL does? Spearman's rho (Figures 3 and 7).

    Each sample is ``size`` sentences; its Struct-IoU is the mean of theirs, its F1 that of all their brackets together. By
    default the sentences are shuffled and cut into samples, so that each is in one of them, and what does not fill the last is
    left out: as it seems the paper did it, since its p-values go with 378 and 170 dots, and 170 is a tenth of the 1,700
    sentences of its second corpus. With ``samples`` so many are drawn, each of different sentences, and p, which
    takes samples to be independent, is then too small.

    The trees of a sentence must be over the same words. F1 is that of :func:`~caesura.parseval`, with its defaults.

    >>> gold = [Tree.from_brackets(f"(S (NP {'(N a) ' * n}) (VP (V b)))") for n in range(1, 5)]
    >>> predicted = [Tree.from_brackets(f"(S (NP (N a)) {'(N a) ' * (n - 1)} (VP (V b)))") for n in range(1, 5)]
    >>> found = correlation(gold, predicted, size=1, seed=1)
    >>> round(found.rho, 3), found.struct_iou.round(3).tolist(), found.f1.round(3).tolist()
    (0.775, [1.0, 0.833, 0.857, 0.875], [1.0, 0.667, 0.667, 0.667])
    """
    size = whole(1)("size", size)
    asked = optional(whole(3))("samples", samples)
    flag("unlabelled", unlabelled)
    root = check_seed("seed", seed)
    a, b = list(gold), list(predicted)
    scored = struct_iou_corpus(a, b, unlabelled=unlabelled)
    errors = dict(scored.errors)
    pairs: list[Any] = list(zip(a, b, strict=True))
    bracketed = score_many(pairs, Parseval.cached(None, labelled=not unlabelled))
    errors |= bracketed.errors
    sound = np.array([place for place in range(len(scored)) if place not in errors], np.int64)
    chosen = _samples(sound, asked, size, np.random.default_rng(root))
    iou = scored.values[chosen].mean(axis=1)
    f1 = bracketed.measure.finish(bracketed.counts[chosen].sum(axis=1), bracketed.types)
    for name, values in (("Struct-IoU", iou), ("F1", f1)):
        if (values == values[0]).all():
            raise Undefined(f"{name} is the same in all {len(values)} samples, and has no correlation with anything")
    from scipy.stats import spearmanr  # slow to import

    result = spearmanr(iou, f1)
    signature = "|".join(
        [
            "correlation",
            f"labels:{not unlabelled}",
            f"sentences:{len(sound)}",
            f"samples:{len(chosen)}",
            f"size:{size}",
            f"seed:{root}",
            f"caesura:{__version__}",
        ]
    )
    return Correlation(
        float(result.statistic), float(result.pvalue), iou, f1, size, len(sound), errors, root, signature
    )


def _samples(sound: Ints, samples: int | None, size: int, rng: np.random.Generator) -> Ints:
    """A row a sample, of places."""
    if samples is None:
        samples = len(sound) // size
        if samples < 3:
            raise OptionError(
                f"at least 3 samples are needed; {len(sound)} sentences make {samples} of {size}. Take a smaller size"
            )
        return rng.permutation(sound)[: samples * size].reshape(samples, size)
    if size > len(sound):
        raise OptionError(f"size must be at most the number of sentences, {len(sound)}; got {size}")
    return np.array([rng.choice(sound, size, replace=False) for _ in range(samples)])
