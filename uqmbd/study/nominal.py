"""Fields of the nominal run: what functions named in ``[report]`` make of one run in the middle of the inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import OK, OutputInfo
from uqmbd.simulators.folder import kept_folder
from uqmbd.simulators.model import Model, describe
from uqmbd.spec.showing import check_histories

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.study.data import StudyData
    from uqmbd.study.trial import Trial

KEY = "report.fields"


class NoSuchOutput(KeyError):
    """A function asks for an output that the nominal run does not have."""


class Outputs(dict[str, Any]):
    """Outputs by name."""

    def __missing__(self, name: str) -> Any:
        raise NoSuchOutput(name)


@dataclass(frozen=True)
class NominalRun:
    """One run, as functions of fields get it.

    Attributes
    ----------
    inputs : dict of str to float
        SI units.
    time : ndarray, shape (points,)
        Times of the histories [s]; empty in a study without times.
    outputs : dict of str to ndarray or float
        Those of the study and those that ``report.needs`` names.
    """

    inputs: dict[str, float]
    time: np.ndarray
    outputs: Outputs


def fields_of(study: StudyData, trial: Trial, info: Mapping[str, OutputInfo]) -> xr.Dataset | None:
    """All fields of a study whose outputs are known; None when it names no function."""
    check_histories(study.report, info, study.campaign.store)
    if not study.field_functions:
        return None
    import xarray as xr

    fields, run = xr.Dataset(), nominal_run(study, trial)
    for function in study.field_functions:
        for name, array in labelled(called(function, run), function).items():
            if name in fields:
                raise wrong(function, f"returns the field '{name}', which another function has given", "give each field its own name")
            try:
                fields = xr.merge([fields, array.to_dataset(name=name)], join="exact", combine_attrs="override")
            except ValueError:
                clash = ", ".join(str(dim) for dim in array.dims if dim in fields.dims)
                raise wrong(
                    function, f"returns the field '{name}' at other values of {clash} than another field", "name its dimension otherwise"
                ) from None
    return fields.assign_attrs(inputs=run.inputs)


def nominal_run(study: StudyData, trial: Trial) -> NominalRun:
    """The run in the middle of the inputs; if that fails, the first of a few near it that does not."""
    from uqmbd.simulators.detect import SimulatorSpec
    from uqmbd.simulators.times import simulator_at

    samples, needs = trial.samples, [name for name in study.report.needs if name not in study.outputs]
    if needs:
        names = [*study.outputs, *needs]
        try:
            simulator = simulator_at(SimulatorSpec(study.model, names, study.grid(), samples, study.solver, study.campaign.timeout))
            simulator.check(samples)
        except StudyError as error:
            key = "report.needs" if error.value in needs else error.key
            raise StudyError(error.message, key=key, value=error.value, remedy=error.remedy) from error
    else:
        simulator = trial.checked()
    done = simulator.simulate(samples)
    good = np.flatnonzero(np.asarray(done.status) == OK)
    if not len(good):
        raise StudyError(
            f"the nominal run fails, and so do {len(done.status) - 1} near it: {done.message[0]}",
            key=KEY,
            remedy="take inputs in whose middle the model works, or leave the fields out",
        )
    row = int(good[0])
    return NominalRun(
        inputs={name: float(values[row]) for name, values in samples.items()},
        time=study.times(),
        outputs=Outputs({name: values[row] if values.ndim > 1 else float(values[row]) for name, values in done.outputs.items()}),
    )


def called(function: Model, run: NominalRun) -> Any:
    """What a function returns for the run."""
    try:
        with kept_folder(function.load()):
            return function.load()(run)
    except StudyError:
        raise
    except NoSuchOutput as error:
        text = f"asks for the output {error.args[0]!r}, which the nominal run does not have"
        raise wrong(function, text, "name it in report.needs, or in outputs.include") from error
    except Exception as error:
        raise wrong(function, f"raises {describe(error)}", "mend the function, or leave it out of report.fields") from error


def labelled(given: Any, function: Model) -> dict[str, xr.DataArray]:
    """The arrays that a function returned, by name: numbers over one or two dimensions with coordinates."""
    import xarray as xr

    remedy = "return an xarray.DataArray with a name, or an xarray.Dataset, over one or two dimensions that have coordinates"
    if isinstance(given, xr.DataArray) and given.name is not None:
        given = given.to_dataset()
    if not isinstance(given, xr.Dataset):
        raise wrong(function, f"returns {type(given).__name__}" + (" without a name" if isinstance(given, xr.DataArray) else ""), remedy)
    arrays = {}
    for name, array in given.data_vars.items():
        if array.ndim not in (1, 2) or array.size == 0 or array.dtype.kind not in "biuf":
            raise wrong(function, f"returns the field '{name}' of shape {array.shape} and type {array.dtype}", remedy)
        values = np.asarray(array.values, float)
        if np.isinf(values).any() or np.isnan(values).all():
            raise wrong(function, f"returns the field '{name}' with infinite values, or with none", "leave NaN where there is no value")
        arrays[str(name)] = xr.DataArray(
            values, dims=array.dims, coords={dim: axis_of(array, dim, str(name), function) for dim in array.dims}, attrs=words(array.attrs)
        )
    if not arrays:
        raise wrong(function, "returns no field", remedy)
    return arrays


def axis_of(array: xr.DataArray, dim: Any, name: str, function: Model) -> Any:
    """The coordinate of one dimension: numbers that ascend, with their unit."""
    at = np.asarray(array[dim].values) if dim in array.coords else None
    good = at is not None and at.dtype.kind in "biuf" and np.isfinite(at).all() and (np.diff(at.astype(float)) > 0).all()
    if at is None or not good or not isinstance(dim, str):
        raise wrong(function, f"returns the field '{name}' whose dimension '{dim}' has no ascending coordinate", "give it finite numbers")
    return (dim, at.astype(float), words(array[dim].attrs))


def words(attributes: Mapping[Any, Any]) -> dict[str, str]:
    """Unit and title."""
    return {key: str(attributes[key]) for key in ("unit", "title") if key in attributes}


def wrong(function: Model, text: str, remedy: str) -> StudyError:
    """The error for a function of fields."""
    return StudyError(text, key=KEY, value=function.label, remedy=remedy)
