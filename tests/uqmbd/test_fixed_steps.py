"""Studies of mechanisms with fixed steps: the error of the step beside exact motions, percussions that are called forces."""

import numpy as np
import pytest

import flexmbd as fm
import uqmbd as uq

G, E = 9.81, 0.6


def dropped(height):
    """A ball on a floor that it cannot penetrate."""
    s = fm.System(gravity=(0.0, -G))
    ball = s.body("ball", mass=1.0, inertia=0.004, position=(0.0, 0.1 + height))
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, fm.Impenetrable(E)))
    return s


def swung(rate):
    """A pendulum without contacts."""
    s = fm.System(gravity=(0.0, -G))
    rod = s.body("rod", mass=1.0, inertia=0.02, position=(0.0, -0.4), rate=rate, velocity=(0.4 * rate, 0.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod.at(0.0, 0.4)))
    return s


def exact_height(height, end):
    """After one impact."""
    fall = np.sqrt(2 * height / G)
    return 0.1 + E * G * fall * (end - fall) - 0.5 * G * (end - fall) ** 2


def study(out, model, inputs, outputs, method, end, **solver):
    about = {"time": uq.TimeGrid(end=end, points=21), "solver": solver, "name": "fixed"}
    return uq.Study(model=model, inputs=inputs, outputs=outputs, method=method, **about).run(
        workers=0, out=out, progress=False, report=False
    )


@pytest.fixture(scope="module")
def bounced(tmp_path_factory):
    outputs = ["ball.y", "ball.y:final", "floor.normal:max", "floor.normal", "floor.normal:mean", "floor.impulse:final"]
    method = uq.Search(max_runs=400, fresh=120)
    out = tmp_path_factory.mktemp("bounced")
    return study(out, dropped, {"height": uq.Interval(0.8, 1.2)}, outputs, method, 0.7, step=1e-3), out


def test_the_error_of_a_step_over_an_impact_is_that_beside_the_exact_motion(bounced):
    result, _ = bounced
    heights, found = (result.runs[name].values for name in ("input:height", "ball.y:final"))
    made = np.abs(found - exact_height(heights, 0.7))
    assert 1e-4 < made.max() < 3 * float(result.step_error["ball.y:final"]) < 30 * made.max()
    assert float(result.step_error["ball.y"][0]) == 0.0  # all begin where they are put
    (said,) = [note for note in result.facts.notes if note.startswith("step of 1 ms: error of the step up to ")]
    assert "mm of ball.y" in said and "floor.normal:max" not in said and said in result.attrs["warnings"]


@pytest.mark.parametrize("name", ["floor.normal:max", "floor.normal"])
def test_a_percussion_is_never_trusted_as_a_force(name, bounced):
    result, _ = bounced
    assert not result.trusted[name].any() and "percussion" in result.trusted[name].attrs["why"]
    assert any(name in note and "percussion by the length of a step" in note for note in result.facts.notes)


def test_impulses_and_mean_forces_are_trusted(bounced):
    result, _ = bounced
    for name, times in (("floor.impulse:final", 1.0), ("floor.normal:mean", 1 / 0.7)):
        assert bool(result.trusted[name])
        upper = float(result.bounds[name].sel(bound="upper")) / times
        assert upper == pytest.approx((1 + E) * np.sqrt(2 * G * 1.2), rel=0.01)


def test_the_stored_result_and_its_report_say_both(bounced):
    from uqmbd.report.page import _warnings

    result, out = bounced
    again = uq.open_results(out)
    text = " ".join(_warnings(again)).lower()
    assert "percussion" in text and "error of the step up to" in text
    assert again.step_error.equals(result.step_error) and again.trusted.equals(result.trusted)


def test_a_fixed_step_of_high_order_costs_what_its_order_says(tmp_path):
    inputs, outputs = {"rate": uq.Interval(1.0, 2.0)}, ["rod.angle:final"]
    coarse, fine = (
        study(tmp_path / str(step), swung, inputs, outputs, uq.Chebyshev(degree=6), 1.0, integrator="rk4", step=step)
        for step in (0.01, 0.005)
    )
    ratio = float(coarse.step_error["rod.angle:final"]) / float(fine.step_error["rod.angle:final"])
    assert 13.0 < ratio < 30.0 and bool(coarse.trusted["rod.angle:final"])  # between the orders 4 and 5
    reference = fm.run(swung, {"rate": fine.runs["input:rate"].values}, end=1.0, outputs=outputs, settings={"tolerance": 1e-11})
    made = np.abs(coarse.runs["rod.angle:final"].values - reference["rod.angle:final"]).max()
    assert float(coarse.step_error["rod.angle:final"]) == pytest.approx(made, rel=0.25)


@pytest.mark.parametrize("solver", [{"fixed": True, "step": 0.01}, {"step": 0.01}], ids=["fixed", "adaptive"])
def test_an_adaptive_scheme_has_an_error_of_the_step_where_it_is_fixed(solver, tmp_path):
    inputs = {"rate": uq.Interval(1.0, 2.0)}
    result = study(tmp_path, swung, inputs, ["rod.angle:final"], uq.Chebyshev(degree=6), 1.0, integrator="dormand_prince", **solver)
    assert ("rod.angle:final" in result.step_error) == ("fixed" in solver)
