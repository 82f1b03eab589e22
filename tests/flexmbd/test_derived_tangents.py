"""Tangents of laws that follow from what their forces compute: those that are written by hand are the same."""

from dataclasses import dataclass

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.contact.laws import NORMAL_LAWS
from flexmbd.contact.laws.base import NormalKernels
from flexmbd.language.graph import Graph
from flexmbd.language.tracing import derived_tangent, tangent_of

from .test_contact_laws import build
from .test_friction_laws import LAWS


def slopes(kernels, count, numbers, at, derive):
    """Partial derivatives of the force at points (count, n), by place."""
    g = Graph()
    arguments = [g.var("q", k) for k in range(len(at))] + [g.const(x) for x in numbers]
    found = (derived_tangent(g, kernels.force, count) if derive else tangent_of(g, kernels, count))(arguments)
    places = [(0, j) for j in range(count)]
    values = g.evaluate([found.get(place, g.const(0.0)) for place in places], {"q": at})
    return np.array([np.broadcast_to(x, at.shape[1:]) for x in values])


@pytest.mark.parametrize("cls", NORMAL_LAWS, ids=lambda c: c.name)
def test_of_every_normal_law(cls):
    law, rng = build(cls), np.random.default_rng(1)
    at = np.stack([rng.uniform(1e-7, 1e-4, 50), rng.uniform(-0.5, 0.5, 50), rng.uniform(0.3, 1.0, 50)])
    one, other = (slopes(law.kernels(), 2, law.numbers().values(), at, derive) for derive in (True, False))
    assert one == pytest.approx(other, rel=1e-7, abs=1e-9 * np.abs(other).max())


@pytest.mark.parametrize("law", LAWS)
def test_of_every_friction_law(law):
    rng = np.random.default_rng(2)
    at = np.stack([rng.uniform(-1.0, 1.0, 50), rng.uniform(1.0, 100.0, 50), rng.uniform(-1e-5, 1e-5, 50)])
    one, other = (slopes(law.kernels(), 3, law.numbers().values(), at, derive) for derive in (True, False))
    assert one == pytest.approx(other, rel=1e-7, abs=1e-9 * np.abs(other).max())


@dataclass(frozen=True, eq=False)
class WithoutTangent(fm.LankaraniNikravesh):
    """The law without its tangent."""

    def kernels(self):
        """Force and energy."""
        usual = super().kernels()
        return NormalKernels(usual.force, None, usual.energy)


def test_an_implicit_scheme_does_not_miss_it():
    """A ball dropped on a floor: the same motion to rounding, with as many steps."""

    def dropped(law):
        s = fm.System(gravity=(0.0, -9.81))
        ball = s.body("ball", mass=1.0, inertia=0.1, position=(0.0, 0.11))
        s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, law(1e6, restitution=0.8)))
        return s

    settings = {"integrator": "generalized_alpha", "lanes": 1, "tolerance": 1e-7}
    runs = [
        fm.run(lambda law=law: dropped(law), {}, end=0.2, points=21, outputs=["ball.y"], settings=settings)
        for law in (fm.LankaraniNikravesh, WithoutTangent)
    ]
    assert runs[1]["ball.y"] == pytest.approx(runs[0]["ball.y"], abs=1e-9)
    assert runs[0].statistics["events"] >= 2 and runs[0].statistics["steps"] == pytest.approx(runs[1].statistics["steps"], rel=0.01)
