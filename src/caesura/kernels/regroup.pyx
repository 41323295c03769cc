"""A good alignment of many annotators, by exchanges between unitary alignments.

An alignment divides the units into groups with at most one unit of each annotator. Choose a set F of annotators and cut every
group into its units of F and its other units. Among all ways to put the parts together again, each part with at most one part of
the other kind, the cheapest is an assignment problem. With d in multiples of delta_empty and C2 = n (n - 1) / 2, putting P and R
together changes the cost by ::

    sum over u in P, v in R of (d(u, v) - 1)  -  C2

in multiples of delta_empty / C2. The search repeats this for every F of one or two annotators until no F improves the alignment
(Karapetyan & Gutin 2011 call such a step a dimensionwise variation). The first alignment adds one annotator after the other.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from caesura.kernels.assignment import pair_rows

cdef int64_t Q = 1 << 40  # quanta of kernels/unitary.pyx
cdef int64_t MAX_MATRIX = 1000  # units whose distances are kept
cdef int64_t NEVER = 1 << 61
cdef int64_t EXCHANGE = 25_000  # work of an exchange in comparison to a pair of units, and for each unit
cdef int64_t UNIT = 60
cdef int64_t EDGE = 50
cdef int64_t MAX_EDGES = 64  # parts that a part is compared with in one exchange, the cheapest ones

cdef enum Side:
    OTHER = 0
    CHOSEN = 1
    ABSENT = 2  # not yet part of the alignment


cdef class Grouping:
    """Units with their present groups.

    ``steps`` counts the pairs of units that were looked at, and the exchanges.
    """

    cdef const double[::1] start, end
    cdef const int32_t[::1] category, annotator
    cdef const double[:, ::1] distance
    cdef double alpha, beta, limit, longest
    cdef int64_t N, n, groups, C2
    cdef readonly int64_t steps
    cdef int64_t[:, ::1] known  # d of all pairs, if they are few
    cdef int32_t[::1] group, members, left, right, label
    cdef int64_t[::1] first, sum, met, left_size, right_size
    cdef int32_t[::1] touched
    cdef uint8_t[::1] side  # per annotator
    cdef int64_t[::1] begin
    cdef int32_t[::1] column
    cdef int64_t[::1] cost
    cdef int64_t lefts, rights, edges, present

    def __cinit__(self, start, end, category, annotator, int64_t n, double alpha, double beta, distance):
        cdef int64_t i, j
        self.start, self.end, self.category, self.annotator = start, end, category, annotator
        self.alpha, self.beta, self.distance = alpha, beta, distance
        self.N, self.n, self.C2 = len(start), n, n * (n - 1) // 2
        self.limit, self.longest = self.C2 + n - 1, 0
        for i in range(self.N):
            self.longest = max(self.longest, self.end[i] - self.start[i])
        self.group, self.members, self.left, self.right, self.label, self.touched = np.zeros((6, self.N + 1), np.int32)
        self.first = np.zeros(self.N + 2, np.int64)
        self.sum, self.met, self.left_size, self.right_size = np.zeros((4, self.N + 1), np.int64)
        self.begin = np.zeros(self.N + 2, np.int64)
        self.side = np.zeros(n, np.uint8)
        self.column, self.cost = np.zeros(1024, np.int32), np.zeros(1024, np.int64)
        self.known = np.zeros((0, 0), np.int64)
        if self.N <= MAX_MATRIX:
            matrix = np.zeros((self.N, self.N), np.int64)
            self.known = matrix
            for i in range(self.N):
                for j in range(i):
                    self.known[i, j] = self.known[j, i] = self.compute(i, j)

    cdef int64_t compute(self, int64_t i, int64_t j) noexcept nogil:
        """Return d in quanta; -1 if no best alignment has the pair in one group."""
        cdef double moved = fabs(self.start[i] - self.start[j]) + fabs(self.end[i] - self.end[j])
        cdef double length = (self.end[i] - self.start[i]) + (self.end[j] - self.start[j]), d = 0
        if self.annotator[i] == self.annotator[j]:
            return -1
        if moved > 0:
            if length <= 0:
                return -1
            d = self.alpha * (moved / length) * (moved / length)
        if self.distance.shape[0]:
            d += self.beta * self.distance[self.category[i], self.category[j]]
        elif self.category[i] != self.category[j]:
            d += self.beta
        return <int64_t>(d * Q + 0.5) if d <= self.limit else -1

    cdef void number_parts(self) noexcept nogil:
        """Number the chosen and the other part of every group, and list the units of each group."""
        cdef int64_t u, g
        for g in range(self.groups + 2):
            self.first[g] = 0
        for g in range(self.groups):
            self.left[g] = self.right[g] = -1
            self.left_size[g] = self.right_size[g] = 0
        self.lefts = self.rights = 0
        for u in range(self.N):
            if self.side[self.annotator[u]] == ABSENT:
                continue
            g = self.group[u]
            self.first[g + 2] += 1
            if self.side[self.annotator[u]] == CHOSEN:
                if self.left[g] < 0:
                    self.left[g] = <int32_t>self.lefts
                    self.lefts += 1
                self.left_size[g] += 1
            else:
                if self.right[g] < 0:
                    self.right[g] = <int32_t>self.rights
                    self.rights += 1
                self.right_size[g] += 1
        for g in range(self.groups):
            self.first[g + 2] += self.first[g + 1]
        for u in range(self.N):
            if self.side[self.annotator[u]] != ABSENT:
                g = self.group[u]
                self.members[self.first[g + 1]] = <int32_t>u
                self.first[g + 1] += 1

    cdef int64_t meet(self, int64_t u, int64_t touched) noexcept nogil:
        """Add the terms of a chosen unit to the groups of the other units."""
        cdef int64_t v, low = u, high = u + 1, d
        cdef int32_t g
        cdef double middle = self.start[u] + self.end[u], reach
        cdef bint all_known = self.known.shape[0] > 0
        if all_known:
            low, high = 0, self.N
        else:
            reach = sqrt(self.limit / self.alpha) * 1.000001 * (self.end[u] - self.start[u] + self.longest)
            while low > 0 and middle - (self.start[low - 1] + self.end[low - 1]) <= reach:
                low -= 1
            while high < self.N and self.start[high] + self.end[high] - middle <= reach:
                high += 1
        self.steps += high - low
        for v in range(low, high):
            if self.side[self.annotator[v]] != OTHER:
                continue
            d = self.known[u, v] if all_known else self.compute(u, v)
            if d < 0:
                continue
            g = self.group[v]
            if self.met[g] == 0:
                self.touched[touched] = g
                touched += 1
            self.met[g] += 1
            self.sum[g] += d - Q
        return touched

    cdef int list_edges(self) except -1:
        """List the pairs of parts that are worth putting together, and the cost of those that are together now."""
        cdef int64_t g, k, t, touched, gain, row = 0
        cdef int32_t other
        self.edges = self.present = 0
        for g in range(self.groups):  # ``left`` numbers the parts by their first units, so rows are sorted by ``label``
            if self.left[g] >= 0:
                self.label[self.left[g]] = <int32_t>g
        for row in range(self.lefts):
            g = self.label[row]
            self.begin[row] = self.edges
            touched = 0
            for k in range(self.first[g], self.first[g + 1]):
                if self.side[self.annotator[self.members[k]]] == CHOSEN:
                    touched = self.meet(self.members[k], touched)
            if self.edges + touched > self.cost.shape[0]:
                self.column = np.resize(np.asarray(self.column), 2 * (self.edges + touched))
                self.cost = np.resize(np.asarray(self.cost), 2 * (self.edges + touched))
            if self.right[g] >= 0 and self.met[g] < self.left_size[g] * self.right_size[g]:
                self.present = NEVER
            for t in range(touched):
                other = self.touched[t]
                if self.met[other] == self.left_size[g] * self.right_size[other]:
                    gain = self.sum[other] - self.C2 * Q
                    if other == g and self.present < NEVER:
                        self.present += gain
                    if gain <= 0:
                        self.column[self.edges], self.cost[self.edges] = self.right[other], gain
                        self.edges += 1
                self.sum[other] = self.met[other] = 0
            if self.edges - self.begin[row] > MAX_EDGES:
                self.edges = self.begin[row] + self.keep_cheapest(self.begin[row], self.edges)
        self.begin[self.lefts] = self.edges
        self.steps += EDGE * self.edges
        return 0

    cdef int64_t keep_cheapest(self, int64_t begin, int64_t end) except -1:
        """Keep the cheapest edges of the last row, in their order; return their number."""
        self.steps += EDGE * (end - begin)
        cost, column = np.asarray(self.cost)[begin:end], np.asarray(self.column)[begin:end]
        kept = np.sort(np.argsort(cost, kind="stable")[:MAX_EDGES])
        cost[:MAX_EDGES], column[:MAX_EDGES] = cost[kept], column[kept]
        return MAX_EDGES

    def exchange(self):
        """Put the parts together in the cheapest way; return whether this is cheaper than before."""
        cdef int64_t g, row, u, total = 0, single
        cdef const int64_t[::1] edge, rows, columns
        cdef int32_t[::1] target
        self.steps += EXCHANGE + UNIT * self.N
        self.number_parts()
        self.list_edges()
        edge, rows, columns = pair_rows(
            self.rights,
            np.asarray(self.begin)[:self.lefts + 1],
            np.asarray(self.column)[:self.edges],
            np.asarray(self.cost)[:self.edges],
        )
        for row in range(self.lefts):
            total += rows[row]
        for row in range(self.rights):
            total += columns[row]
        if total >= self.present:
            return False
        target, single = self.touched, self.rights  # per chosen part, its new group
        for row in range(self.lefts):
            if edge[row] >= 0:
                target[row] = self.column[edge[row]]
            else:
                target[row] = <int32_t>single
                single += 1
        for u in range(self.N):
            g = self.group[u]
            if self.side[self.annotator[u]] == CHOSEN:
                self.group[u] = target[self.left[g]]
            elif self.side[self.annotator[u]] == OTHER:
                self.group[u] = self.right[g]
        self.groups = single
        return True

    def build(self, const int64_t[::1] order):
        """Add one annotator after the other."""
        cdef int64_t a, b, u
        for a in range(self.n):
            self.side[a] = ABSENT
        self.groups = 0
        for b in range(self.n):
            a = order[b]
            for u in range(self.N):
                if self.annotator[u] == a:
                    self.group[u] = <int32_t>self.groups
                    self.groups += 1
            self.side[a] = CHOSEN
            self.exchange()
            self.side[a] = OTHER

    def improve(self, int64_t max_steps):
        """Exchange parts for every set of one or two annotators, until nothing is cheaper or the work is too much."""
        cdef int64_t a, b, rest = self.n * (self.n + 1) // 2
        cdef int64_t waiting = rest  # sets to look at since the last improvement
        while waiting > 0:
            for a in range(self.n):
                for b in range(a, self.n):
                    if waiting <= 0 or self.steps > max_steps:
                        return
                    self.side[a] = self.side[b] = CHOSEN
                    waiting = rest if self.exchange() else waiting - 1
                    self.side[a] = self.side[b] = OTHER

    def total(self):
        """Return the cost of the alignment in quanta times C2."""
        cdef int64_t g, i, j, cost = self.groups * self.C2 * Q
        self.number_parts()
        for g in range(self.groups):
            for i in range(self.first[g], self.first[g + 1]):
                for j in range(self.first[g], i):
                    cost += self.compute(self.members[i], self.members[j]) - Q
        return cost

    @property
    def groups_of_units(self):
        """The group of each unit."""
        return np.array(self.group)[:self.N]


def group_units(
    const double[::1] start not None,
    const double[::1] end not None,
    const int32_t[::1] category not None,
    const int32_t[::1] annotator not None,
    int64_t n,
    double alpha,
    double beta,
    const double[:, ::1] distance not None,
    orders,
    int64_t max_steps,
):
    """Return the group of each unit in the cheapest alignment that the search finds, and the work that it took.

    Units are in ascending order of start + end. Each row of ``orders`` is an order in which the annotators enter the first
    alignment. A search ends when it has looked at ``max_steps`` pairs of units. Work is the number
    of such pairs; an exchange, its units and its edges count as several.
    """
    best, cheapest, work = None, None, 0
    for order in orders:
        grouping = Grouping(start, end, category, annotator, n, alpha, beta, distance)
        grouping.build(order)
        grouping.improve(max_steps)
        total = grouping.total()
        work += grouping.steps
        if cheapest is None or total < cheapest:
            best, cheapest = grouping.groups_of_units, total
    return best, work
