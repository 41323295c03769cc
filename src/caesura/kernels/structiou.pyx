"""Find the heaviest alignment of two trees over intervals by Zhang & Shasha's recursion on pairs of nodes that overlap.

Nodes are in postorder, so that the nodes below x are l(x) .. x - 1 with l(x) = x - size(x) + 1, and ends ascend. For
keyroots i and j, M(x, y) is the largest gain of nodes l(i) .. x and l(j) .. y, and T(x, y) the largest gain of the subtrees
of x and y:

    M(x, y) = max(M(x - 1, y), M(x, y - 1), M(x - 1, y - 1) + w(x, y))           if l(x) = l(i) and l(y) = l(j): T(x, y)
    M(x, y) = max(M(x - 1, y), M(x, y - 1), M(l(x) - 1, l(y) - 1) + T(x, y))     otherwise

If y begins at the end of x or later, nothing below y can pair with anything up to x, so M(x, y) = M(x, l(y) - 1); likewise
with x and y exchanged. So only cells (x, y) that overlap are stored, row by row, and the cells that a cell depends on are
redirected to stored cells once for all keyroots. A leaf pairs at most once, so T is the largest w below it: it needs no
recursion.

Weights are integer multiples of 2^-bits, so sums are exact. The result is the same from left to right, from right to left,
and if the trees are exchanged.
"""

from libc.math cimport INFINITY, ldexp, llrint
from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef enum:
    NO_CODE = -1  # code of the root that is added above all nodes; it pairs with nothing
    INITIAL_CELLS = 1024  # number of cells allocated at first


cdef class Oriented:
    """One tree in postorder, from left to right, or from right to left with reversed times."""

    cdef int64_t n
    cdef int64_t[::1] size, parent, code, preorder
    cdef int64_t[::1] leaf, keyroot  # 0 or 1
    cdef int64_t[::1] keyroots  # number of keyroots above or at each node, without leaves
    cdef double[::1] s, e

    def __cinit__(self, int64_t n):
        self.size, self.parent, self.code, self.preorder = np.empty((4, n + 1), np.int64)
        self.leaf, self.keyroot, self.keyroots = np.empty((3, n + 1), np.int64)
        self.s, self.e = np.empty((2, n + 1))

    cdef void load(
        self, bint right, const int64_t[::1] parent, const int64_t[::1] code, const double[:, ::1] span,
        int64_t first, int64_t n, int64_t[:, ::1] buffer,
    ) noexcept nogil:
        """Load a tree in preorder and add one root above it; ``buffer`` has two numbers per node."""
        cdef int64_t p, x, top
        cdef int64_t[::1] size = buffer[0], order = buffer[1]
        self.n = n + 1
        for p in range(n):
            top = parent[first + p]
            size[p] = 1
            order[p] = order[top] + 1 if top >= 0 else 0  # the depth; replaced by the postorder below
        for p in range(n - 1, -1, -1):
            top = parent[first + p]
            if top >= 0:
                size[top] += size[p]
        for p in range(n):
            # From left to right, p follows all nodes before it in preorder except its ancestors, and all nodes below it.
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
        self.size[n], self.parent[n], self.code[n], self.preorder[n], self.leaf[n] = n + 1, -1, NO_CODE, -1, 0
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
        """Return the first node that ends after a time; ends ascend."""
        cdef int64_t low = 0, high = self.n, middle
        while low < high:
            middle = (low + high) // 2
            if self.e[middle] > time:
                high = middle
            else:
                low = middle + 1
        return low


cdef class Pairing:
    """Aligns one pair of trees at a time; arrays are reused for the next pair."""

    cdef Oriented a, b
    cdef bint flexible
    cdef double threshold
    cdef int bits
    cdef int64_t max_cells, cells
    cdef int64_t[::1] row  # first cell of each x
    cdef int32_t[::1] col  # the y of each cell
    cdef int32_t[::1] up, left, jump  # the cells that a cell depends on, -1 for none
    cdef int64_t[::1] T, M
    cdef int64_t[::1] stack
    cdef int64_t[:, ::1] buffer

    def __cinit__(self, int64_t n, int64_t m, bint flexible, double threshold, int64_t max_cells):
        self.a, self.b = Oriented(n), Oriented(m)
        self.flexible, self.threshold, self.max_cells = flexible, threshold, max_cells
        self.row = np.empty(n + 2, np.int64)
        self.stack = np.empty(2 * (n + m + 2), np.int64)
        self.buffer = np.empty((2, max(n, m)), np.int64)
        self.widen(INITIAL_CELLS)

    cdef int widen(self, int64_t cells) except -1:
        """Allocate this many cells; all contents but ``col`` are lost."""
        cdef int32_t[::1] col = np.empty(cells, np.int32)
        if cells > INITIAL_CELLS:
            col[: self.col.shape[0]] = self.col
        self.col = col
        self.up, self.left, self.jump = np.empty((3, cells), np.int32)
        self.T, self.M = np.empty((2, cells), np.int64)
        return 0

    cdef inline int64_t weight(self, int64_t x, int64_t y) noexcept nogil:
        """Return the IoU of two nodes that overlap if they may pair and it exceeds the threshold, else 0."""
        cdef double s, e, overlap, iou
        if self.a.code[x] == NO_CODE or self.b.code[y] == NO_CODE:
            return 0
        if self.a.code[x] != self.b.code[y] and not (self.flexible and (self.a.leaf[x] or self.b.leaf[y])):
            return 0
        s = max(self.a.s[x], self.b.s[y])
        e = min(self.a.e[x], self.b.e[y])
        overlap = e - s
        iou = overlap / ((self.a.e[x] - self.a.s[x]) + (self.b.e[y] - self.b.s[y]) - overlap)
        return llrint(ldexp(min(iou, 1.0), self.bits)) if iou > self.threshold else 0

    cdef int64_t find_cells(self) except -1 nogil:
        """List for each x every y that overlaps it, in order. Return the number of cells, or more than ``max_cells``."""
        cdef int64_t x, y, number = 0
        for x in range(self.a.n):
            self.row[x] = number
            y = self.b.ends_after(self.a.s[x])
            while y < self.b.n:
                if self.b.s[y] >= self.a.e[x]:
                    y = self.b.parent[y]  # no node between them begins before y
                    continue
                if number == self.max_cells:
                    return number + 1
                if number == self.col.shape[0]:
                    with gil:
                        self.widen(min(2 * number, self.max_cells))
                self.col[number] = <int32_t> y
                number += 1
                y += 1
        self.row[self.a.n] = self.cells = number
        return number

    cdef double number(self) noexcept nogil:
        """Return the total number of cells that all keyroots visit."""
        cdef int64_t x, c
        cdef double total = 0
        for x in range(self.a.n):
            for c in range(self.row[x], self.row[x + 1]):
                total += <double> self.a.keyroots[x] * self.b.keyroots[self.col[c]]
        return total

    cdef inline int64_t find(self, int64_t x, int64_t y) noexcept nogil:
        """Return the first cell of row x whose y is at least this."""
        cdef int64_t low = self.row[x], high = self.row[x + 1], middle
        while low < high:
            middle = (low + high) // 2
            if self.col[middle] < y:
                low = middle + 1
            else:
                high = middle
        return low

    cdef int64_t redirected(self, int64_t x, int64_t y) noexcept nogil:
        """Return the stored cell that equals M(x, y); -1 if it is 0 for all keyroots."""
        while x >= 0 and y >= 0:
            if self.b.s[y] >= self.a.e[x]:
                y -= self.b.size[y]
            elif self.a.s[x] >= self.b.e[y]:
                x -= self.a.size[x]
            else:
                return self.find(x, y)
        return -1

    cdef void look_back(self) noexcept nogil:
        """Compute the cells that each cell depends on, and T of all cells with a leaf."""
        cdef int64_t x, y, c, top, best, below
        for c in range(self.cells):
            self.T[c] = 0
        for x in range(self.a.n):
            top = 0
            for c in range(self.row[x], self.row[x + 1]):
                y = self.col[c]
                self.up[c] = <int32_t> self.redirected(x - 1, y)
                self.left[c] = <int32_t> self.redirected(x, y - 1)
                self.jump[c] = <int32_t> self.redirected(x - self.a.size[x], y - self.b.size[y])
                if self.a.leaf[x]:
                    # The stack contains the cells of this row that lie below y.
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
        """Return M of a cell; 0 outside the current forests."""
        return self.M[c] if c >= lowest and self.col[c] >= lj else 0

    cdef void forests(self, int64_t i, int64_t j) noexcept nogil:
        """Compute M of all cells in the subtrees of i and j, and T of the cells whose nodes begin where i and j begin."""
        cdef int64_t li = i - self.a.size[i] + 1, lj = j - self.b.size[j] + 1, lowest = self.row[li]
        cdef int64_t x = max(li, self.a.ends_after(self.b.s[j])), y, c, best, pair_weight
        cdef bint first
        while x <= i:
            if self.a.s[x] >= self.b.e[j]:
                x = self.a.parent[x]  # the loop ends, because i overlaps j
                continue
            first = x - self.a.size[x] + 1 == li
            for c in range(self.find(x, lj), self.row[x + 1]):
                y = self.col[c]
                if y > j:
                    break
                best = max(self.value(self.up[c], lowest, lj), self.value(self.left[c], lowest, lj))
                if first and y - self.b.size[y] + 1 == lj:
                    pair_weight = self.weight(x, y)
                    if pair_weight:
                        best = max(best, pair_weight + self.value(self.redirected(x - 1, y - 1), lowest, lj))
                    # T of leaves is known already, and equal.
                    self.T[c] = best
                else:
                    best = max(best, self.T[c] + self.value(self.jump[c], lowest, lj))
                self.M[c] = best
            x += 1

    cdef int64_t trees(self) noexcept nogil:
        """Compute T of all cells, from small keyroots to large; return the gain of the whole trees."""
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
        """Fill ``partner`` for each node of a, in preorder; unpaired nodes stay -1."""
        cdef int64_t x, y, c, w, i, j, li, lj, lowest, top = 1
        self.stack[0], self.stack[1] = self.a.n - 1, self.b.n - 1
        while top:
            top -= 1
            i, j = self.stack[2 * top], self.stack[2 * top + 1]
            if self.a.leaf[i] or self.b.leaf[j]:
                self.pair_leaf(i, j, partner)
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
                if w and self.M[c] == w + self.value(self.redirected(x - 1, y - 1), lowest, lj):
                    partner[self.a.preorder[x]] = self.b.preorder[y]
                    c = self.redirected(x - 1, y - 1)
                elif self.M[c] == self.value(self.up[c], lowest, lj):
                    c = self.up[c]
                elif self.M[c] == self.value(self.left[c], lowest, lj):
                    c = self.left[c]
                else:
                    self.stack[2 * top], self.stack[2 * top + 1] = x, y
                    top += 1
                    c = self.jump[c]

    cdef void pair_leaf(self, int64_t i, int64_t j, int64_t[::1] partner) noexcept nogil:
        """Pair a leaf with the best node of the other subtree."""
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
    """Return whether n nodes from a on equal n nodes from b on."""
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
    int64_t max_cells,
    double max_steps,
    double[::1] gain not None,
    double[::1] steps not None,
    int64_t[::1] partner,
):
    """Compute the gain of each pair of trees and, with ``partner``, the partner in b of each node of a, or -1.

    Nodes are in preorder; parents and partners count from the first node of their tree. ``steps`` becomes the number of cells
    visited. If that exceeds ``max_steps``, or the cells exceed ``max_cells`` (then ``steps`` is infinity), the gain is -1.
    """
    cdef Py_ssize_t d, documents = gain.shape[0]
    cdef int64_t n, m, a, b, x, bound
    cdef double backwards
    cdef int64_t[::1] partners_of_a
    cdef Pairing p = Pairing(
        np.diff(a_off).max(initial=0), np.diff(b_off).max(initial=0), flexible, threshold, max_cells
    )
    with nogil:
        for d in range(documents):
            a, b = a_off[d], b_off[d]
            n, m = a_off[d + 1] - a, b_off[d + 1] - b
            if n == m and same(a_parent, a_code, a_span, a, b_parent, b_code, b_span, b, n):
                # Each node pairs with itself: no alignment gains more than 1 per node.
                gain[d] = steps[d] = n
                for x in range(n if partner is not None else 0):
                    partner[a + x] = x
                continue
            gain[d], steps[d] = -1, INFINITY
            p.a.load(True, a_parent, a_code, a_span, a, n, p.buffer)
            p.b.load(True, b_parent, b_code, b_span, b, m, p.buffer)
            if p.find_cells() > max_cells:
                continue
            backwards = p.number()
            p.a.load(False, a_parent, a_code, a_span, a, n, p.buffer)
            p.b.load(False, b_parent, b_code, b_span, b, m, p.buffer)
            p.find_cells()
            steps[d] = p.number()
            if backwards < steps[d]:
                steps[d] = backwards
                p.a.load(True, a_parent, a_code, a_span, a, n, p.buffer)
                p.b.load(True, b_parent, b_code, b_span, b, m, p.buffer)
                p.find_cells()
            if steps[d] > max_steps:
                continue
            # A sum is at most min(n, m), and there are 62 bits.
            p.bits, bound = 62, min(n, m)
            while bound:
                p.bits -= 1
                bound //= 2
            p.bits = min(p.bits, 52)
            p.look_back()
            gain[d] = ldexp(<double> p.trees(), -p.bits)
            if partner is not None:
                partners_of_a = partner[a : a + n]
                partners_of_a[:] = -1
                p.walk_back(partners_of_a)
