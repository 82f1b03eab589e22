"""The runs of a result as one file for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from uqmbd.errors import StudyError

if TYPE_CHECKING:
    import xarray as xr

FORMATS = {".csv": "numbers of each run", ".parquet": "numbers of each run, with units", ".nc": "NetCDF, with histories"}
COMPRESSED = 4  # of 9


def export(results: Path, out: Path) -> Path:
    """Write the runs in a folder of results to one file, by its ending: ``.csv``, ``.parquet``, ``.nc``.

    A run is one row: inputs as ``input:<name>`` (SI), outputs, status (0 ok, 1 diverged, 2 timeout, 3 error), message. Histories are in
    ``.nc`` only.

    Raises
    ------
    StudyError
        If there are no runs, the ending is another one, or a package that writes it is missing.
    """
    from uqmbd.result import open_runs

    if out.suffix not in FORMATS:
        known = ", ".join(f"{suffix} ({what})" for suffix, what in FORMATS.items())
        raise StudyError(f"there is no format '{out.suffix}'", key="FILE", value=str(out), remedy=f"known are {known}")
    runs = open_runs(results)
    if not runs.data_vars:
        raise StudyError(
            "there are no runs here", file=results, remedy="name the directory that `uqmbd run` has made, results/<study name>"
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    new = out.with_name(f".{out.name}.new")
    try:
        (netcdf if out.suffix == ".nc" else rows)(runs, new, out.suffix)
        new.replace(out)
    except ImportError as error:
        remedy = 'install it (`pip install "uqmbd[export]"`), or write a .csv file'
        raise StudyError(f"the package that writes {out.suffix} files is missing ({error})", file=out, remedy=remedy) from error
    finally:
        new.unlink(missing_ok=True)
    return out


def rows(runs: xr.Dataset, file: Path, suffix: str) -> None:
    """One row a run; histories are left out."""
    table = runs[[name for name, x in runs.data_vars.items() if x.dims == ("run",)]].load().to_dataframe()
    if suffix == ".csv":
        table.to_csv(file, index_label="run")
        return
    import pyarrow as pa
    from pyarrow import parquet

    found = pa.Table.from_pandas(table.rename_axis("run"))
    fields = [field.with_metadata({"unit": str(runs[field.name].attrs.get("unit", ""))}) if field.name in runs else field
              for field in found.schema]  # fmt: skip
    parquet.write_table(found.cast(pa.schema(fields, found.schema.metadata)), file)


def netcdf(runs: xr.Dataset, file: Path, suffix: str) -> None:
    """All of it, compressed."""
    import h5netcdf  # noqa: F401
    import h5py  # noqa: F401

    plain = {name: {"zlib": True, "complevel": COMPRESSED} for name, x in runs.data_vars.items() if x.dtype.kind in "fiu"}
    attrs = {key: str(value) for key, value in runs.attrs.items()}
    found = runs.load().assign_attrs(attrs)
    found.attrs = attrs
    found.to_netcdf(file, engine="h5netcdf", encoding=plain)
