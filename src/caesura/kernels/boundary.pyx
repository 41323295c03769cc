"""Compute boundary edit distance: pair the boundaries of a with those of b (Fournier 2013, section 3.1, and the exact minimum).

Boundaries with the same position and type match first. The remaining boundaries of both sides are divided into stretches
with n_t or more empty positions between them. The pairing of each stretch maximizes the total gain; the gain of a pair is
the cost of two additions minus its own cost. Gains are whole numbers (costs times a common denominator), so ties are
exact. Each pair counts gain * K + 1. K exceeds the number of pairs, so that the fewest edits win among equal costs.

There are four methods: ORDERED (one type, cost linear or constant in the distance: an optimum without crossing pairs
exists), MATCHING (several types, or a concave cost), GREEDY (segeval 2.0.11) and LINEAR (as ORDERED, for large distances: the
gain is computed from the distance and not read from a table).
"""

from libc.stdint cimport INT64_MAX, int64_t, uint64_t

from caesura.kernels.matching cimport Graph
from caesura.kernels.ordered cimport suffix_table, suffix_value

import numpy as np

ORDERED = 0
MATCHING = 1
GREEDY = 2
LINEAR = 3


cdef list spare_buffers = []  # buffers of earlier calls: allocating them takes longer than aligning two short texts
cdef Py_ssize_t MAX_SPARE_CELLS = 4096


cdef class Gains:
    """Gains of pairs, and the method that finds the pairs.

    gain_t[d] is the gain of a transposition over d positions (n_t entries; the first is unused). gain_s[x] is the gain of a
    substitution over x steps of the type scale. With LINEAR, gain_t has the gain at distance 0, the loss per distance, and n_t.
    """

    cdef const int64_t[::1] gain_t, gain_s
    cdef int method

    def __cinit__(self, const int64_t[::1] gain_t not None, const int64_t[::1] gain_s not None, int method):
        self.gain_t, self.gain_s, self.method = gain_t, gain_s, method


cdef class Buffers:
    """Input arrays as plain addresses, and work arrays as long as the longest stretch so far."""

    cdef const int64_t* a_pos
    cdef const int64_t* a_code
    cdef const int64_t* b_pos
    cdef const int64_t* b_code
    cdef int64_t* mate                      # output: index in b of the partner of each boundary of a, or -1
    cdef const int64_t[::1] gain_t, gain_s
    cdef int64_t[::1] mates                 # space for the output of one document
    cdef int64_t[::1] xa, xb                # unmatched boundaries of a stretch, as indices into a and b
    cdef int64_t[::1] lo, hi, row, gain, F  # ordered.pxd
    cdef int64_t n_t, slope
    cdef int method
    cdef bint typed, linear
    cdef Graph graph

    def __cinit__(self):
        self.xa, self.xb = np.empty((2, 16), np.int64)
        self.lo, self.hi, self.row = np.empty((3, 16), np.int64)
        self.gain, self.F = np.empty((2, 64), np.int64)
        self.mates = np.empty(64, np.int64)

    cdef int set_gains(self, Gains gains) except -1:
        self.gain_t, self.gain_s = gains.gain_t, gains.gain_s
        self.linear = gains.method == 3
        self.method = 0 if self.linear else gains.method
        self.slope = gains.gain_t[1] if self.linear else 0
        self.n_t = gains.gain_t[2] if self.linear else gains.gain_t.shape[0]
        self.graph = None if self.method == 0 else Graph()
        return 0

    cdef int set_arrays(
        self, const int64_t[::1] a_pos, const int64_t[::1] a_code, const int64_t[::1] a_off,
        const int64_t[::1] b_pos, const int64_t[::1] b_code, const int64_t[::1] b_off,
    ) except -1:
        if a_off[a_off.shape[0] - 1] > a_pos.shape[0] or b_off[b_off.shape[0] - 1] > b_pos.shape[0]:
            raise IndexError("offsets beyond the positions")
        self.a_pos, self.a_code, self.b_pos, self.b_code = start(a_pos), start(a_code), start(b_pos), start(b_code)
        self.typed = a_code.shape[0] > 0 or b_code.shape[0] > 0
        return 0

    cdef int release(self) except -1:
        """Forget the input, and keep the buffers for a later call if they are small."""
        self.a_pos = self.a_code = self.b_pos = self.b_code = self.mate = NULL
        self.gain_t = self.gain_s = None
        self.graph = None
        size = max(self.F.shape[0], self.xa.shape[0], self.mates.shape[0])
        if size <= MAX_SPARE_CELLS and len(spare_buffers) < 8:
            spare_buffers.append(self)
        return 0

    cdef int make_room(self, int64_t boundaries) except -1:
        """Let ``mates`` hold the output of a document with this number of boundaries; its contents are lost."""
        self.mates = np.empty(boundaries + boundaries // 2, np.int64)
        return 0

    cdef int lengthen(self) except -1:
        """Double the number of boundaries that fit into a stretch; keep the present ones."""
        n = self.xa.shape[0]
        self.xa = np.concatenate([self.xa, np.empty(n, np.int64)])
        self.xb = np.concatenate([self.xb, np.empty(n, np.int64)])
        self.lo, self.hi, self.row = np.empty((3, 2 * n), np.int64)
        return 0

    cdef int widen(self, Py_ssize_t cells) except -1:
        """Enlarge the table; its contents are lost."""
        self.gain, self.F = np.empty((2, cells + cells // 2), np.int64)
        return 0


cdef inline const int64_t* start(const int64_t[::1] array):
    return &array[0] if array.shape[0] else NULL


def align(
    const int64_t[::1] a_pos not None,
    const int64_t[::1] a_code not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] b_pos not None,
    const int64_t[::1] b_code not None,
    const int64_t[::1] b_off not None,
    Gains gains not None,
    int64_t[::1] mate not None,
):
    """Fill ``mate`` for all documents between a_off[0] and a_off[-1]; -1 stands for a boundary without partner.

    The codes are empty arrays if there is only one type.
    """
    cdef Py_ssize_t d, n = a_off.shape[0] - 1
    cdef Buffers buffers = take_buffers()
    buffers.set_gains(gains)
    buffers.set_arrays(a_pos, a_code, a_off, b_pos, b_code, b_off)
    buffers.mate = &mate[0] if mate.shape[0] else NULL
    with nogil:
        for d in range(n):
            align_one(buffers, a_off[d], a_off[d + 1], b_off[d], b_off[d + 1])
    buffers.release()


def count(
    const int64_t[::1] a_pos not None,
    const int64_t[::1] a_code not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] b_pos not None,
    const int64_t[::1] b_code not None,
    const int64_t[::1] b_off not None,
    Gains gains not None,
    double[:, ::1] out not None,
):
    """Align each document and count its edits into a row of ``out``, as :func:`align` and :func:`tally` do one after another."""
    cdef Py_ssize_t d, n = a_off.shape[0] - 1
    cdef Edits edits
    cdef Buffers buffers = take_buffers()
    buffers.set_gains(gains)
    buffers.set_arrays(a_pos, a_code, a_off, b_pos, b_code, b_off)
    with nogil:
        for d in range(n):
            count_one(buffers, a_off[d], a_off[d + 1], b_off[d], b_off[d + 1], &edits)
            write_row(edits, out, d)
    buffers.release()


cdef Buffers take_buffers():
    try:
        return spare_buffers.pop()
    except IndexError:
        return Buffers()


cdef inline int64_t code(const int64_t* codes, bint typed, int64_t i) noexcept nogil:
    return codes[i] if typed else 0


cdef inline int64_t distance_between(int64_t x, int64_t y) noexcept nogil:
    return x - y if x > y else y - x


cdef inline int64_t gain_over(Buffers r, int64_t d) except? -1 nogil:
    """Return the gain of a transposition over a distance."""
    return r.gain_t[0] - d * r.slope if r.linear else r.gain_t[d]


cdef int align_one(Buffers r, int64_t a, int64_t a_end, int64_t b, int64_t b_end) except -1 nogil:
    """Visit both sides in their common order; boundaries without a match are collected in the current stretch."""
    cdef int64_t n = 0, m = 0, p, q, i, last = 0, first, a_first
    cdef const int64_t* a_pos = r.a_pos
    cdef const int64_t* b_pos = r.b_pos
    for i in range(a, a_end):
        r.mate[i] = -1
    while a < a_end or b < b_end:
        if n == 0 and m == 0 and not r.typed:
            skip_distant(a_pos, b_pos, &a, a_end, &b, b_end, r.n_t)
            if a == a_end or b == b_end:
                return 0
        p = a_pos[a] if a < a_end else INT64_MAX
        q = b_pos[b] if b < b_end else INT64_MAX
        if p == q and (not r.typed or r.a_code[a] == r.b_code[b]):
            r.mate[a] = b
            a += 1
            b += 1
            continue
        # The processor cannot predict which side comes first, so there is no branch: the sign of p - q decides.
        a_first = (p - q) >> 63
        first = q + ((p - q) & a_first)
        a_first = -a_first
        if p == q:
            a_first = r.a_code[a] < r.b_code[b]
        if (n or m) and first - last >= r.n_t:
            pair_stretch(r, n, m)
            n = m = 0
            if not r.typed:
                continue
        last = first
        if n == r.xa.shape[0] or m == r.xb.shape[0]:
            with gil:
                r.lengthen()
        r.xa[n] = a
        r.xb[m] = b
        n += a_first
        a += a_first
        m += 1 - a_first
        b += 1 - a_first
    return pair_stretch(r, n, m)


cdef inline void skip_distant(
    const int64_t* a_pos, const int64_t* b_pos, int64_t* a, int64_t a_end, int64_t* b, int64_t b_end, int64_t n_t,
) noexcept nogil:
    """Pass over boundaries of one type that are n_t or more away from every boundary of the other side.

    Most boundaries of two sparse texts are: they have no partner, and belong to no stretch.
    """
    cdef int64_t i = a[0], j = b[0], distance, a_first
    while i < a_end and j < b_end:
        distance = a_pos[i] - b_pos[j]
        # -n_t < distance < n_t, as one comparison: the sign is a coin toss, on which the processor must not bet.
        if <uint64_t>(distance + n_t - 1) < <uint64_t>(2 * n_t - 1):
            break
        a_first = (distance >> 63) & 1
        i += a_first
        j += 1 - a_first
    a[0] = i
    b[0] = j


cdef inline int pair_stretch(Buffers r, int64_t n, int64_t m) except -1 nogil:
    """Pair xa[:n] with xb[:m]. No pair can leave the stretch, because n_t or more empty positions surround it."""
    if n == 0 or m == 0:
        return 0
    if r.method == 0:
        return ordered(r, n, m)
    if r.method == 1:
        return matching(r, r.graph, n, m)
    return greedy(r, r.graph, n, m)


cdef int ordered(Buffers r, int64_t n, int64_t m) except -1 nogil:
    """Pair boundaries of one type without crossing pairs."""
    cdef int64_t K = min(n, m) + 1, i, j, k, at, p, lo = 0, hi = 0, cells = 0, best
    if n == 1 and m == 1:
        if gain_over(r, distance_between(r.a_pos[r.xa[0]], r.b_pos[r.xb[0]])) >= 0:
            r.mate[r.xa[0]] = r.xb[0]
        return 0
    for i in range(n):
        p = r.a_pos[r.xa[i]]
        while lo < m and r.b_pos[r.xb[lo]] <= p - r.n_t:
            lo += 1
        while hi < m and r.b_pos[r.xb[hi]] < p + r.n_t:
            hi += 1
        r.lo[i] = lo
        r.hi[i] = hi
        r.row[i] = cells
        cells += hi - lo + 1
    if cells > r.F.shape[0]:
        with gil:
            r.widen(cells)
    for i in range(n):
        p = r.a_pos[r.xa[i]]
        for j in range(r.lo[i], r.hi[i]):
            r.gain[r.row[i] + j - r.lo[i]] = gain_over(r, distance_between(p, r.b_pos[r.xb[j]])) * K + 1
    suffix_table(n, r.lo, r.hi, r.row, r.gain, r.F)
    # Choose the smallest list of pairs: the leftmost boundary gets the leftmost partner that preserves the optimum.
    i = j = 0
    while i < n and j < m:
        if j >= r.hi[i]:
            i += 1
            continue
        best = suffix_value(i, j, n, r.lo, r.row, r.F)
        if j < r.lo[i]:
            j = r.lo[i]
        elif r.a_pos[r.xa[i]] < r.b_pos[r.xb[j]]:
            for k in range(j, r.hi[i]):
                if r.gain[r.row[i] + k - r.lo[i]] + suffix_value(i + 1, k + 1, n, r.lo, r.row, r.F) == best:
                    r.mate[r.xa[i]] = r.xb[k]
                    j = k + 1
                    break
            i += 1
        else:
            k = i
            while k < n and r.lo[k] <= j:
                at = r.row[k] + j - r.lo[k]
                if j < r.hi[k] and r.gain[at] + suffix_value(k + 1, j + 1, n, r.lo, r.row, r.F) == best:
                    r.mate[r.xa[k]] = r.xb[j]
                    i = k + 1
                    break
                k += 1
            j += 1
    return 0


cdef int matching(Buffers r, Graph g, int64_t n, int64_t m) except -1 nogil:
    """Pair boundaries of several types, or of one type with a concave cost."""
    cdef int64_t K = min(n, m) + 1, i, j, a, b, d, lo = 0, edges = 0, gain
    for i in range(n):
        a = r.a_pos[r.xa[i]]
        while lo < m and r.b_pos[r.xb[lo]] <= a - r.n_t:
            lo += 1
        j = lo
        while j < m and r.b_pos[r.xb[j]] < a + r.n_t:
            j += 1
        edges += j - lo
    g.reserve(n, m, edges)
    edges = lo = 0
    for i in range(n):
        g.a_edge[i] = edges
        a = r.xa[i]
        while lo < m and r.b_pos[r.xb[lo]] <= r.a_pos[a] - r.n_t:
            lo += 1
        for j in range(lo, m):
            b = r.xb[j]
            if r.b_pos[b] >= r.a_pos[a] + r.n_t:
                break
            d = distance_between(r.a_pos[a], r.b_pos[b])
            if d == 0:
                gain = r.gain_s[distance_between(r.a_code[a], r.b_code[b])]
            elif code(r.a_code, r.typed, a) == code(r.b_code, r.typed, b):
                gain = r.gain_t[d]
            else:
                continue
            if gain >= 0:
                g.to_b[edges] = j
                g.weight[edges] = gain * K + 1
                edges += 1
    g.a_edge[n] = edges
    i = j = 0
    while i < n or j < m:
        if j == m:
            g.a_rank[i] = i + j
            i += 1
        elif i == n:
            g.b_rank[j] = i + j
            j += 1
        else:
            a = r.xa[i]
            b = r.xb[j]
            if r.a_pos[a] < r.b_pos[b] or (r.a_pos[a] == r.b_pos[b] and r.a_code[a] < r.b_code[b]):
                g.a_rank[i] = i + j
                i += 1
            else:
                g.b_rank[j] = i + j
                j += 1
    g.solve(n, m)
    for i in range(n):
        if g.mate_a[i] >= 0:
            r.mate[r.xa[i]] = r.xb[g.mate_a[i]]
    return 0


cdef int greedy(Buffers r, Graph g, int64_t n, int64_t m) except -1 nogil:
    """Pair as segeval does: for d = 1, 2, ... from the left, pair boundaries that are unpaired and at distance d.

    With several types segeval skips a transposition if both its positions could have a substitution, and then substitutes
    as many types as it can at each position, at the smallest total distance.
    """
    cdef int64_t d, i, j, i_end, j_end, a, b
    g.reserve(n, m, 1)
    for j in range(m):
        g.fixed_b[j] = 0  # whether xb[j] is paired
    for d in range(1, r.n_t):
        greedy_step(r, n, m, d, g.fixed_b)
    if not r.typed:
        return 0
    i = j = 0
    while i < n and j < m:
        a = r.a_pos[r.xa[i]]
        b = r.b_pos[r.xb[j]]
        if a < b:
            i += 1
        elif b < a:
            j += 1
        else:
            i_end = i
            while i_end < n and r.a_pos[r.xa[i_end]] == a:
                i_end += 1
            j_end = j
            while j_end < m and r.b_pos[r.xb[j_end]] == a:
                j_end += 1
            substitute(r, g, i, i_end, j, j_end)
            i = i_end
            j = j_end
    return 0


cdef bint both_unpaired(Buffers r, int64_t n, int64_t m, int64_t pos, const int64_t[::1] is_taken) except -1 nogil:
    """Return whether both sides have unpaired boundaries at ``pos``."""
    cdef int64_t lo = 0, hi = n, mid
    cdef bint a_unpaired = False
    while lo < hi:
        mid = (lo + hi) // 2
        if r.a_pos[r.xa[mid]] < pos:
            lo = mid + 1
        else:
            hi = mid
    while lo < n and r.a_pos[r.xa[lo]] == pos and not a_unpaired:
        a_unpaired = r.mate[r.xa[lo]] < 0
        lo += 1
    if not a_unpaired:
        return False
    lo = 0
    hi = m
    while lo < hi:
        mid = (lo + hi) // 2
        if r.b_pos[r.xb[mid]] < pos:
            lo = mid + 1
        else:
            hi = mid
    while lo < m and r.b_pos[r.xb[lo]] == pos:
        if not is_taken[lo]:
            return True
        lo += 1
    return False


cdef int greedy_step(Buffers r, int64_t n, int64_t m, int64_t d, int64_t[::1] is_taken) except -1 nogil:
    """Pair boundaries at distance d, from left to right.

    Two lists of candidates are merged: pairs with a on the left, and pairs with b on the left.
    """
    cdef int64_t i = 0, j = 0, i2 = 0, j2 = 0, a, b, p, q, x, y
    while True:
        # Next pair with a on the left: xa[i] and xb[j] with the same type, d to the right.
        while i < n and (j < m):
            p = r.a_pos[r.xa[i]] + d
            q = r.b_pos[r.xb[j]]
            if p == q:
                x = code(r.a_code, r.typed, r.xa[i])
                y = code(r.b_code, r.typed, r.xb[j])
                if x == y:
                    break
                if x < y:
                    i += 1
                else:
                    j += 1
            elif p < q:
                i += 1
            else:
                j += 1
        # Next pair with b on the left.
        while i2 < n and j2 < m:
            p = r.a_pos[r.xa[i2]]
            q = r.b_pos[r.xb[j2]] + d
            if p == q:
                x = code(r.a_code, r.typed, r.xa[i2])
                y = code(r.b_code, r.typed, r.xb[j2])
                if x == y:
                    break
                if x < y:
                    i2 += 1
                else:
                    j2 += 1
            elif p < q:
                i2 += 1
            else:
                j2 += 1
        if (i == n or j == m) and (i2 == n or j2 == m):
            return 0
        if i2 == n or j2 == m:
            a = i
            b = j
        elif i == n or j == m:
            a = i2
            b = j2
        else:
            p = r.a_pos[r.xa[i]]
            q = r.b_pos[r.xb[j2]]
            if p < q or (p == q and code(r.a_code, r.typed, r.xa[i]) < code(r.b_code, r.typed, r.xb[j2])):
                a = i
                b = j
            else:
                a = i2
                b = j2
        if r.mate[r.xa[a]] < 0 and not is_taken[b] and not (
                r.typed and both_unpaired(r, n, m, r.a_pos[r.xa[a]], is_taken)
                and both_unpaired(r, n, m, r.b_pos[r.xb[b]], is_taken)):
            r.mate[r.xa[a]] = r.xb[b]
            is_taken[b] = 1
        if a == i and b == j:
            i += 1
            j += 1
        else:
            i2 += 1
            j2 += 1


cdef int substitute(
    Buffers r, Graph g, int64_t i, int64_t i_end, int64_t j, int64_t j_end,
) except -1 nogil:
    """Pair all types of the shorter side at one position with the longer side, at the smallest total distance."""
    # Both lists are sorted by type, so a pairing without crossings has the smallest distance. Every gain is larger than any
    # total distance, so that as many types as possible are paired.
    cdef int64_t n = 0, m = 0, k, at, max_steps = r.gain_s.shape[0]
    for k in range(i, i_end):
        if r.mate[r.xa[k]] < 0:
            g.queue[n] = r.xa[k]
            n += 1
    for k in range(j, j_end):
        if not g.fixed_b[k]:
            g.undo[m] = r.xb[k]
            m += 1
    if n == 0 or m == 0:
        return 0
    if n * (m + 1) > r.F.shape[0]:
        with gil:
            r.widen(n * (m + 1))
    for k in range(n):
        r.lo[k] = 0
        r.hi[k] = m
        r.row[k] = k * (m + 1)
        for at in range(m):
            r.gain[r.row[k] + at] = max_steps * (min(n, m) + 1) - distance_between(r.a_code[g.queue[k]], r.b_code[g.undo[at]])
    suffix_table(n, r.lo, r.hi, r.row, r.gain, r.F)
    k = at = 0
    while k < n and at < m:
        if r.F[r.row[k] + at] == r.gain[r.row[k] + at] + suffix_value(k + 1, at + 1, n, r.lo, r.row, r.F):
            r.mate[g.queue[k]] = g.undo[at]
            k += 1
            at += 1
        elif r.F[r.row[k] + at] == r.F[r.row[k] + at + 1]:
            at += 1
        else:
            k += 1
    return 0


cdef struct Edits:
    int64_t additions
    int64_t transpositions
    int64_t span
    int64_t substitutions
    int64_t distance
    int64_t matches


cdef Edits tally_one(
    const int64_t* a_pos, const int64_t* a_code, int64_t a, int64_t a_end,
    const int64_t* b_pos, const int64_t* b_code, int64_t b, int64_t b_end,
    const int64_t* mate, bint typed,
) noexcept nogil:
    """Count the edits of one document from the partners of the boundaries of a."""
    cdef Edits edits
    cdef int64_t i, j, x, is_paired, is_moved
    edits.transpositions = edits.span = edits.substitutions = edits.distance = edits.matches = 0
    for i in range(a, a_end if b < b_end else a):
        j = mate[i]
        # Whether a boundary has a partner is unpredictable, so there is no branch: without one, the first of b stands in for it.
        is_paired = j >= 0
        j = max(j, b)
        x = distance_between(a_pos[i], b_pos[j]) * is_paired
        is_moved = x != 0
        edits.transpositions += is_moved
        edits.span += x
        x = distance_between(a_code[i], b_code[j]) * (is_paired - is_moved) if typed else 0
        edits.substitutions += x != 0
        edits.distance += x
        edits.matches += is_paired - is_moved - (x != 0)
    edits.additions = (a_end - a) + (b_end - b) - 2 * (edits.transpositions + edits.substitutions + edits.matches)
    return edits


cdef inline void write_row(Edits edits, double[:, ::1] out, Py_ssize_t d) noexcept nogil:
    out[d, 0] = edits.additions
    out[d, 1] = edits.transpositions
    out[d, 2] = edits.span
    out[d, 3] = edits.substitutions
    out[d, 4] = edits.distance
    out[d, 5] = edits.matches


cdef int count_one(Buffers r, int64_t a, int64_t a_end, int64_t b, int64_t b_end, Edits* edits) except -1 nogil:
    """Align one document and count its edits."""
    if a_end - a > r.mates.shape[0]:
        with gil:
            r.make_room(a_end - a)
    r.mate = &r.mates[0] - a
    align_one(r, a, a_end, b, b_end)
    edits[0] = tally_one(r.a_pos, r.a_code, a, a_end, r.b_pos, r.b_code, b, b_end, r.mate, r.typed)
    return 0


def tally(
    const int64_t[::1] a_pos not None,
    const int64_t[::1] a_code not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] b_pos not None,
    const int64_t[::1] b_code not None,
    const int64_t[::1] b_off not None,
    const int64_t[::1] mate not None,
    double[:, ::1] out not None,
):
    """Count the edits of each document into a row of ``out``.

    Columns: 0 additions (either side); 1 transpositions; 2 their total span; 3 substitutions; 4 their total distance on the
    type scale; 5 matches. Further columns are not changed.
    """
    cdef Py_ssize_t d, n = a_off.shape[0] - 1
    cdef bint typed = a_code.shape[0] > 0 or b_code.shape[0] > 0
    cdef const int64_t* a = start(a_pos)
    cdef const int64_t* x = start(a_code)
    cdef const int64_t* b = start(b_pos)
    cdef const int64_t* y = start(b_code)
    cdef const int64_t* partner = start(mate)
    with nogil:
        for d in range(n):
            write_row(tally_one(a, x, a_off[d], a_off[d + 1], b, y, b_off[d], b_off[d + 1], partner, typed), out, d)


def confuse(
    const int64_t[::1] r_pos not None,
    const int64_t[::1] r_code not None,
    const int64_t[::1] r_off not None,
    const int64_t[::1] h_pos not None,
    const int64_t[::1] h_code not None,
    const int64_t[::1] h_off not None,
    const int64_t[::1] mate not None,
    int64_t types,
    double[:, ::1] out not None,
):
    """Count the edits of each document by type into a row of ``out``, which is initially zero.

    There are blocks of ``types`` columns: 0 matches, 1 transpositions, 2 their total span, 3 boundaries of the hypothesis,
    4 boundaries of the reference, 5 unpaired boundaries of the hypothesis, 6 unpaired boundaries of the reference. A matrix
    of substitutions follows, with hypothesis types as rows and reference types as columns.
    """
    cdef Py_ssize_t d, n = r_off.shape[0] - 1
    cdef int64_t i, j, x, y, T = types
    cdef bint typed = r_code.shape[0] > 0 or h_code.shape[0] > 0
    cdef const int64_t* r_types = start(r_code)
    cdef const int64_t* h_types = start(h_code)
    with nogil:
        for d in range(n):
            for j in range(h_off[d], h_off[d + 1]):
                x = code(h_types, typed, j)
                out[d, 3 * T + x] += 1
                out[d, 5 * T + x] += 1
            for i in range(r_off[d], r_off[d + 1]):
                y = code(r_types, typed, i)
                out[d, 4 * T + y] += 1
                j = mate[i]
                if j < 0:
                    out[d, 6 * T + y] += 1
                    continue
                x = code(h_types, typed, j)
                out[d, 5 * T + x] -= 1
                if x != y:
                    out[d, 7 * T + x * T + y] += 1
                elif r_pos[i] == h_pos[j]:
                    out[d, x] += 1
                else:
                    out[d, T + x] += 1
                    out[d, 2 * T + x] += distance_between(r_pos[i], h_pos[j])
