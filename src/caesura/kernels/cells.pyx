"""Cells: the parts of an axis between all boundaries of both sides. Each cell lies in one segment of either side."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

cdef double EPS = 1e-9  # two lengths that differ by at most this much are equal


def gather(list a_packed not None, list b_packed not None, bint needs_extent, bint needs_labels, bint all_points):
    """Return the arrays of a batch from the ``Tier.packed_edges`` of each pair; None if these do not suffice.

    They do not if two extents differ but must be the same, or if points at the ends of an extent count too (``all_points``).

    The result is begin and end of each document, then positions, offsets, classes of the segments that end at a boundary, classes of
    the last segments and flags for labels, first of a, then of b. Documents have the extent of a. There are no classes unless
    ``needs_labels``.
    """
    cdef Py_ssize_t d, n = len(a_packed)
    cdef Edges a, b
    begins, ends = np.empty(n), np.empty(n)
    cdef double[::1] begin = begins, end = ends
    for d in range(n):
        read_edges(a_packed[d], &a)
        read_edges(b_packed[d], &b)
        if needs_extent and not share_extent(&a, &b) or all_points and (a.traits | b.traits) & HAS_POINTS:
            return None
        begin[d] = a.begin
        end[d] = a.end
    return begins, ends, *joined(a_packed, needs_labels), *joined(b_packed, needs_labels)


cdef tuple joined(list packed, bint needs_labels):
    """Return positions, offsets, classes, last classes and flags for labels of all documents of a side."""
    cdef Py_ssize_t d, n = len(packed)
    cdef Edges edges
    cdef int64_t at = 0
    offsets, last_classes, flags = np.empty(n + 1, np.int64), np.empty(n, np.int64), np.empty(n, np.bool_)
    cdef int64_t[::1] off = offsets, last = last_classes
    cdef unsigned char[::1] labelled = flags.view(np.uint8)
    off[0] = 0
    for d in range(n):
        read_edges(packed[d], &edges)
        off[d + 1] = off[d] + edges.size
        last[d] = edges.code[edges.size] if needs_labels else 0
        labelled[d] = edges.traits & HAS_LABELS
    positions, classes = np.empty(off[n]), np.empty(off[n] if needs_labels else 0, np.int64)
    cdef double[::1] pos = positions
    cdef int64_t[::1] code = classes
    for d in range(n):
        read_edges(packed[d], &edges)
        if edges.size:
            memcpy(&pos[at], edges.pos, edges.size * sizeof(double))
            if needs_labels:
                memcpy(&code[at], edges.code, edges.size * sizeof(int64_t))
            at += edges.size
    return positions, offsets, classes, last_classes, flags


def same_places(
    const double[::1] a_pos not None,
    const int64_t[::1] a_off not None,
    double[::1] b_pos not None,
    const int64_t[::1] b_off not None,
):
    """Move each boundary of b that is the same place as a boundary of a to the place of a."""
    cdef Py_ssize_t d, n = a_off.shape[0] - 1
    if a_off[n] > a_pos.shape[0] or b_off[n] > b_pos.shape[0]:
        raise IndexError("offsets beyond the boundaries")
    cdef const double* a = &a_pos[0] if a_pos.shape[0] else NULL
    cdef double* b = &b_pos[0] if b_pos.shape[0] else NULL
    with nogil:
        for d in range(n):
            move_to_same_places(a, a_off[d], a_off[d + 1], b, b_off[d], b_off[d + 1])


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
    cdef int64_t c = 0
    cdef int64_t cells = a_off[n] - a_off[0] + b_off[n] - b_off[0] + n
    if a_off[n] > a_pos.shape[0] or b_off[n] > b_pos.shape[0] or cells > min(width.shape[0], a_seg.shape[0], b_seg.shape[0]):
        raise IndexError("offsets beyond the boundaries or the cells")
    cdef const double* a = &a_pos[0] if a_pos.shape[0] else NULL
    cdef const double* b = &b_pos[0] if b_pos.shape[0] else NULL
    with nogil:
        for d in range(n):
            cell_off[d] = c
            c += sweep_document(
                begin[d], end[d], a + a_off[d], a_off[d + 1] - a_off[d], b + b_off[d], b_off[d + 1] - b_off[d],
                a_off[d] - a_off[0] + d, b_off[d] - b_off[0] + d, &width[c], &a_seg[c], &b_seg[c],
            )
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
    segment, and the length of the document. If ``choose``, ``chosen`` marks the cell with the largest overlap of each segment; of
    equal overlaps the one with the larger Jaccard index; of equal indices the left one, or all of them if ``ties_all``. The cells of
    a segment follow each other, because two segments have at most one cell in common.
    """
    cdef Py_ssize_t d, n = cell_off.shape[0] - 1
    if cell_off[n] > min(width.shape[0], segment.shape[0], other.shape[0]) or (choose and cell_off[n] > chosen.shape[0]):
        raise IndexError("offsets beyond the cells")
    cdef unsigned char* mark = &chosen[0] if choose and chosen.shape[0] else NULL
    with nogil:
        for d in range(n):
            overlaps_of_document(
                &width[0], cell_off[d], cell_off[d + 1], &segment[0], &length[0], &other[0], &other_length[0], ties_all, mark,
                &out[d, 0],
            )


cdef void overlaps_of_document(
    const double* width, int64_t first, int64_t end, const int64_t* segment, const double* length, const int64_t* other,
    const double* other_length, bint ties_all, unsigned char* chosen, double* out,
) noexcept nogil:
    """Compute the three sums of the cells first .. end - 1; mark cells unless ``chosen`` is NULL."""
    cdef int64_t c, last
    cdef double covered = 0, weighted = 0, total = 0, size, jaccard, largest, best, tied
    while first < end:
        size = length[segment[first]]
        last = first
        largest = best = 0
        while last < end and segment[last] == segment[first]:
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
        for c in range(first, last if chosen != NULL else first):
            if width[c] >= largest - EPS:
                jaccard = width[c] / (size + other_length[other[c]] - width[c])
                if jaccard > tied:
                    tied = jaccard
        for c in range(first, last if chosen != NULL else first):
            if width[c] >= largest - EPS:
                jaccard = width[c] / (size + other_length[other[c]] - width[c])
                if jaccard >= tied - EPS:
                    chosen[c] = 1
                    if not ties_all:
                        break
        first = last
    out[0] = covered
    out[1] = weighted
    out[2] = total


cdef class Memory:
    """Working memory for documents with at most some numbers of boundaries."""

    cdef double* block
    cdef double* b_pos
    cdef double* width
    cdef double* a_length
    cdef double* b_length
    cdef int64_t* a_seg
    cdef int64_t* b_seg

    def __cinit__(self, int64_t a_size, int64_t b_size):
        cdef int64_t cells = a_size + b_size + 1
        self.block = <double*>malloc((b_size + 4 * cells + 1) * sizeof(double))
        if self.block == NULL:
            raise MemoryError
        self.b_pos = self.block
        self.width = self.b_pos + b_size
        self.a_seg = <int64_t*>(self.width + cells)
        self.b_seg = self.a_seg + cells
        self.a_length = <double*>(self.b_seg + cells)
        self.b_length = self.a_length + a_size + 1

    def __dealloc__(self):
        free(self.block)

    cdef void find_overlaps(self, const Edges* a, const Edges* b, double* out) noexcept nogil:
        """Compute the three sums of a document for the segments of a, then those for the segments of b."""
        cdef int64_t c, cells
        cells = sweep_document(a.begin, a.end, a.pos, a.size, b.pos, b.size, 0, 0, self.width, self.a_seg, self.b_seg)
        for c in range(a.size + 1):
            self.a_length[c] = 0
        for c in range(b.size + 1):
            self.b_length[c] = 0
        for c in range(cells):
            self.a_length[self.a_seg[c]] += self.width[c]
            self.b_length[self.b_seg[c]] += self.width[c]
        overlaps_of_document(
            self.width, 0, cells, self.a_seg, self.a_length, self.b_seg, self.b_length, False, NULL, out
        )
        overlaps_of_document(
            self.width, 0, cells, self.b_seg, self.b_length, self.a_seg, self.a_length, False, NULL, out + 3
        )


def overlaps_of_pair(a_packed not None, b_packed not None):
    """Return the three sums of :func:`overlaps` for two ``Tier.packed_edges``, for the segments of a and for those of b.

    None if the extents differ.
    """
    cdef Edges a, b
    cdef double out[6]
    read_edges(a_packed, &a)
    read_edges(b_packed, &b)
    if not share_extent(&a, &b):
        return None
    cdef Memory memory = Memory(a.size, b.size)
    with nogil:
        memcpy(memory.b_pos, b.pos, b.size * sizeof(double))
        move_to_same_places(a.pos, 0, a.size, memory.b_pos, 0, b.size)
        b.pos = memory.b_pos
        memory.find_overlaps(&a, &b, out)
    return out[0], out[1], out[2], out[3], out[4], out[5]


def overlaps_of_batch(
    const double[::1] begin not None,
    const double[::1] end not None,
    const double[::1] a_pos not None,
    const int64_t[::1] a_off not None,
    const double[::1] b_pos not None,
    const int64_t[::1] b_off not None,
    double[:, ::1] out not None,
):
    """Fill the sums of :func:`overlaps_of_pair` per document if all cells count; the cells are not stored."""
    cdef Py_ssize_t d, n = begin.shape[0]
    cdef int64_t a_size = 0, b_size = 0
    cdef Edges a, b
    if a_off[n] > a_pos.shape[0] or b_off[n] > b_pos.shape[0]:
        raise IndexError("offsets beyond the boundaries")
    for d in range(n):
        a_size, b_size = max(a_size, a_off[d + 1] - a_off[d]), max(b_size, b_off[d + 1] - b_off[d])
    cdef Memory memory = Memory(a_size, b_size)
    with nogil:
        for d in range(n):
            a.begin, a.end, a.size, b.size = begin[d], end[d], a_off[d + 1] - a_off[d], b_off[d + 1] - b_off[d]
            if a.size:
                a.pos = &a_pos[a_off[d]]
            if b.size:
                b.pos = &b_pos[b_off[d]]
            memory.find_overlaps(&a, &b, &out[d, 0])


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
