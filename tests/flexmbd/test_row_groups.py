"""Joints alike: their rows are written once, and motions and reactions are those of rows written one by one, to the bit."""

from dataclasses import replace

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.equations import index3
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.integrators import INTEGRATORS
from flexmbd.language.kinds import VARIABLE
from flexmbd.parameters import RUNTIME
from flexmbd.running.model import Model
from flexmbd.tuning import USUAL

STRAIGHT = replace(USUAL, single_elements=1000)  # elements of cables are in groups anyway where a library solves


def settings(integrator="generalized_alpha", tuning=USUAL):
    return fm.Settings(integrator=integrator, step=1e-3, fixed=True, lanes=1, linear_solver="superlu", tuning=tuning)


def net(number, cables=3):
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    form = {"section": fm.Section.circle(0.002), "material": fm.Material(E=number, density=1500.0, nu=0.3), "elements": cables + 1}
    form["length"], pitch = 0.1 * (cables + 1), [0.1 * (k + 1) for k in range(cables)]
    lines = [
        [s.cable(f"x{k}", position=(0.0, at, 0.0), direction=(1.0, 0.0, 0.0), **form) for k, at in enumerate(pitch)],
        [s.cable(f"y{k}", position=(at, 0.0, 0.0), direction=(0.0, 1.0, 0.0), **form) for k, at in enumerate(pitch)],
    ]
    for line in (*lines[0], *lines[1]):
        s.add(fm.Spherical(f"{line.name}pin", s.ground.at(*line.position), line.start))
    for i, one in enumerate(lines[0]):
        for j, other in enumerate(lines[1]):
            s.add(fm.Spherical(f"knot{i}_{j}", one.at(pitch[j]), other.at(pitch[i])))
    return s


def carriage(number):
    """Pendulums on sliders: rows of the second degree, whose numbers differ."""
    s = fm.System(gravity=(0.0, -9.81))
    for k in range(5):
        turned = 0.1 * (k + 1)
        guide = s.body(f"guide{k}", mass=3.0, inertia=0.4, position=(float(k), 0.0), angle=turned, points={"O": (0.0, 0.0)})
        rod = s.body(f"rod{k}", mass=1.0 + k, inertia=0.1, position=(float(k), 0.0), points={"C": (0.0, 0.0), "E": (0.0, -0.2)})
        s.add(fm.Revolute(f"pin{k}", s.ground.at(float(k), 0.0), guide["O"]))
        s.add(fm.RevoluteTranslational(f"slide{k}", guide["O"], rod["C"], axis=(1.0, 0.2 * (k + 1))))
        s.add(fm.Spring(f"spring{k}", s.ground.at(k + 0.3, 0.7), rod["E"], stiffness=number, length=0.5))
    return s


MODELS = {"net": (net, 1e6), "carriage": (carriage, 80.0)}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("integrator", ["generalized_alpha", "ggl"])
def test_motion_and_reactions_are_those_of_rows_written_one_by_one(model, integrator):
    write, number = MODELS[model]
    ends = []
    for tuning in (USUAL, STRAIGHT):
        assert bool(NaturalCoordinates(write(number), direct=True, tuning=tuning).row_groups) == (tuning is USUAL)
        simulation = fm.compile(write, {"number": np.array([number])}, end=0.01, settings=settings(integrator, tuning))
        ends.append(simulation.step(simulation.start({"number": np.array([number])}), 0.005))
    assert all(np.all(np.isfinite(ends[0][part])) and np.any(ends[0][part]) for part in ("velocities", "multiplier"))
    for part in ("coordinates", "velocities", "multiplier"):
        one, other = (end[part] for end in ends)
        if model == "net":
            assert np.array_equal(one, other)
        else:  # springs' forces and reactions are added up in another order
            assert np.allclose(one, other, rtol=0.0, atol=1e-14 * np.abs(other).max())


def alike(system):
    return NaturalCoordinates(system, direct=True).problem().row_groups


def evaluated(group, nodes, given, x):
    """Nodes of the one joint with numbers drawn anew, the same each time."""
    rng = np.random.default_rng(1)
    own = {"x": x, "k": rng.normal(size=len(group.rows)), "n": rng.normal(size=len(group.varying[0]) if group.varying else 0)}
    return np.array(group.graph.evaluate(nodes, own | {"beta_h2": 0.3, "t": 0.0}, {path: rng.normal() for path in given}))


@pytest.mark.parametrize("model", MODELS)
def test_tangents_of_a_group_are_derivatives_of_its_sides(model):
    write, number = MODELS[model]
    system = write(number)
    for group in alike(system):
        beta_h2, size, x = group.graph.var("beta_h2"), group.size, np.random.default_rng(2).normal(size=group.size)
        tangent, side = index3._tangent(group, beta_h2), index3._of_group(group, beta_h2)
        found = np.zeros((len(side), len(side)))
        for (i, j), value in zip(tangent, evaluated(group, list(tangent.values()), system.parameters(), x), strict=True):
            found[i, j] = value
        for j in range(size):
            shifted = evaluated(group, side, system.parameters(), x + 1e-30j * (np.arange(size) == j))
            assert np.allclose(found[:, j], -shifted.imag / 1e-30, rtol=1e-14, atol=1e-15)
        assert np.array_equal(found[:size, size:], found[size:, :size].T) and np.any(found[:size, size:])


def test_the_equations_of_a_net_grow_with_its_cables_not_with_its_knots():
    counts, scheme = [], INTEGRATORS["generalized_alpha"].tuned(0.8)
    for cables in (4, 5, 6):
        graph = Model(net(1e6, cables), ["x0.end.z"], scheme, width=1, direct="superlu").problem.graph
        counts.append(sum(x.level == RUNTIME and x.kind is not VARIABLE for x in graph.nodes))
    first, second = np.diff(counts)
    assert first == second < 100


def test_few_joints_and_joints_in_lanes_are_written_one_by_one():
    pair = fm.System(gravity=(0.0, -9.81))
    body = pair.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"A": (-0.5, 0.0)})
    pair.add(fm.Revolute("pin", pair.ground.at(0.0, 0.0), body["A"]))
    assert not alike(pair) and not NaturalCoordinates(carriage(80.0)).problem().row_groups
