"""Alignments of boundaries, or of tree nodes, between all pairs of coders of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.coder_pairs import CoderPairs, score_coder_pairs
from caesura.measures.base import Measure
from caesura.measures.edit_columns import EDIT_KINDS, NONE, EditColumns
from caesura.measures.operations import OperationsTable, operations_from_counts, operations_table
from caesura.measures.structiou import StructIoUScore
from caesura.model.corpus import Corpus
from caesura.model.result import HIDDEN, Edit, Excluded, Result, Score
from caesura.model.value import Ints

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
    columns = measure.edit_columns(pair_scores.scores.batch)
    if columns is not None:
        return _from_columns(pair_scores, columns, listed, counted)
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


def _from_columns(
    pair_scores: CoderPairs, columns: EditColumns, listed: Collection[str], counted: Collection[str]
) -> Alignments:
    """Return the alignments from the edits of all pairs, which the kernel listed at once."""
    excluded = [replace(entry, reason=f"not aligned: {entry.reason}") for entry in pair_scores.excluded]
    rows = _rows_that_fit(pair_scores, columns, excluded)
    items, pair_index = pair_scores.item_index[:rows].tolist(), pair_scores.pair_index[:rows].tolist()
    names = [(pair_scores.coders[first], pair_scores.coders[second]) for first, second in pair_scores.pairs]
    is_listed = np.array([item in listed for item in pair_scores.items], bool)[items]
    is_counted = np.array([first in counted and second in counted for first, second in names], bool)[pair_index]
    ends = np.searchsorted(columns.document, np.arange(rows + 1)).tolist()
    document = columns.document[: ends[-1]]
    shape_of, shapes = _number_shapes(columns, is_listed[document])
    packed = np.column_stack([shape_of, _steps(columns, ends)]).reshape(-1).tolist()
    pairs = [
        PairAlignment(
            pair_scores.items[items[row]], names[pair_index[row]], tuple(packed[2 * ends[row] : 2 * ends[row + 1]])
        )
        for row in np.flatnonzero(is_listed).tolist()
    ]
    counts: Counter[tuple[str, str | None, str | None]] = Counter()
    numbers = np.bincount(shape_of[is_counted[document]], minlength=len(shapes)).tolist()
    for shape, number in zip(shapes, numbers, strict=True):
        counts[shape.kind, shape.a_type, shape.b_type] += number
    used = len(np.unique(shape_of[is_listed[document]]))
    return Alignments(
        tuple(pairs),
        tuple(shapes[:used]),
        operations_from_counts(columns.types, counts),
        signature=pair_scores.scores.total.signature,
        excluded=tuple(excluded),
    )


def _steps(columns: EditColumns, ends: Sequence[int]) -> Ints:
    """Return the distance of each edit from the preceding one, or from the beginning of its document."""
    position = columns.position[: ends[-1]]
    steps = np.diff(position, prepend=0)
    first = np.array(ends[:-1], np.int64)[np.diff(ends) > 0]
    steps[first] = position[first]
    return steps


def _rows_that_fit(pair_scores: CoderPairs, columns: EditColumns, excluded: list[Excluded]) -> int:
    """Return how many pairs are listed before there are ``MAX_EDITS`` edits; all pairs of an item are, or none."""
    before = np.searchsorted(columns.document, np.arange(columns.documents))
    first = np.flatnonzero(np.diff(pair_scores.item_index, prepend=-1))  # the first pair of each item
    full = first[before[first] > MAX_EDITS]
    if not full.size:
        return columns.documents
    row = int(full[0])
    _exclude_from(pair_scores.items[pair_scores.item_index[row]], excluded)
    return row


def _exclude_from(item: str, excluded: list[Excluded]) -> None:
    reason = f"item {item!r} and all later items (by name) are not aligned: the page is full"
    excluded.append(Excluded(None, None, reason))


def _number_shapes(columns: EditColumns, is_listed: NDArray[np.bool_]) -> tuple[Ints, list[EditShape]]:
    """Return the shape of each of the first edits, as an index, and the shapes.

    Shapes of listed edits come first, in the order of their first use; the others are only counted.
    """
    number = len(is_listed)
    keys = np.column_stack([columns.kind, columns.shift, columns.a_type, columns.b_type])[:number]
    rows = keys - keys.min(axis=0, initial=0)
    sizes = rows.max(axis=0, initial=0) + 1
    codes = np.ravel_multi_index(tuple(rows.T), tuple(sizes.tolist()))
    _, example, index = np.unique(codes, return_index=True, return_inverse=True)
    index = index.reshape(-1)
    first = np.full(len(example), number)
    np.minimum.at(first, index[is_listed], np.flatnonzero(is_listed))
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    shapes = []
    for place in example[order].tolist():
        kind, shift, a_type, b_type = keys[place].tolist()
        first_type, second_type = (None if code == NONE else columns.types[code] for code in (a_type, b_type))
        cost = float(columns.cost[place])
        shapes.append(EditShape(EDIT_KINDS[kind], shift, first_type, second_type, cost, stream=None))
    return rank[index], shapes


def _scores(pair_scores: CoderPairs, excluded: list[Excluded]) -> Iterator[tuple[str, tuple[str, str], Score]]:
    """Yield item, coders and score, until there are enough edits; then add the rest to ``excluded``."""
    number = 0
    previous: int | None = None
    for row, (i, pair) in enumerate(zip(pair_scores.item_index.tolist(), pair_scores.pair_index.tolist(), strict=True)):
        item = pair_scores.items[i]
        if i != previous and number > MAX_EDITS:
            _exclude_from(item, excluded)
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
