"""One sweep of a window over two segmentations, shared by Pk, WindowDiff and WinPR.

A window of w positions that starts at s covers the positions s .. s+w-1, so a boundary at p is inside for
p-w+1 <= s <= p. While s moves, the counts R(s) and H(s) change only when a boundary enters or leaves; between
two such events all windows are equal and are counted in one step. The cost is O(boundaries), independent of w and N.
"""

from libc.stdint cimport INT64_MAX, int64_t

SEGMENTS = 0
POSITIONS = 1
MARKS = 2


cdef class Rule:
    """How wide the windows are and where they begin.

    ``width`` is k, or 0 for half the mean length of a reference segment. The mean is that of SEGMENTS (N / segments), POSITIONS
    ((N-1) / segments) or MARKS ((N-1) / boundaries).
    """

    cdef int64_t width, minimum
    cdef int mean
    cdef bint half_even, clamp, in_units, padded, more_windows

    def __cinit__(
        self, int64_t width, int64_t minimum, int mean, *,
        bint half_even, bint clamp, bint in_units, bint padded, bint more_windows,
    ):
        self.width, self.minimum, self.mean = width, minimum, mean
        self.half_even, self.clamp, self.in_units = half_even, clamp, in_units
        self.padded, self.more_windows = padded, more_windows


cdef struct Windows:
    int64_t k        # the width
    int64_t origin   # 0 chosen, 1 automatic, 2 automatic and reduced to the text
    int64_t w        # positions in a window
    int64_t first    # the first window begins here
    int64_t last     # the last window begins here
    int64_t number   # denominator of Pk and WindowDiff


cdef struct Sums:
    int64_t differ    # windows with R != H (WindowDiff)
    int64_t disagree  # windows with (R > 0) != (H > 0) (Pk)
    int64_t tp        # sum of min(R, H) (WinPR)
    int64_t fp        # sum of max(0, H - R)
    int64_t fn        # sum of max(0, R - H)


def sweep(
    const int64_t[::1] length not None,
    const int64_t[::1] r_pos not None,
    const int64_t[::1] r_off not None,
    const int64_t[::1] h_pos not None,
    const int64_t[::1] h_off not None,
    Rule rule not None,
    double[:, ::1] out not None,
    int64_t[::1] k not None,
    unsigned char[::1] origin not None,
):
    """Fill one row of ``out``, ``k`` and its ``origin`` per document.

    Columns: 0 windows with R != H (WindowDiff); 1 windows; 2 windows with (R > 0) != (H > 0) (Pk);
    3 sum of min(R, H); 4 sum of max(0, H - R); 5 sum of max(0, R - H) (WinPR).
    """
    cdef Py_ssize_t d, n = length.shape[0]
    cdef Windows windows
    cdef Sums sums
    cdef const int64_t* r = &r_pos[0] if r_pos.shape[0] else NULL
    cdef const int64_t* h = &h_pos[0] if h_pos.shape[0] else NULL
    if r_off[n] > r_pos.shape[0] or h_off[n] > h_pos.shape[0]:
        raise IndexError("offsets beyond the positions")
    with nogil:
        for d in range(n):
            windows = choose(rule, length[d], r_off[d + 1] - r_off[d])
            sums = sweep_one(r, r_off[d], r_off[d + 1], h, h_off[d], h_off[d + 1], windows)
            write_row(sums, windows, out, d)
            k[d] = windows.k
            origin[d] = windows.origin


cdef inline void write_row(Sums sums, Windows windows, double[:, ::1] out, Py_ssize_t d) noexcept nogil:
    out[d, 0] = sums.differ
    out[d, 1] = windows.number
    out[d, 2] = sums.disagree
    out[d, 3] = sums.tp
    out[d, 4] = sums.fp
    out[d, 5] = sums.fn


cdef Windows choose(Rule rule, int64_t N, int64_t boundaries) noexcept nogil:
    """Choose k for a text of N units with a number of reference boundaries, and lay out the windows."""
    cdef Windows windows
    cdef int64_t numerator, denominator, k, largest
    windows.origin = 0
    k = rule.width
    if k == 0:
        numerator = N if rule.mean == 0 else N - 1
        denominator = 2 * (max(boundaries, 1) if rule.mean == 2 else boundaries + 1)
        k = (2 * numerator + denominator) // (2 * denominator)  # half up
        if rule.half_even and k % 2 == 1 and (2 * k - 1) * denominator == 2 * numerator:
            k -= 1
        k = max(k, rule.minimum)
        windows.origin = 1
        largest = N if rule.in_units else N - 1
        if rule.clamp and k > largest:
            k = largest
            windows.origin = 2
    windows.k = k
    windows.w = k - 1 if rule.in_units else k
    windows.first = 2 - windows.w if rule.padded else 1
    windows.last = N - 1 if rule.padded else N - windows.w
    windows.number = windows.last - windows.first + 1
    if rule.padded and rule.more_windows:
        windows.number += 3
    windows.number = max(windows.number, 0)
    return windows


cdef Sums sweep_one(
    const int64_t* r, int64_t r_in, int64_t r_end, const int64_t* h, int64_t h_in, int64_t h_end, Windows windows,
) noexcept nogil:
    # reach = w - 1: the boundary at p enters at s = p - reach and has left at s = p + 1. Each list has two pointers:
    # the boundary that enters next and the one that leaves next. All events at one s are processed in one step.
    cdef int64_t r_out = r_in, h_out = h_in, r_enters, r_leaves, h_enters, h_leaves, until, run, R, H
    cdef int64_t reach = windows.w - 1, s = windows.first, last = windows.last
    cdef Sums sums
    sums.differ = sums.disagree = sums.tp = sums.fp = sums.fn = 0
    while r_in < r_end and r[r_in] - reach <= s:
        r_in += 1
    while h_in < h_end and h[h_in] - reach <= s:
        h_in += 1
    while s <= last:
        r_enters = r[r_in] - reach if r_in < r_end else INT64_MAX
        h_enters = h[h_in] - reach if h_in < h_end else INT64_MAX
        r_leaves = r[r_out] + 1 if r_out < r_end else INT64_MAX
        h_leaves = h[h_out] + 1 if h_out < h_end else INT64_MAX
        until = min(min(r_enters, h_enters), min(r_leaves, h_leaves))
        R = r_in - r_out
        H = h_in - h_out
        r_in += r_enters == until
        h_in += h_enters == until
        r_out += r_leaves == until
        h_out += h_leaves == until
        if until > last:
            until = last + 1
        run = until - s
        sums.differ += run * (R != H)
        sums.disagree += run * ((R > 0) != (H > 0))
        sums.tp += run * min(R, H)
        sums.fp += run * max(H - R, 0)
        sums.fn += run * max(R - H, 0)
        s = until
    return sums
