"""A slider in a guide without play, with dry friction: sliding, sticking, jamming; against closed forms and the horizontal problem."""

from functools import partial

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.nonsmooth import guide_friction

LENGTH, MASS, INERTIA = 0.2, 2.0, 0.01


def slider(mu=0.3, pull=0.0, *, side=0.0, arm=0.0, speed=0.0, lean=0.0):
    """Slider on a line that leans against the horizontal, pulled along at a height `arm` over its centre, and pushed aside."""
    s = fm.System(gravity=(0.0, 0.0))
    c, n = np.cos(lean), np.sin(lean)
    body = s.body("slider", mass=MASS, inertia=INERTIA, position=(0.0, 0.0), angle=lean, velocity=(speed * c, speed * n))
    law = fm.Impenetrable(friction=mu)
    s.add(fm.FrictionGuide("guide", body.centre, s.ground.at(0.0, 0.0), LENGTH, law, axis_b=(c, n)))
    s.add(fm.PointForce("pull", body.at(0.0, arm), fx=pull, fy=0.0, follower=True))
    s.add(fm.PointForce("side", body.centre, fx=0.0, fy=side, follower=True))
    return s


SETTINGS = {"integrator": "moreau", "step": 1e-3}


@pytest.mark.parametrize("scheme", ["moreau", "nonsmooth_generalized_alpha", "nonsmooth_ggl"])
@pytest.mark.parametrize("side", [-10.0, 10.0])
def test_it_slides_where_the_pull_is_above_friction_of_either_wall(scheme, side):
    """Acceleration (T - mu |F|)/m above mu |F| = 3 N, none below."""
    pulls = np.array([1.0, 2.9, 3.1, 8.0, -8.0])
    outputs = ["slider.vx:final", "guide.1.sticking:final", "guide.1.normal:final", "guide.2.normal:final"]
    settings = {"integrator": scheme, "step": 1e-3}
    r = fm.run(partial(slider, side=side), {"pull": pulls}, end=0.5, outputs=outputs, settings=settings)
    assert r.message == [""] * 5
    expected = np.sign(pulls) * np.maximum(np.abs(pulls) - 3.0, 0.0) / MASS * 0.5
    np.testing.assert_allclose(r["slider.vx:final"], expected, atol=1e-6)
    np.testing.assert_array_equal(r["guide.1.sticking:final"], [1.0, 1.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(r["guide.1.normal:final"], 0.5 * side, atol=1e-6)


def test_a_pull_at_an_arm_jams_above_the_friction_that_geometry_says():
    """Ends are pressed apart by T h/L each: sliding with T (1 - 2 mu h/L)/m, none from mu = L/(2 h) = 0.5 on, whatever the pull."""
    mu = np.array([0.1, 0.45, 0.55, 0.9])
    r = fm.run(partial(slider, pull=50.0, arm=0.2), {"mu": mu}, end=0.2, outputs=["slider.vx:final"], settings=SETTINGS)
    np.testing.assert_allclose(r["slider.vx:final"], 50.0 * np.maximum(1.0 - 2.0 * mu, 0.0) / MASS * 0.2, atol=1e-6)


def test_it_comes_to_rest_and_stays():
    """From 1 m/s with 10 N across and mu = 0.3: rest after m v/(mu F) = 2/3 s and 1/3 m, on a leaning line too; the loss is the energy."""
    for lean in (0.0, 0.4):
        outputs = ["guide.dissipated", "slider.vx", "slider.vy", "slider.x", "slider.y"]
        r = fm.run(lambda lean=lean: slider(side=10.0, speed=1.0, lean=lean), end=1.0, outputs=outputs, settings=SETTINGS, points=1001)
        speed = np.hypot(r["slider.vx"][0], r["slider.vy"][0])
        assert r.time[np.argmax(speed < 1e-9)] == pytest.approx(2.0 / 3.0, abs=2e-3)
        assert np.hypot(r["slider.x"][0, -1], r["slider.y"][0, -1]) == pytest.approx(1.0 / 3.0, rel=2e-3)
        assert r["guide.dissipated"][0, -1] == pytest.approx(1.0, rel=1e-3)
        assert speed[-1] < 1e-9


def test_a_step_is_the_horizontal_problem():
    """Percussions of one step by pivoting, for random loads, to 1e-9."""
    rng = np.random.default_rng(5)
    h, ends = 1e-3, np.array([-0.5, 0.5]) * LENGTH
    directions = np.array([[[0.0, 1.0, end], [1.0, 0.0, 0.0]] for end in ends]).reshape(4, 3)
    W = directions @ np.diag([1.0 / MASS, 1.0 / MASS, 1.0 / INERTIA]) @ directions.T
    for _ in range(10):
        pull, side, arm, mu = rng.normal(scale=10.0), rng.normal(scale=10.0), rng.uniform(0.0, 0.05), rng.uniform(0.05, 0.5)
        free = [[h * side / MASS - e * arm * pull * h / INERTIA, h * pull / MASS] for e in ends]
        expected, message = guide_friction(W, free, mu)
        outputs = ["slider.vx:final", "guide.1.normal:final", "guide.2.normal:final"]
        given = partial(slider, mu, pull, side=side, arm=arm)
        r = fm.run(given, end=h, outputs=outputs, settings={"integrator": "moreau", "step": h}, points=2)
        assert not message
        assert float(r["slider.vx:final"][0]) == pytest.approx((h * pull + expected[:, 1].sum()) / MASS, abs=1e-9)
        np.testing.assert_allclose([r[f"guide.{k}.normal:final"][0] * h for k in (1, 2)], -expected[:, 0], atol=1e-8)


def test_bad_guides_are_told():
    s = fm.System()
    body = s.body("b", mass=1.0, inertia=1.0, position=(0.0, 0.0))
    origin = s.ground.at(0.0, 0.0)
    with pytest.raises(fm.ModelError, match=r"length is -1"):
        fm.FrictionGuide("g", body.centre, origin, -1.0, fm.Impenetrable(friction=0.1))
    with pytest.raises(fm.ModelError, match=r"take Translational"):
        fm.FrictionGuide("g", body.centre, origin, 1.0, fm.Impenetrable())
    with pytest.raises(fm.ModelError, match=r"restitution is given"):
        fm.FrictionGuide("g", body.centre, origin, 1.0, fm.Impenetrable(0.5, friction=0.1))
    with pytest.raises(fm.ModelError, match=r"'guide'.*guides without play"):
        fm.run(slider, end=0.1, outputs=["slider.x"], settings={"integrator": "event_driven"})
