"""A campaign of a few lines for tests: drives a method on a plain vectorised function."""

from __future__ import annotations

import inspect

import numpy as np

from uqmbd.outcomes import TIME, Axis, OutputInfo
from uqmbd.request import Request, Samples


def over(value, time):
    """What an output (n,) or (n, points) is over: an axis of its own where it has not as many points as there are times."""
    if np.ndim(value) < 2:
        return None
    points = np.shape(value)[1]
    return TIME if points == len(time) else Axis("frequency", np.arange(1.0, points + 1), "Hz")


def told(asked):
    """What a method is told of the samples that it asked for."""
    return Samples(asked.samples, Request.of(asked).control) if isinstance(asked, Request) else Samples(asked, {})


def part_of(samples, at):
    """Some of the runs."""
    return Samples(*({name: values[at] for name, values in each.items()} for each in (samples, samples.control)))


def outcomes(model, time, samples):
    """What the model returns, which gets those controls that it has a parameter for."""
    takes = inspect.signature(model).parameters
    control = {name: values for name, values in samples.control.items() if name in takes}
    return {name: np.array(value, float) for name, value in model(time, **samples, **control).items()}


def drive(method, inputs, model, *, time=(0.0,), seed=1, batch=1000, fail=None, reduced=False):
    """Run `method` on ``model(time, **samples) -> {name: (n,) or (n, points)}``; returns (result, number of runs).

    `fail(samples) -> (n,) bool` says which runs fail; `reduced` tells what `reduce` returned instead of the outputs.
    """
    time = np.asarray(time, float)
    some = {name: item.to_si().ppf(np.array([0.5])) for name, item in inputs.items()}
    outputs = {name: OutputInfo("m", over(value, time)) for name, value in model(time, **some).items()}
    run = method.start(inputs, outputs, time, seed)
    count = 0
    while (asked := run.ask()) is not None:
        samples = told(asked)
        n = len(next(iter(samples.values())))
        for i in range(0, n, batch):
            part = part_of(samples, slice(i, i + batch))
            values = outcomes(model, time, part)
            size = len(next(iter(part.values())))
            status = np.zeros(size, np.int8) if fail is None else np.where(fail(part), 1, 0).astype(np.int8)
            for value in values.values():
                value[status != 0] = np.nan
            if reduced:
                run.tell_reduced(run.reduce(part, values, status))
            else:
                run.tell(part, values, status)
        count += n
    return run.result(), count
