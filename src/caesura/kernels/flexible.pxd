from libc.stdint cimport int64_t, uint8_t


cdef class Room:
    """The prices of one call, the boundaries they apply to, and scratch arrays as long as the longest document."""

    cdef const int64_t[::1] a_pos, a_code, b_pos, b_code
    # Whole numbers of 1 / scale. T types; entry [x, y] at x * T + y. ``gain`` is what a pair saves before it is moved,
    # ``step`` what it loses a position and ``reach`` how far it gains anything: row 0 for a left of b, row 1 for b left.
    cdef const int64_t[::1] sub, alone_a, alone_b, gain
    cdef const int64_t[:, ::1] step, reach
    # The same as they were given, for the published recursion.
    cdef const double[::1] sub_f, alone_a_f, alone_b_f
    cdef const double[:, ::1] step_f
    cdef int64_t T, D
    cdef double scale
    cdef int method
    # Of the document scored last.
    cdef double cost
    cdef int64_t objects, shared, a_only, b_only
    cdef double shared_cost, a_cost, b_cost
    # Scratch: rows of the tables, and the way back through them.
    cdef int64_t[::1] lo, hi, row, G, Q, mate
    cdef double[::1] F
    cdef uint8_t[::1] choice

    cdef int grow(self, Py_ssize_t cells) except -1
    cdef int point(self, const int64_t[::1] a_pos, const int64_t[::1] a_code,
                   const int64_t[::1] b_pos, const int64_t[::1] b_code) except -1 nogil


cdef int score_one(Room r, int64_t a, int64_t a_end, int64_t b, int64_t b_end, bint trace) except -1 nogil
