"""Properties of common materials and lubricants, and published tables: the files of `data/` at the top of the project."""

import csv
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.material import Material
from flexmbd.suggest import unknown


@dataclass(frozen=True, eq=False)
class Lubricant:
    """An oil by two viscosities and its density.

    Parameters
    ----------
    name : str
    at_40, at_100 : float
        Kinematic viscosity at 40 and at 100 degrees Celsius, m²/s.
    density : float
        At 15 degrees Celsius, kg/m³; taken as constant (it falls by some 4 % up to 80 degrees).
    source : str

    Examples
    --------
    >>> import flexmbd as fm
    >>> oil = fm.Lubricant("mine", at_40=32e-6, at_100=5.4e-6, density=870.0)
    >>> round(float(oil.viscosity(273.15 + 40.0)), 5)  # Pa s
    0.02784
    """

    name: str
    at_40: float
    at_100: float
    density: float
    source: str = ""

    @property
    def law(self):
        """Kinematic viscosity by temperature (`Walther`, through both points), as films and `FilmTemperature` take it."""
        from flexmbd.lubrication.viscosity import CELSIUS, Walther  # only now: a table of materials needs no solver

        return Walther.through((CELSIUS + 40.0, CELSIUS + 100.0), (self.at_40, self.at_100))

    def kinematic_viscosity(self, temperature):
        """In m²/s at `temperature` (K, float or ndarray)."""
        return self.law.viscosity(temperature)

    def viscosity(self, temperature):
        """Dynamic viscosity in Pa s at `temperature` (K, float or ndarray)."""
        return self.density * self.kinematic_viscosity(temperature)


def material(name):
    """Elastic constants and density of a common material, at room temperature.

    Parameters
    ----------
    name : str
        As in ``data/materials.toml``: "steel", "stainless_steel", "bronze", "PTFE" ...; capitals, blanks and hyphens do not matter.

    Returns
    -------
    Material
        With E (Pa), nu, density (kg/m³), name and source.

    Raises
    ------
    ModelError
        If it is not there, with names near to it.

    Examples
    --------
    >>> import flexmbd as fm
    >>> steel = fm.material("steel")
    >>> steel.E, steel.nu, steel.density
    (207000000000.0, 0.3, 7850.0)
    """
    key, entry = _entry("material", name, "materials.toml")
    return Material(entry["E"], entry["nu"], entry["density"], key, entry["source"])


def lubricant(name):
    """A mineral oil by its ISO viscosity grade.

    Parameters
    ----------
    name : str
        As in ``data/lubricants.toml``: "ISO VG 10" ... "ISO VG 680"; capitals, blanks and hyphens do not matter.

    Returns
    -------
    Lubricant

    Raises
    ------
    ModelError
        If it is not there, with names near to it.

    Examples
    --------
    >>> import flexmbd as fm
    >>> oil = fm.lubricant("ISO VG 32")
    >>> [round(float(oil.viscosity(273.15 + t)), 4) for t in (40.0, 60.0, 80.0)]  # Pa s
    [0.0278, 0.0131, 0.0073]
    """
    key, entry = _entry("lubricant", name, "lubricants.toml")
    return Lubricant(key, 1e-6 * entry["at_40"], 1e-6 * entry["at_100"], entry["density"], entry["source"])


def published(name):
    """A published table: columns by name, numbers as ndarray, words as list.

    Raises
    ------
    ModelError
        If ``data/published`` has no such table.

    Examples
    --------
    >>> from flexmbd.properties import published
    >>> sorted(published("raimondi_boyd"))[:3]  # columns
    ['S_converged', 'S_table', 'attitude_converged']
    """
    folder = _data() / "published"
    known = sorted(file.name.removesuffix(".csv") for file in folder.iterdir() if file.name.endswith(".csv"))
    if name not in known:
        raise unknown("table", name, known)
    lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    head, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    return {key: _column(cells) for key, cells in zip(head, zip(*rows, strict=True), strict=True)}


def _column(cells):
    try:
        return np.array([float(x) for x in cells])
    except ValueError:
        return list(cells)


def _data():
    """Folder of the data: beside the sources, or inside the package when that is installed."""
    project = Path(__file__).resolve().parents[2]
    return project / "data" if (project / "pyproject.toml").is_file() else resources.files("flexmbd") / "data"


@cache
def _table(file):
    return tomllib.loads((_data() / file).read_text(encoding="utf-8"))


def _entry(what, name, file):
    """Name as in the file, and its entry."""
    table = _table(file)
    if not isinstance(name, str):
        raise ModelError(f"{what} is {name!r}; it must be a name, such as '{next(iter(table))}'")
    for key, entry in table.items():
        if _plain(key) == _plain(name):
            return key, entry
    raise unknown(what, name, table)


def _plain(name):
    return "".join(c for c in name.lower() if c.isalnum())
