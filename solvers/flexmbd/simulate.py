"""`run` and `prepare`: from a model function and samples to outputs."""

import logging
from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np

from flexmbd import modules
from flexmbd.batch import describe, first_of, single
from flexmbd.choice import chosen
from flexmbd.diagnosis import Failures, examine
from flexmbd.errors import ModelError
from flexmbd.identity import identity
from flexmbd.inertias import loosely_held
from flexmbd.integrators import INTEGRATORS
from flexmbd.loop import COUNTERS, EVENTS, LANE_ROWS, LEFT, LOOK, MARK, REJECTED, STATUS, STEPS, WINDOW, T
from flexmbd.model import ROWS, Model
from flexmbd.outputs import REDUCTIONS
from flexmbd.scales import coarse_events, contact_scales, extents
from flexmbd.settings import Settings, as_settings
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


SLICE = 0.1  # s that the compiled loop runs between two looks at Ctrl-C
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
            old = _models.pop(next(iter(_models)))
            used = {name for x in _models.values() for name in x.modules}
            for name in set(old.modules) - used:
                modules.release(name)
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


def _in_slices(campaign, patience, *arguments):
    """Call the compiled loop again and again for about a tenth of a second, between which Python hears Ctrl-C, until all runs are done.

    False if they are not after `patience` (s; None: whatever it takes).
    """
    progress, turns = np.zeros(2, np.int64), 256
    campaign(0, progress, *arguments)  # compiles it, and fills the lanes
    began = before = perf_counter()
    while progress[1]:
        campaign(turns, progress, *arguments)
        now = perf_counter()
        if patience is not None and now - began > patience and progress[1]:
            return False
        turns, before = max(1, int(turns * min(max(SLICE / max(now - before, 1e-9), 0.25), 4.0))), now
    return True


def _leave(queue, owner, L, counters):
    """Counters of the runs that were left unfinished, with their own status."""
    begun = {sample: lane for lane, sample in enumerate(owner) if sample >= 0}
    for sample in queue:
        if sample in begun:
            lane = L[:, begun[sample]]
            trials = lane[STEPS] + lane[REJECTED]
            counters[sample] = *lane[STEPS : STATUS + 1], lane[T], lane[T] - lane[MARK], trials - lane[LOOK] + WINDOW
        if sample in begun or not counters[sample].any():
            counters[sample, STATUS - STEPS] = LEFT


def _integrate(model, system, count, end, time, settings, patience):
    z, module, width = model.sizes, model.module, model.width
    n, m, nc = (z[k] for k in ("N", "M", "NC"))
    nr, ny, ns = (len(x) for x in (model.requests.reduced, model.requests.histories, model.requests.names))
    rows = max(n, z["NM"])
    scheme = model.scheme
    model.compile()
    uniform, lane = model.pack(system, count)
    q_guess, v_guess = system.initial()
    Q0, V0 = (
        np.ascontiguousarray(np.array([np.broadcast_to(x, count) for x in guess], float).reshape(n, count)) for guess in (q_guess, v_guess)
    )

    def lanes(*shape):
        return np.zeros((*(max(1, k) for k in shape), width))

    def samples(*shape):
        return np.zeros((*(max(1, k) for k in shape), count))

    q, v, s, w = lanes(n), lanes(n), lanes(m), lanes(2 * (n + rows) + 4)
    C, P, L, K, D = lanes(7 * nc), lanes(model.rows), lanes(LANE_ROWS), lanes(scheme.slots, rows), lanes(scheme.slots, m)
    R, Y0, g = lanes(6 * nr), lanes(ns), lanes(4 * nc)  # penetrations and their rates, and room for those within a step
    E0, S0, C0, L0, X0 = samples(4), samples(m), samples(7 * nc), samples(LANE_ROWS), samples(nr)
    K0, D0 = samples(scheme.carry, rows), samples(m)
    length, away = extents(system, count), lengths(system, count)
    contacts = [c.element for c in model.build.contacts]
    nearness, slowest = contact_scales(system, contacts, length, settings)
    found = {f"{name}.events": text for name, text in coarse_events(system, contacts, nearness, slowest, away).items()}
    for element, *rows in zip(contacts, nearness, slowest, strict=True):
        for key, x in zip(("event_tolerance", "minimum_impact_velocity"), rows, strict=True):
            found[f"{element.name}.{key}"] = float(x[0]) if np.all(x == x[0]) else "per sample"
    sizes = np.concatenate([length[None], away[None], nearness, slowest])
    fixed = settings.fixed or not scheme.adaptive
    h_max = settings.step or end / 50.0
    h_min = max(1e-14 * end, 1e-300)
    h0 = h_max if fixed else min(h_max, scheme.first * end)
    reach = h0 if scheme.correction is None else h_max  # an implicit scheme from rest would have to resolve its fastest motions first
    with np.errstate(all="ignore"), model.compiling():
        module.assemble(Q0, V0, lane, uniform, E0, q, v, P, w, 80)
        _states(model, system, Q0, S0)
        module.prepare(Q0, V0, S0, C0, K0, D0, lane, L0, X0, uniform, h0, reach, sizes, q, v, s, C, P, K, D, L, Y0, g)
    bad = ~((E0[0] < 1e-9 * length + 1e-14 * away) & (E0[1] < 1e-9) & np.isfinite(K0).all((0, 1)))
    loose = loosely_held(system, model.build.shift, count)
    bad |= np.array(loose) != ""
    queue = np.flatnonzero(~bad)
    full = any(how is None for _, how in model.requests.wanted.values())
    times = time if full else time[-1:] if ny else time[:0]
    H = np.full((max(1, ny), count, max(1, len(times))), np.nan)
    F, counters = np.full((count, max(1, ROWS * nr)), np.nan), np.zeros((count, COUNTERS))
    G = np.zeros((width, max(1, len(times)), 2 * n + m + 3 * nc + (n + 1 if z["REFINED"] else 0)))
    if len(queue):
        owner = np.zeros(width, np.int64)
        given_up = not _in_slices(
            module.campaign, patience, float(end), settings.tolerance, fixed, h_max, h_min, float(settings.max_steps), queue, owner, Q0, V0,
            S0, C0, K0, D0, lane, L0, X0, uniform, H, F, counters, times, G,
            np.zeros(width, np.int64), q, v, s, C, P, L, lanes(m), K, D, w, R, Y0, lanes(ns), lanes(ns),
            lanes(n), lanes(n), lanes(m), lanes(n), lanes(n), lanes(m),
            g, lanes(4)[:, None, :].copy(), lanes(1), lanes(n), lanes(n), lanes(m), lanes(7 * nc), lanes(model.rows), lanes(ns),
        )  # fmt: skip
        if given_up:
            _leave(queue, owner, L, counters)
    if model.solver:
        model.solver.check()
    failed = counters[:, STATUS - STEPS].astype(int)
    codes = np.where(bad, ERROR, np.where(failed == 1, DIVERGED, np.where(failed >= 2, TIMEOUT, OK))).astype(np.int8)
    values = _collect(model, H, F, end)
    for x in values.values():
        lost = (codes == OK) & ~np.isfinite(x.reshape(count, -1)).all(1)
        codes[lost] = DIVERGED
    reasons = {element: values[name].copy() for name, element in _witnesses(system).items()}
    for x in values.values():
        if x.ndim == 1:
            x[codes != OK] = np.nan
        else:  # what was recorded before a failure stays
            x[np.logical_or.accumulate(~np.isfinite(x), axis=1)] = np.nan
    failures = Failures(system, settings, end, length, away, E0, counters, reasons)
    notes = [loose[i] or failures.note(code, i) for i, code in enumerate(codes)]
    return values, codes, notes, {"steps": counters[:, 0], "rejected": counters[:, 1], "events": counters[:, EVENTS - STEPS]}, found


def _states(model, system, Q0, S0):
    """Start integrated angles on the turn of the guess, and the energy taken up by contacts with what they store."""
    guesses, build = system.angles(), model.build
    for k, name in enumerate(model.state_names):
        owner, _, key = name.rpartition(".")
        if key == "angle" and owner in guesses:
            i = build.first[owner]
            exact = np.arctan2(Q0[i + 3], Q0[i + 2])
            S0[k] = exact + 2 * np.pi * np.round((guesses[owner] - exact) / (2 * np.pi))
        elif name == "energy.taken":
            known = {f"q{i}": x for i, x in enumerate(Q0)} | {f"mode{j}": 1.0 for j in range(len(build.contacts))}
            S0[k] = build.graph.evaluate([build.stored_energy], known | {"t": 0.0}, [v for _, v in system.leaves()])[0]


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
