"""Parts of a contact (law, friction, film, asperities, temperature, wear, liner) behind one protocol; and what they leave for each other.

A part is made of an argument of the contact, by which it is called; where two kinds are made of one argument, that which accepts it.  A
contact names its kinds of parts in the order in which they act (`Contact.kinds`); its numbers, its topology key, its forces and its
outputs are loops over them.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from flexmbd.errors import ModelError
from flexmbd.language.kernels import known_as


class Requirement(NamedTuple):
    """What a part asks of the contact's other arguments: one of `keys` at least (`needs`), or none of them (`excludes`)."""

    keys: tuple
    says: str  # with {key} of the argument that is too much
    remedy: str | None = None


class Part:
    """Base of parts: what is not written is nothing.

    Attributes
    ----------
    key : str
        Argument of the contact that the part is made of; its numbers begin with it.
    wanted, remedy : str
        What that argument must be, in words, and what to do where it is not.
    needs, excludes : tuple of Requirement
    """

    key: ClassVar[str]
    wanted: ClassVar[str] = ""
    remedy: ClassVar[str | None] = None
    needs: ClassVar[tuple] = ()
    excludes: ClassVar[tuple] = ()

    def __init__(self, given):
        self.given = given

    @classmethod
    def chosen(cls, joint):
        """The argument; a part that knows one for itself gives it where it is left out."""
        return getattr(joint, cls.key)

    @classmethod
    def accepts(cls, given):
        """True for an argument that this kind of part is made of: unless it says more, what has kernels."""
        return not isinstance(given, type) and callable(getattr(given, "kernels", None))

    def check(self, joint):
        """Raise what is wrong with the argument in this joint."""

    def numbers(self, joint):
        """Numbers that the contact gets, by key."""
        return {f"{self.key}.{k}": x for k, x in self.given.numbers().items()}

    def topology_key(self, joint):
        """What decides the code, hashable: name and kernels."""
        return (self.given.name, *(known_as(kernel) for kernel in self.given.kernels() if callable(kernel)))

    def remaining(self, joint, equations, normal, penetration, rate):
        """Node of what is left of the contact law's force beside this part."""
        return normal

    def apply(self, joint, equations, nodes):
        """Write forces, torques, powers, states; leave in `nodes` what later parts and outputs need."""

    def outputs(self, joint, equations, nodes):
        """Output name -> (function giving the node, unit)."""
        return {}


def part_of(contact, kind):
    """The part of a kind; None where its argument is left out, or makes a part of another kind."""
    given = getattr(contact, kind.key)
    if given is None or kind.accepts(given):
        return None if given is None else kind(given)
    if not any(other.accepts(given) for other in contact.kinds if other.key == kind.key):
        refuse(contact, f"{kind.key} is {given!r}; it must be {kind.wanted}", kind.remedy)
    return None


def check_parts(joint):
    """Choose the arguments of a clearance joint's parts, and refuse what is wrong with one, or with two of them together."""
    for kind in joint.kinds:
        object.__setattr__(joint, kind.key, kind.chosen(joint))
        part_of(joint, kind)
    for part in joint.parts:
        for rule in part.needs:
            if all(getattr(joint, key, None) is None for key in rule.keys):
                refuse(joint, rule.says, rule.remedy)
        part.check(joint)
        for rule in part.excludes:
            for key in rule.keys:
                if getattr(joint, key, None) is not None:
                    refuse(joint, rule.says.format(key=key), rule.remedy)


def refuse(contact, text, remedy=None):
    """Raise what is wrong with a contact."""
    raise ModelError(f"{contact.owner}: {text}", element=contact.name, remedy=remedy)


@dataclass(frozen=True)
class ContactNodes:
    """Nodes of one place of contact: force of the law, friction against the slip; `state` is None where no law's onset is located."""

    state: Any
    normal: Any
    friction: Any
    point: Any  # `flexmbd.contact.point`
    others: tuple = ()  # forces of a body that cannot be penetrated, along the velocities of sliding, rolling and pivoting

    def force(self):
        """On body a, N."""
        return self.point.force(self.normal, self.friction, self.others)

    def outputs(self, prefix, graph):
        """Of the place: forces, penetration, its rate, slip, contact, impacts."""
        state, point = self.state, self.point
        out = {"friction": (lambda: self.friction, "N"), "slip": (lambda: point.slip, "m/s")}
        if state is not None:
            out |= {"normal": (lambda: self.normal, "N"), "penetration": (lambda: point.penetration, "m")}
            out |= {
                "rate": (lambda: point.rate, "m/s"),
                "contact": (lambda: state.closed(graph), "1"),
                "impacts": (lambda: state.impacts, "1"),
            }
            out |= {"impact_velocity": (lambda: state.impact_velocity, "m/s")} | state.outputs(graph)
        return {f"{prefix}.{key}": entry for key, entry in out.items()}


@dataclass
class JointNodes:
    """What the parts of a contact leave for later parts and for outputs, as nodes; None where no part gives it.

    Attributes
    ----------
    touches : list of ContactNodes
        Places of contact.
    forces : list of functions
        Giving the force of each part on body a, N.
    load : Node or float
        What asperities carry, N: friction acts on it too.
    asperities, film : tuple of Node
        Forces on body a, N.
    roughness, gap : Node
        m; the gap is that of the mean surfaces where they are closest.
    film_share : Node
        Part of the film's force that acts.
    film_power, rubbed : Node
        All that the film takes up, and its friction's part of it, W.
    film_torque : tuple of Node
        On body a, N m.
    film_arguments : tuple of Node
        What the film's kernels are given.
    moment : Node
        In a guide: of all forces about point a, N m.
    """

    touches: list = field(default_factory=list)
    forces: list = field(default_factory=list)
    load: Any = 0.0
    asperities: Any = None
    roughness: Any = None
    gap: Any = None
    film: Any = None
    film_share: Any = None
    film_power: Any = None
    film_torque: Any = None
    film_arguments: Any = None
    rubbed: Any = 0.0
    moment: Any = None

    def add(self, touch):
        """A place of contact, with its force."""
        self.touches.append(touch)
        self.forces.append(touch.force)

    @property
    def force(self):
        """Force of all parts on body a, N."""
        return tuple(sum(parts) for parts in zip(*(force() for force in self.forces), strict=True))

    def friction_power(self, graph, more=0.0):
        """Node of what friction takes up at all places of contact, and `more`, W."""
        return graph.dot(((touch.friction, touch.point.slip) for touch in self.touches), more)

    def sums(self, name, graph, *keys):
        """Outputs that are sums over all places of contact, of those that these have."""
        each = [touch.outputs(name, graph) for touch in self.touches]
        names = [key for key in (f"{name}.{key}" for key in keys) if key in each[0]]
        return {key: (lambda key=key: sum((one[key][0]() for one in each), graph.const(0.0)), each[0][key][1]) for key in names}
