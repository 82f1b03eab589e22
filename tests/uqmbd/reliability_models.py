"""Limit states with known probabilities, and how tests run reliability on them."""

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from uqmbd.inputs import Interval, Random
from uqmbd.methods.reliability.settings import Reliability

from .loop import drive


def normal(mean, std):
    return Random({"type": "normal", "mean": mean, "std": std})


STANDARD = {"a": normal(0, 1), "b": normal(0, 1)}


LINEAR = {"a": Interval(1, 3), "b": Interval(-1, 1)}


def scalar(function):
    return lambda time, **samples: {"y:max": function(**samples)}


def found(inputs, function, **keys):
    """Statistics by name, the result, and the number of runs."""
    drive_keys = {key: keys.pop(key) for key in ("seed", "batch", "fail") if key in keys}
    result, count = drive(Reliability(output="y:max", **keys), inputs, scalar(function), **drive_keys)
    values = result.statistics["y:max"]
    return dict(zip(values["statistic"].values.tolist(), values.values.tolist(), strict=True)), result, count


def search(coroutine, g):
    """Drive a coroutine of `uqmbd.analysis` on ``g(z)``; what it returns, and the number of points."""
    count, values = 0, None
    try:
        while True:
            points = next(coroutine) if values is None else coroutine.send(values)
            count, values = count + len(points), g(points)
    except StopIteration as end:
        return end.value, count


def slab(d, beta):
    return lambda z: beta - z.sum(axis=1) / np.sqrt(d)


def four_branches(z):
    a, b = z.T
    s, t = (a + b) / np.sqrt(2), (a - b) / np.sqrt(2)
    return np.min([3 + 0.2 * t**2 - s, 3 + 0.2 * t**2 + s, 3.5 + t, 3.5 - t], axis=0)


FOUR = 2 * norm.sf(3.5) + quad(lambda t: 2 * norm.pdf(t) * norm.sf(3 + 0.2 * t * t), -3.5, 3.5, epsabs=1e-14)[0]


def linear(a, b):
    return (a + b) / np.sqrt(2)
