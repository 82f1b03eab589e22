"""A physical and a double pendulum in one system, and their motions by elliptic functions and in minimal coordinates.

The single one has mass 1, inertia 1/4 about its centre, half a metre below the pivot: its equivalent length is 1 m. The double
one has the kinetic and potential energy of two point masses of 1 kg on massless rods of 1 m:
M2 d2 = 1, I2 + M2 d2^2 = 1, M1 d1 + M2 = 2, I1 + M1 d1^2 + M2 = 2.
"""

from dataclasses import replace

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import flexmbd as fm

G = 9.81
OUTPUTS = [
    "rod.E.x", "rod.E.y", "rod.E.vx", "rod.E.vy", "rod.angle", "rod.rate", "rod.alpha", "pin.fx", "pin.fy", "pin.force",
    "upper.angle", "lower.angle", "energy.balance",
]  # fmt: skip


def pendula(start=np.pi / 2, upper=np.pi / 2, lower=np.pi / 2):
    """Both at rest at the given angles from down, in rad."""
    s = fm.System(gravity=(0.0, -G))
    pivot = s.ground.at(0.0, 0.0)
    rod = s.body(
        "rod", mass=1.0, inertia=0.25, position=(0.5 * np.sin(start), -0.5 * np.cos(start)), angle=start - np.pi / 2,
        points={"O": (-0.5, 0.0), "E": (0.5, 0.0)},
    )  # fmt: skip
    s.add(fm.Revolute("pin", pivot, rod["O"]))
    first = s.body(
        "upper", mass=1.5, inertia=0.375, position=(0.5 * np.sin(upper), -0.5 * np.cos(upper)), angle=upper - np.pi / 2,
        points={"O": (-0.5, 0.0), "A": (0.5, 0.0)},
    )  # fmt: skip
    second = s.body(
        "lower", mass=1.25, inertia=0.2, angle=lower - np.pi / 2, points={"A": (-0.8, 0.0)},
        position=(np.sin(upper) + 0.8 * np.sin(lower), -np.cos(upper) - 0.8 * np.cos(lower)),
    )  # fmt: skip
    s.add(fm.Revolute("O", pivot, first["O"]))
    s.add(fm.Revolute("A", first["A"], second["A"]))
    return s


def swing(start, t):
    """Angle from down and its rate of a pendulum of 1 m released at rest: sin(angle/2) = k cd(w t | k^2)."""
    k, w = np.sin(0.5 * start), np.sqrt(G)
    sn, cn, dn, _ = ellipj(w * np.asarray(t), k * k)
    angle = 2.0 * np.arcsin(np.clip(k * cn / dn, -1.0, 1.0))
    rate = -2.0 * w * k * np.sqrt(1.0 - k * k) * sn / dn
    return angle, rate


def period(start):
    """Time of a full swing in s."""
    return 4.0 * ellipk(np.sin(0.5 * start) ** 2) / np.sqrt(G)


def double_swing(upper, lower, t):
    """Angles of the point-mass double pendulum released at rest, at times t: shape (2, len(t))."""

    def rates(_, y):
        a, b, u, w = y
        c, s = np.cos(a - b), np.sin(a - b)
        mass = np.array([[2.0, c], [c, 1.0]])
        side = np.array([-s * w * w - 2.0 * G * np.sin(a), s * u * u - G * np.sin(b)])
        return [u, w, *np.linalg.solve(mass, side)]

    run = solve_ivp(rates, (0.0, t[-1]), [upper, lower, 0.0, 0.0], "DOP853", t_eval=t, rtol=1e-13, atol=1e-14)
    return run.y[:2]


def there_and_back(sim):
    """What coordinates and velocities are off by at the start after a second of a motion, and one back with turned velocities."""
    start = sim.start()
    there = sim.step(start, 1.0)
    first, n = there.parts["velocities"]
    values = there.values.copy()
    values[:, first : first + n] *= -1.0
    back = sim.step(replace(there, values=values), 2.0)
    return np.abs(back["coordinates"] - start["coordinates"]).max(), np.abs(back["velocities"] + start["velocities"]).max()
