"""Compiled models that a process keeps."""

import gc
import logging
from contextlib import contextmanager

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.formulation.base import level_of
from flexmbd.integrators import INTEGRATORS
from flexmbd.parameters import of_sample, plain
from flexmbd.running.diagnosis import examine
from flexmbd.running.identity import identity
from flexmbd.running.model import Model
from flexmbd.space import lengths

MODELS = 8  # compiled models that a process keeps; those not used for longest are given back
_models = {}  # the last used last
log = logging.getLogger("flexmbd")


def model_of(system, outputs, settings):
    """The compiled `Model` of a system's topology (one per process, on disk for the next), with what failures are explained by."""
    outputs = sorted({*outputs, *witnesses(system)})
    fold = not hasattr(system, "_systems")
    kinds = tuple((path, repr(level_of(v, fold))) for path, v in system.parameters())  # numbers are handed to the code by their order
    scheme = INTEGRATORS[settings.integrator]
    value = getattr(settings, scheme.setting) if scheme.setting else None
    scheme = scheme.tuned(value)
    shift = settings.constraint_shift if settings.constraints == "augmented" else 0.0
    facts = (kinds, tuple(outputs), settings.integrator, value, settings.lanes, shift)
    facts += (settings.linear_solver, settings.tuning, settings.formulation)
    key = (system.topology_key(), identity(system), *facts)
    model, numbers = _models.get(key), _numbers(system)
    if new := model is None:
        log.info("building: %d bodies, %d elements", len(system.bodies), len(system.elements))
        how = {"width": settings.lanes, "fold": fold, "shift": shift, "direct": settings.linear_solver, "tuning": settings.tuning}
        how["formulation"] = settings.formulation
        with _unsearched():
            model = Model(system, outputs, scheme, **how)
    if new or (numbers is not None and numbers != model.examined):  # of batches the first one stands for all
        model.dependent, model.examined = _check_first(model, system), numbers
    _models.pop(key, None)
    _models[key] = model
    while len(_models) > MODELS:
        _models.pop(next(iter(_models)))
    return model


@contextmanager
def _unsearched():
    """Within it the interpreter does not look for garbage in circles: a model is written from some 100,000 objects, all of which stay, and
    looking through them again and again took a third of the time."""
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()


def _numbers(system):
    """All numbers of one sample, which decide what is wrong with its constraints; None for several."""
    values = [*(v for _, v in system.parameters()), *system.initial()[0]]
    return None if any(np.ndim(v) for v in values) else plain(values)


def witnesses(system):
    """Elements that can say why a run failed, by the output that they know it by."""
    return {element.witness: element for element in system.elements if element.witness}


def _check_first(model, system):
    """Rows that depend on others; raises what is wrong with the constraints, unless one of the first samples is right."""
    numbers, (q0, _) = [v for _, v in system.parameters()], model.problem.initial(system)
    count, errors = max((len(v) for v in numbers if np.ndim(v)), default=1), []
    sizes = lengths(system, count)
    for i in range(min(count, 8)):
        given, q = ([of_sample(v, i) for v in values] for values in (numbers, q0))
        try:
            return examine(model.problem, given, q, length=sizes[i])
        except ModelError as error:
            errors.append(error)
    raise errors[0]
