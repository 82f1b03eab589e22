"""What docs/flexmbd/architecture.md prints is what the program prints, station by station; its motion is that of another integrator."""

import ast
import doctest
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbd as fm

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "flexmbd" / "architecture.md"
TEXT = PAGE.read_text(encoding="utf-8")
HOUSE = ROOT / "solvers" / "flexmbd"


@pytest.fixture(scope="module")
def walked():
    """What was wrong, and the names that the walk leaves."""
    walk, said = doctest.DocTestParser().get_doctest(TEXT, {}, "walk", str(PAGE), 0), []
    names = walk.globs
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    with np.printoptions(legacy=False):
        runner.run(walk, out=said.append, clear_globs=False)
    return said, names


def test_every_station_prints_what_the_page_says(walked):
    said, _ = walked
    assert not said, "".join(said)


def test_twelve_stations_each_with_its_files():
    stations = re.findall(r"^### (\d+)\. (.*): (.*)$", TEXT, re.M)
    assert [int(number) for number, *_ in stations] == list(range(1, 13))
    for number, _, files in stations:
        named = re.findall(r"`([^`]+)`", files)
        assert named and all((HOUSE / name).is_file() for name in named), f"station {number}: {named}"
        part = TEXT.split(f"### {number}. ")[1].split("### ")[0]
        assert ">>>" in part, f"station {number} prints nothing"


def test_nine_boxes_have_every_room():
    picture = TEXT.split("```text")[1].split("```")[0]
    assert [int(x) for x in re.findall(r"\b([1-9]) [a-z]", picture)] and set(re.findall(r"\b([1-9]) [a-z]", picture)) == set("123456789")
    rooms = {path.parent.name for path in HOUSE.glob("*/__init__.py")}
    beside = TEXT.split("Beside the boxes")[1].split("\n\n")[0]
    assert not [room for room in rooms if not re.search(rf"\b{room}\b", picture + beside)]


def test_the_end_of_the_walk_by_another_integrator(walked):
    """The pendulum in its angle: inertia about the pin, weight, and the spring's force by its own geometry."""
    run = walked[1]["run"]
    for stiffness, angle in zip((40.0, 50.0), run["rod.angle"], strict=True):

        def rates(_, x, stiffness=stiffness):
            c, s = np.cos(x[0]), np.sin(x[0])
            away = np.array([1.0 - c, 1.0 - s])  # from B to the spring's foot
            length = np.hypot(*away)
            pull = stiffness * (length - 0.8) * away / length
            return [x[1], (c * pull[1] - s * pull[0] - 2.0 * 9.81 * 0.5 * c) / (0.17 + 2.0 * 0.25)]

        wanted = solve_ivp(rates, (0.0, 1.0), [0.0, 0.0], t_eval=run.time, rtol=1e-11, atol=1e-12).y[0]
        np.testing.assert_allclose(angle, wanted, atol=1e-7)


def imported(path, known):
    """Modules of the house that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {name if (name := f"{node.module}.{x.name}") in known else node.module for x in node.names}
    return found & set(known)


def test_what_no_model_uses_says_so_in_its_first_line():
    """Itself or its room; what reports show of a run, and tables of materials, are for models."""
    known = {".".join(path.relative_to(HOUSE.parent).with_suffix("").parts).removesuffix(".__init__"): path for path in HOUSE.rglob("*.py")}
    left = [name for name in known if name.startswith(("flexmbd.running", "flexmbd.analysis"))]
    left += ["flexmbd.system", *(f"flexmbd.{module}" for module in fm._NAMES)]
    left += ["flexmbd.viewer.block", "flexmbd.viewer.cases"]  # scenes of reports
    used = {"flexmbd.properties", "flexmbd.lubrication.fields"}
    while left:
        name = left.pop()
        if name in known and name not in used:
            used.add(name)
            left += imported(known[name], known)
    rooms = {name for name, path in known.items() if path.name == "__init__.py"}
    used |= {room for room in rooms if any(name.startswith(f"{room}.") for name in used)}
    alone = {name for name, path in known.items() if "stand alone" in (said := path.read_text().split("\n")[0]) or "tands alone" in said}
    assert "flexmbd.impacts.planar" in alone
    silent = [name for name in known if name not in used | alone and name.rpartition(".")[0] not in alone]
    assert not silent, silent
