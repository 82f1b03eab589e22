"""A run of a method in a study some of whose inputs are held fixed: the method never hears of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from uqmbd.result import Result

Samples = Mapping[str, np.ndarray]


class Held:
    """A method's run, whose samples get the fixed inputs on their way out and lose them on their way in.

    Parameters
    ----------
    run : MethodRun
        Over the uncertain inputs.
    values : dict of str to float
        Of the fixed inputs, SI.
    """

    def __init__(self, run: Any, values: Mapping[str, float]) -> None:
        self._run, self._values = run, dict(values)

    def __getattr__(self, name: str) -> Any:
        """What else the run has: what it has not, this has not."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._run, name)
        return partial(without, found, tuple(self._values)) if name == "reduce" else found

    def ask(self) -> dict[str, np.ndarray] | None:
        """The run's next samples, with the fixed inputs."""
        samples = self._run.ask()
        if samples is None:
            return None
        count = len(next(iter(samples.values())))
        return dict(samples) | {name: np.full(count, value) for name, value in self._values.items()}

    def tell(self, samples: Samples, outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        """Outcomes in run order."""
        without(self._run.tell, tuple(self._values), samples, outputs, status)

    def result(self) -> Result:
        """The run's result, which says nothing of the fixed inputs."""
        return self._run.result()


def without(function: Callable[..., Any], names: tuple[str, ...], samples: Samples, *more: Any) -> Any:
    """A function of samples, without some of the inputs."""
    return function({name: values for name, values in samples.items() if name not in names}, *more)
