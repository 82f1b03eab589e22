"""The sleeve of a gearbox is pushed into a gear, and strikes the flanks of its teeth until it is meshed: benchmark GRBX01.

H. Chen, S. Mitra, G. Tian, "Motor-Transmission Drive System: a Benchmark Example for Safety Verification", ARCH 2015.

Forces are constant, so every flight is a parabola: the next impact is a root of a quadratic, and no time is stepped.
"""

from math import cos, inf, pi, sin, sqrt, tan
from typing import NamedTuple

import numpy as np

SLEEVE, GEAR = 3.2, 18.1  # masses, kg
INERTIA = 0.7  # of the gear, kg m^2
RADIUS = 0.08  # of the sleeve, m
ANGLE = pi / 5  # of the flanks, 36 degrees, rad
DEPTH = 0.01  # of the teeth, m
MESHED = -0.002  # px at which the sleeve is meshed, m
FORCE, TORQUE = 70.0, 1.0  # that push the sleeve (N), and that turn it (N m)
RESTITUTION = 0.9
LONGEST = 1.0  # a sleeve that is not meshed by then never will be, s
MOST_IMPACTS = 15  # so many digits of `sequence` are exact
ROUNDING = 1e-9  # a sleeve may be meshed in the very moment in which it strikes a flank: there the order of impacts changes

PUSH, TURN = FORCE / SLEEVE, -RADIUS * TORQUE / INERTIA  # accelerations along px and py, m/s^2
SLOPE = tan(ANGLE)
TIP = -DEPTH / SLOPE  # px of the tips of the teeth, m


class Flight(NamedTuple):
    """Start of a flight: time [s], place [m], velocity [m/s], and the impulse so far [N s]."""

    time: float
    px: float
    py: float
    vx: float
    vy: float
    impulse: float

    def after(self, duration: float) -> "Flight":
        """The same flight `duration` seconds later; numbers, or arrays over durations."""
        return Flight(
            self.time + duration,
            self.px + duration * (self.vx + 0.5 * PUSH * duration),
            self.py + duration * (self.vy + 0.5 * TURN * duration),
            self.vx + PUSH * duration,
            self.vy + TURN * duration,
            self.impulse,
        )


def gearbox(px0, py0, time):
    """Push the sleeve from rest until it is meshed.

    Parameters
    ----------
    px0, py0 : float
        Where the sleeve starts: along its axis, and across it from the middle between two teeth, m.
    time : ndarray of shape (points,)
        Times of the histories, s.

    Returns
    -------
    dict
        Numbers: ``meshing_time`` (s), ``impulse`` of all impacts and of the meshing (N s), ``impacts`` (how many), ``sequence`` (the flanks
        in the order in which they are struck, as digits: 121 is flank 1, flank 2, flank 1). Arrays of shape (points,): ``px``, ``py`` (m),
        ``impulse_so_far`` (N s); the meshed sleeve stays where it is.
    """
    start, struck, flights = Flight(0.0, px0, py0, 0.0, 0.0, 0.0), [], []
    while True:
        meshing = first_time(MESHED - start.px, start.vx, PUSH)
        times = [time_to_flank(start, flank) for flank in (1, 2)]
        duration = min(meshing, *times)
        if not start.time + duration <= LONGEST:
            raise ValueError(f"the sleeve is not meshed within {LONGEST:g} s, after {len(struck)} impacts")
        flights.append(start)
        end = start.after(duration)
        if duration == meshing:
            break
        if len(struck) == MOST_IMPACTS:
            raise ValueError(f"the sleeve is not meshed after {MOST_IMPACTS} impacts, at {end.time:.6g} s")
        struck.append(1 + times.index(duration))
        start = rebound(end, struck[-1])
    if abs(end.py) > -MESHED * SLOPE * (1 + ROUNDING):
        raise ValueError(f"the sleeve met a tooth at its tip, which this model does not have: it ends at py = {end.py:.4g} m")
    meshed = end._replace(px=MESHED, vx=0.0, vy=0.0, impulse=end.impulse + SLEEVE * (end.vx + end.vy))
    return {
        "meshing_time": (meshed.time, "s"),
        "impulse": (meshed.impulse, "N*s"),
        "impacts": len(struck),
        "sequence": float("".join(map(str, struck)) or 0),
        **histories(flights, meshed, time),
    }


def first_time(distance, speed, acceleration):
    """First time from now on at which a way of `distance` is covered; infinite if never.

    Both forms of the root of ``distance = speed t + acceleration t^2 / 2`` add numbers of one sign, so no digits are lost. A point that is
    on a flank (distance 0) and leaves it (speed below 0) comes back at the other root, not at once.

    Parameters
    ----------
    distance : float
        Still to go, not negative, m.
    speed, acceleration : float
        Towards what is to be reached, m/s and m/s^2.
    """
    square = speed**2 + 2 * acceleration * distance
    if distance < 0 or square < 0:
        return inf
    if speed > 0:
        return 2 * distance / (speed + sqrt(square))
    return (sqrt(square) - speed) / acceleration if acceleration > 0 else inf


def time_to_flank(start, flank):
    """Time from the start of a flight to its impact on flank 1 (``py = -px tan``) or 2 (``py = px tan``), s; infinite if there is none.

    A flank reaches from the tip of the tooth to where the sleeve is meshed; there its own impact is no longer looked for.
    """
    side = 1 if flank == 1 else -1
    duration = first_time(-start.px * SLOPE - side * start.py, start.vx * SLOPE + side * start.vy, PUSH * SLOPE + side * TURN)
    return duration if duration < inf and TIP <= start.after(duration).px <= MESHED else inf


def rebound(end, flank):
    """The flight after an impact on a flank: Newton's restitution, and its impulse added."""
    side, s, c = (1 if flank == 1 else -1), sin(ANGLE), cos(ANGLE)
    vx, vy = end.vx, side * end.vy
    whole = SLEEVE * c**2 + GEAR * s**2
    impulse = (1 + RESTITUTION) * SLEEVE * GEAR * (s * vx + c * vy) / whole
    return end._replace(
        py=-side * end.px * SLOPE,  # on the flank to the last bit
        vx=((SLEEVE * c**2 - RESTITUTION * GEAR * s**2) * vx - (1 + RESTITUTION) * GEAR * s * c * vy) / whole,
        vy=side * (-(1 + RESTITUTION) * SLEEVE * s * c * vx + (GEAR * s**2 - RESTITUTION * SLEEVE * c**2) * vy) / whole,
        impulse=end.impulse + impulse,
    )


def histories(flights, meshed, time):
    """Place and impulse at the given times, from the starts of all flights and the meshed sleeve."""
    starts = np.array([*flights, meshed]).T
    number = np.maximum(np.searchsorted(starts[0], time, side="right") - 1, 0)
    at = Flight(*starts[:, number])
    moving = number < len(flights)
    then = at.after(np.where(moving, time - at.time, 0.0))
    return {"px": (then.px, "m"), "py": (then.py, "m"), "impulse_so_far": (then.impulse, "N*s")}
