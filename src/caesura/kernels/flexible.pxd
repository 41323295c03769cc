from libc.stdint cimport int64_t, uint8_t


cdef class Scorer:
    """The prices of one call, the boundaries of the documents, and work arrays as long as the longest document."""

    cdef const int64_t[::1] a_pos, a_code, b_pos, b_code
    # Prices are whole multiples of 1 / scale. There are T types; entry [x, y] is at x * T + y. ``gain`` is what a pair saves
    # at distance 0, ``step`` what it loses per position and ``reach`` the largest distance at which it still gains: row 0
    # if a is on the left, row 1 if b is.
    cdef const int64_t[::1] sub, alone_a, alone_b, gain
    cdef const int64_t[:, ::1] step, reach
    # The same prices as floating-point numbers, for the published recursion.
    cdef const double[::1] sub_f, alone_a_f, alone_b_f
    cdef const double[:, ::1] step_f
    cdef int64_t T, D
    cdef double scale
    cdef int method
    # Results of the last document.
    cdef double cost
    cdef int64_t objects, shared, a_only, b_only
    cdef double shared_cost, a_cost, b_cost
    # Work arrays: rows of the tables, and the choices for tracing back.
    cdef int64_t[::1] lo, hi, row, G, Q, mate
    cdef double[::1] F
    cdef uint8_t[::1] choice

    cdef int grow(self, Py_ssize_t cells) except -1
    cdef int set_boundaries(self, const int64_t[::1] a_pos, const int64_t[::1] a_code,
                   const int64_t[::1] b_pos, const int64_t[::1] b_code) except -1 nogil


cdef int score_one(Scorer r, int64_t a, int64_t a_end, int64_t b, int64_t b_end, bint trace) except -1 nogil
