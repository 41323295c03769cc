"""The heaviest set of spans in which none cross, and how many such sets there are.

Spans (c, e) of weight w come by (e, -c). F[r] is the best that spans of the window, those with c >= a, can do up to the
r-th end (from 1; F of a window begins at 0); val[s] is the best inside span s with s itself, which always pays, since
nothing inside s crosses it. A set without crossings is a row of spans side by side, each with such a set inside: that
is the recursion, and because it takes each set apart in one way only, it counts them too.

A value is (sum of w, sum of w^2, number of spans): the first two the more the better, then the fewer spans the better,
and what came earlier stays on equality. The number of sets counts equal sums of w alone. It may be astronomical, so it
is kept modulo a number below 2^31, with its logarithm beside it to say how many such remainders make it whole.
"""

from libc.math cimport exp2, log2
from libc.stdint cimport int64_t

import numpy as np

cdef enum:
    W = 0
    W2 = 1
    N = 2
    SETS = 3  # how many sets have this sum of w, modulo ``modulus``


cdef class Forest:
    cdef const int64_t[::1] c, w, end, at, before
    cdef int64_t[:, ::1] F, val
    cdef double[::1] F_bits, val_bits
    cdef int64_t[::1] choice, inner
    cdef int64_t modulus

    cdef void window(self, int64_t a, int64_t first, int64_t last) noexcept nogil:
        """Fill F, and val of the spans that start at a, over the ends ``first .. last``; all later starts have their val.

        ``choice[r]`` becomes the last span of the row that attains F[r + 1] if it ends there, or -1; ``inner[r]`` the same
        before the span from a to this end was added.
        """
        cdef int64_t r, s, k, to, sum_w, sum_w2, number, sets
        cdef double bits
        for k in range(SETS):
            self.F[first, k] = 0
        self.F[first, SETS] = 1 % self.modulus
        self.F_bits[first] = 0
        for r in range(first, last + 1):
            to = r + 1
            for k in range(SETS + 1):
                self.F[to, k] = self.F[r, k]
            self.F_bits[to] = self.F_bits[r]
            self.choice[r] = self.inner[r] = -1
            for s in range(self.at[r], self.at[r + 1]):
                if self.c[s] < a:
                    break  # by (e, -c): so do all others that end here
                if self.c[s] == a:
                    self.F[to, W] += self.w[s]
                    self.F[to, W2] += self.w[s] * self.w[s]
                    self.F[to, N] += 1
                    for k in range(SETS + 1):
                        self.val[s, k] = self.F[to, k]
                    self.val_bits[s] = self.F_bits[to]
                    self.inner[r] = self.choice[r]
                    self.choice[r] = s
                    break
                k = self.before[s]
                sum_w = self.F[k, W] + self.val[s, W]
                if sum_w < self.F[to, W]:
                    continue
                sets = self.F[k, SETS] * self.val[s, SETS] % self.modulus
                bits = self.F_bits[k] + self.val_bits[s]
                if sum_w == self.F[to, W]:
                    sets = (sets + self.F[to, SETS]) % self.modulus
                    bits = log2_sum(bits, self.F_bits[to])
                self.F[to, SETS] = sets
                self.F_bits[to] = bits
                sum_w2 = self.F[k, W2] + self.val[s, W2]
                number = self.F[k, N] + self.val[s, N]
                if sum_w == self.F[to, W] and (
                    sum_w2 < self.F[to, W2] or (sum_w2 == self.F[to, W2] and number >= self.F[to, N])
                ):
                    continue
                self.F[to, W] = sum_w
                self.F[to, W2] = sum_w2
                self.F[to, N] = number
                self.choice[r] = s


cdef inline double log2_sum(double x, double y) noexcept nogil:
    """log2(2^x + 2^y)"""
    return x + log2(1 + exp2(y - x)) if x > y else y + log2(1 + exp2(x - y))


def conflict_free(
    const int64_t[::1] c not None,
    const int64_t[::1] w not None,
    const int64_t[::1] end not None,
    const int64_t[::1] at not None,
    const int64_t[::1] before not None,
    const int64_t[::1] outer not None,
    int64_t modulus,
    int64_t[::1] kept,
):
    """Mark in ``kept`` the spans of the best set; give its sum of w, the number of optima modulo ``modulus``, and log2 of it.

    ``end[s]`` is the rank of the end of span s among the distinct ends, from 0, and ``at[r] .. at[r + 1] - 1`` are the spans
    of rank r; ``before[s]`` is how many ends lie before the start of s; ``outer`` is the largest span of each distinct
    start, the last start first. Without ``kept`` the optima are counted and not walked back to.
    """
    cdef Forest f = Forest()
    cdef Py_ssize_t m = c.shape[0], R = at.shape[0] - 1, i
    cdef int64_t a, r, s, low, top
    cdef int64_t[::1] stack = np.empty(m + 1, np.int64)
    f.c, f.w, f.end, f.at, f.before, f.modulus = c, w, end, at, before, modulus
    f.F, f.val = np.empty((R + 1, SETS + 1), np.int64), np.empty((m, SETS + 1), np.int64)
    f.F_bits, f.val_bits = np.empty(R + 1), np.empty(m)
    f.choice, f.inner = np.empty((2, R), np.int64)
    with nogil:
        for i in range(outer.shape[0]):
            s = outer[i]
            f.window(c[s], before[s], end[s])
        f.window(0, 0, R - 1)  # positions count from 1: the whole text, and no span of its own
    found = (f.F[R, W], f.F[R, SETS], f.F_bits[R])
    if kept is None:
        return found
    with nogil:
        a = low = top = 0
        r = R - 1
        while True:
            # One window is enough for all kept spans that start at a: each of them contains the next.
            while r >= low:
                s = f.choice[r]
                if s >= 0 and c[s] == a:
                    kept[s] = 1
                    s = f.inner[r]
                if s < 0:
                    r -= 1
                else:
                    kept[s] = 1
                    stack[top] = s
                    top += 1
                    r = before[s] - 1
            if top == 0:
                break
            top -= 1
            s = stack[top]
            a, low, r = c[s], before[s], end[s]
            f.window(a, low, r)
    return found
