"""Trees with bodies beside them that keep coordinates of their own: cables, beams, liners, grains; gears; sliding joints."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.formulation.trees import operators
from flexmbd.lubrication.elastic.winkler import WinklerLiner

from .test_gears import train
from .test_trees import equal, run_both

SOFT = fm.Material(E=2e7, nu=0.3, density=1200.0)
ROUND = fm.Section.circle(0.01)


def flexible_crank(speed=6.0, elements=2):
    """Crank and slider are a tree, the rod between them is a cable."""
    s = fm.System(gravity=(0.0, -9.81))
    crank = s.body("crank", mass=1.0, inertia=0.01, position=(0.05, 0.0), rate=speed, points={"O": (-0.05, 0.0), "A": (0.05, 0.0)})
    rod = s.cable("rod", length=0.3, elements=elements, section=ROUND, material=SOFT, position=(0.1, 0.0), damping=1e-3)
    slider = s.body("slider", mass=0.5, inertia=0.01, position=(0.4, 0.0))
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod.start))
    s.add(fm.Revolute("B", rod.end, slider.centre))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), slider.centre))
    s.add(fm.Spring("spring", s.ground.at(0.5, 0.0), rod.at(0.15), stiffness=20.0, damping=1.0, length=0.1))
    return s


def arm_with_cable(stiffness=20.0):
    """Two turning joints in space; a cable clamped to the second link carries a point mass, another spans both links."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    first = s.body("first", mass=2.0, inertia=(0.02, 0.03, 0.02), position=(0.2, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.3))
    second = s.body("second", mass=1.0, inertia=(0.01, 0.02, 0.01), position=(0.6, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.3),
                    velocity=(0.0, 0.18, 0.0))  # fmt: skip
    s.add(fm.Revolute("shoulder", s.ground.at(0.0, 0.0, 0.0), first.at(-0.2, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    s.add(fm.Revolute("elbow", first.at(0.2, 0.0, 0.0), second.at(-0.2, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    s.add(fm.TorsionSpring("spring", first, second, stiffness=stiffness, damping=0.2, axis=(0.0, 1.0, 0.0)))
    cable = s.cable("cable", length=0.3, elements=2, section=ROUND, material=SOFT, position=(0.8, 0.0, 0.0), direction=(0.0, 0.2, -1.0),
                    damping=1e-3)  # fmt: skip
    weight = s.point_mass("weight", mass=0.1, position=tuple(cable.at_start(cable.end)))
    s.add(fm.Clamp("grip", second.at(0.2, 0.0, 0.0), cable.start))
    s.add(fm.Spherical("knot", cable.end, weight.centre))
    tie = s.cable("tie", length=0.5, elements=1, section=ROUND, material=SOFT, position=(0.1, 0.0, 0.1), damping=1e-3)
    s.add(fm.Spherical("near", first.at(-0.1, 0.0, 0.1), tie.start))
    s.add(fm.Distance("far", tie.end, second.at(0.0, 0.0, 0.0), length=0.1))
    s.add(fm.SectionTorque("bend", tie.at(0.25), (0.01, 0.02, 0.0)))
    return s


def held_beam(mass=0.5):
    """A beam on a turning hub, with a rigid body at its end, a load on a section, and a spring to the hub."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    hub = s.body("hub", mass=1.0, inertia=(0.02, 0.02, 0.02), position=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 2.0))
    s.add(fm.Revolute("axle", s.ground.at(0.0, 0.0, 0.0), hub.centre, axis=(0.0, 0.0, 1.0)))
    section = fm.Section.rectangle(0.02, 0.01)
    beam = s.beam("beam", length=0.4, elements=1, section=section, material=SOFT, position=(0.1, 0.0, 0.0), damping=1e-3,
                  velocity=(0.0, 0.2, 0.0), angular_velocity=(0.0, 0.0, 2.0))  # fmt: skip
    tip = s.body("tip", mass=mass, inertia=(1e-3, 2e-3, 2e-3), position=(0.55, 0.0, 0.0), velocity=(0.0, 1.1, 0.0),
                 angular_velocity=(0.0, 0.0, 2.0))  # fmt: skip
    s.add(fm.Fixed("root", hub.at(0.1, 0.0, 0.0), beam.start))
    s.add(fm.Fixed("seat", beam.end, tip.at(-0.05, 0.0, 0.0)))
    s.add(fm.PointForce("push", beam.section(0.2).at(0.005, 0.0), 0.1, 0.0, 0.2))
    s.add(fm.SectionTorque("wrench", beam.at(0.2), (0.05, 0.0, 0.1)))
    s.add(fm.Spring("stay", hub.at(0.0, 0.1, 0.0), beam.at(0.3), stiffness=30.0, damping=0.5, length=0.2))
    return s


def lined(viscosity=0.02):
    """A pendulum whose pin turns in an elastic liner of another pendulum's end."""
    s = fm.System(gravity=(0.0, -9.81))
    outer = s.body("outer", mass=1.0, inertia=0.02, position=(0.2, 0.0), angle=0.3, points={"O": (-0.2, 0.0), "E": (0.2, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.2 - 0.2 * np.cos(0.3), -0.2 * np.sin(0.3)), outer["O"]))
    end = np.array((0.2 + 0.2 * np.cos(0.3), 0.2 * np.sin(0.3)))
    inner = s.body("inner", mass=0.3, inertia=1e-3, position=tuple(end + (0.1 + 3e-5, 2e-5)), rate=20.0, velocity=(0.0, 2.0))
    modes = WinklerLiner(1e8, 0.3, 1e-3, 1200.0).modes(0.01, 0.01, range(3), (lambda z: 1.0 + 0.0 * z,))
    oil = fm.ReynoldsFilm(viscosity, 0.01, cells=(24, 3), inlet="periodic")
    bush = s.bush("liner", modes, damping=2e-5)
    s.add(fm.ClearanceRevolute("bearing", inner.at(-0.1, 0.0), outer["E"], 1e-4, None, bearing_radius=0.01, film=oil, liner=bush))
    return s


def sliding(mass=0.4):
    """A link of a tree slides with its end along a cable that is strung between ground and a link of another."""
    s = fm.System(gravity=(0.0, -9.81))
    cable = s.cable("cable", length=1.0, elements=3, section=ROUND, material=SOFT)
    post = s.body("post", mass=1.0, inertia=0.05, position=(1.0, -0.2))
    s.add(fm.Revolute("foot", s.ground.at(1.0, -0.4), post.at(0.0, -0.2)))
    s.add(fm.Revolute("left", s.ground.at(0.0, 0.0), cable.start))
    s.add(fm.Revolute("right", post.at(0.0, 0.2), cable.end))
    s.add(fm.TorsionSpring("hold", s.ground, post, stiffness=40.0))
    link = s.body("link", mass=mass, inertia=0.01, position=(0.4, 0.2), rate=0.0)
    s.add(fm.Revolute("pivot", s.ground.at(0.4, 0.4), link.at(0.0, 0.2)))
    s.add(fm.SlidingJoint("ring", cable.at(0.4), link.at(0.0, -0.2)))
    return s


def drum(speed=2.0):
    """Grains in a box that hangs on a link: the box stays in natural coordinates, because grains see it."""
    s = fm.System(gravity=(0.0, -9.81))
    link = s.body("link", mass=1.0, inertia=0.02, position=(0.0, 0.15), points={"O": (0.0, 0.15), "E": (0.0, -0.15)}, rate=speed)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.3), link["O"]))
    box = s.body("box", mass=2.0, inertia=0.05, position=(0.0, -0.1), points={"E": (0.0, 0.1)})
    s.add(fm.Revolute("hinge", link["E"], box["E"]))
    grains = s.grains("g", positions=[(-0.02, -0.089), (0.03, -0.088), (0.0, -0.05)], radius=0.01, mass=0.01)
    law = fm.KelvinVoigt(1e4, 1.0)
    s.add(fm.GrainsPlane("floor", grains, box.at(0.0, 0.0), law, fm.Ambrosio(0.3, 1e-3, 1e-2)))
    s.add(fm.GranularContact("each", grains, law))
    return s


@pytest.mark.parametrize("build", [drum, train], ids=lambda f: f.__name__)
def test_all_outputs_at_the_start_are_those_of_natural_coordinates(build):
    equal(build())


@pytest.mark.parametrize("build", [flexible_crank, arm_with_cable, held_beam, lined, sliding], ids=lambda f: f.__name__)
def test_a_tree_is_eliminated_by_its_operator_beside_other_masses(build, monkeypatch):
    """As deep ones are; with and without quaternions, and blocks of constant masses."""
    found, solve = [], operators.TreeInertia.solve_beside
    monkeypatch.setattr(operators.TreeInertia, "solve_beside", lambda *given: found.append(solve(*given)) or found[-1])
    equal(build())
    assert set(found) == {None}
    found.clear()
    monkeypatch.setattr(operators, "BESIDE", 0)
    equal(build())
    assert found and all(found)


RUNS = {
    flexible_crank: ("speed", (6.0, 9.0), ["slider.x", "slider.ax", "crank.angle", "rod.end.y", "A.force", "B.fx", "O.fy", "rail.fy"]),
    arm_with_cable: ("stiffness", (20.0, 40.0), ["weight.z", "second.omega_y", "grip.force", "elbow.mx", "shoulder.fz", "near.fx"]),
    held_beam: ("mass", (0.5, 0.8), ["tip.z", "tip.omega_x", "beam.end.y", "root.mz", "seat.force", "axle.mx"]),
    sliding: ("mass", (0.4, 0.6), ["ring.s", "link.angle", "post.rate", "ring.force", "pivot.fx", "foot.fy"]),
    drum: ("speed", (2.0, 3.0), ["link.angle", "box.angle", "g.2.x", "floor.normal", "pin.fx"]),
    lined: ("viscosity", (0.02, 0.03), ["outer.angle", "inner.rate", "liner.c0", "pin.fy", "bearing.fx"]),
}
SETTINGS = {
    drum: {"tolerance": 1e-10},  # contacts are stiff, and begin within a step
    lined: {"integrator": "generalized_alpha", "end": 2e-4, "tolerance": 1e-8, "near": 1e-4},
}


@pytest.mark.slow
@pytest.mark.parametrize("build", RUNS, ids=lambda f: f.__name__)
def test_runs_are_those_of_natural_coordinates(build):
    key, values, outputs = RUNS[build]
    how = {"end": 0.05, "tolerance": 1e-9, "near": 1e-6} | SETTINGS.get(build, {})
    run = run_both(build, outputs, samples={key: np.array(values)}, **how)
    assert all(np.ptp(run[name]) > 0.0 for name in outputs)


@pytest.mark.slow
def test_gears_run_as_in_natural_coordinates():
    outputs = ["pb.angle", "rb.rate", "carrier.angle", "planet.x", "pgear.moment", "inner.moment", "planet.pin.fx", "energy.balance"]
    run_both(train, outputs, end=1.0, near=1e-7)


def hung(stiffness=20.0):
    """A sprung rod with a cable clamped to it, of so many elements that they are a group, and a weight at its end."""
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"A": (-0.5, 0.0), "B": (0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["A"]))
    s.add(fm.TorsionSpring("coil", s.ground, rod, stiffness=stiffness, damping=0.5))
    cable = s.cable("cable", length=0.6, elements=6, section=ROUND, material=SOFT, position=(1.0, 0.0), damping=1e-3)
    s.add(fm.Clamp("grip", rod["B"], cable.start))
    weight = s.point_mass("weight", mass=0.3, position=(1.6, 0.0))
    s.add(fm.Revolute("knot", cable.end, weight.centre))
    return s


OUTPUTS = ["rod.angle", "weight.y", "grip.moment", "pin.fy", "knot.force", "energy.total"]


def test_equilibria_vibrations_and_sensitivities():
    tree, natural = fm.Equations(hung(), "tree"), fm.Equations(hung())
    assert natural.coordinates[4:6] == ["cable[0]", "cable[1]"] and len(tree.coordinates) == len(natural.coordinates) - 3
    rest, known = fm.static(tree), fm.static(natural)
    for name in OUTPUTS:
        np.testing.assert_allclose(rest[name], known[name], rtol=1e-9)
    assert rest["pin.fy"][-1] == pytest.approx(9.81 * (1.3 + 0.6 * np.pi * 1e-4 * 1200.0), rel=1e-9)  # all that hangs on it
    for damped in (False, True):
        one, other = (fm.modes(of, damped=damped).poles[:12] for of in (rest, known))
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-7)
    numbers = ["rod.mass", "weight.mass", "cable.EI", "@coil.stiffness"]
    one, two = (fm.sensitivities(of, numbers, OUTPUTS[:2], end=1e-3, points=3, rtol=1e-7) for of in (tree, hung()))
    for name in OUTPUTS[:2]:
        largest = np.abs(two.derivatives[name]).max(axis=0)
        np.testing.assert_allclose(one.derivatives[name] / largest, two.derivatives[name] / largest, rtol=0, atol=1e-6, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"constraints": "augmented"}], ids=str)
def test_implicit_steps_with_groups(more):
    how = {"integrator": "generalized_alpha", "tolerance": 1e-6, "end": 0.02, "near": 1e-3, **more}
    run_both(hung, OUTPUTS, samples={"stiffness": np.array([20.0, 30.0])}, **how)
