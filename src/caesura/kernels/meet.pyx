"""Count the triples of positions for t_measure and l_measure, which compare how two hierarchies group the text.

The text of document d is divided into atoms of lengths ``weight[atom_off[d]:atom_off[d + 1]]``. A row of a side is a range
of atoms ``lo .. hi - 1`` (counted from 0 in each document) with the ``code`` that they share: a span, or a label on a
level. Rows are sorted by level and code; a code belongs to one level.

For a query atom q, meet(q, v) is the deepest level of a code that q and v share, and W[r, e] the weight of all atoms v with
reference meet r and estimate meet e. Levels are numbered anew for each q, from 1 for the first level that contains q: only
their order matters.
"""

from libc.stdint cimport int64_t


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
    with nogil:
        for d in range(n):
            out[d, 0] = out[d, 1] = out[d, 2] = out[d, 3] = 0
            first = atom_off[d]
            atoms = atom_off[d + 1] - first
            for q in range(atoms):
                R = 1 + meets(q, atoms, a_lo, a_hi, a_level, a_code, a_off[d], a_off[d + 1], meet[0])
                E = 1 + meets(q, atoms, b_lo, b_hi, b_level, b_code, b_off[d], b_off[d + 1], meet[1])
                for r in range(R * E):
                    table[r] = 0
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
