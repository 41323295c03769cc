"""Draw random pairs of texts position by position and score them (Lai, Li & Zhang 2023, section 3.3).

Most positions are empty on both sides. The number of positions to the next occupied one is geometric, so it is drawn in
one step; an alias table (Walker 1977) then gives the boundaries at that position.

The random generator is xoshiro256++ (Blackman & Vigna 2021). The caller passes its state and so decides which draws
belong to one stream.
"""

from libc.math cimport floor, log, log1p
from libc.stdint cimport int64_t, uint64_t

from caesura.kernels.flexible cimport Scorer, score_one

import numpy as np


cdef struct Generator:
    uint64_t s0, s1, s2, s3


cdef inline uint64_t rotate(uint64_t x, int k) noexcept nogil:
    return (x << k) | (x >> (64 - k))


cdef inline uint64_t bits(Generator* g) noexcept nogil:
    cdef uint64_t result = rotate(g.s0 + g.s3, 23) + g.s0, t = g.s1 << 17
    g.s2 ^= g.s0
    g.s3 ^= g.s1
    g.s1 ^= g.s2
    g.s0 ^= g.s3
    g.s2 ^= t
    g.s3 = rotate(g.s3, 45)
    return result


cdef inline double uniform(Generator* g) noexcept nogil:
    """Return a random number from 0 to 1, 1 excluded, with 53 bits."""
    return (bits(g) >> 11) * (1.0 / 9007199254740992.0)


def draw(
    const double[::1] joint not None,
    const int64_t[::1] lengths not None,
    prices not None,
    int method,
    const uint64_t[::1] state not None,
    double[:, ::1] out not None,
):
    """Fill one row of ``out`` per draw. The generator starts from the four numbers of ``state``, not all of which are 0.

    ``joint[x * (T + 1) + y]`` is the probability of x in a and y in b at one position; T means no boundary. Columns of
    ``out``: 0 cost, 1 positions, 2 objects; 3 to 5 the number of positions with a boundary on both sides, only in a, and
    only in b; 6 to 8 the summed costs of these substitutions, deletions and insertions.
    """
    cdef int64_t N = np.sum(lengths), borders = lengths.shape[0], outcomes = joint.shape[0] - 1
    cdef Scorer scorer = Scorer(*prices, method, N + borders, N + borders, False)
    cdef int64_t[::1] a_pos, a_code, b_pos, b_code
    a_pos, a_code, b_pos, b_code = np.empty((4, N + borders), np.int64)
    cdef double[::1] threshold = np.empty(max(outcomes, 1))
    cdef int64_t[::1] alias = np.zeros(max(outcomes, 1), np.int64)
    cdef double occupied = 0, log_empty, gap
    cdef int64_t T = scorer.T, d, s, n_a, n_b, begin, at, x, y, k
    cdef Generator g
    for k in range(outcomes):  # not np.sum, whose order of additions depends on the processor
        occupied += joint[k]
    fill_alias_table(joint, outcomes, occupied, threshold, alias)
    log_empty = log1p(-min(occupied, 1.0))
    with nogil:
        g.s0, g.s1, g.s2, g.s3 = state[0], state[1], state[2], state[3]
        scorer.set_boundaries(a_pos, a_code, b_pos, b_code)
        for d in range(out.shape[0]):
            n_a = n_b = begin = 0
            for s in range(lengths.shape[0]):
                if s > 0:
                    a_pos[n_a] = b_pos[n_b] = begin
                    a_code[n_a] = b_code[n_b] = T
                    n_a += 1
                    n_b += 1
                at = 0
                while occupied > 0:
                    gap = 1 + floor(log(1 - uniform(&g)) / log_empty)
                    if gap > lengths[s] - at:
                        break
                    at += <int64_t>gap
                    k = sample_outcome(&g, outcomes, threshold, alias)
                    x = k // (T + 1)
                    y = k % (T + 1)
                    if x < T:
                        a_pos[n_a] = begin + at
                        a_code[n_a] = x
                        n_a += 1
                    if y < T:
                        b_pos[n_b] = begin + at
                        b_code[n_b] = y
                        n_b += 1
                begin += lengths[s] + 1
            score_one(scorer, 0, n_a, 0, n_b, False)
            out[d, 0] = scorer.cost
            out[d, 1] = N
            out[d, 2] = scorer.objects
            out[d, 3] = scorer.shared
            out[d, 4] = scorer.a_only
            out[d, 5] = scorer.b_only
            out[d, 6] = scorer.shared_cost
            out[d, 7] = scorer.a_cost
            out[d, 8] = scorer.b_cost


cdef inline int64_t sample_outcome(
    Generator* g, int64_t n, const double[::1] threshold, const int64_t[::1] alias
) except -1 nogil:
    cdef double u = uniform(g) * n
    cdef int64_t k = <int64_t>u
    return k if u - k < threshold[k] else alias[k]


cdef int fill_alias_table(
    const double[::1] weight, int64_t n, double total, double[::1] threshold, int64_t[::1] alias
) except -1:
    """Fill the alias table, which turns a uniform k into k with probability threshold[k], and into alias[k] otherwise."""
    if total <= 0:
        return 0
    small, large = [], []
    cdef int64_t k, big
    for k in range(n):
        threshold[k] = weight[k] * n / total
        alias[k] = k
        (small if threshold[k] < 1 else large).append(k)
    while small and large:
        k = small.pop()
        big = large[len(large) - 1]
        alias[k] = big
        threshold[big] -= 1 - threshold[k]
        if threshold[big] < 1:
            small.append(large.pop())
    # The remaining entries differ from 1 by rounding only.
    for k in small + large:
        threshold[k] = 1
    return 0
