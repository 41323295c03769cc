"""Order-preserving pairing of two sorted lists: the largest total gain, by a table over suffixes.

Member i of the first list may pair with members lo[i] .. hi[i]-1 of the second; both bounds ascend with i. Row i of the
table has one cell for each of these and one for hi[i], at row[i] + j - lo[i]:

    F(i, j) = best total gain of pairing members i.. with members j..
            = max(F(i+1, j), F(i, j+1), gain(i, j) + F(i+1, j+1))

To the left of lo[i] nothing can pair any more, so F(i, j) = F(i, lo[i]); to the right of hi[i] member i is out of reach, so
F(i, j) = F(i+1, j). Time and memory are the number of admissible pairs, not the product of the lengths.
"""

from libc.stdint cimport int64_t


cdef inline int64_t suffix_value(
    Py_ssize_t i, int64_t j, Py_ssize_t n,
    const int64_t[::1] lo, const int64_t[::1] row, const int64_t[::1] F,
) except? -1 nogil:
    """Return F(i, j) for j <= hi[i]."""
    if i == n:
        return 0
    return F[row[i] + (j - lo[i] if j > lo[i] else 0)]


cdef inline int suffix_table(
    Py_ssize_t n, const int64_t[::1] lo, const int64_t[::1] hi, const int64_t[::1] row,
    const int64_t[::1] gain, int64_t[::1] F,
) except -1 nogil:
    cdef Py_ssize_t i
    cdef int64_t j, at, best, candidate
    for i in range(n - 1, -1, -1):
        at = row[i] + hi[i] - lo[i]
        F[at] = suffix_value(i + 1, hi[i], n, lo, row, F)
        for j in range(hi[i] - 1, lo[i] - 1, -1):
            at = row[i] + j - lo[i]
            best = F[at + 1]
            candidate = suffix_value(i + 1, j, n, lo, row, F)
            if candidate > best:
                best = candidate
            candidate = gain[at] + suffix_value(i + 1, j + 1, n, lo, row, F)
            if candidate > best:
                best = candidate
            F[at] = best
    return 0
