"""Inputs that change during a motion: which may, and what becomes of a state."""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.equations.onward import Onward
from flexmbd.errors import ModelError, check_number
from flexmbd.registry import CONTACT_ROWS, LOCKED, OPEN
from flexmbd.running.outcome import PENETRATES, overlaps
from flexmbd.running.scales import contact_scales, extents, leaps
from flexmbd.space import lengths
from flexmbd.stepping.changed import leave
from flexmbd.stepping.names import BOOKED, START, VELOCITY_SCALE
from flexmbd.suggest import unknown

REMEDY = "change it in smaller steps, or let a motion of time move what constraints hold"
JUMPS = ("positions", "m"), ("angles", "(directions)"), ("velocities", "m/s"), ("rates", "1/s")
# What rows may jump, and bodies overlap, to be moved: by the mechanism's size, of a direction, by the size of velocities, and these by the
# mechanism's size.
FARTHEST = 0.01, 0.01, 0.1, 0.1
PASSES = 8  # in which bodies that are moved to surfaces meet others


@dataclass(frozen=True)
class Begun:
    """What a motion goes on from.

    Attributes
    ----------
    values : ndarray (samples, rows)
        Of the state.
    words : list of str
        Why a sample cannot go on, else "".
    notes : dict of str to str
        What the change of inputs has done, by element.
    """

    values: np.ndarray
    words: list
    notes: dict = field(default_factory=dict)


def changed_samples(state, inputs):
    """Samples of a state with other inputs.

    Raises
    ------
    ModelError
        For an input that the model does not have, or values that are not one number for each sample.
    """
    count, samples = len(state.values), dict(state.samples)
    for name, value in inputs.items():
        if name not in samples:
            raise unknown("input", name, samples)
        value = np.atleast_1d(check_number("simulation", name, value))
        if len(value) not in (1, count):
            raise ModelError(f"input '{name}' has {len(value)} values; the state has {count} samples")
        samples[name] = np.broadcast_to(value, len(samples[name])).copy()
    return samples


def go_over(before, after, state, inputs):
    """A state with the numbers of `after`.

    Places, velocities and sums go on.  Where rows no longer close, or bodies overlap that cannot, places and velocities move to the
    nearest that fit (by kinetic energy, as at a start).  Contacts open or close as in an event, accelerations and scheme begin anew, and
    energy that all this brings is booked.  A sample whose inputs stay the same is as it was, to the last bit.

    Parameters
    ----------
    before, after : Integration
        With the numbers of the state, and with the new ones.
    state : State
    inputs : mapping str -> ndarray (samples,)
        Those that change.

    Returns
    -------
    Begun
        Samples that would have to move farther than `FARTHEST` have words.

    Raises
    ------
    ModelError
        If the model would be another one.
    """
    told = f"input{'s' * (len(inputs) > 1)} {', '.join(map(repr, inputs))}"
    if after.model.topology != before.model.topology:
        raise ModelError(f"{told} changes what the system consists of, which a motion cannot", remedy="keep what elements there are")
    before.states[:] = state.values
    before.call(leave)
    change = Change(before, after, state, told)
    changed = np.any([np.broadcast_to(x != state.samples[name], after.count) for name, x in inputs.items()], axis=0)
    change.move(changed)
    after.states[~changed] = state.values[~changed]
    return Begun(after.states.copy(), [words * bool(own) for words, own in zip(change.words, changed, strict=True)], change.notes(changed))


class Change:
    """The change of numbers of all samples at once."""

    def __init__(self, before, after, state, told):
        system, count = after.system, after.count
        self.before, self.after, self.told, self.time = before, after, told, float(state.time[0])
        self.values, self.booked, self.words = before.states.copy(), state.values[:, BOOKED], [""] * count
        self.length, away = extents(system, count), lengths(system, count)
        elements = [c.element for c in after.model.problem.contacts]
        self.small = leaps(system, count), *contact_scales(system, elements, self.length, after.settings)
        speed = before.column(VELOCITY_SCALE)[:, 0] + 1e-300
        sizes = np.array([self.length, np.ones(count), speed, speed / self.length])
        self.farthest = sizes * np.array(FARTHEST)[:, None]
        self.closed = 1e-9 * sizes + np.array([1e-14 * away, *np.zeros((3, count))])
        self.pressed = np.zeros((len(after.model.problem.unilaterals), count))  # m by which surfaces were overlapped
        self.way = np.zeros(count)
        self.was, self.came = self._contacts(before), self._places()[0].copy()

    def _contacts(self, made):
        """Modes and penetrations of all contacts, (2, contacts, count)."""
        sizes = made.model.layout.sizes
        rows = made.column(sizes["CONTACTS"], CONTACT_ROWS * sizes["NC"]).T
        return np.array([rows[0::CONTACT_ROWS], rows[2::CONTACT_ROWS]])

    def _places(self):
        """Coordinates and velocities (n, count), to be written."""
        n = self.after.model.problem.n
        return self.values[:, START + 1 : START + 1 + n].T, self.values[:, START + 1 + n : START + 1 + 2 * n].T

    def _deep(self):
        """How far samples overlap surfaces at the places of now; where these are open they are so too."""
        made, problem = self.after, self.after.model.problem
        if not problem.unilaterals:
            return self.pressed
        made.states[:] = self.values
        depth, first = overlaps(made, self.time), START + 1 + 2 * problem.n
        for contact, own in zip(problem.unilaterals, depth, strict=True):
            mode = self.values[:, first + contact.first]
            mode[(own < -PENETRATES * self.length) & (mode != LOCKED)] = OPEN
        return depth * (depth > PENETRATES * self.length)

    def move(self, changed):
        """States that fit the new numbers; words on those for which there are none near."""
        made, problem, deep = self.after, self.after.model.problem, self._deep()
        made.go_on(self.values, *self.small)
        jump = made.residuals.T - 2.0 * self.before.residuals.T
        for off, most, (what, unit) in zip(jump, self.farthest, JUMPS, strict=True):
            self._refuse(
                ~(off <= most), lambda i, off=off, what=what, unit=unit: f"{what} would have to jump by {off[i]:.3g} {unit} at once"
            )
        for contact, depth in zip(problem.unilaterals, deep, strict=True):
            deeper = f"contact '{contact.name}', which cannot be penetrated, would be overlapped at once by"
            self._refuse(depth > self.farthest[0], lambda i, said=deeper, depth=depth: f"{said} {depth[i]:.3g} m")
        for j, contact in enumerate(problem.contacts):
            mode = self._contacts(made)[0, j]
            begins = (mode > 0.5) & (self.was[0, j] < 0.5) & contact.stops
            self._refuse(begins, lambda _i, c=contact: f"condition '{c.name}' would hold at once")
        refused = np.array([bool(words) for words in self.words])
        which = np.flatnonzero(changed & ~refused & (np.any(jump > self.closed, axis=0) | np.any(deep > 0.0, axis=0)))
        if len(which):
            self._moved(which, deep)
            self._check(which)
        self._store()
        made.go_on(self.values, *self.small)

    def _check(self, which):
        """Words on samples that were moved and do not fit yet."""
        made = self.after
        made.go_on(self.values, *self.small)
        off = np.any(~(made.residuals.T - 2.0 * self.before.residuals.T <= self.closed), axis=0) | np.any(self._deep() > 0.0, axis=0)
        stuck = np.isin(np.arange(made.count), which) & off
        self._refuse(stuck, lambda _i: "there are no positions near that fit")

    def _store(self):
        """Energy that contacts store by the new numbers and did not by the old ones is taken up by them, as at a start."""
        taken = "energy.taken"
        if taken in self.after.model.state_names:
            stored = [made.stored(places) for made, places in ((self.before, self.came), (self.after, self._places()[0]))]
            n = self.after.model.problem.n
            self.values[:, START + 1 + 2 * n + self.after.model.state_names.index(taken)] += stored[1] - stored[0]

    def _moved(self, which, deep):
        """Move places and velocities of samples to the nearest that fit."""
        made, problem = self.after, self.after.model.problem
        (q, v), states = self._places(), self.values[:, START + 1 + 2 * problem.n :][:, : len(problem.states)].T
        onward, start = Onward(problem, made.system, made.count, self.time, states), q.copy()
        for _ in range(PASSES):
            self.pressed[:, which] = np.maximum(self.pressed, deep)[:, which]
            found = onward.moved(start, v, which, self.pressed > 0.0)
            q[:, which], v[:, which] = found[0][:, which], found[1][:, which]
            deep = self._deep()
            which = np.array([i for i in which if deep[:, i].any()], int)
            if not len(which):
                break
        far = np.array([measure != "angle" for measure in problem.measures])
        self.way = np.abs(q - start)[far].max(axis=0, initial=0.0)

    def _refuse(self, which, why):
        for i in np.flatnonzero(which):
            self.words[i] = self.words[i] or f"{self.told} of sample {i}: {why(i)}; {REMEDY}"

    def notes(self, changed):
        """What was done, by element."""
        found, made = {}, self.after
        good = changed & ~np.array([bool(words) for words in self.words])
        modes, depths = self._contacts(made)
        for j, contact in enumerate(made.model.problem.contacts):
            key, on, was_on = f"{contact.name}.change", modes[j] > 0.5, self.was[0, j] > 0.5
            for what, who in (("opens", good & was_on & ~on), ("closes", good & on & ~was_on)):
                if who.any():
                    size = f" by up to {np.abs(depths[j][who]).max():.3g} m" if hasattr(contact.element, "law") else ""
                    said = f"{self._where(who)}it {what} at {self.time:g} s{size} by the change of inputs"
                    found[key] = f"{found[key]}; {said}" if key in found else said
        for contact, depth in zip(made.model.problem.unilaterals, self.pressed, strict=True):
            if (who := good & (depth > 0.0)).any():
                found[f"{contact.name}.overlap"] = (
                    f"{self._where(who)}bodies that would overlap by up to {depth[who].max():.3g} m were moved apart"
                )
        if (who := good & (self.way > 0.0)).any():
            found["start.moved"] = f"{self._where(who)}by up to {self.way[who].max():.3g} m at {self.time:g} s, to fit the new inputs"
        brought = (made.states[:, BOOKED] - self.booked)[good]
        if np.any(brought):
            found["energy.change"] = (
                f"the book of energy begins anew at {self.time:g} s, with {brought.min():.3g} to {brought.max():.3g} J more"
            )
        return found

    def _where(self, who):
        return "" if self.after.count == 1 else f"in {who.sum()} of {self.after.count} samples "
