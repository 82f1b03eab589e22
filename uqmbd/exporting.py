"""The runs of a result as one file for other programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.errors import StudyError

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

FORMATS = {".csv": "numbers of each run", ".parquet": "numbers of each run, with units", ".nc": "NetCDF, with histories"}
COMPRESSED = 4  # of 9
AT_ONCE = 64 << 20  # bytes of runs in memory at a time
CHUNK = 4096  # runs, and times, that are compressed together


def export(results: Path, out: Path) -> Path:
    """Write the runs in a folder of results to one file, by its ending: ``.csv``, ``.parquet``, ``.nc``.

    A run is one row: inputs as ``input:<name>`` (SI, or the value that was chosen), outputs, status (0 ok, 1 diverged, 2 timeout,
    3 error), message. Histories are in ``.nc`` only.

    Raises
    ------
    StudyError
        If there are no runs, the ending is another one, or a package that writes it is missing.
    """
    from uqmbd.runs.of_results import open_runs

    if out.suffix not in FORMATS:
        known = ", ".join(f"{suffix} ({what})" for suffix, what in FORMATS.items())
        raise StudyError(f"there is no format '{out.suffix}'", key="FILE", value=str(out), remedy=f"known are {known}")
    runs = open_runs(results)
    if not runs.data_vars:
        remedy = "name the directory that `uqmbd run` has made, results/<study name>"
        raise StudyError("there are no runs here", file=results, remedy=remedy)
    labels = labels_of(results)
    new = out.with_name(f".{out.name}.new")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        netcdf(runs, new, labels) if out.suffix == ".nc" else rows(runs, new, out.suffix, labels)
        new.replace(out)
    except ImportError as error:
        remedy = 'install it (`pip install "uqmbd[export]"`), or write a .csv file'
        raise StudyError(f"the package that writes {out.suffix} files is missing ({error})", file=out, remedy=remedy) from error
    except OSError as error:
        remedy = "name a file in a folder that you may write to and that has room"
        raise StudyError(f"cannot be written: {error.strerror or error}", file=out, key="FILE", value=str(out), remedy=remedy) from error
    except MemoryError as error:
        raise StudyError("memory does not hold a part of the runs", file=out, remedy="export on a machine with more of it") from error
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)
    return out


def labels_of(results: Path) -> dict[str, np.ndarray]:
    """Of inputs that choose, as columns name them: the values that stand for the numbers of runs, as they are written."""
    from uqmbd.inputs import Choice
    from uqmbd.runs.where import STUDY
    from uqmbd.spec.reading import read_toml

    tables = read_toml(results / STUDY).get("inputs", {}) if (results / STUDY).is_file() else {}
    chosen = {name: table[Choice.key] for name, table in tables.items() if isinstance(table, dict) and Choice.key in table}
    return {f"input:{name}": np.array(Choice.from_value(value, "").labels, object) for name, value in chosen.items()}


def parts(runs: xr.Dataset) -> Iterator[tuple[slice, xr.Dataset]]:
    """The runs in memory, some at a time: as many as fit, so that 10^7 of them can be written."""
    size = sum(x.dtype.itemsize * int(np.prod(x.shape[1:])) for x in runs.data_vars.values())
    length = max(1, AT_ONCE // max(size, 1))
    for begin in range(0, runs.sizes["run"], length):
        part = slice(begin, begin + length)
        yield part, runs.isel(run=part).load()


def rows(runs: xr.Dataset, file: Path, suffix: str, labels: Mapping[str, np.ndarray]) -> None:
    """One row a run, with what was chosen as texts; histories are left out."""
    numbers = runs[[name for name, x in runs.data_vars.items() if x.dims == ("run",)]].reset_coords(drop=True)
    if suffix == ".csv":
        for part, loaded in parts(numbers):
            table = chosen(loaded.to_dataframe(), labels).set_axis(range(part.start, part.start + loaded.sizes["run"]))
            table.to_csv(file, index_label="run", mode="a" if part.start else "w", header=not part.start)
        return
    import pandas as pd
    import pyarrow as pa
    from pyarrow import parquet

    with ExitStack() as stack:
        writer, schema = None, None
        for part, loaded in parts(numbers):
            table = chosen(loaded.to_dataframe(), labels).set_axis(pd.RangeIndex(part.start, part.start + loaded.sizes["run"], name="run"))
            rows = pa.Table.from_pandas(table.reset_index(), schema=schema, preserve_index=False)
            if writer is None:
                units = {name: str(x.attrs.get("unit", "")) for name, x in runs.data_vars.items()}
                fields = [field.with_metadata({"unit": units[field.name]}) if field.name in units else field for field in rows.schema]
                schema = pa.schema(fields, rows.schema.metadata)
                writer = stack.enter_context(parquet.ParquetWriter(file, schema))
            writer.write_table(rows.cast(schema))


def chosen(table: pd.DataFrame, labels: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """The same with what was chosen in place of its numbers."""
    return table.assign(**{name: known[np.rint(table[name]).astype(int)] for name, known in labels.items() if name in table})


def netcdf(runs: xr.Dataset, file: Path, labels: Mapping[str, np.ndarray]) -> None:
    """All of it, compressed; what the numbers of a choice mean is said as the CF conventions do."""
    import h5netcdf
    import h5py

    with h5netcdf.File(file, "w") as target:
        target.dimensions = {str(name): int(size) for name, size in runs.sizes.items()}
        for key, value in runs.attrs.items():
            target.attrs[str(key)] = str(value)
        variables = {}
        for name, x in runs.variables.items():
            text = x.dtype.kind not in "fiu"
            chunks = tuple(max(1, min(size, CHUNK)) for size in x.shape)
            how = {} if text else {"compression": "gzip", "compression_opts": COMPRESSED, "chunks": chunks}
            variables[name] = target.create_variable(str(name), x.dims, h5py.string_dtype() if text else x.dtype, **how)
            for key, value in x.attrs.items():
                variables[name].attrs[key] = value
            if str(name) in labels:
                known = labels[str(name)]
                variables[name].attrs["flag_values"] = list(range(len(known)))
                variables[name].attrs["flag_meanings"] = " ".join("_".join(label.split()) for label in known)
        for name in runs.coords:
            variables[name][:] = runs[name].values
        for part, loaded in parts(runs):
            for name, x in loaded.data_vars.items():
                variables[name][part.start : part.start + x.shape[0]] = x.values
