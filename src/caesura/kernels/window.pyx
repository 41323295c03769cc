"""One sweep of a window over two segmentations, shared by Pk, WindowDiff and WinPR.

A window of w positions that starts at s covers the positions s .. s+w-1, so a boundary at p is inside for
p-w+1 <= s <= p. While s moves, the counts R(s) and H(s) change only when a boundary enters or leaves; between
two such events all windows are equal and are counted in one step. The cost is O(boundaries), independent of w and N.
"""

from libc.stdint cimport INT64_MAX, int64_t


def sweep(
    const int64_t[::1] r_pos not None,
    const int64_t[::1] r_off not None,
    const int64_t[::1] h_pos not None,
    const int64_t[::1] h_off not None,
    const int64_t[::1] width not None,
    const int64_t[::1] first not None,
    const int64_t[::1] last not None,
    double[:, ::1] out not None,
):
    """Fill one row of ``out`` per document, over the window starts first..last:

    0: windows with R != H (WindowDiff); 2: windows with (R > 0) != (H > 0) (Pk);
    3: sum of min(R, H); 4: sum of max(0, H - R); 5: sum of max(0, R - H) (WinPR).

    Column 1 is not filled; the caller stores the denominator of Pk and WindowDiff there.
    """
    cdef Py_ssize_t d, n = width.shape[0]
    with nogil:
        for d in range(n):
            sweep_one(r_pos, r_off[d], r_off[d + 1], h_pos, h_off[d], h_off[d + 1],
                      width[d] - 1, first[d], last[d], out, d)


cdef int sweep_one(
    const int64_t[::1] r, int64_t r_in, int64_t r_end,
    const int64_t[::1] h, int64_t h_in, int64_t h_end,
    int64_t reach, int64_t s, int64_t last, double[:, ::1] out, Py_ssize_t d,
) except -1 nogil:
    # reach = w - 1: the boundary at p enters at s = p - reach and has left at s = p + 1. Each list has two pointers:
    # the boundary that enters next and the one that leaves next. All events at one s are processed in one step.
    cdef int64_t r_out = r_in, h_out = h_in, r_enters, r_leaves, h_enters, h_leaves, until, run, R, H
    cdef int64_t differ = 0, disagree = 0, tp = 0, fp = 0, fn = 0
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
        differ += run * (R != H)
        disagree += run * ((R > 0) != (H > 0))
        tp += run * min(R, H)
        fp += run * max(H - R, 0)
        fn += run * max(R - H, 0)
        s = until
    out[d, 0] = differ
    out[d, 2] = disagree
    out[d, 3] = tp
    out[d, 4] = fp
    out[d, 5] = fn
    return 0
