"""Poincaré sections of mechanisms in studies, against motions in closed form."""

from dataclasses import replace

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.simulators.lanes import LanesSimulator
from uqmbd.simulators.model import find_model
from uqmbd.spec.toml import write_toml

from .campaigns import assert_identical, chunks, numbers

BLOCK = """
import flexmbd as fm

def block(rate, start):
    s = fm.System()
    body = s.point_mass("block", mass=1.0, position=(start, 0.0))
    s.add(fm.Spring("spring", s.ground.at(-3.0, 0.0), body.centre, rate * rate, length=3.0))
    return s
"""
STUDY = """
[study]
model = "model.py:block"

[time]
end = 10.0
points = 11

[inputs.rate]
distribution = { type = "uniform", lower = 0.2, upper = 3.0 }

[inputs.start]
value = 1.0

[outputs]
include = ["turn.time", "turn.time:count", "third.block.x:last"]

[outputs.sections.turn]
of = ["block.x"]
crossing = "block.vx"
direction = "down"

[outputs.sections.third]
of = ["block.x"]
every = "2*pi/rate/3"

[method]
type = "montecarlo"
samples = 24

[campaign]
workers = 0
batch = 8

[solver]
lanes = 4
"""
WAY = 'crossing = "block.vx"\ndirection = "down"'


@pytest.fixture
def study(write_study):
    """The study with changes."""
    return lambda *changes: uq.Study.from_file(write_study(*changes, model=BLOCK, text=STUDY))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("block")
    (place / "model.py").write_text(BLOCK)
    (place / "study.toml").write_text(STUDY)
    uq.Study.from_file(place / "study.toml").run(out=place / "r", progress=False, report=False)
    return place / "r"


def test_each_run_has_its_own_points_and_they_are_those_in_closed_form(folder):
    runs = uq.open_results(folder).runs.load()
    rates, longest = runs["input:rate"].values, runs.sizes["turn_point"]
    times = 2.0 * np.pi * (1 + np.arange(longest)) / rates[:, None]
    times[times > 10.0] = np.nan
    assert runs["turn.time"].dims == ("run", "turn_point") and runs["turn.time"].attrs["unit"] == "s" and not runs["status"].any()
    np.testing.assert_allclose(runs["turn.time"], times, atol=1e-6)
    np.testing.assert_allclose(runs["turn.block.x"], np.where(np.isnan(times), np.nan, 1.0), atol=1e-6)
    np.testing.assert_array_equal(runs["turn.time:count"], np.isfinite(times).sum(axis=1))
    thirds = np.arange(runs.sizes["third_point"])
    wanted = np.where(thirds * 2.0 * np.pi / rates[:, None] / 3.0 <= 10.0, np.cos(2.0 * np.pi * thirds / 3.0), np.nan)
    np.testing.assert_allclose(runs["third.block.x"], wanted, atol=1e-6)
    last = runs["third.block.x"].values[np.arange(24), runs["third.block.x"].count("third_point").values - 1]
    np.testing.assert_array_equal(runs["third.block.x:last"], last)


def test_how_many_runs_never_meet_a_section_is_said(folder):
    result = uq.open_results(folder)
    never = int((result.runs["turn.time:count"] == 0).sum())
    assert never > 0 and f"section 'turn': {never} of 24 runs never meet it, and have no points there" in result.attrs["warnings"]


def test_a_study_goes_on_after_a_kill_and_is_identical(folder, study, tmp_path):
    study().run(out=tmp_path / "r", progress=False, report=False)
    for file in chunks(tmp_path / "r")[1:]:
        file.unlink()
    (tmp_path / "r" / "done.json").unlink()
    study().run(out=tmp_path / "r", progress=False, report=False)
    assert_identical(numbers(folder), numbers(tmp_path / "r"))


def test_runs_of_another_section_are_not_taken_for_these(study, tmp_path):
    """Whereas another list of what is taken there is another list of outputs."""
    study().run(out=tmp_path / "r", progress=False, report=False)
    with pytest.raises(StudyError, match="sections"):
        study(('direction = "down"', 'direction = "up"')).run(out=tmp_path / "r", progress=False, report=False)


def test_a_study_is_written_as_it_was_read(study, tmp_path):
    first = study()
    (tmp_path / "again.toml").write_text(write_toml(first.spec.document()))
    assert uq.Study.from_file(tmp_path / "again.toml") == first


def test_a_study_made_in_python_has_sections_too(tmp_path):
    (tmp_path / "model.py").write_text(BLOCK)
    sections = {"turn": uq.Section(of=["block.x"], crossing="block.x", level="start/2", direction="up")}
    asked = uq.Study(
        model="model.py:block", inputs={"rate": uq.Interval(1.0, 2.0), "start": uq.Interval(0.5, 1.0)}, outputs=["turn.time:first"],
        method=uq.Chebyshev(degree=6, fallback_runs=0), sections=sections, time=uq.TimeGrid(end=7.0, points=2), directory=tmp_path,
        campaign={"workers": 0}, solver={"lanes": 4},
    )  # fmt: skip
    with pytest.raises(StudyError, match=r"chebyshev cannot treat 'turn.block.x'(.|\n)*reduce it to a number"):
        asked.run(out=tmp_path / "r", progress=False, report=False)
    result = asked.changed(outputs={"include": ["turn.time:first"], "sections": {"turn": sections["turn"].remade(of=[])}}).run(
        out=tmp_path / "s", progress=False, report=False
    )
    np.testing.assert_allclose(result["bounds"]["turn.time:first"], np.array([5.0 / 6.0, 5.0 / 3.0]) * np.pi, rtol=1e-3)


def test_times_of_runs_that_go_on_are_counted_from_their_states(tmp_path):
    (tmp_path / "model.py").write_text(BLOCK)
    model = replace(find_model("model.py:block", tmp_path), sections={"turn": uq.Section(of=["block.x"], crossing="block.vx")})
    half = LanesSimulator(model, ("turn.time", "turn.time:count"), np.linspace(0.0, 5.0, 2), {"lanes": 4})
    samples = {"rate": np.array([1.0, 2.0, 0.1]), "start": np.ones(3)}
    first = half.go_on(samples, [None] * 3)
    second = half.go_on(samples, first.states)
    assert not second.status.any()
    np.testing.assert_allclose(first.outputs["turn.time"][1], np.pi * np.array([0.5, 1.0, 1.5]), atol=1e-6)
    np.testing.assert_allclose(second.outputs["turn.time"][1], np.pi * np.array([2.0, 2.5, 3.0]) - 5.0, atol=1e-6)
    np.testing.assert_array_equal(second.outputs["turn.time:count"], [2.0, 3.0, 0.0])


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        (WAY, "", "outputs.sections.turn", "'turn' has none"),
        (WAY, f"{WAY}\nevery = 0.1", "outputs.sections.turn", "'turn' has every and crossing"),
        (WAY, 'every = 0.1\ndirection = "up"', "outputs.sections.turn", "level and direction are of a crossing"),
        (WAY, "every = -0.1", "outputs.sections.turn", "every is -0.1; it must be greater than zero"),
        ('direction = "down"', 'direction = "out"', "outputs.sections.turn.direction", "'up', 'down' or 'both'"),
        ('direction = "down"', 'way = "down"', "outputs.sections.turn.way", "there is no key 'way'"),
        ('"2*pi/rate/3"', '"2*pi/speed"', "outputs.sections.third.every", "'speed', which is no input"),
        ('"2*pi/rate/3"', '"2*pi/"', "outputs.sections.third.every", "cannot be read"),
        ('"2*pi/rate/3"', '"2*pi/rate/3"\nafter = 20.0', "outputs.sections.third.after", "begins at 20 s, and the runs end at 10 s"),
        ('of = ["block.x"]\nevery', "every", "outputs.sections.third", None),
        ('crossing = "block.vx"', 'crossing = "blok.vx"', "outputs.sections.turn.crossing", "output 'blok.vx' is not known"),
        ('of = ["block.x"]\ncrossing', 'of = ["blok.x"]\ncrossing', "outputs.include", "output 'blok.x' is not known"),
        ('"turn.time", ', '"turn.time", "turn.time:p95", ', "outputs.include", "there is no reduction 'p95' of events"),
        ('"turn.time", ', '"turn.before.block.x", ', "outputs.include", "impacts of bodies that cannot be penetrated alone"),
        ("turn", "block", "outputs.sections.block", "which outputs of the section 'block' would hide"),
    ],
)
def test_what_is_wrong_with_a_section_is_said_with_its_key(old, new, key, words, study, tmp_path):
    def run():
        study((old, new)).run(out=tmp_path / "r", progress=False, report=False)

    if words is None:  # of what nothing is taken but what is asked for by name
        return run()
    with pytest.raises(StudyError) as caught:
        run()
    assert caught.value.key == key and words in str(caught.value), str(caught.value)
    return None


def test_a_model_that_is_no_mechanism_has_no_sections(tmp_path):
    asked = uq.Study(
        model=lambda a: {"y": a}, inputs={"a": uq.Uniform(0.0, 1.0)}, outputs=["y"], method=uq.MonteCarlo(samples=4),
        sections={"turn": {"of": ["y"], "every": 0.1}}, campaign={"workers": 0},
    )  # fmt: skip
    words = r"only models that return a flexmbd System have sections\n  remedy: return the points from the model"
    with pytest.raises(StudyError, match=words):
        asked.run(out=tmp_path / "r", progress=False, report=False)
