"""The heaviest alignment of two trees over intervals: Zhang & Shasha's recursion, on pairs of nodes that overlap only.

Nodes stand in postorder, so that the nodes below x are l(x) .. x - 1 with l(x) = x - size(x) + 1, and ends rise. For
keyroots i and j, M(x, y) is the most that nodes l(i) .. x and l(j) .. y can gain together, and T(x, y) the same for the
nodes below and at x, and below and at y:

    M(x, y) = max(M(x - 1, y), M(x, y - 1), M(x - 1, y - 1) + w(x, y))           if l(x) = l(i) and l(y) = l(j): T(x, y)
    M(x, y) = max(M(x - 1, y), M(x, y - 1), M(l(x) - 1, l(y) - 1) + T(x, y))     otherwise

If y begins where x ends or later, nothing below y can pair with anything up to x, so M(x, y) = M(x, l(y) - 1); likewise
with x and y exchanged. So only cells (x, y) that overlap are kept, row by row, and what a cell looks back to is moved
to such a cell once for all keyroots. A leaf pairs once at most, so that T is the largest w below: no recursion for it.

Weights are whole multiples of 2^-bits: sums are exact, and the same from left to right, from right to left, and with
the trees exchanged.
"""

from libc.math cimport INFINITY, ldexp, llrint
from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef enum:
    NOBODY = -1  # the code of the root over all, which pairs with nothing
    FIRST = 1024  # cells that there is room for from the beginning


cdef class Oriented:
    """One tree in postorder, from left to right, or from right to left with times turned round."""

    cdef int64_t n
    cdef int64_t[::1] size, parent, code, preorder
    cdef int64_t[::1] leaf, keyroot  # yes or no
    cdef int64_t[::1] keyroots  # how many keyroots that are no leaves stand above or at each node
    cdef double[::1] s, e

    def __cinit__(self, int64_t n):
        self.size, self.parent, self.code, self.preorder = np.empty((4, n + 1), np.int64)
        self.leaf, self.keyroot, self.keyroots = np.empty((3, n + 1), np.int64)
        self.s, self.e = np.empty((2, n + 1))

    cdef void put(
        self, bint right, const int64_t[::1] parent, const int64_t[::1] code, const double[:, ::1] span,
        int64_t first, int64_t n, int64_t[:, ::1] room,
    ) noexcept nogil:
        """From preorder, with one root added over all; ``room`` for two numbers a node."""
        cdef int64_t p, x, top
        cdef int64_t[::1] size = room[0], order = room[1]
        self.n = n + 1
        for p in range(n):
            top = parent[first + p]
            size[p] = 1
            order[p] = order[top] + 1 if top >= 0 else 0  # the depth, at first
        for p in range(n - 1, -1, -1):
            top = parent[first + p]
            if top >= 0:
                size[top] += size[p]
        for p in range(n):
            # From left to right come before p: all that preorder has before it but its ancestors, and all below it.
            order[p] = n - 1 - p if right else p - order[p] + size[p] - 1
        for p in range(n):
            x = order[p]
            top = parent[first + p]
            self.size[x] = size[p]
            self.parent[x] = order[top] if top >= 0 else n
            self.code[x] = code[first + p]
            self.preorder[x] = p
            self.leaf[x] = size[p] == 1
            self.s[x] = -span[first + p, 1] if right else span[first + p, 0]
            self.e[x] = -span[first + p, 0] if right else span[first + p, 1]
        self.size[n], self.parent[n], self.code[n], self.preorder[n], self.leaf[n] = n + 1, -1, NOBODY, -1, 0
        self.s[n], self.e[n] = -INFINITY, INFINITY
        self.keyroot[n] = self.keyroots[n] = 1
        for x in range(n - 1, -1, -1):
            top = self.parent[x]
            # A keyroot is a node that does not begin with its parent.
            self.keyroot[x] = top - self.size[top] != x - self.size[x]
            self.keyroots[x] = self.keyroots[top]
            if self.keyroot[x] and not self.leaf[x]:
                self.keyroots[x] += 1

    cdef int64_t ends_after(self, double time) noexcept nogil:
        """The first node that ends after a time: ends rise."""
        cdef int64_t low = 0, high = self.n, middle
        while low < high:
            middle = (low + high) // 2
            if self.e[middle] > time:
                high = middle
            else:
                low = middle + 1
        return low


cdef class Pairing:
    """One pair of trees at a time; the room is kept for the next."""

    cdef Oriented a, b
    cdef bint flexible
    cdef double threshold
    cdef int bits
    cdef int64_t most_cells, cells
    cdef int64_t[::1] row  # where the cells of each x begin
    cdef int32_t[::1] col  # the y of each cell
    cdef int32_t[::1] up, left, jump  # the cells that it looks back to, -1 for none
    cdef int64_t[::1] T, M
    cdef int64_t[::1] stack
    cdef int64_t[:, ::1] room

    def __cinit__(self, int64_t n, int64_t m, bint flexible, double threshold, int64_t most_cells):
        self.a, self.b = Oriented(n), Oriented(m)
        self.flexible, self.threshold, self.most_cells = flexible, threshold, most_cells
        self.row = np.empty(n + 2, np.int64)
        self.stack = np.empty(2 * (n + m + 2), np.int64)
        self.room = np.empty((2, max(n, m)), np.int64)
        self.widen(FIRST)

    cdef int widen(self, int64_t cells) except -1:
        """Room for so many cells; what was there is lost but for ``col``."""
        cdef int32_t[::1] col = np.empty(cells, np.int32)
        if cells > FIRST:
            col[: self.col.shape[0]] = self.col
        self.col = col
        self.up, self.left, self.jump = np.empty((3, cells), np.int32)
        self.T, self.M = np.empty((2, cells), np.int64)
        return 0

    cdef inline int64_t weight(self, int64_t x, int64_t y) noexcept nogil:
        """The IoU of two nodes that overlap, if they may pair and it is above the threshold; else 0."""
        cdef double s, e, both, iou
        if self.a.code[x] == NOBODY or self.b.code[y] == NOBODY:
            return 0
        if self.a.code[x] != self.b.code[y] and not (self.flexible and (self.a.leaf[x] or self.b.leaf[y])):
            return 0
        s = max(self.a.s[x], self.b.s[y])
        e = min(self.a.e[x], self.b.e[y])
        both = e - s
        iou = both / ((self.a.e[x] - self.a.s[x]) + (self.b.e[y] - self.b.s[y]) - both)
        return llrint(ldexp(min(iou, 1.0), self.bits)) if iou > self.threshold else 0

    cdef int64_t lay(self) except -1 nogil:
        """The cells: for each x, every y that overlaps it, in order. How many, or more than ``most_cells``."""
        cdef int64_t x, y, count = 0
        for x in range(self.a.n):
            self.row[x] = count
            y = self.b.ends_after(self.a.s[x])
            while y < self.b.n:
                if self.b.s[y] >= self.a.e[x]:
                    y = self.b.parent[y]  # nothing between them begins before y does
                    continue
                if count == self.most_cells:
                    return count + 1
                if count == self.col.shape[0]:
                    with gil:
                        self.widen(min(2 * count, self.most_cells))
                self.col[count] = <int32_t> y
                count += 1
                y += 1
        self.row[self.a.n] = self.cells = count
        return count

    cdef double count(self) noexcept nogil:
        """How many cells all keyroots go through together."""
        cdef int64_t x, c
        cdef double total = 0
        for x in range(self.a.n):
            for c in range(self.row[x], self.row[x + 1]):
                total += <double> self.a.keyroots[x] * self.b.keyroots[self.col[c]]
        return total

    cdef inline int64_t find(self, int64_t x, int64_t y) noexcept nogil:
        """The first cell of row x whose y is this or more."""
        cdef int64_t low = self.row[x], high = self.row[x + 1], middle
        while low < high:
            middle = (low + high) // 2
            if self.col[middle] < y:
                low = middle + 1
            else:
                high = middle
        return low

    cdef int64_t moved(self, int64_t x, int64_t y) noexcept nogil:
        """The cell that says what M(x, y) is; -1 if it is 0 whatever the keyroots."""
        while x >= 0 and y >= 0:
            if self.b.s[y] >= self.a.e[x]:
                y -= self.b.size[y]
            elif self.a.s[x] >= self.b.e[y]:
                x -= self.a.size[x]
            else:
                return self.find(x, y)
        return -1

    cdef void look_back(self) noexcept nogil:
        """Where each cell looks back to, and T of all cells with a leaf."""
        cdef int64_t x, y, c, top, best, below
        for c in range(self.cells):
            self.T[c] = 0
        for x in range(self.a.n):
            top = 0
            for c in range(self.row[x], self.row[x + 1]):
                y = self.col[c]
                self.up[c] = <int32_t> self.moved(x - 1, y)
                self.left[c] = <int32_t> self.moved(x, y - 1)
                self.jump[c] = <int32_t> self.moved(x - self.a.size[x], y - self.b.size[y])
                if self.a.leaf[x]:
                    # Cells of this row that lie below y stand on the stack.
                    best = self.weight(x, y)
                    while top and self.col[self.stack[top - 1]] > y - self.b.size[y]:
                        top -= 1
                        best = max(best, self.T[self.stack[top]])
                    self.stack[top] = c
                    top += 1
                    self.T[c] = max(self.T[c], best)
                elif self.b.leaf[y]:
                    self.T[c] = max(self.T[c], self.weight(x, y))
                if self.b.leaf[y] and self.a.parent[x] >= 0:
                    below = self.find(self.a.parent[x], y)
                    self.T[below] = max(self.T[below], self.T[c])

    cdef inline int64_t value(self, int64_t c, int64_t lowest, int64_t lj) noexcept nogil:
        """M of a cell that was looked back to; 0 outside the forests at hand."""
        return self.M[c] if c >= lowest and self.col[c] >= lj else 0

    cdef void forests(self, int64_t i, int64_t j) noexcept nogil:
        """M of all cells below and at i and j, and T of those that begin with them."""
        cdef int64_t li = i - self.a.size[i] + 1, lj = j - self.b.size[j] + 1, lowest = self.row[li]
        cdef int64_t x = max(li, self.a.ends_after(self.b.s[j])), y, c, best, other
        cdef bint first
        while x <= i:
            if self.a.s[x] >= self.b.e[j]:
                x = self.a.parent[x]  # i overlaps j, so it comes to a stop
                continue
            first = x - self.a.size[x] + 1 == li
            for c in range(self.find(x, lj), self.row[x + 1]):
                y = self.col[c]
                if y > j:
                    break
                best = max(self.value(self.up[c], lowest, lj), self.value(self.left[c], lowest, lj))
                if first and y - self.b.size[y] + 1 == lj:
                    other = self.weight(x, y)
                    if other:
                        best = max(best, other + self.value(self.moved(x - 1, y - 1), lowest, lj))
                    # Of leaves T is there already, and is the same.
                    self.T[c] = best
                else:
                    best = max(best, self.T[c] + self.value(self.jump[c], lowest, lj))
                self.M[c] = best
            x += 1

    cdef int64_t trees(self) noexcept nogil:
        """T of all cells, from small keyroots to large; the gain of the whole."""
        cdef int64_t i, j, c
        for i in range(self.a.n):
            if not self.a.keyroot[i] or self.a.leaf[i]:
                continue
            for c in range(self.row[i], self.row[i + 1]):
                j = self.col[c]
                if self.b.keyroot[j] and not self.b.leaf[j]:
                    self.forests(i, j)
        return self.T[self.cells - 1]

    cdef void walk_back(self, int64_t[::1] partner) noexcept nogil:
        """Give each node of a, in preorder, the node of b it is paired with; others keep -1."""
        cdef int64_t x, y, c, w, i, j, li, lj, lowest, top = 1
        self.stack[0], self.stack[1] = self.a.n - 1, self.b.n - 1
        while top:
            top -= 1
            i, j = self.stack[2 * top], self.stack[2 * top + 1]
            if self.a.leaf[i] or self.b.leaf[j]:
                self.best_below(i, j, partner)
                continue
            self.forests(i, j)
            li, lj = i - self.a.size[i] + 1, j - self.b.size[j] + 1
            lowest = self.row[li]
            x, y = i, j
            c = self.find(i, j)
            while c >= lowest and self.col[c] >= lj and self.M[c]:
                while c < self.row[x]:
                    x -= 1
                y = self.col[c]
                w = self.weight(x, y) if x - self.a.size[x] + 1 == li and y - self.b.size[y] + 1 == lj else 0
                if w and self.M[c] == w + self.value(self.moved(x - 1, y - 1), lowest, lj):
                    partner[self.a.preorder[x]] = self.b.preorder[y]
                    c = self.moved(x - 1, y - 1)
                elif self.M[c] == self.value(self.up[c], lowest, lj):
                    c = self.up[c]
                elif self.M[c] == self.value(self.left[c], lowest, lj):
                    c = self.left[c]
                else:
                    self.stack[2 * top], self.stack[2 * top + 1] = x, y
                    top += 1
                    c = self.jump[c]

    cdef void best_below(self, int64_t i, int64_t j, int64_t[::1] partner) noexcept nogil:
        """The one pair that a leaf makes with the best node below and at the other."""
        cdef int64_t x = i - self.a.size[i] + 1, c
        cdef int64_t best = self.T[self.find(i, j)]
        if not best:
            return
        for x in range(i, i - self.a.size[i], -1):
            for c in range(self.find(x, j - self.b.size[j] + 1), self.row[x + 1]):
                if self.col[c] <= j and self.weight(x, self.col[c]) == best:
                    partner[self.a.preorder[x]] = self.b.preorder[self.col[c]]
                    return


cdef bint same(
    const int64_t[::1] a_parent, const int64_t[::1] a_code, const double[:, ::1] a_span, int64_t a,
    const int64_t[::1] b_parent, const int64_t[::1] b_code, const double[:, ::1] b_span, int64_t b, int64_t n,
) noexcept nogil:
    """Whether n nodes from a and from b on are the same."""
    cdef int64_t p
    for p in range(n):
        if a_parent[a + p] != b_parent[b + p] or a_code[a + p] != b_code[b + p]:
            return False
        if a_span[a + p, 0] != b_span[b + p, 0] or a_span[a + p, 1] != b_span[b + p, 1]:
            return False
    return True


def align(
    const int64_t[::1] a_parent not None,
    const int64_t[::1] a_code not None,
    const double[:, ::1] a_span not None,
    const int64_t[::1] a_off not None,
    const int64_t[::1] b_parent not None,
    const int64_t[::1] b_code not None,
    const double[:, ::1] b_span not None,
    const int64_t[::1] b_off not None,
    bint flexible,
    double threshold,
    int64_t most_cells,
    double most_steps,
    double[::1] gain not None,
    double[::1] steps not None,
    int64_t[::1] partner,
):
    """The gain of each pair of trees; with ``partner``, for each node of a the node of b it is paired with, or -1.

    Nodes stand in preorder; parents and partners count from the first node of their tree. ``steps`` becomes the number of
    cells gone through. Where that would be more than ``most_steps``, or the cells more than ``most_cells`` (then it is
    infinity), the gain is -1.
    """
    cdef Py_ssize_t d, documents = gain.shape[0]
    cdef int64_t n, m, a, b, x, most, found
    cdef double backwards
    cdef int64_t[::1] mine
    cdef Pairing p = Pairing(
        np.diff(a_off).max(initial=0), np.diff(b_off).max(initial=0), flexible, threshold, most_cells
    )
    with nogil:
        for d in range(documents):
            a, b = a_off[d], b_off[d]
            n, m = a_off[d + 1] - a, b_off[d + 1] - b
            if n == m and same(a_parent, a_code, a_span, a, b_parent, b_code, b_span, b, n):
                # Each node with itself: no alignment gains more than 1 a node.
                gain[d] = steps[d] = n
                for x in range(n if partner is not None else 0):
                    partner[a + x] = x
                continue
            gain[d], steps[d] = -1, INFINITY
            p.a.put(True, a_parent, a_code, a_span, a, n, p.room)
            p.b.put(True, b_parent, b_code, b_span, b, m, p.room)
            if p.lay() > most_cells:
                continue
            backwards = p.count()
            p.a.put(False, a_parent, a_code, a_span, a, n, p.room)
            p.b.put(False, b_parent, b_code, b_span, b, m, p.room)
            p.lay()
            steps[d] = p.count()
            if backwards < steps[d]:
                steps[d] = backwards
                p.a.put(True, a_parent, a_code, a_span, a, n, p.room)
                p.b.put(True, b_parent, b_code, b_span, b, m, p.room)
                p.lay()
            if steps[d] > most_steps:
                continue
            # A sum is at most min(n, m), and has 62 bits.
            p.bits, most = 62, min(n, m)
            while most:
                p.bits -= 1
                most //= 2
            p.bits = min(p.bits, 52)
            p.look_back()
            gain[d] = ldexp(<double> p.trees(), -p.bits)
            if partner is not None:
                mine = partner[a : a + n]
                mine[:] = -1
                p.walk_back(mine)
