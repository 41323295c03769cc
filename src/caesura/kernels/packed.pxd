"""Read the ``packed`` of an annotation: begin, end, traits and number of rows, then inner places, as 64-bit integers.

These are plain addresses, because a memoryview of an object takes longer than aligning two short texts.
"""

from libc.stdint cimport int64_t


cdef extern from "Python.h":
    int PyBytes_AsStringAndSize(object packed, char** content, Py_ssize_t* size) except -1


cdef enum:
    HAS_CODES = 64


cdef struct Side:
    const int64_t* pos
    int64_t size
    int64_t begin
    int64_t length
    int64_t traits
    int64_t rows


cdef inline int read_side(object packed, Side* side) except -1:
    """Find the extent, the bits and the places; raise TypeError unless ``packed`` is bytes."""
    cdef char* content
    cdef Py_ssize_t size
    PyBytes_AsStringAndSize(packed, &content, &size)
    side.begin = (<const int64_t*>content)[0]
    side.length = (<const int64_t*>content)[1] - side.begin
    side.traits = (<const int64_t*>content)[2]
    side.rows = (<const int64_t*>content)[3]
    side.pos = <const int64_t*>content + 4
    side.size = size // 8 - 4
    if side.traits & HAS_CODES:  # one number per segment follows the places
        side.size = (side.size - 1) // 2
    return 0
