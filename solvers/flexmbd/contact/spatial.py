"""What clearance joints in space share: places of contact, film, outputs.

The normal force acts by virtual work along the gradient of the penetration, which depends on the bodies' places to each other only:
so it balances momentum and angular momentum, and its power is force times rate of penetration, whatever the geometry.  Friction acts
with equal and opposite forces at one point of the bearing's surface, against the slip there.
"""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.clearance import check_play
from flexmbd.contact.film import check_film, film_leaves, film_structure, handed_over
from flexmbd.contact.pair import Contact
from flexmbd.contact.spatial_outputs import film_outputs
from flexmbd.errors import ModelError
from flexmbd.linalg.quadratic import cross3, dot
from flexmbd.space import AXES


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
    """Base of clearance joints in space; a subclass gives `places(build)`, and with a film `wet(build)`, which applies it."""

    dimensions: ClassVar[tuple] = (3,)
    asperities: ClassVar = None

    def check(self):
        """Check the numbers that these joints share."""
        check_play(self, "clearance", "bearing_radius")
        object.__setattr__(self, "transition", check_film(self))
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

    def leaves(self):
        """Numbers of geometry, laws and film."""
        return {**(self.sizes() if self.law is None else super().leaves()), **film_leaves(self)}

    def structure(self):
        """Laws and film, and whether the joint starts as an ideal one."""
        return (*(() if self.law is None else super().structure()), *film_structure(self), self.start)

    def normal_force(self, build, penetration, rate):
        """The contact's, of which a transition from the film may take a part."""
        pair, normal = super().normal_force(build, penetration, rate)
        return pair, handed_over(self, build, normal, penetration, rate)

    def apply(self, build):
        """Forces of all potential contact points, and of the film."""
        found = []
        for place in self.places(build) if self.law is not None else ():
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
        build.remember(self, places=found, **({} if self.film is None else self.wet(build)))

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
        """Of each contact point: normal force, friction, penetration, its rate, slip, contact, impacts; the film's; the eccentricity."""
        name, out = self.name, {} if self.film is None else film_outputs(self, build)
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
            out[f"{name}.e{axis}"] = (lambda k=k: build.values(self.apart(build))[k], "m")
        return out

    def apart(self, build):
        """Point a less point b, as polynomials."""
        return [p - q for p, q in zip(build.place(self.a), build.place(self.b), strict=True)]


def unit(graph, vector):
    """Length (at least 1 pm) and direction of a vector."""
    squared = dot(vector, vector)
    size = graph.sqrt(graph.select(graph.greater(squared, 1e-24), squared, 1e-24))
    return size, tuple(x / size for x in vector)
