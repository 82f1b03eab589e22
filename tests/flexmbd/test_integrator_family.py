"""Declared facts of all integrators: order of positions, velocities and multipliers, rows held, what is conserved, damping."""

import functools
import itertools

import numpy as np
import pytest

import flexmbd as fm
from flexmbd import lanes
from flexmbd.equations.midpoint import replaced
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.integrators import INTEGRATORS
from flexmbd.integrators.iteration import LAG
from flexmbd.running.models import model_of
from flexmbd.running.settings import as_settings

from .orders import TUNED, tuned
from .pendula import G, swing
from .test_generalized_alpha import QUARTER, lugre, numbers, parameters, springs
from .test_spatial_bodies import heavy_top

IMPLICIT = [name for name, scheme in INTEGRATORS.items() if scheme.correction is not None]
START, PHASE = 1.2, 0.3  # released at an angle from down (rad), that many seconds ago: rows are curved along the motion from the first step


def swinging(t):
    """Coordinates and velocities of the pendulum."""
    angle, rate = (float(x) for x in swing(START, PHASE + t))
    s, c = np.sin(angle), np.cos(angle)
    return np.array([0.5 * s, -0.5 * c, s, -c]), rate * np.array([0.5 * c, 0.5 * s, c, s])


def pendulum():
    """The single one of `pendula`."""
    s = fm.System(gravity=(0.0, -G))
    (x, y, ux, uy), (vx, vy, *_) = swinging(0.0)
    motion = {"velocity": (vx, vy), "rate": float(swing(START, PHASE)[1])}
    rod = s.body("rod", mass=1.0, inertia=0.25, position=(x, y), angle=np.arctan2(uy, ux), points={"O": (-0.5, 0.0)}, **motion)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    return s


def passed(build, output, end, **settings):
    """State at the start and at the end of a run of one sample at a fixed step, and its model."""
    settings = as_settings({"lanes": 1, "fixed": True, **settings})
    sim = fm.compile(build, outputs=[output], end=end, settings=settings)
    start = sim.start()
    return start, sim.step(start, end), model_of(build(), [output], settings)


def ended(build, output, end, **settings):
    """q, v, multipliers after such a run, and its model; multipliers are the scheme's own, if it has any."""
    _, state, model = passed(build, output, end, **settings)
    q, v = state["coordinates"][0], state["velocities"][0]
    if model.scheme.correction is None:
        return q, v, multipliers(model, build(), q, v, end), model
    return q, v, state["multiplier"][0, : len(model.problem.rows)], model


swung = functools.partial(ended, pendulum, "rod.x:final", lanes=2)  # in two lanes, so that every scheme is seen to work in lanes


def values(q, v, t=0.0):
    return {"q": q, "v": v, "t": t}


def evaluated(model, system, nodes, q, v, t=0.0):
    return np.array(model.problem.graph.evaluate(nodes, values(q, v, t), system.parameters()), float)


def multipliers(model, system, q, v, t=0.0):
    """Of the index-1 equations; where there are groups, rows must be linear and constant."""
    if model.problem.groups:
        e = fm.Equations(system)
        G = e.jacobian(q, t).toarray()
        inertia = np.linalg.inv(e.mass.toarray())
        return np.linalg.solve(G @ inertia @ G.T, G @ inertia @ e.force(q, v, t))
    return evaluated(model, system, model.problem.multipliers, q, v, t)


STEPS = {1: (4e-3, 2e-3, 1e-3), 2: (8e-3, 4e-3, 2e-3), 4: (0.01, 0.005, 0.0025), 5: (0.04, 0.02, 0.01)}
EARLY = {"moreau": (1e-3, 5e-4, 2.5e-4)}  # s; with longer steps terms of third order are as large
END = 1.0
# of high orders the end, s, and numbers of steps: errors of q and v pass zero at other times, and a few of these steps on they are rounding
HIGH = {"dop853": (1.6, (22, 44)), "gauss_8": (0.9, (6, 12))}
FAMILY = [name for name, scheme in INTEGRATORS.items() if name != "gauss_16" and not scheme.needs]  # which have tests of their own


@functools.cache
def errors(name):
    """Of q, v, the scheme's own multipliers, and reactions in outputs, (steps, 4)."""
    scheme, out = tuned(name), []
    end, counts = HIGH.get(name, (END, ()))
    for h in [end / count for count in counts] or EARLY.get(name) or STEPS[scheme.order]:
        q, v, own, model = swung(end, integrator=name, step=h, **TUNED.get(name, {}))
        place, speed = swinging(end)
        forces = multipliers(model, pendulum(), place, speed)
        acting = multipliers(model, pendulum(), *swinging(end + scheme.multiplier_time * h))
        pairs = (q, place), (v, speed), (own, acting), (multipliers(model, pendulum(), q, v), forces)
        out.append([np.linalg.norm(a - b) for a, b in pairs])
    return np.array(out)


def slopes(name):
    return np.diff(np.log(errors(name)), axis=0) / np.log(0.5)


@pytest.mark.parametrize("name", FAMILY)
def test_order_of_positions_velocities_and_multipliers(name):
    scheme = tuned(name)
    own = scheme.order if scheme.multiplier_order is None else scheme.multiplier_order
    assert slopes(name)[-1] == pytest.approx([scheme.order, scheme.order, own, scheme.order], abs=0.2), errors(name)


def residuals(model, system, q, v, t=0.0):
    """Largest open row as a position and as a velocity."""
    b = model.problem
    rows = [[r.polynomial.value(b.q) for r in b.rows], [r.polynomial.rate(b.q, b.v, b.time) for r in b.rows]]
    return [np.abs(evaluated(model, system, nodes, q, v, t)).max() for nodes in rows]


@pytest.mark.parametrize("name", IMPLICIT)
def test_rows_hold_as_declared(name):
    """To rounding where declared, and only there; 500 steps."""
    q, v, _, model = swung(4.0, integrator=name, step=8e-3)
    position, velocity = residuals(model, pendulum(), q, v)
    assert (position < 2e-15, velocity < 2e-14) == ("position" in model.scheme.holds, "velocity" in model.scheme.holds)
    assert position < 1e-3 and velocity < 1e-2


def test_baumgarte_bounds_the_drift():
    """Open rows of long fixed steps: they grow without it, and not with it; what is open closes like exp(-c t)."""
    drift = []
    for end in (10.0, 40.0):
        q, v, _, model = swung(end, integrator="rk4", step=0.02, tolerance=1e3)
        stabilised = swung(end, integrator="baumgarte", step=0.02)
        drift.append((residuals(model, pendulum(), q, v)[0], residuals(model, pendulum(), *stabilised[:2])[0]))
    assert drift[1][0] > 3 * drift[0][0]
    assert max(drift[0][1], drift[1][1]) < 0.1 * drift[0][0]


def twins(**p):
    """Two bodies in free flight, joined by a pin."""
    s = fm.System()
    first = s.body("first", mass=1.0, inertia=0.3, position=(0.0, 0.0), angle=0.3, velocity=(0.4, -0.2), rate=3.0, points={"P": (0.5, 0.1)})
    place, arm = np.array([0.5 * np.cos(0.3) - 0.1 * np.sin(0.3), 0.5 * np.sin(0.3) + 0.1 * np.cos(0.3)]), 0.7
    second = s.body("second", mass=2.0, inertia=0.2, position=tuple(place + [arm, 0.0]), velocity=(0.1, 1.5), rate=-2.0)
    s.add(fm.Revolute("pin", first["P"], second.at(-arm, 0.0)))
    return s


def tumbling(**p):
    """A free body in space, close to the unstable turning about its middle axis."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    motion = {"rotation": (0.4, -0.3, 0.5), "velocity": (0.3, -0.1, 0.2), "angular_velocity": (0.1, 4.0, 0.2)}
    s.body("body", mass=2.0, inertia=(0.04, 0.06, 0.09, 0.004, -0.006, 0.008), position=(0.1, 0.2, 0.3), **motion)
    return s


def kept(model, system, q, v):
    """Kinetic energy, momentum, and angular momentum about the origin.

    Coordinates are vectors; the momentum of a body's place is its own, and that of its unit vectors has a moment only.
    """
    b, d = model.problem, system.dimension
    momentum = evaluated(model, system, b.inertia.apply(b.v), q, v)
    places, parts = q.reshape(-1, d), momentum.reshape(-1, d)
    moving = np.reshape([measure == "length" for measure in b.measures], (-1, d))
    total = sum(np.cross(np.r_[x, 0.0][:3], np.r_[p, 0.0][:3]) for x, p in zip(places, parts, strict=True))
    return np.r_[0.5 * momentum @ v, np.where(moving, parts, 0.0).sum(0), total]


FREE = {"twins": (twins, "first.x:final"), "tumbling": (tumbling, "body.x:final")}


@pytest.mark.parametrize("steps", (pytest.param(2_000, marks=pytest.mark.slow), pytest.param(100_000, marks=pytest.mark.slow)))
@pytest.mark.parametrize("motion", [pytest.param("twins", marks=pytest.mark.slow), "tumbling"])
@pytest.mark.parametrize("name", [name for name, scheme in INTEGRATORS.items() if scheme.conserves])
def test_free_motion_keeps_energy_and_momentum(name, motion, steps):
    (build, output), h = FREE[motion], 1 / 128
    assert INTEGRATORS[name].conserves == ("energy", "momentum", "angular momentum")
    *states, model = passed(build, output, steps * h, integrator=name, step=h)
    before, after = (kept(model, build(), x["coordinates"][0], x["velocities"][0]) for x in states)
    far = max(1.0, np.abs(states[1]["coordinates"]).max())  # moments of a body that has flown far have its place's rounding
    scale = np.abs(before).max() * far
    assert np.abs(after - before).max() < 1e-10 * scale, (after - before) / scale


@pytest.mark.slow
def test_heavy_top_by_energy_momentum():
    """Order 2 in space, at a steep spin; energy and the vertical part of the angular momentum are kept under gravity."""
    end, found = 0.05, []
    for h in (1e-3, 5e-4, 2.5e-4):
        *states, model = passed(heavy_top, "top.x:final", end, integrator="energy_momentum", step=h)
        before, after = (kept(model, heavy_top(), x["coordinates"][0], x["velocities"][0]) for x in states)
        weight = 15.0 * 9.81 * np.array([x["coordinates"][0, 2] for x in states])
        assert after[0] + weight[1] == pytest.approx(before[0] + weight[0], rel=1e-12)
        assert after[-1] == pytest.approx(before[-1], abs=1e-10 * np.abs(before[-3:]).max())
        found.append(states[1]["coordinates"][0])
    a, b, c = found
    assert np.log2(np.linalg.norm(a - b) / np.linalg.norm(b - c)) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("name", [name for name in IMPLICIT if not name.startswith(("newmark", "hht"))])
def test_newton_converges_quadratically(name):
    """The generated corrections, iterated by numpy from a random state of springs, dampers and drives: their matrix is exact."""
    system, scheme = springs(), INTEGRATORS[name]
    equations, x = numbers(system)
    n, rows, g = equations.n, len(equations.rows), equations.graph
    x |= {"o": x["q"] - x["beta_h2"] * x["a"], "u": np.zeros(rows)}
    if name == "energy_momentum":
        x |= {"o": x["q"] - 1e-3}
    step, _ = scheme.correction(equations)
    sizes = []
    for _ in range(6):
        w = np.array(g.evaluate(step, x, parameters(system)), float)
        dq, forces = w[:n], w[n : n + rows * scheme.multipliers]
        made = dq - (w[-n:] if scheme.multipliers > 1 else 0.0)
        x |= {"q": x["q"] + dq, "v": x["v"] + x["gamma_beta_h"] * made, "a": x["a"] + made / x["beta_h2"]}
        for space, f in zip("lu", forces.reshape(-1, rows), strict=False):
            x[space] = x[space] + f / x["beta_h2"]
        sizes.append(np.abs(dq).max())
    sizes = np.array(sizes) / sizes[0]
    assert sizes[-1] < 1e-9
    assert any(b < 1e-2 and c < max(10 * b * b, 1e-11) for b, c in itertools.pairwise(sizes)), sizes


def test_midpoint_rows_are_those_of_the_end():
    equations = NaturalCoordinates(springs())
    g, t, half = equations.graph, equations.time, equations.graph.var("step_share")
    s, c = g.call(lanes.atan2, (t * t, 2.0)), g.select(g.greater(t, 1.0), g.sqrt(t), -t)
    nodes = [s / c, equations.rows[-1].polynomial.value(equations.q), equations.q[0] * 2.0]
    x = values(range(equations.n), range(equations.n))
    for now in (0.4, 0.9, 1.3):
        later = g.evaluate(nodes, x | {"t": now + 0.25}, parameters(equations.system))
        moved = g.evaluate(
            [replaced(g, node, t, t + half) for node in nodes], x | {"t": now, "step_share": 0.25}, parameters(equations.system)
        )
        assert np.allclose(np.array(moved, float), np.array(later, float), rtol=1e-15)


@pytest.mark.parametrize("radius", (0.5, 0.7, 0.95))
@pytest.mark.parametrize("name", [name for name in IMPLICIT if INTEGRATORS[name].setting == "spectral_radius"])
def test_fast_oscillations_shrink_by_the_spectral_radius(name, radius):
    """Amplification of (q, h v, h^2 a, h^2 b) of an oscillator with a step of ten thousand periods."""
    keys = ("LAG", "BETA", "GAMMA", "BETA_START", "BEND_Q", "BEND_V", "BEND_FACTOR")
    c, stiff = dict(zip(keys, INTEGRATORS[name].tuned(radius).numbers[LAG:], strict=False)), 1e8
    before = np.eye(4)
    q, v, a, b = before
    free = q + v + (0.5 - c["BETA"]) * a + c["BEND_Q"] * b
    a1 = -stiff * free / (1.0 + stiff * c["BETA"])
    bend = c["LAG"] * (a1 - a) + c["BEND_FACTOR"] * (c["LAG"] * (a1 - a) - b)
    after = [free + c["BETA"] * a1, v + (1.0 - c["GAMMA"]) * a + c["BEND_V"] * b + c["GAMMA"] * a1, a1, bend]
    assert np.abs(np.linalg.eigvals(np.array(after))).max() == pytest.approx(radius, abs=0.02)


def test_hht_has_a_least_spectral_radius():
    with pytest.raises(fm.ModelError, match=r"at least 0\.5"):
        fm.Settings(integrator="hht", spectral_radius=0.3)


@pytest.mark.parametrize("name", [name for name in IMPLICIT if INTEGRATORS[name].adaptive])
def test_changing_steps_follow_the_tolerance(name):
    """Error against tolerance: a local error of h^(p+1) in v gives a slope of p/(p+1) at least."""
    order, found = INTEGRATORS[name].order, []
    for tolerance in (1e-4, 1e-6):
        q, *_ = swung(END, integrator=name, tolerance=tolerance, fixed=False)
        found.append(np.linalg.norm(q - swinging(END)[0]))
    assert found[1] < 2 * found[0] * 1e-2 ** (order / (order + 1)) and found[1] < 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("name", ("generalized_alpha_2", "ggl", "energy_momentum"))
def test_friction_and_contact_agree_with_the_explicit_scheme(name):
    outputs, settings = [f"{key}:final" for key in (*QUARTER, "energy.balance")], {"lanes": 1, "tolerance": 1e-8}
    step = {} if INTEGRATORS[name].adaptive else {"step": 2e-8}
    runs = [
        fm.run(lugre, {"clearance": np.full(1, 5e-4)}, end=6e-4, points=2, outputs=outputs, settings=settings | more)
        for more in ({"tolerance": 1e-10}, {"integrator": name, **step})
    ]
    assert not any(run.status.any() for run in runs), [run.message for run in runs]
    exact, got = ([run.outputs[name][0] for name in outputs[:-1]] for run in runs)
    assert got == pytest.approx(exact, rel=5e-6)
