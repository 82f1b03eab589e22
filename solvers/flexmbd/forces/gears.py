"""Teeth in mesh as springs: any ratio, forces that go through the bearings, backlash if wanted.

With the angles f of two gears and of the carrier, the teeth are deflected by ``s = h (za (fa - fc) + zb (fb - fc) - const)`` along the
pitch circles, where ``h = d/|za + zb|`` is half the module, d the distance of the centres, and zb negative for a ring; a rack by
``s = u.(ra - rb) + r (fa - fb) - const``.  Along the line of action, at the pressure angle, that is ``x = s cos``; the force of the
teeth ``N = k x + c x'`` acts there at the pitch point, so its part along the centres presses the gears apart.
"""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_number, unit_vector
from flexmbd.forces.loads import Force
from flexmbd.language.quadratic import cross, dot
from flexmbd.space import axis_parameters

PRESSURE_ANGLE = np.radians(20.0)


class Mesh(Force):
    """Base of elastic teeth; a subclass gives `kinematics(equations)`."""

    def check(self):
        """Check the numbers of the teeth."""
        owner = f"mesh '{self.name}'"
        for key in ("stiffness", "damping", "pressure_angle", "backlash"):
            value = check_number(owner, key, getattr(self, key), positive=key == "stiffness")
            if np.any(np.less(value, 0.0)):
                raise ModelError(f"{owner}: {key} is {value!r}; it must be at least zero", element=self.name)
            object.__setattr__(self, key, value)
        if np.any(np.greater_equal(self.pressure_angle, 0.5 * np.pi)):
            raise ModelError(f"{owner}: pressure_angle is {self.pressure_angle!r}; it must be in rad and below pi/2", element=self.name)
        for end in (self.a, self.b):
            body = getattr(end, "body", None)
            if hasattr(body, "slope"):
                raise ModelError(f"{owner}: '{body.name}' is flexible; teeth are on rigid bodies or ground", element=self.name)

    def parameters(self):
        """Numbers of the teeth."""
        cosine, sine = np.cos(self.pressure_angle), np.sin(self.pressure_angle)
        return {"stiffness": self.stiffness, "damping": self.damping, "backlash": self.backlash, "cosine": cosine, "sine": sine}

    def topology_key(self):
        """Whether there is backlash."""
        return (isinstance(self.backlash, float) and self.backlash == 0.0,)

    def _deflected(self, equations):
        """Deflection beyond the play and its rate along the line of action, force of the teeth."""
        g = equations.graph
        k, c, cosine = (equations.number(self, key) for key in ("stiffness", "damping", "cosine"))
        slip, speed, *_ = self.kinematics(equations)
        x, rate = slip * cosine, speed * cosine
        if self.topology_key()[-1]:
            return x, rate, k * x + c * rate
        half = 0.5 * equations.number(self, "backlash")
        above, below = g.greater(x, half), g.greater(-x, half)
        x = g.select(above, x - half, g.select(below, x + half, 0.0))
        force = k * x + c * rate
        return x, rate, g.select(g.greater(force * x, 0.0), force, 0.0)

    def apply(self, equations):
        """The force at the pitch point on both bodies."""
        g = equations.graph
        x, rate, force = self._deflected(equations)
        _, _, along, across, arm_a, arm_b = self.kinematics(equations)
        pull, push = force * equations.number(self, "cosine"), g.fabs(force) * equations.number(self, "sine")
        on_a = [-(pull * t + push * n) for t, n in zip(along, across, strict=True)]
        for end, arm, sign in ((self.a, arm_a, 1.0), (self.b, arm_b, -1.0)):
            own = [sign * f for f in on_a]
            equations.force(end, *own)
            equations.torque(end.body, cross(arm, own))
        elastic = equations.number(self, "stiffness") * x
        equations.potential(0.5 * elastic * x)
        equations.power("dissipated", (force - elastic) * rate)

    def outputs(self, equations):
        """Force of the teeth and their deflection, along the line of action."""
        return {
            f"{self.name}.force": (lambda: self._deflected(equations)[2], "N"),
            f"{self.name}.deflection": (lambda: self._deflected(equations)[0], "m"),
        }


@dataclass(frozen=True, eq=False)
class GearMesh(Mesh):
    """Two gears with elastic teeth, whose centres ideal joints keep on a carrier; unloaded at the start.

    Without that the work of the force along the centres would be missing in the energy balance.  `Gear` is the same without deflection.

    Parameters
    ----------
    a, b : Point
        Centres of the gears; with `internal` b is that of the ring.
    teeth : tuple
        Numbers of teeth, or pitch radii: only their ratio matters. Pitch radii follow from the distance of the centres.
    stiffness, damping : float or ndarray
        Of the mesh along the line of action, N/m and N s/m.  Steel has 1e10 to 2e10 N/m per metre of face width (ISO 6336-1: 14 to
        20 N/(mm um)).
    pressure_angle : float or ndarray
        rad; 20 degrees unless said.
    backlash : float or ndarray
        Play along the line of action, m; the teeth stand in its middle at the start.  A damped force jumps where they touch.
    carrier : RigidBody, optional
        The body that holds both centres; ground if left out.
    internal : bool
        b is a ring with teeth inside.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> wheel = s.body("wheel", mass=1.0, inertia=0.02)
    >>> pinion = s.body("pinion", mass=0.3, inertia=0.002, position=(0.3, 0.0))
    >>> axles = s.add(fm.Revolute("A", s.ground.at(0.0, 0.0), wheel.centre)), s.add(fm.Revolute("B", s.ground.at(0.3, 0.0), pinion.centre))
    >>> mesh = s.add(fm.GearMesh("mesh", wheel.centre, pinion.centre, (40, 20), stiffness=1e7))
    >>> e = fm.Equations(s)
    >>> e.n - e.count  # elastic teeth bind nothing
    2
    """

    name: str
    a: object
    b: object
    teeth: tuple
    stiffness: object
    damping: object = 0.0
    pressure_angle: object = PRESSURE_ANGLE
    backlash: object = 0.0
    carrier: object = None
    internal: bool = False

    def __post_init__(self):
        self.check()
        owner = f"mesh '{self.name}'"
        if not isinstance(self.teeth, (tuple, list)) or len(self.teeth) != 2:
            raise ModelError(f"{owner}: teeth is {self.teeth!r}; it must be two numbers", element=self.name)
        za, zb = (check_number(owner, f"teeth[{k}]", z, positive=True) for k, z in enumerate(self.teeth))
        if self.internal and not np.all(np.greater(zb, za)):
            raise ModelError(f"{owner}: teeth is {self.teeth!r}; the ring is b, which must have more teeth than a", element=self.name)
        object.__setattr__(self, "teeth", (za, zb))

    @property
    def others(self):
        """Bodies besides those of a and b, by key."""
        return {} if self.carrier is None else {"carrier": self.carrier}

    def parameters(self):
        """Numbers of the teeth, and the sum of turned teeth at the start."""
        za, zb = self.teeth
        fa, fb, fc = (_angle(body) for body in (self.a.body, self.b.body, self.carrier))
        phase = za * (fa - fc) + (-zb if self.internal else zb) * (fb - fc)
        return {"teeth.a": za, "teeth.b": zb, "phase": phase, **super().parameters()}

    def topology_key(self):
        """Kind and carrier, and whether there is backlash."""
        return (self.internal, None if self.carrier is None else self.carrier.name, *super().topology_key())

    def kinematics(self, equations):
        """Deflection along the pitch circles and its rate; direction of a's teeth there, from a's centre to them; arms of a and b."""
        g = equations.graph
        za, zb = equations.number(self, "teeth.a"), equations.number(self, "teeth.b")
        zb, total, way = (-zb, zb - za, -1.0) if self.internal else (zb, za + zb, 1.0)
        d = equations.values(equations.between(self.a, self.b))
        size = g.length(d, 1e-30)
        half, (nx, ny) = size / total, (way * x / size for x in d)
        turns = [(self.a.body, za), (self.b.body, zb)]
        angle, spin = g.dot((z, equations.angle(body)) for body, z in turns), g.dot((z, equations.spin(body)) for body, z in turns)
        if self.carrier is not None:
            angle, spin = (x - (za + zb) * y for x, y in ((angle, equations.angle(self.carrier)), (spin, equations.spin(self.carrier))))
        arm_a, arm_b = ([half * z * x for x in (nx, ny)] for z in (za, -zb))
        return half * (angle - equations.number(self, "phase")), half * spin, (-ny, nx), (nx, ny), arm_a, arm_b


@dataclass(frozen=True, eq=False)
class Rack(Mesh):
    """A gear with centre `a` in mesh with a rack whose pitch line goes through point `b`; unloaded at the start.

    The gear lies to the left of the pitch line, looking along `axis`, and ideal joints keep its centre at a distance of `radius` from
    it.  `RackPinion` is the same without deflection.

    Parameters
    ----------
    a, b : Point
        Centre of the gear; point of the rack's pitch line.
    radius : float or ndarray
        Pitch radius of the gear, m.
    axis : tuple
        Direction of the pitch line in the frame of b's body.
    stiffness, damping, pressure_angle, backlash
        See `GearMesh`.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> wheel = s.body("wheel", mass=1.0, inertia=0.02, position=(0.0, 0.2))
    >>> rack = s.body("rack", mass=1.0, inertia=0.1)
    >>> axle = s.add(fm.Revolute("axle", s.ground.at(0.0, 0.2), wheel.centre))
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), rack.centre))
    >>> mesh = s.add(fm.Rack("mesh", wheel.centre, rack.centre, 0.2, stiffness=1e7))
    >>> e = fm.Equations(s)
    >>> e.n - e.count  # elastic teeth bind nothing
    2
    """

    name: str
    a: object
    b: object
    radius: object
    stiffness: object
    damping: object = 0.0
    pressure_angle: object = PRESSURE_ANGLE
    backlash: object = 0.0
    axis: tuple = (1.0, 0.0)

    def __post_init__(self):
        self.check()
        owner = f"mesh '{self.name}'"
        object.__setattr__(self, "radius", check_number(owner, "radius", self.radius, positive=True))
        object.__setattr__(self, "axis", unit_vector(owner, "axis", self.axis))

    def parameters(self):
        """Numbers of the teeth, radius, axis, and what is rolled off at the start."""
        angle, (x, y) = _angle(self.b.body), self.axis
        c, s = np.cos(angle), np.sin(angle)
        ax, ay = (p - q for p, q in zip(self.a.place_at_start(), self.b.place_at_start(), strict=True))
        phase = (c * x - s * y) * ax + (s * x + c * y) * ay + self.radius * (_angle(self.a.body) - angle)
        return {"radius": self.radius, "phase": phase, **axis_parameters("axis", self.axis), **super().parameters()}

    def kinematics(self, equations):
        """Deflection along the pitch line and its rate; direction of the rack, from the gear's centre to it; arms of a and b."""
        radius = equations.number(self, "radius")
        axis = equations.direction(self.b.body, equations.number(self, "axis.x"), equations.number(self, "axis.y"))
        apart = equations.between(self.b, self.a)
        (ux, uy), (along, height) = equations.values(axis), equations.values((dot(axis, apart), cross(axis, apart)))
        turned = equations.angle(self.a.body) - equations.angle(self.b.body)
        spin = equations.spin(self.a.body) - equations.spin(self.b.body)
        (rate,) = equations.rates((dot(axis, apart),))
        nx, ny = uy, -ux
        arm_a = [radius * x for x in (nx, ny)]
        arm_b = [along * t + (radius - height) * n for t, n in zip((ux, uy), (nx, ny), strict=True)]
        return along + radius * turned - equations.number(self, "phase"), rate + radius * spin, (ux, uy), (nx, ny), arm_a, arm_b


def _angle(body):
    """Angle at the start; zero of ground."""
    return getattr(body, "angle", 0.0)
