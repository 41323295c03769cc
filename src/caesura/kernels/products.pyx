"""Products of matrices whose sums have a fixed order, so that they do not depend on the processor or a library."""


def multiply(const double[:, ::1] a not None, const double[:, ::1] b not None, double[:, ::1] out not None):
    """Add the product of ``a`` and ``b`` to ``out``, one term after the other, in the order of the shared dimension."""
    cdef Py_ssize_t i, j, k, n = a.shape[0], m = a.shape[1], p = b.shape[1]
    cdef double x
    with nogil:
        for i in range(n):
            for k in range(m):
                x = a[i, k]
                if x != 0:
                    for j in range(p):
                        out[i, j] += x * b[k, j]
