"""What is drawn of joints, springs, walls and bearings of one run."""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.contact.clearance import ClearanceRevolute
from flexmbd.contact.cylindrical import ClearanceCylindrical
from flexmbd.contact.guide import FrictionGuide
from flexmbd.contact.spherical import ClearanceSpherical
from flexmbd.contact.translational import ClearanceTranslational
from flexmbd.forces.bushing import Bushing
from flexmbd.forces.nonlinear import NonlinearSpring
from flexmbd.forces.springs import Spring
from flexmbd.joints.clamp import Clamp
from flexmbd.joints.distance import Distance
from flexmbd.joints.drives import DistanceDrive, Drive
from flexmbd.joints.ideal import Fixed, Joint, RevoluteTranslational, Translational
from flexmbd.joints.spatial import Cylindrical
from flexmbd.viewer.looks import in_space
from flexmbd.viewer.surfaces import SURFACES, hatched, vector

BEARING_LEAST = 0.03  # radius of a bearing that is drawn, by the size of all


@dataclass
class Marks:
    """Marks of a run; an end is as in `Joined.ends`, lines are (points, 3) in the frame of the body that is named first.

    Attributes
    ----------
    dots : list of (str, end)
        ``"pin"`` or ``"square"``.
    lines : list of (str, ndarray)
    planes : dict
        By body and place: axes as rows, and where it begins and ends along them, m.
    links : list of (end, end, int)
        A line from end to end, with so many coils.
    bearings : list of dict
        ``name``, ``at`` (end), ``radius`` and ``clearance`` (m), ``apart`` (times, 3): the journal's centre from the bearing's. Of those
        with a length also ``along`` (axis in the body's frame) and ``length``; ``apart`` (times, 6) is then of both end sections.
    guides : list of dict
        ``name``, ``at`` (end), ``axis`` (rad), ``length``, ``width``, ``clearance`` (m), ``apart`` (times, 3): along, across, tilt.
    """

    dots: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    planes: dict = field(default_factory=dict)
    links: list = field(default_factory=list)
    bearings: list = field(default_factory=list)
    guides: list = field(default_factory=list)


def marks_of(motion, size, planar, most):
    """Marks of all elements, of at most so many; and how many elements have some.

    Parameters
    ----------
    motion : Motion
    size : float
        Of all that is shown, m.
    planar : bool
    most : int
    """
    marks, drawn = Marks(), [x for x in motion.trajectory.elements if any(isinstance(x.element, kind) for kind, _ in KINDS)]
    step = max(1, -(-len(drawn) // most))
    for joined in drawn[::step]:
        rule = next(rule for kind, rule in KINDS if isinstance(joined.element, kind))
        rule(marks, motion, joined, size, planar)
    return marks, len(drawn)


def _end(joined, keys="ba"):
    """The end of the first key that it has."""
    return next(joined.ends[key] for key in keys if key in joined.ends)


def _pin(marks, motion, joined, size, planar):
    if planar and "ground" in [body for body, _ in joined.ends.values()]:
        at = next(in_space(seat) for body, seat in joined.ends.values() if body == "ground")
        marks.lines += [("ground", at + 0.03 * size * line) for line in SUPPORT]
    axis = None if planar else vector(joined, "axis")
    if axis is not None and "a" in joined.ends and motion.bodies[joined.ends["a"][0]].kind == "frame":
        marks.lines.append((joined.ends["a"][0], in_space(joined.ends["a"][1]) + 0.035 * size * np.outer((-1.0, 1.0), axis)))
    marks.dots.append(("pin", _end(joined)))


def _square(marks, motion, joined, size, planar):
    marks.dots.append(("square", _end(joined)))


def _rail(marks, motion, joined, size, planar):
    """The way of b on a, in a's frame, and a block on b."""
    marks.dots.append(("square", _end(joined)))
    axis = vector(joined, "axis")
    if len(joined.ends) < 2 or axis is None or any(motion.bodies[body].kind != "frame" for body, _ in joined.ends.values()):
        return
    (body, seat), (other, place) = (joined.ends[key] for key in "ab")
    apart = motion.place(joined.ends["b"]) - motion.place(joined.ends["a"])
    along = np.einsum("ti,ti->t", apart, motion.bodies[body].rotation @ axis)
    ends = np.array([along.min() - 0.06 * size, along.max() + 0.06 * size])
    marks.lines.append((body, in_space(seat) + ends[:, None] * axis))
    if planar and not motion.bodies[other].moved.body.given_shapes:
        x, y, _ = motion.bodies[other].rotation[0].T @ motion.bodies[body].rotation[0] @ axis
        marks.lines.append((other, in_space(place) + size * BLOCK @ np.array([(x, y, 0.0), (-y, x, 0.0), (0.0, 0.0, 1.0)])))


def _link(coils):
    def rule(marks, motion, joined, size, planar):
        if len(joined.ends) == 2:
            marks.links.append((joined.ends["a"], joined.ends["b"], coils))

    return rule


def _bearing(marks, motion, joined, size, planar):
    if len(joined.ends) < 2:
        return _pin(marks, motion, joined, size, planar)
    apart, along = motion.place(joined.ends["a"]) - motion.place(joined.ends["b"]), {}
    if isinstance(joined.element, ClearanceCylindrical) and all(motion.bodies[body].kind == "frame" for body, _ in joined.ends.values()):
        along = {"along": vector(joined, "axis_b"), "length": float(joined.numbers["length"])}
        apart = _across_sections(motion, joined, apart, 0.5 * along["length"])
    radius = max(float(joined.numbers.get("bearing_radius", 0.0)), BEARING_LEAST * size)
    at = {"name": joined.element.name, "at": joined.ends["b"], "radius": radius, "clearance": float(joined.numbers["clearance"])}
    marks.bearings.append(at | along | {"apart": apart})


def _across_sections(motion, joined, apart, half):
    """Ways of the journal's axis from the bearing's in the first and the last section across that, (times, 6)."""
    along, axis = (motion.bodies[joined.ends[key][0]].rotation @ vector(joined, f"axis_{key}") for key in "ab")
    lean = np.einsum("ti,ti->t", along, axis)
    lean = np.where(np.abs(lean) > 0.1, lean, 1.0)  # a journal across its bearing has left it
    ways = []
    for place in (-half, half):
        reach = (place - np.einsum("ti,ti->t", apart, axis)) / lean
        ways.append(apart + reach[:, None] * along - place * axis)
    return np.hstack(ways)


def _guide(marks, motion, joined, size, planar):
    if len(joined.ends) < 2:
        return _square(marks, motion, joined, size, planar)
    a, b = (motion.bodies[joined.ends[key][0]].rotation[:, :2, :2] for key in "ab")
    u, along = b @ vector(joined, "axis_b")[:2], a @ vector(joined, "axis_a")[:2]
    apart = (motion.place(joined.ends["a"]) - motion.place(joined.ends["b"]))[:, :2]
    place = [np.einsum("ti,ti->t", u, apart), u[:, 0] * apart[:, 1] - u[:, 1] * apart[:, 0]]
    tilt = np.arctan2(u[:, 0] * along[:, 1] - u[:, 1] * along[:, 0], np.einsum("ti,ti->t", u, along))
    sizes = {key: float(joined.numbers[key]) for key in ("length", "width", "clearance")}
    at = {"name": joined.element.name, "at": joined.ends["b"], "axis": float(np.arctan2(*vector(joined, "axis_b")[1::-1]))}
    marks.guides.append(at | sizes | {"apart": np.stack([*place, tilt], axis=1)})
    return None


BLOCK = np.array([(-0.035, -0.02, 0.0), (0.035, -0.02, 0.0), (0.035, 0.02, 0.0), (-0.035, 0.02, 0.0), (-0.035, -0.02, 0.0)])
SUPPORT = [np.array([(0.0, 0.0, 0.0), (-0.6, -1.0, 0.0), (0.6, -1.0, 0.0), (0.0, 0.0, 0.0)]), *hatched(-0.9, 0.9, -1.0, 6, 0.3)]
KINDS = (  # the first that an element is one of
    (ClearanceTranslational, _guide),
    (ClearanceRevolute, _bearing),
    (ClearanceSpherical, _bearing),
    (ClearanceCylindrical, _bearing),
    *SURFACES,
    ((Spring, NonlinearSpring), _link(7)),
    ((Distance, DistanceDrive), _link(0)),
    (Drive, lambda *_: None),
    ((Translational, RevoluteTranslational, Cylindrical), _rail),
    ((Fixed, Clamp, Bushing, FrictionGuide), _square),
    (Joint, _pin),
)
