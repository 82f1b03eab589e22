"""Forces of a run as arrows: of joints the reaction, of contacts that on a, of loads that on b."""

import numpy as np

from flexmbd.contact.pair import Contact
from flexmbd.errors import ModelError
from flexmbd.forces.user import UserForce
from flexmbd.joints.ideal import Joint

AXES = ("fx", "fy", "fz")
ON = ((Joint, "ba"), (Contact, "ab"), (UserForce, "ba"))  # on which end outputs f{axis} act, ground left out if that can be


def arrows_of(motion, wanted):
    """Forces whose components are outputs of the run.

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
        keys = next((keys for kind, keys in ON if isinstance(joined.element, kind)), None)
        force = None if keys is None else _history(motion, name)
        if force is not None:
            ends = [joined.ends[key] for key in keys if key in joined.ends]
            found.append((name, next((end for end in ends if end[0] != "ground"), ends[0]), force))
        elif wanted is not None:
            own = [f"{name}.{key}" for key in AXES[: 2 if motion.trajectory.bodies["ground"].body.dimension == 2 else 3]]
            raise ModelError(f"the run has no components of the force of '{name}'", element=name, remedy=f"run it with outputs={own}")
    return found


def _history(motion, name):
    """Components over time; None unless the run has all of them as histories."""
    outputs, count = motion.trajectory.outputs, len(motion.time)
    own = [outputs.get(f"{name}.{key}") for key in AXES[: motion.trajectory.bodies["ground"].body.dimension]]
    if any(x is None or np.ndim(x) != 1 for x in own):
        return None
    force = np.zeros((count, 3))
    force[:, : len(own)] = np.nan_to_num(np.stack([x[:count] for x in own], axis=1))
    return force
