"""What is of histories only refuses curves over another axis, or leaves them alone."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError

from .curves import press, study_of

RANDOM = {"a": uq.Uniform(1.0, 2.0), "b": uq.Uniform(0.0, 1.0)}


def test_only_histories_are_warped(tmp_path):
    def model(a, b, time):
        return press(a, b, time) | {"x": np.maximum(time - 0.2 * a, 0.0)}

    study = study_of(model, ["p", "x"], uq.PCE(samples=40, degree=2, warp="kinks"), uq.TimeGrid(end=1.0, points=21), RANDOM)
    done = study.run(out=tmp_path / "r", workers=0, progress=False)
    plain = study_of(press, ["p", "x"], uq.PCE(samples=40, degree=2), uq.TimeGrid(end=1.0, points=21), RANDOM)
    plain = plain.run(out=tmp_path / "p", workers=0, progress=False)
    np.testing.assert_allclose(done.statistics["p"].sel(statistic="mean"), plain.statistics["p"].sel(statistic="mean"), rtol=1e-9)


@pytest.mark.parametrize(
    "method, words",
    [
        (uq.PCE(samples=40, degree=2, warp="linear"), "no output is over time"),
        (uq.Calibrate(scalars={"p": 1.0}), "is a curve over angle, and readings are numbers or over time"),
        (uq.Reliability(approach="form", output="p", above=1.0), "'p'"),
    ],
)
def test_methods_that_mean_time_or_a_number_refuse_a_curve(method, words, tmp_path):
    with pytest.raises(StudyError) as error:
        study_of(outputs=["p", "n"], method=method, inputs=RANDOM).run(out=tmp_path / "r", workers=0, progress=False)
    assert words in error.value.message


def test_orbits_are_of_histories(tmp_path):
    with pytest.raises(StudyError, match=r"the output 'p' is a curve over angle, not a history"):
        study_of(report={"orbits": [["p", "x"]]}).run(out=tmp_path / "r", workers=0, progress=False)
