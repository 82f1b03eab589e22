"""Which coordinates `formulation = "auto"` takes, and that it says which and why."""

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.formulation import taken
from flexmbd.running.choice import chosen
from flexmbd.running.settings import as_settings

from .sentences import names, said
from .test_trees import arm, chain, floating, slider_crank
from .test_trees_beside import arm_with_cable, flexible_crank

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
from element_scenes import SCENES

RUN = {"end": 0.05, "points": 3, "outputs": ["rod2.x", "pin1.force"]}


def lone(dimension):
    """A body without joints."""
    s = fm.System(gravity=(0.0,) * dimension)
    s.body("stone", mass=1.0, inertia=0.1 if dimension == 2 else (0.1, 0.1, 0.1))
    return s


def ring(count):
    """A planar chain that both ends hold."""
    s, turn = fm.System(gravity=(0.0, -9.81)), 2.0 * np.pi / (count + 1)
    last, place = s.ground.at(0.0, 0.0), np.zeros(2)
    for k in range(count):
        way = np.array([np.cos(k * turn), np.sin(k * turn)])
        points = {"A": (-0.5, 0.0), "B": (0.5, 0.0)}
        body = s.body(f"l{k}", mass=1.0, inertia=0.08, position=tuple(place + 0.5 * way), angle=k * turn, points=points)
        s.add(fm.Revolute(f"j{k}", last, body["A"]))
        last, place = body["B"], place + way
    s.add(fm.Revolute("end", last, s.ground.at(*place)))
    return s


@pytest.mark.parametrize(
    ("system", "name", "words"),
    [
        (chain(1.0), "tree", "3 of 3 bodies"),
        (arm(), "tree", "6 of 6 bodies"),
        (floating(), "tree", "2 of 3 bodies"),
        (lone(3), "tree", "0 of 1 bodies"),
        (lone(2), "natural", "0 of 1 bodies"),
        (slider_crank(), "tree", "close loops: 1"),
        (SCENES["AncfCable"](), "natural", "AncfCable"),
        (arm_with_cable(), "tree", "2 of 3 bodies"),
        (flexible_crank(), "natural", "'rod' keeps coordinates of its own"),
        (ring(16), "tree", "close loops: 1"),
        (ring(20), "natural", "'j10' closes a loop of 20 coordinates of joints"),
        (SCENES["Gear"](), "tree", "2 of 2 bodies"),
        (SCENES["ReducedInertia"](), "natural", "masses of its own"),
    ],
    ids=lambda x: x.bodies[0].name if isinstance(x, fm.System) else x,
)
def test_a_tree_is_taken_where_it_can_be_and_pays(system, name, words):
    found, why = taken("auto", system)
    assert found == name and why.startswith(f"{name}: ")
    names(why, words)
    assert [taken(key, system) for key in ("natural", "tree")] == [("natural", "as set"), ("tree", "as set")]
    assert fm.Equations(system, "auto").formulation == name


def test_loops_in_space_are_counted_by_joints():
    s = arm()
    tip = s.bodies[-1].at(0.0, 0.0, 0.15)
    s.add(fm.Spherical("hand", tip, s.ground.at(0.0, 0.02, 1.8)))
    assert taken("auto", s)[0] == "tree"
    found, why = taken("auto", s, fm.tuning.Tuning(tree_loops=0.1))
    assert found == "natural" and why.endswith("close loops: 1")


@pytest.mark.parametrize(
    ("settings", "name", "words"),
    [
        ({}, "tree", ""),
        ({"integrator": "moreau", "step": 1e-3}, "tree", ""),
        ({"integrator": "generalized_alpha"}, "tree", ""),
        ({"integrator": "generalized_alpha", "tuning": fm.tuning.Tuning(tree_coordinates=2)}, "natural", "3 coordinates of joints"),
        ({"integrator": "energy_momentum", "step": 1e-3}, "natural", "constant masses"),
        ({"linear_solver": "superlu", "lanes": 1}, "natural", "sparse"),
    ],
)
def test_settings_that_are_for_natural_coordinates(settings, name, words):
    found, reasons = chosen(as_settings({"formulation": "auto", **settings}), chain(1.0), 1.0)
    assert found.formulation == name and words in reasons["solver.formulation.reason"]


def test_a_run_says_what_it_took_and_is_that_run():
    runs = {key: fm.run(chain, {"mass": np.array([1.0, 2.0])}, settings={"formulation": key}, **RUN) for key in ("auto", "tree")}
    for name in RUN["outputs"]:
        assert np.array_equal(runs["auto"][name], runs["tree"][name])
    told = runs["auto"].attributes
    assert told["solver.formulation"] == "tree"
    assert told["solver.formulation.reason"] == "tree: 3 of 3 bodies hang on joints without rows; joints that close loops: 0"
    assert "solver.formulation.reason" not in runs["tree"].attributes
    prepared = fm.prepare(chain, {"mass": np.ones(1)}, settings={"formulation": "auto"}, **RUN)
    assert prepared.attributes["solver.formulation"] == "tree" and "pin0[0]" not in prepared.available


def test_a_turning_frame_is_for_natural_coordinates():
    build = partial(fm.Equations, lone(3), spinning=(0.0, 0.0, 1.0))
    assert build("auto").formulation == "natural"
    names(said(lambda: build("tree")), "turning frame", "natural")


def test_outputs_are_those_of_what_is_taken_and_other_names_are_refused():
    assert fm.output_units(chain(1.0), "auto") == fm.output_units(chain(1.0), "tree")
    for build in (lambda: as_settings({"formulation": "aut"}), lambda: fm.Equations(chain(1.0), "aut")):
        names(said(build), "'aut'", "near names: auto")
