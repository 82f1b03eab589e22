"""Compiled models that a process keeps."""

import gc
import logging
from contextlib import contextmanager

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.integrators import INTEGRATORS
from flexmbd.running.diagnosis import examine
from flexmbd.running.identity import identity
from flexmbd.running.model import Model
from flexmbd.space import lengths

MODELS = 8  # compiled models that a process keeps; those not used for longest are given back
_models = {}  # the last used last
log = logging.getLogger("flexmbd")


def model_of(system, outputs, settings, sections=None):
    """The compiled `Model` of a system's topology (one per process, on disk for the next), with what failures are explained by.

    `sections` are `PoincareSection` by name; their numbers do not matter.
    """
    outputs = sorted({*outputs, *witnesses(system)})
    parameters = system.parameters()
    levels = tuple((path, repr(parameters.level(path))) for path in parameters)  # their order decides that of operations
    scheme = INTEGRATORS[settings.integrator]
    value = getattr(settings, scheme.setting) if scheme.setting else None
    scheme = scheme.tuned(value)
    shift = settings.constraint_shift if settings.constraints == "augmented" else 0.0
    facts = (levels, tuple(outputs), settings.integrator, value, settings.lanes, shift)
    facts += (settings.linear_solver, settings.tuning, settings.formulation)
    facts += tuple((name, section.structure) for name, section in (sections or {}).items())
    key = (system.topology_key(), identity(system), *facts)
    model, numbers = _models.get(key), _numbers(system)
    if new := model is None:
        log.info("building: %d bodies, %d elements", len(system.bodies), len(system.elements))
        how = {"width": settings.lanes, "shift": shift, "direct": settings.linear_solver, "tuning": settings.tuning}
        how |= {"formulation": settings.formulation, "sections": sections or {}}
        with unsearched():
            model = Model(system, outputs, scheme, **how)
    if new or (numbers is not None and numbers != model.examined):  # of batches the first one stands for all
        model.dependent, model.examined = _check_first(model, system), numbers
    _models.pop(key, None)
    _models[key] = model
    while len(_models) > MODELS:
        _models.pop(next(iter(_models)))
    return model


@contextmanager
def unsearched():
    """Within it the interpreter does not look for garbage in circles: a system and a model are written from some 100,000 objects, all of
    which stay, and looking through them again and again took a third of the time."""
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()


def _numbers(system):
    """All numbers of one sample, which decide what is wrong with its constraints; None for several."""
    parameters, guess = system.parameters(), system.initial()[0]
    return None if parameters.varied or any(np.ndim(v) for v in guess) else (parameters.plain(), tuple(map(float, guess)))


def witnesses(system):
    """Elements that can say why a run failed, by the output that they know it by."""
    return {element.failure_indicator: element for element in system.elements if element.failure_indicator}


def _check_first(model, system):
    """Rows that depend on others; raises what is wrong with the constraints, unless one of the first samples is right."""
    if not (model.problem.rows or model.problem.initial_rows):
        return "none"
    parameters, (q0, _), errors = system.parameters(), model.problem.initial(system), []
    sizes = lengths(system, parameters.samples)
    for i in range(min(parameters.samples, 8)):
        q = [float(x[i]) if np.ndim(x) else x for x in q0]
        try:
            return examine(model.problem, parameters.of_samples(i), q, length=sizes[i])
        except ModelError as error:
            errors.append(error)
    raise errors[0]
