"""Find the spans of one side that cross a span of the other side.

Span (start, end) crosses (c, d) at its end if start < c <= end < d. Applied to the reversed spans (-end, -start), the same
test finds the spans that cross at their start.
"""

from libc.stdint cimport int64_t


def cut_at_end(
    const int64_t[::1] start not None,
    const int64_t[::1] end not None,
    const int64_t[::1] off not None,
    const int64_t[::1] c not None,
    const int64_t[::1] d not None,
    const int64_t[::1] c_off not None,
    int64_t[::1] stack not None,
    int64_t[::1] cut not None,
):
    """Set ``cut[i]`` to 1 if span i crosses some (c, d) at its end.

    The arrays contain all documents, one after the other. Within a document the spans are sorted by end, and the (c, d)
    by c.

    Of all (c, d) with c <= end, the stack contains those whose d is larger than every d that was read later. So c ascends in
    the stack and d descends. The first entry with c > start has the largest d of all (c, d) that begin inside the span. The
    stack must be as long as the largest document.
    """
    cdef Py_ssize_t k, n = off.shape[0] - 1
    cdef int64_t i, j, top, low, high, middle
    with nogil:
        for k in range(n):
            j = c_off[k]
            top = 0
            for i in range(off[k], off[k + 1]):
                while j < c_off[k + 1] and c[j] <= end[i]:
                    while top > 0 and d[stack[top - 1]] <= d[j]:
                        top -= 1
                    stack[top] = j
                    top += 1
                    j += 1
                low = 0
                high = top
                while low < high:
                    middle = (low + high) // 2
                    if c[stack[middle]] > start[i]:
                        high = middle
                    else:
                        low = middle + 1
                if low < top and d[stack[low]] > end[i]:
                    cut[i] = 1
