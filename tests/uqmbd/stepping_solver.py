"""A simulator for tests: fixed steps in time whose error is known, motions that diverge, outputs that are not what they are called."""

import numpy as np

from uqmbd.outcomes import DIVERGED, DOUBT, OK, ORDER, STEP, TIME, Outcomes, OutputInfo

from .method_gallery import SMOOTH


class Solver:
    """`SMOOTH` of the gallery, each value off by ``slope * step**order`` times that of the second input.

    Settings: ``diverges`` (share of the runs, here and there, or ``[lower, upper]`` of the first input), ``step``, ``order``, ``slope``,
    ``rough`` (outputs that change by as much with every step), ``doubt`` (outputs not to be relied on), ``breaks_below`` (step below which
    every run fails).
    """

    width = 8

    def __init__(self, model, outputs, time, settings, timeout):
        self.outputs, self.time, self.settings = outputs, time, dict(settings)
        self.step = self.settings.get("step", 0.0)

    def check(self, samples):
        return {name: OutputInfo("m", TIME if name == "h" else None) for name in self.outputs}

    def with_step(self, step):
        return Solver(None, self.outputs, self.time, self.settings | {"step": step}, None)

    def simulate(self, samples):
        known, (a, b) = self.settings, list(samples.values())[:2]
        values = SMOOTH(self.time, **samples)
        off = known.get("slope", 0.0) * self.step ** known.get("order", 1) * b
        outputs = {name: values[name] + (off[:, None] if name == "h" else off) for name in self.outputs}
        for name in known.get("rough", ()):
            outputs[name] = values[name] + np.cos(np.pi * np.log2(self.step))
        status, where = np.full(len(a), OK, np.int8), known.get("diverges", 0.0)
        lost = np.modf(4321.0987 * (a + b))[0] < where if np.ndim(where) == 0 else (a > where[0]) & (a < where[1])
        status[lost | (self.step < known.get("breaks_below", 0.0))] = DIVERGED
        for x in outputs.values():
            x[status != OK] = np.nan
        message = ["" if code == OK else "the energy balance is open by 3 J at 0.2 s" for code in status]
        said = {STEP: self.step, ORDER: known.get("order", 1)} if self.step else {}
        return Outcomes(outputs, status, message, said | {DOUBT + name: "it is none" for name in known.get("doubt", ())})
