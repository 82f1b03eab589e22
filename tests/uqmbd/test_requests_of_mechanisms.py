"""Mechanisms whose runs have a level, a step or a mesh, and that go on with another clearance."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.methods.base import count_failures
from uqmbd.methods.staged import FixedSampler
from uqmbd.request import Request
from uqmbd.result import Result

from .test_requests import Levels

MECHANISMS = """
import flexmbd as fm

def swing(a):
    s = fm.System(gravity=(0.0, -9.81))
    bob = s.point_mass("bob", mass=1.0, position=(1.0, 0.0))
    s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), bob.centre, stiffness=200.0 + 20.0 * a, length=1.0))
    return s


def rope(a, level=1):
    s = fm.System(gravity=(0.0, -9.81))
    stuff = fm.Material(E=1e6, nu=0.3, density=1000.0)
    rope = s.cable("rope", length=1.0, elements=2 * level, section=fm.Section.circle(0.01 + 0.001 * a), material=stuff)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rope.start))
    return s
"""


CLEARANCE = """
import flexmbd as fm

def ball(clearance):
    "A body that begins in the middle of a clearance and falls: it is free until it meets the edge."
    s = fm.System(gravity=(0.0, -9.81))
    body = s.body("body", mass=1.0, inertia=0.1, position=(0.0, 0.0))
    law = fm.LankaraniNikravesh(1e7, restitution=0.9)
    s.add(fm.ClearanceRevolute("joint", s.ground.at(0.0, 0.0), body.at(0.0, 0.0), clearance, law, start="centred"))
    return s
"""


@pytest.mark.slow
def test_a_mechanism_goes_on_with_another_clearance(tmp_path):
    """While it is free the clearance does not matter: 3 ms and 3 ms of a fall are 6 ms. Where a contact closes at once it pushes back."""
    (tmp_path / "mechanism.py").write_text(CLEARANCE)

    class Run(FixedSampler):
        def _plan(self):
            yield Request({"clearance": np.full(3, 2e-3)}, keep_state=True)
            yield Request({"clearance": np.array([2e-3, 3e-3, 1e-6])}, start=np.arange(3))

        def result(self):
            return Result(attrs={"method": "go on", **count_failures(self.status)})

    class On(Levels):
        def _start(self, *study):
            return Run(self, *study)

        def planned_runs(self, inputs):
            return 6, 6

    study = uq.Study(
        model=f"{tmp_path}/mechanism.py:ball", inputs={"clearance": uq.Interval(1e-6, 5e-3)}, outputs=["body.vy", "body.y"],
        method=On(max_failed=0.9), time=uq.TimeGrid(end=3e-3, points=4), campaign={"workers": 0}, name="s",
    )  # fmt: skip
    runs = study.run(out=tmp_path / "r", report=False).runs.load()
    assert runs["status"].values.tolist() == [0] * 6
    np.testing.assert_allclose(runs["body.vy"].values[3:5, -1], -9.81 * 6e-3, rtol=1e-9)
    np.testing.assert_allclose(runs["body.y"].values[3:, 0], runs["body.y"].values[0, -1], rtol=1e-12)
    np.testing.assert_allclose(runs["body.vy"].values[3:, 0], runs["body.vy"].values[0, -1], rtol=1e-12)
    rates = np.diff(runs["body.vy"].values[5]) / 1e-3
    assert np.all(np.diff(rates) > 0) and rates[-1] > 0  # the deeper it is, the harder it is pushed, in the end more than it weighs


@pytest.mark.slow
@pytest.mark.parametrize(("function", "output", "levels"), [("swing", "bob.x", (0.02, 0.005)), ("rope", "rope.end.x", (1, 2))])
def test_mechanisms_have_a_step_or_a_mesh_as_level(function, output, levels, tmp_path):
    (tmp_path / "mechanism.py").write_text(MECHANISMS)
    name = "step" if function == "swing" else "level"

    class Run(FixedSampler):
        def _plan(self):
            for level in levels:
                yield Request({"a": np.linspace(0.0, 1.0, 4)}, {name: level})

        def result(self):
            return Result(attrs={"method": "both", **count_failures(self.status)})

    class Both(Levels):
        def _start(self, *study):
            return Run(self, *study)

        def planned_runs(self, inputs):
            return 8, 8

    solver = {"integrator": "rk4", "step": 0.01} if function == "swing" else {}
    study = uq.Study(
        model=f"{tmp_path}/mechanism.py:{function}", inputs={"a": uq.Interval(0.0, 1.0)}, outputs=[output], method=Both(), name="s",
        time=uq.TimeGrid(end=0.2, points=11), solver=solver, campaign={"workers": 0},
    )  # fmt: skip
    result = study.run(out=tmp_path / "r", report=False)
    assert [(cost.control, cost.runs) for cost in result.facts.costs] == [({name: float(level)}, 4) for level in sorted(levels)]
    assert result.attrs["runs_ok"] == 8 and all(cost.seconds > 0 for cost in result.facts.costs)
    values = result.runs[output].values
    assert not np.array_equal(values[:4], values[4:])
    np.testing.assert_allclose(values[:4], values[4:], atol=1e-2)
