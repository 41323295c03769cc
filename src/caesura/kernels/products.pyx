"""Products of matrices whose sums have a fixed order, so that they do not depend on the processor or a library."""

from libc.math cimport INFINITY, NAN, fabs, rint
from libc.stdint cimport int64_t

cdef enum:
    ROWS = 8


def multiply(const double[:, ::1] a not None, const double[:, ::1] b not None, double[:, ::1] out not None):
    """Add the product of ``a`` and ``b`` to ``out``, one term after the other, in the order of the shared dimension.

    Terms with 0 in ``a`` are left out, also if ``b`` is infinite there.
    """
    cdef Py_ssize_t i, j, k, first, last, n = a.shape[0], m = a.shape[1], p = b.shape[1]
    cdef double x
    cdef bint finite = True
    with nogil:
        for k in range(m):
            for j in range(p):
                finite = finite & (b[k, j] - b[k, j] == 0)
        first = 0
        # Some rows at a time, so that an addition need not wait for the one before it.
        while first < n:
            last = first + ROWS if first + ROWS < n else n
            for k in range(m):
                for i in range(first, last):
                    x = a[i, k]
                    if finite or x != 0:
                        for j in range(p):
                            out[i, j] += x * b[k, j]
            first = last


def largest_whole(const double[::1] values not None):
    """Return the largest absolute value if all values are whole numbers, else infinity."""
    cdef Py_ssize_t i, n = values.shape[0]
    cdef double x, largest = 0.0
    # Below 2^51, this sum and difference round to a whole number, without a call that the compiler cannot vectorize.
    cdef double half = 6755399441055744.0
    cdef bint is_whole = True
    with nogil:
        for i in range(n):
            x = fabs(values[i])
            largest = x if x > largest else largest
            is_whole = is_whole & ((x + half) - half == x)
        if not is_whole or largest >= 2251799813685248.0:
            is_whole = True
            for i in range(n):
                if not rint(values[i]) == values[i]:
                    is_whole = False
                    break
    return largest if is_whole else INFINITY


def mean_of_pairs(
    const double[:, :, ::1] rates not None,
    const int64_t[::1] first not None,
    const int64_t[::1] second not None,
    const double[:, ::1] weights not None,
    double[::1] out not None,
):
    """Fill, for each matrix of ``rates``, the weighted mean over pairs of the scalar product of two of its rows.

    Pair p has the rows ``first[p]`` and ``second[p]``. The mean is NaN if no pair has a weight. Sums are compensated
    (Neumaier), because there may be many pairs.
    """
    cdef Py_ssize_t r, p, k, n = rates.shape[0], pairs = first.shape[0], m = rates.shape[2]
    cdef double x, total, lost, sum_, number
    cdef const double* a
    cdef const double* b
    if weights.shape[0] < n or weights.shape[1] < pairs or second.shape[0] < pairs:
        raise IndexError("too few weights or pairs")
    with nogil:
        for r in range(n):
            total = lost = number = 0.0
            for p in range(pairs):
                if weights[r, p] == 0.0:
                    continue
                a, b = &rates[r, first[p], 0], &rates[r, second[p], 0]
                x = 0.0
                for k in range(m):
                    x += a[k] * b[k]
                x *= weights[r, p]
                sum_ = total + x
                lost += (total - sum_) + x if total >= x else (x - sum_) + total
                total = sum_
                number += weights[r, p]
            out[r] = (total + lost) / number if number > 0.0 else NAN


def equal_lengths(const int64_t[:, ::1] codes not None, const double[::1] width not None, double[:, ::1] out not None):
    """Add to ``out``, for every two columns of ``codes``, the widths of the rows in which both have the same code.

    ``out`` must be symmetric.
    """
    cdef Py_ssize_t k, x, y, m = codes.shape[0], n = codes.shape[1]
    cdef int64_t code
    cdef double w
    if width.shape[0] < m or out.shape[0] < n or out.shape[1] < n:
        raise IndexError("too few widths or columns")
    with nogil:
        for k in range(m):
            w = width[k]
            if w == 0:
                continue
            for x in range(n):
                code = codes[k, x]
                for y in range(x, n):
                    out[x, y] += w if codes[k, y] == code else 0.0
        for x in range(n):
            for y in range(x):
                out[x, y] = out[y, x]
