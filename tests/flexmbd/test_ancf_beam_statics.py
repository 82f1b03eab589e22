"""ANCF beams in equilibrium: patches, no locking, elastica, curved rods, a helix, beams and bodies."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbd as fm
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.language.arrays import Program

from .beams import NONE, SECTIONS, TURN, place, ramp, slender, system
from .reissner_rod import rod


# ---- patches: small loads, exact answers, one and three elements
@pytest.mark.parametrize("sections", SECTIONS)
@pytest.mark.parametrize("elements", [1, 3])
def test_patches(elements, sections):
    """Stretch, twist, bending and shear of a cantilever of an oblong section, linear in small loads."""
    length, direction, up = 2.0, TURN[:, 0], TURN[:, 1]
    section, material = fm.Section.rectangle(0.2, 0.3), fm.Material(2e6, 0.25, 1.0)
    E, G, A, small = 2e6, 8e5, 0.06, 1e-6
    Iz, Iy, J = section.second_moment, section.second_moment_y, section.torsion
    bars = {
        "pull": ((small * E * A, 0, 0), NONE, (small * length, 0, 0), NONE),
        "twist": (NONE, (small * G * J, 0, 0), NONE, (small * length, 0, 0)),
        "bend y": (NONE, (0, small * E * Iy, 0), (0, 0, -small * length**2 / 2), (0, small * length, 0)),
        "bend z": (NONE, (0, 0, small * E * Iz), (0, small * length**2 / 2, 0), (0, 0, small * length)),
        "push y": (
            (0, small * E * Iz, 0), NONE, (0, small * (length**3 / 3 + E * Iz * length / (5 / 6 * G * A)), 0),
            (0, 0, small * length**2 / 2),
        ),
        "push z": (
            (0, 0, small * E * Iy), NONE, (0, 0, small * (length**3 / 3 + E * Iy * length / (5 / 6 * G * A))),
            (0, -small * length**2 / 2, 0),
        ),
    }  # fmt: skip
    for name, (force, moment, moved, turned) in bars.items():
        s, beam = system(
            elements,
            section=section,
            material=material,
            length=length,
            direction=direction,
            up=up,
            position=(1.0, 2.0, 3.0),
            sections=sections,
        )
        s.add(fm.PointForce("force", beam.end, *(ramp(x) for x in TURN @ force)))
        s.add(fm.SectionTorque("moment", beam.end, tuple(ramp(x) for x in TURN @ moment)))
        path = fm.static(s, steps=1, tolerance=1e-13)
        assert np.allclose(TURN.T @ (place(path) - place(path, 0)), moved, rtol=0, atol=2e-5 * small), name
        a, b = (TURN.T @ [path[f"rod.end.d{k}{x}"][-1] for x in "xyz"] for k in (2, 3))
        assert np.allclose([a[2], b[0], -a[0]], turned, rtol=0, atol=2e-5 * small), name
        got = [path[f"rod.start.{key}"][-1] for key in ("strain", "shear_y", "shear_z", "twist", "curvature_y", "curvature_z")]
        held = np.array(moment) + np.cross((length, 0.0, 0.0), force)
        parts = np.array([E * A, 5 / 6 * G * A, 5 / 6 * G * A, G * J, E * Iy, E * Iz])
        assert np.allclose(got, [*force, *held] / parts, rtol=0, atol=2e-5 * small), name
        work = 0.5 * (np.dot(force, moved) + np.dot(moment, turned))
        assert path["rod.strain_energy"][-1] == pytest.approx(work, rel=2e-5), name
        reaction = TURN.T @ [path[f"wall.f{x}"][-1] for x in "xyz"], TURN.T @ [path[f"wall.m{x}"][-1] for x in "xyz"]
        arm = np.array([length, 0, 0]) + moved
        assert np.allclose(reaction[0], -np.array(force), rtol=0, atol=1e-7 * np.abs(force).max() + 1e-12), name
        assert np.allclose(reaction[1], -np.array(moment) - np.cross(arm, force), rtol=0, atol=1e-5), name


@pytest.mark.parametrize("sections", SECTIONS)
@pytest.mark.parametrize("elements", [1, 2, 4, 8])
def test_no_locking(elements, sections):
    """Tip of a cantilever under a small load against Timoshenko's; what is left is that of finite rotation, alike for all slendernesses."""
    load, errors = 1e-3, []
    for ratio in (10.0, 100.0, 1000.0):
        s, beam = slender(elements, ratio, sections=sections)
        s.add(fm.PointForce("tip", beam.end, 0.0, ramp(load)))
        exact = load * (1.0 / 3.0 + 1.0 / (5.0 / 6.0 * 6.0 * ratio**2))  # GA = 6 ratio²
        errors.append(fm.static(s, steps=1)["rod.end.y"][-1] / exact - 1.0)
    assert np.all(np.abs(errors) < 2e-7) and np.ptp(errors) < 5e-10


def test_elastica_at_all_slendernesses():
    """Dead tip load 10 EI/L² (REFERENCES.md 4): the error falls with the fourth power of the elements, alike for all slendernesses."""
    exact, errors = np.array([1.0 - 0.5549955978, 0.8106090249]), {}
    for ratio, elements in ((1e3, 4), (1e3, 8), (1e3, 16), (1e4, 4), (1e4, 8)):
        s, beam = slender(elements, ratio)
        s.add(fm.PointForce("tip", beam.end, 0.0, ramp(10.0)))
        errors[ratio, elements] = np.abs(place(fm.static(s, steps=5))[:2] - exact).max()
    assert errors[1e3, 4] < 3e-3 and errors[1e3, 8] < 2.5e-4 and errors[1e3, 16] < 1.6e-5
    assert all(errors[1e4, n] < 1.01 * errors[1e3, n] for n in (4, 8))


# ---- curved rods
def bend(elements, loads, **more):
    """A quarter of a right angle: radius 100, section 1 x 1, E = 1e7, no Poisson effect, dead load across at the end."""
    torsion = more.pop("torsion", 1.0 / 6.0)
    s, beam = system(
        elements, section=fm.Section(1.0, 1.0 / 12.0, 1.0 / 12.0, torsion), material=fm.Material(1e7, 0.0, 1.0), length=25.0 * np.pi,
        direction=(0.0, 1.0, 0.0), up=(-1.0, 0.0, 0.0), curvature=(0.0, 0.0, -0.01), **more,
    )  # fmt: skip
    s.add(fm.PointForce("tip", beam.end, 0.0, 0.0, ramp(600.0)))
    path = fm.static(s, steps=8)
    return [place(path, np.argmin(np.abs(path.t - load / 600.0))) for load in loads]


def bent_rod(loads, torsion=1.0 / 6.0):
    """The same by Reissner's rod, integrated."""
    frame, guess, out = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], None, []
    stiffness = [1e7, *2 * [5e6 * 5.0 / 6.0], 5e6 * torsion, *2 * [1e7 / 12.0]]
    for load in (150.0, 300.0, 450.0, 600.0):
        tip, guess = rod(25.0 * np.pi, frame, (0.0, 0.0, -0.01), stiffness, force=(0.0, 0.0, load), guess=guess)
        out += [tip[:3]] if load in loads else []
    return out


def test_bend_of_45_degrees():
    """Against a rod integrated to rounding; eight elements of three nodes are within 0.006 of it, published ones where their tables say.

    Bathe and Bolourchi (1979, Int. J. Numer. Meth. Engng 14, 961-986), eight cubic elements; Simo and Vu-Quoc (1986, Comput. Methods Appl.
    Mech. Eng. 58, 79-116), eight linear ones.
    """
    loads = (300.0, 450.0, 600.0)
    exact = bent_rod(loads)
    assert np.allclose(exact[::2], [(22.5, 59.2, 39.5), (15.9, 47.2, 53.4)], atol=0.75)
    assert np.allclose(exact, [(22.33, 58.84, 40.08), (18.62, 52.32, 48.39), (15.79, 47.23, 53.37)], atol=0.13)
    assert np.allclose(exact[2], (15.6848, 47.1504, 53.4749), atol=1e-3), "REFERENCES.md 4, with GJ = G/6"
    errors = np.array([np.abs(np.subtract(bend(n, loads, sections="rigid"), exact)).max(axis=1) for n in (4, 8)])
    assert np.all(errors[1] < 6e-3) and np.all(errors[0] / errors[1] > 9.0)
    assert np.abs(np.subtract(bend(8, loads), exact)).max() < 6e-3
    assert np.abs(np.subtract(bend(16, loads[2:]), exact[2:])).max() < 8e-4, "sections that strain make 6e-4 of it"
    narrow = bend(8, loads, torsion=0.1406, sections="rigid")[2]
    assert np.allclose(narrow, (15.5577, 46.8916, 53.6080), atol=6e-3), "REFERENCES.md 4, with GJ = .1406 G"


def test_straight_beam_becomes_a_helix():
    """Dead end moment M oblique to the beam: its torsion is the same all along, so the tangent turns about M at the rate |M|/EI.

    ``r' = exp(s M/EI) e`` and ``R(s) = exp(s M/EI) exp(s (1/GJ - 1/EI) (M.e) e)``, whatever GJ is; one turn.
    """
    direction = np.array([2.0, 1.0, 2.0]) / 3.0
    axis = 0.5 * direction + np.cross(direction, [0.0, 0.0, 1.0])
    moment = 2.0 * np.pi * axis / np.linalg.norm(axis)
    errors = []
    for elements in (8, 16):
        s, beam = slender(elements, 1e3, direction=tuple(direction))
        s.add(fm.SectionTorque("bend", beam.end, tuple(ramp(x) for x in moment)))
        path = fm.static(s, steps=8)
        size = np.linalg.norm(moment)
        along = direction @ moment / size
        across = direction - along * moment / size
        sideways = np.cross(moment, direction) / size
        tip = along * moment / size + np.sin(size) / size * across + (1.0 - np.cos(size)) / size * sideways
        GJ = 0.5 * 12.0 * fm.Section.rectangle(1.0, 1.0).torsion
        first = Rotation.from_rotvec((1.0 / GJ - 1.0) * (moment @ direction) * direction)
        start = np.array([path[f"rod.start.d2{a}"][0] for a in "xyz"])
        wanted = (Rotation.from_rotvec(moment) * first).apply(start)
        got = np.array([path[f"rod.end.d2{a}"][-1] for a in "xyz"])
        errors.append((np.abs(place(path) - tip).max(), np.abs(got - wanted).max()))
        assert np.allclose([path[f"wall.m{a}"][-1] for a in "xyz"], -moment, atol=1e-5 * size)
        assert np.allclose([path[f"wall.f{a}"][-1] for a in "xyz"], 0.0, atol=1e-6 * size)
    errors = np.array(errors)
    assert np.all(errors[1] < (2e-4, 1e-3)) and np.all(errors[0] / errors[1] > 12.0)


def test_spirals_start_without_strain_where_they_should():
    """A helix of curvature 1 and torsion 1/2, held at both ends as it is."""
    s, beam = slender(20, 100.0, length=6.0, curvature=(0.5, 0.0, 1.0), points={"mid": 2.0})
    q, size = np.array(s.initial()[0]).reshape(-1, 3), np.sqrt(1.25)
    axis = np.array([0.5, 0.0, 1.0]) / size
    turned = Rotation.from_rotvec(6.0 * size * axis)
    end = axis * 0.5 / size * 6.0 + (np.array([1.0, 0.0, 0.0]) - axis * 0.5 / size) * np.sin(6.0 * size) / size
    end += np.cross(axis, [1.0, 0.0, 0.0]) * (1.0 - np.cos(6.0 * size)) / size
    assert np.allclose(q[-3], end, rtol=1e-13) and np.allclose(q[-2:], turned.as_matrix().T[1:], rtol=1e-13)
    assert np.abs(fm.Equations(s).force(q.ravel())).max() < 1e-11 * 12.0 * 100.0**2
    s.add(fm.Fixed("far", s.ground.at(*end), beam.end))
    path = fm.static(s)
    assert np.abs(path.q[0] - q.ravel()).max() < 1e-12 and abs(path["far.force"][0]) < 1e-6
    assert abs(path["rod.mid.curvature_z"][0]) < 1e-11 and abs(path["rod.end.twist"][0]) < 1e-11


# ---- joints
def frame(load, **more):
    """A beam along x from a wall, another along y from its end, welded to a body between them; a load out of their plane at the end."""
    s = fm.System(gravity=NONE)
    same = {"section": fm.Section.rectangle(0.02, 0.03), "material": fm.Material(2e11, 0.25, 7800.0), "elements": 1, **more}
    corner = s.body("corner", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.5, 0.0, 0.0), rotation=(0.3, 0.5, -0.2))
    leg = s.beam("leg", length=1.5, **same)
    arm = s.beam("arm", length=1.0, position=(1.5, 0.0, 0.0), direction=(0.0, 1.0, 0.0), **same)
    s.add(fm.Fixed("wall", s.ground.at(*NONE), leg.start))
    s.add(fm.Fixed("one", corner.centre, leg.end))
    s.add(fm.Fixed("two", arm.start, corner.centre))
    s.add(fm.PointForce("load", arm.end, 0.0, 0.0, ramp(load)))
    return s


@pytest.mark.parametrize("sections", SECTIONS)
def test_beams_welded_to_a_body(sections):
    load, E, G, section = 1e-3, 2e11, 8e10, fm.Section.rectangle(0.02, 0.03)
    path = fm.static(frame(load, sections=sections), steps=1, tolerance=1e-13)
    EI, GJ, GA = E * section.second_moment_y, G * section.torsion, 5.0 / 6.0 * G * section.area
    moved = load * (1.5**3 / (3.0 * EI) + 1.0 / (3.0 * EI) + 1.5 / GJ + 2.5 / GA)
    assert path["arm.end.z"][-1] == pytest.approx(moved, rel=2e-5)
    assert [path[f"wall.m{a}"][-1] for a in "xyz"] == pytest.approx([-load, 1.5 * load, 0.0], rel=1e-5, abs=1e-5 * load)
    assert [path[f"one.f{a}"][-1] for a in "xyz"] == pytest.approx([0.0, 0.0, load], abs=1e-6 * load)


def test_hinge_in_the_section_and_ball_at_the_end():
    """A beam on a hinge and a ball joint hangs as a simply supported one: 5 q L⁴/384 EI + q L²/8 GA."""
    section, material = fm.Section.rectangle(0.02, 0.03), fm.Material(2e11, 0.25, 7800.0)
    s = fm.System(gravity=(0.0, -9.81, 0.0))
    body = s.body("slide", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(2.0, 0.0, 0.0))
    rod = s.beam("rod", length=2.0, elements=2, section=section, material=material)
    s.add(fm.Revolute("hinge", s.ground.at(*NONE), rod.start, axis=(0.0, 0.0, 1.0)))
    s.add(fm.Spherical("ball", body.centre, rod.end))
    s.add(fm.Translational("guide", s.ground.at(*NONE), body.centre, axis=(1.0, 0.0, 0.0)))
    q, EI, GA = 9.81 * 7800.0 * 6e-4, 2e11 * section.second_moment, 5.0 / 6.0 * 8e10 * 6e-4
    middle = rod.at(1.0).key
    e = fm.Equations(s)
    path = fm.static(e)
    equations = NaturalCoordinates(s, solved=False)
    fallen = Program(equations.graph, equations.values(equations.place(rod.points[middle])), e.numbers)({"q": path.states[-1].q})[1]
    assert -fallen == pytest.approx(5.0 * q * 16.0 / (384.0 * EI) + q * 4.0 / (8.0 * GA), rel=1e-5)
    assert path["hinge.fy"][-1] == pytest.approx(q, rel=1e-6) and path["ball.fy"][-1] == pytest.approx(q, rel=1e-6)
