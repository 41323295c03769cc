"""The segmentation with the smallest total boundary edit distance to several coders, for one type and n_t = 2.

The cost of a segmentation against one coder is 1 per boundary that only one side has, and 1/2 per pair of such boundaries at
neighbouring positions, one on each side. All costs below are in halves. Let X be the set of coders who mark a position. If
the gold standard marks it too, the coders outside X differ; otherwise the coders in X differ. Both sets are called D.

**State.** Reading from the left, a coder is *open* at position p if the coder differs there and that boundary is not yet
paired. Unpaired boundaries form paths of neighbours, and pairing from the left is optimal on a path. So the future cost
depends only on the gold bit g of the last position and the set m of open coders. At the next position:

    same bit:   nothing can be paired, because both boundaries are on the same side.   m' = D'         cost 2 |D'|
    other bit:  coders who are open and differ again pair.                             m' = D' - m     cost 2 |D'| - 3 |m & D'|

**Few states.** The same bit leads to one state, whatever m was: (g, D'). So m depends only on the last place with two equal
bits. Two states with the same bit become equal as soon as every coder in whom they differ agrees with the gold standard
once. Besides, (g, D') has every coder open who can be, and an open coder never makes the future more expensive. A state
that costs more than (g, D') so far is therefore never part of an optimum, and is discarded. Together this keeps a handful of
states per position for any number of coders, where 2^(coders + 1) would be possible.

**Ties.** ``key`` is the smallest cost of the rest, times a number larger than any number of matches, minus the largest number
of exact matches at that cost. The solution follows the smallest keys. Of two equal keys it takes the boundary now, unless the
rest without any boundary has the same key: this is the smallest list of positions.
"""

from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc

import numpy as np

cdef extern from *:
    """
    static inline int bits_set(unsigned long long x) {
        x -= (x >> 1) & 0x5555555555555555ULL;
        x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
        x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (int) ((x * 0x0101010101010101ULL) >> 56);
    }
    """
    int bits_set(uint64_t x) noexcept nogil


cdef int64_t MANY_PATHS = 1LL << 61  # the sum of two smaller numbers is exact


cdef class MedianGraph:
    """All states that may be part of an optimum, with their successors.

    Parameters
    ----------
    marks : ndarray of uint64, shape (positions, words)
        Coders who mark each position, one bit per coder.
    coders : int
        Number of coders.
    """

    cdef int64_t P, W, coders, nodes, capacity
    cdef const uint64_t[:, ::1] marks
    cdef int64_t[::1] first  # first node of layer 0 .. P+1; layer 0 is the beginning of the text
    cdef int64_t[::1] split  # first node of each layer whose gold bit is 1
    cdef int64_t[::1] count  # number of coders who mark each position; count[0] belongs to the beginning
    cdef uint64_t[::1] everyone
    cdef int64_t *cost  # smallest cost up to the node
    cdef int64_t *step  # cost of the step to the other bit
    cdef int64_t *other  # node that this step leads to; -1 if it was discarded
    cdef int64_t *key
    cdef uint64_t *open  # W words per node

    def __cinit__(self, const uint64_t[:, ::1] marks not None, int64_t coders):
        cdef int64_t p, w, left
        self.marks = marks
        self.P = marks.shape[0]
        self.W = marks.shape[1]
        self.coders = coders
        self.first = np.zeros(self.P + 2, np.int64)
        self.split = np.zeros(self.P + 1, np.int64)
        self.count = np.zeros(self.P + 1, np.int64)
        self.everyone = np.zeros(self.W, np.uint64)
        left = coders
        for w in range(self.W):
            self.everyone[w] = ~<uint64_t>0 if left >= 64 else (<uint64_t>1 << left) - 1
            left -= 64
        for p in range(self.P):
            for w in range(self.W):
                self.count[p + 1] += bits_set(marks[p, w])

    def __dealloc__(self):
        free(self.cost)
        free(self.step)
        free(self.other)
        free(self.key)
        free(self.open)

    cdef int reserve(self, int64_t nodes) except -1 nogil:
        """Make space for this number of nodes."""
        cdef int64_t size
        cdef void *block
        if nodes <= self.capacity:
            return 0
        size = max(nodes, 2 * self.capacity, 64)
        block = realloc(self.cost, size * sizeof(int64_t))
        if block != NULL:
            self.cost = <int64_t *>block
            block = realloc(self.step, size * sizeof(int64_t))
        if block != NULL:
            self.step = <int64_t *>block
            block = realloc(self.other, size * sizeof(int64_t))
        if block != NULL:
            self.other = <int64_t *>block
            block = realloc(self.key, size * sizeof(int64_t))
        if block != NULL:
            self.key = <int64_t *>block
            block = realloc(self.open, size * self.W * sizeof(uint64_t))
        if block == NULL:
            with gil:
                raise MemoryError
        self.open = <uint64_t *>block
        self.capacity = size
        return 0

    cdef inline uint64_t differing(self, int64_t p, int64_t w, int g) noexcept nogil:
        """Return word w of the coders who differ at position p (from 1) from the gold bit g."""
        return self.marks[p - 1, w] ^ (self.everyone[w] if g else 0)

    cdef int64_t add(self, int64_t p, int g, int64_t start, int64_t origin, int64_t cost) except -1 nogil:
        """Add the state after ``origin`` (-1: the same bit) to layer p, or find it; return its node."""
        cdef int64_t node, w
        cdef bint equal
        self.reserve(self.nodes + 1)
        for w in range(self.W):
            self.open[self.nodes * self.W + w] = self.differing(p, w, g) & (
                ~self.open[origin * self.W + w] if origin >= 0 else ~<uint64_t>0
            )
        for node in range(start, self.nodes):
            equal = True
            for w in range(self.W):
                equal = equal and self.open[node * self.W + w] == self.open[self.nodes * self.W + w]
            if equal:
                self.cost[node] = min(self.cost[node], cost)
                return node
        self.cost[self.nodes] = cost
        self.nodes += 1
        return self.nodes - 1

    cdef int extend(self, int64_t p, int g) except -1 nogil:
        """Add the states of layer p whose gold bit is g."""
        cdef int64_t start = self.nodes, node, w, pairs, least = INT64_MAX, limit = INT64_MAX
        cdef int64_t lo = self.first[p - 1], mid = self.split[p - 1], hi = self.first[p]
        cdef int64_t differing = self.coders - self.count[p] if g else self.count[p]
        for node in range(mid if g else lo, hi if g else mid):
            least = min(least, self.cost[node])
        if least < INT64_MAX:
            limit = least + 2 * differing
            self.add(p, g, start, -1, limit)
        for node in range(lo if g else mid, mid if g else hi):
            pairs = 0
            for w in range(self.W):
                pairs += bits_set(self.open[node * self.W + w] & self.differing(p, w, g))
            self.step[node] = 2 * differing - 3 * pairs
            if self.cost[node] + self.step[node] > limit:
                self.other[node] = -1
            else:
                self.other[node] = self.add(p, g, start, node, self.cost[node] + self.step[node])
        return 0

    cdef int build(self) except -1 nogil:
        """Add all layers. The beginning of the text is a state without boundary and without open coders."""
        cdef int64_t p, w
        self.reserve(1)
        self.cost[0] = 0
        for w in range(self.W):
            self.open[w] = 0
        self.nodes = self.split[0] = self.first[1] = 1
        for p in range(1, self.P + 1):
            self.extend(p, 0)
            self.split[p] = self.nodes
            self.extend(p, 1)
            self.first[p + 1] = self.nodes
        return 0

    cdef inline int64_t same(self, int64_t p, int g) noexcept nogil:
        """Return the first node of layer p with gold bit g, which the step to the same bit leads to."""
        return self.split[p] if g else self.first[p]

    cdef void solve(self, int64_t factor) noexcept nogil:
        """Compute the keys of all nodes, from the last layer to the first."""
        cdef int64_t p, node, key, matches, differing
        cdef int g
        for node in range(self.first[self.P], self.nodes):
            self.key[node] = 0
        for p in range(self.P - 1, -1, -1):
            matches = self.count[p + 1]
            for node in range(self.first[p], self.first[p + 1]):
                g = node >= self.split[p]
                differing = self.coders - matches if g else matches
                self.key[node] = 2 * differing * factor - (matches if g else 0) + self.key[self.same(p + 1, g)]
                if self.other[node] >= 0:
                    key = self.step[node] * factor - (0 if g else matches) + self.key[self.other[node]]
                    self.key[node] = min(self.key[node], key)

    cdef void trace(self, int64_t factor, uint8_t[::1] gold) noexcept nogil:
        """Write the preferred optimum."""
        cdef int64_t p, node = 0, key, rest = 0, matches, empty
        cdef int g = 0
        for p in range(1, self.P + 1):
            rest += self.count[p]
        for p in range(self.P):
            matches = self.count[p + 1]
            # Cost of the rest without boundaries: only the open coders of a boundary can still pair, at the next position.
            empty = (self.step[node] + 2 * (rest - matches) if g else 2 * rest) * factor
            rest -= matches
            if empty == self.key[node]:
                return
            if g:
                key = 2 * (self.coders - matches) * factor - matches + self.key[self.same(p + 1, 1)]
                if key == self.key[node]:
                    node = self.same(p + 1, 1)
                else:
                    node = self.other[node]
                    g = 0
            elif self.other[node] >= 0 and (
                self.step[node] * factor - matches + self.key[self.other[node]] == self.key[node]
            ):
                node = self.other[node]
                g = 1
            else:
                node = self.same(p + 1, 0)
            gold[p] = g

    def find(self, int64_t factor, uint8_t[::1] gold not None):
        """Write the preferred optimum into ``gold`` (zeros), and return its cost in halves and its matches.

        Parameters
        ----------
        factor : int
            A number larger than any possible number of matches.
        gold : ndarray of uint8
            One entry per position.

        Returns
        -------
        tuple of int
        """
        if self.P == 0:
            return 0, 0
        with nogil:
            self.build()
            self.solve(factor)
            self.trace(factor, gold)
        cdef int64_t cost = ceiling(self.key[0], factor)
        return cost, cost * factor - self.key[0]

    def steps(self, int64_t factor):
        """Return which steps of which nodes are part of an optimum in cost.

        Parameters
        ----------
        factor : int
            See :meth:`find`, which must have been called.

        Returns
        -------
        tuple of ndarray
            First node of each layer; for each node, the node after a step to the same bit and to the other bit, or -1.
        """
        cdef int64_t p, node, least, differing
        cdef int g
        same, other = np.full(self.nodes, -1, np.int64), np.full(self.nodes, -1, np.int64)
        cdef int64_t[::1] to_same = same, to_other = other
        with nogil:
            for p in range(self.P):
                for node in range(self.first[p], self.first[p + 1]):
                    g = node >= self.split[p]
                    least = ceiling(self.key[node], factor)
                    differing = self.coders - self.count[p + 1] if g else self.count[p + 1]
                    if 2 * differing + ceiling(self.key[self.same(p + 1, g)], factor) == least:
                        to_same[node] = self.same(p + 1, g)
                    if self.other[node] >= 0 and (
                        self.step[node] + ceiling(self.key[self.other[node]], factor) == least
                    ):
                        to_other[node] = self.other[node]
        return np.asarray(self.first), same, other


def small_count(
    const int64_t[::1] first not None, const int64_t[::1] left not None, const int64_t[::1] right not None
):
    """Return the number of paths from the first node to the last layer, or -1 if it may be larger than 2^61.

    ``first``, ``left`` and ``right`` are those of :meth:`MedianGraph.steps`. The successors of a node have larger numbers.
    """
    cdef int64_t node, successor, nodes = left.shape[0], total = 0
    cdef int64_t[::1] paths = np.zeros(nodes, np.int64)
    cdef int side
    with nogil:
        paths[0] = 1
        for node in range(first[first.shape[0] - 2]):
            for side in range(2):
                successor = right[node] if side else left[node]
                if successor >= 0:
                    paths[successor] += paths[node]
                    if paths[successor] > MANY_PATHS:
                        total = -1
                        break
            if total < 0:
                break
        if total == 0:
            for node in range(first[first.shape[0] - 2], nodes):
                total += paths[node]
                if total > MANY_PATHS:
                    total = -1
                    break
    return total


cdef inline int64_t ceiling(int64_t value, int64_t divisor) noexcept nogil:
    """Return value / divisor, rounded up; the value may be negative."""
    return value // divisor + (value % divisor > 0) if value >= 0 else -(-value // divisor)
