"""What is read of a system: its numbers, the guess of its start, what tells its topology."""

import numpy as np

from flexmbd.parameters import Matrix, Parameters
from flexmbd.space import axis_parameters


class Described:
    """Share of `System` that others read; it has `gravity`, `ground`, `bodies`, `elements`, `aliases`."""

    def parameters(self):
        """All numbers by path (`Parameters`), in the order of construction; those of elements begin with ``"@"``."""
        values, owners = list(axis_parameters("gravity", self.gravity).items()), {}
        for prefix, group in (("", (*self.bodies, self.ground)), ("@", self.elements)):
            for owner in group:
                for key, value in owner.parameters().items():
                    path = f"{prefix}{owner.name}.{key}"
                    owners[path] = owner, key
                    values.append((path, value))
        read = (
            (path, v if isinstance(v, Matrix) or type(v) is float else float(v) if np.ndim(v) == 0 else np.asarray(v, float))
            for path, v in values
        )
        return Parameters(read, owners)

    def initial(self):
        """Guess of all coordinates and velocities: two lists of floats or arrays."""
        pairs = [body.initial() for body in self.bodies]
        return [x for q, _ in pairs for x in q], [x for _, v in pairs for x in v]

    def angles(self):
        """Guess of each planar body's angle (rad), by name."""
        return {body.name: body.angle for body in self.bodies if hasattr(body, "angle")}

    def offsets(self):
        """Centres of mass in their bodies' frames, by name, where they are not the origin."""
        return {body.name: body.offset for body in self.bodies if np.any([np.any(x) for x in getattr(body, "offset", ())])}

    def start_levels(self):
        """How much each word of the bodies' start counts, by body and word (`Body.start_level`)."""
        return {(body.name, word): body.start_level(word) for body in self.bodies for words in body.words for word in words}

    def measures(self):
        """What each coordinate measures: "length" or "angle"."""
        return [measure for body in self.bodies for measure in body.measures]

    def topology_key(self):
        """Hashable description of the topology: what is joined to what, by which elements and laws."""

        def end(x):
            body = getattr(x, "body", x)
            return None if x is None else (getattr(body, "name", None), getattr(x, "key", None))

        elements = tuple(
            (type(e).__name__, e.name, end(getattr(e, "a", None)), end(getattr(e, "b", None)), e.topology_key()) for e in self.elements
        )
        return (tuple((b.name, *b.topology_key()) for b in self.bodies), elements, tuple(sorted(self.aliases.items())))
