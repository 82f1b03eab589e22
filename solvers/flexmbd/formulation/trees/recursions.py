"""Recursions along a tree that all algorithms share: velocities, what motion alone asks of forces, momentum and energy."""

from flexmbd.formulation.trees.links import GROUND
from flexmbd.formulation.trees.spatial import (
    ZERO,
    add,
    along,
    crossed,
    crossed_force,
    dot,
    inwards,
    momentum,
    motion_of,
    outwards,
    subtract,
    times,
    transposed,
)  # fmt: skip


def velocities(table, v):
    """Velocity of each link, in its frame."""
    found = []
    for i, link in table.outwards():
        found.append(motion_of(link, table.of(i, v), ZERO if link.parent == GROUND else outwards(link, found[link.parent])))
    return found


def biases(table, v, moving):
    """Accelerations of each link against its parent without those of its velocities: ``S' v + V x S v``; `moving` are `velocities`."""
    return [add(link.bias, crossed(moving[i], motion_of(link, table.of(i, v)))) for i, link in table.outwards()]


def loads(table, moving, external=None):
    """What each link's momentum asks of forces because it turns, less the forces on it from outside (by link, in its frame)."""
    found = [crossed_force(moving[i], momentum(link, moving[i])) for i, link in table.outwards()]
    return found if external is None else [subtract(own, f) for own, f in zip(found, external, strict=True)]


def accelerations(table, a, turned=None, base=ZERO):
    """Acceleration of each link, in its frame, by those of the velocities; `turned` are `biases`, `base` is ground's (less gravity)."""
    found = []
    for i, link in table.outwards():
        before = outwards(link, base if link.parent == GROUND else found[link.parent])
        found.append(motion_of(link, table.of(i, a), before if turned is None else add(before, turned[i])))
    return found


def inverse_dynamics(table, a, *, turned=None, pulled=None, base=ZERO):
    """Recursive Newton-Euler (Luh, Walker and Paul 1980; Featherstone 2008, section 5.3).

    Parameters
    ----------
    table : Table
    a : sequence (n,)
        Accelerations of the velocities.
    turned, pulled : list, optional
        `biases` and `loads`; without both, and with `base` left out, it is the product of the mass matrix with a.
    base : sequence (6)
        Acceleration of ground: minus gravity.

    Returns
    -------
    forces : list (n,)
        Generalized forces that move it so.
    joint : list of list (6)
        Force that each link is moved with through its joint, in its frame.
    """
    own = accelerations(table, a, turned, base)
    joint = [momentum(link, own[i]) for i, link in table.outwards()]
    if pulled is not None:
        joint = [add(f, p) for f, p in zip(joint, pulled, strict=True)]
    forces = [None] * table.n
    for i, link in table.inwards():
        forces[table.first[i] : table.first[i] + len(link.motion)] = along(link, joint[i])
        if link.parent != GROUND:
            joint[link.parent] = add(joint[link.parent], inwards(link, joint[i]))
    return forces, joint


def kinetic(table, v):
    """Kinetic energy, J."""
    total, moving = 0.0, velocities(table, v)
    for i, link in table.outwards():
        total = total + 0.5 * dot(moving[i], momentum(link, moving[i]))
    return total


def total_momentum(table, v):
    """Moment about ground's origin and impulse, in ground's frame."""
    moving = velocities(table, v)
    found = [momentum(link, moving[i]) for i, link in table.outwards()]
    return gathered(table, found)


def gathered(table, forces):
    """Sum of forces on links (each in its frame) at ground's origin."""
    forces, total = [list(f) for f in forces], list(ZERO)
    for i, link in table.inwards():
        if link.parent == GROUND:
            total = add(total, inwards(link, forces[i]))
        else:
            forces[link.parent] = add(forces[link.parent], inwards(link, forces[i]))
    return total


def jacobian(table, i):
    """Motions of link i, in its frame, by velocity: those of the links on its path to ground, the others have none."""
    found = {}
    for j in reversed([*table.path(i)]):
        link = table.links[j]
        found = {k: outwards(link, column) for k, column in found.items()}
        found |= {table.first[j] + k: list(column) for k, column in enumerate(link.motion)}
    return found


def poses(table):
    """Rotation to ground (rows) and place of the origin of each link."""
    found = []
    for _, link in table.outwards():
        if link.parent == GROUND:
            found.append(([list(row) for row in link.rotation], list(link.offset)))
            continue
        turn, place = found[link.parent]
        rotation = [[dot(row, column) for column in transposed(link.rotation)] for row in turn]
        found.append((rotation, add(place, times(turn, link.offset))))
    return found
