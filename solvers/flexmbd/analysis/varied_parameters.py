"""Numbers of a system by which it is differentiated: those of its elements and bodies by path, or inputs of a model function.

How a model function's inputs change the numbers of its system, and the guess of the start, is found by central differences of fourth
order of the function itself, which costs no equations; these are the only differences here.
"""

import inspect
from dataclasses import dataclass

import numpy as np

from flexmbd.analysis.refusals import refuse_coupled, refuse_unilateral
from flexmbd.errors import ModelError, check_number
from flexmbd.parameters import Matrix
from flexmbd.suggest import unknown
from flexmbd.system import System

STEP = 1e-3  # of the differences, relative: the error is of the order of its fourth power


@dataclass(frozen=True, eq=False)
class VariedParameters:
    """What is varied, and how it changes the numbers of the system.

    Attributes
    ----------
    names : list of str
    values : ndarray (k,)
    units : list of str
        "" where it is not known.
    slopes : dict of str to dict of int to float
        By path of a number: its derivatives by the parameters that change it.
    guess, speed : ndarray (n, k)
        Derivatives of the guess of coordinates and velocities at the start.
    """

    names: list
    values: np.ndarray
    units: list
    slopes: dict
    guess: np.ndarray
    speed: np.ndarray


def parameters_of(build, inputs, names, initial=System.initial):
    """System of a model, and its `Parameters`.

    Parameters
    ----------
    build : System or callable
    inputs : mapping name -> float, optional
        Of the callable.
    names : sequence of str
        Inputs of the callable, or paths of `System.parameters` such as ``"@spring.stiffness"`` and ``"rod.mass"``.
    initial : callable
        `Formulation.initial`.

    Raises
    ------
    ModelError
        If a name is not known or given twice, or an input changes what the system consists of.
    """
    names, inputs = list(names), dict(inputs or {})
    if len(set(names)) < len(names):
        raise ModelError(f"the parameters {names} name one twice")
    given = inputs_of(build, inputs) if callable(build) else {}
    system = build(**inputs) if callable(build) else build
    if not isinstance(system, System):
        raise ModelError(f"the model is {type(system).__name__}; it must be a flexmbd.System, or a function that returns one")
    if not system.bodies:
        raise ModelError("the system has no body", remedy="add one with System.body")
    known, slopes, columns, values = system.parameters(), {}, [], []
    q, v = (np.array(x, float) for x in initial(system))
    for j, name in enumerate(names):
        if name in given:
            numbers, *rates = _differences(build, inputs, name, given[name], system, initial)
            values.append(given[name])
        elif name in known and not isinstance(known[name], Matrix):
            numbers, rates = {name: 1.0}, (0.0 * q, 0.0 * v)
            values.append(known[name])
        else:
            raise unknown("parameter", name, [*given, *known])
        for path, slope in numbers.items():
            slopes.setdefault(path, {})[j] = slope
        columns.append(rates)
    units = [known.unit(name) if name not in given else None for name in names]
    units = ["" if unit in (None, "1") else unit for unit in units]
    guess, speed = (np.array([pair[k] for pair in columns]).reshape(len(names), len(q)).T for k in (0, 1))
    return system, VariedParameters(names, np.array(values, float), units, slopes, guess, speed)


def inputs_of(build, inputs):
    """Numbers of a model function's inputs, those of its signature where they are not given."""
    defaults = {key: x.default for key, x in inspect.signature(build).parameters.items() if x.default is not inspect.Parameter.empty}
    return {key: x for key, x in (defaults | inputs).items() if isinstance(x, (int, float, np.number)) and not isinstance(x, bool)}


def _differences(build, inputs, name, value, system, initial):
    """Derivatives of a system's numbers (by path), of its coordinates and of its velocities at the start by an input."""
    step, known = STEP * (abs(value) or 1.0), system.parameters()

    def at(k):
        other = build(**(inputs | {name: check_number("input", name, value) + k * step}))
        numbers = other.parameters()
        if other.topology_key() != system.topology_key() or numbers.keys() != known.keys():
            raise ModelError(f"input '{name}' changes what the system consists of; it has no derivative by it")
        for path, v in known.items():
            if isinstance(v, Matrix) and not np.array_equal(v.values, numbers[path].values):
                told = f"input '{name}' changes the table '{path}', by which there is no derivative"
                raise ModelError(told, remedy="let it scale the table")
        values = [0.0 if isinstance(v, Matrix) else numbers[path] for path, v in known.items()]
        return [np.array(x, float) for x in (values, *initial(other))]

    near, far = zip(at(1), at(-1), strict=True), zip(at(2), at(-2), strict=True)
    rates = [(8.0 * (a - b) - (c - d)) / (12.0 * step) for (a, b), (c, d) in zip(near, far, strict=True)]
    return {path: float(x) for path, x in zip(known, rates[0], strict=True) if x != 0.0}, *rates[1:]


def check_varied(equations, outputs):
    """Raise `ModelError` for what has no derivatives by parameters, and for outputs that there are not."""
    refuse_coupled(equations)
    refuse_unilateral(equations)
    for name in outputs:
        if name not in equations.outputs:
            raise unknown("output", name, equations.outputs)


def check_used(problem, table, varied):
    """Raise `ModelError` for a parameter on which nothing depends: neither a function of the table nor the guess of the start."""
    used = problem.graph.space("p").of(*(x for name in ("residual", "rows", "outputs") for x in table[name].nodes))
    for j, name in enumerate(varied.names):
        if j not in used and not np.any(varied.guess[:, j]) and not np.any(varied.speed[:, j]):
            raise ModelError(f"nothing depends on '{name}'", remedy="does an element leave it out because it is zero?")
