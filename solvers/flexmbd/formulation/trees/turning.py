"""Bodies on a ball on ground, and free ones, in Taylor series: Euler's equations of the angular velocity w in the body's own frame.

With the columns S(q) of a unit quaternion, ``q' = S w / 2`` and ``J w' = M - w x (J w)``, J and M about the ball's centre, or about the
centre of mass of a free body. Of a body that nothing but its weight acts on that is 12 products for q', 6 for ``w x (J w)``, and 10 for the
weight's direction, where momenta in the inertial frame, and their power by columns that move, take 84.
"""

from dataclasses import dataclass

from flexmbd.formulation.trees.joints import BALL
from flexmbd.formulation.trees.vectors import minus, plus, times
from flexmbd.formulation.trees.vectors import moment as moment_of
from flexmbd.formulation.trees.walking import TENSOR, ball
from flexmbd.language.quadratic import cross3, dot


@dataclass(frozen=True)
class Turn:
    """How such a body turns.

    Attributes
    ----------
    first, row : int
        Its quaternion's first coordinate, and the row that says that it is a unit one.
    spin : list of Node
        Variables: angular velocity in the body's frame, in rad/s.
    columns : list of list of Node
        (4, 3), S.
    rates : list of Node
        The quaternion's, of q and `spin`.
    moment : list of Node
        ``M - w x (J w)`` in the body's frame, in N m.
    inverse : list of list of Node
        Of J; empty where accelerations of other coordinates act on the body too.
    """

    first: int
    row: int
    spin: list
    columns: list
    rates: list
    moment: list
    inverse: list


def by_itself(made):
    """Whether a body's angular velocity is that of its own quaternion alone."""
    return BALL in made.branch.freedom.turns and made.parent.branch is None and made.frames == (None, None)


def turns_of(equations, spun, rows, wrenches):
    """The `Turn` of each body of a list, by the rows of quaternions, and what acts on all bodies besides their own inertia and weight."""
    acting = dict(equations.sums_of(wrenches)) if spun else {}
    alone = len(spun) == len(equations.moving) == len(equations.rows)
    alone = alone and not equations.inertia.added.entries and not equations.topology.beside
    return [_turn(equations, made, rows[made], 3 * k, acting.get(made), alone=alone) for k, made in enumerate(spun)]


def _turn(equations, made, row, number, wrench, *, alone):
    graph, first = equations.graph, made.first + len(made.branch.freedom.slides)
    spin = [graph.var("spin", number + k) for k in range(3)]
    columns = columns_of(equations.q[first : first + 4], made.branch.outward)
    rates = [0.5 * dot(own, spin) for own in columns]
    tensor = _tensor(made)
    moment = _moment(equations, made, tensor, spin, wrench)
    return Turn(first, row, spin, columns, rates, moment, _inverse(*tensor) if alone else [])


def columns_of(q, outward):
    """S(q), (4, 3): of a quaternion that turns the body against ground, or ground against the body."""
    if not outward:
        return [[-0.5 * x for x in own] for own in ball(q)[1]]
    w, x, y, z = q
    return [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]


def _tensor(made):
    """J, (3, 3)."""
    mass, moments = made.masses()
    tensor, arm = [[made.zero[0]] * 3 for _ in range(3)], made.at_own
    for (i, j), x in zip(TENSOR, moments, strict=False):
        tensor[i][j] = tensor[j][i] = x
    if made.branch.joint is not None:
        for i in range(3):
            tensor[i] = [x - mass * (arm[i] * y) for x, y in zip(tensor[i], arm, strict=True)]
            tensor[i][i] = tensor[i][i] + mass * dot(arm, arm)
    return tensor


def _inverse(a, b, c):
    """Of a symmetric matrix, by its rows."""
    size = dot(a, cross3(b, c))
    return [[x / size for x in own] for own in (cross3(b, c), cross3(c, a), cross3(a, b))]


def _moment(equations, made, tensor, spin, wrench):
    """Moment about the fixed point less ``w x (J w)``."""
    found, hung = made.zero, made.branch.joint is not None
    if hung:
        mass, arm = equations.number(made.branch.body, "mass"), times(-1.0, made.at_own)
        found = list(cross3(arm, times(mass, [dot(axis, equations.gravity) for axis in made.axes])))
    if wrench is not None:
        force, about = wrench
        about = plus(about, moment_of(times(-1.0, made.direction(made.at_own)), force)) if hung else about
        found = plus(found, [dot(axis, about) for axis in made.axes])
    products = {(i, j): spin[i] * spin[j] for i in range(3) for j in range(i, 3)}

    def gyroscopic(i, j):
        """Component of ``w x (J w)`` about the third axis, by products of w alone."""
        one, other = ([products[min(k, m), max(k, m)] for m in range(3)] for k in (i, j))
        return dot(tensor[j], one) - dot(tensor[i], other)

    return minus(found, [gyroscopic(1, 2), gyroscopic(2, 0), gyroscopic(0, 1)])
