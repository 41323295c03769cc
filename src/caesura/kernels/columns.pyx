"""Are these columns documents? One pass over the positions of many documents, before a kernel trusts them."""

from libc.stdint cimport int64_t, uint8_t


def check(
    const int64_t[::1] length not None,
    const int64_t[::1] pos not None,
    const int64_t[::1] off not None,
    const int64_t[::1] code not None,
    int64_t longest,
    uint8_t[::1] out not None,
):
    """Set ``out`` to 1 for each document in which something is wrong, and leave it where nothing is.

    Without codes a position must rise and lie in 1..N-1. With codes it lies in 1..N, and may be repeated if the code rises.
    Returns whether position N occurs, and whether a position is repeated.
    """
    cdef Py_ssize_t d, n = length.shape[0]
    cdef int64_t i, p, before, last
    cdef bint typed = code.shape[0] > 0, ends = False, repeats = False
    with nogil:
        for d in range(n):
            last = length[d]
            if last < 1 or last > longest:
                out[d] = 1
                continue
            if not typed:
                last -= 1
            before = 0
            for i in range(off[d], off[d + 1]):
                p = pos[i]
                if p <= before:
                    if p < 1 or p < before or not typed or code[i] <= code[i - 1]:
                        out[d] = 1
                        break
                    repeats = True
                before = p
            if before > last:
                out[d] = 1
            elif typed and before == last:
                ends = True
    return ends, repeats
