"""`compile`: a model to be run, or gone through state by state."""

import numpy as np

from flexmbd.errors import ModelError, check_number
from flexmbd.running.batch import describe, first_of
from flexmbd.running.choice import chosen
from flexmbd.running.controls import Begun, changed_samples, go_over
from flexmbd.running.integration import Integration
from flexmbd.running.models import model_of
from flexmbd.running.outcome import outcome, started
from flexmbd.running.posed import asked, joined, moved
from flexmbd.running.reduced import recorded
from flexmbd.running.sections import of_samples
from flexmbd.running.settings import as_settings
from flexmbd.running.simulate import attributes, run
from flexmbd.state import LOOP, State
from flexmbd.stepping.changed import count_anew
from flexmbd.trajectory import OK, Trajectory


def compile(build, samples=None, *, outputs=(), end=1.0, settings=None, poses=False, sections=None):
    """Compile a model.

    Parameters
    ----------
    build : callable or System
        ``build(**inputs) -> System``, or a system.
    samples : mapping name -> ndarray (n,), optional
        For a function, inputs as it will be called with: one sample is enough.
    outputs : sequence of str
    end : float
        How long motions are about to take, in s: it decides the largest step, and the integrator if that is "auto".
    settings : mapping, optional
    poses : bool or sequence of str
        As of `flexmbd.run`, for `Simulation.run` and `Simulation.go_on`.
    sections : mapping name -> PoincareSection, optional
        As of `flexmbd.run`; of a motion that goes on `after` and `every` count from the state on.

    Returns
    -------
    Simulation

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
    >>> sim = fm.compile(s, outputs=["rod.angle"], end=1.0)
    >>> state = sim.step(sim.start(), until=0.3)
    >>> state.time.tolist()
    [0.3]
    """
    return Simulation(build, samples, tuple(outputs), float(end), as_settings(settings), poses, dict(sections or {}))


class Simulation:
    """A compiled model.

    The model function is called once for samples that go on from state to state, not at every step.

    Attributes
    ----------
    units : dict str -> str
        Of the outputs.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> sim = fm.compile(s, outputs=["rod.angle"], end=1.0)
    >>> state = sim.step(sim.start(), until=0.25)
    >>> rest, state = sim.go_on(state, end=0.5, points=2)
    >>> whole = sim.run(end=0.5, points=2)
    >>> bool(abs(rest["rod.angle"][0, -1] - whole["rod.angle"][-1]) < 1e-6)
    True
    """

    def __init__(self, build, samples, outputs, end, settings, poses=False, sections=None):
        if not 0 < end < np.inf:
            raise ModelError(f"the end of the time is {end!r} s; it must be greater than zero")
        self._build, self.outputs, self.end, self._made = build, outputs, end, ((), None)
        system = self._system(first_of(build, samples))
        self.settings, self._reasons = chosen(settings, system, end)
        self._poses, self._sections = asked(system, poses), sections or {}
        self._wanted = [*outputs, *(name for own in self._poses.values() for name in own)]
        model = model_of(system, self._wanted, self.settings, self._sections)
        model.compile()
        self.units = {name: model.units[name] for name in (*outputs, *model.requests.of_sections)}

    def _system(self, samples):
        system, good, message = describe(self._build, samples)
        if len(good) < len(message) or system is None:
            i = next(i for i, words in enumerate(message) if words)
            raise ModelError(f"the model of sample {i} cannot be built: {message[i]}")
        return system

    def run(self, samples=None, *, end=None, points=201):
        """`flexmbd.run` with the outputs and settings of this one; `end` is its own if left out."""
        given = samples or None
        how = {"outputs": self.outputs, "settings": self.settings, "poses": [*self._poses], "sections": self._sections}
        return run(self._build, given, end=end or self.end, points=points, **how)

    def start(self, samples=None):
        """The assembled state at time zero.

        Parameters
        ----------
        samples : mapping name -> ndarray (n,), optional

        Returns
        -------
        State

        Raises
        ------
        ModelError
            If a sample cannot be built or assembled.
        """
        samples = {name: np.atleast_1d(check_number("simulation", name, x)) for name, x in (samples or {}).items()}
        if any(len(x) == 0 for x in samples.values()):
            raise ModelError("there are no samples to start")
        made = self._integration(samples)
        _, bad, notes = started(made)
        if bad.any():
            made.run([], np.zeros(0))
            words = outcome(made, bad, notes)[2]
            i = int(np.flatnonzero(bad)[0])
            raise ModelError(f"sample {i} cannot start: {words[i]}")
        return self._state(made, samples)

    def step(self, state, until, *, inputs=None):
        """The state at a later time.

        Parameters
        ----------
        state : State
            Of `start`, `step`, or `State.load`; it stays as it is.
        until : float
            s
        inputs : mapping name -> float or ndarray (n,), optional
            Inputs that have other values from the state's time on; the state that is returned keeps them.  Energy that the change itself
            brings, such as that of a spring which becomes stiffer, is no error of the book.  Contacts open or close where the new numbers
            say so; bodies that would overlap and cannot, and joints that no longer close, are moved, by less than `controls.FARTHEST` of
            the mechanism's size: `State.notes` says what was done.

        Returns
        -------
        State

        Raises
        ------
        ModelError
            If the state is not one of this model, a motion fails, or an input cannot change: positions or velocities would have to jump
            far, or the model would be another one.
        """
        made, samples, begun = self._continued(state, until, inputs)
        if any(begun.words):
            raise ModelError(next(filter(None, begun.words)))
        made.run(np.arange(made.count), np.zeros(0))
        _, codes, words, _ = outcome(made, np.zeros(made.count, bool), [""] * made.count, whole=False)
        if codes.any():
            i = int(np.flatnonzero(codes)[0])
            raise ModelError(f"sample {i} does not get to {until:g} s: {words[i]}")
        return self._state(made, samples, begun.notes)

    def go_on(self, state, end, *, points=201, inputs=None, anew=False):
        """Outputs from a state to a later time, and the state there; `inputs` as of `step`.

        Reductions are those of the whole motion since its start; where they are to begin `anew`, those from the state on, and windows
        count from there.  A sample whose inputs cannot change so has the status `error`.

        Returns
        -------
        Trajectory
            Times ``linspace(state.time, end, points)``.
        State
        """
        made, samples, begun = self._continued(state, end, inputs)
        if asked := made.model.requests.percentiles:
            name = next(iter(asked))
            raise ModelError(f"output '{name}': a percentile is of a whole run, not of one that goes on", element=name, remedy="use `run`")
        if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 1:
            raise ModelError(f"points is {points!r}; it must be a whole number from 1")
        time = np.linspace(float(state.time[0]), float(end), points)
        bad, begins = np.array([bool(words) for words in begun.words]), float(state.time[0]) if anew else 0.0
        if anew:
            made.call(count_anew)
        every = np.arange(made.count)
        made.run(np.flatnonzero(~bad), recorded(made.model, time, float(end)), None, of_samples(self._sections, every, made.count))
        values, codes, words, counters = outcome(made, bad, begun.words, whole=False, begins=begins)
        used = attributes(made.model, made.system, self.settings, self._reasons) | begun.notes | made.sections.said(codes == OK)
        outputs = {name: values[name] if ":" in name else values[name][:, :points] for name in self._wanted}
        bodies = moved(made.system, self._poses, outputs)
        shown = bodies, joined(made.system, bodies), made.sections.found(every, made.count)
        return Trajectory(time, outputs, self.units, codes, list(words), used, counters, *shown), self._state(made, samples, begun.notes)

    def load(self, path):
        """A state that was saved, if it is one of this model."""
        state = State.load(path)
        self._check(state)
        return state

    # ---- parts
    def _integration(self, samples):
        """The samples with nothing done yet; the model is made once for those that go on and on."""
        key, (before, made) = [(name, x.tobytes()) for name, x in samples.items()], self._made
        if made is None or before != key:
            system = self._system(samples)
            count = max([len(x) for x in samples.values()] or [system.parameters().samples])
            model = model_of(system, self._wanted, self.settings, self._sections)
            made = Integration(model, system, count, self.settings, self.end, keeps=True)
            self._made = key, made
        else:
            made.clear(self.end)
        return made

    def _state(self, made, samples, notes=None):
        """A state; rows of the last step mean nothing after it, and depend on who else was in the lanes."""
        model = made.model
        values = made.states.copy()
        values[:, : len(LOOP)] = 0.0
        return State(
            model.topology, model.scheme.name, model.layout.kept_names(True), model.layout.parts(), values, samples, notes or {}
        ).copy()

    def _check(self, state):
        made = self._integration(state.samples)
        model, kept = made.model, made.model.layout.kept_names(True)
        remedy = "compile the model that it was saved from, with the same outputs, integrator and formulation"
        if state.topology != model.topology:
            raise ModelError(f"the state is of another model (topology {state.topology}, this one has {model.topology})", remedy=remedy)
        if (state.integrator, state.names) != (model.scheme.name, kept):
            why, (first, count) = "other outputs or settings", state.parts["coordinates"]
            if state.integrator != model.scheme.name:
                why = f"integrator '{state.integrator}'"
            elif (own := state.names[first : first + count]) != tuple(model.problem.coordinates):
                why = f"other coordinates ({', '.join(own[:4])} ...)"
            raise ModelError(f"the state is of a motion with {why}", remedy=remedy)
        if len(state.values) != made.count:
            raise ModelError(f"the state has {len(state.values)} samples, the model {made.count}")
        return made

    def _continued(self, state, until, inputs):
        """What goes on from a state, its samples, and how it begins."""
        made = self._check(state)
        if not np.all(state.time == state.time[0]):
            raise ModelError("the samples of the state are at different times")
        if np.ndim(check_number("simulation", "until", until)):
            raise ModelError(f"until is {until!r}; it must be one number, the same for all samples")
        if not until > state.time[0]:
            raise ModelError(f"the state is at {state.time[0]:g} s; it cannot go on until {until!r} s, which is not later")
        samples, begun = state.samples, Begun(state.values, [""] * made.count)
        if inputs:
            samples, before = changed_samples(state, inputs), made
            self._made = (), None  # what was made for the samples of before is not cleared yet
            made = self._integration(samples)
            begun = go_over(before, made, state, {name: samples[name] for name in inputs})
        made.states[:] = begun.values
        made.until(float(until))
        return made, samples, begun


__all__ = ["Simulation", "compile"]
