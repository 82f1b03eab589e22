"""`System`: what the user describes; nothing is computed here."""

import numpy as np

from flexmbd.bodies.rigid import Ground, Point, RigidBody
from flexmbd.errors import ModelError, check_number


class System:
    """A planar mechanism: bodies, joints, forces, contacts.

    Every number may be a float or an array over samples (shape ``(n,)``).

    Parameters
    ----------
    gravity : tuple
        Components in m/s².

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    """

    def __init__(self, gravity=(0.0, 0.0)):
        self.gravity = tuple(check_number("system", f"gravity[{i}]", g) for i, g in enumerate(gravity))
        self.ground = Ground()
        self.bodies, self.elements, self.aliases = [], [], {}

    def body(self, name, *, mass, inertia, position=(0.0, 0.0), angle=0.0, velocity=(0.0, 0.0), rate=0.0, points=None, offset=(0.0, 0.0)):
        """Add a rigid body.

        Parameters
        ----------
        mass, inertia : float or ndarray
            kg; kg m² about the centre of mass.
        position, angle, velocity, rate : numbers
            Guess (or values) at the start: of the body frame's origin in m and m/s, of its angle in rad and rad/s.
        points : mapping name -> (x, y), optional
            Named body-fixed points in m.
        offset : tuple
            Centre of mass in the body's frame, in m.

        Raises
        ------
        ModelError
            If a number is not finite, a mass or inertia not positive, or the name taken.
        """
        self._new_name(name)
        body = RigidBody(name, mass, inertia, position, angle, velocity, rate, offset)
        for key, (x, y) in (points or {}).items():
            body.at(x, y, key)
        self.bodies.append(body)
        return body

    def add(self, element):
        """Add a joint, drive, force or contact; returns it."""
        self._new_name(element.name)
        bodies = [self._body_of(element, end) for end in "ab" if hasattr(element, end)]
        if len(bodies) == 2 and bodies[0] is bodies[1]:
            raise ModelError(f"'{element.name}' joins body '{bodies[0].name}' to itself", element=element.name)
        for key, value in element.leaves().items():
            check_number(f"'{element.name}'", key, value)
        self.elements.append(element)
        return element

    def _body_of(self, element, key):
        """Body of an element's end `key`; checks that the end is what the element needs, and part of this system."""
        end, points = getattr(element, key), getattr(element, "ends", "points") == "points"
        if not isinstance(end, Point if points else (RigidBody, Ground)):
            wanted = "a point, like body['A'] or body.centre" if points else "a body, or the system's ground"
            raise ModelError(f"'{element.name}': {key} is {type(end).__name__}; it must be {wanted}", element=element.name)
        body = end.body if points else end
        if body is not self.ground and body not in self.bodies:
            raise ModelError(f"'{element.name}' is attached to body '{body.name}', which belongs to another system", element=element.name)
        return body

    def alias(self, name, output):
        """Give an output a second name, for instance ``alias("slider.v", "slider.vx")``."""
        self.aliases[name] = output

    def _new_name(self, name):
        if not name or not isinstance(name, str) or any(c in name for c in ":/ "):
            raise ModelError(f"name {name!r} cannot be used; names are text without ':', '/' and blanks")
        if name in ("ground", "energy", *(x.name for x in (*self.bodies, *self.elements))):
            raise ModelError(f"name '{name}' is given twice", element=name)

    def leaves(self):
        """All numbers as a list of (path, value), in the order of construction."""
        out = [("gravity.x", self.gravity[0]), ("gravity.y", self.gravity[1])]
        for owner in (*self.bodies, self.ground, *self.elements):
            prefix = owner.name if owner in (*self.bodies, self.ground) else f"@{owner.name}"
            out += [(f"{prefix}.{key}", value) for key, value in owner.leaves().items()]
        return [(path, float(v) if np.ndim(v) == 0 else np.asarray(v, float)) for path, v in out]

    def initial(self):
        """Guess of all coordinates and velocities: two lists of floats or arrays."""
        pairs = [body.initial() for body in self.bodies]
        return [x for q, _ in pairs for x in q], [x for _, v in pairs for x in v]

    def angles(self):
        """Guess of each body's angle (rad), by name."""
        return {body.name: body.angle for body in self.bodies}

    def structure(self):
        """Hashable description of the topology: what is joined to what, by which elements and laws."""

        def end(x):
            body = getattr(x, "body", x)
            return None if x is None else (getattr(body, "name", None), getattr(x, "key", None))

        elements = tuple(
            (type(e).__name__, e.name, end(getattr(e, "a", None)), end(getattr(e, "b", None)), e.structure()) for e in self.elements
        )
        return (tuple(b.name for b in self.bodies), elements, tuple(sorted(self.aliases.items())))
