"""Thresholds of code generation: other ones give another model, and the same motion."""

import pytest

import flexmbd as fm
from flexmbd.running.models import model_of
from flexmbd.running.settings import as_settings
from flexmbd.tuning import USUAL, Tuning


def stone(mass=1.0):
    s = fm.System(gravity=(0.0, -9.81))
    s.body("stone", mass=mass, inertia=1.0)
    return s


def test_another_tuning_is_another_model():
    def made(tuning):
        return model_of(stone(), ["stone.y"], as_settings({"integrator": "dormand_prince", "tuning": tuning}))

    usual, pieces = made(USUAL), made(Tuning(piece=3))
    assert usual is not pieces and usual.code.name != pieces.code.name
    assert made(Tuning()) is usual


def test_what_was_tuned_is_said_with_the_result():
    run = fm.run(stone, {}, end=1.0, points=2, outputs=["stone.y:final"], settings={"lanes": 1, "tuning": Tuning(piece=64)})
    assert "piece=64" in run.attributes["solver.tuning"]


def test_a_tuning_of_another_kind_is_refused():
    with pytest.raises(fm.ModelError, match="'tuning' is 7; it must be a flexmbd"):
        as_settings({"tuning": 7})
