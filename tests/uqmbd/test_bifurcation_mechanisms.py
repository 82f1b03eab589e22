"""Diagrams of mechanisms: runs that go on from each other in lanes, and branches that are followed by the mechanism's section map."""

import math

import numpy as np
import pytest

import flexmbd as fm
from uqmbd.analysis.dynamics.located import locate
from uqmbd.errors import StudyError
from uqmbd.study import Study

from .test_studies_hybrid import model_of

MODEL = """
import math

import flexmbd as fm


FREQUENCY = 2.4549422431


def oscillator(stop=0.1, speed=0.0):
    s = fm.System()
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(-0.6, 0.0), velocity=(speed, 0.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), mass.centre, axis=(1.0, 0.0)))
    s.add(fm.Spring("spring", s.ground.at(-5.0, 0.0), mass.centre, stiffness=1.0, damping=0.0, length=5.0))
    s.add(fm.PointForce("drive", mass.centre, fx=fm.Harmonic(1.0, FREQUENCY, phase=math.pi / 2)))
    s.add(fm.PointPlane("stop", mass.centre, s.ground.at(stop, 0.0), fm.Impenetrable(0.8), normal=(-1.0, 0.0)))
    return s


def period():
    return fm.section_map(oscillator, every=2.0 * math.pi / FREQUENCY)
"""
STUDY = """
[study]
model = "model.py:oscillator"

[time]
end = {end}
points = 2

[inputs.stop]
interval = [0.09, 0.15]
unit = "m"

[inputs.speed]
interval = [-0.1, 0.1]

[outputs.sections.turn]
of = ["mass.x", "mass.vx"]
every = {period}

[method]
type = "bifurcation"
parameter = "stop"
keep = 16
{method}

[solver]
integrator = "event_driven"
tolerance = 1e-8

[campaign]
workers = 0
"""
PERIOD = 2.0 * math.pi / 2.4549422431
FLIP = 0.1  # of the orbit of one impact a period, at this frequency


@pytest.fixture
def study(tmp_path):
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")

    def made(method, periods):
        file = tmp_path / "study.toml"
        file.write_text(STUDY.format(method=method, end=repr(periods * PERIOD), period=repr(PERIOD)), encoding="utf-8")
        return Study.from_file(file)

    return made


def test_the_flip_of_a_mechanism_with_impacts_is_located_on_its_followed_branch(study, tmp_path):
    """Coordinates of the section map are outputs of the section, under its name."""
    result = study('values = [0.09, 0.094, 0.11]\nfollow = "model.py:period"\nfollow_period = 1\nfollow_step = 0.1', 150).run(
        out=tmp_path / "r", report=False, progress=False
    )
    assert result.motion_period["turn.mass.vx"].values.ravel().tolist()[:2] == [1, 1]
    located = result.located["stop"].sel(of_orbit="stop").to_series()
    assert located["flip of period 1"] == pytest.approx(FLIP, abs=1e-8)
    followed = result.followed
    assert (followed["stable"].values == (followed["value"].values < FLIP))[followed["kind"].values == ""].all()
    assert {"state:turn.mass.x", "state:turn.mass.vx"} <= set(followed.data_vars)


def test_a_mechanism_goes_on_from_value_to_value_in_lanes(study, tmp_path):
    """From two starts side by side, up and down: the first section point at a value is near the last one before it."""
    method = "values = [0.09, 0.091, 0.092]\ncontinuation = true\nstarts = { speed = [-0.05, 0.05] }\nskip = 0\nnear = 1e-3"
    lanes = study(method, 16).run(out=tmp_path / "lanes", report=False, progress=False)
    points = lanes.branches["turn.mass.vx"].values[..., 0, :]
    assert points.shape == (3, 2, 2, 16) and lanes.attrs["runs"] == 12
    way = np.concatenate([points[:, 0], points[::-1, 1]])
    assert np.abs(way[1:, :, 0] - way[:-1, :, -1]).max() < 0.2 < np.abs(way[0]).max()
    alone = study(method, 16)
    alone = alone.changed(solver={**alone.solver, "lanes": 1}).run(out=tmp_path / "alone", report=False, progress=False)
    np.testing.assert_allclose(alone.branches["turn.mass.vx"].values[..., 0, :], points, rtol=1e-9)


def test_a_coordinate_that_two_sections_have_is_a_sentence(study, tmp_path):
    made = study('points = 2\nfollow = "model.py:period"', 4)
    file = tmp_path / "study.toml"
    more = '[outputs.sections.again]\nof = ["mass.x"]\nevery = 2.0\n\n[method]'
    file.write_text(file.read_text(encoding="utf-8").replace("[method]", more), encoding="utf-8")
    with pytest.raises(StudyError, match=r"which turn\.mass\.x and again\.mass\.x have section points of") as error:
        Study.from_file(file).run(out=tmp_path / "r", report=False, progress=False)
    assert made.name and "method.sections" in error.value.remedy


@pytest.mark.slow
def test_the_flip_of_the_clearance_crank_is_where_runs_double_their_period():
    """Located by the section map; runs of the same mechanism have one point a turn above it and two below."""
    model = model_of("slider_crank_bifurcation")
    near, parameters = np.array([-1.043e-3, 0.170268, -127.0841, 0.26958]), {"clearance": 0.27807e-3, "friction": 0.02}
    flip = locate(model.turn(), "flip", "clearance", near, parameters)
    assert not flip.lost and flip.parameter == pytest.approx(0.27807e-3, abs=1e-8)
    section = {"turn": fm.PoincareSection(["slider.vx"], every=0.02, after=1.6)}
    clearances = flip.parameter + np.array([-5e-7, 5e-7])
    how = {"end": 1.8, "points": 2, "outputs": [], "settings": {"tolerance": 1e-7}}
    below, above = fm.run(model.slider_crank, {"clearance": clearances}, sections=section, **how).sections["turn"]["slider.vx"]
    assert np.abs(np.diff(below)).min() > 0.01 > 1e-3 > np.abs(np.diff(above)).max()
    assert np.abs(below[2:] - below[:-2]).max() < 1e-3
