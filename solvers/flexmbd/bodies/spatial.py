"""Spatial rigid body in natural coordinates: centre of mass and three directors (unit vectors fixed in the body).

With the directors d1, d2, d3 and the second moments of mass ``E = tr(J)/2 - J`` about the centre of mass, the kinetic energy is
``m/2 r'.r' + 1/2 sum_ij E_ij d_i'.d_j'``: a constant mass matrix (García de Jalón and Bayo 1994, ch. 4; Betsch and Steinmann 2001,
Int. J. Numer. Meth. Engng 51, 1007-1048).  Six rows keep the directors orthonormal.  A flat body has E with zeros, so its mass
matrix is singular; the rows are therefore weighted into the matrix before elimination (`Row.penalty`), which changes no solution.
"""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.bodies.base import Framed
from flexmbd.bodies.rotation import angles_of, quaternion_of, rotation_vector_of
from flexmbd.errors import ModelError, check_number
from flexmbd.frames import as_matrix
from flexmbd.language.quadratic import Row, cross3, dot
from flexmbd.space import AXES

INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True, eq=False)
class SpatialBody(Framed):
    """Rigid body in space; made by `System.body` of a spatial system.

    Parameters
    ----------
    mass : float or ndarray
        kg
    inertia : tuple
        Inertia about the centre of mass in the body's frame, in kg m²: (Jxx, Jyy, Jzz) or (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz), where the
        last three are entries of the tensor (minus the products of inertia).
    position, velocity : tuple
        Of the frame's origin, m and m/s.
    rotation
        Of the body's frame at the start: a rotation vector (rad) or a 3 x 3 matrix.
    angular_velocity : tuple
        Components in the inertial frame, rad/s.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> arm = s.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.3), rotation=(0.0, 0.0, 0.5), points={"tip": (0.4, 0.0, 0.0)})
    >>> e = fm.Equations(s)
    >>> [round(float(e.output(f"arm.tip.{axis}", e.initial()[0])), 4) for axis in "xyz"]  # m
    [0.351, 0.1918, 0.0]
    """

    name: str
    mass: object
    inertia: tuple
    position: tuple
    rotation: object
    velocity: tuple
    angular_velocity: tuple
    offset: tuple = (0.0, 0.0, 0.0)
    points: dict = field(default_factory=dict)

    dimension = 3
    measures = ("length",) * 3 + ("angle",) * 9

    def __post_init__(self):
        owner = f"body '{self.name}'"
        object.__setattr__(self, "mass", check_number(owner, "mass", self.mass, positive=True))
        for key in ("position", "velocity", "offset", "angular_velocity"):
            value = getattr(self, key)
            if isinstance(value, (int, float)) or len(value) != 3:
                raise ModelError(f"{owner}: {key} is {value!r}; it must be three numbers", element=self.name)
            object.__setattr__(self, key, tuple(check_number(owner, f"{key}[{i}]", x) for i, x in enumerate(value)))
        if isinstance(self.inertia, (int, float, np.ndarray)) or len(self.inertia) not in (3, 6):
            raise ModelError(f"{owner}: inertia is {self.inertia!r}; it must be three or six numbers", element=self.name)
        tensor = tuple(check_number(owner, f"inertia {key}", x) for key, x in zip(INERTIA, self.inertia, strict=False))
        object.__setattr__(self, "inertia", tensor)
        object.__setattr__(self, "rotation", as_matrix(owner, self.rotation))
        _check_tensor(self.name, owner, tensor)

    def parameters(self):
        """Numbers of the body by key."""
        moments = dict(zip((f"inertia.{key}" for key in INERTIA), self.inertia, strict=False))
        return {"mass": self.mass, **moments, **self.point_parameters()}

    def topology_key(self):
        """How many moments are given."""
        return (len(self.inertia),)

    def initial(self):
        """Guess of coordinates and velocities: two tuples of twelve numbers or arrays."""
        columns = [[self.rotation[i][k] for i in range(3)] for k in range(3)]
        arm = [sum(columns[k][i] * self.offset[k] for k in range(3)) for i in range(3)]
        w = self.angular_velocity
        place = [p + a for p, a in zip(self.position, arm, strict=True)]
        speed = [v + x for v, x in zip(self.velocity, cross3(w, arm), strict=True)]
        rates = [x for d in columns for x in cross3(w, d)]
        return (*place, *(x for d in columns for x in d)), (*speed, *rates)

    def start_in_words(self, q, v, offset=None):
        """Place and velocity of the frame's origin, directors and angular velocity."""
        axes, rates = q[3:].reshape(3, 3, -1), v[3:].reshape(3, 3, -1)
        w = 0.5 * np.cross(axes, rates, axis=1).sum(axis=0)
        arm = np.zeros_like(w) if offset is None else sum(x * d for x, d in zip(offset, axes, strict=True))
        velocity = v[:3] - np.cross(w, arm, axis=0)
        return {"position": (q[:3] - arm)[None], "rotation": axes, "velocity": velocity[None], "angular_velocity": w[None]}

    def carried(self, q0, v0, q, offset=None):
        """The angular velocity, and the velocity of the frame's origin, stay."""
        found, axes = self.start_in_words(q0, v0, offset), q[3:].reshape(3, 3, -1)
        w = found["angular_velocity"][0]
        arm = np.zeros_like(w) if offset is None else sum(x * d for x, d in zip(offset, axes, strict=True))
        rates = np.cross(w[None], axes, axis=1)
        return np.concatenate([found["velocity"][0] + np.cross(w, arm, axis=0), rates.reshape(9, -1)])

    def directors(self, equations):
        """The three unit vectors of the frame, as polynomials."""
        return tuple(tuple(self.variable(equations, 3 + 3 * k + i) for i in range(3)) for k in range(3))

    def direction(self, equations, *components):
        """A vector fixed in the body, in the inertial frame, as polynomials."""
        d = self.directors(equations)
        return tuple(sum(d[k][i] * c for k, c in enumerate(components)) for i in range(3))

    def _second_moments(self, equations):
        j = [equations.number(self, f"inertia.{key}") for key in INERTIA[: len(self.inertia)]]
        half = 0.5 * (j[0] + j[1] + j[2])
        out = {(k, k): half - j[k] for k in range(3)}
        for ik, x in zip(((0, 1), (0, 2), (1, 2)), j[3:], strict=False):
            out[ik] = -x
        return out, half

    def mass_matrix(self, equations):
        """Mass three times; second moments on the directors."""
        m = equations.number(self, "mass")
        out = {(i, i): m for i in range(3)}
        for (j, k), e in self._second_moments(equations)[0].items():
            out |= {(3 + 3 * j + i, 3 + 3 * k + i): e for i in range(3)}
        return out

    def rows(self, equations):
        """Orthonormal directors."""
        d, weight = self.directors(equations), self._second_moments(equations)[1]
        label = f"{self.name}.directors"
        unit = [Row((dot(d[k], d[k]) - 1.0) * 0.5, "angle", label, penalty=weight) for k in range(3)]
        return unit + [Row(dot(d[j], d[k]), "angle", label, penalty=weight) for j, k in ((0, 1), (0, 2), (1, 2))]

    def apply(self, equations):
        """Weight."""
        self.add_gravity(equations)

    def torque(self, equations, *moment):
        """Add a torque (components in the inertial frame): each director bears half its cross product."""
        i = equations.first[self.name]
        q = equations.q[i + 3 : i + 12]
        for k in range(3):
            for j, f in enumerate(cross3(moment, q[3 * k : 3 * k + 3])):
                at = i + 3 + 3 * k + j
                equations.generalized[at] = equations.generalized[at] + 0.5 * f

    def spin(self, equations):
        """Nodes of the angular velocity in the inertial frame: half the sum of d x d'."""
        q, v = self.part(equations, equations.q)[3:], self.part(equations, equations.v)[3:]
        parts = [cross3(q[3 * k : 3 * k + 3], v[3 * k : 3 * k + 3]) for k in range(3)]
        return tuple(0.5 * (parts[0][i] + parts[1][i] + parts[2][i]) for i in range(3))

    def wrench(self, equations, force):
        """Force and moment about the centre of mass of a generalized force on the twelve coordinates."""
        q = self.part(equations, equations.q)[3:]
        parts = [cross3(q[3 * k : 3 * k + 3], force[3 + 3 * k : 6 + 3 * k]) for k in range(3)]
        return (*force[:3], *(parts[0][i] + parts[1][i] + parts[2][i] for i in range(3)))

    def outputs(self, equations):
        """Output name -> (function giving the node, unit)."""
        name, out = self.name, {}
        for prefix, key, unit in (("", "q", "m"), ("v", "v", "m/s"), ("a", "a", "m/s^2")):
            for k, axis in enumerate(AXES):
                out[f"{name}.{prefix}{axis}"] = (lambda key=key, k=k: self.part(equations, getattr(equations, key))[k], unit)
        for k, axis in enumerate(AXES):
            out[f"{name}.omega_{axis}"] = (lambda k=k: self.spin(equations)[k], "rad/s")
            out[f"{name}.omega_{k + 1}"] = (lambda k=k: dot(self._director(equations, k), self.spin(equations)), "rad/s")
            for i, other in enumerate(AXES):
                out[f"{name}.d{k + 1}{other}"] = (lambda k=k, i=i: self._director(equations, k)[i], "1")
        for prefix, function, keys, unit in (
            ("quaternion_", quaternion_of, "0123", "1"),
            ("rotation_", rotation_vector_of, AXES, "rad"),
            ("cardan_", angles_of, AXES, "rad"),
        ):
            for k, key in enumerate(keys):
                out[f"{name}.{prefix}{key}"] = (lambda f=function, k=k: f(equations.graph, self._matrix(equations))[k], unit)
        return out

    def _director(self, equations, k):
        return self.part(equations, equations.q)[3 + 3 * k : 6 + 3 * k]

    def _matrix(self, equations):
        """Rotation matrix, row by row."""
        return [[self._director(equations, k)[i] for k in range(3)] for i in range(3)]


def _check_tensor(name, owner, tensor):
    """Raise `ModelError` for an inertia tensor that no body can have."""
    full = [np.asarray(x, float) for x in (*tensor, *(0.0,) * (6 - len(tensor)))]
    full = np.broadcast_arrays(*full)
    a, b, c, d, e, f = full
    matrix = np.stack([np.stack([a, d, e], -1), np.stack([d, b, f], -1), np.stack([e, f, c], -1)], -2).reshape(-1, 3, 3)
    moments = np.linalg.eigvalsh(matrix)
    sample = int(np.argmin(moments[:, 0]))
    if moments[sample, 0] <= 0:
        raise ModelError(f"{owner}: inertia has the principal moment {moments[sample, 0]:.4g}; all must be above zero", element=name)
    excess = moments[:, 2] - moments[:, 0] - moments[:, 1]
    sample = int(np.argmax(excess / moments[:, 2]))
    if excess[sample] > 1e-9 * moments[sample, 2]:
        values = ", ".join(f"{x:.4g}" for x in moments[sample])
        raise ModelError(
            f"{owner}: the principal moments of inertia are {values}; none can exceed the sum of the other two",
            element=name,
            remedy="give the tensor about the centre of mass",
        )
