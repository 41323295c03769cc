"""Expected edits of two random texts: the sums of the rewards of a Markov chain over the positions of a text.

Two coders place boundaries independently at every position. One pass over the positions gives the expected sums for texts of
every length. A row is one pair of coders. Once the chain has forgotten its start, every further position adds the same, so
that long texts need no further steps.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef enum:
    # The distance from the limit shrinks by u v <= 1/16 in two steps, so that 32 steps are exact to the last bit.
    STEPS = 32


def transpositions(
    const double[::1] p_a not None,
    const double[::1] p_b not None,
    const int64_t[::1] positions not None,
    const double[:, ::1] weights not None,
    const double[:, ::1] after not None,
    const double[:, ::1] after_positions not None,
    const int64_t[::1] group not None,
    double[::1] out not None,
):
    """Fill ``out`` with the expected number of transpositions of each row, for one type and n_t = 2.

    ``weights[w, k]`` is the number of streams with ``positions[k]`` positions in group w, ``after`` the number of streams that
    are at least as long, and ``after_positions`` the sum of their positions.
    x_a and x_b are the probabilities that the last position has a boundary of a alone, or of b alone, which is still
    unpaired. Pairing from the left is optimal, because unmatched neighbours form paths.
    """
    cdef Py_ssize_t i, k, w, lengths = positions.shape[0]
    cdef int64_t t
    cdef double u, v, x_a, x_b, change, T, total
    with nogil:
        for i in range(p_a.shape[0]):
            w = group[i]
            u = p_a[i] * (1 - p_b[i])
            v = p_b[i] * (1 - p_a[i])
            x_a = x_b = T = total = 0
            t = k = 0
            while True:
                while k < lengths and positions[k] == t:
                    total += weights[w, k] * T
                    k += 1
                if k == lengths:
                    break
                change = u * x_b + v * x_a
                if t == STEPS:
                    total += after[w, k] * T + (after_positions[w, k] - t * after[w, k]) * change
                    break
                T += change
                x_a, x_b = u * (1 - x_b), v * (1 - x_a)
                t += 1
            out[i] = total


def rewards(
    const int32_t[:, ::1] successor not None,
    const double[:, :, ::1] reward not None,
    const double[:, ::1] probability not None,
    const int64_t[::1] positions not None,
    double tolerance,
    double[:, :, ::1] out not None,
):
    """Fill ``out[i, k]`` with the expected sums of the rewards of row i after ``positions[k]`` positions.

    The chain starts in state 0. ``successor[s, c]`` is the state after symbol c in state s, ``reward[s, c]`` what the step adds,
    and ``probability[i, c]`` the probability of the symbol in row i. The chain has forgotten its start when no probability
    of a state changes by more than ``tolerance``.
    """
    cdef Py_ssize_t i, k, s, c, r, lengths = positions.shape[0]
    cdef Py_ssize_t states = successor.shape[0], symbols = successor.shape[1], kinds = reward.shape[2]
    cdef int64_t t
    cdef double p, largest
    cdef double[::1] now = np.empty(states), later = np.empty(states)
    cdef double[::1] change = np.empty(kinds), total = np.empty(kinds)
    with nogil:
        for i in range(probability.shape[0]):
            now[:] = 0
            now[0] = 1
            total[:] = 0
            t = k = 0
            largest = 1
            while True:
                while k < lengths and positions[k] == t:
                    for r in range(kinds):
                        out[i, k, r] = total[r]
                    k += 1
                if k == lengths:
                    break
                later[:] = 0
                change[:] = 0
                for s in range(states):
                    if now[s] == 0:
                        continue
                    for c in range(symbols):
                        p = now[s] * probability[i, c]
                        later[successor[s, c]] += p
                        for r in range(kinds):
                            change[r] += p * reward[s, c, r]
                if largest <= tolerance:
                    while k < lengths:
                        for r in range(kinds):
                            out[i, k, r] = total[r] + (positions[k] - t) * change[r]
                        k += 1
                    break
                largest = 0
                for s in range(states):
                    largest = max(largest, fabs(later[s] - now[s]))
                for r in range(kinds):
                    total[r] += change[r]
                now, later = later, now
                t += 1
