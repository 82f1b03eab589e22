"""Bushing: a spring and damper of six components between two frames."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError, check_number, unit_vector
from flexmbd.forces.loads import Force
from flexmbd.frames import at_start, in_inertial, node_axis
from flexmbd.language.quadratic import cross3, dot
from flexmbd.language.tracing import atan2
from flexmbd.space import AXES, axis_parameters

SMALL = 1e-3  # square of the sine of an angle below which angle/sine is its series
SERIES = 1.0, 1.0 / 6.0, 3.0 / 40.0, 5.0 / 112.0, 35.0 / 1152.0, 63.0 / 2816.0  # of asin(s)/s in s²


@dataclass(frozen=True, eq=False)
class Bushing(Force):
    """Elastic and damped connection of a frame at point `a` and one at point `b`, without load at the start.

    The deflection is ``x = (d, p)``: d the place of b in a's frame less that of the start, p the rotation vector of b's frame against
    a's, which must stay below half a turn.  The energy is ``x.K x/2``, the loss ``x'.C x'``.  Forces follow by virtual work, so energy and
    momenta are exact at any size; moments are those conjugate to p.

    Parameters
    ----------
    a, b : Point
    stiffness, damping : sequence
        Six numbers, or symmetric 6 x 6 matrix: N/m, N/rad, N m/rad; times s for damping. Of every number one for each sample may be given.
    axes : pair of tuples
        x and y axis of the bushing in a's frame; of y what is at right angles to x counts.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -10.0))
    >>> arm = s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> mount = s.add(fm.Bushing("mount", s.ground.at(0.0, 0.0, 0.0), arm.centre, (1e5, 1e5, 1e4, 100.0, 100.0, 10.0)))
    >>> round(1e3 * float(fm.static(s)["arm.z"][-1]), 6)  # mm
    -1.0
    """

    dimensions: ClassVar[tuple] = (3,)

    name: str
    a: object
    b: object
    stiffness: object
    damping: object = (0.0,) * 6
    axes: tuple = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))

    def __post_init__(self):
        owner = f"bushing '{self.name}'"
        for key in ("stiffness", "damping"):
            object.__setattr__(self, key, _entries(self.name, key, getattr(self, key)))
        if not isinstance(self.axes, (tuple, list)) or len(self.axes) != 2:
            raise ModelError(f"{owner}: axes is {self.axes!r}; it must be two directions", element=self.name)
        x, y = (unit_vector(owner, f"axes[{k}]", axis, 3) for k, axis in enumerate(self.axes))
        along = dot(x, y)
        y = unit_vector(owner, "axes[1] across axes[0]", [v - along * u for u, v in zip(x, y, strict=True)], 3)
        object.__setattr__(self, "axes", (x, y, cross3(x, y)))

    def parameters(self):
        """Entries of both matrices, axes on both bodies, and the place at the start."""
        out = {f"{key}.{i + 1}{j + 1}": x for key in ("stiffness", "damping") for (i, j), x in getattr(self, key).items()}
        a, b = self.a.body, self.b.body
        between = [q - p for p, q in zip(a.at_start(self.a), b.at_start(self.b), strict=True)]
        out |= axis_parameters("start", [dot(in_inertial(a, axis), between) for axis in self.axes])
        for k, axis in enumerate(self.axes):
            out |= axis_parameters(f"a{k + 1}", axis) | axis_parameters(f"b{k + 1}", at_start(a, b, axis))
        return out

    def topology_key(self):
        """Which entries of the matrices there are."""
        return (tuple(self.stiffness), tuple(self.damping))

    def _deflection(self, equations):
        """Nodes of the six components."""
        a, b = ([node_axis(equations, self, end.body, f"{key}{k}") for k in (1, 2, 3)] for end, key in ((self.a, "a"), (self.b, "b")))
        place = equations.values([dot(axis, equations.between(self.a, self.b)) for axis in a])
        start = [equations.number(self, f"start.{axis}") for axis in AXES]
        turned = [equations.values([dot(x, y) for y in b]) for x in a]
        return [p - s for p, s in zip(place, start, strict=True)] + rotation_vector(equations.graph, turned)

    def _load(self, equations, key, x):
        """A matrix times six nodes."""
        out = [equations.graph.const(0.0)] * 6
        for i, j in getattr(self, key):
            entry = equations.number(self, f"{key}.{i + 1}{j + 1}")
            out[i] = out[i] + entry * x[j]
            if i != j:
                out[j] = out[j] + entry * x[i]
        return out

    def apply(self, equations):
        """Forces on both bodies by virtual work."""
        x = self._deflection(equations)
        rates = [equations.time_derivative(component) for component in x]
        elastic, viscous = self._load(equations, "stiffness", x), self._load(equations, "damping", rates)
        for component, f, d in zip(x, elastic, viscous, strict=True):
            equations.force_on(component, -(f + d))
        equations.potential(0.5 * equations.graph.dot(zip(x, elastic, strict=True)))
        equations.power("dissipated", equations.graph.dot(zip(rates, viscous, strict=True)))
        equations.keep_nodes(self, x=x, load=[f + d for f, d in zip(elastic, viscous, strict=True)])

    def outputs(self, equations):
        """Deflection of b and the loads that pull it back, in the bushing's frame on a."""
        out = {}
        for k, axis in enumerate(AXES):
            for key, row, of, unit in (
                ("", k, "x", "m"),
                ("rotation_", k + 3, "x", "rad"),
                ("f", k, "load", "N"),
                ("m", k + 3, "load", "N m"),
            ):
                out[f"{self.name}.{key}{axis}"] = (lambda row=row, of=of: equations.nodes_of(self)[of][row], unit)
        return out


def rotation_vector(graph, r):
    """Nodes of the rotation vector of a rotation matrix, rad, with derivatives of every order below half a turn.

    ``p = (angle/sine) s``, with the axial vector s of r, as long as the sine; for small angles by the series of ``asin(s)/s``.
    """
    axial = [0.5 * (r[2][1] - r[1][2]), 0.5 * (r[0][2] - r[2][0]), 0.5 * (r[1][0] - r[0][1])]
    cosine, squared = 0.5 * (r[0][0] + r[1][1] + r[2][2] - 1.0), dot(axial, axial)
    large = graph.select(graph.greater(cosine, 0.0), graph.select(graph.greater(squared, SMALL), 1.0, 0.0), 1.0)
    large = graph.greater(large, 0.5)
    sine = graph.sqrt(graph.select(graph.greater(squared, SMALL * SMALL), squared, SMALL * SMALL))
    series = graph.const(0.0)
    for c in reversed(SERIES):
        series = series * squared + c
    factor = graph.select(large, atan2(graph, sine, cosine) / sine, series)
    return [factor * x for x in axial]


def _entries(name, key, value):
    """Entries on and above the diagonal that are not zero, by (i, j)."""
    owner, wanted = f"bushing '{name}'", "six numbers or a symmetric 6 x 6 matrix"
    rows = list(value) if isinstance(value, (tuple, list, np.ndarray)) else []
    if len(rows) != 6:
        raise ModelError(f"{owner}: {key} is {value!r}; it must be {wanted}", element=name)
    if (isinstance(value, np.ndarray) and value.ndim == 2) or all(isinstance(row, (tuple, list)) for row in rows):
        if any(len(row) != 6 for row in rows):
            raise ModelError(f"{owner}: {key} is {value!r}; it must be {wanted}", element=name)
        for i in range(6):
            for j in range(i):
                if not np.allclose(rows[i][j], rows[j][i], rtol=1e-12, atol=0.0):
                    told = f"{key}[{i}][{j}] is {rows[i][j]!r} and {key}[{j}][{i}] {rows[j][i]!r}"
                    raise ModelError(f"{owner}: {told}; the matrix must be symmetric", element=name)
        entries = {(i, j): check_number(owner, f"{key}[{i}][{j}]", rows[i][j]) for i in range(6) for j in range(i, 6)}
    else:
        entries = {(i, i): check_number(owner, f"{key}[{i}]", x) for i, x in enumerate(rows)}
    return {at: x for at, x in entries.items() if np.any(x)}
