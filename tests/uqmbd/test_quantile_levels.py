"""Quantiles of one's own: names, limits, tables and figures, of every method that has them."""

import numpy as np
import pytest
from scipy.stats import norm

from uqmbd.analysis.statistics.order_statistics import level_name, quantiles
from uqmbd.errors import StudyError
from uqmbd.figures import histories, scalars
from uqmbd.figures.marks import Level
from uqmbd.inputs import Interval, Random
from uqmbd.methods import PCE, MonteCarlo
from uqmbd.methods.imprecise.mixed import Mixed
from uqmbd.result import open_results
from uqmbd.tables.outputs import outer_quantiles
from uqmbd.tables.text import by_statistic, outputs_table

from .loop import drive

ASKED = [1e-3, 0.5, 0.999]
NAMES = ["q00.1", "q50", "q99.9"]
NORMAL = {"z": Random({"type": "normal", "mean": 0, "std": 1})}


def plain(time, z):
    return {"y": z, "h": z[:, None] * np.array([1.0, 2.0])}


def names(result):
    return [word for word in result.statistics["statistic"].values if word.startswith("q") and "_" not in word]


def of(result, word, name="y"):
    return result.statistics[name].sel(statistic=word).values


@pytest.mark.parametrize(
    ("level", "name"), [(0.05, "q05"), (0.07, "q07"), (0.001, "q00.1"), (0.999, "q99.9"), (0.025, "q02.5"), (1e-6, "q00.0001")]
)
def test_names(level, name):
    assert level_name(level) == name


def test_monte_carlo_has_them_with_limits():
    found = quantiles(np.random.default_rng(0).standard_normal((4000, 200)), tuple(ASKED))  # 200 seeds
    held = [np.mean((found[f"{name}_lower"] <= norm.ppf(p)) & (norm.ppf(p) <= found[f"{name}_upper"])) for name, p in zip(NAMES, ASKED)]
    assert min(held) >= 0.9
    result, _ = drive(MonteCarlo(samples=4000, quantiles=ASKED), NORMAL, plain, time=[0.0, 1.0])
    assert names(result) == NAMES and np.isfinite(of(result, "q99.9_upper")) and of(result, "q50") == pytest.approx(0, abs=0.1)
    few, _ = drive(MonteCarlo(samples=200, quantiles=ASKED), NORMAL, plain, time=[0.0, 1.0])
    assert np.isneginf(of(few, "q00.1_lower")) and np.isposinf(of(few, "q99.9_upper"))  # no 200 runs can tell


def test_streamed_and_kept_histories_have_the_same():
    whole, _ = drive(MonteCarlo(samples=500, quantiles=ASKED), NORMAL, plain, time=[0.0, 1.0])
    streamed, _ = drive(MonteCarlo(samples=500, quantiles=ASKED), NORMAL, plain, time=[0.0, 1.0], batch=64, reduced=True)
    assert whole.statistics.identical(streamed.statistics) and names(streamed) == NAMES


def test_expansions_have_them_and_say_which_lie_beyond_the_runs():
    result, _ = drive(PCE(samples=60, degree=2, quantiles=ASKED), NORMAL, lambda time, z: {"y": z})
    assert names(result) == NAMES
    assert [float(of(result, name)) for name in NAMES] == pytest.approx(norm.ppf(ASKED), abs=0.02)
    assert "q00.1, q99.9 lie beyond all 60 runs" in result.facts.note
    far, _ = drive(PCE(samples=60, degree=1, quantiles=[1e-5]), NORMAL, lambda time, z: {"y": z})
    assert float(of(far, "q00.001")) == pytest.approx(norm.ppf(1e-5), abs=0.1) and far.attrs["expansion_sample"] == 2**20


def test_mixed_studies_have_them():
    inputs = NORMAL | {"m": Interval(1, 3)}
    result, _ = drive(Mixed(samples=60, degree=2, quantiles=[0.01, 0.99]), inputs, lambda time, z, m: {"y": m + z})
    assert names(result) == ["q01", "q99"]
    assert of(result, "q99") == pytest.approx([1 + norm.ppf(0.99), 3 + norm.ppf(0.99)], abs=0.01)
    rough, _ = drive(Mixed(samples=60, quantiles=[0.5], fallback_runs=600), inputs, lambda time, z, m: {"y": z + 2 * (z > m)})
    low, high = of(rough, "q50")
    assert low <= 0 <= high and high - low < 1


def test_tables_and_figures_show_them():
    result, _ = drive(MonteCarlo(samples=4000, quantiles=ASKED), NORMAL, plain, time=[0.0, 1.0])
    result.attrs["settings"] = {"quantiles": ASKED}
    table = outputs_table(result)
    assert {"0.1 %", "50 %", "99.9 %"} <= set(table.header) and "5 %" not in table.header
    assert float(table.rows[0][table.header.index("99.9 %")]) == pytest.approx(of(result, "q99.9"), rel=1e-3)
    assert {"q00.1", "q99.9_upper", "std_lower"} <= set(result.table().columns)
    levels = [mark for mark in scalars.scalar_figure(result, "y").panels[0].marks if isinstance(mark, Level)]
    assert {mark.label for mark in levels} == {"mean", "0.1 % and 99.9 % quantile", "reached by runs"}
    assert histories.fan(set(NAMES)) == [("q00.1", "q99.9", "0.1 % to 99.9 %")]
    assert outer_quantiles(["mean", "q90"]) == {"q90": "90 % quantile"}


def test_bounds_of_them_stand_in_the_table():
    inputs = NORMAL | {"m": Interval(1, 3)}
    result, _ = drive(Mixed(samples=60, degree=2, quantiles=[0.01, 0.99]), inputs, lambda time, z, m: {"y": m + z})
    result.attrs["settings"] = {"quantiles": [0.01, 0.99]}
    assert [row[2] for row in by_statistic(result).rows][:4] == ["mean", "std", "1 %", "99 %"]


@pytest.mark.parametrize("store", ["all", "scalars"])
def test_in_a_study_file(uqmbd, write_study, tmp_path, store):
    asked = "samples = 40\nquantiles = [0.001, 0.5, 0.999]"
    study = write_study(("samples = 40", asked), ("workers = 0", f'workers = 0\nstore = "{store}"'))
    code, said = uqmbd("run", study)
    assert code == 0 and "99.9 %" in said
    result = open_results(tmp_path / "results" / "osc")
    assert names(result) == NAMES and np.isposinf(of(result, "q99.9_upper", "peak")) and np.isfinite(of(result, "std_upper", "peak"))


@pytest.mark.parametrize("wrong", [[0.0], [1.0], [0.5, 0.5], 0.5, [], "all", [True], [0.1] * 51])
def test_mistakes_are_one_sentence(wrong):
    with pytest.raises(StudyError, match="probabilities between 0 and 1 as in"):
        MonteCarlo(samples=10, quantiles=wrong)
