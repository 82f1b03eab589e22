"""Forward dynamics of trees of rigid bodies: three algorithms against each other, closed forms, Pinocchio and MuJoCo."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from flexmbd.formulation.trees import recursions
from flexmbd.formulation.trees.articulated import Articulated
from flexmbd.formulation.trees.blocks import Chains
from flexmbd.formulation.trees.composite import Composite
from flexmbd.formulation.trees.constraint_force import ConstraintForces
from flexmbd.formulation.trees.links import GROUND, Link, Table
from flexmbd.formulation.trees.spatial import complement, skew
from flexmbd.language.graph import Graph
from flexmbd.parameters import RUNTIME

from .generated import Flat, functions
from .link_tables import ALONG_X, ALONG_Y, ALONG_Z, JOINTS, X, Y, Z, link, massive, tree, turned

ROBOTS = json.loads((Path(__file__).parents[1] / "data" / "robots.json").read_text(encoding="utf-8"))["robots"]
GRAVITY = (0.0, 0.0, 0.0, 0.4, -1.0, 9.7)  # acceleration of ground


def numbers(rng, count):
    return rng.normal(size=count).tolist()


def driven(table, v, external=None, base=GRAVITY):
    """What accelerations take besides forces."""
    moving = recursions.velocities(table, v)
    return {"turned": recursions.biases(table, v, moving), "pulled": recursions.loads(table, moving, external), "base": base}


def by_composite(table, forces, given):
    bias, _ = recursions.inverse_dynamics(table, [0.0] * table.n, **given)
    return Composite(table).solve([f - b for f, b in zip(forces, bias, strict=True)])


def hold_together(table, rng):
    """All algorithms on a tree: accelerations, joints' forces, several right-hand sides."""
    forces, v = numbers(rng, table.n), numbers(rng, table.n)
    given = driven(table, v, [numbers(rng, 6) for _ in table.links])
    operators = [Articulated(table), ConstraintForces(table), ConstraintForces(table, chains=True)]
    results = [one.accelerations(forces, **given) for one in operators]
    a = np.array(results[0][0])
    scale = 1e-10 * max(1.0, np.abs(a).max())
    for found in (*(x for x, _ in results[1:]), by_composite(table, forces, given)):
        np.testing.assert_allclose(found, a, rtol=0.0, atol=scale)
    again, joint = recursions.inverse_dynamics(table, a.tolist(), **given)
    np.testing.assert_allclose(again, forces, rtol=0.0, atol=1e-10 * max(1.0, np.abs(joint).max()))
    for _, held in results:
        for i, wanted in enumerate(joint):
            np.testing.assert_allclose(held[i], wanted, rtol=0.0, atol=1e-10 * max(1.0, np.abs(joint).max()))
    side = numbers(rng, table.n)
    solved = [one.solve(side) for one in (*operators, Composite(table))]
    for found in solved[1:]:
        np.testing.assert_allclose(found, solved[0], rtol=0.0, atol=1e-10 * max(1.0, np.abs(solved[0]).max()))
    np.testing.assert_allclose(recursions.inverse_dynamics(table, solved[0])[0], side, atol=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_three_algorithms_agree(seed):
    rng = np.random.default_rng(seed)
    hold_together(tree(rng, 1 + seed, base=[None, "free"][seed % 2]), rng)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_three_algorithms_agree_on_many_trees(part):
    for count in np.geomspace(2, 100, 20).astype(int):
        rng = np.random.default_rng([part, count])
        hold_together(tree(rng, int(count), base=[None, "free"][part % 2], reach=1 + part), rng)


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_alone_and_within(kind):
    rng = np.random.default_rng(3)
    parts = [link(rng, GROUND, kind), link(rng, 0, "revolute"), link(rng, 0, kind), link(rng, 2, "spherical"), link(rng, 2, kind)]
    hold_together(Table(parts), rng)


# ---- against others
def robot(data, q):
    """Links of a robot of `robots.json` at coordinates q."""
    found, first = [], 0
    for one in data["links"]:
        rotation, offset = np.array(one["rotation"]), np.array(one["offset"])
        if one["joint"] == "free":
            place, (x, y, z, w) = np.array(q[:3]), q[3:7]
            first += 7
            turn = np.eye(3) + 2.0 * (w * np.array(skew((x, y, z))) + np.array(skew((x, y, z))) @ np.array(skew((x, y, z))))
            offset, motion = offset + rotation @ place, (ALONG_X, ALONG_Y, ALONG_Z, X, Y, Z)
        else:
            axis = "xyz".index(one["joint"])
            s, c = np.sin(q[first]), np.cos(q[first])
            turn, motion = np.eye(3), ((X, Y, Z)[axis],)
            j, k = (axis + 1) % 3, (axis + 2) % 3
            turn[j, j], turn[j, k], turn[k, j], turn[k, k] = c, -s, s, c
            first += 1
        body = one["mass"], one["centre"], one["inertia"]
        found.append(Link(one["parent"], (rotation @ turn).tolist(), offset.tolist(), motion, (0.0,) * 6, *body))
    return Table(found)


@pytest.mark.parametrize("name", ROBOTS)
def test_accelerations_are_those_of_pinocchio_and_mujoco(name):
    data = ROBOTS[name]
    assert len(data["links"]) == {"arm": 6, "quadruped": 13, "humanoid": 30}[name]
    for state in data["states"]:
        table = robot(data, state["q"])
        given = driven(table, state["v"], base=(0.0, 0.0, 0.0, *(-x for x in data["gravity"])))
        found = [one.accelerations(state["forces"], **given)[0] for one in (Articulated(table), ConstraintForces(table, chains=True))]
        for a in (*found, by_composite(table, state["forces"], given)):
            for reference in ("pinocchio", "mujoco"):
                np.testing.assert_allclose(a, state[reference], rtol=1e-9, atol=1e-9 * np.abs(state[reference]).max())


def test_static_forces_of_a_hanging_chain():
    """Each joint carries what hangs below it: no moment where it hangs straight; about vertical axes, the moments of the weights."""
    rng, g = np.random.default_rng(5), 9.81
    masses = rng.uniform(0.5, 2.0, 12)
    ball = np.diag([0.01, 0.02, 0.03]).tolist()
    hanging = [
        Link(
            i - 1,
            np.eye(3).tolist(),
            (0.0, 0.0, -0.3 if i else 0.0),
            (X, Y, Z) if i % 2 else (X,),
            (0.0,) * 6,
            float(m),
            (0.0, 0.0, -0.2),
            ball,
        )
        for i, m in enumerate(masses)
    ]
    doors = [replace(one, motion=(Z,), offset=(0.4 if i else 0.0, 0.0, 0.0), centre=(0.1, 0.0, 0.0)) for i, one in enumerate(hanging)]
    below = [sum(masses[i:]) for i in range(12)]
    moments = [sum(masses[j] * (0.4 * (j - i) + 0.1) for j in range(i, 12)) for i in range(12)]
    for links, turning in ((hanging, [0.0] * 12), (doors, moments)):
        table = Table(links)
        for one in (Articulated(table), ConstraintForces(table), ConstraintForces(table, chains=True)):
            a, joint = one.accelerations([0.0] * table.n, base=(0.0, 0.0, 0.0, 0.0, 0.0, g))
            np.testing.assert_allclose(a, 0.0, atol=1e-11)
            for i in range(12):
                np.testing.assert_allclose(joint[i], [0.0, -g * turning[i], 0.0, 0.0, 0.0, g * below[i]], rtol=1e-12, atol=1e-11)


def test_momentum_of_a_floating_tree_stays():
    """Its rate, by a step along the imaginary axis, without forces from outside: moment of momentum too."""
    rng, h = np.random.default_rng(8), 1e-30
    kinds = [kind for kind in JOINTS if kind != "universal"]  # whose axes turn in their link
    links = [link(rng, GROUND, "free")] + [link(rng, int(rng.integers(max(0, i - 4), i)), kinds[i % len(kinds)]) for i in range(1, 25)]
    table = Table(links)
    v, forces = numbers(rng, table.n), [0.0] * 6 + numbers(rng, table.n - 6)
    for one in (Articulated(table), ConstraintForces(table)):
        a, _ = one.accelerations(forces, **driven(table, v, base=(0.0,) * 6))
        ahead = []
        for i, own in enumerate(links):
            step = 1j * h * np.array(own.motion).reshape(-1, 6).T @ np.array(table.of(i, v)).reshape(-1)
            turn = np.array(own.rotation)
            moved = replace(own, rotation=(turn + turn @ np.array(skew(step[:3]))).tolist(), offset=(own.offset + turn @ step[3:]).tolist())
            ahead.append(moved)
        momentum = recursions.total_momentum(Table(ahead), [x + 1j * h * y for x, y in zip(v, a, strict=True)])
        assert np.abs(np.real(momentum)).max() > 1.0 and np.abs(a).max() > 10.0
        np.testing.assert_allclose(np.imag(momentum) / h, 0.0, atol=1e-12 * np.abs(a).max() * np.abs(np.real(momentum)).max())


# ---- mass matrix, energy, Jacobians
def test_mass_matrix_energy_and_jacobians():
    rng = np.random.default_rng(11)
    table = tree(rng, 15)
    v, matrix = numbers(rng, table.n), np.zeros((table.n, table.n))
    for (i, j), x in Composite(table).entries.items():
        matrix[i, j] = matrix[j, i] = x
        path = [i]
        while path[-1] != GROUND:
            path.append(table.before[path[-1]])
        assert j in path
    columns = [recursions.inverse_dynamics(table, row)[0] for row in np.eye(table.n).tolist()]
    np.testing.assert_allclose(matrix, np.array(columns).T, atol=1e-13 * np.abs(matrix).max())
    assert recursions.kinetic(table, v) == pytest.approx(0.5 * np.array(v) @ matrix @ v, rel=1e-13)
    for i, velocity in enumerate(recursions.velocities(table, v)):
        jacobian = recursions.jacobian(table, i)
        np.testing.assert_allclose(sum(v[k] * np.array(column) for k, column in jacobian.items()) + np.zeros(6), velocity, atol=1e-13)
    turns = [np.array(rotation) for rotation, _ in recursions.poses(table)]
    np.testing.assert_allclose([r @ r.T for r in turns], [np.eye(3)] * 15, atol=1e-13)


# ---- chains and nodes
def test_chains_nodes_and_their_rounds():
    """A trunk with three arms of 7, 4 and 1 links: (41) has the arms' first joints, and a round takes no two joints of one body."""
    rng = np.random.default_rng(2)
    parents = [GROUND, 0, 1, *[1, *range(3, 9)], 1, 10, 11]
    table = Table([link(rng, parent, "revolute") for parent in parents])
    parts = Chains(table)
    assert parts.beside == [2, 3, 10]
    assert parts.chains == [[0, 1], [4, 5, 6, 7, 8, 9], [11, 12]]
    assert len(parts.rounds) == 4 and sorted(parts.order) == [*range(13)]
    left = {key for key in ConstraintForces(table).blocks if key[0] != key[1]}
    for one in parts.rounds:
        assert not any(i in one and j in one for i, j in left)
        for k in one:
            others = {i for key in left if k in key for i in key} - {k}
            left = {key for key in left if k not in key} | {(i, j) for i in others for j in others if i < j}
    assert left == {(2, 3), (2, 10), (3, 10)}
    hold_together(table, rng)


def test_constraint_forces_do_no_work_on_the_joint():
    rng = np.random.default_rng(4)
    for kind in JOINTS:
        own = link(rng, GROUND, kind)
        w = np.array(complement(own)).reshape(-1, 6)
        assert np.linalg.matrix_rank(w) == 6 - len(own.motion) if len(w) else len(own.motion) == 6
        np.testing.assert_allclose(w @ np.array(own.motion).reshape(-1, 6).T, 0.0, atol=1e-15)


# ---- as nodes
def in_nodes(count, parent=lambda i: i - 1):
    """A graph, and links on revolute joints whose sines and cosines are variables, all else parameters."""
    graph = Graph()
    q, p = graph.space("q").first(2 * count), lambda *path: graph.param(".".join(map(str, path)), RUNTIME - 1)
    links = []
    for i in range(count):
        s, c = q[2 * i], q[2 * i + 1]
        fixed = [[p(i, "r", a, b) for b in range(3)] for a in range(3)]
        rotation = [[graph.dot(((row[0], c), (row[1], s))), graph.dot(((row[1], c), (-row[0], s))), row[2]] for row in fixed]
        inertia = [[p(i, "j", min(a, b), max(a, b)) for b in range(3)] for a in range(3)]
        offset, centre = ([p(i, key, a) for a in range(3)] for key in "oc")
        links.append(Link(parent(i), rotation, offset, (Z,), (0.0,) * 6, p(i, "m"), centre, inertia))
    return graph, Table(links, graph.mark)


def nodes_of(graph, table, make):
    """Nodes of accelerations by an algorithm, and the operations that they take where the motion is computed."""
    v, forces = (graph.space(name).first(table.n) for name in "va")
    found = make(table, forces, driven(table, v, base=(0.0, 0.0, 0.0, 0.0, 0.0, graph.param("g", RUNTIME - 1))))
    return found, sum(1 for x in graph.needed(found) if x.level == RUNTIME and x.args)


ALGORITHMS = {
    "articulated": lambda table, f, given: Articulated(table).accelerations(f, **given)[0],
    "composite": by_composite,
    "constraint forces": lambda table, f, given: ConstraintForces(table).accelerations(f, **given)[0],
    "chains and nodes": lambda table, f, given: ConstraintForces(table, chains=True).accelerations(f, **given)[0],
}


@pytest.mark.parametrize(("name", "most"), [("articulated", 620), ("constraint forces", 1120), ("chains and nodes", 1750)])
def test_operations_grow_with_the_number_of_bodies(name, most):
    """Per further link no more in chains of 32 to 64 than of 16 to 32; not many more in twigs."""
    counts = {n: nodes_of(*in_nodes(n), ALGORITHMS[name])[1] for n in (16, 32, 64)}
    slopes = (counts[32] - counts[16]) / 16, (counts[64] - counts[32]) / 32
    assert slopes[1] == pytest.approx(slopes[0], rel=0.03) and slopes[1] < most
    twigs = nodes_of(*in_nodes(64, lambda i: (i - 1) // 2), ALGORITHMS[name])[1]
    assert twigs < 1.6 * counts[64]


@pytest.mark.parametrize("name", ["articulated", "constraint forces"])
def test_code_of_a_chain_does_not_grow_with_its_links(name):
    """Each link's part of a recursion is a unit like the others: to the code of 20 links 20 more add what stores their results."""

    class Spaces(Flat):
        def place(self, variable):
            return "x", variable.number + {"q": 0, "v": 80, "a": 120}[variable.space]

    sizes = []
    for count in (20, 40):
        graph, table = in_nodes(count)
        found, _ = nodes_of(graph, table, ALGORITHMS[name])
        sizes.append(len(functions(graph, found, 8, Spaces)[0].text()))
    assert sizes[1] < 1.3 * sizes[0]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_nodes_give_what_numbers_give(name):
    rng, count = np.random.default_rng(6), 7
    graph, table = in_nodes(count, lambda i: (i - 1) // 2)
    found, _ = nodes_of(graph, table, ALGORITHMS[name])
    links, parameters, q = [], {"g": 9.81}, []
    for i in range(count):
        fixed, angle, (mass, centre, inertia) = turned(rng), rng.uniform(-3.0, 3.0), massive(rng)
        s, c = np.sin(angle), np.cos(angle)
        q += [s, c]
        offset = rng.uniform(-0.5, 0.5, 3).tolist()
        rotation = fixed @ [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        links.append(Link((i - 1) // 2, rotation.tolist(), offset, (Z,), (0.0,) * 6, mass, centre, inertia))
        parameters |= {f"{i}.m": mass} | {f"{i}.r.{a}.{b}": fixed[a, b] for a in range(3) for b in range(3)}
        parameters |= {f"{i}.j.{a}.{b}": inertia[a][b] for a in range(3) for b in range(a, 3)}
        parameters |= {f"{i}.{key}.{a}": x for key, values in (("o", offset), ("c", centre)) for a, x in enumerate(values)}
    plain = Table(links)
    v, forces = numbers(rng, count), numbers(rng, count)
    wanted = ALGORITHMS[name](plain, forces, driven(plain, v, base=(0.0, 0.0, 0.0, 0.0, 0.0, 9.81)))
    np.testing.assert_allclose(graph.evaluate(found, {"q": q, "v": v, "a": forces}, parameters), wanted, rtol=1e-11)


def test_samples_side_by_side():
    """Arrays over samples in place of numbers."""
    rng = np.random.default_rng(9)
    plain, masses = tree(rng, 8), rng.uniform(0.5, 2.0, 3)
    v, forces = numbers(rng, plain.n), numbers(rng, plain.n)
    wide = Table([replace(one, mass=masses) for one in plain.links])
    for make in ALGORITHMS.values():
        found = make(wide, forces, driven(wide, v))
        for k, mass in enumerate(masses.tolist()):
            one = Table([replace(x, mass=mass) for x in plain.links])
            wanted = make(one, forces, driven(one, v))
            np.testing.assert_allclose([np.broadcast_to(x, 3)[k] for x in found], wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def test_planar_links_cost_what_planar_ones_do():
    """Out of the plane nothing is computed: a link takes less than 0.4 of what one in space does."""
    graph, spatial = in_nodes(12)
    flat = []
    for i, own in enumerate(spatial.links):
        s, c = graph.space("q").first(24)[2 * i : 2 * i + 2]
        inertia = [[own.inertia[a][a] if a == b else 0.0 for b in range(3)] for a in range(3)]
        rotation = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        flat.append(replace(own, rotation=rotation, offset=(*own.offset[:2], 0.0), centre=(*own.centre[:2], 0.0), inertia=inertia))
    planar = Table(flat)
    v, forces = (graph.space(name).first(12) for name in "va")
    for name in ("articulated", "composite", "constraint forces"):
        given = driven(planar, v, base=(0.0, 0.0, 0.0, 0.0, graph.param("g", RUNTIME - 1), 0.0))
        found = ALGORITHMS[name](planar, forces, given)
        own = sum(1 for x in graph.needed(found) if x.level == RUNTIME and x.args)
        assert own < 0.4 * nodes_of(*in_nodes(12), ALGORITHMS[name])[1]


def test_planar_links_without_moments_across_the_plane():
    rng, links = np.random.default_rng(7), []
    for i in range(9):
        own = link(rng, (i - 1) // 2 if i else GROUND, ["revolute", "prismatic", "planar"][i % 3])
        angle, inertia = rng.uniform(-3.0, 3.0), [[0.0] * 3, [0.0] * 3, [0.0, 0.0, 0.1 + i]]
        s, c = float(np.sin(angle)), float(np.cos(angle))
        flat = {key: (*getattr(own, key)[:2], 0.0) for key in ("offset", "centre")}
        links.append(replace(own, rotation=[[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], inertia=inertia, **flat))
    table = Table(links)
    v, forces = numbers(rng, table.n), numbers(rng, table.n)
    given = driven(table, v, base=(0.0, 0.0, 0.0, 0.0, 9.81, 0.0))
    results = [make(table, forces, given) for make in ALGORITHMS.values()]
    for found in results[1:]:
        np.testing.assert_allclose(found, results[0], rtol=1e-11, atol=1e-11)


# ---- what cannot be
def test_what_cannot_be():
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match=r"link 0 hangs on link 0; it must be -1 for ground, or a link before it"):
        Table([link(rng, 0, "revolute")])
    for nothing in ({"mass": 0.0}, {"inertia": [[0.0] * 3] * 3}):
        with pytest.raises(ValueError, match="a link without mass, or moments of inertia: the constraint-force algorithm divides by them"):
            ConstraintForces(Table([replace(link(rng, GROUND, "revolute"), **nothing)]))
    graph = Graph()
    a, b = graph.space("q").first(2)
    with pytest.raises(ValueError, match="give the columns of `constraint` that do no work on it"):
        complement(replace(link(rng, GROUND, "revolute"), motion=((a, b, 0.0, 0.0, 0.0, 1.0),)))
