"""A model that returns curves over an axis of their own, and studies of it."""

import numpy as np

import uqmbd as uq

GRID = np.array([1.0, 2.0, 4.0, 5.0])
TIME = uq.TimeGrid(end=1.0, points=6)
BOX = {"a": uq.Interval(1.0, 2.0), "b": uq.Interval(0.0, 1.0)}


def curve(values, grid=GRID, axis="angle", unit="Pa", axis_unit="rad"):
    return uq.Curve(values, grid, axis, unit, axis_unit)


def press(a, b, time):
    return {"p": curve(a * GRID + b), "q": curve(a / GRID), "x": a * time + b, "n": a + b}


def study_of(model=press, outputs=("p", "q", "p:max", "x", "n"), method=None, time=TIME, inputs=BOX, **more):
    return uq.Study(model=model, inputs=inputs, outputs=list(outputs), method=method or uq.Chebyshev(degree=2), time=time, name="c", **more)
