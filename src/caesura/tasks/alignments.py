"""Alignments of boundaries, or of tree nodes, between all pairs of coders of a corpus."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.coder_pairs import CoderPairs, score_coder_pairs
from caesura.limits import MAX_PAGE_EDITS, check_limit
from caesura.measures.base import Measure
from caesura.measures.edit_columns import EDIT_KINDS, NONE, EditColumns
from caesura.measures.operations import OperationsTable, operations_from_counts, operations_table
from caesura.measures.structiou import StructIoUScore
from caesura.model.corpus import Corpus
from caesura.model.index import argsort, bincount, flatnonzero, searchsorted
from caesura.model.old_names import streams_of
from caesura.model.result import HIDDEN, Edit, Excluded, Result, Score
from caesura.model.tree import Tree
from caesura.model.value import Ints

# Edits whose alignment takes as long as everything else about a pair of coders.
EDITS_PER_PAIR = 40
# Pairs of nodes of two trees whose comparison takes as long as an edit.
NODE_PAIRS_PER_EDIT = 25


@dataclass(frozen=True, slots=True)
class EditShape:
    """An edit without its position."""

    # A corpus may have many edits but has few shapes: all matches of untyped boundaries have the same shape.

    kind: str
    # Distance from the first coder's boundary to the second coder's boundary, in positions; 0 if only one coder has it.
    shift: int
    a_type: str | None
    b_type: str | None
    cost: float
    stream: str | None


@dataclass(frozen=True, eq=False)
class PairAlignment:
    item: str
    coders: tuple[str, str]
    # Two numbers per edit: the index of its shape, and its distance from the preceding edit, in positions.
    edits: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TreeAlignment:
    item: str  # name of the sentence
    coders: tuple[str, str]
    score: StructIoUScore  # score of the two parses, with the alignment


@dataclass(frozen=True, eq=False)
class Alignments(Result):
    # Edits between all pairs of coders, item by item; empty for trees.
    pairs: tuple[PairAlignment, ...] = field(default=(), metadata=HIDDEN, repr=False)
    shapes: tuple[EditShape, ...] = field(default=(), metadata=HIDDEN, repr=False)
    operations: OperationsTable | None = None
    trees: tuple[TreeAlignment, ...] = field(default=(), metadata=HIDDEN, repr=False)
    signature: str | None = None  # signature of the total score; None if no two coders could be aligned
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


def possible_edits(corpus: Corpus) -> dict[str, int]:
    """Return the work to align all pairs of coders on each item, before it is done."""
    sizes: dict[str, list[int]] = {}
    for (item, _), annotation in corpus.items():
        if isinstance(annotation, Tree):
            size = len(annotation.labels)
        else:
            size = sum(int(text.inner.size) for text in streams_of(annotation).values())
        sizes.setdefault(item, []).append(size)
    work: dict[str, int] = {}
    for item, numbers in sizes.items():
        edits = (len(numbers) - 1) * sum(numbers)
        if corpus.kind == "trees":
            node_pairs = (sum(numbers) ** 2 - sum(number**2 for number in numbers)) // 2
            edits = node_pairs // NODE_PAIRS_PER_EDIT
        work[item] = edits + EDITS_PER_PAIR * math.comb(len(numbers), 2)
    return work


def items_that_fit(sizes: Mapping[str, int], limit: int) -> list[str]:
    """Return the first items whose sizes together are within a limit; an item that is too large for the rest is left out."""
    chosen = []
    for item, size in sizes.items():
        if size <= limit:
            chosen.append(item)
            limit -= size
    return chosen


def align_coders(corpus: Corpus, measure: Measure, *, listed: Collection[str], counted: Collection[str]) -> Alignments:
    """Align all pairs of coders on every item that both annotated, up to ``MAX_PAGE_EDITS`` possible edits."""
    corpus, excluded = _that_fit(corpus, listed)
    pair_scores = score_coder_pairs(corpus, measure, corpus_order=True)
    excluded += [replace(entry, reason=f"not aligned: {entry.reason}") for entry in pair_scores.excluded]
    columns = measure.edit_columns(pair_scores.scores.batch)
    if columns is not None and not columns.seconds:
        return _from_columns(pair_scores, columns, listed, counted, excluded)
    scores = _scores(pair_scores)
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


def _that_fit(corpus: Corpus, listed: Collection[str]) -> tuple[Corpus, list[Excluded]]:
    """Return the items that are aligned, and the reason why the others are not."""
    work = possible_edits(corpus)
    if sum(work.values()) <= MAX_PAGE_EDITS:
        return corpus, []
    chosen = items_that_fit(dict(sorted(work.items(), key=lambda entry: entry[0] not in listed)), MAX_PAGE_EDITS)
    if not chosen:
        hint = "choose fewer coders, or shorter items"
        check_limit("edits of the item with the fewest", min(work.values()), MAX_PAGE_EDITS, hint)
    reason = (
        f"{len(work) - len(chosen)} of {len(work)} items are not aligned, and their edits are not counted by type: all pairs "
        f"of coders together have up to {sum(work.values()):,} edits, more than {MAX_PAGE_EDITS:,}"
    )
    return corpus.select(items=chosen), [Excluded(None, None, reason)]


def _from_columns(
    pair_scores: CoderPairs,
    columns: EditColumns,
    listed: Collection[str],
    counted: Collection[str],
    excluded: Sequence[Excluded],
) -> Alignments:
    """Return the alignments from the edits of all pairs, which the kernel listed at once."""
    items, pair_index = pair_scores.item_index.tolist(), pair_scores.pair_index.tolist()
    names = [(pair_scores.coders[first], pair_scores.coders[second]) for first, second in pair_scores.pairs]
    is_listed = np.array([item in listed for item in pair_scores.items], bool)[items]
    is_counted = np.array([first in counted and second in counted for first, second in names], bool)[pair_index]
    document = columns.document
    ends = searchsorted(document, np.arange(columns.documents + 1)).tolist()
    shape_of, shapes = _number_shapes(columns, is_listed[document])
    steps = np.diff(columns.position, prepend=0)  # from the preceding edit, or the beginning of the document
    first = np.array(ends[:-1], np.int64)[np.diff(ends) > 0]
    steps[first] = columns.position[first]
    packed = np.column_stack([shape_of, steps]).reshape(-1).tolist()
    pairs = [
        PairAlignment(
            pair_scores.items[items[row]], names[pair_index[row]], tuple(packed[2 * ends[row] : 2 * ends[row + 1]])
        )
        for row in flatnonzero(is_listed).tolist()
    ]
    counts: Counter[tuple[str, str | None, str | None]] = Counter()
    numbers = bincount(shape_of[is_counted[document]], minlength=len(shapes)).tolist()
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


def _number_shapes(columns: EditColumns, is_listed: NDArray[np.bool_]) -> tuple[Ints, list[EditShape]]:
    """Return the shape of each of the first edits, as an index, and the shapes."""
    # Shapes of listed edits come first, in the order of their first use; the others are only counted.
    number = len(is_listed)
    stream = np.zeros_like(columns.kind) if columns.stream is None else columns.stream
    keys = np.column_stack([columns.kind, columns.shift, columns.a_type, columns.b_type, stream])[:number]
    rows = keys - keys.min(axis=0, initial=0)
    sizes = rows.max(axis=0, initial=0) + 1
    codes = np.ravel_multi_index(tuple(rows.T), tuple(sizes.tolist()))
    _, example, index = np.unique(codes, return_index=True, return_inverse=True)
    index = index.reshape(-1)
    first = np.full(len(example), number)
    np.minimum.at(first, index[is_listed], flatnonzero(is_listed))
    order = argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    shapes = []
    for place in example[order].tolist():
        kind, shift, a_type, b_type, stream_number = keys[place].tolist()
        first_type, second_type = (None if code == NONE else columns.types[code] for code in (a_type, b_type))
        cost = float(columns.cost[place])
        name = None if columns.stream is None else columns.streams[stream_number]
        shapes.append(EditShape(EDIT_KINDS[kind], shift, first_type, second_type, cost, name))
    return rank[index], shapes


def _scores(pair_scores: CoderPairs) -> Iterator[tuple[str, tuple[str, str], Score]]:
    places = zip(pair_scores.item_index.tolist(), pair_scores.pair_index.tolist(), strict=True)
    for row, (item, pair) in enumerate(places):
        first, second = pair_scores.pairs[pair]
        coders = pair_scores.coders[first], pair_scores.coders[second]
        yield pair_scores.items[item], coders, pair_scores.scores[row]


def _packed(edits: tuple[Edit, ...], shapes: dict[EditShape, int]) -> tuple[int, ...]:
    numbers: list[int] = []
    previous = 0
    for edit in edits:
        shift = 0 if edit.a_position is None or edit.b_position is None else edit.b_position - edit.a_position
        shape = EditShape(edit.kind, shift, edit.a_type, edit.b_type, float(edit.cost), edit.stream)
        numbers += (shapes.setdefault(shape, len(shapes)), edit.position - previous)
        previous = edit.position
    return tuple(numbers)
