"""Count the triples of positions for t_measure and l_measure, which compare how two hierarchies group the text.

The text of document d is divided into atoms of lengths ``weight[atom_off[d]:atom_off[d + 1]]``. A row of a side is a range
of atoms ``lo .. hi - 1`` (counted from 0 in each document) with the ``code`` that they share: a span, or a label on a
level. Rows are sorted by level and code; a code belongs to one level.

For a query atom q, meet(q, v) is the deepest level of a code that q and v share, and W[r, e] the weight of all atoms v with
reference meet r and estimate meet e. Levels are numbered anew for each q, from 1 for the first level that contains q: only
their order matters.

If every code has one row, the rows that contain q are nested around it: among the atoms before q the meet never falls, and
among those after q it never rises. So W has at most two steps per level and side, whose weights are differences of sums, and
no other atom is visited. Otherwise the meet of q and every atom is written down.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc


cdef class Side:
    """The rows of one side of a document that contain the present atom."""

    cdef const int64_t[::1] lo, hi, level
    cdef int64_t begin, active, levels
    cdef int64_t* head  # first row that begins at an atom, or -1
    cdef int64_t* following  # next row that begins at the same atom
    cdef int64_t* row  # active rows, ascending
    cdef int64_t* left  # levels k and deeper contain all atoms from left[k] to the present one
    cdef int64_t* right  # and all up to right[k] - 1

    def __cinit__(self, const int64_t[::1] lo, const int64_t[::1] hi, const int64_t[::1] level, int64_t atoms, int64_t rows):
        self.lo, self.hi, self.level = lo, hi, level
        self.head = <int64_t*>malloc((atoms + 1) * sizeof(int64_t))
        self.following = <int64_t*>malloc((rows + 1) * sizeof(int64_t))
        self.row = <int64_t*>malloc((rows + 1) * sizeof(int64_t))
        self.left = <int64_t*>malloc((rows + 2) * sizeof(int64_t))
        self.right = <int64_t*>malloc((rows + 2) * sizeof(int64_t))
        if NULL in (self.head, self.following, self.row, self.left, self.right):
            raise MemoryError

    def __dealloc__(self):
        free(self.head)
        free(self.following)
        free(self.row)
        free(self.left)
        free(self.right)

    cdef void open(self, int64_t begin, int64_t end, int64_t atoms) noexcept nogil:
        """Begin with a document that has the rows begin .. end - 1."""
        cdef int64_t i
        self.begin, self.active = begin, 0
        for i in range(atoms):
            self.head[i] = -1
        for i in range(end - 1, begin - 1, -1):
            if self.lo[i] < self.hi[i]:
                self.following[i - begin] = self.head[self.lo[i]]
                self.head[self.lo[i]] = i

    cdef void advance(self, int64_t q) noexcept nogil:
        """Proceed to atom q: update active rows and the reach of each level."""
        cdef int64_t i, j, k, kept = 0, last
        for j in range(self.active):
            if self.hi[self.row[j]] > q:
                self.row[kept] = self.row[j]
                kept += 1
        self.active = kept
        i = self.head[q]
        while i >= 0:
            j = self.active
            while j > 0 and self.row[j - 1] > i:
                self.row[j] = self.row[j - 1]
                j -= 1
            self.row[j] = i
            self.active += 1
            i = self.following[i - self.begin]
        k = 0
        last = -1
        for j in range(self.active):
            i = self.row[j]
            if k == 0 or self.level[i] != last:
                last = self.level[i]
                k += 1
                self.left[k], self.right[k] = self.lo[i], self.hi[i]
            else:
                self.left[k], self.right[k] = min(self.left[k], self.lo[i]), max(self.right[k], self.hi[i])
        self.levels = k
        for j in range(k - 1, 0, -1):
            self.left[j], self.right[j] = min(self.left[j], self.left[j + 1]), max(self.right[j], self.right[j + 1])


cdef void add_weight(
    double* cell, const double[::1] weight, const double* sums, int64_t first, int64_t begin, int64_t end, bint whole
) noexcept nogil:
    """Add the weights of atoms begin .. end - 1; sums of whole numbers are exact, others keep the order of the atoms."""
    cdef int64_t v
    if whole:
        cell[0] += sums[end] - sums[begin]
        return
    for v in range(begin, end):
        cell[0] += weight[first + v]


cdef void fill_by_steps(
    Side a, Side b, int64_t q, int64_t atoms, double[::1] table, const double[::1] weight, const double* sums, int64_t first,
    bint whole,
) noexcept nogil:
    """Add all weights to the table, step by step from the first atom to the last."""
    cdef int64_t E = b.levels + 1, at = 0, until, r = 0, e = 0
    while at < q:
        while r < a.levels and a.left[r + 1] <= at:
            r += 1
        while e < b.levels and b.left[e + 1] <= at:
            e += 1
        until = q
        if r < a.levels:
            until = min(until, a.left[r + 1])
        if e < b.levels:
            until = min(until, b.left[e + 1])
        add_weight(&table[r * E + e], weight, sums, first, at, until, whole)
        at = until
    r, e = a.levels, b.levels
    while at < atoms:
        while r > 0 and a.right[r] <= at:
            r -= 1
        while e > 0 and b.right[e] <= at:
            e -= 1
        until = atoms
        if r > 0:
            until = min(until, a.right[r])
        if e > 0:
            until = min(until, b.right[e])
        add_weight(&table[r * E + e], weight, sums, first, at, until, whole)
        at = until


cdef bint has_repeated_codes(const int64_t[::1] code, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i
    for i in range(begin + 1, end):
        if code[i] == code[i - 1]:
            return True
    return False


def triples(
    const double[::1] weight not None,
    const int64_t[::1] atom_off not None,
    const double[::1] own not None,
    const int64_t[::1] a_lo not None,
    const int64_t[::1] a_hi not None,
    const int64_t[::1] a_level not None,
    const int64_t[::1] a_code not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] b_lo not None,
    const int64_t[::1] b_hi not None,
    const int64_t[::1] b_level not None,
    const int64_t[::1] b_code not None,
    const int64_t[::1] b_off not None,
    int64_t[:, ::1] meet not None,
    double[::1] table not None,
    double[::1] column not None,
    double[:, ::1] out not None,
):
    """Fill one row of ``out`` per document: sum of d_q C_q / Z_q and sum of d_q, for the reference's Z_q, then the estimate's.

    ``own`` is subtracted from the weight of q's own atom, because q is not compared with itself: 1 for units, 0 for times.
    There are three work arrays. ``meet`` has two rows with one entry per atom of the longest document. ``table``, which is W,
    has (levels of a + 1) x (levels of b + 1) entries. ``column`` has (levels of b + 1) entries.
    """
    cdef Py_ssize_t d, n = own.shape[0]
    cdef int64_t q, v, r, e, R, E, first, atoms
    cdef double C, Z_r, Z_e, before, row, below
    cdef bint steps
    cdef Side a = Side(a_lo, a_hi, a_level, meet.shape[1], a_lo.shape[0])
    cdef Side b = Side(b_lo, b_hi, b_level, meet.shape[1], b_lo.shape[0])
    cdef double* sums = <double*>malloc((meet.shape[1] + 1) * sizeof(double))
    if sums == NULL:
        raise MemoryError
    with nogil:
        for d in range(n):
            out[d, 0] = out[d, 1] = out[d, 2] = out[d, 3] = 0
            first = atom_off[d]
            atoms = atom_off[d + 1] - first
            steps = not has_repeated_codes(a_code, a_off[d], a_off[d + 1])
            steps = steps and not has_repeated_codes(b_code, b_off[d], b_off[d + 1])
            if steps:
                a.open(a_off[d], a_off[d + 1], atoms)
                b.open(b_off[d], b_off[d + 1], atoms)
                sums[0] = 0
                for v in range(atoms):
                    sums[v + 1] = sums[v] + weight[first + v]
            for q in range(atoms):
                if steps:
                    a.advance(q)
                    b.advance(q)
                    R, E = a.levels + 1, b.levels + 1
                else:
                    R = 1 + meets(q, atoms, a_lo, a_hi, a_level, a_code, a_off[d], a_off[d + 1], meet[0])
                    E = 1 + meets(q, atoms, b_lo, b_hi, b_level, b_code, b_off[d], b_off[d + 1], meet[1])
                for r in range(R * E):
                    table[r] = 0
                if steps:
                    fill_by_steps(a, b, q, atoms, table, weight, sums, first, own[d] != 0)
                    meet[0, q], meet[1, q] = a.levels, b.levels
                else:
                    for v in range(atoms):
                        table[meet[0, v] * E + meet[1, v]] += weight[first + v]
                table[meet[0, q] * E + meet[1, q]] -= own[d]
                # column[e] is the sum over the rows above, so that ``below`` is the sum over r < r' and e < e'.
                C = Z_r = Z_e = before = 0
                for e in range(E):
                    column[e] = 0
                for r in range(R):
                    row = below = 0
                    for e in range(E):
                        C += table[r * E + e] * below
                        below += column[e]
                        column[e] += table[r * E + e]
                        row += table[r * E + e]
                    Z_r += row * before
                    before += row
                before = 0
                for e in range(E):
                    Z_e += column[e] * before
                    before += column[e]
                # Rounding must not make a ratio exceed 1.
                if Z_r > 0:
                    out[d, 0] += weight[first + q] * min(1.0, C / Z_r)
                    out[d, 1] += weight[first + q]
                if Z_e > 0:
                    out[d, 2] += weight[first + q] * min(1.0, C / Z_e)
                    out[d, 3] += weight[first + q]
    free(sums)


cdef int64_t meets(
    int64_t q, int64_t atoms, const int64_t[::1] lo, const int64_t[::1] hi, const int64_t[::1] level,
    const int64_t[::1] code, int64_t i, int64_t end, int64_t[::1] meet,
) except -1 nogil:
    """Fill ``meet`` with the meet of q and every atom; return the number of levels that contain q."""
    cdef int64_t v, j, row, k = 0, last = -1
    cdef bint inside
    for v in range(atoms):
        meet[v] = 0
    while i < end:
        inside = False
        j = i
        while j < end and code[j] == code[i]:
            inside = inside or lo[j] <= q < hi[j]
            j += 1
        if inside:
            # Deeper levels come later and overwrite shallower ones.
            if level[i] != last:
                last = level[i]
                k += 1
            for row in range(i, j):
                for v in range(lo[row], hi[row]):
                    meet[v] = k
        i = j
    return k
