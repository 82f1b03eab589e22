"""Inertia of a tree as a recursion: accelerations from body to body outwards, forces and moments back inwards."""

from flexmbd.equations.inertia import Inertia
from flexmbd.formulation.trees.placing import carried, minus, plus, times, turned
from flexmbd.language.quadratic import dot

TENSOR = {(0, 0): "xx", (1, 1): "yy", (2, 2): "zz", (0, 1): "xy", (0, 2): "xz", (1, 2): "yz"}


class Outwards(Inertia):
    """M x of the bodies of a `TreeCoordinates`."""

    def __init__(self, equations):
        super().__init__(equations.graph, equations.q)
        self._equations = equations

    def moved(self, x, drift=False):
        """By body angular acceleration and that of the centre, where those of coordinates are x; with `drift` also what these leave."""
        equations = self._equations
        ground = equations.placed[equations.system.ground.name]
        found = {ground: (ground.spin, ground.velocity)}
        for made in equations.moving:
            self.graph.mark()
            (alpha, a), own = found[made.parent], made.along(made.part(x))
            spin = plus(alpha, own[0]) if made.turns else made.zero
            found[made] = spin, plus(a, turned(alpha, minus(made.centre, made.parent.centre)), own[1])
        if drift:
            found |= {made: tuple(map(plus, found[made], made.drift)) for made in equations.moving}
        return found

    def loads(self, made, alpha, a):
        """Force and moment about the centre that accelerate a body so, one after another."""
        body, number = made.branch.body, self._equations.number
        force = times(number(body, "mass"), a)
        return force + (self.momentum(made, alpha) if made.turns else made.zero)

    def momentum(self, made, spin):
        """Angular momentum about the centre of a body that turns so."""
        body, number = made.branch.body, self._equations.number
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
        if len(made.zero) == 3 and made.turns:
            found[3:] = plus(found[3:], carried(made.spin, self.momentum(made, made.spin)))
        return found

    def apply(self, x):
        """Nodes of ``M x``."""
        moved = self.moved(x)
        return self._equations.inwards({made: self.loads(made, *moved[made]) for made in self._equations.moving})
