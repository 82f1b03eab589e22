"""Every integrator of an order up to 5 keeps it in a system of several mechanisms, in four lanes (others: `test_integrator_family`)."""

import numpy as np
import pytest

from flexmbd.integrators import INTEGRATORS

from .orders import TUNED, tuned
from .pendula import OUTPUTS, pendula, swing
from .running import column, simulate

STEPS = {5: (0.04, 0.02, 0.01), 4: (0.02, 0.01, 0.005), 2: (0.004, 0.002, 0.001), 1: (0.004, 0.002, 0.001)}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, scheme in INTEGRATORS.items() if scheme.order in STEPS and not scheme.needs])
def test_order(name):
    order, errors = tuned(name).order, []
    for step in STEPS[order]:
        run = simulate(
            pendula, OUTPUTS, end=1.2, samples={"start": [np.pi / 2], "upper": [0.0], "lower": [0.0]},
            integrator=name, fixed=True, step=step, **TUNED.get(name, {}),
        )  # fmt: skip
        got = column(run)
        angle, rate = swing(np.pi / 2, 1.2)
        error = [got["rod.E.x"][-1] - np.sin(angle), got["rod.E.y"][-1] + np.cos(angle), got["rod.rate"][-1] - rate]
        errors.append(np.linalg.norm(error))
    slopes = np.diff(np.log(errors)) / np.log(0.5)
    assert slopes[-1] == pytest.approx(order, abs=0.2), (errors, slopes)
