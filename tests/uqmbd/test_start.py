"""What a study costs before and after its runs: units without pint, owners of modules."""

import importlib.metadata
import subprocess
import sys

from uqmbd.inputs import units
from uqmbd.inputs.usual import UNITS
from uqmbd.study import manifest


def test_usual_units_are_those_of_pint_to_the_last_bit():
    for unit in UNITS:
        assert units.to_si(unit) == units.of_pint(unit), unit


def test_usual_units_load_no_pint():
    code = "import sys; from uqmbd.inputs import Interval; Interval(1.0, 2.0, unit='mm').to_si(); assert 'pint' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_process_that_tries_a_model_loads_no_results():
    """It measures how long a command loads them."""
    code = "import sys; import uqmbd.study.measuring; print({'xarray', 'pandas', 'zarr'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


def test_owners_of_modules_are_those_that_the_library_finds():
    known = importlib.metadata.packages_distributions()
    for module in ("numpy", "xarray", "yaml", "zarr", "typer", "scipy"):
        names = {manifest.name_and_version(one)[0] for one in manifest.brought().get(module, ())}
        assert names == set(known.get(module, ())), module


def test_versions_are_those_that_the_library_finds():
    found = manifest.packages()
    assert {"numpy", "xarray", "uqmbd"} <= found.keys()
    assert found == {name: importlib.metadata.version(name) for name in found}


SMALL = """
import sys
import uqmbd.cli
import uqmbd as uq
inputs = {{"a": uq.Interval(1.0, 2.0), "b": uq.Interval(1.0, 2.0)}}
study = uq.Study(
    model=lambda a, b, time: {{"y": a * b, "h": a * time + b * b}}, inputs=inputs, outputs=["y", "h", "h:max"],
    method=uq.Chebyshev(degree=4), time=uq.TimeGrid(end=1.0, points=401), campaign={{"workers": 0}},
)
study.run(out={out!r}, report=False, progress=False)
print([name for name in {names!r} if name in sys.modules])
"""


def test_a_small_study_loads_no_package_that_it_does_not_need(tmp_path):
    """Each of them takes 0.1 to 0.7 s, or, where it compiles, 13 s once a machine."""
    names = ["numba", "scipy", "dask", "distributed", "pint", "chaospy", "matplotlib", "plotly"]
    code = SMALL.format(out=str(tmp_path / "r"), names=names)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]"


def test_arrays_of_dask_and_pint_are_known_once_they_are_imported():
    code = (
        "import sys, uqmbd.cli, uqmbd.result, numpy, xarray\n"
        "plain = xarray.Dataset({'a': ('x', numpy.ones(3))}); assert not plain.chunks and not {'dask', 'pint'} & set(sys.modules)\n"
        "import dask.array; lazy = xarray.DataArray(dask.array.ones(3, chunks=2), dims='x'); assert lazy.chunks == ((2, 1),), lazy\n"
        "assert float(lazy.mean()) == 1.0 and plain.chunk(x=1).chunks['x'] == (1, 1, 1)\n"
        "import pint; kept = xarray.DataArray(numpy.ones(3) * pint.Unit('m')); assert 'meter' in str(kept.data.units)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
