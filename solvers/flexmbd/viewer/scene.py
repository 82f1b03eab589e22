"""What the page draws, as data: of all runs what bodies look like and where the mechanism is; `runs` has what is of one run."""

from dataclasses import replace

import numpy as np

from flexmbd.bodies.base import Framed
from flexmbd.bodies.shapes import Balls
from flexmbd.contact.translational import ClearanceTranslational
from flexmbd.errors import ModelError
from flexmbd.viewer.forces import arrows_of
from flexmbd.viewer.looks import COLORS, GROUND, corners, look
from flexmbd.viewer.marks import marks_of
from flexmbd.viewer.packing import short
from flexmbd.viewer.runs import MOST_NUMBERS, MOST_OF_SMALL, run_data, usual_lines
from flexmbd.viewer.surfaces import vector

MOST_BODIES, MOST_MARKS, MOST_NODES = 1000, 600, 240
NODES_OF_ALL = 4000
WALLS = 1.25  # of a guide to either side of the slider's middle, by its length, as `assets/picture.js` draws them
BEARING_PART, GUIDE_PART = 0.4, 0.25  # clearance drawn at most, by radius of the bearing and width of the slider
PEAKS = 0.98  # part of all forces that are no peaks


class Scene:
    """Runs of one system as one scene; the first is drawn solid.

    Parameters
    ----------
    motions : list of Motion
    labels : list of str
    trails : sequence of str
        ``"body"`` or ``"body.point"``.
    forces : sequence of str or None
        Names of elements; None for all whose forces the runs have.
    play : float or None
        By how much clearances are drawn larger; chosen if left out.
    numbers, small : int
        That are kept at most of a run's motion, and of its forces and of its clearances each.

    Attributes
    ----------
    planar : bool
    names : list of str
        Bodies that are drawn, ground among them.
    colors : dict str -> str
    low, high : ndarray (3,)
        Corners of all that is shown at all times, m; `size` is how far they are from each other.
    kept : ndarray or None
        Numbers of the times that are kept of all runs; None lets each run have its own.
    notes : list of str
        What is drawn otherwise than it was computed, in sentences.
    """

    def __init__(self, motions, labels, trails=(), forces=None, play=None, *, numbers=MOST_NUMBERS, small=MOST_OF_SMALL):
        self.most_numbers, self.most_of_small, self.kept = numbers, small, None
        self.motions, self.labels, self.notes = motions, labels, [m.told for m in motions if m.told]
        self.planar = motions[0].bodies["ground"].moved.body.dimension == 2
        self._thin_bodies()
        self.names = [*motions[0].bodies]
        moving = [name for name in self.names if name != "ground"]
        self.colors = {"ground": GROUND} | {name: COLORS[k % len(COLORS)] for k, name in enumerate(moving)}
        self._see_shapes()
        self.low, self.high = self._box(self.corners)
        self.size = float(np.linalg.norm(self.high - self.low)) or 1.0
        self._mark()
        self.play = self._chosen_play() if play is None else float(play)
        self.arrows = [arrows_of(motion, forces) for motion in motions]
        self.trails = [self._trail(name) for name in trails]
        self.force = self._usual_force()

    def data(self):
        """All of it for JSON, as `assets/main.js` reads it; adds its `notes`."""
        runs = [run_data(self, k) for k in range(len(self.motions))]
        return {
            "planar": self.planar,
            "up": self._up(),
            "low": short(self.low),
            "high": short(self.high),
            "size": short(self.size),
            "start": short(self.motions[0].time[0]),
            "end": short(max(motion.time[-1] for motion in self.motions)),
            "bodies": [{"name": name, "kind": self.motions[0].bodies[name].kind, "color": self.colors[name]} for name in self.names],
            "looks": [look(shape, k, self.colors[name]) for k, name in enumerate(self.names) for shape in self.shapes[name]],
            "runs": runs,
            "play": short(self.play),
            "force": short(self.force),
            "notes": self.notes,
        }

    def shown(self, name):
        """True of a body to which shapes were given."""
        return bool(self.motions[0].bodies[name].moved.body.given_shapes)

    # ---- what there is
    def _thin_bodies(self):
        """Of too many bodies every so manyth, of too many nodes some; elements of those that are left."""
        for motion in self.motions:
            moving = [name for name in motion.bodies if name != "ground"]
            step = -(-len(moving) // MOST_BODIES)
            kept = {"ground", *moving[::step]}
            motion.bodies = {name: body for name, body in motion.bodies.items() if name in kept}
            lines = {name: body for name, body in motion.bodies.items() if body.kind == "line"}
            most = max(8, min(MOST_NODES, NODES_OF_ALL // max(len(lines), 1)))
            thinned = [name for name, body in lines.items() if body.thin(most)]
            joined = [x for x in motion.trajectory.elements if all(body in kept for body, _ in x.ends.values())]
            motion.trajectory = replace(motion.trajectory, elements=tuple(joined))
        if step > 1:
            self.notes.append(f"{len(kept) - 1:,} of {len(moving):,} bodies are drawn, one of {step}, and the joints between these")
        if thinned:
            self.notes.append(f"{most} nodes are drawn of each of {listed(thinned)}, which have more")

    def _see_shapes(self):
        """By body its shapes (none where it is drawn by lines of each run), and how far a rotation reaches."""
        self.shapes, self.corners, self.reach = {}, {}, {}
        turning = []
        for name in self.names:
            moving = self.motions[0].bodies[name]
            body = moving.moved.body
            usual = isinstance(body, Framed) and not self.shown(name)
            self.shapes[name] = shapes = () if usual else body.shapes
            if shapes and moving.kind == "places" and moving.angle is None and not all(isinstance(shape, Balls) for shape in shapes):
                turning.append(name)
            found = [corners(shape) for shape in shapes]
            found += [line for motion in self.motions for line in usual_lines(motion.bodies[name]) if usual]
            self.corners[name] = np.concatenate(found) if found else np.zeros((0, 3))
            self.reach[name] = float(np.linalg.norm(self.corners[name], axis=1).max(initial=0.0))
        if turning:
            self.notes.append(f"shapes of {listed(turning)} are drawn without their turning, which the run does not know")

    def _box(self, corners, alone=True):
        """Corners of a box in which points of bodies' frames are at all times; with bodies themselves, and ends on ground, if `alone`."""
        points = []
        for motion in self.motions:
            own = np.unique(np.linspace(0, len(motion.time) - 1, 300).astype(int))
            for name, body in motion.bodies.items():
                found = corners.get(name, NOTHING)
                if body.kind == "frame":
                    box = found if len(found) <= 8 else np.array([[f(x) for f, x in zip(fgh, found.T, strict=True)] for fgh in ENDS])
                    points.append((body.position[own, None] + np.einsum("tij,pj->tpi", body.rotation[own], box)).reshape(-1, 3))
                    points.append(body.position[own] if alone and name != "ground" else NOTHING)
                elif alone:
                    extent = body.extent[own].reshape(-1, 3)
                    thick = np.linalg.norm(found, axis=1).max(initial=0.0)
                    points.append(np.array([extent.min(axis=0) - thick, extent.max(axis=0) + thick]))
            ends = (end for x in motion.trajectory.elements for end in x.ends.values() if alone and end[0] == "ground")
            points += [motion.place(end)[:1] for end in ends]
            points += [sign * reach[own] + place[own] for place, reach in _bearings(motion) if alone for sign in (-1.0, 1.0)]
        every = np.concatenate(points)
        every = every if len(every) else np.zeros((1, 3))
        flat = (1.0, 1.0, 0.0) if self.planar else 1.0
        return every.min(axis=0) * flat, every.max(axis=0) * flat

    def _mark(self):
        """Joints and bearings of each run."""
        found = [marks_of(motion, self.size, self.planar, MOST_MARKS) for motion in self.motions]
        self.marks, count = [marks for marks, _ in found], found[0][1]
        if count > MOST_MARKS:
            self.notes.append(f"one of {-(-count // MOST_MARKS)} of {count:,} joints is marked")
        marked = {body for marks in self.marks for body, _ in marks.lines}
        lines = {name: np.concatenate([x for marks in self.marks for body, x in marks.lines if body == name]) for name in marked}
        if lines:
            low, high = self._box(lines, alone=False)
            self.low, self.high = np.minimum(self.low, low), np.maximum(self.high, high)
            self.size = float(np.linalg.norm(self.high - self.low)) or 1.0

    def _chosen_play(self):
        """A round number by which clearances are drawn larger, so that they are seen but stay smaller than their bearings."""
        room = [BEARING_PART * b["radius"] / b["clearance"] for marks in self.marks for b in marks.bearings]
        room += [GUIDE_PART * g["width"] / g["clearance"] for marks in self.marks for g in marks.guides]
        if not room or min(room) <= 1.0:
            return 1.0
        power = 10.0 ** np.floor(np.log10(min(room)))
        return float(power * max(x for x in (1, 2, 5) if x * power <= min(room)))

    def _usual_force(self):
        """The force of an arrow of a usual length: the largest but for peaks, N; 0 without forces."""
        sizes = [np.linalg.norm(force, axis=1) for arrows in self.arrows for _, _, force in arrows]
        sizes = np.concatenate([x[x > 0.0] for x in sizes]) if sizes else np.zeros(0)
        return float(np.quantile(sizes, PEAKS)) if len(sizes) else 0.0

    def _up(self):
        """Unit vector that points upwards on the page: against gravity, or z; in the plane y."""
        if self.planar:
            return [0, 1, 0]
        told = [self.motions[0].trajectory.attributes.get(f"gravity.{axis}") for axis in "xyz"]  # words where it is one a sample
        gravity = np.array([x if isinstance(x, float) else 0.0 for x in told])
        size = np.linalg.norm(gravity)
        return short(-gravity / size) if size else [0, 0, 1]

    def _trail(self, name):
        """Body, and name of its point or None, of a trail."""
        body, point = (name, None) if name in self.names else name.rpartition(".")[::2]
        if body not in self.names:
            raise ModelError(f"trails has {name!r}", remedy=f"give bodies, or points as 'body.point'; there are {listed(self.names)}")
        seats = self.motions[0].bodies[body].moved.seats
        if point is not None and point not in seats:
            raise ModelError(
                f"trails has {name!r}, but '{body}' has no point '{point}'", remedy=f"its points are {listed(seats) or 'none'}"
            )
        return body, point


def _bearings(motion):
    """Places of bearings and of sliders in guides, and how far these reach along all axes, (times, 3) each, m."""
    for joined in motion.trajectory.elements:
        numbers = joined.numbers
        if "b" in joined.ends and "bearing_radius" in numbers:
            place, size = motion.place(joined.ends["b"]), max(numbers["bearing_radius"], 0.5 * numbers.get("length", 0.0))
            yield place, np.full_like(place, size)
        elif isinstance(joined.element, ClearanceTranslational) and len(joined.ends) == 2:
            along = motion.bodies[joined.ends["b"][0]].rotation @ vector(joined, "axis_b")
            yield motion.place(joined.ends["a"]), np.abs(along) * WALLS * numbers["length"] + np.abs(along[:, [1, 0, 2]]) * numbers["width"]


NOTHING = np.zeros((0, 3))
ENDS = [[(np.min, np.max)[(k >> i) & 1] for i in range(3)] for k in range(8)]


def listed(names, most=6):
    """Names in words, not too many."""
    names = list(map(repr, names))
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
