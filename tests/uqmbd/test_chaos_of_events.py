"""The 0-1 test for chaos of any model's section points, as a reduction of events."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.simulators.events import reductions_of
from uqmbd.simulators.zero_one import chaos_k


def orbit(r, count):
    x, found = 0.3, []
    for _ in range(int(count)):
        x = r * x * (1.0 - x)
        found.append(x)
    return np.array(found)


def logistic(r, count=1000.0):
    return {"x": uq.Events(orbit(r, count), "iterate", unit="m")}


def done(inputs, values, out):
    method = uq.List(samples=values, max_failed=0.9)
    study = uq.Study(model=logistic, inputs=inputs, outputs=["x:chaos_k"], method=method, name="chaos")
    return study.run(out=out, workers=0, report=False, progress=False)


def test_chaos_of_the_logistic_map_is_told_from_its_periods(tmp_path):
    """Period two at 3.2 and four at 3.5; chaos at 3.9, and at 4, where the exponent is ln 2; the window of period three at 3.835."""
    result = done({"r": uq.Interval(3.0, 4.0)}, {"r": [3.2, 3.5, 3.835, 3.9, 4.0]}, tmp_path)
    k = result.runs["x:chaos_k"].values
    assert (k[:3] < 0.1).all() and (k[3:] > 0.9).all() and result.inner["x:chaos_k"].attrs["unit"] in ("", "1")


def test_the_transient_is_left_out():
    """Whatever the first half is."""
    whole = orbit(3.2, 1000)
    disturbed = np.concatenate([np.random.default_rng(1).random(500), whole[500:]])
    assert chaos_k(disturbed) == chaos_k(whole)


def test_a_run_of_few_values_fails_and_says_how_many_it_needs(tmp_path):
    inputs = {"count": uq.Interval(10.0, 1000.0), "r": uq.Fixed(3.9)}
    result = done(inputs, {"count": [100.0, 900.0]}, tmp_path)
    assert result.facts.runs_failed == 1
    assert "needs 400 values; the run has 100" in str(result.runs["message"].values[0])


def test_fields_have_no_chaos():
    assert "chaos_k" not in reductions_of((1, 2)) and "chaos_k" in reductions_of(None)


@pytest.mark.parametrize("points", [np.sin(0.001 * np.arange(2000.0))])
def test_a_history_that_is_no_section_says_nothing(points):
    assert np.isnan(chaos_k(points))
