"""No norm of errors forgets a NaN: a motion that has no continuation stops where that is, whatever entries come after the lost one."""

from dataclasses import dataclass

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.forces import Force
from flexmbd.integrators import INTEGRATORS
from flexmbd.integrators.base import larger

END = 0.3  # of what the force is defined for, s


@dataclass(frozen=True, eq=False)
class Vanishing(Force):
    """Force ``sqrt(END - t)`` along x: not a number from then on."""

    name: str
    a: object

    def parameters(self):
        """None."""
        return {}

    def apply(self, equations):
        """On the body."""
        equations.force_on(equations.q[equations.first[self.a.body.name]], equations.graph.sqrt(END - equations.time))

    def outputs(self, equations):
        """None."""
        return {}


def two():
    """The force acts on the first; the coordinates of the second come after its, and nothing couples them."""
    s = fm.System(gravity=(0.0, -9.81))
    first = s.body("first", mass=1.0, inertia=0.1)
    second = s.body("second", mass=1.0, inertia=0.1, points={"O": (-0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), second["O"]))
    s.add(Vanishing("force", first.centre))
    return s


def test_the_larger_of_two():
    pairs = [(1.0, 2.0), (2.0, 1.0), (np.nan, 1.0), (1.0, np.nan), (np.inf, np.nan), (0.0, np.inf)]
    assert np.array_equal([larger(*p) for p in pairs], [np.maximum(*p) for p in pairs], equal_nan=True)


SCHEMES = ["dormand_prince", "generalized_alpha"]
SCHEMES += [pytest.param(name, marks=pytest.mark.slow) for name in ("partitioning", "rk4", "energy_momentum")]


@pytest.mark.parametrize("name", SCHEMES)
def test_a_motion_stops_where_it_is_no_longer_a_number(name):
    step = {} if INTEGRATORS[name].adaptive else {"step": 1e-2}
    settings = {"integrator": name, "lanes": 1, "tolerance": 1e-5, **step}
    run = fm.run(two, {}, end=1.0, points=2, outputs=["second.x"], settings=settings)  # of the one that is a number all the time
    assert run.status[0] and "the motion diverged at t = 0." in run.message[0]
    assert float(run.message[0].split("t = ")[1].split()[0]) == pytest.approx(END, abs=1e-3)
