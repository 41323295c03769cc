"""The largest conflict-free set of spans: arrays for the kernel, and the exact number of optima."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.kernels.nested import conflict_free

__all__ = ["Choice", "heaviest"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the spans given are kept, what they weigh, and in how many ways that weight is reached."""

    kept: tuple[bool, ...]
    weight: int
    optima: int


def heaviest(spans: Sequence[tuple[int, int]], weights: Sequence[int]) -> Choice:
    """The heaviest subset of distinct spans in which no two cross; of several, as the kernel says.

    Counts of optima multiply along a text, so they outgrow any machine word: the kernel counts modulo coprime numbers,
    as many as the size of the count asks for, and the remainders are put together (Chinese remainder theorem).

    >>> heaviest([(1, 4), (3, 6), (5, 6)], [1, 1, 1])
    Choice(kept=(True, False, True), weight=2, optima=2)
    """
    if not spans:
        return Choice((), 0, 1)
    c, e = np.array(spans, np.int64).T
    order = np.lexsort((-c, e))
    c, w = c[order], np.array(weights, np.int64)[order]
    ends, end, counts = np.unique(e[order], return_inverse=True, return_counts=True)
    before = np.searchsorted(ends, c)
    # By (e, -c) the last span of a start is its largest.
    outer = c.size - 1 - np.unique(c[::-1], return_index=True)[1][::-1]
    arrays = (c, w, end.astype(np.int64), np.concatenate([[0], np.cumsum(counts)]), before, outer)
    found = np.zeros(c.size, np.int64)
    moduli = _coprime()
    modulus = next(moduli)
    weight, optima, bits = conflict_free(*arrays, modulus, found)
    product = modulus
    while math.log2(product) < bits + 1:
        modulus = next(moduli)
        _, remainder, _ = conflict_free(*arrays, modulus, None)
        optima += product * ((remainder - optima) * pow(product, -1, modulus) % modulus)
        product *= modulus
    kept = np.zeros(c.size, bool)
    kept[order] = found == 1
    return Choice(tuple(kept.tolist()), weight, optima)


def _coprime() -> Iterator[int]:
    """Numbers below 2^31 of which no two share a divisor, so that products of remainders fit a machine word."""
    product = 1
    for number in range(2**31 - 1, 2**30, -1):
        if math.gcd(product, number) == 1:
            product *= number
            yield number
