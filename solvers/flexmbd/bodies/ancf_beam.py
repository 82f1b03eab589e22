"""Beams by the absolute nodal coordinate formulation: shear deformable, with the section's gradients, in space.

A node has its position r and the section's gradients r_y, r_z: 9 coordinates.  Elements have three nodes, everything is quadratic along
them, the mass matrix is constant; docs/theory/ancf_beams.md has the equations, `ancf_beam_elastic` the kernels.
"""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.bodies.ancf_beam_elastic import beam_strain
from flexmbd.bodies.ancf_beam_element import GAUSS, NUMBERS, beam_element, shapes, slopes, vectors
from flexmbd.bodies.ancf_beam_reference import REFERENCE, frame_at, reference
from flexmbd.bodies.ancf_beam_section import BeamSection
from flexmbd.bodies.nodes import check_triads, nodal
from flexmbd.bodies.poses import CentreLine, along
from flexmbd.bodies.shapes import Swept
from flexmbd.bodies.slender import Slender
from flexmbd.errors import ModelError, check_number, unit_vector
from flexmbd.language.nodes import in_vectors
from flexmbd.language.quadratic import Row, cross3, dot
from flexmbd.space import AXES, triad


@dataclass(frozen=True, eq=False)
class AncfBeam(Slender):
    """Beam; made by `System.beam`.

    ``beam.start``, ``beam.end`` and ``beam.at(s)`` are points of its axis; ``beam.section(s)`` is a section as a frame, x its normal, y and
    z along its gradients.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, 0.0))
    >>> steel, square = fm.Material(2e11, 0.3, 7850.0), fm.Section.rectangle(0.02, 0.02)
    >>> beam = s.beam("beam", length=1.0, elements=2, section=square, material=steel)
    >>> weld = s.add(fm.Fixed("weld", s.ground.at(0.0, 0.0, 0.0), beam["start"]))
    >>> load = s.add(fm.PointForce("load", beam["end"], fz=-10.0))
    >>> round(1e3 * float(fm.static(s)["beam.end.z"][-1]), 2)  # mm; F l**3 / (3 EI) = 1.25
    -1.25
    """

    name: str
    length: object
    elements: int
    profile: object
    material: object
    position: tuple
    along: tuple
    up: tuple
    velocity: tuple
    angular_velocity: tuple
    curvature: tuple
    damping: object = 0.0
    sections: str = "elastic"
    nodes: object = None
    rates: object = None
    points: dict = field(default_factory=dict)
    frames: list = field(default_factory=list)

    kind, dimension = "beam", 3

    def __post_init__(self):
        owner, keep = self.owner, self.keep
        self.check_line(position=3, velocity=3, angular_velocity=3, curvature=3)
        keep("along", unit_vector(owner, "direction", self.along, 3))
        if self.up is None:
            keep("up", triad(self.along)[0])
        else:
            up = unit_vector(owner, "up", self.up, 3)
            share = sum(x * y for x, y in zip(up, self.along, strict=True))
            keep("up", unit_vector(owner, "up (across the direction)", [x - share * y for x, y in zip(up, self.along, strict=True)], 3))
        keep("damping", check_number(owner, "damping", self.damping))
        if np.any(np.less(self.damping, 0.0)):
            raise ModelError(f"{owner}: damping is {self.damping!r}; it must be at least zero", element=self.name)
        if self.sections not in ("elastic", "rigid"):
            raise ModelError(f"{owner}: sections is {self.sections!r}; it must be 'elastic' or 'rigid'", element=self.name)
        numbers = ("area", "second_moment", "second_moment_y", "torsion", "shear", "shear_z")
        for thing, what, names in ((self.profile, "section is", numbers), (self.material, "material is", ("E", "nu", "density"))):
            for name in names:
                if getattr(thing, name, None) is None:
                    raise ModelError(f"{owner}: {what} {thing!r}, which has no '{name}'", element=self.name)
                check_number(owner, name, getattr(thing, name), positive=name != "nu")
        self._check_start()
        self.at(0.0, key="start")
        self.at(self.length, key="end")

    def _check_start(self):
        """Read the places of the start and their velocities."""
        places = [self.length * (k / (2 * self.elements)) for k in range(2 * self.elements + 1)]
        parts = ("position", "y axis", "z axis")
        if self.nodes is not None:
            self.keep("nodes", nodal(self.owner, "initial", self.nodes, places, parts, 3))
            check_triads(self.owner, "initial", self.nodes)
        if self.rates is not None:
            self.keep("rates", nodal(self.owner, "initial_velocity", self.rates, places, tuple(f"rate of {x}" for x in parts), 3))

    # ---- description
    @property
    def measures(self):
        """Per node: position, two gradients."""
        return (("length",) * 3 + ("angle",) * 6) * (2 * self.elements + 1)

    @property
    def damped(self):
        """True unless the damping time is the number zero."""
        return bool(np.ndim(self.damping) or self.damping)

    @property
    def curved(self):
        """True unless the beam is straight at the start for all samples."""
        return any(np.ndim(x) or x for x in self.curvature)

    def parameters(self):
        """Length, stiffnesses, mass and second moments of mass per length, strains of the start where curved, damping time, points."""
        section, E, density = self.profile, self.material.E, self.material.density
        GA = E / (2.0 * (1.0 + self.material.nu)) * section.area
        own = {
            "length": self.length, "EA": E * section.area, "GA": GA, "GA_y": GA * section.shear, "GA_z": GA * section.shear_z,
            "GJ": GA / section.area * section.torsion, "EI_y": E * section.second_moment_y, "EI_z": E * section.second_moment,
            "line_mass": density * section.area, "line_y": density * section.second_moment, "line_z": density * section.second_moment_y,
        }  # fmt: skip
        own |= {"damping": self.damping} if self.damped else {}
        own |= reference(self.curvature, self.length / self.elements) if self.curved else {}
        return own | {key: x for thing in (*self.frames, *self.points.values()) for key, x in thing.parameters().items()}

    def topology_key(self):
        """Number of elements, whether damped, curved and rigid across, and where sections and points are."""
        frames = tuple((frame.element, frame.node) for frame in self.frames)
        points = tuple((p.key, p.body.key, len(p.at)) for p in self.points.values())
        return ("beam", self.elements, self.damped, self.curved, self.sections, frames, points)

    def rotation_at(self, s):
        """Rotation matrix of the section at arc length s at the start, row by row."""
        columns = frame_at(self._triad, self.curvature, s)[1]
        return [[columns[k][i] for k in range(3)] for i in range(3)]

    @property
    def _triad(self):
        return self.along, self.up, cross3(self.along, self.up)

    def initial(self):
        """The undeformed beam in rigid motion, or places and velocities given."""
        q, v, w = [], [], self.angular_velocity
        for k in range(2 * self.elements + 1):
            if self.nodes is None:
                arm, (_, a, b) = frame_at(self._triad, self.curvature, self.length * (k / (2 * self.elements)))
                place = [p + x for p, x in zip(self.position, arm, strict=True)]
            else:
                place, a, b = self.nodes[k]
                arm = [x - p for x, p in zip(place, self.nodes[0][0], strict=True)]
            q += [*place, *a, *b]
            if self.rates is None:
                v += [*(u + x for u, x in zip(self.velocity, cross3(w, arm), strict=True)), *cross3(w, a), *cross3(w, b)]
            else:
                v += [x for part in self.rates[k] for x in part]
        return tuple(q), tuple(v)

    # ---- points
    def at(self, s, key=None):
        """Point of the axis at arc length `s` of the undeformed beam, m."""
        return self.section(s).at(key=key)

    def section(self, s):
        """Section at arc length `s` of the undeformed beam (m), as a frame."""
        s, element, x = self.element_at(s, "section", spans=2)
        for section in self.frames:
            if isinstance(x, float) and isinstance(section.x, float) and (section.element, section.x) == (element, x):
                return section
        self.frames.append(BeamSection(self, f"#section{len(self.frames)}", s, element, x))
        return self.frames[-1]

    def centre_line(self, moved, per_element):
        """Places, and axes of the sections."""
        at = np.linspace(0.0, 1.0, per_element + 1)
        parts, steep = np.array(shapes(at)), self.elements * np.array(slopes(at))
        vectors = moved.numbers.reshape(*moved.numbers.shape[:-1], -1, 3)
        wanted = (parts, 0), (parts, 1), (parts, 2), (steep, 0)
        weights = [np.stack([np.where(k % 3 == j, own[k // 3], 0.0) for k in range(9)], axis=-1) for own, j in wanted]
        line, y, z, slope = (along(vectors, 6, w) for w in weights)
        return CentreLine(np.linspace(0.0, 1.0, line.shape[-2]), line, vectors[..., ::3, :], np.stack([y, z], axis=-1), slope)

    def usual_shapes(self):
        """Its section along it."""
        return (Swept.of(self.profile),)

    # ---- equations
    def rows(self, equations):
        """Rigid sections: orthonormal gradients on the nodes."""
        rows = []
        for k in range(2 * self.elements + 1 if self.sections == "rigid" else 0):
            a, b = ([self.variable(equations, 9 * k + 3 * n + i) for i in range(3)] for n in (1, 2))
            units = (dot(a, a) - 1.0) * 0.5, (dot(b, b) - 1.0) * 0.5, dot(a, b)
            rows += [Row(x, "angle", f"{self.name}.section{k}") for x in units]
        return rows

    def apply(self, equations):
        """The elements: mass, weight, elastic forces and damping."""
        keys = [*NUMBERS, *(("damping",) if self.damped else ()), *(REFERENCE if self.curved else ())]
        numbers = [equations.number(self, key) for key in keys]
        numbers[0] = numbers[0] * (1.0 / self.elements)
        for e in range(self.elements):
            equations.element(self, beam_element, (self.damped, self.curved, self.sections == "rigid"), range(18 * e, 18 * e + 27), numbers)

    def outputs(self, equations):
        """Output name -> (function giving the node, unit)."""
        out = {f"{self.name}.strain_energy": (lambda: equations.quantity(self, "strain_energy"), "J")}
        for key, point in self.points.items():
            if key.startswith("#"):
                continue
            name, section = f"{self.name}.{key}", point.body
            for k, strain in enumerate(("strain", "shear_y", "shear_z", "twist", "curvature_y", "curvature_z")):
                out[f"{name}.{strain}"] = (lambda s=section, k=k: self._strains(equations, s)[k], "1" if k < 3 else "1/m")
            for k in (1, 2):
                for i, axis in enumerate(AXES):
                    out[f"{name}.d{k + 1}{axis}"] = (lambda s=section, k=k, i=i: equations.values(s.vector(equations, k))[i], "1")
            for i, axis in enumerate(AXES):
                out[f"{name}.omega_{axis}"] = (lambda s=section, i=i: s.spin(equations)[i], "rad/s")
        return out

    def _strains(self, equations, section):
        """Stretch, shears, twist, bending at a section less those of the start, on the line through those of the element's two points."""
        inverse, ends = self.elements / equations.number(self, "length"), []
        values = self.part(equations, equations.q)[18 * section.element :][:27]
        for k, x in enumerate(GAUSS):
            found = equations.graph.call(beam_strain, (in_vectors(equations.graph.interpolated(vectors(x), values, 3), 3), inverse), 6)
            start = [equations.number(self, key) for key in REFERENCE[6 * k : 6 * k + 6]] if self.curved else (1.0, *(0.0,) * 5)
            ends.append([m - o for m, o in zip(found, start, strict=True)])
        share = (section.along(equations) - GAUSS[0]) * (1.0 / (GAUSS[1] - GAUSS[0]))
        return [a + share * (b - a) for a, b in zip(*ends, strict=True)]
