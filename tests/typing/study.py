"""A study as a user writes it; what type checkers and editors know of the public names of uqmbd."""

from pathlib import Path
from typing import assert_type

import numpy as np
import xarray as xr

import uqmbd as uq


def mount(stiffness: float, damping: float, time: np.ndarray) -> dict[str, object]:
    """A machine on rubber."""
    x = np.exp(-damping * time) * np.cos(np.sqrt(stiffness) * time)
    frequency = np.linspace(1.0, 2.0, 5)
    return {"x": (x, "m"), "y": uq.Curve(1.0 / (stiffness - frequency**2), frequency, "frequency", unit="m/N", axis_unit="Hz")}


def study() -> uq.Study:
    """Of two tolerances."""
    return uq.Study(
        model=mount,
        inputs={"stiffness": uq.Interval(9.0, 11.0, unit="N/m"), "damping": uq.Interval(0.1, 0.2)},
        outputs=["x", "x:max", "y"],
        method=uq.Chebyshev(degree=3),
        time=uq.TimeGrid(end=1.0, points=11),
        campaign={"workers": 0},
        title="A machine on rubber",
    )


def inputs() -> dict[str, uq.Random | uq.Fuzzy]:
    """Other kinds."""
    judged = uq.Fuzzy({"type": "triangular", "lower": 0.45, "mode": 0.5, "upper": 0.55})
    return {"a": uq.Normal(1.0, 0.1), "b": uq.Uniform(0.0, 1.0, unit="mm"), "c": judged}


def told(folder: Path) -> xr.Dataset:
    """What a result knows."""
    result = study().run(workers=0, out=folder, report=False, progress=False)
    assert isinstance(result, uq.Result)
    assert_type(result.bounds, xr.Dataset)
    assert_type(result.outputs, list[str])
    again = uq.open_results(folder)
    assert_type(again, uq.Result)
    return again.bounds


def asked(file: Path) -> uq.Study:
    """A study file."""
    found = uq.Study.from_file(file)
    assert_type(found, uq.Study)
    return found
