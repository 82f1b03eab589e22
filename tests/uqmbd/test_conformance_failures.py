"""Failed runs, with every method: none, one, 1 %, 20 %, a corner. A result counts them and is right about the rest, or says why not."""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.result import Result

from .loop import drive, outcomes
from .method_gallery import ALL, MOST, TIME

LIMITS = ("_lower", "_upper")  # of statistics: infinite where runs are too few


def scattered(share):
    """Runs fail here and there, each by its own samples."""
    return lambda samples: np.modf(4321.0987 * sum(samples.values()))[0] < share


def corner(samples):
    return (samples["a"] > 1.75) & (samples["b"] > 0.7)


class Nth:
    """The run of this number fails."""

    def __init__(self, number):
        self.number, self.told = number, 0

    def __call__(self, samples):
        at = np.arange(self.told, self.told + len(samples["a"])) == self.number
        self.told += len(at)
        return at


FAILURES = {
    "none": lambda: scattered(0.0),
    "first": lambda: Nth(0),
    "one": lambda: Nth(7),
    "1%": lambda: scattered(0.01),
    "20%": lambda: scattered(0.2),
    "corner": lambda: corner,
}


class Watched:
    """Keeps what ok runs gave, beside the failures."""

    def __init__(self, case, fail):
        self.case, self.fail, self.failed, self.values, self.controls = case, fail, [], {}, {}

    def __call__(self, samples):
        failed = self.fail(samples)
        self.failed.append(failed)
        for name, value in outcomes(self.case.model, TIME, samples).items():
            self.values.setdefault(name, []).append(value[~failed])
        for name, value in samples.control.items():
            self.controls.setdefault(name, []).append(value[~failed])
        return failed

    def ends(self, name, scatter_of):
        """What runs reached, those of one of several models where the result says so."""
        reached = np.concatenate(self.values[name])
        for control, value in scatter_of.items():
            reached = reached[np.concatenate(self.controls[control]) == value]
        return reached.min(axis=0), reached.max(axis=0)


def found(case, method, how):
    """What a method finds, or the error, beside what the runs were."""
    watched = Watched(case, FAILURES[how]())
    try:
        result, _ = drive(method, case.inputs, case.model, time=TIME, fail=watched, batch=50)
    except StudyError as error:
        return error, watched
    return result, watched


def ending(values, words):
    """Where a statistic or kind ends with one of `words`, in the shape of `values`."""
    found = np.zeros(values.shape, bool)
    for dim in set(values.dims) & {"statistic", "kind"}:
        named = np.array([str(word).endswith(words) for word in values[dim].values])
        found |= np.moveaxis(
            np.broadcast_to(named, (*np.delete(values.shape, values.get_axis_num(dim)), len(named))), -1, values.get_axis_num(dim)
        )
    return found


def unknown(case, key, values):
    """What no run can tell, which is shown as a gap: the only places of NaN."""
    everywhere = np.ones(values.shape, bool)
    if key == "convergence" and case.method.name == "pce":  # full least squares with fewer runs than terms
        return everywhere
    if (
        key == "convergence" and getattr(case.method, "beyond", None) and values.name not in case.method.beyond
    ):  # it has no limit to be beyond
        return ending(values, ("probability", "probability_lower", "probability_upper"))
    if key == "inner" and case.method.name == "fuzzy":  # no ok run in a narrow level
        return everywhere
    if case.method.name == "mixed":  # a limit that the runs of the inner loop are too few for
        return ending(values, ("_inner",))
    if key in ("branches", "hysteresis"):  # behind the last section point of a run, and of a run that failed
        return everywhere
    if case.method.name in ("calibrate", "posterior"):  # an output that was not measured
        return ending(values, ("measured", "residual"))
    return ~everywhere


def check(result: Result, watched: Watched) -> None:
    """Counts, the word about failures, no silent NaN, nothing narrower than what ok runs reached."""
    failed = np.concatenate(watched.failed)
    assert (result.attrs["runs"], result.attrs["runs_failed"]) == (len(failed), np.count_nonzero(failed))
    assert result.attrs["runs_ok"] == np.count_nonzero(~failed) and result.attrs["failed_share"] == pytest.approx(failed.mean())
    for key, group in result.groups():
        for name, values in group.data_vars.items():
            if values.dtype.kind == "f":
                claimed = values.values[~unknown(watched.case, key, values)]
                assert not np.isnan(claimed).any(), (key, name)
                finite = ~np.isinf(values.values) | ending(values, LIMITS)
                assert key == "trust_horizon" or finite.all(), (key, name)
    method, part = watched.case.method.name, watched.case.inputs.sets  # with levels or sets, runs reach a part of the box
    for name in result.inner:
        low, high = watched.ends(name, result.attrs.get("scatter_of", {}))
        assert not (result.inner[name].sel(bound="lower") > result.inner[name].sel(bound="upper")).any()
        if method not in ("fuzzy", "mixed", "evidence") and not part:
            assert np.array_equal(result.inner[name].sel(bound="lower"), low) and np.array_equal(
                result.inner[name].sel(bound="upper"), high
            )
    for name in result.bounds:
        assert not (result.bounds[name].sel(bound="lower") > result.inner[name].sel(bound="lower")).any()
        assert not (result.bounds[name].sel(bound="upper") < result.inner[name].sel(bound="upper")).any()


@pytest.mark.parametrize("how", [pytest.param(how, marks=pytest.mark.slow if how in ("none", "first") else ()) for how in FAILURES])
@ALL
def test_failures_as_usual(case, how):
    """With `max_failed` as it is where nothing is said."""
    result, watched = found(case, case.method, how)
    failed = np.concatenate(watched.failed)
    if isinstance(result, StudyError):
        assert failed.any() and "fail" in str(result) and result.remedy, str(result)
        return
    assert failed.mean() <= case.method.max_failed or "searched_share" in result.attrs  # a search may go where runs fail
    check(result, watched)


@pytest.mark.parametrize("how", ["20%", "corner"])
@ALL
def test_failures_that_are_allowed(case, how):
    """With `max_failed` = 0.9 a method goes on as long as it can say anything."""
    result, watched = found(case, case.with_(max_failed=0.9), how)
    if isinstance(result, StudyError):
        assert "fail" in str(result) and result.remedy, str(result)
        return
    check(result, watched)


@MOST
def test_all_runs_fail(case):
    with pytest.raises(StudyError, match=r"fail|none of") as error:
        drive(case.with_(max_failed=1.0), case.inputs, case.model, time=TIME, fail=lambda x: np.ones(len(x["a"]), bool))
    assert error.value.remedy


@pytest.mark.parametrize("name", ["s", "h"])
@MOST
def test_a_nan_in_an_ok_run_is_named(case, name):
    def model(time, **samples):
        outputs = {key: np.array(value) for key, value in case.model(time, **samples).items()}
        outputs[name][len(outputs[name]) // 2] = np.nan
        return outputs

    with pytest.raises(StudyError, match=f"reported as ok, but its output '{name}' is nan"):
        drive(case.method, case.inputs, model, time=TIME)
