"""Symmetric matrices of few rows, as lists of rows of nodes, numbers or arrays: ``A = L D L'``, without pivoting."""

from flexmbd.formulation.trees.spatial import dot, minus, none


def factors(matrix):
    """Rows of L below its diagonal of ones, and reciprocals of D's diagonal."""
    lower, inverse = [], []
    for i, row in enumerate(matrix):
        left = []  # of L D
        for j in range(i):
            left.append(minus(left, lower[j], row[j]))
        lower.append([dot((x,), (y,)) for x, y in zip(left, inverse, strict=True)])
        inverse.append(1.0 / minus(left, lower[i], row[i]))
    return lower, inverse


def forward(lower, side):
    """``L^-1 side``"""
    found = []
    for row, x in zip(lower, side, strict=True):
        found.append(minus(row, found, x))
    return found


def back(lower, x):
    """``L'^-1 x``"""
    found = list(x)
    for i in reversed(range(len(found))):
        found[i] = minus([lower[k][i] for k in range(i + 1, len(found))], found[i + 1 :], found[i])
    return found


def scaled(inverse, x):
    """``D^-1 x``"""
    return [0.0 if none(y) else y * d for y, d in zip(x, inverse, strict=True)]
