"""What is written for large structures grows with what differs, not with how often it is there; by counts, not by time."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.codegen import functions
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.integrators import INTEGRATORS
from flexmbd.running import model as models
from flexmbd.running.batch import Unchanged
from flexmbd.running.ranks import FEW, SparseRows
from flexmbd.tuning import Tuning

IN_UNITS, STRAIGHT = Tuning(units=0, unit_function=0), Tuning(units=10**9)
STEPS = {"integrator": "generalized_alpha", "step": 1e-3, "fixed": True, "spectral_radius": 0.8}


def net(modulus, cables):
    """Spatial cables both ways, pinned at one end, joined where they cross."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    form = {"section": fm.Section.circle(0.002), "material": fm.Material(E=modulus, density=1500.0, nu=0.3), "elements": cables + 1}
    form["length"] = (cables + 1) * 0.1
    along = [s.cable(f"x{k}", position=(0.0, 0.1 * (k + 1), 0.0), direction=(1.0, 0.0, 0.0), **form) for k in range(cables)]
    across = [s.cable(f"y{k}", position=(0.1 * (k + 1), 0.0, 0.0), direction=(0.0, 1.0, 0.0), **form) for k in range(cables)]
    for cable in along + across:
        s.add(fm.Spherical(f"{cable.name}pin", s.ground.at(*cable.position), cable.start))
    for i, one in enumerate(along):
        for j, other in enumerate(across):
            s.add(fm.Spherical(f"knot{i}_{j}", one.at(0.1 * (j + 1)), other.at(0.1 * (i + 1))))
    return s


@pytest.mark.parametrize(("width", "direct"), [(1, "superlu"), (4, "")])
def test_code_of_a_net_does_not_grow_with_its_knots(monkeypatch, width, direct):
    texts = []
    monkeypatch.setattr(functions, "Code", lambda text, *more: texts.append(text))
    scheme = INTEGRATORS["generalized_alpha"].tuned(0.8)
    for cables in (3, 6):  # 9 and 36 knots
        models.Model(net(1e9, cables), ["x0.end.z"], scheme, width=width, direct=direct, tuning=IN_UNITS)
    small, large = (text.count("\n") for text in sorted(texts, key=len)[-2:])
    assert large < 1.5 * small


def moved(tuning, modulus, **settings):
    """Height of the end of a cable of a net of 16 knots, over 20 steps."""
    settings = STEPS | {"tuning": tuning} | settings
    done = fm.run(lambda E: net(E, 4), {"E": modulus}, end=0.02, points=5, outputs=["x2.end.z", "x1.end.x"], settings=settings)
    assert not done.status.any(), done.message
    return np.array([*done.outputs.values()])


def test_equations_by_a_library_are_the_same_in_units():
    found, straight = (moved(tuning, [1e9], lanes=1, linear_solver="superlu") for tuning in (IN_UNITS, STRAIGHT))
    assert np.abs(found - straight).max() < 1e-12


def test_equations_in_blocks_are_the_same_in_units_and_lanes_do_not_depend_on_their_neighbours():
    found, straight = (moved(tuning, [1e8, 5e8, 1e9], lanes=4) for tuning in (IN_UNITS, STRAIGHT))
    assert np.abs(found - straight).max() < 1e-11
    assert np.array_equal(found[:, 1:2], moved(IN_UNITS, [5e8], lanes=4))


def test_a_sum_that_is_stored_as_it_is_is_the_same_in_units():
    """Energy that damped elements take: a rate that nothing else is made of."""

    def drooping(E):
        s = fm.System(gravity=(0.0, 0.0, -9.81))
        form = {"length": 0.5, "section": fm.Section.rectangle(0.01, 0.02), "material": fm.Material(E=E, density=1200.0, nu=0.3)}
        rod = s.beam("rod", elements=1, damping=1e-3, **form)
        s.add(fm.Fixed("grip", s.ground.at(0.0, 0.0, 0.0), rod.start))
        return s

    taken = []
    for tuning in (IN_UNITS, STRAIGHT):
        settings = STEPS | {"tuning": tuning, "lanes": 2}
        done = fm.run(drooping, {"E": [1e7, 2e7]}, end=0.02, points=3, outputs=["energy.dissipated"], settings=settings)
        taken.append(done["energy.dissipated"][:, -1])
    assert np.all(taken[1] > 0.0)
    np.testing.assert_allclose(*taken, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_sparse_factors_tell_rows_that_are_independent_beyond_doubt(seed):
    rng, count = np.random.default_rng(seed), FEW + 40
    rows = np.zeros((count, 2 * count))
    for k in range(count):
        rows[k, rng.choice(2 * count, 5, replace=False)] = rng.uniform(0.5, 2.0, 5)
    found = SparseRows(rows)
    assert found.independent()
    side = rng.standard_normal(count)
    assert np.allclose(found.least(side), np.linalg.lstsq(rows, side, rcond=None)[0], atol=1e-9)
    for small in (0.0, 1e-10, 1e-8):  # dependent, as good as dependent, and in doubt
        rows[7] = rows[3] - 2.0 * rows[5] + small * rng.standard_normal(2 * count)
        assert not SparseRows(rows).independent()


def test_a_name_given_twice_is_still_found():
    s = fm.System()
    s.body("a", mass=1.0, inertia=1.0)
    with pytest.raises(fm.ModelError, match="name 'a' is given twice"):
        s.body("a", mass=1.0, inertia=1.0)
    s.bodies.pop()
    assert s.body("a", mass=1.0, inertia=1.0).name == "a"


def test_a_point_is_found_by_its_place():
    """The same place of a cable is the same point, whose name may come to mean another place."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    form = {"section": fm.Section.circle(0.002), "material": fm.Material(E=1e9, density=1500.0, nu=0.3)}
    cable = s.cable("c", length=1.0, elements=4, **form)
    assert cable.at(0.0) is cable.start and cable.at(1.0) is cable.end
    first = cable.at(0.3)
    assert cable.at(0.3) is first and cable.at(0.30001) is not first
    named = cable.at(0.6, key="A")
    assert cable.at(0.6) is named
    moved = cable.at(0.7, key="A")
    assert cable.at(0.7) is moved and cable.at(0.6) is not named and cable.points["A"] is moved


def test_energies_of_a_group_are_one_sum():
    """What the energy of many cables is made of does not grow with their number; each cable still has its own."""
    totals = []
    for count in (2, 6):
        s = fm.System(gravity=(0.0, 0.0, -9.81))
        form = {"section": fm.Section.circle(0.002), "material": fm.Material(E=1e9, density=1500.0, nu=0.3)}
        for k in range(count):
            s.cable(f"c{k}", length=1.0, elements=8, **form)
        equations = NaturalCoordinates(s, direct=True)
        totals.append(len(equations.graph.needed([equations.potential_energy])))
        own = [equations.quantity(body, "potential") for body in s.bodies]
        q, v = (np.array(x) for x in s.initial())
        known = {"q": list(q), "v": list(v), "t": 0.0}
        whole, *parts = equations.graph.evaluate([equations.potential_energy, *own], known, s.parameters())
        np.testing.assert_allclose(np.sum(parts), whole, rtol=1e-13, atol=1e-15)
    assert totals[0] == totals[1]


def test_a_guess_is_read_once():
    """A system whose numbers do not change any more is asked once for its start."""
    s = fm.System(gravity=(0.0, -9.81))
    s.point_mass("m", mass=1.0, position=(1.0, 2.0))
    unchanged = Unchanged(s)
    assert unchanged.initial() is unchanged.initial() and unchanged.initial() == s.initial()
