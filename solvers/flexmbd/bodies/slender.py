"""What bodies made of elements along a line share: points by arc length."""

import numpy as np

from flexmbd.bodies.base import Body
from flexmbd.errors import ModelError, check_number


class Slender(Body):
    """Base of cables and beams.

    A subclass is a frozen dataclass with `name`, `kind` (what it is called), `length`, `elements` and `points`.
    """

    flexible = True

    @property
    def owner(self):
        """Its name for messages."""
        return f"{self.kind} '{self.name}'"

    def keep(self, key, value):
        """Set a field while the body is made."""
        object.__setattr__(self, key, value)

    def check_line(self, **counts):
        """Check length, elements and vectors, given as key = number of components."""
        self.keep("length", check_number(self.owner, "length", self.length, positive=True))
        if isinstance(self.elements, bool) or not isinstance(self.elements, (int, np.integer)) or self.elements < 1:
            raise ModelError(f"{self.owner}: elements is {self.elements!r}; it must be a whole number from 1", element=self.name)
        for key, count in counts.items():
            value = getattr(self, key)
            if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != count:
                wanted = {1: "one number", 2: "two numbers", 3: "three numbers"}[count]
                raise ModelError(f"{self.owner}: {key} is {value!r}; it must be {wanted}", element=self.name)
            self.keep(key, tuple(check_number(self.owner, f"{key}[{i}]", x) for i, x in enumerate(value)))

    said_by = "centre_line"

    @property
    def pose_size(self):
        """Its coordinates."""
        return self.coordinates

    def pose(self, equations):
        """Its coordinates."""
        return self.part(equations, equations.q)

    def seat(self, point, parameters, offset):
        """Place on the line."""
        along = point.x if point.node is not None else parameters[f"{self.name}.{point.key}.along"]
        return ((point.element + along) / self.elements,)

    @property
    def start(self):
        """The point at arc length 0."""
        return self.points["start"]

    @property
    def end(self):
        """The point at arc length `length`."""
        return self.points["end"]

    def element_at(self, s, what, spans=1):
        """Where an arc length of the undeformed line is.

        Parameters
        ----------
        s : float or ndarray
            Arc length, in m.
        what : str
            What is there, for messages.
        spans : int
            Distances between nodes in an element; what is next to a node is put on it.

        Returns
        -------
        float or ndarray
            Arc length, checked.
        int
            Number of the element.
        float or ndarray
            Place in it, from 0 to 1; one number if all samples have the same.
        """
        s = check_number(self.owner, f"arc length of a {what}", s)
        place = spans * self.elements * (s / self.length)
        if isinstance(place, float) and -1e-9 < place < spans * self.elements + 1e-9:  # of one number numpy takes ten times as long
            nearest = round(place)
            place = (nearest if abs(place - nearest) < 1e-9 else place) / spans
            element = min(int(place), self.elements - 1)
            return s, element, float(place - element)
        place = np.asarray(place, float)
        if not np.all((place > -1e-9) & (place < spans * self.elements + 1e-9)):
            message = f"{self.owner}: a {what} is at arc length {s!r}; it must be from 0 to the length {self.length!r}"
            raise ModelError(message, element=self.name)
        nearest = np.round(place)
        place = np.where(np.abs(place - nearest) < 1e-9, nearest, place) / spans
        element = int(min(np.min(np.floor(place)), self.elements - 1))
        if np.any(place < element) or np.any(place > element + 1):
            raise ModelError(f"{self.owner}: a {what} lies on different elements in different samples", element=self.name)
        x = place - element
        return s, element, float(x.flat[0]) if np.all(x == x.flat[0]) else x


def start_of(owner, given, more, shapes):
    """Take `initial` and `initial_velocity` out of a flexible body's options; what they replace must not be given as well."""
    nodes, rates = more.pop("initial", None), more.pop("initial_velocity", None)
    shape = next((key for key in shapes if (nodes if key == "initial" else more.get(key)) is not None), None)
    for key, value in given.items():
        moves = "velocit" in key or key == "rate"
        other = ("initial_velocity" if rates is not None else None) if moves else shape
        if value is not None and other is not None:
            raise ModelError(f"{owner}: {key} and {other} are both given; {other} says it in the inertial frame, so leave {key} out")
    return nodes, rates
