"""Wherever runs are made again they have the control and the start that their method gave them, and it is told these with the values."""

from typing import ClassVar

import numpy as np
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.campaign.few import ends_of, store_of
from uqmbd.errors import StudyError
from uqmbd.figures.worst import worst_figures
from uqmbd.groups import INNER, WORST
from uqmbd.method_facts import Cases
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.staged import FixedSampler
from uqmbd.report.motion import sentence_of
from uqmbd.request import Request
from uqmbd.result import Result, open_results
from uqmbd.study import motions
from uqmbd.study.motions import motion_of
from uqmbd.study.replay import replay
from uqmbd.study.trial import Trial

from .stepping_solver import Solver
from .test_requests import Follow, study_of

GRID = uq.TimeGrid(end=1.0, points=5)
FINE = 4.0


def ramp(a, b=0.0, level=1, time=None):
    """A level makes everything as many times as large."""
    return {"x": level * (a * time - b), "top": level * a}


class EveryLevelRun(FixedSampler):
    """Runs of two levels at the same inputs; bounds are those of the finer one, at the greatest input."""

    def _plan(self):
        yield Request({name: np.tile(item.ppf(np.linspace(0.0, 1.0, 5)), 2) for name, item in self.inputs.items()}, self.levels)

    @property
    def levels(self):
        return {self.settings.what: np.repeat([self.settings.coarse, FINE * self.settings.coarse], 5)}

    def result(self):
        level = self.control(self.settings.what)
        assert np.array_equal(level, self.levels[self.settings.what])
        fine = np.flatnonzero(level == FINE * self.settings.coarse)
        columns, names = self.columns, list(self.inputs)
        ends = np.stack([self.values[fine].min(axis=0), self.values[fine].max(axis=0)])
        rows = np.stack([fine[self.values[fine].argmin(axis=0)], fine[self.values[fine].argmax(axis=0)]])
        places = np.moveaxis(self.points[rows], -1, 1)
        return Result(
            inner=columns.dataset(ends, {"bound": ["lower", "upper"]}),
            worst=columns.dataset(places, {"bound": ["lower", "upper"], "input": names}, unit=""),
            attrs={"method": "every_level", "statement": "searched", **count_failures(self.status)},
        )


class EveryLevel(Method):
    name: ClassVar[str] = "every_level"
    accepts: ClassVar[frozenset] = frozenset({"interval"})
    groups = (INNER, WORST)

    what: str = "level"
    coarse: float = 1.0

    def planned_runs(self, inputs):
        return 10, 10

    def _start(self, *study):
        return EveryLevelRun(self, *study)


def study(model=ramp, outputs=("x", "top"), inputs=None, method=None, **more):
    inputs = inputs or {"a": uq.Interval(1.0, 2.0), "b": uq.Fixed(0.5)}
    more = {"time": GRID, "campaign": {"workers": 0}, "name": "levels"} | more
    return uq.Study(model=model, inputs=inputs, outputs=list(outputs), method=method or EveryLevel(), **more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("levels") / "r"
    study().run(out=place, progress=False, report=False)
    return place


def test_the_runs_that_reached_bounds_and_the_nominal_one_have_the_level_of_the_bounds(folder):
    """At the inputs of the bounds there is a run of the coarser level too."""
    runs, time = open_results(folder).extreme_runs, np.linspace(0.0, 1.0, 5)
    for case, a in {"nominal": 1.5, "lower": 1.0, "upper": 2.0}.items():
        np.testing.assert_allclose(runs["x"].sel(case=case), FINE * (a * time - 0.5), rtol=1e-15)
        assert float(runs["top"].sel(case=case)) == FINE * a
    said = Cases.of(runs["x"].attrs)
    assert said.control == {"lower": {"level": FINE}, "upper": {"level": FINE}} and said.inputs["upper"] == {"a": 2.0, "b": 0.5}
    (figure,) = worst_figures(open_results(folder), ["x"])
    assert "a = 2, level = 4." in " ".join(figure.caption)


def test_a_study_that_is_gone_on_with_has_the_same_ones(folder, tmp_path):
    import shutil

    place = shutil.copytree(folder, tmp_path / "r")
    (place / "done.json").unlink()
    again = study().run(out=place, progress=False, report=False)
    assert again.attrs["runs_simulated_last"] == 0 and again.extreme_runs.identical(open_results(folder).extreme_runs)


@pytest.mark.parametrize(("bound", "a"), [("upper", 2.0), ("lower", 1.0)])
def test_the_command_makes_the_run_again_with_its_level(bound, a, folder, uqmbd):
    code, said = uqmbd("replay", str(folder), "--worst", "top", "--bound", bound)
    assert code == 0 and f"top: {bound} bound {FINE * a:g}, now {FINE * a:g}, with" in " ".join(said.split())
    assert "level = 4 (set by the method)" in said
    table = np.loadtxt(folder / f"worst_top_{bound}.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(table[:, 1:], FINE * (np.array([a, 1.5]) * table[:, :1] - 0.5), rtol=1e-12)


class Branch(Follow):
    """Only runs that go on, but for the first one, and from others than a model would find by itself."""

    name: ClassVar[str] = "branch"

    def planned_runs(self, inputs):
        return 4, 4

    def _start(self, *study):
        return BranchRun(self, *study)


class BranchRun(FixedSampler):
    def _plan(self):
        for number, a in enumerate([0.9, 0.3, -0.2, -0.3]):
            yield Request({"a": np.array([a])}, start=np.array([number - 1]), keep_state=True)

    def result(self):
        inner = self.columns.dataset(self.envelope(np.arange(4)), {"bound": ["lower", "upper"]})
        return Result(inner=inner, attrs={"method": "branch", **count_failures(self.status)})


def test_the_upper_branch_is_reached_from_its_own_run_alone(tmp_path):
    """At a = -0.3 a run from time zero ends on the lower branch, the run that goes on stays on the upper one."""
    followed = study_of(tmp_path, Branch(), "fold")
    result = followed.run(out=tmp_path / "r", report=False)
    found = replay(followed, result, tmp_path / "r", "y", "lower")
    assert found.inputs["a"] == -0.3 and found.again == found.reached > 0.5 and found.lines[2] == "  from the end of another run"
    (lost,) = (tmp_path / "r" / "runs").glob("000000000002-*.runs")
    lost.unlink()
    with pytest.raises(StudyError, match="the file is missing"):
        replay(followed, result, tmp_path / "r", "y", "lower")
    with pytest.raises(StudyError, match="from whose end it started is not stored any more"):
        ends_of(store_of(tmp_path / "r"), np.array([123], np.uint64))


# the error of a fixed step ------------------------------------------------------------------------------------------------------------
class Levelled(Solver):
    """The steps of a level make an error as many times as large."""

    def with_control(self, control):
        return Levelled(None, self.outputs, self.time, self.settings | {"slope": 1e-6 * control["level"]}, None)

    def with_step(self, step):
        return Levelled(None, self.outputs, self.time, self.settings | {"step": step}, None)


def test_the_error_of_the_step_is_that_of_the_levels_that_were_run(tmp_path):
    box = {"a": uq.Interval(1.0, 2.0), "b": uq.Interval(0.5, 1.0)}
    made = uq.Study(
        simulator=Levelled, inputs=box, outputs=["s"], method=EveryLevel(), time=GRID, solver={"step": 0.1}, campaign={"workers": 0},
        name="steps",
    )  # fmt: skip
    result = made.run(out=tmp_path, progress=False, report=False)
    assert float(result.step_error["s"]) == pytest.approx(1e-6 * FINE * 0.1, rel=1e-3)
    assert result.attrs["step_error_runs"] == 8


# mechanisms ---------------------------------------------------------------------------------------------------------------------------
BALL = """
import flexmbd as fm

def ball(speed, level=1):
    s = fm.System(gravity=(0.0, -9.81 * level))
    s.point_mass("ball", mass=1.0, position=(0.0, 0.0), velocity=(0.0, speed))
    return s
"""


@pytest.fixture(scope="module")
def thrown(tmp_path_factory):
    place = tmp_path_factory.mktemp("ball")
    (place / "ball.py").write_text(BALL)
    made = study(
        f"{place}/ball.py:ball", ["ball.y:min", "ball.y"], {"speed": uq.Interval(1.0, 2.0)}, solver={"integrator": "rk4", "step": 0.02}
    )
    return made, made.run(out=place / "r", progress=False, report=False), place / "r"


def test_a_mechanism_moves_with_the_level_of_its_bounds(thrown, monkeypatch):
    made, result, place = thrown
    monkeypatch.setattr(motions, "SECONDS", 120.0)
    motion = motion_of(Trial(made).checked(), result, {"speed": 1.5}, store_of(place))
    assert len(motion["cases"]) > 1 and all(case["control"] == {"level": FINE} for case in motion["cases"])
    assert motion["scene"]["envelope"]["runs"] == 5  # those of the finer level, the nominal one among them
    for case in motion["cases"]:
        assert all(end["again"] == pytest.approx(end["value"], rel=1e-6) for end in case["ends"])
        assert "level = 4" in sentence_of(result, case)


def test_the_motion_of_a_bound_is_shown_with_its_level(thrown):
    made, result, place = thrown
    found = replay(made, result, place, "ball.y:min", "lower", show=True)
    assert found.page is not None and found.page.is_file() and found.control == {"level": FINE}
    assert found.again == pytest.approx(1.0 - 0.5 * 9.81 * FINE, rel=1e-9) == found.reached


def test_the_error_of_the_step_of_a_mechanism_is_found_with_its_level(thrown):
    """Of a parabola the scheme of fourth order has no error."""
    _, result, _ = thrown
    assert result.attrs["step_error_runs"] == 8 and float(result.step_error["ball.y:min"]) < 1e-12


# what a method is told ----------------------------------------------------------------------------------------------------------------
class PlainRun:
    """A run that comes from no base class."""

    def __init__(self):
        self.left, self.told = [Request({"a": np.linspace(1.0, 2.0, 6)}, {"level": np.arange(6) % 2 + 1}), {"a": np.array([1.5])}], []

    def ask(self):
        return self.left.pop(0) if self.left else None

    def tell(self, samples, outputs, status):
        assert set(samples) == {"a"}
        self.told.append((dict(samples.control), samples["a"], outputs["top"]))

    def result(self):
        *both, plain = self.told
        level, a, top = (np.concatenate(each) for each in zip(*((control["level"], a, top) for control, a, top in both), strict=True))
        assert np.array_equal(top, level * a) and plain[0] == {}
        inner = xr.Dataset({"top": ("bound", np.array([top.min(), top.max()]))}, {"bound": ["lower", "upper"]})
        return Result(inner=inner, attrs={"method": "plain", "runs": 7})


class PlainMethod(EveryLevel):
    name: ClassVar[str] = "plain"

    def _start(self, *study):
        return PlainRun()


def test_a_method_is_told_controls_with_the_values(tmp_path):
    """Also where inputs are held fixed, of which it is not told."""
    result = study(outputs=["top"], method=PlainMethod()).run(out=tmp_path, progress=False, report=False)
    assert result.inner["top"].values.tolist() == [1.0, 4.0]


class ReducingRun(PlainRun):
    """Keeps what workers make of histories."""

    def reduce(self, samples, outputs, status):
        level = samples.control.get("level", np.ones(len(status)))
        return {"ratio": outputs["x"][:, -1] / (level * (samples["a"] - 0.5))}

    def tell_reduced(self, partial):
        self.told.append(partial["ratio"])

    def result(self):
        np.testing.assert_allclose(np.concatenate(self.told), 1.0)
        return Result(attrs={"method": "reducing", "runs": 7})


class Reducing(EveryLevel):
    name: ClassVar[str] = "reducing"

    def reduce_key(self):
        return {}

    def _start(self, *study):
        return ReducingRun()


def test_what_workers_reduce_has_the_controls(tmp_path):
    how = {"workers": 0, "store": "scalars"}
    result = study(method=Reducing(), campaign=how).run(out=tmp_path, progress=False, report=False)
    assert result.attrs["runs"] == 7
