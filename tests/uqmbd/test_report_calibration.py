"""What a person reads first of a calibration: estimates with limits, correlations, fit; never the range that the optimiser tried."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import uqmbd as uq
from uqmbd.report import terminal_table, write_report
from uqmbd.report.summary import summary_of

from . import made_up_results

TIME = uq.TimeGrid(end=2.0, points=101)


def line(a, b, time):
    return {"y": a + b * time, "end": a + b * time[-1]}


@pytest.fixture(scope="module")
def line_in_mm(tmp_path_factory):
    """Readings of a straight line far from where it begins, so that its two numbers are told together; `a` in mm."""
    folder = tmp_path_factory.mktemp("line")
    at = np.linspace(1.5, 2.0, 40)
    y = 0.003 + 0.001 * at + 1e-5 * np.random.default_rng(2).standard_normal(40)
    (folder / "line.csv").write_text(
        "time,y [mm]\n" + "\n".join(f"{t!r},{1000 * v!r}" for t, v in zip(at.tolist(), y.tolist(), strict=True))
    )
    study = uq.Study(
        model=line,
        time=TIME,
        inputs={"a": uq.Interval(1, 9, unit="mm"), "b": uq.Interval(0, 0.01)},
        outputs=["y", "end"],
        units={"y": "m", "end": "m"},
        method=uq.Calibrate(data=str(folder / "line.csv"), scalars={"end": 0.005}, deviations={"y": 0.01, "end": 1e-5}),
    )
    return study.run(workers=0, out=folder / "out", progress=False, report=False), folder


def printed(result):
    console = Console(width=100, record=True, file=StringIO())
    console.print(terminal_table(result, 100))
    return console.export_text()


def test_first_sentences_are_the_estimates(line_in_mm):
    result, _ = line_in_mm
    first, second, third, *_ = summary_of(result, {}).sentences
    ends = [1000 * result.attrs[f"estimate_{end}"]["a"] for end in ("lower", "upper")]
    said = first.partition("(95 % limits ")[2].partition(")")[0].split(" and ")
    assert [float(text) for text in said] == pytest.approx(ends, rel=1e-2) and ends[0] < 3 < ends[1]
    assert first.startswith("The model comes closest to the measurements where a is ") and " mm (95 % limits" in first and "b is " in first
    assert second.startswith("a and b are strongly correlated (-0.9")
    assert third.startswith("The residuals are as large as the deviations of the readings say")
    assert not any("276 runs" in text or "was between" in text for text in summary_of(result, {}).sentences)


def test_terminal_has_limits_and_no_range_of_the_optimiser(line_in_mm):
    text = printed(line_in_mm[0])
    assert "95 % lower" in text and "strongly correlated" in text and "rms residual" in text
    assert "least run" not in text and "greatest run" not in text
    row = next(text.split() for text in text.splitlines() if text.strip().startswith("end"))
    assert row[:2] == ["end", "mm"] and float(row[2]) == pytest.approx(5.0, abs=0.05)  # fitted, in mm as its unit says


def test_what_is_not_measured_is_left_out():
    result = made_up_results.calibrated()
    result.attrs["rms_residual"] = {"slider.x": 0.01}
    for value in ("measured", "residual"):
        result.statistics["peak"].loc[{"statistic": value}] = np.nan
    text = printed(result)
    assert "nan" not in text and "the widest over" not in text and "rms residual" in text


def test_tables_of_estimates(line_in_mm):
    result, folder = line_in_mm
    table = pd.read_csv(folder / "out" / "tables" / "estimates.csv", index_col="input")
    assert table.loc["a", "unit"] == "mm"
    assert table.loc["a", "estimate"] == pytest.approx(1000 * result.attrs["estimate"]["a"])
    assert table.loc["a", "std"] == pytest.approx(1000 * result.attrs["estimate_std"]["a"])
    assert table.loc["a", "lower"] < table.loc["a", "estimate"] < table.loc["a", "upper"]
    rho = pd.read_csv(folder / "out" / "tables" / "correlations.csv", index_col="input")
    assert rho.loc["a", "b"] == pytest.approx(result.attrs["correlated"][0][2]) and rho.loc["a", "a"] == pytest.approx(1)


def test_page_shows_correlations(line_in_mm, tmp_path):
    result, _ = line_in_mm
    write_report(result, tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "Correlations of the estimates" in page and "strongly correlated" in page
