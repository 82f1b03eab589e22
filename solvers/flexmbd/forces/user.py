"""Forces and torques that are plain functions of time, places and velocities."""

from dataclasses import dataclass, field
from typing import ClassVar

from flexmbd.errors import ModelError
from flexmbd.forces.coordinates import AboutAxis
from flexmbd.forces.loads import Force
from flexmbd.language.kernels import known_as
from flexmbd.language.tracing import traced
from flexmbd.motion import Motion, over
from flexmbd.space import AXES


class UserFunction(Force):
    """Base of what is given by a function: it is run once, on nodes of the graph, so its derivatives are known to every scheme.

    The function is written like a kernel: with numbers, arithmetic, ``for`` over a fixed range, and the words of `flexmbd.lanes` (`select`
    instead of ``if``). `numbers` are its further arguments by name, each one number or an array over the samples, or a `Motion`, such as a
    `Table`, which the function calls: ``curve(x)``.  A subclass has the fields `name`, `function` and `numbers`.
    """

    given: ClassVar[tuple] = ()  # what the function is called with before the numbers

    def __post_init__(self):
        plain = getattr(self.function, "py_func", self.function)
        code = getattr(plain, "__code__", None)
        if code is None:
            raise ModelError(f"'{self.name}': function is {self.function!r}; it must be a function made with def", element=self.name)
        has = code.co_varnames[: code.co_argcount]
        wanted = f"({', '.join((*self.given, *self.numbers))})"
        if len(has) < len(self.given) or set(has[len(self.given) :]) != set(self.numbers):
            remedy = "its first arguments are given, by whatever names; the others are those of `numbers`"
            told = f"'{self.name}': function '{plain.__name__}' has the arguments ({', '.join(has)}); they must be {wanted}"
            raise ModelError(told, element=self.name, remedy=remedy)
        object.__setattr__(self, "numbers", {key: self.numbers[key] for key in has[len(self.given) :]})

    def parameters(self):
        """The numbers, and those of motions."""
        motions = {f"{key}.{k}": y for key, x in self.numbers.items() if isinstance(x, Motion) for k, y in x.parameters().items()}
        return {key: x for key, x in self.numbers.items() if not isinstance(x, Motion)} | motions

    def topology_key(self):
        """The function, which numbers it takes, and the kinds of motions among them."""
        kinds = ((key, x.topology_key() if isinstance(x, Motion) else "number") for key, x in self.numbers.items())
        return (known_as(self.function), tuple(kinds))

    def _nodes(self, equations, *given):
        """Nodes of what the function gives, as a tuple."""
        found = traced(equations.graph, self.function, (*given, *(self._argument(equations, key, x) for key, x in self.numbers.items())))
        return tuple(equations.graph.const(x) for x in (found if isinstance(found, tuple) else (found,)))

    def _argument(self, equations, key, value):
        """Node of a number, or a function that gives those of a motion."""
        if not isinstance(value, Motion):
            return equations.number(self, key)
        return lambda x: over(value, equations, equations.graph.const(x), lambda k: equations.number(self, f"{key}.{k}"))


@dataclass(frozen=True, eq=False)
class UserLoad(UserFunction):
    """Base of loads on `b`, with their reaction on `a`, given by a function."""

    name: str
    a: object
    b: object
    function: object
    numbers: dict = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class UserForce(UserLoad):
    """Force in N on point `b`, with its reaction on point `a`: ``function(t, d, v, **numbers) -> (fx, fy)``, in space ``(fx, fy, fz)``.

    Parameters
    ----------
    name : str
    a, b : Point
    function : callable
        Of time in s, the vector from a to b in m and its rate in m/s, tuples in the inertial frame, and of the numbers.
    numbers : dict, optional
        Its further arguments by name.

    Raises
    ------
    ModelError
        Where the function has other arguments or another number of results, or decides by a value.

    Examples
    --------
    >>> import flexmbd as fm
    >>> def pull(t, d, v, k):
    ...     return -k * d[0], -k * d[1]
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> bob = s.point_mass("bob", mass=1.0, position=(0.0, -0.1))
    >>> band = s.add(fm.UserForce("band", s.ground.at(0.0, 0.0), bob.centre, pull, {"k": 100.0}))
    >>> round(float(fm.static(s)["bob.y"][-1]), 6)  # m
    -0.1
    """

    dimensions: ClassVar[tuple] = (2, 3)
    given: ClassVar[tuple] = ("t", "d", "v")

    def _force(self, equations):
        between = equations.between(self.a, self.b)
        velocity = equations.rates(between)
        force = self._nodes(equations, equations.time, equations.values(between), velocity)
        if len(force) != len(between):
            told = f"'{self.name}': the function gives {len(force)} number{'s' * (len(force) != 1)}; a force here has {len(between)}"
            raise ModelError(told, element=self.name)
        return force, velocity

    def apply(self, equations):
        """Both forces; their power counts as external."""
        force, velocity = self._force(equations)
        equations.force(self.b, *force)
        equations.force(self.a, *(-x for x in force))
        equations.power("external", equations.graph.dot(zip(force, velocity, strict=True)))

    def outputs(self, equations):
        """Components of the force on b."""
        axes = AXES[: equations.system.dimension]
        return {f"{self.name}.f{axis}": ((lambda k=k: self._force(equations)[0][k]), "N") for k, axis in enumerate(axes)}


@dataclass(frozen=True, eq=False)
class UserTorque(AboutAxis, UserLoad):
    """Torque in N m on body `b`, with its reaction on body `a`: ``function(t, angle, rate, **numbers) -> moment``.

    The angle counts full turns.  In space it is that about `axis`, which a joint keeps on b's body, and it is zero at the start; the
    moment acts about this axis.

    Parameters
    ----------
    name : str
    a, b : Body
    function : callable
        Of time in s, the angle of b against a in rad, its rate in rad/s, and of the numbers.
    numbers : dict, optional
        Its further arguments by name.
    axis : sequence of float, optional
        In space, and there only: a direction in a's frame.

    Raises
    ------
    ModelError
        As `UserForce`, and for an axis that is missing in space or given in the plane.

    Examples
    --------
    >>> import flexmbd as fm
    >>> def stiffening(t, angle, rate, k):
    ...     return -k * (angle + angle * angle * angle)
    >>> s = fm.System()
    >>> crank = s.body("crank", mass=1.0, inertia=0.1)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), crank.centre))
    >>> band = s.add(fm.UserTorque("band", s.ground, crank, stiffening, {"k": 10.0}))
    >>> load = s.add(fm.Torque("load", s.ground, crank, 20.0))
    >>> round(float(fm.static(s)["crank.angle"][-1]), 6)  # rad: a + a**3 = 2
    1.0
    """

    given: ClassVar[tuple] = ("t", "angle", "rate")

    axis: tuple = None

    def _moment(self, equations):
        angle, rate = self._relative.nodes(equations, self)
        moment = self._nodes(equations, equations.time, angle, rate)
        if len(moment) != 1:
            raise ModelError(f"'{self.name}': the function gives {len(moment)} numbers; a torque about an axis is one", element=self.name)
        return moment[0], rate

    def apply(self, equations):
        """Torque on both bodies; its power counts as external."""
        moment, rate = self._moment(equations)
        self._relative.act(equations, self, moment)
        equations.power("external", moment * rate)

    def outputs(self, equations):
        """The moment on b."""
        return {f"{self.name}.moment": (lambda: self._moment(equations)[0], "N m")}
