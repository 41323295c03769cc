"""Count the triples of positions for t_measure and l_measure, which compare how two hierarchies group the text.

The text of document d is divided into atoms of lengths ``length[atom_off[d]:atom_off[d + 1]]``, whole numbers whose sums are
exact. A row of a side is a range of atoms ``lo .. hi - 1`` (counted from 0 in each document) with the ``code`` that they share: a
span, or a label on a level. Rows are sorted by level and code; a code belongs to one level.

For a query atom q, meet(q, v) is the deepest level of a code that q and v share, and W[r, e] the length of all atoms v with
reference meet r and estimate meet e. Only the order of levels matters. There are three ways to fill W, with equal results:

*Steps*, if every code has one row: the rows that contain q are nested around it, so that among the atoms before q the meet never
falls, and among those after q it never rises. W has at most two steps per level and side, whose lengths are differences of sums;
no other atom is visited.

*Subsets*, if there are few levels: let G(M) be the length of the other atoms that have the codes of q on all levels in M. By
inclusion and exclusion, those that meet q on level r have the length sum of (-1)^|T| G({r} + T) over all sets T of deeper levels.
All atoms with equal codes on M need the same sum, so that one M costs one pass over the atoms: the time grows linearly with
them.

*One by one*: the meet of q and every atom is written down. With many levels, no way is known that avoids all pairs.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef enum:
    MAX_LANES = 12


def cut(
    const double[::1] point not None,
    const int64_t[::1] document not None,
    const int64_t[::1] order not None,
    double[::1] weight not None,
    int64_t[::1] place not None,
    int64_t[::1] atom_off not None,
):
    """Divide documents into atoms at their points; ``order`` sorts these by document and point. Return the number of atoms.

    ``weight`` becomes the length of each atom, ``place`` the atom of its document that begins at each point, and ``atom_off`` the
    first atom of each document. Every document has at least one point.
    """
    cdef Py_ssize_t k
    cdef int64_t i, d = -1, atoms = 0
    cdef double last = 0
    with nogil:
        for k in range(order.shape[0]):
            i = order[k]
            if document[i] != d:
                d = document[i]
                atom_off[d] = atoms
            elif point[i] != last:
                weight[atoms] = point[i] - last
                atoms += 1
            last = point[i]
            place[i] = atoms - atom_off[d]
        atom_off[d + 1] = atoms
    return atoms


def sizes(
    const int64_t[::1] atom_off not None,
    const int64_t[::1] a_level not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] b_level not None,
    const int64_t[::1] b_off not None,
):
    """Return the largest numbers that a document needs in ``triples``: atoms, entries of W and columns of W."""
    cdef Py_ssize_t d
    cdef int64_t E, atoms = 0, cells = 0, columns = 0
    for d in range(atom_off.shape[0] - 1):
        E = 1 + count_levels(b_level, b_off[d], b_off[d + 1])
        atoms = max(atoms, atom_off[d + 1] - atom_off[d])
        cells = max(cells, E * (1 + count_levels(a_level, a_off[d], a_off[d + 1])))
        columns = max(columns, E)
    return atoms, cells, columns


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


cdef void fill_by_steps(
    Side a, Side b, int64_t q, int64_t atoms, int64_t[::1] table, const int64_t* sums
) noexcept nogil:
    """Fill W, step by step from the first atom to the last; ``sums[v]`` is the length of all atoms before v."""
    cdef int64_t E = b.levels + 1, at = 0, until, r, e
    for r in range((a.levels + 1) * E):
        table[r] = 0
    r = e = 0
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
        table[r * E + e] += sums[until] - sums[at]
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
        table[r * E + e] += sums[until] - sums[at]
        at = until


cdef class Lanes:
    """The codes of both sides in lanes, in which every atom has at most one code, and sums over sets of lanes.

    A level is one lane, unless codes on this level overlap. Lanes are numbered from the highest level down, those of a first.
    """

    cdef int64_t atoms, lanes, a_lanes, R, E
    cdef int64_t level[MAX_LANES]  # level of each lane, from 1 on either side
    cdef int64_t covered[MAX_LANES]  # number of atoms with a code
    cdef int64_t* code[MAX_LANES]  # code of each atom, or -1
    cdef int64_t* by_code[MAX_LANES]  # atoms with a code, in the order of their codes
    cdef int64_t* group[MAX_LANES + 1]  # groups of atoms with equal codes on the first k lanes of a set, or -1
    cdef int64_t* visitor  # last code, by a running number, that divided a group
    cdef int64_t* part  # the part of a group with this code
    cdef int64_t visits
    cdef uint64_t* total  # length of each part
    cdef uint64_t* sums  # signed sums of G by the highest levels of the set, R x E, for each atom
    cdef const int64_t* length

    def __cinit__(self):
        cdef int64_t k
        self.visitor = self.part = NULL
        self.total = self.sums = NULL
        for k in range(MAX_LANES):
            self.code[k] = self.by_code[k] = self.group[k + 1] = NULL
        self.group[0] = NULL

    def __dealloc__(self):
        self.close()

    cdef void close(self) noexcept nogil:
        """Release the memory of a document."""
        cdef int64_t k
        for k in range(MAX_LANES):
            free(self.code[k])
            free(self.by_code[k])
            free(self.group[k + 1])
            self.code[k] = self.by_code[k] = self.group[k + 1] = NULL
        free(self.group[0])
        free(self.visitor)
        free(self.part)
        free(self.total)
        free(self.sums)
        self.group[0] = self.visitor = self.part = NULL
        self.total = self.sums = NULL

    cdef bint add_side(
        self, const int64_t[::1] lo, const int64_t[::1] hi, const int64_t[::1] level, const int64_t[::1] code, int64_t i,
        int64_t end, int64_t limit,
    ) noexcept nogil:
        """Add the rows i .. end - 1; return whether at most ``limit`` lanes were enough."""
        cdef int64_t j, lane, first_lane = self.lanes, number = 0
        while i < end:
            j = i
            while j < end and code[j] == code[i]:
                j += 1
            if number == 0 or level[i] != level[i - 1]:
                number += 1
                first_lane = self.lanes
            lane = first_lane
            while lane < self.lanes and not self.is_free(lane, lo, hi, i, j):
                lane += 1
            if lane == self.lanes and not self.add_lane(number, limit):
                return False
            self.put(lane, lo, hi, i, j)
            i = j
        return True

    cdef bint is_free(self, int64_t lane, const int64_t[::1] lo, const int64_t[::1] hi, int64_t i, int64_t end) noexcept nogil:
        cdef int64_t row, v
        for row in range(i, end):
            for v in range(lo[row], hi[row]):
                if self.code[lane][v] >= 0:
                    return False
        return True

    cdef bint add_lane(self, int64_t level, int64_t limit) noexcept nogil:
        cdef int64_t v, lane = self.lanes
        if lane == limit:
            return False
        self.code[lane] = <int64_t*>malloc(self.atoms * sizeof(int64_t))
        self.by_code[lane] = <int64_t*>malloc(self.atoms * sizeof(int64_t))
        if self.code[lane] == NULL or self.by_code[lane] == NULL:
            return False
        self.level[lane], self.covered[lane] = level, 0
        for v in range(self.atoms):
            self.code[lane][v] = -1
        self.lanes += 1
        return True

    cdef void put(self, int64_t lane, const int64_t[::1] lo, const int64_t[::1] hi, int64_t i, int64_t end) noexcept nogil:
        """Write the code of the rows i .. end - 1, whose number is i, into a lane."""
        cdef int64_t row, v
        for row in range(i, end):
            for v in range(lo[row], hi[row]):
                if self.code[lane][v] < 0:
                    self.code[lane][v] = i
                    self.by_code[lane][self.covered[lane]] = v
                    self.covered[lane] += 1

    cdef bint open(self, const int64_t* length, int64_t atoms, int64_t R, int64_t E) noexcept nogil:
        """Compute the sums of a document, whose lanes were added; return whether there is memory for them."""
        cdef int64_t k, v
        self.length, self.R, self.E, self.visits = length, R, E, 0
        self.visitor = <int64_t*>malloc(atoms * sizeof(int64_t))
        self.part = <int64_t*>malloc(atoms * sizeof(int64_t))
        self.total = <uint64_t*>malloc(atoms * sizeof(uint64_t))
        self.sums = <uint64_t*>malloc(R * E * atoms * sizeof(uint64_t))
        if self.visitor == NULL or self.part == NULL or self.total == NULL or self.sums == NULL:
            return False
        for k in range(self.lanes + 1):
            self.group[k] = <int64_t*>malloc(atoms * sizeof(int64_t))
            if self.group[k] == NULL:
                return False
        memset(self.sums, 0, R * E * atoms * sizeof(uint64_t))
        for v in range(atoms):
            self.group[0][v], self.visitor[v] = 0, -1
            self.sums[0] += length[v]
        for v in range(atoms - 1, -1, -1):
            self.sums[v] = self.sums[0] - length[v]
        self.visit(0, 0, 0, 0, False)
        return True

    cdef void visit(self, int64_t start, int64_t size, int64_t r, int64_t e, bint negative) noexcept nogil:
        """Extend a set of ``size`` lanes, whose highest levels are r and e, by every lane from ``start`` on."""
        cdef int64_t k, lane, new_r, new_e
        cdef bint sign
        for k in range(start, self.lanes):
            # From the deepest lane of each side up, so that the lane that is added has the highest level of the set.
            if k < self.a_lanes:
                lane = self.a_lanes - 1 - k
                new_r, new_e, sign = self.level[lane], e, negative != (r > 0)
            else:
                lane = self.lanes - 1 - (k - self.a_lanes)
                new_r, new_e, sign = r, self.level[lane], negative != (e > 0)
            if self.divide(lane, self.group[size], self.group[size + 1], new_r * self.E + new_e, sign):
                self.visit(k + 1, size + 1, new_r, new_e, sign)

    cdef bint divide(self, int64_t lane, const int64_t* group, int64_t* divided, int64_t cell, bint negative) noexcept nogil:
        """Divide groups by the codes of a lane and add G of each atom; return whether a group of two or more is left."""
        cdef int64_t k, v, g, new = 0, largest = 0
        cdef int64_t* code = self.code[lane]
        cdef int64_t* by_code = self.by_code[lane]
        cdef uint64_t* sums = self.sums + cell * self.atoms
        cdef uint64_t rest
        cdef bint alive = False
        for k in range(self.covered[lane]):
            v = by_code[k]
            g = group[v]
            if g < 0:
                divided[v] = -1
                continue
            if self.visitor[g] != self.visits + code[v]:
                self.visitor[g] = self.visits + code[v]
                self.part[g] = new
                self.total[new] = 0
                new += 1
            divided[v] = self.part[g]
            self.total[divided[v]] += self.length[v]
            largest = code[v]
        self.visits += largest + 1
        for v in range(self.atoms):
            if code[v] < 0:
                divided[v] = -1
            elif divided[v] >= 0:
                rest = self.total[divided[v]] - self.length[v]
                if rest == 0:  # no other atom: all larger sets have none either
                    divided[v] = -1
                else:
                    alive = True
                    sums[v] += <uint64_t>0 - rest if negative else rest
        return alive

    cdef void fill(self, int64_t q, int64_t own, int64_t[::1] table) noexcept nogil:
        """Fill W of atom q; ``own`` is subtracted from its own length."""
        cdef int64_t r, e, deepest_r = 0, deepest_e = 0, lane, E = self.E
        for r in range(self.R * E):
            table[r] = <int64_t>self.sums[r * self.atoms + q]
        # Row and column 0 contain all atoms with the other meet; take off those that meet q on this side too.
        for r in range(1, self.R):
            for e in range(1, E):
                table[r * E] -= table[r * E + e]
                table[e] -= table[r * E + e]
                table[0] -= table[r * E + e]
        for r in range(1, self.R):
            table[0] -= table[r * E]
        for e in range(1, E):
            table[0] -= table[e]
        for lane in range(self.lanes):
            if self.code[lane][q] >= 0:
                if lane < self.a_lanes:
                    deepest_r = self.level[lane]
                else:
                    deepest_e = self.level[lane]
        table[deepest_r * E + deepest_e] += self.length[q] - own


cdef bint has_repeated_codes(const int64_t[::1] code, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i
    for i in range(begin + 1, end):
        if code[i] == code[i - 1]:
            return True
    return False


cdef int64_t count_levels(const int64_t[::1] level, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i, number = 0
    for i in range(begin, end):
        if i == begin or level[i] != level[i - 1]:
            number += 1
    return number


cdef void add_query(
    const int64_t[::1] table, int64_t R, int64_t E, double[::1] column, double weight, double* out
) noexcept nogil:
    """Add the ratios of a query with the weight d_q to a row of the result."""
    cdef int64_t r, e
    cdef double C = 0, Z_r = 0, Z_e = 0, before = 0, x, row, below
    # column[e] is the sum over the rows above, so that ``below`` is the sum over r < r' and e < e'.
    for e in range(E):
        column[e] = 0
    for r in range(R):
        row = below = 0
        for e in range(E):
            x = <double>table[r * E + e]
            C += x * below
            below += column[e]
            column[e] += x
            row += x
        Z_r += row * before
        before += row
    before = 0
    for e in range(E):
        Z_e += column[e] * before
        before += column[e]
    # Rounding must not make a ratio exceed 1.
    if Z_r > 0:
        out[0] += weight * min(1.0, C / Z_r)
        out[1] += weight
    if Z_e > 0:
        out[2] += weight * min(1.0, C / Z_e)
        out[3] += weight


def triples(
    const double[::1] weight not None,
    const int64_t[::1] length not None,
    const int64_t[::1] atom_off not None,
    const int64_t[::1] own not None,
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
    int64_t[::1] table not None,
    double[::1] column not None,
    double[:, ::1] out not None,
):
    """Fill one row of ``out`` per document: sum of d_q C_q / Z_q and sum of d_q, for the reference's Z_q, then the estimate's.

    ``weight`` is d_q; ``length`` is the same in whole numbers of any unit. ``own`` is subtracted from the length of q's own atom,
    because q is not compared with itself: 1 for units, 0 for times. There are three work arrays. ``meet`` has two rows with one
    entry per atom of the longest document. ``table``, which is W, has (levels of a + 1) x (levels of b + 1) entries. ``column`` has
    (levels of b + 1) entries.
    """
    cdef Py_ssize_t d, n = own.shape[0]
    cdef int64_t q, v, r, R, E, first, atoms, limit
    cdef bint steps, subsets
    cdef Side a = Side(a_lo, a_hi, a_level, meet.shape[1], a_lo.shape[0])
    cdef Side b = Side(b_lo, b_hi, b_level, meet.shape[1], b_lo.shape[0])
    cdef Lanes lanes = Lanes()
    cdef int64_t* sums = <int64_t*>malloc((meet.shape[1] + 1) * sizeof(int64_t))
    if sums == NULL:
        raise MemoryError
    with nogil:
        for d in range(n):
            out[d, 0] = out[d, 1] = out[d, 2] = out[d, 3] = 0
            first = atom_off[d]
            atoms = atom_off[d + 1] - first
            steps = not has_repeated_codes(a_code, a_off[d], a_off[d + 1])
            steps = steps and not has_repeated_codes(b_code, b_off[d], b_off[d + 1])
            subsets = False
            if steps:
                a.open(a_off[d], a_off[d + 1], atoms)
                b.open(b_off[d], b_off[d + 1], atoms)
                sums[0] = 0
                for v in range(atoms):
                    sums[v + 1] = sums[v] + length[first + v]
            else:
                R = 1 + count_levels(a_level, a_off[d], a_off[d + 1])
                E = 1 + count_levels(b_level, b_off[d], b_off[d + 1])
                lanes.lanes, lanes.atoms = 0, atoms
                limit = most_lanes(atoms)
                subsets = R + E - 2 <= limit and lanes.add_side(a_lo, a_hi, a_level, a_code, a_off[d], a_off[d + 1], limit)
                lanes.a_lanes = lanes.lanes
                subsets = subsets and lanes.add_side(b_lo, b_hi, b_level, b_code, b_off[d], b_off[d + 1], limit)
                subsets = subsets and lanes.open(&length[first], atoms, R, E)
            for q in range(atoms):
                if steps:
                    a.advance(q)
                    b.advance(q)
                    R, E = a.levels + 1, b.levels + 1
                    fill_by_steps(a, b, q, atoms, table, sums)
                    table[a.levels * E + b.levels] -= own[d]
                elif subsets:
                    lanes.fill(q, own[d], table)
                else:
                    R = 1 + meets(q, atoms, a_lo, a_hi, a_level, a_code, a_off[d], a_off[d + 1], meet[0])
                    E = 1 + meets(q, atoms, b_lo, b_hi, b_level, b_code, b_off[d], b_off[d + 1], meet[1])
                    for r in range(R * E):
                        table[r] = 0
                    for v in range(atoms):
                        table[meet[0, v] * E + meet[1, v]] += length[first + v]
                    table[meet[0, q] * E + meet[1, q]] -= own[d]
                add_query(table, R, E, column, weight[first + q], &out[d, 0])
            lanes.close()
    free(sums)


cdef int64_t most_lanes(int64_t atoms) noexcept nogil:
    """Return the number of lanes up to which all sets of lanes cost less than all pairs of atoms."""
    cdef int64_t lanes = 0
    while lanes < MAX_LANES and (<int64_t>4 << lanes) <= atoms:
        lanes += 1
    return lanes


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
