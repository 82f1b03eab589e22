"""Coefficients of Gauss collocation, computed in extended precision: what is rounded is each of them, once."""

import numpy as np
from numpy.polynomial import legendre

from flexmbd.integrators.polynomial import polynomials


def legendre_values(x, count):
    """P_0 to P_(count - 1) at x, and their derivatives at x, two arrays (count, len(x))."""
    p, d = [np.ones_like(x), x], [np.zeros_like(x), np.ones_like(x)]
    for k in range(1, count - 1):
        p.append(((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1))
        d.append(d[k - 1] + (2 * k + 1) * p[k])
    return np.array(p[:count]), np.array(d[:count])


def nodes_and_weights(s):
    """Gauss's nodes and weights on [0, 1], in extended precision, symmetric to the last bit."""
    x = legendre.leggauss(s)[0].astype(np.longdouble)
    for _ in range(3):
        p, d = legendre_values(x, s + 1)
        x = x - p[s] / d[s]
    x = (x - x[::-1]) / 2
    d = legendre_values(x, s + 1)[1][s]
    return (1 + x) / 2, 1 / ((1 - x * x) * d * d)


def collocation(s):
    """Numbers of the scheme with s stages, as `gauss` reads them.

    Returns
    -------
    tuple of float
        s; the matrix a, row by row, by which velocities of the stages follow from accelerations, and its square, by which places do; nodes;
        weights of the step for velocities and places; the matrix that gives Legendre coefficients of the accelerations; polynomials of the
        dense output.
    """
    c, b = nodes_and_weights(s)
    p = legendre_values(2 * c - 1, s + 1)[0]
    k = np.arange(s)
    modes = (2 * k + 1)[:, None] * p[:s] * b
    # of P_k the integral from 0 to x is (P_(k+1) - P_(k-1))(2 x - 1) / (2 (2 k + 1))
    integrals = np.array([c if n == 0 else (p[n + 1] - p[n - 1]) / (2 * (2 * n + 1)) for n in range(s)])
    a = integrals.T @ modes
    places = a @ a
    ends = b @ a
    rates = np.array([np.polynomial.Polynomial(_integral(modes[:, j].astype(float))).coef[::-1] for j in range(s)])
    dense = polynomials(rates, a.astype(float))
    return tuple(np.concatenate([[s], a.ravel(), places.ravel(), c, b, ends, modes.ravel(), dense]).astype(float).tolist())


def _integral(modes):
    """Coefficients in powers of x of the integral from 0 of a sum of Legendre polynomials of 2 x - 1."""
    total = legendre.Legendre(modes, domain=[0, 1]).integ(lbnd=0).convert(kind=np.polynomial.Polynomial).coef
    return np.pad(total, (0, len(modes) + 1 - len(total)))


__all__ = ["collocation"]
