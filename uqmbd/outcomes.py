"""What a batch of runs gave: outputs by name, and for each run a status and a sentence where it failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

STATUS = ("ok", "diverged", "timeout", "error")
OK, DIVERGED, TIMEOUT, ERROR = range(4)
MEND = "mend what their messages say, narrow the inputs to where the model works"  # the remedy for failed runs


@dataclass(frozen=True)
class OutputInfo:
    """What is known of an output before the campaign.

    Attributes
    ----------
    unit : str
        SI unit, ``""`` when the simulator does not say.
    history : bool
        True for a function of time, False for one number a run.
    """

    unit: str = ""
    history: bool = True


@dataclass(frozen=True)
class Outcomes:
    """What a batch of `n` runs gave.

    Attributes
    ----------
    outputs : dict of str to ndarray
        ``(n,)`` for a scalar, ``(n, points)`` for a history; float64, NaN where the run failed (a history may
        hold what was computed before).
    status : ndarray of int8, shape (n,)
        Index into `STATUS`.
    message : list of str
        One sentence a run, empty when ok.
    attributes : dict
        What was used (laws, integrator, tolerance ...), the same for all runs.
    states : object, optional
        Of runs that go on from states: where they are now, for a simulator of the same model to go on from.
    """

    outputs: dict[str, np.ndarray]
    status: np.ndarray
    message: list[str]
    attributes: dict[str, str | float] = field(default_factory=dict)
    states: Any = None


def sample_count(samples: Mapping[str, np.ndarray]) -> int:
    """Number of runs in a mapping of equally long sample arrays."""
    return len(next(iter(samples.values())))


def failed_outcomes(
    n: int, shapes: Mapping[str, tuple[int, ...]], status: int, message: str, attributes: Mapping[str, str | float] | None = None
) -> Outcomes:
    """`n` failed runs: NaN everywhere, one message for all. `shapes` holds the shape of one run's output."""
    return Outcomes(
        {name: np.full((n, *shape), np.nan) for name, shape in shapes.items()},
        np.full(n, status, np.int8),
        [message] * n,
        dict(attributes or {}),
    )


def concatenate(parts: list[Outcomes]) -> Outcomes:
    """Several batches as one."""
    if len(parts) == 1:
        return parts[0]
    return Outcomes(
        {name: np.concatenate([part.outputs[name] for part in parts]) for name in parts[0].outputs},
        np.concatenate([part.status for part in parts]),
        [message for part in parts for message in part.message],
        {key: value for part in parts for key, value in part.attributes.items()},
    )
