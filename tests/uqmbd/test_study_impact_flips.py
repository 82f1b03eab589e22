"""The study of an impact oscillator's flips: its closed form against the integrated motion, its nominal flips against another source."""

import numpy as np
import pytest

from uqmbd.orbits import Orbits
from uqmbd.study import Study

from .test_studies_hybrid import STUDIES, model_of

NOMINAL = {"r": 0.8, "z": 0.02, "d": 0.0}


@pytest.fixture(scope="module")
def model():
    return model_of("impact_oscillator_flips")


def test_the_closed_form_is_the_motion_integrated(model):
    phase, v, at = np.array([3.0, 0.3]), np.array([-0.36, -1.1]), {"w": np.array([2.6, 1.25]), "r": 0.8, "z": 0.02, "d": 0.03}
    found = model.oscillator().step(np.stack([np.full(2, 0.03), v, phase], axis=1), at)
    exact = model.impact(phase, v, **at)
    np.testing.assert_allclose(found[:, 2], exact[0] % (2 * np.pi), atol=1e-9)
    np.testing.assert_allclose(found[:, 1], exact[1], atol=1e-9)


def test_the_nominal_flips_are_those_of_another_source(model):
    study = Study.from_file(STUDIES / "impact_oscillator_flips" / "study.toml")
    orbits = Orbits(model.impact, ["low.w", "high.w"], None, dict(study.spec.solver), None)
    found = orbits.simulate({name: np.array([value]) for name, value in NOMINAL.items()})
    assert found.message == [""]
    assert found.outputs["low.w"] == pytest.approx([1.2522384879989785], abs=1e-9)
    assert found.outputs["high.w"] == pytest.approx([2.6556212360828315], abs=1e-9)
