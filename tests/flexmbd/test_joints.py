"""Every joint, drive and motion against a closed form; running reductions of known signals."""

import numpy as np
import pytest

from .joint_gallery import ORBIT, OUTPUTS, RADIUS, ROD, SPIN, STRETCH, SWEEP, TABLE, TILT, gallery
from .running import column, simulate

END = 5.0


@pytest.fixture(scope="module")
def shown():
    """Five seconds of the gallery."""
    run = simulate(gallery, OUTPUTS, end=END, points=101, lanes=1, tolerance=1e-12)
    return run.time, column(run)


def close(got, wanted, size=1e-9):
    """Equal to an absolute error."""
    np.testing.assert_allclose(got, wanted, rtol=0, atol=size)


def test_revolute_and_harmonic_angle_drive(shown):
    t, got = shown
    angle, rate, alpha = 0.1 + 0.7 * np.sin(3 * t + 0.2), 2.1 * np.cos(3 * t + 0.2), -6.3 * np.sin(3 * t + 0.2)
    close(got["arm.angle"], angle)
    close(got["arm.rate"], rate)
    close(got["arm.alpha"], alpha)
    close(got["arm.E.ax"], -alpha * np.sin(angle) - rate**2 * np.cos(angle))
    close(got["motor.moment"], (0.3 + 2.0 * 0.25) * alpha)
    close(got["pin.fx"], 2.0 * 0.5 * (-alpha * np.sin(angle) - rate**2 * np.cos(angle)))
    close(got["pin.fy"], 2.0 * 0.5 * (alpha * np.cos(angle) - rate**2 * np.sin(angle)))


def test_translational_keeps_line_and_angle(shown):
    t, got = shown
    axis = np.array([np.cos(TILT), np.sin(TILT)])
    pull = axis @ [6.0, -4.0]
    way = 1.0 + 0.5 * pull / 3.0 * t**2
    close(got["cart.x"], way * axis[0])
    close(got["cart.y"], way * axis[1])
    close(got["cart.angle"], 0.1 + 0 * t)
    close(got["rail.fx"], pull * axis[0] - 6.0 + 0 * t)
    close(got["rail.fy"], pull * axis[1] + 4.0 + 0 * t)
    close(got["rail.moment"], 0 * t)


def test_revolute_translational_slides_and_turns(shown):
    t, got = shown
    close(got["bead.P.x"], 0.6 * t)
    close(got["bead.P.y"], 1.0 + 0 * t)
    close(got["bead.angle"], 2.0 * t)
    close(got["line.fy"], 5.0 + 0 * t)
    close(got["line.moment"], 0 * t)


def test_slide_drive_by_a_fourier_table(shown):
    t, got = shown
    c, w = np.fft.rfft(TABLE) / len(TABLE), np.pi
    x, v, a = c[0].real + 0 * t, 0 * t, 0 * t
    for k in (1, 2):
        wave = 2.0 * c[k] * np.exp(1j * k * w * t)
        x, v, a = x + wave.real, v + (1j * k * w * wave).real, a - (k * w) ** 2 * wave.real
    close(got["slug.x"], x)
    close(got["slug.vx"], v)
    close(got["slug.ax"], a)
    close(got["slug.y"], 2.0 + 0 * t)
    close(got["stroke.fx"], 0.5 * a)
    close(got["slug.x"][[0, 8, 16, 24, 32]], TABLE)  # the table's own times: 0, 0.4 s ...


def test_slide_drive_by_a_polynomial(shown):
    t, got = shown
    close(got["lift.y"], 0.1 + t * (0.2 + t * (0.3 - 0.05 * t)))
    close(got["lift.vy"], 0.2 + t * (0.6 - 0.15 * t))
    close(got["lift.ay"], 0.6 - 0.3 * t)
    close(got["lifter.fy"], 0.9 * (0.6 - 0.3 * t))
    assert got["lift.y:final"] == pytest.approx(got["lift.y"][-1], abs=1e-14)


def test_distance_drive_keeps_angular_momentum(shown):
    t, got = shown
    r = RADIUS + STRETCH * t
    momentum = RADIUS**2 * SWEEP
    angle = momentum / STRETCH * (1 / RADIUS - 1 / r)
    close(got["comet.x"], r * np.cos(angle))
    close(got["comet.y"], r * np.sin(angle))
    close(got["tether.fx"], -0.7 * momentum**2 / r**3 * np.cos(angle))
    close(got["tether.fy"], -0.7 * momentum**2 / r**3 * np.sin(angle))


def test_fixed_joint_makes_one_body_of_two(shown):
    t, got = shown
    angle = SPIN * t
    centre = np.array([3.5 + 0.1 * t, 0.5 * SPIN * t])
    close(got["left.angle"], angle)
    close(got["right.angle"], 0.25 + angle)
    close(got["right.x"], centre[0] + 0.5 * np.cos(angle))
    close(got["right.y"], centre[1] + 0.5 * np.sin(angle))
    close(got["weld.fx"], -0.5 * SPIN**2 * np.cos(angle))
    close(got["weld.fy"], -0.5 * SPIN**2 * np.sin(angle))
    close(got["weld.moment"], 0 * t)


def test_distance_joint_holds_a_point_mass_on_a_circle(shown):
    t, got = shown
    close(got["moon.x"], 5.0 + ROD * np.cos(ORBIT * t))
    close(got["moon.vy"], ROD * ORBIT * np.cos(ORBIT * t))
    close(got["moon.ax"], -ROD * ORBIT**2 * np.cos(ORBIT * t))
    close(got["rod.tension"], 0.6 * ROD * ORBIT**2 + 0 * t)
    close(got["rod.fx"], -0.6 * ROD * ORBIT**2 * np.cos(ORBIT * t))
    close(got["rod.moment"], 0 * t)


def test_point_mass_at_rest_between_groove_and_rod(shown):
    t, got = shown
    close(got["grain.y"], 3.0 + 0 * t)
    close(got["thread.tension"], 0.7 + 0 * t)
    close(got["groove.fy"], -0.4 + 0 * t)
    close(got["groove.moment"], 0 * t)


def test_energy_of_drives_and_loads_is_booked(shown):
    _, got = shown
    close(got["energy.balance"], got["energy.balance"][0] + 0 * got["energy.balance"], 1e-7)


def test_reductions_of_a_harmonic_signal(shown):
    _, got = shown
    phase = np.linspace(0.2, 0.2 + 3 * END, 2_000_001)  # the drive's, finely
    assert got["arm.angle:max"] == pytest.approx(0.8, abs=1e-6)
    assert got["arm.angle:min"] == pytest.approx(-0.6, abs=1e-6)
    assert got["arm.angle:abs_max"] == pytest.approx(0.8, abs=1e-6)
    maxima = (np.pi / 2 + 2 * np.pi * np.arange(3) - 0.2) / 3.0  # equally high
    assert np.abs(maxima - got["arm.angle:time_of_max"]).min() < 1e-4
    assert got["arm.angle:mean"] == pytest.approx(0.1 + 0.7 * (np.cos(0.2) - np.cos(0.2 + 3 * END)) / (3 * END), abs=1e-6)
    square = 0.5 * (1 + (np.sin(2 * phase[-1]) - np.sin(2 * phase[0])) / (2 * 3 * END))
    assert got["arm.rate:rms"] == pytest.approx(2.1 * np.sqrt(square), abs=1e-6)
    assert got["arm.rate:max"] == pytest.approx(2.1, abs=1e-6)


def test_peaks_do_not_depend_on_the_grid(shown):
    _, fine = shown
    coarse = column(simulate(gallery, OUTPUTS, end=END, points=2, lanes=1, tolerance=1e-12))
    for name in OUTPUTS:
        if ":" in name:
            assert coarse[name] == fine[name], name
    loose = column(simulate(gallery, OUTPUTS, end=END, points=2, lanes=1, tolerance=1e-6))
    assert loose["slug.vx:max"] == pytest.approx(fine["slug.vx:max"], rel=1e-4)
    assert loose["slug.vx:min"] == pytest.approx(fine["slug.vx:min"], rel=1e-4)
