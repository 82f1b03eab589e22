"""The linearly implicit scheme: its tableaux, its order with and without strong damping, the stiff limit, lubricated joints."""

import functools
import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbd as fm
from flexmbd.equations import linearised
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.integrators import rosenbrock
from flexmbd.tuning import Tuning

from .running import simulate
from .sentences import names, said
from .test_lubricated_joint import WET_OUTPUTS, wet_crank
from .worn_crank import SPEED


def square(rows):
    """Rows of a tableau, filled up with zeros."""
    return np.array([[*row, *(0.0,) * (6 - len(row))] for row in rows])


A, B = square(rosenbrock.EXPLICIT), square(rosenbrock.IMPLICIT[:6])


@functools.cache
def trees(order):
    """Trees of a W-method (Hairer and Wanner 1996, IV.7), (elementary weight, density): nodes are f, or J with one branch (density 0)."""
    if order == 1:
        return [(np.ones(6), 1.0)]
    found = [((B - A) @ weight, 0.0) for weight, _ in trees(order - 1)]
    for parts in ([1], [2], [3], [1, 1], [1, 2], [1, 1, 1]):
        if sum(parts) == order - 1:
            for branches in itertools.product(*(trees(part) for part in parts)):
                weight = np.prod([A @ w for w, _ in branches], axis=0)
                found.append((weight, 0.0 if any(d == 0.0 for _, d in branches) else order * np.prod([d for _, d in branches])))
    return found


def test_conditions_of_order_hold_for_any_matrix():
    """Also the count of trees: 1, 2, 5, 13."""
    misses = {}
    for name, weights in (("step", rosenbrock.WEIGHTS), ("embedded", rosenbrock.EMBEDDED)):
        for order in range(1, 5):
            misses[name, order] = max(abs(np.dot(weights, w) - (1.0 / d if d else 0.0)) for w, d in trees(order))
    assert [len(trees(order)) for order in range(1, 5)] == [1, 2, 5, 13]
    assert max(misses[key] for key in misses if key != ("embedded", 4)) < 1e-15
    assert misses["embedded", 4] > 1e-3


def test_places_of_the_stages_follow_velocities_that_are_damped():
    """``q_i = q0 + h sum A_ij V_j`` with ``V_j = v0 + h sum B_jk K_k``: the scheme has A B where explicit ones have A A."""
    a, b = np.zeros((7, 7)), np.zeros((7, 7))
    a[:6, :6], b[:6, :6] = A, B
    a[6, :6] = b[6, :6] = rosenbrock.WEIGHTS
    assert np.reshape(rosenbrock.ROSENBROCK.numbers[49:98], (7, 7)) == pytest.approx(a @ b, abs=1e-14)


def test_strong_damping_ends_in_one_step():
    """R(z) = 1 + z b (1 - z B)^-1 1: at most 1 on the imaginary axis, and the embedded one's too; tends to 0."""

    def growth(weights, z):
        return abs(1.0 + z * np.dot(weights, np.linalg.solve(np.eye(6) - z * B, np.ones(6))))

    axis = 1j * np.geomspace(1e-2, 1e8, 400)
    assert max(growth(rosenbrock.WEIGHTS, z) for z in axis) < 1.0 + 1e-12
    assert max(growth(rosenbrock.EMBEDDED, z) for z in axis) < 1.0 + 1e-9
    assert growth(rosenbrock.WEIGHTS, -1e6) < 1e-4


MASS, INERTIA, ARM, RADIUS, LENGTH, GRAVITY, START = 1.0, 0.1, 0.3, 0.01, 0.01, 9.81, 1.2


def swing(viscosity, clearance):
    """A pendulum whose pin floats in oil, at rest in the middle of its bearing at first."""
    s = fm.System(gravity=(0.0, -GRAVITY))
    place = (ARM * np.sin(START), -ARM * np.cos(START))
    rod = s.body("rod", mass=MASS, inertia=INERTIA, position=place, angle=START, points={"P": (0.0, ARM)})
    film = fm.ShortFilm(viscosity, LENGTH, extent="full")
    s.add(fm.ClearanceRevolute("B", rod["P"], s.ground.at(0.0, 0.0), clearance, None, bearing_radius=RADIUS, film=film))
    return s


def exact(viscosity, clearance, end, rtol=1e-12):
    """Place and velocity of the centre of mass (x, y, angle) by Radau of scipy: Ocvirk's full film, shear, and the couple of both."""

    def rates(t, state):
        (x, y, angle), (vx, vy, spin) = state[:3], state[3:]
        arm = np.array([-ARM * np.sin(angle), ARM * np.cos(angle)])
        e, speed = np.array([x, y]) + arm, np.array([vx, vy]) + spin * np.array([-arm[1], arm[0]])
        whirl = speed + 0.5 * spin * np.array([e[1], -e[0]])
        k = 1.0 - e @ e / clearance**2
        size = np.pi * viscosity * RADIUS * LENGTH**3 / clearance**3 / k**1.5
        force = -size * (whirl + 3.0 * (e @ whirl) * e / (clearance**2 * k))
        shear = 2.0 * np.pi * viscosity * LENGTH * RADIUS**3 / (clearance * np.sqrt(k)) * spin
        moment = arm[0] * force[1] - arm[1] * force[0] - shear - 0.5 * (e[0] * force[1] - e[1] * force[0])
        return [vx, vy, spin, force[0] / MASS, force[1] / MASS - GRAVITY, moment / INERTIA]

    start = [ARM * np.sin(START), -ARM * np.cos(START), START, 0.0, 0.0, 0.0]
    return solve_ivp(rates, (0.0, end), start, "Radau", rtol=rtol, atol=1e-15).y[:, -1]


OILED = ["B.force", "energy.balance", "energy.kinetic:max"]
SWING = ["rod.x", "rod.y", "rod.angle", "rod.vx", "rod.vy", "rod.rate"]
FORCES = ["B.fx", "B.fy", "B.force:max"]
OILS = {"viscosity": [2e3, 4e3], "clearance": [5e-3, 5e-3]}  # rates of 500 and 1,000 1/s by mass


def swung(samples, **settings):
    """Run; outputs at the end, (samples, 6)."""
    run = simulate(swing, SWING + FORCES, end=0.2, samples=samples, integrator="rosenbrock", lanes=2, **settings)
    return np.array([run.outputs[name][:, -1] for name in SWING]).T, run


def test_order_with_damping_that_the_steps_resolve():
    wanted = np.array([exact(*oil, 0.2) for oil in zip(*OILS.values(), strict=True)])
    misses = [np.abs(swung(OILS, fixed=True, step=h)[0] - wanted).max(1) for h in (8e-4, 4e-4, 2e-4)]
    slopes = np.diff(np.log(misses), axis=0) / np.log(0.5)
    assert slopes[-1] == pytest.approx(4.0, abs=0.2), (misses, slopes)


def test_steps_do_not_follow_the_rates():
    """Damping of 3e9 1/s by mass: the pin stands still, and only the oil's shear is left of the film; steps as for rates of 3e3 1/s."""
    oils = {"viscosity": [0.1, 0.1], "clearance": [1e-6, 1e-4]}
    got, run = swung(oils, tolerance=1e-7, points=201)
    assert np.all(run.statistics["steps"] + run.statistics["rejected"] < 170)
    wanted = np.array([exact(*oil, 0.2, rtol=1e-9) for oil in zip(*oils.values(), strict=True)])
    np.testing.assert_allclose(got, wanted, rtol=0, atol=2e-6)
    force = np.array([run.outputs[name][0] for name in FORCES[:2]]).T
    np.testing.assert_allclose(force[1:], pin_force(0.1, 1e-6, run.time)[1:], atol=1e-3 * MASS * GRAVITY)
    assert run.outputs["B.force:max"][0] == pytest.approx(np.linalg.norm(force, axis=1).max(), rel=1e-3)


def pin_force(viscosity, clearance, times):
    """Force on the pendulum's pin, if it stands still, by scipy: between steps too the film carries what inertia and weight ask for."""
    shear, inertia = 2.0 * np.pi * viscosity * LENGTH * RADIUS**3 / clearance, INERTIA + MASS * ARM**2

    def rates(t, state):
        return [state[1], -(MASS * GRAVITY * ARM * np.sin(state[0]) + shear * state[1]) / inertia]

    angle, spin = solve_ivp(rates, (0.0, times[-1]), [START, 0.0], "DOP853", rtol=1e-11, atol=1e-13, t_eval=times).y
    turn = ARM * rates(0.0, (angle, spin))[1]
    inward = ARM * spin**2
    along, up = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    return MASS * (turn * along + inward * up + [[0.0], [GRAVITY]]).T


def test_a_lane_knows_nothing_of_its_neighbours():
    """Bit for bit, beside others that take other steps."""
    oils = {"viscosity": np.geomspace(1e-3, 1.0, 7), "clearance": np.geomspace(1e-4, 5e-4, 7)}
    together, _ = swung(oils, tolerance=1e-7)
    alone = [swung({k: x[i : i + 1] for k, x in oils.items()}, tolerance=1e-7)[0][0] for i in (0, 3, 6)]
    assert np.array_equal(together[[0, 3, 6]], alone)


def test_too_many_laws_are_refused_in_one_sentence():
    words = said(lambda: linearised.linearised_functions(NaturalCoordinates(wet_crank(), tuning=Tuning(laws=3))))
    names(words, "integrator 'rosenbrock': the laws of contacts and films have 4 values here; it is for at most 3", "generalized_alpha")


def oiled(viscosity):
    """The slider-crank of `wet_crank` without its contact law, which the oil never lets act: it compiles in half the time."""
    s = wet_crank(viscosity=viscosity)
    s.elements[-1] = replace(s.elements[-1], law=None, friction=None, transition=None)
    return s


TURNS = {"end": 2 * 2 * np.pi / SPEED, "points": 401}


@pytest.mark.slow
def test_lubricated_slider_crank():
    """Two turns: books close to 1e-5; a loose tolerance needs few steps and gives the same forces."""
    run = functools.partial(simulate, oiled, OILED, samples={"viscosity": [0.4, 0.04]}, lanes=2, integrator="rosenbrock", **TURNS)
    fine, loose = (run(tolerance=tolerance) for tolerance in (1e-8, 1e-6))
    assert np.all(np.ptp(fine.outputs["energy.balance"], axis=1) < 1e-5 * fine.outputs["energy.kinetic:max"])
    np.testing.assert_array_less(np.abs(loose.outputs["B.force"] - fine.outputs["B.force"]).max(1), 1e-2 * fine.outputs["B.force"].max(1))
    assert np.all(loose.statistics["steps"] + loose.statistics["rejected"] < 500)


@pytest.mark.slow
def test_lubricated_and_dry_slider_crank_are_those_of_the_explicit_scheme():
    """With oil in a tenth of its steps; the last sample is all but dry, and its books close."""
    run = functools.partial(simulate, wet_crank, WET_OUTPUTS, samples={"viscosity": [0.4, 0.04, 1e-12]}, **TURNS)
    explicit, ours = run(tolerance=1e-9), run(integrator="rosenbrock", tolerance=1e-8)
    for found, best in zip(ours.outputs["B.force"][:2], explicit.outputs["B.force"][:2], strict=True):
        np.testing.assert_allclose(found, best, atol=1e-4 * best.max())
    loose = run(integrator="rosenbrock", tolerance=1e-6)
    assert np.all((loose.statistics["steps"] + loose.statistics["rejected"])[:2] < 0.1 * explicit.statistics["steps"][:2])
    assert np.all(np.ptp(ours.outputs["energy.balance"], axis=1) < 1e-5 * ours.outputs["energy.kinetic:max"])
    assert ours.outputs["B.regime"][2].max() == 2
