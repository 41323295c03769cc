"""Pairs of annotations, and the sweep over the cells of a pair: the stretches between all boundaries of both sides."""

from libc.stdint cimport int64_t


cdef enum Counted:
    EVERY_CELL, LABELLED_BY_BOTH, LABELLED_BY_FIRST


cdef class Pairs:
    """Boundaries of both sides of many pairs, and the labels of the segments between them.

    The boundaries of a in pair d are ``a_place[a_off[d]:a_off[d + 1]]``. Its segments are one more, and the first of them has
    the label ``a_label[a_off[d] - a_off[0] + d]``; 0 is no label.
    """

    cdef readonly Py_ssize_t size
    cdef Counted counted
    cdef bint has_labels
    cdef int64_t most_a  # most boundaries of a pair, for working memory
    cdef int64_t most_b
    cdef const int64_t[::1] begin, end, a_place, a_off, a_label, b_place, b_off, b_label
    cdef const int64_t* first_a
    cdef const int64_t* first_b

    cdef const int64_t* labels_of_a(self, Py_ssize_t d) noexcept nogil
    cdef const int64_t* labels_of_b(self, Py_ssize_t d) noexcept nogil
    cdef int64_t sweep(self, Py_ssize_t d, double* width, int64_t* a_segment, int64_t* b_segment) noexcept nogil
