"""Groups of results: those of uqmbd, and one that a method declares with a dimension of its own."""

import ast
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.figures.histories import spread
from uqmbd.groups import BY_STUDY, OURS, GroupSpec
from uqmbd.method_facts import Estimates, FromAttributes, Limit
from uqmbd.outcomes import Axis, OutputInfo
from uqmbd.result_data import ResultData
from uqmbd.sealing import seal
from uqmbd.tables.files import latex

from . import method_gallery as gallery

HITS = GroupSpec("hits", ("wall", "side"), "how often runs reached each wall", unit="1")
FORCE = GroupSpec("force_at", ("wall",), "force at each wall")
CHAIN = GroupSpec("chain", ("draw",), "states of a chain", unit="1", per_output=False)
TIME = np.linspace(0.0, 1.0, 5)


@pytest.fixture
def result():
    walls, sides = ["left", "right", "top"], ["in", "out"]
    counts = {"y": (("wall", "side"), np.arange(6.0).reshape(3, 2)), "h": (("wall", "side", "time"), np.arange(30.0).reshape(3, 2, 5))}
    forces = {"y": ("wall", [1.0, 2.0, 3.0], {"unit": "N"}), "p": (("wall", "frequency"), np.ones((3, 4)), {"unit": "Pa"})}
    chain = {"mass": ("draw", [1.0, 2.0, 4.0]), "accepted": ((), 0.4)}
    time, frequency = ("time", TIME, {"unit": "s"}), ("frequency", np.arange(4.0), {"unit": "Hz"})
    return uq.Result(
        specs=(HITS, FORCE, CHAIN),
        hits=xr.Dataset(counts, {"wall": walls, "side": sides, "time": time}),
        force_at=xr.Dataset(forces, {"wall": walls, "frequency": frequency}),
        chain=xr.Dataset(chain),
        inner=xr.Dataset({"y": ("bound", [1.0, 2.0])}, {"bound": ["lower", "upper"]}),
        attrs={"study": "walls", "method": "own.py:Walls"},
    )


def test_a_group_of_a_methods_own_is_opened_without_the_method(result, tmp_path):
    again = uq.open_results(result.save(tmp_path))
    for key in ("hits", "force_at", "chain", "inner"):
        assert again[key].identical(result[key]), key
    assert again.specs == result.specs and again.outputs == result.outputs == ["y", "h", "p"]
    assert again.hits is again["hits"] and set(again.tree.children) == {"inner", "hits", "force_at", "chain"}


def test_a_dimension_of_the_groups_own_is_no_axis_of_an_output(result):
    assert [result.axes_of(name) for name in result.outputs] == [(), ("time",), ("frequency",)]
    assert result.axis_of("h", "hits") == "time" and result.axis_of("h", "inner") is None


def test_its_tables_are_saved_as_csv_and_latex(result, tmp_path):
    frames = {frame.key: frame for frame in result.tables()}
    assert frames["hits_y"].table.loc["right", "out"] == 3.0 and frames["hits_y"].caption == "How often runs reached each wall: y"
    assert list(frames["hits_h"].table.columns) == ["left in", "left out", "right in", "right out", "top in", "top out"]
    assert frames["hits_h"].table.index.name == "time" and frames["force_at_p"].table.shape == (4, 3)
    assert frames["force_at_y"].units == {"force_at": "N"} and "force at [N]" in latex(frames["force_at_y"])
    assert frames["chain"].table.loc["accepted", "chain"] == 0.4 and frames["chain_mass"].table.shape == (3, 1)
    folder = result.save(tmp_path) / "tables"
    assert pd.read_csv(folder / "hits_y.csv", index_col="wall").loc["top"].tolist() == [4.0, 5.0]
    assert (folder / "hits_y.tex").is_file()


def test_a_group_that_nobody_declared_is_refused():
    with pytest.raises(StudyError, match=r"no group 'bonds'[\s\S]*did you mean \"bounds\"\?"):
        uq.Result(bonds=xr.Dataset())
    with pytest.raises(AttributeError, match="bonds"):
        _ = uq.Result().bonds
    for wrong in (GroupSpec("bounds", ("wall",)), GroupSpec("two words")):
        with pytest.raises(StudyError, match="cannot have this name"):
            uq.Result(specs=(wrong,))


def test_what_a_later_version_says_of_a_group_is_left_out(result, tmp_path):
    """And of a group that says no name nothing is guessed."""
    store = result.save(tmp_path) / "result.zarr"
    root = json.loads((store / "zarr.json").read_text())
    for entry in root["attributes"]["groups"]:
        entry["colour"] = "red"
    for change, opens in (("colour", True), ("name", False)):
        root["attributes"]["groups"][-1].pop(change)
        (store / "zarr.json").write_text(json.dumps(root))
        seal(store)
        (tmp_path / "checksums.json").unlink(missing_ok=True)
        if opens:
            assert uq.open_results(tmp_path).specs == result.specs
        else:
            with pytest.raises(StudyError, match="cannot be read"):
                uq.open_results(tmp_path)


def test_an_output_over_a_dimension_of_the_methods_groups_is_refused():
    class Walls(uq.Vertex):
        groups = (HITS,)

    over_walls = {"p": OutputInfo("Pa", Axis("wall", np.arange(3.0)))}
    with pytest.raises(StudyError, match="'p' is over wall, which the method vertex has as a dimension"):
        Walls().start({"a": uq.Interval(0.0, 1.0)}, over_walls, TIME, 0)


def test_groups_are_attributes_that_type_checkers_know():
    assert set(ResultData.__annotations__) - {"folder"} == {spec.name for spec in OURS}
    changed = uq.Result().replaced(bounds=xr.Dataset({"y": ("bound", [0.0, 1.0])}), attrs={"study": "s"})
    assert changed.outputs == ["y"] and changed.facts.study == "s" and uq.Result().outputs == []


@gallery.MOST
def test_a_method_declares_the_groups_that_it_fills(case):
    declared = {spec.name for spec in (*case.method.groups, *BY_STUDY)}
    assert {name for name, _ in case.result.kept_groups()} <= declared


@pytest.mark.parametrize(
    "path", [path for room in ("tables", "figures", "report") for path in Path(uq.__path__[0], room).glob("*.py")], ids=str
)
def test_nobody_who_shows_a_result_reads_an_attribute_by_a_string(path):
    """What is decided by is a field of `Facts`, or of a class of `uqmbd.method_facts`."""

    def is_attrs(node):
        return (isinstance(node, ast.Attribute) and node.attr == "attrs") or (isinstance(node, ast.Name) and node.id == "attrs")

    def reads(node):
        if isinstance(node, ast.Subscript):
            return is_attrs(node.value)
        if isinstance(node, ast.Compare):
            return isinstance(node.ops[0], (ast.In, ast.NotIn)) and is_attrs(node.comparators[0])
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and is_attrs(node.func.value)

    assert [node.lineno for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if reads(node)] == []


def test_facts_of_a_methods_own_are_read_by_a_class_of_its_own():
    @dataclass(frozen=True)
    class Chain(FromAttributes):
        accepted: float = 0.0
        burn_in: int = 100

    assert uq.Result(attrs={"accepted": 0.3, "method": "chain.py:Chain"}).facts_of(Chain) == Chain(0.3, 100)


@pytest.mark.parametrize(
    ("attrs", "limit"),
    [
        ({"settings": {"output": "y", "above": 2.0, "approach": "sorm"}}, Limit("y", "above", 2.0, "sorm")),
        (
            {"settings": {"output": "y", "below": 2.0}, "limit": 0.002, "estimated_by": "subset simulation"},
            Limit("y", "below", 0.002, "form", "subset simulation"),
        ),
        ({"points_against_plane": [3, 1], "method": "reliability"}, Limit(plane_refuted=True)),
        ({"points_against_plane": 3, "plane_refuted": False}, Limit()),
    ],
    ids=["settings", "in the unit of the output", "an earlier version", "both versions"],
)
def test_the_limit_of_a_reliability_study(attrs, limit):
    assert uq.Result(attrs=attrs).facts_of(Limit) == limit


@pytest.mark.parametrize(
    ("attrs", "about", "sampling"),
    [
        ({"method": "sensitivity"}, "indices", ""),
        ({"method": "pce", "design": "quadrature"}, "outputs", ""),
        ({"method": "pce"}, "outputs", "random"),
        ({"method": "reliability", "settings": {"approach": "montecarlo"}}, "limit", "random"),
        ({"method": "own.py:Walls", "about": "indices", "sampling": "chosen"}, "indices", "chosen"),
    ],
)
def test_what_a_method_is_about_is_said_by_it_and_known_of_earlier_results(attrs, about, sampling):
    facts = uq.Result(attrs=attrs).facts
    assert (facts.about, facts.sampling) == (about, sampling)


def test_only_a_method_that_is_about_estimates_has_their_tables():
    """What another one calls an estimate is its own; a plug-in's method says that it is about estimates, and has the tables."""
    said = {"method": "posterior", "estimate": {"k": 2.0}, "estimate_std": {"k": 0.1}}
    keys = [[frame.key for frame in uq.Result(attrs=said | {"about": about}).tables()] for about in ("outputs", "estimates")]
    assert "estimates" not in keys[0] and "estimates" in keys[1]
    assert uq.Result(attrs=said | {"method": "calibrate"}).facts_of(Estimates).estimate == {"k": 2.0}, "one of version 0.1.0"


@pytest.mark.parametrize(
    ("attrs", "words"),
    [
        ({"method": "mine", "spread": "along the edges"}, "random runs along the edges:"),
        ({"method": "mine"}, "random runs spread evenly over the box:"),
        ({"method": "convex"}, "random runs spread evenly over the set:"),
    ],
)
def test_a_method_says_where_its_random_runs_lie(attrs, words):
    assert words in spread(uq.Result(attrs=attrs))
