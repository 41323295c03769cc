"""From pairs of hierarchies to flat arrays, many documents at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError
from caesura.measures.batch import EMPTY, Batch, Comparison, rows_of, units_difference
from caesura.model.hierarchy import Hierarchy, Span

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

UNLABELLED = -1


@dataclass(frozen=True, slots=True)
class DistinctSpans:
    """Distinct (start, end), by document, start, and the larger first."""

    document: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.document)

    def count(self, documents: int, where: Any = None) -> Ints:
        """How many there are in each document; ``where``: of those it is true for."""
        chosen = self.document if where is None else self.document[where]
        return np.bincount(chosen, minlength=documents).astype(np.int64)


@dataclass(frozen=True, slots=True)
class SpanArrays:
    """One side of every document: the spans of document d are the rows ``off[d] .. off[d + 1] - 1``.

    Rows stand by start, the larger first, then by level. ``label`` is a number for each label, -1 for none. ``edges`` are
    the times between units, ``edge_off[d] .. edge_off[d + 1] - 1``; text has none.
    """

    start: Ints
    end: Ints
    level: Ints
    label: Ints
    off: Ints
    edges: Floats
    edge_off: Ints
    extent: Ints

    def slice(self, first: int, last: int) -> SpanArrays:
        """Documents first .. last-1, as views."""
        rows, times = slice(self.off[first], self.off[last]), slice(self.edge_off[first], self.edge_off[last])
        return SpanArrays(
            self.start[rows],
            self.end[rows],
            self.level[rows],
            self.label[rows],
            self.off[first : last + 1] - self.off[first],
            self.edges[times],
            self.edge_off[first : last + 1] - self.edge_off[first],
            self.extent[first:last],
        )

    def take(self, documents: Ints) -> SpanArrays:
        """Only these documents, copied together."""
        rows, off = rows_of(self.off, documents)
        times, edge_off = rows_of(self.edge_off, documents)
        return SpanArrays(
            self.start[rows],
            self.end[rows],
            self.level[rows],
            self.label[rows],
            off,
            self.edges[times],
            edge_off,
            self.extent[documents],
        )

    @property
    def document(self) -> Ints:
        """The document of each row."""
        return np.repeat(np.arange(len(self.off) - 1), np.diff(self.off))

    @property
    def flat(self) -> DistinctSpans:
        """Each (start, end) once, whatever its levels."""
        d = self.document
        new = np.ones(len(d), bool)
        new[1:] = (np.diff(d) != 0) | (np.diff(self.start) != 0) | (np.diff(self.end) != 0)
        return DistinctSpans(d[new], self.start[new], self.end[new])


@dataclass(frozen=True, slots=True)
class HierarchyBatch(Batch):
    """A batch of hierarchies. What ``Batch`` calls positions are starts, and codes are labels."""

    a: SpanArrays = field(kw_only=True)
    b: SpanArrays = field(kw_only=True)

    @classmethod
    def of(cls, length: Ints, a: SpanArrays, b: SpanArrays) -> HierarchyBatch:
        """From its sides."""
        return cls(length, a.start, a.label, a.off, b.start, b.label, b.off, a=a, b=b)

    def slice(self, start: int, stop: int) -> HierarchyBatch:
        """Documents start .. stop-1. Nothing but offsets is copied."""
        return HierarchyBatch.of(self.length[start:stop], self.a.slice(start, stop), self.b.slice(start, stop))

    def take(self, documents: Ints) -> HierarchyBatch:
        """Only these documents, copied together."""
        return HierarchyBatch.of(self.length[documents], self.a.take(documents), self.b.take(documents))


def pack_spans(
    pairs: Sequence[Comparison], sides: tuple[str, str], *, same_units: bool
) -> tuple[HierarchyBatch, Ints, dict[int, CaesuraError]]:
    """The batch of all pairs that can be compared, their places in ``pairs``, and what is wrong with the others.

    ``same_units``: times must be cut into the same units on both sides. Without it each side has its own.
    """
    errors: dict[int, CaesuraError] = {}
    sound: list[int] = []
    chosen: list[tuple[Hierarchy, Hierarchy]] = []
    for i, pair in enumerate(pairs):
        problem = pair_problem(pair, sides, same_units)
        if problem is None:
            sound.append(i)
            chosen.append(pair)  # type: ignore[arg-type]
        else:
            errors[i] = MismatchError(problem)
    labels: dict[str | None, int] = {None: UNLABELLED}
    a, b = (_side([pair[k] for pair in chosen], labels) for k in (0, 1))
    length = np.array([one.length for one, _ in chosen], np.int64)
    return HierarchyBatch.of(length, a, b), np.array(sound, np.int64), errors


def _side(hierarchies: list[Hierarchy], labels: dict[str | None, int]) -> SpanArrays:
    rows: list[Span] = [span for one in hierarchies for span in one.spans]
    off = np.concatenate([[0], np.cumsum([len(one.spans) for one in hierarchies], dtype=np.int64)])
    table = np.array(
        [(s.start, s.end, s.level, labels.setdefault(s.label, len(labels) - 1)) for s in rows], np.int64
    ).reshape(-1, 4)
    start, end, level, label = table.T
    # Hierarchies come sorted; a gold that keeps conflicts may not.
    order = np.lexsort((label, level, -end, start, np.repeat(np.arange(len(hierarchies)), np.diff(off))))
    start, end, level, label = (np.ascontiguousarray(column[order]) for column in (start, end, level, label))
    times = [np.array(one.edges or (), np.float64) for one in hierarchies]
    edge_off = np.concatenate([[0], np.cumsum([len(one) for one in times], dtype=np.int64)])
    edges = np.concatenate(times) if times else EMPTY.astype(np.float64)
    extent = np.array([one.extent for one in hierarchies], np.int64)
    return SpanArrays(start, end, level, label, off, edges, edge_off, extent)


def pair_problem(pair: Any, sides: tuple[str, str], same_units: bool) -> str | None:
    """Why the two cannot be compared, or None."""
    try:
        a, b = pair
    except (TypeError, ValueError):
        return f"a pair of hierarchies is needed; got {type(pair).__name__}"
    for side, one in zip(sides, (a, b), strict=True):
        if not isinstance(one, Hierarchy):
            kind = "a dialogue" if isinstance(one, Mapping) else type(one).__name__
            return f"{side}: a Hierarchy is needed; got {kind}"
    if (a.edges is None) != (b.edges is None):
        timed, other = sides if b.edges is None else sides[::-1]
        return f"both sides must have times, or neither; {timed} has times, {other} has none"
    if a.edges is not None:
        if same_units and a.edges != b.edges:
            said = ", ".join(f"{side} has {_times(one)}" for side, one in zip(sides, (a, b), strict=True))
            return f"both sides must have the same units; {said}; common_units lays them over the same"
        return None
    return units_difference(a, b, sides)


def _times(one: Hierarchy) -> str:
    edges = one.edges or (0.0, 0.0)
    return f"{one.length} from {edges[0]:g} to {edges[-1]:g} s"
