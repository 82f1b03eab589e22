"""ANCF beams: kernels against differences, rigid motions, tangents, mass, sections, many samples, bad input."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.bodies.ancf_beam_elastic import KERNELS
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.language.arrays import Program
from flexmbd.language.nodes import in_vectors
from flexmbd.tuning import Tuning

from .beams import NONE, SECTIONS, TURN, slender, system
from .tangents import close, jacobian


def of(y):
    return in_vectors(y, 3)


# ---- kernels
@pytest.fixture(params=range(3))
def point(request):
    """Arguments, rates, and numbers of an integration point."""
    rng = np.random.default_rng(request.param)
    y = np.r_[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, np.zeros(6)] + 0.25 * rng.normal(size=15)
    return y, rng.normal(size=15), (1.7, tuple(rng.uniform(1.0, 3.0, 6)), tuple(0.2 * rng.normal(size=6)))


def matrix(entries, places, symmetric=True):
    """Array of a tangent's entries."""
    out = np.zeros((15, 15))
    for (i, j), x in zip(places, entries, strict=True):
        out[i, j] = x
        out[j, i] = x if symmetric else out[j, i]
    return out


def test_force_is_the_derivative_of_the_energy_and_the_tangent_that_of_the_force(point):
    y, _, numbers = point
    close(np.array(KERNELS.force(of(y), *numbers)), jacobian(lambda y: [KERNELS.energy(of(y), *numbers)], y)[0])
    kernel, places = KERNELS.tangent
    tangent = matrix(kernel(of(y), *numbers), places)
    close(tangent, jacobian(lambda y: KERNELS.force(of(y), *numbers), y))
    exact = [np.imag(KERNELS.force(of(y + 1e-30j * along), *numbers)) / 1e-30 for along in np.eye(15)]
    close(tangent, np.array(exact).T, 1e-14)


def test_tangents_of_the_damping_force(point):
    y, v, numbers = point

    def drag(y, v):
        return KERNELS.drag(of(y), of(v), *numbers[:2])

    kernel, places, viscous = KERNELS.drag_tangent
    k = kernel(of(y), of(v), *numbers[:2])
    close(matrix(k[: len(places)], places, symmetric=False), jacobian(lambda y: drag(y, v), y))
    viscosity = matrix(k[len(places) :], viscous)
    close(viscosity, jacobian(lambda v: drag(y, v), v))
    assert np.linalg.eigvalsh(viscosity)[0] > -1e-12, "damping takes energy out"
    assert np.allclose(viscosity @ v, drag(y, v), rtol=1e-12)


def test_rigid_motion_at_a_point(point):
    y, _, numbers = point
    turned = (y.reshape(5, 3) @ TURN.T).ravel()
    force = np.reshape(KERNELS.force(of(y), *numbers), (5, 3))
    assert np.allclose(np.reshape(KERNELS.force(of(turned), *numbers), (5, 3)), force @ TURN.T, atol=1e-13)
    spin = np.cross((0.3, -2.0, 1.5), y.reshape(5, 3)).ravel()
    assert np.abs(KERNELS.drag(of(y), of(spin), *numbers[:2])).max() < 1e-13


# ---- the body's equations
@pytest.mark.parametrize("sections", SECTIONS)
@pytest.mark.parametrize("curvature", [NONE, (0.3, -0.5, 0.8)])
def test_rigid_motion_of_the_body_gives_no_force(curvature, sections):
    s, _ = slender(
        3, 10.0, clamp=False, curvature=curvature, direction=(1.0, 2.0, -1.0), up=(0.0, 1.0, 1.0), damping=0.1, sections=sections
    )
    e, q = fm.Equations(s), np.array(s.initial()[0]).reshape(-1, 3)
    spin = np.array([0.3, -2.0, 1.5])
    moved, v = q @ TURN.T, np.cross(spin, q @ TURN.T)
    moved[::3] += [3.0, -1.0, 2.0]
    scale = 12.0 * 10.0**2  # EA
    for x, rate in ((q, 0.0 * q), (moved, v)):
        assert np.abs(e.force(x.ravel(), rate.ravel())).max() < 1e-13 * scale
        assert abs(e.output("rod.strain_energy", x.ravel())) < 1e-26 * scale
    assert np.abs(e.constraints(moved.ravel())).max(initial=0.0) < 1e-14


@pytest.mark.parametrize("sections", SECTIONS)
def test_tangents_of_a_whole_beam(sections):
    """Loads, weight, damping; by complex steps."""
    rng = np.random.default_rng(1)
    s, beam = slender(2, 10.0, curvature=(0.2, 0.3, -0.4), damping=1e-2, sections=sections)
    s.gravity = (1.0, -2.0, 3.0)
    s.add(fm.SectionTorque("bend", beam.at(0.7), (1.0, -2.0, 3.0)))
    s.add(fm.PointForce("push", beam.section(0.6).at(0.02, -0.03), 5.0, -3.0, 1.0))
    e = fm.Equations(s)
    q, v, h = np.array(s.initial()[0]) + 0.03 * rng.normal(size=e.n), rng.normal(size=e.n), 1e-30
    K, D = e.stiffness(q, v), e.damping(q, v)
    for along in rng.normal(size=(3, e.n)):
        assert np.allclose(K @ along, -e.force(q + 1j * h * along, v + 0j).imag / h, rtol=1e-11, atol=1e-11 * abs(K).max())
        assert np.allclose(D @ along, -e.force(q + 0j, v + 1j * h * along).imag / h, rtol=1e-11, atol=1e-11 * abs(D).max())


def test_mass_weight_and_momenta_are_exact():
    s = fm.System(gravity=(3.0, -1.0, 2.0))
    frame, spin, length = np.array([TURN[:, k] for k in range(3)]), np.array([0.4, -1.0, 2.0]), 2.0
    section, material = fm.Section.rectangle(0.1, 0.3), fm.Material(1e9, 0.3, 700.0)
    beam = s.beam(
        "rod", length=length, elements=3, section=section, material=material, direction=frame[0], up=frame[1], angular_velocity=tuple(spin)
    )
    equations, (q, v), parameters = NaturalCoordinates(s, tuning=Tuning(single_size=99)), s.initial(), s.parameters()
    at = {"q": q, "v": v, "t": 0.0}
    wrench = beam.start.body.wrench
    momenta = equations.inertia.apply(equations.v)
    roots = [equations.kinetic_energy(), equations.potential_energy, *wrench(equations, equations.generalized), *wrench(equations, momenta)]
    got = np.array([float(x) for x in equations.graph.evaluate(roots, at, parameters)])
    line, mass = 700.0 * 0.03, 700.0 * 0.03 * length
    second = np.diag([mass * length**2 / 3.0, 700.0 * length * section.second_moment, 700.0 * length * section.second_moment_y])
    inertia = frame.T @ (np.trace(second) * np.eye(3) - second) @ frame
    arm = 0.5 * length * frame[0]
    assert got[0] == pytest.approx(0.5 * spin @ inertia @ spin, rel=1e-13) and line * length == pytest.approx(mass)
    assert got[1] == pytest.approx(-mass * arm @ s.gravity, rel=1e-12)
    assert np.allclose(got[2:8], [*(mass * np.array(s.gravity)), *np.cross(arm, mass * np.array(s.gravity))], rtol=1e-12, atol=1e-10)
    assert np.allclose(got[8:], [*(mass * np.cross(spin, arm)), *(inertia @ spin)], rtol=1e-12, atol=1e-10)


def test_sections_anywhere():
    s, beam = system(
        4, section=fm.Section.circle(0.1), material=fm.Material(1e9, 0.3, 1e3), length=2.0, direction=TURN[:, 0], up=TURN[:, 1],
        points={"mid": 1.1},
    )  # fmt: skip
    corner = beam.section(1.1).at(0.02, -0.05)
    e = fm.Equations(s)
    q = np.array(s.initial()[0])
    equations = NaturalCoordinates(s, solved=False)
    nodes = [*equations.values(equations.place(corner)), *equations.values(equations.direction(corner.body, 1.0, 2.0, -3.0))]
    values = Program(equations.graph, nodes, e.numbers)({"q": q})
    assert np.allclose(values[:3], TURN @ [1.1, 0.02, -0.05], rtol=1e-13) and np.allclose(values[3:], TURN @ [1.0, 2.0, -3.0], rtol=1e-13)
    spin = np.array([0.3, 0.2, -0.7])
    v = np.cross(spin, q.reshape(-1, 3)).ravel()
    assert np.allclose([e.output(f"rod.mid.omega_{a}", q, v) for a in "xyz"], spin, rtol=1e-13)
    assert beam.at(0.75).body.node == 3 and beam.at(2.0) is beam.end and beam.section(0.5) is beam.section(0.5)


def test_torques_do_virtual_work_on_the_spin_of_a_section():
    """On any strained section; as a load of a section, as one of a point, and with its reaction on a body."""
    rng, moment = np.random.default_rng(3), (1.0, -2.0, 3.0)

    def loaded(add):
        s, beam = slender(2, 10.0, clamp=False)
        hub = s.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
        add(s, beam, hub)
        return fm.Equations(s)

    bare = loaded(lambda s, beam, hub: None)
    q, v = np.array(bare.system.initial()[0]), rng.normal(size=bare.n)
    q[:-12] += 0.1 * rng.normal(size=len(q) - 12)
    for section in (0.5, 0.6):
        one = loaded(lambda s, beam, hub, at=section: s.add(fm.SectionTorque("m", beam.at(at, "A"), moment)))
        other = loaded(lambda s, beam, hub, at=section: s.add(fm.Torque("m", hub, beam.at(at, "A").body, moment)))
        push = one.force(q) - bare.force(q)
        spin = np.array([one.output(f"rod.A.omega_{a}", q, v) for a in "xyz"])
        assert push @ v == pytest.approx(np.dot(moment, spin), rel=1e-11)
        assert np.allclose((other.force(q) - bare.force(q))[:-12], push[:-12], rtol=1e-11, atol=1e-11)
        turned = np.cross((0.3, 0.4, -0.5), np.array(bare.system.initial()[0]).reshape(-1, 3)).ravel()
        rigid = [one.output(f"rod.A.omega_{a}", np.array(bare.system.initial()[0]), turned) for a in "xyz"]
        assert np.allclose(rigid, (0.3, 0.4, -0.5), rtol=1e-13)


# ---- many samples, and bad input
def test_numbers_may_differ_from_sample_to_sample():
    """Packed and alone, for a curved beam whose every number is an array."""
    many = {"length": np.array([1.0, 2.0]), "curvature": (np.array([0.0, 0.3]), 0.1, np.array([1.0, 0.5])), "damping": np.array([0.0, 0.1])}

    def curved(k=None, **more):
        given = (
            {key: tuple(np.broadcast_to(y, 2)[k] for y in x) if isinstance(x, tuple) else x[k] for key, x in many.items()}
            if k is not None
            else many
        )
        side = np.array([0.1, 0.2]) if k is None else (0.1, 0.2)[k]
        s = fm.System(gravity=NONE)
        s.beam(
            "rod",
            elements=2,
            section=fm.Section.rectangle(side, side),
            material=fm.Material(1e6, 0.3, 1e3),
            direction=(1.0, 1.0, 0.0),
            **given,
        )
        return s

    both, (q, _) = curved().parameters(), curved().initial()
    for k in range(2):
        alone = curved(k)
        for path, x in alone.parameters().items():
            assert np.broadcast_to(both[path], 2)[k] == pytest.approx(x, rel=1e-14, abs=1e-15), path
        assert np.allclose([np.broadcast_to(x, 2)[k] for x in q], alone.initial()[0], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"length": -1.0}, "beam 'rod': length is -1"),
        ({"elements": 0}, "beam 'rod': elements is 0"),
        ({"direction": (0.0, 0.0, 0.0)}, "length of direction is 0"),
        ({"up": (2.0, 0.0, 0.0)}, "up .across the direction. is 0"),
        ({"curvature": (1.0, 2.0)}, "curvature is"),
        ({"velocity": 1.0}, "velocity is 1.0; it must be three numbers"),
        ({"damping": -1.0}, "damping is -1"),
        ({"sections": "soft"}, "sections is 'soft'"),
        ({"section": 1.0}, "section is 1.0, which has no 'area'"),
        ({"material": fm.Material(1e9, 0.3)}, "which has no 'density'"),
        ({"spin": 1.0}, "beam 'rod' has no 'spin'"),
        ({"points": {"A": 1.5}}, "arc length 1.5; it must be from 0 to the length"),
    ],
)
def test_bad_input(change, says):
    given = {"length": 1.0, "elements": 1, "section": fm.Section.circle(0.1), "material": fm.Material(1e9, 0.3, 1e3)} | change
    with pytest.raises(fm.ModelError, match=says):
        fm.System(gravity=NONE).beam("rod", **given)


def test_a_beam_needs_space_and_another_one_a_body_between():
    given = {"length": 1.0, "elements": 1, "section": fm.Section.circle(0.1), "material": fm.Material(1e9, 0.3, 1e3)}
    with pytest.raises(fm.ModelError, match="needs a spatial system"):
        fm.System().beam("rod", **given)
    s = fm.System(gravity=NONE)
    one, other = (s.beam(name, **given) for name in ("one", "other"))
    with pytest.raises(fm.ModelError, match="two sections of beams to each other"):
        s.add(fm.Fixed("weld", one.end, other.start))
    with pytest.raises(fm.ModelError, match="point of a section has two"):
        one.section(0.5).at(1.0)


@pytest.mark.parametrize(
    ("section", "shear"),
    [
        (fm.Section.rectangle(1.0, 2.0), 5 / 6),
        (fm.Section.circle(1.0), 6 / 7),
        (fm.Section.circle(1.0, 0.9999), 0.5),
        (fm.Section(1.0, 1.0), 5 / 6),
    ],
)
def test_shear_factors(section, shear):
    assert section.shear == pytest.approx(shear, rel=1e-7) and section.shear_z == section.shear
