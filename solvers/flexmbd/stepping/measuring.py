"""The energy that books are judged by where rates of coordinates do not tell how fast bodies move (`outputs.energy_account`)."""

from flexmbd.lanes import any_lane, maximum, select
from flexmbd.lanes.rows import evaluate, ld, st
from flexmbd.lanes.vector import part
from flexmbd.stepping.names import BALANCE, LARGEST_ENERGY, NEXT_MEASURE, START, STEPS

LATER = 1.2  # times the steps so far: some hundred measurements in a run of any length


@part
def measure(accepted, X, P, W, at):
    """Measure it at the end of a step of the lanes that have made so many."""
    steps, largest = ld(X, STEPS), ld(X, LARGEST_ENERGY)
    due = accepted & (steps >= ld(X, NEXT_MEASURE))
    if any_lane(due):
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        st(X, LARGEST_ENERGY, select(due, maximum(largest, ld(W, 5)), largest))
        st(X, NEXT_MEASURE, select(due, LATER * steps + 0.5, ld(X, NEXT_MEASURE)))
