"""Formulation "tree" beside runs: entries of M, derivatives told, analyses, implicit steps, guesses that have to be assembled."""

from itertools import pairwise

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.formulation.trees.topology import topology
from flexmbd.formulation.trees.tree import TreeCoordinates
from flexmbd.language.graph import Graph

from .random_trees import plane, space
from .sentences import names, said
from .test_equations import sprung
from .test_trees import arm, equal, run_both, slider_crank


@pytest.mark.parametrize("make", [plane, space])
def test_entries_products_and_derivatives_of_places(make):
    """M by composite bodies is M by inverse dynamics; derivatives by way of bodies are those of the expressions."""
    rng = np.random.default_rng(5)
    system = make(rng, 5)
    e = TreeCoordinates(system)
    g, (q, v) = e.graph, (np.array(x) for x in e.initial(system))
    x = rng.normal(size=e.n)
    one = e.inertia.apply([g.const(y) for y in x])
    keys, entries = zip(*e.inertia.entries.items(), strict=True)
    body = system.bodies[-1]
    place = g.dot((y, y) for y in (*e.place(body["P"]), *e.direction(body, *range(1, system.dimension + 1))))
    told, plain = e.gradient(place), {i: g.derivative(place, e.q[i]) for i in range(e.n)}
    rates = [e.time_derivative(place), g.dot((slope, e.v[i]) for i, slope in plain.items())]
    nodes = [*one, *entries, *(told.get(i, g.const(0.0)) for i in range(e.n)), *plain.values(), *rates]
    found = np.array([float(y) for y in g.evaluate([g.const(0.0) + y for y in nodes], {"q": q, "v": v, "t": 0.0}, system.parameters())])
    M = np.zeros((e.n, e.n))
    for (i, j), m in zip(keys, found[e.n :], strict=False):
        M[i, j] = M[j, i] = m
    np.testing.assert_allclose(M @ x, found[: e.n], rtol=0, atol=1e-12 * np.abs(M).max())
    told, plain, rates = found[e.n + len(keys) : -e.n - 2], found[-e.n - 2 : -2], found[-2:]
    unit = np.ones(e.n, bool)
    unit[[i for row in e.rows for i in row.polynomial.indices]] = False  # expressions change along a quaternion, bodies do not
    np.testing.assert_allclose(told[unit], plain[unit], rtol=0, atol=1e-12 * np.abs(plain).max())
    assert rates[0] == pytest.approx(rates[1], rel=1e-12)


def test_a_node_stands_for_another():
    """Its told derivative counts, what its terms say of the same space does not, and of other spaces does."""
    g = Graph()
    q, a, b = g.var("q", 0), g.var("displacement", 0), g.var("displacement", 1)
    (inner,) = g.stands_for([q * q], [a], lambda made: [[1.0]])
    (outer,) = g.stands_for([inner + q], [b], lambda made: [[3.0]])
    node = outer * inner
    by = [g.derivative(node, x) for x in (a, b, q)]
    assert [float(x) for x in g.evaluate([g.const(0.0) + x for x in by], {"q": [2.0]})] == [6.0, 12.0, (2 * 2.0 + 1) * 4.0 + 6.0 * 4.0]
    assert g.stands_for([inner], [a], lambda made: [[1.0]])[0] is not inner


def test_equilibria_vibrations_and_sensitivities():
    tree, natural = fm.Equations(sprung(), "tree"), fm.Equations(sprung())
    rest, known = fm.static(tree), fm.static(natural)
    for name in ("rod.angle", "end.angle", "end.x", "O.fy", "energy.total"):
        np.testing.assert_allclose(rest[name], known[name], rtol=1e-9)
    for damped in (False, True):
        np.testing.assert_allclose(fm.modes(rest, damped=damped).poles, fm.modes(known, damped=damped).poles, rtol=1e-7)
    numbers, outputs = ["rod.mass", "end.inertia", "@spring.damping", "gravity.y"], ["end.x", "end.angle", "energy.total"]
    one, two = (fm.sensitivities(of, numbers, outputs, end=0.5, points=3, rtol=1e-10) for of in (tree, sprung()))
    for name in outputs:
        largest = np.abs(two.derivatives[name]).max(axis=0)
        np.testing.assert_allclose(one.derivatives[name] / largest, two.derivatives[name] / largest, rtol=0, atol=1e-7, err_msg=name)


def test_equilibrium_of_an_arm_in_space():
    rest, known = fm.static(fm.Equations(arm(), "tree")), fm.static(fm.Equations(arm()))
    for name in ("link5.x", "link5.z", "joint0.mx", "joint3.fz"):
        np.testing.assert_allclose(rest[name], known[name], rtol=1e-8, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["generalized_alpha", "rosenbrock"])
def test_implicit_steps(scheme):
    outputs = ["rod.angle", "end.x", "energy.dissipated"]
    how = {"step": 1e-3, "fixed": True} if scheme == "generalized_alpha" else {"tolerance": 1e-9}
    run_both(sprung, outputs, end=0.5, near=1e-4 if scheme == "generalized_alpha" else 1e-7, integrator=scheme, **how)


def test_guesses_are_assembled_as_in_natural_coordinates():
    """Places that do not close, velocities that follow from the one given, several samples."""

    def build(rate):
        s = slider_crank(rate)
        for body in s.bodies:
            object.__setattr__(body, "position", tuple(x + 0.01 for x in body.position))
        return s

    runs = [
        fm.run(
            build,
            {"rate": np.array([3.0, -4.0])},
            end=0.01,
            points=2,
            outputs=["slider.x", "slider.vx", "rod.angle"],
            settings={"formulation": f},
        )
        for f in ("natural", "tree")
    ]
    for name in ("slider.x", "slider.vx", "rod.angle"):
        np.testing.assert_allclose(runs[1][name], runs[0][name], rtol=1e-9, atol=1e-10)


def test_what_a_tree_does_not_know_is_said():
    names(said(lambda: fm.Equations(sprung(), "tree", spinning=1.0)), "turning frame", "natural")
    s = fm.System()
    s.cable("line", length=1.0, elements=2, section=fm.Section.circle(0.01), material=fm.Material(E=1e9, nu=0.3, density=1e3))
    names(said(lambda: fm.Equations(s, "tree")), "tree", "'line' is a", "natural")


def masses():
    """A point mass at the end of a rod on a cardan joint, a rod that hangs on it, and a free one on a rope."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    rod = s.body(
        "rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0), angular_velocity=(0.0, 0.0, 2.0), velocity=(0.0, 1.0, 0.0),
        points={"A": (-0.5, 0.0, 0.0), "B": (0.5, 0.0, 0.0)},
    )  # fmt: skip
    s.add(fm.Universal("cross", s.ground.at(0.0, 0.0, 0.0), rod["A"], axis=(0.0, 0.0, 1.0), axis_b=(0.0, 1.0, 0.0)))
    bob = s.point_mass("bob", mass=0.5, position=(1.0, 0.0, 0.0), velocity=(0.0, 2.0, 0.0))
    s.add(fm.Spherical("end", rod["B"], bob.centre))
    tail = s.body(
        "tail", mass=0.5, inertia=(0.001, 0.01, 0.01), position=(1.2, 0.0, 0.0), angular_velocity=(0.3, 0.0, 2.0), velocity=(0.0, 2.4, 0.0),
        points={"A": (-0.2, 0.0, 0.0)},
    )  # fmt: skip
    s.add(fm.Spherical("ball", bob.centre, tail["A"]))
    free = s.point_mass("free", mass=0.7, position=(1.5, 0.0, 0.0), velocity=(0.0, 3.0, 0.0))
    s.add(fm.Distance("rope", tail.at(0.2, 0.0, 0.0), free.centre))
    return s


def test_point_masses_are_part_of_what_they_hang_on():
    equal(masses())
    assert topology(masses()).of(masses().bodies[1]).freedom.measures == []


def linkage():
    """A four-bar linkage of revolute joints in space, three of whose rows depend on the others."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    places = [np.array(p) for p in ((0.0, 0.0, 0.0), (0.0, 0.0, 0.2), (0.6, 0.0, 0.2), (0.6, 0.0, 0.0))]
    before = s.ground.at(0.0, 0.0, 0.0)
    for k, (p, q) in enumerate(pairwise(places)):
        half, moving = 0.5 * (q - p), k != 1
        bar = s.body(
            f"bar{k}", mass=1.0, inertia=(0.01, 0.02, 0.02), position=tuple(0.5 * (p + q)), velocity=(0.3 if moving else 0.6, 0.0, 0.0),
            angular_velocity=(0.0, 3.0 * moving, 0.0), points={"A": tuple(-half), "B": tuple(half)},
        )  # fmt: skip
        s.add(fm.Revolute(f"pin{k}", before, bar["A"], axis=(0.0, 1.0, 0.0)))
        before = bar["B"]
    s.add(fm.Revolute("pin3", before, s.ground.at(0.6, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return s


@pytest.mark.slow
def test_rows_that_the_tree_keeps_by_itself_are_kept_in_augmented_ones():
    """Out of its plane no coordinate moves the linkage: three rows have no derivatives there."""
    run = run_both(linkage, ["bar1.x", "bar1.vz", "energy.total"], end=0.5, tolerance=1e-9, near=1e-7, constraints="augmented")
    assert "3 of the rows pin2" in run.attributes["constraints.dependent"]


@pytest.mark.slow
def test_time_stepping_with_loops_is_of_second_order():
    """Rows hold by the velocities at the step's start, of which a cut joint's rows are nodes too."""
    outputs, ends = ["slider.x", "crank.angle"], {}
    for step in (0.0, 2e-3, 1e-3):
        how = {"integrator": "moreau", "step": step} if step else {"tolerance": 1e-11}
        found = fm.run(slider_crank(), end=0.5, points=2, outputs=outputs, settings=how | {"formulation": "tree"})
        ends[step] = np.array([found[name][-1] for name in outputs])
    coarse, fine = (np.abs(ends[step] - ends[0.0]) for step in (2e-3, 1e-3))
    assert (fine < 1e-4).all() and (np.abs(np.log2(coarse / fine) - 2.0) < 0.2).all(), (coarse, fine)


@pytest.mark.slow
def test_sparse_direct_solution():
    run_both(slider_crank, ["slider.x", "B.fx"], end=0.2, lanes=1, linear_solver="superlu")
