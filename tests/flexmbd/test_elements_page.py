"""The page of elements: all of them are on it, with words for arguments and outputs, and it is up to date."""

import importlib.util
import inspect
import sys
from pathlib import Path

import pytest

import flexmbd as fm
from flexmbd.bodies.base import Body
from flexmbd.element import Element

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def page():
    sys.path.insert(0, str(DOCS))
    try:
        spec = importlib.util.spec_from_file_location("elements", DOCS / "elements.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS))
    return module


def test_the_page_of_elements_is_up_to_date(page):
    text = page.page()
    assert [line for line in text.splitlines() if line.endswith("|  |")] == [], "arguments or outputs without words"
    assert text == page.PAGE.read_text(encoding="utf-8"), "run: python docs/elements.py"


def test_pictures_are_up_to_date(page):
    for name, svg in page.pictures().items():
        assert svg == (page.PICTURES / f"{name}.svg").read_text(encoding="utf-8"), "run: python docs/elements.py"


def test_every_element_is_on_the_page(page):
    listed = {name for sections in (page.SECTIONS, page.OTHERS) for names in sections.values() for name in names.split()}
    kinds = {name for name in fm.__all__ if inspect.isclass(kind := getattr(fm, name)) and issubclass(kind, (Body, Element))}
    assert kinds <= listed


def test_every_output_of_every_scene_has_words(page):
    for scene in page.SCENES.values():
        system = scene()
        names = fm.output_units(system)
        assert sorted(fm.output_meanings(system, names)) == sorted(names)


def test_axis_point_and_place_of_contact_are_in_the_words(page):
    system = page.SCENES["BoxPlane"]()
    words = fm.output_meanings(system, ["box.vy", "it.3.normal", "energy.balance"])
    assert words["box.vy"] == "velocity along the y axis"
    assert words["it.3.normal"] == "normal force; zero without contact, place of contact 3"
    system = page.SCENES["Spring"]()
    system.alias("pull", "it.force")
    words = fm.output_meanings(system, ["link.E.ax", "pull", "link.E.nonsense"])
    tension = "force of spring and damper; positive is tension"
    assert words == {"link.E.ax": "acceleration along the x axis, of the point E", "pull": tension}


def test_an_element_of_ones_own_says_its_words(page):
    class Gauge(fm.Spring):
        meanings = {"force": "what the gauge shows"}

    system = page.SCENES["Spring"]()
    system.add(Gauge("gauge", system.ground.at(0.5, 0.8), system.bodies[0]["E"], 1.0))
    assert fm.output_meanings(system, ["gauge.force", "gauge.length"]) == {"gauge.force": "what the gauge shows", "gauge.length": "length"}
