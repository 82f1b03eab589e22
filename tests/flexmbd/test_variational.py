"""The variational integrator: rows and momenta to rounding, energy without drift, the way back, masses that depend on coordinates, and
what it refuses. Its order is checked with that of all others (`test_integrator_family`, `test_orders`)."""

import numpy as np
import pytest

import flexmbd as fm

from .pendula import double_swing, pendula, there_and_back
from .sentences import names, said
from .test_integrator_family import kept, passed, residuals, tumbling, twins

ANGLES = {"upper": 0.9, "lower": 0.3}


def swung(formulation, step, end, points=2, **angles):
    """A run of the double pendulum."""
    settings = {"integrator": "variational", "formulation": formulation, "step": step, "lanes": 2}
    outputs = ["upper.angle", "lower.angle", "energy.total", "energy.kinetic"]
    run = fm.run(lambda: pendula(**(angles or ANGLES)), end=end, points=points, outputs=outputs, settings=settings)
    assert run.status[0] == 0, run.message
    return run


@pytest.mark.parametrize("formulation", ("tree", "natural"))
def test_order_2_with_constant_masses_and_with_those_of_joint_angles(formulation):
    exact, errors = double_swing(*ANGLES.values(), np.array([1.0]))[:, -1], []
    for step in (0.01, 0.005):
        run = swung(formulation, step, 1.0)
        errors.append(np.hypot(*(run[f"{body}.angle"][0, -1] + np.pi / 2 - x for body, x in zip(("upper", "lower"), exact, strict=True))))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("formulation", ("tree", "natural"))
@pytest.mark.parametrize("steps", (4_000, pytest.param(100_000, marks=pytest.mark.slow)))
def test_energy_does_not_drift(formulation, steps):
    """Its error is that of the second order, and no larger in the second half of the run."""
    run = swung(formulation, 0.01, 0.01 * steps, points=1 + steps // 10)
    off = np.abs(run["energy.total"][0] - run["energy.total"][0, 0]) / run["energy.kinetic"][0].max()
    half = len(off) // 2
    assert off[half:].max() < 1.2 * off[:half].max() < 2e-2


@pytest.mark.parametrize("build, output", ((twins, "first.x:final"), (tumbling, "body.x:final")))
def test_momenta_of_a_free_motion_are_kept_to_rounding(build, output):
    steps, step = 2_000, 1 / 256
    *states, model = passed(build, output, steps * step, integrator="variational", step=step)
    before, after = (kept(model, build(), x["coordinates"][0], x["velocities"][0]) for x in states)
    far = max(1.0, np.abs(states[1]["coordinates"]).max())
    assert np.abs(after - before)[1:].max() < 1e-11 * np.abs(before).max() * far
    assert abs(after[0] - before[0]) < 1e-2 * before[0]  # the energy is not: it swings about


def test_rows_hold_as_places_and_as_velocities():
    *_, state, model = passed(lambda: pendula(**ANGLES), "lower.angle:final", 4.0, integrator="variational", step=0.01)
    place, speed = residuals(model, pendula(**ANGLES), state["coordinates"][0], state["velocities"][0])
    assert place < 2e-14 and speed < 2e-13


@pytest.mark.parametrize("formulation", ("tree", "natural"))
def test_it_goes_back_the_way_it_came(formulation):
    settings = {"integrator": "variational", "formulation": formulation, "step": 0.01, "lanes": 1}
    sim = fm.compile(lambda: pendula(**ANGLES), outputs=["upper.angle:final"], end=2.0, settings=settings)
    places, speeds = there_and_back(sim)
    assert places < 1e-11 and speeds < 1e-10


def driven():
    """Two rods, the first driven, the second held by a spring with a damper."""
    s = fm.System(gravity=(0.0, -9.81))
    crank = s.body("crank", mass=1.0, inertia=0.1, points={"O": (-0.5, 0.0), "E": (0.5, 0.0)}, position=(0.5, 0.0))
    rod = s.body("rod", mass=1.0, inertia=0.1, points={"O": (-0.5, 0.0), "E": (0.5, 0.0)}, position=(1.5, 0.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), crank["O"]))
    s.add(fm.Revolute("knee", crank["E"], rod["O"]))
    s.add(fm.Spring("spring", s.ground.at(2.0, 1.0), rod["E"], stiffness=20.0, damping=2.0, length=0.5))
    s.add(fm.AngleDrive("motor", s.ground.at(0.0, 0.0), crank["O"], fm.Polynomial((0.0, 1.0, 0.5))))
    return s


def test_a_damped_and_driven_motion_is_right_too():
    """Forces without a potential, and a drive in time, against the scheme of order 5."""

    ends = {}
    for name, settings in (("dormand_prince", {"tolerance": 1e-10}), ("variational", {"step": 1e-3}), ("half", {"step": 5e-4})):
        settings |= {"integrator": name.replace("half", "variational"), "lanes": 1}
        ends[name] = fm.run(driven, end=0.8, points=2, outputs=["rod.x"], settings=settings)["rod.x"][0, -1]
    errors = [abs(ends[name] - ends["dormand_prince"]) for name in ("variational", "half")]
    assert errors[0] < 1e-5 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_what_it_does_not_treat_is_said_by_name():
    s = fm.System()
    body = s.body("rod", mass=1.0, inertia=0.1)
    pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body.centre))
    s.add(fm.JointFriction("rub", pin, fm.CoulombExponential(0.1, 0.01, 1.0), radius=0.05))
    settings = {"integrator": "variational", "step": 1e-3}
    names(said(lambda: fm.run(s, end=0.1, points=2, outputs=["rod.x"], settings=settings)), "variational", "'rub'", "take")
    settings |= {"formulation": "tree"}
    names(said(lambda: fm.run(driven, end=0.1, points=2, outputs=["rod.x"], settings=settings)), "'motor", "quadratic", "'natural'")
