"""Propellant: mass that leaves a body, and its thrust."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import ModelError, unit_vector
from flexmbd.forces.coordinates import COORDINATES, Coordinate
from flexmbd.forces.loads import Force
from flexmbd.frames import node_axis
from flexmbd.motion import as_motion, over
from flexmbd.space import axis_parameters, is_spatial


@dataclass(frozen=True, eq=False)
class Propellant(Force):
    """Mass m at point `a` of a body, more than the body's own, that changes over time or over a coordinate, and its thrust.

    Meshchersky's equation: with the mass's rate m' and the velocity w of what leaves (or arrives) against the body, ``m a = F + m' w``.
    Here ``w = -exhaust axis``: a thrust ``-m' exhaust`` along the axis while m falls.  With an exhaust speed of zero the mass leaves with
    the velocity of its point, and changes no velocity: there is no force ``-m' v``.

    Parameters
    ----------
    name : str
    a : Point
        Of a rigid body or a point mass.
    mass : Motion, float or ndarray
        kg over time in s, or over the coordinate `along`; below zero it is zero, and the thrust has ended.
    exhaust : float or ndarray
        Speed against the body with which it leaves, against the axis, m/s.
    axis : tuple, optional
        Direction of the thrust in the frame of a's body (of a point mass: in the inertial frame), of any length; x if left out.
    along : AngleOf or PlaceOf, optional
        Coordinate over which the mass changes, in rad or m; time if left out.

    Examples
    --------
    >>> import numpy as np
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> rocket = s.body("rocket", mass=10.0, inertia=1.0)
    >>> tank = s.add(fm.Propellant("tank", rocket.centre, fm.Table((0.0, 2.0), (5.0, 0.0)), exhaust=500.0, axis=(1.0, 0.0)))
    >>> found = fm.run(s, end=2.0, points=3, outputs=["rocket.vx"])
    >>> round(float(found["rocket.vx"][-1]), 3), round(500.0 * float(np.log(1.5)), 3)  # m/s, and Tsiolkovsky's
    (202.733, 202.733)
    """

    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    a: object
    mass: object
    exhaust: object = 0.0
    axis: tuple = None
    along: object = None

    def __post_init__(self):
        owner, body = f"propellant '{self.name}'", getattr(self.a, "body", None)
        if body is None:
            return  # refused by `System.add`, which knows what is needed
        if not hasattr(body, "mass"):
            raise ModelError(f"{owner}: a is on '{body.name}'; it must be a point of a rigid body or a point mass", element=self.name)
        if self.along is not None and not isinstance(self.along, Coordinate):
            raise ModelError(f"{owner}: along is {self.along!r}; it must be {COORDINATES}", element=self.name)
        count = 3 if is_spatial(self.a) else 2
        axis = (1.0, 0.0, 0.0)[:count] if self.axis is None else self.axis
        object.__setattr__(self, "axis", unit_vector(owner, "axis", axis, count))
        object.__setattr__(self, "mass", as_motion(self.mass))

    @property
    def measured(self):
        """Bodies between which the coordinate is."""
        return () if self.along is None else self.along.bodies

    def parameters(self):
        """Numbers of mass, axis and coordinate."""
        along = {} if self.along is None else {f"along.{key}": x for key, x in self.along.parameters().items()}
        mass = {f"mass.{key}": x for key, x in self.mass.parameters().items()}
        return {"exhaust": self.exhaust, **mass, **axis_parameters("axis", self.axis), **along}

    def topology_key(self):
        """Kind of the mass, and what it changes over."""
        return (self.mass.topology_key(), None if self.along is None else self.along.topology_key())

    def apply(self, equations):
        """Mass without forces of its kinetic energy, weight, and thrust; energy that leaves with it counts as dissipated."""
        g, body = equations.graph, self.a.body
        at = equations.time if self.along is None else self.along.nodes(equations, self, "along.")[0]
        given = over(self.mass, equations, at, lambda key: equations.number(self, f"mass.{key}"))
        mass = g.select(g.greater(given, 0.0), given, 0.0)
        rate, velocity, place = equations.time_derivative(mass), equations.velocity(self.a), equations.values(equations.place(self.a))
        equations.add_inertia({(k, k): mass for k in range(len(place))}, velocity, expelled=True)
        equations.force(self.a, *(mass * x for x in equations.gravity))
        height = -g.dot(zip(equations.gravity, place, strict=True))
        equations.potential(mass * height)
        equations.power("dissipated", -(rate * height))
        thrust = -(rate * equations.number(self, "exhaust"))
        frame = equations.system.ground if body.coordinates == body.dimension else body  # a point mass has no frame
        force = [thrust * x for x in equations.values(node_axis(equations, self, frame, "axis"))]
        equations.force(self.a, *force)
        equations.power("external", g.dot(zip(force, velocity, strict=True)))
        equations.keep_nodes(self, mass=mass, thrust=thrust)

    def outputs(self, equations):
        """The mass, and the thrust along the axis."""
        return {
            f"{self.name}.{key}": (lambda key=key: equations.nodes_of(self)[key], unit) for key, unit in (("mass", "kg"), ("thrust", "N"))
        }
