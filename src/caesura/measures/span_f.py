"""F of spans and of the tokens inside them, with the exact chance of Li et al. (2024).

A coder has k spans of the lengths L_1 ... L_k, together a of n tokens. Every placement without overlaps, in any order, is
equally likely; there are k! C(n - a + k, k) of them. A placement is an order of the spans and of the F = n - a free tokens. A
span has j other spans and g free tokens before it with probability ::

    W(j, g) = C(j + g, j) C(k - 1 - j + F - g, k - 1 - j) / (k C(k + F, k))

and the j spans before it are a random subset of the others. Their lengths add up to s with the probability p_j(s), which a
recurrence over the other spans gives. The span then begins at token g + s::

    P(l) = sum over j and s of p_j(s) W(j, l - s)

P depends on a span only through its length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from caesura.errors import CaesuraError, LimitError, MismatchError, Undefined
from caesura.kernels.marked import common_spans, common_tokens
from caesura.measures.base import BatchCounts, Counts, OverlapMeasure, divide, option
from caesura.measures.needs import Needs
from caesura.measures.sums import CERTAIN
from caesura.memory import check_memory
from caesura.model.annotation import IN_SECONDS, OPEN_END, Shape
from caesura.model.batch import Batch
from caesura.model.hierarchy import Hierarchy
from caesura.model.index import flatnonzero, lexsort
from caesura.model.interval_columns import UNLABELLED, Intervals
from caesura.model.result import Score
from caesura.model.spans import Spans
from caesura.model.value import Floats, Ints
from caesura.options import choice, flag

_Rows = Sequence[tuple[int, int]]  # length and label of each span of a coder
_LARGE = 50_000_000  # products of a direct convolution, beyond which a transform is faster
_CELL_BYTES = 40  # for each span and token of a text in ``start_probabilities``


def start_probabilities(lengths: Sequence[int], tokens: int) -> dict[int, Floats]:
    """Return the probability that a span begins at each token, for each length that occurs."""
    free = tokens - sum(lengths)
    before = _spans_and_free_tokens_before(len(lengths), free)
    counts = Counter(lengths)
    return {length: _starts(counts, length, before, tokens) for length in counts}


def _spans_and_free_tokens_before(spans: int, free: int) -> Floats:
    """Return W: the probability of j other spans and g free tokens before a span, for j < k and g <= F."""
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, spans + free + 1)))])

    def log_binomial(n: Ints, k: Ints) -> Floats:
        return np.asarray(log_factorial[n] - log_factorial[k] - log_factorial[n - k], np.float64)

    j, g = np.arange(spans)[:, None], np.arange(free + 1)[None, :]
    after, free_after = spans - 1 - j, free - g
    logs = log_binomial(j + g, j) + log_binomial(after + free_after, after)
    total = np.log(spans) + float(log_binomial(np.array(spans + free), np.array(spans)))
    return np.asarray(np.exp(logs - total), np.float64)


def _subset_sums(counts: Counter[int], without: int) -> Floats:
    """Return p_j(s): how often a random subset of j of the other spans has the total length s."""
    others = [length for length, number in counts.items() for _ in range(number - (length == without))]
    sums = np.zeros((len(others) + 1, sum(others) + 1))
    sums[0, 0] = 1.0
    total = 0
    for m, length in enumerate(others, 1):
        total += length
        share = np.arange(m + 1)[:, None] / m  # of the subsets of j of m spans, those that contain the last one
        longer = np.zeros((m + 1, total + 1))
        longer[1:, length:] = sums[:m, : total - length + 1]
        sums[: m + 1, : total + 1] = (1 - share) * sums[: m + 1, : total + 1] + share * longer
    return sums


def _starts(counts: Counter[int], length: int, before: Floats, tokens: int) -> Floats:
    sums = _subset_sums(counts, length)
    size = tokens - length + 1
    starts = np.zeros(tokens)
    if sums.size * before.shape[1] > _LARGE:
        width = 1 << (sums.shape[1] + before.shape[1]).bit_length()
        products = sum(np.fft.rfft(p, width) * np.fft.rfft(w, width) for p, w in zip(sums, before, strict=True))
        starts[:size] = np.clip(np.fft.irfft(products, width)[:size], 0.0, None)
    else:
        starts[:size] = sum(np.convolve(p, w) for p, w in zip(sums, before, strict=True))
    return starts


def expected_span_matches(a: _Rows, b: _Rows, tokens: int) -> float:
    """Return the expected number of equal spans of two coders whose spans are placed at random."""
    if not a or not b:
        return 0.0
    first, second = (start_probabilities([length for length, _ in side], tokens) for side in (a, b))
    numbers, others = Counter(a), Counter(b)
    weights: Counter[int] = Counter()
    for (length, label), number in numbers.items():
        weights[length] += number * others[length, label]
    return float(sum(weight * (first[length] @ second[length]) for length, weight in weights.items() if weight))


def expected_token_matches(a: _Rows, b: _Rows, tokens: int) -> float:
    if not a or not b:
        return 0.0
    first, second = _covers(a, tokens), _covers(b, tokens)
    return float(sum(first[label] @ second[label] for label in first if label in second))


def _covers(spans: _Rows, tokens: int) -> dict[int, Floats]:
    """Return label -> the probability of each token to lie in a span with this label."""
    starts = start_probabilities([length for length, _ in spans], tokens)
    covers: dict[int, Floats] = {}
    for (length, label), number in Counter(spans).items():
        ends = np.concatenate([np.zeros(length), starts[length]])[:tokens]
        inside = np.cumsum(starts[length] - ends)  # begun at most length - 1 tokens before
        covers[label] = covers.get(label, np.zeros(tokens)) + number * inside
    return covers


class _SpanMeasure(OverlapMeasure):
    """Base class of F over spans without order, of two sides over the same tokens or characters."""

    kinds = ("hierarchy", "spans")
    places_boundaries = False
    symmetric = True  # only F is symmetric; precision and recall are swapped
    exact_span_chance = True
    parts = ("matches", "reference", "hypothesis")
    # Expected number of common elements of two sides, from their spans and the number of tokens.
    expected_matches: ClassVar[staticmethod[[_Rows, _Rows, int], float]]
    compares_times: ClassVar[bool] = False  # whether spans in seconds have a value without chance

    labels: bool = option(True, flag, "whether labels must agree too")
    chance: str = option(
        "none",
        choice("none", "expected", "li2024"),
        "exact chance of spans at random places: not computed, added to the parts, or used to correct F",
    )

    @cached_property
    def needs(self) -> Needs:
        in_units = self.chance != "none" or not self.compares_times
        least, hint = Shape.NESTED, "compares spans over tokens or characters; these are in seconds; use gamma"
        return Needs(Shape.FREE, least=least, units=in_units, extent=False, streams=False, axis="pair", hint=hint)

    @property
    def chance_word(self) -> str | None:
        return "li2024" if self.chance == "li2024" else None

    @property
    def chance_corrected(self) -> bool:  # type: ignore[override]  # depends on the option
        return self.chance == "li2024"

    @property
    def observed_measure(self) -> _SpanMeasure:
        return self if self.chance == "none" else self.replace(chance="expected")

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return self.parts if self.chance == "none" else (*self.parts, "expected")

    def count_common(self, a: Intervals, b: Intervals) -> Counts:
        """Return common elements, elements of the reference and elements of the hypothesis of each pair."""
        raise NotImplementedError

    def _sides(self, batch: Batch) -> list[Intervals]:
        return [self._compared(rows) for rows in batch.sides("rows")]

    def _compared(self, rows: Intervals) -> Intervals:
        """Return the intervals with the labels that are compared; equal intervals in the order of their labels."""
        if not self.labels:
            return rows._replace(label=np.zeros_like(rows.label))
        owner = rows.owner
        repeated = (np.diff(owner) == 0) & (np.diff(rows.start) == 0) & (np.diff(rows.end) == 0)
        if not (repeated & (np.diff(rows.label) < 0)).any():
            return rows
        order = lexsort((rows.label, -rows.end, rows.start, owner))
        start, end, level, label = (column[order] for column in rows[:-1])
        return Intervals(start, end, level, label, rows.off)

    def count(self, batch: Batch) -> BatchCounts:
        sides = self._sides(batch)
        counts = self.count_common(*sides)
        if self.chance != "none":
            documents = zip(*map(_lengths, sides), _number_of_units(batch).tolist(), strict=True)
            expected = np.array([self.expected_matches(a, b, n) for a, b, n in documents], np.float64)
            counts = np.column_stack([counts, expected])
        return BatchCounts(counts, {})

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        table, errors = batch.table, dict[int, CaesuraError]()
        nested_times = (table.shape < Shape.FREE) & table.has(IN_SECONDS)
        for side, rows in zip(self.sides, (batch.first, batch.second), strict=True):
            for d in flatnonzero(nested_times[rows]).tolist():
                problem = "spans are compared over tokens or characters; this hierarchy is in seconds"
                errors.setdefault(d, MismatchError(f"{side}: {problem}"))
            for d, k in enumerate(rows.tolist()) if table.misplaced else ():
                if k in table.misplaced:
                    errors.setdefault(d, MismatchError(f"{side}: {table.misplaced[k]}"))
        return errors if self.chance == "none" else self._check_chance(batch, errors)

    def _check_chance(self, batch: Batch, errors: dict[int, CaesuraError]) -> dict[int, CaesuraError]:
        for side, rows in zip(self.sides, batch.sides("rows"), strict=True):
            errors = _overlaps(side, rows) | errors
        for d in flatnonzero(_number_of_units(batch) < 0).tolist():
            problem = "the exact chance of spans needs the number of tokens or characters"
            errors.setdefault(d, MismatchError(f"{problem}, which is not known; set it with length="))
        units = _number_of_units(batch)
        for side in batch.sides("rows"):
            for d, size in enumerate((_CELL_BYTES * side.sizes * units.astype(float)).tolist()):
                try:
                    check_memory("the exact chance of spans", size, "use gamma, or shorter items")
                except LimitError as error:
                    errors.setdefault(d, error)
        defined = np.array([d for d in range(batch.pairs) if d not in errors], np.int64)
        part = batch.on(batch.table, batch.first[defined], batch.second[defined])
        if self.chance == "expected":
            return errors
        values = self.finish(self.count(part).counts, ())
        certain = "both sides have no spans, or chance agreement is 1; agreement beyond chance is undefined"
        return errors | {int(defined[i]): Undefined(certain) for i in flatnonzero(np.isnan(values))}

    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        observed = super().finish(counts, types)
        if self.chance != "li2024":
            return observed
        expected = self.expected_f(counts)
        largest = np.where(expected < CERTAIN, 1 - expected, np.nan)
        return np.asarray((observed - expected) / largest, np.float64)

    def expected_f(self, counts: Counts) -> Floats:
        """Return F of the expected matches, which is exact because the numbers of spans are fixed."""
        _, reference, hypothesis, expected = counts.T
        return divide(2 * expected, reference + hypothesis, empty=1.0)

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        figures = super().derived(counts, types)
        if self.chance != "none":
            row = np.array([[counts[name] for name in self.part_names(types)]])
            figures["expected_f"] = float(self.expected_f(row)[0])
        return figures


class SpanF(_SpanMeasure):
    name = "span_f"
    title = "F of identical spans, with the exact chance of Li et al. (2024)"
    summary = "identical spans and labels"
    short_name = "span F"
    aliases = MappingProxyType({"li2024": {"chance": "li2024"}})
    expected_matches = staticmethod(expected_span_matches)
    compares_times = True

    def count_common(self, a: Intervals, b: Intervals) -> Counts:
        counts: Floats = np.zeros((len(a.off) - 1, 3))
        common_spans(a.start, a.end, a.label, a.off, b.start, b.end, b.label, b.off, counts)
        return counts


class TokenF(_SpanMeasure):
    name = "token_f"
    title = "F of labelled tokens inside spans, with the exact chance of Li et al. (2024)"
    summary = "tokens inside spans"
    short_name = "token F"
    expected_matches = staticmethod(expected_token_matches)

    def count_common(self, a: Intervals, b: Intervals) -> Counts:
        a_label, b_label = a.label - UNLABELLED, b.label - UNLABELLED  # from 0
        number = 1 + max(int(label.max(initial=-1)) for label in (a_label, b_label))
        counts: Floats = np.zeros((len(a.off) - 1, 3))
        seen, last = np.full(number, -1, np.int64), np.zeros((number, 2), np.int64)
        sides = a.start, a.end - 1, a_label, a.off, b.start, b.end - 1, b_label, b.off
        common_tokens(*sides, seen, last, counts)
        return counts


def _number_of_units(batch: Batch) -> Ints:
    """Return the number of tokens or characters of each pair; -1 if neither side knows it."""
    table = batch.table
    known = np.where(table.has(OPEN_END), -1, table.end - table.begin)
    return np.where(known[batch.first] >= 0, known[batch.first], known[batch.second])


def _lengths(side: Intervals) -> list[list[tuple[int, int]]]:
    rows = list(zip((side.end - side.start).tolist(), side.label.tolist(), strict=True))
    return [rows[start:stop] for start, stop in pairwise(side.off.tolist())]


def _overlaps(name: str, side: Intervals) -> dict[int, CaesuraError]:
    """Return an error for each pair in which two spans of a side have a token in common."""
    owner, errors = side.owner, dict[int, CaesuraError]()
    for row in flatnonzero((np.diff(owner) == 0) & (side.start[1:] < side.end[:-1])).tolist():
        pair = " and ".join(f"{side.start[k]}-{side.end[k]}" for k in (row, row + 1))
        problem = (
            f"{name}: the spans {pair} overlap or nest; the exact chance of spans knows only spans without overlaps"
        )
        errors.setdefault(int(owner[row]), MismatchError(f"{problem}; use gamma, which compares spans as they are"))
    return errors


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

    where P(l) is the probability that a span begins at token l; :mod:`caesura.measures.span_f` has its law. Over several
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
