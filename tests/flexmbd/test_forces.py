"""Every force element against a closed form: gravity, loads, torque, springs."""

import numpy as np
import pytest

from .force_gallery import OUTPUTS, G, damped, gallery
from .running import column, simulate

STIFFNESS, DAMPING = (30.0, 45.0), (0.8, 0.0)


@pytest.fixture(scope="module", params=[0, 1], ids=["damped", "undamped"])
def shown(request):
    """Four seconds of the gallery, with and without damping of the springs."""
    run = simulate(
        gallery, OUTPUTS, end=4.0, points=81, tolerance=1e-12,
        samples={"turns": [5.0, -3.25], "stiffness": STIFFNESS, "damping": DAMPING},
    )  # fmt: skip
    i = request.param
    return i, run.time, column(run, i)


def close(got, wanted, size=1e-9):
    """Equal to an absolute error."""
    np.testing.assert_allclose(got, wanted, rtol=0, atol=size)


def test_thrown_body_turns_about_its_centre_of_mass(shown):
    _, t, got = shown
    c, s = np.cos(0.3), np.sin(0.3)
    ox, oy = 0.2 * c + 0.1 * s, 0.2 * s - 0.1 * c  # from frame to centre at the start
    x, y = ox + (2.0 - 4.0 * oy) * t, oy + (5.0 + 4.0 * ox) * t - 0.5 * G * t**2
    close(got["stone.x"], x)
    close(got["stone.y"], y)
    close(got["stone.angle"], 0.3 + 4.0 * t)
    c, s = np.cos(4.0 * t), np.sin(4.0 * t)
    rx, ry = -(ox * c - oy * s), -(ox * s + oy * c)
    close(got["stone.O.x"], x + rx)
    close(got["stone.O.y"], y + ry)
    close(got["stone.O.vx"], 2.0 - 4.0 * oy - 4.0 * ry)
    close(got["stone.O.ax"], -16.0 * rx)


def test_follower_force_turns_with_its_body(shown):
    _, t, got = shown
    f, w = np.array([5.0, 1.0]) / 2.0, 3.0
    s, c = np.sin(w * t) / w, (1.0 - np.cos(w * t)) / w
    close(got["rocket.vx"], f[0] * s - f[1] * c)
    close(got["rocket.vy"], f[0] * c + f[1] * s - G * t)


def test_force_off_the_centre_has_a_moment(shown):
    _, t, got = shown
    close(got["lever.alpha"], 2.0 * 0.7 / 0.4 + 0 * t)


def test_torque_by_a_motion(shown):
    _, t, got = shown
    peak = 1.5 / 0.6 / 2.0
    close(got["wheel.rate"], peak * (np.cos(0.3) - np.cos(2 * t + 0.3)))
    close(got["wheel.angle"], peak * (np.cos(0.3) * t - 0.5 * (np.sin(2 * t + 0.3) - np.sin(0.3))))


def test_force_by_a_motion_and_a_number(shown):
    _, t, got = shown
    close(got["shaken.x"], 3.0 / 0.5 / 5.0 * (t - np.sin(5.0 * t) / 5.0))
    close(got["shaken.y"], 0 * t)


def test_spring_of_no_length_is_an_isotropic_oscillator(shown):
    i, t, got = shown
    sag = -1.5 * G / STIFFNESS[i]
    close(got["soft.x"], damped(t, 0.3, -0.4, 1.5, STIFFNESS[i], 0.0)[0])
    close(got["soft.y"], sag + damped(t, 0.2 - sag, 0.7, 1.5, STIFFNESS[i], 0.0)[0])


def test_point_mass_moves_like_a_body_that_is_held_at_its_centre(shown):
    i, t, got = shown
    close(got["pea.x"], damped(t, 0.3, -0.4, 1.5, STIFFNESS[i], 0.0)[0])
    close(got["pea.y"], got["soft.y"])
    close(got["pea.ay"], -G - STIFFNESS[i] / 1.5 * got["pea.y"])


def test_damper_of_a_spring_of_no_length_acts_along_the_line(shown):
    i, t, got = shown
    sag = -1.5 * G / STIFFNESS[i]
    close(got["drop.x"], 9.0 + 0 * t)
    close(got["drop.y"], sag + damped(t, -1.2 - sag, 0.0, 1.5, STIFFNESS[i], DAMPING[i])[0])


def test_spring_with_a_free_length(shown):
    i, t, got = shown
    rest = -0.9 - 1.5 * G / STIFFNESS[i]
    y, v = damped(t, -1.2 - rest, 0.0, 1.5, STIFFNESS[i], DAMPING[i])
    close(got["hung.x"], 7.0 + 0 * t)
    close(got["hung.y"], rest + y)
    close(got["coil.length"], -(rest + y))
    close(got["coil.force"], STIFFNESS[i] * (-(rest + y) - 0.9) - DAMPING[i] * v, 1e-8)


def test_torsion_spring_counts_full_turns(shown):
    i, t, got = shown
    start = 2 * np.pi * (5.0, -3.25)[i]
    twist, rate = damped(t, start - 0.5, 0.0, 0.05, 0.2, 0.004)
    close(got["balance.angle"], 0.5 + twist, 1e-8)
    close(got["balance.rate"], rate, 1e-8)
    close(got["hair.angle"], twist, 1e-8)
    close(got["hair.moment"], 0.2 * twist + 0.004 * rate, 1e-8)


def test_books_balance(shown):
    i, _, got = shown
    close(got["energy.balance"], got["energy.balance"][0] + 0 * got["energy.balance"], 1e-7)
    assert got["energy.dissipated"][-1] > 0
