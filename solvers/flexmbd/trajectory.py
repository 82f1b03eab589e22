"""`Trajectory`: what a batch of runs gave."""

from dataclasses import dataclass, field

OK, DIVERGED, TIMEOUT, ERROR = range(4)


@dataclass(frozen=True)
class Trajectory:
    """Outputs of n runs.

    Attributes
    ----------
    time : ndarray (points,)
    outputs : dict name -> ndarray (n, points) or (n,)
        NaN where a run failed: histories from the failure on.
    units : dict name -> str
    status : ndarray (n,) int8
        0 ok, 1 diverged, 2 timeout, 3 error.
    message : list of str
        A sentence for each failed run, else "".
    attributes : dict
        What was used: laws and their numbers, integrator, tolerances.
    statistics : dict name -> ndarray (n,)
        steps, rejected, events.
    """

    time: object
    outputs: dict
    units: dict
    status: object
    message: list
    attributes: dict
    statistics: dict = field(default_factory=dict)
