"""Many round bodies against surfaces of rigid bodies: momenta, one contact each instead; belts, lifts, gates, drums in closed form."""

import re
from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.contact import granular_bodies
from flexmbd.language.graph import Graph

from .grains import GRAVITY
from .running import simulate
from .sentences import names, said

LAW, FRICTION = fm.KelvinVoigt(1e4, 2.0), fm.Ambrosio(0.3, 1e-3, 1e-2)
DAMPED = fm.KelvinVoigt(1e4, 20.0)
MASS, BODY, INERTIA = 0.1, 0.5, 0.01
SURFACES = {  # by name: arguments, and where point b is on the body's last axis
    "plane": (fm.GrainsPlane, {}, 0.0),
    "round": (fm.GrainsRound, {"radius": 0.035}, 0.0),
    "hole": (fm.GrainsRound, {"radius": 0.09, "inside": True}, 0.06),
    "box": (fm.GrainsBox, {"rounding": 0.003}, 0.0),
    "roll": (fm.GrainsCylinder, {"cylinder_radius": 0.035, "length": 0.05}, 0.0),
    "drum": (fm.GrainsCylinder, {"cylinder_radius": 0.09, "inside": True}, 0.06),
}
FLAT, SPATIAL = ("plane", "round", "hole", "box"), tuple(SURFACES)
BOTH = [*((2, kind) for kind in FLAT), *((3, kind) for kind in SPATIAL)]


def start(d, count):
    """Places and radii of grains above a body at -0.03 m."""
    rng = np.random.default_rng(3)
    side = (3, 2) if d == 2 else (2, 2, 2)
    places = 0.05 * np.array(list(np.ndindex(side))[:count]) + rng.uniform(-2e-3, 2e-3, (count, d)) + 0.02
    return places, rng.uniform(0.008, 0.012, count)


def tossed(d, law=LAW, friction=FRICTION):
    """A free body that turns, far from any surface of its own; its point and the system."""
    s = fm.System(gravity=(0.0,) * d)
    turn = {"rate": 1.0} if d == 2 else {"angular_velocity": (1.0, 0.5, 0.3), "rotation": (0.1, 0.2, 0.3)}
    body = s.body("b", mass=BODY, inertia=INERTIA if d == 2 else (INERTIA,) * 3, position=(*(0.05,) * (d - 1), -0.03), **turn)
    return s, body


def on_body(d, kind, count=6):
    """Grains that are thrown at a free body."""
    s, body = tossed(d)
    places, radii = start(d, count)
    grains = s.grains("g", positions=places, radius=list(radii), mass=MASS, velocities=[(*(0.2,) * (d - 1), -1.0)] * count)
    s.add(fm.GranularContact("c", grains, LAW, FRICTION))
    make, given, along = SURFACES[kind]
    sizes = {"half_lengths": (*(0.06,) * (d - 1), 0.02)} if kind == "box" else {}
    s.add(make("w", grains, body.at(*(0.0,) * (d - 1), along), law=LAW, friction=FRICTION, **given, **sizes))
    return s


def motion(run, d, count=6):
    """Places, velocities (bodies, axes, times), angular velocities (bodies, 1 or 3, times) of all grains and the body."""
    axes, turns = "xyz"[:d], ["rate"] if d == 2 else [f"omega_{a}" for a in "xyz"]
    owners = [*(f"g.{k + 1}" for k in range(count)), "b"]
    return [np.array([[run[f"{o}.{key}"][0] for key in keys] for o in owners]) for keys in (axes, [f"v{a}" for a in axes], turns)]


def wanted(d, count=6):
    turns = ["rate"] if d == 2 else [f"omega_{a}" for a in "xyz"]
    keys = [*(f"{p}{a}" for p in ("", "v") for a in "xyz"[:d]), *turns]
    return [f"{o}.{key}" for o in [*(f"g.{k + 1}" for k in range(count)), "b"] for key in keys]


@pytest.mark.parametrize(("d", "kind"), BOTH)
def test_a_free_body_takes_what_grains_lose(d, kind):
    """Momentum, angular momentum; and the book of energy closes."""
    run = simulate(lambda: on_body(d, kind), [*wanted(d), "w.contacts:max", "energy.balance", "energy.total"],
                   end=0.1, points=6, lanes=1, tolerance=1e-9)  # fmt: skip
    assert run["w.contacts:max"][0] > 0.5
    x, v, w = motion(run, d)
    mass, solid = np.array([MASS] * 6 + [BODY]), (0.5, 0.4)[d - 2] * MASS * start(d, 6)[1] ** 2
    inertia = np.append(solid, INERTIA)
    momentum = np.einsum("i,ijk->jk", mass, v)
    turn = np.cross(x, v, axis=1) if d == 3 else (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])[:, None]
    moment = np.einsum("i,ijk->jk", mass, turn) + np.einsum("i,ijk->jk", inertia, w)
    size = np.einsum("i,ijk->", mass, np.abs(v[:, :, :1]))
    assert np.abs(momentum - momentum[:, :1]).max() < 1e-12 * size
    assert np.abs(moment - moment[:, :1]).max() < 1e-10 * size
    assert np.abs(v[-1] - v[-1][:, :1]).max() > 1e-2  # it was struck
    energy = run["energy.total"][0]
    assert energy[-1] < 0.99 * energy[0]
    assert np.ptp(run["energy.balance"][0]) < 1e-7 * energy[0]


def one_by_one(d, kind):
    """The same as `on_body`, without contact of grains: rigid bodies with a contact each."""
    s, body = tossed(d)
    make, given, along = SURFACES[kind]
    b = body.at(*(0.0,) * (d - 1), along)
    for k, (place, r) in enumerate(zip(*start(d, 4), strict=True)):
        inertia = 0.5 * MASS * r * r if d == 2 else (0.4 * MASS * r * r,) * 3
        grain = s.body(f"g{k + 1}", mass=MASS, inertia=inertia, position=tuple(place), velocity=(*(0.2,) * (d - 1), -1.0))
        own = {"plane": (fm.DiscPlane, fm.SpherePlane)[d - 2], "round": (fm.DiscDisc, fm.SphereSphere)[d - 2], "drum": fm.SphereCylinder}
        sizes = {"plane": (r,), "round": (r, given.get("radius")), "drum": (r, given.get("cylinder_radius"))}[kind]
        more = {"normal": (0.0, 1.0)} if (d, kind) == (2, "plane") else {"inside": True} if kind == "drum" else {}
        s.add(own[kind](f"w{k}", grain.centre, b, *sizes, LAW, FRICTION, **more))
    return s


@pytest.mark.parametrize(("d", "kind"), [(2, "plane"), (2, "round"), (3, "plane"), (3, "round"), (3, "drum")])
def test_grains_on_a_body_move_as_bodies_with_a_contact_each(d, kind, monkeypatch):
    monkeypatch.setitem(globals(), "FRICTION", fm.Ambrosio(0.3, 1e-2, 1e-1))
    axes, settings = "xyz"[:d], {"end": 0.08, "points": 5, "lanes": 1, "tolerance": 1e-10}

    def without_pairs():
        s = on_body(d, kind, 4)
        s.elements.pop(0)
        return s

    one = simulate(lambda: one_by_one(d, kind), [*(f"g{k + 1}.{a}" for k in range(4) for a in axes), "w0.impacts"], **settings)
    together = simulate(without_pairs, [*(f"g.{k + 1}.{a}" for k in range(4) for a in axes), "w.contacts:max"], **settings)
    assert together["w.contacts:max"][0] > 0.5
    for k in range(4):
        for a in axes:
            np.testing.assert_allclose(together[f"g.{k + 1}.{a}"], one[f"g{k + 1}.{a}"], rtol=0, atol=1e-7)


def driven(d, motion, axis, count=5, **more):
    """Grains at rest on a plate that is moved along an axis, and cannot turn."""
    s = fm.System(gravity=(*(0.0,) * (d - 1), -GRAVITY))
    plate = s.body("plate", mass=1.0, inertia=1.0 if d == 2 else (1.0,) * 3)
    for k in range(d):
        way = tuple(float(i == k) for i in range(d))
        s.add(fm.SlideDrive(f"way{k}", s.ground.at(*(0.0,) * d), plate.centre, motion if k == axis else fm.Polynomial((0.0,)), axis=way))
    if d == 2:
        s.add(fm.AngleDrive("turn", s.ground.at(0.0, 0.0), plate.centre, fm.Polynomial((0.0,))))
    else:
        for k in range(3):  # the end of axis k moves along axis k + 1 as the centre does
            end, way = (tuple(float(i == j) for j in range(3)) for i in (k, (k + 1) % 3))
            along = motion if way[axis] else fm.Polynomial((0.0,))
            s.add(fm.SlideDrive(f"turn{k}", s.ground.at(*end), plate.at(*end), along, axis=way))
    places = [(0.03 * k, *(0.0,) * (d - 2), 0.01 - MASS * GRAVITY / 1e4) for k in range(count)]
    grains = s.grains("g", positions=places, radius=0.01, mass=MASS)
    s.add(fm.GrainsPlane("w", grains, plate.centre, DAMPED, **more))
    return s


@pytest.mark.parametrize("d", [2, 3])
def test_a_lift_carries_weight_and_inertia(d):
    """Acceleration 3 m/s² upwards: five times m (g + a), from the plate and by the drive."""
    rise = fm.Polynomial((0.0, 0.0, 1.5))
    run = simulate(lambda: driven(d, rise, d - 1), ["w.normal", f"way{d - 1}.force", "w.contacts"], end=0.5, lanes=1, tolerance=1e-9)
    load = 5 * MASS * (GRAVITY + 3.0)
    assert run["w.contacts"][0, -1] == 5
    assert run["w.normal"][0, -1] == pytest.approx(load, rel=1e-6)
    assert abs(run[f"way{d - 1}.force"][0, -1]) == pytest.approx(load + 1.0 * (GRAVITY + 3.0), rel=1e-6)


@pytest.mark.parametrize("d", [2, 3])
def test_a_belt_takes_grains_along(d):
    """They end rolling at a third of its speed (spheres 2/7), by moment of momentum about the place of contact, as deep as it is."""
    speed, mu, arm = 0.3, 0.3, 0.01 - MASS * GRAVITY / 1e4
    share = 1.0 / (1.0 + (2.0, 2.5)[d - 2] * (arm / 0.01) ** 2)
    belt = fm.Polynomial((0.0, speed))
    friction = fm.Ambrosio(mu, 1e-5, 1e-4)
    turn = "rate" if d == 2 else "omega_y"
    run = simulate(lambda: driven(d, belt, 0, friction=friction), ["g.2.vx", f"g.2.{turn}", "w.normal"],
                   end=0.4, points=5, lanes=1, tolerance=1e-8)  # fmt: skip
    assert run["g.2.vx"][0, 0] == 0.0
    assert run["g.2.vx"][0, -1] == pytest.approx(share * speed, abs=1e-4)
    assert share * speed + arm * abs(run[f"g.2.{turn}"][0, -1]) == pytest.approx(speed, abs=2e-4)


def silo(opening):
    """Grains between two plates above a gate, which is drawn aside from a time on."""
    s = fm.System(gravity=(0.0, -GRAVITY))
    gate = s.body("gate", mass=1.0, inertia=1.0)
    s.add(fm.SlideDrive("draw", s.ground.at(0.0, 0.0), gate.centre, opening))
    s.add(fm.SlideDrive("level", s.ground.at(0.0, 0.0), gate.centre, fm.Polynomial((0.0,)), axis=(0.0, 1.0)))
    s.add(fm.AngleDrive("turn", s.ground.at(0.0, 0.0), gate.centre, fm.Polynomial((0.0,))))
    places = [(-0.025 + 0.0245 * i + 1e-3 * (j % 2), 0.018 + 0.022 * j) for j in range(4) for i in range(3)]
    grains = s.grains("g", positions=places, radius=0.01, mass=MASS)
    s.add(fm.GranularContact("c", grains, DAMPED))
    s.add(fm.GrainsBox("floor", grains, gate.centre, (0.06, 0.005), DAMPED))
    for name, x in (("left", -0.045), ("right", 0.045)):
        s.add(fm.GrainsBox(name, grains, s.ground.at(x, 0.1), (0.005, 0.1), DAMPED))
    return s


def test_a_gate_carries_the_weight_until_it_is_drawn():
    """All grains lie on it at rest; half a second after it is away the lowest of twelve has fallen for that time at least."""
    time = np.linspace(0.0, 3.0, 61)
    part = np.clip((time - 2.0) / 0.25, 0.0, 1.0)
    opening = fm.Table(time, 0.4 * part**2 * (3.0 - 2.0 * part), kind="cubic")
    run = simulate(lambda: silo(opening), ["floor.normal", *(f"g.{k + 1}.y" for k in range(12))],
                   end=2.6, points=14, lanes=1, integrator="rk4", step=2e-4)  # fmt: skip
    assert run["floor.normal"][0, 9] == pytest.approx(12 * MASS * GRAVITY, rel=1e-4)
    assert run["floor.normal"][0, -1] == 0.0
    assert min(run[f"g.{k + 1}.y"][0, 9] for k in range(12)) > 0.01
    assert max(run[f"g.{k + 1}.y"][0, -1] for k in range(12)) < 0.0


@pytest.mark.parametrize("d", [2, 3])
def test_a_drum_spins_the_grain_that_lies_in_it(d):
    """It lies at the bottom and rolls on the wall: radii times angular velocities are equal."""

    def drum():
        s = fm.System(gravity=(*(0.0,) * (d - 1), -GRAVITY))
        axis = {} if d == 2 else {"axis": (0.0, 1.0, 0.0)}
        wheel = s.body("drum", mass=1.0, inertia=0.1 if d == 2 else (0.1,) * 3)
        s.add(fm.Revolute("pin", s.ground.at(*(0.0,) * d), wheel.centre, **axis))
        s.add(fm.AngleDrive("turn", s.ground.at(*(0.0,) * d), wheel.centre, fm.Polynomial((0.0, 3.0)), **axis))
        grains = s.grains("g", positions=[(*(0.0,) * (d - 1), -0.09)], radius=0.01, mass=MASS)
        make = fm.GrainsRound if d == 2 else fm.GrainsCylinder
        s.add(make("w", grains, wheel.centre, 0.1, LAW, fm.Ambrosio(0.3, 1e-4, 1e-3), inside=True, **axis))
        return s

    turn = "rate" if d == 2 else "omega_y"
    up = "xyz"[d - 1]
    keys = [f"g.1.{key}" for key in ("vx", f"v{up}", "x", up, turn)]
    run = simulate(drum, keys, end=2.0, points=9, lanes=1, tolerance=1e-7)
    vx, vy, x, y, spin = (run[key][0, 5:] for key in keys)
    far, way = np.hypot(x, y), 1.0 if d == 2 else -1.0  # about y is from z to x
    assert np.ptp(x) > 0.01  # it swings, as nothing takes energy out
    np.testing.assert_allclose(way * (x * vy - y * vx) / far + (0.1 - far) * spin, 3.0 * 0.1, rtol=0, atol=1e-3)


@pytest.mark.parametrize("d", [2, 3])
def test_few_grains_are_held_by_walls(d):
    """Two grains of which each has a mass written out, and contacts with walls and a plate in a loop."""
    s = fm.System(gravity=(*(0.0,) * (d - 1), -GRAVITY))
    grains = s.grains("g", positions=[(0.02 + 0.05 * k, *(0.02,) * (d - 1)) for k in range(2)], radius=0.01, mass=MASS)
    up = (*(0.0,) * (d - 1), 1.0)
    s.add(fm.GranularContact("c", grains, DAMPED, walls=[((0.0,) * d, up), ((0.0,) * d, (1.0, *(0.0,) * (d - 1)))]))
    s.add(fm.GrainsPlane("w", grains, s.ground.at(*(0.0,) * d), DAMPED))
    run = simulate(lambda: s, ["c.1.normal", "w.normal"], end=0.5, lanes=1, tolerance=1e-8)
    assert run["c.1.normal"][0, -1] == pytest.approx(MASS * GRAVITY, rel=1e-6)
    assert run["w.normal"][0, -1] == pytest.approx(MASS * GRAVITY, rel=1e-6)


def heights(surface, places, sizes, *options):
    """Distances of places from a surface and the unit vectors out of it, by the nodes of the function."""
    found = []
    for place in places:
        g = Graph()
        height, out = surface(g, [g.const(x) for x in place], [g.const(x) for x in sizes], *options)
        found.append([float(np.ravel(x)[0]) for x in g.evaluate([height, *out])])
    return np.array(found)


def box_distance(place, half, turned, rounding):
    """To the nearest place of the box; from within to the nearest side."""
    own = turned.T @ place
    inside = np.all(np.abs(own) < half)
    out = np.linalg.norm(np.maximum(np.abs(own) - half, 0.0))
    return (np.max(np.abs(own) - half) if inside else out) - rounding


@pytest.mark.parametrize("kind", ["box", "plate", "roll", "tube", "hole"])
def test_surfaces_are_as_far_as_their_shapes(kind):
    """Distances by geometry; normals are their slopes by differences."""
    rng = np.random.default_rng(5)
    places = rng.uniform(-1.0, 1.0, (40, 3))
    turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    axis = turned[:, 0]
    if kind in ("box", "plate"):
        half, rounding = np.array([0.5, 0.3, 0.4 if kind == "box" else 0.0]), 0.1
        given = granular_bodies._box, (*half, rounding, *turned.ravel()), 3
        exact = [box_distance(p, half, turned, rounding) for p in places]
    elif kind == "hole":
        given = granular_bodies._round, (0.8,), True
        exact = [0.8 - np.linalg.norm(p) for p in places]
    else:
        given, exact = (granular_bodies._cylinder, (0.4, *axis, 1.0), kind == "tube", True), []
        for p in places:
            along, far = abs(p @ axis), np.linalg.norm(p - (p @ axis) * axis)
            r, z = far - 0.4, along - 0.5
            ends = np.hypot(max(r, 0.0), max(z, 0.0)) if max(r, z) > 0.0 else max(r, z)
            exact.append(np.hypot(r, max(z, 0.0)) if kind == "tube" else ends)
    surface, sizes, *options = given
    found, step = heights(surface, places, sizes, *options), 1e-6
    np.testing.assert_allclose(found[:, 0], exact, rtol=0, atol=1e-12)
    for k in range(3):
        there, back = (heights(surface, places + s * step * np.eye(3)[k], sizes, *options)[:, 0] for s in (1.0, -1.0))
        np.testing.assert_allclose(found[:, 1 + k], (there - back) / (2.0 * step), rtol=0, atol=1e-4)


def test_a_run_on_a_body_is_to_the_bit_the_same_in_any_company():
    def thrown(speed):
        s = on_body(2, "box")
        s.add(fm.PointForce("tug", s.bodies[1 if s.bodies[0].name == "g" else 0].centre, fx=speed, fy=0.0))
        return s

    speed, keys = np.linspace(0.1, 0.6, 6), wanted(2)
    company = simulate(thrown, keys, samples={"speed": speed}, end=0.05, points=3, tolerance=1e-6)
    others = simulate(thrown, keys, samples={"speed": speed[::-1]}, end=0.05, points=3, tolerance=1e-6)
    for key in keys:
        assert np.array_equal(company[key][2], others[key][3])


def test_mistakes_are_said():
    s = fm.System(gravity=(0.0, 0.0))
    grains = s.grains("h", positions=[(0.0, 0.0), (1.0, 0.0)], radius=0.1, mass=1.0)
    mass = s.point_mass("p", mass=1.0)
    o = s.ground.at(0.0, 0.0)

    def made(kind, *given, of=grains, b=o, **more):
        return lambda: kind("w", of, b, *given, **more)

    names(said(made(fm.GrainsPlane, LAW, normal=(0.0, 0.0, 1.0))), "'w'", "normal", "two")
    names(said(made(fm.GrainsPlane, LAW, b=mass.centre)), "'w'", "'p'", "no frame", "rigid body")
    names(said(made(fm.GrainsPlane, LAW, of=s.ground)), "'w'", "grains is")
    names(said(made(fm.GrainsPlane, fm.Impenetrable(0.5))), "'w'", "law is")
    names(said(made(fm.GrainsPlane, fm.HuntCrossley(1e5, restitution=0.5))), "'w'", "impact_velocity")
    names(said(made(fm.GrainsPlane, LAW, fm.LuGre(0.3, 0.2, 1e-3, 1e5))), "'w'", "memory")
    names(said(made(fm.GrainsRound, -1.0, LAW)), "'w'", "radius", "-1")
    names(said(made(fm.GrainsRound, 1.0, LAW, inside="in")), "'w'", "inside", "'in'")
    names(said(made(fm.GrainsBox, (0.1, -0.2), LAW)), "'w'", "half_lengths", "below zero")
    names(said(made(fm.GrainsBox, 0.1, LAW)), "'w'", "half_lengths", "two")
    names(said(lambda: s.add(fm.GrainsCylinder("w", grains, o, 0.3, LAW))), "'w'", "GrainsCylinder", "planar")


def test_the_drum_of_the_page_runs():
    """The block under "Grains on bodies" of docs/theory/contact_shapes.md; its motor has work to do once grains lie on the wall."""
    page = (Path(__file__).parents[2] / "docs" / "theory" / "contact_shapes.md").read_text(encoding="utf-8")
    block = re.search(r"### Grains on bodies\n```python\n(.*?)```", page, re.DOTALL)[1]
    known = {"np": np, "fm": fm}
    exec(compile(block, "contact_shapes.md", "exec"), known)
    run = known["run"]
    assert not run.status.any() and run.poses("g").position.shape == (1, 11, 100, 3)
    assert run["motor.moment"][0, -1] > 1e-3
