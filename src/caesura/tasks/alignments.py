"""Alignments of boundaries, or of tree nodes, between all pairs of coders of a corpus."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from caesura.agreement.pairwise import CoderPairs, score_coder_pairs
from caesura.measures.base import Measure
from caesura.measures.operations import OperationsTable, operations_table
from caesura.measures.structiou import StructIoUScore
from caesura.model.corpus import Corpus
from caesura.model.result import HIDDEN, Edit, Excluded, Result, Score

MAX_EDITS = 1_500_000
"""Maximum number of edits in the alignments of a corpus; they take about 8 MB as JSON."""


@dataclass(frozen=True, slots=True)
class EditShape:
    """An edit without its position.

    A corpus may have many edits but has few shapes: all matches of untyped boundaries have the same shape.

    Parameters
    ----------
    kind : str
        Kind of the edit, as in :class:`~caesura.Edit`.
    shift : int
        Distance from the first coder's boundary to the second coder's boundary, in positions; 0 if only one coder has it.
    a_type, b_type : str or None
        Boundary types on both sides.
    cost : float
        Cost of the edit.
    stream : str or None
        Stream of a dialogue.
    """

    kind: str
    shift: int
    a_type: str | None
    b_type: str | None
    cost: float
    stream: str | None


@dataclass(frozen=True, eq=False)
class PairAlignment:
    """The edits between two coders on one item.

    Parameters
    ----------
    item : str
        Name of the item.
    coders : tuple of (str, str)
        The two coders.
    edits : tuple of int
        Two numbers per edit: the index of its shape, and its distance from the preceding edit, in positions.
    """

    item: str
    coders: tuple[str, str]
    edits: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TreeAlignment:
    """The aligned nodes of two parses of a sentence.

    Parameters
    ----------
    item : str
        Name of the sentence.
    coders : tuple of (str, str)
        The two coders.
    score : StructIoUScore
        Score of the two parses, with the alignment.
    """

    item: str
    coders: tuple[str, str]
    score: StructIoUScore


@dataclass(frozen=True, eq=False)
class Alignments(Result):
    """All alignments of a corpus.

    Parameters
    ----------
    pairs : tuple of PairAlignment
        Edits between all pairs of coders, item by item; empty for trees.
    shapes : tuple of EditShape
        The shapes of the edits.
    operations : OperationsTable or None
        Number of edits by boundary type.
    trees : tuple of TreeAlignment
        Aligned parses; empty for boundaries.
    signature : str or None
        Signature of the total score; None if no two coders could be aligned.
    excluded : tuple of Excluded
        Items that were not aligned.
    """

    pairs: tuple[PairAlignment, ...] = field(default=(), metadata=HIDDEN, repr=False)
    shapes: tuple[EditShape, ...] = field(default=(), metadata=HIDDEN, repr=False)
    operations: OperationsTable | None = None
    trees: tuple[TreeAlignment, ...] = field(default=(), metadata=HIDDEN, repr=False)
    signature: str | None = None
    excluded: tuple[Excluded, ...] = ()

    @property
    def disagreements(self) -> dict[str, int]:
        """Item -> number of edits over all pairs of coders that are no matches."""
        differs = [shape.kind != "match" for shape in self.shapes]
        counts: dict[str, int] = {}
        for pair in self.pairs:
            counts[pair.item] = counts.get(pair.item, 0) + sum(differs[shape] for shape in pair.edits[::2])
        for tree in self.trees:
            nodes = len(tree.score.alignment)
            exact = sum(pair.iou == 1 for pair in tree.score.alignment)
            counts[tree.item] = counts.get(tree.item, 0) + nodes - exact
        return counts


def align_coders(corpus: Corpus, measure: Measure, *, listed: Collection[str], counted: Collection[str]) -> Alignments:
    """Align all pairs of coders on every item that both annotated, until there are ``MAX_EDITS`` edits.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, dialogues or trees.
    measure : Measure
        A measure that aligns boundaries, or Struct-IoU for trees.
    listed : collection of str
        Items whose edits are listed. Edits of all items are counted.
    counted : collection of str
        Coders whose edits are counted by type.

    Returns
    -------
    Alignments
        The alignments.
    """
    pair_scores = score_coder_pairs(corpus, measure, corpus_order=True)
    excluded = [replace(entry, reason=f"not aligned: {entry.reason}") for entry in pair_scores.excluded]
    scores = _scores(pair_scores, excluded)
    signature = pair_scores.scores.total.signature
    if corpus.kind == "trees":
        trees = [TreeAlignment(item, coders, score) for item, coders, score in scores]  # type: ignore[arg-type]
        return Alignments(trees=tuple(trees), signature=signature, excluded=tuple(excluded))
    pairs: list[PairAlignment] = []
    shapes: dict[EditShape, int] = {}

    def counted_scores() -> Iterator[Score]:
        """Yield the scores and pack their edits, so that memory never contains all edits of a large corpus."""
        for item, coders, score in scores:
            if item in listed:
                pairs.append(PairAlignment(item, coders, _packed(score.edits or (), shapes)))
            if all(coder in counted for coder in coders):
                yield score

    operations = operations_table(counted_scores())
    return Alignments(tuple(pairs), tuple(shapes), operations, signature=signature, excluded=tuple(excluded))


def _scores(pair_scores: CoderPairs, excluded: list[Excluded]) -> Iterator[tuple[str, tuple[str, str], Score]]:
    """Yield item, coders and score, until there are enough edits; then add the rest to ``excluded``."""
    number = 0
    previous: int | None = None
    for row, (i, pair) in enumerate(zip(pair_scores.item_index.tolist(), pair_scores.pair_index.tolist(), strict=True)):
        item = pair_scores.items[i]
        if i != previous and number > MAX_EDITS:
            reason = f"item {item!r} and all later items (by name) are not aligned: the page is full"
            excluded.append(Excluded(None, None, reason))
            return
        previous = i
        score = pair_scores.scores[row]
        number += len(score.alignment if isinstance(score, StructIoUScore) else score.edits or ())
        first, second = pair_scores.pairs[pair]
        yield item, (pair_scores.coders[first], pair_scores.coders[second]), score


def _packed(edits: tuple[Edit, ...], shapes: dict[EditShape, int]) -> tuple[int, ...]:
    numbers: list[int] = []
    previous = 0
    for edit in edits:
        shift = 0 if edit.a_position is None or edit.b_position is None else edit.b_position - edit.a_position
        shape = EditShape(edit.kind, shift, edit.a_type, edit.b_type, float(edit.cost), edit.stream)
        numbers += (shapes.setdefault(shape, len(shapes)), edit.position - previous)
        previous = edit.position
    return tuple(numbers)
