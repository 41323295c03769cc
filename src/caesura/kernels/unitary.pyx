"""Unitary alignments that may be part of a best alignment, and a lower bound on its cost (Mathet et al. 2015).

A unitary alignment ("tuple" below) has at most one unit of each of n annotators. With d in multiples of delta_empty and
C2 = n (n - 1) / 2, a tuple S costs ::

    c(S) = C2 + sum over the pairs of S of (d - 1)

in multiples of delta_empty / C2. All costs are whole numbers of quanta, 2^40 to a delta_empty, so that sums do not depend on
the order of the units and equal costs stay equal up to a few quanta.

**Enumeration.** If S = A + B costs more than A and B apart, S is not needed. So for every division of S into A and B ::

    sum over the pairs between A and B of d  <=  C2 + |A| |B|

A part P of S obeys the same rule with |A| (n - |A|) in place of |A| |B|, because S has at most n units. The search grows tuples
unit by unit, in the order of the units' middles, and leaves a branch as soon as a division of P breaks the rule. ``within[P]``
is the sum of d over the pairs inside a subset, from which the sum between A and B is within[A + B] - within[A] - within[B].

**Lower bound.** Let y be any price per unit. Every alignment costs at least ::

    sum over units of y  +  sum over tuples of min(0, c(S) - sum over the units of S of y)

For one unit, this is largest at every y between the two smallest reduced costs of the tuples that contain the unit. Setting
y to the middle, unit after unit, raises the bound (Wedelin 1995). A last round sets y to the smaller end, after which no
reduced cost is negative and the bound is the sum of y.

**Samples.** The units may belong to several samples, one after the other. Units of different samples never meet, so the samples
have the same tuples and prices as alone; one call for many small samples saves most of the time.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc

import numpy as np

QUANTUM = 1 << 40
cdef int64_t Q = 1 << 40
cdef int64_t MOST = 1_000_000  # tuples of any sample, unless more are allowed for all samples
cdef int SUBSETS = 10  # tuples with more units are checked against the removal of single units only


cdef struct Units:
    const double* start
    const double* end
    const int32_t* category
    const int32_t* annotator
    const double* distance  # categories x categories
    int64_t categories  # 0 without a matrix
    double alpha
    double beta
    double limit  # pairs with a larger d never meet


cdef inline double position_part(Units* units, int64_t i, int64_t j) noexcept nogil:
    """Return d_pos / delta_empty; -1 stands for infinity."""
    cdef double moved = fabs(units.start[i] - units.start[j]) + fabs(units.end[i] - units.end[j])
    cdef double length = (units.end[i] - units.start[i]) + (units.end[j] - units.start[j])
    if moved == 0:
        return 0
    if length <= 0:
        return -1
    moved /= length
    return moved * moved


cdef inline double category_distance(Units* units, int64_t i, int64_t j) noexcept nogil:
    """Return the distance of the categories: 0 or 1 without a matrix."""
    cdef int64_t a = units.category[i], b = units.category[j]
    if units.categories == 0:
        return 1 if a != b else 0
    return units.distance[a * units.categories + b]


cdef inline int64_t pair_cost(Units* units, int64_t i, int64_t j) noexcept nogil:
    """Return d in quanta; -1 if the pair cannot meet."""
    cdef double d = position_part(units, i, j)
    if d < 0:
        return -1
    d = units.alpha * d + units.beta * category_distance(units, i, j)
    if d > units.limit:
        return -1
    return <int64_t>(d * Q + 0.5)


cdef inline int64_t category_cost(Units* units, int64_t i, int64_t j) noexcept nogil:
    """Return max(0, 1 - d_pos) * dist in quanta."""
    cdef double d = position_part(units, i, j)
    if d < 0 or d >= 1:
        return 0
    return <int64_t>((1 - d) * category_distance(units, i, j) * Q + 0.5)


cdef class TupleList:
    """Tuples in lexicographic order of their units.

    ``complete`` is False if the search in the present sample stopped at the largest number of tuples or steps.
    """

    cdef Units units
    cdef int64_t N, n, size, capacity, members_size, members_capacity, max_tuples, tuples_per_unit, steps, max_steps
    cdef int64_t sample_tuples  # largest number of tuples of the present sample
    cdef int64_t last, first_tuple  # end of the present sample, and its first tuple
    cdef int64_t* cost
    cdef int64_t* category
    cdef int64_t* begin
    cdef int32_t* members
    cdef int64_t* within
    cdef int64_t* rows
    cdef int32_t* neighbours
    cdef bint complete

    def __cinit__(self, int64_t N, int64_t n, int64_t max_tuples, int64_t tuples_per_unit, int64_t max_steps):
        self.N, self.n, self.max_tuples, self.max_steps = N, n, max_tuples, max_steps
        self.tuples_per_unit = tuples_per_unit
        self.complete = True
        self.within = <int64_t*>malloc((1 << SUBSETS) * sizeof(int64_t))
        self.rows = <int64_t*>malloc((1 << SUBSETS) * sizeof(int64_t))
        self.neighbours = <int32_t*>malloc((N + 1) * sizeof(int32_t))
        if self.within == NULL or self.rows == NULL or self.neighbours == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.cost)
        free(self.category)
        free(self.begin)
        free(self.members)
        free(self.within)
        free(self.rows)
        free(self.neighbours)

    cdef int reserve(self, int64_t more) except -1 nogil:
        cdef int64_t size
        cdef void* block = <void*>1
        if self.size + 2 > self.capacity:
            size = max(2 * self.capacity, 1024)
            block = realloc(self.cost, size * sizeof(int64_t))
            if block != NULL:
                self.cost = <int64_t*>block
                block = realloc(self.category, size * sizeof(int64_t))
            if block != NULL:
                self.category = <int64_t*>block
                block = realloc(self.begin, size * sizeof(int64_t))
            if block != NULL:
                self.begin = <int64_t*>block
                self.capacity = size
        if block != NULL and self.members_size + more > self.members_capacity:
            size = max(2 * self.members_capacity, 4096)
            block = realloc(self.members, size * sizeof(int32_t))
            if block != NULL:
                self.members = <int32_t*>block
                self.members_capacity = size
        if block == NULL:
            with gil:
                raise MemoryError
        return 0

    cdef int append(self, int32_t* chosen, int64_t k, int64_t pairs) except -1 nogil:
        """Add a tuple of k units whose distances sum to ``pairs``."""
        cdef int64_t a, b, category = 0
        self.reserve(k)
        for a in range(k):
            self.members[self.members_size + a] = chosen[a]
            for b in range(a):
                category += category_cost(&self.units, chosen[a], chosen[b])
        self.begin[self.size] = self.members_size
        self.cost[self.size] = (self.n * (self.n - 1) // 2 - k * (k - 1) // 2) * Q + pairs
        self.category[self.size] = category // (k - 1) if k > 1 else 0
        self.members_size += k
        self.size += 1
        self.begin[self.size] = self.members_size
        return 0

    cdef int check(self, int32_t* chosen, int64_t k, int64_t* total) noexcept nogil:
        """Return 0 if no larger tuple is needed either, 1 if a larger one may be needed, 2 if this one may be needed.

        ``chosen`` has k units; those before the last have passed this check.
        """
        cdef int64_t C2 = self.n * (self.n - 1) // 2, last = k - 1, b, cost, between, subset, full, size, rest
        cdef int answer = 2
        self.rows[0] = 0
        if k > SUBSETS:
            between = 0
            for b in range(last):
                cost = pair_cost(&self.units, chosen[last], chosen[b])
                if cost < 0:
                    return 0
                between += cost
            total[k] = total[last] + between
            if between > (C2 + self.n - 1) * Q:
                return 0
            return 2 if between <= (C2 + last) * Q else 1
        for b in range(last):
            cost = pair_cost(&self.units, chosen[last], chosen[b])
            if cost < 0:
                return 0
            self.rows[1 << b] = cost
        full = (1 << last) - 1
        for subset in range(1, full + 1):
            rest = subset & (subset - 1)
            if rest:
                self.rows[subset] = self.rows[rest] + self.rows[subset ^ rest]
        for subset in range(full + 1):
            self.within[subset | (1 << last)] = self.within[subset] + self.rows[subset]
        total[k] = self.within[full | (1 << last)]
        for subset in range(1, full + 1):
            between = total[k] - self.within[subset] - self.within[(full ^ subset) | (1 << last)]
            size = bits(subset)
            if between > (C2 + min(size * (self.n - size), (k - size) * (self.n - k + size))) * Q:
                return 0
            if between > (C2 + size * (k - size)) * Q:
                answer = 1
        return answer

    cdef int grow(self, int64_t first, int32_t* chosen, int64_t* at, int64_t* total, uint8_t* used) except -1 nogil:
        """Add all tuples whose first unit is ``first``."""
        cdef int64_t near = 0, j, k
        cdef int answer
        cdef double reach, middle = self.units.start[first] + self.units.end[first]
        reach = sqrt(self.units.limit / self.units.alpha) * 1.000001
        for j in range(first + 1, self.last):
            if self.units.start[j] + self.units.end[j] - middle > reach * (
                self.units.end[first] - self.units.start[first] + self.longest
            ):
                break
            self.steps += 2
            if self.units.annotator[j] != self.units.annotator[first] and pair_cost(&self.units, first, j) >= 0:
                self.neighbours[near] = <int32_t>j
                near += 1
        chosen[0] = <int32_t>first
        total[1] = 0
        self.within[0] = self.within[1] = 0
        self.append(chosen, 1, 0)
        used[self.units.annotator[first]] = 1
        k = 1
        at[1] = 0
        while k > 0:
            if at[k] >= near or k == self.n:
                k -= 1
                if k > 0:
                    used[self.units.annotator[chosen[k]]] = 0
                continue
            j = self.neighbours[at[k]]
            at[k] += 1
            if used[self.units.annotator[j]]:
                continue
            chosen[k] = <int32_t>j
            self.steps += 1 << min(k, SUBSETS)
            answer = self.check(chosen, k + 1, total)
            if answer == 0:
                continue
            if answer == 2:
                self.append(chosen, k + 1, total[k + 1])
            if self.size - self.first_tuple > self.sample_tuples or self.steps > self.max_steps:
                self.complete = False
                return 0
            used[self.units.annotator[j]] = 1
            k += 1
            at[k] = at[k - 1]
        used[self.units.annotator[first]] = 0
        return 0

    cdef double longest

    cdef int enumerate(
        self, int64_t first, int64_t last, int32_t* chosen, int64_t* at, int64_t* total, uint8_t* used
    ) except -1 nogil:
        """Add all tuples of one sample, which has the units first .. last - 1; none if there are too many."""
        cdef int64_t i
        self.last, self.first_tuple, self.steps, self.complete, self.longest = last, self.size, 0, True, 0
        self.sample_tuples = min(max(self.max_tuples, self.tuples_per_unit * (last - first)), max(self.max_tuples, MOST))
        for i in range(first, last):
            if self.units.end[i] - self.units.start[i] > self.longest:
                self.longest = self.units.end[i] - self.units.start[i]
        for i in range(first, last):
            self.grow(i, chosen, at, total, used)
            if not self.complete:
                for i in range(self.n):
                    used[i] = 0
                self.size = self.first_tuple
                self.members_size = self.begin[self.size]
                break
        return 0

    def arrays(self):
        """Return (begin, members, cost, category) as arrays."""
        cdef int64_t size = self.size, members = self.members_size
        return (
            copy64(self.begin, size + 1) if self.begin != NULL else np.zeros(1, np.int64),
            copy32(self.members, members),
            copy64(self.cost, size),
            copy64(self.category, size),
        )


cdef inline int64_t bits(int64_t subset) noexcept nogil:
    cdef int64_t count = 0
    while subset:
        subset &= subset - 1
        count += 1
    return count


cdef copy64(int64_t* source, int64_t size):
    cdef int64_t k
    cdef int64_t[::1] target = np.empty(size, np.int64)
    for k in range(size):
        target[k] = source[k]
    return np.asarray(target)


cdef copy32(int32_t* source, int64_t size):
    cdef int64_t k
    cdef int32_t[::1] target = np.empty(size, np.int32)
    for k in range(size):
        target[k] = source[k]
    return np.asarray(target)


def enumerate_tuples(
    const double[::1] start not None,
    const double[::1] end not None,
    const int32_t[::1] category not None,
    const int32_t[::1] annotator not None,
    const int64_t[::1] offset not None,
    int64_t n,
    double alpha,
    double beta,
    const double[:, ::1] distance not None,
    int64_t max_tuples,
    int64_t tuples_per_unit,
    int64_t max_steps,
):
    """Return (begin, members, cost, category cost, first, complete, steps) of the tuples that no division beats.

    Sample s has the units offset[s]:offset[s + 1], in ascending order of start + end, and the tuples first[s]:first[s + 1].
    Tuple t has the units members[begin[t]:begin[t + 1]], ascending. ``cost`` is c(S) and ``category cost`` the numerator of
    delta_cat, both in quanta. ``complete[s]`` is 0 if the sample has more than ``max_tuples`` tuples and more than
    ``tuples_per_unit`` for each unit, or the search compares more than ``max_steps`` divisions; the sample then has no tuples.
    """
    cdef int64_t N = start.shape[0], samples = offset.shape[0] - 1, s
    cdef TupleList tuples = TupleList(N, n, max_tuples, tuples_per_unit, max_steps)
    cdef int32_t[::1] chosen = np.zeros(n + 1, np.int32)
    cdef int64_t[::1] at = np.zeros(n + 2, np.int64), total = np.zeros(n + 2, np.int64)
    cdef int64_t[::1] first = np.zeros(samples + 1, np.int64)
    cdef int64_t[::1] steps = np.zeros(samples, np.int64)
    cdef uint8_t[::1] used = np.zeros(n + 1, np.uint8), complete = np.ones(samples, np.uint8)
    if N > 0:
        tuples.units.start, tuples.units.end = &start[0], &end[0]
        tuples.units.category, tuples.units.annotator = &category[0], &annotator[0]
        tuples.units.categories = distance.shape[0]
        if distance.shape[0]:
            tuples.units.distance = &distance[0, 0]
        tuples.units.alpha, tuples.units.beta = alpha, beta
        tuples.units.limit = n * (n - 1) / 2.0 + n - 1
        with nogil:
            tuples.reserve(1)
            tuples.begin[0] = 0
            for s in range(samples):
                tuples.enumerate(offset[s], offset[s + 1], &chosen[0], &at[0], &total[0], &used[0])
                complete[s], steps[s] = tuples.complete, tuples.steps
                first[s + 1] = tuples.size
    return (*tuples.arrays(), np.asarray(first), np.asarray(complete).view(np.bool_), np.asarray(steps))


def split_samples(
    const int64_t[::1] offset not None, const int64_t[::1] begin not None, const int32_t[::1] members not None
):
    """Return (first, offset, tuple): the runs of units that no tuple crosses, as samples of their own.

    Sample s has the runs first[s]:first[s + 1], run r the units offset[r]:offset[r + 1] and the tuples tuple[r]:tuple[r + 1].
    Tuples are in the order of their first units. A sample without tuples, or without units, is one run.
    """
    cdef int64_t samples = offset.shape[0] - 1, tuples = begin.shape[0] - 1, s, u, t = 0, reach, runs = 0
    cdef int64_t[::1] first = np.zeros(samples + 1, np.int64)
    cdef int64_t[::1] units = np.zeros(offset[samples] + samples + 1, np.int64)
    cdef int64_t[::1] of_run = np.zeros(offset[samples] + samples + 1, np.int64)
    with nogil:
        for s in range(samples):
            reach = offset[s]
            for u in range(offset[s], offset[s + 1]):
                if t == tuples or members[begin[t]] != u:
                    reach = offset[s + 1] - 1
                while t < tuples and members[begin[t]] == u:
                    reach = max(reach, members[begin[t + 1] - 1])
                    t += 1
                if reach <= u:
                    runs += 1
                    units[runs], of_run[runs] = u + 1, t
            if offset[s] == offset[s + 1]:
                runs += 1
                units[runs], of_run[runs] = offset[s], t
            first[s + 1] = runs
    return np.asarray(first), np.asarray(units)[:runs + 1], np.asarray(of_run)[:runs + 1]


def raise_prices(
    int64_t N,
    const int64_t[::1] units not None,
    const int64_t[::1] begin not None,
    const int32_t[::1] members not None,
    const int64_t[::1] cost not None,
    int64_t rounds,
    const int64_t[::1] known=None,
):
    """Return (prices, reduced costs); no reduced cost is negative, and the prices sum to a lower bound of every alignment.

    Only ``units`` have a price, and no tuple contains such a unit and another one. The prices begin with ``known``, or without
    it with equal shares of each unit's cheapest tuple. A unit without tuples has the price 0.
    """
    cdef int64_t tuples = cost.shape[0], t, k, u, lap, i, smallest, second, change
    cdef bint new = known is None
    cdef int64_t[::1] price = np.zeros(N, np.int64) if new else np.array(known), reduced = np.array(cost)
    cdef int64_t[::1] row = np.zeros(N + 2, np.int64)
    cdef int32_t[::1] containing = np.empty(members.shape[0], np.int32)
    with nogil:
        for k in range(members.shape[0]):
            row[members[k] + 2] += 1
        for u in range(N):
            row[u + 2] += row[u + 1]
        for t in range(tuples):
            for k in range(begin[t], begin[t + 1]):
                u = members[k]
                containing[row[u + 1]] = <int32_t>t
                row[u + 1] += 1
        for i in range(units.shape[0]):
            u = units[i]
            if new and row[u] < row[u + 1]:
                price[u] = INT64_MAX
                for k in range(row[u], row[u + 1]):
                    t = containing[k]
                    price[u] = min(price[u], cost[t] // (begin[t + 1] - begin[t]))
            for k in range(row[u], row[u + 1]):
                reduced[containing[k]] -= price[u]
        for lap in range(rounds + 1):
            for i in range(units.shape[0]):
                u = units[i if lap % 2 == 0 else units.shape[0] - 1 - i]
                if row[u] == row[u + 1]:
                    continue
                smallest = second = INT64_MAX
                for k in range(row[u], row[u + 1]):
                    change = reduced[containing[k]]
                    if change < smallest:
                        second = smallest
                        smallest = change
                    elif change < second:
                        second = change
                change = smallest
                if lap < rounds and second < INT64_MAX:
                    change += (second - smallest) // 2
                if change != 0:
                    price[u] += change
                    for k in range(row[u], row[u + 1]):
                        reduced[containing[k]] -= change
    return np.asarray(price), np.asarray(reduced)


def pair_terms(
    const int64_t[::1] begin not None,
    const int32_t[::1] members not None,
    const double[::1] start not None,
    const double[::1] end not None,
    const int32_t[::1] category not None,
    int64_t n,
    double alpha,
    double beta,
    const double[:, ::1] distance not None,
):
    """Return (cost, tuple, first, second, d_pos, dist): the cost of each tuple, and one entry per pair of units in a tuple.

    Costs, d_pos and dist are in multiples of delta_empty; the cost of a tuple is its mean over all C2 pairs of annotators.
    """
    cdef int64_t tuples = max(begin.shape[0] - 1, 0), t, a, b, k, pairs = 0
    cdef Units units
    for t in range(tuples):
        k = begin[t + 1] - begin[t]
        pairs += k * (k - 1) // 2
    cdef double[::1] cost = np.empty(tuples), position = np.empty(pairs), dist = np.empty(pairs)
    cdef int64_t[::1] owner = np.empty(pairs, np.int64), first = np.empty(pairs, np.int64), second = np.empty(pairs, np.int64)
    cdef double C2 = n * (n - 1) / 2.0, total
    if start.shape[0]:
        units.start, units.end, units.category = &start[0], &end[0], &category[0]
        units.categories = distance.shape[0]
        if distance.shape[0]:
            units.distance = &distance[0, 0]
    pairs = 0
    with nogil:
        for t in range(tuples):
            k = begin[t + 1] - begin[t]
            total = C2 - k * (k - 1) // 2
            for a in range(begin[t], begin[t + 1]):
                for b in range(a + 1, begin[t + 1]):
                    owner[pairs], first[pairs], second[pairs] = t, members[a], members[b]
                    position[pairs] = position_part(&units, members[a], members[b])
                    dist[pairs] = category_distance(&units, members[a], members[b])
                    total += alpha * position[pairs] + beta * dist[pairs]
                    pairs += 1
            cost[t] = total / C2
    return (
        np.asarray(cost), np.asarray(owner), np.asarray(first), np.asarray(second), np.asarray(position), np.asarray(dist)
    )
