"""FORM's probabilities where they are 1e-12 and less, to three digits, against closed forms."""

import numpy as np
import pytest
from scipy.stats import norm

from uqmbd.inputs import Random
from uqmbd.inputs.space import Space

from .reliability_models import found, normal

SIDES = pytest.mark.parametrize("side", ["above", "below"])
BETAS = pytest.mark.parametrize("beta", [6.0, 7.1, 8.5, 9.5])  # 1e-9 to 1e-21


@SIDES
@BETAS
@pytest.mark.parametrize("rho", [None, 0.6, -0.8])
def test_sums_of_normal_variables(side, beta, rho):
    space = Space({"a": normal(3, 0.5), "b": normal(-1, 2)}, None if rho is None else {"rank_correlation": [["a", "b", rho]]})
    r = 0.0 if rho is None else 2 * np.sin(np.pi * rho / 6)
    std = np.sqrt(0.25 + 4 + 2 * r * 0.5 * 2)
    limit = 2 + (beta if side == "above" else -beta) * std
    statistics, _, _ = found(space, lambda a, b: a + b, **{side: limit}, approach="form")
    assert statistics["probability"] == pytest.approx(norm.sf(beta), rel=5e-4)


@SIDES
@BETAS
def test_ratios_of_lognormal_variables(side, beta):
    """``ln a - ln b`` is normal: the design point is exact, and the limit in z is plane."""
    inputs = {name: Random({"type": "lognormal", "mean": m, "std": s}) for name, m, s in (("a", 10, 2), ("b", 20, 3))}
    spreads = np.sqrt(np.log1p([(2 / 10) ** 2, (3 / 20) ** 2]))
    middle = np.log(10) - np.log(20) - (spreads[0] ** 2 - spreads[1] ** 2) / 2
    limit = np.exp(middle + (beta if side == "above" else -beta) * np.hypot(*spreads))
    statistics, _, _ = found(inputs, lambda a, b: a / b, **{side: limit}, approach="form")
    assert statistics["probability"] == pytest.approx(norm.sf(beta), rel=5e-4)
