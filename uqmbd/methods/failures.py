"""What methods do about failed runs: count them, say where they are, and stop when they are too many."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.facts import FailureNote
from uqmbd.inputs import Choice, Input
from uqmbd.methods.base import Method
from uqmbd.outcomes import MEND as MEND

NONE = "read the messages of the runs; the first one usually says why"
ENOUGH_TO_SAY = 3  # failed runs below this are no region
MOSTLY = 0.75  # share of the runs in a region that failed, above which it is theirs


class TooManyFailed(StudyError):
    """A method stops because of failed runs; who knows their messages adds them."""


def where(inputs: Mapping[str, Input], samples: Mapping[str, np.ndarray], failed: np.ndarray) -> str:
    """Where most failed runs lie, as ``clearance > 0.42 mm and friction < 0.015``; empty when nothing singles them out.

    `inputs` and `samples`, (runs,) each, are in SI; the words are in the units that the user wrote. `failed` is bool (runs,).
    """
    from uqmbd.analysis.search.failing_region import in_words
    from uqmbd.inputs.units import to_si

    units = [(item.written or item).unit for item in inputs.values()]
    conditions = [(i, to_si(units[i]).back(value), above) for i, value, above in _conditions(inputs, samples, failed)[1]]
    return in_words(conditions, list(inputs), units, {name: item.labels for name, item in inputs.items() if isinstance(item, Choice)})


def how_many(
    inputs: Mapping[str, Input], samples: Mapping[str, np.ndarray], failed: np.ndarray, controls: Mapping[str, np.ndarray] | None = None
) -> str:
    """How many runs failed, with which values of `controls` (runs,) where others have none, and where most of them lie; see `where`."""
    alone, at = [], np.ones(len(failed), bool)
    for name, values in (controls or {}).items():
        wrong = np.unique(values[failed])
        if len(wrong) < len(np.unique(values)) and not np.isnan(wrong).any():
            alone.append(f"{name} = {', '.join(f'{value:g}' for value in wrong)}")
            at &= np.isin(values, wrong)
    region = "" if alone and failed[at].all() else where(inputs, {name: x[at] for name, x in samples.items()}, failed[at])
    of = f", all of them with {' and '.join(alone)}, which {np.count_nonzero(at)} have" if alone else ""
    return f"{np.count_nonzero(failed)} of {len(failed)} runs failed{of}{', most of them where ' + region if region else ''}"


def fills_region(inputs: Mapping[str, Input], samples: Mapping[str, np.ndarray], failed: np.ndarray) -> bool:
    """Whether failed runs, of which there are some, have a part of the inputs nearly to themselves; parameters of `where`."""
    points, conditions = _conditions(inputs, samples, failed)
    inside = np.ones(len(failed), bool)
    for i, value, above in conditions:
        inside &= (points[:, i] > value) == above
    return bool(np.count_nonzero(failed & inside) >= ENOUGH_TO_SAY and failed[inside].mean() > MOSTLY)


def _conditions(
    inputs: Mapping[str, Input], samples: Mapping[str, np.ndarray], failed: np.ndarray
) -> tuple[np.ndarray, list[tuple[int, float, bool]]]:
    """The runs (runs, inputs), and what singles out the failed ones: `uqmbd.analysis.search.failing_region`."""
    from uqmbd.analysis.search.failing_region import failing_region

    points = np.column_stack([samples[name] for name in inputs])
    return points, failing_region(points, failed) if np.count_nonzero(failed) >= ENOUGH_TO_SAY else []


def left_out(counts: Mapping[str, int | float], of: str = "") -> list[str]:
    """What is said of failed runs that nothing is made `of`, if there are any; `counts` are those of `count_failures`."""
    failed = counts["runs_failed"]
    return [FailureNote(f"{failed} of {counts['runs']} runs failed and are left out{of}")] if failed else []


def stop_if_too_many(
    method: Method,
    inputs: Mapping[str, Input],
    samples: Mapping[str, np.ndarray],
    status: np.ndarray,
    controls: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Raise `TooManyFailed`, which says where runs fail, when more than the share ``method.max_failed`` of them did, or all.

    `samples` are in SI, (runs,) each, and so are `controls`, where the method sets some; `status` (runs,) is 0 where a run is ok.
    """
    failed, limit = np.asarray(status) != 0, method.max_failed
    if failed.size and failed.all():
        raise TooManyFailed(f"none of the {len(failed)} runs was ok, so there is nothing to report", key="method.max_failed", remedy=NONE)
    if not failed.any() or failed.mean() <= limit:
        return
    text = f"{how_many(inputs, samples, failed, controls)}; the method {method.name} goes on with {limit:.3g} of them at most"
    raise TooManyFailed(text, key="method.max_failed", value=limit, remedy=f"{MEND}, or raise max_failed; all runs are kept")
