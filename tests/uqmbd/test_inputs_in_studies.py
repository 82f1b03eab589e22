"""Study files with data, dependence, sets and fuzzy numbers: read, run, resolved, resumed."""

import tomllib

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.spec.toml import write_toml
from uqmbd.study.identity import fingerprint, identity_of

HEAD = '[study]\nname = "s"\nmodel = "model.py:scalar"\n[outputs]\ninclude = ["y"]\n[campaign]\nworkers = 0\nseed = 1\n'
MODEL = 'def scalar(k, c):\n    return {"y": k * c}\n'
RANDOM = """
[inputs.k]
distribution = { data = "k.csv", column = "k", fit = "normal", truncate = [0.1, inf] }
unit = "kN/m"
[inputs.c]
distribution = { type = "uniform", lower = 1, upper = 2 }
[dependence]
rank_correlation = [["k", "c", 0.5]]
[method]
type = "montecarlo"
samples = 200
"""
FUZZY = """
[inputs.k]
fuzzy = { alpha = [0, 0.5, 1], lower = [1, 1.5, 2], upper = [4, 3, 2] }
unit = "mm"
[inputs.c]
interval = [1, 2]
[method]
type = "fuzzy"
degree = 2
levels = [0, 0.5, 1]
"""
BOUND = """
[inputs.k]
interval = [1, 3]
[inputs.c]
interval = [2, 4]
[sets.tolerances]
inputs = ["k", "c"]
shape = "box"
correlation = [["k", "c", 0.5]]
[method]
type = "convex"
degree = 2
"""
BROUGHT = """
[sets.measured]
inputs = ["k", "c"]
data = "k.csv"
columns = ["k", "c"]
units = ["mm", ""]
[method]
type = "convex"
degree = 2
"""
STUDIES = {"random": RANDOM, "fuzzy": FUZZY, "bound": BOUND, "brought": BROUGHT}


@pytest.fixture
def study(write_study, tmp_path):
    """Write the study of a name, and the data it needs."""

    def write(name):
        rng = np.random.default_rng(0)
        rows = np.column_stack([3 + 0.2 * rng.normal(size=60), 1.5 + 0.1 * rng.normal(size=60)])
        np.savetxt(tmp_path / "k.csv", rows, delimiter=",", header="k,c", comments="", fmt="%.17g")
        return write_study(model=MODEL, text=HEAD + STUDIES[name])

    return write


@pytest.mark.parametrize("name", STUDIES)
def test_the_resolved_study_reads_back_as_the_same_study(name, study, uqmbd, tmp_path):
    path = study(name)
    code, output = uqmbd("run", path)
    assert code == 0, output
    resolved = tmp_path / "results" / "s" / "study.toml"
    first, second = uq.Study.from_file(path), uq.Study.from_file(resolved)
    assert identity_of(first) == identity_of(second) and fingerprint(first.asked.question()) == fingerprint(second.asked.question())
    assert list(first.inputs) == list(second.inputs) and first.inputs.bindings() == second.inputs.bindings()
    assert [item.describe() for item in first.inputs.values()] == [item.describe() for item in second.inputs.values()]
    # and what Python would write
    (tmp_path / "again.toml").write_text(write_toml(first.asked.document()), encoding="utf-8")
    assert identity_of(uq.Study.from_file(tmp_path / "again.toml")) == identity_of(first)
    code, output = uqmbd("resume", tmp_path / "results" / "s")
    assert code == 0, output


def test_resume_notices_that_the_data_changed(study, uqmbd, tmp_path):
    path = study("random")
    assert uqmbd("run", path)[0] == 0
    before = uq.open_results(tmp_path / "results" / "s").statistics["y"].values
    file = tmp_path / "k.csv"
    file.write_text(file.read_text().replace("\n3.", "\n2.", 1))
    code, output = uqmbd("resume", tmp_path / "results" / "s")
    assert code == 0 and "200 runs (200 simulated)" in output
    result = uq.open_results(tmp_path / "results" / "s")
    assert not np.array_equal(before, result.statistics["y"].values) and result.runs.sizes["run"] == 200


def test_a_changed_dependence_is_another_result(study, uqmbd, tmp_path):
    path = study("random")
    assert uqmbd("run", path)[0] == 0
    path.write_text(path.read_text().replace("0.5]", "0.6]"))
    code, output = uqmbd("run", path)
    assert code == 0 and "nothing to simulate" not in output


def test_the_same_in_python():
    inputs = {"k": uq.Interval(1, 3, "mm"), "c": uq.Interval(2, 4)}
    sets = {"s": uq.ConvexSet(inputs=["k", "c"], correlation=[["k", "c", 0.5]])}
    made = uq.Study(model=lambda k, c: {"y": k * c}, inputs=inputs, outputs=["y"], method=uq.ConvexBounds(degree=2), sets=sets)
    assert made.asked.document()["sets"]["s"]["correlation"] == (("k", "c", 0.5),)
    normal = {name: uq.Random({"type": "normal", "mean": 0, "std": 1}) for name in "ab"}
    made = uq.Study(
        model=lambda a, b: {"y": a},
        inputs=normal,
        outputs=["y"],
        method=uq.MonteCarlo(samples=9),
        dependence=uq.Dependence(rank_correlation=[["a", "b", 0.5]]),
    )
    assert "dependence" in made.asked.question()


def test_what_binds_inputs_is_asked_and_fixes_no_run():
    made = uq.Study(model=lambda a: {"y": a}, inputs={"a": uq.Interval(0, 1)}, outputs=["y"], method=uq.Chebyshev(degree=2))
    assert not {"dependence", "sets"} & (set(identity_of(made)) | set(made.asked.question()))


@pytest.mark.parametrize("name", ["time", "two words"])
def test_names_that_a_set_brings_are_names(name):
    with pytest.raises(uq.StudyError, match="has to be a Python name"):
        uq.Study(
            model=lambda **values: {"y": 0.0},
            inputs={},
            outputs=["y"],
            method=uq.ConvexBounds(),
            sets={"s": {"inputs": [name, "b"], "covariance": [[1, 0], [0, 1]], "center": [0, 0], "radius": 1}},
        )


@pytest.mark.parametrize(
    "given",
    [
        lambda: uq.Normal(np.float64(1.0), np.std([1.0, 2.0])),
        lambda: uq.Normal(np.float32(1.0), 0.5, truncate=(np.float32(0.5), np.int64(2))),
        lambda: uq.Random({"type": np.str_("normal"), "mean": np.array(1.0), "std": np.float16(0.5)}),
    ],
)
def test_numbers_of_numpy_are_written_as_numbers(given, tmp_path):
    """A mean and a spread of measurements are such numbers; the study is read again from beside its results."""
    study = uq.Study(
        model=model, inputs={"k": given()}, outputs=["y"], method=uq.MonteCarlo(samples=8), solver={}, name="numpy",
        campaign={"workers": 0, "timeout": np.float64(9.0)},
    )  # fmt: skip
    study.run(out=tmp_path / "r", report=False, progress=False)
    again = tomllib.loads((tmp_path / "r" / "study.toml").read_text())
    assert again["inputs"]["k"]["distribution"]["mean"] == 1.0 and again["inputs"]["k"]["distribution"]["std"] == 0.5
    assert again["campaign"]["timeout"] == 9.0


@pytest.mark.parametrize(
    "made",
    [
        lambda yes: uq.Interval(yes, 2.0),
        lambda yes: uq.TimeGrid(end=yes),
        lambda yes: uq.TimeGrid(end=1.0, points=yes),
        lambda yes: uq.Normal(yes, 1.0),
        lambda yes: uq.CampaignSettings(timeout=yes),
    ],
)
@pytest.mark.parametrize("yes", [True, np.True_])
def test_booleans_are_no_numbers(made, yes):
    with pytest.raises(uq.StudyError):
        made(yes)


def model(k):
    return {"y": k}
