"""Sums that do not depend on the order of their terms.

A real number is rounded to the nearest multiple of 2^-106 and added as integers. The rounding changes only tiny numbers.
So documents may be summed in any order, and sums of sums in any grouping, with the same result to the last bit.
"""

from libc.math cimport fabs, llrint
from libc.stdint cimport int64_t

import numpy as np

cdef double UNIT = 9007199254740992.0  # 2^53
cdef int64_t UNIT_INT = 9007199254740992
cdef double LIMIT = 4611686018427387904.0  # 2^62


cdef inline int64_t carry(int64_t* part) noexcept nogil:
    """Keep |part| below 2^53; return the carry for the next higher place."""
    if part[0] >= UNIT_INT:
        part[0] -= UNIT_INT
        return 1
    if part[0] <= -UNIT_INT:
        part[0] += UNIT_INT
        return -1
    return 0


def add(const double[:, :] counts not None, int64_t[:, ::1] sums not None):
    """Add each column of ``counts`` to a row of ``sums``.

    A row of ``sums`` contains whole numbers, multiples of 2^-53 and multiples of 2^-106, the latter two below 1. Return the
    union of the bits of all whole parts; it shows the caller whether 64 bits suffice. Numbers far beyond 64 bits are
    not added.
    """
    cdef Py_ssize_t d, c, n = counts.shape[0], k = counts.shape[1]
    cdef int64_t w, p, size = 0
    cdef double x, rest
    with nogil:
        for d in range(n):
            for c in range(k):
                x = counts[d, c]
                if not -LIMIT < x < LIMIT:
                    size |= <int64_t>LIMIT
                    continue
                w = <int64_t>x
                sums[c, 0] += w
                size |= w if w >= 0 else -w
                rest = x - w
                if rest != 0:
                    rest *= UNIT
                    p = <int64_t>rest
                    sums[c, 2] += llrint((rest - p) * UNIT)
                    sums[c, 1] += p + carry(&sums[c, 2])
                    sums[c, 0] += carry(&sums[c, 1])
    return size


cdef int add_exactly(double* partial, int size, double x) noexcept nogil:
    """Add x to non-overlapping numbers in ascending order of size without loss; return how many there are now."""
    cdef int k, kept = 0
    cdef double y, held, low
    for k in range(size):
        y = partial[k]
        if fabs(x) < fabs(y):
            held = x
            x = y
            y = held
        held = x + y
        low = y - (held - x)
        if low != 0:
            partial[kept] = low
            kept += 1
        x = held
    partial[kept] = x
    return kept + 1


cdef double rounded(const double* partial, int size) noexcept nogil:
    """Return the sum of non-overlapping numbers, correctly rounded."""
    cdef double total = 0, low = 0, held
    while size > 0:
        size -= 1
        held = total
        total = held + partial[size]
        low = partial[size] - (total - held)
        if low != 0:
            break
    # Exactly between two numbers: the sign of what is left decides, not the even digit.
    if size > 0 and ((low < 0 and partial[size - 1] < 0) or (low > 0 and partial[size - 1] > 0)):
        held = total + 2 * low
        if held - total == 2 * low:
            total = held
    return total


def sum_groups(const double[::1] values not None, const int64_t[::1] group not None, int64_t groups):
    """Return the correctly rounded sum of the values of each group, as ``math.fsum`` does (Shewchuk 1997).

    ``group`` has the numbers of the groups, ascending. Values are finite, and so are their sums.
    """
    cdef double partial[64]  # more than the number of non-overlapping doubles
    cdef double[::1] out = np.zeros(groups)
    cdef int64_t i = 0, current
    cdef int size
    with nogil:
        while i < values.shape[0]:
            current, size = group[i], 0
            while i < values.shape[0] and group[i] == current:
                size = add_exactly(partial, size, values[i])
                i += 1
            out[current] = rounded(partial, size)
    return np.asarray(out)
