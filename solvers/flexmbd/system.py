"""`System`: what the user describes; nothing is computed here."""

import numpy as np

from flexmbd.bodies.amplitudes import Amplitudes
from flexmbd.bodies.ancf_beam import AncfBeam
from flexmbd.bodies.ancf_cable import AncfCable
from flexmbd.bodies.arc_length import ArcLength
from flexmbd.bodies.base import Body, Framed, Ground, Point
from flexmbd.bodies.begun import Begun
from flexmbd.bodies.elastic_liner import ElasticLiner
from flexmbd.bodies.grains import Grains
from flexmbd.bodies.phasors import Phasors
from flexmbd.bodies.point_mass import PointMass
from flexmbd.bodies.rigid import RigidBody
from flexmbd.bodies.said import keep_said, moved, said
from flexmbd.bodies.slender import start_of
from flexmbd.bodies.spatial import SpatialBody
from flexmbd.described import Described
from flexmbd.element import Added
from flexmbd.errors import ModelError, check_number
from flexmbd.parameters import Matrix

SEQUENCES = (tuple, list, np.ndarray)
OWN_COORDINATES = {"phasors": Phasors, "arc_length": ArcLength, "amplitudes": Amplitudes}  # bodies of what elements need


class System(Begun, Described):
    """A mechanism: bodies, joints, forces, contacts.

    Every number may be a float or an array over samples (shape ``(n,)``).

    Parameters
    ----------
    gravity : tuple
        Components in m/s²: two for a planar system, three for a spatial one.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    """

    def __init__(self, gravity=(0.0, 0.0)):
        if not isinstance(gravity, SEQUENCES) or len(gravity) not in (2, 3):
            raise ModelError(f"gravity is {gravity!r}; it must be two numbers (planar system) or three (spatial)")
        self.gravity = tuple(check_number("system", f"gravity[{i}]", g) for i, g in enumerate(gravity))
        self.dimension = len(gravity)
        self.ground = Ground(self.dimension)
        self.bodies, self.elements, self.aliases = [], [], {}
        self._names, self._named = {"ground", "energy"}, [0, 0]  # of bodies and elements, and of how many

    def __repr__(self):
        bodies = ", ".join(f"{body.name} ({type(body).__name__})" for body in self.bodies) or "none"
        elements = ", ".join(f"{element.name} ({type(element).__name__})" for element in self.elements) or "none"
        return f"System: {self.kind}, {len(self.measures())} coordinates\n  bodies: {bodies}\n  elements: {elements}"

    def body(self, name, *, mass, inertia, position=None, velocity=None, points=None, offset=None, fixed=(), **turn):
        """Add a rigid body.

        Parameters
        ----------
        mass : float or ndarray
            kg
        inertia : float, ndarray or tuple
            About the centre of mass in kg m². In space three principal values or six entries, see `SpatialBody`.
        position, velocity : tuple, optional
            Guess (or values) at the start, of the body frame's origin in m and m/s; zero if left out.
        angle, rate : float or ndarray, optional
            Guess of the frame's angle in rad and rad/s (planar systems).
        rotation, angular_velocity : optional
            Guess of the frame's rotation (rotation vector in rad, or matrix) and angular velocity in rad/s, components in the
            inertial frame (spatial systems).
        fixed : sequence of str
            Which of the above must stay what they are where constraints ask for changes: "position", "velocity", "angle", "rate" (in
            space "rotation", "angular_velocity"). Otherwise all that is given yields, and velocities that are left out follow.
        points : mapping name -> coordinates, optional
            Named body-fixed points in m.
        offset : tuple, optional
            Centre of mass in the body's frame, in m.

        Raises
        ------
        ModelError
            If a number is not finite, a mass or inertia not positive, an inertia tensor impossible, or the name taken.
        """
        self._new_name(name)
        zero = (0.0,) * self.dimension
        known = ("angle", "rate") if self.dimension == 2 else ("rotation", "angular_velocity")
        for key in turn:
            if key not in known:
                raise ModelError(f"body '{name}' of a {self.kind} system has no '{key}'; it has {' and '.join(known)}", element=name)
        words = said(f"body '{name}'", {"position": position, "velocity": velocity, **{key: turn.get(key) for key in known}}, fixed)
        turn = {key: x for key, x in turn.items() if x is not None}
        position, velocity, offset = (zero if x is None else x for x in (position, velocity, offset))
        given = {"position": position, "velocity": velocity, "offset": offset, **{f"point '{key}'": x for key, x in (points or {}).items()}}
        for key, value in given.items():
            if not isinstance(value, SEQUENCES) or (len(value) != self.dimension and "'" not in key):  # `at` counts those of points
                wanted = f"{self.dimension} numbers in a {self.kind} system"
                raise ModelError(f"body '{name}': {key} is {value!r}; it must be {wanted}", element=name)
        if not isinstance(turn.get("rotation", ()), (*SEQUENCES, type(None))):
            wanted = "a rotation vector or a 3 x 3 matrix"
            raise ModelError(f"body '{name}': rotation is {turn['rotation']!r}; it must be {wanted}", element=name)
        if self.dimension == 2:
            if isinstance(inertia, (tuple, list)):
                raise ModelError(f"body '{name}': inertia is {inertia!r}; it must be one number in a planar system", element=name)
            body = RigidBody(name, mass, inertia, position, turn.get("angle", 0.0), velocity, turn.get("rate", 0.0), offset)
        else:
            rotation, spin = turn.get("rotation"), turn.get("angular_velocity", zero)
            body = SpatialBody(name, mass, inertia, position, rotation, velocity, spin, offset)
        for key, coordinates in (points or {}).items():
            body.at(*coordinates, key=key)
        keep_said(body, *words)
        self.bodies.append(body)
        return body

    def point_mass(self, name, *, mass=None, position=None, velocity=None, fixed=()):
        """Add a mass at one point, without inertia and orientation (see `PointMass`).

        Parameters
        ----------
        mass : float or ndarray, optional
            kg; left out for a node of rods that has none of its own.
        position, velocity : tuple, optional
            Guess (or values) at the start in m and m/s; zero if left out.
        fixed : sequence of str
            "position", "velocity", or both: what must stay where constraints ask for changes.

        Raises
        ------
        ModelError
            If a number is not finite, the mass not positive, or the name taken.
        """
        self._new_name(name)
        words = said(f"point mass '{name}'", {"position": position, "velocity": velocity}, fixed)
        given = {key: (0.0,) * self.dimension if x is None else x for key, x in (("position", position), ("velocity", velocity))}
        for key, value in given.items():
            if not isinstance(value, SEQUENCES) or len(value) != self.dimension:
                wanted = f"{self.dimension} numbers in a {self.kind} system"
                raise ModelError(f"point mass '{name}': {key} is {value!r}; it must be {wanted}", element=name)
        self.bodies.append(PointMass(name, self.dimension, mass, **given))
        keep_said(self.bodies[-1], *words)
        return self.bodies[-1]

    def cable(self, name, *, length, elements, section, material, position=None, direction=None, velocity=None, points=None, **more):
        """Add a cable: a flexible line with axial and bending stiffness (see `AncfCable`).

        Parameters
        ----------
        length : float or ndarray
            m
        elements : int
            Number of cubic elements of equal length.
        section : Section
        material : Material
            With density.
        position, velocity : tuple, optional
            Of the cable's start, in m and m/s; zero if left out.
        direction : tuple, optional
            From start to end, of any length; x if left out.
        rate, angular_velocity : optional
            Angular velocity at the start in rad/s: a number in the plane, three in space.
        damping : float, ndarray or pair of them, optional
            Kelvin-Voigt: stress from strain rate over stress from strain, in s; axial and bending may differ.
        strain : "green" or "engineering"
            ``(r'.r' - 1)/2`` or ``|r'| - 1``.
        curvature : "exact", "material" or "small"
            ``|r' x r''|`` over ``|r'|³``, over ``|r'|²``, or over 1. With a `shape` "exact" and "material" are both the turn of the tangent
            from that of the shape, by the arc length of the undeformed line, so that a stretch is no curvature.
        integration : "reduced" or "full"
            Points at which axial strain and curvature are taken: three and three, or five and three (see `docs/theory/ancf_cables.md`).
        shape : callable or pair of arrays, optional
            The line without stress, if it is not straight (planar systems): ``shape(s)`` gives position (m) and slope (derivative by
            the arc length s of this line, a unit vector), or two arrays over all ``elements + 1`` nodes.  It is the start unless
            `initial` is given.
        initial : callable or pair of arrays, optional
            The line at the start, which strains the cable where it differs from the undeformed line: position and slope as above, the slope
            being longer than one where the cable is stretched.  In the inertial frame, so there is no `position` or `direction` then.
        initial_velocity : callable or pair of arrays, optional
            Velocity (m/s) and rate of the slope (1/s) at the start, in place of `velocity` and the angular velocity.
        points : mapping name -> arc length, optional
            Named points; "start" and "end" are there anyway.

        Raises
        ------
        ModelError
            If a number is not finite or not positive where it must be, or the name taken.
        """
        self._new_name(name)
        turn = "rate" if self.dimension == 2 else "angular_velocity"
        for key in more:
            if key not in (turn, "damping", "strain", "curvature", "integration", "shape", "initial", "initial_velocity"):
                raise ModelError(f"cable '{name}' of a {self.kind} system has no '{key}'", element=name)
        given = {"position": position, "direction": direction, "velocity": velocity, turn: more.get(turn)}
        nodes, rates = start_of(f"cable '{name}'", given, more, ("shape", "initial"))
        zero = (0.0,) * self.dimension
        spin = more.pop(turn, 0.0 if self.dimension == 2 else zero)
        direction = (1.0, *zero[1:]) if direction is None else direction
        position, velocity = (zero if x is None else x for x in (position, velocity))
        spin = (spin,) if self.dimension == 2 else spin
        line = position, direction, velocity, spin
        body = AncfCable(name, self.dimension, length, elements, section, material, *line, nodes=nodes, rates=rates, **more)
        for key, s in (points or {}).items():
            body.at(s, key=key)
        keep_said(body, moved(given, nodes, rates))
        self.bodies.append(body)
        return body

    def beam(self, name, *, length, elements, section, material, position=None, direction=None, velocity=None, points=None, **more):
        """Add a beam in space: stretch, shear, torsion and bending, with sections that joints attach to (see `AncfBeam`).

        Parameters
        ----------
        length : float or ndarray
            m
        elements : int
            Number of quadratic elements of equal length, with three nodes each.
        section : Section
        material : Material
            With density.
        position, velocity : tuple, optional
            Of the beam's start, in m and m/s; zero if left out.
        direction : tuple, optional
            Of the axis at the start, of any length; x if left out.
        up : tuple, optional
            Side to which the section's y axis points at the start (its part across the direction counts); horizontal if left out.
        curvature : tuple, optional
            Of the undeformed axis in 1/m: twist, and bending about the section's y and z axes, the same all along: an arc or a helix.
        angular_velocity : tuple, optional
            At the start, in rad/s.
        damping : float or ndarray, optional
            Kelvin-Voigt: stress from strain rate over stress from strain, in s.
        sections : "elastic" or "rigid"
            Whether sections strain in their plane (a little), or constraints keep them as they are.
        initial : callable or three arrays, optional
            The beam at the start, which strains it where it differs from the undeformed one (straight, or of the `curvature`):
            ``initial(s)`` gives position (m) and the y and z axes of the section (unit vectors) in the inertial frame, or three arrays
            over all ``2 elements + 1`` nodes.
        initial_velocity : callable or three arrays, optional
            Rates of these at the start, in place of `velocity` and `angular_velocity`.
        points : mapping name -> arc length, optional
            Named points of the axis; "start" and "end" are there anyway.

        Raises
        ------
        ModelError
            If a number is not finite or not positive where it must be, the name taken, or the system planar.
        """
        self._new_name(name)
        if self.dimension == 2:
            raise ModelError(f"beam '{name}' needs a spatial system; in the plane there are cables", element=name)
        for key in more:
            if key not in ("up", "curvature", "angular_velocity", "damping", "sections", "initial", "initial_velocity"):
                raise ModelError(f"beam '{name}' has no '{key}'", element=name)
        given = {"position": position, "direction": direction, "velocity": velocity, "angular_velocity": more.get("angular_velocity")}
        nodes, rates = start_of(f"beam '{name}'", given | {"up": more.get("up")}, more, ("initial",))
        zero = (0.0, 0.0, 0.0)
        position, velocity = (zero if x is None else x for x in (position, velocity))
        more = {"up": None, "angular_velocity": zero, "curvature": zero, "damping": 0.0} | more
        direction = (1.0, 0.0, 0.0) if direction is None else direction
        body = AncfBeam(name, length, elements, section, material, position, direction, velocity=velocity, nodes=nodes, rates=rates, **more)
        for key, s in (points or {}).items():
            body.at(s, key=key)
        keep_said(body, moved(given, nodes, rates))
        self.bodies.append(body)
        return body

    def bush(self, name, modes, **numbers):
        """Add a bearing's `ElasticLiner`: `modes` are its shapes and matrices, `stiffness` and `damping` its numbers."""
        self._new_name(name)
        self.bodies.append(ElasticLiner(name, modes, **numbers))
        return self.bodies[-1]

    def grains(self, name, *, positions, radius, mass, inertia=None, velocities=(), rates=()):
        """Add many round bodies as one: discs, in space spheres (see `Grains`), for a `GranularContact`.

        Parameters
        ----------
        positions, velocities, rates : sequence
            Of each grain: m, m/s, rad/s (in space three numbers); zero if left out.
        radius, mass, inertia : float, ndarray or list
            m, kg, kg m²: one for all, or a list with one for each; without `inertia` they are solid.
        """
        self._new_name(name)
        self.bodies.append(Grains(name, self.dimension, tuple(positions), radius, mass, inertia, tuple(velocities), tuple(rates)))
        return self.bodies[-1]

    @property
    def kind(self):
        """What it is called in messages: planar or spatial."""
        return "planar" if self.dimension == 2 else "spatial"

    def add(self, element: Added) -> Added:
        """Add a joint, drive, force or contact; returns it."""
        self._new_name(element.name)
        if self.dimension not in element.dimensions:
            raise ModelError(f"'{element.name}': {type(element).__name__} is not for {self.kind} systems", element=element.name)
        bodies = [self._body_of(element, end) for end in "ab" if hasattr(element, end)]
        if len(bodies) == 2 and bodies[0] is bodies[1]:
            remedy = "a and b must be on two different bodies, or one of them on ground"
            raise ModelError(f"'{element.name}' joins body '{bodies[0].name}' to itself", element=element.name, remedy=remedy)
        for key, body in element.others.items():
            if not isinstance(body, Framed) or body in bodies[: 2 * bool(body.measures)]:
                other = f" other than {' and '.join(repr(b.name) for b in bodies)}" if bodies else ""
                wanted = f"ground, or a rigid body{other}"
                raise ModelError(f"'{element.name}': {key} is {getattr(body, 'name', body)!r}; it must be {wanted}", element=element.name)
            self._check_own(element, body)
        liner = getattr(element, "liner", None)
        for body in (*element.measured, *(() if liner is None else (liner,))):
            self._check_own(element, body)
        for key, value in element.parameters().items():
            if not isinstance(value, Matrix):
                check_number(f"'{element.name}'", key, value)
        self.bodies += [OWN_COORDINATES[kind](f"{element.name}.{kind}", guess) for kind, guess in element.own_coordinates().items()]
        self.elements.append(element)
        return element

    def _body_of(self, element, key):
        """Body of an element's end `key`; checks that the end is what the element needs, and part of this system."""
        end, points = getattr(element, key), element.ends == "points"
        if not isinstance(end, Point if points else Body):
            wanted = "a point, like body['A'] or body.centre" if points else "a body, or the system's ground"
            raise ModelError(f"'{element.name}': {key} is {type(end).__name__}; it must be {wanted}", element=element.name)
        body = end.body if points else end
        body = getattr(body, "beam", body)  # a section belongs to its beam
        self._check_own(element, body)
        return body

    def _check_own(self, element, body):
        if body is not self.ground and body not in self.bodies:
            raise ModelError(f"'{element.name}' is attached to body '{body.name}', which belongs to another system", element=element.name)

    def alias(self, name, output):
        """Give an output a second name, for instance ``alias("slider.v", "slider.vx")``."""
        self.aliases[name] = output

    def _new_name(self, name):
        if not name or not isinstance(name, str) or any(c in name for c in ":/ "):
            raise ModelError(f"name {name!r} cannot be used; names are text without ':', '/' and blanks")
        for k, own in enumerate((self.bodies, self.elements)):
            if self._named[k] > len(own):
                self._names, self._named = {"ground", "energy"}, [0, 0]
        for k, own in enumerate((self.bodies, self.elements)):
            self._names.update(x.name for x in own[self._named[k] :])
            self._named[k] = len(own)
        if name in self._names:
            raise ModelError(f"name '{name}' is given twice", element=name)
