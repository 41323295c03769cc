"""Measures between trees over many sentences: a corpus against a corpus."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.engines import Engine
from caesura.errors import CaesuraError
from caesura.measures.many import Scores, score_many
from caesura.measures.structiou import LabelIoU, NodePair, StructIoU, iou_by_label
from caesura.measures.trees import TreeBatch
from caesura.model.score import Score
from caesura.model.tree import Tree
from caesura.parsing.corpus import pair_trees

__all__ = ["StructIoUCorpus", "struct_iou_corpus"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StructIoUCorpus:
    """Struct-IoU of many sentences. Sentences that could not be scored are in ``errors`` and in no figure."""

    scores: Scores = field(repr=False)

    @property
    def values(self) -> Floats:
        """The score of each sentence, in order; NaN where ``errors`` says why."""
        return self.scores.values

    @property
    def errors(self) -> dict[int, CaesuraError]:
        """Place of a sentence, from 0 -> why it has no score."""
        return self.scores.errors

    @property
    def mean(self) -> float:
        """At the level of sentences: the mean of their scores."""
        scored = self.scores.scored
        return float(self.values[scored].mean()) if scored.size else float("nan")

    @property
    def total(self) -> Score:
        """At the level of the corpus (Definition 15): from summed parts, so that long sentences weigh more."""
        return self.scores.total

    @cached_property
    def alignments(self) -> dict[int, tuple[NodePair, ...]]:
        """Place of a sentence -> its aligned pairs."""
        batch, measure = self.scores.batch, self.scores.measure
        assert isinstance(batch, TreeBatch)
        assert isinstance(measure, StructIoU)
        return dict(zip(self.scores.places.tolist(), measure.alignments(batch), strict=True))

    @cached_property
    def labels(self) -> tuple[LabelIoU, ...]:
        """What became of the nodes of each label, over all sentences."""
        batch = self.scores.batch
        assert isinstance(batch, TreeBatch)
        return iou_by_label(batch.pairs, list(self.alignments.values()))

    def to_dict(self, *, align: bool = False) -> dict[str, Any]:
        """Plain values, for JSON; ``align``: with the aligned pairs of every sentence."""
        scores = self.scores
        sentences: list[dict[str, Any]] = []
        for place, parts in enumerate(scores.counts.tolist()):
            if place in self.errors:
                sentences.append({"number": place + 1, "value": None, "why": str(self.errors[place])})
                continue
            row: dict[str, Any] = {"number": place + 1, "value": float(self.values[place])}
            row |= dict(zip(scores.part_names, parts, strict=True))
            if align:
                row["alignment"] = [pair._asdict() for pair in self.alignments[place]]
            sentences.append(row)
        some = bool(scores.scored.size)
        return {
            "mean": self.mean if some else None,
            "total": self.total.to_dict() if some else None,
            "sentences": sentences,
            "labels": [
                {**one._asdict(), "precision": one.precision, "recall": one.recall, "f": one.f} for one in self.labels
            ],
        }

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, place: int) -> Score:
        """The full score of one sentence, with its alignment; raises what was wrong with it."""
        return self.scores[place]

    def __repr__(self) -> str:
        scored = len(self.scores.scored)
        if not scored:
            return f"StructIoUCorpus(none of {len(self)} sentences could be scored)"
        return (
            f"StructIoUCorpus({scored} of {len(self)} sentences, mean {self.mean:.6g}, corpus {self.total.value:.6g})"
        )


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
) -> StructIoUCorpus:
    """Struct-IoU of many sentences: the mean of their scores, the score of the corpus, alignments and labels.

    The two lists go together sentence by sentence. One that has no tree on a side (None), or cannot be scored, is in
    ``.errors``, and all others are scored. Options are those of :func:`struct_iou`;
    ``engine``, ``workers`` and ``scheduler`` as for :func:`~caesura.score_many`.

    >>> trees = [Tree.from_brackets(text) for text in ("(S (NP (PRP he)) (VP (VBD slept)))", "(X (UH yes))")]
    >>> other = [Tree.from_brackets("(S (PRP he) (VP (VBD slept)))"), trees[1]]
    >>> struct_iou_corpus(trees, other)
    StructIoUCorpus(2 of 2 sentences, mean 0.944444, corpus 0.923077)
    """
    made = StructIoU.cached(compat, unlabelled=unlabelled, flexible_terminals=flexible_terminals, threshold=threshold)
    pairs: list[Any] = pair_trees(gold, predicted, "predicted")
    return StructIoUCorpus(score_many(pairs, made, engine=engine, workers=workers, scheduler=scheduler))
