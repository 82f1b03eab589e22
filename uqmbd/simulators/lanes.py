"""A function that returns a `flexmbd.System`: whole batches go to the lane solver."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import AT_MOST_ONE, DOUBT, NONNEGATIVE, ORDER, STEP, TIME, WARNING, Outcomes, OutputInfo, concatenate, sample_count
from uqmbd.simulators.apart import AWAY, apart
from uqmbd.simulators.base import Moved
from uqmbd.simulators.chosen import alike, combined, of_rows, saying
from uqmbd.simulators.chosen import apart as apart_by_value
from uqmbd.simulators.controls import number, with_control
from uqmbd.simulators.faults import as_study_error
from uqmbd.simulators.going_on import going_on
from uqmbd.simulators.model import Model
from uqmbd.simulators.sections import check_after, check_points, info_of, outputs_of, plain_names, section_of, sections_of
from uqmbd.simulators.windows import read_name

PREPARED = ("end", "points", "outputs", "settings", "sections")  # what a model is prepared with
DENSE = 4096  # runs that keep dense histories at a time
LOG = logging.getLogger("uqmbd")


DOUBTED = {  # what flexmbd says of contacts and sections, without the figures of single batches
    "deep": (
        "contact '{}': in some runs the bodies penetrate each other by more than its clearance or radius: it is too soft for its loads; "
        "is its stiffness in the unit that its law expects, N/m^n?"
    ),
    "moved": "some runs that go on with other inputs start from places that were moved to fit these",
    "never": "section '{}': some runs never meet it, and have no points there; their ':count' is 0",
    "more": "section '{}': some runs have more points than there is room for (most): the first are kept, and ':count' is of all",
    "stiff": "contact '{}': its stiffness is more than diamond has; is it in the unit that its law expects, N/m^1.5?",
}


@dataclass(frozen=True)
class LanesSimulator:
    """The lane solver as a simulator.

    Attributes
    ----------
    model : Model
        Where the function ``build(**inputs) -> flexmbd.System`` is.
    names : tuple of str
        Outputs, ``"name"`` or ``"name:reduction"``.
    time : ndarray of shape (points,)
        Rising from 0 to the end [s].
    settings : dict
        Keys of `flexmbd.Settings`.
    patience : float, optional
        Seconds after which runs that are not done are left, with status "timeout" (trial runs).
    """

    width = 16

    model: Model
    names: tuple[str, ...]
    time: np.ndarray
    settings: dict[str, Any] = field(default_factory=dict)
    patience: float | None = None

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """Build and compile once, so that workers find the compiled code on disk; all samples have to have one topology.

        Where inputs choose or count, each combination of their values is a mechanism of its own.
        """
        if not self.model.values:
            return self._check_one(samples)
        checked = []
        for part in combined(samples, self.model.values):
            try:
                checked.append(self._check_one(part))
            except StudyError as error:
                raise saying(error, part, self.model.values) from error.__cause__
        return checked[0]

    def _check_one(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """The same of one mechanism."""
        import flexmbd

        arguments = self.arguments() | self.sections(samples)
        check_after(arguments.get("sections", {}), arguments["end"])
        with as_study_error(self):
            known = {key: arguments[key] for key in ("end", "outputs", "settings", "sections") if key in arguments}
            if not flexmbd.compiled(self.model.load(), dict(samples), **known):
                LOG.info("compiling the model, once for a mechanism: this takes some seconds, the first time ever some more ...")
                if not AWAY:  # so that all runs of a study, now and after a kill, use the same code from the disk
                    with suppress(Exception):  # what is wrong with a model is told when this process prepares it
                        apart(partial(prepare, self, samples))
            prepared = flexmbd.prepare(self.model.load(), dict(samples), **{key: arguments[key] for key in PREPARED if key in arguments})
            arguments["settings"]["integrator"] = prepared.attributes["solver.integrator"]  # what "auto" takes depends on the end
            short = {**arguments, "end": 1e-9 * arguments["end"], "points": 2, "times": None}
            found = flexmbd.run(self.model.load(), dict(samples), **short)
        check_points(self.names, self.model.sections, found, prepared.available)
        return {name: self.info(name, prepared.units) for name in self.names}

    def info(self, name: str, units: Mapping[str, str]) -> OutputInfo:
        """What an output is, where the model's own have these units."""
        if section_of(name, self.model.sections):
            return info_of(name, self.model.sections, units)
        return OutputInfo(units.get(name, ""), None if ":" in name else TIME)

    def argument_units(self, samples: Mapping[str, np.ndarray]) -> dict[str, list[tuple[str, str]]]:
        """What inputs become in the model, and the units of that, where both are known: ``{"c": [("pin.clearance", "m")]}``."""
        import flexmbd

        with as_study_error(self):
            one = of_rows(samples, alike(samples, self.model.values)[0])  # of a choice and a count there is no unit
            return flexmbd.argument_units(self.model.load(), one)

    def with_control(self, control: Mapping[str, float]) -> LanesSimulator:
        """See `uqmbd.simulators.base.Controlled`: keys of `flexmbd.Settings` are settings, others arguments of the model."""
        import flexmbd

        settings = {key: value for key, value in control.items() if key in {one.name for one in fields(flexmbd.Settings)}}
        found = self.with_step(settings["step"]) if "step" in settings else self
        found = replace(found, settings={**found.settings, **{key: number(value) for key, value in settings.items()}})
        others = {key: value for key, value in control.items() if key not in settings}
        return replace(found, model=with_control(self.model, others, [one.name for one in fields(flexmbd.Settings)]))

    def go_on(self, samples: Mapping[str, np.ndarray], states: list[Any]) -> Outcomes:
        """See `uqmbd.simulators.base.Continuing`: each run goes on for as long as the study's times, which count
        from its state, as do reductions.

        A run that goes on does not depend on those beside it, to the last bit. A stop ends a step, so that a run without one differs by
        the tolerance of the scheme (with explicit fixed steps by rounding). Inputs that are others than those of the state change at its
        time (`flexmbd.Simulation.step`); a run in which positions or velocities would have to jump far fails.
        """
        if self.arguments()["times"] is not None:
            raise StudyError("runs that go on have equal steps of time", key="time.also", remedy="leave the further times out")

        def part_of(part: dict[str, np.ndarray], rows: np.ndarray) -> Outcomes:
            return going_on(self, part, [states[i] for i in rows])

        return apart_by_value(samples, self.model.values, part_of) or going_on(self, samples, states)

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """Run a batch in lanes."""
        import flexmbd

        if (done := apart_by_value(samples, self.model.values, lambda part, _: self.simulate(part))) is not None:
            return done
        n = sample_count(samples)
        if n > DENSE and any(read_name(name).percentile is not None for name in self.names):  # which are of dense histories: less memory
            parts = [{key: values[first : first + DENSE] for key, values in samples.items()} for first in range(0, n, DENSE)]
            return concatenate([self.simulate(part) for part in parts])
        with as_study_error(self):
            arguments = self.arguments() | self.sections(samples)
            found = flexmbd.run(self.model.load(), dict(samples), **arguments, patience=self.patience)
        return self.outcomes(found)

    def outcomes(self, found: Any, begin: float = 0.0, states: list[Any] | None = None) -> Outcomes:
        """What flexmbd found, in the words of studies; times are counted from `begin`."""
        status, message = np.array(found.status, np.int8), list(found.message)
        outputs = outputs_of(self.names, self.model.sections, found, status, message, begin)
        outputs |= {name: found.outputs[name] - begin * read_name(name).is_place for name in plain_names(self.names, self.model.sections)}
        return Outcomes({name: outputs[name] for name in self.names}, status, message, self.metadata(found.attributes), states)

    def sections(self, samples: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """The argument of flexmbd that says which sections there are; none where there are none."""
        asked = sections_of(self.model.sections, self.names, samples)
        return {"sections": asked} if asked else {}

    def with_step(self, step: float) -> LanesSimulator:
        """The same with another step, and as many of them as the shorter ones take; see `uqmbd.simulators.base.Stepping`."""
        import flexmbd

        most = self.settings.get("max_steps", flexmbd.Settings().max_steps)
        more = max(1.0, self.settings.get("step", step) / step)
        return replace(self, settings={**self.settings, "step": step, "max_steps": int(more * most)})

    def motion(
        self, samples: Mapping[str, np.ndarray], labels: Sequence[str], still: tuple[int, float], patience: float | None = None
    ) -> Moved:
        """The motion of these runs as a scene; see `uqmbd.simulators.base.Moving`."""
        from uqmbd.simulators.moving import moved

        return moved(self, samples, labels, still, patience)

    def page(self, samples: Mapping[str, np.ndarray], path: Path, title: str) -> Path:
        """A page of its own on which these runs move; see `uqmbd.simulators.base.Moving`."""
        from uqmbd.simulators.moving import shown

        return shown(self, samples, path, title)

    def metadata(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """What the solver said of itself, in the words of `Outcomes`."""
        words = {"solver.fixed_step": STEP, "solver.order": ORDER, "outputs.nonnegative": NONNEGATIVE, "outputs.at_most_one": AT_MOST_ONE}
        words |= {f"{name}.percussion": DOUBT + name for name in self.names}
        found = {"simulator": "flexmbd lanes", **{words.get(key, key): value for key, value in attributes.items()}}
        for key in attributes:
            name, _, what = key.rpartition(".")
            if what in DOUBTED:
                found[WARNING + key] = DOUBTED[what].format(name)
            if name in self.model.sections:
                del found[key]  # with the figures of this batch
        return found

    def arguments(self) -> dict[str, Any]:
        """What all calls into flexmbd share, but for `sections`."""
        names = plain_names(self.names, self.model.sections)
        found = {"end": float(self.time[-1]), "points": len(self.time), "outputs": names, "settings": dict(self.settings)}
        equal = np.array_equal(self.time, np.linspace(0.0, found["end"], found["points"]))
        return {**found, "times": None if equal else self.time}


def prepare(simulator: LanesSimulator, samples: Mapping[str, np.ndarray]) -> None:
    """Build and compile."""
    import flexmbd

    arguments = simulator.arguments() | simulator.sections(samples)
    flexmbd.prepare(simulator.model.load(), dict(samples), **{key: arguments[key] for key in PREPARED if key in arguments})
