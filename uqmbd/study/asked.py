"""The run of a method from outside: what it asks for is seen through, and what it raises is named as its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.plugins import blaming, nonsense
from uqmbd.request import Request, Sampler, sampler
from uqmbd.result import Result
from uqmbd.study.data import StudyData

NEEDED = ("ask", "tell", "result")
OUTSIDE = 1e-9  # of an input's width: a point that is farther outside is no rounding


class OutsideRun(Sampler):
    """As `uqmbd.request.Sampler`; what else the run has is handed on."""

    def __init__(self, run: Any, study: StudyData) -> None:
        self.kind = type(study.method)
        self.inputs = study.inputs.to_si()
        absent = [name for name in NEEDED if not callable(getattr(run, name, None))]
        if absent:
            raise self.wrong(f"starts {type(run).__name__}, which has no {' and no '.join(absent)}", "see uqmbd.request.Sampler")
        self.run = sampler(run)
        self.names_outputs, self.reduce = self.run.names_outputs, self.run.reduce  # which is sent to workers
        for name in ("watch", "tell", "tell_reduced", "arranged", "suffices", "hear"):
            setattr(self, name, partial(self.blamed, getattr(self.run, name)))

    def blamed(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What it returns; what it raises is named as the method's."""
        with blaming(self.kind, "method", "method"):
            return function(*arguments)

    def wrong(self, text: str, remedy: str) -> StudyError:
        """The error for an answer."""
        return nonsense(self.kind, "method", "method", text, remedy)

    def ask(self) -> Request | dict[str, np.ndarray] | None:
        """The next runs: a column for each input, all of one length, of numbers in its range."""
        answer = self.blamed(self.run.ask)
        if answer is None:
            return None
        asked = answer.samples if isinstance(answer, Request) else answer
        remedy = "let `ask` return an array (n,) for each input, in SI, or None at the end"
        if not isinstance(asked, Mapping) or set(asked) != set(self.inputs):
            what = f"the inputs {', '.join(map(str, asked))}" if isinstance(asked, Mapping) else type(asked).__name__
            raise self.wrong(f"asks for {what or 'no inputs'}, where the study has {', '.join(self.inputs)}", remedy)
        samples = self.checked({name: self.column(name, asked[name], remedy) for name in self.inputs}, remedy)
        return replace(answer, samples=samples) if isinstance(answer, Request) else samples

    def column(self, name: str, values: Any, remedy: str) -> np.ndarray:
        """The samples of an input as an array of numbers."""
        try:
            array = np.asarray(values)
        except ValueError:
            raise self.wrong(f"asks for '{name}' in rows of different lengths", remedy) from None
        if array.dtype.kind not in "fiu" or array.ndim != 1:
            raise self.wrong(f"asks for '{name}' as {array.dtype.name} of shape {array.shape}", remedy)
        return array.astype(np.float64)

    def checked(self, asked: dict[str, np.ndarray], remedy: str) -> dict[str, np.ndarray]:
        """The same, when all columns have one length and all numbers are finite and in their range."""
        lengths = {name: len(values) for name, values in asked.items()}
        if len(set(lengths.values())) > 1 or not all(lengths.values()):
            said = ", ".join(f"{number} of '{name}'" for name, number in lengths.items())
            raise self.wrong(f"asks for {said}", remedy)
        for name, values in asked.items():
            lower, upper = (float(end) for end in self.inputs[name].ppf(np.array([0.0, 1.0])))
            room = OUTSIDE * (upper - lower) if np.isfinite(upper - lower) else 0.0
            bad = np.flatnonzero(~np.isfinite(values) | (values < lower - room) | (values > upper + room))
            if len(bad):
                text = f"asks for {name} = {values[bad[0]]:g}, which is not in its range from {lower:g} to {upper:g} (SI)"
                raise self.wrong(text, "let `ask` stay within the inputs")
        return asked

    def result(self) -> Any:
        """The result."""
        return self.checked_result(self.blamed(self.run.result))

    def so_far(self) -> Any:
        """That of a part of the runs, or None."""
        found = self.blamed(self.run.so_far)
        return None if found is None else self.checked_result(found)

    def checked_result(self, result: Any) -> Any:
        """A result of the kind that it has to be."""
        if not isinstance(result, Result):
            raise self.wrong(f"has {type(result).__name__} as its result", "let `result` return a uqmbd.result.Result")
        return result
