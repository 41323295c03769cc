"""Contingency tables of classes: sums of squares and entropies of each document, in one pass over its cells."""

from libc.math cimport log2
from libc.stdint cimport int64_t


def class_sums(
    const double[::1] width not None,
    const int64_t[::1] a_seg not None,
    const int64_t[::1] b_seg not None,
    const int64_t[::1] off not None,
    const int64_t[::1] a_class not None,
    const int64_t[::1] b_class not None,
    double[::1] table not None,
    double[::1] rows not None,
    double[::1] columns not None,
    double[:, ::1] out not None,
):
    """Fill ten sums per document; return the first document whose table does not fit into ``table``, or -1.

    With x the length that two classes have in common, r and c the lengths of these classes and T the whole length, the
    sums are: x^2, r^2 and c^2; x log2(r / x), x log2(c / x); r log2(T / r), c log2(T / c), all in bits times length; the numbers
    of classes of either side; and T. ``table``, ``rows`` and ``columns`` are working memory.
    """
    cdef Py_ssize_t d, n = off.shape[0] - 1
    cdef int64_t i, r, c, R, C
    cdef double x, T
    with nogil:
        for d in range(n):
            R = 0
            C = 0
            for i in range(off[d], off[d + 1]):
                r = a_class[a_seg[i]]
                c = b_class[b_seg[i]]
                if r >= R:
                    R = r + 1
                if c >= C:
                    C = c + 1
            if R * C > table.shape[0] or R > rows.shape[0] or C > columns.shape[0]:
                with gil:
                    return d
            for i in range(R * C):
                table[i] = 0.0
            for i in range(R):
                rows[i] = 0.0
            for i in range(C):
                columns[i] = 0.0
            T = 0.0
            for i in range(off[d], off[d + 1]):
                r = a_class[a_seg[i]]
                c = b_class[b_seg[i]]
                table[r * C + c] += width[i]
                rows[r] += width[i]
                columns[c] += width[i]
                T += width[i]
            for i in range(9):
                out[d, i] = 0.0
            out[d, 9] = T
            for r in range(R):
                for c in range(C):
                    x = table[r * C + c]
                    if x > 0.0:
                        out[d, 0] += x * x
                        if rows[r] > x:
                            out[d, 3] += x * log2(rows[r] / x)
                        if columns[c] > x:
                            out[d, 4] += x * log2(columns[c] / x)
            for r in range(R):
                x = rows[r]
                if x > 0.0:
                    out[d, 1] += x * x
                    out[d, 5] += x * log2(T / x)
                    out[d, 7] += 1.0
            for c in range(C):
                x = columns[c]
                if x > 0.0:
                    out[d, 2] += x * x
                    out[d, 6] += x * log2(T / x)
                    out[d, 8] += 1.0
    return -1
