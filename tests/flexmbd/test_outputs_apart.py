"""Outputs are compiled apart from the equations: another list of them leaves the solver's machine code as it is."""

import logging

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.errors import ModelError
from flexmbd.running import models
from flexmbd.running.settings import as_settings

SETTINGS = as_settings({"integrator": "dormand_prince", "lanes": 1})
FIRST = ("ball.x", "ball.y:max", "ball.vy")
LISTS = (FIRST, FIRST[::-1], FIRST[:1], (*FIRST, "s.force"))


def build(stiffness=10.0):
    """A ball on a spring."""
    s = fm.System(gravity=(0.0, -9.81))
    ball = s.body("ball", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    s.add(fm.Spring("s", s.ground.at(0.0, 1.0), ball.centre, stiffness, 1.0))
    return s


def model(outputs):
    return models.model_of(build(), outputs, SETTINGS)


def test_one_module_of_equations_serves_all_lists_of_outputs():
    asked, reordered, fewer, more = (model(list(outputs)) for outputs in LISTS)
    assert asked is reordered
    assert asked.code.name == fewer.code.name == more.code.name
    assert len({m.signals.code.name for m in (asked, fewer, more)}) == 3


def test_energy_books_are_states_and_so_part_of_the_equations():
    plain, balance, parts = (model(names) for names in (["ball.x"], ["energy.balance"], ["energy.drive", "energy.dissipated", "ball.x"]))
    assert [len(m.problem.states) for m in (plain, balance, parts)] == [1, 2, 2]  # a run that asks for none keeps one of its own
    assert balance.code.name == parts.code.name != plain.code.name


def test_a_quantity_has_the_same_values_in_any_list():
    runs = [fm.run(build(), end=1.0, points=11, outputs=list(outputs), settings=SETTINGS) for outputs in LISTS]
    assert [list(run.outputs) for run in runs] == [list(outputs) for outputs in LISTS]
    for run in runs:
        assert np.array_equal(run["ball.x"], runs[0]["ball.x"])
    assert np.array_equal(runs[0]["ball.vy"], runs[1]["ball.vy"]) and runs[0]["ball.y:max"] == runs[1]["ball.y:max"]
    assert np.isfinite(runs[3]["s.force"]).all()


def test_what_is_done_is_told(caplog):
    with caplog.at_level(logging.INFO, "flexmbd"):
        models._models.clear()
        fm.run(build(), end=0.1, outputs=["ball.x", "ball.rate"], settings=SETTINGS)
        assert any("building: 1 bodies, 1 elements" in x for x in caplog.messages)
        caplog.clear()
        fm.run(build(), end=0.1, outputs=["ball.rate", "ball.x"], settings=SETTINGS)
    assert caplog.messages == []


# ---- one system
def test_a_system_is_run_as_it_stands():
    run = fm.run(build(), end=1.0, points=5, outputs=["ball.x", "ball.y:max"], settings=SETTINGS)
    batch = fm.run(build, {"stiffness": [10.0]}, end=1.0, points=5, outputs=["ball.x", "ball.y:max"], settings=SETTINGS)
    assert run["ball.x"].shape == (5,) and np.ndim(run["ball.y:max"]) == 0 and run.status == 0 and run.message == ""
    assert batch["ball.x"].shape == (1, 5)
    assert run["ball.x"] == pytest.approx(batch["ball.x"][0], rel=1e-12)


def test_a_system_whose_numbers_are_arrays_is_a_batch():
    run = fm.run(build(np.array([10.0, 20.0, 30.0])), end=1.0, points=5, outputs=["ball.x"], settings=SETTINGS)
    assert run["ball.x"].shape == (3, 5) and run.status.tolist() == [0, 0, 0]


def test_a_system_takes_no_samples():
    with pytest.raises(ModelError, match="leave out samples"):
        fm.run(build(), {"stiffness": 1.0}, end=1.0, outputs=["ball.x"], settings=SETTINGS)


def test_prepare_takes_single_numbers_and_systems():
    for given in ((build, {"stiffness": 10.0}), (build(),)):
        assert fm.prepare(*given, end=1.0, points=5, outputs=["ball.x"], settings=SETTINGS).units == {"ball.x": "m"}


def test_what_is_printed_is_short():
    run = fm.run(build, {"stiffness": np.linspace(10.0, 20.0, 7)}, end=1.0, points=500, outputs=["ball.x"], settings=SETTINGS)
    assert len(repr(run).splitlines()) < 5 and "7 runs (7 ok)" in repr(run) and "ball.x [m]" in repr(run)
    assert "<table>" in run._repr_html_()
    assert repr(build()) == "System: planar, 4 coordinates\n  bodies: ball (RigidBody)\n  elements: s (Spring)"


def test_a_batch_as_a_dataset():
    run = fm.run(build(np.array([10.0, 20.0])), end=1.0, points=5, outputs=["ball.x", "ball.y:max"], settings=SETTINGS)
    table = run.to_xarray()
    assert table["ball.x"].dims == ("sample", "time") and table["ball.x"].attrs["unit"] == "m" and table["ball.y:max"].dims == ("sample",)
    assert np.array_equal(table["ball.x"].sel(time=1.0), run["ball.x"][:, -1]) and table["status"].values.tolist() == [0, 0]
    assert table.attrs["solver.integrator"] == "dormand_prince" and table["time"].attrs["unit"] == "s"


def test_one_run_as_a_dataset():
    table = fm.run(build(), end=1.0, points=5, outputs=["ball.x", "ball.y:max"], settings=SETTINGS).to_xarray()
    assert table["ball.x"].dims == ("time",) and table["ball.y:max"].dims == table["status"].dims == ()
    assert table["message"].item() == ""
