"""Delayed feedback that acts all the time: characteristic roots in closed form, Roessler's orbit, what is held and what is not."""

import numpy as np
import pytest
from scipy.special import lambertw

import uqmbd as uq
from uqmbd.analysis.dynamics.delays import Continuous
from uqmbd.analysis.dynamics.derivatives import by_differences
from uqmbd.analysis.dynamics.shooting import multipliers
from uqmbd.chaos_control import ChaosControl
from uqmbd.errors import StudyError

SPIRAL = uq.Flow(function=lambda t, x, v, c, force: (v, force - x + c * v + np.cos(2.0 * t)), names=("x", "v"))


def line(gain, steps):
    base = uq.PeriodMap(flow=uq.Flow(function=lambda x, force: force - 0.5 * x, names=("x",)), over=1.0, steps=steps)
    return Continuous(base=base, parameter="force", gain=np.array([gain]))


@pytest.mark.parametrize("gain", [0.3, -0.7, 2.0])
def test_multipliers_of_a_linear_equation_are_its_characteristic_roots(gain):
    exact = abs(np.exp(lambertw(gain * np.exp(0.5 + gain)) - 0.5 - gain))  # the rightmost s = -0.5 - gain (1 - exp(-s))
    off = [abs(line(gain, n).orbits(np.zeros((1, 1)), {"force": 0.0}).multipliers[0, 0]) - exact for n in (20, 40)]
    assert abs(off[1]) < 1e-9
    assert np.log2(off[0] / off[1]) == pytest.approx(4.0, abs=0.2)


@pytest.mark.parametrize(("c", "steady"), [(0.19, True), (0.21, False)])
def test_an_unstable_oscillator_is_held_from_half_its_damping_on(c, steady):
    """x'' - c x' + x = -K (x'(t) - x'(t - pi)) has the roots +-i where K = c / 2; the drive does nothing to that."""
    fed = Continuous(base=uq.PeriodMap(flow=SPIRAL, over=np.pi, steps=40), parameter="force", gain=np.array([0.0, 0.1]))
    found = fed.orbits(np.array([[-0.3, 0.1]]), {"c": c, "force": 0.0})
    # of x'' - c x' + x = cos 2 t: x = (-3 cos 2 t - 2 c sin 2 t) / (9 + 4 c^2)
    assert found.states[0] == pytest.approx(np.array([-3.0, -4.0 * c]) / (9.0 + 4.0 * c**2), abs=1e-9)
    assert (abs(found.multipliers[0, 0]) < 1.0) == steady


@pytest.mark.parametrize(("gain", "largest"), [(0.0, 2.403954), (0.05, None), (0.2, 0.0), (1.0, None)])
def test_the_orbit_of_roesslers_equations_is_held_by_some_gains(gain, largest):
    """The orbit of one turn, whose time is 5.88, is held by K = 0.2 and by neither 0.05 nor 1; its phase is free, a multiplier of one."""
    flow = uq.Flow(function=lambda x, y, z, force: (-y - z, x + 0.2 * y + force, 0.2 + z * (x - 5.7)), names=("x", "y", "z"))
    fed = Continuous(base=uq.PeriodMap(flow=flow, over=5.881088455553838, steps=80), parameter="force", gain=np.array([0.0, gain, 0.0]))
    begun = fed.begun(np.array([[-7.21111866, 0.0, 1.55446479e-2]]), {"force": 0.0})
    found = multipliers(fed.tangent(begun, {"force": 0.0})[1])[0]
    phase = np.abs(found - 1.0).argmin()
    assert abs(found[phase] - 1.0) < 1e-3
    others = np.abs(np.delete(found, phase)).max()
    assert (others < 0.9) if gain == 0.2 else (others > 1.05)
    if gain == 0.0:
        assert others == pytest.approx(largest, abs=2e-3)  # that of the map from section to section, without feedback


def test_derivatives_are_those_of_differences():
    flow = uq.Flow(function=lambda t, x, v, c, force: (v, force - x**3 + c * v + np.cos(t)), names=("x", "v"))
    fed = Continuous(base=uq.PeriodMap(flow=flow, over=2.0, steps=4), parameter="force", gain=np.array([0.2, 0.3]), limit=0.3)
    x = np.random.default_rng(1).uniform(-1, 1, (3, 10))
    by_state, by_parameter = fed.tangent(x, {"c": 0.1, "force": 0.0}, ("c",))[1:]
    assert by_state == pytest.approx(by_differences(lambda at: fed.step(at, {"c": 0.1, "force": 0.0}), x, 1e-4)[1], abs=1e-8)
    slope = by_differences(lambda at: fed.step(np.tile(x, (len(at) // 3, 1)), {"c": at[:, 0], "force": 0.0}), np.full((3, 1), 0.1), 1e-4)[1]
    assert by_parameter == pytest.approx(slope, abs=1e-8)


def control(outputs, model=None, **change):
    settings = {"parameter": "force", "fixed": {"force": 0.0}, "at": {"c": 0.1}, "near": [-0.3, 0.0], "start": [-0.3, 0.1]}
    settings |= {"way": "continuous", "gain": [0.0, 0.1], "limit": 1.0, "steps": 80, "still": 5, "tolerance": 1e-4} | change
    return ChaosControl(model or (lambda: uq.PeriodMap(flow=SPIRAL, over=np.pi, steps=16)), outputs, None, settings, None)


def test_it_holds_where_the_roots_say_and_does_nothing_there():
    found = control(["control.holds", "control.effort", "control.multiplier_abs", "control.change"])
    assert set(found.check({"c": np.array([0.1])})) == set(found.outputs)
    outputs = found.simulate({"c": np.array([0.05, 0.12, 0.23])}).outputs
    assert outputs["control.holds"].tolist() == [1, 1, 0]
    assert (outputs["control.multiplier_abs"] < 1).tolist() == [True, True, False]
    assert outputs["control.effort"][:2] == pytest.approx(0.0, abs=1e-4) and outputs["control.change"].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gain": None}, r"no gain is found[\s\S]* write gain = \[0.0, 0.4\]"),
        ({"clipped": False}, "at its limit beyond it"),
        ({"model": lambda x, v, c, force: (x, v), "states": ["x", "v"]}, "of a flow over a period"),
        ({"near": [np.nan, 0.0]}, "no orbit to control"),
    ],
)
def test_what_cannot_be_fed_back_all_the_time_is_said(change, said):
    with pytest.raises(StudyError, match=said):
        control(["control.holds"], **change).check({"c": np.array([0.1])})


def test_a_flow_with_stops_is_refused():
    wall = uq.Stop(gap=lambda x, v, c, force: 1.0 - x, reset=lambda x, v, c, force: (x, -v))
    flow = uq.Flow(function=SPIRAL.function, names=SPIRAL.names, stops=(wall,))
    with pytest.raises(StudyError, match="flows without stops"):
        control(["control.holds"], model=lambda: uq.PeriodMap(flow=flow, over=np.pi))
