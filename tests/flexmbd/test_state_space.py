"""Linear equations of mechanisms against closed forms, modes, and differences of the nonlinear equations."""

import numpy as np
import pytest

import flexmbd as fm

from .test_modes import cantilever, chain, oscillator

G = 9.81


def double_pendulum(upper=0.0, lower=0.0, rates=(0.0, 0.0), moments=(0.0, 0.0)):
    """Two uniform rods of 1.2 and 0.8 m, angles from down, with a moment on each."""
    s = fm.System(gravity=(0.0, -G))
    (l1, m1), (l2, m2) = (1.2, 2.0), (0.8, 1.5)
    a, b, (u, w) = np.array([np.sin(upper), -np.cos(upper)]), np.array([np.sin(lower), -np.cos(lower)]), rates
    da, db = u * np.array([-a[1], a[0]]), w * np.array([-b[1], b[0]])
    first = s.body(
        "upper", mass=m1, inertia=m1 * l1**2 / 12, position=tuple(a * l1 / 2), angle=upper - np.pi / 2, velocity=tuple(da * l1 / 2), rate=u,
        points={"O": (-l1 / 2, 0.0), "A": (l1 / 2, 0.0)},
    )  # fmt: skip
    second = s.body(
        "lower", mass=m2, inertia=m2 * l2**2 / 12, position=tuple(a * l1 + b * l2 / 2), angle=lower - np.pi / 2,
        velocity=tuple(da * l1 + db * l2 / 2), rate=w, points={"A": (-l2 / 2, 0.0), "E": (l2 / 2, 0.0)},
    )  # fmt: skip
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), first["O"]))
    s.add(fm.Revolute("A", first["A"], second["A"]))
    s.add(fm.Torque("shoulder", s.ground, first, moments[0]))
    s.add(fm.Torque("elbow", first, second, moments[1]))
    return s


def pendulum_accelerations(angles, rates, moments):
    """Of the double pendulum, by Lagrange's equations."""
    (l1, m1), (l2, m2), (a, b), (u, w) = (1.2, 2.0), (0.8, 1.5), angles, rates
    c, s, h = np.cos(a - b), np.sin(a - b), 0.5 * m2 * l1 * l2
    mass = np.array([[(m1 / 3 + m2) * l1**2, h * c], [h * c, m2 * l2**2 / 3]])
    side = [-h * s * w * w - (m1 / 2 + m2) * G * l1 * np.sin(a) + moments[0] - moments[1]]
    side += [h * s * u * u - 0.5 * m2 * G * l2 * np.sin(b) + moments[1]]
    return np.linalg.solve(mass, side)


MOMENTS = ["@shoulder.moment.c0", "@elbow.moment.c0"]
ANGLES = ["upper.angle", "lower.angle", "upper.rate", "lower.rate"]


def test_oscillator_is_exact():
    s = oscillator(stiffness=8.0, damping=0.4, mass=2.0)
    s.add(fm.PointForce("push", s.bodies[0].centre, fx=0.0))
    found = fm.state_space(s, ["@push.fx.c0", "@spring.length"], ["mass.x", "mass.vx", "mass.ax", "spring.force", "guide.fy"])
    assert found.states == ["mass[0]", "d/dt mass[0]"] and found.state_units == ["m", "m/s"]
    assert found.input_units == ["N", "m"] and found.output_units == ["m", "m/s", "m/s^2", "N", "N"]
    for got, wanted in (
        (found.A, [[0.0, 1.0], [-4.0, -0.2]]),
        (found.B, [[0.0, 0.0], [0.5, 4.0]]),
        (found.C, [[1.0, 0.0], [0.0, 1.0], [-4.0, -0.2], [8.0, 0.4], [0.0, 0.0]]),
        (found.D, [[0.0, 0.0], [0.0, 0.0], [0.5, 4.0], [0.0, -8.0], [0.0, 0.0]]),
        (found.drift, [0.0, 0.0]),
        (found.start, [1.0, 0.0, 0.0, 0.0, 0.0]),
    ):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-13)
    omega = np.linspace(0.0, 5.0, 7)
    wanted = 1.0 / (8.0 - 2.0 * omega**2 + 0.4j * omega)
    np.testing.assert_allclose(found.frequency_response(omega)[:, 0, 0], wanted, rtol=1e-13)


def test_hanging_double_pendulum_is_that_of_the_books():
    """A, B, C, D in the coordinates of the angles; and what does not depend on coordinates: poles, Markov parameters, responses."""
    found = fm.state_space(double_pendulum(), MOMENTS, ANGLES)
    mass = np.array([[(2.0 / 3 + 1.5) * 1.44, 0.72], [0.72, 0.32]])
    stiffness = np.diag([(1.0 + 1.5) * G * 1.2, 0.6 * G])
    spread = np.array([[1.0, -1.0], [0.0, 1.0]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(mass, stiffness), np.zeros((2, 2))]])
    B = np.vstack([np.zeros((2, 2)), np.linalg.solve(mass, spread)])
    turn = found.C  # angles and rates by the states
    np.testing.assert_allclose(turn @ found.A @ np.linalg.inv(turn), A, rtol=0, atol=1e-11)
    np.testing.assert_allclose(turn @ found.B, B, rtol=0, atol=1e-12)
    assert np.allclose(found.D, 0.0, atol=1e-14) and np.allclose(found.drift, 0.0, atol=1e-12)
    poles = np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)))
    np.testing.assert_allclose(np.sort(found.poles.imag), np.sort([*poles, *-poles]), rtol=1e-12)
    power, wanted = found.B, B
    for _ in range(6):
        np.testing.assert_allclose(found.C @ power, wanted, rtol=0, atol=1e-11 * max(1.0, np.abs(wanted).max()))
        power, wanted = found.A @ power, A @ wanted
    response = found.frequency_response(3.0)
    np.testing.assert_allclose(response[:2], np.linalg.solve(stiffness - 9.0 * mass, spread), rtol=1e-11)


def test_moving_double_pendulum():
    """In the middle of a motion: derivatives of the accelerations of Lagrange's equations, by angles, rates and moments."""
    angles, rates, moments = np.array([0.7, -1.9]), np.array([2.0, -3.5]), np.array([3.0, -2.0])
    names = [*ANGLES, "upper.alpha", "lower.alpha"]
    found = fm.state_space(double_pendulum(*angles, rates, moments), MOMENTS, names)
    np.testing.assert_allclose(found.start, [*(angles - np.pi / 2), *rates, *pendulum_accelerations(angles, rates, moments)], rtol=1e-11)
    assert np.abs(found.drift[2:]).max() > 1.0
    place, change = np.concatenate([angles, rates, moments]), 1e-3
    wanted = np.empty((2, 6))
    for k, step in enumerate(change * np.eye(6)):
        far, near = ([pendulum_accelerations(*np.split(place + sign * size * step, 3)) for sign in (1, -1)] for size in (2, 1))
        wanted[:, k] = (8 * (near[0] - near[1]) - (far[0] - far[1])) / (12 * change)
    by_angles = found.C @ np.linalg.inv(found.C[:4])
    np.testing.assert_allclose(by_angles[4:], wanted[:, :4], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.D[4:], wanted[:, 4:], rtol=0, atol=1e-10)


def shaken(base=0.3, speed=0.0, jerk=0.0):
    """A mass on a spring-damper on a base that a drive moves."""
    s = fm.System()
    moved = s.body("base", mass=3.0, inertia=1.0, position=(base, 0.0), velocity=(speed, 0.0))
    mass = s.body("mass", mass=2.0, inertia=1.0, position=(base + 1.0, 0.0))
    origin = s.ground.at(0.0, 0.0)
    s.add(fm.Translational("rail", origin, moved.centre))
    s.add(fm.Translational("guide", origin, mass.centre))
    s.add(fm.SlideDrive("shaker", origin, moved.centre, fm.Polynomial((base, speed, jerk))))
    s.add(fm.Spring("spring", moved.centre, mass.centre, stiffness=50.0, damping=1.5, length=1.0))
    return s


def test_a_shaken_base_has_the_transfer_function_of_vibration_isolation():
    found = fm.state_space(shaken(), ["@shaker.motion.c0"], ["mass.x", "mass.ax", "shaker.fx"])
    assert found.inputs == ["d2/dt2 @shaker.motion.c0"] and found.input_units == ["m/s^2"]
    assert found.states[1::2] == ["@shaker.motion.c0", "d/dt @shaker.motion.c0"] and len(found.poles) == 2
    for s in (0.0, 4.0j, 1.0 + 2.0j):
        ratio = (1.5 * s + 50.0) / (2.0 * s * s + 1.5 * s + 50.0)
        force = 3.0 * s * s + 2.0 * s * s * ratio
        np.testing.assert_allclose(found.transfer(s)[:, 0], [ratio, s * s * ratio, force], rtol=1e-12, atol=1e-12)


def crank_in_space(turn=0.4, rate=0.0, change=0.0, load=5.0):
    """A spatial slider-crank whose crank a drive turns, beside a second arm that swings on the slider."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    crank = s.body("crank", mass=1.0, inertia=(0.02, 0.02, 0.01), rotation=(turn, 0.0, 0.0))
    pin = np.array([0.0, -0.2 * np.sin(turn), 0.2 * np.cos(turn)])
    slider = s.body("slider", mass=2.0, inertia=(0.02, 0.02, 0.03), position=(0.5, 0.0, 0.1))
    arm = s.body(
        "arm", mass=0.7, inertia=(0.03, 0.02, 0.03), position=(0.5, 0.0, -0.2), points={"H": (0.0, 0.0, 0.3), "E": (0.0, 0.1, -0.3)}
    )
    origin = s.ground.at(0.0, 0.0, 0.0)
    s.add(fm.Revolute("bearing", origin, crank.centre, axis=(1.0, 0.0, 0.0)))
    rod = float(np.hypot(0.5, np.linalg.norm(pin - [0.0, 0.0, 0.1])))
    s.add(fm.Distance("rod", crank.at(0.0, 0.0, 0.2), slider.centre, length=0.6 if rod < 0.6 else rod))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0, 0.1), slider.centre, axis=(1.0, 0.0, 0.0)))
    s.add(fm.Revolute("hinge", slider.centre, arm["H"], axis=(0.0, 1.0, 0.0)))
    s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0, 0.0), crank.centre, fm.Polynomial((turn, rate, change)), axis=(1.0, 0.0, 0.0)))
    s.add(fm.Spring("tie", s.ground.at(0.0, 0.3, 0.5), arm["E"], stiffness=40.0, damping=2.0, length=0.4))
    s.add(fm.PointForce("load", arm["E"], fx=load, fy=1.0))
    return s


def field(system, e, free, x, start):
    """x' of the nonlinear equations in independent coordinates, and their positions and velocities."""
    bound = np.setdiff1d(np.arange(e.n), free)
    q, v = (np.array(part) for part in start)
    q[free], v[free] = np.split(x, 2)
    for _ in range(8):
        q[bound] -= np.linalg.solve(e.jacobian(q, 0.0).toarray()[:, bound], e.constraints(q, 0.0))
    jacobian = e.jacobian(q, 0.0).toarray()
    v[bound] -= np.linalg.solve(jacobian[:, bound], jacobian @ v + e.constraints_rate(q, 0.0))
    rest = e.program([row.polynomial.convective(e.problem.q, e.problem.v, e.problem.time) for row in e.problem.rows])
    side = np.r_[e.force(q, v, 0.0, e.turned(q)), -rest({"q": q, "v": v, "t": 0.0})]
    matrix = np.block([[e.mass.toarray(), jacobian.T], [jacobian, np.zeros((e.count, e.count))]])
    a, multipliers = np.split(np.linalg.solve(matrix, side), [e.n])
    return np.r_[v[free], a[free]], {"q": q, "v": v, "t": 0.0, "a": a, "l": multipliers}


def test_every_matrix_is_the_derivative_of_the_nonlinear_equations():
    """Of a driven mechanism in space that moves: central differences of fourth order by states and inputs."""
    given, outputs = {"turn": 0.4, "rate": 1.7, "change": 0.8, "load": 5.0}, ["arm.E.x", "arm.E.vz", "hinge.fx", "drive.mx", "tie.force"]
    system = crank_in_space(**given)
    e = fm.Equations(system)
    q, v = e.initial()
    found = fm.state_space(system, ["@drive.motion.c0", "@load.fx.c0", "@tie.stiffness"], outputs, state=(q, v))
    free, half = found.independent, len(found.states) // 2
    own = [0, 2]  # of the states, those that are no inputs

    def at(x, step):
        """Derivatives of all states and outputs where states (with the drive's target and rate) and inputs are changed."""
        target, rate = x[half - 1], x[-1]
        other = crank_in_space(0.4, 1.7, 0.8, 5.0)
        drive, tie, load = other.elements[-3:]
        object.__setattr__(drive, "motion", fm.Polynomial((0.4 + target, 1.7 + rate, 0.8 + 0.5 * step[0])))
        object.__setattr__(load, "fx", 5.0 + step[1])
        object.__setattr__(tie, "stiffness", 40.0 + step[2])
        other = fm.Equations(other)
        rates, values = field(system, other, free, x[own], (q, v))
        full = np.zeros(len(x))
        full[own], full[half - 1], full[-1] = rates, rate, step[0]
        return np.r_[full, other.program([other.catalogue[name][0]() for name in outputs])(values)]

    start = np.zeros(len(found.states))
    start[own] = np.r_[q[free], v[free]]
    size, change = len(start), 1e-3
    np.testing.assert_allclose(at(start, np.zeros(3)), np.r_[found.drift, found.start], rtol=1e-9, atol=1e-9)
    columns = []
    for step in change * np.eye(size + 3):
        one, other, two, last = (at(start + k * step[:size], k * step[size:]) for k in (1, -1, 2, -2))
        columns.append((8 * (one - other) - (two - last)) / (12 * change))
    wanted = np.array(columns).T
    got = np.block([[found.A, found.B], [found.C, found.D]])
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-7 * np.abs(wanted).max())


@pytest.mark.parametrize("system, damped", [(cantilever(6), False), (chain(5), True)], ids=["cantilever", "chain"])
def test_poles_are_those_of_modes(system, damped):
    body = system.bodies[-1]
    point, shape = (body.end, f"{body.name}.end.y") if hasattr(body, "end") else (body.centre, f"{body.name}.y")
    system.add(fm.PointForce("load", point, fy=0.0))
    found, modes = fm.state_space(system, ["@load.fy.c0"], [shape]), fm.modes(system, damped=damped, count=4)
    above = found.poles[found.poles.imag > 0]
    np.testing.assert_allclose(above[:4], modes.poles, rtol=1e-7, atol=1e-7)
    if not damped:  # compliance of a clamped beam with EI = 1: 1/3
        assert found.transfer(0.0)[0, 0] == pytest.approx(1.0 / 3.0, rel=1e-3)


def test_about_an_equilibrium_that_static_found():
    s = fm.System(gravity=(0.0, -G))
    rod = s.body("rod", mass=1.0, inertia=1.0, points={"A": (-1.0, 0.0)}, position=(1.0, 0.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["A"]))
    s.add(fm.TorsionSpring("spring", s.ground, rod, stiffness=30.0, damping=2.0))
    path = fm.static(s)
    found = fm.state_space(s, ["@spring.angle"], ["rod.angle"], state=path)
    angle = path["rod.angle"][-1]
    stiffness = 30.0 - G * np.sin(angle)
    assert np.allclose(found.drift, 0.0, atol=1e-8) and found.start[0] == pytest.approx(angle)
    assert found.transfer(0.7j)[0, 0] == pytest.approx(30.0 / (stiffness - 2.0 * 0.49 + 2.0 * 0.7j), rel=1e-8)


def test_whirl_of_a_mass_on_a_turning_table():
    """Seen from the table its two frequencies are w + W and w - W; a force of the table's direction at rest gives 1/(k - m W²)."""
    s, speed = fm.System(), 1.5
    mass = s.point_mass("mass", mass=2.0, position=(0.1, 0.0))
    s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), mass.centre, stiffness=32.0, length=0.0))
    s.add(fm.PointForce("push", mass.centre, fx=0.0))
    found = fm.state_space(s, ["@push.fx.c0"], ["mass.x", "mass.y"], state=fm.static(s, spinning=speed), spinning=speed)
    np.testing.assert_allclose(found.drift, 0.0, atol=1e-9)
    np.testing.assert_allclose(np.sort_complex(found.poles.round(10)), [-5.5j, -2.5j, 2.5j, 5.5j], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.transfer(0.0)[:, 0], [1.0 / (32.0 - 2.0 * speed**2), 0.0], rtol=1e-12, atol=1e-15)
    with pytest.raises(fm.ModelError, match="one of steady rotation; give its `spinning` here too"):
        fm.state_space(s, ["@push.fx.c0"], ["mass.x"], state=fm.static(s, spinning=speed))


def test_a_ball_on_a_plane_vibrates_on_the_tangent_of_its_contact():
    """Hertz's law K d^1.5 under the weight; and the indentation by the stiffness K, which is a number of the law."""
    s = fm.System(gravity=(0.0, -G))
    ball = s.body("ball", mass=2.0, inertia=0.1, position=(0.0, 0.0995))
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, law=fm.Hertz(1e6)))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), ball.centre, axis=(0.0, 1.0)))
    path = fm.static(s)
    depth = (2.0 * G / 1e6) ** (2 / 3)
    found = fm.state_space(s, ["@floor.law.K", "gravity.y"], ["ball.y", "energy.potential"], state=path)
    assert found.start[0] == pytest.approx(0.1 - depth, rel=1e-10)
    assert found.poles[-1].imag == pytest.approx(np.sqrt(1.5 * 2.0 * G / depth / 2.0), rel=1e-8)
    np.testing.assert_allclose(found.C[1], 0.0, atol=1e-6)  # least energy
    np.testing.assert_allclose(found.transfer(0.0)[0], [2 / 3 * depth / 1e6, 2 / 3 * depth / G], rtol=1e-7)


def test_mistakes_are_told():
    s = oscillator()
    with pytest.raises(fm.ModelError, match=r"parameter '@spring.stifness' is not known.*@spring.stiffness"):
        fm.state_space(s, ["@spring.stifness"], ["mass.x"])
    with pytest.raises(fm.ModelError, match="must not change masses"):
        fm.state_space(s, ["mass.mass"], ["mass.x"])
    with pytest.raises(fm.ModelError, match="does not satisfy the constraints guide"):
        fm.state_space(s, ["@spring.stiffness"], ["mass.x"], state=([1.0, 0.1, 1.0, 0.0], [0.0] * 4))
    with pytest.raises(fm.ModelError, match="integrated along the motion"):
        fm.state_space(s, ["@spring.stiffness"], ["energy.dissipated"])
    s.add(fm.Revolute("double", s.ground.at(1.0, 0.0), s.bodies[0].centre))
    with pytest.raises(fm.ModelError, match="depend on each other"):
        fm.state_space(s, ["@spring.stiffness"], ["mass.x"])
