"""Joint coordinates of trees of rigid bodies: no rows but those of joints that close loops, of drives, and of unit quaternions.

Places and velocities of bodies are nodes that follow each other outwards.  All that acts is kept by body as a force and a moment about the
centre of mass, and is summed inwards along the tree: that gives the generalized forces, the rows' derivatives, and what joints bear.
"""

from functools import cached_property

from flexmbd.bodies.point_mass import PointMass
from flexmbd.formulation.base import Formulation
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.formulation.trees.accelerating import Outwards
from flexmbd.formulation.trees.beginning import beginning
from flexmbd.formulation.trees.joints import BALL
from flexmbd.formulation.trees.linking import table_of
from flexmbd.formulation.trees.operators import SHALLOW, TreeInertia
from flexmbd.formulation.trees.placing import Beside, Placed
from flexmbd.formulation.trees.reactions import Reactions
from flexmbd.formulation.trees.rows import TurnRow, check_opened, of_places
from flexmbd.formulation.trees.topology import topology
from flexmbd.formulation.trees.vectors import minus, moment, plus, times, turned
from flexmbd.formulation.trees.view import AsNatural
from flexmbd.formulation.trees.walking import hand_on, powers, walked
from flexmbd.joints.distance import Distance
from flexmbd.joints.drives import Drive
from flexmbd.language.kinds import VARIABLE
from flexmbd.language.quadratic import Quadratic, Row, dot
from flexmbd.space import AXES

INNER = (Distance, Drive)  # rows of these, and of joints that could carry, do not change when both bodies move together


class TreeCoordinates(Reactions, NaturalCoordinates):
    """Joint coordinates (Featherstone 2008, Rigid Body Dynamics Algorithms); of what cannot be in a tree natural ones, behind the others.

    Attributes
    ----------
    topology : Topology
    first_beside : int
        Number of the first coordinate that is not the tree's.
    placed : dict str -> Placed
        Ground and bodies of the tree by name, parents before their children.
    wrenches : dict Placed -> list of Node
        What acts on each body: force, and moment about its centre of mass.
    """

    @staticmethod
    def parts(system):
        """Coordinates of the joints that carry bodies, of free bodies, and of bodies beside the tree."""
        found = topology(system)
        own = {branch.name: branch.freedom.measures for branch in found.branches if branch.freedom.measures}
        return own | {body.name: list(body.measures) for body in found.beside}

    @staticmethod
    def initial(system):
        """Joints' coordinates where natural coordinates, assembled, have the bodies, and their rates."""
        return beginning(system, topology(system))

    # ---- bodies
    def bodies(self):
        """Places, motion, weights, inertia, and rows of unit quaternions."""
        system, g = self.system, self.graph
        self.topology, self.wrenches, self._others, self._untold, self._beside, units = topology(system), {}, {}, False, {}, {}
        self._acts = []
        self.notes, self.first_beside = self.topology.notes(), self.n - sum(body.coordinates for body in self.topology.beside)
        self.placed = {system.ground.name: Placed(self)}
        for branch in self.topology.branches:
            g.mark()
            parent = system.ground if branch.parent is None else branch.parent.body
            self.placed[branch.body.name] = made = Placed(self, branch, self.placed[parent.name])
            if BALL in branch.freedom.turns:
                units[made] = self._unit(branch, made)
        self.rows += units.values()
        self._units = units
        self.moving = [*self.placed.values()][1:]
        self.tree = Outwards(self)
        table, balls = table_of(self, units)
        self._deep = table.depth > SHALLOW
        self.use_inertia(TreeInertia(g, self.q, table, balls=balls), gyroscopic=False)
        for made in self.moving:
            g.mark()
            self.wrenches[made], potential = self.tree.at_rest(made, self.gravity)
            self.potential(potential)
        self.write(self.topology.beside)
        self._known = list(self.generalized)

    def _unit(self, branch, made):
        """The quaternion's length; its penalty is a moment of inertia, because along it there is none."""
        first, body = made.first + len(branch.freedom.slides), branch.body
        squares = Quadratic(self.graph, {(i, i): 0.5 for i in range(first, first + 4)} | {(): -0.5})
        weight = sum((self.number(body, f"inertia.{key}") for key in ("yy", "zz")), self.number(body, "inertia.xx"))
        return Row(squares, "angle", f"{branch.name}.unit", penalty=2.0 * weight)

    def rows_of(self, element, written):
        """None of joints that carry a body."""
        if self.topology.by(element) is not None:
            return []
        within = self._apart(element) if element in self.topology.cuts or isinstance(element, INNER) else None
        found = [of_places(self, row, within) for row in written(self)]
        if element in self.topology.cuts and self._solved and not self.shift:
            check_opened(element, found)
        return found

    def turn(self, joint, angle):
        """As in natural coordinates; of bodies of the tree, whose angles are known, by these."""
        a, b = (self.placed.get(end.body.name) for end in (joint.a, joint.b))
        if a is None or b is None:
            return super().turn(joint, angle)
        sine, cosine = self.sincos(off := b.angle - a.angle - angle)
        return Row(TurnRow(self, off, sine), "angle", f"{joint.name}.angle", cosine)

    def _apart(self, element):
        """Bodies between the ends of an element and where the ways from both to ground meet; None if an end is beside the tree."""
        ends, ways = (element.a, element.b), []
        for end in ends if all(end.body.name in self.placed for end in ends) else ():
            made, way = self.placed[end.body.name], []
            while made.branch is not None:
                way.append(made)
                made = made.parent
            ways.append(set(way))
        return ways[0] ^ ways[1] if ways else None

    def outputs_of(self, body):
        """Those that the body itself names; its angle is a sum of joints' angles."""
        if (made := self.placed.get(body.name)) is None:
            return body.outputs(self)
        found = body.outputs(AsNatural(self, made))
        return found | ({f"{body.name}.angle": (lambda: made.angle, "rad")} if f"{body.name}.angle" in found else {})

    def pose(self, body):
        """What says where a body is, for poses of a run."""
        made = self.placed.get(body.name)
        return body.pose(self if made is None else AsNatural(self, made))

    turning_matrix = staticmethod(Formulation.turning_matrix)

    def natural(self):
        """Of places, axes and velocities."""

        def own(body, key):
            if body.name in self.placed:
                return getattr(AsNatural(self, self.placed[body.name]), key)
            return body.part(self, getattr(self, key)) if body.name in self.first else [self.graph.const(0.0)] * body.coordinates

        return tuple(x for key in "qv" for body in self.system.bodies for x in own(body, key))

    @property
    def speeds(self):
        """Of deep trees, where rates of joints that turn against each other say nothing of what swings as a whole."""
        masses = [(made, *made.masses()) for made in (self.moving if self._deep else ())]
        return tuple(([mass], made.velocity, moments, made.spin) for made, mass, moments in masses)

    # ---- what elements read
    def direction(self, body, *components):
        """A vector fixed in a body, in the inertial frame."""
        made = self.placed.get(body.name)
        if made is None or isinstance(body, PointMass):  # of a point mass it is refused
            return self.values(super().direction(body, *components))
        return tuple(made.direction(components))

    def slope(self, point):
        """Derivative of a cable's place by its arc length, at a point of it."""
        return self.values(super().slope(point))

    def _arm(self, point):
        """From the centre of mass to a point."""
        made = self.placed[point.body.name]
        if isinstance(point.body, PointMass):
            return [self.graph.const(0.0)] * self.system.dimension
        return made.direction([self.number(point.body, f"{point.key}.{axis}") for axis in AXES[: self.system.dimension]])

    def centre(self, body):
        """Place of the centre of mass."""
        made = self.placed.get(body.name)
        return self.values(body.origin(self)) if made is None else tuple(made.centre)

    def place(self, point):
        """Inertial position of a point."""
        made = self.placed.get(point.body.name)
        return self.values(super().place(point)) if made is None else tuple(plus(made.centre, self._arm(point)))

    def between(self, a, b):
        """Vector from point a to point b."""
        return minus(self.place(b), self.place(a))

    def values(self, nodes):
        """Nodes, also of the values of polynomials."""
        return tuple(x.value(self.q) if isinstance(x, Quadratic) else self.graph.const(x) for x in nodes)

    def rates(self, nodes):
        """Nodes of total time derivatives."""
        return tuple(self.time_derivative(x) for x in self.values(nodes))

    def velocity(self, point):
        """Nodes of the velocity of a point."""
        if (made := self.placed.get(point.body.name)) is None:
            return super().velocity(point)
        return tuple(plus(made.velocity, turned(made.spin, self._arm(point))))

    def acceleration(self, point):
        """Nodes of the acceleration of a point (available to outputs)."""
        if (made := self.placed.get(point.body.name)) is None:
            return super().acceleration(point)
        arm = self._arm(point)
        if made.branch is None:
            return tuple(made.velocity)
        alpha, a = self.accelerated[made]
        return tuple(plus(a, turned(alpha, arm), turned(made.spin, turned(made.spin, arm))))

    @cached_property
    def accelerated(self):
        """By body angular acceleration and that of the centre."""
        return self.tree.moved(self.a, drift=True)

    def spin(self, body):
        """Node of a body's angular velocity; in space its three components in the inertial frame."""
        if (made := self.placed.get(body.name)) is None:
            return super().spin(body)
        spin = made.spin
        return spin[0] if len(spin) == 1 else tuple(spin)

    def angle(self, body):
        """Node of a planar body's angle, counting full turns."""
        made = self.placed.get(body.name)
        return super().angle(body) if made is None else made.angle

    def kinetic_energy(self):
        """Node of the kinetic energy: of the bodies, whose velocities are known, and of masses that elements add."""
        total = self.inertia.added.kinetic(self.v)
        for made in self.moving:
            self.graph.mark()
            total = total + self.tree.kinetic(made)
        return total

    # ---- derivatives by way of bodies
    def _by_bodies(self, node, space):
        """Bodies on whose displacements, or twists, a node depends; None if it depends on coordinates, or velocities, besides."""
        g, direct, seen, stack = self.graph, {"displacement": "q", "twist": "v"}[space], set(), [node]
        if not g.sources.of(node) & g.sources.space(direct):
            return []
        standing, beside = self._standing, set()
        while stack:
            x = stack.pop()
            if x.id in seen or x.id in standing:
                continue
            seen.add(x.id)
            if x.kind is VARIABLE and x.value.space == direct and x.value.number >= self.first_beside:
                beside.add(x.value.number)
            elif (x.kind is VARIABLE and x.value.space == direct) or x.kind.grouped(x):
                return None
            stack += x.args
        count = len(self.moving[0].shifts)
        numbers = dict.fromkeys(i // count for i in g.space(space).of(node))
        for i in sorted(beside - self._beside.keys()):
            self._beside[i] = Beside(self, i)
        return [self.moving[i] for i in sorted(numbers)] + [self._beside[i] for i in sorted(beside)]

    @cached_property
    def _standing(self):
        found = [x for made in self.moving for x in (*made.centre, *made.twist, *(y for axis in made.axes for y in axis))]
        flat = [made.angle for made in self.moving] if self.system.dimension == 2 else []
        return {x.id for x in [*found, *flat]} & self.graph.told.keys()

    def slopes_of(self, node, space="displacement"):
        """Derivatives of a node by displacements, or twists, of each body that it depends on; None if it depends on more than bodies."""
        bodies = self._by_bodies(node, space)
        if bodies is None:
            return None
        own = {"displacement": lambda made: made.shifts, "twist": lambda made: made.twists}[space]
        return {made: [self.graph.derivative(node, x) for x in own(made)] for made in bodies}

    def gradient(self, node):
        """Derivatives of a node by the number of the coordinate."""
        slopes = self.slopes_of(node)
        if slopes is None:
            return super().gradient(node)
        return {i: x for i, x in enumerate(self.inwards(slopes)) if not x.zero}

    def time_derivative(self, node):
        """Node of the total time derivative of a node of coordinates and time."""
        slopes = None if self.graph.space("v").of(node) else self.slopes_of(node)
        if slopes is None:
            return super().time_derivative(node)
        total = self.graph.derivative(node, self.time)
        for made, own in slopes.items():
            total = total + dot(own, made.twist)
        return total

    def inwards(self, wrenches, within=None):
        """Generalized forces (n,) of wrenches by body, along coordinates of the bodies `within` alone if these are given."""
        zero = self.graph.const(0.0)
        found = [zero] * self.n
        for made, (force, about) in self.sums_of(wrenches, within):
            found[made.first : made.first + len(made.columns)] = walked(powers, made.columns, force, about)
        for made in wrenches if self._beside else ():
            if isinstance(made, Beside):
                (found[made.number],) = wrenches[made]
        return found

    def sums_of(self, wrenches, within=None):
        """Bodies, children first, with force and moment about the centre of all that acts on them and on what hangs on them."""
        d, totals = self.system.dimension, {made: list(x) for made, x in wrenches.items()}
        for made in reversed(self.moving):
            if made not in totals or (within is not None and made not in within):
                continue
            self.graph.mark()
            total = totals[made]
            force, about = total[:d], total[d:]
            yield made, (force, about)
            if (parent := made.parent).branch is not None:
                totals[parent] = walked(hand_on, force, about, made.centre, parent.centre, totals.get(parent))

    # ---- what elements write
    def _act(self, books, made, parts):
        """Add a force, with a moment behind it or not, to what acts on a body."""
        if made.shifts:
            if books is self.wrenches:
                self._acts.append((made, parts))
            total = books.setdefault(made, [self.graph.const(0.0)] * len(made.shifts))
            books[made] = [x + y for x, y in zip(total, [*parts, *[0.0] * (len(total) - len(parts))], strict=True)]
            self.generalized.added = True

    def force(self, point, *components):
        """Add a force at a point."""
        if (made := self.placed.get(point.body.name)) is None:
            super().force(point, *components)
        elif made.branch is not None:
            self._act(self.wrenches, made, [*components, *moment(self._arm(point), components)])

    def torque(self, body, *moment):
        """Add a torque on a body; in space its components in the inertial frame."""
        made = self.placed.get(body.name)
        if made is None or isinstance(body, PointMass):  # of a point mass it is refused
            super().torque(body, *moment)
        else:
            self._act(self.wrenches, made, [*[0.0] * self.system.dimension, *moment])

    def force_on(self, node, magnitude):
        """Add the generalized force `magnitude` that acts in the direction in which a node of the coordinates grows."""
        slopes = self.slopes_of(node)
        if slopes is None:
            return super().force_on(node, magnitude)
        for made, own in slopes.items():
            self._act(self.wrenches, made, times(magnitude, own))

    def force_along(self, velocity, force):
        """Add the forces whose power is their product with velocities."""
        if not self._act_along(self.wrenches, zip(force, velocity, strict=True)):
            super().force_along(velocity, force)
