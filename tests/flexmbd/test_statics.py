"""One sample's equations and their derivatives; equilibria, load steps, limit points."""

import itertools

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbd as fm
from flexmbd.formulation.natural import NaturalCoordinates

from . import force_gallery, joint_gallery

RNG = np.random.default_rng(5)


def planar():
    """Springs, a drive, loads that follow, a contact."""
    s = fm.System(gravity=(0.3, -9.81))
    arm = s.body(
        "arm", mass=1.2, inertia=0.3, position=(0.4, 0.2), angle=0.5, offset=(0.1, 0.0), points={"A": (-0.3, 0.0), "B": (0.5, 0.1)}
    )
    disc = s.body("disc", mass=0.7, inertia=0.1, position=(1.0, 0.48), angle=7.0, points={"E": (0.1, 0.3)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), arm["A"]))
    s.add(fm.Spring("spring", arm["B"], disc["E"], stiffness=50.0, damping=2.0, length=0.4))
    s.add(fm.Spring("tie", s.ground.at(1.0, 1.0), disc["E"], stiffness=20.0, damping=1.0))
    s.add(fm.TorsionSpring("twist", arm, disc, stiffness=3.0, damping=0.4, angle=0.2))
    s.add(fm.PointForce("push", disc["E"], fx=fm.Polynomial((1.0, 2.0)), fy=fm.Harmonic(2.0, 3.0), follower=True))
    s.add(fm.Torque("turn", arm, disc, moment=fm.Polynomial((0.0, 0.0, 1.0))))
    s.add(fm.DistanceDrive("rod", s.ground.at(2.0, 0.0), disc.centre, fm.Polynomial((1.1, 0.1))))
    law = fm.HuntCrossley(stiffness=1e4, restitution=0.8)
    s.add(fm.DiscPlane("floor", disc.centre, s.ground.at(0.0, 0.0), radius=0.5, law=law))
    return s


def spatial():
    """Two bodies on joints in space with a spring between them and a torque that follows."""
    s = fm.System(gravity=(0.0, 0.5, -9.81))
    a = s.body("a", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0.0, 0.0), rotation=(0.1, 0.4, -0.2), points={"P": (0.4, 0.1, 0.0)})
    b = s.body("b", mass=2.0, inertia=(0.2, 0.3, 0.4), position=(1.0, 0.3, 0.2), points={"P": (0.1, 0.2, 0.3)})
    s.add(fm.Spherical("ball", s.ground.at(0.0, 0.0, 0.0), a.at(-0.5, 0.0, 0.0)))
    s.add(fm.Spring("spring", a["P"], b["P"], stiffness=30.0, damping=2.0, length=0.3))
    s.add(fm.Torque("turn", a, b, moment=(fm.Polynomial((1.0, 2.0)), 0.0, 0.5), follower=True))
    return s


SYSTEMS = {"planar": planar, "spatial": spatial, "forces": force_gallery.gallery, "joints": joint_gallery.gallery}


@pytest.fixture(params=SYSTEMS)
def state(request):
    """Equations, and a state off the constraints, at t = 0.7 s."""
    e = fm.Equations(SYSTEMS[request.param]())
    q, v = e.initial()
    return e, q + 0.01 * RNG.normal(size=e.n), v + RNG.normal(size=e.n), 0.7


def slope(function, x, direction, h=1e-6):
    """Derivative along a direction by a central difference of fourth order."""
    f = [function(x + k * h * direction) for k in (-2, -1, 1, 2)]
    return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)


# ---- derivatives
def test_stiffness_and_damping_are_slopes_of_the_force(state):
    e, q, v, t = state
    along = RNG.normal(size=e.n)
    for matrix, function, x in (
        (e.stiffness(q, v, t), lambda x: e.force(x, v, t), q),
        (e.damping(q, v, t), lambda x: e.force(q, x, t), v),
    ):
        assert np.allclose(matrix @ along, -slope(function, x, along), rtol=1e-7, atol=1e-6)


def test_slopes_by_complex_steps():
    s = fm.System(gravity=(0.0, -9.81))
    bodies = [s.body(f"b{k}", mass=1.0, inertia=1.0, position=(k, 0.1 * k), angle=0.3 * k) for k in range(3)]
    for k, (a, b) in enumerate(itertools.pairwise(bodies)):
        s.add(fm.Spring(f"s{k}", a.at(0.1, 0.2), b.at(-0.2, 0.1), stiffness=7.0, damping=0.5, length=0.7))
    e = fm.Equations(s)
    q, v = e.initial()[0], RNG.normal(size=e.n)
    along, h = RNG.normal(size=e.n), 1e-30
    assert np.allclose(e.stiffness(q, v) @ along, -e.force(q + 1j * h * along, v).imag / h, rtol=1e-13, atol=1e-13)
    assert np.allclose(e.damping(q, v) @ along, -e.force(q, v + 1j * h * along).imag / h, rtol=1e-13, atol=1e-13)


def test_rows_their_jacobian_and_curvature(state):
    e, q, _, t = state
    along, weights = RNG.normal(size=e.n), RNG.normal(size=e.count)
    assert np.allclose(e.jacobian(q, t) @ along, slope(lambda x: e.constraints(x, t), q, along, 1e-3), atol=1e-10)
    pull = slope(lambda x: e.jacobian(x, t).T @ weights, q, along, 1e-3)
    assert np.allclose(e.curvature(q, weights, t) @ along, pull, atol=1e-10)


def test_rates_by_time(state):
    e, q, v, t = state
    one = np.array(1.0)
    assert np.allclose(e.force_rate(q, v, t), slope(lambda x: e.force(q, v, float(x)), np.array(t), one, 1e-4), atol=1e-8)
    assert np.allclose(e.constraints_rate(q, t), slope(lambda x: e.constraints(q, float(x)), np.array(t), one, 1e-3), atol=1e-10)
    rate = slope(lambda x: e.jacobian(q, float(x)).toarray(), np.array(t), one, 1e-3)
    assert np.allclose(e.jacobian_rate(q, t).toarray(), rate, atol=1e-10)


def test_springs_and_gravity_are_the_gradient_of_the_potential_energy():
    s = fm.System(gravity=(0.3, -9.81))
    a = s.body("a", mass=1.0, inertia=1.0, angle=0.4)
    b = s.body("b", mass=1.0, inertia=1.0, position=(1.0, 0.3), angle=-0.7)
    s.add(fm.Spring("s", a.at(0.1, 0.2), b.at(0.2, -0.1), stiffness=7.0, length=0.7))
    s.add(fm.Spring("z", s.ground.at(0.5, 0.2), b.at(0.2, -0.1), stiffness=5.0))
    e = fm.Equations(s)
    q, along = e.initial()[0], RNG.normal(size=e.n)
    work = slope(lambda x: np.array(e.output("energy.potential", x)), q, along, 1e-4)
    assert work == pytest.approx(-e.force(q) @ along, rel=1e-10)


def test_the_start_is_assembled(state):
    e, *_ = state
    q, v = e.initial()
    assert np.abs(e.constraints(q)).max() < 1e-12
    assert np.abs(e.jacobian(q) @ v + e.constraints_rate(q)).max() < 1e-12
    assert (e.mass - e.mass.T).nnz == 0 and len(e.coordinates) == e.n and len(e.rows) == e.count


def test_a_system_that_cannot_be_assembled_names_the_rows():
    s = fm.System()
    a = s.body("a", mass=1.0, inertia=1.0)
    s.add(fm.Revolute("left", s.ground.at(0.0, 0.0), a.at(0.0, 0.0)))
    s.add(fm.Revolute("right", s.ground.at(1.0, 0.0), a.at(2.0, 0.0)))
    with pytest.raises(fm.ModelError, match=r"stay open: .*(left|right)\.x"):
        fm.Equations(s).initial()


def test_arrays_over_samples_are_refused():
    s = fm.System()
    s.body("a", mass=np.array([1.0, 2.0]), inertia=1.0)
    with pytest.raises(fm.ModelError, match=r"a\.mass.*one sample"):
        fm.Equations(s)


def test_accelerations_are_those_of_the_compiled_equations(state):
    """M a + G' l = F, G a = -d(G v + Phi_t)/dt by the matrices, and by the symbolic elimination that the integrators run."""
    e, *_ = state
    t, (q, v) = 0.0, e.initial()
    v = v + np.linalg.lstsq(e.jacobian(q, t).toarray(), -e.jacobian(q, t) @ v - e.constraints_rate(q, t))[0]
    h = 1e-3
    rates = [e.jacobian(q + k * h * v, t + k * h) @ v + e.constraints_rate(q + k * h * v, t + k * h) for k in (-2, -1, 1, 2)]
    convective = (rates[0] - 8 * rates[1] + 8 * rates[2] - rates[3]) / (12 * h)
    G = e.jacobian(q, t).toarray()
    matrix = np.block([[e.mass.toarray(), G.T], [G, np.zeros((e.count, e.count))]])
    x = np.linalg.lstsq(matrix, np.r_[e.force(q, v, t), -convective])[0]
    equations = NaturalCoordinates(e.system)
    names = {"q": q, "v": v}
    names |= {"t": t, "mode": [1.0], "impact_velocity": [1.0], "least_impact_velocity": [1e-3], "impacts": [1.0]}
    names |= {"s": [e.turns[list(e.system.angles()).index(s.name.split(".")[0])] for s in equations.states]}
    exact = equations.graph.evaluate(equations.a + equations.multipliers, names, e.numbers)
    assert np.allclose(x, np.array(exact, float), rtol=1e-7, atol=1e-7 * np.abs(x).max())


# ---- equilibrium
def hanging(links, span=8.0, length=10.0, weight=1.0):
    """Chain of uniform rods between two pins at one height, hung as a V; weight in N/m."""
    s = fm.System(gravity=(0.0, -9.81))
    rod, slope, previous, x, y = length / links, np.arccos(span / length), s.ground.at(0.0, 0.0), 0.0, 0.0
    for k in range(links):
        angle = -slope if 2 * k < links else slope
        dx, dy = rod * np.cos(angle), rod * np.sin(angle)
        body = s.body(
            f"rod{k}", mass=weight * rod / 9.81, inertia=weight * rod**3 / 12 / 9.81, position=(x + dx / 2, y + dy / 2), angle=angle,
            points={"A": (-rod / 2, 0.0), "B": (rod / 2, 0.0)},
        )  # fmt: skip
        s.add(fm.Revolute(f"pin{k}", previous, body["A"]))
        previous, x, y = body["B"], x + dx, y + dy
    s.add(fm.Revolute("end", previous, s.ground.at(span, 0.0)))
    return s


CATENARY = {"H": 3.3820187908535226, "sag": 2.6543750913982094, "tension": 6.0363938822517325}


def test_hanging_chain():
    links = 40
    path = fm.static(hanging(links))
    rod = 10.0 / links
    vertical = (np.arange(links) - (links - 1) / 2) * rod  # moments about a rod's end: its slope is V at its middle over H
    pull = brentq(lambda h: (rod * h / np.hypot(h, vertical)).sum() - 8.0, 0.1, 50.0, xtol=1e-14)
    sag = (rod * np.abs(vertical) / np.hypot(pull, vertical)).sum() / 2
    found = {"H": abs(path["end.fx"][0]), "sag": -path[f"rod{links // 2 - 1}.B.y"][0], "tension": path["end.force"][0]}
    assert found["H"] == pytest.approx(pull, rel=1e-12) and found["sag"] == pytest.approx(sag, rel=1e-12)
    assert found["tension"] == pytest.approx(np.hypot(pull, 5.0), rel=1e-12)
    for key, exact in CATENARY.items():
        assert found[key] == pytest.approx(exact, rel=4e-4)


def test_chain_converges_to_the_catenary_with_the_square_of_the_links():
    errors = [CATENARY["H"] - abs(fm.static(hanging(n))["end.fx"][0]) for n in (10, 20, 40)]
    assert np.allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.05)


def test_loads_grow_with_time():
    s = fm.System()
    rod = s.body("rod", mass=1.0, inertia=1.0, points={"E": (1.0, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod.centre))
    s.add(fm.TorsionSpring("spring", s.ground, rod, stiffness=2.0))
    s.add(fm.Torque("load", s.ground, rod, moment=fm.Polynomial((0.0, 50.0))))
    path = fm.static(s, steps=20)
    assert np.allclose(path["rod.angle"], 25.0 * path.t, atol=1e-9), "angles count full turns"
    assert path.t[0] == 0.0 and path.t[-1] == 1.0 and np.allclose(path["spring.moment"], 50.0 * path.t)


def test_drives_move_with_time():
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=2.0, inertia=1.0, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), rod["O"], fm.Polynomial((0.0, 1.0))))
    path = fm.static(s, steps=4)
    assert np.allclose(path["rod.angle"], path.t, atol=1e-12)
    assert np.allclose(path["drive.moment"], 9.81 * np.cos(path.t), atol=1e-10)
    assert np.allclose(path["pin.fy"] + path["drive.fy"], 2 * 9.81, atol=1e-10)


def test_a_ball_rests_in_its_contact():
    s = fm.System(gravity=(0.0, -9.81))
    ball = s.body("ball", mass=2.0, inertia=1.0, position=(0.3, 0.999), angle=0.2)
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), radius=1.0, law=fm.HuntCrossley(stiffness=1e6, restitution=0.8)))
    s.add(fm.Spring("hold", s.ground.at(0.3, 0.0), ball.at(0.0, -0.5), stiffness=1.0))
    path = fm.static(s)
    depth = brentq(lambda d: 1e6 * d**1.5 - 2 * 9.81 - 0.5 + d, 1e-6, 1e-2, xtol=1e-16)
    assert 1.0 - path["ball.y"][0] == pytest.approx(depth, rel=1e-10) and path["ball.x"][0] == pytest.approx(0.3)


def test_from_far_away_a_system_settles():
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"O": (-0.5, 0.0), "E": (0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    path = fm.static(s)  # its tangent is singular at the start: a rod without tension
    assert path["rod.E.y"][0] == pytest.approx(-1.0, abs=1e-12) and path["pin.fy"][0] == pytest.approx(9.81)


def test_settling_finds_the_stable_equilibrium():
    def rod(angle):
        s = fm.System(gravity=(0.0, -9.81))
        body = s.body("rod", mass=1.0, inertia=0.1, position=(0.5 * np.cos(angle), 0.5 * np.sin(angle)), angle=angle)
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body.at(-0.5, 0.0)))
        return s

    near, settled = fm.static(rod, {"angle": 1.2}), fm.static(rod, {"angle": 1.2}, settle=True)
    assert near["rod.y"][0] == pytest.approx(0.5) and not fm.modes(near).stable
    assert settled["rod.y"][0] == pytest.approx(-0.5) and fm.modes(settled).stable


def test_what_can_move_freely_is_named():
    s = fm.System()
    for name in ("held", "loose"):
        s.body(name, mass=1.0, inertia=1.0)
    s.add(fm.Fixed("clamp", s.ground.at(0.0, 0.0), s.bodies[0].centre))
    with pytest.raises(fm.ModelError, match=r"singular, body 'loose' can move without a force \(coordinates loose\[0\]") as caught:
        fm.static(s)
    assert "held" not in str(caught.value)


def test_dependent_constraints_are_named():
    s = fm.System()
    a = s.body("a", mass=1.0, inertia=1.0)
    s.add(fm.Fixed("one", s.ground.at(0.0, 0.0), a.centre))
    s.add(fm.Fixed("two", s.ground.at(0.0, 0.0), a.centre))
    with pytest.raises(fm.ModelError, match=r"constraints .*one\.x.* depend on each other"):
        fm.static(s)


def test_unknown_output():
    with pytest.raises(fm.ModelError, match="near names: rod3"):
        fm.static(hanging(4))["rod3.xx"]


# ---- limit points
def truss(load, rise=0.3, stiffness=100.0):
    """Two springs from (-1, 0) and (1, 0) to a mass at (0, rise), pushed down by load times t (von Mises)."""
    s, length = fm.System(), float(np.hypot(1.0, rise))
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(0.0, rise))
    for name, x in (("left", -1.0), ("right", 1.0)):
        s.add(fm.Spring(name, s.ground.at(x, 0.0), mass.centre, stiffness=stiffness, length=length))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), mass.centre, axis=(0.0, 1.0)))
    s.add(fm.PointForce("load", mass.centre, fy=fm.Polynomial((0.0, -load))))
    return s, lambda y: 2 * stiffness * y * (length / np.hypot(1.0, y) - 1.0), np.sqrt(length ** (2 / 3) - 1.0)


def test_truss_snaps_through():
    system, load, y_limit = truss(5.0)
    path = fm.arc_length(system)
    assert np.allclose(5.0 * path.t, load(path["mass.y"]), atol=1e-12)
    y = path["mass.y"]
    assert path.t[-1] == 1.0 and y[-1] < -0.3 and np.all(np.diff(y) < 0)
    first, second = path.limit_points
    assert y[first] == pytest.approx(y_limit, rel=1e-8) and y[second] == pytest.approx(-y_limit, rel=1e-8)
    assert 5.0 * path.t[first] == pytest.approx(load(y_limit), rel=1e-12)
    assert not path.bifurcations and len(path) < 60


WALKS = list(itertools.product((0.03, 0.1, 0.25, 0.5, 1.0), (1.2, 2.0, 5.0, 20.0), (0.2, 0.05, 0.01, 0.002)))
SOME = ((0.03, 2.0, 0.2), (0.03, 20.0, 0.2), (0.25, 1.2, 0.01), (0.25, 2.0, 0.05))


@pytest.mark.parametrize(("rise", "factor", "step"), [x if x in SOME else pytest.param(*x, marks=pytest.mark.slow) for x in WALKS])
def test_no_step_jumps_over_limit_points(rise, factor, step):
    """Branches before and beyond both limit points have the same direction; the load is in limit loads."""
    _, load, y_limit = truss(1.0, rise)
    end = factor * load(y_limit)
    path = fm.arc_length(truss(end, rise)[0], step=step)
    y = path["mass.y"]
    assert np.allclose(y[list(path.limit_points)], [y_limit, -y_limit], rtol=1e-7, atol=0.0) and path.t[-1] == 1.0
    assert np.allclose(end * path.t, load(y), rtol=0.0, atol=1e-9 * end) and np.all(np.diff(y) < 0)


def test_the_end_is_found_before_a_limit_point_just_beyond_it():
    _, load, y_limit = truss(1.0)
    path = fm.arc_length(truss(load(y_limit) * (1.0 - 1e-6))[0], step=0.2)
    assert path.t[-1] == 1.0 and not path.limit_points and y_limit < path["mass.y"][-1] < y_limit + 1e-3


def test_load_steps_stop_at_a_limit_point():
    system, load, y_limit = truss(1.02 * truss(1.0)[1](truss(1.0)[2]))
    with pytest.raises(fm.ModelError, match="arc_length") as caught:
        fm.static(system, steps=50, iterations=8)
    path = caught.value.path
    assert path.t[-1] == pytest.approx(1 / 1.02, rel=2e-3) and path["mass.y"][-1] == pytest.approx(y_limit, rel=0.1)


def test_buckling_is_a_bifurcation():
    """A strut on a torsion spring: it can lean from P = c / L on, and the straight path goes on."""
    s = fm.System()
    strut = s.body("strut", mass=1.0, inertia=1.0, position=(0.0, 0.5), angle=np.pi / 2, points={"O": (-0.5, 0.0), "E": (0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), strut["O"]))
    s.add(fm.TorsionSpring("spring", s.ground, strut, stiffness=3.0, angle=np.pi / 2))
    s.add(fm.PointForce("load", strut["E"], fy=fm.Polynomial((0.0, -4.0))))
    path = fm.arc_length(s)
    (k,) = path.bifurcations
    assert 4.0 * path.t[k] < 3.0 <= 4.0 * path.t[k + 1] and not path.limit_points


def test_a_path_that_does_not_reach_its_end_is_kept():
    with pytest.raises(fm.ModelError, match="was not reached in 5 steps; raise max_steps") as caught:
        fm.arc_length(truss(5.0)[0], max_steps=5)
    assert 1 < len(caught.value.path) <= 7, "the start, five steps, and a limit point between them"


def test_a_falling_body_finds_no_rest():
    s = fm.System(gravity=(0.0, -9.81))
    s.body("stone", mass=1.0, inertia=1.0)
    with pytest.raises(fm.ModelError, match="body 'stone' can move without a force"):
        fm.static(s)


@pytest.mark.parametrize("keys", ({"steps": 0}, {"end": np.inf}))
def test_bad_load_steps(keys):
    with pytest.raises(fm.ModelError, match="steps"):
        fm.static(hanging(4), **keys)
