"""Partitioning of coordinates: rows hold to rounding, and motions are those of the explicit scheme with projections."""

import numpy as np
import pytest

import flexmbd as fm

from .running import simulate
from .test_integrator_family import pendulum, residuals, swung
from .test_redundant import four_bar, three_cranks


def slider_crank(speed, start):
    """Under gravity, of 1 and 2.5 m: the crank begins at an angle from right, in rad, with a speed in rad/s."""
    s = fm.System(gravity=(0.0, -9.81))
    c, d = np.cos(start), np.sin(start)
    lean = np.arcsin(-d / 2.5)
    at = c + 2.5 * np.cos(lean)
    spin = -speed * c / (2.5 * np.cos(lean))
    push = -speed * d - 2.5 * np.sin(lean) * spin
    middle = (0.5 * (c + at), 0.5 * d), (0.5 * (push - speed * d), 0.5 * speed * c)
    points = {"O": (-0.5, 0.0), "A": (0.5, 0.0)}
    crank = s.body(
        "crank", mass=1.0, inertia=0.1, position=(0.5 * c, 0.5 * d), velocity=(-0.5 * speed * d, 0.5 * speed * c), angle=start, rate=speed,
        points=points,
    )  # fmt: skip
    ends = {"A": (-1.25, 0.0), "B": (1.25, 0.0)}
    rod = s.body("rod", mass=2.0, inertia=1.0, position=middle[0], velocity=middle[1], angle=lean, rate=spin, points=ends)
    slider = s.body("slider", mass=1.5, inertia=0.1, position=(at, 0.0), velocity=(push, 0.0))
    pivot = s.ground.at(0.0, 0.0)
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Revolute("B", rod["B"], slider.centre))
    s.add(fm.Translational("guide", pivot, slider.centre, axis=(1.0, 0.0)))
    return s


SLIDER = ["crank.angle", "slider.x", "slider.vx", "B.fx", "energy.balance"]
MECHANISMS = {
    "slider-crank": (slider_crank, SLIDER, {"speed": [8.0, 3.0], "start": [0.3, 2.0]}),
    "four-bar": (lambda: four_bar(2), ["crank.angle", "rocker.x", "coupler.vx", "P.fx", "energy.balance"], {}),
}


@pytest.mark.parametrize("name", ["slider-crank", pytest.param("four-bar", marks=pytest.mark.slow)])
def test_motion_is_that_of_the_explicit_scheme(name):
    """Full turns of the crank through both dead centres; lanes begin with dependent coordinates of their own."""
    build, outputs, samples = MECHANISMS[name]
    options = {"end": 2.0, "points": 21, "samples": samples, "lanes": 2, "tolerance": 1e-11}
    found, wanted = (simulate(build, outputs, integrator=x, **options).outputs for x in ("partitioning", "dormand_prince"))
    if name == "slider-crank":
        assert np.ptp(wanted["crank.angle"][0]) > 2 * np.pi
    for key in outputs:
        np.testing.assert_allclose(found[key], wanted[key], rtol=0, atol=2e-7 * max(1.0, np.abs(wanted[key]).max()), err_msg=key)


def test_rows_hold_for_long():
    """250 swings at a loose tolerance: positions and velocities to rounding, at their end."""
    q, v, _, model = swung(500.0, integrator="partitioning", tolerance=1e-5, fixed=False)
    assert model.scheme.holds == ("position", "velocity")
    place, speed = residuals(model, pendulum(), q, v)
    assert place < 2e-15 and speed < 1e-14


def test_rows_that_depend_on_others_are_refused():
    with pytest.raises(fm.ModelError, match="needs independent constraint rows"):
        fm.run(
            three_cranks, {}, end=0.1, points=2, outputs=["crank0.x"], settings={"integrator": "partitioning", "constraints": "augmented"}
        )
