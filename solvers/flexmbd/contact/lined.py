"""Clearance joint whose bearing has an elastic liner: journal, film, cavitation and liner in one set of equations.

The liner is a body whose coordinates are amplitudes of shapes of the surface (`flexmbd.bodies.bush`); the film gives generalised forces on
journal and amplitudes, with their tangent, so implicit integrators solve all together in Newton's iteration (theory: ``solved_films.md``).
"""

from flexmbd.errors import ModelError


def check_liner(joint):
    """Check that a joint with a liner has a film that can carry one, and nothing that would not see the deflection."""
    if joint.liner is None:
        return
    owner = f"clearance joint '{joint.name}'"
    if not hasattr(joint.liner, "modes"):
        raise ModelError(f"{owner}: liner is {joint.liner!r}; it must be a body made by System.bush", element=joint.name)
    if not callable(getattr(joint.film, "lined", None)):
        name = getattr(joint.film, "name", None)
        raise ModelError(
            f"{owner}: a liner needs a film that is solved on a grid, not {name!r}", element=joint.name, remedy="give a ReynoldsFilm"
        )
    for key in ("law", "asperities", "temperature", "worn"):
        if getattr(joint, key) is not None:
            raise ModelError(f"{owner}: {key} is for rigid bearings, and this one has a liner", element=joint.name, remedy="leave it out")


def liner_structure(joint):
    """Liner and kernels of a joint that has one."""
    return () if joint.liner is None else (joint.liner.name, joint.film.lined(joint.liner.modes).force.__name__)


def apply_lined(joint, build, eccentricity):
    """Forces of the film on journal, bearing and liner, and their power; what the outputs need, by name.

    All is in axes fixed to the bearing's body, against which the mean of both surfaces turns by half the difference of the spins. Pressure
    shears both surfaces by half of ``int p dh/dtheta``, so forces and torques balance about any point, and their power is that of the
    generalised forces along the rates without history.
    """
    g, liner, kernels = build.graph, joint.liner, joint.film.lined(joint.liner.modes)
    (x, y), (vx, vy) = build.values(eccentricity), build.rates(eccentricity)
    c, radius = (build.number(joint, key) for key in ("clearance", "bearing_radius"))
    spin_a, spin_b = build.spin(joint.a.body), build.spin(joint.b.body)
    slip, turning = spin_a - spin_b, 0.5 * (spin_a + spin_b)
    cos, sin = build.values(build.direction(joint.b.body, 1.0, 0.0))

    def into(p, q):
        return cos * p + sin * q, cos * q - sin * p

    amplitudes, rates = liner.part(build, build.q), liner.part(build, build.v)
    slopes = _slopes(liner.modes, amplitudes, g)
    u, w = into(vx + turning * y, vy - turning * x)
    moving = [rate + 0.5 * slip * slope for rate, slope in zip(rates, slopes, strict=True)]
    numbers = [build.number(joint, f"film.{key}") for key in joint.film.numbers()]
    count = 2 + len(amplitudes)
    build.use(kernels)
    arguments = (*into(x, y), *amplitudes, u, w, *moving, c, radius, *numbers)

    def force_tangent(arguments):
        values = g.call(kernels.tangent, arguments, 2 * count * count)
        return {(k, j): values[2 * count * k + j] for k in range(count) for j in range(2 * count)}

    def shear_tangent(arguments):
        return {(0, j): slope for j, slope in enumerate(g.call(kernels.shear_tangent, arguments, count))}

    force_x, force_y, *pushes = g.call(kernels.force, arguments, count, force_tangent)
    shear = g.call(kernels.shear, arguments, None, shear_tangent) * slip
    fx, fy = cos * force_x - sin * force_y, sin * force_x + cos * force_y
    couple = 0.5 * (x * fy - y * fx)
    push = 0.5 * g.dot(zip(pushes, slopes, strict=True))
    build.force(joint.a, fx, fy)
    build.force(joint.b, -fx, -fy)
    on_journal = push - couple - shear
    build.torque(joint.a.body, on_journal)
    build.torque(joint.b.body, shear - couple - push)
    first = build.first[liner.name]
    for k, f in enumerate(pushes):
        build.generalized[first + k] = build.generalized[first + k] + f
    power = shear * slip - force_x * u - force_y * w - g.dot(zip(pushes, moving, strict=True))
    build.power("dissipated", power)
    return {
        "film": (fx, fy), "film_share": g.const(1.0), "film_power": power, "film_torque": on_journal, "film_arguments": arguments,
        "rubbed": (shear - push) * slip + 2.0 * couple * turning, "gap": g.call(kernels.thinnest, arguments),
    }  # fmt: skip


def _slopes(modes, amplitudes, graph):
    """Amplitudes of the deflection's derivative by the angle in the same shapes."""
    place = {key: k for k, key in enumerate(zip(modes.harmonic.tolist(), modes.sine.tolist(), modes.shape.tolist(), strict=True))}
    out = []
    for k, sine, shape in place:
        other = amplitudes[place[k, not sine, shape]] if k else graph.const(0.0)
        out.append((-float(k) if sine else float(k)) * other)
    return out


def lined_outputs(joint, build):
    """Largest pressure, as that of the film with its liner."""
    kernel = joint.film.lined(joint.liner.modes).peak
    return {f"{joint.name}.max_pressure": (lambda: build.graph.call(kernel, build.recall(joint)["film_arguments"]), "Pa")}
