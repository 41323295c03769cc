"""F of spans and of the tokens inside them, with the exact chance of Li et al. (2024)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from caesura import limits
from caesura.errors import CaesuraError, MismatchError, Undefined
from caesura.limits import check_limit
from caesura.measures.base import BatchCounts, Counts, OverlapMeasure, divide, precision_recall
from caesura.measures.batch import Batch, Comparison, Packed, offsets_of, units_difference
from caesura.measures.span_chance import chance_work, expected_span_matches, expected_token_matches
from caesura.measures.spans import UNLABELLED, HierarchyBatch, SpanArrays, count_common, distinct_rows
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Score
from caesura.model.spans import Spans
from caesura.model.value import Floats, Ints
from caesura.options import Option, choice, flag

CERTAIN = 1 - 1e-12
"""Chance agreement from which on the coefficient is undefined: 1 up to rounding."""
_LABELS = Option("labels", True, flag, "whether labels must agree too")
_CHANCE = Option(
    "chance",
    "none",
    choice("none", "expected", "li2024"),
    "exact chance of spans at random places: not computed, added to the parts, or used to correct F",
)


class _SpanMeasure(OverlapMeasure):
    """Base class of F over spans without order, of two sides over the same tokens or characters."""

    kinds = ("hierarchy", "spans")
    view = "spans"
    options = (_LABELS, _CHANCE)
    symmetric = True  # only F is symmetric; precision and recall are swapped
    exact_span_chance: ClassVar[bool] = True

    def to_batch(self, pairs: Sequence[Comparison]) -> Packed[Batch]:
        return _pack(pairs, self.sides, self._times())

    def _times(self) -> dict[float, int] | None:
        """Return an empty table for the codes of times; None if spans in seconds cannot be compared."""
        return None

    @property
    def chance_word(self) -> str | None:
        return "li2024" if self["chance"] == "li2024" else None

    @property
    def chance_corrected(self) -> bool:  # type: ignore[override]  # depends on the option
        return bool(self["chance"] == "li2024")

    @property
    def observed_measure(self) -> _SpanMeasure:
        return self if self["chance"] == "none" else self.replace(chance="expected")

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return self.parts if self["chance"] == "none" else (*self.parts, "expected")

    def _keys(self, side: SpanArrays) -> Ints:
        """Return distinct rows of document, place and label that are compared."""
        raise NotImplementedError

    def _expected(self, a: list[tuple[int, int]], b: list[tuple[int, int]], tokens: int) -> float:
        """Return the expected number of common elements."""
        raise NotImplementedError

    def _labels_of(self, side: SpanArrays) -> Ints:
        return side.label if self["labels"] else np.zeros_like(side.label)

    def compute(self, batch: Batch) -> BatchCounts:
        assert isinstance(batch, HierarchyBatch)
        counts = count_common(self._keys(batch.a), self._keys(batch.b), len(batch))
        if self["chance"] != "none":
            counts = np.column_stack([counts, self._expected_matches(batch)])
        return BatchCounts(counts, {})

    def _expected_matches(self, batch: HierarchyBatch) -> Floats:
        sides = [_lengths(side, self._labels_of(side)) for side in (batch.a, batch.b)]
        tokens = batch.length.tolist()
        return np.array([self._expected(a, b, n) for a, b, n in zip(*sides, tokens, strict=True)], np.float64)

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        assert isinstance(batch, HierarchyBatch)
        if self["chance"] == "none":
            return {}
        errors: dict[int, CaesuraError] = {}
        for side, spans in zip(self.sides, (batch.a, batch.b), strict=True):
            errors = _overlaps(side, spans) | errors
        for d in np.flatnonzero(batch.length < 0).tolist():
            problem = "the exact chance of spans needs the number of tokens or characters"
            errors.setdefault(d, MismatchError(f"{problem}, which is not known; set it with length="))
        defined = np.array([d for d in range(len(batch)) if d not in errors], np.int64)
        _check_chance_work(batch.take(defined))
        if self["chance"] == "expected":
            return errors
        values = self.finish(self.compute(batch.take(defined)).counts, ())
        certain = "both sides have no spans, or chance agreement is 1; agreement beyond chance is undefined"
        return errors | {int(defined[i]): Undefined(certain) for i in np.flatnonzero(np.isnan(values))}

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        observed = super().finish(counts, types)
        if self["chance"] != "li2024":
            return observed
        expected = self.expected_f(counts)
        largest = np.where(expected < CERTAIN, 1 - expected, np.nan)
        return np.asarray((observed - expected) / largest, np.float64)

    def expected_f(self, counts: Counts) -> Floats:
        """Return F of the expected matches, which is exact because the numbers of spans are fixed.

        Parameters
        ----------
        counts : numpy.ndarray
            Counts with the expected matches.

        Returns
        -------
        numpy.ndarray
            One value per row; 1 if both sides are empty.
        """
        _, reference, hypothesis, expected = counts.T
        return divide(2 * expected, reference + hypothesis, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        figures = precision_recall(*(counts[name] for name in self.parts[:3]))
        if self["chance"] != "none":
            row = np.array([[counts[name] for name in self.part_names(types)]])
            figures["expected_f"] = float(self.expected_f(row)[0])
        return figures


class SpanF(_SpanMeasure):
    """The measure behind :func:`span_f`."""

    name = "span_f"
    title = "F of identical spans, with the exact chance of Li et al. (2024)"
    summary = "identical spans and labels"
    short_name = "span F"
    aliases = MappingProxyType({"li2024": {"chance": "li2024"}})
    parts = ("matches", "reference", "hypothesis")

    def _times(self) -> dict[float, int] | None:
        return {} if self["chance"] == "none" else None

    def _keys(self, side: SpanArrays) -> Ints:
        return distinct_rows(np.column_stack([side.document, side.start, side.end, self._labels_of(side)]))

    def _expected(self, a: list[tuple[int, int]], b: list[tuple[int, int]], tokens: int) -> float:
        return expected_span_matches(a, b, tokens)


class TokenF(_SpanMeasure):
    """The measure behind :func:`token_f`."""

    name = "token_f"
    title = "F of labelled tokens inside spans, with the exact chance of Li et al. (2024)"
    summary = "tokens inside spans"
    short_name = "token F"
    parts = ("matches", "reference", "hypothesis")

    def _keys(self, side: SpanArrays) -> Ints:
        sizes = side.end - side.start + 1
        first = np.cumsum(sizes) - sizes
        tokens = np.arange(int(sizes.sum())) - np.repeat(first - side.start, sizes)
        rows = [np.repeat(side.document, sizes), tokens, np.repeat(self._labels_of(side), sizes)]
        return distinct_rows(np.column_stack(rows))

    def _expected(self, a: list[tuple[int, int]], b: list[tuple[int, int]], tokens: int) -> float:
        return expected_token_matches(a, b, tokens)


# -- packing ----------------------------------------------------------------------------------------------------------


class _Side(NamedTuple):
    """The spans of one annotation: first tokens, last tokens and labels, as numbers; codes of start and end in seconds."""

    starts: Sequence[int]
    ends: Sequence[int]
    labels: Sequence[int]


def _pack(pairs: Sequence[Any], sides: tuple[str, str], times: dict[float, int] | None) -> Packed[Batch]:
    """Return the arrays of pairs of spans or hierarchies; the length is -1 if it is not known.

    Positions in seconds are replaced by codes, so that only equal times are equal.
    """
    labels: dict[str | None, int] = {None: UNLABELLED}
    rows: list[tuple[int, int]] = []
    lengths: list[int] = []
    places: list[int] = []
    errors: dict[int, CaesuraError] = {}
    known: dict[tuple[int, bool], int] = {}  # an annotation occurs in many pairs
    annotations: list[_Side] = []

    def number_of(text: Any, side: str, codes: dict[float, int] | None) -> int:
        key = id(text), codes is None
        if key not in known:
            annotations.append(_side_spans(text, side, labels, codes))
            known[key] = len(annotations) - 1
        return known[key]

    for place, pair in enumerate(pairs):
        try:
            a, b = pair
            codes = times if getattr(a, "axis", None) == getattr(b, "axis", None) else None
            row = number_of(a, sides[0], codes), number_of(b, sides[1], codes)
            lengths.append(_common_length(a, b, sides))
            rows.append(row)
            places.append(place)
        except CaesuraError as error:
            errors[place] = error
        except (TypeError, ValueError):
            errors[place] = MismatchError(f"expected a pair of annotations; got {type(pair).__name__}")
    arrays = _arrays(annotations)
    a_spans, b_spans = (arrays.take(column) for column in np.array(rows, np.int64).reshape(-1, 2).T)
    return HierarchyBatch.of(np.array(lengths, np.int64), a_spans, b_spans), np.array(places, np.int64), errors


def _side_spans(text: Any, side: str, labels: dict[str | None, int], times: dict[float, int] | None) -> _Side:
    """Return first token, last token and label of the spans of one side; codes of start and end in seconds."""
    if isinstance(text, Hierarchy):
        if text.edges is not None:
            raise MismatchError(f"{side}: spans are compared over tokens or characters; this hierarchy is in seconds")
        codes = [labels.setdefault(span.label, len(labels) - 1) for span in text.spans]
        return _Side([span.start for span in text.spans], [span.end for span in text.spans], codes)
    if not isinstance(text, Spans):
        raise MismatchError(f"{side}: expected Spans or a Hierarchy; got {type(text).__name__}")
    starts, ends = _whole_positions(text, side) if text.axis == "units" else _codes_of_times(text, side, times)
    return _Side(starts, ends, [labels.setdefault(category, len(labels) - 1) for category in text.categories])


def _codes_of_times(text: Spans, side: str, times: dict[float, int] | None) -> tuple[list[int], list[int]]:
    """Return the codes of starts and ends in seconds; equal times have equal codes."""
    if times is None:
        problem = "spans are compared over tokens or characters; these are in seconds; use gamma"
        raise MismatchError(f"{side}: {problem}")
    starts = [times.setdefault(time, len(times)) for time in text.starts.tolist()]
    return starts, [times.setdefault(time, len(times)) for time in text.ends.tolist()]


def _whole_positions(text: Spans, side: str) -> tuple[list[int], list[int]]:
    """Return the first and the last token of every span, counted from 1."""
    begin = 0.0 if text.bounds is None else text.bounds[0]
    wrong = np.flatnonzero((text.starts % 1 != 0) | (text.ends % 1 != 0) | (text.starts == text.ends))
    if wrong.size:
        place = int(wrong[0])
        raise MismatchError(
            f"{side}: spans[{place}] must begin and end at whole positions and be longer than 0; got {text.spans[place]}"
        )
    return (text.starts - begin + 1).astype(int).tolist(), (text.ends - begin).astype(int).tolist()


def _common_length(a: Any, b: Any, sides: tuple[str, str]) -> int:
    """Return the number of tokens of both sides; -1 if it is not known."""
    if isinstance(a, Hierarchy) and isinstance(b, Hierarchy) and (problem := units_difference(a, b, sides)) is not None:
        raise MismatchError(problem)
    lengths = {}
    for side, text in zip(sides, (a, b), strict=True):
        if isinstance(text, Hierarchy):
            lengths[side] = text.length
        elif text.bounds is not None and text.axis != "seconds":
            lengths[side] = int(text.bounds[1] - text.bounds[0])
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{side} has {length}" for side, length in lengths.items())
        raise MismatchError(f"both sides must have the same number of tokens or characters; {listed}")
    return next(iter(lengths.values()), -1)


def _arrays(annotations: Sequence[_Side]) -> SpanArrays:
    """Return the spans of all annotations, each as one document, in the order of start, length and label."""
    off = offsets_of([side.starts for side in annotations])
    columns = zip(*annotations, strict=True) if annotations else ((), (), ())
    start, end, label = (np.fromiter(chain.from_iterable(column), np.int64, int(off[-1])) for column in columns)
    order = np.lexsort((label, -end, start, np.repeat(np.arange(len(annotations)), np.diff(off))))
    zeros = np.zeros(len(annotations), np.int64)
    edges = np.zeros(len(annotations) + 1, np.int64)
    return SpanArrays(start[order], end[order], np.ones_like(start), label[order], off, np.empty(0), edges, zeros)


def _lengths(side: SpanArrays, labels: Ints) -> list[list[tuple[int, int]]]:
    """Return length and label of the spans of each document."""
    rows = list(zip((side.end - side.start + 1).tolist(), labels.tolist(), strict=True))
    return [rows[start:stop] for start, stop in zip(side.off[:-1].tolist(), side.off[1:].tolist(), strict=True)]


def _overlaps(name: str, side: SpanArrays) -> dict[int, CaesuraError]:
    """Return an error for each document in which two spans of a side have a token in common."""
    together = np.flatnonzero((np.diff(side.document) == 0) & (side.start[1:] <= side.end[:-1]))
    documents, first = np.unique(side.document[together], return_index=True)
    errors: dict[int, CaesuraError] = {}
    for document, i in zip(documents.tolist(), together[first].tolist(), strict=True):
        pair = " and ".join(f"{side.start[k] - 1}-{side.end[k]}" for k in (i, i + 1))
        errors[document] = MismatchError(
            f"{name}: the spans {pair} overlap or nest; the exact chance of spans knows only spans without overlaps; "
            "use gamma, which compares spans as they are"
        )
    return errors


def _check_chance_work(batch: HierarchyBatch) -> None:
    """Raise an error if the exact chance of all documents would take too much work."""
    work = 0.0
    for side in (batch.a, batch.b):
        lengths = side.end - side.start + 1
        kinds = distinct_rows(np.column_stack([side.document, lengths]))[:, 0]
        spans, different = (np.bincount(rows, minlength=len(batch)).astype(float) for rows in (side.document, kinds))
        marked = np.bincount(side.document, lengths, len(batch)).astype(float)
        work += float(chance_work(spans, different, marked, batch.length.astype(float)).sum())
    hint = "use gamma, shorter items, or assign a larger number to caesura.limits.MAX_SPAN_CHANCE_WORK"
    check_limit("nanoseconds of work for the exact chance of spans", int(work), limits.MAX_SPAN_CHANCE_WORK, hint)


# -- functions --------------------------------------------------------------------------------------------------------


def span_f(
    reference: Spans | Hierarchy, hypothesis: Spans | Hierarchy, *, labels: bool = True, chance: str = "none"
) -> Score:
    """Compute precision, recall and F of identical spans.

    Parameters
    ----------
    reference, hypothesis : Spans or Hierarchy
        The two sides, over the same tokens or characters.
    labels : bool, default True
        Whether labels must agree too, or only start and end.
    chance : {"none", "expected", "li2024"}, default "none"
        Whether the value is F; F with the expected matches among the parts; or F beyond the exact chance of Li et al. (2024).

    Returns
    -------
    Score
        F, from 0 to 1; 1 if both sides are empty, 0 if only one is. With ``chance="li2024"`` it is at most 1, and 0 for spans
        at random places.

    Raises
    ------
    MismatchError
        If the sides have different lengths, or for chance, if spans of a side overlap or nest, or the length is not known.
    Undefined
        With ``chance="li2024"``, if both sides are empty or chance agreement is 1.

    Notes
    -----
    ::

        F = 2 matches / (spans of the reference + spans of the hypothesis)

    Chance: each side keeps the number, lengths and labels of its spans, and all placements without overlaps over the n
    tokens are equally likely. The numbers of spans are then fixed, so that the expectation of F is exact::

        expected F = 2 / (k_1 + k_2) * sum over pairs of spans with equal length and label of sum over l of P_1(l) P_2(l)
        value = (F - expected F) / (1 - expected F)

    where P(l) is the probability that a span begins at token l; :mod:`caesura.measures.span_chance` has its law. Over several
    documents, matches, numbers of spans and expected matches are summed. Whether the paper divides in exactly this way could
    not be checked.

    Do not use it if a span that is one token longer should count in part: use :func:`token_f`, or gamma. Spans that
    overlap or nest have F, but not this chance: use gamma.

    References
    ----------
    Li, D., Rosé, C., Yuan, A., & Zhou, C. (2024). Estimating agreement by chance for sequence annotation. ACL,
    arXiv:2407.11371.

    Examples
    --------
    >>> ann = Spans([(0, 2, "PER"), (5, 6, "ORG")], length=8)
    >>> bo = Spans([(0, 2, "PER"), (4, 6, "ORG")], length=8)
    >>> span_f(ann, bo).value, span_f(ann, bo).parts
    (0.5, {'matches': 1, 'reference': 2, 'hypothesis': 2})
    >>> f"{span_f(ann, bo, chance='li2024').value:.4f}"
    '0.4615'
    """
    return SpanF.cached(None, labels=labels, chance=chance).score(reference, hypothesis)


def token_f(
    reference: Spans | Hierarchy, hypothesis: Spans | Hierarchy, *, labels: bool = True, chance: str = "none"
) -> Score:
    """Compute precision, recall and F of tokens, or characters, inside spans with the same label.

    Parameters
    ----------
    reference, hypothesis : Spans or Hierarchy
        The two sides, over the same tokens or characters.
    labels : bool, default True
        Whether labels must agree too.
    chance : {"none", "expected", "li2024"}, default "none"
        Whether the value is F; F with the expected matches among the parts; or F beyond the exact chance of Li et al. (2024).

    Returns
    -------
    Score
        F, from 0 to 1; 1 if both sides are empty, 0 if only one is. With ``chance="li2024"`` it is at most 1.

    Raises
    ------
    MismatchError
        If the sides have different lengths, or for chance, if spans of a side overlap or nest, or the length is not known.
    Undefined
        With ``chance="li2024"``, if both sides are empty or chance agreement is 1.

    Notes
    -----
    An element is a token with a label; a token in two spans with the same label counts once. Chance is that of
    :func:`span_f`: with c(t) the probability that token t lies in a span with a label,
    expected matches = sum over labels and tokens of c_1(t) c_2(t).

    Do not use it if the number of spans matters: two neighbouring spans with one label and one long span have the same tokens.

    References
    ----------
    Li, D., Rosé, C., Yuan, A., & Zhou, C. (2024). Estimating agreement by chance for sequence annotation. ACL,
    arXiv:2407.11371.

    Examples
    --------
    >>> ann = Spans([(0, 2, "PER"), (5, 6, "ORG")], length=8)
    >>> bo = Spans([(0, 2, "PER"), (4, 6, "ORG")], length=8)
    >>> f"{token_f(ann, bo).value:.4f}"
    '0.8571'
    """
    return TokenF.cached(None, labels=labels, chance=chance).score(reference, hypothesis)
