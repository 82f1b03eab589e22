"""Functions with known sensitivities, and how tests read them off a result."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.sensitivity import designs
from uqmbd.inputs import Interval
from uqmbd.methods import Sensitivity

PI = np.pi
ANGLES = {f"x{i}": Interval(-PI, PI) for i in (1, 2, 3)}
FIRST = np.array([0.31390519114781146, 0.4424111447900409, 0.0])  # REFERENCES, section 6
TOTAL = np.array([0.5575888552099592, 0.4424111447900409, 0.24368366406214773])
UNIT = {f"x{i}": Interval(0, 1) for i in range(1, 9)}
A = np.array([0, 1, 4.5, 9, 99, 99, 99, 99])
G_FIRST = np.array([0.7161921688790331, 0.17904804221975829, 0.02367577417781928, 0.007161921688790333])
G_TOTAL = np.array([0.7871441266592748, 0.2421981928182384, 0.03431691015408282, 0.010460387065239534])
PROBLEM = designs.problem(3)


def ishigami(time, x1, x2, x3):
    return {"f": np.sin(x1) + 7 * np.sin(x2) ** 2 + 0.1 * x3**4 * np.sin(x1)}


def ishigami_twice(time, x1, x2, x3):
    f = ishigami(time, x1, x2, x3)["f"]
    return {"f": f, "h": f[:, None]}


def waves(time, x1, x2, x3):
    """A scalar, and a history that is it, then other functions, then a constant."""
    f = ishigami(time, x1, x2, x3)["f"]
    return {"f": f, "h": np.column_stack([f, 1e6 + x1, x1 * x2 - 3 * x3, np.full_like(f, 2.5)])}


def sobol_g(time, **x):
    return {"g": np.prod([(abs(4 * v - 2) + a) / (1 + a) for v, a in zip(x.values(), A, strict=True)], axis=0)}


def morris_function(time, **x):
    """Morris (1991), with the random coefficients of low importance left at 0."""
    x = np.array(list(x.values()))
    w = 2 * (x - 0.5)
    for i in (2, 4, 6):
        w[i] = 2 * (1.1 * x[i] / (x[i] + 0.1) - 0.5)
    y = 20 * w[:10].sum(axis=0)
    y = y - 15 * sum(w[i] * w[j] for i in range(6) for j in range(i + 1, 6))
    y = y - 10 * sum(w[i] * w[j] * w[k] for i in range(5) for j in range(i + 1, 5) for k in range(j + 1, 5))
    return {"f": y + 5 * w[0] * w[1] * w[2] * w[3]}


def pick(result, kind, output="f", group="sensitivity"):
    return getattr(result, group)[output].sel(kind=kind).values


def sobol(samples=256, **more):
    return Sensitivity(approach="sobol", samples=samples, **more)
