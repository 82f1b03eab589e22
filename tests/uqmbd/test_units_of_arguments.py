"""Dimensions of inputs against what the mechanism takes them for."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm
import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.inputs.units import same_dimension, to_si
from uqmbd.methods.sets.convex import ConvexBounds
from uqmbd.study.trial import Trial, check_dimensions, units_of

DOCS = Path(__file__).parents[2] / "docs"


def pendulum(clearance, restitution, mass, gap):
    """The last is doubled on its way: nothing is known of it."""
    system = fm.System(gravity=(0.0, -9.81))
    rod = system.body("rod", mass=mass, inertia=mass / 300, position=(0.1, 0.0), points={"O": (-0.1, 0.0), "tip": (2 * gap, 0.0)})
    law = fm.LankaraniNikravesh(stiffness=1e8, restitution=restitution)
    system.add(fm.ClearanceRevolute("pin", rod["O"], system.ground.at(0.0, 0.0), clearance, law))
    return system


def scalar_only(clearance, restitution, mass, gap):
    """The same, for single numbers."""
    return pendulum(clearance if clearance > 0 else 1.0, restitution, mass, gap)


SOME = {name: np.array([0.3, 0.5, 0.7]) * size for name, size in (("clearance", 1e-3), ("restitution", 1), ("mass", 1), ("gap", 1))}
KNOWN = {"clearance": [("pin.clearance", "m")], "mass": [("rod.mass", "kg")]}


def inputs(**units):
    sizes = {"clearance": (0.2e-3, 0.4e-3), "restitution": (0.2, 0.4), "mass": (0.2, 0.4), "gap": (0.02, 0.03)}
    return {name: uq.Interval(*ends, unit=units.get(name, "")) for name, ends in sizes.items()}


def study(model=pendulum, **more):
    return uq.Study(model=model, time=uq.TimeGrid(end=0.01, points=3), outputs=["rod.tip.y"], method=uq.Chebyshev(degree=1), **more)


def test_arguments_are_followed_into_the_model():
    """Also two whose samples are alike, and not into what is equal by chance."""
    found = fm.argument_units(pendulum, SOME)
    assert {name: found[name] for name in KNOWN} == KNOWN and "gap" not in found
    assert fm.argument_units(pendulum, SOME | {"restitution": SOME["mass"]})["mass"] == KNOWN["mass"]

    def of_length(length):
        system = fm.System()
        bar = system.body("bar", mass=1.0 * length, inertia=length**3 / 12)
        system.add(fm.DiscPlane("rim", bar.centre, system.ground.at(0.0, -1.0), length, fm.HuntCrossley(1e8, restitution=0.6)))
        return system

    assert fm.argument_units(of_length, {"length": SOME["gap"]}) == {"length": [("rim.radius", "m")]}
    assert fm.argument_units(scalar_only, SOME) == {}


def test_one_use_of_the_right_dimension_is_enough():
    check_dimensions({"d": ("mm", "inputs.d.unit")}, {"d": [("rod.mass", "kg"), ("pin.clearance", "m")]})


@pytest.mark.parametrize(
    ("name", "unit", "words"), [("clearance", "kg", "pin.clearance, which is in m"), ("mass", "um", "rod.mass, which is in kg")]
)
def test_another_dimension_is_refused(name, unit, words):
    with pytest.raises(StudyError, match=re.escape(words)) as error:
        assert Trial(study(inputs=inputs(**{name: unit}))).tried
    assert error.value.key == f"inputs.{name}.unit" and error.value.value == unit and error.value.remedy


def test_the_right_dimension_and_no_unit_pass():
    check_dimensions(units_of(study(inputs=inputs(clearance="inch", mass="lb")).inputs), KNOWN)
    assert not units_of(study(inputs=inputs()).inputs)


def test_members_of_sets_are_checked():
    sets = {"both": {"inputs": ["clearance", "mass"], "covariance": [[1e-4, 0], [0, 1e-4]], "center": [0.3, 0.3], "radius": 1}}
    sets["both"]["units"] = ["g", "kg"]
    free = {name: item for name, item in inputs().items() if name in ("restitution", "gap")}
    made = uq.Study(
        model=pendulum, time=uq.TimeGrid(end=0.01, points=3), inputs=free, outputs=["rod.tip.y"], method=ConvexBounds(degree=1), sets=sets
    )
    with pytest.raises(StudyError, match=re.escape("'clearance' is given in g")) as error:
        check_dimensions(units_of(made.inputs), KNOWN)
    assert error.value.key == "sets.both.units"


@pytest.mark.parametrize("unit", ["mu", "N/mu", "u"])
def test_an_atomic_mass_is_no_micrometre(unit):
    with pytest.raises(StudyError, match="atomic mass") as error:
        to_si(unit)
    assert "um (a micrometre)" in error.value.remedy


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("deg", "1", True), ("N*m", "N m/rad", True), ("percent", "1", True), ("mm", "1", False), ("kg", "m", False), ("cSt", "Pa s", False)],
)
def test_dimensions(one, other, same):
    assert same_dimension(one, other) == same


def test_units_of_all_scenes_are_those_of_the_page_of_elements():
    """Every number of every element of the page whose unit is known here has that unit in the words of its argument there."""
    sys.path.insert(0, str(DOCS))
    try:
        from element_scenes import SCENES
    finally:
        sys.path.remove(str(DOCS))
    page = (DOCS / "elements.md").read_text()
    held = 0
    for name, made in SCENES.items():
        system = made()
        chapter = page.partition(f"\n### {name.partition('_with')[0]}\n")[2].partition("\n### ")[0]
        for path in system.parameters():
            owner, *parts = path.removeprefix("@").split(".")
            if owner != "it" or len(parts) != 1 or (unit := system.parameters().unit(path)) is None:
                continue
            row = re.search(rf"^\| `{parts[0]}` \|[^|]*\|(.*)\|$", chapter, re.MULTILINE)
            if row is None or not re.search(r"\b(kg|m|N|rad|s)\b", row[1]):
                continue
            words = row[1].replace("²", "^2")
            assert re.search(rf"(?<![\w/]){re.escape(unit)}(?![\w/^])", words), (name, parts, unit, row[1])
            held += 1
    assert held > 15
