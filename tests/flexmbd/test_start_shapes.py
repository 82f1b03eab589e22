"""Cables and beams that are bent, stretched or moving at the start: catenary, ring, wave, and what does not belong together."""

import numpy as np
import pytest

import flexmbd as fm

from .running import column, simulate
from .sentences import names, said

LENGTH, LINE_MASS, EA, EI, PULL = 10.0, 0.1, 400.0, 1e-6, 3.0  # pull: horizontal force of the hanging cable, N
G = 9.81
OUTPUTS = ["line.middle.x", "line.middle.y", "line.middle.strain", "energy.kinetic"]


def stuff(ea=EA, ei=EI, line_mass=LINE_MASS):
    """Section and material of given stiffnesses and mass per length."""
    return {"section": fm.Section(1e-4, ei / ea * 1e-4), "material": fm.Material(ea / 1e-4, 0.3, line_mass / 1e-4)}


def catenary(s, pull=PULL, length=LENGTH, w=LINE_MASS * G):
    """Position and slope of an elastic catenary by the unstretched arc length (Irvine 1981, Cable Structures, section 1.3)."""
    low = 0.5 * w * length
    v = low - w * s
    tension, first = np.hypot(pull, v), np.hypot(pull, low)
    x = pull * s / EA + pull / w * (np.arcsinh(low / pull) - np.arcsinh(v / pull))
    y = -((low * s - 0.5 * w * s**2) / EA + (first - tension) / w)
    stretch = 1.0 + tension / EA
    return (0.5 + x, 0.25 + y), (stretch * pull / tension, -stretch * v / tension)


def hung(gravity=G, start=catenary, rates=None, elements=16):
    """A cable between two pins, where it is at the start."""
    s = fm.System(gravity=(0.0, -gravity))
    line = s.cable(
        "line", length=LENGTH, elements=elements, strain="engineering", initial=start, initial_velocity=rates,
        points={"middle": LENGTH / 2}, **stuff(),
    )  # fmt: skip
    for key in ("start", "end"):
        s.add(fm.Revolute(f"pin_{key}", s.ground.at(*line.at_start(line[key])), line[key]))
    return s


def test_catenary_in_equilibrium_stays():
    """By Newton's method, and in motion: the sag is 2.65 m, what remains is the mesh and its waves."""
    path = fm.static(hung())
    sag = catenary(0.5 * LENGTH)[0][1]
    assert path["line.middle.y"][-1] == pytest.approx(sag, abs=2e-5)
    assert path["pin_start.fx"][-1] == pytest.approx(-PULL, rel=2e-4)
    assert path["pin_start.fy"][-1] == pytest.approx(0.5 * LINE_MASS * G * LENGTH, rel=2e-4)
    coarse = fm.static(hung(elements=8))["line.middle.y"][-1]
    assert abs(path["line.middle.y"][-1] - sag) < 0.2 * abs(coarse - sag)
    run = simulate(hung, OUTPUTS, end=1.0, points=11, lanes=1, integrator="generalized_alpha", fixed=True, step=5e-3)
    got = column(run)
    assert np.abs(got["line.middle.y"] - sag).max() < 2e-4 and np.abs(got["line.middle.x"] - catenary(0.5 * LENGTH)[0][0]).max() < 2e-4


STRETCH, SWING = 1.05, 1e-4


def stretched(s):
    """A straight line, stretched."""
    return (0.5 + STRETCH * s, 0.25), (STRETCH, 0.0)


def first_wave(s):
    """Velocities of the first vibration of a string."""
    k = np.pi / LENGTH
    return (0.0, SWING * np.sin(k * s)), (0.0, SWING * k * np.cos(k * s))


def test_string_stretched_and_struck_at_the_start_vibrates_by_its_tension():
    omega = np.pi / LENGTH * np.sqrt(EA * (STRETCH - 1.0) / STRETCH / LINE_MASS)
    quarter = 0.5 * np.pi / omega
    run = simulate(lambda: hung(1e-9, stretched, first_wave), OUTPUTS,
                   end=2.0 * quarter, points=9, lanes=1, integrator="generalized_alpha", fixed=True, step=quarter / 200)  # fmt: skip
    got = column(run)
    assert got["energy.kinetic"][0] == pytest.approx(0.25 * LINE_MASS * LENGTH * SWING**2, rel=1e-6)
    assert got["line.middle.strain"][0] == pytest.approx(STRETCH - 1.0, abs=1e-12)
    assert got["line.middle.y"] - 0.25 == pytest.approx(SWING / omega * np.sin(omega * run.time), abs=1e-3 * SWING / omega)


RADIUS = 0.5


def arc(turn):
    """Position and slope of a circle, from its start along x."""
    return lambda s: ((RADIUS * np.sin(s / RADIUS), RADIUS * (1 - np.cos(s / RADIUS))), (np.cos(s / RADIUS), np.sin(s / RADIUS)))


def ring(load=0.0, turn=0.5 * np.pi, elements=8, damping=(0.0, 0.0), curvature="material", **more):
    """Part of a ring without stress, clamped at its start; a load at its end, to the left."""
    s = fm.System()
    line = s.cable(
        "line", length=RADIUS * turn, elements=elements, shape=arc(turn), damping=damping, curvature=curvature, **more,
        **stuff(ea=1e6, ei=20.0),
    )  # fmt: skip
    s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), line.start))
    s.add(fm.PointForce("load", line.end, fx=load))
    return s


@pytest.mark.parametrize("integration", ["reduced", "full"])
@pytest.mark.parametrize("curvature", ["exact", "material", "small"])
def test_ring_without_stress_has_no_force(curvature, integration):
    """A whole ring but for its cut; a quarter of one under a load along its first tangent: u = pi/4 P R³/EI (Castigliano)."""
    at_rest = fm.Equations(ring(turn=2.0 * np.pi, curvature=curvature, integration=integration))
    assert np.abs(at_rest.force(at_rest.initial()[0])).max() < 1e-8
    P = 1e-2
    path = fm.static(ring(P, curvature=curvature, integration=integration, elements=24))
    moved = path["line.end.x"][-1] - RADIUS
    assert moved == pytest.approx(P * RADIUS**3 / 20.0 * 0.25 * np.pi, rel=1e-3)


def test_ring_keeps_its_shape_in_motion_and_its_books_with_damping():
    """Without load it stays, to rounding; let go from a load it swings, and energy goes into damping."""
    numbers = {"load": [1e-300, 0.4]}
    outputs = ["line.end.x", "line.strain_energy", "energy.balance", "energy.dissipated"]
    run = simulate(lambda load: ring(load, elements=4, damping=(1e-6, 2e-5)), outputs, end=0.01, points=11, samples=numbers, tolerance=1e-8)
    got = run.outputs
    assert np.abs(got["line.end.x"][0] - RADIUS).max() < 1e-12 and np.abs(got["line.strain_energy"][0]).max() < 1e-20
    assert got["energy.dissipated"][1, -1] > 1e-4 * got["line.strain_energy"][1].max()
    assert np.ptp(got["energy.balance"][1]) < 1e-6 * got["line.strain_energy"][1].max()


def test_arrays_say_the_same_as_a_function():
    s, places = fm.System(), np.linspace(0.0, 1.0, 5)
    arrays = [np.array(x) for x in zip(*(arc(1.0)(x) for x in places), strict=True)]
    lines = [s.cable(f"line{k}", length=1.0, elements=4, shape=x, **stuff()) for k, x in enumerate((arc(1.0), tuple(arrays)))]
    assert lines[0].initial() == lines[1].initial()
    assert lines[0].parameters() == lines[1].parameters()


def test_velocities_of_a_rigid_motion_are_the_same_by_field():
    def field(s):
        return (1.0 - 2.0 * 0.0, 3.0 + 2.0 * s), (0.0, 2.0)

    s = fm.System()
    one = s.cable("one", length=1.0, elements=4, velocity=(1.0, 3.0), rate=2.0, **stuff())
    two = s.cable("two", length=1.0, elements=4, initial_velocity=field, **stuff())
    np.testing.assert_allclose(np.array(one.initial()[1]), np.array(two.initial()[1]), atol=1e-15)


def test_beam_bent_at_the_start_holds_the_strain_of_its_arc():
    """A straight beam started as an arc has the energy 1/2 EI L/R²; a joint holds its end section as it is then."""
    R, steel = 5.0, fm.Material(2e11, 0.3, 7800.0)
    section = fm.Section.rectangle(0.02, 0.01)

    def bent(s):
        c, n = np.cos(s / R), np.sin(s / R)
        return (R * n, R * (1 - c), 0.0), (-n, c, 0.0), (0.0, 0.0, 1.0)

    s = fm.System(gravity=(0.0, 0.0, 0.0))
    beam = s.beam("beam", length=1.0, elements=4, section=section, material=steel, initial=bent)
    end = beam.section(1.0)
    np.testing.assert_allclose(np.array(end.rotation, float)[:, 0], [np.cos(1 / R), np.sin(1 / R), 0.0], atol=1e-14)
    held = s.add(fm.Fixed("weld", s.ground.at(*end.at_start(beam.end)), beam.end))
    s.add(fm.Fixed("clamp", s.ground.at(0.0, 0.0, 0.0), beam.start))
    assert [held.parameters()[f"X.{k}"] for k in "xyz"] == pytest.approx([np.cos(1 / R), np.sin(1 / R), 0.0], abs=1e-14)
    equations = fm.Equations(s)
    energy = 0.5 * 2e11 * section.second_moment / R**2
    assert equations.output("beam.strain_energy", equations.initial()[0]) == pytest.approx(energy, rel=1e-3)


STRAIGHT = (np.linspace([0.0, 0.0], [1.0, 0.0], 5), np.tile([1.0, 0.0], (5, 1)))


@pytest.mark.parametrize("given, parts", [
    (dict(initial=3.0), ("initial", "function of the arc length", "5 nodes")),
    (dict(initial=(STRAIGHT[0][:4], STRAIGHT[1])), ("initial", "4 vectors", "position")),
    (dict(initial=lambda s: (s, 0.0, 0.0)), ("initial", "position and slope")),
    (dict(initial=lambda s: ((s, 0.0, 0.0), (1.0, 0.0))), ("position", "two numbers")),
    (dict(initial=lambda s: ((s, np.nan), (1.0, 0.0))), ("position", "finite")),
    (dict(initial=(STRAIGHT[0], 5.0 * STRAIGHT[1])), ("do not belong together", "element 0", "slopes")),
    (dict(initial=(STRAIGHT[0], -STRAIGHT[1])), ("do not belong together",)),
    (dict(initial=STRAIGHT, position=(0.0, 1.0)), ("position", "initial", "both given")),
    (dict(shape=STRAIGHT, direction=(0.0, 1.0)), ("direction", "shape", "both given")),
    (dict(initial_velocity=STRAIGHT, rate=1.0), ("rate", "initial_velocity", "both given")),
    (dict(shape=(1.1 * STRAIGHT[0], 1.1 * STRAIGHT[1])), ("shape", "arc length", "element 0")),
])  # fmt: skip
def test_what_does_not_belong_together_is_refused(given, parts):
    names(said(lambda: fm.System().cable("line", length=1.0, elements=4, **given, **stuff()).parameters()), "line", *parts)


def test_undeformed_curves_in_space_are_for_beams():
    spatial = fm.System(gravity=(0.0, 0.0, 0.0))
    straight = tuple(np.hstack([x, np.zeros((5, 1))]) for x in STRAIGHT)
    names(said(lambda: spatial.cable("line", length=1.0, elements=4, shape=straight, **stuff())), "line", "shape", "beam")
    spatial.cable("bent", length=1.0, elements=4, initial=straight, **stuff())
    skew = (np.zeros((5, 3)), np.tile([1.0, 0.0, 0.0], (5, 1)), np.tile([1.0, 0.0, 0.0], (5, 1)))
    sentence = said(lambda: spatial.beam("beam", length=1.0, elements=2, initial=skew, section=fm.Section.circle(0.01), material=fm.Material(2e11, 0.3, 7800.0)))  # fmt: skip # noqa: E501
    names(sentence, "beam", "right angles", "node 0")
