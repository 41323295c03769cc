"""Contingency tables of classes: sums of squares and entropies of each document, in one pass over its cells."""

from libc.math cimport log2
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from caesura.kernels.cells cimport HAS_LABELS, Edges, move_to_same_places, read_edges, share_extent, sweep_document


cdef enum:
    SUMS = 14


def class_sums(
    const double[::1] width not None,
    const int64_t[::1] a_seg not None,
    const int64_t[::1] b_seg not None,
    const int64_t[::1] off not None,
    const int64_t[::1] a_class not None,
    const int64_t[::1] b_class not None,
    bint entropies,
    double[::1] table not None,
    double[::1] rows not None,
    double[::1] columns not None,
    double[:, ::1] out not None,
):
    """Fill 14 sums per document; return the first document whose table does not fit into ``table``, or -1.

    With x the length that two classes have in common, r and c the lengths of these classes and T the whole length, the
    sums are: x^2, r^2 and c^2; x log2(r / x), x log2(c / x); r log2(T / r), c log2(T / c), all in bits times length; the numbers
    of classes of either side; T; and products of two different lengths: x x' of the same r, x x' of the same c, r r', and c c'.
    With ``entropies`` the products are 0, without them the sums of logarithms. ``table``, ``rows`` and ``columns`` are working
    memory.
    """
    cdef Py_ssize_t d, n = off.shape[0] - 1
    cdef int64_t i, r, c, R, C
    with nogil:
        for d in range(n):
            R = 0
            C = 0
            for i in range(off[d], off[d + 1]):
                r = a_class[a_seg[i]]
                c = b_class[b_seg[i]]
                if r >= R:
                    R = r + 1
                if c >= C:
                    C = c + 1
            if R * C > table.shape[0] or R > rows.shape[0] or C > columns.shape[0]:
                with gil:
                    return d
            if off[d] == off[d + 1]:
                for i in range(SUMS):
                    out[d, i] = 0.0
                continue
            sum_document(
                &width[off[d]], &a_seg[off[d]], &b_seg[off[d]], off[d + 1] - off[d], &a_class[0], &b_class[0], entropies, R, C,
                &table[0], &rows[0], &columns[0], &out[d, 0],
            )
    return -1


cdef void sum_document(
    const double* width, const int64_t* a_seg, const int64_t* b_seg, int64_t cells, const int64_t* a_class, const int64_t* b_class,
    bint entropies, int64_t R, int64_t C, double* table, double* rows, double* columns, double* out,
) noexcept nogil:
    """Compute the sums of a document with classes below R and C."""
    cdef int64_t i, r, c
    cdef double x, T = 0.0
    for i in range(R * C):
        table[i] = 0.0
    for i in range(R):
        rows[i] = 0.0
    for i in range(C):
        columns[i] = 0.0
    for i in range(cells):
        r = a_class[a_seg[i]]
        c = b_class[b_seg[i]]
        table[r * C + c] += width[i]
        rows[r] += width[i]
        columns[c] += width[i]
        T += width[i]
    for i in range(SUMS):
        out[i] = 0.0
    out[9] = T
    if not entropies:
        add_products(R, C, table, rows, columns, out)
    for r in range(R):
        for c in range(C):
            x = table[r * C + c]
            if x > 0.0:
                out[0] += x * x
                if entropies and rows[r] > x:
                    out[3] += x * log2(rows[r] / x)
                if entropies and columns[c] > x:
                    out[4] += x * log2(columns[c] / x)
    for r in range(R):
        x = rows[r]
        if x > 0.0:
            out[1] += x * x
            out[7] += 1.0
            if entropies:
                out[5] += x * log2(T / x)
    for c in range(C):
        x = columns[c]
        if x > 0.0:
            out[2] += x * x
            out[8] += 1.0
            if entropies:
                out[6] += x * log2(T / x)


cdef void add_products(
    int64_t R, int64_t C, const double* table, const double* rows, const double* columns, double* out
) noexcept nogil:
    """Add the products of two different lengths. They are sums of positive terms, unlike differences of squares."""
    cdef int64_t r, c
    cdef double before
    for r in range(R):
        before = 0.0
        for c in range(C):
            out[10] += table[r * C + c] * before
            before += table[r * C + c]
    for c in range(C):
        before = 0.0
        for r in range(R):
            out[11] += table[r * C + c] * before
            before += table[r * C + c]
    before = 0.0
    for r in range(R):
        out[12] += rows[r] * before
        before += rows[r]
    before = 0.0
    for c in range(C):
        out[13] += columns[c] * before
        before += columns[c]


def products_in_groups(
    const double[::1] length not None,
    const int64_t[::1] group not None,
    const int64_t[::1] document not None,
    double[::1] before not None,
    double[::1] out not None,
):
    """Add the products of every two lengths of the same group to the sum of their document.

    ``before`` has one entry per group, which is 0 at the beginning.
    """
    cdef Py_ssize_t i
    with nogil:
        for i in range(length.shape[0]):
            out[document[i]] += length[i] * before[group[i]]
            before[group[i]] += length[i]


cdef int64_t count_classes(const int64_t* code, int64_t size, int64_t last) noexcept nogil:
    """Return 1 + the largest class of the segments that end at ``size`` boundaries, and of the last segment."""
    cdef int64_t i, number = last + 1
    for i in range(size):
        if code[i] >= number:
            number = code[i] + 1
    return number


cdef class Memory:
    """Working memory for documents with at most some numbers of boundaries, entries of the table, and classes."""

    cdef double* block
    cdef double* b_pos
    cdef double* width
    cdef double* table
    cdef double* rows
    cdef double* columns
    cdef int64_t* a_seg
    cdef int64_t* b_seg
    cdef int64_t* a_code
    cdef int64_t* b_code

    def __cinit__(self, int64_t a_size, int64_t b_size, int64_t table, int64_t R, int64_t C):
        cdef int64_t cells = a_size + b_size + 1
        self.block = <double*>malloc((b_size + 4 * cells + 1 + table + R + C) * sizeof(double))
        if self.block == NULL:
            raise MemoryError
        self.b_pos = self.block
        self.width = self.b_pos + b_size
        self.table = self.width + cells
        self.rows = self.table + table
        self.columns = self.rows + R
        self.a_seg = <int64_t*>(self.columns + C)
        self.b_seg = self.a_seg + cells
        self.a_code = self.b_seg + cells
        self.b_code = self.a_code + a_size + 1

    def __dealloc__(self):
        free(self.block)

    cdef void sum_edges(self, const Edges* a, const Edges* b, int64_t R, int64_t C, bint entropies, double* out) noexcept nogil:
        """Compute the sums of a document from its edges."""
        cdef int64_t cells = sweep_document(
            a.begin, a.end, a.pos, a.size, b.pos, b.size, 0, 0, self.width, self.a_seg, self.b_seg
        )
        sum_document(
            self.width, self.a_seg, self.b_seg, cells, a.code, b.code, entropies, R, C, self.table, self.rows, self.columns, out
        )


def class_sums_of_pair(a_packed not None, b_packed not None, bint entropies, int64_t max_table):
    """Return the sums of :func:`class_sums` for two ``Tier.packed_edges``.

    None if a side has no labels, the extents differ, or the table would have more than ``max_table`` entries.
    """
    cdef Edges a, b
    cdef double out[SUMS]
    cdef int64_t R, C
    read_edges(a_packed, &a)
    read_edges(b_packed, &b)
    R, C = count_classes(a.code, a.size, a.code[a.size]), count_classes(b.code, b.size, b.code[b.size])
    if not (a.traits & b.traits & HAS_LABELS) or not share_extent(&a, &b) or R * C > max_table:
        return None
    cdef Memory memory = Memory(a.size, b.size, R * C, R, C)
    with nogil:
        memcpy(memory.b_pos, b.pos, b.size * sizeof(double))
        move_to_same_places(a.pos, 0, a.size, memory.b_pos, 0, b.size)
        b.pos = memory.b_pos
        memory.sum_edges(&a, &b, R, C, entropies, out)
    return (
        out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8], out[9], out[10], out[11], out[12], out[13],
    )


def class_sums_of_batch(
    const double[::1] begin not None,
    const double[::1] end not None,
    const double[::1] a_pos not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] a_code not None,
    const int64_t[::1] a_last not None,
    const double[::1] b_pos not None,
    const int64_t[::1] b_off not None,
    const int64_t[::1] b_code not None,
    const int64_t[::1] b_last not None,
    bint entropies,
    int64_t max_table,
    double[:, ::1] out not None,
):
    """Fill the sums of :func:`class_sums` per document if all cells count; the cells are not stored.

    Return whether the table of every document has at most ``max_table`` entries; otherwise nothing is filled.
    """
    cdef Py_ssize_t d, n = begin.shape[0]
    cdef int64_t a_size = 0, b_size = 0, most_R = 0, most_C = 0, table = 0, R, C
    cdef Edges a, b
    if a_off[n] > min(a_pos.shape[0], a_code.shape[0]) or b_off[n] > min(b_pos.shape[0], b_code.shape[0]):
        raise IndexError("offsets beyond the boundaries")
    cdef const int64_t* a_codes = &a_code[0] if a_code.shape[0] else NULL
    cdef const int64_t* b_codes = &b_code[0] if b_code.shape[0] else NULL
    for d in range(n):
        a.size, b.size = a_off[d + 1] - a_off[d], b_off[d + 1] - b_off[d]
        R, C = count_classes(a_codes + a_off[d], a.size, a_last[d]), count_classes(b_codes + b_off[d], b.size, b_last[d])
        a_size, b_size, table = max(a_size, a.size), max(b_size, b.size), max(table, R * C)
        most_R, most_C = max(most_R, R), max(most_C, C)
    if table > max_table:
        return False
    cdef Memory memory = Memory(a_size, b_size, table, most_R, most_C)
    a.code, b.code = memory.a_code, memory.b_code
    with nogil:
        for d in range(n):
            a.begin, a.end, a.size, b.size = begin[d], end[d], a_off[d + 1] - a_off[d], b_off[d + 1] - b_off[d]
            if a.size:
                a.pos = &a_pos[a_off[d]]
                memcpy(memory.a_code, a_codes + a_off[d], a.size * sizeof(int64_t))
            if b.size:
                b.pos = &b_pos[b_off[d]]
                memcpy(memory.b_code, b_codes + b_off[d], b.size * sizeof(int64_t))
            memory.a_code[a.size], memory.b_code[b.size] = a_last[d], b_last[d]
            R, C = count_classes(a.code, a.size, a_last[d]), count_classes(b.code, b.size, b_last[d])
            memory.sum_edges(&a, &b, R, C, entropies, &out[d, 0])
    return True


cdef inline double quotient(double numerator, double denominator, double empty) noexcept nogil:
    return numerator / denominator if denominator != 0.0 else empty


cdef inline double f_of(double precision, double recall, double weight) noexcept nogil:
    """Return F with ``weight`` = beta^2; 0 if both are 0."""
    return min(quotient((1.0 + weight) * precision * recall, weight * precision + recall, 0.0), 1.0)


def f_of_ratios(const double[:, :] counts not None, tuple columns not None, double empty, double weight, double[::1] out not None):
    """Fill F of each row; ``columns`` are the numerator and the denominator of precision, then those of recall.

    A ratio without denominator is 0, or ``empty`` if both have none.
    """
    cdef Py_ssize_t d
    cdef int64_t x = columns[0], p = columns[1], y = columns[2], r = columns[3]
    cdef double missing
    for d in range(counts.shape[0]):
        missing = 0.0 if counts[d, p] + counts[d, r] > 0.0 else empty
        out[d] = f_of(quotient(counts[d, x], counts[d, p], missing), quotient(counts[d, y], counts[d, r], missing), weight)


def f_of_entropies(const double[:, :] counts not None, double empty, double weight, double[::1] out not None):
    """Fill F of 1 - x / y and 1 - z / w of each row (x, y, z, w), each within 0 and 1; ``empty`` if its denominator is 0."""
    cdef Py_ssize_t d
    for d in range(counts.shape[0]):
        out[d] = f_of(explained(counts[d, 0], counts[d, 1], empty), explained(counts[d, 2], counts[d, 3], empty), weight)


cdef inline double explained(double conditional, double normalizer, double empty) noexcept nogil:
    return min(max(1.0 - conditional / normalizer, 0.0), 1.0) if normalizer > 0.0 else empty
