"""Motions that are gone through state by state; as a script it goes on from a saved one: ``python going_on.py NAME FILE UNTIL``."""

import hashlib
import sys

import flexmbd as fm

G = (0.0, -9.81)


def ball(speed=0.4):
    """A disc in contact with a plane on which it comes to roll: impacts, bristles, and a pendulum that hangs from it."""
    s, law = fm.System(gravity=G), fm.HuntCrossley(2e5, restitution=0.5)
    body = s.body("ball", mass=0.7, inertia=0.02, position=(0.0, 0.3005), velocity=(speed, -0.6))
    s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), 0.3, law, fm.LuGre(0.3, 0.2, 0.02, 1e3, 3.0)))
    rod = s.body("rod", mass=0.1, inertia=0.002, position=(0.0, 0.2005), velocity=(speed, -0.6), points={"O": (0.0, 0.1)})
    s.add(fm.Revolute("pin", body.centre, rod["O"]))
    return s


def cable(load=-0.3):
    """A cable of twelve elements with a load."""
    s = fm.System(gravity=G)
    steel = fm.Material(2e8, 0.3, 1100.0)
    line = s.cable("line", length=1.3, elements=12, section=fm.Section(1e-4, 3e-9), material=steel, damping=2e-3)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), line["start"]))
    s.add(fm.PointForce("load", line["end"], fy=load))
    return s


def pendulum(speed=0.4):
    """Two rods in joints' coordinates."""
    s, before = fm.System(gravity=G), None
    for k, name in enumerate(("upper", "lower")):
        points = {"O": (-0.5, 0.0), "E": (0.5, 0.0)}
        rod = s.body(name, mass=1.0 + k, inertia=0.1, position=(0.5 + k, 0.0), velocity=(0.0, speed * (0.5 + k)), rate=speed, points=points)
        s.add(fm.Revolute(f"pin{k}", before or s.ground.at(0.0, 0.0), rod["O"]))
        before = rod["E"]
    return s


BALL, LINE = ("ball.vx", "rod.angle", "floor.normal:max", "ball.vx:mean", "rod.angle:min"), ("line.end.y", "line.end.y:min", "pin.fy:rms")
RODS, SMOOTH = ("lower.angle", "lower.rate:max", "lower.x:mean", "pin0.fy:rms"), {"tolerance": 1e-4}
CASES = {
    "dormand_prince": (ball, BALL, {"integrator": "dormand_prince"}),
    "rk4": (ball, BALL, {"integrator": "rk4", "step": 1e-4}),
    "dop853": (ball, BALL, {"integrator": "dop853"}),
    "taylor": (pendulum, RODS, {"integrator": "taylor", "formulation": "tree"}),
    "gauss_8": (ball, BALL, {"integrator": "gauss_8"}),
    "variational": (ball, BALL, {"integrator": "variational", "step": 1e-4}),
    "rosenbrock": (ball, BALL, {"integrator": "rosenbrock", **SMOOTH}),
    "generalized_alpha": (ball, BALL, {"integrator": "generalized_alpha", **SMOOTH}),
    "ggl": (ball, BALL, {"integrator": "ggl", "step": 1e-4, "fixed": True}),
    "tree": (ball, BALL, {"integrator": "dormand_prince", "formulation": "tree"}),
    "implicit_tree": (ball, BALL, {"integrator": "generalized_alpha", "formulation": "tree", **SMOOTH}),
    "cable": (cable, LINE, {"integrator": "generalized_alpha", **SMOOTH}),
}


def simulation(name, lanes=1):
    """Compiled model of a case."""
    build, outputs, settings = CASES[name]
    return fm.compile(
        build, {"load" if build is cable else "speed": [0.4]}, outputs=outputs, end=0.1, settings={"lanes": lanes, **settings}
    )


def digest(state):
    """What tells states apart, to the last bit."""
    return hashlib.sha256(state.values.tobytes()).hexdigest()


if __name__ == "__main__":
    name, path, until = sys.argv[1:]
    sim = simulation(name)
    print(digest(sim.step(sim.load(path), float(until))))
