"""The terminal gives the answer that was asked for: indices with limits, the design point, extremes of histories and when they are."""

import io

import numpy as np
import pytest
from rich.console import Console

import uqmbd as uq
from uqmbd.report import terminal_table
from uqmbd.report.indices import indices_table, over_time_table

TIME = uq.TimeGrid(end=1.0, points=41)
NAMES = ("spring_rate", "damping", "friction", "gap", "mass", "speed", "rod_length")


def door(spring_rate, damping, friction, gap, mass, speed, rod_length, time):
    """Mass and speed decide the force; the way is at its widest at 0.75 s."""
    force = 4.0 * mass + 2.0 * speed + 0.1 * (spring_rate + damping + friction + gap + rod_length)
    return {"force": force, "way": 1e-3 * mass * np.sin(2.0 * np.pi * time) * (1.0 + (time > 0.5))}


def normal(name):
    return uq.Random({"type": "normal", "mean": 1.0, "std": 0.1}, unit="mm" if name == "gap" else "")


def found(tmp_path, method, outputs=("force", "way"), inputs=normal):
    study = uq.Study(
        model=door, inputs={name: inputs(name) for name in NAMES}, outputs=list(outputs), method=method, time=TIME,
        name="door", campaign={"workers": 0},
        units={name: {"force": "N", "way": "m"}[name.partition(":")[0]] for name in outputs},
    )  # fmt: skip
    return study.run(out=tmp_path, report=False, progress=False)


def shown(result, width=80):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(terminal_table(result, width))
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= width and "…" not in text
    return text


def rows_of(text, title):
    """First words of the rows of the table under a title."""
    lines = text.split(title)[1].splitlines()
    rule = next(k for k, line in enumerate(lines) if "──" in line)
    return [line.split()[0] for line in lines[rule + 1 : rule + 1 + len(NAMES)]]


def test_sensitivity_shows_its_indices_with_limits_those_that_matter_first(tmp_path):
    result = found(tmp_path, uq.Sensitivity(approach="sobol", samples=256))
    text = shown(result)
    assert "first order" in text and "total order" in text and text.count("95 % limits") == 4
    assert rows_of(text, "force: inputs that matter first")[:2] == ["mass", "speed"]
    assert rows_of(text, "way over all of time: inputs that matter first")[0] == "mass"
    table = indices_table(result, "force")
    row = dict(zip(table.header, table.rows[0], strict=False))
    assert float(row["total order"]) == pytest.approx(float(result.sensitivity["force"].sel(kind="total", input="mass")), abs=1e-3)
    low, high = (float(x) for x in table.rows[0][table.header.index("total order") + 1].split(" .. "))
    assert low < 16.0 / 20.05 < high  # the exact share of the variance


@pytest.mark.parametrize("approach", ("morris", "rbd_fast", "delta", "pawn"))
def test_every_approach_shows_every_input(tmp_path, approach):
    text = shown(found(tmp_path, uq.Sensitivity(approach=approach, samples=400), ("force",)))
    rows = rows_of(text, "force: inputs that matter first")
    assert set(rows) == set(NAMES) and rows[0] == "mass"


def test_form_shows_its_whole_design_point_those_that_matter_first(tmp_path):
    result = found(tmp_path, uq.Reliability(approach="form", output="force", above=8.0), ("force",))
    text = shown(result)
    assert rows_of(text, "force: inputs that matter first")[:2] == ["mass", "speed"] and set(rows_of(text, "matter first")) == set(NAMES)
    table = indices_table(result, "force")
    points = {row[0]: row[-1] for row in table.rows}
    design = {name: float(result.statistics["force"].sel(statistic=f"design:{name}")) for name in NAMES}
    assert points["mass"] == f"{design['mass']:.6g}" and points["gap"] == f"{1e3 * design['gap']:.6g} mm"
    middle = door(**(dict.fromkeys(NAMES, 1.0) | {"gap": 1e-3}), time=0.0)["force"]
    slope = np.array([4.0, 2.0, *(0.1,) * 4])
    assert float(points["mass"]) == pytest.approx(1.0 + 4.0 * (8.0 - middle) / (slope @ slope), abs=5e-3)


def test_a_history_says_when_it_is_at_its_extremes_and_how_wide_its_band_is(tmp_path):
    result = found(tmp_path, uq.Search(max_runs=300, fresh=60), ("way", "way:max"), lambda name: uq.Interval(0.9, 1.1))
    text = " ".join(shown(result).split())
    table = over_time_table(result)
    (row,) = table.rows
    assert (row[0] == "way" and row[1] == "mm" and (row[3], row[5], row[7]) == ("750 ms", "250 ms", "750 ms")) or row[7] == "0.75 s"
    lower, upper = (result.bounds["way"].sel(bound=side).values for side in ("lower", "upper"))
    assert float(row[6]) == pytest.approx(1e3 * (upper - lower).max(), rel=1e-4) and float(row[2]) == pytest.approx(
        1e3 * lower.min(), rel=1e-4
    )
    assert f"way: least {row[2]} mm at {row[3]}, greatest {row[4]} mm at {row[5]}, the band {row[6]} mm wide at most, at {row[7]}." in text


def test_a_printed_table_is_whole(tmp_path, monkeypatch):
    result = found(tmp_path, uq.MonteCarlo(samples=60, quantiles=[0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]), ("force",))
    monkeypatch.setenv("COLUMNS", "80")
    table = result.table()
    text = repr(table)
    assert "..." not in text and all(str(column) in text for column in table.columns) and max(map(len, text.splitlines())) <= 81
    assert str(table) == text
