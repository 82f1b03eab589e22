"""Groups of elements: what one compiled element in a loop gives is what elements written one by one give."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.analysis.equations import Equations
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.language.arrays import Program
from flexmbd.language.graph import Graph
from flexmbd.linalg import blocks
from flexmbd.linalg.elimination import elimination_order, factorise
from flexmbd.tuning import Tuning

ROUND = fm.Section.circle(0.02)
STEEL, RUBBER = (fm.Material(E, 0.3, rho) for E, rho in ((1e8, 5000.0), (2e6, 1200.0)))


def ropes(elements=(12, 3), E=1e8, damping=1e-3):
    """Two ropes of other numbers, end to end, the first pinned to the ground."""
    s = fm.System(gravity=(0.0, -9.81))
    steel = fm.Material(E, 0.3, 5000.0)
    upper = s.cable("upper", length=1.0, elements=elements[0], section=ROUND, material=steel, damping=damping)
    lower = s.cable("lower", length=0.5, elements=elements[1], section=ROUND, material=RUBBER, damping=damping, position=(1.0, 0.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), upper.start))
    s.add(fm.Revolute("knot", upper.end, lower.start))
    return s


@pytest.fixture(scope="module")
def bent():
    """Equations in groups, a build of single elements, its numbers, and a bent state."""
    s = ropes((2, 1))
    single = NaturalCoordinates(s, tuning=Tuning(single_elements=100))
    rng = np.random.default_rng(3)
    q = np.array(s.initial()[0], float)
    q, v = q + 0.05 * rng.normal(size=len(q)), rng.normal(size=len(q))
    parameters = s.parameters()
    return Equations(s), single, lambda nodes: Program(single.graph, nodes, parameters)({"q": q, "v": v}), q, v


def test_forces_and_mass_are_those_of_single_elements(bent):
    pooled, single, evaluate, q, v = bent
    assert [len(group.coordinates) for group in pooled.problem.groups] == [3] and not single.groups
    assert pooled.force(q, v) == pytest.approx(evaluate(single.generalized), rel=1e-12, abs=1e-9)
    mass = np.zeros((single.n, single.n))
    for (i, j), m in zip(single.inertia.entries, evaluate(list(single.inertia.entries.values())), strict=True):
        mass[i, j] = mass[j, i] = m
    assert np.allclose(pooled.mass.toarray(), mass, rtol=1e-13)


def test_tangents_are_those_of_single_elements(bent):
    pooled, single, evaluate, q, v = bent
    for matrix, variables in ((pooled.stiffness(q, v), single.q), (pooled.damping(q, v), single.v)):
        slopes = [single.graph.derivative(f, x) for f in single.generalized for x in variables]
        exact = -evaluate(slopes).reshape(single.n, -1)
        assert np.abs(matrix.toarray() - exact).max() < 1e-12 * np.abs(exact).max()


def test_sums_over_a_body_and_over_the_system(bent):
    pooled, single, evaluate, q, v = bent
    for name in ("energy.kinetic", "energy.potential", "upper.strain_energy", "lower.strain_energy"):
        assert pooled.output(name, q, v) == pytest.approx(evaluate([single.outputs[name][0]()])[0], rel=1e-12), name


PROGRAMS = {"integrator": "generalized_alpha", "tolerance": 1e-6, "tuning": Tuning(piece=40)}  # of elements, however short


@pytest.fixture(scope="module")
def fallen():
    """Motion of the ropes by elimination in lanes, two samples, with adaptive steps."""
    settings = {"lanes": 2, **PROGRAMS}
    return fm.run(lambda E: ropes(E=E), {"E": np.array([1e8, 0.9e8])}, end=0.3, points=4, outputs=OUTPUTS, settings=settings)


OUTPUTS = ["lower.end.x", "lower.end.y", "energy.balance"]


@pytest.mark.slow
def test_a_turning_rope_starts_where_it_is_put():
    """Positions fit and velocities do not: only these may be corrected, by the free motion of a turning rope."""

    def turning(speed):
        s = fm.System()
        steel = fm.Material(1e8, 0.3, 5000.0)
        rope = s.cable("rope", length=1.0, elements=4, section=ROUND, material=steel, velocity=(0.0, speed), rate=1.0)
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rope.start))
        return s

    outputs = [f"rope.{end}.{key}" for end in ("start", "end") for key in ("x", "y", "vx", "vy")]
    settings = {"integrator": "generalized_alpha", "step": 1e-4, "fixed": True}
    run = fm.run(turning, {"speed": np.array([0.0, 0.5])}, end=1e-4, points=2, outputs=outputs, settings=settings)
    assert not run.status.any(), run.message
    x, y, vx, vy, end_x, end_y, end_vx, end_vy = (run.outputs[name][:, 0] for name in outputs)
    assert np.abs([x, y, end_x - 1.0, end_y, vx, vy, end_vx]).max() < 1e-12
    assert end_vy[0] == pytest.approx(1.0, abs=1e-12) and end_vy[1] > 1.2


def test_pools_in_lanes_keep_the_balance_of_energy(fallen):
    assert not fallen.status.any(), fallen.message
    assert np.abs(fallen.outputs["energy.balance"]).max() < 1e-4 * 5000.0 * ROUND.area * 9.81
    assert np.ptp(fallen.outputs["lower.end.y"][0]) > 0.3


@pytest.mark.slow
def test_a_sparse_library_gives_the_same_motion(fallen):
    settings = {"lanes": 1, "linear_solver": "superlu", **PROGRAMS}
    alone = fm.run(lambda E: ropes(E=E), {"E": np.array([1e8])}, end=0.3, points=4, outputs=OUTPUTS, settings=settings)
    assert not alone.status.any(), alone.message
    for name in OUTPUTS[:2]:
        assert alone.outputs[name][0] == pytest.approx(fallen.outputs[name][0], abs=2e-7), name


def test_a_library_needs_one_lane_and_a_name_that_is_known():
    for settings, words in (({"linear_solver": "superlu"}, "it must be 1"), ({"linear_solver": "lapack", "lanes": 1}, "no direct solver")):
        with pytest.raises(fm.ModelError, match=words):
            fm.run(lambda: ropes((2, 1)), {}, end=0.1, points=2, outputs=["lower.end.x"], settings=settings)


def test_the_order_of_a_long_chain_fills_nothing_in():
    nodes, size = 200, 4
    chain = [set(range(size * k, size * (k + 2))) for k in range(nodes - 1)]
    order = elimination_order(size * nodes, chain, [])
    graph, pairs = Graph(), {(i, j) for group in chain for i in group for j in group}
    factors = factorise(graph, {ij: graph.var("m", k) for k, ij in enumerate(sorted(pairs))}, order, symmetric=False)
    assert isinstance(factors, blocks.BlockFactors)
    assert factors.plan.size < 1.01 * len(pairs)
    assert factors.plan.runs()[0][2] == size
