"""`run` and `prepare`: from a model function and samples to outputs."""

from dataclasses import asdict, dataclass

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.joints import JointFriction
from flexmbd.parameters import Matrix
from flexmbd.running.batch import Stack, Unchanged, calls, describe, first_of, single
from flexmbd.running.choice import chosen
from flexmbd.running.energy_balance import noted
from flexmbd.running.integration import Integration
from flexmbd.running.models import model_of
from flexmbd.running.outcome import gained, outcome, started
from flexmbd.running.plausible import implausible
from flexmbd.running.posed import asked, joined, moved
from flexmbd.running.reduced import check_windows, output_times, recorded
from flexmbd.running.sections import first_numbers, none_of, of_samples
from flexmbd.running.settings import Settings, as_settings
from flexmbd.running.stepwise import fixed_step, percussions
from flexmbd.trajectory import ERROR, OK, Trajectory
from flexmbd.tuning import USUAL


@dataclass(frozen=True)
class Prepared:
    """What `prepare` found: units of the outputs asked for, all output names, numbers used, and the topology's hash.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> ready = fm.prepare(s, end=1.0, points=11, outputs=["rod.angle"])
    >>> ready.attributes["solver.integrator"], [name for name in ready.available if name.startswith("pin.")][:2]
    ('dormand_prince', ['pin.force', 'pin.fx'])
    """

    units: dict
    available: list
    attributes: dict
    topology: str


def prepare(build, samples=None, *, end, points, outputs, settings=None, sections=None):
    """Describe a model once, check it, and compile it.

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
    sections : mapping name -> PoincareSection, optional

    Returns
    -------
    Prepared
        Units also of what sections take.

    Raises
    ------
    ModelError
        If the model, an output or a setting is wrong.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> ready = fm.prepare(s, end=1.0, points=11, outputs=["rod.angle", "pin.force:max"])
    >>> ready.units
    {'rod.angle': 'rad', 'pin.force:max': 'N'}
    """
    settings = as_settings(settings)
    one = first_of(build, samples)
    system, good, message = describe(build, one)
    if not len(good):
        raise ModelError(f"the model cannot be built: {message[0]}")
    settings, reasons = chosen(settings, system, end)
    shorter = first_numbers(sections)
    run(build, one, end=1e-9 * end, points=min(points, 2), outputs=outputs, settings=settings, sections=shorter)
    model = model_of(system, outputs, settings, sections)
    check_windows(model.requests, end)
    return Prepared(
        {name: model.units[name] for name in (*outputs, *model.requests.of_sections)},
        sorted(model.problem.outputs),
        attributes(model, system, settings, reasons),
        model.topology,
    )


def compiled(build, samples=None, *, end, outputs, settings=None, sections=None):
    """True if the machine code of a model is on disk; arguments and errors as those of `prepare`.

    A process that compiles a model runs code that may round differently in the last digits from what later processes load: whoever wants
    results identical to the last bit has it compiled by another process.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> ready = fm.prepare(s, end=1.0, points=11, outputs=["rod.angle"])
    >>> fm.compiled(s, end=1.0, outputs=["rod.angle"])
    True
    """
    system, good, message = describe(build, first_of(build, samples))
    if not len(good):
        raise ModelError(f"the model cannot be built: {message[0]}")
    return model_of(system, outputs, chosen(as_settings(settings), system, end)[0], sections).on_disk()


def run(build, samples=None, *, end, points=201, times=None, outputs, settings=None, patience=None, poses=False, sections=None):
    """Simulate a batch, or one system.

    Parameters
    ----------
    build, samples, end, points, outputs, settings
        See `prepare`.
    times : ndarray (points,), optional
        Other times of the histories than ``linspace(0, end, points)``: rising, from 0 to `end` [s]. Values there are read off the steps
        (`stepping.recording`), so that the motion does not depend on them.
    patience : float, optional
        Seconds on the clock (compiling does not count) after which runs that are not done are left, with status `timeout` and how far
        they came. For trials: what is left depends on the machine.
    poses : bool or sequence of str
        Keep where all bodies are at the times of the histories, or those named: for `Trajectory.poses`, `centre_line`, `places`.
    sections : mapping name -> PoincareSection, optional
        What to take at equal times, at passages of a level, or at impacts: `Trajectory.sections`.

    Returns
    -------
    Trajectory
        Outputs ``(samples, points)`` or ``(samples,)``, also where `build` is a function and there is one sample. Of a `System` whose
        numbers are all single, without the axis of samples: outputs ``(points,)`` or numbers, one status, one message.

    Raises
    ------
    ModelError
        If the batch as a whole cannot be run; a failing sample is recorded in the trajectory instead.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> found = fm.run(s, end=0.5, points=3, outputs=["rod.angle", "energy.balance"])
    >>> found["rod.angle"].round(3).tolist()  # rad
    [0.0, -0.457, -1.661]
    >>> def pendulum(length):
    ...     s = fm.System(gravity=(0.0, -9.81))
    ...     bob = s.point_mass("bob", mass=1.0, position=(length, 0.0))
    ...     string = s.add(fm.Distance("string", s.ground.at(0.0, 0.0), bob.centre))
    ...     return s
    >>> found = fm.run(pendulum, {"length": [0.5, 1.0, 2.0]}, end=0.3, points=4, outputs=["bob.y"])
    >>> found["bob.y"].shape  # samples, times
    (3, 4)
    """
    settings = as_settings(settings)
    time = output_times(end, points, times)
    points = len(time)
    system, good, message = describe(build, samples)
    count = len(message)
    status = np.where([bool(m) for m in message], ERROR, OK).astype(np.int8)
    if system is None:
        empty = {o: np.full((count,) if ":" in o else (count, points), np.nan) for o in outputs}
        none = {name: none_of(section, count) for name, section in (sections or {}).items()}
        statistics = {k: np.zeros(count) for k in ("steps", "rejected", "events")}
        return Trajectory(time, empty, {}, status, message, {}, statistics, sections=none)
    system = system if isinstance(system, Stack) else Unchanged(system)
    settings, reasons = chosen(settings, system, end)
    kept_of = asked(system, poses)
    wanted = [*outputs, *(name for own in kept_of.values() for name in own)]
    model = model_of(system, wanted, settings, sections)
    made = Integration(model, system, len(good), settings, float(end))
    notable, bad, words = started(made)
    kept = recorded(model, time, float(end))
    made.run(np.flatnonzero(~bad), kept, patience, of_samples(sections, good, count))
    own = np.searchsorted(kept, time)
    values, codes, notes, counters = outcome(made, bad, words)
    if "ended" in counters:
        ended, names = int(np.isfinite(counters["ended"]).sum()), ", ".join(c.name for c in model.problem.contacts if c.stops)
        notable["ended"] = f"{ended} of {len(good)} runs by a condition" if ended else f"no run: '{names}' never came"
    for name, (_, window) in model.requests.windows.items():
        if float(end) * (1.0 + 1e-9) < window.end < np.inf:
            notable[f"{name}.window"] = f"it is cut at the end of the run, {end:g} s"
    if told := gained(counters):
        notable["energy"] = told
    notable |= implausible(made, codes)
    notable |= noted(model, settings, made.counters, np.flatnonzero(codes == OK))
    out = {}
    for name in wanted:
        x = values[name] if ":" in name else values[name][:, own]
        full = out[name] = np.full((count, *x.shape[1:]), np.nan)
        full[good] = x
    statistics = {k: np.full(count, np.nan if k == "ended" else 0.0) for k in counters}
    for k, x in counters.items():
        statistics[k][good] = x
    status[good] = codes
    for i, note in zip(good, notes, strict=True):
        message[i] = note
    bodies, points = moved(system, kept_of, out, good), made.sections.found(good, count)
    units = {name: model.units[name] for name in (*out, *model.requests.of_sections)}
    used = attributes(model, system, settings, reasons) | notable | made.sections.said(codes == OK)
    found = Trajectory(time, out, units, status, message, used, statistics, bodies, joined(system, bodies, good), points)
    return found.of_sample(0) if single(build) else found


def attributes(model, system, settings, reasons):
    """Everything that decided the numbers, flat."""
    used = {f"solver.{k}": v for k, v in asdict(settings).items() if k != "tuning"}
    if settings.tuning != USUAL:
        used["solver.tuning"] = repr(settings.tuning)
    used |= reasons | {"constraints.dependent": model.dependent} | model.problem.notes
    used |= {"model.calls": told} if (told := calls(system)) else {}
    for element in system.elements:
        for part in ("law", "friction", "film", "transition", "asperities") if hasattr(element, "law") else ():
            chosen = getattr(element, part, None)
            if chosen is not None or part == "friction":
                used[f"{element.name}.{part}"] = "none" if chosen is None else chosen.name
        if isinstance(element, JointFriction):
            used[f"{element.name}.holds"] = "no: the law is regularised, so the joint creeps under a load below its limit"
    for path, value in system.parameters().items():
        table = isinstance(value, Matrix)
        used[path.removeprefix("@")] = "per sample" if np.ndim(value) else f"{value.shape[0]} x {value.shape[1]}" if table else float(value)
    if model.signals.nonnegative:
        used["outputs.nonnegative"] = ", ".join(model.signals.nonnegative)
    if model.signals.at_most_one:
        used["outputs.at_most_one"] = ", ".join(model.signals.at_most_one)
    return used | fixed_step(model, settings) | percussions(model)


__all__ = ["Prepared", "compiled", "Settings", "as_settings", "prepare", "run"]
