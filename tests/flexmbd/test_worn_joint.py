"""Worn bearings: the clearance joint with a worn profile, wear laid over the overlap, and wear that feeds back."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbd as fm
from flexmbd.analysis.equations import Equations
from flexmbd.contact.worn import gap_kernels
from flexmbd.contact.worn_surface import WornProfile, WornSurface
from flexmbd.language.evaluation import on_arrays
from flexmbd.wear.archard import archard
from flexmbd.wear.overlap import overlap_wear

from .running import column, simulate
from .sentences import names, said
from .tangents import jacobian

C, R, L, SPIN, HARDNESS = 1e-4, 0.01, 0.02, 60.0, 2e8
LAW, FRICTION = fm.HuntCrossley(5e9, restitution=0.6), fm.Ambrosio(0.1, v0=1e-3, v1=1e-2)
SURFACE = {"hardness": HARDNESS, "radius": R, "length": L}


def profile_of(order, seed, least=0.05):
    """A rough profile that a journal can touch everywhere."""
    rng = np.random.default_rng(seed)
    return WornProfile(2e-5, *rng.normal(0.0, 1e-4, (2, order))).rounded(C, least)


@pytest.mark.parametrize("order", [0, 1, 2, 8, 20])
def test_penetration_is_the_distance_from_the_region_the_journal_reaches(order):
    """With support function h = c + d its boundary is h n + h' t, and from there along n by delta the distance is delta, the normal n."""
    gap = on_arrays(gap_kernels(order).gap)
    rng = np.random.default_rng(order)
    for seed in range(15):
        worn = profile_of(order, seed)
        angle, delta = rng.uniform(0, 2 * np.pi, 1), 10 ** rng.uniform(-9, -4)
        normal, across = np.array([np.cos(angle), np.sin(angle)])[:, 0], np.array([-np.sin(angle), np.cos(angle)])[:, 0]
        place = (C + worn.depth(angle)[0] + delta) * normal + worn.depth(angle, derivative=1)[0] * across
        series = tuple(zip(worn.cosine, worn.sine, strict=True))
        depth, nx, ny, turn = gap(*place, C, worn.mean, series)
        assert depth == pytest.approx(delta, abs=1e-13 * C)
        np.testing.assert_allclose((nx, ny), normal, atol=1e-9)
        bend = C + worn.depth(angle)[0] + worn.depth(angle, derivative=2)[0] + delta
        assert turn == pytest.approx(1 / bend, rel=1e-6)


def pair(worn=None, offset=(0.0, 0.0), clearance=C, radius=R, friction=FRICTION, **more):
    """Two free bodies, joined off their centres, moving against each other and turning."""
    s = fm.System()
    a = s.body("a", mass=0.4, inertia=2e-3, position=(0.0, 0.0), rate=200.0, points={"P": (0.03, 0.01)})
    points = {"P": (-0.05 + offset[0], -0.01 + offset[1])}
    b = s.body("b", mass=0.7, inertia=3e-3, position=(0.08, 0.02), rate=-60.0, velocity=(0.0, 2.0), points=points)
    s.add(fm.ClearanceRevolute("J", a["P"], b["P"], clearance, LAW, friction, bearing_radius=radius, worn=worn, **more))
    return s


def at(equations, ex, ey):
    """Coordinates and velocities of `pair` with the journal moved to a place."""
    q, v = equations.initial()
    q[:2] += np.array([ex, ey]) - [equations.output(f"J.e{axis}", q, v) for axis in "xy"]
    return q, v


WORN = WornProfile(2e-5, np.array([1e-5, 2e-5, 0.5e-5]), np.array([1e-5, 0.7e-5, -0.4e-5]))
PLACES = 1.4e-4 * np.array([(0.6, 0.8), (-1.0, 0.3), (0.2, -1.1)])


def test_an_even_profile_is_a_larger_clearance_and_the_first_harmonic_a_shifted_bore():
    none, acting = np.zeros(0), [0, 1, 3, 4, 5, 7]  # the bodies are not turned: 2 and 6 are taken up by their unit vectors
    plain, even = Equations(pair(clearance=1.3e-4, radius=R + 3e-5)), Equations(pair(WornProfile(3e-5, none, none)))
    shift = np.array([2e-5, -1e-5])
    moved = Equations(pair(WornProfile(0.0, shift[:1], shift[1:]), friction=None))
    shifted = Equations(pair(offset=shift, friction=None))
    for place in PLACES:
        q, v = at(plain, *place)
        np.testing.assert_allclose(even.force(q, v), plain.force(q, v), rtol=1e-11, atol=1e-9)
        for key in ("penetration", "rate", "slip"):
            assert even.output(f"J.{key}", q, v) == pytest.approx(plain.output(f"J.{key}", q, v), rel=1e-10)
        q, v = at(moved, *place)
        assert moved.output("J.normal", q, v) > 1.0
        np.testing.assert_allclose(moved.force(q, v)[acting], shifted.force(q, v)[acting], rtol=1e-10, atol=1e-9)
    q, v = at(even, 0.0, 0.0)
    assert even.output("J.penetration", q, v) == pytest.approx(-1.3e-4) and np.all(np.isfinite(even.stiffness(q, v).data))


def test_forces_of_a_worn_joint_balance_and_their_power_is_that_of_its_books():
    """No resultant, no moment about the origin; the rate is that of the penetration, and power goes into contact and friction only."""
    equations = Equations(pair(WORN))
    for place in PLACES:
        q, v = at(equations, *place)
        force, h = equations.force(q, v), 1e-8
        rate = (equations.output("J.penetration", q + h * v, v) - equations.output("J.penetration", q - h * v, v)) / (2 * h)
        assert equations.output("J.rate", q, v) == pytest.approx(rate, rel=1e-6)
        np.testing.assert_allclose(force[[0, 1]] + force[[4, 5]], 0.0, atol=1e-11 * np.abs(force).max())
        np.testing.assert_allclose(np.sum(q[::2] * force[1::2] - q[1::2] * force[::2]), 0.0, atol=1e-11 * np.abs(force).max())
        normal, slip, friction = (equations.output(f"J.{key}", q, v) for key in ("normal", "slip", "friction"))
        assert normal > 1.0 and force @ v == pytest.approx(-normal * equations.output("J.rate", q, v) - friction * slip, rel=1e-10)


def test_stiffness_and_damping_of_a_worn_joint_are_derivatives():
    equations = Equations(pair(WORN))
    for place in PLACES:
        q, v = at(equations, *place)
        for got, position, step in ((equations.stiffness(q, v), 1.0, 1e-9), (equations.damping(q, v), 0.0, 1e-2)):

            def moved(d, position=position, step=step, q=q, v=v):
                return -equations.force(q + position * step * d, v + (1.0 - position) * step * d)

            wanted = jacobian(moved, np.zeros(8), 1.0) / step
            np.testing.assert_allclose(got.toarray(), wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


def test_rounding_keeps_volume_and_shift():
    rough = WornProfile(np.array([2e-5, 1e-5]), *np.random.default_rng(1).normal(0.0, 2e-5, (2, 2, 6)))
    clearance = np.array([C, 2 * C])
    smooth = rough.rounded(clearance, 0.1)
    assert np.all(rough.tightest(clearance)[0] < 0)
    np.testing.assert_allclose(smooth.tightest(clearance)[0], 0.1 * (clearance + rough.mean), rtol=1e-9)
    np.testing.assert_array_equal(smooth.mean, rough.mean)
    np.testing.assert_array_equal(smooth.cosine[:, 0], rough.cosine[:, 0])
    again = smooth.rounded(clearance, 0.1)
    np.testing.assert_allclose(again.cosine, smooth.cosine, rtol=1e-9)


def bed(volume):
    """Depth of the bed that a rigid journal has sunk into: ``V = 2 R L ((c + s) sin t - c t)``, ``cos t = c/(c + s)``."""

    def missing(s):
        t = np.arccos(C / (C + s))
        return 2 * R * L * ((C + s) * np.sin(t) - C * t) - volume

    return brentq(missing, 0.0, 100 * C)


TIME = np.linspace(0.0, 1.0, 41)


def pressed(volume, overlap, angle=-0.5 * np.pi, time=TIME, **more):
    """A journal pressed with constant force at an angle."""
    x, y = (C + overlap) * np.cos(angle + 0 * time), (C + overlap) * np.sin(angle + 0 * time)
    numbers = {"clearance": C, "coefficient": volume / 30.0 * HARDNESS, **SURFACE, **more}
    return overlap_wear(time, 30.0 + 0 * time, 1.0 + 0 * time, x, y, overlap + 0 * time, **numbers)


def test_a_pressed_journal_wears_its_own_bed():
    """The volume is Archard's; as the overlap goes to zero the bed is that of a rigid journal, and its region stays convex."""
    volume, errors = 1e-9, []
    for overlap in (4e-6, 2e-6, 1e-6):
        worn = pressed(volume, overlap, bins=360)
        assert worn.total == pytest.approx(volume, rel=1e-12) and worn.volume.min() >= 0.0
        errors.append(1.0 - worn.depth.max() / bed(volume))
        for order in (4, 12, 24):
            assert worn.profile(order).tightest(C)[0] > 0.0
    assert 0.0 < errors[2] < 0.02 and errors[0] > 1.7 * errors[1] > 2.9 * errors[2], errors


def test_a_journal_pressed_all_round_wears_evenly_and_updates_add():
    volume, half = 3e-10, TIME[:21]
    angle = np.linspace(0, 4 * np.pi, 401)
    worn = pressed(volume, 2e-6, angle, time=np.linspace(0.0, 1.0, 401), bins=100)
    np.testing.assert_allclose(worn.depth, volume / (2 * np.pi * R * L), rtol=1e-2)
    first = pressed(volume, 1e-6, time=half)
    both = first + pressed(volume, 1e-6, time=half, before=first)
    np.testing.assert_allclose(both.depth, pressed(volume, 1e-6).depth, atol=5e-3 * both.depth.max())
    many = pressed(np.array([volume, 2 * volume]), 1e-6)
    np.testing.assert_array_equal(many.volume[0], pressed(volume, 1e-6).volume)
    point = archard(TIME, 30.0 + 0 * TIME, 1.0 + 0 * TIME, 0 * TIME, coefficient=volume / 30.0 * HARDNESS, **SURFACE)
    assert point.total == pytest.approx(both.total, rel=1e-12)


def rotor(worn, load=1.0, turning=0.0, angle=-0.5 * np.pi, whirl=0.0):
    """A journal that turns at constant speed, pressed down by a load and outwards by another that turns with it.

    It begins with the overlap of these loads at `angle`, moving round with the rate `whirl`.
    """
    s = fm.System()
    out, reach = (np.cos(angle), np.sin(angle)), C + np.hypot(load, turning) / STIFFNESS
    start = {"position": tuple(reach * x for x in out), "velocity": (-whirl * reach * out[1], whirl * reach * out[0]), "rate": SPIN}
    body = s.body("rotor", mass=0.5, inertia=1e-3, **start)
    s.add(fm.AngleDrive("drive", s.ground.at(0, 0), body.centre, fm.ConstantSpeed(SPIN)))
    s.add(fm.PointForce("load", body.centre, fy=-1.0 * load))
    s.add(fm.PointForce("unbalance", body.centre, fx=1.0 * turning, follower=True))
    law = fm.KelvinVoigt(STIFFNESS, 2e4)
    s.add(fm.ClearanceRevolute("B", body.centre, s.ground.at(0, 0), C, law, bearing_radius=R, worn=worn))
    return s


STIFFNESS = 2e8
LOADS = {
    "load": np.array([200.0, 200.0, 0.0]),
    "turning": np.array([0.0, 150.0, 150.0]),
    "angle": np.array([-0.5 * np.pi, np.arctan2(-200.0, 150.0), 0.0]),
    "whirl": np.array([0.0, 0.0, SPIN]),
}


def worn_rotor(updates, **changes):
    turn = 2 * np.pi / SPIN
    numbers = {"joint": "B", "cycles": 40.0, "end": 1.25 * turn, "start": 0.25 * turn, "points": 501, "coefficient": 1e-3}
    numbers |= {"settings": {"lanes": 4}, **changes}
    names = ["B.normal", "B.slip", "B.penetration"]
    return fm.wear_cycles(rotor, LOADS, updates=updates, hardness=HARDNESS, length=L, outputs=names, **numbers)


@pytest.mark.slow
def test_wear_of_a_loaded_rotor_that_feeds_back():
    """Archard's volume in every update, the rigid journal's bed under a steady load, even wear under a turning one, order one."""
    found = {updates: worn_rotor(updates) for updates in (2, 4, 8)}
    history = found[4]
    cycle = history.time >= 0.25 * 2 * np.pi / SPIN - 1e-9
    lost = np.trapezoid((history.outputs["B.normal"] * abs(history.outputs["B.slip"]))[..., cycle], history.time[cycle], axis=-1)
    np.testing.assert_allclose(np.diff(history.volume, axis=0), 1e-3 / HARDNESS * 10.0 * lost[:-1], rtol=1e-10)
    profile = history.profiles[-1]
    np.testing.assert_allclose(profile.mean * 2 * np.pi * R * L, history.volume[-1], rtol=1e-12)
    steady = 1e-3 / HARDNESS * 200.0 * SPIN * (R - C) * 40 * 2 * np.pi / SPIN
    assert history.volume[-1, 0] == pytest.approx(steady, rel=1e-3)
    assert history.depth[-1, 0] == pytest.approx(bed(history.volume[-1, 0]), rel=3e-3)
    np.testing.assert_allclose(history.surfaces[-1].depth[2], history.volume[-1, 2] / (2 * np.pi * R * L), rtol=2e-3)
    first, second = np.diff([found[updates].volume[-1, 2] for updates in (2, 4, 8)])
    assert first / second == pytest.approx(2.0, abs=0.01)  # the error halves with the size of an update
    failed = said(lambda: worn_rotor(1, settings={"lanes": 4, "max_steps": 5}))
    names(failed, "wear of joint 'B': sample 0 failed after 0 of 1 updates", "max_steps = 5")


@pytest.mark.slow
def test_collisions_in_a_worn_bearing_keep_momentum_and_energy():
    bodies = (("a", 0.4, 2e-3), ("b", 0.7, 3e-3))
    keys = [f"{n}.{key}" for n, *_ in bodies for key in ("x", "y", "vx", "vy", "rate")]
    outputs = ["energy.balance", "energy.kinetic", "J.impacts", *keys]
    got = column(simulate(partial(pair, WORN), outputs, end=2e-2, points=201, tolerance=1e-10, lanes=1))
    assert got["J.impacts"][-1] >= 3 and got["energy.kinetic"][-1] < 0.97 * got["energy.kinetic"][0]
    assert np.ptp(got["energy.balance"]) < 1e-8 * got["energy.kinetic"][0]
    spin = sum(i * got[f"{n}.rate"] + m * (got[f"{n}.x"] * got[f"{n}.vy"] - got[f"{n}.y"] * got[f"{n}.vx"]) for n, m, i in bodies)
    np.testing.assert_allclose(spin, spin[0], atol=1e-11)


HOLLOW = WornProfile(1e-5, np.array([0.0, 0.0, 5e-5]), np.zeros(3))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pair(HOLLOW), "clearance joint 'J': the worn profile is hollower than the journal at"),
        (lambda: pair(0.1), "clearance joint 'J': worn is 0.1; it must be a WornProfile"),
        (lambda: pair(WornProfile(np.nan, np.zeros(1), np.zeros(1))), "clearance joint 'J': worn.mean is nan"),
        (lambda: pair(WORN, film=fm.ShortFilm(0.02, L)), "clearance joint 'J': films and asperities do not know a worn profile"),
        (lambda: WornProfile(0.0, [1e-5], [0.0, 0.0]), "worn profile: cosine has shape (1,) and sine (2,); both must be"),
        (lambda: pressed(1e-10, 1e-6, most=1.5), "most is 1.5"),
        (lambda: pressed(1e-10, 1e-6, clearance=0.0), "wear: clearance is 0; it must be greater than zero"),
        (lambda: pressed(1e-10, 1e-6, before=WornSurface(np.zeros(9), 2 * R, L)), "the wear before is of a surface of another radius"),
        (lambda: worn_rotor(0), "updates is 0"),
        (lambda: worn_rotor(1, start=1.0), "start is 1"),
        (lambda: worn_rotor(1, points=3, start=0.1), "wear of joint 'B': fewer than two points of time lie between start and end"),
        (lambda: worn_rotor(1, joint="A"), "wear of joint 'A': the model has no such joint with clearance"),
        (lambda: fm.wear_cycles(lambda worn: rotor(None), {}, joint="B", **TINY), "the model has no such joint with worn.mean"),
    ],
)
def test_bad_wear_is_refused_in_one_sentence(make, words):
    names(said(make), words)


TINY = {"cycles": 1.0, "updates": 1, "end": 1.0, "points": 3, "coefficient": 1e-6, "hardness": 1e9, "length": L}
