"""Flips and folds as outputs of studies: bounds over intervals against closed forms."""

from typing import Any

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.dynamics.located import locate, locate_all
from uqmbd.analysis.dynamics.maps import FunctionMap
from uqmbd.errors import StudyError
from uqmbd.orbits import Orbits

from .exact_flows import OSCILLATOR
from .exact_impacts import impact

FLIP = {"flip": {"parameter": "a", "near": 0.36, "start": [0.9, 0.3]}}
IMPACTS = FunctionMap(function=impact, names=("phase", "v"))


def impact_flow():
    return OSCILLATOR


def henon(x, y, a, b):
    return 1.0 - a * x**2 + y, b * x


@pytest.mark.parametrize(
    ("z", "d", "r", "near", "start", "exact"),
    [
        (0.02, 0.0, 0.8, 2.65, (3.04, -0.36), 2.6556212360828315),
        (0.02, 0.0, 0.8, 1.25, (0.08, -1.14), 1.2522384879989785),
        (0.0, 0.0, 0.8, 2.65, (3.04, -0.36), 2.6533477278),
        (0.0, 0.0, 0.6, 2.65, (3.04, -0.36), 2.6557788912),
        (0.0, 0.1, 0.8, 2.45, (3.04, -0.4), 2.4549422431),
    ],
)
def test_flips_of_the_impact_oscillator(z, d, r, near, start, exact):
    at = locate(IMPACTS, "flip", "w", np.array(start), {"w": near, "z": z, "r": r, "d": d})
    assert at.parameter == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("method", "outward"), [(uq.Chebyshev(degree=8), 1e-6), pytest.param(uq.Search(fresh=100), 1e-3, marks=pytest.mark.slow)]
)  # a search adds a margin
def test_bounds_of_a_flip_over_an_interval_hold_the_exact_ones(method, outward, tmp_path):
    solver = {"states": ["x", "y"], "find": FLIP, "at": {"b": 0.3}}
    inputs = {"b": uq.Interval(0.2, 0.4)}
    study = uq.Study(model=henon, simulator=Orbits, inputs=inputs, outputs=["flip.a"], method=method, solver=solver, name="flip")
    bounds: Any = study.run(out=tmp_path, workers=0, progress=False)["bounds"]
    low, high = np.ravel(bounds["flip.a"])
    exact = 0.75 * 0.6**2, 0.75 * 0.8**2
    assert exact[0] - outward <= low <= exact[0] + 1e-6
    assert exact[1] - 1e-6 <= high <= exact[1] + outward


@pytest.mark.parametrize("kind", ["closed form", "flow"])
def test_bounds_of_an_impact_oscillators_flip_over_restitution_and_damping(kind, tmp_path):
    of_flow = kind == "flow"
    start = [0.0, -0.3568, 3.0043] if of_flow else [3.0043, -0.3568]
    find = {"flip": {"parameter": "w", "near": 2.6556, "start": start, "within": {"v": [-5.0, 0.0]}}}
    solver = {"find": find, "at": {"r": 0.8, "z": 0.02}, "fixed": {"d": 0.0}} | ({} if of_flow else {"states": ["phase", "v"]})
    inputs = {"r": uq.Interval(0.7, 0.9), "z": uq.Interval(0.0, 0.04)}
    model = impact_flow if of_flow else impact
    method = uq.Chebyshev(degree=2 if of_flow else 5)
    study = uq.Study(model=model, simulator="orbits", inputs=inputs, outputs=["flip.w"], method=method, solver=solver, name="flip")
    bounds: Any = study.run(out=tmp_path, workers=0, progress=False)["bounds"]
    low, high = np.ravel(bounds["flip.w"])
    assert (low, high) == pytest.approx(exact_bounds(), abs=5e-5 if of_flow else 1e-7)


def exact_bounds():
    """Of the flip's w over the box, by its closed form at many points: every one is checked to have the multiplier -1."""
    r, z = (each.ravel() for each in np.meshgrid(np.linspace(0.7, 0.9, 5), np.linspace(0.0, 0.04, 5)))
    w, phase, v = np.full(25, 2.6556), np.full(25, 3.0043), np.full(25, -0.3568)
    points = locate_all(IMPACTS, "flip", "w", np.stack([phase, v], axis=1), {"w": w, "r": r, "z": z, "d": 0.0})
    return min(point.parameter for point in points), max(point.parameter for point in points)


def test_an_orbit_says_whether_it_is_stable():
    find = {"orbit": {"start": [0.6]}}
    orbits = Orbits(
        lambda x, r: r * x * (1 - x), ["orbit.x", "orbit.multiplier_abs", "orbit.stable"], None, {"states": ["x"], "find": find}, None
    )
    found = orbits.simulate({"r": np.array([2.5, 3.2])}).outputs
    assert found["orbit.x"] == pytest.approx([0.6, 0.6875]) and found["orbit.multiplier_abs"] == pytest.approx([0.5, 1.2])
    assert found["orbit.stable"].tolist() == [1.0, 0.0]


def test_a_lost_point_is_a_failed_run_beside_others():
    find = {"orbit": {"start": [-0.5]}}
    orbits = Orbits(lambda x, a: x + a + x**2, ["orbit.x"], None, {"states": ["x"], "find": find}, None)
    found = orbits.simulate({"a": np.array([-0.09, 0.09])})
    assert found.outputs["orbit.x"][0] == pytest.approx(-0.3) and np.isnan(found.outputs["orbit.x"][1])
    assert found.status.tolist()[0] == 0 and found.status[1] != 0 and "orbit is lost" in found.message[1]


@pytest.mark.parametrize(("kind", "of"), [("orbit", {}), ("fold", {"parameter": "r", "near": 3.3})])
def test_an_orbit_of_fewer_steps_is_not_taken_for_one_of_the_period(kind, of):
    find = {kind: {"start": [0.69], "period": 2} | of}
    orbits = Orbits(lambda x, r, c: r * x * (1 - x) + c, [f"{kind}.x"], None, {"states": ["x"], "find": find, "fixed": {"r": 3.3}}, None)
    found = orbits.simulate({"c": np.array([0.0])})
    assert found.status[0] != 0 and np.isnan(found.outputs[f"{kind}.x"][0])
    assert kind == "fold" or "an orbit of 1 step, not 2" in found.message[0]


def test_a_section_that_is_never_passed_is_said():
    flow = uq.Flow(function=lambda x, v, k: (v, -k * x), names=("x", "v"))
    section = uq.ReturnMap(flow=flow, surface=lambda x, v, k: x - 5.0, dt=0.1, longest=50)
    orbits = Orbits(lambda: section, ["orbit.x"], None, {"find": {"orbit": {"start": [1.0, 0.0], "period": 2}}}, None)
    found = orbits.simulate({"k": np.array([1.0, 2.0])})
    assert found.message == ["orbit: the orbit is lost: the motion does not come to the section within 50 steps"] * 2


@pytest.mark.parametrize(("change", "said"), [({"at": {"c": 1.0}}, "'c' is no input"), ({"fixed": {"b": 0.3}}, "'b' is an input")])
def test_numbers_of_the_map_are_known_by_their_names(change, said):
    with pytest.raises(StudyError, match=said):
        Orbits(henon, ["flip.a"], None, {"states": ["x", "y"], "find": FLIP} | change, None).check({"b": np.array([0.3])})


def test_a_torus_of_a_map_of_one_coordinate_is_refused():
    find = {"neimark_sacker": {"parameter": "r", "near": 3.0, "start": [0.6]}}
    with pytest.raises(StudyError, match="one coordinate"):
        Orbits(lambda x, r: r * x * (1 - x), ["neimark_sacker.r"], None, {"states": ["x"], "find": find}, None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"find": {"cusp": {"start": [0, 0]}}}, "nothing to find"),
        ({"find": {"flip": {"start": [0, 0]}}}, "'parameter' is missing"),
        ({"find": {"orbit": {"start": [0]}}}, "a number for each of x, y"),
        ({"states": []}, "needs 'states'"),
        ({"near": 1}, "no setting 'near'"),
        ({"find": "flip"}, "points by name"),
        ({"find": {"flip": "a"}}, "says nothing of a point"),
        ({"find": {"orbit": {"start": 0.9}}}, "a number for each of x, y"),
        ({"find": {"orbit": {"start": [0.9, 0.3], "period": 1.5}}}, "a whole number of 1 or more"),
        ({"find": {"flip": FLIP["flip"] | {"near": "0.36"}}}, "this is a number"),
        ({"find": {"flip": FLIP["flip"] | {"within": {"x": [1.0, 0.0]}}}}, "the lower one first"),
        ({"find": {"flip": FLIP["flip"] | {"within": {"x": 1.0}}}}, "two numbers"),
        ({"at": {"b": "0.3"}}, "this is a number"),
    ],
)
def test_settings_that_say_nothing_are_told(change, said):
    with pytest.raises(StudyError, match=said):
        Orbits(henon, ["flip.a"], None, {"states": ["x", "y"], "find": FLIP} | change, None)
