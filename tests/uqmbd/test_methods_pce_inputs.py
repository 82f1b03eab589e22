"""Chaos expansions in inputs that are not smooth or many: cut off, whole numbers, data with ties, thirty of them."""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.methods import PCE

from .loop import drive
from .test_methods_pce import indices, scalar, statistic, uniform


def test_a_half_normal_input():
    """f = x² y with x = |N(0, 1)| and y ~ U(0, 1): mean 1/2, E f² = 3/3."""
    inputs = {"x": Random({"type": "normal", "mean": 0, "std": 1, "truncate": [0, float("inf")]}), "y": uniform(0, 1)}
    result, _ = drive(PCE(samples=60), inputs, scalar(lambda x, y: x**2 * y))
    assert bool(result.trusted["f:value"]) and statistic(result, "mean") == pytest.approx(0.5, rel=1e-5)
    assert statistic(result, "std") == pytest.approx(np.sqrt(0.75), rel=1e-4)


@pytest.mark.parametrize("how", [{}, {"sparse": False}, {"design": "doptimal"}])
def test_an_input_of_whole_numbers(how):
    """f = k² + k x over four numbers k and x ~ U(0, 1): mean and variance by sums over k."""
    k = np.arange(1, 5)
    mean = np.mean(k**2 + k / 2)
    variance = np.mean(k**4 + k**3 + k**2 / 3) - mean**2
    inputs = {"k": Random({"type": "discreteuniform", "lower": 1, "upper": 4}), "x": uniform(0, 1)}
    result, _ = drive(PCE(samples=60, **how), inputs, scalar(lambda k, x: k**2 + k * x))
    assert bool(result.trusted["f:value"]) and statistic(result, "mean") == pytest.approx(mean, rel=1e-7)
    assert statistic(result, "std") == pytest.approx(np.sqrt(variance), rel=1e-7)
    assert indices(result, "total")[1] == pytest.approx(np.mean(k**2) / 12 / variance, rel=1e-6)


def test_a_quadrature_wants_inputs_that_take_its_values():
    with pytest.raises(StudyError, match="whole numbers"):
        drive(PCE(design="quadrature", degree=2), {"k": Random({"type": "binomial", "size": 9, "prob": 0.5})}, scalar(lambda k: k))


def test_two_values_in_data_do_not_tell_polynomials_apart(tmp_path):
    """Runs hardly see what lies between two values, so terms that live there are not taken; reference: the law is known.

    Where a run does lie between them the expansion misses it, is not trusted, and the statistics are those of 80 runs.
    """
    path = tmp_path / "d.csv"
    path.write_text("k\n" + "\n".join(["0"] * 35 + ["1"] * 65))
    inputs = {"k": Random({"data": str(path), "column": "k"}), "x": uniform(0, 1)}
    k = inputs["k"].ppf((np.arange(10_000) + 0.5) / 10_000)
    for seed in range(6):
        result, _ = drive(PCE(samples=80), inputs, scalar(lambda k, x: k**2 + k * x), seed=seed)
        variance = np.mean(k**4 + k**3 + k**2 / 3) - np.mean(k**2 + k / 2) ** 2
        assert statistic(result, "std") == pytest.approx(np.sqrt(variance), rel=0.02 if result.trusted["f:value"] else 0.2)


def test_degrees_that_no_run_determines_are_left_out():
    """Thirty inputs: of a list of degrees, least squares takes those for which there are runs enough."""
    result, _ = drive(
        PCE(samples=60, sparse=False, degree=[1, 2, 5]), {f"x{i}": uniform(0, 1) for i in range(30)}, scalar(lambda **x: sum(x.values()))
    )
    assert result.attrs["degree"] == {"f:value": 1} and statistic(result, "std") == pytest.approx(np.sqrt(30 / 12), rel=1e-9)
