"""Sums over the elements of flexible bodies as nodes: their values, derivatives and what is made of these, grouped or written out."""

from dataclasses import replace

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.element import Element
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.lanes import kernel
from flexmbd.language.arrays import Program
from flexmbd.language.node_row import NodeRow
from flexmbd.language.tracing import substitute
from flexmbd.tuning import USUAL

from .running import simulate
from .sentences import names, said

ROUND = fm.Section.circle(0.02)


def rope(shaped=False, elements=5, E=2e6, gravity=-9.81, damping=0.0):
    """A rope pinned at its start, curved at rest or straight."""
    s = fm.System(gravity=(0.0, gravity))
    shape = {"shape": lambda x: ((np.sin(x), 1.0 - np.cos(x)), (np.cos(x), np.sin(x)))} if shaped else {}
    rod = s.cable("rod", length=1.0, elements=elements, section=ROUND, material=fm.Material(E, 0.3, 900.0), damping=damping, **shape)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod.start))
    return s


def build(system, pooled, key="strain_energy"):
    """Equations, the node of a sum, and how nodes are evaluated at a bent state."""
    single = {"single_elements": 0} if pooled else {"single_elements": 100, "single_size": 100}
    b = NaturalCoordinates(system, tuning=replace(USUAL, **single))
    rng = np.random.default_rng(5)
    q, v = np.array(system.initial()[0], float) + 0.03 * rng.normal(size=b.n), rng.normal(size=b.n)
    numbers = system.parameters()
    return b, b.quantity(system.bodies[0], key), lambda nodes, q=q: Program(b.graph, nodes, numbers)({"q": q, "v": v}), (q, v, numbers)


@pytest.mark.parametrize("shaped", [True, False])
def test_derivatives_of_a_pooled_energy_are_those_of_one_written_out(shaped):
    found = []
    for pooled in (True, False):
        b, energy, evaluate, (q, v, _) = build(rope(shaped), pooled)
        assert bool(b.groups) == pooled
        slopes = evaluate([b.graph.derivative(energy, x) for x in b.q])
        step = 1e-6
        for i in (0, 5, 14):
            ends = [evaluate([energy], q + sign * step * np.eye(b.n)[i])[0] for sign in (1, -1)]
            assert slopes[i] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-5, abs=1e-3 * np.abs(slopes).max())
        assert evaluate([b.time_derivative(energy)])[0] == pytest.approx(slopes @ v, rel=1e-12)
        assert set(b.graph.variables(energy)) == {("q", i) for i in range(b.n)}
        assert b._varies(energy) and NodeRow(b, energy).indices == set(range(b.n))
        found.append((slopes, evaluate([b.graph.derivative(b.graph.derivative(energy, x), b.q[6]) for x in b.q])))
    for pooled, single in zip(*found, strict=True):
        np.testing.assert_allclose(pooled, single, rtol=1e-10, atol=1e-12 * np.abs(single).max())


def test_power_of_damping_has_derivatives_by_velocities():
    """Kelvin-Voigt power is quadratic in the velocities: half of v.dP/dv is P."""
    b, power, evaluate, (_, v, _) = build(rope(damping=1e-3), True, "dissipated")
    slopes = evaluate([b.graph.derivative(power, x) for x in b.v])
    assert 0.5 * slopes @ v == pytest.approx(evaluate([power])[0], rel=1e-12)


def test_a_sum_is_evaluated_node_by_node_too():
    for count in (None, 3):
        b, energy, evaluate, (q, _, numbers) = build(rope(True), True)
        values = {"q": [x if count is None else np.full(count, x) for x in q]}
        found = b.graph.evaluate([energy, 2.0 * energy], values, numbers)
        assert np.shape(found[0]) == (() if count is None else (count,))
        assert found[0] == pytest.approx(evaluate([energy])[0], rel=1e-13) and found[1] == pytest.approx(2.0 * found[0])


def test_what_is_within_a_sum_is_not_exchanged_in_silence():
    b, energy, *_ = build(rope(), True)
    with pytest.raises(fm.ModelError, match="sum over the elements"):
        substitute(b.graph, [energy], {b.q[3]: 2.0 * b.q[3]})
    assert substitute(b.graph, [energy], {b.time: 2.0 * b.time})[0] is energy


@kernel
def squared(x):
    """A kernel that does not say its derivative."""
    return x * x


class OfABody(Element):
    """An element that acts on one body."""

    def __init__(self, name, body):
        self.name, self.body = name, body

    def topology_key(self):
        """The body."""
        return (self.body.name,)


class Silent(OfABody):
    """A force along a sum by a kernel without a tangent."""

    def apply(self, equations):
        """Its force."""
        energy = equations.quantity(self.body, "strain_energy")
        equations.force_on(energy, equations.graph.call(squared, (energy,)))


def test_what_cannot_be_differentiated_is_said_in_a_sentence():
    """An explicit scheme needs no derivative of the force; an implicit one, and statics, say which kernel does not give it."""

    def silent():
        s = rope()
        s.add(Silent("silent", s.bodies[0]))
        return s

    assert not simulate(silent, ["rod.end.x"], end=1e-4, points=2, integrator="dormand_prince").status.any()
    for attempt in (
        lambda: simulate(silent, ["rod.end.x"], end=1e-4, points=2, integrator="generalized_alpha"),
        lambda: fm.Equations(silent()).stiffness(np.array(silent().initial()[0], float)),
    ):
        names(said(attempt), "kernel 'squared' does not say the derivatives of its result", "explicit integrator")


class Again(OfABody):
    """The elastic forces of a body once more, from its energy; its output is the power that they store."""

    def apply(self, equations):
        """Forces against the gradient of the energy."""
        energy = equations.quantity(self.body, "strain_energy")
        equations.force_on(energy, equations.graph.const(-1.0))
        equations.potential(energy)

    def outputs(self, equations):
        """Power."""
        return {f"{self.name}.power": (lambda: equations.time_derivative(equations.quantity(self.body, "strain_energy")), "W")}


def test_a_rope_with_its_elastic_forces_twice_moves_as_one_twice_as_stiff():
    """Through compiled code: the gradient of a grouped energy is a force, and its rate a power whose integral is the energy."""

    def twice():
        s = rope()
        s.add(Again("again", s.bodies[0]))
        return s

    outputs = ["rod.end.x", "rod.end.y", "rod.strain_energy"]
    one = simulate(twice, [*outputs, "again.power", "energy.balance"], end=0.2, points=201, tolerance=1e-8)
    two = simulate(lambda: rope(E=4e6), outputs[:2], end=0.2, points=201, tolerance=1e-8)
    for name in outputs[:2]:
        np.testing.assert_allclose(one[name], two[name], rtol=0, atol=2e-6)
    gain = np.cumsum(0.5 * (one["again.power"][0, 1:] + one["again.power"][0, :-1])) * 1e-3
    energy = one["rod.strain_energy"][0]
    assert np.abs(gain - (energy[1:] - energy[0])).max() < 0.02 * energy.max()
    assert np.ptp(one["energy.balance"][0]) < 1e-5
