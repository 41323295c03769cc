"""Flexible segmentation similarity: the cost of turning one list of typed boundaries into another (Lai, Li & Zhang 2023).

Positions at which both sides have a boundary are forced pairs and divide the text into runs. Inside a run, members of the
two sorted lists pair in order or stay alone:

    EXACT       the smallest cost, and among equal costs the most objects (the fewest pairs)
    PARDIST     the recursion of section 3.2, which considers only the first remaining boundary of each side
    SEGSIMFLEX  the same with the R package's count of objects

EXACT computes the table over suffixes of ordered.pxd one row at a time. gain(i, j) is the cost of a deletion and an
insertion minus the cost of the pair. G[j] is the largest total gain of the members from i on in a and from j on in b, and
Q[j] is the smallest number of pairs with this gain. Only members within D positions of each other can gain, so row i covers
lo[i] .. hi[i]-1 of b's list. Gains are whole numbers, so ties are exact. The time is proportional to the number of such
cells, and the memory is linear. Tracing the pairs takes one byte per cell.

A boundary with code T is the border between two streams: both sides have it, it divides the text and costs nothing.
"""

from libc.stdint cimport int64_t, uint8_t

import numpy as np

EXACT = 0
PARDIST = 1
SEGSIMFLEX = 2

# Choice at a cell of the table, for tracing back.
cdef enum:
    PAIR, DROP_A, DROP_B


cdef class Scorer:

    def __cinit__(self, sub, alone_a, alone_b, step, gain, reach, sub_f, alone_a_f, alone_b_f, step_f, double scale,
                  int method, Py_ssize_t max_a, Py_ssize_t max_b, bint trace):
        self.sub, self.alone_a, self.alone_b, self.step = sub, alone_a, alone_b, step
        self.gain, self.reach = gain, reach
        self.sub_f, self.alone_a_f, self.alone_b_f, self.step_f = sub_f, alone_a_f, alone_b_f, step_f
        self.scale, self.method = scale, method
        self.T = self.alone_a.shape[0]
        self.D = np.max(reach, initial=0)
        self.lo, self.hi, self.row = np.empty((3, max_a + 1), np.int64)
        self.G, self.Q = np.empty((2, max_b + 1), np.int64)
        self.F = np.empty(max_b + 1 if method != 0 else 0)
        self.choice = np.empty(4 * max_a + 4 if trace else 0, np.uint8)
        self.mate = np.empty(0, np.int64)

    cdef int grow(self, Py_ssize_t cells) except -1:
        self.choice = np.empty(cells + cells // 2, np.uint8)
        return 0

    cdef int set_boundaries(self, const int64_t[::1] a_pos, const int64_t[::1] a_code,
                   const int64_t[::1] b_pos, const int64_t[::1] b_code) except -1 nogil:
        self.a_pos, self.a_code, self.b_pos, self.b_code = a_pos, a_code, b_pos, b_code
        return 0


def score(
    const int64_t[::1] a_pos not None,
    const int64_t[::1] a_code not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] b_pos not None,
    const int64_t[::1] b_code not None,
    const int64_t[::1] b_off not None,
    prices not None,
    int method,
    double[:, ::1] out not None,
    int64_t[::1] mate=None,
):
    """Fill one row of ``out`` per document: 0 the cost, 1 the number of objects.

    ``prices`` contains the arrays of ``Scorer``, in its order, and the scale. ``mate`` is optional and as long as ``a_pos``:
    entry i becomes the index in b of the partner of boundary i of a, or -1 if it has none.
    """
    cdef Py_ssize_t d, n = a_off.shape[0] - 1, max_a = 0, max_b = 0
    cdef bint trace = mate is not None
    for d in range(n):
        max_a = max(max_a, a_off[d + 1] - a_off[d])
        max_b = max(max_b, b_off[d + 1] - b_off[d])
    cdef Scorer scorer = Scorer(*prices, method, max_a, max_b, trace)
    if trace:
        scorer.mate = mate
    with nogil:
        scorer.set_boundaries(a_pos, a_code, b_pos, b_code)
        for d in range(n):
            score_one(scorer, a_off[d], a_off[d + 1], b_off[d], b_off[d + 1], trace)
            out[d, 0] = scorer.cost
            out[d, 1] = scorer.objects


cdef int score_one(Scorer r, int64_t a, int64_t a_end, int64_t b, int64_t b_end, bint trace) except -1 nogil:
    """Score one document: forced pairs, and the runs between them."""
    cdef int64_t a0, b0, i, j, shared = 0, shared_cost = 0, a_cost = 0, b_cost = 0, gain = 0
    cdef double cost = 0
    r.objects = r.a_only = r.b_only = 0
    while True:
        a0 = a
        b0 = b
        while a < a_end and b < b_end and r.a_pos[a] != r.b_pos[b]:
            if r.a_pos[a] < r.b_pos[b]:
                a_cost += r.alone_a[r.a_code[a]]
                a += 1
            else:
                b_cost += r.alone_b[r.b_code[b]]
                b += 1
        if a == a_end or b == b_end:
            for i in range(a, a_end):
                a_cost += r.alone_a[r.a_code[i]]
            for j in range(b, b_end):
                b_cost += r.alone_b[r.b_code[j]]
            a = a_end
            b = b_end
        r.a_only += a - a0
        r.b_only += b - b0
        if a > a0 or b > b0:
            if r.method == 0:
                gain += exact_run(r, a0, a, b0, b, trace)
            else:
                cost += pardist_run(r, a0, a, b0, b, trace)
        if a == a_end:
            break
        if trace:
            r.mate[a] = b
        if r.a_code[a] < r.T:
            shared += 1
            shared_cost += r.sub[r.a_code[a] * r.T + r.b_code[b]]
            if r.method != 0:
                cost += r.sub_f[r.a_code[a] * r.T + r.b_code[b]]
        a += 1
        b += 1
    r.objects += shared
    r.shared = shared
    r.shared_cost = shared_cost / r.scale
    r.a_cost = a_cost / r.scale
    r.b_cost = b_cost / r.scale
    r.cost = cost if r.method != 0 else (shared_cost + a_cost + b_cost - gain) / r.scale
    return 0


cdef int64_t exact_run(Scorer r, int64_t a0, int64_t a1, int64_t b0, int64_t b1, bint trace) except -1 nogil:
    """Return the largest gain of one run; count its objects and fill its part of ``mate``."""
    cdef int64_t n = a1 - a0, m = b1 - b0, i, j, k, x, p, q, d, at, lo = 0, hi = 0, cells = 0
    cdef int64_t gain, old_gain, old_pairs, diagonal_gain, diagonal_pairs, best_gain, best_pairs
    cdef bint b_left
    cdef uint8_t move
    r.objects += n + m
    if trace:
        for i in range(a0, a1):
            r.mate[i] = -1
    if n == 0 or m == 0:
        return 0
    for i in range(n):
        p = r.a_pos[a0 + i]
        while lo < m and r.b_pos[b0 + lo] < p - r.D:
            lo += 1
        if hi < lo:
            hi = lo
        while hi < m and r.b_pos[b0 + hi] <= p + r.D:
            hi += 1
        r.lo[i] = lo
        r.hi[i] = hi
        r.row[i] = cells
        cells += hi - lo
    if cells == 0:
        return 0
    if trace and cells > r.choice.shape[0]:
        with gil:
            r.grow(cells)
    for j in range(m + 1):
        r.G[j] = r.Q[j] = 0
    lo = m
    for i in range(n - 1, -1, -1):
        # To the left of the row below, nothing can be paired, so all cells there equal the first cell of that row.
        for j in range(r.lo[i], lo):
            r.G[j] = r.G[lo]
            r.Q[j] = r.Q[lo]
        lo = r.lo[i]
        hi = r.hi[i]
        p = r.a_pos[a0 + i]
        x = r.a_code[a0 + i] * r.T
        diagonal_gain = best_gain = r.G[hi]
        diagonal_pairs = best_pairs = r.Q[hi]
        for j in range(hi - 1, lo - 1, -1):
            # best: drop member j of b (the cell to the right); old: drop member i of a (the cell below).
            q = r.b_pos[b0 + j]
            b_left = q < p
            d = p - q if b_left else q - p
            old_gain = r.G[j]
            old_pairs = r.Q[j]
            move = DROP_B
            if old_gain > best_gain or (old_gain == best_gain and (
                    old_pairs < best_pairs or (old_pairs == best_pairs and not b_left))):
                move = DROP_A
                best_gain = old_gain
                best_pairs = old_pairs
            k = x + r.b_code[b0 + j]
            if d <= r.reach[b_left, k]:
                gain = r.gain[k] - r.step[b_left, k] * d + diagonal_gain
                if gain > best_gain or (gain == best_gain and diagonal_pairs + 1 <= best_pairs):
                    move = PAIR
                    best_gain = gain
                    best_pairs = diagonal_pairs + 1
            if trace:
                r.choice[r.row[i] + j - lo] = move
            diagonal_gain = old_gain
            diagonal_pairs = old_pairs
            r.G[j] = best_gain
            r.Q[j] = best_pairs
    best_gain = r.G[lo]
    r.objects -= r.Q[lo]
    if trace:
        i = j = 0
        while i < n and j < m:
            if j >= r.hi[i]:
                i += 1
            elif j < r.lo[i]:
                j += 1
            else:
                move = r.choice[r.row[i] + j - r.lo[i]]
                if move == PAIR:
                    r.mate[a0 + i] = b0 + j
                i += move != DROP_B
                j += move != DROP_A
    return best_gain


cdef double pardist_run(Scorer r, int64_t a0, int64_t a1, int64_t b0, int64_t b1, bint trace) except -1 nogil:
    """Return the cost of one run by the published recursion, added in the order of the R package.

    In state (i, j) the first remaining boundaries are x at p and y at q. If p < q, drop x, or pair and go to
    (i+1, j+1). If q < p, drop y, or pair, which also drops every y between q and p, and go to (i+1, first y after p).
    F[j] and Q[j] are the cost and the number of objects from state (i, j) on.
    """
    cdef int64_t n = a1 - a0, m = b1 - b0, i, j, k, x, p, q, objects, after, old_objects, after_objects, next_objects
    cdef double between, drop, pair, old, after_cost, next_cost
    cdef bint b_left
    if trace:
        for i in range(a0, a1):
            r.mate[i] = -1
        if n * m > r.choice.shape[0]:
            with gil:
                r.grow(n * m)
    r.F[m] = 0
    r.Q[m] = 0
    for j in range(m - 1, -1, -1):
        r.F[j] = r.alone_b_f[r.b_code[b0 + j]] + r.F[j + 1]
        r.Q[j] = m - j
    after = m
    for i in range(n - 1, -1, -1):
        p = r.a_pos[a0 + i]
        x = r.a_code[a0 + i]
        # The state to the lower right, and the state after p, both in the row below.
        next_cost = after_cost = r.F[m]
        next_objects = after_objects = r.Q[m]
        r.F[m] = r.alone_a_f[x] + r.F[m]
        r.Q[m] += 1
        after = m
        between = 0
        for j in range(m - 1, -1, -1):
            q = r.b_pos[b0 + j]
            k = x * r.T + r.b_code[b0 + j]
            old = r.F[j]
            old_objects = r.Q[j]
            b_left = q < p
            if not b_left:
                after = j
                drop = r.alone_a_f[x] + old
                objects = old_objects + 1
                pair = r.step_f[0, k] * (q - p) + (r.sub_f[k] + next_cost)
                if pair < drop:
                    objects = next_objects + 1
            else:
                drop = r.alone_b_f[r.b_code[b0 + j]] + r.F[j + 1]
                objects = r.Q[j + 1] + 1
                pair = r.step_f[1, k] * (p - q) + ((r.sub_f[k] + between) + after_cost)
                if pair < drop:
                    objects = after_objects + after - j
                between = r.alone_b_f[r.b_code[b0 + j]] + between
            if pair < drop and r.method == 2 and i == n - 1 and j == m - 1 and x != r.b_code[b0 + j]:
                objects += 1
            r.F[j] = pair if pair < drop else drop
            r.Q[j] = objects
            next_cost = old
            next_objects = old_objects
            if not b_left:
                after_cost = old
                after_objects = old_objects
            if trace:
                r.choice[i * m + j] = PAIR if pair < drop else (DROP_B if b_left else DROP_A)
    r.objects += r.Q[0]
    if trace:
        i = j = 0
        while i < n and j < m:
            k = r.choice[i * m + j]
            if k == PAIR:
                r.mate[a0 + i] = b0 + j
                while j + 1 < m and r.b_pos[b0 + j + 1] < r.a_pos[a0 + i]:
                    j += 1
            i += k != DROP_B
            j += k != DROP_A
    return r.F[0]
