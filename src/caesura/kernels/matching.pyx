"""Maximum-weight bipartite matching, and of all that attain it the smallest list of pairs.

Successive shortest augmenting paths with duals u, v: u[a] + v[b] >= weight(a, b), equality on matched edges ("tight"),
and zero on whatever stays alone. A search runs over reduced costs in a heap and stops at the nearest way out, so its
cost depends on the neighbourhood and not on the graph.

Duality then says which matchings are optimal: those of tight edges that cover every vertex with a positive dual. So the
smallest list of pairs is found greedily: in order of rank, a vertex takes its smallest later neighbour along a tight
edge if whoever loses a partner by it can be served again (an alternating path to a free vertex, or to one that may stay
alone). Serving one side never uncovers the other, so the two repairs are independent (Mendelsohn and Dulmage 1958).
"""

from libc.stdint cimport INT64_MAX, int64_t

import numpy as np


cdef class Graph:

    def __cinit__(self):
        self.a_rank = self.b_rank = self.to_b = self.queue = None
        self.grow(16, 16, 64)

    cdef int grow(self, Py_ssize_t n_a, Py_ssize_t n_b, Py_ssize_t n_edges) except -1:
        """Make room. Contents are not kept."""
        if self.a_rank is None or self.a_rank.shape[0] < n_a:
            n_a += n_a // 2
            self.a_edge = np.empty(n_a + 1, np.int64)
            self.a_rank, self.mate_a, self.u, self.parent_a, self.seen_a, self.fixed_a = np.empty((6, n_a), np.int64)
        if self.b_rank is None or self.b_rank.shape[0] < n_b:
            n_b += n_b // 2
            self.b_edge = np.empty(n_b + 1, np.int64)
            self.b_rank, self.mate_b, self.v, self.parent_b, self.seen_b, self.fixed_b = np.empty((6, n_b), np.int64)
            self.dist_b = np.empty(n_b, np.int64)
        if self.to_b is None or self.to_b.shape[0] < n_edges:
            n_edges += n_edges // 2
            self.to_b, self.weight, self.to_a, self.weight_b, self.heap, self.heap_key = np.empty((6, n_edges), np.int64)
        n_a = self.a_rank.shape[0] + self.b_rank.shape[0]
        if self.queue is None or self.queue.shape[0] < n_a:
            self.queue = np.empty(n_a, np.int64)
            self.undo = np.empty(4 * n_a + 64, np.int64)
        return 0

    cdef int reserve(self, Py_ssize_t n_a, Py_ssize_t n_b, Py_ssize_t n_edges) except -1 nogil:
        if n_a > self.a_rank.shape[0] or n_b > self.b_rank.shape[0] or n_edges > self.to_b.shape[0]:
            with gil:
                self.grow(n_a, n_b, n_edges)
        return 0

    cdef int solve(self, Py_ssize_t n_a, Py_ssize_t n_b) except -1 nogil:
        """Fill mate_a and mate_b (-1: alone). The forward edges are given; the backward ones are made here."""
        cdef Py_ssize_t a, b
        cdef int64_t e, top
        transpose(self, n_a, n_b)
        for a in range(n_a):
            self.mate_a[a] = -1
            top = 0
            for e in range(self.a_edge[a], self.a_edge[a + 1]):
                if self.weight[e] > top:
                    top = self.weight[e]
            self.u[a] = top
        for b in range(n_b):
            self.mate_b[b] = -1
            self.v[b] = 0
            self.dist_b[b] = INT64_MAX
        for a in range(n_a):
            if self.u[a] > 0:
                augment(self, a)
        smallest(self, n_a, n_b)
        return 0


cdef int transpose(Graph g, Py_ssize_t n_a, Py_ssize_t n_b) except -1 nogil:
    cdef Py_ssize_t a, b
    cdef int64_t e, at
    for b in range(n_b + 1):
        g.b_edge[b] = 0
    for e in range(g.a_edge[n_a]):
        g.b_edge[g.to_b[e] + 1] += 1
    for b in range(n_b):
        g.b_edge[b + 1] += g.b_edge[b]
    for a in range(n_a):
        for e in range(g.a_edge[a], g.a_edge[a + 1]):
            b = g.to_b[e]
            at = g.b_edge[b]
            g.to_a[at] = a
            g.weight_b[at] = g.weight[e]
            g.b_edge[b] = at + 1
    for b in range(n_b, 0, -1):
        g.b_edge[b] = g.b_edge[b - 1]
    g.b_edge[0] = 0
    return 0


cdef int push(Graph g, int64_t key, int64_t b) except -1 nogil:
    cdef int64_t i = g.heap_size, up
    g.heap_size += 1
    while i > 0:
        up = (i - 1) // 2
        if g.heap_key[up] <= key:
            break
        g.heap_key[i] = g.heap_key[up]
        g.heap[i] = g.heap[up]
        i = up
    g.heap_key[i] = key
    g.heap[i] = b
    return 0


cdef int64_t pop(Graph g) except -1 nogil:
    """The b-vertex with the smallest key, which the caller has read at heap_key[0]."""
    cdef int64_t top = g.heap[0], i = 0, child, key, b
    g.heap_size -= 1
    key = g.heap_key[g.heap_size]
    b = g.heap[g.heap_size]
    while True:
        child = 2 * i + 1
        if child >= g.heap_size:
            break
        if child + 1 < g.heap_size and g.heap_key[child + 1] < g.heap_key[child]:
            child += 1
        if g.heap_key[child] >= key:
            break
        g.heap_key[i] = g.heap_key[child]
        g.heap[i] = g.heap[child]
        i = child
    g.heap_key[i] = key
    g.heap[i] = b
    return top


cdef int augment(Graph g, int64_t source) except -1 nogil:
    """Serve ``source`` along the shortest alternating path: to a free b, or to an a that then stays alone."""
    # Vertices reached are listed in queue: first b's in the order they were labelled.
    cdef int64_t a = source, b, e, d, near = 0, labelled = 0, i, following
    cdef int64_t best = g.u[source], alone = source, free = -1
    g.heap_size = 0
    while True:
        # Every b next to a, at distance ``near`` plus its reduced cost.
        for e in range(g.a_edge[a], g.a_edge[a + 1]):
            b = g.to_b[e]
            d = near + g.u[a] + g.v[b] - g.weight[e]
            if d < best and d < g.dist_b[b]:
                if g.dist_b[b] == INT64_MAX:
                    g.queue[labelled] = b
                    labelled += 1
                g.dist_b[b] = d
                g.parent_b[b] = a
                push(g, d, b)
        b = -1
        while g.heap_size > 0:
            near = g.heap_key[0]
            b = pop(g)
            if near >= best:
                b = -1
                break
            if near == g.dist_b[b]:
                break
            b = -1
        if b < 0:
            break
        if g.mate_b[b] < 0:
            best = near
            free = b
            break
        a = g.mate_b[b]
        if near + g.u[a] < best:
            best = near + g.u[a]
            alone = a
    # Shift the duals of everything nearer than the way out. The distance of an a is that of the b it is matched to.
    g.u[source] -= best
    for i in range(labelled):
        b = g.queue[i]
        if g.dist_b[b] < best:
            g.v[b] += best - g.dist_b[b]
            g.u[g.mate_b[b]] -= best - g.dist_b[b]
        g.dist_b[b] = INT64_MAX
    if free < 0:
        if alone == source:
            return 0
        free = g.mate_a[alone]
        g.mate_a[alone] = -1
    while True:
        a = g.parent_b[free]
        following = g.mate_a[a]
        g.mate_a[a] = free
        g.mate_b[free] = a
        if a == source:
            return 0
        free = following


cdef int remember(Graph g, int64_t side, int64_t vertex, int64_t mate) except -1 nogil:
    g.undo[g.undo_size] = 2 * vertex + side
    g.undo[g.undo_size + 1] = mate
    g.undo_size += 2
    return 0


cdef int link(Graph g, int64_t a, int64_t b) except -1 nogil:
    """Match a and b (either may be -1), so that it can be undone."""
    if a >= 0:
        remember(g, 0, a, g.mate_a[a])
        g.mate_a[a] = b
    if b >= 0:
        remember(g, 1, b, g.mate_b[b])
        g.mate_b[b] = a
    return 0


cdef int serve_a(Graph g, int64_t start) except -1 nogil:
    """Give a partner to the lonely ``start``: 1 if it can be done by tight edges, 0 otherwise."""
    cdef int64_t head = 0, tail = 1, a, b, e, after, before
    g.stamp += 1
    g.queue[0] = start
    while head < tail:
        a = g.queue[head]
        head += 1
        for e in range(g.a_edge[a], g.a_edge[a + 1]):
            b = g.to_b[e]
            if g.fixed_b[b] or g.seen_b[b] == g.stamp or g.u[a] + g.v[b] != g.weight[e]:
                continue
            g.seen_b[b] = g.stamp
            g.parent_b[b] = a
            after = g.mate_b[b]
            if after < 0 or g.u[after] == 0:
                if after >= 0:
                    link(g, after, -1)
                while True:
                    a = g.parent_b[b]
                    before = g.mate_a[a]
                    link(g, a, b)
                    if a == start:
                        return 1
                    b = before
            g.queue[tail] = after
            tail += 1
    return 0


cdef int serve_b(Graph g, int64_t start) except -1 nogil:
    """The mirror of ``serve_a``."""
    cdef int64_t head = 0, tail = 1, a, b, e, after, before
    g.stamp += 1
    g.queue[0] = start
    while head < tail:
        b = g.queue[head]
        head += 1
        for e in range(g.b_edge[b], g.b_edge[b + 1]):
            a = g.to_a[e]
            if g.fixed_a[a] or g.seen_a[a] == g.stamp or g.u[a] + g.v[b] != g.weight_b[e]:
                continue
            g.seen_a[a] = g.stamp
            g.parent_a[a] = b
            after = g.mate_a[a]
            if after < 0 or g.v[after] == 0:
                if after >= 0:
                    link(g, -1, after)
                while True:
                    b = g.parent_a[a]
                    before = g.mate_b[b]
                    link(g, a, b)
                    if b == start:
                        return 1
                    a = before
            g.queue[tail] = after
            tail += 1
    return 0


cdef int can_pair(Graph g, int64_t a, int64_t b) except -1 nogil:
    """Make (a, b) part of the matching if an optimal one with all fixed pairs holds it; 1 if so."""
    cdef int64_t loser_b = g.mate_a[a], loser_a = g.mate_b[b], i, vertex
    cdef bint served = True
    if loser_b == b:
        return 1
    g.undo_size = 0
    link(g, -1, loser_b)
    link(g, loser_a, -1)
    link(g, a, b)
    g.fixed_a[a] = 1
    g.fixed_b[b] = 1
    if loser_a >= 0 and g.u[loser_a] > 0:
        served = serve_a(g, loser_a) == 1
    if served and loser_b >= 0 and g.mate_b[loser_b] < 0 and g.v[loser_b] > 0:
        served = serve_b(g, loser_b) == 1
    if served:
        return 1
    g.fixed_a[a] = 0
    g.fixed_b[b] = 0
    i = g.undo_size
    while i > 0:
        i -= 2
        vertex = g.undo[i] // 2
        if g.undo[i] % 2 == 0:
            g.mate_a[vertex] = g.undo[i + 1]
        else:
            g.mate_b[vertex] = g.undo[i + 1]
    return 0


cdef int smallest(Graph g, Py_ssize_t n_a, Py_ssize_t n_b) except -1 nogil:
    cdef int64_t a = 0, b = 0, e, other
    for a in range(n_a):
        g.fixed_a[a] = 0
        g.seen_a[a] = 0
    for b in range(n_b):
        g.fixed_b[b] = 0
        g.seen_b[b] = 0
    g.stamp = 0
    a = b = 0
    while a < n_a or b < n_b:
        if b == n_b or (a < n_a and g.a_rank[a] < g.b_rank[b]):
            if not g.fixed_a[a]:
                for e in range(g.a_edge[a], g.a_edge[a + 1]):
                    other = g.to_b[e]
                    if (g.b_rank[other] > g.a_rank[a] and not g.fixed_b[other]
                            and g.u[a] + g.v[other] == g.weight[e] and can_pair(g, a, other)):
                        g.fixed_b[other] = 1
                        break
                g.fixed_a[a] = 1
            a += 1
        else:
            if not g.fixed_b[b]:
                for e in range(g.b_edge[b], g.b_edge[b + 1]):
                    other = g.to_a[e]
                    if (g.a_rank[other] > g.b_rank[b] and not g.fixed_a[other]
                            and g.u[other] + g.v[b] == g.weight_b[e] and can_pair(g, other, b)):
                        g.fixed_a[other] = 1
                        break
                g.fixed_b[b] = 1
            b += 1
    return 0
