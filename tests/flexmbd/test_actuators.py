"""Actuators within limits and controllers with states: linear closed forms, saturation, steady states, power."""

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid, solve_ivp

import flexmbd as fm
from flexmbd.analysis.reference import reference

from .running import column, simulate
from .tangents import jacobian

G = 9.81
MASS, LENGTH, INERTIA = 1.2, 0.5, 0.08
TOTAL, WEIGHT = INERTIA + MASS * LENGTH**2, MASS * G * LENGTH  # about the pivot; moment of the weight for a radian
TARGET, KP, KI, KD, FILTER = 1e-4, 9.0, 12.0, 1.5, 0.05
CART, FORCE, STEP, LOAD = 2.0, 5.0, 1.0, 3.0
GAINS = {"kp": 20.0, "ki": 12.0, "kd": 14.0}


def pendulum(s, name, x, **gains):
    """A pendulum that hangs from a motor."""
    rod = s.body(name, mass=MASS, inertia=INERTIA, position=(x, -LENGTH))
    s.add(fm.Revolute(f"{name}.pin", s.ground.at(x, 0.0), rod.at(0.0, LENGTH)))
    angle = fm.AngleOf(s.ground, rod)
    s.add(fm.Actuator(f"{name}.motor", angle, fm.PID(angle, TARGET, **gains)))


def cart(s, name, y, limit, load=0.0, gains=GAINS, **more):
    """A cart on a straight rail, to be moved by a step."""
    body = s.body(name, mass=CART, inertia=1.0, position=(0.0, y))
    s.add(fm.Translational(f"{name}.rail", s.ground.at(0.0, y), body.centre))
    place = fm.PlaceOf(s.ground.at(0.0, y), body.centre)
    s.add(fm.Actuator(f"{name}.motor", place, fm.PID(place, STEP, **gains, **more), limit))
    s.add(fm.PointForce(f"{name}.load", body.centre, fx=-load))


def wheel(s, name, x, command, **more):
    """A wheel under a command."""
    body = s.body(name, mass=1.0, inertia=0.5, position=(x, 0.0))
    s.add(fm.Revolute(f"{name}.pin", s.ground.at(x, 0.0), body.centre))
    s.add(fm.Actuator(f"{name}.motor", fm.AngleOf(s.ground, body), command, **more))


WAVE = fm.Harmonic(3.0, 4.0)


def gallery(limit=FORCE):
    """Pendula under PID with true and filtered rate, carts within limits, wheels under bent, cut and lagging commands."""
    s = fm.System(gravity=(0.0, -G))
    pendulum(s, "true", 0.0, kp=KP, ki=KI, kd=KD)
    pendulum(s, "filtered", 2.0, kp=KP, ki=KI, kd=KD, filter=FILTER)
    cart(s, "tracking", 4.0, limit)
    cart(s, "winding", 5.0, limit, tracking=float("inf"))
    cart(s, "loaded", 6.0, None, LOAD)
    cart(s, "proportional", 7.0, None, LOAD, {"kp": 20.0, "kd": 14.0})
    wheel(s, "bent", 10.0, WAVE, limit=2.0, saturation="smooth")
    wheel(s, "cut", 12.0, WAVE, limit=(-1.0, 2.0))
    wheel(s, "late", 14.0, 1.5, lag=0.3)
    return s


OUTPUTS = [
    "true.angle", "filtered.angle", "tracking.x", "tracking.motor.force", "tracking.motor.integral", "winding.x", "winding.motor.force",
    "winding.motor.integral", "loaded.x", "loaded.motor.error", "loaded.motor.force", "proportional.x", "bent.rate", "bent.motor.moment",
    "bent.motor.command", "cut.rate", "cut.motor.moment", "late.motor.moment", "late.rate", "energy.balance", "energy.drive",
]  # fmt: skip


@pytest.fixture(scope="module")
def run():
    return simulate(gallery, OUTPUTS, end=12.0, points=241, samples={"limit": [FORCE, 2.0]}, tolerance=1e-10)


def answer(t, poles, start):
    """Sum of exponentials of the poles, with the value and derivatives of the start."""
    powers = np.vander(poles, increasing=True).T
    return np.real(np.exp(np.outer(t, poles)) @ np.linalg.solve(powers, start))


def test_a_controlled_pendulum_moves_by_the_poles_of_its_loop(run):
    """J s³ + kd s² + (m g l + kp) s + ki = 0; the error starts at the target, and the motor with kp times that."""
    poles = np.roots([TOTAL, KD, WEIGHT + KP, KI])
    wanted = TARGET + answer(run.time, poles, [-TARGET, 0.0, KP * TARGET / TOTAL])
    np.testing.assert_allclose(column(run)["true.angle"], wanted, atol=2e-6 * TARGET)


def test_with_a_filtered_rate_there_is_one_pole_more(run):
    """J s² + m g l + kp + ki/s + kd s/(T s + 1) = 0."""
    loop = np.polyadd(np.polymul([FILTER, 1.0], [TOTAL, 0.0, WEIGHT + KP, KI]), [KD, 0.0, 0.0])
    third = (KI * TARGET) / TOTAL  # by ki e; the rate, and so its filter, starts at zero
    wanted = TARGET + answer(run.time, np.roots(loop), [-TARGET, 0.0, KP * TARGET / TOTAL, third])
    np.testing.assert_allclose(column(run)["filtered.angle"], wanted, atol=2e-6 * TARGET)


def test_the_integral_bears_a_steady_load(run):
    got = column(run)
    assert got["loaded.motor.error"][-1] == pytest.approx(0.0, abs=1e-3)
    assert got["loaded.motor.force"][-1] == pytest.approx(LOAD, abs=1e-2)
    assert got["proportional.x"][-1] == pytest.approx(STEP - LOAD / 20.0, abs=1e-4)


@pytest.mark.parametrize("sample, limit", [(0, FORCE), (1, 2.0)])
def test_limits_are_kept_and_the_integral_does_not_wind_up(run, sample, limit):
    got, t = column(run, sample), run.time
    for name in ("tracking", "winding"):
        force = got[f"{name}.motor.force"]
        assert np.abs(force).max() <= limit and force[0] == limit
        early = t < 0.1
        np.testing.assert_allclose(got[f"{name}.x"][early], 0.5 * limit / CART * t[early] ** 2, atol=1e-9)
    above = {name: got[f"{name}.x"].max() - STEP for name in ("tracking", "winding")}
    assert above["tracking"] < (0.85 if sample == 0 else 0.5) * above["winding"]
    assert np.abs(got["tracking.motor.integral"]).max() < np.abs(got["winding.motor.integral"]).max()


def test_commands_are_bent_cut_and_late(run):
    got, t = column(run), run.time
    command = 3.0 * np.sin(4.0 * t)
    np.testing.assert_allclose(got["bent.motor.command"], command, atol=1e-12)
    np.testing.assert_allclose(got["bent.motor.moment"], 2.0 * np.tanh(command / 2.0), atol=1e-12)
    np.testing.assert_allclose(got["cut.motor.moment"], np.clip(command, -1.0, 2.0), atol=1e-12)
    np.testing.assert_allclose(got["late.motor.moment"], 1.5 * (1.0 - np.exp(-t / 0.3)), atol=1e-8)
    np.testing.assert_allclose(got["late.rate"], 3.0 * (t - 0.3 * (1.0 - np.exp(-t / 0.3))), atol=1e-7)
    fine = np.linspace(0.0, t[-1], 240 * 5000 + 1)
    for name, moment in (("bent", lambda u: 2.0 * np.tanh(u / 2.0)), ("cut", lambda u: np.clip(u, -1.0, 2.0))):
        rate = cumulative_trapezoid(moment(3.0 * np.sin(4.0 * fine)) / 0.5, fine, initial=0.0)[::5000]
        np.testing.assert_allclose(got[f"{name}.rate"], rate, atol=1e-6)


def test_power_of_actuators_is_external(run):
    got = column(run)
    assert got["energy.drive"][-1] > 10.0 and np.ptp(got["energy.balance"]) < 1e-6 * np.abs(got["energy.drive"]).max()


@pytest.mark.slow
def test_implicit_schemes_take_controllers():
    names = ["true.angle", "filtered.angle"]
    run = simulate(gallery, names, end=2.0, points=21, integrator="generalized_alpha", step=2e-3, fixed=True)
    poles = np.roots([TOTAL, KD, WEIGHT + KP, KI])
    wanted = TARGET + answer(run.time, poles, [-TARGET, 0.0, KP * TARGET / TOTAL])
    np.testing.assert_allclose(column(run)["true.angle"], wanted, atol=1e-3 * TARGET)


@pytest.mark.slow
def test_an_axis_in_space_is_driven_to_its_angle():
    def crane(kp):
        s = fm.System(gravity=(0.0, 0.0, -G))
        arm = s.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.3), rotation=(0.0, 0.3, 0.0))
        axis = (np.sin(0.3), 0.0, np.cos(0.3))
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0, 0.0), arm.centre, axis=axis))
        angle = fm.AngleOf(s.ground, arm, axis)
        s.add(fm.Actuator("motor", angle, fm.PID(angle, 7.0, kp, kd=1.2), limit=6.0))
        return s

    run = simulate(crane, ["motor.error", "motor.moment", "arm.omega_3"], end=10.0, points=101, samples={"kp": [3.0]}, tolerance=1e-9)
    right = solve_ivp(
        lambda t, y: [y[1], np.clip(3.0 * (7.0 - y[0]) - 1.2 * y[1], -6.0, 6.0) / 0.3],
        (0.0, 10.0),
        [0.0, 0.0],
        t_eval=run.time,
        rtol=1e-11,
        atol=1e-11,
        max_step=0.01,
    )
    np.testing.assert_allclose(column(run)["motor.error"], 7.0 - right.y[0], atol=1e-6)
    assert abs(column(run)["motor.error"][-1]) < 1e-6


def test_derivatives_of_the_forces_are_those_of_differences():
    e = fm.Equations(gallery())
    q, v = e.initial()
    q, v = q + 0.01, v + 0.02
    np.testing.assert_allclose(e.stiffness(q, v).toarray(), -jacobian(lambda x: e.force(x, v), q, 1e-4), atol=1e-7)
    np.testing.assert_allclose(e.damping(q, v).toarray(), -jacobian(lambda x: e.force(q, x), v, 1e-4), atol=1e-7)


# ---- what is refused
def ends():
    s = fm.System()
    return s, fm.AngleOf(s.ground, s.body("arm", mass=1.0, inertia=1.0))


@pytest.mark.parametrize(
    "more, words",
    [
        ({"limit": -1.0}, "limit is -1.0; it must be a number above zero, or a lower and an upper one"),
        ({"limit": (2.0, 1.0)}, r"limit is \(2.0, 1.0\)"),
        ({"saturation": "soft"}, "saturation is 'soft'; it must be 'hard' or 'smooth'"),
        ({"lag": 0.0}, "lag is 0; it must be greater than zero"),
    ],
)
def test_limits_that_cannot_be_are_refused(more, words):
    with pytest.raises(fm.ModelError, match=words):
        fm.Actuator("motor", ends()[1], 1.0, **more)


def test_what_is_no_coordinate_is_refused():
    s, angle = ends()
    with pytest.raises(fm.ModelError, match=r"along is .* it must be an AngleOf or a PlaceOf"):
        fm.Actuator("motor", s.bodies[0], 1.0)
    with pytest.raises(fm.ModelError, match="measured is 3"):
        fm.PID(3.0, 0.0, 1.0)
    with pytest.raises(fm.ModelError, match="both must be points"):
        fm.PlaceOf(s.ground, s.bodies[0])
    with pytest.raises(fm.ModelError, match="belongs to another system"):
        fm.System().add(fm.Actuator("motor", angle, 1.0))


class Stiff:
    """A controller that is no PID: a command against the place, by a gain."""

    def __init__(self, measured, gain):
        self.measured, self.gain, self.bodies = measured, gain, measured.bodies

    def topology_key(self):
        return ("stiff", self.measured.topology_key())

    def parameters(self):
        return {"gain": self.gain} | {f"measured.{key}": x for key, x in self.measured.parameters().items()}

    def command(self, equations, element, limited):
        return -equations.number(element, "command.gain") * self.measured.nodes(equations, element, "command.measured.")[0]


def test_any_object_with_a_command_controls():
    """One that acts as a spring does makes a cart swing."""

    def build(gain):
        s = fm.System(gravity=(0.0, 0.0))
        body = s.body("cart", mass=CART, inertia=1.0, position=(0.1, 0.0))
        place = fm.PlaceOf(s.ground.at(0.0, 0.0), body.centre)
        s.add(fm.Actuator("motor", place, Stiff(place, gain)))
        return s

    run = simulate(build, ["cart.x", "motor.command"], end=1.0, points=21, samples={"gain": [20.0, 30.0]}, tolerance=1e-10)
    wanted = 0.1 * np.cos(np.sqrt(np.array([[20.0], [30.0]]) / CART) * run.time)
    np.testing.assert_allclose(run["cart.x"], wanted, atol=1e-8)
    np.testing.assert_allclose(run["motor.command"], -np.array([[20.0], [30.0]]) * wanted, atol=1e-6)


def test_a_check_that_does_not_know_states_says_so():
    pytest.importorskip("sksundae", reason="scikit-sundae is not installed")
    with pytest.raises(fm.ModelError, match=r"forces depend on further states \(true.motor.integral"):
        reference(gallery, {}, end=0.1, points=2, outputs=["true.angle"])


# ---- digital controllers
SAMPLED = {"kp": 40.0, "ki": 10.0, "kd": 6.0}


def digital(kp=40.0, sample=0.05, limit=None, **more):
    """A cart under a digital controller."""
    s = fm.System(gravity=(0.0, 0.0))
    cart(s, "cart", 0.0, limit, gains=SAMPLED | {"kp": kp, "sample": sample}, **more)
    return s


def difference_equations(kp, h, time, limit=np.inf, filter=None):
    """Place of the cart: between samples the force holds, so the motion is a parabola."""
    x = v = total = slow = 0.0
    before, place = None, np.zeros_like(time)
    for k in range(int(np.ceil(time[-1] / h - 1e-9))):
        error = STEP - x
        slope = 0.0 if before is None else (error - before) / h
        if filter is not None:
            slope = slow = slow + (slope - slow) * h / (filter + h)
        command = kp * error + total + SAMPLED["kd"] * slope
        a = np.clip(command, -limit, limit) / CART
        total += h * (SAMPLED["ki"] * error + (a * CART - command) * SAMPLED["ki"] / kp)
        since = time - k * h
        here = (since > -1e-12) & (since < h + 1e-12)
        place[here] = x + v * since[here] + 0.5 * a * since[here] ** 2
        x, v, before = x + v * h + 0.5 * a * h * h, v + a * h, error
    return place


@pytest.mark.parametrize("more", ({}, {"limit": 15.0, "filter": 0.02}), ids=("plain", "limited"))
@pytest.mark.parametrize("integrator", ("dormand_prince", "generalized_alpha", "ggl", "rosenbrock"))
def test_a_digital_controller_is_its_difference_equations(integrator, more):
    gains, periods = np.array([40.0, 30.0, 40.0]), np.array([0.05, 0.04, 0.0371])
    grid = {"end": 2.0, "points": 201, "outputs": ["cart.x", "cart.motor.command"], "settings": {"integrator": integrator, "lanes": 2}}
    run = fm.run(lambda kp, sample: digital(kp, sample, **more), {"kp": gains, "sample": periods}, **grid)
    assert not run.status.any()
    for x, kp, h in zip(run["cart.x"], gains, periods, strict=True):
        assert x == pytest.approx(difference_equations(kp, h, run.time, **more), abs=1e-12)
    assert run["cart.motor.command"][:, 0] == pytest.approx(gains * STEP)
