"""What fixes the runs of a study, and what a result follows from: fingerprints by names a user understands.

A run follows from model, solver settings, times and code; its inputs are its key in the store. Ranges, distributions, method, seed, list
of outputs and time limit are the study's: studies that differ in these only share their runs.

What uqmbd itself makes of a model (the adapters of `uqmbd.simulators`, the reductions of methods) has a number, `FORMAT_OF_RUNS`. It is
raised when the same model would give other runs; a test holds the sources that this depends on, so that whoever changes them decides.
`FORMAT_OF_RESULTS` is raised when a finished result has to be made again of the same runs.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.plugins import name_and_code
from uqmbd.runs.where import STUDY
from uqmbd.simulators.fingerprint import Dependencies
from uqmbd.simulators.own import version
from uqmbd.spec import StudySpec
from uqmbd.spec.reading import read_spec, read_toml
from uqmbd.spec.showing import written
from uqmbd.study.data import StudyData

FORMAT_OF_RUNS = 1
FORMATS = {"0.1.0": 1}  # of runs and results, of the versions that wrote their own number instead
FORMAT_OF_RESULTS = 1
EARLIER: tuple[Callable[[Input], Any], ...] = (  # what a digest had of an input: all, and before that not its unit
    lambda item: item.content_before(),
    lambda item: item.model_dump(),
)
UNITS = "units of inputs"  # note of a store whose inputs were drawn from distributions in SI, as they are since version 0.2


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
        **said_of_sections(study),
        **said_of_choices(study),
    }


def said_of_sections(study: StudyData) -> dict[str, str]:
    """What fixes the points of sections, which have their names from the study; nothing where there are none."""
    said = {name: section.written() | {"of": []} for name, section in study.spec.outputs.sections.items()}
    return {"sections": fingerprint(said)} if said else {}


def said_of_choices(study: StudyData) -> dict[str, str]:
    """What the numbers of inputs that choose, and of those that count, are to the model; nothing where there are none."""
    values = {name: None if isinstance(known, range) else known for name, known in study.inputs.values_of_places.items()}
    return {"values of choices": fingerprint(values)} if values else {}


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


def study_digest(
    study: StudyData, identity: Mapping[str, str], *, earlier: Callable[[Input], Any] | None = None, number: str | int | None = None
) -> str:
    """Fingerprint of everything that the numbers of a result follow from: no words, and no time limit.

    Parameters
    ----------
    earlier : callable, optional
        What an earlier version said of an input.
    number
        Format of results, that of now unless said; earlier versions wrote their own number there.
    """
    shown = written(study.report)
    more = [shown, [[function.digest, sorted(function.reads.values())] for function in study.field_functions]] if shown else []
    more += [study.units] if study.units else []
    settings = [study.campaign.store, precision_of(study), number or FORMAT_OF_RESULTS]
    method = [name_and_code(type(study.method), study.method.name), study.method.model_dump()]
    return fingerprint([dict(identity), study.asked.question(earlier), *method, settings, *more])


def spec_beside(study: StudyData, directory: Path) -> StudySpec | None:
    """The study file of `directory`, if it says of the inputs what `study` says, in whatever units."""
    try:
        beside = read_spec(read_toml(directory / STUDY), directory / STUDY)
        return beside if beside.asked_of_inputs() == study.spec.asked_of_inputs() else None
    except StudyError:
        return None


def as_stored(study: StudyData, header: Mapping[str, Any], directory: Path) -> StudyData:
    """The study with inputs of the same last bits as the runs there have, of which `header` is; itself where these are of now.

    Before version 0.2 they were drawn in the units of their study file.
    """
    if UNITS in header.get("notes", {}):
        return study
    drawn = study.drawn_as_before(spec_beside(study, directory))
    each = [*drawn.inputs.values(), *drawn.inputs.sets.values()]
    if all(item.canonical is None for item in each):
        return study
    logging.getLogger("uqmbd").info("the runs in %s are of before version 0.2: inputs have the last bits of theirs", directory)
    return drawn


def known_digests(study: StudyData, identity: Mapping[str, str], directory: Path) -> set[str]:
    """The digest of a study, and those of before where the study file in `directory` says of the inputs what this one says."""
    found = {study_digest(study, identity)}
    if (beside := spec_beside(study, directory)) is None:
        return found
    drawn, numbers = study.drawn_as_before(beside), [number for number, its in FORMATS.items() if its == FORMAT_OF_RESULTS]
    return found | {study_digest(drawn, identity, earlier=said, number=number) for said in EARLIER for number in numbers}


def method_tag(study: StudyData, *, named: bool) -> str:
    """Fingerprint of what a method's partials of a batch depend on besides the runs: what its `reduce` reads.

    `named`: their arrays say which outputs they are of, so that the list of outputs is no part of it.
    """
    spec = study.asked
    asked = spec.asked_of_inputs() if named else spec.question()
    return fingerprint([name_and_code(type(study.method), study.method.name), study.method.reduce_key(), asked])[:16]


def earlier_tags(study: StudyData, *, named: bool) -> set[str]:
    """The same as it was before, and as version 0.1.0 said it, of a study from a file and of one made in Python; its partials hold the
    outputs in their order."""
    method = [name_and_code(type(study.method), study.method.name), study.method.reduce_key()]
    before = study.asked.asked_of_inputs(EARLIER[1]) if named else study.asked.question(EARLIER[1])
    si = study.inputs.to_si()
    written = {name: item.written or item for name, item in si.items()}
    dumps = [{name: [item.kind, item.model_dump()] for name, item in inputs.items()} for inputs in (si, written)]
    asked = [before, *({**study.asked.question(EARLIER[1]), "inputs": inputs} for inputs in dumps)]
    return {fingerprint([*method, one])[:16] for one in asked}


def digest_prefix(digest: str) -> str:
    """Enough of a hash to tell that a part is another one."""
    return digest[:12]


def precision_of(study: StudyData) -> str:
    """Type of stored histories: what a method is told is what the store gives back, so nothing is rounded unless it is asked for."""
    return "float64" if study.campaign.precision == "auto" else study.campaign.precision


def fingerprint(thing: Any) -> str:
    """Hash of anything that JSON can say."""
    return hashlib.sha256(json.dumps(thing, sort_keys=True, default=repr).encode()).hexdigest()


def versions() -> dict[str, str]:
    """Versions of what makes a result."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    return found | {package: version(package) for package in ("uqmbd", "numpy", "scipy", "numba", "dask", "zarr", "xarray")}
