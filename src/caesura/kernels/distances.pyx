"""Distances between boundaries on an axis: nearest boundaries, edit costs, windows."""

from libc.math cimport fabs
from libc.stdint cimport int64_t
from libc.stdlib cimport qsort


def nearest(
    const int64_t[::1] from_pos not None,
    const int64_t[::1] from_off not None,
    const int64_t[::1] to_pos not None,
    const int64_t[::1] to_off not None,
    double[::1] distance not None,
):
    """Fill the distance of each boundary to the nearest boundary of the other side, which must have one."""
    cdef Py_ssize_t d, n = from_off.shape[0] - 1
    cdef int64_t i, j, x
    with nogil:
        for d in range(n):
            j = to_off[d]
            if j == to_off[d + 1]:
                continue
            for i in range(from_off[d], from_off[d + 1]):
                x = from_pos[i]
                while j + 1 < to_off[d + 1] and fabs(to_pos[j + 1] - x) <= fabs(to_pos[j] - x):
                    j += 1
                distance[i - from_off[0]] = fabs(to_pos[j] - x)


cdef int compare(const void* x, const void* y) noexcept nogil:
    cdef double a = (<const double*> x)[0], b = (<const double*> y)[0]
    return (a > b) - (a < b)


def medians(double[::1] values not None, const int64_t[::1] off not None, double[::1] out not None):
    """Sort the values of each document, and fill ``out`` with their median; 0 for a document without values."""
    cdef Py_ssize_t d
    cdef int64_t n
    with nogil:
        for d in range(off.shape[0] - 1):
            n = off[d + 1] - off[d]
            out[d] = 0
            if n > 0:
                qsort(&values[off[d]], n, sizeof(double), compare)
                out[d] = (values[off[d] + (n - 1) // 2] + values[off[d] + n // 2]) / 2


def edit_costs(
    const int64_t[::1] r_pos not None,
    const int64_t[::1] r_off not None,
    const int64_t[::1] h_pos not None,
    const int64_t[::1] h_off not None,
    const double[::1] insertion not None,
    const double[::1] deletion not None,
    double shift,
    double[::1] row not None,
    double[::1] out not None,
):
    """Compute the lowest cost of turning h into r: insert or delete a boundary, or move one for ``shift`` per distance.

    ``row`` needs one entry more than the longest document of h has boundaries. Two boundaries further apart than (insertion
    + deletion) / shift are never paired. In row i only the columns near boundary i can differ from "delete everything up
    to here": columns before the band cost their deletions more than the band's left end, columns after it as well.
    """
    cdef Py_ssize_t d, n = r_off.shape[0] - 1
    cdef int64_t i, j, m, low, high, previous_high
    cdef double ins, dele, reach, x, diagonal, up, best, cost
    with nogil:
        for d in range(n):
            m = h_off[d + 1] - h_off[d]
            ins = insertion[d]
            dele = deletion[d]
            reach = (ins + dele) / shift if shift > 0 else 1e308
            # row[j]: lowest cost for the first i boundaries of r and the first j of h. Columns below ``low`` are no longer
            # needed: no later boundary of r reaches boundary j of h. Columns above ``high`` are row[high] + deletions.
            low = 0
            high = 0
            row[0] = 0
            for i in range(r_off[d], r_off[d + 1]):
                x = r_pos[i]
                while low < m and h_pos[h_off[d] + low] < x - reach:
                    if low == high:
                        row[low + 1] = row[low] + dele
                        high += 1
                    low += 1
                previous_high = high
                while high < m and h_pos[h_off[d] + high] <= x + reach:
                    high += 1
                for j in range(previous_high + 1, high + 1):
                    row[j] = row[j - 1] + dele
                diagonal = row[low]
                row[low] = diagonal + ins
                for j in range(low + 1, high + 1):
                    up = row[j]
                    best = up + ins
                    cost = row[j - 1] + dele
                    if cost < best:
                        best = cost
                    cost = diagonal + shift * fabs(h_pos[h_off[d] + j - 1] - x)
                    if cost < best:
                        best = cost
                    diagonal = up
                    row[j] = best
            out[d] = row[high] + (m - high) * dele


def windows(
    const double[::1] length not None,
    const double[::1] begin not None,
    const double[::1] k not None,
    const double[::1] r_pos not None,
    const int64_t[::1] r_off not None,
    const double[::1] h_pos not None,
    const int64_t[::1] h_off not None,
    double[:, ::1] out not None,
):
    """Measure the window starts s in [0, T - k] at which the windows (s, s + k] of both sides differ.

    ``out`` becomes the measure where the numbers of boundaries differ (WindowDiff), where only one side has a boundary (Pk),
    and T - k. A boundary enters the window at s = place - k and leaves it at s = place.
    """
    cdef Py_ssize_t d, n = length.shape[0]
    cdef int64_t r_in, r_out, h_in, h_out, r_end, h_end
    cdef double at, stop, next_, last, counts, either
    with nogil:
        for d in range(n):
            r_in = r_out = r_off[d]
            h_in = h_out = h_off[d]
            r_end = r_off[d + 1]
            h_end = h_off[d + 1]
            last = length[d] - k[d]
            at = counts = either = 0
            while at < last:
                while r_in < r_end and r_pos[r_in] - begin[d] - k[d] <= at:
                    r_in += 1
                while r_out < r_end and r_pos[r_out] - begin[d] <= at:
                    r_out += 1
                while h_in < h_end and h_pos[h_in] - begin[d] - k[d] <= at:
                    h_in += 1
                while h_out < h_end and h_pos[h_out] - begin[d] <= at:
                    h_out += 1
                stop = last
                if r_in < r_end and r_pos[r_in] - begin[d] - k[d] < stop:
                    stop = r_pos[r_in] - begin[d] - k[d]
                if r_out < r_end and r_pos[r_out] - begin[d] < stop:
                    stop = r_pos[r_out] - begin[d]
                if h_in < h_end and h_pos[h_in] - begin[d] - k[d] < stop:
                    stop = h_pos[h_in] - begin[d] - k[d]
                if h_out < h_end and h_pos[h_out] - begin[d] < stop:
                    stop = h_pos[h_out] - begin[d]
                if r_in - r_out != h_in - h_out:
                    counts += stop - at
                    if r_in == r_out or h_in == h_out:
                        either += stop - at
                at = stop
            out[d, 0] = counts
            out[d, 1] = either
            out[d, 2] = last
