"""A six-axis arm that carries a payload to a place: servo motors with gears that rub, and play in the bearings of shoulder and elbow."""

import math

import numpy as np

import flexmbd as fm
from flexmbd.lanes import tanh

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
GRAVITY = 9.81  # m/s²
PAYLOAD = 4.0  # for which the motors' torques are planned, kg
MOVE = 1.0  # s; the arm has to be there by then, and stays
PACE = 60.0  # of the servos, rad/s
SLIP = 0.05  # rad/s, over which friction changes its sign
BEARING = {"bearing_radius": 25e-3, "length": 80e-3}  # of shoulder and elbow, m
BUSH = 3e7  # stiffness of each end of a bearing, N/m
LOAD = 0.08  # radius of the payload, a solid cylinder, m
STEPS = 20  # of the profile of a move
# By joint: axis; angle at the start and at the end (rad); the link after it: from end to end (m), mass (kg), radius (m); inertia by which
# the servo is set (kg m²); friction of the gear (N m)
ARM = (
    (Z, 0.0, 1.2, (0.0, 0.0, 0.40), 14.0, 0.07, 6.0, 6.0),
    (Y, 0.3, 0.7, (0.0, 0.0, 0.45), 9.0, 0.06, 6.0, 6.0),
    (Y, 1.4, 0.9, (0.0, 0.0, 0.40), 5.0, 0.05, 1.5, 3.0),
    (Z, 0.0, 0.6, (0.0, 0.0, 0.10), 1.5, 0.04, 0.1, 0.5),
    (Y, 0.4, 0.3, (0.0, 0.0, 0.10), 1.2, 0.04, 0.1, 0.5),
    (Z, 0.0, -0.5, (0.0, 0.0, 0.10), 0.8, 0.04, 0.03, 0.3),
)
LOOSE = (1, 2)  # joints with play


def rotation(axis, angle):
    """Matrix of a turn about a coordinate axis."""
    c, s = math.cos(angle), math.sin(angle)
    i = axis.index(1.0)
    found = np.eye(3)
    j, k = (i + 1) % 3, (i + 2) % 3
    found[j, j] = found[k, k] = c
    found[j, k], found[k, j] = -s, s
    return found


def frames(angles):
    """Place of the inner end and frame of each link, and place of the tip, from the arm's foot."""
    place, frame, found = np.zeros(3), np.eye(3), []
    for (axis, _, _, reach, *_), angle in zip(ARM, angles, strict=True):
        frame = frame @ rotation(axis, angle)
        found.append((place, frame))
        place = place + frame @ reach
    return found, place


def planned(start, end):
    """Times (STEPS + 1,) of a move and values from `start` to `end` (arrays), whose rates and accelerations begin and end at zero."""
    x = np.linspace(0.0, 1.0, STEPS + 1)
    return MOVE * x, start + (end - start) * (x**3 * (10.0 - 15.0 * x + 6.0 * x * x))[:, None]


def staying(times, values):
    """What goes through the values and then keeps the last one."""
    return fm.Table(np.append(times, MOVE * np.array([1.5, 2.0, 3.0])), np.append(values, [values[-1]] * 3), kind="cubic")


def holding(angles):
    """Torques of the motors (6,) that hold links and nominal payload at rest."""
    found, tip = frames(angles)
    masses = [(mass, place + frame @ reach / 2) for (place, frame), (*_, reach, mass, _, _, _) in zip(found, ARM, strict=True)]
    masses.append((PAYLOAD, tip))
    return [
        sum(mass * GRAVITY * (frame @ axis) @ np.cross(at - place, Z) for mass, at in masses[k:])
        for k, ((place, frame), (axis, *_)) in enumerate(zip(found, ARM, strict=True))
    ]


def rubbing(t, angle, rate, friction):
    """Friction of a gear against its rate."""
    return -friction * tanh(rate / SLIP)


def arm(payload=PAYLOAD, friction=1.0, clearance=0.1e-3):
    """An arm whose tip has to be in the origin when it stops, so that places of the tip are then its errors.

    Parameters
    ----------
    payload : float or ndarray
        kg, at the tip.
    friction : float or ndarray
        Of all gears, by that of `ARM`.
    clearance : float or ndarray
        Radial, of the bearings of shoulder and elbow, m; 0 is not possible.
    """
    s = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    times, path = planned(*(np.array([joint[k] for joint in ARM]) for k in (1, 2)))
    torques = np.array([holding(angles) for angles in path])
    places, tip = frames(path[0])
    _, target = frames(path[-1])
    law = fm.HuntCrossley(BUSH, restitution=0.3, exponent=1.0)
    before = s.ground.at(*(-target), "foot")
    for k, ((axis, _, _, reach, mass, radius, inertia, gear), (place, frame)) in enumerate(zip(ARM, places, strict=True), start=1):
        half, length = 0.5 * np.array(reach), reach[2]
        across = mass * (radius**2 / 4 + length**2 / 12)
        link = s.body(
            f"link{k}", mass=mass, inertia=(across, across, mass * radius**2 / 2), position=tuple(place + frame @ half - target),
            rotation=frame.tolist(), points={"in": tuple(-half), "out": tuple(half)},
        )  # fmt: skip
        inner = before.body
        if k - 1 in LOOSE:
            play = {"clearance": clearance, "law": law, "minimum_impact_velocity": 1e-2, **BEARING}
            s.add(fm.ClearanceCylindrical(f"J{k}", link["in"], before, axis_a=axis, axis_b=axis, **play))
            s.add(fm.SlideDrive(f"thrust{k}", before, link["in"], 0.0, axis=axis))
        else:
            s.add(fm.Revolute(f"J{k}", before, link["in"], axis=axis))
        turn = fm.AngleOf(inner, link, axis=axis)
        way = staying(times, path[:, k - 1] - path[0, k - 1])  # angles are zero at the start
        servo = fm.PID(turn, way, kp=inertia * PACE**2, ki=inertia * PACE**3 / 40.0, kd=1.5 * inertia * PACE)
        s.add(fm.Actuator(f"motor{k}", turn, servo))
        s.add(fm.Actuator(f"weight{k}", turn, staying(times, torques[:, k - 1])))
        s.add(fm.UserTorque(f"gear{k}", inner, link, rubbing, {"friction": gear * friction}, axis=axis))
        before = link["out"]
    own = payload * LOAD**2 / 2.0
    load = s.body("load", mass=payload, inertia=(own, own, own), position=tuple(tip - target), rotation=frame.tolist())
    s.add(fm.Fixed("grip", before, load.centre))
    for axis in "xyz":
        s.alias(f"tip.{axis}", f"load.{axis}")
    return s
