"""What the page is told of one run: its motion in keys, lines, marks, bearings, forces and trails."""

import numpy as np

from flexmbd.bodies.base import Framed
from flexmbd.bodies.shapes import Balls, Polyline
from flexmbd.viewer.keys import Track, chosen
from flexmbd.viewer.looks import centre_marks, edges, in_space
from flexmbd.viewer.packing import packed, packed_floats, short
from flexmbd.viewer.surfaces import lines_of_planes

SEEN = 1.0 / 2500.0  # of the size of all: half a pixel
ROUGHLY = 4.0  # times as much, of what is drawn larger than it is
MOST_NUMBERS = 1_200_000  # of a run: 3.2 MB of the page
MOST_OF_SMALL = 100_000  # keys of all bearings, and of all forces
ARROW = 0.2  # length of a usual force, by the size of all; `assets/picture.js` has it too
SIZES = ("radius", "clearance", "length", "width", "axis", "along")  # of bearings and guides
QUARTER = 1.0  # trace of a matrix that turns by a quarter turn


def run_data(scene, k):
    """Run number k of a `Scene`, for JSON; adds to the scene's `notes`."""
    motion, marks = scene.motions[k], scene.marks[k]
    end = _Ends(scene.names)
    return {
        "label": scene.labels[k],
        "end": short(motion.time[-1]),
        "bodies": [motion.bodies[name].described() for name in scene.names],
        "keys": _motion_keys(scene, k),
        "lines": _lines(scene, motion, marks),
        "dots": _bare(scene, motion, end) + [{"kind": kind, **end(where)} for kind, where in marks.dots],
        "links": [{"a": end(a), "b": end(b), "coils": coils} for a, b, coils in marks.links],
        "trails": [_trail(motion, end, *trail) for trail in scene.trails],
        **_apart(scene, motion, marks, end),
        **_forces(scene, motion, scene.arrows[k], end),
    }


class _Ends:
    """Ends of elements in the page's words: number of the body, and numbers of the seat."""

    def __init__(self, names):
        self.known = {name: k for k, name in enumerate(names)}

    def __call__(self, end):
        return {"body": self.known[end[0]], "seat": short(np.array(end[1], float), 7)}


def keys(time, tracks, kept):
    """Tracks at some of their times."""
    return {"count": len(kept), "times": packed_floats(time[kept]), "tracks": [packed(track.channels[kept]) for track in tracks]}


def _motion_keys(scene, k):
    motion = scene.motions[k]
    tracks = [motion.bodies[name].track(motion.time, max(scene.reach[name], 0.02 * scene.size)) for name in scene.names]
    if scene.kept is None:
        most = max(2, scene.most_numbers // sum(track.channels.shape[1] for track in tracks))
        kept, off = chosen(tracks, SEEN * scene.size, most)
    else:
        kept, off = np.unique(np.minimum(scene.kept, len(motion.time) - 1)), 0.0
    which = f" of {scene.labels[k]}" if len(scene.motions) > 1 else ""
    count = len(motion.time)
    few = ", fewer than the eye asks for, so that the page stays small" if off > SEEN * scene.size else ""
    near = f"{few}: between them nothing is more than {_length(max(off, 0.1 * SEEN * scene.size))} off" if len(kept) < count else ""
    if scene.kept is None:
        scene.notes.append(f"{len(kept):,} of the {count:,} times{which} are kept{near}")
    fast = [name for name in scene.names if motion.bodies[name].kind == "frame" and _turns_far(motion.bodies[name].rotation)]
    if fast:
        names = ", ".join(map(repr, fast[:6]))
        scene.notes.append(f"between two times of the run {names} turned by more than a quarter turn: give `run` more points")
    return keys(motion.time, tracks, kept)


def usual_lines(body):
    """Lines of a rigid body from its centre of mass to its named points and joints, by the numbers of its run; (2, 3) each."""
    if body.kind != "frame" or not isinstance(body.moved.body, Framed) or not body.moved.body.measures:
        return []
    centre = in_space(body.moved.offset)
    ends = {tuple(in_space(seat)) for seat in (*body.moved.seats.values(), *body.joined)}
    return [np.array([centre, end]) for end in sorted(ends) if np.any(np.abs(end - centre) > 1e-12)]


def _lines(scene, motion, marks):
    """Usual lines of bodies, outlines of a drawing, and marks."""
    found = []
    for k, name in enumerate(scene.names):
        body, color = motion.bodies[name], scene.colors[name]
        usual = [] if scene.shapes[name] else usual_lines(body)
        found += [{"body": k, "color": color, "width": 5, "points": short(line, 7)} for line in usual]
        for shape in scene.shapes[name] if scene.planar and body.kind != "line" else ():
            if not isinstance(shape, (Polyline, Balls)):
                found += [{"body": k, "color": shape.color or color, "width": 2, "points": short(x, 7)} for x in edges(shape)]
                found += [{"body": k, "width": 1, "points": short(x, 7)} for x in centre_marks(shape)]
    known = {name: k for k, name in enumerate(scene.names)}
    planes = lines_of_planes(marks, scene.size, scene.planar)
    both = [*((1.5, *one) for one in marks.lines), *((1.5 if scene.planar else 0.8, *one) for one in planes)]
    return found + [{"body": known[body], "width": width, "points": short(line, 7)} for width, body, line in both]


def _bare(scene, motion, end):
    """Dots of what has no other look: point masses, centres of mass of bodies without points, points of reduced bodies."""
    found = []
    for name in scene.names:
        body = motion.bodies[name]
        if name == "ground" or scene.shapes[name] or usual_lines(body):
            continue
        seats = [tuple(body.moved.offset)] if body.kind == "frame" else [*body.moved.seats.values()]
        found += [{"kind": "mass", "color": scene.colors[name], **end((name, seat))} for seat in seats]
    return found


def _trail(motion, end, body, point):
    moved = motion.bodies[body].moved
    centre = tuple(moved.offset) if motion.bodies[body].kind == "frame" else (0.0,)
    return end((body, centre if point is None else moved.seats[point])) | {"name": body if point is None else f"{body}.{point}"}


def _apart(scene, motion, marks, end):
    """Bearings and guides, and keys of where journals and sliders are in them."""
    both = [*marks.bearings, *marks.guides]
    told = [{"name": x["name"], "at": end(x["at"])} | {key: short(x[key]) for key in SIZES if key in x} for x in both]
    found = {"bearings": told[: len(marks.bearings)], "guides": told[len(marks.bearings) :]}
    if both:
        apart = [x["apart"].reshape(len(motion.time), -1, 3) for x in both]
        seen = [Track(motion.time, scene.play * own) for own in apart]
        kept, _ = chosen(seen, ROUGHLY * SEEN * scene.size, max(2, scene.most_of_small // len(seen)))
        found["apart"] = keys(motion.time, [Track(motion.time, own) for own in apart], kept)
    return found


def _forces(scene, motion, arrows, end):
    """Forces, and keys of their components."""
    found = {"arrows": [{"name": name, "at": end(where)} for name, where, _ in arrows]}
    if arrows:
        scale = ARROW * scene.size / (scene.force or 1.0)
        seen = [Track(motion.time, scale * force[:, None]) for *_, force in arrows]
        kept, _ = chosen(seen, ROUGHLY * SEEN * scene.size, max(2, scene.most_of_small // len(seen)))
        found["forces"] = keys(motion.time, [Track(motion.time, force[:, None]) for *_, force in arrows], kept)
    return found


def _turns_far(rotation):
    return len(rotation) > 1 and float(np.einsum("tij,tij->t", rotation[1:], rotation[:-1]).min()) < QUARTER


def _length(x):
    """A length with a unit of its size."""
    unit, size = next(((u, s) for u, s in (("m", 1.0), ("mm", 1e-3), ("µm", 1e-6)) if x >= 0.1 * s), ("nm", 1e-9))
    return f"{x / size:.2g} {unit}"
