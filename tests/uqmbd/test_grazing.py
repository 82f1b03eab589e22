"""Grazing of an impact oscillator's free response at a stop, in closed form."""

import numpy as np
import pytest
from scipy.optimize import brentq

import uqmbd as uq
from uqmbd.analysis.dynamics.flows import Flow
from uqmbd.analysis.dynamics.grazing import graze
from uqmbd.analysis.dynamics.returns import PeriodMap
from uqmbd.analysis.dynamics.surfaces import Stop
from uqmbd.errors import StudyError
from uqmbd.orbits import Orbits

STOP = Stop(gap=lambda x, v, w, z, d: d - x, reset=lambda x, v, w, z, d: (x, -0.8 * v))
OTHER = Stop(gap=lambda x, v, w, z, d: x + 0.3, reset=lambda x, v, w, z, d: (x, -0.8 * v))


def over(*stops, steps=60):
    flow = Flow(function=lambda t, x, v, w, z, d: (v, np.cos(w * t) - 2.0 * z * v - x), names=("x", "v"), stops=stops)
    return PeriodMap(flow=flow, over=lambda w: 2.0 * np.pi / w, steps=steps)


@pytest.mark.parametrize(("z", "d", "near"), [(0.0, 0.5, 1.7), (0.0, 2.0, 1.25), (0.05, 0.8, 1.5)])
def test_grazing_is_where_the_free_amplitude_is_the_gap(z, d, near):
    exact = brentq(lambda w: (1.0 - w**2) ** 2 + (2.0 * z * w) ** 2 - 1.0 / d**2, 1.2 if z else 1.05, 2.5, xtol=1e-13)
    at = graze(over(STOP), "w", np.array([-d, 0.0]), {"w": near, "z": z, "d": d}, np.pi / near)
    assert at.lost == "" and at.parameter == pytest.approx(exact, abs=1e-9)
    assert np.prod(at.multipliers) == pytest.approx(np.exp(-4.0 * np.pi * z / exact), abs=1e-9)


def test_an_orbit_that_goes_through_another_stop_grazes_nothing():
    at = graze(over(STOP, OTHER), "w", np.array([-0.5, 0.0]), {"w": 1.7, "z": 0.0, "d": 0.5}, np.pi / 1.7)
    assert "goes through stop 1" in at.lost and np.isnan(at.parameter)


def test_a_stop_that_is_not_there_is_told():
    with pytest.raises(StudyError, match="1 stops, none with the number 2"):
        graze(over(STOP), "w", np.zeros(2), {"w": 1.7, "z": 0.0, "d": 0.5}, 1.0, stop=2)


FIND = {"grazing": {"parameter": "w", "near": 1.7, "start": [-0.5, 0.0], "time": 1.85}}
AT = {"z": 0.0, "d": 0.5}


def bounds(inputs, method, fixed, group, out):
    study = uq.Study(
        model=lambda: over(STOP, steps=24), simulator="orbits", inputs=inputs, outputs=["grazing.w"], method=method,
        solver={"find": FIND, "at": AT, "fixed": fixed}, name="grazing",
    )  # fmt: skip
    return tuple(np.ravel(study.run(out=out, workers=0, report=False, progress=False)[group]["grazing.w"]))


def test_bounds_of_the_grazing_frequency_over_the_gap(tmp_path):
    low, high = bounds({"d": uq.Interval(0.4, 0.6)}, uq.Chebyshev(degree=8), {"z": 0.0}, "bounds", tmp_path)
    exact = np.sqrt(1.0 + 1.0 / 0.6), np.sqrt(1.0 + 1.0 / 0.4)
    assert (low, high) == pytest.approx(exact, abs=2e-6) and low <= exact[0] + 1e-8 and high >= exact[1] - 1e-8


def test_corners_of_a_box_of_damping_and_gap_reach_the_exact_grazing(tmp_path):
    found = bounds({"z": uq.Interval(0.0, 0.05), "d": uq.Interval(0.4, 0.6)}, uq.Grid(points=2), {}, "inner", tmp_path)
    p = 1.0 - 2.0 * 0.05**2  # the larger root of (1 - w^2)^2 + (2 z w)^2 = 1/d^2 falls with z and with d
    assert found == pytest.approx((np.sqrt(p + np.sqrt(p**2 - 1.0 + 1.0 / 0.6**2)), np.sqrt(1.0 + 1.0 / 0.4)), abs=1e-8)


@pytest.mark.parametrize(
    ("model", "change", "said"),
    [
        (lambda: over(STOP), {"stop": 1}, "no such stop"),
        (lambda: over(STOP), {"period": 2}, "orbits of one step"),
        (lambda: over(STOP), {"time": None}, "'time' is missing"),
        (lambda: uq.ReturnMap(flow=over(STOP).flow, surface=lambda x, v, w, z, d: v, dt=0.1), {}, "flow over a period"),
    ],
)
def test_grazing_of_what_has_none_is_told(model, change, said):
    one = {key: value for key, value in (FIND["grazing"] | change).items() if value is not None}
    with pytest.raises(StudyError, match=said):
        Orbits(model, ["grazing.w"], None, {"find": {"grazing": one}}, None)


def test_a_touch_that_is_not_found_is_a_failed_run():
    orbits = Orbits(lambda: over(STOP, steps=12), ["grazing.w"], None, {"find": FIND, "fixed": {"z": 0.3}}, None)
    found = orbits.simulate({"d": np.array([0.5, 5.0])})  # the largest amplitude of all is 1 / (2 z sqrt(1 - z^2)) = 1.747
    assert found.status[1] != 0 and "no grazing was found" in found.message[1]
