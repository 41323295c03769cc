"""Sweeps over the spans of two coders, each sorted and without overlaps, for Krippendorff's alphas for unitizing."""

from libc.stdint cimport int64_t

cdef inline double _difference(double c, double k, int metric) noexcept nogil:
    """Return the squared difference of two numeric values: 1 = interval, 2 = ratio."""
    cdef double d = c - k
    if metric == 2:
        d = d / (c + k) if c + k != 0 else 0
    return d * d


def section_overlaps(
    const int64_t[::1] a_start not None,
    const int64_t[::1] a_end not None,
    const int64_t[::1] a_code not None,
    const int64_t[::1] b_start not None,
    const int64_t[::1] b_end not None,
    const int64_t[::1] b_code not None,
    const double[::1] value not None,
    int metric,
    double[:, ::1] out not None,
):
    """Add sums over all overlaps o of a span g of the first coder with a span h of the second to ``out``, by category.

    Rows of ``out``: 0 the length of o where g and h have the same category; 1 and 2 the length of o by the category of g and
    of h; 3 and 4 the squares of the part of g (of h) that the other coder covers; 5 and 6 the length of o times the
    difference of the categories (0: nominal, 1: interval, 2: ratio of ``value``), by the category of g and of h.
    """
    cdef Py_ssize_t i = 0, j = 0, n = a_start.shape[0], m = b_start.shape[0]
    cdef int64_t first, last, c, k
    cdef double o, d, covered_a = 0, covered_b = 0
    with nogil:
        while i < n and j < m:
            c = a_code[i]
            k = b_code[j]
            first = a_start[i] if a_start[i] > b_start[j] else b_start[j]
            last = a_end[i] if a_end[i] < b_end[j] else b_end[j]
            if last > first:
                o = last - first
                covered_a += o
                covered_b += o
                out[1, c] += o
                out[2, k] += o
                if c == k:
                    out[0, c] += o
                else:
                    d = 1 if metric == 0 else _difference(value[c], value[k], metric)
                    out[5, c] += o * d
                    out[6, k] += o * d
            if a_end[i] <= b_end[j]:
                out[3, c] += covered_a * covered_a
                covered_a = 0
                i += 1
            else:
                out[4, k] += covered_b * covered_b
                covered_b = 0
                j += 1
        if i < n:
            out[3, a_code[i]] += covered_a * covered_a
        if j < m:
            out[4, b_code[j]] += covered_b * covered_b


def unit_differences(
    const int64_t[::1] a_start not None,
    const int64_t[::1] a_end not None,
    const int64_t[::1] b_start not None,
    const int64_t[::1] b_end not None,
):
    """Return the sum of the squared differences of two coders' spans of one category (Krippendorff 1995).

    Two spans that overlap differ by the squares of the distances of their starts and of their ends. A span that overlaps no
    span of the other coder, and thus lies inside a gap, counts with the square of its length.
    """
    cdef Py_ssize_t i = 0, j = 0, n = a_start.shape[0], m = b_start.shape[0]
    cdef bint a_meets = False, b_meets = False
    cdef double total = 0, s, e
    with nogil:
        while i < n or j < m:
            if i < n and j < m and a_start[i] < b_end[j] and b_start[j] < a_end[i]:
                s = a_start[i] - b_start[j]
                e = a_end[i] - b_end[j]
                total += s * s + e * e
                a_meets = b_meets = True
            if j == m or (i < n and a_end[i] <= b_end[j]):
                e = a_end[i] - a_start[i]
                total += 0 if a_meets else e * e
                a_meets = False
                i += 1
            else:
                e = b_end[j] - b_start[j]
                total += 0 if b_meets else e * e
                b_meets = False
                j += 1
    return total
