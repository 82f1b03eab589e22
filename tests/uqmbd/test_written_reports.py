"""The report that a study leaves beside its results, from Python as from the command line."""

import pytest

import uqmbd as uq


def study(**changes):
    settings = {
        "model": lambda a, b: {"y": a * b},
        "inputs": {"a": uq.Interval(1.0, 2.0, unit="m"), "b": uq.Interval(3.0, 4.0)},
        "outputs": ["y"],
        "method": uq.Chebyshev(degree=2, validation=0.5),
        "campaign": {"workers": 0},
        "name": "product",
    }
    return uq.Study(**{**settings, **changes})


@pytest.mark.report
def test_a_study_run_in_python_leaves_its_report(tmp_path):
    study(title="A product").run(out=tmp_path, progress=False)
    page = (tmp_path / "report.html").read_text()
    assert "<h1>A product</h1>" in page and "[inputs.a]" in page  # the study file, too
    assert not (tmp_path / "figures").exists(), "the page has all of them"


@pytest.mark.report
def test_figures_as_files_are_drawn_when_they_are_asked_for_and_are_of_this_result(tmp_path):
    result = study().run(out=tmp_path, progress=False)
    uq.write_report(result, tmp_path)
    assert list((tmp_path / "figures").glob("*.png"))
    study(method=uq.Chebyshev(degree=3, validation=0.5)).run(out=tmp_path, progress=False)
    assert (tmp_path / "report.html").is_file() and not list((tmp_path / "figures").glob("*.png")), "of an earlier result"


def test_no_report_is_written_if_none_is_wanted(tmp_path):
    study().run(out=tmp_path, progress=False, report=False)
    assert (tmp_path / "result.zarr").is_dir() and not (tmp_path / "report.html").exists()


def test_a_result_that_was_there_keeps_its_page_and_gets_a_missing_one(tmp_path):
    study().run(out=tmp_path, progress=False)
    page = tmp_path / "report.html"
    page.write_text("mine")
    study().run(out=tmp_path, progress=False)
    assert page.read_text() == "mine"
    page.unlink()
    study().run(out=tmp_path, progress=False)
    assert page.is_file() and page.read_text() != "mine"


def test_several_methods_have_a_page_each_and_one_that_names_them(tmp_path):
    many = {"corners": uq.Vertex(), "smooth": uq.Chebyshev(degree=2, validation=0.5)}
    study(method=many, title="Two <answers>").run(out=tmp_path, progress=False)
    page = (tmp_path / "report.html").read_text()
    assert "Two &lt;answers&gt;" in page
    for label in many:
        assert f'href="{label}/report.html"' in page and (tmp_path / label / "report.html").is_file()
    assert page.count('data-of="upper">8</td>') == 2  # the upper bound of the product by either method, in the table of Results


def test_the_command_writes_the_page_of_several_methods_again(tmp_path, uqmbd):
    many = {"corners": uq.Vertex(), "smooth": uq.Chebyshev(degree=2, validation=0.5)}
    (tmp_path / "model.py").write_text("def product(a, b):\n    return {'y': a * b}\n")
    study(model="model.py:product", method=many, directory=tmp_path).run(out=tmp_path / "r", progress=False, report=False)
    code, text = uqmbd("report", tmp_path / "r")
    assert code == 0 and "report: r/report.html" in text
    assert 'href="smooth/report.html"' in (tmp_path / "r" / "report.html").read_text()


@pytest.mark.report
def test_a_report_is_written_into_another_folder(tmp_path):
    result = study().run(out=tmp_path / "r", progress=False, report=False)
    assert uq.write_report(result, tmp_path / "page") == tmp_path / "page" / "report.html"
    assert "<h1>product</h1>" in (tmp_path / "page" / "report.html").read_text()


@pytest.mark.report
def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    result = study().run(out=tmp_path / "r", progress=False, report=False)
    (tmp_path / "file").write_text("")
    with pytest.raises(uq.StudyError, match="cannot be written"):
        uq.write_report(result, tmp_path / "file" / "page")
