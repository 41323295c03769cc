"""Cheapest pairing of rows with columns in which both may stay single, by shortest augmenting paths.

Row i may pair with the columns of its edges. An edge has a cost of at most 0; a row or column without partner costs 0. The
dual prices u of rows and v of columns are never positive, ::

    u[i] + v[j] <= cost of the edge (i, j)

with equality on chosen edges, and 0 for everything without partner; so the prices sum to the cost of the pairing. Rows enter
one after the other. Each looks for the cheapest chain of changes, by Dijkstra's algorithm over the differences between the two
sides of the inequality (Jonker & Volgenant 1987); a chain ends at a free column or sets a row free.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t

import numpy as np


cdef struct Entry:
    int64_t distance
    int64_t target  # column, or columns + row to set that row free


cdef object ENTRY = np.dtype([("distance", np.int64), ("target", np.int64)])


cdef class Heap:
    """Binary heap of entries, the smallest distance first, then the smallest target."""

    cdef Entry[::1] entry
    cdef int64_t size

    def __cinit__(self, int64_t capacity):
        self.entry = np.zeros(capacity, ENTRY)

    cdef inline bint before(self, int64_t a, int64_t b) noexcept nogil:
        if self.entry[a].distance != self.entry[b].distance:
            return self.entry[a].distance < self.entry[b].distance
        return self.entry[a].target < self.entry[b].target

    cdef inline void swap(self, int64_t a, int64_t b) noexcept nogil:
        cdef Entry held = self.entry[a]
        self.entry[a] = self.entry[b]
        self.entry[b] = held

    cdef void push(self, int64_t distance, int64_t target) noexcept nogil:
        cdef int64_t at = self.size
        self.entry[at].distance = distance
        self.entry[at].target = target
        self.size += 1
        while at > 0 and self.before(at, (at - 1) // 2):
            self.swap(at, (at - 1) // 2)
            at = (at - 1) // 2

    cdef Entry pop(self) noexcept nogil:
        cdef Entry top = self.entry[0]
        cdef int64_t at = 0, child
        self.size -= 1
        self.entry[0] = self.entry[self.size]
        while True:
            child = 2 * at + 1
            if child >= self.size:
                break
            if child + 1 < self.size and self.before(child + 1, child):
                child += 1
            if not self.before(child, at):
                break
            self.swap(at, child)
            at = child
        return top


def pair_rows(
    int64_t columns,
    const int64_t[::1] begin not None,
    const int32_t[::1] column not None,
    const int64_t[::1] cost not None,
):
    """Return (edge of each row or -1, prices of rows, prices of columns).

    Row i has the edges begin[i] .. begin[i + 1] - 1, with the columns ``column`` and the costs ``cost``, none above 0.
    """
    cdef int64_t rows = begin.shape[0] - 1, source, row, k, j, mu, d, last, previous
    cdef int64_t[::1] u = np.zeros(rows, np.int64), v = np.zeros(columns, np.int64)
    cdef int64_t[::1] edge = np.full(rows, -1, np.int64), partner = np.full(columns, -1, np.int64)
    cdef int64_t[::1] reached = np.zeros(rows, np.int64)  # distance at which a row entered the search
    cdef int64_t[::1] distance = np.full(columns, INT64_MAX, np.int64), by = np.full(columns, -1, np.int64)
    cdef int64_t[::1] owner = np.empty(column.shape[0], np.int64), seen = np.empty(rows + 1, np.int64)
    cdef int64_t[::1] touched = np.empty(columns + 1, np.int64)
    cdef int64_t n_seen, n_touched
    cdef Heap heap = Heap(column.shape[0] + 2 * rows + 2)
    cdef Entry top
    with nogil:
        for row in range(rows):
            for k in range(begin[row], begin[row + 1]):
                owner[k] = row
                if cost[k] < u[row]:
                    u[row] = cost[k]
        for source in range(rows):
            heap.size = 0
            n_seen = n_touched = 0
            row, mu = source, 0
            while True:
                reached[row] = mu
                seen[n_seen] = row
                n_seen += 1
                heap.push(mu - u[row], columns + row)
                for k in range(begin[row], begin[row + 1]):
                    j = column[k]
                    d = mu + cost[k] - u[row] - v[j]
                    if d < distance[j]:
                        if distance[j] == INT64_MAX:
                            touched[n_touched] = j
                            n_touched += 1
                        distance[j] = d
                        by[j] = k
                        heap.push(d, j)
                while True:
                    top = heap.pop()
                    if top.target >= columns or top.distance == distance[top.target]:
                        break
                mu = top.distance
                if top.target >= columns or partner[top.target] < 0:
                    break
                row = partner[top.target]
            for k in range(n_seen):
                u[seen[k]] += mu - reached[seen[k]]
            for k in range(n_touched):
                j = touched[k]
                if distance[j] < mu:
                    v[j] += distance[j] - mu
            if top.target >= columns:  # this row becomes free, and its column goes to the row before it in the chain
                last = top.target - columns
                k = edge[last]
                edge[last] = -1
                j = column[k] if k >= 0 else -1
            else:
                j = top.target
            while j >= 0:
                k = by[j]
                row = owner[k]
                previous = edge[row]
                edge[row] = k
                partner[j] = row
                j = column[previous] if previous >= 0 else -1
            for k in range(n_touched):
                distance[touched[k]] = INT64_MAX
    return np.asarray(edge), np.asarray(u), np.asarray(v)
