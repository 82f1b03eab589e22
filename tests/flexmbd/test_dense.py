"""What lies between two steps is the scheme's own business: a function `DENSE` in place of the quintic interpolation."""

from dataclasses import replace

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.integrators import INTEGRATORS
from flexmbd.lanes.rows import get, put
from flexmbd.stepping.names import DENSE, END, FRACTION, MIDDLE, STAGE, START, M, N

G, STEP = 9.81, 0.1


def straight(X, P, W, at):
    """A straight line from the step's start to its end."""
    lane = at[STAGE]
    x = get(X, FRACTION, lane)
    for i in range(1, 1 + 2 * at[N] + at[M]):
        put(X, at[MIDDLE] + i, lane, (1.0 - x) * get(X, START + i, lane) + x * get(X, at[END] + i, lane))


def stone():
    s = fm.System(gravity=(0.0, -G))
    s.body("stone", mass=1.0, inertia=1.0)
    return s


@pytest.mark.parametrize("lanes", (1, 4))
def test_a_scheme_has_its_own_interpolation(monkeypatch, lanes):
    usual = INTEGRATORS["rk4"]
    monkeypatch.setitem(INTEGRATORS, "straight", replace(usual, name="straight", functions=usual.functions | {DENSE: straight}))
    settings = {"step": STEP, "lanes": lanes}
    runs = [fm.run(stone, {}, end=1.0, points=41, outputs=["stone.y"], settings={"integrator": x, **settings}) for x in ("rk4", "straight")]
    time, parabola = runs[0].time, -0.5 * G * runs[0].time ** 2
    ends = np.linspace(0.0, 1.0, 11)
    assert runs[0]["stone.y"][0] == pytest.approx(parabola, abs=1e-12)
    assert runs[1]["stone.y"][0] == pytest.approx(np.interp(time, ends, -0.5 * G * ends**2), abs=1e-12)
