"""Small motions whose results are compared between compiled and plain Python (``NUMBA_DISABLE_JIT=1``): ``python plain_python.py NAME``."""

import json
import sys

import flexmbd as fm

OUTPUTS = ("rod.angle", "rod.E.vy", "pin.fy", "rod.angle:max", "rod.rate:rms", "rod.rate:min", "rod.angle:time_of_min", "energy.balance")


def pendulum():
    """A rod on a pin."""
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body(
        "rod", mass=1.3, inertia=0.2, position=(0.5, 0.0), rate=0.7, velocity=(0.0, 0.35), points={"O": (-0.5, 0.0), "E": (0.5, 0.0)}
    )
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    return s


def ball():
    """A disc that falls on a plane, with friction: two impacts."""
    s = fm.System(gravity=(0.0, -9.81))
    body = s.body("ball", mass=0.7, inertia=0.02, position=(0.0, 0.301), velocity=(0.4, -0.6))
    law, friction = fm.HuntCrossley(2e5, restitution=0.5), fm.LuGre(0.3, 0.2, 0.02, 1e3, 3.0)
    s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), 0.3, law, friction))
    return s


BALL = ("ball.y", "ball.vx", "ball.rate", "floor.impacts", "floor.normal:max", "floor.penetration:mean", "energy.dissipated")


def swing(**settings):
    """Histories and reductions of the pendulum."""
    run = fm.run(pendulum(), end=0.2, points=5, outputs=OUTPUTS, settings={"lanes": 1, **settings})
    return {name: run[name].tolist() for name in OUTPUTS} | {"steps": int(run.statistics["steps"])}


def impact(**settings):
    """Histories of the disc."""
    run = fm.run(ball(), end=0.12, points=5, outputs=BALL, settings={"lanes": 1, **settings})
    return {name: run[name].tolist() for name in BALL} | {"steps": int(run.statistics["steps"]), "events": int(run.statistics["events"])}


def states():
    """A motion gone through state by state, and outputs from the last one on."""
    sim = fm.compile(ball(), outputs=BALL, end=0.1, settings={"integrator": "dormand_prince", "lanes": 1})
    state, found = sim.start(), {}
    for k, t in enumerate((0.004, 0.02)):
        state = sim.step(state, t)
        found[f"at {k}"] = state["coordinates"].tolist() + state["velocities"].tolist()
    trajectory, last = sim.go_on(state, 0.05, points=3)
    return found | {name: trajectory[name].tolist() for name in BALL} | {"last": last["coordinates"].tolist()}


def cable(**settings):
    """A cable that swings: its elements are a group, and factors are kept from step to step."""
    s = fm.System(gravity=(0.0, -9.81))
    steel = fm.Material(2e8, 0.3, 1100.0)
    line = s.cable("line", length=1.3, elements=12, section=fm.Section(1e-4, 3e-9), material=steel, damping=2e-3)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), line["start"]))
    names, settings = ("line.end.y", "pin.fy", "line.end.vx:min"), {"integrator": "generalized_alpha", "lanes": 1, **settings}
    run = fm.run(s, end=0.02, points=3, outputs=names, settings=settings)
    return {name: run[name].tolist() for name in names} | {"steps": int(run.statistics["steps"])}


def film():
    """A journal in a film that is solved on a grid."""
    s = fm.System(gravity=(0.0, -9.81))
    shaft = s.body("shaft", mass=0.4, inertia=2e-3, position=(2e-5, 0.0), rate=50.0)
    oil = fm.ReynoldsFilm(0.02, 0.02, cells=(12, 2))
    s.add(fm.ClearanceRevolute("bearing", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, None, bearing_radius=0.01, film=oil))
    run = fm.run(s, end=1e-3, points=3, outputs=("shaft.x", "shaft.vy", "bearing.film_force"), settings={"lanes": 1, "tolerance": 1e-6})
    return {name: x.tolist() for name, x in run.outputs.items()}


def grains(**settings):
    """Grains that fall upon each other: pairs are searched."""
    s = fm.System(gravity=(0.0, -9.81))
    own = s.grains("g", positions=[(0.018 * (k % 2), 0.01 + 0.021 * k) for k in range(5)], radius=0.01, mass=0.1)
    s.add(fm.GranularContact("c", own, fm.Hertz(1e6), walls=[((0.0, 0.0), (0.0, 1.0))]))
    run = fm.run(s, {}, end=0.05, points=3, outputs=["g.1.y", "g.5.x", "g.5.y"], settings=settings)
    return {name: x.tolist() for name, x in run.outputs.items()}


def rods(integrator):
    """A rod that swings and bends, in steps longer than its vibration."""
    s = fm.System(gravity=(0.0, -9.81))
    tip = s.point_mass("tip", mass=0.3, position=(0.6, 0.8))
    s.add(fm.Rod("rod", s.ground.at(0.0, 0.0), tip.centre, line_mass=2.0, EI=40.0, modes=2, rates=(0.01, 0.0)))
    outputs, settings = ("tip.x", "tip.vy", "rod.a1", "rod.va2"), {"integrator": integrator, "step": 0.05, "lanes": 1}
    run = fm.run(s, end=0.25, points=9, outputs=outputs, settings=settings)
    return {name: run[name].tolist() for name in outputs}


CASES = {
    "dormand_prince": lambda: swing(integrator="dormand_prince", tolerance=1e-7),
    "dop853": lambda: swing(integrator="dop853", tolerance=1e-9),
    "gauss_8": lambda: swing(integrator="gauss_8", tolerance=1e-7),
    "variational": lambda: swing(integrator="variational", step=5e-3),
    "rk4": lambda: swing(integrator="rk4", step=5e-3),
    "generalized_alpha": lambda: swing(integrator="generalized_alpha", tolerance=1e-5),
    "ggl": lambda: swing(integrator="ggl", step=5e-3, fixed=True),
    "energy_momentum": lambda: swing(integrator="energy_momentum", step=5e-3, fixed=True),
    "partitioning": lambda: swing(integrator="partitioning", tolerance=1e-7),
    "baumgarte": lambda: swing(integrator="baumgarte", step=5e-3),
    "rosenbrock": lambda: swing(integrator="rosenbrock", tolerance=1e-5),
    "grains": lambda: grains(integrator="rk4", step=5e-4, lanes=1),
    "impact": lambda: impact(integrator="dormand_prince", tolerance=1e-7),
    "implicit impact": lambda: impact(integrator="generalized_alpha", tolerance=1e-4),
    "states": states,
    "kept factors": lambda: cable(tolerance=1e-3),
    "direct library": lambda: cable(tolerance=1e-3, linear_solver="superlu"),
    "solved film": film,
    "rods": lambda: rods("symplectic_perturbation"),
    "composed": lambda: rods("symplectic_perturbation_4"),
    "exponential": lambda: rods("exponential"),
}

if __name__ == "__main__":
    print(json.dumps({name: CASES[name]() for name in sys.argv[1:]}))
