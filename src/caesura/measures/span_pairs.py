"""Pairs of spans, or of hierarchies whose levels do not matter, as arrays: many documents at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError
from caesura.measures.batch import Packed, offsets_of, units_difference
from caesura.measures.spans import UNLABELLED, HierarchyBatch, SpanArrays
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import flatnonzero, lexsort, repeat, searchsorted
from caesura.model.spans import Spans
from caesura.model.value import Floats, Ints

_IN_SECONDS = "spans are compared over tokens or characters; these are in seconds; use gamma"


def pack_marked_spans(
    pairs: Sequence[Any], sides: tuple[str, str], times: dict[float, int] | None
) -> Packed[HierarchyBatch]:
    """Return the arrays of pairs of spans or hierarchies; the length is -1 if it is not known."""
    texts: list[Any] = []
    known: dict[int, int] = {}  # an annotation occurs in many pairs
    rows: list[tuple[int, int]] = []
    places: list[int] = []
    errors: dict[int, CaesuraError] = {}
    for place, pair in enumerate(pairs):
        try:
            a, b = pair
        except (TypeError, ValueError):
            errors[place] = MismatchError(f"expected a pair of annotations; got {type(pair).__name__}")
            continue
        first, second = known.get(id(a), -1), known.get(id(b), -1)
        if first < 0:
            first = known[id(a)] = len(texts)
            texts.append(a)
        if second < 0:
            second = known[id(b)] if b is a else len(texts)
            if b is not a:
                known[id(b)] = second
                texts.append(b)
        rows.append((first, second))
        places.append(place)
    annotations = _Annotations.of(texts, times)
    columns = np.array(rows, np.int64).reshape(-1, 2).T
    lengths, suspicious = annotations.compare(columns[0], columns[1])
    for i in flatnonzero(suspicious).tolist():
        problem = annotations.problem(*rows[i], sides)
        suspicious[i] = problem is not None
        if problem is not None:
            errors[places[i]] = MismatchError(problem)
    a_spans, b_spans = (annotations.spans.take(column[~suspicious]) for column in columns)
    batch = HierarchyBatch.of(lengths[~suspicious], a_spans, b_spans)
    return batch, np.array(places, np.int64)[~suspicious], dict(sorted(errors.items()))


@dataclass(frozen=True)
class _Annotations:
    """The distinct annotations of all pairs."""

    texts: list[Any]
    # Their spans, each annotation as one document: first tokens, last tokens and labels, or codes of start and end in seconds.
    # An annotation with a problem may have no spans.
    spans: SpanArrays
    length: Ints  # number of tokens of each annotation; -1 if it is not known
    # Whether it has spans in seconds, and whether it is a hierarchy.
    seconds: NDArray[np.bool_]
    nested: NDArray[np.bool_]
    problems: dict[int, str]  # place of an annotation -> why it cannot be compared

    @classmethod
    def of(cls, texts: list[Any], times: dict[float, int] | None) -> _Annotations:
        columns = _Columns(texts, times)
        problems: dict[int, str] = {}
        for k, text in enumerate(texts):
            if isinstance(text, Hierarchy):
                if text.edges is not None:
                    problems[k] = "spans are compared over tokens or characters; this hierarchy is in seconds"
            elif not isinstance(text, Spans):
                problems[k] = f"expected Spans or a Hierarchy; got {type(text).__name__}"
            elif times is None and text.axis == "seconds":
                problems[k] = _IN_SECONDS
        for k, place in columns.wrong.items():
            rule = "must begin and end at whole positions and be longer than 0"
            problems[k] = f"spans[{place}] {rule}; got {texts[k].spans[place]}"
        seconds = np.array([getattr(text, "axis", None) == "seconds" for text in texts], bool)
        nested = np.array([isinstance(text, Hierarchy) for text in texts], bool)
        length = np.array([_length_of(text) for text in texts], np.int64)
        return cls(texts, columns.arrays(), length, seconds, nested, problems)

    def compare(self, first: Ints, second: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """Return the common length of each pair, -1 if it is not known, and the pairs that may have a problem."""
        has_problem = np.zeros(len(self.texts), bool)
        has_problem[list(self.problems)] = True
        a, b = self.length[first], self.length[second]
        differ = (a != b) & (a >= 0) & (b >= 0) | (self.seconds[first] != self.seconds[second])
        suspicious = differ | has_problem[first] | has_problem[second] | (self.nested[first] & self.nested[second])
        return np.where(a >= 0, a, b), suspicious

    def problem(self, first: int, second: int, sides: tuple[str, str]) -> str | None:
        for side, k in zip(sides, (first, second), strict=True):
            if k in self.problems:
                return f"{side}: {self.problems[k]}"
            if self.seconds[k] and self.seconds[first] != self.seconds[second]:
                return f"{side}: {_IN_SECONDS}"
        if self.nested[first] and self.nested[second]:
            return units_difference(self.texts[first], self.texts[second], sides)
        lengths = {side: int(self.length[k]) for side, k in zip(sides, (first, second), strict=True)}
        if lengths[sides[0]] == lengths[sides[1]] or min(lengths.values()) < 0:
            return None
        listed = ", ".join(f"{side} has {length}" for side, length in lengths.items())
        return f"both sides must have the same number of tokens or characters; {listed}"


def _length_of(text: Any) -> int:
    """Return the number of tokens of an annotation; -1 if it is not known."""
    if isinstance(text, Hierarchy):
        return text.length
    if not isinstance(text, Spans) or text.bounds is None or text.axis == "seconds":
        return -1
    return int(text.bounds[1] - text.bounds[0])


class _Columns:
    """First tokens, last tokens and labels of the spans of many annotations, as numbers."""

    def __init__(self, texts: list[Any], times: dict[float, int] | None) -> None:
        self._labels: dict[str | None, int] = {None: UNLABELLED}
        self._tables: dict[tuple[str | None, ...], Ints] = {}
        self._rows: list[tuple[Ints, Ints, Ints]] = []
        self.wrong: dict[int, int] = {}
        none = np.empty(0, np.int64)
        of_units = [(k, text) for k, text in enumerate(texts) if isinstance(text, Spans) and text.axis != "seconds"]
        positions = self._whole_positions(of_units)
        for k, text in enumerate(texts):
            if k in positions:
                self._rows.append((*positions[k], self._codes(text)))
            elif isinstance(text, Spans) and times is not None:
                starts, ends = (
                    np.array([times.setdefault(time, len(times)) for time in column.tolist()], np.int64)
                    for column in (text.starts, text.ends)
                )
                self._rows.append((starts, ends, self._codes(text)))
            elif isinstance(text, Hierarchy) and text.edges is None:
                rows = [(span.start, span.end, self._number(span.label)) for span in text.spans]
                start, end, label = np.array(rows, np.int64).reshape(-1, 3).T
                self._rows.append((start, end, label))
            else:
                self._rows.append((none, none, none))

    def _whole_positions(self, annotations: Sequence[tuple[int, Spans]]) -> dict[int, tuple[Ints, Ints]]:
        """Return the first and the last token of every span, counted from 1, of each annotation."""
        if not annotations:
            return {}
        starts, ends = (np.concatenate([getattr(text, name) for _, text in annotations]) for name in ("starts", "ends"))
        off = offsets_of([text.starts for _, text in annotations])
        for i in flatnonzero((starts % 1 != 0) | (ends % 1 != 0) | (starts == ends)).tolist():
            number = int(searchsorted(off, i, side="right")) - 1
            self.wrong.setdefault(annotations[number][0], i - int(off[number]))
        begin: Floats = np.array([0.0 if text.bounds is None else text.bounds[0] for _, text in annotations])
        before = repeat(begin, np.diff(off))
        first, last = (starts - before + 1).astype(np.int64), (ends - before).astype(np.int64)
        bounds = off.tolist()
        return {
            k: (first[start:stop], last[start:stop])
            for (k, _), start, stop in zip(annotations, bounds[:-1], bounds[1:], strict=True)
        }

    def _codes(self, text: Spans) -> Ints:
        table = self._tables.get(text.category_names)
        if table is None:
            table = np.array([self._number(name) for name in text.category_names], np.int64)
            self._tables[text.category_names] = table
        return table[text.codes]

    def _number(self, label: str | None) -> int:
        return self._labels.setdefault(label, len(self._labels) - 1)

    def arrays(self) -> SpanArrays:
        """Return the spans of all annotations, each as one document, in the order of start, length and label."""
        off = offsets_of([row[0] for row in self._rows])
        none = np.empty(0, np.int64)
        start, end, label = (np.concatenate([none, *(row[k] for row in self._rows)]) for k in range(3))
        number = len(self._rows)
        order = lexsort((label, -end, start, repeat(np.arange(number), np.diff(off))))
        zeros, edges = np.zeros(number, np.int64), np.zeros(number + 1, np.int64)
        return SpanArrays(start[order], end[order], np.ones_like(start), label[order], off, np.empty(0), edges, zeros)
