"""Clearance joints in space: ball in socket, and journal in bearing with tilt.

The normal force acts by virtual work along the gradient of the penetration, which depends on the bodies' places to each other only:
so it balances momentum and angular momentum, and its power is force times rate of penetration, whatever the geometry.  Friction acts
with equal and opposite forces at one point of the bearing's surface, against the slip there.
"""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.clearance import check_play
from flexmbd.contact.pair import Contact
from flexmbd.errors import ModelError, check_number, unit_vector
from flexmbd.linalg.quadratic import Row, cross3, dot
from flexmbd.space import AXES, axis_leaves, triad


@dataclass(frozen=True)
class Place:
    """One potential contact point, as nodes.

    `radial` is the unit vector from the bearing's centre line to the contact; `eccentricity` the distance that `clearance` allows;
    `arm_a`, `arm_b` lead from points a and b to the contact.
    """

    eccentricity: object
    radial: tuple
    arm_a: tuple
    arm_b: tuple


class SpatialContact(Contact):
    """Base of clearance joints in space; a subclass gives `places(build)`."""

    dimensions: ClassVar[tuple] = (3,)

    def check(self):
        """Check the numbers that these joints share."""
        check_play(self, "clearance", "bearing_radius")
        if self.friction is not None and self.friction.states:
            raise ModelError(
                f"clearance joint '{self.name}': the friction law '{self.friction.name}' "
                "has a state along one direction, so it is for planar joints only",
                element=self.name,
                remedy="use one without a state: Ambrosio, CoulombExponential, Threlfall, Stribeck",
            )

    def sizes(self):
        """Clearance and bearing radius."""
        return {"clearance": self.clearance, "bearing_radius": self.bearing_radius}

    def structure(self):
        """Laws, and whether the joint starts as an ideal one."""
        return (*super().structure(), self.start)

    def apply(self, build):
        """Forces of all potential contact points."""
        found = []
        for place in self.places(build):
            penetration = place.eccentricity - build.number(self, "clearance")
            rate = build.along(penetration)
            pair, normal = self.normal_force(build, penetration, rate)
            build.force_on(penetration, -normal)
            slip, speed = self._slip(build, place)
            push = build.graph.const(0.0)
            if self.frictional:
                push = self.friction_force(build, pair, speed, normal)
                build.power("contact", push * speed)
                self._rub(build, place, [push * x for x in slip])
            found.append({"pair": pair, "normal": normal, "slip_force": push, "penetration": penetration, "rate": rate, "speed": speed})
        build.remember(self, places=found)

    def _slip(self, build, place):
        """Direction of the slip of a against b (at most a unit vector), and its speed."""
        g = build.graph
        a, b = (
            [v + x for v, x in zip(build.velocity(end), cross3(build.spin(end.body), arm), strict=True)]
            for end, arm in ((self.a, place.arm_a), (self.b, place.arm_b))
        )
        apart = [x - y for x, y in zip(a, b, strict=True)]
        along = dot(apart, place.radial)
        slip = [x - along * n for x, n in zip(apart, place.radial, strict=True)]
        squared = dot(slip, slip)
        speed = g.sqrt(g.select(g.greater(squared, 1e-24), squared, 1e-24))
        return [x / speed for x in slip], speed

    def _rub(self, build, place, force):
        """Friction at the contact: `force` on b, its reaction on a."""
        for end, arm, sign in ((self.a, place.arm_a, -1.0), (self.b, place.arm_b, 1.0)):
            own = [sign * f for f in force]
            build.force(end, *own)
            build.torque(end.body, *cross3(arm, own))

    def outputs(self, build):
        """Of each contact point: normal force, friction, penetration, its rate, slip, contact, impacts; and the eccentricity."""
        name, out = self.name, {}
        count = len(build.recall(self)["places"])
        for k in range(count):
            prefix = name if count == 1 else f"{name}.{k + 1}"

            def got(key, k=k):
                return lambda: build.recall(self)["places"][k][key]

            def of(key, k=k):
                return lambda: getattr(build.recall(self)["places"][k]["pair"], key)

            out |= {
                f"{prefix}.normal": (got("normal"), "N"),
                f"{prefix}.friction": (got("slip_force"), "N"),
                f"{prefix}.penetration": (got("penetration"), "m"),
                f"{prefix}.rate": (got("rate"), "m/s"),
                f"{prefix}.slip": (got("speed"), "m/s"),
                f"{prefix}.contact": (lambda k=k: build.recall(self)["places"][k]["pair"].closed(build.graph), "1"),
                f"{prefix}.impacts": (of("count"), "1"),
                f"{prefix}.impact_velocity": (of("impact_velocity"), "m/s"),
            }
        for k, axis in enumerate(AXES):
            out[f"{name}.e{axis}"] = (lambda k=k: build.values(self._apart(build))[k], "m")
        return out

    def _apart(self, build):
        """Point a less point b, as polynomials."""
        return [p - q for p, q in zip(build.place(self.a), build.place(self.b), strict=True)]


@dataclass(frozen=True, eq=False)
class ClearanceSpherical(SpatialContact):
    """Ball (centre `a`) in a socket (centre `b`) with radial clearance (Flores, Ambrósio, Claro and Lankarani 2006).

    Parameters
    ----------
    clearance, bearing_radius : float or ndarray
        Radial clearance and radius of the socket, m.
    law, friction, start, minimum_impact_velocity
        See `ClearanceRevolute`.
    """

    name: str
    a: object
    b: object
    clearance: object
    bearing_radius: object
    law: object
    friction: object = None
    start: str = "as_given"
    minimum_impact_velocity: object = 1e-3

    def __post_init__(self):
        self.check()

    def initial_rows(self, build):
        """Rows of the ideal joint, for the assembly of positions and velocities only."""
        if self.start == "as_given":
            return []
        return [Row(x, "length", f"{self.name}.{axis}") for axis, x in zip(AXES, self._apart(build), strict=True)]

    def places(self, build):
        """The socket's surface in the direction of the eccentricity."""
        e = build.values(self._apart(build))
        size, radial = _unit(build.graph, e)
        radius = build.number(self, "bearing_radius")
        arm_b = [radius * x for x in radial]
        return [Place(size, radial, tuple(x - y for x, y in zip(arm_b, e, strict=True)), tuple(arm_b))]


@dataclass(frozen=True, eq=False)
class ClearanceCylindrical(SpatialContact):
    """Journal (through `a` along `axis_a`) in a bearing (centre `b`, along `axis_b`) with radial clearance and tilt.

    The journal is free along and about the axis.  Contact is looked for where its centre line passes through both end sections of
    the bearing, so there is none, one at either end, two at one side (line contact) or two at opposite sides (Tian, Zhang, Chen and
    Hu 2011, Mech. Mach. Theory 46, distinguish the same cases; the edge of a journal that ends inside the bearing is not looked at).

    Parameters
    ----------
    length : float or ndarray
        Of the bearing, m.
    axis_a, axis_b : tuple
        Directions in the frames of a's and b's bodies.
    clearance, bearing_radius : float or ndarray
        Radial clearance and radius of the bearing, m.
    law, friction, start, minimum_impact_velocity
        See `ClearanceRevolute`; each end section has this law.
    """

    name: str
    a: object
    b: object
    clearance: object
    bearing_radius: object
    length: object
    law: object
    axis_a: tuple = (0.0, 0.0, 1.0)
    axis_b: tuple = (0.0, 0.0, 1.0)
    friction: object = None
    start: str = "as_given"
    minimum_impact_velocity: object = 1e-3

    def __post_init__(self):
        self.check()
        owner = f"clearance joint '{self.name}'"
        object.__setattr__(self, "length", check_number(owner, "length", self.length, positive=True))
        for key in ("axis_a", "axis_b"):
            object.__setattr__(self, key, unit_vector(owner, key, getattr(self, key), 3))

    def sizes(self):
        """Sizes and axes."""
        n1, n2 = triad(self.axis_b)
        axes = {"axis_a": self.axis_a, "axis_b": self.axis_b, "n1": n1, "n2": n2}
        return {**super().sizes(), "length": self.length, **{k: x for key, axis in axes.items() for k, x in axis_leaves(key, axis).items()}}

    def _axis(self, build, key, body):
        return build.direction(body, *(build.number(self, f"{key}.{axis}") for axis in AXES))

    def initial_rows(self, build):
        """Rows of the ideal joint: the journal's centre line is the bearing's."""
        if self.start == "as_given":
            return []
        along, rows = self._axis(build, "axis_a", self.a.body), []
        for key in ("n1", "n2"):
            across = self._axis(build, key, self.b.body)
            rows.append(Row(dot(across, self._apart(build)), "length", f"{self.name}.offset{key[1]}"))
            rows.append(Row(dot(across, along), "angle", f"{self.name}.tilt{key[1]}"))
        return rows

    def places(self, build):
        """Both end sections of the bearing."""
        u, w = (build.values(self._axis(build, key, end.body)) for key, end in (("axis_a", self.a), ("axis_b", self.b)))
        e = build.values(self._apart(build))
        half, radius = 0.5 * build.number(self, "length"), build.number(self, "bearing_radius")
        found = []
        for side in (-1.0, 1.0):
            centre = [side * half * x for x in w]  # of the section, from b
            shift = dot([c - x for c, x in zip(centre, e, strict=True)], w) / dot(u, w)
            through = [x + shift * y for x, y in zip(e, u, strict=True)]  # of the journal's line through the section, from b
            size, radial = _unit(build.graph, [x - c for x, c in zip(through, centre, strict=True)])
            arm_b = [c + radius * n for c, n in zip(centre, radial, strict=True)]
            found.append(Place(size, radial, tuple(x - y for x, y in zip(arm_b, e, strict=True)), tuple(arm_b)))
        return found


def _unit(graph, vector):
    """Length (at least 1 pm) and direction of a vector."""
    squared = dot(vector, vector)
    size = graph.sqrt(graph.select(graph.greater(squared, 1e-24), squared, 1e-24))
    return size, tuple(x / size for x in vector)
