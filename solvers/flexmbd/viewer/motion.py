"""Where the bodies of one run are at its times, as far as they are known."""

from dataclasses import dataclass

import numpy as np

from flexmbd.bodies.ancf_line import cubic
from flexmbd.bodies.grains import Grains
from flexmbd.errors import ModelError
from flexmbd.viewer.keys import Track, quaternions
from flexmbd.viewer.looks import in_space

SLOPE_SHARE = 4.0 / 27.0  # of an error of an element's slope that is seen in its middle


class Frame:
    """A rigid body, a point mass or ground: a place and a rotation."""

    kind = "frame"

    def __init__(self, moved):
        found = moved.body.poses(moved)
        self.moved, self.position, self.rotation = moved, found.position, found.rotation
        self.joined = []  # seats of elements' ends on it

    def cut(self, times):
        """Keep the first times."""
        self.position, self.rotation = self.position[:times], self.rotation[:times]

    def place(self, seat):
        """Where a point of it is, (times, 3); `seat` as of `Body.seat`."""
        return self.position + self.rotation @ in_space(seat)

    def track(self, time, reach):
        """Its `Track`."""
        return Track(time, self.position[:, None], quaternions(self.rotation), reach)

    def described(self):
        """What the page is told besides its track."""
        return {}

    @property
    def extent(self):
        """Points that it takes, (times, points, 3)."""
        return self.position[:, None]


class Line:
    """A cable or a beam: places and slopes of nodes, and of a beam the sections' axis y."""

    kind = "line"

    def __init__(self, moved):
        found = moved.body.centre_line(moved, 1)
        between = (found.nodes.shape[-2] - 1) // (found.position.shape[-2] - 1)
        found = found if between == 1 else moved.body.centre_line(moved, between)
        self.moved, self.nodes = moved, found.position
        self.slopes = found.slope / (found.position.shape[-2] - 1)
        self.across = None if found.section is None else found.section[..., 0]

    def cut(self, times):
        """Keep the first times."""
        self.nodes, self.slopes = self.nodes[:times], self.slopes[:times]
        self.across = None if self.across is None else self.across[:times]

    def thin(self, most):
        """Leave out nodes, so that at most so many are left; True if it was necessary."""
        count = self.nodes.shape[1]
        if count <= most:
            return False
        own = np.rint(np.linspace(0, count - 1, most)).astype(int)
        self.nodes, self.slopes = self.nodes[:, own], self.slopes[:, own] * ((count - 1) / (most - 1))
        self.across = None if self.across is None else self.across[:, own]
        return True

    def place(self, seat):
        """Where a point of it is, (times, 3)."""
        count = self.nodes.shape[1] - 1
        k = min(int(seat[0] * count), count - 1)
        f = cubic(seat[0] * count - k, 1.0)
        at = f[0] * self.nodes[:, k] + f[1] * self.slopes[:, k] + f[2] * self.nodes[:, k + 1] + f[3] * self.slopes[:, k + 1]
        if len(seat) < 3:
            return at
        y, along = (x[:, k] / np.linalg.norm(x[:, k], axis=1, keepdims=True) for x in (self.across, self.slopes))
        return at + seat[1] * y + seat[2] * np.cross(along, y)

    def track(self, time, reach):
        """Its `Track`."""
        parts, count = [self.nodes, self.slopes], self.nodes.shape[1]
        weights = [1.0] * count + [SLOPE_SHARE] * count
        if self.across is not None:
            parts, weights = [*parts, self.across], weights + [reach] * count
        return Track(time, np.concatenate(parts, axis=1), weights=np.array(weights))

    def described(self):
        """What the page is told besides its track."""
        return {"nodes": self.nodes.shape[1], "across": self.across is not None}

    @property
    def extent(self):
        """Points that it takes, (times, points, 3)."""
        return self.nodes


class Places:
    """Grains, or named points of a body that has neither frame nor line.

    Attributes
    ----------
    angle : ndarray (times, places) or None
        Of grains in the plane, rad.
    """

    kind = "places"

    def __init__(self, moved):
        self.moved, self.angle = moved, None
        self.points = np.stack([*moved.body.places_of(moved).values()], axis=1)
        if isinstance(moved.body, Grains) and moved.body.dimension == 2:
            rotation = moved.body.poses(moved).rotation
            self.angle = np.unwrap(np.arctan2(rotation[..., 1, 0], rotation[..., 0, 0]), axis=0)

    def cut(self, times):
        """Keep the first times."""
        self.points = self.points[:times]
        self.angle = None if self.angle is None else self.angle[:times]

    def place(self, seat):
        """Where a point of it is, (times, 3)."""
        return self.points[:, int(seat[0])]

    def track(self, time, reach):
        """Its `Track`."""
        if self.angle is None:
            return Track(time, self.points)
        count, angles = self.points.shape[1], self.angle[..., None] * (1.0, 0.0, 0.0)
        return Track(time, np.concatenate([self.points, angles], axis=1), weights=[1.0] * count + [reach] * count)

    def described(self):
        """What the page is told besides its track."""
        return {"count": self.points.shape[1], "turns": self.angle is not None}

    @property
    def extent(self):
        """Points that it takes, (times, points, 3)."""
        return self.points


KINDS = {"poses": Frame, "centre_line": Line, "places": Places}  # by what says in a trajectory where a body is


@dataclass
class Motion:
    """One run: its bodies by name, and the times at which all of them are known.

    Attributes
    ----------
    time : ndarray (times,)
        s
    bodies : dict str -> Frame, Line or Places
    trajectory : Trajectory
        Of this run alone.
    told : str
        Why it ends before its last time; "" if it does not.
    """

    time: np.ndarray
    bodies: dict
    trajectory: object
    told: str = ""

    def place(self, end):
        """Where an end of an element is (`Joined.ends`), (times, 3)."""
        body, seat = end
        return self.bodies[body].place(seat)


def motion_of(trajectory, name="the run"):
    """The `Motion` of one run, without axis of samples.

    Raises
    ------
    ModelError
        If it has kept no poses, or failed before it moved.
    """
    if not trajectory.bodies:
        raise ModelError(f"{name} has kept no poses, so there is nothing to show", remedy="run it with poses=True")
    bodies = {key: KINDS[moved.body.said_by](moved) for key, moved in trajectory.bodies.items()}
    known = np.all([np.isfinite(body.extent).all(axis=(1, 2)) for body in bodies.values()], axis=0)
    count = len(known) if known.all() else int(np.argmin(known))
    why = f": {trajectory.message}" if trajectory.message else ""
    if count == 0:
        raise ModelError(f"{name} has no poses, for it failed before it moved{why}", remedy="show another sample")
    for joined in trajectory.elements:
        for body, seat in joined.ends.values():
            if bodies[body].kind == "frame":
                bodies[body].joined.append(seat)
    told = ""
    if count < len(known):
        told = f"{name} is shown to {trajectory.time[count - 1]:.6g} s, where it ended{why}"
        for body in bodies.values():
            body.cut(count)
    return Motion(trajectory.time[:count], bodies, trajectory, told)
