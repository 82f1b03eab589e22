"""Why a system cannot be assembled (open, redundant or singular constraint rows, by name), and why a run failed."""

from dataclasses import dataclass

import numpy as np

from flexmbd.equations.assembly import assembled
from flexmbd.errors import ModelError
from flexmbd.integrators import INTEGRATORS
from flexmbd.running.choice import IMPACTS, IMPLICIT, flexible, frictions, impenetrable, springs
from flexmbd.running.energy_balance import told
from flexmbd.running.inertias import smallest_inertia
from flexmbd.running.ranks import FEW, SparseRows
from flexmbd.stepping.names import BEYOND, LEFT, ROUGH, SINGULAR, STATUS, STEPS, STORMS, STUCK, UNBALANCED, UNSETTLED, UNSOLVED
from flexmbd.trajectory import ERROR, OK, TIMEOUT

# Ratio of a change of a fixed-point iteration to the one before with which it converges well (it goes like the step); shares of a step in
# which it does not converge that are a shorter one: far from convergence the ratio says little.
CALM, LEAST, MOST = 0.3, 0.125, 0.5
MANY = 1000  # rows from which on their dependence, found from a dense matrix, is left to the factorisation to tell


def examine(problem, parameters, q0, *, length):
    """Check one sample's constraints at its assembled position.

    Parameters
    ----------
    problem : Problem
    parameters : Parameters
        Of the sample.
    q0 : ndarray (n,)
        Guess of the coordinates.
    length : float
        Size of the system in m, by which lengths are judged.

    Returns
    -------
    str
        How many rows of which depend on the others; "none" if they are independent; that there are too many to say.

    Raises
    ------
    ModelError
        Naming the joints whose rows stay open, or, in motion and unless the problem has a shift, depend on each other.
    """
    if len(problem.rows) > MANY:
        return f"not examined: more than {MANY} rows"
    dependent = "none"
    for rows, what in ((problem.rows + problem.initial_rows, "at the start"), (problem.rows, "in motion")):
        if rows:
            if what == "at the start" or problem.initial_rows:  # else they are the same rows
                q0, residual, jacobian = _assembled(problem, rows, parameters, np.array(q0, float), length)
                dependent = _judge(problem, rows, residual, jacobian, what, length)
            if dependent != "none" and what == "in motion" and not problem.shift:
                raise ModelError(
                    f"the system is over-constrained or singular {what} (redundant joints, or a singular position): {dependent} depend on "
                    "the others",
                    remedy="remove a redundant joint, start away from the singular position, or use the setting constraints = 'augmented'",
                )
    return dependent


def _assembled(problem, rows, parameters, q, length):
    g = problem.graph
    values = [r.polynomial.value(problem.q) for r in rows]
    branch = [g.const(1.0) if r.branch is None else r.branch.value(problem.q) for r in rows]
    gradients = [(k, i, x) for k, r in enumerate(rows) for i, x in r.polynomial.gradient(problem.q).items()]
    roots = values + branch + [x for _, _, x in gradients]

    def evaluate(q):
        numbers = [float(x) for x in g.evaluate(roots, {"q": q, "t": 0.0}, parameters)]
        jacobian = np.zeros((len(rows), problem.n))
        for (k, i, _), x in zip(gradients, numbers[2 * len(rows) :], strict=True):
            jacobian[k, i] = x
        return np.array(numbers[: len(rows)]), jacobian, np.array(numbers[len(rows) : 2 * len(rows)])

    def least(q, jacobian, side):
        found = SparseRows(jacobian).least(side) if sparse else None
        return np.linalg.lstsq(jacobian, side, rcond=1e-10)[0] if found is None else found

    sparse = len(rows) > FEW and SparseRows(evaluate(q)[1]).independent()

    turns = np.array([measure == "angle" for measure in problem.measures], bool)
    q = assembled(lambda q: evaluate(q)[:2], least, q, turns)
    residual, jacobian, branch = evaluate(q)
    for row, x in zip(rows, branch, strict=True):
        if not x > 0 and np.all(np.abs(residual) < 1e-8 * max(1.0, length)):
            raise ModelError(
                f"the system is assembled with '{row.label}' half a turn away from where it belongs",
                remedy="give the bodies' angles at the start to better than a quarter turn",
            )
    return q, residual, jacobian


def _judge(problem, rows, residual, jacobian, what, length):
    scale = np.array([length if r.measure == "length" else 1.0 for r in rows])
    null = _dependence(jacobian)
    dependent = _named(problem, [r.label for r, x in zip(rows, null.max(axis=1, initial=0.0), strict=True) if x > 1e-6])
    gap = np.abs(residual) / scale
    if not np.all(gap < 1e-8):
        open_rows = [f"{rows[k].label} (by {residual[k]:.3g})" for k in np.argsort(-gap)[:4] if not gap[k] < 1e-8]
        more = f"; the rows {dependent} contradict each other" if dependent else ""
        raise ModelError(
            f"the system cannot be assembled {what}: these constraints stay open: {', '.join(open_rows)}{more}",
            remedy="check lengths and the guess of positions and angles",
        )
    return f"{null.shape[1]} of the rows {dependent}" if dependent else "none"


def _dependence(jacobian):
    """Sizes of the rows' shares in combinations of them that vanish, (rows, combinations)."""
    if len(jacobian) > FEW and SparseRows(jacobian).independent():
        return np.zeros((len(jacobian), 0))
    norms = np.linalg.norm(jacobian, axis=1)
    unit = jacobian[:, jacobian.any(axis=0)] / np.where(norms > 0, norms, 1.0)[:, None]
    u, sizes, _ = np.linalg.svd(unit)
    rank = int((sizes > 1e-9 * sizes.max(initial=1.0)).sum())
    return np.abs(u[:, rank:])


def _named(problem, labels):
    """Rows as text, those of one joint together; rows within bodies, which nobody can remove, only if there are no others."""
    elements = {element.name for element in problem.system.elements}
    joints = [label for label in labels if label.rpartition(".")[0] in elements]
    parts = {}
    for label in dict.fromkeys(joints or labels):
        name, _, row = label.rpartition(".")
        parts.setdefault(name, []).append(row)
    return ", ".join(f"{name}.{rows[0]}" if len(rows) == 1 else f"{name} ({', '.join(rows)})" for name, rows in parts.items())


@dataclass(frozen=True)
class Failures:
    """What is known of the runs of a batch, to say why one of them failed.

    Attributes
    ----------
    model : Model
    system : System or Stack
    settings : Settings
    end : float
        s
    size, away : ndarray (count,)
        Of the mechanism, and its distance from the origin, in m.
    open : ndarray (4, count)
        Residuals of the constraints at the start.
    counters : ndarray (count, COUNTERS)
        See `stepping.names`.
    reasons : dict
        Elements that can say why a run failed, with what they know it by.
    depend : dict int -> list of str
        By sample that ended in a singular position, the rows that depend on each other there.
    rates : ndarray (count,)
        Ratio of the last two changes of an iteration, or radius of convergence in s (`KEPT_RATE`).
    """

    model: object
    system: object
    settings: object
    end: float
    size: object
    away: object
    open: object
    counters: object
    reasons: dict
    depend: dict
    rates: object

    def note(self, code, i):
        """The sentence for one sample; "" if all went well."""
        if code == OK:
            return ""
        tiny = smallest_inertia(self.system, self.size[i], i)
        hint = f"; {tiny}" if tiny else ""
        if code == ERROR:
            gap = max(self.open[0, i], self.open[1, i])
            return f"the system cannot be assembled: constraints stay open by {gap:.3g}, or it is singular at the start{hint}"
        steps, time, spent, trials = self.counters[i, 0], *self.counters[i, 4:7]
        how, pace = self.counters[i, STATUS - STEPS], spent / max(trials, 1.0)
        at = f"at t = {time:.6g} s after {steps:.0f} steps"
        if how == UNBALANCED:
            return told(self.model, self.settings, self.counters[i])
        for element, values in self.reasons.items():
            if reason := element.failure_message(values[i]):
                return f"{reason}; stopped {at}"
        if self.settings.constraints == "augmented" and not INTEGRATORS[self.settings.integrator].passes:
            scheme = self.settings.integrator
            at += f" ('{scheme}' does not pass positions where constraint rows become dependent: dormand_prince and rosenbrock do)"
        if how == SINGULAR:
            rows = _named(self.model.problem, self.depend[i]) if i in self.depend else "of its joints"
            return (
                f"the mechanism came to a singular position {at}: there the rows {rows} depend on each other, and do not determine how the "
                "motion goes on; give it a velocity that leads through, or keep away from the position"
            )
        if code == TIMEOUT:
            if not trials and how == LEFT:
                return "left before its turn came: the runs before it took all the time that was given"
            more = (self.end - time) / max(pace, 1e-300)
            to_go = f"the last {trials:.0f} trial steps were {pace:.2g} s long on average, {more:.2g} more to go"
            if how == LEFT:
                return f"left {at}: the time that was given is over; {to_go}{self._remedy(i, tiny, pace)}"
            if how == STUCK:
                limit = f"far more than max_steps = {self.settings.max_steps}"
                return f"stopped {at}: {to_go}, {limit}{self._remedy(i, tiny, pace)}"
            return f"stopped {at}: more than max_steps = {self.settings.max_steps} trial steps; {to_go}{self._remedy(i, tiny, pace)}"
        if how in (UNSETTLED, BEYOND):
            return self._too_long(how, i, at)
        if how == UNSOLVED:
            return (
                f"the contact problem has no solution {at}: friction jams the contact (S_nn <= mu |S_nt|, Painlevé's paradox); "
                "give less friction, or a contact law, which makes it a force"
            )
        if how == ROUGH:
            return f"the contact problem was not solved in as many sweeps as it may take {at}; {self._over_events()}"
        if how == STORMS:
            return f"a thousand events of contacts within a millionth of the run {at}; {self._over_events()}"
        if how == 0:
            return "the motion diverged: an output is not finite, though the steps went on to the end"
        far = self.away[i] * 2.0**-52 > 1e-12 * self.size[i]
        hint = hint or (f"; places {self.away[i]:.3g} m away from the origin are rounded: move the origin to the mechanism" if far else "")
        return f"the motion diverged {at}: the step size fell below its floor or values were no longer finite{hint}"

    def _too_long(self, how, i, at):
        """Of steps in which an iteration does not converge, or beyond which a series does not."""
        step, scheme = self.settings.step, self.settings.integrator
        if how == UNSETTLED:
            shorter = step * min(max(CALM / max(self.rates[i], 1e-3), LEAST), MOST)
            return f"the iteration of '{scheme}' does not converge {at}: a step of {step:g} s is too long for it; give step = {shorter:.2g}"
        told = f"the Taylor series of the motion reach no further than {self.rates[i]:.3g} s {at}"
        if self.settings.fixed:
            return f"{told}, and the fixed step of {step:g} s is longer; give a shorter step, or a tolerance in place of a fixed step"
        return (
            f"{told}, less than the smallest step: it comes to a singularity there, where a velocity or a force grows without bound in "
            "finite time; end the run before it, or look at the law of the force that grows"
        )

    def _remedy(self, i, tiny, pace):
        """What to do about steps so short."""
        if tiny:
            return f"; {tiny}"
        if impenetrable(self.system):  # others do not treat them
            return f"; {self._over_events()}" if INTEGRATORS[self.settings.integrator].adaptive else ""
        if INTEGRATORS[self.settings.integrator].correction is not None:
            return ""
        stiff = flexible(self.system) + [name for rate, name in sorted(springs(self.system, i), reverse=True) if rate * pace > 0.03]
        because = f" for {stiff[0]}" if stiff else " where something is stiff"
        take = "rosenbrock" if frictions(self.system) else IMPLICIT  # others do not treat friction of ideal joints
        if take == self.settings.integrator:
            return ""
        return f"; steps of '{self.settings.integrator}' are as short as that{because}: take integrator = '{take}'"

    def _over_events(self):
        """What to do where contacts that cannot be penetrated are too much for a scheme."""
        if not INTEGRATORS[self.settings.integrator].adaptive:
            return "give a smaller step"
        numbers = self.system.parameters()
        pairs = [[numbers.get(f"@{name}.law.{key}") for key in ("static_friction", "friction")] for name in impenetrable(self.system)]
        above = any(static is not None and np.any(np.asarray(static) > np.asarray(kinetic)) for static, kinetic in pairs)
        friction = " and without static friction above the kinetic one" if above else ""
        return f"take integrator = '{IMPACTS}', which steps over events, with a step{friction}"
