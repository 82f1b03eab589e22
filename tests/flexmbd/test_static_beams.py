"""Cables in equilibrium: the elastica, a beam that stretches too, a circle, the catenary, Lee's frame."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

import flexmbd as fm
from flexmbd.properties import published

# P L²/EI -> tip angle, shortening / L, deflection / L of the inextensible cantilever under a dead load (elliptic integrals)
TABLE = published("elastica")
ELASTICA = {x: tuple(TABLE[key][i] for key in ("tip_angle", "shortening", "deflection")) for i, x in enumerate(TABLE["load"].tolist())}


def strip(ratio, **options):
    """Numbers of a cable with bending stiffness 1 and EA = ratio."""
    section, material = fm.Section(area=1.0, second_moment=1.0 / ratio), fm.Material(E=ratio, nu=0.3, density=1.0)
    return {"section": section, "material": material, "strain": "engineering", "curvature": "material", **options}


def cantilever(elements, *, ratio, load=0.0, moment=0.0, **options):
    """Length and bending stiffness 1, EA L²/EI = ratio; load across and moment at the tip grow from 0 at t = 0 to their values at t = 1."""
    s = fm.System()
    beam = s.cable("beam", length=1.0, elements=elements, **strip(ratio, **options))
    s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), beam.start))
    s.add(fm.PointForce("load", beam.end, fy=fm.Polynomial((0.0, load))))
    s.add(fm.SectionTorque("moment", beam.end, fm.Polynomial((0.0, moment))))
    return s


def graded(ratio, load):
    """The same of two cables with eight elements each, the first of length 0.4: shorter where the curvature is large."""
    s = fm.System()
    root = s.cable("root", length=0.4, elements=8, **strip(ratio))
    beam = s.cable("beam", length=0.6, elements=8, position=(0.4, 0.0), **strip(ratio))
    joint = s.body("joint", mass=1.0, inertia=1.0, position=(0.4, 0.0))
    s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), root.start))
    s.add(fm.Clamp("before", joint.centre, root.end))
    s.add(fm.Clamp("behind", joint.centre, beam.start))
    s.add(fm.PointForce("load", beam.end, fy=fm.Polynomial((0.0, load))))
    return s


def tip(system):
    """Angle, shortening, deflection of the tip."""
    path = fm.static(system, steps=5)
    angle = np.arctan2(path["beam.end.slope_y"][-1], path["beam.end.slope_x"][-1])
    return np.array([angle, 1.0 - path["beam.end.x"][-1], path["beam.end.y"][-1]])


def extensible(ratio, load):
    """The same of a beam that stretches by N/EA: theta' = M/EI, M' = -(1 + N/EA) P cos theta, by shooting."""

    def along(s, y):
        stretch = 1.0 + load * np.sin(y[0]) / ratio
        return [y[1], -stretch * load * np.cos(y[0]), stretch * np.cos(y[0]), stretch * np.sin(y[0])]

    def end(moment):
        return solve_ivp(along, (0.0, 1.0), [0.0, moment, 0.0, 0.0], "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]

    angle, _, x, y = end(brentq(lambda moment: end(moment)[1], 0.0, load, xtol=1e-14))
    return np.array([angle, 1.0 - x, y])


@pytest.mark.parametrize("load", ELASTICA)
def test_elastica(load):
    """EA L²/EI = 1e8: the beam's stretch changes the tip by 1e-7 at most. 16 elements of one length, then of two."""
    bound = {1.0: 5e-8, 2.0: 1.5e-7, 5.0: 3.5e-7, 10.0: 5e-7}[load]
    assert np.abs(tip(cantilever(16, ratio=1e8, load=load)) - ELASTICA[load]).max() < bound
    assert np.abs(tip(graded(1e8, load)) - ELASTICA[load]).max() < 3e-7


@pytest.mark.parametrize(("rule", "bounds"), [("reduced", (5e-7, 5e-7)), ("full", (6e-6, 1e-3))])
def test_the_reduced_rule_does_not_lock(rule, bounds):
    """Error of the tip at ratios of 1e4 and 1e8; five axial points meet the second with a beam that is too stiff."""
    for ratio, bound in zip((1e4, 1e8), bounds, strict=True):
        error = np.abs(tip(cantilever(16, ratio=ratio, load=10.0, integration=rule)) - extensible(ratio, 10.0)).max()
        assert 0.2 * bound < error < bound


@pytest.mark.parametrize("rule", ["reduced", "full"])
def test_a_beam_that_stretches_converges_with_the_fourth_power_of_the_elements(rule):
    exact = extensible(100.0, 10.0)
    errors = np.array([np.abs(tip(cantilever(n, ratio=100.0, load=10.0, integration=rule)) - exact).max() for n in (8, 16, 32)])
    assert np.log2(errors[0] / errors[2]) > 2 * 3.8 and errors[1] < {"reduced": 5e-7, "full": 2e-6}[rule]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("rule", ["reduced", "full"])
@pytest.mark.parametrize("elements", [1, 3])
def test_only_rigid_motion_has_no_stiffness(dimension, rule, elements):
    """A straight line in space has no turn about itself."""
    s = fm.System(gravity=(0.0,) * dimension)
    s.cable("beam", length=float(elements), elements=elements, direction=(1.0, 2.0, -2.0)[:dimension], **strip(1.0, integration=rule))
    e = fm.Equations(s)
    sizes = np.linalg.eigvalsh(e.stiffness(e.initial()[0]).toarray())
    rigid = {2: 3, 3: 5}[dimension]
    assert np.abs(sizes[:rigid]).max() < 1e-12 and sizes[rigid] > 5e-3


@pytest.mark.parametrize("ratio", [1e4, 1e8])
def test_a_moment_of_two_pi_closes_a_circle(ratio):
    path = fm.static(cantilever(16, ratio=ratio, moment=2.0 * np.pi), steps=20)
    assert np.hypot(path["beam.end.x"][-1], path["beam.end.y"][-1]) < 1e-4
    assert path["clamp.moment"][-1] == pytest.approx(-2.0 * np.pi, rel=1e-12)
    half = np.argmin(np.abs(path.t - 0.5))
    assert path["beam.end.x"][half] == pytest.approx(0.0, abs=1e-4) and path["beam.end.y"][half] == pytest.approx(2.0 / np.pi, rel=1e-4)


def test_forces_and_tangent_of_a_cable():
    e = fm.Equations(cantilever(3, ratio=50.0, load=1.0, moment=2.0))
    rng = np.random.default_rng(0)
    q, along, h = e.initial()[0] + 0.1 * rng.normal(size=e.n), rng.normal(size=e.n), 1e-30
    assert np.allclose(e.stiffness(q, t=0.6) @ along, -e.force(q + 1j * h * along, t=0.6).imag / h, rtol=1e-12, atol=1e-10)


def test_cable_hangs_as_a_catenary():
    """Span 8, length 10, weight 1 N/m; started as two straight cables joined at the lowest point."""
    s, n = fm.System(gravity=(0.0, -1.0)), 16
    section, material = fm.Section(area=1.0, second_moment=1e-7), fm.Material(E=1e5, nu=0.3, density=1.0)
    left = s.cable("left", length=5.0, elements=n, section=section, material=material, direction=(4.0, -3.0))
    right = s.cable("right", length=5.0, elements=n, section=section, material=material, position=(4.0, -3.0), direction=(4.0, 3.0))
    s.add(fm.Revolute("a", s.ground.at(0.0, 0.0), left.start))
    s.add(fm.Revolute("low", left.end, right.start))
    s.add(fm.Revolute("b", s.ground.at(8.0, 0.0), right.end))
    path = fm.static(s)
    assert abs(path["a.fx"][0]) == pytest.approx(3.3820187908535226, rel=2e-3)
    assert -path["left.end.y"][0] == pytest.approx(2.6543750913982094, rel=2e-3)
    assert path["b.force"][0] == pytest.approx(6.0363938822517325, rel=2e-3)


SIZES = (100.0, 1.0, 3e-4, 1e-5)  # m


def steel(kind, length, slenderness, *, clamp=True):
    """Steel cantilever (pinned if not clamped) whose tip a dead load bends by 1e-4 of its length; second: density times area over EI."""
    side, s = length / slenderness, fm.System(gravity=(0.0, 0.0, 0.0))
    section, material = fm.Section.rectangle(side, side), fm.Material(E=2.1e11, nu=0.0, density=7800.0)
    body = getattr(s, kind)("rod", length=length, elements=4, section=section, material=material)
    joint = fm.Clamp if kind == "cable" else fm.Fixed
    s.add((joint if clamp else fm.Spherical)("wall", s.ground.at(0.0, 0.0, 0.0), body.start))
    stiffness = 2.1e11 * side**4 / 12
    s.add(fm.PointForce("load", body.end, fz=fm.Polynomial((0.0, 3e-4 * stiffness / length**2))))
    return s, 7800.0 * side**2 / stiffness


@pytest.mark.parametrize(("kind", "slenderness"), [("cable", 20), ("cable", 1000), ("beam", 300)])
def test_parts_of_any_size_bend_and_vibrate_alike(kind, slenderness):
    """Nothing but the size differs: deflection P L³/3EI, lowest frequency 3.516 sqrt(EI/m L⁴)."""
    found = []
    for length in SIZES:
        system, inertia = steel(kind, length, slenderness)
        path = fm.static(system, steps=1)
        slowest = fm.modes(path, count=1).frequencies[0] * np.sqrt(inertia) * length**2
        found.append((path["rod.end.z"][-1] / length, slowest))
    assert np.allclose(found, found[1], rtol=1e-7 if slenderness < 1000 else 2e-6)
    assert found[1] == pytest.approx((1e-4, 3.516015), rel=1e-4)


@pytest.mark.parametrize("length", SIZES)
def test_of_any_size_what_moves_freely_is_named(length):
    with pytest.raises(fm.ModelError, match="singular, body 'rod' can move without a force"):
        fm.static(steel("cable", length, 100, clamp=False)[0])


def frame(elements, load=3.0):
    """Lee's frame (Lee, Manuel and Rossow 1968): two bars of 120 with EI = 1440, EA = 4320, pinned; load at 24 from the corner."""
    s, measures = fm.System(), {"strain": "engineering", "curvature": "material"}
    section, material = fm.Section(area=6.0, second_moment=2.0), fm.Material(E=720.0, nu=0.3, density=1.0)
    same = {"length": 120.0, "elements": elements, "section": section, "material": material, **measures}
    post = s.cable("post", direction=(0.0, 1.0), **same)
    top = s.cable("top", position=(0.0, 120.0), points={"load": 24.0}, **same)
    corner = s.body("corner", mass=1.0, inertia=1.0, position=(0.0, 120.0))
    s.add(fm.Clamp("below", corner.centre, post.end))
    s.add(fm.Clamp("beside", corner.centre, top.start))
    s.add(fm.Revolute("foot", s.ground.at(0.0, 0.0), post.start))
    s.add(fm.Revolute("wall", s.ground.at(120.0, 120.0), top.end))
    s.add(fm.PointForce("load", top["load"], fy=fm.Polynomial((0.0, -load))))
    return s


def frame_load(fx, fy, angle, load, height):
    """Load that holds its point at a height, by the beams' equations from the foot on; reactions, angle and load as guesses.

    With the foot's reaction R the internal force is -R, behind the load -(R - P e_y): N = -R.t and M' = r' x R.
    """

    def along(s, y, fx, fy):
        c, n = np.cos(y[2]), np.sin(y[2])
        stretch = 1.0 - (fx * c + fy * n) / 4320.0
        return [stretch * c, stretch * n, y[3] / 1440.0, stretch * (c * fy - n * fx)]

    def gaps(x):
        fx, fy, angle, load = x
        y, places = np.array([0.0, 0.0, angle, 0.0]), []
        for length, turn, force in ((120.0, 0.0, 0.0), (24.0, -0.5 * np.pi, 0.0), (96.0, 0.0, load)):
            fy, y[2] = fy - force, y[2] + turn
            y = solve_ivp(along, (0.0, length), y, "DOP853", args=(fx, fy), rtol=1e-10, atol=1e-10).y[:, -1]
            places.append(y[1])
        return [y[0] - 120.0, y[1] - 120.0, y[3], places[1] - height]

    found = root(gaps, [fx, fy, angle, load], tol=1e-10)
    assert np.abs(found.fun).max() < 1e-6, found.message
    return found.x[3]


def test_lees_frame_snaps_through():
    path = fm.arc_length(frame(12), step=0.1)
    first, second = path.limit_points
    load, height = 3.0 * path.t, path["top.load.y"]
    angle = np.arctan2(path["post.start.slope_y"], path["post.start.slope_x"])
    for k in (first, second):
        assert load[k] == pytest.approx(frame_load(path["foot.fx"][k], path["foot.fy"][k], angle[k], load[k], height[k]), abs=2e-4)
    assert load[first] == pytest.approx(1.8557, abs=1e-4) and load[second] < 0.0 and path.t[-1] == 1.0
