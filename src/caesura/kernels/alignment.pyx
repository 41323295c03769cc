"""The cheapest set of tuples that contains every unit once, by dynamic programming over a frontier.

Units have an order. The first unit that is not yet covered must be the first unit of the next tuple, so an alignment is a
sequence of decisions, one per such unit. What matters for the rest is only which later units are already covered: a set of
bits, one per unit, on a ring that is as long as the widest tuple. Sequences that reach the same set are merged.

**Order among equal costs.** Of two sequences whose costs differ by at most TOLERANCE, the better has fewer tuples, then the
smaller category cost, then the smaller tuple at the first decision at which they differ. ``ties`` says whether another
sequence with the same cost was met.

**Identical units** of one annotator (twins) are interchangeable: a tuple may use a unit only after its previous twin.

**Pruning.** The costs are reduced costs, none of which is negative. ``limit`` is the difference between the cost of a known
alignment and the lower bound; a sequence above it is no part of a best alignment. ``beam`` keeps the cheapest sequences of
every step only; the answer is then an alignment, but perhaps not the cheapest one.

**Samples.** The units may belong to several samples, one after the other, which share no tuple. Each is solved for itself; one
call for many small samples saves most of the time.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy as np

cdef int64_t TOLERANCE = 1024  # quanta of kernels/unitary.pyx: about 1e-9 delta_empty

cdef int64_t MAX_NODES = 10_000_000
cdef int64_t OFFER = 8  # work of a tuple that fits, in comparison to one that does not


cdef struct State:
    int64_t cost
    int64_t category
    int32_t tuples
    int32_t node  # last decision; -1 before the first
    int32_t paths  # number of sequences with this cost, at most 2


cdef class Layer:
    """States before one unit, and a table that finds them by their set."""

    cdef State* state
    cdef uint64_t* covered
    cdef int32_t* slot
    cdef int64_t size, capacity, slots, words

    def __cinit__(self, int64_t words):
        self.words = words
        self.slots = 64
        self.slot = <int32_t*>malloc(self.slots * sizeof(int32_t))
        if self.slot == NULL:
            raise MemoryError
        memset(self.slot, 255, self.slots * sizeof(int32_t))

    def __dealloc__(self):
        free(self.state)
        free(self.covered)
        free(self.slot)

    cdef void clear(self) noexcept nogil:
        self.size = 0
        memset(self.slot, 255, self.slots * sizeof(int32_t))

    cdef int reset(self) except -1 nogil:
        """Remove all states, and the slots that a large sample left."""
        self.size = 0
        return self.rebuild(min(self.slots, 1024))

    cdef void exchange(self, Layer other) noexcept nogil:
        """Exchange the contents of two layers."""
        self.state, other.state = other.state, self.state
        self.covered, other.covered = other.covered, self.covered
        self.slot, other.slot = other.slot, self.slot
        self.size, other.size = other.size, self.size
        self.capacity, other.capacity = other.capacity, self.capacity
        self.slots, other.slots = other.slots, self.slots

    cdef inline uint64_t place(self, const uint64_t* covered) noexcept nogil:
        cdef uint64_t h = 0
        cdef int64_t w
        for w in range(self.words):
            h = (h ^ covered[w]) * <uint64_t>0x9E3779B97F4A7C15
            h ^= h >> 29
        h *= <uint64_t>0xBF58476D1CE4E5B9
        return (h ^ (h >> 32)) & <uint64_t>(self.slots - 1)

    cdef inline bint same(self, int64_t s, const uint64_t* covered) noexcept nogil:
        cdef int64_t w
        for w in range(self.words):
            if self.covered[s * self.words + w] != covered[w]:
                return False
        return True

    cdef int rebuild(self, int64_t slots) except -1 nogil:
        """Give the table this number of slots and enter all states again."""
        cdef int64_t s
        cdef uint64_t h
        cdef void* block
        if slots != self.slots:
            block = realloc(self.slot, slots * sizeof(int32_t))
            if block == NULL:
                with gil:
                    raise MemoryError
            self.slot = <int32_t*>block
            self.slots = slots
        memset(self.slot, 255, self.slots * sizeof(int32_t))
        for s in range(self.size):
            h = self.place(&self.covered[s * self.words])
            while self.slot[h] >= 0:
                h = (h + 1) & <uint64_t>(self.slots - 1)
            self.slot[h] = <int32_t>s
        return 0

    cdef int64_t find(self, const uint64_t* covered) except -2 nogil:
        """Return the index of the state with this set; a new one has the cost INT64_MAX."""
        cdef uint64_t h
        cdef int64_t capacity
        cdef void* block
        if 2 * self.size >= self.slots:
            self.rebuild(4 * self.slots)
        h = self.place(covered)
        while self.slot[h] >= 0:
            if self.same(self.slot[h], covered):
                return self.slot[h]
            h = (h + 1) & <uint64_t>(self.slots - 1)
        if self.size == self.capacity:
            capacity = max(2 * self.capacity, 64)
            block = realloc(self.state, capacity * sizeof(State))
            if block != NULL:
                self.state = <State*>block
                block = realloc(self.covered, capacity * self.words * sizeof(uint64_t))
            if block == NULL:
                with gil:
                    raise MemoryError
            self.covered = <uint64_t*>block
            self.capacity = capacity
        self.slot[h] = <int32_t>self.size
        memcpy(&self.covered[self.size * self.words], covered, self.words * sizeof(uint64_t))
        self.state[self.size].cost = INT64_MAX
        self.size += 1
        return self.size - 1

    cdef int keep_cheapest(self, int64_t beam) except -1 nogil:
        """Keep ``beam`` states with the smallest costs, in their order."""
        cdef int64_t* costs = <int64_t*>malloc(self.size * sizeof(int64_t))
        cdef int64_t s, kept = 0, below = 0, border
        if costs == NULL:
            with gil:
                raise MemoryError
        for s in range(self.size):
            costs[s] = self.state[s].cost
        border = nth_smallest(costs, self.size, beam - 1)
        free(costs)
        for s in range(self.size):
            below += self.state[s].cost < border
        for s in range(self.size):
            if self.state[s].cost > border:
                continue
            if self.state[s].cost == border:
                if below == beam:
                    continue
                below += 1
            self.state[kept] = self.state[s]
            memcpy(&self.covered[kept * self.words], &self.covered[s * self.words], self.words * sizeof(uint64_t))
            kept += 1
        self.size = kept
        return 0


cdef int64_t nth_smallest(int64_t* values, int64_t size, int64_t n) noexcept nogil:
    """Return the value at index n of the sorted values, which change places."""
    cdef int64_t low = 0, high = size - 1, i, j, pivot, held
    while low < high:
        pivot = values[low + (high - low) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                held = values[i]
                values[i] = values[j]
                values[j] = held
                i += 1
                j -= 1
        if n <= j:
            high = j
        elif n >= i:
            low = i
        else:
            break
    return values[n]


cdef class Frontier:
    """The tuples as bits, the decisions, and the layers before the present unit and after it."""

    cdef int64_t N, tuples, words, nodes, capacity, work
    cdef const int64_t[::1] begin, cost, category
    cdef const int32_t[::1] members, twin
    cdef int64_t[::1] order  # tuples by first unit, then by cost
    cdef uint64_t[::1] units  # per tuple, its units on the ring
    cdef uint64_t[::1] needs  # per tuple, earlier twins of its units that must be covered
    cdef int32_t* parent
    cdef int32_t* choice
    cdef Layer now, following

    def __cinit__(self, int64_t N, begin, members, cost, category, twin):
        cdef int64_t t, k, i, j, widest = 1
        self.N = N
        self.begin, self.members, self.cost, self.category, self.twin = begin, members, cost, category, twin
        self.tuples = cost.shape[0]
        for t in range(self.tuples):
            widest = max(widest, self.members[self.begin[t + 1] - 1] - self.members[self.begin[t]] + 1)
        self.words = (widest + 64) // 64
        self.units = np.zeros(self.tuples * self.words, np.uint64)
        self.needs = np.zeros(self.tuples * self.words, np.uint64)
        for t in range(self.tuples):
            i = self.members[self.begin[t]]
            for k in range(self.begin[t], self.begin[t + 1]):
                j = self.members[k]
                self.set_bit(&self.units[t * self.words], j)
                if self.twin[j] > i:
                    self.set_bit(&self.needs[t * self.words], self.twin[j])
        self.order = np.arange(self.tuples)
        i = 0
        for t in range(1, self.tuples + 1):
            if t == self.tuples or self.members[self.begin[t]] != self.members[self.begin[i]]:
                self.sort_by_cost(i, t)
                i = t
        self.now, self.following = Layer(self.words), Layer(self.words)

    def __dealloc__(self):
        free(self.parent)
        free(self.choice)

    cdef void sort_by_cost(self, int64_t first, int64_t last) noexcept nogil:
        """Sort order[first:last] by cost, then by number (Shell sort; most of these parts are short)."""
        cdef int64_t gap = 1, k, at, t
        while gap < (last - first) // 3:
            gap = 3 * gap + 1
        while gap > 0:
            for k in range(first + gap, last):
                t, at = self.order[k], k
                while at >= first + gap and self.follows(self.order[at - gap], t):
                    self.order[at] = self.order[at - gap]
                    at -= gap
                self.order[at] = t
            gap //= 3

    cdef inline bint follows(self, int64_t a, int64_t b) noexcept nogil:
        return self.cost[a] > self.cost[b] or (self.cost[a] == self.cost[b] and a > b)

    cdef inline void set_bit(self, uint64_t* words, int64_t unit) noexcept nogil:
        unit %= 64 * self.words
        words[unit // 64] |= <uint64_t>1 << (unit % 64)

    cdef int64_t add_node(self, int32_t parent, int64_t t) except -2 nogil:
        cdef int64_t capacity
        cdef void* block
        if self.nodes == self.capacity:
            capacity = max(2 * self.capacity, 1024)
            block = realloc(self.parent, capacity * sizeof(int32_t))
            if block != NULL:
                self.parent = <int32_t*>block
                block = realloc(self.choice, capacity * sizeof(int32_t))
            if block == NULL:
                with gil:
                    raise MemoryError
            self.choice = <int32_t*>block
            self.capacity = capacity
        self.parent[self.nodes] = parent
        self.choice[self.nodes] = <int32_t>t
        self.nodes += 1
        return self.nodes - 1

    cdef inline int64_t first_unit(self, int64_t node) noexcept nogil:
        return self.members[self.begin[self.choice[node]]] if node >= 0 else -1

    cdef bint precedes(self, int64_t a, int64_t t, int64_t b) noexcept nogil:
        """Return whether node a followed by tuple t (-1: by nothing) has the smaller tuple at the first difference from b."""
        cdef int64_t from_a = t, from_b = -1, unit_a, unit_b
        if t >= 0:
            unit_a, unit_b = self.members[self.begin[t]], self.first_unit(b)
            if unit_a == unit_b:
                from_b = self.choice[b]
                b = self.parent[b]
        while a != b:
            unit_a, unit_b = self.first_unit(a), self.first_unit(b)
            if unit_a >= unit_b:
                from_a = self.choice[a]
                a = self.parent[a]
            if unit_b >= unit_a:
                from_b = self.choice[b]
                b = self.parent[b]
        return from_a < from_b

    cdef int offer(self, State* source, int64_t t, const uint64_t* covered) except -1 nogil:
        """Enter the state ``source`` followed by tuple t (-1: by nothing) into the following layer."""
        cdef int64_t cost = source.cost, category = source.category, index
        cdef int32_t tuples = source.tuples
        cdef State* target
        cdef bint better
        if t >= 0:
            cost += self.cost[t]
            category += self.category[t]
            tuples += 1
        self.work += OFFER
        index = self.following.find(covered)
        target = &self.following.state[index]
        if target.cost != INT64_MAX and cost > target.cost + TOLERANCE:
            return 0
        if target.cost == INT64_MAX or cost < target.cost - TOLERANCE:
            better = True
            target.paths = source.paths
        else:
            target.paths = 2
            if tuples != target.tuples:
                better = tuples < target.tuples
            elif category < target.category - TOLERANCE or category > target.category + TOLERANCE:
                better = category < target.category
            else:
                better = self.precedes(source.node, t, target.node)
        if better:
            target.cost, target.category, target.tuples = cost, category, tuples
            target.node = <int32_t>(source.node if t < 0 else self.add_node(source.node, t))
        return 0

    cdef int advance(
        self, int64_t unit, int64_t first, int64_t last, int64_t limit, int64_t max_work, uint64_t* covered
    ) except -1 nogil:
        """Fill the following layer by covering ``unit`` with one of the tuples order[first:last], the cheapest first."""
        cdef int64_t place = unit % (64 * self.words), word = place // 64, s, k, t, w
        cdef uint64_t bit = <uint64_t>1 << (place % 64)
        cdef const uint64_t* held
        cdef const uint64_t* units
        cdef const uint64_t* needs
        cdef bint fits
        self.following.clear()
        for s in range(self.now.size):
            if self.work > max_work:  # the caller gives up
                return 0
            held = &self.now.covered[s * self.words]
            if held[word] & bit:
                memcpy(covered, held, self.words * sizeof(uint64_t))
                covered[word] &= ~bit
                self.offer(&self.now.state[s], -1, covered)
                continue
            for k in range(first, last):
                t = self.order[k]
                self.work += 1
                if self.now.state[s].cost + self.cost[t] > limit:
                    break
                units, needs = &self.units[t * self.words], &self.needs[t * self.words]
                fits = True
                for w in range(self.words):
                    if held[w] & units[w] or needs[w] & ~held[w]:
                        fits = False
                        break
                if not fits:
                    continue
                for w in range(self.words):
                    covered[w] = held[w] | units[w]
                covered[word] &= ~bit
                self.offer(&self.now.state[s], t, covered)
        return 0

    cdef int restart(self, const uint64_t* empty) except -1 nogil:
        """Begin with the first unit of a sample."""
        cdef int64_t index
        self.nodes = self.work = 0
        self.now.reset()
        self.following.reset()
        index = self.now.find(empty)
        self.now.state[index] = State(0, 0, 0, -1, 1)
        return 0

    cdef int64_t write_solution(self, int64_t* chosen) noexcept nogil:
        """Write the tuples of the only state of the last layer, in ascending order; return their number."""
        cdef int64_t size = self.now.state[0].tuples, node = self.now.state[0].node, k
        for k in range(size - 1, -1, -1):
            chosen[k] = self.choice[node]
            node = self.parent[node]
        return size


cdef class Solved:
    """The best alignment of each sample, as written by :func:`cheapest_alignment`."""

    cdef int64_t[::1] chosen, first, cost, work
    cdef uint8_t[::1] solved, ties, truncated

    def __cinit__(self, int64_t N, int64_t samples):
        self.chosen = np.empty(N, np.int64)
        self.first, self.cost = np.zeros(samples + 1, np.int64), np.zeros(samples, np.int64)
        self.work = np.zeros(samples, np.int64)
        self.solved = np.zeros(samples, np.uint8)
        self.ties = np.zeros(samples, np.uint8)
        self.truncated = np.zeros(samples, np.uint8)

    def arrays(self):
        first = np.asarray(self.first)
        solved, ties, truncated = np.asarray(self.solved), np.asarray(self.ties), np.asarray(self.truncated)
        flags = [flag.view(np.bool_) for flag in (solved, ties, truncated)]
        return np.asarray(self.chosen)[:first[-1]], first, np.asarray(self.cost), *flags, np.asarray(self.work)


def cheapest_alignment(
    const int64_t[::1] offset not None,
    const int64_t[::1] begin not None,
    const int32_t[::1] members not None,
    const int64_t[::1] reduced not None,
    const int64_t[::1] category not None,
    const int32_t[::1] twin not None,
    const int64_t[::1] limit not None,
    int64_t beam,
    int64_t max_states,
    int64_t max_work,
):
    """Return (tuples, first, cost, solved, ties, truncated, work); the last five have one entry per sample.

    Sample s has the tuples tuples[first[s]:first[s + 1]], whose reduced costs sum to cost[s]. ``solved`` is False, and there are
    no tuples, if the search gave up. ``work`` is the number of tuples tried; one that
    fits counts more.

    Parameters
    ----------
    offset : ndarray
        Sample s has the units offset[s]:offset[s + 1].
    begin, members : ndarray
        Tuple t has the units members[begin[t]:begin[t + 1]], ascending; tuples are in lexicographic order.
    reduced, category : ndarray
        Reduced cost and category cost of every tuple.
    twin : ndarray
        Previous identical unit of the same annotator, or -1.
    limit : ndarray
        For each sample, the largest reduced cost of an alignment that is of interest; -1 for any, -2 to leave the sample out.
    beam : int
        Number of states that are kept per unit.
    max_states : int
        Number of states per unit above which the search gives up.
    max_work : int
        Work above which the search gives up.
    """
    cdef int64_t samples = offset.shape[0] - 1, N = offset[samples]
    cdef Frontier frontier = Frontier(N, begin, members, reduced, category, twin)
    cdef uint64_t[::1] covered = np.zeros(frontier.words, np.uint64), empty = np.zeros(frontier.words, np.uint64)
    cdef Solved result = Solved(N, samples)
    cdef int64_t s, unit, t = 0, first, largest, size = 0
    cdef bint exhausted
    with nogil:
        for s in range(samples):
            frontier.restart(&empty[0])
            largest, exhausted = INT64_MAX if limit[s] < 0 else limit[s] + TOLERANCE, limit[s] == -2
            for unit in range(offset[s], offset[s + 1]):
                first = t
                while t < frontier.tuples and frontier.members[frontier.begin[t]] == unit:
                    t += 1
                if exhausted:
                    continue
                frontier.advance(unit, first, t, largest, max_work, &covered[0])
                if frontier.following.size > beam:
                    frontier.following.keep_cheapest(beam)
                    result.truncated[s] = True
                frontier.now.exchange(frontier.following)
                exhausted = frontier.work > max_work or frontier.nodes > MAX_NODES or frontier.now.size == 0
                exhausted = exhausted or frontier.now.size > max_states
            if not exhausted:
                size += frontier.write_solution(&result.chosen[size]) if offset[s + 1] > offset[s] else 0
                result.solved[s], result.ties[s] = True, frontier.now.state[0].paths > 1
                result.cost[s] = frontier.now.state[0].cost
            result.first[s + 1] = size
            result.work[s] = frontier.work
    return result.arrays()
