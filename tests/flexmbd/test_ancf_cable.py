"""ANCF cables: kernels against differences, rigid motions, mass, vibrations, elastica, damping, and a falling rope against another code."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbd as fm
from flexmbd.bodies.ancf_rules import CURVATURES, RULES, STRAINS, cable_kernels, square, symmetric
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.language.nodes import in_vectors

from .tangents import close, jacobian

STEEL = fm.Material(2e11, 0.3, 7800.0)
ROUND = fm.Section.circle(0.01)
LENGTH = 2.0
EI, MU = STEEL.E * ROUND.second_moment, STEEL.density * ROUND.area
AXIS = {2: np.array([0.6, 0.8]), 3: np.array([1.0, 2.0, 2.0]) / 3.0}
SIDE = {2: np.array([-0.8, 0.6]), 3: np.array([2.0, 1.0, -2.0]) / 3.0}
FLAT = {2: (0.0, 0.0), 3: (0.0, 0.0, 0.0)}


def cantilever(dimension, elements=4, **more):
    s = fm.System(gravity=FLAT[dimension])
    rod = s.cable(
        "rod", length=LENGTH, elements=elements, section=ROUND, material=STEEL, direction=tuple(3.0 * AXIS[dimension]),
        points={"mid": 0.7 * LENGTH}, **more,
    )  # fmt: skip
    s.add(fm.Clamp("wall", s.ground.at(*FLAT[dimension]), rod.start))
    return s, rod


def rules(function):
    """A rule with the points of an element inside a cable, of its first, of its last, or of the only one."""
    pairs = [(name, key) for name, rule in RULES.items() for key in (ENDS if rule.given else ["in"])]
    cases = {f"{name}-{key}": (name, RULES[name].grouped(RULES[name].points(*ENDS[key]))) for name, key in pairs}
    return pytest.mark.parametrize(("rule", "points"), cases.values(), ids=cases)(function)


ENDS = {"in": (False, False), "first": (True, False), "last": (False, True), "only": (True, True)}
MEASURES = [(strain, curvature) for strain in STRAINS for curvature in CURVATURES]


def matrix(entries, place=square, size=9):
    """Array of a tangent's entries."""
    out = np.zeros((size, size))
    for at, x in place(entries, size).items():
        out[at] = x
    return out


# ---- kernels
@pytest.mark.parametrize(("ends", "degree"), [("in", 3), ("first", 4), ("last", 4), ("only", 5)])
def test_axial_points_integrate_polynomials(ends, degree):
    x, weight = np.reshape(RULES["reduced"].points(*ENDS[ends]), (3, 2)).T
    errors = [weight @ x**k - 1.0 / (k + 1) for k in range(degree + 2)]
    assert np.abs(errors[:-1]).max() < 1e-15 and abs(errors[-1]) > 1e-4
    first, last = ENDS[ends]
    assert (x[0] > 0.0) == first and (x[2] < 1.0) == last


@rules
@pytest.mark.parametrize("measures", MEASURES)
@pytest.mark.parametrize("seed", range(3))
def test_force_is_the_derivative_of_the_energy_and_the_tangent_that_of_the_force(rule, points, measures, seed):
    rng, kernels = np.random.default_rng(seed), cable_kernels(3, *measures, rule)
    y, numbers = np.tile([1.0, 0.0, 0.0], 3) + 0.2 * rng.normal(size=9), (7.0, 3.0, *points)
    close(np.array(kernels.force(in_vectors(y, 3), *numbers)), jacobian(lambda y: [kernels.energy(in_vectors(y, 3), *numbers)], y)[0])
    tangent = matrix(kernels.tangent(in_vectors(y, 3), *numbers), symmetric)
    close(tangent, jacobian(lambda y: kernels.force(in_vectors(y, 3), *numbers), y))
    exact = [np.imag(kernels.force(in_vectors(y + 1e-30j * along, 3), *numbers)) / 1e-30 for along in np.eye(9)]
    close(tangent, np.array(exact).T, 1e-14)


@rules
@pytest.mark.parametrize("measures", MEASURES)
def test_in_the_plane_it_is_the_same(rule, points, measures):
    """Kernels of two components, and those of three whose last one is zero."""
    flat, space = (cable_kernels(d, *measures, rule) for d in (2, 3))
    y, v = np.random.default_rng(1).normal(size=(2, 3, 2))
    y += [1.0, 0.0]
    states = [(y,), (y,), (y, v), (y, y - 0.1 * v)]
    for name, state in zip(("energy", "force", "damping", "conserving"), states, strict=True):
        found, wanted = (
            np.array(getattr(kernels, name)(*(tuple(map(tuple, np.pad(x, ((0, 0), (0, more))))) for x in state), 7.0, 3.0, *points))
            for kernels, more in ((flat, 0), (space, 1))
        )
        np.testing.assert_allclose(found, wanted if name == "energy" else np.delete(wanted, [2, 5, 8]), rtol=1e-12, atol=1e-12)


@rules
@pytest.mark.parametrize("strain", STRAINS)
@pytest.mark.parametrize("seed", range(3))
def test_tangents_of_the_damping_force(rule, points, strain, seed):
    rng, kernels = np.random.default_rng(seed), cable_kernels(3, strain, "exact", rule)
    y, v = np.tile([1.0, 0.0, 0.0], 3) + 0.2 * rng.normal(size=9), rng.normal(size=9)

    def of(kernel, y, v):
        return kernel(in_vectors(y, 3), in_vectors(v, 3), 7.0, 3.0, *points)

    tangent = of(kernels.damping_tangent, y, v)
    close(matrix(tangent[:81]), jacobian(lambda y: of(kernels.damping, y, v), y))
    viscosity = matrix(tangent[81:], symmetric)
    close(viscosity, jacobian(lambda v: of(kernels.damping, y, v), v))
    assert np.allclose(viscosity @ v, of(kernels.damping, y, v), rtol=1e-12)
    assert np.linalg.eigvalsh(viscosity)[0] > -1e-12, "damping takes energy out"


@rules
@pytest.mark.parametrize("measures", MEASURES)
def test_rigid_motion_gives_no_force(rule, points, measures):
    turn, kernels = Rotation.random(random_state=4).as_matrix(), cable_kernels(3, *measures, rule)
    straight, bent = np.tile([1.0, 0.0, 0.0], 3), np.array([1.0, 0.1, 0.0, 0.9, -0.3, 0.0, 1.0, 0.4, 0.0])

    def force(y):
        return np.reshape(kernels.force(in_vectors(y, 3), 1.0, 1.0, *points), (3, 3))

    assert np.abs(force(np.tile(turn[:, 0], 3))).max() < 2e-15
    turned = force((bent.reshape(3, 3) @ turn.T).ravel())
    assert np.allclose(turned, force(bent) @ turn.T, atol=2e-15)
    for y, spin in ((straight, (0.3, -2.0, 1.5)), (bent, (0.0, 0.0, 3.0))):
        v = np.cross(spin, y.reshape(3, 3)).ravel()
        assert np.abs(kernels.damping(in_vectors(y, 3), in_vectors(v, 3), 1.0, 1.0, *points)).max() < 3e-15


@rules
def test_damping_takes_the_rate_of_the_signed_curvature(rule, points):
    """In the plane at strain zero: an arc of curvature k(t) with its nodes on the circle, k l = 0.01."""
    k, rate = 0.01, 0.7

    def arc(k):
        chord = [np.sin(0.5 * k) / (0.5 * k), 0.0, 0.0]
        return np.array([*chord, np.cos(0.5 * k), -np.sin(0.5 * k), 0.0, np.cos(0.5 * k), np.sin(0.5 * k), 0.0])

    v = rate * (arc(k + 1e-5) - arc(k - 1e-5)) / 2e-5
    drag = cable_kernels(3, "green", "exact", rule).damping(in_vectors(arc(k), 3), in_vectors(v, 3), 0.0, 1.0, *points)
    assert np.dot(drag, v) == pytest.approx(rate**2, rel=1e-4)


# ---- the body's equations
@pytest.mark.parametrize("dimension", [2, 3])
def test_newton_sees_exact_derivatives(dimension):
    """Generalized forces of a whole damped cable under weight and end moment."""
    rng = np.random.default_rng(dimension)
    s, rod = cantilever(dimension, 2, damping=(1e-3, 2e-3))
    s.gravity = tuple(rng.normal(size=dimension))
    s.add(fm.SectionTorque("bend", rod["mid"], 3e3 if dimension == 2 else (1e3, -2e3, 3e3)))
    equations, q = fm.Equations(s), np.array(s.initial()[0])
    q, v = q + 0.05 * rng.normal(size=len(q)), rng.normal(size=len(q))
    close(jacobian(lambda q: equations.force(q, v), q), -equations.stiffness(q, v).toarray(), 1e-9)
    close(jacobian(lambda v: equations.force(q, v), v), -equations.damping(q, v).toarray(), 1e-9)
    undamped = fm.Equations(cantilever(dimension, 2)[0]).stiffness(q).toarray()
    assert np.array_equal(undamped, undamped.T), "what is one number is one node"


@pytest.mark.parametrize("dimension", [2, 3])
def test_mass_first_moment_and_kinetic_energy_are_exact(dimension):
    s = fm.System(gravity=tuple(3.0 * SIDE[dimension]))
    spin = {"rate": 1.7} if dimension == 2 else {"angular_velocity": tuple(1.7 * np.cross(AXIS[3], SIDE[3]))}
    rod = s.cable("rod", length=LENGTH, elements=3, section=ROUND, material=STEEL, direction=AXIS[dimension], **spin)
    equations, (q, v), parameters = NaturalCoordinates(s), s.initial(), s.parameters()
    point = {"q": q, "v": v, "t": 0.0}
    momentum, mass = equations.inertia.apply(equations.v), LENGTH * MU
    roots = [
        equations.kinetic_energy(),
        equations.potential_energy,
        *rod.wrench(equations, equations.generalized),
        *rod.wrench(equations, momentum),
    ]
    values = np.array([float(x) for x in equations.graph.evaluate(roots, point, parameters)])
    assert values[0] == pytest.approx(mass * LENGTH**2 * 1.7**2 / 6.0, rel=1e-13)
    assert values[1] == pytest.approx(0.0, abs=1e-12)
    force, moment = values[2 : 2 + dimension], values[2 + dimension]
    assert np.allclose(force, 3.0 * mass * SIDE[dimension], rtol=1e-13)
    if dimension == 2:
        assert moment == pytest.approx(3.0 * mass * LENGTH / 2.0, rel=1e-13)
        assert values[-1] == pytest.approx(mass * LENGTH**2 / 3.0 * 1.7, rel=1e-13)
        assert np.allclose(values[5:7], 1.7 * mass * LENGTH / 2.0 * SIDE[2], rtol=1e-13)


def test_points_anywhere_have_exact_places_and_slopes():
    s, rod = cantilever(2)
    equations, (q, _) = NaturalCoordinates(s), s.initial()
    point = {"q": q, "t": 0.0}
    roots = [*equations.values(rod.place(equations, rod["mid"])), *equations.values(rod.slope(equations, rod["mid"]))]
    assert np.allclose(equations.graph.evaluate(roots, point, s.parameters()), [*(1.4 * AXIS[2]), *AXIS[2]], rtol=1e-14)
    assert rod.at(0.5).node == 1 and rod.at(LENGTH) is rod.end and rod.at(0.5) is rod.at(0.5)


# ---- vibrations and equilibria
@pytest.mark.parametrize("dimension", [2, 3])
def test_cantilever_vibrates_and_decays_as_the_beam_does(dimension):
    """Poles of Kelvin-Voigt damping: ratio eta w/2 for each mode."""
    axial, bending = 1e-5, 2e-3
    found = fm.modes(cantilever(dimension, damping=(axial, bending))[0], damped=True, count=12)
    wanted = np.array([3.516015268529086, 22.034491565190766]) * np.sqrt(EI / (MU * LENGTH**4))
    many = dimension - 1  # alike in all directions
    assert np.allclose(np.abs(found.poles[: 2 * many : many]), wanted, rtol=[1e-4, 2e-3])
    assert np.allclose(found.ratios[: 2 * many : many], 0.5 * bending * wanted, rtol=[1e-4, 2e-3])
    stretch = 0.5 * np.pi / LENGTH * np.sqrt(STEEL.E / STEEL.density)
    free = fm.modes(cantilever(dimension)[0], count=8 * dimension).frequencies
    assert np.abs(free / stretch - 1.0).min() < 1e-3
    damped = fm.modes(cantilever(dimension, damping=(axial, 0.0))[0], damped=True, count=8 * dimension)
    k = np.argmin(np.abs(damped.frequencies / stretch - 1.0))
    assert damped.ratios[k] == pytest.approx(0.5 * axial * stretch, rel=2e-3)


@pytest.mark.parametrize("curvature", ["exact", "material"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_elastica(dimension, curvature):
    """Dead tip load P L^2/EI = 5: tip angle, shortening and deflection over L (REFERENCES.md 4); Clamp and its moment."""
    s, rod = cantilever(dimension, 12, curvature=curvature)
    load = 5.0 * EI / LENGTH**2
    s.add(fm.PointForce("tip", rod.end, **{f"f{a}": fm.Polynomial((0.0, load * x)) for a, x in zip("xyz", SIDE[dimension], strict=False)}))
    path, axes = fm.static(s), "xyz"[:dimension]
    tip, slope = ([path[f"rod.end.{key}{a}"][-1] for a in axes] for key in ("", "slope_"))
    along, across = tip @ AXIS[dimension] / LENGTH, tip @ SIDE[dimension] / LENGTH
    assert (1.0 - along, across) == (pytest.approx(0.3876283607, rel=6e-4), pytest.approx(0.7137915236, rel=5e-4))
    assert np.arctan2(slope @ SIDE[dimension], slope @ AXIS[dimension]) == pytest.approx(1.2153681176, rel=1e-4)
    moment = -load * along * LENGTH
    normal = [1.0] if dimension == 2 else np.cross(AXIS[3], SIDE[3])
    keys = ["wall.moment"] if dimension == 2 else [f"wall.m{a}" for a in "xyz"]
    assert np.dot([path[key][-1] for key in keys], normal) == pytest.approx(moment, rel=1e-7)
    assert abs(path["rod.start.curvature"][-1]) == pytest.approx(-moment / EI, rel=0.02)


@pytest.mark.parametrize("dimension", [2, 3])
def test_end_moment_closes_a_circle(dimension):
    s, rod = cantilever(dimension, 12)
    moment = 2.0 * np.pi * EI / LENGTH
    parts = moment * (np.ones(1) if dimension == 2 else np.cross(AXIS[3], SIDE[3]))
    loads = tuple(fm.Polynomial((0.0, x)) for x in parts)
    s.add(fm.SectionTorque("bend", rod.end, loads[0] if dimension == 2 else loads))
    path = fm.static(s, steps=20)
    assert np.allclose([path[f"rod.end.{a}"][-1] for a in "xyz"[:dimension]], 0.0, atol=2e-3 * LENGTH)
    keys = ["wall.moment"] if dimension == 2 else [f"wall.m{a}" for a in "xyz"]
    assert np.allclose([path[key][-1] for key in keys], -parts, rtol=1e-7, atol=1e-6 * moment)


# ---- motion
def rope(E, length=1.2):
    """Of `peers/ancf_pendulum.py`: horizontal at rest, pinned at one end."""
    s = fm.System(gravity=(0.0, -9.81))
    section, rubber = fm.Section(0.0018, 1.215e-8), fm.Material(E, 0.3, 5540.0)
    measures = {"strain": "engineering", "curvature": "material", "integration": "full"}
    body = s.cable("rope", length=length, elements=8, section=section, material=rubber, **measures)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body.start))
    return s


def fall(E, step, length=1.2):
    outputs = ["rope.end.x", "rope.end.y", "energy.balance:abs_max", "energy.kinetic:max", "rope.start.strain"]
    settings = {"integrator": "generalized_alpha", "step": step, "fixed": True, "lanes": 4, "spectral_radius": 0.9}
    inputs = {"E": np.asarray(E), "length": np.broadcast_to(length, np.shape(E))}
    got = fm.run(rope, inputs, end=1.0, points=2, outputs=outputs, settings=settings)
    assert not got.status.any(), got.message
    return got.outputs


def test_falling_rope_is_that_of_another_code():
    """Exudyn 1.13.6, ObjectANCFCable2D (strain |r'| - 1, curvature r' x r''/|r'|²), generalized-alpha with radius 0.9.

    peers/ancf_pendulum.py --n 8 --dt 1e-3 --mod 0 --ri 0: tip_x=-1.18161121 tip_y=-0.297591176; with --dt 1e-4: -1.18227103 -0.297993233.
    """
    got = fall([0.7e6, 1.4e6, 7e6], 1e-3)
    assert (got["rope.end.x"][0, -1], got["rope.end.y"][0, -1]) == (
        pytest.approx(-1.18161121, abs=2e-8),
        pytest.approx(-0.297591176, abs=2e-8),
    )
    fine = fall([0.7e6, 1.4e6, 7e6], 1e-4)
    assert (fine["rope.end.x"][0, -1], fine["rope.end.y"][0, -1]) == (
        pytest.approx(-1.18227103, abs=2e-8),
        pytest.approx(-0.297993233, abs=2e-8),
    )
    coarse, small = (x["energy.balance:abs_max"] / x["energy.kinetic:max"] for x in (got, fine))
    assert np.all(coarse < 2e-3) and np.all(small < 0.03 * coarse), "what is lost is of second order in the step"
    assert np.all(np.diff(fine["rope.start.strain"][:, -1]) < 0), "every lane has its own stiffness"


def whip(E, damping):
    """One element in space, clamped to a rigid body that turns on ground."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    hub = s.body("hub", mass=0.4, inertia=(1e-3, 1e-3, 2e-3), angular_velocity=(0.0, 0.0, 4.0), points={"A": (0.1, 0.0, 0.0)})
    s.add(fm.Revolute("axle", s.ground.at(0.0, 0.0, 0.0), hub.centre, axis=(0.0, 0.0, 1.0)))
    material = fm.Material(E, 0.3, 1200.0)
    more = {"position": (0.1, 0.0, 0.0), "angular_velocity": (0.0, 0.0, 4.0), "velocity": (0.0, 0.4, 0.0)}
    tail = s.cable("tail", length=0.5, elements=1, section=fm.Section.circle(0.01), material=material, damping=damping, **more)
    s.add(fm.Clamp("grip", hub["A"], tail.start))
    return s


@pytest.mark.slow
def test_damped_cable_on_a_turning_body_keeps_the_books():
    inputs = {"E": np.array([1e7, 2e7]), "damping": np.array([2e-3, 1e-2])}
    settings = {"integrator": "generalized_alpha", "step": 5e-4, "fixed": True, "lanes": 2}
    outputs = ["energy.balance", "energy.dissipated", "tail.strain_energy", "tail.end.z", "tail.end.curvature"]
    got = fm.run(whip, inputs, end=0.2, points=21, outputs=outputs, settings=settings)
    assert not got.status.any(), got.message
    x = got.outputs
    assert np.all(np.diff(x["energy.dissipated"], axis=1) > 0) and np.all(x["energy.dissipated"][:, -1] > 1e-3)
    assert np.abs(x["energy.balance"] - x["energy.balance"][:, :1]).max() < 1e-3 * x["energy.dissipated"][:, -1].min()


# ---- bad input
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"length": 0.0}, "cable 'rod': length is 0"),
        ({"length": np.array([1.0, -2.0])}, "cable 'rod': length is -2"),
        ({"elements": 0}, "cable 'rod': elements is 0"),
        ({"elements": 2.5}, "cable 'rod': elements is 2.5"),
        ({"direction": (0.0, 0.0)}, "cable 'rod': length of direction is 0"),
        ({"direction": (1.0, 0.0, 0.0)}, "cable 'rod': direction is"),
        ({"position": (1.0,)}, "cable 'rod': position is"),
        ({"velocity": 1.0}, "cable 'rod': velocity is"),
        ({"material": fm.Material(1e9, 0.3)}, "must be a Material with 'density'"),
        ({"material": 7800.0}, "must be a Material with 'E'"),
        ({"section": 1e-4}, "must be a Section with 'area'"),
        ({"damping": -1.0}, "cable 'rod': damping is"),
        ({"damping": float("nan")}, "cable 'rod': damping is"),
        ({"strain": "log"}, "it must be 'green' or 'engineering'"),
        ({"integration": "some"}, "it must be 'reduced' or 'full'"),
        ({"curvature": 3}, "it must be 'exact' or 'material' or 'small'"),
        ({"points": {"P": 1.1}}, "cable 'rod': a point is at arc length 1.1"),
        ({"points": {"P": np.array([0.1, 0.9])}}, "different elements in different samples"),
        ({"angular_velocity": 3.0}, "cable 'rod' of a planar system has no 'angular_velocity'"),
    ],
)
def test_wrong_cable_is_told(change, says):
    good = {"length": 1.0, "elements": 4, "section": ROUND, "material": STEEL}
    with pytest.raises(fm.ModelError, match=says.replace("(", r"\(")) as error:
        fm.System().cable("rod", **(good | change))
    assert "rod" in str(error.value)


def test_every_number_may_be_an_array_over_samples():
    many = np.array([1.0, 2.0, 3.0])
    section, material = fm.Section.rectangle(0.01 * many, 0.02), fm.Material(1e9 * many, 0.3, 1e3 * many)
    s = fm.System()
    place = {"position": (many, 0.0), "direction": (1.0, many), "velocity": (0.0, many), "rate": many}
    rod = s.cable(
        "rod", length=many, elements=2, section=section, material=material, damping=(1e-3 * many, 0.0), **place, points={"P": 0.3 * many}
    )
    s.add(fm.Clamp("wall", s.ground.at(many, 0.0), rod.start))
    equations, numbers = NaturalCoordinates(s), s.parameters()
    q = {"q": s.initial()[0], "t": 0.0}
    x, y = equations.graph.evaluate(equations.values(rod.place(equations, rod["P"])), q, numbers)
    assert np.allclose(np.hypot(x - many, y), 0.3 * many) and np.allclose(y / (x - many), many)
    assert all(
        np.allclose(r.polynomial.value(equations.q).graph.evaluate([r.polynomial.value(equations.q)], q, numbers), 0.0)
        for r in equations.rows
    )


@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_clamp_takes_the_direction_of_the_start(angle):
    s = fm.System()
    hub = s.body("hub", mass=1.0, inertia=1.0, angle=angle)
    rod = s.cable("rod", length=1.0, elements=1, section=ROUND, material=STEEL, direction=(3.0, -4.0))
    clamp = fm.Clamp("grip", hub.centre, rod.start)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    assert np.allclose(turn @ clamp.axis, (0.6, -0.8), rtol=1e-15)


def test_wrong_sections_and_ends_are_told():
    for make in (lambda: fm.Section(0.0, 1.0), lambda: fm.Section.circle(-1.0), lambda: fm.Section.rectangle(1.0, np.array([1.0, 0.0]))):
        with pytest.raises(fm.ModelError, match="it must be greater than zero"):
            make()
    with pytest.raises(fm.ModelError, match="below the radius"):
        fm.Section.circle(1.0, 2.0)
    s, rod = cantilever(2)
    body = s.body("body", mass=1.0, inertia=1.0)
    for wrong in (lambda: fm.Clamp("c", rod.end, body.centre), lambda: fm.Clamp("c", body.centre, body.at(1.0, 0.0))):
        with pytest.raises(fm.ModelError, match="clamp 'c' needs"):
            wrong()
    with pytest.raises(fm.ModelError, match="a point of a cable"):
        fm.SectionTorque("m", body.centre, 1.0)
    with pytest.raises(fm.ModelError, match="one number"):
        fm.SectionTorque("m", rod.end, (1.0, 2.0, 3.0))
    s.add(fm.Torque("m", s.ground, rod, 1.0))
    with pytest.raises(fm.ModelError, match="cable 'rod' has no frame"):
        NaturalCoordinates(s)
    space = fm.System(gravity=(0.0, 0.0, 0.0))
    with pytest.raises(fm.ModelError, match="different second moments"):
        space.cable("rod", length=1.0, elements=2, section=fm.Section.rectangle(0.1, 0.2), material=STEEL)


def test_sections():
    square = fm.Section.rectangle(0.2, 0.2)
    assert square.torsion == pytest.approx(0.140577 * 0.2**4, rel=1e-5)
    assert fm.Section.rectangle(0.1, 100.0).torsion == pytest.approx(0.1**3 * 100.0 / 3.0 * (1 - 0.63e-3), rel=1e-5)
    tube = fm.Section.circle(0.05, 0.04)
    assert (tube.area, tube.torsion) == (pytest.approx(np.pi * 9e-4), pytest.approx(2.0 * tube.second_moment))
