"""Oil film of a clearance joint: its force and torques on both bodies.

The film is any object with `name`, `numbers()` and `kernels()` as in ``flexmbd.lubrication.base``.
"""

from typing import ClassVar

from flexmbd.contact.film_outputs import film_outputs
from flexmbd.contact.heat import film_viscosity
from flexmbd.contact.parts import Part, Requirement, refuse
from flexmbd.contact.transition import kept_inside


class FilmPart(Part):
    """Base of films; a subclass applies one in a joint of its `shape`."""

    key = "film"
    wanted = "a film such as ShortFilm(viscosity, length)"
    needs = (Requirement(("bearing_radius",), "a film needs bearing_radius (m)"),)
    shape: ClassVar[str]

    def check(self, joint):
        """A film for this shape of joint, and for its size."""
        if (shape := getattr(self.given, "shape", "planar")) != self.shape:
            refuse(joint, f"film is '{self.given.name}', which is for {shape} joints; this one is {self.shape}")
        if check := getattr(self.given, "check_bearing", None):
            check(joint.owner, joint.bearing_radius)

    def faded(self, joint, equations, r):
        """Factor on the place that the film is given, and share of its force that acts, at the eccentricity r."""
        g, c = equations.graph, equations.number(joint, "clearance")
        if joint.transition is None:
            return g.const(1.0), g.const(1.0)
        inside = kept_inside(g, r / c, equations.number(joint, "transition.largest"))
        return inside, joint.transition.film_share(g, r - c, c, lambda key: equations.number(joint, f"transition.{key}"))

    def outputs(self, joint, equations, nodes):
        """Force, torque, thickness, powers, pressure and flow where they are known; the regime."""
        return film_outputs(joint, equations, nodes)


class JournalFilmPart(FilmPart):
    """Film of a journal in the plane; with a liner the liner's part applies it."""

    shape = "planar"

    def apply(self, joint, equations, nodes):
        """Force and torques on both bodies, and their power.

        The force acts at the centres of journal and bearing.  The film's pressure also shears both surfaces by ``-(e x F)/2`` each, so
        that force, torques and the couple of both forces balance about any point; all power is ``F.V`` less that of the shear.
        """
        if joint.liner is not None:
            return
        g, e = equations.graph, joint.apart(equations)
        (x, y), (vx, vy) = equations.values(e), equations.rates(e)
        c, radius = (equations.number(joint, key) for key in ("clearance", "bearing_radius"))
        spin_a, spin_b = equations.spin(joint.a.body), equations.spin(joint.b.body)
        turning, slip = 0.5 * (spin_a + spin_b), spin_a - spin_b
        r = g.length((x, y))
        inside, share = self.faded(joint, equations, r)
        u, w = vx + turning * y, vy - turning * x
        into, back = self._axes(joint, equations)
        place, velocity = into(x * inside, y * inside), into(u, w)
        kernels = self.given.kernels()
        numbers = {k: equations.number(joint, f"film.{k}") for k in self.given.numbers()} | {"viscosity": film_viscosity(joint, equations)}
        arguments = (*place, *velocity, c, radius, *numbers.values())
        equations.use(kernels)

        def force_tangent(arguments):
            found, thick = slopes(g, kernels.tangent, 2, 4)(arguments), 6 + list(numbers).index("viscosity")
            _x, _y, u, w = arguments[:4]  # Reynolds' equation knows viscosity times V only
            return found | {(k, thick): (found[k, 2] * u + found[k, 3] * w) / arguments[thick] for k in range(2)}

        def shear_tangent(arguments):
            found = slopes(g, kernels.shear_tangent, 1, 2)(arguments)
            return found | {(0, 4): g.call(kernels.shear, arguments, None, shear_tangent) / arguments[4]}

        fx, fy = (share * f for f in back(*g.call(kernels.force, arguments, 2, force_tangent)))
        shear = share * g.call(kernels.shear, (*place, c, radius, numbers["viscosity"], numbers["length"]), None, shear_tangent) * slip
        couple = 0.5 * (x * fy - y * fx)
        torques = (-shear - couple,), (shear - couple,)
        power, rubbed = shear * slip - (fx * u + fy * w), shear * slip + 2.0 * couple * turning
        nodes.film_arguments = arguments
        on_both(joint, equations, nodes, (fx, fy), torques, power=power, rubbed=rubbed, gap=c - r, share=share)

    def _axes(self, joint, equations):
        """Functions that turn a vector into the axes in which the film is given its arguments, and back.

        A film with `body_axes`, of a bearing with grooves, has the axes of the bearing's body; any other is the same in all axes.
        """
        if not getattr(self.given, "body_axes", getattr(self.given, "framed", False)):
            return (lambda x, y: (x, y),) * 2
        cos, sin = equations.values(equations.direction(joint.b.body, 1.0, 0.0))
        return (lambda x, y: (cos * x + sin * y, cos * y - sin * x)), (lambda x, y: (cos * x - sin * y, sin * x + cos * y))


def on_both(joint, equations, nodes, force, torques, *, power, rubbed, gap, share):
    """Put a film's force on both centres, and its torques on both bodies; all it takes up goes into the books.

    Parameters
    ----------
    force : tuple of Node
        On body a, N.
    torques : tuple of tuple of Node
        On body a, on body b, N m.
    power, rubbed, gap, share : Node
        `JointNodes.film_power`, `rubbed`, `gap`, `film_share`.
    """
    joint.push(equations, nodes, *force)
    for end, torque in zip((joint.a, joint.b), torques, strict=True):
        equations.torque(end.body, *torque)
    equations.power("dissipated", power)
    nodes.film, nodes.film_torque, nodes.film_share = force, torques[0], share
    nodes.film_power, nodes.rubbed, nodes.gap = power, rubbed, gap


def slopes(graph, kernel, results, count):
    """Function ``partial(arguments)`` for `Graph.call`: derivatives of all results by the first `count` arguments, which a kernel gives."""

    def partial(arguments):
        values = iter(graph.call(kernel, arguments, results * count))
        return {(k, j): next(values) for k in range(results) for j in range(count)}

    return partial
