"""Maximum-weight bipartite matching; among all optimal matchings, the smallest list of pairs.

The algorithm finds shortest augmenting paths, one after the other. It keeps duals u and v with u[a] + v[b] >= weight(a, b).
An edge with equality is *tight*. All matched edges are tight, and the duals of unmatched vertices are zero. A search puts
reduced costs into a heap and stops at the nearest free vertex, so its cost depends on the neighbourhood and not on the size
of the graph.

By duality, a matching is optimal if it consists of tight edges and covers every vertex with a positive dual. So the smallest
list of pairs can be found greedily. In order of rank, each vertex takes its smallest later neighbour along a tight edge
for which a repair is possible. A repair matches every vertex that loses its partner again, by an alternating path to a
free vertex or to a vertex that may stay unmatched. The repair of one side never unmatches the other side, so the two repairs
are independent (Mendelsohn and Dulmage 1958).
"""

from libc.stdint cimport INT64_MAX, int64_t

import numpy as np


cdef class Graph:

    def __cinit__(self):
        self.a_rank = self.b_rank = self.to_b = self.queue = None
        self.grow(16, 16, 64)

    cdef int grow(self, Py_ssize_t n_a, Py_ssize_t n_b, Py_ssize_t n_edges) except -1:
        """Enlarge the arrays; their contents are lost."""
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
        """Fill mate_a and mate_b (-1: unmatched). The caller sets the edges from a; those from b are computed here."""
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
        choose_smallest(self, n_a, n_b)
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
    """Remove and return the b-vertex with the smallest key; the caller has read the key at heap_key[0]."""
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
    """Match ``source`` along the shortest alternating path: to a free b, or to an a that then stays unmatched."""
    # The queue lists the b-vertices that were reached, in the order in which they were labelled.
    cdef int64_t a = source, b, e, d, reached = 0, labelled = 0, i, following
    cdef int64_t best = g.u[source], alone = source, free = -1
    g.heap_size = 0
    while True:
        # Every b next to a has the distance ``reached`` plus its reduced cost.
        for e in range(g.a_edge[a], g.a_edge[a + 1]):
            b = g.to_b[e]
            d = reached + g.u[a] + g.v[b] - g.weight[e]
            if d < best and d < g.dist_b[b]:
                if g.dist_b[b] == INT64_MAX:
                    g.queue[labelled] = b
                    labelled += 1
                g.dist_b[b] = d
                g.parent_b[b] = a
                push(g, d, b)
        b = -1
        while g.heap_size > 0:
            reached = g.heap_key[0]
            b = pop(g)
            if reached >= best:
                b = -1
                break
            if reached == g.dist_b[b]:
                break
            b = -1
        if b < 0:
            break
        if g.mate_b[b] < 0:
            best = reached
            free = b
            break
        a = g.mate_b[b]
        if reached + g.u[a] < best:
            best = reached + g.u[a]
            alone = a
    # Shift the duals of everything nearer than the end of the path. An a has the distance of the b it is matched to.
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


cdef int record_undo(Graph g, int64_t side, int64_t vertex, int64_t mate) except -1 nogil:
    g.undo[g.undo_size] = 2 * vertex + side
    g.undo[g.undo_size + 1] = mate
    g.undo_size += 2
    return 0


cdef int link(Graph g, int64_t a, int64_t b) except -1 nogil:
    """Match a and b (either may be -1) in a way that can be undone."""
    if a >= 0:
        record_undo(g, 0, a, g.mate_a[a])
        g.mate_a[a] = b
    if b >= 0:
        record_undo(g, 1, b, g.mate_b[b])
        g.mate_b[b] = a
    return 0


cdef int serve_a(Graph g, int64_t start) except -1 nogil:
    """Match the unmatched ``start`` along tight edges; return 1 if that is possible, else 0."""
    cdef int64_t head = 0, tail = 1, a, b, e, after, previous
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
                    previous = g.mate_a[a]
                    link(g, a, b)
                    if a == start:
                        return 1
                    b = previous
            g.queue[tail] = after
            tail += 1
    return 0


cdef int serve_b(Graph g, int64_t start) except -1 nogil:
    """Match the unmatched ``start`` of side b, as ``serve_a`` does for side a."""
    cdef int64_t head = 0, tail = 1, a, b, e, after, previous
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
                    previous = g.mate_b[b]
                    link(g, a, b)
                    if b == start:
                        return 1
                    a = previous
            g.queue[tail] = after
            tail += 1
    return 0


cdef int can_pair(Graph g, int64_t a, int64_t b) except -1 nogil:
    """Add (a, b) to the matching if an optimal matching contains it and all fixed pairs; return 1 if so."""
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


cdef int choose_smallest(Graph g, Py_ssize_t n_a, Py_ssize_t n_b) except -1 nogil:
    cdef int64_t a = 0, b = 0, e, neighbour
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
                    neighbour = g.to_b[e]
                    if (g.b_rank[neighbour] > g.a_rank[a] and not g.fixed_b[neighbour]
                            and g.u[a] + g.v[neighbour] == g.weight[e] and can_pair(g, a, neighbour)):
                        g.fixed_b[neighbour] = 1
                        break
                g.fixed_a[a] = 1
            a += 1
        else:
            if not g.fixed_b[b]:
                for e in range(g.b_edge[b], g.b_edge[b + 1]):
                    neighbour = g.to_a[e]
                    if (g.a_rank[neighbour] > g.b_rank[b] and not g.fixed_a[neighbour]
                            and g.u[neighbour] + g.v[b] == g.weight_b[e] and can_pair(g, neighbour, b)):
                        g.fixed_a[neighbour] = 1
                        break
                g.fixed_b[b] = 1
            b += 1
    return 0
