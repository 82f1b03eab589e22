"""Constraint rows and their derivatives as numpy arrays and sparse matrices: of quadratic rows from tables, of others by programs."""

import numpy as np

from flexmbd.language.arrays import Pattern


class Rows:
    """Values and derivatives of rows ``Phi(q, t)``, or of their partial derivatives by time; all patterns are fixed.

    Quadratic rows are ``c + b.q + 1/2 q.A q``; of others every derivative is a node.

    Parameters
    ----------
    equations : Equations
    rows : list of Row
    rate : bool
        The partial derivatives by time.

    Attributes
    ----------
    labels : list of str
    """

    def __init__(self, equations, rows, *, rate=False):
        problem = equations.problem
        polynomials = [row.polynomial.time_derivative(problem.time) if rate else row.polynomial for row in rows]
        self.labels, self._count, n = [row.label for row in rows], len(rows), equations.n
        terms = {(k, *key): c for k, p in enumerate(polynomials) if p.quadratic for key, c in p.terms.items()}
        keys = sorted(terms, key=len)
        self._coefficients = equations.program([terms[key] for key in keys])
        self._split = [sum(len(key) <= size for key in keys) for size in (1, 2)]
        one, two, three = keys[: self._split[0]], keys[self._split[0] : self._split[1]], keys[self._split[1] :]
        (self._c,), (self._bk, self._bi), (self._ak, self._ai, self._aj) = _columns(one, 1), _columns(two, 2), _columns(three, 3)
        k, i, j = self._ak, self._ai, self._aj

        self._others = [(m, p) for m, p in enumerate(polynomials) if not p.quadratic]
        slopes = {(m, i): x for m, p in self._others for i, x in p.gradient(problem.q).items()}
        self._fk, self._fi = _columns(slopes, 2)
        self._slopes = equations.program(list(slopes.values()))
        self._values = equations.program([p.value(problem.q) for _, p in self._others])
        curved = {(m, *pair): x for m, p in self._others for pair, x in p.hessian().items()}
        self._hk, self._hi, self._hj = _columns(curved, 3)
        self._curved = equations.program(list(curved.values()))
        self._apart = self._hi != self._hj

        self._gradient = Pattern(np.r_[self._bk, k, k, self._fk], np.r_[self._bi, i, j, self._fi], (self._count, n))
        rows, columns = np.r_[i, j, self._hi, self._hj[self._apart]], np.r_[j, i, self._hj, self._hi[self._apart]]
        self._hessian = Pattern(rows, columns, (n, n))
        self._members, self._columns = np.r_[k, k, self._hk, self._hk[self._apart]], columns
        self._turning = Pattern(self._members, rows, (self._count, n))

    def _at(self, t):
        return np.split(self._coefficients({"t": t}), self._split)

    def value(self, q, t):
        """Values (rows,)."""
        c, b, a = self._at(t)
        q = np.asarray(q)
        parts = np.r_[c, b * q[self._bi], a * q[self._ai] * q[self._aj], self._values({"q": q, "t": t})]
        return np.bincount(np.r_[self._c, self._bk, self._ak, [k for k, _ in self._others]].astype(int), parts, self._count)

    def gradient(self, q, t):
        """First derivatives, csr (rows, n)."""
        _, b, a = self._at(t)
        q = np.asarray(q)
        return self._gradient.fill(np.r_[b, a * q[self._aj], a * q[self._ai], self._slopes({"q": q, "t": t})])

    def _second(self, q, t):
        """Second derivatives, both triangles, each with its row in `_members`."""
        _, _, a = self._at(t)
        own = self._curved({"q": np.asarray(q), "t": t})
        return np.r_[a, a, own, own[self._apart]]

    def hessian(self, q, multipliers, t):
        """Second derivatives, weighted and summed, csr (n, n)."""
        return self._hessian.fill(self._second(q, t) * np.asarray(multipliers)[self._members])

    def turning(self, q, v, t):
        """Derivatives by q of the first derivatives times v, csr (rows, n)."""
        return self._turning.fill(self._second(q, t) * np.asarray(v)[self._columns])


def _columns(keys, width):
    """Columns of integer keys, as `width` arrays."""
    return tuple(np.array(list(keys), int).reshape(-1, width).T)
