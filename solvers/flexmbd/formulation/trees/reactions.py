"""What joints of a tree bear: from the accelerations inwards, by all that acts on bodies."""

from functools import cached_property

from flexmbd.bodies.point_mass import PointMass
from flexmbd.errors import ModelError
from flexmbd.formulation.base import Formulation
from flexmbd.formulation.trees.rows import PlacedRow
from flexmbd.formulation.trees.turning import by_itself, turns_of
from flexmbd.formulation.trees.vectors import minus, moment, plus, times
from flexmbd.language.node_row import NodeRow


def hinged(made):
    """Whether a body turns about a point of the body that it hangs on, or stands still on it."""
    branch = made.branch
    return branch.joint is not None and not branch.freedom.slides and not isinstance(branch.body, PointMass)


class Reactions:
    """Share of `TreeCoordinates` that knows what acts on each body, so that joints which carry bodies need no multipliers.

    It keeps also what goes into generalized forces by another way: `_others` by body, and `_untold` where something is not known by body.
    """

    def _act_along(self, books, pairs):
        """Add forces along rates, pairs of nodes, by bodies; whether that can be."""
        pairs = [(force, self.slopes_of(self.graph.const(rate), "twist")) for force, rate in pairs]
        if any(slopes is None for _, slopes in pairs):
            return False
        for force, slopes in pairs:
            for made, own in slopes.items():
                self._act(books, made, times(force, own))
        return True

    def unilateral(self, element, key, gap, rates, **more):
        """As the formulations' own; what it does is kept by body for reactions."""
        before = list(self.generalized)
        found = super().unilateral(element, key, gap, rates, **more)
        if self._act_along(self._others, zip(found.forces, rates, strict=True)):
            self._known = [y if x is z else x for x, y, z in zip(self._known, self.generalized, before, strict=True)]
        return found

    def add_mass(self, entries, *, expelled=False):
        """As the formulations' own; reactions of joints do not know what is on their coordinates."""
        self._untold |= any(i < self.first_beside for key in entries for i in key)
        super().add_mass(entries, expelled=expelled)

    def _book(self, forces):
        """As the formulations' own; friction is kept by body for reactions."""
        super()._book(forces)
        for one, force in zip(self.coupled, forces, strict=True):
            self._untold |= not (hasattr(one, "slip") and self._act_along(self._others, [(-force, one.slip)]))

    def _accelerations(self):
        self._untold |= any(x is not y for x, y in zip(self._known[: self.first_beside], self.generalized, strict=False))
        self._untold |= any(type(row.polynomial) is NodeRow for row in self.rows)
        self._along = list(self.generalized)  # what acts on coordinates themselves
        for i, x in enumerate(self.inwards(self.wrenches)):
            self.generalized[i] = self.generalized[i] + x
        return super()._accelerations()

    def balance(self):
        """Generalized forces, what the bodies' own inertia takes as derivatives of momenta (`problem.Problem`)."""
        graph, totals, derived = self.graph, {}, {}

        def rates(nodes, times_derived):
            found = []
            for x in map(graph.const, nodes):
                found.append(y := graph.var("j", len(derived)))
                derived[y] = x, times_derived
            return found

        for made, parts in self._acts:
            self._act(totals, made, parts)
        spun = [made for made in self._units if by_itself(made)]
        for made in self.moving:
            if made in spun and hinged(made):  # its momentum is about the fixed point
                continue
            if made in spun:
                about = made.zero
            elif len(made.zero) == 1:
                about = self.tree.momentum(made, rates([made.angle], 2))
            else:
                about = rates(self.tree.momentum(made, made.spin), 1)
            pulled = minus(list(self.gravity), rates(made.centre, 2))
            self._act(totals, made, [*times(self.number(made.branch.body, "mass"), pulled), *times(-1.0, about)])
        units = {made: self.rows.index(row) for made, row in self._units.items()}
        lengths = [(made.first + len(made.branch.freedom.slides), row) for made, row in units.items() if made not in spun]
        turns = turns_of(self, spun, units, totals)
        turning = len(self.gravity) == 2 and not self.topology.beside and all(hinged(made) for made in self.moving)
        found = self._about_joints(totals) if turning else self.inwards(totals)
        for turn in turns:
            found[turn.first : turn.first + 4] = [graph.const(0.0)] * 4
        return [x + y for x, y in zip(self._along, found, strict=True)], derived, lengths, turns

    def _about_joints(self, wrenches):
        """`inwards` where all bodies are on hinges in the plane: moments about the joints, with two products of nodes a body.

        What acts on a body at places (u, w) of its frame has the moment ``c (u fy - w fx) - s (u fx + w fy)``, all places together.
        """
        zero = self.graph.const(0.0)
        found, handed = [zero] * self.n, {}
        for made in reversed(self.moving):
            *force, about = wrenches.get(made, [zero] * 3)
            acting = [(times(-1.0, made.at_own), force)]
            for child, total, moved in handed.pop(made, []):
                acting.append((minus(child.at_parent, made.at_own), total))
                force, about = plus(force, total), about + moved
            across = self.graph.dot(pair for (u, w), (fx, fy) in acting for pair in ((u, fy), (-w, fx)))
            along = self.graph.dot(pair for (u, w), (fx, fy) in acting for pair in ((u, fx), (w, fy)))
            c, s = made.axes[0]
            about = about + (c * across - s * along)
            handed.setdefault(made.parent, []).append((made, force, about))
            for k, (spin, _) in enumerate(made.columns):
                found[made.first + k] = spin[0] * about
        return found

    def reaction(self, element, body):
        """Force and moment about the centre of mass that a joint exerts on a body, as one tuple."""
        branch, made = self.topology.by(element), self.placed.get(body.name)
        if made is None:
            return super().reaction(element, body)
        if branch is None:
            own = [(k, row.polynomial) for k, row in self._own_rows(element)]
            if not all(isinstance(row, PlacedRow) for _, row in own):
                return Formulation.reaction(self, element, body)
            total = [self.graph.const(0.0)] * len(made.shifts)
            for k, row in own:
                total = minus(total, times(self.multipliers[k], row.slopes.get(made, [0.0] * len(total))))
            return tuple(total)
        if self._untold:
            raise ModelError(
                f"joint '{element.name}': its reaction is not known in tree coordinates, because elements act on coordinates themselves",
                element=element.name,
                remedy="take formulation 'natural'",
            )
        child = self.placed[branch.body.name]
        force, about = self._borne[child]
        if made is child:
            return (*force, *about)
        arm = moment(minus(child.centre, made.centre), force)
        return (*times(-1.0, force), *times(-1.0, plus(about, arm)))

    def _own_rows(self, element):
        k0 = self.owner[element.name]
        later = sorted(k for k in (*self.owner.values(), len(self.rows)) if k > k0)
        return [(k, self.rows[k]) for k in range(k0, later[0])] if later else []

    @cached_property
    def _borne(self):
        """By body force and moment about the centre that its joint exerts on it."""
        moved, found = self.tree.moved(self.a), {}
        for made in self.moving:
            found[made] = minus(self.tree.loads(made, *moved[made]), self.wrenches[made])
            if made in self._others:
                found[made] = minus(found[made], self._others[made])
        for k, row in enumerate(self.rows):
            for made, own in getattr(row.polynomial, "slopes", {}).items():
                if made in found:
                    found[made] = plus(found[made], times(self.multipliers[k], own))
        return dict(self.sums_of(found))
