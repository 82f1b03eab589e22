"""What a chaos expansion does when runs fail: one, a hundredth, a fifth of them, and all of one kind."""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.methods import PCE

from .loop import drive
from .test_methods_pce import UNIT, scalar, statistic

SMOOTH = scalar(lambda x, y, z: np.exp(0.5 * x) + np.sin(y) * z)


@pytest.mark.parametrize("how", [{}, {"sparse": False, "degree": 5}, {"design": "doptimal", "degree": 5}])
@pytest.mark.parametrize("share", ["one", 0.01])
def test_few_failed_runs_change_nothing(how, share):
    """Failing at a corner of the box, and reported."""
    method, lost = PCE(samples=300, **how), {}

    def fail(samples):
        far = samples["x"] + samples["y"] + samples["z"]
        wanted = 1 if share == "one" else round(share * len(far))
        lost.setdefault("limit", np.sort(far)[-wanted])
        return far >= lost["limit"]

    whole, _ = drive(method, UNIT, SMOOTH)
    part, _ = drive(method, UNIT, SMOOTH, fail=fail)
    failed = 1 if share == "one" else 3
    assert part.attrs["runs_failed"] == failed and part.attrs["failed_share"] == pytest.approx(failed / 300)
    assert f"{failed} of 300 runs failed" in part.facts.note
    error = float(whole.error["f:value"])
    assert part.statistics["f:value"].values == pytest.approx(whole.statistics["f:value"].values, abs=max(5 * error, 1e-9))
    assert part.sensitivity["f:value"].values == pytest.approx(whole.sensitivity["f:value"].values, abs=max(5 * error, 1e-9))


def test_many_failed_runs_stop_with_where():
    with pytest.raises(StudyError, match=r"runs failed, most of them where x > 0\.\d+; the method pce goes on with 0\.05"):
        drive(PCE(samples=200), UNIT, SMOOTH, fail=lambda samples: samples["x"] > 0.6)
    allowed, _ = drive(PCE(samples=200, max_failed=0.3), UNIT, SMOOTH, fail=lambda samples: samples["x"] > 0.6)
    whole, _ = drive(PCE(samples=200), UNIT, SMOOTH)
    assert statistic(allowed, "mean") == pytest.approx(statistic(whole, "mean"), abs=1e-3)


def test_all_of_one_kind_failed():
    with pytest.raises(StudyError, match="all runs that would be fitted failed"):
        drive(PCE(samples=50, max_failed=1.0), UNIT, SMOOTH, fail=lambda samples: np.arange(len(samples["x"])) < 40, batch=1000)
    with pytest.raises(StudyError, match="all validation runs failed"):
        drive(PCE(samples=50, max_failed=1.0), UNIT, SMOOTH, fail=lambda samples: np.arange(len(samples["x"])) >= 40, batch=1000)


def test_a_quadrature_without_all_its_points_is_a_regression():
    method = PCE(design="quadrature", degree=6, truncation="total")
    result, _ = drive(method, UNIT, SMOOTH, fail=lambda samples: (samples["x"] > 0.9) & (samples["y"] > 0.9))
    whole, _ = drive(method, UNIT, SMOOTH)
    assert result.attrs["regression"] == "least_squares" and "Gauss points are missing" in result.facts.note
    assert whole.attrs["regression"] == "projection"
    assert statistic(result, "std") == pytest.approx(statistic(whole, "std"), rel=1e-6)
