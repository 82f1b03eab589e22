"""The run of `tolerances`: a surrogate over the largest tolerances, the cheapest ones by it, and fresh runs within these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.search.allocation import Allocation, Bounded, Extremes, Narrow, Quantiles, RootOfSquares, allocate
from uqmbd.facts import WARNINGS
from uqmbd.methods.design.front import Front, front
from uqmbd.methods.design.scatter import choosing_points, judged_probability, passed_quantile, scattered, share_of_runs
from uqmbd.methods.design.wanted import FREE, Wanted
from uqmbd.methods.staged import Conclusion
from uqmbd.methods.surrogate_run import SurrogateRun
from uqmbd.surrogates.base import SEARCH

WITHIN, SCATTERED, ON_FRONT = range(20, 23)  # roles: fresh runs within the tolerances, those that scatter as parts do, ends on the front
FRESH, PARTS = 100, 200  # random numbers of the first round's runs within the tolerances, and of those that scatter
MET = 1e-6  # of an output's range, by which a run may pass a limit and still meet it: rounding
INSIDE = 1e-9  # of the tolerances, by which a run may lie beyond them and still be within
STACKS = {"worst_case": Extremes, "root_of_squares": RootOfSquares}


class TolerancesRun(SurrogateRun):
    """Asks as `chebyshev` does, then for fresh runs within the tolerances that it has found, round by round."""

    chosen: ClassVar[tuple[int, ...]] = (SEARCH, WITHIN, SCATTERED, ON_FRONT)

    def _plan(self) -> Iterator[bool]:
        yield from super()._plan()
        self._prepare()
        yield from self._tighten()
        yield from self._compromise()
        self.assess()  # fresh runs speak for the surrogate too

    def _prepare(self) -> None:
        """Costs, limits by the surrogate, and the smallest tolerances, as shares of the largest."""
        settings, items = self.settings, self.inputs
        ends = np.array([item.ppf(np.array([0.0, 1.0])) for item in items.values()])
        self._half, self._nominal = (ends[:, 1] - ends[:, 0]) / 2, ends.mean(axis=1)
        given = settings.costs
        self._costs = [given[n].made(n, item, h) if n in given else FREE for (n, item), h in zip(items.items(), self._half, strict=True)]
        least = [
            given[name].numbers(name, item).get("smallest", settings.smallest * h) / h if name in given else 1.0
            for (name, item), h in zip(items.items(), self._half, strict=True)
        ]
        self._least, self._wanted = np.array(least), settings.wanted()
        self._column = [self.columns.slices[wanted.output].start for wanted in self._wanted]
        self._size, stack = self.scale()[self._column], STACKS[settings.stack]
        self._surrogates = [self.expansion.select(np.array([column])) for column in self._column]
        parts = choosing_points(self.seed, len(items), settings.scatter) if settings.scattered() else np.empty((0, len(items)))
        self._responses = [
            Quantiles(one, parts, wanted.share) if wanted.what == "probability" else stack(one, *rises)
            for wanted, one, rises in zip(self._wanted, self._surrogates, [self._rising(column) for column in self._column], strict=True)
        ]
        self._limits = [self._limit(k, wanted) for k, wanted in enumerate(self._wanted)]

    def _rising(self, column: int) -> tuple[np.ndarray, ...]:
        """For worst cases, which need no search then: the signs of the slopes (d,) of a column that is monotonic in all inputs."""
        rises = self._monotonic()[:, column]
        return (rises,) if self.settings.stack == "worst_case" and rises.all() else ()

    def _limit(self, k: int, wanted: Wanted) -> Bounded | Narrow:
        """A limit for the surrogate, tightened by the error with which bounds are widened."""
        column, response, size = self._column[k], self._responses[k], float(self._size[k])
        level = wanted.in_unit(self.columns.outputs[wanted.output])
        squares = self.settings.stack == "root_of_squares" and wanted.what != "probability"
        widened = bool(self.trusted[column]) and not squares
        shift = self.settings.safety * float(self.error[column]) if widened else 0.0
        if wanted.what == "width":
            return Narrow(response, level, size, 2 * shift)
        return Bounded(response, level, wanted.upper, size, shift)

    def _tighten(self) -> Iterator[bool]:
        """Choose tolerances, run within them, and tighten the limits that runs pass, until they pass none."""
        self._verifying = 0
        self._first, self._course = self._limits, list[tuple[np.ndarray, int, np.ndarray]]()  # tolerances, runs, and by how much they pass
        for number in range(self.settings.rounds + 1):
            self._found = allocate(self._costs, self._half, self._limits, self._least)
            self._last = len(self.points)
            within, parts = self.not_run(self._fresh(number)), self._parts(number)
            if len(within) + len(parts):
                self.add(np.concatenate([within, parts]), np.repeat([WITHIN, SCATTERED], [len(within), len(parts)]))
                yield True
            self._verifying = len(within) + len(parts)
            self._chances = self._judge_chances()
            passed = self._passed()
            self._course.append((self._found.s, self.observed, passed))
            self.settle(self._so_far)
            if not self._found.feasible or not (passed > MET * self._size).any():
                break
            more = np.where(passed > 0, passed, 0.0)  # not where no run tells
            self._limits = [replace(limit, shift=limit.shift + by) for limit, by in zip(self._limits, more.tolist(), strict=True)]

    def _so_far(self) -> Conclusion:
        """The tolerances of this round; nothing of the surrogate is concluded, which later runs may change."""
        attrs = self._decided([])
        count, most = len(self._course), 1 + self.settings.rounds
        note = f"these are the tolerances of round {count} of at most {most}: limits are tightened again where runs pass them"
        attrs = {key: value for key, value in attrs.items() if key != WARNINGS} | {"notes": [note], "verified": False}
        inner = self.columns.dataset(self.envelope(self.status == 0), {"bound": ["lower", "upper"]})
        return {"inner": inner, **self._rounds()}, {"method": self.settings.name, "seed": self.seed, **attrs}

    def _rounds(self) -> dict[str, Any]:
        """The group `uqmbd.groups.ROUNDS`."""
        import xarray as xr

        s, runs, passed = (np.array(each) for each in zip(*self._course, strict=True))
        cost = np.array([self._costs_of(one).sum() for one in s])
        group = xr.Dataset(
            {"cost": ("round", cost), "runs": ("round", runs), "passed": (("round", "limit"), passed.reshape(len(s), -1)),
             "tolerance": (("round", "input"), s * self._half)},
            {"round": 1 + np.arange(len(s)), "limit": np.array([f"{one.output} {one.text}" for one in self._wanted], object),
             "input": np.array(list(self.inputs), object)},
        )  # fmt: skip
        return {"rounds": group}

    def _costs_of(self, s: np.ndarray) -> np.ndarray:
        """What the tolerances (d,), shares of the largest, cost, each."""
        return np.array([cost.of(float(share * half))[0] for cost, share, half in zip(self._costs, s, self._half, strict=True)])

    def _fresh(self, number: int) -> np.ndarray:
        """Points (n, d): where the surrogate has the ends of outputs that have limits, and random ones within the tolerances."""
        s, d = self._found.s, len(self.inputs)
        ends = np.concatenate([response.places(s)[1] * s for response in self._responses])
        draw = generator(self.seed, FRESH + number)
        if self.settings.stack == "worst_case":
            random = 2 * draw.random((self.settings.fresh, d)) - 1
        else:  # even over the ball
            ways, far = draw.standard_normal((self.settings.fresh, d)), draw.random((self.settings.fresh, 1))
            random = ways / np.linalg.norm(ways, axis=1, keepdims=True) * far ** (1 / d)
        return np.concatenate([np.unique(ends, axis=0), random * s])

    def _parts(self, number: int) -> np.ndarray:
        """Points (n, d) that scatter as parts do, where there are limits on probabilities."""
        u = generator(self.seed, PARTS + number).random((self.settings.scattered(), len(self.inputs)))
        return scattered(u, self.settings.scatter) * self._found.s

    def _judge_chances(self) -> dict[int, tuple[Any, float, float | None]]:
        """Of each limit on a probability, by its number: the estimate, by how much its quantile is passed, and the share of runs beyond."""
        known = {}
        rows = self._last + np.flatnonzero((self.roles[self._last :] == SCATTERED) & (self.status[self._last :] == 0))
        for k, (wanted, one) in enumerate(zip(self._wanted, self._surrogates, strict=True)):
            if wanted.what != "probability":
                continue
            sign, level = (1.0 if wanted.upper else -1.0), self._levels()[k]
            limit = level - sign * self._first[k].shift
            estimate, margin = judged_probability(one, self._found.s, self.settings.scatter, self.seed, limit, sign)
            share = share_of_runs(self.values[rows, self._column[k]], level, sign)
            known[k] = estimate, passed_quantile(estimate, margin, wanted.share), share
        return known

    def _compromise(self) -> Iterator[bool]:
        """The front, if one is asked for and there is something to choose, and runs at the ends of its output."""
        self._front: Front | None = None
        if self.settings.front is None or not self._found.feasible:
            return
        column = self.columns.slices[self.settings.front].start
        response = STACKS[self.settings.stack](self.expansion.select(np.array([column])), *self._rising(column))
        self._front = front(self._costs, self._half, self._limits, self._least, response, self._found, self.settings.compromises)
        if len(points := self.not_run(np.unique(self._front.ends.reshape(-1, len(self.inputs)), axis=0))):
            self.add(points, ON_FRONT)
            yield True

    def _front_group(self) -> dict[str, Any]:
        """The group of the front; none where there is none."""
        if self._front is None or self.settings.front is None:
            return {}
        name, ends = self.settings.front, self._front.ends
        at = {tuple(point): row for row, point in enumerate(self.points.tolist())}
        rows = np.array([at[tuple(point)] for point in ends.reshape(-1, ends.shape[2]).tolist()])
        values = np.where(self.status[rows] == 0, self.values[rows, self.columns.slices[name].start], np.nan).reshape(-1, 2)
        return {"front": self._front.dataset(name, self.columns.outputs[name].unit, list(self.inputs), self._half, values)}

    def _within(self) -> np.ndarray:
        """Runs that were ok within the tolerances, indices."""
        share = np.abs(self.points) / self._found.s
        far = share.max(axis=1) if self.settings.stack == "worst_case" else np.linalg.norm(share, axis=1)
        return np.flatnonzero((self.status == 0) & (far <= 1 + INSIDE))

    def _reached(self) -> np.ndarray:
        """What runs within the tolerances have of each limit, (limits,): the end, or the width; NaN where none was ok."""
        values = self.values[self._within()][:, self._column]
        if not len(values):
            return np.full(len(self._wanted), np.nan)
        low, high = values.min(axis=0), values.max(axis=0)
        return np.array([self._of_ends(wanted, (low[k], high[k])) for k, wanted in enumerate(self._wanted)])

    def _of_ends(self, wanted: Wanted, ends: Any) -> float:
        return float(ends[1] - ends[0]) if wanted.what == "width" else float(ends[1] if wanted.upper else ends[0])

    def _levels(self) -> np.ndarray:
        return np.array([limit.width if isinstance(limit, Narrow) else limit.limit for limit in self._limits])

    def _passed(self) -> np.ndarray:
        """By how much runs within the tolerances pass each limit, (limits,), negative where they do not."""
        sign = np.array([1.0 if wanted.upper else -1.0 for wanted in self._wanted])
        passed = sign * (self._reached() - self._levels())
        for k, (_, by, _) in self._chances.items():
            passed[k] = by
        return passed

    # what follows -------------------------------------------------------------------------------------------------------------------------
    def _conclude(self) -> Conclusion:
        groups, attrs = super()._conclude()
        return {**groups, **self._front_group(), **self._rounds()}, attrs | self._decided(attrs["notes"])

    def _decided(self, notes: list[str]) -> dict[str, Any]:
        """Attributes of the allocation, see `uqmbd.decision_facts.Allocated`; the first of the notes are those of the decision."""
        found, s = self._found, self._found.s
        limits = self._limits_met()
        lost = int(np.count_nonzero(np.isin(self.roles, (WITHIN, SCATTERED)) & (self.status != 0)))
        verified = found.feasible and not lost and all(limit["met"] for limit in limits)
        least, warnings = "" if found.feasible else self._least_violated(limits), []
        if least:
            warnings.append(least)
        elif not verified:
            warnings.append(self._doubt(limits, lost))
        if not found.converged:
            warnings.append(
                "the search for the cheapest tolerances did not converge: those of the result meet the limits, others may cost less"
            )
        names = [name for name in self.inputs if name in self.settings.costs]
        at = [list(self.inputs).index(name) for name in names]

        def by_name(values: np.ndarray) -> dict[str, float]:
            return dict(zip(names, values[at].tolist(), strict=True))

        costs = self._costs_of(s)
        said = "bounds and sensitivities of outputs are those over the largest tolerances"
        return {
            "about": "tolerances",
            "stack": self.settings.stack,
            "tolerance": by_name(s * self._half),
            "tolerance_least": by_name(self._least * self._half),
            "tolerance_largest": by_name(self._half),
            "nominal": by_name(self._nominal),
            "tolerance_cost": by_name(costs),
            "total_cost": float(costs.sum()),
            "limits_met": limits,
            "feasible": found.feasible,
            "verified": verified,
            "runs_verifying": self._verifying,
            "least_violated": least,
            "notes": [*warnings, *self._untrusted(), said, *notes],
            **({WARNINGS: warnings} if warnings else {}),
        }

    def _limits_met(self) -> list[dict[str, Any]]:
        """What there is of each limit, see `uqmbd.decision_facts.LimitMet`."""
        entries, reached, met = [], self._reached(), self._passed() <= MET * self._size
        for k, (wanted, limit) in enumerate(zip(self._wanted, self._first, strict=True)):
            words = {"output": wanted.output, "text": wanted.text, "what": wanted.what, "upper": wanted.upper}
            if k in self._chances:
                entries.append({**words, **self._chance_met(k)})
                continue
            value = self._of_ends(wanted, self._responses[k](self._found.s)[0]) + (1 if wanted.upper else -1) * limit.shift
            known = {} if np.isnan(reached[k]) else {"runs": float(reached[k])}
            entries.append({**words, "level": float(self._levels()[k]), "surrogate": value, **known, "met": bool(met[k])})
        return entries

    def _chance_met(self, k: int) -> dict[str, Any]:
        """What there is of a limit on a probability."""
        estimate, by, share = self._chances[k]
        known = {} if share is None else {"runs": share}
        limits = {"surrogate": estimate.unsafe, "lower": estimate.lower, "higher": estimate.upper}
        return {"level": self._wanted[k].share, **limits, **known, "met": bool(by <= MET * self._size[k])}

    def _least_violated(self, limits: list[dict[str, Any]]) -> str:
        """The limit that is nearest to being met, where not all can be."""
        found: Allocation = self._found
        nearest, broken = limits[found.least_violated], int(np.count_nonzero(found.margins < 0))
        chance = nearest["what"] == "probability"
        unit = "" if chance else self.columns.outputs[nearest["output"]].unit
        alone = chance or nearest["met"]
        value = nearest["surrogate"] if alone else nearest.get("runs", nearest["surrogate"])
        what = {"width": "a width of ", "probability": "a probability of "}.get(nearest["what"], "")
        text = f"not even the smallest tolerances meet all limits: {nearest['output']} has {what}{value:.6g} {unit}".rstrip()
        which = "it is the only one that they break" if broken == 1 else f"it is the least violated of {broken}"
        return f"{text} with them, and {nearest['text']} is asked; {which}"

    def _doubt(self, limits: list[dict[str, Any]], lost: int) -> str:
        """Why the tolerances are not verified."""
        beyond = [f"{limit['output']} {limit['text']}" for limit in limits if not limit["met"]]
        if beyond:
            return f"the tolerances are not verified: runs within them pass {', '.join(beyond)} after {self.settings.rounds} rounds"
        return f"the tolerances are not verified: {lost} of the fresh runs within them failed"

    def _untrusted(self) -> list[str]:
        """A note on outputs with limits whose surrogate is not trusted."""
        names = list(dict.fromkeys(w.output for w, column in zip(self._wanted, self._column, strict=True) if not self.trusted[column]))
        if not names:
            return []
        return [f"the surrogate of {', '.join(names)} is not trusted, so that for these limits the fresh runs alone speak"]
