"""Draw random segmentations of many texts, with the bits of numpy's generators.

One call per text of ``Generator.integers`` and ``Generator.random`` takes a thousand times as long as the few numbers of a short
text. The numbers are made from the words of 64 bits of the bit generator, as numpy makes them: a place in a list takes half a
word (Lemire 2019, "Fast random integer generation in an interval"), and the other half is kept for the next place; a
probability takes a whole word.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef uint64_t LOWER_HALF = 0xFFFFFFFF


cdef struct Words:
    const uint64_t *word
    Py_ssize_t number
    Py_ssize_t used
    int64_t half  # the second half of a word of which the first half is used up; -1 for none
    bint missing  # more words are needed


cdef inline uint64_t next_word(Words *words) noexcept nogil:
    """Return the next word; 0 if there is none."""
    if words.used == words.number:
        words.missing = True
        return 0
    words.used += 1
    return words.word[words.used - 1]


cdef inline uint64_t next_half(Words *words) noexcept nogil:
    """Return the next half of a word."""
    cdef uint64_t word
    if words.half >= 0:
        word = words.half
        words.half = -1
        return word
    word = next_word(words)
    words.half = word >> 32
    return word & LOWER_HALF


cdef inline int64_t place_among(Words *words, uint32_t count) noexcept nogil:
    """Return a random number from 0 to ``count - 1``."""
    if count == 1:
        return 0
    cdef uint64_t product = next_half(words) * count
    cdef uint32_t rest = <uint32_t>product, threshold
    if rest < count:
        threshold = (<uint32_t>LOWER_HALF - (count - 1)) % count
        while rest < threshold and not words.missing:
            product = next_half(words) * count
            rest = <uint32_t>product
    return product >> 32


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
    const uint64_t[::1] random not None,
    const int64_t[::1] lengths not None,
    const int64_t[::1] masses not None,
    const int64_t[::1] sums not None,
    double rate,
    int64_t inner,
    int64_t ends,
    int64_t[::1] positions not None,
    int64_t[::1] chosen not None,
    int64_t[::1] last not None,
    int64_t[::1] off not None,
    Py_ssize_t text,
    Py_ssize_t used,
    int64_t half,
):
    """Draw texts from ``text`` on; return the next text, the number of random words that are used up, and the half that is left.

    With a rate from 0 up, every inner position has a boundary with this probability. With a rate below 0, segments are drawn from
    ``masses``, which are sorted; ``sums[k]`` is the sum of the first k of them. The segments of a text come in rounds, as in
    ``fill_with_segments``.

    ``inner`` is the number of boundaries from which the types of each boundary are drawn; their places go to ``chosen``. Without
    any (0), texts have no boundaries. ``ends`` is the number of ends of texts to draw from; their places go to ``last``. Both are
    below 0 if there are no types.

    It stops before a text for which the words do not suffice, or the space in ``positions`` and ``chosen``.
    """
    cdef Py_ssize_t n = lengths.shape[0], place, k
    cdef int64_t reached, end, count, position
    cdef uint32_t segments = <uint32_t>masses.shape[0]
    cdef Words words, before
    words.word = &random[0] if random.shape[0] else NULL
    words.number = random.shape[0]
    words.used = used
    words.half = half
    words.missing = False
    with nogil:
        while text < n:
            before = words
            place = off[text]
            if rate >= 0:
                for position in range(1, lengths[text]):
                    if (next_word(&words) >> 11) * (1.0 / 9007199254740992.0) < rate:
                        if place == positions.shape[0]:
                            words.missing = True
                        if words.missing:
                            break
                        positions[place] = position
                        place += 1
            else:
                reached = 0
                while reached < lengths[text] and not words.missing:
                    count = rounds_of(lengths[text] - reached, masses, sums)
                    if place + count > positions.shape[0]:
                        words.missing = True
                        break
                    end = reached
                    for k in range(count):
                        end += masses[place_among(&words, segments)]
                        if end < lengths[text]:
                            positions[place] = end
                            place += 1
                    reached = end
            if inner == 0:
                place = off[text]
            elif inner > 0:
                for k in range(off[text], place):
                    chosen[k] = place_among(&words, <uint32_t>inner)
            if ends > 0:
                last[text] = place_among(&words, <uint32_t>ends)
            if words.missing:
                words = before
                break
            text += 1
            off[text] = place
    return text, words.used, words.half
