"""Boundary curves: marks enter in the order of their scores, and each may enlarge a maximum matching or not.

The sets of marks that can be matched completely form a matroid. So the size of a maximum matching of the first k marks is the
number of marks among them that could be added to the marks before, and no matching has to be computed twice.

The boundaries of the reference are *slots*. A mark reaches the slots ``low`` to ``high``, those within the tolerance. A later
mark never reaches less far to the right, nor farther to the left, so that the matched marks can stand in the slots in the order
of their places. A new mark stands between its neighbours: in a free slot between them, or after the marks on its right have
moved one slot to the right, up to the next free slot, or the same to the left. If none of these is possible, no matching of more
marks exists. Then the slots that can be reached from the new mark are full for ever: their marks reach no other slots.
"""

from libc.stdint cimport int64_t, uint8_t

import numpy as np


def add_marks(
    const double[::1] r_pos not None,
    const int64_t[::1] r_off not None,
    const double[::1] h_pos not None,
    const int64_t[::1] h_off not None,
    const int64_t[::1] order not None,
    const double[::1] tolerance not None,
    uint8_t[::1] gain not None,
):
    """Fill ``gain[k]``: 1 if the mark ``order[k]`` enlarges the matching of the marks before it, else 0.

    Places are sorted in each document. ``order`` lists the marks of a document at the places of the document in ``h_off``; a mark
    that does not occur in it is -1, and its gain is 0. Offsets begin at 0.
    """
    cdef Py_ssize_t d, documents = r_off.shape[0] - 1
    cdef int64_t n, k, mark, most = 0
    for d in range(documents):
        most = max(most, r_off[d + 1] - r_off[d])
    cdef int64_t[::1] low = np.empty(max(1, h_pos.shape[0]), np.int64)
    cdef int64_t[::1] high = np.empty(max(1, h_pos.shape[0]), np.int64)
    cdef int64_t[::1] slot = np.empty(most + 1, np.int64)
    cdef int64_t[::1] alive = np.empty(most + 2, np.int64)
    with nogil:
        for d in range(documents):
            n = r_off[d + 1] - r_off[d]
            find_reach(r_pos, r_off[d], n, h_pos, h_off[d], h_off[d + 1], tolerance[d], low, high)
            for k in range(n):
                slot[k] = -1
            for k in range(n + 2):
                alive[k] = k
            for k in range(h_off[d], h_off[d + 1]):
                mark = order[k]
                gain[k] = mark >= 0 and add_mark(mark, n, low, high, slot, alive)


cdef int find_reach(const double[::1] r_pos, int64_t first, int64_t n, const double[::1] h_pos, int64_t start, int64_t stop,
                    double tolerance, int64_t[::1] low, int64_t[::1] high) except -1 nogil:
    """Fill the first and the last slot within the tolerance of each mark; ``low`` is above ``high`` if there is none."""
    cdef int64_t i, left = 0, right = 0
    for i in range(start, stop):
        while left < n and h_pos[i] - r_pos[first + left] > tolerance:
            left += 1
        while right < n and r_pos[first + right] - h_pos[i] <= tolerance:
            right += 1
        low[i] = left
        high[i] = right - 1
    return 0


cdef bint add_mark(int64_t mark, int64_t n, int64_t[::1] low, int64_t[::1] high, int64_t[::1] slot,
                   int64_t[::1] alive) except -1 nogil:
    """Put a mark into a slot if a matching of all marks and this one exists; return whether it does."""
    cdef int64_t left, right, j, first = low[mark], last = high[mark]
    if next_alive(alive, first) > last:
        return False
    # The neighbours: the last matched mark before this one, and the first one after it. Places are numbered in order.
    left = last
    while left >= first and (slot[left] < 0 or slot[left] > mark):
        left -= 1
    right = left + 1
    if right < first:
        right = first
    if right <= last and slot[right] < 0:
        slot[right] = mark
        return True
    if right <= last:
        j = right
        while j < n and slot[j] >= 0 and alive[j] == j and high[slot[j]] > j:
            j += 1
        if j < n and slot[j] < 0:
            while j > right:
                slot[j] = slot[j - 1]
                j -= 1
            slot[right] = mark
            return True
    if left >= first:
        j = left
        while j >= 0 and slot[j] >= 0 and alive[j] == j and low[slot[j]] < j:
            j -= 1
        if j >= 0 and slot[j] < 0:
            while j < left:
                slot[j] = slot[j + 1]
                j += 1
            slot[left] = mark
            return True
    close_reach(first, last, low, high, slot, alive)
    return False


cdef int64_t next_alive(int64_t[::1] alive, int64_t place) except -1 nogil:
    """Return the first slot from ``place`` on that is not full for ever; the paths are halved on the way."""
    while alive[place] != place:
        alive[place] = alive[alive[place]]
        place = alive[place]
    return place


cdef int close_reach(int64_t first, int64_t last, int64_t[::1] low, int64_t[::1] high, int64_t[::1] slot,
                     int64_t[::1] alive) except -1 nogil:
    """Mark the slots as full that can be reached from the slots ``first`` to ``last``, which are all taken.

    What can be reached from a slot that is full for ever is full for ever, too.
    """
    cdef int64_t j
    while alive[first] == first and low[slot[first]] < first:
        first = low[slot[first]]
    while alive[last] == last and high[slot[last]] > last:
        last = high[slot[last]]
    j = next_alive(alive, first)
    while j <= last:
        alive[j] = j + 1
        j = next_alive(alive, j)
    return 0


def keep_peaks(
    const double[::1] h_pos not None,
    const int64_t[::1] h_off not None,
    int64_t[::1] order not None,
    const double[::1] distance not None,
):
    """Replace by -1 every mark of ``order`` that is nearer than ``distance[d]`` to a mark before it that was kept.

    Kept marks are ``distance[d]`` apart, so that each place lies near two of them at most, and the time is linear.
    """
    cdef Py_ssize_t d
    cdef int64_t k, i, j
    cdef uint8_t[::1] suppressed = np.zeros(max(1, h_pos.shape[0]), np.uint8)
    with nogil:
        for d in range(h_off.shape[0] - 1):
            for k in range(h_off[d], h_off[d + 1]):
                i = order[k]
                if suppressed[i]:
                    order[k] = -1
                    continue
                j = i - 1
                while j >= h_off[d] and h_pos[i] - h_pos[j] < distance[d]:
                    suppressed[j] = 1
                    j -= 1
                j = i + 1
                while j < h_off[d + 1] and h_pos[j] - h_pos[i] < distance[d]:
                    suppressed[j] = 1
                    j += 1
