"""What an analysis would leave out it refuses by name: friction of ideal joints, impenetrable contacts, locks, states of forces."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.equations import index1
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.linalg.direct import available

from .sentences import names, said

GRID = {"end": 0.1, "points": 3}


def rod(mu=0.3):
    """A pendulum with friction in its pin."""
    s = fm.System(gravity=(0.0, -9.81))
    r = s.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), rate=2.0, velocity=(0.0, 1.0), points={"O": (-0.5, 0.0)})
    pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), r["O"]))
    s.add(fm.TorsionSpring("spring", s.ground, r, stiffness=20.0))
    s.add(fm.JointFriction("rub", pin, fm.Ambrosio(mu, 1e-3, 1e-2), radius=0.02))
    return s


def ball(height=1.0):
    """A ball on a spring above an impenetrable floor."""
    s = fm.System(gravity=(0.0, -9.81))
    b = s.point_mass("b", mass=1.0, position=(0.0, height))
    s.add(fm.Spring("spring", s.ground.at(0.0, 2.0), b.centre, stiffness=50.0, length=1.0))
    s.add(fm.PointPlane("floor", b.centre, s.ground.at(0.0, 0.0), fm.Impenetrable(0.7)))
    return s


def latching():
    """A hinge that locks at an angle."""
    s = fm.System()
    leaf = s.body("leaf", mass=1.0, inertia=0.1, rate=1.0)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), leaf.centre))
    s.add(fm.Lock("lock", fm.AngleOf(s.ground, leaf), 0.5))
    return s


ANALYSES = {
    "static": lambda s: fm.static(s),
    "arc_length": lambda s: fm.arc_length(s),
    "modes": lambda s: fm.modes(s),
    "inverse dynamics": lambda s: fm.inverse_dynamics(s, outputs=["energy.kinetic"], **GRID),
    "reference": lambda s: fm.reference(s, outputs=["energy.kinetic"], **GRID),
    "sensitivities": lambda s: fm.sensitivities(s, ["gravity.y"], ["energy.kinetic"], **GRID),
    "state space": lambda s: fm.state_space(s, ["gravity.y"], ["energy.kinetic"]),
    "force": lambda s: fm.Equations(s).force(fm.Equations(s).initial()[0]),
    "stiffness": lambda s: fm.Equations(s).stiffness(fm.Equations(s).initial()[0]),
}


@pytest.mark.parametrize("analysis", ANALYSES)
@pytest.mark.parametrize("model, name", [(ball, "floor"), (latching, "lock")])
def test_impenetrable_contacts_and_locks_are_refused(analysis, model, name):
    names(said(lambda: ANALYSES[analysis](model())), f"({name})", "impenetrable contacts, locks or guides")


@pytest.mark.parametrize("analysis", ["inverse dynamics", "reference", "sensitivities", "state space"])
def test_friction_in_ideal_joints_is_refused_where_there_are_velocities(analysis):
    names(said(lambda: ANALYSES[analysis](rod())), "friction in ideal joints (rub)")


def test_friction_in_ideal_joints_is_no_force_at_rest():
    """Regularised friction has none in equilibrium, and so is none in undamped vibrations; with damping it would be left out."""
    path = fm.static(rod())
    assert path["rod.angle"][-1] == pytest.approx(fm.static(rod(1e-12))["rod.angle"][-1], rel=1e-12)
    assert path["rub.force"][-1] == 0.0 and path["rub.load"][-1] == pytest.approx(9.81, rel=1e-9)
    assert fm.modes(rod(), count=1).frequencies == pytest.approx(fm.modes(rod(1e-12), count=1).frequencies, rel=1e-9)
    names(said(lambda: fm.modes(rod(), damped=True)), "(rub)", "use run")
    e = fm.Equations(rod())
    q, v = e.initial()
    for call in (e.force, e.damping, e.stiffness):
        names(said(lambda call=call: call(q, v)), "(rub)")
    names(said(lambda: e.output("rub.force", q, v)), "'rub.force'", "reactions", "multipliers")


def test_equations_give_the_friction_of_given_reactions_and_finished_problems_solve_it():
    run = fm.run(rod(), end=1e-6, points=2, outputs=["rub.force", "rub.load", "pin.fx", "pin.fy", "rod.ay"])
    e = fm.Equations(rod())
    q, v = e.initial()
    given = [-run["pin.fx"][0], -run["pin.fy"][0]]
    which = [e.rows.index(label) for label in e.rows if label.startswith("pin")]
    multipliers = np.zeros(e.count)
    multipliers[which] = given
    assert abs(e.output("rub.force", q, v, multipliers=multipliers)) == pytest.approx(abs(run["rub.force"][0]), rel=1e-6)
    problem = NaturalCoordinates(rod()).problem([])
    a, _ = index1.accelerations(problem)
    values = {"q": q, "v": v, "t": 0.0, "s": [0.0]}
    found = problem.graph.evaluate([a[1]], values, problem.system.parameters())
    assert found[0] == pytest.approx(run["rod.ay"][0], rel=1e-9)


def wheel(command, **more):
    """A wheel on a spring with a motor; `command` gives the motor's from ground and wheel."""
    s = fm.System()
    body = s.body("wheel", mass=1.0, inertia=0.1)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body.centre))
    s.add(fm.TorsionSpring("spring", s.ground, body, stiffness=2.0))
    angle = fm.AngleOf(s.ground, body)
    s.add(fm.Actuator("motor", angle, command=command(angle, s), **more))
    return s


def switched(angle, s):
    """A command that a latch beyond whose value the start is switches on."""
    latch = s.add(fm.Latch("latch", angle, -0.2))
    return fm.Switched(latch, 0.3)


@pytest.mark.parametrize("command, more, state", [
    (lambda angle, s: 0.3, {"lag": 0.1}, "motor.effort"),
    (lambda angle, s: fm.PID(angle, 1.0, 3.0, ki=0.5), {}, "motor.integral"),
    (lambda angle, s: fm.PID(angle, 1.0, 3.0, sample=0.01), {}, "motor.held"),
    (switched, {}, "latch.on"),
], ids=["lag", "integral", "samples", "latch"])  # fmt: skip
def test_states_of_forces_that_are_not_at_rest_are_refused(command, more, state):
    """A motor that follows with a lag, an integral, samples, a latch that is on: zero is not their state in equilibrium."""
    names(said(lambda: fm.static(wheel(command, **more))), state, "not zero")
    names(said(lambda: fm.modes(wheel(command, **more))), state)


def test_commands_without_states_are_treated():
    assert fm.static(wheel(lambda angle, s: 0.3))["wheel.angle"][-1] == pytest.approx(0.15, rel=1e-9)
    assert fm.static(wheel(lambda angle, s: fm.PID(angle, 1.0, 3.0)))["wheel.angle"][-1] == pytest.approx(0.6, rel=1e-9)


def test_analyses_of_the_same_equations_keep_their_own_solver():
    e = fm.Equations(wheel(lambda angle, s: 0.3))
    assert e.using("superlu") is e
    for name in available():
        if name not in ("superlu", "cholmod"):
            other = e.using(name)
            assert (other.solver, e.solver) == (name, "superlu")
            assert fm.static(other, solver=name)["wheel.angle"][-1] == pytest.approx(0.15)
