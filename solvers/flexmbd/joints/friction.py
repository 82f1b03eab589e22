"""Dry friction in an ideal joint: its normal load is the joint's own reaction, so it is solved together with the accelerations.

`equations.coupled` solves it, by Newton's method in each stage.  So friction belongs to the same instant as the reactions: no lag, no
further state, and the scheme keeps its order.
"""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.element import Element
from flexmbd.errors import ModelError, check_number
from flexmbd.joints.ideal import Joint
from flexmbd.joints.surfaces import PLANE, SPACE, surface_of
from flexmbd.language.kernels import known_as
from flexmbd.language.tracing import tangent_of
from flexmbd.registry import Coupled

SIZES = ("radius", "length", "collar")


def _kinds(table):
    """Names of kinds of joints, as words."""
    *names, last = (kind.__name__ for kind in table)
    return f"{', '.join(names)} and {last}"


KNOWN = f"{_kinds(PLANE)} in the plane, {_kinds(SPACE)} in space"


@dataclass(frozen=True, eq=False)
class JointFriction(Element):
    """Regularised dry friction in an ideal joint (docs/theory/joints.md).

    Explicit and linearly implicit schemes treat it ("dormand_prince", "rk4", "rosenbrock" ...), others refuse it.  At rest there is no
    friction: below its limit a joint creeps, as `Trajectory.attributes` says.  `FrictionGuide`, and `ClearanceRevolute` with
    `Impenetrable`, hold.

    Parameters
    ----------
    name : str
    joint : Joint
        A `Revolute`, `Translational`, or in the plane `RevoluteTranslational`, in space `Cylindrical` or `Spherical`, of the same system,
        added before.
    law : FrictionLaw
        Without a state: friction force by slip and load.
    radius : float or ndarray, optional
        Of the pin or ball in m (joints that turn): slip and friction are those of its surface.  Of a `Translational` joint in space: where
        the moment about the axis presses, a key's distance from it; without it this moment does not press.
    length : float or ndarray, optional
        Of the bearing or guide in m, half of it on either side of point b (in space of a `Revolute` and `Cylindrical` joint, too): the
        moment that it bears presses its ends by ``moment/length``.  Without it only the force across presses.
    collar : float or ndarray, optional
        Mean radius in m of the face that bears the force along the axis of a `Revolute` joint in space.  Without it this force does not
        press.

    Raises
    ------
    ModelError
        For a joint without such a surface, a law with a state, and a size that the joint has not or must have.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> brake = s.add(fm.JointFriction("brake", pin, fm.Ambrosio(0.2, 1e-4, 1e-3), radius=0.02))
    >>> sorted(name for name in fm.output_units(s) if name.startswith("brake."))
    ['brake.force', 'brake.load', 'brake.slip', 'brake.torque']
    """

    dimensions: ClassVar[tuple] = (2, 3)
    couples: ClassVar[str] = "joint friction"

    name: str
    joint: object
    law: object
    radius: object = None
    length: object = None
    collar: object = None

    def __post_init__(self):
        owner, joint = f"joint friction '{self.name}'", self.joint
        if self._surface is None:
            what = f"'{joint.name}', a {type(joint).__name__}" if isinstance(joint, Joint) else f"{joint!r}"
            raise ModelError(f"{owner}: joint is {what}; friction is there for {KNOWN}", element=self.name)
        if not hasattr(self.law, "kernels") or getattr(self.law, "states", 1):
            wanted = "a law without a state: Ambrosio, CoulombExponential, Threlfall, Stribeck"
            raise ModelError(
                f"{owner}: law is {getattr(self.law, 'name', self.law)!r}; it must be {wanted}",
                element=self.name,
                remedy="for friction that holds at rest take FrictionGuide or ClearanceRevolute with Impenetrable(friction=...)",
            )
        for key in SIZES:
            self._check_size(owner, key)

    def _check_size(self, owner, key):
        value, joint, known = getattr(self, key), self.joint, self._surface
        if value is None:
            if key in known.needs:
                raise ModelError(f"{owner}: '{joint.name}' needs the {key} of its pin or ball (m)", element=self.name)
        elif key in known.needs + known.takes:
            object.__setattr__(self, key, check_number(owner, key, value, positive=True))
        else:
            table, where = (SPACE, "space") if joint.spatial else (PLANE, "the plane")
            having = [kind.__name__ for kind, surface in table.items() if key in surface.needs + surface.takes]
            told = f"in {where} {key} is for {' and '.join(having)} joints" if having else f"in {where} no joint has a {key}"
            raise ModelError(f"{owner}: {told}; '{joint.name}' is a {type(joint).__name__}", element=self.name)

    @property
    def _surface(self):
        return surface_of(self.joint)

    def parameters(self):
        """Numbers of the law, and the sizes that were given."""
        sizes = {key: getattr(self, key) for key in SIZES if getattr(self, key) is not None}
        return {f"law.{k}": x for k, x in self.law.numbers().items()} | sizes

    def topology_key(self):
        """Joint, law, and which sizes there are."""
        sizes = tuple(key for key in SIZES if getattr(self, key) is not None)
        return (self.joint.name, self.law.name, known_as(self.law.kernels().force), sizes)

    def apply(self, equations):
        """Register it; the equations find its force."""
        if self.joint.name not in equations.owner or self.joint not in equations.system.elements:
            raise ModelError(f"joint friction '{self.name}': '{self.joint.name}' is no joint of this system", element=self.name)
        if equations.shift:
            raise ModelError(
                f"joint friction '{self.name}': with constraints = 'augmented' reactions, and so friction, are not unique",
                element=self.name,
                remedy="remove redundant joints, or take a clearance joint with friction",
            )
        slip, kernels = self._surface.slip(equations, self), self.law.kernels()
        equations.use(kernels)
        slopes = dict(equations.graph.slopes(slip, equations.v))
        numbers = [equations.number(self, f"law.{k}") for k in self.law.numbers()]
        equations.couple(
            JointFrictionNodes(self, slip, slopes, kernels, numbers, self._surface.pressed(equations, self))
        )  # `book` says its force

    def outputs(self, equations):
        """Friction against the slip, its torque about a pin or in a ball, load, slip."""

        out = {
            f"{self.name}.force": (lambda: equations.nodes_of(self)["force"], "N"),
            f"{self.name}.load": (lambda: equations.nodes_of(self)["friction"].load(equations.graph, equations.multipliers)[0], "N"),
            f"{self.name}.slip": (lambda: equations.nodes_of(self)["friction"].slip, "m/s"),
        }
        if not self._surface.turns:
            return out
        return out | {f"{self.name}.torque": (lambda: equations.nodes_of(self)["force"] * equations.number(self, "radius"), "N m")}


@dataclass(frozen=True)
class JointFrictionNodes(Coupled):
    """A joint's friction as nodes: slip, its derivatives by the velocities (by index), the law's kernels and numbers, what presses it."""

    element: JointFriction
    slip: object
    slopes: dict
    kernels: object
    numbers: list
    normal_loads: tuple

    kind, what, where = "joint friction", "friction by the reactions of ideal joints", "friction in ideal joints"
    rests = True  # being regularised

    @property
    def columns(self):
        """Against the slip."""
        return {i: -x for i, x in self.slopes.items()}

    def load(self, g, multipliers):
        """Node of the load, and its derivatives by multiplier."""
        total, slopes = g.const(0.0), {}
        for group in self.normal_loads:
            parts = [g.dot((g.const(c), multipliers[k]) for k, c in part.items()) for part in group]
            squared = g.dot((x, x) for x in parts)
            some = g.greater(squared, 1e-200)
            size = g.sqrt(g.select(some, squared, 1e-200))
            total = total + g.select(some, size, 0.0)
            for x, part in zip(parts, group, strict=True):
                for k, c in part.items():
                    slopes[k] = slopes.get(k, g.const(0.0)) + g.select(some, x / size, 0.0) * c
        return total, slopes

    def force(self, g, load):
        """Node of the law's force, and its derivative by the load."""
        arguments = (self.slip, load, g.const(0.0), *self.numbers)
        return g.call(self.kernels.force, arguments, 2)[0], tangent_of(g, self.kernels, 3)(arguments)[0, 1]

    def book(self, equations, force):
        """Keep its force, and the power that it takes."""
        equations.power("dissipated", force * self.slip)
        equations.keep_nodes(self.element, friction=self, force=force)
