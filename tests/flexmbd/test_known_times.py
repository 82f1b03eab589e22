"""Known times are ends of steps: corners of tables, ends of pulses and switches, of each sample its own, in every scheme."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.lanes import select, sincos

MASS, PEAK, WIDTH, END = 1.7, 2400.0, 1e-3, 10.0
SCHEMES = {
    "dormand_prince": {},
    "rosenbrock": {},
    "generalized_alpha": {},
    "rk4": {"step": 0.01},
    "ggl": {"step": 0.01, "fixed": True},
    "moreau": {"step": 0.01},
    "dop853": {},
    "gauss_16": {},
}
STARTS = np.array([0.7313, 3.3217, 6.0, 9.4441])


def rectangle(t, d, v, start, width, size):
    """Force along x between two times, and nothing along y."""
    return select((t > start) & (t < start + width), size, 0.0), 0.0


def pushed(start):
    """A free body with a rectangular push of its own time, and another that each sample has at the same one: a triangle."""
    s = fm.System(gravity=(0.0, 0.0))
    body, other = (s.body(name, mass=MASS, inertia=0.1) for name in "ab")
    numbers = {"start": start, "width": WIDTH, "size": PEAK}
    s.add(fm.UserForce("push", s.ground.at(0.0, 0.0), body.centre, rectangle, numbers))
    triangle = fm.Table((0.0, 5.2, 5.2 + WIDTH / 3, 5.2 + WIDTH, END), (0.0, 0.0, PEAK, 0.0, 0.0))
    s.add(fm.PointForce("pull", other.centre, fx=triangle))
    return s


@pytest.mark.parametrize("integrator", SCHEMES)
def test_a_pulse_of_a_millisecond_gives_its_impulse(integrator):
    settings = {"integrator": integrator, "lanes": 4, **SCHEMES[integrator]}
    found = fm.run(pushed, {"start": STARTS}, end=END, points=11, outputs=["a.vx", "b.vx"], settings=settings)
    assert np.all(found.status == 0)
    np.testing.assert_allclose(found["a.vx"][:, -1], PEAK * WIDTH / MASS, rtol=1e-8)
    np.testing.assert_allclose(found["b.vx"][:, -1], PEAK * WIDTH / 2 / MASS, rtol=1e-4)
    for k, start in enumerate(STARTS):
        assert np.all(found["a.vx"][k, np.linspace(0.0, END, 11) < start] == 0.0)


def test_a_spline_gives_its_impulse():
    """A cubic table over 3 ms in 10 s."""
    x = (0.0, 2.0, 2.001, 2.002, 2.003, 4.0)
    table = fm.Table(x, (0.0, 0.0, 800.0, 500.0, 0.0, 0.0), kind="natural")
    s = fm.System(gravity=(0.0, 0.0))
    s.add(fm.PointForce("push", s.body("a", mass=MASS, inertia=0.1).centre, fx=table))
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(x, table.y, bc_type="natural")
    found = fm.run(s, end=END, points=11, outputs=["a.vx"])
    np.testing.assert_allclose(found["a.vx"][-1], spline.integrate(0.0, 4.0) / MASS, rtol=1e-6)


def test_what_is_driven_follows_a_table_that_turns_within_milliseconds():
    """A body driven by a spline that leaves rest for 4 ms in 10 s: angles and rates are the spline's just behind, and 5 s on."""
    from scipy.interpolate import CubicSpline

    x = (0.0, 3.9, 3.999, 4.0, 4.002, 4.004, 4.005, 4.1, 10.0)
    y = (0.0, 0.0, 0.0, 0.0, 0.01, 0.02, 0.02, 0.02, 0.02)
    s = fm.System(gravity=(0.0, 0.0))
    bar = s.body("bar", mass=1.0, inertia=0.2)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), bar.centre))
    s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), bar.centre, fm.Table(x, y, kind="natural", beyond="extrapolate")))
    found = fm.run(s, end=10.0, points=2501, outputs=["bar.angle", "bar.rate"])
    t, spline = np.linspace(0.0, 10.0, 2501), CubicSpline(x, y, bc_type="natural")
    assert int(found.status) == 0
    np.testing.assert_allclose(found["bar.angle"], spline(t), atol=1e-7)
    np.testing.assert_allclose(found["bar.rate"], spline(t, 1), atol=1e-4 * np.abs(spline(t, 1)).max())


@pytest.mark.parametrize("end", (2.0, 3.0))
@pytest.mark.parametrize("integrator", ("dormand_prince", "generalized_alpha"))
def test_the_book_of_energy_closes_where_a_drive_stops_at_once(integrator, end):
    """A spline that is held beyond its last point, with a slope there: a body driven by it stops, and the run goes on, or ends there."""
    s = fm.System(gravity=(0.0, 0.0))
    bar = s.body("bar", mass=1.0, inertia=0.2)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), bar.centre))
    s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), bar.centre, fm.Table((0.0, 1.0, 2.0), (0.0, 0.3, 1.1), kind="natural")))
    found = fm.run(s, end=end, points=5, outputs=["bar.angle"], settings={"integrator": integrator})
    assert int(found.status) == 0 and abs(found.statistics["energy.off"]) < 1e-6
    assert found["bar.angle"].ravel()[-1] == pytest.approx(1.1, abs=1e-6)


def test_a_run_cut_at_a_known_time_and_between_two_gives_the_same():
    samples = {"start": STARTS[:2]}
    sim = fm.compile(pushed, samples, outputs=["a.vx"], end=END, settings={"lanes": 4})
    state = sim.start(samples)
    whole = sim.step(state.copy(), END)
    for t in (STARTS[0], 0.7318, STARTS[1], 3.32215, 5.2, 8.0, END):
        state = sim.step(state, t)
    np.testing.assert_allclose(state["coordinates"], whole["coordinates"], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(state["velocities"], whole["velocities"], rtol=1e-7, atol=1e-9)


def square(t, d, v, rate, level, size):
    """Force along x while a sine is above a level, and along y while a cosine, lifted and turned over, is."""
    s, c = sincos(rate * t + 0.3)
    return select(s > level, size, 0.0), select(0.5 - 2.0 * c > level, size, 0.0)


@pytest.mark.parametrize("integrator", ["dormand_prince", "rk4", "ggl"])
def test_a_square_wave_of_a_sine_gives_its_impulse(integrator):
    """Times with force: those of the sine above the level, found by a fine grid; one level is never reached."""
    rates, levels, end = np.array([7.0, 31.0, 3.3]), np.array([0.2, -0.6, 1.5]), 2.0

    def waved(rate, level):
        s = fm.System(gravity=(0.0, 0.0))
        body = s.body("a", mass=MASS, inertia=0.1)
        s.add(fm.UserForce("push", s.ground.at(0.0, 0.0), body.centre, square, {"rate": rate, "level": level, "size": PEAK}))
        return s

    settings = {"integrator": integrator, **SCHEMES[integrator]}
    found = fm.run(waved, {"rate": rates, "level": levels}, end=end, points=2, outputs=["a.vx", "a.vy"], settings=settings)
    assert np.all(found.status == 0)
    t = (np.arange(2_000_000) + 0.5) * (end / 2_000_000)
    for k, (rate, level) in enumerate(zip(rates, levels, strict=True)):
        for key, wave in (("a.vx", np.sin(rate * t + 0.3)), ("a.vy", 0.5 - 2.0 * np.cos(rate * t + 0.3))):
            assert found[key][k, -1] == pytest.approx(PEAK * end * np.mean(wave > level) / MASS, rel=1e-5, abs=1e-9)
