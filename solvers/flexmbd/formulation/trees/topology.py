"""From a system to its tree: which joint carries which body, and which joints are cut."""

from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from itertools import count

from flexmbd.bodies.phasors import Phasors
from flexmbd.bodies.point_mass import PointMass
from flexmbd.bodies.rigid import RigidBody
from flexmbd.bodies.spatial import SpatialBody
from flexmbd.errors import ModelError
from flexmbd.formulation.trees.joints import PINNED, freedom_of
from flexmbd.joints.friction import JointFriction
from flexmbd.joints.ideal import Joint

RIGID = (RigidBody, SpatialBody, PointMass)


@dataclass(frozen=True)
class Branch:
    """A body and how it hangs in the tree.

    Attributes
    ----------
    number : int
        Parents come before their children.
    body : Body
    parent : Branch or None
        None: ground.
    joint : Joint or None
        By which it hangs on the parent; None for a body that is free to move against ground.
    outward : bool
        The body is the joint's b, not its a.
    freedom : Freedom
        How it moves against its parent.
    """

    number: int
    body: object
    parent: object
    joint: object
    outward: bool
    freedom: object

    @property
    def name(self):
        """Of what has its coordinates: the joint, or the body itself if it is free."""
        return self.body.name if self.joint is None else self.joint.name


@dataclass(frozen=True)
class Topology:
    """A system as a tree.

    Attributes
    ----------
    branches : list of Branch
        By number.
    cuts : list of Joint
        Those which would carry a body that another one carries, and close loops: their rows stay.
    rubbed : list of str
        Names of joints that could carry a body, but have friction: their rows stay.
    beside : list of Body
        Those that are not in the tree: what has coordinates of its own, and rigid bodies that elements need in natural coordinates.
    """

    branches: list = field(default_factory=list)
    cuts: list = field(default_factory=list)
    rubbed: list = field(default_factory=list)
    beside: list = field(default_factory=list)

    def of(self, body):
        """The branch of a body; None for ground."""
        return self._by_body.get(body.name)

    def notes(self):
        """What is notable, in words by key of a run's attributes."""
        told = []
        if self.cuts:
            told.append(f"loops are cut at {', '.join(joint.name for joint in self.cuts)}, whose rows stay")
        if self.rubbed:
            told.append(f"rows of {', '.join(self.rubbed)} stay for their friction")
        if names := [body.name for body in self.beside if body.named]:
            told.append(f"beside it are {', '.join(names)}, in coordinates of their own")
        return {"formulation.tree": "; ".join(told)} if told else {}

    def loop(self, joint):
        """Branches between a joint's ends: those of the loop that it closes if it is cut."""
        ways = []
        for end in (joint.a, joint.b):
            branch, way = self.of(end.body), {}
            while branch is not None:
                way[branch.number], branch = branch, branch.parent
            ways.append(way)
        return [branch for way, other in (ways, ways[::-1]) for number, branch in way.items() if number not in other]

    def by(self, element):
        """The branch whose body an element carries; None where it carries none."""
        return self._by_joint.get(element.name)

    @cached_property
    def _by_body(self):
        return {branch.body.name: branch for branch in self.branches}

    @cached_property
    def _by_joint(self):
        return {branch.joint.name: branch for branch in self.branches if branch.joint is not None}


def topology(system):
    """The `Topology` of a system.

    From ground outwards, by joints that leave few freedoms before those that leave many, and otherwise nearest to ground first: so loops
    are cut at what has fewest rows.  Bodies that no joint binds to ground are free, the first one in the order of the system, and what
    hangs together with it follows.  Joints with friction carry nothing: it is pressed by their multipliers.

    Raises
    ------
    ModelError
        If no body can be part of a tree.
    """
    rubbed, joints, numbers = {e.joint.name for e in system.elements if isinstance(e, JointFriction)}, {}, count()
    found = Topology(rubbed=sorted(rubbed), beside=_beside(system))
    beside = {body.name for body in found.beside}
    for joint in system.elements:
        free = not isinstance(joint, Joint) or joint.name in rubbed or not beside.isdisjoint((joint.a.body.name, joint.b.body.name))
        if not free and (freedom := freedom_of(joint)) is not None:
            for end in (joint.a, joint.b):
                joints.setdefault(end.body.name, []).append((freedom, joint))
    known, used = {system.ground.name: None}, set()

    def grow(start):
        heap = []

        def reach(name):
            for freedom, joint in joints.get(name, ()):
                heappush(heap, (len(freedom.measures), next(numbers), name, freedom, joint))

        reach(start)
        while heap:
            _, _, name, freedom, joint = heappop(heap)
            outward = joint.a.body.name == name
            body = joint.b.body if outward else joint.a.body
            if joint.name in used or body.name in known:
                continue
            used.add(joint.name)
            freedom = PINNED if isinstance(body, PointMass) else freedom
            known[body.name] = Branch(len(found.branches), body, known[name], joint, outward, freedom)
            found.branches.append(known[body.name])
            reach(body.name)

    grow(system.ground.name)
    for body in system.bodies:
        if isinstance(body, RIGID) and body.name not in known and body.name not in beside:
            known[body.name] = Branch(len(found.branches), body, None, None, True, freedom_of(body))
            found.branches.append(known[body.name])
            grow(body.name)
    found.cuts.extend({j.name: j for own in joints.values() for _, j in own if j.name not in used}.values())
    if system.bodies and not found.branches:
        body = system.bodies[0]
        told = f"formulation 'tree': '{body.name}' is a {type(body).__name__}, and no body is one that joints of a tree could carry"
        raise ModelError(told, element=body.name, remedy="take formulation 'natural'")
    return found


def _beside(system):
    """Bodies that keep coordinates of their own; gears need none where rows may be of any degree."""
    wanted = {body.name for element in system.elements for body in element.natural}
    return [body for body in system.bodies if not isinstance(body, (*RIGID, Phasors)) or body.name in wanted]
