"""The fuzzy success criterion: clusters of marks, the reward of boundaries inside them, the cost of all others.

The marks of document d stand in ``pos[off[d]:off[d + 1]]`` with h, the number of coders, beside each; the boundaries of
the program in ``q_pos[q_off[d]:q_off[d + 1]]``.

The reward of a boundary at q is the sum over the marks of its cluster of h(s) / (|s - q| + 1)^alpha. Summed pair by pair
that is quadratic in a cluster. Where a cluster is long, the power is written as a sum of ``terms`` exponentials,

    (d + 1)^-alpha = sum over j of share[j] * exp(-rate[j] * d)

each of which a sweep over the cluster sums up as it goes, since what it holds shrinks by exp(-rate[j]) a position.
"""

from libc.math cimport ceil, exp, floor, pow, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport llabs

cdef enum:
    TERMS = 256  # room for that many exponentials
    DEARER = 2  # what a step of one exponential costs, in pairs


def cluster(
    const int64_t[::1] pos not None,
    const int64_t[::1] h not None,
    const int64_t[::1] off not None,
    int64_t chain_strength,
    const int64_t[::1] minimal_peak not None,
    int64_t min_count,
    double beta,
    int64_t[:, ::1] bounds not None,
    double[:, ::1] moments not None,
    int64_t[::1] k_off not None,
):
    """Find the clusters of each document; those of document d become the rows ``k_off[d] .. k_off[d + 1] - 1``.

    ``bounds``: first and last mark (places in ``pos``), low, up, peak; ``moments``: mu, sigma.
    There is room for as many clusters as there are marks.
    """
    cdef Py_ssize_t d, n = minimal_peak.shape[0]
    cdef int64_t i, k = 0, first, last, peak
    with nogil:
        k_off[0] = 0
        for d in range(n):
            first = -1
            last = peak = 0
            for i in range(off[d], off[d + 1]):
                if h[i] < min_count:
                    continue
                if first < 0 or pos[i] - pos[last] > chain_strength:
                    if first >= 0 and peak >= minimal_peak[d]:
                        settle(pos, h, first, last, peak, beta, bounds, moments, k)
                        k += 1
                    first = i
                    peak = 0
                last = i
                peak = max(peak, h[i])
            if first >= 0 and peak >= minimal_peak[d]:
                settle(pos, h, first, last, peak, beta, bounds, moments, k)
                k += 1
            k_off[d + 1] = k


cdef int settle(
    const int64_t[::1] pos, const int64_t[::1] h, int64_t first, int64_t last, int64_t peak, double beta,
    int64_t[:, ::1] bounds, double[:, ::1] moments, int64_t k,
) except -1 nogil:
    # From the cluster's lower end, so that whole numbers stay small and the sums exact.
    cdef int64_t i, lower = pos[first], upper = pos[last], low, up
    cdef double marks = 0, mu = 0, sigma = 0
    for i in range(first, last + 1):
        marks += h[i]
        mu += <double> h[i] * (pos[i] - lower)
    mu /= marks
    for i in range(first, last + 1):
        sigma += h[i] * (pos[i] - lower - mu) * (pos[i] - lower - mu)
    sigma = sqrt(sigma / marks)
    low, up = lower, upper
    # beta may be infinite; a reach beyond the cluster need not be a number that fits.
    if first < last and beta * sigma < upper - lower:
        low = max(lower, lower + <int64_t> floor(mu - beta * sigma + 1e-9))
        up = min(upper, lower + <int64_t> ceil(mu + beta * sigma - 1e-9))
    bounds[k, 0] = first
    bounds[k, 1] = last
    bounds[k, 2] = low
    bounds[k, 3] = up
    bounds[k, 4] = peak
    moments[k, 0] = lower + mu
    moments[k, 1] = sigma
    return 0


def award(
    const int64_t[::1] length not None,
    const int64_t[::1] pos not None,
    const int64_t[::1] h not None,
    const int64_t[::1] q_pos not None,
    const int64_t[::1] q_off not None,
    const int64_t[:, ::1] bounds not None,
    const int64_t[::1] k_off not None,
    double alpha,
    const double[::1] near not None,
    const double[::1] rate not None,
    const double[::1] share not None,
    double p_min,
    const double[::1] p_max not None,
    bint best,
    bint edges,
    int64_t[::1] home not None,
    double[::1] gain not None,
    double[:, ::1] out not None,
):
    """Reward and punishment of each document, into a row of ``out``.

    ``home[j]`` becomes the cluster of boundary j (a row of ``bounds``), or -1; ``gain[j]`` its reward, or the negative
    cost of a phantom. ``near[d]`` is (d + 1)^-alpha for the first few d. With ``best`` a cluster rewards its best
    boundary only; without ``edges`` phantoms before the first and after the last cluster are free.
    """
    cdef Py_ssize_t d, n = length.shape[0]
    cdef int64_t j, j_end, k, k_end, until
    cdef double reward, punishment
    with nogil:
        for d in range(n):
            reward = punishment = 0
            k = k_off[d]
            k_end = k_off[d + 1]
            j = q_off[d]
            j_end = q_off[d + 1]
            while j < j_end:
                while k < k_end and bounds[k, 3] < q_pos[j]:
                    k += 1
                if k == k_end or q_pos[j] < bounds[k, 2]:
                    gain[j] = -cost(q_pos[j], length[d], bounds, k_off[d], k, k_end, p_min, p_max[d], edges)
                    home[j] = -1
                    punishment -= gain[j]
                    j += 1
                    continue
                until = j
                while until < j_end and q_pos[until] <= bounds[k, 3]:
                    home[until] = k
                    until += 1
                reward += weigh(pos, h, q_pos, j, until, bounds, k, alpha, near, rate, share, best, gain)
                j = until
            out[d, 0] = reward
            out[d, 1] = punishment


cdef double cost(
    int64_t q, int64_t N, const int64_t[:, ::1] bounds, int64_t k_first, int64_t k, int64_t k_end,
    double p_min, double p_max, bint edges,
) except -1 nogil:
    """What a phantom costs that stands before cluster k: p_max in mid-gap or at the edge of the text."""
    cdef int64_t low, up
    if k == k_first:
        low = bounds[k, 2]
        return p_min + (p_max - p_min) * (low - q) / (low - 1) if edges else 0
    up = bounds[k - 1, 3]
    if k == k_end:
        return p_min + (p_max - p_min) * (q - up) / (N - 1 - up) if edges else 0
    low = bounds[k, 2]
    return p_max + (p_min - p_max) * llabs(2 * q - low - up) / (low - up)


cdef double weigh(
    const int64_t[::1] pos, const int64_t[::1] h, const int64_t[::1] q_pos, int64_t j, int64_t j_end,
    const int64_t[:, ::1] bounds, int64_t k, double alpha, const double[::1] near,
    const double[::1] rate, const double[::1] share, bint best, double[::1] gain,
) except -1 nogil:
    """The reward of boundaries j .. j_end-1, all of cluster k."""
    cdef int64_t i = bounds[k, 0], i_end = bounds[k, 1] + 1, s, q, away, m, n = j_end - j
    cdef double total = 0, most = 0, mine
    while i < i_end and pos[i] < bounds[k, 2]:
        i += 1
    while i < i_end and pos[i_end - 1] > bounds[k, 3]:
        i_end -= 1
    m = i_end - i
    if m * n > DEARER * rate.shape[0] * (m + n):
        for q in range(j, j_end):
            gain[q] = 0
        sweep(pos, h, i, i_end, q_pos, j, j_end, rate, share, 1, gain)
        sweep(pos, h, i, i_end, q_pos, j, j_end, rate, share, -1, gain)
    else:
        for q in range(j, j_end):
            mine = 0
            for s in range(i, i_end):
                away = llabs(pos[s] - q_pos[q])
                mine += h[s] * (near[away] if away < near.shape[0] else pow(away + 1, -alpha))
            gain[q] = mine
    for q in range(j, j_end):
        total += gain[q]
        most = max(most, gain[q])
    return most if best else total


cdef int sweep(
    const int64_t[::1] pos, const int64_t[::1] h, int64_t i, int64_t i_end,
    const int64_t[::1] q_pos, int64_t j, int64_t j_end,
    const double[::1] rate, const double[::1] share, int64_t way, double[::1] gain,
) except -1 nogil:
    """Add the reward by sums of exponentials: with ``way`` 1 from the marks up to q, with -1 from those behind it."""
    cdef double[TERMS] held, left
    cdef int64_t s, q, at, step = 0, left_of = 0
    cdef Py_ssize_t t, terms = rate.shape[0]
    cdef double mine
    for t in range(terms):
        held[t] = 0
    s = i if way > 0 else i_end - 1
    q = j if way > 0 else j_end - 1
    at = pos[s]
    while j <= q < j_end:
        while i <= s < i_end and way * (q_pos[q] - pos[s]) >= (way < 0):
            left_of = shrink(held, left, rate, way * (pos[s] - at), left_of)
            at = pos[s]
            for t in range(terms):
                held[t] += h[s]
            s += way
        if way * (q_pos[q] - at) > 0:  # else q stands before all marks
            left_of = shrink(held, left, rate, way * (q_pos[q] - at), left_of)
            at = q_pos[q]
        mine = 0
        for t in range(terms):
            mine += share[t] * held[t]
        gain[q] += mine
        q += way
    return 0


cdef int64_t shrink(
    double* held, double* left, const double[::1] rate, int64_t step, int64_t left_of
) noexcept nogil:
    """Move on by ``step`` positions. What is left of each term stays in ``left``, for most steps are alike."""
    cdef Py_ssize_t t
    if step == 0:
        return left_of
    if step != left_of:
        for t in range(rate.shape[0]):
            left[t] = exp(-rate[t] * step)
    for t in range(rate.shape[0]):
        held[t] *= left[t]
    return step
