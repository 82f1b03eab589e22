"""What fixes the runs of a study, and what a result follows from: fingerprints by names a user understands.

A run follows from model, solver settings, times and code; its inputs are its key in the store. Ranges, distributions, method, seed, list
of outputs and time limit are the study's: studies that differ in these only share their runs.

What uqmbd itself makes of a model (the adapters of `uqmbd.simulators`, the reductions of methods) has a number, `FORMAT_OF_RUNS`. It is
raised when the same model would give other runs; a test holds the sources that this depends on, so that whoever changes them decides.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError
from uqmbd.plugins import name_and_code
from uqmbd.runs.where import STUDY
from uqmbd.simulators.fingerprint import Dependencies
from uqmbd.spec.reading import read_spec, read_toml
from uqmbd.spec.showing import written
from uqmbd.study.data import StudyData

FORMAT_OF_RUNS = 1
FORMATS = {"0.1.0": 1}  # of the versions that wrote their own number instead


def identity_of(study: StudyData, reach: Dependencies | None = None) -> dict[str, str]:
    """Fingerprints of model, names and SI units of the inputs, times, solver and code: runs of equal identity can be shared.

    `reach` is what the model reaches, if that is known already.
    """
    units = {name: item.to_si().unit for name, item in study.inputs.items()}
    return {
        "model": (reach or study.model.reached()).digest,
        "names or units of inputs": ", ".join(f"{name} [{units[name] or '-'}]" for name in sorted(units)),
        "time": said_of_times(study),
        "solver settings": fingerprint(study.solver),
        "format of runs": str(FORMAT_OF_RUNS),
    }


def said_of_times(study: StudyData) -> str:
    """What fixes the times of runs, as their identity has it: what is asked for, whether or not the model has it."""
    if study.time is None:
        return "none"
    further = study.further_times()
    more = f" and {len(further)} further ({hashlib.sha256(further.tobytes()).hexdigest()[:12]})" if len(further) else ""
    return f"{study.time.end!r} s, {study.time.points} points{more}"


def in_words_of_now(header: Mapping[str, Any], study: StudyData, identity: Mapping[str, str], parts: Mapping[str, str]) -> dict[str, Any]:
    """The header of stored runs; that of a version that counted itself and Python in says what it would say now.

    `identity` and `parts` are those of the study and its model as they are now.
    """
    old = header.get("identity", {})
    if "uqmbd version" not in old:
        return dict(header)
    now, earlier = dict(old), study.model.reached(earlier=True)
    number = FORMATS.get(now.pop("uqmbd version"))
    now.pop("python version", None)
    now["format of runs"] = "of an earlier version" if number is None else str(number)
    if old.get("model") == earlier.digest:
        now["model"] = identity["model"]
    kept = header["notes"].get("model", {})
    digests = {name: [digest_prefix(each.get(name, "")) for each in (parts, earlier.parts)] for name in kept}
    same = {name: now_is if before == kept[name] else kept[name] for name, (now_is, before) in digests.items()}
    return {**header, "identity": now, "notes": {**header["notes"], "model": same}}


def study_digest(study: StudyData, identity: Mapping[str, str], *, earlier: bool = False) -> str:
    """Fingerprint of everything that the numbers of a result follow from: no words, and no time limit.

    `earlier`: as before units of distributions were part of it. It is of one study only where the study file beside it is looked at too.
    """
    shown = written(study.report)
    more = [shown, [[function.digest, sorted(function.reads.values())] for function in study.field_functions]] if shown else []
    more += [study.units] if study.units else []
    settings = [study.campaign.store, precision_of(study), version("uqmbd")]
    method = [name_and_code(type(study.method), study.method.name), study.method.model_dump()]
    return fingerprint([dict(identity), study.asked.question(earlier=earlier), *method, settings, *more])


def known_digests(study: StudyData, identity: Mapping[str, str], directory: Path) -> set[str]:
    """The digest of a study, and that of before where the study file in `directory` says of the inputs what this one says."""
    digest, earlier = study_digest(study, identity), study_digest(study, identity, earlier=True)
    if earlier == digest:
        return {digest}
    try:
        beside = read_spec(read_toml(directory / STUDY), directory / STUDY)
    except StudyError:
        return {digest}
    return {digest, earlier} if beside.asked_of_inputs() == study.spec.asked_of_inputs() else {digest}


def method_tag(study: StudyData, *, named: bool) -> str:
    """Fingerprint of what a method's partials of a batch depend on besides the runs: what its `reduce` reads.

    `named`: their arrays say which outputs they are of, so that the list of outputs is no part of it.
    """
    spec = study.asked  # below, `earlier`: the numbers of runs tell them apart
    asked = spec.asked_of_inputs(earlier=True) if named else spec.question(earlier=True)
    return fingerprint([name_and_code(type(study.method), study.method.name), study.method.reduce_key(), asked])[:16]


def earlier_tags(study: StudyData) -> set[str]:
    """The same as version 0.1.0 said it, of a study from a file and of one made in Python; its partials hold the outputs in their order."""
    method = [name_and_code(type(study.method), study.method.name), study.method.reduce_key()]
    si = study.inputs.to_si()
    written = {name: item.written or item for name, item in si.items()}
    dumps = [{name: [item.kind, item.model_dump()] for name, item in inputs.items()} for inputs in (si, written)]
    return {fingerprint([*method, {**study.asked.question(), "inputs": inputs}])[:16] for inputs in dumps}


def digest_prefix(digest: str) -> str:
    """Enough of a hash to tell that a part is another one."""
    return digest[:12]


def precision_of(study: StudyData) -> str:
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
