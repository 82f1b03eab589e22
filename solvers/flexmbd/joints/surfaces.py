"""Surfaces of ideal joints that rub: by kind of joint, which sizes they have, how they slip, and which reactions press them.

A load is a sum of sizes |p|, each of a few components p that are linear in the multipliers of the joint (theory/joints.md, Friction).
"""

from collections.abc import Callable
from dataclasses import dataclass

from flexmbd.frames import node_axis
from flexmbd.joints.ideal import Revolute, RevoluteTranslational, Translational, holding
from flexmbd.joints.spatial import Cylindrical, Spherical
from flexmbd.language.quadratic import dot

SMALL = 1e-200  # a speed squared: below it a slip has no direction


@dataclass(frozen=True)
class Surface:
    """How a kind of joint rubs.

    Attributes
    ----------
    slip : callable
        ``(equations, friction) -> Node``, m/s. Forces act along its derivatives by the velocities.
    pressed : callable
        ``(equations, friction) -> groups``; a group is a tuple of components, a component a dict {multiplier: Node or float}.
    needs : tuple of str
        Sizes that must be given.
    takes : tuple of str
        Sizes that may be.
    turns : bool
        Whether the force has a torque ``force * radius`` about the joint.
    """

    slip: Callable
    pressed: Callable
    needs: tuple = ()
    takes: tuple = ()
    turns: bool = False


def surface_of(joint):
    """The `Surface` of a joint; None where there is none."""
    table = SPACE if getattr(joint, "spatial", False) else PLANE
    return next((surface for kind, surface in table.items() if isinstance(joint, kind)), None)


def _first(equations, friction):
    """Number of the joint's first multiplier."""
    return equations.owner[friction.joint.name]


# ---- the plane
def _pin_slip(equations, friction):
    a, b = friction.joint.a.body, friction.joint.b.body
    return equations.number(friction, "radius") * (equations.spin(b) - equations.spin(a))


def _pin_pressed(equations, friction):
    k = _first(equations, friction)
    return (({k: 1.0}, {k + 1: 1.0}),)


def _sliding(equations, friction):
    joint = friction.joint
    along = node_axis(equations, joint, joint.a.body, "axis")
    return equations.rates((dot(along, equations.between(joint.a, joint.b)),))[0]


def _line_pressed(equations, friction):
    return (({_first(equations, friction): 1.0},),)


def _guide_pressed(equations, friction):
    """The ends of a guide of length l bear N/2 + M/l and N/2 - M/l."""
    if friction.length is None:
        return _line_pressed(equations, friction)
    k, couple = _first(equations, friction), 1.0 / equations.number(friction, "length")
    return ({k: 0.5, k + 1: couple},), ({k: 0.5, k + 1: -couple},)


# ---- space
def _axes(equations, joint, *keys, body=None):
    return [equations.values(node_axis(equations, joint, body or joint.a.body, key)) for key in keys]


def _turning_rate(equations, joint):
    """Node of the rate of b against a about the joint's axis."""
    (axis,) = _axes(equations, joint, "axis")
    return dot(axis, [y - x for x, y in zip(equations.spin(joint.a.body), equations.spin(joint.b.body), strict=True)])


def _size(g, parts):
    squared = g.dot((x, x) for x in parts)
    return g.sqrt(g.select(g.greater(squared, SMALL), squared, SMALL))


def _journal_slip(equations, friction):
    return equations.number(friction, "radius") * _turning_rate(equations, friction.joint)


def _sleeve_slip(equations, friction):
    """Speed of a surface that turns and slides at once: friction acts against both, by their shares."""
    return _size(equations.graph, (_journal_slip(equations, friction), _sliding(equations, friction)))


def _ball_slip(equations, friction):
    joint = friction.joint
    rates = [y - x for x, y in zip(equations.spin(joint.a.body), equations.spin(joint.b.body), strict=True)]
    return equations.number(friction, "radius") * _size(equations.graph, rates)


def _ball_pressed(equations, friction):
    k = _first(equations, friction)
    return (({k: 1.0}, {k + 1: 1.0}, {k + 2: 1.0}),)


def _ends(friction, equations, force, couple):
    """Groups of the two ends of a bearing: half the force, more and less what bears the couple over the length."""
    if friction.length is None:
        return (tuple(force),)
    arm = 1.0 / equations.number(friction, "length")
    return tuple(
        tuple({k: 0.5 * x for k, x in f.items()} | {k: sign * arm * x for k, x in c.items()} for f, c in zip(force, couple, strict=True))
        for sign in (1.0, -1.0)
    )


def _journal_pressed(equations, friction):
    """The pin bears the force across the axis, and the moment that keeps the axes in line by its ends; a collar the force along it.

    The rows n1.m and n2.m (m: the axis on b) give b the moment ``l1 n2 - l2 n1``, which forces ``±(l1 n1 + l2 n2)/l`` at the ends bear.
    """
    k, (n1, n2, axis) = _first(equations, friction), _axes(equations, friction.joint, "n1", "n2", "axis")
    across = [{k + i: x for i, x in enumerate(n)} for n in (n1, n2)]
    groups = _ends(friction, equations, across, ({k + 3: 1.0}, {k + 4: 1.0}))
    if friction.collar is None:
        return groups
    arm = equations.number(friction, "collar") / equations.number(friction, "radius")
    return (*groups, ({k + i: arm * x for i, x in enumerate(axis)},))


def _sleeve_pressed(equations, friction):
    k = _first(equations, friction)
    return _ends(friction, equations, ({k: 1.0}, {k + 1: 1.0}), ({k + 2: 1.0}, {k + 3: 1.0}))


def _rail_pressed(equations, friction):
    """The guide bears the force across the axis, the moment across it by its ends, and that about it at its radius.

    The rows of `locked` give the moment ``-l1 X + l2 Y - l3 Z``, with X, Y, Z the axes of the frame that is held.
    """
    joint, k = friction.joint, _first(equations, friction)
    n1, n2, axis = _axes(equations, joint, "n1", "n2", "axis")
    frame = _axes(equations, joint, *"XYZ", body=holding(joint)[1])
    signs = (-1.0, 1.0, -1.0)

    def moment(n):
        return {k + 2 + i: sign * dot(n, x) for i, (sign, x) in enumerate(zip(signs, frame, strict=True))}

    couple = moment(n2), {i: -x for i, x in moment(n1).items()}
    groups = _ends(friction, equations, ({k: 1.0}, {k + 1: 1.0}), couple)
    if friction.radius is None:
        return groups
    arm = 1.0 / equations.number(friction, "radius")
    return (*groups, ({i: arm * x for i, x in moment(axis).items()},))


PLANE = {
    Revolute: Surface(_pin_slip, _pin_pressed, needs=("radius",), turns=True),
    Translational: Surface(_sliding, _guide_pressed, takes=("length",)),
    RevoluteTranslational: Surface(_sliding, _line_pressed),
}
SPACE = {
    Revolute: Surface(_journal_slip, _journal_pressed, needs=("radius",), takes=("length", "collar"), turns=True),
    Translational: Surface(_sliding, _rail_pressed, takes=("length", "radius")),
    Cylindrical: Surface(_sleeve_slip, _sleeve_pressed, needs=("radius",), takes=("length",)),
    Spherical: Surface(_ball_slip, _ball_pressed, needs=("radius",), turns=True),
}
