"""What cannot be negative: no method bounds a norm, a count or a root mean square below zero; the gap of what never changes is 0."""

import numpy as np
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.facts import CUT
from uqmbd.figures.key import key_figure
from uqmbd.inputs import Focal
from uqmbd.inputs.space import Space
from uqmbd.outcomes import AT_MOST_ONE, NONNEGATIVE, OK, TIME, Outcomes, OutputInfo
from uqmbd.study.sign import cut_at_limits, is_at_most_one, is_nonnegative
from uqmbd.tables.text import outputs_table

from .loop import drive
from .method_gallery import BOTH, BOX, ELLIPSE, NUMBER, UNIFORM

FOCAL = BOX | {"b": Focal({"intervals": [[0.0, 0.6], [0.4, 1.0]], "masses": [0.5, 0.5]})}
CASES = {
    "chebyshev": (uq.Chebyshev(degree=4, fallback_runs=0), BOX),
    "closed": (uq.Chebyshev(degree=4), BOX),
    "sparse": (uq.Chebyshev(grid="sparse", max_runs=40, fallback_runs=0), BOX),
    "split": (uq.Chebyshev(degree=3, split=True, max_runs=60, fallback_runs=0), BOX),
    "taylor1": (uq.Taylor1(fallback_runs=0), BOX),
    "taylor2": (uq.Taylor2(fallback_runs=0), BOX),
    "vertex": (uq.Vertex(fallback_runs=0), BOX),
    "search": (uq.Search(max_runs=300, fresh=60), BOX),
    "fuzzy": (uq.FuzzyBounds(levels=3, degree=4, fallback_runs=0, level_runs=0), BOX | {"a": NUMBER}),
    "convex": (uq.ConvexBounds(degree=4, fallback_runs=0), ELLIPSE),
    "evidence": (uq.Evidence(degree=4, fallback_runs=0), FOCAL),
    "mixed": (uq.Mixed(samples=60, degree=3, germs=256), BOTH),
    "montecarlo": (uq.MonteCarlo(samples=12), UNIFORM),
}


def kink(a, b):
    """Zero in most of the box: what surrogates of it undershoot."""
    return 40.0 * np.maximum(a + 0.2 * b - 1.8, 0.0)


def norms(time, a, b):
    size = kink(a, b)
    return {"n": size[:, None] * np.sin(time) ** 2, "hits": np.floor(size), "n:max": size, "x": size}


class Norms:
    """A norm ``n`` over time, a count, a reduction of both, and what may be negative, ``x``; it says which is which."""

    width = 8

    def __init__(self, model, outputs, time, settings, timeout):
        self.outputs, self.time = outputs, time

    def check(self, samples):
        return {name: OutputInfo("N", TIME if name == "n" else None) for name in self.outputs}

    def simulate(self, samples):
        every, size = norms(self.time, **samples), samples["a"]
        said = {NONNEGATIVE: "n, hits, something.else"}
        return Outcomes({name: every[name] for name in self.outputs}, np.full(len(size), OK, np.int8), [""] * len(size), said)


def ran(out, method, inputs, outputs=("n", "hits", "n:max", "x"), **keys):
    keys = keys or {"simulator": Norms}
    time = uq.TimeGrid(end=2.0, points=5)
    study = uq.Study(**keys, inputs=inputs, outputs=list(outputs), method=method, time=time, name="norms")
    return study.run(workers=0, out=out, progress=False, report=False)


def least(result, name):
    """The lowest bound, or limit of a statistic, of an output."""
    found = [float(group[name].min()) for group in (result.bounds, result.regions) if name in group]
    if name in result.leaves:
        found.append(float(result.leaves[name].sel(part=["lower", "upper"]).min()))
    if name in result.statistics:
        found.append(float(result.statistics[name].min()))
    return min(found)


@pytest.mark.parametrize("name", CASES)
def test_no_method_bounds_a_norm_below_zero(name):
    method, inputs = CASES[name]
    result, _ = drive(method, Space.of(inputs), norms, time=np.linspace(0.0, 2.0, 5))
    assert least(result, "n") < 0 or name not in ("chebyshev", "taylor1", "split", "fuzzy", "evidence", "mixed", "montecarlo")
    cut_at_limits(result, {NONNEGATIVE: "n, hits, something.else"})
    assert min(least(result, output) for output in ("n", "hits", "n:max")) == 0.0
    for output in result.bounds:
        assert not (result.bounds[output].sel(bound="lower") > result.inner[output].sel(bound="lower")).any()
        assert result.bounds[output].attrs == result.inner[output].attrs
    assert least(result, "x") < 0 or name in ("closed", "sparse", "search", "vertex", "convex", "taylor2")  # nobody says that it is a norm
    if name in ("evidence", "mixed"):
        table = result.cdf["n:max"]
        assert not table.sel(column=["lower", "upper"]).values[table.sel(column="value").values < 0].any()


def test_a_study_says_it_to_every_method(tmp_path):
    result = ran(tmp_path, uq.Chebyshev(degree=4, fallback_runs=0), BOX)
    assert [least(result, name) for name in ("n", "hits", "n:max")] == [0.0] * 3 and least(result, "x") < 0
    assert uq.open_results(tmp_path).bounds.equals(result.bounds)


def test_what_was_cut_is_said_and_inner_bounds_are_not(tmp_path):
    result = ran(tmp_path, uq.Chebyshev(degree=4, fallback_runs=0), BOX)
    assert result.attrs[CUT] == ["n", "hits", "n:max"]
    assert "Bounds and limits of hits, n:max, n end at what they cannot pass." in outputs_table(result).note
    result.attrs["report"] = {"key": "n:max"}
    assert "The bounds are cut at what it cannot pass" in key_figure(result).caption[0]
    plain, _ = drive(uq.Chebyshev(degree=4, fallback_runs=0), Space.of(BOX), norms, time=np.linspace(0.0, 2.0, 5))
    assert plain.inner.equals(result.inner)


def test_shares_end_at_one_and_times_of_them_do_not():
    def share(time, a, b):
        size = np.minimum(kink(a, b) / 3.0, 1.0)
        return {"on": size[:, None] * np.ones(len(time)), "on:mean": size, "on:time_of_max": 1.0 + size, "x": size}

    result, _ = drive(uq.Chebyshev(degree=4, fallback_runs=0), Space.of(BOX), share, time=np.linspace(0.0, 2.0, 5))
    before = {name: float(result.bounds[name].max()) for name in result.bounds}
    assert min(before.values()) > 1.0
    cut_at_limits(result, {NONNEGATIVE: "on", AT_MOST_ONE: "on"})
    assert {name: float(result.bounds[name].max()) for name in ("on", "on:mean")} == {"on": 1.0, "on:mean": 1.0}
    assert float(result.bounds["x"].max()) == before["x"] and float(result.bounds["on:time_of_max"].max()) == before["on:time_of_max"]
    assert is_at_most_one("on:max@0.1..", {"on"}) and not is_at_most_one("on:time_of_min", {"on"}) and not is_at_most_one("only", {"on"})


def test_no_probability_and_no_scatter_is_what_none_can_be():
    """Of any output: by a surrogate both can be."""
    result, _ = drive(uq.MonteCarlo(samples=12), Space.of(UNIFORM), norms, time=np.linspace(0.0, 2.0, 5))
    words = ["mean", "std", "variance", "probability", "probability_lower", "probability_upper"]
    values = xr.DataArray([-3.0, -0.1, -0.01, 1.02, -0.02, np.nan], dims="statistic", coords={"statistic": words})
    result.statistics = xr.Dataset({"x": values})
    cut_at_limits(result, {})
    np.testing.assert_array_equal(result.statistics["x"].values, [-3.0, 0.0, 0.0, 1.0, 0.0, np.nan])
    assert result.attrs[CUT] == ["x"]


def test_reductions_of_a_function_are_known_by_their_names(tmp_path):
    def model(a, b, time):
        return {"f": kink(a, b) * np.cos(time)}

    names = ["f:abs_max", "f:rms", "f:time_of_max", "f:min"]
    result = ran(tmp_path, uq.Chebyshev(degree=4, fallback_runs=0), BOX, names, model=model)
    assert {name: least(result, name) == 0.0 for name in names} == dict.fromkeys(names[:3], True) | {"f:min": False}


def test_runs_that_are_negative_are_never_cut_away(tmp_path):
    """A simulator that is wrong about its own outputs hides nothing."""

    class Wrong(Norms):
        def simulate(self, samples):
            found = super().simulate(samples)
            found.outputs["n:max"] -= 1.0
            return found

    result = ran(tmp_path, uq.Chebyshev(degree=4, fallback_runs=0), BOX, ["n:max"], simulator=Wrong)
    assert least(result, "n:max") <= float(result.inner["n:max"].min()) == -1.0


def test_which_outputs_they_are():
    known = {"pin.force"}
    assert all(is_nonnegative(name, known) for name in ("pin.force", "pin.force:min", "pin.force:mean@0.1..", "x:rms", "x:abs_max@0..1"))
    assert not any(is_nonnegative(name, known) for name in ("pin.fx", "x", "x:max", "pin.force.x", "x:mean"))


@pytest.mark.parametrize("value", [4.25, 0.0, -1e-12, 1e9])
def test_the_gap_of_what_never_changes_is_none(value):
    def model(time, a, b):
        return {"fixed": np.full((len(a), len(time)), value), "moved": a[:, None] * np.sin(time), "number": np.full(len(a), value)}

    result, _ = drive(uq.Chebyshev(degree=3), BOX, model, time=np.linspace(0.0, 3.0, 31))
    assert not result.gap["fixed"].any() and float(result.gap["number"]) == 0.0
    assert np.isfinite(result.gap["moved"]).all() and "inf" not in result.table().to_string()


def test_a_gap_that_is_there_stays():
    import xarray as xr

    from uqmbd.result_data import gap_of

    def band(lower, upper):
        return xr.DataArray([lower, upper], {"bound": ["lower", "upper"]}, ("bound",))

    assert float(gap_of(band(0.0, 3.0), band(1.0, 2.0))) == 2.0
    assert np.isinf(gap_of(band(0.9, 1.1), band(1.0, 1.0)))
    assert float(gap_of(band(1.0, 1.0 + 1e-14), band(1.0, 1.0))) == 0.0


DECLARED = """
import numpy as np

def kink(a, b):
    size = 40.0 * max(a + 0.2 * b - 1.8, 0.0)
    return {"n": size, "x": size}

kink.nonnegative = ["n"]

def wrong(a, b):
    return {"n": a}

wrong.nonnegative = ["m"]

def arrays(a, b):
    size = 40.0 * np.maximum(a + 0.2 * b - 1.8, 0.0)
    return {"n": size, "x": size}

arrays.nonnegative = {"n"}
arrays.vectorized = True

def untrue(a, b):
    return {"n": a - 1.5, "x": a}

untrue.nonnegative = ["n"]
"""


def declared(tmp_path, function, **campaign):
    (tmp_path / "model.py").write_text(DECLARED, encoding="utf-8")
    study = uq.Study(
        model=f"model.py:{function}", directory=tmp_path, inputs=BOX, outputs=["n", "x"], name=function,
        method=uq.Chebyshev(degree=4, fallback_runs=0), campaign={"workers": 0, **campaign},
    )  # fmt: skip
    return study.run(out=tmp_path / function, progress=False)


@pytest.mark.parametrize(("function", "campaign"), [("kink", {}), ("kink", {"timeout": 60.0}), ("arrays", {})])
def test_a_python_model_says_what_cannot_be_negative(tmp_path, function, campaign):
    result = declared(tmp_path, function, **campaign)
    assert result.bounds["n"].sel(bound="lower") == 0.0 and result.bounds["x"].sel(bound="lower") < 0.0


def test_a_model_that_says_so_of_what_it_has_not_is_answered(tmp_path):
    with pytest.raises(uq.StudyError, match="its output 'm' cannot be negative, and has no such output"):
        declared(tmp_path, "wrong")


def test_what_runs_contradict_is_said_and_not_cut(tmp_path):
    result = declared(tmp_path, "untrue")
    assert result.bounds["n"].sel(bound="lower") < 0.0
    assert any("n: said not to be negative, and negative in runs" in note for note in result.facts.notes)
