"""The same mechanism in other units, smaller, larger or far away is the same mechanism: what is small follows its own lengths."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.contact.friction import FRICTION_LAWS, Ambrosio, CoulombExponential, LuGre, Stribeck, Threlfall
from flexmbd.contact.laws import CYLINDRICAL_LAWS, NORMAL_LAWS, KelvinVoigt, LankaraniNikravesh
from flexmbd.lubrication import FILMS
from flexmbd.running.inertias import smallest_inertia
from flexmbd.running.scales import coarse_events, contact_scales, extents
from flexmbd.running.settings import Settings

from .running import simulate

E, NU, DENSITY = 207e9, 0.3, 7800.0
UNITS = {"m": 1.0, "kg": 1.0, "s": 1.0, "x": 0.0}


# ---- one ball, from a tenth of a micrometre to a centimetre
def ball(radius, speed, away):
    """Steel ball that falls on a plane with half of its restitution (Lankarani and Nikravesh), `away` from the origin."""
    s = fm.System()
    mass = DENSITY * 4 / 3 * np.pi * radius**3
    body = s.body("ball", mass=mass, inertia=0.4 * mass * radius**2, position=(away, away + 1.001 * radius), velocity=(0.0, -speed))
    stiffness = 4 / 3 * E / (2 * (1 - NU**2)) * np.sqrt(radius)
    s.add(fm.DiscPlane("contact", body.centre, s.ground.at(away, away), radius, fm.LankaraniNikravesh(stiffness, restitution=0.5)))
    return s


def restitution():
    """That which comes out of the law's damping factor: c (1 + e) = ln((1 + c)/(1 - c e)) (contact_laws.md, L2)."""
    from scipy.optimize import brentq

    c = 3 / 4 * (1 - 0.5**2)
    return brentq(lambda e: np.log((1 + c) / (1 - c * e)) - c * (1 + e), 0.1, 0.99)


def test_restitution_does_not_depend_on_the_size():
    radius = np.array([1e-8, 1e-7, 1e-6, 1e-5, 1e-2, 1e-2, 1e-2])
    speed = np.array([1e-5, 1e-3, 1e-4, 1e-5, 1e-1, 1e-3, 1e-1])
    away = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e4])
    outputs = ["ball.vy", "contact.impacts"]
    got = simulate(ball, outputs, end=2e-2, samples={"radius": radius, "speed": speed, "away": away}, lanes=8).outputs
    assert (got["contact.impacts"][:, -1] == 1).all()
    e = got["ball.vy"][:, -1] / speed
    assert abs(restitution() - 0.7252) < 1e-4
    assert np.all(np.abs(e - restitution()) < np.where(away > 0, 1e-6, 1e-7))


# ---- the clearance slider-crank
def crank(m, kg, s, x, play=0.5e-3):
    """Flores' slider-crank with a worn joint and hard impacts; all numbers in units of `m`, `kg` and `s`, and x away."""
    system = fm.System()
    a, b, J = 0.05 * m, 0.12 * m, kg * m**2
    one = system.body("crank", mass=0.3 * kg, inertia=1e-5 * J, position=(x + a / 2, x), points={"O": (-a / 2, 0.0), "A": (a / 2, 0.0)})
    rod = system.body(
        "rod", mass=0.21 * kg, inertia=2.5e-4 * J, position=(x + a + b / 2, x), points={"A": (-b / 2, 0.0), "B": (b / 2, 0.0)}
    )
    slider = system.body("slider", mass=0.14 * kg, inertia=1e-4 * J, position=(x + a + b, x), points={"B": (0.0, 0.0)})
    pivot = system.ground.at(x, x, "O")
    system.add(fm.Revolute("O", pivot, one["O"]))
    system.add(fm.Revolute("A", one["A"], rod["A"]))
    system.add(fm.Translational("guide", pivot, slider["B"]))
    system.add(fm.AngleDrive("drive", pivot, one["O"], fm.ConstantSpeed(523.6 / s)))
    steel = fm.Material(E=E, nu=NU)
    stiffness = fm.hertz_sphere_stiffness(1e-2, 1e-2 - play, steel, steel, conformal=True) * kg / s**2 / m**0.5
    law = fm.LankaraniNikravesh(stiffness, restitution=0.9)
    friction = fm.Ambrosio(0.03, v0=1e-3 * m / s, v1=1e-2 * m / s)
    system.add(fm.ClearanceRevolute("B", rod["B"], slider["B"], play * m, law, friction, bearing_radius=1e-2 * m, start="centred"))
    return system


def in_units(build, outputs, end, cases, **settings):
    """Outputs of a model in each of some units, which name what is not 1 (or 0)."""
    cases = [{**UNITS, **case} for case in cases]
    found = [None] * len(cases)
    for second in {case["s"] for case in cases}:
        which = [k for k, case in enumerate(cases) if case["s"] == second]
        samples = {key: np.array([cases[k][key] for k in which]) for key in UNITS}
        got = simulate(build, outputs, end=end * second, samples=samples, lanes=8, max_steps=100_000, **settings).outputs
        for i, k in enumerate(which):
            found[k] = {name: x[i, -1] if x.ndim > 1 else x[i] for name, x in got.items()}
    return found


MICRO = {"m": 1e-4, "s": 1e2}  # a crank of 5 micrometres, whose slider moves at 26 um/s


def test_a_crank_makes_the_same_impacts_in_all_units():
    cases = [{}, MICRO, {**MICRO, "kg": 1e-12}, {"m": 1e3}, {"m": 1e6}, {"s": 1e3}, {"kg": 1e3}, {"x": 1e4}]
    first, *others = in_units(crank, ["slider.x", "B.impacts", "B.penetration:max"], 0.0024, cases)
    assert first["B.impacts"] == 7
    for case, other in zip(cases[1:], others, strict=True):
        unit = case.get("m", 1.0)
        assert other["B.impacts"] == 7, case
        assert abs((other["slider.x"] - case.get("x", 0.0)) / unit - first["slider.x"]) < 1e-6, case
        assert abs(other["B.penetration:max"] / unit / first["B.penetration:max"] - 1) < (1e-6 if "x" in case else 1e-8), case


# ---- every law of contact and friction, every film
def friction_in(cls, m, s):
    """A friction law with numbers in units of `m` and `s`."""
    v = m / s
    numbers = {
        CoulombExponential: {"mu": 0.3, "reference_velocity": 0.02 * v, "steepness": 3.0},
        Ambrosio: {"mu": 0.3, "v0": 1e-3 * v, "v1": 1e-2 * v},
        Threlfall: {"mu": 0.3, "reference_velocity": 0.02 * v},
        Stribeck: {
            "mu_static": 0.3, "mu_kinetic": 0.2, "stribeck_velocity": 0.05 * v, "tolerance_velocity": 1e-2 * v, "viscous": 0.04 / v,
        },
        LuGre: {
            "mu_static": 0.3, "mu_kinetic": 0.2, "stribeck_velocity": 0.05 * v, "bristle_stiffness": 1e4 / m, "bristle_damping": 10.0 / v,
            "viscous": 0.04 / v,
        },
    }  # fmt: skip
    return cls(**numbers[cls])


def law_in(cls, m, kg, s):
    """A normal law with numbers in units of `m`, `kg` and `s`."""
    if cls in CYLINDRICAL_LAWS:
        steel = fm.Material(E=E * kg / m / s**2, nu=NU)
        radii = {"bearing_radius": 1e-2 * m, "journal_radius": 9.9e-3 * m}
        return cls(**radii, length=1e-2 * m, bearing=steel, journal=steel, damping="flores", restitution=0.7)
    if cls is KelvinVoigt:
        return cls(stiffness=1e7 * kg / s**2, damping=1e2 * kg / s)
    stiffness = 5e10 * kg / s**2 / m**0.5
    return cls(stiffness) if cls.name == "hertz" else cls(stiffness, restitution=0.7)


def gallery(m, kg, s, x):
    """A journal in its bearing for every law, with one friction law after the other, and for every film; a pendulum and springs besides."""
    system = fm.System(gravity=(0.0, -9.81 * m / s**2))
    J, v = kg * m**2, m / s
    for k, cls in enumerate((*NORMAL_LAWS, *FILMS)):
        at = system.ground.at(x + 0.1 * k * m, x)
        body = system.body(
            f"b{k}", mass=0.1 * kg, inertia=1e-5 * J, position=(x + 0.1 * k * m + 2e-5 * m, x), velocity=(0.15 * v, -0.2 * v), rate=20.0 / s
        )
        if cls in FILMS:
            system.add(
                fm.ClearanceRevolute(
                    f"c{k}", body.centre, at, 1e-4 * m, None, bearing_radius=1e-2 * m, film=cls(0.01 * kg / m / s, 1e-2 * m)
                )
            )
        else:
            rubbing = friction_in(FRICTION_LAWS[k % len(FRICTION_LAWS)], m, s)
            system.add(fm.ClearanceRevolute(f"c{k}", body.centre, at, 1e-4 * m, law_in(cls, m, kg, s), rubbing, bearing_radius=1e-2 * m))
    return system


BODIES = [f"b{k}" for k in range(len(NORMAL_LAWS) + len(FILMS))]


@pytest.mark.slow
def test_every_law_and_film_is_the_same_in_all_units():
    outputs = [f"{body}.{key}" for body in BODIES for key in ("x", "vx", "vy", "rate")]
    impacts = [f"c{k}.impacts" for k in range(len(NORMAL_LAWS))]
    cases = [{}, MICRO, {"m": 1e3}, {"m": 1e6}, {"kg": 1e3}, {"s": 1e3}, {"x": 1e4}]
    first, *others = in_units(gallery, [*outputs, *impacts], 1e-3, cases)
    assert min(first[name] for name in impacts) >= 1  # every law has had its impact
    for case, other in zip(cases[1:], others, strict=True):
        m, s, x = case.get("m", 1.0), case.get("s", 1.0), case.get("x", 0.0)
        for name in impacts:
            assert other[name] == first[name], (case, name)
        for name in outputs:
            key = name.partition(".")[2]
            unit, off, size = {"x": (m, x, 1e-4), "rate": (1 / s, 0.0, 20.0)}.get(key, (m / s, 0.0, 0.25))
            bound = 1e-5 if x else 1e-6
            assert abs((other[name] - off) / unit - first[name]) < bound * size, (case, name, other[name], first[name])


# ---- joints in space
SPATIAL = (fm.ClearanceSpherical, fm.ClearanceCylindrical, fm.Spherical, fm.Revolute, fm.Cylindrical, fm.Universal, fm.Planar, fm.Fixed)


def in_space(m, kg, s, x):
    """A body on each joint, thrown; those with play are thrown against it."""
    system = fm.System(gravity=(0.0, 0.0, -9.81 * m / s**2))
    J, v = kg * m**2, m / s
    for k, cls in enumerate(SPATIAL):
        play = cls in (fm.ClearanceSpherical, fm.ClearanceCylindrical)
        arm, at = (0.02 * m, 0.0, 0.01 * m), system.ground.at(x + 0.1 * k * m, x, x)
        turn = (0.0, 0.0, 3.0 / s)
        speed = tuple(v * c for c in ((0.1, -0.15, 0.05) if play else (0.0, 0.06, 0.0)))  # about z through the joint where it is ideal
        body = system.body(
            f"b{k}", mass=0.1 * kg, inertia=(2e-5 * J, 3e-5 * J, 4e-5 * J), position=(x + (0.1 * k + 0.02) * m, x, x + 0.01 * m),
            velocity=speed, angular_velocity=turn, points={"P": tuple(-c for c in arm)},
        )  # fmt: skip
        if play:
            law, rubbing = law_in(LankaraniNikravesh, m, kg, s), friction_in(Ambrosio, m, s)
            length = (0.01 * m,) if cls is fm.ClearanceCylindrical else ()
            system.add(cls(f"c{k}", body["P"], at, 1e-4 * m, 1e-2 * m, *length, law, friction=rubbing))
        else:
            axes = {} if cls in (fm.Spherical, fm.Fixed) else {"axis": (0.0, 0.0, 1.0)}
            system.add(cls(f"c{k}", at, body["P"], **axes, **({"axis_b": (1.0, 0.0, 0.0)} if cls is fm.Universal else {})))
    return system


@pytest.mark.slow
def test_joints_in_space_are_the_same_in_all_units():
    cases = [{}, MICRO, {"m": 1e3}, {"m": 1e6}, {"kg": 1e3}, {"s": 1e3}, {"x": 1e4}]
    outputs = [f"b{k}.{key}" for k in range(len(SPATIAL)) for key in ("x", "vx", "vz")]
    first, *others = in_units(in_space, [*outputs, "c0.impacts", "c1.1.impacts"], 2e-3, cases, tolerance=1e-10)
    assert min(first["c0.impacts"], first["c1.1.impacts"]) >= 1
    for case, other in zip(cases[1:], others, strict=True):
        m, s, x = case.get("m", 1.0), case.get("s", 1.0), case.get("x", 0.0)
        for name in outputs:
            unit, off, size = (m, x, 1e-4) if name.endswith(".x") else (m / s, 0.0, 0.2)
            assert abs((other[name] - off) / unit - first[name]) < (1e-5 if x else 1e-6) * size, (case, name)


# ---- what is small
def test_sizes_are_extents_and_not_the_distance_from_the_origin():
    for x in (0.0, 1e4):
        assert abs(extents(crank(1.0, 1.0, 1.0, x), 1)[0] - 0.17) < 1e-8
    far = fm.System()
    far.body("point", mass=2.0, inertia=0.5, position=(1e4, 0.0))
    assert extents(far, 3).tolist() == [0.5, 0.5, 0.5]  # the radius of gyration


def test_what_the_user_says_is_kept():
    s = ball(1e-7, 1e-3, 0.0)
    (contact,) = s.elements
    nearness, slowest = contact_scales(s, [contact], extents(s, 1), Settings(tolerance=1e-8))
    assert nearness[0, 0] < 1e-16 and slowest[0, 0] <= 1.1e-8
    given = fm.DiscPlane("given", contact.a, contact.b, 1e-7, contact.law, minimum_impact_velocity=2e-3)
    s.add(given)
    nearness, slowest = contact_scales(s, [given], extents(s, 1), Settings(tolerance=1e-8, event_tolerance=3e-9))
    assert (nearness[0, 0], slowest[0, 0]) == (3e-9, 2e-3)


def test_it_is_said_where_impacts_hardly_penetrate_beyond_the_tolerance():
    s = ball(1e-7, 1e-3, 0.0)
    size = extents(s, 1)

    def said(away=0.0, **settings):
        scales = contact_scales(s, s.elements, size, Settings(tolerance=1e-8, **settings))
        return coarse_events(s, s.elements, *scales, np.array([away])).get("contact", "")

    assert said() == ""
    assert "smaller event_tolerance" in said(event_tolerance=1e-12)  # it penetrates by 0.8 pm at 1 mm/s
    assert "move the origin" in said(away=1e3)


def test_mechanisms_of_usual_size_keep_their_tolerances():
    s = crank(1.0, 1.0, 1.0, 0.0)
    size = extents(s, 1)
    nearness, slowest = contact_scales(s, [s.elements[-1]], size, Settings(tolerance=1e-8))
    assert (nearness[0, 0], slowest[0, 0]) == (1e-12, 1e-3)
    assert smallest_inertia(s, size[0], 0) == ""


# ---- far from the origin
def test_a_mechanism_far_away_is_computed_as_well_as_at_the_origin():
    samples = {"m": 1.0, "kg": 1.0, "s": 1.0, "x": np.array([0.0, 1e2, 1e4, 1e6])}
    samples = {key: np.broadcast_to(np.asarray(value, float), (4,)).copy() for key, value in samples.items()}

    def ideal(m, kg, s, x):
        system = crank(m, kg, s, x)
        (joint,) = (element for element in system.elements if element.name == "B")
        system.elements.remove(joint)
        (drive,) = (element for element in system.elements if element.name == "drive")
        system.elements.remove(drive)
        system.add(fm.Revolute("B", joint.a, joint.b))
        system.add(fm.Torque("motor", system.bodies[0], system.ground, 5.0))
        return system

    for settings, bound in (({"tolerance": 1e-8}, 1e-6), ({"integrator": "generalized_alpha", "tolerance": 1e-6}, 1e-4)):
        got = simulate(ideal, ["crank.angle"], end=0.02, samples=samples, **settings)
        angle = got.outputs["crank.angle"][:, -1]
        assert np.ptp(angle[:3]) < bound * abs(angle[0]) and abs(angle[3] - angle[0]) < 100 * bound * abs(angle[0])
        steps = got.statistics["steps"]
        assert np.ptp(steps) <= 0.02 * steps[0]
