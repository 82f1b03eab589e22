"""Bodies that cannot penetrate each other, and would pass each other within one step of a scheme with percussions."""

import numpy as np
import pytest

import flexmbd as fm

RADIUS, RESTITUTION, DISTANCE = 0.03, 0.7, 3.0
SPEEDS = np.array([1.7, 4.0, 6.0, 23.0, 51.3])  # m/s: a way of up to 85 radii in a step
STEP = 0.05


def discs(speed, beside):
    """A disc that flies towards another one at rest."""
    s = fm.System(gravity=(0.0, 0.0))
    a = s.body("a", mass=1.0, inertia=1e-3, velocity=(speed, 0.0))
    b = s.body("b", mass=2.0, inertia=1e-3, position=(DISTANCE, beside))
    s.add(fm.DiscDisc("touch", a.centre, b.centre, RADIUS, RADIUS, fm.Impenetrable(restitution=RESTITUTION)))
    return s


@pytest.mark.parametrize("integrator", ("nonsmooth_generalized_alpha", "nonsmooth_ggl"))
@pytest.mark.parametrize("beside", (0.0, 0.6 * 2 * RADIUS))
def test_discs_do_not_pass_each_other_within_a_step(integrator, beside):
    """After the impact b has (1 + e) m/(m + M) of the approach along the line of centres, known to the order of a step."""
    settings, outputs = {"integrator": integrator, "step": STEP, "lanes": 8}, ["touch.impacts", "a.vx", "b.vx"]
    run = fm.run(lambda speed: discs(speed, beside), {"speed": SPEEDS}, end=4.0, points=2, outputs=outputs, settings=settings)
    assert not run.status.any()
    assert run["touch.impacts"][:, -1].tolist() == [1.0] * len(SPEEDS)
    assert run["a.vx"][:, -1] + 2.0 * run["b.vx"][:, -1] == pytest.approx(SPEEDS, rel=1e-9)
    along = 1.0 - (beside / (2 * RADIUS)) ** 2
    exact = (1.0 + RESTITUTION) / 3.0 * along * SPEEDS
    assert run["b.vx"][:, -1] == pytest.approx(exact, rel=0.55 if beside else 1e-9)
