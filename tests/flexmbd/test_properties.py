"""The files of data/: what they say, where it is found, and how it is named."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.properties import published

from .sentences import names, said

ROOT = Path(__file__).parents[2]
MATERIALS, LUBRICANTS = (tomllib.loads((ROOT / "data" / f"{x}.toml").read_text(encoding="utf-8")) for x in ("materials", "lubricants"))
KELVIN = 273.15


@pytest.mark.parametrize("name", MATERIALS)
def test_materials_are_possible_and_have_a_source(name):
    found = fm.material(name)
    assert isinstance(found, fm.Material) and found.name == name and found.source
    assert 1e6 <= found.E < 1e12 and 0.15 < found.nu < 0.5 and 500.0 < found.density < 2e4
    known = ("Callister", "Philpot", "Dowling", "CRC", "typical")
    assert any(word in found.source for word in known) and MATERIALS[name]["kind"]


def test_steel_in_a_contact_gives_the_stiffness_of_its_numbers():
    steel = fm.material("steel")
    assert (steel.E, steel.nu, steel.density) == (207e9, 0.30, 7850.0)
    wanted = 4.0 / 3.0 / (2.0 * (1.0 - 0.3**2) / 207e9) * np.sqrt(0.01)
    assert fm.hertz_sphere_stiffness(0.02, 0.02, steel, steel, conformal=False) == pytest.approx(wanted)


@pytest.mark.parametrize("name", LUBRICANTS)
def test_lubricants_have_the_viscosity_of_their_grade(name):
    oil, grade = fm.lubricant(name), float(name.rpartition(" ")[2])
    assert 1e6 * oil.kinematic_viscosity(KELVIN + 40.0) == pytest.approx(grade, rel=1e-12)
    assert 1e6 * oil.kinematic_viscosity(KELVIN + 100.0) == pytest.approx(LUBRICANTS[name]["at_100"], rel=1e-12)
    assert oil.viscosity(KELVIN + 40.0) == pytest.approx(oil.density * 1e-6 * grade)
    between = oil.viscosity(KELVIN + np.array([20.0, 40.0, 60.0, 100.0]))
    assert np.all(np.diff(between) < 0.0)
    warm = KELVIN + np.array([60.0, 80.0, 100.0])  # DIN 31652: another formula, for an index near 100
    assert oil.viscosity(warm) == pytest.approx(fm.Vogel.iso_vg(grade, oil.density).viscosity(warm), rel=0.12)


def test_grades_are_those_of_the_norm():
    grades = [10, 15, 22, 32, 46, 68, 100, 150, 220, 320, 460, 680]
    assert list(LUBRICANTS) == [f"ISO VG {grade}" for grade in grades]
    assert all(entry["source"] for entry in LUBRICANTS.values())


def test_viscosity_index_of_the_grades_is_95():
    """L and H of the rows of ASTM D2270, table 1, that are next to VG 32 (5.3 mm²/s at 100 degrees Celsius) and VG 100 (11.1 mm²/s)."""
    for name, L, H in (("ISO VG 32", 45.53, 31.40), ("ISO VG 100", 176.6, 96.45)):
        assert 100.0 * (L - LUBRICANTS[name]["at_40"]) / (L - H) == pytest.approx(95.0, abs=1.0)


def test_names_are_forgiving_and_unknown_ones_are_answered_with_near_ones():
    assert fm.material("Stainless-Steel").name == "stainless_steel" and fm.lubricant("iso vg46").name == "ISO VG 46"
    names(said(lambda: fm.material("stel")), "'stel'", "steel")
    names(said(lambda: fm.lubricant("ISO VG 45")), "'ISO VG 45'", "ISO VG 46")
    names(said(lambda: fm.material(3)), "3", "name")
    names(said(lambda: published("elastika")), "'elastika'", "elastica")


@pytest.mark.parametrize("path", sorted((ROOT / "data" / "published").glob("*.csv")), ids=lambda path: path.stem)
def test_published_tables_name_source_and_licence(path):
    comments = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    assert any("licence" in line for line in comments) and len(comments) >= 3
    table = published(path.stem)
    assert len({len(column) for column in table.values()}) == 1 and len(table) >= 2


def test_the_page_of_the_data_names_every_file():
    page = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    assert all(name in page for name in ("materials.toml", "lubricants.toml", "published/*.csv"))


def test_an_installed_package_finds_its_data(tmp_path):
    """Copied as the wheel's settings say, away from the project."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    for package in wheel["packages"]:
        shutil.copytree(ROOT / package, tmp_path / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    for source, target in wheel["force-include"].items():
        shutil.copytree(ROOT / source, tmp_path / target)
    script = """import flexmbd as fm
from flexmbd.properties import published
print(fm.__file__, fm.material("PTFE").nu, fm.lubricant("ISO VG 46").density, *published("elastica"))
"""
    done = subprocess.run([sys.executable, "-P", "-c", script], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)},
                          capture_output=True, text=True, timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stderr
    where, *found = done.stdout.split()
    assert where == str(tmp_path / "flexmbd" / "__init__.py")
    assert found == ["0.46", "875.0", "load", "tip_angle", "shortening", "deflection"]
