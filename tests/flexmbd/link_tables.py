"""Trees of rigid bodies for tests, in numbers: random ones of all joints, chains, and what their motions are."""

import numpy as np

from flexmbd.formulation.trees.links import GROUND, Link, Table

X, Y, Z = ((*axis, 0.0, 0.0, 0.0) for axis in np.eye(3).tolist())
ALONG_X, ALONG_Y, ALONG_Z = ((0.0, 0.0, 0.0, *axis) for axis in np.eye(3).tolist())
JOINTS = {
    "revolute": (Z,),
    "prismatic": (ALONG_X,),
    "cylindrical": (Z, ALONG_Z),
    "helical": ((0.0, 0.0, 1.0, 0.0, 0.0, 0.3),),
    "universal": None,
    "spherical": (X, Y, Z),
    "planar": (Z, ALONG_X, ALONG_Y),
    "free": (X, Y, Z, ALONG_X, ALONG_Y, ALONG_Z),
    "welded": (),
}


def turned(rng):
    """A random rotation."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))


def massive(rng):
    """Mass, centre and moments of inertia that a body can have."""
    mass, axes = rng.uniform(0.5, 2.0), turned(rng)
    second = axes @ np.diag(rng.uniform(0.02, 0.1, 3)) @ axes.T * mass
    return mass, rng.uniform(-0.3, 0.3, 3).tolist(), (np.trace(second) * np.eye(3) - second).tolist()


def link(rng, parent, kind):
    """A link on a joint of a kind, in a random place."""
    motion, bias = JOINTS[kind], (0.0,) * 6
    if kind == "universal":  # about an axis of the parent, which turns in the link's frame, then about the link's z
        angle, rates = rng.uniform(-1.0, 1.0), rng.normal(size=2)
        motion = ((np.sin(angle), np.cos(angle), 0.0, 0.0, 0.0, 0.0), Z)
        bias = tuple((rates[0] * rates[1] * np.array([np.cos(angle), -np.sin(angle), 0.0, 0.0, 0.0, 0.0])).tolist())
    return Link(parent, turned(rng).tolist(), rng.uniform(-0.5, 0.5, 3).tolist(), motion, bias, *massive(rng))


def tree(rng, count, *, base=None, reach=4):
    """A table of so many links, each on one of the last `reach` before it; the first on a joint of the kind `base`, or on any."""
    kinds = [*JOINTS]
    links = []
    for i in range(count):
        parent = GROUND if i == 0 or (base is None and rng.random() < 0.03) else int(rng.integers(max(0, i - reach), i))
        kind = base if i == 0 and base else kinds[rng.integers(len(kinds) - 2)] if rng.random() < 0.95 else kinds[rng.integers(len(kinds))]
        links.append(link(rng, parent, kind))
    return Table(links)
