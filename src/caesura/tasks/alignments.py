"""Alignments of boundaries, or of tree nodes, between all pairs of coders of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from caesura.agreement.coder_pairs import CoderPairs, score_coder_pairs
from caesura.errors import CaesuraError, OptionError
from caesura.measures.base import Measure
from caesura.measures.edit_columns import EDIT_KINDS, NONE, EditColumns
from caesura.measures.operations import OperationsTable, operations_from_counts
from caesura.measures.structiou import StructIoUScore
from caesura.memory import check_memory
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.index import argsort, searchsorted
from caesura.model.result import HIDDEN, Edit, Excluded, Result, Score
from caesura.model.value import Ints
from caesura.progress import report_progress

# Types of a table that says for each which others replace it.
_MAX_TYPES = 1_000
# Possible edits of the items that are aligned together, and bytes that one takes.
_BLOCK_EDITS, _EDIT_BYTES = 2**21, 200


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


def align_coders(corpus: Corpus, measure: Measure) -> Alignments:
    """Align all pairs of coders on every item that both annotated."""
    _check_edits("the alignments of all pairs of coders", sum(_possible_edits(corpus).values()))
    pair_scores = score_coder_pairs(corpus, measure, corpus_order=True)
    excluded = tuple(replace(entry, reason=f"not aligned: {entry.reason}") for entry in pair_scores.excluded)
    signature = pair_scores.scores.total.signature
    if corpus.kind == "trees":
        trees = [TreeAlignment(*entry) for entry in _scores(pair_scores)]  # type: ignore[arg-type]
        return Alignments(trees=tuple(trees), signature=signature, excluded=excluded)
    columns = measure.edit_columns(pair_scores.scores.batch)
    if columns is None or columns.seconds:
        numbers: dict[EditShape, int] = {}
        pairs = [
            PairAlignment(item, coders, _packed(score.edits or (), numbers))
            for item, coders, score in _scores(pair_scores)
        ]
        shapes = [*numbers]
    else:  # the kernel listed the edits of all pairs at once
        pairs, shapes = _from_columns(pair_scores, columns)
    return Alignments(tuple(pairs), tuple(shapes), signature=signature, excluded=excluded)


def count_operations(corpus: Corpus, measure: Measure) -> OperationsTable:
    """Count the edits of all pairs of coders by boundary type, in blocks of items."""
    types: dict[str, None] = {}
    counts: Counter[tuple[str, str | None, str | None]] = Counter()
    number_of_types = len(set().union(*map(_types, corpus.values())))
    if number_of_types > _MAX_TYPES:
        raise OptionError(f"a table of edits by type has space for {_MAX_TYPES:,} types; got {number_of_types:,}")
    blocks = _blocks(corpus)
    if not blocks:
        raise OptionError("no two coders placed boundaries in the same item")
    errors: list[CaesuraError] = []
    for step, items in enumerate(blocks, 1):
        try:
            pair_scores = score_coder_pairs(corpus.select(items=items), measure, corpus_order=True)
        except CaesuraError as error:  # no item of the block can be used
            errors.append(error)
            continue
        columns = measure.edit_columns(pair_scores.scores.batch)
        types |= dict.fromkeys(pair_scores.scores.types)
        if columns is None:
            for _, _, score in _scores(pair_scores):
                counts.update((edit.kind, edit.a_type, edit.b_type) for edit in score.edits or ())
        else:
            names = (None, *columns.types)  # ``NONE`` is -1
            codes = (columns.kind * len(names) + columns.a_type + 1) * len(names) + columns.b_type + 1
            for code, number in zip(*(column.tolist() for column in np.unique(codes, return_counts=True)), strict=True):
                kind, pair = divmod(code, len(names) ** 2)
                counts[EDIT_KINDS[kind], names[pair // len(names)], names[pair % len(names)]] += number
        report_progress(step, len(blocks))
    if len(errors) == len(blocks):
        raise errors[0]
    return operations_from_counts(types, counts)


def _blocks(corpus: Corpus) -> list[list[str]]:
    """Return the items that two coders annotated, in blocks whose edits are listed together."""
    blocks: list[list[str]] = [[]]
    size = 0
    for item, edits in _possible_edits(corpus).items():
        _check_edits(f"item {item!r}: the edits of all pairs of coders", edits)
        if len(corpus.of_item(item)) < 2:
            continue
        if blocks[-1] and size + edits > _BLOCK_EDITS:
            blocks.append([])
            size = 0
        blocks[-1].append(item)
        size += edits
    return list(filter(None, blocks))


def _possible_edits(corpus: Corpus) -> dict[str, int]:
    """Return the largest number of edits of all pairs of coders on each item; trees have none."""
    if corpus.kind == "trees":
        return {}
    marks: dict[str, list[int]] = {}
    for (item, _), annotation in corpus.items():
        marks.setdefault(item, []).append(sum(int(text.inner.size) for text in texts_of(annotation).values()))
    return {item: (len(numbers) - 1) * sum(numbers) for item, numbers in marks.items()}


def _types(annotation: Annotation) -> set[str]:
    return {name for text in texts_of(annotation).values() for name in text.types}


def _check_edits(what: str, edits: int) -> None:
    check_memory(what, edits * _EDIT_BYTES, "choose fewer coders, or shorter items")


def _from_columns(pair_scores: CoderPairs, columns: EditColumns) -> tuple[list[PairAlignment], list[EditShape]]:
    names = [(pair_scores.coders[first], pair_scores.coders[second]) for first, second in pair_scores.pairs]
    ends = searchsorted(columns.document, np.arange(columns.documents + 1)).tolist()
    shape_of, shapes = _number_shapes(columns)
    steps = np.diff(columns.position, prepend=0)  # from the preceding edit, or the beginning of the document
    first = np.array(ends[:-1], np.int64)[np.diff(ends) > 0]
    steps[first] = columns.position[first]
    packed = np.column_stack([shape_of, steps]).reshape(-1).tolist()
    rows = zip(pair_scores.item_index.tolist(), pair_scores.pair_index.tolist(), pairwise(ends), strict=True)
    pairs = [
        PairAlignment(pair_scores.items[item], names[pair], tuple(packed[2 * start : 2 * end]))
        for item, pair, (start, end) in rows
    ]
    return pairs, shapes


def _number_shapes(columns: EditColumns) -> tuple[Ints, list[EditShape]]:
    """Return the shape of each edit, as an index, and the shapes in the order of their first use."""
    stream = np.zeros_like(columns.kind) if columns.stream is None else columns.stream
    keys = np.column_stack([columns.kind, columns.shift, columns.a_type, columns.b_type, stream])
    rows = keys - keys.min(axis=0, initial=0)
    sizes = rows.max(axis=0, initial=0) + 1
    codes = np.ravel_multi_index(tuple(rows.T), tuple(sizes.tolist()))
    _, example, index = np.unique(codes, return_index=True, return_inverse=True)
    order = argsort(example, kind="stable")
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
