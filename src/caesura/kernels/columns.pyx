"""Validate the columns of many documents in one pass; the other kernels do not check their input."""

from libc.stdint cimport int64_t, uint8_t


def check(
    const int64_t[::1] length not None,
    const int64_t[::1] pos not None,
    const int64_t[::1] off not None,
    const int64_t[::1] code not None,
    int64_t max_length,
    uint8_t[::1] out not None,
):
    """Set ``out`` to 1 for each invalid document; other entries stay unchanged.

    Without codes positions must ascend and lie in 1..N-1. With codes they lie in 1..N, and a position may be repeated if
    the code ascends. Return whether position N occurs, and whether a position is repeated.
    """
    cdef Py_ssize_t d, n = length.shape[0]
    cdef int64_t i, p, previous, last
    cdef bint typed = code.shape[0] > 0, has_end = False, has_repeat = False
    with nogil:
        for d in range(n):
            last = length[d]
            if last < 1 or last > max_length:
                out[d] = 1
                continue
            if not typed:
                last -= 1
            previous = 0
            for i in range(off[d], off[d + 1]):
                p = pos[i]
                if p <= previous:
                    if p < 1 or p < previous or not typed or code[i] <= code[i - 1]:
                        out[d] = 1
                        break
                    has_repeat = True
                previous = p
            if previous > last:
                out[d] = 1
            elif typed and previous == last:
                has_end = True
    return has_end, has_repeat
