"""Numbers of a system by path: one table, in whatever order elements name them."""

from dataclasses import dataclass

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.errors import ModelError
from flexmbd.forces import Force
from flexmbd.formulation import FORMULATIONS
from flexmbd.integrators import INTEGRATORS
from flexmbd.parameters import LANE, UNIFORM, Matrix, Parameters
from flexmbd.running.model import Model


@dataclass(frozen=True, eq=False)
class Pull(Force):
    """A force whose numbers come in another order each time that they are asked for."""

    name: str
    a: object
    along: object
    across: object
    asked: list

    def parameters(self):
        """Along, across."""
        both = {"along": self.along, "across": self.across}
        self.asked.append(1)
        return both if len(self.asked) % 2 else dict(reversed(both.items()))

    def apply(self, equations):
        """The force."""
        equations.force(self.a, equations.number(self, "along"), equations.number(self, "across"))


def pulled(along, across):
    system = fm.System()
    ball = system.point_mass("ball", mass=2.0)
    system.add(Pull("pull", ball.centre, along, across, []))
    return system


@pytest.mark.parametrize("one", [True, False])
def test_no_order_decides_what_a_number_is(one):
    """The place is that of a constant force, F t^2 / (2 m), along each axis."""
    along, across = (3.0, 7.0) if one else (np.array([3.0, 4.0]), np.array([7.0, -5.0]))
    ran = fm.run(pulled(along, across), end=2.0, points=2, outputs=["ball.x", "ball.y"])
    for name, force in (("ball.x", along), ("ball.y", across)):
        np.testing.assert_allclose(ran.outputs[name][..., -1], np.asarray(force) * 2.0**2 / (2 * 2.0), rtol=1e-9)


def crank(clearance=1e-4):
    system = fm.System(gravity=(0.0, -9.81))
    rod = system.body("rod", mass=1.0, inertia=0.1, position=(0.1, 0.0), points={"O": (-0.1, 0.0)})
    pivot = system.ground.at(0.0, 0.0)
    system.add(fm.ClearanceRevolute("pin", rod["O"], pivot, clearance, fm.LankaraniNikravesh(1e8, restitution=0.7)))
    system.add(fm.TorsionSpring("coil", system.ground, rod, stiffness=2.0, damping=0.1))
    system.add(fm.Torque("motor", system.ground, rod, fm.Polynomial((1.0, 2.0, 3.0))))
    return system


def test_units_follow_the_owner():
    known = crank().parameters()
    units = {
        "gravity.y": "m/s^2", "rod.mass": "kg", "rod.inertia": "kg m^2", "rod.O.x": "m", "@pin.clearance": "m",
        "@coil.stiffness": "N m/rad", "@coil.damping": "N m s/rad", "@coil.angle": "rad", "@motor.moment.c0": "N m",
        "@motor.moment.c2": "N m/s^2", "@pin.law.K": None,
    }  # fmt: skip
    assert {path: known.unit(path) for path in units} == units


def test_levels_are_those_of_the_code():
    clearance = np.array([1e-4, 2e-4])
    known = crank(clearance).parameters()
    assert (known.level("rod.mass"), known.level("gravity.x")) == (1.0, 0.0)  # constants of the code
    assert (known.level("gravity.y"), known.level("@pin.clearance")) == (UNIFORM, LANE)
    assert (known.varied, known.samples) == (["@pin.clearance"], 2)
    assert known.of_samples(1)["@pin.clearance"] == 2e-4 and not known.of_samples(1).varied
    stacked = crank(1e-4).parameters().beside([crank(2e-4).parameters()])
    np.testing.assert_array_equal(stacked["@pin.clearance"], clearance)
    assert {stacked.level(path) for path in stacked} == {LANE}
    tables = Parameters([("a", Matrix(np.ones((3, 2)))), ("b", Matrix(np.ones((4, 3, 2))))])
    assert [tables.level(path) for path in tables] == [(UNIFORM, (3, 2)), (LANE, (3, 2))]


def test_rows_are_found_by_path():
    system = crank(np.array([1e-4, 2e-4]))
    model = Model(system, ["pin.force"], INTEGRATORS["dormand_prince"], width=2)
    _, rows = model.pack(system, 2)
    row = model.storage.row_of("@pin.clearance")
    np.testing.assert_array_equal(rows[:, row], system.parameters()["@pin.clearance"])
    assert model.storage.row_of("rod.mass") is None


def test_a_path_is_of_one_number():
    """A body may have a name with a point in it, and a point one too."""
    system = fm.System()
    system.body("rod", mass=1.0, inertia=0.1, points={"end.A": (1.0, 0.0)})
    system.body("rod.end", mass=1.0, inertia=0.1, points={"A": (2.0, 0.0)})
    with pytest.raises(ModelError, match=r"'rod\.end\.A\.x'"):
        FORMULATIONS["natural"](system)
