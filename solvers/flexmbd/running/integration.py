"""Samples of one model through the compiled time loop: arrays, the start, the run, and what it leaves."""

from time import perf_counter

import numpy as np

from flexmbd.equations.start import AsGiven, Start
from flexmbd.parameters import spread
from flexmbd.registry import CONTACT_ROWS, LEAST_SPEED
from flexmbd.running.known_times import KnownTimes
from flexmbd.running.neighbours import room
from flexmbd.running.sections import Sections
from flexmbd.state import blocks
from flexmbd.stepping import names
from flexmbd.stepping.assembly import assemble, prepare
from flexmbd.stepping.campaign import LOOP, campaign
from flexmbd.stepping.changed import enter
from flexmbd.stepping.compiled import caller

SLICE = 0.1  # s that the compiled loop runs between two looks at Ctrl-C
ITERATIONS = 80  # of the assembly
_PLACES = names.OWNER, names.CURSOR


class Integration:
    """Samples of a model.

    Parameters
    ----------
    model : Model
    system : System or Stack
    count : int
        Samples.
    settings : Settings
    end : float
        Of the time, in s.
    keeps : bool
        States keep factors of linear equations too: what goes on from such a state is the same to the last bit.

    Attributes
    ----------
    states : ndarray (count, rows)
        State of each sample.
    X, P, W : ndarray (rows, lanes)
        State and step rows, parameters, work.
    at : ndarray of int64
        The table (`flexmbd.stepping.names`).
    residuals : ndarray (count, 4)
        Largest residual of the rows after the assembly: positions (lengths, angles), velocities (lengths, angles).
    counters : ndarray (count, COUNTER_ROWS)
        See `flexmbd.stepping.names`.
    histories, recorded_at : ndarray (signals, count, points), (points,)
        Signals over time, and these times, s.
    sums : ndarray (count, 6 reduced signals)
    """

    def __init__(self, model, system, count, settings, end, *, keeps=False):
        self.model, self.system, self.count, self.settings, self.keeps = model, system, count, settings, keeps
        model.compile()
        layout, width = model.layout, model.width
        self.at, self._known = model.table()
        uniform, parameters = model.pack(system, count)
        if keeps:
            self.at[names.KEPT_ROWS] = layout.sizes["KEPT"]
        self.states = np.zeros((count, layout.kept_rows(keeps)))
        self.residuals, self.counters = np.zeros((count, 4)), np.zeros((count, names.COUNTER_ROWS))
        self.sums = np.zeros((count, max(1, names.SUM_ROWS * layout.sizes["NR"])))
        sizes = [max(1, size) for size in (layout.count, parameters.shape[1], max(model.rows, model.signals.rows))]
        self.X, self.P, self.W, *packs = blocks([*sizes, *sizes[:2]], width)
        pointed = {
            **uniform, names.PARAMETERS: parameters, names.STATES: self.states, names.RESIDUALS: self.residuals,
            names.COUNTERS: self.counters, names.REDUCED: self.sums, names.PACK_X: packs[0], names.PACK_P: packs[1],
            names.OWNER: np.zeros(width, np.int64), names.CURSOR: np.zeros(width, np.int64),
        }  # fmt: skip
        self._point(pointed)
        self.at[names.COUNT] = count
        self.known = KnownTimes(model.problem, model.timed, system.parameters(), count)
        groups, self.at[names.KNOWNS] = self.known.table()
        self._point(groups)
        self._rooms = [room(group, rows, system.dimension, width) for group, rows in model.reaches]  # kept alive
        self._point({names.NEIGHBOURS: np.array([words.ctypes.data for words, _ in self._rooms] or [0], np.int64)})
        self._cleared = (self.states, self.residuals, self.counters, self.X, self.P, self.W, *packs, *map(pointed.get, _PLACES))
        self.clear(end)

    def clear(self, end):
        """Nothing has happened yet, and the time ends at `end` (s)."""
        for x in self._cleared:
            x.fill(0)
        self.sums.fill(np.nan)
        self._limits(end)

    def _point(self, arrays):
        """Let entries of the table point to arrays, which are kept alive."""
        for entry, x in arrays.items():
            self._known[entry] = x
            self.at[entry] = x.ctypes.data

    def _limits(self, end):
        """Times, tolerance and steps."""
        settings, scheme = self.settings, self.model.scheme
        self.end, fixed = end, settings.fixed or not scheme.adaptive
        h_max = settings.step or 1e300
        real = np.zeros(names.REALS)
        real[names.FINISH], real[names.TOLERANCE], real[names.MAX_STEPS] = end, settings.tolerance, settings.max_steps
        real[names.H_FIRST], real[names.H_MAX], real[names.H_MIN] = h_max if fixed else 0.0, h_max, max(1e-14 * end, 1e-300)
        real[names.DRIFT] = 0.1 if self.model.problem.shift else 30.0
        real[names.REACH], real[names.EXPONENT] = scheme.first, round(1024 * 0.2 / scheme.error_order) / 1024
        real[names.ITERATIONS] = ITERATIONS
        self._point({names.REAL: real})
        self.at[names.FIXED] = fixed

    def until(self, end):
        """Another end of the time, with as many steps from the states that there are as a run may have."""
        real, trials = self._known[names.REAL], self.column(names.STEPS) + self.column(names.REJECTED)
        self.end = real[names.FINISH] = end
        real[names.MAX_STEPS] = self.settings.max_steps + trials.max(initial=0.0)

    def call(self, function):
        """Call a compiled function with the arrays."""
        arrays = (self.X, self.P, self.W, self.at)
        call = caller(function, self.model.width, LOOP)
        call(*(arrays if call is function else (x.ctypes.data for x in arrays)))

    def column(self, first, count=1):
        """Columns of the states: rows of X from `first` on."""
        return self.states[:, first : first + count]

    def assemble(self):
        """Positions and velocities that satisfy the constraints, from the guesses; further states.

        `start` then has how the guesses count.
        """
        n, guesses = self.model.problem.n, self.model.problem.initial(self.system)
        q, v = (spread(guess, self.count).reshape(n, self.count) for guess in guesses)
        start, columns = Start(self.model.problem, self.system, self.count), [self.column(names.START + 1 + k * n, n) for k in range(2)]
        columns[0][:], columns[1][:] = start.places(q).T, v.T
        self.call(assemble)
        columns[1][:] = start.velocities((q, v), columns[0].T, columns[1].T).T
        kept = all(np.array_equal(own.T, guess) for own, guess in zip(columns, (q, v), strict=True))
        start.as_given, self.start = kept and isinstance(guesses, AsGiven), start
        self._further_states()

    def _further_states(self):
        """Start integrated angles on the turn of the guess, and the energy taken up by contacts with what they store."""
        guesses, problem, model = self.system.angles(), self.model.problem, self.model
        turned = {body.name: body.turned for body in self.system.bodies if body.name in guesses}
        places = self.column(names.START + 1, problem.n).T
        states = self.column(names.START + 1 + 2 * problem.n, len(problem.states))
        for k, name in enumerate(model.state_names):
            owner, _, key = name.rpartition(".")
            if key == "angle" and owner in guesses:
                exact = turned[owner](places[problem.first[owner] :])
                states[:, k] = exact + 2 * np.pi * np.round((guesses[owner] - exact) / (2 * np.pi))
            elif name == "energy.taken":
                states[:, k] = self.stored(places)

    def stored(self, places):
        """Energy (count,) that contacts store at places (n, count), in J."""
        problem = self.model.problem
        known = {"q": places, "mode": [1.0] * len(problem.contacts), "t": 0.0}
        return problem.graph.evaluate([problem.stored_energy], known, self.system.parameters())[0]

    def prepare(self, length, away, leap, nearness, slowest):
        """Accelerations, modes of contacts, scales of errors; sizes of the mechanism and of contacts are those of `running.scales`."""
        self.column(names.VELOCITY_SCALE)[:, 0], self.column(names.LARGEST_DISTANCE)[:, 0] = length, away
        self._scales(leap, nearness, slowest)
        self.call(prepare)

    def go_on(self, values, leap, nearness, slowest):
        """States (count, rows) of before with the numbers of now: time, places, velocities and sums go on, the scheme begins anew."""
        sizes, first = self.model.layout.sizes, names.START + 1 + 2 * self.model.problem.n
        self.states[:] = values
        self.states[:, sizes["SLOTS"] : sizes["STATE_ROWS"]] = 0.0
        self.states[:, self.model.layout.kept_rows(False) :] = 0.0
        for contact in self.model.problem.unilaterals:  # accelerations at the start are those without them
            self.states[:, [first + k for k in contact.forces]] = 0.0
        self._scales(leap, nearness, slowest)
        self.call(enter)

    def _scales(self, leap, nearness, slowest):
        """What is fast, far and small, by the numbers of now."""
        sizes, contacts = self.model.layout.sizes, self.model.layout.sizes["CONTACTS"]
        self.column(names.PACE)[:, 0], self.column(names.LEAP)[:, 0] = self.known.rate, leap
        for j in range(sizes["NC"]):
            self.states[:, contacts + CONTACT_ROWS * sizes["NC"] + j] = nearness[j]
            self.states[:, contacts + CONTACT_ROWS * j + LEAST_SPEED] = slowest[j]

    @property
    def accelerations(self):
        """What the scheme starts with, (count, rows)."""
        sizes = self.model.layout.sizes
        return self.states[:, sizes["SLOTS"] : sizes["STATE_ROWS"]]

    def run(self, which, times, patience=None, sections=None):
        """Run samples to the end; False if they are not done after `patience` (s on the clock).

        Called again and again for about a tenth of a second, between which Python hears Ctrl-C. `sections` has what the model was made
        with, `PoincareSection` by name; `self.sections` then what was found.
        """
        model, sizes, at = self.model, self.model.layout.sizes, self.at
        self.sections = Sections(self, sections)
        n, m, nc = sizes["N"], sizes["M"], sizes["NC"]
        signals, points, self.recorded_at = len(model.requests.histories), len(times), times
        self.histories = np.full((max(1, signals), self.count, max(1, points)), np.nan)
        grid_rows = 2 * n + m + 3 * nc + (n + 1 if at[names.REFINE] else 0)
        queue = np.ascontiguousarray(which, np.int64)
        self._point({
            names.HISTORIES: self.histories, names.GRID: np.zeros((model.width, max(1, points), grid_rows)), names.QUEUE: queue,
            names.TIMES: np.ascontiguousarray(times, float) if points else np.zeros(1),
        } | self.sections.arrays(grid_rows))  # fmt: skip
        at[names.POINTS], at[names.GRID_ROWS], at[names.QUEUED] = points, grid_rows, len(queue)
        at[names.STARTED] = at[names.RUNNING] = at[names.TURNS] = 0
        if not len(queue):
            return True
        at[names.NSECTIONS] = len(self.sections.asked)
        try:
            return self._turns(queue, patience)
        finally:
            at[names.NSECTIONS] = 0  # what else is called knows of no points

    def _turns(self, queue, patience):
        """Run the queue, a tenth of a second at a time; False if it is not done after `patience`."""
        at = self.at
        turns = 256
        self.call(campaign)  # fills the lanes
        began = before = perf_counter()
        while at[names.RUNNING]:
            at[names.TURNS] = turns
            self.call(campaign)
            now = perf_counter()
            if patience is not None and now - began > patience and at[names.RUNNING]:
                self._leave(queue)
                return False
            turns, before = max(1, int(turns * min(max(SLICE / max(now - before, 1e-9), 0.25), 4.0))), now
        return True

    def _leave(self, queue):
        """Counters of the runs that were left unfinished, with their own status."""
        X, status = self.X, names.STATUS - names.STEPS
        begun = {sample: lane for lane, sample in enumerate(self._known[names.OWNER]) if sample >= 0}
        for sample in queue:
            if sample in begun:
                lane = X[:, begun[sample]]
                trials = lane[names.STEPS] + lane[names.REJECTED]
                time, mark = lane[names.T], lane[names.LAST_CHECK_TIME]
                counters = *lane[names.STEPS : names.STATUS + 1], time, time - mark, trials - lane[names.NEXT_CHECK] + names.CHECK_INTERVAL
                near = lane[names.NEAREST_SO_FAR], lane[names.WHEN_NEAREST]
                self.counters[sample] = *counters, 0.0, 0.0, *near, 0.0  # nothing is said of its energy
            if sample in begun or not self.counters[sample].any():
                self.counters[sample, status] = names.LEFT


__all__ = ["Integration"]
