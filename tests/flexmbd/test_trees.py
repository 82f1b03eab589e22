"""Formulation "tree": the same motion, reactions and energies as in natural coordinates."""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.formulation.trees.topology import topology

from .random_trees import plane, space, told
from .sentences import names, said
from .test_extending import chain

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
from element_scenes import SCENES


def equal(system, near=1e-12):
    """All outputs at the start, accelerations and reactions among them, in both formulations."""
    natural, tree = told(system, "natural"), told(system, "tree")
    size = max([1.0, *map(abs, natural.values())])
    assert natural.keys() == tree.keys()
    for name, x in natural.items():
        assert tree[name] == pytest.approx(x, rel=0, abs=near * size), name


def run_both(build, outputs, *, samples=None, end=1.0, tolerance=1e-10, near=1e-8, own=None, **settings):
    """Runs in both formulations, whose histories differ by `near` of their size at most, or by `own` by name."""
    runs = {}
    for name in ("natural", "tree"):
        how = {"formulation": name, "tolerance": tolerance, "lanes": 2, **settings}
        runs[name] = fm.run(build, samples or {}, end=end, points=21, outputs=outputs, settings=how)
        assert not runs[name].status.any(), runs[name].message
    for name in outputs:
        one, other = (runs[f][name] for f in ("natural", "tree"))
        size = max(np.abs(one).max(), 1e-3)
        worst = np.abs(one - other).max() / size
        assert worst < (own or {}).get(name, near), (name, worst)
    return runs["tree"]


@pytest.mark.parametrize("make", [plane, space])
@pytest.mark.parametrize("seed", range(6))
def test_random_trees(make, seed):
    rng = np.random.default_rng(100 + seed)
    equal(make(rng, 1 + seed))


@pytest.mark.slow
@pytest.mark.parametrize("make", [plane, space])
@pytest.mark.parametrize("seed", range(20))
def test_larger_random_trees(make, seed):
    equal(make(np.random.default_rng(seed), 6 + seed % 5))


@pytest.mark.parametrize("name", sorted(SCENES))
def test_every_element(name):
    """Where no body can be in a tree one is added, and the scene's are beside it."""
    system = SCENES[name]()
    try:
        topology(system)
    except fm.ModelError as error:
        names(str(error), "tree", f"'{system.bodies[0].name}'", "no body", "natural")
        pendulum(system)
    if name != "ReducedInertia":
        return equal(system)
    natural, tree = (told(system, f, ["slider.ax", "slider.x"]) for f in ("natural", "tree"))
    assert tree == pytest.approx(natural, rel=1e-12)
    names(said(lambda: told(system, "tree", ["rail.fy"])), "'rail'", "natural")
    return None


def pendulum(s):
    """A rod that hangs on ground."""
    flat = s.dimension == 2
    rod = s.body("rod", mass=1.0, inertia=0.1 if flat else (0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0)[: s.dimension])
    o, end = s.ground.at(*(0.0,) * s.dimension), rod.at(*(-0.5, 0.0, 0.0)[: s.dimension])
    s.add(fm.Revolute("pin", o, end) if flat else fm.Revolute("pin", o, end, axis=(0.0, 1.0, 0.0)))


def slider_crank(speed=6.0, radius=0.1):
    """Crank, rod, slider with a spring; the loop closes at whatever joint is farthest from ground."""
    s = fm.System(gravity=(0.0, -9.81))
    crank = s.body(
        "crank", mass=1.0, inertia=0.01, position=(0.0, 0.5 * radius), angle=np.pi / 2, rate=speed, points={"O": (-0.5 * radius, 0.0)}
    )
    x = np.sqrt(0.09 - radius**2)
    rod = s.body(
        "rod",
        mass=0.6,
        inertia=0.006,
        position=(0.5 * x, 0.5 * radius),
        angle=-np.arctan2(radius, x),
        points={"A": (-0.15, 0.0), "B": (0.15, 0.0)},
    )
    slider = s.body("slider", mass=2.0, inertia=0.01, position=(x, 0.0))
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), crank["O"]))
    s.add(fm.Revolute("A", crank.at(0.5 * radius, 0.0), rod["A"]))
    s.add(fm.Revolute("B", rod["B"], slider.centre))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), slider.centre))
    s.add(fm.Spring("spring", s.ground.at(0.5, 0.0), slider.centre, stiffness=200.0, damping=3.0, length=0.2))
    return s


def test_a_slider_crank_is_cut_at_one_joint():
    found = topology(slider_crank())
    assert [branch.name for branch in found.branches] == ["O", "rail", "A"] and [joint.name for joint in found.cuts] == ["B"]
    equal(slider_crank())


@pytest.mark.slow
def test_a_slider_crank_runs_as_in_natural_coordinates():
    """Velocities that are left out follow from the crank's rate, as there."""
    outputs = ["slider.x", "slider.ax", "crank.angle", "rod.angle", "O.force", "B.fx", "rail.moment", "energy.total"]
    run = run_both(slider_crank, outputs, samples={"speed": np.array([6.0, -20.0, 9.0])})
    assert np.ptp(run["crank.angle"]) > 4.0
    assert run.attributes["formulation.tree"] == "loops are cut at B, whose rows stay"
    run = run_both(slider_crank, ["slider.x", "energy.balance"], samples={"speed": np.array([6.0, 9.0])})
    assert np.ptp(run["energy.balance"], axis=1).max() < 1e-8


def four_bar(rate=3.0):
    s = fm.System(gravity=(0.0, -9.81))
    a, b = np.array([0.0, 0.2]), np.array([0.55, 0.45])
    points = [np.zeros(2), a, b, np.array([0.6, 0.0])]
    before, bodies = s.ground.at(0.0, 0.0), []
    for k, (p, q) in enumerate(pairwise(points)):
        length, turn = np.linalg.norm(q - p), np.arctan2(*(q - p)[::-1])
        bar = s.body(
            f"bar{k}",
            mass=1.0 + k,
            inertia=0.02,
            position=tuple(0.5 * (p + q)),
            angle=turn,
            points={"A": (-0.5 * length, 0.0), "B": (0.5 * length, 0.0)},
        )
        s.add(fm.Revolute(f"pin{k}", before, bar["A"]))
        before = bar["B"]
        bodies.append(bar)
    s.add(fm.Revolute("pin3", before, s.ground.at(0.6, 0.0)))
    s.add(fm.AngleDrive("motor", s.ground.at(0.0, 0.0), bodies[0]["A"], fm.Polynomial((np.pi / 2, rate))))
    s.add(fm.TorsionSpring("coil", bodies[1], bodies[2], stiffness=4.0, damping=0.1))
    return s


@pytest.mark.slow
def test_a_driven_four_bar_linkage():
    outputs = ["bar1.x", "bar2.angle", "motor.moment", "pin0.fx", "pin2.force", "pin3.fy", "energy.drive", "energy.total"]
    run_both(four_bar, outputs, samples={"rate": np.array([3.0, -5.0])})


def arm(stiffness=20.0):
    """Six joints in space, axes in turn along z and across, held by springs with damping."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    before, body, height = s.ground.at(0.0, 0.0, 0.0), s.ground, 0.0
    for k, axis in enumerate(((0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1))):
        link = s.body(
            f"link{k}",
            mass=4.0 - 0.5 * k,
            inertia=(0.05, 0.06, 0.02, 0.0, 0.003, 0.001),
            position=(0.0, 0.02, height + 0.15),
            points={"A": (0.0, -0.02, -0.15), "B": (0.0, 0.0, 0.15)},
        )
        axis = tuple(map(float, axis))
        s.add(fm.Revolute(f"joint{k}", before, link["A"], axis=axis))
        s.add(fm.TorsionSpring(f"spring{k}", body, link, stiffness=stiffness / (1 + k), damping=0.5, axis=axis, angle=0.4))
        before, body, height = link["B"], link, height + 0.3
    return s


@pytest.mark.slow
def test_an_arm_with_six_joints():
    outputs = [
        "link5.x",
        "link5.B.vz",
        "link5.omega_x",
        "link2.quaternion_1",
        "joint0.fz",
        "joint0.mx",
        "joint3.force",
        "energy.dissipated",
    ]
    run = run_both(arm, outputs, samples={"stiffness": np.array([20.0, 60.0])}, end=0.6)
    assert np.ptp(run["link5.x"]) > 0.05


def floating(spin=0.7):
    """A free body with an arm on either side, of a universal and a spherical joint; nothing acts from outside."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    hub = s.body("hub", mass=5.0, inertia=(1.0, 1.2, 0.8), angular_velocity=(0.1, spin, -0.3), velocity=(0.2, 0.0, 0.1))
    w = (0.1, spin, -0.3)
    for k, side in enumerate((1.0, -1.0)):
        place = np.array([0.9 * side, 0.0, 0.0])
        bar = s.body(
            f"arm{k}",
            mass=1.0,
            inertia=(0.01, 0.08, 0.08),
            position=tuple(place),
            angular_velocity=w,
            velocity=tuple(np.cross(w, place) + (0.2, 0.0, 0.1)),
        )
        ends = hub.at(0.5 * side, 0.0, 0.0), bar.at(-0.4 * side, 0.0, 0.0)
        s.add(fm.Spherical("ball", *ends) if k else fm.Universal("cross", *ends, axis=(0.0, 1.0, 0.0), axis_b=(0.0, 0.0, 1.0)))
    s.add(fm.Spring("spring", s.bodies[1].centre, s.bodies[2].centre, stiffness=50.0, length=1.5))
    return s


@pytest.mark.slow
def test_a_free_body_with_two_arms_keeps_its_momentum():
    outputs = ["hub.x", "hub.omega_y", "arm0.z", "arm1.d1x", "ball.fx", "cross.mx", "energy.total"]
    run = run_both(floating, outputs, samples={"spin": np.array([0.7, 1.5])}, end=3.0)
    assert np.ptp(run["energy.total"], axis=1).max() < 1e-7
    more = ["hub.vx", "arm0.vx", "arm1.vx", "hub.vz", "arm0.vz", "arm1.vz"]
    run = fm.run(floating(), end=3.0, points=31, outputs=more, settings={"formulation": "tree", "tolerance": 1e-12})
    x, z = (5.0 * run[more[i]] + run[more[i + 1]] + run[more[i + 2]] for i in (0, 3))
    assert np.ptp(x) < 1e-10 and np.ptp(z) < 1e-10 and x[0] == pytest.approx(7.0 * 0.2, rel=1e-12)


def top(spin=40.0):
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    tilt = np.array([0.0, 0.5, 0.0])
    axis = np.array([np.sin(0.5), 0.0, np.cos(0.5)])
    body = s.body(
        "top",
        mass=1.0,
        inertia=(0.02, 0.02, 0.03),
        position=tuple(0.2 * axis),
        rotation=tuple(tilt),
        angular_velocity=tuple(spin * x for x in axis),
        points={"O": (0.0, 0.0, -0.2)},
    )
    s.add(fm.Spherical("ball", s.ground.at(0.0, 0.0, 0.0), body["O"]))
    return s


@pytest.mark.slow
def test_a_top():
    run_both(
        top, ["top.x", "top.z", "top.omega_3", "top.quaternion_0", "ball.fz", "energy.balance"], samples={"spin": np.array([40.0, 60.0])}
    )


def striker(law, height=-0.9):
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"A": (-0.5, 0.0), "B": (0.5, 0.0)})
    end = s.body("end", mass=0.5, inertia=0.05, position=(1.4, 0.0), points={"A": (-0.4, 0.0), "B": (0.4, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["A"]))
    s.add(fm.Revolute("link", rod["B"], end["A"]))
    s.add(fm.DiscPlane("floor", end["B"], s.ground.at(0.0, height), radius=0.05, law=law))
    return s


STRIKES = {"build": lambda height: striker(fm.Impenetrable(restitution=0.6, friction=0.2), height)}
STRIKES |= {"samples": {"height": np.array([-0.9, -1.1])}}
STRUCK = ["end.x", "end.angle", "rod.rate", "floor.impulse", "energy.dissipated"]


@pytest.mark.slow
def test_a_pendulum_that_strikes_what_cannot_be_penetrated():
    run = run_both(outputs=[*STRUCK, "pin.fx", "link.force"], near=1e-6, integrator="event_driven", **STRIKES)
    assert run["floor.impulse"][:, -1].min() > 0.1


@pytest.mark.slow
def test_time_stepping_over_impacts_differs_by_the_first_order_of_both():
    """Impacts are in the middle of steps, wherever they are: what both have in common is the limit."""
    found = []
    for step in (1e-3, 1.25e-4):
        how = {"integrator": "moreau", "step": step, "tolerance": 1e-10, "lanes": 2}
        runs = [fm.run(**STRIKES, end=1.0, points=21, outputs=STRUCK, settings=how | {"formulation": f}) for f in ("natural", "tree")]
        assert not any(run.status.any() for run in runs)
        found.append([np.abs(runs[0][x] - runs[1][x]).max() / np.abs(runs[0][x]).max() for x in STRUCK])
    coarse, fine = np.array(found)
    assert coarse.max() < 3e-3 and fine.max() < 6e-4
    assert (fine < 0.25 * coarse).all()  # an eighth of the step


@pytest.mark.slow
def test_a_pendulum_that_strikes_a_floor():
    outputs = ["rod2.x", "rod2.angle", "pin0.fx", "pin1.force", "energy.balance"]
    run_both(chain, outputs, samples={"mass": np.array([1.0, 2.0])}, end=1.5, near=1e-7)


def clearance(clearance=2e-4, start="as_given"):
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"A": (-0.5, 0.0), "B": (0.5, 0.0)})
    end = s.body("end", mass=0.5, inertia=0.05, position=(1.4, 0.0), points={"A": (-0.4, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["A"]))
    law = fm.LankaraniNikravesh(stiffness=1e8, restitution=0.5)
    s.add(fm.ClearanceRevolute("play", rod["B"], end["A"], clearance=clearance, start=start, bearing_radius=0.02, law=law))
    return s


@pytest.mark.slow
def test_a_joint_with_clearance():
    run_both(
        clearance,
        ["end.x", "end.angle", "rod.rate", "pin.fx", "energy.balance"],
        samples={"clearance": np.array([2e-4, 1e-3])},
        end=0.3,
        near=1e-5,
    )


def test_rows_of_the_start_alone():
    """A journal that starts in the middle of its bearing, wherever the guess of the body has it."""

    def centred():
        s = clearance(start="centred")
        object.__setattr__(s.bodies[1], "position", (1.41, 0.01))
        return s

    run = run_both(centred, ["play.ex", "play.ey", "end.x"], end=0.01, near=1e-6)
    assert abs(run["play.ex"][:, 0]).max() < 1e-12


@pytest.mark.slow
def test_friction_in_a_joint_leaves_its_rows():
    """Its load is the joint's multipliers, so it carries nothing."""

    def build(mu):
        s = chain(1.0)
        s.add(fm.JointFriction("rub", s.elements[1], fm.Threlfall(mu, 0.01), radius=0.05))
        return s

    assert [joint.name for joint in topology(build(0.3)).cuts] == [] and "pin1" not in [b.name for b in topology(build(0.3)).branches]
    run_both(
        build, ["rod2.x", "rub.force", "pin0.fx", "pin1.fy", "energy.dissipated"], samples={"mu": np.array([0.1, 0.4])}, end=0.5, near=1e-7
    )
