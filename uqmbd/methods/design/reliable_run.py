"""The run of `design`: searches from several starts, and random runs of the best design that they find."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability.designs import OPTIMISERS, ROUGH, SPREAD, Ended, Looked, Sought, judged, sizes_of, stationary
from uqmbd.analysis.reliability.form import NotFoundError
from uqmbd.errors import StudyError
from uqmbd.facts import WARNINGS
from uqmbd.methods.base import count_failures
from uqmbd.methods.design.fresh import Fresh, fresh_limits, limits_by_search
from uqmbd.methods.design.looking import Item, Looking, Rows, answered
from uqmbd.methods.design.measures import LARGEST, share_of
from uqmbd.methods.design.several import Together
from uqmbd.methods.staged import Conclusion, FixedSampler

FRESH, STARTS = 300, 330  # random numbers of the runs that look at the design that was found, and of further starts
MET = 1e-6  # of the size of a margin, by which it may be passed: rounding of the optimisation
STATIONARY = 1e-4  # of the slope of the objective: what no limit holds up
CYCLES = 20  # of a sequence of optimisations
SETTLED = 5  # between two of them searches without slopes move the design by so many times their accuracy
AROUND = 4  # populations begin so many times as wide as the design moved last
ALIKE = 1e-3  # of the ranges: ends of two starts that are nearer to each other are one design


@dataclass(frozen=True, eq=False)
class Found:
    """Where one start ended."""

    x: np.ndarray
    looked: Looked
    met: np.ndarray  # bool (limits,)
    points: np.ndarray  # (items, v): worst points
    converged: bool
    settled: bool  # whether all searches for worst points were content
    steps: int

    def better_than(self, other: Found | None) -> bool:
        """Whether it is to be taken: designs that meet all limits first, then the least objective, or the least shortfall."""
        if other is None or self.met.all() != other.met.all():
            return other is None or bool(self.met.all())
        if self.met.all():
            return self.looked.objective < other.looked.objective
        return self.shortfall().max() < other.shortfall().max()

    def shortfall(self) -> np.ndarray:
        """By how much limits (limits,) are passed, as a share of the size of their margins."""
        size = sizes_of(self.looked)
        return np.where(self.met, 0.0, -self.looked.margins / np.where(size > 0, size, 1.0))


class DesignRun(FixedSampler):
    """Asks for what optimisers and the search for worst points want, then for random runs of the design that was found."""

    def __init__(self, settings: Any, *study: Any) -> None:
        super().__init__(settings, *study)
        self._wanted, measure, outputs = settings.wanted(), settings.measured(), self.columns.outputs
        info = outputs[settings.minimise]
        column = self.columns.slices[settings.minimise].start
        self._items = [Item.of(measure, column, settings.level_of(info))]
        self._several = settings.several()
        for wanted in self._wanted:
            taken, sign = wanted.measure, 1.0 if wanted.upper else -1.0
            mean, std = (taken.mean, taken.std) if taken else (1.0, 0.0)
            at = self.columns.slices[wanted.output].start
            self._items.append(Item(wanted.what, at, wanted.in_unit(outputs[wanted.output]), sign, wanted.share, mean, std))
        for part in (part for one in self._several for part in one.parts):
            level = part.in_unit(outputs[part.output], "method.systems")
            self._items.append(Item("probability", self.columns.slices[part.output].start, level, 1.0 if part.upper else -1.0))
        self._looking = Looking(settings, self.inputs, self._items, self.seed, self._several)
        # where margins of a design have those of limits, then of parts of systems, then of systems
        first, size = int(self._looking.indexed), len(self._wanted)
        self._own, self._whole = slice(first, first + size), slice(first + len(self._items) - 1, None)
        self._at: dict[bytes, int] = {}  # which run was of which inputs
        self._record: list[tuple[int, np.ndarray, Looked]] = []
        self._number, self._notes = 0, list[str]()
        self._best_seen: tuple[Found | None, int] = None, 0  # of so many designs, for who looks on

    # the searches -------------------------------------------------------------------------------------------------------------------------
    def _plan(self) -> Iterator[np.ndarray]:
        self._found: list[Found] = []
        for number, begin in enumerate(self._starts()):
            self._number = number
            self._looking.begin()
            try:
                found = yield from self._search(begin)
            except NotFoundError as error:
                self._stop_if_too_many_failed()
                if not number and self.settings.starts == 1:
                    remedy = "narrow the ranges of the design, raise step where outputs are rough, or take an optimiser without slopes"
                    raise StudyError(str(error), key="method.type", value=self.settings.name, remedy=remedy) from None
                self._notes.append(f"start {number + 1} of the search was given up: {error}")
                continue
            self._found.append(found)
        if not self._found:
            text = f"all {self.settings.starts} starts of the search for the best design were given up: {self._notes[0]}"
            raise StudyError(text, key="method.starts", remedy="narrow the ranges of the design, or mend the runs that fail")
        self._best = self._found[0]
        for other in self._found[1:]:
            self._best = other if other.better_than(self._best) else self._best
        self._searched = self.observed
        self._fresh = Fresh(self._looking, self._items, self._best.x, self._best.points)
        yield from self._fresh.rows(self.settings.samples, generator(self.seed, FRESH))

    def _starts(self) -> np.ndarray:
        """Designs (starts, d) where searches begin: the middle of the ranges, then a low-discrepancy sequence."""
        d, more = self._looking.size, self.settings.starts - 1
        points = unit_points("sobol", max(more, 1), d, generator(self.seed, STARTS))[:more]
        starts = np.concatenate([np.full((1, d), 0.5), points])
        for system in self._looking.systems:  # each limit of a system begins at the index of all
            starts[:, system.at] = min(1.0, system.wanted.index / LARGEST)
        return starts

    def _search(self, begin: np.ndarray) -> Rows[Found]:
        """From one start to the best design near it."""
        looking, sora = self._looking, self.settings.approach == "sora"
        ended = yield from (self._sequence(begin) if sora else self._optimised(begin, fixed=False))
        looked = (yield from self._looked(ended.x[None], fixed=False, slopes=True))[0]
        sure = ended.converged or stationary(ended.x, looked) <= STATIONARY
        return Found(ended.x, looked, judged(looked, MET), looking.points.copy(), sure, looking.settled, ended.steps)

    def _optimised(self, begin: np.ndarray, *, fixed: bool, spread: float = SPREAD) -> Rows[Ended]:
        """Where the optimiser goes; with `fixed`, worst points stay where they are."""
        kind, s = OPTIMISERS[self.settings.optimiser], self.settings
        tolerance = s.tolerance**2 if kind.slopes else s.tolerance
        sought = Sought(begin, tolerance, s.steps, self.seed + self._number, spread)
        return (yield from answered(kind.search(sought), lambda x: self._looked(x, fixed=fixed, slopes=kind.slopes)))

    def _sequence(self, begin: np.ndarray) -> Rows[Ended]:
        """Optimise with worst points that stay, find them anew, until neither moves (Du, Chen, J. Mech. Des. 126 (2004) 225).

        Searches without slopes never find a design twice: these end where it moves little and meets the limits at the new points.
        """
        x, steps, spread, rough = begin, 0, SPREAD, not OPTIMISERS[self.settings.optimiser].slopes
        for _ in range(CYCLES):
            ended = yield from self._optimised(x, fixed=True, spread=spread)
            steps += ended.steps
            before = self._looking.points.copy()
            yield from answered(self._looking.worst(ended.x[None]), self._run)
            way, turned = float(np.abs(ended.x - x).max()), float(np.abs(self._looking.points - before).max(initial=0.0))
            x = ended.x
            if max(way, turned) <= max(self.settings.tolerance, MET):
                return Ended(x, ended.converged, steps)
            if rough and way <= SETTLED * max(ROUGH, self.settings.tolerance):
                looked = (yield from self._looked(x[None], fixed=True, slopes=False))[0]
                if judged(looked, MET).all():
                    return Ended(x, ended.converged, steps)
            spread = float(np.clip(AROUND * way, AROUND * ROUGH, SPREAD))
        return Ended(x, False, steps)

    def _looked(self, x: np.ndarray, *, fixed: bool, slopes: bool) -> Rows[Sequence[Looked]]:
        looked = yield from answered(self._looking.look(x, slopes, fixed), self._run)
        self._record += [(self._number, one, what) for one, what in zip(x, looked, strict=True)]
        self.settle(self._so_far)
        return looked

    def _run(self, rows: np.ndarray) -> Generator[np.ndarray, None, np.ndarray]:
        """Outputs (n, items) at samples (n, inputs), those known already without a run."""
        keys = [row.tobytes() for row in rows + 0.0]  # without signs of zeros
        new = {key: k for k, key in enumerate(keys) if key not in self._at}
        if new:
            if self.observed + len(new) > self.settings.max_runs:
                fewer = ", take slsqp where outputs are smooth" if self.settings.optimiser == "cma-es" else ""
                remedy = f"raise max_runs, or tolerance{fewer}; all runs are kept"
                text = f"the search for the best design needs more than max_runs = {self.settings.max_runs} runs"
                raise StudyError(text, key="method.max_runs", remedy=remedy)
            for number, key in enumerate(new):
                self._at[key] = self.observed + number
            yield rows[list(new.values())]
        at = np.array([self._at[key] for key in keys])
        return np.where(self.status[at, None] == 0, self.values[at][:, [item.column for item in self._items]], np.nan)

    # what follows -------------------------------------------------------------------------------------------------------------------------
    def _so_far(self) -> Conclusion:
        """The best of the designs that were looked at, by what the search knew of their limits then."""
        best, seen = self._best_seen
        for _, x, looked in self._record[seen:]:
            one = Found(x, looked, judged(looked, MET), self._looking.points, False, False, 0)
            best = one if one.better_than(best) else best
        self._best_seen = best, len(self._record)
        if best is None:
            return {}, {}
        note = f"the search goes on: this is the best of {len(self._record)} designs that it has looked at"
        attrs = self._decided(best) | {"notes": [note], **count_failures(self.status)}
        return self._groups_of(list(attrs["design"])), attrs

    def _decided(self, best: Found) -> dict[str, Any]:
        """Attributes of a design, see `uqmbd.decision_facts.Designed`, by the search alone."""
        looking = self._looking
        names = [name for name, moved in zip(self.inputs, looking.moved, strict=True) if moved]
        margins, met = best.looked.margins, best.met
        shares = best.x[: len(names)]
        limits = limits_by_search(self._items[1 : 1 + len(self._wanted)], self._wanted, margins[self._own], met[self._own])
        return {
            "method": self.settings.name,
            "about": "design",
            "seed": self.seed,
            "design": dict(zip(names, looking.design(best.x).tolist(), strict=True)),
            "design_at_end": [name for name, share in zip(names, shares, strict=True) if share < MET or share > 1 - MET],
            "minimised": self.settings.minimise,
            "measure": self.settings.measured().text,
            "objective": share_of(-best.looked.objective) if looking.indexed else best.looked.objective,
            "limits_met": limits + self._systems_met(best),
            "feasible": bool(best.met.all()),
            "verified": False,
            "runs_searching": self.observed,
        }

    def _conclude(self) -> Conclusion:
        self._stop_if_too_many_failed()
        best = self._best
        attrs = self._decided(best)
        margins, met = best.looked.margins[self._own], best.met[self._own]
        runs = np.where(self.status[self._searched :, None] == 0, self.values[self._searched :], np.nan)
        items = self._items[: 1 + len(self._wanted)]
        limits, objective_limits, refuted = fresh_limits(self._fresh, items, self._wanted, margins, met, runs)
        for system, entry in zip(self._looking.systems, self._systems_met(best), strict=True):
            each = [(item, self._fresh.values(number, runs[:, item.column])) for number, item in self._numbered(system)]
            said, why = system.counted([item.sign * (item.level - values) for item, values in each]) if len(runs) else ({}, "")
            limits.append(entry | said)
            refuted += [f"fresh runs refute {system.wanted.text}: {why}"] if why and entry["met"] else []
        lost = int(np.count_nonzero(self.status[self._searched :]))
        failed = [f"{lost} of {len(runs)} fresh runs of the design failed: nothing is known of the limits there"] if lost else []
        warnings = [*self._notes, *self._warnings(limits), *refuted, *failed]
        fit = bool(attrs["feasible"] and best.converged and best.settled and not refuted and not lost)
        attrs |= {
            "objective_limits": objective_limits,
            "limits_met": limits,
            "verified": fit and self.settings.samples > 0,
            "runs_verifying": self.observed - self._searched,
            "runs_searching": self._searched,
            "starts_tried": self.settings.starts,
            "starts_alike": sum(bool(np.abs(each.x - best.x)[: len(attrs["design"])].max() <= ALIKE) for each in self._found),
            "steps": best.steps,
            "notes": warnings,
            **({WARNINGS: warnings} if warnings else {}),
            **count_failures(self.status),
        }
        return self._groups_of(list(attrs["design"])), attrs

    def _numbered(self, system: Together) -> list[tuple[int, Item]]:
        """The parts of a system, with their numbers among the items."""
        return list(enumerate(self._items))[system.items]

    def _systems_met(self, best: Found) -> list[dict[str, Any]]:
        """What the search says of each system: its limit is met where those of its parts are, at the indices that make it up."""
        said = []
        for system, margin, met in zip(self._looking.systems, best.looked.margins[self._whole], best.met[self._whole], strict=True):
            parts = best.met[self._parts_of(system)]
            said.append(system.entry(float(margin), met=bool(met and parts.all())))
        return said

    def _parts_of(self, system: Together) -> slice:
        """Where the margins of a design have those of the parts of a system."""
        shift = int(self._looking.indexed) - 1
        return slice(system.items.start + shift, system.items.stop + shift)

    def _groups_of(self, names: Sequence[str]) -> dict[str, Any]:
        inner = self.columns.dataset(self.envelope(self.status == 0), {"bound": ["lower", "upper"]})
        return {"inner": inner, "designs": self._designs(names)}

    def _warnings(self, limits: list[dict[str, Any]]) -> list[str]:
        """What speaks against the design, before fresh runs do."""
        best, said = self._best, []
        every = best.shortfall()
        several = zip(self._looking.systems, every[self._whole], strict=True)
        systems = [max(whole, every[self._parts_of(one)].max()) for one, whole in several]
        short = np.concatenate([every[self._own], systems])
        if short.any():
            nearest = limits[int(np.argmin(np.where(short > 0, short, np.inf)))]
            which = f"{nearest['output']} {nearest['text']}".strip()
            seen = np.array([one[2].margins[self._own] for one in self._record])
            never = [f"{one.output} {one.text}" for one, margins in zip(self._wanted, seen.T, strict=True) if not (margins >= 0).any()]
            none = f"; none of the {len(self._record)} designs that were looked at meets {', '.join(never)}" if never else ""
            said.append(f"no design was found that meets all limits; {which} is nearest to being met{self._there(nearest)}{none}")
        if not best.converged:
            said.append("the search for the best design did not converge: another one may be better")
        if not best.settled:
            said.append("a search for the worst point of a limit did not settle: its reliability index is not sure")
        return said

    def _there(self, limit: dict[str, Any]) -> str:
        """What there is of a limit that is not met, by fresh runs where there are any; nothing of a probability without these."""
        if limit["what"] in ("probability", "system"):
            return f": its probability is {limit['runs']:.6g}" if "runs" in limit else ""
        value = limit.get("runs", limit["surrogate"])
        return f": it is {value:.6g} {self.columns.outputs[limit['output']].unit}".rstrip()

    def _designs(self, names: Sequence[str]) -> Any:
        """The group `uqmbd.groups.DESIGNS`: all designs that the searches looked at."""
        import xarray as xr

        x = np.array([one[1] for one in self._record])
        objective = np.array([one[2].objective for one in self._record])
        every = [np.append(one[2].margins[self._own], one[2].margins[self._whole]) for one in self._record]
        margins = np.array(every).reshape(len(x), -1)
        named = [*(f"{one.output} {one.text}" for one in self._wanted), *(one.text for one in self._several)]
        along = ("look",)
        if self._looking.indexed:
            objective = np.array([share_of(-value) for value in objective])
        return xr.Dataset(
            {
                "start": (along, np.array([one[0] for one in self._record])),
                "objective": (along, objective),
                "margin": (("look", "limit"), margins),
                "nominal": (("look", "input"), self._looking.design(x)),
            },
            {
                "look": np.arange(len(x)),
                "limit": np.array(named, object),
                "input": np.array(list(names), object),
            },
        )
