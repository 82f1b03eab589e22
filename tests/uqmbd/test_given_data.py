"""Indices from tables that were made elsewhere: exact indices, regions, dependent inputs; tables that will not do."""

import numpy as np
import pandas as pd
import pytest

import uqmbd as uq
from uqmbd.analysis.sensitivity.ranks import first_order
from uqmbd.analysis.sensitivity.resampling import by_halves, limits
from uqmbd.errors import StudyError

from .exact_distances import PAWN
from .sensitivity_models import FIRST, PI, ishigami


def table(rows, seed=0):
    x = np.random.default_rng(seed).uniform(-PI, PI, (rows, 3))
    columns = {f"x{i}": column for i, column in enumerate(x.T, 1)}
    return pd.DataFrame(columns | ishigami(None, **columns))


def test_first_order_by_ranks_is_that_of_the_function():
    found = uq.indices_of_table(table(4000), ["f"])
    assert found.notes == []
    frame = found.frame.set_index("input")
    assert frame.loc[["x1", "x2", "x3"], "first"].to_numpy() == pytest.approx(FIRST, abs=0.05)
    assert frame["pawn"].to_numpy() == pytest.approx(PAWN, abs=0.05)
    assert frame["delta"].idxmax() == "x2"


def test_limits_hold_the_exact_index():
    """95 % limits, 40 tables of 400 rows."""
    held = np.zeros(3)
    for seed in range(40):
        data = table(400, seed)
        x, y = data[["x1", "x2", "x3"]].to_numpy(), data[["f"]].to_numpy()
        rng = np.random.default_rng(seed)
        kinds = limits("first", *by_halves(first_order, x, y, rng, 100), 0.95, 100)
        held += (kinds["first_lower"][:, 0] <= FIRST) & (FIRST <= kinds["first_upper"][:, 0])
    assert held.min() >= 36


def test_what_is_beyond_a_limit_differs_in_the_inputs_that_bring_it_there():
    """Rows with x > .5 of a uniform input: their distribution is half a range away from that of all."""
    rng = np.random.default_rng(2)
    data = pd.DataFrame({"x": rng.random(2000), "other": rng.random(2000)})
    data["y"] = data["x"] > 0.5
    data["y"] = data["y"].astype(float)
    found = uq.indices_of_table(data, ["y"], above=0.5)
    frame = found.frame.set_index("input")
    assert frame.loc["x", "region_distance"] == pytest.approx(0.5, abs=0.01)
    assert frame.loc["other", "region_distance"] < 0.06
    assert "rows of y are beyond the limit; region_distance is above 0.04 once in 100 by chance" in found.notes[0]


def test_inputs_that_depend_on_each_other_are_said():
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"a": rng.random(300)})
    data["b"] = data["a"] + 0.1 * rng.random(300)
    data["y"] = data["a"]
    found = uq.indices_of_table(data, ["y"])
    assert len(found.notes) == 1 and "a and b have the rank correlation 0.99" in found.notes[0]


def test_the_command_reads_a_file(tmp_path):
    from typer.testing import CliRunner

    from uqmbd.cli import app

    table(200).to_csv(tmp_path / "runs.csv", index=False)
    done = CliRunner().invoke(app, ["indices", str(tmp_path / "runs.csv"), "--output", "f", "--above", "5"])
    assert done.exit_code == 0, done.output
    assert "region_distance" in done.output and "x2" in done.output


def laws(rows, seed=4):
    """``y = 2 [law = c] + x`` with three laws alike: V_law = 4 · 2/9, V_x = 1/12."""
    rng = np.random.default_rng(seed)
    law = np.array(["a", "b", "c"], object)[rng.integers(3, size=rows)]
    x = rng.random(rows)
    return pd.DataFrame({"law": law, "x": x, "y": 2.0 * (law == "c") + x})


def test_columns_of_texts_are_classes(tmp_path):
    data = laws(1200)
    data.to_csv(tmp_path / "runs.csv", index=False)
    exact = np.array([8 / 9, 1 / 12]) / (8 / 9 + 1 / 12)
    for given in (data, tmp_path / "runs.csv"):
        frame = uq.indices_of_table(given, ["y"], above=2.0).frame.set_index("input")
        assert frame["first"].to_numpy() == pytest.approx(exact, abs=0.05)
        assert frame.loc["law", "region_distance"] == pytest.approx(2 / 3, abs=0.04)  # all beyond are of the third
        assert frame.loc["law", "pawn"] == pytest.approx(1 / 3, abs=0.05)  # 1/3 of two laws, 2/3 of the third: the median


def test_a_column_that_stays_the_same_has_no_index_and_is_said():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"a": rng.random(80), "b": 1.0, "c": 2})
    found = uq.indices_of_table(table.assign(y=table["a"]), ["y"])
    frame = found.frame.set_index("input")
    assert (frame.loc[["b", "c"], ["first", "delta", "pawn"]] == 0).all(axis=None) and frame.loc["a", "first"] > 0.9
    assert [note.split()[0] for note in found.notes] == ["b", "c"]


def test_a_column_of_names_of_runs_is_no_input():
    table = pd.DataFrame({"a": np.arange(80.0), "name": [f"run {k}" for k in range(80)], "y": np.arange(80.0)})
    with pytest.raises(StudyError, match="80 different texts in 80 rows"):
        uq.indices_of_table(table, ["y"])
    assert len(uq.indices_of_table(table, ["y"], ["a"]).frame) == 1


def test_a_part_of_the_rows_has_indices_of_its_own():
    rng = np.random.default_rng(6)
    data = pd.DataFrame({"x": rng.random(1500) * 2, "z": rng.random(1500)})
    data["y"] = np.maximum(data["x"] - 1.0, 0.0) + 0.25 * data["z"]
    frame = uq.indices_of_table(data, ["y"], within={"x": [0.0, 1.0]}).frame.set_index("input")
    assert frame["first"].to_numpy() == pytest.approx([0.0, 1.0], abs=0.1)
    assert uq.indices_of_table(laws(300), ["y"], within={"law": ["a", "b"]}).frame.set_index("input")["first"].idxmax() == "x"
    low = uq.indices_of_table(data, ["y"], ["x", "z"], within={"y": [0.0, 0.2]}).frame.set_index("input")
    assert low.loc["z", "first"] > low.loc["x", "first"]


def test_stored_runs_are_a_table_also_of_failures(tmp_path):
    def model(x, z, law):
        if law == "b" and x > 1.5:
            raise ValueError("no catch")
        return {"y": x + 0.1 * z}

    inputs = {"x": uq.Uniform(0.0, 2000.0, unit="mm"), "z": uq.Uniform(0.0, 1.0), "law": uq.Choice(["a", "b"])}
    method = uq.MonteCarlo(samples=400, max_failed=0.5)
    study = uq.Study(model=model, inputs=inputs, outputs=["y"], method=method, name="s", campaign={"workers": 0})
    study.run(out=tmp_path / "s", report=False, progress=False)
    frame = uq.indices_of_table(tmp_path / "s", ["y"], within={"x": [0.0, 1500.0]}).frame.set_index("input")
    assert frame["first"].idxmax() == "x" and list(frame.index) == ["x", "z", "law"]
    why = uq.indices_of_table(tmp_path / "s", ["failed"], above=0.5).frame.set_index("input")
    assert why.loc[["x", "law"], "region_distance"].to_numpy() == pytest.approx([0.75, 0.5], abs=0.05)
    assert why.loc["z", "region_distance"] < 1.63 * np.sqrt(0.875 / 50)
    with pytest.raises(StudyError, match="runs that failed have no outputs"):
        uq.indices_of_table(tmp_path / "s", ["failed", "y"])


def test_the_command_takes_a_part(tmp_path):
    from typer.testing import CliRunner

    from uqmbd.cli import app

    laws(300).to_csv(tmp_path / "runs.csv", index=False)
    command = ["indices", str(tmp_path / "runs.csv"), "--output", "y", "--within", "law=a,b", "--within", "x=0,0.9"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "COLUMN=A,B" in str(CliRunner().invoke(app, [*command, "--within", "x"]).exception)


GOOD = table(60)


@pytest.mark.parametrize(
    ("data", "outputs", "more", "message"),
    [
        (GOOD, ["g"], {}, "the table has no column 'g'"),
        (GOOD, ["f"], {"inputs": ["x1", "x9"]}, "the table has no column 'x9'"),
        (GOOD, ["f"], {"inputs": ["x1", "f"]}, "'f' is named as an input and as an output"),
        (GOOD.iloc[:20], ["f"], {}, "the table has 20 rows, and densities need 50"),
        (GOOD.assign(x1=["a"] * 60), ["f"], {}, "row 1 of the table holds no finite number in the column 'x1'"),
        (GOOD, ["f"], {"above": 1e6}, "0 rows of f are beyond the limit, and 10 are needed; its values go from"),
        (GOOD[["f"]], ["f"], {}, "the table has no columns for inputs"),
        (GOOD, ["f"], {"within": {"x9": [0, 1]}}, "the table has no column 'x9'"),
        (GOOD, ["f"], {"within": {"x1": [0]}}, "the part of 'x1' is none"),
        (GOOD, ["f"], {"within": {"x1": [0.0, 0.1]}}, "rows within that part, and densities need 50"),
    ],
)
def test_tables_that_will_not_do(data, outputs, more, message):
    with pytest.raises(StudyError, match=message):
        uq.indices_of_table(data, outputs, **more)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(StudyError, match="there is no file"):
        uq.indices_of_table(tmp_path / "runs.csv", ["f"])
