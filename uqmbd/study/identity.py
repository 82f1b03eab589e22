"""What fixes the runs of a study, and what a result follows from: fingerprints by names a user understands.

A run follows from model, solver settings, times and code; its inputs are its key in the store. Ranges, distributions, method, seed, list
of outputs and time limit are the study's: studies that differ in these only share their runs.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from uqmbd.doors import name_and_code
from uqmbd.study.showing import written

if TYPE_CHECKING:
    from uqmbd.simulators.fingerprint import Reach
    from uqmbd.study.study import Study


def identity_of(study: Study, reach: Reach | None = None) -> dict[str, str]:
    """Fingerprints of model, names and SI units of the inputs, times, solver and code: runs of equal identity can be shared.

    Parameters
    ----------
    reach : Reach, optional
        What the model reaches, if that is known already.
    """
    units = {name: item.to_si().unit for name, item in study.inputs.items()}
    return {
        "model": (reach or study.model.reached()).digest,
        "names or units of inputs": ", ".join(f"{name} [{units[name] or '-'}]" for name in sorted(units)),
        "time": "none" if study.time is None else f"{study.time.end!r} s, {study.time.points} points",
        "solver settings": fingerprint(study.solver),
        "uqmbd version": version("uqmbd"),
        "python version": f"{sys.version_info[0]}.{sys.version_info[1]}",
    }


def question_of(study: Study) -> dict[str, Any]:
    """What a study asks of its runs, and where it has them: all that is no part of a run's identity and that a method may feel."""
    return {
        "inputs": {name: [item.kind, item.model_dump()] for name, item in study.inputs.items()},
        "outputs": study.outputs,
        "seed": study.campaign.seed,
        **study.inputs.bindings(),
    }


def study_digest(study: Study, identity: Mapping[str, str]) -> str:
    """Fingerprint of everything that a result follows from."""
    shown = written(study.report, study.field_functions)
    more = [shown, [[function.digest, sorted(function.reads.values())] for function in study.field_functions]] if shown else []
    more += [table for table in (study.words(), study.units) if table]
    settings = [study.campaign.store, study.campaign.timeout, precision_of(study)]
    method = [name_and_code(type(study.method), study.method.name), study.method.model_dump()]
    return fingerprint([dict(identity), question_of(study), *method, settings, *more])


def method_tag(study: Study) -> str:
    """Fingerprint of what a method's partials of a batch depend on besides the runs: what its `reduce` reads, and what is asked."""
    return fingerprint([name_and_code(type(study.method), study.method.name), study.method.reduce_key(), question_of(study)])[:16]


def precision_of(study: Study) -> str:
    """Type of stored histories: what a method is told is what the store gives back, so nothing is rounded unless it is asked for."""
    return "float64" if study.campaign.precision == "auto" else study.campaign.precision


def fingerprint(thing: Any) -> str:
    """Hash of anything that JSON can say."""
    return hashlib.sha256(json.dumps(thing, sort_keys=True, default=repr).encode()).hexdigest()


@cache
def version(package: str) -> str:
    """Installed version of a package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def versions() -> dict[str, str]:
    """Versions of what makes a result."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    return found | {package: version(package) for package in ("uqmbd", "numpy", "scipy", "numba", "dask", "zarr", "xarray")}
