"""A batch of samples as one `System`: the model function called once with arrays, or once per sample and stacked."""

import logging

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.running.models import unsearched
from flexmbd.system import System

log = logging.getLogger("flexmbd")


class Unchanged:
    """A system whose numbers do not change any more: they are read once."""

    def __init__(self, system):
        self._first, self._leaves, self._guess = system, None, None

    def __getattr__(self, name):
        return getattr(self._first, name)

    def parameters(self):
        """Numbers of all samples, path by path."""
        if self._leaves is None:
            self._leaves = self._read()
        return self._leaves

    def initial(self):
        """Guess of all samples."""
        if self._guess is None:
            self._guess = self._guessed()
        return self._guess

    def _read(self):
        return self._first.parameters()

    def _guessed(self):
        return self._first.initial()


class Stack(Unchanged):
    """Systems of one topology, made one by one, seen as one system whose numbers are all arrays; `why` they were made one by one."""

    def __init__(self, systems, why=""):
        super().__init__(systems[0])
        self._systems, self.why = systems, why

    def _read(self):
        first, *others = (s.parameters() for s in self._systems)
        for numbers in others:
            if first.keys() != numbers.keys():
                _refuse_topology(f"its numbers differ ({'; '.join(sorted(first.keys() ^ numbers.keys())[:2])})")
        return first.beside(others)

    def _guessed(self):
        both = [s.initial() for s in self._systems]
        return tuple([np.array(x) for x in zip(*(b[k] for b in both), strict=True)] for k in range(2))

    def angles(self):
        """Guesses of the bodies' angles of all samples."""
        parts = [s.angles() for s in self._systems]
        return {name: np.array([p[name] for p in parts]) for name in parts[0]}

    def offsets(self):
        """Centres of mass in their bodies' frames of all samples."""
        parts, zero = [s.offsets() for s in self._systems], (0.0,) * self._first.dimension
        names = {name: None for part in parts for name in part}
        return {name: tuple(np.array(x) for x in zip(*(part.get(name, zero) for part in parts), strict=True)) for name in names}

    def start_levels(self):
        """How much the words of the start count: what any sample gives is given."""
        parts = [s.start_levels() for s in self._systems]
        return {key: max(part[key] for part in parts) for key in parts[0]}


def describe(build, samples):
    """Call the model function for a batch.

    Parameters
    ----------
    build : callable or System
        ``build(**inputs) -> System``; or a system, whose numbers that are arrays make the samples.
    samples : mapping name -> ndarray (n,), or None

    Returns
    -------
    system : System, Stack or None
    good : ndarray of int
        Samples it holds, in order.
    message : list of str
        One per sample; "" where it could be built.

    Raises
    ------
    ModelError
        If the function does not return a `System`, or the topology changes between samples.
    """
    if isinstance(build, System):
        return _given(build, samples)
    samples = {k: np.atleast_1d(np.asarray(v, float)) for k, v in (samples or {}).items()}
    count = len(next(iter(samples.values()))) if samples else 1
    for key, v in samples.items():
        if v.shape != (count,):
            raise ModelError(f"input '{key}' has shape {v.shape}, but there are {count} samples")
    system, why = _at_once(build, samples, count)
    if system is not None:
        return system, np.arange(count), [""] * count
    systems, good, message = [], [], [""] * count
    for i in range(count):
        try:
            system = build(**{k: float(v[i]) for k, v in samples.items()})
            _require_system(system)
        except _NotASystem:
            raise
        except Exception as error:
            message[i] = f"{type(error).__name__}: {error}" if not isinstance(error, ModelError) else str(error)
            continue
        if systems and system.topology_key() != systems[0].topology_key():
            _refuse_topology(_difference(systems[0].topology_key(), system.topology_key()))
        systems.append(system)
        good.append(i)
    good = np.array(good, int)
    if 0 < len(good) < count:  # the code stays that of whole batches if the others can be built at once
        system, why = _at_once(build, {k: v[good] for k, v in samples.items()}, len(good))
        if system is not None and system.topology_key() == systems[0].topology_key():
            return system, good, message
    if count > 1:
        log.info("the model function was called for each of %d samples: %s", count, why)
    return (Stack(systems, why) if systems else None), good, message


def calls(system):
    """How the model function was called: what it said to arrays, where it was called sample by sample; else ""."""
    return f"sample by sample, because the call with arrays failed: {system.why}" if isinstance(system, Stack) else ""


def first_of(build, samples):
    """The first sample of a batch; a system as it is."""
    return None if isinstance(build, System) else {k: np.atleast_1d(np.asarray(v, float))[:1] for k, v in (samples or {}).items()}


def single(build):
    """True for a system whose numbers are all single: one run, whose results have no axis of samples."""
    return isinstance(build, System) and not build.parameters().varied


def _given(system, samples):
    """`describe` for a system."""
    if samples:
        raise ModelError("a system has its numbers already: samples are for a function that makes one", remedy="leave out samples")
    parameters = system.parameters()
    count = parameters.samples
    _require_shapes(parameters, count)
    return system, np.arange(count), [""] * count


def _at_once(build, samples, count):
    """The system of a batch by one call with arrays, or None if the function cannot be called so, and why."""
    try:
        with unsearched():
            system = build(**samples)
        _require_system(system)
        _require_shapes(system.parameters(), count)
    except _NotASystem:
        raise
    except Exception as error:
        return None, " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return system, ""


class _NotASystem(ModelError):
    pass


def _require_system(system):
    if not isinstance(system, System):
        raise _NotASystem(f"the model function returned {type(system).__name__}; it must return a flexmbd.System")


def _require_shapes(parameters, count):
    for path in parameters.varied:
        if len(parameters[path]) != count:
            raise ModelError(f"'{path}' has {len(parameters[path])} values for {count} samples")


def _refuse_topology(difference):
    raise ModelError(
        f"the model changes its topology between samples: {difference}",
        remedy="let inputs change numbers only, and write one study per topology",
    )


def _difference(a, b):
    for what, x, y in zip(("bodies", "elements", "aliases"), a, b, strict=True):
        if x != y:
            extra = [str(p) for p in {*x} ^ {*y}]
            return f"{what} differ ({'; '.join(sorted(extra)[:2])})"
    return "it differs"
