"""A run of a method in a study some of whose inputs are held fixed: the method never hears of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from uqmbd.request import Request, Sampler, sampler, samples_of

Samples = Mapping[str, np.ndarray]


class Held(Sampler):
    """A method's run over the uncertain inputs; its samples get the fixed ones (`values`, SI) on their way out."""

    def __init__(self, run: Any, values: Mapping[str, float]) -> None:
        self._run, self._values = sampler(run), dict(values)
        run = self._run
        self.names_outputs, self.hear = run.names_outputs, run.hear
        self.tell_reduced, self.arranged, self.suffices = run.tell_reduced, run.arranged, run.suffices
        if run.reduce is not None:
            self.reduce = partial(without, run.reduce, tuple(self._values))

    def __getattr__(self, name: str) -> Any:
        """What else the run has: what it has not, this has not."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._run, name)

    def ask(self) -> Request | dict[str, np.ndarray] | None:
        asked = self._run.ask()
        if asked is None:
            return None
        samples = asked.samples if isinstance(asked, Request) else asked
        count = len(next(iter(samples.values())))
        samples = dict(samples) | {name: np.full(count, value) for name, value in self._values.items()}
        return replace(asked, samples=samples) if isinstance(asked, Request) else samples

    def tell(self, samples: Samples, outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        without(self._run.tell, tuple(self._values), samples, outputs, status)

    def result(self) -> Any:
        return self._run.result()


def without(function: Callable[..., Any], names: tuple[str, ...], samples: Samples, *more: Any) -> Any:
    """A function of samples, without some of the inputs."""
    return function(samples_of(samples).without(names), *more)
