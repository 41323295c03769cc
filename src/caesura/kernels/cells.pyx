"""Cells: the parts of an axis between all boundaries of both sides. Each cell lies in one segment of either side."""

from libc.stdint cimport int64_t

cdef double EPS = 1e-9  # two lengths that differ by at most this much are equal


def same_places(
    const double[::1] a_pos not None,
    const int64_t[::1] a_off not None,
    double[::1] b_pos not None,
    const int64_t[::1] b_off not None,
):
    """Move each boundary of b that is the same place as a boundary of a to the place of a."""
    cdef Py_ssize_t d, n = a_off.shape[0] - 1
    cdef int64_t i, j
    with nogil:
        for d in range(n):
            i = a_off[d]
            for j in range(b_off[d], b_off[d + 1]):
                while i < a_off[d + 1] and a_pos[i] < b_pos[j] - EPS:
                    i += 1
                if i < a_off[d + 1] and a_pos[i] <= b_pos[j] + EPS:
                    b_pos[j] = a_pos[i]
                    i += 1


def sweep(
    const double[::1] begin not None,
    const double[::1] end not None,
    const double[::1] a_pos not None,
    const int64_t[::1] a_off not None,
    const double[::1] b_pos not None,
    const int64_t[::1] b_off not None,
    double[::1] width not None,
    int64_t[::1] a_seg not None,
    int64_t[::1] b_seg not None,
    int64_t[::1] cell_off not None,
):
    """Fill width and segments of the cells of all documents, from left to right; return their number.

    Segments are numbered over all documents: document d has ``a_off[d + 1] - a_off[d] + 1`` segments of a. There are at most
    as many cells as boundaries and documents.
    """
    cdef Py_ssize_t d, n = a_off.shape[0] - 1
    cdef int64_t i, j, c = 0
    cdef double at, stop, a_stop, b_stop
    with nogil:
        for d in range(n):
            cell_off[d] = c
            i = a_off[d]
            j = b_off[d]
            at = begin[d]
            while True:
                a_stop = a_pos[i] if i < a_off[d + 1] else end[d]
                b_stop = b_pos[j] if j < b_off[d + 1] else end[d]
                stop = a_stop if a_stop < b_stop else b_stop
                width[c] = stop - at
                a_seg[c] = i - a_off[0] + d
                b_seg[c] = j - b_off[0] + d
                c += 1
                at = stop
                if i == a_off[d + 1] and j == b_off[d + 1]:
                    break
                if i < a_off[d + 1] and a_stop <= stop:
                    i += 1
                if j < b_off[d + 1] and b_stop <= stop:
                    j += 1
        cell_off[n] = c
    return c


def lengths(const double[::1] width not None, const int64_t[::1] segment not None, double[::1] length not None):
    """Add the widths of the cells of each segment."""
    cdef Py_ssize_t c
    with nogil:
        for c in range(width.shape[0]):
            length[segment[c]] += width[c]


def overlaps(
    const double[::1] width not None,
    const int64_t[::1] cell_off not None,
    const int64_t[::1] segment not None,
    const double[::1] length not None,
    const int64_t[::1] other not None,
    const double[::1] other_length not None,
    bint choose,
    bint ties_all,
    unsigned char[::1] chosen not None,
    double[:, ::1] out not None,
):
    """For each segment, find its largest overlap and its largest Jaccard index with one segment of the other side.

    ``out`` becomes the sum of the largest overlaps, the sum of the largest Jaccard indices, each times the length of its
    segment, and the length of the document. If ``choose``, ``chosen`` marks the cell with the largest overlap of each segment; of equal overlaps the one with the larger
    Jaccard index; of equal indices the left one, or all of them if ``ties_all``. The cells of a segment follow each other, because two
    segments have at most one cell in common.
    """
    cdef Py_ssize_t d
    cdef int64_t c, first, last
    cdef double covered, weighted, total, size, jaccard, largest, best, tied
    with nogil:
        for d in range(cell_off.shape[0] - 1):
            covered = weighted = total = 0
            first = cell_off[d]
            while first < cell_off[d + 1]:
                size = length[segment[first]]
                last = first
                largest = best = 0
                while last < cell_off[d + 1] and segment[last] == segment[first]:
                    total += width[last]
                    jaccard = width[last] / (size + other_length[other[last]] - width[last])
                    if width[last] > largest:
                        largest = width[last]
                    if jaccard > best:
                        best = jaccard
                    last += 1
                covered += largest
                weighted += size * best
                tied = 0
                for c in range(first, last if choose else first):
                    if width[c] >= largest - EPS:
                        jaccard = width[c] / (size + other_length[other[c]] - width[c])
                        if jaccard > tied:
                            tied = jaccard
                for c in range(first, last if choose else first):
                    if width[c] >= largest - EPS:
                        jaccard = width[c] / (size + other_length[other[c]] - width[c])
                        if jaccard >= tied - EPS:
                            chosen[c] = 1
                            if not ties_all:
                                break
                first = last
            out[d, 0] = covered
            out[d, 1] = weighted
            out[d, 2] = total


def chosen_pairs(
    const double[::1] width not None,
    const int64_t[::1] cell_off not None,
    const int64_t[::1] a_seg not None,
    const double[::1] a_length not None,
    const int64_t[::1] b_seg not None,
    const double[::1] b_length not None,
    const unsigned char[::1] chosen not None,
    double[:, ::1] out not None,
):
    """Compute the sum of the Jaccard indices of the chosen pairs of segments, and their number."""
    cdef Py_ssize_t d
    cdef int64_t c
    with nogil:
        for d in range(cell_off.shape[0] - 1):
            out[d, 0] = out[d, 1] = 0
            for c in range(cell_off[d], cell_off[d + 1]):
                if chosen[c]:
                    out[d, 0] += width[c] / (a_length[a_seg[c]] + b_length[b_seg[c]] - width[c])
                    out[d, 1] += 1
