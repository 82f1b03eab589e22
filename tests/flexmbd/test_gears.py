"""Gears: ideal pairs of whole teeth, elastic teeth of any ratio, racks; against the dynamics of gear trains."""

import numpy as np
import pytest

import flexmbd as fm

from .running import column, simulate

COS, SIN = np.cos(np.radians(20.0)), np.sin(np.radians(20.0))


def hinged(s, name, place, inertia, mass=1.0, **start):
    """A wheel that turns about a fixed point."""
    wheel = s.body(name, mass=mass, inertia=inertia, position=place, **start)
    s.add(fm.Revolute(f"{name}.pin", s.ground.at(*place), wheel.centre))
    return wheel


def planetary(s, connect, x=0.0):
    """Sun of radius 0.2, planet of 0.2 on a carrier, ring of 0.6 on ground; `connect(name, a, b, teeth, carrier, internal)`."""
    sun = hinged(s, "sun", (x, 0.0), 0.05)
    carrier = hinged(s, "carrier", (x, 0.0), 0.4, angle=0.2)
    place = (x + 0.4 * np.cos(0.5), 0.4 * np.sin(0.5))
    planet = s.body("planet", mass=1.5, inertia=0.03, position=place, angle=1.0)
    s.add(fm.Revolute("planet.pin", carrier.at(0.4 * np.cos(0.3), 0.4 * np.sin(0.3)), planet.centre))
    connect("inner", sun.centre, planet.centre, (20, 20), carrier, False)
    connect("outer", planet.centre, s.ground.at(x, 0.0), (20, 60), carrier, True)
    s.add(fm.Torque("sun.drive", s.ground, sun, 2.0))


CARRIER, PLANET = 0.25, -0.5  # turns for one of the sun: 20/(20 + 60), and -(1 - 1/4) + 1/4
REDUCED = 0.05 + 0.03 * PLANET**2 + (0.4 + 1.5 * 0.4**2) * CARRIER**2  # inertia of the planetary gear, felt by the sun


# ---- ideal pairs
@pytest.mark.parametrize("teeth", [(1, 1), (20, 40), (30, 20), (17, 43), (3, 1)], ids=str)
@pytest.mark.parametrize("internal", [False, True], ids=["external", "internal"])
@pytest.mark.parametrize("moving", [False, True], ids=["ground", "carrier"])
def test_the_pair_rolls_and_its_rows_are_independent(teeth, internal, moving):
    """Whatever the position: one degree of freedom less, and rates in the ratio of the teeth, against the carrier's."""
    rng = np.random.default_rng(sum(teeth))
    for _ in range(3):
        fa, fb, fc, wa, wc = rng.uniform(-3.0, 3.0, 5)
        wc = wc if moving else 0.0
        ratio = teeth[0] / teeth[1] * (1.0 if internal else -1.0)
        s = fm.System()
        a = s.body("a", mass=1.0, inertia=0.2, angle=fa, rate=wa)
        b = s.body("b", mass=1.0, inertia=0.3, angle=fb, rate=wc + ratio * (wa - wc))
        c = s.body("c", mass=1.0, inertia=0.4, angle=fc, rate=wc) if moving else None
        s.add(fm.Gear("gear", a.centre, b.centre, teeth, c, internal))
        e = fm.Equations(s)
        q, v = (np.array(x) for x in s.initial())
        G = e.jacobian(q).toarray()
        assert np.abs(e.constraints(q)).max() < 2e-15 * max(teeth) and np.abs(G @ v).max() < 1e-12
        assert np.linalg.svd(G, compute_uv=False).min() > 1e-3
        assert e.n - len(G) == 3 * (3 if moving else 2) - 1


def train():
    """Gears in mesh, a ring, and a planetary gear, each driven by a torque."""
    s = fm.System()
    for name, x, teeth, internal in (("p", 0.0, (20, 30), False), ("r", 3.0, (20, 60), True)):
        a = hinged(s, f"{name}a", (x, 0.0), 0.1, angle=0.3, rate=1.0)
        b = hinged(s, f"{name}b", (x, 0.5), 0.5, angle=-0.7, rate=(1.0 if internal else -1.0) * teeth[0] / teeth[1])
        s.add(fm.Gear(f"{name}gear", a.centre, b.centre, teeth, internal=internal))
        s.add(fm.Torque(f"{name}drive", s.ground, a, 3.0))
    planetary(s, lambda name, a, b, teeth, carrier, internal: s.add(fm.Gear(name, a, b, teeth, carrier, internal)), x=6.0)
    return s


OUTPUTS = [
    *(f"{b}.{k}" for b in ("pa", "pb", "ra", "rb", "sun", "planet", "carrier") for k in ("angle", "alpha")),
    "pgear.moment", "rgear.moment", "energy.balance", "energy.drive",
]  # fmt: skip


@pytest.fixture(scope="module")
def ideal():
    run = simulate(train, OUTPUTS, end=2.0, points=9, lanes=1, tolerance=1e-10)
    return run.time, column(run)


@pytest.mark.parametrize("name, ratio", [("p", -2 / 3), ("r", 1 / 3)])
def test_a_pair_accelerates_its_reduced_inertia(ideal, name, ratio):
    t, got = ideal
    alpha = 3.0 / (0.1 + 0.5 * ratio**2)
    assert np.allclose(got[f"{name}a.alpha"], alpha, rtol=1e-8)
    assert np.allclose(got[f"{name}a.angle"], 0.3 + t + 0.5 * alpha * t**2, atol=1e-8)
    assert np.allclose(got[f"{name}b.angle"], -0.7 + ratio * (t + 0.5 * alpha * t**2), atol=1e-8), "angles count full turns"
    assert np.allclose(got[f"{name}gear.moment"], 0.5 * ratio * alpha, rtol=1e-8)


def test_a_planetary_gear_accelerates_its_reduced_inertia(ideal):
    t, got = ideal
    alpha = 2.0 / REDUCED
    assert np.allclose(got["sun.alpha"], alpha, rtol=1e-8)
    assert np.allclose(got["carrier.angle"], 0.2 + 0.5 * CARRIER * alpha * t**2, atol=1e-8)
    assert np.allclose(got["planet.angle"], 1.0 + 0.5 * PLANET * alpha * t**2, atol=1e-8)


def test_ideal_gears_do_no_work(ideal):
    _, got = ideal
    assert got["energy.drive"][-1] > 100.0 and np.ptp(got["energy.balance"]) < 1e-9 * got["energy.drive"][-1]


def test_ideal_gears_at_rest_carry_the_torque():
    s = fm.System()
    a, b = hinged(s, "a", (0.0, 0.0), 0.1), hinged(s, "b", (0.0, 0.5), 0.5)
    s.add(fm.Gear("gear", a.centre, b.centre, (20, 30)))
    s.add(fm.TorsionSpring("hold", s.ground, b, stiffness=4.0))
    s.add(fm.Torque("load", s.ground, a, fm.Polynomial((0.0, 20.0))))
    path = fm.static(s)
    assert np.allclose(path["b.angle"], -7.5 * path.t, atol=1e-9) and np.allclose(path["a.angle"], 11.25 * path.t, atol=1e-9)
    assert np.allclose(path["gear.moment"], -30.0 * path.t, atol=1e-9)


@pytest.mark.parametrize("dense", [True, False])
def test_a_planetary_gear_swings_with_its_reduced_inertia(dense):
    s = fm.System()
    planetary(s, lambda name, a, b, teeth, carrier, internal: s.add(fm.Gear(name, a, b, teeth, carrier, internal)))
    s.elements.pop()  # the torque
    s.add(fm.TorsionSpring("hold", s.ground, s.bodies[0], stiffness=9.0))
    found = fm.modes(s, dense=dense)
    assert found.frequencies == pytest.approx([3.0 / np.sqrt(REDUCED)], rel=1e-9)


# ---- elastic teeth
K, C = 4e4, 30.0
PLAY = 8e-3


def elastic():
    """A pair, a rack, a pair with play and a planetary gear."""
    s = fm.System()
    a, b = hinged(s, "a", (0.0, 0.0), 0.1), hinged(s, "b", (0.0, 0.5), 0.5)
    s.add(fm.GearMesh("mesh", a.centre, b.centre, (2.0, 3.0), K, C))
    s.add(fm.Torque("drive", s.ground, a, 3.0))

    pinion = hinged(s, "pinion", (2.0, 0.2), 0.1, angle=0.4)
    rack = s.body("rack", mass=3.0, inertia=1.0, position=(2.1, 0.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), rack.centre))
    s.add(fm.Rack("teeth", pinion.centre, rack.at(0.3, 0.0), 0.2, K, C))
    s.add(fm.Torque("wind", s.ground, pinion, 3.0))

    quick, slow = hinged(s, "quick", (4.0, 0.0), 0.1, rate=5.0), hinged(s, "slow", (4.0, 0.5), 0.5)
    s.add(fm.GearMesh("loose", quick.centre, slow.centre, (2.0, 3.0), K, backlash=PLAY))

    planetary(s, lambda name, a, b, teeth, carrier, internal: s.add(
        fm.GearMesh(name, a, b, teeth, 1e6, 2e3, carrier=carrier, internal=internal)), x=6.0)  # fmt: skip
    return s


SOFT = [
    "mesh.force", "mesh.deflection", "a.rate", "b.rate", "a.pin.fx", "a.pin.fy", "b.pin.fx", "b.pin.fy", "teeth.force", "rack.vx",
    "rail.fy", "pinion.rate", "pinion.pin.fx", "pinion.pin.fy", "quick.rate", "slow.rate", "loose.force:max", "loose.force:min",
    "sun.alpha", "carrier.alpha", "planet.alpha", "energy.balance", "energy.dissipated",
]  # fmt: skip


@pytest.fixture(scope="module")
def teeth():
    run = simulate(elastic, SOFT, end=0.2, points=81, lanes=1, tolerance=1e-11)
    return run.time, column(run)


def deflected(t, pull, mass):
    """Deflection and rate along the pitch circle of a reduced mass that a force pulls at from rest, and the force of the teeth."""
    k, c = K * COS**2, C * COS**2
    d = c / (2 * mass)
    w = np.sqrt(k / mass - d**2)
    s = pull / k * (1.0 - np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t)))
    rate = pull / (mass * w) * np.exp(-d * t) * np.sin(w * t)
    return s, rate, COS * (K * s + C * rate)


RA, RB = 0.2, 0.3  # pitch radii of the pair


def test_a_pair_swings_as_two_inertias_on_a_spring(teeth):
    t, got = teeth
    mass = 1.0 / (RA**2 / 0.1 + RB**2 / 0.5)
    s, rate, force = deflected(t, 3.0 * RA / 0.1 * mass, mass)
    assert np.allclose(got["mesh.force"], force, atol=1e-6) and np.allclose(got["mesh.deflection"], COS * s, atol=1e-11)
    assert np.allclose(RA * got["a.rate"] + RB * got["b.rate"], rate, atol=1e-9)
    assert np.allclose(0.1 * got["a.rate"] - 0.5 * got["b.rate"] * RA / RB, 3.0 * t, atol=1e-9)
    assert np.allclose(got["a.pin.fx"], -COS * force, atol=1e-6) and np.allclose(got["a.pin.fy"], SIN * np.abs(force), atol=1e-6)
    assert np.allclose(got["b.pin.fx"], COS * force, atol=1e-6) and np.allclose(got["b.pin.fy"], -SIN * np.abs(force), atol=1e-6)


def test_a_rack_is_drawn_by_its_gear(teeth):
    t, got = teeth
    mass = 1.0 / (0.2**2 / 0.1 + 1.0 / 3.0)
    _, rate, force = deflected(t, 3.0 * 0.2 / 0.1 * mass, mass)
    assert np.allclose(got["teeth.force"], force, atol=1e-6)
    assert np.allclose(0.2 * got["pinion.rate"] - got["rack.vx"], rate, atol=1e-9)
    assert np.allclose(0.1 * got["pinion.rate"] + 3.0 * 0.2 * got["rack.vx"], 3.0 * t, atol=1e-9)
    assert np.allclose(got["rail.fy"], SIN * np.abs(force), atol=1e-6), "the rack is pressed away from the gear"
    assert np.allclose(got["pinion.pin.fx"], COS * force, atol=1e-6)
    assert np.allclose(got["pinion.pin.fy"], -SIN * np.abs(force), atol=1e-6)


def test_teeth_with_play_hit_and_part(teeth):
    """Without damping the teeth hit like elastic balls with the masses J/r²; half the play is run through first."""
    t, got = teeth
    ma, mb, v = 0.1 / RA**2, 0.5 / RB**2, 5.0 * RA
    mass, k = ma * mb / (ma + mb), K * COS**2
    first, lasts = 0.5 * PLAY / COS / v, np.pi * np.sqrt(mass / k)
    before, after = t < first, (t > first + lasts) & (t < 3 * first + lasts)
    assert before.any() and after.any()
    assert np.all(got["quick.rate"][before] == pytest.approx(5.0, abs=1e-9)) and np.abs(got["slow.rate"][before]).max() < 1e-12
    assert np.allclose(RA * got["quick.rate"][after], v * (ma - mb) / (ma + mb), atol=1e-8)
    assert np.allclose(RB * got["slow.rate"][after], -2 * v * ma / (ma + mb), atol=1e-8)
    assert got["loose.force:max"] == pytest.approx(v * np.sqrt(mass * K), rel=1e-3) and got["loose.force:min"] < 0.0


def test_a_planetary_gear_with_stiff_teeth_comes_to_the_ideal_one(teeth):
    _, got = teeth
    ends = [got[f"{name}.alpha"][-1] for name in ("sun", "carrier", "planet")]
    assert np.allclose(ends, 2.0 / REDUCED * np.array([1.0, CARRIER, PLANET]), rtol=1e-6)


def test_energy_of_elastic_teeth_is_booked(teeth):
    _, got = teeth
    assert got["energy.dissipated"][-1] > 1e-3 and np.ptp(got["energy.balance"]) < 1e-8


def test_teeth_at_rest_carry_the_torque():
    s = fm.System()
    a, b = hinged(s, "a", (0.0, 0.0), 0.1), hinged(s, "b", (0.0, 0.5), 0.5)
    s.add(fm.GearMesh("mesh", a.centre, b.centre, (2.0, 3.0), K))
    s.add(fm.TorsionSpring("hold", s.ground, b, stiffness=100.0))
    s.add(fm.Torque("load", s.ground, a, fm.Polynomial((0.0, 5.0))))
    path = fm.static(s, steps=2)
    force = 5.0 / (RA * COS)
    assert path["mesh.force"][-1] == pytest.approx(force, rel=1e-9)
    assert path["b.angle"][-1] == pytest.approx(-7.5 / 100.0, rel=1e-9)
    assert path["a.angle"][-1] == pytest.approx((force / K / COS + RB * 0.075) / RA, rel=1e-9)


# ---- what cannot be
def wheels():
    s = fm.System()
    return s, s.body("a", mass=1.0, inertia=1.0), s.body("b", mass=1.0, inertia=1.0), s.body("arm", mass=1.0, inertia=1.0)


@pytest.mark.parametrize(
    "teeth", [(20.5, 40), (20,), (0, 10), (-3, 5), 2.0, (True, 2), (np.array([1, 2]), 3), (np.nan, 1), (1009, 1)], ids=str
)
def test_teeth_of_an_ideal_pair_are_whole_numbers(teeth):
    s, a, b, _ = wheels()
    with pytest.raises(fm.ModelError, match=r"'pair': teeth is .*must be"):
        s.add(fm.Gear("pair", a.centre, b.centre, teeth))


def test_gears_that_cannot_turn_and_carriers_that_carry_nothing_are_refused():
    s, a, b, arm = wheels()
    with pytest.raises(fm.ModelError, match="'pair': one gear is on ground and there is no carrier"):
        s.add(fm.Gear("pair", a.centre, s.ground.at(0.0, 0.0), (1, 2)))
    for kind, more in ((fm.Gear, {}), (fm.GearMesh, {"stiffness": 1.0})):
        with pytest.raises(fm.ModelError, match=r"'pair': carrier is 'a'; it must be .* other than 'a' and 'b'"):
            s.add(kind("pair", a.centre, b.centre, (1, 2), carrier=a, **more))
        with pytest.raises(fm.ModelError, match=r"'pair': carrier is 3\.0; it must be ground, or a rigid body"):
            s.add(kind("pair", a.centre, b.centre, (1, 2), carrier=3.0, **more))
        with pytest.raises(fm.ModelError, match="'pair' is attached to body 'arm', which belongs to another system"):
            s.add(kind("pair", a.centre, b.centre, (1, 2), carrier=wheels()[3], **more))
        s.add(kind(f"good{kind.__name__}", a.centre, b.centre, (1, 2), carrier=arm, **more))


@pytest.mark.parametrize(
    "key, value", [("stiffness", 0.0), ("stiffness", -1.0), ("damping", -1.0), ("backlash", -1e-3), ("pressure_angle", 20.0),
                   ("teeth", (0.0, 1.0)), ("teeth", (1.0,)), ("stiffness", np.nan)],
)  # fmt: skip
def test_numbers_of_elastic_teeth(key, value):
    s, a, b, _ = wheels()
    with pytest.raises(fm.ModelError, match=rf"'pair': {key}.* must be"):
        s.add(fm.GearMesh("pair", a.centre, b.centre, **{"teeth": (1.0, 2.0), "stiffness": 1e6, key: value}))


def test_the_ring_is_b_and_a_rack_has_a_radius():
    s, a, b, _ = wheels()
    with pytest.raises(fm.ModelError, match=r"'pair': teeth is \(3.0, 2.0\); the ring is b"):
        s.add(fm.GearMesh("pair", a.centre, b.centre, (3.0, 2.0), 1e6, internal=True))
    with pytest.raises(fm.ModelError, match="'teeth': radius is -1; it must be greater than zero"):
        s.add(fm.Rack("teeth", a.centre, b.centre, -1.0, 1e6))
