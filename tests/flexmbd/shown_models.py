"""Small mechanisms to be looked at, and motions that are made up."""

import numpy as np
from scipy.spatial.transform import Rotation

import flexmbd as fm
from flexmbd.bodies.grains import Grains
from flexmbd.running.posed import joined
from flexmbd.trajectory import Moved, Trajectory

CORNER = {"vertices": [(0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.3)], "faces": [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]}
SHAPES = {  # by their colour
    "#d62728": lambda **how: fm.Box(size=(0.3, 0.2, 0.1), **how),
    "#2ca02c": lambda **how: fm.Cylinder(radius=0.12, length=0.3, **how),
    "#1f4fd8": lambda **how: fm.Sphere(radius=0.15, **how),
    "#b030c0": lambda **how: fm.Mesh(**CORNER, **how),
    "#e0a000": lambda **how: fm.Polyline([(0.0, 0.0, 0.0), (0.2, 0.1, 0.0), (0.3, -0.1, 0.1)], **how),
}

CRANK, ROD = 0.05, 0.12


def crank(clearance, length=ROD):
    """Slider-crank whose journal has play; its rod may be longer or shorter."""
    s = fm.System(gravity=(0.0, -9.81))
    body = s.body("crank", mass=0.3, inertia=1e-4, position=(CRANK / 2, 0.0), points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)})
    rod = s.body(
        "rod", mass=0.2, inertia=2.5e-4, position=(CRANK + ROD / 2, 0.0), points={"A": (-ROD / 2, 0.0), "B": (length - ROD / 2, 0.0)}
    )
    slider = s.body("slider", mass=0.14, inertia=1e-4, position=(CRANK + length, 0.0), points={"B": (0.0, 0.0)})
    pivot = s.ground.at(0.0, 0.0, "O")
    s.add(fm.Revolute("O", pivot, body["O"]))
    s.add(fm.Revolute("A", body["A"], rod["A"]))
    s.add(fm.Translational("guide", pivot, slider["B"]))
    s.add(fm.AngleDrive("drive", pivot, body["O"], fm.ConstantSpeed(120.0)))
    law = fm.HuntCrossley(1e8, restitution=0.5)
    s.add(fm.ClearanceRevolute("B", rod["B"], slider["B"], clearance, law, bearing_radius=8e-3, start="centred"))
    slider.show(fm.Box(size=(0.04, 0.02, 0.02)))
    return s


def rope():
    """A rope with a load at its end, hung on ground."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    stuff = fm.Material(E=5e7, nu=0.3, density=2000.0)
    line = s.cable("rope", length=1.0, elements=4, section=fm.Section.circle(8e-3), material=stuff, direction=(1.0, 0.0, 0.2), damping=1e-3)
    s.add(fm.Spherical("hook", s.ground.at(0.0, 0.0, 0.0), line.start))
    load = s.point_mass("load", mass=0.5, position=np.array((1.0, 0.0, 0.2)) / np.hypot(1.0, 0.2))
    s.add(fm.Spherical("end", line.end, load.centre))
    load.show(fm.Sphere(radius=0.06))
    return s


def made_up(system, bodies, time):
    """The trajectory of one run of bodies whose poses, numbers (times, `Body.pose_size`), are given by name."""
    by_name = {body.name: body for body in system.bodies}
    d = system.dimension
    moved = {name: Moved(by_name[name], np.asarray(x, float), (0.0,) * d, 1.0) for name, x in bodies.items()}
    moved["ground"] = Moved(system.ground, np.zeros((len(time), d)), (0.0,) * d)
    return Trajectory(time, {}, {}, np.int8(0), "", {}, {}, moved)


def shapes(d):
    """Bodies side by side, each of a shape and a colour of `SHAPES`, that swing and turn."""
    s, time, bodies = fm.System(gravity=(*(0.0,) * (d - 1), -9.81)), np.linspace(0.0, 2.0, 41), {}
    for k, (color, shape) in enumerate(SHAPES.items()):
        body = s.body(color, mass=1.0, inertia=0.1 if d == 2 else (0.1, 0.1, 0.1))
        body.show(shape(color=color))
        angle, place = time * (1.0 + 0.3 * k), np.zeros((41, d))
        place[:, 0], place[:, 1] = 0.5 * k, 0.2 * np.sin(3.0 * time)
        turn = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        axes = np.swapaxes(Rotation.from_rotvec(np.outer(angle, (0.5, 0.2, 1.0))).as_matrix(), 1, 2).reshape(41, 9)
        bodies[color] = np.hstack([place, turn if d == 2 else axes])
    return made_up(s, bodies, time)


def many(count, times=11):
    """So many point masses that fall side by side."""
    s, time = fm.System(gravity=(0.0, -9.81)), np.linspace(0.0, 1.0, times)
    falling = np.stack([np.zeros(times), -4.905 * time**2], axis=1)
    for k in range(count):
        s.point_mass(f"m{k}", mass=1.0)
    return made_up(s, {f"m{k}": falling + [0.01 * k, 0.0] for k in range(count)}, time)


def long_rope(elements):
    """A cable of so many elements that swings in half a sine wave."""
    s, time, u = fm.System(gravity=(0.0, -9.81)), np.linspace(0.0, 1.0, 21), np.linspace(0.0, 1.0, elements + 1)
    s.cable("rope", length=1.0, elements=elements, section=fm.Section.circle(0.01), material=fm.Material(E=1e9, nu=0.3, density=1000.0))
    wave, slope = 0.1 * np.sin(np.pi * u), 0.1 * np.pi * np.cos(np.pi * u)
    swing = np.cos(6.0 * time)[:, None]
    nodes = np.stack(np.broadcast_arrays(u, swing * wave, 1.0, swing * slope), axis=-1)
    return made_up(s, {"rope": nodes.reshape(len(time), -1)}, time)


def socket():
    """A ball that lies in its socket."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = s.body("ball", mass=2.0, inertia=(0.01, 0.01, 0.01), points={"pole": (0.0, 0.0, 0.2)})
    law = fm.HuntCrossley(1e6, restitution=0.1, exponent=1.0)
    s.add(fm.ClearanceSpherical("joint", ball.centre, s.ground.at(0.0, 0.0, 0.0), 1e-3, law=law, bearing_radius=0.05))
    return s


def at_start(system):
    """The trajectory of two times at the start of a system, as if nothing moved: numbers of the first sample."""
    moved, parameters, offsets = {}, system.parameters(), system.offsets()
    for body in (body for body in system.bodies if body.pose_size):
        own = np.array([np.ravel(x)[0] for x in body.initial()[0]], float)
        if isinstance(body, Grains):  # which have no orientation in space
            own = own.reshape(body.count, -1)[:, :3].ravel()
        offset = offsets.get(body.name, (0.0,) * body.dimension)
        moved[body.name] = Moved(body, np.tile(own, (1, 2, 1)), offset, parameters.get(f"{body.name}.length"))
    moved["ground"] = Moved(system.ground, np.zeros((1, 2, system.dimension)), system.ground.offset)
    elements = joined(system, moved)
    return Trajectory(np.array([0.0, 1.0]), {}, {}, np.zeros(1, np.int8), [""], {}, {}, moved, elements).of_sample(0)


def cut_ball():
    """A ball that falls through the middle of a room: half a metre in radius, about the origin at the time 1 s."""
    s, time = fm.System(gravity=(0.0, 0.0, -9.81)), np.linspace(0.0, 2.0, 3)
    ball = s.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    ball.show(fm.Sphere(radius=0.5, color="#3b7dd8"))
    place = np.stack([0.0 * time, 0.0 * time, 0.2 * (1.0 - time)], axis=1)
    return made_up(s, {"ball": np.hstack([place, np.tile(np.eye(3).ravel(), (3, 1))])}, time)


def turning_grains():
    """Two grains in the plane, drawn as bars, of which the first turns by a quarter turn and the other by three, the other way."""
    s, time = fm.System(), np.linspace(0.0, 1.0, 41)
    grains = s.grains("grains", positions=[(0.0, 0.0), (1.0, 0.0)], radius=0.1, mass=1.0)
    grains.show(fm.Box(size=(0.8, 0.1, 0.1), color="#d62728"))
    still, turn = np.ones_like(time), 0.5 * np.pi * time
    return made_up(s, {"grains": np.stack([0.0 * still, 0.0 * still, turn, still, 0.0 * still, -3.0 * turn], axis=1)}, time)


def tilting():
    """A journal that lies in a long bearing, aslant in its clearance."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    shaft = s.body("shaft", mass=2.0, inertia=(0.02, 0.02, 1e-3), position=(2e-4, 0.0, 0.0), rotation=(0.0, 4e-3, 0.0))
    law = fm.HuntCrossley(1e6, restitution=0.1, exponent=1.0)
    s.add(fm.ClearanceCylindrical("joint", shaft.centre, s.ground.at(0.0, 0.0, 0.0), 1e-3, 0.03, 0.1, law=law))
    return s
