"""Trees of rigid bodies as a table: what algorithms know of them, whatever joints they are made of.

Everything of a link is in its own frame (Featherstone 2008, Rigid Body Dynamics Algorithms, ch. 4): that of the joint by which it hangs on
its parent, fixed in the link.  Motions are six numbers, angular velocity and velocity of the frame's origin; forces moment about the origin
and force.  Numbers are nodes, plain numbers, or arrays over samples, in any mixture; what is the number 0 is never computed with, so that
axes of joints should be axes of their frames, and planar links (which turn about z and shift along x and y) cost what planar ones do.
"""

from dataclasses import dataclass
from functools import cached_property

GROUND = -1


@dataclass(frozen=True)
class Link:
    """A rigid body and the joint by which it hangs on its parent.

    Parameters
    ----------
    parent : int
        Number of the link that it hangs on, smaller than its own; `GROUND`.
    rotation : sequence (3) of sequence (3)
        Rows of the matrix R that turns vectors of the link's frame into the parent's.
    offset : sequence (3)
        Origin of the link's frame in the parent's, m.
    motion : sequence (d) of sequence (6)
        Columns of the joint's subspace S: the link moves against its parent with ``S v``, v being its d velocities.  They are independent,
        not necessarily orthonormal.  Six of them: a free body; none: one that is welded to its parent.  Ball joints have three, angular
        velocities about the axes of the link's frame, whatever coordinates say its attitude: of a quaternion p with ``w = E(p) p'`` the
        formulation gives the links w, and turns their accelerations into p'' (``E(p') p' = 0``, so without a further term).
    bias : sequence (6)
        ``S' v``, S' being the time derivative of S as seen in the link's frame; zeros where S is constant there.
    mass : number
        kg
    centre : sequence (3)
        Centre of mass, m.
    inertia : sequence (3) of sequence (3)
        Rows of the moments of inertia about the centre of mass, kg m².
    constraint : sequence (6 - d) of sequence (6), optional
        Columns of W, forces that do no work on the joint's motion (``W' S = 0``), of any size.  Found by `spatial.complement` where S is
        made of numbers alone, or of two angular velocities; asked for only by the constraint-force algorithm.
    """

    parent: int
    rotation: tuple
    offset: tuple
    motion: tuple
    bias: tuple
    mass: object
    centre: tuple
    inertia: tuple
    constraint: tuple | None = None

    @property
    def numbers(self):
        """Those that algorithms read of it without velocities."""
        return self.rotation, self.offset, self.motion, self.mass, self.centre, self.inertia


class Table:
    """Links in an order in which parents come before their children.

    Parameters
    ----------
    links : sequence of Link
    mark : callable, optional
        Called where the part of a link begins: a graph's `mark`.

    Attributes
    ----------
    first : list of int
        Number of each link's first velocity.
    n : int
        Velocities.
    children : list of list of int
        Of each link.
    """

    def __init__(self, links, mark=lambda: None):
        self.mark = mark
        self.links, self.first, self.n, self.children = tuple(links), [], 0, [[] for _ in links]
        for i, link in enumerate(self.links):
            if not GROUND <= link.parent < i:
                raise ValueError(f"link {i} hangs on link {link.parent}; it must be {GROUND} for ground, or a link before it")
            if link.parent != GROUND:
                self.children[link.parent].append(i)
            self.first.append(self.n)
            self.n += len(link.motion)

    def outwards(self):
        """Number and link of each, parents first; what follows each is a unit of its own."""
        for i, link in enumerate(self.links):
            self.mark()
            yield i, link

    def inwards(self):
        """The same, children first."""
        for i in reversed(range(len(self.links))):
            self.mark()
            yield i, self.links[i]

    def __len__(self):
        return len(self.links)

    def of(self, i, values):
        """Those of values by velocity that belong to a link."""
        return list(values[self.first[i] : self.first[i] + len(self.links[i].motion)])

    @cached_property
    def owner(self):
        """Link of each velocity."""
        return [i for i, link in enumerate(self.links) for _ in link.motion]

    def path(self, i):
        """A link and those that it hangs on, inwards."""
        while i != GROUND:
            yield i
            i = self.links[i].parent

    @cached_property
    def before(self):
        """By velocity the one before it on its path to ground: that of the same link, else the last of the next link that has any, else -1.

        The table of parents along which matrices of a tree are factored without fill.
        """
        found = []
        for i in self.owner:
            start, k = self.first[i], len(found)
            inner = (j for j in self.path(self.links[i].parent) if self.links[j].motion)
            last = next((self.first[j] + len(self.links[j].motion) - 1 for j in inner), -1)
            found.append(k - 1 if k > start else last)
        return found

    @property
    def depth(self):
        """Velocities on the longest path to ground."""
        found = []
        for k in self.before:
            found.append(1 if k < 0 else found[k] + 1)
        return max(found, default=0)
