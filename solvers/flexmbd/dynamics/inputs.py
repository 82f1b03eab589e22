"""A model function's inputs: systems of many values of them, and how they change the systems' numbers."""

import inspect

import numpy as np

from flexmbd.analysis.varied_parameters import inputs_of
from flexmbd.errors import ModelError
from flexmbd.parameters import Matrix
from flexmbd.suggest import unknown
from flexmbd.system import System

STEP = 1e-3  # of the differences, relative: the error is of the order of its fourth power


class Inputs:
    """What a mechanism is made by, and the time between its sections.

    Parameters
    ----------
    build : System or callable
    every : float or callable
        Time in s; of a callable its arguments are inputs by name. None where nothing depends on time.
    fixed : mapping
        Inputs that keep these values.
    level : float or callable
        That an output passes; of a callable its arguments are inputs by name.
    """

    def __init__(self, build, every, fixed, level=0.0):
        self._build, self._every, self._fixed, self._level = build, every, dict(fixed or {}), level
        self.values = {} if isinstance(build, System) else inputs_of(build, self._fixed)

    def given(self, parameters, by, count):
        """Arrays (n,) by name, of those given and of those that there are derivatives by."""
        for name in (*parameters, *by):
            if name not in self.values:
                raise unknown("input", name, self.values)
        known = {name: parameters.get(name, self.values[name]) for name in dict.fromkeys((*parameters, *by))}
        return {name: np.broadcast_to(np.asarray(x, float), count).copy() for name, x in known.items()}

    def system(self, given):
        """The `System` of inputs."""
        system = self._build if isinstance(self._build, System) else self._build(**(self._fixed | given))
        if not isinstance(system, System):
            raise ModelError(f"the model is {type(system).__name__}; it must be a flexmbd.System, or a function that returns one")
        if not system.bodies:
            raise ModelError("the system has no body", remedy="add one with System.body")
        return system

    def slopes(self, paths, given, by, count):
        """Derivatives of the numbers at `paths` by inputs (n, paths, inputs): differences of the model function, of fourth order."""
        return self._differences(given, by, lambda x: self._numbers(paths, x, count), (count, len(paths)))

    def _numbers(self, paths, given, count):
        known = self.system(given).parameters()
        for path, x in known.items():
            if isinstance(x, Matrix) and x.ndim:
                raise ModelError(f"an input changes the table '{path}', by which there is no derivative", remedy="let it scale the table")
        return np.array([np.broadcast_to(known[path], count) for path in paths]).reshape(len(paths), count).T

    def spans(self, given, count):
        """Times between sections, or periods of what depends on time, (n,); NaN where nothing does."""
        if self._every is None:
            return np.full(count, np.nan)
        found = self._of(self._every, given, count)
        if not np.all(found > 0.0):
            raise ModelError(f"section_map: every is {float(found.min()):g} s; it must be positive")
        return found

    def span_slopes(self, given, by, count):
        """Their derivatives by inputs (n, inputs)."""
        return self._differences(given, by if callable(self._every) else by[:0], lambda x: self.spans(x, count), (count,), len(by))

    def levels(self, given, count):
        """Levels of the section (n,)."""
        found = self._of(self._level, given, count)
        if not np.isfinite(found).all():
            raise ModelError("section_map: level is no finite number for some inputs")
        return found

    def level_slopes(self, given, by, count):
        """Their derivatives by inputs (n, inputs)."""
        return self._differences(given, by if callable(self._level) else by[:0], lambda x: self.levels(x, count), (count,), len(by))

    def _of(self, said, given, count):
        """Numbers (n,) that are said as one, or as a function of inputs."""
        if callable(said):
            known = self.values | given
            names = list(inspect.signature(said).parameters)
            for name in names:
                if name not in known:
                    raise unknown("input", name, known)
            said = said(*(known[name] for name in names))
        return np.broadcast_to(np.asarray(said, float), count)

    @staticmethod
    def _differences(given, by, function, shape, columns=None):
        found = np.zeros((*shape, len(by) if columns is None else columns))
        for j, name in enumerate(by):
            value = given[name]
            step = STEP * np.where(value != 0.0, np.abs(value), 1.0)
            at = {k: function(given | {name: value + k * step}) for k in (-2, -1, 1, 2)}
            whole = 12.0 * step.reshape(-1, *(1,) * (len(shape) - 1))
            found[..., j] = (8.0 * (at[1] - at[-1]) - (at[2] - at[-2])) / whole
        return found
