"""Links: what two coders do not share, as columns of numbers, and the places where links meet, the costliest place first.

An aligner yields links: two marks that differ, or a mark without a partner, with a cost. Everything else is common to
boundaries in units, boundaries in seconds, spans of hierarchies, and spans that gamma aligns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.measures.edit_columns import DELETION, NONE
from caesura.measures.many import Scores
from caesura.memory import check_memory
from caesura.model.index import argsort, bincount, flatnonzero, lexsort, reduceat
from caesura.model.segmentation import UNTYPED
from caesura.model.value import Floats, Ints
from caesura.progress import report_progress

# What two coders disagree about. Kinds 1 to 3 are also the numbers of edits.
MISSING, MOVED, RELABELLED = 0, 1, 2
_CHUNK = 500_000  # boundaries that are aligned at a time, to save memory
_MAX_CODE = 2**62
_BYTES_PER_LINK = 160  # with what it takes to rank them
TOO_MANY = "choose fewer coders or items, or compare with one coder or the majority (against)"
# Whole numbers of any size, small ones to save memory.
Numbers = NDArray[np.integer[Any]]
_COLUMNS = ("comparison", "stream", "kind", "a_start", "b_start", "a_label", "b_label", "cost", "place")


@dataclass(frozen=True, eq=False, slots=True)
class Links:
    """Disagreements of two coders: one entry each, in the order of comparisons and then from left to right."""

    comparison: Numbers  # an item and two coders
    stream: Numbers  # index in ``streams``
    kind: Numbers  # ``MISSING``, or ``MOVED`` + ``RELABELLED``
    # Positions or times at which the marks of both coders start; the entry of a coder who has no mark means nothing.
    a_start: Any
    b_start: Any
    # Labels as indices into ``labels``; ``NONE`` if the coder has no mark.
    a_label: Numbers
    b_label: Numbers
    cost: Floats  # all above 0
    place: Numbers  # links with the same number are at the same place
    streams: tuple[str | None, ...] = (None,)
    labels: tuple[str | None, ...] = (None,)

    def __len__(self) -> int:
        return len(self.comparison)

    def take(self, rows: Ints) -> Links:
        return replace(self, **{name: getattr(self, name)[rows] for name in _COLUMNS})

    def starts(self) -> tuple[Any, Any]:
        """Return where the mark of the first coder who has one starts, and that of the last."""
        first = np.where(self.a_label == NONE, self.b_start, self.a_start)
        return first, np.where(self.b_label == NONE, self.a_start, self.b_start)

    def marks(self) -> set[tuple[Any, str | None]]:
        """Return start and label of all marks."""
        sides = zip(
            (*self.a_start.tolist(), *self.b_start.tolist()),
            (*self.a_label.tolist(), *self.b_label.tolist()),
            strict=True,
        )
        return {(at, self.labels[code]) for at, code in sides if code != NONE}


def links_of_scores(scores: Scores, item: Ints) -> Links:
    """Return the edits of all scores that cost something; links with a boundary in common are at the same place."""
    chunks = []
    streams: dict[str | None, int] = {}
    # Consecutive documents that have some hundred thousand boundaries together.
    work, kept = scores.batch.work, 0
    blocks = np.split(np.arange(len(scores.batch)), flatnonzero(np.diff(work[1:] // _CHUNK)) + 1)
    for documents in blocks:
        edits = scores.measure.edit_columns(scores.batch.take(documents))
        assert edits is not None
        costly = edits.cost > 0
        stream = np.zeros(len(edits), np.int64) if edits.stream is None else edits.stream
        kind = np.where(edits.kind >= DELETION, MISSING, edits.kind)
        columns = (edits.document, stream, kind, edits.a_position, edits.b_position, edits.a_type, edits.b_type)
        entries = [_small(column[costly]) for column in columns]
        entries[0] = (scores.places[documents[0] + entries[0]]).astype(np.int32)
        entries[1] = np.array([streams.setdefault(name, len(streams)) for name in edits.streams], np.int32)[entries[1]]
        chunks.append((*entries, edits.cost[costly]))
        kept += len(entries[0])
        done = int(work[documents[-1] + 1])
        check_memory(
            "the disagreements of all pairs of coders", _BYTES_PER_LINK * kept / done * int(work[-1]), TOO_MANY
        )
        report_progress(int(documents[-1]) + 1, len(scores.batch))
    joined: dict[str, Any] = dict(zip(_COLUMNS, map(np.concatenate, zip(*chunks, strict=True)), strict=False))
    labels = (None,) if scores.types == UNTYPED else scores.types
    links = Links(**joined, place=joined["comparison"], streams=tuple(streams), labels=labels)
    return replace(links, place=_connected(links, item[links.comparison]))


def _small(column: Any) -> Any:
    return (
        column if column.dtype.kind == "f" else column.astype(np.int32 if column.max(initial=0) < 2**31 else np.int64)
    )


# Comparison, kind, start and label of the marks of both coders (None without one), cost, and number of the place.
SpanRow = tuple[int, int, tuple[float, str | None] | None, tuple[float, str | None] | None, float, int]


def links_of_spans(rows: Iterable[SpanRow]) -> Links:
    """Return the links of spans, one row each."""
    labels: dict[str | None, int] = {}
    entries = []
    for comparison, kind, a, b, cost, place in rows:
        codes = (NONE if mark is None else labels.setdefault(mark[1], len(labels)) for mark in (a, b))
        starts = (0 if mark is None else mark[0] for mark in (a, b))
        entries.append((comparison, 0, kind, *starts, *codes, cost, place))
    columns = map(np.array, zip(*entries, strict=True)) if entries else [np.zeros(0, np.int64)] * len(_COLUMNS)
    arrays: dict[str, Any] = dict(zip(_COLUMNS, columns, strict=True))
    return Links(**arrays, labels=tuple(labels))


@dataclass(frozen=True, eq=False, slots=True)
class RankedPlaces:
    """Links of the same place together, the costliest place first."""

    order: Ints  # the links, place by place, the costliest first in each place
    ends: Ints  # where each place ends in ``order``, after a 0
    cost: Floats  # cost of each place

    def __len__(self) -> int:
        return len(self.cost)


def rank_places(links: Links, item: Numbers, item_names: Sequence[str]) -> RankedPlaces:
    """Sort places by cost, number of links, item, stream and position."""
    if not len(links):
        return RankedPlaces(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0))
    start = np.minimum(*links.starts())
    _, example, place = np.unique(links.place, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    pairs = bincount(place)
    together = argsort(place, kind="stable")
    ends = np.concatenate([[0], np.cumsum(pairs)])
    costs = links.cost[together].tolist()
    cost = np.array([sum(costs[begin:end]) for begin, end in pairwise(ends.tolist())])
    leftmost = reduceat(np.minimum, start[together], ends[:-1])
    item_rank, stream_rank = _ranks(item_names), _ranks([stream or "" for stream in links.streams])
    keys = (stream_rank[links.stream[example]], item_rank[item[example]], -pairs, -cost)
    ranked = lexsort((example, leftmost, *keys))
    rank = np.empty(len(ranked), np.int64)
    rank[ranked] = np.arange(len(ranked))
    order = lexsort((start, -links.cost, rank[place]))
    return RankedPlaces(order, np.concatenate([[0], np.cumsum(pairs[ranked])]), cost[ranked])


def _ranks(names: Sequence[str]) -> Ints:
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([numbers[name] for name in names], np.int64)


def _connected(links: Links, item: Numbers) -> Ints:
    """Return a number for each link, the same for links of a text that have a position in common."""
    text, (first, last) = item.astype(np.int64) * len(links.streams) + links.stream, links.starts()
    moved = first != last
    texts, position = np.concatenate([text, text[moved]]), np.concatenate([first, last[moved]])
    if not len(texts):
        return texts
    if position.dtype.kind == "f" or int(position.max()) >= _MAX_CODE // (int(texts.max()) + 1):
        position = np.unique(position, return_inverse=True)[1].reshape(-1)
    node = np.unique(texts * (int(position.max()) + 1) + position, return_inverse=True)[1].reshape(-1)
    number = int(node.max()) + 1
    parent = list(range(number))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    edges = np.unique(node[: len(text)][moved] * number + node[len(text) :])
    for first_node, last_node in zip((edges // number).tolist(), (edges % number).tolist(), strict=True):
        parent[root(first_node)] = root(last_node)
    roots = np.array(parent)
    while (roots[roots] != roots).any():
        roots = roots[roots]
    return np.asarray(roots[node[: len(text)]])
