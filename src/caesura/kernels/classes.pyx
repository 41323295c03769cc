"""Contingency tables of classes: sums of squares and entropies of each pair of annotations, in one pass over its cells."""

from libc.math cimport log2
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from caesura.kernels.cells cimport Pairs


cdef enum:
    SUMS = 14


cdef class Memory:
    """Working memory for the cells of a pair, and for classes of segments."""

    cdef double* width
    cdef double* sorted_width
    cdef int64_t* a_segment
    cdef int64_t* b_segment
    cdef int64_t* row
    cdef int64_t* column
    cdef double* rows
    cdef double* columns
    cdef double* before
    cdef int64_t* start

    def __cinit__(self, Pairs pairs, int64_t classes):
        cdef int64_t cells = pairs.most_a + pairs.most_b + 1
        self.width = <double*>malloc((6 * cells + 4 * classes + 1) * sizeof(double))
        if self.width == NULL:
            raise MemoryError
        self.sorted_width = self.width + cells
        self.a_segment = <int64_t*>(self.sorted_width + cells)
        self.b_segment = self.a_segment + cells
        self.row = self.b_segment + cells
        self.column = self.row + cells
        self.rows = <double*>(self.column + cells)
        self.columns = self.rows + classes
        self.before = self.columns + classes
        self.start = <int64_t*>(self.before + classes)

    def __dealloc__(self):
        free(self.width)


def class_sums(Pairs pairs not None, bint by_label, bint entropies, double[:, ::1] out not None):
    """Fill 14 sums per pair; a class is a segment, or all segments of a side with the same label.

    With x the length that two classes have in common, r and c the lengths of these classes and T the whole length, the
    sums are: x^2, r^2 and c^2; x log2(r / x), x log2(c / x); r log2(T / r), c log2(T / c), all in bits times length; the numbers
    of classes of either side; T; and products of two different lengths: x x' of the same r, x x' of the same c, r r', and c c'.
    With ``entropies`` the products are 0, without them the sums of logarithms.
    """
    cdef Py_ssize_t d
    cdef int64_t k, cells, classes = max(pairs.most_a, pairs.most_b) + 1
    if by_label:
        if pairs.size and not pairs.has_labels:
            raise ValueError("the pairs have no labels")
        for k in range(pairs.a_label.shape[0]):
            classes = max(classes, pairs.a_label[k] + 1)
        for k in range(pairs.b_label.shape[0]):
            classes = max(classes, pairs.b_label[k] + 1)
    cdef Memory memory = Memory(pairs, classes)
    cdef double* width
    cdef int64_t* row
    cdef int64_t* column
    with nogil:
        for d in range(pairs.size):
            width, row, column = memory.width, memory.a_segment, memory.b_segment
            cells = pairs.sweep(d, width, row, column)
            if by_label:
                number(cells, row, pairs.labels_of_a(d))
                number(cells, column, pairs.labels_of_b(d))
                # Sort by column, then by row; equal pairs of classes follow each other.
                sort_cells(cells, column, row, width, memory.column, memory.row, memory.sorted_width, memory.start)
                sort_cells(cells, memory.row, memory.column, memory.sorted_width, row, column, width, memory.start)
            add_sums(cells, width, row, column, entropies, memory.rows, memory.columns, memory.before, &out[d, 0])


cdef void number(int64_t cells, int64_t* segment, const int64_t* label) noexcept nogil:
    """Replace the segment of each cell by its label."""
    cdef int64_t i
    for i in range(cells):
        segment[i] = label[segment[i]]


cdef int64_t largest(int64_t cells, const int64_t* values) noexcept nogil:
    cdef int64_t i, most = -1
    for i in range(cells):
        if values[i] > most:
            most = values[i]
    return most


cdef void sort_cells(
    int64_t cells, const int64_t* key, const int64_t* other, const double* width, int64_t* new_key, int64_t* new_other,
    double* new_width, int64_t* start,
) noexcept nogil:
    """Copy cells in ascending order of their keys; cells with equal keys keep their order."""
    cdef int64_t i, k, at = 0, count, keys = largest(cells, key) + 1
    memset(start, 0, keys * sizeof(int64_t))
    for i in range(cells):
        start[key[i]] += 1
    for k in range(keys):
        count = start[k]
        start[k] = at
        at += count
    for i in range(cells):
        at = start[key[i]]
        start[key[i]] += 1
        new_key[at] = key[i]
        new_other[at] = other[i]
        new_width[at] = width[i]


cdef void add_sums(
    int64_t cells, const double* width, const int64_t* row, const int64_t* column, bint entropies, double* rows, double* columns,
    double* before, double* out,
) noexcept nogil:
    """Compute the sums of a pair from its cells, which are sorted by row and column."""
    cdef int64_t i = 0, r, c, last = -1
    cdef int64_t R = largest(cells, row) + 1, C = largest(cells, column) + 1
    cdef double x, T = 0.0, before_in_row = 0.0
    memset(rows, 0, R * sizeof(double))
    memset(columns, 0, C * sizeof(double))
    memset(before, 0, C * sizeof(double))
    memset(out, 0, SUMS * sizeof(double))
    for i in range(cells):
        rows[row[i]] += width[i]
        columns[column[i]] += width[i]
        T += width[i]
    out[9] = T
    i = 0
    while i < cells:
        r, c, x = row[i], column[i], 0.0
        while i < cells and row[i] == r and column[i] == c:
            x += width[i]
            i += 1
        out[0] += x * x
        if entropies:
            if rows[r] > x:
                out[3] += x * log2(rows[r] / x)
            if columns[c] > x:
                out[4] += x * log2(columns[c] / x)
            continue
        # Pairs of places in different classes are sums of positive terms, unlike differences of squares.
        if r != last:
            before_in_row = 0.0
            last = r
        out[10] += x * before_in_row
        out[11] += x * before[c]
        before_in_row += x
        before[c] += x
    add_margin(R, rows, T, entropies, out + 1, out + 5, out + 7, out + 12)
    add_margin(C, columns, T, entropies, out + 2, out + 6, out + 8, out + 13)


cdef void add_margin(
    int64_t classes, const double* length, double T, bint entropies, double* squares, double* entropy, double* number,
    double* products,
) noexcept nogil:
    """Add the sums over the classes of a side."""
    cdef int64_t k
    cdef double x, before = 0.0
    for k in range(classes):
        x = length[k]
        if x > 0.0:
            squares[0] += x * x
            number[0] += 1.0
            if entropies:
                entropy[0] += x * log2(T / x)
            else:
                products[0] += x * before
                before += x


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
