"""Cables that are curved at rest: a stretch is no curvature, and the mesh converges to Reissner's rod."""

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import flexmbd as fm

from .running import simulate


def arc(radius, turn, elements, pull, side=0.04, stiffness=3.0, **more):
    """Part of a circle without stress, clamped at its start with a dead load (fx, fy) at its end; EI in N m²."""
    s, R = fm.System(), radius
    material = fm.Material(12.0 * stiffness / side**4, 0.3, 1000.0)

    def shape(x):
        return (R * np.sin(x / R), R * (1 - np.cos(x / R))), (np.cos(x / R), np.sin(x / R))

    section = fm.Section(side**2, side**4 / 12)
    line = s.cable("line", length=R * turn, elements=elements, section=section, material=material, shape=shape, **more)
    s.add(fm.Clamp("wall", s.ground.at(0.0, 0.0), line.start))
    s.add(fm.PointForce("load", line.end, fx=pull[0], fy=pull[1]))
    return s


def reissner(radius, turn, pull, side=0.04, stiffness=3.0):
    """Tip of the rod: theta' = 1/R + M/EI and r' = (1 + N/EA) t by the unloaded arc length."""
    length, axial = radius * turn, 12.0 * stiffness / side**2

    def rates(s, y):
        t = np.cos(y[0]), np.sin(y[0])
        stretch = 1.0 + (pull[0] * t[0] + pull[1] * t[1]) / axial
        return [1.0 / radius + y[1] / stiffness, stretch * (pull[0] * t[1] - pull[1] * t[0]), stretch * t[0], stretch * t[1]]

    s = np.linspace(0.0, length, 201)
    guess = [s / radius, 0 * s, radius * np.sin(s / radius), radius * (1 - np.cos(s / radius))]
    found = solve_bvp(rates, lambda a, b: [a[0], a[2], a[3], b[1]], s, guess, tol=1e-10, max_nodes=200_000)
    assert found.success
    return found.y[2:, -1]


@pytest.mark.parametrize("curvature", ["exact", "material"])
@pytest.mark.parametrize("strain", ["green", "engineering"])
@pytest.mark.parametrize("radius, turn, pull", [(0.8, 1.2, (0.0, 6.0)), (0.5, np.pi, (-4.0, -1.0))])
def test_a_curved_cable_converges_to_the_rod(radius, turn, pull, strain, curvature):
    """What is left is the mesh and, of Green's strain, the square of a strain of 1e-3."""
    wanted, errors = reissner(radius, turn, pull), []
    for elements in (12, 24):
        path = fm.static(arc(radius, turn, elements, pull, strain=strain, curvature=curvature))
        errors.append(float(np.hypot(*(path[f"line.end.{x}"][-1] - y for x, y in zip("xy", wanted, strict=True)))))
    assert errors[1] < 2e-5 * radius * turn
    assert errors[1] < 0.3 * errors[0] or errors[1] < 2e-6 * radius * turn


@pytest.mark.parametrize("curvature", ["exact", "material", "small"])
def test_a_ring_that_is_stretched_alike_all_around_stores_axial_energy_only(curvature):
    """All tangents keep their directions: no bending, whatever the measure."""
    grown, s = 1.01, arc(0.5, 1.5 * np.pi, 32, (0.0, 0.0), curvature=curvature, strain="engineering")
    e = fm.Equations(s)
    q = grown * np.array(s.initial()[0])
    axial = 0.5 * 12.0 * 3.0 / 0.04**2 * 0.01**2 * 0.5 * 1.5 * np.pi
    assert e.output("line.strain_energy", q) == pytest.approx(axial, rel=1e-6)
    bending = abs(e.output("line.strain_energy", q) - axial)
    assert bending < 1e-3 * 0.5 * 3.0 * (0.01 / 0.5) ** 2 * 0.5 * 1.5 * np.pi


@pytest.mark.parametrize("integrator", ["generalized_alpha", "energy_momentum"])
def test_a_curved_cable_that_swings_keeps_its_energy(integrator):
    """Let go under a load: forces, tangents and energy belong together."""
    settings = {"tolerance": 1e-6, "integrator": integrator} | ({"step": 2e-5} if integrator == "energy_momentum" else {})
    outputs = ["energy.balance", "line.strain_energy"]
    run = simulate(lambda f: arc(0.5, 1.5, 4, (0.0 * f, f)), outputs, end=0.05, points=21, samples={"f": [8.0]}, **settings)
    assert run["line.strain_energy"].max() > 1e-4
    assert np.ptp(run["energy.balance"]) < 2e-3 * run["line.strain_energy"].max()
