"""Where in W the contact problem of a step lies: the order of `flexmbd.equations.delassus.percussions`."""

from flexmbd.lanes import fabs, select
from flexmbd.lanes.rows import ld, st
from flexmbd.lanes.vector import inner
from flexmbd.registry import NUMBERS
from flexmbd.stepping.names import ND, NU, N

# words of a contact: first direction, how many slide, roll, pivot, first further state, rule, whether it bulges
SLIDE_COUNT, ROLL_COUNT, PIVOT_COUNT, OWN_STATE, RULE, BULGES, CONE = range(1, 8)
FRICTION, HEADING, KIND_ROWS = 1, 2, 4  # behind the kind of a contact: its coefficient of friction, the direction of its sliding
RESTITUTION, TANGENTIAL, MU, MU_STATIC, ROLLING, PIVOTING = range(NUMBERS)


@inner
def gap_row(j, at):
    """Row of W with the gap of contact j."""
    return j


@inner
def number_row(j, k, at):
    """Row of number k of contact j."""
    return at[NU] + NUMBERS * j + k


@inner
def before_row(at):
    """First row of the velocities before the step."""
    return (1 + NUMBERS) * at[NU]


@inner
def free_row(at):
    """First row of the velocities without percussions."""
    return before_row(at) + at[ND]


@inner
def percussion_row(at):
    """First row of the percussions."""
    return before_row(at) + 2 * at[ND]


@inner
def bound_row(at):
    """First row of the least normal percussions."""
    return before_row(at) + 3 * at[ND]


@inner
def matrix_row(at):
    """First row of the matrix."""
    return bound_row(at) + at[NU]


@inner
def response_row(at):
    """First row of the velocities of coordinates by unit percussions."""
    return matrix_row(at) + at[ND] * at[ND]


@inner
def velocity_row(at):
    """First row of the velocities of coordinates without percussions."""
    return response_row(at) + at[ND] * at[N]


@inner
def earlier_row(at):
    """First row of the percussions of the sweep before."""
    return pull_row(at) + at[ND]


@inner
def pull_row(at):
    """First row of the work of the forces on unit percussions' velocities, taken as shifts."""
    return velocity_row(at) + at[N]


@inner
def product(r, W, at):
    """Velocity that all percussions give direction r."""
    s, p = matrix_row(at) + at[ND] * r, percussion_row(at)
    total = ld(W, s) * ld(W, p)
    for k in range(1, at[ND]):
        total = total + ld(W, s + k) * ld(W, p + k)
    return total


@inner
def entry(r, k, W, at):
    """Of the matrix."""
    return ld(W, matrix_row(at) + at[ND] * r + k)


@inner
def rate(r, W, at):
    """Velocity of direction r with all percussions, restitution in it."""
    return product(r, W, at) + ld(W, free_row(at) + r)


@inner
def kind_row(j, at):
    """Row of the kind of contact j (`coulomb`), and of what stands behind it (`FRICTION`, `HEADING`)."""
    return earlier_row(at) + at[ND] + KIND_ROWS * j


@inner
def value_row(at):
    """First row of what the equations of all directions are off by."""
    return kind_row(at[NU], at)


@inner
def step_row(at):
    """First row of Newton's step."""
    return value_row(at) + at[ND]


@inner
def kept_row(at):
    """First row of the percussions before that step."""
    return step_row(at) + at[ND]


@inner
def square_row(at):
    """First row of Newton's matrix, row by row."""
    return kept_row(at) + at[ND]


@inner
def list_row(at):
    """First row of a list of directions: the numbers of those that count."""
    return square_row(at) + at[ND] * at[ND]


@inner
def wanted_row(j, at):
    """Row that is not zero where what the forces of contact j do is wanted (`listed`)."""
    return list_row(at) + at[ND] + j


@inner
def count_row(at):
    """Row of how many contacts are listed, and behind it of how many directions."""
    return wanted_row(at[NU], at)


@inner
def member_row(at):
    """First row of the numbers of the contacts that are listed."""
    return count_row(at) + 2


@inner
def listed_row(at):
    """First row of the numbers of their directions."""
    return member_row(at) + at[NU]


@inner
def column_row(at):
    """First row of the columns of all directions."""
    return listed_row(at) + at[ND]


def rows_of_lists(contacts, directions, coordinates):
    """Rows of W behind those that `listed` needs."""
    return 2 * contacts + 2 + directions + directions * coordinates


def rows_of_coulomb(contacts, directions):
    """Rows of W behind those of `flexmbd.equations.delassus.rows_of_work` that `coulomb` and `given_modes` need."""
    return KIND_ROWS * contacts + 4 * directions + directions * directions


@inner
def put_percussion(r, moving, new, W, at):
    """Take a percussion over in lanes that move; how much that changes its velocity, or acceleration."""
    row = percussion_row(at) + r
    old = ld(W, row)
    st(W, row, select(moving, new, old))
    return select(moving, fabs(new - old), 0.0) * entry(r, r, W, at)
