from libc.stdint cimport int64_t


cdef class Graph:
    """A sparse weighted bipartite graph over sorted vertices, with the work arrays of the matching."""

    # Edges of a-vertex i: b-vertices to_b[a_edge[i]:a_edge[i + 1]], ascending, with weight[e] > 0; and the same from b's side.
    cdef public int64_t[::1] a_edge, to_b, weight, b_edge, to_a, weight_b
    # Place of each vertex in the common order of all vertices, which defines the "smallest list of pairs".
    cdef public int64_t[::1] a_rank, b_rank
    cdef public int64_t[::1] mate_a, mate_b
    # Duals, and the state of one search; after use only the touched entries are reset.
    cdef int64_t[::1] u, v, dist_b, parent_b, parent_a, heap, heap_key, seen_a, seen_b
    cdef int64_t[::1] fixed_a, fixed_b, undo, queue
    cdef int64_t heap_size, undo_size, stamp

    cdef int grow(self, Py_ssize_t n_a, Py_ssize_t n_b, Py_ssize_t n_edges) except -1
    cdef int reserve(self, Py_ssize_t n_a, Py_ssize_t n_b, Py_ssize_t n_edges) except -1 nogil
    cdef int solve(self, Py_ssize_t n_a, Py_ssize_t n_b) except -1 nogil
