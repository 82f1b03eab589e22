"""Inertia of a tree as a recursion: accelerations from body to body outwards, forces and moments back inwards."""

from functools import cached_property

from flexmbd.equations.inertia import Inertia
from flexmbd.formulation.trees.links import GROUND, Link, Table
from flexmbd.formulation.trees.operators import Ball, TreeInertia
from flexmbd.formulation.trees.placing import carried, minus, plus, times, turned
from flexmbd.formulation.trees.spatial import ZERO, congruent, transposed
from flexmbd.language.quadratic import dot

TENSOR = {(0, 0): "xx", (1, 1): "yy", (2, 2): "zz", (0, 1): "xy", (0, 2): "xz", (1, 2): "yz"}


class Outwards(Inertia):
    """M of the bodies of a `TreeCoordinates`; entries and solutions are those of their links (`operators`), where there are such."""

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

    @cached_property
    def links(self):
        """The operator of the bodies as links; None where one hangs on a point mass that itself hangs on what turns."""
        moving = self._equations.moving
        if any(not made.parent.turns and _on_turning(made.parent) for made in moving):
            return None
        numbers, links, balls = {made: k for k, made in enumerate(moving)}, [], {}
        count = 0
        for made in moving:
            self.graph.mark()
            links.append(self._link(made, numbers.get(made.parent, GROUND)))
            if made in self._equations.lengths:
                slides = len(links[-1].motion) - 3
                rates = transposed([spin for spin, _ in made.columns[slides:]])
                balls[count + slides] = Ball(rates, self._equations.lengths[made])
            count += len(links[-1].motion)
        return TreeInertia(self.graph, self.q, Table(links, self.graph.mark), balls=balls)

    def _link(self, made, parent):
        """A body in axes of the inertial frame, at its centre of mass; of a ball three angular velocities about these axes."""
        columns, body, number = made.columns, made.branch.body, self._equations.number
        if made in self._equations.lengths:
            units = [[float(i == k) for i in range(3)] for k in range(3)]
            columns = columns[:-4] + [(unit, turned(unit, made.arm)) for unit in units]
        if len(made.zero) == 1:
            motion = [(0.0, 0.0, *spin, *line, 0.0) for spin, line in columns]
            tensor = [[0.0] * 3, [0.0] * 3, [0.0, 0.0, number(body, "inertia") if made.turns else 0.0]]
        else:
            motion, tensor = [(*spin, *line) for spin, line in columns], [[0.0] * 3 for _ in range(3)]
            for (i, j), key in TENSOR.items() if made.turns else ():
                if i == j or len(body.inertia) > 3:
                    tensor[i][j] = tensor[j][i] = number(body, f"inertia.{key}")
            tensor = congruent(transposed(made.axes), tensor) if made.turns else tensor
        offset = (*minus(made.centre, made.parent.centre), 0.0)[:3]
        axes = [[float(i == k) for i in range(3)] for k in range(3)]
        return Link(parent, axes, offset, motion, ZERO, number(body, "mass"), (0.0,) * 3, tensor)

    @cached_property
    def entries(self):
        """Upper triangle of M by (i, j)."""
        return super().entries if self.links is None else self.links.entries

    def solve(self, problem, rows, gradients, sides, *, multipliers=True):
        """Solutions of ``M x + G' l = f``, ``G x = c``."""
        own = super() if self.links is None else self.links
        return own.solve(problem, rows, gradients, sides, multipliers=multipliers)


def _on_turning(made):
    """Whether what a body of a tree hangs on can turn."""
    parent = made.parent
    return parent is not None and parent.branch is not None and (parent.turns or _on_turning(parent))
