"""`uqmbd check` foretells the command: start, runs in the portions in which they are asked for, report; `--no-report`."""

import time
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import uqmbd as uq
from uqmbd.cli import app
from uqmbd.outcomes import Outcomes, OutputInfo
from uqmbd.simulators.detect import SimulatorSpec
from uqmbd.study import cost
from uqmbd.study.forecast import FIGURE, REPORT, START, WORKERS, Forecast, Pace, first_portion, slowness
from uqmbd.study.measuring import measure, measured


def square(a):
    """y = a²."""
    return {"y": a * a}


class Late:
    """A simulator that loads something at its first call, which then takes 30 times as long."""

    width, called = 1, 0

    def check(self, samples):
        """One number."""
        return {"y": OutputInfo("m", None)}

    def simulate(self, samples):
        """A hundredth of a second for each run."""
        count = len(samples["a"])
        time.sleep(0.01 * count + (0.0 if self.called else 0.3))
        self.called += 1
        return Outcomes({"y": samples["a"]}, np.zeros(count, np.int8), [""] * count, {})


def study_of(model=square, **campaign):
    return uq.Study(model=model, inputs={"a": uq.Interval(0.0, 1.0)}, outputs=["y"], method=uq.Chebyshev(degree=4), campaign=campaign)


def test_lanes_that_stay_empty_take_as_long_as_full_ones():
    pace = Pace(width=16, least=0.4, per_run=0.02)
    assert pace.portion(1, 1) == pace.portion(16, 1) == pace.portion(30, 2) == 0.4
    assert pace.portion(320, 1) == pytest.approx(320 * 0.02) and pace.portion(320, 2) == pytest.approx(160 * 0.02)
    assert pace.portion(30, 1) == pytest.approx(0.64), "two groups, of which the second is not full"


def test_the_first_call_is_no_measure(monkeypatch):
    monkeypatch.setattr("uqmbd.simulators.detect.make_simulator", lambda *how, **more: Late())
    study = study_of(workers=0)
    spec = SimulatorSpec(study.model, study.outputs, study.grid(), {"a": np.array([0.5])}, study.solver, None, 60.0)
    found = measured(spec, study.inputs.to_si(), 1)
    assert found.least_call < 0.2 and found.seconds / found.runs < 0.1, "a second call is measured"


def steady(monkeypatch):
    """Have a machine on which imports take a second."""
    before = cost.measure
    monkeypatch.setattr(cost, "measure", lambda *asked: replace(before(*asked), loading=1.0))


def test_the_forecast_is_of_the_command(monkeypatch):
    steady(monkeypatch)
    found = study_of(workers=0).check()
    ahead = found.ahead
    assert ahead.start == START and ahead.report == pytest.approx(REPORT + FIGURE * 3.5)
    assert 0 < ahead.runs[0] <= ahead.runs[1] and ahead.total[1] == pytest.approx(ahead.start + ahead.runs[1] + ahead.report)


def test_workers_cost_their_start(monkeypatch):
    steady(monkeypatch)
    alone, two = (study_of(square, workers=workers).check() for workers in (0, 2))
    assert alone.ahead.start == two.ahead.start == START and two.workers == 1, "one process does few short runs"
    monkeypatch.setattr(cost, "FEW", 0)
    two = study_of(square, workers=2).check()
    assert two.ahead.start == START + WORKERS and two.workers == 2


def test_the_measure_of_a_machine_is_what_its_imports_take():
    """In a process of its own, which has loaded little; where all is loaded a task takes its place."""
    found = study_of(square, workers=0)
    told = measure(found, {"a": np.array([0.5])}, 60.0)
    assert 0.1 < told.loading < 30.0
    assert slowness() > 0.1


def test_a_method_says_how_many_runs_it_asks_for_at_once():
    study = uq.Study(
        model=lambda a: {"y": a},
        inputs={"a": uq.Random({"type": "normal", "mean": 0.0, "std": 1.0})},
        outputs=["y"],
        method=uq.MonteCarlo(samples=300),
    )
    assert 1 <= first_portion(study, {"y": OutputInfo("", None)}) <= 300


def test_the_terminal_says_what_the_command_is_made_of():
    from io import StringIO

    from rich.console import Console

    page, found = StringIO(), study_of(square, workers=0).check()
    Console(file=page, width=200).print(found.table())
    assert "time of the command" in page.getvalue() and "start" in page.getvalue() and "result and report" in page.getvalue()
    assert isinstance(found.ahead, Forecast)


def test_no_report_leaves_none_not_even_an_old_one(tmp_path):
    (tmp_path / "m.py").write_text("def f(a):\n    return {'y': a}\n")
    text = '[study]\nname = "s"\nmodel = "m.py:f"\n[inputs.a]\ninterval = [0.0, 1.0]\n[outputs]\ninclude = ["y"]\n[method]\ntype = "grid"\n'
    (tmp_path / "s.toml").write_text(text + "points = 3\n[campaign]\nworkers = 0\n")
    place = tmp_path / "results"
    command = [str(tmp_path / "s.toml"), "--out", str(place)]
    first = CliRunner().invoke(app, ["run", *command, "--no-report"])
    assert first.exit_code == 0 and "no report; to write it: uqmbd report" in first.output
    assert (place / "result.zarr").is_dir() and not (place / "report.html").exists() and not (place / "figures").exists()
    (place / "report.html").write_text("of a result that is no more")
    (place / "done.json").unlink()
    assert CliRunner().invoke(app, ["resume", str(place), "--no-report"]).exit_code == 0
    assert not (place / "report.html").exists(), "a page that is not of this result is not left"
