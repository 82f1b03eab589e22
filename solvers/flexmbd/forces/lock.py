"""A lock: what is measured comes to a value and is held there from then on; a hinge that latches, a snap."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.forces.conditions import Condition
from flexmbd.registry import LOCKED, LOCKS, NUMBERS

STRENGTH = 3  # of the numbers of such a contact, in the place of static friction
NEVER = 1e300


@dataclass(frozen=True, eq=False)
class Lock(Condition):
    """Hold what is measured where it comes to a value: from then on a constraint is added, by an impact without restitution.

    Before that the value is a stop that is not reached.  Momentum and angular momentum of the whole are those before; energy is lost
    (`<name>.dissipated`).  The schemes with percussions and fixed steps treat it: "moreau", "nonsmooth_generalized_alpha", "nonsmooth_ggl".

    Parameters
    ----------
    opens_at : float or ndarray, optional
        Force (N) or moment (N m) back from the value at which it opens again; left out it never does.  Others are those of `Condition`.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> door = s.body("door", mass=1.0, inertia=0.1, rate=2.0)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), door.centre))
    >>> lock = s.add(fm.Lock("lock", fm.AngleOf(s.ground, door), 1.0))
    >>> found = fm.run(s, end=1.0, points=3, outputs=["door.angle"], settings={"integrator": "moreau", "step": 1e-3})
    >>> found["door.angle"].round(6).tolist()  # rad
    [0.0, 1.0, 1.0]
    """

    opens_at: object = None

    def __post_init__(self):
        super().__post_init__()
        if self.opens_at is not None:
            self._check("opens_at")
            if np.any(np.asarray(self.opens_at) <= 0.0):
                raise ModelError(f"{self.owner}: opens_at is {self.opens_at!r}; it must be above zero", element=self.name)

    def parameters(self):
        """The value, the force that opens it, and numbers of what is measured."""
        return super().parameters() | ({} if self.opens_at is None else {"opens_at": self.opens_at})

    def topology_key(self):
        """What is measured, in which direction, and whether it opens again."""
        return (*super().topology_key(), self.opens_at is None)

    def apply(self, equations):
        """A contact that holds both ways once it has closed."""
        beyond, rate = self.beyond(equations)
        numbers = [equations.graph.const(0.0)] * NUMBERS
        numbers[STRENGTH] = equations.graph.const(NEVER) if self.opens_at is None else equations.number(self, "opens_at")
        found = equations.unilateral(self, "", -beyond, [-rate], numbers=numbers, rule=LOCKS)
        equations.keep_nodes(self, gap=-beyond, found=found)

    def outputs(self, equations):
        """Whether it is locked, its force (below zero: against going back), how often it has locked, what that cost."""
        g, known = equations.graph, equations.nodes_of(self)
        found = known["found"]
        return {
            f"{self.name}.locked": (lambda: g.select(g.greater(found.mode, LOCKED - 0.5), 1.0, 0.0), "1"),
            f"{self.name}.gap": (lambda: known["gap"], self.of.measure),
            f"{self.name}.{self.of.kind}": (lambda: found.force, self.of.unit),
            f"{self.name}.impacts": (lambda: found.impacts, "1"),
            f"{self.name}.dissipated": (lambda: found.loss, "J"),
        }
