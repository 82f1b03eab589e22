"""`run` and `prepare`: from a model function and samples to outputs."""

import logging
from dataclasses import asdict, dataclass

import numpy as np

from flexmbd.batch import describe, first_of, single
from flexmbd.choice import chosen
from flexmbd.diagnosis import Failures, examine
from flexmbd.errors import ModelError
from flexmbd.identity import identity
from flexmbd.inertias import loosely_held
from flexmbd.integration import Integration
from flexmbd.integrators import INTEGRATORS
from flexmbd.model import Model
from flexmbd.outputs import REDUCTIONS
from flexmbd.outputs.reductions import ROWS
from flexmbd.scales import coarse_events, contact_scales, extents
from flexmbd.settings import Settings, as_settings
from flexmbd.stepping.names import EVENTS, STATUS, STEPS
from flexmbd.system import lengths
from flexmbd.trajectory import DIVERGED, ERROR, OK, TIMEOUT, Trajectory
from flexmbd.tuning import USUAL


@dataclass(frozen=True)
class Prepared:
    """What `prepare` found: units of the outputs asked for, all output names, numbers used, and the topology's hash."""

    units: dict
    available: list
    attributes: dict
    topology: str


MODELS = 8  # compiled models that a process keeps; those not used for longest are given back
_models = {}  # the last used last
log = logging.getLogger("flexmbd")


def model_of(system, outputs, settings):
    """The compiled `Model` of a system's topology (one per process, on disk for the next), with what failures are explained by."""
    outputs = sorted({*outputs, *_witnesses(system)})
    fold = not hasattr(system, "_systems")
    kinds = tuple("array" if np.ndim(v) else v if fold and v in (0.0, 1.0, -1.0) else "number" for _, v in system.leaves())
    scheme = INTEGRATORS[settings.integrator]
    value = getattr(settings, scheme.setting) if scheme.setting else None
    scheme = scheme.tuned(value)
    shift = settings.constraint_shift if settings.constraints == "augmented" else 0.0
    facts = (kinds, tuple(outputs), settings.integrator, value, settings.lanes, shift, settings.linear_solver, settings.tuning)
    key = (system.structure(), identity(system), *facts)
    if key not in _models:
        log.info("building: %d bodies, %d elements", len(system.bodies), len(system.elements))
        how = {"width": settings.lanes, "fold": fold, "shift": shift, "direct": settings.linear_solver, "tuning": settings.tuning}
        model = Model(system, outputs, scheme, **how)
        model.dependent = _check_first(model, system)
        _models[key] = model
        while len(_models) > MODELS:
            _models.pop(next(iter(_models)))
    _models[key] = _models.pop(key)
    return _models[key]


def _witnesses(system):
    """Elements that can say why a run failed, by the output that they know it by."""
    return {element.witness: element for element in system.elements if element.witness}


def _check_first(model, system):
    """Rows that depend on others; raises what is wrong with the constraints, unless one of the first samples is right."""
    numbers, (q0, _) = [v for _, v in system.leaves()], system.initial()
    count, errors = max((len(v) for v in numbers if np.ndim(v)), default=1), []
    sizes = lengths(system, count)
    for i in range(min(count, 8)):
        leaves, q = ([float(v[i]) if np.ndim(v) else v for v in values] for values in (numbers, q0))
        try:
            return examine(model.build, leaves, q, length=sizes[i])
        except ModelError as error:
            errors.append(error)
    raise errors[0]


def prepare(build, samples=None, *, end, points, outputs, settings=None):
    """Build a model once, check it, and compile it.

    Parameters
    ----------
    build : callable or System
        ``build(**inputs) -> System``, or a system.
    samples : mapping name -> float or ndarray (n,), optional
        What the function is called with; a system has its numbers already.
    end, points : float, int
        Time grid ``linspace(0, end, points)`` in s.
    outputs : sequence of str
    settings : mapping, optional

    Returns
    -------
    Prepared

    Raises
    ------
    ModelError
        If the model, an output or a setting is wrong.
    """
    settings = as_settings(settings)
    one = first_of(build, samples)
    system, good, message = describe(build, one)
    if not len(good):
        raise ModelError(f"the model cannot be built: {message[0]}")
    settings, why = chosen(settings, system, end)
    run(build, one, end=1e-9 * end, points=min(points, 2), outputs=outputs, settings=settings)
    model = model_of(system, outputs, settings)
    return Prepared(
        {name: model.units[name] for name in outputs}, sorted(model.catalogue), _attributes(model, system, settings, why), model.topology
    )


def compiled(build, samples=None, *, end, outputs, settings=None):
    """True if the machine code of a model is on disk; arguments and errors as those of `prepare`.

    A process that compiles a model runs code that may round differently in the last digits from what later processes load: whoever wants
    results identical to the last bit has it compiled by another process.
    """
    system, good, message = describe(build, first_of(build, samples))
    if not len(good):
        raise ModelError(f"the model cannot be built: {message[0]}")
    return model_of(system, outputs, chosen(as_settings(settings), system, end)[0]).on_disk()


def run(build, samples=None, *, end, points=201, outputs, settings=None, patience=None):
    """Simulate a batch, or one system.

    Parameters
    ----------
    build, samples, end, points, outputs, settings
        See `prepare`.
    patience : float, optional
        Seconds on the clock (compiling does not count) after which runs that are not done are left, with status `timeout` and how far
        they came. For trials: what is left depends on the machine.

    Returns
    -------
    Trajectory
        Of a `System` whose numbers are all single, without the axis of samples: outputs ``(points,)`` or numbers, one status, one message.

    Raises
    ------
    ModelError
        If the batch as a whole cannot be run; a failing sample is recorded in the trajectory instead.
    """
    settings = as_settings(settings)
    if not 0 < end < np.inf:
        raise ModelError(f"the end of the time is {end!r} s; it must be greater than zero")
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 1:
        raise ModelError(f"points is {points!r}; it must be a whole number from 1")
    system, good, message = describe(build, samples)
    time = np.linspace(0.0, end, points)
    count = len(message)
    status = np.where([bool(m) for m in message], ERROR, OK).astype(np.int8)
    if system is None:
        empty = {o: np.full((count,) if ":" in o else (count, points), np.nan) for o in outputs}
        return Trajectory(time, empty, {}, status, message, {}, {k: np.zeros(count) for k in ("steps", "rejected", "events")})
    settings, why = chosen(settings, system, end)
    model = model_of(system, outputs, settings)
    values, codes, notes, counters, notable = _integrate(model, system, len(good), end, time, settings, patience)
    out = {}
    for name in outputs:
        x = values[name]
        full = out[name] = np.full((count, *x.shape[1:]), np.nan)
        full[good] = x
    statistics = {k: np.zeros(count) for k in counters}
    for k, x in counters.items():
        statistics[k][good] = x
    status[good] = codes
    for i, note in zip(good, notes, strict=True):
        message[i] = note
    units, used = {name: model.units[name] for name in out}, _attributes(model, system, settings, why) | notable
    found = Trajectory(time, out, units, status, message, used, statistics)
    return found.of_sample(0) if single(build) else found


def _attributes(model, system, settings, why):
    """Everything that decided the numbers, flat."""
    used = {f"solver.{k}": v for k, v in asdict(settings).items() if k != "tuning"}
    if settings.tuning != USUAL:
        used["solver.tuning"] = repr(settings.tuning)
    used |= {"solver.integrator.reason": why, "constraints.dependent": model.dependent}
    for element in system.elements:
        for part in ("law", "friction", "film", "transition", "asperities") if hasattr(element, "law") else ():
            chosen = getattr(element, part, None)
            if chosen is not None or part == "friction":
                used[f"{element.name}.{part}"] = "none" if chosen is None else chosen.name
    for path, value in system.leaves():
        used[path.removeprefix("@")] = "per sample" if np.ndim(value) else float(value)
    return used


def _integrate(model, system, count, end, time, settings, patience):
    made = Integration(model, system, count, settings, float(end))
    found, bad, notes = _started(made, end)
    full = any(how is None for _, how in model.requests.wanted.values())
    made.run(np.flatnonzero(~bad), time if full else time[-1:] if model.requests.histories else time[:0], patience)
    if model.solver:
        model.solver.check()
    counters = made.counters
    failed = counters[:, STATUS - STEPS].astype(int)
    codes = np.where(bad, ERROR, np.where(failed == 1, DIVERGED, np.where(failed >= 2, TIMEOUT, OK))).astype(np.int8)
    values = _collect(model, made.histories, made.sums, end)
    for x in values.values():
        lost = (codes == OK) & ~np.isfinite(x.reshape(count, -1)).all(1)
        codes[lost] = DIVERGED
    reasons = {element: values[name].copy() for name, element in _witnesses(system).items()}
    for x in values.values():
        if x.ndim == 1:
            x[codes != OK] = np.nan
        else:  # what was recorded before a failure stays
            x[np.logical_or.accumulate(~np.isfinite(x), axis=1)] = np.nan
    length, away = extents(system, count), lengths(system, count)
    failures = Failures(system, settings, end, length, away, made.residuals.T, counters, reasons)
    notes = [notes[i] or failures.note(code, i) for i, code in enumerate(codes)]
    return values, codes, notes, {"steps": counters[:, 0], "rejected": counters[:, 1], "events": counters[:, EVENTS - STEPS]}, found


def _started(made, end):
    """Assemble and prepare all samples; what was notable, which samples cannot run, and words on some of those."""
    model, system, settings, count = made.model, made.system, made.settings, made.count
    length, away = extents(system, count), lengths(system, count)
    contacts = [c.element for c in model.build.contacts]
    nearness, slowest = contact_scales(system, contacts, length, settings)
    found = {f"{name}.events": text for name, text in coarse_events(system, contacts, nearness, slowest, away).items()}
    for element, *rows in zip(contacts, nearness, slowest, strict=True):
        for key, x in zip(("event_tolerance", "minimum_impact_velocity"), rows, strict=True):
            found[f"{element.name}.{key}"] = float(x[0]) if np.all(x == x[0]) else "per sample"
    with np.errstate(all="ignore"):
        made.assemble()
        made.prepare(length, away, nearness, slowest)
    E = made.residuals
    bad = ~((E[:, 0] < 1e-9 * length + 1e-14 * away) & (E[:, 1] < 1e-9) & np.isfinite(made.accelerations).all(1))
    loose = loosely_held(system, model.build.shift, count)
    return found, bad | (np.array(loose) != ""), loose


def _collect(model, H, F, end):
    values = {}
    histories, reduced = model.requests.histories, model.requests.reduced
    for out, (name, how) in model.requests.wanted.items():
        final = H[histories.index(name), :, -1] if name in histories else None
        if how is None:
            values[out] = H[histories.index(name)]
        else:
            k = reduced.index(name) if name in reduced else 0
            values[out] = np.array(REDUCTIONS[how](F.T[ROWS * k : ROWS * (k + 1)], end, final), float)
    return values


__all__ = ["Prepared", "compiled", "Settings", "as_settings", "prepare", "run"]
