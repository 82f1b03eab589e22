"""Forces of a run as arrows: of joints the reaction on b's body (a's where b is ground), of contacts that on a, of loads that on b."""

import numpy as np

from flexmbd.contact.pair import Contact
from flexmbd.contact.spherical import ClearanceSpherical
from flexmbd.errors import ModelError
from flexmbd.forces.user import UserForce
from flexmbd.joints.ideal import Joint

AXES = ("fx", "fy", "fz")


def arrows_of(motion, wanted):
    """Forces that are outputs of the run: components, and of balls in sockets the normal force, along the way of their centres.

    Parameters
    ----------
    motion : Motion
    wanted : sequence of str or None
        Names of elements; None for all that there are.

    Returns
    -------
    list of (str, end, ndarray (times, 3))
        Name, where it acts (as in `Joined.ends`), components in N.

    Raises
    ------
    ModelError
        If one is wanted that the run does not have.
    """
    by_name = {x.element.name: x for x in motion.trajectory.elements}
    for name in wanted or ():
        if name not in by_name:
            known = ", ".join(map(repr, list(by_name)[:12])) or "none"
            raise ModelError(f"forces has {name!r}, which is no element with a place in this run; those are: {known}")
    found = []
    for name in by_name if wanted is None else wanted:
        joined = by_name[name]
        keys, own, read = next((row for kind, *row in FORCES if isinstance(joined.element, kind)), ("ab", AXES, _none))
        force = read(motion, joined)
        if force is not None:
            first, other = keys(joined) if callable(keys) else keys
            sign = 1.0 if first in joined.ends else -1.0  # the same force on the other, if only that is there
            found.append((name, joined.ends[first if first in joined.ends else other], sign * force))
        elif wanted is not None:
            needed = [f"{name}.{key}" for key in own[: motion.trajectory.bodies["ground"].body.dimension]]
            raise ModelError(f"the run has no history of the force of '{name}'", element=name, remedy=f"run it with outputs={needed}")
    return found


def _of_joint(joined):
    """Ends in the order in which its reaction is told of."""
    return "ab" if joined.ends.get("b", ("",))[0] == "ground" else "ba"


def _components(motion, joined):
    """Over time; None unless the run has all of them as histories."""
    outputs, count = motion.trajectory.outputs, len(motion.time)
    own = [outputs.get(f"{joined.element.name}.{key}") for key in AXES[: motion.trajectory.bodies["ground"].body.dimension]]
    if any(x is None or np.ndim(x) != 1 for x in own):
        return None
    force = np.zeros((count, 3))
    force[:, : len(own)] = np.nan_to_num(np.stack([x[:count] for x in own], axis=1))
    return force


def _in_socket(motion, joined):
    """Of a ball, by components; else the normal force against its way from the socket's centre, where the run has that and both ends."""
    force = _components(motion, joined)
    if force is not None:
        return force
    size = motion.trajectory.outputs.get(f"{joined.element.name}.normal")
    if size is None or np.ndim(size) != 1 or len(joined.ends) < 2:
        return None
    away = motion.place(joined.ends["a"]) - motion.place(joined.ends["b"])
    far = np.linalg.norm(away, axis=1, keepdims=True)
    return -np.nan_to_num(size[: len(away), None]) * away / np.where(far > 0.0, far, 1.0)


def _none(motion, joined):
    return None


FORCES = (  # the first that an element is one of: on which end the force is, outputs that it needs, how it is read
    (Joint, _of_joint, AXES, _components),
    (ClearanceSpherical, "ab", AXES, _in_socket),
    (Contact, "ab", AXES, _components),
    (UserForce, "ba", AXES, _components),
)
