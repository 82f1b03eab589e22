"""An ideal slider-crank and a four-bar linkage driven at constant speed, and their motions in closed form."""

import numpy as np

import flexmbd as fm

SPEED = 5000 * 2 * np.pi / 60  # of the crank, rad/s
CRANK, ROD = 0.05, 0.12
M1, M2, M3, I2 = 0.30, 0.21, 0.14, 2.5e-4
BAR_SPEED, GROUND, A, B, C = 400.0, 0.1, 0.03, 0.1, 0.08  # four-bar: its input speed and its lengths

OUTPUTS = [
    "slider.x", "slider.vx", "slider.ax", "rod.angle", "rod.rate", "rod.alpha", "drive.moment", "O.fx", "O.fy", "A.fx", "A.fy", "B.fx",
    "B.fy", "guide.fy", "guide.moment", "coupler.angle", "coupler.rate", "coupler.alpha", "rocker.angle", "rocker.rate", "rocker.alpha",
    "energy.balance", "energy.kinetic", "energy.drive",
]  # fmt: skip


def mechanisms():
    """Both mechanisms side by side; positions are a rough guess, velocities none."""
    s = fm.System()
    crank = s.body("crank", mass=M1, inertia=1e-5, position=(CRANK / 2, 0), points={"O": (-CRANK / 2, 0), "A": (CRANK / 2, 0)})
    rod = s.body("rod", mass=M2, inertia=I2, position=(CRANK + ROD / 2, 0), points={"A": (-ROD / 2, 0), "B": (ROD / 2, 0)})
    slider = s.body("slider", mass=M3, inertia=1e-4, position=(CRANK + ROD, 0), points={"B": (0, 0)})
    pivot = s.ground.at(0, 0)
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Revolute("B", rod["B"], slider["B"]))
    s.add(fm.RevoluteTranslational("guide", pivot, slider["B"]))
    s.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(SPEED)))
    turned = s.body("input", mass=0.1, inertia=1e-5, position=(A / 2, 0), points={"P": (-A / 2, 0), "Q": (A / 2, 0)})
    coupler = s.body("coupler", mass=0.2, inertia=2e-4, position=(0.06, 0.04), angle=0.7, points={"Q": (-B / 2, 0), "R": (B / 2, 0)})
    rocker = s.body("rocker", mass=0.15, inertia=1e-4, position=(0.1, 0.04), angle=1.7, points={"S": (-C / 2, 0), "R": (C / 2, 0)})
    s.add(fm.Revolute("P", pivot, turned["P"]))
    s.add(fm.Revolute("Q", turned["Q"], coupler["Q"]))
    s.add(fm.Revolute("R", coupler["R"], rocker["R"]))
    s.add(fm.Revolute("S", s.ground.at(GROUND, 0), rocker["S"]))
    s.add(fm.AngleDrive("input_drive", pivot, turned["P"], fm.ConstantSpeed(BAR_SPEED)))
    return s


def slider_crank(t):
    """Position, velocity, acceleration of rod angle and slider: two arrays (3, len(t))."""
    theta = SPEED * t
    sine = -CRANK / ROD * np.sin(theta)
    angle = np.arcsin(sine)
    cosine = np.cos(angle)
    rate = -CRANK / ROD * SPEED * np.cos(theta) / cosine
    alpha = (CRANK / ROD * SPEED**2 * np.sin(theta) + sine * rate**2) / cosine
    x = CRANK * np.cos(theta) + ROD * cosine
    v = -CRANK * SPEED * np.sin(theta) - ROD * sine * rate
    a = -CRANK * SPEED**2 * np.cos(theta) - ROD * (cosine * rate**2 + sine * alpha)
    return np.array([angle, rate, alpha]), np.array([x, v, a])


def newton_euler(t):
    """Forces at A and B on the rod, at O on the crank, and the moment that drives it, by hand."""
    (angle, rate, alpha), (_, _, a3) = slider_crank(t)
    theta = SPEED * t
    crank = CRANK * np.array([np.cos(theta), np.sin(theta)])
    rod = ROD * np.array([np.cos(angle), np.sin(angle)])
    normal = np.array([-rod[1], rod[0]])
    centre = -(SPEED**2) * crank + 0.5 * (alpha * normal - rate**2 * rod)
    bx = -M3 * a3
    ax, ay_plus_by = M2 * centre[0] - bx, M2 * centre[1]
    # I2 alpha = (B - A) x half the rod, with by = ay_plus_by - ay
    by = (I2 * alpha + 0.5 * rod[1] * (bx - ax) + 0.5 * rod[0] * ay_plus_by) / rod[0]
    a = np.array([ax, ay_plus_by - by])
    b = np.array([bx, by])
    o = -0.5 * M1 * SPEED**2 * crank + a
    return a, b, o, crank[0] * a[1] - crank[1] * a[0]


def four_bar(t):
    """Angles, rates, accelerations of coupler and rocker: (3, 2, len(t))."""
    theta = BAR_SPEED * t
    q = A * np.array([np.cos(theta), np.sin(theta)])
    d = np.array([GROUND - q[0], -q[1]])
    size = np.hypot(*d)
    open_angle = np.arccos((B**2 + size**2 - C**2) / (2 * B * size))
    coupler = np.arctan2(d[1], d[0]) + open_angle
    r = q + B * np.array([np.cos(coupler), np.sin(coupler)])
    rocker = np.unwrap(np.arctan2(r[1], r[0] - GROUND))
    out = [np.array([coupler, rocker])]
    matrix = np.array([[-B * np.sin(coupler), C * np.sin(rocker)], [B * np.cos(coupler), -C * np.cos(rocker)]]).transpose(2, 0, 1)
    side = -BAR_SPEED * np.array([-q[1], q[0]])
    rates = np.linalg.solve(matrix, side.T[..., None])[..., 0].T
    side = BAR_SPEED**2 * q + B * rates[0] ** 2 * np.array([np.cos(coupler), np.sin(coupler)])
    side = side - C * rates[1] ** 2 * np.array([np.cos(rocker), np.sin(rocker)])
    return np.array([*out, rates, np.linalg.solve(matrix, side.T[..., None])[..., 0].T])
