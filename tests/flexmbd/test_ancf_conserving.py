"""Forces of ANCF cables that conserve energy over a step: kernels, and motions by the energy-momentum scheme."""

import functools

import numpy as np
import pytest
from numba import njit

import flexmbd as fm
from flexmbd.bodies.ancf_cable import CURVATURES, STRAINS
from flexmbd.bodies.ancf_rules import RULES
from flexmbd.bodies.tangent_blocks import in_vectors

from .tangents import FULL_PAIRS, MEASURES, close, full, jacobian
from .test_ancf_cable import rules
from .test_integrator_family import evaluated, kept, passed

measured = pytest.mark.parametrize("measures", MEASURES)
NUMBERS = (7.0, 3.0)


def bent(seed, spread=0.3):
    rng = np.random.default_rng(seed)
    return np.tile([1.0, 0.0, 0.0], 3) + spread * rng.normal(size=(2, 9))


# ---- kernels
@rules
@measured
@pytest.mark.parametrize("seed", range(3))
def test_work_of_the_force_is_the_change_of_energy(rule, points, measures, seed):
    """And it has no moment in the middle of the step; it depends on differences of places, so it has no resultant."""
    first, last = bent(seed)
    numbers, middle = (*NUMBERS, *measures, *rule.grouped(points)), 0.5 * (first + last)
    force = np.array(rule.conserving(in_vectors(middle), in_vectors(first), *numbers))
    change = rule.energy(in_vectors(last), *numbers) - rule.energy(in_vectors(first), *numbers)
    assert force @ (last - first) == pytest.approx(change, rel=1e-13, abs=1e-13 * rule.energy(in_vectors(last), *numbers))
    moment = np.cross(middle.reshape(3, 3), force.reshape(3, 3)).sum(axis=0)
    assert np.abs(moment).max() < 1e-14 * np.abs(force).max()
    backward = np.array(rule.conserving(in_vectors(middle), in_vectors(last), *numbers))
    assert np.allclose(backward, force, rtol=0.0, atol=1e-14 * np.abs(force).max()), "the same backward in time"


@rules
@measured
def test_of_a_step_that_shrinks_it_is_the_force_with_an_error_of_second_order(rule, points, measures):
    y, direction = bent(5)[0], bent(6)[1]
    numbers, errors = (*NUMBERS, *measures, *rule.grouped(points)), []
    exact = np.array(rule.force(in_vectors(y), *numbers))
    for h in (0.02, 0.01, 0.0):
        errors.append(np.abs(np.array(rule.conserving(in_vectors(y), in_vectors(y - h * direction), *numbers)) - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    assert errors[2] < 1e-14 * np.abs(exact).max()


@rules
@measured
@pytest.mark.parametrize("seed", range(3))
def test_tangent(rule, points, measures, seed):
    y, before = bent(seed, 0.2)
    numbers = (*NUMBERS, *measures, *rule.grouped(points))
    tangent = full(rule.conserving_tangent(in_vectors(y), in_vectors(before), *numbers), FULL_PAIRS)
    close(tangent, jacobian(lambda y: rule.conserving(in_vectors(y), in_vectors(before), *numbers), y))


# ---- motions
STRIP, PLASTIC = fm.Section.rectangle(0.02, 0.02), fm.Material(2e6, 0.3, 1000.0)  # of length 1 m: EA 800 N, EI 0.0267 N m², 0.4 kg
TURN = 3.0  # an arc of that angle at the start


def arc(rod):
    """Coordinates and velocities of a cable that is bent to an arc, turns, and is thrown."""
    q, v, radius = [], [], 1.0 / TURN
    for k in range(rod.elements + 1):
        angle = TURN * k / rod.elements
        s, c = np.sin(angle), np.cos(angle)
        q += [radius * s, radius * (1.0 - c), c, s]
        v += [0.3 - 4.0 * q[-3], -0.2 + 4.0 * q[-4], -4.0 * s, 4.0 * c]
    return tuple(q), tuple(v)


def thrown(pinned=False, **options):
    """A cable of two elements, bent to an arc, in free flight or as a pendulum."""
    s = fm.System(gravity=(0.0, -9.81 if pinned else 0.0))
    rod = s.cable("rod", length=1.0, elements=2, section=STRIP, material=PLASTIC, **options)
    object.__setattr__(rod, "initial", lambda: arc(rod))
    if pinned:
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod.start))
    return s


@njit
def fly(force, tangent, mass, vectors, q, v, h, steps, numbers):
    """Steps of the scheme for two elements without constraints; `vectors` (2, 9, 12) makes c, a, b of coordinates, `numbers` are theirs."""
    a = np.zeros(len(q))
    for _ in range(steps):
        first = q.copy()
        q = first + 0.5 * h * v + 0.25 * h * h * a
        for _ in range(8):
            pull, stiff = mass @ a, (4.0 / (h * h)) * mass
            for e in range(2):
                z, o = vectors[e] @ q, vectors[e] @ first
                y = ((z[0], z[1], z[2]), (z[3], z[4], z[5]), (z[6], z[7], z[8]))
                x = ((o[0], o[1], o[2]), (o[3], o[4], o[5]), (o[6], o[7], o[8]))
                pull += vectors[e].T @ np.array(force(y, x, *numbers[e]))
                k, block = np.array(tangent(y, x, *numbers[e])).reshape(3, 3, 3, 3), np.zeros((9, 9))
                for i in range(3):
                    for j in range(3):
                        block[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = k[i, j]
                stiff += vectors[e].T @ block @ vectors[e]
            dq = -np.linalg.solve(stiff, pull)
            q, a = q + dq, a + (4.0 / (h * h)) * dq
            if np.abs(dq).max() < 1e-14:
                break
        q, v = 2.0 * q - first, v + h * a
    return q, v


def flown(options, h, steps):
    """Coordinates and velocities of `thrown` at the start and after steps, and its equations."""
    system = thrown(**dict(zip(("strain", "curvature", "integration"), options, strict=True)))
    e, rule = fm.Equations(system), RULES[options[2]]
    vectors, le = np.zeros((2, 9, 12)), 0.5
    for k in range(2):
        for i in range(2):
            vectors[k, i, [4 * k + i, 4 * k + 4 + i]] = -1.0 / le, 1.0 / le
            vectors[k, 3 + i, 4 * k + 2 + i] = vectors[k, 6 + i, 4 * k + 6 + i] = 1.0
    start, numbers = [np.array(x) for x in arc(system.bodies[0])], (800.0 * le, 2e6 * 0.02**4 / 12.0 / le)
    measures = STRAINS[options[0]], CURVATURES[options[1]]
    numbers = tuple((*numbers, *measures, *rule.grouped(rule.points(k == 0, k == 1))) for k in range(2))
    end = fly(rule.conserving, rule.conserving_tangent, e.mass.toarray(), vectors, *start, h, steps, numbers)
    return start, end, e


def totals(equations, q, v):
    """Energy, momentum and angular momentum, as in `kept`."""
    p, places = (equations.mass @ v).reshape(-1, 2), q.reshape(-1, 2)
    energy = 0.5 * p.ravel() @ v + equations.output("rod.strain_energy", q)
    return np.array([energy, *p[::2].sum(axis=0), (places[:, 0] * p[:, 1] - places[:, 1] * p[:, 0]).sum()])


OPTIONS = [(strain, curvature, rule) for strain in STRAINS for curvature in CURVATURES for rule in RULES]


@pytest.mark.parametrize("options", OPTIONS, ids="-".join)
def test_free_flight_keeps_energy_and_momentum_with_every_measure(options):
    """10 000 steps of 2 ms at 4 rad/s: energy goes to and fro between bending, stretching and motion.

    What is left is the random walk of rounding, 4e-12 (root mean square over the twelve cases); six of it are allowed.
    """
    (q, v), end, e = flown(options, 2e-3, 10_000)
    before, after = totals(e, q, v), totals(e, *end)
    assert np.abs(after - before).max() < 2.5e-11 * before[0]
    bent, now = (e.output("rod.strain_energy", x) for x in (q, end[0]))
    assert bent > 0.15 * before[0] and abs(now - bent) > 1e-3 * before[0]


@pytest.mark.slow
@pytest.mark.parametrize("options", [("engineering", "material", "reduced"), ("green", "exact", "full")], ids="-".join)
def test_order_of_the_scheme(options):
    ends = [flown(options, h, round(0.02 / h))[1] for h in (1e-4, 5e-5, 2.5e-5)]
    for a, b, c in zip(*ends, strict=True):
        assert np.log2(np.linalg.norm(a - b) / np.linalg.norm(b - c)) == pytest.approx(2.0, abs=0.1)


FREE = {"strain": "engineering", "curvature": "material"}
HELD = {"strain": "green", "curvature": "exact", "integration": "full", "pinned": True}


@pytest.mark.parametrize("options", [pytest.param(FREE, id="free", marks=pytest.mark.slow), pytest.param(HELD, id="pendulum")])
def test_energy_momentum_scheme(options):
    """The compiled scheme, 100 000 steps; a pendulum keeps its energy."""
    h, run = 2e-3, functools.partial(thrown, **options)
    *states, model = passed(run, "rod.end.x:final", 100_000 * h, integrator="energy_momentum", step=h)
    sums, potential = [], [model.problem.potential_energy]
    for place, speed in ((x["coordinates"][0], x["velocities"][0]) for x in states):
        energy, *others = kept(model, run(), place, speed)
        sums.append(np.array([energy + evaluated(model, run(), potential, place, speed)[0], *others]))
    before, after = sums
    kinds = slice(0, 1 if "pinned" in options else None)
    far = max(1.0, np.abs(states[1]["coordinates"]).max())  # moments of a cable that has flown far have its place's rounding
    assert np.abs(after - before)[kinds].max() < 1e-11 * before[0] * far
