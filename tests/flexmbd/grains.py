"""Grains in the plane and in space, and what contacts of all pairs do to them, by numpy."""

import numpy as np

import flexmbd as fm

K, C, MU, LOW, HIGH = 1e5, 5.0, 0.3, 1e-3, 1e-2
GRAVITY = 9.81


def box(d, width, height):
    """Walls of a box from zero to `width` in all directions but the last one, which ends at `height`."""
    axes, far = np.eye(d), np.array([*[width] * (d - 1), height])
    return [w for e in axes for w in ((np.zeros(d), e), (far, -e))]


def cloud(d, count, seed=1):
    """Places on a grid with room between them, radii, velocities and rates, width and height of a box around them."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(count ** (1 / d)))
    cells = np.array(list(np.ndindex(*[side] * d)))[:count]
    places = 0.03 * (cells + 0.5) + rng.uniform(-2e-3, 2e-3, (count, d))
    turns = (count,) if d == 2 else (count, 3)
    return places, rng.uniform(0.008, 0.0125, count), rng.normal(0.0, 0.5, (count, d)), rng.normal(0.0, 20.0, turns), 0.03 * side


def gas(d, count, law=None, friction=None, gravity=0.0, walls=True):
    """Grains of different sizes that fly about in a box."""
    places, radii, velocities, rates, width = cloud(d, count)
    s = fm.System(gravity=(0.0,) * (d - 1) + (-gravity,))
    grains = s.grains("g", positions=places, radius=list(radii), mass=list(1e3 * radii**d), velocities=velocities, rates=rates)
    law = law or fm.KelvinVoigt(K, C)
    s.add(fm.GranularContact("c", grains, law, friction, walls=box(d, width, width) if walls else ()))
    return s


def state(trajectory, d, count, sample=0):
    """Places, velocities, angular velocities (times, grains, components) and accelerations."""
    axes = "xyz"[:d]
    turns = ["rate"] if d == 2 else [f"omega_{a}" for a in axes]

    def read(keys):
        return np.array([[trajectory[f"g.{k + 1}.{key}"][sample] for key in keys] for k in range(count)]).transpose(2, 0, 1)

    return [read(keys) for keys in (axes, [f"v{a}" for a in axes], turns, [f"a{a}" for a in axes])]


def outputs(d, count):
    """What `state` reads."""
    turns = ["rate"] if d == 2 else [f"omega_{a}" for a in "xyz"]
    return [f"g.{k + 1}.{key}" for k in range(count) for key in (*(f"{p}{a}" for p in ("", "v", "a") for a in "xyz"[:d]), *turns)]


def kelvin_voigt(depth, rate):
    """Never below zero."""
    return np.maximum(K * depth + C * rate, 0.0)


def ambrosio(slip, normal):
    """Friction along the slip: none below `LOW`, all above `HIGH`."""
    return MU * normal * np.clip((np.abs(slip) - LOW) / (HIGH - LOW), 0.0, 1.0) * np.sign(slip)


def forces(x, v, w, radii, walls, friction):
    """Sum of contact forces on each grain, every pair for itself; friction at the second one's surface."""
    count, d = x.shape
    total = np.zeros((count, d))
    w3, ends = np.zeros((count, 3)), [(i, j) for i in range(count) for j in range(i)]
    w3[:, 3 - w.shape[1] :] = w

    def contact(a, normal, depth, moving, arm_a):
        if depth <= 0.0:
            return np.zeros(d)
        rate = -normal @ (v[a] - moving[0])
        n3 = np.append(normal, np.zeros(3 - d))
        speed = np.append(v[a], np.zeros(3 - d)) + np.cross(w3[a], arm_a * n3) - moving[1]
        slip = (speed - (speed @ n3) * n3)[:d]
        force, size = kelvin_voigt(depth, rate), np.linalg.norm(slip)
        return force * normal - (ambrosio(size, force) * slip / size if friction and size > 0 else 0.0)

    for j, i in ends:  # i below j: the first of the pair
        apart = x[i] - x[j]
        r = np.linalg.norm(apart)
        n = apart / r
        n3 = np.append(n, np.zeros(3 - d))
        surface = np.append(v[j], np.zeros(3 - d)) + np.cross(w3[j], radii[j] * n3)
        push = contact(i, n, radii[i] + radii[j] - r, (v[j], surface), radii[j] - r)
        total[i], total[j] = total[i] + push, total[j] - push
    for point, normal in walls:
        for i in range(count):
            height = normal @ (x[i] - point)
            total[i] += contact(i, normal, radii[i] - height, (np.zeros(d), np.zeros(3)), -height)
    return total
