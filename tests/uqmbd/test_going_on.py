"""Runs that go on from states."""

from dataclasses import replace

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.outcomes import Outcomes, OutputInfo
from uqmbd.simulators.lanes import LanesSimulator
from uqmbd.simulators.model import find_model
from uqmbd.simulators.outside import OutsideSimulator
from uqmbd.spec.models import section_of_model

PENDULUM = """
import flexmbd as fm

def pendulum(length):
    s = fm.System()
    bob = s.body("bob", mass=1.0, inertia=0.1, position=(length, 0.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), bob.at(-length, 0.0)))
    s.gravity = (0.0, -9.81)
    return s
"""
NAMES = ("bob.x", "bob.vy")
SAMPLES = {"length": np.array([0.5, 0.7, 1.1])}
FROM_ZERO = [None] * 3


@pytest.fixture
def over(tmp_path):
    """The simulator of a pendulum over a time from zero, with so many points."""
    (tmp_path / "model.py").write_text(PENDULUM)
    model = find_model("model.py:pendulum", tmp_path)
    return lambda end, points: LanesSimulator(model, NAMES, np.linspace(0.0, end, points))


def test_runs_that_go_on_are_independent_of_their_neighbours(over):
    """Bit for bit: three runs side by side, or one alone, over two halves; the states hold all that the second half needs."""
    half = over(0.5, 11)
    first = half.go_on(SAMPLES, FROM_ZERO)
    second = half.go_on(SAMPLES, first.states)
    assert not second.status.any() and [state["time"] for state in second.states] == [1.0] * 3
    alone = {"length": SAMPLES["length"][1:2]}
    before = half.go_on(alone, [None])
    after = half.go_on(alone, before.states)
    for name in NAMES:
        assert np.array_equal(first.outputs[name], half.simulate(SAMPLES).outputs[name])
        np.testing.assert_allclose(second.outputs[name][:, 0], first.outputs[name][:, -1], rtol=1e-13, atol=1e-13)
        assert np.array_equal(after.outputs[name], second.outputs[name][1:2])


def test_two_halves_are_one_whole_but_for_rounding(over):
    """With steps of one length; those that a scheme chooses are others after a stop, and then the tolerance is between both."""
    settings = {"integrator": "rk4", "step": 2.0**-10}
    whole, half = (replace(one, settings=settings) for one in (over(1.0, 21), over(0.5, 11)))
    together = whole.simulate(SAMPLES)
    first = half.go_on(SAMPLES, FROM_ZERO)
    second = half.go_on(SAMPLES, first.states)
    for name in NAMES:
        joined = np.hstack([first.outputs[name], second.outputs[name][:, 1:]])
        np.testing.assert_allclose(joined, together.outputs[name], rtol=0.0, atol=1e-14)


def test_a_run_whose_inputs_would_make_positions_jump_fails_alone(over):
    half = over(0.5, 11)
    first = half.go_on(SAMPLES, FROM_ZERO)
    second = half.go_on({"length": np.array([0.5, 0.7, 1.2])}, first.states)
    assert second.status.tolist() == [0, 0, 3] and "would have to jump" in second.message[2] and second.states[2] is None
    same = half.go_on(SAMPLES, first.states)
    for name in NAMES:
        assert np.array_equal(second.outputs[name][:2], same.outputs[name][:2])


SHAFT = """
import flexmbd as fm

def shaft(clearance):
    s = fm.System(gravity=(0.0, -9.81))
    body = s.body("body", mass=0.4, inertia=2e-3, position=(2e-4, 0.0), rate=5.0)
    law = fm.Impenetrable(0.5, friction=0.1)
    s.add(fm.ClearanceRevolute("pin", body.centre, s.ground.at(0.0, 0.0), clearance, law, bearing_radius=0.01))
    return s
"""


def test_a_clearance_is_followed_in_lanes(tmp_path):
    """Down and up again, each run from the end of the one before, three branches side by side or each alone: to the last bit."""
    (tmp_path / "model.py").write_text(SHAFT)
    time, settings = np.linspace(0.0, 0.02, 201), {"integrator": "moreau", "step": 1e-4}
    names = ("body.y", "body.y:min", "body.y:time_of_min")
    one = LanesSimulator(find_model("model.py:shaft", tmp_path), names, time, settings)
    branches, ends, found = 1e-3 * np.array([1.0, 1.2, 1.5]), {}, None
    for which in (np.arange(3), *np.arange(3)[:, None]):
        states = [None] * len(which)
        for share in (1.0, 0.97, 0.94, 0.97, 1.0):
            found = one.go_on({"clearance": branches[which] * share}, states)
            assert not found.status.any()
            assert found.outputs["body.y:min"] == pytest.approx(found.outputs["body.y"].min(axis=1), rel=1e-2)  # of this run alone
            assert np.all(found.outputs["body.y:time_of_min"] < 1.001 * time[-1])
            states = found.states
        for i, k in enumerate(which):
            ends.setdefault(int(k), []).append(states[i]["values"][: len(states[i]["names"]) // 2])
    for together, alone in ends.values():
        assert np.array_equal(together, alone)
    states = one.go_on({"clearance": branches}, FROM_ZERO).states
    moved = one.go_on({"clearance": branches * 0.7}, one.go_on({"clearance": branches}, states).states)
    assert not moved.status.any() and any("moved to fit" in str(words) for words in moved.attributes.values())


class Counter:
    """A simulator from outside that counts on from where it was."""

    width = 1

    def __init__(self, **_):
        pass

    def check(self, samples):
        return {"n": OutputInfo("", None)}

    def simulate(self, samples):
        return self.go_on(samples, [None] * len(samples["a"]))

    def go_on(self, samples, states):
        n = samples["a"] + [state or 0.0 for state in states]
        return Outcomes({"n": n}, np.zeros(len(n), np.int8), [""] * len(n), {}, n.tolist())


def test_simulators_from_outside_go_on_as_they_can():
    samples = {"a": np.array([1.0, 2.0])}
    counter = OutsideSimulator(section_of_model(None, Counter, False).load(None), ("n",), None, {}, None)
    first = counter.go_on(samples, [None, None])
    assert counter.go_on(samples, first.states).outputs["n"].tolist() == [2.0, 4.0]


def test_a_simulator_whose_runs_end_is_told(monkeypatch):
    monkeypatch.delattr(Counter, "go_on")
    counter = OutsideSimulator(section_of_model(None, Counter, False).load(None), ("n",), None, {}, None)
    with pytest.raises(StudyError, match="runs of Counter cannot go on from a state"):
        counter.go_on({"a": np.array([1.0])}, [None])


def test_studies_may_leave_the_coordinates_to_the_solver(over):
    """``formulation = "auto"`` is a setting like others: outcomes say which it was, runs that go on have the same, to the last bit."""
    runs = {}
    for name in ("auto", "tree"):
        half = replace(over(0.5, 11), settings={"formulation": name})
        assert half.check(SAMPLES).keys() == set(NAMES)
        first = half.simulate(SAMPLES)
        second = half.go_on(SAMPLES, half.go_on(SAMPLES, FROM_ZERO).states)
        assert first.attributes["solver.formulation"] == second.attributes["solver.formulation"] == "tree"
        runs[name] = first, second
    assert runs["auto"][1].attributes["solver.formulation.reason"].startswith("tree: 1 of 1 bodies")
    for one, other in zip(*runs.values(), strict=True):
        assert all(np.array_equal(one.outputs[name], other.outputs[name]) for name in NAMES)
    with pytest.raises(StudyError) as caught:
        replace(over(0.5, 11), settings={"formulation": "trees"}).check(SAMPLES)
    assert caught.value.key == "solver.formulation"
