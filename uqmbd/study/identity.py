"""What fixes the runs of a study, as fingerprints by names a user understands."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqmbd.study.showing import written

if TYPE_CHECKING:
    from uqmbd.study.study import Study


def identity_of(study: Study) -> dict[str, str]:
    """Fingerprints of model, inputs, outputs, times, solver, what is stored, and code: runs of equal identity can be shared.

    The method and the seed are left out, so that more samples extend a study.
    """
    found = {
        "model": study.model.digest,
        "inputs": fingerprint({name: [item.kind, item.model_dump()] for name, item in study.inputs.items()}),
        "outputs": ", ".join(study.outputs),
        "time": "none" if study.time is None else f"{study.time.end!r} s, {study.time.points} points",
        "solver settings": fingerprint(study.solver),
        "campaign.store": study.campaign.store,
        "campaign.timeout": str(study.campaign.timeout),
        "precision": precision_of(study),
        "uqmbd version": version("uqmbd"),
        **{binding: fingerprint(table) for binding, table in study.inputs.bindings().items()},
    }
    if "flexmbd" in sys.modules:  # the model has imported it
        found["flexmbd source"] = flexmbd_digest()
    return found


def study_digest(study: Study, identity: Mapping[str, str]) -> str:
    """Fingerprint of everything that a result follows from."""
    shown = written(study.report, study.field_functions)
    more = [shown, [function.digest for function in study.field_functions]] if shown else []
    more += [table for table in (study.words(), study.units) if table]
    return fingerprint([dict(identity), study.method.name, study.method.model_dump(), study.campaign.seed, *more])


def method_tag(study: Study) -> str:
    """Fingerprint of what a method's partials of a batch depend on besides the runs: what its `reduce` reads."""
    return fingerprint([study.method.name, study.method.reduce_key(), study.campaign.seed, study.outputs])[:16]


def precision_of(study: Study) -> str:
    """Type of stored histories: what a method is told is what the store gives back, so nothing is rounded unless it is asked for."""
    return "float64" if study.campaign.precision == "auto" else study.campaign.precision


def fingerprint(thing: Any) -> str:
    """Hash of anything that JSON can say."""
    return hashlib.sha256(json.dumps(thing, sort_keys=True, default=repr).encode()).hexdigest()


@cache
def flexmbd_digest() -> str:
    """Hash of the solver's source: a changed solver does not share runs with the old one."""
    root = Path(sys.modules["flexmbd"].__file__).parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


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
