"""The mechanism moving in a report: the nominal run and those that reached bounds; when it fails, nothing is lost."""

import json
import re
import shutil

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.report import write_report
from uqmbd.report.motion import inputs_of, motion_block, reached, sentence_of
from uqmbd.report.pages import unpacked
from uqmbd.result import open_results
from uqmbd.runs.listing import listed
from uqmbd.runs.where import MOTION
from uqmbd.study import motions
from uqmbd.study.motions import keep_motion
from uqmbd.study.session import run_study

from .moving_study import study_in


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("swing")
    found = run_study(study_in(folder), out=folder / "r", progress=False)
    with pytest.MonkeyPatch.context() as patient:
        patient.setattr(motions, "SECONDS", 120.0)  # a machine that does much else
        keep_motion(found)
    return found


def test_the_scene_has_the_nominal_run_and_those_that_reached_bounds(finished):
    result, motion = finished.result, finished.result.motion
    first, *others = motion["cases"]
    assert first["label"] == "nominal" and first["inputs"] == pytest.approx({"length": 1.0, "angle": 0.0}) and not first["ends"]
    assert 1 <= len(others) < motions.SHOWN and len(motion["scene"]["runs"]) == len(motion["cases"])
    for case in others:
        for end in case["ends"]:
            worst = result.worst[end["output"]].sel(bound=end["bound"])
            worst = worst if end["time"] is None else worst.sel(time=end["time"], method="nearest")
            assert case["inputs"] == {name: float(worst.sel(input=name)) for name in case["inputs"]}
            reached = result.inner[end["output"]].sel(bound=end["bound"])
            assert end["again"] == pytest.approx(end["value"], rel=1e-3, abs=1e-6)
            assert end["value"] == float(reached if end["time"] is None else reached.sel(time=end["time"], method="nearest"))


def test_all_runs_are_covered_and_that_is_said(finished):
    scene, ok = finished.result.motion["scene"], finished.result.facts.runs_ok
    assert scene["envelope"]["runs"] == ok + 1 == scene["of"] + 1, "and the nominal run, which is no corner"
    html = motion_block(finished.result).html
    assert f"region of all {ok} runs" in html
    motion = finished.result.motion | {"scene": scene | {"of": 28_000}}
    assert f"region of {ok + 1} of 28,000 runs" in motion_block(finished.result.replaced(motion=motion)).html


def test_a_clicked_bound_names_the_run_that_is_nearest_to_it(finished):
    near, result = finished.result.motion["near"]["bob.angle"], finished.result
    cases = finished.result.motion["cases"]
    for bound in ("lower", "upper"):
        for time, run in zip(near["times"], near[bound], strict=True):
            worst = result.worst["bob.angle"].sel(bound=bound).sel(time=time, method="nearest")
            width = np.ptp(result.inner["bob.angle"].sel(time=time, method="nearest").values)
            if run >= 0 and width > 1e-6:
                assert cases[run]["inputs"] == pytest.approx({str(n): float(x) for n, x in zip(worst["input"].values, worst.values)}), time
    assert min(near["upper"]) >= 0, "all corners are among the runs that are kept"


def test_the_inputs_behind_a_clicked_bound_are_those_of_the_run_that_reached_it(finished):
    near, result = finished.result.motion["near"], finished.result
    found = reached(result, near)["bob.angle"]
    assert [name for name, _ in inputs_of(result)] == ["length", "angle"] and inputs_of(result)[1][1] == "deg"
    for time, (length, angle) in zip(near["bob.angle"]["times"], found["upper"], strict=True):
        worst = result.worst["bob.angle"].sel(bound="upper").sel(time=time, method="nearest")
        assert (length, np.radians(angle)) == pytest.approx((float(worst.sel(input="length")), float(worst.sel(input="angle"))), rel=1e-3)
    many = {"bob.angle": {"times": list(np.linspace(0.0, 0.5, 10_000))}}
    assert reached(result, many) == {} == reached(result, {"none": {"times": [0.0]}})


def test_it_is_kept_with_its_checksum_and_read_again(finished):
    assert MOTION in listed(finished.directory)["files"]
    again = open_results(finished.directory)
    assert again.motion == json.loads(json.dumps(finished.result.motion)) and motion_block(again).scene


def test_the_page_has_it_once_packed_and_in_words(finished, tmp_path):
    text = write_report(open_results(finished.directory), tmp_path, pictures=False).read_text()
    assert text.count('id="motion-page"') == 1 == text.count('id="motion-packed"')
    held = json.loads(unpacked(re.search(r'id="motion-packed">([^<]*)<', text).group(1)))
    assert len(held["library"]) + len(held["script"]) <= 150_000 and held["figures"]["bob.angle"] == ["bob.angle", True]
    told = json.loads(held["scene"])["cases"]
    assert "in the middle of the inputs: length = 1 m, angle = 0 deg." in told[0]["says"]
    assert all(re.search(r"reached the (highest|lowest) ", case["says"]) for case in told[1:])
    runs = {(output, bound): number for output, bound, number in held["ends"]}
    assert set(runs) == {(name, bound) for name in ("bob.angle", "bob.angle:max", "bob.x:min") for bound in ("lower", "upper")}


def test_a_result_that_is_there_makes_none_again_and_a_new_one_removes_it(finished, monkeypatch):
    study = study_in(finished.directory.parent)
    monkeypatch.setattr(motions, "motion_of", lambda *how: pytest.fail("it was made again"))
    again = run_study(study, out=finished.directory, progress=False)
    keep_motion(again)
    assert again.tally is None and again.result.motion == open_results(finished.directory).motion != {}


@pytest.mark.parametrize("wrong", [RuntimeError("no memory"), motions.Ended("with code 9"), motions.Late()])
def test_when_it_fails_nothing_is_lost_and_the_report_says_why(wrong, tmp_path, monkeypatch):
    def fail(work):
        raise wrong

    monkeypatch.setattr(motions, "apart", fail)
    found = run_study(study_in(tmp_path), out=tmp_path / "r", progress=False)
    before = found.result.table()
    keep_motion(found)
    result = open_results(tmp_path / "r")
    assert set(result.motion) == {"why"} and result.table().equals(before)
    words = {RuntimeError: "no memory", motions.Ended: "with code 9", motions.Late: "longer than 10 s"}[type(wrong)]
    block = motion_block(result)
    assert not block.scene and words in block.html and block.html.count("not shown moving") == 1
    assert "not shown moving" in write_report(result, tmp_path / "page", pictures=False).read_text()


def test_a_damaged_file_is_said_and_changes_nothing_else(finished, tmp_path):
    folder = tmp_path / "r"
    shutil.copytree(finished.directory, folder)
    text = (folder / MOTION).read_text()
    (folder / MOTION).write_text(text.replace('"nominal"', '"nominel"', 1))
    result = open_results(folder)
    assert "does not agree with its checksum" in motion_block(result).html and len(result.outputs) == 3


def test_a_scene_that_another_version_has_kept_is_not_drawn_and_made_anew(finished, tmp_path):
    folder = tmp_path / "r"
    shutil.copytree(finished.directory, folder)
    motion = finished.result.motion
    motions.keep(folder, motion | {"scene": {key: value for key, value in motion["scene"].items() if key != "format"}})
    block = motion_block(open_results(folder))
    assert not block.scene and "another version has kept it" in block.html
    again = run_study(study_in(finished.directory.parent), out=folder, progress=False)
    keep_motion(again)
    assert again.tally is None and motion_block(open_results(folder)).scene


def test_what_a_file_says_never_becomes_part_of_the_page(finished):
    motion = json.loads(json.dumps(finished.result.motion).replace('"bob"', '"<b>x</b>"').replace("#3b7dd8", "\\u0022/><script>"))
    html = motion_block(finished.result.replaced(motion=motion)).html
    assert "<b>x" not in html and '"/><script>' not in html


def test_a_function_that_is_no_mechanism_has_none(write_study, tmp_path):
    study = uq.Study.from_file(write_study())
    found = run_study(study, out=tmp_path / "r", progress=False)
    keep_motion(found)
    assert found.result.motion == {} and not (tmp_path / "r" / MOTION).exists() and motion_block(found.result) is None


def test_of_many_runs_some_are_covered_evenly(finished):
    rows = motions.covered(finished.result, 2)
    every = motions.covered(finished.result, 10**6)
    assert len(every["length"]) == finished.result.facts.runs_ok and rows["length"].tolist() == every["length"][[0, -1]].tolist()
    assert motions.covered(finished.result, 0)["angle"].shape == (0,)


def test_a_replayed_run_is_shown_on_a_page_of_its_own(finished, uqmbd, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    code, said = uqmbd("replay", finished.directory, "--worst", "bob.x:min", "--bound", "lower", "--show")
    page = finished.directory / "worst_bob.x_min_lower.html"
    assert code == 0 and str(page) in said and opened == [page.as_uri()]
    text = page.read_text()
    assert "bob.x:min: lower bound" in text and "as ghosts" in text


def test_a_function_is_not_seen_moving_by_replay(write_study, uqmbd, tmp_path):
    write_study()
    assert uqmbd("run", "study.toml", "--out", "r", "--no-report")[0] == 0
    code, said = uqmbd("replay", "r", "--worst", "peak", "--show")
    assert code == 2 and "only mechanisms of flexmbd are seen moving" in said


def test_a_run_that_reaches_something_else_when_it_is_run_again_is_said(finished):
    text = json.dumps(finished.result.motion)
    motion = json.loads(
        re.sub(r'("output": "bob.x:min", "bound": "lower", "value": )([-0-9.e]+)(.*?"again": )[-0-9.e]+', r"\1\2\g<3>-0.5", text)
    )
    cases = [case for case in motion["cases"] if any(end["again"] == -0.5 for end in case["ends"])]
    assert len(cases) == 1 and "(-500 mm when run again)" in sentence_of(finished.result, cases[0])
    assert not any("when run again" in sentence_of(finished.result, case) for case in finished.result.motion["cases"])


def test_a_nominal_run_that_reached_a_bound_says_both(finished):
    first, second, *_ = finished.result.motion["cases"]
    both = first | {"ends": second["ends"][:1]}
    said = sentence_of(finished.result, both)
    assert said.startswith("The nominal run, in the middle of the inputs: ") and " It reached the highest bob.angle:max, " in said


def test_runs_with_the_same_inputs_but_for_rounding_are_one():
    spread = {"a": 2.0}
    assert motions.alike({"a": 1.0}, {"a": 1.0 + 1e-8}, spread) and not motions.alike({"a": 1.0}, {"a": 1.001}, spread)
