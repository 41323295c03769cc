"""Find the heaviest set of spans without crossing, and count the sets with that weight.

Spans (c, e) of weight w are sorted by (e, -c). A window contains the spans with c >= a. F[r] is the best value of its
spans up to the r-th end (counted from 1; F is 0 at the start of a window). val[s] is the best value of span s and the spans
inside it. A best set always includes s, because nothing inside s crosses it. A set without crossing consists of spans side
by side, each of which contains such a set. The recursion follows this structure. It reaches each set in only one way, so it
can also count the sets.

A value is (sum of w, sum of w^2, number of spans): larger sums are better, then fewer spans, then the value that was found
first. The number of sets counts all sets with the same sum of w. It may be extremely large, so it is computed modulo a
number below 2^31, together with its logarithm. From the logarithm the caller computes how many remainders are needed to
restore the number.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport exp2, log2
from libc.stdint cimport int64_t

import numpy as np

cdef enum:
    W = 0
    W2 = 1
    N = 2
    SETS = 3  # number of sets with this sum of w, modulo ``modulus``


cdef class Forest:
    cdef const int64_t[::1] c, w, at, before
    cdef int64_t[:, ::1] F, val
    cdef double[::1] F_bits, val_bits
    cdef int64_t[::1] choice, inner
    cdef int64_t modulus

    cdef int window(self, int64_t a, int64_t first, int64_t last) except -1 nogil:
        """Fill F, and val of the spans that start at a, for the ends ``first .. last``; val of later starts must be known.

        ``choice[r]`` becomes the last span of the row that attains F[r + 1] if it ends there, or -1; ``inner[r]`` is the same
        before the span from a to this end is added.
        """
        cdef int64_t r, s, k, target, sum_w, sum_w2, number, sets
        cdef double bits
        for k in range(SETS):
            self.F[first, k] = 0
        self.F[first, SETS] = 1 % self.modulus
        self.F_bits[first] = 0
        for r in range(first, last + 1):
            target = r + 1
            for k in range(SETS + 1):
                self.F[target, k] = self.F[r, k]
            self.F_bits[target] = self.F_bits[r]
            self.choice[r] = self.inner[r] = -1
            for s in range(self.at[r], self.at[r + 1]):
                if self.c[s] < a:
                    break  # sorted by (e, -c): all others with this end start earlier too
                if self.c[s] == a:
                    self.F[target, W] += self.w[s]
                    self.F[target, W2] += self.w[s] * self.w[s]
                    self.F[target, N] += 1
                    for k in range(SETS + 1):
                        self.val[s, k] = self.F[target, k]
                    self.val_bits[s] = self.F_bits[target]
                    self.inner[r] = self.choice[r]
                    self.choice[r] = s
                    break
                k = self.before[s]
                sum_w = self.F[k, W] + self.val[s, W]
                if sum_w < self.F[target, W]:
                    continue
                sets = self.F[k, SETS] * self.val[s, SETS] % self.modulus
                bits = self.F_bits[k] + self.val_bits[s]
                if sum_w == self.F[target, W]:
                    sets = (sets + self.F[target, SETS]) % self.modulus
                    bits = log2_sum(bits, self.F_bits[target])
                self.F[target, SETS] = sets
                self.F_bits[target] = bits
                sum_w2 = self.F[k, W2] + self.val[s, W2]
                number = self.F[k, N] + self.val[s, N]
                if sum_w == self.F[target, W] and (
                    sum_w2 < self.F[target, W2] or (sum_w2 == self.F[target, W2] and number >= self.F[target, N])
                ):
                    continue
                self.F[target, W] = sum_w
                self.F[target, W2] = sum_w2
                self.F[target, N] = number
                self.choice[r] = s
        return 0


cdef inline double log2_sum(double x, double y) noexcept nogil:
    """Return log2(2^x + 2^y)."""
    return x + log2(1 + exp2(y - x)) if x > y else y + log2(1 + exp2(x - y))


def conflict_free(
    const int64_t[::1] c not None,
    const int64_t[::1] w not None,
    const int64_t[::1] end not None,
    const int64_t[::1] at not None,
    const int64_t[::1] before not None,
    const int64_t[::1] outer not None,
    int64_t modulus,
    int64_t[::1] selected,
):
    """Mark in ``selected`` the spans of the best set.

    Return its sum of w, the number of optima modulo ``modulus``, and the logarithm of that number to base 2.

    ``end[s]`` is the rank of the end of span s among the distinct ends, from 0, and ``at[r] .. at[r + 1] - 1`` are the spans
    of rank r. ``before[s]`` is the number of ends before the start of s. ``outer`` lists the largest span of each distinct
    start, the last start first. If ``selected`` is None, the optima are only counted.
    """
    cdef Forest f = Forest()
    cdef Py_ssize_t m = c.shape[0], R = at.shape[0] - 1, i
    cdef int64_t a, r, s, low, top
    cdef int64_t[::1] stack = np.empty(m + 1, np.int64)
    f.c, f.w, f.at, f.before, f.modulus = c, w, at, before, modulus
    f.F, f.val = np.empty((R + 1, SETS + 1), np.int64), np.empty((m, SETS + 1), np.int64)
    f.F_bits, f.val_bits = np.empty(R + 1), np.empty(m)
    f.choice, f.inner = np.empty((2, R), np.int64)
    for i in range(outer.shape[0]):
        s = outer[i]
        with nogil:
            f.window(c[s], before[s], end[s])
        PyErr_CheckSignals()  # so that Ctrl-C ends long work
    with nogil:
        f.window(0, 0, R - 1)  # positions count from 1: the window of the whole text, where no span starts
    result = (f.F[R, W], f.F[R, SETS], f.F_bits[R])
    if selected is None:
        return result
    with nogil:
        a = low = top = 0
        r = R - 1
        while True:
            # One window serves all selected spans that start at a: each of them contains the next.
            while r >= low:
                s = f.choice[r]
                if s >= 0 and c[s] == a:
                    selected[s] = 1
                    s = f.inner[r]
                if s < 0:
                    r -= 1
                else:
                    selected[s] = 1
                    stack[top] = s
                    top += 1
                    r = before[s] - 1
            if top == 0:
                break
            top -= 1
            s = stack[top]
            a, low, r = c[s], before[s], end[s]
            f.window(a, low, r)
    return result
