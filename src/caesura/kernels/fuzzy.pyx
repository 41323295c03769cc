"""Compute the fuzzy success criterion: clusters of marks, the reward of boundaries inside, and the cost of others.

The marks of document d are ``pos[off[d]:off[d + 1]]``, each with h, the number of coders who made it; the boundaries of
the program are ``q_pos[q_off[d]:q_off[d + 1]]``.

The reward of a boundary at q is the sum over the marks of its cluster of h(s) / (|s - q| + 1)^alpha. A sum over pairs is
quadratic in the size of a cluster. For long clusters the power is written as a sum of ``terms`` exponentials,

    (d + 1)^-alpha = sum over j of coefficient[j] * exp(-rate[j] * d)

and one sweep over the cluster accumulates each of them, since its sum shrinks by exp(-rate[j]) per position.
"""

from libc.math cimport ceil, exp, floor, pow, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport llabs

cdef enum:
    MAX_TERMS = 256  # largest number of exponentials
    SWEEP_COST = 2  # cost of one step of one exponential, in pairs


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

    Columns of ``bounds``: first and last mark (indices into ``pos``), low, up, peak; of ``moments``: mu, sigma. Both arrays
    have as many rows as there are marks.
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
                        store_cluster(pos, h, first, last, peak, beta, bounds, moments, k)
                        k += 1
                    first = i
                    peak = 0
                last = i
                peak = max(peak, h[i])
            if first >= 0 and peak >= minimal_peak[d]:
                store_cluster(pos, h, first, last, peak, beta, bounds, moments, k)
                k += 1
            k_off[d + 1] = k


cdef int store_cluster(
    const int64_t[::1] pos, const int64_t[::1] h, int64_t first, int64_t last, int64_t peak, double beta,
    int64_t[:, ::1] bounds, double[:, ::1] moments, int64_t k,
) except -1 nogil:
    # Positions are counted from the lower end of the cluster, so that the numbers stay small and the sums exact.
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
    # beta may be infinite; a reach beyond the cluster may not fit into an integer.
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
    const double[::1] near_power not None,
    const double[::1] rate not None,
    const double[::1] coefficient not None,
    double p_min,
    const double[::1] p_max not None,
    bint best,
    bint edges,
    int64_t[::1] cluster_of not None,
    double[::1] gain not None,
    double[:, ::1] out not None,
):
    """Write reward and punishment of each document into a row of ``out``.

    ``cluster_of[j]`` becomes the cluster of boundary j (a row of ``bounds``), or -1; ``gain[j]`` its reward, or the negative
    cost of a phantom. ``near_power[d]`` is (d + 1)^-alpha for small d. With ``best`` a cluster rewards its best boundary
    only; without ``edges`` phantoms before the first and after the last cluster cost nothing.
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
                    cluster_of[j] = -1
                    punishment -= gain[j]
                    j += 1
                    continue
                until = j
                while until < j_end and q_pos[until] <= bounds[k, 3]:
                    cluster_of[until] = k
                    until += 1
                reward += cluster_reward(pos, h, q_pos, j, until, bounds, k, alpha, near_power, rate, coefficient, best, gain)
                j = until
            out[d, 0] = reward
            out[d, 1] = punishment


cdef double cost(
    int64_t q, int64_t N, const int64_t[:, ::1] bounds, int64_t k_first, int64_t k, int64_t k_end,
    double p_min, double p_max, bint edges,
) except -1 nogil:
    """Return the cost of a phantom before cluster k: p_max in the middle of a gap or at the edge of the text."""
    cdef int64_t low, up
    if k == k_first:
        low = bounds[k, 2]
        return p_min + (p_max - p_min) * (low - q) / (low - 1) if edges else 0
    up = bounds[k - 1, 3]
    if k == k_end:
        return p_min + (p_max - p_min) * (q - up) / (N - 1 - up) if edges else 0
    low = bounds[k, 2]
    return p_max + (p_min - p_max) * llabs(2 * q - low - up) / (low - up)


cdef double cluster_reward(
    const int64_t[::1] pos, const int64_t[::1] h, const int64_t[::1] q_pos, int64_t j, int64_t j_end,
    const int64_t[:, ::1] bounds, int64_t k, double alpha, const double[::1] near_power,
    const double[::1] rate, const double[::1] coefficient, bint best, double[::1] gain,
) except -1 nogil:
    """Return the reward of boundaries j .. j_end-1, all in cluster k."""
    cdef int64_t i = bounds[k, 0], i_end = bounds[k, 1] + 1, s, q, distance, m, n = j_end - j
    cdef double total = 0, best_gain = 0, reward_at_q
    while i < i_end and pos[i] < bounds[k, 2]:
        i += 1
    while i < i_end and pos[i_end - 1] > bounds[k, 3]:
        i_end -= 1
    m = i_end - i
    if m * n > SWEEP_COST * rate.shape[0] * (m + n):
        for q in range(j, j_end):
            gain[q] = 0
        sweep(pos, h, i, i_end, q_pos, j, j_end, rate, coefficient, 1, gain)
        sweep(pos, h, i, i_end, q_pos, j, j_end, rate, coefficient, -1, gain)
    else:
        for q in range(j, j_end):
            reward_at_q = 0
            for s in range(i, i_end):
                distance = llabs(pos[s] - q_pos[q])
                reward_at_q += h[s] * (near_power[distance] if distance < near_power.shape[0] else pow(distance + 1, -alpha))
            gain[q] = reward_at_q
    for q in range(j, j_end):
        total += gain[q]
        best_gain = max(best_gain, gain[q])
    return best_gain if best else total


cdef int sweep(
    const int64_t[::1] pos, const int64_t[::1] h, int64_t i, int64_t i_end,
    const int64_t[::1] q_pos, int64_t j, int64_t j_end,
    const double[::1] rate, const double[::1] coefficient, int64_t direction, double[::1] gain,
) except -1 nogil:
    """Add the rewards by sums of exponentials: of the marks up to q if ``direction`` is 1, of the marks after q if it is -1."""
    cdef double[MAX_TERMS] term_sum, decay
    cdef int64_t s, q, at, step = 0, decay_step = 0
    cdef Py_ssize_t t, terms = rate.shape[0]
    cdef double reward_at_q
    for t in range(terms):
        term_sum[t] = 0
    s = i if direction > 0 else i_end - 1
    q = j if direction > 0 else j_end - 1
    at = pos[s]
    while j <= q < j_end:
        while i <= s < i_end and direction * (q_pos[q] - pos[s]) >= (direction < 0):
            decay_step = decay_terms(term_sum, decay, rate, direction * (pos[s] - at), decay_step)
            at = pos[s]
            for t in range(terms):
                term_sum[t] += h[s]
            s += direction
        if direction * (q_pos[q] - at) > 0:  # otherwise q lies before all marks
            decay_step = decay_terms(term_sum, decay, rate, direction * (q_pos[q] - at), decay_step)
            at = q_pos[q]
        reward_at_q = 0
        for t in range(terms):
            reward_at_q += coefficient[t] * term_sum[t]
        gain[q] += reward_at_q
        q += direction
    return 0


cdef int64_t decay_terms(
    double* term_sum, double* decay, const double[::1] rate, int64_t step, int64_t decay_step
) noexcept nogil:
    """Advance by ``step`` positions; ``decay`` caches the factor of each term, because most steps are equal."""
    cdef Py_ssize_t t
    if step == 0:
        return decay_step
    if step != decay_step:
        for t in range(rate.shape[0]):
            decay[t] = exp(-rate[t] * step)
    for t in range(rate.shape[0]):
        term_sum[t] *= decay[t]
    return step
