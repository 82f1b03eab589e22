"""What a result says of itself, typed: which study and method, inputs with their units, numbers of runs, notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

CUT = "cut"  # attribute of a result, see `method_facts.ReportFacts`
WARNINGS = "warnings"  # the same
EARLIER = {  # what methods of version 0.1.0 did not say of themselves; a method of now says it in the attributes of its result
    "sensitivity": {"about": "indices"},
    "reliability": {"about": "limit"},
    "montecarlo": {"sampling": "random"},
    "grid": {"sampling": "chosen"},
    "list": {"sampling": "chosen"},
    "search": {"by_search": True},
    "calibrate": {"about": "estimates"},
    "convex": {"spread": "spread evenly over the set"},
    "fuzzy": {"spread": "in the boxes of the levels, most where the membership is high"},
}


class FailureNote(str):
    """The note of a result that says how many runs failed, and what became of them; who shows it adds where they are."""


@dataclass(frozen=True)
class InputFacts:
    """One input, or what binds several, as the user wrote it: ``SI = factor * written + offset``."""

    kind: str  # random, interval, fuzzy, fixed ...; rank correlation, joint (...) and set (...) bind inputs
    text: str  # in the notation of study files
    unit: str | None = None  # None where nothing is known of it: of what binds inputs, and in results of an earlier version
    factor: float = 1.0
    offset: float = 0.0
    labels: Sequence[str] = ()  # of an input that chooses: its values by the numbers that runs have

    @classmethod
    def known(cls, entry: Mapping[str, Any]) -> InputFacts:
        """From what a result says of an input; a later version may say more, which is left out."""
        return cls(**{"kind": "", "text": "", **{key: value for key, value in entry.items() if key in cls.__dataclass_fields__}})

    def of(self, values: ArrayLike) -> Any:
        """SI values in the unit that was written."""
        return (np.asarray(values, float) - self.offset) / self.factor

    def said(self, value: float, digits: int) -> str:
        """One SI value in the unit that was written, or what it chooses."""
        if self.labels:
            place = round(float(value))
            return self.labels[place] if 0 <= place < len(self.labels) else str(place)
        return f"{float(self.of(value)):.{digits}g}"

    @property
    def binds(self) -> bool:
        """Whether it is no input, but binds some."""
        return self.kind == "rank correlation" or self.kind.startswith(("set (", "joint ("))


@dataclass(frozen=True)
class ControlCost:
    """What runs of one control cost."""

    control: Mapping[str, float]  # a level, a tolerance ... by name
    runs: int
    seconds: float  # wall time


@dataclass(frozen=True)
class Facts:
    """Facts that every result has, empty or None where they are not known; what a method says beyond them is in `Result.attrs`."""

    study: str = ""
    title: str = ""
    description: str = ""
    method: str = ""
    inputs: Mapping[str, InputFacts] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the method
    seed: int | None = None
    runs: int | None = None
    runs_ok: int | None = None
    runs_failed: int | None = None
    wall_time: float | None = None  # of all sessions, s
    model: str = ""
    simulator: Mapping[str, Any] = field(default_factory=dict)  # what it said of itself
    versions: Mapping[str, str] = field(default_factory=dict)  # of the packages
    notes: tuple[str, ...] = ()  # sentences that a reader has to know
    failures_note: str = ""  # the one of them that says how many runs failed; empty where none does
    about: str = "outputs"  # what the method answers first: outputs, indices or estimates of inputs, a limit that is passed, a diagram
    sampling: str = ""  # random: a sample of the inputs' distribution; chosen: values of a user's, from which nothing follows for others
    by_search: bool = False  # whether nothing but a search was asked for bounds
    spread: str = "spread evenly over the box"  # where the random runs lie whose statistics stand beside bounds
    costs: tuple[ControlCost, ...] = ()  # by control, where the method has set one

    @classmethod
    def of(cls, attrs: Mapping[str, Any]) -> Facts:
        """Those in the attributes of a result, also of one that an earlier version wrote, whose notes were one text."""
        known = {name: attrs[name] for name in cls.__dataclass_fields__ if attrs.get(name) is not None}
        known = earlier(attrs) | known
        known["inputs"] = {name: InputFacts.known(entry) for name, entry in attrs.get("inputs", {}).items()}
        known["costs"] = tuple(ControlCost(**entry) for entry in attrs.get("costs", ()))
        old = attrs.get("note")
        known["notes"] = tuple(attrs.get("notes", (old,) if old else ()))
        known.setdefault("failures_note", failures_in(known["notes"]))
        return cls(**known)

    @property
    def note(self) -> str:
        """All notes as one text."""
        return "; ".join(self.notes)


def earlier(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """What follows from the name of a method that does not say what it is about, and what its runs are."""
    method, settings = str(attrs.get("method", "")), attrs.get("settings") or {}
    counted = method == "reliability" and settings.get("approach") == "montecarlo"
    sampled = counted or (method == "pce" and attrs.get("design", "random") not in ("doptimal", "quadrature"))
    return EARLIER.get(method, {}) | ({"sampling": "random"} if sampled else {})


def failures_in(notes: Iterable[str]) -> str:
    """The note of failed runs among those that a method has just made."""
    return next((str(note) for note in notes if isinstance(note, FailureNote)), "")
