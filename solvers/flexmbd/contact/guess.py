"""Does the guess of positions leave a film its gap? For clearance joints in space without a contact law."""

from dataclasses import dataclass

import numpy as np

from flexmbd.contact.film import refuse_start


@dataclass(frozen=True)
class Guess:
    """Guess of a joint's end: place of the point (3,) or (3, n) over samples, and the body's axes (3 axes, 3 components[, n])."""

    place: np.ndarray
    axes: np.ndarray

    def turned(self, vector):
        """A vector fixed in the body, in the inertial frame."""
        return sum(x * axis for x, axis in zip(vector, self.axes, strict=True))


def check_guess(joint, offsets):
    """Refuse a joint whose film alone keeps it apart if the guess puts it beyond the clearance.

    ``offsets(a, b)`` gives the vectors that must be shorter than the clearance, by the `Guess` of either end.
    """
    if joint.law is not None or joint.start != "as_given":
        return
    a, b = _guess(joint.a), _guess(joint.b)
    if a is not None and b is not None:
        refuse_start(joint, np.max([np.sqrt(np.sum(np.square(x), axis=0)) for x in offsets(a, b)], axis=0))


def _guess(point):
    """`Guess` of an end on ground or on a rigid body; None for a flexible one."""
    place, axes = np.zeros(3), np.eye(3)
    if point.body.measures:
        q = point.body.initial()[0]
        if len(q) != 12:
            return None
        q = np.stack(np.broadcast_arrays(*q))
        place, axes = q[:3], q[3:].reshape(3, 3, *q.shape[1:])
    arm = sum(np.multiply(x, axis) for x, axis in zip(point.at, axes, strict=True))
    return Guess(np.add(place, arm), axes)
