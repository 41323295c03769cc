"""The exact mean cost of a random pair of texts under the flexible alignment, for the chance agreement of S_f.

Two texts are drawn position by position. The smallest cost C of aligning the positions so far changes with every position.
The change depends on the past only through the *frontier* of the alignment's table: the gain if a future boundary pairs
with a past one. So C is a sum over the positions of a Markov chain whose states are frontiers. ``Frontier`` finds the
states and their successors, ``increments`` computes the mean change of C at each position.

**The frontier.** Boundaries 0 .. n-1 of one side are *pending*, oldest first: they can still pair with future boundaries of
the other side. Let x be a future boundary, t positions after the next position. Pairing pending j with x saves

    curve[j](t, x) = max(0, deletion + insertion - cost of the pair),

which decreases with t. The past can be aligned in n + 1 ways. In way j the pending boundaries j .. n-1 are free, and all
boundaries before them are settled. In way n everything is settled; this way has the smallest cost. Way j costs e[j] more
than way n. A free boundary may be dropped, so e[0] >= ... >= e[n] = 0. The other side has its own list, with the same way n.
A boundary x on the other side turns e into

    e'[j] = min(e[j], e'[j-1], e[j-1] - curve[j-1](0, x)),    C' = C + cost of x alone + e'[n],    then e' -= e'[n].

On its own side x becomes the youngest pending boundary. It raises every e by -e'[n], the gain that is lost if x waits. A
position that both sides mark is a forced pair: it costs 1 - s[x, y] and leaves the empty frontier.

**Useless ways.** Way j is needed only if it is the only cheapest way in some future. If pending j is not the first to be
paired in that future, way j+1 does the same at no higher cost. So suppose that pending j is the first. Choose k > j and
remove the pending boundaries j .. k-1 from the alignment. The rest is an alignment of way k. It loses the following gains.

1. The partners of j .. k-2 become unpaired. No two partners share a position, so the loss is at most the sum of the largest
   gains of these boundaries at 0, 1, ... positions after the next.
2. The partner of k-1 becomes unpaired too, or pairs with pending k. If pending k had a partner, that partner comes later
   and is released in the same way (``release``).

No pairs cross after these changes. Let lose(j, k) be the largest such loss. Way j is useless if for some k > j

    e[j] >= e[k] + lose(j, k).

Every future cost is the same without it. This is also true if way k is discarded because of a younger way, and so on up to
way n, which is never discarded.

**Equal states.** These rules map more pasts to the same state, and change no future cost.

- Pending boundaries before the oldest remaining way are forgotten, and so are boundaries that cannot gain any more.
- A discarded way between others gets e[j] = e[j-1]. This is equivalent, because way j-1 may drop its boundary.
- The oldest pending boundary can only be the first to be paired, so its gains count only together with e[0]. Way 1 beats a
  gain that does not exceed e[0] - e[1]. So the curve is lowered by this difference, down to zero, and e[0] by as much.

All numbers are whole and nothing is rounded, so equal frontiers are equal strings of numbers. The number of states is not
minimal but close: 2,121 against 2,001 for five types and the identity matrix.

**States that are not expanded.** Such a state is treated as the empty one, which allows fewer alignments. So C can only
become larger, each time by at most the potential of the state, max over j of lose(j, n) - e[j]. The mean of the potential
is computed like the mean of C. It bounds the error if rare states are not expanded.

**Long texts.** Let u_k(i) be the mean change of C at the position k after the next, in state i. u_0 is known, and u_{k+1} is
the mean of u_k over the successors. The mean change at position k+1 of a text is u_k(empty). Every later mean change, from
any state, lies between the smallest and the largest u_k. Once these are equal, the cost of the
rest of the text is this value times the number of remaining positions.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint64_t

import numpy as np

cdef enum:
    MAX_PENDING = 64  # pending boundaries of one side
    MAX_REACH = 64    # positions between the members of a pair; beyond that there are too many states anyway


cdef class Pool:
    """Distinct strings of whole numbers, numbered in order of appearance."""

    cdef int64_t[::1] buffer       # the caller writes the current string here
    cdef int64_t[::1] values      # all strings, end to end
    cdef int64_t[::1] start      # string i is values[start[i]:start[i + 1]]
    cdef int32_t[::1] slot       # hash table with open addressing: the number of a string, or -1
    cdef Py_ssize_t n

    def __cinit__(self, Py_ssize_t max_length):
        self.buffer = np.zeros(max_length, np.int64)
        self.values = np.empty(1 << 12, np.int64)
        self.start = np.zeros(1 << 8, np.int64)
        self.slot = np.full(1 << 9, -1, np.int32)
        self.n = 0

    cdef uint64_t first_slot(self, const int64_t[::1] values, int64_t start, int64_t end) except? 0 nogil:
        """Return the slot at which the search for a string begins."""
        cdef uint64_t h = <uint64_t>0x9E3779B97F4A7C15
        cdef int64_t i
        for i in range(start, end):
            h = (h ^ <uint64_t>values[i]) * <uint64_t>0xBF58476D1CE4E5B9
            h ^= h >> 29
        return h & <uint64_t>(self.slot.shape[0] - 1)

    cdef int64_t number(self, Py_ssize_t length) except -1 nogil:
        """Return the number of the string buffer[:length]; a new string gets the next number."""
        cdef uint64_t at = self.first_slot(self.buffer, 0, length), mask = self.slot.shape[0] - 1
        cdef int64_t i, k, start
        while True:
            i = self.slot[at]
            if i < 0:
                break
            start = self.start[i]
            if self.start[i + 1] - start == length:
                k = 0
                while k < length and self.values[start + k] == self.buffer[k]:
                    k += 1
                if k == length:
                    return i
            at = (at + 1) & mask
        start = self.start[self.n]
        if start + length > self.values.shape[0] or self.n + 2 > self.start.shape[0] or 2 * self.n > self.slot.shape[0]:
            with gil:
                self.grow(start + length)
            return self.number(length)
        for k in range(length):
            self.values[start + k] = self.buffer[k]
        self.slot[at] = <int32_t>self.n
        self.n += 1
        self.start[self.n] = start + length
        return self.n - 1

    cdef int grow(self, int64_t values) except -1:
        cdef uint64_t at, mask
        cdef int64_t i
        if values > self.values.shape[0]:
            self.values = enlarged(np.asarray(self.values), 2 * values)
        if self.n + 2 > self.start.shape[0]:
            self.start = enlarged(np.asarray(self.start), 2 * self.start.shape[0])
        if 2 * self.n > self.slot.shape[0]:
            self.slot = np.full(4 * self.slot.shape[0], -1, np.int32)
            mask = self.slot.shape[0] - 1
            for i in range(self.n):
                at = self.first_slot(self.values, self.start[i], self.start[i + 1])
                while self.slot[at] >= 0:
                    at = (at + 1) & mask
                self.slot[at] = <int32_t>i
        return 0


cdef object enlarged(object array, Py_ssize_t size):
    """Return an array of at least this size with the same entries."""
    if size <= len(array):
        return array
    new = np.empty(size, array.dtype)
    new[:len(array)] = array
    return new


cdef class Frontier:
    """The states so far and their successors. Side 0 is a, side 1 is b; state 0 is empty.

    A pair x, y saves gain[x, y] - move[x, y] * distance; alone[0, x] and alone[1, y] are the costs without it. A position
    that is not shared has no boundary (column 0), or a boundary of type kind[i] on side[i] (column i + 1). ``max_length`` is
    the number of positions of the longest text. With ``mirror`` both sides have the same distribution, so that a frontier
    and its mirror image are one state.
    """

    cdef Pool curves, states
    cdef Py_ssize_t T, W, expanded
    cdef bint mirror
    cdef readonly bint fits                 # False if pairs reach too far, or a state has too many pending boundaries
    cdef const int64_t[::1] side, kind
    cdef const int64_t[:, ::1] alone
    cdef int32_t[::1] next_state            # [state * W + column]
    cdef double[::1] added                  # [state * W + column]: change of C
    cdef double[::1] state_potential                # [state]: largest gain in any future from either side
    cdef int64_t[:, ::1] fresh              # [side, type]: curve of a boundary at the last position
    cdef int64_t[::1] after                 # [curve]: the curve one position later
    cdef int64_t[:, ::1] source_pending, source_e         # [side, j]: the state that is being expanded
    cdef int64_t[:, ::1] pending, e         # [side, j]: its successor
    cdef Py_ssize_t source_n[2]
    cdef Py_ssize_t n[2]
    cdef int64_t side_potential[2]                   # largest gain in any future from one side
    cdef int64_t[:, ::1] largest, release   # [j, t]: see compute_bounds
    cdef int64_t[::1] lose, bound

    def __init__(
        self,
        const int64_t[:, ::1] gain not None,
        const int64_t[:, ::1] move not None,
        const int64_t[:, ::1] alone not None,
        const int64_t[::1] side not None,
        const int64_t[::1] kind not None,
        int64_t max_length,
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
        reach = min(reach, max_length)
        self.fits = reach <= MAX_REACH
        reach = min(reach, MAX_REACH)
        self.T, self.W = T, kind.shape[0] + 1
        self.side, self.kind, self.alone, self.mirror = side, kind, alone, mirror
        self.expanded = 0
        self.curves = Pool((reach + 1) * T)
        self.states = Pool(4 * MAX_PENDING + 1)
        self.next_state = np.empty(1 << 10, np.int32)
        self.added = np.empty(1 << 10)
        self.state_potential = np.empty(1 << 8)
        self.fresh = np.zeros((2, T), np.int64)
        self.after = np.zeros(1 << 8, np.int64)
        self.source_pending, self.source_e, self.pending, self.e = np.zeros((4, 2, MAX_PENDING + 2), np.int64)
        self.largest, self.release = np.zeros((2, MAX_PENDING + 1, reach + 2), np.int64)
        self.lose, self.bound = np.zeros((2, max(reach, MAX_PENDING) + 2), np.int64)
        self.curve(1)  # number 0: the curve without any gain
        for s in range(2):
            for x in range(T):
                for t in range(reach + 1):
                    for y in range(T):
                        saved = 0
                        if present[1 - s, y]:
                            saved = gain[x, y] - (t + 1) * move[x, y] if s == 0 else gain[y, x] - (t + 1) * move[y, x]
                        self.curves.buffer[t * T + y] = max(0, saved)
                self.fresh[s, x] = self.curve(reach + 1)
        self.n[0] = self.n[1] = 0
        self.store_state()  # state 0: nothing is pending

    def __len__(self):
        return self.states.n

    @property
    def successor(self):
        """[state, column]: the next state; a state that has not been expanded has the successors of state 0."""
        return np.asarray(self.next_state)[:self.states.n * self.W].reshape(-1, self.W)

    @property
    def cost(self):
        """[state, column]: the change of C; a state that has not been expanded has the changes of state 0."""
        return np.asarray(self.added)[:self.states.n * self.W].reshape(-1, self.W)

    @property
    def potential(self):
        """[state]: the largest increase of C if the state is dropped."""
        return np.asarray(self.state_potential)[:self.states.n]

    def expand(self, const int64_t[::1] which not None, int64_t max_states):
        """Find the successors of some states; the first call must begin with state 0. Stop after ``max_states`` states."""
        cdef Py_ssize_t at = 0, column, i, k, before = self.states.n if self.expanded else 0
        cdef int64_t state
        self.expanded += which.shape[0]
        with nogil:
            while at < which.shape[0] and self.fits and self.states.n <= max_states:
                state = which[at]
                self.load_state(state)
                for column in range(self.W):
                    i = state * self.W + column
                    if column == 0:
                        self.added[i] = self.advance(-1, 0)
                    else:
                        self.added[i] = self.advance(<int>self.side[column - 1], self.kind[column - 1])
                    self.next_state[i] = <int32_t>self.store_state()
                at += 1
            for i in range(max(1, before), self.states.n):
                for k in range(self.W):
                    self.next_state[i * self.W + k] = self.next_state[k]
                    self.added[i * self.W + k] = self.added[k]

    cdef int64_t curve(self, Py_ssize_t steps) except -1 nogil:
        """Return the number of the curve in curves.buffer; its last step continues without end."""
        cdef Py_ssize_t T = self.T, i
        cdef int64_t number, count_before = self.curves.n
        cdef bint constant = True
        while steps > 1 and constant:
            for i in range((steps - 1) * T, steps * T):
                constant = constant and self.curves.buffer[i] == self.curves.buffer[i - T]
            steps -= constant
        number = self.curves.number(steps * T)
        if number == count_before:
            if number == self.after.shape[0]:
                with gil:
                    self.after = enlarged(np.asarray(self.after), 2 * number)
            self.after[number] = number
            if steps > 1:
                for i in range((steps - 1) * T):
                    self.curves.buffer[i] = self.curves.buffer[i + T]
                self.after[number] = self.curve(steps - 1)
        return number

    cdef int64_t lower_curve(self, int64_t curve, int64_t by) except -1 nogil:
        """Return the number of the curve with every gain lowered by ``by``, down to zero."""
        cdef int64_t start = self.curves.start[curve], i, values = self.curves.start[curve + 1] - start
        for i in range(values):
            self.curves.buffer[i] = max(0, self.curves.values[start + i] - by)
        return self.curve(values // self.T)

    cdef int compute_bounds(self, int s) except -1 nogil:
        """Compute bound[j], the value of e[j] from which on way j is useless.

        largest[j, t] and release[j, t] are the largest losses if the partner of pending j, which comes t positions after the
        next or later, becomes unpaired or is released. The last t represents all later ones, so there are at least two.
        """
        cdef Py_ssize_t n = self.n[s], T = self.T, j, k, x, steps = 2, t, later
        cdef int64_t at, following = 0, largest_gain, largest_loss, gain, passed_on
        self.side_potential[s] = 0
        for j in range(n):
            at = self.pending[s, j]
            steps = max(steps, (self.curves.start[at + 1] - self.curves.start[at]) // T)
        for j in range(n - 1, -1, -1):
            for t in range(steps - 1, -1, -1):
                later = min(t + 1, steps - 1)
                at = self.row(s, j, t)
                if j + 1 < n:
                    following = self.row(s, j + 1, t)
                largest_gain = 0
                largest_loss = self.release[j, later] if later > t else 0
                for x in range(T):
                    gain = self.curves.values[at + x]
                    if gain > largest_gain:
                        largest_gain = gain
                    if j + 1 < n:
                        passed_on = gain - self.curves.values[following + x] + self.release[j + 1, later]
                        if passed_on < gain:
                            gain = passed_on
                    if gain > largest_loss:
                        largest_loss = gain
                self.largest[j, t] = largest_gain
                self.release[j, t] = largest_loss
            self.bound[j] = INT64_MAX
        for k in range(1, n + 1):
            for t in range(steps):
                self.lose[t] = self.release[k - 1, t]  # of pending j+1 .. k-1, none paired before t
            for j in range(k - 1, -1, -1):
                largest_loss = self.lose[0]
                if j < k - 1:
                    largest_loss = self.largest[j, 0] + self.lose[min(1, steps - 1)]
                    for t in range(1, steps):
                        self.lose[t] = max(self.lose[t], self.largest[j, t] + self.lose[min(t + 1, steps - 1)])
                self.bound[j] = min(self.bound[j], self.e[s, k] + largest_loss)
                if k == n:
                    self.side_potential[s] = max(self.side_potential[s], largest_loss - self.e[s, j])
        return 0

    cdef inline int64_t row(self, int s, Py_ssize_t j, Py_ssize_t t) except -1 nogil:
        """Return the index in curves.values of the first gain of pending j at t positions after the next."""
        cdef int64_t curve = self.pending[s, j]
        return min(self.curves.start[curve] + t * self.T, self.curves.start[curve + 1] - self.T)

    cdef int drop(self, int s, Py_ssize_t count) except -1 nogil:
        """Drop the oldest pending boundaries."""
        cdef Py_ssize_t j
        self.n[s] -= count
        for j in range(self.n[s]):
            self.pending[s, j] = self.pending[s, j + count]
            self.e[s, j] = self.e[s, j + count]
            self.bound[j] = self.bound[j + count]
        self.e[s, self.n[s]] = 0
        return 0

    cdef int normalize(self, int s) except -1 nogil:
        """Bring one side of a frontier into its canonical form."""
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
            self.compute_bounds(s)
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
            self.pending[s, 0] = self.lower_curve(self.pending[s, 0], excess)
            self.e[s, 0] = self.e[s, 1]
            if self.pending[s, 0] == 0:
                self.drop(s, 1)
        if self.n[s] == 0:
            self.side_potential[s] = 0
        return 0

    cdef int load_state(self, int64_t state) except -1 nogil:
        """Load a state for expansion."""
        cdef int64_t at = self.states.start[state]
        cdef Py_ssize_t j
        cdef int s
        self.source_n[0] = self.states.values[at]
        self.source_n[1] = (self.states.start[state + 1] - at - 1) // 2 - self.source_n[0]
        at += 1
        for s in range(2):
            for j in range(self.source_n[s]):
                self.source_pending[s, j] = self.states.values[at]
                self.source_e[s, j] = self.states.values[at + 1]
                at += 2
            self.source_e[s, self.source_n[s]] = 0
        return 0

    cdef int64_t advance(self, int side, Py_ssize_t x) except? -1 nogil:
        """Add a position with a boundary x on ``side``, or without one (side -1); return the change of C."""
        cdef Py_ssize_t j
        cdef int s
        cdef int64_t gain, best
        for s in range(2):
            self.n[s] = self.source_n[s]
            for j in range(self.source_n[s]):
                self.pending[s, j] = self.after[self.source_pending[s, j]]
                self.e[s, j] = self.source_e[s, j]
            self.e[s, self.n[s]] = 0
        if side < 0:
            return 0
        s = 1 - side
        best = self.e[s, 0]
        for j in range(1, self.n[s] + 1):
            gain = self.curves.values[self.curves.start[self.source_pending[s, j - 1]] + x]
            best = min(best, min(self.source_e[s, j], self.source_e[s, j - 1] - gain))
            self.e[s, j] = best
        for j in range(self.n[s]):
            self.e[s, j] -= best
        for j in range(self.n[side] + 1):
            self.e[side, j] -= best
        self.pending[side, self.n[side]] = self.fresh[side, x]
        self.n[side] += 1
        return self.alone[side, x] + best

    cdef int64_t store_state(self) except -1 nogil:
        """Store the successor and return its number; set ``fits`` to False if it has too many pending boundaries."""
        cdef int first = 0, s, k
        cdef Py_ssize_t j, length = 1
        cdef int64_t number, count_before = self.states.n
        self.normalize(0)
        self.normalize(1)
        if self.n[0] > MAX_PENDING or self.n[1] > MAX_PENDING:
            self.fits = False
            return 0
        if self.mirror:
            first = self.first_side()
        self.states.buffer[0] = self.n[first]
        for k in range(2):
            s = k ^ first
            for j in range(self.n[s]):
                self.states.buffer[length] = self.pending[s, j]
                self.states.buffer[length + 1] = self.e[s, j]
                length += 2
        number = self.states.number(length)
        if number == count_before:
            if self.states.n * self.W > self.next_state.shape[0] or self.states.n > self.state_potential.shape[0]:
                with gil:
                    self.next_state = enlarged(np.asarray(self.next_state), 2 * self.states.n * self.W)
                    self.added = enlarged(np.asarray(self.added), 2 * self.states.n * self.W)
                    self.state_potential = enlarged(np.asarray(self.state_potential), 2 * self.states.n)
            self.state_potential[number] = max(self.side_potential[0], self.side_potential[1])
        return number

    cdef int first_side(self) except -1 nogil:
        """Return the side that comes first if a frontier and its mirror image are one state."""
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
    int64_t max_length,
    double tolerance,
):
    """Return the mean reward at positions 1, 2, ... of a text; reward[i] is the reward of the next position in state i.

    The result may be shorter than the text. Then every later mean is within ``tolerance`` of the last one. ``probability``
    contains the probability of each column, and ``shared`` is the probability that both sides have a boundary at a position.
    """
    cdef Py_ssize_t n = successor.shape[0], W = successor.shape[1], i, column
    cdef int64_t k = 0
    cdef double mean, smallest, largest
    cdef double[::1] u = np.array(reward), v = np.empty(n)
    cdef double[::1] out = np.empty(max_length)
    while k < max_length:
        out[k] = u[0]
        k += 1
        with nogil:
            smallest = largest = u[0]
            for i in range(n):
                mean = shared * u[0]
                for column in range(W):
                    mean += probability[column] * u[successor[i, column]]
                v[i] = mean
                smallest = min(smallest, u[i])
                largest = max(largest, u[i])
        if largest - smallest <= tolerance:
            break
        u, v = v, u
    return np.array(out[:k])


def visits(
    const int32_t[:, ::1] successor not None,
    const double[::1] probability not None,
    double shared,
    int64_t max_length,
    double tolerance,
):
    """Return the mean number of visits to each state in a text of ``max_length`` positions."""
    cdef Py_ssize_t n = successor.shape[0], W = successor.shape[1], i, column
    cdef int64_t k = 0
    cdef double change
    cdef double[::1] current = np.zeros(n), following = np.empty(n), total = np.zeros(n)
    current[0] = 1
    while k < max_length:
        k += 1
        with nogil:
            for i in range(n):
                total[i] += current[i]
                following[i] = 0
            following[0] = shared
            for i in range(n):
                if current[i] > 0:
                    for column in range(W):
                        following[successor[i, column]] += probability[column] * current[i]
            change = 0
            for i in range(n):
                change += abs(following[i] - current[i])
        current, following = following, current
        if change <= tolerance:
            break
    return np.asarray(total) + (max_length - k) * np.asarray(current)
