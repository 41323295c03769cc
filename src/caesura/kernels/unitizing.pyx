"""Sweeps over the spans of two coders, each sorted and without overlaps, for Krippendorff's alphas for unitizing."""

from libc.stdint cimport int64_t

cdef inline double _difference(double c, double k, int metric) noexcept nogil:
    """Return the squared difference of two numeric values: 1 = interval, 2 = ratio."""
    cdef double d = c - k
    if metric == 2:
        d = d / (c + k) if c + k != 0 else 0
    return d * d


def section_overlaps(
    const int64_t[::1] start not None,
    const int64_t[::1] end not None,
    const int64_t[::1] code not None,
    const int64_t[::1] line not None,
    const int64_t[:, ::1] pairs not None,
    const double[::1] value not None,
    int metric,
    double[:, :, ::1] out not None,
):
    """Add sums over all overlaps o of a span g of one coder with a span h of another to ``out``, for each pair and category.

    A coder's line on an item has the spans line[i]:line[i + 1], sorted and without overlaps; ``pairs`` are pairs of lines. Rows
    of ``out[p]``: 0 the length of o where g and h have the same category; 1 and 2 the length of o by the category of g and
    of h; 3 and 4 the squares of the part of g (of h) that the other coder covers; 5 and 6 the length of o times the
    difference of the categories (0: nominal, 1: interval, 2: ratio of ``value``), by the category of g and of h.
    """
    cdef Py_ssize_t p, i, j, n, m
    cdef int64_t first, last, c, k
    cdef double o, d, covered_a, covered_b
    with nogil:
        for p in range(pairs.shape[0]):
            i, n = line[pairs[p, 0]], line[pairs[p, 0] + 1]
            j, m = line[pairs[p, 1]], line[pairs[p, 1] + 1]
            covered_a = covered_b = 0
            while i < n and j < m:
                c, k = code[i], code[j]
                first = start[i] if start[i] > start[j] else start[j]
                last = end[i] if end[i] < end[j] else end[j]
                if last > first:
                    o = last - first
                    covered_a += o
                    covered_b += o
                    out[p, 1, c] += o
                    out[p, 2, k] += o
                    if c == k:
                        out[p, 0, c] += o
                    else:
                        d = 1 if metric == 0 else _difference(value[c], value[k], metric)
                        out[p, 5, c] += o * d
                        out[p, 6, k] += o * d
                if end[i] <= end[j]:
                    out[p, 3, c] += covered_a * covered_a
                    covered_a = 0
                    i += 1
                else:
                    out[p, 4, k] += covered_b * covered_b
                    covered_b = 0
                    j += 1
            if i < n:
                out[p, 3, code[i]] += covered_a * covered_a
            if j < m:
                out[p, 4, code[j]] += covered_b * covered_b


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
