"""What bodies cover in many runs at each time, as convex regions that move with the bodies of one of them."""

from dataclasses import dataclass

import numpy as np

from flexmbd.viewer.keys import Track, chosen
from flexmbd.viewer.packing import short
from flexmbd.viewer.runs import SEEN, keys, usual_lines

AROUND, ALONG = np.arange(16) * 22.5, np.arange(8) * 45.0  # degrees of directions in the plane: of bodies, of pieces of a line and places
SLENDER = np.array(
    [0, 30, 60, 78, 86, 90, 94, 102, 120, 150, 180, 210, 240, 258, 266, 270, 274, 282, 300, 330.0]
)  # of bars, from their length
BAR = 4.0  # so many times longer than wide
PIECES = 24  # of a cable or beam
MOST_PIECES = 400
MOST_NUMBERS = 28_000  # 56 kB
PART, VISIBLE = 0.06, 0.02  # of the size of all: that the widest is drawn, and what is seen as it is
SAME = 1e-9  # of the size of all: runs do not differ


@dataclass
class Piece:
    """A region by its support values in directions that are fixed to a body of the nominal run, to a piece of a line, or to the axes.

    Attributes
    ----------
    body : str
    first, last : int
        Nodes of a line, or the number of a place; 0 of a frame.
    origin : ndarray (times, 3)
        Place of the nominal run, m.
    ways : ndarray (times, 3, directions) or (1, 3, directions)
        Unit vectors.
    angles : ndarray (directions,) or None
        In the plane, of the directions, rising, rad.
    thick : float
        By how much what is drawn is larger than its points, m.
    base, most : ndarray (times, directions)
        Support value of the nominal run, and the largest of all runs, from the origin, m.
    """

    body: str
    first: int
    last: int
    origin: np.ndarray
    ways: np.ndarray
    angles: np.ndarray = None
    thick: float = 0.0
    base: np.ndarray = None
    most: np.ndarray = None

    def take(self, points):
        """Cover points (times, points, 3) too, of a run that may end earlier."""
        count = min(len(points), len(self.origin))
        away = points[:count] - self.origin[:count, None]
        ways = self.ways[:count] if len(self.ways) > 1 else self.ways
        support = (away @ ways).max(axis=1) + self.thick
        if self.base is None:
            self.base, self.most = support, support.copy()
        else:
            self.most[:count] = np.maximum(self.most[:count], support)


class Envelope:
    """What all runs cover that it has taken, around the first run of a scene.

    Parameters
    ----------
    scene : Scene
        Its first motion is the nominal run.

    Attributes
    ----------
    count : int
        Runs, the nominal one among them.
    notes : list of str
        What is not drawn, in sentences.
    """

    def __init__(self, scene):
        self.scene, self.count, self.notes = scene, 0, []
        self.time, self.pieces = scene.motions[0].time, []
        for name in scene.names:
            if name != "ground":
                self.pieces += KINDS[scene.motions[0].bodies[name].kind](scene, name)
        if len(self.pieces) > MOST_PIECES:
            self.pieces = self.pieces[:: -(-len(self.pieces) // MOST_PIECES)]
            self.notes.append(f"the region of all runs is drawn of {len(self.pieces)} parts of the mechanism")
        self.take(scene.motions[0])

    def take(self, motion):
        """Cover a run, a `Motion` of the same system."""
        self.count += 1
        for name, body in motion.bodies.items():
            nodes = self.scene.motions[0].bodies[name].nodes.shape[1] if body.kind == "line" else 0
            if nodes and nodes < body.nodes.shape[1]:
                body.thin(nodes)
        for piece in self.pieces:
            body = motion.bodies[piece.body]
            if body.kind == "frame":
                own = points_of(self.scene, motion, piece.body)
                piece.take(body.position[:, None] + own @ np.swapaxes(body.rotation, 1, 2))
            else:
                piece.take((body.nodes if body.kind == "line" else body.points)[:, piece.first : piece.last + 1])

    @property
    def widest(self):
        """By how much the region of a body reaches further than the nominal run, at most, m."""
        return max((float((piece.most - piece.base).max()) for piece in self.pieces), default=0.0)

    def larger(self):
        """A round number by which differences from the nominal run are drawn larger, to be seen; 1 where they are seen anyway."""
        widest, size = self.widest, self.scene.size
        if widest <= SAME * size or widest >= VISIBLE * size:
            return 1.0
        room = PART * size / widest
        power = 10.0 ** np.floor(np.log10(room))
        return float(power * max(x for x in (1, 2, 5) if x * power <= room))

    def data(self, larger):
        """For JSON; with the factor by which differences are drawn larger."""
        number = {name: k for k, name in enumerate(self.scene.names)}
        told, tracks = [], []
        for piece in self.pieces:
            own = {"body": number[piece.body], "first": piece.first, "last": piece.last}
            own |= {} if piece.angles is None else {"angles": short(piece.angles)}
            still = np.ptp(piece.base, axis=0).max() < 1e-4 * SEEN * self.scene.size
            told.append(own | ({"base": short(piece.base[0])} if still else {}))
            more = larger * (piece.most - piece.base)
            tracks.append(Track(self.time, (more if still else np.hstack([more, piece.base]))[..., None]))
        found = {"pieces": told, "runs": self.count, "larger": larger, "across": self._across()}
        if tracks:
            channels = sum(track.channels.shape[1] for track in tracks)
            kept, off = chosen(tracks, 2.0 * SEEN * self.scene.size, max(2, MOST_NUMBERS // channels))
            found["keys"] = keys(self.time, tracks, kept)
            found["off"] = short(off)
        return found

    def areas(self, at, larger):
        """In the plane: corners (directions, 3) of each region at time number `at`, and the body's color."""
        found = []
        for piece in self.pieces:
            h = piece.base[at] + larger * (piece.most[at] - piece.base[at])
            ways, step = piece.ways[at if len(piece.ways) > 1 else 0].T, np.diff(piece.angles, append=piece.angles[0] + 2.0 * np.pi)
            along = (np.roll(h, -1) - h * np.cos(step)) / np.sin(step)
            across = np.stack([-ways[:, 1], ways[:, 0], np.zeros(len(h))], axis=1)
            found.append((piece.origin[at] + h[:, None] * ways + along[:, None] * across, self.scene.colors[piece.body]))
        return found

    def box(self, larger, most=60):
        """Corners of a box in which all regions are, as they are drawn, at so many times, (3,) each; None without regions."""
        found = []
        for at in np.unique(np.linspace(0, len(self.time) - 1, most).astype(int)):
            if self.scene.planar:
                found += [corners for corners, _ in self.areas(at, larger)]
                continue
            for piece in self.pieces:
                h = piece.base[at] + larger * (piece.most[at] - piece.base[at])
                ways = piece.ways[at if len(piece.ways) > 1 else 0].T
                ends = [(h[k] * ways[k], h[k + 3] * ways[k + 3]) for k in range(3)]
                found.append(np.array([piece.origin[at] + x + y + z for x in ends[0] for y in ends[1] for z in ends[2]]))
        every = np.concatenate(found) if found else None
        return None if every is None else (every.min(axis=0), every.max(axis=0))

    def _across(self):
        """By the number of a line the axis that directions across it are made with."""
        scene = self.scene
        lines = {k: scene.motions[0].bodies[name] for k, name in enumerate(scene.names) if scene.motions[0].bodies[name].kind == "line"}
        return {str(k): axis_of(scene, body).tolist() for k, body in lines.items()}


def points_of(scene, motion, name):
    """Points of a rigid body, in its frame, that it is drawn by: corners of its shapes, or ends of its usual lines and its marks."""
    body = motion.bodies[name]
    found = [scene.corners[name]] if scene.shapes[name] else usual_lines(body)
    found = [*found, *(line for marked, line in scene.marks[0].lines if marked == name)]
    found = found or [np.array([(*body.moved.offset, 0.0)[:3]], float)]
    return np.concatenate(found)


def circle(angles):
    """Directions in the plane at these angles (directions,), rad; (3, directions)."""
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])


SIX = np.concatenate([np.eye(3), -np.eye(3)], axis=1)


def _frame(scene, name):
    body = scene.motions[0].bodies[name]
    if not scene.planar:
        return [Piece(name, 0, 0, body.position, body.rotation @ SIX)]
    own = points_of(scene, scene.motions[0], name)
    _, sizes, (along, *_) = np.linalg.svd(own - own.mean(axis=0))
    turns = SLENDER if sizes[0] > BAR * sizes[1:2].sum() else AROUND  # the sides of a bar are covered closely
    angles = np.array(short(np.arctan2(along[1], along[0]) + np.radians(turns), 7))
    return [Piece(name, 0, 0, body.position, body.rotation @ circle(angles), angles)]


def axis_of(scene, line):
    """The axis that chords of a line are never near to: z in the plane."""
    if scene.planar:
        return np.eye(3)[2]
    chords = np.diff(line.nodes, axis=1)
    chords = chords / np.maximum(np.linalg.norm(chords, axis=-1, keepdims=True), 1e-300)
    return np.eye(3)[int(np.argmin(np.abs(chords).max(axis=(0, 1))))]


def chord_frame(chord, axis):
    """Axes (times, 3, 3), as columns: along chords (times, 3), and across them."""
    x = chord / np.maximum(np.linalg.norm(chord, axis=1, keepdims=True), 1e-300)
    y = np.cross(axis, x)
    y /= np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-300)
    return np.stack([x, y, np.cross(x, y)], axis=2)


def _line(scene, name):
    line, found = scene.motions[0].bodies[name], []
    ends = np.unique(np.rint(np.linspace(0, line.nodes.shape[1] - 1, min(PIECES, line.nodes.shape[1] - 1) + 1)).astype(int))
    axis, angles = axis_of(scene, line), np.array(short(np.radians(ALONG), 7)) if scene.planar else None
    around = circle(angles) if scene.planar else SIX
    for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        frame = chord_frame(line.nodes[:, last] - line.nodes[:, first], axis)
        found.append(Piece(name, first, last, line.nodes[:, first], frame @ around, angles))
    return found


def _places(scene, name):
    body = scene.motions[0].bodies[name]
    radii = [r for shape in scene.shapes[name] for r in getattr(shape, "radii", ())] or [0.0] * body.points.shape[1]
    angles = np.array(short(np.radians(ALONG), 7)) if scene.planar else None
    around = (circle(angles) if scene.planar else SIX)[None]
    return [Piece(name, k, k, body.points[:, k], around, angles, radii[k]) for k in range(body.points.shape[1])]


KINDS = {"frame": _frame, "line": _line, "places": _places}
