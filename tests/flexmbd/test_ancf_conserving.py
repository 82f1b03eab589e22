"""Forces of ANCF cables that conserve energy over a step: kernels, and motions by the energy-momentum scheme."""

import functools

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.bodies.ancf_rules import CURVATURES, RULES, STRAINS, cable_kernels
from flexmbd.language.nodes import in_vectors

from .tangents import close, jacobian
from .test_ancf_cable import MEASURES, matrix, rules
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
    (first, last), rule = bent(seed), cable_kernels(3, *measures, rule)
    numbers, middle = (*NUMBERS, *points), 0.5 * (first + last)
    force = np.array(rule.conserving(in_vectors(middle, 3), in_vectors(first, 3), *numbers))
    change = rule.energy(in_vectors(last, 3), *numbers) - rule.energy(in_vectors(first, 3), *numbers)
    assert force @ (last - first) == pytest.approx(change, rel=1e-13, abs=1e-13 * rule.energy(in_vectors(last, 3), *numbers))
    moment = np.cross(middle.reshape(3, 3), force.reshape(3, 3)).sum(axis=0)
    assert np.abs(moment).max() < 1e-14 * np.abs(force).max()
    backward = np.array(rule.conserving(in_vectors(middle, 3), in_vectors(last, 3), *numbers))
    assert np.allclose(backward, force, rtol=0.0, atol=1e-14 * np.abs(force).max()), "the same backward in time"


@rules
@measured
def test_of_a_step_that_shrinks_it_is_the_force_with_an_error_of_second_order(rule, points, measures):
    y, direction, rule = bent(5)[0], bent(6)[1], cable_kernels(3, *measures, rule)
    numbers, errors = (*NUMBERS, *points), []
    exact = np.array(rule.force(in_vectors(y, 3), *numbers))
    for h in (0.02, 0.01, 0.0):
        errors.append(np.abs(np.array(rule.conserving(in_vectors(y, 3), in_vectors(y - h * direction, 3), *numbers)) - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    assert errors[2] < 1e-14 * np.abs(exact).max()


@rules
@measured
@pytest.mark.parametrize("seed", range(3))
def test_tangent(rule, points, measures, seed):
    (y, before), rule = bent(seed, 0.2), cable_kernels(3, *measures, rule)
    numbers = (*NUMBERS, *points)
    tangent = matrix(rule.conserving_tangent(in_vectors(y, 3), in_vectors(before, 3), *numbers))
    close(tangent, jacobian(lambda y: rule.conserving(in_vectors(y, 3), in_vectors(before, 3), *numbers), y))


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


def flown(options, h, steps):
    """Sums of `kept` and the strain energy of `thrown` at the start and after steps of the compiled scheme; the end's state."""
    run = functools.partial(thrown, **dict(zip(("strain", "curvature", "integration"), options, strict=True)))
    *states, model = passed(run, "rod.end.x:final", steps * h, integrator="energy_momentum", step=h)
    sums, strained, potential = [], [], [model.problem.potential_energy]
    for place, speed in ((x["coordinates"][0], x["velocities"][0]) for x in states):
        energy, *others = kept(model, run(), place, speed)
        strained.append(evaluated(model, run(), potential, place, speed)[0])
        sums.append(np.array([energy + strained[-1], *others]))
    return sums, strained, states[1]


OPTIONS = [(strain, curvature, rule) for strain in STRAINS for curvature in CURVATURES for rule in RULES]


@pytest.mark.parametrize("options", OPTIONS, ids="-".join)
def test_free_flight_keeps_energy_and_momentum_with_every_measure(options):
    """10 000 steps of 2 ms at 4 rad/s: energy goes to and fro between bending, stretching and motion.

    What is left is the random walk of rounding, 4e-12 (root mean square over the twelve cases); six of it are allowed.
    """
    (before, after), (bent, now), _ = flown(options, 2e-3, 10_000)
    assert np.abs(after - before).max() < 2.5e-11 * before[0]
    assert bent > 0.15 * before[0] and abs(now - bent) > 1e-3 * before[0]


@pytest.mark.slow
@pytest.mark.parametrize("options", [("engineering", "material", "reduced"), ("green", "exact", "full")], ids="-".join)
def test_order_of_the_scheme(options):
    states = [flown(options, h, round(0.02 / h))[2] for h in (1e-4, 5e-5, 2.5e-5)]
    ends = [[x[key][0] for key in ("coordinates", "velocities")] for x in states]
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
