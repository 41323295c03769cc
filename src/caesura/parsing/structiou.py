"""Struct-IoU of a test set: sentences, corpus, labels and alignments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.engines import Engine
from caesura.errors import CaesuraError
from caesura.measures.many import Scores, score_many
from caesura.measures.structiou import LabelIoU, NodePair, StructIoU, iou_by_label
from caesura.measures.trees import TreeBatch
from caesura.model.result import HIDDEN, Excluded, Result
from caesura.model.score import Score
from caesura.model.tree import Tree
from caesura.parsing.corpus import pair_trees

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StructIoUSentence:
    """Struct-IoU of one sentence.

    Attributes
    ----------
    number : int
        Number of the sentence, from 1.
    value : float or None
        Its Struct-IoU; None if it could not be scored.
    parts : dict of str to float
        Its additive parts; empty if it could not be scored.
    alignment : tuple of NodePair
        Its aligned pairs of nodes.
    reason : str or None
        Why it could not be scored.
    """

    number: int
    value: float | None
    parts: dict[str, float]
    alignment: tuple[NodePair, ...]
    reason: str | None


@dataclass(frozen=True, eq=False, repr=False)
class StructIoUResult(Result):
    """Result of :func:`struct_iou_corpus`. Sentences that could not be scored are in ``errors`` and in no figure.

    Attributes
    ----------
    scores : Scores
        The parts of every sentence.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("mean", "corpus", "sentences", "labels", "excluded", "signature")
    frame_field: ClassVar[str] = "sentences"

    scores: Scores = field(metadata=HIDDEN)

    @property
    def values(self) -> Floats:
        """Score of each sentence, in order; NaN if ``errors`` has it."""
        return self.scores.values

    @property
    def errors(self) -> dict[int, CaesuraError]:
        """Place of a sentence, from 0 -> why it has no score."""
        return self.scores.errors

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """The sentences that could not be scored, by number."""
        return tuple(Excluded(str(place + 1), None, str(error)) for place, error in sorted(self.errors.items()))

    @property
    def mean(self) -> float | None:
        """Sentence level: the mean of the sentences' scores; None if no sentence was scored."""
        scored = self.scores.scored
        return float(self.values[scored].mean()) if scored.size else None

    @property
    def total(self) -> Score:
        """Corpus level (Definition 15): from summed parts, so that long sentences weigh more; an error if none was scored."""
        return self.scores.total

    @property
    def corpus(self) -> float | None:
        """Value of ``total``; None if no sentence was scored."""
        return self.total.value if self.scores.scored.size else None

    @property
    def signature(self) -> str | None:
        """Signature of ``total``; None if no sentence was scored."""
        return self.total.signature if self.scores.scored.size else None

    @property
    def sentences(self) -> tuple[StructIoUSentence, ...]:
        """One entry per sentence."""
        sentences = []
        for place, counts in enumerate(self.scores.counts.tolist()):
            if place in self.errors:
                sentences.append(StructIoUSentence(place + 1, None, {}, (), str(self.errors[place])))
            else:
                value, parts = float(self.values[place]), dict(zip(self.scores.part_names, counts, strict=True))
                sentences.append(StructIoUSentence(place + 1, value, parts, self.alignments[place], None))
        return tuple(sentences)

    @cached_property
    def alignments(self) -> dict[int, tuple[NodePair, ...]]:
        """Place of a sentence, from 0 -> its aligned pairs of nodes."""
        batch, measure = self.scores.batch, self.scores.measure
        assert isinstance(batch, TreeBatch)
        assert isinstance(measure, StructIoU)
        return dict(zip(self.scores.places.tolist(), measure.alignments(batch), strict=True))

    @cached_property
    def labels(self) -> tuple[LabelIoU, ...]:
        """IoU of the nodes of each label, over all sentences."""
        batch = self.scores.batch
        assert isinstance(batch, TreeBatch)
        return iou_by_label(batch.pairs, list(self.alignments.values()))

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, place: int) -> Score:
        """Return the full score of one sentence with its alignment, or raise the error that it has instead."""
        return self.scores[place]

    def __repr__(self) -> str:
        scored = len(self.scores.scored)
        if not scored:
            return f"StructIoUResult(none of {len(self)} sentences could be scored)"
        return f"StructIoUResult({scored} of {len(self)} sentences, mean {self.mean:.6g}, corpus {self.corpus:.6g})"


def struct_iou_corpus(
    gold: Iterable[Tree | None],
    predicted: Iterable[Tree | None],
    *,
    unlabelled: bool | None = None,
    flexible_terminals: bool | None = None,
    threshold: float | None = None,
    compat: str | None = None,
    engine: str | Engine = "threads",
    workers: int | None = None,
    scheduler: Any = None,
) -> StructIoUResult:
    """Compute Struct-IoU of a test set: mean of sentences, score of the corpus, alignments and labels.

    Parameters
    ----------
    gold, predicted : iterable of Tree or None
        Trees sentence by sentence; None for a sentence without a tree.
    unlabelled, flexible_terminals, threshold, compat
        Options of :func:`struct_iou`.
    engine, workers, scheduler
        Where to compute; see :func:`~caesura.score_many`.

    Returns
    -------
    StructIoUResult
        Sentences without a tree on one side, or that cannot be scored, are in ``.errors``; the rest are scored.

    Raises
    ------
    MismatchError
        If the two sides have different numbers of sentences.

    Examples
    --------
    >>> gold = [Tree.from_brackets(text) for text in ("(S (NP (PRP he)) (VP (VBD slept)))", "(X (UH yes))")]
    >>> predicted = [Tree.from_brackets("(S (PRP he) (VP (VBD slept)))"), gold[1]]
    >>> struct_iou_corpus(gold, predicted)
    StructIoUResult(2 of 2 sentences, mean 0.944444, corpus 0.923077)
    """
    measure = StructIoU(
        compat=compat, unlabelled=unlabelled, flexible_terminals=flexible_terminals, threshold=threshold
    )
    pairs: list[Any] = pair_trees(gold, predicted, "predicted")
    return StructIoUResult(score_many(pairs, measure, engine=engine, workers=workers, scheduler=scheduler))
