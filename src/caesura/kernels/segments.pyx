"""Merge sorted lists: pair boundaries within a tolerance, and find overlaps of segments."""

from libc.stdint cimport int64_t


def pair_within(
    const int64_t[::1] r_pos not None,
    const int64_t[::1] r_off not None,
    const int64_t[::1] h_pos not None,
    const int64_t[::1] h_off not None,
    const int64_t[::1] tolerance not None,
    int64_t[::1] mate not None,
):
    """Fill ``mate`` with a maximum matching of boundaries at most ``tolerance`` apart, which is given for each document; below 0, nothing
    is paired.

    ``mate[i]`` becomes the index in ``h_pos`` of the partner of ``r_pos[i]``, or -1. Pairing the first two boundaries that
    fit gives a maximum matching: a later boundary that fits the earlier of two candidates also fits the later one.
    """
    cdef Py_ssize_t d, n = r_off.shape[0] - 1
    if r_off[n] > r_pos.shape[0] or h_off[n] > h_pos.shape[0]:
        raise IndexError("offsets beyond the positions")
    if tolerance.shape[0] < n or mate.shape[0] < r_off[n]:
        raise IndexError("an array is too short")
    cdef const int64_t* r = &r_pos[0] if r_pos.shape[0] else NULL
    cdef const int64_t* h = &h_pos[0] if h_pos.shape[0] else NULL
    cdef int64_t* partner = &mate[0] if mate.shape[0] else NULL
    with nogil:
        for d in range(n):
            pair_one(r, r_off[d], r_off[d + 1], h, h_off[d], h_off[d + 1], tolerance[d], partner)


cdef int64_t pair_one(
    const int64_t* r, int64_t i, int64_t i_end, const int64_t* h, int64_t j, int64_t j_end, int64_t tolerance, int64_t* mate,
) noexcept nogil:
    """Return the number of pairs of one document; fill ``mate`` unless it is NULL."""
    cdef int64_t pairs = 0
    while i < i_end:
        if j == j_end or h[j] - r[i] > tolerance:
            if mate != NULL:
                mate[i] = -1
            i += 1
        elif r[i] - h[j] > tolerance:
            j += 1
        else:
            if mate != NULL:
                mate[i] = j
            pairs += 1
            i += 1
            j += 1
    return pairs


def unit_overlap(
    const int64_t[::1] length not None,
    const int64_t[::1] r_pos not None,
    const int64_t[::1] r_off not None,
    const int64_t[::1] h_pos not None,
    const int64_t[::1] h_off not None,
    double[:, ::1] out not None,
):
    """Compute the sums over units w of |R(w) minus H(w)| / |R(w)| and of |H(w) minus R(w)| / |H(w)|.

    Units in the same two segments have the same terms, so one step per overlap o of a reference segment with a hypothesis
    segment is enough: o * (|R| - o) / |R| and o * (|H| - o) / |H|.
    """
    cdef Py_ssize_t d, n = length.shape[0]
    cdef int64_t i, j, N, at, r_start, r_stop, h_start, h_stop, stop
    cdef double o, missed, spurious
    with nogil:
        for d in range(n):
            i = r_off[d]
            j = h_off[d]
            N = length[d]
            missed = spurious = 0
            at = r_start = h_start = 0
            while at < N:
                r_stop = r_pos[i] if i < r_off[d + 1] else N
                h_stop = h_pos[j] if j < h_off[d + 1] else N
                stop = r_stop if r_stop < h_stop else h_stop
                o = stop - at
                missed += o * ((r_stop - r_start) - o) / (r_stop - r_start)
                spurious += o * ((h_stop - h_start) - o) / (h_stop - h_start)
                at = stop
                if stop == r_stop:
                    r_start = stop
                    i += 1
                if stop == h_stop:
                    h_start = stop
                    j += 1
            out[d, 0] = missed
            out[d, 1] = spurious
