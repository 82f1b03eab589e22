"""Vectors and small matrices in kernels: tuples of numbers, and tuples of rows."""

from flexmbd.lanes.vector import sqrt


def dot(x, y):
    """Scalar product."""
    first, *rest = [a * b for a, b in zip(x, y, strict=True)]
    for z in rest:
        first = first + z
    return first


def cross(x, y):
    """Vector product of three numbers each; of two each its one component, a number."""
    if len(x) == 2:
        return x[0] * y[1] - x[1] * y[0]
    return x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]


def scale(s, x):
    """s x"""
    return tuple([s * a for a in x])


def axpy(s, x, y):
    """s x + y"""
    return tuple([s * a + b for a, b in zip(x, y, strict=True)])


def outer(x, y):
    """Matrix of the products of components, row by row."""
    return tuple([scale(a, y) for a in x])


def matvec(A, x):
    """Matrix times vector."""
    return tuple([dot(row, x) for row in A])


def norm(x):
    """Length of a vector."""
    return sqrt(dot(x, x))


# ---- for Numba, by the number of components
def typed_dot(x, y):
    """`dot`."""
    return (lambda x, y: x[0] * y[0]) if len(x) == 1 else (lambda x, y: dot(x[:-1], y[:-1]) + x[-1] * y[-1])


def typed_cross(x, y):
    """`cross`."""
    if len(x) == 2:
        return lambda x, y: x[0] * y[1] - x[1] * y[0]
    return lambda x, y: (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])


def typed_scale(s, x):
    """`scale`."""
    return (lambda s, x: (s * x[0],)) if len(x) == 1 else (lambda s, x: scale(s, x[:-1]) + (s * x[-1],))


def typed_axpy(s, x, y):
    """`axpy`."""
    if len(x) == 1:
        return lambda s, x, y: (s * x[0] + y[0],)
    return lambda s, x, y: axpy(s, x[:-1], y[:-1]) + (s * x[-1] + y[-1],)


def typed_outer(x, y):
    """`outer`."""
    return (lambda x, y: (scale(x[0], y),)) if len(x) == 1 else (lambda x, y: outer(x[:-1], y) + (scale(x[-1], y),))


def typed_matvec(A, x):
    """`matvec`."""
    return (lambda A, x: (dot(A[0], x),)) if len(A) == 1 else (lambda A, x: matvec(A[:-1], x) + (dot(A[-1], x),))


def typed_norm(x):
    """`norm`."""
    return lambda x: sqrt(dot(x, x))
