"""What becomes of samples: the start, with what is wrong with it; outputs, status and words after a run."""

import numpy as np

from flexmbd.equations.start_words import Changes
from flexmbd.registry import CONTACT_ROWS, HOLDS, LOCKED
from flexmbd.running.diagnosis import Failures
from flexmbd.running.energy_balance import OFF, SCALE, open_books
from flexmbd.running.inertias import loosely_held
from flexmbd.running.models import witnesses
from flexmbd.running.reduced import collected
from flexmbd.running.scales import coarse_events, contact_scales, extents, leaps
from flexmbd.running.singular import singular
from flexmbd.space import lengths
from flexmbd.stepping.names import (
    BEYOND,
    ENDED,
    EVENTS,
    KEPT_RATE,
    LEFT,
    NEAR_AT_START,
    POINTS,
    ROUGH,
    SINGULAR,
    START,
    STATUS,
    STEPS,
    STORMS,
    UNBALANCED,
    UNSETTLED,
    UNSOLVED,
)
from flexmbd.stepping.watch import TOUCH
from flexmbd.trajectory import DIVERGED, ERROR, OK, TIMEOUT

PENETRATES = 1e-7  # of the mechanism's size: what may be rounding


def started(made):
    """Assemble and prepare all samples; what was notable, which samples cannot run, and words on some of those."""
    model, system, settings, count = made.model, made.system, made.settings, made.count
    length, away = extents(system, count), lengths(system, count)
    contacts = [c.element for c in model.problem.contacts]
    nearness, slowest = contact_scales(system, contacts, length, settings)
    found = {f"{name}.events": text for name, text in coarse_events(system, contacts, nearness, slowest, away).items()}
    for element, *rows in zip(contacts, nearness, slowest, strict=True):
        for key, x in zip(("event_tolerance", "minimum_impact_velocity"), rows, strict=True):
            found[f"{element.name}.{key}"] = float(x[0]) if np.all(x == x[0]) else "per sample"
    with np.errstate(all="ignore"):
        made.assemble()
        deep = penetrating(made, length)  # before the scheme has a look at it
        made.prepare(length, away, leaps(system, count), nearness, slowest)
    E, n = made.residuals, model.problem.n
    changes = Changes(made.start, [made.column(START + 1 + k * n, n).T for k in range(2)], length)
    found |= changes.said() | touching(made, nearness, slowest)
    bad = ~((E[:, 0] < 1e-9 * length + 1e-14 * away) & (E[:, 1] < 1e-9) & np.isfinite(made.accelerations).all(1))
    words = [""] * count
    for own in filter(any, (changes.contradictions(), loosely_held(system, model.problem.shift, count), deep)):
        words = [first or second for first, second in zip(words, own, strict=True)]
    for i in np.flatnonzero(made.column(NEAR_AT_START)[:, 0] > TOUCH):
        words[i] = words[i] or "the mechanism starts in a singular position: constraint rows depend on each other there; start beside it"
    return found, bad | (np.array(words) != ""), words


def touching(made, nearness, slowest):
    """Words on contacts with a law that overlap, or rest on each other, at the start, by ``<contact>.start``."""
    first, found = made.model.layout.sizes["CONTACTS"], {}
    for j, (contact, near, least) in enumerate(zip(made.model.problem.contacts, nearness, slowest, strict=True)):
        if getattr(contact.element, "law", None) is None:
            continue
        mode, _, depth, rate = made.column(first + CONTACT_ROWS * j, 4).T
        inside = (mode > 0.5) & (depth > near) & (rate <= least)
        rests = (np.abs(depth) <= near) & (np.abs(rate) <= least) & ~inside
        for who, told in ((inside, OVERLAPS), (rests, RESTS)):
            if who.any() and (key := f"{contact.name}.start") not in found:
                size = depth[who].max() if told is OVERLAPS else np.broadcast_to(least, made.count)[who].max()
                where = "" if made.count == 1 else f"in {who.sum()} of {made.count} samples "
                found[key] = where + told.format(size)
    return found


OVERLAPS = (
    "it overlaps by up to {:.3g} m at the start: in place of an impact velocity its law has, until it opens, "
    "the speed that the acceleration at rest there makes on the way out"
)
RESTS = "it touches at rest at the start: its damping is that of the least impact velocity, {:.3g} m/s"
TOLD = (
    "contact '{}': the bodies overlap: they penetrate each other by {:.3g} m at the start, and they are impenetrable; "
    "give positions that do not",
    "lock '{}': what it holds is {:.3g} (m or rad) beyond its value at the start; give positions before it",
    "guide '{}': an end is {:.3g} m off its line at the start; give positions and an angle that fit",
)  # of contacts, of locks, of guides


def overlaps(made, time=0.0):
    """How far (contacts, count) bodies that cannot penetrate each other do so at a time in s, and what is held is off, in m or rad."""
    problem = made.model.problem
    states = made.column(START + 1 + 2 * problem.n, len(problem.states)).T
    known = {"q": made.column(START + 1, problem.n).T, "t": time, "s": states}
    gaps = problem.graph.evaluate([c.gap for c in problem.unilaterals], known, made.system.parameters())
    found = np.zeros((len(problem.unilaterals), made.count))
    for depth, contact, gap in zip(found, problem.unilaterals, gaps, strict=True):
        depth[:] = np.where((contact.rule == HOLDS) | (states[contact.first] == LOCKED), np.abs(gap), -gap)
    return found


def penetrating(made, length):
    """Words on samples in which bodies that cannot penetrate each other do so at the start, else ""."""
    words = [""] * made.count
    for contact, depth in zip(made.model.problem.unilaterals, overlaps(made), strict=True):
        for i in np.flatnonzero(depth > PENETRATES * length):
            words[i] = words[i] or TOLD[max(contact.rule - 1, 0)].format(contact.name, depth[i])
    return words


def outcome(made, bad, notes, *, whole=True, begins=0.0):
    """Values by output, status, words and counters of samples that were run.

    Parameters
    ----------
    made : Integration
    bad, notes : sequence
        Samples that could not run, and words on some of them.
    whole : bool
        The run is not one that goes on: a window that it has not come to is its failure, else NaN.
    begins : float
        When reductions began, s.
    """
    model, system, count, counters, end, notes = made.model, made.system, made.count, made.counters.copy(), made.end, list(notes)
    if model.solver:
        model.solver.check()
    failed = counters[:, STATUS - STEPS].astype(int)
    diverged = np.isin(failed, (1, UNSOLVED, ROUGH, STORMS, SINGULAR, UNSETTLED, BEYOND))
    late = (failed >= 2) & (failed != ENDED)
    codes = np.where(bad, ERROR, np.where(diverged, DIVERGED, np.where(late, TIMEOUT, OK))).astype(np.int8)
    ended, time = failed == ENDED, counters[:, 4]
    values, missed = collected(made, np.where(ended, time, end), begins)
    missing = np.array([bool(words) for words in missed])
    for i in np.flatnonzero((codes == OK) & missing) if whole else ():
        codes[i], notes[i] = ERROR, missed[i]
    unwanted = model.requests.histories and not made.at[POINTS]  # nobody wanted the outputs
    for x in () if unwanted else values.values():
        lost = (codes == OK) & ~missing & ~np.isfinite(x.reshape(count, -1)).all(1)
        codes[lost] = DIVERGED
    unbalanced = (codes == OK) & open_books(model, made.settings, counters)
    codes[unbalanced], counters[unbalanced, STATUS - STEPS] = DIVERGED, UNBALANCED
    stopped = np.isin(codes, (DIVERGED, TIMEOUT)) & ~np.isin(counters[:, STATUS - STEPS], (UNBALANCED, LEFT))
    depend = singular(made, np.flatnonzero(stopped), failed == SINGULAR)
    codes[list(depend)], counters[list(depend), STATUS - STEPS] = DIVERGED, SINGULAR
    reasons = {element: values[name].copy() for name, element in witnesses(system).items()}
    for x in values.values():
        if x.ndim == 1:
            x[codes != OK] = np.nan
        else:  # what was recorded before a failure stays
            x[np.logical_or.accumulate(~np.isfinite(x), axis=1)] = np.nan
    if codes.any():
        sizes = extents(system, count), lengths(system, count)
        rates = made.column(KEPT_RATE)[:, 0]
        failures = Failures(model, system, made.settings, end, *sizes, made.residuals.T, counters, reasons, depend, rates)
        notes = [notes[i] or failures.note(code, i) for i, code in enumerate(codes)]
    statistics = {"steps": counters[:, 0], "rejected": counters[:, 1], "events": counters[:, EVENTS - STEPS]}
    if not model.unkept:
        statistics |= {"energy.off": counters[:, OFF], "energy.scale": counters[:, SCALE]}
    if any(c.stops for c in model.problem.contacts):
        statistics["ended"] = np.where(ended, time, np.nan)
    if model.problem.unilaterals:
        statistics["energy_gained"] = made.column(START + 1 + 2 * model.problem.n + model.state_names.index("energy.gained"))[:, 0]
    return values, codes, notes, statistics


def gained(statistics):
    """Words on energy that grew in impacts, or ""."""
    found = statistics.get("energy_gained", np.zeros(0))
    if not np.any(found > 0.0):
        return ""
    told = f"in {np.sum(found > 0.0)} of {len(found)} runs it grew in impacts, by {np.nanmax(found):.2g} J at most"
    return f"{told}: Newton's rule can, with friction or several contacts; rule='poisson' hardly does"
