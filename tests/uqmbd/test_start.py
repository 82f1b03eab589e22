"""What a study costs before and after its runs: units without pint, owners of modules."""

import importlib.metadata
import subprocess
import sys

from uqmbd.inputs import units
from uqmbd.inputs.usual import UNITS
from uqmbd.study.manifest import owners_of_modules


def test_usual_units_are_those_of_pint_to_the_last_bit():
    for unit in UNITS:
        assert units.to_si(unit) == units.of_pint(unit), unit


def test_usual_units_load_no_pint():
    code = "import sys; from uqmbd.inputs import Interval; Interval(1.0, 2.0, unit='mm').to_si(); assert 'pint' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_owners_of_modules_are_those_that_the_library_finds():
    found, known = owners_of_modules(), importlib.metadata.packages_distributions()
    for module in ("numpy", "xarray", "yaml", "zarr", "typer", "scipy"):
        assert set(found.get(module, ())) == set(known.get(module, ())), module
