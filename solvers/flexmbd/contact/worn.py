"""Journal in a worn bearing: penetration and normal at the place of the wall that the journal presses most; theory: docs/theory/wear.md."""

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from flexmbd.contact.parts import Part, Requirement, refuse
from flexmbd.contact.point import FlatArms
from flexmbd.contact.worn_surface import WornProfile
from flexmbd.errors import check_number
from flexmbd.lanes import atan2, fabs, kernel, maximum, select, sqrt

STEPS = 6  # of Newton's method: the angle is then right to 1e-5 rad where the play region's corners are rounded by 0.1 % of its size


class GapKernels(NamedTuple):
    """``gap(x, y, clearance, mean, series) -> (penetration, nx, ny, turn)`` by the journal's place in the bearing's axes.

    `series` has the cosine's and the sine's coefficient of each order, m. The normal points outward; `turn` is how much it turns by a
    motion of the journal across it, rad/m.
    """

    gap: Any
    helpers: tuple


@functools.cache
def gap_kernels(order):
    """Kernels for a series of that order.

    The largest of ``e.n(t) - clearance - depth(t)`` is looked for at angles so close that the nearest lies in its basin, then by Newton.
    """
    looks = max(16, 4 * order)
    cosine, sine, shortest = math.cos(2.0 * math.pi / looks), math.sin(2.0 * math.pi / looks), looks / math.pi

    @kernel
    def worn_depth(c, s, series):
        p, q = 0.0 * c, 0.0 * c
        for k in range(order):
            a, b = series[order - 1 - k]
            p, q = p + a, q - b
            p, q = p * c - q * s, p * s + q * c
        return p

    @kernel
    def worn_slopes(c, s, series):
        x, y, d1, d2 = 1.0 + 0.0 * c, 0.0 * c, 0.0 * c, 0.0 * c
        for k in range(order):
            a, b = series[k]
            x, y = x * c - y * s, x * s + y * c
            d1 = d1 + (k + 1.0) * (b * x - a * y)
            d2 = d2 - (k + 1.0) * (k + 1.0) * (a * x + b * y)
        return d1, d2

    @kernel
    def worn_gap(x, y, clearance, mean, series):
        c, s = 1.0 + 0.0 * x, 0.0 * x
        best, bc, bs = 0.0 * x - 1.0e30, c, s
        for _ in range(looks):
            f = x * c + y * s - worn_depth(c, s, series)
            better = f > best
            best, bc, bs = select(better, f, best), select(better, c, bc), select(better, s, bs)
            c, s = c * cosine - s * sine, s * cosine + c * sine
        c, s = bc, bs
        for _ in range(STEPS):
            d1, d2 = worn_slopes(c, s, series)
            push, bend = y * c - x * s - d1, x * c + y * s + d2
            step = push / maximum(bend, fabs(push) * shortest + 1.0e-30)
            c, s = c - step * s, s + step * c
            size = 1.0 / sqrt(c * c + s * s)
            c, s = c * size, s * size
        d1, d2 = worn_slopes(c, s, series)
        depth = mean + worn_depth(c, s, series)
        bend = maximum(x * c + y * s + d2, 1.0e-6 * (clearance + mean))
        return x * c + y * s - clearance - depth, c, s, 1.0 / bend

    return GapKernels(worn_gap, (worn_depth, worn_slopes))


NEITHER = Requirement(("film",), "films and asperities do not know a worn profile", "leave out worn, or film and asperities")


class WornPart(Part):
    """Worn profile of a bearing: the joint takes its contact point from `worn_point`."""

    key = "worn"
    wanted, remedy = "a WornProfile", "make one by surface.profile(order)"
    needs = (NEITHER._replace(keys=("law",)),)
    excludes = (NEITHER,)

    @classmethod
    def accepts(cls, given):
        return isinstance(given, WornProfile)

    def check(self, joint):
        """Its numbers, and a wall that the journal can touch everywhere."""
        for key, value in self.numbers(joint).items():
            check_number(joint.owner, key, value)
        least, angle = self.given.tightest(joint.clearance)
        if np.any(least <= 0.0):
            i = int(np.argmin(least))
            refuse(
                joint,
                f"the worn profile is hollower than the journal at {np.ravel(angle)[i]:.3g} rad, where clearance, depth and "
                f"its second derivative sum up to {np.ravel(least)[i]:.3g} m; the journal cannot have worn it so",
                "lay the wear out by overlap_wear, take a lower order, or profile.rounded(clearance)",
            )

    def numbers(self, joint):
        return worn_numbers(self.given)

    def topology_key(self, joint):
        return (self.given.order,)

    def outputs(self, joint, equations, nodes):
        """Where the journal is in the bearing's axes, and at which angle of them it presses."""

        def place(axis):
            return lambda: worn_place(joint, equations)[0][axis]

        def angle():
            c, s = worn_place(joint, equations)[2]
            return equations.graph.call(atan2, (s, c))

        name = joint.name
        return {f"{name}.worn_x": (place(0), "m"), f"{name}.worn_y": (place(1), "m"), f"{name}.worn_angle": (angle, "rad")}


def worn_numbers(worn):
    """Numbers of a profile by name."""
    out = {"worn.mean": worn.mean}
    for k in range(worn.order):
        out |= {f"worn.cosine.{k + 1}": worn.cosine[..., k], f"worn.sine.{k + 1}": worn.sine[..., k]}
    return out


def worn_place(joint, equations):
    """Nodes of the journal's place in the bearing's axes, of its penetration and outward normal there, and of the bearing's x axis."""
    g = equations.graph
    ex, ey = equations.values(joint.apart(equations))
    ux, uy = equations.values(equations.direction(joint.b.body, g.const(1.0), g.const(0.0)))
    place = ex * ux + ey * uy, ey * ux - ex * uy
    kernels = gap_kernels(joint.worn.order)
    equations.use(kernels)
    clearance, mean, *series = [equations.number(joint, key) for key in ("clearance", *worn_numbers(joint.worn))]
    numbers = clearance, mean, tuple(zip(series[::2], series[1::2], strict=True))

    def partial(arguments):
        _, c, s, turn = g.call(kernels.gap, arguments, 4, partial)
        return {(0, 0): c, (0, 1): s, (1, 0): turn * s * s, (1, 1): -turn * s * c, (2, 0): -turn * s * c, (2, 1): turn * c * c}

    penetration, c, s, _ = g.call(kernels.gap, (*place, *numbers), 4, partial)
    return place, penetration, (c, s), (ux, uy)


def worn_point(joint, equations):
    """The contact point: its normal passes through the journal's centre, its point lies on the bearing's wall."""
    (x, y), penetration, (c, s), (ux, uy) = worn_place(joint, equations)
    vx, vy = equations.rates(joint.apart(equations))
    nx, ny = s * uy - c * ux, -c * uy - s * ux
    offset = x * s - y * c
    rate = -(vx * nx + vy * ny) - equations.spin(joint.b.body) * offset
    slip, arm_a, arm_b = vy * nx - vx * ny, 0.0, 0.0
    if joint.bearing_radius is not None:  # wear needs the slip, with friction or without
        arm_a = equations.number(joint, "clearance") + penetration - equations.number(joint, "bearing_radius")
        arm_b = arm_a - x * c - y * s
        slip = slip + equations.spin(joint.a.body) * arm_a - equations.spin(joint.b.body) * arm_b
    return FlatArms(penetration, rate, (nx, ny), slip, arm_a, arm_b, offset)
