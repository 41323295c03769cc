"""The heaviest conflict-free set of spans: arrays for the kernel, and the exact number of optima."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.kernels.nested import conflict_free


@dataclass(frozen=True, slots=True)
class ConflictFreeSet:
    """A subset of spans in which no two cross.

    Attributes
    ----------
    members : tuple of bool
        Whether each span is in the set.
    weight : int
        Sum of the weights of its spans.
    optima : int
        Number of conflict-free subsets with this weight.
    """

    members: tuple[bool, ...]
    weight: int
    optima: int


def heaviest_conflict_free_set(spans: Sequence[tuple[int, int]], weights: Sequence[int]) -> ConflictFreeSet:
    """Return the heaviest subset of distinct spans in which no two cross.

    Parameters
    ----------
    spans : sequence of (start, end)
        Distinct spans.
    weights : sequence of int
        One weight per span.

    Returns
    -------
    ConflictFreeSet
        If several subsets have the greatest weight, the kernel's documented preference decides.

    Notes
    -----
    The numbers of optima of neighbouring stretches multiply, so their product outgrows any machine word. The kernel counts
    modulo coprime numbers, as many as the size of the count requires, and the remainders are combined by the Chinese
    remainder theorem.

    Examples
    --------
    >>> heaviest_conflict_free_set([(1, 4), (3, 6), (5, 6)], [1, 1, 1])
    ConflictFreeSet(members=(True, False, True), weight=2, optima=2)
    """
    if not spans:
        return ConflictFreeSet((), 0, 1)
    c, e = np.array(spans, np.int64).T
    order = np.lexsort((-c, e))
    c, w = c[order], np.array(weights, np.int64)[order]
    ends, end, counts = np.unique(e[order], return_inverse=True, return_counts=True)
    before = np.searchsorted(ends, c)
    # By (e, -c) the last span of a start is its largest.
    outer = c.size - 1 - np.unique(c[::-1], return_index=True)[1][::-1]
    arrays = (c, w, end.astype(np.int64), np.concatenate([[0], np.cumsum(counts)]), before, outer)
    in_set = np.zeros(c.size, np.int64)
    moduli = _coprime_numbers()
    modulus = next(moduli)
    weight, optima, bits = conflict_free(*arrays, modulus, in_set)
    product = modulus
    while math.log2(product) < bits + 1:
        modulus = next(moduli)
        _, remainder, _ = conflict_free(*arrays, modulus, None)
        optima += product * ((remainder - optima) * pow(product, -1, modulus) % modulus)
        product *= modulus
    members = np.zeros(c.size, bool)
    members[order] = in_set == 1
    return ConflictFreeSet(tuple(members.tolist()), weight, optima)


def _coprime_numbers() -> Iterator[int]:
    """Yield pairwise coprime numbers below 2^31, so that products of remainders fit a machine word."""
    product = 1
    for number in range(2**31 - 1, 2**30, -1):
        if math.gcd(product, number) == 1:
            product *= number
            yield number
