"""Clearance joint whose bearing has an elastic liner: journal, film, cavitation and liner in one set of equations.

The liner is a body whose coordinates are amplitudes of shapes of the surface (`flexmbd.bodies.elastic_liner`); the film gives generalised
forces on journal and amplitudes, with their tangent, so implicit integrators solve all together in Newton's iteration (theory:
``solved_films.md``).
"""

from flexmbd.contact.film import on_both, slopes
from flexmbd.contact.parts import Part, Requirement, refuse
from flexmbd.language.kernels import known_as


class LinerPart(Part):
    """Elastic surface of the bearing, with its film."""

    key = "liner"
    wanted = "a body made by System.bush"
    excludes = (
        Requirement(("law", "asperities", "temperature", "worn"), "{key} is for rigid bearings, and this one has a liner", "leave it out"),
    )

    @classmethod
    def accepts(cls, given):
        return hasattr(given, "modes")

    def check(self, joint):
        """A film that can carry it."""
        if not callable(getattr(joint.film, "lined", None)):
            name = getattr(joint.film, "name", None)
            refuse(joint, f"a liner needs a film that is solved on a grid, not {name!r}", "give a ReynoldsFilm")

    def numbers(self, joint):
        """None: they are the body's."""
        return {}

    def topology_key(self, joint):
        """Liner and kernels of the film on it."""
        return (self.given.name, known_as(joint.film.lined(self.given.modes).force))

    def apply(self, joint, equations, nodes):
        """Forces of the film on journal, bearing and liner, and their power.

        All is in axes fixed to the bearing's body, against which the mean of both surfaces turns by half the difference of the spins.
        Pressure shears both surfaces by half of ``int p dh/dtheta``, so forces and torques balance about any point, and their power is
        that of the generalised forces along the rates without history.
        """
        g, liner, e = equations.graph, self.given, joint.apart(equations)
        kernels = joint.film.lined(liner.modes)
        (x, y), (vx, vy) = equations.values(e), equations.rates(e)
        c, radius = (equations.number(joint, key) for key in ("clearance", "bearing_radius"))
        spin_a, spin_b = equations.spin(joint.a.body), equations.spin(joint.b.body)
        slip, turning = spin_a - spin_b, 0.5 * (spin_a + spin_b)
        cos, sin = equations.values(equations.direction(joint.b.body, 1.0, 0.0))

        def into(p, q):
            return cos * p + sin * q, cos * q - sin * p

        amplitudes, rates = liner.part(equations, equations.q), liner.part(equations, equations.v)
        turned = _turned(liner.modes, amplitudes, g)
        u, w = into(vx + turning * y, vy - turning * x)
        moving = [rate + 0.5 * slip * slope for rate, slope in zip(rates, turned, strict=True)]
        numbers = [equations.number(joint, f"film.{key}") for key in joint.film.numbers()]
        count = 2 + len(amplitudes)
        equations.use(kernels)
        arguments = (*into(x, y), *amplitudes, u, w, *moving, c, radius, *numbers)
        force_x, force_y, *pushes = g.call(kernels.force, arguments, count, slopes(g, kernels.tangent, count, 2 * count))
        shear = g.call(kernels.shear, arguments, None, slopes(g, kernels.shear_tangent, 1, count)) * slip
        fx, fy = cos * force_x - sin * force_y, sin * force_x + cos * force_y
        couple = 0.5 * (x * fy - y * fx)
        push = 0.5 * g.dot(zip(pushes, turned, strict=True))
        first = equations.first[liner.name]
        for k, f in enumerate(pushes):
            equations.generalized[first + k] = equations.generalized[first + k] + f
        power = shear * slip - force_x * u - force_y * w - g.dot(zip(pushes, moving, strict=True))
        rubbed, gap = (shear - push) * slip + 2.0 * couple * turning, g.call(kernels.thinnest, arguments)
        torques = (push - couple - shear,), (shear - couple - push,)
        nodes.film_arguments = arguments
        on_both(joint, equations, nodes, (fx, fy), torques, power=power, rubbed=rubbed, gap=gap, share=g.const(1.0))

    def outputs(self, joint, equations, nodes):
        """Largest pressure, as that of the film with its liner."""
        kernel = joint.film.lined(self.given.modes).peak
        return {f"{joint.name}.max_pressure": (lambda: equations.graph.call(kernel, nodes.film_arguments), "Pa")}


def _turned(modes, amplitudes, graph):
    """Amplitudes of the deflection's derivative by the angle in the same shapes."""
    place = {key: k for k, key in enumerate(zip(modes.harmonic.tolist(), modes.sine.tolist(), modes.shape.tolist(), strict=True))}
    out = []
    for k, sine, shape in place:
        other = amplitudes[place[k, not sine, shape]] if k else graph.const(0.0)
        out.append((-float(k) if sine else float(k)) * other)
    return out
