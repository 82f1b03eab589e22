"""Branches that are followed from the orbits of a diagram, with their special points, against closed forms."""

import json

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.figures import first_figure, sections
from uqmbd.figures.marks import Points
from uqmbd.study.looked_at import study_to_look_at

MAPS = """
from uqmbd.analysis.dynamics.maps import FunctionMap

def logistic():
    return FunctionMap(function=lambda x, r: r * x * (1 - x), names=("x",))

def other():
    return FunctionMap(function=lambda y, r: r * y * (1 - y), names=("y",))

def no_map():
    return 3.0

def broken():
    raise ValueError("no stiffness is known")
"""
BOX = {"r": uq.Interval(2.8, 3.52)}


def hits(r):
    x, found = 0.4, []
    for _ in range(1500):
        x = r * x * (1 - x)
        found.append(x)
    return {"x": uq.Events(found[-32:], "iterate")}


@pytest.fixture
def study(tmp_path):
    (tmp_path / "maps.py").write_text(MAPS, encoding="utf-8")

    def made(name="logistic", model=hits, inputs=BOX, **more):
        method = uq.Bifurcation(points=37, keep=32, skip=0, follow=f"{tmp_path}/maps.py:{name}", **more)
        return uq.Study(model=model, inputs=inputs, outputs=["x"], method=method, name="followed", campaign={"workers": 0})

    return made


def test_flips_are_located_on_the_branches_of_a_diagram(study, tmp_path):
    result = study().run(out=tmp_path / "r", report=False, progress=False)
    table = next(frame.table for frame in result.tables() if frame.key == "located_r")
    flips = table[table.index.str.startswith("flip")]["r"]
    assert flips["flip of period 1"] == pytest.approx(3.0, abs=1e-9)
    assert flips["flip of period 2"] == pytest.approx(1 + 6**0.5, abs=1e-8)
    one = result.followed.isel(orbit_point=result.followed["period"].values == 1)
    r, x = one["value"].values, one["state:x"].values
    np.testing.assert_allclose(x, 1 - 1 / r, rtol=1e-8)
    inside = np.abs(r - 3.0) > 1e-6
    assert (one["stable"].values == (r < 3.0))[inside].all() and r.max() == pytest.approx(3.52)  # and unstable beyond
    np.testing.assert_allclose(one["multiplier"].values, np.abs(2 - r), atol=1e-7)


def test_the_figure_has_them_over_the_dots(study, tmp_path):
    result = study().run(out=tmp_path / "r", report=False, progress=False)
    for figure in (sections(result)["Bifurcation diagrams"][0], first_figure(uq.open_results(tmp_path / "r"), "x")):
        stable, unstable, located, dots = figure.panels[0].marks
        assert stable.label == "followed, stable" and unstable.label == "followed, unstable" and dots.label == "from time zero"
        assert isinstance(located, Points) and set(located.names) <= {"flip", "branch point"} and "dashed" in " ".join(figure.caption)


def test_the_same_map_gives_the_same_and_another_one_is_refused(study, tmp_path):
    method = study().method
    again = uq.Bifurcation(**method.model_dump())
    assert again == method and len(json.loads(method.model_dump_json())["follow_code"]) == 64
    (tmp_path / "maps.py").write_text(MAPS.replace("r * x * (1 - x)", "r * x * (1 - x) + 0.0"), encoding="utf-8")
    with pytest.raises(StudyError, match="the map has changed"):
        uq.Bifurcation(**method.model_dump())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("other", "has the coordinate 'y', and no output of this name"),
        ("no_map", "which is no map"),
        ("nothing", "nothing"),
        ("broken", "raises ValueError: no stiffness is known"),
    ],
)
def test_a_map_that_does_not_fit_is_a_sentence(study, tmp_path, name, says):
    with pytest.raises(StudyError, match=says) as error:
        study(name).run(out=tmp_path / "r", report=False, progress=False)
    assert error.value.remedy


def test_with_samples_the_branches_of_the_middle_are_followed(study, tmp_path):
    """Of the logistic map over r with a shift of it: drawn dots are shifted, the flip is at 3 nevertheless."""
    (tmp_path / "maps.py").write_text(MAPS.replace("lambda x, r: r * x", "lambda x, r, shift: (r + shift) * x"), encoding="utf-8")
    inputs = {**BOX, "shift": uq.Interval(-0.03, 0.03)}
    made = study(model=lambda r, shift: hits(r + shift), inputs=inputs, parameter="r", samples=3, follow_period=1)
    result = made.run(out=tmp_path / "r", report=False, progress=False)
    table = next(frame.table for frame in result.tables() if frame.key == "located_r")
    assert table.loc["flip of period 1", "r"] == pytest.approx(3.0, abs=1e-9)
    assert np.ptp(result.branches["x"].values[0, 0, 0, :, 0]) > 1e-3
    figure = sections(result)["Bifurcation diagrams"][0]
    assert "Lines: followed orbits, with the other inputs at their middle" in " ".join(figure.caption)


def test_a_look_at_a_folder_executes_no_map(study, tmp_path):
    study().run(out=tmp_path / "r", report=False, progress=False)
    for file in tmp_path.rglob("*.py"):
        file.write_text("raise RuntimeError('executed')", encoding="utf-8")
    seen = study_to_look_at(tmp_path / "r")
    assert seen.method.follow is None and seen.method.points == 37
