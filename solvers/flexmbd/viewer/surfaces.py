"""Surfaces that contacts touch, as lines in the frames of their bodies; those of moving bodies only where these are given no shapes."""

import numpy as np

from flexmbd.bodies.shapes import Box, Cylinder
from flexmbd.contact.cylinders import SphereCylinder
from flexmbd.contact.discs import DiscDisc, DiscPlane
from flexmbd.contact.granular_bodies import GrainsBox, GrainsCylinder, GrainsPlane, GrainsRound
from flexmbd.contact.planes import BoxPlane, PointPlane
from flexmbd.contact.spheres import SpherePlane, SphereSphere
from flexmbd.contact.thin_disc import ThinDiscPlane
from flexmbd.viewer.looks import circle, edges, in_space

TUBE, ROOM, LEAST = (
    0.5,
    {True: 0.3, False: 0.15},
    0.35,
)  # by the size of all: half of a tube, a plane beyond bodies, half a plane


def vector(joined, key):
    """A vector of an element's numbers, of three components; None if it has none."""
    found = [joined.numbers.get(f"{key}.{axis}") for axis in "xyz"]
    return None if found[0] is None else np.array([0.0 if x is None else x for x in found], float)


def hatched(start, end, y, count, slant):
    """A line at height y with hatching below, each (2, 3), by x from start to end."""
    x = np.linspace(start, end, count + 1)[1:]
    slanted = [np.array([(one, y, 0.0), (one - slant, y - slant, 0.0)]) for one in x]
    return [np.array([(start, y, 0.0), (end, y, 0.0)]), *slanted]


GRID = [np.array(line, float) for x in np.linspace(0, 1, 9) for line in ([(x, 0, 0), (x, 1, 0)], [(0, x, 0), (1, x, 0)])]


def _plane(marks, motion, joined, size, planar):
    """The plane through b, as far as a comes along it; contacts with one plane share it."""
    if "b" not in joined.ends or motion.bodies[joined.ends["b"][0]].kind != "frame":
        return
    body, seat = joined.ends["b"]
    normal = vector(joined, "normal")
    normal = np.array((0.0, 1.0, 0.0) if planar else (0.0, 0.0, 1.0)) if normal is None else normal
    base = np.array([(normal[1], -normal[0], 0.0), normal, (0.0, 0.0, 1.0)]) if planar else _base(normal)
    own, at = motion.bodies[body], in_space(seat)
    places = at[None] if "a" not in joined.ends else np.einsum("tji,tj->ti", own.rotation, motion.place(joined.ends["a"]) - own.position)
    along = places @ base.T
    middle, half = 0.5 * (along.max(axis=0) + along.min(axis=0)), 0.5 * np.ptp(along, axis=0) + ROOM[planar] * size
    half = np.maximum(half, LEAST * size)
    low, high = middle - half, middle + half
    key = (body, *np.round([*normal, normal @ at / size], 9))
    _, other_low, other_high = marks.planes.get(key, (base, low, high))
    low, high = np.minimum(low, other_low), np.maximum(high, other_high)
    low[1 if planar else 2] = high[1 if planar else 2] = normal @ at
    marks.planes[key] = base, low, high


def lines_of_planes(marks, size, planar):
    """Lines (body, ndarray (2, 3)) of all planes: in the plane hatched, in space a grid."""
    found = []
    for (body, *_), (base, low, high) in marks.planes.items():
        if planar:
            lines = hatched(low[0], high[0], low[1], max(8, round(40.0 * (high[0] - low[0]) / size)), 0.02 * size)
        else:
            lines = [low + (high - low) * line for line in GRID]
        found += [(body, line @ base) for line in lines]
    return found


def _discs(marks, motion, joined, size, planar):
    """Circles of the radii of both, in space three each."""
    for key, radius in (("a", "radius"), ("a", "radius_a"), ("b", "radius_b")):
        if radius in joined.numbers:
            _around(marks, motion, joined, key, abs(joined.numbers[radius]), planar)


def _around(marks, motion, joined, key, radius, planar):
    ring = circle(radius)
    spoke = np.array([(0.0, 0.0, 0.0), (radius, 0.0, 0.0)])
    _put(marks, joined, key, [ring, spoke] if planar else [ring, ring[:, [2, 0, 1]], ring[:, [1, 2, 0]]], motion)


def _disc_and_plane(marks, motion, joined, size, planar):
    _plane(marks, motion, joined, size, planar)
    _discs(marks, motion, joined, size, planar)


def _hoop_and_plane(marks, motion, joined, size, planar):
    """A thin disc across its axis."""
    _plane(marks, motion, joined, size, planar)
    _put(marks, joined, "a", [circle(joined.numbers["radius"]) @ _base(vector(joined, "axis"))], motion)


def _box_and_plane(marks, motion, joined, size, planar):
    _plane(marks, motion, joined, size, planar)
    _box(marks, motion, joined, "a", planar)


def _box(marks, motion, joined, key, planar):
    half = vector(joined, "half_lengths") + joined.numbers.get("rounding", 0.0)
    rows = [vector(joined, f"row{k}") for k in (1, 2, 3)]
    turn = np.array([row if row is not None else own for row, own in zip(rows, np.eye(3), strict=True)])
    lines = edges(Box(size=np.maximum(2.0 * half, 1e-12)))
    _put(marks, joined, key, [line @ turn.T for line in (lines[:1] if planar else lines)], motion)


def _box_of_grains(marks, motion, joined, size, planar):
    _box(marks, motion, joined, "b", planar)


def _round_of_grains(marks, motion, joined, size, planar):
    _around(marks, motion, joined, "b", joined.numbers["radius"], planar)


def _cylinder(marks, motion, joined, size, planar):
    """The cylinder about b, one without end as far as a comes along it, and of a sphere in it or on it its circles."""
    length, middle = joined.numbers.get("length"), 0.0
    if length is None and len(joined.ends) == 2 and motion.bodies[joined.ends["b"][0]].kind == "frame":
        axis = motion.bodies[joined.ends["b"][0]].rotation @ vector(joined, "axis")
        along = np.einsum("ti,ti->t", motion.place(joined.ends["a"]) - motion.place(joined.ends["b"]), axis)
        length, middle = np.ptp(along) + 2.0 * ROOM[False] * size, 0.5 * (along.min() + along.max())
    tube = Cylinder(radius=joined.numbers["cylinder_radius"], length=length or 2.0 * TUBE * size, position=(0.0, 0.0, middle))
    _put(marks, joined, "b", [line @ _base(vector(joined, "axis")) for line in edges(tube)], motion)
    _discs(marks, motion, joined, size, planar)


def _put(marks, joined, key, lines, motion=None):
    """Lines about an end, if it is on a frame; with the motion only on what is drawn by nothing else."""
    if key not in joined.ends:
        return
    body, seat = joined.ends[key]
    if motion is None or (motion.bodies[body].kind == "frame" and not motion.bodies[body].moved.body.given_shapes):
        marks.lines += [(body, in_space(seat) + line) for line in lines]


def _base(normal):
    """Three unit vectors as rows, the last of which is the normal."""
    normal = normal / np.linalg.norm(normal)
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first), normal])


SURFACES = (  # kinds of contacts, and what is drawn of them
    (BoxPlane, _box_and_plane),
    (ThinDiscPlane, _hoop_and_plane),
    ((DiscPlane, SpherePlane), _disc_and_plane),
    ((PointPlane, GrainsPlane), _plane),
    ((DiscDisc, SphereSphere), _discs),
    ((SphereCylinder, GrainsCylinder), _cylinder),
    (GrainsBox, _box_of_grains),
    (GrainsRound, _round_of_grains),
)
