"""The exact mean cost of a random pair of texts under the flexible alignment, for the chance agreement of S_f.

Two texts are drawn position by position. The least cost C of aligning what has been drawn so far changes with every
position, and by how much depends on the past only through the *frontier* of the alignment's table: what would be
gained if a coming boundary paired with one that has gone by. So C is a sum over positions of a Markov chain whose
states are frontiers. ``Frontier`` finds the states and what follows them, ``increments`` the mean change of C at each
position.

**The frontier.** Boundaries 0 .. n-1 of one side are *pending*, oldest first: they can still pair with what comes on
the other side. Pairing pending j with a boundary x that comes t positions after the next one saves curve[j](t, x) =
max(0, deletion + insertion - cost of the pair), which falls with t. There are n + 1 ways to have aligned what has gone
by: in way j the pendings j .. n-1 are free, and all before are settled. It costs e[j] more than the least cost, which
is that of way n, everything settled; e[0] >= ... >= e[n] = 0, because a free boundary may be dropped. The other side
has such a list of its own, with the same way n. A boundary x on the other side turns e into

    e'[j] = min(e[j], e'[j-1], e[j-1] - curve[j-1](0, x)),    C' = C + cost of x alone + e'[n],    then e' -= e'[n].

On its own side it becomes the youngest pending and raises every e by -e'[n], the gain that is forgone if x waits. A
shared position is a forced pair: it costs 1 - s[x, y] and leaves the empty frontier.

**What is discarded, and why nothing is lost.** Way j is worth keeping only if in some future it beats every other way.
It differs from way j+1 in that pending j is the first to be paired (or else way j+1 does the same for no more).
Suppose it is, and take the pendings j .. k-1 away from that alignment: what is left is an alignment of way k. The
partners of j .. k-2 stay alone and lose at most the largest gains of these pendings, at 0, 1, ... positions after the
next, as no two partners share a position. The partner of k-1 stays alone too or is passed on to pending k; if that was
taken, its partner, which comes later, is let go in the same manner (``release``). None of this makes pairs cross. With
lose(j, k) the most that is lost, no future makes way j the only cheapest if for some k > j

    e[j] >= e[k] + lose(j, k),

and every cost to come is the same without it. This also holds where way k itself is discarded, in favour of a younger
one, and so on up to way n, which never is. Pendings before the oldest way kept are forgotten, as is one with nothing
left to gain; a discarded way between others gets e[j] = e[j-1], which says the same, because way j-1 may drop its
boundary. Last, the oldest pending can only ever be the first to be paired. So its gains count only together with e[0],
and one that does not exceed e[0] - e[1] is beaten by way 1: the curve is lowered by this difference, down to zero, and
e[0] by as much. Pasts that differ only in how they paid for the same prospects become one state. All of this compares
whole numbers, nothing is rounded, and equal frontiers are equal words. The states are not the fewest that would do,
but close: 2,121 against 2,001 for five types and the identity matrix.

**Forgetting.** A state that has not been expanded is treated as the empty one, which allows fewer alignments: C can
only become larger, each time by at most the gain that the state promises, max over j of lose(j, n) - e[j]. The mean of
that, found like the mean of C, bounds the error where states that hardly ever occur are left as they are.

**Length costs nothing.** Let u_k(i) be the mean change of C at the position k after the next, in state i. Then u_0 is
known, u_{k+1} is the mean of u_k over what follows, and the mean change at position k+1 of a text is u_k(empty). Every
later mean change, from whatever state, lies between the least and the largest u_k. Once these meet, what remains of
the text is a product.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint64_t

import numpy as np

cdef enum:
    MOST = 64       # pending boundaries of one side
    REACH = 64      # positions between the members of a pair; beyond, there are too many states anyway


cdef class Pool:
    """Distinct strings of words, numbered in the order in which they came."""

    cdef int64_t[::1] text       # the string in question, written here by the caller
    cdef int64_t[::1] words      # all strings, end to end
    cdef int64_t[::1] start      # string i is words[start[i]:start[i + 1]]
    cdef int32_t[::1] slot       # open addressing: a number, or -1
    cdef Py_ssize_t n

    def __cinit__(self, Py_ssize_t longest):
        self.text = np.zeros(longest, np.int64)
        self.words = np.empty(1 << 12, np.int64)
        self.start = np.zeros(1 << 8, np.int64)
        self.slot = np.full(1 << 9, -1, np.int32)
        self.n = 0

    cdef uint64_t place(self, const int64_t[::1] words, int64_t start, int64_t end) except? 0 nogil:
        """Where the search for a string begins."""
        cdef uint64_t h = <uint64_t>0x9E3779B97F4A7C15
        cdef int64_t i
        for i in range(start, end):
            h = (h ^ <uint64_t>words[i]) * <uint64_t>0xBF58476D1CE4E5B9
            h ^= h >> 29
        return h & <uint64_t>(self.slot.shape[0] - 1)

    cdef int64_t number(self, Py_ssize_t length) except -1 nogil:
        """The number of text[:length], a new one if it was not seen before."""
        cdef uint64_t at = self.place(self.text, 0, length), mask = self.slot.shape[0] - 1
        cdef int64_t i, k, start
        while True:
            i = self.slot[at]
            if i < 0:
                break
            start = self.start[i]
            if self.start[i + 1] - start == length:
                k = 0
                while k < length and self.words[start + k] == self.text[k]:
                    k += 1
                if k == length:
                    return i
            at = (at + 1) & mask
        start = self.start[self.n]
        if start + length > self.words.shape[0] or self.n + 2 > self.start.shape[0] or 2 * self.n > self.slot.shape[0]:
            with gil:
                self.grow(start + length)
            return self.number(length)
        for k in range(length):
            self.words[start + k] = self.text[k]
        self.slot[at] = <int32_t>self.n
        self.n += 1
        self.start[self.n] = start + length
        return self.n - 1

    cdef int grow(self, int64_t words) except -1:
        cdef uint64_t at, mask
        cdef int64_t i
        if words > self.words.shape[0]:
            self.words = longer(np.asarray(self.words), 2 * words)
        if self.n + 2 > self.start.shape[0]:
            self.start = longer(np.asarray(self.start), 2 * self.start.shape[0])
        if 2 * self.n > self.slot.shape[0]:
            self.slot = np.full(4 * self.slot.shape[0], -1, np.int32)
            mask = self.slot.shape[0] - 1
            for i in range(self.n):
                at = self.place(self.words, self.start[i], self.start[i + 1])
                while self.slot[at] >= 0:
                    at = (at + 1) & mask
                self.slot[at] = <int32_t>i
        return 0


cdef object longer(object old, Py_ssize_t room):
    """With room for at least so many."""
    if room <= len(old):
        return old
    new = np.empty(room, old.dtype)
    new[:len(old)] = old
    return new


cdef class Frontier:
    """The states found so far, and what follows them. Side 0 is a, side 1 is b; state 0 is empty.

    A pair x, y saves gain[x, y] - move[x, y] * distance; alone[0, x] and alone[1, y] are the costs without it. What can
    stand at a position that is not shared: nothing (column 0), or a boundary of type kind[i] on side[i] (column i + 1).
    ``longest`` is the number of positions of the longest text. ``mirror``: both sides obey the same law, so that a
    frontier and its mirror image are one state.
    """

    cdef Pool curves, states
    cdef Py_ssize_t T, W, expanded
    cdef bint mirror
    cdef readonly bint fits                 # or else pairs reach too far, or a state has too many pendings
    cdef const int64_t[::1] side, kind
    cdef const int64_t[:, ::1] alone
    cdef int32_t[::1] next_state            # [state * W + column]
    cdef double[::1] added                  # [state * W + column]: what it adds to C
    cdef double[::1] promise                # [state]: the most that a future can gain from either side
    cdef int64_t[:, ::1] fresh              # [side, type]: curve of a boundary at the last position
    cdef int64_t[::1] after                 # [curve]: the curve one position later
    cdef int64_t[:, ::1] old, old_e         # [side, j]: the state that is being expanded
    cdef int64_t[:, ::1] pending, e         # [side, j]: its successor
    cdef Py_ssize_t old_n[2]
    cdef Py_ssize_t n[2]
    cdef int64_t worth[2]                   # the most that a future can gain from one side
    cdef int64_t[:, ::1] largest, release   # [j, t]: see judge
    cdef int64_t[::1] lose, bound

    def __init__(
        self,
        const int64_t[:, ::1] gain not None,
        const int64_t[:, ::1] move not None,
        const int64_t[:, ::1] alone not None,
        const int64_t[::1] side not None,
        const int64_t[::1] kind not None,
        int64_t longest,
        bint mirror,
    ):
        cdef Py_ssize_t T = gain.shape[0], i, x, y, t
        cdef int s
        cdef int64_t reach = 0, saved
        cdef uint8_t[:, ::1] present = np.zeros((2, T), np.uint8)
        for i in range(kind.shape[0]):
            present[side[i], kind[i]] = 1
        for x in range(T):
            for y in range(T):
                if present[0, x] and present[1, y] and gain[x, y] > 0 and move[x, y] > 0:
                    reach = max(reach, (gain[x, y] - 1) // move[x, y])
        reach = min(reach, longest)
        self.fits = reach <= REACH
        reach = min(reach, REACH)
        self.T, self.W = T, kind.shape[0] + 1
        self.side, self.kind, self.alone, self.mirror = side, kind, alone, mirror
        self.expanded = 0
        self.curves = Pool((reach + 1) * T)
        self.states = Pool(4 * MOST + 1)
        self.next_state = np.empty(1 << 10, np.int32)
        self.added = np.empty(1 << 10)
        self.promise = np.empty(1 << 8)
        self.fresh = np.zeros((2, T), np.int64)
        self.after = np.zeros(1 << 8, np.int64)
        self.old, self.old_e, self.pending, self.e = np.zeros((4, 2, MOST + 2), np.int64)
        self.largest, self.release = np.zeros((2, MOST + 1, reach + 2), np.int64)
        self.lose, self.bound = np.zeros((2, max(reach, MOST) + 2), np.int64)
        self.curve(1)  # number 0: nothing to gain, ever
        for s in range(2):
            for x in range(T):
                for t in range(reach + 1):
                    for y in range(T):
                        saved = 0
                        if present[1 - s, y]:
                            saved = gain[x, y] - (t + 1) * move[x, y] if s == 0 else gain[y, x] - (t + 1) * move[y, x]
                        self.curves.text[t * T + y] = max(0, saved)
                self.fresh[s, x] = self.curve(reach + 1)
        self.n[0] = self.n[1] = 0
        self.close()  # state 0: nothing is pending

    def __len__(self):
        return self.states.n

    @property
    def successor(self):
        """[state, column]; of a state that has not been expanded, the successors of state 0."""
        return np.asarray(self.next_state)[:self.states.n * self.W].reshape(-1, self.W)

    @property
    def cost(self):
        """[state, column]: what the position adds to C; of a state that has not been expanded, as in state 0."""
        return np.asarray(self.added)[:self.states.n * self.W].reshape(-1, self.W)

    @property
    def potential(self):
        """[state]: the most that forgetting it adds to C."""
        return np.asarray(self.promise)[:self.states.n]

    def expand(self, const int64_t[::1] which not None, int64_t max_states):
        """Find what follows some states, state 0 first of all; stop once there are more than ``max_states``."""
        cdef Py_ssize_t at = 0, column, i, k, before = self.states.n if self.expanded else 0
        cdef int64_t state
        self.expanded += which.shape[0]
        with nogil:
            while at < which.shape[0] and self.fits and self.states.n <= max_states:
                state = which[at]
                self.open(state)
                for column in range(self.W):
                    i = state * self.W + column
                    if column == 0:
                        self.added[i] = self.pass_by(-1, 0)
                    else:
                        self.added[i] = self.pass_by(<int>self.side[column - 1], self.kind[column - 1])
                    self.next_state[i] = <int32_t>self.close()
                at += 1
            for i in range(max(1, before), self.states.n):
                for k in range(self.W):
                    self.next_state[i * self.W + k] = self.next_state[k]
                    self.added[i * self.W + k] = self.added[k]

    cdef int64_t curve(self, Py_ssize_t steps) except -1 nogil:
        """The number of the curve in curves.text, whose last step lasts for ever."""
        cdef Py_ssize_t T = self.T, i
        cdef int64_t number, known = self.curves.n
        cdef bint still = True
        while steps > 1 and still:
            for i in range((steps - 1) * T, steps * T):
                still = still and self.curves.text[i] == self.curves.text[i - T]
            steps -= still
        number = self.curves.number(steps * T)
        if number == known:
            if number == self.after.shape[0]:
                with gil:
                    self.after = longer(np.asarray(self.after), 2 * number)
            self.after[number] = number
            if steps > 1:
                for i in range((steps - 1) * T):
                    self.curves.text[i] = self.curves.text[i + T]
                self.after[number] = self.curve(steps - 1)
        return number

    cdef int64_t lowered(self, int64_t curve, int64_t by) except -1 nogil:
        """The number of a curve with every gain lowered by ``by``, and none below zero."""
        cdef int64_t start = self.curves.start[curve], i, words = self.curves.start[curve + 1] - start
        for i in range(words):
            self.curves.text[i] = max(0, self.curves.words[start + i] - by)
        return self.curve(words // self.T)

    cdef int judge(self, int s) except -1 nogil:
        """bound[j]: the e[j] from which on way j is of no use.

        largest[j, t], release[j, t]: the most that is lost where the partner of pending j, coming t positions after
        the next or later, stays alone or is let go. The last t stands for all that follow, so there are two at least.
        """
        cdef Py_ssize_t n = self.n[s], T = self.T, j, k, x, steps = 2, t, later
        cdef int64_t at, following = 0, top, most, gain, passed
        self.worth[s] = 0
        for j in range(n):
            at = self.pending[s, j]
            steps = max(steps, (self.curves.start[at + 1] - self.curves.start[at]) // T)
        for j in range(n - 1, -1, -1):
            for t in range(steps - 1, -1, -1):
                later = min(t + 1, steps - 1)
                at = self.row(s, j, t)
                if j + 1 < n:
                    following = self.row(s, j + 1, t)
                top = 0
                most = self.release[j, later] if later > t else 0
                for x in range(T):
                    gain = self.curves.words[at + x]
                    if gain > top:
                        top = gain
                    if j + 1 < n:
                        passed = gain - self.curves.words[following + x] + self.release[j + 1, later]
                        if passed < gain:
                            gain = passed
                    if gain > most:
                        most = gain
                self.largest[j, t] = top
                self.release[j, t] = most
            self.bound[j] = INT64_MAX
        for k in range(1, n + 1):
            for t in range(steps):
                self.lose[t] = self.release[k - 1, t]  # of pendings j+1 .. k-1, none paired before t
            for j in range(k - 1, -1, -1):
                most = self.lose[0]
                if j < k - 1:
                    most = self.largest[j, 0] + self.lose[min(1, steps - 1)]
                    for t in range(1, steps):
                        self.lose[t] = max(self.lose[t], self.largest[j, t] + self.lose[min(t + 1, steps - 1)])
                self.bound[j] = min(self.bound[j], self.e[s, k] + most)
                if k == n:
                    self.worth[s] = max(self.worth[s], most - self.e[s, j])
        return 0

    cdef inline int64_t row(self, int s, Py_ssize_t j, Py_ssize_t t) except -1 nogil:
        """Where in curves.words the gains of pending j at t positions after the next begin."""
        cdef int64_t curve = self.pending[s, j]
        return min(self.curves.start[curve] + t * self.T, self.curves.start[curve + 1] - self.T)

    cdef int drop(self, int s, Py_ssize_t count) except -1 nogil:
        """Forget the oldest."""
        cdef Py_ssize_t j
        self.n[s] -= count
        for j in range(self.n[s]):
            self.pending[s, j] = self.pending[s, j + count]
            self.e[s, j] = self.e[s, j + count]
            self.bound[j] = self.bound[j + count]
        self.e[s, self.n[s]] = 0
        return 0

    cdef int settle(self, int s) except -1 nogil:
        """Bring one side of a frontier into the form that all its equals share."""
        cdef Py_ssize_t j, n = 0
        cdef int64_t excess
        for j in range(self.n[s]):
            if self.pending[s, j] > 0:
                self.pending[s, n] = self.pending[s, j]
                self.e[s, n] = self.e[s, j]
                n += 1
        self.n[s] = n
        self.e[s, n] = 0
        while self.n[s] > 0:
            self.judge(s)
            j = 0
            while j < self.n[s] and self.e[s, j] >= self.bound[j]:
                j += 1
            self.drop(s, j)
            for j in range(1, self.n[s]):
                if self.e[s, j] >= self.bound[j]:
                    self.e[s, j] = self.e[s, j - 1]
            excess = self.e[s, 0] - self.e[s, 1]
            if excess == 0:
                break
            self.pending[s, 0] = self.lowered(self.pending[s, 0], excess)
            self.e[s, 0] = self.e[s, 1]
            if self.pending[s, 0] == 0:
                self.drop(s, 1)
        if self.n[s] == 0:
            self.worth[s] = 0
        return 0

    cdef int open(self, int64_t state) except -1 nogil:
        """Lay out a state for expansion."""
        cdef int64_t at = self.states.start[state]
        cdef Py_ssize_t j
        cdef int s
        self.old_n[0] = self.states.words[at]
        self.old_n[1] = (self.states.start[state + 1] - at - 1) // 2 - self.old_n[0]
        at += 1
        for s in range(2):
            for j in range(self.old_n[s]):
                self.old[s, j] = self.states.words[at]
                self.old_e[s, j] = self.states.words[at + 1]
                at += 2
            self.old_e[s, self.old_n[s]] = 0
        return 0

    cdef int64_t pass_by(self, int side, Py_ssize_t x) except? -1 nogil:
        """One more position, with a boundary x on ``side``, or with none (side -1): what it adds to C."""
        cdef Py_ssize_t j
        cdef int s
        cdef int64_t gain, best
        for s in range(2):
            self.n[s] = self.old_n[s]
            for j in range(self.old_n[s]):
                self.pending[s, j] = self.after[self.old[s, j]]
                self.e[s, j] = self.old_e[s, j]
            self.e[s, self.n[s]] = 0
        if side < 0:
            return 0
        s = 1 - side
        best = self.e[s, 0]
        for j in range(1, self.n[s] + 1):
            gain = self.curves.words[self.curves.start[self.old[s, j - 1]] + x]
            best = min(best, min(self.old_e[s, j], self.old_e[s, j - 1] - gain))
            self.e[s, j] = best
        for j in range(self.n[s]):
            self.e[s, j] -= best
        for j in range(self.n[side] + 1):
            self.e[side, j] -= best
        self.pending[side, self.n[side]] = self.fresh[side, x]
        self.n[side] += 1
        return self.alone[side, x] + best

    cdef int64_t close(self) except -1 nogil:
        """The number of the successor, if it fits."""
        cdef int first = 0, s, k
        cdef Py_ssize_t j, length = 1
        cdef int64_t number, known = self.states.n
        self.settle(0)
        self.settle(1)
        if self.n[0] > MOST or self.n[1] > MOST:
            self.fits = False
            return 0
        if self.mirror:
            first = self.larger()
        self.states.text[0] = self.n[first]
        for k in range(2):
            s = k ^ first
            for j in range(self.n[s]):
                self.states.text[length] = self.pending[s, j]
                self.states.text[length + 1] = self.e[s, j]
                length += 2
        number = self.states.number(length)
        if number == known:
            if self.states.n * self.W > self.next_state.shape[0] or self.states.n > self.promise.shape[0]:
                with gil:
                    self.next_state = longer(np.asarray(self.next_state), 2 * self.states.n * self.W)
                    self.added = longer(np.asarray(self.added), 2 * self.states.n * self.W)
                    self.promise = longer(np.asarray(self.promise), 2 * self.states.n)
            self.promise[number] = max(self.worth[0], self.worth[1])
        return number

    cdef int larger(self) except -1 nogil:
        """The side that goes first where a frontier and its mirror image are one state."""
        cdef Py_ssize_t j
        if self.n[0] != self.n[1]:
            return self.n[1] > self.n[0]
        for j in range(self.n[0]):
            if self.pending[0, j] != self.pending[1, j]:
                return self.pending[1, j] > self.pending[0, j]
            if self.e[0, j] != self.e[1, j]:
                return self.e[1, j] > self.e[0, j]
        return 0


def increments(
    const int32_t[:, ::1] successor not None,
    const double[::1] reward not None,
    const double[::1] probability not None,
    double shared,
    int64_t longest,
    double tolerance,
):
    """The mean reward at position 1, 2, ... of a text, where reward[i] is that of the next position in state i.

    As many as the text is long, or fewer: then every later one is within ``tolerance`` of the last. ``probability`` of
    each column; ``shared`` of a position where both have a boundary.
    """
    cdef Py_ssize_t n = successor.shape[0], W = successor.shape[1], i, column
    cdef int64_t k = 0
    cdef double mean, least, most
    cdef double[::1] u = np.array(reward), v = np.empty(n)
    cdef double[::1] out = np.empty(longest)
    while k < longest:
        out[k] = u[0]
        k += 1
        with nogil:
            least = most = u[0]
            for i in range(n):
                mean = shared * u[0]
                for column in range(W):
                    mean += probability[column] * u[successor[i, column]]
                v[i] = mean
                least = min(least, u[i])
                most = max(most, u[i])
        if most - least <= tolerance:
            break
        u, v = v, u
    return np.array(out[:k])


def visits(
    const int32_t[:, ::1] successor not None,
    const double[::1] probability not None,
    double shared,
    int64_t longest,
    double tolerance,
):
    """The mean number of visits to each state in a text of ``longest`` positions."""
    cdef Py_ssize_t n = successor.shape[0], W = successor.shape[1], i, column
    cdef int64_t k = 0
    cdef double change
    cdef double[::1] now = np.zeros(n), then = np.empty(n), total = np.zeros(n)
    now[0] = 1
    while k < longest:
        k += 1
        with nogil:
            for i in range(n):
                total[i] += now[i]
                then[i] = 0
            then[0] = shared
            for i in range(n):
                if now[i] > 0:
                    for column in range(W):
                        then[successor[i, column]] += probability[column] * now[i]
            change = 0
            for i in range(n):
                change += abs(then[i] - now[i])
        now, then = then, now
        if change <= tolerance:
            break
    return np.asarray(total) + (longest - k) * np.asarray(now)
