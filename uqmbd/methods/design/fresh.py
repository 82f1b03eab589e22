"""Random runs of the design that was found, and what they say of its objective and limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from uqmbd.analysis.reliability.sampling import counted
from uqmbd.analysis.statistics.order_statistics import quantiles
from uqmbd.methods.design.looking import Item, Looking
from uqmbd.methods.design.wanted import Wanted

MOST_IN_BOX = 100  # runs at random in the box of uncertain intervals, besides its corners
NORMAL = 1.959963984540054  # half width of 95 % limits, in standard errors
BEYOND = 1e-6  # of the size of an output, by which runs may pass the worst case: rounding


class Fresh:
    """Which runs look at the design, and which of them speak of which item."""

    def __init__(self, looking: Looking, items: Sequence[Item], x: np.ndarray, points: np.ndarray) -> None:
        self._looking, self._x = looking, x
        places = points[:, looking.randoms :].copy()
        places[[item.what in ("spread", "end") for item in items]] = 0.0
        self._places, self._of = np.unique(places, axis=0, return_inverse=True)
        self._scatter = [item.what in ("spread", "probability", "quantile") for item in items]
        self._worst = [item.what == "worst" for item in items]
        self._runs: list[slice] = []  # of each place, then those in the box

    def rows(self, samples: int, draw: np.random.Generator) -> Iterator[np.ndarray]:
        """Samples (n, inputs), SI: the scatter about the nominals, at the places that items have in the box; and the whole box."""
        looking, batches, count = self._looking, [], 0
        z = draw.standard_normal((samples, looking.randoms))
        for number, place in enumerate(self._places):
            spoken = any(scatter and of == number for scatter, of in zip(self._scatter, self._of, strict=True))
            points = np.column_stack([z, np.tile(place, (len(z), 1))])[: len(z) if spoken and looking.randoms else 0]
            batches.append(points)
        box = np.zeros((0, looking.randoms + looking.boxed))
        if samples and any(self._worst) and looking.boxed:
            inside = draw.uniform(-1.0, 1.0, (min(samples, MOST_IN_BOX), looking.boxed))
            box = np.concatenate([looking.corners(), np.column_stack([np.zeros((len(inside), looking.randoms)), inside])])
        for points in (*batches, box):
            self._runs.append(slice(count, count + len(points)))
            count += len(points)
        if count:
            every = np.concatenate([*batches, box])
            yield looking.samples(np.tile(self._x, (count, 1)), every)

    def values(self, number: int, every: np.ndarray) -> np.ndarray:
        """Of all outputs (fresh runs,) of an item those that speak of it."""
        if self._worst[number]:
            return every[self._runs[-1]]
        return every[self._runs[int(np.ravel(self._of)[number])]] if self._scatter[number] else every[:0]


def fresh_limits(
    fresh: Fresh, items: Sequence[Item], wanted: Sequence[Wanted], margins: np.ndarray, met: np.ndarray, runs: np.ndarray
) -> tuple[list[dict[str, Any]], list[float], list[str]]:
    """What there is of each limit, see `uqmbd.decision_facts.LimitMet`; 95 % limits of the objective; what the runs refute, in words.

    Parameters
    ----------
    margins, met : ndarray, shape (limits,)
        By the search.
    runs : ndarray, shape (fresh runs, columns)
        NaN where a run failed.
    """
    entries, refuted, objective = limits_by_search(items[1:], wanted, margins, met), [], list[float]()
    for number, item in enumerate(items):
        values = fresh.values(number, runs[:, item.column])
        said = _said(item, values) if len(values) else {}
        if not number:
            objective = [said[key] for key in ("lower", "higher") if key in said]
            continue
        one = wanted[number - 1]
        entries[number - 1] |= said
        if said and met[number - 1] and (why := _refutes(item, said)):
            refuted.append(f"fresh runs refute {one.output} {one.text}: {why}")
    return entries, objective, refuted


def limits_by_search(items: Sequence[Item], wanted: Sequence[Wanted], margins: np.ndarray, met: np.ndarray) -> list[dict[str, Any]]:
    """What the search says of each limit, see `uqmbd.decision_facts.LimitMet`; `margins` and `met` (limits,)."""
    return [
        {
            "output": one.output, "text": one.text, "what": one.what, "upper": one.upper, "met": bool(known),
            "level": item.level, "surrogate": float(item.level - item.sign * margin),
        }
        for item, one, margin, known in zip(items, wanted, margins, met, strict=True)
    ]  # fmt: skip


def _said(item: Item, values: np.ndarray) -> dict[str, float]:
    """An estimate from runs (n,), NaN where one failed, with 95 % limits; of the worst case what was reached."""
    ok = values[np.isfinite(values)]
    if item.what == "probability":
        share = counted(item.sign * (item.level - values))
        return {"lower": share.lower, "higher": share.upper, "runs": share.unsafe}
    if not len(ok):
        return {}
    if item.what == "worst":
        return {"runs": float(item.sign * np.max(item.sign * ok))}
    if item.what == "quantile":
        return _quantile(item, ok)
    mean, away = float(ok.mean()), ok - ok.mean()
    second, third, fourth = (float(np.mean(away**power)) for power in (2, 3, 4))
    std = np.sqrt(second)
    k, s = item.mean, item.std / (2 * std) if std > 0 else 0.0  # slopes of k mean + item.std sqrt(second)
    variance = k * k * second + 2 * k * s * third + s * s * (fourth - second**2)
    estimate, error = item.mean * mean + item.std * std, NORMAL * np.sqrt(max(variance, 0.0) / len(ok))
    return {"lower": float(estimate - error), "higher": float(estimate + error), "runs": float(estimate)}


def _quantile(item: Item, ok: np.ndarray) -> dict[str, float]:
    """A quantile with its limits; infinite where the runs are too few for one."""
    share = 1 - item.share if item.sign > 0 else item.share
    estimate, lower, higher = (float(value) for value in quantiles(ok, (share,)).values())
    return {"lower": lower, "higher": higher, "runs": estimate}


def _refutes(item: Item, said: dict[str, float]) -> str:
    """Why runs refute that a limit is met; empty where they do not."""
    if item.what == "probability":
        return "the limit is not the plane that the index takes it for" if said["lower"] > item.share else ""
    if item.what == "worst":
        return "a run in the box is beyond" if item.sign * (said["runs"] - item.level) > BEYOND * max(1e-300, abs(item.level)) else ""
    nearest = said["lower"] if item.sign > 0 else -said["higher"]
    taken = "the output is no polynomial of this degree" if item.what == "spread" else "the limit is not the plane that it is taken for"
    return taken if nearest > item.sign * item.level + BEYOND * abs(item.level) else ""
