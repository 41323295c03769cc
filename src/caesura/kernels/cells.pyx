"""Cells: the parts of an axis between all boundaries of both sides. Each cell lies in one segment of either side."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

import numpy as np

EVERY, BY_BOTH, BY_FIRST = EVERY_CELL, LABELLED_BY_BOTH, LABELLED_BY_FIRST
cdef double EPS = 1e-9  # two Jaccard indices that differ by at most this much are equal


cdef class Pairs:
    def __init__(
        self,
        const int64_t[::1] begin not None,
        const int64_t[::1] end not None,
        const int64_t[::1] a_place not None,
        const int64_t[::1] a_off not None,
        const int64_t[::1] a_label not None,
        const int64_t[::1] b_place not None,
        const int64_t[::1] b_off not None,
        const int64_t[::1] b_label not None,
        Counted counted,
    ):
        """Keep the columns of both sides, and which cells count; labels may be empty if all cells do."""
        cdef Py_ssize_t d, n = a_off.shape[0] - 1
        self.size, self.counted = n, counted
        self.begin, self.end = begin, end
        self.a_place, self.a_off, self.a_label = a_place, a_off, a_label
        self.b_place, self.b_off, self.b_label = b_place, b_off, b_label
        self.has_labels = a_label.shape[0] > 0
        if min(begin.shape[0], end.shape[0], b_off.shape[0] - 1) < n:
            raise IndexError("too few extents or offsets")
        if a_off[n] > a_place.shape[0] or b_off[n] > b_place.shape[0]:
            raise IndexError("offsets beyond the boundaries")
        if (self.has_labels or counted != EVERY_CELL) and (
            a_off[n] - a_off[0] + n > a_label.shape[0] or b_off[n] - b_off[0] + n > b_label.shape[0]
        ):
            raise IndexError("offsets beyond the labels")
        self.first_a = &a_place[0] if a_place.shape[0] else NULL
        self.first_b = &b_place[0] if b_place.shape[0] else NULL
        self.most_a = self.most_b = 0
        for d in range(n):
            self.most_a = max(self.most_a, a_off[d + 1] - a_off[d])
            self.most_b = max(self.most_b, b_off[d + 1] - b_off[d])

    cdef const int64_t* labels_of_a(self, Py_ssize_t d) noexcept nogil:
        return &self.a_label[self.a_off[d] - self.a_off[0] + d] if self.has_labels else NULL

    cdef const int64_t* labels_of_b(self, Py_ssize_t d) noexcept nogil:
        return &self.b_label[self.b_off[d] - self.b_off[0] + d] if self.has_labels else NULL

    cdef int64_t sweep(self, Py_ssize_t d, double* width, int64_t* a_segment, int64_t* b_segment) noexcept nogil:
        """Fill width and segments of the cells of a pair that count, from left to right; return their number.

        There are at most as many cells as boundaries, and one more. Segments are numbered from 0. If only the first side must
        have a label, a segment of the other side ends where the first has none, and its parts have different numbers; time
        before the first and after the last interval of the other side is not part of its segmentation.
        """
        cdef const int64_t* a = self.first_a + self.a_off[d]
        cdef const int64_t* b = self.first_b + self.b_off[d]
        cdef const int64_t* a_label = self.labels_of_a(d)
        cdef const int64_t* b_label = self.labels_of_b(d)
        cdef int64_t a_size = self.a_off[d + 1] - self.a_off[d], b_size = self.b_off[d + 1] - self.b_off[d]
        cdef int64_t at = self.begin[d], end = self.end[d]
        cdef int64_t i = 0, j = 0, cells = 0, cuts = 0, stop, a_stop, b_stop, counts
        while True:
            a_stop = a[i] if i < a_size else end
            b_stop = b[j] if j < b_size else end
            stop = a_stop if a_stop < b_stop else b_stop
            width[cells] = stop - at
            a_segment[cells] = i
            b_segment[cells] = j + cuts
            counts = stop > at
            if self.counted == LABELLED_BY_BOTH:
                counts &= a_label[i] > 0 and b_label[j] > 0
            elif self.counted == LABELLED_BY_FIRST:
                counts &= a_label[i] > 0 and (b_label[j] > 0 or (0 < j and j < b_size))
                cuts += 1 - counts
            cells += counts
            at = stop
            if i == a_size and j == b_size:
                return cells
            # Which side has the next boundary is random, so a branch would often be predicted wrongly.
            i += <int64_t>(i < a_size) & <int64_t>(a_stop <= stop)
            j += <int64_t>(j < b_size) & <int64_t>(b_stop <= stop)


cdef class Memory:
    """Working memory for the cells of a pair."""

    cdef double* width
    cdef double* a_length
    cdef double* b_length
    cdef int64_t* a_segment
    cdef int64_t* b_segment
    cdef unsigned char* chosen

    def __cinit__(self, Pairs pairs):
        cdef int64_t cells = pairs.most_a + pairs.most_b + 1
        self.width = <double*>malloc(cells * (6 * sizeof(double) + 1))
        if self.width == NULL:
            raise MemoryError
        self.a_length = self.width + cells
        self.b_length = self.a_length + cells
        self.a_segment = <int64_t*>(self.b_length + 2 * cells)  # parts of segments have numbers of their own
        self.b_segment = self.a_segment + cells
        self.chosen = <unsigned char*>(self.b_segment + cells)

    def __dealloc__(self):
        free(self.width)


def counted_lengths(Pairs pairs not None, double[::1] out not None):
    """Fill the length of all cells of each pair that count."""
    cdef Py_ssize_t d
    cdef int64_t c, cells
    cdef Memory memory = Memory(pairs)
    with nogil:
        for d in range(pairs.size):
            cells = pairs.sweep(d, memory.width, memory.a_segment, memory.b_segment)
            out[d] = 0
            for c in range(cells):
                out[d] += memory.width[c]


def label_lengths(Pairs pairs not None, int64_t labels, double[:, ::1] out not None):
    """Fill the length of all cells of each pair that count, of those with equal labels, and of each label of either side.

    There are ``labels`` labels with 0 for no label, so ``out`` has 2 + 2 ``labels`` columns.
    """
    cdef Py_ssize_t d
    cdef int64_t c, cells, x, y
    cdef const int64_t* a_label
    cdef const int64_t* b_label
    cdef Memory memory = Memory(pairs)
    if out.shape[0] < pairs.size or out.shape[1] < 2 + 2 * labels or (pairs.size and not pairs.has_labels):
        raise IndexError("too few sums or labels")
    out[:, :] = 0
    with nogil:
        for d in range(pairs.size):
            cells = pairs.sweep(d, memory.width, memory.a_segment, memory.b_segment)
            a_label, b_label = pairs.labels_of_a(d), pairs.labels_of_b(d)
            for c in range(cells):
                x, y = a_label[memory.a_segment[c]], b_label[memory.b_segment[c]]
                out[d, 0] += memory.width[c]
                if x == y:
                    out[d, 1] += memory.width[c]
                out[d, 2 + x] += memory.width[c]
                out[d, 2 + labels + y] += memory.width[c]


def overlaps(Pairs pairs not None, bint choose, bint all_ties, double near, double[:, ::1] out not None):
    """For each segment, find its largest overlap and its largest Jaccard index with one segment of the other side.

    ``out`` becomes, for the segments of a: the sum of the largest overlaps, and of the largest Jaccard indices, each times the
    length of its segment; the same for the segments of b; the length of all cells. If ``choose``, two more columns are the sum of
    the Jaccard indices of chosen pairs of segments, and their number. A segment chooses the largest overlap; of overlaps that are
    equal or differ by at most ``near`` the one with the larger Jaccard index; of equal indices the left one, or all of them if
    ``all_ties``. The cells of a segment follow each other, because two segments have at most one cell in common.
    """
    cdef Py_ssize_t d
    cdef int64_t c, cells
    cdef double* width
    cdef double* a_length
    cdef double* b_length
    cdef Memory memory = Memory(pairs)
    cdef unsigned char* chosen = memory.chosen if choose else NULL
    width, a_length, b_length = memory.width, memory.a_length, memory.b_length
    with nogil:
        for d in range(pairs.size):
            cells = pairs.sweep(d, width, memory.a_segment, memory.b_segment)
            for c in range(cells):
                a_length[memory.a_segment[c]] = b_length[memory.b_segment[c]] = 0
                memory.chosen[c] = 0
            out[d, 4] = 0
            for c in range(cells):
                a_length[memory.a_segment[c]] += width[c]
                b_length[memory.b_segment[c]] += width[c]
                out[d, 4] += width[c]
            find_overlaps(
                width, cells, memory.a_segment, a_length, memory.b_segment, b_length, all_ties, near, chosen, &out[d, 0]
            )
            find_overlaps(
                width, cells, memory.b_segment, b_length, memory.a_segment, a_length, all_ties, near, chosen, &out[d, 2]
            )
            if choose:
                out[d, 5] = out[d, 6] = 0
            for c in range(cells if choose else 0):
                if chosen[c]:
                    out[d, 5] += width[c] / (a_length[memory.a_segment[c]] + b_length[memory.b_segment[c]] - width[c])
                    out[d, 6] += 1


cdef void find_overlaps(
    const double* width, int64_t cells, const int64_t* segment, const double* length, const int64_t* other,
    const double* other_length, bint all_ties, double near, unsigned char* chosen, double* out,
) noexcept nogil:
    """Compute the two sums of a pair for one side; mark cells unless ``chosen`` is NULL."""
    cdef int64_t c, first = 0, last
    cdef double covered = 0, weighted = 0, size, jaccard, largest, best, tied
    while first < cells:
        size = length[segment[first]]
        last = first
        largest = best = 0
        while last < cells and segment[last] == segment[first]:
            jaccard = width[last] / (size + other_length[other[last]] - width[last])
            if width[last] > largest:
                largest = width[last]
            if jaccard > best:
                best = jaccard
            last += 1
        covered += largest
        weighted += size * best
        tied = 0
        for c in range(first, last if chosen != NULL else first):
            if width[c] >= largest - near:
                jaccard = width[c] / (size + other_length[other[c]] - width[c])
                if jaccard > tied:
                    tied = jaccard
        for c in range(first, last if chosen != NULL else first):
            if width[c] >= largest - near:
                jaccard = width[c] / (size + other_length[other[c]] - width[c])
                if jaccard >= tied - EPS:
                    chosen[c] = 1
                    if not all_ties:
                        break
        first = last
    out[0] = covered
    out[1] = weighted
