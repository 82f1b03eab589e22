"""Poses of bodies that a run is asked for: outputs of their own, which are put together by body."""

from functools import cache

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.parameters import Matrix
from flexmbd.suggest import unknown
from flexmbd.trajectory import Joined, Moved


def asked(system, poses):
    """Names of further outputs by the name of each body whose poses are asked for: of all that have some, or of those named.

    Raises
    ------
    ModelError
        For a name that is no such body's.
    """
    known = {body.name: body for body in system.bodies if body.pose_size}
    if not isinstance(poses, (bool, tuple, list)):
        raise ModelError(f"poses is {poses!r}", remedy="it must be True, False or a list of names of bodies")
    names = [*known] if poses is True else poses or []
    for name in names:
        if name not in known:
            raise unknown("body with poses", str(name), known)
    return {name: [*_names(known[name])] for name in names}


def posed(equations, outputs):
    """Those of them that are among names of outputs: name -> (function giving the node, unit)."""
    found, wanted = {}, set(outputs)
    for body in equations.system.bodies:
        if body.pose_size and _names(body, 1)[0] in wanted:
            pose = cache(lambda body=body: equations.pose(body))
            found |= {name: ((lambda pose=pose, k=k: pose()[k]), "1") for k, name in enumerate(_names(body))}
    return found


def moved(system, names, outputs, good=slice(None)):
    """What trajectories keep of bodies, by name; takes their numbers out of the outputs. `good` are the samples that `system` has."""
    found, offsets, parameters = {}, system.offsets(), system.parameters()
    for name, own in names.items():
        body = next(body for body in system.bodies if body.name == name)
        numbers = np.stack([outputs.pop(x) for x in own], axis=-1)
        offset = offsets.get(name, (0.0,) * body.dimension)
        sizes = [_of_all(x, good, len(numbers)) for x in (*offset, parameters.get(f"{name}.length"))]
        seats = ((key, point.body.seat(point, parameters, offset)) for key, point in body.named_points.items())
        seats = {key: tuple(_of_all(x, good, len(numbers)) for x in seat) for key, seat in seats if seat is not None}
        found[name] = Moved(body, numbers, tuple(sizes[:-1]), sizes[-1], seats)
        found["ground"] = Moved(system.ground, np.zeros((*numbers.shape[:-1], system.dimension)), system.ground.offset)
    return found


def joined(system, bodies, good=slice(None)):
    """What trajectories keep of elements that have points on bodies whose poses they have, as `moved` does of these."""
    if not bodies:
        return ()
    found, offsets, parameters = [], system.offsets(), system.parameters()
    count = next(len(moved.numbers) for moved in bodies.values())
    for element in system.elements:
        ends = {}
        for key in "ab":
            point = getattr(element, key, None)
            body = getattr(point, "body", None)
            if getattr(body, "name", None) in bodies and hasattr(point, "key"):
                seat = body.seat(point, parameters, offsets.get(body.name, (0.0,) * system.dimension))
                if seat is not None:
                    ends[key] = body.name, tuple(_of_all(x, good, count) for x in seat)
        if ends:
            own = {key: parameters[f"@{element.name}.{key}"] for key in element.parameters()}
            numbers = {key: _of_all(x, good, count) for key, x in own.items() if not isinstance(x, Matrix)}
            found.append(Joined(element, ends, numbers))
    return tuple(found)


def _names(body, count=None):
    return [f"{body.name}.pose.{k}" for k in range(body.pose_size if count is None else count)]


def _of_all(value, good, count):
    """A size of the samples of a system as one of all samples."""
    if not np.ndim(value):
        return value
    full = np.full(count, np.nan)
    full[good] = value
    return full
