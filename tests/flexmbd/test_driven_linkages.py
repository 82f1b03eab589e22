"""Slider-crank and four-bar linkage over two turns against closed-form kinematics and Newton-Euler by hand."""

import numpy as np
import pytest

from .driven import BAR_SPEED, OUTPUTS, SPEED, four_bar, mechanisms, newton_euler, slider_crank
from .running import column, simulate


@pytest.fixture(scope="module")
def turns():
    """Two turns of the slider-crank and one and a half of the four-bar."""
    run = simulate(mechanisms, OUTPUTS, end=2 * 2 * np.pi / SPEED, points=201, lanes=1, tolerance=1e-13)
    return run.time, column(run)


def agree(got, wanted, share=1e-9):
    """Equal to a share of the largest value."""
    np.testing.assert_allclose(got, wanted, rtol=0, atol=share * np.abs(wanted).max())


def test_slider_crank_moves_as_its_triangle_says(turns):
    t, got = turns
    rod, slider = slider_crank(t)
    for name, wanted in zip(("rod.angle", "rod.rate", "rod.alpha", "slider.x", "slider.vx", "slider.ax"), (*rod, *slider), strict=True):
        agree(got[name], wanted)


def test_reactions_and_driving_moment_are_those_of_newton_and_euler(turns):
    t, got = turns
    a, b, o, moment = newton_euler(t)
    for name, wanted in (("A", a), ("B", -b), ("O", o)):  # B acts on the slider, its second body
        agree(got[f"{name}.fx"], wanted[0])
        agree(got[f"{name}.fy"], wanted[1])
    agree(got["guide.fy"], b[1])
    agree(got["drive.moment"], moment)
    assert np.abs(got["guide.moment"]).max() < 1e-9 * np.abs(moment).max()


def test_four_bar_moves_as_its_circles_say(turns):
    t, got = turns
    assert BAR_SPEED * t[-1] > 2 * np.pi
    coupler, rocker = four_bar(t).transpose(1, 0, 2)
    for body, wanted in (("coupler", coupler), ("rocker", rocker)):
        for key, x in zip(("angle", "rate", "alpha"), wanted, strict=True):
            agree(got[f"{body}.{key}"], x)


def test_drive_puts_in_what_becomes_kinetic_energy(turns):
    _, got = turns
    kinetic = got["energy.kinetic"]
    assert np.ptp(kinetic) > 0.1 * kinetic.max()
    agree(got["energy.drive"] + kinetic[0], kinetic)
    agree(got["energy.balance"], np.full_like(kinetic, kinetic[0]))
