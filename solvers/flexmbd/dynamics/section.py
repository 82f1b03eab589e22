"""Maps of a mechanism's motion from one section to the next, with derivatives by the variational equations."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbd.analysis.equations import Equations
from flexmbd.analysis.refusals import refuse_coupled, refuse_states
from flexmbd.analysis.state_space import independent_coordinates
from flexmbd.dynamics.code import Code
from flexmbd.dynamics.inputs import Inputs
from flexmbd.dynamics.lanes import Facts, Lanes, Sections
from flexmbd.dynamics.where import DIRECTIONS, Where, contact_of, contacts_of
from flexmbd.errors import ModelError, check_number
from flexmbd.formulation import taken
from flexmbd.registry import NEWTON, POISSON
from flexmbd.running.diagnosis import examine
from flexmbd.space import lengths


@dataclass(frozen=True, eq=False)
class Passage:
    """States carried to the next section, and what happened on the way.

    Attributes
    ----------
    points : ndarray (n, d)
        NaN where there is none.
    by_state, by_parameter : ndarray (n, d, d), (n, d, parameters)
        NaN where there are none, of what grazes too.
    impacts : ndarray of int (n,)
        Onsets of contact.
    approach : ndarray (n,)
        Least approach speed of them in m/s, inf without any: where it goes to zero the motion grazes.
    time : ndarray (n,)
        That it took in s.
    said : list of str
        Why there is no point, or no derivative; "" where there are both.
    gap, gap_time : ndarray (n,)
        Where a contact is left out: how near to it the motion comes in m, negative where it would be within it, and when, in s after the
        phase zero (else after the start). NaN where there is no point; None where no contact is left out.
    gap_by_state, gap_by_parameter : ndarray (n, d), (n, parameters)
        Derivatives of that gap; NaN where it is least at an impact of another contact.

    Examples
    --------
    >>> import numpy as np, flexmbd as fm
    >>> none = np.zeros((1, 2, 0))
    >>> fm.Passage(np.zeros((1, 2)), np.eye(2)[None], none, np.array([1]), np.array([0.3]), np.array([2.0]), [""]).approach  # m/s
    array([0.3])
    """

    points: np.ndarray
    by_state: np.ndarray
    by_parameter: np.ndarray
    impacts: np.ndarray
    approach: np.ndarray
    time: np.ndarray
    said: list
    gap: np.ndarray | None = None
    gap_time: np.ndarray | None = None
    gap_by_state: np.ndarray | None = None
    gap_by_parameter: np.ndarray | None = None


class SectionMap:
    """What `section_map` makes; `uqmbd.analysis.dynamics` takes it as one of its maps.

    Attributes
    ----------
    names : tuple of str
        Independent coordinates, their rates, and with `memory` the approach speeds of contacts: ``"mass.x"``, ``"mass.vx"`` where outputs
        are called so, else ``"rod[3]"``, ``"d/dt rod[3]"``; at last ``"phase"`` where `section_map` says so.
    period : float or None
        Time from section to section in s; None where it depends on inputs or on the motion.
    derivatives : str
        "variational equations"
    accuracy : float
        How far off its points may be, beside their size: a hundred tolerances of a step.
    inputs : dict of str to float
        Of the model function, and their values where nothing else is given.
    contacts : tuple of str
        Names of the contacts.

    Examples
    --------
    >>> import flexmbd as fm
    >>> def swing(stiffness=4.0):
    ...     s = fm.System(gravity=(0.0, 0.0))
    ...     mass = s.body("mass", mass=1.0, inertia=1.0, position=(0.1, 0.0))
    ...     s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), mass.centre, axis=(1.0, 0.0)))
    ...     s.add(fm.Spring("spring", s.ground.at(-5.0, 0.0), mass.centre, stiffness=stiffness, damping=0.0, length=5.0))
    ...     return s
    >>> section = fm.section_map(swing, every=1.0)
    >>> isinstance(section, fm.SectionMap), section.period, section.inputs
    (True, 1.0, {'stiffness': 4.0})
    """

    derivatives = "variational equations"

    def __init__(self, inputs, where, every, formulation, tolerance, memory, most):
        self._inputs, self._where, self._codes = inputs, where, {}
        self.inputs, self.accuracy = inputs.values, 100.0 * tolerance
        self.period = None if every is None or callable(every) or where.returns else float(every)
        system = inputs.system({})
        self._formulation = taken(formulation, system)[0]
        e = Equations(system, self._formulation)
        _refuse(e.problem)
        examine(e.problem, system.parameters().of_samples(0), e.initial()[0], length=float(lengths(system, 1)[0]))
        section, driven = where.check(e, every), where.returns and every is not None
        self._beyond, self.contacts = where.beyond(e), contacts_of(e.problem)
        guess = np.concatenate(e.initial())
        G = e.jacobian(guess[: e.n]).toarray()
        free, bound = (x.astype(np.int64) for x in independent_coordinates(G, e.weights))
        turns, kept = dict(zip(e.turning, e.turns, strict=True)), e.problem.contacts if memory else ()
        self._facts = Facts(guess, free, bound, e.weights, e.size, turns, len(kept), tolerance, most, section, driven)
        self.names = (*_names(e, free), *(f"{c.name}.impact_velocity" for c in kept), *["phase"] * driven)

    @property
    def start(self):
        """State (1, d) of the assembled start."""
        facts = self._facts
        places, speeds = facts.guess.reshape(2, -1)[:, facts.free]
        return np.concatenate([places, speeds, np.zeros(facts.kept + facts.driven)])[None]

    def step(self, states, parameters):
        """States (n, d) at the next section, NaN where there is none (`passage` says why).

        Derivatives are carried along, as their kinks ask for shorter steps: with the steps of `tangent` its points are the same.

        Parameters
        ----------
        states : ndarray (n, d)
        parameters : mapping of str to float or ndarray (n,)
            Inputs of the model function; others keep their own values.
        """
        return self.passage(states, parameters).points

    def tangent(self, states, parameters, by=()):
        """States (n, d) at the next section, their derivatives by the states (n, d, d) and by inputs (n, d, len(by))."""
        found = self.passage(states, parameters, by)
        return found.points, found.by_state, found.by_parameter

    def lost(self, states, parameters):
        """Why states (n, d) have no next one or no derivatives, a text for each; "" where they have."""
        return self.passage(states, parameters).said

    def passage(self, states, parameters, by=(), without=None):
        """The same as a `Passage`, which says what happened on the way; `without` a contact, by name, how near to it the motion comes."""
        states = np.asarray(states, float)
        if states.ndim != 2 or states.shape[1] != len(self.names):
            told = f"section_map: states have the shape {states.shape}; it must be (n, {len(self.names)})"
            raise ModelError(told, remedy=f"a row has {', '.join(self.names)}")
        count, by = len(states), list(by)
        given = self._inputs.given(parameters, by, count)
        key = tuple(sorted(given))
        system = self._inputs.system(given)
        if key not in self._codes:
            self._codes[key] = Code(system, self._formulation, self._beyond)
        code = self._codes[key]
        slopes, d = self._inputs.slopes(code.paths, given, by, count), len(self.names)
        sections = self._sections(given, by, count)
        lanes, made, gaps = Lanes(self._apart(without), code, system, count, 1 + d + len(by)), [], []
        for k in range(count):
            made.append(lanes.carry(k, states[k], slopes[k], sections))
            gaps.append(lanes.nearest())
        whole = np.array([x for x, *_ in made]).reshape(count, d, 1 + d + len(by))
        impacts, approach, time = (np.array([x[i] for x in made], kind) for i, kind in ((1, int), (2, float), (3, float)))
        found = Passage(whole[:, :, 0], whole[:, :, 1 : 1 + d], whole[:, :, 1 + d :], impacts, approach, time, [x[4] for x in made])
        if without is None:
            return found
        gap = -np.array([x for x, _ in gaps]).reshape(count, 1 + d + len(by))
        when = np.where(np.isfinite(gap[:, 0]), [x for _, x in gaps], np.nan)
        return replace(found, gap=gap[:, 0], gap_time=when, gap_by_state=gap[:, 1 : 1 + d], gap_by_parameter=gap[:, 1 + d :])

    def _sections(self, given, by, count):
        known, where = self._inputs, self._where
        spans, levels = known.spans(given, count), known.levels(given, count)
        slopes = known.span_slopes(given, by, count), known.level_slopes(given, by, count)
        return Sections(spans, slopes[0], where.until(spans), levels, slopes[1], DIRECTIONS[where.direction])

    def _apart(self, without):
        if without is None:
            return self._facts
        place = contact_of(without, self.contacts)
        if place == self._facts.section:
            raise ModelError(f"section_map: contact '{without}' is the section, and cannot be left out", remedy="take another section")
        return replace(self._facts, apart=place)


def section_map(
    build, every=None, *, crossing=None, level=0.0, direction="up", impact=None, within=None,
    inputs=None, formulation="natural", tolerance=1e-10, memory=False, most=200_000,
):  # fmt: skip
    """Map of a mechanism's motion from a section to the next passage, with its derivatives.

    The section is a time, a period after which the next one is; or where an output passes a level; or the onsets of a contact, just behind
    them: the velocities of bodies that cannot be penetrated are those after the impact.

    Parameters
    ----------
    build : System or callable
    every : float or callable, optional
        Time in s, after which forces and drives repeat; of a callable, as ``lambda speed: 2 * math.pi / speed``, arguments are inputs.
        With a crossing or an impact the phase of the drive is a coordinate, "phase" in rad, from 0 to a turn (up to a tenth of one
        beyond where it began there, so that orbits near 0 are found); left out there where
        nothing depends on time.
    crossing : str, optional
        Output that passes `level` (in its unit) in the `direction` "up", "down" or "both": one of coordinates, velocities and time.
    level : float or callable, optional
        Of a callable, as ``lambda amplitude: amplitude / 2``, arguments are inputs.
    direction : str, optional
        With "both" a motion that begins on the section comes to it next the other way.
    impact : str, optional
        Contact.
    within : float, optional
        Time in s after which a motion that has not come to the section is lost; 100 periods unless said.
    inputs : mapping, optional
        Of the callable, that are not its defaults.
    formulation : str
        Key of `flexmbd.formulation.FORMULATIONS`, or "auto". Joints' coordinates count full turns: a crank that turns on comes back in
        natural ones only.
    tolerance : float
        Local error of coordinates and velocities, beside the mechanism's size; derivatives may be off by a hundred times as much.
    memory : bool
        The approach speeds of contacts, on which forces of closed ones depend, are part of the state.
    most : int
        Steps from section to section.

    Returns
    -------
    SectionMap

    Raises
    ------
    ModelError
        For what the map does not treat: friction in ideal joints, in impenetrable contacts by Poisson's rule or against rolling, states of
        forces (bristles, temperatures, controllers), clocks and stops, and rows that depend on each other; for a section that is not there.

    Notes
    -----
    See docs/theory/section_maps.md. A state has all coordinates, whatever the section; of a crossing or an impact a multiplier is 0, that
    of the direction of the motion. A state near the section need not be on it: what passes a crossing within a thousandth of `every` (or
    `within`) is the start itself.

    Examples
    --------
    >>> import math
    >>> import flexmbd as fm
    >>> def oscillator(frequency=2.7, stiffness=1.0):
    ...     s = fm.System()
    ...     mass = s.body("mass", mass=1.0, inertia=1.0, position=(-0.3, 0.0))
    ...     rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), mass.centre, axis=(1.0, 0.0)))
    ...     spring = s.add(fm.Spring("spring", s.ground.at(-5.0, 0.0), mass.centre, stiffness=stiffness, damping=0.04, length=5.0))
    ...     drive = s.add(fm.PointForce("drive", mass.centre, fx=fm.Harmonic(1.0, frequency)))
    ...     stop = s.add(fm.PointPlane("stop", mass.centre, s.ground.at(0.0, 0.0), fm.Impenetrable(0.8), normal=(-1.0, 0.0)))
    ...     return s
    >>> section = fm.section_map(oscillator, every=lambda frequency: 2 * math.pi / frequency)
    >>> section.names
    ('mass.x', 'mass.vx')
    >>> point, by_state, by_input = section.tangent(section.start, {"frequency": 2.7}, by=["frequency"])
    >>> by_state.shape, by_input.shape
    ((1, 2, 2), (1, 2, 1))
    >>> section.passage(section.start, {"frequency": 2.7}).impacts.tolist()
    [1]

    By how much it would go through the stop, were it not there, and the derivative of the gap by the frequency:

    >>> section.contacts
    ('stop',)
    >>> found = section.passage(section.start, {}, by=["frequency"], without="stop")
    >>> found.gap.round(4).tolist(), found.gap_by_parameter.round(4).tolist()
    ([-0.6231], [[0.4205]])

    From impact to impact, where mass.x is 0:

    >>> impacts = fm.section_map(oscillator, lambda frequency: 2 * math.pi / frequency, impact="stop")
    >>> impacts.names
    ('mass.x', 'mass.vx', 'phase')
    >>> round(abs(float(impacts.step(impacts.start, {})[0, 0])), 9)
    0.0
    """
    check_number("section_map", "tolerance", tolerance, positive=True)
    if every is not None and not callable(every):
        check_number("section_map", "every", every, positive=True)
    where = Where(crossing, level, direction, impact, within)
    return SectionMap(Inputs(build, every, inputs, level), where, every, formulation, tolerance, memory, most)


def _names(e, free):
    """Names of independent coordinates of `Equations`, then of their rates: those of outputs that are the same."""
    places, speeds = {}, {}
    for body in e.system.bodies:
        for axis in "xyz":
            if {place := f"{body.name}.{axis}", speed := f"{body.name}.v{axis}"} <= e.catalogue.keys():
                places[e.node(place).id], speeds[e.node(speed).id] = place, speed
    q, v = ([own[i] for i in free] for own in (e.problem.q, e.problem.v))
    coordinates = [e.coordinates[i] for i in free]
    named = [x.id in places and y.id in speeds for x, y in zip(q, v, strict=True)]
    found = [places[x.id] if one else name for x, one, name in zip(q, named, coordinates, strict=True)]
    return [*found, *(speeds[y.id] if one else f"d/dt {name}" for y, one, name in zip(v, named, coordinates, strict=True))]


def _refuse(problem):
    """Raise `ModelError` for what the map does not treat."""
    refuse_coupled(problem)
    refuse_states(problem)
    for contact in problem.unilaterals:
        plain = contact.rule == NEWTON and not sum(contact.groups[1:])
        if not plain and (contact.rule != POISSON or sum(contact.groups)):
            told = f"contact '{contact.name}' cannot be penetrated, and holds, rolls, pivots, or has friction by Poisson's rule"
            raise ModelError(f"{told}, which is not treated", remedy="leave that out, or give the contact a law, which makes it a force")
    for event in problem.contacts:
        if event.stops or event.assigns or event.period is not None:
            raise ModelError(f"'{event.name}' ends the motion or changes states at once, which a section map does not follow")
    if problem.times:
        raise ModelError("something jumps at a known time, which a section map does not follow", remedy="leave it out")


__all__ = ["Passage", "SectionMap", "section_map"]
