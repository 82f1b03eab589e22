"""Outputs that a study derives from those of its model, by formulas: a simulator around the model's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import DOUBT, ERROR, NONNEGATIVE, OK, Outcomes, OutputInfo
from uqmbd.simulators import formula
from uqmbd.simulators.base import Moved
from uqmbd.simulators.curve import alike
from uqmbd.simulators.formula import FormulaError, Term
from uqmbd.simulators.windows import NotTurned, check_reduction, read_name, reduced

KEY = "outputs.derived"
NO_NAME = frozenset(":@*?/\\\"'")


@dataclass(frozen=True)
class Derived:
    """Formulas by the names of the outputs that they make.

    Attributes
    ----------
    formulas : tuple of (str, str)
    units : tuple of (str, str)
        Units that the study gives outputs of the model for which this has none.
    """

    formulas: tuple[tuple[str, str], ...] = ()
    units: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, formulas: Mapping[str, str], units: Mapping[str, str]) -> Derived:
        """Read formulas.

        Raises
        ------
        StudyError
            For one that cannot be read, and for outputs that are derived from themselves.
        """
        found = cls(tuple(formulas.items()), tuple(units.items()))
        for name, text in found.formulas:
            if not isinstance(text, str):
                raise StudyError("expected a formula as text", key=f"{KEY}.{name}", value=text, remedy='write it as "hypot(tip.x, tip.y)"')
            if not name.strip() or not name.isprintable() or NO_NAME.intersection(name) or name[0] in ".0123456789":
                remedy = f"leave {' '.join(sorted(NO_NAME))} out of it, and begin it with a letter"
                raise StudyError("a derived output cannot have this name", key=f"{KEY}.{name}", value=text, remedy=remedy)
            with saying(name, text):
                formula.read(text)
        for name, text in found.formulas:
            if name in (below := found.below(name)):
                way = [each for each in dict.fromkeys(read_name(each).base for each in below) if each != name and name in found.below(each)]
                fault = f"'{name}' is derived from itself" + (f", by way of {', '.join(way)}" if way else "")
                raise StudyError(fault, key=f"{KEY}.{name}", value=text, remedy="derive it from outputs of the model or other derived ones")
        return found

    def refuse_hidden(self, known: Any) -> None:
        """`StudyError` for one with the name of an output of the model, which it would hide; `known`: what the model returned, by name."""
        for name, text in self.formulas if isinstance(known, Mapping) else ():
            if name in known:
                fault = f"the model has an output '{name}' of its own, which the formula would hide"
                raise StudyError(fault, key=f"{KEY}.{name}", value=text, remedy=f"call the derived one otherwise, {name}_derived say")

    def term(self, name: str) -> Term | None:
        """The formula of an output; None for one of the model."""
        text = dict(self.formulas).get(name)
        return None if text is None else formula.read(text)

    def next(self, name: str) -> list[str]:
        """What an output, as a study names it, is made of: parts of its formula, and what is reduced in it; of the model's own nothing."""
        parts = read_name(name)
        if (term := self.term(parts.base)) is None:
            return []
        return [parts.base, *([parts.angle] if parts.angle else [])] if parts.how else term.outputs

    def below(self, name: str) -> list[str]:
        """All that an output is made of, each once."""
        found: dict[str, None] = {}
        rest = self.next(name)
        while rest:
            if (each := rest.pop()) not in found:
                found[each] = None
                rest += self.next(each)
        return list(found)

    def definitions(self, names: Iterable[str]) -> dict[str, str]:
        """The formulas that some outputs need."""
        needed = {read_name(each).base for name in names for each in (name, *self.below(name))}
        return {name: text for name, text in self.formulas if name in needed}

    def parts(self, names: Iterable[str]) -> list[str]:
        """Outputs of the model that some outputs need, each once."""
        every = dict.fromkeys(each for name in names for each in (name, *self.below(name)))
        return [name for name in every if self.term(read_name(name).base) is None]

    def infos(self, names: Iterable[str], known: Mapping[str, OutputInfo], time: np.ndarray | None) -> dict[str, OutputInfo]:
        """What outputs are, from what those of the model are."""
        given, found = dict(self.units), {}
        for name, own in known.items():
            unit = own.unit or given.get(name, "" if read_name(name).is_place else given.get(read_name(name).base, ""))
            found[name] = replace(own, unit=unit)

        def info(name: str) -> OutputInfo:
            if name not in found:
                found[name] = self.reduced_info(name, info, time) if read_name(name).how else self.formula_info(name, info)
            return found[name]

        return {name: known[name] if name in known else info(name) for name in names}

    def reduced_info(self, name: str, info: Any, time: np.ndarray | None) -> OutputInfo:
        """What a reduced output is, where `info` says it of others."""
        parts = read_name(name)
        of = info(parts.base)
        if of.axis is None:
            text, remedy = f"'{parts.base}' is a number, and cannot be reduced", f"write {parts.base}"
            raise StudyError(text, key="outputs.include", value=name, remedy=remedy)
        check_reduction(name, None if of.over_time else of.axis, time)
        return OutputInfo((of.axis if parts.is_place else of).unit, None, may_miss=of.may_miss)

    def formula_info(self, name: str, info: Any) -> OutputInfo:
        """What the output of a formula is, where `info` says it of others."""
        text = dict(self.formulas)[name]
        term = formula.read(text)
        parts = {part: info(part) for part in term.outputs}
        for part, each in parts.items():
            if each.in_runs_alone:
                fault, remedy = f"'{part}' is {each.kind}, and a formula has no place for it", f"reduce it to a number: {part}:max"
                raise StudyError(fault, key=f"{KEY}.{name}", value=text, remedy=remedy)
        over = {part: each.axis for part, each in parts.items() if each.axis is not None}
        first = next(iter(over), "")
        for part, axis in over.items():
            if not alike(axis, over[first]):
                fault, remedy = f"'{first}' is {parts[first].kind}, and '{part}' {parts[part].kind}", "reduce one of them to a number"
                raise StudyError(fault, key=f"{KEY}.{name}", value=text, remedy=remedy)
        with saying(name, text):
            unit = term.unit_from({part: each.unit for part, each in parts.items()})
        meaning = f"{name} = {' '.join(text.split())}"
        missing = any(each.may_miss for each in parts.values())
        return OutputInfo(unit, over.get(first), meaning, tuple(self.definitions([name]).items()), may_miss=missing)

    def values(
        self, names: Iterable[str], known: Mapping[str, np.ndarray], info: Mapping[str, OutputInfo], time: np.ndarray | None
    ) -> dict[str, np.ndarray]:
        """Outputs of runs, (runs,) or (runs, points), from those of the model; NaN where a formula has no value.

        Parameters
        ----------
        info : dict of str to OutputInfo
            Of these outputs, and of all that they are made of.
        """
        found = dict(known)
        runs = len(next(iter(known.values()))) if known else 0

        def values(name: str) -> np.ndarray:
            if name not in found:
                found[name] = reduced_values(name) if read_name(name).how else of_formula(name)
            return found[name]

        def reduced_values(name: str) -> np.ndarray:
            base = read_name(name).base
            axis = None if info[base].over_time else info[base].axis
            try:
                return reduced(name, values(base), axis, time, values)
            except NotTurned:
                return np.full(runs, np.nan)

        def of_formula(name: str) -> np.ndarray:
            term = formula.read(dict(self.formulas)[name])
            parts = {part: values(part) for part in term.outputs}
            wide = info[name].axis is not None
            shaped = {part: each[:, None] if wide and each.ndim == 1 else each for part, each in parts.items()}
            shape = (runs, *next((each.shape[1:] for each in parts.values() if each.ndim > 1), ()))
            with np.errstate(all="ignore"):
                return np.array(np.broadcast_to(term.values(shaped), shape), np.float64)

        return {name: values(name) for name in names}

    def nonnegative(self, name: str, known: set[str]) -> bool:
        """Whether an output cannot be negative; `known`: those of the model, with or without their reductions."""
        parts = read_name(name)
        if parts.is_place or parts.how in ("abs_max", "rms"):
            return not parts.is_place
        if (term := self.term(parts.base)) is None:
            return not known.isdisjoint((name, parts.base))
        return term.nonnegative(lambda part: self.nonnegative(part, known))


@contextmanager
def saying(name: str, text: str) -> Iterator[None]:
    """A `FormulaError` in the block as a `StudyError` that says which formula it is, and where in it the fault is."""
    try:
        yield
    except FormulaError as error:
        begin = text[error.at :].split()
        place = f"at character {error.at + 1}, '{' '.join(begin)[:24]}'" if begin else "at its end"
        raise StudyError(f"{error.text} ({place})", key=f"{KEY}.{name}", value=text, remedy=error.remedy) from None


@dataclass(frozen=True)
class DerivedSimulator:
    """A simulator that has derived outputs too. What else the model's own can do, this one can.

    Attributes
    ----------
    inner : Simulator
        The model's own, which gives what the formulas need.
    names : tuple of str
        Outputs of the study.
    derived : Derived
    info : dict of str to OutputInfo
        Of these, and of all that they are made of; empty until the simulator was checked.
    """

    inner: Any
    names: tuple[str, ...]
    derived: Derived
    info: dict[str, OutputInfo]

    @property
    def width(self) -> int:
        """Runs that are done side by side."""
        return self.inner.width

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """See `Simulator.check`."""
        with of_parts(self.derived, self.names):
            known = self.inner.check(samples)
        every = dict.fromkeys(each for name in self.names for each in (name, *self.derived.below(name)))
        self.info.update(self.derived.infos(every, known, self.time))
        return {name: self.info[name] for name in self.names}

    @property
    def time(self) -> np.ndarray | None:
        """Times of the histories [s]."""
        return getattr(self.inner, "time", None)

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """See `Simulator.simulate`; a run for which a formula has no finite value has failed."""
        return self.with_formulas(samples, self.inner.simulate(samples))

    def go_on(self, samples: Mapping[str, np.ndarray], states: list[Any]) -> Outcomes:
        """See `uqmbd.simulators.base.Continuing`."""
        return self.with_formulas(samples, self.inner.go_on(samples, states))

    def with_control(self, control: Mapping[str, float]) -> DerivedSimulator:
        """See `uqmbd.simulators.base.Controlled`."""
        return replace(self, inner=self.inner.with_control(control))

    def with_formulas(self, samples: Mapping[str, np.ndarray], done: Outcomes) -> Outcomes:
        """The model's own outcomes with those of the formulas."""
        if not self.info:
            self.check(samples)
        outputs = self.derived.values(self.names, done.outputs, self.info, self.time)
        status, message = np.array(done.status, np.int8), list(done.message)
        for name in [name for name in self.names if name not in done.outputs]:
            bad = ~np.isfinite(outputs[name]).reshape(len(status), -1).all(axis=1)
            for part in self.derived.parts([name]) if self.info[name].may_miss else ():
                bad &= ~np.isnan(done.outputs[part]).reshape(len(status), -1).any(axis=1)
            for i in np.flatnonzero(bad & (status == OK)).tolist():
                status[i], message[i] = ERROR, f"the derived output {name!r} is NaN or infinite: {self.why(name)}"
        return replace(done, outputs=outputs, status=status, message=message, attributes=self.attributes(done.attributes))

    def why(self, name: str) -> str:
        """The formula of an output, as a sentence on a failed run has it."""
        parts = read_name(name)
        if parts.angle:
            return f"'{parts.angle}' makes no whole turn, or a formula has no value"
        return f"its formula is {dict(self.derived.formulas)[parts.base]}"

    def attributes(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """What the simulator says of the model's outputs, of these outputs as well."""
        found = dict(said)
        known = {name for name in str(said.get(NONNEGATIVE, "")).split(", ") if name}
        if more := {
            base for name in self.names if self.derived.term(base := read_name(name).base) and self.derived.nonnegative(base, known)
        }:
            found[NONNEGATIVE] = ", ".join(sorted(known | more))
        for name in self.names:
            for part in self.derived.below(name):
                if DOUBT + part in said:
                    found.setdefault(DOUBT + name, f"it is derived from '{part}': {said[DOUBT + part]}")
        return found

    def with_step(self, step: float) -> DerivedSimulator:
        """See `uqmbd.simulators.base.Stepping`."""
        return replace(self, inner=self.inner.with_step(step))

    def motion(self, *how: Any, **more: Any) -> Moved:
        """See `uqmbd.simulators.base.Moving`."""
        moved = self.inner.motion(*how, **more)
        there = [name for name in self.names if all(part in moved.outputs for part in self.derived.parts([name]))]
        return replace(moved, outputs=self.derived.values(there, moved.outputs, self.info, moved.time))


@contextmanager
def of_parts(derived: Derived, names: Iterable[str]) -> Iterator[None]:
    """A `StudyError` in the block on an output that a formula asks for, and the study does not, names the formula."""
    try:
        yield
    except StudyError as error:
        if error.key != "outputs.include" or not isinstance(error.value, str) or error.value in names:
            raise
        for name, text in derived.definitions(read_name(name).base for name in names).items():
            if error.value in formula.read(text).outputs:
                fault = f"{error.message} (at character {max(text.find(error.value), 0) + 1})"
                raise StudyError(fault, key=f"{KEY}.{name}", value=text, remedy=error.remedy) from error.__cause__
        raise


def rebuilt(simulator: Any, **changes: Any) -> Any:
    """A simulator with other fields; of one with derived outputs those of the model's own."""
    changed = replace(own(simulator), **changes)
    return replace(simulator, inner=changed) if isinstance(simulator, DerivedSimulator) else changed


def own(simulator: Any) -> Any:
    """The model's own simulator."""
    return simulator.inner if isinstance(simulator, DerivedSimulator) else simulator
