"""Inputs that change during a motion, against motions that are put together by hand; and what cannot change."""

from functools import partial

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbd as fm

from .sentences import names, said


def sprung(force, stiffness, mass):
    """A mass on a spring with a force."""
    s = fm.System()
    stone = s.body("stone", mass=mass, inertia=1.0, position=(0.5, 0.0))
    s.add(fm.Spring("spring", s.ground.at(-1.0, 0.0), stone.centre, stiffness, length=1.0))
    s.add(fm.PointForce("push", stone.centre, fx=force))
    return s


START = {"force": [3.0, -1.0], "stiffness": [8.0, 20.0], "mass": [2.0, 1.0]}
PIECES = ({}, {"force": [-5.0, 4.0]}, {"stiffness": 50.0}, {"force": 0.0, "mass": [1.0, 3.0]})  # changes at 0, 0.4, 0.8, 1.2 s


def by_hand(i):
    """Place and velocity at the end of each piece: x = x0 + a sin + b cos about the place of rest."""
    x, v, numbers, found = 0.5, 0.0, {key: values[i] for key, values in START.items()}, []
    for piece in PIECES:
        numbers |= {key: np.broadcast_to(value, 2)[i] for key, value in piece.items()}
        omega, rest = np.sqrt(numbers["stiffness"] / numbers["mass"]), numbers["force"] / numbers["stiffness"]
        c, s = np.cos(0.4 * omega), np.sin(0.4 * omega)
        x, v = rest + (x - rest) * c + v / omega * s, v * c - (x - rest) * omega * s
        found.append((x, v))
    return np.array(found)


OUTPUTS = ["stone.x", "stone.vx", "energy.balance", "energy.total"]


@pytest.mark.parametrize("integrator, close", [("dormand_prince", 1e-8), ("rk4", 1e-6), ("generalized_alpha", 2e-3)])
def test_pieces_of_a_motion_are_those_of_closed_forms(integrator, close):
    given = {"tolerance": 1e-10} if integrator == "dormand_prince" else {"step": 1e-2 if integrator == "rk4" else 2e-3, "fixed": True}
    sim = fm.compile(sprung, START, outputs=OUTPUTS, settings={"integrator": integrator, "lanes": 2, **given})
    state = sim.start(START)
    for k, piece in enumerate(PIECES):
        state = sim.step(state, 0.4 * (k + 1), inputs=piece)
        for i in (0, 1):
            right = by_hand(i)[k]
            assert state["coordinates"][i, 0] == pytest.approx(right[0], abs=close)
            assert state["velocities"][i, 0] == pytest.approx(right[1], abs=10 * close)
    assert state.samples["stiffness"].tolist() == [50.0, 50.0] and state.samples["mass"].tolist() == [1.0, 3.0]


def test_the_book_is_closed_although_energy_jumps():
    sim = fm.compile(sprung, START, outputs=OUTPUTS, settings={"integrator": "dormand_prince", "lanes": 2, "tolerance": 1e-10})
    first, state = sim.go_on(sim.start(START), 0.4)
    then, _ = sim.go_on(state, 0.8, inputs={"stiffness": 80.0})
    x = first["stone.x"][:, -1]
    jump = 0.5 * (80.0 - np.array(START["stiffness"])) * x**2
    assert then["energy.total"][:, 0] - first["energy.total"][:, -1] == pytest.approx(jump, rel=1e-9) and np.all(jump > 0.1)
    assert np.ptp(then["energy.balance"], axis=1).max() < 1e-7 and not then.status.any()


def test_what_stays_the_same_changes_nothing():
    sim = fm.compile(sprung, START, outputs=OUTPUTS, settings={"integrator": "dormand_prince", "lanes": 2})
    state = sim.step(sim.start(START), 0.4)
    same = sim.step(state, 0.8, inputs={key: np.array(values) for key, values in START.items()})
    assert np.array_equal(same["coordinates"], sim.step(state, 0.8)["coordinates"])


def test_a_sample_changes_alike_in_any_company():
    sim = fm.compile(sprung, START, settings={"integrator": "dormand_prince", "lanes": 2})
    both = sim.step(sim.step(sim.start(START), 0.4), 0.8, inputs=PIECES[1])
    one = {key: values[1:] for key, values in START.items()}
    alone = sim.step(sim.step(sim.start(one), 0.4), 0.8, inputs={"force": 4.0})
    assert np.array_equal(both.values[1:], alone.values)


def cart(force):
    """A cart with a pole."""
    s = fm.System(gravity=(0.0, -9.81))
    body = s.body("cart", mass=1.0, inertia=1.0)
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), body.centre))
    pole = s.body("pole", mass=0.2, inertia=0.01, position=(0.3 * np.sin(0.2), 0.3 * np.cos(0.2)), angle=-0.2, points={"foot": (0.0, -0.3)})
    s.add(fm.Revolute("pin", body.centre, pole["foot"]))
    s.add(fm.PointForce("push", body.centre, fx=force))
    return s


def test_a_controller_in_python_balances_a_pole():
    """State feedback, sampled each 20 ms, against the equations of a cart and a pole written here."""
    mass, bob, arm, inertia, gains = 1.0, 0.2, 0.3, 0.01, (2.0, 4.0, 30.0, 6.0)

    def change(_, y, force):
        s, c = np.sin(y[2]), np.cos(y[2])
        matrix = np.array([[mass + bob, bob * arm * c], [bob * arm * c, inertia + bob * arm**2]])
        side = np.array([force + bob * arm * s * y[3] ** 2, bob * 9.81 * arm * s])
        return [y[1], *np.linalg.solve(matrix, side)[:1], y[3], *np.linalg.solve(matrix, side)[1:]]

    sim = fm.compile(cart, {"force": [0.0]}, settings={"integrator": "dormand_prince", "tolerance": 1e-9, "lanes": 1})
    state, right = sim.start({"force": [0.0]}), np.array([0.0, 0.0, 0.2, 0.0])
    for k in range(100):
        q, v = state["coordinates"][0], state["velocities"][0]
        (c, s), turning = q[6:8], v[6:8]  # of the pole's first axis
        tilt, rate = -np.arctan2(s, c), s * turning[0] - c * turning[1]
        force = float(np.dot(gains, (q[0], v[0], tilt, rate)))
        wanted = float(np.dot(gains, right))
        state = sim.step(state, 0.02 * (k + 1), inputs={"force": force})
        right = solve_ivp(change, (0.0, 0.02), right, args=(wanted,), rtol=1e-10, atol=1e-12, method="DOP853").y[:, -1]
    assert state["coordinates"][0, 0] == pytest.approx(right[0], abs=1e-5)
    assert abs(right[2]) < 0.02 < 0.2 and abs(tilt - right[2]) < 0.01


def crank(length, speed, overlap, law):
    s = fm.System()
    rod = s.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"O": (-length, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    s.add(fm.AngleDrive("motor", s.ground.at(0.0, 0.0), rod["O"], fm.ConstantSpeed(speed)))
    ball = s.body("ball", mass=1.0, inertia=1.0, position=(0.0, 3.0))
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 2.9 + overlap, law))
    return s


def test_what_would_have_to_jump_is_refused():
    start = {"length": [0.5], "speed": [1.0], "overlap": [0.0]}
    sim = fm.compile(partial(crank, law=fm.Hertz(1e6)), start, settings={"integrator": "dormand_prince"})
    state = sim.step(sim.start(start), 0.1)
    names(said(lambda: sim.step(state, 0.2, inputs={"length": 0.6})), "'length'", "positions would have to jump", "0.0995 m")
    names(said(lambda: sim.step(state, 0.2, inputs={"speed": 2.0})), "'speed'", "would have to jump")
    names(said(lambda: sim.step(state, 0.2, inputs={"sped": 2.0})), "'sped'", "speed")
    names(said(lambda: sim.step(state, 0.2, inputs={"speed": [1.0, 2.0]})), "2 values", "1 samples")
    assert sim.step(state, 0.2).time[0] == 0.2  # a refusal leaves everything as it was
    names(sim.step(state, 0.2, inputs={"overlap": 0.2}).notes["floor.change"], "closes at 0.1 s", "0.1 m")
    hard = fm.compile(partial(crank, law=fm.Impenetrable()), start, settings={"integrator": "moreau", "step": 1e-3})
    state = hard.step(hard.start(start), 0.1)
    names(said(lambda: hard.step(state, 0.2, inputs={"overlap": 0.2})), "'overlap'", "'floor'", "would be overlapped at once", "0.1 m")


def test_reductions_may_begin_anew():
    """Largest value, when, mean, and mean within a window of a half of a motion are those of its history."""
    names_of = ["stone.x", "stone.x:max", "stone.x:time_of_max", "stone.x:mean", "stone.x:mean@0.1..0.3", "stone.x:max@0.2.."]
    sim = fm.compile(sprung, START, outputs=names_of, settings={"integrator": "dormand_prince", "tolerance": 1e-10, "lanes": 2})
    state = sim.step(sim.start(START), 0.4)
    then, _ = sim.go_on(state, 1.0, points=3001, inputs={"force": 20.0}, anew=True)
    t, x = then.time, then["stone.x"]
    assert then["stone.x:max"] == pytest.approx(x.max(axis=1), rel=1e-6)
    assert then["stone.x:time_of_max"] == pytest.approx(t[x.argmax(axis=1)], abs=3e-4) and then["stone.x:time_of_max"].min() > 0.4
    assert then["stone.x:mean"] == pytest.approx(np.trapezoid(x, t) / 0.6, rel=1e-6)
    inside = (t > 0.5 - 1e-9) & (t < 0.7 + 1e-9)
    assert then["stone.x:mean@0.1..0.3"] == pytest.approx(np.trapezoid(x[:, inside], t[inside]) / 0.2, rel=1e-6)
    assert then["stone.x:max@0.2.."] == pytest.approx(x[:, t > 0.6 - 1e-9].max(axis=1), rel=1e-6)
    before, _ = sim.go_on(state, 1.0, points=11)
    assert before["stone.x:mean"] != pytest.approx(then["stone.x:mean"], rel=1e-2)  # of the whole motion
