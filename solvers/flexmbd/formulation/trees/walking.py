"""The walk of a joint from its parent to a body, and how the body then moves, as functions of numbers alone: `repeated` for links alike.

A body is told by (centre, spin, velocity); a column of a joint by its angular velocity, and the velocity of the body's centre.
"""

from flexmbd.formulation.trees.vectors import carried, fixed, minus, moment, plus, times, turned
from flexmbd.language.quadratic import dot
from flexmbd.language.repeated import repeated

TENSOR = {(0, 0): "xx", (1, 1): "yy", (2, 2): "zz", (0, 1): "xy", (0, 2): "xz", (1, 2): "yz"}


def walked(function, *numbers):
    """What a function of this module gives: written once, and repeated for numbers alike."""
    return repeated(function, numbers, *numbers)


def set_out(out, centre, axes, at, near, slides, q):
    """Origin and axes of the joint's frame on the parent, and the lines along which the body slides if it does so first."""
    origin = plus(centre, fixed(axes, at))
    frame = axes if near is None else [fixed(axes, x) for x in near]
    lines = [fixed(axes, x) for x in slides] if out else []
    return plus(origin, *(times(x, line) for x, line in zip(q, lines, strict=False))), frame, lines


def turn(axes, k, sign, s, c):
    """Axes after a turn about one of them, by its sine and cosine."""
    i, j, s, axes = (k + 1) % 3, (k + 2) % 3, sign * s, list(axes)
    axes[i], axes[j] = plus(times(c, axes[i]), times(s, axes[j])), minus(times(c, axes[j]), times(s, axes[i]))
    return axes


def roll(axes, sign, q):
    """Axes after the turn of a quaternion, and the angular velocities by its rates."""
    matrix, rates = ball(q)
    own = matrix if sign > 0 else [list(row) for row in zip(*matrix, strict=True)]
    after = [plus(*(times(own[i][k], axes[i]) for i in range(3))) for k in range(3)]
    frame = axes if sign > 0 else after  # that of a, in which the rates are
    return after, [times(sign, plus(*(times(rate[i], frame[i]) for i in range(3)))) for rate in rates]


def arrive(out, origin, axes, far, at, slides, q):
    """Axes and centre of the body from the turned frame, and the lines along which it slides if it does so last."""
    axes = axes if far is None else [plus(*(times(far[j][k], axes[j]) for j in range(3))) for k in range(3)]
    lines = [] if out else [times(-1.0, fixed(axes, x)) for x in slides]
    centre = plus(origin, *(times(x, line) for x, line in zip(q, lines, strict=False)))
    return axes, minus(centre, fixed(axes, at)), lines


def along(columns, rates, zero, still):
    """Angular velocity and velocity of the centre that rates of the joint's own coordinates alone give."""
    parts = [(times(x, w), times(x, u)) for x, (w, u) in zip(rates, columns, strict=True)]
    return [plus(start, *(part[k] for part in parts)) for k, start in enumerate((zero, still))]


def move(lines, spins, rates, zero, origin, centre, parent):
    """Columns, what rates of the joint alone turn the body by, and the body's angular velocity and velocity."""
    before, spin, velocity = parent
    arm = minus(centre, origin)
    columns = [(zero, line) for line in lines] + [(w, turned(w, arm)) for w in spins]
    lever = minus(centre, before)
    own, shift = along(columns, rates, zero, [zero[0]] * len(centre))
    return columns, own, plus(spin, own), plus(velocity, turned(spin, lever), shift)


def drift(out, rates, own, lines, spins, origin, body, parent):
    """Accelerations where those of coordinates are zero: of the parent, of axes that turn with the bodies in which they are fixed.

    `parent` has its own two besides. Two angular velocities are those of a joint with an axis on each body, four those of a ball.
    """
    (centre, spin, velocity), (before, turning, speed, angular, linear) = body, parent
    first, second = (turning, spin) if out else (spin, turning)  # of a's body, of b's
    bends = [0.0] * len(spin)
    if len(spin) == 3 and len(spins) == 2:
        for holder, x, axis in zip((first, second), rates[len(lines) :], spins, strict=True):
            bends = plus(bends, carried(holder, times(x, axis)))
    elif len(spin) == 3:
        bends = carried(first, own)
    lever, arm = minus(centre, before), minus(centre, origin)
    total = plus(linear, turned(angular, lever), turned(turning, minus(velocity, speed)))
    for x, line in zip(rates, lines, strict=False):
        total = plus(total, turned(first, times(x, line)))
    if spins:
        swept = turned(spin, arm) if out else minus(minus(velocity, speed), turned(turning, minus(origin, before)))
        total = plus(total, turned(bends, arm), turned(own, swept))
    return plus(angular, bends), total


def powers(columns, force, about):
    """Generalized forces along columns of a joint of a force at the body's centre and a moment about it."""
    return [dot(spin, about) + dot(line, force) for spin, line in columns]


def hand_on(force, about, centre, before, total):
    """What acts on a body, one list of force and moment, as it acts on its parent, with what acts there if anything does."""
    own = force + plus(about, moment(minus(centre, before), force))
    return own if total is None else plus(total, own)


def ball(q):
    """Rotation matrix of a unit quaternion (w, x, y, z), and by component of it the angular velocity for a unit rate."""
    w, x, y, z = q
    matrix = [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    rates = [[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]]
    return matrix, [[2.0 * part for part in rate] for rate in rates]
