"""The edges of annotations in seconds as kernels read them, and the sweep over the boundaries of one document.

``Tier.packed_edges`` contains the begin, the end, the number of inner boundaries, three bits, the inner boundaries and the class of
each segment, 64 bits each. It is read by plain addresses, because a memoryview of an object takes longer than comparing two short
recordings.
"""

from libc.stdint cimport int64_t


cdef extern from "Python.h":
    int PyBytes_AsStringAndSize(object packed, char** content, Py_ssize_t* size) except -1


cdef enum:
    HAS_LABELS = 1
    HAS_OPEN_END = 2
    HAS_POINTS = 4


cdef struct Edges:
    double begin
    double end
    int64_t size
    int64_t traits
    const double* pos
    const int64_t* code


cdef inline int read_edges(object packed, Edges* edges) except -1:
    """Find extent, boundaries and classes; raise TypeError unless ``packed`` is bytes."""
    cdef char* content
    cdef Py_ssize_t size
    PyBytes_AsStringAndSize(packed, &content, &size)
    edges.begin = (<const double*>content)[0]
    edges.end = (<const double*>content)[1]
    edges.size = (<const int64_t*>content)[2]
    edges.traits = (<const int64_t*>content)[3]
    edges.pos = <const double*>content + 4
    edges.code = <const int64_t*>content + 4 + edges.size
    return 0


cdef inline bint is_same_place(double x, double y) noexcept nogil:
    """Return whether two times differ by at most 1e-9 seconds."""
    return x - y <= 1e-9 and y - x <= 1e-9


cdef inline bint share_extent(const Edges* a, const Edges* b) noexcept nogil:
    """Return whether both sides have the same extent, and it is known."""
    return not (a.traits | b.traits) & HAS_OPEN_END and is_same_place(a.begin, b.begin) and is_same_place(a.end, b.end)


cdef inline void move_to_same_places(
    const double* a_pos, int64_t i, int64_t a_end, double* b_pos, int64_t b_begin, int64_t b_end
) noexcept nogil:
    """Move each boundary of b that is the same place as a boundary of a to the place of a."""
    cdef int64_t j
    for j in range(b_begin, b_end):
        while i < a_end and a_pos[i] < b_pos[j] - 1e-9:
            i += 1
        if i < a_end and a_pos[i] <= b_pos[j] + 1e-9:
            b_pos[j] = a_pos[i]
            i += 1


cdef inline int64_t sweep_document(
    double begin, double end, const double* a_pos, int64_t a_size, const double* b_pos, int64_t b_size, int64_t a_first,
    int64_t b_first, double* width, int64_t* a_seg, int64_t* b_seg,
) noexcept nogil:
    """Fill width and segments of the cells of a document, from left to right; return their number, at most one per boundary + 1.

    Segments are numbered from ``a_first`` and ``b_first``.
    """
    cdef int64_t i = 0, j = 0, c = 0
    cdef double at = begin, stop, a_stop, b_stop
    while True:
        a_stop = a_pos[i] if i < a_size else end
        b_stop = b_pos[j] if j < b_size else end
        stop = a_stop if a_stop < b_stop else b_stop
        width[c] = stop - at
        a_seg[c] = a_first + i
        b_seg[c] = b_first + j
        c += 1
        at = stop
        if i == a_size and j == b_size:
            return c
        # Which side has the next boundary is random, so a branch would often be predicted wrongly.
        i += <int64_t>(i < a_size) & <int64_t>(a_stop <= stop)
        j += <int64_t>(j < b_size) & <int64_t>(b_stop <= stop)
