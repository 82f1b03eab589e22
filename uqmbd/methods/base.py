"""What a method is: frozen settings that start a run, which asks for samples and is told outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.inputs.checked import Checked
from uqmbd.methods.held import Held
from uqmbd.methods.names import METHODS
from uqmbd.outcomes import STATUS, OutputInfo
from uqmbd.request import Sampler

MOST_FALLBACK = 2000
BINDINGS = {"dependence": "random inputs that depend on each other", "sets": "intervals that are bound by a convex set"}


MethodRun = Sampler  # one use of a method


class Method(Checked):
    """Settings of a method, frozen; the keys are those of a study file's ``[method]``.

    A method is one file with one subclass, plus its line in `uqmbd.methods.names`.

    Attributes
    ----------
    name : str
        ``type`` in study files.
    accepts : frozenset of str
        Kinds of input it can treat.
    treats : frozenset of str
        What it can treat besides independent inputs: ``dependence`` (of random inputs), ``sets`` (convex, over intervals), ``sampled``
        (inputs without quantiles), ``joint`` (those bound by another joint distribution).
    worker_modules : tuple of str
        What workers need for its `reduce`; they import it as they start.
    leaves_in_runs : bool
        Whether outputs that it does not treat, fields and events, may stand beside those that it treats: the runs have them.
    takes_missing : bool
        Whether it treats outputs that ok runs may lack (`OutputInfo.may_miss`): it is told NaN where they are missing.
    groups : tuple of GroupSpec
        Groups that its results may have: those of `uqmbd.groups`, and its own, which `Result(specs=...)` is told.
    figures, tables : tuple of functions
        Of a result: what its report shows besides, as functions of ``[report] figures`` do; module-level functions.
    run : type
        Class of its run, which takes the settings and what `start` is given.
    max_failed : float
        Share of failed runs with which the method goes on; above it, it stops and says where runs fail.
    """

    name: ClassVar[str]
    accepts: ClassVar[frozenset[str]]
    treats: ClassVar[frozenset[str]] = frozenset()
    worker_modules: ClassVar[tuple[str, ...]] = ()
    leaves_in_runs: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = False
    groups: ClassVar[tuple[GroupSpec, ...]] = ()
    figures: ClassVar[tuple[Callable[..., Any], ...]] = ()
    tables: ClassVar[tuple[Callable[..., Any], ...]] = ()
    run: ClassVar[type]

    max_failed: float = Field(default=0.05, ge=0, le=1)

    def start(self, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        """A run of this method; raises `StudyError` when it cannot treat the inputs.

        Parameters
        ----------
        inputs : Space, or dict of str to Input
            Converted to SI here if they are not yet.
        outputs : dict of str to OutputInfo
        time : ndarray, shape (points,)
            Time grid of the histories, s.
        seed : int
        """
        space = Space.of(inputs).to_si()
        self.check(space.uncertain)
        own = {dim for spec in self.groups for dim in spec.dims}
        for name, info in outputs.items():
            if info.axis is not None and info.axis.name in own:
                text = f"'{name}' is over {info.axis.name}, which the method {self.name} has as a dimension of its own groups"
                raise StudyError(text, key="outputs.include", value=name, remedy="name the axis in the model otherwise")
        run = self._start(space.uncertain, dict(outputs), np.asarray(time, float), int(seed))
        return Held(run, {name: item.value for name, item in space.fixed.items()}) if space.fixed else run

    @property
    def goes_on(self) -> bool:
        """Whether runs go on from the ends of others, which a model has to be able to."""
        return False

    def treated(self, outputs: Mapping[str, OutputInfo]) -> dict[str, OutputInfo]:
        """The outputs that this method is told of.

        Raises
        ------
        StudyError
            For those that the runs alone have, where it does not leave them, and for those that runs may lack, where it does not take them.
        """
        missing = [name for name, info in outputs.items() if info.may_miss]
        if missing and not self.takes_missing:
            fault = f"the method {self.name} needs '{missing[0]}' of every run, and the model says that it may be missing"
            remedy = f"use one of: {', '.join(able_to('takes_missing'))}; or have the model return a number where there is none"
            raise StudyError(fault, key="outputs.include", value=missing[0], remedy=remedy)
        whole = [name for name, info in outputs.items() if info.in_runs_alone]
        if whole and not self.leaves_in_runs:
            fault = f"the method {self.name} cannot treat '{whole[0]}', which is {outputs[whole[0]].noun}"
            able = ", ".join(able_to("leaves_in_runs"))
            remedy = f"reduce it to a number ({whole[0]}:max, say), or use one of: {able}, which keep it with the runs"
            raise StudyError(fault, key="outputs.include", value=whole[0], remedy=remedy)
        if whole and len(whole) == len(outputs):
            remedy = f"ask for a number too, {whole[0]}:count, say"
            raise StudyError("all outputs are in the runs alone", key="outputs.include", value=whole, remedy=remedy)
        return {name: info for name, info in outputs.items() if not info.in_runs_alone}

    def wanted_times(self, end: float) -> np.ndarray:
        """Times at which it needs histories, besides those of the study's grid, which is from 0 to `end`, (any number,) [s]."""
        return np.empty(0)

    def check(self, inputs: Mapping[str, Input]) -> None:
        """Raise `StudyError` when this method cannot treat these inputs, before anything is run."""
        if not inputs:
            remedy = "give one an interval or a distribution"
            raise StudyError("a study needs at least one input that is not held fixed", key="inputs", remedy=remedy)
        for name, item in inputs.items():
            if item.kind not in self.accepts:
                able = names_of("accepts", item.kind)
                others = f"methods that can: {', '.join(able)}" if able else "no method can yet"
                text = f"the method {self.name} cannot treat the input '{name}' of kind {item.kind}; {others}"
                remedy = f"choose another method, or give the input as {' or '.join(sorted(self.accepts))}"
                raise StudyError(text, key=f"inputs.{name}", remedy=remedy)
        space = Space.of(inputs)
        for word in {"sampled", "joint"} - self.treats:
            for name, why in getattr(space, word).items():
                raise StudyError(
                    f"the method {self.name} needs quantiles of the input '{name}', and {why}",
                    key=f"inputs.{name}",
                    remedy=f"make its parts inputs of their own, and put them together in the model; or use one of: "
                    f"{', '.join(names_of('treats', word))}",
                )
        for what, words in BINDINGS.items():
            if getattr(space, what) and what not in self.treats:
                able = names_of("treats", what)
                remedy = f"remove [{what}], or use one of: {', '.join(able)}" if able else f"remove [{what}]"
                raise StudyError(f"the method {self.name} cannot treat {words}", key=what, remedy=remedy)

    def reduce_key(self) -> dict[str, Any] | None:
        """The settings that the run's `reduce` reads; partials made with equal ones are of use to each other.

        None for a method that needs the outcomes of all runs themselves: a campaign then has to keep the histories.
        """
        return None

    def controls(self) -> Mapping[str, float]:
        """What its runs are given by name besides their inputs, with a value of each: that the model takes it is checked first."""
        return {}

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        """Number of runs that will be asked for: at least, at most."""
        raise NotImplementedError

    def design_in_words(self, inputs: Mapping[str, Input]) -> str:
        """What `uqmbd check` says of the points at which the runs are; empty where their number says it."""
        return ""

    def fallback_most(self, inputs: Mapping[str, Input]) -> int:
        """How many of the largest number of `planned_runs` are asked for only where the result is not trusted."""
        return 0

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        """The run, which gets these settings and what `start` was given, in SI units."""
        return self.run(self, inputs, outputs, time, seed)


def able_to(fact: str) -> list[str]:
    """Names of our methods of which a `fact` holds (``leaves_in_runs``, ``takes_missing``)."""
    return [name for name, method in METHODS.items() if getattr(method, fact)]


def names_of(fact: str, what: str) -> list[str]:
    """Names of our methods whose `fact` (``accepts``, ``treats``) holds something; of some of their approaches, where not of all."""
    whole = {name for name, method in METHODS.items() if what in getattr(method, fact)}
    some = [
        f'{name} (approach = "{approach}")'
        for name, method in METHODS.items()
        if name not in whole
        for approach, kind in getattr(method, "approaches", {}).items()
        if what in getattr(kind, fact)
    ]
    return sorted([*whole, *some])


def require_inputs(names: Iterable[str], inputs: Mapping[str, Input], what: str, key: str) -> None:
    """Raise `StudyError` unless all `names` that a setting gives something to, `what`, are inputs; `key` is that of the setting."""
    for name in names:
        if name not in inputs:
            remedy = did_you_mean(name, inputs, noun="input")
            raise StudyError(f"there is no input '{name}' to have {what}", key=f"{key}.{name}", remedy=remedy)


def fallback_count(asked: int | None, planned: int) -> int:
    """Number of fallback runs: those that the user asked for, otherwise as many as were planned, 2000 at most.

    A method does not know what a run costs, so what nobody asked for never more than doubles a study.
    """
    return min(MOST_FALLBACK, planned) if asked is None else asked


def count_failures(status: np.ndarray) -> dict[str, int | float]:
    """Attributes that report failed runs: numbers of ok and failed runs, share, and the number of each status that occurred."""
    failed = int(np.count_nonzero(status))
    counts: dict[str, int | float] = {"runs": len(status), "runs_ok": len(status) - failed, "runs_failed": failed}
    counts["failed_share"] = failed / len(status) if len(status) else 0.0
    each = {word: int(np.count_nonzero(status == code)) for code, word in enumerate(STATUS) if code}
    return counts | {f"runs_{word}": number for word, number in each.items() if number}
