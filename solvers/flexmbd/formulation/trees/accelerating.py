"""Accelerations of a tree's bodies from body to body outwards, and the forces and moments that these take."""

from flexmbd.formulation.trees.vectors import carried, fixed, minus, plus, times, turned
from flexmbd.formulation.trees.walking import TENSOR, walked
from flexmbd.language.quadratic import dot


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
        return walked(load, *made.masses(), made.axes, alpha, a)

    def momentum(self, made, spin):
        """Angular momentum about the centre of a body that turns so."""
        return walked(momentum, made.masses()[1], made.axes, spin)

    def kinetic(self, made):
        """Kinetic energy of a body."""
        return walked(kinetic, *made.masses(), made.axes, made.spin, made.velocity)

    def at_rest(self, made, gravity):
        """Weight less the gyroscopic force where coordinates do not accelerate, with moments, and the weight's potential."""
        return walked(at_rest, *made.masses(), gravity, made.zero, made.axes, made.centre, made.spin, made.drift)


def momentum(moments, axes, spin):
    """Angular momentum of a body about its centre, in the inertial frame."""
    if len(moments) < 2:
        return [moments[0] * spin[0]] if moments else [0.0] * len(spin)
    own, total = [dot(axis, spin) for axis in axes], [0.0] * 3
    for (i, j), moment in zip(TENSOR, moments, strict=False):
        for k, m in {(i, j), (j, i)}:
            total[k] = total[k] + moment * own[m]
    return fixed(axes, total)


def load(mass, moments, axes, alpha, a):
    """Force and moment about the centre that accelerate a body so, one after another."""
    return times(mass, a) + momentum(moments, axes, alpha)


def kinetic(mass, moments, axes, spin, velocity):
    """Kinetic energy."""
    along = mass * dot(velocity, velocity)
    return 0.5 * (along + dot(spin, momentum(moments, axes, spin)))


def at_rest(mass, moments, gravity, zero, axes, centre, spin, drift):
    """Weight less the gyroscopic force, with the moments of both about the centre, and the weight's potential."""
    weight, gyroscopic = [*times(mass, gravity), *zero], load(mass, moments, axes, *drift)
    if len(zero) == 3:
        gyroscopic[3:] = plus(gyroscopic[3:], carried(spin, momentum(moments, axes, spin)))
    return plus(weight, times(-1.0, gyroscopic)), -(mass * dot(gravity, centre))
