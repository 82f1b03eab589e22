"""How bodies of a tree may move against what carries them: by what joints say (`joints.freedom`), or freely."""

from flexmbd.bodies.base import Body
from flexmbd.bodies.point_mass import PointMass
from flexmbd.joints.freedom import BALL, Freedom, Z
from flexmbd.joints.ideal import Revolute
from flexmbd.joints.spatial import Spherical
from flexmbd.space import AXES

FREE = {2: Freedom(tuple(AXES[:2]), (Z,)), 3: Freedom(tuple(AXES), (BALL,))}
PINNED = Freedom()  # a point mass at a point
MASSES = {d: Freedom(tuple(AXES[:d])) for d in (2, 3)}


def freedom_of(owner):
    """The `Freedom` of a body that is free, or of a joint; None where a joint carries nothing, and its rows stay."""
    if isinstance(owner, Body):
        return (MASSES if isinstance(owner, PointMass) else FREE)[owner.dimension]
    kind = type(owner)
    if any(isinstance(end.body, PointMass) for end in (owner.a, owner.b)) and kind is not (Spherical if owner.spatial else Revolute):
        return None  # it has no attitude that the joint could hold
    return vars(kind).get("freedom", {}).get(3 if owner.spatial else 2)  # a class made from it may hold more


__all__ = ["BALL", "FREE", "MASSES", "PINNED", "freedom_of"]
