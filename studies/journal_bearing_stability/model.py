"""A rigid rotor in two short bearings: half of it, one bearing, the speed prescribed.

Bearing: Ocvirk's half film (docs/theory/lubrication.md).  Its linear theory (Routh's criterion with the stiffness and damping of the short
bearing, M. Friswell et al., "Dynamics of Rotating Machines", 2010) is not used here: `onset` looks at motions of the model itself.
"""

import numpy as np
from scipy.optimize.elementwise import find_root

import flexmbd as fm
from flexmbd.lubrication.viscosity import CELSIUS, Vogel

GRAVITY = 9.81  # m/s^2
MASS = 100.0  # of half of the rotor, kg
RADIUS, LENGTH = 30e-3, 20e-3  # of the bearing, m
OIL = Vogel.iso_vg(32)
STEEL = fm.Material(E=207e9, nu=0.3, name="steel")
SERVICE = 9000 * 2 * np.pi / 60  # speed in service, rad/s


def rest(clearance, viscosity, speed):
    """Place (x, y) in m at which the short bearing's half film carries the weight of a journal that turns to the left (Ocvirk)."""
    scale = viscosity * speed * RADIUS * LENGTH**3 / clearance**2

    def surplus(eps, scale):
        k = 1 - eps**2
        return scale * eps * np.sqrt(16 * eps**2 + np.pi**2 * k) / (4 * k**2) - MASS * GRAVITY

    eps = find_root(surplus, (1e-9, 1 - 1e-9), args=(scale,)).x
    attitude = np.arctan2(np.pi * np.sqrt(1 - eps**2), 4 * eps)
    return clearance * eps * np.sin(attitude), -clearance * eps * np.cos(attitude)


def rotor(clearance=50e-6, temperature=55.0, balance=2.5e-3, speed=SERVICE, *, kick=0.0):
    """The rotor at constant speed, its centre of mass at rest where the balanced rotor would stay.

    Parameters
    ----------
    clearance : float or ndarray
        Radial, m.
    temperature : float or ndarray
        Of the oil, degrees Celsius.
    balance : float or ndarray
        Distance of the centre of mass from the journal's centre times the speed in service, m/s (balance quality grade, ISO 21940).
    speed : float or ndarray
        Of the shaft, rad/s.
    kick : float
        Distance of the start from the place of rest, by the clearance.
    """
    viscosity = OIL.viscosity(temperature + CELSIUS)
    x, y = rest(clearance, viscosity, speed)
    off = balance / SERVICE
    s = fm.System(gravity=(0.0, -GRAVITY))
    shaft = s.body(
        "shaft",
        mass=MASS,
        inertia=1.0,  # has no effect: the speed is prescribed
        position=(x + kick * clearance, y),
        rate=speed,
        points={"journal": (-off, 0.0)},
    )
    housing = s.ground.at(0.0, 0.0)
    s.add(fm.AngleDrive("drive", housing, shaft.centre, fm.ConstantSpeed(speed)))
    law = fm.LankaraniNikravesh(fm.hertz_sphere_stiffness(RADIUS, RADIUS - clearance, STEEL, STEEL, conformal=True), restitution=0.7)
    film = fm.ShortFilm(viscosity, LENGTH)
    s.add(fm.ClearanceRevolute("B", shaft["journal"], housing, clearance, law, bearing_radius=RADIUS, film=film))
    return s


def onset(clearance=50e-6, temperature=55.0):
    """Speed at which the journal's rest becomes unstable: where small motions neither grow nor decay.

    Sixteen speeds are run side by side from a small kick; the growth between them is a polynomial of the speed.

    Returns
    -------
    dict
        ``onset`` (1/min), ``whirl`` (frequency at onset by that of the shaft), ``eccentricity`` (ratio at onset) and ``decay`` (1/s, in
        service).
    """
    natural = np.sqrt(GRAVITY / clearance)
    speed = np.append(natural * (2.7 - 0.4 * np.cos(np.pi * (np.arange(15) + 0.5) / 15)), SERVICE)
    samples = {"clearance": np.full(16, clearance), "temperature": np.full(16, temperature), "balance": np.zeros(16), "speed": speed}
    end, points = 60 / natural, 1201
    run = fm.run(kicked, samples, end=end, points=points, outputs=["B.ex", "B.ey"], settings={"tolerance": 1e-10})
    rates = np.array([whirl(np.array(orbit), end / (points - 1)) for orbit in zip(run.outputs["B.ex"], run.outputs["B.ey"], strict=True)])
    fit = [np.polynomial.Chebyshev.fit(speed[:15], rates[:15, k], 8) for k in range(2)]
    roots = fit[0].roots()
    roots = np.sort(roots[(abs(roots.imag) < 1e-6) & (roots.real > speed[0]) & (roots.real < speed[14])].real)
    if len(roots) != 1:
        raise ValueError(f"the growth changes its sign {len(roots)} times between {speed[0]:.0f} and {speed[14]:.0f} rad/s, not once")
    x, y = rest(clearance, OIL.viscosity(temperature + CELSIUS), roots[0])
    return {
        "onset": roots[0] * 30 / np.pi,
        "whirl": fit[1](roots[0]) / roots[0],
        "eccentricity": np.hypot(x, y) / clearance,
        "decay": -rates[15, 0],
    }


def kicked(clearance, temperature, balance, speed):
    """The rotor off its place of rest by a ten-thousandth of the clearance."""
    return rotor(clearance, temperature, balance, speed, kick=1e-4)


def whirl(orbit, step):
    """Growth (1/s) and angular frequency (rad/s) of the last half of an orbit (2, points) that is one damped oscillation about a rest.

    Such an oscillation obeys ``z[k+1] = a z[k] + b z[k-1] + constant`` in each component; a, b by least squares.
    """
    x, y = orbit[:, orbit.shape[1] // 2 :]
    one, none = np.ones(len(x) - 2), np.zeros(len(x) - 2)
    scale = np.ptp(orbit)
    rows = np.vstack([np.stack([z[1:-1] / scale, z[:-2] / scale, *side], axis=1) for z, side in ((x, (one, none)), (y, (none, one)))])
    a, b = np.linalg.lstsq(rows, np.concatenate([x[2:], y[2:]]) / scale)[0][:2]
    growth = np.sqrt(-b)
    return np.log(growth) / step, np.arccos(a / (2 * growth)) / step
