"""Dry friction in ideal joints: its load is the reaction of the same instant, against independent equations and closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import flexmbd as fm

from .running import column, simulate
from .sentences import names, said

G, MASS, ARM, INERTIA, PIN, MU, SOFT = 9.81, 1.3, 0.4, 0.05, 0.05, 0.3, 0.02
OUTPUTS = [
    "rod.angle", "rod.rate", "rub.torque", "rub.load", "rub.force", "rub.slip", "pin.force", "cart.x", "cart.vx", "cart.y", "brake.force",
    "brake.load", "bead.x", "bead.vx", "scrape.load", "scrape.force", "energy.balance", "energy.dissipated", "energy.total",
]  # fmt: skip


def law(mu):
    """Coulomb's, smooth."""
    return fm.CoulombExponential(mu, SOFT, 1.0)


def gallery(mu=MU, angle=1.0, rate=0.0, slope=0.5, speed=0.0, push=0.0, guide=0.2, lift=0.0):
    """A pendulum with a thick pin, a cart on an incline pushed off its middle, a bead on a rail: one of each joint with friction."""
    s = fm.System(gravity=(0.0, -G))
    rod = s.body("rod", mass=MASS, inertia=INERTIA, position=(ARM * np.sin(angle), -ARM * np.cos(angle)), angle=angle, rate=rate,
                 velocity=(ARM * rate * np.cos(angle), ARM * rate * np.sin(angle)), points={"O": (0.0, ARM)})  # fmt: skip
    pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    s.add(fm.JointFriction("rub", pin, law(mu), radius=PIN))
    along = (np.cos(slope), -np.sin(slope))
    cart = s.body("cart", mass=2.0, inertia=0.1, position=(5.0, 0.0), velocity=tuple(speed * x for x in along), points={"P": (0.0, 0.3)})
    rail = s.add(fm.Translational("rail", s.ground.at(5.0, lift), cart.at(0.0, lift, "Q"), axis=along))
    s.add(fm.JointFriction("brake", rail, law(mu), length=guide))
    s.add(fm.PointForce("push", cart["P"], fx=push * along[0], fy=push * along[1]))
    bead = s.body("bead", mass=0.3, inertia=0.01, position=(0.0, 2.0), velocity=(speed, 0.0))
    wire = s.add(fm.RevoluteTranslational("wire", s.ground.at(0.0, 2.0), bead.centre))
    s.add(fm.JointFriction("scrape", wire, law(mu)))
    return s


def shares(slip, mu):
    """mu (1 - exp(-|v|/v_s)) with the sign of the slip."""
    return np.sign(slip) * mu * (1.0 - np.exp(-np.abs(slip) / SOFT))


@pytest.fixture(scope="module")
def moved():
    cases = {"mu": [MU, 0.2, 0.0], "angle": [1.0, 2.5, 1.0], "rate": [0.0, -3.0, 0.0], "speed": [3.0, 4.0, 3.0], "push": [4.0, 60.0, 4.0],
             "slope": [0.5, 0.2, 0.5], "guide": [0.2, 0.2, 0.2], "lift": [0.0, 0.0, 0.0]}  # fmt: skip
    run = simulate(gallery, OUTPUTS, end=0.5, points=26, samples=cases, tolerance=1e-11)
    return run.time, cases, run


def pendulum(mu, angle, rate, times):
    """Rod about a pin whose friction moment is mu R times the reaction: implicit in the acceleration, solved for itself."""
    about = INERTIA + MASS * ARM**2

    def balance(alpha, angle, rate):
        across = MASS * (ARM * alpha + G * np.sin(angle))
        along = MASS * (ARM * rate**2 + G * np.cos(angle))
        load = np.hypot(across, along)
        return about * alpha + MASS * G * ARM * np.sin(angle) + PIN * shares(PIN * rate, mu) * load, load

    def change(_, state):
        return state[1], brentq(lambda x: balance(x, *state)[0], -1e4, 1e4, xtol=1e-13, rtol=1e-15)

    found = solve_ivp(change, (0.0, times[-1]), [angle, rate], t_eval=times, method="DOP853", rtol=1e-11, atol=1e-12).y
    return found, np.array([balance(change(0.0, x)[1], *x)[1] for x in found.T])


@pytest.mark.parametrize("i", [0, 1])
def test_pendulum_with_a_thick_pin(moved, i):
    times, cases, run = moved
    (angle, rate), load = pendulum(cases["mu"][i], cases["angle"][i], cases["rate"][i], times)
    got = column(run, i)
    assert got["rod.angle"] == pytest.approx(angle, abs=1e-8) and got["rod.rate"] == pytest.approx(rate, abs=1e-7)
    assert got["rub.load"] == pytest.approx(load, rel=1e-7) and got["pin.force"] == pytest.approx(load, rel=1e-7)
    assert got["rub.torque"] == pytest.approx(PIN * shares(PIN * rate, cases["mu"][i]) * load, abs=1e-7)


def test_cart_on_an_incline_with_the_moment_on_its_guide(moved):
    """m s'' = m g sin(slope) + P - F; the ends of the guide bear N/2 ± M/l: the load is the larger of N and 2 |M|/l."""
    times, cases, run = moved
    for i in range(3):
        mu, slope, push = (cases[key][i] for key in ("mu", "slope", "push"))
        got, load = column(run, i), max(2.0 * G * np.cos(slope), 2.0 * 0.3 * push * np.cos(slope) / 0.2)

        def change(_, state, mu=mu, slope=slope, push=push, load=load):
            return state[1], G * np.sin(slope) + 0.5 * push - 0.5 * shares(state[1], mu) * load

        found = solve_ivp(change, (0.0, times[-1]), [0.0, cases["speed"][i]], t_eval=times, method="DOP853", rtol=1e-11, atol=1e-12).y
        assert got["brake.load"] == pytest.approx(load + 0 * times, rel=1e-9)
        assert (got["cart.x"] - 5.0) / np.cos(slope) == pytest.approx(found[0], abs=1e-8)
        assert got["cart.vx"] / np.cos(slope) == pytest.approx(found[1], abs=1e-7)


def test_block_that_slides_fast_is_slowed_by_mu_times_its_weight(moved):
    times, cases, run = moved
    got = column(run, 0)
    assert got["scrape.load"] == pytest.approx(0.3 * G + 0 * times, rel=1e-9)
    fast = got["bead.vx"] > 30 * SOFT
    assert got["bead.vx"][fast] == pytest.approx((3.0 - MU * G * times)[fast], abs=1e-9) and fast.sum() > 10


def test_books_close_and_without_friction_nothing_is_lost(moved):
    _, _, run = moved
    assert np.ptp(run.outputs["energy.balance"], axis=1).max() < 1e-7
    assert run.outputs["energy.dissipated"][:2, -1].min() > 0.1 and np.abs(run.outputs["energy.dissipated"][2]).max() < 1e-12


def test_small_pin_takes_its_share_of_every_swing():
    """To first order in the radius the energy lost in half a swing is mu R int N |d angle|, with N of the swing without friction."""
    mu, start = 0.02, 0.3
    period = 2.0 * np.pi * np.sqrt((INERTIA + MASS * ARM**2) / (MASS * G * ARM))
    samples = {"mu": [mu], "angle": [start], "rate": [0.0], "speed": [0.0], "push": [0.0], "slope": [0.5], "guide": [0.2], "lift": [0.0]}
    run = simulate(gallery, OUTPUTS, end=0.5 * period * (1.0 + start**2 / 16.0), points=2, tolerance=1e-10, samples=samples)
    about = INERTIA + MASS * ARM**2
    a = np.linspace(-start, start, 20001)
    squared = 2.0 * MASS * G * ARM * (np.cos(a) - np.cos(start)) / about
    load = np.hypot(MASS * G * np.sin(a) * (1.0 - MASS * ARM**2 / about), MASS * (ARM * squared + G * np.cos(a)))
    slip = PIN * np.sqrt(np.maximum(squared, 0.0))
    lost = PIN * np.trapezoid(np.abs(shares(slip, mu)) * load, a)
    end = run.outputs["rod.angle"][0, -1]
    assert MASS * G * ARM * (np.cos(end) - np.cos(start)) == pytest.approx(lost, rel=0.02)


@pytest.mark.slow
def test_the_order_of_a_scheme_is_kept():
    """Halving fixed steps of rk4 divides the error by 16: friction belongs to the instant of the reactions."""
    errors = []
    samples = {"mu": [MU], "angle": [1.0], "rate": [-8.0], "speed": [3.0], "push": [4.0], "slope": [0.5], "guide": [0.2], "lift": [0.0]}
    exact = pendulum(MU, 1.0, -8.0, np.array([0.0, 0.1]))[0][:, -1]
    for step in (5e-3, 2.5e-3, 1.25e-3):
        got = simulate(gallery, OUTPUTS, end=0.1, samples=samples, integrator="rk4", step=step, fixed=True).outputs
        errors.append(abs(got["rod.angle"][0, -1] - exact[0]))
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx([4.0, 4.0], abs=0.3)


def test_a_guide_that_jams_ends_its_run(moved):
    """Pushed back above its middle and held higher still, the guide is pressed by friction's own moment: 2 mu h/l times it, above one."""
    numbers = {key: np.array(x[:1] * 2) for key, x in moved[1].items()}
    numbers |= {"lift": np.array([0.02, 0.5]), "push": np.array([-4.0, -4.0]), "slope": np.zeros(2)}
    run = fm.run(gallery, numbers, end=0.5, points=26, outputs=OUTPUTS, settings={"lanes": 4, "tolerance": 1e-11})
    assert run.status[0] == 0 and run.status[1] != 0 and "singular" in run.message[1]


def loaded(mu):
    """A wedge of steep friction: a block pushed along by a force whose moment jams its short guide."""
    s = fm.System()
    block = s.body("block", mass=1.0, inertia=0.01, velocity=(1.0, 0.0), points={"P": (0.0, 0.5)})
    guide = s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), block.centre))
    s.add(fm.JointFriction("rub", guide, law(mu), length=0.1))
    s.add(fm.PointForce("push", block["P"], fx=10.0))
    return s


def test_what_has_no_sound_answer_is_refused():
    s = fm.System()
    rod = s.body("rod", mass=1.0, inertia=1.0)
    pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod.centre))
    rail = fm.Translational("rail", s.ground.at(0.0, 0.0), rod.centre)
    names(said(lambda: fm.JointFriction("rub", pin, law(0.1))), "rub", "pin", "radius")
    names(said(lambda: fm.JointFriction("rub", pin, law(0.1), radius=-1.0)), "rub", "radius", "greater than zero")
    names(said(lambda: fm.JointFriction("rub", pin, law(0.1), radius=0.1, length=0.1)), "rub", "length", "Translational")
    names(said(lambda: fm.JointFriction("rub", rail, law(0.1), radius=0.1)), "rub", "radius", "Revolute")
    names(said(lambda: fm.JointFriction("rub", pin, 0.3, radius=0.1)), "rub", "law", "Ambrosio")
    lugre = fm.LuGre(0.3, 0.2, 1e-3, 1e5)
    names(said(lambda: fm.JointFriction("rub", pin, lugre, radius=0.1)), "rub", "without a state")
    weld = fm.Fixed("weld", rod.centre, s.ground.at(0, 0))
    names(said(lambda: fm.JointFriction("rub", weld, law(0.1))), "rub", "weld", "Fixed", "Revolute")
    s.add(fm.JointFriction("rub", rail, law(0.1)))
    names(said(lambda: fm.run(lambda: s, {}, end=1.0, points=2, outputs=["rod.x"])), "rub", "'rail' is no joint")


@pytest.mark.parametrize("integrator", ["generalized_alpha", "energy_momentum", "baumgarte", "ggl"])
def test_schemes_that_do_not_see_the_reactions_of_the_instant_refuse(integrator):
    settings = {"integrator": integrator, "step": 1e-3}
    sentence = said(lambda: fm.run(lambda: loaded(0.2), {}, end=0.1, points=2, outputs=["block.x"], settings=settings))
    names(sentence, "rub", integrator, "dormand_prince", "rosenbrock")


def test_augmented_rows_and_the_check_by_ida_refuse():
    settings = {"constraints": "augmented"}
    names(said(lambda: fm.run(lambda: loaded(0.2), {}, end=0.1, points=2, outputs=["block.x"], settings=settings)), "rub", "augmented")
    names(said(lambda: fm.reference(loaded(0.2), end=0.1, points=2, outputs=["block.x"])), "rub", "friction")
