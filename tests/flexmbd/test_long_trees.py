"""Long chains in joint coordinates: what they cost by link, and a start that is read as it is given."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.codegen import functions
from flexmbd.formulation.trees import beginning as module
from flexmbd.formulation.trees.beginning import beginning
from flexmbd.formulation.trees.topology import topology
from flexmbd.formulation.trees.tree import TreeCoordinates
from flexmbd.integrators import INTEGRATORS
from flexmbd.language.graph import Graph
from flexmbd.outputs.energy_account import entries
from flexmbd.running.model import Model

from .random_trees import plane, space


def chain(count, *, rate=0.0, slip=0.0, dimension=2):
    """Links of 1 m on pins, along a line; `rate` is that of all, `slip` (m) how far each next one is off its pin."""
    s, zero = fm.System(gravity=(0.0, -9.81, 0.0)[:dimension]), (0.0,) * (dimension - 1)
    last = s.ground.at(0.0, *zero)
    more = {"inertia": 0.08, "rate": rate} if dimension == 2 else {"inertia": (0.01, 0.08, 0.09), "angular_velocity": (0.0, 0.0, rate)}
    for k in range(count):
        place, ends = (k + 0.5 + slip * k, *zero), {"A": (-0.5, *zero), "B": (0.5, *zero)}
        velocity = (0.0, (k + 0.5) * rate, 0.0)[:dimension]
        body = s.body(f"l{k}", mass=1.0 + 0.1 * (k % 3), position=place, velocity=velocity, points=ends, **more)
        s.add(fm.Revolute(f"j{k}", last, body["A"], **({} if dimension == 2 else {"axis": (0.0, 0.0, 1.0)})))
        last = body["B"]
    return s


@pytest.fixture
def assembled(monkeypatch):
    """Systems that are assembled in natural coordinates."""
    found, own = [], module.NaturalCoordinates
    monkeypatch.setattr(module, "NaturalCoordinates", lambda system, **more: found.append(system) or own(system, **more))
    return found


@pytest.mark.parametrize("make", [plane, space])
@pytest.mark.parametrize("seed", range(8))
def test_a_start_that_fits_is_read_as_it_is(make, seed, assembled, monkeypatch):
    """Coordinates and rates are those that the assembly would leave."""
    system = make(np.random.default_rng(seed), 6)
    read = beginning(system, topology(system))
    assert not assembled
    monkeypatch.setattr(module, "_closed", lambda *_: False)
    for one, other in zip(read, beginning(system, topology(system)), strict=True):
        assert one == pytest.approx(other, rel=0, abs=1e-13)
    assert assembled


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_start_that_does_not_fit_is_assembled(dimension, assembled):
    open_places, open_rates = chain(3, slip=1e-3, dimension=dimension), chain(3, rate=1.0, dimension=dimension)
    open_rates.add(fm.Revolute("loop", open_rates.ground.at(3.0, *(0.0,) * (dimension - 1)), open_rates.bodies[-1]["B"], **(
        {} if dimension == 2 else {"axis": (0.0, 0.0, 1.0)})))  # fmt: skip
    for system in (open_places, open_rates):
        beginning(system, topology(system))
    assert assembled == [open_places, open_rates]
    natural, tree = (fm.run(open_places, end=1e-3, points=2, outputs=["l2.B.x", "l2.x"], settings={"formulation": f, "tolerance": 1e-9})
                     for f in ("natural", "tree"))  # fmt: skip
    for name, x in natural.outputs.items():
        assert tree[name] == pytest.approx(x, abs=1e-10)


@pytest.mark.parametrize("wrong", ["position", "rate", "rotation"])
def test_one_body_off_is_enough(wrong, assembled):
    """Places, rates, and attitudes of bodies that no joint lets turn so."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    how = {
        "position": {"position": (0.5, 0.0, 1e-6)},
        "rate": {"position": (0.5, 0.0, 0.0), "angular_velocity": (1e-6, 0.0, 0.0)},
        "rotation": {"position": (0.5, 0.0, 0.0), "rotation": (1e-6, 0.0, 0.0)},
    }[wrong]
    rod = s.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), points={"A": (-0.5, 0.0, 0.0)}, **how)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0, 0.0), rod["A"], axis=(0.0, 1.0, 0.0), axis_b=(0.0, 1.0, 0.0)))
    beginning(s, topology(s))
    assert assembled


@pytest.mark.parametrize("dimension", [2, 3])
def test_nodes_by_link_do_not_grow(dimension):
    """Equations, energy and its book: as many nodes for the links 21 to 30 as for the links 11 to 20."""
    counts = []
    for links in (10, 20, 30):
        equations = TreeCoordinates(chain(links, dimension=dimension))
        entries(equations.problem(["energy.total"]))
        counts.append(len(equations.graph.nodes))
    assert counts[2] - counts[1] <= counts[1] - counts[0]


@pytest.mark.parametrize("dimension", [2, 3])
def test_code_does_not_grow_with_links(dimension, monkeypatch):
    """Lines of the equations' module, and of the outputs'."""
    lines, own = [], functions.Code
    monkeypatch.setattr(functions, "Code", lambda text, *more: lines.append(text.count("\n")) or own(text, *more))
    for links in (60, 90):
        Model(chain(links, dimension=dimension), [], INTEGRATORS["dormand_prince"], width=1, formulation="tree")
    assert lines[:2] == lines[2:]


@pytest.mark.parametrize("dimension", [2, 3])
def test_links_alike_are_written_as_each_for_itself(dimension):
    """Node by node."""
    found = []
    for alone in (True, False):
        graph = Graph()
        graph.watched = alone
        entries(TreeCoordinates(chain(12, dimension=dimension), graph=graph).problem(["energy.total"]))
        found.append([(x.kind.name, tuple(a.id for a in x.args), str(x.value), x.level) for x in graph.nodes])
    assert found[0] == found[1]


def hanging(count, angle):
    """Links of 1 m that hang from ground, out of the vertical by an angle."""
    s, last, way = fm.System(gravity=(0.0, -9.81)), None, np.array([np.sin(angle), -np.cos(angle)])
    for k in range(count):
        place, ends = tuple((k + 0.5) * way), {"A": (-0.5, 0.0), "B": (0.5, 0.0)}
        body = s.body(f"l{k}", mass=1.0, inertia=0.08, position=place, angle=angle - np.pi / 2, points=ends)
        s.add(fm.Revolute(f"j{k}", s.ground.at(0.0, 0.0) if last is None else last, body["A"]))
        last = body["B"]
    return s


def swung(count, angle, formulation):
    settings = {"integrator": "dormand_prince", "tolerance": 1e-7, "lanes": 1, "formulation": formulation}
    run = fm.run(hanging(count, angle), end=0.3, points=7, outputs=["energy.kinetic"], settings=settings)
    assert run.status == 0, run.message
    return run


def test_the_book_of_a_chain_at_rest_is_judged_by_next_to_nothing():
    run = swung(30, 0.0, "tree")
    assert run.statistics["energy.scale"] < 1e-12


@pytest.mark.parametrize("links", [9, 30])
def test_the_book_of_a_chain_that_swings_is_judged_by_its_energy(links):
    """Not by the rates of its joints, which would make 0.4 MJ of 30 links: by what natural coordinates judge it."""
    runs = {formulation: swung(links, 0.5, formulation) for formulation in ("natural", "tree")}
    scales = {key: run.statistics["energy.scale"] for key, run in runs.items()}
    assert runs["tree"]["energy.kinetic"].max() < scales["tree"] < 2.0 * scales["natural"] < 6.0 * scales["tree"]


def test_the_energy_of_the_fastest_is_that_of_all_masses():
    """Links at rest but for a rate of all: the tip is the fastest of them."""
    equations = TreeCoordinates(chain(12, rate=2.0))
    known = dict(zip("qv", equations.initial(equations.system), strict=True))
    (found,) = equations.graph.evaluate(entries(equations.problem(["energy.total"]))[5:], known, equations.system.parameters())
    masses = [1.0 + 0.1 * (k % 3) for k in range(12)]
    assert found == pytest.approx(0.5 * (sum(masses) * (11.5 * 2.0) ** 2 + 12 * 0.08 * 2.0**2), rel=1e-12)


def test_kinetic_energy_of_bodies_is_that_of_the_mass_matrix():
    system = space(np.random.default_rng(3), 6)
    equations = TreeCoordinates(system)
    known = dict(zip("qv", equations.initial(system), strict=True))
    both = [equations.kinetic_energy(), equations.inertia.kinetic(equations.v)]
    one, other = equations.graph.evaluate(both, known, system.parameters())
    assert one == pytest.approx(other, rel=1e-12)


def test_diagonal_of_masses_is_that_of_all_entries():
    equations = TreeCoordinates(space(np.random.default_rng(5), 7))
    whole = {i: x for (i, j), x in equations.inertia.entries.items() if i == j}
    assert equations.inertia.diagonal() == whole
