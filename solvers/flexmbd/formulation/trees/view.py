"""A body of a tree seen as in natural coordinates, for what bodies themselves say of their coordinates: outputs and poses."""

from flexmbd.bodies.point_mass import PointMass
from flexmbd.formulation.trees.vectors import plus, turned


class AsNatural:
    """What a body is handed: coordinates, velocities and accelerations are its natural ones, and all else is that of the equations."""

    def __init__(self, equations, made):
        self._equations, self._made, self.first = equations, made, {made.branch.body.name: 0}

    def __getattr__(self, name):
        return getattr(self._equations, name)

    def _of(self, centre, axes):
        axes = axes[: 0 if isinstance(self._made.branch.body, PointMass) else 1 if len(centre) == 2 else 3]
        return [*centre, *(x for axis in axes for x in axis)]

    @property
    def q(self):
        """Centre, and axes of the frame."""
        return self._of(self._made.centre, self._made.axes)

    @property
    def v(self):
        """Their rates."""
        made = self._made
        return self._of(made.velocity, [turned(made.spin, axis) for axis in made.axes])

    @property
    def a(self):
        """Their accelerations."""
        made = self._made
        alpha, a = self._equations.accelerated[made]
        spun = [plus(turned(alpha, axis), turned(made.spin, turned(made.spin, axis))) for axis in made.axes]
        return self._of(a, spun)
