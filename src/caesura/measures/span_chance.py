"""Exact chance of spans (Li et al. 2024): where the spans of a coder begin if they are placed at random without overlaps.

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
from collections.abc import Sequence

import numpy as np

from caesura.model.value import Floats, Ints

_LARGE = 50_000_000  # products of a direct convolution, beyond which a transform is faster
_CALLS, _TRANSFORM, _CELL = 8_000, 20, 100  # nanoseconds for a span, for a token of a transform, and for a cell of W


def chance_work(spans: Floats, lengths: Floats, marked: Floats, tokens: Floats) -> Floats:
    """Return an estimate of the work of ``start_probabilities`` in nanoseconds; memory grows with it."""
    sums = spans * (_CALLS + spans * marked)
    products = spans * np.minimum(marked * (tokens - marked), _TRANSFORM * tokens)
    return np.asarray(lengths * (sums + products) + _CELL * spans * tokens)


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


def expected_span_matches(a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]], tokens: int) -> float:
    """Return the expected number of equal spans of two coders whose spans are placed at random."""
    if not a or not b:
        return 0.0
    first, second = (start_probabilities([length for length, _ in side], tokens) for side in (a, b))
    numbers, others = Counter(a), Counter(b)
    weights: Counter[int] = Counter()
    for (length, label), number in numbers.items():
        weights[length] += number * others[length, label]
    return float(sum(weight * (first[length] @ second[length]) for length, weight in weights.items() if weight))


def expected_token_matches(a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]], tokens: int) -> float:
    """Return the expected number of tokens to which two coders give the same label."""
    if not a or not b:
        return 0.0
    first, second = _covers(a, tokens), _covers(b, tokens)
    return float(sum(first[label] @ second[label] for label in first if label in second))


def _covers(spans: Sequence[tuple[int, int]], tokens: int) -> dict[int, Floats]:
    """Return label -> the probability of each token to lie in a span with this label."""
    starts = start_probabilities([length for length, _ in spans], tokens)
    covers: dict[int, Floats] = {}
    for (length, label), number in Counter(spans).items():
        ends = np.concatenate([np.zeros(length), starts[length]])[:tokens]
        inside = np.cumsum(starts[length] - ends)  # begun at most length - 1 tokens before
        covers[label] = covers.get(label, np.zeros(tokens)) + number * inside
    return covers
