"""Tables over time and over other quantities: against scipy's splines, differences, and motions of closed form."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import CubicSpline

import flexmbd as fm
from flexmbd.language.graph import Graph
from flexmbd.motion import Over, integral_over, values

from .running import column, simulate
from .tangents import jacobian

X = np.array([-0.4, -0.1, 0.0, 0.25, 0.3, 0.7])
Y = np.array([-3.0, -0.5, 0.0, 1.0, 2.5, 3.0])
ROUND = np.array([*Y[:-1], Y[0]])
SPLINES = {"cubic": "not-a-knot", "natural": "natural"}


# ---- values, slopes, integrals
@pytest.mark.parametrize("kind", ["linear", "cubic", "natural"])
@pytest.mark.parametrize("beyond", ["hold", "extrapolate"])
def test_values_are_those_of_scipy_and_beyond_as_said(kind, beyond):
    x = np.linspace(-0.9, 1.3, 221)
    inside = np.clip(x, X[0], X[-1])
    spline = CubicSpline(X, Y, bc_type=SPLINES.get(kind, "natural"))
    right = np.interp(inside, X, Y) if kind == "linear" else spline(inside)
    if beyond == "extrapolate":
        low, high = ((Y[1] - Y[0]) / (X[1] - X[0]), (Y[-1] - Y[-2]) / (X[-1] - X[-2])) if kind == "linear" else spline(X[[0, -1]], 1)
        right = right + low * np.minimum(x - X[0], 0.0) + high * np.maximum(x - X[-1], 0.0)
    np.testing.assert_allclose(values(fm.Table(X, Y, kind, beyond, scale=2.0), x), 2.0 * right, atol=1e-12)


def test_a_period_is_repeated():
    x = np.linspace(-3.0, 4.0, 301)
    inside = X[0] + (x - X[0]) % (X[-1] - X[0])
    np.testing.assert_allclose(values(fm.Table(X, ROUND, "periodic"), x), CubicSpline(X, ROUND, bc_type="periodic")(inside), atol=1e-11)
    np.testing.assert_allclose(values(fm.Table(X, ROUND, beyond="repeat"), x), np.interp(inside, X, ROUND), atol=1e-11)


TABLES = [fm.Table(X, Y, kind, beyond) for kind in ("linear", "cubic") for beyond in ("hold", "extrapolate")]
TABLES += [fm.Table(X, ROUND, "periodic"), fm.Table(X[:2], Y[:2], "cubic"), fm.Polynomial((0.3, -2.0, 1.5)) + fm.Table(X, Y)]


@pytest.mark.parametrize("table", TABLES)
def test_slopes_and_integrals_are_those_of_differences_and_quadrature(table):
    g = Graph()
    x = g.var("t")
    node = table.node(Over(g, x), leaf_nodes(g, table).get)
    places, h = np.array([-1.63, -0.77, -0.22, -0.04, 0.17, 0.27, 0.53, 0.9, 1.81]), 1e-6
    slope = g.derivative(node, x)
    found = np.broadcast_to(g.evaluate([slope], {"t": places}, list(table.parameters().values()))[0], places.shape)
    np.testing.assert_allclose(found, (values(table, places + h) - values(table, places - h)) / (2 * h), atol=1e-7)
    kinks = np.concatenate([X + k * (X[-1] - X[0]) for k in range(-3, 4)])
    for place in places:
        points = sorted(x for x in kinks if min(0.0, place) < x < max(0.0, place))
        area = quad(lambda x: float(values(table, x)), 0.0, place, points=points or None, epsabs=1e-12)[0]
        assert float(values(table, place, integral_over)) == pytest.approx(area, abs=1e-9)


def leaf_nodes(g, table):
    """Nodes of a table's numbers."""
    return {k: g.table(i, 1, x.shape) if hasattr(x, "shape") else g.param(i, 1) for i, (k, x) in enumerate(table.parameters().items())}


@pytest.mark.parametrize("points", (3, 30_001))
def test_the_expression_does_not_grow_with_the_table(points):
    g, x = Graph(), np.linspace(0.0, 1.0, points)
    table, t = fm.Table(x, np.sin(9.0 * x), "cubic"), g.var("t")
    node = table.node(Over(g, t), leaf_nodes(g, table).get)
    slope = g.derivative(node, t)
    assert len([x for x in g.needed([node, slope, g.derivative(slope, t)]) if x.level == 3]) < 60


# ---- in motion
def pulled(t, d, v, curve, size):
    x, _ = d
    return -size * curve(x), 0.0


FORCE = fm.Table(X, Y, "natural", "extrapolate", scale=10.0)
TIMES, WAY = np.linspace(0.0, 2.0, 9), np.array([0.0, 0.1, 0.3, 0.35, 0.3, 0.2, 0.15, 0.1, 0.1])
DRIVE = fm.Table(TIMES, WAY, "cubic")


def gallery(scale=10.0):
    """A mass on a spring by a table, the same by a function, a wheel on a hardening torsion spring, a slide along a table."""
    s = fm.System()
    table = fm.Table(X, Y, "natural", "extrapolate", scale=scale)
    zero = s.ground.at(-1.0, 0.0)
    stone = s.body("stone", mass=2.0, inertia=1.0, position=(0.5, 0.0))
    s.add(fm.NonlinearSpring("spring", zero, stone.centre, table, damping=fm.Polynomial((0.0, 1.0, 0.0, 0.5)), length=1.0))
    twin = s.body("twin", mass=2.0, inertia=1.0, position=(0.5, 1.0))
    s.add(fm.UserForce("pull", s.ground.at(0.0, 1.0), twin.centre, pulled, {"curve": table, "size": 1.0}))
    wheel = s.body("wheel", mass=1.0, inertia=0.5, angle=7.0)
    s.add(fm.Revolute("hub", s.ground.at(0.0, 0.0), wheel.centre))
    s.add(fm.NonlinearTorsionSpring("coil", s.ground, wheel, fm.Polynomial((0.0, 0.4, 0.0, 0.02)), angle=0.5))
    slide = s.body("slide", mass=3.0, inertia=1.0, position=(0.0, 2.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 2.0), slide.centre))
    s.add(fm.SlideDrive("stroke", s.ground.at(0.0, 2.0), slide.centre, DRIVE))
    return s


@pytest.fixture(scope="module")
def run():
    outputs = [
        "stone.x", "stone.vx", "twin.x", "wheel.angle", "slide.x", "slide.vx", "stroke.fx", "spring.force", "spring.elongation",
        "coil.moment", "energy.balance", "energy.dissipated",
    ]  # fmt: skip
    return simulate(gallery, outputs, end=2.0, points=41, samples={"scale": [10.0, 25.0]}, tolerance=1e-10)


def exact(t, force, mass, start):
    """Motion of one mass under a force by place and speed."""
    found = solve_ivp(lambda t, y: [y[1], force(*y) / mass], (0.0, t[-1]), [start, 0.0], "DOP853", t, rtol=1e-11, atol=1e-11, max_step=0.01)
    return found.y


@pytest.mark.parametrize("sample, scale", [(0, 10.0), (1, 25.0)])
def test_springs_by_tables_move_masses_as_an_ordinary_equation_does(run, sample, scale):
    got, spline = column(run, sample), CubicSpline(X, Y, bc_type="natural")
    x, v = exact(run.time, lambda x, v: -scale * spline(x) - v - 0.5 * v**3, 2.0, 0.5)
    assert x.min() > X[0]
    np.testing.assert_allclose(got["stone.x"], x, atol=1e-7)
    np.testing.assert_allclose(got["stone.vx"], v, atol=1e-6)
    np.testing.assert_allclose(got["spring.force"], scale * spline(x) + v + 0.5 * v**3, atol=1e-5)
    np.testing.assert_allclose(got["twin.x"], exact(run.time, lambda x, v: -scale * values(FORCE, x) / 10.0, 2.0, 0.5)[0], atol=1e-7)


def test_a_torsion_spring_by_a_polynomial_counts_turns(run):
    angle = exact(run.time, lambda x, v: -0.4 * (x - 0.5) - 0.02 * (x - 0.5) ** 3, 0.5, 7.0)[0]
    np.testing.assert_allclose(column(run)["wheel.angle"], angle, atol=1e-7)
    np.testing.assert_allclose(column(run)["coil.moment"], 0.4 * (angle - 0.5) + 0.02 * (angle - 0.5) ** 3, atol=1e-6)


def test_a_torsion_spring_by_a_polynomial_about_an_axis_in_space():
    """The wheel of the gallery on an axle that lies askew; its angle counts from the start, over more than one turn."""
    axle = np.array([1.0, 4.0, -8.0]) / 9.0

    def wheel(scale):
        s = fm.System(gravity=(0.0, 0.0, 0.0))
        body = s.body("wheel", mass=1.0, inertia=(0.5, 0.5, 0.5), angular_velocity=tuple(12.0 * axle))
        s.add(fm.Revolute("hub", s.ground.at(0.0, 0.0, 0.0), body.centre, axis=tuple(axle)))
        curve = fm.Polynomial((0.0, 0.4 * scale, 0.0, 0.02 * scale))
        s.add(fm.NonlinearTorsionSpring("coil", s.ground, body, curve, damping=0.1, angle=0.5, axis=tuple(axle)))
        return s

    outputs = ["coil.twist", "coil.moment", "energy.balance"]
    got = column(simulate(wheel, outputs, end=2.0, points=41, samples={"scale": [1.0]}, tolerance=1e-11))
    t = np.linspace(0.0, 2.0, 41)

    def change(t, y):
        return [y[1], (-0.4 * y[0] - 0.02 * y[0] ** 3 - 0.1 * y[1]) / 0.5]

    twist, rate = solve_ivp(change, (0, 2), [-0.5, 12.0], "DOP853", t, rtol=1e-11, atol=1e-11).y
    assert np.ptp(twist) > 2.0 * np.pi
    np.testing.assert_allclose(got["coil.twist"], twist, atol=1e-7)
    np.testing.assert_allclose(got["coil.moment"], 0.4 * twist + 0.02 * twist**3 + 0.1 * rate, atol=1e-6)
    assert np.ptp(got["energy.balance"]) < 1e-6


def test_a_slide_is_driven_along_a_table(run):
    got, spline = column(run), CubicSpline(TIMES, WAY)
    for name, order, factor in (("slide.x", 0, 1.0), ("slide.vx", 1, 1.0), ("stroke.fx", 2, 3.0)):
        np.testing.assert_allclose(got[name], factor * spline(run.time, order), atol=1e-7)


def test_energy_of_the_springs_is_in_the_books(run):
    for sample in (0, 1):
        got = column(run, sample)
        assert got["energy.dissipated"][-1] > 5.0 and np.ptp(got["energy.balance"]) < 1e-6 * got["energy.dissipated"][-1]


def test_a_static_load_finds_its_place_on_the_table():
    s = fm.System()
    stone = s.point_mass("stone", mass=1.0, position=(0.1, 0.0))
    s.add(fm.NonlinearSpring("spring", s.ground.at(-1.0, 0.0), stone.centre, FORCE, length=1.0))
    s.add(fm.RevoluteTranslational("line", s.ground.at(0.0, 0.0), stone.centre))
    s.add(fm.PointForce("load", stone.centre, fx=20.0))
    found = fm.static(s)
    assert values(FORCE, found["stone.x"][-1]) == pytest.approx(20.0, abs=1e-8)


def test_derivatives_of_the_forces_are_those_of_differences():
    e = fm.Equations(gallery())
    q, v = e.initial()
    q, v = q + 0.01, v + 0.3
    np.testing.assert_allclose(e.stiffness(q, v).toarray(), -jacobian(lambda x: e.force(x, v), q, 1e-4), atol=1e-6)
    np.testing.assert_allclose(e.damping(q, v).toarray(), -jacobian(lambda x: e.force(q, x), v, 1e-3), atol=1e-8)


# ---- what is refused
@pytest.mark.parametrize(
    "x, y, more, words",
    [
        ([0.0, 1.0, 1.0], [0.0, 1.0, 2.0], {}, r"x\[2\] is 1 after 1; x must be ascending"),
        ([0.0, 1.0], [0.0, 1.0, 2.0], {}, "x has 2 numbers and y 3"),
        ([0.0], [1.0], {}, "at least two numbers"),
        ([0.0, 1.0], [0.0, np.nan], {}, r"y\[1\] is nan; it must be a finite number"),
        ([0.0, 1.0], [0.0, 1.0], {"kind": "quintic"}, "kind is 'quintic'; it must be one of 'linear', 'cubic'"),
        ([0.0, 1.0], [0.0, 1.0], {"beyond": "stop"}, "beyond is 'stop'"),
        ([0.0, 1.0, 2.0], [0.0, 1.0, 0.5], {"kind": "periodic"}, "y ends with 0.5 and begins with 0"),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_a_sentence(x, y, more, words):
    with pytest.raises(fm.ModelError, match=words):
        fm.Table(x, y, **more)


@pytest.mark.slow
def test_a_run_that_leaves_a_table_says_so():
    def pulled_out(width):
        s = fm.System()
        stone = s.point_mass("stone", mass=1.0, position=(1.5, 0.0))
        table = fm.Table(width * np.array([-1.0, 0.0, 0.4]), [-1.0, -1.0, -1.0], beyond="error")  # pushes outwards
        s.add(fm.NonlinearSpring("spring", s.ground.at(0.0, 0.0), stone.centre, table, length=1.4))
        return s

    run = fm.run(pulled_out, {"width": [100.0, 1.0]}, end=3.0, points=11, outputs=["stone.x"], settings={"lanes": 4})
    assert list(run.status) == [0, 1] and np.isfinite(run.outputs["stone.x"][1][:3]).all()
    assert run.message[1].startswith(
        "spring 'spring' came to an end of its table, which it must not leave (beyond = 'error'); stopped at t = 0.7745"
    )


def test_a_drive_along_corners_is_refused():
    s = fm.System()
    s.add(fm.SlideDrive("stroke", s.ground.at(0.0, 0.0), s.point_mass("stone", mass=1.0).centre, fm.Table(TIMES, WAY)))
    with pytest.raises(fm.ModelError, match="'stroke': motion is a table of straight lines, at whose corners the velocity jumps"):
        fm.Equations(s)


def test_outside_there_may_be_nothing():
    found = values(fm.Table(X, Y, beyond="error"), [-0.5, 0.0, 0.8])
    assert np.isnan(found[[0, 2]]).all() and found[1] == 0.0


def test_a_characteristic_without_an_integral_is_refused():
    s = fm.System()
    s.add(fm.NonlinearSpring("spring", s.ground.at(0.0, 0.0), s.point_mass("stone", mass=1.0).centre, fm.Harmonic(1.0, 2.0)))
    with pytest.raises(fm.ModelError, match="spring: a Harmonic has no integral here"):
        fm.Equations(s)


# ---- tables of measurements
def shaken(values, end=1.0, kind="linear"):
    """A mass pulled by a force that was measured at equal times."""
    s = fm.System(gravity=(0.0, 0.0))
    mass = s.body("mass", mass=2.0, inertia=1.0)
    s.add(fm.PointForce("push", mass.centre, fx=fm.Table(np.linspace(0.0, end, len(values)), values, kind)))
    return s


def test_a_long_measurement_drives_a_mass():
    """A fixed step for each segment: against the integral of the same straight lines."""
    time = np.linspace(0.0, 1.0, 20_001)
    force = np.sin(40.0 * time) + 0.2 * np.random.default_rng(3).standard_normal(time.size)
    run = fm.run(shaken(force), end=1.0, points=11, outputs=["mass.vx"], settings={"step": 5e-5, "fixed": True})
    speed = np.r_[0.0, np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(time))] / 2.0
    assert run["mass.vx"] == pytest.approx(speed[::2000], abs=1e-10)


@pytest.mark.parametrize("lanes", (1, 2, 4))
def test_each_sample_may_have_a_table_of_its_own(lanes):
    """A model function that can be called with single numbers only: as if each sample were alone."""
    time = np.linspace(0.0, 1.0, 7)
    peaks = np.array([1.0, 2.5, -0.7])

    def build(peak):
        return shaken(float(peak) * np.sin(5.0 * time), kind="cubic")

    settings = {"lanes": lanes, "integrator": "dormand_prince"}
    run = fm.run(build, {"peak": peaks}, end=1.0, points=5, outputs=["mass.x"], settings=settings)
    for x, peak in zip(run["mass.x"], peaks, strict=True):
        alone = fm.run(build, {"peak": np.array([peak])}, end=1.0, points=5, outputs=["mass.x"], settings=settings)
        assert np.array_equal(x, alone["mass.x"][0])
        assert x == pytest.approx(peak * run["mass.x"][0] / peaks[0], rel=1e-9, abs=1e-12)


def test_another_table_of_the_same_length_is_the_same_model():
    one, other = (fm.prepare(shaken(np.array(v)), end=1.0, points=2, outputs=["mass.x"]) for v in ([0.5, 2.0, 0.3], [0.7, 3.0, -2.0]))
    assert one.topology == other.topology
