"""Springs and dampers by characteristics: tables, splines, polynomials."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import ModelError, check_number
from flexmbd.forces.coordinates import AboutAxis
from flexmbd.forces.loads import Force
from flexmbd.forces.springs import line
from flexmbd.lanes import minimum
from flexmbd.language.tracing import traced
from flexmbd.motion import Motion, Polynomial, integral_over, over
from flexmbd.table import Table

NEAR = 1e-6  # of a table's width: a run that could not leave it ends as near


@dataclass(frozen=True, eq=False)
class NonlinearSpringDamper(Force):
    """Base: a characteristic over elongation or twist (key `load`), one over its rate, and the unloaded state (key `free`)."""

    load: ClassVar[str]
    free: ClassVar[str]

    name: str
    a: object
    b: object

    def __post_init__(self):
        owner = f"spring '{self.name}'"
        object.__setattr__(self, self.free, check_number(owner, self.free, getattr(self, self.free)))
        if not isinstance(self.damping, Motion):
            object.__setattr__(self, "damping", Polynomial((0.0, check_number(owner, "damping", self.damping))))
        if not isinstance(getattr(self, self.load), Motion):
            wanted = "a Table or a Polynomial"
            raise ModelError(f"{owner}: {self.load} is {getattr(self, self.load)!r}; it must be {wanted}", element=self.name)

    def parameters(self):
        """Numbers of both characteristics, and the unloaded length or angle."""
        curves = {f"{key}.{k}": x for key in (self.load, "damping") for k, x in getattr(self, key).parameters().items()}
        return {self.free: getattr(self, self.free), **curves}

    def topology_key(self):
        """Kinds of both characteristics."""
        return (getattr(self, self.load).topology_key(), self.damping.topology_key())

    @property
    def _ends(self):
        """True if there is a table that must not be left."""
        curve = getattr(self, self.load)
        return isinstance(curve, Table) and curve.beyond == "error"

    @property
    def failure_indicator(self):
        """Output by which `failure_message` knows why a run failed; None where nothing ends."""
        return f"{self.name}.room:min" if self._ends else None

    def failure_message(self, room):
        """Sentence on a run that failed, by the least way to the table's ends; empty if that was not the reason."""
        if not room < NEAR:
            return ""
        return f"spring '{self.name}' came to an end of its table, which it must not leave (beyond = 'error')"

    def _room(self, equations, x):
        """Output of the way to the nearer end of the table, by its width."""
        if not self._ends:
            return {}

        def room():
            low, high = (equations.number(self, f"{self.load}.{key}") for key in ("first", "last"))
            return traced(equations.graph, minimum, (x() - low, high - x())) / (high - low)

        return {f"{self.name}.room": (room, "1")}

    def _curve(self, equations, key, x, of=over):
        return of(getattr(self, key), equations, x, lambda k: equations.number(self, f"{key}.{k}"))

    def _pull(self, equations, stretch, rate):
        """Nodes of elastic and damping force or moment."""
        return self._curve(equations, self.load, stretch), self._curve(equations, "damping", rate)

    def _booked(self, equations, stretch, rate):
        """Node of the whole force or moment; its energy and its loss go into the books."""
        elastic, damping = self._pull(equations, stretch, rate)
        equations.potential(self._curve(equations, self.load, stretch, integral_over))
        equations.power("dissipated", damping * rate)
        return elastic + damping


@dataclass(frozen=True, eq=False)
class NonlinearSpring(NonlinearSpringDamper):
    """Spring and damper between points `a` and `b` by characteristics; both forces act along the line of the points.

    Parameters
    ----------
    force : Table or Polynomial
        Tension in N over the elongation in m; a sum of them.
    damping : Motion or float or ndarray
        Tension in N over the rate of the length in m/s, with the sign of the rate; or a number in N s/m.
    length : float or ndarray
        Without load, m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> bob = s.point_mass("bob", mass=2.0, position=(0.0, -0.5))
    >>> curve = fm.Table((-1.0, 0.0, 0.1, 1.0), (-2000.0, 0.0, 10.0, 1000.0))  # N over m of extension: it stiffens
    >>> spring = s.add(fm.NonlinearSpring("spring", s.ground.at(0.0, 0.0), bob.centre, curve, length=0.4))
    >>> round(float(fm.static(s)["spring.force"][-1]), 6)  # N
    20.0
    """

    dimensions: ClassVar[tuple] = (2, 3)
    load: ClassVar[str] = "force"
    free: ClassVar[str] = "length"

    force: object = None
    damping: object = 0.0
    length: object = 0.0

    def _elongation(self, equations):
        length, rate, n = line(equations, self.a, self.b)
        return length - equations.number(self, "length"), rate, n

    def apply(self, equations):
        """Forces along the line of the points."""
        stretch, rate, n = self._elongation(equations)
        tension = self._booked(equations, stretch, rate)
        equations.force(self.a, *(tension * x for x in n))
        equations.force(self.b, *(-(tension * x) for x in n))

    def outputs(self, equations):
        """Force (tension positive) and elongation."""
        return {
            f"{self.name}.force": (lambda: sum(self._pull(equations, *self._elongation(equations)[:2])), "N"),
            f"{self.name}.elongation": (lambda: self._elongation(equations)[0], "m"),
            **self._room(equations, lambda: self._elongation(equations)[0]),
        }


@dataclass(frozen=True, eq=False)
class NonlinearTorsionSpring(AboutAxis, NonlinearSpringDamper):
    """Torsion spring and damper between bodies `a` and `b` by characteristics; the relative angle counts full turns.

    In space it is the angle about `axis`, a direction in a's frame which a joint keeps on b's body, and it is zero at the start.

    Parameters
    ----------
    moment : Table or Polynomial
        Against the twist of b, in N m over rad; a sum of them.
    damping : Motion or float or ndarray
        Against the twist's rate, in N m over rad/s, with the sign of the rate; or a number in N m s/rad.
    angle : float or ndarray
        Without load, rad.
    axis : sequence of float, optional
        In space, and there only.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> crank = s.body("crank", mass=1.0, inertia=0.1)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), crank.centre))
    >>> spring = s.add(fm.NonlinearTorsionSpring("spring", s.ground, crank, fm.Table((-1.0, 0.0, 1.0), (-20.0, 0.0, 5.0))))
    >>> load = s.add(fm.Torque("load", s.ground, crank, 2.0))
    >>> round(float(fm.static(s)["crank.angle"][-1]), 6)  # rad
    0.4
    """

    load: ClassVar[str] = "moment"
    free: ClassVar[str] = "angle"

    moment: object = None
    damping: object = 0.0
    angle: object = 0.0
    axis: tuple = None

    def apply(self, equations):
        """Torque on both bodies."""
        self._relative.act(equations, self, -self._booked(equations, *self._twist(equations)))

    def outputs(self, equations):
        """Moment and twist."""
        return {
            f"{self.name}.moment": (lambda: sum(self._pull(equations, *self._twist(equations))), "N m"),
            f"{self.name}.twist": (lambda: self._twist(equations)[0], "rad"),
            **self._room(equations, lambda: self._twist(equations)[0]),
        }
