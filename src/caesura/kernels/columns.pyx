"""Are these columns documents? One pass over the positions of many documents, before a kernel trusts them."""

from libc.stdint cimport int64_t, uint8_t

cdef enum:
    WRONG_LENGTH = 1  # a document has from one to ``longest`` units
    WRONG_PLACE = 2   # a position beyond the text
    WRONG_ORDER = 3   # positions that do not rise

LENGTH, OUTSIDE, FALLING = WRONG_LENGTH, WRONG_PLACE, WRONG_ORDER


def check(
    const int64_t[::1] length not None,
    const int64_t[::1] pos not None,
    const int64_t[::1] off not None,
    const int64_t[::1] code not None,
    int64_t longest,
    uint8_t[::1] out not None,
):
    """Set ``out`` to what is wrong with each document, and leave it where nothing is.

    Without codes a position must rise and lie in 1..N-1. With codes it lies in 1..N, and may be repeated if the code rises.
    Returns whether something is wrong, whether position N occurs, and whether a position is repeated.
    """
    cdef Py_ssize_t d, n = length.shape[0]
    cdef int64_t i, p, before, last
    cdef bint typed = code.shape[0] > 0, bad = False, ends = False, repeats = False
    with nogil:
        for d in range(n):
            last = length[d]
            if last < 1 or last > longest:
                out[d] = WRONG_LENGTH
                bad = True
                continue
            if not typed:
                last -= 1
            before = 0
            for i in range(off[d], off[d + 1]):
                p = pos[i]
                if p <= before:
                    if p < 1:
                        out[d] = WRONG_PLACE
                        bad = True
                        break
                    if p < before or not typed or code[i] <= code[i - 1]:
                        out[d] = WRONG_ORDER
                        bad = True
                        break
                    repeats = True
                before = p
            if before > last:
                out[d] = WRONG_PLACE
                bad = True
            elif typed and before == last:
                ends = True
    return bad, ends, repeats
