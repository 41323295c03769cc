"""Count what two sides of each document have in common: identical spans, or tokens inside spans with the same label.

The spans of document d are the rows ``off[d] .. off[d + 1] - 1`` of a side. Within a document they are sorted by ``start``, then by
``end`` from the largest, then by ``label``, so that one pass over both sides is enough.
"""

from libc.stdint cimport int64_t


cdef inline int compare(int64_t start, int64_t end, int64_t label, int64_t start2, int64_t end2, int64_t label2) noexcept nogil:
    """Return -1, 0 or 1 if the first span comes before, equals or comes after the second."""
    if start != start2:
        return -1 if start < start2 else 1
    if end != end2:
        return -1 if end > end2 else 1
    if label != label2:
        return -1 if label < label2 else 1
    return 0


cdef inline int64_t after_copies(
    const int64_t[::1] start, const int64_t[::1] end, const int64_t[::1] label, int64_t row, int64_t stop
) except -1 nogil:
    """Return the next row with another span."""
    cdef int64_t first = row
    row += 1
    while row < stop and compare(start[row], end[row], label[row], start[first], end[first], label[first]) == 0:
        row += 1
    return row


def common_spans(
    const int64_t[::1] a_start not None,
    const int64_t[::1] a_end not None,
    const int64_t[::1] a_label not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] b_start not None,
    const int64_t[::1] b_end not None,
    const int64_t[::1] b_label not None,
    const int64_t[::1] b_off not None,
    double[:, ::1] counts not None,
):
    """Write the number of spans that both sides have, and of those that each side has; a span that occurs twice counts once."""
    cdef Py_ssize_t d
    cdef int64_t i, j, i_end, j_end, common, of_a, of_b
    cdef int order
    with nogil:
        for d in range(counts.shape[0]):
            i, i_end, j, j_end = a_off[d], a_off[d + 1], b_off[d], b_off[d + 1]
            common = of_a = of_b = 0
            while i < i_end or j < j_end:
                if i == i_end:
                    order = 1
                elif j == j_end:
                    order = -1
                else:
                    order = compare(a_start[i], a_end[i], a_label[i], b_start[j], b_end[j], b_label[j])
                if order <= 0:
                    of_a += 1
                    i = after_copies(a_start, a_end, a_label, i, i_end)
                if order >= 0:
                    of_b += 1
                    j = after_copies(b_start, b_end, b_label, j, j_end)
                if order == 0:
                    common += 1
            counts[d, 0], counts[d, 1], counts[d, 2] = common, of_a, of_b


def common_tokens(
    const int64_t[::1] a_start not None,
    const int64_t[::1] a_end not None,
    const int64_t[::1] a_label not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] b_start not None,
    const int64_t[::1] b_end not None,
    const int64_t[::1] b_label not None,
    const int64_t[::1] b_off not None,
    int64_t[::1] seen not None,
    int64_t[:, ::1] last not None,
    double[:, ::1] counts not None,
):
    """Write the number of labelled tokens inside spans of both sides, and of each side; a token counts once per label.

    ``seen`` is -1 for each label, which is a number from 0, and ``last`` has one row per label and one column per side. The spans
    of both sides are visited in the order of their starts. Tokens of a label up to ``last`` are inside a span that was visited.
    All visited spans start at or before the present span, so that its tokens up to ``last`` are those that they have too.
    """
    cdef Py_ssize_t d
    cdef int64_t i, j, i_end, j_end, start, end, label, first
    cdef int64_t common
    cdef int64_t total[2]
    cdef int side
    with nogil:
        for d in range(counts.shape[0]):
            i, i_end, j, j_end = a_off[d], a_off[d + 1], b_off[d], b_off[d + 1]
            common = total[0] = total[1] = 0
            while i < i_end or j < j_end:
                if j == j_end or (i < i_end and a_start[i] <= b_start[j]):
                    side, start, end, label = 0, a_start[i], a_end[i], a_label[i]
                    i += 1
                else:
                    side, start, end, label = 1, b_start[j], b_end[j], b_label[j]
                    j += 1
                if seen[label] != d:
                    seen[label] = d
                    last[label, 0] = last[label, 1] = start - 1
                first = max(start, last[label, side] + 1)
                if end >= first:
                    total[side] += end - first + 1
                    common += max(0, min(end, last[label, 1 - side]) - first + 1)
                    last[label, side] = end
            counts[d, 0], counts[d, 1], counts[d, 2] = common, total[0], total[1]
