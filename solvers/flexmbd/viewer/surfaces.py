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

PLANE = 0.5  # half the edge of a plane in space, and half the length of a tube without end, by the size of all


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
    """The plane through b, about where a is at all times."""
    if "b" not in joined.ends:
        return
    normal = vector(joined, "normal")
    normal = np.array((0.0, 1.0, 0.0) if planar else (0.0, 0.0, 1.0)) if normal is None else normal
    base = np.array([(normal[1], -normal[0], 0.0), normal, (0.0, 0.0, 1.0)]) if planar else _base(normal)
    ways = [0] if planar else [0, 1]
    start, length = np.zeros(3), np.ones(3)
    start[ways], length[ways] = -PLANE * size, 2.0 * PLANE * size
    if "a" in joined.ends and motion.bodies[joined.ends["b"][0]].kind == "frame":
        apart = motion.place(joined.ends["a"]) - motion.place(joined.ends["b"])
        along = np.einsum("tji,tj->ti", motion.bodies[joined.ends["b"][0]].rotation, apart) @ base.T[:, ways]
        start[ways] = along.min(axis=0) - 0.7 * PLANE * size
        length[ways] = np.ptp(along, axis=0) + 1.4 * PLANE * size
    if planar:
        count = max(8, round(40.0 * length[0] / size))
        lines = hatched(start[0], start[0] + length[0], 0.0, count, 0.02 * size)
    else:
        lines = [start + length * line for line in GRID]
    _put(marks, joined, "b", [line @ base for line in lines])


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
    """The cylinder about b, and of a sphere in it or on it its circles."""
    tube = Cylinder(radius=joined.numbers["cylinder_radius"], length=joined.numbers.get("length", 2.0 * PLANE * size))
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
