"""Contact of ANCF cables with each other along a line of potential contact points."""

from dataclasses import dataclass

import numpy as np

from flexmbd.contact.parts import refuse
from flexmbd.contact.point import free_point, turning, unit
from flexmbd.contact.points import FreeContact
from flexmbd.lanes import kernel, maximum, minimum
from flexmbd.language.quadratic import cross, cross3, dot
from flexmbd.table import segment

SAFE, EXACT = 3, 5  # steps to the closest point: with a slope that cannot vanish, then Newton's


@kernel
def away_from(x, p, c, a, b):
    """Half the slope of the squared distance at x, its own slope in two parts (tangent, bend), and the squared distance."""
    na, nb, da, db = x * (1.0 + x * (x - 2.0)), x * x * (x - 1.0), 1.0 + x * (3.0 * x - 4.0), x * (3.0 * x - 2.0)
    f, tangent, bend, squared = 0.0 * x, 0.0 * x, 0.0 * x, 0.0 * x
    for i in range(3):
        d, e = a[i] - c[i], b[i] - c[i]
        r, t = x * c[i] + na * d + nb * e - p[i], c[i] + da * d + db * e
        f, tangent = f + r * t, tangent + t * t
        bend, squared = bend + r * ((6.0 * x - 4.0) * d + (6.0 * x - 2.0) * e), squared + r * r
    return f, tangent, bend, squared


@kernel
def closest(p, c, a, b):
    """Point of a cubic that is closest to p, by chord and slopes, in lengths of the element: place from 0 to 1, squared distance.

    From the foot on the chord, at first by steps that cannot lead away, then by Newton's method.
    """
    size = maximum(c[0] * c[0] + c[1] * c[1] + c[2] * c[2], 1e-300)
    x = minimum(maximum((p[0] * c[0] + p[1] * c[1] + p[2] * c[2]) / size, 0.0), 1.0)
    for _ in range(SAFE):
        f, tangent, bend, squared = away_from(x, p, c, a, b)
        x = minimum(maximum(x - f / maximum(tangent + maximum(bend, 0.0), 1e-300), 0.0), 1.0)
    for _ in range(EXACT):
        f, tangent, bend, squared = away_from(x, p, c, a, b)
        x = minimum(maximum(x - f / maximum(tangent + bend, 0.1 * tangent), 0.0), 1.0)
    f, tangent, bend, squared = away_from(x, p, c, a, b)
    return x, squared


@dataclass(frozen=True, eq=False)
class CableContact(FreeContact):
    """Potential contact points along cable `a`, each against the nearest point of the centre line of cable `b`.

    Both are round, of radii `radius_a` and `radius_b`.  The nearest point is found on each element of b and improved by a step in the
    equations, so that its motion along b is in their derivatives.  In the plane forces balance to rounding; in space a cable takes no
    torque about its tangent, so friction leaves a torque of friction times radius about it out.  A crossing between two potential points,
    or an end of b there, is not seen.  The distance has no sign: in a step a point must not come to the other side of b's centre line.

    Parameters
    ----------
    name : str
    a, b : Point
        Any points of two cables, such as ``cable.start``.
    radius_a, radius_b : float or ndarray
        m
    law : NormalLaw or Impenetrable
    friction : FrictionLaw, optional
        None is frictionless; of an `Impenetrable` its own.
    points : int
        Potential contact points on each element of a, evenly spaced; both ends of the cable are among them.
    minimum_impact_velocity : float, optional
        Lower bound of the approach speed that the law is given, m/s.

    Raises
    ------
    ModelError
        If a or b is not on a cable, both are on the same one, or a number is out of range.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> wire = {"length": 1.0, "elements": 2, "section": fm.Section.circle(0.01), "material": fm.material("steel")}
    >>> upper = s.cable("upper", position=(-0.5, 0.0, 0.03), direction=(1.0, 0.0, 0.0), **wire)
    >>> lower = s.cable("lower", position=(0.0, -0.5, 0.0), direction=(0.0, 1.0, 0.0), **wire)
    >>> cross = s.add(fm.CableContact("cross", upper.at(0.5), lower.at(0.5), 0.01, 0.01, fm.Hertz(1e8)))
    >>> sorted(name for name in fm.output_units(s) if name.startswith("cross."))[:3]
    ['cross.1.contact', 'cross.1.friction', 'cross.1.impact_velocity']
    """

    name: str
    a: object
    b: object
    radius_a: object
    radius_b: object
    law: object
    friction: object = None
    points: int = 2
    minimum_impact_velocity: object = None

    def __post_init__(self):
        self.positive("radius_a", "radius_b")
        for key in "ab":
            body = getattr(getattr(self, key), "body", None)
            if body is not None and getattr(body, "kind", "") != "cable":
                refuse(self, f"{key} is on '{body.name}', which is no cable", "contact of lines is between two cables")
        if isinstance(self.points, bool) or not isinstance(self.points, (int, np.integer)) or self.points < 1:
            refuse(self, f"points is {self.points!r}; it must be a whole number above zero, of potential contact points an element")
        self.check_friction()
        first, second = (getattr(getattr(self, key), "body", None) for key in "ab")
        if first is None or second is None:
            return  # refused by `System.add`
        if first is second:
            refuse(self, f"a and b are both on '{first.name}'", "give points of two cables; one cable against itself is not treated")
        count = first.elements * self.points
        object.__setattr__(self, "spread", [first.at(first.length * (k / count)) for k in range(count + 1)])

    def sizes(self):
        """Both radii."""
        return {"radius_a": self.radius_a, "radius_b": self.radius_b}

    def topology_key(self):
        """How many points."""
        return (*super().topology_key(), self.points)

    def contact_points(self, equations):
        """Of each potential point its depth, and the velocity of a's surface against b's."""
        g, ra, rb = equations.graph, equations.number(self, "radius_a"), equations.number(self, "radius_b")
        found = []
        for point in self.spread:
            p, v = equations.values(equations.place(point)), equations.velocity(point)
            foot, speed, spin_b = self._foot(equations, p)
            distance, normal = unit(g, [x - y for x, y in zip(p, foot, strict=True)])
            share = distance / (ra + rb)  # one point of contact for both, whatever the depth: else a turn of all would rub
            spin_a = point.body.section_spin(equations, point)
            around = [self._turning(s, [k * n for n in normal]) for s, k in ((spin_a, -(ra * share)), (spin_b, rb * share))]
            velocity = [x + s - y - t for x, s, y, t in zip(v, around[0], speed, around[1], strict=True)]
            found.append(free_point(equations, ra + rb - distance, tuple(normal), tuple(velocity)))
        return found

    @staticmethod
    def _turning(spin, arm):
        return turning(spin[0] if len(spin) == 1 else spin, arm)

    def _foot(self, equations, p):
        """Nearest point of cable b to p: place, velocity, spin of its section."""
        g, cable, d = equations.graph, self.b.body, self.b.body.dimension
        le, first = equations.number(cable, "length") * (1.0 / cable.elements), equations.first[cable.name]
        rest, best = [g.const(0.0)] * (3 - d), None
        rows, fixed = [], {(0, 0): g.const(0.0), (1, 0): g.const(0.0)}  # derivatives of the kernel are left out
        for e in range(cable.elements):
            own = slice(first + 2 * d * e, first + 2 * d * (e + 2))
            q = equations.q[own]
            rows.append([float(e), *q, *equations.v[own]])
            chord = [(y - x) / le for x, y in zip(q[:d], q[2 * d : 3 * d], strict=True)] + rest
            away = [(y - x) / le for x, y in zip(q[:d], p, strict=True)] + rest
            arguments = tuple(away), tuple(chord), (*q[d : 2 * d], *rest), (*q[3 * d :], *rest)
            x, squared = g.call(closest, arguments, 2, lambda _: fixed)
            x = x + float(e)
            if best is None:
                best = x, squared
            else:
                nearer = g.greater(best[1], squared)
                best = g.select(nearer, x, best[0]), g.select(nearer, squared, best[1])
        start, *own = segment(g, best[0], rows)
        x, q, v = best[0] - start, own[: 4 * d], own[4 * d :]
        # what the kernel leaves out: how its result changes, by a step that is zero
        r, slope, bend = (self._line(g, q, le, x, level) for level in range(3))
        off = [y - z for y, z in zip(r, p, strict=True)]
        inside = g.both(g.greater(best[0], 1e-12), g.greater(float(cable.elements) - 1e-12, best[0]))
        tangent = dot(slope, slope)
        steep = tangent + dot(off, bend)
        steep = g.select(g.greater(steep, 0.1 * tangent), steep, 0.1 * tangent)  # zero at the centre of curvature; as in the kernel
        x = x - g.select(inside, dot(off, slope) / (le * steep), 0.0)
        r, slope = self._line(g, q, le, x, 0), self._line(g, q, le, x, 1)
        speed, turn = self._line(g, v, le, x, 0), self._line(g, v, le, x, 1)
        inverse = 1.0 / dot(slope, slope)
        spin = (cross(slope, turn),) if d == 2 else cross3(slope, turn)
        return r, speed, [s * inverse for s in spin]

    @staticmethod
    def _line(g, q, le, x, level):
        """Place, slope or curvature at x from 0 to 1 of an element."""
        y, d = 1.0 - x, len(q) // 4
        shapes = (
            (y * y * (1.0 + 2.0 * x), le * (x * y * y), x * x * (3.0 - 2.0 * x), -(le * (x * x * y))),
            (-(6.0 / le * (x * y)), 1.0 + x * (3.0 * x - 4.0), 6.0 / le * (x * y), x * (3.0 * x - 2.0)),
            ((12.0 * x - 6.0) / (le * le), (6.0 * x - 4.0) / le, (6.0 - 12.0 * x) / (le * le), (6.0 * x - 2.0) / le),
        )[level]
        return [g.dot((f, q[d * k + i]) for k, f in enumerate(shapes)) for i in range(d)]
