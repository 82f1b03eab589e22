"""Values of the outputs of samples that were run: histories as they are, reductions from running sums, percentiles from dense histories."""

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.outputs import REDUCTIONS
from flexmbd.outputs.reductions import percentile
from flexmbd.stepping.names import SUM_ROWS, WINDOW_ROWS
from flexmbd.stepping.windows import BEGIN, ENDS, TURNS

FINE = 2000  # intervals of time at least that percentiles are taken from,
ROOM = 4_000_000  # as far as states of all lanes at these times are no more numbers than this


def output_times(end, points, times=None):
    """Times of the histories of a run to `end` s: ``linspace(0, end, points)``, or those that are given; checked."""
    if not 0 < end < np.inf:
        raise ModelError(f"the end of the time is {end!r} s; it must be greater than zero")
    if times is None:
        if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 1:
            raise ModelError(f"points is {points!r}; it must be a whole number from 1")
        return np.linspace(0.0, end, points)
    try:
        found = np.array(times, float)
    except (TypeError, ValueError):
        raise ModelError(f"times is {times!r}; it must be numbers that rise from 0 to the end") from None
    if found.ndim != 1 or not len(found) or not (np.all(np.diff(found) > 0.0) and 0.0 <= found[0] and found[-1] <= end):
        raise ModelError(f"times do not rise from 0 to the end of the time at {end:g} s")
    return found


def recorded(model, time, end):
    """Times at which states are kept: all, finer ones, the end, or none, as the outputs asked for need."""
    requests = model.requests
    kinds = [how for out, (_, how) in requests.wanted.items() if out not in requests.percentiles]
    times = time if None in kinds else time[:0]
    if requests.percentiles:
        sizes = model.layout.sizes
        rows = (2 * sizes["N"] + sizes["M"] + 3 * sizes["NC"] + 1) * model.width
        base = time if time[0] == 0.0 and time[-1] == end else np.union1d(time, [0.0, end])
        if np.ptp(np.diff(base)) > 1e-6 * end:  # some times are far apart
            base = np.union1d(base, np.linspace(0.0, end, 201))
        more = max(1, min(-(-FINE // max(len(base) - 1, 1)), ROOM // (rows * len(base))))
        steps = np.diff(base, append=base[-1])
        dense = (base[:, None] + steps[:, None] * (np.arange(more) / more)).ravel()
        times = np.unique(np.concatenate([time, dense, [end]]))
    return np.append(times, end) if "final" in kinds and not np.any(times == end) else times


def collected(made, ends, begins=0.0):
    """Values by output, (samples,) or (samples, times), and a sentence for each sample in which a window was not come to, else "".

    Parameters
    ----------
    made : Integration
    ends : ndarray (samples,)
        When each run ended, s.
    begins : float
        When its reductions began, s.
    """
    requests, H, F, ends = made.model.requests, made.histories, made.sums, np.broadcast_to(ends, made.count)
    values, words, windows = {}, [""] * made.count, list(requests.windows)
    times = made.recorded_at
    for out, (name, how) in requests.wanted.items():
        history = H[requests.histories.index(name)] if name in requests.histories else None
        sums, begin, end = None, np.full(made.count, begins), ends
        if name in requests.reduced:
            k = requests.reduced.index(name)
            sums = F.T[SUM_ROWS * k : SUM_ROWS * (k + 1)]
        if out in requests.windows:
            own = _window(made, windows.index(out))
            sums, begin, end = own[:SUM_ROWS], own[BEGIN], np.minimum(own[ENDS], ends)
            missed = _missed(requests.windows[out][1], own, ends)
            for i in np.flatnonzero(missed):
                words[i] = words[i] or _said(out, requests.windows[out][1], ends[i])
        if sums is not None and name in made.model.signals.nonnegative:  # a parabola through the kink of a force undershoots
            sums = np.concatenate([sums[:2], np.maximum(sums[2:3], 0.0), sums[3:]])
        if how is None:
            values[out] = history
        elif out in requests.percentiles:
            values[out] = _percentiles(requests.percentiles[out], history, times, begin, end)
        else:
            with np.errstate(all="ignore"):
                values[out] = np.array(REDUCTIONS[how](sums, end - begin, None if history is None else history[:, -1]), float)
        if out in requests.windows:
            values[out][missed] = np.nan
    return values, words


def check_windows(requests, end):
    """Raise `ModelError` for windows that do not lie within a run of `end` s."""
    for out, (_, window) in requests.windows.items():
        if window.begin >= end or end * (1.0 + 1e-9) < window.end < np.inf:
            what = f"begins at {window.begin:g} s" if window.begin >= end else f"ends at {window.end:g} s"
            told = f"output '{out}': its window {what}, and the run ends at {end:g} s"
            raise ModelError(told, element=out, remedy="choose times within the run; @0.1.. goes on to its end")


def _window(made, k):
    """Rows of a window of all samples, (`WINDOW_ROWS`, samples)."""
    sizes = made.model.layout.sizes
    first = sizes["STATE_ROWS"] + sizes["WINDOWS"] - sizes["SUMS"] + WINDOW_ROWS * k
    return made.column(first, WINDOW_ROWS).T


def _missed(window, own, ends):
    """Samples that did not come to a window."""
    return own[TURNS] < 0.5 if window.angle else own[BEGIN] >= ends


def _said(out, window, end):
    if window.angle:
        return f"output '{out}': '{window.angle}' makes no whole turn until {end:.6g} s, counted from where it stands at the start"
    return f"output '{out}': the run ends at {end:.6g} s, before its window begins"


def _percentiles(level, values, times, begin, end):
    """Percentiles of histories, each between two times of its own."""
    if not len(times):
        return np.full(len(values), np.nan)
    if np.all(begin <= times[0]) and np.all(end >= times[-1]):
        return percentile(level, values, times)
    found = np.full(len(values), np.nan)
    for i, y in enumerate(values):
        inside = (times > begin[i]) & (times < end[i])
        if begin[i] < end[i]:
            t = np.concatenate([[begin[i]], times[inside], [end[i]]])
            found[i] = percentile(level, np.interp(t, times, y)[None], t)[0]
    return found
