"""Several methods of one study: they share its runs, and each result is what the method alone would give."""

import jsonschema
import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.report import write_overview
from uqmbd.report.several import outputs_by_method
from uqmbd.spec.schema import schema
from uqmbd.spec.toml import write_toml
from uqmbd.study import Study
from uqmbd.study.running_methods import run_methods

METHODS = {
    "few": uq.MonteCarlo(samples=16),
    "chaos": uq.PCE(degree=2, samples=30),
    "many": uq.MonteCarlo(samples=40),
}


def oscillator(k, c, time):
    x = np.exp(-c * time) * np.cos(np.sqrt(k) * time)
    return {"x": x, "peak": float(abs(x[len(x) // 2 :]).max())}


def study(method, model=oscillator, **changes):
    settings = {
        "model": model,
        "inputs": {"k": uq.Uniform(9.0, 11.0, unit="N/m"), "c": uq.Uniform(0.1, 0.2)},
        "outputs": ["x", "peak"],
        "method": method,
        "time": uq.TimeGrid(end=2.0, points=21),
        "campaign": {"workers": 0},
        "name": "several",
    }
    return uq.Study(**{**settings, **changes})


FILE = """
[study]
model = "model.py:add"
[inputs.a]
interval = [1.0, 2.0]
[inputs.b]
interval = [0.0, 1.0]
[outputs]
include = ["y"]
[campaign]
workers = 0
[[method]]
type = "vertex"
[[method]]
type = "chebyshev"
label = "smooth"
degree = 2
validation = 0.1
"""
MODEL = """
def add(a, b):
    return {"y": a + b}
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "study.toml").write_text(FILE)
    return tmp_path / "study.toml"


def test_each_result_is_that_of_the_method_alone(tmp_path):
    together = study(METHODS).run(out=tmp_path / "all", progress=False)
    assert list(together) == ["few", "chaos", "many"]
    for label, method in METHODS.items():
        one = study(method).run(out=tmp_path / label, progress=False)
        assert one.statistics.identical(together[label].statistics)
        assert one.runs.sizes["run"] == together[label].runs.sizes["run"]


def test_methods_use_the_runs_of_those_before(tmp_path):
    done = run_methods(study(METHODS), out=tmp_path)
    assert done["few"].tally.simulated == 16
    assert done["many"].tally.simulated == 24  # samples of Monte Carlo are extended
    again = run_methods(study(METHODS), out=tmp_path)
    assert all(one.tally is None for one in again.values())


def test_adding_a_method_simulates_only_what_it_lacks(tmp_path):
    run_methods(study({"few": METHODS["few"]}), out=tmp_path)
    done = run_methods(study({name: METHODS[name] for name in ("few", "many")}), out=tmp_path)
    assert done["few"].tally.simulated == 0 and done["many"].tally.simulated == 24


def test_results_are_opened_together_and_one_by_one(tmp_path):
    made = study(METHODS).run(out=tmp_path, progress=False)
    found = uq.open_each(str(tmp_path))
    assert list(found) == list(METHODS)
    assert all(found[label].statistics.identical(made[label].statistics) for label in METHODS)
    assert uq.open_results(tmp_path / "few").runs.sizes["run"] == 16
    with pytest.raises(StudyError, match="no result here") as raised:
        uq.open_results(tmp_path)
    assert "open_each" in raised.value.remedy
    with pytest.raises(StudyError, match="no results of several methods here") as raised:
        uq.open_each(tmp_path / "pce")
    assert "open_results" in raised.value.remedy


def test_table_has_a_row_for_each_output_and_method(tmp_path):
    table = study(METHODS).run(out=tmp_path, progress=False).table()
    assert list(table.index) == [("peak", label) for label in METHODS]
    assert table["mean"].to_numpy() == pytest.approx(table["mean"].mean(), rel=0.05)


def test_a_new_model_discards_the_runs_of_all_methods_once(tmp_path):
    run_methods(study(METHODS), out=tmp_path)

    def other(k, c, time):
        return {"x": c * time, "peak": k}

    with pytest.raises(StudyError, match="another study"):
        run_methods(study(METHODS, model=other), out=tmp_path)
    done = run_methods(study(METHODS, model=other), out=tmp_path, overwrite=True)
    assert [one.tally.simulated for one in done.values()][::2] == [16, 24]
    assert float(done["many"].result.inner["peak"].max()) <= 11.0
    assert all(one.tally is None for one in run_methods(study(METHODS, model=other), out=tmp_path).values())


def test_changed_data_file_is_seen_by_every_method(tmp_path):
    data = tmp_path / "offset.txt"
    data.write_text("1.0")

    def reads(k, c, time):
        return {"x": c * time, "peak": k + float(data.read_text())}

    one = {name: METHODS[name] for name in ("few", "many")}
    run_methods(study(one, model=reads), out=tmp_path / "r")
    data.write_text("2.0")
    done = run_methods(study(one, model=reads), out=tmp_path / "r", overwrite="if_changed")
    assert [each.tally.simulated for each in done.values()] == [16, 24]


def test_others_are_run_where_one_method_stops(tmp_path):
    def failing(k, c, time):
        if k > 10.0 and c < 0.12:
            raise ValueError("too stiff")
        return {"x": c * time, "peak": k}

    methods = {"strict": uq.MonteCarlo(samples=40, max_failed=0.0), "lenient": uq.MonteCarlo(samples=40, max_failed=0.5)}
    with pytest.raises(StudyError, match="runs failed"):
        run_methods(study(methods, model=failing), out=tmp_path)
    assert uq.open_results(tmp_path / "lenient").attrs["runs_failed"] > 0


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ([uq.Vertex(), uq.Vertex()], "two methods have the label 'vertex'"),
        ({"a/b": uq.Vertex(), "c": uq.Vertex()}, "label is also a folder"),
        ({"runs": uq.Vertex(), "c": uq.Vertex()}, "label is also a folder"),
        ([], "needs a method"),
        ([uq.Vertex(), "chebyshev"], "expected a method"),
    ],
)
def test_what_is_no_list_of_methods_is_said(method, words):
    with pytest.raises(StudyError, match=words):
        study(method, inputs={"k": uq.Interval(9.0, 11.0), "c": uq.Interval(0.1, 0.2)})


def test_inputs_have_to_suit_every_method():
    with pytest.raises(StudyError, match="vertex cannot treat the input 'k'"):
        study([uq.MonteCarlo(samples=4), uq.Vertex()])


# study files and the command line ---------------------------------------------------------------------------------------------------------
def test_file_with_several_methods(file, uqmbd):
    code, output = uqmbd("run", file, "--out", "r")
    assert code == 0 and "vertex:" in output and "smooth:" in output, output
    found = uq.open_each(file.parent / "r")
    assert list(found) == ["vertex", "smooth"]
    for label in found:
        np.testing.assert_allclose(found[label].bounds["y"], [1.0, 3.0], rtol=1e-12)
        assert (file.parent / "r" / label / "report.html").is_file()
    code, output = uqmbd("resume", "r")
    assert code == 0 and output.count("nothing to simulate") == 2, output
    code, output = uqmbd("list", ".")
    assert code == 0 and "r/vertex" in output and "r/smooth" in output, output
    code, output = uqmbd("show", "r")
    assert code == 0 and "(vertex)" in output and "(chebyshev)" in output, output
    code, output = uqmbd("verify", "r")
    assert code == 0, output


@pytest.mark.parametrize("named", ["r", "r/smooth"])
def test_damaged_runs_are_done_again_by_every_method(named, file, uqmbd):
    uqmbd("run", file, "--out", "r")
    first = min((file.parent / "r" / "runs").glob("*.runs"))  # of both methods: corners of the box are nodes of the polynomial
    first.write_bytes(first.read_bytes()[:-20])
    assert uqmbd("verify", named)[0] == 2
    code, output = uqmbd("resume", "r")
    assert code == 0 and "nothing to simulate" not in output and "1 simulated" in output, output


def test_one_method_of_a_file(file, uqmbd):
    code, output = uqmbd("run", file, "--out", "r", "--method", "smooth")
    assert code == 0 and not (file.parent / "r" / "vertex").exists(), output
    code, output = uqmbd("run", file, "--out", "r")
    assert code == 0 and "nothing to simulate" in output, output
    page = file.parent / "r" / "report.html"
    before = f"chebyshev, {uq.open_results('r/smooth').facts.runs} runs"
    assert before in page.read_text()
    file.write_text(file.read_text().replace("degree = 2", "degree = 3"))
    code, output = uqmbd("run", file, "--out", "r", "--method", "smooth")
    assert code == 0 and "report: r/report.html" in output.replace("\\", "/") and before not in page.read_text(), output
    code, output = uqmbd("run", file, "--out", "r", "--method", "smoth")
    assert code == 2 and "did you mean" in output and "smooth" in output, output
    code, output = uqmbd("run", file, "--out", "r", "--shard", "1/2")
    assert code == 2 and "--method LABEL" in output, output


def test_wrong_setting_of_one_method_is_named(file):
    file.write_text(FILE.replace("degree = 2", "degree = 0"))
    with pytest.raises(StudyError) as raised:
        Study.from_file(file)
    assert raised.value.key == "method.smooth.degree" and raised.value.value == 0


@pytest.mark.usefixtures("tried_here")
def test_check_says_the_cost_of_each(file, uqmbd):
    code, output = uqmbd("check", file)
    assert code == 0 and "vertex: the study is valid" in output and "smooth: the study is valid" in output, output


def test_what_is_written_is_read_back(file):
    written = file.with_name("again.toml")
    written.write_text(write_toml(Study.from_file(file).asked.document()))
    again = Study.from_file(written)
    assert again.methods == Study.from_file(file).methods
    assert again.asked.document()["method"] == Study.from_file(file).asked.document()["method"]


def test_schema_knows_several_methods():
    import tomllib

    document = tomllib.loads(FILE.strip())
    jsonschema.validate(document, schema())
    document["method"][1]["degre"] = 2
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema())


def test_both_ways_between_one_and_several(file, uqmbd):
    several = file.read_text()
    one = several.split("[[method]]")[0] + '[method]\ntype = "vertex"\n'
    file.write_text(one)
    assert uqmbd("run", file, "--out", "r")[0] == 0
    file.write_text(several)
    code, output = uqmbd("run", file, "--out", "r")
    assert code == 0 and "(0 simulated, 18 were there)" in output, output
    page = file.parent / "r" / "report.html"
    assert 'href="smooth/report.html"' in page.read_text()
    file.write_text(one)
    code, output = uqmbd("run", file, "--out", "r")
    assert code == 0 and "(0 simulated" in output, output
    assert "smooth" not in page.read_text()


@pytest.mark.parametrize(("old", "new"), [('label = "smooth"', "label = []"), ('type = "vertex"', "type = []"), ('type = "vertex"', "")])
def test_label_and_type_are_words(file, uqmbd, old, new):
    file.write_text(FILE.replace(old, new))
    code, output = uqmbd("check", file)
    assert code == 2 and "method" in output and "fault of uqmbd" not in output, output


def test_the_page_answers_in_words_and_in_scaled_units_and_has_a_figure(tmp_path):
    def gaps(a, b, time):
        return {"gap": 1e-6 * (a + b), "way": 1e-3 * a * np.sin(6.0 * time)}

    study = uq.Study(
        model=gaps, inputs={name: uq.Interval(1.0, 2.0) for name in "ab"}, outputs=["gap", "way"], time=uq.TimeGrid(end=1.0, points=21),
        method=[uq.Chebyshev(degree=2), uq.Search(max_runs=200, fresh=60)], units={"gap": "m", "way": "m"}, campaign={"workers": 0},
    )  # fmt: skip
    results = study.run(out=tmp_path, report=False, progress=False)
    table = outputs_by_method(results)
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    assert [(row["output"], row["method"], row["unit"]) for row in rows] == [
        ("gap", "chebyshev", "µm"), ("gap", "search", "µm"), ("way", "chebyshev", "mm"), ("way", "search", "mm"),
    ]  # fmt: skip
    assert (rows[0]["lower"], rows[0]["upper"]) == ("2", "4")
    narrow = results["search"]
    for group in (narrow.bounds, narrow.inner):
        group["way"] = 0.1 * group["way"]
    again = outputs_by_method(results)
    assert {dict(zip(again.header, row, strict=True))["unit"] for row in again.rows} == {"µm", "mm"}, "one unit of all methods"
    page = write_overview(results, tmp_path).read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,iVBOR") == 2, "light and dark"
    assert "gap stays between 2 and 4 µm." in page and "<b>Trusted</b>: " in page
    assert "gap stays between 2 and 4 µm for all values of a and b" in page and "data:image/png;base64,iVBOR" in page


def test_results_of_earlier_methods_find_their_runs_where_later_ones_have_put_files_together(tmp_path):
    """The few runs of the first method end in the file of the many of the second one."""
    inputs = {name: uq.Uniform(0.0, 1.0) for name in "abc"}
    methods = [uq.MonteCarlo(samples=400), uq.Sensitivity(approach="sobol", samples=512)]
    study = uq.Study(
        model=lambda a, b, c: {"y": a + b + c}, inputs=inputs, outputs=["y"], method=methods, name="s", campaign={"workers": 0}
    )
    results = study.run(out=tmp_path / "s", report=False, progress=False)
    first = results["montecarlo"].runs
    assert first["y"].values == pytest.approx(sum(first[f"input:{name}"].values for name in "abc"), rel=1e-12) and first.sizes["run"] == 400
