"""Discs and spheres that slide and roll, rolling and pivoting friction, and a cube on four corners, against closed forms."""

import numpy as np
import pytest

from .impenetrable_models import G, cube, disc, moved, slopes, sphere

MU, SPEED, RADIUS = 0.2, 2.0, 0.1
STEPS = np.array([2e-3, 1e-3, 5e-4])


@pytest.mark.parametrize("hoop", [0.5, 1.0])
def test_a_disc_that_slides_comes_to_roll(hoop):
    """``v = v0/(1 + k)`` from ``t = v0 k/((1 + k) mu g)`` on: 2/3 v0 and v0/(3 mu g) of a disc (k = 1/2)."""
    rolls, when = SPEED / (1.0 + hoop), SPEED * hoop / ((1.0 + hoop) * MU * G)
    errors = []
    for step in STEPS:
        run = moved(disc(inertia=hoop), ["disc.vx", "disc.rate", "floor.slip", "floor.sticking"], end=1.0, step=step, points=0)
        errors.append(abs(run["disc.vx"][-1] - rolls))
        assert run["disc.rate"][-1] * RADIUS == pytest.approx(-run["disc.vx"][-1], abs=1e-9)
        slides = run.time < when - step
        assert np.all(run["floor.sticking"][slides] == 0.0) and np.all(run["floor.sticking"][run.time > when + 2 * step] == 1.0)
        assert run["disc.vx"][slides] == pytest.approx(SPEED - MU * G * run.time[slides], abs=1e-8)
    assert slopes(STEPS, errors) == pytest.approx(2.0, abs=0.2), errors  # the transition falls into a step, yet momenta are exact


def test_a_disc_with_spin_back_returns():
    """It slides until ``v = (v0 + k r w0)/(1 + k)``, here below zero."""
    run = moved(disc(rate=60.0), ["disc.vx"], end=2.5, step=1e-3)
    assert run["disc.vx"][-1] == pytest.approx((SPEED - 0.5 * RADIUS * 60.0) / 1.5, abs=1e-3)


def test_a_sphere_that_slides_comes_to_roll_and_keeps_its_direction():
    """5/7 v0 from ``t = 2 v0/(7 mu g)`` on; friction is against the slip, so the velocity keeps its direction."""
    errors, when = [], 2.0 * SPEED / (7.0 * MU * G)
    for step in STEPS:
        names = ["sphere.vx", "sphere.vy", "sphere.omega_x", "sphere.omega_y", "sphere.omega_z", "floor.sticking"]
        run = moved(sphere(), names, end=0.6, step=step, points=0)
        vx, vy = run["sphere.vx"], run["sphere.vy"]
        errors.append(abs(np.hypot(vx[-1], vy[-1]) - SPEED * 5.0 / 7.0))
        assert vx * 1.6 == pytest.approx(vy * 1.2, abs=1e-9)
        slides = run.time < when - step
        assert np.hypot(vx, vy)[slides] == pytest.approx(SPEED - MU * G * run.time[slides], abs=1e-8)
        assert np.all(run["floor.sticking"][run.time > when + 2 * step] == 1.0)
        assert run["sphere.omega_y"][-1] * RADIUS == pytest.approx(vx[-1], abs=1e-8)
        assert run["sphere.omega_x"][-1] * RADIUS == pytest.approx(-vy[-1], abs=1e-8)
        assert run["sphere.omega_z"] == pytest.approx(0.0, abs=1e-9)
    assert slopes(STEPS, errors) == pytest.approx(2.0, abs=0.2), errors


def test_a_sphere_with_spin_across_its_way_runs_along_a_parabola():
    """Slip keeps its direction while it slides, whatever the spin: the path is a parabola (Coriolis 1835)."""
    velocity, spin = np.array([2.0, 0.0]), (-15.0, 0.0, 0.0)
    slip = velocity + np.array([-spin[1] * RADIUS, spin[0] * RADIUS])
    pull = -MU * G * slip / np.linalg.norm(slip)
    lasts = 2.0 * np.linalg.norm(slip) / (7.0 * MU * G)
    run = moved(sphere(velocity=tuple(velocity), spin=spin), ["sphere.x", "sphere.y", "sphere.vx", "sphere.vy"], end=lasts, step=5e-4)
    assert [run["sphere.x"][-1], run["sphere.y"][-1]] == pytest.approx(velocity * lasts + 0.5 * pull * lasts**2, abs=1e-3)
    assert [run["sphere.vx"][-1], run["sphere.vy"][-1]] == pytest.approx(velocity + pull * lasts, abs=2e-3)


@pytest.mark.parametrize("build, share", [("disc", 0.5), ("sphere", 0.4)])
def test_rolling_friction_slows_what_rolls(build, share):
    """``rho g/(r (1 + k))`` as long as it rolls, and then it rests."""
    rho, speed = 0.002, 0.2
    slowing = rho * G / (RADIUS * (1.0 + share))
    if build == "disc":
        model = disc(mu=0.5, speed=speed, rate=-speed / RADIUS, rolling=rho)
    else:
        model = sphere(mu=0.5, velocity=(speed, 0.0), spin=(0.0, speed / RADIUS, 0.0), rolling=rho)
    errors = []
    for step in STEPS:
        run = moved(model, [f"{build}.vx", f"{build}.x"], end=2.0, step=step, points=0)
        exact = np.maximum(speed - slowing * run.time, 0.0)
        errors.append(np.abs(run[f"{build}.vx"] - exact).max())
        assert run[f"{build}.vx"][-1] == pytest.approx(0.0, abs=1e-6)
    assert np.all(np.array(errors) < 2.0 * slowing * STEPS), errors
    assert run[f"{build}.x"][-1] == pytest.approx(speed**2 / (2.0 * slowing), abs=speed * STEPS[-1])


def test_pivoting_friction_stops_a_spinning_sphere():
    """The spin falls by ``p m g/J`` and stays zero."""
    pivoting, spin, inertia = 0.002, 3.0, 0.4 * RADIUS**2
    run = moved(
        sphere(velocity=(0.0, 0.0), spin=(0.0, 0.0, spin), pivoting=pivoting),
        ["sphere.omega_z", "sphere.x"],
        end=1.0,
        step=1e-3,
        points=101,
    )
    exact = np.maximum(spin - pivoting * G / inertia * run.time, 0.0)
    assert run["sphere.omega_z"] == pytest.approx(exact, abs=0.01)
    assert run["sphere.omega_z"][-1] == pytest.approx(0.0, abs=1e-6) and run["sphere.x"] == pytest.approx(0.0, abs=1e-9)


def test_the_spin_of_pivoting_converges():
    """The directors' length is held up to second order in the step."""
    exact = 3.0 - 0.002 * G / (0.4 * RADIUS**2) * 0.5
    model = sphere(velocity=(0.0, 0.0), spin=(0.0, 0.0, 3.0), pivoting=0.002)
    errors = [abs(moved(model, ["sphere.omega_z"], end=0.5, step=h)["sphere.omega_z"][-1] - exact) for h in STEPS]
    assert slopes(STEPS, errors) == pytest.approx(2.0, abs=0.2), errors


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_cube_slides_down_on_four_corners(mu):
    """Normal forces of four corners are not unique; the motion is."""
    run = moved(cube(mu=mu), ["cube.vx", "cube.vy", "cube.omega_x", "cube.omega_y", "cube.omega_z"], end=0.5, step=1e-3, points=11)
    assert run["cube.vx"] == pytest.approx(-G * (np.sin(np.pi / 6) - mu * np.cos(np.pi / 6)) * run.time, abs=1e-9)
    for name in ("cube.vy", "cube.omega_x", "cube.omega_y", "cube.omega_z"):
        assert run[name] == pytest.approx(0.0, abs=1e-8), name


def test_a_cube_sticks_on_four_corners():
    run = moved(
        cube(mu=0.8),
        ["cube.x", "cube.vx", *(f"corner{k}.{x}" for k in range(4) for x in ("normal", "friction"))],
        end=0.2,
        step=1e-3,
        points=5,
    )
    assert run["cube.vx"] == pytest.approx(0.0, abs=1e-9) and run["cube.x"] == pytest.approx(0.0, abs=1e-12)
    assert sum(run[f"corner{k}.normal"][-1] for k in range(4)) == pytest.approx(G * np.cos(np.pi / 6), rel=1e-8)


@pytest.mark.parametrize("corners", [((-1, -1), (1, -1), (1, 1), (-1, 1)), ((-1, -1), (1, -1), (0, 1), (0, 0))])
def test_the_order_of_redundant_contacts_does_not_matter_to_the_motion(corners):
    names = ["cube.x", "cube.vx", "cube.vz", "cube.omega_y"]
    first, second = (
        moved(cube(speed=1.0, order=o, corners=corners), names, end=0.5, step=1e-3, points=11) for o in ((0, 1, 2, 3), (2, 0, 3, 1))
    )
    for name in names:
        assert first[name] == pytest.approx(second[name], abs=1e-7), name
