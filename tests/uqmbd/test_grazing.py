"""Grazing of an impact oscillator's free response at a stop, in closed form."""

import numpy as np
import pytest
from scipy.optimize import brentq

from uqmbd.analysis.dynamics.flows import Flow
from uqmbd.analysis.dynamics.grazing import graze
from uqmbd.analysis.dynamics.returns import PeriodMap
from uqmbd.analysis.dynamics.surfaces import Stop
from uqmbd.errors import StudyError

STOP = Stop(gap=lambda x, v, w, z, d: d - x, reset=lambda x, v, w, z, d: (x, -0.8 * v))
OTHER = Stop(gap=lambda x, v, w, z, d: x + 0.3, reset=lambda x, v, w, z, d: (x, -0.8 * v))


def over(*stops):
    flow = Flow(function=lambda t, x, v, w, z, d: (v, np.cos(w * t) - 2.0 * z * v - x), names=("x", "v"), stops=stops)
    return PeriodMap(flow=flow, over=lambda w: 2.0 * np.pi / w, steps=60)


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
