"""Accelerations of a tree's bodies from body to body outwards, and the forces and moments that these take."""

from flexmbd.bodies.point_mass import PointMass
from flexmbd.formulation.trees.placing import carried, minus, plus, times, turned
from flexmbd.language.quadratic import dot

TENSOR = {(0, 0): "xx", (1, 1): "yy", (2, 2): "zz", (0, 1): "xy", (0, 2): "xz", (1, 2): "yz"}


class Outwards:
    """What bodies of a `TreeCoordinates` ask of forces, in the inertial frame."""

    def __init__(self, equations):
        self._equations, self.graph = equations, equations.graph

    def moved(self, x, drift=False):
        """By body angular acceleration and that of the centre, where those of coordinates are x; with `drift` also what these leave."""
        equations = self._equations
        ground = equations.placed[equations.system.ground.name]
        found = {ground: (ground.spin, ground.velocity)}
        for made in equations.moving:
            self.graph.mark()
            (alpha, a), own = found[made.parent], made.along(made.part(x))
            found[made] = plus(alpha, own[0]), plus(a, turned(alpha, minus(made.centre, made.parent.centre)), own[1])
        if drift:
            found |= {made: tuple(map(plus, found[made], made.drift)) for made in equations.moving}
        return found

    def loads(self, made, alpha, a):
        """Force and moment about the centre that accelerate a body so, one after another."""
        body, number = made.branch.body, self._equations.number
        force = times(number(body, "mass"), a)
        return force + self.momentum(made, alpha)

    def momentum(self, made, spin):
        """Angular momentum about the centre of a body that turns so."""
        body, number = made.branch.body, self._equations.number
        if isinstance(body, PointMass):
            return made.zero
        if len(spin) == 1:
            return [number(body, "inertia") * spin[0]]
        given = len(body.inertia)
        own = [dot(axis, spin) for axis in made.axes]
        keys = {ij: key for ij, key in TENSOR.items() if ij[0] == ij[1] or given > 3}
        total = [0.0] * 3
        for (i, j), key in keys.items():
            moment = number(body, f"inertia.{key}")
            for k, m in {(i, j), (j, i)}:
                total[k] = total[k] + moment * own[m]
        return made.direction(total)

    def gyroscopic(self, made):
        """Force and moment of a body whose coordinates do not accelerate."""
        found = self.loads(made, *made.drift)
        if len(made.zero) == 3:
            found[3:] = plus(found[3:], carried(made.spin, self.momentum(made, made.spin)))
        return found
