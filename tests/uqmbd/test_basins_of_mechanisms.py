"""Basins of attraction of mechanisms: their coordinates say where runs start, and all starts are one batch of lanes."""

import runpy

import numpy as np
import pytest

from uqmbd.study import Study

MODEL = """
import flexmbd as fm


def wells(place=0.5, speed=0.0, damping=2.0):
    s = fm.System()
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(0.5, 0.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), mass.centre, axis=(1.0, 0.0)))
    s.add(fm.Spring("spring", s.ground.at(0.0, 1.0), mass.centre, stiffness=4.0, damping=damping, length=1.25))
    s.start_at({"mass.x": place, "mass.vx": speed})
    return s


def second():
    return fm.section_map(wells, every=1.0, tolerance=1e-7)
"""
STUDY = """
[study]
model = "model.py:wells"

[time]
end = 60
points = 2

[inputs.place]
interval = [-2.0, 2.0]

[inputs.speed]
interval = [-2.0, 2.0]

[outputs.sections.second]
of = ["mass.x", "mass.vx"]
every = 1.0

[method]
type = "basins"
cells = 8

[campaign]
workers = 0
"""
BOTTOM = 0.75  # where the spring, 1.25 m long and held 1 m beside the rail, is at its length


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wells")
    (folder / "model.py").write_text(MODEL, encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return folder, Study.from_file(folder / "study.toml").run(out=folder / "r", report=False, progress=False)


def test_a_mechanism_comes_to_both_of_its_wells(found):
    """By symmetry from half of the box each."""
    _, result = found
    assert sorted(result.attractor_points["second.mass.x"].values[:, 0]) == pytest.approx([-BOTTOM, BOTTOM], abs=1e-5)
    table = result.attractors["shares"]
    lower, upper = (table.sel(of_attractor=word).values for word in ("lower", "upper"))
    assert table.sizes["attractor"] == 2 and (lower < 0.5).all() and (upper > 0.5).all()


def test_the_section_map_from_the_same_starts_comes_to_the_same_well(found):
    folder, result = found
    section, basins = runpy.run_path(str(folder / "model.py"))["second"](), result.basins
    states = np.stack([basins["start:place"].values, basins["start:speed"].values], axis=1)
    for _ in range(20):
        states = section.step(states, {})
    well = result.attractor_points["second.mass.x"].values[basins["attractor"].values, 0]
    assert (np.sign(states[:, 0]) == np.sign(well)).all()
