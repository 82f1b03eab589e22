"""flexmbd's schemes against BDF of SUNDIALS' IDA on the same equations evaluated by numpy: another method, and no generated code."""

import sys

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.analysis.reference import Stabilised, reference

from .pendula import pendula
from .room import room
from .running import column, simulate
from .test_generalized_alpha import springs
from .test_integrator_family import ended
from .test_orders import cable_pendulum
from .test_redundant import four_bar
from .test_spatial_bodies import heavy_top

MORE = pytest.mark.slow


@pytest.fixture
def ida():
    pytest.importorskip("sksundae", reason="scikit-sundae is not installed")


PROBLEMS = {  # model, outputs, end in s
    "double pendulum": (pendula, ["upper.angle", "lower.angle", "lower.rate", "A.fx", "O.fy", "energy.balance"], 1.5),
    "heavy top": (heavy_top, ["top.x", "top.z", "top.vx", "top.omega_2", "O.fx", "O.fz", "energy.total"], 0.1),
    "cable": (cable_pendulum, ["rope.end.x", "rope.end.y", "rope.end.vx", "pin.fx", "pin.fy", "energy.total"], 0.6),
    "four-bar": (lambda: four_bar(2), ["crank.x", "rocker.vx", "energy.balance"], 1.0),  # from a guess that does not fit
    "springs and a drive": (springs, ["a.x", "a.angle", "b.x", "b.y", "slide.force", "energy.drive", "energy.dissipated"], 0.5),
}


@pytest.mark.parametrize("name", [x if x == "cable" else pytest.param(x, marks=MORE) for x in PROBLEMS])
def test_explicit_scheme_agrees(name, ida):
    """To 1e-8 of each output's size."""
    build, outputs, end = PROBLEMS[name]
    wanted = reference(build, end=end, points=11, outputs=outputs, rtol=1e-12, atol=1e-13)
    found = simulate(build, outputs, end=end, points=11, lanes=1, tolerance=1e-12)
    assert wanted.units == found.units and np.array_equal(wanted.time, found.time)
    for key in outputs:
        size = max(1.0, np.abs(wanted.outputs[key]).max())
        np.testing.assert_allclose(found.outputs[key], wanted.outputs[key], rtol=0, atol=1e-8 * size, err_msg=key)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["generalized_alpha", "ggl", "energy_momentum"])
def test_implicit_schemes_agree(name, ida):
    """At a step at which their error is of the order of 1e-6."""
    wanted = column(reference(cable_pendulum, end=0.6, points=2, outputs=["rope.end.x", "rope.end.y", "rope.end.vx"]))
    q, v, *_ = ended(cable_pendulum, "rope.end.x:final", 0.6, integrator=name, step=5e-5)
    np.testing.assert_allclose([*q[8:10], v[8]], [x[-1] for x in wanted.values()], rtol=0, atol=5e-6)


@pytest.mark.parametrize("build", [springs, heavy_top, cable_pendulum])
def test_jacobian_is_the_derivative_of_the_residual(build):
    """Along random directions of y, with y' = cj y, against central differences; states far from the constraints."""
    system = build()
    problem = Stabilised(fm.Equations(system), ["energy.balance"])
    rng, t, cj = np.random.default_rng(3), 0.3, 7.0
    y, rates = problem.start()
    y, rates = y + 0.1 * rng.normal(size=len(y)), rates + rng.normal(size=len(y))
    rates[2 * problem.equations.n :] = 0.0

    def residual(step):
        out = np.zeros(problem.size)
        problem.residual(t, y + step, rates + cj * step, out)
        return out

    J = np.zeros((problem.size, problem.size))
    problem.jacobian(t, y, rates, residual(0.0 * y), cj, J)
    for _ in range(3):
        x, h = rng.normal(size=len(y)), 1e-6
        slope = (residual(h * x) - residual(-h * x)) / (2 * h)
        np.testing.assert_allclose(J @ x, slope, rtol=0, atol=1e-6 * np.abs(slope).max())


def test_what_it_refuses(ida):
    with pytest.raises(fm.ModelError, match="locates no events"):
        reference(room, end=0.1, points=2, outputs=["energy.total"])
    with pytest.raises(fm.ModelError, match="is not known"):
        reference(heavy_top, end=0.1, points=2, outputs=["top.x:max"])
    with pytest.raises(fm.ModelError, match="time grid"):
        reference(heavy_top, end=0.1, points=1, outputs=["top.x"])


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sksundae.ida", None)
    with pytest.raises(fm.ModelError, match="pip install scikit-sundae"):
        reference(heavy_top, end=0.1, points=2, outputs=["top.x"])
