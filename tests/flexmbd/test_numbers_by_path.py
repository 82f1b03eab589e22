"""Numbers of a batch reach their elements by path, whatever order they are named in; what a model function said to arrays is told."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.analysis.varied_parameters import parameters_of
from flexmbd.element import Element

ONE = {"end": 1.0, "points": 2}


class Push(Element):
    """A force whose components are named in the order of their size."""

    def __init__(self, name, a, up, side):
        self.name, self.a, self.up, self.side = name, a, up, side

    def parameters(self):
        """Both components, the smaller one first."""
        return {"up": self.up, "side": self.side} if self.up < self.side else {"side": self.side, "up": self.up}

    def apply(self, equations):
        """The force."""
        equations.force(self.a, equations.number(self, "side"), equations.number(self, "up"))


def pushed(up, side):
    """A free body."""
    s = fm.System()
    body = s.body("body", mass=2.0, inertia=1.0)
    s.add(Push("push", body.centre, up, side))
    return s


def test_an_element_that_names_its_numbers_in_another_order_keeps_them():
    up, side = np.array([2.0, 5.0, -1.0, 3.0]), np.array([3.0, 4.0, -2.0, 3.0])
    run = fm.run(pushed, {"up": up, "side": side}, outputs=["body.x", "body.y"], **ONE)
    np.testing.assert_allclose(run["body.x"][:, -1], side / 4.0, rtol=1e-12)
    np.testing.assert_allclose(run["body.y"][:, -1], up / 4.0, rtol=1e-12)


def test_derivatives_by_an_input_that_changes_the_order_of_numbers():
    """The number that an input moves past another one is still that number."""
    _, found = parameters_of(pushed, {"up": 3.0, "side": 3.0 + 1e-4}, ["up"])
    assert found.slopes == {"@push.up": {0: pytest.approx(1.0, rel=1e-9)}}


def pendulum(order):
    """A rod whose points are named in some order."""
    s = fm.System(gravity=(0.0, -9.81))
    points = {"A": (-0.5, 0.0), "B": (0.3, 0.0), "C": (0.1, 0.2)}
    rod = s.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={key: points[key] for key in order})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["A"]))
    return s


def test_systems_that_differ_in_the_order_of_points_only_keep_their_points():
    outputs = [f"rod.{point}.{axis}" for point in "ABC" for axis in "xy"]
    first, *others = (fm.run(pendulum(order), end=0.2, points=3, outputs=outputs) for order in ("ABC", "CBA", "BAC"))
    for other in others:
        for name in outputs:
            np.testing.assert_allclose(other[name], first[name], rtol=0, atol=1e-12)


def mistaken(m):
    """Fails for arrays, by a mistake."""
    if np.ndim(m):
        raise KeyError("stiffnes")
    s = fm.System()
    s.body("b", mass=m, inertia=1.0, velocity=(1.0, 0.0))
    return s


def branching(m):
    """Takes single numbers only."""
    return mistaken(1.0 if m < 1.0 else 2.0)


@pytest.mark.parametrize("model, words", [(mistaken, "KeyError: 'stiffnes'"), (branching, "ValueError")])
def test_a_model_that_is_called_sample_by_sample_says_why(model, words):
    run = fm.run(model, {"m": np.array([0.5, 1.5, 2.5])}, outputs=["b.x"], **ONE)
    assert not run.status.any()
    np.testing.assert_allclose(run["b.x"][:, -1], 1.0)
    assert run.attributes["model.calls"].startswith("sample by sample") and words in run.attributes["model.calls"]


def test_a_model_that_takes_arrays_says_nothing():
    def model(m):
        s = fm.System()
        s.body("b", mass=m, inertia=1.0)
        return s

    run = fm.run(model, {"m": np.array([0.5, 1.5])}, outputs=["b.x"], **ONE)
    assert "model.calls" not in run.attributes
