"""Fill many texts with segments whose lengths are drawn at random."""

from libc.stdint cimport int64_t


cdef inline int64_t rounds_of(int64_t rest, const int64_t[::1] masses, const int64_t[::1] sums) noexcept nogil:
    """Return how many segments to draw for ``rest`` units: the number that fits on average, and a few more."""
    cdef int64_t low = 0, high = masses.shape[0], middle, n = masses.shape[0]
    while low < high:  # the number of masses that are at most ``rest``
        middle = (low + high) // 2
        if masses[middle] <= rest:
            low = middle + 1
        else:
            high = middle
    cdef double mean = (<double>(sums[low] + rest * (n - low))) / n
    return <int64_t>(rest / mean) + 8


def fill(
    const int64_t[::1] lengths not None,
    const int64_t[::1] masses not None,
    const int64_t[::1] sums not None,
    const int64_t[::1] drawn not None,
    int64_t[::1] positions not None,
    int64_t[::1] off not None,
    Py_ssize_t text,
    Py_ssize_t used,
):
    """Fill texts from ``text`` on with segments; return the next text and the number of draws that are used up.

    ``masses`` are sorted, ``sums[k]`` is the sum of the first k of them, and ``drawn`` contains random places in ``masses``. The
    draws of a text come in rounds, as in ``fill_with_segments``. It stops before a text for which the draws do not suffice.
    ``positions`` must have space for all boundaries that fit into it; otherwise it stops as well.
    """
    cdef Py_ssize_t n = lengths.shape[0], place, taken
    cdef int64_t reached, end, count, k
    with nogil:
        while text < n:
            place = off[text]
            taken = used
            reached = 0
            while reached < lengths[text]:
                count = rounds_of(lengths[text] - reached, masses, sums)
                if taken + count > drawn.shape[0] or place + count > positions.shape[0]:
                    break
                end = reached
                for k in range(count):
                    end += masses[drawn[taken + k]]
                    if end < lengths[text]:
                        positions[place] = end
                        place += 1
                reached = end
                taken += count
            if reached < lengths[text]:
                break
            used = taken
            text += 1
            off[text] = place
    return text, used
